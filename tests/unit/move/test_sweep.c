/* Sweeps: every iteration is in one box, and those before the messages have come use nothing that these bring. */
#include "runtime/move/sweep.h"
#include "runtime/run/private.h"
#include "tests/unit/unit.h"
#include <stdlib.h>

enum { MARGIN = 3, MOST = 1 << 20 };

static uint64_t state = 99;
static int64_t pick(int64_t from, int64_t to) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return from + (int64_t)(state >> 33) % (to - from + 1);
}

typedef struct World {
    Hp5Store store;
    Hp5Box untouched, reach;
    int64_t extent[HP5_MAX_RANK]; /* of what is looked at: the store, and some indices around it */
    int wrong, cores, slices;
} World;

static unsigned char visits[MOST];

/* Nobody waits in this exchange: hp5_settle has nothing to do. */
static Hp5ExchangeSite site;
static Hp5RunPrivate hidden;
static Hp5TaskRun run = {.hidden = &hidden};
static Hp5Worker worker = {.run = &run};

static void begin(World *w) {
    *w = (World){.store = {.rank = (int)pick(1, 3)}};
    const int64_t most[] = {0, 600000, 700, 80};
    int64_t lo[HP5_MAX_RANK] = {0}, extent[HP5_MAX_RANK] = {0};
    const bool large = pick(0, 4) == 0;
    Hp5Element element = {.size = 8};
    for (int d = 0; d < w->store.rank; d++) lo[d] = pick(-5, 5), extent[d] = pick(1, large ? most[w->store.rank] : 14);
    hp5_store_shape(&w->store, w->store.rank, lo, extent, 1, &element, (Hp5Layout){.fortran = pick(0, 3) == 0});
    w->untouched = hp5_everywhere;
    for (int d = 0; d < w->store.rank; d++) {
        w->extent[d] = extent[d] + 2 * MARGIN;
        w->reach.lo[d] = -pick(0, 2), w->reach.hi[d] = pick(0, 2);
        if (pick(0, 2) == 0) w->untouched.lo[d] = lo[d] + pick(0, extent[d] < 4 ? extent[d] : 4);
        if (pick(0, 2) == 0) w->untouched.hi[d] = lo[d] + extent[d] - pick(0, extent[d] < 4 ? extent[d] : 4);
    }
}

static bool is_in(const Hp5Box *box, const int64_t *index, int rank) {
    for (int d = 0; d < rank; d++)
        if (index[d] < box->lo[d] || index[d] >= box->hi[d]) return false;
    return true;
}

static bool uses_what_comes(const World *w, const int64_t *index) {
    for (int d = 0; d < w->store.rank; d++) {
        const int64_t lowest = w->untouched.lo[d], behind = w->untouched.hi[d];
        if (lowest != INT64_MIN && index[d] + w->reach.lo[d] < lowest) return true;
        if (behind != INT64_MAX && index[d] + w->reach.hi[d] >= behind) return true;
    }
    return false;
}

static void visit_box(World *w, const Hp5Box *box, bool before) {
    int64_t at[HP5_MAX_RANK] = {0}, index[HP5_MAX_RANK];
    for (int64_t place = 0, d = 0; d >= 0; place++) {
        for (int k = 0; k < w->store.rank; k++) index[k] = w->store.lo[k] - MARGIN + at[k];
        if (is_in(box, index, w->store.rank)) {
            visits[place]++;
            w->wrong += before && uses_what_comes(w, index);
        }
        for (d = w->store.rank - 1; d >= 0 && ++at[d] == w->extent[d]; d--) at[d] = 0;
    }
}

static void sweep_once(World *w) {
    begin(w);
    int64_t places = 1;
    for (int d = 0; d < w->store.rank; d++) places *= w->extent[d];
    if (places > MOST) return;
    memset(visits, 0, (size_t)places);
    Hp5Late late = {.w = &worker, .reach = &w->reach};
    Hp5Sweep sweep;
    const bool cut = hp5_sweep_around(&sweep, &late, &w->store, &w->untouched);
    w->cores = cut;
    w->slices = cut ? sweep.slices : 0;
    while (hp5_sweep_next(&sweep)) visit_box(w, &sweep.box, cut && sweep.number <= sweep.slices);
    for (int64_t i = 0; i < places; i++) w->wrong += visits[i] != 1;
}

static void test_all(void) {
    int wrong = 0, cores = 0, sliced = 0;
    hidden.exchanges = &site;
    for (int round = 0; round < 4000; round++) {
        World w;
        sweep_once(&w);
        wrong += w.wrong > 0;
        cores += w.cores;
        sliced += w.slices > 1;
    }
    CU_ASSERT_EQUAL(wrong, 0);
    CU_ASSERT(cores > 1000 && sliced > 50);
}

UNIT_MAIN("sweep", {"each iteration once", test_all})
