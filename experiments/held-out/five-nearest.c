/* The five nearest of many places for each query, from near to far, kept in order by insertion. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "x y z query k which distance");
    Array xs = array_load("x", "<f8", 1), ys = array_load("y", "<f8", 1), zs = array_load("z", "<f8", 1), queries = array_load("query", "<f8", 2);
    int64_t count = queries.extent[0];
    Array whiches = matrix_new("<i4", count, 5), distances = matrix_new("<f8", count, 5);
    const double *x = xs.data, *y = ys.data, *z = zs.data, (*query)[3] = queries.data;
    int(*which)[5] = whiches.data;
    double(*distance)[5] = distances.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads())
    for (int64_t i = 0; i < count; i++) {
        double near[5] = {1e300, 1e300, 1e300, 1e300, 1e300};
        int place[5] = {0};
        for (int64_t j = 0; j < xs.count; j++) {
            double dx = x[j] - query[i][0], dy = y[j] - query[i][1], dz = z[j] - query[i][2], d = dx * dx + dy * dy + dz * dz;
            if (d < near[4]) {
                int at = 4;
                for (; at > 0 && d < near[at - 1]; at--) near[at] = near[at - 1], place[at] = place[at - 1];
                near[at] = d;
                place[at] = j;
            }
        }
        for (int n = 0; n < 5; n++) which[i][n] = place[n], distance[i][n] = sqrt(near[n]);
    }
    timing_print("Five Nearest", begin);
    array_store("which", whiches);
    array_store("distance", distances);
    return 0;
}
