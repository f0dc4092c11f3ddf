/* A backend: what is of its own about one kind of machine. Everything around it (types, expressions, functions, tables, values,
 * the coordinator, main) is emit/program and the same for all. A new backend is one such struct, in a folder of its own.
 *
 * They are used in this order: accepts, schedule for all bodies (lower_verify then checks the roles), stage and flow while the
 * C text is printed, build when it is compiled. */
#ifndef HP5_EMIT_BACKEND_H
#define HP5_EMIT_BACKEND_H
#include "compiler/lower/lower.h"

typedef struct Emit Emit;
typedef struct TaskWriter TaskWriter;
typedef struct Writer Writer;

/* How a C compiler is asked to make the program; lists end with NULL. */
typedef struct BuildRule {
    const char *const *flags;     /* of C and C++ compilers */
    const char *const *gcc_flags; /* of gcc's alone; or NULL */
    const char *const *libraries; /* beside the runtime library */
} BuildRule;

typedef struct Backend {
    const char *machine; /* what programs run on, for a reader: "shared memory" */
    const char *runs_on; /* the same with what runs there: "threads on shared memory" */
    const char *own;     /* before functions of one file: "static" */
    const char *called;  /* before functions of the user that are not always printed in the place of each call (HP5_INLINE): "static inline", for C compilers to decide */
    /* Whether the task can be made; reports why not (E1304). NULL: every one can. */
    bool (*accepts)(Arena *arena, const Plan *plan, const TaskPlan *task, Diags *diags);
    /* Gives each loop of the body a role (nest.h). */
    void (*schedule)(const TaskPlan *task, LoweredBody *code, PlanOptions options); /* task: whose body it is; NULL: nobody's */
    /* Prints the C function of a stage; what it costs (runtime/predict/predict.h), as a function of the same parameters after
     * `Hp5Cost *cost`; the flow of a task, which calls them: visits, stages, waits and moves. */
    void (*stage)(Emit *emit, const LoweredStage *stage, Text *out);
    void (*stage_cost)(Emit *emit, const LoweredStage *stage, Text *out);
    void (*flow)(TaskWriter *tw);
    /* Prints functions that say which elements of an array are about to be read (Transfer.inspection). */
    void (*touches)(TaskWriter *tw);
    /* Inside a body, of a stage or of another (writer.use NULL): a data-parallel loop, and a reduce. */
    void (*parallel)(Writer *writer, const Stmt *stmt, int indent);
    void (*reduce)(Writer *writer, const Stmt *stmt, int indent);
    /* The statements of the block from this one on that threads which have come to them together do not do together, as what one of them does for all:
     * prints them, and returns how many these are. NULL: there are none. */
    size_t (*by_one)(Writer *writer, const Block *block, size_t first, int indent);
    BuildRule build;
} Backend;

/* Whether a task runs on a card, which follows from its mapping. */
bool backend_on_card(const TaskPlan *task);
/* Whether the host computes the stages of the Space, of a task that runs on a card. */
bool backend_on_host(const TaskPlan *task, const Lps *lps);
/* segments.c: false, and a message (E1303), where the task needs what programs of several processes cannot do. */
bool segments_accept(Arena *arena, const TaskPlan *task, Diags *diags);
/* foreign.c: false, and messages (E1304, E1305), where extern code has no block for the machine that runs it. */
bool foreign_accepts(Arena *arena, const Plan *plan, Diags *diags);
/* The function, or one that it calls, has extern code for cards alone. */
bool foreign_needs_card(const Function *function);
/* Whether all tasks of the plan can be made; schedules all bodies of a program. */
bool backend_accepts(Arena *arena, const Plan *plan, Diags *diags);
void backend_schedule(LoweredProgram *program);

extern const Backend backend_cpu;  /* cpu/cpu.c */
extern const Backend backend_cuda; /* cuda/cuda.c: of tasks that run on a card */
#endif
