/* What lanes read for nothing. Loops under a condition that holds for some of the lanes (stage_lanes.c) set locals alone. Where these are of the condition's own, lanes for which
 * it does not hold may compute what they like: they need no masks in the loop, which would keep C compilers from holding locals in registers, if memory has the elements
 * that are their own:
 *
 *     if (held > HP5_ALONE && hp5_holds(x_view, 0, i_first) && hp5_holds(x_view, 0, i_first + HP5_NEIGHBOURS - 1)) {
 *
 * Elements that all lanes share are read by those for which it holds, too. */
#include "compiler/emit/cpu/stage.h"
#include "compiler/lower/lane_values.h"
#include "compiler/lower/passes.h"

typedef struct Guard { Writer *writer; const Block *block; LaneValues values; bool open; const char *all; VEC(const Expr *) seen; } Guard;

static bool is_seen(const Guard *guard, const Expr *element) {
    for (size_t i = 0; i < guard->seen.count; i++)
        if (lower_expr_equal(guard->seen.items[i], element)) return true;
    return false;
}

/* Of the lanes' own index itself, and otherwise of subscripts that they share. */
static void check_element(Guard *guard, const Expr *element) {
    Writer *writer = guard->writer;
    const Formal *formal = lower_formal(writer->use, element->var);
    if (lower_is_shared(&guard->values, element) || is_seen(guard, element)) return;
    vec_push(writer->arena, &guard->seen, element);
    guard->open = guard->open && formal && formal->kind == FORMAL_VIEW && !formal->written && !writer->use->tables && element->lag == 0;
    for (size_t d = 0; d < element->arguments.count && guard->open; d++) {
        const Expr *subscript = element->arguments.items[d];
        if (lower_is_shared(&guard->values, subscript)) continue;
        guard->open = subscript->kind == EXPR_VAR && subscript->var == guard->values.index && !formal->gaps[d];
        const char *view = writer_view(writer, element->var), *first = writer->lanes.first;
        if (guard->open) guard->all = arena_printf(writer->arena, "%s && hp5_holds(%s, %zu, %s) && hp5_holds(%s, %zu, %s + %s - 1)", guard->all, view, d, first, view, d, first, writer->lanes.count);
    }
}

static void check_expr(void *data, const Expr *expr) {
    Guard *guard = data;
    const bool divides = expr->kind == EXPR_BINARY && (expr->op == OP_DIV || expr->op == OP_MOD) && expr->type->kind == TYPE_INTEGER;
    guard->open = guard->open && expr->kind != EXPR_CALL && (!divides || (expr->right->kind == EXPR_INTEGER && expr->right->integer > 0));
    if (expr->kind == EXPR_ELEMENT && guard->open) check_element(guard, expr);
}

static void check_stmt(void *data, const Stmt *stmt) {
    Guard *guard = data;
    if (stmt->kind == STMT_ASSIGN) guard->open = guard->open && stmt->target->kind == EXPR_VAR && lower_is_local_of(guard->block, stmt->target->var);
}

const char *writer_open_lanes(Writer *writer, const Block *block) {
    const WriterLanes *lanes = &writer->lanes;
    Guard guard = {.writer = writer, .block = block, .open = true, .all = "",
                   .values = {.use = writer->use, .body = &lanes->nest->stmt->body, .index = lanes->index, .ragged = &lanes->nest->lanes.ragged, .shared = &lanes->shared}};
    for (size_t i = 0; i < block->statements.count; i++) {
        const StmtKind kind = block->statements.items[i]->kind;
        if (kind == STMT_SEQUENCE || kind == STMT_PARALLEL) lower_walk_block(&(Walk){check_expr, check_stmt, &guard}, &block->statements.items[i]->body);
    }
    return guard.open ? guard.all : NULL;
}

Expr *writer_lane_expr(Writer *writer, Expr expr) {
    Expr *made = ARENA_NEW(writer->arena, Expr);
    *made = expr;
    return made;
}

Block writer_where(Writer *writer, Expr *holds, const Block *block) {
    Stmt *condition = ARENA_NEW(writer->arena, Stmt);
    *condition = (Stmt){.kind = STMT_IF, .span = block->span, .value = holds, .body = *block};
    Block where = {.span = block->span};
    vec_push(writer->arena, &where.statements, condition);
    return where;
}
