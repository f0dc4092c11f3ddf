/* What inspectors say (Hp5TransferDesc.touches): a bit for each element of an array. */
#ifndef HP5_RUNTIME_TOUCHED_H
#define HP5_RUNTIME_TOUCHED_H
#include "runtime/array/index_set.h"
#include "runtime/desc/desc.h"
#include "runtime/predict/predict.h"
#include <stdatomic.h>

typedef struct Hp5Touched {
    int rank;
    int64_t lo[HP5_MAX_RANK], extent[HP5_MAX_RANK]; /* the array's bounds */
    _Atomic uint64_t *bits;                         /* of the elements, the last index fastest */
} Hp5Touched;

/* Any thread; what is no element of the array counts for nothing. */
static inline void hp5_touch(const Hp5Touched *touched, const int64_t *index) {
    uint64_t at = 0;
    for (int d = 0; d < touched->rank; d++) {
        uint64_t from_first = (uint64_t)index[d] - (uint64_t)touched->lo[d];
        if (from_first >= (uint64_t)touched->extent[d]) return;
        at = at * (uint64_t)touched->extent[d] + from_first;
    }
    _Atomic uint64_t *word = &touched->bits[at / 64];
    uint64_t bit = UINT64_C(1) << at % 64;
    if ((atomic_load_explicit(word, memory_order_relaxed) & bit) == 0) atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
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
