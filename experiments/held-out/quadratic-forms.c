/* How far points are from a cloud, by Mahalanobis: (x - m) A (x - m) for each point x. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x mean a k distance");
    Array xs = array_load("x", "<f8", 2), means = array_load("mean", "<f8", 1), as = array_load("a", "<f8", 2), results = vector_new("<f8", xs.extent[0]);
    int64_t count = xs.extent[0], depth = xs.extent[1];
    const double *restrict mean = means.data, *restrict a = as.data;
    double *restrict distance = results.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < count; i++) {
        double off[depth], sum = 0;
        for (int64_t q = 0; q < depth; q++) off[q] = ((double *)xs.data)[i * depth + q] - mean[q];
        for (int64_t p = 0; p < depth; p++) {
            double row = 0;
#pragma omp simd reduction(+ : row)
            for (int64_t q = 0; q < depth; q++) row += a[p * depth + q] * off[q];
            sum += off[p] * row;
        }
        distance[i] = sqrt(sum);
    }
    timing_print("Mahalanobis", begin);
    array_store("distance", results);
    return 0;
}
