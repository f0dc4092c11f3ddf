/* Expressions and places. An expression's static type says which field of its Value is meant;
 * a struct or static array is a pointer to its bytes, which the consumer copies.
 *
 * Every operation is done once, in the precision of its type, in the order written. */
#include "compiler/interpret/internal.h"
#include "runtime/array/arithmetic.h"
#include "runtime/math/math.h"
#include <math.h>
#include <string.h>

/* ---- Operators ------------------------------------------------------------------ */

__attribute__((noreturn)) static void fail_overflow(Machine *m, const Expr *e, int64_t a, int64_t b) {
    machine_fail(m, e->span, "Integer overflow: %lld %s %lld", (long long)a, operator_text(e->op), (long long)b);
}

static int64_t integer_power(Machine *m, const Expr *e, int64_t a, int64_t b) {
    bool wrapped = false, zero = false;
    int64_t result = hp5_power_integer_flags(a, b, &wrapped, &zero);
    if (zero) machine_fail(m, e->span, "Integer division by zero (0 ** %lld)", (long long)b);
    if (wrapped) fail_overflow(m, e, a, b);
    return result;
}

static int64_t integer_divide(Machine *m, const Expr *e, int64_t a, int64_t b) {
    bool remainder = e->op == OP_MOD;
    if (b == 0) machine_fail(m, e->span, "Integer division by zero%s", remainder ? " (remainder)" : "");
    if (b == -1) {
        if (remainder) return 0;
        if (a == INT64_MIN) fail_overflow(m, e, a, b);
    }
    return remainder ? a % b : a / b;
}

static int64_t integer_operation(Machine *m, const Expr *e, int64_t a, int64_t b) {
    int64_t result = 0;
    bool wrapped = false;
    switch (e->op) {
    case OP_ADD: wrapped = __builtin_add_overflow(a, b, &result); break;
    case OP_SUB: wrapped = __builtin_sub_overflow(a, b, &result); break;
    case OP_MUL: wrapped = __builtin_mul_overflow(a, b, &result); break;
    case OP_DIV: case OP_MOD: return integer_divide(m, e, a, b);
    case OP_POW: return integer_power(m, e, a, b);
    case OP_BITOR: return a | b;
    case OP_BITXOR: return a ^ b;
    case OP_BITAND: return a & b;
    case OP_SHL: return hp5_shift_left(a, b);
    case OP_SHR: return hp5_shift_right(a, b);
    case OP_EQ: return a == b;
    case OP_NE: return a != b;
    case OP_LT: return a < b;
    case OP_GT: return a > b;
    case OP_LE: return a <= b;
    case OP_GE: return a >= b;
    default: internal_error("interpret", "operator %s on Integers", operator_text(e->op));
    }
    if (wrapped) fail_overflow(m, e, a, b);
    return result;
}

/* Reals of one precision: TYPE with the Value field FIELD. */
#define REAL_OPERATION(NAME, TYPE, FIELD, POWER, REMAINDER)                                        \
    static Value NAME(const Expr *e, TYPE a, TYPE b) {                                             \
        switch (e->op) {                                                                           \
        case OP_ADD: return (Value){.FIELD = a + b};                                               \
        case OP_SUB: return (Value){.FIELD = a - b};                                               \
        case OP_MUL: return (Value){.FIELD = a * b};                                               \
        case OP_DIV: return (Value){.FIELD = a / b};                                               \
        case OP_MOD: return (Value){.FIELD = REMAINDER(a, b)};                                     \
        case OP_POW: return (Value){.FIELD = POWER(a, b)};                                         \
        case OP_EQ: return (Value){.integer = a == b};                                             \
        case OP_NE: return (Value){.integer = a != b};                                             \
        case OP_LT: return (Value){.integer = a < b};                                              \
        case OP_GT: return (Value){.integer = a > b};                                              \
        case OP_LE: return (Value){.integer = a <= b};                                             \
        case OP_GE: return (Value){.integer = a >= b};                                             \
        default: internal_error("interpret", "operator %s on Reals", operator_text(e->op));        \
        }                                                                                          \
    }
REAL_OPERATION(double_operation, double, real, hp5_pow, fmod)
REAL_OPERATION(single_operation, float, single, hp5_powf, fmodf)

static Value compare_strings(const Expr *e, const char *a, const char *b) {
    int order = strcmp(a != NULL ? a : "", b != NULL ? b : "");
    switch (e->op) {
    case OP_EQ: return (Value){.integer = order == 0};
    case OP_NE: return (Value){.integer = order != 0};
    case OP_LT: return (Value){.integer = order < 0};
    case OP_GT: return (Value){.integer = order > 0};
    case OP_LE: return (Value){.integer = order <= 0};
    case OP_GE: return (Value){.integer = order >= 0};
    default: internal_error("interpret", "operator %s on Strings", operator_text(e->op));
    }
}

static Value binary(Machine *m, const Expr *e) {
    Value a = eval(m, e->left);
    if (e->op == OP_AND && !a.integer) return (Value){.integer = 0};
    if (e->op == OP_OR && a.integer) return (Value){.integer = 1};
    Value b = eval(m, e->right);
    if (e->op == OP_AND || e->op == OP_OR) return (Value){.integer = b.integer != 0};
    TypeKind kind = e->left->type->kind;
    switch (kind) {
    case TYPE_REAL_DOUBLE:
        if (e->op == OP_POW && e->right->type->kind == TYPE_INTEGER)
            return (Value){.real = hp5_power_real(a.real, b.integer)};
        return double_operation(e, a.real, b.real);
    case TYPE_REAL_SINGLE:
        if (e->op == OP_POW && e->right->type->kind == TYPE_INTEGER)
            return (Value){.single = hp5_power_single(a.single, b.integer)};
        return single_operation(e, a.single, b.single);
    case TYPE_STRING: return compare_strings(e, a.string, b.string);
    case TYPE_RANGE: {
        bool equal = a.range.min == b.range.min && a.range.max == b.range.max;
        return (Value){.integer = equal == (e->op == OP_EQ)};
    }
    default: return (Value){.integer = integer_operation(m, e, a.integer, b.integer)};
    }
}

static Value unary(Machine *m, const Expr *e) {
    Value a = eval(m, e->left);
    if (e->op == OP_NOT) return (Value){.integer = !a.integer};
    switch (e->type->kind) {
    case TYPE_REAL_DOUBLE: return (Value){.real = -a.real};
    case TYPE_REAL_SINGLE: return (Value){.single = -a.single};
    default:
        if (a.integer == INT64_MIN) machine_fail(m, e->span, "Integer overflow: -(%lld)", (long long)a.integer);
        return (Value){.integer = -a.integer};
    }
}

static Value convert(Machine *m, const Expr *e) {
    Value a = eval(m, e->left);
    TypeKind from = e->left->type->kind, to = e->type->kind;
    if (from == to) return a;
    bool from_real = type_is_real(e->left->type);
    double real = from == TYPE_REAL_DOUBLE ? a.real : from == TYPE_REAL_SINGLE ? (double)a.single : 0.0;
    if (to == TYPE_REAL_DOUBLE) return (Value){.real = from_real ? real : (double)a.integer};
    if (to == TYPE_REAL_SINGLE) return (Value){.single = from_real ? (float)real : (float)a.integer};
    if (!from_real) return to == TYPE_BOOLEAN ? (Value){.integer = a.integer != 0} : a;
    if (!hp5_real_fits_integer(real)) machine_fail(m, e->span, "%g does not fit an Integer", real);
    return (Value){.integer = hp5_integer_from_real(real)};
}

/* ---- Variables -------------------------------------------------------------------- */

Value load_place(Machine *m, const Place *place, const char *name, Span span) {
    return memory_load(m, place->address, place->type, name, span);
}

static Place variable_place(Machine *m, const Expr *e) {
    const Var *var = e->var, *global = element_global(m, var);
    Place place = {.type = var->type, .var = var, .lag = e->lag};
    if (global != NULL && global->kind == VAR_GLOBAL) {
        place.instance = scalar_instance(m, global, e->span);
        place.type = global->type;
        place.address = place.instance->data + (size_t)e->lag * place.instance->size;
    } else if (var->kind == VAR_PARTITION) {
        place.address = (unsigned char *)&m->execution->partition[var->id];
    } else {
        place.address = m->frame->address[var->id];
    }
    return place;
}

static Value variable(Machine *m, const Expr *e) {
    const Var *var = e->var;
    if (var->kind == VAR_INDEX) { /* always has a value */
        Value value;
        memcpy(&value.integer, m->frame->address[var->id], sizeof value.integer);
        return value;
    }
    if (var->kind == VAR_PARTITION) return (Value){.integer = m->execution->partition[var->id]};
    if (var->kind != VAR_GLOBAL && e->lag == 0)
        return memory_load(m, m->frame->address[var->id], var->type, var->name, e->span);
    Place place = variable_place(m, e);
    return load_place(m, &place, var->name, e->span);
}

/* ---- Compound values ------------------------------------------------------------------ */

/* Byte offset of an element of a static array, bounds checked. */
static size_t static_offset(Machine *m, const Expr *e, const Type *type) {
    int64_t position = 0;
    for (int d = 0; d < type->rank; d++) {
        int64_t index = eval_integer(m, e->arguments.items[d]);
        if (index < 0 || index >= type->extents[d])
            machine_fail(m, e->span, "index %lld lies outside the static array, whose indices are [0...%lld]",
                         (long long)index, (long long)type->extents[d] - 1);
        position = position * type->extents[d] + index;
    }
    return (size_t)position * memory_size(m, type->element);
}

/* A list grows when the element just after its last is assigned (`grow`). */
static unsigned char *list_element(Machine *m, const Expr *e, ListValue *list, bool grow) {
    int64_t index = eval_integer(m, e->arguments.items[0]);
    int64_t count = list == NULL ? 0 : list->count;
    if (list == NULL || index < 0 || index > count || (index == count && !grow))
        machine_fail(m, e->span, "index %lld lies outside the list, which has %lld element%s", (long long)index,
                     (long long)count, count == 1 ? "" : "s");
    size_t size = memory_size(m, list->element);
    if (index == count) {
        if (count == list->capacity) {
            int64_t capacity = count < 8 ? 8 : 2 * count;
            unsigned char *data = arena_alloc(m->arena, (size_t)capacity * size);
            if (count > 0) memcpy(data, list->data, (size_t)count * size);
            list->data = data;
            list->capacity = capacity;
        }
        list->count++;
    }
    return list->data + (size_t)index * size;
}

static Place at_index_place(Machine *m, const Expr *e) {
    Place place = eval_place(m, e->left);
    const Type *type = place.type;
    if (type->kind == TYPE_LIST) {
        ListValue *list = load_place(m, &place, "list", e->span).pointer;
        return (Place){.address = list_element(m, e, list, true), .type = type->element};
    }
    place.address += static_offset(m, e, type);
    place.type = type->element;
    return place;
}

static Value at_index(Machine *m, const Expr *e) {
    const Type *type = e->left->type;
    unsigned char *base = eval(m, e->left).pointer;
    if (type->kind == TYPE_LIST)
        return memory_load(m, list_element(m, e, (ListValue *)(void *)base, false), type->element, "element", e->span);
    return memory_load(m, base + static_offset(m, e, type), type->element, "element", e->span);
}

static Value field(Machine *m, const Expr *e) {
    const Type *type = e->left->type;
    unsigned char *base = eval(m, e->left).pointer;
    const StructField *of = &type->fields.items[e->field];
    return memory_load(m, base + memory_field_offset(m, type, e->field), of->type, of->name, e->span);
}

Place eval_place(Machine *m, const Expr *e) {
    Place place;
    switch (e->kind) {
    case EXPR_VAR: return variable_place(m, e);
    case EXPR_ELEMENT: return element_place(m, e);
    case EXPR_AT_INDEX: return at_index_place(m, e);
    case EXPR_FIELD:
        place = eval_place(m, e->left);
        place.address += memory_field_offset(m, place.type, e->field);
        place.type = place.type->fields.items[e->field].type;
        return place;
    case EXPR_RANGE_PART:
        place = eval_place(m, e->left);
        place.address += e->part == RANGE_MAX ? sizeof(int64_t) : 0;
        place.type = e->type;
        return place;
    default: internal_error("interpret", "expression kind %d is no place", (int)e->kind);
    }
}

static Value new_struct(Machine *m, const Expr *e) {
    unsigned char *bytes = memory_push(m, memory_size(m, e->type), true);
    for (size_t i = 0; i < e->arguments.count; i++) {
        const Expr *initial = e->arguments.items[i];
        if (initial == NULL) continue;
        const Type *type = e->type->fields.items[i].type;
        memory_store(m, bytes + memory_field_offset(m, e->type, (int)i), type, eval(m, initial), initial->span);
    }
    return (Value){.pointer = bytes};
}

/* ---- Ranges -------------------------------------------------------------------------------- */

static Hp5Set declared_bounds(Machine *m, const Expr *e, const Var *global) {
    const Bounds *bounds = &m->execution->bounds[global->id];
    int d = e->dimension;
    if (!bounds->has_min[d] || !bounds->has_max[d])
        machine_fail(m, e->span, "the bounds of dimension %d of '%s' are used before they are set", d + 1, global->name);
    return hp5_interval(bounds->min[d], bounds->max[d] + 1);
}

Hp5Set dim_range_set(Machine *m, const Expr *e) {
    const Var *global = element_global(m, e->var);
    if (global->kind == VAR_GLOBAL && m->lpu == NULL) return declared_bounds(m, e, global);
    Part *part = element_part(m, e->var, e->span);
    if (e->local || part->root == NULL) return part->sets[e->dimension];
    return part->root->sets[e->dimension];
}

/* One end of a dimension in Initialize, where the other may not be set yet; false when `e` is none. */
static bool declared_end(Machine *m, const Expr *e, Value *value) {
    if (e->left->kind != EXPR_DIM_RANGE || e->part == RANGE_LENGTH || m->lpu != NULL) return false;
    const Var *global = element_global(m, e->left->var);
    if (global->kind != VAR_GLOBAL) return false;
    const Bounds *bounds = &m->execution->bounds[global->id];
    int d = e->left->dimension;
    bool minimum = e->part == RANGE_MIN;
    if (minimum ? !bounds->has_min[d] : !bounds->has_max[d])
        machine_fail(m, e->span, "the %s of dimension %d of '%s' is used before it is set", minimum ? "min" : "max", d + 1, global->name);
    value->integer = minimum ? bounds->min[d] : bounds->max[d];
    return true;
}

static Value range_part(Machine *m, const Expr *e) {
    Value end;
    if (declared_end(m, e, &end)) return end;
    Value value = eval(m, e->left);
    int64_t min = value.range.min, max = value.range.max;
    if (e->part == RANGE_MIN) return (Value){.integer = min};
    if (e->part == RANGE_MAX) return (Value){.integer = max};
    if (max < min) return (Value){.integer = 0};
    int64_t length;
    if (__builtin_sub_overflow(max, min, &length) || __builtin_add_overflow(length, 1, &length))
        machine_fail(m, e->span, "Integer overflow: the length of [%lld...%lld]", (long long)min, (long long)max);
    return (Value){.integer = length};
}

static Value is_in(Machine *m, const Expr *e) {
    int64_t index = eval_integer(m, e->left);
    if (e->right->kind == EXPR_DIM_RANGE) {
        Hp5Set set = dim_range_set(m, e->right);
        return (Value){.integer = index >= set.begin && index < set.end && hp5_set_contains(&set, index)};
    }
    Value range = eval(m, e->right);
    return (Value){.integer = index >= range.range.min && index <= range.range.max};
}

static Value lpu_id(Machine *m, const Expr *e) {
    int64_t d = eval_integer(m, e->left);
    const Lpu *lpu = m->lpu;
    while (lpu->lps->sub_partition) lpu = lpu->parent;
    if (d < 0 || d >= lpu->lps->dims)
        machine_fail(m, e->span, "lpuId[%lld]: the Space has %d dimension%s, so the index must be from 0 to %d", (long long)d,
                     lpu->lps->dims, lpu->lps->dims == 1 ? "" : "s", lpu->lps->dims - 1);
    return (Value){.integer = lpu->coordinates[d]};
}

/* ---- Calls ------------------------------------------------------------------------------------ */

static bool is_compound(const Type *type) { return type->kind == TYPE_STRUCT || type->kind == TYPE_STATIC_ARRAY; }

/* Places passed by reference, to see afterwards which of them were written. */
typedef struct Passed { Place place; unsigned char *before; } Passed;

static void note_passed(Machine *m, const Passed *passed, size_t count, Span span) {
    for (size_t i = 0; i < count; i++) {
        const Place *place = &passed[i].place;
        if (passed[i].before != NULL && memcmp(passed[i].before, place->address, memory_size(m, place->type)) != 0)
            place_note_write(m, place, span);
    }
}

static Value call_function(Machine *m, const Expr *e) {
    const Body *body = &e->function->body;
    size_t count = body->params.count;
    unsigned char *buffer = is_compound(body->result) ? memory_push(m, memory_size(m, body->result), true) : NULL;
    size_t mark = m->top;
    Passed *passed = (Passed *)(void *)memory_push(m, sizeof *passed * (count + 1), true);
    Frame frame = memory_push_frame(m, body, false);
    for (size_t i = 0; i < count; i++) {
        const Var *param = body->params.items[i];
        const Expr *argument = e->arguments.items[i];
        if (!param->by_reference) {
            memory_store(m, frame.address[param->id], param->type, eval(m, argument), argument->span);
            continue;
        }
        Place place = passed[i].place = eval_place(m, argument);
        frame.address[param->id] = place.address;
        if (place.part == NULL && place.instance == NULL) continue;
        passed[i].before = memory_push(m, memory_size(m, place.type), true);
        memcpy(passed[i].before, place.address, memory_size(m, place.type));
    }
    Frame *caller = m->frame;
    LoopRun *loop = m->loop;
    m->frame = &frame;
    m->loop = NULL;
    Outcome outcome = run_block(m, &body->block);
    if (outcome != RETURNED && body->result->kind != TYPE_VOID)
        machine_fail(m, body->span, "function '%s' ends without returning a value", body->name);
    m->frame = caller;
    m->loop = loop;
    note_passed(m, passed, count, e->span);
    Value result = body->result->kind == TYPE_VOID ? (Value){0} : m->result;
    if (buffer != NULL) {
        memory_copy(m, buffer, result.pointer, memory_size(m, body->result));
        result.pointer = buffer;
    }
    m->top = mark;
    return result;
}

/* ---- All of them --------------------------------------------------------------------------------- */

Value eval(Machine *m, const Expr *e) {
    switch (e->kind) {
    case EXPR_INTEGER: case EXPR_BOOLEAN: case EXPR_CHARACTER: return (Value){.integer = e->integer};
    case EXPR_REAL:
        if (e->type->kind == TYPE_REAL_SINGLE) return (Value){.single = (float)e->real};
        return (Value){.real = e->real};
    case EXPR_STRING: return (Value){.string = e->text};
    case EXPR_VAR: return variable(m, e);
    case EXPR_ELEMENT: return element_value(m, e);
    case EXPR_AT_INDEX: return at_index(m, e);
    case EXPR_FIELD: return field(m, e);
    case EXPR_RANGE_PART: return range_part(m, e);
    case EXPR_RANGE: {
        Value value = {.range.min = eval_integer(m, e->left)};
        value.range.max = eval_integer(m, e->right);
        return value;
    }
    case EXPR_DIM_RANGE: {
        Hp5Set set = dim_range_set(m, e);
        return (Value){.range = {set.begin, set.end - 1}};
    }
    case EXPR_UNARY: return unary(m, e);
    case EXPR_BINARY: return binary(m, e);
    case EXPR_IN: return is_in(m, e);
    case EXPR_CONVERT: return convert(m, e);
    case EXPR_CALL: return call_function(m, e);
    case EXPR_MATH: return call_math(m, e);
    case EXPR_LPU_ID: return lpu_id(m, e);
    case EXPR_NEW_STRUCT: return new_struct(m, e);
    default: return eval_coordinator(m, e);
    }
}
