/* See operators.h. */
#include "compiler/emit/program/operators.h"

Level emit_level_of(Operator op) {
    switch (op) {
    case OP_OR: return LEVEL_OR;
    case OP_AND: return LEVEL_AND;
    case OP_BITOR: return LEVEL_BITOR;
    case OP_BITXOR: return LEVEL_BITXOR;
    case OP_BITAND: return LEVEL_BITAND;
    case OP_EQ: case OP_NE: return LEVEL_EQUAL;
    case OP_LT: case OP_GT: case OP_LE: case OP_GE: return LEVEL_LESS;
    case OP_SHL: case OP_SHR: return LEVEL_SHIFT;
    case OP_ADD: case OP_SUB: return LEVEL_ADD;
    default: return LEVEL_MULTIPLY;
    }
}

const char *emit_operator(Operator op) {
    static const char *const texts[] = {"||", "&&", "|", "^", "&", "==", "!=", "<", ">", "<=", ">=",
                                        "<<", ">>", "+", "-", "*", "/", "%", "**", "-", "!"};
    return texts[op];
}

bool emit_needs_paren(Level inner, Operator op, bool right) {
    Level outer = emit_level_of(op);
    if (inner >= LEVEL_UNARY) return false;
    if (inner == outer) return right || outer == LEVEL_EQUAL || outer == LEVEL_LESS;
    if (inner < outer) return true;
    if (outer == LEVEL_OR) return inner == LEVEL_AND || (inner >= LEVEL_BITOR && inner <= LEVEL_BITAND);
    if (outer == LEVEL_AND) return inner >= LEVEL_BITOR && inner <= LEVEL_BITAND;
    if (outer == LEVEL_ADD) return false;
    if (outer == LEVEL_EQUAL || outer == LEVEL_LESS) return inner < LEVEL_ADD;
    return true; /* bit operations and shifts: anything inside */
}
