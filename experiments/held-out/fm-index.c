/* Backward search of short reads in an FM-index. */
#include "../reference/common.h"

static inline int rank_of(const uint8_t *restrict bwt, const int *restrict before, int c, int p) {
    int n = before[p / 64 * 4 + c];
    for (int q = p / 64 * 64; q < p; q++) n += bwt[q] == c;
    return n;
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "bwt before smaller read k matches row");
    Array bwts = array_load("bwt", "|u1", 1), befores = array_load("before", "<i4", 2), smallers = array_load("smaller", "<i4", 1), reads = array_load("read", "|u1", 2);
    int64_t n = reads.extent[0], length = reads.extent[1];
    Array matchess = vector_new("<i8", n), rows = vector_new("<i8", n);
    const uint8_t *bwt = bwts.data, *read = reads.data;
    const int *before = befores.data, *smaller = smallers.data;
    int64_t *matches = matchess.data, *row = rows.data, mapped = 0, unique = 0, most = 0;

    double begin = clock_now();
#pragma omp parallel for num_threads(argument_threads()) reduction(+ : mapped, unique) reduction(max : most)
    for (int64_t r = 0; r < n; r++) {
        int low = 0, high = bwts.extent[0];
        for (int64_t m = length - 1; m >= 0 && low < high; m--) {
            int c = read[r * length + m];
            low = smaller[c] + rank_of(bwt, before, c, low);
            high = smaller[c] + rank_of(bwt, before, c, high);
        }
        matches[r] = high - low;
        row[r] = high == low ? -1 : low;
        mapped += high > low;
        unique += high - low == 1;
        if (high - low > most) most = high - low;
    }
    timing_print("Search", begin);
    printf("mapped %lld unique %lld most %lld\n", (long long)mapped, (long long)unique, (long long)most);
    array_store("matches", matchess);
    array_store("row", rows);
    return 0;
}
