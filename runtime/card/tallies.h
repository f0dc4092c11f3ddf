/* Sequential loops that do nothing but count, by all threads of a crew (compiler/emit/cuda/tallies.c). An element that several threads count in is added to as one, in the card's
 * memory, and all of them wait for the few places that do it. Where the elements of the LPU's part are few, and rounds are many, the crew counts in the shared memory of
 * its blocks, in 32 bits, and adds what it has to the elements when it is through: a warp in its own piece of that memory, all threads of a block in the same counters; of the
 * card each block counts for itself. */
#ifndef HP5_RUNTIME_CARD_TALLIES_H
#define HP5_RUNTIME_CARD_TALLIES_H

/* Elements lie in memory that all of the card reaches, which CUDA's atomicAdd would ask. */
#ifndef hp5_add_to_element
static __device__ void hp5_add_to_element(int64_t *element, uint64_t more) {
    asm volatile("red.global.add.u64 [%0], %1;" : : "l"(__cvta_generic_to_global(element)), "l"(more) : "memory");
}
#endif

/* Others may add to the element at the same time. */
static __device__ void hp5_count(int64_t *element, int64_t by) { hp5_add_to_element(element, (uint64_t)by); }
static __device__ void hp5_discount(int64_t *element, int64_t by) { hp5_add_to_element(element, 0 - (uint64_t)by); }

/* Counters for the elements at places from `first` on, `count` of them; 0: elements are added to where they are. Others than these, which the stage counts in outside of its part,
 * always are. */
struct Hp5Tally {
    int64_t *array, first;
    uint32_t *counters, count;

    __device__ void add(int64_t place, int32_t by) const {
        const uint64_t at = (uint64_t)place - (uint64_t)first;
        if (at < count) atomicAdd(counters + (uint32_t)at, (uint32_t)by);
        else hp5_count(array + place, by);
    }
    __device__ void clear(uint32_t rank, uint32_t size) const {
        for (uint32_t c = rank; c < count; c += size) counters[c] = 0;
    }
    __device__ void give(uint32_t rank, uint32_t size) const {
        for (uint32_t c = rank; c < count; c += size) {
            const int32_t sum = (int32_t)counters[c];
            if (sum != 0) hp5_count(array + first + c, sum);
        }
    }
};

/* The counters that a crew has in a block. Its threads there are `size`, and add less than 2^31 in `rounds` of the loop. */
struct Hp5Counters {
    bool of_warp;
    uint32_t next, end, rank, size;
    int64_t rounds, all; /* all: of the loop, what comes to one block of them */

    __device__ Hp5Counters(Hp5Crew crew, int64_t first, int64_t last, int32_t by) {
        const uint32_t warp = threadIdx.x / HP5_WARP_THREADS, each = (uint32_t)hp5_shared_bytes() / (blockDim.x / HP5_WARP_THREADS) / sizeof(uint32_t);
        of_warp = crew.tier == HP5_WARP_TIER;
        next = of_warp ? warp * each : 0;
        end = of_warp ? next + each : (uint32_t)hp5_shared_bytes() / sizeof(uint32_t);
        rank = of_warp ? threadIdx.x % HP5_WARP_THREADS : threadIdx.x;
        size = of_warp ? (uint32_t)HP5_WARP_THREADS : blockDim.x;
        rounds = INT32_MAX / by;
        all = (last - first + 1) / (crew.tier == HP5_CARD_TIER ? gridDim.x : 1);
    }
    /* For the elements from one place to another one, if there is room, and so many rounds that it pays. */
    __device__ Hp5Tally take(int64_t *array, int64_t from, int64_t to) {
        const int64_t count = to - from + 1, least = count * HP5_TALLY_GAIN;
        const bool fits = count > 0 && count <= end - next && all >= least && rounds >= least;
        const Hp5Tally tally = {array, from, (uint32_t *)hp5_shared_memory() + next, fits ? (uint32_t)count : 0};
        next += tally.count;
        return tally;
    }
    __device__ void wait() const {
        if (of_warp) __syncwarp();
        else __syncthreads();
    }
};

/* count(i, read(i)) for i from `first` to `last`, by all threads of the crew, MANY reads of a thread at a time. */
template <int MANY, class Read, class Count, class... Tallies>
static __device__ void hp5_tally(Hp5Crew crew, Hp5Counters counters, int64_t first, int64_t last, Read read, Count count, const Tallies &...tallies) {
#pragma unroll 1
    while (first <= last) {
        const int64_t to = last - first < counters.rounds ? last : first + counters.rounds - 1;
        (tallies.clear(counters.rank, counters.size), ...);
        counters.wait();
        hp5_abreast<MANY>(crew, first, to + 1, read, count);
        counters.wait();
        (tallies.give(counters.rank, counters.size), ...);
        first = to + 1;
    }
}
#endif
