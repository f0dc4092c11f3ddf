/* Assignments under conditions. The loop
 *
 *     do { if (way < d[i][j]) { d[i][j] = way } } for i, j in d
 *
 * stores in some iterations and not in others: C compilers may not store where the program does not, and where they have no vector
 * instruction that leaves lanes out, or a slow one, the loop stays slow. Stored again, a value that nobody else writes meanwhile is no
 * change: so the element is taken into a local before the `if`, and stored behind it in any case. That needs
 *
 *   the element for the LPU alone   nothing that several LPUs may have in one memory (Formal.shared)
 *   the element in memory           the iteration comes to it whatever the condition says, or its indices run over its array's part; of
 *                                   others the ends of the part are asked before the loop
 *   no other name                   behind the assignment the branches touch nothing else of its array */
#include "compiler/lower/passes.h"

typedef struct Select { Arena *arena; const StageUse *use; const Nest *nest; Choices *choices; } Select;

/* ---- Where the element lies ------------------------------------------------------------------------ */
static const Loop *loop_of(const Nest *nest, const Expr *subscript) {
    for (size_t l = 0; subscript->kind == EXPR_VAR && l < nest->loops.count; l++)
        if (nest->loops.items[l].index->var == subscript->var) return &nest->loops.items[l];
    return NULL;
}

bool lower_runs_over(const Nest *nest, const Expr *element, size_t dimension) {
    const Loop *loop = loop_of(nest, element->arguments.items[dimension]);
    return loop && loop->domain_var == element->var && loop->dimension == (int)dimension;
}

static bool is_in_part(const Nest *nest, const Expr *element) {
    for (size_t d = 0; d < element->arguments.count; d++)
        if (!lower_runs_over(nest, element, d)) return false;
    return true;
}

bool lower_always_touches(const Expr *expr, const Expr *element) {
    if (!expr) return false;
    if (expr->kind == EXPR_ELEMENT && lower_expr_equal(expr, element)) return true;
    const bool maybe = expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR);
    for (size_t i = 0; i < expr->arguments.count; i++)
        if (lower_always_touches(expr->arguments.items[i], element)) return true;
    return lower_always_touches(expr->left, element) || (!maybe && lower_always_touches(expr->right, element));
}

bool lower_is_touched(const Block *block, const Expr *element) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_ASSIGN && lower_always_touches(stmt->target, element)) return true;
        if (lower_always_touches(stmt->value, element) || (stmt->kind == STMT_BLOCK && lower_is_touched(&stmt->body, element))) return true;
    }
    return false;
}

/* Whether the ends of the part can be compared with those of the loops: its indices go through it one by one, in an interval. */
static bool can_be_asked(const Select *select, const Expr *element, const Formal *formal) {
    const Nest *nest = select->nest;
    if (nest->form != FORM_LOOPS || nest->edges || !nest_innermost(nest)->interval) return false;
    for (size_t d = 0; d < element->arguments.count; d++)
        if (!loop_of(nest, element->arguments.items[d]) || (!formal->interval[d] && !formal->whole[d])) return false;
    return true;
}

/* ---- What may be stored again ---------------------------------------------------------------------- */
typedef struct Place { const Select *select; bool holds; } Place;

static void check_place(void *data, const Expr *expr) {
    Place *place = data;
    const Block *body = &place->select->nest->stmt->body;
    if (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX) place->holds = false;
    if (expr->kind == EXPR_VAR) place->holds &= !lower_is_local_of(body, expr->var) && lower_block_writes(body, expr->var) == 0;
}

/* The same element all through an iteration, of plain numbers, in memory that nobody else writes. */
static bool is_own_place(const Select *select, const Expr *element) {
    const Formal *formal = lower_formal(select->use, element->var);
    Place place = {select, formal && formal->kind == FORMAL_VIEW && formal->restricted && !formal->shared && !formal->layout.split &&
                               element->lag == 0 && type_is_numeric(element->type)};
    for (size_t d = 0; d < element->arguments.count; d++)
        lower_walk_expr(&(Walk){check_place, NULL, &place}, element->arguments.items[d]);
    return place.holds;
}

/* In the order of the program: after the element may have been assigned, nothing else of its array. */
typedef struct Order { const Expr *element; bool assigned, fits; } Order;

static void check_other(void *data, const Expr *expr) {
    Order *order = data;
    const Expr *element = order->element;
    if (expr->kind == EXPR_CALL && expr->function->changes_something) order->fits = false;
    if (expr->kind != EXPR_ELEMENT || expr->var != element->var || expr->lag != element->lag) return;
    order->fits &= !order->assigned || lower_expr_equal(expr, element);
}

static void check_order(Order *order, const Stmt *stmt) {
    const Walk walk = {check_other, NULL, order};
    lower_walk_expr(&walk, stmt->value);
    if (stmt->kind == STMT_ASSIGN) {
        if (lower_expr_equal(stmt->target, order->element)) order->assigned = true;
        else lower_walk_expr(&walk, stmt->target);
        if (stmt->target->kind == EXPR_ELEMENT && stmt->target->var == order->element->var) order->fits &= lower_expr_equal(stmt->target, order->element);
    }
    for (size_t i = 0; i < stmt->body.statements.count; i++) check_order(order, stmt->body.statements.items[i]);
    for (size_t i = 0; stmt->otherwise && i < stmt->otherwise->statements.count; i++) check_order(order, stmt->otherwise->statements.items[i]);
}

/* Whether the statement assigns it whatever conditions say: then it needs no old value. */
static bool always_assigns(const Stmt *stmt, const Expr *element);

static bool block_always_assigns(const Block *block, const Expr *element) {
    for (size_t i = 0; block && i < block->statements.count; i++)
        if (always_assigns(block->statements.items[i], element)) return true;
    return false;
}

static bool always_assigns(const Stmt *stmt, const Expr *element) {
    if (stmt->kind == STMT_ASSIGN) return lower_expr_equal(stmt->target, element);
    const bool inside = block_always_assigns(&stmt->body, element);
    return stmt->kind == STMT_BLOCK ? inside : inside && block_always_assigns(stmt->otherwise, element);
}

/* ---- The conditions of a body ------------------------------------------------------------------------ */
typedef struct Branches { const Select *select; const Stmt *stmt; Choice *choice; } Branches;

static void note_target(void *data, const Stmt *assign) {
    const Branches *branches = data;
    const Select *select = branches->select;
    const Expr *element = assign->target;
    if (assign->kind != STMT_ASSIGN || element->kind != EXPR_ELEMENT || !is_own_place(select, element)) return;
    for (size_t i = 0; i < branches->choice->elements.count; i++)
        if (lower_expr_equal(branches->choice->elements.items[i], element)) return;
    Order order = {element, false, true};
    check_order(&order, branches->stmt);
    if (!order.fits || always_assigns(branches->stmt, element)) return;
    if (!is_in_part(select->nest, element) && !lower_is_touched(&select->nest->stmt->body, element)) {
        if (!can_be_asked(select, element, lower_formal(select->use, element->var))) return;
        vec_push(select->arena, &select->choices->asked, (Expr *)element);
    }
    vec_push(select->arena, &branches->choice->elements, (Expr *)element);
}

static void find_choices(const Select *select, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_BLOCK) find_choices(select, &stmt->body);
        if (stmt->kind != STMT_IF) continue;
        Choice choice = {.stmt = stmt};
        const Block alone = {.statements = {.items = (Stmt *[]){(Stmt *)stmt}, .count = 1}};
        lower_walk_block(&(Walk){NULL, note_target, &(Branches){select, stmt, &choice}}, &alone);
        if (choice.elements.count > 0) vec_push(select->arena, &select->choices->items, choice);
    }
}

/* Loops and what may end the program keep C compilers from vectors anyway. */
static void check_plain(void *data, const Stmt *stmt) {
    *(bool *)data &= (stmt->kind == STMT_IF || stmt->kind == STMT_ASSIGN || stmt->kind == STMT_BLOCK) && !lower_expr_has_effect(stmt->value);
}

const Choices *lower_choices(Arena *arena, const StageUse *use, const Nest *nest) {
    bool plain = use && !nest->has_filters && (nest->form == FORM_CUT || (nest->form == FORM_LOOPS && loop_may(nest_innermost(nest), LOOP_PARALLEL)));
    if (plain) lower_walk_block(&(Walk){NULL, check_plain, &plain}, &nest->stmt->body);
    if (!plain) return NULL;
    Choices *choices = ARENA_NEW(arena, Choices);
    find_choices(&(Select){arena, use, nest, choices}, &nest->stmt->body);
    return choices->items.count > 0 ? choices : NULL;
}
