/* What stages cost: hp5c writes, beside each stage function, a function of the same parameters with `_cost` at the end
 * of its name, which says how often the stage's loops run and what one iteration does. It never computes what the
 * stage computes. With --timing such a function runs before each stage call, with --predict instead of it.
 *
 *     static void scale_A_cost(Hp5Cost *cost, const Hp5View *x_view, double factor) {
 *         const Hp5View *const views[] = {x_view};
 *         hp5_cost_loop(cost, hp5_cost_trips(x_view->part[0].begin, x_view->part[0].end));
 *         hp5_cost_block(cost, &scale_A_counts[0], views);
 *         hp5_cost_end(cost);
 *     }
 *
 * hp5_cost_block multiplies the counts of one iteration by the trips of the open loops, finds out which of the touched
 * elements come from which level of the machine (reuse.c), and turns it into seconds with the model's figures:
 * the dearest of computing, of a chain of dependent operations, and of moving bytes at some level (the roofline). */
#ifndef HP5_RUNTIME_PREDICT_PREDICT_H
#define HP5_RUNTIME_PREDICT_PREDICT_H
#include "runtime/run/run.h"

enum { HP5_COST_LOOPS = 24, HP5_COST_LEVELS = 12, HP5_COST_SAMPLES = 24 };

/* ---- Written by hp5c: what one iteration does (compiler/cost/count.h) ------------------------------------- */
typedef struct Hp5CostAccess {
    int view, lag;                  /* index in the function's views */
    double reads, writes;           /* elements in one iteration */
    uint32_t moves[HP5_MAX_RANK];   /* bit l: the subscript moves with the l-th open loop, outermost first */
    int spread[HP5_MAX_RANK];       /* distance of the outermost neighbours that one iteration touches */
    bool anywhere[HP5_MAX_RANK];    /* the subscript depends on values */
} Hp5CostAccess;

typedef struct Hp5CostBlock {
    int line;
    double reals, fused, integers, divisions, functions, chain;
    double gathers;                 /* elements that come into vectors one by one */
    double reductions;              /* sets of 32 lanes that each 1024 iterations of the innermost loop fill anew */
    int lanes;                      /* bytes of a number in vector instructions; 0: none */
    bool multiply;                  /* runs as a register-tiled product */
    bool partial;                   /* holds something that cannot be counted */
    int access_count;
    const Hp5CostAccess *accesses;
} Hp5CostBlock;

/* ---- Called by cost functions --------------------------------------------------------------------------------- */
typedef struct Hp5Cost Hp5Cost;
/* Opens a loop of so many iterations; hp5_cost_end closes the innermost. */
void hp5_cost_loop(Hp5Cost *cost, double trips);
/* A loop over a part's indices in [begin, end): one for each run of them. */
void hp5_cost_loop_of_part(Hp5Cost *cost, const Hp5Set *part, int64_t begin, int64_t end);
void hp5_cost_end(Hp5Cost *cost);
/* A loop whose inner bounds or tests depend on its index: some of its iterations (all, if there are few) stand for the rest. */
typedef struct Hp5CostSample { double trips; int64_t at; int next, count; } Hp5CostSample;
Hp5CostSample hp5_cost_sample(Hp5Cost *cost, double trips);
bool hp5_cost_next(Hp5Cost *cost, Hp5CostSample *sample); /* sets at, from 0; closes the loop when it returns false */
void hp5_cost_block(Hp5Cost *cost, const Hp5CostBlock *block, const Hp5View *const *views);
/* How often a loop runs is known only when it runs: it counts as one round. */
void hp5_cost_unknown(Hp5Cost *cost);

static inline double hp5_cost_trips(int64_t begin, int64_t end) { return end > begin ? (double)end - (double)begin : 0; }
/* Indices of a part in [begin, end), and the at-th of them. */
double hp5_cost_part_trips(const Hp5Set *part, int64_t begin, int64_t end);
int64_t hp5_cost_pick(const Hp5Set *part, int64_t begin, int64_t at);
/* The element at `index`, or zeros where the view's store does not hold it. */
const void *hp5_cost_peek(const Hp5View *view, int lag, const int64_t *index);
/* The same of a field of so many bytes, at `offset` in its element, where fields lie apart. */
const void *hp5_cost_peek_field(const Hp5View *view, int lag, const int64_t *index, size_t offset, size_t size);

/* ---- For the runtime --------------------------------------------------------------------------------------------- */
/* What can bound a block; from HP5_TERM_MOVE on: moving between a level and the one above it. */
typedef enum {
    HP5_TERM_COMPUTE, HP5_TERM_CHAIN, HP5_TERM_OWN,
    HP5_TERM_LATENCY, HP5_TERM_WAIT, /* of crews: for lines, and for each other */
    HP5_TERM_MOVE, HP5_TERMS = HP5_TERM_MOVE + HP5_COST_LEVELS
} Hp5CostTerm;

/* The machine as one thread sees it: what it shares with the others is divided. */
typedef struct Hp5CostMachine {
    int levels;                             /* of the model, from the top */
    const char *names[HP5_COST_LEVELS];
    double capacity[HP5_COST_LEVELS];       /* bytes for this thread; 0: no memory */
    double bandwidth[HP5_COST_LEVELS];      /* bytes a second from the level above; 0: not stated */
    double latency[HP5_COST_LEVELS];        /* seconds until a line from the level above is there; 0: not stated */
    double in_flight[HP5_COST_LEVELS];      /* lines that come at the same time though each is asked for by itself */
    double exchange[HP5_COST_LEVELS];       /* seconds between siblings; 0: not stated */
    double line;                            /* bytes that move together */
    double own_bandwidth, clock, operations;/* of the level that computes; 0: not stated */
    double scalar, dependent, divide, function, start; /* cycles */
    bool timed;                             /* clock and operations are stated: times can be told */
    bool crews;                             /* a card: who computes are its crews */
} Hp5CostMachine;
/* Seconds in which a thread copies so many bytes from store to store. */
double hp5_cost_copy_seconds(const Hp5CostMachine *machine, double bytes);

typedef struct Hp5StageCost {
    double calls, operations, accessed;     /* accessed: bytes of elements loaded and stored */
    double moved[HP5_COST_LEVELS];          /* bytes between the level and the one above it; the top: unused */
    double seconds, terms[HP5_TERMS];
    bool partial;
} Hp5StageCost;

/* Elements that the caches around a thread hold. */
typedef struct Hp5ReuseEntry {
    const char *data;
    int64_t lo[3], hi[3];
    int64_t stride[3];                      /* of a part that is no interval; else 1 */
    const Hp5CostBlock *block;              /* that touches it; NULL: the array was read or made */
    double touched;                         /* share of the box that it touches, 0 to 1, nobody knows where */
    double bytes;                           /* of the box, when it is touched */
} Hp5ReuseEntry;
/* The most recently touched first, from `begin` on. What is looked at in each touch lies apart. */
enum { HP5_REUSE_ENTRIES = 192, HP5_REUSE_ROOM = 2 * HP5_REUSE_ENTRIES };
typedef struct Hp5Reuse {
    const char *data[HP5_REUSE_ROOM];       /* the entries' */
    double left[HP5_REUSE_ROOM];            /* bytes that are still in this place; 0: the entry counts for nothing */
    Hp5ReuseEntry entries[HP5_REUSE_ROOM];
    int begin, end, count;                  /* of them, those that count */
} Hp5Reuse;
/* Touches `bytes` within the box of an array whose elements are at `data`; hits[l] says how many of them each level's
 * memory (or one below it) still held. */
void hp5_reuse_touch(Hp5Reuse *reuse, const Hp5CostMachine *machine, const Hp5ReuseEntry *touched, double *hits);

typedef struct Hp5CostLoop {
    double trips, length;                   /* iterations that count, of so many in all */
    double starts;                          /* loops that are begun when it runs once: one, and one for each run of a part */
    double side;                            /* iterations that threads of a crew run side by side; else 1 */
    double rounds;                          /* of a crew: how many iterations a thread runs at most */
} Hp5CostLoop;

typedef struct Hp5Measured {                /* of a stage where it has run (--measured) */
    double measured, predicted;             /* seconds of the thread that took longest, in all executions */
    bool ran;
} Hp5Measured;

struct Hp5Cost {                            /* of one thread */
    const Hp5CostMachine *machine;
    Hp5StageCost *stages, *stage;           /* of the task; of the call in progress */
    Hp5CostLoop open[HP5_COST_LOOPS];
    int loops;
    uint32_t barriers;                      /* that its groups had seen when counting began */
    Hp5Measured *measured;                  /* in a simulation with --measured: by stage; else NULL */
    const char *measured_in;                /* … the file */
    int64_t most_rounds, rounds[64];        /* --assume-rounds: of loops that depend on results, and those that each step has had */
    double told, since;                     /* in a simulation: seconds that have passed in stages; when the task began */
    int64_t sent, sent_bytes;               /* … messages before that */
    double transferred;                     /* bytes copied between stores: padding, copies of parts, versions */
    struct Hp5Crews *crews;                 /* of a card: crew.c; else NULL */
    Hp5Reuse reuse;                         /* begins with what the task's data left when they were read or made */
};
/* Begins the cost of a call; what its cost function is given. */
Hp5Cost *hp5_cost_call(Hp5Worker *worker, int stage);
/* Notes that the thread copies `bytes` from store to store; true when it shall not (--predict). */
static inline bool hp5_cost_copies(const Hp5Worker *worker, double bytes) {
    if (worker->cost != NULL) worker->cost->transferred += bytes;
    return worker->predicting;
}

/* Every thread of the run counts from now on, until hp5_cost_finish; `predicting`: and does nothing else. Of a task on a card one does, for all crews
 * (crews.h). */
void hp5_cost_begin(Hp5TaskRun *run, bool predicting);
/* The elements are in place now: small arrays are near. */
void hp5_cost_remember(Hp5TaskRun *run);
void hp5_cost_finish(Hp5TaskRun *run);
/* A stage over all threads; seconds and terms are those of the thread that takes longest. */
Hp5StageCost hp5_cost_of(const Hp5TaskRun *run, int stage);
/* "computing", "moves to Core": what bounds it; "" where no times can be told. */
enum { HP5_BOUND_TEXT = 80 };
const char *hp5_cost_bound(const Hp5TaskRun *run, const Hp5StageCost *cost, char text[HP5_BOUND_TEXT]);
/* --predict: the table, on stdout. */
void hp5_predict_report(const Hp5TaskRun *run);

/* ---- Called by cost functions and flows of tasks on cards (crew.c) ------------------------------------------------------------- */
/* How the threads of a crew run the loops that are opened next: each has some of the iterations of those with a bit in `shared` (bit l: the l-th that is
 * opened); in tiles of a product; the first thread has all of them; in chunks of a reduction; all of them run all, together. */
typedef enum { HP5_CREW_SHARES, HP5_CREW_TILES, HP5_CREW_FIRST, HP5_CREW_CHUNKS, HP5_CREW_AS_ONE } Hp5CrewManner;
void hp5_crew_begin(Hp5Cost *cost, Hp5CrewManner manner, unsigned shared);
void hp5_crew_end(Hp5Cost *cost);
/* Behind a stage's statements, with so many waits of the crew besides the usual one. */
void hp5_crew_end_stage(Hp5Cost *cost, int waits);
/* Begins the cost of a call for the LPU; of a stage that the host runs for the card. */
Hp5Cost *hp5_crew_call(Hp5Worker *worker, int stage, const Hp5Lpu *lpu);
Hp5Cost *hp5_host_costs(Hp5Worker *worker, int stage);
/* The threads that run an LPU of `lps` wait for each other so many times. */
void hp5_crew_waits(Hp5Worker *worker, int lps, int waits);
/* They copy what an LPU has of its own from or to the store above; padding; versions of an epoch (hp5_epoch, or hp5_epoch_shared). */
void hp5_crew_copies(Hp5Worker *worker, const Hp5Lpu *lpu, int lps, int slot);
void hp5_crew_exchanges(Hp5Worker *worker, int exchange, const Hp5Lpu *parent);
void hp5_crew_advances(Hp5Worker *worker, int lps, const Hp5View *view, bool rotates, bool shared);
/* The card asks the host for a stage. */
void hp5_crew_asks_host(Hp5Worker *worker, int stage, Hp5Lpu *lpu, const int64_t *counters);

/* Counting takes time, which --timing would count in: it is left out where the model says too little for a prediction. */
static inline bool hp5_cost_counts(const Hp5Worker *worker) {
    return worker->cost != NULL && (worker->predicting || worker->cost->machine->timed);
}

/* Stage calls of an LPU: the stage runs, unless the program only predicts, for which it is timed, too; its cost is counted when
 * somebody wants to know. What an LPU costs beside its stages is mostly what stands here. */
#define HP5_STAGE_AS(worker, number, of_lpu, form, function, ...)                                                       \
    do {                                                                                                        \
        const bool is_timed = __builtin_expect((worker)->timing, 0);                                            \
        if (is_timed) {                                                                                         \
            if (hp5_cost_counts(worker)) {                                                                      \
                hp5_count_begin((worker));                                                                      \
                function##_cost(hp5_cost_call((worker), (number)), ##__VA_ARGS__);                              \
            }                                                                                                   \
            hp5_time_begin((worker), (number));                                                                 \
        }                                                                                                       \
        (worker)->doing.lpu = (of_lpu);                                                                         \
        (worker)->doing.stage = (number) + 1;                                                                   \
        if (__builtin_expect(!is_timed || !(worker)->predicting, 1)) form(__VA_ARGS__);                         \
        (worker)->doing.stage = 0;                                                                              \
        if (is_timed) hp5_time_end((worker), (number));                                                         \
    } while (0)
#define HP5_STAGE(worker, number, of_lpu, function, ...) \
    HP5_STAGE_AS(worker, number, of_lpu, function, function, ##__VA_ARGS__)
/* A stage's call for a strip of the LPU (runtime/run/visit_strips.h): all strips together are one call, which is counted as a whole. */
#define HP5_STAGE_IN_STRIPS_AS(worker, number, of_lpu, strips, form, function, ...)                             \
    do {                                                                                                        \
        const bool is_timed = __builtin_expect((worker)->timing, 0);                                            \
        if (is_timed) {                                                                                         \
            if ((strips)->first && hp5_cost_counts(worker)) {                                                   \
                hp5_count_begin((worker));                                                                      \
                hp5_strips_widen((strips), true);                                                               \
                function##_cost(hp5_cost_call((worker), (number)), ##__VA_ARGS__);                              \
                hp5_strips_widen((strips), false);                                                              \
            }                                                                                                   \
            hp5_time_begin((worker), (number));                                                                 \
        }                                                                                                       \
        (worker)->doing.lpu = (of_lpu);                                                                         \
        (worker)->doing.stage = (number) + 1;                                                                   \
        if (__builtin_expect(!is_timed || !(worker)->predicting, 1)) form(__VA_ARGS__);                         \
        (worker)->doing.stage = 0;                                                                              \
        if (is_timed && (strips)->first) hp5_time_end((worker), (number));                                      \
        else if (is_timed) hp5_time_rest((worker), (number));                                                   \
    } while (0)
#define HP5_STAGE_IN_STRIPS(worker, number, of_lpu, strips, function, ...) \
    HP5_STAGE_IN_STRIPS_AS(worker, number, of_lpu, strips, function, function, ##__VA_ARGS__)
/* What a stage's calls have left to do: measured as theirs, and no call. */
#define HP5_STAGE_REST(worker, number, function, ...)                           \
    do {                                                                        \
        const bool is_timed = __builtin_expect((worker)->timing, 0);            \
        if (is_timed) hp5_time_begin((worker), (number));                       \
        (worker)->doing.stage = (number) + 1;                                   \
        function(__VA_ARGS__);                                                  \
        (worker)->doing.stage = 0;                                              \
        if (is_timed) hp5_time_rest((worker), (number));                        \
    } while (0)
/* Where an array of indices has values that are none, the stage checks them as it uses them. */
#define HP5_STAGE_GATHERING(worker, number, of_lpu, group, function, ...)                                        \
    do {                                                                                                        \
        if (__builtin_expect((worker)->run->strays[group], 0))                                                  \
            HP5_STAGE_AS(worker, number, of_lpu, function##_strict, function, ##__VA_ARGS__);                   \
        else HP5_STAGE_AS(worker, number, of_lpu, function, function, ##__VA_ARGS__);                           \
    } while (0)
#define HP5_STAGE_GATHERING_IN_STRIPS(worker, number, of_lpu, strips, group, function, ...)                      \
    do {                                                                                                        \
        if (__builtin_expect((worker)->run->strays[group], 0))                                                  \
            HP5_STAGE_IN_STRIPS_AS(worker, number, of_lpu, strips, function##_strict, function, ##__VA_ARGS__); \
        else HP5_STAGE_IN_STRIPS(worker, number, of_lpu, strips, function, ##__VA_ARGS__);                      \
    } while (0)

/* Conditions of the flow on what stages compute: a prediction takes each loop for one round (a simulation for those that --assume-rounds
 * says) and each choice for taken. */
int64_t hp5_cost_rounds(const Hp5Worker *worker);
bool hp5_cost_round(Hp5Worker *worker, int step);
static inline bool hp5_repeats(Hp5Worker *worker, int step, bool condition) {
    return __builtin_expect(worker->predicting, 0) ? hp5_cost_round(worker, step) : condition;
}
static inline bool hp5_chooses(const Hp5Worker *worker, bool condition) { return condition || worker->predicting; }
#endif
