/* Flows on real threads: reductions to every ancestor, COPY storage, epochs of any lag, files. */
#include "runtime/array/reduce.h"
#include "tests/unit/scratch.h"
#include "tests/unit/run/task_fixture.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <unistd.h>

static uint64_t random_state = 4711;
static int64_t pick(int64_t from, int64_t to) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return from + (int64_t)(random_state >> 33) % (to - from + 1);
}

typedef struct Setting {
    Fixture f;
    Hp5Team *team;
    Hp5TaskRun *run;
} Setting;

static void begin(Setting *s, int threads) {
    int counts[FIXTURE_LPSES];
    hp5_level_counts(&s->f.desc, NULL, threads, counts);
    s->team = hp5_team_create(hp5_threads_needed(&s->f.desc, counts), false);
    s->run = hp5_run_prepare(&s->f.desc, s->team, counts, s->f.args, s->f.items, NULL);
}

static void end(Setting *s) {
    hp5_run_release(s->run);
    for (int a = 0; a < s->f.desc.array_count; a++) hp5_item_release(s->f.items[a]);
    hp5_team_destroy(s->team);
}

static double *doubles(Hp5Item *item) { return (double *)(void *)item->data; }
static double *version(const Hp5View *view, int k) { return (double *)(void *)view->store->version[k]; }

/* ---- Reductions ------------------------------------------------------------------------------------ */

typedef struct Scalars {
    double sum;
    int64_t executions;
} Scalars;

static void combine_sums(const void *partials, const unsigned char *present, int64_t count, void *scalars) {
    const double *values = partials;
    Hp5Tree_sum_real tree = {.count = 0};
    for (int64_t i = 0; i < count; i++)
        if (present[i]) hp5_tree_sum_real_add(&tree, values[i]);
    ((Scalars *)scalars)->executions++;
    if (tree.count > 0) ((Scalars *)scalars)->sum = hp5_tree_sum_real_finish(&tree);
}

static double part_value(int64_t flat, int64_t round) { return 1.0 / (double)(flat + 1 + 7 * round); }
static bool takes_part(int64_t flat) { return flat % 5 != 3; }
enum { REDUCE_ROUNDS = 20 };

/* Three sites: B to Root, B to A, B to B. */
static void reduce_flow(Hp5Worker *w) {
    for (int64_t round = 0; round < REDUCE_ROUNDS; round++) {
        const Hp5Grid *as = hp5_child(&w->run->root, 0);
        for (Hp5Lpu *a = hp5_first(w, as), *a_end = hp5_end(w, as); a < a_end; a++) {
            const Hp5Grid *bs = hp5_child(a, 0);
            for (Hp5Lpu *b = hp5_first(w, bs), *b_end = hp5_end(w, bs); b < b_end; b++) {
                if (takes_part(b->flat) && hp5_leads(w, 2))
                    for (int site = 0; site < 3; site++)
                        *(double *)hp5_partial(w, site, b) = part_value(b->flat, round);
                hp5_reduce(w, 2, b);
            }
            hp5_reduce(w, 1, a);
        }
        hp5_reduce(w, 0, &w->run->root);
    }
}

static double expected_sum(int64_t from, int64_t to, int64_t round) {
    Hp5Tree_sum_real tree = {.count = 0};
    for (int64_t i = from; i < to; i++)
        if (takes_part(i)) hp5_tree_sum_real_add(&tree, part_value(i, round));
    return tree.count > 0 ? hp5_tree_sum_real_finish(&tree) : 0;
}

static void reduce_case(int threads, int64_t n, int64_t upper, int64_t lower) {
    Setting s;
    fixture_start(&s.f);
    int x = fixture_array(&s.f, "x", &hp5_float64, 1, 1, false);
    int a = fixture_lps(&s.f, "A", 0, 1, 2, "Node"), b = fixture_lps(&s.f, "B", a, 1, 2, "Core");
    fixture_divide(&s.f, a, fixture_list(&s.f, a, x, HP5_IN_PLACE), 0, 0, HP5_BLOCK_COUNT, "block_count(a)",
                   upper, 0, -1, -1);
    fixture_divide(&s.f, b, fixture_list(&s.f, b, x, HP5_IN_PLACE), 0, 0, HP5_STRIDE, "stride(a)", lower, 0,
                   -1, -1);
    for (int i = 0; i < 3; i++) {
        s.f.lpses[i].scalars_size = sizeof(Scalars);
        s.f.reductions[s.f.desc.reduce_count++] = (Hp5ReduceDesc){2, i, sizeof(double), combine_sums, "sum", 0, NULL};
    }
    int64_t lo = 0;
    s.f.items[0] = hp5_item_zeroed("x", &hp5_float64, 1, &lo, &n);
    begin(&s, threads);
    hp5_run_execute(s.run, reduce_flow);
    const Hp5Grid *as = hp5_child(&s.run->root, 0);
    int64_t flat = 0;
    for (int64_t i = 0; i < as->count; i++) {
        const Hp5Grid *bs = &as->lpus[i].children[0];
        const Scalars *scalars = as->lpus[i].scalars;
        CU_ASSERT_EQUAL(scalars->sum, expected_sum(flat, flat + bs->count, REDUCE_ROUNDS - 1));
        CU_ASSERT_EQUAL(scalars->executions, REDUCE_ROUNDS);
        for (int64_t k = 0; k < bs->count; k++, flat++) {
            double alone = takes_part(flat) ? part_value(flat, REDUCE_ROUNDS - 1) : 0;
            CU_ASSERT_EQUAL(((const Scalars *)bs->lpus[k].scalars)->sum, alone);
        }
    }
    CU_ASSERT_EQUAL(((const Scalars *)s.run->root.scalars)->sum, expected_sum(0, flat, REDUCE_ROUNDS - 1));
    end(&s);
}

static void test_reductions(void) {
    static const int threads[] = {1, 2, 3, 4, 8};
    for (int i = 0; i < 40; i++) reduce_case(threads[i % 5], pick(1, 60), pick(1, 9), pick(1, 9));
}

/* ---- COPY storage: three-point smoothing with padded copies in a shared store
 * ------------------------------ */

static int64_t copy_n;

static void copy_flow(Hp5Worker *w) {
    const Hp5Grid *grid = hp5_child(&w->run->root, 0);
    for (int step = 0; step < 5; step++) {
        for (Hp5Lpu *l = hp5_first(w, grid), *last = hp5_end(w, grid); l < last; l++) hp5_copy_in(w, l, 1, 0);
        hp5_sync(w, 0);
        for (Hp5Lpu *l = hp5_first(w, grid), *last = hp5_end(w, grid); l < last; l++) {
            const Hp5View *view = &l->views[0];
            double *x = version(view, 0), before = 0;
            for (int64_t i = view->part[0].begin; i < view->part[0].end; i++) {
                double *at = x + (i - view->store->lo[0]), here = *at;
                if (i > view->part[0].begin && i < view->part[0].end - 1)
                    *at = 0.25 * before + 0.5 * here + 0.25 * at[1];
                before = here;
            }
        }
        for (Hp5Lpu *l = hp5_first(w, grid), *last = hp5_end(w, grid); l < last; l++)
            hp5_copy_out(w, l, 1, 0, false);
        hp5_sync(w, 0);
    }
}

static void test_copies(void) {
    for (int round = 0; round < 30; round++) {
        Setting s;
        fixture_start(&s.f);
        int x = fixture_array(&s.f, "x", &hp5_float64, 1, 1, false),
            a = fixture_lps(&s.f, "A", 0, 1, 4, "Core");
        copy_n = pick(1, 50);
        fixture_divide(&s.f, a, fixture_list(&s.f, a, x, HP5_COPY), 0, 0, HP5_BLOCK_SIZE, "block_size(a)",
                       pick(1, 20), 0, 1, 1);
        int64_t lo = pick(-5, 5);
        s.f.items[0] = hp5_item_zeroed("x", &hp5_float64, 1, &lo, &copy_n);
        hp5_item_gather(s.f.items[0]);
        double expected[50], old[50];
        for (int64_t i = 0; i < copy_n; i++) expected[i] = doubles(s.f.items[0])[i] = (double)(i * i % 17);
        begin(&s, (int)pick(1, 5));
        hp5_run_execute(s.run, copy_flow);
        for (int step = 0; step < 5; step++) {
            memcpy(old, expected, sizeof old);
            for (int64_t i = 1; i < copy_n - 1; i++)
                expected[i] = 0.25 * old[i - 1] + 0.5 * old[i] + 0.25 * old[i + 1];
        }
        CU_ASSERT(memcmp(expected, s.f.items[0]->data, sizeof(double) * (size_t)copy_n) == 0);
        end(&s);
    }
}

/* ---- Epochs
 * ---------------------------------------------------------------------------------------------------- */

static int epoch_versions;
enum { EPOCHS = 7 };

/* In each epoch every second element becomes the sum of its older versions plus one; shared store, all
 * threads of Root. */
static void epoch_flow(Hp5Worker *w) {
    Hp5View *view = &w->run->root.views[0];
    const Hp5Grid *grid = hp5_child(&w->run->root, 0);
    for (int e = 0; e < EPOCHS; e++) {
        for (Hp5Lpu *l = hp5_first(w, grid), *last = hp5_end(w, grid); l < last; l++) {
            const Hp5View *mine = &l->views[0];
            for (int64_t i = mine->part[0].begin; i < mine->part[0].end; i++) {
                double sum = 1;
                for (int k = 1; k < epoch_versions; k++) sum += version(mine, k)[i];
                if ((i + e) % 2 == 0) version(mine, 0)[i] = sum;
            }
        }
        hp5_epoch(w, 0, view, false);
    }
}

static void test_epochs(void) {
    for (int versions = 2; versions <= 5; versions++)
        for (int threads = 1; threads <= 4; threads++) {
            Setting s;
            fixture_start(&s.f);
            int64_t n = 23, lo = 0;
            int x = fixture_array(&s.f, "x", &hp5_float64, 1, versions, false),
                a = fixture_lps(&s.f, "A", 0, 1, 4, "Core");
            epoch_versions = versions;
            fixture_divide(&s.f, a, fixture_list(&s.f, a, x, HP5_IN_PLACE), 0, 0, HP5_BLOCK_COUNT,
                           "block_count(a)", 6, 0, -1, -1);
            s.f.items[0] = hp5_item_zeroed("x", &hp5_float64, 1, &lo, &n);
            begin(&s, threads);
            double expected[5][23] = {{0}};
            for (int execution = 0; execution < 3; execution++) {
                hp5_run_execute(s.run, epoch_flow);
                for (int k = 1; k < versions; k++) memcpy(expected[k], expected[0], sizeof expected[0]);
                for (int e = 0; e < EPOCHS; e++) {
                    for (int i = 0; i < 23; i++) {
                        double sum = 1;
                        for (int k = 1; k < versions; k++) sum += expected[k][i];
                        if ((i + e) % 2 == 0) expected[0][i] = sum;
                    }
                    for (int k = versions - 1; k > 0; k--)
                        memcpy(expected[k], expected[k - 1], sizeof expected[0]);
                }
                CU_ASSERT(memcmp(expected[0], s.f.items[0]->data, sizeof expected[0]) == 0);
            }
            end(&s);
        }
}

/* Rotation of a shared store: an odd number of epochs leaves the result in the run's own buffer. */
static void rotate_flow(Hp5Worker *w) {
    const Hp5Grid *grid = hp5_child(&w->run->root, 0);
    for (int e = 0; e < EPOCHS; e++) {
        hp5_epoch(w, 0, &w->run->root.views[0], true);
        for (Hp5Lpu *l = hp5_first(w, grid), *last = hp5_end(w, grid); l < last; l++)
            for (int64_t i = l->views[0].part[0].begin; i < l->views[0].part[0].end; i++)
                if (hp5_set_contains(&l->views[0].part[0], i))
                    version(&l->views[0], 0)[i] = version(&l->views[0], 1)[i] + (double)i;
    }
}

static void test_rotation(void) {
    Setting s;
    fixture_start(&s.f);
    int64_t n = 3000, lo = 0;
    int x = fixture_array(&s.f, "x", &hp5_float64, 1, 2, true), a = fixture_lps(&s.f, "A", 0, 1, 3, "Core");
    fixture_divide(&s.f, a, fixture_list(&s.f, a, x, HP5_IN_PLACE), 0, 0, HP5_BLOCK_STRIDE,
                   "block_stride(a, b)", 7, 11, -1, -1);
    s.f.items[0] = hp5_item_zeroed("x", &hp5_float64, 1, &lo, &n);
    begin(&s, 3);
    for (int execution = 1; execution <= 3; execution++) {
        hp5_run_execute(s.run, rotate_flow);
        int wrong = 0;
        for (int64_t i = 0; i < n; i++) wrong += doubles(s.f.items[0])[i] != (double)(execution * EPOCHS * i);
        CU_ASSERT_EQUAL(wrong, 0);
    }
    hp5_run_release(s.run); /* what the run owns goes; the item's buffer stays whole */
    CU_ASSERT_EQUAL(doubles(s.f.items[0])[n - 1], (double)(3 * EPOCHS * (n - 1)));
    hp5_item_release(s.f.items[0]);
    hp5_team_destroy(s.team);
}

/* ---- Files: in by boxes, out by boxes
 * --------------------------------------------------------------------------- */

static void add_one(Hp5Worker *w) {
    const Hp5Grid *as = hp5_child(&w->run->root, 0);
    for (Hp5Lpu *a = hp5_first(w, as), *a_end = hp5_end(w, as); a < a_end; a++) {
        const Hp5Grid *bs = hp5_child(a, 0);
        for (Hp5Lpu *b = hp5_first(w, bs), *b_end = hp5_end(w, bs); b < b_end; b++) {
            const Hp5View *view = &b->views[0];
            if (hp5_leads(w, 2))
                for (int64_t i = view->own[0].begin; i < view->own[0].end;
                     i++) /* padding keeps the old values */
                    for (int64_t j = view->own[1].begin; j < view->own[1].end; j++)
                        version(
                            view,
                            0)[(i - view->store->lo[0]) * view->store->stride[0] + j - view->store->lo[1]] +=
                            1;
        }
    }
}

static void write_start(const char *path, int64_t n, int64_t m) {
    int64_t lo[2] = {0, 0}, extent[2] = {n, m};
    Hp5Item *item = hp5_item_zeroed("start", &hp5_float64, 2, lo, extent);
    hp5_item_gather(item);
    for (int64_t i = 0; i < n * m; i++) doubles(item)[i] = (double)i;
    hp5_item_write(item, path, "start");
    hp5_item_release(item);
}

static void test_files(void) {
    const char *in = scratch("in.npy"), *out = scratch("out.npy");
    for (int round = 0; round < 24; round++) {
        Setting s;
        int64_t n = pick(1, 40), m = pick(1, 40);
        write_start(in, n, m);
        fixture_start(&s.f);
        int x = fixture_array(&s.f, "x", &hp5_float64, 2, 1, false);
        int a = fixture_lps(&s.f, "A", 0, 2, 2, "Node"), b = fixture_lps(&s.f, "B", a, 2, 2, "Core");
        int v = fixture_list(&s.f, a, x, HP5_IN_PLACE),
            u = fixture_list(&s.f, b, x, round % 2 ? HP5_HOME : HP5_IN_PLACE);
        int64_t padding = round % 2 ? 2 : 0;
        for (int j = 0; j < 2; j++) {
            fixture_divide(&s.f, a, v, j, j, HP5_BLOCK_SIZE, "block_size(a)", pick(1, 20), 0, padding,
                           padding);
            fixture_divide(&s.f, b, u, j, j, HP5_BLOCK_COUNT, "block_count(a)", pick(1, 3), 0, padding,
                           padding);
        }
        s.f.items[0] = hp5_item_from_file(in, "x", &hp5_float64, 2);
        begin(&s, (int)pick(1, 8));
        hp5_run_execute(s.run, add_one);
        CU_ASSERT_PTR_NULL(s.f.items[0]->file);
        CU_ASSERT((s.f.items[0]->spread != NULL) == (round % 2 == 1));
        hp5_item_write(s.f.items[0], out, "x");
        CU_ASSERT((s.f.items[0]->data == NULL) == (round % 2 == 1)); /* written without gathering */
        Hp5Item *back = hp5_item_from_file(out, "x", &hp5_float64, 2);
        hp5_item_gather(back);
        int wrong = 0;
        for (int64_t i = 0; i < n * m; i++) wrong += doubles(back)[i] != (double)(i + 1);
        CU_ASSERT_EQUAL(wrong, 0);
        hp5_item_release(back);
        end(&s);
    }
    remove(in);
    remove(out);
}

/* Memory of a run: root stores take over the items; HOME arrays have nothing above their copies. */
static void test_memory(void) {
    int64_t lo[2] = {0, 0}, extent[2] = {600, 500}, array = 600 * 500 * 8;
    for (int home = 0; home < 2; home++) {
        Setting s;
        fixture_start(&s.f);
        int x = fixture_array(&s.f, "x", &hp5_float64, 2, 2, true);
        int a = fixture_lps(&s.f, "A", 0, 2, 2, "Node"), b = fixture_lps(&s.f, "B", a, 2, 2, "Core");
        int v = fixture_list(&s.f, a, x, HP5_IN_PLACE),
            u = fixture_list(&s.f, b, x, home ? HP5_HOME : HP5_IN_PLACE);
        for (int j = 0; j < 2; j++) {
            fixture_divide(&s.f, a, v, j, j, HP5_BLOCK_COUNT, "block_count(a)", 2, 0, -1, -1);
            fixture_divide(&s.f, b, u, j, j, HP5_BLOCK_COUNT, "block_count(a)", 2, 0, -1, -1);
        }
        s.f.items[0] = hp5_item_zeroed("x", &hp5_float64, 2, lo, extent);
        begin(&s, 4);
        hp5_run_execute(s.run, add_one);
        CU_ASSERT(hp5_allocated_bytes() < 2 * array + 60000);
        end(&s);
    }
}

/* COPY of strided parts: each LPU doubles its own indices, the others' stay. */
static void double_strided(Hp5Worker *w) {
    const Hp5Grid *grid = hp5_child(&w->run->root, 0);
    for (Hp5Lpu *l = hp5_first(w, grid), *last = hp5_end(w, grid); l < last; l++) {
        const Hp5View *view = &l->views[0];
        hp5_copy_in(w, l, 1, 0);
        for (int64_t i = view->part[0].begin; i < view->part[0].end; i++) {
            double *at = version(view, 0) + (i - view->store->lo[0]);
            *at = hp5_set_contains(view->part, i) ? 2 * *at : -1; /* what lies between is nobody's business */
        }
        hp5_copy_out(w, l, 1, 0, false);
    }
}

/* The same run for other items; the old item's elements outlive it. */
static void test_strided_copies_and_rebinding(void) {
    for (int round = 0; round < 20; round++) {
        Setting s;
        int64_t n = pick(1, 60), lo = pick(0, 4);
        fixture_start(&s.f);
        int x = fixture_array(&s.f, "x", &hp5_float64, 1, 1, false),
            a = fixture_lps(&s.f, "A", 0, 1, 4, "Core");
        fixture_divide(&s.f, a, fixture_list(&s.f, a, x, HP5_COPY), 0, 0, HP5_BLOCK_STRIDE,
                       "block_stride(a, b)", pick(1, 4), pick(1, 6), -1, -1);
        s.f.items[0] = hp5_item_zeroed("x", &hp5_float64, 1, &lo, &n);
        begin(&s, (int)pick(1, 5));
        Hp5Item *first = s.f.items[0], *items[1] = {hp5_item_zeroed("x", &hp5_float64, 1, &lo, &n)};
        hp5_item_gather(first);
        hp5_item_gather(items[0]);
        for (int64_t i = 0; i < n; i++) doubles(first)[i] = doubles(items[0])[i] = (double)i;
        hp5_run_execute(s.run, double_strided);
        hp5_run_rebind(s.run, items);
        hp5_run_execute(s.run, double_strided);
        hp5_run_execute(s.run, double_strided);
        int wrong = 0;
        for (int64_t i = 0; i < n; i++)
            wrong += doubles(first)[i] != 2 * (double)i || doubles(items[0])[i] != 4 * (double)i;
        CU_ASSERT_EQUAL(wrong, 0);
        hp5_item_release(items[0]);
        end(&s);
    }
}

static void test_freed(void) { CU_ASSERT_EQUAL(hp5_allocated_bytes(), 0); }

UNIT_MAIN("flow", {"reductions", test_reductions}, {"copies in and out", test_copies},
          {"epochs that copy", test_epochs}, {"epochs that rotate", test_rotation},
          {"files by boxes", test_files}, {"memory", test_memory},
          {"strided copies and rebinding", test_strided_copies_and_rebinding},
          {"everything is freed", test_freed})
