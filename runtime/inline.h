/* Small functions that printed expressions and loops call, on every target: the text for cards (runtime/card/code.h) includes them as
 * well. Arithmetic is that of runtime/array/arithmetic.h. hp5_fail_at is declared before. */
#ifndef HP5_RUNTIME_INLINE_H
#define HP5_RUNTIME_INLINE_H
#include <math.h>
#include "runtime/array/arithmetic.h"
#include "runtime/lpu/lpu.h"
#include "runtime/store/store.h"

/* Both ends belong to it. */
typedef struct Hp5Range { int64_t min, max; } Hp5Range;

static inline int64_t hp5_min(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t hp5_max(int64_t a, int64_t b) { return a > b ? a : b; }
/* Of the indices j with (rest + j) % modulus == remainder, the first one from `begin` on, and what all are below of, if nothing else ends them.
 * A remainder has the sign of what is divided. */
static inline int64_t hp5_first_in_class(int64_t begin, int64_t rest, int64_t modulus, int64_t remainder) {
    if (remainder >= modulus || remainder <= -modulus) return INT64_MAX;
    const int64_t sum = remainder > 0 && rest + begin < 0 ? 0 : rest + begin, past = (sum - remainder) % modulus;
    return sum - rest + (past == 0 ? 0 : past > 0 ? modulus - past : -past);
}
static inline int64_t hp5_end_of_class(int64_t end, int64_t rest, int64_t remainder) { return remainder < 0 ? hp5_min(end, -rest) : end; }
static inline int64_t hp5_abs(int64_t a) { return a < 0 ? (int64_t)(0 - (uint64_t)a) : a; }
/* The same of what fits an int, for vectors that hold more of them. */
static inline int hp5_min_int(int a, int b) { return a < b ? a : b; }
static inline int hp5_max_int(int a, int b) { return a > b ? a : b; }
static inline int hp5_sum_int(int a, int b) { return a + b; }
static inline int hp5_abs_int(int a) { return a < 0 ? -a : a; }

/* base ** n with the check of every build: 0 ** -1 divides by zero. */
static inline int64_t hp5_raise(int64_t base, int64_t n, const char *file, int line) {
    if (__builtin_expect(base == 0 && n < 0, 0)) hp5_fail_at(file, line, "Integer division by zero (0 ** %lld)", (long long)n);
    return hp5_power_integer(base, n);
}

/* ---- Division ----------------------------------------------------------------------------- */
/* Division with the check that every build has. Wraps on INT64_MIN / -1. */
static inline int64_t hp5_divide(int64_t a, int64_t b, const char *file, int line) {
    if (__builtin_expect(b == 0, 0)) hp5_fail_at(file, line, "Integer division by zero");
    return b == -1 ? (int64_t)(0 - (uint64_t)a) : a / b;
}
static inline int64_t hp5_modulo(int64_t a, int64_t b, const char *file, int line) {
    if (__builtin_expect(b == 0, 0)) hp5_fail_at(file, line, "Integer division by zero (remainder)");
    return b == -1 ? 0 : a % b;
}

/* ---- Ranges and parts ------------------------------------------------------------------- */
static inline Hp5Range hp5_range(int64_t min, int64_t max) { return (Hp5Range){min, max}; }
static inline int64_t hp5_range_length(Hp5Range range) {
    return range.max < range.min ? 0 : (int64_t)((uint64_t)range.max - (uint64_t)range.min + 1);
}
/* One comparison for both ends: whether the range is empty does not change in loops. */
static inline bool hp5_range_has(Hp5Range range, int64_t index) {
    return range.max >= range.min && (uint64_t)index - (uint64_t)range.min <= (uint64_t)range.max - (uint64_t)range.min;
}
/* A String that nobody has set is empty. */
static inline bool hp5_same_text(const char *a, const char *b) {
    if (a == NULL || b == NULL) return (a == NULL || *a == '\0') && (b == NULL || *b == '\0');
    while (*a != '\0' && *a == *b) a++, b++;
    return *a == *b;
}
static inline bool hp5_range_equal(Hp5Range a, Hp5Range b) { return a.min == b.min && a.max == b.max; }
/* x.local.dimensionK.range: the LPU's part (its hull). */
static inline Hp5Range hp5_part_range(const Hp5View *view, int d) {
    return (Hp5Range){view->part[d].begin, view->part[d].end - 1};
}
/* x.dimensionK.range: the whole array. */
static inline Hp5Range hp5_array_range(const Hp5View *view, int d) {
    const Hp5Store *store = view->store;
    return (Hp5Range){store->array_lo[d], store->array_lo[d] + store->array_extent[d] - 1};
}

/* ---- Parts whose indices lie side by side (runtime/store/places.h) ---------------------------------- */
/* Where a dimension's indices lie; each at its own place where the store has no gaps. */
static inline Hp5Places hp5_places(const Hp5Store *store, int d) { return store->places ? store->places[d] : (Hp5Places){.first = 0}; }

/* Through the runs of a part, from one on, or through a range, stretch by stretch. */
typedef struct Hp5Stretches {
    const Hp5Set *part;
    int64_t number, count; /* of runs: the next one, all */
    Hp5Run run;            /* from where the stretch at hand begins to the end of its run */
    int64_t end;           /* of the stretch at hand */
} Hp5Stretches;
static inline Hp5Stretches hp5_stretches_of(const Hp5Set *part, int64_t number) { return (Hp5Stretches){.part = part, .number = number, .count = hp5_set_run_count(part)}; }
static inline Hp5Stretches hp5_stretches_of_range(int64_t begin, int64_t end) { return (Hp5Stretches){.run = {begin, end}, .end = begin}; }
static inline bool hp5_stretches_go_on(Hp5Stretches *all) {
    all->run.begin = all->end;
    if (all->run.begin >= all->run.end) {
        if (all->number >= all->count) return false;
        all->run = hp5_set_run(all->part, all->number++);
    }
    all->end = all->run.end;
    return true;
}
static inline Hp5Stretch hp5_next_stretch(Hp5Stretches *all, const Hp5Places *places) {
    const Hp5Stretch stretch = hp5_stretch(places, all->run);
    if (stretch.end < all->end) all->end = stretch.end;
    return stretch;
}
static inline Hp5Run hp5_stretched(const Hp5Stretches *all) { return (Hp5Run){all->run.begin, all->end}; }

/* ---- Sequential loops ---------------------------------------------------------------------- */
/* How often a loop over `range` by `step` runs; a step of 0 ends the program. */
static inline int64_t hp5_steps(Hp5Range range, int64_t step, const char *file, int line) {
    if (step == 0) hp5_fail_at(file, line, "the step of a loop is 0");
    if (range.max < range.min) return 0;
    uint64_t span = (uint64_t)range.max - (uint64_t)range.min;
    return (int64_t)(span / (step > 0 ? (uint64_t)step : 0 - (uint64_t)step)) + 1;
}
static inline int64_t hp5_first_step(Hp5Range range, int64_t step) { return step > 0 ? range.min : range.max; }
/* The same where the loop may never run: 0 for a step of 0. */
static inline int64_t hp5_touch_steps(Hp5Range range, int64_t step) { return step == 0 ? 0 : hp5_steps(range, step, "", 0); }

/* Of a loop that LPUs run together, each as long as it decides: the index of the next round, and how many are left. */
typedef struct Hp5Rounds {
    int64_t next, step, left;
} Hp5Rounds;
static inline Hp5Rounds hp5_rounds(Hp5Range range, int64_t step, const char *file, int line) {
    Hp5Rounds rounds = {hp5_first_step(range, step), step, hp5_steps(range, step, file, line)};
    return rounds;
}
static inline void hp5_rounds_next(Hp5Rounds *rounds) {
    if (rounds->left == 0) return;
    rounds->left--;
    rounds->next += rounds->step;
}

/* Steps for counting, which never ends the program. */
static inline double hp5_cost_steps(Hp5Range range, int64_t step) {
    if (step == 0 || range.max < range.min) return 0;
    const double steps = ((double)range.max - (double)range.min) / fabs((double)step);
    return floor(steps) + 1;
}

/* One more than an inclusive bound; there is nothing after the largest Integer. */
static inline int64_t hp5_after(int64_t bound) { return bound < INT64_MAX ? bound + 1 : INT64_MAX; }

/* What an index is compared with that stands plus `offset`: the nearest Integer. */
static inline int64_t hp5_less(int64_t bound, int64_t offset) {
    const int64_t less = (int64_t)((uint64_t)bound - (uint64_t)offset);
    const bool wraps = ((bound ^ offset) & (bound ^ less)) < 0;
    return !wraps ? less : offset > 0 ? INT64_MIN : INT64_MAX;
}

/* A product that something is subtracted from is rounded first (compiler/lower/rounding.h says who would not do so). */
#if defined __GNUC__ && !defined __clang__ && !defined __CUDACC__ && __GNUC__ >= 12
#define HP5_ROUNDED(product) __builtin_assoc_barrier(product)
#else
#define HP5_ROUNDED(product) (product)
#endif

/* Before a short function that is printed in the place of each call: a loop with a call is no vector loop. */
#ifdef HP5_ON_CARD
#define HP5_INLINE static __device__ __forceinline__
#else
#define HP5_INLINE __attribute__((always_inline)) static inline
#endif

/* A Boolean of an array, as it is asked for in a loop in vectors: gcc (12) makes none of a condition that is loaded as one. */
HP5_INLINE bool hp5_is_true(const bool *place) { return *(const unsigned char *)place != 0; }

/* ---- Arrays ----------------------------------------------------------------------------------- */
/* Where the element with all indices 0 would be, if the first element in memory is the one numbered `origin`. */
#define HP5_FROM_ORIGIN(type, memory, origin) ((type *)((uintptr_t)(memory) - (uintptr_t)(origin) * sizeof(type)))

/* ---- Loops ------------------------------------------------------------------------------------ */
/* Before an innermost loop whose iterations write different elements and read none that another writes. (clang
 * finds that out from `restrict`; its own pragma would warn where it does not vectorise.) */
#if defined __clang__
#define HP5_INDEPENDENT
#define HP5_IN_VECTORS
#define HP5_WRITTEN_OUT _Pragma("unroll")
#define HP5_ALL_ROUNDS _Pragma("unroll")
#else
#define HP5_INDEPENDENT _Pragma("GCC ivdep")
/* The same of a few rounds with conditions: gcc writes up to 16 of them out before it makes vectors, and finds none then. */
#define HP5_IN_VECTORS _Pragma("GCC ivdep") _Pragma("GCC unroll 1")
/* A few rounds, which stand one behind the other. */
#define HP5_WRITTEN_OUT _Pragma("GCC unroll 4")
/* Rounds of a short loop, up to 16; nvcc writes them out by itself. */
#if defined __CUDACC__
#define HP5_ALL_ROUNDS
#else
#define HP5_ALL_ROUNDS _Pragma("GCC unroll 16")
#endif
#endif

/* Of iterations first … end - 1, where the piece ends that begins with `first`: before `at`, behind it, or at the end. */
static inline int64_t hp5_piece_end(int64_t first, int64_t end, int64_t at) {
    return first > at ? end : first == at ? first + 1 : at < end ? at : end;
}

/* Of iterations *from … *to - 1, the longest part without `at` where that is at an end; else the part before it. */
static inline void hp5_leave_out(int64_t *from, int64_t *to, int64_t at) {
    if (at < *from || at >= *to) return;
    if (at == *from) ++*from;
    else *to = at;
}

/* Where a block of iterations first … end - 1 ends that runs for usual numbers first: what its rows hold stays in the nearest cache. */
enum { HP5_USUAL = 512 };
static inline int64_t hp5_usual_stop(int64_t first, int64_t end) {
    return (uint64_t)end - (uint64_t)first > HP5_USUAL ? first + HP5_USUAL : end;
}

/* Rounds first … end - 1 of a loop by one up to where a quotient by `by`, which is positive, changes; zero: first - first % by. Of a negative index that is the next round. A quotient that stays for fewer rounds
 * than that is counted from round to round. */
enum { HP5_LONG_STRETCH = 8 };
static inline int64_t hp5_stretch_stop(int64_t first, int64_t zero, int64_t by, int64_t end) {
    if (first < 0) return first + 1;
    return end - first > by - (first - zero) ? first + (by - (first - zero)) : end;
}
/* Behind the round before (or none, if it is the first one): the quotient of the index, and the multiple that its remainder is counted from. */
static inline bool hp5_counts_on(int64_t index, int64_t by, bool first, int64_t *over, int64_t *zero) {
    if (first || by <= 0 || index <= 0) return false;
    const bool next = index - *zero == by;
    *over += next;
    *zero = next ? index : *zero;
    return true;
}
static inline void hp5_step_quotient(int64_t index, int64_t by, bool first, int64_t *over, int64_t *zero, const char *file, int line) {
    if (hp5_counts_on(index, by, first, over, zero)) return;
    *over = hp5_divide(index, by, file, line);
    *zero = index - hp5_modulo(index, by, file, line);
}
/* The same where what is asked first is the remainder. */
static inline void hp5_step_remainder(int64_t index, int64_t by, bool first, int64_t *over, int64_t *zero, const char *file, int line) {
    if (hp5_counts_on(index, by, first, over, zero)) return;
    *zero = index - hp5_modulo(index, by, file, line);
    *over = hp5_divide(index, by, file, line);
}

/* Before a loop that adds products one after the other: two of its rounds at a time wait less for the loop itself. */
#if defined __clang__
#define HP5_BY_TWO
#else
#define HP5_BY_TWO _Pragma("GCC unroll 2")
#endif

/* Iterations of a loop that is computed in 32 bits where all that it reads is small: -limit <= value < limit, a power of 2. Distances
 * from -limit, or-ed, say whether it is. */
enum { HP5_BLOCK = 1024 };
static inline uint32_t hp5_distance(int64_t value, int64_t limit) {
    return value >= -limit && value < limit ? (uint32_t)(value + limit) : UINT32_MAX;
}
static inline uint32_t hp5_distances(const int32_t *from, int64_t count, int64_t limit) {
    uint32_t any = 0;
    for (int64_t i = 0; i < count; i++) any |= (uint32_t)from[i] + (uint32_t)limit;
    return any;
}
static inline bool hp5_is_near(uint32_t any, int64_t limit) { return any < 2 * (uint32_t)limit; }

/* Elements that accumulate side by side: enough to hide the time that an addition takes. */
enum { HP5_ABREAST = 8 };

/* Rows that are added to a row in one pass along it. */
enum { HP5_AT_ONCE = 8 };

/* Iterations that come back to the same elements again and again, before those of the next block do (compiler/lower/blocked.c): of six arrays of
 * Reals, a third of a first-level cache. */
enum { HP5_IN_BLOCK = 256 };

/* Elements of a row that are put side by side with those of its neighbours at a time, and whether as many rows use them as that costs. */
enum { HP5_TURNED_DEPTH = 64 };
static inline bool hp5_pays_to_turn(int64_t rows, int64_t columns, int64_t lanes) { return rows >= 8 && columns >= lanes; }

/* Iterations that go side by side through the loops inside of theirs: two vectors of the widest kind, or more of narrower ones. */
enum { HP5_NEIGHBOURS = 16, HP5_HALF_NEIGHBOURS = 8 }; /* half: of what is left, once */
/* Where loops inside have bounds that move with them: so many that gcc does not write them out one by one before it makes vectors. */
enum { HP5_MANY_NEIGHBOURS = 32 };
/* Where these wait for the round before: so many that one computes while the others wait, and that registers have room for. */
enum { HP5_FEW_NEIGHBOURS = 4 };
/* Where each lane leaves a loop when its own condition says so: as few as that go on alone. */
enum { HP5_ALONE = 2 };
static inline bool hp5_fills_lanes(int64_t first, int64_t end, uint64_t lanes) {
    return first < end && (uint64_t)end - (uint64_t)first >= lanes;
}

/* What is added to an index, `first` on, for the remainder of a sum with it: sum % by - first. The piece ends, before *stop, where the remainder jumps. */
static inline int64_t hp5_wrap(int64_t sum, int64_t by, int64_t first, int64_t *stop, const char *file, int line) {
    const int64_t rest = hp5_modulo(sum, by, file, line);
    const uint64_t size = by < 0 ? -(uint64_t)by : (uint64_t)by;
    const uint64_t rounds = sum >= 0 ? size - (uint64_t)rest : rest < 0 ? -(uint64_t)rest + 1 : 1;
    if (rounds < (uint64_t)*stop - (uint64_t)first) *stop = first + (int64_t)rounds;
    return rest - first;
}

/* Whether elements of `size` bytes that a loop over a view's dimension comes to are too many for a cache. */
enum { HP5_ROUNDS_AHEAD = 8, HP5_CACHE_LINE = 64, HP5_NEAR = 8 << 20 };
static inline bool hp5_is_far(const Hp5View *view, int d, size_t size) {
    return (uint64_t)view->store->stride[d] * (uint64_t)view->store->extent[d] * size > HP5_NEAR;
}
/* Whether a store without places has elements with this index. */
static inline bool hp5_holds(const Hp5View *view, int d, int64_t index) {
    return (uint64_t)index - (uint64_t)view->store->lo[d] < (uint64_t)view->store->extent[d];
}
/* Asks for bytes that a round HP5_ROUNDS_AHEAD further on reads, whether there is one or not. */
static inline void hp5_fetch(const void *bytes, size_t count) {
    for (size_t b = 0; b < count; b += HP5_CACHE_LINE) __builtin_prefetch((const char *)bytes + b);
}

/* Whether a loop with so many rounds, at least one, comes to other elements from `a` on than from `b` on. */
static inline bool hp5_are_apart(int64_t a, int64_t b, int64_t rounds) {
    return rounds > 0 && (a > b ? (uint64_t)a - (uint64_t)b : (uint64_t)b - (uint64_t)a) >= (uint64_t)rounds;
}

/* Neighbours that keep nothing for themselves go side by side in pieces of rows: long ones, for memory is read along them, and short enough that
 * those of a few rows stay in a first-level cache. */
enum { HP5_ALONG = 512 };
static inline int64_t hp5_lanes_along(int64_t first, int64_t end) {
    return (uint64_t)end - (uint64_t)first < HP5_ALONG ? end - first : (int64_t)HP5_ALONG;
}

/* Integers of which some can be added up without passing the limits. */
#define HP5_MODERATE ((int64_t)1 << 40)
static inline bool hp5_is_moderate(int64_t value) { return value > -HP5_MODERATE && value < HP5_MODERATE; }

/* Elements of a row that accumulate side by side in registers: of 32 or of 16, half. */
#if defined __AVX512F__
#define HP5_ROW_LANES(type) ((int64_t)(512 / sizeof(type)))
#define HP5_HALF_ROW_LANES(type) ((int64_t)(256 / sizeof(type)))
#else
#define HP5_ROW_LANES(type) ((int64_t)(256 / sizeof(type)))
#define HP5_HALF_ROW_LANES(type) ((int64_t)(128 / sizeof(type)))
#endif
/* In a loop around sums that stay in registers: gcc's predictive commoning, which would put them into memory to save loads of
 * other elements, leaves loops with assembly alone. */
#define HP5_IN_REGISTERS __asm__ volatile("")
/* For gcc a pointer made of an Integer may point to any local, even to one that stays in registers; behind this it does not. */
#define HP5_NOT_LOCAL(pointer) __asm__("" : "+r"(pointer))
#endif
