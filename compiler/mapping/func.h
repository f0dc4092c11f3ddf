/* Index mapping functions: `def f(Tuple ipoint, Tuple ispace): …` and `m = Machine(Core)` of a mapping file.
 *
 * How to read it: func.re makes tokens, func.y groups them, func_parse.c runs the two over one function or assignment
 * of a mapping file and keeps the result as a FuncItem. func_value.c evaluates (func_evaluate): with all values known
 * (hp5c --eval), or with points unknown, which checks kinds, dimensions and everything else that does not depend
 * on the point. runtime/mapping/space.h does the arithmetic, so that generated programs compute the same.
 * The kinds found while checking stay in the tree for compiler/emit/mapping_functions.c. */
#ifndef HP5_MAPPING_FUNC_H
#define HP5_MAPPING_FUNC_H
#include "compiler/machine/machine.h"
#include "runtime/mapping/space.h"

typedef enum FuncKind {
    FUNC_UNKNOWN, /* after an error */
    FUNC_INT,
    FUNC_TUPLE,     /* length known while checking */
    FUNC_SPACE,     /* number of dimensions known while checking */
    FUNC_PROCESSOR, /* one PPU of a space */
    FUNC_TASK       /* task.ipoint, task.ispace */
} FuncKind;

typedef enum FuncExprKind {
    FUNC_NUMBER,
    FUNC_NAME,
    FUNC_LIST,        /* (a, b): items */
    FUNC_NEGATE,      /* -a */
    FUNC_BINARY,      /* a op b */
    FUNC_CONDITION,   /* a ? b : c */
    FUNC_MEMBER,      /* a.name */
    FUNC_METHOD,      /* a.name(items) */
    FUNC_CALL,        /* name(items) */
    FUNC_INDEX,       /* a[items] */
    FUNC_PART,        /* a[b:c]; b, c NULL where left out */
    FUNC_COMPREHENSION /* tuple(a for name in b) */
} FuncExprKind;

/* Operators: '+' … '%' '<' '>' stand for themselves. */
enum { FUNC_AT_MOST = 'l', FUNC_AT_LEAST = 'g', FUNC_EQUAL = '=', FUNC_DIFFERENT = '!' };

typedef struct FuncExpr FuncExpr;
typedef struct FuncArg {
    FuncExpr *expr;
    bool splat;       /* *expr */
    const char *name; /* name=expr, or NULL */
    Span span;
} FuncArg;
typedef VEC(FuncArg) FuncArgVec;
struct FuncExpr {
    FuncExprKind kind;
    Span span;
    int64_t number;
    const char *name; /* NAME, MEMBER, METHOD, CALL; the variable of a comprehension */
    Span name_span;
    char op;
    FuncExpr *a, *b, *c;
    FuncArgVec items;
    FuncKind value; /* found while checking */
    int length;     /* of a tuple, dimensions of a space: of the last check */
};

typedef struct FuncParam {
    const char *type; /* "Tuple", "int", "Task", "Machine", or NULL: as in the first call */
    const char *name;
    Span span;
    FuncKind kind;
} FuncParam;
typedef struct FuncStmt {
    const char *name; /* NULL: return */
    Span span;
    FuncExpr *expr;
    bool first;       /* the name's first assignment in its function */
} FuncStmt;
typedef VEC(FuncParam) FuncParamVec;
typedef VEC(FuncStmt) FuncStmtVec;

typedef struct FuncItem {
    bool is_function;
    const char *name;
    Span name_span, span;
    FuncParamVec params;
    FuncStmtVec body; /* an assignment: one statement */
    bool used;        /* by the function that is checked: emitted */
    FuncKind value;   /* what it gives, found while checking */
    bool active;      /* being evaluated */
    const struct FuncValue *cached; /* an assignment's value in this evaluation */
} FuncItem;
typedef VEC(FuncItem *) FuncItemVec;

typedef struct FuncValue {
    FuncKind kind;
    bool known;
    int length; /* of a tuple; dimensions of a space */
    int64_t number;      /* INT; PROCESSOR: its row-major number in the machine's grid */
    Hp5Tuple tuple;      /* TUPLE; PROCESSOR: its index there */
    const Hp5Space *space;
    const char *level;   /* SPACE, PROCESSOR: whose PPUs they are */
    const struct FuncValue *ipoint, *ispace; /* TASK */
} FuncValue;

/* Where a function runs: the PPUs of `level` inside one PPU of `parent_level`. */
typedef struct FuncMachine {
    const MachineModel *model;
    const char *machine;  /* its name, for messages */
    int parent_level;     /* -1: the whole machine */
    int64_t ppus;         /* that are there, or 0: as many as the model says */
} FuncMachine;

/* ---- Reading ------------------------------------------------------------------------------------- */
/* Reads the function or assignment in bytes [start, end) of the source and adds it to `items`; reports what is wrong. */
void func_parse_item(Arena *arena, Source *source, Diags *diags, uint32_t start, uint32_t end, FuncItemVec *items);
/* The expression that is all of the source; NULL after errors. */
FuncExpr *func_parse_expression(Arena *arena, Source *source, Diags *diags);
FuncItem *func_find(const FuncItemVec *items, const char *name);

/* ---- Evaluating ------------------------------------------------------------------------------------ */
/* The value of an expression whose text is in `text`; functions and assignments are those of `items`, in `source`. NULL after
 * errors. Numbers that are not known (points while checking) make results unknown. */
const FuncValue *func_evaluate(Arena *arena, Diags *diags, const FuncMachine *machine, const FuncItemVec *items, Source *source,
                               Source *text, FuncExpr *expr);
/* Checks `function` as the mapping of an LPS of `dims` dimensions to PPUs of `level`; marks the items that it uses and their
 * kinds. False after errors. `use` is where the mapping names it. */
bool func_check(Arena *arena, Diags *diags, const FuncMachine *machine, const FuncItemVec *items, Source *source, FuncItem *function,
                int dims, int level, Span use);
/* The PPU, counted inside the machine, that `function` (which func_check has passed) gives LPU `point` of a grid; -1 where it fails.
 * Reports nothing. */
int64_t func_ppu_of(const FuncMachine *machine, const FuncItemVec *items, Source *source, FuncItem *function, Hp5Tuple point,
                    Hp5Tuple extents);
/* Extents of `Machine(levels…)`, and the level of the model at which each ends; count of them, or 0 after noting in `why` what is
 * wrong with level number *bad. */
int func_machine_extents(Arena *arena, const FuncMachine *machine, const char *const *levels, int count, int64_t *extents,
                         int64_t *ends, int *bad, const char **why);
/* "(2, 3)", "7", "processor (0, 1) of (2, 4)". */
void func_print_value(const FuncValue *value, Text *out);
#endif
