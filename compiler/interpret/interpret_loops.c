/* Data-parallel and sequential loops. A parallel loop runs in ascending order; bounds narrow an
 * index before it iterates, so a loop over a CSR row costs its length. The innermost index's run
 * counts the iterations that the bounds leave: reductions cut it into chunks (reduce.h). */
#include "compiler/interpret/internal.h"
#include "runtime/array/reduce.h"

/* ---- Parallel loops ------------------------------------------------------------- */

typedef struct IndexDomain {
    Hp5Set set, other;            /* the index is in both */
    bool has_other;
    int64_t low, high;            /* inclusive */
} IndexDomain;

static IndexDomain index_domain(Machine *m, const LoopIndex *index) {
    IndexDomain domain = {.has_other = false};
    if (index->domain_var != NULL) {
        Part *part = element_part(m, index->domain_var, index->span);
        domain.set = part->sets[index->dimension];
        domain.has_other = index->other_dimension >= 0;
        if (domain.has_other) domain.other = part->sets[index->other_dimension];
    } else if (index->domain_range->kind == EXPR_DIM_RANGE) {
        domain.set = dim_range_set(m, index->domain_range);
    } else {
        Value range = eval(m, index->domain_range);
        domain.set = range.range.max < range.range.min ? hp5_interval(0, 0)
                                                       : hp5_interval(range.range.min, range.range.max + 1);
    }
    domain.low = domain.set.begin;
    domain.high = domain.set.end - 1;
    for (size_t i = 0; i < index->lower.count; i++) {
        int64_t bound = eval_integer(m, index->lower.items[i]);
        if (bound > domain.low) domain.low = bound;
    }
    for (size_t i = 0; i < index->upper.count; i++) {
        int64_t bound = eval_integer(m, index->upper.items[i]);
        if (bound < domain.high) domain.high = bound;
    }
    return domain;
}

static bool passes_filters(Machine *m, const LoopIndex *index) {
    for (size_t i = 0; i < index->filters.count; i++)
        if (!eval_integer(m, index->filters.items[i])) return false;
    return true;
}

static Outcome run_level(Machine *m, const Stmt *stmt, size_t depth);

/* One value of the index at `depth`. */
static Outcome run_index(Machine *m, const Stmt *stmt, size_t depth, int64_t value) {
    const LoopIndex *index = &stmt->indices.items[depth];
    size_t mark = m->top;
    Outcome outcome = DONE;
    memory_store(m, m->frame->address[index->var->id], index->var->type, (Value){.integer = value}, index->span);
    if (passes_filters(m, index)) {
        if (depth + 1 < stmt->indices.count) outcome = run_level(m, stmt, depth + 1);
        else outcome = run_block(m, &stmt->body);
    }
    m->top = mark;
    return outcome;
}

/* All values of the index at `depth`, for the values that the outer ones have. */
static Outcome run_level(Machine *m, const Stmt *stmt, size_t depth) {
    IndexDomain domain = index_domain(m, &stmt->indices.items[depth]);
    bool innermost = depth + 1 == stmt->indices.count;
    LoopRun run = {0, 0}, *outer = m->loop;
    Outcome outcome = DONE;
    int64_t runs = domain.low > domain.high ? 0 : hp5_set_run_count(&domain.set);
    int64_t k = runs > 0 ? hp5_set_find_run(&domain.set, domain.low) : 0;
    for (; k < runs && outcome == DONE; k++) {
        Hp5Run indices = hp5_set_run(&domain.set, k);
        if (indices.begin > domain.high) break;
        int64_t i = indices.begin > domain.low ? indices.begin : domain.low;
        for (; i < indices.end && i <= domain.high && outcome == DONE; i++) {
            if (domain.has_other && !hp5_set_contains(&domain.other, i)) continue;
            if (innermost) {
                run.index = i;
                m->loop = &run;
            }
            outcome = run_index(m, stmt, depth, i);
            m->loop = outer;
            if (innermost && ++run.iteration % HP5_CHUNK == 0) reduce_end_chunk(m, stmt);
        }
    }
    if (innermost && run.iteration % HP5_CHUNK != 0) reduce_end_chunk(m, stmt);
    return outcome;
}

Outcome run_parallel(Machine *m, const Stmt *stmt) { return run_level(m, stmt, 0); }

/* ---- Sequential loops --------------------------------------------------------------- */

int64_t sequence_count(Machine *m, int64_t min, int64_t max, int64_t step, int64_t *first, Span span) {
    if (step == 0) machine_fail(m, span, "the step of a loop is 0");
    *first = step > 0 ? min : max;
    if (max < min) return 0;
    __extension__ typedef __int128 Wide;
    Wide distance = (Wide)max - min, stride = step > 0 ? (Wide)step : -(Wide)step, count = distance / stride + 1;
    return count > INT64_MAX ? INT64_MAX : (int64_t)count;
}

Outcome run_sequence(Machine *m, const Stmt *stmt) {
    size_t mark = m->top;
    bool of_part = stmt->value->kind == EXPR_DIM_RANGE && stmt->value->local;
    Hp5Set part = of_part ? dim_range_set(m, stmt->value) : hp5_interval(0, 0);
    Value range = eval(m, stmt->value);
    int64_t step = stmt->step != NULL ? eval_integer(m, stmt->step) : 1, value;
    int64_t count = sequence_count(m, range.range.min, range.range.max, step, &value, stmt->span);
    m->top = mark;
    Outcome outcome = DONE;
    for (int64_t k = 0; k < count && outcome == DONE; k++) {
        if (!of_part || hp5_set_contains(&part, value)) {
            const Var *index = stmt->index;
            memory_store(m, m->frame->address[index->id], index->type, (Value){.integer = value}, stmt->span);
            outcome = run_block(m, &stmt->body);
        }
        if (k + 1 < count) value += step;
    }
    return outcome;
}
