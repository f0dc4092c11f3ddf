/* What it costs one of 1,000 processes to find out what it has and what moves, for 100,000 LPUs: records, stores and patterns in
 * less than 50 ms of the processor, whichever process it is; and less than 1 ms in the next execution, which has other items of the same bounds
 * and takes all of that as it is. What reductions find out of other processes is not in it: these have messages. */
#include "runtime/move/pattern.h"
#include "runtime/run/private.h"
#include "tests/unit/run/task_fixture.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <time.h>

enum { SEGMENTS = 1000 };
static const double MOST_MS = 50, MOST_REUSED_MS = 1;

typedef struct Cluster {
    Fixture f;
    Hp5MachineLevel machine[2];
    int level[FIXTURE_LPSES], starts[SEGMENTS + 1];
    Hp5PlaceDesc places[FIXTURE_LPSES];
    Hp5Team *team;
} Cluster;

static void begin(Cluster *c) {
    memset(c, 0, sizeof *c);
    fixture_start(&c->f);
    c->machine[0] = (Hp5MachineLevel){"Machine", 1, false, false};
    c->machine[1] = (Hp5MachineLevel){"Node", SEGMENTS, true, false};
    for (int x = 1; x < FIXTURE_LPSES; x++) c->level[x] = 1;
    for (int s = 0; s <= SEGMENTS; s++) c->starts[s] = s;
    c->f.desc.machine_level_count = 2;
    c->f.desc.machine_levels = c->machine;
    c->f.desc.machine_level = c->level;
    c->f.desc.places = c->places;
    c->team = hp5_team_create(1, false);
}

static void array(Cluster *c, int64_t rows, int64_t columns) {
    int64_t lo[2] = {0, 0}, extent[2] = {rows, columns};
    int a = fixture_array(&c->f, "a", &hp5_float64, 2, 1, false);
    c->f.items[a] = hp5_item_zeroed("a", &hp5_float64, 2, lo, extent);
}

static void end(Cluster *c) {
    for (int a = 0; a < c->f.desc.array_count; a++) hp5_item_release(c->f.items[a]);
    hp5_team_destroy(c->team);
}

static double now_ms(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* Of a run that has its plan already: whether it fits other items, which it is given. */
static double reuse_ms(Cluster *c, Hp5TaskRun *run) {
    Hp5Item *others[FIXTURE_ARRAYS];
    for (int a = 0; a < c->f.desc.array_count; a++) {
        const Hp5Item *item = c->f.items[a];
        others[a] = hp5_item_zeroed("a", item->element, item->rank, item->lo, item->extent);
    }
    double before = now_ms();
    CU_ASSERT_EQUAL(hp5_run_fits(run, &c->f.desc, c->f.args, others), 0);
    hp5_run_rebind(run, others);
    double ms = now_ms() - before;
    CU_ASSERT_PTR_EQUAL(run->items[0], others[0]);
    hp5_run_rebind(run, c->f.items);
    for (int a = 0; a < c->f.desc.array_count; a++) hp5_item_release(others[a]);
    return ms;
}

/* Of a few processes the one that takes longest; messages of that with most. */
static void measure(Cluster *c, const char *what, Hp5Movement movement, int most_messages) {
    double longest = 0, reused = 0;
    int messages = 0;
    for (int me = 0; me < SEGMENTS; me += 111) {
        double before = now_ms();
        Hp5TaskRun *run = hp5_run_prepare_segment(&c->f.desc, c->team, c->f.level_counts, NULL, (Hp5Span){me, 1}, c->f.args, c->f.items, NULL);
        Hp5Segments segments = {.count = SEGMENTS, .me = me, .starts = c->starts};
        Hp5Pattern pattern = hp5_pattern_create(run, &segments, movement, (Hp5Holders){true, true}, &run->root);
        double ms = now_ms() - before;
        if (ms > longest) longest = ms;
        double again = reuse_ms(c, run);
        if (again > reused) reused = again;
        if (pattern.send_count + pattern.receive_count > messages) messages = pattern.send_count + pattern.receive_count;
        hp5_pattern_free(&pattern);
        hp5_run_release(run);
    }
    printf("\n    %s: %.2f ms, again %.4f ms, %d messages ", what, longest, reused, messages);
    CU_ASSERT(reused < MOST_REUSED_MS);
    CU_ASSERT(longest < MOST_MS);
    CU_ASSERT(messages <= most_messages);
}

/* 400 x 250 LPUs of 8 x 8 elements, padding around each. */
static void test_halos(void) {
    for (int blocks = 0; blocks < 2; blocks++) {
        static Cluster c;
        begin(&c);
        array(&c, 3200, 2000);
        int lps = fixture_lps(&c.f, "A", 0, 2, SEGMENTS, "Node"), v = fixture_list(&c.f, lps, 0, HP5_HOME);
        for (int j = 0; j < 2; j++) fixture_divide(&c.f, lps, v, j, j, HP5_BLOCK_SIZE, "block_size(a)", 8, 0, 1, 1);
        c.places[lps].blocks = blocks;
        measure(&c, blocks ? "halos of LPUs in blocks" : "halos of LPUs in runs", (Hp5Movement){.from = lps, .to = lps, .beyond = lps}, 24);
        end(&c);
    }
}

/* 100,000 LPUs with a row each, and 125,000 LPUs with 80 elements of a column each. */
static void test_repartition(void) {
    static Cluster c;
    begin(&c);
    array(&c, 100000, 100);
    int a = fixture_lps(&c.f, "A", 0, 1, SEGMENTS, "Node"), v = fixture_list(&c.f, a, 0, HP5_COPY);
    int b = fixture_lps(&c.f, "B", 0, 2, SEGMENTS, "Node"), u = fixture_list(&c.f, b, 0, HP5_COPY);
    fixture_divide(&c.f, a, v, 0, 0, HP5_BLOCK_SIZE, "block_size(a)", 1, 0, -1, -1);
    fixture_divide(&c.f, b, u, 0, 0, HP5_BLOCK_SIZE, "block_size(a)", 80, 0, -1, -1);
    fixture_divide(&c.f, b, u, 1, 1, HP5_BLOCK_SIZE, "block_size(a)", 1, 0, -1, -1);
    c.places[b].blocks = true;
    measure(&c, "from rows to parts of columns", (Hp5Movement){.from = a, .to = b, .beyond = -1}, 200);
    measure(&c, "and back", (Hp5Movement){.from = b, .to = a, .beyond = -1}, 200);
    end(&c);
}

/* One row of the array of test_repartition, from whoever has it to everybody. */
static void test_replicate(void) {
    static Cluster c;
    begin(&c);
    array(&c, 100000, 100);
    int a = fixture_lps(&c.f, "A", 0, 1, SEGMENTS, "Node"), v = fixture_list(&c.f, a, 0, HP5_COPY);
    fixture_divide(&c.f, a, v, 0, 0, HP5_BLOCK_SIZE, "block_size(a)", 1, 0, -1, -1);
    int b = fixture_lps(&c.f, "B", 0, 1, SEGMENTS, "Node"), other = fixture_array(&c.f, "b", &hp5_float64, 1, 1, false);
    int64_t zero = 0, extent = SEGMENTS;
    c.f.items[other] = hp5_item_zeroed("b", &hp5_float64, 1, &zero, &extent);
    fixture_divide(&c.f, b, fixture_list(&c.f, b, other, HP5_IN_PLACE), 0, 0, HP5_BLOCK_SIZE, "block_size(a)", 1, 0, -1, -1);
    fixture_list(&c.f, b, 0, HP5_IN_PLACE);
    Hp5Box row = {{44400, 0}, {44401, 100}};
    measure(&c, "a row for all", (Hp5Movement){.from = a, .to = b, .beyond = -1, .in_place = true, .only = &row}, SEGMENTS);
    end(&c);
}

static void test_freed(void) { CU_ASSERT_EQUAL(hp5_allocated_bytes(), 0); }

UNIT_MAIN("setup_time", {"halos", test_halos}, {"another partition", test_repartition}, {"a row for all", test_replicate},
          {"everything is freed", test_freed})
