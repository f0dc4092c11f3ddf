/* Calls in data-parallel loops of functions that loop, change what they are given, or work on records or small static arrays, and in loops inside of these of mathematical ones: the function's body stands in
 * their place, so that the loop around it can be looked at as if it had been written so. Random numbers are made like that:
 *
 *     shuffle(x, y, o)          y' = …; key = o & 0xFFFFFFFF; do in sequence { half = 1764445385 * x + (x >> 1) … } for turn in [1...10]
 *
 * A call inside of an expression is taken out of it before, if it is evaluated in any case, or fails for nothing, and what it changes is named nowhere else in it. What a function is given by reference must be a local of
 * the caller, which its body then names (a static array that small_arrays.c can take apart); what it is given by value is a local of its own, or a variable that stays as it is meanwhile.
 * Other short straight functions stay calls: backends print them in place (Function.in_place).
 *
 * Needs: a body whose blocks may be changed. Gives: longer blocks, and more locals. */
#include "compiler/lower/passes.h"
#include "compiler/lower/rewrite.h"

enum { MOST_STATEMENTS = 200 }; /* that calls of a body become */
enum { MOST_WITH_ARRAYS = 1024 }; /* … with those of functions on static arrays and on their elements */

typedef struct Renamed { const Var *var; Var *as; } Renamed;
typedef struct Placing {
    Arena *arena;
    Body *body;
    Placement *placement;
    size_t statements;
    int loops;            /* around the statement at hand, from a data-parallel one on */
    const Stmt *outermost; /* of these */
    VEC(Renamed) names;   /* of the function that is copied */
} Placing;

/* ---- Which calls ------------------------------------------------------------------------------------------- */

static bool can_be_local(const Type *type) {
    return type_is_numeric(type) || type->kind == TYPE_BOOLEAN || type->kind == TYPE_CHARACTER || (type->kind == TYPE_STRUCT && !type->has_string);
}

static void find_math(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_MATH && type_is_real(expr->type); }

/* Mathematical functions: in a loop inside of a loop, what of them is the same for all iterations of the outer one is looked for (lanes). */
static bool has_math(const Body *body) {
    bool found = false;
    lower_walk_block(&(Walk){find_math, NULL, &found}, &body->block);
    return found;
}

/* Of functions on records the bodies stand in the place of calls, however short they are: what they compute is taken apart afterwards (records.c). */
static bool has_records(const Body *body) {
    bool found = body->result->kind == TYPE_STRUCT;
    for (size_t i = 0; i < body->vars.count; i++) found = found || body->vars.items[i]->type->kind == TYPE_STRUCT;
    return found;
}

typedef struct Looked { size_t statements, returns; bool fits, arrays; } Looked;

static void look_at_stmt(void *data, const Stmt *stmt) {
    Looked *looked = data;
    looked->statements++;
    looked->returns += stmt->kind == STMT_RETURN;
    switch (stmt->kind) {
    case STMT_ASSIGN: case STMT_CALL: case STMT_IF: case STMT_SEQUENCE: case STMT_WHILE: case STMT_BLOCK: case STMT_RETURN: return;
    default: looked->fits = false;
    }
}

static size_t returns_in(const Block *block) {
    Looked looked = {0};
    if (block != NULL) lower_walk_block(&(Walk){NULL, look_at_stmt, &looked}, block);
    return looked.returns;
}

/* How many branches of the block come to its end, of those that differ in whether they return: 0 or 1; 2: more, or a loop returns. */
static size_t ways_out(const Block *block) {
    for (size_t i = 0; block != NULL && i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_RETURN) return 0;
        if (returns_in(&stmt->body) + returns_in(stmt->otherwise) == 0) continue;
        const size_t ways = stmt->kind == STMT_IF ? ways_out(&stmt->body) + ways_out(stmt->otherwise) : 2;
        if (ways != 1) return ways > 1 ? 2 : 0;
    }
    return 1;
}

/* What a parameter is another name for: a variable that it is given by reference, or one that stays as it is while the function runs; or NULL. */
static Var *same_variable(const Expr *call, const Body *function, size_t p) {
    const Expr *argument = call->arguments.items[p];
    if (function->params.items[p]->by_reference) return argument->kind == EXPR_VAR ? argument->var : NULL;
    if (argument->kind != EXPR_VAR || argument->lag != 0 || lower_block_writes(&function->block, function->params.items[p]) > 0) return NULL;
    for (size_t i = 0; i < function->params.count; i++)
        if (function->params.items[i]->by_reference && lower_place_root(call->arguments.items[i]) == argument->var) return NULL;
    return argument->var;
}

/* Where a static array comes from: the caller's variable, or that of a function whose body stands in its place. */
static const Var *origin_of(const Placement *placement, const Var *var) {
    for (size_t i = 0; i < placement->arrays.count; i++)
        if (placement->arrays.items[i].var == var) return placement->arrays.items[i].origin;
    return var;
}

static bool stays_whole(const Placement *placement, const Var *origin) {
    for (size_t i = 0; i < placement->whole.count; i++)
        if (placement->whole.items[i] == origin) return true;
    return false;
}

/* Static arrays that the call changes, or that are the function's own, are taken apart afterwards (small_arrays.c): all of them, or the call stays. Those of others it may read, but for them alone it stays, too. */
static bool arrays_fit(const Placing *placing, const Expr *call) {
    const Body *function = &call->function->body;
    size_t apart = 0, arrays = 0;
    for (size_t i = 0; i < function->vars.count; i++) {
        const Var *var = function->vars.items[i], *same = NULL;
        if (can_be_local(var->type)) continue;
        if (!lower_is_small_array(var->type) || placing->placement->apart || placing->placement->none) return false;
        arrays++;
        for (size_t p = 0; p < function->params.count; p++)
            if (function->params.items[p] == var) same = same_variable(call, function, p);
        if (var->kind == VAR_PARAM && same != NULL && same->kind != VAR_LOCAL) continue;
        apart++;
        if (stays_whole(placing->placement, same != NULL ? origin_of(placing->placement, same) : var)) return false;
    }
    return arrays == 0 || apart > 0;
}

/* It gives a value at its end or in branches, or none at all, and has numbers, records and small static arrays for locals. */
static bool can_be_placed(const Placing *placing, const Expr *call, Looked *looked) {
    const Function *function = call->function;
    const Body *body = &function->body;
    *looked = (Looked){0};
    for (size_t i = 0; i < body->vars.count; i++) looked->arrays = looked->arrays || body->vars.items[i]->type->kind == TYPE_STATIC_ARRAY;
    looked->fits = (!function->in_place || looked->arrays || has_records(body) || (placing->loops > 1 && has_math(body))) && !function->runs_extern && !function->changes_lists;
    looked->fits = looked->fits && arrays_fit(placing, call);
    if (looked->fits) lower_walk_block(&(Walk){NULL, look_at_stmt, looked}, &body->block);
    return looked->fits && ways_out(&body->block) == (looked->returns == 0);
}

static const Expr *call_to_place(const Placing *placing, const Stmt *stmt) {
    const Expr *call = stmt->value;
    const bool alone = stmt->kind == STMT_CALL || (stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE);
    Looked looked;
    if (!alone || call->kind != EXPR_CALL || !can_be_placed(placing, call, &looked)) return NULL;
    const bool on_arrays = looked.arrays || (placing->placement->apart && call->function->changes_arguments);
    if ((stmt->kind == STMT_ASSIGN) != (looked.returns > 0) || placing->statements + looked.statements > (on_arrays ? MOST_WITH_ARRAYS : MOST_STATEMENTS)) return NULL;
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

/* Names for the function's variables; those that are not others are locals of the caller now. */
static void name_variables(Placing *placing, const Expr *call) {
    const Body *function = &call->function->body;
    placing->names.count = 0;
    for (size_t i = 0; i < function->vars.count; i++) {
        Var *var = function->vars.items[i], *as = NULL;
        for (size_t p = 0; p < function->params.count; p++)
            if (function->params.items[p] == var) as = same_variable(call, function, p);
        const Var *origin = as != NULL ? origin_of(placing->placement, as) : var;
        if (as == NULL) {
            as = ARENA_NEW(placing->arena, Var);
            *as = *var;
            if (as->kind == VAR_PARAM) as->kind = VAR_LOCAL;
            as->id = (int)placing->body->vars.count;
            vec_push(placing->arena, &placing->body->vars, as);
        }
        vec_push(placing->arena, &placing->names, ((Renamed){var, as}));
        if (as->kind == VAR_LOCAL && as->type->kind == TYPE_STATIC_ARRAY) vec_push(placing->arena, &placing->placement->arrays, ((PlacedArray){as, origin, placing->outermost}));
    }
}

static void copy_rest(Placing *placing, StmtVec *into, const Stmt *call, StmtVec rest);

/* A branch; where it comes to its end, what comes behind it is part of it. */
static void copy_branch(Placing *placing, Block *into, const Block *branch, const Stmt *call, StmtVec behind) {
    StmtVec rest = {0};
    for (size_t i = 0; branch != NULL && i < branch->statements.count; i++) vec_push(placing->arena, &rest, branch->statements.items[i]);
    for (size_t i = 0; i < behind.count && ways_out(branch) == 1; i++) vec_push(placing->arena, &rest, behind.items[i]);
    *into = (Block){0};
    if (branch != NULL) into->span = branch->span;
    for (size_t i = 0; branch != NULL && i < branch->locals.count; i++) vec_push(placing->arena, &into->locals, renamed(placing, branch->locals.items[i]));
    copy_rest(placing, &into->statements, call, rest);
}

/* Statements of the function; what it returns goes where the value of the call went. What comes behind a branch that returns is the other branch:
 *
 *     if (a > b) { return a }  c = b / 2  return c          if (a > b) { x = a } else { c = b / 2  x = c } */
static void copy_rest(Placing *placing, StmtVec *into, const Stmt *call, StmtVec rest) {
    for (size_t i = 0; i < rest.count; i++) {
        Stmt *stmt = rest.items[i], *copy = copied(placing, stmt);
        const bool branches = stmt->kind == STMT_IF && returns_in(&stmt->body) + returns_in(stmt->otherwise) > 0;
        if (branches) {
            const StmtVec behind = {.items = rest.items + i + 1, .count = rest.count - i - 1};
            copy_branch(placing, &copy->body, &stmt->body, call, behind);
            copy->otherwise = ARENA_NEW(placing->arena, Block);
            copy_branch(placing, copy->otherwise, stmt->otherwise, call, behind);
        }
        if (copy->kind == STMT_RETURN) copy = assignment(placing, call->target, copy->value, call->span);
        vec_push(placing->arena, into, copy);
        if (branches) return;
    }
}

/* Arguments first, then the function's statements. */
static Block body_for(Placing *placing, const Stmt *stmt, const Expr *call) {
    const Body *function = &call->function->body;
    Looked looked;
    can_be_placed(placing, call, &looked);
    placing->statements += looked.statements;
    placing->placement->placed[call->function->id] = true;
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
    copy_rest(placing, &block.statements, stmt, function->block.statements);
    return block;
}

/* ---- Calls inside of expressions ---------------------------------------------------------------------------------- */

/* Fails for nothing, and reads no memory that may not be there. */
static void look_at_part(void *data, const Expr *expr) {
    bool *harmless = data;
    const bool divides = expr->kind == EXPR_BINARY && (expr->op == OP_DIV || expr->op == OP_MOD) && expr->type->kind == TYPE_INTEGER;
    *harmless &= !divides && expr->kind != EXPR_ELEMENT && expr->kind != EXPR_AT_INDEX && (expr->kind != EXPR_CALL || expr->function->in_place);
    if (*harmless && expr->kind == EXPR_CALL) lower_walk_block(&(Walk){look_at_part, NULL, data}, &expr->function->body.block);
}

static bool is_harmless(const Expr *call) {
    bool harmless = true;
    lower_walk_expr(&(Walk){look_at_part, NULL, &harmless}, call);
    return harmless;
}

/* What is looked for in an expression: calls that change what they are given by reference, or others; of these `maybe`: they are not evaluated whenever the expression is. */
typedef struct Inside { const Placing *placing; bool changing, maybe; } Inside;

/* A call that is evaluated whenever the expression is, or harms nobody, and can be placed. The way there has no subscripts, which others know by themselves (StageUse.gathers). */
static Expr *call_inside(Inside inside, Expr *expr) {
    if (expr == NULL || expr->kind == EXPR_ELEMENT || expr->kind == EXPR_AT_INDEX) return NULL;
    Expr *found = NULL;
    for (size_t i = 0; i < expr->arguments.count && found == NULL; i++) found = call_inside(inside, expr->arguments.items[i]);
    if (found == NULL) found = call_inside(inside, expr->left);
    Inside right = inside;
    right.maybe |= expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR);
    if (found == NULL && (!right.maybe || !inside.changing)) found = call_inside(right, expr->right);
    if (found != NULL || expr->kind != EXPR_CALL || expr->function->changes_something != inside.changing || (inside.maybe && !is_harmless(expr))) return found;
    const Stmt alone = {.kind = STMT_ASSIGN, .value = expr};
    return call_to_place(inside.placing, &alone) != NULL ? expr : NULL;
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

/* Of several calls that change something, none leaves its place. What is assigned a call needs those that its arguments are made with. */
static Expr *call_to_take(const Placing *placing, const Stmt *stmt) {
    Calls calls = {0};
    lower_walk_expr(&(Walk){count_calls, NULL, &calls}, stmt->value);
    if (calls.changing > 1 || calls.changing + calls.others == 0) return NULL;
    Expr *call = NULL;
    if (stmt->kind == STMT_ASSIGN && stmt->value->kind == EXPR_CALL) {
        for (size_t i = 0; i < stmt->value->arguments.count && calls.changing == 0 && call == NULL; i++) call = call_inside((Inside){placing, false, false}, stmt->value->arguments.items[i]);
        return call;
    }
    if (calls.changing == 0) return call_inside((Inside){placing, false, false}, stmt->value);
    call = call_inside((Inside){placing, true, false}, stmt->value);
    return call != NULL && may_come_first(stmt->value, call) ? call : NULL;
}

typedef struct Taken { const Expr *call; Expr *local; } Taken;

static Expr *with_local(void *data, Expr *expr) {
    const Taken *taken = data;
    if (expr == taken->call) return taken->local;
    return expr->kind == EXPR_ELEMENT || expr->kind == EXPR_AT_INDEX ? expr : NULL;
}

/* Takes a call out of the statement's value: returns the assignment of it to a local of its own, to stand before the value is computed; NULL: there is none. */
static Stmt *take_call(Placing *placing, Block *block, Stmt *stmt) {
    const bool takes = stmt->kind == STMT_ASSIGN || stmt->kind == STMT_IF || stmt->kind == STMT_WHILE || stmt->kind == STMT_REDUCE;
    Expr *call = takes ? call_to_take(placing, stmt) : NULL;
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

static void place_in_block(Placing *placing, Block *block);

/* The statement, or what stands in its place. */
static void place_statement(Placing *placing, Block *block, Stmt *stmt) {
    const int loops = placing->loops;
    for (Stmt *taken; loops > 0 && stmt->kind != STMT_WHILE && (taken = take_call(placing, block, stmt)) != NULL;) place_statement(placing, block, taken);
    const Expr *call = loops > 0 ? call_to_place(placing, stmt) : NULL;
    if (call == NULL) {
        const bool loop = stmt->kind == STMT_PARALLEL || (loops > 0 && (stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_WHILE));
        placing->loops += loop;
        if (loops == 0) placing->outermost = stmt;
        place_in_block(placing, &stmt->body);
        for (Stmt *taken; loops > 0 && stmt->kind == STMT_WHILE && (taken = take_call(placing, &stmt->body, stmt)) != NULL;) place_statement(placing, &stmt->body, taken);
        placing->loops = loops;
        if (stmt->otherwise != NULL) place_in_block(placing, stmt->otherwise);
        vec_push(placing->arena, &block->statements, stmt);
        return;
    }
    const Block made = body_for(placing, stmt, call);
    for (size_t i = 0; i < made.locals.count; i++) vec_push(placing->arena, &block->locals, made.locals.items[i]);
    for (size_t i = 0; i < made.statements.count; i++) place_statement(placing, block, made.statements.items[i]);
}

static void place_in_block(Placing *placing, Block *block) {
    const Block old = *block;
    block->statements = (StmtVec){0};
    block->locals = (VarVec){0};
    for (size_t i = 0; i < old.locals.count; i++) vec_push(placing->arena, &block->locals, old.locals.items[i]);
    for (size_t i = 0; i < old.statements.count; i++) place_statement(placing, block, old.statements.items[i]);
}

void lower_put_in_place(Arena *arena, Body *body, Placement *placement) {
    Placing placing = {.arena = arena, .body = body, .placement = placement};
    const VarVec vars = body->vars;
    body->vars = (VarVec){0};
    for (size_t i = 0; i < vars.count; i++) vec_push(arena, &body->vars, vars.items[i]);
    place_in_block(&placing, &body->block);
}

static bool has_small_arrays(const Block *block) {
    bool found = false;
    for (size_t i = 0; i < block->locals.count; i++) found = found || lower_is_small_array(block->locals.items[i]->type);
    for (size_t i = 0; i < block->statements.count && !found; i++) {
        const Stmt *stmt = block->statements.items[i];
        found = has_small_arrays(&stmt->body) || (stmt->otherwise != NULL && has_small_arrays(stmt->otherwise));
    }
    return found;
}

typedef struct Left { Arena *arena; Placement *placement; bool any; } Left;

/* Where an array is left, others of the loop would be in registers for nothing: it goes in no vectors anyway. */
static void find_left(void *data, const Stmt *stmt) {
    Left *left = data;
    if (stmt->kind != STMT_PARALLEL || !has_small_arrays(&stmt->body)) return;
    for (size_t i = 0; i < left->placement->arrays.count; i++) {
        const PlacedArray *array = &left->placement->arrays.items[i];
        if (array->loop != stmt || stays_whole(left->placement, array->origin)) continue;
        vec_push(left->arena, &left->placement->whole, array->origin);
        left->any = true;
    }
}

bool lower_keep_whole(Arena *arena, Placement *placement, const Body *body) {
    Left left = {arena, placement, false};
    lower_walk_block(&(Walk){NULL, find_left, &left}, &body->block);
    return left.any;
}
