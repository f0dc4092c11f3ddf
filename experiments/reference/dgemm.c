/* OpenBLAS on the same matrices as programs/matrix-multiply: the opponent in experiments/compare.py.
 *
 *     dgemm EDGE THREADS
 *
 * Prints the seconds of the second of two products (the first warms threads and buffers up). */
#include <cblas.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

void openblas_set_num_threads(int threads);

int main(int argc, char **argv) {
    if (argc != 3) return fprintf(stderr, "usage: dgemm EDGE THREADS\n"), 2;
    int n = atoi(argv[1]);
    openblas_set_num_threads(atoi(argv[2]));
    size_t count = (size_t)n * (size_t)n;
    double *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b), *c = calloc(count, sizeof *c);
    if (a == NULL || b == NULL || c == NULL) return perror("dgemm"), 1;
    srand(1);
    for (size_t i = 0; i < count; i++) a[i] = rand() / (double)RAND_MAX, b[i] = rand() / (double)RAND_MAX;
    double seconds = 0;
    for (int round = 0; round < 2; round++) {
        struct timespec begin, end;
        clock_gettime(CLOCK_MONOTONIC, &begin);
        cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasNoTrans, n, n, n, 1.0, a, n, b, n, 0.0, c, n);
        clock_gettime(CLOCK_MONOTONIC, &end);
        seconds = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
    }
    printf("%.6f\n", seconds);
    free(a);
    free(b);
    free(c);
    return 0;
}
