/* To which of eight normal distributions points belong, and with what probability (the first half of a step of the EM method). */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "point mean precision logarithm k belongs likely");
    Array points = array_load("point", "<f8", 2), means = array_load("mean", "<f8", 2), precisions = array_load("precision", "<f8", 2);
    Array logarithms = array_load("logarithm", "<f8", 1);
    int64_t count = points.extent[0], depth = points.extent[1], classes = means.extent[0];
    Array results = matrix_new("<f8", count, classes), likelies = vector_new("<f8", count);
    const double *restrict mean = means.data, *restrict precision = precisions.data, *restrict logarithm = logarithms.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < count; i++) {
        const double *restrict point = (double *)points.data + i * depth;
        double *restrict belongs = (double *)results.data + i * classes, most = -1e300, total = 0;
        for (int64_t c = 0; c < classes; c++) {
            double sum = 0;
            for (int64_t d = 0; d < depth; d++) {
                double e = point[d] - mean[c * depth + d];
                sum += precision[c * depth + d] * e * e;
            }
            belongs[c] = logarithm[c] - 0.5 * sum;
            if (belongs[c] > most) most = belongs[c];
        }
        for (int64_t c = 0; c < classes; c++) total += belongs[c] = exp(belongs[c] - most);
        for (int64_t c = 0; c < classes; c++) belongs[c] /= total;
        ((double *)likelies.data)[i] = most + log(total);
    }
    timing_print("Mixture", begin);
    array_store("belongs", results);
    array_store("likely", likelies);
    return 0;
}
