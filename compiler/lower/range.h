/* What values the Integers of a body can have, as far as the body itself tells: from masks, remainders,
 * loops that run a known number of times, and what called functions hand back. Backends store locals in fewer bits and
 * take simpler instructions where it is proven that nothing changes. */
#ifndef HP5_LOWER_RANGE_H
#define HP5_LOWER_RANGE_H
#include "compiler/lower/interval.h"
#include "compiler/lower/walk_bodies.h"

/* What is known about the functions of a program; kept while it is compiled. */
typedef struct RangeMemo RangeMemo;
RangeMemo *lower_range_memo(Arena *arena, const Program *program);

typedef struct Ranges Ranges;
/* Needs: a checked body (of a stage as it is printed, or of a function). `aliased`: its parameters may be one variable. */
Ranges *lower_ranges(RangeMemo *memo, const Body *body, bool aliased);
/* Of the body of a loop, which runs at any time, if all that it reads but indices lies between -limit and limit - 1, as far as `whole` does
 * not say where. */
Ranges *lower_ranges_assuming(RangeMemo *memo, const Ranges *whole, const Stmt *loop, int64_t limit);
/* The same of a function, made once. */
const Ranges *lower_function_ranges(RangeMemo *memo, const Function *function);
/* Of an Integer expression of the body, wherever it is evaluated. */
Interval lower_range_of(const Ranges *ranges, const Expr *expr);
/* Of a local: everything that it ever holds, its start value 0 included. */
Interval lower_range_of_var(const Ranges *ranges, const Var *var);

/* A place of the type Integer single-precision: 32 bits, which C widens to an int. */
bool lower_is_stored_single(const Expr *place);
/* How often a loop over [left … right] runs, when both ends are one expression plus literals, or literals: at least
 * once; 0: not known, or never. */
int64_t lower_trip_count(const Expr *range);
#endif
