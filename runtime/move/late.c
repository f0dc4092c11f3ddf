/* Messages that travel while LPUs run (hp5_exchange_later): each thread remembers that its group waits for them, and goes on with the LPUs that
 * get nothing from other processes. */
#include "runtime/move/sweep.h"
#include "runtime/move/courier.h"
#include "runtime/move/transport.h"
#include "runtime/run/private.h"

/* Of one exchange. */
struct Hp5Lateness {
    int64_t count;
    Hp5Coming **coming; /* by LPU of the parent LPS; NULL: not known yet */
    Hp5Lpu **parents;   /* by thread: the LPU in which it still has to wait, or NULL */
};

static struct Hp5Lateness *lateness_of(const Hp5Worker *w, int exchange) { return w->run->hidden->exchanges[exchange].lateness; }

struct Hp5Lateness *hp5_lateness_create(const Hp5TaskRun *run, int64_t parents) {
    struct Hp5Lateness *late = hp5_alloc_zeroed(sizeof *late, "exchange plans");
    late->count = parents;
    late->coming = hp5_alloc_zeroed((int64_t)sizeof *late->coming * (parents + 1), "exchange plans");
    late->parents = hp5_alloc_zeroed((int64_t)sizeof(Hp5Lpu *) * (run->hidden->threads + 1), "exchange plans");
    return late;
}

void hp5_lateness_free(struct Hp5Lateness *late) {
    if (late == NULL) return;
    for (int64_t p = 0; p < late->count; p++) hp5_coming_free(late->coming[p]);
    hp5_free(late->coming);
    hp5_free(late->parents);
    hp5_free(late);
}

typedef struct Noting {
    const Hp5TaskRun *run;
    const Hp5ExchangeSite *site;
    const Hp5Lpu *parent;
} Noting;

/* By one thread, when the messages are known. */
static void note_coming(void *data) {
    const Noting *noting = data;
    noting->site->lateness->coming[noting->parent->flat] = hp5_coming_create(noting->run, &noting->site->couriers[noting->parent->flat]->pattern);
}

void hp5_exchange_later(Hp5Worker *w, int exchange, Hp5Lpu *parent) {
    const Hp5TaskRun *run = w->run;
    struct Hp5Lateness *late = lateness_of(w, exchange);
    if (late == NULL || !hp5_talks(w)) {
        hp5_exchange(w, exchange, parent);
        return;
    }
    run->hidden->transport->start(w, exchange, parent);
    hp5_transport_threads.finish(w, exchange, parent);
    Hp5Group *group = w->groups[run->desc->lpses[run->hidden->exchanges[exchange].desc.lps].parent];
    if (late->coming[parent->flat] == NULL) hp5_barrier_then(group, note_coming, &(Noting){run, &run->hidden->exchanges[exchange], parent});
    late->parents[w->rank] = parent;
}

void hp5_settle(Hp5Worker *w, int exchange) {
    struct Hp5Lateness *late = lateness_of(w, exchange);
    Hp5Lpu *parent = late ? late->parents[w->rank] : NULL;
    if (parent == NULL) return;
    late->parents[w->rank] = NULL;
    hp5_messages_finish(w, exchange, parent);
}

/* ---- Visits ------------------------------------------------------------------------------------------- */

Hp5Late hp5_late_begin(Hp5Worker *w, const Hp5Grid *grid, int exchange, int slot, const Hp5Box *reach) {
    const struct Hp5Lateness *lateness = lateness_of(w, exchange);
    Hp5Late late = {.w = w, .exchange = exchange, .slot = slot, .reach = reach, .share = hp5_share(w, grid)};
    late.again = late.share;
    if (lateness && lateness->parents[w->rank] != NULL) late.coming = lateness->coming[lateness->parents[w->rank]->flat];
    return late;
}

bool hp5_is_settled(const Hp5Late *late) { return late->coming == NULL || lateness_of(late->w, late->exchange)->parents[late->w->rank] == NULL; }

static bool waits(const Hp5Late *late, const Hp5Lpu *lpu) { return late->coming->places[lpu->views[late->slot].store->number] != 0; }

/* Between two LPUs messages move on. The first one that waits for them may begin without (sweep.c), and has seen their end when it is done. */
Hp5Lpu *hp5_late_next(Hp5Late *late) {
    if (late->coming == NULL) return hp5_share_next(&late->share);
    Hp5Lpu *lpu;
    while (!late->last && (lpu = hp5_share_next(&late->share)) != NULL) {
        if (waits(late, lpu)) continue;
        hp5_comm_progress();
        return lpu;
    }
    if (late->last || late->reach == NULL) hp5_settle(late->w, late->exchange);
    late->last = true;
    do lpu = hp5_share_next(&late->again);
    while (lpu != NULL && !waits(late, lpu));
    if (lpu == NULL) hp5_settle(late->w, late->exchange);
    return lpu;
}
