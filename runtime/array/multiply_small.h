/* Products that are too small, or too narrow, for copies of their operands (runtime/array/multiply.h): strips of x, as wide as a vector, stay
 * in registers while k runs over all of its range. multiply_blocks.h includes this file for double and for float; what is left of the
 * columns is done in halves and quarters of vectors, then one by one. Each element is accumulated in ascending k, as everywhere. */

/* `count` rows, known when compiled, of as many columns as the vector has. right: where these columns begin. Two pointers for the rows of `left`,
 * which move on with k, leave enough registers for the strides. */
#define HP5_SMALL_STRIP(ROWS, ALL_ROWS, VECTOR, FMA)                                                                                       \
    static inline __attribute__((always_inline)) void ROWS(HP5_MULTIPLY_REAL *x, int64_t x_row, HP5_MULTIPLY(operand) left,               \
                                                           const HP5_MULTIPLY_REAL *right, int64_t right_row, int64_t depth,               \
                                                           bool subtract, const int count) {                                               \
        enum { HALF = HP5_SMALL_ROWS / 2 };                                                                                                \
        VECTOR sum[HP5_SMALL_ROWS];                                                                                                        \
        const HP5_MULTIPLY_REAL *rows[2] = {left.data, left.data + (count > HALF ? HALF * left.row : 0)};                                  \
        _Pragma("GCC unroll 8") for (int r = 0; r < count; r++) sum[r] = *(const VECTOR *)&x[r * x_row];                                   \
        for (int64_t k = 0; k < depth; k++) {                                                                                              \
            const VECTOR columns = *(const VECTOR *)right;                                                                                 \
            _Pragma("GCC unroll 8") for (int r = 0; r < count; r++) {                                                                      \
                const HP5_MULTIPLY_REAL value = rows[r / HALF][r % HALF * left.row];                                                       \
                sum[r] = FMA((subtract ? -value : value) - (VECTOR){0}, columns, sum[r]);                                                  \
            }                                                                                                                              \
            rows[0] += left.column;                                                                                                        \
            rows[1] += left.column;                                                                                                        \
            right += right_row;                                                                                                            \
        }                                                                                                                                  \
        _Pragma("GCC unroll 8") for (int r = 0; r < count; r++) *(VECTOR *)&x[r * x_row] = sum[r];                                         \
    }                                                                                                                                      \
    /* All rows. */                                                                                                                        \
    static void ALL_ROWS(HP5_MULTIPLY_REAL *x, int64_t x_row, HP5_MULTIPLY(operand) left, const HP5_MULTIPLY_REAL *right,                   \
                        int64_t right_row, int64_t rows, int64_t depth, bool subtract) {                                                   \
        int64_t i = 0;                                                                                                                     \
        for (; i + HP5_SMALL_ROWS <= rows; i += HP5_SMALL_ROWS, x += HP5_SMALL_ROWS * x_row, left.data += HP5_SMALL_ROWS * left.row)       \
            ROWS(x, x_row, left, right, right_row, depth, subtract, HP5_SMALL_ROWS);                                                       \
        for (; i + HP5_SMALL_ROWS / 2 <= rows; i += HP5_SMALL_ROWS / 2, x += HP5_SMALL_ROWS / 2 * x_row, left.data += HP5_SMALL_ROWS / 2 * left.row) \
            ROWS(x, x_row, left, right, right_row, depth, subtract, HP5_SMALL_ROWS / 2);                                                   \
        for (; i < rows; i++, x += x_row, left.data += left.row) ROWS(x, x_row, left, right, right_row, depth, subtract, 1);               \
    }

HP5_SMALL_STRIP(HP5_MULTIPLY(strip), HP5_MULTIPLY(strips), HP5_MULTIPLY_VECTOR, HP5_MULTIPLY_FMA)
#if defined __AVX512F__
HP5_SMALL_STRIP(HP5_MULTIPLY(half_strip), HP5_MULTIPLY(half_strips), HP5_MULTIPLY_HALF, HP5_MULTIPLY_HALF_FMA)
#endif
#if defined __AVX__
HP5_SMALL_STRIP(HP5_MULTIPLY(short_strip), HP5_MULTIPLY(short_strips), HP5_MULTIPLY_SHORT, HP5_MULTIPLY_SHORT_FMA)
#endif
HP5_SMALL_STRIP(HP5_MULTIPLY(column), HP5_MULTIPLY(columns_one_by_one), HP5_MULTIPLY_REAL, HP5_MULTIPLY_SCALAR_FMA)

/* So few rows that what is read of `left` stays in the first-level cache from one vector of columns to the next; right.column is 1. */
static void HP5_MULTIPLY(few_rows)(HP5_MULTIPLY_REAL *restrict x, int64_t x_row, HP5_MULTIPLY(operand) left, HP5_MULTIPLY(operand) right,
                                   int64_t rows, int64_t columns, int64_t depth, bool subtract) {
    int64_t j = 0;
    for (; j + HP5_MULTIPLY(vector_width) <= columns; j += HP5_MULTIPLY(vector_width))
        HP5_MULTIPLY(strips)(x + j, x_row, left, right.data + j, right.row, rows, depth, subtract);
#if defined __AVX512F__
    enum { HALF = sizeof(HP5_MULTIPLY_HALF) / sizeof(HP5_MULTIPLY_REAL) };
    for (; j + HALF <= columns; j += HALF) HP5_MULTIPLY(half_strips)(x + j, x_row, left, right.data + j, right.row, rows, depth, subtract);
#endif
#if defined __AVX__
    enum { SHORT = sizeof(HP5_MULTIPLY_SHORT) / sizeof(HP5_MULTIPLY_REAL) };
    for (; j + SHORT <= columns; j += SHORT) HP5_MULTIPLY(short_strips)(x + j, x_row, left, right.data + j, right.row, rows, depth, subtract);
#endif
    for (; j < columns; j++) HP5_MULTIPLY(columns_one_by_one)(x + j, x_row, left, right.data + j, right.row, rows, depth, subtract);
}

/* right.column is 1. */
static void HP5_MULTIPLY(small)(HP5_MULTIPLY_REAL *restrict x, int64_t x_row, HP5_MULTIPLY(operand) left, HP5_MULTIPLY(operand) right,
                                int64_t rows, int64_t columns, int64_t depth, bool subtract) {
    if (rows * depth <= HP5_SMALL_LEFT_BYTES / (int64_t)sizeof(HP5_MULTIPLY_REAL)) {
        HP5_MULTIPLY(few_rows)(x, x_row, left, right, rows, columns, depth, subtract);
        return;
    }
    const int64_t fitting = HP5_SMALL_LEFT_BYTES / (int64_t)sizeof(HP5_MULTIPLY_REAL) / (depth > 0 ? depth : 1) / HP5_SMALL_ROWS * HP5_SMALL_ROWS;
    const int64_t each = fitting > HP5_SMALL_ROWS ? fitting : HP5_SMALL_ROWS;
    for (int64_t i = 0; i < rows; i += each, x += each * x_row, left.data += each * left.row)
        HP5_MULTIPLY(few_rows)(x, x_row, left, right, rows - i < each ? rows - i : each, columns, depth, subtract);
}

/* The same for columns that do not lie side by side: of at most HP5_SMALL_TURNED elements. */
static void HP5_MULTIPLY(small_turned)(HP5_MULTIPLY_REAL *restrict x, int64_t x_row, HP5_MULTIPLY(operand) left, HP5_MULTIPLY(operand) right,
                                       int64_t rows, int64_t columns, int64_t depth, bool subtract) {
    HP5_MULTIPLY_REAL z[HP5_SMALL_TURNED];
    for (int64_t k = 0; k < depth; k++)
        for (int64_t j = 0; j < columns; j++) z[k * columns + j] = right.data[k * right.row + j * right.column];
    HP5_MULTIPLY(small)(x, x_row, left, (HP5_MULTIPLY(operand)){z, columns, 1}, rows, columns, depth, subtract);
}
#undef HP5_SMALL_STRIP

/* Whether that is faster than tiles, or than the plain loop where there is no tile. */
static inline bool HP5_MULTIPLY(is_small)(HP5_MULTIPLY(operand) right, int64_t rows, int64_t columns, int64_t depth) {
    const int64_t elements = columns * depth;
    if (rows < HP5_SMALL_ROWS / 2 && columns > HP5_FEW_COLUMNS) return false; /* too few sums: the plain loop has more of them */
    if (right.column != 1 && (elements > HP5_SMALL_TURNED || rows < HP5_SMALL_ROWS / 2)) return false;
    if (columns >= HP5_SMALL_COLUMNS && rows > HP5_SMALL_X / columns) return false;
    return elements <= HP5_SMALL_OPERAND || (columns <= HP5_FEW_COLUMNS && elements <= HP5_SMALL_WITH_FEW) || columns < HP5_MULTIPLY(tile_columns) / 2;
}
