/* What goes from 64 bits to the 32 of an Integer single-precision. How to read it: checked builds look whether it fits; C cuts it by itself, but
 * C++ (cards) wants to be told in front of a field's first value. */
#include "compiler/emit/program/writer.h"

#include <string.h>
#include "compiler/lower/range.h"

static bool fits(const Expr *value) {
    return lower_is_stored_single(value) || (value->kind == EXPR_INTEGER && value->integer == (int32_t)value->integer);
}

char *emit_stored(Emit *emit, bool single, const Expr *value, char *text) {
    if (!emit->options.checked || !single || fits(value)) return text;
    const char *file = emit_string_literal(emit->arena, emit->source_name, strlen(emit->source_name));
    return arena_printf(emit->arena, "hp5_checked_single(%s, %s, %d)", text, file, emit_line(emit, value->span));
}

char *emit_first_value(Emit *emit, const Type *field, const Expr *value, char *text) {
    if (!field->stored_single || fits(value)) return text;
    return emit->options.checked ? emit_stored(emit, true, value, text) : arena_printf(emit->arena, "(int32_t)(%s)", text);
}
