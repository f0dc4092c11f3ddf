/* Subscripts that are taken from data, u[place[i]], or computed in a way that does not follow the LPU's part, u[i % 3], u[n - 1 - i].
 *
 * Where such an element lies nobody knows before the program runs, and nothing but a checked build looks. What knows of parts itself (lpuId,
 * partition arguments, the ranges of parts) is believed, and so is arithmetic between arrays that the Space divides in different ways,
 * coarse[i / 2] or pixels[3 * i]: their parts may fit each other. */
#include "compiler/check/reach.h"
#include <string.h>

/* What a subscript is made of. */
typedef struct Origin {
    Reach *reach;
    const Level *level;
    const Var *elements; /* the array it is taken from */
    bool index, in_remainder, quotient, changes;
    bool scrambled; /* not a sum of an index and distances */
    bool unlike;    /* of an index whose loop the Space divides otherwise, or whose range knows of parts */
    int remainders;
} Origin;

static void find_origin(Origin *origin, const Expr *expr);

static void note_division(Origin *origin, const Var *array, int dimension) {
    array = array == NULL ? NULL : reach_global(origin->reach, array);
    if (array == NULL) return;
    const Chain *chain = reach_chain(origin->reach, array, dimension < 0 ? 0 : dimension);
    const Level *other = reach_find_level(chain, origin->level->lps);
    origin->unlike = origin->unlike || (other != NULL ? !reach_same_division(origin->level, other) : chain->count > 0);
}

/* for e in [starts[i]...starts[i + 1] - 1] */
static void note_beginning(Origin *origin, const Expr *range) {
    Origin beginning = {.reach = origin->reach, .level = origin->level};
    find_origin(&beginning, range->left);
    if (origin->elements == NULL) origin->elements = beginning.elements;
}

static void note_index(Origin *origin, const Var *index) {
    const Scope *scope = reach_scope(origin->reach, index);
    if (origin->remainders > 0) origin->in_remainder = true;
    else origin->index = true;
    if (scope == NULL) origin->unlike = true;
    else if (scope->index != NULL && scope->index->domain_var != NULL) note_division(origin, scope->index->domain_var, scope->index->dimension);
    else {
        const Expr *range = reach_range(origin->reach, scope->index != NULL ? scope->index->domain_range : scope->sequence->value);
        if (range->kind == EXPR_DIM_RANGE && range->local) note_division(origin, range->var, range->dimension);
        else if (!reach_is_blind(origin->reach, range)) origin->unlike = true;
        else if (range->kind == EXPR_RANGE) note_beginning(origin, range);
    }
}

static void note_local(Origin *origin, const Var *var) {
    Local *local = &origin->reach->locals[var->id];
    if (local->busy) return;
    local->busy = true;
    origin->changes = origin->changes || local->opaque || local->definitions.count > 1;
    for (size_t i = 0; i < local->definitions.count; i++) find_origin(origin, local->definitions.items[i].value);
    local->busy = false;
}

static bool has_index(const Expr *expr) {
    if (expr == NULL) return false;
    if (expr->kind == EXPR_VAR && expr->var->kind == VAR_INDEX) return true;
    return has_index(expr->left) || has_index(expr->right);
}

/* i % n, (i + n - 1) % n: neighbours around the ends, or the index itself. */
static bool only_wraps(const Expr *expr, const Expr *divisor) {
    if (expr->kind == EXPR_INTEGER) return true;
    if (expr->kind == EXPR_VAR) return expr->var->kind == VAR_INDEX || expr_mentions(divisor, expr->var);
    if (expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB)) return only_wraps(expr->left, divisor) && only_wraps(expr->right, divisor);
    return reach_same_expr(expr, divisor);
}

static bool has_local(const Expr *expr) {
    if (expr == NULL) return false;
    return (expr->kind == EXPR_VAR && expr->var->kind == VAR_LOCAL) || has_local(expr->left) || has_local(expr->right);
}

/* n - 1 - i: counted from the other end. */
static bool is_mirrored(const Expr *expr) {
    return expr->op == OP_SUB && expr->right->kind == EXPR_VAR && has_index(expr->right) && !has_index(expr->left) && !has_local(expr->left);
}

static bool scrambles(const Expr *expr) {
    switch (expr->kind) {
    case EXPR_CALL: return true;
    case EXPR_MATH: return strcmp(expr->math, "llmin") != 0 && strcmp(expr->math, "llmax") != 0;
    case EXPR_CONVERT: return expr->type->kind == TYPE_INTEGER && expr->left->type->kind != TYPE_INTEGER;
    case EXPR_BINARY: break;
    default: return false;
    }
    if (expr->op == OP_MOD || expr->op == OP_BITAND) return expr->right->kind == EXPR_INTEGER || !only_wraps(expr->left, expr->right);
    if (is_mirrored(expr)) return true;
    return (expr->op == OP_MUL || expr->op == OP_SHL || expr->op == OP_POW) && (has_index(expr->left) || has_index(expr->right));
}

static void find_origin(Origin *origin, const Expr *expr) {
    if (expr == NULL || --origin->reach->effort < 0) return;
    if (expr->kind == EXPR_ELEMENT) {
        if (origin->elements == NULL) origin->elements = expr->var;
        return;
    }
    if (expr->kind == EXPR_RANGE_PART) return;
    if (expr->kind == EXPR_VAR && expr->var->kind == VAR_INDEX) note_index(origin, expr->var);
    if (expr->kind == EXPR_VAR && expr->var->kind == VAR_LOCAL) note_local(origin, expr->var);
    const bool remainder = expr->kind == EXPR_BINARY && (expr->op == OP_MOD || expr->op == OP_BITAND);
    origin->quotient = origin->quotient || (expr->kind == EXPR_BINARY && (expr->op == OP_DIV || expr->op == OP_SHR));
    origin->scrambled = origin->scrambled || scrambles(expr);
    origin->remainders += remainder;
    find_origin(origin, expr->left);
    find_origin(origin, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) find_origin(origin, expr->arguments.items[i]);
    origin->remainders -= remainder;
}

/* ---- Data that stages of the task make of the LPU's part: of an order of its own elements, say ---------------------- */

typedef struct Making { const Var *array; /* of the stage */ bool written, own; } Making;

static bool note_own_value(Expr *expr, void *data) {
    Making *making = data;
    making->own = making->own || expr->kind == EXPR_LPU_ID || (expr->kind == EXPR_DIM_RANGE && expr->local) || (expr->kind == EXPR_VAR && expr->var->kind == VAR_PARTITION);
    return true;
}

static bool note_making(Stmt *stmt, void *data) {
    Making *making = data;
    if (stmt->kind != STMT_ASSIGN || stmt->target->var != making->array || stmt->target->kind != EXPR_ELEMENT) return true;
    making->written = true;
    making->own = making->own || (stmt->value->kind == EXPR_VAR && stmt->value->var->kind == VAR_INDEX);
    return true;
}

static bool is_made_of_parts(const StepVec *steps, const Var *array) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        for (size_t a = 0; step->kind == STEP_CALL && a < step->arguments.count; a++) {
            if (step->arguments.items[a].var != array) continue;
            Making making = {.array = step->stage->body.params.items[a]};
            walk_block((Block *)&step->stage->body.block, note_making, note_own_value, &making);
            for (size_t k = 0; k < step->arguments.count; k++) walk_expr(step->arguments.items[k].constant, note_own_value, &making);
            if (making.written && making.own) return true;
        }
        if (is_made_of_parts(&step->body, array)) return true;
    }
    return false;
}

/* ---- The subscript ---------------------------------------------------------------------------------------------------- */

static bool knows_of_parts(Reach *reach, const Expr *expr) {
    reach->effort = REACH_EFFORT;
    const bool before = reach->blocks_are_blind;
    reach->blocks_are_blind = true;
    const bool knows = !reach_is_blind(reach, expr);
    reach->blocks_are_blind = before;
    return knows;
}

bool reach_from_data(Reach *reach, const Expr *expr, bool unknown, const Level *level, const Var **elements) {
    int64_t padding;
    const bool padded = !reach_padding(level, false, &padding) || padding > 0 || !reach_padding(level, true, &padding) || padding > 0;
    if (knows_of_parts(reach, expr)) return false;
    Origin origin = {.reach = reach, .level = level};
    reach->effort = REACH_EFFORT;
    find_origin(&origin, expr);
    *elements = origin.elements;
    if (reach->effort < 0 || (padded && (origin.index || origin.in_remainder))) return false;
    if (origin.elements != NULL) return !is_made_of_parts(&reach->task->flow, reach_global(reach, origin.elements));
    /* Places in blocks, i - i % 4 + t, may be what the parts are made of. */
    if (!unknown || !origin.scrambled || origin.unlike || origin.quotient || origin.changes || (origin.in_remainder && (origin.index || reach_is_strided(level)))) return false;
    return origin.index || origin.in_remainder;
}
