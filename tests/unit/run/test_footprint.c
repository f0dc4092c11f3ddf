/* The formula for what a run takes, against what it does take; and what is said when that is too much. */
#include "runtime/report/memory.h"
#include "runtime/run/memory_footprint.h"
#include "runtime/run/private.h"
#include "tests/unit/child.h"
#include "tests/unit/scratch.h"
#include "tests/unit/run/task_fixture.h"
#include "tests/unit/unit.h"
#include <math.h>
#include <sys/stat.h>

static void flow(Hp5Worker *w) {
    for (int e = 0; e < w->run->desc->exchange_count; e++)
        if (w->run->desc->lpses[w->run->desc->exchanges[e].lps].parent == 0) hp5_exchange(w, e, &w->run->root);
}

static bool is_near(double expected, double found, double share) {
    bool near = fabs(expected - found) <= share * found + (1 << 20);
    if (!near) printf("\nexpected %.0f, found %.0f (%+.1f %%) ", expected, found, 100 * (expected - found) / found);
    return near;
}

/* In a process of its own, because a peak stays. */
static void compare(void *data) {
    Fixture *f = data;
    Hp5Team *team = hp5_team_create(1, false);
    int64_t before = hp5_allocated_bytes();
    /* the formula needs a run of which nothing is built */
    Hp5RunPrivate hidden = {.geometry.level_counts = f->level_counts};
    Hp5TaskRun empty = {.desc = &f->desc, .args = f->args, .items = f->items, .team = team, .hidden = &hidden};
    Hp5Footprint found = hp5_footprint(&empty);
    double whole = hp5_footprint_bytes(&empty, &found), kept = 0;
    Hp5TaskRun *run = hp5_run_prepare(&f->desc, team, f->level_counts, f->args, f->items, NULL);
    hp5_run_execute(run, flow);
    bool right = true;
    for (int x = 0; x < f->desc.lps_count; x++) {
        const Hp5SpaceFootprint *space = &found.spaces[x];
        kept += space->tables + space->copies + space->exchanges;
        if (fabs(space->lpus - (double)run->hidden->geometry.shapes[x].lpus) > 0.02 * space->lpus)
            right = false, printf("\nSpace %d: expected %.0f LPUs, found %lld ", x, space->lpus, (long long)run->hidden->geometry.shapes[x].lpus);
    }
    for (int a = 0; a < f->desc.array_count; a++) kept += found.arrays[a];
    right = is_near(kept, (double)(hp5_allocated_bytes() - before), 0.05) && right;
    right = is_near(whole, (double)(hp5_peak_bytes() - before), 0.07) && right;
    fflush(stdout);
    _exit(right ? 0 : 3);
}

static void release_arrays(Fixture *f) {
    for (int a = 0; a < f->desc.array_count; a++) hp5_item_release(f->items[a]);
}

static void check(Fixture *f) {
    Child child = child_run(compare, f);
    CU_ASSERT_EQUAL(child.status, 0);
    if (child.status != 0) printf("%s%s", child.out, child.err);
    release_arrays(f);
}

static void add_array(Fixture *f, const char *name, int versions, int64_t n, int64_t m) {
    int64_t lo[2] = {0, 0}, extent[2] = {n, m};
    int rank = m > 0 ? 2 : 1, a = fixture_array(f, name, &hp5_float64, rank, versions, false);
    f->items[a] = hp5_item_zeroed(name, &hp5_float64, rank, lo, extent);
}

static void test_vector(void) {
    Fixture f;
    fixture_start(&f);
    add_array(&f, "v", 2, 500000, 0);
    int x = fixture_lps(&f, "A", 0, 1, 2, "Core"), v = fixture_list(&f, x, 0, HP5_IN_PLACE);
    fixture_divide(&f, x, v, 0, 0, HP5_BLOCK_SIZE, "block_size(k)", 1, 0, -1, -1);
    f.lpses[x].scalars_size = 24;
    f.desc.reduce_count = 1;
    f.reductions[0] = (Hp5ReduceDesc){.from = x, .to = 0, .size = 8};
    check(&f);
}

/* Parts of a plate with padding, which are the array; and their halves, which have copies. */
static void test_padding(void) {
    static const Hp5PartFunction functions[] = {HP5_BLOCK_SIZE, HP5_BLOCK_COUNT};
    for (int i = 0; i < 2; i++)
        for (int versions = 1; versions <= 3; versions++) {
            Fixture f;
            fixture_start(&f);
            add_array(&f, "plate", versions, 1011, 1203);
            int x = fixture_lps(&f, "A", 0, 2, 2, "Core"), v = fixture_list(&f, x, 0, HP5_HOME);
            int y = fixture_lps(&f, "B", x, 1, 1, "Core"), u = fixture_list(&f, y, 0, HP5_COPY);
            fixture_divide(&f, x, v, 0, 0, functions[i], "f(k)", i ? 100 : 10, 0, 2, 1);
            fixture_divide(&f, x, v, 1, 1, functions[i], "f(l)", i ? 80 : 16, 0, 1, 1);
            fixture_divide(&f, y, u, 0, 1, HP5_BLOCK_SIZE, "block_size(m)", 7, 0, 1, 1);
            f.exchanges[0] = (Hp5ExchangeDesc){x, 0};
            f.desc.exchange_count = 1;
            check(&f);
        }
}

/* Many small parts, their padded copies with exchanges: lists of boxes weigh most. */
static void test_small_parts(void) {
    Fixture f;
    fixture_start(&f);
    add_array(&f, "plate", 2, 900, 900);
    int x = fixture_lps(&f, "A", 0, 2, 2, "Core"), v = fixture_list(&f, x, 0, HP5_HOME);
    fixture_divide(&f, x, v, 0, 0, HP5_BLOCK_SIZE, "block_size(k)", 3, 0, 1, 1);
    fixture_divide(&f, x, v, 1, 1, HP5_BLOCK_SIZE, "block_size(k)", 4, 0, 1, 1);
    f.exchanges[0] = (Hp5ExchangeDesc){x, 0};
    f.desc.exchange_count = 1;
    check(&f);
}

/* Three levels and parts with gaps; a copy that several LPUs hold. */
static void test_gaps(void) {
    Fixture f;
    fixture_start(&f);
    add_array(&f, "a", 1, 6000, 4);
    add_array(&f, "b", 1, 40, 900);
    int x = fixture_lps(&f, "A", 0, 2, 2, "Core"), a = fixture_list(&f, x, 0, HP5_COPY), b = fixture_list(&f, x, 1, HP5_IN_PLACE);
    fixture_divide(&f, x, a, 0, 0, HP5_STRIDE, "stride(k)", 10, 0, -1, -1);
    fixture_divide(&f, x, b, 1, 1, HP5_BLOCK_STRIDE, "block_stride(s, l)", 9, 16, -1, -1);
    int y = fixture_lps(&f, "B", x, 1, 1, "Core"), c = fixture_list(&f, y, 0, HP5_IN_PLACE);
    fixture_divide(&f, y, c, 0, 0, HP5_BLOCK_SIZE, "block_size(m)", 7, 0, -1, -1);
    int z = fixture_lps(&f, "C", y, 1, 1, "Core"), d = fixture_list(&f, z, 1, HP5_IN_PLACE);
    fixture_divide(&f, z, d, 0, 0, HP5_BLOCK_COUNT, "block_count(n)", 11, 0, -1, -1);
    check(&f);
}

/* A thousand million LPUs are counted as fast as a thousand. */
static void test_many(void) {
    Fixture f;
    fixture_start(&f);
    add_array(&f, "v", 1, 2000000000, 0);
    int x = fixture_lps(&f, "A", 0, 1, 2, "Core"), v = fixture_list(&f, x, 0, HP5_HOME);
    int y = fixture_lps(&f, "B", x, 1, 1, "Core"), u = fixture_list(&f, y, 0, HP5_IN_PLACE);
    fixture_divide(&f, x, v, 0, 0, HP5_BLOCK_SIZE, "block_size(k)", 2, 0, 1, 1);
    fixture_divide(&f, y, u, 0, 0, HP5_BLOCK_SIZE, "block_size(l)", 1, 0, -1, -1);
    Hp5RunPrivate hidden = {.geometry.level_counts = f.level_counts};
    Hp5Team *team = hp5_team_create(1, false);
    Hp5TaskRun empty = {.desc = &f.desc, .args = f.args, .items = f.items, .team = team, .hidden = &hidden};
    Hp5Footprint found = hp5_footprint(&empty);
    CU_ASSERT_DOUBLE_EQUAL(found.spaces[x].lpus, 1e9, 1);
    CU_ASSERT_DOUBLE_EQUAL(found.spaces[y].lpus, 4e9 - 2, 1); /* 4 each, 3 at the borders */
    hp5_footprint_free(&found);
    release_arrays(&f);
    hp5_team_destroy(team);
}

/* ---- Messages -------------------------------------------------------------------------------------- */

static void prepare(void *data) {
    Fixture *f = data;
    hp5_set_program_name("prog");
    hp5_memory_limit(100 << 20);
    hp5_run_prepare(&f->desc, hp5_team_create(1, false), f->level_counts, f->args, f->items, NULL);
}

static void says(Fixture *f, int status, const char *message) {
    Child child = child_run(prepare, f);
    CU_ASSERT_EQUAL(child.status, status);
    CU_ASSERT_STRING_EQUAL(child.err, message);
    if (strcmp(child.err, message) != 0) printf("\nexpected %s\nfound %s", message, child.err);
}

static void test_messages(void) {
    Fixture f;
    fixture_start(&f);
    add_array(&f, "v", 1, 300000000, 0);
    int x = fixture_lps(&f, "A", 0, 1, 2, "Core"), v = fixture_list(&f, x, 0, HP5_IN_PLACE);
    fixture_divide(&f, x, v, 0, 0, HP5_BLOCK_SIZE, "block_size(k)", 1, 0, -1, -1);
    f.arg_names[f.dims[x][v][0].argument[0]] = "k";
    says(&f, 2, "prog: task Test, Space A: 300000000 LPUs with k = 1 take 62.4 GB of memory; 105 MB are available\n"
                "  use larger parts, or say with --memory SIZE how much it may take\n");
    f.args[f.dims[x][v][0].argument[0]] = 1000000;
    says(&f, 1, "prog: out of memory: task Test: array v takes 2.40 GB; 105 MB are available\n"
                "  use smaller arrays, or say with --memory SIZE how much it may take\n");
    f.desc.segments = 16;
    says(&f, 1, "prog: out of memory: task Test: array v takes 2.40 GB; 105 MB are available\n"
                "  use smaller arrays, or say with --memory SIZE how much it may take\n"
                "  or start several processes, each of which has its share: mpirun -n 16 ./prog …\n");
    release_arrays(&f);
}

/* Few LPUs with few elements of their own, but padding that is as wide as the array. */
static void test_padded_message(void) {
    Fixture f;
    fixture_start(&f);
    add_array(&f, "v", 2, 400000, 0);
    int x = fixture_lps(&f, "A", 0, 1, 2, "Core"), v = fixture_list(&f, x, 0, HP5_HOME);
    fixture_divide(&f, x, v, 0, 0, HP5_BLOCK_COUNT, "block_count(k)", 100, 0, 400000, 400000);
    f.arg_names[f.dims[x][v][0].argument[0]] = "k";
    says(&f, 2, "prog: task Test, Space A: 100 LPUs with k = 100 take 56.8 kB of memory, their copies of elements 640 MB; 105 MB are available\n"
                "  use larger parts, or say with --memory SIZE how much it may take\n");
    release_arrays(&f);
}

static void test_sizes(void) {
    char text[HP5_BYTES_TEXT];
    CU_ASSERT_STRING_EQUAL(hp5_bytes_text(0, text), "0 bytes");
    CU_ASSERT_STRING_EQUAL(hp5_bytes_text(999, text), "999 bytes");
    CU_ASSERT_STRING_EQUAL(hp5_bytes_text(1000, text), "1.00 kB");
    CU_ASSERT_STRING_EQUAL(hp5_bytes_text(12345, text), "12.3 kB");
    CU_ASSERT_STRING_EQUAL(hp5_bytes_text(999600, text), "1.00 MB");
    CU_ASSERT_STRING_EQUAL(hp5_bytes_text(64.8e9, text), "64.8 GB");
    CU_ASSERT_STRING_EQUAL(hp5_bytes_text(5e20, text), "500 EB");
}

UNIT_MAIN("footprint", {"a part for each element", test_vector}, {"padding", test_padding}, {"small parts", test_small_parts},
          {"parts with gaps", test_gaps}, {"thousands of millions", test_many}, {"messages", test_messages}, {"padding as wide as the array", test_padded_message}, {"sizes", test_sizes})
