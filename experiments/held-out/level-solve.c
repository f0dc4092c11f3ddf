/* A sparse triangular system with four right-hand sides, level by level. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "starts columns values diagonal order first b block parts x");
    Array starts_of = array_load("starts", "<i4", 1), columns_of = array_load("columns", "<i4", 1), values_of = array_load("values", "<f8", 1);
    Array diagonals = array_load("diagonal", "<f8", 1), orders = array_load("order", "<i4", 1), firsts = array_load("first", "<i4", 1), bs = array_load("b", "<f8", 2);
    Array xs = matrix_new("<f8", bs.extent[0], bs.extent[1]);
    const int *starts = starts_of.data, *columns = columns_of.data, *order = orders.data, *first = firsts.data;
    const double *restrict values = values_of.data, *restrict diagonal = diagonals.data, *restrict b = bs.data;
    double *x = xs.data;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t level = 0; level < firsts.count - 1; level++)
#pragma omp for schedule(static)
        for (int64_t o = first[level]; o < first[level + 1]; o++) {
            int64_t row = order[o];
            double sum[4];
            for (int c = 0; c < 4; c++) sum[c] = b[4 * row + c];
            for (int l = starts[row]; l < starts[row + 1]; l++) {
                const double *from = x + 4 * (int64_t)columns[l];
#pragma omp simd
                for (int c = 0; c < 4; c++) sum[c] -= values[l] * from[c];
            }
            for (int c = 0; c < 4; c++) x[4 * row + c] = sum[c] / diagonal[row];
        }
    timing_print("Level Solve", begin);
    array_store("x", xs);
    return 0;
}
