/* Teams, barriers and signals, with as many threads as there are cores and with many more. */
#include "runtime/report/error.h"
#include "runtime/team/team.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <time.h>

enum { ROUNDS = 500, MOST = 64 };

typedef struct Shared {
    Hp5Group all, halves[2];
    int threads;
    int64_t slots[MOST]; /* plain memory: only the synchronisation under test orders it */
    int64_t sums[MOST];
    int64_t combined, wrong;
    Hp5Signal signals[MOST];
    _Atomic int64_t errors;
} Shared;

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

/* On machines that hwloc makes up, where binding does nothing: which hardware thread each thread would get. */
static void check_places(const char *machine, int first, int span, int second) {
    setenv("HWLOC_SYNTHETIC", machine, 1);
    Hp5Team *team = hp5_team_create_at(first, span, 2, 0, true);
    unsetenv("HWLOC_SYNTHETIC");
    if (hp5_team_place(team, 0) >= 0) { /* else this machine has one processor, and threads share it */
        CU_ASSERT_EQUAL(hp5_team_place(team, 0), first);
        CU_ASSERT_EQUAL(hp5_team_place(team, 1), second);
    }
    hp5_team_destroy(team);
}

static void test_places(void) {
    check_places("package:4 core:8 pu:1", 0, 32, 16);  /* one of 32 cores each half of the machine */
    check_places("package:4 core:8 pu:1", 8, 16, 16);  /* two sockets from core 8 on */
    check_places("package:4 core:8 pu:1", 8, 2, 9);    /* two cores */
    check_places("package:1 core:2 pu:1", 0, 32, 1);   /* a smaller machine than the model's: one core after the other */
    check_places("package:1 core:2 pu:2", 0, 4, 2);    /* a model of hardware threads: first and third */
    check_places("package:1 core:4 pu:1", 1, 0, 2);    /* a span that is not known */
    Hp5Team *team = hp5_team_create_at(0, 32, 2, 0, false);
    CU_ASSERT_EQUAL(hp5_team_place(team, 0), -1);
    hp5_team_destroy(team);
    team = hp5_team_imagine(4000);
    CU_ASSERT_EQUAL(hp5_team_size(team), 4000);
    hp5_team_destroy(team);
}

static void add_rank(int rank, void *data) { ((Shared *)data)->slots[rank] += rank + 1; }

static void test_run(void) {
    for (int threads = 1; threads <= 8; threads++) {
        Shared shared = {.threads = threads};
        Hp5Team *team = hp5_team_create(threads, threads % 2 == 0);
        CU_ASSERT_EQUAL(hp5_team_size(team), threads);
        for (int i = 0; i < 100; i++) hp5_team_run(team, add_rank, &shared);
        for (int t = 0; t < threads; t++) CU_ASSERT_EQUAL(shared.slots[t], 100 * (t + 1));
        hp5_team_destroy(team);
    }
}

/* Everybody writes, everybody reads all: wrong unless nobody leaves before everybody has arrived. */
static void barrier_rounds(int rank, void *data) {
    Shared *shared = data;
    for (int round = 0; round < ROUNDS; round++) {
        shared->slots[rank] = round + rank;
        hp5_barrier(&shared->all);
        int64_t sum = 0;
        for (int t = 0; t < shared->threads; t++) sum += shared->slots[t] - t;
        if (sum != (int64_t)round * shared->threads) atomic_fetch_add(&shared->errors, 1);
        hp5_barrier(&shared->all);
    }
}

static void test_barrier(void) {
    static const int sizes[] = {1, 2, 3, 8, 64};
    for (int i = 0; i < 5; i++) {
        Shared shared = {.threads = sizes[i]};
        Hp5Team *team = hp5_team_create(sizes[i], true);
        hp5_group_init(&shared.all, team, 0, sizes[i]);
        hp5_team_run(team, barrier_rounds, &shared);
        CU_ASSERT_EQUAL(atomic_load(&shared.errors), 0);
        hp5_team_destroy(team);
    }
}

static void combine(void *data) {
    Shared *shared = data;
    shared->combined = 0;
    for (int t = 0; t < shared->threads; t++) shared->combined += shared->slots[t];
}

static void combine_rounds(int rank, void *data) {
    Shared *shared = data;
    for (int round = 0; round < ROUNDS; round++) {
        shared->slots[rank] = round;
        hp5_barrier_then(&shared->all, combine, shared);
        if (shared->combined != (int64_t)round * shared->threads) atomic_fetch_add(&shared->errors, 1);
    }
}

static void test_barrier_then(void) {
    for (int threads = 1; threads <= 8; threads++) {
        Shared shared = {.threads = threads};
        Hp5Team *team = hp5_team_create(threads, false);
        hp5_group_init(&shared.all, team, 0, threads);
        hp5_team_run(team, combine_rounds, &shared);
        CU_ASSERT_EQUAL(atomic_load(&shared.errors), 0);
        hp5_team_destroy(team);
    }
}

/* Groups within a team meet without the others. */
static void half_rounds(int rank, void *data) {
    Shared *shared = data;
    Hp5Group *half = &shared->halves[rank >= shared->threads / 2];
    for (int round = 0; round < (half == &shared->halves[0] ? ROUNDS : ROUNDS / 2); round++) {
        shared->slots[rank] = round;
        hp5_barrier(half);
        for (int t = half->first; t < half->first + half->count; t++)
            if (shared->slots[t] != round) atomic_fetch_add(&shared->errors, 1);
        hp5_barrier(half);
    }
}

static void test_groups(void) {
    Shared shared = {.threads = 6};
    Hp5Team *team = hp5_team_create(6, false);
    hp5_group_init(&shared.halves[0], team, 0, 3);
    hp5_group_init(&shared.halves[1], team, 3, 3);
    hp5_team_run(team, half_rounds, &shared);
    CU_ASSERT_EQUAL(atomic_load(&shared.errors), 0);
    hp5_team_destroy(team);
}

/* A ring: each thread adds to what its left neighbour has handed on. */
static void signal_rounds(int rank, void *data) {
    Shared *shared = data;
    int left = (rank + shared->threads - 1) % shared->threads;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        if (rank > 0 || round > 1)
            hp5_signal_wait(&shared->signals[left], UINT32_MAX - 100 + (rank > 0 ? round : round - 1),
                            shared->all.spin);
        shared->combined++;
        shared->slots[rank] = shared->combined;
        hp5_signal_raise(&shared->signals[rank]);
    }
}

static void test_signals(void) {
    static const int sizes[] = {2, 3, 16};
    for (int i = 0; i < 3; i++) {
        Shared shared = {.threads = sizes[i]};
        Hp5Team *team = hp5_team_create(sizes[i], false);
        hp5_group_init(&shared.all, team, 0, sizes[i]);
        for (int t = 0; t < sizes[i]; t++)
            atomic_store(&shared.signals[t].value, UINT32_MAX - 100); /* wraps on the way */
        hp5_team_run(team, signal_rounds, &shared);
        CU_ASSERT_EQUAL(shared.combined, (int64_t)ROUNDS * sizes[i]);
        hp5_team_destroy(team);
    }
}

/* A fixed amount of work in 200 steps, shared by the threads: sharing cores costs, but not everything. */
static void work_steps(int rank, void *data) {
    Shared *shared = data;
    uint64_t sum = (uint64_t)rank; /* wraps */
    for (int step = 0; step < 200; step++) {
        for (int64_t i = 0; i < 2000000 / shared->threads; i++) sum = sum * 1664525 + 1013904223;
        hp5_barrier(&shared->all);
    }
    shared->sums[rank] = (int64_t)sum;
}

static double timed(int threads) {
    Shared shared = {.threads = threads};
    Hp5Team *team = hp5_team_create(threads, true);
    hp5_group_init(&shared.all, team, 0, threads);
    double start = seconds();
    hp5_team_run(team, work_steps, &shared);
    double time = seconds() - start;
    hp5_team_destroy(team);
    return time;
}

static void test_oversubscribed(void) {
    double two = timed(2), many = timed(64);
    printf("2 threads %.3f s, 64 threads %.3f s ", two, many);
    CU_ASSERT(many < 20 * two); /* generous: another program may run beside the test; usually below 2 */
}

static void test_freed(void) { CU_ASSERT_EQUAL(hp5_allocated_bytes(), 0); }

UNIT_MAIN("team", {"places", test_places}, {"work on every thread", test_run}, {"barrier", test_barrier},
          {"barrier with action", test_barrier_then}, {"groups", test_groups}, {"signals", test_signals},
          {"more threads than cores", test_oversubscribed}, {"everything is freed", test_freed})
