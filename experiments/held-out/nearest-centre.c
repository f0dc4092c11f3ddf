/* Which of several centres in three dimensions lies nearest to each point, and how far: a step of k-means. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x y z centres cluster distance k");
    Array xs = array_load("x", "<f8", 1), ys = array_load("y", "<f8", 1), zs = array_load("z", "<f8", 1), all = array_load("centres", "<f8", 2);
    const int64_t n = xs.extent[0], count = all.extent[0];
    Array clusters = vector_new("<i4", n), distances = vector_new("<f8", n);
    const double *restrict x = xs.data, *restrict y = ys.data, *restrict z = zs.data;
    const double(*restrict centres)[3] = all.data;
    int32_t *restrict cluster = clusters.data;
    double *restrict distance = distances.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < n; i++) {
        double nearest = 1e300;
        int which = 0;
        for (int64_t c = 0; c < count; c++) {
            const double u = x[i] - centres[c][0], v = y[i] - centres[c][1], w = z[i] - centres[c][2];
            const double d = u * u + v * v + w * w;
            if (d < nearest) nearest = d, which = (int)c;
        }
        cluster[i] = which;
        distance[i] = nearest;
    }
    timing_print("Nearest", begin);
    array_store("cluster", clusters);
    array_store("distance", distances);
    return 0;
}
