/* Elements of arrays in a stage: where they lie, in what order, whole or field by field (ArrayLayout in plan.h).
 *
 * Rows (the usual):   x[i * x_ld1 + j]
 * F_order:            x[j * x_ld2 + i]        the first index runs fastest
 * SoA:                p_mass[i - p_origin]               one pointer for each field that the stage uses; a whole element is
 *                                                        put together from its fields, and taken apart where it is assigned
 * gaps (plan/gaps.c): x[(i + x_i.shift) * x_ld1 + j]      where i goes through a stretch of places
 *                     x[hp5_place_of(&x_places1, k) * x_ld1 + j]
 *                     x[x_places1[i] * x_ld1 + j]             on cards, where a table says it (runtime/card/place_tables.c)
 * align N:            the pointer is (double *)__builtin_assume_aligned(…, N) */
#include "compiler/emit/program/writer.h"

#include <string.h>
#include "compiler/base/diag.h"

static ArrayLayout layout_of(const Writer *writer, const Var *array) {
    const Formal *formal = lower_formal(writer->use, array);
    return formal ? formal->layout : (ArrayLayout){0};
}

char *writer_ld(const Writer *writer, const Var *array, int dimension) {
    return arena_printf(writer->arena, "%s_ld%d", emit_symbol(writer->emit, array), dimension + 1);
}

char *writer_places(const Writer *writer, const Var *array, int dimension) {
    return arena_printf(writer->arena, "%s_places%d", emit_symbol(writer->emit, array), dimension + 1);
}

int writer_dimension(const Writer *writer, const Var *array, int position) {
    return layout_of(writer, array).fortran ? array->type->rank - 1 - position : position;
}

/* ---- Places ------------------------------------------------------------------------------------------- */
static char *part_of_name(const Writer *writer, const Var *var, const char *suffix) {
    return arena_printf(writer->arena, "%s_%s", emit_symbol(writer->emit, var), suffix);
}

const char *writer_view(Writer *writer, const Var *var) { return part_of_name(writer, var, "view"); }

char *writer_part(Writer *writer, const Var *var, int dimension) {
    return arena_printf(writer->arena, "%s->part[%d]", part_of_name(writer, var, "view"), dimension);
}

static char *checked_index(Writer *writer, const Expr *expr, int d, char *index) {
    const char *file = writer->emit->source_name, *variable = expr->var->name;
    const char *stage = writer->use->stage->body.name;
    return arena_printf(writer->arena, "hp5_at(%s, %d, %s, %s, %s, %s, %d)", part_of_name(writer, expr->var, "view"), d,
                        index, emit_string_literal(writer->arena, variable, strlen(variable)),
                        emit_string_literal(writer->arena, stage, strlen(stage)),
                        emit_string_literal(writer->arena, file, strlen(file)), emit_line(writer->emit, expr->span));
}

/* The strict form: the index is checked, and a message says where it was taken from. */
static char *gathered_index(Writer *writer, const Expr *expr, int d, const Gather *gather) {
    Arena *arena = writer->arena;
    const char *file = writer->emit->source_name, *variable = expr->var->name, *indices = gather->from->var->name;
    const char *stage = writer->use->stage->body.name, *position = "NULL";
    size_t rank = gather->direct ? gather->from->arguments.count : 0;
    for (size_t i = 0; i < rank; i++)
        position = arena_printf(arena, "%s%s", i == 0 ? (writer->crew ? "HP5_INDICES(" : "(const int64_t[]){") : arena_printf(arena, "%s, ", position),
                                writer_expr(writer, gather->from->arguments.items[i]));
    return arena_printf(arena, "hp5_gathered(%s, %d, %s, %s, %s, %zu, %s%s, %s, %s, %d)", part_of_name(writer, expr->var, "view"), d,
                        writer_expr(writer, gather->subscript), emit_string_literal(arena, variable, strlen(variable)),
                        emit_string_literal(arena, indices, strlen(indices)), rank, position, rank == 0 ? "" : writer->crew ? ")" : "}",
                        emit_string_literal(arena, stage, strlen(stage)), emit_string_literal(arena, file, strlen(file)),
                        emit_line(writer->emit, expr->span));
}

static char *plain_subscript(Writer *writer, const Expr *expr, int d, Operator beside) {
    const Expr *index = expr->arguments.items[d];
    for (size_t i = 0; writer->strict && i < writer->use->gathers.count; i++)
        if (writer->use->gathers.items[i].subscript == index) return gathered_index(writer, expr, d, &writer->use->gathers.items[i]);
    if (!writer->emit->options.checked) return writer_operand(writer, index, beside, false);
    return checked_index(writer, expr, d, writer_expr(writer, index));
}

static const char *shift_of(const Writer *writer, const Expr *expr, int d) {
    const Expr *index = expr->arguments.items[d];
    for (size_t i = writer->shifts.count; i-- > 0;) {
        const IndexShift *shift = &writer->shifts.items[i];
        if (index->kind == EXPR_VAR && shift->index == index->var && shift->array == expr->var && shift->dimension == d) return shift->text;
    }
    return NULL;
}

static const char *fixed_place(const Writer *writer, const Expr *expr, int d) {
    for (size_t i = 0; i < writer->fixed.count; i++) {
        const FixedPlace *fixed = &writer->fixed.items[i];
        if (fixed->array == expr->var && fixed->dimension == d && lower_expr_equal(fixed->subscript, expr->arguments.items[d])) return fixed->name;
    }
    return NULL;
}

static char *subscript(Writer *writer, const Expr *expr, int d, Operator beside) {
    const char *shift = shift_of(writer, expr, d), *fixed = fixed_place(writer, expr, d);
    if (fixed && !writer->emit->options.checked) return arena_strdup(writer->arena, fixed);
    if (!writer->use || !lower_has_gaps(writer->use, expr, (size_t)d)) return plain_subscript(writer, expr, d, beside);
    if (writer->crew) return arena_printf(writer->arena, "%s[%s]", writer_places(writer, expr->var, d), plain_subscript(writer, expr, d, OP_OR));
    if (shift == NULL) return arena_printf(writer->arena, "hp5_place_of(&%s, %s)", writer_places(writer, expr->var, d), plain_subscript(writer, expr, d, OP_ADD));
    return arena_printf(writer->arena, beside == OP_MUL ? "(%s + %s)" : "%s + %s", plain_subscript(writer, expr, d, OP_ADD), shift);
}

static bool starts_at_origin(const Writer *writer, const Var *array) {
    for (size_t i = 0; i < writer->from_origin.count; i++)
        if (writer->from_origin.items[i] == array) return true;
    return false;
}

char *writer_element_place(Writer *writer, const Expr *expr) {
    char *text = arena_strdup(writer->arena, "");
    int rank = (int)expr->arguments.count;
    for (int k = 0; k + 1 < rank; k++) {
        int d = writer_dimension(writer, expr->var, k);
        text = arena_printf(writer->arena, "%s%s * %s + ", text, subscript(writer, expr, d, OP_MUL), writer_ld(writer, expr->var, d));
    }
    int fastest = writer_dimension(writer, expr->var, rank - 1);
    if (starts_at_origin(writer, expr->var))
        return arena_printf(writer->arena, "%s%s", text, subscript(writer, expr, fastest, OP_ADD));
    return arena_printf(writer->arena, "%s%s - %s", text, subscript(writer, expr, fastest, OP_ADD),
                        part_of_name(writer, expr->var, "origin"));
}

/* ---- Fields that lie apart ------------------------------------------------------------------------- */

static const char *field_name(const Writer *writer, const Var *array, int lag, int field) {
    for (size_t i = 0; i < writer->field_names.count; i++) {
        const FieldName *name = &writer->field_names.items[i];
        if (name->array == array && name->lag == lag && name->field == field) return name->name;
    }
    internal_error("emit", "field %d of %s has no pointer in the stage", field, array->name);
}

static const char *member(Writer *writer, const Type *type, size_t field) {
    Var name = {.name = type->fields.items[field].name};
    return emit_symbol(writer->emit, &name);
}

/* In text that has no pointers to elements. */
static const char *peeked_field(Writer *writer, const Expr *field) {
    const Expr *element = field->left;
    const Type *type = element->var->type->element;
    const char *c_type = emit_storage_type(writer->emit, type->fields.items[field->field].type), *indices = "";
    for (size_t d = 0; d < element->arguments.count; d++)
        indices = arena_printf(writer->arena, "%s%s%s", indices, d > 0 ? ", " : "", writer_expr(writer, element->arguments.items[d]));
    return arena_printf(writer->arena, "(*(const %s *)hp5_cost_peek_field(%s_view, %d, (const int64_t[]){%s}, offsetof(%s, %s), sizeof(%s)))", c_type,
                        emit_symbol(writer->emit, element->var), element->lag, indices, emit_type(writer->emit, type), member(writer, type, field->field), c_type);
}

const char *writer_split_field(Writer *writer, const Expr *field) {
    const Expr *element = field->left;
    if (writer->names.peeks) return peeked_field(writer, field);
    return arena_printf(writer->arena, "%s[%s]", field_name(writer, element->var, element->lag, field->field),
                        writer_element_place(writer, element));
}

static char *gathered(Writer *writer, const Expr *element, const char *place) {
    const Type *type = element->var->type->element;
    char *text = arena_printf(writer->arena, "(%s){", emit_type(writer->emit, type));
    for (size_t f = 0; f < type->fields.count; f++)
        text = arena_printf(writer->arena, "%s%s.%s = %s[%s]", text, f > 0 ? ", " : "", member(writer, type, f),
                            field_name(writer, element->var, element->lag, (int)f), place);
    return arena_printf(writer->arena, "%s}", text);
}

const char *writer_split_element(Writer *writer, const Expr *element) {
    const char *place = writer_element_place(writer, element);
    bool effect = false;
    for (size_t d = 0; d < element->arguments.count; d++) effect |= lower_expr_has_effect(element->arguments.items[d]);
    if (!effect) return gathered(writer, element, place);
    size_t mark = writer->scope.count;
    const char *once = writer_fresh(writer, arena_printf(writer->arena, "%s_place", emit_symbol(writer->emit, element->var)));
    writer->scope.count = mark;
    return arena_printf(writer->arena, "({ const int64_t %s = %s; %s; })", once, place, gathered(writer, element, once));
}

bool writer_is_split(const Writer *writer, const Expr *place) {
    return writer->use && place->kind == EXPR_ELEMENT && layout_of(writer, place->var).split;
}

void writer_split_assign(Writer *writer, const Expr *target, const char *value, int indent) {
    const Type *type = target->var->type->element;
    const char *symbol = emit_symbol(writer->emit, target->var);
    size_t mark = writer->scope.count;
    const char *place = writer_fresh(writer, arena_printf(writer->arena, "%s_place", symbol));
    const char *element = writer_fresh(writer, arena_printf(writer->arena, "%s_value", symbol));
    writer_line(writer, indent, "{");
    writer_line(writer, indent + 4, "const int64_t %s = %s;", place, writer_element_place(writer, target));
    writer_line(writer, indent + 4, "const %s %s = %s;", emit_type(writer->emit, type), element, value);
    for (size_t f = 0; f < type->fields.count; f++)
        writer_line(writer, indent + 4, "%s[%s] = %s.%s;", field_name(writer, target->var, target->lag, (int)f), place, element,
                    member(writer, type, f));
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}

/* ---- Pointers ------------------------------------------------------------------------------------------ */

/* What memory of a card begins at multiples of, whatever a mapping asks for. */
enum { CARD_ALIGN = 256 };

static const char *pointer(Writer *writer, const Formal *formal, const char *c_type, bool constant, const char *name,
                           const char *bytes) {
    const char *qualifier = constant ? "const " : "", *star = c_type[strlen(c_type) - 1] == '*' ? "*" : " *";
    const int64_t align = writer->crew && formal->layout.align > CARD_ALIGN ? CARD_ALIGN : formal->layout.align;
    if (align > 0) bytes = arena_printf(writer->arena, "__builtin_assume_aligned(%s, %lld)", bytes, (long long)align);
    return arena_printf(writer->arena, "%s%s%s%s%s = (%s%s%s)%s;", qualifier, c_type, star, formal->restricted ? "restrict " : "",
                        name, qualifier, c_type, star, bytes);
}

typedef struct Fields {
    const Var *array;
    int lag;
    bool *used;
    const Expr *of_field; /* the element of the field that has just been seen */
    size_t count;
} Fields;

static void find_field(void *data, const Expr *expr) {
    Fields *fields = data;
    const Expr *element = expr->kind == EXPR_FIELD ? expr->left : expr;
    if (element->kind != EXPR_ELEMENT || element->var != fields->array || element->lag != fields->lag) return;
    if (expr->kind == EXPR_FIELD) {
        fields->used[expr->field] = true;
        fields->of_field = element;
    } else if (element != fields->of_field) {
        for (size_t f = 0; f < fields->count; f++) fields->used[f] = true;
    }
}

/* One pointer for each field that the body uses. */
static void print_split_pointers(Writer *writer, const Formal *formal, int lag) {
    const Type *type = formal->var->type->element;
    Fields fields = {formal->var, lag, ARENA_ARRAY(writer->arena, bool, type->fields.count + 1), NULL, type->fields.count};
    lower_walk_block(&(Walk){find_field, NULL, &fields}, &writer->body->block);
    const char *symbol = emit_symbol(writer->emit, formal->var);
    bool constant = !formal->written || lag > 0;
    for (size_t f = 0; f < type->fields.count; f++) {
        if (!fields.used[f]) continue;
        const char *stem = lag == 0 ? symbol : arena_printf(writer->arena, "%s_%d", symbol, lag);
        const char *name = writer_fresh(writer, arena_printf(writer->arena, "%s_%s", stem, member(writer, type, f)));
        vec_push(writer->arena, &writer->field_names, ((FieldName){formal->var, lag, (int)f, name}));
        const char *bytes = arena_printf(writer->arena, "(%s_view->store->version[%d] + %s_view->store->capacity * (int64_t)offsetof(%s, %s))",
                                         symbol, lag, symbol, emit_type(writer->emit, type), member(writer, type, f));
        writer_line(writer, 4, "%s", pointer(writer, formal, emit_storage_type(writer->emit, type->fields.items[f].type), constant, name, bytes));
    }
}

void writer_array_pointer(Writer *writer, const Formal *formal, int lag, const char *name) {
    if (formal->layout.split) {
        print_split_pointers(writer, formal, lag);
        return;
    }
    const char *c_type = emit_storage_type(writer->emit, formal->var->type->element);
    const char *bytes = arena_printf(writer->arena, "%s_view->store->version[%d]", emit_symbol(writer->emit, formal->var), lag);
    writer_line(writer, 4, "%s", pointer(writer, formal, c_type, !formal->written || lag > 0, name, bytes));
}
