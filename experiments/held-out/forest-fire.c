/* Trees grow in a forest, lightning sets some on fire, fire goes to neighbours. */
#include <string.h>
#include "../reference/common.h"

static inline uint32_t mixed(uint32_t h) {
    h = (h ^ h >> 16) * 0x7FEB352Du;
    h = (h ^ h >> 15) * 0x146CA68Bu;
    return h ^ h >> 16;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "start rounds growth lightning p end trees fires");
    Array forests[2];
    forests[0] = array_load("start", "<i4", 2), forests[1] = array_new("<i4", 2, forests[0].extent);
    memcpy(forests[1].data, forests[0].data, (size_t)forests[0].count * 4);
    int64_t n = forests[0].extent[0], m = forests[0].extent[1], rounds = argument_integer("rounds");
    uint32_t growth = (uint32_t)argument_integer("growth"), lightning = (uint32_t)argument_integer("lightning");
    Array treess = vector_new("<i8", rounds), firess = vector_new("<i8", rounds);
    int64_t *trees = treess.data, *fires = firess.data;

    double begin = clock_now();
    for (int64_t r = 1; r <= rounds; r++) {
        const int *restrict old = forests[(r - 1) % 2].data;
        int *restrict next = forests[r % 2].data;
        int64_t alive = 0, burning = 0;
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : alive, burning)
        for (int64_t i = 1; i < n - 1; i++) {
            int some = 0, hot = 0;
#pragma omp simd reduction(+ : some, hot)
            for (int64_t j = 1; j < m - 1; j++) {
                int64_t at = i * m + j;
                uint32_t chance = mixed(mixed((uint32_t)at) + (uint32_t)r * 0x9E3779B9u);
                int near = (old[at - m] == 2) | (old[at + m] == 2) | (old[at - 1] == 2) | (old[at + 1] == 2) | (chance < lightning);
                int now = old[at] == 0 ? chance < growth : old[at] == 1 ? 1 + near : 0;
                next[at] = now;
                some += now == 1;
                hot += now == 2;
            }
            alive += some;
            burning += hot;
        }
        trees[r - 1] = alive;
        fires[r - 1] = burning;
    }
    timing_print("Forest", begin);
    array_store("end", forests[rounds % 2]);
    array_store("trees", treess);
    array_store("fires", firess);
    return 0;
}
