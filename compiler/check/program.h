/* The typed program: what a checked HP5 program is, with every name resolved,
 * every type known, every conversion explicit and every shorthand written out.
 * The checker (check.h) builds it from the AST; the interpreter runs it; plan,
 * lower and emit read it. Nobody below the checker looks at the AST.
 *
 * How to read it: Program → Task → LPS tree + flow → StageCall → Body → Stmt → Expr.
 * All pointers live in the compilation's arena. Ids are dense from 0. */
#ifndef HP5_CHECK_PROGRAM_H
#define HP5_CHECK_PROGRAM_H
#include "compiler/syntax/ast.h"

enum { MAX_RANK = 8 };            /* dimensions of an array or an LPS */

/* ---- Types (interned: equal types are the same pointer) ------------------ */
typedef enum {
    TYPE_VOID, TYPE_INTEGER, TYPE_REAL_SINGLE, TYPE_REAL_DOUBLE, TYPE_BOOLEAN, TYPE_CHARACTER, TYPE_STRING,
    TYPE_RANGE, TYPE_STRUCT,
    TYPE_STATIC_ARRAY,            /* element, extents: fixed size, indices from 0 */
    TYPE_ARRAY,                   /* element, rank: dynamic, task-global (or a coordinator value) */
    TYPE_LIST,                    /* element */
    TYPE_ENVIRONMENT              /* coordinator: task */
} TypeKind;

typedef struct Type Type;
typedef struct StructField { const char *name; Type *type; Span span; } StructField;
struct Type {
    TypeKind kind;
    const char *text;             /* as messages print it: "2d Array of Real double-precision" */
    bool stored_single;           /* INTEGER: "single-precision", 32-bit in memory. As an expression's type it is
                                     always the plain 64-bit Integer; only storage (variables, fields, elements) differs */
    Type *element;                /* STATIC_ARRAY, ARRAY, LIST */
    int rank;                     /* ARRAY, STATIC_ARRAY */
    int64_t extents[MAX_RANK];    /* STATIC_ARRAY */
    const char *name;             /* STRUCT */
    VEC(StructField) fields;      /* STRUCT, in declaration order; all types complete, no cycles */
    const struct NameTable *field_numbers; /* STRUCT: 1 + number by name; inside the checker */
    Span span;                    /* STRUCT: its name where it is declared */
    bool has_string;              /* a String, or something that contains one: never an array element */
    int id;                       /* dense over Program.types */
    struct Task *task;            /* ENVIRONMENT */
};
static inline bool type_is_real(const Type *t) { return t->kind == TYPE_REAL_SINGLE || t->kind == TYPE_REAL_DOUBLE; }
static inline bool type_is_numeric(const Type *t) { return t->kind == TYPE_INTEGER || type_is_real(t); }

/* ---- Variables ------------------------------------------------------------ */
typedef enum {
    VAR_GLOBAL,        /* a task-global: Define section, or an undeclared Repeat variable (implicit Integer) */
    VAR_PARTITION,     /* a partition argument (Integer, constant during a task) */
    VAR_PARAM,         /* of a stage (alias: bound to a global or constant at each call), function, or Initialize */
    VAR_LOCAL,         /* of a body; declared in the Block that owns it */
    VAR_INDEX,         /* loop index: Integer, read-only */
    VAR_COORDINATOR    /* local of the coordinator */
} VarKind;

typedef struct Lps Lps;
typedef struct Var {
    VarKind kind;
    const char *name;
    Type *type;
    Span span;                    /* its declaration or first assignment */
    int id;                       /* GLOBAL: index in Task.globals; PARTITION: in Task.partition_params;
                                     others: index in Body.vars */
    bool by_reference;            /* PARAM: stage parameters always, function parameters with & */
    bool constant_argument;       /* stage PARAM: every call of this instance passes a value, not a variable: read-only */
    /* GLOBAL only: */
    bool reduction;               /* declared Reduction */
    bool environment; LinkMode link;
    bool from_files;              /* environment: the coordinator gives it files and nothing else; their indices begin with 0 */
    bool implicit;                /* undeclared Repeat variable: known inside its loop */
    bool counting;                /* implicit, while its loop is being checked */
    const char *symbol;           /* implicit, where an earlier loop counts in a variable of this name: another name for C */
    int versions;                 /* largest lag used anywhere + 1; 1 without `at` */
    Lps *home;                    /* scalars: the LPS it lives in (language.md 3.3 rule 6 and 9); Root if never written */
    bool set_by_initialize;       /* is a parameter of Initialize, or assigned in it */
} Var;
typedef VEC(Var *) VarVec;
/* A GLOBAL is an array (type ARRAY) or a scalar (everything else, structs, ranges and static arrays included). */
static inline bool var_is_array(const Var *v) { return v->type->kind == TYPE_ARRAY; }

/* ---- Expressions ----------------------------------------------------------- */
typedef enum {
    /* constants */
    EXPR_INTEGER, EXPR_REAL, EXPR_BOOLEAN, EXPR_CHARACTER, EXPR_STRING,
    EXPR_VAR,          /* var; `lag` counts versions back for a version-managed scalar */
    EXPR_ELEMENT,      /* var[arguments…]: one element of a dynamic array (all its dimensions), `lag` */
    EXPR_AT_INDEX,     /* left[arguments…]: element of a static array or list value/place (left is a place) */
    EXPR_FIELD,        /* left.field: struct field number `field` */
    EXPR_RANGE_PART,   /* left.min / .max / .length of a Range value; `part` */
    EXPR_RANGE,        /* [left … right] */
    EXPR_DIM_RANGE,    /* var.dimension.range (whole array) or var.local.dimension.range (LPU's part, hull for strided);
                          `dimension` from 0, `local` */
    EXPR_UNARY,        /* OP_NEG, OP_NOT */
    EXPR_BINARY,       /* both operands have the same type (converted) except OP_SHL/OP_SHR and OP_POW with Integer right;
                          and/or short-circuit; result type is `type` */
    EXPR_IN,           /* left in right: right is a Range value; when right is EXPR_DIM_RANGE local: membership in the part */
    EXPR_CONVERT,      /* left converted to `type`: Integer↔Real, single↔double; Integer from Real truncates */
    EXPR_CALL,         /* instance(arguments): arguments for by-reference parameters are places */
    EXPR_MATH,         /* function of math.h: `math`, arguments already converted to one type; "llabs", "llmin", "llmax" are
                          those of Integers; "isnan", "isinf", "isfinite", "signbit" of a Real are Boolean */
    EXPR_LPU_ID,       /* lpuId[left] in the LPS of the enclosing flow */
    /* coordinator only */
    EXPR_ARG,          /* args.name: `argument` indexes Program.args */
    EXPR_ENV_SCALAR,   /* env.scalar (waits): left is the environment, `var` the task's global */
    EXPR_NEW_ENVIRONMENT, /* new TaskEnvironment(name: "T"): type ENVIRONMENT */
    /* LIST also in functions; STRUCT and ARRAY (of STATIC_ARRAY type, all zero) in every body */
    EXPR_NEW_LIST, EXPR_NEW_ARRAY, EXPR_NEW_STRUCT, /* arguments: initial values in field order for STRUCT (NULL: zero) */
    EXPR_LOAD_ARRAY    /* load_array(path): left; type ARRAY */
} ExprKind;

typedef enum { RANGE_MIN, RANGE_MAX, RANGE_LENGTH } RangePart;

typedef struct Expr Expr;
typedef VEC(Expr *) ExprVec;
typedef struct Function Function;
struct Expr {
    ExprKind kind;
    Type *type;                   /* Integer is always the plain 64-bit one */
    Span span;
    int64_t integer;              /* INTEGER, BOOLEAN, CHARACTER */
    double real;                  /* REAL: already rounded to single when the type is single */
    const char *text; size_t text_length; /* STRING */
    Var *var;
    int lag;                      /* VAR, ELEMENT: 0 = current */
    Operator op;
    Expr *left, *right;
    ExprVec arguments;
    int field, dimension, argument;
    bool local;
    bool truncated;               /* BINARY: an Integer that stands in Integer(…): inside the checker */
    RangePart part;
    Function *function;           /* CALL: the instance */
    const char *math;             /* MATH: C name of the double version: "sqrt"; single uses the f-suffixed one */
};

/* ---- Statements ------------------------------------------------------------- */
typedef struct Stmt Stmt;
typedef VEC(Stmt *) StmtVec;
typedef struct Block { StmtVec statements; VarVec locals; /* declared here: see Var */ Span span; } Block;

typedef enum {
    STMT_ASSIGN,       /* target = value; chains a = b = e and slices are written out; compound places allowed */
    STMT_CALL,         /* value: an EXPR_CALL/EXPR_MATH for its effect */
    STMT_IF,           /* value, body, otherwise */
    STMT_PARALLEL,     /* data-parallel loop over indices, body */
    STMT_SEQUENCE,     /* index runs over value (a Range expression) from min to max by step (may be negative: runs from max
                          down… see step); over x.local.dimensionK.range it visits the members of the part alone */
    STMT_WHILE,        /* do { body } while value: body runs first */
    STMT_RETURN,       /* value or NULL */
    STMT_REDUCE,       /* reduce(target, op, value) */
    STMT_BLOCK,
    STMT_EXTERN,
    /* Initialize only */
    STMT_SET_BOUNDS,   /* target.dimension[k] gets a range: array `var`, `dimension` (-1: all, from array `source_var`),
                          value: a Range expression (whole_range), or with part RANGE_MIN / RANGE_MAX one Integer bound.
                          A copy of one dimension has both value (EXPR_DIM_RANGE) and source_var, source_dimension */
    /* coordinator only */
    STMT_EXECUTE, STMT_BIND_INPUT, STMT_BIND_OUTPUT, STMT_SHARE /* env1.v = env2.w */, STMT_SET_ENV_SCALAR /* env.s = e */,
    STMT_SET_ENV_ARRAY /* env.v = array value */, STMT_STORE_ARRAY, STMT_PRINT
} StmtKind;

/* `x = x + a*b` and `x = x - a*b` on Reals of one type round once (trust.md):
 * the checker recognises exactly these shapes; value stays the whole expression. */
typedef enum { ACCUMULATE_NONE, ACCUMULATE_FMA, ACCUMULATE_FMS } Accumulate;

typedef enum { REDUCE_SUM, REDUCE_PRODUCT, REDUCE_MAX, REDUCE_MIN, REDUCE_MAX_ENTRY, REDUCE_MIN_ENTRY,
               REDUCE_LAND, REDUCE_LOR, REDUCE_BAND, REDUCE_BOR } ReduceOp;

/* One index of a parallel loop. The iterations are those of the domain, in
 * ascending order, that satisfy every bound and filter; bounds are evaluated when
 * the enclosing indices have their values, filters once this index has its value.
 * A condition `i > e` becomes a bound (here: lower, e + 1) exactly when e is an Integer
 * expression free of this and later indices, of places the loop body writes, and of calls;
 * every other conjunct is a filter of the last index it names. Iteration numbers
 * (reduction chunks) count what the bounds leave, filtered-out ones included. */
typedef struct LoopIndex {
    Var *var;
    Var *domain_var;              /* array whose dimension it runs over (the LPU's part of it), or NULL */
    int dimension;                /* of domain_var */
    int other_dimension;          /* -1, or a second dimension of domain_var: the indices that are in both (l[i][i]) */
    Expr *domain_range;           /* a Range expression when domain_var is NULL */
    ExprVec lower, upper;         /* inclusive Integer bounds, all hold */
    ExprVec filters;              /* Boolean */
    Span span;
} LoopIndex;

typedef enum { EXTERN_C, EXTERN_CPLUSPLUS, EXTERN_CUDA } ExternLanguage;

/* One @Extern block as it is written. */
typedef struct ExternCode {
    ExternLanguage language;
    NameVec includes, libraries;
    const char *code; size_t code_length; Span code_span, span;
    VarVec uses;                  /* the locals, parameters and globals that the code may name */
} ExternCode;

/* Alternatives that stand side by side, and what either may name. */
typedef struct ExternBlock {
    const ExternCode *host, *card; /* for processors, in C or C++; for cards, in CUDA. One of them may be NULL */
    VarVec uses;
} ExternBlock;

typedef struct ExecuteStmt {
    struct Task *task;
    Expr *environment;
    ExprVec initialize, partition;/* converted to the parameters' types */
} ExecuteStmt;

struct Stmt {
    StmtKind kind;
    Span span;
    Expr *target, *value;
    Accumulate accumulate;        /* ASSIGN */
    Expr *factor_a, *factor_b;    /* FMA/FMS: x = x ± factor_a * factor_b */
    Block body;
    Block *otherwise;             /* IF */
    VEC(LoopIndex) indices;       /* PARALLEL: outermost first */
    Var *index;                   /* SEQUENCE */
    Expr *step;                   /* SEQUENCE: NULL = 1. step > 0: min, min+s … ≤ max; step < 0: max, max+s … ≥ min; 0: run-time error */
    ReduceOp reduce;              /* REDUCE: target is an EXPR_VAR (a GLOBAL or a PARAM bound to one) */
    ExternBlock *external;
    Var *var; int dimension; Var *source_var; int source_dimension; bool whole_range; RangePart part; /* SET_BOUNDS */
    ExecuteStmt *execute;
    Expr *environment, *environment2; Var *env_var, *env_var2; /* BIND_*, SHARE, SET_ENV_*: env_var belongs to environment's task */
    Expr *path;                   /* BIND_*, STORE_ARRAY (value: the array) */
    ExprVec arguments;            /* PRINT */
};

/* A body: statements with their parameters and every variable in them. */
typedef struct Body {
    const char *name;
    VarVec params;
    VarVec vars;                  /* params, locals and indices: Var.id indexes here */
    Block block;
    Type *result;                 /* functions: VOID when nothing is returned */
    int instance;                 /* 0, 1, … among the instances of one declaration */
    Span span;
} Body;

/* One instance of a user function. */
struct Function {
    Body body;
    int id;
    bool changes_something;       /* a call does more than give a value: changes what it is given by reference or a list, runs extern code */
    bool changes_arguments;       /* of these the first: it has parameters by reference */
    bool runs_extern;             /* it, or a function that it calls */
    bool changes_lists;           /* it may assign to elements of a list that it is given */
    bool in_place;                /* short, without loops: its body may stand in the place of each call */
    int size;                     /* expressions in it and in the functions that it calls, as far as `in_place` needs them */
};

/* ---- Stages: one instance for each combination of argument types ------------- */
typedef struct StageInstance { Body body; int id; struct Task *task; } StageInstance;

/* ---- Logical processing spaces ------------------------------------------------ */
typedef enum { PART_NONE /* not listed in this dimension */, PART_REPLICATED, PART_BLOCK_SIZE, PART_BLOCK_COUNT,
               PART_STRIDE, PART_BLOCK_STRIDE } PartFunction;

/* How one LPS dimension divides one dimension of one variable. */
typedef struct DimPartition {
    PartFunction function;
    int array_dimension;          /* which dimension of the variable it divides; -1 for REPLICATED */
    Expr *arguments[2];           /* EXPR_INTEGER or EXPR_VAR of a partition parameter (or an Integer expression of them);
                                     NULL where absent: stride() and block_stride(s) take the PPU count for l */
    Expr *padding_front, *padding_back; /* NULL = 0 */
    AstOrder order;               /* sub-partitions */
    Span span;
} DimPartition;

typedef struct LpsVar {           /* one variable listed in an LPS */
    Var *var;
    DimPartition dims[MAX_RANK];  /* indexed by LPS dimension, Lps.dims of them (none when un-partitioned) */
    Lps *relative_to;             /* NULL when absent */
    Span span;
} LpsVar;

struct Lps {
    int id;                       /* Root is 0; a parent's id is less than its children's */
    const char *name;             /* Root, A …; a sub-partition of A is "A sub-partition" */
    Span span;
    Lps *parent;                  /* NULL for Root. For an LPS that divides A's sub-partitions: the sub-partition LPS */
    VEC(Lps *) children;          /* by id; `sub` is one of them */
    int dims;                     /* LPS dimensions; 0: Root and un-partitioned (one LPU per parent LPU) */
    bool dynamic;
    bool sub_partition;           /* a pseudo-LPS: its LPUs are walked one after the other by Repeat foreach sub-partition,
                                     all by the PPU that runs the parent LPU; lpuId and reduction targets mean the parent's */
    bool ordered;                 /* sub_partition: walked in index order (row-major; `descends` reverses a dimension) */
    Lps *sub;                     /* its sub-partition pseudo-LPS, or NULL */
    VEC(LpsVar) vars;             /* Root: every global array, undivided */
};
/* The entry for `var`, or NULL when the LPS does not list it. */
const LpsVar *lps_find_var(const Lps *lps, const Var *var);
/* Equal arrays are divided into equal parts, but for padding; which of their dimensions it is does not count. */
bool partition_is_like(const DimPartition *a, const DimPartition *b);
/* … with as much padding. */
bool partition_pads_like(const DimPartition *a, const DimPartition *b);
/* Whether the part has padding, or may have: one that is not a literal 0. */
bool partition_is_padded(const DimPartition *part);
/* `lps` itself or its nearest ancestor that lists the array `var` (Root lists all). */
const Lps *lps_holder(const Lps *lps, const Var *var);
bool lps_is_within(const Lps *lps, const Lps *ancestor); /* itself counts */
/* `lps`, or the LPS whose sub-partitions it is: lpuId, scalars and reductions mean that one, and one PPU runs both. */
Lps *lps_proper(const Lps *lps);

/* ---- Computation flow ----------------------------------------------------------- */
typedef struct StageArg {         /* parallel to the instance's params */
    Var *var;                     /* a GLOBAL (or PARTITION) variable, or NULL */
    Expr *constant;               /* when var is NULL: constant expression (partition arguments and literals) */
    Lps *reduction_space;         /* `Space A: v`, or for a reduction target without it the LPS of the call; else NULL */
} StageArg;

typedef enum { STEP_SPACE, STEP_CALL, STEP_REPEAT_FOR, STEP_REPEAT_WHILE, STEP_REPEAT_SUB, STEP_IF, STEP_EPOCH } StepKind;
typedef struct Step Step;
typedef VEC(Step *) StepVec;
struct Step {
    StepKind kind;
    int id;                       /* dense over the task, in source order */
    Span span;
    Lps *lps;                     /* the LPS in which this step stands (for SPACE and REPEAT_SUB: the one being left, its parent) */
    Lps *space;                   /* SPACE: entered LPS; REPEAT_SUB: the sub-partition pseudo-LPS */
    StageInstance *stage; VEC(StageArg) arguments; /* CALL */
    Var *var; Expr *range, *step; /* REPEAT_FOR: Integer global; Range expression; NULL = 1 (semantics as STMT_SEQUENCE) */
    Expr *condition;              /* REPEAT_WHILE (tested before each round), IF */
    VarVec advances;              /* EPOCH: version-managed arrays and scalars written at current in it */
    StepVec body;
};
/* It is an Epoch that advances the versions of `var`. */
bool step_advances(const Step *step, const Var *var);
/* Flow entered from Space A nested in Space A (already there) has been flattened. A Space X nested where X is not a
 * child of the current LPS but a descendant is written out with the LPSes between (one SPACE step for each). */

/* ---- Task ------------------------------------------------------------------------ */
typedef struct Task {
    const char *name;             /* as in the string */
    const char *symbol;           /* unique C identifier made from it */
    int id;
    Span span;
    VarVec globals;
    const struct NameTable *names; /* globals by name; inside the checker */
    VarVec partition_params;
    Body *initialize;             /* NULL when absent; its params that bear a global's name appear as VAR_PARAM and the
                                     body starts with assignments of them to the globals */
    VEC(StageInstance *) stages;
    VEC(Lps *) spaces;            /* by id; spaces[0] is Root */
    StepVec flow;                 /* in Root */
    int step_count;
} Task;

/* ---- Program ----------------------------------------------------------------------- */
typedef struct ProgramArg {       /* args.name */
    const char *name;
    Type *type;                   /* Integer, Real, Boolean, String */
    const char *what;             /* for --help: "input file of a (2d Array of Real double-precision) of task …",
                                     "partition argument k of …", "value of …" */
    bool is_input_path, is_output_path;
    Type *array_type;             /* for paths: what the file holds */
    Span span;
} ProgramArg;

typedef struct Program {
    Source *source;
    VEC(Type *) types;            /* every interned type, by id */
    VEC(Type *) structs;          /* user types in an order in which each follows what it contains */
    VEC(Task *) tasks;
    VEC(Function *) functions;    /* instances, callees before callers */
    VEC(ProgramArg) args;
    Body *coordinator;            /* NULL when the program has none: the driver then refuses to run it (E-code) */
} Program;

#endif
