/* Mean, spread and extremes of each column of a table, in one pass over the rows (Welford). */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "table k mean spread least most");
    Array tables = array_load("table", "<f8", 2);
    int64_t rows = tables.extent[0], columns = tables.extent[1];
    Array means = vector_new("<f8", columns), spreads = vector_new("<f8", columns), leasts = vector_new("<f8", columns), mosts = vector_new("<f8", columns);
    double *mean = means.data, *spread = spreads.data, *least = leasts.data, *most = mosts.data;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t i = 0; i < rows; i++) {
        const double *row = (double *)tables.data + i * columns;
#pragma omp for simd schedule(static)
        for (int64_t j = 0; j < columns; j++) {
            if (i == 0) least[j] = most[j] = row[j];
            double off = row[j] - mean[j];
            mean[j] += off / (i + 1);
            spread[j] += off * (row[j] - mean[j]);
            least[j] = row[j] < least[j] ? row[j] : least[j];
            most[j] = row[j] > most[j] ? row[j] : most[j];
            if (i == rows - 1) spread[j] = sqrt(spread[j] / (rows - 1));
        }
    }
    timing_print("Welford", begin);
    array_store("mean", means);
    array_store("spread", spreads);
    array_store("least", leasts);
    array_store("most", mosts);
    return 0;
}
