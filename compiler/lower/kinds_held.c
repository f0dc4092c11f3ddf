/* See kinds_held.h. */
#include "compiler/lower/kinds_held.h"

#include "compiler/lower/walk_bodies.h"

typedef struct Holders {
    Arena *arena;
    const LoweredBody *code;
    VarVec *found;
    bool (*gives)(const LoweredBody *code, const Expr *value);
    bool changed;
} Holders;

bool lower_holds(const LoweredBody *code, const VarVec *holders, const Var *var) {
    if ((var->kind == VAR_PARAM && !code->use) || var->kind == VAR_COORDINATOR) return true;
    for (size_t i = 0; i < holders->count; i++)
        if (holders->items[i] == var) return true;
    return false;
}

static void note(Holders *holders, Var *var) {
    if (!var || lower_holds(holders->code, holders->found, var)) return;
    vec_push(holders->arena, holders->found, var);
    holders->changed = true;
}

static void note_references(void *data, const Expr *expr) {
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->arguments.count; i++)
        if (expr->function->body.params.items[i]->by_reference) note(data, lower_place_root(expr->arguments.items[i]));
}

static void note_statement(void *data, const Stmt *stmt) {
    const Holders *holders = data;
    if (stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE && holders->gives(holders->code, stmt->value)) note(data, lower_place_root(stmt->target));
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->uses.count; i++) note(data, stmt->external->uses.items[i]);
}

void lower_find_holders(Arena *arena, const LoweredBody *code, VarVec *found, bool (*gives)(const LoweredBody *code, const Expr *value)) {
    Holders holders = {arena, code, found, gives, true};
    while (holders.changed) {
        holders.changed = false;
        lower_walk_block(&(Walk){note_references, note_statement, &holders}, &code->body->block);
    }
}
