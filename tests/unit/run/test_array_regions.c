/* Regions against brute force: what products of sets have within boxes, what lists of them have in common, however many of them have become one, and that another
 * process gets the same ones. One mark stands for each element of a small array. */
#include "runtime/report/error.h"
#include "runtime/run/array_regions.h"
#include "tests/unit/unit.h"
#include <string.h>

enum { RANK = 2, WIDTH = 60 };

typedef struct Marks { int times[WIDTH][WIDTH]; } Marks;

static uint64_t state = 11;
static int64_t pick(int64_t from, int64_t to) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return from + (int64_t)(state >> 33) % (to - from + 1);
}

static Hp5Set random_set(Hp5Pool *pool) {
    Hp5Set set = hp5_interval(pick(0, WIDTH / 2), pick(WIDTH / 2, WIDTH));
    for (int64_t depth = pick(0, 3); depth > 0; depth--) {
        const Hp5PartFunction function = (Hp5PartFunction)pick(HP5_BLOCK_SIZE, HP5_BLOCK_STRIDE);
        const int64_t a = pick(1, 7), b = pick(1, 5), count = hp5_part_count(function, hp5_set_count(&set), a, b);
        if (count > 0) set = hp5_part(&set, function, a, b, pick(0, count - 1), pool);
    }
    return set;
}

static void mark_box(const Hp5Box *box, void *data) {
    Marks *marks = data;
    for (int64_t i = box->lo[0]; i < box->hi[0]; i++)
        for (int64_t j = box->lo[1]; j < box->hi[1]; j++) marks->times[i][j]++;
}

static void mark_of_store(const Hp5Store *store, const Hp5Box *box, void *data) {
    (void)store;
    mark_box(box, data);
}

static void mark_product(const Hp5Set *sets, const Hp5Box *within, Marks *marks) {
    for (int64_t i = within->lo[0]; i < within->hi[0]; i++)
        for (int64_t j = within->lo[1]; j < within->hi[1]; j++) marks->times[i][j] += hp5_set_contains(&sets[0], i) && hp5_set_contains(&sets[1], j);
}

static bool same(const Marks *a, const Marks *b) { return memcmp(a, b, sizeof *a) == 0; }

/* How many elements are marked in `a`, and not in `b`, or the other way round. */
static int64_t differing(const Marks *a, const Marks *b) {
    int64_t count = 0;
    for (int i = 0; i < WIDTH; i++)
        for (int j = 0; j < WIDTH; j++) count += (a->times[i][j] > 0) != (b->times[i][j] > 0);
    return count;
}

/* Products cut by boxes, some beside each other as LPUs have them. */
static Hp5Regions random_regions(const Hp5Store *store, Hp5Pool *pool, Marks *marks) {
    Hp5Regions regions = {.rank = RANK};
    for (int64_t n = pick(1, 12); n > 0; n--) {
        const Hp5Set whole[RANK] = {random_set(pool), random_set(pool)};
        const Hp5Box within = {{pick(0, 20), pick(0, 20)}, {pick(20, WIDTH), pick(20, WIDTH)}};
        const int64_t parts = hp5_part_count(HP5_STRIDE, hp5_set_count(&whole[0]), pick(1, 4), 0);
        for (int64_t p = pick(0, 1); p < parts; p++) {
            const Hp5Set sets[RANK] = {hp5_part(&whole[0], HP5_STRIDE, parts, 0, p, pool), whole[1]};
            hp5_regions_add(&regions, store, sets, &within);
            mark_product(sets, &within, marks);
        }
    }
    return regions;
}

static void test_within_boxes(void) {
    for (int round = 0; round < 3000; round++) {
        Hp5Pool pool = {0};
        Hp5Regions regions = {.rank = RANK};
        Marks expected = {0}, found = {0};
        const Hp5Set sets[RANK] = {random_set(&pool), random_set(&pool)};
        const Hp5Box within = {{pick(0, WIDTH), pick(0, WIDTH)}, {pick(0, WIDTH), pick(0, WIDTH)}};
        hp5_regions_add(&regions, NULL, sets, &within);
        hp5_regions_each_box(&regions, mark_of_store, &found);
        mark_product(sets, &within, &expected);
        CU_ASSERT_TRUE(same(&expected, &found));
        hp5_regions_free(&regions);
        hp5_pool_free(&pool);
    }
}

static int64_t count_of(const Hp5Set *sets) { return hp5_set_count(&sets[0]) * hp5_set_count(&sets[1]); }

typedef struct Found {
    const Hp5Regions *a, *b;
    int64_t at, pairs;
    Marks marks;
} Found;

static void add_common(int64_t region, void *data) {
    Found *found = data;
    const Hp5Set *a = hp5_region(found->a, found->at), *b = hp5_region(found->b, region);
    Marks marks = {0};
    Hp5Common common;
    for (hp5_common_begin(&common, a, b, RANK); hp5_common_next(&common);) mark_box(&common.box, &marks);
    int64_t elements = 0;
    for (int i = 0; i < WIDTH; i++)
        for (int j = 0; j < WIDTH; j++) {
            elements += marks.times[i][j];
            found->marks.times[i][j] += marks.times[i][j];
        }
    CU_ASSERT_EQUAL(elements, hp5_common_count(a, b, RANK));
    found->pairs += elements > 0;
}

/* As from one process to another: all pairs, once each. */
static void test_common(void) {
    for (int round = 0; round < 1500; round++) {
        Hp5Pool pool = {0};
        Hp5Store stores[2] = {0};
        Marks has = {0}, wants = {0}, in_both = {0};
        Hp5Regions a = random_regions(&stores[0], &pool, &wants), b = random_regions(&stores[1], &pool, &has);
        const int64_t length = hp5_regions_length(&b);
        int64_t *words = hp5_alloc(length * (int64_t)sizeof *words, "a test");
        hp5_regions_write(&b, words);
        Hp5Regions there = hp5_regions_of(words, length, RANK);
        CU_ASSERT_EQUAL_FATAL(there.count, b.count);
        for (int64_t i = 0; i < b.count; i++) CU_ASSERT_EQUAL(count_of(hp5_region(&there, i)), count_of(hp5_region(&b, i)));
        Hp5Sorted sorted = hp5_regions_sort(&there);
        Found found = {.a = &a, .b = &there};
        int64_t pairs = 0;
        for (; found.at < a.count; found.at++) {
            const Hp5Set *set = &hp5_region(&a, found.at)[sorted.dimension];
            hp5_sorted_find(&sorted, (Hp5Run){set->begin, set->end}, add_common, &found);
            for (int64_t k = 0; k < b.count; k++) pairs += hp5_common_count(hp5_region(&a, found.at), hp5_region(&b, k), RANK) > 0;
        }
        for (int i = 0; i < WIDTH; i++)
            for (int j = 0; j < WIDTH; j++) in_both.times[i][j] = has.times[i][j] > 0 && wants.times[i][j] > 0;
        CU_ASSERT_EQUAL(differing(&in_both, &found.marks), 0);
        CU_ASSERT_EQUAL(pairs, found.pairs);
        bool marks[200];
        CU_ASSERT_FATAL(there.count < 200);
        for (int64_t i = 0; i < there.count; i++) marks[i] = i % 2 == 1;
        const int64_t kept = there.count / 2, last = there.count > 1 ? count_of(hp5_region(&there, 1)) : 0;
        hp5_regions_keep(&there, marks);
        CU_ASSERT_EQUAL(there.count, kept);
        if (kept > 0) CU_ASSERT_EQUAL(count_of(hp5_region(&there, 0)), last);
        hp5_sorted_free(&sorted);
        hp5_regions_free(&a);
        hp5_regions_free(&b);
        hp5_regions_free(&there);
        hp5_pool_free(&pool);
    }
    CU_ASSERT_EQUAL(hp5_allocated_bytes(), 0);
}

/* Rows of few elements that are dealt out are as many regions as a process has LPUs, or one where these are neighbours; so are rows that LPUs have one by one. */
static void test_few(void) {
    enum { ROWS = 100000 };
    Hp5Store store = {0}, other = {0};
    Hp5Pool pool = {0};
    const Hp5Set all[RANK] = {hp5_interval(0, ROWS), hp5_interval(0, 3)};
    const Hp5Box within = {{0, 0}, {ROWS, 3}};
    Hp5Regions regions = {.rank = RANK}, rows = {.rank = RANK};
    for (int64_t p = 2; p < 4; p++) {
        const Hp5Set sets[RANK] = {hp5_part(&all[0], HP5_STRIDE, 6, 0, p, &pool), all[1]};
        hp5_regions_add(&regions, &store, sets, &within);
    }
    CU_ASSERT_EQUAL(regions.count, 1);
    CU_ASSERT_EQUAL(count_of(hp5_region(&regions, 0)), 2 * ((ROWS + 3) / 6) * 3);
    for (int64_t i = 1; i < ROWS; i += 5) hp5_regions_add_box(&rows, &store, &(Hp5Box){{i, 0}, {i + 1, 3}});
    CU_ASSERT_EQUAL(rows.count, 1);
    CU_ASSERT_EQUAL(count_of(hp5_region(&rows, 0)), ROWS / 5 * 3);
    hp5_regions_add_box(&rows, &other, &(Hp5Box){{ROWS, 0}, {ROWS + 1, 3}});
    CU_ASSERT_EQUAL(rows.count, 2);
    CU_ASSERT_FALSE(hp5_regions_equal(&rows, &regions));
    CU_ASSERT_PTR_NULL(pool.chunks);
    hp5_regions_free(&regions);
    hp5_regions_free(&rows);
    CU_ASSERT_EQUAL(hp5_allocated_bytes(), 0);
}

UNIT_MAIN("regions", {"within boxes", test_within_boxes}, {"in common", test_common}, {"few", test_few})
