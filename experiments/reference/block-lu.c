/* Block LU factorization with partial pivoting and Pthreads: rows p of a, in that order, are l u.
 *
 * A step takes a block of columns that has been factored in a panel of its own, close together in memory. For every other
 * block, a thread that is free exchanges the rows, solves for the rows of u and takes the product out of the rows below.
 * The first block in line is the one to be factored next: whoever has it factors it at once, while the
 * others work on (look-ahead). Products go through tiles held in registers; the right operand is packed.
 *
 *     block-lu a=FILE lu=FILE p=FILE [--threads=N] [--task-times]
 */
#include "common.h"
#include "threads.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#ifdef __AVX512F__
enum { LANES = 8 };
#else
enum { LANES = 4 };
#endif
enum { WIDTH = 96, TILE_ROWS = 6, TILE_VECTORS = 2, TILE_COLUMNS = TILE_VECTORS * LANES, ROW_BLOCK = 192, NARROW = 8 };

typedef double Vector __attribute__((vector_size(LANES * sizeof(double)), aligned(8)));

typedef struct Work {
    const double *a;
    double *lu, *panels[2]; /* a panel has the rows from its first pivot on, WIDTH elements each */
    int64_t *p, *pivots;
    int64_t n, blocks;
    atomic_llong next[2]; /* the next block in line of this step and, for the time being, of the one after it */
    Barrier barrier;
} Work;

static int64_t lesser(int64_t a, int64_t b) { return a < b ? a : b; }

/* ---- c -= a b ------------------------------------------------------------------------------------------------ */

/* Packs `columns` of b in strips of TILE_COLUMNS, each k after k; what is missing in the last strip is 0. */
static void pack(double *restrict to, const double *restrict b, int64_t b_row, int64_t columns, int64_t depth) {
    for (int64_t first = 0; first < columns; first += TILE_COLUMNS) {
        const int64_t held = lesser(TILE_COLUMNS, columns - first);
        for (int64_t k = 0; k < depth; k++, to += TILE_COLUMNS) {
            for (int64_t j = 0; j < held; j++) to[j] = b[k * b_row + first + j];
            for (int64_t j = held; j < TILE_COLUMNS; j++) to[j] = 0;
        }
    }
}

static inline void tile(double *restrict c, int64_t c_row, const double *restrict a, int64_t a_row, const double *restrict b,
                        int64_t depth) {
    Vector sum[TILE_ROWS][TILE_VECTORS];
    for (int r = 0; r < TILE_ROWS; r++)
        for (int v = 0; v < TILE_VECTORS; v++) sum[r][v] = *(const Vector *)(c + r * c_row + v * LANES);
    for (int64_t k = 0; k < depth; k++, b += TILE_COLUMNS)
        for (int r = 0; r < TILE_ROWS; r++)
            for (int v = 0; v < TILE_VECTORS; v++) sum[r][v] -= a[r * a_row + k] * *(const Vector *)(b + v * LANES);
    for (int r = 0; r < TILE_ROWS; r++)
        for (int v = 0; v < TILE_VECTORS; v++) *(Vector *)(c + r * c_row + v * LANES) = sum[r][v];
}

static void edge_tile(double *c, int64_t c_row, const double *a, int64_t a_row, const double *b, int64_t rows, int64_t columns,
                      int64_t depth) {
    for (int64_t r = 0; r < rows; r++)
        for (int64_t j = 0; j < columns; j++)
            for (int64_t k = 0; k < depth; k++) c[r * c_row + j] -= a[r * a_row + k] * b[k * TILE_COLUMNS + j];
}

/* c, a and b are parts of larger matrices; at most WIDTH columns and depth WIDTH. */
static void subtract_product(double *c, int64_t c_row, const double *a, int64_t a_row, const double *b, int64_t b_row, int64_t rows,
                             int64_t columns, int64_t depth) {
    _Alignas(64) double packed[WIDTH * (WIDTH + TILE_COLUMNS)];
    pack(packed, b, b_row, columns, depth);
    for (int64_t block = 0; block < rows; block += ROW_BLOCK)
        for (int64_t j = 0; j < columns; j += TILE_COLUMNS)
            for (int64_t i = block; i < lesser(block + ROW_BLOCK, rows); i += TILE_ROWS) {
                const int64_t held_rows = lesser(TILE_ROWS, rows - i), held_columns = lesser(TILE_COLUMNS, columns - j);
                if (held_rows == TILE_ROWS && held_columns == TILE_COLUMNS)
                    tile(c + i * c_row + j, c_row, a + i * a_row, a_row, packed + j * depth, depth);
                else
                    edge_tile(c + i * c_row + j, c_row, a + i * a_row, a_row, packed + j * depth, held_rows, held_columns, depth);
            }
}

/* Overwrites b with l⁻¹ b for the unit lower triangle of l; at most WIDTH columns and rows. */
static void solve_unit_lower(const double *l, int64_t l_row, double *b, int64_t b_row, int64_t rows, int64_t columns) {
    if (rows > NARROW) {
        const int64_t half = rows / 2;
        solve_unit_lower(l, l_row, b, b_row, half, columns);
        subtract_product(b + half * b_row, b_row, l + half * l_row, l_row, b, b_row, rows - half, columns, half);
        solve_unit_lower(l + half * l_row + half, l_row, b + half * b_row, b_row, rows - half, columns);
        return;
    }
    for (int64_t i = 1; i < rows; i++)
        for (int64_t k = 0; k < i; k++) {
            const double factor = l[i * l_row + k];
            double *restrict to = b + i * b_row;
            const double *restrict from = b + k * b_row;
            for (int64_t j = 0; j < columns; j++) to[j] -= factor * from[j];
        }
}

/* ---- Panels -------------------------------------------------------------------------------------------------- */

static void exchange(double *restrict one, double *restrict two, int64_t count) {
    for (int64_t j = 0; j < count; j++) {
        const double keep = one[j];
        one[j] = two[j];
        two[j] = keep;
    }
}

static void factor_narrow(double *panel, int64_t rows, int64_t width, int64_t first, int64_t end, int64_t *pivots) {
    for (int64_t k = first; k < end; k++) {
        int64_t pivot = k;
        for (int64_t i = k + 1; i < rows; i++)
            if (fabs(panel[i * WIDTH + k]) > fabs(panel[pivot * WIDTH + k])) pivot = i;
        pivots[k] = pivot;
        if (pivot != k) exchange(panel + k * WIDTH, panel + pivot * WIDTH, width);
        const double *restrict pivot_row = panel + k * WIDTH;
        for (int64_t i = k + 1; i < rows; i++) {
            double *restrict row = panel + i * WIDTH;
            const double factor = row[k] /= pivot_row[k];
            for (int64_t j = k + 1; j < end; j++) row[j] -= factor * pivot_row[j];
        }
    }
}

/* Factors columns first … end - 1 of a panel: one half, what follows for the other half, the other half. */
static void factor_columns(double *panel, int64_t rows, int64_t width, int64_t first, int64_t end, int64_t *pivots) {
    if (end - first <= NARROW) {
        factor_narrow(panel, rows, width, first, end, pivots);
        return;
    }
    const int64_t middle = first + (end - first) / 2;
    factor_columns(panel, rows, width, first, middle, pivots);
    double *top = panel + first * WIDTH + middle;
    solve_unit_lower(panel + first * WIDTH + first, WIDTH, top, WIDTH, middle - first, end - middle);
    subtract_product(panel + middle * WIDTH + middle, WIDTH, panel + middle * WIDTH + first, WIDTH, top, WIDTH, rows - middle,
                     end - middle, middle - first);
    factor_columns(panel, rows, width, middle, end, pivots);
}

static void factor_panel(Work *work, int64_t block) {
    const int64_t n = work->n, first = block * WIDTH, width = lesser(WIDTH, n - first);
    double *panel = work->panels[block % 2];
    for (int64_t i = first; i < n; i++) memcpy(panel + (i - first) * WIDTH, work->lu + i * n + first, (size_t)width * sizeof *panel);
    factor_columns(panel, n - first, width, 0, width, work->pivots + first);
    for (int64_t i = first; i < n; i++) memcpy(work->lu + i * n + first, panel + (i - first) * WIDTH, (size_t)width * sizeof *panel);
}

/* ---- Steps --------------------------------------------------------------------------------------------------- */

/* What step `block` does to the columns of block `other`. */
static void take_out(Work *work, int64_t block, int64_t other) {
    const int64_t n = work->n, first = block * WIDTH, width = lesser(WIDTH, n - first);
    const int64_t column = other * WIDTH, columns = lesser(WIDTH, n - column);
    double *lu = work->lu + column;
    const double *panel = work->panels[block % 2];
    for (int64_t k = first; k < first + width; k++) {
        const int64_t pivot = first + work->pivots[k];
        if (pivot != k) exchange(lu + k * n, lu + pivot * n, columns);
    }
    if (other < block) return;
    solve_unit_lower(panel, WIDTH, lu + first * n, n, width, columns);
    subtract_product(lu + (first + width) * n, n, panel + width * WIDTH, WIDTH, lu + first * n, n, n - first - width, columns, width);
}

/* Blocks stand in line beginning with the one after `block`, and those to its left last. */
static void step(Work *work, int64_t block) {
    for (;;) {
        const int64_t turn = atomic_fetch_add(&work->next[block % 2], 1);
        if (turn >= work->blocks - 1) return;
        const int64_t other = (block + 1 + turn) % work->blocks;
        take_out(work, block, other);
        if (other == block + 1) factor_panel(work, other);
    }
}

static void factor(int rank, void *data) {
    Work *work = data;
    const int64_t n = work->n, begin = share(0, n, rank, work->barrier.threads), end = share(0, n, rank + 1, work->barrier.threads);
    memcpy(work->lu + begin * n, work->a + begin * n, (size_t)((end - begin) * n) * sizeof(double));
    barrier_wait(&work->barrier);
    if (rank == 0) factor_panel(work, 0);
    barrier_wait(&work->barrier);
    for (int64_t block = 0; block < work->blocks; block++) {
        if (rank == 0) atomic_store(&work->next[(block + 1) % 2], 0);
        step(work, block);
        barrier_wait(&work->barrier);
    }
    if (rank != 0) return;
    for (int64_t k = 0; k < n; k++) work->p[k] = k;
    for (int64_t k = 0; k < n; k++) {
        const int64_t pivot = k / WIDTH * WIDTH + work->pivots[k], keep = work->p[k];
        work->p[k] = work->p[pivot];
        work->p[pivot] = keep;
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a lu p b parts");
    Array a = array_load("a", "<f8", 2);
    const int64_t n = a.extent[0];
    if (n != a.extent[1]) fail(1, "a is not square");
    Array lu = matrix_new("<f8", n, n), p = vector_new("<i8", n), pivots = vector_new("<i8", n);
    Array panels[2] = {matrix_new("<f8", n, WIDTH), matrix_new("<f8", n, WIDTH)};
    Work work = {.a = a.data, .lu = lu.data, .p = p.data, .pivots = pivots.data, .panels = {panels[0].data, panels[1].data},
                 .n = n, .blocks = (n + WIDTH - 1) / WIDTH, .barrier = {.threads = argument_threads()}};
    double begin = clock_now();
    threads_run(argument_threads(), factor, &work);
    timing_print("block-lu", begin);
    array_store("lu", lu);
    array_store("p", p);
    array_free(&a);
    array_free(&lu);
    array_free(&p);
    array_free(&pivots);
    array_free(&panels[0]);
    array_free(&panels[1]);
    return 0;
}
