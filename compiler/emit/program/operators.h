/* Operators of C, and where its expressions need parentheses. */
#ifndef HP5_EMIT_OPERATORS_H
#define HP5_EMIT_OPERATORS_H
#include "compiler/check/program.h"

/* C's precedences, loosest first. */
typedef enum { LEVEL_OR, LEVEL_AND, LEVEL_BITOR, LEVEL_BITXOR, LEVEL_BITAND, LEVEL_EQUAL, LEVEL_LESS, LEVEL_SHIFT,
               LEVEL_ADD, LEVEL_MULTIPLY, LEVEL_UNARY, LEVEL_PRIMARY } Level;

Level emit_level_of(Operator op);
const char *emit_operator(Operator op);
/* Whether an operand of level `inner`, on the right of the operator or on its left, needs them: C would read it otherwise, or warn. */
bool emit_needs_paren(Level inner, Operator op, bool right);
/* Whether the right side of `and` or `or` may be computed whatever the left one is: it costs little, changes nothing, cannot fail, and comes to no element that the left
 * side does not come to anyway. A loop in vectors has both sides then, and no branch between: gcc makes none out of three of them. */
bool emit_has_both_sides(const Expr *expr);
#endif
