/* Dynamic time warping of pairs of series. */
#include <math.h>
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "a b k distance");
    Array aa = array_load("a", "<f4", 2), bb = array_load("b", "<f4", 2), dd = vector_new("<f4", aa.extent[0]);
    int64_t n = aa.extent[1], m = bb.extent[1];
    float *distance = dd.data;
    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
        float *restrict cost = malloc(m * sizeof(float));
#pragma omp for
        for (int64_t pair = 0; pair < dd.count; pair++) {
            const float *a = (const float *)aa.data + pair * n, *b = (const float *)bb.data + pair * m;
            float sum = 0;
            for (int64_t j = 0; j < m; j++) cost[j] = sum += fabsf(a[0] - b[j]);
            for (int64_t i = 1; i < n; i++) {
                float corner = cost[0], left = corner + fabsf(a[i] - b[0]);
                cost[0] = left;
                for (int64_t j = 1; j < m; j++) {
                    float above = cost[j], least = left < above ? left : above;
                    left = fabsf(a[i] - b[j]) + (least < corner ? least : corner);
                    corner = above;
                    cost[j] = left;
                }
            }
            distance[pair] = cost[m - 1];
        }
    }
    timing_print("Time Warping", begin);
    array_store("distance", dd);
    return 0;
}
