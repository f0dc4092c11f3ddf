/* What a kernel asks of the host while it runs (calls.c): stages that are the host's, and all that happens between processes. Flow functions that need no answer only write a call; those
 * that do hand over all that was written, and wait.
 *
 * How to read it: all threads of the card come to these functions, for only LPUs of the whole card's crew are run by several processes, or by the host.
 * The grid's first thread writes and waits. What it has written before, the host sees after __threadfence_system; what the host has
 * written, all threads see behind the next wait of the grid. */
#ifndef HP5_RUNTIME_CARD_ASK_HOST_H
#define HP5_RUNTIME_CARD_ASK_HOST_H
#include "runtime/card/crew.h"
#include "runtime/card/stage_clock.h"

#ifndef HP5_CALLS_AT_ONCE /* the simulator has fewer, so that tests come to it */
#define HP5_CALLS_AT_ONCE HP5_CARD_CALLS
#endif

static __device__ bool hp5_is_first_thread() { return blockIdx.x == 0 && threadIdx.x == 0; }

/* By the first thread. */
static HP5_APART void hp5_calls_happen(Hp5CardRun *run) {
    Hp5CardDesk *desk = run->desk;
    desk->count = run->calls;
    run->calls = 0;
    if (run->clock != NULL) desk->asked_at = hp5_nanoseconds();
    __threadfence_system();
    desk->asked = ++run->asked;
    while (desk->answered != run->asked) {
        if (desk->over != 0) __trap();
        hp5_pause();
    }
    __threadfence_system();
}

/* By the first thread: a call, which it writes where the host reads it. */
static __device__ Hp5CardCall *hp5_next_call(Hp5CardRun *run, Hp5CardDeed deed, int number, int lps, const Hp5Lpu *lpu) {
    if (run->calls == HP5_CALLS_AT_ONCE) hp5_calls_happen(run);
    Hp5CardCall *call = &run->desk->calls[run->calls++];
    call->deed = deed;
    call->number = number;
    call->lps = lps;
    call->lpu = lpu->flat;
    call->bounded = false;
    return call;
}

/* By all threads: what they have written before is done, and then whatever has been called for. */
static HP5_APART void hp5_hand_over(Hp5CardRun *run) {
    const Hp5Crew card = {HP5_CARD_TIER};
    card.sync();
    if (hp5_is_first_thread()) hp5_calls_happen(run);
    card.sync();
}

static __device__ bool hp5_is_spread(const Hp5Worker *worker, int lps) { return worker->run->lpses[lps].spread; }

/* First and last index of each dimension. */
struct Hp5Bounds { int64_t at[2 * HP5_MAX_RANK]; };
#define HP5_BOUNDS(...) (Hp5Bounds{{__VA_ARGS__}}.at)

/* By all threads. */
static HP5_APART void hp5_call_for(Hp5CardRun *run, Hp5CardDeed deed, int number, const Hp5Lpu *lpu, const int64_t *bounds) {
    if (!hp5_is_first_thread()) return;
    Hp5CardCall *call = hp5_next_call(run, deed, number, hp5_lps_of(lpu), lpu);
    call->bounded = bounds != NULL;
#pragma unroll 1
    for (int i = 0; bounds != NULL && i < 2 * HP5_MAX_RANK; i++) call->bounds[i] = bounds[i];
}

/* A stage of a Space that is the host's, for an LPU of the whole card's crew; the values of counters that only these threads have. */
static __device__ void hp5_stage_on_host(const Hp5Worker *worker, int number, const Hp5Lpu *lpu, const int64_t *counters) {
    hp5_call_for(worker->run, HP5_CALL_STAGE, number, lpu, counters);
    hp5_hand_over(worker->run);
}

/* ---- Transfers (runtime/move/move.h): in one process nothing moves, and nobody is asked ------------------------------- */
static __device__ void hp5_call_to_move(const Hp5Worker *worker, Hp5CardDeed deed, int number, const Hp5Lpu *lpu, const int64_t *bounds) {
    if (worker->run->moves) hp5_call_for(worker->run, deed, number, lpu, bounds);
}
static __device__ void hp5_wrote(const Hp5Worker *worker, int writer, const Hp5Lpu *lpu) {
    hp5_call_to_move(worker, HP5_CALL_WROTE, writer, lpu, NULL);
}
static __device__ void hp5_wrote_part(const Hp5Worker *worker, int transfer, const Hp5Lpu *lpu, const int64_t *bounds) {
    hp5_call_to_move(worker, HP5_CALL_WROTE_PART, transfer, lpu, bounds);
}
static __device__ void hp5_renewed(const Hp5Worker *worker, int array, const Hp5Lpu *lpu) {
    hp5_call_to_move(worker, HP5_CALL_RENEWED, array, lpu, NULL);
}
static __device__ void hp5_transfer_begin(const Hp5Worker *worker, int transfer, const Hp5Lpu *lpu, const int64_t *bounds) {
    hp5_call_to_move(worker, HP5_CALL_TRANSFER_BEGIN, transfer, lpu, bounds);
}
static __device__ void hp5_transfers_end(const Hp5Worker *worker) {
    hp5_call_to_move(worker, HP5_CALL_TRANSFERS_END, 0, &worker->run->root, NULL);
    if (worker->run->moves) hp5_hand_over(worker->run);
}
static __device__ void hp5_transfer(const Hp5Worker *worker, int transfer, const Hp5Lpu *lpu, const int64_t *bounds) {
    hp5_call_to_move(worker, HP5_CALL_TRANSFER, transfer, lpu, bounds);
    if (worker->run->moves) hp5_hand_over(worker->run);
}

static __device__ void hp5_watch_changes(const Hp5Worker *worker, int array, const Hp5Lpu *lpu, const int64_t *bounds) {
    if (!hp5_is_spread(worker, hp5_lps_of(lpu))) return;
    hp5_call_for(worker->run, HP5_CALL_WATCH, array, lpu, bounds);
    hp5_hand_over(worker->run);
}
static __device__ void hp5_merge_changes(const Hp5Worker *worker, int array, const Hp5Lpu *lpu) {
    if (!hp5_is_spread(worker, hp5_lps_of(lpu))) return;
    hp5_call_for(worker->run, HP5_CALL_MERGE, array, lpu, NULL);
    hp5_hand_over(worker->run);
}

/* ---- Who runs what; scalars and decisions (runtime/run/across.c) -------------------------------------------------------- */
/* Whether the crew runs what the first of an LPU's processes runs alone. */
static __device__ bool hp5_hosts(const Hp5Worker *worker, int lps) { return worker->run->lpses[lps].hosted; }

static __device__ void hp5_tell_from(const Hp5Worker *worker, const Hp5Lpu *lpu, int lps, int from, void *value, size_t size) {
    if (!hp5_is_spread(worker, lps)) return;
    if (hp5_is_first_thread()) {
        Hp5CardCall *call = hp5_next_call(worker->run, HP5_CALL_TELL, from, lps, lpu);
        call->value = value;
        call->bytes = (int64_t)size;
    }
    hp5_hand_over(worker->run);
}
#define hp5_tell_text_from(worker, lpu, lps, from, text) ((void)(text)) /* the host has told it with its value */
static __device__ void hp5_tell(const Hp5Worker *worker, int lps, void *value, size_t size) {
    hp5_tell_from(worker, &worker->run->root, lps, lps, value, size);
}

/* What a process says, for all of them. */
static __device__ bool hp5_any_process(const Hp5Worker *worker, int lps, bool mine) {
    if (hp5_is_first_thread()) hp5_next_call(worker->run, HP5_CALL_ANY, mine, lps, &worker->run->root);
    hp5_hand_over(worker->run);
    return *(volatile int *)&worker->run->desk->any != 0;
}
#endif
