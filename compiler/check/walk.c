/* Walking typed trees, and what a body does with one variable. */
#include "compiler/check/internal.h"

typedef bool (*OnExpr)(Expr *, void *);
typedef bool (*OnStmt)(Stmt *, void *);

void walk_expr(Expr *expr, OnExpr visit, void *data) {
    if (expr == NULL || !visit(expr, data)) return;
    walk_expr(expr->left, visit, data);
    walk_expr(expr->right, visit, data);
    for (size_t i = 0; i < expr->arguments.count; i++) walk_expr(expr->arguments.items[i], visit, data);
}

static void walk_vector(const ExprVec *exprs, OnExpr visit, void *data) {
    for (size_t i = 0; i < exprs->count; i++) walk_expr(exprs->items[i], visit, data);
}

static void walk_own_exprs(Stmt *stmt, OnExpr visit, void *data) {
    walk_expr(stmt->target, visit, data);
    walk_expr(stmt->value, visit, data);
    walk_expr(stmt->step, visit, data);
    for (size_t i = 0; i < stmt->indices.count; i++) {
        LoopIndex *index = &stmt->indices.items[i];
        walk_expr(index->domain_range, visit, data);
        walk_vector(&index->lower, visit, data);
        walk_vector(&index->upper, visit, data);
        walk_vector(&index->filters, visit, data);
    }
    walk_expr(stmt->environment, visit, data);
    walk_expr(stmt->environment2, visit, data);
    walk_expr(stmt->path, visit, data);
    walk_vector(&stmt->arguments, visit, data);
    if (stmt->execute == NULL) return;
    walk_expr(stmt->execute->environment, visit, data);
    walk_vector(&stmt->execute->initialize, visit, data);
    walk_vector(&stmt->execute->partition, visit, data);
}

void walk_block(Block *block, OnStmt on_stmt, OnExpr on_expr, void *data) {
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        if (on_stmt != NULL && !on_stmt(stmt, data)) continue;
        /* The condition of do … while stands after its body. */
        if (on_expr != NULL && stmt->kind != STMT_WHILE) walk_own_exprs(stmt, on_expr, data);
        walk_block(&stmt->body, on_stmt, on_expr, data);
        if (stmt->otherwise != NULL) walk_block(stmt->otherwise, on_stmt, on_expr, data);
        if (on_expr != NULL && stmt->kind == STMT_WHILE) walk_own_exprs(stmt, on_expr, data);
    }
}

typedef struct Mention {
    const Var *var;
    bool found;
} Mention;

static bool find_mention(Expr *expr, void *data) {
    Mention *mention = data;
    mention->found = mention->found || expr->var == mention->var;
    return !mention->found;
}

bool expr_mentions(const Expr *expr, const Var *var) {
    Mention mention = {var, false};
    walk_expr((Expr *)expr, find_mention, &mention);
    return mention.found;
}

/* ---- What a body does with a variable --------------------------------------------------- */
typedef struct UseWalk {
    const Var *var;
    VarUse use;
    Expr *target;                 /* the root of the place being written */
} UseWalk;

static Expr *place_root(Expr *place) {
    while (place != NULL && place->kind != EXPR_VAR && place->kind != EXPR_ELEMENT) place = place->left;
    return place;
}

static void note_write(UseWalk *walk, Span span) {
    if (!walk->use.written) walk->use.first_write = span;
    walk->use.written = true;
}

static void note_read(UseWalk *walk, const Expr *expr) {
    if (!walk->use.read) walk->use.first_read = expr->span;
    walk->use.read = true;
    if (expr->lag == 0) walk->use.read_current = true;
    if (expr->lag > walk->use.max_lag) walk->use.max_lag = expr->lag;
}

static bool use_stmt(Stmt *stmt, void *data) {
    UseWalk *walk = data;
    walk->target = NULL;
    if (stmt->kind == STMT_ASSIGN || stmt->kind == STMT_REDUCE) {
        walk->target = place_root(stmt->target);
        if (walk->target != NULL && walk->target->var == walk->var) {
            if (stmt->kind == STMT_REDUCE) walk->use.reduced = true;
            else note_write(walk, stmt->target->span);
        }
    }
    if (stmt->kind == STMT_SET_BOUNDS && stmt->var == walk->var) note_write(walk, stmt->span);
    if (stmt->kind != STMT_EXTERN) return true;
    for (size_t i = 0; i < stmt->external->uses.count; i++) {
        if (stmt->external->uses.items[i] != walk->var) continue;
        note_write(walk, stmt->span);
        note_read(walk, &(Expr){.span = stmt->span});
    }
    return true;
}

static bool use_expr(Expr *expr, void *data) {
    UseWalk *walk = data;
    if (expr->kind == EXPR_CALL && expr->function != NULL)
        for (size_t i = 0; i < expr->arguments.count; i++) {
            if (!expr->function->body.params.items[i]->by_reference) continue;
            Expr *root = place_root(expr->arguments.items[i]);
            if (root != NULL && root->var == walk->var) note_write(walk, expr->arguments.items[i]->span);
        }
    bool names = (expr->kind == EXPR_VAR || expr->kind == EXPR_ELEMENT) && expr->var == walk->var;
    if (names && expr != walk->target) note_read(walk, expr);
    return true;
}

VarUse body_var_use(const Body *body, const Var *var) {
    UseWalk walk = {.var = var};
    walk_block((Block *)&body->block, use_stmt, use_expr, &walk);
    return walk.use;
}

static bool count_setting(Stmt *stmt, void *data) {
    Setting *setting = data;
    Expr *place = stmt->target;
    while (place != NULL && place->kind != EXPR_VAR && place->kind != EXPR_ELEMENT) place = place->left;
    if (place != NULL && place->var == setting->var) {
        setting->count += stmt->kind == STMT_ASSIGN && place == stmt->target ? 1 : 2;
        setting->value = stmt->value;
    }
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->uses.count; i++)
        if (stmt->external->uses.items[i] == setting->var) setting->count += 2;
    return true;
}

static bool count_reference(Expr *expr, void *data) {
    Setting *setting = data;
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->arguments.count; i++)
        if (expr->function->body.params.items[i]->by_reference && expr->arguments.items[i]->var == setting->var) setting->count += 2;
    return true;
}

Setting block_settings(const Block *block, const Var *var) {
    Setting setting = {.var = var};
    walk_block((Block *)block, count_setting, count_reference, &setting);
    return setting;
}
