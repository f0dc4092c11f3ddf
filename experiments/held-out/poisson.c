/* Poisson's equation on a square by Jacobi's method, with relaxation, until no point changes by more than a limit. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "f limit k u");
    Array fs = array_load("f", "<f8", 2);
    int64_t n = fs.extent[0], m = fs.extent[1], rounds = 0;
    Array us[2] = {matrix_new("<f8", n, m), matrix_new("<f8", n, m)};
    const double *restrict f = fs.data;
    double limit = argument_real("limit"), change = 2 * limit;

    double begin = clock_now();
    while (change > limit) {
        const double *restrict u = us[rounds % 2].data;
        double *restrict next = us[(rounds + 1) % 2].data;
        change = 0;
#pragma omp parallel for num_threads(argument_threads()) reduction(max : change)
        for (int64_t i = 1; i < n - 1; i++)
#pragma omp simd reduction(max : change)
            for (int64_t j = 1; j < m - 1; j++) {
                int64_t at = i * m + j;
                double off = 0.25 * (u[at - m] + u[at + m] + u[at - 1] + u[at + 1] + f[at]) - u[at];
                next[at] = u[at] + 0.9 * off;
                change = fabs(off) > change ? fabs(off) : change;
            }
        rounds++;
    }
    timing_print("Poisson", begin);
    printf("rounds %lld\n", (long long)rounds);
    array_store("u", us[rounds % 2]);
    return 0;
}
