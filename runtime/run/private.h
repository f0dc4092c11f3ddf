/* What belongs to a run beside run.h, for the runtime's own files.
 *
 *   memory_footprint.c  how many bytes a run will take, before it takes them
 *   run.c               prepare, execute, release; the timing table
 *   workers.c           threads and the groups of their PPUs
 *   across.c            several processes: who takes part, reductions and scalars between them
 *   rooms.c             … what each has room for
 *   share.c             … what it holds of the data of environments; routes.c: how these come from one run to another;
 *                       array_regions.c: which elements these are; near_boxes.c: from files
 *   windows.c           … its output files, where parts lie there in short runs (short_runs.c)
 *   flow.c              what flow functions call: visits, coordinates, reductions
 *   epochs.c            versions of arrays
 *   home.c              walks over copies; collect_memory.c: memory from the first use to the last
 *   items.c             the data of environments, output files
 *   limits.c            at most so many LPUs of an LPS at once
 *   few_threads.c       where options that ask for threads change nothing
 *   schedule.c          executions of a program: which wait for which; turns.c: in which order, in several address spaces
 *   task_levels.c       levels of tasks, and in which processes they run
 *   kept_runs.c         runs that are used again
 *   news.c              scalars for processes that have no part in a task
 *   fill.c              elements before and after an execution
 *   session.c           a program's run around its tasks
 *   comm_report.c       --report=comm: what has moved between processes
 *   trace.c             --trace: spans of tasks and stages
 *   checked.c           helpers of checked builds */
#ifndef HP5_RUNTIME_RUN_PRIVATE_H
#define HP5_RUNTIME_RUN_PRIVATE_H
#include "runtime/lpu/scout.h"
#include "runtime/lpu/tree.h"
#include "runtime/move/exchange.h"
#include "runtime/move/pattern.h"
#include "runtime/run/run.h"
#include "runtime/store/elements.h"
#include "runtime/comm/comm.h"
#include <pthread.h>

/* Which flat LPUs of `from` lie under each LPU of `to`. */
typedef struct Hp5Site {
    char *partials; /* one of desc->size bytes for each LPU of `from` */
    unsigned char *present;
    int64_t *begin, *end; /* for each LPU of `to` */
    int64_t capacity;
} Hp5Site;

typedef struct Hp5RunPrivate {
    double fill_seconds, flow_seconds; /* of the last execution, if it is timed */
    double share_seconds;              /* before it, of a process of several: until its share of all arrays was there */
    bool is_timed, meets; /* meets: its processes begin and end their clocks together */
    int threads;                       /* of this process that take part */
    Hp5IdleScout idle_scout;           /* the geometry's */
    Hp5Geometry geometry;              /* parts and owners of all LPUs; its tables belong to the run */
    Hp5Segments segments;              /* the processes that take part; count 1: this one alone */
    struct Hp5Partials *partials;      /* several processes: what their reductions know of each other (partials.c) */
    int64_t serial;                    /* which run of the program it is, from 1 on: the same in all processes */
    struct Hp5Shared *shared;          /* … and for each array, what is in its stores (share.c) */
    Hp5Group *groups; /* all groups, freed at once */
    Hp5Slab slab;
    Hp5Pool pool;    /* run lists of parts */
    Hp5Stores stores;
    Hp5Site *sites;
    _Atomic int *passed;     /* for each array: threads that have come to where it is collected */
    struct Hp5Limit *limits; /* for each LPS; NULL without limits */
    const struct Hp5Transport *transport;
    Hp5ExchangeSite *exchanges;
    int exchange_count;  /* the descriptor's, then those that only a refresh needs */
    struct Hp5Moves *moves; /* transfers; NULL without them */
    struct Hp5Watch *watched;   /* for each array and LPS: what it was before it is merged */
    void **slots;        /* per thread: arrays of Hp5Worker */
    void **spares;       /* for each array: memory of an item that nobody else wanted, for the next one; or NULL */
    _Atomic int references; /* the caller's one, and one for each item that is spread over the run */
    struct Hp5OnCard *card; /* a task for a card, once it has been there (runtime/card/card.c) */
    atomic_bool checked; /* hp5_check_write has been called: there are tables to free */
} Hp5RunPrivate;

typedef struct Hp5StageTime {
    double seconds, started;
    int64_t calls;
} Hp5StageTime;

/* workers.c */
void hp5_workers_create(Hp5TaskRun *run);
void hp5_workers_free(Hp5TaskRun *run);

/* home.c: walks over copies. */
/* The LPSes from Root's child down to `lps`; their number. */
int hp5_path_to(const Hp5TaskDesc *desc, int lps, int *path);
/* visit(w, lpu, data) for each LPU of `lps` that this thread's PPU runs, on every thread of the PPU. */
typedef void Hp5LpuVisit(Hp5Worker *w, Hp5Lpu *lpu, void *data);
void hp5_visit_lpus(Hp5Worker *w, int lps, Hp5LpuVisit *visit, void *data);
/* Calls visit for boxes that cover a HOME array once: each element with the copy in whose unpadded part it
 * lies at every level. */
void hp5_each_home_box(Hp5TaskRun *run, int array, void (*visit)(const Hp5Store *store, const Hp5Box *box, void *data), void *data);

/* rooms.c: padded parts that are the array, and processes that share an LPU which has one: each has room for what its own LPUs in there touch. */
bool hp5_divides_home(const Hp5TaskRun *run, int array);
/* The LPS whose LPUs have an array's elements when the task has ended, each element one of them; -1: none. */
int hp5_owner_of(const Hp5TaskRun *run, int array);
/* With several processes: what this one has of an array when the task has ended, each element of the array in one process: a product of sets within a box. */
typedef void Hp5PartVisit(const Hp5Store *store, const Hp5Set *part, const Hp5Box *within, void *data);
void hp5_each_owned_part(Hp5TaskRun *run, int array, Hp5PartVisit *visit, void *data);
/* The same as boxes. */
void hp5_each_owned_box(Hp5TaskRun *run, int array, void (*visit)(const Hp5Store *store, const Hp5Box *box, void *data), void *data);
/* The same of what lies in a box; costs as much as there is in there, and a look at each LPU. */
void hp5_each_owned_box_in(Hp5TaskRun *run, int array, const Hp5Box *within, void (*visit)(const Hp5Store *store, const Hp5Box *box, void *data), void *data);

/* fill.c */
/* Elements from the items into the stores, all versions equal, padding up to date: before each execution. */
void hp5_stores_fill(Hp5TaskRun *run);
/* Root's current versions back into the items: after each execution. */
void hp5_stores_return(Hp5TaskRun *run);
/* The part of hp5_stores_fill that all threads do. */
void hp5_fill_copies(Hp5TaskRun *run);
/* Ends the program for two names of one item that cannot be. */
void hp5_check_aliases(const Hp5TaskRun *run);
/* All versions of a box like the current one. */
void hp5_equalise(const Hp5Store *store, const Hp5Box *box);
/* Thread t's share of Root's store, a slice that lies together; false when it has none. */
bool hp5_root_slice(const Hp5Store *store, int t, int threads, Hp5Box *box);

/* items.c */
void hp5_item_spread(Hp5Item *item, Hp5TaskRun *run, int array);
void hp5_item_unspread(Hp5Item *item);
/* The item's data as a store of one version. */
Hp5Store hp5_item_store(const Hp5Item *item);
/* Whether a simulation has its elements: numbers that may say how long loops are, and which elements they look at. It has no others. */
static inline bool hp5_item_is_peeked(const Hp5Item *item) {
    return item->file != NULL && (item->element->kind == HP5_INT64 || item->element->kind == HP5_INT32);
}
/* Held while an item's elements change place: tasks that run at the same time may look at each other's items. */
extern pthread_mutex_t hp5_item_lock;

/* share.c: what the process has read of an array's file, in Root's store; NULL: all of its parts, or the array came otherwise. */
const struct Hp5Regions *hp5_share_read(const Hp5TaskRun *run, int array);

/* collect_memory.c */
void hp5_collect_create(Hp5TaskRun *run);
void hp5_collect_report(const Hp5TaskRun *run); /* for --timing */
/* Memory of a copy that is collected; nothing happens to others. */
void hp5_copy_take(const Hp5TaskRun *run, Hp5Store *store);
void hp5_copy_drop(const Hp5TaskRun *run, Hp5Store *store);

/* limits.c: made with the run, counted anew in each execution; --timing says how many there were. */
void hp5_limits_create(Hp5TaskRun *run);
void hp5_limits_free(Hp5TaskRun *run);
void hp5_limits_start(Hp5TaskRun *run);
/* So many LPUs of an LPS have run at once, on a card. */
void hp5_limit_reached(Hp5TaskRun *run, int lps, int64_t most);
void hp5_limits_report(const Hp5TaskRun *run);

/* run.c */
/* Where a run's LPUs are: counts of PPUs; the threads `mine` of this process (none: all, in one process); and, where several processes
 * share out whole segments, how many threads each has, and the rank of the first of them. A process that does not take part has none, behind all others. */
typedef struct Hp5RunPlace {
    const int *level_counts, *machine_counts;
    Hp5Span mine;
    const Hp5SegmentCounts *segments;
    int first_rank;
} Hp5RunPlace;
Hp5TaskRun *hp5_run_prepare_at(const Hp5TaskDesc *desc, Hp5Team *team, const Hp5RunPlace *place, const int64_t *args, Hp5Item **items,
                               void *globals);
/* hp5_run_prepare for one of several processes, which runs the threads `mine` of all that the level counts ask for: it has LPUs
 * and elements of these alone. No threads: of all of them, in one process. */
Hp5TaskRun *hp5_run_prepare_segment(const Hp5TaskDesc *desc, Hp5Team *team, const int *level_counts, const int *machine_counts,
                                    Hp5Span mine, const int64_t *args, Hp5Item **items, void *globals);
void hp5_run_unreference(Hp5TaskRun *run);
/* Whether hp5_run_rebind can give the run these items: -1 not; else for how many arrays elements that somebody still
 * wants would have to leave the run's copies. */
int hp5_run_fits(const Hp5TaskRun *run, const Hp5TaskDesc *desc, const int64_t *args, Hp5Item *const *items);

/* flow.c: one result from the partial ones below `target`, whose presence marks are cleared. */
void hp5_combine(Hp5TaskRun *run, int site, Hp5Lpu *target);

/* Whether the program runs in several processes (even if the task takes one of them). */
static inline bool hp5_has_processes(const Hp5TaskRun *run) { return run->hidden->segments.starts != NULL; }

/* across.c */
/* The processes, as segments of the run, that run an LPU whose threads are `threads`. */
Hp5Span hp5_segments_of(const Hp5TaskRun *run, Hp5Span threads);
/* The same as members of a group; ranks is freed with hp5_free. */
Hp5Peers hp5_peers_of(const Hp5TaskRun *run, Hp5Span threads);
/* What the processes count of what they say to each other. */
void hp5_across_create(Hp5TaskRun *run);
/* partials.c: one result from the partial ones of several processes. */
void hp5_partials_create(Hp5TaskRun *run);
void hp5_partials_free(Hp5TaskRun *run);
void hp5_combine_across(Hp5TaskRun *run, int site, Hp5Lpu *target);
/* An LPU that is the only one of its LPS, and has scalars. */
typedef struct Hp5Single {
    int lps;
    Hp5Lpu *lpu;
    Hp5Span threads; /* that run it */
    size_t size;     /* of its scalars */
} Hp5Single;
typedef void Hp5SingleVisit(const Hp5Single *single, void *data);
/* Those of the run, in the same order in all processes. */
void hp5_each_single(Hp5TaskRun *run, Hp5SingleVisit *visit, void *data);
/* Their scalars, for the processes that do not run them. */
void hp5_tell_single(Hp5TaskRun *run);
/* tell_texts.c: the text of the member at `root`, which `mine` says of this process, for all. */
void hp5_text_broadcast(Hp5Peers peers, int tag, int root, bool mine, const char **text);
/* The same text, until the program ends. */
const char *hp5_text_keep(const char *text, int64_t length);
void hp5_texts_free(void);
/* Tags of groups (runtime/comm). */
enum { HP5_TAG_REDUCE = 1, HP5_TAG_ANY, HP5_TAG_TELL, HP5_TAG_ITEMS, HP5_TAG_FILES, HP5_TAG_MERGE, HP5_TAG_PLANS, HP5_TAG_TRACE, HP5_TAG_REPORT };

/* rooms.c: with several processes. */
/* This process is the first of those that run the LPU. */
bool hp5_is_first(const Hp5TaskRun *run, const Hp5Lpu *lpu);
/* The views of an array in place whose parts the process has room for; `filled`: those that the environment gives. */
typedef void Hp5RoomVisit(const Hp5View *view, void *data);
void hp5_each_room(Hp5TaskRun *run, int array, bool filled, Hp5RoomVisit *visit, void *data);
/* Indices begin … end - 1 of an array of one dimension lie in own parts of the Space's LPUs that the process runs first, and in no others of LPUs
 * beside these; none where the parts have gaps, or the Space does not divide the array. */
void hp5_own_indices(Hp5TaskRun *run, int array, int lps, int64_t *begin, int64_t *end);
void hp5_each_view_of_room(Hp5TaskRun *run, int array, const Hp5RoomDesc *room, Hp5RoomVisit *visit, void *data);
/* room_places.c: places of the indices in `held`, which becomes a box of places; NULL: it stays as it is, there are no gaps. */
const Hp5Places *hp5_room_places(Hp5TaskRun *run, int array, Hp5Box *held);
/* Root's stores shrink to that, and get memory. */
void hp5_rooms_create(Hp5TaskRun *run);

/* share.c */
/* Whether the elements of a HOME array have come from other processes for the execution that begins. */
bool hp5_is_shared(const Hp5TaskRun *run, int array);
void hp5_share_create(Hp5TaskRun *run);
void hp5_share_free(Hp5TaskRun *run);
/* What hp5_stores_fill and hp5_stores_return do, with several processes: called by all of the program. */
void hp5_share_fill(Hp5TaskRun *run);
void hp5_share_return(Hp5TaskRun *run);
/* Ends the program where the processes' files of one name are not alike, as far as that shows without their elements. */
void hp5_share_compare(const Hp5NpyReader *file, const char *path, const char *name);
/* hp5_item_write, by all processes. */
void hp5_share_write(Hp5Item *item, const char *path, const char *name);

/* runtime/predict/simulate.c: tasks on simulated machines that run no stage (--simulate). */
/* Whether other processes take part in what a thread does, which may only count. */
static inline bool hp5_talks(const Hp5Worker *w) { return !w->predicting || hp5_comm_is_imagined(); }
/* --assume-rounds; --measured, or NULL. */
void hp5_simulate_begin(Hp5TaskRun *run, int64_t rounds, const char *measured);
/* runtime/predict/measured.c: what FILE says of the task's stages (--measured), and the seconds counted for a stage as they were there. */
void hp5_measured_read(struct Hp5Cost *cost, const Hp5TaskDesc *desc, const char *path);
double hp5_measured_seconds(const struct Hp5Cost *cost, const Hp5TaskDesc *desc, int stage);
/* What the thread has counted takes its time. */
void hp5_simulate_passed(Hp5Worker *w);
/* Whether a message to be packed or unpacked is a simulated one without contents; the time of copying passes then. */
bool hp5_simulate_copy(const Hp5TaskRun *run, int64_t bytes);
void hp5_simulate_finish(Hp5TaskRun *run);

/* trace.c: spans of one thread, then of the program. */
typedef enum {
    HP5_SPAN_TASK, HP5_SPAN_STAGE, HP5_SPAN_WAIT /* for messages */, HP5_SPAN_SENT, HP5_SPAN_RECEIVED,
    HP5_SPAN_ON_CARD /* a stage, by a PPU of the card */,
    HP5_SPAN_KERNEL, HP5_SPAN_FOR_CARD /* a stage of the host's */, HP5_SPAN_TO_CARD, HP5_SPAN_FROM_CARD
} Hp5SpanKind;
typedef struct Hp5TraceSpan {
    const char *name;
    int ppu; /* SENT, RECEIVED: the other process */
    Hp5SpanKind kind;
    double begin, end;
    int tag;        /* SENT, RECEIVED: of the message, and which of those with this tag it is */
    int64_t number; /* TO_CARD, FROM_CARD: bytes */
} Hp5TraceSpan;
typedef struct Hp5TraceLog {
    Hp5TraceSpan *spans;
    int64_t count, capacity;
} Hp5TraceLog;
double hp5_now(void); /* seconds of the monotonic clock */
void hp5_trace_span(Hp5TraceLog *log, Hp5TraceSpan span);
/* Appends `from` to `to` and empties it. */
void hp5_trace_take(Hp5TraceLog *to, Hp5TraceLog *from);
/* Chrome's trace format (chrome://tracing, ui.perfetto.dev). By all processes, whose spans go into one file. */
void hp5_trace_write(const Hp5TraceLog *log, const char *path);

/* checked.c */
/* A new execution: everything written before it is ordered before it. */
void hp5_stamps_level(Hp5TaskRun *run);
/* Rounds of a walk over sub-partitions run one after the other, so what LPUs of different rounds write is no conflict:
 * the LPU of the first round in the same place stands for all of them. Different places of different rounds
 * hold different elements. */
const Hp5Lpu *hp5_in_first_round(const Hp5TaskDesc *desc, const Hp5Lpu *lpu);
void hp5_writers_free(Hp5TaskRun *run);

/* ---- count_products.c: accounts of products of matrices, by all processes; what an execution does of them ---- */
void hp5_products_open(const Hp5TaskRun *run);
void hp5_products_count(Hp5TaskRun *run);

/* ---- comm_report.c: by all processes, at the end ---- */
void hp5_comm_report(void);

/* ---- gathers.c: which stages must check the indices that they take from arrays; after hp5_stores_fill ---- */
void hp5_gathers_look(Hp5TaskRun *run);

/* ---- where.c ---- */
struct Hp5CrashText;
void hp5_say_where(const void *worker, struct Hp5CrashText *text);
#endif
