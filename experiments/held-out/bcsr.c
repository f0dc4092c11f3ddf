/* Power iteration with a sparse matrix of 4x4 blocks (BCSR). */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start first column value limit k vector history");
    Array xs = array_load("start", "<f8", 2), firsts = array_load("first", "<i4", 1), columns = array_load("column", "<i4", 1), values = array_load("value", "<f8", 3);
    int n = xs.extent[0], limit = argument_integer("limit"), rounds = 0;
    Array histories = vector_new("<f8", limit);
    const int *restrict first = firsts.data, *restrict column = columns.data;
    const double (*restrict value)[4][4] = values.data;
    double (*restrict x)[4] = xs.data, (*restrict y)[4] = memory_new(sizeof(double) * 4 * n), *history = histories.data, change = 1, before = 0;
    double begin = clock_now();
    while (change > 1e-6 && rounds < limit) {
        double squares = 0, rayleigh = 0;
#pragma omp parallel for num_threads(argument_threads()) schedule(static) reduction(+ : squares, rayleigh)
        for (int i = 0; i < n; i++) {
            double sum[4] = {0};
            for (int b = first[i]; b < first[i + 1]; b++) {
                const double *v = x[column[b]];
                for (int r = 0; r < 4; r++) sum[r] += value[b][r][0] * v[0] + value[b][r][1] * v[1] + value[b][r][2] * v[2] + value[b][r][3] * v[3];
            }
            for (int r = 0; r < 4; r++) {
                y[i][r] = sum[r];
                squares += sum[r] * sum[r];
                rayleigh += sum[r] * x[i][r];
            }
        }
        change = fabs(rayleigh - before) / fabs(rayleigh);
        before = rayleigh;
        history[rounds++] = rayleigh;
        double factor = 1 / sqrt(squares);
#pragma omp parallel for num_threads(argument_threads()) schedule(static)
        for (int i = 0; i < n; i++)
            for (int r = 0; r < 4; r++) x[i][r] = factor * y[i][r];
    }
    timing_print("Power", begin);
    printf("rounds %d\n", rounds);
    array_store("vector", xs);
    array_store("history", histories);
    return 0;
}
