/* Each row's exponentials as parts of their sum. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a b k");
    Array as = array_load("a", "<f8", 2);
    const int64_t rows = as.extent[0], columns = as.extent[1];
    Array bs = matrix_new("<f8", rows, columns);
    const double(*a)[columns] = as.data;
    double(*b)[columns] = bs.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < rows; i++) {
        double top = a[i][0], total = 0;
        for (int64_t j = 0; j < columns; j++)
            if (a[i][j] > top) top = a[i][j];
        for (int64_t j = 0; j < columns; j++) total += exp(a[i][j] - top);
        for (int64_t j = 0; j < columns; j++) b[i][j] = exp(a[i][j] - top) / total;
    }
    timing_print("Softmax", begin);
    array_store("b", bs);
    return 0;
}
