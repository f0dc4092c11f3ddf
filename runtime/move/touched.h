/* What inspectors say (Hp5TransferDesc.touches): a bit for each element of an array. */
#ifndef HP5_RUNTIME_TOUCHED_H
#define HP5_RUNTIME_TOUCHED_H
#include "runtime/array/index_set.h"
#include "runtime/desc/desc.h"
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
#endif
