/* Executions of several tasks: runs that are used again, items that go from lane to lane, order and waiting. */
#include "runtime/run/schedule.h"
#include "tests/unit/run/task_fixture.h"
#include "tests/unit/unit.h"
#include <unistd.h>

enum { N = 24 };

/* One array in LPS 1, `blocks` blocks; HOME copies with padding where `padded`. */
static void make(Fixture *f, const char *name, int blocks, bool padded, int64_t first, int64_t end) {
    fixture_start(f);
    f->desc.name = name;
    fixture_array(f, "v", &hp5_int64, 1, 1, false);
    int a = fixture_lps(f, "A", 0, 1, 2, "Core");
    int v = fixture_list(f, a, 0, padded ? HP5_HOME : HP5_IN_PLACE);
    fixture_divide(f, a, v, 0, 0, HP5_BLOCK_COUNT, "block_count(k)", blocks, 0, padded ? 1 : -1, padded ? 1 : -1);
    f->desc.ppu_first = first;
    f->desc.ppu_end = end;
    if (padded) {
        f->exchanges[0] = (Hp5ExchangeDesc){a, 0};
        f->desc.exchange_count = 1;
    }
}

/* Adds `*(int64_t *)run->globals` to every element. */
static void add_flow(Hp5Worker *w) {
    Hp5Lpu *root = &w->run->root;
    int64_t by = *(const int64_t *)w->run->globals;
    for (Hp5Lpu *lpu = hp5_first(w, hp5_child(root, 0)), *end = hp5_end(w, hp5_child(root, 0)); lpu < end; lpu++) {
        const Hp5View *view = &lpu->views[0];
        int64_t *v = (int64_t *)(void *)view->store->version[0];
        for (int64_t i = view->own[0].begin; i < view->own[0].end; i++) v[i - view->store->lo[0]] += by;
    }
    if (w->run->desc->exchange_count > 0) hp5_exchange(w, 0, root);
}

static void slow_flow(Hp5Worker *w) {
    if (w->rank == 0) usleep(20000);
    add_flow(w);
}

static void finish(Hp5TaskRun *run, void *values, void *environment) {
    (void)run;
    *(int64_t *)environment += *(const int64_t *)values;
}

static void execute(Hp5Schedule *schedule, const Hp5Launch *launch, const Fixture *f, Hp5Item *item, int64_t by, int64_t *environment) {
    int64_t *value = hp5_alloc(sizeof *value, "a value");
    *value = by;
    Hp5Item *items[] = {item};
    hp5_schedule_execute(schedule, launch, f->args, items, value, environment);
}

static Hp5Item *new_item(void) { return hp5_item_zeroed("v", &hp5_int64, 1, (const int64_t[]){0}, (const int64_t[]){N}); }

static bool all_equal(Hp5Item *item, int64_t value) {
    hp5_item_gather(item);
    for (int64_t i = 0; i < N; i++)
        if (((const int64_t *)(const void *)item->data)[i] != value) return false;
    return true;
}

static const Hp5Options two_threads = {.threads = 2};

/* Whole and padded parts in turns: elements go straight from copies to copies, and an alias keeps the old ones. */
static void test_data(void) {
    static Fixture plain, padded, other;
    make(&plain, "Plain", 5, false, 0, 4);
    make(&padded, "Padded", 4, true, 0, 4);
    make(&other, "Other", 3, true, 0, 4);
    const Hp5Launch add[] = {{&plain.desc, add_flow, NULL, finish}, {&padded.desc, add_flow, NULL, finish}, {&other.desc, add_flow, NULL, finish}};
    const Fixture *fixtures[] = {&plain, &padded, &other};
    Hp5Schedule *schedule = hp5_schedule_create(&two_threads);
    Hp5Item *item = new_item(), *old = NULL;
    int64_t expected = 0, environment = 0, kept = 0;
    for (int round = 0; round < 60; round++) {
        int which = (round * 7 / 3) % 3;
        execute(schedule, &add[which], fixtures[which], item, round, &environment);
        expected += round;
        if (round == 40) { /* as `create` does: a new item, an alias on the old one */
            old = item;
            kept = expected;
            item = new_item();
            expected = 0;
        }
    }
    CU_ASSERT_EQUAL(environment, 59 * 60 / 2);
    CU_ASSERT(all_equal(item, expected));
    CU_ASSERT(all_equal(old, kept));
    hp5_schedule_destroy(schedule);
    hp5_item_release(item);
    hp5_item_release(old);
}

/* A created item at each execution: the storage goes around, elements start at zero. */
static void test_created(void) {
    static Fixture f;
    make(&f, "Create", 5, false, 0, 4);
    const Hp5Launch add = {&f.desc, add_flow, NULL, NULL};
    Hp5Schedule *schedule = hp5_schedule_create(&two_threads);
    Hp5Item *item = NULL;
    int64_t bytes = 0, nothing = 0;
    for (int round = 0; round < 20; round++) {
        hp5_item_release(item);
        item = new_item();
        execute(schedule, &add, &f, item, round, &nothing);
        CU_ASSERT(all_equal(item, round));
        if (round == 3) bytes = hp5_allocated_bytes();
    }
    CU_ASSERT_EQUAL(hp5_allocated_bytes(), bytes);
    hp5_schedule_destroy(schedule);
    hp5_item_release(item);
}

/* Two lanes: a task waits for the one before it that has its item, and the coordinator for an environment. */
static void test_lanes(void) {
    static Fixture left, right;
    make(&left, "Left", 4, true, 0, 2);
    make(&right, "Right", 3, true, 2, 4);
    const Hp5Launch slow = {&left.desc, slow_flow, NULL, finish}, quick = {&right.desc, add_flow, NULL, finish};
    const Hp5TaskDesc *tasks[] = {&left.desc, &right.desc};
    Hp5Schedule *schedule = hp5_schedule_create(&two_threads);
    hp5_schedule_tasks(schedule, tasks, 2);
    Hp5Item *shared = new_item(), *own = new_item();
    int64_t left_sum = 0, right_sum = 0, own_sum = 0;
    for (int round = 0; round < 10; round++) {
        execute(schedule, &slow, &left, shared, 1, &left_sum);
        execute(schedule, &quick, &right, own, 1, &own_sum);
        execute(schedule, &quick, &right, shared, 10, &right_sum);
    }
    hp5_schedule_wait(schedule, &right_sum);
    CU_ASSERT_EQUAL(right_sum, 100);
    CU_ASSERT_EQUAL(left_sum, 10); /* each right one waited for the left one before it */
    hp5_schedule_wait(schedule, NULL);
    CU_ASSERT_EQUAL(own_sum, 10);
    CU_ASSERT(all_equal(shared, 110));
    CU_ASSERT(all_equal(own, 10));
    hp5_schedule_destroy(schedule);
    hp5_item_release(shared);
    hp5_item_release(own);
}

static void test_freed(void) { CU_ASSERT_EQUAL(hp5_allocated_bytes(), 0); }

UNIT_MAIN("schedule", {"data between tasks", test_data}, {"created items", test_created}, {"lanes", test_lanes},
          {"everything is freed", test_freed})
