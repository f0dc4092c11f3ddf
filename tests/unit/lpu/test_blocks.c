/* Blocks of a grid: owners, lists and what crosses, by formula, against looking at every LPU. */
#include "runtime/lpu/blocks.h"
#include "runtime/lpu/geometry.h"
#include "runtime/report/error.h"
#include "tests/unit/unit.h"

static uint64_t state = 424243;
static int64_t pick(int64_t from, int64_t to) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return from + (int64_t)(state >> 33) % (to - from + 1);
}

/* Factors that need not be good ones: more blocks than LPUs in a dimension, too. */
static void random_blocks(Hp5Blocks *blocks) {
    *blocks = (Hp5Blocks){.dims = (int)pick(1, 3), .level_count = (int)pick(1, 3), .ppus = 1, .count = 1};
    for (int j = 0; j < blocks->dims; j++) blocks->count *= blocks->extent[j] = pick(1, blocks->dims == 3 ? 7 : 14);
    for (int l = 0; l < blocks->level_count; l++) {
        blocks->levels[l] = 1;
        for (int j = 0; j < blocks->dims; j++) blocks->levels[l] *= blocks->factors[l][j] = pick(1, blocks->ppus < 30 ? 3 : 1);
        blocks->ppus *= (int)blocks->levels[l];
    }
    hp5_blocks_fill(blocks, hp5_alloc(hp5_blocks_bytes(blocks), "blocks"));
}

static void release(Hp5Blocks *blocks) { hp5_free(blocks->cuts[0]); } /* the first of all */

/* The list has every LPU once, PPU after PPU, and blocks of the uppermost level are boxes. */
static void test_order(void) {
    for (int round = 0; round < 2000; round++) {
        Hp5Blocks blocks;
        int32_t list[2800], seen[2800] = {0}, part[2800];
        random_blocks(&blocks);
        hp5_blocks_list(&blocks, 0, blocks.count, list);
        bool right = true;
        for (int64_t i = 0; i < blocks.count; i++) {
            right = right && list[i] >= 0 && list[i] < blocks.count && seen[list[i]]++ == 0;
            right = right && hp5_blocks_owner(&blocks, list[i]) == hp5_ppu_of_run(i, blocks.count, blocks.ppus);
        }
        int64_t from = pick(0, blocks.count - 1), to = pick(from, blocks.count);
        hp5_blocks_list(&blocks, from, to, part);
        for (int64_t i = from; i < to; i++) right = right && part[i - from] == list[i];
        CU_ASSERT(right);
        release(&blocks);
    }
}

static int64_t count_crossing(const Hp5Blocks *blocks, int dim, int64_t group, bool runs) {
    int64_t step = 1, crossing = 0;
    for (int j = dim + 1; j < blocks->dims; j++) step *= blocks->extent[j];
    for (int64_t i = 0; i < blocks->count; i++) {
        if (i / step % blocks->extent[dim] + 1 == blocks->extent[dim]) continue;
        int64_t a = runs ? hp5_ppu_of_run(i, blocks->count, blocks->ppus) : hp5_blocks_owner(blocks, i);
        int64_t b = runs ? hp5_ppu_of_run(i + step, blocks->count, blocks->ppus) : hp5_blocks_owner(blocks, i + step);
        crossing += a / group != b / group;
    }
    return crossing;
}

static void test_crossing(void) {
    int64_t parted = 0;
    for (int round = 0; round < 2000; round++) {
        Hp5Blocks blocks;
        random_blocks(&blocks);
        int64_t group = blocks.ppus;
        for (int l = 0; l < blocks.level_count; l++) {
            group /= blocks.levels[l];
            for (int j = 0; j < blocks.dims; j++) {
                int64_t expected = count_crossing(&blocks, j, group, false);
                CU_ASSERT_EQUAL(hp5_blocks_crossing(&blocks, j, group), expected);
                CU_ASSERT_EQUAL(hp5_runs_crossing(&blocks, j, group), count_crossing(&blocks, j, group, true));
                parted += expected;
            }
        }
        release(&blocks);
    }
    CU_ASSERT(parted > 100000);
}

/* 9 x 4 LPUs on 2 sockets of 2 cores: the first socket has 5 rows, of which its cores take columns; runs of 9 LPUs cut the
 * blocks of 10, 10, 8 and 8. */
static void test_uneven(void) {
    Hp5Blocks blocks = {.dims = 2, .level_count = 2, .ppus = 4, .count = 36, .extent = {9, 4}, .levels = {2, 2}, .factors = {{2, 1}, {1, 2}}};
    static const int expected[] = {0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 1, 1, 0, 1, 2, 2, 2, 2, 3, 3, 2, 2, 3, 3, 2, 2, 3, 3, 2, 3, 3, 3};
    hp5_blocks_fill(&blocks, hp5_alloc(hp5_blocks_bytes(&blocks), "blocks"));
    for (int i = 0; i < 36; i++) CU_ASSERT_EQUAL(hp5_blocks_owner(&blocks, i), expected[i]);
    release(&blocks);
}

static void test_freed(void) { CU_ASSERT_EQUAL(hp5_allocated_bytes(), 0); }

UNIT_MAIN("blocks", {"order and owners", test_order}, {"what crosses", test_crossing}, {"an uneven grid", test_uneven},
          {"everything is freed", test_freed})
