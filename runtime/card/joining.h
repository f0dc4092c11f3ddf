/* Reductions on cards, above the stages: results of LPUs become one, in LPUs' order, as the tree of runtime/array/reduce.h has them.
 *
 * Node n of level k of that tree joins results n·2^k to (n + 1)·2^k - 1, and does not depend on the others. So a crew makes five levels at a time: each
 * warp takes 32 neighbouring nodes, and joins pairs, pairs of pairs, … by shuffles, as far as there are whole ones. What no further level has is
 * a few nodes, at most one of each level, which are what the binary counter of the tree holds after the last result; its end
 * joins them. Where LPUs gave no result the counter counts those that did, one after the other, by one thread. */
#ifndef HP5_RUNTIME_CARD_JOINING_H
#define HP5_RUNTIME_CARD_JOINING_H
#include "runtime/card/ask_host.h"
#include "runtime/card/crew.h"

/* What becomes a pointer to anything, as in C. */
struct Hp5Pointer {
    void *to;
    template <class T> __device__ operator T *() const { return (T *)to; }
};

/* By all threads of the LPU's crew; the first one will fill the slot. */
static __device__ Hp5Pointer hp5_partial(const Hp5Worker *worker, int site, const Hp5Lpu *lpu) {
    const Hp5CardSite *at = &worker->run->sites[site];
    const Hp5Crew crew = {(Hp5Tier)worker->run->tiers[hp5_lps_of(lpu)]};
    if (crew.rank() == 0) at->present[lpu->flat] = 1;
    return Hp5Pointer{at->partials + lpu->flat * at->size};
}

/* Five levels, for `count` nodes that lie `stride` results apart. */
template <class Of>
static __device__ void hp5_join_levels(Hp5Crew crew, const typename Of::Value *from, typename Of::Value *to, int64_t stride, int64_t count) {
    typedef typename Of::Value Value;
    for (int64_t first = crew.warp() * HP5_WARP_THREADS; first < count; first += crew.warps() * HP5_WARP_THREADS) {
        const int64_t place = (first + crew.lane()) * stride;
        const int lane = crew.lane(), nodes = (int)hp5_min(count - first, (int64_t)HP5_WARP_THREADS);
        Value value = lane < nodes ? from[place] : Of::identity();
#pragma unroll 1
        for (int apart = 1; apart < HP5_WARP_THREADS; apart *= 2) {
            const Value other = hp5_from_lane(value, apart);
            if (lane % (2 * apart) == 0 && lane + 2 * apart <= nodes) value = Of::join(value, other);
        }
        if (lane < nodes) to[place] = value;
    }
}

/* The counter after `count` results, of which whole nodes lie where their first result is. */
template <class Of> static __device__ void hp5_count_nodes(const typename Of::Value *nodes, int64_t count, typename Of::Tree *tree) {
    tree->count = (uint64_t)count;
    HP5_LEVEL_BY_LEVEL
    for (int k = 62; k >= 0; k--)
        if (count >> k & 1) {
            tree->level[k] = *nodes;
            nodes += (int64_t)1 << k;
        }
}

/* Few of them: one thread is as fast. */
template <class Of>
static __device__ void hp5_count_present(const typename Of::Value *partials, unsigned char *present, int64_t count, typename Of::Tree *tree) {
    tree->count = 0;
#pragma unroll 1
    for (int64_t i = 0; i < count; i++)
        if (present[i]) Of::add(tree, partials[i]);
    memset(present, 0, (size_t)count);
}

/* Whether all LPUs have a result; by all threads of the crew, each of which gets the answer. */
static __device__ bool hp5_all_present(Hp5Crew crew, const unsigned char *present, int64_t count, int *gaps) {
    bool mine = true;
#pragma unroll 1
    for (int64_t i = crew.rank(); i < count; i += crew.size()) mine = mine && present[i];
    if (!mine) atomicExch(gaps, 1);
    crew.sync();
    return *(volatile int *)gaps == 0;
}

/* Of reductions that follow each other at one place, whose results lie apart: the crew waits in front of the first one and behind the last one. */
enum Hp5Among { HP5_BETWEEN = 0, HP5_FIRST = 1, HP5_LAST = 2, HP5_ONLY = HP5_FIRST | HP5_LAST };

/* The target's results become those of a tree, which the first thread has; by all threads of the crew. */
template <class Of> static HP5_APART void hp5_join_results(Hp5Crew crew, const Hp5CardSite *at, const Hp5Lpu *target, Hp5Among among, typename Of::Tree *tree) {
    typedef typename Of::Value Value;
    const int64_t begin = at->begin ? at->begin[target->flat] : target->flat, count = at->begin ? at->end[target->flat] - begin : 1;
    const Value *partials = (const Value *)at->partials + begin;
    Value *nodes = (Value *)at->nodes + begin;
    unsigned char *present = at->present + begin;
    if (among & HP5_FIRST) crew.sync();
    const bool together = crew.tier != HP5_LANE_TIER && count > HP5_JOINED_BY_ONE && hp5_all_present(crew, present, count, &at->gaps[target->flat]);
    if (together) {
        int64_t stride = 1;
        for (int64_t left = count; left > 1; left /= HP5_WARP_THREADS, stride *= HP5_WARP_THREADS) {
            hp5_join_levels<Of>(crew, stride == 1 ? partials : nodes, nodes, stride, left);
            crew.sync();
        }
#pragma unroll 1
        for (int64_t i = crew.rank(); i < count; i += crew.size()) present[i] = 0;
    } else if (count > HP5_JOINED_BY_ONE) {
        crew.sync(); /* all have seen the gaps */
    }
    if (crew.rank() == 0) {
        if (together) hp5_count_nodes<Of>(nodes, count, tree);
        else hp5_count_present<Of>(partials, present, count, tree);
        if (!together && at->gaps != NULL) at->gaps[target->flat] = 0;
    }
}

/* combine(tree, scalars): the results' target gets what the tree has; with no result it stays as it is. */
template <class Of, class Combine>
static __device__ void hp5_reduce_at(const Hp5Worker *worker, int site, const Hp5Lpu *target, Combine combine, Hp5Among among = HP5_ONLY) {
    const Hp5CardSite *at = &worker->run->sites[site];
    const Hp5Crew crew = {(Hp5Tier)worker->run->tiers[at->to]};
    if (hp5_is_spread(worker, at->to)) {
        hp5_call_for(worker->run, HP5_CALL_REDUCE, site, target, NULL);
        hp5_hand_over(worker->run);
        return;
    }
    typename Of::Tree tree;
    hp5_join_results<Of>(crew, at, target, among, &tree);
    if (crew.rank() == 0 && tree.count > 0) combine(tree, target->scalars);
    if (among & HP5_LAST) crew.sync();
}
#endif
