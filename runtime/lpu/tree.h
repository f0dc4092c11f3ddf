/* The tree of a run's LPUs, for the runtime's own files.
 *
 *   levels.c          level counts, which threads run which PPU
 *   tree.c            argument checks, the LPU tree with its parts
 *   placing.c         which PPU runs which LPU, where that is not the plain rule; placing_blocks.c: blocks of the grid */
#ifndef HP5_RUNTIME_TREE_H
#define HP5_RUNTIME_TREE_H
#include "runtime/lpu/lpu.h"

struct Hp5TaskRun;
struct Hp5Worker;

/* Memory that lives as long as the run: many small records from few large pieces. */
typedef struct Hp5Slab {
    struct Hp5SlabPiece *pieces;
    char *at, *end;
    int64_t taken;
} Hp5Slab;
void *hp5_slab_take(Hp5Slab *slab, int64_t bytes); /* 16-byte aligned, not cleared */
void hp5_slab_free(Hp5Slab *slab);

/* Where a variable's part comes from: the nearest ancestor LPS that lists the array. */
typedef struct Hp5Holder {
    int up;
    int slot;
} Hp5Holder; /* LPUs to climb from the LPU itself (1: its parent); slot in its views */

typedef struct Hp5LpsShape {
    int child_count, *children; /* LPS numbers, ascending */
    int slot;                   /* this LPS among its parent's children */
    Hp5Holder *holders;         /* for each listed variable (Root: NULL) */
    int64_t lpus;               /* LPUs of this LPS in all */
    struct Hp5LastLayout *layout; /* of placing_blocks.c; NULL until there is one */
} Hp5LpsShape;

/* A group of consecutive threads, as a value. */
typedef struct Hp5Span {
    int first, count;
} Hp5Span;

/* levels.c */
/* How many PPUs of `lps` a group of `threads` threads makes up. */
int hp5_ppus(const struct Hp5TaskRun *run, int lps, int threads);
/* The threads that run LPU number `number` of a grid whose parent LPU is run by `parent`. */
Hp5Span hp5_lpu_span(const struct Hp5TaskRun *run, const Hp5Grid *grid, int64_t number, Hp5Span parent);

/* placing.c: gives the LPUs of a new grid to PPUs, where that is not the plain rule. */
void hp5_grid_place(struct Hp5TaskRun *run, Hp5Lpu *parent, Hp5Grid *grid);
/* placing_blocks.c: each LPU's PPU, or NULL where contiguous runs are as good. */
int32_t *hp5_grid_blocks(struct Hp5TaskRun *run, Hp5Lpu *parent, const Hp5Grid *grid, int ppus);

/* tree.c */
/* The view that listed variable v of `lps` divides, for LPUs of `lps` in `parent`. */
const Hp5View *hp5_held_view(const struct Hp5TaskRun *run, int lps, int v, Hp5Lpu *parent);
void hp5_check_args(const Hp5TaskDesc *desc, const int64_t *args);
void hp5_tree_create(struct Hp5TaskRun *run);
/* Ends the program: 2^31 LPUs or more in one LPU of the parent. */
__attribute__((noreturn)) void hp5_too_many_lpus(const struct Hp5TaskRun *run, int lps);

/* Climbs `up` LPUs. */
static inline Hp5Lpu *hp5_ancestor(Hp5Lpu *lpu, int up) {
    while (up-- > 0) lpu = lpu->parent;
    return lpu;
}
/* The slot of an array in the views of an LPS's LPUs, or -1. */
int hp5_slot_of(const Hp5TaskDesc *desc, int lps, int array);
/* Whether an LPS dimension of a listed variable divides with padding. */
bool hp5_has_padding(const Hp5TaskDesc *desc, int lps, int slot);
#endif
