/* What a stage that the host runs for a card touches of an LPU's part: the bounds that the plan tells, as a box of the LPU's store. Compared with all
 * elements of the part, looked at one by one. */
#include "runtime/card/on_host.h"
#include "runtime/io/npy.h"
#include "runtime/store/elements.h"
#include "tests/unit/unit.h"

static uint64_t random_state = 815;
static int64_t pick(int64_t from, int64_t to) {
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return from + (int64_t)(random_state >> 33) % (to - from + 1);
}

typedef struct Drawn {
    Hp5Store store;
    Hp5View view;
    Hp5Set part[2];
    int64_t bounds[4];
} Drawn;

/* One end of an interval around the part, at times far away: as where nothing can be told. */
static int64_t draw_bound(bool high) { return pick(0, 3) == 0 ? high ? INT64_MAX : INT64_MIN : pick(-4, 14); }

static void draw(Drawn *drawn) {
    const int64_t lo[] = {pick(-3, 3), pick(-3, 3)}, extent[] = {pick(1, 9), pick(1, 9)};
    hp5_store_shape(&drawn->store, 2, lo, extent, 1, &hp5_float64, (Hp5Layout){.fortran = pick(0, 1)});
    for (int d = 0; d < 2; d++) {
        const int64_t begin = lo[d] + pick(0, extent[d] - 1), end = pick(begin, lo[d] + extent[d]);
        drawn->part[d] = (Hp5Set){.begin = begin, .end = end, .block = end - begin, .stride = end - begin};
        drawn->bounds[2 * d] = draw_bound(false);
        drawn->bounds[2 * d + 1] = pick(0, 2) == 0 ? drawn->bounds[2 * d] : draw_bound(true);
    }
    drawn->view = (Hp5View){.store = &drawn->store, .part = drawn->part};
}

static bool is_wanted(const Drawn *drawn, const int64_t *bounds, const int64_t *index) {
    for (int d = 0; d < 2; d++) {
        if (index[d] < drawn->part[d].begin || index[d] >= drawn->part[d].end) return false;
        if (bounds != NULL && (index[d] < bounds[2 * d] || index[d] > bounds[2 * d + 1])) return false;
    }
    return true;
}

/* The place of each element of the store is in the box just if the element is wanted. */
static void compare(const Drawn *drawn, const int64_t *bounds) {
    const Hp5Store *store = &drawn->store;
    int64_t index[2], wanted = 0;
    Hp5Box box;
    const bool any = hp5_host_box(&drawn->view, bounds, &box);
    bool in_box[81] = {false};
    for (index[0] = box.lo[0]; any && index[0] < box.hi[0]; index[0]++)
        for (index[1] = box.lo[1]; index[1] < box.hi[1]; index[1]++) in_box[hp5_store_offset(store, index)] = true;
    for (index[0] = store->lo[0]; index[0] < store->lo[0] + store->extent[0]; index[0]++)
        for (index[1] = store->lo[1]; index[1] < store->lo[1] + store->extent[1]; index[1]++) {
            CU_ASSERT_EQUAL(in_box[hp5_store_offset(store, index)], is_wanted(drawn, bounds, index));
            wanted += is_wanted(drawn, bounds, index);
        }
    CU_ASSERT_EQUAL(any, wanted > 0);
    if (any) CU_ASSERT_EQUAL((box.hi[0] - box.lo[0]) * (box.hi[1] - box.lo[1]), wanted);
}

static void test_boxes(void) {
    for (int i = 0; i < 20000; i++) {
        Drawn drawn;
        draw(&drawn);
        compare(&drawn, drawn.bounds);
        compare(&drawn, NULL);
    }
}

UNIT_MAIN("host_box", {"bounds inside and around a part", test_boxes})
