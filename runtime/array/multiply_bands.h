/* Which (i, j, k) a product of matrices adds up: those of a box in which the differences of two indices lie in bands. Triangles are
 * bands that end nowhere. Included by runtime/array/multiply.h. */
#ifndef HP5_RUNTIME_MULTIPLY_BANDS_H
#define HP5_RUNTIME_MULTIPLY_BANDS_H
#include <stdbool.h>
#include <stdint.h>

/* Farther than two indices can be apart; twice of it is no overflow. */
#define HP5_FAR ((int64_t)1 << 61)

/* What a difference may be, both ends included. */
typedef struct Hp5Band { int64_t least, most; } Hp5Band;
#define HP5_ANY_BAND {-HP5_FAR, HP5_FAR}

/* Rows i, columns j and depth k from the first to one before the end; j - i, k - i and k - j lie in the bands. */
typedef struct Hp5Product {
    int64_t row, row_end, column, column_end, depth, depth_end;
    Hp5Band column_row, depth_row, depth_column;
} Hp5Product;

static inline int64_t hp5_larger(int64_t a, int64_t b) { return a > b ? a : b; }
static inline int64_t hp5_smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Leaves out of [a, a_end) and [b, b_end) what has no partner in the other with b - a in the band. */
static inline void hp5_band_clip(Hp5Band band, int64_t *a, int64_t *a_end, int64_t *b, int64_t *b_end) {
    *b = hp5_larger(*b, *a + band.least);
    *b_end = hp5_smaller(*b_end, *a_end + band.most);
    *a = hp5_larger(*a, *b - band.most);
    *a_end = hp5_smaller(*a_end, *b_end - band.least);
}

static inline void hp5_keep_near(int64_t *begin, int64_t *end) {
    *begin = hp5_larger(-HP5_FAR, hp5_smaller(*begin, HP5_FAR));
    *end = hp5_larger(-HP5_FAR, hp5_smaller(*end, HP5_FAR));
}

/* Makes the box as small as two indices at a time allow; false: nothing is left. */
static inline bool hp5_product_clip(Hp5Product *p) {
    hp5_keep_near(&p->row, &p->row_end);
    hp5_keep_near(&p->column, &p->column_end);
    hp5_keep_near(&p->depth, &p->depth_end);
    for (int round = 0; round < 3; round++) {
        hp5_band_clip(p->column_row, &p->row, &p->row_end, &p->column, &p->column_end);
        hp5_band_clip(p->depth_row, &p->row, &p->row_end, &p->depth, &p->depth_end);
        hp5_band_clip(p->depth_column, &p->column, &p->column_end, &p->depth, &p->depth_end);
        if (p->row >= p->row_end || p->column >= p->column_end || p->depth >= p->depth_end) return false;
    }
    return true;
}

/* At most so many rows, columns and steps from i, j and k on. */
static inline Hp5Product hp5_product_piece(const Hp5Product *p, int64_t i, int64_t rows, int64_t j, int64_t columns, int64_t k, int64_t depth) {
    Hp5Product piece = *p;
    piece.row = i;
    piece.row_end = hp5_smaller(p->row_end, i + rows);
    piece.column = j;
    piece.column_end = hp5_smaller(p->column_end, j + columns);
    piece.depth = k;
    piece.depth_end = hp5_smaller(p->depth_end, k + depth);
    return piece;
}
#endif
