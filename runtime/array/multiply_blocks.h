/* The blocks of runtime/array/multiply.h, which includes this file for double and for float; see there.
 * The caller defines HP5_MULTIPLY_REAL, _VECTOR, _ALL, _FMA, _SCALAR_FMA and HP5_MULTIPLY(name); they are undefined at the end. */

/* A matrix operand: the element at (0, 0) and how far the next row and the next column are, in elements. */
typedef struct HP5_MULTIPLY(operand) { const HP5_MULTIPLY_REAL *data; int64_t row, column; } HP5_MULTIPLY(operand);

enum {
    HP5_MULTIPLY(vector_width) = HP5_VECTOR_BYTES / (int)sizeof(HP5_MULTIPLY_REAL),
    HP5_MULTIPLY(tile_columns) = HP5_TILE_VECTORS * HP5_MULTIPLY(vector_width),
    HP5_MULTIPLY(column_block) = HP5_COLUMN_BLOCK_VECTORS * HP5_MULTIPLY(vector_width)
};

/* x's full tile gets `depth` more products. y: HP5_TILE_ROWS values for each k; z: tile_columns values for each k. */
static inline __attribute__((always_inline)) void HP5_MULTIPLY(tile)(HP5_MULTIPLY_REAL *x, int64_t x_row,
                                                                     const HP5_MULTIPLY_REAL *restrict y,
                                                                     const HP5_MULTIPLY_REAL *restrict z, int64_t depth) {
    HP5_MULTIPLY_VECTOR sum[HP5_TILE_ROWS][HP5_TILE_VECTORS];
#pragma GCC unroll 8
    for (int r = 0; r < HP5_TILE_ROWS; r++)
#pragma GCC unroll 8
        for (int v = 0; v < HP5_TILE_VECTORS; v++)
            sum[r][v] = *(const HP5_MULTIPLY_VECTOR *)&x[r * x_row + v * HP5_MULTIPLY(vector_width)];
    for (int64_t k = 0; k < depth; k++) {
        HP5_MULTIPLY_VECTOR columns[HP5_TILE_VECTORS];
#pragma GCC unroll 8
        for (int v = 0; v < HP5_TILE_VECTORS; v++) {
            columns[v] = *(const HP5_MULTIPLY_VECTOR *)&z[v * HP5_MULTIPLY(vector_width)];
            HP5_IN_REGISTER(columns[v]);
        }
#pragma GCC unroll 8
        for (int r = 0; r < HP5_TILE_ROWS; r++) {
            const HP5_MULTIPLY_VECTOR row = HP5_MULTIPLY_ALL(y[r]);
#pragma GCC unroll 8
            for (int v = 0; v < HP5_TILE_VECTORS; v++) sum[r][v] = HP5_MULTIPLY_FMA(row, columns[v], sum[r][v]);
        }
        y += HP5_TILE_ROWS;
        z += HP5_MULTIPLY(tile_columns);
    }
#pragma GCC unroll 8
    for (int r = 0; r < HP5_TILE_ROWS; r++)
#pragma GCC unroll 8
        for (int v = 0; v < HP5_TILE_VECTORS; v++)
            *(HP5_MULTIPLY_VECTOR *)&x[r * x_row + v * HP5_MULTIPLY(vector_width)] = sum[r][v];
}

/* A tile at the edge: `rows` by `columns` of it exist. */
static void HP5_MULTIPLY(edge_tile)(HP5_MULTIPLY_REAL *x, int64_t x_row, const HP5_MULTIPLY_REAL *y,
                                    const HP5_MULTIPLY_REAL *z, int64_t rows, int64_t columns, int64_t depth) {
    HP5_MULTIPLY_REAL copy[HP5_TILE_ROWS][HP5_MULTIPLY(tile_columns)] = {{0}};
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) copy[r][c] = x[r * x_row + c];
    HP5_MULTIPLY(tile)(copy[0], HP5_MULTIPLY(tile_columns), y, z, depth);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) x[r * x_row + c] = copy[r][c];
}

/* Copies rows 0 … count - 1 of `left` in strips of HP5_TILE_ROWS, each k after k, with the sign; missing rows are 0. */
static void HP5_MULTIPLY(copy_rows)(HP5_MULTIPLY_REAL *restrict to, HP5_MULTIPLY(operand) left, int64_t count, int64_t depth,
                                    bool subtract) {
    for (int64_t first = 0; first < count; first += HP5_TILE_ROWS, to += depth * HP5_TILE_ROWS)
        for (int64_t r = 0; r < HP5_TILE_ROWS; r++) {
            const HP5_MULTIPLY_REAL *from = left.data + (first + r < count ? first + r : first) * left.row;
            const HP5_MULTIPLY_REAL factor = first + r >= count ? 0 : subtract ? -1 : 1;
            for (int64_t k = 0; k < depth; k++) to[k * HP5_TILE_ROWS + r] = factor * from[k * left.column];
        }
}

/* Copies columns 0 … count - 1 of `right` in strips of tile_columns, each k after k; missing columns are 0. */
static void HP5_MULTIPLY(copy_columns)(HP5_MULTIPLY_REAL *restrict to, HP5_MULTIPLY(operand) right, int64_t count,
                                       int64_t depth) {
    for (int64_t first = 0; first < count; first += HP5_MULTIPLY(tile_columns)) {
        const int64_t held = count - first < HP5_MULTIPLY(tile_columns) ? count - first : HP5_MULTIPLY(tile_columns);
        for (int64_t k = 0; k < depth; k++, to += HP5_MULTIPLY(tile_columns)) {
            const HP5_MULTIPLY_REAL *from = right.data + k * right.row + first;
            if (held < HP5_MULTIPLY(tile_columns)) memset(to, 0, HP5_MULTIPLY(tile_columns) * sizeof *to);
            if (held < HP5_MULTIPLY(tile_columns)) memcpy(to, from, (size_t)held * sizeof *to);
            else memcpy(to, from, HP5_MULTIPLY(tile_columns) * sizeof *to);
        }
    }
}

/* All tiles of a block whose pieces of y and z have been copied. */
static void HP5_MULTIPLY(block)(HP5_MULTIPLY_REAL *x, int64_t x_row, const HP5_MULTIPLY_REAL *y, const HP5_MULTIPLY_REAL *z,
                                int64_t rows, int64_t columns, int64_t depth) {
    for (int64_t j = 0; j < columns; j += HP5_MULTIPLY(tile_columns))
        for (int64_t i = 0; i < rows; i += HP5_TILE_ROWS) {
            if (i + HP5_TILE_ROWS <= rows && j + HP5_MULTIPLY(tile_columns) <= columns)
                HP5_MULTIPLY(tile)(x + i * x_row + j, x_row, y + i * depth, z + j * depth, depth);
            else
                HP5_MULTIPLY(edge_tile)(x + i * x_row + j, x_row, y + i * depth, z + j * depth,
                                        rows - i < HP5_TILE_ROWS ? rows - i : HP5_TILE_ROWS,
                                        columns - j < HP5_MULTIPLY(tile_columns) ? columns - j : HP5_MULTIPLY(tile_columns),
                                        depth);
        }
}

/* Too few rows or columns to fill tiles: the plain loop. */
static void HP5_MULTIPLY(narrow)(HP5_MULTIPLY_REAL *restrict x, int64_t x_row, HP5_MULTIPLY(operand) left,
                                 HP5_MULTIPLY(operand) right, int64_t rows, int64_t columns, int64_t depth, bool subtract) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < depth; k++) {
            const HP5_MULTIPLY_REAL value = left.data[i * left.row + k * left.column], factor = subtract ? -value : value;
            for (int64_t j = 0; j < columns; j++)
                x[i * x_row + j] = HP5_MULTIPLY_SCALAR_FMA(factor, right.data[k * right.row + j], x[i * x_row + j]);
        }
}

/* x: rows by columns, x_row elements from row to row. left: rows by depth; right: depth by columns, its columns
 * one element apart. x overlaps neither. Uses about 1.3 MB of stack. */
static __attribute__((unused)) void HP5_MULTIPLY(multiply)(HP5_MULTIPLY_REAL *restrict x, int64_t x_row,
                                                           HP5_MULTIPLY(operand) left, HP5_MULTIPLY(operand) right,
                                                           int64_t rows, int64_t columns, int64_t depth, bool subtract) {
    if (rows < HP5_TILE_ROWS / 2 || columns < HP5_MULTIPLY(tile_columns) / 2) {
        HP5_MULTIPLY(narrow)(x, x_row, left, right, rows, columns, depth, subtract);
        return;
    }
    _Alignas(64) HP5_MULTIPLY_REAL y[HP5_ROW_BLOCK * HP5_TILE_DEPTH];
    _Alignas(64) HP5_MULTIPLY_REAL z[HP5_TILE_DEPTH * HP5_MULTIPLY(column_block)];
    for (int64_t j = 0; j < columns; j += HP5_MULTIPLY(column_block)) {
        const int64_t n = columns - j < HP5_MULTIPLY(column_block) ? columns - j : HP5_MULTIPLY(column_block);
        for (int64_t k = 0; k < depth; k += HP5_TILE_DEPTH) {
            const int64_t d = depth - k < HP5_TILE_DEPTH ? depth - k : HP5_TILE_DEPTH;
            HP5_MULTIPLY(copy_columns)(z, (HP5_MULTIPLY(operand)){right.data + k * right.row + j, right.row, 1}, n, d);
            for (int64_t i = 0; i < rows; i += HP5_ROW_BLOCK) {
                const int64_t m = rows - i < HP5_ROW_BLOCK ? rows - i : HP5_ROW_BLOCK;
                const HP5_MULTIPLY_REAL *from = left.data + i * left.row + k * left.column;
                HP5_MULTIPLY(copy_rows)(y, (HP5_MULTIPLY(operand)){from, left.row, left.column}, m, d, subtract);
                HP5_MULTIPLY(block)(x + i * x_row + j, x_row, y, z, m, n, d);
            }
        }
    }
}

#undef HP5_MULTIPLY_REAL
#undef HP5_MULTIPLY_VECTOR
#undef HP5_MULTIPLY
#undef HP5_MULTIPLY_FMA
#undef HP5_MULTIPLY_ALL
#undef HP5_MULTIPLY_SCALAR_FMA
