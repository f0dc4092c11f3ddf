/* The order of executions in several address spaces: the same whatever takes how long, data before those who want them, and
 * priorities as far as data let them. */
#include "runtime/run/schedule.h"
#include "runtime/run/turns.h"
#include "tests/unit/run/task_fixture.h"
#include "tests/unit/unit.h"
#include <pthread.h>
#include <unistd.h>

static uint64_t state = 5;
static int64_t pick(int64_t from, int64_t to) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return from + (int64_t)(state >> 33) % (to - from + 1);
}

/* ---- By themselves --------------------------------------------------------------------------------------- */

enum { MOST = 40 };
typedef struct Batch {
    int count;
    int64_t priority[MOST];
    unsigned data[MOST]; /* bits */
} Batch;

static bool share(int a, int b, void *data) { return (((const Batch *)data)->data[a] & ((const Batch *)data)->data[b]) != 0; }

static void test_order(void) {
    for (int round = 0; round < 500; round++) {
        Batch batch = {.count = (int)pick(0, MOST)};
        int order[MOST], turn[MOST];
        for (int i = 0; i < batch.count; i++) {
            batch.priority[i] = pick(0, 3);
            batch.data[i] = 1u << pick(0, 9) | 1u << pick(0, 9);
        }
        hp5_turns(batch.count, batch.priority, share, &batch, order);
        for (int i = 0; i < batch.count; i++) turn[i] = -1;
        for (int t = 0; t < batch.count; t++) turn[order[t]] = t;
        for (int b = 0; b < batch.count; b++) {
            CU_ASSERT(turn[b] >= 0);
            for (int a = 0; a < b; a++) {
                if (share(a, b, &batch)) CU_ASSERT(turn[a] < turn[b]);
                if (turn[b] > turn[a]) continue;
                /* b overtakes a: it is more urgent, or than somebody whom a waits for */
                bool urgent = batch.priority[b] > batch.priority[a];
                for (int c = 0; c < a && !urgent; c++) urgent = turn[c] > turn[b] && share(c, a, &batch);
                CU_ASSERT(urgent);
            }
        }
    }
}

static void test_table(void) {
    /* 0 and 1 share data; 2 is urgent and has data of 1; 3 has nothing to do with them; 4 is more urgent than 3 */
    Batch batch = {5, {0, 0, 9, 1, 5}, {1, 3, 2, 4, 8}};
    static const int expected[] = {4, 3, 0, 1, 2};
    int order[MOST];
    hp5_turns(batch.count, batch.priority, share, &batch, order);
    for (int t = 0; t < 5; t++) CU_ASSERT_EQUAL(order[t], expected[t]);
}

/* ---- In schedules that take different times --------------------------------------------------------------------- */

enum { TASKS = 4, PPUS = 2, EXECUTIONS = 60, ITEMS = 6, RUNS = 4 };
static Fixture tasks[TASKS];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t started[PPUS][EXECUTIONS];
static int started_count[PPUS];
static uint64_t delays; /* of this run of the program */

static void flow(Hp5Worker *w) {
    pthread_mutex_lock(&lock);
    for (int64_t p = w->run->desc->ppu_first; p < w->run->desc->ppu_end; p++) started[p][started_count[p]++] = *(const int64_t *)w->run->globals;
    uint64_t delay = delays = delays * 6364136223846793005u + 1442695040888963407u;
    pthread_mutex_unlock(&lock);
    usleep((unsigned)(delay >> 60) * 60);
}

/* Tasks 0 and 1 have PPUs of their own, 2 and 3 those of both. */
static void make_tasks(void) {
    static const int64_t first[TASKS] = {0, 1, 0, 0}, end[TASKS] = {1, 2, 2, 2}, priority[TASKS] = {0, 2, 5, 1};
    for (int t = 0; t < TASKS; t++) {
        Fixture *f = &tasks[t];
        fixture_start(f);
        f->desc.name = "T";
        for (int a = 0; a < 2; a++) fixture_array(f, "v", &hp5_int64, 1, 1, false);
        f->desc.ppu_first = first[t];
        f->desc.ppu_end = end[t];
        f->desc.priority = priority[t];
    }
}

static void run_program(int spaces, uint64_t seed) {
    static const Hp5Options options = {.threads = 1};
    const Hp5TaskDesc *descs[TASKS];
    Hp5Launch launches[TASKS];
    Hp5Item *items[ITEMS];
    int64_t environments[EXECUTIONS];
    delays = seed;
    state = 99; /* the same program each time */
    memset(started_count, 0, sizeof started_count);
    for (int t = 0; t < TASKS; t++) {
        descs[t] = &tasks[t].desc;
        launches[t] = (Hp5Launch){descs[t], flow, NULL, NULL};
    }
    for (int i = 0; i < ITEMS; i++) items[i] = hp5_item_zeroed("v", &hp5_int64, 1, (const int64_t[]){0}, (const int64_t[]){4});
    Hp5Schedule *schedule = hp5_schedule_create(&options);
    hp5_schedule_tasks(schedule, descs, TASKS);
    hp5_schedule_spaces(schedule, spaces);
    for (int64_t e = 0; e < EXECUTIONS; e++) {
        int t = (int)pick(0, TASKS - 1), a = (int)pick(0, ITEMS - 1), b = (a + (int)pick(1, ITEMS - 1)) % ITEMS;
        int64_t *values = hp5_alloc(sizeof *values, "values");
        *values = e;
        hp5_schedule_execute(schedule, &launches[t], tasks[t].args, (Hp5Item *[]){items[a], items[b]}, values, &environments[e]);
        if (seed % 2 == 1) usleep(1000); /* a coordinator that is slower than its tasks */
        if (e % 17 == 16) hp5_schedule_wait(schedule, &environments[e - 3]);
    }
    hp5_schedule_wait(schedule, NULL);
    hp5_schedule_destroy(schedule);
    for (int i = 0; i < ITEMS; i++) hp5_item_release(items[i]);
}

static void test_schedules(void) {
    int64_t first[PPUS][EXECUTIONS];
    bool overtaken = false;
    make_tasks();
    for (int run = 0; run < RUNS; run++) {
        run_program(2, (uint64_t)run * 12345);
        CU_ASSERT(started_count[0] > 20 && started_count[1] > 20);
        for (int p = 0; p < PPUS; p++) {
            for (int i = 0; run > 0 && i < started_count[p]; i++) CU_ASSERT_EQUAL(started[p][i], first[p][i]);
            for (int i = 1; i < started_count[p]; i++) overtaken = overtaken || started[p][i] < started[p][i - 1];
        }
        memcpy(first, started, sizeof first);
    }
    CU_ASSERT(overtaken);
}

static void test_freed(void) { CU_ASSERT_EQUAL(hp5_allocated_bytes(), 0); }

UNIT_MAIN("turns", {"order", test_order}, {"a table", test_table}, {"schedules", test_schedules}, {"everything is freed", test_freed})
