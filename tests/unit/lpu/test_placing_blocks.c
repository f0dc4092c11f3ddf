/* LPUs with padding go to PPUs in blocks: against a plain count of what crosses, and against hp5_decompose. */
#include "runtime/lpu/placing_blocks.h"
#include "runtime/run/private.h"
#include "tests/unit/run/task_fixture.h"
#include "tests/unit/unit.h"

static uint64_t state = 20251121;
static int64_t draw(int64_t low, int64_t high) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return low + (int64_t)((state >> 33) % (uint64_t)(high - low + 1));
}

enum { MOST_LEVELS = 3 };
typedef struct Case {
    Fixture f;
    Hp5MachineLevel machine[MOST_LEVELS + 1];
    int machine_level[2];
    Hp5PlaceDesc places[2];
    int dims, levels, ppus;
    int64_t parts[3], extent[3];
    Hp5TaskRun *run;
    Hp5Team *team;
    const Hp5Grid *grid;
} Case;

/* One array whose dimension j has parts[j] parts of 4 elements, without `missing[j]` of the last one's, and padding
 * `halo[j]` on both sides. */
static void begin_short(Case *c, int dims, const int64_t *parts, const int64_t *missing, const int64_t *halo, int levels, const int *counts,
                        bool blocks) {
    memset(c, 0, sizeof *c);
    Fixture *f = &c->f;
    int64_t lo[3] = {0};
    c->dims = dims;
    c->levels = levels;
    c->ppus = 1;
    fixture_start(f);
    fixture_array(f, "u", &hp5_float64, dims, 1, false);
    c->machine[0] = (Hp5MachineLevel){"Machine", 1, false, false};
    for (int l = 0; l < levels; l++) {
        c->machine[l + 1] = (Hp5MachineLevel){"Level", counts[l], false, false};
        c->ppus *= counts[l];
    }
    int a = fixture_lps(f, "A", 0, dims, c->ppus, "Level");
    int v = fixture_list(f, a, 0, HP5_IN_PLACE);
    for (int j = 0; j < dims; j++) {
        c->parts[j] = parts[j];
        c->extent[j] = parts[j] * 4 - missing[j];
        fixture_divide(f, a, v, j, j, HP5_BLOCK_SIZE, "block_size(k)", 4, 0, halo[j], halo[j]);
    }
    c->machine_level[1] = levels;
    f->desc.machine_level_count = levels + 1;
    f->desc.machine_levels = c->machine;
    f->desc.machine_level = c->machine_level;
    c->places[1].blocks = blocks;
    f->desc.places = c->places;
    f->items[0] = hp5_item_zeroed("u", &hp5_float64, dims, lo, c->extent);
    c->team = hp5_team_create(c->ppus, false);
    c->run = hp5_run_prepare(&f->desc, c->team, f->level_counts, f->args, f->items, NULL);
    c->grid = c->run->root.children;
}

static void begin(Case *c, int dims, const int64_t *parts, const int64_t *halo, int levels, const int *counts, bool blocks) {
    begin_short(c, dims, parts, (const int64_t[]){0, 0, 0}, halo, levels, counts, blocks);
}

static void end(Case *c) {
    hp5_run_release(c->run);
    hp5_team_destroy(c->team);
    hp5_item_release(c->f.items[0]);
}

static int64_t owner_of(const Case *c, int64_t number) { return hp5_lpu_span(&c->run->hidden->geometry, c->grid, number, (Hp5Span){0, c->ppus}).first; }

/* Elements of padding that LPUs take from LPUs on the other side of a boundary of each level, corners not counted. */
static void count_crossing(const Case *c, const int64_t *halo, int64_t *crossing) {
    for (int l = 0; l < MOST_LEVELS; l++) crossing[l] = 0;
    for (int64_t i = 0; i < c->grid->count; i++) {
        int64_t step = 1, rest = i;
        for (int j = c->dims - 1; j >= 0; step *= c->parts[j], rest /= c->parts[j], j--) {
            if (rest % c->parts[j] + 1 == c->parts[j]) continue;
            int64_t a = owner_of(c, i), b = owner_of(c, i + step), below = c->ppus, face = 2 * halo[j];
            for (int k = 0; k < c->dims; k++) face *= k == j ? 1 : 4;
            for (int l = 0; l < c->levels; l++) {
                below /= c->machine[l + 1].count;
                if (a / below == b / below) continue;
                crossing[l] += face;
                break;
            }
        }
    }
}

static void draw_case(int *dims, int64_t *parts, int64_t *halo, int *levels, int *counts) {
    *dims = (int)draw(2, 3);
    *levels = (int)draw(1, MOST_LEVELS);
    for (int j = 0; j < 3; j++) {
        parts[j] = draw(1, *dims == 2 ? 20 : 7);
        halo[j] = draw(0, 3);
    }
    for (int l = 0, all = 1; l < MOST_LEVELS; all *= counts[l++]) counts[l] = (int)draw(1, all < 6 ? 4 : 1);
}

/* Nobody has more LPUs than with runs, and no more bytes cross, the uppermost level first. */
static void test_never_worse(void) {
    int better = 0;
    for (int round = 0; round < 400; round++) {
        static Case blocks, runs;
        int dims, levels, counts[MOST_LEVELS];
        int64_t parts[3], halo[3], with[MOST_LEVELS], without[MOST_LEVELS];
        draw_case(&dims, parts, halo, &levels, counts);
        begin(&blocks, dims, parts, halo, levels, counts, true);
        begin(&runs, dims, parts, halo, levels, counts, false);
        int64_t load[64] = {0};
        for (int64_t i = 0; i < blocks.grid->count; i++) load[owner_of(&blocks, i)]++;
        for (int p = 0; p < blocks.ppus; p++)
            CU_ASSERT_EQUAL(load[p], blocks.grid->count / blocks.ppus + (p < blocks.grid->count % blocks.ppus));
        count_crossing(&blocks, halo, with);
        count_crossing(&runs, halo, without);
        int l = 0;
        while (l < levels && with[l] == without[l]) l++;
        CU_ASSERT(l == levels || with[l] < without[l]);
        better += l < levels;
        end(&blocks);
        end(&runs);
    }
    CU_ASSERT(better > 100);
}

/* Where the best factors divide the extents, what crosses is what hp5_decompose promises, on both levels. */
static void test_decompose(void) {
    static const struct { int64_t parts[2], halo[2]; int counts[2]; } cases[] = {
        {{12, 12}, {1, 1}, {4, 9}}, {{16, 16}, {1, 1}, {4, 8}}, {{16, 4}, {1, 1}, {2, 8}}, {{8, 8}, {3, 1}, {4, 2}}, {{24, 24}, {1, 2}, {6, 4}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        static Case c;
        begin(&c, 2, cases[i].parts, cases[i].halo, 2, cases[i].counts, true);
        int64_t blocks[2] = {1, 1}, crossing[MOST_LEVELS];
        count_crossing(&c, cases[i].halo, crossing);
        for (int l = 0; l < 2; l++) {
            int64_t factors[2], extent[2] = {c.extent[0] / blocks[0], c.extent[1] / blocks[1]}, expected = 0;
            CU_ASSERT_FATAL(hp5_decompose(cases[i].counts[l], 2, extent, cases[i].halo, 0, factors));
            for (int j = 0; j < 2; j++) expected += blocks[j] * (factors[j] - 1) * 2 * cases[i].halo[j] * c.extent[1 - j];
            CU_ASSERT_EQUAL(crossing[l], expected);
            for (int j = 0; j < 2; j++) blocks[j] *= factors[j];
        }
        end(&c);
    }
}

/* The whole table of 4 x 6 LPUs on 2 sockets of 3 cores: each socket has 4 x 3, which its cores take in runs of 4. */
static void test_table(void) {
    static Case c;
    static const int64_t parts[] = {4, 6}, halo[] = {1, 1};
    static const int counts[] = {2, 3};
    static const int expected[] = {0, 0, 0, 3, 3, 3, 0, 1, 1, 3, 4, 4, 1, 1, 2, 4, 4, 5, 2, 2, 2, 5, 5, 5};
    begin(&c, 2, parts, halo, 2, counts, true);
    for (int i = 0; i < 24; i++) CU_ASSERT_EQUAL(owner_of(&c, i), expected[i]);
    end(&c);
}

/* Four LPUs with one row of elements beside four with four: blocks of equally many LPUs would be unequal work, runs are
 * not. Where only a small part is missing the blocks stay. */
static void test_little_at_the_end(void) {
    static Case c;
    static const int64_t parts[] = {4, 2}, halo[] = {1, 1}, wide[] = {4, 8};
    static const int counts[] = {2};
    begin_short(&c, 2, parts, (const int64_t[]){0, 3}, halo, 1, counts, true);
    for (int i = 0; i < 8; i++) CU_ASSERT_EQUAL(owner_of(&c, i), i / 4);
    end(&c);
    begin_short(&c, 2, wide, (const int64_t[]){0, 3}, halo, 1, counts, true);
    for (int i = 0; i < 32; i++) CU_ASSERT_EQUAL(owner_of(&c, i), i % 8 / 4);
    end(&c);
}

/* Levels: those of the model between parent and LPS; fitted to other numbers of PPUs; one for a subset. */
static void test_levels(void) {
    static Case c;
    static const int64_t parts[] = {4, 4}, halo[] = {1, 1};
    static const int counts[] = {4, 8};
    int64_t extents[HP5_SPACE_DIMS];
    int levels[HP5_SPACE_DIMS];
    begin(&c, 2, parts, halo, 2, counts, true);
    CU_ASSERT_EQUAL(hp5_lps_levels(&c.run->hidden->geometry, 1, 32, extents, levels), 2);
    CU_ASSERT(extents[0] == 4 && extents[1] == 8 && levels[0] == 1 && levels[1] == 2);
    CU_ASSERT_EQUAL(hp5_lps_levels(&c.run->hidden->geometry, 1, 6, extents, levels), 2);
    CU_ASSERT(extents[0] == 3 && extents[1] == 2);
    int changed[] = {1, 2, 3};
    c.run->hidden->geometry.machine_counts = changed;
    CU_ASSERT_EQUAL(hp5_lps_levels(&c.run->hidden->geometry, 1, 6, extents, levels), 2);
    CU_ASSERT(extents[0] == 2 && extents[1] == 3);
    c.run->hidden->geometry.machine_counts = NULL;
    c.f.level_counts[1] = 6;
    CU_ASSERT_EQUAL(hp5_lps_levels(&c.run->hidden->geometry, 1, 6, extents, levels), 1);
    CU_ASSERT(extents[0] == 6 && levels[0] == 2);
    end(&c);
}

/* What has been found out for the last grid is not taken for one with other padding, of which both sides count. */
static void test_last_layout(void) {
    static Case c;
    static const int64_t parts[] = {4, 4}, halo[] = {1, 3};
    static const int counts[] = {2};
    int64_t args[6];
    Hp5Layouts last = {0};
    begin(&c, 2, parts, halo, 1, counts, true);
    Hp5Geometry *geometry = &c.run->hidden->geometry;
    int64_t *before = geometry->args;
    memcpy(args, before, sizeof args); /* block_size(k) padding(front, back) of each dimension */
    geometry->args = args;
    CU_ASSERT_PTR_NULL(hp5_grid_blocks(geometry, &c.run->root, c.grid, 2, &last));
    CU_ASSERT_PTR_NULL(hp5_grid_blocks(geometry, &c.run->root, c.grid, 2, &last));
    args[1] = 0, args[2] = 5, args[4] = 1, args[5] = 1; /* now a cut between rows costs more than one between columns */
    CU_ASSERT_PTR_NOT_NULL(hp5_grid_blocks(geometry, &c.run->root, c.grid, 2, &last));
    args[1] = 0, args[2] = 1, args[4] = 0, args[5] = 2;
    CU_ASSERT_PTR_NULL(hp5_grid_blocks(geometry, &c.run->root, c.grid, 2, &last));
    hp5_layouts_free(&last);
    geometry->args = before;
    end(&c);
}

UNIT_MAIN("placing_blocks", {"never more bytes or work than runs", test_never_worse}, {"as decompose", test_decompose}, {"a table", test_table},
          {"little at the end", test_little_at_the_end},
          {"levels", test_levels}, {"the last layout", test_last_layout})
