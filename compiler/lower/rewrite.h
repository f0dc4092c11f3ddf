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

/* The type of Integer expressions. */
Type *lower_integer_type(const Program *program);
/* A variable's name as a value; what a value of the type is that nobody has given: 0, or a record or an array of zeros. */
Expr *lower_name_of(Arena *arena, const Program *program, Var *var, Span span);
Expr *lower_zero_of(Arena *arena, const Program *program, Type *type, Span span);

/* Of what nothing is replaced, the expression itself. NULL for NULL. */
Expr *lower_rewritten(Rewriting *rewriting, Expr *expr);
/* The statement's own expressions, but for those of parallel loops; not those of its blocks. */
void lower_rewrite_stmt(Rewriting *rewriting, Stmt *stmt);
#endif
