/* Tasks at run time: from the constant tables that hp5c writes (descriptors) to LPUs with
 * their parts, stores with their elements, and the exchanges between them.
 *
 * How to read it: descriptors first (what the compiler knows), then items (data that
 * environments share), then one run of a task: stores, views, LPUs, grids, workers.
 *
 * Every thread of the team runs the generated flow function (SPMD). An LPU of LPS X is run
 * by the group of threads of one PPU of the level X is mapped to; LPUs of a grid go to the PPUs within
 * the parent's PPU in contiguous runs whose lengths differ by at most one (the first ones longer), unless Hp5PlaceDesc
 * says something else.
 * Stage calls in X are made by the leader of the LPU's group. */
#ifndef HP5_RUNTIME_TASK_H
#define HP5_RUNTIME_TASK_H
#include "runtime/array/index_set.h"
#include "runtime/io/npy.h"
#include "runtime/report/error.h"
#include "runtime/team/team.h"

enum { HP5_MAX_VERSIONS = 8, HP5_NO_ARG = -1 };

/* ---- Descriptors: constant, written by hp5c --------------------------------------------- */
typedef struct Hp5DimDesc {          /* how one LPS dimension divides one array */
    Hp5PartFunction function;        /* HP5_REPLICATED: does not divide it */
    int array_dimension;             /* -1 for replicated */
    int argument[2];                 /* indices into Hp5Run args, HP5_NO_ARG = absent (b absent: PPU count) */
    int front, back;                 /* padding arguments or HP5_NO_ARG */
    bool descends;                   /* sub-partitions */
    const char *text;                /* as written, for messages: "block_size(k)" */
} Hp5DimDesc;

typedef enum {
    HP5_IN_PLACE,   /* the LPU works on the store of the nearest holder above */
    HP5_COPY,       /* own copy: filled when the LPS is entered, unpadded part handed back when it is left */
    HP5_HOME        /* own copy, and the copies of this LPS's LPUs are the array: there is no store above */
} Hp5Storage;

typedef struct Hp5LpsVarDesc {
    int array;                       /* index in Hp5TaskDesc.arrays */
    Hp5Storage storage;
    const Hp5DimDesc *dims;          /* Hp5LpsDesc.dims of them */
} Hp5LpsVarDesc;

typedef struct Hp5LpsDesc {
    const char *name;
    int parent;                      /* -1 for Root; parents come first */
    int dims;                        /* 0: one LPU for each parent LPU */
    bool sub_partition;              /* its LPUs are walked by the parent LPU's own group */
    bool ordered;
    int line;
    size_t scalars_size;             /* bytes of the scalars that live in each LPU; 0 allowed */
    int var_count;
    const Hp5LpsVarDesc *vars;       /* Root: all arrays, dims NULL, IN_PLACE (or HOME elsewhere: then Root's view has no store) */
} Hp5LpsDesc;

typedef struct Hp5ArrayDesc {
    const char *name;
    const Hp5Element *element;
    int rank, versions;
    bool rotates;                    /* epochs rotate its two buffers instead of copying (see hp5_epoch) */
    int home;                        /* LPS whose copies are the array, or 0 (Root) */
} Hp5ArrayDesc;

/* An exchange brings the padding of `array`'s copies up to date when LPS `lps` is left: each padded element
 * gets the value of the LPU of `lps` (in the same parent LPU) in whose unpadded part it lies. */
typedef struct Hp5ExchangeDesc { int lps, array; } Hp5ExchangeDesc;

/* A reduction site: results of LPS `from`, one combined result in each LPU of LPS `to` (an ancestor or itself). */
typedef struct Hp5ReduceDesc {
    int from, to;
    size_t size;                                     /* bytes of one partial result */
    /* Combines `count` partial results in LPU order (those with present[i]) as the fixed tree and stores the
     * result through `scalars` of the target LPU; does nothing when none is present. */
    void (*combine)(const void *partials, const unsigned char *present, int64_t count, void *scalars);
} Hp5ReduceDesc;

typedef struct Hp5MachineLevel {
    const char *name;
    int count;    /* PPUs in each PPU of the level above */
    bool segment; /* each is an address space of its own */
} Hp5MachineLevel;

/* How an array lies in memory; all zero: rows together, elements whole, as aligned as ever (64 bytes). */
typedef struct Hp5Layout {
    bool fortran;  /* the first index runs fastest */
    bool split;    /* the values of each field lie together */
    int64_t align; /* bytes; 0: not said */
} Hp5Layout;

/* What the model states of a PPU, in bytes, seconds, Hz and bytes a second; 0: not stated. The last line is in cycles.
 * For predictions only (runtime/predict). */
typedef struct Hp5Figures {
    double memory, own_bandwidth, operations, clock, exchange, bandwidth, latency, at_once, in_flight;
    double scalar, dependent, divide, function, start;
} Hp5Figures;

/* What loses its memory before the task ends (collect.c). */
typedef enum { HP5_KEPT, HP5_COLLECT_COPIES, HP5_COLLECT_ARRAY /* and copies */ } Hp5Collect;

struct Hp5Placing;
/* How the LPUs of an LPS go to PPUs: by an index mapping function (runtime/task/placing.h); or, where `blocks`, in blocks of
 * the grid if that saves bytes between PPUs (placing_blocks.c); else in contiguous runs. */
typedef struct Hp5PlaceDesc {
    void (*place)(struct Hp5Placing *placing);
    const char *function, *file;
    bool blocks, dynamic;            /* dynamic: LPUs go to threads as these get free */
} Hp5PlaceDesc;

typedef struct Hp5TaskDesc {
    const char *name, *source;       /* source file, for messages */
    int lps_count; const Hp5LpsDesc *lpses;
    int array_count; const Hp5ArrayDesc *arrays;
    int arg_count; const char *const *arg_names; /* names of evaluated partition expressions: "k" or "2*k" */
    int exchange_count; const Hp5ExchangeDesc *exchanges;
    int reduce_count; const Hp5ReduceDesc *reductions;
    const int *level_counts;         /* for each LPS: PPUs of its level within the PPU of its parent LPS (Root: 1);
                                        defaults from the model, changed by --machine/--threads */
    const char *const *level_names;  /* for each LPS: the PPS it is mapped to */
    int stage_count; const char *const *stage_names; /* timed call sites: "refineEstimates in Space B (line 12)" */
    int64_t ppu_first, ppu_end;      /* PPUs of the model's lowest level that the mapping takes; 0, 0: not said, all of them */
    const bool *written;             /* for each array: a stage writes it (NULL: all may be) */
    int machine_level_count; const Hp5MachineLevel *machine_levels; /* all levels of the model from the top; 0: not said */
    const Hp5Figures *machine_figures; /* for each of these levels; NULL: nothing is stated */
    const int *machine_level;        /* for each LPS: its level in that list, -1: the whole machine */
    const Hp5Layout *layouts;        /* for each array; NULL: none is special */
    const Hp5Collect *collected;     /* for each array; NULL: all are kept */
    int64_t priority;                /* among executions that wait; the largest goes first */
    const int64_t *limits;           /* for each LPS: at most so many of its LPUs at once, 0: all; NULL: none has a limit */
    const Hp5PlaceDesc *places;      /* for each LPS; NULL: contiguous runs everywhere */
    const int *level_first;          /* for each LPS: its first PPU among those of its level in the parent LPS's PPU (Root: in
                                        the machine); NULL: 0 */
} Hp5TaskDesc;

/* ---- Items: the data of environments ------------------------------------------------------- */
typedef struct Hp5Item {             /* one array's data, shared by reference */
    const Hp5Element *element;
    int rank;
    int64_t lo[HP5_MAX_RANK], extent[HP5_MAX_RANK];
    char *data;                      /* NULL while it is only in a file or spread over copies */
    Hp5Layout layout;                /* of `data` */
    Hp5NpyReader *file;              /* not read yet */
    struct Hp5TaskRun *spread;          /* HOME copies of this run hold it */
    int spread_array;
    _Atomic int references;
    char *memory;                    /* what to free for `data` */
} Hp5Item;
/* An item without data, file and spread is all zeros and takes no memory yet: read `data` after hp5_item_gather. */
Hp5Item *hp5_item_from_file(const char *path, const char *name, const Hp5Element *element, int rank);
Hp5Item *hp5_item_zeroed(const char *name, const Hp5Element *element, int rank, const int64_t *lo, const int64_t *extent);
Hp5Item *hp5_item_retain(Hp5Item *item);
void hp5_item_release(Hp5Item *item);
void hp5_item_gather(Hp5Item *item);                       /* makes `data` hold it all */
void hp5_item_write(Hp5Item *item, const char *path, const char *name); /* from wherever it is, no gather */

/* ---- One run of a task ------------------------------------------------------------------------ */
typedef struct Hp5Store {            /* elements of one array or copy, for each version */
    char *version[HP5_MAX_VERSIONS]; /* version[lag]: the element at lo; rotates with epochs */
    int64_t lo[HP5_MAX_RANK];        /* first index held in each dimension */
    int64_t extent[HP5_MAX_RANK];
    int64_t stride[HP5_MAX_RANK];    /* in elements; the last is 1, or the first with `fortran` */
    const Hp5Element *fields;        /* split: whose fields lie apart (boxes.c); else NULL */
    int64_t capacity;                /* elements that a version has room for */
    const int64_t *array_lo, *array_extent; /* bounds of the whole array (the item's lo and extent): x.dimensionK.range */
    int rank, versions;
    size_t element_size;
    int lps;                         /* whose LPU it belongs to (0: Root) */
    int array;
    struct Hp5Store *entry;          /* of a copy whose unpadded part other LPUs hold too: its elements when it was filled,
                                        so that it hands back only what changed; else NULL */
    _Atomic int handing;             /* 1 while such a copy hands back to this store, or a shared epoch advances it */
    char *memory;                    /* of a store that is collected: what its versions lie in */
    unsigned char *advanced;         /* of three or more versions: the elements that the shared epoch in progress has advanced */
    _Atomic uint64_t *_Atomic writers;  /* checked builds: who wrote each element last; made at first use */
} Hp5Store;

typedef struct Hp5View {             /* an LPU's part of one array */
    Hp5Store *store;                 /* NULL where the array lives only below (HOME) */
    Hp5Set *part;                    /* [rank], padding included */
    Hp5Run *own;                     /* [rank], hull of the unpadded part */
} Hp5View;

typedef struct Hp5Grid Hp5Grid;
typedef struct Hp5Lpu {
    struct Hp5Lpu *parent;
    int64_t number;                  /* row-major position in its grid */
    int64_t flat;                    /* position among all LPUs of its LPS, in LPU order */
    const Hp5Grid *grid;             /* the grid it stands in (NULL for Root) */
    Hp5View *views;                  /* one for each listed variable, in the order of the descriptor */
    Hp5Grid *children;               /* one for each child LPS, in the order of their numbers */
    void *scalars;                   /* the generated struct of this LPS */
} Hp5Lpu;
struct Hp5Grid {
    int lps;
    int64_t extent[HP5_MAX_RANK];    /* the LPS's dims of them */
    int64_t count;
    Hp5Lpu *lpus;
    _Atomic int64_t taken;           /* <dynamic>: how many have been handed out in this visit */
    const int32_t *owner;            /* placed by a function: each LPU's PPU; else NULL, as order and starts */
    const int32_t *order;            /* LPU numbers, PPU after PPU */
    const int64_t *starts;           /* where each PPU's begin in `order`, and one more */
};

typedef struct Hp5TaskRun Hp5TaskRun;
typedef struct Hp5Worker {
    int rank;
    Hp5TaskRun *run;
    Hp5Group **groups;               /* for each LPS: the group of this thread's PPU (Root: the whole team) */
    int *position;                   /* for each LPS: this PPU's number within the parent's PPU */
    int *positions;                  /* for each LPS: how many there are */
    bool timing;                     /* stage calls are timed: for the table, the trace or both */
    struct Hp5TraceLog *trace;       /* with --trace: this thread's spans of the execution */
    struct Hp5StageTime *times;      /* [stage_count] */
    struct Hp5Cost *cost;            /* with --timing or --predict: runtime/predict/cost.h */
    bool predicting;                 /* --predict: stages are counted and do not run, nothing is copied */
    uint64_t rounds;                 /* predicting: `Repeat while` steps that have had their round */
    void *scratch;                   /* for the generated code of this thread */
    bool some;                       /* hp5_any */
    uint32_t stamp;                  /* checked builds: what was written under an older stamp is ordered before now */
    int stamp_group;                 /* the LPS whose group is raising its stamps */
} Hp5Worker;

struct Hp5TaskRun {
    const Hp5TaskDesc *desc;
    const int64_t *args;
    Hp5Item **items;                 /* [array_count] */
    Hp5Lpu root;
    Hp5Team *team;
    Hp5Worker *workers;
    void *globals;                   /* generated: scalars passed in and out, partition arguments */
    struct Hp5RunPrivate *hidden;
};

/* Builds everything that depends on extents, arguments and machine: checks arguments (zero or negative; variables that
 * give different LPU counts, naming both with extents and arguments), builds the LPU tree, allocates stores (root stores
 * take over or load the items; HOME copies are read from file boxes by the threads that own them, in parallel), exchange
 * plans and reduction slots. All arrays of `items` exist with their bounds set. Ends the program on errors. */
Hp5TaskRun *hp5_run_prepare(const Hp5TaskDesc *desc, Hp5Team *team, const int *level_counts, const int64_t *args,
                            Hp5Item **items, void *globals);
/* The same where --machine has changed the machine: `machine_counts` has the PPUs of each of the model's levels in one of the
 * level above (hp5_machine_counts), or is NULL. */
Hp5TaskRun *hp5_run_prepare_on(const Hp5TaskDesc *desc, Hp5Team *team, const int *level_counts, const int *machine_counts,
                               const int64_t *args, Hp5Item **items, void *globals);
/* flow(worker) on every thread; waits; puts root stores' current version back into the items. */
void hp5_run_execute(Hp5TaskRun *run, void (*flow)(Hp5Worker *worker));
void hp5_run_release(Hp5TaskRun *run);  /* kept alive by items that are spread over it */
/* Number of threads that the level counts ask for. */
int hp5_threads_needed(const Hp5TaskDesc *desc, const int *level_counts);
/* Applies --threads / --machine to the default level counts (result[lps_count]). */
void hp5_level_counts(const Hp5TaskDesc *desc, const char *machine, int64_t threads, int *result);
/* PPUs of each level of the model in one of the level above, changed by a --machine that hp5_level_counts has taken. */
void hp5_machine_counts(const Hp5TaskDesc *desc, const char *machine, int *result);
/* Other items of the same bounds for the next execution (each execution creates its data items anew). */
void hp5_run_rebind(Hp5TaskRun *run, Hp5Item **items);
/* Switches the timing of stages on or off (Hp5Options.timing); off at first. */
void hp5_run_time(Hp5TaskRun *run, bool timing);
/* --timing: table of stages with calls, seconds (max and mean over threads), on stderr. */
void hp5_run_report(const Hp5TaskRun *run);

/* ---- What flow functions call -------------------------------------------------------------------- */
static inline Hp5Grid *hp5_child(Hp5Lpu *lpu, int slot) { return &lpu->children[slot]; }
/* This thread's LPUs of a grid: first … end (end excluded). */
static inline Hp5Lpu *hp5_first(const Hp5Worker *w, const Hp5Grid *grid) {
    int64_t n = w->positions[grid->lps], p = w->position[grid->lps], each = grid->count / n, more = grid->count % n;
    return grid->lpus + p * each + (p < more ? p : more);
}
static inline Hp5Lpu *hp5_end(const Hp5Worker *w, const Hp5Grid *grid) {
    int64_t n = w->positions[grid->lps], p = w->position[grid->lps] + 1, each = grid->count / n, more = grid->count % n;
    return grid->lpus + p * each + (p < more ? p : more);
}
/* The same where a function or their padding may have placed the LPUs (Hp5PlaceDesc): hp5_share_next gives them one by one, then NULL. */
typedef struct Hp5Share {
    Hp5Lpu *lpus;
    const int32_t *order;
    int64_t at, end;
} Hp5Share;
static inline Hp5Share hp5_share(const Hp5Worker *w, const Hp5Grid *grid) {
    if (grid->order == NULL) return (Hp5Share){grid->lpus, NULL, hp5_first(w, grid) - grid->lpus, hp5_end(w, grid) - grid->lpus};
    const int64_t *start = grid->starts + w->position[grid->lps];
    return (Hp5Share){grid->lpus, grid->order, start[0], start[1]};
}
static inline Hp5Lpu *hp5_share_next(Hp5Share *share) {
    if (share->at >= share->end) return NULL;
    int64_t at = share->at++;
    return share->lpus + (share->order ? share->order[at] : at);
}
/* Whether this thread leads the group that runs LPUs of `lps`. */
static inline bool hp5_leads(const Hp5Worker *w, int lps) { return w->groups[lps]->first == w->rank; }
static inline void hp5_sync(const Hp5Worker *w, int lps) {
    if (w->groups[lps]->count > 1) hp5_barrier(w->groups[lps]);
}
/* Before and after an LPU of an LPS with a limit, by every thread of the LPU's group. */
void hp5_enter(Hp5Worker *w, int lps);
void hp5_leave(Hp5Worker *w, int lps);
/* Memory for an array of the task alone, all zeros; and the end of it. By every thread. */
void hp5_provide(Hp5Worker *w, int array);
void hp5_collect(Hp5Worker *w, int array);
/* <dynamic> LPSes: the threads of the parent's group take LPUs from the grid as they get free. All of them meet
 * before the first LPU and after the last, so that it does not matter which thread ran an LPU before. */
typedef struct Hp5Visit {
    Hp5Grid *grid;
    Hp5Lpu *at, *end;                /* what this thread has taken */
    int64_t chunk;                   /* LPUs taken at once; 0: the thread's fixed share (LPUs that several threads run) */
    Hp5Share share;
} Hp5Visit;
Hp5Visit hp5_visit_begin(Hp5Worker *w, Hp5Grid *grid);
bool hp5_visit_more(Hp5Visit *visit);
void hp5_visit_end(Hp5Worker *w, Hp5Visit *visit);
static inline Hp5Lpu *hp5_visit_next(Hp5Visit *visit) {
    return visit->at < visit->end || hp5_visit_more(visit) ? visit->at++ : NULL;
}

/* lpuId[d] */
int64_t hp5_lpu_id(const Hp5Lpu *lpu, int64_t d, const char *file, int line);

/* COPY storage: fills the copy of view `slot` (all versions) from the holder above / hands its unpadded part back
 * (all versions). Called by the LPU's leader; the plan puts barriers around. */
void hp5_copy_in(Hp5Worker *w, Hp5Lpu *lpu, int lps, int slot);
void hp5_copy_out(Hp5Worker *w, Hp5Lpu *lpu, int lps, int slot);
/* HOME storage: called by all threads of the group of `parent` (an LPU of the parent LPS of the exchange's lps) after the
 * LPUs have been left. Neighbours wait for neighbours only: each thread raises its signal, waits for the threads it copies
 * from, copies, raises its second signal, and waits for the threads that copy from it. Afterwards the caller's copies are
 * up to date and may be written. */
void hp5_exchange(Hp5Worker *w, int exchange, Hp5Lpu *parent);
/* End (copying arrays) or start (rotating arrays) of an epoch for the store of a view; called by every thread of
 * the group of `lps` at which the store is shared; does its own barriers when the group has more than one thread.
 *   rotates: called when the epoch begins: version[0] and version[1] change places.
 *   copies:  called when the epoch ends: version[k] gets version[k-1] for all k, then the new current the content of version[1]
 *            over the LPU's part. */
void hp5_epoch(Hp5Worker *w, int lps, Hp5View *view, bool rotates);
/* The end of an epoch for a store of three or more versions whose elements several LPUs hold: each element
 * advances once, whichever LPUs take part. Then, when all have come so far, every LPU calls it again to close the epoch. */
void hp5_epoch_shared(Hp5Worker *w, int lps, Hp5View *view, bool close);
/* Leaves this LPU's partial result for the site; reduction over LPUs under `target`. */
void *hp5_partial(Hp5Worker *w, int site, Hp5Lpu *lpu);      /* marks it present and returns its slot */
/* All threads of the target's group: waits for all, combines once, lets all go; clears the presence marks. */
void hp5_reduce(Hp5Worker *w, int site, Hp5Lpu *target);

/* Timing of stage calls. */
void hp5_time_begin(Hp5Worker *w, int stage);
void hp5_time_end(Hp5Worker *w, int stage);

/* ---- Checked builds ------------------------------------------------------------------------------- */
/* Ends the program unless `index` lies in the LPU's part of dimension `dim` (1-based in the message). */
void hp5_check_index(const Hp5View *view, int dim, int64_t index, const char *variable, const char *stage,
                     const char *file, int line);
/* Records a write of an element by an LPU under its thread's stamp; ends the program when another LPU wrote it
 * under the same stamp, with nothing between them that orders the two. Padding does not count. */
void hp5_check_write(Hp5Worker *w, const Hp5View *view, const int64_t *index, const Hp5Lpu *lpu, const char *variable,
                     const char *stage, const char *file, int line);
/* The threads of this thread's group of `lps` wait for each other and get one common, new stamp. Checked builds use it
 * instead of hp5_sync, and after everything else that orders threads. */
void hp5_sync_checked(Hp5Worker *w, int lps);
#endif
