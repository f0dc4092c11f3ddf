/* LPU trees against the partition table of the language, index by index; messages; level counts; a million
 * LPUs. */
#include "tests/unit/run/task_fixture.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static uint64_t random_state = 99991;
static int64_t pick(int64_t from, int64_t to) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return from + (int64_t)(random_state >> 33) % (to - from + 1);
}

/* ---- The partition table, written down again ------------------------------------------------------ */

enum { MOST_INDICES = 64 };
typedef struct List {
    int64_t at[MOST_INDICES];
    int count;
    int64_t own_first, own_last;
} List;

static int64_t naive_count(Hp5PartFunction function, int64_t n, int64_t a, int64_t b) {
    if (n == 0) return 0;
    int64_t blocks = (n + a - 1) / (a > 0 ? a : 1);
    switch (function) {
    case HP5_BLOCK_SIZE: return blocks;
    case HP5_BLOCK_COUNT: return a < n ? a : n;
    case HP5_STRIDE: return a < n ? a : n;
    case HP5_BLOCK_STRIDE: return b < blocks ? b : blocks;
    default: return 1;
    }
}

static int64_t naive_owner(Hp5PartFunction function, int64_t n, int64_t a, int64_t b, int64_t position) {
    int64_t count = naive_count(function, n, a, b);
    switch (function) {
    case HP5_BLOCK_SIZE: return position / a;
    case HP5_STRIDE: return position % count;
    case HP5_BLOCK_STRIDE: return position / a % b;
    default: break;
    }
    for (int64_t p = 0, begin = 0;; p++) {
        begin += n / count + (p < n % count);
        if (position < begin) return p;
    }
}

static List naive_part(const List *parent, const Hp5DimDesc *dim, int64_t a, int64_t b, int64_t p,
                       int64_t front, int64_t back) {
    List part = {.own_first = INT64_MIN};
    bool taken[MOST_INDICES] = {false};
    for (int i = 0; i < parent->count; i++) {
        if (naive_owner(dim->function, parent->count, a, b, i) != p) continue;
        if (part.own_first == INT64_MIN) part.own_first = parent->at[i];
        part.own_last = parent->at[i];
        for (int64_t k = i - front; k <= i + back; k++)
            if (k >= 0 && k < parent->count) taken[k] = true;
    }
    for (int i = 0; i < parent->count; i++)
        if (taken[i]) part.at[part.count++] = parent->at[i];
    return part;
}

/* ---- Random nests -------------------------------------------------------------------------------------- */

typedef struct Nest {
    Fixture f;
    Hp5TaskRun *run;
    int64_t flat[FIXTURE_LPSES];
    int mismatches;
    int lpus;
} Nest;

static int64_t arg_of(const Nest *nest, int index, int64_t absent) {
    return index == HP5_NO_ARG ? absent : nest->f.args[index];
}

static void compare_view(Nest *nest, const Hp5View *view, const List *lists) {
    for (int d = 0; d < 2; d++) {
        bool same = hp5_set_count(&view->part[d]) == lists[d].count;
        for (int i = 0; i < lists[d].count; i++)
            same = same && hp5_set_contains(&view->part[d], lists[d].at[i]);
        if (lists[d].count > 0)
            same =
                same && view->own[d].begin == lists[d].own_first && view->own[d].end == lists[d].own_last + 1;
        if (!same) nest->mismatches++;
    }
}

/* Divides `lists` (the nearest holder's part) for every LPU of a grid and goes down. */
static void compare_grid(Nest *nest, const Hp5Lpu *parent, int lps, int slot, const List *lists) {
    const Hp5LpsDesc *desc = &nest->f.lpses[lps];
    const Hp5Grid *grid = &parent->children[slot];
    bool listed = desc->var_count > 0;
    int64_t count = 1;
    for (int j = 0; j < desc->dims; j++) {
        const Hp5DimDesc *dim = &nest->f.dims[lps][0][j];
        int64_t parts = 1;
        if (listed && dim->function != HP5_REPLICATED)
            parts = naive_count(dim->function, lists[dim->array_dimension].count,
                                arg_of(nest, dim->argument[0], nest->f.level_counts[lps]),
                                arg_of(nest, dim->argument[1], nest->f.level_counts[lps]));
        if (grid->extent[j] != parts) nest->mismatches++;
        count *= parts;
    }
    if (grid->count != count) nest->mismatches++;
    for (int64_t i = 0; i < grid->count; i++) {
        const Hp5Lpu *lpu = &grid->lpus[i];
        List mine[2] = {lists[0], lists[1]};
        int64_t rest = i;
        nest->lpus++;
        if (lpu->parent != parent || lpu->number != i || lpu->flat != nest->flat[lps]++) nest->mismatches++;
        for (int d = 0; d < 2; d++) {
            mine[d].own_first = mine[d].count > 0 ? mine[d].at[0] : 0;
            mine[d].own_last = mine[d].count > 0 ? mine[d].at[mine[d].count - 1] : -1;
        }
        for (int j = desc->dims - 1; j >= 0; j--) {
            int64_t p = rest % grid->extent[j];
            rest /= grid->extent[j];
            if (hp5_lpu_id(lpu, j, "t", 1) != p) nest->mismatches++;
            const Hp5DimDesc *dim = &nest->f.dims[lps][0][j];
            if (!listed || dim->function == HP5_REPLICATED) continue;
            int d = dim->array_dimension;
            mine[d] = naive_part(&lists[d], dim, arg_of(nest, dim->argument[0], nest->f.level_counts[lps]),
                                 arg_of(nest, dim->argument[1], nest->f.level_counts[lps]), p,
                                 arg_of(nest, dim->front, 0), arg_of(nest, dim->back, 0));
        }
        if (listed) compare_view(nest, &lpu->views[0], mine);
        int child = 0;
        for (int y = lps + 1; y < nest->f.desc.lps_count; y++)
            if (nest->f.lpses[y].parent == lps) compare_grid(nest, lpu, y, child++, mine);
    }
}

static void random_division(Fixture *f, int lps, int v, int j, int d) {
    switch (pick(0, 6)) {
    case 0: break;
    case 1: fixture_divide(f, lps, v, j, d, HP5_BLOCK_SIZE, "block_size(a)", pick(1, 9), 0, -1, -1); break;
    case 2:
        fixture_divide(f, lps, v, j, d, HP5_BLOCK_SIZE, "block_size(a)", pick(1, 9), 0, pick(0, 3),
                       pick(0, 3));
        break;
    case 3:
        fixture_divide(f, lps, v, j, d, HP5_BLOCK_COUNT, "block_count(a)", pick(1, 6), 0, pick(0, 4),
                       pick(0, 2));
        break;
    case 4: fixture_divide(f, lps, v, j, d, HP5_STRIDE, "stride(a)", pick(0, 5), 0, -1, -1); break;
    case 5:
        fixture_divide(f, lps, v, j, d, HP5_BLOCK_STRIDE, "block_stride(a, b)", pick(1, 4), pick(0, 4), -1,
                       -1);
        break;
    default:
        fixture_divide(f, lps, v, j, d, HP5_BLOCK_COUNT, "block_count(a)", pick(1, 40), 0, -1, -1);
        break;
    }
}

static void test_random_nests(void) {
    int lpus = 0;
    for (int round = 0; round < 400; round++) {
        Nest nest = {0};
        fixture_start(&nest.f);
        fixture_array(&nest.f, "a", &hp5_float64, 2, 1, false);
        int64_t lo[2] = {pick(-3, 3), pick(0, 2)}, extent[2] = {pick(0, 30) ? pick(1, 30) : 0, pick(1, 30)};
        int depth = (int)pick(1, 4);
        for (int x = 1; x <= depth; x++) {
            int lps = fixture_lps(&nest.f, "X", (int)pick(0, x - 1), 2, (int)pick(1, 4), "Core");
            nest.f.lpses[lps].sub_partition = pick(0, 4) == 0;
            if (pick(0, 5) == 0) continue; /* does not list it: one LPU */
            int v = fixture_list(&nest.f, lps, 0, HP5_IN_PLACE);
            random_division(&nest.f, lps, v, 0, 0);
            random_division(&nest.f, lps, v, 1, 1);
        }
        nest.f.items[0] = hp5_item_zeroed("a", &hp5_float64, 2, lo, extent);
        Hp5Team *team = hp5_team_create(1, false);
        nest.run = hp5_run_prepare(&nest.f.desc, team, nest.f.level_counts, nest.f.args, nest.f.items, NULL);
        List whole[2] = {{{0}, 0, 0, 0}, {{0}, 0, 0, 0}};
        for (int d = 0; d < 2; d++)
            for (int64_t i = 0; i < extent[d]; i++) whole[d].at[whole[d].count++] = lo[d] + i;
        int child = 0;
        for (int y = 1; y < nest.f.desc.lps_count; y++)
            if (nest.f.lpses[y].parent == 0) compare_grid(&nest, &nest.run->root, y, child++, whole);
        CU_ASSERT_EQUAL(nest.mismatches, 0);
        lpus += nest.lpus;
        hp5_run_release(nest.run);
        hp5_item_release(nest.f.items[0]);
        hp5_team_destroy(team);
    }
    CU_ASSERT(lpus > 10000);
}

/* ---- Messages --------------------------------------------------------------------------------------------
 */

/* What `work` says on stderr, and its exit status. */
static int outcome(void (*work)(void), char *text, size_t size) {
    int ends[2], status;
    if (pipe(ends) != 0) return -1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        dup2(ends[1], 2);
        close(ends[0]);
        close(ends[1]);
        work();
        _exit(0);
    }
    close(ends[1]);
    size_t used = 0;
    ssize_t n;
    while (used + 1 < size && (n = read(ends[0], text + used, size - 1 - used)) > 0) used += (size_t)n;
    text[used] = 0;
    close(ends[0]);
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void expect(void (*work)(void), const char *message) {
    char text[2000];
    CU_ASSERT_EQUAL(outcome(work, text, sizeof text), HP5_EXIT_USAGE);
    bool same = strcmp(text, message) == 0;
    CU_ASSERT(same);
    if (!same) printf("\nfound    %sexpected %s", text, message);
}

static void prepare_two(int64_t a, int64_t b, int64_t padding) {
    Fixture f;
    fixture_start(&f);
    int x = fixture_array(&f, "x", &hp5_float64, 1, 1, false),
        y = fixture_array(&f, "y", &hp5_float64, 1, 1, false);
    int lps = fixture_lps(&f, "A", 0, 1, 2, "Core");
    fixture_divide(&f, lps, fixture_list(&f, lps, x, HP5_IN_PLACE), 0, 0, HP5_BLOCK_SIZE, "block_size(k)", a,
                   0, padding, padding);
    fixture_divide(&f, lps, fixture_list(&f, lps, y, HP5_IN_PLACE), 0, 0, HP5_BLOCK_COUNT, "block_count(l)",
                   b, 0, -1, -1);
    f.arg_names[0] = "k";
    f.arg_names[1] = "p";
    f.arg_names[3] = "l";
    int64_t lo = 0, extent = 10, other = 12;
    f.items[0] = hp5_item_zeroed("x", &hp5_float64, 1, &lo, &extent);
    f.items[1] = hp5_item_zeroed("y", &hp5_float64, 1, &lo, &other);
    hp5_run_prepare(&f.desc, hp5_team_create(1, false), f.level_counts, f.args, f.items, NULL);
}

static void disagree(void) { prepare_two(3, 5, 0); }
static void negative_argument(void) { prepare_two(-2, 5, 0); }
static void negative_padding(void) {
    Fixture f;
    fixture_start(&f);
    int x = fixture_array(&f, "x", &hp5_float64, 1, 1, false), lps = fixture_lps(&f, "A", 0, 1, 2, "Core");
    fixture_divide(&f, lps, fixture_list(&f, lps, x, HP5_IN_PLACE), 0, 0, HP5_BLOCK_SIZE, "block_size(k)", 2,
                   0, 1, 1);
    f.args[1] = -1;
    f.arg_names[1] = "p";
    int64_t lo = 0, extent = 10;
    f.items[0] = hp5_item_zeroed("x", &hp5_float64, 1, &lo, &extent);
    hp5_run_prepare(&f.desc, hp5_team_create(1, false), f.level_counts, f.args, f.items, NULL);
}

static void test_messages(void) {
    expect(disagree, "program: task Test, Space A: all variables must have the same number of parts in "
                     "dimension 1 of the Space, but "
                     "x (dimension 1: 10 indices, block_size(k) with k = 3) has 4 parts and "
                     "y (dimension 1: 12 indices, block_count(l) with l = 5) has 5 parts\n");
    expect(negative_argument, "program: task Test, Space A: the partition argument k of block_size(k) for x "
                              "is -2; it must be at least 1\n");
    expect(
        negative_padding,
        "program: task Test, Space A: the padding p of block_size(k) for x is -1; it must not be negative\n");
}

/* ---- Level counts
 * --------------------------------------------------------------------------------------------- */

/* Root – A (Node, 4) – B (Core, 8); Root – C (Core, 32); B has a sub-partition. */
static void levels_fixture(Fixture *f) {
    fixture_start(f);
    int a = fixture_lps(f, "A", 0, 1, 4, "Node"), b = fixture_lps(f, "B", a, 1, 8, "Core");
    fixture_lps(f, "C", 0, 1, 32, "Core");
    f->lpses[fixture_lps(f, "S", b, 1, 1, "Core")].sub_partition = true;
}

static void expect_levels(const char *machine, int64_t threads, int a, int b, int c, int needed) {
    Fixture f;
    int counts[FIXTURE_LPSES];
    levels_fixture(&f);
    hp5_level_counts(&f.desc, machine, threads, counts);
    CU_ASSERT_EQUAL(counts[0], 1);
    CU_ASSERT_EQUAL(counts[1], a);
    CU_ASSERT_EQUAL(counts[2], b);
    CU_ASSERT_EQUAL(counts[3], c);
    CU_ASSERT_EQUAL(counts[4], 1);
    CU_ASSERT_EQUAL(hp5_threads_needed(&f.desc, counts), needed);
}

static void bad_level(void) { expect_levels("Socket=2", 0, 0, 0, 0, 0); }
static void bad_count(void) { expect_levels("Core=0", 0, 0, 0, 0, 0); }
static void bad_form(void) { expect_levels("Core", 0, 0, 0, 0, 0); }

static void test_levels(void) {
    expect_levels(NULL, 0, 4, 8, 32, 32);
    expect_levels("Node=2,Core=3", 0, 2, 3, 3, 6);
    expect_levels(NULL, 1, 1, 1, 1, 1);
    expect_levels(NULL, 2, 2, 1, 2, 2);
    expect_levels(NULL, 3, 3, 1, 3, 3);
    expect_levels(NULL, 8, 4, 2, 8, 8);
    expect_levels(NULL, 7, 1, 7, 7, 7);
    expect_levels(NULL, 64, 4, 16, 64, 64);
    expect(bad_level,
           "program: --machine: no Space of task Test is mapped to a level 'Socket'; it uses Node, Core\n");
    expect(bad_count, "program: --machine: the count of Core is '0', expected a number from 1 to 4096\n");
    expect(bad_form,
           "program: --machine: found 'Core', expected LEVEL=COUNT, as in --machine Core=4,Node=2\n");
}

/* With the model's levels known, also those between the mapped ones count. */
static void expect_machine(const char *machine, int a, int b, int c) {
    static const Hp5MachineLevel levels[] = {{"Machine", 1, false, false}, {"Node", 4, false, false}, {"Socket", 2, false, false}, {"Core", 4, false, false}};
    static const int level[FIXTURE_LPSES] = {0, 1, 3, 3, 3};
    Fixture f;
    int counts[FIXTURE_LPSES];
    levels_fixture(&f);
    f.desc.machine_level_count = 4;
    f.desc.machine_levels = levels;
    f.desc.machine_level = level;
    hp5_level_counts(&f.desc, machine, 0, counts);
    CU_ASSERT_EQUAL(counts[1], a);
    CU_ASSERT_EQUAL(counts[2], b);
    CU_ASSERT_EQUAL(counts[3], c);
    CU_ASSERT_EQUAL(counts[4], 1);
}

static void no_level(void) { expect_machine("Rack=2", 0, 0, 0); }

static void test_machine_levels(void) {
    expect_machine("Machine=1", 4, 8, 32);
    expect_machine("Socket=1", 4, 4, 16);
    expect_machine("Core=2,Node=3", 3, 4, 12);
    expect_machine("Core=1000,Node=1000", 1000, 2000, 4096);
    expect(no_level, "program: --machine: the model of the machine has no level 'Rack'; it has Machine, Node, Socket, Core\n");
}

/* `unit` and `segment`: which levels they are, -1: none. */
static int processes_of_node(int unit, int segment, const char *machine) {
    static const char *const names[] = {"Machine", "Node", "Socket", "Core"};
    Hp5MachineLevel levels[4];
    Hp5TaskDesc desc = {.name = "Test", .machine_level_count = 4, .machine_levels = levels};
    for (int l = 0; l < 4; l++) levels[l] = (Hp5MachineLevel){names[l], 1 + 2 * l, l == segment, l == unit};
    return hp5_node_processes(&desc, machine);
}

static void test_nodes(void) {
    CU_ASSERT_EQUAL(processes_of_node(1, 3, NULL), 35);
    CU_ASSERT_EQUAL(processes_of_node(1, 2, NULL), 5);
    CU_ASSERT_EQUAL(processes_of_node(1, 1, NULL), 1);
    CU_ASSERT_EQUAL(processes_of_node(1, 3, "Socket=2"), 14);
    CU_ASSERT_EQUAL(processes_of_node(2, 1, NULL), 0);
    CU_ASSERT_EQUAL(processes_of_node(-1, 3, NULL), 0);
    CU_ASSERT_EQUAL(processes_of_node(1, -1, NULL), 0);
}

/* Every thread is in one group of each LPS, groups nest, and siblings differ by at most one thread. */
static void test_groups(void) {
    for (int threads = 1; threads <= 9; threads++) {
        Fixture f;
        levels_fixture(&f);
        int counts[] = {1, 3, 2, 5, 1};
        Hp5Team *team = hp5_team_create(threads, false);
        Hp5TaskRun *run = hp5_run_prepare(&f.desc, team, counts, f.args, f.items, NULL);
        int taking_part = threads < 6 ? threads : 6;
        for (int t = 0; t < taking_part; t++) {
            const Hp5Worker *w = &run->workers[t];
            CU_ASSERT_EQUAL(w->groups[0]->count, taking_part);
            for (int x = 1; x < f.desc.lps_count; x++) {
                const Hp5Group *mine = w->groups[x], *above = w->groups[f.lpses[x].parent];
                CU_ASSERT(mine->first <= t && t < mine->first + mine->count);
                CU_ASSERT(above->first <= mine->first &&
                          mine->first + mine->count <= above->first + above->count);
                CU_ASSERT(w->position[x] < w->positions[x]);
                int even = above->count / w->positions[x];
                CU_ASSERT(mine->count == even || mine->count == even + 1);
            }
            CU_ASSERT_PTR_EQUAL(w->groups[4], w->groups[2]);
        }
        hp5_run_release(run);
        hp5_team_destroy(team);
    }
}

/* ---- A million
 * -------------------------------------------------------------------------------------------------- */

static void test_million(void) {
    Fixture f;
    fixture_start(&f);
    int64_t lo[2] = {0, 0}, extent[2] = {4000, 4000}, before = hp5_allocated_bytes();
    static const char *const names[] = {"a", "b", "c"};
    int a = fixture_lps(&f, "A", 0, 2, 2, "Core"), b = fixture_lps(&f, "B", a, 2, 1, "Core");
    for (int n = 0; n < 3; n++) {
        int array = fixture_array(&f, names[n], &hp5_float64, 2, 1, false);
        f.items[n] = hp5_item_zeroed(names[n], &hp5_float64, 2, lo, extent);
        int v = fixture_list(&f, a, array, HP5_IN_PLACE), u = fixture_list(&f, b, array, HP5_IN_PLACE);
        for (int j = 0; j < 2; j++) {
            fixture_divide(&f, a, v, j, j, HP5_BLOCK_SIZE, "block_size(k)", 400, 0, -1, -1);
            fixture_divide(&f, b, u, j, j, HP5_BLOCK_SIZE, "block_size(l)", 4, 0, -1, -1);
        }
    }
    f.lpses[b].scalars_size = 16;
    Hp5Team *team = hp5_team_create(2, false);
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    Hp5TaskRun *run = hp5_run_prepare(&f.desc, team, f.level_counts, f.args, f.items, NULL);
    clock_gettime(CLOCK_MONOTONIC, &end);
    int64_t lpus = run->root.children[0].count * run->root.children[0].lpus[0].children[0].count;
    double each = (double)(hp5_allocated_bytes() - before) / (double)lpus;
    CU_ASSERT_EQUAL(lpus, 1000000);
    CU_ASSERT(each <= 1024);
    printf("%lld LPUs: %.3f s, %.0f bytes each ", (long long)lpus,
           (double)(end.tv_sec - start.tv_sec) + (double)(end.tv_nsec - start.tv_nsec) * 1e-9, each);
    hp5_run_release(run);
    for (int n = 0; n < 3; n++) hp5_item_release(f.items[n]);
    hp5_team_destroy(team);
}

static void test_freed(void) { CU_ASSERT_EQUAL(hp5_allocated_bytes(), 0); }

UNIT_MAIN("lpus", {"random nests against the partition table", test_random_nests},
          {"messages", test_messages}, {"level counts", test_levels}, {"groups of threads", test_groups},
          {"counts of the model's levels", test_machine_levels}, {"processes of a node", test_nodes}, {"a million LPUs", test_million}, {"everything is freed", test_freed})
