/* Inside the evaluation of index mapping functions: func_value.c walks the tree, func_call.c has what calls and methods do. */
#ifndef HP5_MAPPING_FUNC_EVAL_H
#define HP5_MAPPING_FUNC_EVAL_H
#include "compiler/mapping/func.h"

typedef struct FuncScope {
    const char *name;
    const FuncValue *value;
    struct FuncScope *next;
} FuncScope;

typedef struct FuncEval {
    Arena *arena;
    Diags *diags;
    const FuncMachine *machine;
    const FuncItemVec *items;
    Source *source;      /* of the items */
    Hp5Mapper mapper;
    FuncScope *scope;    /* innermost first */
    int hypothetical;    /* inside a branch that is not taken: values that do not work out are no errors */
    int64_t steps;       /* left */
    bool failed;
} FuncEval;

/* Reports and returns a value of no kind. */
__attribute__((format(printf, 4, 5))) const FuncValue *func_fail(FuncEval *eval, DiagCode code, Span span, const char *format, ...);
const char *func_kind_name(const FuncEval *eval, const FuncValue *value);

const FuncValue *func_eval(FuncEval *eval, FuncExpr *expr);
FuncValue *func_make(FuncEval *eval, FuncKind kind, bool known, int length);
const FuncValue *func_make_int(FuncEval *eval, bool known, int64_t number);
/* A tuple of `length` or, when everything in it is known, `tuple`; for arguments and list items with splats. */
const FuncValue *func_list(FuncEval *eval, const FuncArgVec *items, Span span);
/* Reports what the mapper noted, and makes the value unknown then. */
const FuncValue *func_done(FuncEval *eval, FuncValue *value, Span span);
/* A space as the tuple of its extents; anything else as it is. */
const FuncValue *func_extents(FuncEval *eval, const FuncValue *value);

/* func_call.c */
const FuncValue *func_method(FuncEval *eval, FuncExpr *expr, const FuncValue *space);
const FuncValue *func_builtin(FuncEval *eval, FuncExpr *expr); /* NULL: no builtin of that name */
extern const char *const func_builtins[];
enum { FUNC_BUILTINS = 6 };
#endif
