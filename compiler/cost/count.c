/* Counts straight-line code. Read cost_count at the end first; count_stmt and count_expr add up operations,
 * add_access collects elements, the chain (what an iteration hands to the next) is found by a pass of its own. */
#include "compiler/cost/count.h"

#include <string.h>
#include "compiler/lower/narrow.h"
#include "compiler/lower/rounds.h"

/* A loop inside that is written out: its index stands for each number of the range. */
typedef struct WrittenOut { const LoopIndex *index; const struct WrittenOut *outer; } WrittenOut;

typedef struct Counter {
    Arena *arena;
    const CountPlace *place; /* NULL inside user functions */
    const WrittenOut *written_out;
    const struct Counter *caller; /* of a user function, with the call; else NULL */
    const Expr *call;
    const LoweredProgram *program; /* NULL: nothing is known about values */
    const LoweredBody *code;
    Count count;
    bool in_vectors;  /* both branches of an `if` count */
    bool conditional; /* inside one */
    bool scalar_only; /* something that vector instructions do not do */
    int widest;       /* bytes of the widest number */
} Counter;

/* For code inside what the counter counts. */
static Counter counter_inside(const Counter *outer) {
    Counter inner = *outer;
    inner.count = (Count){0};
    inner.scalar_only = false;
    inner.widest = 0;
    return inner;
}

static bool runs_abreast(const Nest *nest) { return nest && nest->form == FORM_SUM && nest->sum.abreast; }

static void count_expr(Counter *counter, const Expr *expr);
static void count_block(Counter *counter, const Block *block);

/* ---- Width and movement of values ------------------------------------------------------------------- */
static int bytes_of_var(const Counter *counter, const Var *var) {
    const int narrowed = lower_bytes_of(counter->code, var);
    return narrowed > 0 ? narrowed : lower_stored_bytes(var->type);
}

/* Bytes of the widest number that the expression is made of; literals adapt to what they meet. */
static int bytes_of(const Counter *counter, const Expr *expr) {
    if (!expr || expr->kind == EXPR_INTEGER || (expr->type->kind != TYPE_BOOLEAN && expr->type->kind != TYPE_CHARACTER && !type_is_numeric(expr->type)))
        return 0;
    if (expr->kind == EXPR_VAR) return bytes_of_var(counter, expr->var);
    if (expr->kind == EXPR_ELEMENT) return lower_stored_bytes(expr->var->type->element);
    if (expr->kind != EXPR_BINARY && expr->kind != EXPR_UNARY && expr->kind != EXPR_CONVERT)
        return expr->left || expr->arguments.count > 0 ? lower_stored_bytes(expr->type) : 0;
    const int left = bytes_of(counter, expr->left), right = bytes_of(counter, expr->right);
    const int own = expr->kind == EXPR_CONVERT && type_is_real(expr->type) ? lower_stored_bytes(expr->type) : 0;
    return own > left && own > right ? own : left > right ? left : right;
}

static void note_width(Counter *counter, const Expr *expr) {
    const int bytes = bytes_of(counter, expr);
    if (bytes > counter->widest) counter->widest = bytes;
}

typedef struct Movement { const Counter *counter; bool moves; } Movement;

static bool moves(const Counter *counter, const Expr *expr);

static void find_movement(void *data, const Expr *expr) {
    Movement *movement = data;
    const Counter *counter = movement->counter;
    if (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL) movement->moves = true;
    if (expr->kind != EXPR_VAR) return;
    const CountPlace *place = counter->place;
    if (expr->var->kind == VAR_INDEX) movement->moves |= !place || place->loops == 0 || expr->var == place->indices[place->loops - 1];
    if (expr->var->kind == VAR_LOCAL) movement->moves = true;
    if (expr->var->kind != VAR_PARAM || !counter->call) return;
    const VarVec *params = &counter->call->function->body.params;
    for (size_t i = 0; i < params->count; i++)
        if (params->items[i] == expr->var)
            movement->moves |= lower_block_writes(&counter->call->function->body.block, expr->var) > 0 || moves(counter->caller, counter->call->arguments.items[i]);
}

/* Whether the value may be another one in each iteration of the innermost loop. */
static bool moves(const Counter *counter, const Expr *expr) {
    Movement movement = {counter, false};
    lower_walk_expr(&(Walk){find_movement, NULL, &movement}, expr);
    return movement.moves;
}

static bool converts_in_vectors(const Counter *counter, const Expr *expr) {
    if (type_is_real(expr->type) == type_is_real(expr->left->type) || !moves(counter, expr->left)) return true;
    return expr->left->type->kind == TYPE_INTEGER && lower_converts_in_vectors(lower_values_of(counter->code, expr->left));
}

/* ---- Elements --------------------------------------------------------------------------------------- */
/* Sets which loops the subscript moves with and the smallest or highest number that it adds; `sign` is that of the term. */
static void read_subscript(const Counter *counter, const Expr *expr, int sign, bool highest, uint32_t *moves, int64_t *offset,
                           bool *anywhere) {
    const CountPlace *place = counter->place;
    if (expr->kind == EXPR_INTEGER) {
        *offset += sign * expr->integer;
        return;
    }
    for (const WrittenOut *loop = counter->written_out; loop && expr->kind == EXPR_VAR; loop = loop->outer) {
        if (loop->index->var != expr->var) continue;
        const Expr *range = loop->index->domain_range;
        read_subscript(counter, highest == (sign > 0) ? range->right : range->left, sign, highest, moves, offset, anywhere);
        return;
    }
    if (expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB)) {
        read_subscript(counter, expr->left, sign, highest, moves, offset, anywhere);
        read_subscript(counter, expr->right, expr->op == OP_ADD ? sign : -sign, highest, moves, offset, anywhere);
        return;
    }
    for (size_t l = 0; l < place->loops; l++)
        if (lower_expr_mentions(expr, place->indices[l])) *moves |= 1u << l;
    if (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX) *anywhere = true;
    for (size_t i = 0; i < expr->arguments.count && expr->kind != EXPR_ELEMENT; i++)
        if (expr->arguments.items[i]->kind == EXPR_ELEMENT) *anywhere = true;
    if (expr->kind == EXPR_CONVERT || expr->kind == EXPR_BINARY || expr->kind == EXPR_MATH) {
        if (expr->left) read_subscript(counter, expr->left, sign, highest, moves, &(int64_t){0}, anywhere);
        if (expr->right) read_subscript(counter, expr->right, sign, highest, moves, &(int64_t){0}, anywhere);
    }
    if (expr->kind == EXPR_VAR && expr->var->kind == VAR_LOCAL) *anywhere = true;
}

static bool same_shape(const CountAccess *a, const CountAccess *b, int rank) {
    if (a->var != b->var || a->lag != b->lag) return false;
    for (int d = 0; d < rank; d++)
        if (a->moves[d] != b->moves[d] || a->anywhere[d] != b->anywhere[d]) return false;
    return true;
}

static void add_access(Counter *counter, const CountAccess *access, int rank) {
    for (size_t i = 0; i < counter->count.accesses.count; i++) {
        CountAccess *known = &counter->count.accesses.items[i];
        if (!same_shape(known, access, rank)) continue;
        known->reads += access->reads;
        known->writes += access->writes;
        for (int d = 0; d < rank; d++) {
            if (access->low[d] < known->low[d]) known->low[d] = access->low[d];
            if (access->high[d] > known->high[d]) known->high[d] = access->high[d];
        }
        return;
    }
    vec_push(counter->arena, &counter->count.accesses, *access);
}

/* The innermost index must stand in the last subscript alone, for neighbours to lie side by side; elements abreast come one by
 * one where they do not. */
static bool strides_by_one(const CountPlace *place, const CountAccess *access, int rank) {
    const bool abreast = runs_abreast(place->nest);
    uint32_t innermost = place->loops > 0 ? 1u << (place->loops - 1) : 0;
    for (int d = 0; d < rank; d++)
        if (access->anywhere[d] || (!abreast && d + 1 < rank && (access->moves[d] & innermost))) return false;
    return true;
}

/* `type`: of the element, or of its field that is meant. */
static void count_element(Counter *counter, const Expr *element, const Type *type, double reads, double writes) {
    int rank = (int)element->arguments.count;
    for (int d = 0; d < rank; d++) { /* elements and calls in subscripts; not the address arithmetic */
        Counter inner = counter_inside(counter);
        count_expr(&inner, element->arguments.items[d]);
        for (size_t i = 0; i < inner.count.accesses.count; i++) add_access(counter, &inner.count.accesses.items[i], MAX_RANK);
        counter->count.functions += inner.count.functions;
        counter->count.divisions += inner.count.divisions;
    }
    if (!counter->place) return;
    CountAccess access = {.var = element->var, .lag = element->lag, .reads = reads, .writes = writes};
    for (int d = 0; d < rank && d < MAX_RANK; d++) {
        read_subscript(counter, element->arguments.items[d], 1, false, &access.moves[d], &access.low[d], &access.anywhere[d]);
        read_subscript(counter, element->arguments.items[d], 1, true, &access.moves[d], &access.high[d], &access.anywhere[d]);
    }
    if (!strides_by_one(counter->place, &access, rank)) counter->scalar_only = true;
    const bool letter = type->kind == TYPE_CHARACTER || type->kind == TYPE_BOOLEAN;
    if (!letter && !type_is_numeric(type)) counter->scalar_only = true;
    if (counter->conditional && lower_stored_bytes(type) < 4) counter->scalar_only = true; /* no masks for these */
    if (lower_stored_bytes(type) > counter->widest) counter->widest = lower_stored_bytes(type);
    add_access(counter, &access, rank);
}

/* Reads or writes what a place names: an element, or a member of one. */
static void count_place(Counter *counter, const Expr *place, double reads, double writes) {
    const Expr *root = place;
    while (root->kind == EXPR_FIELD || root->kind == EXPR_AT_INDEX) {
        for (size_t i = 0; i < root->arguments.count; i++) count_expr(counter, root->arguments.items[i]);
        if (root->kind == EXPR_AT_INDEX) counter->count.integers += 1, counter->scalar_only = true;
        root = root->left;
    }
    if (root->kind == EXPR_ELEMENT) count_element(counter, root, place->type, reads, writes);
    else if (root->kind != EXPR_VAR) count_expr(counter, root);
}

/* ---- Operations --------------------------------------------------------------------------------------- */
static bool is_cheap_function(const char *name) {
    static const char *const cheap[] = {"fabs", "llabs", "floor", "ceil", "trunc", "rint", "round", "fmin", "fmax", "copysign"};
    for (size_t i = 0; i < sizeof cheap / sizeof cheap[0]; i++)
        if (strcmp(name, cheap[i]) == 0) return true;
    return false;
}

static void count_binary(Counter *counter, const Expr *expr) {
    bool real = type_is_real(expr->left->type);
    note_width(counter, expr);
    if (expr->op == OP_POW) {
        counter->count.functions += 1;
        counter->scalar_only = true;
    } else if (expr->op == OP_DIV || expr->op == OP_MOD) {
        bool constant = !real && expr->right->kind == EXPR_INTEGER; /* becomes a multiplication and shifts */
        if (constant) counter->count.integers += 4;
        else counter->count.divisions += 1;
        counter->scalar_only |= !real;
    } else if (real) {
        counter->count.reals += 1;
    } else {
        counter->count.integers += 1;
    }
}

static void count_math(Counter *counter, const Expr *expr) {
    bool real = type_is_real(expr->type);
    if (strcmp(expr->math, "sqrt") == 0) counter->count.divisions += 1;
    else if (!is_cheap_function(expr->math)) counter->count.functions += 1, counter->scalar_only = true;
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
    Counter inner = counter_inside(counter);
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
    for (size_t i = 0; i < expr->arguments.count; i++) count_expr(counter, expr->arguments.items[i]);
    Counter inner = counter_inside(counter);
    inner.place = NULL;
    inner.written_out = NULL;
    inner.caller = counter;
    inner.call = expr;
    inner.code = counter->program ? lower_function(counter->program, expr->function) : NULL;
    count_block(&inner, &expr->function->body.block);
    add_scaled(counter, &inner, 1);
}

static void count_expr(Counter *counter, const Expr *expr) {
    if (!expr) return;
    switch (expr->kind) {
    case EXPR_ELEMENT: count_element(counter, expr, expr->type, 1, 0); return;
    case EXPR_FIELD:
    case EXPR_AT_INDEX: count_place(counter, expr, 1, 0); return;
    case EXPR_CALL: count_call(counter, expr); return;
    case EXPR_BINARY: count_binary(counter, expr); break;
    case EXPR_UNARY:
        if (type_is_real(expr->type)) counter->count.reals += 1;
        else counter->count.integers += 1;
        break;
    case EXPR_CONVERT:
        counter->count.integers += 1;
        counter->scalar_only |= !converts_in_vectors(counter, expr);
        break;
    case EXPR_MATH: count_math(counter, expr); break;
    case EXPR_IN: counter->count.integers += 2; break;
    default: break;
    }
    count_expr(counter, expr->left);
    count_expr(counter, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) count_expr(counter, expr->arguments.items[i]);
}

/* ---- Statements ----------------------------------------------------------------------------------------- */
static void count_assign(Counter *counter, const Stmt *stmt) {
    bool accumulates = stmt->accumulate != ACCUMULATE_NONE;
    count_place(counter, stmt->target, accumulates ? 1 : 0, 1);
    if (!accumulates) {
        count_expr(counter, stmt->value);
        return;
    }
    counter->count.reals += 2;
    counter->count.fused += 1;
    count_expr(counter, stmt->factor_a);
    count_expr(counter, stmt->factor_b);
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
        add_access(counter, &access, MAX_RANK);
    }
}

/* The condition, and the dearer of the two branches; in vectors, both. */
static void count_if(Counter *counter, const Stmt *stmt) {
    count_expr(counter, stmt->value);
    Counter branches[2] = {counter_inside(counter), counter_inside(counter)};
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
    Counter inner = counter_inside(counter);
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
    count_expr(counter, stmt->value);
    note_width(counter, stmt->value);
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
    case STMT_CALL: count_expr(counter, stmt->value); break;
    case STMT_RETURN: count_expr(counter, stmt->value); break;
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

/* ---- The chain from one iteration to the next -------------------------------------------------------------- */
/* In additions: what follows what on a processor whose additions and multiplications take equally long. */
static const double integer_step = 0.25, choice_step = 0.5, division_steps = 3.5, function_steps = 10, memory_steps = 1.25;

typedef struct Carried { const Var *var; double length; } Carried;
typedef struct Chain {
    Arena *arena;
    const CountPlace *place;
    VEC(Carried) vars;
    double longest;
} Chain;

static Carried *find_carried(Chain *chain, const Var *var) {
    for (size_t i = 0; i < chain->vars.count; i++)
        if (chain->vars.items[i].var == var) return &chain->vars.items[i];
    return NULL;
}

static double later(double a, double b) { return a > b ? a : b; }

/* How long after the iteration's start the value is there; -1: it does not depend on the iteration before. */
static double chain_of(Chain *chain, const Expr *expr) {
    if (!expr) return -1;
    if (expr->kind == EXPR_VAR || expr->kind == EXPR_ELEMENT) {
        const Carried *carried = find_carried(chain, expr->var);
        return carried ? carried->length : -1;
    }
    double length = later(chain_of(chain, expr->left), chain_of(chain, expr->right));
    for (size_t i = 0; i < expr->arguments.count; i++) length = later(length, chain_of(chain, expr->arguments.items[i]));
    if (length < 0) return -1;
    bool real = expr->left && type_is_real(expr->left->type);
    switch (expr->kind) {
    case EXPR_BINARY:
        if (expr->op == OP_DIV || expr->op == OP_MOD) return length + division_steps;
        return length + (real ? 1 : integer_step);
    case EXPR_UNARY: return length + integer_step;
    case EXPR_CONVERT: return length + 1;
    case EXPR_MATH: return length + (strcmp(expr->math, "sqrt") == 0 ? division_steps : is_cheap_function(expr->math) ? 1 : function_steps);
    case EXPR_CALL: {
        Counter inner = {.arena = chain->arena};
        count_block(&inner, &expr->function->body.block);
        return length + weight(&inner) / 2 * integer_step;
    }
    default: return length;
    }
}

static void chain_block(Chain *chain, const Block *block);

static void chain_assign(Chain *chain, const Stmt *stmt) {
    const Var *root = lower_place_root(stmt->target);
    double length;
    if (stmt->accumulate != ACCUMULATE_NONE) {
        length = later(chain_of(chain, stmt->target), later(chain_of(chain, stmt->factor_a), chain_of(chain, stmt->factor_b)));
        if (length >= 0) length += 1;
    } else {
        length = chain_of(chain, stmt->value);
    }
    Carried *carried = root ? find_carried(chain, root) : NULL;
    if (!carried) {
        if (root && root->kind == VAR_LOCAL && length >= 0) vec_push(chain->arena, &chain->vars, ((Carried){root, length}));
        return;
    }
    if (length < 0) return; /* starts afresh */
    bool in_memory = var_is_array(root) && !(chain->place->nest && chain->place->nest->form == FORM_SUM);
    carried->length = later(carried->length, length + (in_memory ? memory_steps : 0));
    chain->longest = later(chain->longest, carried->length);
}

static void chain_stmt(Chain *chain, const Stmt *stmt) {
    if (stmt->kind == STMT_ASSIGN) chain_assign(chain, stmt);
    if (stmt->kind == STMT_BLOCK) chain_block(chain, &stmt->body);
    if (stmt->kind != STMT_IF) return;
    double asked = chain_of(chain, stmt->value);
    if (asked >= 0) chain->longest = later(chain->longest, asked + choice_step);
    chain_block(chain, &stmt->body);
    if (stmt->otherwise) chain_block(chain, stmt->otherwise);
}

static void chain_block(Chain *chain, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) chain_stmt(chain, block->statements.items[i]);
}

typedef struct Uses { const Var *var; int reads; } Uses;

static void count_use(void *data, const Expr *expr) {
    Uses *uses = data;
    uses->reads += expr->kind == EXPR_ELEMENT && expr->var == uses->var;
}

/* A target that is only written is walked, too. */
static void count_target(void *data, const Stmt *stmt) {
    Uses *uses = data;
    if (stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE && lower_place_root(stmt->target) == uses->var &&
        stmt->target->kind == EXPR_ELEMENT)
        uses->reads--;
}

static bool reads_elements(const Block *block, const Var *var) {
    Uses uses = {var, 0};
    lower_walk_block(&(Walk){count_use, count_target, &uses}, block);
    return uses.reads > 0;
}

typedef struct Starts { Chain *chain; const Block *block; } Starts;

static bool is_own_local(const Block *block, const Var *var) {
    for (size_t i = 0; i < block->locals.count; i++)
        if (block->locals.items[i] == var) return true;
    return false;
}

/* An element that does not move with the innermost loop, or, in a sequential loop, an array that the body also reads
 * at another place. */
static bool element_is_carried(const CountPlace *place, const Block *block, const Expr *target) {
    if (place->loops == 0 || target->kind != EXPR_ELEMENT || !reads_elements(block, target->var)) return false;
    bool moves = false;
    for (size_t d = 0; d < target->arguments.count; d++)
        moves |= lower_expr_mentions(target->arguments.items[d], place->indices[place->loops - 1]);
    return !moves || place->sequential;
}

static void find_start(void *data, const Stmt *stmt) {
    const Starts *starts = data;
    if (stmt->kind != STMT_ASSIGN) return;
    const Var *root = lower_place_root(stmt->target);
    if (!root || is_own_local(starts->block, root) || find_carried(starts->chain, root)) return;
    if (var_is_array(root) && !element_is_carried(starts->chain->place, starts->block, stmt->target)) return;
    if (!var_is_array(root) && !lower_block_reads(starts->block, root)) return;
    vec_push(starts->chain->arena, &starts->chain->vars, ((Carried){root, 0}));
}

enum { SIDE_BY_SIDE = 8 }; /* HP5_ABREAST of runtime/generated.h */

/* ---- All together ------------------------------------------------------------------------------------------- */
/* C compilers do iterations of one plain loop at once where nothing keeps them in order. */
static bool uses_vectors(const Counter *counter, const Nest *nest) {
    if (!nest || nest->has_filters || !nest_innermost(nest)->interval || counter->scalar_only) return false;
    return runs_abreast(nest) || loop_may(nest_innermost(nest), LOOP_PARALLEL) || loop_may(nest_innermost(nest), LOOP_TOGETHER);
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
    const bool vectors = uses_vectors(&counter, place->nest);
    if (!vectors) {
        counter = start;
        count_block(&counter, block);
    }
    if (place->nest)
        for (size_t i = 0; i < place->nest->loops.count; i++) {
            const ExprVec *filters = &place->nest->loops.items[i].index->filters;
            for (size_t f = 0; f < filters->count; f++) count_expr(&counter, filters->items[f]);
        }
    if (place->loops > 0 && !(vectors && !runs_abreast(place->nest))) {
        Chain chain = {.arena = arena, .place = place};
        lower_walk_block(&(Walk){NULL, find_start, &(Starts){&chain, block}}, block);
        chain_block(&chain, block);
        counter.count.chain = runs_abreast(place->nest) ? chain.longest / SIDE_BY_SIDE : chain.longest;
    }
    if (vectors) {
        counter.count.lanes = counter.widest > 0 ? counter.widest : 8;
        counter.count.integers += widening(&counter);
        if (runs_abreast(place->nest)) counter.count.gathers = gathers(&counter);
    }
    return counter.count;
}

bool cost_is_empty(const Count *count) {
    return count->reals == 0 && count->integers == 0 && count->divisions == 0 && count->functions == 0 &&
           count->accesses.count == 0 && !count->partial;
}
