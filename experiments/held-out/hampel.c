/* Hampel's filter. */
#include <math.h>
#include <string.h>
#include "../reference/common.h"

#define SWAP(a, b) do { double low = w[a] < w[b] ? w[a] : w[b], high = w[a] < w[b] ? w[b] : w[a]; w[a] = low; w[b] = high; } while (0)
static inline __attribute__((always_inline)) void sort(double *w) {
    SWAP(0, 6); SWAP(2, 3); SWAP(4, 5); SWAP(0, 2); SWAP(1, 4); SWAP(3, 6); SWAP(0, 1); SWAP(2, 5); SWAP(3, 4);
    SWAP(1, 2); SWAP(4, 6); SWAP(2, 3); SWAP(4, 5); SWAP(1, 2); SWAP(3, 4); SWAP(5, 6);
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "series limit k clean changes");
    Array seriess = array_load("series", "<f8", 2);
    int n = seriess.extent[0], m = seriess.extent[1];
    double factor = argument_real("limit") * 1.4826;
    Array cleans = matrix_new("<f8", n, m), changess = vector_new("<i8", n);
    int64_t *changes = changess.data;
    long long outliers = 0;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(static) reduction(+ : outliers)
    for (int s = 0; s < n; s++) {
        const double *restrict x = (double *)seriess.data + (int64_t)s * m;
        double *restrict clean = (double *)cleans.data + (int64_t)s * m;
        memcpy(clean, x, 8 * m);
        int count = 0;
#pragma omp simd reduction(+ : count)
        for (int t = 3; t < m - 3; t++) {
            double w[7];
            for (int a = 0; a < 7; a++) w[a] = x[t + a - 3];
            sort(w);
            double middle = w[3];
            for (int a = 0; a < 7; a++) w[a] = fabs(w[a] - middle);
            sort(w);
            int out = fabs(x[t] - middle) > factor * w[3];
            clean[t] = out ? middle : x[t];
            count += out;
        }
        changes[s] = count;
        outliers += count;
    }
    timing_print("Hampel", begin);
    printf("outliers %lld\n", outliers);
    array_store("clean", cleans);
    array_store("changes", changess);
    return 0;
}
