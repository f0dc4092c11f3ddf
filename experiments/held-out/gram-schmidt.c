/* Rows made orthogonal to each other; one thread. */
#include <math.h>
#include <string.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a q");
    Array as = array_load("a", "<f8", 2);
    const int64_t rows = as.extent[0], columns = as.extent[1];
    Array qs = matrix_new("<f8", rows, columns);
    double(*q)[columns] = qs.data;

    double begin = clock_now();
    memcpy(q, as.data, sizeof(double) * (size_t)(rows * columns));
    for (int64_t k = 0; k < rows; k++) {
        double square = 0;
        for (int64_t j = 0; j < columns; j++) square += q[k][j] * q[k][j];
        const double norm = sqrt(square);
        for (int64_t j = 0; j < columns; j++) q[k][j] /= norm;
        for (int64_t i = k + 1; i < rows; i++) {
            double r = 0;
            for (int64_t j = 0; j < columns; j++) r += q[k][j] * q[i][j];
            for (int64_t j = 0; j < columns; j++) q[i][j] -= r * q[k][j];
        }
    }
    timing_print("Gram-Schmidt", begin);
    array_store("q", qs);
    return 0;
}
