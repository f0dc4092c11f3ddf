/* Boxes of elements: shapes of stores, copying a box from one store to another, and taking a
 * product of index sets apart into boxes. */
#include "runtime/task/private.h"
#include <string.h>

void hp5_store_shape(Hp5Store *store, int rank, const int64_t *lo, const int64_t *extent, int versions,
                     size_t element_size) {
    memset(store, 0, sizeof *store);
    store->rank = rank;
    store->versions = versions;
    store->element_size = element_size;
    int64_t stride = 1;
    for (int d = rank - 1; d >= 0; d--) {
        store->lo[d] = lo[d];
        store->extent[d] = extent[d];
        store->stride[d] = stride;
        stride *= extent[d] > 0 ? extent[d] : 1;
    }
}

int64_t hp5_store_elements(const Hp5Store *store) {
    int64_t count = 1;
    for (int d = 0; d < store->rank; d++) count *= store->extent[d];
    return count;
}

/* Rows lie in the last dimension; the dimensions before it are counted like an odometer. */
void hp5_box_copy(const Hp5Store *to, int to_version, const Hp5Store *from, int from_version,
                  const Hp5Box *box) {
    int rank = to->rank, last = rank - 1;
    int64_t index[HP5_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        if (box->lo[d] >= box->hi[d]) return;
        index[d] = box->lo[d];
    }
    size_t size = to->element_size, bytes = (size_t)(box->hi[last] - box->lo[last]) * size;
    for (;;) {
        memcpy(to->version[to_version] + (size_t)hp5_store_offset(to, index) * size,
               from->version[from_version] + (size_t)hp5_store_offset(from, index) * size, bytes);
        int d = last - 1;
        while (d >= 0 && ++index[d] == box->hi[d]) {
            index[d] = box->lo[d];
            d--;
        }
        if (d < 0) return;
    }
}

static bool all_intervals(const Hp5Set *sets, int rank) {
    for (int d = 0; d < rank; d++)
        if (!hp5_set_is_interval(&sets[d])) return false;
    return true;
}

static void each_from(const Hp5Set *sets, int rank, int d, Hp5Box *box, const Hp5Box *within,
                      void (*visit)(const Hp5Box *, void *), void *data) {
    if (d == rank) {
        visit(box, data);
        return;
    }
    int64_t count = hp5_set_run_count(&sets[d]);
    for (int64_t k = hp5_set_find_run(&sets[d], within->lo[d]); k < count; k++) {
        Hp5Run run = hp5_set_run(&sets[d], k);
        if (run.begin >= within->hi[d]) break;
        box->lo[d] = run.begin > within->lo[d] ? run.begin : within->lo[d];
        box->hi[d] = run.end < within->hi[d] ? run.end : within->hi[d];
        each_from(sets, rank, d + 1, box, within, visit, data);
    }
}

void hp5_box_each(const Hp5Set *sets, int rank, const Hp5Box *within, void (*visit)(const Hp5Box *, void *),
                  void *data) {
    Hp5Box box;
    if (!all_intervals(sets, rank)) {
        each_from(sets, rank, 0, &box, within, visit, data);
        return;
    }
    for (int d = 0; d < rank; d++) {
        box.lo[d] = sets[d].begin > within->lo[d] ? sets[d].begin : within->lo[d];
        box.hi[d] = sets[d].end < within->hi[d] ? sets[d].end : within->hi[d];
        if (box.lo[d] >= box.hi[d]) return;
    }
    visit(&box, data);
}
