/* NaNs have one bit pattern in files, whatever sign and fraction they have in memory; numbers stay as they are. */
#include "runtime/io/npy.h"
#include "tests/unit/io/npy_files.h"
#include "tests/unit/unit.h"
#include <stddef.h>

static const uint64_t NANS_64[] = {0xFFF8000000000000, 0x7FF8000000000000, 0x7FF0000000000001, 0xFFFFFFFFFFFFFFFF, 0x7FF800000000BEEF};
static const uint32_t NANS_32[] = {0xFFC00000, 0x7FC00000, 0x7F800001, 0xFFFFFFFF, 0x7FC0BEEF};
static const uint64_t NUMBERS_64[] = {0x7FF0000000000000, 0xFFF0000000000000, 0x8000000000000000, 0x7FEFFFFFFFFFFFFF, 1};

/* n values, every `each`-th of them a NaN, with `step` from one to the next; what the file has behind its header. */
static uint64_t *written_64(int64_t n, int64_t step, int64_t each) {
    uint64_t *values = calloc((size_t)(n * step), 8), *back = malloc((size_t)(n * 8 + 128));
    for (int64_t i = 0; i < n; i++) values[i * step] = i % each == 0 ? NANS_64[i / each % 5] : NUMBERS_64[i % 5];
    const int64_t zero = 0;
    Hp5NpyWriter *writer = hp5_npy_create(scratch("n.npy"), "n", &hp5_float64, 1, &n);
    hp5_npy_write_box(writer, &zero, &n, values, &step);
    hp5_npy_finish(writer);
    CU_ASSERT_EQUAL(get_file(scratch("n.npy"), back, (size_t)(n * 8 + 128)), (size_t)(n * 8 + 128));
    free(values);
    return back;
}

static void test_double(void) {
    for (int64_t step = 1; step <= 2; step++)
        for (int64_t each = 1; each <= 400000; each = each * 7 + 1) {
            const int64_t n = 300000; /* several pieces */
            uint64_t *back = written_64(n, step, each);
            int64_t wrong = 0;
            for (int64_t i = 0; i < n; i++) wrong += back[16 + i] != (i % each == 0 ? 0x7FF8000000000000 : NUMBERS_64[i % 5]);
            CU_ASSERT_EQUAL(wrong, 0);
            free(back);
        }
}

static void test_single(void) {
    const int64_t n = 5, zero = 0, one = 1;
    uint32_t back[37];
    Hp5NpyWriter *writer = hp5_npy_create(scratch("n.npy"), "n", &hp5_float32, 1, &n);
    hp5_npy_write_box(writer, &zero, &n, NANS_32, &one);
    hp5_npy_finish(writer);
    CU_ASSERT_EQUAL(get_file(scratch("n.npy"), back, sizeof back), sizeof back);
    for (int i = 0; i < 5; i++) CU_ASSERT_EQUAL(back[32 + i], 0x7FC00000);
}

/* Fields of structures, in arrays within them, with gaps in memory and without. */
typedef struct Cell { int64_t bits; float pair[2]; double value; char letter; } Cell;
typedef struct Tight { int64_t bits; float pair[2]; double value; } Tight;

static void check_structure(const Hp5Element *element, const void *cells, int64_t packed) {
    const int64_t n = 5, zero = 0, one = 1;
    char back[512];
    Hp5NpyWriter *writer = hp5_npy_create(scratch("n.npy"), "n", element, 1, &n);
    hp5_npy_write_box(writer, &zero, &n, cells, &one);
    hp5_npy_finish(writer);
    const size_t length = get_file(scratch("n.npy"), back, sizeof back);
    for (int64_t i = 0; i < n; i++) {
        const char *cell = back + length - (size_t)((n - i) * packed);
        uint64_t bits, value;
        uint32_t pair[2];
        memcpy(&bits, cell, 8);
        memcpy(pair, cell + 8, 8);
        memcpy(&value, cell + 16, 8);
        CU_ASSERT_EQUAL(bits, NANS_64[i]); /* no Real: stays */
        CU_ASSERT_TRUE(pair[0] == 0x7FC00000 && pair[1] == 0x40000000 && value == 0x7FF8000000000000);
    }
}

static void test_structures(void) {
    static const Hp5Field fields[] = {{"bits", offsetof(Cell, bits), &hp5_int64, 0, {0}}, {"pair", offsetof(Cell, pair), &hp5_float32, 1, {2}},
                                      {"value", offsetof(Cell, value), &hp5_float64, 0, {0}}, {"letter", offsetof(Cell, letter), &hp5_char, 0, {0}}};
    static const Hp5Element gaps = {.kind = HP5_STRUCT, .size = sizeof(Cell), .field_count = 4, .fields = fields};
    static const Hp5Element tight = {.kind = HP5_STRUCT, .size = sizeof(Tight), .field_count = 3, .fields = fields};
    Cell cells[5];
    Tight others[5];
    for (int i = 0; i < 5; i++) {
        memset(&cells[i], 0, sizeof cells[i]);
        memcpy(&cells[i].bits, &NANS_64[i], 8);
        memcpy(&cells[i].pair[0], &NANS_32[i], 4);
        cells[i].pair[1] = 2;
        memcpy(&cells[i].value, &NANS_64[4 - i], 8);
        cells[i].letter = 'x';
        memcpy(&others[i], &cells[i], sizeof others[i]);
    }
    check_structure(&gaps, cells, 25);
    check_structure(&tight, others, 24);
}

UNIT_MAIN("NaNs in files", {"double", test_double}, {"single", test_single}, {"structures", test_structures})
