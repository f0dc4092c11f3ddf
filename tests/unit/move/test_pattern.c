/* Patterns between processes, all of which this one plays: halos, re-partitioning between sibling LPSes, and gathering and
 * scattering, over random partitions and random segments. Every element that a destination wants is written once, with the value
 * that its owner has; what one process sends is what the other receives, in the same order; a process has at most one message
 * for each neighbour. */
#include "runtime/move/sweep.h"
#include "runtime/move/pattern.h"
#include "runtime/run/private.h"
#include "tests/unit/run/task_fixture.h"
#include "tests/unit/unit.h"
#include <stdio.h>

static uint64_t state = 31337;
static int64_t pick(int64_t from, int64_t to) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return from + (int64_t)(state >> 33) % (to - from + 1);
}

enum { MOST_SEGMENTS = 6, RANK = 3 };
typedef struct World {
    Fixture f;
    Hp5Movement movement;
    Hp5Holders holders;
    int rank, ppus, segments, starts[MOST_SEGMENTS + 1];
    Hp5Team *team;
    Hp5TaskRun *runs[MOST_SEGMENTS];
    int64_t wrong, pieces, messages, sent, received; /* elements */
    int64_t untouched; /* pieces beside which a box of their store is left alone */
} World;

static Hp5Segments segments_of(const World *w, int me) { return (Hp5Segments){.count = w->segments, .me = me, .starts = w->starts}; }

/* ---- Partitions --------------------------------------------------------------------------------------- */

static void divide(World *w, int lps, int v, int j, int d, bool cyclic, bool padded) {
    int64_t front = padded ? pick(0, 3) : -1, back = padded ? pick(0, 3) : -1;
    switch (cyclic ? pick(3, 4) : pick(0, 2)) {
    case 0: fixture_divide(&w->f, lps, v, j, d, HP5_BLOCK_SIZE, "block_size(a)", pick(1, 5), 0, front, back); break;
    case 1: fixture_divide(&w->f, lps, v, j, d, HP5_BLOCK_COUNT, "block_count(a)", pick(1, 6), 0, front, back); break;
    case 2: fixture_divide(&w->f, lps, v, j, d, HP5_BLOCK_SIZE, "block_size(a)", pick(2, 9), 0, front, back); break;
    case 3: fixture_divide(&w->f, lps, v, j, d, HP5_STRIDE, "stride(a)", pick(1, 5), 0, -1, -1); break;
    default: fixture_divide(&w->f, lps, v, j, d, HP5_BLOCK_STRIDE, "block_stride(a, b)", pick(1, 3), pick(1, 4), -1, -1); break;
    }
}

/* An LPS that divides the array in some of its dimensions; others are replicated. */
static int divided_lps(World *w, const char *name, int parent, const char *level, Hp5Storage storage, bool cyclic, bool padded) {
    int dims = w->rank + (pick(0, 3) == 0), lps = fixture_lps(&w->f, name, parent, dims < RANK ? dims : RANK, (int)pick(1, 4), level);
    int v = fixture_list(&w->f, lps, 0, storage);
    for (int j = 0; j < w->f.lpses[lps].dims; j++) {
        if (j < w->rank && pick(0, 4) > 0) divide(w, lps, v, j, j, cyclic && pick(0, 3) > 0, padded);
        else if (j >= w->rank) fixture_divide(&w->f, lps, fixture_list(&w->f, lps, 1, HP5_IN_PLACE), j, 0, HP5_BLOCK_COUNT, "block_count(a)", pick(1, 3), 0, -1, -1);
    }
    return lps;
}

static void begin(World *w) {
    memset(w, 0, sizeof *w);
    fixture_start(&w->f);
    w->rank = (int)pick(1, RANK);
    fixture_array(&w->f, "a", &hp5_float64, w->rank, (int)pick(1, 2), false);
    fixture_array(&w->f, "other", &hp5_float64, 1, 1, false);
    int64_t lo[RANK] = {pick(-2, 2), pick(-2, 2), 0}, extent[RANK];
    for (int d = 0; d < RANK; d++) extent[d] = pick(1, w->rank == 3 ? 8 : 20);
    w->f.items[0] = hp5_item_zeroed("a", &hp5_float64, w->rank, lo, extent);
    w->f.items[1] = hp5_item_zeroed("other", &hp5_float64, 1, lo, extent);
    w->holders = (Hp5Holders){pick(0, 1), pick(0, 1)};
}

/* The threads of the task are cut into segments somewhere. */
static void open_segments(World *w) {
    w->ppus = hp5_threads_needed(&w->f.desc, w->f.level_counts);
    w->segments = (int)pick(1, w->ppus < MOST_SEGMENTS ? w->ppus : MOST_SEGMENTS);
    for (int s = 1; s <= w->segments; s++) w->starts[s] = (int)pick(w->starts[s - 1] + 1, w->ppus - (w->segments - s));
    w->starts[w->segments] = w->ppus;
    w->team = hp5_team_create(1, false); /* nothing runs */
    for (int s = 0; s < w->segments; s++)
        w->runs[s] = hp5_run_prepare_segment(&w->f.desc, w->team, w->f.level_counts, NULL, (Hp5Span){w->starts[s], w->starts[s + 1] - w->starts[s]},
                                             w->f.args, w->f.items, NULL);
}

static void end(World *w) {
    for (int s = 0; s < w->segments; s++) hp5_run_release(w->runs[s]);
    for (int a = 0; a < 2; a++) hp5_item_release(w->f.items[a]);
    hp5_team_destroy(w->team);
}

/* ---- Values ----------------------------------------------------------------------------------------------- */

static const double NOBODYS = -1, WANTED = -2;

static double value_at(const World *w, const int64_t *index, int version) {
    double value = version;
    for (int d = 0; d < w->rank; d++) value = value * 101 + (double)(index[d] + 5);
    return value;
}

typedef void Touch(World *w, double *element, const int64_t *index, int version);

static void touch_box(World *w, const Hp5View *view, const Hp5Box *box, Touch *touch) {
    int64_t at[HP5_MAX_RANK];
    Hp5Box cut = *box;
    for (int d = 0; d < w->rank; d++) {
        if (cut.lo[d] < view->part[d].begin) cut.lo[d] = view->part[d].begin;
        if (cut.hi[d] > view->part[d].end) cut.hi[d] = view->part[d].end;
        if (cut.lo[d] >= cut.hi[d]) return;
    }
    memcpy(at, cut.lo, sizeof at);
    for (int d = 0; d >= 0;) {
        bool in = true;
        for (int k = 0; k < w->rank; k++) in = in && hp5_set_contains(&view->part[k], at[k]);
        for (int k = 0; in && k < view->store->versions; k++)
            touch(w, (double *)(void *)view->store->version[k] + hp5_store_offset(view->store, at), at, k);
        for (d = w->rank - 1; d >= 0 && ++at[d] == cut.hi[d]; d--) at[d] = cut.lo[d];
    }
}

static void is_nobodys(World *w, double *element, const int64_t *index, int version) { (void)w, (void)index, (void)version, *element = NOBODYS; }
static void is_wanted(World *w, double *element, const int64_t *index, int version) { (void)w, (void)index, (void)version, *element = WANTED; }
static void is_owned(World *w, double *element, const int64_t *index, int version) { *element = value_at(w, index, version); }
static void must_be_there(World *w, double *element, const int64_t *index, int version) { w->wrong += *element != value_at(w, index, version); }

/* Memory as some tasks' items have it: Root's stores get theirs when a run is filled. */
static void give_root(World *w, int s) {
    Hp5Store *root = &w->runs[s]->hidden->stores.roots[0];
    for (int k = 0; k < root->versions && w->f.arrays[0].home == 0; k++)
        if (k == 0) root->version[k] = hp5_alloc(hp5_store_elements(root) * (int64_t)sizeof(double) + 1, "a root");
}

static void take_root(World *w, int s) {
    if (w->f.arrays[0].home == 0) hp5_free(w->runs[s]->hidden->stores.roots[0].version[0]);
}

/* visit(w, s, view, own) for each LPU of `lps` that process s has, with its box of the unpadded parts on all levels. */
typedef void Visit(World *w, int s, const Hp5Lpu *lpu, const Hp5View *view, const Hp5Box *own, Hp5Span threads);

static void each_lpu(World *w, int s, int lps, int at, const Hp5Lpu *lpu, Hp5Box own, Hp5Span threads, Visit *visit) {
    const Hp5Geometry *geometry = &w->runs[s]->hidden->geometry;
    int slot = hp5_slot_of(&w->f.desc, at, 0);
    for (int d = 0; slot >= 0 && d < w->rank; d++) {
        if (lpu->views[slot].own[d].begin > own.lo[d]) own.lo[d] = lpu->views[slot].own[d].begin;
        if (lpu->views[slot].own[d].end < own.hi[d]) own.hi[d] = lpu->views[slot].own[d].end;
    }
    if (at == lps) {
        visit(w, s, lpu, &lpu->views[slot], &own, threads);
        return;
    }
    for (int c = 0; c < geometry->shapes[at].child_count; c++) {
        const Hp5Grid *grid = &lpu->children[c];
        int child = geometry->shapes[at].children[c], x = lps;
        while (x > 0 && x != child) x = w->f.lpses[x].parent;
        for (int64_t i = 0; x == child && i < grid->own; i++)
            each_lpu(w, s, lps, child, &grid->lpus[i], own, hp5_lpu_span(geometry, grid, grid->lpus[i].number, threads), visit);
    }
}

static void each_lpu_of(World *w, int lps, Visit *visit) {
    Hp5Box all = {{0}, {0}};
    for (int d = 0; d < w->rank; d++) {
        all.lo[d] = w->f.items[0]->lo[d];
        all.hi[d] = all.lo[d] + w->f.items[0]->extent[d];
    }
    for (int s = 0; s < w->segments; s++) each_lpu(w, s, lps, 0, &w->runs[s]->root, all, (Hp5Span){0, w->ppus}, visit);
}

static bool is_first(const World *w, int s, Hp5Span threads) { return threads.first >= w->starts[s] && threads.first < w->starts[s + 1]; }

static void clear(World *w, int s, const Hp5Lpu *lpu, const Hp5View *view, const Hp5Box *own, Hp5Span threads) {
    (void)s, (void)lpu, (void)own, (void)threads;
    Hp5Box hull = hp5_view_hull(view, w->rank);
    touch_box(w, view, &hull, is_nobodys);
}

/* Around padding, what lies in the unpadded part of the LPU beyond which is looked for more. */
static Hp5Box present(const World *w, const Hp5Lpu *lpu) {
    while (lpu->grid->lps != w->movement.beyond) lpu = lpu->parent;
    return hp5_view_own(&lpu->views[hp5_slot_of(&w->f.desc, w->movement.beyond, 0)], w->rank);
}

static void fill_source(World *w, int s, const Hp5Lpu *lpu, const Hp5View *view, const Hp5Box *own, Hp5Span threads) {
    Hp5Box box = w->movement.beyond >= 0 ? present(w, lpu) : *own;
    if (w->holders.sources_alike || is_first(w, s, threads)) touch_box(w, view, &box, is_owned);
}

static void mark_wanted(World *w, int s, const Hp5Lpu *lpu, const Hp5View *view, const Hp5Box *own, Hp5Span threads) {
    (void)lpu, (void)own;
    Hp5Box hull = hp5_view_hull(view, w->rank);
    if (w->holders.all_destinations || is_first(w, s, threads)) touch_box(w, view, &hull, is_wanted);
}

static void mark_present(World *w, int s, const Hp5Lpu *lpu, const Hp5View *view, const Hp5Box *own, Hp5Span threads) {
    (void)s, (void)own, (void)threads;
    Hp5Box box = present(w, lpu);
    touch_box(w, view, &box, is_nobodys);
}

static void check_destination(World *w, int s, const Hp5Lpu *lpu, const Hp5View *view, const Hp5Box *own, Hp5Span threads) {
    (void)lpu, (void)own;
    Hp5Box hull = hp5_view_hull(view, w->rank);
    if (w->holders.all_destinations || is_first(w, s, threads)) touch_box(w, view, &hull, must_be_there);
}

/* ---- Playing all processes ---------------------------------------------------------------------------------- */

typedef struct Patterns {
    Hp5Pattern *of[MOST_SEGMENTS]; /* one for each LPU of `within` that the process has */
    int64_t count[MOST_SEGMENTS];
    const Hp5Lpu **parents[MOST_SEGMENTS];
} Patterns;

static Patterns now;

static void add_pattern(World *w, int s, const Hp5Lpu *lpu, Hp5Span threads) {
    (void)threads;
    Hp5Segments segments = segments_of(w, s);
    now.of[s] = realloc(now.of[s], sizeof *now.of[s] * (size_t)(now.count[s] + 1));
    now.parents[s] = realloc(now.parents[s], sizeof *now.parents[s] * (size_t)(now.count[s] + 1));
    now.parents[s][now.count[s]] = lpu;
    now.of[s][now.count[s]++] = hp5_pattern_create(w->runs[s], &segments, w->movement, w->holders, lpu);
}

static void make_patterns(World *w, int s, int at, const Hp5Lpu *lpu, Hp5Span threads) {
    const Hp5Geometry *geometry = &w->runs[s]->hidden->geometry;
    if (at == w->movement.within) add_pattern(w, s, lpu, threads);
    for (int c = 0; at != w->movement.within && c < geometry->shapes[at].child_count; c++)
        for (int64_t i = 0; i < lpu->children[c].own; i++) make_patterns(w, s, geometry->shapes[at].children[c], &lpu->children[c].lpus[i], threads);
}

static bool same_lpu(const Hp5Lpu *a, const Hp5Lpu *b) {
    return a->grid == NULL || b->grid == NULL ? a->grid == b->grid : a->number == b->number && same_lpu(a->parent, b->parent);
}

static const Hp5Message *message_from(const World *w, int receiver, const Hp5Lpu *parent, int sender) {
    (void)w;
    for (int64_t i = 0; i < now.count[sender]; i++) {
        if (!same_lpu(now.parents[sender][i], parent)) continue;
        for (int m = 0; m < now.of[sender][i].send_count; m++)
            if (now.of[sender][i].sends[m].peer == receiver) return &now.of[sender][i].sends[m];
    }
    return NULL;
}

static void count_writes(World *w, int s, const Hp5Pieces *pieces) {
    for (int64_t i = 0; i < pieces->used; i += HP5_PIECE_COUNTS + w->rank, w->pieces++) {
        const int64_t *piece = pieces->words + i;
        const Hp5Store *store = hp5_store_at(&w->runs[s]->hidden->stores.table, hp5_piece_to(piece));
        int64_t at[HP5_MAX_RANK] = {0};
        for (int d = 0; d >= 0;) { /* every element is still wanted; it is not twice */
            int64_t offset = piece[HP5_PIECE_TO];
            for (int k = 0; k < w->rank; k++) offset += at[k] * store->stride[k];
            double *element = (double *)(void *)store->version[0] + offset;
            w->wrong += *element != WANTED;
            *element = NOBODYS;
            for (d = w->rank - 1; d >= 0 && ++at[d] == piece[HP5_PIECE_COUNTS + d]; d--) at[d] = 0;
        }
    }
}

static void deliver(World *w, int s, int64_t i) {
    const Hp5Pattern *pattern = &now.of[s][i];
    for (int m = 0; m < pattern->receive_count; m++) {
        const Hp5Message *mine = &pattern->receives[m], *theirs = message_from(w, s, now.parents[s][i], mine->peer);
        w->wrong += theirs == NULL || (m > 0 && pattern->receives[m - 1].peer >= mine->peer);
        if (theirs == NULL) continue;
        int64_t bytes = hp5_pieces_bytes(w->runs[mine->peer], &theirs->pieces, w->rank, false);
        w->wrong += mine->pieces.elements != theirs->pieces.elements || mine->pieces.used != theirs->pieces.used;
        w->wrong += bytes != hp5_pieces_bytes(w->runs[s], &mine->pieces, w->rank, false);
        for (int64_t k = 0; k < mine->pieces.used && k < theirs->pieces.used; k += HP5_PIECE_COUNTS + w->rank)
            w->wrong += memcmp(mine->pieces.words + k + HP5_PIECE_COUNTS, theirs->pieces.words + k + HP5_PIECE_COUNTS, sizeof(int64_t) * (size_t)w->rank) != 0;
        void *message = malloc((size_t)bytes + 1);
        hp5_pieces_pack(w->runs[mine->peer], &theirs->pieces, w->rank, false, message);
        hp5_pieces_unpack(w->runs[s], &mine->pieces, w->rank, false, message);
        free(message);
        w->received += mine->pieces.elements;
        w->messages++;
    }
    hp5_pieces_copy(w->runs[s], &pattern->local, w->rank, false);
    for (int m = 0; m < pattern->send_count; m++) w->sent += pattern->sends[m].pieces.elements;
}

static void each_pattern(World *w, void (*work)(World *w, int s, int64_t i)) {
    for (int s = 0; s < w->segments; s++)
        for (int64_t i = 0; i < now.count[s]; i++) work(w, s, i);
}

static void writes_of(World *w, int s, int64_t i) {
    count_writes(w, s, &now.of[s][i].local);
    for (int m = 0; m < now.of[s][i].receive_count; m++) count_writes(w, s, &now.of[s][i].receives[m].pieces);
}

/* The index of the store's element at an offset, found by looking at all of them. */
static bool find_index(const Hp5Store *store, int64_t offset, int64_t *index) {
    for (int d = 0; d < store->rank; d++) index[d] = store->lo[d];
    for (int d = 0; d >= 0;) {
        if (hp5_store_offset(store, index) == offset) return true;
        for (d = store->rank - 1; d >= 0 && ++index[d] == store->lo[d] + store->extent[d]; d--) index[d] = store->lo[d];
    }
    return false;
}

/* Nothing that messages bring lies in the boxes that they are said to leave alone. */
static void look_beside(World *w, int s, int64_t i) {
    const Hp5Pattern *pattern = &now.of[s][i];
    Hp5Coming *coming = hp5_coming_create(w->runs[s], pattern);
    for (int m = 0; m < pattern->receive_count; m++) {
        const Hp5Pieces *pieces = &pattern->receives[m].pieces;
        for (int64_t k = 0; k < pieces->used; k += HP5_PIECE_COUNTS + w->rank) {
            const Hp5Store *store = hp5_store_at(&w->runs[s]->hidden->stores.table, hp5_piece_to(pieces->words + k));
            const int32_t place = coming->places[store->number];
            int64_t begin[HP5_MAX_RANK];
            bool meet = place > 0 && find_index(store, pieces->words[k + HP5_PIECE_TO], begin), some = meet;
            if (!meet) w->wrong++;
            for (int d = 0; d < w->rank && meet; d++) {
                const Hp5Box *box = &coming->untouched[place - 1];
                meet = begin[d] < box->hi[d] && begin[d] + pieces->words[k + HP5_PIECE_COUNTS + d] > box->lo[d];
                some &= box->lo[d] < store->lo[d] + store->extent[d] && box->hi[d] > store->lo[d];
            }
            w->wrong += meet;
            w->untouched += some;
        }
    }
    hp5_coming_free(coming);
}

static void forget(World *w, int s, int64_t i) { (void)w, hp5_pattern_free(&now.of[s][i]); }

static void play(World *w) {
    memset(&now, 0, sizeof now);
    for (int s = 0; s < w->segments; s++) {
        give_root(w, s);
        make_patterns(w, s, 0, &w->runs[s]->root, (Hp5Span){0, w->ppus});
    }
    each_lpu_of(w, w->movement.to, mark_wanted); /* each element once */
    if (w->movement.beyond >= 0) each_lpu_of(w, w->movement.to, mark_present);
    each_pattern(w, writes_of);
    if (w->movement.beyond >= 0) each_pattern(w, look_beside);
    each_lpu_of(w, w->movement.to, clear);
    each_lpu_of(w, w->movement.from, clear);
    each_lpu_of(w, w->movement.from, fill_source);
    each_pattern(w, deliver);
    each_lpu_of(w, w->movement.to, check_destination);
    CU_ASSERT_EQUAL(w->wrong, 0);
    CU_ASSERT_EQUAL(w->sent, w->received);
    if (w->wrong) printf("rank %d, %d PPUs in %d processes, alike %d, all %d: %lld wrong\n", w->rank, w->ppus, w->segments, w->holders.sources_alike, w->holders.all_destinations, (long long)w->wrong);
    each_pattern(w, forget);
    for (int s = 0; s < w->segments; s++) {
        take_root(w, s);
        free(now.of[s]);
        free(now.parents[s]);
    }
}

/* ---- Halos ---------------------------------------------------------------------------------------------------- */

static void test_halo(void) {
    int64_t received = 0, messages = 0, untouched = 0;
    for (int round = 0; round < 1500; round++) {
        static World w;
        begin(&w);
        w.holders = (Hp5Holders){true, true};
        bool two = pick(0, 1);
        int a = divided_lps(&w, "A", 0, "Node", two ? HP5_IN_PLACE : HP5_HOME, false, true), home = a;
        if (two) home = divided_lps(&w, "B", a, "Core", HP5_HOME, false, true);
        int beyond = pick(0, 1) ? home : a;
        w.movement = (Hp5Movement){.within = w.f.lpses[beyond].parent, .from = home, .to = home, .beyond = beyond};
        open_segments(&w);
        play(&w);
        received += w.received;
        messages += w.messages;
        untouched += w.untouched;
        end(&w);
    }
    CU_ASSERT(received > 50000 && messages > 1000 && untouched > 1000);
}

/* ---- From one LPS to a sibling, to the whole and back ------------------------------------------------------------ */

static void other_partition(bool up, bool down) {
    static World w;
    begin(&w);
    int from = 0, to = 0, above = pick(0, 2) == 0 ? divided_lps(&w, "Above", 0, "Machine", HP5_IN_PLACE, true, false) : 0;
    if (!up) to = divided_lps(&w, "To", above, "Node", HP5_COPY, true, pick(0, 1));
    if (!down) from = divided_lps(&w, "From", above, pick(0, 1) ? "Node" : "Core", HP5_COPY, true, pick(0, 1));
    if (!up && !down && pick(0, 2) == 0) to = divided_lps(&w, "Below", to, "Core", HP5_COPY, true, pick(0, 1));
    w.movement = (Hp5Movement){.within = up || down ? 0 : above, .from = from, .to = to, .beyond = -1};
    w.f.arrays[0].versions = up || down ? 1 : w.f.arrays[0].versions; /* Root has memory for one here */
    open_segments(&w);
    play(&w);
    end(&w);
}

static void test_repartition(void) {
    for (int round = 0; round < 1500; round++) other_partition(false, false);
}

static void test_gather(void) {
    for (int round = 0; round < 600; round++) other_partition(true, false);
}

static void test_scatter(void) {
    for (int round = 0; round < 600; round++) other_partition(false, true);
}

/* ---- Cost ----------------------------------------------------------------------------------------------------- */

/* 100 x 100 LPUs on 100 processes: each has ten rows' worth in a block, and at most eight neighbours. */
static void test_neighbours(void) {
    static World w;
    memset(&w, 0, sizeof w);
    fixture_start(&w.f);
    w.rank = 2;
    fixture_array(&w.f, "a", &hp5_float64, 2, 1, false);
    int lps = fixture_lps(&w.f, "A", 0, 2, 100, "Core"), v = fixture_list(&w.f, lps, 0, HP5_HOME), starts[101];
    for (int j = 0; j < 2; j++) fixture_divide(&w.f, lps, v, j, j, HP5_BLOCK_SIZE, "block_size(a)", 4, 0, 1, 1);
    static const Hp5MachineLevel machine[] = {{"Machine", 1, false, false}, {"Core", 100, true, false}};
    static const int level[] = {0, 1};
    static const Hp5PlaceDesc places[] = {{0}, {.blocks = true}};
    w.f.desc.machine_level_count = 2;
    w.f.desc.machine_levels = machine;
    w.f.desc.machine_level = level;
    w.f.desc.places = places;
    int64_t lo[2] = {0, 0}, extent[2] = {400, 400};
    w.f.items[0] = hp5_item_zeroed("a", &hp5_float64, 2, lo, extent);
    for (int s = 0; s <= 100; s++) starts[s] = s;
    Hp5Team *team = hp5_team_create(1, false);
    for (int s = 0; s < 100; s += 33) {
        Hp5TaskRun *run = hp5_run_prepare_segment(&w.f.desc, team, w.f.level_counts, NULL, (Hp5Span){s, 1}, w.f.args, w.f.items, NULL);
        Hp5Segments segments = {.count = 100, .me = s, .starts = starts};
        Hp5Pattern pattern = hp5_pattern_create(run, &segments, (Hp5Movement){.from = lps, .to = lps, .beyond = lps}, (Hp5Holders){true, true}, &run->root);
        int row = s / 10, column = s % 10, rows = 1 + (row > 0) + (row < 9), columns = 1 + (column > 0) + (column < 9);
        CU_ASSERT_EQUAL(pattern.receive_count, rows * columns - 1);
        CU_ASSERT_EQUAL(pattern.send_count, rows * columns - 1);
        CU_ASSERT(pattern.asked <= 20 * 100); /* 8 neighbours of each LPU, looked at once for each box and once as destinations */
        int64_t received = 0, expected = 40 * (columns - 1) + 40 * (rows - 1) + (rows - 1) * (columns - 1);
        for (int m = 0; m < pattern.receive_count; m++) received += pattern.receives[m].pieces.elements;
        /* each LPU at the edge has padding of its own: 4 elements and the corners beside them */
        CU_ASSERT(received >= expected && received <= expected + 2 * 20 * (rows + columns));
        hp5_pattern_free(&pattern);
        hp5_run_release(run);
    }
    hp5_team_destroy(team);
    hp5_item_release(w.f.items[0]);
}

/* 40 x 25 LPUs take turns with blocks of 16 x 16; rows go to 1,000 others. Of either side only those are looked at that share
 * rows, as many as there are messages and a few more. */
static void test_turns(void) {
    static World w;
    memset(&w, 0, sizeof w);
    fixture_start(&w.f);
    fixture_array(&w.f, "a", &hp5_float64, 2, 1, false);
    int a = fixture_lps(&w.f, "A", 0, 2, 1000, "Core"), v = fixture_list(&w.f, a, 0, HP5_COPY);
    int b = fixture_lps(&w.f, "B", 0, 1, 1000, "Core"), u = fixture_list(&w.f, b, 0, HP5_COPY), starts[1001];
    for (int j = 0; j < 2; j++) fixture_divide(&w.f, a, v, j, j, HP5_BLOCK_STRIDE, "block_stride(a, b)", 16, j ? 25 : 40, -1, -1);
    fixture_divide(&w.f, b, u, 0, 0, HP5_BLOCK_COUNT, "block_count(a)", 1000, 0, 1, 1);
    int64_t lo[2] = {0, 0}, extent[2] = {4000, 1600};
    w.f.items[0] = hp5_item_zeroed("a", &hp5_float64, 2, lo, extent);
    for (int s = 0; s <= 1000; s++) starts[s] = s;
    Hp5Team *team = hp5_team_create(1, false);
    Hp5TaskRun *run = hp5_run_prepare_segment(&w.f.desc, team, w.f.level_counts, NULL, (Hp5Span){517, 1}, w.f.args, w.f.items, NULL);
    Hp5Segments segments = {.count = 1000, .me = 517, .starts = starts};
    for (int back = 0; back < 2; back++) {
        Hp5Movement movement = {.from = back ? b : a, .to = back ? a : b, .beyond = -1};
        Hp5Pattern pattern = hp5_pattern_create(run, &segments, movement, (Hp5Holders){true, true}, &run->root);
        CU_ASSERT(pattern.receive_count > 20 && pattern.send_count > 20);
        CU_ASSERT(pattern.asked <= 2 * (pattern.receive_count + pattern.send_count));
        hp5_pattern_free(&pattern);
    }
    hp5_run_release(run);
    hp5_team_destroy(team);
    hp5_item_release(w.f.items[0]);
}

static void test_freed(void) { CU_ASSERT_EQUAL(hp5_allocated_bytes(), 0); }

UNIT_MAIN("pattern", {"halos", test_halo}, {"from one partition to another", test_repartition}, {"gathering", test_gather},
          {"scattering", test_scatter}, {"a message for each neighbour", test_neighbours},
          {"parts that take turns", test_turns}, {"everything is freed", test_freed})
