/* Several processes: who takes part in what an LPU above the segments does, and what flow functions do there together.
 *
 * All processes of an LPU run the same steps in the same order, each with its own threads; in a step that needs the others the last
 * thread to arrive speaks for its process. For reductions see partials.c. */
#include "runtime/comm/accounts.h"
#include "runtime/run/private.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Who takes part ---------------------------------------------------------------------------------- */

Hp5Span hp5_segments_of(const Hp5TaskRun *run, Hp5Span threads) {
    int each = run->hidden->geometry.each;
    if (each == 0) return (Hp5Span){0, 1};
    int first = threads.first / each, last = (threads.first + threads.count - 1) / each;
    return (Hp5Span){first, last - first + 1};
}

/* The processes that run an LPU whose threads are `threads`, as members of a group; ranks is freed with hp5_free. */
Hp5Peers hp5_peers_of(const Hp5TaskRun *run, Hp5Span threads) {
    Hp5Span segments = hp5_segments_of(run, threads);
    int *ranks = hp5_alloc((int64_t)sizeof *ranks * segments.count, "the processes of an LPU");
    for (int s = 0; s < segments.count; s++) ranks[s] = run->hidden->segments.first_rank + segments.first + s;
    return (Hp5Peers){ranks, segments.count};
}

static bool is_spread(const Hp5TaskRun *run, Hp5Span threads) { return hp5_segments_of(run, threads).count > 1; }

bool hp5_hosts(const Hp5Worker *w, int lps) {
    const Hp5Geometry *geometry = &w->run->hidden->geometry;
    return hp5_leads(w, lps) && w->spans[lps].first == geometry->mine.first + w->rank;
}

/* ---- Scalars and decisions ------------------------------------------------------------------------------ */

/* What the flow asks and tells, which is no transfer of the plan. */
static Hp5Account *account_of_flow(const Hp5TaskRun *run) {
    return hp5_account_open(run->desc, 0, run->desc->name, run->desc->source, 0, "scalars and decisions");
}

static Hp5Account *begin_flow(const Hp5TaskRun *run) {
    Hp5Account *account = account_of_flow(run);
    hp5_account_happens(account, -1);
    return hp5_account_use(account);
}

typedef struct Telling {
    Hp5Worker *w;
    int lps, root; /* root: which of its processes has the value */
    void *value;
    size_t size; /* 0: a text */
} Telling;

static void tell(void *data) {
    const Telling *telling = data;
    Hp5Peers peers = hp5_peers_of(telling->w->run, telling->w->spans[telling->lps]);
    Hp5Account *before = begin_flow(telling->w->run);
    bool mine = peers.ranks[telling->root] == hp5_comm_rank();
    if (telling->size == 0) hp5_text_broadcast(peers, HP5_TAG_TELL, telling->root, mine, telling->value);
    else hp5_comm_broadcast(peers, HP5_TAG_TELL, telling->root, telling->value, (int64_t)telling->size);
    hp5_account_use(before);
    hp5_free((void *)peers.ranks);
}

void hp5_tell(Hp5Worker *w, int lps, void *value, size_t size) {
    if (is_spread(w->run, w->spans[lps])) hp5_barrier_then(w->groups[lps], tell, &(Telling){w, lps, 0, value, size});
}

void hp5_tell_text(Hp5Worker *w, int lps, const char **text) { hp5_tell(w, lps, text, 0); }

/* Whose threads run the one LPU of `from` in the LPU of `lps`. */
static Hp5Span threads_of_one(const Hp5TaskRun *run, const Hp5Lpu *lpu, Hp5Span threads, int lps, int from) {
    const Hp5Geometry *geometry = &run->hidden->geometry;
    int path[64], depth = 0;
    for (; from != lps; from = run->desc->lpses[from].parent) path[depth++] = from;
    while (depth-- > 0) {
        const Hp5Grid *grid = &lpu->children[geometry->shapes[path[depth]].slot];
        threads = hp5_lpu_span(geometry, grid, 0, threads);
        lpu = grid->lpus;
    }
    return threads;
}

void hp5_tell_from(Hp5Worker *w, const Hp5Lpu *lpu, int lps, int from, void *value, size_t size) {
    if (!is_spread(w->run, w->spans[lps])) return;
    Hp5Span threads = threads_of_one(w->run, lpu, w->spans[lps], lps, from);
    int root = hp5_segments_of(w->run, threads).first - hp5_segments_of(w->run, w->spans[lps]).first;
    hp5_barrier_then(w->groups[lps], tell, &(Telling){w, lps, root, value, size});
}

void hp5_tell_text_from(Hp5Worker *w, const Hp5Lpu *lpu, int lps, int from, const char **text) { hp5_tell_from(w, lpu, lps, from, text, 0); }

typedef struct Asking {
    Hp5Worker *w;
    int lps;
} Asking;

/* Whether any thread of any process says so; every thread of this one finds the answer where its own was. */
static void ask(void *data) {
    const Asking *asking = data;
    Hp5TaskRun *run = asking->w->run;
    const Hp5Group *group = asking->w->groups[asking->lps];
    Hp5Peers peers = hp5_peers_of(run, asking->w->spans[asking->lps]);
    char mine = 0, any = 0, *all = hp5_alloc(peers.count, "the processes of an LPU");
    for (int t = group->first; t < group->first + group->count; t++) mine |= (char)run->workers[t].some;
    Hp5Account *before = begin_flow(run);
    hp5_comm_gather_all(peers, HP5_TAG_ANY, &mine, 1, all);
    hp5_account_use(before);
    for (int p = 0; p < peers.count; p++) any |= all[p];
    for (int t = group->first; t < group->first + group->count; t++) run->workers[t].some = any != 0;
    hp5_free(all);
    hp5_free((void *)peers.ranks);
}

bool hp5_any(Hp5Worker *worker, int lps, bool mine) {
    const Hp5Group *group = worker->groups[lps];
    bool spread = is_spread(worker->run, worker->spans[lps]), any = false;
    if (group->count == 1 && !spread) return mine;
    worker->some = mine;
    if (spread) {
        hp5_barrier_then(worker->groups[lps], ask, &(Asking){worker, lps});
        return worker->some;
    }
    hp5_sync(worker, lps);
    for (int t = group->first; t < group->first + group->count; t++)
        any = any || worker->run->workers[t].some;
    hp5_sync(worker, lps); /* all have read before anybody says something else */
    return any;
}

/* All processes open accounts in this order. */
void hp5_across_create(Hp5TaskRun *run) {
    hp5_partials_create(run);
    account_of_flow(run);
    hp5_products_open(run);
}

/* ---- What the environment gets back ---------------------------------------------------------------------- */

static void each_below(Hp5TaskRun *run, Hp5Single single, Hp5SingleVisit *visit, void *data) {
    const Hp5LpsShape *shape = &run->hidden->geometry.shapes[single.lps];
    single.size = run->desc->lpses[single.lps].scalars_size;
    if (single.size > 0) visit(&single, data);
    for (int c = 0; c < shape->child_count; c++) {
        Hp5Grid *grid = &single.lpu->children[c];
        if (grid->count == 1) each_below(run, (Hp5Single){grid->lps, grid->lpus, hp5_lpu_span(&run->hidden->geometry, grid, 0, single.threads), 0}, visit, data);
    }
}

void hp5_each_single(Hp5TaskRun *run, Hp5SingleVisit *visit, void *data) {
    each_below(run, (Hp5Single){0, &run->root, {0, run->hidden->geometry.ppus}, 0}, visit, data);
}

static void tell_all(const Hp5Single *single, void *data) {
    const Hp5TaskRun *run = data;
    const Hp5Span segments = hp5_segments_of(run, single->threads);
    if (segments.count == hp5_comm_size()) return;
    Hp5Account *before = begin_flow(run);
    const int root = run->hidden->segments.first_rank + segments.first;
    char *scalars = single->lpu->scalars;
    hp5_comm_broadcast(HP5_EVERYBODY, HP5_TAG_TELL, root, scalars, (int64_t)single->size);
    for (int t = 0; t < run->desc->text_count; t++) {
        if (run->desc->texts[t].lps != single->lps) continue;
        hp5_text_broadcast(HP5_EVERYBODY, HP5_TAG_TELL, root, root == hp5_comm_rank(), (const char **)(void *)(scalars + run->desc->texts[t].offset));
    }
    hp5_account_use(before);
}

void hp5_tell_single(Hp5TaskRun *run) { hp5_each_single(run, tell_all, run); }
