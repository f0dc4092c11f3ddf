/* Index sets: the one algebra from which LPU parts, halos, exchanges and file
 * regions are computed. A set of Integer indices of one array dimension is
 *
 *   - block-cyclic: begin + k*stride + j for k >= 0, 0 <= j < block, below `end`
 *     (an interval is the case block == stride == end - begin), or
 *   - a list of runs (half-open intervals, ascending, disjoint, not touching), for
 *     the rare parts of parts that no block-cyclic set describes.
 *
 * Costs follow the number of runs asked for, never the number of indices.
 * Runs live in memory that the caller provides (Hp5Pool). */
#ifndef HP5_RUNTIME_INDEX_SET_H
#define HP5_RUNTIME_INDEX_SET_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Hp5Run { int64_t begin, end; } Hp5Run; /* half-open */

typedef struct Hp5Set {
    int64_t begin, end;      /* hull: first index, last index + 1; empty: begin == end */
    int64_t block, stride;   /* block-cyclic; interval: block == stride == end - begin (0 when empty) */
    const Hp5Run *runs;      /* NULL, or the runs (then block and stride are 0) */
    int64_t run_count;
} Hp5Set;

/* Bump memory for run lists; grows by malloc; freed at once. */
typedef struct Hp5Pool { struct Hp5PoolChunk *chunks; size_t used; } Hp5Pool;
void hp5_pool_free(Hp5Pool *pool);

typedef enum { HP5_REPLICATED, HP5_BLOCK_SIZE, HP5_BLOCK_COUNT, HP5_STRIDE, HP5_BLOCK_STRIDE } Hp5PartFunction;

static inline Hp5Set hp5_interval(int64_t begin, int64_t end) {
    int64_t n = end > begin ? end - begin : 0;
    return (Hp5Set){begin, begin + n, n, n, NULL, 0};
}
static inline bool hp5_set_is_interval(const Hp5Set *s) { return s->runs == NULL && s->block == s->stride; }
#ifndef HP5_ON_CARD /* the text for cards has its own (index_set_ask.h) */
int64_t hp5_set_count(const Hp5Set *set);
bool hp5_set_contains(const Hp5Set *set, int64_t index);
/* The n-th index (0-based) of the set; n must be below the count. */
int64_t hp5_set_at(const Hp5Set *set, int64_t n);
/* How many indices of the set are less than `index`: the position of one that it has. */
int64_t hp5_set_rank(const Hp5Set *set, int64_t index);
int64_t hp5_set_run_count(const Hp5Set *set);
Hp5Run hp5_set_run(const Hp5Set *set, int64_t k);
/* The first run that ends after `index`, or run_count. */
int64_t hp5_set_find_run(const Hp5Set *set, int64_t index);
#endif
Hp5Set hp5_set_intersect(const Hp5Set *a, const Hp5Set *b, Hp5Pool *pool);
/* The same where it is an interval or block-cyclic, as closed forms find it; false: only a walk over both would. */
bool hp5_set_common(const Hp5Set *a, const Hp5Set *b, Hp5Set *common);
/* The union of two, where the second one is the same or goes on where the first one ends, lies beside it in all of its periods, or is the next block of a
 * block-cyclic set; false: it is none of these, though the union may have a closed form. */
bool hp5_set_join(const Hp5Set *a, const Hp5Set *b, Hp5Set *joined);
Hp5Set hp5_set_difference(const Hp5Set *a, const Hp5Set *b, Hp5Pool *pool);
Hp5Set hp5_set_union(const Hp5Set *a, const Hp5Set *b, Hp5Pool *pool);
bool hp5_set_equal(const Hp5Set *a, const Hp5Set *b);

/* Number of parts a partition function makes of n indices (language.md 3.1). `a` and `b` are its
 * arguments; b also where stride()/block_stride(s) take the PPU count: stride(l) is (l, any), stride() is
 * (0, PPUs), block_stride(s, l) and block_stride(s) are (s, l) and (s, PPUs). Arguments are positive; no indices
 * make no parts (one, when replicated). */
int64_t hp5_part_count(Hp5PartFunction function, int64_t n, int64_t a, int64_t b);
/* Part p of `parent`: the numbers of the partition table are positions in it. */
Hp5Set hp5_part(const Hp5Set *parent, Hp5PartFunction function, int64_t a, int64_t b, int64_t p, Hp5Pool *pool);
/* `part` (an interval) with padding, cut at the bounds of `parent` (an interval). */
Hp5Set hp5_part_padded(const Hp5Set *part, const Hp5Set *parent, int64_t front, int64_t back);
#endif
