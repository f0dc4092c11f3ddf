/* See verify_loops.h. One function for each thing that can be wrong; each returns what it is, or NULL. Nothing here asks the passes
 * for what they have found out. */
#include "compiler/lower/verify_loops.h"

#include "compiler/base/diag.h"
#include "compiler/lower/apart.h"
#include "compiler/lower/classes.h"

/* ---- What a body does, looked at plainly ----------------------------------------------------------- */
static bool subscripts_mention(const Expr *element, const Var *var) {
    for (size_t d = 0; d < element->arguments.count; d++)
        if (lower_expr_mentions(element->arguments.items[d], var)) return true;
    return false;
}

bool verify_bounds_mention(const LoopIndex *index, const Var *var) {
    bool mentions = index->domain_range && lower_expr_mentions(index->domain_range, var);
    for (size_t i = 0; i < index->lower.count; i++) mentions |= lower_expr_mentions(index->lower.items[i], var);
    for (size_t i = 0; i < index->upper.count; i++) mentions |= lower_expr_mentions(index->upper.items[i], var);
    return mentions;
}

/* The dimension of the element in which the index moves; -1: none, -2: several. */
static int moving_dimension(const Expr *element, const Var *var) {
    int found = -1;
    for (size_t d = 0; d < element->arguments.count; d++)
        if (lower_expr_mentions(element->arguments.items[d], var)) found = found == -1 ? (int)d : -2;
    return found;
}

static const Stmt *only_statement(const Nest *nest) {
    const Block *body = &nest->stmt->body;
    return body->statements.count == 1 ? body->statements.items[0] : NULL;
}

static const Stmt *only_element_assignment(const Nest *nest) {
    const Stmt *stmt = only_statement(nest);
    return stmt && stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_ELEMENT ? stmt : NULL;
}

/* Of the block, not of data-parallel loops inside. */
static size_t count_reduces(const Block *block) {
    size_t count = 0;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_PARALLEL) continue;
        count += stmt->kind == STMT_REDUCE;
        count += count_reduces(&stmt->body) + (stmt->otherwise ? count_reduces(stmt->otherwise) : 0);
    }
    return count;
}

/* ---- Loops: all of them, in an order that their bounds allow, over their domains ---------------------- */
static const char *loops_fault(const Nest *nest) {
    const size_t count = nest->loops.count;
    if (count == 0 || count != nest->stmt->indices.count) return "a nest lost a loop";
    long last = -1;
    bool as_written = true;
    for (size_t i = 0; i < count; i++) {
        const Loop *loop = &nest->loops.items[i];
        const long written = loop->index - nest->stmt->indices.items;
        if (written < 0 || written >= (long)count) return "a loop is over an index of another nest";
        as_written &= written == (long)i;
        if (loop_may(loop, LOOP_ACCUMULATES) && written < last) return "accumulating loops changed their order";
        if (loop_may(loop, LOOP_ACCUMULATES)) last = written;
        for (size_t inner = i + 1; inner < count; inner++) {
            if (nest->loops.items[inner].index == loop->index) return "two loops are over one index";
            if (verify_bounds_mention(loop->index, nest->loops.items[inner].index->var)) return "a bound names an inner index";
        }
    }
    if (!as_written && !nest->reordered) return "loops changed their order unnoticed";
    if (nest->reordered && nest->has_filters) return "filters were moved";
    return NULL;
}

static bool is_interval(const Formal *formal, int dimension) { return formal->interval[dimension] || formal->whole[dimension]; }

static const char *domain_fault(const StageUse *use, const Loop *loop) {
    const LoopIndex *index = loop->index;
    const Expr *range = index->domain_range;
    const bool part = range && range->kind == EXPR_DIM_RANGE && range->local;
    const Var *var = index->domain_var ? index->domain_var : part ? range->var : NULL;
    const int dimension = index->domain_var ? index->dimension : part ? range->dimension : loop->dimension;
    const int other = index->domain_var ? index->other_dimension : -1;
    if (loop->domain_var != var || loop->other_dimension != other || (var && loop->dimension != dimension))
        return "a loop runs over another domain than its index";
    if (!var && !range) return "a loop has no domain";
    if (!var) return loop->interval || loop->places.count > 0 ? NULL : "a range has several runs";
    if (loop->dimension >= var->type->rank || loop->other_dimension >= var->type->rank) return "a loop runs over a dimension that is not there";
    const Formal *formal = lower_formal(use, var);
    if (use && (!formal || formal->kind != FORMAL_VIEW)) return "a loop runs over an array that the stage does not see";
    if (formal && loop->interval && (!is_interval(formal, dimension) || (other >= 0 && !is_interval(formal, other))))
        return "a part of several runs is taken for an interval";
    return NULL;
}

/* ---- Gaps ------------------------------------------------------------------------------------------------- */
typedef struct Gaps { const StageUse *use; const Loop *loop; const char *fault; } Gaps;

static void check_places(void *data, const Expr *expr) {
    Gaps *gaps = data;
    const Formal *formal = expr->kind == EXPR_ELEMENT ? lower_formal(gaps->use, expr->var) : NULL;
    for (size_t d = 0; formal && formal->kind == FORMAL_VIEW && d < expr->arguments.count; d++) {
        const Expr *subscript = expr->arguments.items[d];
        bool found = !formal->gaps[d] || subscript->kind != EXPR_VAR || subscript->var != gaps->loop->index->var;
        for (size_t p = 0; p < gaps->loop->places.count; p++)
            found |= gaps->loop->places.items[p].array == expr->var && gaps->loop->places.items[p].dimension == (int)d;
        if (!found) gaps->fault = "a loop goes over a gap as if there were none";
    }
}

static const char *gaps_fault(const StageUse *use, const Nest *nest, const Loop *loop) {
    if (use && use->tables) return loop->places.count > 0 ? "a loop of a card goes from place to place" : NULL;
    Gaps gaps = {use, loop, NULL};
    lower_walk_block(&(Walk){check_places, NULL, &gaps}, &nest->stmt->body);
    return loop->places.count > 0 && loop->interval ? "a loop with places is one plain loop" : gaps.fault;
}

/* ---- What is legal -------------------------------------------------------------------------------------- */
/* at: NULL, or a subscript that does not count, because the loop is cut there. loops: the body may have some. on_cards: extern code is its author's. */
typedef struct Writes { const LoweredBody *code; const Nest *nest; const Var *index; const Expr *at; bool loops, on_cards; const char *fault; } Writes;

bool verify_is_local_of(const Block *block, const Var *var) {
    for (size_t i = 0; i < block->locals.count; i++)
        if (block->locals.items[i] == var) return true;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (verify_is_local_of(&stmt->body, var) || (stmt->otherwise && verify_is_local_of(stmt->otherwise, var))) return true;
    }
    return false;
}

typedef struct Moving { const Block *body; const Var *index; bool changes; } Moving;

static bool is_index_inside(const Block *block, const Var *var) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        for (size_t l = 0; l < stmt->indices.count; l++)
            if (stmt->indices.items[l].var == var) return true;
        if (stmt->index == var || is_index_inside(&stmt->body, var) || (stmt->otherwise && is_index_inside(stmt->otherwise, var))) return true;
    }
    return false;
}

static void find_changing(void *data, const Expr *expr) {
    Moving *moving = data;
    const bool named = (expr->kind == EXPR_VAR || expr->kind == EXPR_ELEMENT) && expr->var != moving->index;
    moving->changes |= named && is_index_inside(moving->body, expr->var);
    moving->changes |= named && (verify_is_local_of(moving->body, expr->var) || lower_block_writes(moving->body, expr->var) > 0);
}

/* The subscript moves with the index alone: nothing else in it has another value in another iteration. */
static bool moves_evenly(const Block *body, const Expr *subscript, const Var *index) {
    Moving moving = {body, index, false};
    lower_walk_expr(&(Walk){find_changing, NULL, &moving}, subscript);
    return !moving.changes;
}

typedef struct Others { const Writes *of; const Expr *target; size_t found; } Others;

/* Iterations with another value of the index write elsewhere in this dimension. Threads go along diagonals, too, which move in several. */
static bool moves_in(const Writes *writes, const Expr *target, int d) {
    const Expr *subscript = target->arguments.items[d];
    if (!writes->loops && moving_dimension(target, writes->index) != d) return false;
    return lower_expr_mentions(subscript, writes->index) && moves_evenly(&writes->nest->stmt->body, subscript, writes->index);
}

static bool moves(const Writes *writes, const Expr *target) {
    bool found = false;
    for (size_t d = 0; d < target->arguments.count; d++) found |= moves_in(writes, target, (int)d);
    return found;
}

/* An element that stands where the target does in a dimension in which the loop moves is no other iteration's. */
static void count_other(void *data, const Expr *expr) {
    Others *others = data;
    const Writes *of = others->of;
    others->found += expr->kind == EXPR_CALL && (of->on_cards ? expr->function->changes_arguments : expr->function->changes_something);
    if (expr->kind != EXPR_ELEMENT || expr->var != others->target->var || expr->lag != others->target->lag) return;
    if (lower_in_other_class(of->nest, others->target, expr) || (of->loops && lower_elements_apart(of->nest, others->target, expr))) return;
    bool own = false;
    for (size_t d = 0; d < expr->arguments.count; d++) {
        const Expr *subscript = expr->arguments.items[d], *written = others->target->arguments.items[d];
        own |= moves_in(of, others->target, (int)d) && (lower_expr_equal(subscript, written) || (of->at && lower_expr_equal(subscript, of->at)));
    }
    others->found += !own;
}

/* That an other element of the array is none that the nest writes is asked of its filters (classes.c) and of its bounds (apart.c), these for single
 * assignments. */
static void check_parallel_write(void *data, const Stmt *stmt) {
    Writes *writes = data;
    const bool loop = stmt->kind == STMT_BLOCK || stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_WHILE;
    const bool trusted = writes->on_cards && stmt->kind == STMT_EXTERN;
    if (stmt->kind == STMT_IF || stmt->kind == STMT_REDUCE || (loop && writes->loops) || trusted) return;
    if (stmt->kind != STMT_ASSIGN) {
        writes->fault = "a parallel loop does more than assign";
        return;
    }
    const Expr *target = stmt->target;
    while (target->kind == EXPR_FIELD || (writes->loops && target->kind == EXPR_AT_INDEX && target->left->type->kind == TYPE_STATIC_ARRAY)) target = target->left;
    if (target->kind == EXPR_VAR && verify_is_local_of(&writes->nest->stmt->body, target->var)) return;
    const Formal *formal = target->kind == EXPR_ELEMENT ? lower_formal(writes->code->use, target->var) : NULL;
    if (!formal || !formal->restricted || (writes->loops ? !subscripts_mention(target, writes->index) : moving_dimension(target, writes->index) < 0)) {
        writes->fault = "iterations of a parallel loop write the same place";
        return;
    }
    if (!moves(writes, target)) writes->fault = "iterations of a parallel loop write where others may";
    if (writes->at && target->arguments.items[moving_dimension(target, writes->index)]->kind != EXPR_VAR) writes->fault = "a loop is cut at another iteration";
    Others others = {writes, target, 0};
    lower_walk_block(&(Walk){count_other, NULL, &others}, &writes->nest->stmt->body);
    for (size_t l = 0; writes->loops && l < writes->nest->loops.count; l++)
        for (size_t f = 0; f < writes->nest->loops.items[l].index->filters.count; f++) lower_walk_expr(&(Walk){count_other, NULL, &others}, writes->nest->loops.items[l].index->filters.items[f]);
    if (others.found > 0 && (writes->at || !only_element_assignment(writes->nest))) writes->fault = "iterations of a parallel loop read what others write";
}

/* What iterations have in common a call does not change, wherever it stands. */
static void find_changed_by_call(void *data, const Expr *expr) {
    Writes *writes = data;
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->function->body.params.count; i++) {
        const bool changed = expr->function->body.params.items[i]->by_reference;
        if (changed && !verify_is_local_of(&writes->nest->stmt->body, lower_place_root(expr->arguments.items[i])))
            writes->fault = "a call in a parallel loop changes what other iterations have, too";
    }
}

static const char *parallel_fault(const LoweredBody *code, const Nest *nest, const Loop *loop, const Expr *at) {
    Writes writes = {code, nest, loop->index->var, at, false, false, NULL};
    lower_walk_block(&(Walk){find_changed_by_call, check_parallel_write, &writes}, &nest->stmt->body);
    return writes.fault;
}

typedef struct Filtered { const Nest *nest; bool written; } Filtered;

static void find_written_in_filter(void *data, const Expr *expr) {
    Filtered *filtered = data;
    filtered->written |= expr->kind == EXPR_VAR && lower_block_writes(&filtered->nest->stmt->body, expr->var) > 0;
}

static const char *apart_fault(const LoweredBody *code, const Nest *nest, const Loop *loop, bool on_cards) {
    Writes writes = {code, nest, loop->index->var, NULL, true, on_cards, NULL};
    Filtered filtered = {nest, false};
    lower_walk_block(&(Walk){find_changed_by_call, check_parallel_write, &writes}, &nest->stmt->body);
    for (size_t l = 0; l < nest->loops.count; l++)
        for (size_t f = 0; f < nest->loops.items[l].index->filters.count; f++)
            lower_walk_expr(&(Walk){find_written_in_filter, NULL, &filtered}, nest->loops.items[l].index->filters.items[f]);
    return writes.fault ? writes.fault : filtered.written ? "a filter of iterations that stand apart reads what they write" : NULL;
}

static const char *rectangular_fault(const Nest *nest, const Loop *loop) {
    bool named = loop->index->filters.count > 0;
    for (size_t i = 0; i < nest->loops.count; i++) {
        const LoopIndex *other = nest->loops.items[i].index;
        named |= verify_bounds_mention(other, loop->index->var) || verify_bounds_mention(loop->index, other->var);
    }
    return named ? "bounds of a rectangular loop name indices" : NULL;
}

typedef struct Strides { const StageUse *use; const Var *index; bool far; } Strides;

static void find_far(void *data, const Expr *expr) {
    Strides *strides = data;
    if (expr->kind != EXPR_ELEMENT || !subscripts_mention(expr, strides->index)) return;
    const Formal *formal = lower_formal(strides->use, expr->var);
    const int fastest = formal && formal->layout.fortran ? 0 : (int)expr->arguments.count - 1;
    strides->far |= moving_dimension(expr, strides->index) != fastest;
}

static const char *legal_fault(const LoweredBody *code, const Nest *nest, size_t l) {
    const Loop *loop = &nest->loops.items[l];
    const Stmt *assign = only_element_assignment(nest);
    const char *fault = NULL;
    if (loop_may(loop, LOOP_PARALLEL)) fault = parallel_fault(code, nest, loop, NULL);
    if (!fault && loop_may(loop, LOOP_APART)) fault = apart_fault(code, nest, loop, false);
    if (!fault && loop_may(loop, LOOP_APART_ON_CARDS)) fault = apart_fault(code, nest, loop, true);
    if (!fault && loop_may(loop, LOOP_ACCUMULATES) && (!assign || subscripts_mention(assign->target, loop->index->var)))
        fault = "a loop accumulates into elements that it moves along";
    if (!fault && assign && !loop_may(loop, LOOP_ACCUMULATES) && !subscripts_mention(assign->target, loop->index->var))
        fault = "a loop accumulates unnoticed";
    if (!fault && loop_may(loop, LOOP_RECTANGULAR)) fault = rectangular_fault(nest, loop);
    if (!fault && loop_may(loop, LOOP_TOGETHER) && (l + 1 < nest->loops.count || nest->has_filters))
        fault = "iterations of a loop that is not innermost run together";
    if (fault || !loop_may(loop, LOOP_UNIT_STRIDE)) return fault;
    Strides strides = {code->use, loop->index->var, false};
    lower_walk_block(&(Walk){find_far, NULL, &strides}, &nest->stmt->body);
    return strides.far ? "a loop of unit stride moves elements further" : NULL;
}

/* ---- Forms ------------------------------------------------------------------------------------------------ */
static const char *window_fault(const Nest *nest) {
    const size_t count = nest->loops.count;
    if (nest->sum.window >= count || nest->sum.abreast) return "a window has no row";
    if (nest->sum.ragged && nest->sum.window != 1) return "a ragged window has several loops";
    const Loop *row = &nest->loops.items[count - 1 - nest->sum.window];
    for (const Loop *loop = row + 1; loop < nest->loops.items + count; loop++) {
        if (!loop_may(loop, LOOP_ACCUMULATES) || !loop->interval || loop->index->filters.count > 0) return "a loop of a window does not accumulate";
        for (const Loop *other = nest->sum.ragged ? row + 1 : row; other < nest->loops.items + count; other++)
            if (verify_bounds_mention(loop->index, other->index->var)) return "bounds of a window change along its row";
    }
    return loop_may(row, LOOP_PARALLEL) && row->interval && row->index->filters.count == 0 ? NULL : "elements of a sum cannot go side by side";
}

static const char *turned_fault(const Nest *nest) {
    const size_t count = nest->loops.count;
    if (count < 3) return "operands are turned that no loop uses twice";
    const Loop *loops = nest->loops.items + count - 3;
    const LoopIndex *row = loops[0].index, *element = loops[1].index, *inner = loops[2].index;
    bool bounded = verify_bounds_mention(row, element->var) || verify_bounds_mention(row, inner->var) || verify_bounds_mention(element, inner->var) ||
                   (element->domain_range != NULL && lower_expr_mentions(element->domain_range, row->var));
    for (size_t l = 0; l < 3; l++) bounded |= (l > 0 && !loops[l].interval) || loops[l].index->filters.count > 0;
    if (bounded || verify_bounds_mention(inner, row->var) || verify_bounds_mention(inner, element->var)) return "operands are turned in loops that bound each other";
    if (!loop_may(&loops[0], LOOP_PARALLEL) || !loop_may(&loops[1], LOOP_PARALLEL)) return "operands are turned for elements that do not stand apart";
    for (size_t i = 0; i < nest->sum.turned.count; i++) {
        const Expr *operand = nest->sum.turned.items[i], *target = nest->sum.assign->target;
        const bool written = operand->var == target->var && operand->lag == target->lag;
        if (written || subscripts_mention(operand, loops[0].index->var)) return "an operand is turned that changes";
    }
    return NULL;
}

static const char *sum_fault(const Nest *nest) {
    const size_t count = nest->loops.count;
    if (count < 2 || nest->sum.assign != only_element_assignment(nest)) return "a sum is not what its nest assigns";
    const Loop *innermost = nest_innermost(nest), *elements = &nest->loops.items[count - 2];
    if (!loop_may(innermost, LOOP_ACCUMULATES) || !innermost->interval) return "the innermost loop of a sum does not accumulate";
    if (nest->sum.window) return window_fault(nest);
    if (!nest->sum.abreast) return nest->sum.turned.count > 0 ? "operands are turned for nothing" : NULL;
    if (nest->sum.turned.count > 0) return turned_fault(nest);
    bool free = loop_may(elements, LOOP_PARALLEL) && !verify_bounds_mention(innermost->index, elements->index->var) && !nest->has_filters;
    return free ? NULL : "elements of a sum cannot go side by side";
}

static const char *reduction_fault(const LoweredBody *code, const Nest *nest) {
    const StageUse *use = code->use;
    const Reduction *reduction = &nest->reduction;
    if (nest->reordered) return "a nest that reduces was reordered";
    if (reduction->targets.count == 0) return "a reduction has no target";
    for (size_t i = 0; i < reduction->targets.count; i++) {
        const Stmt *stmt = reduction->targets.items[i];
        if (stmt->kind != STMT_REDUCE) return "a reduction's target is not reduced to";
        const Formal *formal = lower_formal(use, stmt->target->var);
        if (reduction->any_order && (!formal || !lower_reduces_in_any_order(formal->op, formal->value_type)))
            return "a reduction of Reals goes in any order";
    }
    if (nest->lanes.reduces && !reduction->any_order) return "a reduction in order goes in lanes";
    return nest_body_in_lanes(nest) ? lower_lanes_fault(code, nest) : NULL;
}

static const char *carry_fault(const StageUse *use, const Nest *nest) {
    const Carry *carry = nest->carry;
    const Var *index = nest_innermost(nest)->index->var;
    const Formal *formal = lower_formal(use, carry->before->var);
    if (!nest_innermost(nest)->interval || nest->has_filters) return "an element is handed over a gap";
    if (carry->before->var != carry->now->var || carry->before->lag != carry->now->lag) return "another array's element is handed on";
    if (!formal || formal->written || !formal->restricted) return "an element is handed on that may change";
    const Expr *now = carry->now->arguments.items[0], *before = carry->before->arguments.items[0];
    const bool next = now->kind == EXPR_VAR && now->var == index && before->kind == EXPR_BINARY && before->op == OP_SUB &&
                      before->left->kind == EXPR_VAR && before->left->var == index && before->right->kind == EXPR_INTEGER && before->right->integer == 1;
    if (!next) return "an element is handed on that is not the next one";
    return carry->guard && carry->guard->kind != STMT_IF ? "the guard of an element that is handed on is no if" : NULL;
}

typedef struct Deciding { const Block *body; const Var *index; bool found; } Deciding;

static void find_deciding(void *data, const Expr *expr) {
    Deciding *deciding = data;
    deciding->found |= expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL || (expr->var && expr->var == deciding->index) ||
                       (expr->var && expr->kind != EXPR_DIM_RANGE && lower_block_writes(deciding->body, expr->var) > 0);
}

static const char *cut_fault(const LoweredBody *code, const Nest *nest) {
    const Loop *loop = nest_innermost(nest);
    Deciding deciding = {&nest->stmt->body, loop->index->var, false};
    if (!loop->interval || nest->has_filters) return "a loop with gaps is cut";
    lower_walk_expr(&(Walk){find_deciding, NULL, &deciding}, nest->cut);
    return deciding.found ? "a loop is cut where its iterations decide" : parallel_fault(code, nest, loop, nest->cut);
}

static const char *form_fault(const LoweredBody *code, const Nest *nest) {
    const StageUse *use = code->use;
    if ((count_reduces(&nest->stmt->body) > 0) != (nest->form == FORM_REDUCTION)) return "reductions and the form of the nest differ";
    switch (nest->form) {
    case FORM_PRODUCT: return lower_product_fault(nest);
    case FORM_SUM: return sum_fault(nest);
    case FORM_REDUCTION: return reduction_fault(code, nest);
    case FORM_CARRY: return carry_fault(use, nest);
    case FORM_CUT: return cut_fault(code, nest);
    case FORM_CHAIN:
        return nest->loops.count == 1 && nest->loops.items[0].interval && !nest->has_filters && only_statement(nest) ? NULL : "a chain has gaps";
    case FORM_LANES: return lower_lanes_fault(code, nest);
    case FORM_EXTREMUM: return lower_extremum_fault(nest);
    case FORM_LOOPS: return NULL;
    }
    return "a nest has no form";
}

/* ---- Bodies --------------------------------------------------------------------------------------------------- */
static const char *nest_fault(const LoweredBody *code, const Nest *nest) {
    const char *fault = loops_fault(nest);
    for (size_t l = 0; !fault && l < nest->loops.count; l++) fault = domain_fault(code->use, &nest->loops.items[l]);
    for (size_t l = 0; !fault && l < nest->loops.count; l++) fault = gaps_fault(code->use, nest, &nest->loops.items[l]);
    for (size_t l = 0; !fault && l < nest->loops.count; l++) fault = legal_fault(code, nest, l);
    if (!fault) fault = form_fault(code, nest);
    if (!fault && nest->edges) fault = lower_edges_fault(nest);
    if (!fault) fault = lower_select_fault(code, nest);
    if (!fault && nest->usual) fault = lower_usual_fault(code, nest);
    if (!fault && nest->small) fault = lower_small_fault(code, nest);
    if (!fault && nest->along) fault = lower_along_fault(nest);
    if (!fault && nest->blocked) fault = lower_blocked_fault(nest);
    if (!fault && nest->quotient) fault = lower_quotient_fault(nest);
    if (!fault && nest->wraps) fault = lower_wraps_fault(nest);
    if (!fault && nest->spaced) fault = lower_spaced_fault(code, nest);
    for (size_t l = 0; !fault && l < nest->loops.count; l++) fault = lower_role_fault(nest, l);
    return fault;
}

typedef struct Unread { const LoweredBody *code; const char *fault; } Unread;

static void find_unread(void *data, const Stmt *stmt) {
    Unread *unread = data;
    if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_VAR || stmt->target->var->kind != VAR_LOCAL) return;
    if (!lower_expr_has_effect(stmt->value) && !lower_block_reads(&unread->code->body->block, stmt->target->var))
        unread->fault = "a stage computes what nothing reads";
}

static void count_loop(void *data, const Stmt *stmt) { *(size_t *)data += stmt->kind == STMT_PARALLEL; }

const char *lower_body_fault(const LoweredBody *code) {
    size_t loops = 0;
    lower_walk_block(&(Walk){NULL, count_loop, &loops}, &code->body->block);
    const char *fault = loops == code->nests.count ? NULL : "a data-parallel loop has no nest";
    Unread unread = {code, NULL};
    if (!fault && code->pruned) lower_walk_block(&(Walk){NULL, find_unread, &unread}, &code->body->block);
    if (!fault) fault = unread.fault;
    if (!fault) fault = lower_locals_fault(code);
    if (!fault) fault = lower_border_fault(code);
    if (!fault) fault = lower_joins_fault(code);
    for (size_t i = 0; !fault && i < code->nests.count; i++) fault = nest_fault(code, code->nests.items[i]);
    return fault;
}

static void check(const LoweredBody *code) {
    const char *fault = code ? lower_body_fault(code) : NULL;
    if (fault) internal_error("lower", "%s: %s", code->body->name ? code->body->name : "a body", fault);
}

static void check_strips(const LoweredTask *task, const StripsVec *groups) {
    for (size_t i = 0; i < groups->count; i++) {
        const char *fault = lower_strips_fault(task, groups->items[i]);
        if (fault) internal_error("lower", "strips of task \"%s\": %s", task->plan->task->name, fault);
    }
}

void lower_verify(const LoweredProgram *program) {
    for (size_t i = 0; i < program->functions.count; i++) check(program->functions.items[i]);
    for (size_t t = 0; t < program->tasks.count; t++) {
        const LoweredTask *task = program->tasks.items[t];
        for (size_t i = 0; i < task->stages.count; i++) {
            if (task->stages.items[i]->formals.count != task->plan->uses.items[i]->formals.count) internal_error("lower", "a stage lost a formal");
            check(&task->stages.items[i]->code);
        }
        check_strips(task, &task->strips);
        check_strips(task, &task->relays);
        check(task->initialize);
    }
    check(program->coordinator);
}
