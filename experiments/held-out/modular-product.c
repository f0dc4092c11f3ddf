/* The product of two matrices of whole numbers modulo a prime. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a b prime k c");
    Array as = array_load("a", "<i8", 2), bs = array_load("b", "<i8", 2);
    int64_t n = as.extent[0], depth = as.extent[1], columns = bs.extent[1], prime = argument_integer("prime");
    Array cs = matrix_new("<i8", n, columns);
    const int64_t *restrict a = as.data, *restrict b = bs.data;
    int64_t *restrict c = cs.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < n; i++)
        for (int64_t j = 0; j < columns; j++) {
            int64_t sum = 0;
            for (int64_t m = 0; m < depth; m++) sum = (sum + a[i * depth + m] * b[m * columns + j]) % prime;
            c[i * columns + j] = sum;
        }
    timing_print("Modular Product", begin);
    array_store("c", cs);
    return 0;
}
