/* Walking typed bodies: every expression and statement, parents first. Shared by lower and emit. */
#ifndef HP5_LOWER_WALK_BODIES_H
#define HP5_LOWER_WALK_BODIES_H
#include "compiler/check/program.h"

typedef struct Walk {
    void (*expr)(void *data, const Expr *expr);   /* may be NULL */
    void (*stmt)(void *data, const Stmt *stmt);   /* may be NULL */
    void *data;
} Walk;
void lower_walk_expr(const Walk *walk, const Expr *expr);
void lower_walk_block(const Walk *walk, const Block *block);

/* Whether the expression / block mentions the variable (as a value, place or element). */
bool lower_expr_mentions(const Expr *expr, const Var *var);
/* How often the statement's places, calls by reference and extern blocks may write `var`. */
int lower_stmt_writes(const Stmt *stmt, const Var *var);
int lower_block_writes(const Block *block, const Var *var);
/* Whether the value of `var` is used, other than as the whole target of an assignment. */
bool lower_block_reads(const Block *block, const Var *var);
int lower_stmt_reads(const Stmt *stmt, const Var *var); /* how often */
bool lower_block_mentions(const Block *block, const Var *var);
/* Whether evaluating it calls a user function or may end the program (Integer division by what is no literal, an
 * element of a list). */
bool lower_expr_has_effect(const Expr *expr);
/* Structural equality of two side-effect-free expressions. */
bool lower_expr_equal(const Expr *a, const Expr *b);
/* The variable at the root of a place: x of x.f[2].g; NULL for other expressions. */
Var *lower_place_root(const Expr *place);
/* The element of an array that the place is a part of: x[i] of x[i].f[2].g; else the place itself, or what a list in it has. */
const Expr *lower_element_of(const Expr *place);
#endif
