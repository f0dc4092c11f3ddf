/* Disparities of two images by sums of differences in windows. */
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "left right shifts k disparity");
    Array ll = array_load("left", "<i4", 2), rr = array_load("right", "<i4", 2), oo = array_new("<i4", 2, ll.extent);
    int64_t n = ll.extent[0], m = ll.extent[1], S = argument_integer("shifts");
    const int *restrict l = ll.data, *restrict r = rr.data;
    int *restrict o = oo.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
        int *restrict best = malloc(4 * m), *restrict sum = malloc(4 * m);
#pragma omp for
        for (int64_t i = 2; i < n - 2; i++) {
            for (int64_t j = 0; j < m; j++) best[j] = 1000000000;
            for (int d = 0; d < S; d++) {
                for (int64_t j = 0; j < m; j++) sum[j] = 0;
                for (int di = -2; di <= 2; di++)
                    for (int64_t j = 1 + S; j < m - 2; j++)
                        for (int dj = -2; dj <= 2; dj++) sum[j] += abs(l[(i + di) * m + j + dj] - r[(i + di) * m + j + dj - d]);
                for (int64_t j = 1 + S; j < m - 2; j++) {
                    o[i * m + j] = sum[j] < best[j] ? d : o[i * m + j];
                    best[j] = sum[j] < best[j] ? sum[j] : best[j];
                }
            }
        }
    }
    timing_print("Stereo", begin);
    array_store("disparity", oo);
    return 0;
}
