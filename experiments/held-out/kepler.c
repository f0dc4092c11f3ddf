/* Kepler's equation E - e sin E = M by Newton's method, and where the bodies are on their ellipses. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "anomaly e k x y");
    Array anomalies = array_load("anomaly", "<f8", 1), es = array_load("e", "<f8", 1);
    Array xs = vector_new("<f8", es.count), ys = vector_new("<f8", es.count);
    const double *anomaly = anomalies.data, *eccentricity = es.data;
    double *x = xs.data, *y = ys.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < es.count; i++) {
        double m = anomaly[i], e = eccentricity[i], angle = m + e * sin(m), change;
        do {
            change = (angle - e * sin(angle) - m) / (1 - e * cos(angle));
            angle -= change;
        } while (fabs(change) > 1e-12);
        x[i] = cos(angle) - e;
        y[i] = sqrt(1 - e * e) * sin(angle);
    }
    timing_print("Kepler", begin);
    array_store("x", xs);
    array_store("y", ys);
    return 0;
}
