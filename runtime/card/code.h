/* What the text for cards includes: CUDA C++, for nvcc and for the simulator (tests/card). How to read it: C's words in C++ and headers that
 * both languages read; failures; the worker; what flow functions call: waits, epochs, padding; stages. Crews stand in crew.h, reductions in joining.h. */
#ifndef HP5_RUNTIME_CARD_CODE_H
#define HP5_RUNTIME_CARD_CODE_H
#define _CG_LIMIT_INCLUDED_DEPENDENCIES /* not cuda::std, of which only waits of the grid would be compiled: 60 % of nvcc's time */
#include <cooperative_groups.h>
#include <cuda_pipeline.h>
#include <cuda_runtime.h>
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Comparisons of what is stored in few bits may be known: that is no mistake (runtime/generated.h). */
#ifdef __NVCC__
#pragma nv_diag_suppress 186
#else
#pragma GCC diagnostic ignored "-Wtype-limits"
#endif

/* ---- Headers of C ------------------------------------------------------------------------------------------------ */
#define HP5_ON_CARD 1
#define restrict __restrict__
#define _Atomic
#define _Static_assert static_assert
#pragma push_macro("inline")
#define inline __device__ inline
/* What says that something is wrong is there once, and called: wherever it may happen CUDA's compiler would print it again, and some kernels were little else. Nobody comes back from it, so it costs
 * loops around it nothing. */
#define HP5_FAILS __device__ __noinline__
/* What takes long whoever comes to it, waits of the grid or copies, say: called in kernels that have such text several times, of which hp5c knows. Others would lose a little by it: behind a call
 * that comes back threads of a warp are not known to be together, and a function finds out for itself where memory is. */
#ifdef HP5_CALLS
#define HP5_APART __device__ __noinline__
#else
#define HP5_APART __device__
#endif

/* ---- Failures ---------------------------------------------------------------------------------------------------- */
#include "runtime/card/card.h"
static __device__ Hp5CardFailure *hp5_card_failure; /* set before a launch (cuda_driver.h) */

static HP5_FAILS char *hp5_said(char *at, char *end, const char *text) {
    while (*text != '\0' && at < end) *at++ = *text++;
    return at;
}
static HP5_FAILS char *hp5_said(char *at, char *end, long long number) {
    char digits[24];
    int count = 0;
    unsigned long long rest = number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number;
    do digits[count++] = (char)('0' + rest % 10);
    while ((rest /= 10) > 0);
    if (number < 0 && at < end) *at++ = '-';
    while (count-- > 0 && at < end) *at++ = digits[count];
    return at;
}
static inline char *hp5_said(char *at, char *end, int number) { return hp5_said(at, end, (long long)number); }
static HP5_FAILS char *hp5_said(char *at, char *end, double number) {
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    if (at < end) *at++ = HP5_CARD_REAL;
    for (int shift = 60; shift >= 0 && at < end; shift -= 4) *at++ = "0123456789abcdef"[bits >> shift & 15];
    return at;
}

/* Up to the next conversion: %s, %d, %lld or %g. */
static HP5_FAILS const char *hp5_say_plain(char **at, char *end, const char *format) {
    for (; *format != '\0' && *format != '%'; format++)
        if (*at < end) *(*at)++ = *format;
    if (*format == '%') format++;
    while (*format == 'l') format++;
    return *format == '\0' ? format : format + 1;
}
/* Returns how many characters that is. */
template <class... Values> static inline int hp5_say(char *const begin, char *end, const char *format, Values... values) {
    char *at = begin;
    ((format = hp5_say_plain(&at, end, format), at = hp5_said(at, end, values)), ...);
    hp5_say_plain(&at, end, format);
    *at = '\0';
    return (int)(at - begin);
}
#define HP5_SAY(text, size, ...) hp5_say(text, (text) + (size) - 1, __VA_ARGS__)
template <class... Values> [[noreturn]] static HP5_FAILS void hp5_fail_at(const char *file, int line, const char *format, Values... values) {
    Hp5CardFailure *failure = hp5_card_failure;
    if (atomicCAS(&failure->failed, 0, 1) == 0) {
        hp5_say(failure->file, failure->file + sizeof failure->file - 1, "%s", file);
        hp5_say(failure->text, failure->text + sizeof failure->text - 1, format, values...);
        failure->line = line;
        __threadfence_system();
        failure->failed = 2;
        __threadfence_system();
    } else {
        while (*(volatile int *)&failure->failed == 1) {}
    }
    __trap();
    for (;;) {}
}

#ifndef hp5_pause /* while another crew is waited for */
#define hp5_pause() __nanosleep(100)
#endif

/* Before a kernel's name: so many registers for a thread, at most. */
#if defined __CUDACC_VER_MAJOR__ && __CUDACC_VER_MAJOR__ * 100 + __CUDACC_VER_MINOR__ >= 1204
#define HP5_REGISTERS(count) __maxnreg__(count)
#else
#define HP5_REGISTERS(count)
#endif

/* ---- The worker -------------------------------------------------------------------------------------------------- */
/* A thread's view of the run; the threads of a crew have the same. */
typedef struct Hp5Worker {
    Hp5CardRun *run;
    const int *position, *positions; /* for each LPS */
    int number;
} Hp5Worker;

#define HP5_ASK static inline
#define HP5_ASK_LONG static HP5_APART
#define HP5_ASK_ROLLED _Pragma("unroll 1")
#include "runtime/array/index_set_ask.h"
#include "runtime/array/reduce.h"
#include "runtime/inline.h"
#include "runtime/checked.h"
#include "runtime/lpu/own.h"
#include "runtime/card/crew.h"
#include "runtime/card/chunks.h"
#include "runtime/card/copying.h"
#include "runtime/card/stage_clock.h"
#include "runtime/card/ask_host.h"
#include "runtime/card/joining.h"
#include "runtime/card/walks.h"
#include "runtime/card/product_tiles.h"
#include "runtime/card/row_pieces.h"
#include "runtime/card/folds.h"
#include "runtime/card/near.h"
#include "runtime/card/batch.h"
#include "runtime/card/streams.h"
#include "runtime/card/down.h"
#include "runtime/card/owners.h"
#include "runtime/card/tallies.h"
#include "runtime/card/quick.h"
#pragma pop_macro("inline")

/* Values of an array's subscripts, for a function. */
struct Hp5Indices { int64_t at[HP5_MAX_RANK]; };
#define HP5_INDICES(...) (Hp5Indices{{__VA_ARGS__}}.at)

/* `spread`: neighbouring warps are in different blocks, so that few LPUs, which the first warps have, are on as many multiprocessors as they can be. */
static __device__ void hp5_worker_begin(Hp5Worker *worker, Hp5CardRun *run, Hp5Tier lowest, bool spread = false) {
    const int thread = (int)(blockIdx.x * blockDim.x + threadIdx.x);
    const int warp = spread ? (int)(threadIdx.x / HP5_WARP_THREADS * gridDim.x + blockIdx.x) : thread / HP5_WARP_THREADS;
    const int number = lowest == HP5_CARD_TIER ? 0 : lowest == HP5_BLOCK_TIER ? (int)blockIdx.x : lowest == HP5_WARP_TIER ? warp : thread;
    worker->run = run;
    worker->number = number;
    worker->position = run->position + number * run->lps_count;
    worker->positions = run->positions + number * run->lps_count;
}

/* ---- What flow functions call -------------------------------------------------------------------------------------- */
static __device__ Hp5Crew hp5_crew(const Hp5Worker *worker, int lps) { return Hp5Crew{(Hp5Tier)worker->run->tiers[lps]}; }

static __device__ int64_t hp5_walk(const Hp5Worker *worker, const Hp5Grid *grid, int64_t position) {
    const Hp5CardLps *lps = &worker->run->lpses[grid->lps];
    return lps->ordered ? hp5_walked(grid, lps->dims, lps->descends, position) : position;
}

static __device__ bool hp5_leads(const Hp5Worker *worker, int lps) { return hp5_crew(worker, lps).rank() == 0; }

static __device__ void hp5_sync(const Hp5Worker *worker, int lps) { hp5_crew(worker, lps).sync(); }

#include "runtime/card/checking.h"

#define hp5_repeats(worker, step, condition) (condition)
#define hp5_chooses(worker, condition) (condition)
#define HP5_STAGE(worker, number, of_lpu, function, ...)         \
    do {                                                         \
        const int64_t hp5_began = hp5_stage_begins(worker);      \
        function(worker, ##__VA_ARGS__);                         \
        hp5_stage_ends(worker, number, of_lpu, hp5_began);       \
    } while (0)
#define HP5_STAGE_GATHERING(worker, number, of_lpu, group, function, ...)                                           \
    do {                                                                                                            \
        if ((worker)->run->strays[group]) HP5_STAGE(worker, number, of_lpu, function##_strict, ##__VA_ARGS__);      \
        else HP5_STAGE(worker, number, of_lpu, function, ##__VA_ARGS__);                                            \
    } while (0)

/* The element's place in the store, in elements. */
static __device__ int64_t hp5_place_in(const Hp5View *view, const int64_t *index, const char *name, const char *file, int line) {
    for (int d = 0; d < view->store->rank; d++)
        if (!hp5_set_contains(&view->part[d], index[d]))
            hp5_fail_at(file, line, "index %lld of %s lies outside the LPU's part in dimension %d", (long long)index[d], name, d + 1);
    return hp5_offset(view->store, index);
}

static __device__ const void *hp5_place(const Hp5View *view, int lag, const int64_t *index, const char *name, const char *file, int line) {
    return hp5_element(view->store, lag, hp5_place_in(view, index, name, file, line));
}

/* Of a store that is split. */
template <class Value>
static __device__ Value hp5_place_value(const Hp5View *view, int lag, const int64_t *index, const char *name, const char *file, int line) {
    const Hp5Store *store = view->store;
    const int64_t at = hp5_place_in(view, index, name, file, line);
    Value value;
    for (int f = 0; f < store->fields->field_count; f++) {
        const Hp5Field *field = &store->fields->fields[f];
        memcpy((char *)&value + field->offset, hp5_field(store, lag, at, field), hp5_field_bytes(field));
    }
    return value;
}

[[noreturn]] static HP5_FAILS void hp5_fail_gathered(const Hp5View *view, int dim, int64_t index, const char *variable, const char *indices, int rank,
                                                     const int64_t *position, const char *stage, const char *file, int line) {
    char from[256], *at = from, *end = from + sizeof from - 1;
    at = hp5_said(at, end, indices);
    for (int d = 0; d < rank; d++) {
        at = hp5_said(at, end, "[");
        at = hp5_said(at, end, (long long)position[d]);
        at = hp5_said(at, end, "]");
    }
    *at = '\0';
    hp5_fail_at(file, line, "%s: index %lld of dimension %d of %s, taken from %s, is outside its indices, which are %lld to %lld", stage,
                (long long)index, dim + 1, variable, (const char *)from, (long long)view->part[dim].begin, (long long)view->part[dim].end - 1);
}
static __device__ int64_t hp5_gathered(const Hp5View *view, int dim, int64_t index, const char *variable, const char *indices, int rank,
                                       const int64_t *position, const char *stage, const char *file, int line) {
    if (!hp5_set_contains(&view->part[dim], index)) hp5_fail_gathered(view, dim, index, variable, indices, rank, position, stage, file, line);
    return index;
}

static __device__ int64_t hp5_lpu_id(const Hp5Lpu *lpu, int64_t d, const char *file, int line) {
    int dims = 0;
    while (lpu->grid && dims < HP5_MAX_RANK && lpu->grid->extent[dims] > 0) dims++;
    if (d < 0 || d >= dims)
        hp5_fail_at(file, line, "lpuId[%lld]: the Space has %d dimension%s, so the index must be from 0 to %d", (long long)d, dims,
                    dims == 1 ? "" : "s", dims - 1);
    int64_t rest = lpu->number;
    for (int j = dims - 1; j > d; j--) rest /= lpu->grid->extent[j];
    return rest % lpu->grid->extent[d];
}

/* ---- <dynamic> LPSes: crews take LPUs as they get free ------------------------------------------------------------------- */
typedef struct Hp5Visit {
    const Hp5Worker *worker;
    Hp5Grid *grid;
} Hp5Visit;

static __device__ Hp5Visit hp5_visit_begin(const Hp5Worker *worker, Hp5Grid *grid) {
    hp5_sync(worker, worker->run->lpses[grid->lps].parent);
    return Hp5Visit{worker, grid};
}
static __device__ Hp5Lpu *hp5_visit_next(Hp5Visit *visit) {
    const int lps = visit->grid->lps;
    const Hp5Crew crew = hp5_crew(visit->worker, lps);
    unsigned long long at = 0;
    if (visit->worker->position[lps] == visit->worker->positions[lps]) return NULL;
    if (crew.rank() == 0) at = atomicAdd((unsigned long long *)&visit->grid->taken, 1ull);
    hp5_from_first(visit->worker, crew, &at);
    return at < (unsigned long long)visit->grid->own ? &visit->grid->lpus[at] : NULL;
}
static __device__ void hp5_visit_end(const Hp5Worker *worker, Hp5Visit *visit) {
    const Hp5Crew crew = hp5_crew(worker, worker->run->lpses[visit->grid->lps].parent);
    crew.sync();
    if (crew.rank() == 0) visit->grid->taken = 0;
    crew.sync();
}

/* ---- InstanceLimit: an LPU takes a place before it runs (runtime/run/limits.c) --------------------------------------------- */
static __device__ void hp5_enter(const Hp5Worker *worker, int lps) {
    const Hp5Crew crew = hp5_crew(worker, lps);
    Hp5CardLimit *limit = &worker->run->limits[lps];
    for (bool has = crew.rank() != 0; !has;) {
        const unsigned long long taken = atomicAdd(&limit->taken, 0ull);
        has = taken < limit->places && atomicCAS(&limit->taken, taken, taken + 1) == taken;
        if (has) atomicMax(&limit->most, taken + 1);
        else hp5_pause();
    }
    crew.sync();
}
static __device__ void hp5_leave(const Hp5Worker *worker, int lps) {
    const Hp5Crew crew = hp5_crew(worker, lps);
    crew.sync();
    if (crew.rank() == 0) atomicAdd(&worker->run->limits[lps].taken, ~0ull);
}

/* ---- Rounds that LPUs run together ------------------------------------------------------------------------------------------ */
/* Of the grid's LPUs, by their numbers: in the card's memory, for all threads of a crew. */
static __device__ Hp5Rounds *hp5_rounds_of(const Hp5Worker *worker, int lockstep, const Hp5Grid *grid) {
    return worker->run->rounds + lockstep * worker->run->rounds_each + (grid->own > 0 ? grid->lpus[0].flat : 0);
}
#define hp5_rounds_ask(worker, rounds, condition) ((rounds)->left = (condition))

/* Whether any thread of the crew says so. */
static __device__ bool hp5_any(const Hp5Worker *worker, int lps, bool mine) {
    const Hp5Crew crew = hp5_crew(worker, lps);
    int64_t any = hp5_join_crew<Hp5Of_lor>(worker, crew, mine);
    hp5_from_first(worker, crew, &any);
    return hp5_is_spread(worker, lps) ? hp5_any_process(worker, lps, any != 0) : any != 0;
}

/* ---- Copies of LPUs (runtime/move/copies.c) --------------------------------------------------------------------------- */
static __device__ Hp5Store *hp5_store_above(const Hp5Worker *worker, const Hp5Lpu *lpu, int lps, int slot) {
    const Hp5Holder holder = worker->run->lpses[lps].holders[slot];
    for (int up = holder.up; up > 0; up--) lpu = lpu->parent;
    return lpu->views[holder.slot].store;
}

/* By all threads of the LPU's crew; of an LPU that several processes run, in the first of these, which has what is copied. */
static __device__ void hp5_copy_in(const Hp5Worker *worker, const Hp5Lpu *lpu, int lps, int slot) {
    if (!hp5_hosts(worker, lps)) return;
    const Hp5Crew crew = hp5_crew(worker, lps);
    const Hp5View *view = &lpu->views[slot];
    const Hp5Store *to = view->store, *entry = to->entry, *from = hp5_store_above(worker, lpu, lps, slot);
    crew.sync();
    hp5_each_element(crew, view, false, [=](const int64_t *index) {
        const int64_t there = hp5_offset(to, index), here = hp5_offset(from, index);
        for (int k = 0; k < to->versions; k++) {
            hp5_element_copy(to, k, there, from, k, here);
            if (entry != NULL) hp5_element_copy(entry, k, there, from, k, here);
        }
    });
    crew.sync();
}

/* How many Epochs have advanced the element since it was as in `before`; -1: it has changed otherwise. */
static __device__ int hp5_advances_since(const Hp5Store *before, int64_t at, const Hp5Store *store, int64_t position) {
    for (int n = 0; n < store->versions; n++) {
        int k = 0;
        while (k < store->versions && hp5_element_same(store, k, position, before, k < n ? 0 : k - n, at)) k++;
        if (k == store->versions) return n;
    }
    return -1;
}

/* One crew at a time: other LPUs may hold the same elements. */
static __device__ void hp5_lock_store(Hp5Crew crew, Hp5Store *store) {
    if (crew.rank() == 0)
        while (atomicExch(&store->handing, 1) != 0) hp5_pause();
    __threadfence();
    crew.sync();
}
static __device__ void hp5_unlock_store(Hp5Crew crew, Hp5Store *store) {
    __threadfence();
    crew.sync();
    if (crew.rank() == 0) atomicExch(&store->handing, 0);
}

static __device__ void hp5_copy_out(const Hp5Worker *worker, const Hp5Lpu *lpu, int lps, int slot, bool alike) {
    if (!hp5_hosts(worker, lps)) return;
    const Hp5Crew crew = hp5_crew(worker, lps);
    const Hp5View *view = &lpu->views[slot];
    const Hp5Store *from = view->store, *entry = from->entry;
    Hp5Store *to = hp5_store_above(worker, lpu, lps, slot);
    crew.sync();
    if (entry != NULL) hp5_lock_store(crew, to);
    hp5_each_element(crew, view, true, [=](const int64_t *index) {
        const int64_t there = hp5_offset(to, index), here = hp5_offset(from, index);
        const int mine = entry == NULL ? -1 : hp5_advances_since(entry, here, from, here);
        const int others = mine > 0 ? hp5_advances_since(entry, here, to, there) : 0;
        if (mine >= 0 && (others < 0 || others >= mine)) return;
        for (int k = 0; k < to->versions; k++) hp5_element_copy(to, k, there, from, alike ? 0 : k, here);
    });
    if (entry != NULL) hp5_unlock_store(crew, to);
    crew.sync();
}

static __device__ void hp5_shift_versions(Hp5Store *store) {
    char *oldest = store->version[store->versions - 1];
#pragma unroll 1
    for (int k = store->versions - 1; k > 0; k--) store->version[k] = store->version[k - 1];
    store->version[0] = oldest;
}

/* See runtime/run/run.h. */
static __device__ void hp5_epoch(const Hp5Worker *worker, int lps, const Hp5View *view, bool rotates) {
    const Hp5Crew crew = hp5_crew(worker, lps);
    Hp5Store *store = view->store;
    const bool own = store->lps == lps && store->versions > 2;
    if (!rotates && store->versions < 2) return;
    crew.sync();
    if ((rotates || own) && crew.rank() == 0) hp5_shift_versions(store);
    if (rotates || own) crew.sync();
    if (rotates) return;
    for (int k = own ? 0 : store->versions - 1; own ? k == 0 : k > 0; k--) {
        hp5_copy_part(crew, view, k, own ? 1 : k - 1);
        crew.sync();
    }
}

static __device__ void hp5_take_on(const Hp5Worker *worker, int lps, const Hp5View *view, const int64_t *bounds) {
    const Hp5Crew crew = hp5_crew(worker, lps);
    const Hp5Store *store = view->store;
    hp5_each_element(crew, view, false, [=](const int64_t *index) {
        bool inside = true;
        for (int d = 0; bounds != NULL && d < store->rank; d++) inside = inside && index[d] >= bounds[2 * d] && index[d] <= bounds[2 * d + 1];
        const int64_t at = inside ? hp5_offset(store, index) : 0;
        if (inside) hp5_element_copy(store, 0, at, store, 1, at);
    });
    crew.sync();
}

/* The same where several LPUs hold the elements, of which one at a time advances its part (runtime/run/run.h). */
static __device__ void hp5_epoch_shared(const Hp5Worker *worker, int lps, const Hp5View *view, bool close) {
    const Hp5Crew crew = hp5_crew(worker, lps);
    Hp5Store *store = view->store;
    crew.sync();
    hp5_lock_store(crew, store);
    hp5_each_element(crew, view, false, [=](const int64_t *index) {
        const int64_t at = hp5_offset(store, index);
        const bool now = store->versions == 2 || (!close && store->advanced[at] == 0);
        for (int k = store->versions - 1; now && k > 0; k--) hp5_element_copy(store, k, at, store, k - 1, at);
        if (store->versions > 2) store->advanced[at] = !close;
    });
    hp5_unlock_store(crew, store);
    crew.sync();
}

#include "runtime/card/padding.h"

/* What lies in other processes comes in messages. */
static __device__ void hp5_exchange(const Hp5Worker *worker, int exchange, const Hp5Lpu *parent) {
    const Hp5CardExchange *what = &worker->run->exchanges[exchange];
    if (!what->divided) hp5_exchange_here(worker->run, what, parent);
    if (!hp5_is_spread(worker, what->parent)) return;
    hp5_call_for(worker->run, HP5_CALL_EXCHANGE, exchange, parent, NULL);
    hp5_hand_over(worker->run);
}
#endif
