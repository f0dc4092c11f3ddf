/* Padded HOME copies on real threads: an iterated stencil on a two-level nest equals the plain one, bit for
 * bit. */
#include "tests/unit/run/task_fixture.h"
#include "tests/unit/unit.h"
#include <stdio.h>

typedef struct Case {
    int64_t rows, columns, upper[2], lower[2], padding[2], outer,
        inner; /* padding of A and B; steps: outer × (p1/p2) × p2 */
    Hp5PartFunction function;
    bool rotates, home_upper;
    bool below, middle, replicas; /* an LPS under HOME with PPUs of its own; one between A and B that lists
                                     nothing; a replicated dimension */
    int counts[2];
} Case;
static Case now;
static int lps_a, lps_b;

static uint64_t random_state = 20240817;
static int64_t pick(int64_t from, int64_t to) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return from + (int64_t)(random_state >> 33) % (to - from + 1);
}

static double start_value(int64_t i, int64_t j) { return (double)((i * 37 + j * 101) % 1009) + 0.25; }

/* All directions, so that corners matter; the border of the plate is fixed. */
static double stencil(const double *north, const double *here, const double *south, int64_t j) {
    return 0.2 * here[j] + 0.1 * (north[j] + south[j]) + 0.15 * (here[j - 1] + here[j + 1]) +
           0.07 * (north[j - 1] + south[j + 1]) + 0.03 * (north[j + 1] + south[j - 1]);
}

static void plain(double *plate, int64_t n, int64_t m, int64_t steps) {
    double *old = malloc(sizeof(double) * (size_t)(n * m));
    for (int64_t s = 0; s < steps; s++) {
        memcpy(old, plate, sizeof(double) * (size_t)(n * m));
        for (int64_t i = 1; i < n - 1; i++)
            for (int64_t j = 1; j < m - 1; j++)
                plate[i * m + j] = stencil(old + (i - 1) * m, old + i * m, old + (i + 1) * m, j);
    }
    free(old);
}

/* One step on a copy: every element of the padded part whose neighbours are in it. */
static void refine(const Hp5View *view) {
    const Hp5Store *store = view->store;
    const double *old = (const double *)(const void *)store->version[1];
    double *new = (double *)(void *)store->version[0];
    int64_t begin = view->part[0].begin, end = view->part[0].end;
    for (int64_t i = begin; i < end; i++) {
        for (int64_t j = view->part[1].begin; j < view->part[1].end; j++) {
            int64_t r = i - store->lo[0], c = j - store->lo[1], stride = store->stride[0];
            bool border = i == 0 || j == 0 || i == now.rows - 1 || j == now.columns - 1;
            bool edge = i == begin || i == end - 1 || j == view->part[1].begin || j == view->part[1].end - 1;
            if (border || edge) new[r * stride + c] = old[r * stride + c];
            else
                new[r * stride + c] =
                    stencil(old + (r - 1) * stride, old + r * stride, old + (r + 1) * stride, c);
        }
    }
}

static void run_inner(Hp5Worker *w, Hp5Lpu *lpu, int lps) {
    for (int64_t s = 0; s < now.inner; s++) {
        if (now.rotates) hp5_epoch(w, lps, &lpu->views[0], true);
        if (hp5_leads(w, lps)) refine(&lpu->views[0]);
        if (!now.rotates) hp5_epoch(w, lps, &lpu->views[0], false);
    }
}

/* Home in B: A { repeat p1/p2 { B { repeat p2 { step } } exchange B } } exchange A. Home in A: no B. */
static void flow(Hp5Worker *w) {
    int64_t middle = now.home_upper ? 1 : now.padding[0] / now.padding[1];
    for (int64_t o = 0; o < now.outer; o++) {
        const Hp5Grid *as = hp5_child(&w->run->root, 0);
        for (Hp5Lpu *a = hp5_first(w, as), *last = hp5_end(w, as); a < last; a++)
            for (int64_t k = 0; k < middle; k++) {
                if (now.home_upper) {
                    run_inner(w, a, lps_a);
                    continue;
                }
                Hp5Lpu *parent = now.middle ? &hp5_child(a, 0)->lpus[0] : a;
                const Hp5Grid *bs = hp5_child(parent, 0);
                for (Hp5Lpu *b = hp5_first(w, bs), *end = hp5_end(w, bs); b < end; b++)
                    run_inner(w, b, lps_b);
                hp5_exchange(w, 1, parent);
            }
        hp5_exchange(w, 0, &w->run->root);
    }
}

static void divide_both(Fixture *f, int lps, int v, Hp5PartFunction function, const int64_t *parts,
                        int64_t padding) {
    const char *text = function == HP5_BLOCK_SIZE ? "block_size(a)" : "block_count(a)";
    for (int j = 0; j < 2; j++)
        fixture_divide(f, lps, v, j, j, function, text, parts[j], 0, padding, padding);
}

static void describe(Fixture *f) {
    fixture_start(f);
    int plate = fixture_array(f, "plate", &hp5_float64, 2, 2, now.rotates), dims = now.replicas ? 3 : 2;
    if (now.replicas) fixture_array(f, "other", &hp5_float64, 1, 1, false);
    int home = lps_a = fixture_lps(f, "A", 0, dims, now.counts[0], "Node");
    divide_both(f, lps_a, fixture_list(f, lps_a, plate, now.home_upper ? HP5_HOME : HP5_IN_PLACE),
                now.function, now.upper, now.padding[0]);
    if (now.replicas)
        fixture_divide(f, lps_a, fixture_list(f, lps_a, 1, HP5_IN_PLACE), 2, 0, HP5_BLOCK_COUNT,
                       "block_count(a)", 2, 0, -1, -1);
    f->exchanges[f->desc.exchange_count++] = (Hp5ExchangeDesc){lps_a, plate};
    if (!now.home_upper) {
        int parent = now.middle ? fixture_lps(f, "M", lps_a, 0, 1, "Node") : lps_a;
        home = lps_b = fixture_lps(f, "B", parent, 2, now.counts[1], "Core");
        divide_both(f, lps_b, fixture_list(f, lps_b, plate, HP5_HOME), HP5_BLOCK_COUNT, now.lower,
                    now.padding[1]);
        f->exchanges[f->desc.exchange_count++] = (Hp5ExchangeDesc){lps_b, plate};
    }
    if (now.below) fixture_lps(f, "C", home, 1, 2, "Thread");
}

static void run_case(int threads) {
    Fixture f;
    describe(&f);
    int64_t lo[2] = {0, 0}, extent[2] = {now.rows, now.columns};
    Hp5Item *item = f.items[0] = hp5_item_zeroed("plate", &hp5_float64, 2, lo, extent);
    hp5_item_gather(item);
    if (now.replicas) f.items[1] = hp5_item_zeroed("other", &hp5_float64, 1, lo, (int64_t[]){5});
    double *expected = malloc(sizeof(double) * (size_t)(now.rows * now.columns));
    for (int64_t i = 0; i < now.rows; i++)
        for (int64_t j = 0; j < now.columns; j++)
            expected[i * now.columns + j] = ((double *)(void *)item->data)[i * now.columns + j] =
                start_value(i, j);
    int counts[FIXTURE_LPSES];
    hp5_level_counts(&f.desc, NULL, threads, counts);
    Hp5Team *team = hp5_team_create(hp5_threads_needed(&f.desc, counts), false);
    Hp5TaskRun *run = hp5_run_prepare(&f.desc, team, counts, f.args, f.items, NULL);
    int64_t steps = now.outer * now.inner * (now.home_upper ? 1 : now.padding[0] / now.padding[1]);
    for (int execution = 0; execution < 2; execution++) {
        hp5_run_execute(run, flow);
        CU_ASSERT_PTR_EQUAL(item->spread, run);
        CU_ASSERT_PTR_NULL(item->data);
        plain(expected, now.rows, now.columns, steps);
    }
    hp5_run_release(run);
    hp5_item_gather(item);
    bool same = memcmp(item->data, expected, sizeof(double) * (size_t)(now.rows * now.columns)) == 0;
    CU_ASSERT(same);
    if (!same)
        printf("case: %lldx%lld upper %lld %lld lower %lld %lld padding %lld %lld outer %lld threads %d "
               "rotates %d home_upper %d below %d middle %d replicas %d\n",
               (long long)now.rows, (long long)now.columns, (long long)now.upper[0], (long long)now.upper[1],
               (long long)now.lower[0], (long long)now.lower[1], (long long)now.padding[0],
               (long long)now.padding[1], (long long)now.outer, threads, now.rotates, now.home_upper,
               now.below, now.middle, now.replicas);
    hp5_item_release(item);
    if (now.replicas) hp5_item_release(f.items[1]);
    hp5_team_destroy(team);
    free(expected);
}

static void random_case(bool home_upper, int64_t largest) {
    now.home_upper = home_upper;
    now.rows = pick(1, largest);
    now.columns = pick(1, largest);
    now.function = pick(0, 1) ? HP5_BLOCK_SIZE : HP5_BLOCK_COUNT;
    for (int j = 0; j < 2; j++) now.upper[j] = pick(1, now.function == HP5_BLOCK_SIZE ? largest : 5);
    for (int j = 0; j < 2; j++) now.lower[j] = pick(1, 4);
    now.padding[1] = pick(1, 3);
    now.padding[0] = now.padding[1] * pick(1, 3);
    now.inner = home_upper ? now.padding[0] : now.padding[1];
    now.outer = pick(1, 3);
    now.rotates = pick(0, 1);
    now.counts[0] = (int)pick(1, 3);
    now.counts[1] = (int)pick(1, 3);
    now.below = pick(0, 3) == 0;
    now.middle = pick(0, 3) == 0;
    now.replicas = pick(0, 3) == 0;
}

static void test_one_level(void) {
    static const int threads[] = {1, 2, 3, 8};
    for (int i = 0; i < 60; i++) {
        random_case(true, i < 20 ? 6 : 40);
        run_case(threads[i % 4]);
    }
}

static void test_two_levels(void) {
    static const int threads[] = {1, 2, 3, 8};
    for (int i = 0; i < 160; i++) {
        random_case(false, i < 40 ? 7 : 40);
        run_case(threads[i % 4]);
    }
}

static void test_no_leaks(void) { CU_ASSERT_EQUAL(hp5_allocated_bytes(), 0); }

UNIT_MAIN("exchange", {"one padded level", test_one_level}, {"two padded levels", test_two_levels},
          {"everything is freed", test_no_leaks})
