/* Inverse of a lower triangular matrix in place, one row after the other. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a inverse");
    Array as = array_load("a", "<f8", 2);
    int64_t n = as.extent[0];
    double *a = as.data;
    double begin = clock_now();
    for (int64_t i = 0; i < n; i++) {
        double p = 1 / a[i * n + i];
        for (int64_t j = 0; j < i; j++) {
            double sum = 0;
            for (int64_t k = j; k < i; k++) sum += a[i * n + k] * a[k * n + j];
            a[i * n + j] = -p * sum;
        }
        a[i * n + i] = p;
    }
    timing_print("TriangularInverse", begin);
    array_store("inverse", as);
    return 0;
}
