/* The iterations of a stage that need what messages bring, apart from the others. While elements of `plate` are on their way to the LPU
 * (compiler/plan/overlap.c),
 *
 *     do { plate[i][j] at (current) = plate[i-1][j] + plate[i+1][j] at (current - 1) } for i, j in plate
 *
 * may run for all i and j that stand at least 1 from these in the first dimension. So each of its loops is bounded by a box that the caller
 * gives, in the dimension of the array in which its index moves: the stage is called for the core, and when the messages have
 * come, for what is left around it.
 *
 * Needs: nests, with all that is legal. */
#include "compiler/lower/passes.h"

typedef struct Finding { const Nest *nest; const Var *array; Border *border; bool fits; } Finding;

/* The number that is added to the index, which is all there is of the subscript. */
static bool find_offset(const Expr *subscript, const Var **index, int64_t *offset) {
    const bool moved = subscript->kind == EXPR_BINARY && (subscript->op == OP_ADD || subscript->op == OP_SUB) && subscript->right->kind == EXPR_INTEGER;
    const Expr *base = moved ? subscript->left : subscript;
    if (base->kind != EXPR_VAR || (moved && (subscript->right->integer < 0 || subscript->right->integer > INT32_MAX))) return false;
    *index = base->var;
    *offset = !moved ? 0 : subscript->op == OP_ADD ? subscript->right->integer : -subscript->right->integer;
    return true;
}

static bool loop_goes_along(const Nest *nest, const Var *index) {
    for (size_t l = 0; l < nest->loops.count; l++)
        if (nest->loops.items[l].index->var == index) return true;
    return false;
}

/* Loops of the body that go around an index of the nest, as `m in [i - 1...i + 1]` does. */
typedef struct Around { const Var *var, *index; int64_t low, high; bool found; } Around;

static void look_around(Around *around, const Var *inner, const Expr *range) {
    const Var *other;
    if (inner != around->var || range == NULL || range->kind != EXPR_RANGE) return;
    around->found = find_offset(range->left, &around->index, &around->low) && find_offset(range->right, &other, &around->high) && other == around->index;
}

static void find_around(void *data, const Stmt *stmt) {
    if (stmt->kind == STMT_SEQUENCE) look_around(data, stmt->index, stmt->value);
    for (size_t i = 0; stmt->kind == STMT_PARALLEL && i < stmt->indices.count; i++)
        look_around(data, stmt->indices.items[i].var, stmt->indices.items[i].domain_range);
}

/* Which loop's index the subscript follows, and how far from it. */
static bool find_reach(const Nest *nest, const Expr *subscript, const Var **index, int64_t *low, int64_t *high) {
    if (!find_offset(subscript, index, low)) return false;
    *high = *low;
    if (loop_goes_along(nest, *index)) return true;
    Around around = {.var = *index};
    lower_walk_block(&(Walk){NULL, find_around, &around}, &nest->stmt->body);
    *index = around.index;
    *low += around.low;
    *high += around.high;
    return around.found && loop_goes_along(nest, *index);
}

/* In each dimension of the array always the same loop's index moves, and none in two. */
static void note_element(Finding *finding, const Expr *element) {
    Border *border = finding->border;
    for (size_t d = 0; d < element->arguments.count && finding->fits; d++) {
        const Var *index;
        int64_t low, high;
        finding->fits = find_reach(finding->nest, element->arguments.items[d], &index, &low, &high) && (border->along[d] == NULL || border->along[d] == index);
        if (!finding->fits) return;
        border->along[d] = index;
        if (low < border->low[d]) border->low[d] = low;
        if (high > border->high[d]) border->high[d] = high;
    }
}

/* How far the part reaches is known; what its elements have is to come. */
static void note_access(void *data, const Expr *expr) {
    Finding *finding = data;
    if (expr->kind == EXPR_CALL && expr->function->changes_something) finding->fits = false;
    if (expr->var != finding->array) return;
    if (expr->kind == EXPR_ELEMENT) note_element(finding, expr);
    else if (expr->kind != EXPR_DIM_RANGE) finding->fits = false;
}

/* The one data-parallel loop of the stage, which stands behind assignments to locals alone; or NULL. */
static const Stmt *only_loop(const Block *block) {
    const size_t count = block->statements.count;
    for (size_t i = 0; i + 1 < count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_VAR || !lower_is_local_of(block, stmt->target->var)) return NULL;
    }
    const Stmt *last = count > 0 ? block->statements.items[count - 1] : NULL;
    return last != NULL && last->kind == STMT_PARALLEL ? last : NULL;
}

static const Formal *formal_of(const StageUse *use) {
    const Formal *found = NULL;
    for (size_t i = 0; i < use->formals.count; i++) {
        const Formal *formal = &use->formals.items[i];
        if (formal->kind == FORMAL_PLACE || formal->kind == FORMAL_PARTIAL) return NULL; /* results of all iterations */
        if (formal->actual != use->coming) continue;
        if (found != NULL || formal->kind != FORMAL_VIEW || !formal->restricted) return NULL;
        found = formal;
    }
    return found;
}

/* In any order, whatever is done to one element; nothing in the loops knows where they begin. */
static bool is_free(const Nest *nest) {
    if ((nest->form != FORM_LOOPS && nest->form != FORM_CARRY) || nest->along != NULL) return false;
    for (size_t l = 0; l < nest->loops.count; l++)
        if (!loop_may(&nest->loops.items[l], LOOP_PARALLEL) && !loop_may(&nest->loops.items[l], LOOP_APART)) return false;
    return true;
}

static bool goes_along_all(const Border *border, int rank) {
    for (int d = 0; d < rank; d++) {
        if (border->along[d] == NULL) return false;
        for (int e = 0; e < d; e++)
            if (border->along[e] == border->along[d]) return false;
    }
    return true;
}

const Border *lower_border(Arena *arena, LoweredBody *code) {
    const Stmt *loop = code->use->coming ? only_loop(&code->body->block) : NULL;
    const Formal *formal = loop ? formal_of(code->use) : NULL;
    Nest *nest = NULL;
    for (size_t i = 0; formal && i < code->nests.count; i++)
        if (code->nests.items[i]->stmt == loop) nest = code->nests.items[i];
    if (nest == NULL || !is_free(nest)) return NULL;
    Border *border = ARENA_NEW(arena, Border);
    Finding finding = {nest, formal->var, border, true};
    lower_walk_block(&(Walk){note_access, NULL, &finding}, &code->body->block);
    border->formal = formal;
    if (!finding.fits || !goes_along_all(border, formal->var->type->rank)) return NULL;
    for (size_t l = 0; l < nest->loops.count; l++)
        for (int d = 0; d < formal->var->type->rank; d++)
            if (border->along[d] == nest->loops.items[l].index->var) nest->loops.items[l].box = d + 1;
    return border;
}
