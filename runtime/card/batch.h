/* Parts of LPUs in the card's memory for the length of a visit, of an array that lies in the host's (compiler/emit/cuda/staged.c). The host copies (batches.c), one request after the other, while the kernel runs: when a
 * crew begins with an LPU, its part has come or is on its way, and the next one's is asked for, unless it has the same elements; when the visit ends, what it has written goes back. Stages find a part where they find any (Hp5Store): its record
 * says so during a visit, and otherwise that it lies in the host's memory, which the card reaches.
 *
 *     Hp5Batch c_batch_A(worker, Hp5Crew{HP5_BLOCK_TIER}, 0, HP5_BATCH_READS | HP5_BATCH_CHANGES);
 *     for (…) {
 *         c_batch_A.bring(lpu_A, lpu_A + 1 < end_A ? lpu_A + 1 : NULL);
 *         …
 *         c_batch_A.take_back(lpu_A);
 *     }
 *     c_batch_A.settle(); */
#ifndef HP5_RUNTIME_CARD_BATCH_H
#define HP5_RUNTIME_CARD_BATCH_H
#include "runtime/card/near.h"

/* By all threads of the card, before anything else: parts lie in the host's memory. */
static __device__ void hp5_batches_begin(const Hp5Worker *worker) {
    const Hp5CardRun *run = worker->run;
    const Hp5Crew card = {HP5_CARD_TIER};
    if (run->batches == NULL) return;
    for (int b = 0; b < run->batch_count; b++)
        for (int64_t i = card.rank(); run->batches[b].parts != NULL && i < run->batches[b].count; i += card.size()) {
            const Hp5CardPart *part = &run->batches[b].parts[i];
            if (part->here != part->base) *part->here = *part->base;
        }
    card.sync();
}

/* What visits do with parts: they need what these have; they write them; of two versions only the newest one comes and goes, and the other gets the same elements. */
enum { HP5_BATCH_READS = 1, HP5_BATCH_CHANGES = 2, HP5_BATCH_NEWEST = 4 };

/* Of one array, in the visits of one loop over LPUs. */
struct Hp5Batch {
    __device__ Hp5Batch(const Hp5Worker *worker, Hp5Crew of, int which, int does)
        : run(worker->run), batch(worker->run->batches == NULL ? NULL : &worker->run->batches[which]), crew(of), number(which), reads((does & HP5_BATCH_READS) != 0),
          changes((does & HP5_BATCH_CHANGES) != 0), newest((does & HP5_BATCH_NEWEST) != 0) {
        if (batch != NULL && batch->parts == NULL) batch = NULL;
    }
    /* next: the LPU that the crew visits next, if that is known; else NULL. */
    __device__ void bring(const Hp5Lpu *lpu, const Hp5Lpu *next) {
        if (batch == NULL) return;
        Hp5CardPart *const part = &batch->parts[lpu->flat];
        const bool is_there = stays;
        stays = reads && !changes && next != NULL && is_same(part, &batch->parts[next->flat]);
        const bool goes_ahead = reads && !stays && next != NULL && batch->buffers > 1;
        crew.sync(); /* the last visit is over */
        if (crew.rank() == 0) {
            /* What comes does so behind what leaves the buffer; where nothing comes, that has to have left. */
            const int64_t arrives = !reads || is_there ? left[turn] : ahead ? asked : ask_to_bring(lpu->flat, turn);
            if (goes_ahead) asked = ask_to_bring(next->flat, 1 - turn);
            wait(arrives);
            come(part);
        }
        ahead = goes_ahead;
        crew.sync();
        for (int k = 1; newest && reads && k < batch->versions; k++) hp5_copy_near(crew, part->here->version[k], NULL, part->here->version[0], part->bytes);
        if (newest) crew.sync();
    }
    __device__ void take_back(const Hp5Lpu *lpu) {
        if (batch == NULL) return;
        Hp5CardPart *const part = &batch->parts[lpu->flat];
        crew.sync();
        if (crew.rank() == 0) {
            if (changes && part->bytes > 0) left[turn] = ask(true, lpu->flat, part->here->version, is_own(part) ? part->home : part->base->version);
            go(part);
        }
        if (batch->buffers > 1 && !stays) turn = 1 - turn;
    }
    /* Behind the loop: the host has what visits have written. */
    __device__ void settle() const {
        if (batch == NULL || !changes) return;
        crew.sync();
        for (int buffer = 0; crew.rank() == 0 && buffer < HP5_BATCH_BUFFERS; buffer++) wait(left[buffer]);
        crew.sync();
    }

private:
    Hp5CardRun *run;
    const Hp5CardBatch *batch;
    Hp5Crew crew;
    int number, turn = 0; /* turn: which of the crew's buffers */
    bool reads, changes, newest;
    bool ahead = false, stays = false; /* the next LPU's part is asked for; the next one has the same elements */
    int64_t asked = -1, left[HP5_BATCH_BUFFERS] = {-1, -1}; /* the crew's first thread knows: its last request for a part; for what leaves a buffer */

    /* Of parts that are not LPUs' own. */
    static __device__ bool is_same(const Hp5CardPart *part, const Hp5CardPart *other) {
        bool same = !is_own(part);
        for (int d = 0; d < part->base->rank; d++) same = same && part->lo[d] == other->lo[d] && part->extent[d] == other->extent[d];
        return same;
    }

    static __device__ bool is_own(const Hp5CardPart *part) { return part->here == part->base; }

    /* Where a version lies in one of the crew's buffers. */
    __device__ char *near(int buffer, int version) const {
        const int64_t mine = crew.tier == HP5_CARD_TIER ? 0 : blockIdx.x;
        return batch->memory + ((mine * batch->buffers + buffer) * batch->versions + version) * batch->step;
    }

    /* Returns its number. */
    __device__ int64_t ask(bool takes, int64_t lpu, char *const *there, char *const *home) const {
        const int versions = newest ? 1 : batch->versions;
        const int64_t ticket = (int64_t)atomicAdd(&run->batch_asks, 1ull);
        Hp5BatchAsk *const request = &run->batch_desk->asks[ticket % HP5_BATCH_ASKS];
        while (request->free_for != ticket) pause();
        request->batch = number;
        request->takes = takes;
        request->lpu = lpu;
        request->versions = versions;
        for (int k = 0; k < versions; k++) {
            request->near[k] = there[k];
            request->home[k] = home[k];
        }
        __threadfence_system();
        request->ready = ticket + 1;
        return ticket;
    }

    __device__ int64_t ask_to_bring(int64_t lpu, int buffer) const {
        const Hp5CardPart *const part = &batch->parts[lpu];
        char *there[HP5_MAX_VERSIONS];
        if (part->bytes == 0) return -1;
        for (int k = 0; k < batch->versions; k++) there[k] = near(buffer, k);
        return ask(false, lpu, there, part->base->version);
    }

    __device__ void wait(int64_t ticket) const {
        while (run->batch_desk->done <= ticket) pause();
        __threadfence_system();
    }

    __device__ void pause() const {
        if (run->desk->over != 0) __trap();
        hp5_pause();
    }

    __device__ void come(Hp5CardPart *part) const {
        Hp5Store *const here = part->here;
        if (part->bytes == 0) return;
        for (int k = 0; k < batch->versions; k++) {
            part->home[k] = here->version[k];
            here->version[k] = near(turn, k);
        }
        if (is_own(part)) return;
        for (int d = 0; d < here->rank; d++) {
            here->lo[d] = part->lo[d];
            here->extent[d] = part->extent[d];
            here->stride[d] = part->stride[d];
        }
        here->capacity = part->capacity;
    }

    __device__ void go(Hp5CardPart *part) const {
        Hp5Store *const here = part->here;
        if (part->bytes == 0) return;
        if (is_own(part))
            for (int k = 0; k < batch->versions; k++) here->version[k] = part->home[k];
        else *here = *part->base;
    }
};
#endif
