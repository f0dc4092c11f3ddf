/* .npy files: the first byte chooses the element type, the second the rank, the rest is the file. */
#include "runtime/io/npy.h"
#include "tests/fuzz/fuzz.h"
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
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

/* Reads a box of up to three indices in each dimension, from the end of the array. */
static void read_some(const Hp5NpyReader *reader, const Hp5Element *element, int rank) {
    int64_t lo[HP5_MAX_RANK], hi[HP5_MAX_RANK], strides[HP5_MAX_RANK], count = 1;
    const int64_t *extents = hp5_npy_extents(reader);
    for (int d = rank; d-- > 0;) {
        hi[d] = extents[d];
        lo[d] = extents[d] > 3 ? extents[d] - 3 : 0;
        strides[d] = count;
        count *= 3;
    }
    char *data = malloc((size_t)count * element->size);
    hp5_npy_read_box(reader, lo, hi, data, strides);
    free(data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const Hp5Element *const elements[] = {&hp5_int64, &hp5_int32, &hp5_float32, &hp5_float64, &hp5_bool, &hp5_char, &point};
    if (size < 2 || size > FUZZ_LARGEST) return 0;
    const Hp5Element *element = elements[data[0] % 7];
    int rank = data[1] % 4 + 1, file = memfd_create("fuzz", 0);
    fuzz_require(file >= 0 && write(file, data + 2, size - 2) == (ssize_t)size - 2, "cannot make the file");
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    if (FUZZ_SURVIVES()) {
        Hp5NpyReader *reader = hp5_npy_open(path, "a", element, rank);
        read_some(reader, element, rank);
        hp5_npy_close(reader);
    }
    fuzz_end();
    close_range((unsigned)file, ~0u, 0);
    return 0;
}
