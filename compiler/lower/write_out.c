/* Short sequential loops around neighbours on a ring:
 *
 *     do in sequence {
 *         do in sequence {
 *             if (p != 0 or q != 0) { near = near + u[(i + p + rows) % rows][(j + q + columns) % columns] }
 *         } for q in [-1...1]
 *     } for p in [-1...1]
 *
 * Their rounds stand one behind the other here already, each with its numbers in the place of the indices, so that what is divided can be seen (wraps.c). Conditions that are known
 * then are decided. (C compilers write out short loops of other kinds by themselves.)
 *
 * Needs: a use of its own, whose body's blocks and variables may be changed, and its gathers. Gives: bodies without such loops, and more locals; of a subscript that is known by itself (StageUse.gathers), its copies are, too. */
#include "compiler/lower/passes.h"
#include "compiler/lower/known_integers.h"
#include "compiler/lower/rounds.h"

enum { MOST_ROUNDS = 8, MOST_STATEMENTS = 64, SMALL = SMALL_LITERAL };

typedef struct Renamed { const Var *var; Var *as; } Renamed;
typedef struct Writing {
    Arena *arena;
    StageUse *use;
    Body *body;           /* the use's */
    const Var *index;
    int64_t value;        /* of the index in the round that is copied */
    VEC(Renamed) names;   /* locals of the round */
} Writing;

/* ---- Which loops -------------------------------------------------------------------------------------------- */

typedef struct Looked { const Var *index; size_t statements; bool plain, divides; } Looked;

static void look_at_expr(void *data, const Expr *expr) {
    Looked *looked = data;
    const bool division = expr->kind == EXPR_BINARY && (expr->op == OP_DIV || expr->op == OP_MOD) && expr->type->kind == TYPE_INTEGER && expr->right->kind != EXPR_INTEGER;
    looked->divides |= division && lower_expr_mentions(expr->left, looked->index);
}

static void look_at_stmt(void *data, const Stmt *stmt) {
    Looked *looked = data;
    looked->statements++;
    looked->plain &= stmt->kind == STMT_ASSIGN || stmt->kind == STMT_IF || (stmt->kind == STMT_SEQUENCE && lower_short_rounds(stmt) > 0);
}

static bool is_small(const Expr *expr) { return expr->kind == EXPR_INTEGER && expr->integer > -SMALL && expr->integer < SMALL; }

static bool is_to_write_out(void *data, const Stmt *stmt) {
    (void)data;
    if (stmt->kind != STMT_SEQUENCE || stmt->step || stmt->value->kind != EXPR_RANGE || !is_small(stmt->value->left) || !is_small(stmt->value->right)) return false;
    const int rounds = lower_short_rounds(stmt);
    Looked looked = {.index = stmt->index, .plain = rounds > 0 && rounds <= MOST_ROUNDS};
    if (looked.plain) lower_walk_block(&(Walk){look_at_expr, look_at_stmt, &looked}, &stmt->body);
    return looked.plain && looked.divides && looked.statements * (size_t)rounds <= MOST_STATEMENTS;
}

/* ---- A round ---------------------------------------------------------------------------------------------------- */

static Expr *literal(const Writing *writing, const Expr *like, ExprKind kind, int64_t value) {
    Expr *expr = ARENA_NEW(writing->arena, Expr);
    *expr = (Expr){.kind = kind, .type = like->type, .span = like->span, .integer = value};
    return expr;
}

static bool is_known(const Expr *expr, ExprKind kind, int64_t value) { return expr->kind == kind && expr->integer == value; }

/* Of numbers: their comparison; of small ones: sums, products and quotients. */
static Expr *computed(const Writing *writing, Expr *expr) {
    int64_t value = 0;
    if (!lower_computed(expr->op, expr->left->integer, expr->right->integer, &value)) return expr;
    return literal(writing, expr, expr->type->kind == TYPE_BOOLEAN ? EXPR_BOOLEAN : EXPR_INTEGER, value);
}

/* Of literals: the least or the largest, what has another sign, or is not so. */
static Expr *computed_otherwise(const Writing *writing, Expr *expr) {
    int64_t value = 0;
    const bool known = (expr->kind == EXPR_UNARY || lower_is_extremum(expr)) && lower_known_value(NULL, expr, &value);
    return known ? literal(writing, expr, expr->type->kind == TYPE_BOOLEAN ? EXPR_BOOLEAN : EXPR_INTEGER, value) : expr;
}

/* A copy whose parts are known, in fewer words if that is possible: without sums with 0 or negative numbers, and what is decided. */
static Expr *shortened(const Writing *writing, Expr *expr) {
    Expr *left = expr->left, *right = expr->right;
    if (left->kind == EXPR_INTEGER && right->kind == EXPR_INTEGER) return computed(writing, expr);
    if (expr->op == OP_AND || expr->op == OP_OR) {
        const bool decides = expr->op == OP_OR;
        if (is_known(left, EXPR_BOOLEAN, decides)) return left;
        return is_known(left, EXPR_BOOLEAN, !decides) ? right : is_known(right, EXPR_BOOLEAN, !decides) ? left : expr;
    }
    const bool sum = (expr->op == OP_ADD || expr->op == OP_SUB) && expr->type->kind == TYPE_INTEGER;
    if (sum && is_known(right, EXPR_INTEGER, 0)) return left;
    if (!sum || !is_small(right) || right->integer >= 0) return expr;
    expr->op = expr->op == OP_ADD ? OP_SUB : OP_ADD;
    expr->right = literal(writing, right, EXPR_INTEGER, -right->integer);
    return expr;
}

static Expr *in_round(Writing *writing, const Expr *expr);

/* What the subscript takes from an array of indices, without literals that are added to it. */
static const Expr *without_literals(const Expr *subscript) {
    while (subscript->kind == EXPR_BINARY && (subscript->op == OP_ADD || subscript->op == OP_SUB) && subscript->right->kind == EXPR_INTEGER) subscript = subscript->left;
    return subscript;
}

static Expr *subscript_in_round(Writing *writing, const Expr *subscript) {
    Expr *copy = in_round(writing, subscript);
    const size_t count = writing->use->gathers.count;
    for (size_t i = 0; i < count; i++) {
        Gather gather = writing->use->gathers.items[i];
        if (gather.subscript != subscript) continue;
        gather.subscript = copy;
        if (gather.direct) gather.from = without_literals(copy);
        vec_push(writing->arena, &writing->use->gathers, gather);
    }
    return copy;
}

static Expr *in_round(Writing *writing, const Expr *expr) {
    if (expr == NULL) return NULL;
    if (expr->kind == EXPR_VAR && expr->var == writing->index) return literal(writing, expr, EXPR_INTEGER, writing->value);
    Expr *copy = ARENA_NEW(writing->arena, Expr);
    *copy = *expr;
    for (size_t i = 0; i < writing->names.count && expr->kind == EXPR_VAR; i++)
        if (writing->names.items[i].var == expr->var) copy->var = writing->names.items[i].as;
    copy->left = in_round(writing, expr->left);
    copy->right = in_round(writing, expr->right);
    copy->arguments = (ExprVec){0};
    for (size_t i = 0; i < expr->arguments.count; i++) vec_push(writing->arena, &copy->arguments, (expr->kind == EXPR_ELEMENT ? subscript_in_round : in_round)(writing, expr->arguments.items[i]));
    return expr->kind == EXPR_BINARY ? shortened(writing, copy) : computed_otherwise(writing, copy);
}

static void add_round(Writing *writing, const Block *round, Block *block);

static Block *as_block(Writing *writing, const Block *round) {
    Block *block = ARENA_NEW(writing->arena, Block);
    *block = (Block){.span = round->span};
    add_round(writing, round, block);
    return block;
}

static void add_statement(Writing *writing, const Stmt *stmt, Block *block) {
    Expr *value = in_round(writing, stmt->value);
    if (stmt->kind == STMT_IF && value->kind == EXPR_BOOLEAN) {
        if (value->integer) add_round(writing, &stmt->body, block);
        else if (stmt->otherwise) add_round(writing, stmt->otherwise, block);
        return;
    }
    Stmt *copy = ARENA_NEW(writing->arena, Stmt);
    *copy = *stmt;
    copy->value = value;
    copy->target = in_round(writing, stmt->target);
    copy->factor_a = in_round(writing, stmt->factor_a);
    copy->factor_b = in_round(writing, stmt->factor_b);
    copy->step = in_round(writing, stmt->step);
    copy->body = *as_block(writing, &stmt->body);
    if (stmt->otherwise) copy->otherwise = as_block(writing, stmt->otherwise);
    vec_push(writing->arena, &block->statements, copy);
}

static void add_round(Writing *writing, const Block *round, Block *block) {
    for (size_t i = 0; i < round->locals.count; i++) {
        Var *as = ARENA_NEW(writing->arena, Var);
        *as = *round->locals.items[i];
        as->id = (int)writing->body->vars.count;
        vec_push(writing->arena, &writing->body->vars, as);
        vec_push(writing->arena, &block->locals, as);
        vec_push(writing->arena, &writing->names, ((Renamed){round->locals.items[i], as}));
    }
    for (size_t i = 0; i < round->statements.count; i++) add_statement(writing, round->statements.items[i], block);
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

typedef struct Chosen { Arena *arena; StageUse *use; Body *body; bool (*is_chosen)(void *data, const Stmt *stmt); void *data; } Chosen;

static void write_out(const Chosen *chosen, Block *block);

static void add_loop(const Chosen *chosen, const Stmt *stmt, Block *block) {
    Block rounds = {0};
    Rounds known = {0};
    lower_known_rounds(NULL, stmt, &known);
    for (int64_t round = 0; round < known.count; round++)
        add_round(&(Writing){.arena = chosen->arena, .use = chosen->use, .body = chosen->body, .index = stmt->index, .value = known.first + round * known.step}, &stmt->body, &rounds);
    write_out(chosen, &rounds);
    for (size_t i = 0; i < rounds.locals.count; i++) vec_push(chosen->arena, &block->locals, rounds.locals.items[i]);
    for (size_t i = 0; i < rounds.statements.count; i++) vec_push(chosen->arena, &block->statements, rounds.statements.items[i]);
}

static void write_out(const Chosen *chosen, Block *block) {
    const StmtVec old = block->statements;
    block->statements = (StmtVec){0};
    for (size_t i = 0; i < old.count; i++) {
        Stmt *stmt = old.items[i];
        Rounds known;
        if (chosen->is_chosen(chosen->data, stmt) && lower_known_rounds(NULL, stmt, &known)) {
            add_loop(chosen, stmt, block);
            continue;
        }
        write_out(chosen, &stmt->body);
        if (stmt->otherwise) write_out(chosen, stmt->otherwise);
        vec_push(chosen->arena, &block->statements, stmt);
    }
}

static void in_parallel_loops(const Chosen *chosen, Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_PARALLEL) write_out(chosen, &stmt->body);
        else in_parallel_loops(chosen, &stmt->body);
        if (stmt->otherwise) in_parallel_loops(chosen, stmt->otherwise);
    }
}

void lower_write_out_loops(Arena *arena, StageUse *use, Body *body, bool (*is_chosen)(void *data, const Stmt *stmt), void *data) {
    in_parallel_loops(&(Chosen){arena, use, body, is_chosen, data}, &body->block);
}

void lower_write_out(Arena *arena, StageUse *use, Body *body) { lower_write_out_loops(arena, use, body, is_to_write_out, NULL); }
