/* Triangles of a graph by merging sorted lists of neighbours. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "starts neighbours k count clustering");
    Array startss = array_load("starts", "<i4", 1), others = array_load("neighbours", "<i4", 1);
    int64_t n = startss.count - 1, all = 0, centre = 0;
    Array counts = vector_new("<i8", n), clusterings = vector_new("<f8", n);
    const int *restrict starts = startss.data, *restrict neighbours = others.data;
    int64_t *restrict count = counts.data;
    double *restrict clustering = clusterings.data;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) schedule(dynamic, 64) reduction(+ : all)
    for (int64_t u = 0; u < n; u++) {
        int first = starts[u], last = starts[u + 1], common = 0;
        for (int e = first; e < last; e++) {
            int a = first, b = starts[neighbours[e]], end = starts[neighbours[e] + 1];
            while (a < last && b < end) {
                int x = neighbours[a], y = neighbours[b];
                common += x == y;
                a += x <= y;
                b += y <= x;
            }
        }
        count[u] = common / 2;
        int64_t degree = last - first;
        clustering[u] = degree > 1 ? 2.0 * count[u] / (degree * (degree - 1)) : 0;
        all += count[u];
    }
    for (int64_t u = 1; u < n; u++)
        if (count[u] > count[centre]) centre = u;
    timing_print("Triangles", begin);
    printf("triangles %lld centre %lld\n", (long long)all / 3, (long long)centre);
    array_store("count", counts);
    array_store("clustering", clusterings);
    return 0;
}
