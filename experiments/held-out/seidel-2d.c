#include "../reference/common.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start rounds result");
    Array aa = array_load("start", "<f8", 2);
    int64_t n = aa.extent[0], m = aa.extent[1], rounds = argument_integer("rounds");
    double *a = aa.data;
    double begin = clock_now();
    double *sum = malloc(m * sizeof *sum);
    for (int64_t t = 0; t < rounds; t++)
        for (int64_t i = 1; i < n - 1; i++) {
            const double *up = a + (i - 1) * m, *down = a + (i + 1) * m;
            double *row = a + i * m;
            for (int64_t j = 1; j < m - 1; j++)
                sum[j] = (up[j - 1] + up[j] + up[j + 1] + row[j] + row[j + 1] + down[j - 1] + down[j] + down[j + 1]) * (1 / 9.0);
            double left = row[0];
            for (int64_t j = 1; j < m - 1; j++) row[j] = left = fma(left, 1 / 9.0, sum[j]);
        }
    timing_print("Seidel", begin);
    array_store("result", aa);
    return 0;
}
