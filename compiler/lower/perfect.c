/* Nests that are perfect (one statement, all loops around it) out of others. Products that are written as loops inside of loops, or add to a local, become the one nest that they are:
 *
 *     do {                                                                  do { c[i][j] = 0.0 } for i, j in c
 *         sum = 0.0                                                         do { c[i][j] = c[i][j] + a[i][k] * b[k][j] } for i, j in c; k in …
 *         do in sequence { sum = sum + a[i][k] * b[k][j] } for k in …       do { c[i][j] = alpha * c[i][j] } for i, j in c
 *         c[i][j] = alpha * sum
 *     } for i, j in c
 *
 * Each element accumulates over the same indices in the same order, whichever loop stands around which other one and whether its iterations were to run in sequence; what
 * the local would have had is in the element, which nobody else asks for meanwhile. Nothing is moved but where a product comes of it (nest.h), of more than a few terms; or where several sums in
 * one loop have nothing to do with each other and wait for each other:
 *
 *     do { t[i] = t[i] + a[i][j] * x[j]                                     do { t[i] = t[i] + a[i][j] * x[j] } for i, j in a
 *          s[j] = s[j] + a[i][j] * y[i] } for i, j in a                     do { s[j] = s[j] + a[i][j] * y[i] } for i, j in a
 *
 * Needs: a body whose blocks may be changed. Gives: more nests, with loops of their own for what stands before and behind the product. */
#include "compiler/lower/passes.h"
#include "compiler/lower/rewrite.h"

enum { FEW_TERMS = 16 };

typedef VEC(LoopIndex) IndexVec;
/* One assignment to an element, and the loops around it, of which the first `own` are around all statements that it comes from. */
typedef struct Piece { IndexVec indices; size_t own; Stmt *assign; } Piece;
typedef VEC(Piece) PieceVec;
/* A local that a loop adds to, and the element that gets what comes of it. */
typedef struct Total { const Var *local; Expr *element; const Stmt *end; } Total;

typedef struct Perfect {
    Arena *arena;
    const StageUse *use;
    PieceVec pieces;
    VEC(Total) totals;
} Perfect;

/* ---- Loops around ------------------------------------------------------------------------------------------- */

/* One iteration after the other, each index greater by one than the one before. */
static bool counts_up(const Stmt *loop) {
    return loop->kind == STMT_SEQUENCE && (loop->step == NULL || (loop->step->kind == EXPR_INTEGER && loop->step->integer == 1)) && !lower_expr_has_effect(loop->value);
}

static bool is_loop(const Stmt *stmt) { return stmt->kind == STMT_PARALLEL || counts_up(stmt); }

/* Adds the indices of the loop and of those that alone stand in it; gives the block in the last one. */
static const Block *peel(Arena *arena, const Stmt *loop, IndexVec *indices) {
    for (;; loop = loop->body.statements.items[0]) {
        for (size_t i = 0; loop->kind == STMT_PARALLEL && i < loop->indices.count; i++) vec_push(arena, indices, loop->indices.items[i]);
        if (loop->kind == STMT_SEQUENCE)
            vec_push(arena, indices, ((LoopIndex){.var = loop->index, .other_dimension = -1, .domain_range = loop->value, .span = loop->span}));
        if (loop->body.statements.count != 1 || loop->body.locals.count > 0 || !is_loop(loop->body.statements.items[0])) return &loop->body;
    }
}

static bool indices_mention(const IndexVec *indices, const Var *var) {
    for (size_t i = 0; i < indices->count; i++) {
        const LoopIndex *index = &indices->items[i];
        if (lower_bounds_mention(index, var)) return true;
        for (size_t f = 0; f < index->filters.count; f++)
            if (lower_expr_mentions(index->filters.items[f], var)) return true;
    }
    return false;
}

static bool is_literal(const Expr *expr) { return expr->kind == EXPR_INTEGER && expr->integer > -FEW_TERMS && expr->integer < FEW_TERMS; }

static bool has_few(const LoopIndex *index) {
    const Expr *range = index->domain_range;
    return index->domain_var == NULL && range->kind == EXPR_RANGE && is_literal(range->left) && is_literal(range->right) && range->right->integer - range->left->integer < FEW_TERMS;
}

/* ---- Pieces ---------------------------------------------------------------------------------------------------- */

static Stmt *loop_over(Arena *arena, const Piece *piece) {
    Stmt *loop = ARENA_NEW(arena, Stmt);
    *loop = (Stmt){.kind = STMT_PARALLEL, .span = piece->assign->span};
    for (size_t i = 0; i < piece->indices.count; i++) vec_push(arena, &loop->indices, piece->indices.items[i]);
    vec_push(arena, &loop->body.statements, piece->assign);
    return loop;
}

static bool is_product(const Perfect *perfect, const Piece *piece) {
    if (piece->assign->accumulate == ACCUMULATE_NONE) return false;
    const Nest *nest = lower_nest(perfect->arena, perfect->use, loop_over(perfect->arena, piece));
    return nest->form == FORM_PRODUCT && !has_few(nest->product->depth->index);
}

typedef struct Mentions { const Expr *element; bool others; } Mentions;

static void find_other(void *data, const Expr *expr) {
    Mentions *mentions = data;
    const bool same = (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_VAR) && expr->var == mentions->element->var;
    mentions->others = mentions->others || (same && (expr->lag != mentions->element->lag || !lower_expr_equal(expr, mentions->element)));
}

/* Of the element's array the statement names that element alone. */
static bool names_it_alone(const Expr *element, const Stmt *assign) {
    Mentions mentions = {element, false};
    lower_walk_expr(&(Walk){find_other, NULL, &mentions}, assign->value);
    for (size_t i = 0; i < assign->target->arguments.count; i++) lower_walk_expr(&(Walk){find_other, NULL, &mentions}, assign->target->arguments.items[i]);
    return !mentions.others && (assign->target->var != element->var || lower_expr_equal(assign->target, element));
}

/* Each iteration of the loops around all pieces has an element of its own. */
static bool has_own(const Piece *piece) {
    for (size_t i = 0; i < piece->own; i++) {
        size_t found = 0;
        for (size_t d = 0; d < piece->assign->target->arguments.count; d++) {
            const Expr *subscript = piece->assign->target->arguments.items[d];
            found += subscript->kind == EXPR_VAR && subscript->var == piece->indices.items[i].var;
        }
        if (found == 0) return false;
    }
    return true;
}

static bool piece_mentions(const Piece *piece, const Var *array) {
    return lower_expr_mentions(piece->assign->target, array) || lower_expr_mentions(piece->assign->value, array);
}

/* Of the array that the assignment writes nobody else names an element; or only that, which is its iteration's own. */
static bool stands_apart(const Perfect *perfect, const Piece *piece) {
    const Expr *target = piece->assign->target;
    const Formal *formal = target->kind == EXPR_ELEMENT ? lower_formal(perfect->use, target->var) : NULL;
    if (formal == NULL || !formal->restricted || lower_expr_has_effect(piece->assign->value) || lower_expr_has_effect(target)) return false;
    bool shared = false;
    for (size_t i = 0; i < perfect->pieces.count; i++) {
        const Piece *other = &perfect->pieces.items[i];
        shared = shared || (other != piece && piece_mentions(other, target->var));
        if (!names_it_alone(target, other->assign) || indices_mention(&other->indices, target->var)) return false;
    }
    return !shared || has_own(piece);
}

/* Vectors come of it. */
static bool is_quick(const Nest *nest) {
    const Loop *innermost = nest_innermost(nest);
    return nest->form == FORM_PRODUCT || (nest->form == FORM_SUM && nest->sum.abreast) ||
           (nest->form == FORM_LOOPS && loop_may(innermost, LOOP_PARALLEL) && loop_may(innermost, LOOP_UNIT_STRIDE));
}

static bool adds_up(const Piece *piece, const Nest *nest) {
    bool accumulates = false;
    for (size_t l = 0; l < nest->loops.count; l++) accumulates = accumulates || loop_may(&nest->loops.items[l], LOOP_ACCUMULATES);
    return accumulates && lower_expr_mentions(piece->assign->value, piece->assign->target->var);
}

/* The statements as one nest wait for each other's sums; each by itself does not. */
static bool gains_by_itself(const Perfect *perfect) {
    if (perfect->pieces.count < 2) return false; /* none: its body has been left out */
    const Piece *first = &perfect->pieces.items[0];
    Stmt *together = loop_over(perfect->arena, first);
    bool quick = true, sums = false;
    for (size_t i = 0; i < perfect->pieces.count && quick; i++) {
        const Piece *piece = &perfect->pieces.items[i];
        const Nest *nest = lower_nest(perfect->arena, perfect->use, loop_over(perfect->arena, piece));
        quick = piece->indices.count == piece->own && is_quick(nest);
        sums = sums || adds_up(piece, nest);
        if (i > 0) vec_push(perfect->arena, &together->body.statements, piece->assign);
    }
    if (!quick || !sums) return false;
    const Nest *nest = lower_nest(perfect->arena, perfect->use, together);
    return nest->form == FORM_LOOPS && !loop_may(nest_innermost(nest), LOOP_PARALLEL);
}

static bool comes_to_something(const Perfect *perfect) {
    bool products = false;
    for (size_t i = 0; i < perfect->pieces.count; i++) {
        if (!stands_apart(perfect, &perfect->pieces.items[i])) return false;
        products = products || is_product(perfect, &perfect->pieces.items[i]);
    }
    return products || (perfect->totals.count == 0 && gains_by_itself(perfect));
}

/* ---- Sums in locals ----------------------------------------------------------------------------------------- */

static Total *total_of(const Perfect *perfect, const Var *local) {
    for (size_t i = 0; i < perfect->totals.count; i++)
        if (perfect->totals.items[i].local == local) return &perfect->totals.items[i];
    return NULL;
}

static bool stmt_names(const Stmt *stmt, const Var *var) {
    return lower_block_mentions(&(Block){.statements = {.items = (Stmt *[]){(Stmt *)(uintptr_t)stmt}, .count = 1}}, var);
}

/* The first assignment to an element that names the local, behind all else that sets it, and gives nothing but what comes of it, of its type, to an element of an array that the block
 * names nowhere else. Others may name the local behind it where the element has its value. */
static bool find_total(Perfect *perfect, const Block *block, const Var *local) {
    const Stmt *end = NULL;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        const bool gives = stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_ELEMENT, names = stmt_names(stmt, local);
        if (end != NULL && names && (!gives || end->value->kind != EXPR_VAR)) return false;
        if (end == NULL && gives && names) end = stmt;
    }
    if (end == NULL || end->accumulate != ACCUMULATE_NONE || end->target->type != local->type || lower_expr_mentions(end->value, end->target->var)) return false;
    for (size_t i = 0; i < block->statements.count; i++)
        if (block->statements.items[i] != end && stmt_names(block->statements.items[i], end->target->var)) return false;
    for (size_t i = 0; i < perfect->totals.count; i++)
        if (perfect->totals.items[i].element->var == end->target->var) return false; /* of two locals one would be lost */
    vec_push(perfect->arena, &perfect->totals, ((Total){local, end->target, end}));
    return true;
}

/* Places and values are expressions of their own. */
static Expr *element_for_local(void *data, Expr *expr) {
    const Perfect *perfect = data;
    const Total *total = expr->kind == EXPR_VAR ? total_of(perfect, expr->var) : NULL;
    if (total == NULL) return NULL;
    Expr *element = ARENA_NEW(perfect->arena, Expr);
    *element = *total->element;
    return element;
}

/* The assignment with elements in the place of locals. */
static Stmt *with_elements(Perfect *perfect, const Stmt *assign) {
    Stmt *copy = ARENA_NEW(perfect->arena, Stmt);
    *copy = *assign;
    Rewriting rewriting = {.arena = perfect->arena, .replace = element_for_local, .data = perfect};
    copy->target = lower_rewritten(&rewriting, assign->target);
    copy->value = lower_rewritten(&rewriting, assign->value);
    copy->factor_a = lower_rewritten(&rewriting, assign->factor_a);
    copy->factor_b = lower_rewritten(&rewriting, assign->factor_b);
    return copy;
}

static bool names_a_total(const Perfect *perfect, const Expr *expr) {
    for (size_t i = 0; i < perfect->totals.count; i++)
        if (lower_expr_mentions(expr, perfect->totals.items[i].local)) return true;
    return false;
}

static bool add_assignment(Perfect *perfect, const IndexVec *indices, size_t own, const Stmt *assign) {
    if (assign->kind != STMT_ASSIGN) return false;
    const Total *total = assign->target->kind == EXPR_VAR ? total_of(perfect, assign->target->var) : NULL;
    if (total == NULL && assign->target->kind != EXPR_ELEMENT) return false;
    const bool ends = total == NULL && names_a_total(perfect, assign->value), sums = indices->count > own;
    if (sums && (assign->accumulate == ACCUMULATE_NONE || ends || names_a_total(perfect, assign->factor_a) || names_a_total(perfect, assign->factor_b))) return false;
    if (!sums && total != NULL && (assign->accumulate != ACCUMULATE_NONE || names_a_total(perfect, assign->value))) return false;
    if (ends && assign->value->kind == EXPR_VAR && total_of(perfect, assign->value->var)->end == assign) return true; /* the element has it */
    Stmt *copy = with_elements(perfect, assign);
    if (ends) copy->accumulate = ACCUMULATE_NONE;
    Piece piece = {.own = own, .assign = copy};
    for (size_t i = 0; i < indices->count; i++) vec_push(perfect->arena, &piece.indices, indices->items[i]);
    vec_push(perfect->arena, &perfect->pieces, piece);
    return true;
}

/* The sums of a loop in the block, each of which gets one of its own. */
static bool add_loop(Perfect *perfect, const IndexVec *around, const Stmt *loop) {
    IndexVec indices = {0};
    for (size_t i = 0; i < around->count; i++) vec_push(perfect->arena, &indices, around->items[i]);
    const Block *inner = peel(perfect->arena, loop, &indices);
    for (size_t i = around->count; i < indices.count; i++)
        for (size_t t = 0; t < perfect->totals.count; t++)
            if (indices_mention(&indices, perfect->totals.items[t].local)) return false;
    if (inner->locals.count > 0) return false;
    for (size_t i = 0; i < inner->statements.count; i++)
        if (!add_assignment(perfect, &indices, around->count, inner->statements.items[i])) return false;
    return true;
}

/* The block's statements, each in loops of its own. */
static bool take_apart(Perfect *perfect, const IndexVec *around, const Block *block) {
    for (size_t i = 0; i < block->locals.count; i++)
        if (!find_total(perfect, block, block->locals.items[i])) return false;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (is_loop(stmt) ? !add_loop(perfect, around, stmt) : !add_assignment(perfect, around, around->count, stmt)) return false;
    }
    return true;
}

/* ---- Bodies -------------------------------------------------------------------------------------------------------- */

static bool make_perfect(Perfect *perfect, const Stmt *loop) {
    IndexVec around = {0};
    const Block *block = peel(perfect->arena, loop, &around);
    if (loop->kind == STMT_PARALLEL && block == &loop->body && block->statements.count == 1 && !is_loop(block->statements.items[0])) return false; /* it is one nest */
    return take_apart(perfect, &around, block) && comes_to_something(perfect);
}

static void look_at_block(Arena *arena, const StageUse *use, Block *block) {
    StmtVec statements = {0};
    bool changed = false;
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        Perfect perfect = {.arena = arena, .use = use};
        const bool made = is_loop(stmt) && make_perfect(&perfect, stmt);
        for (size_t p = 0; made && p < perfect.pieces.count; p++) vec_push(arena, &statements, loop_over(arena, &perfect.pieces.items[p]));
        changed = changed || made;
        if (made) continue;
        vec_push(arena, &statements, stmt);
        look_at_block(arena, use, &stmt->body);
        if (stmt->otherwise != NULL) look_at_block(arena, use, stmt->otherwise);
    }
    if (changed) block->statements = statements;
}

void lower_make_perfect(Arena *arena, const StageUse *use, Body *body) { look_at_block(arena, use, &body->block); }
