/* Walking typed bodies. A NULL expression is nothing. */
#include "compiler/lower/walk_bodies.h"

#include <string.h>

void lower_walk_expr(const Walk *walk, const Expr *expr) {
    if (!expr) return;
    if (walk->expr) walk->expr(walk->data, expr);
    lower_walk_expr(walk, expr->left);
    lower_walk_expr(walk, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) lower_walk_expr(walk, expr->arguments.items[i]);
}

static void walk_index(const Walk *walk, const LoopIndex *index) {
    lower_walk_expr(walk, index->domain_range);
    for (size_t i = 0; i < index->lower.count; i++) lower_walk_expr(walk, index->lower.items[i]);
    for (size_t i = 0; i < index->upper.count; i++) lower_walk_expr(walk, index->upper.items[i]);
    for (size_t i = 0; i < index->filters.count; i++) lower_walk_expr(walk, index->filters.items[i]);
}

/* An accumulation's factors are parts of its value, which is walked. */
static void walk_stmt(const Walk *walk, const Stmt *stmt) {
    if (walk->stmt) walk->stmt(walk->data, stmt);
    for (size_t i = 0; i < stmt->indices.count; i++) walk_index(walk, &stmt->indices.items[i]);
    lower_walk_expr(walk, stmt->target);
    lower_walk_expr(walk, stmt->value);
    lower_walk_expr(walk, stmt->step);
    lower_walk_expr(walk, stmt->path);
    lower_walk_expr(walk, stmt->environment);
    lower_walk_expr(walk, stmt->environment2);
    for (size_t i = 0; i < stmt->arguments.count; i++) lower_walk_expr(walk, stmt->arguments.items[i]);
    if (stmt->execute) {
        lower_walk_expr(walk, stmt->execute->environment);
        for (size_t i = 0; i < stmt->execute->initialize.count; i++)
            lower_walk_expr(walk, stmt->execute->initialize.items[i]);
        for (size_t i = 0; i < stmt->execute->partition.count; i++)
            lower_walk_expr(walk, stmt->execute->partition.items[i]);
    }
    lower_walk_block(walk, &stmt->body);
    if (stmt->otherwise) lower_walk_block(walk, stmt->otherwise);
}

void lower_walk_block(const Walk *walk, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) walk_stmt(walk, block->statements.items[i]);
}

/* ---- Questions about variables ----------------------------------------------------------- */
typedef struct Search { const Var *var; int mentions, writes, whole_writes; } Search;

static void search_expr(void *data, const Expr *expr) {
    Search *search = data;
    if (expr->var == search->var) search->mentions++;
    if (expr->kind != EXPR_CALL) return;
    const VarVec *params = &expr->function->body.params;
    for (size_t i = 0; i < expr->arguments.count && i < params->count; i++)
        if (params->items[i]->by_reference && lower_place_root(expr->arguments.items[i]) == search->var) search->writes++;
}

static void search_stmt(void *data, const Stmt *stmt) {
    Search *search = data;
    if (stmt->kind == STMT_ASSIGN && lower_place_root(stmt->target) == search->var) {
        search->writes++;
        if (stmt->target->kind == EXPR_VAR) search->whole_writes++;
    }
    if (stmt->kind == STMT_REDUCE && lower_place_root(stmt->target) == search->var) search->writes++;
    if (stmt->kind == STMT_EXTERN)
        for (size_t i = 0; i < stmt->external->uses.count; i++)
            if (stmt->external->uses.items[i] == search->var) {
                search->mentions++;
                search->writes++;
            }
    for (size_t i = 0; i < stmt->indices.count; i++)
        if (stmt->indices.items[i].domain_var == search->var) search->mentions++;
    if (stmt->index == search->var) search->mentions++;
}

static Search search_in_stmt(const Stmt *stmt, const Var *var) {
    Search search = {.var = var};
    walk_stmt(&(Walk){search_expr, search_stmt, &search}, stmt);
    return search;
}

int lower_stmt_reads(const Stmt *stmt, const Var *var) {
    const Search search = search_in_stmt(stmt, var);
    return search.mentions - search.whole_writes;
}

static Search search_in_block(const Block *block, const Var *var) {
    Search search = {.var = var};
    lower_walk_block(&(Walk){search_expr, search_stmt, &search}, block);
    return search;
}

bool lower_expr_mentions(const Expr *expr, const Var *var) {
    Search search = {.var = var};
    lower_walk_expr(&(Walk){search_expr, NULL, &search}, expr);
    return search.mentions > 0;
}
bool lower_block_mentions(const Block *block, const Var *var) { return search_in_block(block, var).mentions > 0; }
int lower_stmt_writes(const Stmt *stmt, const Var *var) { return search_in_stmt(stmt, var).writes; }
int lower_block_writes(const Block *block, const Var *var) { return search_in_block(block, var).writes; }
bool lower_block_reads(const Block *block, const Var *var) {
    Search search = search_in_block(block, var);
    return search.mentions > search.whole_writes;
}

static void search_effect(void *data, const Expr *expr) {
    bool divides = expr->kind == EXPR_BINARY && (expr->op == OP_DIV || expr->op == OP_MOD) &&
                   expr->type->kind == TYPE_INTEGER && (expr->right->kind != EXPR_INTEGER || expr->right->integer == 0);
    bool in_list = expr->kind == EXPR_AT_INDEX && expr->left->type->kind == TYPE_LIST;
    if (expr->kind == EXPR_CALL || divides || in_list) *(bool *)data = true;
}

bool lower_expr_has_effect(const Expr *expr) {
    bool effect = false;
    lower_walk_expr(&(Walk){search_effect, NULL, &effect}, expr);
    return effect;
}

bool lower_expr_equal(const Expr *a, const Expr *b) {
    if (!a || !b) return a == b;
    if (a->kind != b->kind || a->type != b->type || a->var != b->var || a->lag != b->lag || a->op != b->op) return false;
    if (a->integer != b->integer || memcmp(&a->real, &b->real, sizeof a->real) != 0) return false;
    if (a->field != b->field || a->dimension != b->dimension || a->argument != b->argument) return false;
    if (a->local != b->local || a->part != b->part || a->function != b->function || a->math != b->math) return false;
    if (a->arguments.count != b->arguments.count) return false;
    for (size_t i = 0; i < a->arguments.count; i++)
        if (!lower_expr_equal(a->arguments.items[i], b->arguments.items[i])) return false;
    return lower_expr_equal(a->left, b->left) && lower_expr_equal(a->right, b->right);
}

Var *lower_place_root(const Expr *place) {
    while (place && (place->kind == EXPR_FIELD || place->kind == EXPR_AT_INDEX || place->kind == EXPR_RANGE_PART))
        place = place->left;
    return place && (place->kind == EXPR_VAR || place->kind == EXPR_ELEMENT) ? place->var : NULL;
}

const Expr *lower_element_of(const Expr *place) {
    while (place->kind == EXPR_FIELD || (place->kind == EXPR_AT_INDEX && place->left->type->kind == TYPE_STATIC_ARRAY)) place = place->left;
    return place;
}
