/* Values of Integers by abstract interpretation: the body is run on intervals instead of numbers.
 *
 * The state has an interval for each variable of the body. Branches are joined. A loop that runs a small known number
 * of times is run so often; others run until nothing changes, with ends that jump to one of few values. What an
 * expression was seen to be is recorded, so that printers can ask. Functions are run once, with any arguments; their
 * results and what they leave in places passed by reference are kept in the memo.
 *
 * How to read it: records, then expressions, statements and loops, then whole bodies. */
#include "compiler/lower/range.h"

#include "compiler/lower/clamped.h"

#include <string.h>

enum {
    UNROLLED = 32,    /* loops of at most so many rounds are run round by round */
    PLAIN_ROUNDS = 3, /* rounds before ends jump */
    EFFORT = 200000   /* statements; a body that takes more is not looked at further: all values are possible */
};

typedef struct Summary { const Function *function; const Ranges *ranges; Interval result; Interval *places; /* by parameter */ } Summary;
struct RangeMemo {
    Arena *arena;
    VEC(Summary) summaries;
    VEC(const Function *) aliased; /* called somewhere with one variable in two places */
};

typedef struct Record { const Expr *expr; Interval values; } Record;
struct Ranges {
    RangeMemo *memo;
    const Body *body;
    bool aliased;         /* its reference parameters may be one variable */
    Record *records;      /* hash table by address; its size is a power of two */
    size_t size, count;
    Interval *state;      /* by Var.id */
    Interval *all;        /* everything that the variable ever holds */
    bool *held;           /* whether `all` has anything */
    Interval result, *places;
    bool returned;        /* result and places hold something */
    int64_t effort;
    int64_t limit;        /* 0, or elements of 32 bits lie between -limit and limit - 1 */
    bool given_up;
};

/* ---- Records ---------------------------------------------------------------------------------- */
static size_t slot_of(const Ranges *ranges, const Expr *expr) {
    size_t slot = (size_t)(((uintptr_t)expr >> 4) * 0x9E3779B97F4A7C15u >> 20) & (ranges->size - 1);
    while (ranges->records[slot].expr && ranges->records[slot].expr != expr) slot = (slot + 1) & (ranges->size - 1);
    return slot;
}

static void grow(Ranges *ranges) {
    Record *old = ranges->records;
    size_t size = ranges->size;
    ranges->size = size > 0 ? 2 * size : 64;
    ranges->records = ARENA_ARRAY(ranges->memo->arena, Record, ranges->size);
    for (size_t i = 0; i < size; i++)
        if (old[i].expr) ranges->records[slot_of(ranges, old[i].expr)] = old[i];
}

static Interval record(Ranges *ranges, const Expr *expr, Interval values) {
    if (2 * ranges->count >= ranges->size) grow(ranges);
    Record *found = &ranges->records[slot_of(ranges, expr)];
    if (found->expr) found->values = interval_join(found->values, values);
    else *found = (Record){expr, values}, ranges->count++;
    return values;
}

Interval lower_range_of(const Ranges *ranges, const Expr *expr) {
    if (expr->kind == EXPR_INTEGER) return (Interval){expr->integer, expr->integer};
    if (ranges->given_up || ranges->size == 0) return INTERVAL_ALL;
    const Record *found = &ranges->records[slot_of(ranges, expr)];
    return found->expr ? found->values : INTERVAL_ALL;
}

/* ---- Variables ----------------------------------------------------------------------------------- */
static bool is_followed(const Ranges *ranges, const Var *var) {
    const VarVec *vars = &ranges->body->vars;
    if (ranges->aliased && var && var->kind == VAR_PARAM && var->by_reference) return false;
    return var && var->type->kind == TYPE_INTEGER && (size_t)var->id < vars->count && vars->items[var->id] == var;
}

static Interval stored(const Type *type, Interval values) {
    return type->stored_single && !interval_within(values, INT32_MIN, INT32_MAX) ? INTERVAL_SINGLE : values;
}

static void set(Ranges *ranges, const Var *var, Interval values) {
    if (!is_followed(ranges, var)) return;
    values = stored(var->type, values);
    ranges->state[var->id] = values;
    ranges->all[var->id] = ranges->held[var->id] ? interval_join(ranges->all[var->id], values) : values;
    ranges->held[var->id] = true;
}

Interval lower_range_of_var(const Ranges *ranges, const Var *var) {
    if (ranges->given_up || !is_followed(ranges, var) || !ranges->held[var->id]) return INTERVAL_ALL;
    return ranges->all[var->id];
}

static size_t state_size(const Ranges *ranges) { return ranges->body->vars.count * sizeof(Interval); }

static Interval *copy_state(Ranges *ranges) {
    ranges->effort += (int64_t)ranges->body->vars.count / 8;
    Interval *copy = ARENA_ARRAY(ranges->memo->arena, Interval, ranges->body->vars.count + 1);
    memcpy(copy, ranges->state, state_size(ranges));
    return copy;
}

/* The state becomes what either has. Returns whether that is more than `before` was; `widen`: then by jumps. */
static bool join_state(Ranges *ranges, const Interval *before, bool widen) {
    bool more = false;
    for (size_t i = 0; i < ranges->body->vars.count; i++) {
        Interval joined = interval_join(before[i], ranges->state[i]);
        if (!interval_equal(joined, before[i])) {
            more = true;
            if (widen) joined = interval_widen(before[i], joined);
        }
        ranges->state[i] = joined;
    }
    return more;
}

/* ---- Expressions ------------------------------------------------------------------------------------ */
static Interval eval(Ranges *ranges, const Expr *expr);

static Interval eval_call(Ranges *ranges, const Expr *expr);

/* The right operand of `and`, `or` may not be evaluated. */
static Interval eval_binary(Ranges *ranges, const Expr *expr) {
    Interval left = eval(ranges, expr->left);
    bool maybe = expr->op == OP_AND || expr->op == OP_OR;
    const Interval *before = maybe && lower_expr_has_effect(expr->right) ? copy_state(ranges) : NULL;
    Interval right = eval(ranges, expr->right);
    if (before) join_state(ranges, before, false);
    return expr->type->kind == TYPE_INTEGER ? interval_binary(expr->op, left, right) : INTERVAL_ALL;
}

static Interval eval_range_part(Ranges *ranges, const Expr *expr) {
    eval(ranges, expr->left);
    return expr->part == RANGE_LENGTH ? (Interval){0, INT64_MAX} : INTERVAL_ALL;
}

bool lower_is_stored_single(const Expr *place) {
    switch (place->kind) {
    case EXPR_VAR: return place->var->type->stored_single;
    case EXPR_ELEMENT: return place->var->type->element->stored_single;
    case EXPR_AT_INDEX: return place->left->type->element->stored_single;
    case EXPR_FIELD: return place->left->type->fields.items[place->field].type->stored_single;
    default: return false;
    }
}

/* llmin, llmax, llabs; `of`: its arguments. */
static Interval math_values(const Expr *expr, const Interval of[2]) {
    if (strcmp(expr->math, "llmin") == 0) return interval_least(of[0], of[1]);
    if (strcmp(expr->math, "llmax") == 0) return interval_most(of[0], of[1]);
    return strcmp(expr->math, "llabs") == 0 ? interval_magnitude(of[0]) : INTERVAL_ALL;
}

static Interval eval_unrecorded(Ranges *ranges, const Expr *expr) {
    Interval arguments[2] = {INTERVAL_ALL, INTERVAL_ALL};
    Clamped clamped;
    for (size_t i = 0; i < expr->arguments.count && expr->kind != EXPR_CALL; i++) {
        const Interval values = eval(ranges, expr->arguments.items[i]);
        if (i < 2) arguments[i] = values;
    }
    switch (expr->kind) {
    case EXPR_INTEGER: return (Interval){expr->integer, expr->integer};
    case EXPR_VAR:
        if (is_followed(ranges, expr->var) && expr->lag == 0) return ranges->state[expr->var->id];
        return lower_is_stored_single(expr) ? INTERVAL_SINGLE : INTERVAL_ALL;
    case EXPR_UNARY: {
        Interval value = eval(ranges, expr->left);
        return expr->op == OP_NEG && expr->type->kind == TYPE_INTEGER ? interval_negate(value) : INTERVAL_ALL;
    }
    case EXPR_BINARY: return eval_binary(ranges, expr);
    case EXPR_RANGE_PART: return eval_range_part(ranges, expr);
    case EXPR_CALL: return eval_call(ranges, expr);
    case EXPR_MATH: return math_values(expr, arguments);
    default:
        if (expr->left) eval(ranges, expr->left);
        if (expr->right) eval(ranges, expr->right);
        if (lower_is_clamped(expr, &clamped)) return lower_clamped_values(&clamped);
        if (expr->kind == EXPR_ELEMENT && lower_is_stored_single(expr) && ranges->limit > 0) return (Interval){-ranges->limit, ranges->limit - 1};
        return lower_is_stored_single(expr) ? INTERVAL_SINGLE : INTERVAL_ALL;
    }
}

static Interval eval(Ranges *ranges, const Expr *expr) {
    if (ranges->given_up || !expr) return INTERVAL_ALL;
    Interval values = eval_unrecorded(ranges, expr);
    return expr->type && expr->type->kind == TYPE_INTEGER ? record(ranges, expr, values) : INTERVAL_ALL;
}

/* ---- Statements --------------------------------------------------------------------------------------- */
static void run_block(Ranges *ranges, const Block *block);

int64_t lower_trip_count(const Expr *range) {
    if (range->kind != EXPR_RANGE) return 0;
    const Expr *ends[2] = {range->left, range->right};
    int64_t offset[2] = {0, 0};
    for (int i = 0; i < 2; i++) {
        bool moved = ends[i]->kind == EXPR_BINARY && (ends[i]->op == OP_ADD || ends[i]->op == OP_SUB) &&
                     ends[i]->right->kind == EXPR_INTEGER && ends[i]->right->integer >= -INT32_MAX && ends[i]->right->integer <= INT32_MAX;
        if (moved) {
            offset[i] = ends[i]->op == OP_ADD ? ends[i]->right->integer : -ends[i]->right->integer;
            ends[i] = ends[i]->left;
        }
    }
    int64_t count;
    if (ends[0]->kind == EXPR_INTEGER && ends[1]->kind == EXPR_INTEGER) {
        if (__builtin_sub_overflow(ends[1]->integer, ends[0]->integer, &count)) return 0;
    } else {
        if (lower_expr_has_effect(ends[0]) || !lower_expr_equal(ends[0], ends[1])) return 0;
        count = 0;
    }
    if (__builtin_add_overflow(count, offset[1] - offset[0] + 1, &count)) return 0;
    return count > 0 ? count : 0;
}

static Interval index_values(Ranges *ranges, const Expr *range) {
    if (!range) return INTERVAL_ALL;
    if (range->kind != EXPR_RANGE) {
        eval(ranges, range);
        return INTERVAL_ALL;
    }
    Interval first = eval(ranges, range->left), last = eval(ranges, range->right);
    return (Interval){first.min, last.max > first.min ? last.max : first.min};
}

/* The indices of a parallel loop; returns how often it runs, 0: not known. */
static int64_t begin_parallel(Ranges *ranges, const Stmt *stmt) {
    int64_t rounds = 1;
    for (size_t i = 0; i < stmt->indices.count; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        Interval values = index_values(ranges, index->domain_range);
        for (size_t b = 0; b < index->lower.count; b++) eval(ranges, index->lower.items[b]);
        for (size_t b = 0; b < index->upper.count; b++) eval(ranges, index->upper.items[b]);
        set(ranges, index->var, values);
        for (size_t f = 0; f < index->filters.count; f++) eval(ranges, index->filters.items[f]);
        int64_t here = index->domain_range ? lower_trip_count(index->domain_range) : 0;
        rounds = here == 0 || here > UNROLLED ? 0 : rounds * here;
        if (rounds > UNROLLED) rounds = 0;
    }
    return rounds;
}

/* One round of a loop's body; filters may leave it out. */
static void run_round(Ranges *ranges, const Stmt *stmt) {
    run_block(ranges, &stmt->body);
    if (stmt->kind == STMT_WHILE) eval(ranges, stmt->value);
}

static void run_loop(Ranges *ranges, const Stmt *stmt) {
    int64_t rounds = 0;
    if (stmt->kind == STMT_PARALLEL) rounds = begin_parallel(ranges, stmt);
    if (stmt->kind == STMT_SEQUENCE) {
        set(ranges, stmt->index, index_values(ranges, stmt->value));
        if (stmt->step) eval(ranges, stmt->step);
        else rounds = lower_trip_count(stmt->value);
    }
    bool known = rounds > 0 && rounds <= UNROLLED;
    for (int64_t round = 0; !ranges->given_up; round++) {
        const Interval *before = copy_state(ranges);
        run_round(ranges, stmt);
        bool more = join_state(ranges, before, !known && round >= PLAIN_ROUNDS);
        if (!more || (known && round + 1 == rounds)) return;
    }
}

static void run_if(Ranges *ranges, const Stmt *stmt) {
    eval(ranges, stmt->value);
    const Interval *before = copy_state(ranges);
    run_block(ranges, &stmt->body);
    const Interval *after = copy_state(ranges);
    memcpy(ranges->state, before, state_size(ranges));
    if (stmt->otherwise) run_block(ranges, stmt->otherwise);
    join_state(ranges, after, false);
}

/* The state where the body may end: what is left in parameters. The flow goes on, which only adds to what is possible. */
static void run_return(Ranges *ranges, Interval result) {
    const VarVec *params = &ranges->body->params;
    ranges->result = ranges->returned ? interval_join(ranges->result, result) : result;
    for (size_t i = 0; i < params->count; i++) {
        Interval left = is_followed(ranges, params->items[i]) ? ranges->state[params->items[i]->id] : INTERVAL_ALL;
        ranges->places[i] = ranges->returned ? interval_join(ranges->places[i], left) : left;
    }
    ranges->returned = true;
}

static void run_stmt(Ranges *ranges, const Stmt *stmt) {
    if (++ranges->effort > EFFORT) ranges->given_up = true;
    if (ranges->given_up) return;
    switch (stmt->kind) {
    case STMT_ASSIGN: {
        eval(ranges, stmt->target); /* its subscripts: before the value, as sums look at them */
        Interval values = eval(ranges, stmt->value);
        if (lower_expr_has_effect(stmt->value)) eval(ranges, stmt->target); /* and behind it */
        if (stmt->target->kind == EXPR_VAR) set(ranges, stmt->target->var, values);
        return;
    }
    case STMT_IF: run_if(ranges, stmt); return;
    case STMT_PARALLEL: case STMT_SEQUENCE: case STMT_WHILE: run_loop(ranges, stmt); return;
    case STMT_RETURN: run_return(ranges, eval(ranges, stmt->value)); return;
    case STMT_BLOCK: run_block(ranges, &stmt->body); return;
    case STMT_EXTERN:
        for (size_t i = 0; i < stmt->external->uses.count; i++) set(ranges, stmt->external->uses.items[i], INTERVAL_ALL);
        return;
    default:
        eval(ranges, stmt->value);
        if (stmt->target) set(ranges, lower_place_root(stmt->target), INTERVAL_ALL);
        return;
    }
}

static void run_block(Ranges *ranges, const Block *block) {
    for (size_t i = 0; i < block->locals.count; i++) set(ranges, block->locals.items[i], (Interval){0, 0});
    for (size_t i = 0; i < block->statements.count; i++) run_stmt(ranges, block->statements.items[i]);
}

/* ---- Bodies ---------------------------------------------------------------------------------------------- */
/* Whether two places that a call is given may be one variable: parameters may be names of one, or of what the body names. */
static bool may_be_one(const Expr *place, const Expr *other) {
    const Var *a = lower_place_root(place), *b = lower_place_root(other);
    if (a == b || a == NULL || b == NULL) return true;
    bool a_outside = a->kind == VAR_GLOBAL || (a->kind == VAR_PARAM && a->by_reference);
    bool b_outside = b->kind == VAR_GLOBAL || (b->kind == VAR_PARAM && b->by_reference);
    return a_outside && b_outside && (a->kind == VAR_PARAM || b->kind == VAR_PARAM);
}

static void find_aliased(void *data, const Expr *expr) {
    RangeMemo *memo = data;
    if (expr->kind != EXPR_CALL) return;
    const VarVec *params = &expr->function->body.params;
    for (size_t i = 0; i < expr->arguments.count && i < params->count; i++)
        for (size_t k = 0; k < i && params->items[i]->by_reference; k++)
            if (params->items[k]->by_reference && may_be_one(expr->arguments.items[i], expr->arguments.items[k]))
                vec_push(memo->arena, &memo->aliased, expr->function);
}

RangeMemo *lower_range_memo(Arena *arena, const Program *program) {
    RangeMemo *memo = ARENA_NEW(arena, RangeMemo);
    memo->arena = arena;
    const Walk walk = {find_aliased, NULL, memo};
    for (size_t i = 0; i < program->functions.count; i++) lower_walk_block(&walk, &program->functions.items[i]->body.block);
    for (size_t t = 0; t < program->tasks.count; t++) {
        const Task *task = program->tasks.items[t];
        if (task->initialize) lower_walk_block(&walk, &task->initialize->block);
        for (size_t i = 0; i < task->stages.count; i++) lower_walk_block(&walk, &task->stages.items[i]->body.block);
    }
    if (program->coordinator) lower_walk_block(&walk, &program->coordinator->block);
    return memo;
}

Ranges *lower_ranges(RangeMemo *memo, const Body *body, bool aliased) {
    Ranges *ranges = ARENA_NEW(memo->arena, Ranges);
    size_t count = body->vars.count + 1;
    *ranges = (Ranges){.memo = memo, .body = body, .state = ARENA_ARRAY(memo->arena, Interval, count),
                       .all = ARENA_ARRAY(memo->arena, Interval, count), .held = ARENA_ARRAY(memo->arena, bool, count),
                       .places = ARENA_ARRAY(memo->arena, Interval, body->params.count + 1)};
    for (size_t i = 0; i < body->vars.count; i++)
        ranges->state[i] = body->vars.items[i]->kind == VAR_PARAM ? stored(body->vars.items[i]->type, INTERVAL_ALL) : (Interval){0, 0};
    ranges->aliased = aliased;
    for (size_t i = 0; i < memo->aliased.count; i++) ranges->aliased |= &memo->aliased.items[i]->body == body;
    run_block(ranges, &body->block);
    run_return(ranges, (Interval){0, 0});
    return ranges;
}

Ranges *lower_ranges_assuming(RangeMemo *memo, const Ranges *whole, const Stmt *loop, int64_t limit) {
    Ranges *ranges = ARENA_NEW(memo->arena, Ranges);
    const size_t count = whole->body->vars.count + 1;
    *ranges = (Ranges){.memo = memo, .body = whole->body, .aliased = whole->aliased, .limit = limit, .state = ARENA_ARRAY(memo->arena, Interval, count),
                       .all = ARENA_ARRAY(memo->arena, Interval, count), .held = ARENA_ARRAY(memo->arena, bool, count),
                       .places = ARENA_ARRAY(memo->arena, Interval, whole->body->params.count + 1)};
    for (size_t i = 0; i + 1 < count; i++) {
        const Interval known = lower_range_of_var(whole, whole->body->vars.items[i]);
        ranges->state[i] = interval_within(known, -limit, limit - 1) ? known : (Interval){-limit, limit - 1};
    }
    for (size_t i = 0; i < loop->indices.count; i++) set(ranges, loop->indices.items[i].var, INTERVAL_ALL);
    run_block(ranges, &loop->body);
    return ranges;
}

static const Summary *summary_of(RangeMemo *memo, const Function *function) {
    for (size_t i = 0; i < memo->summaries.count; i++)
        if (memo->summaries.items[i].function == function) return &memo->summaries.items[i];
    Ranges *ranges = lower_ranges(memo, &function->body, false);
    Summary summary = {function, ranges, ranges->given_up ? INTERVAL_ALL : ranges->result, ranges->places};
    for (size_t i = 0; i < function->body.params.count && ranges->given_up; i++) summary.places[i] = INTERVAL_ALL;
    vec_push(memo->arena, &memo->summaries, summary);
    return &vec_last(&memo->summaries);
}

const Ranges *lower_function_ranges(RangeMemo *memo, const Function *function) { return summary_of(memo, function)->ranges; }

static Interval eval_call(Ranges *ranges, const Expr *expr) {
    const VarVec *params = &expr->function->body.params;
    for (size_t i = 0; i < expr->arguments.count; i++) eval(ranges, expr->arguments.items[i]);
    const Summary *summary = summary_of(ranges->memo, expr->function);
    Interval result = summary->result, *places = summary->places;
    for (size_t i = 0; i < expr->arguments.count && i < params->count; i++)
        if (params->items[i]->by_reference) {
            const Expr *place = expr->arguments.items[i];
            set(ranges, lower_place_root(place), place->kind == EXPR_VAR ? places[i] : INTERVAL_ALL);
        }
    return result;
}
