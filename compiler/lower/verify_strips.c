/* Checks groups of stages that run in strips by going through them once more, statement by statement: what is handed on stays in its strip and is
 * nobody else's, nothing else that one loop writes is touched by another one in another strip, and nobody asks where a part ends. */
#include "compiler/lower/strips.h"
#include "compiler/lower/verify_loops.h"

enum { MOST = 64 };
typedef struct Seen {
    const LoweredTask *task;
    const Strips *strips;
    const StageUse *use;
    const Stmt *loop;      /* at the top of the stage's body; NULL: another statement */
    const Var *index;      /* its outermost */
    unsigned along[MOST];  /* by array: dimensions of all that has been touched of it so far in which the index stands alone */
    int loops[MOST];       /* how many loops touch it, and which was the last one */
    const Stmt *last[MOST];
    bool written[MOST], given[MOST]; /* given: an iteration of some loop has assigned its own element */
    size_t reductions;     /* of the stage */
    const char *fault;
} Seen;

static void blame(Seen *seen, const char *fault) { seen->fault = seen->fault ? seen->fault : fault; }

static const Var *array_of(const Seen *seen, const Var *var) {
    for (size_t i = 0; var && i < seen->use->formals.count; i++)
        if (seen->use->formals.items[i].var == var && seen->use->formals.items[i].kind == FORMAL_VIEW) return seen->use->formals.items[i].actual;
    return NULL;
}

static int bounded_in(const Strips *strips, const Var *array) {
    for (size_t i = 0; i < strips->bounded.count; i++)
        if (strips->bounded.items[i].array == array) return strips->bounded.items[i].dimension;
    return -1;
}

static bool is_handed_on(const Strips *strips, const Var *array) {
    for (size_t i = 0; i < strips->passed.count; i++)
        if (strips->passed.items[i] == array) return true;
    return false;
}

static void see_element(Seen *seen, const Expr *element) {
    const Var *array = array_of(seen, element->var);
    const int number = array ? plan_array_index(seen->task->plan, array) : -1;
    if (number < 0 || number >= MOST) return;
    unsigned along = 0;
    for (size_t d = 0; seen->index && d < element->arguments.count; d++)
        if (element->arguments.items[d]->kind == EXPR_VAR && element->arguments.items[d]->var == seen->index) along |= 1u << d;
    if (seen->last[number] != seen->loop || seen->loops[number] == 0) seen->loops[number]++;
    seen->last[number] = seen->loop;
    seen->along[number] &= along;
    if (!is_handed_on(seen->strips, array)) return;
    if ((along >> bounded_in(seen->strips, array) & 1) == 0) blame(seen, "an element that is handed on is touched in another strip");
    if (!seen->given[number]) blame(seen, "an element that is handed on is touched before it is there");
}

static void see_expr(void *data, const Expr *expr) {
    Seen *seen = data;
    if (expr->kind == EXPR_ELEMENT) see_element(seen, expr);
    if (expr->kind != EXPR_DIM_RANGE || !expr->local || bounded_in(seen->strips, array_of(seen, expr->var)) != expr->dimension) return;
    if (seen->loop == NULL || seen->loop->kind != STMT_SEQUENCE || seen->loop->value != expr) blame(seen, "a stage asks for the part of which it has strips");
}

static void see_stmt(void *data, const Stmt *stmt) {
    Seen *seen = data;
    const Var *array = stmt->kind == STMT_ASSIGN ? array_of(seen, lower_place_root(stmt->target)) : NULL;
    const int number = array ? plan_array_index(seen->task->plan, array) : -1;
    if (number >= 0 && number < MOST) seen->written[number] = true;
    if (stmt->kind == STMT_RETURN || stmt->kind == STMT_EXTERN) blame(seen, "a stage in strips does more than assign elements");
    seen->reductions += stmt->kind == STMT_REDUCE;
    for (size_t i = 0; stmt->kind == STMT_PARALLEL && i < stmt->indices.count; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        const int dimension = bounded_in(seen->strips, array_of(seen, index->domain_var));
        if (dimension >= 0 && dimension == index->dimension && (stmt != seen->loop || i > 0)) blame(seen, "a stage asks for the part of which it has strips");
    }
}

/* The loop gives every iteration an element of the array, before anything else is done with it. */
static void see_given(Seen *seen, const Stmt *loop) {
    for (size_t i = 0; i < loop->body.statements.count; i++) {
        const Stmt *stmt = loop->body.statements.items[i];
        const Var *array = stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_ELEMENT ? array_of(seen, stmt->target->var) : NULL;
        const int number = array ? plan_array_index(seen->task->plan, array) : -1;
        if (number >= 0 && number < MOST && is_handed_on(seen->strips, array) && (loop->kind != STMT_PARALLEL || loop->indices.items[0].filters.count == 0)) seen->given[number] = true;
    }
}

/* The stage reduces in loops that take one chunk of iterations after the other from where the part begins, each to results of its own. */
static void see_reductions(Seen *seen, const Block *body) {
    size_t in_order = 0;
    for (size_t i = 0; i < body->statements.count; i++) {
        const Stmt *stmt = body->statements.items[i];
        if (stmt->kind != STMT_PARALLEL || stmt->indices.count != 1) continue;
        const size_t count = strip_count_reductions(&stmt->body);
        if (count > 0 && (stmt->indices.items[0].lower.count > 0 || stmt->indices.items[0].upper.count > 0)) continue;
        in_order += count;
    }
    for (size_t f = 0; f < seen->use->formals.count; f++) {
        size_t loops = 0;
        for (size_t i = 0; i < body->statements.count; i++) loops += lower_stmt_writes(body->statements.items[i], seen->use->formals.items[f].var) > 0;
        if (seen->use->formals.items[f].kind == FORMAL_PARTIAL && loops > 1) blame(seen, "stages in strips reduce to one result in turn");
    }
    if (seen->reductions != in_order || (seen->reductions > 0 && !seen->strips->reduces)) blame(seen, "a stage in strips reduces in another order");
}

static void see_stage(Seen *seen, const LoweredBody *code) {
    seen->use = code->use;
    seen->reductions = 0;
    for (size_t i = 0; i < code->body->block.statements.count; i++) {
        Stmt *stmt = code->body->block.statements.items[i];
        const Block alone = {.statements = {.items = &stmt, .count = 1}};
        const bool parallel = stmt->kind == STMT_PARALLEL, loops = parallel || stmt->kind == STMT_SEQUENCE;
        seen->loop = loops ? stmt : NULL;
        seen->index = parallel ? stmt->indices.items[0].var : loops ? stmt->index : NULL;
        if (loops) see_given(seen, stmt);
        lower_walk_block(&(Walk){see_expr, see_stmt, seen}, &alone);
    }
    for (size_t i = 0; i < code->use->formals.count; i++)
        if (code->use->formals.items[i].kind == FORMAL_PLACE) blame(seen, "a stage in strips has a result");
    see_reductions(seen, &code->body->block);
}

/* ---- The flow --------------------------------------------------------------------------------------------------- */
static bool names(const PlanStep *step, const Var *array) {
    for (size_t f = 0; step->kind == PLAN_STAGE && f < step->use->formals.count; f++)
        if (step->use->formals.items[f].actual == array) return true;
    return step->array != NULL && step->array->var == array;
}

static bool is_in(const Strips *strips, const PlanStep *step) {
    for (size_t s = 0; s < strips->steps.count; s++)
        if (strips->steps.items[s] == step) return true;
    return false;
}

static void see_flow(Seen *seen, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        see_flow(seen, &step->body);
        for (size_t s = 0; step == seen->strips->steps.items[0] && s < seen->strips->steps.count; s++)
            if (i + s >= steps->count || steps->items[i + s] != seen->strips->steps.items[s]) blame(seen, "something stands between stages that run in strips");
        if (is_in(seen->strips, step)) continue;
        for (size_t a = 0; a < seen->strips->passed.count; a++)
            if (names(step, seen->strips->passed.items[a])) blame(seen, "an array that is handed on is touched by another step");
    }
}

const char *lower_strips_fault(const LoweredTask *task, const Strips *strips) {
    Seen seen = {.task = task, .strips = strips};
    for (int a = 0; a < MOST; a++) seen.along[a] = ~0u;
    for (size_t a = 0; a < strips->passed.count; a++)
        if (strips->passed.items[a]->environment || strips->passed.items[a]->versions > 1) return "an array that is handed on is not the stages' own";
    see_flow(&seen, &task->plan->flow);
    for (size_t s = 0; s < strips->steps.count; s++)
        for (size_t u = 0; u < task->plan->uses.count; u++)
            if (task->plan->uses.items[u] == strips->steps.items[s]->use) see_stage(&seen, &task->stages.items[u]->code);
    for (int a = 0; a < task->plan->array_count && a < MOST; a++)
        if (seen.written[a] && seen.loops[a] > 1 && seen.along[a] == 0) blame(&seen, "what one loop writes is touched by another one in another strip");
    return seen.fault;
}
