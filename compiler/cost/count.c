/* Counts straight-line code. Read cost_count at the end first; count_stmt and cost_count_expr add up operations. */
#include "compiler/cost/internal.h"

#include <string.h>
#include "compiler/lower/narrow.h"
#include "compiler/lower/rounds.h"
#include "runtime/math/names.h"

static void count_block(Counter *counter, const Block *block);

/* ---- Operations --------------------------------------------------------------------------------------- */
bool cost_is_cheap_function(const char *name) {
    static const char *const cheap[] = {"fabs", "llabs", "floor", "ceil", "trunc", "rint", "round", "fmin", "fmax", "fabove", "fbelow", "copysign"};
    for (size_t i = 0; i < sizeof cheap / sizeof cheap[0]; i++)
        if (strcmp(name, cheap[i]) == 0) return true;
    return false;
}

/* Those of runtime/math are part of vector loops, but for the gamma functions, which have branches. */
static bool is_vector_function(const char *name) {
#define NAME(name) #name,
    static const char *const names[] = {HP5_MATH_ONE(NAME) HP5_MATH_TWO(NAME)};
#undef NAME
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strcmp(name, names[i]) == 0) return strstr(name, "gamma") == NULL;
    return false;
}

static void count_binary(Counter *counter, const Expr *expr) {
    bool real = type_is_real(expr->left->type);
    cost_note_width(counter, expr);
    const bool few = real && expr->op == OP_POW && expr->right->kind == EXPR_INTEGER && expr->right->integer >= 2 && expr->right->integer <= 4;
    if (few) {
        counter->count.reals += expr->right->integer == 2 ? 1 : 2;
    } else if (expr->op == OP_POW) {
        counter->count.functions += 1;
        counter->scalar_only |= expr->right->type->kind == TYPE_INTEGER; /* else it is pow */
    } else if (expr->op == OP_DIV || expr->op == OP_MOD) {
        bool constant = !real && expr->right->kind == EXPR_INTEGER; /* becomes a multiplication and shifts */
        if (constant) counter->count.integers += 4;
        else counter->count.divisions += 1;
        counter->scalar_only |= !real;
    } else if (real) {
        counter->count.reals += 1;
    } else if (!lower_product_part(counter->code, expr, &(ProductPart){0})) { /* else it is what its operands are counted for */
        counter->count.integers += 1;
    }
}

/* What the nest has to gain where its numbers are usual, as most are; or NULL. */
static const Usual *usual_of(const Counter *counter) { return counter->place && counter->place->nest ? counter->place->nest->usual : NULL; }

/* Operations of a minimum or maximum of Reals (runtime/array/arithmetic.h). */
static double extremum_operations(const Counter *counter, const Expr *expr) {
    const Usual *usual = usual_of(counter);
    if (expr->arguments.items[0]->kind == EXPR_REAL || expr->arguments.items[1]->kind == EXPR_REAL) return 1;
    if (usual && lower_has_expr(usual->extrema.items, usual->extrema.count, expr)) return 1;
    return strcmp(expr->math, "fmin") == 0 ? 3 : 6;
}

/* Operations of an Integer made of a Real: by one instruction, in 32 bits, or by parts. */
static double truncation_operations(const Counter *counter, const Expr *expr) {
    const Usual *usual = usual_of(counter);
    if (!counter->in_vectors) return 2;
    return usual && lower_has_expr(usual->conversions.items, usual->conversions.count, expr) ? 4 : 10;
}

static void count_math(Counter *counter, const Expr *expr) {
    bool real = type_is_real(expr->type);
    if (strcmp(expr->math, "sqrt") == 0) counter->count.divisions += 1;
    else if (strcmp(expr->math, "fmin") == 0 || strcmp(expr->math, "fmax") == 0) counter->count.reals += extremum_operations(counter, expr);
    else if (!cost_is_cheap_function(expr->math)) counter->count.functions += 1, counter->scalar_only |= !is_vector_function(expr->math);
    else if (real) counter->count.reals += 1;
    else counter->count.integers += 1;
}

/* How often a sequential loop of a function runs, where its range is written in numbers; else -1. */
static double constant_trips(const Expr *range) {
    bool constant = range->kind == EXPR_RANGE && range->left->kind == EXPR_INTEGER && range->right->kind == EXPR_INTEGER;
    if (!constant) return -1;
    double trips = (double)range->right->integer - (double)range->left->integer + 1;
    return trips > 0 ? trips : 0;
}

static void add_scaled(Counter *counter, const Counter *inner, double times) {
    counter->count.reals += times * inner->count.reals;
    counter->count.fused += times * inner->count.fused;
    counter->count.integers += times * inner->count.integers;
    counter->count.divisions += times * inner->count.divisions;
    counter->count.functions += times * inner->count.functions;
    counter->count.partial |= inner->count.partial;
    counter->scalar_only |= inner->scalar_only;
    if (inner->widest > counter->widest) counter->widest = inner->widest;
}

/* A loop inside a function: counted here, as it has no block of its own. */
static void count_function_loop(Counter *counter, const Stmt *stmt) {
    Counter inner = cost_counter_inside(counter);
    count_block(&inner, &stmt->body);
    const int rounds = lower_short_rounds(stmt);
    if (rounds > 0) {
        add_scaled(counter, &inner, rounds);
        return;
    }
    inner.count.integers += 1;
    double trips = stmt->kind == STMT_SEQUENCE && !stmt->step ? constant_trips(stmt->value) : -1;
    if (stmt->kind == STMT_PARALLEL && stmt->indices.count == 1 && stmt->indices.items[0].domain_range)
        trips = constant_trips(stmt->indices.items[0].domain_range);
    if (trips < 0) inner.count.partial = true;
    add_scaled(counter, &inner, trips < 0 ? 1 : trips);
    counter->scalar_only = true;
}

static void count_call(Counter *counter, const Expr *expr) {
    for (size_t i = 0; i < expr->arguments.count; i++) cost_count_expr(counter, expr->arguments.items[i]);
    Counter inner = cost_counter_inside(counter);
    inner.place = NULL;
    inner.written_out = NULL;
    inner.caller = counter;
    inner.call = expr;
    inner.code = counter->program ? lower_function(counter->program, expr->function) : NULL;
    count_block(&inner, &expr->function->body.block);
    add_scaled(counter, &inner, 1);
    counter->scalar_only |= !expr->function->in_place;
}

void cost_count_expr(Counter *counter, const Expr *expr) {
    if (!expr) return;
    switch (expr->kind) {
    case EXPR_ELEMENT:
    case EXPR_FIELD:
    case EXPR_AT_INDEX: cost_count_place(counter, expr, 1, 0); return;
    case EXPR_CALL: count_call(counter, expr); return;
    case EXPR_BINARY: count_binary(counter, expr); break;
    case EXPR_UNARY:
        if (type_is_real(expr->type)) counter->count.reals += 1;
        else counter->count.integers += 1;
        break;
    case EXPR_CONVERT:
        counter->count.integers += expr->type->kind == TYPE_INTEGER && type_is_real(expr->left->type) ? truncation_operations(counter, expr) : 1;
        counter->scalar_only |= !cost_converts_in_vectors(counter, expr);
        break;
    case EXPR_MATH: count_math(counter, expr); break;
    case EXPR_IN: counter->count.integers += 2; break;
    default: break;
    }
    cost_count_expr(counter, expr->left);
    cost_count_expr(counter, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) cost_count_expr(counter, expr->arguments.items[i]);
}

/* ---- Statements ----------------------------------------------------------------------------------------- */
static void count_assign(Counter *counter, const Stmt *stmt) {
    bool accumulates = stmt->accumulate != ACCUMULATE_NONE;
    cost_count_place(counter, stmt->target, accumulates ? 1 : 0, 1);
    if (!accumulates) {
        cost_count_expr(counter, stmt->value);
        return;
    }
    counter->count.reals += 2;
    counter->count.fused += 1;
    cost_count_expr(counter, stmt->factor_a);
    cost_count_expr(counter, stmt->factor_b);
}

static double weight(const Counter *counter) {
    const Count *count = &counter->count;
    double sum = count->reals + count->integers + 8 * count->divisions + 40 * count->functions;
    for (size_t i = 0; i < count->accesses.count; i++) sum += count->accesses.items[i].reads + count->accesses.items[i].writes;
    return sum;
}

static void add_inside(Counter *counter, const Counter *inner, double times) {
    add_scaled(counter, inner, times);
    for (size_t i = 0; i < inner->count.accesses.count; i++) {
        CountAccess access = inner->count.accesses.items[i];
        access.reads *= times;
        access.writes *= times;
        cost_add_access(counter, &access, MAX_RANK);
    }
}

/* The condition, and the dearer of the two branches; in vectors, both. */
static void count_if(Counter *counter, const Stmt *stmt) {
    cost_count_expr(counter, stmt->value);
    Counter branches[2] = {cost_counter_inside(counter), cost_counter_inside(counter)};
    branches[0].conditional = branches[1].conditional = true;
    count_block(&branches[0], &stmt->body);
    if (stmt->otherwise) count_block(&branches[1], stmt->otherwise);
    const int dearer = weight(&branches[1]) > weight(&branches[0]);
    add_inside(counter, &branches[dearer], 1);
    if (counter->in_vectors) add_inside(counter, &branches[!dearer], 1);
}

/* A loop in a stage: rounds that are written out one after the other count here, others as blocks of their own. */
static void count_stage_loop(Counter *counter, const Stmt *stmt) {
    const int rounds = lower_short_rounds(stmt);
    if (rounds == 0) {
        counter->scalar_only = true;
        return;
    }
    Counter inner = cost_counter_inside(counter);
    LoopIndex sequence = {.var = stmt->index, .domain_range = stmt->value};
    if (stmt->kind == STMT_SEQUENCE) {
        WrittenOut *loop = ARENA_NEW(counter->arena, WrittenOut);
        LoopIndex *index = ARENA_NEW(counter->arena, LoopIndex);
        *index = sequence;
        *loop = (WrittenOut){index, inner.written_out};
        inner.written_out = loop;
    }
    for (size_t i = 0; i < stmt->indices.count; i++) {
        WrittenOut *loop = ARENA_NEW(counter->arena, WrittenOut);
        *loop = (WrittenOut){&stmt->indices.items[i], inner.written_out};
        inner.written_out = loop;
    }
    count_block(&inner, &stmt->body);
    add_inside(counter, &inner, rounds);
}

static void count_reduce(Counter *counter, const Stmt *stmt) {
    const bool entry = stmt->reduce == REDUCE_MAX_ENTRY || stmt->reduce == REDUCE_MIN_ENTRY;
    const bool plain = counter->place && counter->place->nest && counter->place->nest->form == FORM_REDUCTION && counter->place->nest->reduction.any_order;
    cost_count_expr(counter, stmt->value);
    cost_note_width(counter, stmt->value);
    if (type_is_real(stmt->value->type)) counter->count.reals += 1;
    else counter->count.integers += 1;
    if (plain && !entry && counter->widest < 8) counter->widest = 8; /* the Integer that collects */
    if (entry) counter->count.integers += 1;
    counter->scalar_only |= entry || (counter->conditional && !plain);
    if (!plain) counter->count.reductions += entry ? 2 : 1;
}

static void count_stmt(Counter *counter, const Stmt *stmt) {
    switch (stmt->kind) {
    case STMT_ASSIGN: count_assign(counter, stmt); break;
    case STMT_CALL: cost_count_expr(counter, stmt->value); break;
    case STMT_RETURN: cost_count_expr(counter, stmt->value); break;
    case STMT_IF: count_if(counter, stmt); break;
    case STMT_REDUCE: count_reduce(counter, stmt); break;
    case STMT_BLOCK: count_block(counter, &stmt->body); break;
    case STMT_PARALLEL:
    case STMT_SEQUENCE:
    case STMT_WHILE:
        if (!counter->place) count_function_loop(counter, stmt);
        else count_stage_loop(counter, stmt);
        break;
    case STMT_EXTERN: counter->count.partial = true; counter->scalar_only = true; break;
    default: break;
    }
}

static void count_block(Counter *counter, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) count_stmt(counter, block->statements.items[i]);
}

double cost_weight_of(Arena *arena, const Function *function) {
    Counter inner = {.arena = arena};
    count_block(&inner, &function->body.block);
    return weight(&inner);
}

enum { OPERATIONS_OF_ROW = 4 }; /* to look at one of its elements */
enum { SIDE_BY_SIDE = 8 }; /* HP5_ABREAST of runtime/generated.h */

/* ---- All together ------------------------------------------------------------------------------------------- */
/* C compilers do iterations of one plain loop at once where nothing keeps them in order. */
static bool uses_vectors(const Counter *counter, const Nest *nest) {
    if (counter->place->in_lanes > 0) return !counter->scalar_only;
    if (!nest || nest->has_filters || !nest_innermost(nest)->interval || counter->scalar_only) return false;
    if (nest->form == FORM_CUT || (nest->form == FORM_SUM && nest->sum.window)) return true;
    return cost_runs_abreast(nest) || loop_may(nest_innermost(nest), LOOP_PARALLEL) || loop_may(nest_innermost(nest), LOOP_TOGETHER);
}

/* Instructions that bring narrow elements to the width of the others: each doubling takes one for each vector that it makes. */
static double widening(const Counter *counter) {
    double sum = 0;
    for (size_t i = 0; i < counter->count.accesses.count; i++) {
        const CountAccess *access = &counter->count.accesses.items[i];
        const int bytes = lower_stored_bytes(access->var->type->element);
        if (bytes < counter->widest) sum += 2 * (access->reads + access->writes) * (1 - (double)bytes / counter->widest);
    }
    return sum;
}

/* Elements abreast are those of the loop around the innermost one: what moves with it in another dimension than the last is loaded
 * one by one. The sums themselves stay in registers. */
static double gathers(const Counter *counter) {
    const uint32_t lanes = 1u << (counter->place->loops - 2);
    double sum = 0;
    for (size_t i = 0; i < counter->count.accesses.count; i++) {
        const CountAccess *access = &counter->count.accesses.items[i];
        bool apart = false;
        for (int d = 0; d + 1 < access->var->type->rank; d++) apart |= (access->moves[d] & lanes) != 0;
        if (apart && access->writes == 0) sum += access->reads;
    }
    return sum;
}

Count cost_count(Arena *arena, const CountPlace *place, const Block *block) {
    const Counter start = {.arena = arena, .place = place, .program = place->program, .code = &place->stage->code};
    Counter counter = start;
    counter.in_vectors = true;
    count_block(&counter, block);
    const bool vectors = !place->crew && uses_vectors(&counter, place->nest);
    if (!vectors) {
        counter = start;
        count_block(&counter, block);
    }
    if (place->nest)
        for (size_t i = 0; i < place->nest->loops.count; i++) {
            const ExprVec *filters = &place->nest->loops.items[i].index->filters;
            for (size_t f = 0; f < filters->count; f++) cost_count_expr(&counter, filters->items[f]);
        }
    const bool abreast = !place->crew && cost_runs_abreast(place->nest);
    if (place->loops > 0 && !(vectors && !abreast && place->in_lanes == 0))
        counter.count.chain = cost_chain(arena, place, block) / (place->in_lanes > 0 ? place->in_lanes : abreast || (place->nest && place->nest->form == FORM_EXTREMUM) ? SIDE_BY_SIDE : 1);
    if (vectors) {
        counter.count.lanes = counter.widest > 0 ? counter.widest : 8;
        counter.count.integers += widening(&counter);
        if (place->nest && place->nest->usual) counter.count.reals += OPERATIONS_OF_ROW * (double)place->nest->usual->rows.count;
        if (abreast) counter.count.gathers = gathers(&counter);
    }
    if (place->crew) counter.count.lanes = counter.widest > 0 ? counter.widest : 8;
    return counter.count;
}

bool cost_is_empty(const Count *count) {
    return count->reals == 0 && count->integers == 0 && count->divisions == 0 && count->functions == 0 &&
           count->accesses.count == 0 && !count->partial;
}
