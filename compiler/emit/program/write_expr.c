/* Expressions as C text. Each printer leaves the precedence of what it printed in *level, so that
 * the caller adds parentheses only where C or its warnings (-Wparentheses) want them. */
#include "compiler/emit/program/writer.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include "compiler/base/diag.h"
#include "compiler/emit/program/operators.h"
#include "compiler/lower/clamped.h"
#include "compiler/lower/narrow.h"
#include "compiler/lower/rounding.h"
#include "compiler/lower/truncated.h"

typedef struct Piece { char *text; Level level; } Piece;

/* `place`: what is printed is assigned or passed by reference, so that a list may grow by it. */
typedef struct Printer { Emit *emit; const EmitNames *names; bool place, condition; } Printer; /* condition: of a branch */

static Piece print(const Printer *p, const Expr *expr);

static char *paren(const Printer *p, char *text) { return arena_printf(p->emit->arena, "(%s)", text); }

/* ---- Literals (literals.c) -------------------------------------------------------------------------- */
static Piece integer_literal(const Printer *p, int64_t value) {
    return (Piece){emit_integer_literal(p->emit->arena, value), value < 0 && value != INT64_MIN ? LEVEL_UNARY : LEVEL_PRIMARY};
}

static Piece real_literal(const Printer *p, const Expr *expr) {
    bool sign = isnan(expr->real) || signbit(expr->real); /* or a cast */
    return (Piece){emit_real_literal(p->emit->arena, expr->real, expr->type->kind == TYPE_REAL_SINGLE), sign ? LEVEL_UNARY : LEVEL_PRIMARY};
}

static Piece character_literal(const Printer *p, int64_t value) {
    return (Piece){emit_character_literal(p->emit->arena, (unsigned char)value), LEVEL_PRIMARY};
}

/* ---- Positions ------------------------------------------------------------------------------------ */
int emit_line(const Emit *emit, Span span) {
    return source_line_number(emit->plan->program->source, span.start);
}

/* ", \"program.hp5\", 12": last arguments of calls that may report a run-time error. */
static char *position(const Printer *p, Span span) {
    const char *name = p->emit->source_name;
    return arena_printf(p->emit->arena, ", %s, %d", emit_string_literal(p->emit->arena, name, strlen(name)), emit_line(p->emit, span));
}

/* ---- Operators (operators.c) ------------------------------------------------------------------------ */
static Piece truth(const Printer *p, const Expr *expr) {
    Piece piece = print(p, expr);
    if (p->condition) piece.text = emit_truth(p->emit, p->names, expr, piece.text);
    return piece;
}

static char *operand(const Printer *p, const Expr *expr, Operator op, bool right) {
    Piece piece = truth(p, expr);
    bool negated = expr->kind == EXPR_UNARY && expr->op == OP_NOT && emit_level_of(op) >= LEVEL_EQUAL;
    bool minus_minus = right && op == OP_SUB && piece.text[0] == '-';
    return emit_needs_paren(piece.level, op, right) || negated || minus_minus ? paren(p, piece.text) : piece.text;
}

static char *plain(const Printer *p, const Expr *expr) { return print(p, expr).text; }

static char *primary(const Printer *p, const Expr *expr) {
    Piece piece = print(p, expr);
    return piece.level == LEVEL_PRIMARY ? piece.text : paren(p, piece.text);
}

static char *unary_operand(const Printer *p, const Expr *expr) {
    Piece piece = truth(p, expr);
    return piece.level < LEVEL_UNARY || piece.text[0] == '-' ? paren(p, piece.text) : piece.text;
}

/* A Real that is clamped and converted by one function. */
static bool is_clamped(const Printer *p, const Expr *expr, Clamped *clamped) { return !p->emit->options.checked && lower_is_clamped(expr, clamped); }

static Interval range_of(const Printer *p, const Expr *expr) {
    Clamped clamped;
    if (is_clamped(p, expr, &clamped)) return lower_clamped_values(&clamped);
    if (emit_is_usual_integer(p->names, expr)) return INTERVAL_SINGLE;
    const bool extremum = p->names && p->names->usual && expr->kind == EXPR_MATH && expr->type->kind == TYPE_INTEGER && expr->arguments.count == 2;
    if (extremum) {
        const Interval a = range_of(p, expr->arguments.items[0]), b = range_of(p, expr->arguments.items[1]);
        return strcmp(expr->math, "llmin") == 0 ? interval_least(a, b) : interval_most(a, b);
    }
    return lower_values_of(p->names->code, expr);
}

static bool fits_int(const Printer *p, const Expr *expr) { return interval_within(range_of(p, expr), INT32_MIN, INT32_MAX); }

static bool is_int_in_c(const Printer *p, const Expr *expr);

/* min, max or abs of what C has in int, that fits an int. */
static bool is_int_math(const Printer *p, const Expr *expr) {
    if (expr->kind != EXPR_MATH || expr->type->kind != TYPE_INTEGER || p->emit->options.checked || !fits_int(p, expr)) return false;
    for (size_t i = 0; i < expr->arguments.count; i++)
        if (!is_int_in_c(p, expr->arguments.items[i])) return false;
    return true;
}

/* Made of small literals and of what is stored in few bits alone, and printed without a cast: C computes it in int. */
static bool is_int_in_c(const Printer *p, const Expr *expr) {
    if (expr->kind == EXPR_INTEGER) return expr->integer >= INT32_MIN && expr->integer <= INT32_MAX;
    Clamped clamped;
    if (lower_is_stored_single(expr) || emit_is_usual_integer(p->names, expr) || is_clamped(p, expr, &clamped)) return true;
    if (expr->kind == EXPR_VAR) return !p->names->widened && lower_bytes_of(p->names->code, expr->var) > 0;
    if (expr->kind == EXPR_UNARY) return is_int_in_c(p, expr->left) && fits_int(p, expr);
    if (expr->kind == EXPR_MATH) return is_int_math(p, expr);
    return expr->kind == EXPR_BINARY && fits_int(p, expr) && is_int_in_c(p, expr->left) && is_int_in_c(p, expr->right);
}

/* Whether C would compute in int what an int may be too small for. */
static bool int_is_too_small(const Printer *p, const Expr *expr) {
    return !fits_int(p, expr) && is_int_in_c(p, expr->left) && (!expr->right || is_int_in_c(p, expr->right));
}

static Piece call2(const Printer *p, const char *function, const Expr *a, const Expr *b, const char *tail) {
    return (Piece){arena_printf(p->emit->arena, "%s(%s, %s%s)", function, plain(p, a), plain(p, b), tail), LEVEL_PRIMARY};
}

static bool is_nonzero_constant(const Expr *expr) {
    return expr->kind == EXPR_INTEGER && expr->integer != 0 && expr->integer != -1;
}

static Piece infix(const Printer *p, const Expr *expr) {
    const char *cast = expr->left->type->kind == TYPE_INTEGER && emit_level_of(expr->op) >= LEVEL_SHIFT && int_is_too_small(p, expr) ? "(int64_t)" : "";
    char *left = cast[0] ? unary_operand(p, expr->left) : operand(p, expr->left, expr->op, false);
    return (Piece){arena_printf(p->emit->arena, "%s%s %s %s", cast, left, emit_operator(expr->op), operand(p, expr->right, expr->op, true)), emit_level_of(expr->op)};
}

static Piece checked_integer(const Printer *p, const Expr *expr) {
    char *tail = position(p, expr->span);
    switch (expr->op) {
    case OP_ADD: return call2(p, "hp5_checked_add", expr->left, expr->right, tail);
    case OP_SUB: return call2(p, "hp5_checked_sub", expr->left, expr->right, tail);
    case OP_MUL: return call2(p, "hp5_checked_mul", expr->left, expr->right, tail);
    case OP_DIV: return call2(p, "hp5_checked_divide", expr->left, expr->right, tail);
    default: return call2(p, "hp5_checked_raise", expr->left, expr->right, tail);
    }
}

/* A number of bits for which C's >> has HP5's meaning. */
static bool is_plain_shift(const Expr *expr) {
    return expr->kind == EXPR_INTEGER && expr->integer >= 0 && expr->integer < 64;
}

static bool is_product_part(const Printer *p, const Expr *expr, ProductPart *part) {
    if (p->emit->options.checked || (expr->op == OP_ADD && is_int_in_c(p, expr))) return false;
    return lower_product_part(p->names->code, expr, part);
}

static Piece integer_binary(const Printer *p, const Expr *expr) {
    ProductPart part;
    if (is_product_part(p, expr, &part))
        return (Piece){arena_printf(p->emit->arena, "%s(%s, %" PRIu64 "u, %d)", part.last ? "hp5_product_end" : "hp5_cut_product", plain(p, part.of), part.factor, part.bits), LEVEL_PRIMARY};
    if (emit_knows_quotient(p->names, expr)) {
        const EmitQuotient *known = p->names->quotient;
        if (expr->op == OP_DIV) return (Piece){arena_strdup(p->emit->arena, known->over), LEVEL_PRIMARY};
        return (Piece){arena_printf(p->emit->arena, "%s - %s", known->name, known->zero), LEVEL_ADD};
    }
    switch (expr->op) {
    case OP_SHL: {
        bool overflows = range_of(p, expr->left).min < 0 || interval_equal(range_of(p, expr), INTERVAL_ALL);
        if (is_plain_shift(expr->right) && !overflows) return infix(p, expr);
        return call2(p, "hp5_shift_left", expr->left, expr->right, "");
    }
    case OP_SHR:
        if (!is_plain_shift(expr->right)) return call2(p, "hp5_shift_right", expr->left, expr->right, "");
        if (range_of(p, expr->left).min < 0 || is_int_in_c(p, expr->left)) return infix(p, expr);
        return call2(p, "hp5_shift_positive", expr->left, expr->right, "");
    case OP_DIV: case OP_MOD:
        if (is_nonzero_constant(expr->right)) return infix(p, expr);
        if (expr->op == OP_MOD) return call2(p, "hp5_modulo", expr->left, expr->right, position(p, expr->span));
        if (p->emit->options.checked) return checked_integer(p, expr);
        return call2(p, "hp5_divide", expr->left, expr->right, position(p, expr->span));
    case OP_POW:
        if (p->emit->options.checked) return checked_integer(p, expr);
        return call2(p, "hp5_raise", expr->left, expr->right, position(p, expr->span));
    case OP_ADD: case OP_SUB: case OP_MUL: return p->emit->options.checked ? checked_integer(p, expr) : infix(p, expr);
    default: return infix(p, expr);
    }
}

/* Characters are ordered by their codes, 0 to 255, whether C's char has a sign or not. */
static Piece character_binary(const Printer *p, const Expr *expr) {
    if (expr->op == OP_EQ || expr->op == OP_NE) return infix(p, expr);
    return (Piece){arena_printf(p->emit->arena, "(unsigned char)%s %s (unsigned char)%s", primary(p, expr->left), emit_operator(expr->op), primary(p, expr->right)),
                   emit_level_of(expr->op)};
}

/* By a function that says whether they are equal. */
static Piece compare_by(const Printer *p, const Expr *expr, const char *function) {
    Piece equal = call2(p, function, expr->left, expr->right, "");
    if (expr->op == OP_NE) return (Piece){arena_printf(p->emit->arena, "!%s", equal.text), LEVEL_UNARY};
    return equal;
}

/* x ** 2 of a variable or element is written out, so that vector loops stay vector loops. */
static bool is_square(const Expr *expr) {
    bool simple = expr->left->kind == EXPR_VAR || expr->left->kind == EXPR_ELEMENT;
    return simple && !lower_expr_has_effect(expr->left) && expr->right->kind == EXPR_INTEGER && expr->right->integer == 2;
}

/* a - b, and a + -b, which C compilers take for the same, where a is or may be a product. */
static Piece real_sum(const Printer *p, const Expr *expr) {
    bool swapped = expr->op == OP_ADD && expr->left->kind == EXPR_UNARY;
    const Expr *minuend = swapped ? expr->right : expr->left, *other = swapped ? expr->left : expr->right;
    bool subtracts = expr->op == OP_SUB || other->kind == EXPR_UNARY;
    if (!subtracts || !lower_may_be_product(p->names->code, minuend) || p->emit->options.fast_math) return infix(p, expr);
    char *rounded = arena_printf(p->emit->arena, "HP5_ROUNDED(%s)", plain(p, minuend));
    char *rest = operand(p, other, expr->op, !swapped);
    return (Piece){arena_printf(p->emit->arena, "%s %s %s", swapped ? rest : rounded, emit_operator(expr->op), swapped ? rounded : rest), LEVEL_ADD};
}

static Piece real_binary(const Printer *p, const Expr *expr) {
    bool single = expr->left->type->kind == TYPE_REAL_SINGLE;
    if (expr->op == OP_MOD) return call2(p, single ? "fmodf" : "fmod", expr->left, expr->right, "");
    if (expr->op == OP_ADD || expr->op == OP_SUB) return real_sum(p, expr);
    if (expr->op != OP_POW) return infix(p, expr);
    if (expr->right->type->kind != TYPE_INTEGER)
        return call2(p, emit_math_function(p->emit, "pow", single), expr->left, expr->right, "");
    if (is_square(expr)) {
        char *text = operand(p, expr->left, OP_MUL, true);
        return (Piece){arena_printf(p->emit->arena, "%s * %s", text, text), LEVEL_MULTIPLY};
    }
    return call2(p, single ? "hp5_power_single" : "hp5_power_real", expr->left, expr->right, "");
}

static Piece boolean_binary(const Printer *p, const Expr *expr) {
    const bool plain = !p->names || !p->names->in_vectors || p->emit->options.checked || p->emit->backend == &backend_cuda;
    if (plain || (expr->op != OP_AND && expr->op != OP_OR) || !emit_has_both_sides(expr)) return infix(p, expr);
    const Operator op = expr->op == OP_AND ? OP_BITAND : OP_BITOR;
    return (Piece){arena_printf(p->emit->arena, "%s %s %s", operand(p, expr->left, op, false), emit_operator(op), operand(p, expr->right, op, true)), emit_level_of(op)};
}

static Piece binary(const Printer *p, const Expr *expr) {
    switch (expr->left->type->kind) {
    case TYPE_REAL_SINGLE: case TYPE_REAL_DOUBLE: return real_binary(p, expr);
    case TYPE_STRING: return compare_by(p, expr, "hp5_same_text");
    case TYPE_RANGE: return compare_by(p, expr, "hp5_range_equal");
    case TYPE_INTEGER: return integer_binary(p, expr);
    case TYPE_CHARACTER: return character_binary(p, expr);
    case TYPE_BOOLEAN: return boolean_binary(p, expr);
    default: return infix(p, expr);
    }
}

static Piece unary(const Printer *p, const Expr *expr) {
    Arena *arena = p->emit->arena;
    if (expr->op == OP_NOT) return (Piece){arena_printf(arena, "!%s", unary_operand(p, expr->left)), LEVEL_UNARY};
    if (p->emit->options.checked && expr->type->kind == TYPE_INTEGER && expr->left->kind != EXPR_INTEGER)
        return (Piece){arena_printf(arena, "hp5_checked_negate(%s%s)", plain(p, expr->left), position(p, expr->span)), LEVEL_PRIMARY};
    const char *cast = expr->type->kind == TYPE_INTEGER && expr->left->kind != EXPR_INTEGER && int_is_too_small(p, expr) ? "(int64_t)" : "";
    return (Piece){arena_printf(arena, "-%s%s", cast, unary_operand(p, expr->left)), LEVEL_UNARY};
}

static Piece clamped_integer(const Printer *p, const Clamped *clamped) {
    const char *single = clamped->real->type->kind == TYPE_REAL_SINGLE ? "_single" : "";
    const Expr low = {.kind = EXPR_REAL, .type = clamped->real->type, .real = clamped->low}, high = {.kind = EXPR_REAL, .type = clamped->real->type, .real = clamped->high};
    return (Piece){arena_printf(p->emit->arena, "hp5_integer_between%s(%s, %s, %s, %" PRId64 ")", single, plain(p, clamped->real), plain(p, &low), plain(p, &high), clamped->none), LEVEL_PRIMARY};
}

/* Truncation in a loop for usual numbers, or in any other one. */
static Piece truncated(const Printer *p, const Expr *expr) {
    const bool single = expr->left->type->kind == TYPE_REAL_SINGLE;
    const char *kind = single ? "_single" : "", *value = plain(p, expr->left);
    if (emit_is_usual_integer(p->names, expr))
        return (Piece){arena_printf(p->emit->arena, "hp5_integer_usual%s(%s, &%s)", kind, value, single ? p->names->unusual_single : p->names->unusual), LEVEL_PRIMARY};
    if (!p->names->in_vectors) return (Piece){arena_printf(p->emit->arena, "hp5_integer_from_real(%s)", value), LEVEL_PRIMARY};
    return (Piece){arena_printf(p->emit->arena, "hp5_integer_in_vectors%s(%s)", kind, value), LEVEL_PRIMARY};
}

static Piece converted(const Printer *p, const Expr *expr);

static Piece convert(const Printer *p, const Expr *expr) {
    const Piece piece = converted(p, expr);
    if (expr->left->type->kind != TYPE_INTEGER || !type_is_real(expr->type) || p->emit->options.fast_math || !p->names || !lower_may_be_truncated(p->names->code, expr->left)) return piece;
    const char *single = expr->type->kind == TYPE_REAL_SINGLE ? "_single" : "";
    return (Piece){arena_printf(p->emit->arena, "hp5_unsigned_zero%s(%s)", single, piece.text), LEVEL_PRIMARY};
}

static Piece converted(const Printer *p, const Expr *expr) {
    Arena *arena = p->emit->arena;
    TypeKind from = expr->left->type->kind, to = expr->type->kind;
    if (from == to) return print(p, expr->left);
    bool truncates = to == TYPE_INTEGER && type_is_real(expr->left->type);
    if (truncates && p->emit->options.checked) return (Piece){arena_printf(arena, "hp5_checked_integer(%s%s)", plain(p, expr->left), position(p, expr->span)), LEVEL_PRIMARY};
    if (truncates) return truncated(p, expr);
    if (from == TYPE_INTEGER && to == TYPE_REAL_DOUBLE && !is_int_in_c(p, expr->left)) {
        bool small = lower_converts_in_vectors(range_of(p, expr->left));
        return (Piece){arena_printf(arena, "%s(%s)", small ? "hp5_real_small" : "hp5_real", plain(p, expr->left)), LEVEL_PRIMARY};
    }
    if (to == TYPE_BOOLEAN) return (Piece){arena_printf(arena, "%s != 0", operand(p, expr->left, OP_NE, false)), LEVEL_EQUAL};
    return (Piece){arena_printf(arena, "(%s)%s", emit_type(p->emit, expr->type), unary_operand(p, expr->left)), LEVEL_UNARY};
}

/* ---- Places and calls ----------------------------------------------------------------------------------- */
char *emit_member(Arena *arena, const char *text, const char *member) {
    size_t length = strlen(text);
    bool pointer = length > 3 && text[0] == '(' && text[1] == '*' && strchr(text, ')') == text + length - 1;
    if (pointer) return arena_printf(arena, "%.*s->%s", (int)(length - 3), text + 2, member);
    return arena_printf(arena, "%s.%s", text, member);
}

static Piece new_list(const Printer *p, const Expr *expr) {
    const char *element = emit_storage_type(p->emit, expr->type->element);
    const bool on_card = p->emit->backend == &backend_cuda; /* where memory ends with a message */
    return (Piece){arena_printf(p->emit->arena, "hp5_list_new(sizeof(%s)%s)", element, on_card ? position(p, expr->span) : ""), LEVEL_PRIMARY};
}

static Piece list_element(const Printer *p, const Expr *expr) {
    const Printer value = {.emit = p->emit, .names = p->names};
    const char *element = emit_storage_type(p->emit, expr->left->type->element);
    const char *star = element[strlen(element) - 1] == '*' ? "*" : " *";
    return (Piece){arena_printf(p->emit->arena, "(*(%s%s)%s(%s, %s%s))", element, star, p->place ? "hp5_list_place" : "hp5_list_at",
                                plain(&value, expr->left), plain(&value, expr->arguments.items[0]), position(p, expr->span)),
                   LEVEL_PRIMARY};
}

static Piece at_index(const Printer *p, const Expr *expr) {
    Arena *arena = p->emit->arena;
    if (expr->left->type->kind == TYPE_LIST) return list_element(p, expr);
    char *text = emit_member(arena, primary(p, expr->left), "at");
    for (size_t i = 0; i < expr->arguments.count; i++) {
        char *index = plain(&(Printer){.emit = p->emit, .names = p->names}, expr->arguments.items[i]);
        if (p->emit->options.checked)
            index = arena_printf(arena, "hp5_checked_element(%s, %" PRId64 "%s)", index, expr->left->type->extents[i],
                                 position(p, expr->span));
        text = arena_printf(arena, "%s[%s]", text, index);
    }
    return (Piece){text, LEVEL_PRIMARY};
}

static Piece field(const Printer *p, const Expr *expr) {
    bool of_element = expr->left->kind == EXPR_ELEMENT && p->names && p->names->field;
    const char *text = of_element ? p->names->field(p->names->data, expr) : NULL;
    if (text) return (Piece){arena_strdup(p->emit->arena, text), LEVEL_PRIMARY};
    Var name = {.name = expr->left->type->fields.items[expr->field].name};
    return (Piece){emit_member(p->emit->arena, primary(p, expr->left), emit_symbol(p->emit, &name)), LEVEL_PRIMARY};
}

static Piece range_part(const Printer *p, const Expr *expr) {
    if (expr->part == RANGE_LENGTH)
        return (Piece){arena_printf(p->emit->arena, "hp5_range_length(%s)", plain(p, expr->left)), LEVEL_PRIMARY};
    const char *member = expr->part == RANGE_MIN ? "min" : "max";
    return (Piece){emit_member(p->emit->arena, primary(p, expr->left), member), LEVEL_PRIMARY};
}

static Piece call(const Printer *p, const Expr *expr) {
    Text out = {0};
    text_printf(&out, "%s(", emit_function_symbol(p->emit, expr->function));
    for (size_t i = 0; i < expr->arguments.count; i++) {
        const Var *param = expr->function->body.params.items[i];
        char *text = plain(&(Printer){.emit = p->emit, .names = p->names, .place = param->by_reference}, expr->arguments.items[i]);
        if (i > 0) text_append(&out, ", ");
        bool dereferenced = param->by_reference && strncmp(text, "(*", 2) == 0 && strchr(text, ')')[1] == '\0';
        if (dereferenced) text_append_n(&out, text + 2, strlen(text) - 3); /* &(*x) is x */
        else text_printf(&out, "%s%s", param->by_reference ? "&" : "", text);
    }
    text_char(&out, ')');
    Piece piece = {arena_copy(p->emit->arena, out.data, out.length), LEVEL_PRIMARY};
    text_free(&out);
    return piece;
}

static Piece math(const Printer *p, const Expr *expr) {
    Text out = {0};
    const char *single = expr->type->kind == TYPE_REAL_SINGLE ? "f" : "", *way = "usual";
    const Expr *in_turn = emit_extremum_in_turn(p->emit, p->names, expr, &way), *printed = in_turn ? in_turn : expr;
    if (in_turn || emit_is_usual_extremum(p->names, expr)) text_printf(&out, "hp5_%s%s_%s(", expr->math, single, way);
    else if (expr->type->kind == TYPE_INTEGER) text_printf(&out, "hp5_%s%s(", expr->math + 2, is_int_math(p, expr) ? "_int" : ""); /* llabs */
    else text_printf(&out, "%s(", emit_math_function(p->emit, expr->math, single[0] == 'f'));
    for (size_t i = 0; i < printed->arguments.count; i++)
        text_printf(&out, "%s%s", i > 0 ? ", " : "", plain(p, printed->arguments.items[i]));
    text_char(&out, ')');
    Piece piece = {arena_copy(p->emit->arena, out.data, out.length), LEVEL_PRIMARY};
    text_free(&out);
    return piece;
}

static Piece new_struct(const Printer *p, const Expr *expr) {
    Text out = {0};
    text_printf(&out, "(%s){", emit_type(p->emit, expr->type));
    const char *separator = "";
    for (size_t i = 0; i < expr->arguments.count; i++) {
        if (!expr->arguments.items[i]) continue;
        const StructField *field = &expr->type->fields.items[i];
        const Expr *value = expr->arguments.items[i];
        Var name = {.name = field->name};
        text_printf(&out, "%s.%s = %s", separator, emit_symbol(p->emit, &name), emit_first_value(p->emit, field->type, value, plain(p, value)));
        separator = ", ";
    }
    text_append(&out, separator[0] ? "}" : "0}");
    Piece piece = {arena_copy(p->emit->arena, out.data, out.length), LEVEL_PRIMARY};
    text_free(&out);
    return piece;
}

/* ---- Names through the hooks ---------------------------------------------------------------------------------- */
/* Hooks return primary expressions. */
static Piece hooked(const Printer *p, const char *(*hook)(void *, const Expr *), const Expr *expr) {
    const char *text = hook ? hook(p->names->data, expr) : NULL;
    if (!text) internal_error("emit", "no C text for expression kind %d", (int)expr->kind);
    return (Piece){arena_strdup(p->emit->arena, text), LEVEL_PRIMARY};
}

static Piece variable(const Printer *p, const Expr *expr) {
    if (expr->var->id < 0) return (Piece){arena_strdup(p->emit->arena, expr->var->name), LEVEL_PRIMARY}; /* an operand: order.c */
    const char *text = p->names && p->names->variable ? p->names->variable(p->names->data, expr->var, expr->lag) : NULL;
    if (!text) text = emit_symbol(p->emit, expr->var);
    if (!p->place && p->names && lower_bytes_of(p->names->code, expr->var) == LOWER_UNSIGNED && text[0] != '(') /* a parameter's place has 64 bits */
        return (Piece){arena_printf(p->emit->arena, "(int64_t)%s", text), LEVEL_UNARY};
    return (Piece){arena_strdup(p->emit->arena, text), LEVEL_PRIMARY};
}

/* The array's `const Hp5View *`. */
static const char *view(const Printer *p, const Var *array) {
    const char *text = p->names && p->names->view ? p->names->view(p->names->data, array) : NULL;
    return text ? text : arena_printf(p->emit->arena, "%s_view", emit_symbol(p->emit, array));
}

static Piece dim_range(const Printer *p, const Expr *expr) {
    const char *text = p->names && p->names->dim_range ? p->names->dim_range(p->names->data, expr) : NULL;
    if (text) return (Piece){arena_strdup(p->emit->arena, text), LEVEL_PRIMARY};
    return (Piece){arena_printf(p->emit->arena, "hp5_%s_range(%s, %d)", expr->local ? "part" : "array", view(p, expr->var),
                                expr->dimension), LEVEL_PRIMARY};
}

/* Membership in a part goes through `other` first: only a stage knows whether the part is an interval. */
static Piece in_range(const Printer *p, const Expr *expr) {
    bool in_part = expr->right->kind == EXPR_DIM_RANGE && expr->right->local;
    const char *text = in_part && p->names && p->names->other ? p->names->other(p->names->data, expr) : NULL;
    if (text) return (Piece){arena_strdup(p->emit->arena, text), LEVEL_PRIMARY};
    if (in_part)
        return (Piece){arena_printf(p->emit->arena, "hp5_set_contains(&%s->part[%d], %s)", view(p, expr->right->var),
                                    expr->right->dimension, plain(p, expr->left)), LEVEL_PRIMARY};
    return call2(p, "hp5_range_has", expr->right, expr->left, "");
}

static Piece print(const Printer *p, const Expr *expr) {
    int64_t value;
    bool wraps = false;
    if (!p->emit->options.checked && emit_is_of_literals(expr, &value, &wraps) && wraps) return integer_literal(p, value);
    char *ordered = p->place ? NULL : emit_in_order(p->emit, p->names, expr);
    if (ordered) return (Piece){ordered, LEVEL_PRIMARY};
    Clamped clamped;
    if (is_clamped(p, expr, &clamped)) return clamped_integer(p, &clamped);
    const EmitKnown *known = emit_known(p->names, expr);
    if (known) return (Piece){arena_strdup(p->emit->arena, known->text), known->sum ? LEVEL_ADD : LEVEL_PRIMARY};
    switch (expr->kind) {
    case EXPR_INTEGER: return integer_literal(p, expr->integer);
    case EXPR_REAL: return real_literal(p, expr);
    case EXPR_BOOLEAN: return (Piece){arena_strdup(p->emit->arena, expr->integer ? "true" : "false"), LEVEL_PRIMARY};
    case EXPR_CHARACTER: return character_literal(p, expr->integer);
    case EXPR_STRING: return (Piece){emit_string_literal(p->emit->arena, expr->text, expr->text_length), LEVEL_PRIMARY};
    case EXPR_VAR: return variable(p, expr);
    case EXPR_ELEMENT: return hooked(p, p->names->element, expr);
    case EXPR_AT_INDEX: return at_index(p, expr);
    case EXPR_FIELD: return field(p, expr);
    case EXPR_RANGE_PART: return range_part(p, expr);
    case EXPR_RANGE: return call2(p, "hp5_range", expr->left, expr->right, "");
    case EXPR_DIM_RANGE: return dim_range(p, expr);
    case EXPR_UNARY: return unary(p, expr);
    case EXPR_BINARY: return binary(p, expr);
    case EXPR_IN: return in_range(p, expr);
    case EXPR_CONVERT: return convert(p, expr);
    case EXPR_CALL: return call(p, expr);
    case EXPR_MATH: return math(p, expr);
    case EXPR_LPU_ID: return hooked(p, p->names->lpu_id, expr);
    case EXPR_NEW_STRUCT: return new_struct(p, expr);
    case EXPR_NEW_ARRAY: return (Piece){arena_printf(p->emit->arena, "(%s){0}", emit_type(p->emit, expr->type)), LEVEL_PRIMARY};
    case EXPR_NEW_LIST: return new_list(p, expr);
    default: return hooked(p, p->names->other, expr);
    }
}

void emit_expr(Emit *emit, const EmitNames *names, const Expr *expr, Text *out) {
    text_append(out, print(&(Printer){.emit = emit, .names = names}, expr).text);
}

/* ---- For the statement printers ---------------------------------------------------------------------------------- */
char *writer_place(Writer *writer, const Expr *expr) {
    return plain(&(Printer){.emit = writer->emit, .names = &writer->names, .place = true}, expr);
}

/* A whole expression needs no parentheses: "*p", not "(*p)". */
char *writer_expr(Writer *writer, const Expr *expr) {
    char *text = plain(&(Printer){.emit = writer->emit, .names = &writer->names}, expr);
    size_t length = strlen(text);
    bool wrapped = strncmp(text, "(*", 2) == 0 && strchr(text, ')') == text + length - 1;
    return wrapped ? arena_copy(writer->arena, text + 1, length - 2) : text;
}
char *writer_condition(Writer *writer, const Expr *expr) { return truth(&(Printer){.emit = writer->emit, .names = &writer->names, .condition = true}, expr).text; }
char *writer_expr_primary(Writer *writer, const Expr *expr) {
    return primary(&(Printer){.emit = writer->emit, .names = &writer->names}, expr);
}
char *writer_operand(Writer *writer, const Expr *expr, Operator op, bool right) {
    return operand(&(Printer){.emit = writer->emit, .names = &writer->names}, expr, op, right);
}
