/* Calls in data-parallel loops of functions that loop or change what they are given: the function's body stands in their place, so that the loop
 * around it can be looked at as if it had been written so. Random numbers are made like that:
 *
 *     shuffle(x, y, o)          y' = …; key = o & 0xFFFFFFFF; do in sequence { half = 1764445385 * x + (x >> 1) … } for turn in [1...10]
 *
 * A call inside of an expression is taken out of it before, if it is evaluated in any case and what it changes is named nowhere else in it. What a function is given by reference must be a local of
 * the caller, which its body then names; what it is given by value is a local of its own, or a variable that stays as it is meanwhile.
 * Short straight functions that give a value stay calls: backends print them in place (Function.in_place).
 *
 * Needs: a body whose blocks may be changed. Gives: longer blocks, and more locals. */
#include "compiler/lower/passes.h"
#include "compiler/lower/rewrite.h"

enum { MOST_STATEMENTS = 200 }; /* that calls of a body become */

typedef struct Renamed { const Var *var; Var *as; } Renamed;
typedef struct Placing {
    Arena *arena;
    Body *body;
    bool *placed;         /* by Function.id */
    size_t statements;
    VEC(Renamed) names;   /* of the function that is copied */
} Placing;

/* ---- Which calls ------------------------------------------------------------------------------------------- */

static bool is_scalar(const Type *type) {
    return type_is_numeric(type) || type->kind == TYPE_BOOLEAN || type->kind == TYPE_CHARACTER;
}

typedef struct Looked { size_t statements, returns; bool fits; } Looked;

static void look_at_stmt(void *data, const Stmt *stmt) {
    Looked *looked = data;
    looked->statements++;
    looked->returns += stmt->kind == STMT_RETURN;
    switch (stmt->kind) {
    case STMT_ASSIGN: case STMT_CALL: case STMT_IF: case STMT_SEQUENCE: case STMT_WHILE: case STMT_BLOCK: case STMT_RETURN: return;
    default: looked->fits = false;
    }
}

/* It returns at its end or not at all, and has numbers for locals. */
static bool can_be_placed(const Function *function, Looked *looked) {
    const Body *body = &function->body;
    *looked = (Looked){0, 0, !function->in_place && !function->runs_extern && !function->changes_lists};
    for (size_t i = 0; i < body->vars.count; i++) looked->fits = looked->fits && is_scalar(body->vars.items[i]->type);
    if (looked->fits) lower_walk_block(&(Walk){NULL, look_at_stmt, looked}, &body->block);
    const size_t count = body->block.statements.count;
    const bool ends = count > 0 && body->block.statements.items[count - 1]->kind == STMT_RETURN;
    return looked->fits && (looked->returns == 0 || (looked->returns == 1 && ends));
}

static const Expr *call_to_place(const Placing *placing, const Stmt *stmt) {
    const Expr *call = stmt->value;
    const bool alone = stmt->kind == STMT_CALL || (stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE);
    Looked looked;
    if (!alone || call->kind != EXPR_CALL || !can_be_placed(call->function, &looked)) return NULL;
    if ((stmt->kind == STMT_ASSIGN) != (looked.returns == 1) || placing->statements + looked.statements > MOST_STATEMENTS) return NULL;
    for (size_t i = 0; i < call->arguments.count; i++) {
        const Expr *argument = call->arguments.items[i];
        if (lower_expr_has_effect(argument)) return NULL;
        if (call->function->body.params.items[i]->by_reference && (argument->kind != EXPR_VAR || argument->var->kind != VAR_LOCAL)) return NULL;
    }
    return call;
}

/* ---- Copies --------------------------------------------------------------------------------------------------- */

static Var *renamed(const Placing *placing, Var *var) {
    for (size_t i = 0; var != NULL && i < placing->names.count; i++)
        if (placing->names.items[i].var == var) return placing->names.items[i].as;
    return var;
}

static Expr *with_name(void *data, Expr *expr) {
    const Placing *placing = data;
    Var *as = expr->kind == EXPR_VAR ? renamed(placing, expr->var) : expr->var;
    if (as == expr->var) return NULL;
    Expr *copy = ARENA_NEW(placing->arena, Expr);
    *copy = *expr;
    copy->var = as;
    return copy;
}

static void copy_block(Placing *placing, Block *block);

static Stmt *copied(Placing *placing, const Stmt *stmt) {
    Stmt *copy = ARENA_NEW(placing->arena, Stmt);
    *copy = *stmt;
    lower_rewrite_stmt(&(Rewriting){placing->arena, with_name, placing, {0}}, copy);
    copy->index = renamed(placing, stmt->index);
    copy_block(placing, &copy->body);
    if (stmt->otherwise == NULL) return copy;
    copy->otherwise = ARENA_NEW(placing->arena, Block);
    *copy->otherwise = *stmt->otherwise;
    copy_block(placing, copy->otherwise);
    return copy;
}

static void copy_block(Placing *placing, Block *block) {
    const Block old = *block;
    block->statements = (StmtVec){0};
    block->locals = (VarVec){0};
    for (size_t i = 0; i < old.locals.count; i++) vec_push(placing->arena, &block->locals, renamed(placing, old.locals.items[i]));
    for (size_t i = 0; i < old.statements.count; i++) vec_push(placing->arena, &block->statements, copied(placing, old.statements.items[i]));
}

/* ---- A call's place ---------------------------------------------------------------------------------------------- */

static Stmt *assignment(Placing *placing, Expr *target, Expr *value, Span span) {
    Stmt *stmt = ARENA_NEW(placing->arena, Stmt);
    *stmt = (Stmt){.kind = STMT_ASSIGN, .span = span, .target = target, .value = value};
    return stmt;
}

/* What a parameter is another name for: a variable that it is given by reference, or one that stays as it is while the function runs; or NULL. */
static Var *same_variable(const Expr *call, const Body *function, size_t p) {
    const Expr *argument = call->arguments.items[p];
    if (function->params.items[p]->by_reference) return argument->var;
    if (argument->kind != EXPR_VAR || argument->lag != 0 || lower_block_writes(&function->block, function->params.items[p]) > 0) return NULL;
    for (size_t i = 0; i < function->params.count; i++)
        if (function->params.items[i]->by_reference && call->arguments.items[i]->var == argument->var) return NULL;
    return argument->var;
}

/* Names for the function's variables; those that are not others are locals of the caller now. */
static void name_variables(Placing *placing, const Expr *call) {
    const Body *function = &call->function->body;
    placing->names.count = 0;
    for (size_t i = 0; i < function->vars.count; i++) {
        Var *var = function->vars.items[i], *as = NULL;
        for (size_t p = 0; p < function->params.count; p++)
            if (function->params.items[p] == var) as = same_variable(call, function, p);
        if (as == NULL) {
            as = ARENA_NEW(placing->arena, Var);
            *as = *var;
            if (as->kind == VAR_PARAM) as->kind = VAR_LOCAL;
            as->id = (int)placing->body->vars.count;
            vec_push(placing->arena, &placing->body->vars, as);
        }
        vec_push(placing->arena, &placing->names, ((Renamed){var, as}));
    }
}

/* Arguments first, then the function's statements; what it returns goes where the call's value went. */
static Block body_for(Placing *placing, const Stmt *stmt, const Expr *call) {
    const Body *function = &call->function->body;
    Looked looked;
    can_be_placed(call->function, &looked);
    placing->statements += looked.statements;
    placing->placed[call->function->id] = true;
    name_variables(placing, call);
    Block block = {0};
    for (size_t p = 0; p < function->params.count; p++) {
        const Var *param = function->params.items[p];
        if (same_variable(call, function, p) != NULL) continue;
        Expr *own = ARENA_NEW(placing->arena, Expr);
        *own = (Expr){.kind = EXPR_VAR, .type = param->type, .span = call->arguments.items[p]->span, .var = renamed(placing, (Var *)param)};
        vec_push(placing->arena, &block.locals, own->var);
        vec_push(placing->arena, &block.statements, assignment(placing, own, call->arguments.items[p], stmt->span));
    }
    for (size_t i = 0; i < function->block.locals.count; i++) vec_push(placing->arena, &block.locals, renamed(placing, function->block.locals.items[i]));
    for (size_t i = 0; i < function->block.statements.count; i++) {
        Stmt *copy = copied(placing, function->block.statements.items[i]);
        if (copy->kind == STMT_RETURN) copy = assignment(placing, stmt->target, copy->value, stmt->span);
        vec_push(placing->arena, &block.statements, copy);
    }
    return block;
}

/* ---- Calls inside of expressions ---------------------------------------------------------------------------------- */

/* A call that is evaluated whenever the expression is, and can be placed; `changing`: which changes what it is given by reference, else one which changes nothing. The way there has
 * no subscripts, which others know by themselves (StageUse.gathers). */
static Expr *call_inside(const Placing *placing, Expr *expr, bool changing) {
    if (expr == NULL || expr->kind == EXPR_ELEMENT || expr->kind == EXPR_AT_INDEX) return NULL;
    Expr *found = NULL;
    for (size_t i = 0; i < expr->arguments.count && found == NULL; i++) found = call_inside(placing, expr->arguments.items[i], changing);
    if (found == NULL) found = call_inside(placing, expr->left, changing);
    const bool maybe = expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR);
    if (found == NULL && !maybe) found = call_inside(placing, expr->right, changing);
    if (found != NULL || expr->kind != EXPR_CALL || expr->function->changes_something != changing) return found;
    const Stmt alone = {.kind = STMT_ASSIGN, .value = expr};
    return call_to_place(placing, &alone) != NULL ? expr : NULL;
}

typedef struct Calls { size_t changing, others; const Var *var; size_t mentions; } Calls;

static void count_calls(void *data, const Expr *expr) {
    Calls *calls = data;
    if (expr->kind == EXPR_CALL) *(expr->function->changes_something ? &calls->changing : &calls->others) += 1;
    calls->mentions += expr->kind == EXPR_VAR && expr->var == calls->var;
}

static size_t mentions_of(const Expr *expr, const Var *var) {
    Calls calls = {.var = var};
    lower_walk_expr(&(Walk){count_calls, NULL, &calls}, expr);
    return calls.mentions;
}

/* What it is given by reference is not named elsewhere in the expression, so it may change before the rest is computed. (Subscripts of what is assigned come behind it.) */
static bool may_come_first(const Expr *value, const Expr *call) {
    for (size_t i = 0; i < call->arguments.count; i++) {
        const Var *var = call->function->body.params.items[i]->by_reference ? call->arguments.items[i]->var : NULL;
        if (var != NULL && mentions_of(value, var) != 1) return false;
    }
    return true;
}

/* Of several calls that change something, none leaves its place. */
static Expr *call_to_take(const Placing *placing, const Stmt *stmt) {
    Calls calls = {0};
    lower_walk_expr(&(Walk){count_calls, NULL, &calls}, stmt->value);
    if (calls.changing > 1 || calls.changing + calls.others == 0 || (stmt->kind == STMT_ASSIGN && stmt->value->kind == EXPR_CALL)) return NULL;
    if (calls.changing == 0) return call_inside(placing, stmt->value, false);
    Expr *call = call_inside(placing, stmt->value, true);
    return call != NULL && may_come_first(stmt->value, call) ? call : NULL;
}

typedef struct Taken { const Expr *call; Expr *local; } Taken;

static Expr *with_local(void *data, Expr *expr) {
    const Taken *taken = data;
    if (expr == taken->call) return taken->local;
    return expr->kind == EXPR_ELEMENT || expr->kind == EXPR_AT_INDEX ? expr : NULL;
}

/* Takes a call out of the statement's value: returns the assignment of it to a local of its own, to stand before the statement; NULL: there is none. */
static Stmt *take_call(Placing *placing, Block *block, Stmt *stmt) {
    Expr *call = stmt->kind == STMT_ASSIGN || stmt->kind == STMT_IF ? call_to_take(placing, stmt) : NULL;
    if (call == NULL) return NULL;
    Var *var = ARENA_NEW(placing->arena, Var);
    *var = (Var){.kind = VAR_LOCAL, .name = arena_printf(placing->arena, "%s_value", call->function->body.name), .type = call->type, .span = call->span, .id = (int)placing->body->vars.count};
    vec_push(placing->arena, &placing->body->vars, var);
    vec_push(placing->arena, &block->locals, var);
    Expr *local = ARENA_NEW(placing->arena, Expr);
    *local = (Expr){.kind = EXPR_VAR, .type = call->type, .span = call->span, .var = var};
    lower_rewrite_stmt(&(Rewriting){placing->arena, with_local, &(Taken){call, local}, {0}}, stmt);
    return assignment(placing, local, call, stmt->span);
}

static void place_in_block(Placing *placing, Block *block, bool in_loop);

/* The statement, or what stands in its place. */
static void place_statement(Placing *placing, Block *block, Stmt *stmt, bool in_loop) {
    for (Stmt *taken; in_loop && (taken = take_call(placing, block, stmt)) != NULL;) place_statement(placing, block, taken, true);
    const Expr *call = in_loop ? call_to_place(placing, stmt) : NULL;
    if (call == NULL) {
        place_in_block(placing, &stmt->body, in_loop || stmt->kind == STMT_PARALLEL);
        if (stmt->otherwise != NULL) place_in_block(placing, stmt->otherwise, in_loop);
        vec_push(placing->arena, &block->statements, stmt);
        return;
    }
    const Block made = body_for(placing, stmt, call);
    for (size_t i = 0; i < made.locals.count; i++) vec_push(placing->arena, &block->locals, made.locals.items[i]);
    for (size_t i = 0; i < made.statements.count; i++) place_statement(placing, block, made.statements.items[i], true);
}

static void place_in_block(Placing *placing, Block *block, bool in_loop) {
    const Block old = *block;
    block->statements = (StmtVec){0};
    block->locals = (VarVec){0};
    for (size_t i = 0; i < old.locals.count; i++) vec_push(placing->arena, &block->locals, old.locals.items[i]);
    for (size_t i = 0; i < old.statements.count; i++) place_statement(placing, block, old.statements.items[i], in_loop);
}

void lower_put_in_place(Arena *arena, Body *body, bool *placed) {
    Placing placing = {.arena = arena, .body = body, .placed = placed};
    const VarVec vars = body->vars;
    body->vars = (VarVec){0};
    for (size_t i = 0; i < vars.count; i++) vec_push(arena, &body->vars, vars.items[i]);
    place_in_block(&placing, &body->block, false);
}
