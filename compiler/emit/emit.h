/* From the plan to C text. `program` prints what all backends share: types, functions, expressions, tables, values, the
 * coordinator and main. `cpu` prints stages and the flow of each task for threads. */
#ifndef HP5_EMIT_EMIT_H
#define HP5_EMIT_EMIT_H
#include "compiler/emit/backend.h"

typedef struct EmitOptions {
    bool checked;         /* index, overlap and overflow checks */
    bool line_directives; /* #line to the .hp5 source (-g) */
    bool fast_math;
} EmitOptions;

/* How an expression is printed: where its names come from. A hook returns C text for a variable
 * used as a value, e.g. "k", "(*norm)", "t->partition.k", or NULL to take the default (emit_symbol). */
/* Quotients and remainders of an index by a divisor, for which the text has names: `over` is the quotient, `zero` the multiple of the divisor that the remainder is counted from. */
typedef struct EmitQuotient { const Var *index; const Expr *divisor; const char *name, *over, *zero; } EmitQuotient;

/* What a local of the text stands for, or a sum of two. */
typedef struct EmitKnown { const Expr *expr; const char *text; bool sum; } EmitKnown;
typedef struct EmitKnowns { const EmitKnown *items; size_t count; } EmitKnowns;

typedef struct EmitNames {
    const char *(*variable)(void *data, const Var *var, int lag);
    const char *(*element)(void *data, const Expr *element); /* EXPR_ELEMENT; NULL: default */
    const char *(*field)(void *data, const Expr *field);     /* EXPR_FIELD of an EXPR_ELEMENT; NULL: default */
    const char *(*dim_range)(void *data, const Expr *range); /* EXPR_DIM_RANGE as an Hp5Range value */
    const char *(*view)(void *data,
                        const Var *array); /* C text of the array's `const Hp5View *` for elements, local and
                                              whole ranges and membership (EXPR_IN); NULL: NAME_view */
    const char *(*lpu_id)(void *data, const Expr *expr);
    const char *(*other)(void *data, const Expr *expr); /* coordinator expressions */
    const LoweredBody *code;    /* what is known of the values; NULL: nothing */
    bool widened;               /* its locals have the bytes of their types all the same */
    bool peeks;                 /* elements are read through views: there are no pointers to them (hp5_cost_peek) */
    bool beside;                /* rounds of several lanes stand one behind the other: while one waits, another one computes */
    bool in_vectors;            /* what is printed stands in a loop in vectors: no branches where there is a choice */
    const Stmt *turn;           /* the sequential loop in which it stands, if none in vectors is between, or NULL */
    VarVec waiting;             /* locals of its body that are computed from what the round before has set (emit_waiting) */
    const Usual *usual;         /* what is printed is a loop for usual numbers (lower/usual.c), or NULL */
    const char *unusual, *unusual_single; /* there, C names of what finds other numbers */
    EmitKnowns known;
    const EmitQuotient *quotient; /* what is printed is a loop in stretches (lower/quotients.c), or NULL */
    void *data;
} EmitNames;

static inline const EmitKnown *emit_known(const EmitNames *names, const Expr *expr) {
    for (size_t i = 0; names && i < names->known.count; i++)
        if (lower_expr_equal(names->known.items[i].expr, expr)) return &names->known.items[i];
    return NULL;
}

/* In a loop in stretches. */
static inline bool emit_knows_quotient(const EmitNames *names, const Expr *expr) {
    const EmitQuotient *known = names ? names->quotient : NULL;
    return known && (expr->op == OP_DIV || expr->op == OP_MOD) && expr->left->kind == EXPR_VAR && expr->left->var == known->index && lower_expr_equal(expr->right, known->divisor);
}

/* An Integer made of a Real in a loop for usual numbers, where it has 32 bits; a minimum or maximum there. */
static inline bool emit_is_usual_integer(const EmitNames *names, const Expr *expr) {
    return names && names->usual && lower_has_expr(names->usual->conversions.items, names->usual->conversions.count, expr);
}
static inline bool emit_is_usual_extremum(const EmitNames *names, const Expr *expr) {
    return names && names->usual && lower_has_expr(names->usual->extrema.items, names->usual->extrema.count, expr);
}

typedef struct MadeNames MadeNames; /* made_names.c */

/* Stages of which each gives elements of an array to a later one, round by round, and the last one takes (cuda/relays.c), and their steps; gives: an array, of the last one NULL. */
typedef struct RelayTaken { const Var *array; const Expr *element; } RelayTaken;
typedef struct RelayStage { const StageUse *use; const Var *gives; VEC(RelayTaken) takes; } RelayStage;
typedef struct Relay { const PlanStep *const *steps; VEC(RelayStage) stages; } Relay;

/* An array in which stages of an LPS count. */
typedef struct CountedArray { const Lps *lps; const Var *array; } CountedArray;
/* An array whose parts of LPUs come to shared memory for a visit. pays: C text of whether that pays, in terms of the task's values; NULL: they do not say it. */
typedef struct NearArray { const Lps *lps; const Var *array; const char *pays; } NearArray;

/* An array whose parts of LPUs come from the host's memory for a visit, in some of which it is written. */
typedef struct BatchArray { const Lps *lps; const Var *array; bool written; } BatchArray;

struct Emit {
    Arena *arena;
    const Backend *backend;
    const Plan *plan;
    EmitOptions options;
    const LoweredProgram *lowered;
    MadeNames *made_names; /* made when it is first asked for */
    Diags *diags; /* extern blocks a backend cannot compile, … */
    const char *source_name;
    bool uses_math;       /* a function of runtime/math has been printed */
    int stream_bytes;     /* of shared memory, for a warp, for sequential loops that have been printed of the task (cuda/streams.c) */
    VEC(CountedArray) counted; /* in which loops of the task that have been printed count in shared memory (cuda/tallies.c) */
    VEC(NearArray) near;       /* in visits of the task that have been printed (cuda/near.c) */
    VEC(BatchArray) batches;   /* … (cuda/staged.c) */
    VEC(Span) alone;           /* data-parallel loops of which a remark has said who runs them (cuda/by_first.c) */
    VEC(int) block_users;      /* StageUse.id of stages that have been printed and use shared memory, or ask for the card's by name */
    VEC(const Relay *) relays; /* of the task that is printed for a card */
    enum { EFFECTS_UNKNOWN, EFFECTS_NONE, EFFECTS_SOME } effects; /* whether any function changes something; order.c */
    int operands;         /* how many variables for operands there are so far */
    Text *cplusplus;      /* extern blocks in C++ are collected here, for emit_cplusplus */
    int cplusplus_blocks; /* how many there are so far */
};

/* ---- program: write_types.c / write_expr.c / write_stmt.c ------------------------------------------- */
/* C type of a value ("int64_t", "double", "struct Point", "Hp5Range") and of storage (int32_t for single
 * Integers). */
const char *emit_type(Emit *emit, const Type *type);
const char *emit_storage_type(Emit *emit, const Type *type);
/* A name of the program as a C identifier: itself unless it clashes with C or the runtime (then NAME_). */
const char *emit_symbol(Emit *emit, const Var *var);
/* The same where it stands beside what the functions of a task use for themselves: a Repeat variable in the flow; a parameter or local of
 * Initialize or of the coordinator. */
const char *emit_counter(Emit *emit, const Var *var);
const char *emit_task_local(Emit *emit, const Var *var);
/* A mathematical function of the runtime's, of many instructions. */
bool emit_is_costly(const char *math);
/* The C function of a mathematical one, by its name in math.h: "hp5_sinf". */
const char *emit_math_function(Emit *emit, const char *name, bool single);
/* Whether C text uses a variable of this name: not as a member, nor inside a longer name, a comment or a string. */
bool emit_text_uses(const char *text, const char *name);
/* "const Hp5Element element_Point = …" tables; prints the headers that extern blocks ask for, struct
 * declarations, in dependency order, and their element tables. */
void emit_types(Emit *emit, Text *out);
/* C expression for the runtime's description of an element type: "&hp5_float64", "&element_Point". */
const char *emit_element(Emit *emit, const Type *type);
/* User functions: prototypes, then definitions. */
void emit_functions(Emit *emit, Text *out);
void emit_function(Emit *emit, const Function *function, Text *out);
/* One expression; outer parentheses only where needed. */
void emit_expr(Emit *emit, const EmitNames *names, const Expr *expr, Text *out);
/* Locals of the loop's body that are Reals, and are computed from what the round before has set (program/in_turn.c). */
VarVec emit_waiting(Arena *arena, const Stmt *loop);
/* A minimum or maximum that waits for the round before of the loop in which it stands, in the order in which it is computed; NULL: it is none (program/in_turn.c). *way: how that is called. */
const Expr *emit_extremum_in_turn(const Emit *emit, const EmitNames *names, const Expr *expr, const char **way);
/* Statements of Initialize or the coordinator: locals are declared where their block
 * begins. `stmt_hook` prints a statement itself and returns true (coordinator statements, SET_BOUNDS), or
 * returns false. */
void emit_block(Emit *emit, const EmitNames *names, const LoweredBody *code, int indent, Text *out,
                bool (*stmt_hook)(void *data, const Stmt *stmt, int indent, Text *out));

/* ---- Stages ------------------------------------ */
/* The C prototype's parameter list matches StageUse: [Hp5Worker *worker,] [const Hp5Lpu *lpu,] then one for
 * each formal: VIEW "const Hp5View *NAME_view", VALUE "T NAME" (structs and static arrays: "const T *NAME"),
 * PLACE "T *NAME" with T the storage type, PARTIAL "T *NAME" with T the type of emit_partial_type. A VALUE or
 * PLACE with max_lag = n > 0 is followed by its n older versions: n more parameters "T NAME_1" … (passed as a
 * VALUE is). Constants bound to VALUE formals are passed like other values. Checked builds (needs_worker):
 * write checks are printed when needs_lpu holds as well. */
const char *emit_partial_type(Emit *emit, const Formal *formal);
/* Name of the reduction's operation in runtime/array/reduce.h: "sum_real", "max_entry_integer", "sum_exact" … */
const char *emit_reduce_name(const Emit *emit, ReduceOp op, const Type *value_type);

/* ---- program/file.c ---------------------------------------------------------------------------------- */
/* The whole program as one C file. Returns false after reporting. */
bool emit_file(Emit *emit, Text *out);

/* cuda/card_text.c: the file of CUDA C++ that belongs to it, where tasks run on a card; false: none does. */
bool emit_card_file(Emit *emit, Text *out);

/* ---- program/extern.c ------------------------------------------------------------------------------------ */
/* The C++ file that belongs to the C text, when there are C++ blocks. After emit_file. */
void emit_cplusplus(Emit *emit, Text *out);
#endif
