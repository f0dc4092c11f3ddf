/* Reductions on cards, inside of stages, in the order of runtime/array/reduce.h: each run of the innermost loop is cut into chunks, the runs of the loops around it follow each other. The
 * lanes of a chunk are the threads of a warp. Each warp of the crew takes as many neighbouring chunks as the others, a power of two of them that is one node of the tree; then all wait,
 * and the first warps join these nodes to what the tree has.
 *
 *     for (Hp5Chunks chunks(worker, crew, rows, j_begin, j_end, sum_tree.count); chunks.next_batch();) {
 *         Hp5Tree_sum_real sum_own;
 *         for (sum_own.count = 0; chunks.next();) {
 *             double sum_lane = hp5_sum_real_identity();
 *             … rounds chunks.first + crew.lane(), … of the row chunks.run …
 *             hp5_add_chunk<Hp5Of_sum_real>(&sum_own, sum_lane);
 *         }
 *         hp5_add_batch<Hp5Of_sum_real>(crew, &sum_tree, sum_own, &chunks);
 *     }
 *
 * A warp that is alone adds to the tree itself. */
#ifndef HP5_RUNTIME_CARD_CHUNKS_H
#define HP5_RUNTIME_CARD_CHUNKS_H
#include "runtime/card/crew.h"

struct Hp5Chunks {
    Hp5Crew crew;
    char *slots;
    int64_t begin, end;      /* of the innermost loop */
    int64_t of_run, all;     /* how many chunks one run has; all runs */
    uint64_t counted;        /* what trees have had before, their counts' bits together */
    int64_t at, taken, each; /* the batch: its first chunk; how many; how many of these each warp has */
    int64_t own, own_end;    /* this warp's next chunk of the batch */
    bool other_slots;        /* those of the batch before may still be read */
    int64_t run, first, last; /* of this chunk: which run; its rounds */

    /* `added`: counts of the trees, which the first thread has. */
    __device__ Hp5Chunks(const Hp5Worker *worker, Hp5Crew crew, int64_t runs, int64_t begin, int64_t end, uint64_t added) : crew(crew), begin(begin), end(end) {
        of_run = begin < end ? (end - begin - 1) / HP5_CHUNK + 1 : 0;
        all = runs > 0 ? of_run * runs : 0;
        at = taken = each = own = own_end = 0;
        other_slots = false;
        counted = added;
        slots = NULL;
        if (crew.tier == HP5_WARP_TIER) return;
        slots = hp5_slots(worker, crew);
        char *place = slots + (HP5_SLOTS(crew.warps()) - 1) * HP5_SLOT_BYTES;
        if (crew.rank() == 0) memcpy(place, &added, sizeof added);
        crew.sync();
        memcpy(&counted, place, sizeof counted);
    }

    /* As many for each warp as make one node; the last ones, of which there are less than warps, are in a batch of their own. */
    __device__ bool next_batch() {
        at += taken;
        if (at >= all) return false;
        const int64_t left = all - at, warps = crew.warps();
        each = 1;
        if (crew.tier == HP5_WARP_TIER) each = left;
        else while (2 * each * warps <= left && (counted + (uint64_t)at) % (2 * (uint64_t)each) == 0) each *= 2;
        taken = left < each * warps ? left : each * warps;
        own = at + crew.warp() * each;
        own_end = own + each < at + taken ? own + each : at + taken;
        return true;
    }

    /* The warp's next chunk of the batch. */
    __device__ bool next() {
        if (own >= own_end) return false;
        const bool small = all <= INT32_MAX; /* divisions of 64 bits take long */
        run = of_run == all ? 0 : small ? (int64_t)((uint32_t)own / (uint32_t)of_run) : own / of_run;
        first = begin + (own - run * of_run) * HP5_CHUNK;
        last = first + HP5_CHUNK < end ? first + HP5_CHUNK : end;
        own++;
        return true;
    }

    /* What warps have of the batch, with one place more. */
    __device__ char *next_slots() {
        char *mine = slots + (other_slots ? (crew.warps() + 1) * HP5_SLOT_BYTES : 0);
        other_slots = !other_slots;
        return mine;
    }
};

/* A warp's chunk, of whose rounds each thread has one lane. */
template <class Of> static __device__ void hp5_add_chunk(typename Of::Tree *tree, typename Of::Value lane) {
    const typename Of::Value chunk = hp5_join_lanes<Of>(lane);
    if (threadIdx.x % HP5_WARP_THREADS == 0) Of::add(tree, chunk);
}

/* A node of that level, of as many results as it joins. */
template <class Of> static __device__ void hp5_add_node(typename Of::Tree *tree, typename Of::Value value, int level) {
    int k = level;
    for (; tree->count >> k & 1; k++) value = Of::join(tree->level[k], value);
    tree->level[k] = value;
    tree->count += (uint64_t)1 << level;
}

/* By the threads of one block: nodes at `from`, from + 1, …, `count` of them in slots, become larger ones, as far as they are whole: each lies where its first one was. */
template <class Of> static __device__ void hp5_join_nodes(char *slots, int64_t from, int64_t count) {
    typedef typename Of::Value Value;
    const Hp5Crew block = {HP5_BLOCK_TIER};
    for (int64_t size = 1; size < count; size *= HP5_WARP_THREADS) {
        const int64_t group = HP5_WARP_THREADS * size;
        for (int64_t at = from / group * group + block.warp() * group; at < from + count; at += block.warps() * group) {
            const int lane = block.lane();
            const int64_t place = at + lane * size;
            const bool whole = place >= from && place + size <= from + count;
            Value value = Of::identity();
            if (whole) memcpy(&value, slots + (place - from) * HP5_SLOT_BYTES, sizeof value);
#pragma unroll 1
            for (int apart = 1; apart < HP5_WARP_THREADS; apart *= 2) {
                const Value other = hp5_from_lane(value, apart);
                if (lane % (2 * apart) == 0 && place >= from && place + 2 * apart * size <= from + count) value = Of::join(value, other);
            }
            if (whole) memcpy(slots + (place - from) * HP5_SLOT_BYTES, &value, sizeof value);
        }
        block.sync();
    }
}

/* The nodes that hp5_join_nodes has left, as large as they are, in their order. */
template <class Of> static __device__ void hp5_add_nodes(typename Of::Tree *tree, const char *slots, int64_t from, int64_t count, int level) {
    for (int64_t at = from; at < from + count;) {
        int64_t size = 1;
        int deep = 0;
        for (; at % (2 * size) == 0 && at + 2 * size <= from + count; size *= 2) deep++;
        typename Of::Value value;
        memcpy(&value, slots + (at - from) * HP5_SLOT_BYTES, sizeof value);
        hp5_add_node<Of>(tree, value, level + deep);
        at += size;
    }
}

/* All warps have theirs of a batch in `own`. Nobody waits behind it: the next batch has other slots. */
template <class Of>
static __device__ void hp5_add_batch(Hp5Crew crew, typename Of::Tree *tree, const typename Of::Tree &own, Hp5Chunks *chunks) {
    const int64_t nodes = chunks->taken / chunks->each;
    const int level = 63 - __clzll((long long)chunks->each);
    char *slots = chunks->next_slots(), *counted = slots + crew.warps() * HP5_SLOT_BYTES;
    if (crew.lane() == 0 && crew.warp() < nodes) memcpy(slots + crew.warp() * HP5_SLOT_BYTES, &own.level[level], sizeof own.level[level]);
    if (crew.rank() == 0) memcpy(counted, &tree->count, sizeof tree->count);
    crew.sync();
    if (crew.rank() >= (int64_t)blockDim.x) return; /* another block of the card */
    uint64_t count;
    memcpy(&count, counted, sizeof count);
    hp5_join_nodes<Of>(slots, (int64_t)(count >> level), nodes);
    if (crew.rank() == 0) hp5_add_nodes<Of>(tree, slots, (int64_t)(count >> level), nodes, level);
}
#endif
