/* Topics of documents by Gibbs sampling, approximate and in parallel. */
#include <string.h>
#include "../reference/common.h"

static inline double chance(int64_t seed, int64_t token, int64_t round) {
    uint32_t x = token * 2654435761 + round * 40503 + seed;
    x = (x ^ (x >> 16)) * 73244475;
    x = (x ^ (x >> 16)) * 73244475;
    x ^= x >> 16;
    return x / 4294967296.0;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "length word words topics rounds alpha beta seed k l topic often moved");
    Array lengths = array_load("length", "<i4", 1), word_s = array_load("word", "<i8", 2);
    int64_t n = lengths.count, most = word_s.extent[1], seed = argument_integer("seed");
    int words = argument_integer("words"), topics = argument_integer("topics"), rounds = argument_integer("rounds"), threads = argument_threads();
    double alpha = argument_real("alpha"), beta = argument_real("beta");
    Array topic_s = matrix_new("<i8", n, most), oftens = matrix_new("<i8", words, topics), moveds = vector_new("<i8", rounds), fresh = matrix_new("<i8", words, topics);
    const int *length = lengths.data;
    const int64_t *word = word_s.data;
    int64_t *topic = topic_s.data, *often = oftens.data, *moved = moveds.data, *next = fresh.data;

    double begin = clock_now();
    for (int64_t d = 0; d < n; d++)
        for (int i = 0; i < length[d]; i++) {
            int t = topics * chance(seed, d * most + i, 0);
            topic[d * most + i] = t;
            often[word[d * most + i] * topics + t]++;
        }
    int64_t cells = (int64_t)words * topics;
    for (int r = 1; r <= rounds; r++) {
        int64_t mass[32] = {0}, moves = 0;
        for (int64_t c = 0; c < cells; c++) mass[c % topics] += often[c];
        memcpy(next, often, cells * sizeof *often);
#pragma omp parallel for num_threads(threads) schedule(static) reduction(+ : next[:cells])
        for (int64_t d = 0; d < n; d++) {
            int here[32] = {0};
            for (int i = 0; i < length[d]; i++) here[topic[d * most + i]]++;
            for (int i = 0; i < length[d]; i++) {
                int w = word[d * most + i], old = topic[d * most + i];
                const int64_t *restrict row = often + (int64_t)w * topics;
                double weight[32], total = 0;
                here[old]--;
                for (int t = 0; t < topics; t++) {
                    int mine = t == old;
                    total += (here[t] + alpha) * (row[t] - mine + beta) / (mass[t] - mine + words * beta);
                    weight[t] = total;
                }
                double goal = total * chance(seed, d * most + i, r);
                int now = 0;
                for (int t = 0; t < topics - 1; t++) now += weight[t] <= goal;
                here[now]++;
                topic[d * most + i] = now;
                next[(int64_t)w * topics + old]--;
                next[(int64_t)w * topics + now]++;
            }
        }
        for (int64_t c = 0; c < cells; c++) moves += next[c] > often[c] ? next[c] - often[c] : 0;
        moved[r - 1] = moves;
        memcpy(often, next, cells * sizeof *often);
    }
    timing_print("Topics", begin);
    array_store("topic", topic_s);
    array_store("often", oftens);
    array_store("moved", moveds);
    return 0;
}
