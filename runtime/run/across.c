/* Several processes: who takes part in what an LPU above the segments does, and what flow functions do there together.
 *
 * All processes of an LPU run the same steps in the same order, each with its own threads; in a step that needs the others the last
 * thread to arrive speaks for its process. Partial results of a reduction go to all of these processes, which combine them alike:
 * the order is that of the LPUs (trust.md), whoever runs them, and follows from their numbers, which the processes tell each
 * other once. */
#define _GNU_SOURCE /* qsort_r */
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

/* ---- Partial results ------------------------------------------------------------------------------------ */

/* What the processes of a target know of each other's partial results. */
typedef struct Partials {
    Hp5Peers peers;
    Hp5Account *account;
    int64_t most;    /* of one process */
    int64_t total;
    int64_t *place;  /* [peers * most]: where in the order of the LPUs; -1: there is no such */
    int64_t *records; /* this process's: flat numbers, in its order */
    int64_t count;   /* of them */
    int64_t bytes;   /* of one process's message: presence, then values */
    char *mine, *all; /* messages */
    char *values;    /* in order */
    unsigned char *present;
} Partials;

typedef struct Hp5Across {
    Partials **sites; /* for each site: one for each record of its target; NULL until it is used */
} Hp5Across;

static Hp5Account *account_of_reduction(const Hp5TaskRun *run, int site) {
    const Hp5TaskDesc *desc = run->desc;
    const Hp5ReduceDesc *reduction = &desc->reductions[site];
    char what[300];
    snprintf(what, sizeof what, "reduction to %s in Space %s", reduction->target, desc->lpses[reduction->to].name);
    return hp5_account_open(reduction, 0, desc->name, desc->source, reduction->line, what);
}

/* What the flow asks and tells, which is no transfer of the plan. */
static Hp5Account *account_of_flow(const Hp5TaskRun *run) {
    return hp5_account_open(run->desc, 0, run->desc->name, run->desc->source, 0, "scalars and decisions");
}

/* All processes open them in this order. */
static void open_accounts(const Hp5TaskRun *run) {
    for (int r = 0; r < run->desc->reduce_count; r++) account_of_reduction(run, r);
    account_of_flow(run);
    hp5_products_open(run);
}

void hp5_across_create(Hp5TaskRun *run) {
    Hp5Across *across = run->hidden->across = hp5_alloc_zeroed(sizeof *across, "reductions");
    open_accounts(run);
    across->sites = hp5_alloc_zeroed((int64_t)sizeof *across->sites * (run->desc->reduce_count + 1), "reductions");
    for (int r = 0; r < run->desc->reduce_count; r++)
        across->sites[r] = hp5_alloc_zeroed((int64_t)sizeof(Partials) * (run->hidden->geometry.shapes[run->desc->reductions[r].to].lpus + 1), "reductions");
}

static void free_partials(Partials *partials) {
    hp5_free((void *)partials->peers.ranks);
    hp5_free(partials->place);
    hp5_free(partials->records);
    hp5_free(partials->mine);
    hp5_free(partials->all);
    hp5_free(partials->values);
    hp5_free(partials->present);
}

void hp5_across_free(Hp5TaskRun *run) {
    for (int r = 0; r < run->desc->reduce_count; r++) {
        for (int64_t t = 0; t < run->hidden->geometry.shapes[run->desc->reductions[r].to].lpus; t++) free_partials(&run->hidden->across->sites[r][t]);
        hp5_free(run->hidden->across->sites[r]);
    }
    hp5_free(run->hidden->across->sites);
    hp5_free(run->hidden->across);
}

/* An LPU's numbers from below the target down to its own: the order of LPUs. */
typedef struct Numbers {
    const Hp5TaskRun *run;
    Partials *partials;
    int depth, path[64];
    int64_t *words, capacity;
    const Hp5Lpu *chain[64];
} Numbers;

static void note_numbers(Numbers *numbers, const Hp5Lpu *lpu) {
    Partials *partials = numbers->partials;
    const Hp5Geometry *geometry = &numbers->run->hidden->geometry;
    if (hp5_threads_of(geometry, lpu).first < geometry->mine.first) return; /* another process runs it as well, and has its result */
    if (partials->count == numbers->capacity) {
        int64_t capacity = 2 * numbers->capacity + 16, width = numbers->depth > 0 ? numbers->depth : 1;
        int64_t *words = hp5_alloc(capacity * width * (int64_t)sizeof *words, "reductions");
        int64_t *records = hp5_alloc(capacity * (int64_t)sizeof *records, "reductions");
        if (partials->count > 0) {
            memcpy(words, numbers->words, (size_t)(partials->count * width) * sizeof *words);
            memcpy(records, partials->records, (size_t)partials->count * sizeof *records);
        }
        hp5_free(numbers->words);
        hp5_free(partials->records);
        numbers->words = words;
        partials->records = records;
        numbers->capacity = capacity;
    }
    for (int d = 0; d < numbers->depth; d++) numbers->words[partials->count * numbers->depth + d] = numbers->chain[d]->number;
    partials->records[partials->count++] = lpu->flat;
}

static void walk_numbers(Numbers *numbers, int depth, const Hp5Lpu *lpu) {
    if (depth == numbers->depth) {
        note_numbers(numbers, lpu);
        return;
    }
    const Hp5Grid *grid = &lpu->children[numbers->run->hidden->geometry.shapes[numbers->path[depth]].slot];
    for (int64_t i = 0; i < grid->own; i++) {
        numbers->chain[depth] = &grid->lpus[i];
        walk_numbers(numbers, depth + 1, &grid->lpus[i]);
    }
}

static int in_order(const void *a, const void *b, void *data) {
    const Numbers *numbers = data;
    const int64_t *x = a, *y = b;
    for (int d = 0; d < numbers->depth; d++)
        if (x[d] != y[d]) return x[d] < y[d] ? -1 : 1;
    return 0;
}

/* From all numbers, process after process, where each stands among them: they are sorted with their places behind them. */
static void find_places(Partials *partials, Numbers *numbers, const int64_t *counts, const int64_t *all) {
    int width = numbers->depth + 1;
    int64_t *sorted = hp5_alloc((partials->total + 1) * width * (int64_t)sizeof *sorted, "reductions"), at = 0;
    partials->place = hp5_alloc(partials->peers.count * partials->most * (int64_t)sizeof *partials->place + 8, "reductions");
    for (int p = 0; p < partials->peers.count; p++)
        for (int64_t i = 0; i < partials->most; i++) {
            int64_t from = p * partials->most + i;
            partials->place[from] = -1;
            if (i >= counts[p]) continue;
            memcpy(sorted + at * width, all + from * numbers->depth, sizeof *all * (size_t)numbers->depth);
            sorted[at++ * width + numbers->depth] = from;
        }
    qsort_r(sorted, (size_t)partials->total, sizeof *sorted * (size_t)width, in_order, numbers);
    for (int64_t i = 0; i < partials->total; i++) partials->place[sorted[i * width + numbers->depth]] = i;
    hp5_free(sorted);
}

static void meet(Hp5TaskRun *run, int site, const Hp5Lpu *target, Partials *partials) {
    const Hp5ReduceDesc *desc = &run->desc->reductions[site];
    Numbers numbers = {.run = run, .partials = partials};
    for (int x = desc->from; x != desc->to; x = run->desc->lpses[x].parent) numbers.depth++;
    for (int x = desc->from, d = numbers.depth; x != desc->to; x = run->desc->lpses[x].parent) numbers.path[--d] = x;
    partials->peers = hp5_peers_of(run, hp5_threads_of(&run->hidden->geometry, target));
    walk_numbers(&numbers, 0, target);
    int64_t *counts = hp5_alloc((int64_t)sizeof *counts * partials->peers.count, "reductions");
    hp5_comm_gather_all(partials->peers, HP5_TAG_REDUCE, &partials->count, sizeof partials->count, counts);
    for (int p = 0; p < partials->peers.count; p++) {
        partials->total += counts[p];
        if (counts[p] > partials->most) partials->most = counts[p];
    }
    int64_t bytes = partials->most * numbers.depth * (int64_t)sizeof(int64_t);
    int64_t *mine = hp5_alloc_zeroed(bytes + 8, "reductions"), *all = hp5_alloc(bytes * partials->peers.count + 8, "reductions");
    if (partials->count > 0) memcpy(mine, numbers.words, sizeof *mine * (size_t)(partials->count * numbers.depth));
    if (bytes > 0) hp5_comm_gather_all(partials->peers, HP5_TAG_REDUCE, mine, bytes, all);
    find_places(partials, &numbers, counts, all);
    hp5_free(mine);
    hp5_free(all);
    hp5_free(counts);
    hp5_free(numbers.words);
    partials->bytes = (partials->most + 15) / 16 * 16 + partials->most * (int64_t)desc->size;
    partials->mine = hp5_alloc_zeroed(partials->bytes + 1, "reductions");
    partials->all = hp5_alloc(partials->bytes * partials->peers.count + 1, "reductions");
    partials->values = hp5_alloc(partials->total * (int64_t)desc->size + 1, "reductions");
    partials->present = hp5_alloc(partials->total + 1, "reductions");
}

void hp5_combine_across(Hp5TaskRun *run, int at, Hp5Lpu *target) {
    const Hp5ReduceDesc *desc = &run->desc->reductions[at];
    Hp5Site *site = &run->hidden->sites[at];
    Partials *partials = &run->hidden->across->sites[at][target->flat];
    if (partials->account == NULL) partials->account = account_of_reduction(run, at);
    Hp5Account *before = hp5_account_use(partials->account);
    hp5_account_happens(partials->account, -1);
    if (partials->peers.ranks == NULL) meet(run, at, target, partials);
    int64_t head = (partials->most + 15) / 16 * 16;
    for (int64_t i = 0; i < partials->count; i++) {
        partials->mine[i] = (char)site->present[partials->records[i]];
        memcpy(partials->mine + head + (size_t)i * desc->size, site->partials + (size_t)partials->records[i] * desc->size, desc->size);
    }
    hp5_comm_gather_all(partials->peers, HP5_TAG_REDUCE, partials->mine, partials->bytes, partials->all);
    hp5_account_use(before);
    for (int p = 0; p < partials->peers.count; p++) {
        const char *message = partials->all + p * partials->bytes;
        for (int64_t i = 0; i < partials->most; i++) {
            int64_t place = partials->place[p * partials->most + i];
            if (place < 0) continue;
            partials->present[place] = (unsigned char)message[i];
            memcpy(partials->values + (size_t)place * desc->size, message + head + (size_t)i * desc->size, desc->size);
        }
    }
    desc->combine(partials->values, partials->present, partials->total, target->scalars);
}

/* ---- Scalars and decisions ------------------------------------------------------------------------------ */

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

/* ---- What the environment gets back ---------------------------------------------------------------------- */

static void tell_below(Hp5TaskRun *run, int lps, Hp5Lpu *lpu, Hp5Span threads) {
    const Hp5LpsShape *shape = &run->hidden->geometry.shapes[lps];
    Hp5Span segments = hp5_segments_of(run, threads);
    size_t size = run->desc->lpses[lps].scalars_size;
    if (size > 0 && segments.count < hp5_comm_size()) {
        Hp5Account *before = begin_flow(run);
        int root = run->hidden->segments.first_rank + segments.first;
        hp5_comm_broadcast(HP5_EVERYBODY, HP5_TAG_TELL, root, lpu->scalars, (int64_t)size);
        for (int t = 0; t < run->desc->text_count; t++) {
            if (run->desc->texts[t].lps != lps) continue;
            hp5_text_broadcast(HP5_EVERYBODY, HP5_TAG_TELL, root, root == hp5_comm_rank(), (const char **)(void *)((char *)lpu->scalars + run->desc->texts[t].offset));
        }
        hp5_account_use(before);
    }
    for (int c = 0; c < shape->child_count; c++) {
        Hp5Grid *grid = &lpu->children[c];
        if (grid->count == 1) tell_below(run, grid->lps, grid->lpus, hp5_lpu_span(&run->hidden->geometry, grid, 0, threads));
    }
}

void hp5_tell_single(Hp5TaskRun *run) { tell_below(run, 0, &run->root, (Hp5Span){0, run->hidden->geometry.ppus}); }
