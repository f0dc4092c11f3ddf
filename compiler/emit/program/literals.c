/* Literals as C text. How to read it: each function takes a value and gives what a C compiler reads back as just that. */
#include "compiler/emit/program/writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

char *emit_string_literal(Arena *arena, const char *text, size_t length) {
    Text out = {0};
    text_char(&out, '"');
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\') text_printf(&out, "\\%c", c);
        else if (c == '\n') text_append(&out, "\\n");
        else if (c < ' ' || c >= 127 || c == '?') text_printf(&out, "\\%03o", c); /* '?': trigraphs */
        else text_char(&out, (char)c);
    }
    text_char(&out, '"');
    char *literal = arena_copy(arena, out.data, out.length);
    text_free(&out);
    return literal;
}

char *emit_integer_literal(Arena *arena, int64_t value) {
    return value == INT64_MIN ? arena_strdup(arena, "INT64_MIN") : arena_printf(arena, "%" PRId64, value);
}

/* Fewest digits that read back as the same float, with 'f'. */
static char *single_text(Arena *arena, float value) {
    char digits[48] = "";
    for (int precision = 1; precision <= 9; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, (double)value);
        if (strtof(digits, NULL) == value) break;
    }
    bool plain = strpbrk(digits, ".e") == NULL;
    return arena_printf(arena, "%s%sf", digits, plain ? ".0" : "");
}

char *emit_real_literal(Arena *arena, double value, bool single) {
    if (isnan(value)) return arena_strdup(arena, single ? "NAN" : "(double)NAN");
    if (isinf(value)) return arena_printf(arena, "%s%s", value < 0 ? "-" : "", single ? "INFINITY" : "HUGE_VAL");
    if (single) return single_text(arena, (float)value);
    Text out = {0};
    text_real(&out, value);
    char *literal = arena_copy(arena, out.data, out.length);
    text_free(&out);
    return literal;
}

char *emit_character_literal(Arena *arena, unsigned char c) {
    bool plain = c >= ' ' && c < 127 && c != '\'' && c != '\\';
    return arena_printf(arena, plain ? "'%c'" : "'\\%03o'", c);
}

bool emit_is_of_literals(const Expr *expr, int64_t *value, bool *wraps) {
    int64_t left, right;
    if (expr->type->kind != TYPE_INTEGER) return false;
    if (expr->kind == EXPR_INTEGER) return *value = expr->integer, true;
    if (expr->kind == EXPR_UNARY && expr->op == OP_NEG && emit_is_of_literals(expr->left, &right, wraps))
        return *wraps |= __builtin_sub_overflow(0, right, value), true;
    if (expr->kind != EXPR_BINARY || !emit_is_of_literals(expr->left, &left, wraps) || !emit_is_of_literals(expr->right, &right, wraps)) return false;
    switch (expr->op) {
    case OP_ADD: *wraps |= __builtin_add_overflow(left, right, value); return true;
    case OP_SUB: *wraps |= __builtin_sub_overflow(left, right, value); return true;
    case OP_MUL: *wraps |= __builtin_mul_overflow(left, right, value); return true;
    default: return false;
    }
}
