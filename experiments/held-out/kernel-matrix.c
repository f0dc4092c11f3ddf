/* Predictions by radial basis functions. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "known weight point width k value");
    Array knowns = array_load("known", "<f8", 2), weights = array_load("weight", "<f8", 1), points = array_load("point", "<f8", 2);
    int64_t count = points.extent[0], depth = points.extent[1];
    Array values = vector_new("<f8", count);
    const double *restrict known = knowns.data, *restrict weight = weights.data;
    double width = argument_real("width");

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < count; i++) {
        const double *restrict point = (double *)points.data + i * depth;
        double sum = 0;
        for (int64_t j = 0; j < weights.count; j++) {
            double square = 0;
            for (int64_t d = 0; d < depth; d++) {
                double off = point[d] - known[j * depth + d];
                square += off * off;
            }
            sum += weight[j] * exp(-square / width);
        }
        ((double *)values.data)[i] = sum;
    }
    timing_print("Radial Basis", begin);
    array_store("value", values);
    return 0;
}
