/* Index sets against brute force: thousands of random chains of parts of parts, and
 * intersections, differences and unions of what they leave. The oracle (Marks) is one bit
 * for each index and follows the partition table of language.md 3.1 word by word. */
#include <stdlib.h>
#include <string.h>
#include "runtime/array/index_set.h"
#include "runtime/report/error.h"
#include "tests/unit/unit.h"

enum { LOW = -40, HIGH = 260, WIDTH = HIGH - LOW };

typedef struct Marks { bool in[WIDTH]; } Marks;

static uint64_t state = 88172645463325252u;
static int64_t pick(int64_t low, int64_t high) { /* low … high */
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return low + (int64_t)(state % (uint64_t)(high - low + 1));
}

/* ---- The oracle ------------------------------------------------------------------ */

static Marks marks_interval(int64_t begin, int64_t end) {
    Marks marks = {0};
    for (int64_t i = begin; i < end; i++) marks.in[i - LOW] = true;
    return marks;
}

static int64_t marks_list(const Marks *marks, int64_t *indices) {
    int64_t n = 0;
    for (int64_t i = 0; i < WIDTH; i++)
        if (marks->in[i]) indices[n++] = i + LOW;
    return n;
}

static bool position_in_part(Hp5PartFunction function, int64_t n, int64_t a, int64_t b, int64_t p, int64_t x) {
    int64_t count = hp5_part_count(function, n, a, b);
    switch (function) {
    case HP5_REPLICATED: return true;
    case HP5_BLOCK_SIZE: return x / a == p;
    case HP5_STRIDE: return x % a == p;
    case HP5_BLOCK_STRIDE: return x / a % b == p;
    case HP5_BLOCK_COUNT:
        for (int64_t part = 0, at = 0; part < count; part++) {
            int64_t length = n / count + (part < n % count ? 1 : 0);
            if (x < at + length) return part == p;
            at += length;
        }
    }
    return false;
}

static Marks marks_part(const Marks *parent, Hp5PartFunction function, int64_t a, int64_t b, int64_t p) {
    int64_t indices[WIDTH], n = marks_list(parent, indices);
    Marks part = {0};
    for (int64_t x = 0; x < n; x++)
        if (position_in_part(function, n, a, b, p, x)) part.in[indices[x] - LOW] = true;
    return part;
}

/* ---- Agreement ---------------------------------------------------------------------- */

static void check_questions(const Hp5Set *set, const Marks *marks) {
    int64_t indices[WIDTH], n = marks_list(marks, indices), wrong = 0;
    CU_ASSERT_EQUAL_FATAL(hp5_set_count(set), n);
    if (n > 0) {
        CU_ASSERT_EQUAL(set->begin, indices[0]);
        CU_ASSERT_EQUAL(set->end, indices[n - 1] + 1);
    } else {
        CU_ASSERT_EQUAL(set->begin, set->end);
    }
    for (int64_t i = LOW; i < HIGH; i++) wrong += hp5_set_contains(set, i) != marks->in[i - LOW];
    for (int64_t x = 0; x < n; x++) wrong += hp5_set_at(set, x) != indices[x];
    for (int64_t i = LOW, rank = 0; i < HIGH; rank += marks->in[i - LOW], i++) wrong += hp5_set_rank(set, i) != rank;
    CU_ASSERT_EQUAL_FATAL(wrong, 0);
}

static void check_runs(const Hp5Set *set, const Marks *marks) {
    int64_t runs = 0, wrong = 0;
    for (int64_t i = LOW; i < HIGH; i++) {
        if (!marks->in[i - LOW] || (i > LOW && marks->in[i - 1 - LOW])) continue;
        int64_t end = i;
        while (end < HIGH && marks->in[end - LOW]) end++;
        if (runs >= hp5_set_run_count(set)) {
            wrong++;
            break;
        }
        Hp5Run run = hp5_set_run(set, runs++);
        wrong += run.begin != i || run.end != end;
    }
    CU_ASSERT_EQUAL_FATAL(wrong, 0);
    CU_ASSERT_EQUAL_FATAL(runs, hp5_set_run_count(set));
    for (int64_t i = LOW - 3; i < HIGH + 3; i++) {
        int64_t k = 0;
        while (k < runs && hp5_set_run(set, k).end <= i) k++;
        wrong += hp5_set_find_run(set, i) != k;
    }
    CU_ASSERT_EQUAL_FATAL(wrong, 0);
    if (runs <= 1) CU_ASSERT_TRUE(hp5_set_is_interval(set));
}

static void check(const Hp5Set *set, const Marks *marks) {
    check_questions(set, marks);
    check_runs(set, marks);
}

/* ---- Uneven lists ---------------------------------------------------------------------------- */

/* Runs that lie nowhere near where they would if all were alike: gaps that grow, and shrink, and one that is larger than all else. */
static void test_uneven_lists(void) {
    enum { RUNS = 300 };
    static Hp5Run runs[RUNS];
    for (int shape = 0; shape < 4; shape++) {
        int64_t at = -7000, wrong = 0;
        for (int k = 0; k < RUNS; k++) {
            const int64_t gaps[] = {5, 1 + (int64_t)k * k, 1 + (int64_t)(RUNS - k) * (RUNS - k), k == 1 ? (int64_t)1 << 60 : 2};
            at += gaps[shape];
            runs[k] = (Hp5Run){at, at + 1 + k % 3};
            at = runs[k].end;
        }
        const Hp5Set set = {.begin = runs[0].begin, .end = runs[RUNS - 1].end, .runs = runs, .run_count = RUNS};
        for (int k = 0; k < RUNS; k++) {
            wrong += hp5_set_find_run(&set, runs[k].begin) != k || hp5_set_find_run(&set, runs[k].end - 1) != k;
            wrong += hp5_set_find_run(&set, runs[k].end) != k + 1 || hp5_set_find_run(&set, runs[k].begin - 1) != k;
        }
        CU_ASSERT_EQUAL(wrong, 0);
    }
}

/* ---- Random chains --------------------------------------------------------------------- */

typedef struct Both { Hp5Set set; Marks marks; } Both;

static Both random_part(const Both *parent, Hp5Pool *pool, bool every_part) {
    int64_t n = hp5_set_count(&parent->set);
    Hp5PartFunction function = (Hp5PartFunction)pick(HP5_BLOCK_SIZE, HP5_BLOCK_STRIDE);
    int64_t a = pick(1, pick(0, 5) == 0 ? n + 3 : 7), b = pick(1, 6);
    if (pick(0, 40) == 0) a = INT64_MAX - pick(0, 3);
    int64_t count = hp5_part_count(function, n, a, b);
    CU_ASSERT_TRUE_FATAL(count >= 1 && count <= n);
    if (every_part) {
        Marks seen = {0};
        for (int64_t p = 0; p < count; p++) {
            Hp5Set part = hp5_part(&parent->set, function, a, b, p, pool);
            Marks marks = marks_part(&parent->marks, function, a, b, p);
            check(&part, &marks);
            for (int i = 0; i < WIDTH; i++) seen.in[i] = seen.in[i] || marks.in[i];
        }
        CU_ASSERT_EQUAL(memcmp(&seen, &parent->marks, sizeof seen), 0);
    }
    int64_t p = pick(0, count - 1);
    return (Both){hp5_part(&parent->set, function, a, b, p, pool),
                  marks_part(&parent->marks, function, a, b, p)};
}

static Both random_chain(Hp5Pool *pool, int64_t levels, bool every_part) {
    int64_t begin = pick(LOW, 60), end = begin + pick(1, HIGH - begin);
    Both both = {hp5_interval(begin, end), marks_interval(begin, end)};
    for (int64_t level = 0; level < levels; level++) {
        both = random_part(&both, pool, every_part);
        check(&both.set, &both.marks);
    }
    return both;
}

static void test_parts_of_parts(void) {
    for (int round = 0; round < 3000; round++) {
        Hp5Pool pool = {0};
        random_chain(&pool, 1 + round % 4, round % 3 == 0);
        hp5_pool_free(&pool);
    }
}

static void test_intersection_and_difference(void) {
    for (int round = 0; round < 6000; round++) {
        Hp5Pool pool = {0};
        Both a = random_chain(&pool, pick(0, 3), false), b = random_chain(&pool, pick(0, 3), false);
        Marks both = {0}, rest = {0};
        for (int i = 0; i < WIDTH; i++) {
            both.in[i] = a.marks.in[i] && b.marks.in[i];
            rest.in[i] = a.marks.in[i] && !b.marks.in[i];
        }
        Hp5Set common = hp5_set_intersect(&a.set, &b.set, &pool), less = hp5_set_difference(&a.set, &b.set, &pool);
        check(&common, &both);
        check(&less, &rest);
        Hp5Set again = hp5_set_intersect(&b.set, &a.set, &pool), nothing = hp5_set_intersect(&less, &common, &pool);
        CU_ASSERT_TRUE(hp5_set_equal(&common, &again));
        CU_ASSERT_EQUAL(hp5_set_count(&nothing), 0);
        Hp5Set back = hp5_set_difference(&a.set, &less, &pool);
        CU_ASSERT_TRUE(hp5_set_equal(&back, &common));
        bool same = memcmp(&a.marks, &b.marks, sizeof a.marks) == 0;
        CU_ASSERT_EQUAL(hp5_set_equal(&a.set, &b.set), same);
        hp5_pool_free(&pool);
    }
}

static void check_union(const Both *a, const Both *b, Hp5Pool *pool) {
    Marks any = {0};
    for (int i = 0; i < WIDTH; i++) any.in[i] = a->marks.in[i] || b->marks.in[i];
    Hp5Set all = hp5_set_union(&a->set, &b->set, pool), again = hp5_set_union(&b->set, &a->set, pool);
    check(&all, &any);
    CU_ASSERT_TRUE(hp5_set_equal(&all, &again));
}

/* Of any sets, and of parts beside each other, one after the other, as a process collects those of its LPUs. */
static void test_union(void) {
    for (int round = 0; round < 6000; round++) {
        Hp5Pool pool = {0};
        Both a = random_chain(&pool, pick(0, 3), false), b = random_chain(&pool, pick(0, 3), false);
        check_union(&a, &b, &pool);
        Hp5PartFunction function = (Hp5PartFunction)pick(HP5_BLOCK_SIZE, HP5_BLOCK_STRIDE);
        int64_t x = pick(1, 7), y = pick(1, 6), n = hp5_set_count(&a.set), count = hp5_part_count(function, n, x, y);
        Both joined = {hp5_interval(LOW, LOW), {{0}}};
        for (int64_t p = pick(0, count - 1); p < count; p++) {
            Both part = {hp5_part(&a.set, function, x, y, p, &pool), marks_part(&a.marks, function, x, y, p)};
            check_union(&joined, &part, &pool);
            for (int i = 0; i < WIDTH; i++) joined.marks.in[i] |= part.marks.in[i];
            joined.set = hp5_set_union(&joined.set, &part.set, &pool);
        }
        hp5_pool_free(&pool);
    }
}

/* A set that joins another one is their union; what lies beside it, goes on where it ends or is its next block does. */
static void check_join(const Both *a, const Both *b, bool joins) {
    Hp5Set joined;
    Marks any = {0};
    for (int i = 0; i < WIDTH; i++) any.in[i] = a->marks.in[i] || b->marks.in[i];
    const bool found = hp5_set_join(&a->set, &b->set, &joined);
    if (found) check(&joined, &any);
    CU_ASSERT_TRUE(found || !joins);
}

static void test_join(void) {
    for (int round = 0; round < 6000; round++) {
        Hp5Pool pool = {0};
        Both a = random_chain(&pool, pick(0, 3), false), b = random_chain(&pool, pick(0, 3), false);
        Both sum = {hp5_interval(LOW, LOW), {{0}}};
        if (a.set.begin < a.set.end && b.set.begin < b.set.end) check_join(&a, &b, false);
        for (int64_t k = 0, count = hp5_set_run_count(&a.set); k < count; k++) { /* run by run: whatever has a closed form is one again */
            const Hp5Run run = hp5_set_run(&a.set, k);
            const Both next = {hp5_interval(run.begin, run.end), marks_interval(run.begin, run.end)};
            if (k == 0) sum = next;
            else check_join(&sum, &next, a.set.runs == NULL);
            for (int i = 0; i < WIDTH; i++) sum.marks.in[i] |= next.marks.in[i];
            sum.set = hp5_set_union(&sum.set, &next.set, &pool);
        }
        Hp5Set common;
        if (hp5_set_common(&a.set, &b.set, &common)) {
            const Hp5Set same = hp5_set_intersect(&b.set, &a.set, &pool);
            CU_ASSERT_TRUE(hp5_set_equal(&common, &same));
        }
        hp5_pool_free(&pool);
    }
    for (int64_t shift = 1; shift < 4; shift++) { /* two blocks beside four are no set of longer blocks */
        Hp5Pool pool = {0};
        const Hp5Set all = hp5_interval(0, 16), some = hp5_interval(shift, shift + 8);
        Both four = {hp5_part(&all, HP5_STRIDE, 4, 0, 0, &pool), {{0}}}, two = {hp5_part(&some, HP5_STRIDE, 4, 0, 0, &pool), {{0}}};
        for (int64_t i = 0; i < 16; i++) four.marks.in[i - LOW] = i % 4 == 0, two.marks.in[i - LOW] = i % 4 == shift && i < 8;
        check_join(&four, &two, false);
        check_union(&four, &two, &pool);
        hp5_pool_free(&pool);
    }
}

static void test_padding(void) {
    for (int round = 0; round < 2000; round++) {
        int64_t n = pick(1, 120), size = pick(1, 30), begin = pick(LOW, 20), front = pick(0, 9), back = pick(0, 9);
        if (pick(0, 20) == 0) front = INT64_MAX;
        if (pick(0, 20) == 0) back = INT64_MAX;
        Hp5Set parent = hp5_interval(begin, begin + n);
        int64_t p = pick(0, hp5_part_count(HP5_BLOCK_SIZE, n, size, 0) - 1);
        Hp5Set part = hp5_part(&parent, HP5_BLOCK_SIZE, size, 0, p, NULL);
        Hp5Set padded = hp5_part_padded(&part, &parent, front, back);
        int64_t low = begin + p * size, high = low + size < begin + n ? low + size : begin + n;
        low = front > low - begin ? begin : low - front;
        high = back > begin + n - high ? begin + n : high + back;
        CU_ASSERT_EQUAL(padded.begin, low);
        CU_ASSERT_EQUAL(padded.end, high);
        CU_ASSERT_TRUE(hp5_set_is_interval(&padded));
    }
}

/* ---- The table, in numbers -------------------------------------------------------------- */

static void test_counts(void) {
    CU_ASSERT_EQUAL(hp5_part_count(HP5_BLOCK_SIZE, 10, 3, 0), 4);
    CU_ASSERT_EQUAL(hp5_part_count(HP5_BLOCK_SIZE, 10, INT64_MAX, 0), 1);
    CU_ASSERT_EQUAL(hp5_part_count(HP5_BLOCK_COUNT, 10, 4, 0), 4);
    CU_ASSERT_EQUAL(hp5_part_count(HP5_BLOCK_COUNT, 3, 8, 0), 3);
    CU_ASSERT_EQUAL(hp5_part_count(HP5_STRIDE, 10, 4, 0), 4);
    CU_ASSERT_EQUAL(hp5_part_count(HP5_STRIDE, 2, 4, 0), 2);
    CU_ASSERT_EQUAL(hp5_part_count(HP5_STRIDE, 10, 0, 3), 3); /* stride(): the PPU count comes as b */
    CU_ASSERT_EQUAL(hp5_part_count(HP5_BLOCK_STRIDE, 10, 3, 2), 2);
    CU_ASSERT_EQUAL(hp5_part_count(HP5_BLOCK_STRIDE, 10, 5, 7), 2);
    CU_ASSERT_EQUAL(hp5_part_count(HP5_REPLICATED, 10, 0, 0), 1);
    CU_ASSERT_EQUAL(hp5_part_count(HP5_BLOCK_COUNT, 0, 8, 0), 0);
}

static void check_range(Hp5Set set, int64_t begin, int64_t end) {
    CU_ASSERT_EQUAL(set.begin, begin);
    CU_ASSERT_EQUAL(set.end, end);
    CU_ASSERT_TRUE(hp5_set_is_interval(&set));
}

static void test_block_count_lengths(void) {
    Hp5Set ten = hp5_interval(100, 110); /* 10 over 4: 3 3 2 2 */
    check_range(hp5_part(&ten, HP5_BLOCK_COUNT, 4, 0, 0, NULL), 100, 103);
    check_range(hp5_part(&ten, HP5_BLOCK_COUNT, 4, 0, 1, NULL), 103, 106);
    check_range(hp5_part(&ten, HP5_BLOCK_COUNT, 4, 0, 2, NULL), 106, 108);
    check_range(hp5_part(&ten, HP5_BLOCK_COUNT, 4, 0, 3, NULL), 108, 110);
}

/* Closed forms: parts of 2^40 indices, divided three times over, cost no memory. */
static void test_huge_extents(void) {
    Hp5Pool pool = {0};
    Hp5Set all = hp5_interval(0, (int64_t)1 << 40);
    Hp5Set a = hp5_part(&all, HP5_STRIDE, 6, 0, 2, &pool), b = hp5_part(&all, HP5_STRIDE, 10, 0, 4, &pool);
    Hp5Set common = hp5_set_intersect(&a, &b, &pool); /* 14, 44, 74 … */
    CU_ASSERT_EQUAL(common.begin, 14);
    CU_ASSERT_EQUAL(common.stride, 30);
    Hp5Set blocks = hp5_part(&all, HP5_BLOCK_STRIDE, 64, 8, 3, &pool);
    Hp5Set inner = hp5_part(&blocks, HP5_BLOCK_STRIDE, 64, 4, 1, &pool);
    Hp5Set half = hp5_part(&inner, HP5_BLOCK_COUNT, 2, 0, 1, &pool);
    CU_ASSERT_EQUAL(inner.stride, 64 * 32);
    CU_ASSERT_EQUAL(hp5_set_count(&half), ((int64_t)1 << 40) / 64);
    Hp5Set other = hp5_part(&all, HP5_BLOCK_STRIDE, 64, 8, 4, &pool);
    Hp5Set nothing = hp5_set_intersect(&blocks, &other, &pool);
    CU_ASSERT_EQUAL(hp5_set_count(&nothing), 0);
    Hp5Set both = hp5_set_union(&other, &blocks, &pool);
    CU_ASSERT_EQUAL(both.block, 128);
    CU_ASSERT_EQUAL(hp5_set_count(&both), ((int64_t)1 << 40) / 4);
    CU_ASSERT_PTR_NULL(pool.chunks);
    hp5_pool_free(&pool);
}

static void test_long_run_lists(void) {
    Hp5Pool pool = {0};
    Hp5Set all = hp5_interval(0, 100000), evens = hp5_part(&all, HP5_STRIDE, 2, 0, 0, &pool);
    Hp5Set blocks = hp5_part(&evens, HP5_BLOCK_STRIDE, 3, 2, 1, &pool); /* positions 3-5, 9-11 … of the evens */
    CU_ASSERT_EQUAL(hp5_set_at(&blocks, 0), 6);
    CU_ASSERT_EQUAL(hp5_set_at(&blocks, 3), 18);
    CU_ASSERT_EQUAL(hp5_set_run_count(&blocks), hp5_set_count(&blocks));
    Hp5Set others = hp5_set_difference(&evens, &blocks, &pool);
    CU_ASSERT_EQUAL(hp5_set_count(&others) + hp5_set_count(&blocks), 50000);
    Hp5Set again = hp5_set_difference(&evens, &others, &pool);
    CU_ASSERT_TRUE(hp5_set_equal(&again, &blocks));
    hp5_pool_free(&pool);
    CU_ASSERT_EQUAL(hp5_allocated_bytes(), 0);
}

UNIT_MAIN("index sets", {"part counts", test_counts}, {"block_count lengths", test_block_count_lengths},
          {"parts of parts", test_parts_of_parts},
          {"intersection and difference", test_intersection_and_difference}, {"union", test_union}, {"join", test_join}, {"padding", test_padding},
          {"huge extents", test_huge_extents}, {"long run lists", test_long_run_lists}, {"uneven lists", test_uneven_lists})
