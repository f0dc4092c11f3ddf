/* Products of matrices against three plain loops, bit by bit: every size around that of a tile, all layouts of the factors, bands of
 * all kinds, products in pieces that run as one. Where no index comes the target holds NaNs that must stay, and the factors infinities that would show. */
#include <stdlib.h>
#include "runtime/array/multiply.h"
#include "tests/unit/unit.h"

static uint64_t state = 88172645463325252u;
static uint64_t next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}
static int64_t below(int64_t n) { return (int64_t)(next_random() % (uint64_t)n); }
static double next_real(void) { return below(20) == 0 ? -0.0 : ((double)(next_random() >> 11) - 0x1p52) * 0x1p-40; }

enum { MOST = 330 };

typedef struct Case { int64_t rows, columns, depth; bool left_turned, right_turned, subtract; Hp5Product p; } Case;

static bool is_in(Hp5Band band, int64_t difference) { return difference >= band.least && difference <= band.most; }

static bool counts(const Hp5Product *p, int64_t i, int64_t j, int64_t k) {
    return is_in(p->column_row, j - i) && is_in(p->depth_row, k - i) && is_in(p->depth_column, k - j);
}

static Hp5Band random_band(int64_t most) {
    Hp5Band band = HP5_ANY_BAND;
    const int64_t kind = below(5);
    if (kind == 1 || kind == 3) band.least = below(most) - most / 2;
    if (kind == 2 || kind == 3) band.most = below(most) - most / 4;
    if (kind == 4) band.least = band.most = below(5) - 2;
    return band;
}

static Case random_case(bool banded) {
    static const int64_t sizes[] = {1, 2, 3, 4, 5, 7, 8, 9, 12, 16, 23, 24, 25, 40, 48, 49, 127, 129, 257, 300};
    enum { SIZES = sizeof sizes / sizeof sizes[0] };
    Case c = {sizes[below(SIZES)], sizes[below(SIZES)], sizes[below(SIZES)], below(2), below(2), below(2), {0}};
    c.p = (Hp5Product){below(9) - 4, 0, below(9) - 4, 0, below(9) - 4, 0, HP5_ANY_BAND, HP5_ANY_BAND, HP5_ANY_BAND};
    c.p.row_end = c.p.row + c.rows;
    c.p.column_end = c.p.column + c.columns;
    c.p.depth_end = c.p.depth + c.depth;
    if (!banded) return c;
    c.p.column_row = random_band(c.rows + c.columns);
    c.p.depth_row = random_band(c.rows + c.depth);
    c.p.depth_column = random_band(c.columns + c.depth);
    return c;
}

/* ---- The same for both precisions ---------------------------------------------------------------------------- */
#define DEFINE_CHECK(REAL, NAME, FMA)                                                                                              \
    static void check_##NAME(bool banded) {                                                                                        \
        static REAL wanted[MOST * MOST], x[MOST * MOST], left[MOST * MOST], right[MOST * MOST];                                    \
        const Case c = random_case(banded);                                                                                        \
        const Hp5Product *p = &c.p;                                                                                                \
        const hp5_operand_##NAME y = {left, c.left_turned ? 1 : MOST, c.left_turned ? MOST : 1};                                   \
        const hp5_operand_##NAME z = {right, c.right_turned ? 1 : MOST, c.right_turned ? MOST : 1};                                \
        for (int64_t e = 0; e < MOST * MOST; e++) {                                                                                \
            left[e] = right[e] = (REAL)INFINITY;                                                                                   \
            x[e] = (REAL)NAN;                                                                                                      \
        }                                                                                                                          \
        for (int64_t i = 0; i < c.rows; i++)                                                                                       \
            for (int64_t k = 0; k < c.depth; k++)                                                                                  \
                if (is_in(p->depth_row, p->depth + k - p->row - i)) left[i * y.row + k * y.column] = (REAL)next_real();            \
        for (int64_t k = 0; k < c.depth; k++)                                                                                      \
            for (int64_t j = 0; j < c.columns; j++)                                                                                \
                if (is_in(p->depth_column, p->depth + k - p->column - j)) right[k * z.row + j * z.column] = (REAL)next_real();     \
        for (int64_t i = 0; i < c.rows; i++)                                                                                       \
            for (int64_t j = 0; j < c.columns; j++)                                                                                \
                if (is_in(p->column_row, p->column + j - p->row - i)) x[i * MOST + j] = (REAL)next_real();                         \
        memcpy(wanted, x, sizeof x);                                                                                               \
        for (int64_t i = 0; i < c.rows; i++)                                                                                       \
            for (int64_t j = 0; j < c.columns; j++)                                                                                \
                for (int64_t k = 0; k < c.depth; k++) {                                                                            \
                    if (!counts(p, p->row + i, p->column + j, p->depth + k)) continue;                                             \
                    const REAL factor = left[i * y.row + k * y.column], other = right[k * z.row + j * z.column];                   \
                    wanted[i * MOST + j] = FMA(c.subtract ? -factor : factor, other, wanted[i * MOST + j]);                        \
                }                                                                                                                  \
        Hp5Product clipped = *p;                                                                                                   \
        if (!banded) hp5_multiply_##NAME(x, MOST, y, z, c.rows, c.columns, c.depth, c.subtract);                                   \
        else if (hp5_product_clip(&clipped)) {                                                                                     \
            const int64_t row = clipped.row - p->row, column = clipped.column - p->column, depth = clipped.depth - p->depth;       \
            hp5_multiply_within_##NAME(x + row * MOST + column, MOST,                                                              \
                                       (hp5_operand_##NAME){left + row * y.row + depth * y.column, y.row, y.column},               \
                                       (hp5_operand_##NAME){right + depth * z.row + column * z.column, z.row, z.column}, &clipped, \
                                       c.subtract);                                                                                \
        }                                                                                                                          \
        CU_ASSERT_EQUAL(memcmp(x, wanted, sizeof x), 0);                                                                           \
    }

DEFINE_CHECK(double, double, fma)
DEFINE_CHECK(float, single, fmaf)

static void test_boxes(void) {
    for (int round = 0; round < 100; round++) {
        check_double(false);
        check_single(false);
    }
}

static void test_bands(void) {
    for (int round = 0; round < 150; round++) {
        check_double(true);
        check_single(true);
    }
}

/* ---- Products that wait for those of neighbours ---------------------------------------------------------------- */
/* Cuts 0 … size into pieces of at least one; returns their number, the last end among `ends`. */
static int64_t cut(int64_t size, int64_t *ends) {
    int64_t count = 0;
    for (int64_t at = 0; at < size; ends[count++] = at) at += 1 + below(size - at);
    return count;
}

/* Each block of x gets its products piece of k by piece of k, as LPUs with sub-partitions do it. skip: one of the blocks is nobody's; turned:
 * blocks go down before they go right. In one product, when neither is. */
static void check_joined(bool skip, bool turned) {
    static double wanted[MOST * MOST], x[MOST * MOST], left[MOST * MOST], right[MOST * MOST], before[MOST * MOST];
    const int64_t rows = 1 + below(MOST), columns = 1 + below(MOST), depth = 1 + below(MOST);
    const bool left_turned = below(2), right_turned = below(2), subtract = below(2);
    const hp5_operand_double y = {left, left_turned ? 1 : MOST, left_turned ? MOST : 1}, z = {right, right_turned ? 1 : MOST, right_turned ? MOST : 1};
    for (int64_t e = 0; e < MOST * MOST; e++) left[e] = next_real(), right[e] = next_real(), x[e] = next_real();
    memcpy(wanted, x, sizeof x);
    memcpy(before, x, sizeof x);
    int64_t row_ends[MOST], column_ends[MOST], depth_ends[MOST];
    const int64_t bands = cut(rows, row_ends), blocks = cut(columns, column_ends), steps = cut(depth, depth_ends);
    const int64_t skipped = skip ? below(bands * blocks) : -1;
    Hp5Joined_double joined = {0};
    for (int64_t b = 0; b < bands * blocks; b++) {
        if (b == skipped) continue;
        const int64_t band = turned ? b % bands : b / blocks, block = turned ? b / bands : b % blocks;
        const int64_t i = band > 0 ? row_ends[band - 1] : 0, j = block > 0 ? column_ends[block - 1] : 0;
        const int64_t m = row_ends[band] - i, n = column_ends[block] - j;
        hp5_multiply_double(wanted + i * MOST + j, MOST, (hp5_operand_double){left + i * y.row, y.row, y.column},
                            (hp5_operand_double){right + j * z.column, z.row, z.column}, m, n, depth, subtract);
        for (int64_t s = 0; s < steps; s++) {
            const int64_t k = s > 0 ? depth_ends[s - 1] : 0;
            hp5_multiply_joined_double(&joined, x + i * MOST + j, MOST, (hp5_operand_double){left + i * y.row + k * y.column, y.row, y.column},
                                       (hp5_operand_double){right + k * z.row + j * z.column, z.row, z.column}, m, n, depth_ends[s] - k, subtract);
        }
    }
    if (!skip && !turned) CU_ASSERT_EQUAL(memcmp(x, before, sizeof x), 0); /* all of it waits, to be one */
    hp5_multiply_rest_double(&joined);
    CU_ASSERT_EQUAL(memcmp(x, wanted, sizeof x), 0);
}

static void test_joined(void) {
    for (int round = 0; round < 40; round++) check_joined(round % 2, round / 2 % 2);
}

/* What goes on in one thing, and not in another one: no neighbours. */
static void test_apart(void) {
    static double y[64], z[64], x[64];
    Hp5Joined_double joined = {0};
    const hp5_operand_double left = {y, 8, 1}, right = {z, 8, 1};
    const struct { double *x; hp5_operand_double left, right; bool subtract; } others[] = {
        {x, {y + 2, 8, 1}, {z, 8, 1}, false},       /* the same z */
        {x, {y + 2, 8, 1}, {z + 16, 8, 1}, true},   /* the other sign */
        {x, {y + 2, 16, 1}, {z + 16, 8, 1}, false}, /* other rows of y */
        {x + 2, {y + 16, 8, 1}, {z + 2, 8, 1}, false}, /* columns of other rows of y */
        {x + 4, {y, 8, 1}, {z + 4, 8, 1}, false},   /* a gap of columns */
        {x + 16, {y + 16, 8, 1}, {z + 2, 8, 1}, false}, /* rows of other columns */
        {x + 24, {y + 24, 8, 1}, {z, 8, 1}, false}, /* a gap of rows */
    };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        joined = (Hp5Joined_double){0};
        for (int e = 0; e < 64; e++) x[e] = 0, y[e] = e + 1, z[e] = 100 * e + 1;
        double wanted[64] = {0};
        hp5_multiply_double(wanted, 8, left, right, 2, 2, 2, false);
        hp5_multiply_double(wanted + (others[i].x - x), 8, others[i].left, others[i].right, 2, 2, 2, others[i].subtract);
        hp5_multiply_joined_double(&joined, x, 8, left, right, 2, 2, 2, false);
        hp5_multiply_joined_double(&joined, others[i].x, 8, others[i].left, others[i].right, 2, 2, 2, others[i].subtract);
        hp5_multiply_rest_double(&joined);
        CU_ASSERT_EQUAL(memcmp(x, wanted, sizeof x), 0);
    }
    double wanted[64] = {0};
    for (int e = 0; e < 64; e++) x[e] = 0;
    hp5_multiply_double(wanted, 8, left, right, 2, 2, 2, false);
    hp5_multiply_joined_double(NULL, x, 8, left, right, 2, 2, 2, false); /* at once */
    CU_ASSERT_EQUAL(memcmp(x, wanted, sizeof x), 0);
}

/* ---- What is left of a box ----------------------------------------------------------------------------------- */
static void test_clip(void) {
    Hp5Product p = {0, 10, INT64_MIN, INT64_MAX, 3, 20, {-HP5_FAR, -1}, HP5_ANY_BAND, {0, 4}};
    CU_ASSERT_TRUE_FATAL(hp5_product_clip(&p)); /* j < i, k in [j...j + 4] */
    CU_ASSERT_TRUE(p.row == 0 && p.row_end == 10 && p.column == -1 && p.column_end == 9 && p.depth == 3 && p.depth_end == 13);
    p = (Hp5Product){0, 5, 5, 9, 0, 1, {-HP5_FAR, 0}, HP5_ANY_BAND, HP5_ANY_BAND};
    CU_ASSERT_FALSE(hp5_product_clip(&p));
    p = (Hp5Product){0, 5, 4, 9, 0, 1, {-HP5_FAR, 0}, HP5_ANY_BAND, HP5_ANY_BAND};
    CU_ASSERT_TRUE_FATAL(hp5_product_clip(&p));
    CU_ASSERT_TRUE(p.row == 4 && p.row_end == 5 && p.column == 4 && p.column_end == 5);
}

UNIT_MAIN("multiply", {"boxes", test_boxes}, {"bands", test_bands}, {"joined", test_joined}, {"apart", test_apart}, {"clip", test_clip})
