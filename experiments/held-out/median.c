/* The median of 3 times 3 points, by a network of minima and maxima. */
#include "../reference/common.h"

static inline double least(double a, double b) { return a < b ? a : b; }
static inline double most(double a, double b) { return a > b ? a : b; }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image result rounds k");
    Array images = array_load("image", "<f8", 2);
    const int64_t rows = images.extent[0], columns = images.extent[1], rounds = argument_integer("rounds");
    Array results = matrix_new("<f8", rows, columns);
    const double(*restrict image)[columns] = images.data;
    double(*restrict result)[columns] = results.data;

    double begin = clock_now();
    for (int64_t round = 0; round < rounds; round++) {
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t i = 1; i < rows - 1; i++) {
            for (int64_t j = 1; j < columns - 1; j++) {
                double low[3], middle[3], high[3];
                for (int r = 0; r < 3; r++) {
                    const double *x = &image[i + r - 1][j - 1];
                    const double a = least(x[0], x[1]), b = most(x[0], x[1]), c = least(b, x[2]);
                    high[r] = most(b, x[2]);
                    low[r] = least(a, c);
                    middle[r] = most(a, c);
                }
                const double l = most(low[0], most(low[1], low[2])), h = least(high[0], least(high[1], high[2]));
                const double m = most(least(middle[0], middle[1]), least(most(middle[0], middle[1]), middle[2]));
                result[i][j] = most(least(l, m), least(most(l, m), h));
            }
        }
    }
    timing_print("Median", begin);
    array_store("result", results);
    return 0;
}
