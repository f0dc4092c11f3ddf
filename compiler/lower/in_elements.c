/* Locals that loops add to, in the element that gets what comes of them:
 *
 *     sum = a[i][j]                                                        l[i][j] = a[i][j]
 *     do in sequence { sum = sum - l[i][k] * l[j][k] } for k in 0...(j - 1)  do in sequence { l[i][j] = l[i][j] - l[i][k] * l[j][k] } for k in 0...(j - 1)
 *     if (i == j) { l[i][j] = sqrt(sum) } else { l[i][j] = sum / l[j][j] }   if (i == j) { l[i][j] = sqrt(l[i][j]) } else { l[i][j] = l[i][j] / l[j][j] }
 *
 * Meanwhile nothing asks for the element: all others of its array that are named lie apart from it. Registers are quicker than elements, so only loops of which panels come keep this form.
 *
 * Needs: panel.h. Gives: a copy of a loop over rows. */
#include "compiler/lower/panel.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/rewrite.h"

typedef struct InElements {
    const Panels *panels;
    VEC(const Var *) around;     /* indices of the loops around a block */
    bool changed;
} InElements;

/* A local, and its element in the statements from the first that sets it to the one that gives the element what comes of it. */
typedef struct Total { InElements *in; const Var *local; Expr *element; size_t start, end; } Total;

static Block alone(Stmt *const *stmt) { return (Block){.statements = {.items = (Stmt **)(uintptr_t)stmt, .count = 1}}; }

/* ---- Elements that lie apart ------------------------------------------------------------------------------------------ */

/* `unequal`: two indices that are known to differ, or NULL. */
typedef struct Others { const Total *total; const Expr *unequal; bool fits; } Others;

static bool differ(const Expr *unequal, const Expr *one, const Expr *other) {
    for (size_t d = 0; unequal != NULL && d < one->arguments.count; d++) {
        const Expr *a = one->arguments.items[d], *b = other->arguments.items[d];
        if (lower_expr_equal(a, unequal->left) && lower_expr_equal(b, unequal->right)) return true;
        if (lower_expr_equal(b, unequal->left) && lower_expr_equal(a, unequal->right)) return true;
    }
    return false;
}

static void look_at_other(void *data, const Expr *expr) {
    Others *others = data;
    const Expr *element = others->total->element;
    if (expr->kind != EXPR_ELEMENT || expr->var != element->var || expr == element || differ(others->unequal, expr, element)) return;
    bool apart = false;
    Rows rows = others->total->in->panels->rows;
    for (size_t i = 0; i < others->total->in->around.count && !apart; i++) {
        rows.row = others->total->in->around.items[i];
        apart = lower_are_apart(&rows, expr, element);
    }
    others->fits = others->fits && apart;
}

static bool leaves_alone(const Total *total, const Expr *value, const Expr *unequal) {
    Others others = {total, unequal, true};
    lower_walk_expr(&(Walk){look_at_other, NULL, &others}, value);
    return others.fits;
}

/* ---- Totals ------------------------------------------------------------------------------------------------------------ */

static const Stmt *only_in(const Block *block) {
    const Stmt *stmt = block != NULL && block->statements.count == 1 && block->locals.count == 0 ? block->statements.items[0] : NULL;
    return stmt != NULL && stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE && stmt->target->kind == EXPR_ELEMENT ? stmt : NULL;
}

/* The statement gives one element what comes of the local, in whichever of two ways. */
static bool ends(Total *total, Stmt *stmt) {
    if (stmt->kind == STMT_ASSIGN) {
        const Block block = alone(&stmt);
        if (only_in(&block) == NULL) return false;
        total->element = stmt->target;
        return leaves_alone(total, stmt->value, NULL);
    }
    const Stmt *one = stmt->kind == STMT_IF ? only_in(&stmt->body) : NULL, *other = one != NULL ? only_in(stmt->otherwise) : NULL;
    if (other == NULL || !lower_expr_equal(one->target, other->target)) return false;
    const Expr *test = stmt->value->kind == EXPR_BINARY ? stmt->value : NULL;
    total->element = one->target;
    return leaves_alone(total, stmt->value, NULL) && leaves_alone(total, one->value, test != NULL && test->op == OP_NE ? test : NULL) &&
           leaves_alone(total, other->value, test != NULL && test->op == OP_EQ ? test : NULL);
}

static bool is_steady(const Total *total) {
    for (size_t d = 0; d < total->element->arguments.count; d++) {
        const Expr *subscript = total->element->arguments.items[d];
        bool index = false;
        for (size_t i = 0; i < total->in->around.count && subscript->kind == EXPR_VAR; i++) index = index || subscript->var == total->in->around.items[i];
        if (!index) return false;
    }
    return true;
}

static bool find_total(Total *total, const Block *block) {
    bool started = false, ended = false;
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        const Block block_of = alone(&stmt);
        if (!lower_block_mentions(&block_of, total->local)) continue;
        const bool sets = stmt->kind == STMT_ASSIGN && lower_is_index(stmt->target, total->local);
        if (ended || (!started && (!sets || stmt->accumulate != ACCUMULATE_NONE || lower_expr_mentions(stmt->value, total->local)))) return false;
        if (!started) total->start = i;
        else if (lower_block_writes(&block_of, total->local) == 0) total->end = i, ended = true;
        started = true;
    }
    if (!ended || !ends(total, block->statements.items[total->end])) return false;
    if (total->element->type != total->local->type || total->element->lag != 0 || !is_steady(total)) return false;
    for (size_t i = total->start; i < total->end; i++) {
        Stmt *stmt = block->statements.items[i];
        const Block block_of = alone(&stmt);
        if (i == total->start && lower_expr_equal(stmt->value, total->element)) continue;
        Others others = {total, NULL, true};
        lower_walk_block(&(Walk){look_at_other, NULL, &others}, &block_of);
        if (!others.fits) return false;
    }
    return true;
}

/* Places and values are expressions of their own. */
static Expr *element_for_local(void *data, Expr *expr) {
    const Total *total = data;
    if (expr->kind != EXPR_VAR || expr->var != total->local) return NULL;
    Expr *element = ARENA_NEW(total->in->panels->arena, Expr);
    *element = *total->element;
    return element;
}

static void rewrite_block(Rewriting *rewriting, Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        lower_rewrite_stmt(rewriting, stmt);
        rewrite_block(rewriting, &stmt->body);
        if (stmt->otherwise != NULL) rewrite_block(rewriting, stmt->otherwise);
    }
}

/* Statements that give the element itself are left out. */
static void put_in_element(Total *total, Block *block) {
    Rewriting rewriting = {.arena = total->in->panels->arena, .replace = element_for_local, .data = total};
    size_t kept = 0;
    rewrite_block(&rewriting, block);
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        const bool nothing = (i == total->start || i == total->end) && stmt->kind == STMT_ASSIGN && lower_expr_equal(stmt->target, stmt->value);
        if (!nothing) block->statements.items[kept++] = stmt;
    }
    block->statements.count = kept;
    kept = 0;
    for (size_t i = 0; i < block->locals.count; i++)
        if (block->locals.items[i] != total->local) block->locals.items[kept++] = block->locals.items[i];
    block->locals.count = kept;
    total->in->changed = true;
}

/* ---- Blocks -------------------------------------------------------------------------------------------------------------- */

static void look_at_block(InElements *in, Block *block) {
    for (size_t i = block->locals.count; i-- > 0;) {
        Total total = {.in = in, .local = block->locals.items[i]};
        if (find_total(&total, block)) put_in_element(&total, block);
    }
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        const size_t outside = in->around.count;
        for (size_t k = 0; stmt->kind == STMT_PARALLEL && k < stmt->indices.count; k++) vec_push(in->panels->arena, &in->around, stmt->indices.items[k].var);
        if (stmt->kind == STMT_SEQUENCE) vec_push(in->panels->arena, &in->around, stmt->index);
        look_at_block(in, &stmt->body);
        in->around.count = outside;
        if (stmt->otherwise != NULL) look_at_block(in, stmt->otherwise);
    }
}

Stmt *panel_in_elements(const Panels *panels) {
    InElements in = {.panels = panels};
    Stmt *loop = ARENA_NEW(panels->arena, Stmt);
    *loop = *panels->loop;
    loop->body = panel_copy(panels->arena, &panels->loop->body);
    vec_push(panels->arena, &in.around, panels->rows.row);
    look_at_block(&in, &loop->body);
    return in.changed ? loop : NULL;
}
