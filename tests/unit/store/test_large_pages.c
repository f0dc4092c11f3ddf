/* Which memory large pages are wanted for: what the kernel has noted of it ("hg" in /proc/self/smaps) against what is asked. */
#include "runtime/store/elements.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { LARGE = 2 << 20, PAGES = 8 };
static char *memory; /* PAGES large pages, aligned */

/* Bit k: large page k as a whole; bit PAGES: a part of one. -1: this kernel has none. */
static int wanted(void) {
    char line[400], *flags;
    unsigned long begin = 0, end = 0, from_here, to_here;
    const unsigned long first = (unsigned long)memory, last = first + (unsigned long)PAGES * LARGE;
    int found = 0, seen = 0;
    FILE *maps = fopen("/proc/self/smaps", "r");
    while (maps && fgets(line, sizeof line, maps)) {
        if (sscanf(line, "%lx-%lx ", &from_here, &to_here) == 2) begin = from_here, end = to_here;
        if ((flags = strstr(line, "VmFlags:")) == NULL) continue;
        seen |= strstr(flags, " mr") != NULL; /* smaps has flags at all */
        if (end <= first || begin >= last || strstr(flags, " hg") == NULL) continue;
        const unsigned long from = begin > first ? begin : first, to = end < last ? end : last;
        for (int k = 0; k < PAGES; k++) {
            const unsigned long page = first + (unsigned long)k * LARGE;
            if (from <= page && to >= page + LARGE) found |= 1 << k;
            else if (from < page + LARGE && to > page) found |= 1 << PAGES;
        }
    }
    if (maps) fclose(maps);
    return seen ? found : -1;
}

/* All of it as if nobody had asked. */
static void forget(void) {
    CU_ASSERT_EQUAL_FATAL(munmap(memory, (size_t)PAGES * LARGE), 0);
    memory = mmap(memory, (size_t)PAGES * LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CU_ASSERT_PTR_NOT_EQUAL_FATAL(memory, MAP_FAILED);
}

static int of_bytes(int64_t from, int64_t bytes) {
    forget();
    hp5_want_large_pages(memory + from, bytes);
    return wanted();
}

static void test_bytes(void) {
    if (madvise(memory, LARGE, MADV_HUGEPAGE) != 0 || wanted() != 1) return; /* a kernel without large pages, or one that says nothing */
    CU_ASSERT_EQUAL(of_bytes(0, LARGE), 1);
    CU_ASSERT_EQUAL(of_bytes(0, LARGE - 1), 0);
    CU_ASSERT_EQUAL(of_bytes(1, LARGE), 0);
    CU_ASSERT_EQUAL(of_bytes(1, 2 * LARGE), 2);
    CU_ASSERT_EQUAL(of_bytes(LARGE, 3 * LARGE + 4096), 2 + 4 + 8);
}

/* Rows of 1 MiB from row 3 on: half a large page each. */
static int of_box(int64_t row, int64_t rows, int64_t column, int64_t columns) {
    static const Hp5Element real = {HP5_FLOAT64, "Real", 8, 0, NULL};
    const int64_t lo[] = {3, 5}, extent[] = {2 * PAGES, LARGE / 16};
    Hp5Store store = {0};
    forget();
    hp5_store_shape(&store, 2, lo, extent, 1, &real, (Hp5Layout){0});
    store.version[0] = memory;
    hp5_box_wants_large_pages(&store, &(Hp5Box){{3 + row, 5 + column}, {3 + row + rows, 5 + column + columns}});
    return wanted();
}

static void test_boxes(void) {
    if (madvise(memory, LARGE, MADV_HUGEPAGE) != 0 || wanted() != 1) return;
    CU_ASSERT_EQUAL(of_box(0, 2, 0, LARGE / 16), 1);
    CU_ASSERT_EQUAL(of_box(1, 2, 0, LARGE / 16), 0);
    CU_ASSERT_EQUAL(of_box(1, 5, 0, LARGE / 16), 2 + 4);
    CU_ASSERT_EQUAL(of_box(0, 4, 0, LARGE / 16 - 1), 0); /* rows with gaps */
    CU_ASSERT_EQUAL(of_box(0, 4, 1, LARGE / 16 - 1), 0);
}

static void test_all(void) {
    char *place = mmap(NULL, (size_t)(PAGES + 2) * LARGE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    CU_ASSERT_PTR_NOT_EQUAL_FATAL(place, MAP_FAILED);
    munmap(place, (size_t)(PAGES + 2) * LARGE);
    memory = (char *)(((uintptr_t)place + LARGE) / LARGE * LARGE);
    memory = mmap(memory, (size_t)PAGES * LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);
    CU_ASSERT_PTR_NOT_EQUAL_FATAL(memory, MAP_FAILED);
    test_bytes();
    forget();
    test_boxes();
    munmap(memory, (size_t)PAGES * LARGE);
}

UNIT_MAIN("large pages", {"bytes and boxes", test_all})
