/* Many products of small matrices. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a b k c");
    Array first = array_load("a", "<f8", 3), second = array_load("b", "<f8", 3);
    int64_t count = first.extent[0], rows = first.extent[1], inner = first.extent[2], columns = second.extent[2];
    Array third = array_new("<f8", 3, (int64_t[]){count, rows, columns, 1});

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t n = 0; n < count; n++) {
        const double *a = (double *)first.data + n * rows * inner, *b = (double *)second.data + n * inner * columns;
        double *restrict c = (double *)third.data + n * rows * columns;
        for (int64_t i = 0; i < rows; i++)
            for (int64_t l = 0; l < inner; l++)
                for (int64_t j = 0; j < columns; j++) c[i * columns + j] += a[i * inner + l] * b[l * columns + j];
    }
    timing_print("Batched Products", begin);
    array_store("c", third);
    return 0;
}
