/* Many banded systems by QR with Givens rotations. */
#include <math.h>
#include <string.h>
#include "../reference/common.h"

enum { LONGEST = 512 };

int main(int argc, char **argv) {
    arguments_read(argc, argv, "band b k x log_determinant");
    Array bands = array_load("band", "<f8", 3), bs = array_load("b", "<f8", 2);
    int64_t n = bs.extent[0], singular = 0;
    int rows = bs.extent[1];
    Array xs = matrix_new("<f8", n, rows), logs = vector_new("<f8", n);
    double *log_determinant = logs.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(static) reduction(+ : singular)
    for (int64_t s = 0; s < n; s++) {
        const double(*restrict band)[5] = (void *)((double *)bands.data + s * rows * 5);
        double r[LONGEST][7], y[LONGEST], *restrict x = (double *)xs.data + s * rows;
        for (int i = 0; i < rows; i++) {
            memcpy(r[i], band[i], sizeof band[i]);
            r[i][5] = r[i][6] = 0;
        }
        memcpy(y, (double *)bs.data + s * rows, rows * sizeof *y);
        for (int j = 0; j < rows - 1; j++)
            for (int i = j + 1; i <= j + 2 && i < rows; i++) {
                double low = r[i][j - i + 2], high = r[j][2];
                if (low == 0) continue;
                double length = sqrt(high * high + low * low), c = high / length, sn = low / length;
                int last = j + 4 < rows - 1 ? 4 : rows - 1 - j;
                double *restrict one = r[j] + 2, *restrict other = r[i] + j - i + 2;
                for (int m = 0; m <= last; m++) {
                    double above = one[m], below = other[m];
                    one[m] = c * above + sn * below;
                    other[m] = c * below - sn * above;
                }
                double above = y[j];
                y[j] = c * above + sn * y[i];
                y[i] = c * y[i] - sn * above;
            }
        double size = 0;
        for (int i = rows - 1; i >= 0; i--) {
            double rest = y[i];
            for (int m = i + 1; m <= i + 4 && m < rows; m++) rest -= r[i][m - i + 2] * x[m];
            x[i] = rest / r[i][2];
            size += log(fabs(r[i][2]));
        }
        log_determinant[s] = size;
        singular += size < -200;
    }
    timing_print("Givens", begin);
    printf("singular %lld\n", (long long)singular);
    array_store("x", xs);
    array_store("log_determinant", logs);
    return 0;
}
