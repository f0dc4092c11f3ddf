/* Walking typed trees. */
#ifndef HP5_CHECK_WALK_H
#define HP5_CHECK_WALK_H
#include "compiler/check/program.h"

/* Calls visit(expr, data) for every expression below, parents first; visit returns false to prune. */
void walk_expr(Expr *expr, bool (*visit)(Expr *, void *), void *data);
/* Calls on_stmt (may be NULL) and on_expr (may be NULL) for everything in the block, in source order. */
void walk_block(Block *block, bool (*on_stmt)(Stmt *, void *), bool (*on_expr)(Expr *, void *), void *data);
/* Whether the expression, which may be NULL, names the variable. */
bool expr_mentions(const Expr *expr, const Var *var);

/* What a stage instance does with parameter or global `var` (walks the body once). */
typedef struct VarUse {
    bool read, written, reduced;
    bool read_current, written_whole;  /* written_whole: reserved */
    int max_lag;
    Span first_read, first_write;
} VarUse;
VarUse body_var_use(const Body *body, const Var *var);

/* How often the block sets the variable: a statement that assigns all of it counts once, whatever else may change it twice. */
typedef struct Setting {
    const Var *var;
    const Expr *value; /* of the last one */
    int count;
} Setting;
Setting block_settings(const Block *block, const Var *var);
#endif
