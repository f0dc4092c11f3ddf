/* Floyd-Warshall: lengths of the shortest paths between all pairs of vertices. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "graph b lengths");
    Array graph = array_load("graph", "<f4", 2);
    int64_t n = graph.extent[0];
    float *d = graph.data;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t k = 0; k < n; k++)
#pragma omp for
        for (int64_t i = 0; i < n; i++) {
            float start = d[i * n + k];
            for (int64_t j = 0; j < n; j++) {
                float through = start + d[k * n + j];
                d[i * n + j] = through < d[i * n + j] ? through : d[i * n + j];
            }
        }
    timing_print("Floyd Warshall", begin);
    array_store("lengths", graph);
    return 0;
}
