/* Stages that overwrite: what the array held before does not matter to them, and need not move to where they run. Such a stage has,
 * on its way from its first statement to its last, loops over all dimensions of the array with nothing that leaves out an index, in which it assigns
 * the element at these indices; and nothing in front of that reads the array. The loops may run over another array whose LPUs have the same indices.
 *
 *     do {
 *         do in sequence { forth[i][j] = … } for i in forth.dimension1.range
 *         do { … forth[i][j] … } for i in forth.dimension1
 *     } for j in forth.dimension2
 *
 * Behind the inner loop, all elements that have the outer one's index have been written: these may be read.
 *
 * Needs: a checked program. Gives: yes, or no where it cannot tell. Breaks: nothing. */
#include "compiler/check/walk.h"
#include "compiler/plan/footprint.h"
#include "compiler/plan/parts.h"

/* An index of a loop, in the loop around it, and what it runs over: of an array of the task all indices, or (`part`) those of the LPU; NULL: it cannot be told. */
typedef struct Loops {
    const struct Loops *outer;
    const Var *index;
    PartDimension over;
    bool part;
} Loops;

typedef struct Writing {
    const Step *call;
    const Var *array;
    const Expr *target;  /* of the assignment that is met: written, not read */
    const Expr *covers;  /* of the one that writes all elements; NULL before */
    const Loops *around; /* what is met now */
    bool spoilt;         /* the array may have been read, or the stage may have ended */
} Writing;

/* As the task names it. */
static const Var *actual(const Writing *writing, const Var *var) {
    const VarVec *params = &writing->call->stage->body.params;
    for (size_t i = 0; i < params->count; i++)
        if (params->items[i] == var) return writing->call->arguments.items[i].var;
    return var;
}

static bool is_array(const Writing *writing, const Var *var) { return actual(writing, var) == writing->array; }

static bool is_index(const Expr *expr, const Var *index) { return expr->kind == EXPR_VAR && expr->var == index; }

/* ---- What must not stand in front ------------------------------------------------------------------------------ */
static bool spoil_stmt(Stmt *stmt, void *data) {
    Writing *writing = data;
    writing->target = stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE ? stmt->target : NULL;
    writing->spoilt = writing->spoilt || stmt->kind == STMT_RETURN || stmt->kind == STMT_EXTERN;
    return true;
}

/* It has the indices of the loops around where the element that was assigned has them. */
static bool has_been_written(const Writing *writing, const Expr *element) {
    if (writing->covers == NULL || element->kind != EXPR_ELEMENT || element->lag > 0) return false;
    for (size_t d = 0; d < element->arguments.count; d++)
        for (const Loops *loops = writing->around; loops != NULL; loops = loops->outer)
            if (is_index(writing->covers->arguments.items[d], loops->index) && !is_index(element->arguments.items[d], loops->index)) return false;
    return true;
}

static bool spoil_expr(Expr *expr, void *data) {
    Writing *writing = data;
    const bool names = expr->kind == EXPR_ELEMENT || expr->kind == EXPR_VAR;
    if (names && expr != writing->target && is_array(writing, expr->var) && !has_been_written(writing, expr)) writing->spoilt = true;
    return true;
}

static void look_at(Writing *writing, Stmt *stmt) {
    walk_block(&(Block){.statements = {.items = &stmt, .count = 1}}, spoil_stmt, spoil_expr, writing);
}

/* What the loop runs over. */
static void look_at_head(Writing *writing, const Stmt *loop) {
    Stmt head = *loop;
    head.body = (Block){0};
    look_at(writing, &head);
}

/* ---- What must stand there ---------------------------------------------------------------------------------------- */
static bool runs_over(const Writing *writing, const Loops *loop, PartDimension all) {
    if (loop->over.array == NULL) return false;
    return loop->part ? plan_same_parts(writing->call->stage->task, writing->call->lps, loop->over, all) : plan_same_bounds(writing->call->stage->task, loop->over, all);
}

/* Each index of the loops runs over a dimension of the array and is the subscript there, and there are no others. */
static bool assigns_all(const Writing *writing, const Expr *target, const Loops *loops) {
    size_t found = 0;
    if (target->kind != EXPR_ELEMENT || target->lag > 0 || !is_array(writing, target->var)) return false;
    for (; loops != NULL; loops = loops->outer) {
        size_t d = 0;
        while (d < target->arguments.count && !is_index(target->arguments.items[d], loops->index)) d++;
        if (d == target->arguments.count || !runs_over(writing, loops, (PartDimension){writing->array, (int)d})) return false;
        found++;
    }
    return found == target->arguments.count;
}

static bool is_one(const Expr *step) {
    if (step == NULL) return true;
    if (step->kind == EXPR_UNARY && step->op == OP_NEG) step = step->left;
    return step->kind == EXPR_INTEGER && (step->integer == 1 || step->integer == -1);
}

static Loops over_range(const Writing *writing, const Loops *outer, const Var *index, const Expr *range, const Expr *step) {
    Loops loop = {outer, index, {NULL, 0}, false};
    if (range == NULL || range->kind != EXPR_DIM_RANGE || !is_one(step)) return loop;
    loop.over = (PartDimension){actual(writing, range->var), range->dimension};
    loop.part = range->local;
    return loop;
}

static Loops over_domain(const Writing *writing, const Loops *outer, const LoopIndex *index) {
    if (index->other_dimension >= 0 || index->lower.count > 0 || index->upper.count > 0 || index->filters.count > 0) return (Loops){outer, index->var, {NULL, 0}, false};
    if (index->domain_var == NULL) return over_range(writing, outer, index->var, index->domain_range, NULL);
    return (Loops){outer, index->var, {actual(writing, index->domain_var), index->dimension}, true};
}

static bool overwrites(Writing *writing, const Block *block, const Loops *loops);

/* The loop, whose indices from `next` on stand inside of `loops`. */
static bool loop_overwrites(Writing *writing, const Stmt *stmt, size_t next, const Loops *loops) {
    if (next == stmt->indices.count) return overwrites(writing, &stmt->body, loops);
    const Loops loop = over_domain(writing, loops, &stmt->indices.items[next]);
    return loop_overwrites(writing, stmt, next + 1, &loop);
}

/* Whether all elements that have the indices of `loops` are written by the block, and none is read before. */
static bool overwrites(Writing *writing, const Block *block, const Loops *loops) {
    bool all = false;
    for (size_t i = 0; i < block->statements.count && !writing->spoilt; i++) {
        Stmt *stmt = block->statements.items[i];
        const bool inside = !all && (stmt->kind == STMT_BLOCK || stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE);
        writing->around = loops;
        if (all && loops == NULL) return true;
        if (inside) look_at_head(writing, stmt);
        else look_at(writing, stmt);
        if (all) continue;
        if (stmt->kind == STMT_BLOCK) all = overwrites(writing, &stmt->body, loops);
        if (stmt->kind == STMT_PARALLEL) all = loop_overwrites(writing, stmt, 0, loops);
        if (stmt->kind == STMT_SEQUENCE) {
            const Loops loop = over_range(writing, loops, stmt->index, stmt->value, stmt->step);
            all = overwrites(writing, &stmt->body, &loop);
        }
        if (stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE && assigns_all(writing, stmt->target, loops)) {
            all = true;
            writing->covers = stmt->target;
        }
    }
    return all && !writing->spoilt;
}

bool footprint_overwrites(const Step *call, const Var *array) {
    Writing writing = {.call = call, .array = array};
    return overwrites(&writing, &call->stage->body.block, NULL);
}
