/* Inside the interpreter: the data that its files share.
 *
 *   interpret.c             interpret_program: arguments, refusals, the coordinator, bound outputs
 *   interpret_memory.c      layout of types, locals on a shadowed stack, loading, storing, copying
 *   element.c               which bytes x[i][j] or a scalar means for an LPU; overlapping writes
 *   footprints.c            --check-footprints: what the planner says that stages touch
 *   interpret_expr.c        expressions and places; interpret_math.c: functions of math.h
 *   interpret_stmt.c        statements; interpret_loops.c: loops; interpret_reduce.c: reductions
 *   interpret_spaces.c      the tree of LPUs and their parts; holders.c: copies on entering and leaving
 *   interpret_flow.c        the Computation section, step by step
 *   interpret_task.c        one execution of a task: environment, Initialize, handing back
 *   interpret_items.c       data items, environments, files; interpret_coordinator.c: coordinator statements
 *
 * How storage works. Each array has root storage, one block for each version. An LPS that lists
 * a variable with padding gives each of its LPUs a copy of its padded part (all versions) while
 * the flow is inside that LPS; all other LPUs work in place on the storage of the nearest holder
 * above. So rule 1 (sharing) and rules 2 and 3 (padding) of language.md 3.3 are what happens
 * by itself, level by level.
 *
 * How the flow works. A step runs for all active LPUs of its LPS in lockstep: see interpret_flow.c. */
#ifndef HP5_INTERPRET_INTERNAL_H
#define HP5_INTERPRET_INTERNAL_H
#include "compiler/check/program.h"
#include "runtime/array/index_set.h"
#include "runtime/io/args.h"
#include "runtime/io/npy.h"

/* A value of a basic type, in the field that its static type says; a struct, static array,
 * array, list or environment is a pointer to it. */
typedef union Value {
    int64_t integer;              /* Integer, Boolean, Character */
    double real;
    float single;
    struct { int64_t min, max; } range;
    const char *string;
    void *pointer;
} Value;

typedef struct TypeLayout {
    size_t size, align;           /* size 0: not computed yet */
    size_t *field_offsets;        /* STRUCT */
    Hp5Element *element;          /* as an element of a file, NULL until asked for */
} TypeLayout;

/* ---- Storage and parts ------------------------------------------------------ */
/* The last write of an element, for rule 4: which LPU in which stage execution (or leaving of an LPS). */
typedef struct WriteMark { uint32_t serial, lpu; } WriteMark;

/* advanced: an epoch of the LPU has ended, so older versions of the element may be others. */
typedef enum TouchedBits { ELEMENT_WRITTEN = 1, ELEMENT_ADVANCED = 2 } TouchedBits;

typedef struct Storage {          /* a box of elements, row-major, all versions */
    unsigned char **data;         /* by lag */
    int versions;
    int64_t origin[MAX_RANK], stride[MAX_RANK]; /* stride in elements */
    int64_t count;
    unsigned char *dirty;         /* own copies: what became of each element since the LPU entered (TouchedBits); else NULL */
    int *became;                  /* own copies: what goes back when the LPU leaves (holders.c); NULL until needed */
    uint32_t *advanced;           /* number of the epoch advance that last moved the element; NULL until needed */
    WriteMark *handed;            /* who handed the element back to here, in which leaving; NULL until needed */
} Storage;

typedef struct Part {             /* what an LPU holds of one array */
    const Var *var;
    Type *element;
    size_t size;                  /* bytes of an element */
    int rank;
    const Hp5Set *sets;           /* by dimension: padding included */
    const Hp5Set *core;           /* without this LPS's padding (cut at the parent's part) */
    const Hp5Set *owned;          /* unpadded at every level: rule 4 speaks of these elements */
    bool own;                     /* works on a copy of its own */
    Storage *storage;             /* own, or the holder's above */
    struct Part *root;            /* the whole array */
    WriteMark *marks;             /* root part: by element of the root storage; NULL until needed */
} Part;

typedef struct Lpu Lpu;
typedef struct LpuList { Lpu **items; size_t count; } LpuList;

typedef struct ScalarInstance {
    unsigned char *data;          /* versions one after the other, `size` apart */
    size_t size;
    uint32_t serial, advanced;    /* last stage execution that wrote it, last advance */
    const Lpu *writer;
} ScalarInstance;

struct Lpu {
    const Lps *lps;
    Lpu *parent;
    uint32_t number;              /* dense over the execution; index in Execution.lpus */
    int64_t flat;                 /* position among all LPUs of its LPS, in LPU order */
    int64_t *coordinates;         /* lps->dims of them */
    Part **held;                  /* by global: what it lists, or its ancestors do */
    ScalarInstance **scalars;     /* by global: of LPSes from Root to its own; NULL when the home is below */
    LpuList *below;               /* by position in lps->children */
};

/* ---- Data items and environments ---------------------------------------------- */
typedef struct Item {             /* one array or scalar that environments name */
    int references;               /* environments' slots */
    bool pinned;                  /* a coordinator variable may name it: lives until the end */
    Type *type;
    const char *path;             /* array bound to a file that has not been read yet */
    const char *what;             /* the variable's name, for messages about the file */
    Part part;                    /* arrays: the whole, one version */
    Storage storage;
    Hp5Set sets[MAX_RANK];
    unsigned char *data;          /* the current version, or the scalar */
    struct Item *next;
} Item;

typedef struct Environment { const Task *task; Item **items; struct Environment *next; } Environment;
typedef struct Output { Environment *environment; const Var *var; const char *path; struct Output *next; } Output;
typedef struct ListValue { Type *element; unsigned char *data; int64_t count, capacity; struct ListValue *next; } ListValue;

/* ---- Bodies in execution --------------------------------------------------------- */
typedef struct Frame {
    const Body *body;
    bool stage;
    unsigned char **address;      /* by Var.id: where the variable lives; NULL for arrays of stages */
    const Var **bound;            /* stages, by Var.id: the global a parameter names, or NULL */
} Frame;

/* One run of an innermost parallel index: where reductions count their iterations. */
typedef struct LoopRun { int64_t iteration, index; } LoopRun;

typedef struct Bounds { int64_t min[MAX_RANK], max[MAX_RANK]; bool has_min[MAX_RANK], has_max[MAX_RANK]; } Bounds;

typedef struct Execution {        /* of one task */
    const Task *task;
    Span span;                    /* of the execute statement */
    Arena *arena;
    Hp5Pool pool;
    int64_t *partition;           /* by partition parameter */
    Bounds *bounds;               /* by global; arrays */
    Item **items;                 /* by global: data it works on (arrays, environment scalars), or NULL */
    ScalarInstance **start;       /* by global: start values of scalars */
    Lpu *root;
    VEC(Lpu *) lpus;              /* by number */
    int64_t *lpu_counts;          /* by LPS: LPUs made so far */
    VEC(Storage *) storages;      /* blocks to free */
    uint32_t serial;              /* stage executions so far */
    uint32_t advances;            /* epoch advances so far */
    uint32_t leavings;            /* of LPSes by several LPUs so far */
    bool many;                    /* the running stage has more than one LPU: rule 4 is watched */
    const Step *call;             /* the running stage call */
    struct Reductions *reductions;/* of the running stage */
    struct FootprintRegions **footprints; /* by Step.id; NULL until asked for */
    struct FootprintWritten *written;     /* of the running stage */
} Execution;

typedef struct Machine {          /* the interpreter's whole state */
    const Program *program;
    Arena *arena;                 /* tables that live as long as the program runs */
    TypeLayout *layouts;          /* by Type.id */
    unsigned char *stack;         /* locals; byte p's "has a value" flag is at stack + STACK_SIZE + p */
    size_t top;
    struct BodyLayout *bodies;    /* hash by Body */
    struct LoopReductions *loops; /* hash by Stmt */
    Hp5ArgValue *args;
    Item *items;
    Environment *environments;
    Output *outputs, **last_output;
    ListValue *lists;
    bool check_footprints;
    /* where the interpreter stands */
    Execution *execution;         /* NULL in the coordinator */
    Lpu *lpu;                     /* NULL in the coordinator and in Initialize */
    Frame *frame;                 /* NULL in the Computation section */
    LoopRun *loop;                /* innermost parallel loop, or NULL */
    Value result;                 /* of the return statement */
} Machine;

typedef enum { DONE, RETURNED } Outcome;

/* A place: bytes of a storage type, and what a write to it must record. */
typedef struct Place {
    unsigned char *address;
    Type *type;
    Part *part;                   /* element of a task's array, else NULL */
    int64_t element;              /* its position in part->storage */
    int64_t index[MAX_RANK];
    int lag;
    ScalarInstance *instance;     /* task-global scalar, else NULL */
    const Var *var;
} Place;

/* ---- interpret.c -------------------------------------------------------------- */
__attribute__((noreturn, format(printf, 3, 4))) void machine_fail(Machine *m, Span span, const char *format, ...);
/* "stage 'x'", "function 'f'", "Initialize", "the coordinator", "the Computation section". */
const char *machine_where(Machine *m);

/* ---- interpret_memory.c ------------------------------------------------------------------ */
void memory_lay_out_types(Machine *m);
size_t memory_size(Machine *m, const Type *type);
size_t memory_field_offset(Machine *m, const Type *type, int field);
const Hp5Element *memory_element(Machine *m, Type *type, Span span);
void memory_open_stack(Machine *m);
void memory_close_stack(Machine *m);
void memory_forget_bodies(Machine *m);           /* frees the table of frame layouts */
/* Zeroed bytes on the stack, "has a value" only if `defined`; they go when m->top is set back. */
unsigned char *memory_push(Machine *m, size_t size, bool defined);
void memory_undefine(Machine *m, unsigned char *address, size_t size);
/* The value at an address; `name` is what an uninitialised read is blamed on. */
Value memory_load(Machine *m, const unsigned char *address, const Type *type, const char *name, Span span);
void memory_store(Machine *m, unsigned char *address, const Type *type, Value value, Span span);
void memory_copy(Machine *m, unsigned char *to, const unsigned char *from, size_t size);
Frame memory_push_frame(Machine *m, const Body *body, bool stage);
/* A new storage covering the hulls of `sets`; data zeroed. */
void storage_init(Storage *storage, const Hp5Set *sets, int rank, size_t size, int versions, const char *what);
void storage_free(Storage *storage);
static inline int64_t storage_position(const Storage *s, int rank, const int64_t *index) {
    int64_t position = 0;
    for (int d = 0; d < rank; d++) position += (index[d] - s->origin[d]) * s->stride[d];
    return position;
}
/* Calls row(index of the first element, length, data) for each run of consecutive last indices. */
typedef void (*RowVisit)(const int64_t *index, int64_t length, void *data);
void sets_each_row(const Hp5Set *sets, int rank, RowVisit row, void *data);

/* ---- element.c --------------------------------------------------------------------- */
Part *element_part(Machine *m, const Var *var, Span span);
/* The global that `var` names here: itself, or what a stage parameter is bound to. */
static inline const Var *element_global(Machine *m, const Var *var) {
    if (var->kind == VAR_PARAM && m->frame != NULL && m->frame->stage) return m->frame->bound[var->id];
    return var;
}
Value element_value(Machine *m, const Expr *e);
Place element_place(Machine *m, const Expr *e);
ScalarInstance *scalar_instance(Machine *m, const Var *global, Span span);
void place_note_write(Machine *m, const Place *place, Span span);
void scalar_note_write(Machine *m, ScalarInstance *instance, const Var *global, const Lpu *writer, Span span);
/* "LPU (1, 0) of Space B in LPU (2) of Space A"; in the execution's arena. */
const char *lpu_name(Machine *m, const Lpu *lpu);

/* ---- footprints.c ------------------------------------------------------------------ */
/* Around a run of the stage in one LPU. */
void footprint_begin(Machine *m, const Step *call);
void footprint_end(Machine *m, const Step *call);
typedef enum { FOOTPRINT_READ, FOOTPRINT_WRITE, FOOTPRINT_EITHER } FootprintUse;
/* The element lies in the footprint of the running stage; else the program ends. */
void footprint_check(Machine *m, const Var *var, int lag, const int64_t *index, FootprintUse use, Span span);

/* ---- interpret_expr.c, interpret_math.c -------------------------------------------------------------------- */
Value eval(Machine *m, const Expr *e);
static inline int64_t eval_integer(Machine *m, const Expr *e) { return eval(m, e).integer; }
Place eval_place(Machine *m, const Expr *e);
Value load_place(Machine *m, const Place *place, const char *name, Span span);
Hp5Set dim_range_set(Machine *m, const Expr *e);
Value call_math(Machine *m, const Expr *e);
Value eval_coordinator(Machine *m, const Expr *e);

/* ---- interpret_stmt.c, interpret_loops.c, interpret_reduce.c ------------------------------------------------------------ */
Outcome run_block(Machine *m, const Block *block);
Outcome run_parallel(Machine *m, const Stmt *stmt);
Outcome run_sequence(Machine *m, const Stmt *stmt);
/* The values of a sequential range: first value, count; fails on step 0. */
int64_t sequence_count(Machine *m, int64_t min, int64_t max, int64_t step, int64_t *first, Span span);
/* Reductions of one stage call: begin, then begin_lpu … end_lpu for each LPU, then finish. */
void reductions_begin(Machine *m, LpuList lpus);
void reductions_begin_lpu(Machine *m);
void reductions_end_lpu(Machine *m);
void reductions_finish(Machine *m, LpuList lpus);
void reduce_accumulate(Machine *m, const Stmt *stmt);
/* The targets reduced directly in this parallel loop: their chunk ends. */
void reduce_end_chunk(Machine *m, const Stmt *loop);
void reductions_forget_loops(Machine *m);

/* ---- interpret_spaces.c, holders.c, interpret_flow.c ------------------------------------------------------------- */
/* Arguments of partition functions, before Initialize may compute with them. */
void spaces_check_arguments(Machine *m);
void spaces_build(Machine *m);
LpuList spaces_below(Machine *m, LpuList lpus, const Lps *space);
Lpu *lpu_ancestor(Lpu *lpu, const Lps *lps);
void holders_enter(Machine *m, LpuList lpus);
void holders_leave(Machine *m, LpuList lpus, Span span);
void holders_advance(Machine *m, LpuList lpus, const VarVec *vars);
void run_flow(Machine *m);

/* ---- interpret_task.c, interpret_items.c, interpret_coordinator.c -------------------------------------------------------------- */
void execute_task(Machine *m, const ExecuteStmt *execute, Span span);
void set_bounds(Machine *m, const Stmt *stmt);
Environment *environment_new(Machine *m, const Task *task);
void environment_bind(Environment *environment, const Var *var, Item *item);
Item *item_new(Machine *m, Type *type);
void item_set_extents(Machine *m, Item *item, const int64_t *min, const int64_t *max);
void item_load(Machine *m, Item *item, Span span);  /* reads a bound file that has not been read */
void item_write(Machine *m, Item *item, const char *path, const char *what, Span span);
void items_collect(Machine *m);                     /* frees what nothing names any more */
void items_free(Machine *m);
bool run_coordinator_statement(Machine *m, const Stmt *stmt);
#endif
