/* Places of indices with gaps between them, and boxes that lie evenly in two stores, against counting, for all small sets. */
#include "runtime/store/elements.h"
#include "runtime/store/places.h"
#include "tests/unit/unit.h"

enum { INDICES = 9, MOST = 80 };

typedef struct Held { /* a store of one dimension, and where counting finds its indices; -1: it has not got them */
    Hp5Store store;
    Hp5Places places;
    int64_t place[INDICES];
    bool narrow; /* not all of the others have memory: only what is asked of the store alone stops there */
} Held;

static Held held[MOST];
static int held_count;

static void hold(int64_t begin, int64_t block, int64_t stride, bool beyond) {
    Held *one = &held[held_count++];
    int64_t count = 0;
    *one = (Held){.store = {.rank = 1, .lo = {0}, .extent = {2 * INDICES}}};
    one->places = (Hp5Places){.here = {begin, INDICES, block, stride, NULL, 0}, .beyond = beyond ? INDICES : HP5_NO_PLACE};
    for (int64_t i = 0; i < INDICES; i++) {
        const bool here = i >= begin && (i - begin) % stride < block;
        one->place[i] = here ? count++ : beyond ? i + INDICES : -1;
    }
    if (stride > 0) one->store.places = &one->places;
}

/* Of the indices behind the set, memory for those from `from` to before `end`. */
static void hold_some(int64_t begin, int64_t block, int64_t stride, int64_t from, int64_t end) {
    hold(begin, block, stride, false);
    Held *one = &held[held_count - 1];
    const int64_t count = hp5_set_count(&one->places.here);
    one->places.first = one->store.lo[0] = from;
    one->places.beyond = count;
    one->store.extent[0] = end - from + count;
    one->narrow = true;
    for (int64_t i = 0; i < INDICES; i++) {
        if (one->place[i] >= 0) one->place[i] += from;
        else if (i >= from && i < end) one->place[i] = i + count;
    }
}

/* Without gaps, with blocks, and with the rest behind them. */
static void hold_all(void) {
    Held *plain = &held[held_count++];
    *plain = (Held){.store = {.rank = 1, .lo = {0}, .extent = {INDICES}}};
    for (int64_t i = 0; i < INDICES; i++) plain->place[i] = i;
    for (int64_t stride = 2; stride <= 4; stride++)
        for (int64_t block = 1; block < stride; block++)
            for (int64_t begin = 0; begin < 3; begin++)
                for (int beyond = 0; beyond < 2; beyond++) hold(begin, block, stride, beyond == 1);
    for (int64_t end = 4; end < INDICES; end++) hold_some(1, 1, 3, 1, end), hold_some(2, 2, 4, 2, end);
}

static void test_place_of(void) {
    int wrong = 0;
    for (int h = 1; h < held_count; h++)
        for (int64_t i = 0; i < INDICES; i++) {
            wrong += hp5_store_has(&held[h].store, 0, i) != (held[h].place[i] >= 0);
            wrong += held[h].place[i] >= 0 && hp5_place_of(&held[h].places, i) != held[h].place[i];
        }
    CU_ASSERT_EQUAL(wrong, 0);
}

typedef struct Visited {
    const Held *sides[2];
    int64_t next; /* boxes ascend, and begin here or later */
    bool seen[INDICES];
    int wrong;
} Visited;

static void visit(const Hp5Box *box, void *data) {
    Visited *visited = data;
    visited->wrong += box->lo[0] < visited->next || box->hi[0] <= box->lo[0];
    for (int64_t i = box->lo[0]; i < box->hi[0]; i++) {
        visited->seen[i] = true;
        for (int s = 0; s < 2; s++) visited->wrong += visited->sides[s]->place[i] - i != visited->sides[s]->place[box->lo[0]] - box->lo[0];
    }
    visited->next = box->hi[0];
}

/* What both have comes once, in boxes inside of which places go with indices in both. */
static void test_even(void) {
    int wrong = 0;
    for (int a = 0; a < held_count; a++)
        for (int b = 0; b < held_count; b++)
            for (int64_t lo = a != b && (held[a].narrow || held[b].narrow) ? INDICES : 0; lo < INDICES; lo++)
                for (int64_t hi = lo; hi <= INDICES; hi++) {
                    Visited visited = {.sides = {&held[a], &held[b]}};
                    hp5_box_each_even(&held[a].store, &held[b].store, &(Hp5Box){{lo}, {hi}}, visit, &visited);
                    for (int64_t i = 0; i < INDICES; i++)
                        wrong += visited.seen[i] != (i >= lo && i < hi && held[a].place[i] >= 0 && held[b].place[i] >= 0);
                    wrong += visited.wrong;
                }
    CU_ASSERT_EQUAL(wrong, 0);
}

static void test_all(void) {
    hold_all();
    test_place_of();
    test_even();
}

UNIT_MAIN("places", {"against counting", test_all})
