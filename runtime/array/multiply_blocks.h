/* The blocks of runtime/array/multiply.h, which includes this file for double and for float; see there.
 * The caller defines HP5_MULTIPLY_REAL, _JOINED (Hp5Joined_double, …), _VECTOR, _ALL, _FMA, _SCALAR_FMA, _HALF and _SHORT (parts of vectors), their _FMA, and HP5_MULTIPLY(name); they are undefined at the end. */

/* A matrix operand: the element at (0, 0) and how far the next row and the next column are, in elements. */
typedef struct HP5_MULTIPLY(operand) { const HP5_MULTIPLY_REAL *data; int64_t row, column; } HP5_MULTIPLY(operand);

enum {
    HP5_MULTIPLY(vector_width) = HP5_VECTOR_BYTES / (int)sizeof(HP5_MULTIPLY_REAL),
    HP5_MULTIPLY(tile_columns) = HP5_TILE_VECTORS * HP5_MULTIPLY(vector_width),
    HP5_MULTIPLY(column_block) = HP5_COLUMN_BLOCK_BYTES / (int)sizeof(HP5_MULTIPLY_REAL)
};

/* The first `vectors` vectors of x's tile, known when compiled, get `depth` more products. y: HP5_TILE_ROWS values for each k; z: tile_columns. next:
 * the part of x that comes after this one; its rows are fetched one after the other meanwhile, since all at once they would have to be waited for. */
static inline __attribute__((always_inline)) void HP5_MULTIPLY(tile_of)(HP5_MULTIPLY_REAL *x, int64_t x_row,
                                                                     const HP5_MULTIPLY_REAL *restrict y,
                                                                     const HP5_MULTIPLY_REAL *restrict z, int64_t depth,
                                                                     const int vectors, const HP5_MULTIPLY_REAL *next) {
    HP5_MULTIPLY_VECTOR sum[HP5_TILE_ROWS][HP5_TILE_VECTORS];
#pragma GCC unroll 8
    for (int r = 0; r < HP5_TILE_ROWS; r++)
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++)
            sum[r][v] = *(const HP5_MULTIPLY_VECTOR *)&x[r * x_row + v * HP5_MULTIPLY(vector_width)];
    int64_t k = 0;
    for (int fetched = 0; fetched < HP5_TILE_ROWS; fetched++) {
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++) __builtin_prefetch(&next[fetched * x_row + v * HP5_MULTIPLY(vector_width)], 1, 2);
        for (const int64_t end = depth * (fetched + 1) / HP5_TILE_ROWS; k < end; k++) {
            HP5_MULTIPLY_VECTOR columns[HP5_TILE_VECTORS];
#pragma GCC unroll 8
            for (int v = 0; v < vectors; v++) {
                columns[v] = *(const HP5_MULTIPLY_VECTOR *)&z[v * HP5_MULTIPLY(vector_width)];
                HP5_IN_REGISTER(columns[v]);
            }
#pragma GCC unroll 8
            for (int r = 0; r < HP5_TILE_ROWS; r++) {
                const HP5_MULTIPLY_VECTOR row = HP5_MULTIPLY_ALL(y[r]);
#pragma GCC unroll 8
                for (int v = 0; v < vectors; v++) sum[r][v] = HP5_MULTIPLY_FMA(row, columns[v], sum[r][v]);
            }
            y += HP5_TILE_ROWS;
            z += HP5_MULTIPLY(tile_columns);
        }
    }
#pragma GCC unroll 8
    for (int r = 0; r < HP5_TILE_ROWS; r++)
#pragma GCC unroll 8
        for (int v = 0; v < vectors; v++)
            *(HP5_MULTIPLY_VECTOR *)&x[r * x_row + v * HP5_MULTIPLY(vector_width)] = sum[r][v];
}

/* A function of its own: sums, columns and a row are as many vectors as AVX has registers, and what callers keep in one would drive a sum out. */
static __attribute__((noinline)) void HP5_MULTIPLY(tile)(HP5_MULTIPLY_REAL *x, int64_t x_row, const HP5_MULTIPLY_REAL *y, const HP5_MULTIPLY_REAL *z,
                                                         int64_t depth, const HP5_MULTIPLY_REAL *next) {
    HP5_MULTIPLY(tile_of)(x, x_row, y, z, depth, HP5_TILE_VECTORS, next);
}

/* As many vectors as hold `columns`. */
static void HP5_MULTIPLY(part_of_tile)(HP5_MULTIPLY_REAL *x, int64_t x_row, const HP5_MULTIPLY_REAL *y, const HP5_MULTIPLY_REAL *z, int64_t columns, int64_t depth,
                                       const HP5_MULTIPLY_REAL *next) {
    if (columns <= HP5_MULTIPLY(vector_width)) HP5_MULTIPLY(tile_of)(x, x_row, y, z, depth, 1, next);
    else if (columns <= 2 * HP5_MULTIPLY(vector_width)) HP5_MULTIPLY(tile_of)(x, x_row, y, z, depth, 2, next);
    else HP5_MULTIPLY(tile)(x, x_row, y, z, depth, next);
}

/* A tile at the edge: `rows` by `columns` of it exist. */
static void HP5_MULTIPLY(edge_tile)(HP5_MULTIPLY_REAL *x, int64_t x_row, const HP5_MULTIPLY_REAL *y,
                                    const HP5_MULTIPLY_REAL *z, int64_t rows, int64_t columns, int64_t depth) {
    HP5_MULTIPLY_REAL copy[HP5_TILE_ROWS][HP5_MULTIPLY(tile_columns)] = {{0}};
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) copy[r][c] = x[r * x_row + c];
    HP5_MULTIPLY(part_of_tile)(copy[0], HP5_MULTIPLY(tile_columns), y, z, columns, depth, copy[0]);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = 0; c < columns; c++) x[r * x_row + c] = copy[r][c];
}

/* Copies rows 0 … count - 1 of `left` in strips of HP5_TILE_ROWS, each k after k, with the sign; missing rows are 0. */
static void HP5_MULTIPLY(copy_rows)(HP5_MULTIPLY_REAL *restrict to, HP5_MULTIPLY(operand) left, int64_t count, int64_t depth,
                                    bool subtract) {
    for (int64_t first = 0; first < count; first += HP5_TILE_ROWS, to += depth * HP5_TILE_ROWS) {
        const HP5_MULTIPLY_REAL *from[HP5_TILE_ROWS];
        HP5_MULTIPLY_REAL factor[HP5_TILE_ROWS];
        for (int64_t r = 0; r < HP5_TILE_ROWS; r++) {
            from[r] = left.data + (first + r < count ? first + r : first) * left.row;
            factor[r] = first + r >= count ? 0 : subtract ? -1 : 1;
        }
        for (int64_t k = 0; k < depth; k++)
#pragma GCC unroll 8
            for (int64_t r = 0; r < HP5_TILE_ROWS; r++) to[k * HP5_TILE_ROWS + r] = factor[r] * from[r][k * left.column];
    }
}

/* `strips` strips, known when compiled, of columns that lie side by side: rows of them are read at once, as far as they lie in one page. */
static inline __attribute__((always_inline)) void HP5_MULTIPLY(copy_strips)(HP5_MULTIPLY_REAL *restrict to, const HP5_MULTIPLY_REAL *from, int64_t row,
                                                                            int64_t depth, const int strips) {
    for (int64_t k = 0; k < depth; k++)
#pragma GCC unroll 4
        for (int t = 0; t < strips; t++)
            memcpy(to + (t * depth + k) * HP5_MULTIPLY(tile_columns), from + k * row + t * HP5_MULTIPLY(tile_columns), HP5_MULTIPLY(tile_columns) * sizeof *to);
}

/* Copies columns 0 … count - 1 of `right` in strips of tile_columns, each k after k; missing columns are 0. */
static void HP5_MULTIPLY(copy_columns)(HP5_MULTIPLY_REAL *restrict to, HP5_MULTIPLY(operand) right, int64_t count,
                                       int64_t depth) {
    enum { STRIPS = 4 };
    const HP5_MULTIPLY_REAL *from = right.data;
    if (right.column == 1) {
        for (; count >= STRIPS * HP5_MULTIPLY(tile_columns); count -= STRIPS * HP5_MULTIPLY(tile_columns), from += STRIPS * HP5_MULTIPLY(tile_columns)) {
            HP5_MULTIPLY(copy_strips)(to, from, right.row, depth, STRIPS);
            to += STRIPS * HP5_MULTIPLY(tile_columns) * depth;
        }
        for (; count >= HP5_MULTIPLY(tile_columns); count -= HP5_MULTIPLY(tile_columns), from += HP5_MULTIPLY(tile_columns)) {
            HP5_MULTIPLY(copy_strips)(to, from, right.row, depth, 1);
            to += HP5_MULTIPLY(tile_columns) * depth;
        }
    }
    for (; count > 0; count -= HP5_MULTIPLY(tile_columns), from += HP5_MULTIPLY(tile_columns) * right.column) {
        const int64_t held = hp5_smaller(count, HP5_MULTIPLY(tile_columns));
        if (held < HP5_MULTIPLY(tile_columns)) memset(to, 0, (size_t)(depth * HP5_MULTIPLY(tile_columns)) * sizeof *to);
        for (int64_t k = 0; k < depth; k++, to += HP5_MULTIPLY(tile_columns))
            for (int64_t c = 0; c < held; c++) to[c] = from[k * right.row + c * right.column];
    }
}

/* All tiles of a block whose pieces of y and z have been copied. */
static void HP5_MULTIPLY(block)(HP5_MULTIPLY_REAL *x, int64_t x_row, const HP5_MULTIPLY_REAL *y, const HP5_MULTIPLY_REAL *z,
                                int64_t rows, int64_t columns, int64_t depth) {
    for (int64_t i = 0; i < rows; i += HP5_TILE_ROWS, y += HP5_TILE_ROWS * depth)
        for (int64_t j = 0; j < columns; j += HP5_MULTIPLY(tile_columns)) {
            HP5_MULTIPLY_REAL *tile = x + i * x_row + j;
            const HP5_MULTIPLY_REAL *next = j + HP5_MULTIPLY(tile_columns) < columns ? tile + HP5_MULTIPLY(tile_columns) : x + (i + HP5_TILE_ROWS) * x_row;
            const int64_t held_rows = hp5_smaller(HP5_TILE_ROWS, rows - i), held = hp5_smaller(HP5_MULTIPLY(tile_columns), columns - j);
            if (held_rows < HP5_TILE_ROWS || held % HP5_MULTIPLY(vector_width) > 0) HP5_MULTIPLY(edge_tile)(tile, x_row, y, z + j * depth, held_rows, held, depth);
            else if (held < HP5_MULTIPLY(tile_columns)) HP5_MULTIPLY(part_of_tile)(tile, x_row, y, z + j * depth, held, depth, next);
            else HP5_MULTIPLY(tile)(tile, x_row, y, z + j * depth, depth, next);
        }
}

#include "runtime/array/multiply_small.h"

/* Too few rows or columns to fill tiles, and columns do not lie side by side: the plain loop. */
static void HP5_MULTIPLY(narrow)(HP5_MULTIPLY_REAL *restrict x, int64_t x_row, HP5_MULTIPLY(operand) left,
                                 HP5_MULTIPLY(operand) right, int64_t rows, int64_t columns, int64_t depth, bool subtract) {
    for (int64_t i = 0; i < rows; i++)
        for (int64_t k = 0; k < depth; k++) {
            const HP5_MULTIPLY_REAL value = left.data[i * left.row + k * left.column], factor = subtract ? -value : value;
            for (int64_t j = 0; j < columns; j++)
                x[i * x_row + j] = HP5_MULTIPLY_SCALAR_FMA(factor, right.data[k * right.row + j * right.column], x[i * x_row + j]);
        }
}

/* x: rows by columns, x_row elements from row to row. left: rows by depth; right: depth by columns. x overlaps neither. Uses about 1.3 MB of stack. */
static __attribute__((unused)) void HP5_MULTIPLY(multiply)(HP5_MULTIPLY_REAL *restrict x, int64_t x_row,
                                                           HP5_MULTIPLY(operand) left, HP5_MULTIPLY(operand) right,
                                                           int64_t rows, int64_t columns, int64_t depth, bool subtract) {
    if (HP5_MULTIPLY(is_small)(right, rows, columns, depth)) {
        (right.column == 1 ? HP5_MULTIPLY(small) : HP5_MULTIPLY(small_turned))(x, x_row, left, right, rows, columns, depth, subtract);
        return;
    }
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
            HP5_MULTIPLY(copy_columns)(z, (HP5_MULTIPLY(operand)){right.data + k * right.row + j * right.column, right.row, right.column}, n, d);
            for (int64_t i = 0; i < rows; i += HP5_ROW_BLOCK) {
                const int64_t m = rows - i < HP5_ROW_BLOCK ? rows - i : HP5_ROW_BLOCK;
                const HP5_MULTIPLY_REAL *from = left.data + i * left.row + k * left.column;
                HP5_MULTIPLY(copy_rows)(y, (HP5_MULTIPLY(operand)){from, left.row, left.column}, m, d, subtract);
                HP5_MULTIPLY(block)(x + i * x_row + j, x_row, y, z, m, n, d);
            }
        }
    }
}

/* ---- Products of which some (i, j, k) are left out (multiply_bands.h) --------------------------------------------- */
/* One k for the tile at row i and column j, which holds `held` of x: rows and columns for which it counts. */
static void HP5_MULTIPLY(step)(HP5_MULTIPLY_REAL x[HP5_TILE_ROWS][HP5_MULTIPLY(tile_columns)], const HP5_MULTIPLY_REAL *y, const HP5_MULTIPLY_REAL *z,
                               const Hp5Product *p, int64_t i, int64_t j, int64_t k, const Hp5Band held[HP5_TILE_ROWS]) {
    for (int64_t r = 0; r < HP5_TILE_ROWS && i + r < p->row_end; r++) {
        if (k - (i + r) < p->depth_row.least || k - (i + r) > p->depth_row.most) continue;
        const int64_t first = hp5_larger(held[r].least, k - p->depth_column.most - j), last = hp5_smaller(held[r].most, k - p->depth_column.least - j);
        for (int64_t c = first; c <= last; c++) x[r][c] = HP5_MULTIPLY_SCALAR_FMA(y[r], z[c], x[r][c]);
    }
}

/* A tile of which not all of x is held, or not all of it has the same k. x: where the tile begins; y, z: where p's depth begins. */
static void HP5_MULTIPLY(ragged_tile)(HP5_MULTIPLY_REAL *x, int64_t x_row, const HP5_MULTIPLY_REAL *y, const HP5_MULTIPLY_REAL *z,
                                      const Hp5Product *p, int64_t i, int64_t j, const Hp5Product *common) {
    HP5_MULTIPLY_REAL copy[HP5_TILE_ROWS][HP5_MULTIPLY(tile_columns)] = {{0}};
    Hp5Band held[HP5_TILE_ROWS];
    const int64_t rows = hp5_smaller(HP5_TILE_ROWS, p->row_end - i);
    for (int64_t r = 0; r < rows; r++) {
        held[r].least = hp5_larger(hp5_larger(0, p->column - j), i + r + p->column_row.least - j);
        held[r].most = hp5_smaller(hp5_smaller(HP5_MULTIPLY(tile_columns), p->column_end - j) - 1, i + r + p->column_row.most - j);
        for (int64_t c = held[r].least; c <= held[r].most; c++) copy[r][c] = x[r * x_row + c];
    }
    const int64_t begin = hp5_smaller(hp5_larger(common->depth, p->depth), p->depth_end), end = hp5_larger(begin, common->depth_end);
    for (int64_t k = p->depth; k < begin; k++)
        HP5_MULTIPLY(step)(copy, y + (k - p->depth) * HP5_TILE_ROWS, z + (k - p->depth) * HP5_MULTIPLY(tile_columns), p, i, j, k, held);
    HP5_MULTIPLY(tile)(copy[0], HP5_MULTIPLY(tile_columns), y + (begin - p->depth) * HP5_TILE_ROWS, z + (begin - p->depth) * HP5_MULTIPLY(tile_columns), end - begin, copy[0]);
    for (int64_t k = end; k < p->depth_end; k++)
        HP5_MULTIPLY(step)(copy, y + (k - p->depth) * HP5_TILE_ROWS, z + (k - p->depth) * HP5_MULTIPLY(tile_columns), p, i, j, k, held);
    for (int64_t r = 0; r < rows; r++)
        for (int64_t c = held[r].least; c <= held[r].most; c++) x[r * x_row + c] = copy[r][c];
}

/* The tile at row i and column j. */
static void HP5_MULTIPLY(tile_within)(HP5_MULTIPLY_REAL *x, int64_t x_row, const HP5_MULTIPLY_REAL *y, const HP5_MULTIPLY_REAL *z,
                                      const Hp5Product *p, int64_t i, int64_t j) {
    const int64_t last_row = hp5_smaller(i + HP5_TILE_ROWS, p->row_end) - 1, last_column = hp5_smaller(j + HP5_MULTIPLY(tile_columns), p->column_end) - 1;
    const int64_t first_column = hp5_larger(j, p->column);
    if (last_column - i < p->column_row.least || first_column - last_row > p->column_row.most) return;
    Hp5Product common = {.depth = hp5_larger(p->depth, hp5_larger(last_row + p->depth_row.least, last_column + p->depth_column.least)),
                         .depth_end = hp5_smaller(p->depth_end, hp5_smaller(i + p->depth_row.most, first_column + p->depth_column.most) + 1)};
    const bool whole = i + HP5_TILE_ROWS <= p->row_end && j >= p->column && j + HP5_MULTIPLY(tile_columns) <= p->column_end &&
                       first_column - last_row >= p->column_row.least && last_column - i <= p->column_row.most;
    if (whole && common.depth == p->depth && common.depth_end == p->depth_end) HP5_MULTIPLY(tile)(x, x_row, y, z, p->depth_end - p->depth, x + HP5_MULTIPLY(tile_columns));
    else HP5_MULTIPLY(ragged_tile)(x, x_row, y, z, p, i, j, &common);
}

static void HP5_MULTIPLY(narrow_within)(HP5_MULTIPLY_REAL *restrict x, int64_t x_row, HP5_MULTIPLY(operand) left, HP5_MULTIPLY(operand) right,
                                        const Hp5Product *p, bool subtract) {
    for (int64_t i = p->row; i < p->row_end; i++)
        for (int64_t k = hp5_larger(p->depth, i + p->depth_row.least); k < p->depth_end && k <= i + p->depth_row.most; k++) {
            const HP5_MULTIPLY_REAL value = left.data[(i - p->row) * left.row + (k - p->depth) * left.column], factor = subtract ? -value : value;
            const int64_t first = hp5_larger(p->column, hp5_larger(i + p->column_row.least, k - p->depth_column.most));
            const int64_t end = hp5_smaller(p->column_end, hp5_smaller(i + p->column_row.most, k - p->depth_column.least) + 1);
            HP5_MULTIPLY_REAL *row = x + (i - p->row) * x_row - p->column;
            const HP5_MULTIPLY_REAL *from = right.data + (k - p->depth) * right.row - p->column * right.column;
            for (int64_t j = first; j < end; j++) row[j] = HP5_MULTIPLY_SCALAR_FMA(factor, from[j * right.column], row[j]);
        }
}

/* The same as the function above for those (i, j, k) that p holds; x, left and right stand where its row, column and depth begin. */
static __attribute__((unused)) void HP5_MULTIPLY(multiply_within)(HP5_MULTIPLY_REAL *restrict x, int64_t x_row, HP5_MULTIPLY(operand) left,
                                                                  HP5_MULTIPLY(operand) right, const Hp5Product *p, bool subtract) {
    if (p->row_end - p->row < HP5_TILE_ROWS / 2 || p->column_end - p->column < HP5_MULTIPLY(tile_columns) / 2) {
        HP5_MULTIPLY(narrow_within)(x, x_row, left, right, p, subtract);
        return;
    }
    _Alignas(64) HP5_MULTIPLY_REAL y[HP5_ROW_BLOCK * HP5_TILE_DEPTH];
    _Alignas(64) HP5_MULTIPLY_REAL z[HP5_TILE_DEPTH * HP5_MULTIPLY(column_block)];
    for (int64_t j = p->column; j < p->column_end; j += HP5_MULTIPLY(column_block))
        for (int64_t k = p->depth; k < p->depth_end; k += HP5_TILE_DEPTH) {
            Hp5Product slab = hp5_product_piece(p, p->row, p->row_end - p->row, j, HP5_MULTIPLY(column_block), k, HP5_TILE_DEPTH);
            if (!hp5_product_clip(&slab)) continue;
            const int64_t strip = (slab.depth_end - slab.depth) * HP5_MULTIPLY(tile_columns);
            const HP5_MULTIPLY_REAL *corner = right.data + (slab.depth - p->depth) * right.row + (slab.column - p->column) * right.column;
            HP5_MULTIPLY(copy_columns)(z, (HP5_MULTIPLY(operand)){corner, right.row, right.column}, slab.column_end - slab.column, slab.depth_end - slab.depth);
            for (int64_t i = slab.row; i < slab.row_end; i += HP5_ROW_BLOCK) {
                Hp5Product block = hp5_product_piece(&slab, i, HP5_ROW_BLOCK, slab.column, HP5_MULTIPLY(column_block), slab.depth, HP5_TILE_DEPTH);
                if (!hp5_product_clip(&block)) continue;
                const int64_t depth = block.depth_end - block.depth;
                corner = left.data + (block.row - p->row) * left.row + (block.depth - p->depth) * left.column;
                HP5_MULTIPLY(copy_rows)(y, (HP5_MULTIPLY(operand)){corner, left.row, left.column}, block.row_end - block.row, depth, subtract);
                const int64_t skipped = (block.column - slab.column) / HP5_MULTIPLY(tile_columns);
                for (int64_t r = block.row; r < block.row_end; r += HP5_TILE_ROWS)
                    for (int64_t t = skipped; slab.column + t * HP5_MULTIPLY(tile_columns) < block.column_end; t++)
                        HP5_MULTIPLY(tile_within)(x + (r - p->row) * x_row + slab.column + t * HP5_MULTIPLY(tile_columns) - p->column, x_row,
                                                  y + (r - block.row) * depth,
                                                  z + t * strip + (block.depth - slab.depth) * HP5_MULTIPLY(tile_columns), &block, r,
                                                  slab.column + t * HP5_MULTIPLY(tile_columns));
            }
        }
}

#include "runtime/array/multiply_joined.h"

#undef HP5_MULTIPLY_JOINED
#undef HP5_MULTIPLY_REAL
#undef HP5_MULTIPLY_HALF
#undef HP5_MULTIPLY_HALF_FMA
#undef HP5_MULTIPLY_SHORT
#undef HP5_MULTIPLY_SHORT_FMA
#undef HP5_MULTIPLY_VECTOR
#undef HP5_MULTIPLY
#undef HP5_MULTIPLY_FMA
#undef HP5_MULTIPLY_ALL
#undef HP5_MULTIPLY_SCALAR_FMA
