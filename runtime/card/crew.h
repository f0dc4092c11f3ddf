/* Crews: the threads that work together on an LPU. Loops of a stage go round robin over them; what only one thread may do, the one of
 * rank 0 does. Sums of Reals keep the order of runtime/array/reduce.h: a chunk's 32 lanes are those of a warp, the results of chunks go to
 * the tree of the first thread, chunk after chunk. */
#ifndef HP5_RUNTIME_CARD_CREW_H
#define HP5_RUNTIME_CARD_CREW_H
#include "runtime/card/card.h"

struct Hp5Crew {
    Hp5Tier tier;
    __device__ int64_t rank() const {
        if (tier == HP5_LANE_TIER) return 0;
        if (tier == HP5_WARP_TIER) return threadIdx.x % HP5_WARP_THREADS;
        return tier == HP5_BLOCK_TIER ? (int64_t)threadIdx.x : (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    }
    __device__ int64_t size() const {
        if (tier == HP5_LANE_TIER) return 1;
        if (tier == HP5_WARP_TIER) return HP5_WARP_THREADS;
        return tier == HP5_BLOCK_TIER ? (int64_t)blockDim.x : (int64_t)gridDim.x * blockDim.x;
    }
    /* All of them wait for each other, and see what the others have written. */
    __device__ void sync() const {
        if (tier == HP5_LANE_TIER) return;
        if (tier == HP5_WARP_TIER) __syncwarp();
        else if (tier == HP5_BLOCK_TIER) __syncthreads();
        else cooperative_groups::this_grid().sync();
    }
    __device__ int64_t warps() const { return size() / HP5_WARP_THREADS; }
    __device__ int64_t warp() const { return rank() / HP5_WARP_THREADS; }
    __device__ int lane() const { return (int)(threadIdx.x % HP5_WARP_THREADS); }
};

/* Behind loads: all of them are on their way before anything that follows computes. Compilers take loads down to where their values are needed, to have fewer registers for them, and a thread
 * has a few on their way at a time; past this they do not. Nobody waits here. */
static __device__ __forceinline__ void hp5_all_asked() {
#ifdef __NVCC__
    __syncwarp(__activemask());
#endif
}

static __device__ int hp5_lps_of(const Hp5Lpu *lpu) { return lpu->grid == NULL ? 0 : lpu->grid->lps; }

/* ---- Reductions ------------------------------------------------------------------------------------------------------- */
#define HP5_CARD_OPERATION(name, type, ...)                                                         \
    struct Hp5Of_##name {                                                                           \
        typedef type Value;                                                                         \
        typedef Hp5Tree_##name Tree;                                                                \
        static __device__ Value identity() { return hp5_##name##_identity(); }                      \
        static __device__ Value join(Value a, Value b) { return hp5_##name(a, b); }                 \
        static __device__ void add(Tree *tree, Value value) { hp5_tree_##name##_add(tree, value); } \
    };
HP5_REDUCE_OPERATIONS(HP5_CARD_OPERATION)
HP5_CARD_OPERATION(max_entry_real, Hp5EntryReal)
HP5_CARD_OPERATION(min_entry_real, Hp5EntryReal)
HP5_CARD_OPERATION(max_entry_integer, Hp5EntryInteger)
HP5_CARD_OPERATION(min_entry_integer, Hp5EntryInteger)
#undef HP5_CARD_OPERATION

template <class Value> static __device__ Value hp5_from_lane(Value value, int lanes_up) {
    uint32_t words[(sizeof value + 3) / 4];
    memcpy(words, &value, sizeof value);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) words[i] = __shfl_down_sync(0xFFFFFFFFu, words[i], (unsigned)lanes_up);
    memcpy(&value, words, sizeof value);
    return value;
}

/* That of another lane. */
template <class Value> static __device__ Value hp5_of_lane(Value value, int lane) {
    uint32_t words[(sizeof value + 3) / 4] = {0};
    memcpy(words, &value, sizeof value);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) words[i] = (uint32_t)__shfl_sync(0xFFFFFFFFu, words[i], lane);
    memcpy(&value, words, sizeof value);
    return value;
}

/* The other way round for both: the lane whose number differs in the bits of `apart`. */
template <class Value> static __device__ Value hp5_from_opposite(Value value, int apart) {
    uint32_t words[(sizeof value + 3) / 4] = {0};
    memcpy(words, &value, sizeof value);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) words[i] = __shfl_xor_sync(0xFFFFFFFFu, words[i], apart);
    memcpy(&value, words, sizeof value);
    return value;
}

/* The warp's 32 values, as hp5_lanes_NAME combines them; lane 0 has the result. ROLLED: there is a loop in machine code, too. */
template <class Of, bool ROLLED = false> static __device__ typename Of::Value hp5_join_lanes(typename Of::Value value) {
#pragma unroll (ROLLED ? 1 : HP5_WARP_THREADS)
    for (int half = HP5_WARP_THREADS / 2; half > 0; half /= 2) value = Of::join(value, hp5_from_lane(value, half));
    return value;
}

/* A crew's slots, readable by its first threads when all have come here: a block's lie in its own memory. */
static __device__ char *hp5_slots(const Hp5Worker *worker, Hp5Crew crew) {
    __shared__ __align__(16) char of_block[HP5_SLOTS(HP5_WARP_THREADS) * HP5_SLOT_BYTES];
    return crew.tier == HP5_CARD_TIER ? worker->run->slots : of_block;
}

/* What the first thread has, for all of them. */
template <class Value> static __device__ void hp5_from_first(const Hp5Worker *worker, Hp5Crew crew, Value *value) {
    if (crew.tier == HP5_LANE_TIER) return;
    for (size_t done = 0; done < sizeof *value; done += HP5_SLOT_BYTES) {
        const size_t left = sizeof *value - done, bytes = left < (size_t)HP5_SLOT_BYTES ? left : (size_t)HP5_SLOT_BYTES;
        /* warps of a block have a slot each */
        char *slot = hp5_slots(worker, crew) + (crew.tier == HP5_WARP_TIER ? threadIdx.x / HP5_WARP_THREADS * HP5_SLOT_BYTES : 0);
        if (crew.rank() == 0) memcpy(slot, (const char *)value + done, bytes);
        crew.sync();
        memcpy((char *)value + done, slot, bytes);
        crew.sync();
    }
}

/* Where the order makes no difference: the first thread gets what all have together. Blocks of a card do the same before their results are joined. Once for a loop: nothing of it is
 * printed several times. */
template <class Of> static __device__ typename Of::Value hp5_join_crew(const Hp5Worker *worker, Hp5Crew crew, typename Of::Value value) {
    typedef typename Of::Value Value;
    if (crew.tier == HP5_LANE_TIER) return value;
    if (crew.tier == HP5_WARP_TIER) return hp5_join_lanes<Of, true>(value);
    const bool of_blocks = crew.tier == HP5_CARD_TIER;
    Value all = of_blocks ? hp5_join_crew<Of>(worker, Hp5Crew{HP5_BLOCK_TIER}, value) : hp5_join_lanes<Of, true>(value);
    char *slots = hp5_slots(worker, crew);
    const int64_t mine = of_blocks ? (int64_t)blockIdx.x : crew.warp(), count = of_blocks ? (int64_t)gridDim.x : crew.warps();
    if ((of_blocks ? threadIdx.x : crew.lane()) == 0) memcpy(slots + mine * HP5_SLOT_BYTES, &all, sizeof all);
    crew.sync();
    if (crew.rank() < HP5_WARP_THREADS) {
        all = Of::identity();
#pragma unroll 1
        for (int64_t i = crew.lane(); i < count; i += HP5_WARP_THREADS) {
            Value other;
            memcpy(&other, slots + i * HP5_SLOT_BYTES, sizeof other);
            all = Of::join(all, other);
        }
        all = hp5_join_lanes<Of, true>(all);
    }
    crew.sync();
    return all;
}
#endif
