/* What inspectors say (Hp5TransferDesc.touches): a bit for each element of an array. */
#ifndef HP5_RUNTIME_TOUCHED_H
#define HP5_RUNTIME_TOUCHED_H
#include "runtime/array/index_set.h"
#include "runtime/desc/desc.h"
#include "runtime/report/error.h"
#include "runtime/inline.h"
#include "runtime/predict/predict.h"
#include <stdatomic.h>

typedef struct Hp5Touched {
    int rank;
    int64_t lo[HP5_MAX_RANK], extent[HP5_MAX_RANK]; /* the array's bounds */
    int64_t own_lo, own_hi;                         /* of one dimension: indices that nobody has to say, own_lo … own_hi - 1 */
    _Atomic uint64_t *bits;                         /* of the elements, the last index fastest */
} Hp5Touched;

static inline void hp5_touch_number(const Hp5Touched *touched, uint64_t at) {
    _Atomic uint64_t *word = &touched->bits[at / 64];
    uint64_t bit = UINT64_C(1) << at % 64;
    if ((atomic_load_explicit(word, memory_order_relaxed) & bit) == 0) atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
}

/* Any thread; what is no element of the array counts for nothing. */
static inline void hp5_touch(const Hp5Touched *touched, const int64_t *index) {
    uint64_t at = 0;
    for (int d = 0; d < touched->rank; d++) {
        uint64_t from_first = (uint64_t)index[d] - (uint64_t)touched->lo[d];
        if (from_first >= (uint64_t)touched->extent[d]) return;
        at = at * (uint64_t)touched->extent[d] + from_first;
    }
    hp5_touch_number(touched, at);
}

/* The same of an array of one dimension. */
static inline void hp5_touch_index(const Hp5Touched *touched, int64_t index) {
    uint64_t from_first = (uint64_t)index - (uint64_t)touched->lo[0];
    if (index >= touched->own_lo && index < touched->own_hi) return;
    if (from_first < (uint64_t)touched->extent[0]) hp5_touch_number(touched, from_first);
}

/* ---- Loops that run on where an array ends ------------------------------------------------------------- */

static inline Hp5Range hp5_touched_range(const Hp5Touched *touched, int dim) {
    return (Hp5Range){touched->lo[dim], touched->lo[dim] + touched->extent[dim] - 1};
}

/* Of a loop upwards: goes on to the array's first index, and says whether the last one is behind. */
static inline bool hp5_touch_leaves(Hp5Range array, int64_t *index) {
    if (*index < array.min) *index = array.min;
    return *index > array.max;
}

static inline Hp5Range hp5_touch_within(Hp5Range rounds, Hp5Range array) {
    return (Hp5Range){rounds.min < array.min ? array.min : rounds.min, rounds.max > array.max ? array.max : rounds.max};
}

/* What a subscript follows from: the element at `index`, or zeros where the view's store does not hold it. */
static inline const void *hp5_peek(const Hp5View *view, const int64_t *index) {
    const Hp5Store *store = view->store;
    if (store == NULL || store->places != NULL || store->version[0] == NULL) return hp5_cost_peek(view, 0, index);
    int64_t offset = 0;
    for (int d = 0; d < store->rank; d++) {
        const int64_t from_first = (int64_t)((uint64_t)index[d] - (uint64_t)store->lo[d]);
        if ((uint64_t)from_first >= (uint64_t)store->extent[d]) return hp5_cost_peek(view, 0, index);
        offset += from_first * store->stride[d];
    }
    return store->version[0] + offset * (int64_t)store->element_size;
}

/* The same of a view of one dimension whose elements lie in order, which most do: those that the store has are found by one step. */
typedef struct Hp5Peek {
    const Hp5View *view;
    const char *first; /* the element `lo` */
    int64_t lo, step;  /* bytes */
    uint64_t extent;   /* 0: all are looked for */
} Hp5Peek;

static inline Hp5Peek hp5_peek_in(const Hp5View *view) {
    const Hp5Store *store = view->store;
    if (store == NULL || store->places != NULL || store->version[0] == NULL || store->rank != 1) return (Hp5Peek){.view = view};
    return (Hp5Peek){view, store->version[0], store->lo[0], store->stride[0] * (int64_t)store->element_size, (uint64_t)store->extent[0]};
}

static inline const void *hp5_peek_at(Hp5Peek peek, int64_t index) {
    const uint64_t from_first = (uint64_t)index - (uint64_t)peek.lo;
    return from_first < peek.extent ? peek.first + (int64_t)from_first * peek.step : hp5_peek(peek.view, &index);
}

/* Elements 64 word … 64 word + 63, numbered with the last index fastest: a bit for each. */
static inline uint64_t hp5_touched_word(const Hp5Touched *touched, int64_t word) { return atomic_load_explicit(&touched->bits[word], memory_order_relaxed); }

/* The first touched (or, not `wanted`, untouched) element from number `at` on, before `end`; else `end`. */
static inline int64_t hp5_next_touched(const Hp5Touched *touched, int64_t at, int64_t end, bool wanted) {
    while (at < end) {
        uint64_t word = hp5_touched_word(touched, at / 64);
        word = (wanted ? word : ~word) >> at % 64;
        if (word != 0) {
            int64_t found = at + __builtin_ctzll(word);
            return found < end ? found : end;
        }
        at = (at / 64 + 1) * 64;
    }
    return end;
}
#endif
