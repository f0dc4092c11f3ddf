/* Tasks at run time: one run of a task, from its tables (runtime/desc) to its end, and what flow functions call.
 *
 * How to read it: the run and its workers first, then what prepares and executes it, then what the generated flow calls
 * (movements stand in runtime/move/move.h).
 *
 * Every thread of the team runs the generated flow function (SPMD). An LPU of LPS X is run by the group of threads of one
 * PPU of the level X is mapped to (runtime/lpu/lpu.h says which). Stage calls in X are made by the leader of the LPU's group. */
#ifndef HP5_RUNTIME_RUN_H
#define HP5_RUNTIME_RUN_H
#include "runtime/desc/desc.h"
#include "runtime/lpu/lpu.h"
#include "runtime/move/move.h"
#include "runtime/report/error.h"
#include "runtime/store/store.h"
#include "runtime/team/team.h"

typedef struct Hp5TaskRun Hp5TaskRun;
/* What a thread is doing, for the message when a signal ends the program. */
typedef struct Hp5Doing {
    volatile int stage;              /* 1 + the number of the stage call that runs; 0: none */
    const Hp5Lpu *volatile lpu;      /* the LPU that it runs for */
} Hp5Doing;

typedef struct Hp5Worker {
    int rank;
    Hp5TaskRun *run;
    Hp5Group **groups;               /* for each LPS: the group of this thread's PPU (Root: the whole team) */
    struct Hp5Span *spans;           /* for each LPS: that PPU's threads, counted over all processes */
    int *position;                   /* for each LPS: this PPU's number within the parent's PPU */
    int *positions;                  /* for each LPS: how many there are */
    bool timing;                     /* stage calls are timed: for the table, the trace or both */
    struct Hp5TraceLog *trace;       /* with --trace: this thread's spans of the execution */
    struct Hp5StageTime *times;      /* [stage_count] */
    struct Hp5Cost *cost;            /* with --timing or --predict: runtime/predict/predict.h */
    double counting, counted;        /* --timing: since when this thread counts for the prediction (0: it does not); seconds so far */
    bool predicting;                 /* --predict: stages are counted and do not run, nothing is copied */
    uint64_t rounds;                 /* predicting: `Repeat while` steps that have had their round */
    void *scratch;                   /* for the generated code of this thread */
    char *strip_memory;              /* of this thread's strips (runtime/run/visit_strips.h) */
    int64_t strip_bytes;
    bool some;                       /* hp5_any */
    uint32_t stamp;                  /* checked builds: what was written under an older stamp is ordered before now */
    int stamp_group;                 /* the LPS whose group is raising its stamps */
    _Alignas(64) Hp5Doing doing;     /* changes with every stage call: apart from what other threads may look at */
} Hp5Worker;

#include "runtime/lpu/own.h"

struct Hp5TaskRun {
    const Hp5TaskDesc *desc;
    const int64_t *args;
    Hp5Item **items;                 /* [array_count] */
    Hp5Lpu root;
    Hp5Team *team;
    Hp5Worker *workers;
    bool *strays;                    /* [gather_groups]: some value of an array of indices is none of the array it subscripts */
    void *globals;                   /* generated: scalars passed in and out, partition arguments */
    struct Hp5RunPrivate *hidden;
};

/* Builds everything that depends on extents, arguments and machine: checks arguments (zero or negative; variables that
 * give different LPU counts, naming both with extents and arguments), builds the LPU tree, allocates stores (root stores
 * take over or load the items; HOME copies are read from file boxes by the threads that own them, in parallel), exchange
 * plans and reduction slots. All arrays of `items` exist with their bounds set. Ends the program on errors. */
Hp5TaskRun *hp5_run_prepare(const Hp5TaskDesc *desc, Hp5Team *team, const int *level_counts, const int64_t *args,
                            Hp5Item **items, void *globals);
/* Elements into the stores; flow(worker) on every thread; waits; puts root stores' current version back into the items. */
void hp5_run_execute(Hp5TaskRun *run, void (*flow)(Hp5Worker *worker));
/* Gives the run's items back and frees it, at once or when no item is spread over it any more. */
void hp5_run_release(Hp5TaskRun *run);
/* Other items of the same bounds for the next execution (each execution creates its data items anew). */
void hp5_run_rebind(Hp5TaskRun *run, Hp5Item **items);
/* The next execution is timed for hp5_run_report, and so are its stages if they shall be; its processes may meet for that, which costs
 * messages. */
void hp5_run_time(Hp5TaskRun *run, bool stages, bool meets);
/* --timing: table of stages with calls, seconds (max and mean over threads), on stderr. */
void hp5_run_report(const Hp5TaskRun *run);

/* ---- What flow functions call: with own.h, whose LPUs a thread runs -------------------------------------------------------------------- */
/* The same before messages of an exchange (hp5_exchange_later) are waited for: LPUs whose view `slot` gets something from other processes
 * come last. reach: how far from its place in the array an iteration of the first stage may use elements of it, in each dimension; NULL: that is
 * not known. */
typedef struct Hp5Late {
    Hp5Worker *w;
    int exchange, slot;
    const struct Hp5Coming *coming; /* what comes to whom; NULL: none is left out any more */
    const Hp5Box *reach;
    bool last;                      /* only those that were left out */
    Hp5Share share, again;
} Hp5Late;
Hp5Late hp5_late_begin(Hp5Worker *w, const Hp5Grid *grid, int exchange, int slot, const Hp5Box *reach);
Hp5Lpu *hp5_late_next(Hp5Late *late);
/* The first stage of such a visit, for boxes of its iterations one after the other: in an LPU that waits for messages, those that need nothing
 * of them, then, behind the messages, all others; in any other LPU, all of them. By every thread of the LPU. */
typedef struct Hp5Sweep {
    Hp5Box box;                     /* of the call that is next */
    const Hp5Late *late;
    Hp5Box core;                    /* what runs before the messages have come */
    Hp5Run sliced;                  /* in the slowest dimension */
    int slowest, slices, number, count; /* boxes: slices of the core, then two beside it for each dimension */
} Hp5Sweep;
extern const Hp5Box hp5_everywhere;
Hp5Sweep hp5_sweep(const Hp5Late *late, const Hp5Lpu *lpu);
bool hp5_sweep_next(Hp5Sweep *sweep);
/* Whether this thread leads the group that runs LPUs of `lps`. */
static inline bool hp5_leads(const Hp5Worker *w, int lps) { return w->groups[lps]->first == w->rank; }
/* Whether it leads all threads that run the LPU, of whatever process: above the segments stages that touch arrays run there. */
bool hp5_hosts(const Hp5Worker *w, int lps);
/* A scalar as such a stage has written it, for the other processes; by all threads of the LPU. Nothing happens in one process. */
void hp5_tell(Hp5Worker *w, int lps, void *value, size_t size);
/* The same of what the one LPU of `from` in an LPU of `lps` has written, for all processes of that LPU. */
void hp5_tell_from(Hp5Worker *w, const Hp5Lpu *lpu, int lps, int from, void *value, size_t size);
/* The text in such a value, behind it: where it lies differs between processes. */
void hp5_tell_text(Hp5Worker *w, int lps, const char **text);
void hp5_tell_text_from(Hp5Worker *w, const Hp5Lpu *lpu, int lps, int from, const char **text);
/* The threads of this thread's group of `lps` wait for each other. */
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
/* By every thread of the parent's group: hp5_visit_begin, hp5_visit_next until it gives NULL, hp5_visit_end. */
Hp5Visit hp5_visit_begin(Hp5Worker *w, Hp5Grid *grid);
bool hp5_visit_more(Hp5Visit *visit);
void hp5_visit_end(Hp5Worker *w, Hp5Visit *visit);
static inline Hp5Lpu *hp5_visit_next(Hp5Visit *visit) {
    return visit->at < visit->end || hp5_visit_more(visit) ? visit->at++ : NULL;
}

/* End (copying arrays) or start (rotating arrays) of an epoch for the store of a view; called by every thread of
 * the group of `lps` at which the store is shared; does its own barriers when the group has more than one thread.
 *   rotates: called when the epoch begins: version[k] gets the buffer of version[k-1], and the current one that of the oldest.
 *   copies:  called when the epoch ends: version[k] gets version[k-1] for all k, then the new current the content of version[1]
 *            over the LPU's part. */
void hp5_epoch(Hp5Worker *w, int lps, Hp5View *view, bool rotates);
/* Behind hp5_epoch that rotates, called by the same threads: of the view's part the current version gets the content of version[1] inside `bounds`
 * (first and last index in each dimension, NULL: anywhere). */
void hp5_take_on(Hp5Worker *w, int lps, Hp5View *view, const int64_t *bounds);
/* The end of an epoch for a store whose elements several LPUs hold, of which one at a time advances its part. Of three or more
 * versions each element advances once, whichever LPUs take part; then, when all have come so far, every LPU calls it again to
 * close the epoch. */
void hp5_epoch_shared(Hp5Worker *w, int lps, Hp5View *view, bool close);
/* Leaves this LPU's partial result for the site; reduction over LPUs under `target`. */
void *hp5_partial(Hp5Worker *w, int site, Hp5Lpu *lpu);      /* marks it present and returns its slot */
/* All threads of the target's group: waits for all, combines once, lets all go; clears the presence marks. */
void hp5_reduce(Hp5Worker *w, int site, Hp5Lpu *target);

/* Timing of stage calls. */
void hp5_count_begin(Hp5Worker *w); /* what follows is counting for a prediction, until hp5_time_begin */
void hp5_time_begin(Hp5Worker *w, int stage);
void hp5_time_end(Hp5Worker *w, int stage);
/* The same for what calls have left to do, which is no call. */
void hp5_time_rest(Hp5Worker *w, int stage);

/* ---- Checked builds ------------------------------------------------------------------------------- */
/* Ends the program unless `index` lies in the LPU's part of dimension `dim` (1-based in the message). */
/* The subscript, if the LPU's part has it, taken from indices[position…]; else ends the program. Most are in parts without gaps. */
int64_t hp5_gathered_anywhere(const Hp5View *view, int dim, int64_t index, const char *variable, const char *indices, int rank,
                              const int64_t *position, const char *stage, const char *file, int line);
static inline int64_t hp5_gathered(const Hp5View *view, int dim, int64_t index, const char *variable, const char *indices, int rank,
                                   const int64_t *position, const char *stage, const char *file, int line) {
    const Hp5Set *part = &view->part[dim];
    if (index >= part->begin && index < part->end && hp5_set_is_interval(part)) return index;
    return hp5_gathered_anywhere(view, dim, index, variable, indices, rank, position, stage, file, line);
}
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
