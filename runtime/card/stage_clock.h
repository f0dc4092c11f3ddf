/* When stages began and ended, for --timing and --trace: the kernel's side of clock.c. The first thread of an LPU's crew notes it, in the row of
 * its worker, which it shares with nobody while the stage runs. */
#ifndef HP5_RUNTIME_CARD_STAGE_CLOCK_H
#define HP5_RUNTIME_CARD_STAGE_CLOCK_H
#include "runtime/card/crew.h"

#ifndef hp5_nanoseconds /* the same clock on all multiprocessors */
static __device__ int64_t hp5_nanoseconds() {
    int64_t now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}
#endif

static __device__ int64_t hp5_stage_begins(const Hp5Worker *worker) { return worker->run->clock == NULL ? 0 : hp5_nanoseconds(); }

static HP5_APART void hp5_note_stage(const Hp5CardRun *run, int worker, int stage, const Hp5Lpu *lpu, int64_t began) {
    Hp5CardClock *clock = run->clock;
    if (Hp5Crew{(Hp5Tier)run->tiers[hp5_lps_of(lpu)]}.rank() != 0) return;
    const int64_t ended = hp5_nanoseconds();
    Hp5CardTime *time = &clock->times[(int64_t)worker * clock->stages + stage];
    time->calls++;
    time->nanoseconds += ended - began;
    if (clock->span_room == 0) return;
    const unsigned long long at = atomicAdd(&clock->spans_seen, 1ull);
    if (at < (unsigned long long)clock->span_room) clock->spans[at] = Hp5CardSpan{began, ended, stage, worker};
}
static __device__ void hp5_stage_ends(const Hp5Worker *worker, int stage, const Hp5Lpu *lpu, int64_t began) {
    if (worker->run->clock != NULL) hp5_note_stage(worker->run, worker->number, stage, lpu, began);
}

/* A stage that gives its elements to a later one takes no time of its own: that is in the other's. */
static __device__ void hp5_stage_gives(const Hp5Worker *worker, int stage, const Hp5Lpu *lpu) {
    Hp5CardClock *clock = worker->run->clock;
    if (clock != NULL && Hp5Crew{(Hp5Tier)worker->run->tiers[hp5_lps_of(lpu)]}.rank() == 0) clock->times[(int64_t)worker->number * clock->stages + stage].calls++;
}
#endif
