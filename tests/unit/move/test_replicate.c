/* Replication down a tree: for random divisions and random processes, everybody who wants what one process has gets it once, from somebody
 * who has it before, over few steps; there are as many messages as without the tree. */
#include "runtime/move/replicate.h"
#include "runtime/run/private.h"
#include "tests/unit/run/task_fixture.h"
#include "tests/unit/unit.h"
#include <stdio.h>

static uint64_t state = 4711;
static int64_t pick(int64_t from, int64_t to) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return from + (int64_t)(state >> 33) % (to - from + 1);
}

enum { MOST_SEGMENTS = 80 };
typedef struct World {
    Fixture f;
    Hp5Movement movement;
    Hp5Holders holders;
    Hp5Box only;
    int ppus, segments, starts[MOST_SEGMENTS + 1];
    Hp5Team *team;
    Hp5TaskRun *runs[MOST_SEGMENTS];
    Hp5Pattern flat[MOST_SEGMENTS], tree[MOST_SEGMENTS];
    int trees, deepest;
} World;

/* Some rows of an array, from Space A or from B, which divides it, go to A, to C, which divides something else, or to D, whose LPUs
 * want different rows. */
static void begin(World *w) {
    memset(w, 0, sizeof *w);
    fixture_start(&w->f);
    fixture_array(&w->f, "rows", &hp5_float64, 2, 1, false);
    fixture_array(&w->f, "work", &hp5_float64, 1, 1, false);
    int64_t lo[2] = {0, 0}, extent[2] = {64, 256}, length[1] = {pick(1, 200)};
    w->f.items[0] = hp5_item_zeroed("rows", &hp5_float64, 2, lo, extent);
    w->f.items[1] = hp5_item_zeroed("work", &hp5_float64, 1, lo, length);
    int a = fixture_lps(&w->f, "A", 0, 1, 1, "Machine"), b, c, d, v;
    fixture_divide(&w->f, a, fixture_list(&w->f, a, 0, HP5_IN_PLACE), 0, 0, HP5_BLOCK_COUNT, "block_count(a)", 1, 0, -1, -1);
    b = fixture_lps(&w->f, "B", a, 1, (int)pick(1, MOST_SEGMENTS), "Core");
    c = fixture_lps(&w->f, "C", a, 1, (int)pick(1, MOST_SEGMENTS), "Core");
    fixture_divide(&w->f, b, fixture_list(&w->f, b, 0, HP5_IN_PLACE), 0, 0, HP5_BLOCK_COUNT, "block_count(a)", pick(1, 12), 0, -1, -1);
    v = fixture_list(&w->f, c, 1, HP5_IN_PLACE);
    fixture_divide(&w->f, c, v, 0, 0, HP5_BLOCK_COUNT, "block_count(a)", pick(1, 200), 0, -1, -1);
    d = fixture_lps(&w->f, "D", a, 1, (int)pick(1, MOST_SEGMENTS), "Core");
    fixture_divide(&w->f, d, fixture_list(&w->f, d, 0, HP5_IN_PLACE), 0, 0, HP5_BLOCK_COUNT, "block_count(a)", pick(2, 200), 0, -1, -1);
    const int to[] = {a, c, c, d};
    bool leader = pick(0, 1);
    w->holders = (Hp5Holders){.sources_alike = !leader || pick(0, 3) == 0, .all_destinations = pick(0, 3) > 0};
    w->movement = (Hp5Movement){.within = a, .from = leader ? a : b, .to = to[pick(0, 3)], .beyond = -1, .in_place = true};
    w->only.lo[0] = pick(0, 63), w->only.hi[0] = pick(w->only.lo[0], 64), w->only.lo[1] = 0, w->only.hi[1] = pick(1, 256);
    if (pick(0, 2) > 0) w->movement.only = &w->only;
}

static void open_segments(World *w) {
    w->ppus = hp5_threads_needed(&w->f.desc, w->f.level_counts);
    w->segments = (int)pick(1, w->ppus);
    for (int s = 1; s <= w->segments; s++) w->starts[s] = (int)pick(w->starts[s - 1] + 1, w->ppus - (w->segments - s));
    w->starts[w->segments] = w->ppus;
}

static void prepare_segments(World *w) {
    w->team = hp5_team_create(1, false); /* nothing runs */
    for (int s = 0; s < w->segments; s++) {
        Hp5Segments segments = {.count = w->segments, .me = s, .starts = w->starts};
        Hp5Receivers receivers = {0};
        w->runs[s] = hp5_run_prepare_segment(&w->f.desc, w->team, w->f.level_counts, NULL, (Hp5Span){w->starts[s], w->starts[s + 1] - w->starts[s]},
                                             w->f.args, w->f.items, NULL);
        const Hp5Lpu *parent = w->runs[s]->root.children[0].lpus;
        for (int tree = 0; tree < 2; tree++) (tree ? w->tree : w->flat)[s] = hp5_pattern_create(w->runs[s], &segments, w->movement, w->holders, parent);
        hp5_receivers_find(&receivers, w->runs[s], &segments, w->movement, w->holders, parent);
        hp5_pattern_replicate(&w->tree[s], &receivers, w->runs[s], &segments, w->movement, w->holders, parent);
        hp5_receivers_free(&receivers);
    }
}

static void end(World *w) {
    for (int s = 0; s < w->segments; s++) {
        hp5_pattern_free(&w->flat[s]);
        hp5_pattern_free(&w->tree[s]);
        hp5_run_release(w->runs[s]);
    }
    for (int a = 0; a < w->f.desc.array_count; a++) hp5_item_release(w->f.items[a]);
    hp5_team_destroy(w->team);
}

static int sends_to(const Hp5Pattern *pattern, int peer) {
    int count = 0;
    for (int i = 0; i < pattern->send_count; i++) count += pattern->sends[i].peer == peer;
    return count;
}

/* Steps from whoever has it; -1: it never comes. */
static int depth_of(const World *w, int s) {
    int depth = 0;
    for (; w->tree[s].receive_count > 0; s = w->tree[s].receives[0].peer)
        if (++depth > w->segments || sends_to(&w->tree[w->tree[s].receives[0].peer], s) != 1) return -1;
    return depth;
}

/* Elements of what a process sends to another. */
static int64_t elements_to(const Hp5Pattern *pattern, int peer) {
    for (int i = 0; i < pattern->send_count; i++)
        if (pattern->sends[i].peer == peer) return (pattern->sends[i].passed ? pattern->receives : &pattern->sends[i])->pieces.elements;
    return -1;
}

static int log_of(int count) {
    int steps = 0;
    while (1 << steps < count) steps++;
    return steps;
}

static bool is_tree(const World *w) {
    for (int s = 0; s < w->segments; s++)
        for (int i = 0; i < w->tree[s].send_count; i++)
            if (w->tree[s].sends[i].passed) return true;
    return false;
}

static void check(World *w) {
    int before = 0, after = 0, takers = 0;
    for (int s = 0; s < w->segments; s++) {
        const Hp5Pattern *flat = &w->flat[s], *tree = &w->tree[s];
        before += flat->send_count, after += tree->send_count, takers += flat->receive_count > 0;
        CU_ASSERT_EQUAL(tree->receive_count, flat->receive_count);
        for (int i = 0; i < flat->receive_count; i++) {
            CU_ASSERT_EQUAL(tree->receives[i].pieces.used, flat->receives[i].pieces.used);
            CU_ASSERT_EQUAL(tree->receives[i].pieces.elements, flat->receives[i].pieces.elements);
            CU_ASSERT_EQUAL(elements_to(&w->tree[tree->receives[i].peer], s), flat->receives[i].pieces.elements);
        }
        for (int i = 0; i < tree->send_count; i++) CU_ASSERT_EQUAL(tree->sends[i].passed, flat->receive_count > 0 && flat->send_count == 0);
    }
    CU_ASSERT_EQUAL(before, after);
    if (!is_tree(w)) return;
    w->trees = 1;
    for (int s = 0; s < w->segments; s++) {
        int depth = depth_of(w, s);
        CU_ASSERT(depth >= 0 && depth <= log_of(takers + 1));
        CU_ASSERT(w->tree[s].send_count <= log_of(takers + 1));
        if (depth > w->deepest) w->deepest = depth;
    }
}

static void test_trees(void) {
    int trees = 0, deepest = 0;
    for (int round = 0; round < 1000; round++) {
        static World w;
        begin(&w);
        open_segments(&w);
        prepare_segments(&w);
        check(&w);
        trees += w.trees;
        if (w.deepest > deepest) deepest = w.deepest;
        end(&w);
    }
    CU_ASSERT(trees > 100 && deepest >= 5);
    printf("\n    %d trees, up to %d steps deep ", trees, deepest);
}

/* Where messages take long to arrive, few short ones go to each directly, long ones down a tree. */
static void test_network(void) {
    static const Hp5MachineLevel machine[] = {{"Machine", 1, false, false}, {"Core", 12, true, false}};
    static const Hp5Figures slow[] = {{0}, {.latency = 50e-6, .bandwidth = 1e9}}, fast[] = {{0}, {.latency = 50e-9, .bandwidth = 1e9}};
    for (int round = 0; round < 3; round++) {
        static World w;
        memset(&w, 0, sizeof w);
        fixture_start(&w.f);
        fixture_array(&w.f, "row", &hp5_float64, 1, 1, false);
        int64_t lo[1] = {0}, extent[1] = {round == 2 ? 100000 : 10};
        w.f.items[0] = hp5_item_zeroed("row", &hp5_float64, 1, lo, extent);
        w.movement = (Hp5Movement){.within = fixture_lps(&w.f, "A", 0, 1, 1, "Machine"), .beyond = -1, .in_place = true};
        w.movement.from = w.movement.to = w.movement.within;
        fixture_list(&w.f, w.movement.within, 0, HP5_IN_PLACE);
        fixture_divide(&w.f, w.movement.within, 0, 0, 0, HP5_BLOCK_COUNT, "block_count(a)", 1, 0, -1, -1);
        fixture_lps(&w.f, "B", w.movement.within, 1, 12, "Core");
        w.f.desc.machine_level_count = 2;
        w.f.desc.machine_levels = machine;
        w.f.desc.machine_figures = round == 1 ? fast : slow;
        w.holders.all_destinations = true;
        w.ppus = w.segments = 12;
        for (int s = 0; s <= 12; s++) w.starts[s] = s;
        prepare_segments(&w);
        check(&w);
        CU_ASSERT_EQUAL(w.trees, round > 0);
        CU_ASSERT_EQUAL(w.flat[0].send_count, 11);
        end(&w);
    }
}

/* Six nodes of four processes: a row comes to each node once, and to everybody by way of few. */
static void test_nodes(void) {
    enum { NODES = 6, OF_NODE = 4, ALL = NODES * OF_NODE };
    static const Hp5MachineLevel machine[] = {{"Machine", 1, false, false}, {"Node", NODES, false, true}, {"Core", OF_NODE, true, false}};
    static const Hp5Figures figures[] = {{0}, {.latency = 50e-6, .bandwidth = 1.25e9}, {.latency = 1e-6, .bandwidth = 10e9}};
    static World w;
    memset(&w, 0, sizeof w);
    fixture_start(&w.f);
    fixture_array(&w.f, "row", &hp5_float64, 1, 1, false);
    int64_t lo[1] = {0}, extent[1] = {1000};
    w.f.items[0] = hp5_item_zeroed("row", &hp5_float64, 1, lo, extent);
    w.movement = (Hp5Movement){.within = fixture_lps(&w.f, "A", 0, 1, 1, "Machine"), .beyond = -1, .in_place = true};
    w.movement.from = w.movement.to = w.movement.within;
    fixture_list(&w.f, w.movement.within, 0, HP5_IN_PLACE);
    fixture_divide(&w.f, w.movement.within, 0, 0, 0, HP5_BLOCK_COUNT, "block_count(a)", 1, 0, -1, -1);
    fixture_lps(&w.f, "B", w.movement.within, 1, ALL, "Core");
    w.f.desc.machine_level_count = 3;
    w.f.desc.machine_levels = machine;
    w.f.desc.machine_figures = figures;
    w.holders.all_destinations = true;
    w.ppus = w.segments = ALL;
    for (int s = 0; s <= ALL; s++) w.starts[s] = s;
    hp5_comm_set_node_size(OF_NODE);
    prepare_segments(&w);
    hp5_comm_set_node_size(0);
    int between = 0, within = 0, most = 0;
    for (int s = 0; s < ALL; s++) {
        const Hp5Pattern *tree = &w.tree[s];
        CU_ASSERT(depth_of(&w, s) >= 0 && depth_of(&w, s) <= 4); /* two steps between nodes (radix 4), two in a node */
        for (int i = 0; i < tree->send_count; i++) *(tree->sends[i].peer / OF_NODE == s / OF_NODE ? &within : &between) += 1;
        if (tree->send_count > most) most = tree->send_count;
    }
    CU_ASSERT_EQUAL(between, NODES - 1);
    CU_ASSERT_EQUAL(within, ALL - NODES);
    CU_ASSERT_EQUAL(most, 6); /* the giver: nodes 1, 2, 3 and 4, and two processes of its own */
    end(&w);
}

static void test_freed(void) { CU_ASSERT_EQUAL(hp5_allocated_bytes(), 0); }

UNIT_MAIN("replicate", {"everybody gets it once, after few steps", test_trees}, {"by what messages cost", test_network}, {"by nodes", test_nodes}, {"everything is freed", test_freed})
