/* What is wrong with the bytes that locals are stored in (verify_loops.h). Like verify_loops.c, this asks the passes for nothing that they have found out but the ranges of values. */
#include "compiler/lower/narrow.h"
#include "compiler/lower/verify_loops.h"

/* Something but an assignment to an element of 32 bits looks at the local. */
typedef struct Looked { const Var *var; bool found; } Looked;

static void look_in_expr(void *data, const Expr *expr) {
    Looked *looked = data;
    looked->found |= expr->var == looked->var && expr->kind != EXPR_VAR;
    if (expr->left != NULL) looked->found |= expr->left->var == looked->var;
    if (expr->right != NULL) looked->found |= expr->right->var == looked->var;
    for (size_t i = 0; i < expr->arguments.count; i++) looked->found |= expr->arguments.items[i]->var == looked->var;
}

static void look_in_stmt(void *data, const Stmt *stmt) {
    Looked *looked = data;
    const Expr *of_stmt[] = {stmt->value, stmt->step, stmt->kind == STMT_ASSIGN ? NULL : stmt->target};
    const bool keeps = stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_ELEMENT && lower_stored_bytes(stmt->target->var->type->element) == 4 && stmt->accumulate == ACCUMULATE_NONE &&
                       stmt->target->var->type->element->kind == TYPE_INTEGER;
    for (size_t i = keeps ? 1 : 0; i < sizeof of_stmt / sizeof of_stmt[0]; i++) looked->found |= of_stmt[i] != NULL && of_stmt[i]->kind == EXPR_VAR && of_stmt[i]->var == looked->var;
    for (size_t i = 0; i < stmt->indices.count; i++) looked->found |= stmt->indices.items[i].domain_range != NULL && stmt->indices.items[i].domain_range->var == looked->var;
    looked->found |= stmt->kind == STMT_ASSIGN && stmt->accumulate != ACCUMULATE_NONE && stmt->target->var == looked->var;
    looked->found |= stmt->kind == STMT_EXTERN;
}

static bool is_looked_at(const LoweredBody *code, const Var *var) {
    Looked looked = {var, false};
    lower_walk_block(&(Walk){look_in_expr, look_in_stmt, &looked}, &code->body->block);
    return looked.found;
}

const char *lower_locals_fault(const LoweredBody *code) {
    for (size_t i = 0; i < code->body->vars.count; i++) {
        const Var *var = code->body->vars.items[i];
        const int bytes = lower_bytes_of(code, var);
        if (bytes == 0) continue;
        if (var->type->kind != TYPE_INTEGER || (bytes != 1 && bytes != 2 && bytes != 4 && bytes != LOWER_UNSIGNED)) return "a local has a strange width";
        const int64_t most = bytes == LOWER_UNSIGNED ? UINT32_MAX : ((int64_t)1 << (8 * bytes - 1)) - 1;
        const bool holds = interval_within(lower_range_of_var(code->ranges, var), bytes == LOWER_UNSIGNED ? 0 : -most - 1, most);
        if (!holds && (bytes != 4 || is_looked_at(code, var))) return "a local does not hold its values";
        if (var->kind == VAR_PARAM && lower_settles_at(code->body, var) == NULL) return "a parameter is a local from nowhere on";
    }
    return NULL;
}
