/* The order in which operands are evaluated. HP5 evaluates from left to right, and a function may change what it is given by
 * reference; C leaves the order open. Where it makes a difference, operands go through variables (a GNU statement expression):
 *
 *     w = v + next(v)        w = ({ int64_t hp5_operand_1 = v; int64_t hp5_operand_2 = next(&v); hp5_operand_1 + hp5_operand_2; });
 *
 * An assignment computes the value, then the subscripts of its target; x = x + a * b looks at its target first. */
#include "compiler/emit/program/writer.h"

/* ---- What may change something ------------------------------------------------------------------- */
/* Most programs have no such function, and nothing to look for. */
static bool any_changes_something(Emit *emit) {
    const Program *program = emit->plan ? emit->plan->program : NULL;
    for (size_t i = 0; program && emit->effects == EFFECTS_UNKNOWN && i < program->functions.count; i++)
        if (program->functions.items[i]->changes_something) emit->effects = EFFECTS_SOME;
    if (emit->effects == EFFECTS_UNKNOWN) emit->effects = EFFECTS_NONE;
    return emit->effects == EFFECTS_SOME;
}

static void find_call(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_CALL && expr->function->changes_something; }

static bool has_call(const Expr *expr) {
    bool found = false;
    lower_walk_expr(&(Walk){find_call, NULL, &found}, expr);
    return found;
}

bool emit_changes_something(Emit *emit, const Expr *expr) { return any_changes_something(emit) && has_call(expr); }

/* ---- Operands ----------------------------------------------------------------------------------------- */
typedef struct Order { Emit *emit; const EmitNames *names; Text *before; const char *end; int indent; int operands, calls; } Order;

static bool is_constant(const Expr *expr) {
    switch (expr->kind) {
    case EXPR_INTEGER: case EXPR_REAL: case EXPR_BOOLEAN: case EXPR_CHARACTER: case EXPR_STRING: case EXPR_LPU_ID: case EXPR_DIM_RANGE:
        return true;
    case EXPR_VAR: return expr->var->kind == VAR_INDEX || expr->var->kind == VAR_PARTITION;
    default: return false;
    }
}

/* With names: the operand's value goes into a variable, and stands for it; without: the operand is counted. */
static void take(Order *order, Expr **operand) {
    if (*operand == NULL || is_constant(*operand)) return;
    order->operands++;
    order->calls += has_call(*operand);
    if (!order->names) return;
    Arena *arena = order->emit->arena;
    Expr *value = *operand, *stand_in = ARENA_NEW(arena, Expr);
    Var *var = ARENA_NEW(arena, Var);
    *var = (Var){.kind = VAR_COORDINATOR, .type = value->type, .id = -1};
    var->name = arena_printf(arena, "hp5_operand_%d", ++order->emit->operands);
    *stand_in = (Expr){.kind = EXPR_VAR, .type = value->type, .span = value->span, .var = var};
    Text text = {0};
    emit_expr(order->emit, order->names, value, &text);
    text_indent(order->before, order->indent);
    text_printf(order->before, "%s = %s;%s", emit_declarator(arena, emit_type(order->emit, value->type), var->name), text.data, order->end);
    text_free(&text);
    *operand = stand_in;
}

static void take_all(Order *order, ExprVec *operands) {
    ExprVec taken = {0};
    for (size_t i = 0; i < operands->count; i++) {
        Expr *operand = operands->items[i];
        take(order, &operand);
        vec_push(order->emit->arena, &taken, operand);
    }
    *operands = taken;
}

/* The subscripts of a place, from its root on. */
static Expr *take_subscripts(Order *order, const Expr *place) {
    Expr *copy = ARENA_NEW(order->emit->arena, Expr);
    *copy = *place;
    bool inner = place->kind == EXPR_AT_INDEX || place->kind == EXPR_FIELD || place->kind == EXPR_RANGE_PART;
    if (inner && place->left) copy->left = take_subscripts(order, place->left);
    if (place->kind == EXPR_ELEMENT || place->kind == EXPR_AT_INDEX) take_all(order, &copy->arguments);
    return copy;
}

static void take_arguments(Order *order, Expr *call) {
    ExprVec taken = {0};
    for (size_t i = 0; i < call->arguments.count; i++) {
        Expr *argument = call->arguments.items[i];
        if (call->function->body.params.items[i]->by_reference) argument = take_subscripts(order, argument);
        else take(order, &argument);
        vec_push(order->emit->arena, &taken, argument);
    }
    call->arguments = taken;
}

/* A copy of the expression whose operands have been taken. */
static Expr *take_operands(Order *order, const Expr *expr) {
    if (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_AT_INDEX) return take_subscripts(order, expr);
    Expr *copy = ARENA_NEW(order->emit->arena, Expr);
    *copy = *expr;
    switch (expr->kind) {
    case EXPR_BINARY:
        if (expr->op == OP_AND || expr->op == OP_OR) break; /* C evaluates them in order */
        take(order, &copy->left);
        take(order, &copy->right);
        break;
    case EXPR_IN: case EXPR_RANGE:
        take(order, &copy->left);
        take(order, &copy->right);
        break;
    case EXPR_MATH: case EXPR_NEW_STRUCT: take_all(order, &copy->arguments); break;
    case EXPR_CALL: take_arguments(order, copy); break;
    default: break;
    }
    return copy;
}

/* ---- For the printers --------------------------------------------------------------------------------------- */
char *emit_in_order(Emit *emit, const EmitNames *names, const Expr *expr) {
    if (!any_changes_something(emit)) return NULL;
    Order order = {.emit = emit};
    take_operands(&order, expr);
    if (order.calls == 0 || order.operands < 2) return NULL;
    Text text = {0};
    text_append(&text, "({ ");
    order.names = names;
    order.before = &text;
    order.end = " ";
    const Expr *ordered = take_operands(&order, expr);
    emit_expr(emit, names, ordered, &text);
    text_append(&text, "; })");
    char *result = arena_strdup(emit->arena, text.data);
    text_free(&text);
    return result;
}

ExprVec emit_values_in_order(Emit *emit, const EmitNames *names, const ExprVec *values, Text *before) {
    ExprVec taken = *values;
    Order order = {.emit = emit, .before = before, .end = " "};
    if (any_changes_something(emit)) take_all(&order, &taken);
    if (order.calls == 0 || order.operands < 2) return *values;
    order.names = names;
    taken = *values;
    take_all(&order, &taken);
    return taken;
}

static Order statements(Writer *writer, int indent) {
    return (Order){.emit = writer->emit, .names = &writer->names, .before = writer->out, .end = "\n", .indent = indent};
}

const Stmt *writer_assign_in_order(Writer *writer, const Stmt *stmt, const Expr **addend, int indent) {
    Emit *emit = writer->emit;
    *addend = stmt->target;
    if (!any_changes_something(emit)) return stmt;
    Order counted = {.emit = emit};
    take_subscripts(&counted, stmt->target);
    const bool sum = stmt->accumulate != ACCUMULATE_NONE;
    bool calls = counted.calls > 0 || has_call(stmt->value);
    if (!calls || (!sum && counted.operands == 0)) return stmt;
    Stmt *ordered = ARENA_NEW(writer->arena, Stmt);
    *ordered = *stmt;
    Order order = statements(writer, indent);
    if (!sum) take(&order, &ordered->value);
    ordered->target = take_subscripts(&order, stmt->target);
    if (!sum) return ordered;
    Expr *before = ordered->target;
    take(&order, &before);
    take(&order, &ordered->factor_a);
    take(&order, &ordered->factor_b);
    *addend = before;
    return ordered;
}
