/* Padding between siblings. How to read it: for each parent LPU, each thread makes at first use the
 * list of rows it copies (build_plan), into the copies that it leads; then hp5_exchange is: raise "ready",
 * wait for the threads it copies from, copy, raise "done", wait for the threads that copy from it.
 *
 * What is copied: of each destination copy, the elements outside the unpadded part of its LPU of the
 * exchange's LPS X. That is a box with a box cut out, so at most 3^rank - 1 boxes, corners included. Each is
 * cut along the unpadded parts of the LPUs of X and of all LPSes down to HOME; grids are products, so the
 * LPUs that a box meets are found by binary search in each dimension, and the cost follows the number of
 * neighbours. */
#include "runtime/predict/cost.h"
#include "runtime/run/private.h"
#include <string.h>

typedef struct ThreadPlan {
    bool built;
    uint32_t round;                   /* exchanges done, as signals count them */
    int64_t *records, used, capacity; /* RECORD_WORDS + rank words for each box */
    int *sources, source_count;       /* members of the group (0 = its first) that this thread copies from */
    int *readers, reader_count;       /* … that copy from this thread */
} ThreadPlan;

enum { DESTINATION, SOURCE, DESTINATION_OFFSET, SOURCE_OFFSET, RECORD_WORDS };

typedef struct Hp5ExchangeState {
    bool barriers; /* copies are run by groups of several threads: signals would miss some of them */
    int members;
    Hp5Signal *ready, *done;
    unsigned char *needs; /* [reader * members + source] */
    ThreadPlan **plans;
} Hp5ExchangeState;

/* ---- Which boxes come from where ------------------------------------------------------------- */

typedef struct Search {
    Hp5Worker *w;
    const Hp5ExchangeSite *site;
    int rank, home, depth_count;
    int *path, *slots;    /* LPSes from X down to HOME, and the array's slot there or -1 */
    const Hp5Lpu **chain; /* the destination's LPU of each */
    Hp5Span span;         /* of the parent LPU */
    ThreadPlan *plan;
    unsigned char *needs;
    const Hp5View *to, *from;
    Hp5Pool pool;
} Search;

static void add_record(const Hp5Box *box, void *data) {
    Search *search = data;
    ThreadPlan *plan = search->plan;
    int64_t words = RECORD_WORDS + search->rank;
    if (plan->used + words > plan->capacity) {
        int64_t capacity = plan->capacity + plan->capacity / 2 + 16 * words;
        int64_t *records = hp5_element_buffer(capacity * (int64_t)sizeof *records, "exchange plans");
        if (plan->used > 0) memcpy(records, plan->records, sizeof *records * (size_t)plan->used);
        hp5_free(plan->records);
        plan->records = records;
        plan->capacity = capacity;
    }
    int64_t *record = plan->records + plan->used;
    record[DESTINATION] = (int64_t)(intptr_t)search->to->store;
    record[SOURCE] = (int64_t)(intptr_t)search->from->store;
    record[DESTINATION_OFFSET] = hp5_store_offset(search->to->store, box->lo);
    record[SOURCE_OFFSET] = hp5_store_offset(search->from->store, box->lo);
    for (int d = 0; d < search->rank; d++) record[RECORD_WORDS + d] = box->hi[d] - box->lo[d];
    plan->used += words;
}

static void found_source(Search *search, const Hp5Lpu *lpu, Hp5Span span, const Hp5Box *box) {
    search->from = &lpu->views[search->slots[search->depth_count - 1]];
    if (search->from->store == search->to->store) return;
    Hp5Set sets[HP5_MAX_RANK];
    for (int d = 0; d < search->rank; d++)
        sets[d] = hp5_set_intersect(&search->to->part[d], &search->from->part[d], &search->pool);
    int64_t before = search->plan->used;
    hp5_box_each(sets, search->rank, box, add_record, search);
    if (search->plan->used > before) search->needs[span.first - search->span.first] = 1;
}

/* The coordinates of LPS dimension j whose unpadded parts of array dimension d meet [lo, hi). */
static void coordinate_range(const Hp5Grid *grid, const Hp5DimDesc *dim, int slot, int64_t step, int j,
                             int64_t lo, int64_t hi, int64_t *from, int64_t *to) {
    *from = 0;
    *to = grid->extent[j];
    if (dim->function != HP5_BLOCK_SIZE && dim->function != HP5_BLOCK_COUNT) return; /* hulls overlap */
    int d = dim->array_dimension;
    int64_t low = 0, high = grid->extent[j];
    while (low < high) { /* the first part that ends after lo */
        int64_t middle = low + (high - low) / 2;
        if (grid->lpus[middle * step].views[slot].own[d].end > lo) high = middle;
        else low = middle + 1;
    }
    *from = low;
    while (low < grid->extent[j] && grid->lpus[low * step].views[slot].own[d].begin < hi) low++;
    *to = low;
}

static void find_sources(Search *search, int depth, const Hp5Lpu *parent, Hp5Span span, const Hp5Box *box);

static void try_source(Search *search, int depth, const Hp5Grid *grid, int64_t number, Hp5Span parent,
                       const Hp5Box *box) {
    const Hp5Lpu *lpu = &grid->lpus[number];
    Hp5Span span = hp5_lpu_span(&search->w->run->hidden->geometry, grid, number, parent);
    Hp5Box cut = *box;
    int slot = search->slots[depth];
    for (int d = 0; slot >= 0 && d < search->rank; d++) {
        Hp5Run own = lpu->views[slot].own[d];
        if (own.begin > cut.lo[d]) cut.lo[d] = own.begin;
        if (own.end < cut.hi[d]) cut.hi[d] = own.end;
        if (cut.lo[d] >= cut.hi[d]) return;
    }
    if (depth + 1 == search->depth_count) found_source(search, lpu, span, &cut);
    else find_sources(search, depth + 1, lpu, span, &cut);
}

/* Where an LPS dimension does not divide the array its LPUs hold the same part: the one at the destination's
 * own coordinate is asked. */
static void find_sources(Search *search, int depth, const Hp5Lpu *parent, Hp5Span span, const Hp5Box *box) {
    const Hp5TaskRun *run = search->w->run;
    int lps = search->path[depth], slot = search->slots[depth], dims = run->desc->lpses[lps].dims;
    const Hp5Grid *grid = &parent->children[run->hidden->geometry.shapes[lps].slot];
    if (grid->count == 0) return;
    int64_t from[HP5_MAX_RANK], to[HP5_MAX_RANK], at[HP5_MAX_RANK], steps[HP5_MAX_RANK];
    int64_t step = 1, rest = search->chain[depth]->number, number = 0;
    for (int j = dims - 1; j >= 0; j--) {
        const Hp5DimDesc *dim = slot < 0 ? NULL : &run->desc->lpses[lps].vars[slot].dims[j];
        int64_t other = search->chain[depth]->grid->extent[j], mine = rest % other;
        rest /= other;
        steps[j] = step;
        from[j] = mine < grid->extent[j] ? mine : grid->extent[j] - 1;
        to[j] = from[j] + 1;
        if (dim && dim->function != HP5_REPLICATED)
            coordinate_range(grid, dim, slot, step, j, box->lo[dim->array_dimension],
                             box->hi[dim->array_dimension], &from[j], &to[j]);
        if (from[j] >= to[j]) return;
        at[j] = from[j];
        number += from[j] * step;
        step *= grid->extent[j];
    }
    for (;;) {
        try_source(search, depth, grid, number, span, box);
        int j = dims - 1;
        for (; j >= 0; j--) {
            number += steps[j];
            if (++at[j] < to[j]) break;
            number -= (to[j] - from[j]) * steps[j];
            at[j] = from[j];
        }
        if (j < 0) return;
    }
}

/* The destination: its padded part without the unpadded part of its LPU of X. */
static void collect_copy(Search *search, const Hp5Lpu *parent, const Hp5View *to) {
    const Hp5View *outer = &search->chain[0]->views[search->slots[0]];
    int64_t cuts[HP5_MAX_RANK][4];
    int combinations = 1, middle = 0;
    for (int d = 0; d < search->rank; d++) {
        int64_t begin = to->part[d].begin, end = to->part[d].end, lo = outer->own[d].begin,
                hi = outer->own[d].end;
        cuts[d][0] = begin;
        cuts[d][1] = lo < begin ? begin : lo > end ? end : lo;
        cuts[d][2] = hi < cuts[d][1] ? cuts[d][1] : hi > end ? end : hi;
        cuts[d][3] = end;
        middle += combinations;
        combinations *= 3;
    }
    search->to = to;
    for (int c = 0; c < combinations; c++) {
        if (c == middle) continue;
        Hp5Box box;
        bool empty = false;
        for (int d = 0, code = c; d < search->rank && !empty; d++, code /= 3) {
            box.lo[d] = cuts[d][code % 3];
            box.hi[d] = cuts[d][code % 3 + 1];
            empty = box.lo[d] >= box.hi[d];
        }
        if (!empty) find_sources(search, 0, parent, search->span, &box);
    }
}

static void collect(Search *search, int depth, Hp5Lpu *above, const Hp5Lpu *parent) {
    const Hp5Grid *grid = &above->children[search->w->run->hidden->geometry.shapes[search->path[depth]].slot];
    Hp5Share share = hp5_share(search->w, grid);
    for (Hp5Lpu *at; (at = hp5_share_next(&share)) != NULL;) {
        search->chain[depth] = at;
        if (depth + 1 < search->depth_count) collect(search, depth + 1, at, parent);
        else if (hp5_leads(search->w, search->home))
            collect_copy(search, parent, &at->views[search->slots[depth]]);
    }
}

static void build_plan(Hp5Worker *w, const Hp5ExchangeSite *site, Hp5ExchangeState *state, Hp5Lpu *parent) {
    const Hp5TaskDesc *desc = w->run->desc;
    const Hp5Group *group = w->groups[desc->lpses[site->desc.lps].parent];
    int me = w->rank - group->first, path[desc->lps_count], slots[desc->lps_count];
    const Hp5Lpu *chain[desc->lps_count];
    Search search = {.path = path,
                     .slots = slots,
                     .chain = chain,
                     .w = w,
                     .site = site,
                     .rank = desc->arrays[site->desc.array].rank,
                     .home = desc->arrays[site->desc.array].home,
                     .span = {group->first, group->count},
                     .plan = state->plans[me],
                     .needs = state->needs + (size_t)me * (size_t)state->members};
    for (int x = search.home; x != site->desc.lps; x = desc->lpses[x].parent) search.depth_count++;
    for (int x = search.home, i = search.depth_count++; i >= 0; i--, x = desc->lpses[x].parent) {
        search.path[i] = x;
        search.slots[i] = hp5_slot_of(desc, x, site->desc.array);
    }
    collect(&search, 0, parent, parent);
    hp5_pool_free(&search.pool);
}

/* ---- States, made at first use --------------------------------------------------------------------- */

typedef struct Making {
    Hp5Worker *w;
    Hp5ExchangeSite *site;
    int64_t parent;
} Making;

static void make_state(void *data) {
    Making *making = data;
    const Hp5TaskRun *run = making->w->run;
    const Hp5Group *group = making->w->groups[run->desc->lpses[making->site->desc.lps].parent];
    int members = group->count, home = run->desc->arrays[making->site->desc.array].home;
    Hp5ExchangeState *state = hp5_alloc_zeroed(sizeof *state, "exchange plans");
    state->members = members;
    state->plans = hp5_alloc_zeroed((int64_t)sizeof(ThreadPlan *) * members, "exchange plans");
    state->needs = hp5_alloc_zeroed((int64_t)members * members, "exchange plans");
    for (int m = 0; m < members; m++) {
        state->plans[m] = hp5_alloc_zeroed(sizeof(ThreadPlan), "exchange plans");
        if (run->workers[group->first + m].groups[home]->count > 1) state->barriers = true;
    }
    if (members > 1) {
        state->ready = hp5_alloc_zeroed((int64_t)sizeof(Hp5Signal) * members, "exchange plans");
        state->done = hp5_alloc_zeroed((int64_t)sizeof(Hp5Signal) * members, "exchange plans");
    }
    making->site->states[making->parent] = state;
}

static int *members_where(const unsigned char *needs, int first, int step, int members, int me, int *count) {
    int *list = hp5_alloc((int64_t)sizeof(int) * members, "exchange plans");
    *count = 0;
    for (int m = 0; m < members; m++)
        if (m != me && needs[first + m * step]) list[(*count)++] = m;
    return list;
}

static Hp5ExchangeState *prepared_state(Hp5Worker *w, Hp5ExchangeSite *site, Hp5Lpu *parent) {
    Hp5Group *group = w->groups[w->run->desc->lpses[site->desc.lps].parent];
    int me = w->rank - group->first;
    Hp5ExchangeState *state = site->states[parent->flat];
    if (state && state->plans[me]->built) return state;
    Making making = {w, site, parent->flat};
    hp5_barrier_then(group, make_state, &making);
    state = site->states[parent->flat];
    build_plan(w, site, state, parent);
    hp5_barrier(group);
    ThreadPlan *plan = state->plans[me];
    plan->sources =
        members_where(state->needs, me * state->members, 1, state->members, me, &plan->source_count);
    plan->readers = members_where(state->needs, me, state->members, state->members, me, &plan->reader_count);
    plan->built = true;
    return state;
}

/* ---- Copying
 * ----------------------------------------------------------------------------------------------- */

static double bytes_of(const ThreadPlan *plan, int rank) {
    double sum = 0;
    for (int64_t i = 0; i < plan->used; i += RECORD_WORDS + rank) {
        const Hp5Store *to = (const Hp5Store *)(intptr_t)plan->records[i + DESTINATION];
        double elements = 1;
        for (int d = 0; d < rank; d++) elements *= (double)plan->records[i + RECORD_WORDS + d];
        sum += elements * (double)to->element_size * to->versions;
    }
    return sum;
}

static void copy_all(const Hp5Worker *w, const ThreadPlan *plan, int rank, bool rotates) {
    if (w->cost != NULL && hp5_cost_copies(w, bytes_of(plan, rank))) return;
    for (int64_t i = 0; i < plan->used; i += RECORD_WORDS + rank) {
        const int64_t *record = plan->records + i;
        const Hp5Store *to = (const Hp5Store *)(intptr_t)record[DESTINATION];
        const Hp5Store *from = (const Hp5Store *)(intptr_t)record[SOURCE];
        for (int k = 0; k < to->versions; k++)
            hp5_elements_copy(to, k, record[DESTINATION_OFFSET], from, rotates ? 0 : k, record[SOURCE_OFFSET],
                              record + RECORD_WORDS);
    }
}

void hp5_exchange(Hp5Worker *w, int exchange, Hp5Lpu *parent) {
    Hp5ExchangeSite *site = &w->run->hidden->exchanges[exchange];
    const Hp5ArrayDesc *array = &w->run->desc->arrays[site->desc.array];
    Hp5Group *group = w->groups[w->run->desc->lpses[site->desc.lps].parent];
    Hp5ExchangeState *state = prepared_state(w, site, parent);
    int me = w->rank - group->first;
    ThreadPlan *plan = state->plans[me];
    if (group->count == 1) {
        copy_all(w, plan, array->rank, array->rotates);
        return;
    }
    if (state->barriers) {
        hp5_barrier(group);
        copy_all(w, plan, array->rank, array->rotates);
        hp5_barrier(group);
        return;
    }
    plan->round++;
    hp5_signal_raise(&state->ready[me]);
    for (int s = 0; s < plan->source_count; s++)
        hp5_signal_wait(&state->ready[plan->sources[s]], plan->round, group->spin);
    copy_all(w, plan, array->rank, array->rotates);
    hp5_signal_raise(&state->done[me]);
    for (int r = 0; r < plan->reader_count; r++)
        hp5_signal_wait(&state->done[plan->readers[r]], plan->round, group->spin);
}

/* ---- Sites
 * ---------------------------------------------------------------------------------------------------- */

int hp5_exchange_find(const Hp5TaskRun *run, int lps, int array) {
    for (int e = 0; e < run->hidden->exchange_count; e++)
        if (run->hidden->exchanges[e].desc.lps == lps && run->hidden->exchanges[e].desc.array == array)
            return e;
    return -1;
}

static void add_site(Hp5TaskRun *run, Hp5ExchangeDesc desc) {
    int64_t parents = run->hidden->geometry.shapes[run->desc->lpses[desc.lps].parent].lpus;
    Hp5ExchangeSite *site = &run->hidden->exchanges[run->hidden->exchange_count++];
    site->desc = desc;
    site->states = hp5_alloc_zeroed((int64_t)sizeof *site->states * (parents + 1), "exchange plans");
}

/* The descriptor's exchanges, then one for each padded level above a HOME that has none: a second execution
 * brings all padding up to date (stores.c). */
void hp5_exchanges_create(Hp5TaskRun *run) {
    const Hp5TaskDesc *desc = run->desc;
    int64_t most = desc->exchange_count + (int64_t)desc->array_count * desc->lps_count;
    run->hidden->exchanges =
        hp5_alloc_zeroed((int64_t)sizeof(Hp5ExchangeSite) * (most + 1), "exchange plans");
    for (int e = 0; e < desc->exchange_count; e++) add_site(run, desc->exchanges[e]);
    for (int a = 0; a < desc->array_count; a++)
        for (int x = desc->arrays[a].home; x > 0; x = desc->lpses[x].parent) {
            int slot = hp5_slot_of(desc, x, a);
            if (slot >= 0 && hp5_has_padding(desc, x, slot) && hp5_exchange_find(run, x, a) < 0)
                add_site(run, (Hp5ExchangeDesc){x, a});
        }
}

static void free_state(Hp5ExchangeState *state) {
    for (int m = 0; m < state->members; m++) {
        hp5_free(state->plans[m]->records);
        hp5_free(state->plans[m]->sources);
        hp5_free(state->plans[m]->readers);
        hp5_free(state->plans[m]);
    }
    hp5_free(state->plans);
    hp5_free(state->needs);
    hp5_free(state->ready);
    hp5_free(state->done);
    hp5_free(state);
}

void hp5_exchanges_free(Hp5TaskRun *run) {
    for (int e = 0; e < run->hidden->exchange_count; e++) {
        Hp5ExchangeSite *site = &run->hidden->exchanges[e];
        int64_t parents = run->hidden->geometry.shapes[run->desc->lpses[site->desc.lps].parent].lpus;
        for (int64_t p = 0; p < parents; p++)
            if (site->states[p]) free_state(site->states[p]);
        hp5_free(site->states);
    }
    hp5_free(run->hidden->exchanges);
}
