/* Integers that are known before a program runs: of literals, and of variables that somebody knows. */
#ifndef HP5_LOWER_KNOWN_INTEGERS_H
#define HP5_LOWER_KNOWN_INTEGERS_H
#include "compiler/check/program.h"

/* Numbers of which sums and products fit without a look. */
enum { SMALL_LITERAL = 1 << 20 };

/* What variables are: value_of(data, var, &value) says whether it knows the variable. */
typedef struct Knowledge {
    bool (*value_of)(void *data, const Var *var, int64_t *value);
    void *data;
} Knowledge;

/* a op b of small numbers, as programs compute it (quotients by what is above 0 alone), or of any numbers their comparison: 0 or 1. false: left to the program. */
bool lower_computed(Operator op, int64_t a, int64_t b, int64_t *value);
/* The least or the largest of two Integers. */
bool lower_is_extremum(const Expr *expr);
/* An Integer, or a condition as 0 or 1. Of variables nothing is known without `knowledge`. */
bool lower_known_value(const Knowledge *knowledge, const Expr *expr, int64_t *value);

/* The rounds of a loop between such numbers: first, first + step, … */
typedef struct Rounds { int64_t first, step, count; } Rounds;
bool lower_known_rounds(const Knowledge *knowledge, const Stmt *loop, Rounds *rounds);
#endif
