/* Breadth-first search in a graph in compressed rows, by levels: vertices without a level look for a neighbour of the last one. */
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "starts neighbours k level");
    Array ss = array_load("starts", "<i4", 1), nn = array_load("neighbours", "<i4", 1), ll = vector_new("<i4", ss.count - 1);
    const int *restrict starts = ss.data, *restrict neighbours = nn.data;
    int *restrict level = ll.data, *restrict known = malloc(ll.count * sizeof(int));
    double begin = clock_now();
    for (int64_t v = 0; v < ll.count; v++) level[v] = known[v] = -1;
    level[0] = known[0] = 0;
    int64_t found = 1;
    for (int depth = 0; found > 0; depth++) {
        found = 0;
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : found)
        for (int64_t v = 0; v < ll.count; v++) {
            if (level[v] >= 0) continue;
            for (int edge = starts[v]; edge < starts[v + 1]; edge++)
                if (known[neighbours[edge]] == depth) {
                    level[v] = depth + 1;
                    found++;
                    break;
                }
        }
#pragma omp parallel for num_threads(argument_threads())
        for (int64_t v = 0; v < ll.count; v++) known[v] = level[v];
    }
    timing_print("Breadth First", begin);
    array_store("level", ll);
    return 0;
}
