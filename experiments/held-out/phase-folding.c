/* The period of a variable star by phase dispersion: for each frequency the observations are folded and binned. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "time light trials lowest step k l theta");
    Array times = array_load("time", "<f8", 1), lights = array_load("light", "<f8", 1);
    int64_t n = times.count, trials = argument_integer("trials");
    Array thetas = vector_new("<f8", trials);
    const double *restrict time = times.data, *restrict light = lights.data, lowest = argument_real("lowest"), step = argument_real("step");
    double *theta = thetas.data, sum = 0, squares = 0;

    double begin = clock_now();
#pragma omp parallel for simd num_threads(argument_threads()) reduction(+ : sum, squares)
    for (int64_t o = 0; o < n; o++) {
        sum += light[o];
        squares += light[o] * light[o];
    }
    double mean = sum / n, variance = (squares - n * mean * mean) / (n - 1);
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t trial = 0; trial < trials; trial++) {
        double frequency = lowest + step * trial, total[16] = {0}, square[16] = {0}, within = 0;
        int count[16] = {0}, degrees = 0;
        for (int64_t o = 0; o < n; o++) {
            double turns = frequency * time[o], off = light[o] - mean;
            int bin = 16 * (turns - floor(turns));
            count[bin]++;
            total[bin] += off;
            square[bin] += off * off;
        }
        for (int bin = 0; bin < 16; bin++)
            if (count[bin] > 1) {
                within += square[bin] - total[bin] * total[bin] / count[bin];
                degrees += count[bin] - 1;
            }
        theta[trial] = within / degrees / variance;
    }
    int64_t best = 0;
    for (int64_t trial = 1; trial < trials; trial++)
        if (theta[trial] < theta[best]) best = trial;
    timing_print("Folding", begin);
    printf("best trial %lld\n", (long long)best);
    array_store("theta", thetas);
    return 0;
}
