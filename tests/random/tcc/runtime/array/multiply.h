/* runtime/array/multiply.h without vectors, for tcc: the same operations on each element in the same order. */
#ifndef HP5_RUNTIME_MULTIPLY_H
#define HP5_RUNTIME_MULTIPLY_H
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

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
    }
HP5_TCC_MULTIPLY(double, double, fma)
HP5_TCC_MULTIPLY(single, float, fmaf)
#endif
