/* Inside the checker: the state of one check and the seams between its files.
 *
 *   names.c        name tables, nearest spelling                    (declarations side)
 *   check.c        check_program: the order of the passes              (declarations side)
 *   types.c        interning, user types, printing of types            (declarations side)
 *   task.c         Define, Environment, partition parameters           (declarations side)
 *   spaces.c       Partition section → LPS tree; spaces_match.c: its data lines
 *   definite.c     bounds of created arrays, set on every path through Initialize
 *   computation.c  Computation → steps; access.c: who may write what, scalar homes;
 *                  epoch_versions.c: versions, epochs; unused.c: warnings      (declarations side)
 *   iterations.c   warnings: iterations or LPUs that depend on each other (declarations side)
 *   unasked.c      warnings: stages that set what they are not handed   (declarations side)
 *   backwards.c    warnings: loops that were meant to count down        (both)
 *   known.c        subscripts that are seen to be outside their arrays    (both)
 *   reach*.c       warnings: elements outside an LPU's part (declarations side; reach.h)
 *   body*.c, expr*.c, loops.c, call.c, infer.c, coordinator.c          (bodies side)
 *   dump.c         program_dump                                        (bodies side)
 */
#ifndef HP5_CHECK_INTERNAL_H
#define HP5_CHECK_INTERNAL_H
#include "compiler/check/check.h"
#include "compiler/check/walk.h"

/* names.c: names to things; insertion order is not kept. A zeroed table is empty. */
typedef struct NameTable { const char **names; void **values; size_t count, capacity; } NameTable;
void *name_table_find(const NameTable *table, const char *name);
/* Puts `value` under `name` and returns NULL, or leaves what is there and returns that. */
void name_table_replace(NameTable *table, const char *name, void *value); /* of a name that is there */
void *name_table_put(Arena *arena, NameTable *table, const char *name, void *value);

typedef struct Check {
    Arena *arena;
    const Ast *ast;
    Diags *diags;
    Program *program;
    VEC(Function *) call_stack;        /* functions being instantiated: recursion prints the cycle */
    VEC(const AstFunction *) call_stack_decls;
    struct FunctionTable *functions;   /* bodies side: instances by declaration and argument types */
    struct StageTable *stage_instances;/* bodies side */
    VEC(NameTable *) advanced;         /* bodies side, by Task.id: variables written in an Epoch; NULL: not looked at */
    Type *plain_types[TYPE_RANGE + 1][2]; /* declarations side: by kind and stored_single */
    NameTable struct_names, array_names, task_names; /* declarations side: Type *, ArrayName * (types.c), Task * */
    VEC(const AstTask *) task_asts;    /* parallel to program->tasks */
    VEC(NameTable *) task_globals;     /* parallel to program->tasks: Var * */
    VEC(bool) task_sound;              /* parallel to program->tasks: no errors in its declarations */
} Check;

/* ---- names.c: small helpers of both sides ---------------------------------------- */
/* Adds "did you mean 'x'?" when one of `names` is near enough to `word`. */
void help_nearest(Diag *diag, const char *word, const char *const *names, size_t count);

/* ---- types.c ------------------------------------------------------------------ */
Type *type_basic(Check *check, BasicType basic);
Type *type_void(Check *check);
Type *type_array(Check *check, Type *element, int rank);
Type *type_environment(Check *check, Task *task);
/* NULL after reporting (unknown type name with nearest spelling, …). */
Type *type_from_ast(Check *check, const AstType *ast);
/* The type an expression of this storage type has (INTEGER single → INTEGER, else itself). */
Type *type_of_value(Check *check, Type *storage);
/* The widest of two numeric types (Integer < Real single < Real double), or NULL when there is none (equal types: itself). */
Type *type_join(Check *check, Type *a, Type *b);

/* ---- backwards.c ---------------------------------------------------------------- */
/* How the names at a loop are meant: indices of loops around it, and whether it is a parallel one. */
typedef struct CountsUp { bool (*is_index)(void *, const char *); void *data; bool any_order; } CountsUp;
/* Warns of a range at a loop, `[n...1]`, that was meant to count down. */
void warn_backwards(Check *check, const AstExpr *range, const AstExpr *step, const CountsUp *names);

/* ---- The declarations side offers ---------------------------------------------- */
const AstTask *check_task_ast(Check *check, const Task *task);
Task *check_find_task(Check *check, const char *name);
Var *task_find_global(const Task *task, const char *name);
Var *task_find_partition_param(const Task *task, const char *name);
/* The variable of a Repeat over `name`: the declared one, or an Integer that belongs to this loop. */
Var *task_repeat_variable(Check *check, Task *task, Name name);
/* How a variable of the task is declared. rank 0: a scalar, unless it is a `local`; -1: a scalar or an array. */
void help_define(Diag *diag, const char *name, int rank, bool local);
/* Says how to use an undeclared Repeat variable behind its loop, when `word` is one. */
bool help_ended_repeat(Check *check, Diag *diag, const Task *task, const char *word);
Lps *task_find_lps(const Task *task, const char *name);   /* "Root" too; NULL when there is none */

/* ---- The bodies side offers ------------------------------------------------------ */
/* The instance of `stage` for these argument types; checks the body on first use.
 * arg_vars[i] is the global bound to the parameter or NULL for a constant. `lps` is where the call stands
 * (lpuId and .local need one). NULL after errors. */
StageInstance *check_stage_instance(Check *check, Task *task, const AstStage *stage, Type *const *arg_types,
                                    Var *const *arg_vars, size_t count, Span call_span, Lps *lps);
/* An expression of the Computation section: globals, partition arguments, lpuId, functions.
 * `expected` NULL or the type to convert to. NULL after errors. */
Expr *check_flow_expr(Check *check, Task *task, Lps *lps, const AstExpr *ast, Type *expected);
/* An Integer expression of partition parameters and literals (partition arguments in a Partition section). */
Expr *check_partition_expr(Check *check, Task *task, const AstExpr *ast);
/* The Initialize section; sets Var.set_by_initialize. NULL after errors or when absent. */
Body *check_initialize(Check *check, Task *task);
Body *check_coordinator(Check *check, const AstCoordinator *ast);

#endif
