/* Operators of C, and where its expressions need parentheses. */
#ifndef HP5_EMIT_OPERATORS_H
#define HP5_EMIT_OPERATORS_H
#include "compiler/emit/program/writer.h"

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
/* `text`, the value of a Boolean, as a branch asks for it: in loops in vectors Booleans of arrays are asked as bytes, since gcc makes no vectors of conditions that are loaded. (Booleans that
 * others are computed of stay what they are: vectors of bytes.) */
char *emit_truth(Emit *emit, const EmitNames *names, const Expr *expr, char *text);
#endif
