/* A pile of sand: where four grains or more lie, each neighbour gets some; rounds until nothing falls. */
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start k end");
    Array sands[2];
    sands[0] = array_load("start", "<i4", 2), sands[1] = array_new("<i4", 2, sands[0].extent);
    int64_t n = sands[0].extent[0], m = sands[0].extent[1], rounds = 0;
    bool falling = true;

    double begin = clock_now();
    while (falling) {
        const int *restrict sand = sands[rounds % 2].data;
        int *restrict next = sands[(rounds + 1) % 2].data;
        int most = 0;
#pragma omp parallel for num_threads(argument_threads()) reduction(max : most)
        for (int64_t i = 1; i < n - 1; i++)
            for (int64_t j = 1; j < m - 1; j++) {
                int64_t at = i * m + j;
                int grains = sand[at] % 4 + sand[at - m] / 4 + sand[at + m] / 4 + sand[at - 1] / 4 + sand[at + 1] / 4;
                next[at] = grains;
                if (grains > most) most = grains;
            }
        falling = most > 3;
        rounds++;
    }
    timing_print("Sandpile", begin);
    printf("rounds %lld\n", (long long)rounds);
    array_store("end", sands[rounds % 2]);
    return 0;
}
