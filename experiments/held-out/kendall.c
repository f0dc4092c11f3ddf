/* Kendall's measure of how two series agree, and the rank of each member of the first. */
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x y p rank");
    Array xs = array_load("x", "<i4", 1), ys = array_load("y", "<i4", 1);
    int64_t n = xs.count, same = 0, other = 0, equal_x = 0, equal_y = 0, equal = 0;
    Array ranks = vector_new("<i4", n);
    const int *restrict x = xs.data, *restrict y = ys.data;
    int *restrict rank = ranks.data, gap = 0;
    bool far = false;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for schedule(dynamic, 32) reduction(+ : same, other, equal_x, equal_y, equal) reduction(max : gap)
        for (int64_t i = 1; i < n; i++) {
            int s = 0, o = 0, ex = 0, ey = 0, e = 0, most = 0;
#pragma omp simd reduction(+ : s, o, ex, ey, e) reduction(max : most)
            for (int64_t j = 0; j < i; j++) {
                int dx = x[i] - x[j], dy = y[i] - y[j], difference = abs(dx - dy);
                s += dx * dy > 0;
                o += dx * dy < 0;
                ex += (dx == 0) & (dy != 0);
                ey += (dx != 0) & (dy == 0);
                e += (dx == 0) & (dy == 0);
                most = difference > most ? difference : most;
            }
            same += s, other += o, equal_x += ex, equal_y += ey, equal += e;
            gap = most > gap ? most : gap;
        }
#pragma omp for reduction(|| : far)
        for (int64_t i = 0; i < n; i++) {
            int smaller = 0;
#pragma omp simd reduction(+ : smaller)
            for (int64_t j = 0; j < i; j++) smaller += x[j] <= x[i];
#pragma omp simd reduction(+ : smaller)
            for (int64_t j = i; j < n; j++) smaller += x[j] < x[i];
            rank[i] = smaller;
            far = far || labs(smaller - i) > 9 * n / 10;
        }
    }
    timing_print("Kendall", begin);
    printf("%lld %lld %lld %lld %lld largest gap %d any far apart: %s\n", (long long)same, (long long)other, (long long)equal_x, (long long)equal_y,
           (long long)equal, gap, far ? "true" : "false");
    array_store("rank", ranks);
    return 0;
}
