/* Where a motif fits best in sequences of bases, and the number of places above a limit. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "base weight limit k place score");
    Array bases = array_load("base", "<i4", 2), weights = array_load("weight", "<f4", 2);
    int64_t count = bases.extent[0], length = bases.extent[1], wide = weights.extent[0], above = 0;
    Array places = vector_new("<i4", count), scores = vector_new("<f4", count);
    const float(*restrict weight)[4] = weights.data, limit = argument_real("limit");

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : above)
    for (int64_t s = 0; s < count; s++) {
        const int *restrict base = (int *)bases.data + s * length;
        float best = -1e30f;
        int where = 0;
        for (int64_t t = 0; t <= length - wide; t++) {
            float sum = 0;
            for (int64_t p = 0; p < wide; p++) sum += weight[p][base[t + p]];
            if (sum > best) best = sum, where = t;
            above += sum > limit;
        }
        ((int *)places.data)[s] = where;
        ((float *)scores.data)[s] = best;
    }
    timing_print("Motif", begin);
    printf("above %lld\n", (long long)above);
    array_store("place", places);
    array_store("score", scores);
    return 0;
}
