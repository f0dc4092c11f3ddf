/* If-conversion. In a sequential loop, branches that depend on data cost more than what they leave out when two or more stand in each round, as in
 * dynamic programming: processors guess wrong. C compilers keep a branch that stores an element. So
 *
 *     if (along - 1 > left - 5) { along = along - 1  way = way + 8 } else { along = left - 5 }
 *
 * is printed as
 *
 *     const bool holds_12 = along - 1 > left - 5;
 *     along = holds_12 ? along - 1 : left - 5;
 *     way = holds_12 ? way + 8 : way;
 *
 * where both sides can be computed whatever the condition says, and in this order.
 *
 * In vectors branches become masks by themselves, but for Booleans that keep their value on one side: gcc makes no vectors of a mask that is
 * chosen by another one. There
 *
 *     if (image[i][j + q] > here) { high = false }             high = high & !(image[i * image_ld1 + j + q] > here);
 *
 * and for sums under several conditions: it knows one under one. There
 *
 *     if (a[i] > 0) { both = both + 1                          const bool holds_30 = a[i] > 0;
 *         if (a[i] > b[i]) { more = more + 1 } }               both = both + holds_30;
 *                                                              const bool holds_31 = holds_30 && a[i] > b[i];
 *                                                              more = more + holds_31; */
#include "compiler/emit/backend.h"
#include "compiler/emit/program/writer.h"
#include "compiler/lower/passes.h"

/* What the branches assign, in order; a side that is NULL leaves it as it is. */
typedef struct Picked { const Expr *target, *then, *otherwise; } Picked;
typedef struct Picks { Arena *arena; const Block *round; VEC(Picked) items; } Picks;

/* ---- What costs little and cannot fail ------------------------------------------------------------------- */

static bool is_small(const Type *type) { return type->kind == TYPE_INTEGER || type->kind == TYPE_BOOLEAN || type->kind == TYPE_CHARACTER; }

/* The same element all through the round, which comes to it whatever conditions say. */
static bool is_there(const Picks *picks, const Expr *element) {
    for (size_t d = 0; d < element->arguments.count; d++) {
        const Expr *subscript = element->arguments.items[d];
        if (subscript->kind != EXPR_INTEGER && (subscript->kind != EXPR_VAR || lower_block_writes(picks->round, subscript->var) > 0)) return false;
    }
    return lower_is_touched(picks->round, element);
}

static bool is_cheap(Operator op) {
    switch (op) {
    case OP_ADD: case OP_SUB: case OP_MUL: case OP_BITAND: case OP_BITOR: case OP_BITXOR: return true;
    case OP_EQ: case OP_NE: case OP_LT: case OP_GT: case OP_LE: case OP_GE: return true;
    default: return false;
    }
}

static bool is_plain(const Picks *picks, const Expr *expr) {
    if (expr == NULL) return true;
    switch (expr->kind) {
    case EXPR_INTEGER: case EXPR_BOOLEAN: case EXPR_CHARACTER: return true;
    case EXPR_VAR: return expr->lag == 0 && is_small(expr->type);
    case EXPR_ELEMENT: return is_small(expr->type) && is_there(picks, expr);
    case EXPR_UNARY: return is_plain(picks, expr->left);
    case EXPR_BINARY:
        return is_cheap(expr->op) && is_plain(picks, expr->left) && is_plain(picks, expr->right);
    default: return false;
    }
}

/* ---- Assignments of the branches ------------------------------------------------------------------------- */

/* Whether one of those before changes what the expression reads. */
static bool reads_changed(const Picks *picks, size_t before, const Expr *expr) {
    for (size_t i = 0; expr != NULL && i < before; i++)
        if (lower_expr_mentions(expr, picks->items.items[i].target->var)) return true;
    return false;
}

static bool take_branch(Picks *picks, const Block *branch, bool then) {
    if (branch->locals.count > 0) return false;
    const size_t first = picks->items.count;
    for (size_t i = 0; i < branch->statements.count; i++) {
        const Stmt *stmt = branch->statements.items[i];
        if (stmt->kind != STMT_ASSIGN || stmt->accumulate != ACCUMULATE_NONE || !is_plain(picks, stmt->target) || !is_plain(picks, stmt->value)) return false;
        Picked *found = NULL;
        for (size_t p = 0; p < picks->items.count; p++)
            if (lower_expr_equal(picks->items.items[p].target, stmt->target)) found = &picks->items.items[p];
        if (found != NULL && (then || found->otherwise != NULL || found >= &picks->items.items[first])) return false;
        if (found != NULL) found->otherwise = stmt->value;
        else vec_push(picks->arena, &picks->items, ((Picked){stmt->target, then ? stmt->value : NULL, then ? NULL : stmt->value}));
    }
    return true;
}

/* Elements are stored on both sides; nothing else has their names. */
static bool may_be_target(const StageUse *use, const Picked *picked) {
    if (picked->target->kind == EXPR_VAR) return picked->target->var->kind == VAR_LOCAL;
    const Formal *formal = use == NULL || picked->target->kind != EXPR_ELEMENT ? NULL : lower_formal(use, picked->target->var);
    return formal != NULL && formal->kind == FORMAL_VIEW && formal->restricted && !formal->layout.split && picked->then != NULL && picked->otherwise != NULL;
}

static bool converts(Picks *picks, const StageUse *use, const Stmt *stmt) {
    picks->items.count = 0;
    if (stmt->kind != STMT_IF || lower_expr_has_effect(stmt->value) || !take_branch(picks, &stmt->body, true)) return false;
    if (stmt->otherwise != NULL && !take_branch(picks, stmt->otherwise, false)) return false;
    for (size_t i = 0; i < picks->items.count; i++) {
        const Picked *picked = &picks->items.items[i];
        if (!may_be_target(use, picked) || reads_changed(picks, i, picked->then) || reads_changed(picks, i, picked->otherwise)) return false;
    }
    return picks->items.count > 0;
}

/* ---- Whether to ------------------------------------------------------------------------------------------- */

static bool is_innermost(const Block *round) {
    for (size_t i = 0; i < round->statements.count; i++) {
        const StmtKind kind = round->statements.items[i]->kind;
        if (kind != STMT_ASSIGN && kind != STMT_IF && kind != STMT_BLOCK) return false;
    }
    return true;
}

bool writer_if_converts(Writer *writer, const Stmt *stmt, int indent) {
    const Block *round = writer->names.turn != NULL ? &writer->names.turn->body : NULL;
    const bool plain = round != NULL && writer->emit->backend != &backend_cuda && writer->use != NULL && !writer->strict && !writer->crew && !writer->names.in_vectors &&
                       !writer->emit->options.checked && writer->noted.count == 0 && is_innermost(round);
    Picks picks = {.arena = writer->arena, .round = round};
    size_t found = 0;
    bool own = false;
    for (size_t i = 0; plain && i < round->statements.count; i++) {
        if (!converts(&picks, writer->use, round->statements.items[i])) continue;
        found++;
        own |= round->statements.items[i] == stmt;
    }
    if (!own || found < 2) return false;
    converts(&picks, writer->use, stmt);
    const char *holds = writer_expr(writer, stmt->value);
    if (picks.items.count > 1) {
        const char *name = writer_fresh(writer, arena_printf(writer->arena, "holds_%d", emit_line(writer->emit, stmt->span)));
        writer_line(writer, indent, "const bool %s = %s;", name, holds);
        holds = name;
    }
    for (size_t i = 0; i < picks.items.count; i++) {
        const Picked *picked = &picks.items.items[i];
        if (picked->target->kind == EXPR_VAR && writer_is_unread(writer, picked->target->var)) continue;
        const char *target = picked->target->kind == EXPR_VAR ? writer_place(writer, picked->target) : writer_expr(writer, picked->target);
        const char *then = picked->then != NULL ? writer_expr(writer, picked->then) : target;
        writer_line(writer, indent, "%s = %s ? %s : %s;", target, holds, then, picked->otherwise != NULL ? writer_expr(writer, picked->otherwise) : target);
    }
    return true;
}

/* ---- In vectors: flags, and sums under conditions ------------------------------------------------------------- */

static bool sets_flag(const Stmt *stmt) {
    const Expr *target = stmt->target;
    return stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE && target->kind == EXPR_VAR && target->var->kind == VAR_LOCAL &&
           target->type->kind == TYPE_BOOLEAN && stmt->value->kind == EXPR_BOOLEAN;
}

static void print_flag(Writer *writer, const Stmt *stmt, const char *condition, int indent) {
    if (writer_is_unread(writer, stmt->target->var)) return;
    const char *flag = writer_place(writer, stmt->target);
    writer_line(writer, indent, stmt->value->integer ? "%s = %s | %s;" : "%s = %s & !%s;", flag, flag, condition);
}

static bool may_convert(const Writer *writer) {
    return writer->names.in_vectors && writer->emit->backend != &backend_cuda && !writer->emit->options.checked && !writer->strict && writer->noted.count == 0;
}

bool writer_sets_flags(Writer *writer, const Stmt *stmt, int indent) {
    if (!may_convert(writer) || lower_expr_has_effect(stmt->value) || stmt->body.statements.count == 0 || (stmt->otherwise && stmt->otherwise->statements.count > 0)) return false;
    for (size_t i = 0; i < stmt->body.statements.count; i++)
        if (!sets_flag(stmt->body.statements.items[i])) return false;
    const char *condition = arena_printf(writer->arena, "(%s)", writer_expr(writer, stmt->value));
    if (stmt->body.statements.count > 1) {
        const char *name = writer_fresh(writer, arena_printf(writer->arena, "holds_%d", emit_line(writer->emit, stmt->span)));
        writer_line(writer, indent, "const bool %s = %s;", name, condition);
        condition = name;
    }
    for (size_t i = 0; i < stmt->body.statements.count; i++) print_flag(writer, stmt->body.statements.items[i], condition, indent);
    return true;
}

static const Expr *added(const Stmt *stmt) {
    const Expr *value = stmt->value;
    const bool sum = stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE && stmt->target->kind == EXPR_VAR && stmt->target->var->kind == VAR_LOCAL &&
                     stmt->target->type->kind == TYPE_INTEGER && value->kind == EXPR_BINARY && value->op == OP_ADD && value->left->kind == EXPR_VAR &&
                     value->left->var == stmt->target->var;
    return sum && value->right->kind == EXPR_INTEGER ? value->right : NULL;
}

static bool conditions_mention(const Stmt *stmt, const Var *var) {
    if (stmt->kind != STMT_IF) return false;
    bool mention = lower_expr_mentions(stmt->value, var);
    for (size_t i = 0; i < stmt->body.statements.count; i++) mention = mention || conditions_mention(stmt->body.statements.items[i], var);
    return mention;
}

/* Sums of literals alone, under this condition and others inside of it, which none of them changes. */
static bool adds_alone(const Stmt *stmt, const Stmt *outermost) {
    if (stmt->kind != STMT_IF || lower_expr_has_effect(stmt->value) || stmt->body.locals.count > 0 || stmt->body.statements.count == 0) return false;
    if (stmt->otherwise != NULL && stmt->otherwise->statements.count > 0) return false;
    for (size_t i = 0; i < stmt->body.statements.count; i++) {
        const Stmt *inside = stmt->body.statements.items[i];
        const Expr *literal = added(inside);
        if (literal == NULL ? !adds_alone(inside, outermost) : conditions_mention(outermost, inside->target->var)) return false;
    }
    return true;
}

static bool has_inner_condition(const Stmt *stmt) {
    for (size_t i = 0; i < stmt->body.statements.count; i++)
        if (stmt->body.statements.items[i]->kind == STMT_IF) return true;
    return false;
}

static void print_sums(Writer *writer, const Stmt *stmt, const char *outer, int indent) {
    Arena *arena = writer->arena;
    const char *name = writer_fresh(writer, arena_printf(arena, "holds_%d", emit_line(writer->emit, stmt->span)));
    const char *condition = writer_expr(writer, stmt->value);
    writer_line(writer, indent, "const bool %s = %s;", name, outer == NULL ? condition : arena_printf(arena, "%s && (%s)", outer, condition));
    for (size_t i = 0; i < stmt->body.statements.count; i++) {
        const Stmt *inside = stmt->body.statements.items[i];
        const Expr *literal = added(inside);
        if (literal == NULL) {
            print_sums(writer, inside, name, indent);
            continue;
        }
        const char *sum = writer_place(writer, inside->target);
        if (literal->integer == 1) writer_line(writer, indent, "%s = %s + %s;", sum, sum, name);
        else writer_line(writer, indent, "%s = %s + (%s ? %s : 0);", sum, sum, name, writer_expr(writer, literal));
    }
}

bool writer_sums_where(Writer *writer, const Stmt *stmt, int indent) {
    if (!may_convert(writer) || !has_inner_condition(stmt) || !adds_alone(stmt, stmt)) return false;
    print_sums(writer, stmt, NULL, indent);
    return true;
}
