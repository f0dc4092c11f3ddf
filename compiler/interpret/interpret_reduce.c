/* Reductions, combined exactly as runtime/array/reduce.h says. Each target of a stage has 32
 * lanes and a tree of chunk results for the running LPU; when the stage has run in all LPUs,
 * their results combine in LPU order for each LPU of the target's LPS. */
#include "compiler/interpret/internal.h"
#include "runtime/array/arithmetic.h"
#include "runtime/array/reduce.h"
#define uthash_fatal(what) arena_out_of_memory() /* else it would exit without a word */
#include "uthash.h"
#include <string.h>

/* ---- The operations of reduce.h as a table ------------------------------------------ */

#define ALL_OPERATIONS(X)                                                                          \
    X(sum_real, double) X(sum_single, float) X(sum_exact, Hp5Exact)                                \
    X(product_real, double) X(product_single, float) X(product_exact, Hp5Exact)                    \
    X(max_real, double) X(max_single, float) X(max_integer, int64_t)                               \
    X(min_real, double) X(min_single, float) X(min_integer, int64_t)                               \
    X(land, int64_t) X(lor, int64_t) X(band, int64_t) X(bor, int64_t)                              \
    X(max_entry_real, Hp5EntryReal) X(min_entry_real, Hp5EntryReal)                                \
    X(max_entry_integer, Hp5EntryInteger) X(min_entry_integer, Hp5EntryInteger)

typedef union Partial {
    double real;
    float single;
    int64_t integer;
    Hp5Exact exact;               /* sums and products of Integers */
    Hp5EntryReal entry_real;
    Hp5EntryInteger entry_integer;
} Partial;
typedef union Lanes {
#define LANES(name, type) type name[HP5_LANES];
    ALL_OPERATIONS(LANES)
#undef LANES
} Lanes;
typedef union Tree {
#define TREE(name, type) Hp5Tree_##name name;
    ALL_OPERATIONS(TREE)
#undef TREE
} Tree;

typedef struct Operation {
    void (*clear)(Lanes *lanes);
    void (*put)(Lanes *lanes, int lane, const Partial *value);
    void (*end_chunk)(Lanes *lanes, Tree *tree);
    void (*add)(Tree *tree, const Partial *value);
    void (*finish)(const Tree *tree, Partial *result);
} Operation;

#define OPERATION(name, type)                                                                      \
    static void clear_##name(Lanes *lanes) {                                                       \
        for (int l = 0; l < HP5_LANES; l++) lanes->name[l] = hp5_##name##_identity();              \
    }                                                                                              \
    static void put_##name(Lanes *lanes, int lane, const Partial *value) {                         \
        type v;                                                                                    \
        memcpy(&v, value, sizeof v);                                                               \
        lanes->name[lane] = hp5_##name(lanes->name[lane], v);                                      \
    }                                                                                              \
    static void end_chunk_##name(Lanes *lanes, Tree *tree) {                                       \
        hp5_tree_##name##_add(&tree->name, hp5_lanes_##name(lanes->name));                         \
        clear_##name(lanes);                                                                       \
    }                                                                                              \
    static void add_##name(Tree *tree, const Partial *value) {                                     \
        type v;                                                                                    \
        memcpy(&v, value, sizeof v);                                                               \
        hp5_tree_##name##_add(&tree->name, v);                                                     \
    }                                                                                              \
    static void finish_##name(const Tree *tree, Partial *result) {                                 \
        type v = hp5_tree_##name##_finish(&tree->name);                                            \
        memcpy(result, &v, sizeof v);                                                              \
    }                                                                                              \
    static const Operation operation_##name = {clear_##name, put_##name, end_chunk_##name, add_##name, finish_##name};
ALL_OPERATIONS(OPERATION)
#undef OPERATION

#define BY_TYPE(name, of_integers)                                                                 \
    (kind == TYPE_REAL_DOUBLE ? &operation_##name##_real                                           \
                              : kind == TYPE_REAL_SINGLE ? &operation_##name##_single : &operation_##name##_##of_integers)

static const Operation *operation_for(ReduceOp op, TypeKind kind) {
    bool integer = kind != TYPE_REAL_DOUBLE && kind != TYPE_REAL_SINGLE;
    switch (op) {
    case REDUCE_SUM: return BY_TYPE(sum, exact);
    case REDUCE_PRODUCT: return BY_TYPE(product, exact);
    case REDUCE_MAX: return BY_TYPE(max, integer);
    case REDUCE_MIN: return BY_TYPE(min, integer);
    case REDUCE_MAX_ENTRY: return integer ? &operation_max_entry_integer : &operation_max_entry_real;
    case REDUCE_MIN_ENTRY: return integer ? &operation_min_entry_integer : &operation_min_entry_real;
    case REDUCE_LAND: return &operation_land;
    case REDUCE_LOR: return &operation_lor;
    case REDUCE_BAND: return &operation_band;
    case REDUCE_BOR: return &operation_bor;
    }
    internal_error("interpret", "reduction %d", (int)op);
}

/* ---- The targets of the running stage ------------------------------------------------- */

typedef struct Target {
    const Var *global;
    const Operation *operation;
    ReduceOp op;
    TypeKind kind;                /* of the reduced value */
    const Lps *space;             /* one result for each LPU of this LPS */
    Span span;
    Lanes lanes;                  /* of the running LPU */
    Tree tree;
    Partial *results;             /* by position in the list of LPUs */
} Target;

typedef struct Reductions { VEC(Target *) targets; size_t position; Arena *arena; } Reductions;

/* The reduce statements directly in a parallel loop (not in a parallel loop inside it). */
typedef VEC(const Stmt *) StmtList;
typedef struct LoopReductions { const Stmt *loop; StmtList reduces; UT_hash_handle hh; } LoopReductions;

static void collect_reduces(Machine *m, const Block *block, bool inside_loops, StmtList *out) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_REDUCE) vec_push(m->arena, out, stmt);
        if (stmt->kind == STMT_PARALLEL && !inside_loops) continue;
        collect_reduces(m, &stmt->body, inside_loops, out);
        if (stmt->otherwise != NULL) collect_reduces(m, stmt->otherwise, inside_loops, out);
    }
}

/* `key` is a parallel loop, or a whole body (all its reduce statements). */
static const StmtList *reduces_of(Machine *m, const void *key, const Block *block, bool inside_loops) {
    LoopReductions *known;
    HASH_FIND_PTR(m->loops, &key, known);
    if (known == NULL) {
        known = ARENA_NEW(m->arena, LoopReductions);
        known->loop = key;
        collect_reduces(m, block, inside_loops, &known->reduces);
        HASH_ADD_PTR(m->loops, loop, known);
    }
    return &known->reduces;
}

void reductions_forget_loops(Machine *m) { HASH_CLEAR(hh, m->loops); }

static Target *find_target(Machine *m, const Var *global) {
    Reductions *reductions = m->execution->reductions;
    for (size_t i = 0; i < reductions->targets.count; i++)
        if (reductions->targets.items[i]->global == global) return reductions->targets.items[i];
    internal_error("interpret", "'%s' is not a reduction target of the stage", global->name);
}

/* The global that a reduce statement of the called stage means, and the LPS it is reduced to. */
static const Var *target_of_call(const Step *call, const Var *var, const Lps **space) {
    *space = lps_proper(call->lps);
    if (var->kind != VAR_PARAM) return var;
    for (size_t i = 0; i < call->stage->body.params.count; i++) {
        if (call->stage->body.params.items[i] != var) continue;
        if (call->arguments.items[i].reduction_space != NULL) *space = lps_proper(call->arguments.items[i].reduction_space);
        return call->arguments.items[i].var;
    }
    internal_error("interpret", "reduction target '%s' is no parameter", var->name);
}

/* Several statements may reduce to one target: they share its lanes, so they must agree. */
static bool target_is_known(Machine *m, const Stmt *stmt, const Var *global) {
    const Reductions *reductions = m->execution->reductions;
    for (size_t k = 0; k < reductions->targets.count; k++) {
        const Target *target = reductions->targets.items[k];
        if (target->global != global) continue;
        if (target->op != stmt->reduce || target->kind != stmt->value->type->kind)
            machine_fail(m, stmt->span, "'%s' is reduced by two operations or types in one stage", global->name);
        return true;
    }
    return false;
}

void reductions_begin(Machine *m, LpuList lpus) {
    Execution *x = m->execution;
    const Body *body = &x->call->stage->body;
    const StmtList *all = reduces_of(m, body, &body->block, true);
    x->reductions = NULL;
    if (all->count == 0) return;
    Arena *arena = arena_new();
    x->reductions = ARENA_NEW(arena, Reductions);
    for (size_t i = 0; i < all->count; i++) {
        const Stmt *stmt = all->items[i];
        const Lps *space;
        const Var *global = target_of_call(x->call, stmt->target->var, &space);
        if (target_is_known(m, stmt, global)) continue;
        Target *target = ARENA_NEW(arena, Target);
        TypeKind kind = stmt->value->type->kind;
        *target = (Target){.global = global, .operation = operation_for(stmt->reduce, kind), .op = stmt->reduce,
                           .kind = kind, .space = space, .span = stmt->span,
                           .results = ARENA_ARRAY(arena, Partial, lpus.count)};
        vec_push(arena, &x->reductions->targets, target);
    }
    x->reductions->arena = arena;
}

void reductions_begin_lpu(Machine *m) {
    Reductions *reductions = m->execution->reductions;
    for (size_t i = 0; reductions != NULL && i < reductions->targets.count; i++) {
        Target *target = reductions->targets.items[i];
        target->operation->clear(&target->lanes);
        memset(&target->tree, 0, sizeof target->tree);
    }
}

void reductions_end_lpu(Machine *m) {
    Reductions *reductions = m->execution->reductions;
    for (size_t i = 0; reductions != NULL && i < reductions->targets.count; i++) {
        Target *target = reductions->targets.items[i];
        target->operation->finish(&target->tree, &target->results[reductions->position]);
    }
    if (reductions != NULL) reductions->position++;
}

/* ---- In the loop ------------------------------------------------------------------------- */

void reduce_accumulate(Machine *m, const Stmt *stmt) {
    Target *target = find_target(m, element_global(m, stmt->target->var));
    Value value = eval(m, stmt->value);
    int lane = (int)(m->loop->iteration % HP5_LANES);
    Partial partial = {0};
    bool entry = target->op == REDUCE_MAX_ENTRY || target->op == REDUCE_MIN_ENTRY;
    if (entry && target->kind == TYPE_REAL_DOUBLE) partial.entry_real = (Hp5EntryReal){value.real, m->loop->index};
    else if (entry && target->kind == TYPE_REAL_SINGLE) partial.entry_real = (Hp5EntryReal){value.single, m->loop->index};
    else if (entry) partial.entry_integer = (Hp5EntryInteger){value.integer, m->loop->index};
    else if (target->kind == TYPE_REAL_DOUBLE) partial.real = value.real;
    else if (target->kind == TYPE_REAL_SINGLE) partial.single = value.single;
    else if (target->op == REDUCE_SUM) partial.exact = hp5_exact_term(value.integer);
    else if (target->op == REDUCE_PRODUCT) partial.exact = hp5_exact_factor(value.integer);
    else partial.integer = value.integer;
    target->operation->put(&target->lanes, lane, &partial);
}

void reduce_end_chunk(Machine *m, const Stmt *loop) {
    if (m->execution == NULL || m->execution->reductions == NULL || m->frame == NULL || !m->frame->stage) return;
    const StmtList *reduces = reduces_of(m, loop, &loop->body, false);
    for (size_t i = 0; i < reduces->count; i++) {
        Target *target = find_target(m, element_global(m, reduces->items[i]->target->var));
        bool again = false;
        for (size_t k = 0; k < i; k++) again |= find_target(m, element_global(m, reduces->items[k]->target->var)) == target;
        if (!again) target->operation->end_chunk(&target->lanes, &target->tree);
    }
}

/* ---- After the stage ----------------------------------------------------------------------- */

/* Whether all values together fit does not depend on the order in which they came. */
static int64_t integer_total(Machine *m, const Target *target, const Partial *partial) {
    int64_t total = partial->integer;
    const bool sum = target->op == REDUCE_SUM;
    if (!sum && target->op != REDUCE_PRODUCT) return total;
    const bool fits = sum ? hp5_exact_sum_fits(partial->exact, &total) : hp5_exact_product_fits(partial->exact, &total);
    if (!fits) machine_fail(m, target->span, "Integer overflow: the %s of '%s' does not fit an Integer", sum ? "sum" : "product", target->global->name);
    return total;
}

static Value final_value(Machine *m, const Target *target, const Partial *partial) {
    TypeKind to = target->global->type->kind;
    if (target->op == REDUCE_MAX_ENTRY || target->op == REDUCE_MIN_ENTRY)
        return (Value){.integer = target->kind == TYPE_INTEGER ? partial->entry_integer.index : partial->entry_real.index};
    if (target->kind != TYPE_REAL_DOUBLE && target->kind != TYPE_REAL_SINGLE) {
        const int64_t total = integer_total(m, target, partial);
        const bool extreme = target->op == REDUCE_MAX || target->op == REDUCE_MIN;
        if (to == TYPE_REAL_DOUBLE) return (Value){.real = (double)total};
        if (to == TYPE_REAL_SINGLE) return (Value){.single = (float)total};
        return (Value){.integer = extreme && target->global->type->stored_single ? hp5_single_extreme(total) : total};
    }
    double value = target->kind == TYPE_REAL_DOUBLE ? partial->real : (double)partial->single;
    if (to == TYPE_REAL_SINGLE) return (Value){.single = (float)value};
    return (Value){.real = value};
}

/* LPUs of one LPU of the target's LPS stand together in the list. */
static void finish_target(Machine *m, Target *target, LpuList lpus) {
    for (size_t i = 0; i < lpus.count;) {
        Lpu *owner = lpu_ancestor(lpus.items[i], target->space);
        memset(&target->tree, 0, sizeof target->tree);
        for (; i < lpus.count && lpu_ancestor(lpus.items[i], target->space) == owner; i++)
            target->operation->add(&target->tree, &target->results[i]);
        Partial partial;
        target->operation->finish(&target->tree, &partial);
        m->lpu = owner;
        ScalarInstance *instance = scalar_instance(m, target->global, target->span);
        memory_store(m, instance->data, target->global->type, final_value(m, target, &partial), target->span);
        scalar_note_write(m, instance, target->global, owner, target->span);
    }
    m->lpu = NULL;
}

void reductions_finish(Machine *m, LpuList lpus) {
    Reductions *reductions = m->execution->reductions;
    if (reductions == NULL) return;
    for (size_t i = 0; i < reductions->targets.count; i++) finish_target(m, reductions->targets.items[i], lpus);
    m->execution->reductions = NULL;
    arena_free(reductions->arena);
}
