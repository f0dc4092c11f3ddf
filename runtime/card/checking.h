/* Checked builds (hp5c --checked) on cards: what stages and the flow ask, as runtime/run/checked.c has it for threads of processors. The texts are in
 * runtime/checked.h. A thread's stamp lies in the card's memory; what crews have waited says which writes are ordered. */
#ifndef HP5_RUNTIME_CARD_CHECKING_H
#define HP5_RUNTIME_CARD_CHECKING_H
#include "runtime/card/ask_host.h"
#include "runtime/card/crew.h"
#include "runtime/checked.h"

/* An array index, checked against the LPU's part. */
static __device__ int64_t hp5_at(const Hp5View *view, int d, int64_t index, const char *variable, const char *stage, const char *file, int line) {
    if (!hp5_set_contains(&view->part[d], index)) hp5_fail_index(&view->part[d], d, index, variable, stage, file, line);
    return index;
}

static __device__ uint32_t *hp5_stamp(const Hp5Worker *worker) { return &worker->run->checks->stamps[(int64_t)blockIdx.x * blockDim.x + threadIdx.x]; }

/* By the thread that writes the element. */
static __device__ void hp5_check_write(const Hp5Worker *worker, const Hp5View *view, const int64_t *index, const Hp5Lpu *lpu, const char *variable, const char *stage,
                                       const char *file, int line) {
    const int lps = hp5_lps_of(lpu);
    const int64_t *in_first = worker->run->checks->in_first[lps];
    if (!hp5_writes_own(view, index)) return;
    const uint64_t entry = hp5_write_entry(*hp5_stamp(worker), lps, in_first != NULL ? in_first[lpu->flat] : lpu->flat);
    const uint64_t before = atomicExch((unsigned long long *)&view->store->writers[hp5_offset(view->store, index)], (unsigned long long)entry);
    if (hp5_writes_clash(before, entry)) hp5_fail_write(view->store->rank, index, before, entry, variable, stage, file, line);
}

static __device__ unsigned long long *hp5_newest_stamp(const Hp5Worker *worker, Hp5Crew crew) {
    unsigned long long *newest = worker->run->checks->newest;
    if (crew.tier == HP5_CARD_TIER) return newest;
    if (crew.tier == HP5_BLOCK_TIER) return newest + 1 + blockIdx.x;
    return newest + 1 + gridDim.x + ((int64_t)blockIdx.x * blockDim.x + threadIdx.x) / HP5_WARP_THREADS;
}

/* The threads of the crew wait for each other and get one common, new stamp. Whoever raises the newest one for the next wait has come to it by way of
 * the first wait there, in front of which all have read this one. */
static __device__ void hp5_sync_checked(const Hp5Worker *worker, int lps) {
    const Hp5Crew crew = hp5_crew(worker, lps);
    uint32_t *mine = hp5_stamp(worker);
    if (crew.tier == HP5_LANE_TIER) {
        ++*mine;
    } else {
        unsigned long long *newest = hp5_newest_stamp(worker, crew);
        crew.sync();
        atomicMax(newest, (unsigned long long)*mine);
        crew.sync();
        *mine = (uint32_t)atomicMax(newest, 0ull) + 1;
    }
    if (hp5_is_first_thread()) worker->run->desk->stamp = *mine;
}
#endif
