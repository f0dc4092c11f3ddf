/* Inside the bodies side of the checker: how a stage, function, Initialize section
 * or coordinator body becomes typed statements.
 *
 *   scope.c        which names are locals, in which block each lives, whether it has a value
 *   infer.c        the types of locals and of things inferred by use; the fixpoint over a body
 *   convert.c      conversions, weak literals, small constructors of expressions
 *   expr.c         names, operators, dispatch
 *   operands.c     what is said of operands that do not fit
 *   lvalue.c       x[i][j], x.field, x.dimension1.range, `at`, slices inside expressions
 *   versions.c     what an `at` around parentheses means
 *   call.c         function instances, functions of math.h
 *   body.c         statements
 *   assign.c       assignments, chains, slices, bounds in Initialize
 *   loops.c        parallel and sequential loops; bounds.c: restrictions → bounds and filters
 *   reduce.c       reduce() and extern blocks
 *   stage.c        entry points for the declarations side
 *   coordinator.c  Program (args) { … }; tasks.c: execute, bind, environments
 *
 * A body is checked several times: quiet passes (`dry`) only let the types of locals
 * grow until nothing changes, then one last pass reports and builds the tree that stays.
 * An expression function returns NULL when it has reported an error or, in a dry pass,
 * when a type is not known yet. */
#ifndef HP5_CHECK_BODIES_H
#define HP5_CHECK_BODIES_H
#include "compiler/check/internal.h"

/* Something whose type its uses decide: args.name, load_array(…), a parameter local to Initialize. */
typedef struct Flex {
    const char *name;             /* as messages call it: "args.k" */
    const AstExpr *origin;        /* LOAD_ARRAY: the call */
    Type *type;                   /* what the demands so far say, or NULL */
    Type *strict, *loose;         /* demanded by a place of known type; met beside a value of this type */
    Span strict_span, loose_span;
    Type *conflict; Span conflict_span; /* a demand that cannot be met together with the others */
    const char *argument;         /* args.name: the name */
    const char *what;             /* for --help */
    bool printed, input_path, output_path, reported;
    bool number;                  /* calculated with, beside nothing of known type */
    Type *array_type;             /* what the file at this path holds */
    Span span;                    /* first use */
} Flex;

typedef VEC(Flex *) FlexVec;

typedef struct Local Local;
struct Local {
    const char *name;
    Type *type;                   /* of all assignments so far, or NULL */
    bool weak;                    /* only Real literals so far: takes the precision of what it meets */
    Span first;                   /* first assignment in the source */
    Span type_span;               /* the assignment that gave the type */
    Type *conflict; Span conflict_span;
    bool conflict_reported, read, read_this_pass;
    Flex *flex;                   /* assigned from something inferred by use */
    Var *var;                     /* of the current pass */
    const AstExpr *part;          /* a Range: x.local.dimensionK.range, the last that was assigned to it */
    int changes, changes_before;  /* assignments of it and its fields in this pass; in the whole pass before */
    VEC(Local *) feeds;           /* locals whose type is at least this one's, as the first pass has seen */
    bool waiting;                 /* in the list of those whose type has grown */
};

typedef struct ScopeNode ScopeNode;
typedef struct ScopeUse { int name; bool direct, exposed; VEC(ScopeNode *) below; /* the children that use it, too */ } ScopeUse;
struct ScopeNode {
    const AstBlock *block;
    ScopeNode *parent;
    VEC(ScopeNode *) children;
    size_t next_child;            /* where scope_child looks first: passes meet the children in order */
    int level;                    /* the body is 1 */
    VEC(ScopeUse) uses;
    NameTable use_numbers;        /* 1 + number in uses by name; empty while there are few */
    VEC(Local *) locals;          /* declared in this block */
    NameTable locals_by_name;     /* empty while there are few */
};
typedef struct ScopeFinding { DiagCode code; Span span; const char *name; bool of_itself; /* x = x + 1 */ } ScopeFinding;
typedef struct ScopeTree {
    ScopeNode *root;
    VEC(ScopeFinding) findings;   /* used before it has a value, unreachable code */
    bool falls_through;           /* the end of the body can be reached */
} ScopeTree;
/* Answers whether `name` belongs to something other than a local (a parameter, a global …). */
typedef bool (*ScopeIsOuter)(void *data, const char *name, bool assigned);
ScopeTree *scope_analyse(Arena *arena, const AstBlock *block, ScopeIsOuter is_outer, void *data);
ScopeNode *scope_child(ScopeNode *node, const AstBlock *block);
/* The local `name` that this very block declares, or NULL. */
Local *scope_local(const ScopeNode *node, const char *name);
/* Calls visit for each identifier token of extern code that is not a member name. */
void extern_each_name(const AstExtern *external, void (*visit)(void *, const char *, size_t), void *data);

typedef enum { IN_STAGE, IN_FUNCTION, IN_INITIALIZE, IN_COORDINATOR, IN_FLOW, IN_PARTITION } BodyPlace;

/* A slice assignment being written out: subscripts that are ranges take these indices. */
typedef struct SliceDim { Var *index; int dimension; /* of the target */ Expr *origin; /* first index of the target's range; NULL: the whole dimension */
                          int64_t extent; /* when both ends are literals, else -1 */ } SliceDim;
typedef struct Slice { SliceDim dims[MAX_RANK]; int count; Var *target; int uses; /* slices seen so far, the target included */ } Slice;

typedef struct BodyCheck {
    Check *check;
    Arena *arena;                 /* of the nodes of this pass */
    bool dry;
    BodyPlace place;
    Task *task;                   /* STAGE, INITIALIZE, FLOW, PARTITION */
    Lps *lps;
    Body *body;
    const char *body_kind;        /* "stage", "function" … for messages */
    ScopeTree *scopes;
    ScopeNode *scope;
    VEC(Local *) local_of_var;    /* parallel to body->vars; NULL for params and indices */
    FlexVec flex_of_var;          /* parallel to body->vars */
    FlexVec *flexes;          /* coordinator, Initialize: live over all passes */
    NameTable *flex_numbers;      /* coordinator: args.name and load_array calls to 1 + their number in flexes */
    VarVec indices;               /* loop indices in scope, innermost last */
    bool changed;                 /* dry: a type that was already read has grown */
    bool first_pass;              /* of the dry ones */
    int parallel_depth;
    struct LocalReductions *local_reductions; /* of the parallel loop that is being checked, or NULL */
    bool in_at; int lag; int at_hits; /* inside `( … ) at (current - lag)` */
    bool saw_at;                  /* some `at` stood around parentheses */
    bool at_all;                  /* it holds for every array: nothing in it is written in an Epoch */
    bool *param_advanced;         /* STAGE, by parameter: bound to a variable that an Epoch writes */
    const AstExpr *argument;      /* of a function, that is looked at */
    Slice *slice;
    const AstExpr *assigned;      /* a local that a value with slices is assigned to, while that is looked at; or NULL */
    int subscripts;               /* behind the name that is looked at; 0: none */
    Type *result; Span result_span; bool result_weak; /* functions: join of the returns so far */
    Type *result_known;           /* from the dry passes */
    bool saw_return, returns_nothing; Span nothing_span;
    int lpu_dims; Span lpu_span;  /* lpuId[d]: largest d + 1 used */
    const char *coordinator_args; /* the coordinator's parameter name */
} BodyCheck;

/* ---- infer.c ---- */
typedef void (*BodyPass)(BodyCheck *, void *);
/* Runs `pass` dry until types are stable, then once for good. The pass must set up body, params. */
void infer_run(BodyCheck *c, BodyPass pass, void *data);
/* Only the dry passes: for the result type of a function. */
void infer_dry(BodyCheck *c, BodyPass pass, void *data);
void local_contribute(BodyCheck *c, Local *local, const Expr *value, Span span);
/* A local, or something in it, is changed; by an assignment of a whole local: its value, as written and checked. */
void local_note_change(BodyCheck *c, const Expr *place, const AstExpr *value, const Expr *checked);
Flex *expr_flex(BodyCheck *c, const Expr *expr);
/* Records that `expr` (when inferred by use) is wanted as `type`; strict: by a place of this type. */
void flex_demand(BodyCheck *c, Expr *expr, Type *type, bool strict);
/* Records that `expr` (when inferred by use) is a number: a Real, unless another use says more. */
void flex_number(BodyCheck *c, const Expr *expr);
Flex *flex_new(BodyCheck *c, const char *name, const AstExpr *origin, Span span);
Type *real_double(BodyCheck *c);
Type *basic(BodyCheck *c, BasicType type);

/* ---- convert.c ---- */
Expr *expr_new(BodyCheck *c, ExprKind kind, Type *type, Span span);
Expr *expr_integer(BodyCheck *c, int64_t value, Span span);
Expr *expr_var(BodyCheck *c, Var *var, Span span);
Expr *expr_binary(BodyCheck *c, Operator op, Expr *left, Expr *right, Type *type);
Expr *expr_convert(BodyCheck *c, Expr *expr, Type *type);
Expr *expr_shallow_copy(BodyCheck *c, const Expr *expr);
bool expr_is_weak_real(BodyCheck *c, const Expr *expr);
bool expr_equal(const Expr *a, const Expr *b);
/* The common numeric type of two operands, or NULL. */
Type *expr_join(BodyCheck *c, const Expr *a, const Expr *b);
/* False after reporting (in a dry pass: silently) when uses have not told the type yet. */
bool expr_known(BodyCheck *c, const Expr *expr);
/* Implicit conversion where a `type` is wanted: numbers widen; `narrow` also lets Reals become Integers
 * and double become single. Reports and returns NULL when it cannot be. `what` names the place: "the step". */
Expr *expr_coerce(BodyCheck *c, Expr *expr, Type *type, bool narrow, const char *what);

/* ---- operands.c ---- */
/* As it is written in the source. */
const char *body_text(BodyCheck *c, Span span);
bool op_is_comparison(Operator op);
bool op_needs_integers(Operator op);
/* Reports that the operator takes no such operands; NULL. */
Expr *operand_error(BodyCheck *c, const AstExpr *ast, const Expr *left, const Expr *right);
/* Of arithmetic with Characters; of a text where a Character is wanted. */
void help_codes(Diag *d);
void help_letter(BodyCheck *c, Diag *d, const Expr *text);

/* ---- divide.c ---- */
/* A quotient of Integers that is 0 whatever the values. */
void warn_zero_quotient(BodyCheck *c, const Expr *division);
/* The whole value of a local or of a return: 1 / n. */
void warn_unit_quotient(BodyCheck *c, const Expr *value);
/* An Integer that becomes a Real: a quotient in it has lost its digits. */
void warn_lost_digits(BodyCheck *c, const Expr *value);
/* An Integer that is all that a Real variable gets, so that (a - 1) / (b - 1) is no index either. */
void warn_whole_quotient(BodyCheck *c, const Expr *value);
/* A Real literal for an Integer: 2.5 becomes 2. */
void warn_cut_literal(BodyCheck *c, const Expr *value);
/* Of a call of a user function, which has been checked. */
void warn_cut_by_reference(BodyCheck *c, const Expr *call);

/* ---- powers.c ---- */
/* A power of Integers with a negative exponent: 10 ** -3. */
void warn_zero_power(BodyCheck *c, const Expr *power);
/* -x ** 2. */
void warn_minus_power(BodyCheck *c, const AstExpr *power);

/* ---- expr.c, lvalue.c ---- */
typedef enum { NAME_UNKNOWN, NAME_INDEX, NAME_LOCAL, NAME_PARAM, NAME_GLOBAL, NAME_PARTITION_PARAM } NameKind;
typedef struct NameRef { NameKind kind; Var *var; Local *local; } NameRef;
NameRef name_find(BodyCheck *c, const char *name);
Diag *name_report_unknown(BodyCheck *c, const char *name, Span span);
/* A value of known type; whole arrays and calls without a value are refused. */
Expr *check_value(BodyCheck *c, const AstExpr *ast);
Expr *check_value_as(BodyCheck *c, const AstExpr *ast, Type *type, const char *what);
/* Like check_value, but whole arrays, environments and values still inferred by use pass. */
Expr *check_any(BodyCheck *c, const AstExpr *ast);
Expr *check_condition(BodyCheck *c, const AstExpr *ast, const char *what);
Expr *check_name(BodyCheck *c, const AstExpr *ast);
Expr *check_index_chain(BodyCheck *c, const AstExpr *ast);
Expr *check_field(BodyCheck *c, const AstExpr *ast);
Expr *check_at(BodyCheck *c, const AstExpr *ast);
Expr *check_range(BodyCheck *c, const AstExpr *ast);
Expr *check_new(BodyCheck *c, const AstExpr *ast);
Expr *apply_lag(BodyCheck *c, Expr *expr);
/* versions.c: some Epoch of the task writes the global `var`. */
bool var_is_advanced(Check *check, Task *task, const Var *var);
/* A place that can be written: reports indices, constants, partition arguments, older versions. */
Expr *check_target(BodyCheck *c, const AstExpr *ast);
bool place_writable(BodyCheck *c, const Expr *place, const char *verb);
Type *place_storage(const Expr *place);
bool ast_has_slice(const AstExpr *ast);

typedef struct DimRef { const AstExpr *base; bool local, range; int dimension; /* -1: all */ int part; /* -1 */ const char *meant; /* .min without .range */ Span span; } DimRef;
/* Recognises x[.local].dimensionK[.range[.min]]. False when `ast` is no such thing. */
bool dimref_match(const AstExpr *ast, DimRef *ref);
/* The array that the reference is about, with the dimension checked; NULL after reporting. */
Var *dimref_array(BodyCheck *c, const DimRef *ref);

/* ---- call.c ---- */
Expr *check_call(BodyCheck *c, const AstExpr *ast);
/* Before the first body is checked: collects the functions and reports clashes of names. */
void functions_init(Check *check);
/* After the last body. */
void functions_report_unused(Check *check);
/* effects.c: of a function whose body is complete. */
void function_note_effects(Function *function);

/* ---- body.c, assign.c, loops.c, bounds.c, reduce.c ---- */
typedef enum { OPEN_BODY, OPEN_BLOCK } BlockOpening;
void check_block(BodyCheck *c, const AstBlock *ast, Block *out);
Stmt *stmt_new(BodyCheck *c, StmtKind kind, Span span);
Var *body_add_var(BodyCheck *c, VarKind kind, const char *name, Type *type, Span span);
void check_assign(BodyCheck *c, const AstExpr *ast, Span span, Block *out);
void check_parallel(BodyCheck *c, const AstStmt *ast, Block *out);
/* infer.c: a local that is assigned once, and then a part's range, stands for that part: membership and loops see the
 * part, not its hull. Gives the EXPR_DIM_RANGE for such a local, else the expression itself. */
Expr *range_as_part(BodyCheck *c, Expr *range);
/* Range → EXPR_DIM_RANGE and the like; whole arrays get a hint of their own. */
void check_sequence(BodyCheck *c, const AstStmt *ast, Block *out);
/* The conjuncts of `condition` become bounds and filters of the loop's indices. */
void bounds_classify(BodyCheck *c, Stmt *loop, Expr *condition);
void check_reduce(BodyCheck *c, const AstStmt *ast, Block *out);
/* The reductions of one parallel loop into locals: they start before the loop, in the block around it. */
typedef struct LocalReduction { Local *local; ReduceOp op; Expr *start; Var *best; Span span; } LocalReduction;
typedef struct LocalReductions { VEC(LocalReduction) items; Var *index; /* the loop's innermost */ Block *around; } LocalReductions;
void local_reductions_start(BodyCheck *c, const LocalReductions *reductions);
/* How many extern blocks from statement `first` on are one statement: alternatives, or one alone. 0: it is none. */
size_t extern_group(const AstBlock *block, size_t first);
void check_extern(BodyCheck *c, AstStmt *const *group, size_t count, Block *out);
void body_begin(BodyCheck *c, Body *body);
/* What the scope analysis found, and locals that are never read. */
void body_report(BodyCheck *c);

/* ---- coordinator.c, tasks.c ---- */
bool check_coordinator_call(BodyCheck *c, const AstExpr *ast, Block *out);
Expr *check_coordinator_value(BodyCheck *c, const AstExpr *ast);
bool check_coordinator_assign(BodyCheck *c, const AstExpr *target, const AstExpr *value, Span span, Block *out);
void check_execute(BodyCheck *c, const AstExpr *ast, Block *out);
Expr *check_new_environment(BodyCheck *c, const AstExpr *ast);
Expr *check_args_field(BodyCheck *c, const AstExpr *ast);
Expr *check_environment_scalar(BodyCheck *c, Expr *environment, const AstExpr *ast);
const char *reduce_op_text(ReduceOp op);
#endif
