/* How alike series are to themselves some steps later: for each series and lag, around the mean. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x lags k r");
    Array xs = array_load("x", "<f8", 2);
    int64_t count = xs.extent[0], length = xs.extent[1], lags = argument_integer("lags");
    Array results = matrix_new("<f8", count, lags + 1);

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t s = 0; s < count; s++) {
        const double *restrict x = (double *)xs.data + s * length;
        double *restrict r = (double *)results.data + s * (lags + 1), mean = 0;
        for (int64_t t = 0; t < length; t++) mean += x[t];
        mean /= length;
        for (int64_t lag = 0; lag <= lags; lag++) {
            double sum = 0;
#pragma omp simd reduction(+ : sum)
            for (int64_t t = 0; t < length - lag; t++) sum += (x[t] - mean) * (x[t + lag] - mean);
            r[lag] = sum;
        }
        for (int64_t lag = lags; lag >= 0; lag--) r[lag] /= r[0];
    }
    timing_print("Autocorrelation", begin);
    array_store("r", results);
    return 0;
}
