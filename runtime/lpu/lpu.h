/* LPUs: which there are, what part of each array each has, and which PPU runs it.
 *
 * LPUs of a grid go to the PPUs within the parent's PPU in contiguous runs whose lengths differ by at most one (the first ones
 * longer), unless Hp5PlaceDesc says something else. */
#ifndef HP5_RUNTIME_LPU_H
#define HP5_RUNTIME_LPU_H
#include "runtime/desc/desc.h"

struct Hp5Store;

typedef struct Hp5View {             /* an LPU's part of one array */
    struct Hp5Store *store;          /* without elements where the array lives only below (HOME) */
    Hp5Set *part;                    /* [rank], padding included */
    Hp5Run *own;                     /* [rank], hull of the unpadded part */
} Hp5View;

typedef struct Hp5Grid Hp5Grid;
typedef struct Hp5Lpu {
    struct Hp5Lpu *parent;
    int64_t number;                  /* row-major position in its grid */
    int64_t flat;                    /* position among the records of its LPS, in LPU order; -1: made up by a scout (scout.h) */
    const Hp5Grid *grid;             /* the grid it stands in (NULL for Root) */
    Hp5View *views;                  /* one for each listed variable, in the order of the descriptor */
    Hp5Grid *children;               /* one for each child LPS, in the order of their numbers */
    void *scalars;                   /* the generated struct of this LPS */
} Hp5Lpu;
struct Hp5Grid {
    int lps;
    int64_t extent[HP5_MAX_RANK];    /* the LPS's dims of them */
    int64_t count;                   /* LPUs, whoever runs them */
    int64_t first, own;              /* records: `own` of them, the first one for LPU number `first`, all of them in one address space */
    Hp5Lpu *lpus;                    /* the records, in the order of their numbers */
    _Atomic int64_t taken;           /* <dynamic>: how many have been handed out in this visit */
    const struct Hp5Placed *placed;  /* where LPUs do not go to PPUs by the plain rule (geometry.h); else NULL */
};

/* The grid of the child LPS that is `slot`-th (from 0, in the order of their numbers) in an LPU that is a record. */
static inline Hp5Grid *hp5_child(Hp5Lpu *lpu, int slot) { return &lpu->children[slot]; }
/* The record of LPU `number`, or NULL where this process has none. */
Hp5Lpu *hp5_find_lpu(const Hp5Grid *grid, int64_t number);

/* lpuId[d]: the LPU's coordinate in dimension d (from 0) of its grid. Ends the program, naming file and line, for other d. */
#ifndef HP5_ON_CARD
int64_t hp5_lpu_id(const Hp5Lpu *lpu, int64_t d, const char *file, int line);
#endif

/* ---- Levels of the machine ------------------------------------------------------------------------ */
/* Ends the program for arguments of partition functions that are zero or negative where they must not be (parts.c). */
void hp5_check_args(const Hp5TaskDesc *desc, const int64_t *args);
/* Number of threads that the level counts ask for, at least 1: the largest product of counts on a path of the LPS tree. */
int hp5_threads_needed(const Hp5TaskDesc *desc, const int *level_counts);
/* Whether all LPSes run on Root's PPU, so that nothing makes it more threads than one. */
bool hp5_is_on_one_ppu(const Hp5TaskDesc *desc);
/* The program's tasks, whose models may differ: --machine may name levels of all of them, and changes a task's own. */
void hp5_levels_of(const Hp5TaskDesc *const *of, int count);
/* The task's level counts as --machine (NULL: not given) and --threads (0: not given) change them: result[lps_count]. Ends the
 * program, with status 2, for levels that no task's machine has, and counts that are none or too large. */
void hp5_level_counts(const Hp5TaskDesc *desc, const char *machine, int64_t threads, int *result);
/* PPUs of each level of the model in one of the level above: result[machine_level_count]. `machine`: one that hp5_level_counts
 * has taken, or NULL. */
void hp5_machine_counts(const Hp5TaskDesc *desc, const char *machine, int *result);
/* Bytes of memory of the task's card, as --machine says, or the model; 0: neither does. */
int64_t hp5_card_memory(const Hp5TaskDesc *desc);
/* Processes on each node, as the model has it; 0: it does not say. */
int hp5_node_processes(const Hp5TaskDesc *desc, const char *machine);
/* A task in several processes. */
typedef struct Hp5SegmentCounts {
    int segments, each; /* processes that take part, threads of each */
    int *within;        /* [lps_count]: PPUs of an LPS in one segment, where its PPU is less than one; else 0 */
} Hp5SegmentCounts;
/* The same as hp5_level_counts and hp5_machine_counts (of `counts`, `machine_counts`) for at most `processes` processes, each with
 * `threads` threads (0: as many as the model has in a segment). segments->within is the caller's. */
void hp5_segment_counts(const Hp5TaskDesc *desc, const char *machine, int64_t threads, int processes, int *counts, int *machine_counts,
                        Hp5SegmentCounts *segments);
/* The second half of that: counts and machine_counts are those of the model, and change. each: threads of a segment; 0: as many as follow from them. */
void hp5_spread_counts(const Hp5TaskDesc *desc, int64_t threads, int each, int processes, int *counts, int *machine_counts, Hp5SegmentCounts *segments);
#endif
