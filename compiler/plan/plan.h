/* The plan: every decision about how a checked program runs, as data. Emitters decide nothing.
 *
 *   TaskPlan ── LpsPlan      which PPUs run it, what each listed array is stored in, its scalars
 *            ── ArrayPlan    where an array lives, how epochs treat it
 *            ── StageUse     one C function for each stage instance, LPS and set of bound variables
 *            ── PlanStep     the flow that every thread runs, with its synchronisation and the reasons
 *            ── Dependence   which step must follow which, and what sees to it: nothing, a wait, or Transfers
 *            ── Holding      a place where elements live
 *            ── Transfer     what moves from one to another, after and before which steps
 *
 * plan_verify checks the invariants stated here; plan_dump prints the plan in words (--dump=plan). */
#ifndef HP5_PLAN_PLAN_H
#define HP5_PLAN_PLAN_H
#include "compiler/check/check.h"
#include "compiler/plan/footprint.h"

/* ---- Stage functions --------------------------------------------------------------------- */
typedef enum {
    FORMAL_VIEW,   /* an array: `const Hp5View *name` (runtime/lpu/lpu.h) */
    FORMAL_VALUE,  /* a scalar that the stage only reads: by value (struct types: by const pointer) */
    FORMAL_PLACE,  /* a scalar that the stage writes: by pointer */
    FORMAL_PARTIAL /* a reduction target: pointer to this LPU's partial result */
} FormalKind;

/* How an array lies in memory, where the mapping says it: all zero is row-major, whole elements, as aligned as ever. */
typedef struct ArrayLayout {
    bool fortran;  /* the first index runs fastest; only where there are several */
    bool split;    /* the values of each field lie together */
    int64_t align; /* in bytes; 0: not said */
} ArrayLayout;

/* One parameter of a generated stage function: a stage parameter, or a task-global or partition
 * argument that the body names directly. */
typedef struct Formal {
    FormalKind kind;
    Var *var;           /* as the body names it: a VAR_PARAM, VAR_GLOBAL or VAR_PARTITION */
    Var *actual;        /* the global or partition argument it is bound to; NULL for a constant */
    Expr *constant;     /* when actual is NULL */
    bool read, written; /* by this stage */
    int max_lag;
    int same_as; /* a scalar that the stage has by several names and writes: 1 + the formal that stands for them all; else 0 */
    /* VIEW: where the LPU finds it */
    const Lps *holder;       /* the LPS (the use's LPS or an ancestor) that lists it; Root lists all */
    int slot;                /* index in the holder's views */
    bool interval[MAX_RANK]; /* the part is known to be an interval in this dimension; else it may have
                                several runs */
    bool whole[MAX_RANK];    /* the part is known to be the whole dimension */
    bool gaps[MAX_RANK];     /* as ArrayPlan.gaps; not of copies */
    bool copied;             /* the store is an LPU's own copy (its lo is the padded part's begin) */
    bool shared;             /* several LPUs may have the same element in one memory */
    ArrayLayout layout;      /* of the array */
    bool restricted;         /* no other formal of this use is the same array */
    /* PARTIAL */
    ReduceOp op;
    Type *value_type; /* type of the reduced expression before the target's type; Integer or a Real */
    Span reduced;     /* the first reduce(…) of it in the stage */
    int site;         /* index in Hp5TaskDesc.reductions */
} Formal;

/* A subscript that comes from an array of indices which no stage writes (index_arrays.c). The index of a loop is at least its first
 * end, whatever the last one is, and at most its last. */
typedef enum { GATHER_LEAST = 1, GATHER_MOST = 2 } GatherSides;
typedef struct Gather {
    GatherSides sides;
    const Expr *subscript, *from; /* of an element of `array`; the element of `indices` */
    bool direct;                  /* the subscript is `from`, with literals added; else a local was set to it */
    int indices, array;           /* positions among the task's arrays */
    int dimension;
    int64_t offset;               /* subscript - from, at the sides */
    bool least_is_known, unlike_is_known;
    int64_t least, unlike;        /* where it is used, conditions say: `from` is no less, and not that */
} Gather;

typedef struct StageUse {
    int id;
    const StageInstance *stage;
    const Lps *lps;      /* where it runs: lpuId, .local ranges */
    VEC(Formal) formals; /* stage parameters in order (unused ones left out), then direct globals */
    const char *symbol;  /* C function name, unique in the program */
    const char *what;    /* "stage NAME", for reasons */
    bool needs_lpu;      /* the body uses lpuId, or checked builds: the function gets `const Hp5Lpu *lpu` */
    bool needs_worker;   /* checked builds: gets `Hp5Worker *worker` */
    bool tables;         /* a card's: where an index lies whose dimension has gaps (Formal.gaps) is looked up each time */
    const Var *coming;   /* an array that gets elements from other address spaces while it runs, if it leaves these for later (PlanStep.opening); or NULL */
    VEC(Gather) gathers;
} StageUse;

/* ---- Storage and placement ------------------------------------------------------------------ */
typedef enum { STORED_IN_PLACE, STORED_COPY, STORED_HOME, STORED_AT_HOME } Stored; /* as Hp5Storage */

typedef struct Inspection Inspection; /* inspect.h */
typedef struct ArrayPlan {
    Var *var;
    Lps *home;       /* the LPS whose LPU copies are the array; Root: one store */
    Lps *kept;       /* the LPS whose LPUs keep their copies from visit to visit (kept_copies.c); NULL: they fill them and hand them back in each */
    bool overlaps;   /* padded parts of LPUs, which would have copies, overlap in the one store (own_parts.c) */
    bool rotates;    /* epochs exchange the buffers of its versions instead of copying */
    bool oldest_in_current; /* … and the oldest version is read where the current one is about to be written: a buffer less (oldest.c) */
    const char *why; /* in words, for the dump */
    ArrayLayout layout;
    bool written;   /* by some stage */
    bool collected; /* has memory from its first use to its last */
    bool gaps[MAX_RANK]; /* segments have indices of the dimension with gaps, which lie side by side: each use asks for an index's place */
    const Inspection *reads; /* of what the environment gives, a process reads the elements that this finds and no others; NULL: its parts */
    bool scratch;        /* stages read nothing of it but what they have written themselves, in the same run: nothing of it moves */
    bool slots;          /* … and what stages above the segments touch of them comes anew each time: nobody needs it afterwards */
} ArrayPlan;

typedef struct LpsPlan {
    Lps *lps;
    Stored *stored;         /* parallel to lps->vars */
    VarVec scalars;         /* scalars whose home it is, that are shared (not private to threads) */
    const Lps *placed_as;   /* its LPUs work in the parts of those of this Space, and go where they are; NULL: by its own mapping */
    int ppus;               /* PPUs of its level within the PPU of the parent LPS (from the model) */
    const char *level_name; /* the PPS it is mapped to */
    int level;              /* its place in TaskPlan.levels, -1: the whole machine */
    int first;              /* its first PPU among those of its level in the parent's PPU (Root: in the machine) */
    bool blocks;            /* its LPUs go to PPUs in blocks of their grid where that saves bytes */
    int64_t limit;          /* at most so many LPUs at once; 0: no limit */
    int slot_in_parent;     /* index among the parent's children */
    bool used;              /* the flow enters it */
} LpsPlan;

typedef struct ExchangePlan {
    Lps *lps;
    ArrayPlan *array;
} ExchangePlan;
typedef struct ReducePlan {
    Lps *from, *to;
    Var *target;
    ReduceOp op;
    Type *value_type;
    Span span, reduced; /* of the call; of the first reduce(…) in the stage */
} ReducePlan;

/* ---- The flow as every thread runs it --------------------------------------------------------- */
typedef enum {
    PLAN_LPUS,      /* for each of this thread's LPUs of `lps` in the current LPU of its parent: body */
    PLAN_SUB_PARTS, /* for every sub-part of the current LPU, in order: body */
    PLAN_STAGE,     /* the leader of the current LPU's group calls `use` */
    PLAN_REPEAT_FOR,
    PLAN_COUNT, /* in a Repeat for of a shared `scalar`: the LPU's leader stores the value of the round */
    PLAN_REPEAT_WHILE,
    PLAN_IF,
    PLAN_LOCKSTEP,    /* a Repeat or an If of the LPUs of `space`, each with control of its own, whose rounds
                         they run together:    stands in `lps`, its parent; PLAN_GUARDs below ask who takes part */
    PLAN_AGREE,       /* the first in each round of a `lockstep` loop: threads agree on whether any LPU goes on */
    PLAN_GUARD,       /* in a visit of `lps`: body, if the LPU takes part in this round of `lockstep` */
    PLAN_EPOCH,       /* rotate (begin) or advance (end) `array` at `lps` */
    PLAN_EPOCH_CLOSE, /* of a `shared` epoch: forget which elements it has advanced */
    PLAN_ADVANCE_SCALAR,
    PLAN_PROVIDE, /* memory for `array`, which the mapping wants collected; all threads */
    PLAN_COLLECT, /* … and the end of it */
    PLAN_COPY_IN,
    PLAN_COPY_OUT, /* COPY storage of `array` in the current LPU of `lps` */
    PLAN_SYNC,     /* all threads of the group that runs the current LPU of `lps` wait for each other */
    PLAN_EXCHANGE, /* padding of `exchange` among the LPUs of its lps, in the current LPU of `lps` (their
                      parent) */
    PLAN_REDUCE, /* results of site `reduce` combine in the current LPU of `lps`; everybody in its group waits
                 */
    PLAN_WATCH,  /* several segments have elements of `array` that a step writes in the current LPU of `lps`: what they have now */
    PLAN_MERGE,  /* … and what has changed since then, for all of them */
    PLAN_TELL,   /* `scalar`, as the one LPU of `space` in the current LPU of `lps` has it, for all segments that run that LPU */
    PLAN_RENEW,  /* all of `array` has been written anew: what was noted of it before need not move in the current LPU of `lps` */
    PLAN_WROTE,  /* a step has run after which something moves in the current LPU of `lps` */
    PLAN_MOVE    /* `transfer` moves in the current LPU of `lps`, if such a step has run since the last time */
} PlanStepKind;

typedef struct PlanStep PlanStep;
typedef VEC(PlanStep *) PlanStepVec;
typedef struct Dependence Dependence;
typedef struct Transfer Transfer;
typedef VEC(Dependence *) DependenceVec;
typedef VEC(Transfer *) TransferVec;
struct PlanStep {
    PlanStepKind kind;
    const Step *source; /* the program's step it comes from */
    Lps *lps;           /* see the kinds */
    StageUse *use;
    RegionVec regions; /* STAGE: what this call touches, in terms of globals */
    VEC(const Var *) renews; /* STAGE: arrays that it writes anew in all LPUs, COPY_IN above the segments: its own, in the LPU: nothing
                                that was written there before moves any more */
    int call_id; /* STAGE: index of the timed call site */
    int reduce, exchange;
    ArrayPlan *array;
    Var *scalar;
    bool private_counter;     /* REPEAT_FOR: each thread keeps the variable for itself */
    bool unchanged;           /* COPY_OUT: nothing writes the copy, only its memory is given back */
    bool rotates;             /* EPOCH: buffers change places, which `array` allows here */
    RegionVec takes;          /* EPOCH that rotates: of the current version, what has the content of the version before when it begins */
    bool shared;              /* EPOCH: several LPUs hold the same elements, which one of them at a time advances */
    Lps *space;               /* LOCKSTEP, TELL */
    const PlanStep *lockstep; /* GUARD, AGREE, COUNT in a lockstep; LOCKSTEP: the one around it, of the same LPUs, or NULL */
    int number;               /* LOCKSTEP: distinct in the task */
    bool dynamic;             /* LPUS: they go to threads as these get free */
    const Lps *waits;         /* all threads of the group that runs the current LPU of it wait for each other, before and
                                 after what the step does; NULL: they do not */
    const char *why;          /* synchronisation: the reason in words, naming variable and stages */
    DependenceVec needs;      /* whose second step it is */
    DependenceVec serves;     /* whose `wait` it is */
    bool needed;              /* SYNC: some dependence has no other wait */
    const Transfer *transfer; /* MOVE */
    bool begins, ends;        /* MOVE: its messages are waited for together with those of other moves beside it; it is the last of these */
    int writer;               /* WROTE: the number of the step that has written (Transfer.writers) */
    const PlanStep *beside;   /* MOVE, WATCH: it happens in front of that step, RENEW, WROTE, MERGE, TELL: behind that one; NULL: at the end */
    const PlanStep *later;    /* EXCHANGE: itself, where its messages are waited for later; LPUS: that exchange, for which LPUs wait here */
    const PlanStep *settles;  /* behind it, the exchange's messages have come at the latest */
    const PlanStep *opens;    /* STAGE: the visit that it touches the array of such an exchange first in, in each LPU; or NULL */
    const PlanStep *opening;  /* LPUS: that stage, or NULL */
    bool everywhere;          /* STAGE: above the segments, which all run it alike (everywhere.c) */
    const PlanStep *watched;  /* WATCH, MERGE: the step that writes; WATCH: NULL where several do */
    PlanStepVec body;
};

/* One step must come after another one, because they touch the same elements and different threads may run them. Between
 * equal accesses only the latest one before the second step counts. */
typedef enum { DEPENDENCE_FLOW /* write, read */, DEPENDENCE_ANTI /* read, write */, DEPENDENCE_OUTPUT } DependenceKind;
typedef enum {
    SERVED_BY_NOTHING, /* an LPU of the group has one thread under every mapping */
    SERVED_BY_WAIT,    /* the two share a memory */
    SERVED_BY_TRANSFER /* what the first has written moves to where the second is; those who share a memory wait, besides */
} Served;
struct Dependence {
    DependenceKind kind;
    Served label;
    const Var *var;
    int lag;                       /* FLOW: the oldest version that is read */
    const PlanStep *first, *second;
    const char *before, *after;    /* "stage refineEstimates": what the two are */
    RegionVec first_regions, second_regions; /* what the two touch, each in its way; empty: a scalar */
    const Lps *group;              /* the threads that run an LPU of it are those who may meet the elements */
    const PlanStep *wait;          /* the step between the two at which the group waits, or NULL */
    VEC(const Transfer *) transfers;
};

/* ---- What is where, and what moves ---------------------------------------------------------------------------- */
typedef enum { MEMORY_HOST, MEMORY_CARD, MEMORY_BLOCK /* shared memory of a multiprocessor */ } MemoryKind;
typedef enum {
    HELD_ITEM,       /* with the task's environment: a file, or what another task has left */
    HELD_WHOLE,      /* the array as a whole, in one address space */
    HELD_PARTS,      /* each segment has the parts of its LPUs of `lps`, padding included */
    HELD_TOUCHED,    /* each segment has what its LPUs of `lps` touch of an array that `lps` does not divide */
    HELD_COPY,       /* each LPU of `lps` has a copy of its padded part */
    HELD_HOME,       /* the padded parts of the LPUs of `lps` are the array */
    HELD_STAGED,     /* what a step above the segments touches, where its LPU's leader is: a stage, or what fills a copy */
    HELD_EVERYWHERE, /* in every segment alike: scalars above the segments, and what conditions there ask for */
    HELD_SCALAR      /* with the LPU of `lps` */
} HoldingKind;

typedef struct Holding {
    int id; /* index in TaskPlan.holdings */
    const Var *var;
    const Lps *lps;
    const Lps *store; /* the Space whose LPUs' store the elements lie in: Root, or one above whose LPUs have copies; NULL: a scalar */
    MemoryKind memory;
    HoldingKind kind;
    RegionVec regions; /* what steps touch here: all that must be held */
    int written;       /* by steps, in their order: the later one writes it, the larger; 0: none does */
    bool shared;       /* several segments have the same elements */
    bool padded;       /* … of which one has them newest */
    bool old;          /* when the task has ended, others may have newer elements */
    const Inspection *inspection; /* what is touched of it can be found out before it moves; NULL: it cannot, or a formula says it */
} Holding;
typedef struct Home {
    Holding place;
    bool inside; /* what moves between two places happens in the least LPUs that have both, though others outside have written it */
} Home;
typedef VEC(Home) HomeVec;

typedef enum {
    TRANSFER_FILE,        /* from or to the environment */
    TRANSFER_FILL,        /* copies of padded parts */
    TRANSFER_HAND_BACK,
    TRANSFER_HALO,        /* own elements to the padding of neighbours */
    TRANSFER_REPLICATE,   /* to everybody who has them as well */
    TRANSFER_REPARTITION, /* to those whose part they are in another Space */
    TRANSFER_GATHER,      /* to where a stage above the segments runs */
    TRANSFER_SCATTER,     /* and back */
    TRANSFER_SCALAR,
    TRANSFER_REDUCE
} TransferKind;

/* Happens when `before` comes and a step of `after` has run since the last time. What has moved is not moved again. */
struct Transfer {
    int id; /* index in TaskPlan.transfers */
    TransferKind kind;
    const Var *var;
    const Holding *from, *to; /* REDUCE: `from` is NULL */
    const Lps *partials;      /* REDUCE: whose LPUs have the parts */
    const Region *region;     /* in terms of globals, with the values that they have at the step that gives it a name */
    const Region *needed;     /* what `before` asks for, of which this is a part */
    int versions;
    VEC(const PlanStep *) after; /* the data are ready; NULL: at the start */
    VEC(int) writers;            /* parallel to `after`, where `within` is set: numbers of these steps in the task; -1: the start */
    const PlanStep *before;      /* they are needed; NULL: at the end */
    const PlanStep *step;        /* that does it by itself; NULL: none */
    bool less;                   /* less than was written moves; else all that the steps of `after` have written, whatever the region is by then */
    bool partial;                /* less than was written moves, and other elements when the values in the region are others */
    const Lps *within;           /* the LPUs in which it takes place, one after the other (moves.c); NULL: it is no step */
    const Inspection *inspection; /* the elements that it has found move, and no others; NULL: the region does */
    VEC(int) inspected_after;    /* numbers of steps that write what it looks at */
    DependenceVec serves;
};

typedef struct MachineLevel {
    const char *name;
    int64_t count; /* PPUs in each PPU of the level above */
    bool segment;  /* each is an address space of its own */
    bool unit;     /* each is a node */
} MachineLevel;

typedef struct TaskPlan {
    Task *task;
    ArrayPlan *arrays; /* by position among the task's array globals */
    int array_count;
    LpsPlan *spaces; /* by Lps.id */
    VEC(StageUse *) uses;
    VEC(const char *) call_sites; /* "refineEstimates in Space B (line 12)" */
    VEC(ExchangePlan) exchanges;
    VEC(ReducePlan) reductions;
    ExprVec dim_args; /* partition expressions (arguments and paddings but for 0): Hp5TaskRun.args */
    PlanStepVec flow;
    DependenceVec dependences;       /* those that cross threads, in the order of their second steps */
    VEC(Holding *) holdings;         /* set by plan_levels */
    HomeVec homes;                   /* that were chosen for arrays, in their stores (homes.c) */
    TransferVec transfers;
    int64_t priority;                /* among executions that wait */
    struct ResolvedMapping *mapping; /* compiler/mapping/mapping.h; set by plan_levels */
    int64_t ppu_first,
        ppu_end;              /* PPUs of the model's lowest level that the mapping takes; set by plan_levels */
    VEC(MachineLevel) levels; /* of the model, from the top; set by plan_levels */
} TaskPlan;

typedef struct PlanOptions {
    bool checked, fast_math;
    bool simulated; /* programs run on simulated clusters (--smpi) */
    const struct Machine *machine; /* NULL: one address space; else storage asks whether LPUs of two Spaces lie in one (levels.h) */
    const struct MappingFile *mapping;
    bool moves; /* holdings and transfers are asked for; the backend of one address space needs none */
    int omit_sync, omit_transfer; /* developers: leave out the n-th wait, the n-th step that moves data; -1 none */
} PlanOptions;

typedef struct Plan {
    Program *program;
    PlanOptions options;
    VEC(TaskPlan *) tasks; /* by Task.id */
    int wait_count, move_count; /* numbering for --omit-sync, --omit-transfer */
} Plan;

/* Needs: a checked program. Gives: the plan, or NULL when `diags` holds errors (what no backend can run).
 * The levels (LpsPlan.ppus, level_name) are filled in by plan_levels. */
Plan *plan_program(Arena *arena, Program *program, PlanOptions options, Diags *diags);
/* verify.c: proves that the plan keeps what the program means; internal_error where it does not (--verify). */
void plan_verify(const Plan *plan);
/* The array's index among the task's arrays, or -1 for scalars. */
int plan_array_index(const TaskPlan *plan, const Var *var);
/* Buffers of the array: one for each version that has its own. */
int plan_versions(const ArrayPlan *array);
/* The place of an argument or padding among TaskPlan.dim_args, -1 for none and 0. */
int plan_dim_arg(const TaskPlan *plan, const Expr *expr);
/* What `formal` is bound to at `call`: the variable (NULL for a constant), and the constant. */
const Var *plan_actual(const StageUse *use, const Formal *formal, const Step *call);
Expr *plan_constant(const StageUse *use, const Formal *formal, const Step *call);
/* Slot of `var` in the views of LPUs of `lps`, -1 when not listed. */
int plan_view_slot(const Lps *lps, const Var *var);
/* Not one instance for each LPU of its home that threads share: a constant of the run, or a counter of each
 * thread. */
bool plan_scalar_is_private(const TaskPlan *plan, const Var *var);
/* `sizes` of arrays ("a=1000x1000,b=50"), or NULL: also how many bytes move. */
void plan_dump(const Plan *plan, const char *sizes, Text *out);
/* What `sizes` should have been instead, or NULL. */
const char *plan_sizes_error(Arena *arena, const Program *program, const char *sizes);
#endif
