/* The most that goes into a knapsack: for each capacity, item after item. */
#include <stdlib.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "weight value capacity k best");
    Array weights = array_load("weight", "<i4", 1), values = array_load("value", "<i4", 1);
    int64_t capacity = argument_integer("capacity"), items = weights.count;
    Array result = vector_new("<i4", capacity + 1), other = vector_new("<i4", capacity + 1);
    int *const pair[2] = {result.data, other.data};
    const int *weight = weights.data, *value = values.data;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    for (int64_t item = 0; item < items; item++) {
        const int *restrict old = pair[(items - item) % 2];
        int *restrict best = pair[(items - item - 1) % 2];
        int heavy = weight[item], worth = value[item];
#pragma omp for
        for (int64_t c = 0; c <= capacity; c++) {
            int most = old[c];
            if (c >= heavy && old[c - heavy] + worth > most) most = old[c - heavy] + worth;
            best[c] = most;
        }
    }
    timing_print("Knapsack", begin);
    array_store("best", result);
    return 0;
}
