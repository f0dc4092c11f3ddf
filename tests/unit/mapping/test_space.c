/* Processor spaces: factorisations against brute force, transformations as bijections. */
#include "runtime/mapping/space.h"
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "tests/unit/unit.h"

static uint64_t state = 20240607;
static int64_t draw(int64_t low, int64_t high) {
    state = state * 6364136223846793005U + 1442695040888963407U;
    return low + (int64_t)((state >> 33) % (uint64_t)(high - low + 1));
}

/* ---- decompose ------------------------------------------------------------------------------- */
typedef struct Case {
    int64_t d, l[6], h[6], now[6], best[6];
    int k;
    uint32_t transpose;
    unsigned __int128 least;
} Case;

/* The cost times d * l_1 * … * l_k. */
static unsigned __int128 cost(const Case *c) {
    unsigned __int128 volume = (unsigned __int128)c->d, sum = 0;
    for (int m = 0; m < c->k; m++) volume *= (unsigned __int128)c->l[m];
    for (int m = 0; m < c->k; m++) {
        sum += volume / (unsigned __int128)c->l[m] * (unsigned __int128)(c->h[m] * c->now[m]);
        if (c->transpose >> m & 1) sum += volume - volume / (unsigned __int128)c->now[m];
    }
    return sum;
}

static void all(Case *c, int m, int64_t left) {
    if (m + 1 == c->k) {
        c->now[m] = left;
        unsigned __int128 sum = cost(c);
        if (sum < c->least || (sum == c->least && hp5_tuple_compare(hp5_tuple(c->k, c->now), hp5_tuple(c->k, c->best)) > 0)) {
            c->least = sum;
            memcpy(c->best, c->now, sizeof c->now);
        }
        return;
    }
    for (int64_t f = 1; f <= left; f++) {
        if (left % f != 0) continue;
        c->now[m] = f;
        all(c, m + 1, left / f);
    }
}

static void test_brute_force(void) {
    int differences = 0;
    for (int i = 0; i < 10000; i++) {
        Case c = {.k = (int)draw(1, 5), .least = ~(unsigned __int128)0};
        c.d = draw(1, c.k > 3 ? 144 : 1000);
        int64_t most = draw(0, 1) ? 12 : 4000;
        for (int m = 0; m < c.k; m++) {
            c.l[m] = draw(1, most);
            c.h[m] = i % 3 == 0 ? draw(0, 4) : 1;
        }
        c.transpose = i % 4 == 0 ? (uint32_t)draw(0, (1 << c.k) - 1) : 0;
        all(&c, 0, c.d);
        int64_t found[6];
        CU_ASSERT_FATAL(hp5_decompose(c.d, c.k, c.l, c.h, c.transpose, found));
        differences += memcmp(found, c.best, sizeof *found * (size_t)c.k) != 0;
    }
    CU_ASSERT_EQUAL(differences, 0);
}

static void expect(int64_t d, Hp5Tuple l, Hp5Tuple factors) {
    int64_t found[HP5_DECOMPOSE_DIMS];
    CU_ASSERT(hp5_decompose(d, l.count, l.at, NULL, 0, found));
    CU_ASSERT_EQUAL(hp5_tuple_compare(hp5_tuple(l.count, found), factors), 0);
}

static void test_known(void) {
    expect(6, HP5_TUPLE(12, 18), HP5_TUPLE(2, 3)); /* the examples of mapple.txt */
    expect(6, HP5_TUPLE(18, 12), HP5_TUPLE(3, 2));
    expect(16, HP5_TUPLE(4, 8, 4), HP5_TUPLE(2, 4, 2));
    expect(72, HP5_TUPLE(8, 9), HP5_TUPLE(8, 9));
    expect(4, HP5_TUPLE(1, 1), HP5_TUPLE(2, 2));
    expect(6, HP5_TUPLE(1, 1), HP5_TUPLE(3, 2)); /* a tie */
    expect(7, HP5_TUPLE(100, 1), HP5_TUPLE(7, 1));
    expect(12, HP5_TUPLE(5), HP5_TUPLE(12));
    expect(8, HP5_TUPLE(0, 1000), HP5_TUPLE(1, 8));
}

static void test_large(void) {
    static const int64_t ppus[] = {720720, 831600, 983040, 524288, 999983, 1000000};
    for (size_t i = 0; i < sizeof ppus / sizeof ppus[0]; i++) {
        const int64_t l[] = {(1LL << 40) - 1, 1, 1000003, (1LL << 39) + 7, 12, 99991};
        int64_t found[6], product = 1;
        struct timespec begin, end;
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
        CU_ASSERT(hp5_decompose(ppus[i], 6, l, NULL, 0, found));
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
        for (int m = 0; m < 6; m++) product *= found[m];
        CU_ASSERT_EQUAL(product, ppus[i]);
        double seconds = (double)(end.tv_sec - begin.tv_sec) + 1e-9 * (double)(end.tv_nsec - begin.tv_nsec);
        CU_ASSERT(seconds < 0.2); /* 10 ms without sanitizers */
        if (getenv("HP5_SHOW_TIMES")) printf("%lld PPUs: %.2f ms\n", (long long)ppus[i], seconds * 1e3);
    }
}

static void test_greedy(void) {
    int64_t found[3];
    hp5_greedy(6, 2, found);
    CU_ASSERT(found[0] == 3 && found[1] == 2);
    hp5_greedy(72, 2, found); /* 2 2 2 3 3: (2,1) (2,2) (4,2) (4,6) (12,6) */
    CU_ASSERT(found[0] == 12 && found[1] == 6);
    hp5_dims_create(72, 2, found); /* 3 3 2 2 2: (3,1) (3,3) (6,3) (6,6) (12,6) */
    CU_ASSERT(found[0] == 12 && found[1] == 6);
    hp5_dims_create(12, 2, found); /* 3 2 2: (3,1) (3,2) (3,4) */
    CU_ASSERT(found[0] == 4 && found[1] == 3);
    hp5_greedy(12, 2, found); /* 2 2 3: (2,1) (2,2) (6,2) */
    CU_ASSERT(found[0] == 6 && found[1] == 2);
    hp5_dims_create(1, 3, found);
    CU_ASSERT(found[0] == 1 && found[1] == 1 && found[2] == 1);
}

/* ---- Transformations ---------------------------------------------------------------------------- */
static Hp5Space random_step(Hp5Mapper *mapper, Hp5Space space) {
    int dims = space.size.count;
    int64_t i = draw(0, dims - 1), j = draw(0, dims - 1), k;
    switch (draw(0, 5)) {
    case 0:
        if (dims > 8) return space;
        for (k = draw(1, space.size.at[i]); space.size.at[i] % k != 0;) k--;
        return hp5_split(mapper, space, i, k);
    case 1: return i == j ? space : hp5_merge(mapper, space, i < j ? i : j, i < j ? j : i);
    case 2: return hp5_swap(mapper, space, i, j);
    case 3:
        k = draw(0, space.size.at[i] - 1);
        return draw(0, 3) > 0 ? space : hp5_slice(mapper, space, i, k, draw(k, space.size.at[i] - 1));
    case 4: return dims > 7 ? space : hp5_space_decompose(mapper, space, i, HP5_TUPLE(draw(1, 9), draw(1, 9)), HP5_TUPLE(draw(0, 2), 1), 0);
    default: return dims > 7 ? space : hp5_space_greedy(mapper, space, i, 2);
    }
}

static bool next(Hp5Tuple *index, const Hp5Tuple *size) {
    for (int d = size->count - 1; d >= 0; d--) {
        if (++index->at[d] < size->at[d]) return true;
        index->at[d] = 0;
    }
    return false;
}

/* Each index of the space is one PPU, found again from it; other PPUs are not in the space. */
static void check_bijection(Hp5Mapper *mapper, const Hp5Space *space) {
    int64_t total = 1, seen = 0;
    for (int d = 0; d < space->base.count; d++) total *= space->base.at[d];
    unsigned char *taken = calloc((size_t)total, 1);
    Hp5Tuple index = hp5_tuple_all(0, space->size), back;
    do {
        int64_t ppu = hp5_space_ppu(mapper, space, index);
        CU_ASSERT_FATAL(ppu >= 0 && ppu < total && !taken[ppu]);
        taken[ppu] = 1;
        seen++;
        CU_ASSERT(hp5_space_find(space, hp5_space_base(mapper, space, index), &back) && hp5_tuple_compare(back, index) == 0);
    } while (next(&index, &space->size));
    Hp5Tuple base = hp5_tuple_all(0, space->base);
    int64_t found = 0;
    do found += hp5_space_find(space, base, &back);
    while (next(&base, &space->base));
    CU_ASSERT_EQUAL(found, seen);
    free(taken);
}

static void test_chains(void) {
    for (int i = 0; i < 1000; i++) {
        Hp5Mapper mapper = {0};
        Hp5Space space = hp5_machine(&mapper, draw(0, 1) ? HP5_TUPLE(draw(1, 12), draw(1, 24)) : HP5_TUPLE(draw(1, 6), draw(1, 6), draw(1, 6)));
        for (int64_t steps = draw(0, 8); steps > 0; steps--) space = random_step(&mapper, space);
        check_bijection(&mapper, &space);
        CU_ASSERT_FALSE(mapper.failed);
    }
}

static void test_inverses(void) {
    Hp5Mapper mapper = {0};
    Hp5Space m = hp5_machine(&mapper, HP5_TUPLE(12, 4));
    Hp5Space same[] = {hp5_merge(&mapper, hp5_split(&mapper, m, 0, 3), 0, 1), hp5_swap(&mapper, hp5_swap(&mapper, m, 0, 1), 0, 1),
                       hp5_slice(&mapper, m, 0, 0, 11), hp5_split(&mapper, hp5_merge(&mapper, m, 0, 1), 0, 12)};
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        CU_ASSERT_EQUAL(hp5_tuple_compare(same[i].size, m.size), 0);
        Hp5Tuple index = HP5_TUPLE(7, 2);
        CU_ASSERT_EQUAL(hp5_tuple_compare(hp5_space_base(&mapper, &same[i], index), index), 0);
    }
    Hp5Space split = hp5_split(&mapper, m, 0, 3);
    CU_ASSERT_EQUAL(hp5_space_ppu(&mapper, &split, HP5_TUPLE(1, 2, 3)), (1 + 2 * 3) * 4 + 3);
    CU_ASSERT_FALSE(mapper.failed);
}

static void test_failures(void) {
    Hp5Mapper mapper = {0};
    Hp5Space m = hp5_machine(&mapper, HP5_TUPLE(2, 4));
    hp5_split(&mapper, m, 1, 3);
    CU_ASSERT_STRING_EQUAL(mapper.message, "split: 3 does not divide dimension 1, whose extent is 4");
    mapper = (Hp5Mapper){0};
    hp5_merge(&mapper, m, -1, 1);
    CU_ASSERT_STRING_EQUAL(mapper.message, "merge: there is no dimension -1 in a processor space of 2 dimensions (2, 4)");
    mapper = (Hp5Mapper){0};
    hp5_merge(&mapper, m, 1, 0);
    CU_ASSERT_STRING_EQUAL(mapper.message, "merge(1, 0): the first dimension must come before the second; swap them first");
    mapper = (Hp5Mapper){0};
    hp5_slice(&mapper, m, 1, 2, 4);
    CU_ASSERT_STRING_EQUAL(mapper.message, "slice: 2 to 4 is no part of dimension 1, which goes from 0 to 3");
    mapper = (Hp5Mapper){0};
    hp5_space_ppu(&mapper, &m, HP5_TUPLE(1, 4));
    CU_ASSERT_STRING_EQUAL(mapper.message, "index (1, 4) is outside the processor space (2, 4)");
    mapper = (Hp5Mapper){0};
    hp5_space_decompose(&mapper, m, 0, HP5_TUPLE(3, -1), (Hp5Tuple){0}, 0);
    CU_ASSERT_STRING_EQUAL(mapper.message, "decompose: the extent -1 is not between 0 and 1099511627776");
}

/* What is remembered of factors is not taken for other extents, another halo, or dimensions that are transposed. */
static void test_remembered(void) {
    Hp5Mapper mapper = {0};
    Hp5Space m = hp5_machine(&mapper, HP5_TUPLE(12));
    for (int round = 0; round < 2; round++)
        for (uint32_t transpose = 0; transpose < 4; transpose++)
            for (int64_t halo = 0; halo < 3; halo++) {
                Hp5Tuple extents = HP5_TUPLE(40, 36 + round), widths = HP5_TUPLE(1, halo);
                int64_t factors[2];
                CU_ASSERT_FATAL(hp5_decompose(12, 2, extents.at, widths.at, transpose, factors));
                Hp5Space space = hp5_space_decompose(&mapper, m, 0, extents, widths, transpose);
                CU_ASSERT_FALSE_FATAL(mapper.failed);
                CU_ASSERT(space.size.at[0] == factors[0] && space.size.at[1] == factors[1]);
            }
}

/* Other PPUs than the model has: the first extents stay where they can. */
static void expect_size(Hp5Space space, Hp5Tuple size) { CU_ASSERT_EQUAL(hp5_tuple_compare(space.size, size), 0); }

/* Machine(Socket, Core), Machine(Core) and Machine(Node, Core) on a machine that --machine has changed. */
static void test_machine_levels(void) {
    static const int counts[] = {1, 3, 2, 5}; /* Machine, Node, Socket, Core */
    Hp5Mapper mapper = {.ppus = 10, .counts = counts, .above = 1};
    expect_size(hp5_machine_levels(&mapper, HP5_TUPLE(4, 8), HP5_TUPLE(2, 3)), HP5_TUPLE(2, 5));
    expect_size(hp5_machine_levels(&mapper, HP5_TUPLE(1, 32), HP5_TUPLE(1, 3)), HP5_TUPLE(1, 10));
    mapper.above = 0;
    mapper.ppus = 30;
    expect_size(hp5_machine_levels(&mapper, HP5_TUPLE(2, 32), HP5_TUPLE(1, 3)), HP5_TUPLE(3, 10));
    mapper.ppus = 6; /* --threads 6 */
    expect_size(hp5_machine_levels(&mapper, HP5_TUPLE(2, 32), HP5_TUPLE(1, 3)), HP5_TUPLE(3, 2));
    mapper.counts = NULL;
    expect_size(hp5_machine_levels(&mapper, HP5_TUPLE(2, 32), HP5_TUPLE(1, 3)), HP5_TUPLE(2, 3));
    CU_ASSERT(!mapper.failed);
}

static void test_machine(void) {
    static const struct { int64_t ppus; int64_t extents[2]; } cases[] = {{8, {2, 4}}, {4, {2, 2}}, {3, {1, 3}}, {1, {1, 1}}, {10, {2, 5}}, {0, {2, 4}}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Hp5Mapper mapper = {.ppus = cases[i].ppus};
        Hp5Space m = hp5_machine(&mapper, HP5_TUPLE(2, 4));
        CU_ASSERT(m.size.at[0] == cases[i].extents[0] && m.size.at[1] == cases[i].extents[1]);
    }
}

UNIT_MAIN("processor spaces", {"levels of a machine", test_machine_levels}, {"decompose against brute force", test_brute_force}, {"known factorisations", test_known},
          {"a million PPUs in six dimensions", test_large}, {"greedy rules", test_greedy}, {"random chains are bijections", test_chains},
          {"inverses", test_inverses}, {"failures", test_failures}, {"machines of other sizes", test_machine},
          {"remembered factors", test_remembered})
