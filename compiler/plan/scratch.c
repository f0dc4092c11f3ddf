/* Arrays whose elements no stage reads but those that it has written itself, in the same run: what one stage leaves in them is of no use to
 * anybody, and nothing of them moves. Such are the coefficients of a sweep along rows, and of one along columns, in a method of
 * alternating directions: each system of equations makes its own, and uses them up.
 *
 *     do {
 *         c[i][0] = 0
 *         do in sequence { c[i][j] = 1 / (… c[i][j - 1]) } for j in [1...last - 1]
 *         do in sequence { … c[i][j] … } for j in [0...last - 1] step -1
 *     } for i in …
 *
 * A body is walked in its order, with what has been written: in each dimension a stretch between sums of something that stays the same meanwhile and a
 * literal. Rounds of a sequential loop that have gone by have left what they write; a loop that has ended, all of it. A condition's branches,
 * and loops over other domains, leave nothing that counts.
 *
 * Needs: a checked program, storage. Gives: yes, or no where it cannot tell. Breaks: nothing. */
#include "compiler/check/bodies.h"
#include "compiler/check/walk.h"
#include "compiler/plan/footprint.h"
#include "compiler/plan/parts.h"
#include "compiler/plan/moves.h"

/* base + more; NULL: the literal alone. */
typedef struct Sum {
    const Expr *base;
    int64_t more;
} Sum;
/* From one to the other, both included; or all indices of a dimension that the LPU has. */
typedef struct Stretch {
    Sum low, high;
    PartDimension part; /* array NULL: none */
} Stretch;
typedef struct Written {
    Stretch dims[MAX_RANK];
} Written;
typedef VEC(Written) WrittenVec;

/* A loop around what is looked at. */
typedef struct Loop {
    const struct Loop *outer;
    const Var *index;
    Stretch over;      /* what the index is in */
    bool known, whole; /* it is in that; it takes all of it on */
    bool down;
} Loop;

typedef struct Reader {
    Arena *arena;
    const Step *call;
    const Var *array;
    const Loop *loop;
    WrittenVec written;
    bool quiet;   /* only what is written is asked for */
    bool current; /* … and what is read of the current version */
    bool exposed; /* it may read an element that it has not written */
} Reader;

static const Var *actual(const Reader *reader, const Var *var) {
    const VarVec *params = &reader->call->stage->body.params;
    for (size_t i = 0; i < params->count; i++)
        if (params->items[i] == var) return reader->call->arguments.items[i].var;
    return var;
}

static bool is_array(const Reader *reader, const Var *var) { return var != NULL && actual(reader, var) == reader->array; }

/* ---- Sums -------------------------------------------------------------------------------------------------------- */

static int settings_of(const Reader *reader, const Var *var) { return block_settings(&reader->call->stage->body.block, var).count; }

/* By another name, too. */
static bool is_set(const Reader *reader, const Var *var) {
    const VarVec *params = &reader->call->stage->body.params;
    bool set = settings_of(reader, var) > 0 || settings_of(reader, actual(reader, var)) > 0;
    for (size_t i = 0; i < params->count && !set; i++) set = actual(reader, params->items[i]) == actual(reader, var) && settings_of(reader, params->items[i]) > 0;
    return set;
}

/* It has one value wherever it is read: nothing sets it, or, of a local, one statement outside of all loops and conditions. */
static bool stays(const Reader *reader, const Var *var) {
    const Block *block = &reader->call->stage->body.block;
    int outside = 0;
    if (var->kind != VAR_LOCAL) return actual(reader, var) == NULL || !is_set(reader, var); /* NULL: a constant */
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        outside += stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && stmt->target->var == var;
    }
    return outside == 1 && settings_of(reader, var) == 1;
}

static bool is_around(const Reader *reader, const Var *index) {
    for (const Loop *loop = reader->loop; loop != NULL; loop = loop->outer)
        if (loop->index == index) return true;
    return false;
}

typedef struct Fixing {
    const Reader *reader;
    bool fixed;
} Fixing;

static bool check_fixed(Expr *expr, void *data) {
    Fixing *fixing = data;
    const bool var = expr->kind == EXPR_VAR && !var_is_array(expr->var) && expr->lag == 0;
    if (var && expr->var->kind == VAR_INDEX) fixing->fixed = fixing->fixed && is_around(fixing->reader, expr->var);
    else if (var) fixing->fixed = fixing->fixed && stays(fixing->reader, expr->var);
    else if (expr->kind != EXPR_INTEGER && expr->kind != EXPR_RANGE_PART && expr->kind != EXPR_DIM_RANGE && expr->kind != EXPR_BINARY && expr->kind != EXPR_UNARY) fixing->fixed = false;
    return fixing->fixed;
}

/* Whether the expression is such a sum, which has one value as long as the indices around it have theirs. */
static bool sum_of(const Reader *reader, const Expr *expr, Sum *sum) {
    enum { MOST = 1 << 20 };
    Fixing fixing = {reader, true};
    *sum = (Sum){expr, 0};
    while (sum->base->kind == EXPR_BINARY && (sum->base->op == OP_ADD || sum->base->op == OP_SUB) && sum->base->right->kind == EXPR_INTEGER) {
        const int64_t literal = sum->base->right->integer;
        if (literal > MOST || literal < -MOST || sum->more > MOST || sum->more < -MOST) return false;
        sum->more += sum->base->op == OP_ADD ? literal : -literal;
        sum->base = sum->base->left;
    }
    if (sum->base->kind == EXPR_INTEGER) {
        if (sum->base->integer > MOST || sum->base->integer < -MOST) return false;
        *sum = (Sum){NULL, sum->more + sum->base->integer};
        return true;
    }
    walk_expr((Expr *)sum->base, check_fixed, &fixing);
    return fixing.fixed;
}

static const Loop *loop_of(const Reader *reader, const Expr *base) {
    const Loop *loop = base != NULL && base->kind == EXPR_VAR ? reader->loop : NULL;
    while (loop != NULL && loop->index != base->var) loop = loop->outer;
    return loop != NULL && loop->known && loop->over.part.array == NULL ? loop : NULL;
}

/* a <= b, for sure. */
static bool at_most(const Reader *reader, Sum a, Sum b) {
    if ((a.base == NULL) == (b.base == NULL) && (a.base == NULL || expr_equal(a.base, b.base))) return a.more <= b.more;
    const Loop *of_a = loop_of(reader, a.base), *of_b = loop_of(reader, b.base);
    if (of_b != NULL && at_most(reader, a, (Sum){of_b->over.low.base, of_b->over.low.more + b.more})) return true;
    return of_a != NULL && at_most(reader, (Sum){of_a->over.high.base, of_a->over.high.more + a.more}, b);
}

/* ---- What has been written --------------------------------------------------------------------------------------- */

static bool has(const Reader *reader, const Stretch *written, const Stretch *read) {
    if (written->part.array != NULL || read->part.array != NULL)
        return written->part.array != NULL && read->part.array != NULL && plan_same_parts(reader->call->stage->task, reader->call->lps, read->part, written->part);
    return at_most(reader, written->low, read->low) && at_most(reader, read->high, written->high);
}

static bool has_but(const Reader *reader, const Written *written, const Written *read, int but) {
    for (int d = 0; d < reader->array->type->rank; d++)
        if (d != but && !has(reader, &written->dims[d], &read->dims[d])) return false;
    return true;
}

/* Stretches that follow each other in one dimension have all of it: each begins, at the latest, behind the end of the one before. (Where one is
 * empty, because a loop had no rounds, the next begins there in its place.) */
static bool have_in_turn(const Reader *reader, const Written *read, int d) {
    const Stretch *wanted = &read->dims[d];
    Sum from = wanted->low;
    if (wanted->part.array != NULL) return false;
    for (size_t turns = 0; turns < reader->written.count; turns++) {
        const Stretch *next = NULL;
        for (size_t i = 0; i < reader->written.count && next == NULL; i++) {
            const Stretch *found = &reader->written.items[i].dims[d];
            if (found->part.array != NULL || !has_but(reader, &reader->written.items[i], read, d) || !at_most(reader, found->low, from)) continue;
            const Sum behind = {found->high.base, found->high.more + 1};
            if (at_most(reader, wanted->high, found->high)) return true;
            if (!at_most(reader, behind, from)) next = found;
        }
        if (next == NULL) return false;
        from = (Sum){next->high.base, next->high.more + 1};
    }
    return false;
}

static bool is_written(const Reader *reader, const Written *read) {
    for (size_t i = 0; i < reader->written.count; i++)
        if (has_but(reader, &reader->written.items[i], read, -1)) return true;
    for (int d = 0; d < reader->array->type->rank; d++)
        if (have_in_turn(reader, read, d)) return true;
    return false;
}

/* Where the subscripts name one element, as far as can be told. The index of a loop over a part of an array names one of these. */
static bool element_of(const Reader *reader, const Expr *expr, Written *element) {
    if (expr->lag != 0) return false;
    for (size_t d = 0; d < expr->arguments.count; d++) {
        Sum sum;
        if (!sum_of(reader, expr->arguments.items[d], &sum)) return false;
        element->dims[d] = (Stretch){.low = sum, .high = sum};
    }
    return true;
}

/* ---- Along a body ------------------------------------------------------------------------------------------------- */

static bool read_expr(Expr *expr, void *data) {
    Reader *reader = data;
    Written element;
    if ((expr->kind != EXPR_ELEMENT && expr->kind != EXPR_VAR) || !is_array(reader, expr->var)) return true;
    if (reader->current && expr->kind == EXPR_ELEMENT && expr->lag > 0) return true;
    if (expr->kind != EXPR_ELEMENT || !element_of(reader, expr, &element)) {
        reader->exposed = true;
        return true;
    }
    bool written = is_written(reader, &element);
    for (const Loop *loop = reader->loop; loop != NULL && !written; loop = loop->outer) { /* in the loop's part, wherever the index is */
        for (int d = 0; loop->over.part.array != NULL && d < reader->array->type->rank; d++) {
            Stretch *dim = &element.dims[d];
            if (dim->part.array == NULL && dim->low.more == 0 && dim->low.base != NULL && dim->low.base->kind == EXPR_VAR && dim->low.base->var == loop->index) *dim = loop->over;
        }
        written = is_written(reader, &element);
    }
    reader->exposed = reader->exposed || !written;
    return true;
}

static void read(Reader *reader, const Expr *expr) {
    if (!reader->quiet) walk_expr((Expr *)expr, read_expr, reader);
}

static void look(Reader *reader, const Block *block);

static bool names_index(const Sum *sum, const Var *index) { return sum->base != NULL && expr_mentions(sum->base, index); }

/* What the rounds of the loop leave, of what each writes: `low` … `high` in place of the index. Others than the index itself, or
 * two of them, leave nothing that counts. */
static bool spread(const Reader *reader, const Written *of_round, const Var *index, const Stretch *over, Written *result) {
    int found = 0;
    *result = *of_round;
    for (int d = 0; d < reader->array->type->rank; d++) {
        Stretch *dim = &result->dims[d];
        if (dim->part.array != NULL || (!names_index(&dim->low, index) && !names_index(&dim->high, index))) continue;
        const int64_t more = dim->low.more;
        const bool itself = dim->low.base != NULL && dim->low.base->kind == EXPR_VAR && dim->high.base == dim->low.base && dim->high.more == more;
        if (!itself || (over->part.array != NULL && more != 0)) return false;
        *dim = *over;
        dim->low.more += more;
        dim->high.more += more;
        found++;
    }
    return found == 1;
}

/* What one round of the loop at hand writes, whatever happens. */
static WrittenVec of_round(Reader *reader, const Block *body) {
    Reader round = *reader;
    round.quiet = true;
    round.written = (WrittenVec){0};
    look(&round, body);
    return round.written;
}

static void add_spread(Reader *reader, const WrittenVec *rounds, const Var *index, const Stretch *over) {
    for (size_t i = 0; i < rounds->count; i++) {
        Written all;
        if (spread(reader, &rounds->items[i], index, over, &all)) vec_push(reader->arena, &reader->written, all);
    }
}

/* The body with the loop around it; afterwards what all rounds have written counts, if they go through all of what the loop runs over. */
static void look_in_loop(Reader *reader, Loop *loop, const Block *body, bool in_turn) {
    const WrittenVec before = reader->written;
    WrittenVec known = {0};
    for (size_t i = 0; i < before.count; i++) vec_push(reader->arena, &known, before.items[i]);
    reader->loop = loop;
    const WrittenVec rounds = of_round(reader, body);
    if (in_turn && loop->whole && !reader->quiet) { /* rounds that have gone by */
        Expr *index = ARENA_NEW(reader->arena, Expr);
        *index = (Expr){.kind = EXPR_VAR, .var = (Var *)loop->index, .type = loop->index->type};
        Stretch gone = loop->over;
        if (loop->down) gone.low = (Sum){index, 1};
        else gone.high = (Sum){index, -1};
        add_spread(reader, &rounds, loop->index, &gone);
    }
    if (!reader->quiet) look(reader, body);
    reader->loop = loop->outer;
    reader->written = known;
    if (loop->whole) add_spread(reader, &rounds, loop->index, &loop->over);
}

static bool is_step(const Expr *step, int64_t by) {
    if (step == NULL) return by == 1;
    if (step->kind == EXPR_UNARY && step->op == OP_NEG) return step->left->kind == EXPR_INTEGER && -step->left->integer == by;
    return step->kind == EXPR_INTEGER && step->integer == by;
}

static void range_of(const Reader *reader, const Expr *range, Loop *loop) {
    if (range == NULL || range->kind != EXPR_RANGE || range->left == NULL || range->right == NULL) return;
    loop->known = sum_of(reader, range->left, &loop->over.low) && sum_of(reader, range->right, &loop->over.high);
}

static void look_in_sequence(Reader *reader, const Stmt *stmt) {
    Loop loop = {.outer = reader->loop, .index = stmt->index, .down = is_step(stmt->step, -1)};
    read(reader, stmt->value);
    read(reader, stmt->step);
    range_of(reader, stmt->value, &loop);
    loop.whole = loop.known && (loop.down || is_step(stmt->step, 1));
    look_in_loop(reader, &loop, &stmt->body, true);
}

/* The loop of its first index, with those of the others in it. */
static void look_in_parallel(Reader *reader, const Stmt *stmt) {
    const LoopIndex *index = &stmt->indices.items[0];
    const ExprVec *const asked[] = {&index->lower, &index->upper, &index->filters};
    Loop loop = {.outer = reader->loop, .index = index->var};
    for (int a = 0; a < 2; a++)
        for (size_t i = 0; i < asked[a]->count; i++) read(reader, asked[a]->items[i]);
    if (index->domain_var == NULL) range_of(reader, index->domain_range, &loop);
    else if (index->other_dimension < 0) loop.known = true, loop.over.part = (PartDimension){actual(reader, index->domain_var), index->dimension};
    loop.whole = loop.known && index->lower.count == 0 && index->upper.count == 0 && index->filters.count == 0;
    Stmt inner = *stmt, *inside = &inner;
    inner.indices.items++;
    inner.indices.count--;
    const Block rest = inner.indices.count == 0 ? stmt->body : (Block){.statements = {.items = &inside, .count = 1}};
    reader->loop = &loop;
    for (size_t i = 0; i < index->filters.count; i++) read(reader, index->filters.items[i]);
    reader->loop = loop.outer;
    look_in_loop(reader, &loop, &rest, false);
}

/* What may happen, or not. */
static void look_aside(Reader *reader, const Block *block) {
    const WrittenVec before = reader->written;
    reader->written = (WrittenVec){0};
    for (size_t i = 0; i < before.count; i++) vec_push(reader->arena, &reader->written, before.items[i]);
    look(reader, block);
    reader->written = before;
}

static void look_at(Reader *reader, const Stmt *stmt) {
    Written element;
    switch (stmt->kind) {
    case STMT_BLOCK: look(reader, &stmt->body); return;
    case STMT_SEQUENCE: look_in_sequence(reader, stmt); return;
    case STMT_PARALLEL: look_in_parallel(reader, stmt); return;
    case STMT_WHILE:
        look_aside(reader, &stmt->body);
        read(reader, stmt->value);
        return;
    case STMT_IF:
        read(reader, stmt->value);
        look_aside(reader, &stmt->body);
        if (stmt->otherwise != NULL) look_aside(reader, stmt->otherwise);
        return;
    case STMT_ASSIGN:
        read(reader, stmt->value);
        if (stmt->target->kind != EXPR_ELEMENT || !is_array(reader, stmt->target->var)) {
            read(reader, stmt->target);
            return;
        }
        for (size_t d = 0; d < stmt->target->arguments.count; d++) read(reader, stmt->target->arguments.items[d]);
        if (element_of(reader, stmt->target, &element)) vec_push(reader->arena, &reader->written, element);
        return;
    case STMT_RETURN:
    case STMT_REDUCE:
    case STMT_CALL:
        read(reader, stmt->target);
        read(reader, stmt->value);
        return;
    default: reader->exposed = true; return;
    }
}

static void look(Reader *reader, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) look_at(reader, block->statements.items[i]);
}

bool footprint_reads_own(Arena *arena, const Step *call, const Var *array) {
    Reader reader = {.arena = arena, .call = call, .array = array};
    look(&reader, &call->stage->body.block);
    return !reader.exposed;
}

bool footprint_reads_own_current(Arena *arena, const Step *call, const Var *array) {
    Reader reader = {.arena = arena, .call = call, .array = array, .current = true};
    look(&reader, &call->stage->body.block);
    return !reader.exposed;
}

/* ---- The task's arrays ---------------------------------------------------------------------------------------------- */

static bool all_read_own(Arena *arena, const PlanStepVec *steps, const Var *var) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        bool touches = false;
        for (size_t r = 0; step->kind == PLAN_STAGE && r < step->regions.count; r++) touches = touches || step->regions.items[r]->var == var;
        if (touches && !footprint_reads_own(arena, step->source, var)) return false;
        if (step->array != NULL && step->array->var == var) return false; /* copies, padding, epochs */
        if (!all_read_own(arena, &step->body, var)) return false;
    }
    return true;
}

typedef struct Asked {
    const Var *var;
    bool found;
} Asked;

static void ask_touch(void *data, const MoveTouch *touch) {
    Asked *asked = data;
    asked->found = asked->found || (touch->everyone && touch->var == asked->var);
}

/* Conditions ask for it. */
static bool is_asked_for(Arena *arena, const TaskPlan *task, const PlanStepVec *steps, const Var *var) {
    for (size_t i = 0; i < steps->count; i++) {
        Asked asked = {var, false};
        if (steps->items[i]->kind != PLAN_STAGE) move_touches(arena, task, steps->items[i], ask_touch, &asked);
        if (asked.found || is_asked_for(arena, task, &steps->items[i]->body, var)) return true;
    }
    return false;
}

void plan_scratch(Arena *arena, TaskPlan *task) {
    for (int i = 0; i < task->array_count; i++) {
        ArrayPlan *array = &task->arrays[i];
        array->scratch = !array->var->environment && array->home->parent == NULL && array->var->versions == 1 && !array->collected &&
                         all_read_own(arena, &task->flow, array->var) && !is_asked_for(arena, task, &task->flow, array->var);
    }
}
