/* How arrays lie in memory: boxes between stores of any two layouts, one value at a time; addresses and steps of stores and
 * copies; items that change their layout from task to task. */
#include "runtime/run/private.h"
#include "tests/unit/run/task_fixture.h"
#include "tests/unit/unit.h"
#include <stddef.h>

static uint64_t random_state = 4711;
static int64_t pick(int64_t from, int64_t to) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return from + (int64_t)(random_state >> 33) % (to - from + 1);
}

struct Body {
    double mass;
    float at[3];
    char kind;
    int64_t number;
};
static const Hp5Field body_fields[] = {{"mass", offsetof(struct Body, mass), &hp5_float64, 0, {0}},
                                       {"at", offsetof(struct Body, at), &hp5_float32, 1, {3}},
                                       {"kind", offsetof(struct Body, kind), &hp5_char, 0, {0}},
                                       {"number", offsetof(struct Body, number), &hp5_int64, 0, {0}}};
static const Hp5Element body = {HP5_STRUCT, "Body", sizeof(struct Body), 4, body_fields};

/* ---- One value at a time, by the definition --------------------------------------------------------- */

static int64_t naive_offset(const Hp5Store *store, const int64_t *index, bool fortran) {
    int64_t offset = 0;
    for (int k = 0; k < store->rank; k++) {
        int d = fortran ? store->rank - 1 - k : k;
        offset = offset * store->extent[d] + index[d] - store->lo[d];
    }
    return offset;
}

/* The bytes of field f of an element. */
static char *naive_field(const Hp5Store *store, const int64_t *index, Hp5Layout layout, int f, size_t *size) {
    int64_t offset = naive_offset(store, index, layout.fortran), count = hp5_store_elements(store), rest;
    int64_t line = layout.align > 64 ? layout.align : 64;
    *size = body_fields[f].element->size * (body_fields[f].rank ? 3 : 1);
    if (!layout.split) return store->version[0] + offset * (int64_t)sizeof(struct Body) + body_fields[f].offset;
    rest = (line - count % line) % line;
    count += rest;
    if (line == 64 && count >= 512 && count % 128 == 0) count += 64; /* an odd number of lines */
    return store->version[0] + count * (int64_t)body_fields[f].offset + offset * (int64_t)*size;
}

typedef struct Pair {
    Hp5Store to, from;
    Hp5Layout to_layout, from_layout;
    Hp5Box box;
    int64_t index[HP5_MAX_RANK];
} Pair;

static Hp5Layout random_layout(int rank) {
    return (Hp5Layout){rank > 1 && pick(0, 1), pick(0, 1), pick(0, 1) ? 1 << pick(0, 9) : 0};
}

static void make_store(Hp5Store *store, int rank, const int64_t *lo, const int64_t *extent, Hp5Layout layout) {
    hp5_store_shape(store, rank, lo, extent, 1, &body, layout);
    int64_t bytes = store->capacity * (int64_t)sizeof(struct Body);
    store->version[0] = hp5_alloc(bytes, "a test");
    for (int64_t b = 0; b < bytes; b++) store->version[0][b] = (char)pick(0, 255);
}

static void make_pair(Pair *pair) {
    int rank = (int)pick(1, 4);
    int64_t lo[2][HP5_MAX_RANK], extent[2][HP5_MAX_RANK], most = rank > 2 ? 6 : rank > 1 ? 70 : 300;
    for (int d = 0; d < rank; d++) {
        int64_t begin = pick(-5, 5), end = begin + pick(1, most);
        for (int s = 0; s < 2; s++) {
            lo[s][d] = begin - pick(0, 2);
            extent[s][d] = end + pick(0, 2) - lo[s][d];
        }
        pair->box.lo[d] = begin;
        pair->box.hi[d] = end;
    }
    pair->to_layout = random_layout(rank);
    pair->from_layout = random_layout(rank);
    make_store(&pair->to, rank, lo[0], extent[0], pair->to_layout);
    make_store(&pair->from, rank, lo[1], extent[1], pair->from_layout);
}

/* Calls visit for every index of the first store, with whether it lies in the box; the number of failures. */
static int each_index(Pair *pair, bool (*visit)(Pair *pair, bool inside, const char *before), const char *before) {
    int rank = pair->to.rank, failures = 0, d;
    memcpy(pair->index, pair->to.lo, sizeof pair->index);
    do {
        bool inside = true;
        for (int k = 0; k < rank; k++) inside = inside && pair->index[k] >= pair->box.lo[k] && pair->index[k] < pair->box.hi[k];
        failures += !visit(pair, inside, before);
        for (d = rank - 1; d >= 0 && ++pair->index[d] == pair->to.lo[d] + pair->to.extent[d]; d--) pair->index[d] = pair->to.lo[d];
    } while (d >= 0);
    return failures;
}

static bool is_copied(Pair *pair, bool inside, const char *before) {
    bool same = true;
    for (int f = 0; f < 4; f++) {
        size_t size;
        const char *to = naive_field(&pair->to, pair->index, pair->to_layout, f, &size);
        const char *wanted = inside ? naive_field(&pair->from, pair->index, pair->from_layout, f, &size)
                                    : before + (to - pair->to.version[0]);
        same = same && memcmp(to, wanted, size) == 0;
    }
    return same;
}

static bool is_zero(Pair *pair, bool inside, const char *before) {
    static const char zeros[64];
    bool same = true;
    for (int f = 0; f < 4; f++) {
        size_t size;
        const char *to = naive_field(&pair->to, pair->index, pair->to_layout, f, &size);
        same = same && memcmp(to, inside ? zeros : before + (to - pair->to.version[0]), size) == 0;
    }
    return same;
}

static void test_boxes(void) {
    int failures = 0;
    for (int n = 0; n < 400; n++) {
        Pair pair;
        make_pair(&pair);
        size_t bytes = (size_t)pair.to.capacity * sizeof(struct Body);
        char *before = malloc(bytes);
        memcpy(before, pair.to.version[0], bytes);
        hp5_box_copy(&pair.to, 0, &pair.from, 0, &pair.box);
        failures += each_index(&pair, is_copied, before);
        memcpy(before, pair.to.version[0], bytes);
        hp5_box_zero(&pair.to, 0, &pair.box);
        failures += each_index(&pair, is_zero, before);
        free(before);
        hp5_free(pair.to.version[0]);
        hp5_free(pair.from.version[0]);
    }
    CU_ASSERT_EQUAL(failures, 0);
}

static void test_elements(void) {
    int failures = 0;
    for (int n = 0; n < 300; n++) {
        Pair pair;
        make_pair(&pair);
        memcpy(pair.index, pair.box.lo, sizeof pair.index);
        int64_t there = hp5_store_offset(&pair.to, pair.index), here = hp5_store_offset(&pair.from, pair.index);
        failures += there != naive_offset(&pair.to, pair.index, pair.to_layout.fortran);
        hp5_element_copy(&pair.to, 0, there, &pair.from, 0, here);
        failures += !is_copied(&pair, true, NULL);
        struct Body whole = {0}, wanted = {0};
        hp5_element_gather(&pair.to, 0, there, &whole);
        for (int f = 0; f < 4; f++) {
            size_t size;
            const char *value = naive_field(&pair.from, pair.index, pair.from_layout, f, &size);
            memcpy((char *)&wanted + body_fields[f].offset, value, size);
        }
        failures += whole.mass != wanted.mass && whole.mass == whole.mass;
        failures += whole.number != wanted.number || whole.kind != wanted.kind || memcmp(whole.at, wanted.at, sizeof whole.at) != 0;
        if (pair.to_layout.split || pair.from_layout.split) {
            failures += !hp5_element_same(&pair.to, 0, there, &pair.from, 0, here);
            size_t size;
            naive_field(&pair.to, pair.index, pair.to_layout, 3, &size)[0] ^= 1;
            failures += hp5_element_same(&pair.to, 0, there, &pair.from, 0, here);
        }
        hp5_free(pair.to.version[0]);
        hp5_free(pair.from.version[0]);
    }
    CU_ASSERT_EQUAL(failures, 0);
}

/* ---- Runs ----------------------------------------------------------------------------------------------- */

static const int64_t lo[] = {0, 0}, extent[] = {7, 5};
static Hp5Layout layouts[1];
static int failed;

static double value_at(int64_t i, int64_t j) { return (double)(100 * i + j); }

/* Where the elements of a view are, by its strides; raises each by `add`. */
static void work(const Hp5View *view, double add) {
    const Hp5Store *store = view->store;
    int64_t want = layouts[0].fortran ? 1 : store->extent[1];
    failed += store->stride[0] != want || store->stride[1] != (layouts[0].fortran ? store->extent[0] : 1);
    for (int k = 0; k < store->versions; k++)
        failed += (uintptr_t)store->version[k] % (uintptr_t)(layouts[0].align > 64 ? layouts[0].align : 64) != 0;
    for (int64_t i = view->part[0].begin; i < view->part[0].end; i++)
        for (int64_t j = view->part[1].begin; j < view->part[1].end; j++) {
            int64_t index[] = {i, j};
            double *place = (double *)(void *)store->version[0] + hp5_store_offset(store, index);
            failed += *place != value_at(i, j);
            *place += add;
        }
}

static void flow(Hp5Worker *w) {
    const Hp5Grid *grid = hp5_child(&w->run->root, 0);
    if (w->rank == 0) work(&w->run->root.views[0], 0);
    hp5_sync(w, 0);
    for (Hp5Lpu *lpu = hp5_first(w, grid), *end = hp5_end(w, grid); lpu < end; lpu++) {
        hp5_copy_in(w, lpu, 1, 0);
        work(&lpu->views[0], 0);
    }
}

/* Runs once on 3 threads over the item; copies of 2 × 5 with padding. */
static Hp5TaskRun *run_over(Fixture *f, Hp5Item *item, Hp5Team *team, Hp5Layout layout, int versions) {
    fixture_start(f);
    layouts[0] = layout;
    f->desc.layouts = layouts;
    int array = fixture_array(f, "x", &hp5_float64, 2, versions, false);
    int a = fixture_lps(f, "A", 0, 1, 3, "Core");
    int v = fixture_list(f, a, array, HP5_COPY);
    fixture_divide(f, a, v, 0, 0, HP5_BLOCK_SIZE, "block_size(2)", 2, 0, 1, 1);
    f->items[0] = item;
    Hp5TaskRun *run = hp5_run_prepare(&f->desc, team, f->level_counts, f->args, f->items, NULL);
    hp5_run_execute(run, flow);
    return run;
}

static void test_runs(void) {
    Hp5Team *team = hp5_team_create(3, false);
    Hp5Item *item = hp5_item_zeroed("x", &hp5_float64, 2, lo, extent);
    hp5_item_gather(item);
    for (int64_t i = 0; i < 7; i++)
        for (int64_t j = 0; j < 5; j++) ((double *)(void *)item->data)[i * 5 + j] = value_at(i, j);
    failed = 0;
    int64_t before = hp5_allocated_bytes();
    for (int n = 0; n < 60; n++) {
        Fixture f;
        Hp5Layout layout = {pick(0, 1), false, pick(0, 1) ? 1 << pick(0, 12) : 0};
        Hp5TaskRun *run = run_over(&f, item, team, layout, (int)pick(1, 3));
        failed += item->layout.fortran != layout.fortran;
        hp5_run_release(run);
    }
    CU_ASSERT_EQUAL(failed, 0);
    CU_ASSERT(hp5_allocated_bytes() - before <= 4096); /* the item's alignment may have grown, nothing else */
    hp5_item_release(item);
    hp5_team_destroy(team);
}

UNIT_MAIN("layouts", {"boxes", test_boxes}, {"elements", test_elements}, {"runs", test_runs})
