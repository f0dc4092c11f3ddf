/* Judges every access to an array that a Space divides: does it stay in the LPU's part?
 *
 * Distances are counted from the LPU's own indices, those of its part without padding. A loop over the part of
 * r begins padding(r) before them; a guard `i > rows.min + c` lets it begin c + 1 later; the part of u reaches
 * padding(u) before them. So u[i - o] stays inside where c + 1 - o + padding(u) - padding(r) >= 0, for at least one
 * of what keeps the index (the loop's domain, the guards), at each Space that divides the dimension. */
#include "compiler/check/reach.h"

/* ---- One end of the part, one Space ---------------------------------------------------------------- */

/* Everything about one subscript at one end of the part. */
typedef struct Side {
    Reach *reach;
    const Expr *element;
    const Var *array;
    int dimension;
    Value value;
    bool last;
    int64_t outward;
    const Var *window; /* x[i + t]: the index that does not move with the part */
    bool wrapped;      /* x[(i + 1) % n] */
    bool reported;
} Side;

static void report(Side *side, Finding finding) {
    if (side->reported) return;
    side->reported = true;
    finding.call = side->reach->call;
    finding.element = side->element;
    finding.array = side->array;
    finding.dimension = side->dimension;
    finding.last = side->last;
    finding.outward = side->outward;
    finding.written = side->element == side->reach->target;
    finding.subscript = side->value;
    const Scope *scope = side->value.kind == VALUE_INDEX ? reach_scope(side->reach, side->value.index) : NULL;
    if (side->value.by != NULL) finding.window = side->window;
    finding.in_sequence = scope != NULL && scope->index == NULL;
    if (finding.kind == REACH_WHOLE && scope != NULL && scope->index != NULL && scope->index->domain_var != NULL) {
        finding.from = reach_global(side->reach, scope->index->domain_var);
        finding.from_dimension = scope->index->dimension;
    }
    if (side->reach->silenced > 0) finding.kind = REACH_UNKNOWN;
    if (finding.kind == REACH_UNKNOWN) {
        reach_note_reason(side->reach, REASON_DOUBT, finding.level.lps, side->element->span, NULL);
        return;
    }
    vec_push(side->reach->check->arena, side->reach->findings, finding);
}

typedef struct Best { bool any, unknown; int64_t margin; const Keeper *keeper; const Keeper *transposed; } Best;

/* The level of the keeper's array that `level` is compared with; NULL: it says nothing there. */
static const Level *compared(const Side *side, const Level *level, const Keeper *keeper, Best *best) {
    const Level *other = reach_find_level(reach_chain(side->reach, keeper->array, keeper->dimension), level->lps);
    if (other == NULL) return NULL;
    if (other->dim != level->dim) {
        best->transposed = keeper;
        return NULL;
    }
    if (reach_same_division(level, other)) return other;
    best->unknown = true;
    return NULL;
}

static void report_border(Side *side, const Level *level, const Level *other, const Keeper *keeper) {
    int64_t padding;
    if (keeper->test == NULL || side->outward <= 0 || !reach_padding(other, side->last, &padding)) return;
    int64_t left_out = keeper->inward - padding;
    if (left_out > 0)
        report(side, (Finding){.kind = REACH_BORDER, .level = *level, .missing = left_out, .from = keeper->array,
                               .from_dimension = keeper->dimension, .guard = keeper->test});
}

/* The nearest thing that keeps the index from the end of the level's part. */
static Best find_best(const Side *side, const Level *level, const Keepers *keepers) {
    Best best = {0};
    for (int i = 0; i < keepers->count; i++) {
        const Keeper *keeper = &keepers->items[i];
        const Level *other = compared(side, level, keeper, &best);
        if (other == NULL) continue;
        int64_t margin = keeper->inward - side->outward + reach_padding_difference(level, other, side->last);
        if (!best.any || margin > best.margin) {
            best.margin = margin;
            best.keeper = keeper;
        }
        best.any = true;
    }
    return best;
}

/* Some condition or bound may keep the index from the ends of the array. */
static bool is_restricted(const Reach *reach) {
    bool restricted = reach->branches > 0 || reach->guards.count > 0;
    for (size_t i = 0; i < reach->scopes.count; i++) {
        const LoopIndex *index = reach->scopes.items[i].index;
        restricted = restricted || (index != NULL && index->lower.count + index->upper.count + index->filters.count > 0);
    }
    return restricted;
}

/* Padding ends at the ends of the array: with as much as the distance the element is in the part everywhere but there. */
static void judge_wrapped_level(Side *side, const Level *level, const Best *best) {
    const bool strided = reach_is_strided(level), enough = strided ? reach_stays_in_stride(level, side->outward) : best->margin >= 0;
    if (side->outward <= 0) return;
    if (enough && (strided || best->keeper->inward > 0 || is_restricted(side->reach))) report(side, (Finding){.kind = REACH_UNKNOWN, .level = *level});
    else
        report(side, (Finding){.kind = REACH_WRAPS, .level = *level, .missing = enough ? 0 : strided ? side->outward : -best->margin,
                               .from = best->keeper->array, .from_dimension = best->keeper->dimension});
}

static void judge_level(Side *side, const Level *level, const Keepers *keepers) {
    Best best = find_best(side, level, keepers);
    if (best.unknown || keepers->unknown || keepers->pinned) {
        report(side, (Finding){.kind = REACH_UNKNOWN, .level = *level});
        return;
    }
    if (!best.any && best.transposed != NULL)
        report(side, (Finding){.kind = REACH_TRANSPOSED, .level = *level, .from = best.transposed->array,
                               .from_dimension = best.transposed->dimension});
    else if (!best.any) report(side, (Finding){.kind = REACH_WHOLE, .level = *level});
    else if (side->wrapped) {
        judge_wrapped_level(side, level, &best);
        return;
    } else if (reach_is_strided(level)) {
        if (!reach_stays_in_stride(level, side->outward)) report(side, (Finding){.kind = REACH_STRIDED, .level = *level});
    } else if (best.margin < 0)
        report(side, (Finding){.kind = REACH_LEAVES, .level = *level, .missing = -best.margin, .from = best.keeper->array,
                               .from_dimension = best.keeper->dimension});
    if (reach_is_strided(level)) return;
    for (int i = 0; i < keepers->count; i++) {
        const Level *other = compared(side, level, &keepers->items[i], &best);
        if (other != NULL) report_border(side, level, other, &keepers->items[i]);
    }
}

/* ---- One subscript --------------------------------------------------------------------------------- */

/* Some loop has only one iteration, or a few: others may be none. */
static bool is_pinned(const Reach *reach) {
    for (size_t i = 0; i < reach->guards.count; i++)
        if (reach->guards.items[i].pinned) return true;
    return false;
}

static void find_keepers(Reach *reach, const Value *value, bool last, Keepers *keepers) {
    *keepers = (Keepers){.count = 0, .unknown = false, .pinned = false};
    if (value->kind == VALUE_INDEX) reach_keepers(reach, value->index, last, keepers);
    else if (value->kind == VALUE_END && value->local) reach_keep(keepers, (Keeper){value->array, value->dimension, 0, NULL});
    else if (!value->literal || reach->branches > 0 || is_pinned(reach)) keepers->unknown = true;
}

/* Padding, or a distance from the end of the part, may be enough for the window: nothing is said where there is any. */
static void judge_window_level(Side *side, const Level *level, const Keepers *keepers) {
    const Best best = find_best(side, level, keepers);
    int64_t padding;
    const bool known = !best.unknown && !keepers->unknown && !keepers->pinned && best.any && !is_pinned(side->reach) && !reach_is_strided(level) &&
                       reach_padding(level, side->last, &padding) && padding == 0 && best.margin <= 0 && side->element != side->reach->target;
    if (known) report(side, (Finding){.kind = REACH_WINDOW, .level = *level, .from = best.keeper->array, .from_dimension = best.keeper->dimension});
    else report(side, (Finding){.kind = REACH_UNKNOWN, .level = *level});
}

static void judge_window(Reach *reach, const Expr *element, const Var *array, int dimension, const Value *value, const Chain *chain) {
    Window window;
    Keepers keepers = {.unknown = true};
    const bool seen = reach_window(reach, value, &window);
    Side side = {reach, element, array, dimension, *value, seen && window.last, 0, NULL, false, false};
    if (seen) {
        side.window = window.free;
        side.outward = window.last ? value->high : -value->low;
        side.value.index = window.moves;
        keepers.unknown = false;
        reach_keepers(reach, window.moves, window.last, &keepers);
    }
    for (int i = 0; i < chain->count; i++) judge_window_level(&side, &chain->levels[i], &keepers);
}

/* False: nothing is known of it, and nothing wrong either. */
static bool judge_anywhere(Reach *reach, const Expr *element, const Var *array, int dimension, const Value *value, const Chain *chain) {
    Side side = {reach, element, array, dimension, *value, false, 0, NULL, false, false};
    for (int i = 0; i < chain->count && !side.reported && !is_pinned(reach) && reach->silenced == 0; i++) {
        const Var *elements;
        if (reach_from_data(reach, element->arguments.items[dimension], value->kind != VALUE_INDEX, &chain->levels[i], &elements))
            report(&side, (Finding){.kind = REACH_ANYWHERE, .level = chain->levels[i], .elements = elements});
    }
    return side.reported;
}

static void note_neighbours(Reach *reach) {
    for (size_t i = 0; i < reach->neighbours.count; i++)
        if (reach->neighbours.items[i] == reach->call->stage) return;
    vec_push(reach->check->arena, &reach->neighbours, reach->call->stage);
}

static void judge_subscript(Reach *reach, const Expr *element, const Var *array, int dimension) {
    if (reach_chain(reach, array, dimension)->count == 0) return;
    const Chain chain = *reach_chain(reach, array, dimension);
    reach->effort = REACH_EFFORT;
    Value value = reach_value(reach, element->arguments.items[dimension]);
    if (value.by != NULL) {
        judge_window(reach, element, array, dimension, &value, &chain);
        return;
    }
    reach->effort = REACH_EFFORT;
    const bool wrapped = value.wraps || (value.kind == VALUE_UNKNOWN && reach_wrapped(reach, element->arguments.items[dimension], &value));
    if (!value.literal && value.kind != VALUE_END && !wrapped && judge_anywhere(reach, element, array, dimension, &value, &chain)) return;
    for (int last = 0; last < 2; last++) {
        Side side = {reach, element, array, dimension, value, last != 0, last != 0 ? value.high : -value.low, NULL, wrapped, false};
        /* Of the LPU's own first index, the last end of the part is no concern, and the other way around. */
        if (value.kind == VALUE_END && value.local && value.last != (last != 0)) continue;
        if (side.outward > 0) note_neighbours(reach);
        Keepers keepers;
        find_keepers(reach, &value, last != 0, &keepers);
        for (int i = 0; i < chain.count; i++) judge_level(&side, &chain.levels[i], &keepers);
    }
}

static void judge_element(Reach *reach, const Expr *element) {
    const Var *array = reach_global(reach, element->var);
    if (array == NULL || array->kind != VAR_GLOBAL || !var_is_array(array)) return;
    for (size_t d = 0; d < element->arguments.count; d++) judge_subscript(reach, element, array, (int)d);
}

/* ---- Stages ------------------------------------------------------------------------------------------- */

static void look_at(Reach *reach, const Expr *expr) {
    if (expr == NULL) return;
    if (expr->kind == EXPR_ELEMENT) judge_element(reach, expr);
    look_at(reach, expr->left);
    Mark mark = reach_mark(reach);
    if (expr->kind == EXPR_BINARY && expr->op == OP_AND) reach_assume(reach, expr->left);
    if (expr->kind == EXPR_BINARY && expr->op == OP_OR) reach_assume_not(reach, expr->left);
    look_at(reach, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) look_at(reach, expr->arguments.items[i]);
    reach_release(reach, mark);
}

static void look_at_all(Reach *reach, const ExprVec *exprs) {
    for (size_t i = 0; i < exprs->count; i++) look_at(reach, exprs->items[i]);
}

/* A condition that knows of parts. */
static void note_silence(Reach *reach, int before, Span span) {
    if (reach->silenced > before) reach_note_reason(reach, REASON_KNOWS, reach->call->lps, span, NULL);
}

static void walk_stmts(Reach *reach, const Block *block);

static void walk_loop(Reach *reach, const Stmt *stmt) {
    Arena *arena = reach->check->arena;
    look_at(reach, stmt->value);
    reach_note_value(reach, stmt->kind == STMT_SEQUENCE ? stmt->value : NULL, reach->call->lps);
    if (stmt->kind == STMT_SEQUENCE) vec_push(arena, &reach->scopes, ((Scope){stmt->index, NULL, stmt}));
    for (size_t i = 0; i < stmt->indices.count; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        look_at(reach, index->domain_range);
        look_at_all(reach, &index->lower);
        look_at_all(reach, &index->upper);
        vec_push(arena, &reach->scopes, ((Scope){index->var, index, NULL}));
        int silenced = reach->silenced;
        reach_assume_bounds(reach, index);
        note_silence(reach, silenced, index->span);
        if (index->domain_range != NULL && index->domain_range->kind != EXPR_DIM_RANGE)
            reach_note_value(reach, index->domain_range, reach->call->lps);
        look_at_all(reach, &index->filters);
    }
    walk_stmts(reach, &stmt->body);
}

static void walk_branches(Reach *reach, const Stmt *stmt) {
    Mark mark = reach_mark(reach);
    look_at(reach, stmt->value);
    reach->branches++;
    reach_assume(reach, stmt->value);
    note_silence(reach, mark.silenced, stmt->value->span);
    walk_stmts(reach, &stmt->body);
    reach_release(reach, mark);
    if (stmt->otherwise == NULL) return;
    reach->branches++;
    reach_assume_not(reach, stmt->value);
    walk_stmts(reach, stmt->otherwise);
    reach_release(reach, mark);
}

static void note_statement(Reach *reach, const Stmt *stmt) {
    const Lps *lps = reach->call->lps;
    if (stmt->kind == STMT_EXTERN) reach_note_reason(reach, REASON_FOREIGN, lps, stmt->span, NULL);
    if (stmt->kind == STMT_REDUCE) reach_note_reduction(reach, stmt);
    if (stmt->kind == STMT_ASSIGN) reach_note_assignment(reach, stmt);
    bool names_range = stmt->kind == STMT_ASSIGN && stmt->value->type->kind == TYPE_RANGE && stmt->target->kind == EXPR_VAR;
    if (!names_range) reach_note_value(reach, stmt->value, lps);
}

static void walk_stmts(Reach *reach, const Block *block) {
    vec_push(reach->check->arena, &reach->blocks, ((OpenBlock){block, reach->scopes.count}));
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        Mark mark = reach_mark(reach);
        switch (stmt->kind) {
        case STMT_PARALLEL: case STMT_SEQUENCE: walk_loop(reach, stmt); break;
        case STMT_IF: walk_branches(reach, stmt); break;
        default:
            reach->target = stmt->target;
            while (reach->target != NULL && reach->target->kind != EXPR_ELEMENT) reach->target = reach->target->left;
            look_at(reach, stmt->target);
            reach->target = NULL;
            look_at(reach, stmt->value);
            note_statement(reach, stmt);
            reach_note_stencil(reach, stmt);
            walk_stmts(reach, &stmt->body);
            break;
        }
        reach_release(reach, mark);
    }
    reach->blocks.count--;
}

static bool same_call(const Step *a, const Step *b) {
    if (a == NULL || a->stage != b->stage || a->lps != b->lps) return false;
    for (size_t i = 0; i < a->arguments.count; i++)
        if (a->arguments.items[i].var != b->arguments.items[i].var || a->arguments.items[i].var == NULL) return false;
    return true;
}

static void walk_call(Reach *around, const Step *call) {
    if (same_call(around->call, call)) {
        around->stencils[call->id] = around->stencils[around->call->id];
        return;
    }
    around->call = call;
    Reach reach = *around;
    reach.blocks.count = 0;
    reach.call = call;
    reach.body = &call->stage->body;
    reach_collect_definitions(&reach);
    for (size_t i = 0; i < call->arguments.count; i++) reach_note_value(&reach, call->arguments.items[i].constant, call->lps);
    walk_stmts(&reach, &reach.body->block);
    around->neighbours = reach.neighbours;
}

/* lpuId[0] == 0, i in u.local.dimension.range: a condition that may let single LPUs pass, those at an end of the array say.
 * Others, as lpuId[0] % 2 == t, choose among LPUs, but each of them has neighbours. */
static bool picks_lpus(const Expr *test) {
    if (test == NULL) return false;
    if (test->kind == EXPR_CALL || test->kind == EXPR_IN) return true;
    if (test->kind != EXPR_BINARY) return test->kind == EXPR_UNARY && picks_lpus(test->left);
    if (test->op == OP_AND || test->op == OP_OR) return picks_lpus(test->left) || picks_lpus(test->right);
    bool bare = false;
    const Expr *sides[] = {test->left, test->right};
    for (int i = 0; i < 2; i++)
        bare = bare || sides[i]->kind == EXPR_LPU_ID || (sides[i]->kind == EXPR_RANGE_PART && sides[i]->left->local);
    return bare;
}

static void walk_steps(Reach *reach, const StepVec *steps) {
    const Body *body = reach->body;
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        int silenced = reach->silenced;
        if (step->kind == STEP_IF && picks_lpus(step->condition)) reach->silenced++;
        const Step *call = reach->call;
        reach->call = NULL;
        reach_note_value(reach, step->condition, step->lps);
        reach_note_value(reach, step->range, step->lps);
        reach_note_value(reach, step->step, step->lps);
        reach->call = call;
        if (step->kind == STEP_CALL) walk_call(reach, step);
        walk_steps(reach, &step->body);
        reach->silenced = silenced;
        reach->body = body;
    }
}

void warn_reach(Check *check, Task *task) {
    static const Body no_body = {0};
    FindingVec findings = {0};
    ReasonVec reasons = {0};
    Reach reach = {.check = check, .task = task, .body = &no_body, .findings = &findings, .reasons = &reasons,
                   .chains = ARENA_ARRAY(check->arena, Chain, KEPT_CHAINS)};
    reach.stencils = ARENA_ARRAY(check->arena, StencilVec, (size_t)task->step_count + 1);
    walk_steps(&reach, &task->flow);
    reach_warn(check, &findings);
    reach_warn_stale(&reach);
    reach_remark(&reach);
}
