/* The algebra of index sets (index_set.h). How to read it: every set has ascending
 * runs, and each operation is a walk over runs that jumps where it can; what it finds goes
 * through a Builder, which joins runs that touch and gives back the plainest form of the
 * result (interval, then block-cyclic, then a list). Forms are therefore canonical: two equal
 * sets of a closed form have equal fields. Closed forms come first wherever one exists, so
 * the parts of ordinary partitions cost the same whatever the extent. */
#include "runtime/array/index_set.h"
#define HP5_ASK
#include "runtime/array/index_set_ask.h"
#include <string.h>
#include "runtime/report/error.h"

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t larger(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t ceil_div(int64_t a, int64_t b) { return a == 0 ? 0 : (a - 1) / b + 1; }
static bool is_empty(const Hp5Set *set) { return set->begin >= set->end; }
static bool is_cyclic(const Hp5Set *set) { return set->runs == NULL && set->block != set->stride; }

/* begin + k*stride + 0 … block-1, below `end`: brought to canonical form. */
static Hp5Set cyclic(int64_t begin, int64_t end, int64_t block, int64_t stride) {
    if (begin >= end || block <= 0) return hp5_interval(begin, begin);
    if (block >= stride) return hp5_interval(begin, end);
    int64_t last = begin + (end - 1 - begin) / stride * stride;
    end = smaller(end, last + block); /* the hull ends with the last run */
    if (last == begin) return hp5_interval(begin, end);
    return (Hp5Set){begin, end, block, stride, NULL, 0};
}

/* ---- Pool and builder -------------------------------------------------------------- */

enum { FIRST_CHUNK_RUNS = 64 };

struct Hp5PoolChunk {
    struct Hp5PoolChunk *next; /* older and smaller ones */
    size_t capacity;           /* in runs; Hp5Pool.used counts those of the first chunk */
    Hp5Run runs[];
};

void hp5_pool_free(Hp5Pool *pool) {
    for (struct Hp5PoolChunk *chunk = pool->chunks, *next; chunk; chunk = next) {
        next = chunk->next;
        hp5_free(chunk);
    }
    *pool = (Hp5Pool){0};
}

/* Collects ascending runs at the top of the pool; nothing is taken from it before build(). */
typedef struct Builder {
    Hp5Pool *pool;
    Hp5Run one;    /* the runs while there is only one: most results never touch the pool */
    Hp5Run *runs;  /* &one, or the top of the pool */
    size_t count, capacity;
} Builder;

static void builder_grow(Builder *builder) {
    Hp5Pool *pool = builder->pool;
    size_t left = pool->chunks ? pool->chunks->capacity - pool->used : 0;
    if (builder->runs == &builder->one && left > builder->count) {
        builder->capacity = left;
    } else {
        size_t capacity = pool->chunks ? pool->chunks->capacity * 2 : FIRST_CHUNK_RUNS;
        int64_t bytes = (int64_t)(sizeof(struct Hp5PoolChunk) + capacity * sizeof(Hp5Run));
        struct Hp5PoolChunk *chunk = hp5_alloc(bytes, "index sets");
        chunk->next = pool->chunks;
        chunk->capacity = capacity;
        pool->chunks = chunk;
        pool->used = 0;
        builder->capacity = capacity;
    }
    Hp5Run *runs = pool->chunks->runs + pool->used;
    memcpy(runs, builder->runs, builder->count * sizeof *runs);
    builder->runs = runs;
}

static void builder_add(Builder *builder, int64_t begin, int64_t end) {
    if (begin >= end) return;
    if (builder->count > 0 && builder->runs[builder->count - 1].end == begin) {
        builder->runs[builder->count - 1].end = end;
        return;
    }
    if (builder->runs == NULL) {
        builder->runs = &builder->one;
        builder->capacity = 1;
    }
    if (builder->count == builder->capacity) builder_grow(builder);
    builder->runs[builder->count++] = (Hp5Run){begin, end};
}

static bool runs_are_cyclic(const Hp5Run *runs, size_t count) {
    int64_t block = runs[0].end - runs[0].begin, stride = runs[1].begin - runs[0].begin;
    for (size_t i = 1; i < count; i++) {
        int64_t length = runs[i].end - runs[i].begin;
        if (runs[i].begin - runs[i - 1].begin != stride || length > block) return false;
        if (length < block && i + 1 < count) return false;
    }
    return true;
}

/* The set of the runs added; `empty_at` places an empty one. */
static Hp5Set build(Builder *builder, int64_t empty_at) {
    const Hp5Run *runs = builder->runs;
    size_t count = builder->count;
    if (count == 0) return hp5_interval(empty_at, empty_at);
    int64_t begin = runs[0].begin, end = runs[count - 1].end;
    if (count == 1) return hp5_interval(begin, end);
    if (runs_are_cyclic(runs, count))
        return cyclic(begin, end, runs[0].end - runs[0].begin, runs[1].begin - runs[0].begin);
    builder->pool->used += count;
    return (Hp5Set){begin, end, 0, 0, runs, (int64_t)count};
}

bool hp5_set_equal(const Hp5Set *a, const Hp5Set *b) {
    if (is_empty(a) || is_empty(b)) return is_empty(a) && is_empty(b);
    if (a->begin != b->begin || a->end != b->end) return false;
    if (a->runs == NULL && b->runs == NULL) return a->block == b->block && a->stride == b->stride;
    int64_t count = hp5_set_run_count(a);
    if (count != hp5_set_run_count(b)) return false;
    for (int64_t k = 0; k < count; k++) {
        Hp5Run x = hp5_set_run(a, k), y = hp5_set_run(b, k);
        if (x.begin != y.begin || x.end != y.end) return false;
    }
    return true;
}

/* ---- Intersection, difference, union --------------------------------------------------------- */

/* Greatest common divisor, and x with a*x ≡ gcd (mod b). */
static int64_t gcd_inverse(int64_t a, int64_t b, int64_t *x) {
    int64_t x0 = 1, x1 = 0;
    while (b != 0) {
        int64_t q = a / b, r = a % b, next = x0 - q * x1;
        a = b;
        b = r;
        x0 = x1;
        x1 = next;
    }
    *x = x0;
    return a;
}

/* Two sets of single indices: a.begin + i*a.stride == b.begin + j*b.stride has its solutions one common
 * multiple apart, if any. */
static Hp5Set intersect_progressions(const Hp5Set *a, const Hp5Set *b) {
    int64_t begin = larger(a->begin, b->begin), end = smaller(a->end, b->end), inverse;
    int64_t gcd = gcd_inverse(a->stride, b->stride, &inverse);
    int64_t apart = b->begin - a->begin;
    if (begin >= end || apart % gcd != 0) return hp5_interval(begin, begin);
    int64_t modulus = b->stride / gcd;
    __int128 steps = (__int128)(apart / gcd) % modulus * (inverse % modulus) % modulus;
    if (steps < 0) steps += modulus;
    __int128 first = a->begin + steps * a->stride, period = (__int128)a->stride * modulus;
    if (first < begin) first += (begin - first + period - 1) / period * period;
    if (first >= end) return hp5_interval(begin, begin);
    int64_t from = (int64_t)first;
    if (first + period >= end) return hp5_interval(from, from + 1);
    return cyclic(from, end, 1, (int64_t)period);
}

/* Same period: one overlap in each period has a closed form. Returns false when there are two of them (each set's
 * block reaches into the other's) or the ends cut a block: the general walk does those. */
static bool intersect_same_stride(const Hp5Set *a, const Hp5Set *b, Hp5Set *result) {
    if (a->begin > b->begin) {
        const Hp5Set *swap = a;
        a = b;
        b = swap;
    }
    int64_t stride = a->stride, shift = (b->begin - a->begin) % stride, end = smaller(a->end, b->end);
    bool b_in_a = shift < a->block, a_in_b = shift + b->block > stride;
    if (b_in_a && a_in_b) return false;
    if (!b_in_a && !a_in_b) *result = hp5_interval(b->begin, b->begin);
    else if (b_in_a) *result = cyclic(b->begin, end, smaller(b->block, a->block - shift), stride);
    else *result = cyclic(b->begin + stride - shift, end, smaller(a->block, shift + b->block - stride), stride);
    return true;
}

/* A block-cyclic set between `begin` and `end`, unless the cut shortens a first block that others follow. */
static bool clip_cyclic(const Hp5Set *set, int64_t begin, int64_t end, Hp5Set *result) {
    int64_t k = hp5_set_find_run(set, begin);
    end = smaller(end, set->end);
    *result = hp5_interval(begin, begin);
    if (k == hp5_set_run_count(set)) return true;
    Hp5Run first = hp5_set_run(set, k);
    if (first.begin >= begin) {
        *result = cyclic(first.begin, end, set->block, set->stride);
        return true;
    }
    *result = hp5_interval(begin, smaller(first.end, end));
    return first.begin + set->stride >= end;
}

bool hp5_set_common(const Hp5Set *a, const Hp5Set *b, Hp5Set *common) {
    const int64_t begin = larger(a->begin, b->begin), end = smaller(a->end, b->end);
    const bool whole_a = hp5_set_is_interval(a), whole_b = hp5_set_is_interval(b);
    *common = hp5_interval(begin, end);
    if (begin >= end || (whole_a && whole_b)) return true;
    *common = whole_a ? *b : *a;
    if ((whole_a && begin == b->begin && end == b->end) || (whole_b && begin == a->begin && end == a->end)) return true;
    if (whole_b && is_cyclic(a)) return clip_cyclic(a, begin, end, common);
    if (whole_a && is_cyclic(b)) return clip_cyclic(b, begin, end, common);
    if (!is_cyclic(a) || !is_cyclic(b)) return false;
    if (a->stride == b->stride && intersect_same_stride(a, b, common)) return true;
    if (a->block != 1 || b->block != 1) return false;
    *common = intersect_progressions(a, b);
    return true;
}

Hp5Set hp5_set_intersect(const Hp5Set *a, const Hp5Set *b, Hp5Pool *pool) {
    const int64_t begin = larger(a->begin, b->begin);
    Hp5Set result;
    if (hp5_set_common(a, b, &result)) return result;
    Builder builder = {.pool = pool};
    int64_t count_a = hp5_set_run_count(a), count_b = hp5_set_run_count(b);
    int64_t i = hp5_set_find_run(a, begin), j = hp5_set_find_run(b, begin);
    while (i < count_a && j < count_b) {
        Hp5Run x = hp5_set_run(a, i), y = hp5_set_run(b, j);
        if (x.end <= y.begin) {
            i = hp5_set_find_run(a, y.begin);
        } else if (y.end <= x.begin) {
            j = hp5_set_find_run(b, x.begin);
        } else {
            builder_add(&builder, larger(x.begin, y.begin), smaller(x.end, y.end));
            if (x.end <= y.end) i++;
            else j++;
        }
    }
    return build(&builder, begin);
}

Hp5Set hp5_set_difference(const Hp5Set *a, const Hp5Set *b, Hp5Pool *pool) {
    if (is_empty(a) || is_empty(b) || b->end <= a->begin || a->end <= b->begin) return *a;
    if (hp5_set_is_interval(b) && b->begin <= a->begin && a->end <= b->end)
        return hp5_interval(a->begin, a->begin);
    if (hp5_set_equal(a, b)) return hp5_interval(a->begin, a->begin);
    Builder builder = {.pool = pool};
    int64_t count_a = hp5_set_run_count(a), count_b = hp5_set_run_count(b);
    for (int64_t i = 0; i < count_a; i++) {
        Hp5Run x = hp5_set_run(a, i);
        for (int64_t j = hp5_set_find_run(b, x.begin); j < count_b && x.begin < x.end; j++) {
            Hp5Run y = hp5_set_run(b, j);
            if (y.begin >= x.end) break;
            builder_add(&builder, x.begin, y.begin);
            x.begin = y.end;
        }
        builder_add(&builder, x.begin, x.end);
    }
    return build(&builder, a->begin);
}

/* The same period, and the blocks of `b` begin in those of `a` or where they end, as the parts of LPUs beside each other do: false
 * where the last blocks leave a gap, or a shorter one is not the last. */
static bool unite_same_stride(const Hp5Set *a, const Hp5Set *b, Hp5Set *result) {
    int64_t shift = b->begin - a->begin, runs_a = hp5_set_run_count(a), runs_b = hp5_set_run_count(b);
    if (shift < 0) return unite_same_stride(b, a, result);
    if (shift > a->block || shift + b->block > a->stride || runs_b > runs_a || runs_b < runs_a - 1) return false;
    int64_t last_a = a->begin + (runs_a - 1) * a->stride, last_b = b->begin + (runs_b - 1) * b->stride;
    bool fits = runs_b == runs_a ? a->end >= last_a + shift : b->end == last_b + b->block;
    *result = cyclic(a->begin, larger(a->end, b->end), larger(a->block, shift + b->block), a->stride);
    return fits;
}

Hp5Set hp5_set_union(const Hp5Set *a, const Hp5Set *b, Hp5Pool *pool) {
    Hp5Set result;
    if (is_empty(a) || is_empty(b)) return is_empty(a) ? *b : *a;
    if (hp5_set_is_interval(a) && a->begin <= b->begin && b->end <= a->end) return *a;
    if (hp5_set_is_interval(b) && b->begin <= a->begin && a->end <= b->end) return *b;
    if (hp5_set_equal(a, b)) return *a;
    if (is_cyclic(a) && is_cyclic(b) && a->stride == b->stride && unite_same_stride(a, b, &result)) return result;
    Builder builder = {.pool = pool};
    int64_t count_a = hp5_set_run_count(a), count_b = hp5_set_run_count(b), i = 0, j = 0;
    Hp5Run joined = {smaller(a->begin, b->begin), smaller(a->begin, b->begin)};
    while (i < count_a || j < count_b) {
        bool first = j == count_b || (i < count_a && hp5_set_run(a, i).begin <= hp5_set_run(b, j).begin);
        Hp5Run next = first ? hp5_set_run(a, i++) : hp5_set_run(b, j++);
        if (next.begin > joined.end) {
            builder_add(&builder, joined.begin, joined.end);
            joined = next;
        }
        joined.end = larger(joined.end, next.end);
    }
    builder_add(&builder, joined.begin, joined.end);
    return build(&builder, joined.begin);
}

/* An interval behind an interval or a block-cyclic set, as the next block of one that is block-cyclic. */
static bool go_on(const Hp5Set *a, const Hp5Set *b, Hp5Set *joined) {
    const int64_t stride = hp5_set_is_interval(a) ? b->begin - a->begin : a->stride, runs = hp5_set_run_count(a);
    if (b->end - b->begin > a->block || b->begin != a->begin + runs * stride || a->end != b->begin - stride + a->block) return false;
    *joined = cyclic(a->begin, b->end, a->block, stride);
    return true;
}

bool hp5_set_join(const Hp5Set *a, const Hp5Set *b, Hp5Set *joined) {
    *joined = *a;
    if (hp5_set_equal(a, b)) return true;
    if (a->runs != NULL || b->runs != NULL || b->begin < a->begin || b->end < a->end) return false;
    if (is_cyclic(a) && is_cyclic(b)) return a->stride == b->stride && unite_same_stride(a, b, joined);
    if (!hp5_set_is_interval(b)) return false;
    if (b->begin > a->end) return go_on(a, b, joined);
    if (!hp5_set_is_interval(a)) return false;
    *joined = hp5_interval(a->begin, b->end);
    return true;
}

/* ---- Partition functions ------------------------------------------------------------------ */

int64_t hp5_part_count(Hp5PartFunction function, int64_t n, int64_t a, int64_t b) {
    if (n <= 0) return function == HP5_REPLICATED ? 1 : 0;
    switch (function) {
    case HP5_REPLICATED: return 1;
    case HP5_BLOCK_SIZE: return ceil_div(n, a);
    case HP5_BLOCK_COUNT: return smaller(a, n);
    case HP5_STRIDE: return smaller(a > 0 ? a : b, n);
    case HP5_BLOCK_STRIDE: return smaller(b, ceil_div(n, a));
    }
    return 1;
}

/* Part p of 0 … n-1. A step that passes n (a huge argument) is n: there is no second block then. */
static Hp5Set part_positions(Hp5PartFunction function, int64_t n, int64_t a, int64_t b, int64_t p) {
    switch (function) {
    case HP5_REPLICATED: break;
    case HP5_BLOCK_SIZE: {
        int64_t begin = p * a;
        return hp5_interval(begin, a >= n - begin ? n : begin + a);
    }
    case HP5_BLOCK_COUNT: {
        int64_t count = smaller(a, n), length = n / count, more = n % count;
        int64_t begin = p * length + smaller(p, more);
        return hp5_interval(begin, begin + length + (p < more));
    }
    case HP5_STRIDE: return cyclic(p, n, 1, smaller(a > 0 ? a : b, n));
    case HP5_BLOCK_STRIDE: {
        int64_t period = b >= ceil_div(n, a) ? n : a * b;
        int64_t begin = p * a, end = period == n && a < n - begin ? begin + a : n;
        return cyclic(begin, end, smaller(a, n), period);
    }
    }
    return hp5_interval(0, n);
}

/* Walks a set's positions upwards: run k starts at position `at`. */
typedef struct Cursor { const Hp5Set *set; int64_t k, at; } Cursor;

static void cursor_move(Cursor *cursor, int64_t position) {
    const Hp5Set *set = cursor->set;
    if (set->runs == NULL) {
        cursor->k = position / set->block;
        cursor->at = cursor->k * set->block;
        return;
    }
    for (;;) {
        int64_t length = set->runs[cursor->k].end - set->runs[cursor->k].begin;
        if (position < cursor->at + length) return;
        cursor->at += length;
        cursor->k++;
    }
}

/* The indices of `set` at `positions`: both are block-cyclic and the blocks fit. */
static bool select_closed(const Hp5Set *set, const Hp5Set *positions, Hp5Set *result) {
    int64_t block = set->block, begin = positions->begin, length = positions->end - begin;
    if (hp5_set_is_interval(positions)) /* a stretch of a block-cyclic set: exact unless it cuts a block */
        return clip_cyclic(set, hp5_set_at(set, begin), hp5_set_at(set, begin + length - 1) + 1, result);
    if (positions->block != block || positions->stride % block != 0 || begin % block != 0) return false;
    *result = cyclic(hp5_set_at(set, begin), hp5_set_at(set, positions->end - 1) + 1, block,
                     positions->stride / block * set->stride);
    return true;
}

static Hp5Set select_positions(const Hp5Set *set, const Hp5Set *positions, Hp5Pool *pool) {
    Hp5Set result = *positions;
    if (is_empty(positions)) return hp5_interval(set->begin, set->begin);
    if (hp5_set_is_interval(set)) {
        result.begin += set->begin;
        result.end += set->begin;
        return result;
    }
    if (is_cyclic(set) && select_closed(set, positions, &result)) return result;
    Builder builder = {.pool = pool};
    Cursor cursor = {.set = set};
    int64_t count = hp5_set_run_count(positions);
    for (int64_t i = 0; i < count; i++) {
        Hp5Run wanted = hp5_set_run(positions, i);
        while (wanted.begin < wanted.end) {
            cursor_move(&cursor, wanted.begin);
            Hp5Run run = hp5_set_run(set, cursor.k);
            int64_t begin = run.begin + (wanted.begin - cursor.at);
            int64_t length = smaller(wanted.end - wanted.begin, run.end - begin);
            builder_add(&builder, begin, begin + length);
            wanted.begin += length;
        }
    }
    return build(&builder, set->begin);
}

Hp5Set hp5_part(const Hp5Set *parent, Hp5PartFunction function, int64_t a, int64_t b, int64_t p, Hp5Pool *pool) {
    if (function == HP5_REPLICATED || is_empty(parent)) return *parent;
    Hp5Set positions = part_positions(function, hp5_set_count(parent), a, b, p);
    return select_positions(parent, &positions, pool);
}

Hp5Set hp5_part_padded(const Hp5Set *part, const Hp5Set *parent, int64_t front, int64_t back) {
    if (is_empty(part)) return *part;
    int64_t before = part->begin - parent->begin, after = parent->end - part->end;
    return hp5_interval(part->begin - smaller(front, larger(before, 0)), part->end + smaller(back, larger(after, 0)));
}
