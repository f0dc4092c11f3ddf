/* Lowering: what becomes of every body of a program before a backend prints it. Done once (lower_program) and kept; printing,
 * counting (compiler/cost), --dump=loops and predictions read what is stored here.
 *
 *   LoweredProgram ── LoweredStage   one for each stage use of the plan
 *                  ── LoweredBody    functions, Initialize, the coordinator
 *                        └── Nest    each data-parallel loop (nest.h)
 */
#ifndef HP5_LOWER_LOWER_H
#define HP5_LOWER_LOWER_H
#include "compiler/lower/nest.h"
#include "compiler/lower/range.h"
#include "compiler/lower/uses.h"
#include "compiler/plan/parts.h"

/* A stage of which some iterations wait for elements of an array that come from other address spaces (border.c). along: by dimension, the
 * loop index that moves in it; those that it gets are `low` to `high` away from there at most, which is 0 or less, and 0 or more. */
typedef struct Border { const Formal *formal; const Var *along[MAX_RANK]; int64_t low[MAX_RANK], high[MAX_RANK]; } Border;

/* An expression that is a part of `of * factor`, which has up to 64 bits without a sign: all but the last `bits` bits, or these alone. */
typedef struct ProductPart { const Expr *expr, *of; uint64_t factor; int bits; bool last; } ProductPart;

typedef struct LoweredBody {
    const Body *body;           /* `pruned`: without assignments to locals that nothing reads */
    bool pruned;                /* a stage's, but in checked builds, which look at all that is computed */
    const StageUse *use;        /* a stage's, with `body`; else NULL */
    const Ranges *ranges;       /* values of its Integers; NULL: not known (checked builds, Initialize, the coordinator) */
    const signed char *local_bytes; /* by Var.id: bytes of Integers that are stored in fewer than their type has, else 0 */
    const Border *border;       /* a stage's whose loops are bounded by a box that its caller gives (Loop.box); else NULL */
    bool one_thread;            /* on a card: a stage's whose LPUs have one thread each; set with the roles of loops */
    bool joins;                 /* a stage's that is one product and nothing else: those of LPUs that lie side by side may run as one (product.c) */
    VarUses *uses;              /* of locals, by Var.id; NULL: not counted (Initialize, the coordinator) */
    VEC(ProductPart) parts;     /* of what it computes: those that are taken of locals (product_parts.c) */
    VarVec products;            /* what it assigns products of Reals to (rounding.h) */
    VarVec truncated;           /* what it assigns Integers to that are made of Reals (truncated.h) */
    VEC(Nest *) nests;          /* of its data-parallel loops, outer before inner */
    const Nest **nest_slots;    /* by hash of Nest.stmt; a power of two of them */
    size_t slot_count;
} LoweredBody;

/* How a stage's body uses a formal. */
typedef struct LoweredFormal {
    const Formal *formal;
    uint64_t versions; /* bit l: the body names the version of lag l */
    bool foreign;      /* extern code names it */
} LoweredFormal;

typedef struct LoweredStage {
    LoweredBody code;
    VEC(LoweredFormal) formals; /* as StageUse.formals */
} LoweredStage;

/* Stages that follow each other in the visit of an LPU, and touch the same elements: the LPU is visited in strips, ascending, all stages in each of
 * them. Arrays that nobody else touches are handed on from one to the next, and never there as a whole (strips.c). */
typedef struct Strips {
    VEC(const PlanStep *) steps;   /* one after the other in one body of the flow */
    VEC(PartDimension) bounded;    /* the LPU's parts of these are alike, and those of a strip are as much of them; an array once */
    VEC(const Var *) passed;       /* the arrays that are handed on: of those */
    bool reduces;                  /* stages do: strips have whole chunks of iterations, as many as a tree has leaves */
} Strips;
typedef VEC(const Strips *) StripsVec;

typedef struct LoweredTask {
    const TaskPlan *plan;
    VEC(LoweredStage *) stages; /* as TaskPlan.uses */
    StripsVec strips;
    StripsVec relays;           /* on cards: such stages, which might go in strips; what becomes of them is for the backend to say */
    LoweredBody *initialize;    /* or NULL */
} LoweredTask;

typedef struct LoweredProgram {
    const Plan *plan;
    RangeMemo *memo;            /* NULL in checked builds: overflow has to be found where it happens */
    VEC(LoweredBody *) functions; /* by Function.id */
    bool *placed;               /* by Function.id: bodies of stages have it in the place of calls, perhaps of all */
    VEC(LoweredTask *) tasks;   /* by Task.id */
    LoweredBody *coordinator;   /* or NULL */
} LoweredProgram;

/* Needs: a plan that a backend accepts. Gives: everything above; nothing in the plan changes. */
LoweredProgram *lower_program(Arena *arena, const Plan *plan);
/* The nest of a STMT_PARALLEL of the body. */
const Nest *lower_nest_of(const LoweredBody *code, const Stmt *stmt);
/* What is known of a user function's body. */
const LoweredBody *lower_function(const LoweredProgram *program, const Function *function);
/* Whether the Integer `var` of the body is stored in fewer bytes than its type has: how many (narrow.h), else 0. */
int lower_bytes_of(const LoweredBody *code, const Var *var);
/* What an Integer expression of the body can be. */
Interval lower_values_of(const LoweredBody *code, const Expr *expr);
/* Whether the Integer expression is such a part, and which. */
bool lower_product_part(const LoweredBody *code, const Expr *expr, ProductPart *part);
/* The group that the step is in, or NULL; whether the array has no memory because it is handed on in strips. */
const Strips *lower_strips_of(const LoweredTask *task, const PlanStep *step);
bool lower_is_passed(const LoweredTask *task, const Var *array);
/* What a group does, in words; the same as --remarks has it. */
void lower_tell_strips(const Strips *strips, Text *out);
void lower_remarks(const LoweredProgram *program, Diags *diags);
/* --dump=loops: the loops of every stage use, in words. */
void lower_dump(const LoweredProgram *program, Text *out);
#endif
