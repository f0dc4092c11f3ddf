/* How many values lie in each of some bins: a block counts in its shared memory, in a histogram for each of its warps, and adds that to the card's. */
#include "card.h"

enum { THREADS = 512, WARPS = THREADS / 32, BLOCKS = 132 * 4, MOST_BINS = 1024 };

static __global__ void count(const double2 *__restrict__ values, unsigned long long *counts, int64_t pairs, int bins, double low, double scale) {
    extern __shared__ unsigned tallies[];
    unsigned *mine = tallies + threadIdx.x / 32 * bins;
    for (int b = threadIdx.x; b < WARPS * bins; b += THREADS) tallies[b] = 0;
    __syncthreads();
    for (int64_t i = (int64_t)blockIdx.x * THREADS + threadIdx.x; i < pairs; i += (int64_t)BLOCKS * THREADS) {
        const double2 two = values[i];
        const double first = floor((two.x - low) * scale), second = floor((two.y - low) * scale);
        if (first >= 0 && first < bins) atomicAdd(&mine[(int)first], 1u);
        if (second >= 0 && second < bins) atomicAdd(&mine[(int)second], 1u);
    }
    __syncthreads();
    for (int b = threadIdx.x; b < bins; b += THREADS) {
        unsigned long long sum = 0;
        for (int w = 0; w < WARPS; w++) sum += tallies[w * bins + b];
        atomicAdd(&counts[b], sum);
    }
}

int main(int argc, char **argv) {
    arguments_read(argc, argv, "values bins low high k b counts");
    Array values = array_load("values", "<f8", 1);
    const int64_t bins = argument_integer("bins");
    if (values.count % 2 != 0 || bins > MOST_BINS) fail(1, "an even number of values and at most %d bins are counted", MOST_BINS);
    Array counts = vector_new("<i8", bins);
    const double low = argument_real("low"), high = argument_real("high");
    const double *on_card = card_give<double>(&values);
    unsigned long long *of_card = card_new<unsigned long long>(bins);
    const size_t shared = WARPS * (size_t)bins * sizeof(unsigned);
    card_check(cudaFuncSetAttribute(count, cudaFuncAttributeMaxDynamicSharedMemorySize, (int)shared), "shared memory");
    double begin = 0;
    for (int round = 0; round < 2; round++) { /* the first one brings the kernel */
        card_check(cudaMemset(of_card, 0, (size_t)bins * sizeof *of_card), "zeros");
        begin = card_clock();
        count<<<BLOCKS, THREADS, shared>>>((const double2 *)on_card, of_card, values.count / 2, (int)bins, low, (double)bins / (high - low));
    }
    card_clock();
    timing_print("histogram", begin);
    card_take(&counts, of_card);
    array_store("counts", counts);
    return 0;
}
