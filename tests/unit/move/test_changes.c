/* Changes of boxes: elements of all sizes, that lie side by side or apart, against what a look at each element says. */
#include "runtime/move/changes.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, COLUMNS = 7, MOST = ROWS * COLUMNS };

typedef struct Case {
    size_t size;
    int versions;
    bool by_columns;
} Case;

/* Two processes' stores of rows -1 … 3 and columns 2 … 8, and what both had before of rows 0 … 3, columns 3 … 7. */
typedef struct Pair {
    Hp5Element element;
    Hp5Store mine, others;
    Hp5Watch watch;
    unsigned char memory[3][2 * MOST * 8];
} Pair;

static void shape(Hp5Store *store, Case made, const Hp5Element *element, const int64_t *lo, const int64_t *extent, unsigned char *memory) {
    hp5_store_shape(store, 2, lo, extent, made.versions, element, (Hp5Layout){0});
    store->array_lo = lo;
    store->array_extent = extent;
    if (made.by_columns) store->stride[0] = 1, store->stride[1] = extent[0];
    for (int k = 0; k < made.versions; k++) store->version[k] = (char *)memory + (size_t)(k * MOST) * made.size;
}

static unsigned char *element_of(const Hp5Store *store, int version, int64_t i, int64_t j) {
    const int64_t index[] = {i, j};
    return (unsigned char *)store->version[version] + hp5_store_offset(store, index) * (int64_t)store->element_size;
}

static void begin(Pair *pair, Case made) {
    static const int64_t lo[] = {-1, 2}, extent[] = {ROWS, COLUMNS}, box_lo[] = {0, 3}, box_extent[] = {4, 5};
    pair->element = (Hp5Element){.size = made.size};
    shape(&pair->mine, made, &pair->element, lo, extent, pair->memory[0]);
    shape(&pair->others, made, &pair->element, lo, extent, pair->memory[1]);
    shape(&pair->watch.before, (Case){made.size, made.versions, false}, &pair->element, box_lo, box_extent, pair->memory[2]);
    pair->watch.box = (Hp5Box){{0, 3}, {4, 8}};
    for (size_t b = 0; b < sizeof pair->memory[0]; b++) pair->memory[0][b] = pair->memory[1][b] = (unsigned char)(3 * b + 1);
    for (int k = 0; k < made.versions; k++)
        for (int64_t i = 0; i < 4; i++)
            for (int64_t j = 3; j < 8; j++) memcpy(element_of(&pair->watch.before, k, i, j), element_of(&pair->mine, k, i, j), made.size);
}

/* One byte of an element is another one: the last, in which single bits of numbers show. */
static void change(const Hp5Store *store, int64_t i, int64_t j, unsigned char by) { element_of(store, 0, i, j)[store->element_size - 1] ^= by; }

static int64_t place_of(int64_t i, int64_t j) { return (i + 1) * COLUMNS + j - 2; }

static void test_case(Case made) {
    Pair pair;
    int64_t places[MOST + 1];
    char values[2 * MOST * 8];
    begin(&pair, made);
    CU_ASSERT_EQUAL(hp5_changes_count(&pair.watch, &pair.mine), 0);
    change(&pair.mine, -1, 4, 1); /* not in the box */
    change(&pair.mine, 0, 2, 1);
    change(&pair.mine, 0, 3, 1);
    change(&pair.mine, 1, 5, 128);
    change(&pair.mine, 1, 6, 2);
    change(&pair.mine, 3, 7, 4);
    CU_ASSERT_EQUAL(hp5_changes_count(&pair.watch, &pair.mine), 4);
    places[4] = -7;
    hp5_changes_list(&pair.watch, &pair.mine, places, values);
    const int64_t expected[] = {place_of(0, 3), place_of(1, 5), place_of(1, 6), place_of(3, 7), -7};
    CU_ASSERT(memcmp(places, expected, sizeof expected) == 0);
    change(&pair.others, 1, 6, 8); /* its own change stays */
    change(&pair.others, 2, 3, 8);
    hp5_changes_take(&pair.watch, &pair.others, &pair.element, 4, places, values);
    for (int64_t i = -1; i < ROWS - 1; i++)
        for (int64_t j = 2; j < 2 + COLUMNS; j++) {
            const bool taken = (i == 0 && j == 3) || (i == 1 && j == 5) || (i == 3 && j == 7);
            unsigned char before[8];
            memcpy(before, element_of(&pair.others, 0, i, j), made.size);
            const bool own = (i == 1 && j == 6) || (i == 2 && j == 3);
            Pair fresh;
            begin(&fresh, made);
            if (own) change(&fresh.others, i, j, 8);
            CU_ASSERT(memcmp(before, element_of(taken ? &pair.mine : &fresh.others, 0, i, j), made.size) == 0);
        }
}

static void test_sizes(void) {
    static const size_t sizes[] = {1, 2, 3, 4, 8};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int versions = 1; versions <= 2; versions++)
            for (int by_columns = 0; by_columns < 2; by_columns++) test_case((Case){sizes[s], versions, by_columns != 0});
}

/* The places of others' changes come in any rows, and in columns that the box does not have. */
static void test_places(void) {
    Pair pair;
    begin(&pair, (Case){8, 1, false});
    memcpy(element_of(&pair.mine, 0, 2, 8), element_of(&pair.mine, 0, 3, 3), 8); /* as what lies behind the box's row has it */
    memcpy(element_of(&pair.others, 0, 2, 8), element_of(&pair.mine, 0, 2, 8), 8);
    const int64_t places[] = {place_of(-1, 4), place_of(0, 2), place_of(0, 8), place_of(2, 4), place_of(2, 8), place_of(3, 3), place_of(2, 3)};
    int64_t values[] = {100, 101, 102, 103, 104, 105, 106};
    hp5_changes_take(&pair.watch, &pair.others, &pair.element, 7, places, (char *)values);
    int changed = 0;
    for (int64_t i = -1; i < ROWS - 1; i++)
        for (int64_t j = 2; j < 2 + COLUMNS; j++) changed += memcmp(element_of(&pair.others, 0, i, j), element_of(&pair.mine, 0, i, j), 8) != 0;
    CU_ASSERT_EQUAL(changed, 3);
    CU_ASSERT(memcmp(element_of(&pair.others, 0, 2, 4), &values[3], 8) == 0);
    CU_ASSERT(memcmp(element_of(&pair.others, 0, 3, 3), &values[5], 8) == 0);
    CU_ASSERT(memcmp(element_of(&pair.others, 0, 2, 3), &values[6], 8) == 0);
}

UNIT_MAIN("changes", {"sizes", test_sizes}, {"places", test_places})
