/* What flows of tasks on cards tell a prediction: stages that begin, waits, what crews copy, stages that the host runs for them. One crew after the other goes
 * through the flow and waits for nobody. */
#include "runtime/card/image.h"
#include "runtime/card/on_host.h"
#include "runtime/predict/crews.h"
#include "runtime/run/private.h"

static Hp5Crews *crews_of(const Hp5Worker *worker) { return worker->cost->crews; }
static Hp5Tier tier_of(const Hp5Worker *worker, int lps) { return (Hp5Tier)crews_of(worker)->task->tiers[lps]; }
static int lps_of(const Hp5Lpu *lpu) { return lpu->grid == NULL ? 0 : lpu->grid->lps; }

/* ---- Stages ------------------------------------------------------------------------------------------------------- */
Hp5Cost *hp5_crew_call(Hp5Worker *worker, int stage, const Hp5Lpu *lpu) {
    Hp5Crews *crews = crews_of(worker);
    hp5_crew_enters(crews, worker->run, lps_of(lpu));
    crews->manner = HP5_CREW_AS_ONE;
    crews->inside = crews->waited = false;
    worker->cost->machine = &crews->card;
    return hp5_cost_call(worker, stage);
}

Hp5Cost *hp5_host_costs(Hp5Worker *worker, int stage) {
    worker->cost->machine = &crews_of(worker)->host;
    return hp5_cost_call(worker, stage);
}

/* There and back over the link of the card, with what the stage touches. One crew asks, and all wait. */
void hp5_crew_asks_host(Hp5Worker *worker, int stage, Hp5Lpu *lpu, const int64_t *counters) {
    const Hp5Crews *crews = crews_of(worker);
    const int link = crews->task->first_level;
    hp5_crew_waits(worker, 0, 2);
    if (worker->rank > 0) return;
    const double before = worker->cost->transferred;
    worker->run->desc->on_host[stage](worker, lpu, counters);
    const double bytes = worker->cost->transferred - before;
    worker->cost->transferred = before;
    Hp5StageCost *cost = &worker->cost->stages[stage];
    cost->moved[link] += bytes;
    if (!crews->card.timed) return;
    const double seconds = 2 * crews->card.latency[link] + (crews->card.bandwidth[link] > 0 ? bytes / crews->card.bandwidth[link] : 0);
    cost->seconds += seconds;
    cost->terms[HP5_TERM_MOVE + link] += seconds;
}

/* ---- Waits and copies --------------------------------------------------------------------------------------------- */
void hp5_crew_waits(Hp5Worker *worker, int lps, int waits) {
    Hp5Crews *crews = crews_of(worker);
    const Hp5Tier tier = tier_of(worker, lps);
    crews->waits[tier] += waits;
    crews->seconds += waits * crews->wait[tier];
}

/* From the card's memory to the card's memory. */
static void copy(Hp5Worker *worker, int lps, double bytes) {
    Hp5Crews *crews = crews_of(worker);
    hp5_crew_enters(crews, worker->run, lps);
    crews->copied += bytes;
    if (crews->link > 0) crews->seconds += 2 * bytes / hp5_crew_share(crews, crews->link);
}

static double bytes_of_part(const Hp5View *view) {
    double bytes = (double)view->store->element_size;
    for (int d = 0; d < view->store->rank; d++) bytes *= (double)hp5_set_count(&view->part[d]);
    return bytes;
}

void hp5_crew_copies(Hp5Worker *worker, const Hp5Lpu *lpu, int lps, int slot) {
    const Hp5View *view = &lpu->views[slot];
    hp5_crew_waits(worker, lps, 2);
    copy(worker, lps, bytes_of_part(view) * view->store->versions);
}

void hp5_crew_exchanges(Hp5Worker *worker, int exchange, const Hp5Lpu *parent) {
    const int lps = lps_of(parent);
    hp5_crew_waits(worker, lps, 2);
    copy(worker, lps, (double)hp5_image_exchanged(hp5_card_image(worker->run), exchange, parent));
}

/* Versions that change places cost two waits; others are copied one after the other. */
void hp5_crew_advances(Hp5Worker *worker, int lps, const Hp5View *view, bool rotates, bool shared) {
    const Hp5Store *store = view->store;
    if (!rotates && store->versions < 2) return;
    if (rotates) {
        hp5_crew_waits(worker, lps, 2);
        return;
    }
    const int copies = !shared && store->lps == lps && store->versions > 2 ? 1 : store->versions - 1;
    hp5_crew_waits(worker, lps, shared ? 4 : 1 + copies);
    copy(worker, lps, copies * bytes_of_part(view));
}
