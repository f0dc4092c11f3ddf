/* Writing .npy files: the bytes that come out, and that no torn file is ever seen under the
 * name that was asked for, whatever goes wrong. */
#define _GNU_SOURCE /* memmem */
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include "runtime/io/npy.h"
#include "runtime/report/error.h"
#include "tests/unit/child.h"
#include "tests/unit/io/npy_files.h"
#include "tests/unit/unit.h"

static uint64_t state = 88172645463325253u;
static int64_t pick(int64_t low, int64_t high) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (int64_t)(state % (uint64_t)(high - low + 1));
}

/* ---- Bytes -------------------------------------------------------------------------- */

static const double six[6] = {1, 2, 3, 4, 5, 6};
static const int64_t two_by_three[2] = {2, 3}, nought[2] = {0, 0}, rows[2] = {3, 1};

static void write_six(const char *path) {
    Hp5NpyWriter *writer = hp5_npy_create(path, "c", &hp5_float64, 2, two_by_three);
    hp5_npy_write_box(writer, nought, two_by_three, six, rows);
    hp5_npy_finish(writer);
}

static void test_bytes(void) {
    char bytes[400], expected[128];
    write_six(scratch("w.npy"));
    memset(expected, ' ', sizeof expected);
    memcpy(expected, "\x93NUMPY\x01\0\x76\0", 10);
    memcpy(expected + 10, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }", 59);
    expected[127] = '\n';
    CU_ASSERT_EQUAL(get_file(scratch("w.npy"), bytes, sizeof bytes), 128 + sizeof six);
    CU_ASSERT_EQUAL(memcmp(bytes, expected, 128), 0);
    CU_ASSERT_EQUAL(memcmp(bytes + 128, six, sizeof six), 0);
    CU_ASSERT_EQUAL(hp5_allocated_bytes(), 0);
}

static void test_empty_and_scalar(void) {
    int64_t extents[2] = {0, 7};
    char bytes[400];
    Hp5NpyWriter *writer = hp5_npy_create(scratch("e.npy"), "e", &hp5_int32, 2, extents);
    hp5_npy_write_box(writer, nought, extents, NULL, rows);
    hp5_npy_finish(writer);
    CU_ASSERT_EQUAL(get_file(scratch("e.npy"), bytes, sizeof bytes), 128);
    writer = hp5_npy_create(scratch("e.npy"), "e", &hp5_float64, 0, NULL);
    hp5_npy_write_box(writer, NULL, NULL, six, NULL);
    hp5_npy_finish(writer);
    CU_ASSERT_EQUAL(get_file(scratch("e.npy"), bytes, sizeof bytes), 136);
    CU_ASSERT_PTR_NOT_NULL(memmem(bytes, 128, "'shape': (), }", 14));
}

/* ---- Boxes: what is written reads back ------------------------------------------------- */

typedef struct Cell { char tag; double value; int32_t pair[2]; } Cell; /* has gaps: the file has not */
static const Hp5Field cell_fields[] = {{"tag", offsetof(Cell, tag), &hp5_char, 0, {0}},
                                       {"value", offsetof(Cell, value), &hp5_float64, 0, {0}},
                                       {"pair", offsetof(Cell, pair), &hp5_int32, 1, {2}}};
static const Hp5Element cell = {HP5_STRUCT, "Cell", sizeof(Cell), 3, cell_fields};

/* Writes an array in slabs cut at random along every dimension, from a memory with gaps between rows. */
static void write_slabs(Hp5NpyWriter *writer, const Hp5Element *element, const char *data, const int64_t *extents,
                        const int64_t *strides, int64_t *lo, int64_t *hi, int d, int rank) {
    if (d == rank) {
        int64_t at = 0;
        for (int k = 0; k < rank; k++) at += lo[k] * strides[k];
        hp5_npy_write_box(writer, lo, hi, data + at * (int64_t)element->size, strides);
        return;
    }
    for (int64_t i = 0; i < extents[d]; i = hi[d]) {
        lo[d] = i;
        hi[d] = pick(0, 1) ? extents[d] : pick(i + 1, extents[d]);
        write_slabs(writer, element, data, extents, strides, lo, hi, d + 1, rank);
    }
}

static void round_trip(const Hp5Element *element, int rank, const int64_t *extents) {
    int64_t strides[4], tight[4], room = 1, total = 1, lo[4], hi[4], zero[4] = {0};
    for (int d = rank; d-- > 0;) {
        strides[d] = room;
        tight[d] = total;
        room *= extents[d] + (d == rank - 1 ? pick(0, 1) * 3 : 0);
        total *= extents[d];
    }
    size_t size = element->size;
    char *data = calloc((size_t)room, size), *back = calloc((size_t)total, size);
    for (int64_t i = 0; i < room; i++) {
        if (element == &cell) ((Cell *)(void *)data)[i] = (Cell){(char)pick(1, 99), (double)pick(0, 999), {(int32_t)i, 7}};
        else ((double *)(void *)data)[i] = (double)i;
    }
    Hp5NpyWriter *writer = hp5_npy_create(scratch("r.npy"), "r", element, rank, extents);
    write_slabs(writer, element, data, extents, strides, lo, hi, 0, rank);
    hp5_npy_finish(writer);
    Hp5NpyReader *reader = hp5_npy_open(scratch("r.npy"), "r", element, rank);
    hp5_npy_read_box(reader, zero, extents, back, tight);
    hp5_npy_close(reader);
    int64_t wrong = 0, index[4] = {0};
    for (int64_t n = 0; n < total; n++) {
        int64_t at = 0;
        for (int d = 0; d < rank; d++) at += index[d] * strides[d];
        const char *a = data + (size_t)at * size, *b = back + (size_t)n * size;
        if (element != &cell) wrong += memcmp(a, b, size) != 0;
        else {
            Cell x, y;
            memcpy(&x, a, size);
            memcpy(&y, b, size);
            wrong += x.tag != y.tag || x.value != y.value || x.pair[0] != y.pair[0] || x.pair[1] != y.pair[1];
        }
        for (int d = rank; d-- > 0 && ++index[d] == extents[d];) index[d] = 0;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    free(data);
    free(back);
}

static void test_boxes(void) {
    for (int round = 0; round < 200; round++) {
        int rank = (int)pick(1, 4);
        int64_t extents[4];
        for (int d = 0; d < rank; d++) extents[d] = pick(1, rank == 1 ? 5000 : 12);
        if (round % 20 == 0) rank = 2, extents[0] = 400, extents[1] = 900; /* past the buffer */
        if (round % 50 == 1) rank = 1, extents[0] = 300000;
        round_trip(round % 2 ? &cell : &hp5_float64, rank, extents);
    }
}

static void test_packed_structures(void) {
    int64_t extents[1] = {2}, lo[1] = {0}, strides[1] = {1};
    Cell cells[2] = {{'a', 1.5, {1, 2}}, {'b', 2.5, {3, 4}}};
    char bytes[400];
    Hp5NpyWriter *writer = hp5_npy_create(scratch("p.npy"), "p", &cell, 1, extents);
    hp5_npy_write_box(writer, lo, extents, cells, strides);
    hp5_npy_finish(writer);
    size_t size = get_file(scratch("p.npy"), bytes, sizeof bytes);
    CU_ASSERT_EQUAL(size, 128 + 2 * 17);
    const char *descr = "[('tag', '|S1'), ('value', '<f8'), ('pair', '<i4', (2,))]";
    CU_ASSERT_PTR_NOT_NULL(memmem(bytes, size, descr, strlen(descr)));
}

typedef struct Slab { Hp5NpyWriter *writer; const int64_t *data; int64_t row; } Slab;
static void *write_row(void *argument) {
    Slab *slab = argument;
    int64_t lo[2] = {slab->row, 0}, hi[2] = {slab->row + 1, 5000}, strides[2] = {5000, 1};
    hp5_npy_write_box(slab->writer, lo, hi, slab->data, strides);
    return NULL;
}

static void test_threads(void) {
    enum { ROWS = 8 };
    int64_t extents[2] = {ROWS, 5000}, *data = malloc(sizeof *data * ROWS * 5000), *back = calloc(ROWS * 5000, 8);
    for (int i = 0; i < ROWS * 5000; i++) data[i] = i;
    Hp5NpyWriter *writer = hp5_npy_create(scratch("t.npy"), "t", &hp5_int64, 2, extents);
    pthread_t threads[ROWS];
    Slab slabs[ROWS];
    for (int i = 0; i < ROWS; i++) {
        slabs[i] = (Slab){writer, data + i * 5000, i};
        pthread_create(&threads[i], NULL, write_row, &slabs[i]);
    }
    for (int i = 0; i < ROWS; i++) pthread_join(threads[i], NULL);
    hp5_npy_finish(writer);
    Hp5NpyReader *reader = hp5_npy_open(scratch("t.npy"), "t", &hp5_int64, 2);
    int64_t strides[2] = {5000, 1};
    hp5_npy_read_box(reader, nought, extents, back, strides);
    hp5_npy_close(reader);
    CU_ASSERT_EQUAL(memcmp(data, back, sizeof *data * ROWS * 5000), 0);
    free(data);
    free(back);
}

/* ---- The name that was asked for ---------------------------------------------------------- */

static void test_replacing(void) {
    char bytes[400];
    put_file(scratch("old.npy"), "old", 3);
    chmod(scratch("old.npy"), 0640);
    CU_ASSERT_EQUAL(symlink("old.npy", scratch("link.npy")), 0);
    Hp5NpyWriter *writer = hp5_npy_create(scratch("link.npy"), "c", &hp5_float64, 2, two_by_three);
    hp5_npy_write_box(writer, nought, two_by_three, six, rows);
    CU_ASSERT_EQUAL(get_file(scratch("old.npy"), bytes, sizeof bytes), 3); /* the old one until the end */
    hp5_npy_finish(writer);
    struct stat status;
    CU_ASSERT_EQUAL(lstat(scratch("link.npy"), &status), 0);
    CU_ASSERT_TRUE(S_ISLNK(status.st_mode));
    CU_ASSERT_EQUAL(stat(scratch("old.npy"), &status), 0);
    CU_ASSERT_EQUAL(status.st_size, 176);
    CU_ASSERT_EQUAL(status.st_mode & 0777, 0640);
}

static void create_and_fail(void *path) {
    hp5_npy_create(path, "c", &hp5_float64, 2, two_by_three);
    hp5_fail(HP5_EXIT_FAILURE, "something else went wrong");
}
static void create_and_die(void *path) {
    hp5_npy_create(path, "c", &hp5_float64, 2, two_by_three);
    raise(SIGTERM);
}

static void test_nothing_is_left(void) {
    put_file(scratch("keep.npy"), "keep", 4);
    int before = scratch_count();
    char bytes[8];
    CU_ASSERT_EQUAL(child_run(create_and_fail, (void *)scratch("keep.npy")).status, 1);
    CU_ASSERT_EQUAL(child_run(create_and_fail, (void *)scratch("new.npy")).status, 1);
    CU_ASSERT_EQUAL(child_run(create_and_die, (void *)scratch("keep.npy")).status, 128 + SIGTERM);
    CU_ASSERT_EQUAL(scratch_count(), before);
    CU_ASSERT_EQUAL(get_file(scratch("keep.npy"), bytes, 8), 4);
}

/* ---- Places that take nothing --------------------------------------------------------------- */

static void write_path(void *path) { write_six(path); }

static void check_refused(const char *path, int status, const char *reason) {
    char expected[600];
    int before = scratch_count();
    Child child = child_run(write_path, (void *)path);
    snprintf(expected, sizeof expected, "program: cannot write c to '%s': %s\n", path, reason);
    CU_ASSERT_EQUAL(child.status, status);
    CU_ASSERT_STRING_EQUAL(child.err, expected);
    CU_ASSERT_EQUAL(scratch_count(), before);
}

static void write_large(void *path) {
    struct rlimit limit = {100000, 100000};
    setrlimit(RLIMIT_FSIZE, &limit);
    int64_t extents[1] = {100000}, lo[1] = {0}, strides[1] = {1};
    static double data[100000];
    Hp5NpyWriter *writer = hp5_npy_create(path, "c", &hp5_float64, 1, extents);
    hp5_npy_write_box(writer, lo, extents, data, strides);
    hp5_npy_finish(writer);
}

static void test_refused(void) {
    check_refused("/dev/full", 1, "No space left on device");
    check_refused(scratch("no/such/folder.npy"), 2, "No such file or directory");
    check_refused("/tmp", 2, "it is a directory");
    check_refused("", 2, "the file name is empty");
    check_refused(scratch("new/"), 2, "it names a directory");
    check_refused("/proc/none.npy", 2, "No such file or directory");
    put_file(scratch("file"), "", 0);
    check_refused(scratch("file/c.npy"), 2, "Not a directory");
    CU_ASSERT_EQUAL(mkdir(scratch("locked"), 0500), 0);
    if (geteuid() != 0) check_refused(scratch("locked/c.npy"), 2, "Permission denied");
    int before = scratch_count();
    Child child = child_run(write_large, (void *)scratch("large.npy"));
    CU_ASSERT_EQUAL(child.status, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(child.err, "large.npy': File too large\n"));
    CU_ASSERT_EQUAL(scratch_count(), before);
}

static void test_streams(void) {
    Child child = child_run(write_path, "/dev/stdout"); /* here a file: still written in place */
    CU_ASSERT_EQUAL(child.status, 0);
    CU_ASSERT_EQUAL(memcmp(child.out, "\x93NUMPY", 6), 0);
    CU_ASSERT_EQUAL(memcmp(child.out + 128, six, sizeof six), 0);
    CU_ASSERT_EQUAL(child_run(write_path, "/dev/null").status, 0);
    int ends[2];
    char bytes[400], name[40];
    CU_ASSERT_EQUAL(pipe(ends), 0);
    snprintf(name, sizeof name, "/dev/fd/%d", ends[1]);
    write_six(name);
    CU_ASSERT_EQUAL(read(ends[0], bytes, sizeof bytes), 176);
    close(ends[0]);
    snprintf(name, sizeof name, "/proc/self/fd/%d", ends[1]);
    child = child_run(write_path, name);
    CU_ASSERT_EQUAL(child.status, 1);
    CU_ASSERT_PTR_NOT_NULL(strstr(child.err, "Broken pipe"));
    close(ends[1]);
}

UNIT_MAIN("npy write", {"bytes", test_bytes}, {"empty and scalar", test_empty_and_scalar}, {"boxes", test_boxes},
          {"packed structures", test_packed_structures}, {"threads", test_threads}, {"replacing", test_replacing},
          {"nothing is left", test_nothing_is_left}, {"refused", test_refused}, {"streams", test_streams})
