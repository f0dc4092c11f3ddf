/* The oldest version in the memory of the current one. Of an equation of waves,
 *
 *     u[i][j] = 2 * (u[i][j] at (current - 1)) - (u[i][j] at (current - 2)) + …
 *
 * nobody reads an element's oldest version but the stage that writes the element anew, before it does. Where versions change places, the buffer
 * that becomes the current one still has what the oldest version is when the Epoch begins, one version earlier: so the array needs one
 * buffer less, as such programs are written by hand, and the oldest version is read there. That holds if
 *
 *   - the stage alone reads the oldest version, in the iteration that writes the element, with the same subscripts, before it is written,
 *   - that is the first statement of the stage that writes any of the array, and comes to each element once,
 *   - the LPU alone has the element: it is no padding, which takes the newest values in all buffers.
 *
 * Needs: finished uses, ArrayPlan.rotates, a mapping (cards have ways of their own with two versions). Gives: ArrayPlan.oldest_in_current. */
#include "compiler/check/bodies.h"
#include "compiler/mapping/mapping.h"
#include "compiler/plan/internal.h"

/* ---- The statement that writes ---------------------------------------------------------------------------------------- */

typedef struct Writing { const Var *var; const Stmt *write; size_t count; } Writing;

static bool find_write(Stmt *stmt, void *data) {
    Writing *writing = data;
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->uses.count; i++)
        if (stmt->external->uses.items[i] == writing->var) writing->count += 2;
    if (stmt->kind != STMT_ASSIGN || plan_root_of(stmt->target) != writing->var) return true;
    writing->write = stmt;
    writing->count += stmt->target->kind == EXPR_ELEMENT && type_is_numeric(stmt->target->type) ? 1 : 2;
    return true;
}

/* By reference it may be changed anywhere in a call. */
static bool find_reference(Expr *expr, void *data) {
    Writing *writing = data;
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->arguments.count; i++)
        if (expr->function->body.params.items[i]->by_reference && plan_root_of(expr->arguments.items[i]) == writing->var) writing->count += 2;
    return true;
}

/* The loops around the statement, and what the element's subscripts must have of them: each iteration writes another element. */
static bool each_index_is_a_subscript(const Block *block, const Stmt *write, const Block **innermost, bool *found) {
    for (size_t i = 0; i < block->statements.count && !*found; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt == write) {
            *found = true;
            return true;
        }
        const bool loop = stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE;
        const Block *inside = *innermost;
        if (loop) *innermost = &stmt->body;
        bool fits = each_index_is_a_subscript(&stmt->body, write, innermost, found);
        if (!*found) *innermost = inside;
        if (!*found && stmt->otherwise != NULL) fits = each_index_is_a_subscript(stmt->otherwise, write, innermost, found);
        if (!*found) continue;
        if (!loop) return fits && stmt->kind != STMT_WHILE;
        for (size_t l = 0; l < (stmt->kind == STMT_SEQUENCE ? 1 : stmt->indices.count); l++) {
            const Var *index = stmt->kind == STMT_SEQUENCE ? stmt->index : stmt->indices.items[l].var;
            bool stands = false;
            for (size_t d = 0; d < write->target->arguments.count; d++)
                stands = stands || (write->target->arguments.items[d]->kind == EXPR_VAR && write->target->arguments.items[d]->var == index);
            fits = fits && stands;
        }
        return fits;
    }
    return true;
}

/* The subscripts stay the same all through the iteration. */
static bool subscripts_stay(const Expr *element, const Block *iteration) {
    for (size_t d = 0; d < element->arguments.count; d++) {
        const Expr *subscript = element->arguments.items[d];
        if (subscript->kind == EXPR_INTEGER) continue;
        if (subscript->kind != EXPR_VAR || block_settings(iteration, subscript->var).count > 0) return false;
    }
    return true;
}

/* ---- What reads the oldest version -------------------------------------------------------------------------------------- */

/* count: reads in the block; own: of the element, in an iteration, up to the statement that writes it. */
typedef struct Reading {
    const Var *var;
    int lag;
    const Stmt *write;
    bool passed, behind;
    size_t count, own;
} Reading;

static bool note_statement(Stmt *stmt, void *data) {
    Reading *reading = data;
    reading->behind = reading->behind || reading->passed;
    reading->passed = reading->passed || stmt == reading->write;
    return true;
}

static bool same_place(const Expr *element, const Expr *target) {
    for (size_t d = 0; d < target->arguments.count; d++)
        if (!expr_equal(element->arguments.items[d], target->arguments.items[d])) return false;
    return true;
}

static bool note_read(Expr *expr, void *data) {
    Reading *reading = data;
    if (expr->kind != EXPR_ELEMENT || expr->var != reading->var || expr->lag != reading->lag) return true;
    reading->count++;
    reading->own += !reading->behind && same_place(expr, reading->write->target);
    return true;
}

static bool reads_own_alone(const Formal *formal, int lag, const Stmt *write, const Block *body, const Block *iteration) {
    Reading all = {.var = formal->var, .lag = lag, .write = write}, here = all;
    walk_block((Block *)body, NULL, note_read, &all);
    walk_block((Block *)iteration, note_statement, note_read, &here);
    return all.count > 0 && here.own == all.count;
}

/* ---- Whose elements they are ---------------------------------------------------------------------------------------------- */

/* How far a bound is from that end of the LPU's part in the dimension: `low + distance` or `high - distance`; -1: it is something else. */
static int64_t distance_from_end(const Expr *bound, const Var *var, int dimension, RangePart end) {
    int64_t distance = 0;
    for (; bound != NULL && bound->kind == EXPR_BINARY && bound->right->kind == EXPR_INTEGER; bound = bound->left) {
        if (bound->op != OP_ADD && bound->op != OP_SUB) return -1;
        distance += (bound->op == OP_ADD) == (end == RANGE_MIN) ? bound->right->integer : -bound->right->integer;
    }
    const bool part = bound != NULL && bound->kind == EXPR_RANGE_PART && bound->part == end && bound->left->kind == EXPR_DIM_RANGE && bound->left->local;
    return part && bound->left->var == var && bound->left->dimension == dimension ? distance : -1;
}

static int64_t padding_of(const Expr *padding) { return padding == NULL ? 0 : padding->kind == EXPR_INTEGER ? padding->integer : INT64_MAX; }

static bool is_own(const Region *region, const LpsVar *entry, int dims) {
    for (int p = 0; p < dims; p++) {
        const DimPartition *part = &entry->dims[p];
        const int64_t front = padding_of(part->padding_front), back = padding_of(part->padding_back);
        const int d = part->array_dimension;
        if (d < 0 || (front == 0 && back == 0) || region->dims[d].kind == REGION_OWN) continue;
        if (region->dims[d].kind != REGION_SPAN) return false;
        if (distance_from_end(region->dims[d].low, region->var, d, RANGE_MIN) < front) return false;
        if (distance_from_end(region->dims[d].high, region->var, d, RANGE_MAX) < back) return false;
    }
    return true;
}

/* The LPUs of the Space have parts that do not meet, or read nothing of the oldest version where they do. */
static bool reads_parts_apart(const Planner *planner, const Step *call, const Var *var) {
    const Lps *lps = call->lps;
    const RegionVec regions = footprint_of_call(planner->arena, call);
    for (const Lps *up = lps; up != NULL; up = up->parent)
        if (up->sub_partition || (up != lps && lps_lists_padded(up, var))) return false;
    if (!lps_lists_padded(lps, var)) return true;
    for (size_t i = 0; i < regions.count; i++)
        if (regions.items[i]->var == var && regions.items[i]->lag == var->versions - 1 && (regions.items[i]->lps != lps || !is_own(regions.items[i], lps_find_var(lps, var), lps->dims))) return false;
    return true;
}

/* ---- All together ----------------------------------------------------------------------------------------------------------- */

static bool uses_cards(const ResolvedMapping *mapping) {
    for (size_t i = 0; mapping != NULL && i < mapping->count; i++)
        if (model_is_gpu_level(mapping->model, mapping->lpses[i].level)) return true;
    return false;
}

/* The statement of the stage that reads the oldest version, alone, in front of others that write; it writes by one statement itself. */
static bool reads_before_writing(const StageUse *use, const Formal *formal, int lag) {
    const Block *body = &use->stage->body.block;
    Writing anywhere = {.var = formal->var};
    walk_block((Block *)body, NULL, find_reference, &anywhere);
    for (size_t i = 0; i < body->statements.count && anywhere.count == 0; i++) {
        Block alone = {.statements = {.items = body->statements.items + i, .count = 1}};
        const Block *iteration = NULL;
        Writing writing = {.var = formal->var};
        bool found = false;
        walk_block(&alone, find_write, NULL, &writing);
        if (writing.count == 0) continue;
        if (writing.count != 1 || !each_index_is_a_subscript(&alone, writing.write, &iteration, &found) || iteration == NULL) return false;
        return subscripts_stay(writing.write->target, iteration) && reads_own_alone(formal, lag, writing.write, body, iteration);
    }
    return false;
}

static bool can_do_without(const Planner *planner, const ArrayPlan *array) {
    const Var *var = array->var;
    const StageUse *writer = NULL;
    const Formal *written = NULL;
    for (size_t u = 0; u < planner->task->uses.count; u++)
        for (size_t f = 0; f < planner->task->uses.items[u]->formals.count; f++) {
            const Formal *formal = &planner->task->uses.items[u]->formals.items[f];
            if (formal->actual != var || (!formal->written && formal->max_lag < var->versions - 1)) continue;
            if (writer != NULL) return false;
            writer = planner->task->uses.items[u];
            written = formal;
        }
    if (writer == NULL || !written->written || written->kind != FORMAL_VIEW || !written->restricted || written->shared || written->layout.split) return false;
    const Step *call = NULL;
    for (size_t c = 0; c < planner->calls.count; c++) {
        if (planner->call_uses.items[c] != writer) continue;
        if (call != NULL) return false;
        call = planner->calls.items[c];
    }
    return call != NULL && reads_parts_apart(planner, call, var) && reads_before_writing(writer, written, var->versions - 1);
}

static bool epochs_take_nothing(const PlanStepVec *steps, const ArrayPlan *array) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        const bool advances = (step->kind == PLAN_EPOCH || step->kind == PLAN_EPOCH_CLOSE || step->kind == PLAN_COPY_IN || step->kind == PLAN_COPY_OUT) && step->array == array;
        if (advances && (step->kind != PLAN_EPOCH || !step->rotates || step->shared || step->takes.count > 0)) return false;
        if (!epochs_take_nothing(&step->body, array)) return false;
    }
    return true;
}

void plan_oldest(Planner *planner) {
    for (int i = 0; i < planner->task->array_count; i++) {
        ArrayPlan *array = &planner->task->arrays[i];
        const bool rotates = array->rotates && array->var->versions > 2 && !array->collected && !planner->plan->options.checked && !uses_cards(planner->mapping);
        array->oldest_in_current = rotates && epochs_take_nothing(&planner->task->flow, array) && can_do_without(planner, array);
    }
}

int plan_versions(const ArrayPlan *array) { return array->var->versions - array->oldest_in_current; }
