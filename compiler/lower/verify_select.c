/* Elements that are stored in any case (select.c) and cut loops that may be whole (whole.c), looked at again. */
#include "compiler/lower/verify_loops.h"

/* ---- In the order of the program ---------------------------------------------------------------------- */
/* after: an element of this array has been assigned. Calls what it is given for each element that is read, and each assignment. */
typedef struct Stroll {
    void (*element)(struct Stroll *stroll, const Expr *element);
    void (*assign)(struct Stroll *stroll, const Stmt *assign);
    const Nest *nest;
    const Expr *of;
    bool after, found;
} Stroll;

static void stroll_expr(void *data, const Expr *expr) {
    Stroll *stroll = data;
    if (expr->kind == EXPR_ELEMENT) stroll->element(stroll, expr);
    stroll->found |= expr->kind == EXPR_CALL && expr->function->changes_something;
}

static void stroll_stmt(Stroll *stroll, const Stmt *stmt) {
    const Walk walk = {stroll_expr, NULL, stroll};
    lower_walk_expr(&walk, stmt->value);
    for (size_t i = 0; stmt->kind == STMT_ASSIGN && i < stmt->target->arguments.count; i++) lower_walk_expr(&walk, stmt->target->arguments.items[i]);
    if (stmt->kind == STMT_ASSIGN) stroll->assign(stroll, stmt);
    for (size_t i = 0; i < stmt->body.statements.count; i++) stroll_stmt(stroll, stmt->body.statements.items[i]);
    for (size_t i = 0; stmt->otherwise && i < stmt->otherwise->statements.count; i++) stroll_stmt(stroll, stmt->otherwise->statements.items[i]);
}

static bool is_of(const Expr *element, const Expr *other) { return element->kind == EXPR_ELEMENT && element->var == other->var && element->lag == other->lag; }

/* ---- Choices ------------------------------------------------------------------------------------------ */
static void other_read(Stroll *stroll, const Expr *element) {
    stroll->found |= stroll->after && is_of(element, stroll->of) && !lower_expr_equal(element, stroll->of);
}

static void other_assigned(Stroll *stroll, const Stmt *assign) {
    if (!is_of(assign->target, stroll->of)) return;
    stroll->found |= !lower_expr_equal(assign->target, stroll->of);
    stroll->after = true;
}

static bool comes_to(const Expr *expr, const Expr *element) {
    if (!expr) return false;
    if (lower_expr_equal(expr, element)) return true;
    bool comes = comes_to(expr->left, element);
    if (expr->kind != EXPR_BINARY || (expr->op != OP_AND && expr->op != OP_OR)) comes |= comes_to(expr->right, element);
    for (size_t i = 0; i < expr->arguments.count; i++) comes |= comes_to(expr->arguments.items[i], element);
    return comes;
}

static bool always_comes_to(const Block *block, const Expr *element) {
    bool comes = false;
    for (size_t i = 0; i < block->statements.count && !comes; i++) {
        const Stmt *stmt = block->statements.items[i];
        comes = comes_to(stmt->value, element) || (stmt->kind == STMT_ASSIGN && comes_to(stmt->target, element));
        if (stmt->kind == STMT_BLOCK) comes |= always_comes_to(&stmt->body, element);
    }
    return comes;
}

/* Whether all subscripts are indices of the nest; `own`: of loops over the part of the element's array, as they stand. */
static bool goes_by_indices(const Nest *nest, const Expr *element, bool own) {
    for (size_t d = 0; d < element->arguments.count; d++) {
        bool found = false;
        for (size_t l = 0; l < nest->loops.count; l++) {
            const Loop *loop = &nest->loops.items[l];
            const Expr *subscript = element->arguments.items[d];
            found |= subscript->kind == EXPR_VAR && subscript->var == loop->index->var && (!own || (loop->domain_var == element->var && loop->dimension == (int)d));
        }
        if (!found) return false;
    }
    return true;
}

static bool has(const ExprVec *elements, const Expr *element) {
    for (size_t i = 0; i < elements->count; i++)
        if (lower_expr_equal(elements->items[i], element)) return true;
    return false;
}

static const char *element_fault(const LoweredBody *code, const Nest *nest, const Stmt *stmt, const Expr *element) {
    const Formal *formal = lower_formal(code->use, element->var);
    if (!formal || !formal->restricted || formal->shared || formal->layout.split) return "an element is stored in any case that others may write";
    const bool there = goes_by_indices(nest, element, true) || always_comes_to(&nest->stmt->body, element) ||
                       (has(&nest->choices->asked, element) && goes_by_indices(nest, element, false));
    if (!there) return "an element is stored in any case that may not exist";
    Stroll stroll = {other_read, other_assigned, nest, element, false, false};
    stroll_stmt(&stroll, stmt);
    return stroll.found || !stroll.after ? "an element is stored in any case behind others of its array" : NULL;
}

static const char *choices_fault(const LoweredBody *code, const Nest *nest) {
    const bool asks = nest->choices->asked.count > 0;
    if (nest->form != FORM_CUT && (nest->form != FORM_LOOPS || nest->has_filters || !loop_may(nest_innermost(nest), LOOP_PARALLEL)))
        return "elements are stored in any case where iterations depend on each other";
    if (asks && (nest->edges || nest->form == FORM_CUT || !nest_innermost(nest)->interval)) return "a loop in pieces asks where its elements lie";
    for (size_t i = 0; i < nest->choices->items.count; i++) {
        const Choice *choice = &nest->choices->items.items[i];
        for (size_t e = 0; e < choice->elements.count; e++) {
            const char *fault = choice->stmt->kind == STMT_IF ? element_fault(code, nest, choice->stmt, choice->elements.items[e]) : "a choice is no if";
            if (fault) return fault;
        }
    }
    return NULL;
}

/* ---- Cut loops that may be whole ---------------------------------------------------------------------- */
static bool moves(const Nest *nest, const Expr *element) {
    bool mentions = false;
    for (size_t d = 0; d < element->arguments.count; d++) mentions |= lower_expr_mentions(element->arguments.items[d], nest_innermost(nest)->index->var);
    return mentions;
}

static void cut_read(Stroll *stroll, const Expr *element) {
    if (stroll->after && is_of(element, stroll->of)) stroll->found |= !moves(stroll->nest, element);
}

static void cut_assigned(Stroll *stroll, const Stmt *assign) { stroll->after |= is_of(assign->target, stroll->of); }

typedef struct Targets { const Nest *nest; const char *fault; } Targets;

static void check_target(void *data, const Stmt *stmt) {
    Targets *targets = data;
    const Nest *nest = targets->nest;
    if (stmt->kind != STMT_IF && stmt->kind != STMT_ASSIGN && stmt->kind != STMT_BLOCK) targets->fault = "an iteration runs twice that does more than assign";
    if (stmt->kind != STMT_ASSIGN || stmt->target->kind == EXPR_VAR) return;
    if (!has(&nest->whole->targets, stmt->target) || !always_comes_to(&nest->stmt->body, stmt->target)) {
        targets->fault = "a loop counts as whole that may have changed something";
        return;
    }
    Stroll stroll = {cut_read, cut_assigned, nest, stmt->target, false, false};
    for (size_t i = 0; i < nest->stmt->body.statements.count; i++) stroll_stmt(&stroll, nest->stmt->body.statements.items[i]);
    if (stroll.found) targets->fault = "what a loop is cut for is read again when it may have changed";
}

static const char *whole_fault(const Nest *nest) {
    if (nest->form != FORM_CUT) return "a loop may be whole that is not cut";
    Targets targets = {nest, NULL};
    lower_walk_block(&(Walk){NULL, check_target, &targets}, &nest->stmt->body);
    for (size_t i = 0; i < nest->whole->fixed.count && !targets.fault; i++) {
        const Expr *element = nest->whole->fixed.items[i];
        if (moves(nest, element) || !always_comes_to(&nest->stmt->body, element)) targets.fault = "an element is held in a local that moves";
    }
    return targets.fault;
}

const char *lower_select_fault(const LoweredBody *code, const Nest *nest) {
    const char *fault = nest->choices ? choices_fault(code, nest) : NULL;
    return !fault && nest->whole ? whole_fault(nest) : fault;
}
