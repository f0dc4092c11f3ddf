/* Builds loop nests. Read lower_nest first: loops as written, then what the body allows
 * (order, independence, the multiply form). */
#include "compiler/lower/nest.h"

#include "compiler/base/diag.h"
#include "compiler/lower/apart.h"
#include "compiler/lower/range.h"

const Formal *lower_formal(const StageUse *use, const Var *var) {
    for (size_t i = 0; use && i < use->formals.count; i++)
        if (use->formals.items[i].var == var) return &use->formals.items[i];
    return NULL;
}

/* ---- Loops as written ---------------------------------------------------------------------- */
static Loop make_loop(const StageUse *use, const LoopIndex *index) {
    Loop loop = {.index = index, .domain_var = index->domain_var, .dimension = index->dimension,
                 .other_dimension = index->domain_var ? index->other_dimension : -1, .interval = true};
    const Expr *range = index->domain_range;
    if (!loop.domain_var && range->kind == EXPR_DIM_RANGE && range->local) {
        loop.domain_var = range->var;
        loop.dimension = range->dimension;
    }
    const Formal *formal = loop.domain_var ? lower_formal(use, loop.domain_var) : NULL;
    if (formal) {
        loop.interval = formal->interval[loop.dimension] || formal->whole[loop.dimension];
        if (loop.other_dimension >= 0)
            loop.interval &= formal->interval[loop.other_dimension] || formal->whole[loop.other_dimension];
    }
    return loop;
}

static void find_reduces(Arena *arena, Nest *nest, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_PARALLEL) continue;
        bool known = stmt->kind != STMT_REDUCE;
        for (size_t r = 0; r < nest->reduces.count && !known; r++)
            known = nest->reduces.items[r]->target->var == stmt->target->var;
        if (!known) vec_push(arena, &nest->reduces, stmt);
        find_reduces(arena, nest, &stmt->body);
        if (stmt->otherwise) find_reduces(arena, nest, stmt->otherwise);
    }
}

/* Integers wrap, and of equal extrema the one with the smallest index counts. */
bool lower_reduces_in_any_order(ReduceOp op, const Type *value_type) {
    return op == REDUCE_MAX_ENTRY || op == REDUCE_MIN_ENTRY || !type_is_real(value_type);
}

/* ---- What the body allows --------------------------------------------------------------------- */
/* The single assignment to an array element that the body consists of, or NULL. */
static const Stmt *single_assignment(const Nest *nest) {
    const Block *body = &nest->stmt->body;
    if (body->statements.count != 1) return NULL;
    const Stmt *stmt = body->statements.items[0];
    return stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_ELEMENT ? stmt : NULL;
}

typedef struct OtherAccess { const StageUse *use; const Nest *nest; const Expr *target; bool found; } OtherAccess;

/* Any access to the target's array other than the target element itself; accesses to other versions do not count, nor, with
 * a nest, those to elements that are no iteration's target. Calls could do anything to what they are given by reference. */
static void find_other_access(void *data, const Expr *expr) {
    OtherAccess *other = data;
    if (expr->kind == EXPR_CALL) other->found = true;
    if (expr->kind != EXPR_ELEMENT) return;
    bool same_array = expr->var == other->target->var && expr->lag == other->target->lag;
    if (!same_array || lower_expr_equal(expr, other->target)) return;
    if (other->nest == NULL || !lower_elements_apart(other->nest, other->target, expr)) other->found = true;
}

/* Iterations touch only the target element `target` of its array, and no other formal names that array. */
static bool only_touches_target(const StageUse *use, const Nest *nest, const Stmt *assign) {
    const Formal *formal = lower_formal(use, assign->target->var);
    if (!formal || !formal->restricted) return false;
    OtherAccess other = {use, nest, assign->target, false};
    lower_walk_expr(&(Walk){find_other_access, NULL, &other}, assign->value);
    return !other.found;
}

static bool subscripts_mention(const Expr *element, const Var *var) {
    for (size_t i = 0; i < element->arguments.count; i++)
        if (lower_expr_mentions(element->arguments.items[i], var)) return true;
    return false;
}

/* The one dimension whose subscript is `var` plus or minus something free of every loop index; -1: mentioned nowhere;
 * -2: mentioned in another way. */
static int plain_dimension(const Nest *nest, const Expr *element, const Var *var);

static bool is_offset_of(const Nest *nest, const Expr *subscript, const Var *var) {
    if (subscript->kind == EXPR_VAR) return subscript->var == var;
    if (subscript->kind != EXPR_BINARY || (subscript->op != OP_ADD && subscript->op != OP_SUB)) return false;
    const Expr *offset = subscript->right;
    for (size_t i = 0; i < nest->loops.count; i++)
        if (lower_expr_mentions(offset, nest->loops.items[i].index->var)) return false;
    return is_offset_of(nest, subscript->left, var);
}

static int plain_dimension(const Nest *nest, const Expr *element, const Var *var) {
    int found = -1;
    for (size_t d = 0; d < element->arguments.count; d++) {
        if (!lower_expr_mentions(element->arguments.items[d], var)) continue;
        if (found != -1 || !is_offset_of(nest, element->arguments.items[d], var)) return -2;
        found = (int)d;
    }
    return found;
}

static bool bounds_mention(const LoopIndex *index, const Var *var) {
    bool mentions = index->domain_range && lower_expr_mentions(index->domain_range, var);
    for (size_t i = 0; i < index->lower.count; i++) mentions |= lower_expr_mentions(index->lower.items[i], var);
    for (size_t i = 0; i < index->upper.count; i++) mentions |= lower_expr_mentions(index->upper.items[i], var);
    return mentions;
}

static bool index_is_rectangular(const Nest *nest, const Loop *loop) {
    for (size_t i = 0; i < nest->loops.count; i++)
        if (bounds_mention(loop->index, nest->loops.items[i].index->var) ||
            bounds_mention(nest->loops.items[i].index, loop->index->var))
            return false;
    return loop->index->filters.count == 0;
}

/* ---- Unit stride innermost ---------------------------------------------------------------------- */
/* The dimension in which neighbours lie side by side. */
static int fastest_dimension(const StageUse *use, const Expr *element) {
    const Formal *formal = lower_formal(use, element->var);
    return formal && formal->layout.fortran ? 0 : (int)element->arguments.count - 1;
}

typedef struct Strides { const StageUse *use; const Nest *nest; const Var *var; int unit, far; } Strides;

static void count_strides(void *data, const Expr *expr) {
    Strides *strides = data;
    if (expr->kind != EXPR_ELEMENT || !subscripts_mention(expr, strides->var)) return;
    bool fastest = plain_dimension(strides->nest, expr, strides->var) == fastest_dimension(strides->use, expr);
    *(fastest ? &strides->unit : &strides->far) += 1;
}

/* Elements that are stored matter more than those that are loaded: where the innermost loop scatters the target, the loop
 * over which the target moves by one is worth moving innermost although it gathers. */
static bool scatters(const StageUse *use, const Nest *nest, const Stmt *assign) {
    const Loop *innermost = &nest->loops.items[nest->loops.count - 1];
    const int dimension = plain_dimension(nest, assign->target, innermost->index->var);
    return dimension >= 0 && dimension != fastest_dimension(use, assign->target);
}

/* Moves the loop innermost over which the target and every element (or, with `gather`, the target) move by one, when it is
 * not there already. Loops over which the target accumulates keep their order among themselves. False: there is none. */
static bool move_innermost(const StageUse *use, Nest *nest, const Stmt *assign, bool gather) {
    size_t count = nest->loops.count;
    for (size_t at = count; at-- > 0;) {
        Loop loop = nest->loops.items[at];
        Strides strides = {use, nest, loop.index->var, 0, 0};
        lower_walk_stmt(&(Walk){count_strides, NULL, &strides}, assign);
        int target_dimension = plain_dimension(nest, assign->target, loop.index->var);
        bool unit = target_dimension == fastest_dimension(use, assign->target) && (gather || strides.far == 0);
        if (!unit || !loop.interval) continue;
        if (at + 1 == count || !index_is_rectangular(nest, &loop)) return true;
        for (size_t i = at; i + 1 < count; i++) nest->loops.items[i] = nest->loops.items[i + 1];
        nest->loops.items[count - 1] = loop;
        nest->reordered = true;
        return true;
    }
    return false;
}

static void move_unit_stride_innermost(const StageUse *use, Nest *nest, const Stmt *assign) {
    if (!move_innermost(use, nest, assign, false) && scatters(use, nest, assign)) move_innermost(use, nest, assign, true);
}

/* ---- The multiply form ---------------------------------------------------------------------------- */
static Operand make_operand(const Nest *nest, const Expr *element, const Loop *row, const Loop *column,
                            const Loop *depth) {
    return (Operand){element, plain_dimension(nest, element, row->index->var),
                     plain_dimension(nest, element, column->index->var),
                     plain_dimension(nest, element, depth->index->var)};
}

static bool operands_fit(const StageUse *use, const Multiply *m) {
    return m->sum.row >= 0 && m->sum.depth == -1 && m->sum.column == fastest_dimension(use, m->sum.element) &&
           m->left.row >= 0 && m->left.column == -1 && m->left.depth >= 0 &&
           m->right.row == -1 && m->right.depth >= 0 && m->right.column == fastest_dimension(use, m->right.element);
}

static bool factors_are_elements(const Stmt *assign) {
    return assign->accumulate != ACCUMULATE_NONE && assign->factor_a->kind == EXPR_ELEMENT &&
           assign->factor_b->kind == EXPR_ELEMENT;
}

/* The multiply form with these three loops, or NULL. */
static Multiply *try_multiply(Arena *arena, const StageUse *use, Nest *nest, const Stmt *assign, size_t row, size_t column, size_t depth) {
    const Loop *loops = nest->loops.items;
    Multiply m = {.row = &loops[row], .column = &loops[column], .depth = &loops[depth],
                  .subtracts = assign->accumulate == ACCUMULATE_FMS};
    m.sum = make_operand(nest, assign->target, m.row, m.column, m.depth);
    for (int swapped = 0; swapped < 2; swapped++) {
        m.left = make_operand(nest, swapped ? assign->factor_b : assign->factor_a, m.row, m.column, m.depth);
        m.right = make_operand(nest, swapped ? assign->factor_a : assign->factor_b, m.row, m.column, m.depth);
        if (!operands_fit(use, &m)) continue;
        Multiply *found = ARENA_NEW(arena, Multiply);
        *found = m;
        return found;
    }
    return NULL;
}

/* A part of several runs is tiled run by run. */
static bool loop_fits_tile(const Nest *nest, const Loop *loop) {
    return (loop->interval || loop->other_dimension < 0) && index_is_rectangular(nest, loop);
}

/* Looks for i, j, k with the accumulated index k the last accumulated one, and puts them innermost. */
static void find_multiply(Arena *arena, const StageUse *use, Nest *nest, const Stmt *assign) {
    size_t count = nest->loops.count;
    if (count < 3 || !factors_are_elements(assign)) return;
    size_t depth = count;
    for (size_t k = 0; k < count; k++)
        if (nest->loops.items[k].accumulates) depth = k;
    if (depth == count || !loop_fits_tile(nest, &nest->loops.items[depth])) return;
    for (size_t row = 0; row < count; row++)
        for (size_t column = 0; column < count; column++) {
            if (row == column || row == depth || column == depth) continue;
            if (!loop_fits_tile(nest, &nest->loops.items[row]) || !loop_fits_tile(nest, &nest->loops.items[column]))
                continue;
            Multiply *m = try_multiply(arena, use, nest, assign, row, column, depth);
            if (!m) continue;
            Loop inner[3] = {nest->loops.items[row], nest->loops.items[depth], nest->loops.items[column]};
            size_t kept = 0;
            for (size_t i = 0; i < count; i++)
                if (i != row && i != column && i != depth) nest->loops.items[kept++] = nest->loops.items[i];
            for (size_t i = 0; i < 3; i++) nest->loops.items[kept + i] = inner[i];
            m->row = &nest->loops.items[kept];
            m->depth = &nest->loops.items[kept + 1];
            m->column = &nest->loops.items[kept + 2];
            nest->multiply = m;
            nest->reordered = true;
            return;
        }
}

/* ---- Bodies of several statements -------------------------------------------------------------------- */
typedef struct Independence { const StageUse *use; const Nest *nest; bool holds; } Independence;

/* Every write of an array is to one element that moves with the innermost index, and the array is accessed nowhere
 * else; other writes are to locals of the body. */
static void check_write(void *data, const Stmt *stmt) {
    Independence *check = data;
    if (stmt->kind == STMT_IF) return;
    if (stmt->kind != STMT_ASSIGN) {
        check->holds = false;
        return;
    }
    const Expr *target = stmt->target; /* a field is part of the element or local that has it */
    while (target->kind == EXPR_FIELD) target = target->left;
    if (target->kind == EXPR_VAR) {
        bool own = false;
        const VarVec *locals = &check->nest->stmt->body.locals;
        for (size_t i = 0; i < locals->count; i++) own |= locals->items[i] == target->var;
        check->holds &= own;
        return;
    }
    const Formal *formal = lower_formal(check->use, target->var);
    const Var *innermost = check->nest->loops.items[check->nest->loops.count - 1].index->var;
    if (target->kind != EXPR_ELEMENT || !formal || !formal->restricted ||
        plain_dimension(check->nest, target, innermost) < 0) {
        check->holds = false;
        return;
    }
    OtherAccess other = {check->use, NULL, target, false};
    lower_walk_block(&(Walk){find_other_access, NULL, &other}, &check->nest->stmt->body);
    check->holds &= !other.found;
}

static bool body_is_independent(const StageUse *use, const Nest *nest) {
    if (nest->has_filters) return false;
    Independence check = {use, nest, true};
    lower_walk_block(&(Walk){NULL, check_write, &check}, &nest->stmt->body);
    return check.holds;
}

/* ---- Iterations that C compilers find apart ------------------------------------------------------------ */
enum { WRITTEN_OUT = 16 }; /* rounds of loops that gcc replaces by copies of their bodies */

/* Rounds of a loop as its bounds say, 0: too many, or not known; the body is not looked at. */
static int known_rounds(const Stmt *stmt) {
    int64_t rounds = 1;
    if (stmt->kind == STMT_SEQUENCE && !stmt->step) rounds = lower_trip_count(stmt->value);
    else if (stmt->kind != STMT_PARALLEL) return 0;
    for (size_t i = 0; i < stmt->indices.count && rounds > 0 && rounds <= WRITTEN_OUT; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        bool counted = index->domain_range && !index->domain_var && index->lower.count + index->upper.count + index->filters.count == 0;
        int64_t here = counted ? lower_trip_count(index->domain_range) : 0;
        rounds = here > WRITTEN_OUT ? 0 : rounds * here;
    }
    return rounds > 0 && rounds <= WRITTEN_OUT ? (int)rounds : 0;
}

/* The walk comes to what is inside inner loops by itself. */
static void find_loop_inside(void *data, const Stmt *stmt) {
    bool *plain = data;
    *plain &= stmt->kind == STMT_ASSIGN || stmt->kind == STMT_IF || stmt->kind == STMT_CALL || stmt->kind == STMT_BLOCK || known_rounds(stmt) > 0;
}

int lower_unrolled_rounds(const Stmt *stmt) {
    int rounds = known_rounds(stmt);
    bool plain = rounds > 0;
    if (plain) lower_walk_block(&(Walk){NULL, find_loop_inside, &plain}, &stmt->body);
    return plain ? rounds : 0;
}

typedef struct Mentions { const Var *var; int count; bool declared; } Mentions;

static void count_mention(void *data, const Expr *expr) {
    Mentions *mentions = data;
    mentions->count += expr->var == mentions->var && expr->kind == EXPR_VAR;
}

static void find_declaration(void *data, const Stmt *stmt) {
    Mentions *mentions = data;
    for (size_t i = 0; i < stmt->body.locals.count; i++) mentions->declared |= stmt->body.locals.items[i] == mentions->var;
    for (size_t i = 0; stmt->otherwise && i < stmt->otherwise->locals.count; i++)
        mentions->declared |= stmt->otherwise->locals.items[i] == mentions->var;
}

/* count = count + … is all that the loop does with the variable. */
static bool is_integer_sum(const Nest *nest, const Stmt *stmt) {
    const Expr *value = stmt->value;
    bool sum = stmt->accumulate == ACCUMULATE_NONE && stmt->target->kind == EXPR_VAR && value->kind == EXPR_BINARY &&
               value->type->kind == TYPE_INTEGER && value->op == OP_ADD && value->left->kind == EXPR_VAR && value->left->var == stmt->target->var;
    Mentions mentions = {stmt->target->var, 0, false};
    lower_walk_block(&(Walk){count_mention, NULL, &mentions}, &nest->stmt->body);
    return sum && mentions.count == 2;
}

static void check_separate(void *data, const Stmt *stmt) {
    Independence *check = data;
    if (stmt->kind == STMT_REDUCE || stmt->kind == STMT_BLOCK || lower_unrolled_rounds(stmt) > 0) return;
    if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR) {
        Mentions mentions = {stmt->target->var, 0, false};
        find_declaration(&mentions, check->nest->stmt);
        lower_walk_block(&(Walk){NULL, find_declaration, &mentions}, &check->nest->stmt->body);
        check->holds &= mentions.declared || is_integer_sum(check->nest, stmt);
        return;
    }
    check_write(data, stmt);
}

/* Whether C compilers can do iterations at once where nothing in the body is beyond vector instructions. */
static bool is_separate(const StageUse *use, const Nest *nest) {
    if (nest->has_filters || !nest->loops.items[nest->loops.count - 1].interval) return false;
    if (nest->independent || nest->abreast) return true;
    Independence check = {use, nest, true};
    lower_walk_block(&(Walk){NULL, check_separate, &check}, &nest->stmt->body);
    return check.holds;
}

static bool reduces_in_any_order(const StageUse *use, const Nest *nest) {
    for (size_t i = 0; i < nest->reduces.count; i++) {
        const Formal *formal = lower_formal(use, nest->reduces.items[i]->target->var);
        if (!formal || !lower_reduces_in_any_order(formal->op, formal->value_type)) return false;
    }
    return nest->reduces.count > 0;
}

/* Single precision Integers are stored narrower than they are computed: only Reals accumulate in registers as stored. */
static bool element_is_real(const Expr *element) { return type_is_real(element->type); }

static bool filters_mention(const Nest *nest, const Var *var) {
    bool mentions = false;
    for (size_t i = 0; i < nest->loops.count; i++)
        for (size_t k = 0; k < nest->loops.items[i].index->filters.count; k++)
            mentions |= lower_expr_mentions(nest->loops.items[i].index->filters.items[k], var);
    return mentions;
}

/* Sums of one element after the other wait for each addition; sums of several elements at a time do not. */
static bool can_run_abreast(const Nest *nest, const Stmt *assign) {
    if (!nest->in_register || nest->has_filters) return false;
    const Loop *elements = &nest->loops.items[nest->loops.count - 2];
    const Loop *innermost = &nest->loops.items[nest->loops.count - 1];
    return (elements->interval || elements->other_dimension < 0) && !bounds_mention(innermost->index, elements->index->var) &&
           plain_dimension(nest, assign->target, elements->index->var) >= 0;
}

static void arrange(Arena *arena, const StageUse *use, Nest *nest) {
    const Stmt *assign = single_assignment(nest);
    if (!assign) {
        nest->independent = body_is_independent(use, nest);
        return;
    }
    for (size_t i = 0; i < nest->loops.count; i++)
        nest->loops.items[i].accumulates = !subscripts_mention(assign->target, nest->loops.items[i].index->var);
    if (!only_touches_target(use, nest, assign)) return;
    if (element_is_real(assign->target) && !nest->has_filters) find_multiply(arena, use, nest, assign);
    if (!nest->multiply && !nest->has_filters) move_unit_stride_innermost(use, nest, assign);
    if (filters_mention(nest, assign->target->var)) return;
    const Loop *innermost = &nest->loops.items[nest->loops.count - 1];
    nest->independent = plain_dimension(nest, assign->target, innermost->index->var) >= 0;
    nest->in_register = innermost->accumulates && innermost->interval && nest->loops.count > 1 && lower_expr_mentions(assign->value, assign->target->var) &&
                        !lower_expr_has_effect(assign->target) && element_is_real(assign->target);
    nest->abreast = can_run_abreast(nest, assign);
}

static bool is_chain(const Nest *nest) {
    const Block *body = &nest->stmt->body;
    if (nest->loops.count != 1 || !nest->loops.items[0].interval || nest->has_filters || body->statements.count != 1) return false;
    const Stmt *stmt = body->statements.items[0];
    return stmt->kind == STMT_ASSIGN && stmt->accumulate != ACCUMULATE_NONE && stmt->target->kind == EXPR_VAR &&
           type_is_real(stmt->target->type) && lower_unrolled_rounds(nest->stmt) == 0;
}

Nest *lower_nest(Arena *arena, const StageUse *use, const Stmt *stmt) {
    Nest *nest = ARENA_NEW(arena, Nest);
    nest->stmt = stmt;
    for (size_t i = 0; i < stmt->indices.count; i++) {
        Loop loop = make_loop(use, &stmt->indices.items[i]);
        vec_push(arena, &nest->loops, loop);
        nest->has_filters |= loop.index->filters.count > 0;
    }
    find_reduces(arena, nest, &stmt->body);
    if (nest->reduces.count == 0) arrange(arena, use, nest);
    nest->any_order = reduces_in_any_order(use, nest);
    nest->separate = is_separate(use, nest);
    nest->chain = is_chain(nest);
    bool plain = nest->reduces.count == 0 && !nest->multiply && !nest->in_register && !nest->separate;
    if (plain) nest->carry = lower_carry(arena, use, nest);
    lower_verify(nest);
    return nest;
}

/* ---- Invariants ---------------------------------------------------------------------------------------- */
void lower_verify(const Nest *nest) {
    size_t count = nest->loops.count;
    if (count == 0 || count != nest->stmt->indices.count) internal_error("lower", "a nest lost a loop");
    int last = -1;
    for (size_t i = 0; i < count; i++) {
        const Loop *loop = &nest->loops.items[i];
        int written = (int)(loop->index - nest->stmt->indices.items);
        if (loop->accumulates && written < last) internal_error("lower", "accumulating loops changed their order");
        if (loop->accumulates) last = written;
        for (size_t inner = i + 1; inner < count; inner++)
            if (bounds_mention(loop->index, nest->loops.items[inner].index->var))
                internal_error("lower", "a bound names an inner index");
    }
    if (nest->reordered && nest->reduces.count > 0) internal_error("lower", "a nest that reduces was reordered");
    if (nest->reordered && nest->has_filters) internal_error("lower", "filters were moved");
}
