/* Parts and PPUs by formula against the tree of everybody's records: all partition functions with padding, nested, with
 * several arrays, placed in runs, in blocks and by functions; segments of every size; a million LPUs of which a process has a
 * thousand. */
#include "runtime/lpu/placing.h"
#include "runtime/lpu/scout.h"
#include "runtime/run/private.h"
#include "tests/unit/run/task_fixture.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <time.h>

static uint64_t state = 7771;
static int64_t pick(int64_t from, int64_t to) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return from + (int64_t)(state >> 33) % (to - from + 1);
}

/* ---- Random nests ---------------------------------------------------------------------------------- */

enum { MOST_LEVELS = 5 };
typedef struct Nest {
    Fixture f;
    Hp5MachineLevel machine[MOST_LEVELS];
    int machine_level[FIXTURE_LPSES];
    Hp5PlaceDesc places[FIXTURE_LPSES];
    int ppus;
    int64_t wrong, compared, made_up, placed; /* LPUs */
} Nest;

/* Neither runs nor blocks. */
static void scattered(Hp5Placing *placing) {
    while (hp5_placing_next(placing)) {
        int64_t sum = 3;
        for (int j = 0; j < placing->task.ipoint.count; j++) sum = sum * 7 + placing->task.ipoint.at[j];
        hp5_placing_put(placing, sum % placing->mapper.ppus);
    }
}

static void divide_dimension(Fixture *f, int lps, int v, int w, int j) {
    static const Hp5PartFunction functions[] = {HP5_REPLICATED, HP5_BLOCK_SIZE, HP5_BLOCK_SIZE, HP5_BLOCK_COUNT, HP5_STRIDE, HP5_BLOCK_STRIDE, HP5_BLOCK_SIZE};
    static const char *const texts[] = {"", "block_size(a)", "block_size(a)", "block_count(a)", "stride(a)", "block_stride(a, b)", "block_size(a)"};
    int64_t kind = pick(0, 6), a = pick(1, kind == 3 ? 6 : 9), b = kind == 5 ? pick(0, 4) : 0;
    bool padded = kind == 2 || kind == 3 || kind == 6;
    if (kind == 4) a = pick(0, 5);
    if (kind == 0) return;
    int64_t front = padded ? pick(0, 3) : -1, back = padded ? pick(0, 3) : -1;
    fixture_divide(f, lps, v, j, j, functions[kind], texts[kind], a, b, front, back);
    if (w >= 0) fixture_divide(f, lps, w, j, j, functions[kind], texts[kind], a, b, front, back);
}

static int64_t depth_of(const Fixture *f, int x) { return x == 0 ? 0 : 1 + depth_of(f, f->lpses[x].parent); }

static void random_nest(Nest *n) {
    static const char *const names[] = {"Machine", "Node", "Socket", "Core", "Thread"};
    Fixture *f = &n->f;
    memset(n, 0, sizeof *n);
    fixture_start(f);
    fixture_array(f, "a", &hp5_float64, 2, 1, false);
    fixture_array(f, "b", &hp5_float64, 2, 1, false);
    for (int l = 0; l < MOST_LEVELS; l++) n->machine[l] = (Hp5MachineLevel){names[l], l == 0 ? 1 : (int)pick(1, 3), false, false};
    int depth = (int)pick(1, 4);
    bool both = pick(0, 1);
    for (int x = 1; x <= depth; x++) {
        int parent = (int)pick(0, x - 1), level = (int)depth_of(f, parent) + 1, lps = fixture_lps(f, "X", parent, 2, n->machine[level].count, names[level]);
        f->lpses[lps].sub_partition = pick(0, 6) == 0;
        n->machine_level[lps] = level;
        n->places[lps].blocks = pick(0, 2) == 0;
        if (pick(0, 3) == 0) n->places[lps].place = scattered;
        if (pick(0, 6) == 0) continue; /* lists nothing: one LPU */
        int v = fixture_list(f, lps, 0, HP5_IN_PLACE), w = both ? fixture_list(f, lps, 1, HP5_IN_PLACE) : -1;
        for (int j = 0; j < 2; j++) divide_dimension(f, lps, v, w, j);
    }
    f->desc.machine_level_count = MOST_LEVELS;
    f->desc.machine_levels = n->machine;
    f->desc.machine_level = n->machine_level;
    f->desc.places = n->places;
    int64_t lo[2] = {pick(-3, 3), pick(0, 2)}, extent[2] = {pick(0, 20) ? pick(1, 26) : 0, pick(1, 26)};
    for (int a = 0; a < 2; a++) f->items[a] = hp5_item_zeroed("a", &hp5_float64, 2, lo, extent);
    n->ppus = hp5_threads_needed(&f->desc, f->level_counts);
}

static Hp5TaskRun *prepare(Nest *n, int first, int count) {
    return hp5_run_prepare_segment(&n->f.desc, hp5_team_imagine(n->ppus), n->f.level_counts, NULL, (Hp5Span){first, count}, n->f.args, n->f.items, NULL);
}

static void release(Hp5TaskRun *run) {
    Hp5Team *team = run->team;
    hp5_run_release(run);
    hp5_team_destroy(team);
}

/* ---- Comparing --------------------------------------------------------------------------------------- */

static bool same_span(Hp5Span a, Hp5Span b) { return a.first == b.first && a.count == b.count; }

static bool same_parts(const Fixture *f, int lps, const Hp5Lpu *a, const Hp5Lpu *b) {
    bool same = a->number == b->number;
    for (int v = 0; v < f->lpses[lps].var_count; v++)
        for (int d = 0; d < 2; d++)
            same = same && hp5_set_equal(&a->views[v].part[d], &b->views[v].part[d]) && a->views[v].own[d].begin == b->views[v].own[d].begin &&
                   a->views[v].own[d].end == b->views[v].own[d].end;
    return same;
}

typedef struct Comparison {
    Nest *nest;
    const Hp5Lpu *root; /* of `some` */
    Hp5Scout *counter;
    const Hp5Geometry *all, *some; /* everybody's records; those of a segment, or none */
    Hp5Scout *scout;
} Comparison;

/* LPUs below `truth`, a record of the whole tree, as the scout sees them below `seen`. */
static void compare_below(const Comparison *c, int lps, Hp5Lpu *truth, const Hp5Lpu *seen) {
    const Hp5LpsShape *shape = &c->all->shapes[lps];
    for (int k = 0; k < shape->child_count; k++) {
        const Hp5Grid *grid = &truth->children[k], *made = hp5_scout_grid(c->scout, seen, shape->children[k]);
        bool same = grid->count == made->count && memcmp(grid->extent, made->extent, sizeof grid->extent) == 0;
        c->nest->wrong += !same;
        for (int64_t i = 0; same && i < grid->count; i++) {
            const Hp5Lpu *lpu = hp5_scout_lpu(c->scout, seen, made, i);
            bool mine = hp5_spans_meet(hp5_threads_of(c->all, &grid->lpus[i]), c->some->mine);
            c->nest->wrong += !same_parts(&c->nest->f, grid->lps, &grid->lpus[i], lpu);
            c->nest->wrong += !same_span(hp5_threads_of(c->all, &grid->lpus[i]), hp5_threads_of(c->some, lpu));
            if (lpu->flat >= 0 && grid->count < 40) c->nest->wrong += hp5_position_below(c->counter, c->root, lpu) != grid->lpus[i].flat;
            if (seen->flat >= 0) c->nest->wrong += mine != (hp5_find_lpu(made, i) != NULL) || mine != (lpu->flat >= 0);
            c->nest->compared++;
            c->nest->made_up += lpu->flat < 0;
            c->nest->placed += grid->placed != NULL;
            compare_below(c, grid->lps, &grid->lpus[i], lpu);
        }
    }
}

static void compare(Nest *n, Hp5TaskRun *all, Hp5TaskRun *some, const Hp5Lpu *root) {
    const Hp5Geometry *geometry = &some->hidden->geometry;
    Comparison c = {n, root, hp5_scout_create(geometry), &all->hidden->geometry, geometry, hp5_scout_create(geometry)};
    compare_below(&c, 0, &all->root, root);
    hp5_scout_free(c.scout);
    hp5_scout_free(c.counter);
    if (n->wrong) printf("case with %d LPSes on %d PPUs: %lld wrong\n", n->f.desc.lps_count, n->ppus, (long long)n->wrong);
    CU_ASSERT_EQUAL(n->wrong, 0);
}

/* Without a single record, but Root's. */
static void test_made_up(void) {
    int64_t compared = 0, placed = 0;
    for (int round = 0; round < 3000; round++) {
        static Nest n;
        random_nest(&n);
        Hp5TaskRun *run = prepare(&n, 0, 0);
        Hp5Lpu root = run->root;
        root.flat = -1;
        compare(&n, run, run, &root);
        CU_ASSERT_EQUAL(n.made_up, n.compared);
        compared += n.compared;
        placed += n.placed;
        release(run);
        for (int a = 0; a < 2; a++) hp5_item_release(n.f.items[a]);
    }
    CU_ASSERT(compared > 100000 && placed > 10000);
}

/* ---- Segments ------------------------------------------------------------------------------------------ */

/* Each thread of the segment runs the same LPUs as in one process. */
static void compare_shares(Nest *n, const Hp5Worker *all, const Hp5Worker *mine, int lps, Hp5Lpu *truth, Hp5Lpu *record) {
    const Hp5LpsShape *shape = &all->run->hidden->geometry.shapes[lps];
    for (int k = 0; k < shape->child_count; k++) {
        Hp5Share a = hp5_share(all, &truth->children[k]), b = hp5_share(mine, &record->children[k]);
        Hp5Lpu *x, *y;
        do {
            x = hp5_share_next(&a);
            y = hp5_share_next(&b);
            n->wrong += (x == NULL) != (y == NULL) || (x != NULL && x->number != y->number);
            if (x && y) compare_shares(n, all, mine, x->grid->lps, x, y);
        } while (x && y);
    }
}

static void compare_segment(Nest *n, Hp5TaskRun *all, int first, int count) {
    Hp5TaskRun *some = prepare(n, first, count);
    compare(n, all, some, &some->root);
    for (int t = 0; t < count; t++) {
        CU_ASSERT_EQUAL(some->workers[t].groups[0]->count, count);
        compare_shares(n, &all->workers[first + t], &some->workers[t], 0, &all->root, &some->root);
        for (int x = 0; x < n->f.desc.lps_count; x++) {
            const Hp5Group *theirs = all->workers[first + t].groups[x], *mine = some->workers[t].groups[x];
            CU_ASSERT(same_span(some->workers[t].spans[x], (Hp5Span){theirs->first, theirs->count}));
            int from = theirs->first > first ? theirs->first : first, to = theirs->first + theirs->count;
            CU_ASSERT_EQUAL(mine->first, from - first);
            CU_ASSERT_EQUAL(mine->count, (to < first + count ? to : first + count) - from);
        }
    }
    CU_ASSERT_EQUAL(n->wrong, 0);
    release(some);
}

static void test_segments(void) {
    int64_t made_up = 0, compared = 0;
    for (int round = 0; round < 700; round++) {
        static Nest n;
        random_nest(&n);
        Hp5TaskRun *all = prepare(&n, 0, 0);
        for (int first = 0, count; first < n.ppus; first += count) {
            count = (int)pick(1, n.ppus - first);
            compare_segment(&n, all, first, count);
        }
        made_up += n.made_up;
        compared += n.compared;
        release(all);
        for (int a = 0; a < 2; a++) hp5_item_release(n.f.items[a]);
    }
    CU_ASSERT(made_up > 15000 && compared - made_up > 15000);
}

/* ---- Which parts meet an interval ---------------------------------------------------------------------- */

static bool meets(const Hp5Set *part, int64_t lo, int64_t hi) {
    for (int64_t i = lo; i < hi; i++)
        if (hp5_set_contains(part, i)) return true;
    return false;
}

static void test_parts_meeting(void) {
    static const Hp5PartFunction functions[] = {HP5_BLOCK_SIZE, HP5_BLOCK_COUNT, HP5_STRIDE, HP5_BLOCK_STRIDE};
    for (int round = 0; round < 3000; round++) {
        Fixture f;
        Hp5Pool pool = {0};
        fixture_start(&f);
        fixture_array(&f, "a", &hp5_float64, 1, 1, false);
        int lps = fixture_lps(&f, "A", 0, 1, (int)pick(1, 5), "Core"), v = fixture_list(&f, lps, 0, HP5_IN_PLACE), kind = (int)pick(0, 3);
        int64_t a = kind == 2 ? pick(0, 5) : pick(1, 7), b = kind == 3 ? pick(0, 4) : 0, begin = pick(-5, 5);
        bool padded = kind < 2 && pick(0, 1);
        fixture_divide(&f, lps, v, 0, 0, functions[kind], "f(a)", a, b, padded ? pick(0, 4) : -1, padded ? pick(0, 4) : -1);
        Hp5Geometry geometry = {.desc = &f.desc, .args = f.args, .level_counts = f.level_counts, .ppus = 1};
        Hp5Set parent = hp5_interval(begin, begin + pick(1, 40));
        if (pick(0, 1)) parent = hp5_part(&parent, HP5_BLOCK_STRIDE, pick(1, 4), pick(1, 3), 0, &pool);
        const Hp5DimDesc *dim = &f.dims[lps][v][0];
        int64_t parts = hp5_part_count(dim->function, hp5_set_count(&parent), a, b ? b : f.level_counts[lps]);
        int64_t lo = pick(begin - 3, begin + 42), hi = lo + pick(0, 12);
        bool with_padding = pick(0, 1);
        Hp5PartRange range = hp5_parts_meeting(&geometry, lps, dim, &parent, parts, lo, hi, with_padding);
        CU_ASSERT(range.count <= parts && (range.count == 0 || range.first < parts));
        for (int64_t p = 0; p < parts; p++) {
            Hp5Run own;
            Hp5Set part = hp5_part_of(&geometry, lps, &f.vars[lps][v], dim, &parent, p, &own, &pool);
            Hp5Set unpadded = hp5_part(&parent, dim->function, a, b ? b : f.level_counts[lps], p, &pool);
            bool found = (p - range.first + parts) % parts < range.count;
            CU_ASSERT_EQUAL(found, meets(with_padding ? &part : &unpadded, lo, hi));
        }
        hp5_pool_free(&pool);
    }
}

/* ---- A million ------------------------------------------------------------------------------------------- */

/* 1,000 x 1,000 LPUs of 4 x 4 elements with padding on 1,000 PPUs, of which this process is one. */
static void million(const char *how, bool blocks, void (*place)(Hp5Placing *placing)) {
    static Nest n;
    Fixture *f = &n.f;
    int64_t lo[2] = {0, 0}, extent[2] = {4000, 4000}, before = hp5_allocated_bytes();
    memset(&n, 0, sizeof n);
    fixture_start(f);
    fixture_array(f, "a", &hp5_float64, 2, 2, false);
    int lps = fixture_lps(f, "A", 0, 2, 1000, "Core"), v = fixture_list(f, lps, 0, HP5_HOME);
    for (int j = 0; j < 2; j++) fixture_divide(f, lps, v, j, j, HP5_BLOCK_SIZE, "block_size(k)", 4, 0, 1, 1);
    f->desc.exchange_count = 1;
    f->exchanges[0] = (Hp5ExchangeDesc){lps, 0};
    n.machine[0] = (Hp5MachineLevel){"Machine", 1, false, false};
    n.machine[1] = (Hp5MachineLevel){"Core", 1000, false, false};
    n.machine_level[lps] = 1;
    n.places[lps] = (Hp5PlaceDesc){.blocks = blocks, .place = place};
    f->desc.machine_level_count = 2;
    f->desc.machine_levels = n.machine;
    f->desc.machine_level = n.machine_level;
    f->desc.places = n.places;
    f->items[0] = hp5_item_zeroed("a", &hp5_float64, 2, lo, extent);
    Hp5Team *team = hp5_team_create(1, false);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    Hp5TaskRun *run = hp5_run_prepare_segment(&f->desc, team, f->level_counts, NULL, (Hp5Span){517, 1}, f->args, f->items, NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    int64_t bytes = hp5_allocated_bytes() - before;
    const Hp5Grid *grid = &run->root.children[0];
    CU_ASSERT_EQUAL(grid->count, 1000000);
    if (place == NULL) CU_ASSERT_EQUAL(grid->own, 1000);
    CU_ASSERT(grid->own >= 900 && grid->own <= 1100);
    CU_ASSERT_EQUAL(grid->placed != NULL, blocks || place);
    CU_ASSERT(bytes < 10 << 20);
    printf("\n    %s: %lld of 1000000 LPUs in %.2f ms, %.2f MB ", how, (long long)grid->own,
           (double)(end.tv_sec - start.tv_sec) * 1e3 + (double)(end.tv_nsec - start.tv_nsec) * 1e-6, (double)bytes / (1 << 20));
    hp5_run_release(run);
    hp5_item_release(f->items[0]);
    hp5_team_destroy(team);
}

static void test_million(void) {
    million("in runs", false, NULL);
    million("in blocks", true, NULL);
    million("by a function", false, scattered);
}

static void test_freed(void) { CU_ASSERT_EQUAL(hp5_allocated_bytes(), 0); }

UNIT_MAIN("scout", {"parts and PPUs without records", test_made_up}, {"segments", test_segments},
          {"parts that meet an interval", test_parts_meeting}, {"a thousand of a million LPUs", test_million}, {"everything is freed", test_freed})
