/* How important pages are by the links to them, in rounds until hardly anything changes. */
#include <math.h>
#include "../reference/common.h"

int main(int argc, char **argv) {
    arguments_read(argc, argv, "starts sources out damping limit k rank");
    Array starts_of = array_load("starts", "<i4", 1), sources_of = array_load("sources", "<i4", 1), outs = array_load("out", "<i4", 1);
    int64_t n = outs.count, rounds = 0;
    const int *starts = starts_of.data, *sources = sources_of.data, *out = outs.data;
    Array ranks = vector_new("<f8", n), shares = vector_new("<f8", n);
    double *rank = ranks.data, *share = shares.data, damping = argument_real("damping"), limit = argument_real("limit"), change = 1, lost;

    double begin = clock_now();
    for (int64_t i = 0; i < n; i++) rank[i] = 1.0 / n;
    while (change > limit) {
        change = lost = 0;
#pragma omp parallel num_threads(argument_threads())
        {
#pragma omp for reduction(+ : lost)
            for (int64_t i = 0; i < n; i++) {
                if (out[i] > 0)
                    share[i] = rank[i] / out[i];
                else
                    lost += rank[i], share[i] = 0;
            }
#pragma omp for reduction(+ : change)
            for (int64_t i = 0; i < n; i++) {
                double sum = 0;
                for (int l = starts[i]; l < starts[i + 1]; l++) sum += share[sources[l]];
                double rank_now = (1 - damping) / n + damping * (sum + lost / n);
                change += fabs(rank_now - rank[i]);
                rank[i] = rank_now;
            }
        }
        rounds++;
    }
    timing_print("Page Rank", begin);
    printf("rounds %lld\n", (long long)rounds);
    array_store("rank", ranks);
    return 0;
}
