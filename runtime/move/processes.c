/* Padding between processes (transport.h): threads of one process take it from each other as ever; what lies in other processes comes
 * in one message from each neighbour, corners included, which the group's first thread sends and receives. Where several processes share
 * the LPUs whose padding it is, it goes between the parts that they have of these, and the first thread does all of it. */
#include "runtime/move/courier.h"
#include "runtime/move/transport.h"
#include "runtime/run/private.h"

typedef struct Exchanging {
    Hp5Worker *w;
    int exchange;
    const Hp5Lpu *parent;
} Exchanging;

/* The LPS whose LPUs have the elements: of the array's home, or in that, or the one whose copies are not the array. */
static int owner_of(const Hp5TaskRun *run, Hp5ExchangeDesc exchange) {
    int lps = hp5_exchange_level(run->desc, exchange);
    if (hp5_divides_home(run, exchange.array)) lps = run->desc->held[exchange.array].owner;
    while (hp5_slot_of(run->desc, lps, exchange.array) < 0) lps = run->desc->lpses[lps].parent;
    return lps;
}

static Hp5Courier *courier_of(const Exchanging *what) {
    Hp5TaskRun *run = what->w->run;
    Hp5ExchangeSite *site = &run->hidden->exchanges[what->exchange];
    Hp5Courier *courier = site->couriers[what->parent->flat];
    if (courier != NULL) return courier;
    const Hp5ArrayDesc *array = &run->desc->arrays[site->desc.array];
    int owner = owner_of(run, site->desc);
    Hp5Movement movement = {.array = site->desc.array, .within = run->desc->lpses[site->desc.lps].parent, .from = owner, .to = owner, .beyond = site->desc.lps};
    courier = site->couriers[what->parent->flat] = hp5_alloc_zeroed(sizeof *courier, "exchange plans");
    Hp5Pattern pattern = hp5_pattern_create(run, &run->hidden->segments, movement, (Hp5Holders){false, false}, what->parent);
    hp5_courier_create(courier, run, pattern, array->rotates, HP5_TAG_EXCHANGES + what->exchange, site->account);
    return courier;
}

static void send_all(void *data) {
    const Exchanging *what = data;
    hp5_courier_start(courier_of(what), what->w->run);
}

static void receive_all(void *data) {
    const Exchanging *what = data;
    hp5_courier_finish_by(courier_of(what), what->w);
}

static Hp5Group *group_of(const Hp5Worker *w, int exchange) {
    return w->groups[w->run->desc->lpses[w->run->hidden->exchanges[exchange].desc.lps].parent];
}

/* Also within this process. */
static void exchange_all(void *data) {
    const Exchanging *what = data;
    Hp5Courier *courier = courier_of(what);
    const Hp5TaskRun *run = what->w->run;
    const Hp5ArrayDesc *array = &run->desc->arrays[courier->pattern.array];
    const Hp5Pieces *here = &courier->pattern.local;
    if (!hp5_simulate_copy(run, hp5_pieces_bytes(run, here, array->rank, array->rotates))) hp5_pieces_copy(run, here, array->rank, array->rotates);
    hp5_courier_start(courier, run);
    hp5_courier_finish_by(courier, what->w);
}

static bool is_divided(const Hp5Worker *w, int exchange) { return hp5_talks(w) && hp5_divides_home(w->run, w->run->hidden->exchanges[exchange].desc.array); }

static void start(Hp5Worker *w, int exchange, Hp5Lpu *parent) {
    if (is_divided(w, exchange)) return;
    if (hp5_talks(w)) hp5_barrier_then(group_of(w, exchange), send_all, &(Exchanging){w, exchange, parent});
    hp5_transport_threads.start(w, exchange, parent);
}

void hp5_messages_finish(Hp5Worker *w, int exchange, Hp5Lpu *parent) {
    hp5_barrier_then(group_of(w, exchange), receive_all, &(Exchanging){w, exchange, parent});
}

static void finish(Hp5Worker *w, int exchange, Hp5Lpu *parent) {
    if (is_divided(w, exchange)) {
        hp5_barrier_then(group_of(w, exchange), exchange_all, &(Exchanging){w, exchange, parent});
        return;
    }
    hp5_transport_threads.finish(w, exchange, parent);
    if (hp5_talks(w)) hp5_messages_finish(w, exchange, parent);
}

void hp5_exchange_messages(Hp5Worker *w, int exchange, Hp5Lpu *parent) {
    Exchanging what = {w, exchange, parent};
    if (is_divided(w, exchange)) {
        exchange_all(&what);
        return;
    }
    send_all(&what);
    receive_all(&what);
}

static void combine(Hp5Worker *w, int site, Hp5Lpu *target) { hp5_transport_threads.combine(w, site, target); }

static void forget(struct Hp5ExchangeState *state) { hp5_transport_threads.forget(state); }

const Hp5Transport hp5_transport_processes = {"processes", start, finish, combine, forget};
