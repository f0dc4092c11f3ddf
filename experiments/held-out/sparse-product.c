/* y = A x for a sparse matrix in compressed rows, several times. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "values columns starts x rounds k y");
    Array values = array_load("values", "<f8", 1), columns = array_load("columns", "<i4", 1), starts = array_load("starts", "<i4", 1);
    Array x = array_load("x", "<f8", 1), y = vector_new("<f8", starts.count - 1);
    const double *value = values.data, *from = x.data;
    const int *column = columns.data, *start = starts.data;
    double *to = y.data;
    int64_t rounds = argument_integer("rounds");

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++)
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 0; i < y.count; i++) {
            double sum = 0;
            for (int j = start[i]; j < start[i + 1]; j++) sum += value[j] * from[column[j]];
            to[i] = sum;
        }
    timing_print("Sparse Product", begin);
    array_store("y", y);
    return 0;
}
