/* Reading .npy files: every type, order and version that is promised, and everything that
 * can be wrong with a file. */
#include <fcntl.h>
#include "runtime/io/npy.h"
#include "runtime/report/error.h"
#include "tests/unit/child.h"
#include "tests/unit/io/npy_files.h"
#include "tests/unit/unit.h"

static uint64_t state = 88172645463325252u;
static int64_t pick(int64_t low, int64_t high) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (int64_t)(state % (uint64_t)(high - low + 1));
}

/* ---- Conversions ------------------------------------------------------------------ */

static void read_three(const char *descr, const void *bytes, size_t length, const Hp5Element *element, void *out) {
    char header[200];
    snprintf(header, sizeof header, "{'descr': '%s', 'fortran_order': False, 'shape': (3,), }\n", descr);
    put_npy(scratch("c.npy"), 1, header, bytes, length);
    Hp5NpyReader *reader = hp5_npy_open(scratch("c.npy"), "c", element, 1);
    int64_t lo = 0, hi = 3, stride = 1;
    CU_ASSERT_EQUAL(hp5_npy_extents(reader)[0], 3);
    hp5_npy_read_box(reader, &lo, &hi, out, &stride);
    hp5_npy_close(reader);
}

static void check_integers(const char *descr, const void *bytes, size_t length, int64_t a, int64_t b, int64_t c) {
    int64_t out[3];
    read_three(descr, bytes, length, &hp5_int64, out);
    CU_ASSERT_TRUE(out[0] == a && out[1] == b && out[2] == c);
}

static void check_reals(const char *descr, const void *bytes, size_t length, double a, double b, double c) {
    double out[3];
    read_three(descr, bytes, length, &hp5_float64, out);
    CU_ASSERT_TRUE(out[0] == a && out[1] == b && out[2] == c);
}

static void test_conversions(void) {
    check_integers("|b1", "\0\1\7", 3, 0, 1, 1);
    check_integers("|i1", "\xff\x7f\x80", 3, -1, 127, -128);
    check_integers("|u1", "\xff\x7f\x80", 3, 255, 127, 128);
    check_integers("<i2", "\xff\xff\x01\x00\x00\x80", 6, -1, 1, -32768);
    check_integers(">i2", "\xff\xff\x00\x01\x80\x00", 6, -1, 1, -32768);
    check_integers("<u2", "\xff\xff\x01\x00\x00\x80", 6, 65535, 1, 32768);
    check_integers("<i4", "\xfe\xff\xff\xff\1\0\0\0\0\1\0\0", 12, -2, 1, 256);
    check_integers(">u4", "\xff\xff\xff\xfe\0\0\0\1\0\0\1\0", 12, 4294967294, 1, 256);
    check_integers(">i8", "\xff\xff\xff\xff\xff\xff\xff\xfe\0\0\0\0\0\0\0\1\0\0\0\0\0\0\1\0", 24, -2, 1, 256);
    check_integers("=i8", "\1\0\0\0\0\0\0\0\2\0\0\0\0\0\0\0\3\0\0\0\0\0\0\0", 24, 1, 2, 3);
    check_reals("<f2", "\x00\x3c\x01\x00\x00\xc2", 6, 1.0, 0x1p-24, -3.0);
    check_reals(">f2", "\x3c\x00\x7b\xff\x80\x00", 6, 1.0, 65504.0, -0.0);
    check_reals("<f4", "\0\0\x80\x3f\0\0\0\xbf\0\0\x20\x40", 12, 1.0, -0.5, 2.5);
    check_reals(">f4", "\x3f\x80\0\0\xbf\0\0\0\x40\x20\0\0", 12, 1.0, -0.5, 2.5);
    check_reals(">f8", "\x3f\xf0\0\0\0\0\0\0\xbf\xe0\0\0\0\0\0\0\x40\x04\0\0\0\0\0\0", 24, 1.0, -0.5, 2.5);
    check_reals("<i4", "\xfe\xff\xff\xff\1\0\0\0\0\1\0\0", 12, -2.0, 1.0, 256.0);
    float singles[3];
    read_three("<i2", "\xff\xff\x01\x00\x00\x80", 6, &hp5_float32, singles);
    CU_ASSERT_TRUE(singles[0] == -1.0f && singles[2] == -32768.0f);
    int32_t smalls[3];
    read_three(">u2", "\xff\xff\x00\x01\x80\x00", 6, &hp5_int32, smalls);
    CU_ASSERT_TRUE(smalls[0] == 65535 && smalls[1] == 1 && smalls[2] == 32768);
    unsigned char bytes[3];
    read_three("|b1", "\0\1\7", 3, &hp5_bool, bytes);
    CU_ASSERT_TRUE(bytes[0] == 0 && bytes[1] == 1 && bytes[2] == 1);
    read_three("|S1", "abc", 3, &hp5_char, bytes);
    CU_ASSERT_TRUE(memcmp(bytes, "abc", 3) == 0);
}

/* ---- Boxes ---------------------------------------------------------------------------- */

static void random_header(char *header, size_t size, bool fortran, int rank, const int64_t *extents, const char *descr) {
    int at = snprintf(header, size, "{'descr': '%s', 'fortran_order': %s, 'shape': (", descr, fortran ? "True" : "False");
    for (int d = 0; d < rank; d++)
        at += snprintf(header + at, size - (size_t)at, "%lld%s", (long long)extents[d], rank == 1 || d + 1 < rank ? "," : "");
    snprintf(header + at, size - (size_t)at, ")}\n");
}

/* Element at index (i, j, …) of the file is its number in C order. */
static void put_numbers(const char *path, int version, bool fortran, bool big, int rank, const int64_t *extents) {
    int64_t total = 1, index[4] = {0};
    for (int d = 0; d < rank; d++) total *= extents[d];
    int32_t *data = malloc((size_t)total * 4 + 1);
    for (int64_t n = 0; n < total; n++) {
        int64_t at = 0;
        for (int k = 0; k < rank; k++) {
            int d = fortran ? rank - 1 - k : k;
            at = at * extents[d] + index[d];
        }
        data[at] = big ? (int32_t)__builtin_bswap32((uint32_t)n) : (int32_t)n;
        for (int d = rank; d-- > 0 && ++index[d] == extents[d];) index[d] = 0;
    }
    char header[300];
    random_header(header, sizeof header, fortran, rank, extents, big ? ">i4" : "<i4");
    put_npy(path, version, header, data, (size_t)total * 4);
    free(data);
}

/* Reads a random box into a larger block of memory and looks at every element of the block. */
static void check_box(Hp5NpyReader *reader, bool wide, int rank, const int64_t *extents) {
    int64_t lo[4], hi[4], strides[4], room = 1, index[4] = {0}, wrong = 0, number = 0, count = 1;
    for (int d = rank; d-- > 0;) {
        lo[d] = pick(0, extents[d] - 1);
        hi[d] = pick(lo[d] + (pick(0, 9) > 0), extents[d]);
        if (pick(0, 2) == 0) lo[d] = 0, hi[d] = extents[d];
        strides[d] = room;
        room *= hi[d] - lo[d] + (pick(0, 1) ? pick(0, 3) : 0);
        count *= hi[d] - lo[d];
    }
    room = room < 1 ? 1 : room;
    int64_t *big = malloc((size_t)room * 8), *seen = calloc((size_t)room, 8);
    int32_t *small = (int32_t *)(void *)big;
    memset(big, 0xEE, (size_t)room * 8);
    hp5_npy_read_box(reader, lo, hi, big, strides);
    for (int64_t n = 0; n < count; n++) {
        int64_t at = 0;
        number = 0;
        for (int d = 0; d < rank; d++) {
            at += index[d] * strides[d];
            number = number * extents[d] + lo[d] + index[d];
        }
        wrong += (wide ? big[at] : small[at]) != number;
        seen[at] = 1;
        for (int d = rank; d-- > 0 && ++index[d] == hi[d] - lo[d];) index[d] = 0;
    }
    for (int64_t at = 0; at < room; at++)
        if (!seen[at]) wrong += wide ? big[at] != (int64_t)0xEEEEEEEEEEEEEEEE : small[at] != (int32_t)0xEEEEEEEE;
    CU_ASSERT_EQUAL(wrong, 0);
    free(big);
    free(seen);
}

static void test_boxes(void) {
    for (int round = 0; round < 400; round++) {
        int rank = (int)pick(1, 4);
        int64_t extents[4];
        for (int d = 0; d < rank; d++) extents[d] = pick(1, rank == 1 ? 3000 : 12);
        if (round % 40 == 0) rank = 2, extents[0] = 700, extents[1] = 1500; /* past the buffer */
        put_numbers(scratch("b.npy"), (int)pick(1, 3), pick(0, 1), pick(0, 1), rank, extents);
        bool wide = pick(0, 1);
        Hp5NpyReader *reader = hp5_npy_open(scratch("b.npy"), "b", wide ? &hp5_int64 : &hp5_int32, rank);
        for (int i = 0; i < 5; i++) check_box(reader, wide, rank, extents);
        hp5_npy_close(reader);
    }
}

static void test_empty_and_scalar(void) {
    put_npy(scratch("e.npy"), 1, "{'descr': '<f8', 'fortran_order': False, 'shape': (0, 9000000000000000000)}", "", 0);
    Hp5NpyReader *reader = hp5_npy_open(scratch("e.npy"), "e", &hp5_float64, 2);
    int64_t lo[2] = {0, 0}, hi[2] = {0, 5}, strides[2] = {5, 1};
    hp5_npy_read_box(reader, lo, hi, NULL, strides);
    hp5_npy_close(reader);
    put_npy(scratch("e.npy"), 2, "{'descr': '<f8', 'fortran_order': True, 'shape': ()}", "\0\0\0\0\0\0\x04\x40", 8);
    reader = hp5_npy_open(scratch("e.npy"), "e", &hp5_float64, 0);
    double value = 0;
    hp5_npy_read_box(reader, NULL, NULL, &value, NULL);
    CU_ASSERT_EQUAL(value, 2.5);
    hp5_npy_close(reader);
    CU_ASSERT_EQUAL(hp5_allocated_bytes(), 0);
}

/* ---- Structures ------------------------------------------------------------------------- */

typedef struct Point { double x; int32_t id; } Point;
typedef struct Body { bool alive; Point points[2]; int64_t count; } Body;
static const Hp5Field point_fields[] = {{"x", offsetof(Point, x), &hp5_float64, 0, {0}},
                                        {"id", offsetof(Point, id), &hp5_int32, 0, {0}}};
static const Hp5Element point = {HP5_STRUCT, "Point", sizeof(Point), 2, point_fields};
static const Hp5Field body_fields[] = {{"alive", offsetof(Body, alive), &hp5_bool, 0, {0}},
                                       {"points", offsetof(Body, points), &point, 1, {2}},
                                       {"count", offsetof(Body, count), &hp5_int64, 0, {0}}};
static const Hp5Element body = {HP5_STRUCT, "Body", sizeof(Body), 3, body_fields};

static void test_structures(void) {
    static const char header[] = "{'shape': (1,), 'fortran_order': False, 'descr': [('alive', '|b1'), ('', '|V2'), "
                                 "(('a title', 'points'), [('x', '>f4'), (\"id\", '<i2')], (2,)), ('count', '<u4')], }";
    static const unsigned char data[] = {1, 9, 9, 0x40, 0x20, 0, 0, 0xff, 0xff, 0xbf, 0, 0, 0, 7, 0, 5, 0, 0, 0};
    put_npy(scratch("s.npy"), 3, header, data, sizeof data);
    Hp5NpyReader *reader = hp5_npy_open(scratch("s.npy"), "s", &body, 1);
    Body out;
    int64_t lo = 0, hi = 1, stride = 1;
    hp5_npy_read_box(reader, &lo, &hi, &out, &stride);
    CU_ASSERT_TRUE(out.alive && out.points[0].x == 2.5 && out.points[0].id == -1);
    CU_ASSERT_TRUE(out.points[1].x == -0.5 && out.points[1].id == 7 && out.count == 5);
    hp5_npy_close(reader);
}

/* ---- What can be wrong -------------------------------------------------------------------- */

typedef struct Attempt { const char *path; const Hp5Element *element; int rank; } Attempt;

static void attempt_open(void *argument) {
    Attempt *attempt = argument;
    Hp5NpyReader *reader = hp5_npy_open(attempt->path, "plate", attempt->element, attempt->rank);
    hp5_npy_close(reader);
}

/* The reason in the message, and status 2. */
static void check_refused(const char *path, const Hp5Element *element, int rank, const char *reason) {
    Attempt attempt = {path, element, rank};
    char expected[1500];
    Child child = child_run(attempt_open, &attempt);
    snprintf(expected, sizeof expected, "program: cannot read plate from '%s': %s\n", path, reason);
    CU_ASSERT_EQUAL(child.status, 2);
    CU_ASSERT_STRING_EQUAL(child.err, expected);
    if (strcmp(child.err, expected) != 0) printf("\n  got      %s  expected %s", child.err, expected);
}

static void check_header(const char *header, const char *reason) {
    put_npy(scratch("h.npy"), 1, header, "01234567", 8);
    check_refused(scratch("h.npy"), &hp5_float64, 1, reason);
}

static void test_headers(void) {
    check_header("", "its header is damaged: expected '{' at byte 0 of its text");
    check_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)", "its header is damaged: expected ',' or '}' at byte 54 of its text");
    check_header("{'descr': '<f8', 'fortran_order': False}", "its header is damaged: expected all of 'descr', 'fortran_order' and 'shape' before this point at byte 40 of its text");
    check_header("{'descr': '<f8', 'descr': '<f8'}", "its header is damaged: expected 'descr', 'fortran_order' and 'shape', once each, before this point at byte 24 of its text");
    check_header("{'descr': '<f8', 'fortran_order': false, 'shape': (1,)}", "its header is damaged: expected True or False at byte 34 of its text");
    check_header("{'descr': '<f8', 'fortran_order': False, 'shape': (-1,)}", "its header has a negative extent");
    check_header("{'descr': '<f8', 'fortran_order': False, 'shape': (99999999999999999999,)}", "its header has an extent of more than 63 bits");
    check_header("{'descr': '<f8', 'fortran_order': False, 'shape': (9000000000000000000,)}", "its header promises more bytes than can be addressed");
    check_header("{'descr': '<f8', 'fortran_order': False, 'shape': 1}", "its header is damaged: expected '(' of a shape at byte 50 of its text");
    check_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1 1)}", "its header is damaged: expected ',' or ')' in a shape at byte 53 of its text");
    check_header("{'descr': '<q8', 'fortran_order': False, 'shape': (1,)}", "its header is damaged: expected an element type like '<f8' at byte 15 of its text");
    check_header("{'descr': '<f8, 'fortran_order': False, 'shape': (1,)}", "its header is damaged: expected an element type like '<f8' at byte 17 of its text");
    check_header("{'descr': '<f99999999999', 'fortran_order': False, 'shape': (1,)}", "its header is damaged: expected an element type of fewer bytes at byte 25 of its text");
    check_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,)} x", "its header is damaged: expected the end of the header at byte 56 of its text");
    check_header("{'descr': [('a', '<f8', (100000, 100000))], 'fortran_order': False, 'shape': (1,)}", "its header is damaged: expected a structure of fewer bytes at byte 41 of its text");
}

static void test_types_and_shapes(void) {
    check_header("{'descr': '<i8', 'fortran_order': False, 'shape': (1,)}", "its elements are int64; plate needs Real double-precision (float64): convert the file, for example with numpy's astype('float64')");
    check_header("{'descr': '<c16', 'fortran_order': False, 'shape': (1,)}", "its elements are complex128; plate needs Real double-precision (float64): convert the file, for example with numpy's astype('float64')");
    check_header("{'descr': '|O', 'fortran_order': False, 'shape': (1,)}", "its elements are Python objects; plate needs Real double-precision (float64): convert the file, for example with numpy's astype('float64')");
    check_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1, 1, 1)}", "its array has 3 dimensions; plate has 1");
    check_header("{'descr': '<f8', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1)}", "its array has 11 dimensions; plate has 1");
    check_header("{'descr': '<f8', 'fortran_order': False, 'shape': (2,)}", "it is truncated: its header promises 16 bytes of elements, it holds 8");
    put_npy(scratch("t.npy"), 1, "{'descr': [('x', '<f8'), ('id', '<i8')], 'fortran_order': False, 'shape': (0,)}", "", 0);
    check_refused(scratch("t.npy"), &point, 1, "its elements are structure (x: float64, id: int64); plate needs Point: structure (x: float64, id: int32), with these names in this order");
}

static void test_places(void) {
    check_refused(scratch("missing.npy"), &hp5_float64, 1, "No such file or directory");
    check_refused("/tmp", &hp5_float64, 1, "it is a directory");
    check_refused("/dev/null", &hp5_float64, 1, "it is not a regular file (save a pipe's data to a file first)");
    check_refused("", &hp5_float64, 1, "No such file or directory");
    const char *fifo = scratch("fifo");
    CU_ASSERT_EQUAL(mkfifo(fifo, 0600), 0);
    check_refused(fifo, &hp5_float64, 1, "it is not a regular file (save a pipe's data to a file first)");
    put_file(scratch("secret.npy"), "", 0);
    chmod(scratch("secret.npy"), 0);
    if (geteuid() != 0) check_refused(scratch("secret.npy"), &hp5_float64, 1, "Permission denied");
}

static void test_not_npy(void) {
    put_file(scratch("n.npy"), "", 0);
    check_refused(scratch("n.npy"), &hp5_float64, 1, "it is not a .npy file (make one with numpy.save)");
    put_file(scratch("n.npy"), "1.0 2.0 3.0\n", 12);
    check_refused(scratch("n.npy"), &hp5_float64, 1, "it is not a .npy file (make one with numpy.save)");
    put_file(scratch("n.npy"), "\x93NUMPY\x04\0\0\0\0\0", 12);
    check_refused(scratch("n.npy"), &hp5_float64, 1, "it has version 4.0 of the .npy format; versions 1.0, 2.0 and 3.0 are read");
    put_file(scratch("n.npy"), "\x93NUMPY\x02\0\xff\xff\xff\xff", 12);
    check_refused(scratch("n.npy"), &hp5_float64, 1, "its header has 4294967295 bytes; at most 65536 are read");
    put_file(scratch("n.npy"), "\x93NUMPY\x02\0\xff\x00\x00\x00", 12);
    check_refused(scratch("n.npy"), &hp5_float64, 1, "it is truncated: it ends inside its header");
    char deep[2000] = "{'descr': ";
    for (int i = 0; i < 100; i++) strcat(deep, "[('a', ");
    check_header(deep, "its header is damaged: expected fewer structures in structures at byte 128 of its text");
}

/* Cut at every byte: one message and status 2, whatever is missing. */
static void test_truncation(void) {
    double data[4] = {1, 2, 3, 4};
    for (int version = 1; version <= 3; version++) {
        size_t size = put_npy(scratch("whole.npy"), version, "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }\n", data, sizeof data);
        char bytes[400];
        CU_ASSERT_EQUAL(get_file(scratch("whole.npy"), bytes, sizeof bytes), size);
        for (size_t cut = 0; cut < size; cut++) {
            put_file(scratch("cut.npy"), bytes, cut);
            Attempt attempt = {scratch("cut.npy"), &hp5_float64, 1};
            Child child = child_run(attempt_open, &attempt);
            CU_ASSERT_EQUAL(child.status, 2);
            CU_ASSERT_PTR_NOT_NULL(strstr(child.err, "cut.npy': it is "));
        }
    }
}

/* Any one byte of the header changed: read or refused, never anything else. */
static void test_damaged_bytes(void) {
    double data[4] = {1, 2, 3, 4};
    size_t size = put_npy(scratch("whole.npy"), 1, "{'descr': [('x', '<f8', (1,))], 'fortran_order': False, 'shape': (4,), }\n", data, sizeof data);
    char bytes[400];
    get_file(scratch("whole.npy"), bytes, sizeof bytes);
    for (int round = 0; round < 400; round++) {
        size_t at = (size_t)pick(0, (int64_t)size - 33);
        char before = bytes[at];
        bytes[at] = (char)pick(0, 255);
        put_file(scratch("bad.npy"), bytes, size);
        Attempt attempt = {scratch("bad.npy"), &point, 1};
        Child child = child_run(attempt_open, &attempt);
        CU_ASSERT_EQUAL(child.status, 2);
        bytes[at] = before;
    }
}

static void test_hostile_names(void) {
    check_refused("no/%s%n", &hp5_float64, 1, "No such file or directory");
    Attempt attempt = {"a\n\x1b[31m'b\\c\x7f", &hp5_float64, 1};
    Child child = child_run(attempt_open, &attempt);
    CU_ASSERT_STRING_EQUAL(child.err, "program: cannot read plate from 'a\\n\\x1b[31m\\'b\\\\c\\x7f': No such file or directory\n");
    char longest[6000];
    memset(longest, 'x', sizeof longest - 1);
    longest[sizeof longest - 1] = '\0';
    attempt.path = longest;
    child = child_run(attempt_open, &attempt);
    CU_ASSERT_TRUE(strlen(child.err) < 420 && strstr(child.err, "xxx ... xxx") && strstr(child.err, "File name too long"));
}

UNIT_MAIN("npy read", {"conversions", test_conversions}, {"boxes", test_boxes}, {"empty and scalar", test_empty_and_scalar},
          {"structures", test_structures}, {"headers", test_headers}, {"types and shapes", test_types_and_shapes},
          {"places", test_places}, {"not npy", test_not_npy}, {"truncation", test_truncation},
          {"damaged bytes", test_damaged_bytes}, {"hostile names", test_hostile_names})
