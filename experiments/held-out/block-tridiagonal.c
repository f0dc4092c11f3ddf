/* Block tridiagonal systems with blocks of 3 x 3, one for each line: Thomas' method in blocks. */
#include "../reference/common.h"

typedef struct { double at[3][3]; } Matrix;
typedef struct { double at[3]; } Vector;
#define MATRIX "[('at', '<f8', (3, 3))]"

static inline Matrix inverse(Matrix x) {
    Matrix y;
    double(*m)[3] = x.at, (*r)[3] = y.at;
    r[0][0] = m[1][1] * m[2][2] - m[1][2] * m[2][1];
    r[0][1] = m[0][2] * m[2][1] - m[0][1] * m[2][2];
    r[0][2] = m[0][1] * m[1][2] - m[0][2] * m[1][1];
    r[1][0] = m[1][2] * m[2][0] - m[1][0] * m[2][2];
    r[1][1] = m[0][0] * m[2][2] - m[0][2] * m[2][0];
    r[1][2] = m[0][2] * m[1][0] - m[0][0] * m[1][2];
    r[2][0] = m[1][0] * m[2][1] - m[1][1] * m[2][0];
    r[2][1] = m[0][1] * m[2][0] - m[0][0] * m[2][1];
    r[2][2] = m[0][0] * m[1][1] - m[0][1] * m[1][0];
    double d = m[0][0] * r[0][0] + m[0][1] * r[1][0] + m[0][2] * r[2][0];
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) r[a][b] /= d;
    return y;
}

static inline Matrix product(Matrix x, Matrix y) {
    Matrix r;
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++) r.at[a][b] = x.at[a][0] * y.at[0][b] + x.at[a][1] * y.at[1][b] + x.at[a][2] * y.at[2][b];
    return r;
}

static inline Vector times(Matrix m, Vector v) {
    Vector r;
    for (int a = 0; a < 3; a++) r.at[a] = m.at[a][0] * v.at[0] + m.at[a][1] * v.at[1] + m.at[a][2] * v.at[2];
    return r;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "lower middle upper x k solution");
    Array lowers = array_load_record_matrix("lower", sizeof(Matrix), MATRIX), middles = array_load_record_matrix("middle", sizeof(Matrix), MATRIX);
    Array uppers = array_load_record_matrix("upper", sizeof(Matrix), MATRIX), xs = array_load_record_matrix("x", sizeof(Vector), "[('at', '<f8', (3,))]");
    int64_t lines = xs.extent[0], n = xs.extent[1];
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(static)
    for (int64_t l = 0; l < lines; l++) {
        const Matrix *restrict lower = (Matrix *)lowers.data + l * n, *restrict middle = (Matrix *)middles.data + l * n;
        Matrix *restrict upper = (Matrix *)uppers.data + l * n;
        Vector *restrict x = (Vector *)xs.data + l * n;
        Matrix m = inverse(middle[0]);
        upper[0] = product(m, upper[0]);
        x[0] = times(m, x[0]);
        for (int64_t i = 1; i < n; i++) {
            Matrix t = product(lower[i], upper[i - 1]);
            m = middle[i];
            for (int a = 0; a < 3; a++)
                for (int b = 0; b < 3; b++) m.at[a][b] -= t.at[a][b];
            m = inverse(m);
            upper[i] = product(m, upper[i]);
            Vector v = times(lower[i], x[i - 1]);
            for (int a = 0; a < 3; a++) v.at[a] = x[i].at[a] - v.at[a];
            x[i] = times(m, v);
        }
        for (int64_t i = n - 2; i >= 0; i--) {
            Vector v = times(upper[i], x[i + 1]);
            for (int a = 0; a < 3; a++) x[i].at[a] -= v.at[a];
        }
    }
    timing_print("Blocks", begin);
    array_store("solution", xs);
    return 0;
}
