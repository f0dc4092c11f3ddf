/* Rounds of a sequential loop that have sums of their own. A sum of Reals goes term by term, each waits for the one before; the sums of several rounds do not
 * wait for each other:
 *
 *     do in sequence {                                         do in sequence {
 *         sum = 0.0                                                sum = 0.0                          sum' = 0.0                              …
 *         do in sequence {                                         do in sequence {
 *             sum = sum + a[k] * u[k][j]                               sum = sum + a[k] * u[k][j]     sum' = sum' + a[k] * u[k][j + 1]        …
 *         } for k in [0...m - 1]                                   } for k in [0...m - 1]
 *         if (sum > best) { best = sum  which = j }                if (sum > best) { … which = j }    if (sum' > best) { … which = j + 1 }    …
 *     } for j in [0...n - 1]                                   } for j in [0...n - 8] step 8
 *                                                              do in sequence { … } for j in [n / 8 * 8...n - 1]
 *
 * What stands in front of the sum and in it may read nothing that what stands behind it writes in an earlier round. A sum that begins at the loop's index,
 * `for k in [j...m - 1]`, begins in each round by itself, as far as the last of them. Neighbouring columns are in one line of the cache, and in one vector.
 * Rounds whose elements lie apart go by fours: they are as many streams. Terms that look their place up in an array (`u[at[k + j]]`) wait for other things than sums.
 *
 * Needs: a use of its own, whose body may be changed, and its gathers; lower_make_panels. Gives: such loops by blocks, and what is left of their rounds. */
#include "compiler/lower/passes.h"
#include "compiler/lower/rewrite.h"
#include "compiler/lower/round_copy.h"
#include "compiler/lower/rounds.h"
#include "compiler/lower/rows.h"

enum { MOST_LANES = 8, FEWER_LANES = 4, MOST_STATEMENTS = 16 };

typedef struct Abreast {
    Arena *arena;
    const Program *program;
    StageUse *use;
    Body *body;
    const Stmt *loop, *sum;  /* the loop over rounds; the one inside, which may have others inside */
    size_t place;            /* of the sum among the statements of a round */
    bool begins;             /* the sum begins at the loop's index plus `more` */
    int64_t more;
    int lanes;
} Abreast;

/* ---- What a round does ------------------------------------------------------------------------------------------- */

static bool is_number(const Type *type) { return type->kind == TYPE_INTEGER || type->kind == TYPE_BOOLEAN || type->kind == TYPE_CHARACTER || type_is_real(type); }

static bool is_local_of_round(const Abreast *abreast, const Expr *target) {
    return target->kind == EXPR_VAR && is_number(target->type) && lower_is_local_of(&abreast->loop->body, target->var);
}

static bool sets_local(const Abreast *abreast, const Stmt *stmt) {
    return stmt->kind == STMT_ASSIGN && is_local_of_round(abreast, stmt->target) && !lower_expr_has_effect(stmt->value);
}

/* sum = sum + …, of Reals: or any other operation in which the sum is on the left. */
static bool adds_reals(const Stmt *stmt) {
    if (!type_is_real(stmt->target->type)) return false;
    return stmt->accumulate != ACCUMULATE_NONE || (stmt->value->kind == EXPR_BINARY && lower_expr_equal(stmt->value->left, stmt->target));
}

/* The statements of the innermost of the loops, if nothing is in them but that. */
static const Block *innermost_of(const Stmt *loop) {
    const Block *body = &loop->body;
    const bool deeper = body->statements.count == 1 && body->locals.count == 0 && body->statements.items[0]->kind == STMT_SEQUENCE;
    if (!lower_counts_up(loop) || lower_expr_has_effect(loop->value)) return NULL;
    return deeper ? innermost_of(body->statements.items[0]) : body;
}

static bool is_sum(const Abreast *abreast, const Stmt *stmt) {
    const Block *inside = stmt->kind == STMT_SEQUENCE && lower_short_rounds(stmt) == 0 ? innermost_of(stmt) : NULL;
    if (inside == NULL || inside->statements.count > MOST_STATEMENTS / 2) return false;
    bool adds = false;
    for (size_t i = 0; i < inside->statements.count; i++) {
        if (!sets_local(abreast, inside->statements.items[i])) return false;
        adds = adds || adds_reals(inside->statements.items[i]);
    }
    return adds;
}

typedef struct Behind { size_t statements; bool plain; } Behind;

static void look_behind(void *data, const Stmt *stmt) {
    Behind *behind = data;
    behind->statements++;
    behind->plain &= (stmt->kind == STMT_ASSIGN && !lower_expr_has_effect(stmt->target)) || stmt->kind == STMT_IF || stmt->kind == STMT_REDUCE || stmt->kind == STMT_BLOCK;
    behind->plain &= stmt->value == NULL || !lower_expr_has_effect(stmt->value);
}

/* Locals that are set, the sum, and what may write anything. */
static bool find_sum(Abreast *abreast) {
    const StmtVec *round = &abreast->loop->body.statements;
    size_t place = 0;
    while (place < round->count && sets_local(abreast, round->items[place])) place++;
    if (place == round->count || place > MOST_STATEMENTS / 2 || !is_sum(abreast, round->items[place])) return false;
    abreast->place = place;
    abreast->sum = round->items[place];
    Behind behind = {.plain = true};
    lower_walk_block(&(Walk){NULL, look_behind, &behind}, &(Block){.statements = {.items = round->items + place + 1, .count = round->count - place - 1}});
    return behind.plain && behind.statements <= MOST_STATEMENTS;
}

/* ---- What it reads ------------------------------------------------------------------------------------------------ */

typedef struct Reads { const Abreast *abreast; const Expr *element; bool apart; } Reads;

static bool is_shifted(const Expr *subscript, const Var *var, int64_t *number) { return lower_term_of(subscript, number) == var; }

/* No later round reads the element where an earlier one writes the other. */
static bool never_meet(const Abreast *abreast, const Expr *read, const Expr *written) {
    for (size_t d = 0; d < read->arguments.count; d++) {
        int64_t here = 0, there = 0;
        if (!is_shifted(written->arguments.items[d], abreast->loop->index, &there)) continue;
        const Expr *subscript = read->arguments.items[d];
        if (is_shifted(subscript, abreast->loop->index, &here) && here == there) return true;
        if (abreast->begins && is_shifted(subscript, abreast->sum->index, &here) && here + abreast->more >= there) return true;
    }
    return false;
}

static void look_at_write(void *data, const Stmt *stmt) {
    Reads *reads = data;
    const Expr *target = stmt->target;
    if (stmt->kind != STMT_ASSIGN || lower_place_root(target) != reads->element->var) return;
    while (target->kind == EXPR_FIELD || target->kind == EXPR_AT_INDEX) target = target->left;
    if (target->kind != EXPR_ELEMENT || target->lag != reads->element->lag || !never_meet(reads->abreast, reads->element, target)) reads->apart = false;
}

/* Whether rounds that go together read what they would have read one after the other. */
static void look_at_read(void *data, const Expr *expr) {
    Reads *reads = data;
    const Block *round = &reads->abreast->loop->body;
    if ((expr->kind != EXPR_VAR && expr->kind != EXPR_ELEMENT) || lower_block_writes(round, expr->var) == 0) return;
    if (expr->kind == EXPR_VAR) reads->apart &= lower_is_local_of(round, expr->var) || expr->var->kind == VAR_INDEX;
    reads->element = expr;
    if (expr->kind == EXPR_ELEMENT) lower_walk_block(&(Walk){NULL, look_at_write, reads}, round);
}

/* Asked in front of the blocks and behind them. */
static void look_at_range(void *data, const Expr *expr) {
    Reads *reads = data;
    if (expr->kind == EXPR_VAR || expr->kind == EXPR_ELEMENT) reads->apart &= lower_block_writes(&reads->abreast->loop->body, expr->var) == 0;
}

static void look_at_target(void *data, const Stmt *stmt) {
    Reads *reads = data;
    if (stmt->kind == STMT_REDUCE) reads->apart &= !lower_expr_mentions(reads->abreast->loop->value, stmt->target->var);
    if (stmt->kind != STMT_ASSIGN) return;
    const Var *root = lower_place_root(stmt->target);
    const Formal *formal = lower_formal(reads->abreast->use, root);
    reads->apart &= root->kind == VAR_LOCAL || (formal != NULL && formal->restricted);
}

static bool may_go_together(const Abreast *abreast) {
    const Block *round = &abreast->loop->body;
    Reads reads = {abreast, NULL, true};
    lower_walk_expr(&(Walk){look_at_range, NULL, &reads}, abreast->loop->value);
    lower_walk_block(&(Walk){look_at_read, NULL, &reads}, &(Block){.statements = {.items = round->statements.items, .count = abreast->place + 1}});
    lower_walk_block(&(Walk){NULL, look_at_target, &reads}, round);
    return reads.apart;
}

/* Bounds of the sum are the same in all rounds, but that it may begin with the index. */
static bool find_bounds(Abreast *abreast) {
    const Expr *range = abreast->sum->value;
    const Var *index = abreast->loop->index;
    abreast->begins = range->kind == EXPR_RANGE && lower_term_of(range->left, &abreast->more) == index;
    if (lower_expr_mentions(abreast->begins ? range->right : range, index)) return false;
    for (const Stmt *inside = abreast->sum; inside->body.statements.items[0]->kind == STMT_SEQUENCE;) {
        inside = inside->body.statements.items[0];
        if (lower_expr_mentions(inside->value, index)) return false;
    }
    const VarVec *locals = &abreast->loop->body.locals;
    for (size_t i = 0; i < locals->count; i++)
        if (lower_expr_mentions(range, locals->items[i])) return false;
    return true;
}

typedef struct Lies { const StageUse *use; const Var *index; bool apart, anywhere; } Lies;

static void find_element(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_ELEMENT; }

static void look_where(void *data, const Expr *expr) {
    Lies *lies = data;
    if (expr->kind != EXPR_ELEMENT || !lower_expr_mentions(expr, lies->index)) return;
    lies->apart |= !lower_expr_mentions(expr->arguments.items[lower_fastest_dimension(lies->use, expr)], lies->index);
    for (size_t d = 0; d < expr->arguments.count; d++) lower_walk_expr(&(Walk){find_element, NULL, &lies->anywhere}, expr->arguments.items[d]);
}

/* ---- Loops by blocks ----------------------------------------------------------------------------------------------- */

static Expr *new_expr(const Abreast *abreast, ExprKind kind, Expr *left, Expr *right) {
    Expr *expr = ARENA_NEW(abreast->arena, Expr);
    *expr = (Expr){.kind = kind, .type = lower_integer_type(abreast->program), .span = abreast->loop->span, .left = left, .right = right};
    return expr;
}

static Expr *name_of(const Abreast *abreast, Var *var) { return lower_name_of(abreast->arena, abreast->program, var, abreast->loop->span); }

static Expr *range_of(const Abreast *abreast, Expr *first, Expr *last) {
    Expr *range = new_expr(abreast, EXPR_RANGE, first, last);
    range->type = abreast->sum->value->type;
    return range;
}

static Expr *binary(const Abreast *abreast, Operator op, Expr *left, Expr *right) {
    Expr *expr = new_expr(abreast, EXPR_BINARY, left, right);
    expr->op = op;
    return expr;
}

static Expr *number_of(const Abreast *abreast, int64_t number) {
    Expr *literal = new_expr(abreast, EXPR_INTEGER, NULL, NULL);
    literal->integer = number;
    return literal;
}

static Expr *extremum_of(const Abreast *abreast, const char *math, Expr *a, Expr *b) {
    Expr *extremum = new_expr(abreast, EXPR_MATH, NULL, NULL);
    extremum->math = math;
    vec_push(abreast->arena, &extremum->arguments, a);
    vec_push(abreast->arena, &extremum->arguments, b);
    return extremum;
}

static Expr *plus(const Abreast *abreast, Expr *expr, int64_t number) {
    if (number == 0) return expr;
    return binary(abreast, number < 0 ? OP_SUB : OP_ADD, expr, number_of(abreast, number < 0 ? -number : number));
}

static Expr *end_of(const Abreast *abreast, Expr *range, RangePart part) {
    if (range->kind == EXPR_RANGE) return part == RANGE_MIN ? range->left : range->right;
    Expr *end = new_expr(abreast, EXPR_RANGE_PART, range, NULL);
    end->part = part;
    return end;
}

static Var *new_index(const Abreast *abreast, const char *name) {
    Var *var = ARENA_NEW(abreast->arena, Var);
    *var = (Var){.kind = VAR_INDEX, .name = name, .type = lower_integer_type(abreast->program), .span = abreast->loop->span, .id = (int)abreast->body->vars.count};
    vec_push(abreast->arena, &abreast->body->vars, var);
    return var;
}

static Stmt *new_loop(const Abreast *abreast, const Stmt *like, Expr *range) {
    Stmt *loop = ARENA_NEW(abreast->arena, Stmt);
    *loop = *like;
    loop->value = range;
    loop->body = (Block){.span = like->body.span};
    return loop;
}

/* The sums of all rounds of a block, in one loop. */
static Stmt *joined(const Abreast *abreast, RoundCopy *rounds, const Stmt *loop, Expr *range) {
    Stmt *all = new_loop(abreast, loop, range);
    const Stmt *first = loop->body.statements.items[0];
    if (first->kind == STMT_SEQUENCE) {
        vec_push(abreast->arena, &all->body.statements, joined(abreast, rounds, first, lower_copy_expr(&rounds[0], first->value)));
        return all;
    }
    for (int lane = 0; lane < abreast->lanes; lane++) lower_copy_round(&rounds[lane], &loop->body, &all->body);
    return all;
}

/* What the rounds have of their sums before the last one of them begins, each by itself; then all together. */
static void add_sums(const Abreast *abreast, RoundCopy *rounds, Block *block) {
    const Expr *range = abreast->sum->value;
    const int last = abreast->lanes - 1;
    for (int lane = 0; abreast->begins && lane < last; lane++) {
        Expr *end = extremum_of(abreast, "llmin", lower_copy_expr(&rounds[lane], range->right), plus(abreast, rounds[0].as, last - 1 + abreast->more));
        Stmt *own = new_loop(abreast, abreast->sum, range_of(abreast, plus(abreast, rounds[0].as, lane + abreast->more), end));
        lower_copy_round(&rounds[lane], &abreast->sum->body, &own->body);
        vec_push(abreast->arena, &block->statements, own);
    }
    Expr *all = lower_copy_expr(&rounds[0], range);
    if (abreast->begins) all->left = plus(abreast, rounds[0].as, last + abreast->more);
    vec_push(abreast->arena, &block->statements, joined(abreast, rounds, abreast->sum, all));
}

static void add_block_of_rounds(const Abreast *abreast, Block *block, Var *index) {
    const Block *round = &abreast->loop->body;
    RoundCopy rounds[MOST_LANES];
    for (int lane = 0; lane < abreast->lanes; lane++) {
        rounds[lane] = (RoundCopy){.arena = abreast->arena, .use = abreast->use, .body = abreast->body, .index = abreast->loop->index, .as = plus(abreast, name_of(abreast, index), lane)};
        lower_copy_locals(&rounds[lane], round, block);
        for (size_t i = 0; i < abreast->place; i++) lower_copy_statement(&rounds[lane], round->statements.items[i], block);
    }
    add_sums(abreast, rounds, block);
    for (int lane = 0; lane < abreast->lanes; lane++)
        for (size_t i = abreast->place + 1; i < round->statements.count; i++) lower_copy_statement(&rounds[lane], round->statements.items[i], block);
}

/* Where the rounds begin that blocks leave. */
static Expr *rest_of(const Abreast *abreast, Expr *first, Expr *last) {
    const bool from_0 = first->kind == EXPR_INTEGER && first->integer == 0;
    Expr *count = extremum_of(abreast, "llmax", plus(abreast, from_0 ? last : binary(abreast, OP_SUB, last, first), 1), number_of(abreast, 0));
    Expr *done = binary(abreast, OP_MUL, binary(abreast, OP_DIV, count, number_of(abreast, abreast->lanes)), number_of(abreast, abreast->lanes));
    return from_0 ? done : binary(abreast, OP_ADD, first, done);
}

/* Adds the loop over blocks, and the loop over what they leave, in the place of the loop. */
static void add_loops(const Abreast *abreast, Block *around, Stmt *rest) {
    Expr *first = end_of(abreast, rest->value, RANGE_MIN), *last = end_of(abreast, rest->value, RANGE_MAX);
    Stmt *blocks = new_loop(abreast, rest, range_of(abreast, first, plus(abreast, last, 1 - abreast->lanes)));
    blocks->index = new_index(abreast, rest->index->name);
    blocks->step = number_of(abreast, abreast->lanes);
    add_block_of_rounds(abreast, &blocks->body, blocks->index);
    vec_push(abreast->arena, &around->statements, blocks);
    rest->value = range_of(abreast, rest_of(abreast, first, last), last);
    rest->step = NULL;
    vec_push(abreast->arena, &around->statements, rest);
}

/* ---- Bodies --------------------------------------------------------------------------------------------------------- */

static bool is_abreast(Abreast *abreast) {
    if (abreast->loop->kind != STMT_SEQUENCE || !lower_counts_up(abreast->loop) || lower_short_rounds(abreast->loop) > 0) return false;
    if (!find_sum(abreast) || !find_bounds(abreast) || !may_go_together(abreast)) return false;
    Lies lies = {abreast->use, abreast->loop->index, false, false};
    lower_walk_block(&(Walk){look_where, NULL, &lies}, &abreast->sum->body);
    abreast->lanes = lies.apart ? FEWER_LANES : MOST_LANES;
    return !lies.anywhere;
}

static void look_at_block(const Abreast *like, Block *block) {
    const StmtVec old = block->statements;
    block->statements = (StmtVec){0};
    for (size_t i = 0; i < old.count; i++) {
        Stmt *stmt = old.items[i];
        Abreast abreast = *like;
        abreast.loop = stmt;
        if (is_abreast(&abreast)) {
            add_loops(&abreast, block, stmt);
            continue;
        }
        const bool in_lanes = stmt->kind == STMT_PARALLEL && nest_body_in_lanes(lower_nest(like->arena, like->use, stmt));
        if (!in_lanes) look_at_block(like, &stmt->body);
        if (stmt->otherwise != NULL) look_at_block(like, stmt->otherwise);
        vec_push(like->arena, &block->statements, stmt);
    }
}

void lower_put_side_by_side(Arena *arena, const Program *program, StageUse *use, Body *body) {
    look_at_block(&(Abreast){.arena = arena, .program = program, .use = use, .body = body}, &body->block);
}
