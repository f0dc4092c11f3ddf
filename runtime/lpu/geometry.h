/* What LPUs there are, by formula: everything that parts and owners follow from, and the functions that compute them one at
 * a time. Any process can ask about any LPU; nothing here looks at elements, and nothing costs more than the question.
 *
 * A process runs a segment of the task's PPUs (all of them, where there is one address space). It has records (Hp5Lpu, tree.h)
 * of the LPUs whose PPUs are in its segment; of others it makes them up when it needs them (scout.h). Both kinds are Hp5Lpu,
 * so that the functions here take either.
 *
 *   geometry.c        shapes of LPSes, holders, which PPUs run an LPU
 *   parts.c           extents of grids, parts of dimensions, the messages for arguments that do not fit
 *   level_counts.c          counts from --machine and --threads
 *   placing.c         index mapping functions; placing_blocks.c, blocks.c: blocks of the grid */
#ifndef HP5_RUNTIME_GEOMETRY_H
#define HP5_RUNTIME_GEOMETRY_H
#include "runtime/lpu/lpu.h"

struct Hp5IdleScout;

/* Consecutive PPUs: threads of a task, counted over all its segments. */
typedef struct Hp5Span {
    int first, count;
} Hp5Span;

/* Where a variable's part comes from: the nearest ancestor LPS that lists the array. */
typedef struct Hp5Holder {
    int up;   /* LPUs to climb from the LPU itself (1: its parent) */
    int slot; /* in its views */
} Hp5Holder;

typedef struct Hp5LpsShape {
    int child_count, *children; /* LPS numbers, ascending */
    int slot;                   /* this LPS among its parent's children */
    Hp5Holder *holders;         /* for each listed variable (Root: NULL) */
    int64_t lpus;               /* records of this LPS in all */
} Hp5LpsShape;

typedef struct Hp5Geometry {
    const Hp5TaskDesc *desc;
    int64_t *args;        /* [arg_count] partition arguments */
    int *level_counts;    /* for each LPS: PPUs of its level in the PPU of its parent LPS */
    int *machine_counts;  /* PPUs of each level of the model in one of the level above, as --machine says; NULL: as the model says */
    Hp5LpsShape *shapes;  /* for each LPS */
    int ppus;             /* threads of the task in all segments */
    Hp5Span mine;         /* those of this process */
    int each;             /* threads of each segment, where PPUs above have whole segments; 0: one segment, or nothing is known of them */
    struct Hp5IdleScout *idle_scout; /* where one waits for who asks next (scout.h); NULL: none does */
    int *within;          /* where `each` is set, for each LPS: PPUs of its level in a segment, 0 for those of whole segments */
} Hp5Geometry;

/* LPUs of a grid whose PPUs are not those of the plain rule. */
typedef struct Hp5Placed {
    const int32_t *owner;           /* for each LPU its PPU; NULL where it is computed: from `blocks`, or else by the function */
    const int32_t *order;           /* records (indices of Hp5Grid.lpus), PPU after PPU */
    const int64_t *starts;          /* where each PPU's begin in `order`, and one more */
    const struct Hp5Blocks *blocks; /* blocks.h */
} Hp5Placed;

/* Allocates and fills geometry->shapes (one piece; hp5_free frees it). desc must be set. */
void hp5_shapes_create(Hp5Geometry *geometry);
/* Which dimensions of an ordered LPS are walked downwards: descends[lps->dims]. */
void hp5_descends(const Hp5LpsDesc *lps, bool *descends);
/* The slot of an array in the views of an LPS's LPUs, or -1. */
int hp5_slot_of(const Hp5TaskDesc *desc, int lps, int array);
/* Whether an LPS dimension of a listed variable divides with padding. */
bool hp5_has_padding(const Hp5TaskDesc *desc, int lps, int slot);
/* The LPS between whose LPUs an exchange moves elements: the array's home or, where its copies are not the array, the one that is left. */
static inline int hp5_exchange_level(const Hp5TaskDesc *desc, Hp5ExchangeDesc exchange) {
    const int home = desc->arrays[exchange.array].home;
    return home != 0 ? home : exchange.lps;
}
/* A partition argument's value, `absent` for HP5_NO_ARG. */
static inline int64_t hp5_argument(const Hp5Geometry *geometry, int index, int64_t absent) {
    return index == HP5_NO_ARG ? absent : geometry->args[index];
}

/* ---- PPUs ----------------------------------------------------------------------------------------- */

/* How many PPUs of `lps` a group of `threads` threads makes up. */
int hp5_ppus(const Hp5Geometry *geometry, int lps, int threads);
/* The threads of PPU i of `ppus` of `lps` in the parent's T threads: i*T/n … (i+1)*T/n - 1, in whole segments where the PPU has several. */
Hp5Span hp5_span_of(const Hp5Geometry *geometry, int lps, Hp5Span parent, int ppus, int i);
/* When `count` LPUs go to `ppus` PPUs in runs of equal length, the first ones longer: the PPU of position `position`, and the
 * first position of PPU `ppu` (ppus: the end). */
int64_t hp5_ppu_of_run(int64_t position, int64_t count, int64_t ppus);
int64_t hp5_run_start(int64_t ppu, int64_t count, int64_t ppus);
/* The threads that run LPU `number` of a grid whose parent LPU is run by `parent`. */
Hp5Span hp5_lpu_span(const Hp5Geometry *geometry, const Hp5Grid *grid, int64_t number, Hp5Span parent);
/* The threads that run an LPU. */
Hp5Span hp5_threads_of(const Hp5Geometry *geometry, const Hp5Lpu *lpu);
static inline bool hp5_spans_meet(Hp5Span a, Hp5Span b) { return a.first < b.first + b.count && b.first < a.first + a.count; }

/* ---- Parts ---------------------------------------------------------------------------------------- */

/* The view that listed variable v of `lps` divides, for LPUs of `lps` in `parent`. */
const Hp5View *hp5_held_view(const Hp5Geometry *geometry, int lps, int v, const Hp5Lpu *parent);
/* Extents of the grid of `lps` in `parent`; returns the number of its LPUs. Ends the program where variables do not agree, or
 * for more than 2^31 - 1 LPUs. */
int64_t hp5_grid_extents(const Hp5Geometry *geometry, int lps, const Hp5Lpu *parent, int64_t *extent);
/* Ends the program: 2^31 LPUs or more in one LPU of the parent. */
__attribute__((noreturn)) void hp5_too_many_lpus(const Hp5TaskDesc *desc, int lps);
/* Part `p` of one dimension: padding included; *own gets the hull of the part without it. `parent`: what is divided, in that
 * dimension. Ends the program for padding around parts with gaps. */
Hp5Set hp5_part_of(const Hp5Geometry *geometry, int lps, const Hp5LpsVarDesc *var, const Hp5DimDesc *dim, const Hp5Set *parent,
                  int64_t p, Hp5Run *own, Hp5Pool *pool);
/* The parts of one dimension that have indices in [lo, hi), with their padding if `padded`: `count` parts from `first` on, and on
 * from 0 after the last of the dimension's `parts`. Costs the same however many parts there are. */
typedef struct Hp5PartRange {
    int64_t first, count;
} Hp5PartRange;
Hp5PartRange hp5_parts_meeting(const Hp5Geometry *geometry, int lps, const Hp5DimDesc *dim, const Hp5Set *parent, int64_t parts,
                               int64_t lo, int64_t hi, bool padded);

/* ---- Placing -------------------------------------------------------------------------------------- */

/* The PPU of one LPU as the mapping function of its LPS says, or of LPUs first … first + count - 1. */
void hp5_place_by_function(const Hp5Geometry *geometry, const Hp5Grid *grid, int ppus, int64_t first, int64_t count, int32_t *owner);
#endif
