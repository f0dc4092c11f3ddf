/* Least squares with many matrices of 6 x 4: Givens rotations in small arrays. */
#include <math.h>
#include "../reference/common.h"

typedef struct { double a[6][4], b[6]; } Problem;

static inline void rotate(double *p, double *q, double c, double s) {
    double t = c * *p + s * *q;
    *q = c * *q - s * *p;
    *p = t;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "problems k x left");
    Array problemss = array_load_records("problems", sizeof(Problem), "[('a', '<f8', (6, 4)), ('b', '<f8', (6,))]");
    int64_t n = problemss.count;
    const Problem *problems = problemss.data;
    Array xs = matrix_new("<f8", n, 4), lefts = vector_new("<f8", n);
    double *restrict x = xs.data, *restrict left = lefts.data;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(static)
    for (int64_t m = 0; m < n; m++) {
        Problem problem = problems[m];
        double(*a)[4] = problem.a, *b = problem.b;
        for (int j = 0; j < 4; j++)
            for (int i = j + 1; i < 6; i++) {
                double r = sqrt(a[j][j] * a[j][j] + a[i][j] * a[i][j]), c = 1, s = 0;
                if (r > 0) c = a[j][j] / r, s = a[i][j] / r;
                for (int q = j; q < 4; q++) rotate(&a[j][q], &a[i][q], c, s);
                rotate(&b[j], &b[i], c, s);
            }
        for (int i = 3; i >= 0; i--) {
            double sum = b[i];
            for (int q = i + 1; q < 4; q++) sum -= a[i][q] * b[q];
            b[i] = sum / a[i][i];
            x[4 * m + i] = b[i];
        }
        left[m] = sqrt(b[4] * b[4] + b[5] * b[5]);
    }
    timing_print("LeastSquares", begin);
    array_store("x", xs);
    array_store("left", lefts);
    return 0;
}
