/* Stages that the host runs for a card (on_host.h). The kernel waits, all of its threads, so the host may read and write whatever the stage touches: it
 * takes that from the card, into its own store, whose other elements may be as old as they like, and gives back what the stage may have
 * written. A version lies in the host's buffer of the same number, wherever the card has it. */
#include "runtime/card/on_host.h"
#include "runtime/card/execute.h"
#include "runtime/card/image.h"
#include "runtime/card/calls.h"
#include "runtime/card/resident.h"
#include "runtime/card/sides.h"
#include "runtime/predict/predict.h"
#include "runtime/run/private.h"

bool hp5_host_box(const Hp5View *view, const int64_t *bounds, Hp5Box *box) {
    *box = hp5_view_hull(view, view->store->rank);
    for (int d = 0; d < view->store->rank; d++) {
        if (bounds != NULL && bounds[2 * d] > box->lo[d]) box->lo[d] = bounds[2 * d];
        if (bounds != NULL && bounds[2 * d + 1] < box->hi[d]) box->hi[d] = bounds[2 * d + 1] + 1;
        if (box->lo[d] >= box->hi[d]) return false;
    }
    return true;
}

typedef struct Crossing {
    const Hp5TaskRun *run;
    const Hp5Store *store;
    int version;
    bool takes;
} Crossing;

/* In which neighbours are neighbours in the store. */
static void cross_even(const Hp5Box *box, void *data) {
    const Crossing *crossing = data;
    int64_t count[HP5_MAX_RANK];
    for (int d = 0; d < crossing->store->rank; d++) count[d] = box->hi[d] - box->lo[d];
    (crossing->takes ? hp5_card_take_box : hp5_card_give_box)(crossing->run, crossing->store, crossing->version, hp5_store_offset(crossing->store, box->lo), count);
}

static void cross_box(const Hp5Box *box, void *data) {
    Crossing *crossing = data;
    hp5_box_each_even(crossing->store, crossing->store, box, cross_even, crossing);
}

/* What is taken may be more than the part; beside what is given lies what others have on the card. */
static void cross(Crossing crossing, const Hp5View *view, const Hp5Box *box) {
    if (crossing.takes) cross_box(box, &crossing);
    else hp5_box_each(view->part, view->store->rank, box, cross_box, &crossing);
}

/* The host has all that the card has: of arrays with one version that no stage writes, but for copies, which are made on the card. */
static bool is_constant(const Hp5TaskRun *run, const Hp5Store *store) {
    return run->desc->written != NULL && !run->desc->written[store->array] && store->versions == 1 && store->lps == run->desc->arrays[store->array].home;
}

/* What would cross, for a prediction. */
static void count_box(Hp5Worker *w, const Hp5View *view, const int64_t *bounds) {
    int64_t elements = 1;
    Hp5Box box;
    if (!hp5_host_box(view, bounds, &box)) return;
    for (int d = 0; d < view->store->rank; d++) elements *= box.hi[d] - box.lo[d];
    hp5_cost_copies(w, (double)(elements * (int64_t)view->store->element_size));
}

void hp5_host_takes(Hp5Worker *w, const Hp5View *view, int lag, const int64_t *bounds) {
    const Hp5Store *store = view->store;
    Hp5Box box;
    if (w->predicting && !is_constant(w->run, store)) {
        count_box(w, view, bounds);
    } else if (is_constant(w->run, store)) {
        if (hp5_is_resident(w->run, store->array)) hp5_resident_fetch(w->run->items[store->array]);
        else hp5_sides_fetch(w->run, store->array);
    } else if (hp5_host_box(view, bounds, &box)) {
        cross((Crossing){w->run, store, lag, true}, view, &box);
    }
}

void hp5_host_begins(Hp5Worker *w, int number, const Hp5Lpu *lpu) {
    hp5_card_settle(w->run);
    w->doing.lpu = lpu;
    w->doing.stage = number + 1;
}

void hp5_host_gives(Hp5Worker *w, const Hp5View *view, const int64_t *bounds) {
    Hp5Box box;
    w->doing.stage = 0;
    if (w->predicting) count_box(w, view, bounds);
    else if (hp5_host_box(view, bounds, &box)) cross((Crossing){w->run, view->store, 0, false}, view, &box);
}

void hp5_host_gives_partial(Hp5Worker *w, int site, const Hp5Lpu *lpu) {
    if (!w->predicting) hp5_card_give_partial(w->run, site, lpu);
}
