/* Two substances that react and spread (Gray and Scott): spots and stripes. The border keeps its start values. */
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "rows columns rounds feed kill p u v");
    int64_t n = argument_integer("rows"), m = argument_integer("columns"), rounds = argument_integer("rounds");
    double feed = argument_real("feed"), kill = argument_real("kill");
    Array us[2] = {matrix_new("<f8", n, m), matrix_new("<f8", n, m)}, vs[2] = {matrix_new("<f8", n, m), matrix_new("<f8", n, m)};

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for
        for (int64_t i = 0; i < n; i++)
            for (int64_t j = 0; j < m; j++)
                for (int side = 0; side < 2; side++) {
                    double *u = us[side].data, *v = vs[side].data;
                    bool middle = labs(2 * i - n) < n / 4 && labs(2 * j - m) < m / 4;
                    u[i * m + j] = middle ? 0.5 + 0.01 * ((7 * i + 3 * j) % 5) : 1;
                    v[i * m + j] = middle ? 0.25 : 0;
                }
        for (int64_t round = 0; round < rounds; round++) {
            const double *restrict u = us[round % 2].data, *restrict v = vs[round % 2].data;
            double *restrict next_u = us[(round + 1) % 2].data, *restrict next_v = vs[(round + 1) % 2].data;
#pragma omp for
            for (int64_t i = 1; i < n - 1; i++)
#pragma omp simd
                for (int64_t j = 1; j < m - 1; j++) {
                    int64_t at = i * m + j;
                    double a = u[at], b = v[at], reaction = a * b * b;
                    next_u[at] = a + 0.2 * (u[at - m] + u[at + m] + u[at - 1] + u[at + 1] - 4 * a) - reaction + feed * (1 - a);
                    next_v[at] = b + 0.1 * (v[at - m] + v[at + m] + v[at - 1] + v[at + 1] - 4 * b) + reaction - (feed + kill) * b;
                }
        }
    }
    timing_print("Gray-Scott", begin);
    array_store("u", us[rounds % 2]);
    array_store("v", vs[rounds % 2]);
    return 0;
}
