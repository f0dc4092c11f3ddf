/* runtime/array/multiply.h without vectors, for tcc: the same operations on each element in the same order. */
#ifndef HP5_RUNTIME_MULTIPLY_H
#define HP5_RUNTIME_MULTIPLY_H
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include "runtime/array/multiply_bands.h"

/* Pieces in which factors that are no elements are computed: small, so that small arrays have several. */
enum { HP5_VALUE_ROWS = 4, HP5_VALUE_DEPTH = 3, HP5_VALUE_COLUMNS = 5 };

static bool hp5_tcc_in(Hp5Band band, int64_t difference) { return difference >= band.least && difference <= band.most; }

#define HP5_TCC_MULTIPLY(kind, real, fused)                                                                        \
    typedef struct hp5_operand_##kind { const real *data; int64_t row, column; } hp5_operand_##kind;               \
    static void hp5_multiply_##kind(real *x, int64_t x_row, hp5_operand_##kind left, hp5_operand_##kind right,     \
                                    int64_t rows, int64_t columns, int64_t depth, bool subtract) {                 \
        for (int64_t i = 0; i < rows; i++)                                                                         \
            for (int64_t k = 0; k < depth; k++) {                                                                  \
                const real value = left.data[i * left.row + k * left.column], factor = subtract ? -value : value;  \
                for (int64_t j = 0; j < columns; j++)                                                              \
                    x[i * x_row + j] = fused(factor, right.data[k * right.row + j * right.column], x[i * x_row + j]); \
            }                                                                                                      \
    }                                                                                                              \
    static void hp5_multiply_within_##kind(real *x, int64_t x_row, hp5_operand_##kind left,                        \
                                           hp5_operand_##kind right, const Hp5Product *p, bool subtract) {         \
        const int64_t rows = p->row_end - p->row, columns = p->column_end - p->column, depth = p->depth_end - p->depth; \
        for (int64_t i = 0; i < rows; i++)                                                                         \
            for (int64_t k = 0; k < depth; k++) {                                                                  \
                const int64_t down = p->depth + k - p->row - i;                                                    \
                if (!hp5_tcc_in(p->depth_row, down)) continue;                                                     \
                const real value = left.data[i * left.row + k * left.column], factor = subtract ? -value : value;  \
                for (int64_t j = 0; j < columns; j++) {                                                            \
                    const int64_t across = p->column + j - p->row - i;                                             \
                    if (hp5_tcc_in(p->column_row, across) && hp5_tcc_in(p->depth_column, down - across))           \
                        x[i * x_row + j] = fused(factor, right.data[k * right.row + j * right.column], x[i * x_row + j]); \
                }                                                                                                  \
            }                                                                                                      \
    }
HP5_TCC_MULTIPLY(double, double, fma)
HP5_TCC_MULTIPLY(single, float, fmaf)

#define HP5_MULTIPLY_REAL double
#define HP5_MULTIPLY_JOINED Hp5Joined_double
#define HP5_MULTIPLY(name) hp5_##name##_double
#include "runtime/array/multiply_joined.h"
#undef HP5_MULTIPLY_REAL
#undef HP5_MULTIPLY_JOINED
#undef HP5_MULTIPLY

#define HP5_MULTIPLY_REAL float
#define HP5_MULTIPLY_JOINED Hp5Joined_single
#define HP5_MULTIPLY(name) hp5_##name##_single
#include "runtime/array/multiply_joined.h"
#undef HP5_MULTIPLY_REAL
#undef HP5_MULTIPLY_JOINED
#undef HP5_MULTIPLY
#endif
