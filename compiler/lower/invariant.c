/* What is the same in all rounds of a loop inside of a data-parallel one is computed in front of it:
 *
 *     do {                                                       spot = quote[i].spot
 *         spot = quote[i].spot                                   log_value = log(spot / strike)
 *         d = (log(spot / strike) + s * now) / now               do {
 *         …                                                          d = (log_value + s * now) / now
 *     } while fabs(off) > 1e-9                                       …
 *
 * C compilers do so where such a loop runs by itself; where the iterations around it go through it side by side (lanes.c), what is the same in all rounds
 * differs from lane to lane, and they compute it in each round. So what moves is what costs something, mathematical functions, and fields of elements,
 * which vectors gather; and what these are made of. Elements are read in front of loops alone that run at least once (do … while), in which no element is written.
 *
 * Needs: lower_put_in_place, locals of user types taken apart; a body whose blocks and variables may be changed. Gives: blocks whose loops are shorter. */
#include "compiler/lower/passes.h"
#include "compiler/lower/rewrite.h"

#include <string.h>

typedef struct Moving {
    Arena *arena;
    const Program *program;
    Body *body;
    const Stmt *loop;   /* out of which */
    bool elements;      /* may be read in front of it */
    bool always;        /* what is looked at is computed in each round */
    bool factors;       /* of products that are accumulated, whose factors stand by themselves, too */
    VEC(const Var *) moved;
    Block *before;      /* gets what moves */
} Moving;

/* ---- What is the same in all rounds ---------------------------------------------------------------------------- */

static bool is_cheap(const char *math) {
    static const char *const names[] = {"fabs", "fmin", "fmax", "floor", "ceil", "trunc", "copysign", "fabove", "fbelow"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(math, names[i]) == 0) return true;
    return false;
}

/* functions: that cost something. (Of literals alone C compilers compute them.) */
typedef struct Parts { bool functions, variables, choices; } Parts;

static void find_part(void *data, const Expr *expr) {
    Parts *parts = data;
    parts->functions |= expr->kind == EXPR_MATH && type_is_real(expr->type) && !is_cheap(expr->math);
    parts->variables |= expr->kind == EXPR_VAR || expr->kind == EXPR_ELEMENT;
    parts->choices |= expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR);
}

static Parts parts_of(const Expr *expr) {
    Parts parts = {0};
    if (expr != NULL) lower_walk_expr(&(Walk){find_part, NULL, &parts}, expr);
    return parts;
}

static bool is_costly(const Expr *expr) {
    const Parts parts = parts_of(expr);
    return parts.functions && parts.variables;
}

static bool is_field_of_element(const Expr *expr) { return expr->kind == EXPR_FIELD && lower_element_of(expr)->kind == EXPR_ELEMENT; }

static bool is_value(const Type *type) { return type_is_real(type) || type->kind == TYPE_INTEGER || type->kind == TYPE_BOOLEAN; }

static void find_index(void *data, const Stmt *stmt) {
    const Var **var = data;
    bool found = stmt->index == *var;
    for (size_t i = 0; i < stmt->indices.count; i++) found = found || stmt->indices.items[i].var == *var;
    if (found) *var = NULL;
}

static bool is_index_inside(const Moving *moving, const Var *var) {
    lower_walk_block(&(Walk){NULL, find_index, &var}, &(Block){.statements = {.items = (Stmt *[]){(Stmt *)moving->loop}, .count = 1}});
    return var == NULL;
}

static bool has_moved(const Moving *moving, const Var *var) {
    for (size_t i = 0; i < moving->moved.count; i++)
        if (moving->moved.items[i] == var) return true;
    return false;
}

static bool stays(const Moving *moving, const Var *var) {
    return has_moved(moving, var) || (lower_block_writes(&moving->loop->body, var) == 0 && !is_index_inside(moving, var));
}

/* Its value, without anything that may fail, call or change something. elements: it may read some. */
static bool is_same(const Moving *moving, const Expr *expr, bool elements) {
    if (expr == NULL) return true;
    switch (expr->kind) {
    case EXPR_INTEGER: case EXPR_REAL: case EXPR_BOOLEAN: case EXPR_CHARACTER: return true;
    case EXPR_VAR: return expr->lag == 0 && !var_is_array(expr->var) && stays(moving, expr->var);
    case EXPR_ELEMENT:
        if (!elements) return false;
        break;
    case EXPR_FIELD: return lower_element_of(expr)->kind == EXPR_ELEMENT && is_same(moving, expr->left, elements);
    case EXPR_UNARY: case EXPR_MATH: break;
    case EXPR_CONVERT:
        if (!type_is_real(expr->type)) return false;
        break;
    case EXPR_BINARY:
        if ((expr->op == OP_DIV || expr->op == OP_MOD) && expr->type->kind == TYPE_INTEGER) return false;
        if (expr->type->kind == TYPE_INTEGER && !elements) return false; /* checked builds say where it does not fit: not where no round comes to it */
        break;
    default: return false;
    }
    for (size_t i = 0; i < expr->arguments.count; i++)
        if (!is_same(moving, expr->arguments.items[i], elements)) return false;
    return is_same(moving, expr->left, elements) && is_same(moving, expr->right, elements);
}

/* ---- Whole assignments ------------------------------------------------------------------------------------------ */

/* Of a local of the loop, which gets nothing else. */
static bool may_move(const Moving *moving, const Stmt *stmt) {
    if (stmt->kind != STMT_ASSIGN || stmt->accumulate != ACCUMULATE_NONE || stmt->target->kind != EXPR_VAR) return false;
    const Var *var = stmt->target->var;
    bool own = false;
    for (size_t i = 0; i < moving->loop->body.locals.count; i++) own = own || moving->loop->body.locals.items[i] == var;
    return own && is_value(stmt->target->type) && lower_block_writes(&moving->loop->body, var) == 1 && is_same(moving, stmt->value, moving->elements);
}

static bool pays(const Stmt *stmt) { return is_costly(stmt->value) || is_field_of_element(stmt->value); }

/* Which of the loop's own statements move: those that pay, and those that these are made of. */
static size_t choose(Moving *moving, bool *moves) {
    const StmtVec *statements = &moving->loop->body.statements;
    size_t count = 0;
    for (size_t i = 0; i < statements->count; i++) {
        moves[i] = may_move(moving, statements->items[i]);
        if (moves[i]) vec_push(moving->arena, &moving->moved, statements->items[i]->target->var);
    }
    moving->moved.count = 0;
    for (size_t i = statements->count; i-- > 0;) {
        const Stmt *stmt = statements->items[i];
        bool needed = moves[i] && pays(stmt);
        for (size_t k = i + 1; moves[i] && !needed && k < statements->count; k++) needed = moves[k] && lower_expr_mentions(statements->items[k]->value, stmt->target->var);
        moves[i] = needed;
        count += needed;
    }
    for (size_t i = 0; i < statements->count; i++)
        if (moves[i]) vec_push(moving->arena, &moving->moved, statements->items[i]->target->var);
    return count;
}

static void move_statements(Moving *moving, Block *body) {
    const Block old = *body;
    bool *moves = ARENA_ARRAY(moving->arena, bool, old.statements.count + 1);
    if (choose(moving, moves) == 0) return;
    body->statements = (StmtVec){0};
    body->locals = (VarVec){0};
    for (size_t i = 0; i < old.locals.count; i++) vec_push(moving->arena, has_moved(moving, old.locals.items[i]) ? &moving->before->locals : &body->locals, old.locals.items[i]);
    for (size_t i = 0; i < old.statements.count; i++) vec_push(moving->arena, moves[i] ? &moving->before->statements : &body->statements, old.statements.items[i]);
}

/* ---- Parts of expressions ------------------------------------------------------------------------------------------ */

/* Functions of what stays, wherever they stand: computed in vain at worst; and fields that each round reads. */
static bool leaves(const Moving *moving, const Expr *expr) {
    if (is_field_of_element(expr)) return moving->always && is_value(expr->type) && is_same(moving, expr, true);
    return type_is_real(expr->type) && (expr->kind == EXPR_MATH || !moving->factors) && is_costly(expr) && is_same(moving, expr, false);
}

static Expr *with_local(void *data, Expr *expr) {
    Moving *moving = data;
    if (!leaves(moving, expr)) return expr->kind == EXPR_ELEMENT || expr->kind == EXPR_AT_INDEX || expr->kind == EXPR_FIELD ? expr : NULL; /* subscripts others know by themselves (StageUse.gathers) */
    Var *var = ARENA_NEW(moving->arena, Var);
    const char *name = expr->kind == EXPR_MATH ? arena_printf(moving->arena, "%s_value", expr->math) : expr->kind == EXPR_FIELD ? lower_element_of(expr)->var->name : "same";
    *var = (Var){.kind = VAR_LOCAL, .name = name, .type = expr->type, .span = expr->span, .id = (int)moving->body->vars.count};
    vec_push(moving->arena, &moving->body->vars, var);
    vec_push(moving->arena, &moving->before->locals, var);
    Stmt *stmt = ARENA_NEW(moving->arena, Stmt);
    *stmt = (Stmt){.kind = STMT_ASSIGN, .span = expr->span, .target = lower_name_of(moving->arena, moving->program, var, expr->span), .value = expr};
    vec_push(moving->arena, &moving->before->statements, stmt);
    return lower_name_of(moving->arena, moving->program, var, expr->span);
}

static void move_parts(Moving *moving, Stmt *stmt);

static void move_parts_of(Moving *moving, const Block *block) {
    for (size_t i = 0; block != NULL && i < block->statements.count; i++) move_parts(moving, block->statements.items[i]);
}

static void move_parts(Moving *moving, Stmt *stmt) {
    if (stmt->kind == STMT_EXTERN) return;
    const bool outside = moving->always;
    moving->always = outside && !parts_of(stmt->value).choices;
    moving->factors = stmt->factor_a != NULL;
    lower_rewrite_stmt(&(Rewriting){moving->arena, with_local, moving, {0}}, stmt);
    moving->always = outside && stmt->kind == STMT_BLOCK;
    move_parts_of(moving, &stmt->body);
    move_parts_of(moving, stmt->otherwise);
    moving->always = outside;
}

/* ---- Loops --------------------------------------------------------------------------------------------------------- */

static void find_other(void *data, const Stmt *stmt) {
    const bool sets = stmt->kind == STMT_ASSIGN && lower_element_of(stmt->target)->kind == EXPR_VAR;
    *(bool *)data &= sets || stmt->kind == STMT_IF || stmt->kind == STMT_BLOCK || stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_WHILE;
}

static void find_changing_call(void *data, const Expr *expr) { *(bool *)data &= expr->kind != EXPR_CALL || !expr->function->changes_something; }

/* The loop as it stands in `before`, in front of which there is what left it. */
static void move_out(Moving *moving, Stmt *loop) {
    moving->loop = loop;
    moving->moved.count = 0;
    bool plain = true;
    lower_walk_block(&(Walk){find_changing_call, find_other, &plain}, &loop->body);
    lower_walk_expr(&(Walk){find_changing_call, NULL, &plain}, loop->value);
    if (loop->step != NULL) lower_walk_expr(&(Walk){find_changing_call, NULL, &plain}, loop->step);
    if (!plain) return;
    moving->elements = moving->always = loop->kind == STMT_WHILE;
    move_statements(moving, &loop->body);
    move_parts_of(moving, &loop->body);
    moving->always = moving->always && !parts_of(loop->value).choices;
    moving->factors = false;
    if (loop->kind == STMT_WHILE) lower_rewrite_stmt(&(Rewriting){moving->arena, with_local, moving, {0}}, loop);
}

static void look_into(Moving *moving, Block *block, bool inside) {
    const Block old = *block;
    block->statements = (StmtVec){0};
    block->locals = (VarVec){0};
    for (size_t i = 0; i < old.locals.count; i++) vec_push(moving->arena, &block->locals, old.locals.items[i]);
    for (size_t i = 0; i < old.statements.count; i++) {
        Stmt *stmt = old.statements.items[i];
        look_into(moving, &stmt->body, inside || stmt->kind == STMT_PARALLEL);
        if (stmt->otherwise != NULL) look_into(moving, stmt->otherwise, inside);
        moving->before = block;
        if (inside && (stmt->kind == STMT_WHILE || stmt->kind == STMT_SEQUENCE)) move_out(moving, stmt);
        vec_push(moving->arena, &block->statements, stmt);
    }
}

void lower_move_invariants(Arena *arena, const Program *program, Body *body) {
    Moving moving = {.arena = arena, .program = program, .body = body};
    look_into(&moving, &body->block, false);
}
