/* Expressions with others in the place of some of theirs. The trees that they come from stay as they are. */
#ifndef HP5_LOWER_REWRITE_H
#define HP5_LOWER_REWRITE_H
#include "compiler/check/program.h"

typedef struct Rewritten { const Expr *expr; Expr *as; } Rewritten;
/* replace(data, expr) gives what stands in the expression's place, which may be itself, or NULL: its parts are looked at. */
typedef struct Rewriting {
    Arena *arena;
    Expr *(*replace)(void *data, Expr *expr);
    void *data;
    VEC(Rewritten) done; /* what stands twice, as factors do that are parts of a value, is one expression afterwards, too */
} Rewriting;

/* Of what nothing is replaced, the expression itself. NULL for NULL. */
Expr *lower_rewritten(Rewriting *rewriting, Expr *expr);
/* The statement's own expressions, but for those of parallel loops; not those of its blocks. */
void lower_rewrite_stmt(Rewriting *rewriting, Stmt *stmt);
#endif
