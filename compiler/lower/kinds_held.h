/* Variables of a body that may hold values of a kind: what is assigned such a value, by way of other variables, records, arrays, references and extern code. Nothing is known of other bodies: parameters of
 * functions may hold one. */
#ifndef HP5_LOWER_KINDS_HELD_H
#define HP5_LOWER_KINDS_HELD_H
#include "compiler/lower/lower.h"

/* Fills in `holders`, which `gives` may look at: whether a value is of the kind. */
void lower_find_holders(Arena *arena, const LoweredBody *code, VarVec *holders, bool (*gives)(const LoweredBody *code, const Expr *value));
bool lower_holds(const LoweredBody *code, const VarVec *holders, const Var *var);
#endif
