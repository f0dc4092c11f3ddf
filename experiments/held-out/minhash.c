/* Sets of numbers made short by MinHash, and compared. */
#include "../reference/common.h"

static inline uint64_t residue(uint64_t x) {
    uint64_t half = (x & 0x7FFFFFFF) + (x >> 31);
    return (half & 0x7FFFFFFF) + (half >> 31);
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "starts word a b pair limit k l signature common");
    Array ss = array_load("starts", "<i4", 1), ww = array_load("word", "<i4", 1), aa = array_load("a", "<i4", 1), bb = array_load("b", "<i4", 1), pp = array_load("pair", "<i4", 2);
    int64_t n = ss.count - 1, H = aa.count, pairs = pp.extent[0], alike = 0;
    double limit = argument_real("limit");
    Array signatures = matrix_new("<i4", n, H), commons = vector_new("<f4", pairs);
    const int *restrict starts = ss.data, *restrict word = ww.data, *restrict a = aa.data, *restrict b = bb.data, *restrict pair = pp.data;
    int *restrict signature = signatures.data;
    float *restrict common = commons.data;

    double begin = clock_now();
#pragma omp parallel num_threads(argument_threads())
    {
#pragma omp for
        for (int64_t s = 0; s < n; s++) {
            int *restrict mine = signature + s * H;
            for (int64_t h = 0; h < H; h++) mine[h] = 0x7FFFFFFF;
            for (int e = starts[s]; e < starts[s + 1]; e++) {
                uint32_t w = (uint32_t)word[e];
#pragma omp simd
                for (int64_t h = 0; h < H; h++) {
                    int value = (int)residue((uint64_t)(uint32_t)a[h] * w + (uint32_t)b[h]);
                    mine[h] = value < mine[h] ? value : mine[h];
                }
            }
        }
#pragma omp for reduction(+ : alike)
        for (int64_t q = 0; q < pairs; q++) {
            const int *restrict first = signature + pair[2 * q] * H, *restrict second = signature + pair[2 * q + 1] * H;
            int same = 0;
#pragma omp simd reduction(+ : same)
            for (int64_t h = 0; h < H; h++) same += first[h] == second[h];
            common[q] = (float)(1.0 * same / H);
            alike += 1.0 * same / H >= limit;
        }
    }
    timing_print("MinHash", begin);
    printf("much alike %lld\n", (long long)alike);
    array_store("signature", signatures);
    array_store("common", commons);
    return 0;
}
