/* What the files of this room share; nobody outside includes it.
 *
 *   levels.c    level counts, which threads run which PPU
 *   lpus.c      argument checks, the LPU tree with its parts
 *   boxes.c     copying boxes between stores
 *   stores.c    elements: root stores, COPY and HOME copies, filling them from items and files
 *   items.c     the data of environments, output files
 *   exchange.c  padding between siblings
 *   placing.c   which PPU runs which LPU, where that is not the plain rule; placing_blocks.c: blocks of the grid
 *   collect.c   memory from the first use to the last
 *   limits.c    at most so many LPUs of an LPS at once
 *   flow.c      what flow functions call: copies in and out, epochs, reductions
 *   run.c       prepare, execute, release; the timing table
 *   schedule.c  executions of a program: which wait for which, runs that are used again
 *   trace.c     --trace: spans of tasks and stages
 *   checked.c   helpers of checked builds */
#ifndef HP5_RUNTIME_TASK_PRIVATE_H
#define HP5_RUNTIME_TASK_PRIVATE_H
#include "runtime/task/task.h"
#include <pthread.h>

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

/* Which flat LPUs of `from` lie under each LPU of `to`. */
typedef struct Hp5Site {
    char *partials; /* one of desc->size bytes for each LPU of `from` */
    unsigned char *present;
    int64_t *begin, *end; /* for each LPU of `to` */
    int64_t capacity;
} Hp5Site;

typedef struct Hp5ExchangeSite {
    Hp5ExchangeDesc desc;
    struct Hp5ExchangeState **states; /* for each LPU of the parent LPS; made at first use */
} Hp5ExchangeSite;

typedef struct Hp5RunPrivate {
    double fill_seconds, flow_seconds; /* of the last execution */
    int threads;                       /* of the team that take part */
    int *level_counts;
    int *machine_counts; /* PPUs of each level of the model in one of the level above, as --machine says; NULL: as the model says */
    Hp5LpsShape *shapes;
    Hp5Group *groups; /* all groups, freed at once */
    Hp5Slab slab;
    Hp5Pool pool;    /* run lists of parts */
    Hp5Store *roots; /* one for each array: Root's store, unused where the array is HOME elsewhere */
    struct Hp5RootBuffer {
        char *memory, *start;
    } * root_buffers; /* [array * HP5_MAX_VERSIONS + k]: the run's buffers for Root's
older versions; they change places with the item's when versions rotate */
    void **buffers;
    int64_t buffer_count, buffer_capacity; /* element memory that belongs to the run */
    Hp5Site *sites;
    _Atomic int *passed;     /* for each array: threads that have come to where it is collected */
    struct Hp5Limit *limits; /* for each LPS; NULL without limits */
    Hp5ExchangeSite *exchanges;
    int exchange_count;  /* the descriptor's, then those that only a refresh needs */
    void **slots;        /* per thread: arrays of Hp5Worker */
    int64_t bytes;       /* of element memory that belongs to the run */
    void **spares;       /* for each array: memory of an item that nobody else wanted, for the next one; or NULL */
    _Atomic int references; /* the caller's one, and one for each item that is spread over the run */
    atomic_bool checked; /* hp5_check_write has been called: there are tables to free */
    int64_t *args;       /* copies: the caller's may go away */
} Hp5RunPrivate;

typedef struct Hp5StageTime {
    double seconds, started;
    int64_t calls;
} Hp5StageTime;

/* A group of consecutive threads, as a value. */
typedef struct Hp5Span {
    int first, count;
} Hp5Span;

/* levels.c */
void hp5_workers_create(Hp5TaskRun *run);
void hp5_workers_free(Hp5TaskRun *run);
/* How many PPUs of `lps` a group of `threads` threads makes up. */
int hp5_ppus(const Hp5TaskRun *run, int lps, int threads);
/* The threads that run LPU number `number` of a grid whose parent LPU is run by `parent`. */
Hp5Span hp5_lpu_span(const Hp5TaskRun *run, const Hp5Grid *grid, int64_t number, Hp5Span parent);

/* placing.c: gives the LPUs of a new grid to PPUs, where that is not the plain rule. */
void hp5_grid_place(Hp5TaskRun *run, Hp5Lpu *parent, Hp5Grid *grid);
/* placing_blocks.c: each LPU's PPU, or NULL where contiguous runs are as good. */
int32_t *hp5_grid_blocks(Hp5TaskRun *run, Hp5Lpu *parent, const Hp5Grid *grid, int ppus);

/* lpus.c */
/* The view that listed variable v of `lps` divides, for LPUs of `lps` in `parent`. */
const Hp5View *hp5_held_view(const Hp5TaskRun *run, int lps, int v, Hp5Lpu *parent);
void hp5_check_args(const Hp5TaskDesc *desc, const int64_t *args);
void hp5_tree_create(Hp5TaskRun *run);

/* Climbs `up` LPUs. */
static inline Hp5Lpu *hp5_ancestor(Hp5Lpu *lpu, int up) {
    while (up-- > 0) lpu = lpu->parent;
    return lpu;
}
/* The slot of an array in the views of an LPS's LPUs, or -1. */
int hp5_slot_of(const Hp5TaskDesc *desc, int lps, int array);
/* Whether an LPS dimension of a listed variable divides with padding. */
bool hp5_has_padding(const Hp5TaskDesc *desc, int lps, int slot);

/* boxes.c: boxes are [lo, hi) in global indices. */
typedef struct Hp5Box {
    int64_t lo[HP5_MAX_RANK], hi[HP5_MAX_RANK];
} Hp5Box;
void hp5_box_copy(const Hp5Store *to, int to_version, const Hp5Store *from, int from_version,
                  const Hp5Box *box);
/* Calls visit for the boxes whose union is the product of the sets within `box`. */
void hp5_box_each(const Hp5Set *sets, int rank, const Hp5Box *box, void (*visit)(const Hp5Box *, void *),
                  void *data);
int64_t hp5_store_elements(const Hp5Store *store);
static inline int64_t hp5_store_offset(const Hp5Store *store, const int64_t *index) {
    int64_t offset = 0;
    for (int d = 0; d < store->rank; d++) offset += (index[d] - store->lo[d]) * store->stride[d];
    return offset;
}
/* A store of these bounds without memory. */
void hp5_store_shape(Hp5Store *store, int rank, const int64_t *lo, const int64_t *extent, int versions,
                     const Hp5Element *element, Hp5Layout layout);
/* The dimension whose slices lie together. */
int hp5_store_slowest(const Hp5Store *store);
/* A box of `count` elements, from the elements at these offsets on. The stores may lie differently. */
void hp5_elements_copy(const Hp5Store *to, int to_version, int64_t to_offset, const Hp5Store *from, int from_version,
                       int64_t from_offset, const int64_t *count);
void hp5_element_copy(const Hp5Store *to, int to_version, int64_t there, const Hp5Store *from, int from_version, int64_t here);
bool hp5_element_same(const Hp5Store *a, int a_version, int64_t there, const Hp5Store *b, int b_version, int64_t here);
/* One element as the C struct or number that it is. */
void hp5_element_gather(const Hp5Store *store, int version, int64_t offset, void *element);
void hp5_box_zero(const Hp5Store *store, int version, const Hp5Box *box);
/* Version 0 of a box, from or to a file whose first element is `origin`. */
void hp5_box_read(const Hp5Store *store, const int64_t *origin, const Hp5Box *box, Hp5NpyReader *file);
void hp5_box_write(const Hp5Store *store, const int64_t *origin, const Hp5Box *box, Hp5NpyWriter *file);

/* stores.c */
void *hp5_element_buffer(int64_t bytes,
                         const char *name); /* large ones in large pages; freed with hp5_free */
void hp5_roots_create(Hp5TaskRun *run);     /* before the tree: Root's stores without elements */
void hp5_stores_of_grid(Hp5TaskRun *run, Hp5Lpu *parent, Hp5Grid *grid);
/* Elements from the items into the stores, all versions equal, padding up to date: before each execution. */
void hp5_stores_fill(Hp5TaskRun *run);
void hp5_stores_free(Hp5TaskRun *run);
/* Root's current versions back into the items: after each execution. */
void hp5_stores_return(Hp5TaskRun *run);
/* visit(w, lpu, data) for each LPU of `lps` that this thread's PPU runs, on every thread of the PPU. */
typedef void Hp5LpuVisit(Hp5Worker *w, Hp5Lpu *lpu, void *data);
void hp5_visit_lpus(Hp5Worker *w, int lps, Hp5LpuVisit *visit, void *data);
/* The hull of a view's part, and of its unpadded part. */
Hp5Box hp5_view_hull(const Hp5View *view, int rank);
Hp5Box hp5_view_own(const Hp5View *view, int rank);
/* Calls visit for boxes that cover a HOME array once: each element with the copy in whose unpadded part it
 * lies at every level. */
void hp5_each_home_box(Hp5TaskRun *run, int array,
                       void (*visit)(const Hp5Store *store, const Hp5Box *box, void *data), void *data);

/* Bytes of one version of a store, and from one version of a copy to the next. */
int64_t hp5_store_bytes(const Hp5TaskRun *run, const Hp5Store *store);
int64_t hp5_version_step(int64_t bytes, Hp5Layout layout);
/* Thread t's share of Root's store, a slice that lies together; false when it has none. */
bool hp5_root_slice(const Hp5Store *store, int t, int threads, Hp5Box *box);
/* What an alignment may take, and where aligned elements begin. */
int64_t hp5_layout_slack(Hp5Layout layout);
char *hp5_layout_start(Hp5Layout layout, char *memory);
bool hp5_layout_holds(const Hp5Item *item, Hp5Layout layout); /* the item's data lie so already */
static inline bool hp5_layout_same(Hp5Layout a, Hp5Layout b) {
    return a.fortran == b.fortran && a.split == b.split && a.align == b.align;
}
static inline Hp5Layout hp5_layout_of(const Hp5TaskDesc *desc, int array) {
    return desc->layouts ? desc->layouts[array] : (Hp5Layout){0};
}

/* items.c */
void hp5_item_spread(Hp5Item *item, Hp5TaskRun *run, int array);
void hp5_item_unspread(Hp5Item *item);
/* The item's data as a store of one version. */
Hp5Store hp5_item_store(const Hp5Item *item);
/* Held while an item's elements change place: tasks that run at the same time may look at each other's items. */
extern pthread_mutex_t hp5_item_lock;

/* collect.c */
bool hp5_collects_array(const Hp5TaskDesc *desc, int array);
bool hp5_collects_copies(const Hp5TaskDesc *desc, int array);
void hp5_collect_create(Hp5TaskRun *run);
void hp5_collect_report(const Hp5TaskRun *run); /* for --timing */
/* Memory of a copy that is collected; nothing happens to others. */
void hp5_copy_take(const Hp5TaskRun *run, Hp5Store *store);
void hp5_copy_drop(const Hp5TaskRun *run, Hp5Store *store);

/* limits.c: made with the run, counted anew in each execution; --timing says how many there were. */
void hp5_limits_create(Hp5TaskRun *run);
void hp5_limits_free(Hp5TaskRun *run);
void hp5_limits_start(Hp5TaskRun *run);
void hp5_limits_report(const Hp5TaskRun *run);

/* run.c */
void hp5_run_unreference(Hp5TaskRun *run);
/* Whether hp5_run_rebind can give the run these items: -1 not; else for how many arrays elements that somebody still
 * wants would have to leave the run's copies. */
int hp5_run_fits(const Hp5TaskRun *run, const Hp5TaskDesc *desc, const int64_t *args, Hp5Item *const *items);

/* trace.c: spans of one thread, then of the program. */
typedef struct Hp5TraceSpan {
    const char *name;
    int ppu;
    bool stage;
    double begin, end;
} Hp5TraceSpan;
typedef struct Hp5TraceLog {
    Hp5TraceSpan *spans;
    int64_t count, capacity;
} Hp5TraceLog;
double hp5_now(void); /* seconds of the monotonic clock */
void hp5_trace_span(Hp5TraceLog *log, const char *name, int ppu, bool stage, double begin, double end);
/* Appends `from` to `to` and empties it. */
void hp5_trace_take(Hp5TraceLog *to, Hp5TraceLog *from);
/* Chrome's trace format (chrome://tracing, ui.perfetto.dev). */
void hp5_trace_write(const Hp5TraceLog *log, const char *path);

/* exchange.c */
void hp5_exchanges_create(Hp5TaskRun *run);
void hp5_exchanges_free(Hp5TaskRun *run);
int hp5_exchange_find(const Hp5TaskRun *run, int lps, int array);
/* checked.c: a new execution: everything written before it is ordered before it. */
void hp5_stamps_level(Hp5TaskRun *run);
#endif
