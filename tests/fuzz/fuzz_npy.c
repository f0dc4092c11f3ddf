/* .npy files: the first byte chooses the element type, the second the rank, the rest is the file. A part of what it
 * holds is written again and read back. */
#include "runtime/io/npy.h"
#include "tests/fuzz/fuzz.h"
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct Inner { int32_t n; bool flag; } Inner;
typedef struct Point { double x; float weights[3]; Inner inner; } Point;

static const Hp5Field inner_fields[] = {{"n", offsetof(Inner, n), &hp5_int32, 0, {0}}, {"flag", offsetof(Inner, flag), &hp5_bool, 0, {0}}};
static const Hp5Element inner = {HP5_STRUCT, "Inner", sizeof(Inner), 2, inner_fields};
static const Hp5Field point_fields[] = {{"x", offsetof(Point, x), &hp5_float64, 0, {0}},
                                        {"weights", offsetof(Point, weights), &hp5_float32, 1, {3}},
                                        {"inner", offsetof(Point, inner), &inner, 0, {0}}};
static const Hp5Element point = {HP5_STRUCT, "Point", sizeof(Point), 3, point_fields};

enum { MOST_RANK = 4, MOST_ELEMENTS = 81 };

/* A part of an array in memory: extents[d] indices, strides[d] elements apart. */
typedef struct Part {
    int rank;
    int64_t extents[MOST_RANK], strides[MOST_RANK];
    char data[MOST_ELEMENTS * sizeof(Point)];
} Part;

/* Up to three indices in each dimension, from the end of the array. */
static void read_part(const Hp5NpyReader *reader, Part *part) {
    const int64_t *extents = hp5_npy_extents(reader);
    int64_t lo[MOST_RANK], count = 1;
    for (int d = part->rank; d-- > 0;) {
        lo[d] = extents[d] > 3 ? extents[d] - 3 : 0;
        part->extents[d] = extents[d] - lo[d];
        part->strides[d] = count;
        count *= 3;
    }
    hp5_npy_read_box(reader, lo, extents, part->data, part->strides);
}

static void path_of(int file, char path[64]) { snprintf(path, 64, "/proc/self/fd/%d", file); }

static void forget_nan(char *number, size_t size) {
    float narrow;
    double wide;
    if (size == sizeof wide) memcpy(&wide, number, size);
    else memcpy(&narrow, number, size);
    if (size == sizeof wide ? isnan(wide) : isnan(narrow)) memset(number, 0, size);
}

/* Files have one bit pattern for all NaNs; here 0 stands for each. */
static void forget_nans(const Hp5Element *element, Part *part) {
    for (int i = 0; i < MOST_ELEMENTS; i++) {
        char *at = part->data + (size_t)i * element->size;
        if (element == &hp5_float64) forget_nan(at, sizeof(double));
        if (element == &hp5_float32) forget_nan(at, sizeof(float));
        if (element != &point) continue;
        forget_nan(at + offsetof(Point, x), sizeof(double));
        for (size_t w = 0; w < 3; w++) forget_nan(at + offsetof(Point, weights) + w * sizeof(float), sizeof(float));
    }
}

/* What was read is written, and must read back as it was. */
static void write_and_read(const Part *part, const Hp5Element *element) {
    static Part again, expected;
    static const int64_t zero[MOST_RANK];
    int file = memfd_create("again", 0);
    fuzz_require(file >= 0, "cannot make the second file");
    char path[64];
    path_of(file, path);
    Hp5NpyWriter *writer = hp5_npy_create(path, "b", element, part->rank, part->extents);
    hp5_npy_write_box(writer, zero, part->extents, part->data, part->strides);
    hp5_npy_finish(writer);
    memset(&again, 0, sizeof again);
    again.rank = part->rank;
    Hp5NpyReader *reader = hp5_npy_open(path, "b", element, part->rank);
    fuzz_require(memcmp(hp5_npy_extents(reader), part->extents, sizeof *part->extents * (size_t)part->rank) == 0,
                 "other extents are read than were written");
    read_part(reader, &again);
    expected = *part;
    forget_nans(element, &expected);
    forget_nans(element, &again);
    fuzz_require(memcmp(again.data, expected.data, sizeof again.data) == 0, "other elements are read than were written");
    hp5_npy_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const Hp5Element *const elements[] = {&hp5_int64, &hp5_int32, &hp5_float32, &hp5_float64, &hp5_bool, &hp5_char, &point};
    if (size < 2 || size > FUZZ_LARGEST) return 0;
    const Hp5Element *element = elements[data[0] % 7];
    int rank = data[1] % MOST_RANK + 1, file = memfd_create("fuzz", 0);
    fuzz_require(file >= 0 && write(file, data + 2, size - 2) == (ssize_t)size - 2, "cannot make the file");
    char path[64];
    path_of(file, path);
    static Part part;
    memset(&part, 0, sizeof part);
    part.rank = rank;
    if (FUZZ_SURVIVES()) {
        Hp5NpyReader *reader = hp5_npy_open(path, "a", element, rank);
        read_part(reader, &part);
        hp5_npy_close(reader);
        write_and_read(&part, element);
    }
    fuzz_end();
    close_range((unsigned)file, ~0u, 0);
    return 0;
}
