/* Van der Pol's oscillator for many parameters by Heun's and Euler's methods together, whose difference sets the step. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "mu end error k x v steps");
    Array mus = array_load("mu", "<f8", 1);
    Array xs = vector_new("<f8", mus.count), vs = vector_new("<f8", mus.count), counts = vector_new("<i4", mus.count);
    const double *mu = mus.data;
    double end = argument_real("end"), error = argument_real("error");

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < mus.count; i++) {
        double a = 2, b = 0, t = 0, h = 0.01;
        int tries = 0;
        do {
            if (h > end - t) h = end - t;
            double da = b, db = mu[i] * (1 - a * a) * b - a, a1 = a + h * da, b1 = b + h * db;
            double da1 = b1, db1 = mu[i] * (1 - a1 * a1) * b1 - a1;
            double off_a = fabs(da1 - da), off_b = fabs(db1 - db), off = 0.5 * h * (off_a > off_b ? off_a : off_b);
            if (off <= error) {
                a += 0.5 * h * (da + da1);
                b += 0.5 * h * (db + db1);
                t += h;
            }
            double change = 0.9 * sqrt(error / (off + 1e-300));
            h *= change < 0.2 ? 0.2 : change > 5 ? 5 : change;
            tries++;
        } while (t < end && tries < 100000);
        ((double *)xs.data)[i] = a;
        ((double *)vs.data)[i] = b;
        ((int *)counts.data)[i] = tries;
    }
    timing_print("Adaptive Steps", begin);
    array_store("x", xs);
    array_store("v", vs);
    array_store("steps", counts);
    return 0;
}
