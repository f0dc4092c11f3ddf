/* Movements between threads of one process (transport.h). How to read it: for each parent LPU, each thread makes at first use the
 * list of pieces that it copies, into the copies that it leads, and notes who its neighbours are; then an exchange is: raise
 * "ready", wait for the threads it copies from, copy, raise "done", wait for the threads that copy from it. */
#include "runtime/move/pattern.h"
#include "runtime/move/transport.h"
#include "runtime/predict/predict.h"
#include "runtime/run/private.h"
#include <string.h>

/* Members of a group (0 = its first), ascending. */
typedef struct Neighbours {
    int *at, count, capacity;
} Neighbours;

typedef struct Member {
    bool built;
    uint32_t round; /* exchanges done, as signals count them */
    Hp5Pieces pieces;
    Neighbours sources, readers; /* threads that this one copies from, threads that copy from it */
} Member;

struct Hp5ExchangeState {
    bool barriers; /* copies are run by groups of several threads: signals would miss some of them */
    int count;
    Hp5Signal *ready, *done;
    Member *members;
    pthread_mutex_t lock; /* of readers, while lists are made */
};

/* ---- Pieces and neighbours --------------------------------------------------------------------------- */

static void add_neighbour(Neighbours *list, int member) {
    int low = 0, high = list->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (list->at[middle] < member) low = middle + 1;
        else high = middle;
    }
    if (low < list->count && list->at[low] == member) return;
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 8;
        int *larger = hp5_alloc(list->capacity * (int64_t)sizeof *larger, "exchange plans");
        if (list->count > 0) memcpy(larger, list->at, sizeof *larger * (size_t)list->count);
        hp5_free(list->at);
        list->at = larger;
    }
    memmove(list->at + low + 1, list->at + low, sizeof *list->at * (size_t)(list->count - low));
    list->at[low] = member;
    list->count++;
}

typedef struct Build {
    Hp5Search search; /* first: callbacks get it */
    const Hp5Worker *w;
    Member *member;
    int me, last; /* last: the neighbour found last */
    int first;    /* the group's first thread, counted over all processes */
} Build;

static void found_piece(Hp5Search *search, const Hp5Lpu *to, const Hp5Lpu *from, Hp5Span from_threads, const Hp5Box *box) {
    Build *build = (Build *)search;
    const Hp5Store *there = to->views[search->to_slot].store, *here = from->views[search->from_slot].store;
    if (here == NULL) return; /* in another process (processes.c) */
    int64_t count[HP5_MAX_RANK];
    int source = from_threads.first > build->first ? from_threads.first - build->first : 0; /* an LPU of several processes: its first one here */
    for (int d = 0; d < search->rank; d++) count[d] = box->hi[d] - box->lo[d];
    hp5_pieces_add(&build->member->pieces, search->rank, hp5_piece_stores(there->number, here->number), hp5_store_offset(there, box->lo),
                   hp5_store_offset(here, box->lo), count);
    if (source != build->me && source != build->last) add_neighbour(&build->member->sources, build->last = source);
}

/* This thread's LPUs, of which it fills the copies that it leads. */
static void each_own(Build *build, int depth, const Hp5Lpu *above) {
    Hp5Search *search = &build->search;
    const Hp5Grid *grid = &above->children[search->geometry->shapes[search->to_path[depth]].slot];
    Hp5Share share = hp5_share(build->w, grid);
    for (const Hp5Lpu *at; (at = hp5_share_next(&share)) != NULL;) {
        search->to_chain[depth] = at;
        if (depth + 1 < search->to_depth) each_own(build, depth + 1, at);
        else if (hp5_leads(build->w, grid->lps)) hp5_search_sources(search);
    }
}

static void build_member(Hp5Worker *w, Hp5ExchangeDesc desc, struct Hp5ExchangeState *state, const Hp5Group *group, Hp5Lpu *parent) {
    int home = hp5_exchange_level(w->run->desc, desc), me = w->rank - group->first;
    Hp5Movement movement = {.array = desc.array, .within = w->run->desc->lpses[desc.lps].parent, .from = home, .to = home, .beyond = desc.lps};
    Build build = {.w = w, .member = &state->members[me], .me = me, .last = -1, .first = w->run->hidden->geometry.mine.first + group->first};
    hp5_search_begin(&build.search, &w->run->hidden->geometry, movement, parent);
    build.search.found = found_piece;
    each_own(&build, 0, parent);
    hp5_search_end(&build.search);
    const Neighbours *sources = &build.member->sources;
    pthread_mutex_lock(&state->lock);
    for (int s = 0; s < sources->count; s++) add_neighbour(&state->members[sources->at[s]].readers, me);
    pthread_mutex_unlock(&state->lock);
    build.member->built = true;
}

/* ---- States, made at first use --------------------------------------------------------------------- */

typedef struct Making {
    const Hp5Worker *w;
    Hp5ExchangeSite *site;
    int64_t parent;
} Making;

static void make_state(void *data) {
    Making *making = data;
    const Hp5TaskRun *run = making->w->run;
    const Hp5Group *group = making->w->groups[run->desc->lpses[making->site->desc.lps].parent];
    int count = group->count, home = hp5_exchange_level(run->desc, making->site->desc);
    struct Hp5ExchangeState *state = hp5_alloc_zeroed(sizeof *state, "exchange plans");
    state->count = count;
    state->members = hp5_alloc_zeroed((int64_t)sizeof *state->members * count, "exchange plans");
    for (int m = 0; m < count; m++)
        if (run->workers[group->first + m].groups[home]->count > 1) state->barriers = true;
    if (count > 1) {
        state->ready = hp5_alloc_zeroed((int64_t)sizeof(Hp5Signal) * count, "exchange plans");
        state->done = hp5_alloc_zeroed((int64_t)sizeof(Hp5Signal) * count, "exchange plans");
    }
    pthread_mutex_init(&state->lock, NULL);
    making->site->states[making->parent] = state;
}

static struct Hp5ExchangeState *prepared_state(Hp5Worker *w, Hp5ExchangeSite *site, Hp5Group *group, Hp5Lpu *parent) {
    struct Hp5ExchangeState *state = site->states[parent->flat];
    if (state && state->members[w->rank - group->first].built) return state;
    Making making = {w, site, parent->flat};
    hp5_barrier_then(group, make_state, &making);
    state = site->states[parent->flat];
    build_member(w, site->desc, state, group, parent);
    hp5_barrier(group); /* all have noted whom they read from */
    return state;
}

static void free_state(struct Hp5ExchangeState *state) {
    for (int m = 0; m < state->count; m++) {
        hp5_free(state->members[m].pieces.words);
        hp5_free(state->members[m].sources.at);
        hp5_free(state->members[m].readers.at);
    }
    pthread_mutex_destroy(&state->lock);
    hp5_free(state->members);
    hp5_free(state->ready);
    hp5_free(state->done);
    hp5_free(state);
}

/* ---- The transport --------------------------------------------------------------------------------- */

static void copy_pieces(const Hp5Worker *w, const Hp5Pieces *pieces, const Hp5ArrayDesc *array) {
    if (w->cost != NULL && hp5_cost_copies(w, (double)pieces->elements * (double)array->element->size * array->versions)) return;
    hp5_pieces_copy(w->run, pieces, array->rank, array->rotates);
}

static void start(Hp5Worker *w, int exchange, Hp5Lpu *parent) {
    Hp5ExchangeSite *site = &w->run->hidden->exchanges[exchange];
    Hp5Group *group = w->groups[w->run->desc->lpses[site->desc.lps].parent];
    struct Hp5ExchangeState *state = prepared_state(w, site, group, parent);
    int me = w->rank - group->first;
    if (group->count == 1) return;
    if (state->barriers) {
        hp5_barrier(group);
        return;
    }
    state->members[me].round++;
    hp5_signal_raise(&state->ready[me]);
}

static void finish(Hp5Worker *w, int exchange, Hp5Lpu *parent) {
    const Hp5ExchangeSite *site = &w->run->hidden->exchanges[exchange];
    const Hp5ArrayDesc *array = &w->run->desc->arrays[site->desc.array];
    Hp5Group *group = w->groups[w->run->desc->lpses[site->desc.lps].parent];
    struct Hp5ExchangeState *state = site->states[parent->flat];
    int me = w->rank - group->first;
    const Member *member = &state->members[me];
    if (group->count == 1 || state->barriers) {
        copy_pieces(w, &member->pieces, array);
        if (group->count > 1) hp5_barrier(group);
        return;
    }
    for (int s = 0; s < member->sources.count; s++) hp5_signal_wait(&state->ready[member->sources.at[s]], member->round, group->spin);
    copy_pieces(w, &member->pieces, array);
    hp5_signal_raise(&state->done[me]);
    for (int r = 0; r < member->readers.count; r++) hp5_signal_wait(&state->done[member->readers.at[r]], member->round, group->spin);
}

typedef struct Combine {
    Hp5TaskRun *run;
    int site;
    Hp5Lpu *target;
} Combine;

static void combine_partials(void *data) {
    const Combine *what = data;
    hp5_combine(what->run, what->site, what->target);
}

static void combine(Hp5Worker *w, int site, Hp5Lpu *target) {
    hp5_barrier_then(w->groups[w->run->desc->reductions[site].to], combine_partials, &(Combine){w->run, site, target});
}

const Hp5Transport hp5_transport_threads = {"threads", start, finish, combine, free_state};
