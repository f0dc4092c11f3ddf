#include "../reference/common.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static inline int most(int a, int b) { return a > b ? a : b; }
int main(int argc, char **argv) {
    arguments_read(argc, argv, "base table");
    Array bb = array_load("base", "<i4", 1);
    int64_t n = bb.extent[0];
    Array tt = matrix_new("<i4", n, n);
    const int *base = bb.data;
    int *t = tt.data;
    double begin = clock_now();
    for (int64_t i = n - 2; i >= 0; i--) {
        int *restrict row = t + i * n;
        const int *below = row + n;
        for (int64_t j = i + 1; j < n; j++) {
            int best = most(row[j], most(row[j - 1], below[j]));
            best = most(best, below[j - 1] + (i < j - 1 && base[i] + base[j] == 3));
            row[j] = best;
            if (j + 1 == n) break;
            const int *restrict other = t + (j + 1) * n;
#pragma omp simd
            for (int64_t r = j + 1; r < n; r++) row[r] = most(row[r], best + other[r]);
        }
    }
    timing_print("Nussinov", begin);
    array_store("table", tt);
    return 0;
}
