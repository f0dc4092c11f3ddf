/* Loops around loops in lanes. The innermost loop of
 *
 *     do {
 *         force = 0.0
 *         do in sequence {
 *             d = x[j] - x[i]
 *             if (d * d < reach) { force = force + w[j] * exp(-d * d) }
 *         } for j in x.dimension.range
 *         f[i] = force
 *     } for i in f
 *
 * adds in order, each addition after the other. The iterations of the loop around it are independent, so a vector has neighbouring
 * values of i in its lanes, all at the same j: every element gets what it gets, in the same order. The loops inside must run alike for
 * all lanes, and what moves with i in them must lie side by side; what does not, all lanes share. The innermost of them may have bounds that move
 * with i (`m in [max(i - 8, 0)...min(i + 8, last)]`), or that differ where some lanes begin later or end earlier (`t in h and t <= i`): what
 * the lanes have in common they do together, each at its own m or all at the same t.
 *
 * Integers may be counted on the way (`if (x * x + y * y < 1) { inside = inside + 1 }`): each lane counts its own.
 *
 * Where the body is one sequential loop that keeps nothing but elements, of others in each round, as in sums down the columns of an image,
 *
 *     do {
 *         do in sequence { s[i][j] = s[i - 1][j] + s[i][j] } for i in [1...last]
 *     } for j in s.dimension2
 *
 * long pieces of its rows go side by side: the memory is read along rows, as it likes best, and no column is left over in the end.
 *
 * Rows are the same with a[i][j] instead of x[j]: what moves with i lies apart and is loaded one by one. Sums in locals gain by it
 * nevertheless, as each of them waits for its additions alone; the other loops of such a body run one lane after the other. The body of a nest that
 * reduces may go in rows, too: between its loops each lane adds to the result's lane that is its own.
 *
 * Where each round of a sequential loop waits for what the one before has computed, as in a filter along the rows of an image,
 *
 *     do {
 *         do in sequence { s[i][j] = a * s[i][j - 1] + b * u[i][j] } for j in [1...last]
 *     } for i in s.dimension1
 *
 * a processor has nothing to do meanwhile. A few rows go through the loop together then, wherever their elements lie, and each waits beside the others. */
#include "compiler/lower/apart.h"
#include "compiler/lower/lane_values.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/rounds.h"

typedef struct Look {
    const StageUse *use;
    const Nest *nest;
    const Block *body;
    const Loop *loop;    /* the one in lanes */
    const Expr *target;  /* an element that is assigned */
    const Block *inner;  /* the loop inside that is looked at */
    bool fits, functions;
    bool rows, chain;    /* rows: what moves with the lanes may lie apart; chain: a local adds up in one of the loops */
    bool anywhere;       /* elements may lie wherever they do */
    bool reduces;        /* results of the nest may be added to, outside of loops */
    size_t apart;        /* elements that lie apart */
    bool owns;           /* elements that are the lane's own in all rounds */
    bool outside;        /* of the loops inside: each lane may have elements of its own there, wherever they lie */
    size_t depth;        /* loops around what is looked at */
    bool conditions;     /* in loops inside */
    bool carries;        /* locals from outside */
    size_t loops;        /* inside of it */
    const Var *round;    /* the index of the one loop inside */
    bool short_loops;    /* all of them run a few times, as their bounds say */
    Arena *arena;        /* for `ragged` and `sums`; NULL: there may be none */
    LaneLoops ragged;
    VarVec sums;
} Look;

/* ---- Values ------------------------------------------------------------------------------------------ */
static LaneValues values_of(const Look *lanes) {
    return (LaneValues){.use = lanes->use, .body = lanes->body, .index = lanes->loop->index->var, .ragged = &lanes->ragged};
}

static bool is_shared(const Look *lanes, const Expr *expr) {
    const LaneValues values = values_of(lanes);
    return lower_is_shared(&values, expr);
}

static bool is_value(const Type *type) { return type_is_numeric(type) || type->kind == TYPE_BOOLEAN || type->kind == TYPE_CHARACTER; }

/* What an element may have that loops touch parts of. */
static bool has_parts(const Type *type) { return type->kind == TYPE_STRUCT || type->kind == TYPE_STATIC_ARRAY; }

static bool is_fixed(const Look *lanes, const Expr *expr);

/* The lane's own in all rounds of the loops inside, and apart from that of the next lane: it is read in front of them (emit/cpu/stage_own.c). */
static bool is_own(const Look *lanes, const Expr *element, const Formal *formal) {
    bool apart = false, fits = lanes->depth == 0 && lanes->ragged.count == 0 && !lanes->anywhere && !formal->written && !formal->layout.split && element->lag == 0;
    for (size_t d = 0; d < element->arguments.count && fits; d++) {
        const Expr *subscript = element->arguments.items[d];
        const bool here = subscript->kind == EXPR_VAR && subscript->var == lanes->loop->index->var;
        fits = !formal->gaps[d] && (here || (lower_is_plain_sum(subscript) && is_fixed(lanes, subscript)));
        apart |= here && (int)d != lower_fastest_dimension(lanes->use, element);
    }
    return fits && apart;
}

/* Neighbours in memory, or one for all lanes. */
static void check_element(Look *lanes, const Expr *element) {
    const Formal *formal = lower_formal(lanes->use, element->var);
    const LaneValues values = values_of(lanes);
    lanes->fits &= formal && formal->kind == FORMAL_VIEW && (is_value(element->type) || has_parts(element->type));
    if (lanes->fits && is_own(lanes, element, formal)) {
        lanes->owns = true;
        return;
    }
    for (size_t d = 0; d < element->arguments.count && lanes->fits && !lanes->outside && !lanes->anywhere; d++) {
        const LaneStep step = lower_lane_step(&values, element->arguments.items[d]);
        if (step == STEP_SAME) continue;
        const bool beside = (int)d == lower_fastest_dimension(lanes->use, element);
        lanes->fits = (beside || lanes->rows) && step == STEP_NEXT;
        lanes->apart += !beside;
    }
}

static void check_call(Look *lanes, const Expr *call) {
    lanes->fits &= call->function->in_place && !call->function->changes_something && is_value(call->type);
    for (size_t i = 0; i < call->arguments.count; i++) lanes->fits &= is_value(call->arguments.items[i]->type);
}

static void check_expr(void *data, const Expr *expr) {
    Look *lanes = data;
    switch (expr->kind) {
    case EXPR_INTEGER: case EXPR_REAL: case EXPR_BOOLEAN: case EXPR_CHARACTER: case EXPR_RANGE_PART: case EXPR_RANGE: case EXPR_DIM_RANGE: case EXPR_UNARY:
    case EXPR_CONVERT: case EXPR_BINARY: break;
    case EXPR_VAR: lanes->fits &= is_value(expr->type) || expr->type->kind == TYPE_RANGE; break;
    case EXPR_ELEMENT: check_element(lanes, expr); break;
    case EXPR_FIELD: case EXPR_AT_INDEX: lanes->fits &= lower_element_of(expr)->kind == EXPR_ELEMENT; break;
    case EXPR_MATH: lanes->functions = true; break;
    case EXPR_CALL: check_call(lanes, expr); break;
    default: lanes->fits = false; break;
    }
}

/* ---- Statements ------------------------------------------------------------------------------------------ */
/* The dimension in which the element stands at the index itself, or -1. (Outside of loops elements may lie apart.) */
static int own_dimension(const Look *lanes, const Expr *element) {
    const int fastest = lower_fastest_dimension(lanes->use, element);
    for (int d = 0; d < (int)element->arguments.count; d++) {
        const Expr *subscript = element->arguments.items[d];
        if ((d == fastest || lanes->rows || lanes->anywhere || lanes->depth == 0) && subscript->kind == EXPR_VAR && subscript->var == lanes->loop->index->var) return d;
    }
    return -1;
}

static void find_inner_index(void *data, const Stmt *stmt) {
    Look *lanes = data;
    if (stmt->index && lower_expr_mentions(lanes->target, stmt->index)) lanes->fits = false;
    for (size_t i = 0; i < stmt->indices.count; i++)
        if (lower_expr_mentions(lanes->target, stmt->indices.items[i].var)) lanes->fits = false;
}

/* The same value as long as the nest runs, for all lanes. */
static bool is_fixed(const Look *lanes, const Expr *expr) {
    Look search = *lanes;
    search.fits = is_shared(lanes, expr);
    search.target = expr;
    lower_walk_block(&(Walk){NULL, find_inner_index, &search}, lanes->body);
    return search.fits;
}

/* Elements of the target's array are the lane's own, or no lane's. */
static void check_meeting(void *data, const Expr *expr) {
    Look *lanes = data;
    const Expr *target = lanes->target;
    if (expr->kind != EXPR_ELEMENT || expr->var != target->var || expr->lag != target->lag) return;
    const int dimension = own_dimension(lanes, target);
    Expr *own = target->arguments.items[dimension], *other = expr->arguments.items[dimension];
    if (lower_expr_equal(own, other)) return;
    const Expr here = {.kind = EXPR_ELEMENT, .arguments = {.items = &own, .count = 1}};
    const Expr there = {.kind = EXPR_ELEMENT, .arguments = {.items = &other, .count = 1}};
    lanes->fits &= is_fixed(lanes, other) && lower_elements_apart(lanes->nest, &here, &there);
}

/* A local from outside that the body counts in, in any order, or that lanes hand on (carried.c). */
static void check_outside(Look *lanes, const Stmt *stmt) {
    Var *var = stmt->target->var;
    const bool sum = lanes->arena && var->kind == VAR_LOCAL && lower_is_integer_sum(lanes->nest, stmt) && !lower_nest_bounds_mention(lanes->nest, var);
    if (sum) vec_push(lanes->arena, &lanes->sums, var);
    else lanes->carries = true;
    lanes->fits &= sum || (lanes->depth == 0 && !lanes->anywhere && lanes->nest->form != FORM_REDUCTION && lower_may_carry(lanes->nest, var));
}

/* Locals of the body, sums, and elements that stand at the index itself wherever the body names their array. */
static void check_assign(Look *lanes, const Stmt *stmt) {
    const Expr *target = lower_element_of(stmt->target);
    lanes->fits &= is_value(stmt->target->type);
    if (target->kind == EXPR_VAR) {
        lanes->fits &= target == stmt->target; /* records that are whole still, as in checked builds */
        if (lanes->fits && !lower_is_local_of(lanes->body, target->var)) check_outside(lanes, stmt);
        return;
    }
    const Formal *formal = target->kind == EXPR_ELEMENT ? lower_formal(lanes->use, target->var) : NULL;
    lanes->fits &= formal && formal->restricted && !formal->layout.split;
    if (!lanes->fits) return;
    lanes->fits &= own_dimension(lanes, target) >= 0;
    if (!lanes->fits) return;
    lanes->target = target;
    lower_walk_block(&(Walk){check_meeting, NULL, lanes}, lanes->body);
}

static void check_block(Look *lanes, const Block *block, bool inside_if);

static bool bounds_are_shared(const Look *lanes, const LoopIndex *index) {
    bool shared = !index->domain_range || is_shared(lanes, index->domain_range);
    for (size_t b = 0; b < index->lower.count; b++) shared &= is_shared(lanes, index->lower.items[b]);
    for (size_t b = 0; b < index->upper.count; b++) shared &= is_shared(lanes, index->upper.items[b]);
    return shared;
}

/* The innermost index of a loop may have bounds that differ from lane to lane. */
static void check_ragged(Look *lanes, const Stmt *stmt) {
    const LaneValues values = values_of(lanes);
    LaneLoop loop = {0};
    const size_t last = stmt->indices.count - 1;
    lanes->fits &= lanes->arena && lower_is_ragged(lanes->arena, &values, stmt, &loop);
    if (lanes->fits && stmt->kind == STMT_PARALLEL) lanes->fits = lower_loop(lanes->arena, lanes->use, stmt, last).interval;
    if (lanes->fits) vec_push(lanes->arena, &lanes->ragged, loop);
}

static void check_loop(Look *lanes, const Stmt *stmt) {
    bool shared = !stmt->value || is_shared(lanes, stmt->value);
    lanes->fits &= !stmt->step || is_shared(lanes, stmt->step);
    for (size_t i = 0; i < stmt->indices.count; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        lanes->fits &= shared && index->filters.count == 0;
        shared = bounds_are_shared(lanes, index);
    }
    if (lanes->fits && !shared) check_ragged(lanes, stmt);
    lanes->loops++;
    lanes->short_loops &= lower_can_be_written_out(stmt);
}

static void check_local(void *data, const Stmt *stmt) {
    *(bool *)data &= stmt->kind == STMT_IF || stmt->kind == STMT_BLOCK || (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR);
}

/* Under a condition of their own, lanes go through such a loop together, of which those have no part for which it does not hold. */
static bool sets_locals(const Stmt *stmt) {
    bool sets = true;
    lower_walk_block(&(Walk){NULL, check_local, &sets}, &stmt->body);
    return sets;
}

static void check_inside(Look *lanes, const Block *block, bool inside_if) {
    const bool reduces = lanes->reduces;
    lanes->reduces = false;
    lanes->depth++;
    check_block(lanes, block, inside_if);
    lanes->depth--;
    lanes->reduces = reduces;
}

/* Rounds of a lane that is through are computed again, with the same result: they set locals alone, and nothing that can fail in them has another
 * value then. Vectors do not divide Integers but by powers of 2. */
static void check_round_expr(void *data, const Expr *expr) {
    Look *lanes = data;
    const bool divides = expr->kind == EXPR_BINARY && (expr->op == OP_DIV || expr->op == OP_MOD) && expr->type->kind == TYPE_INTEGER;
    const int64_t by = divides && expr->right->kind == EXPR_INTEGER ? expr->right->integer : 0;
    lanes->fits &= expr->kind != EXPR_CALL && (!divides || (by > 0 && (by & (by - 1)) == 0));
}

static void check_round_stmt(void *data, const Stmt *stmt) {
    Look *lanes = data;
    const bool sets = stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && lower_is_local_of(lanes->body, stmt->target->var);
    lanes->fits &= sets || stmt->kind == STMT_IF;
}

static void check_while(Look *lanes, const Stmt *stmt, bool inside_if) {
    lanes->fits &= !lanes->reduces || !lower_has_two_sides(&stmt->body);
    lanes->fits &= !inside_if && !lanes->rows && !lanes->anywhere;
    lower_walk_expr(&(Walk){check_round_expr, NULL, lanes}, stmt->value);
    lower_walk_block(&(Walk){check_round_expr, check_round_stmt, lanes}, &stmt->body);
    lanes->loops++;
    lanes->short_loops = false;
    if (lanes->fits) check_inside(lanes, &stmt->body, false);
}

static void check_stmt(Look *lanes, const Stmt *stmt, bool inside_if) {
    switch (stmt->kind) {
    case STMT_ASSIGN: check_assign(lanes, stmt); return;
    case STMT_IF:
        lanes->conditions |= lanes->depth > 0;
        check_block(lanes, &stmt->body, true);
        if (stmt->otherwise) check_block(lanes, stmt->otherwise, true);
        return;
    case STMT_SEQUENCE:
    case STMT_PARALLEL:
        lanes->fits &= !inside_if || lanes->rows || (lanes->depth == 0 && !lanes->anywhere && sets_locals(stmt));
        if (!lanes->rows) check_loop(lanes, stmt);
        lanes->fits &= !inside_if || lanes->ragged.count == 0;
        check_inside(lanes, &stmt->body, inside_if);
        return;
    case STMT_WHILE: check_while(lanes, stmt, inside_if); return;
    case STMT_REDUCE: lanes->fits &= lanes->reduces && stmt->reduce != REDUCE_MAX_ENTRY && stmt->reduce != REDUCE_MIN_ENTRY; return;
    default: lanes->fits = false; return;
    }
}

static void check_block(Look *lanes, const Block *block, bool inside_if) {
    for (size_t i = 0; i < block->locals.count; i++) {
        lanes->fits &= is_value(block->locals.items[i]->type);
    }
    for (size_t i = 0; i < block->statements.count && lanes->fits; i++) check_stmt(lanes, block->statements.items[i], inside_if);
}

/* ---- Rows ------------------------------------------------------------------------------------------------------ */
enum { MOST_APART = 4 }; /* more elements that are loaded one by one take longer than what is gained */

static void check_row_stmt(void *data, const Stmt *stmt) {
    Look *lanes = data;
    const Block *loop = lanes->inner;
    if (stmt->kind != STMT_ASSIGN) {
        lanes->fits &= stmt->kind == STMT_IF;
        return;
    }
    const Var *var = stmt->target->var;
    lanes->fits &= stmt->target->kind == EXPR_VAR;
    if (lanes->fits && type_is_real(var->type) && !lower_is_local_of(loop, var) && lower_expr_mentions(stmt->value, var)) lanes->chain = true;
}

static void check_row_block(Look *lanes, const Block *block) {
    const Block *outer = lanes->inner;
    lanes->inner = block;
    for (size_t i = 0; i < block->statements.count && lanes->fits; i++) {
        const Stmt *stmt = block->statements.items[i];
        const Block alone = {.statements = {.items = block->statements.items + i, .count = 1}};
        if (stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_PARALLEL) {
            check_loop(lanes, stmt);
            check_row_block(lanes, &stmt->body);
        } else {
            lower_walk_block(&(Walk){NULL, check_row_stmt, lanes}, &alone);
        }
    }
    lanes->inner = outer;
}

/* So many rounds as are loaded from several rows at a time, though C compilers write them out. */
static bool is_long_enough(const Stmt *stmt) { return stmt->kind == STMT_SEQUENCE && lower_short_rounds(stmt) >= 8; }

/* Loops that set locals alone, one of which adds up. */
static bool row_goes_together(const Look *look, const Stmt *stmt) {
    Look lanes = *look;
    lanes.chain = lanes.functions = false;
    lanes.short_loops = lanes.fits = true;
    lanes.apart = 0;
    if (stmt->kind != STMT_SEQUENCE && stmt->kind != STMT_PARALLEL) return false;
    if (stmt->kind == STMT_PARALLEL && lower_takes_extremum(stmt)) return false; /* goes in vectors by itself */
    const Block alone = {.statements = {.items = (Stmt *[]){(Stmt *)stmt}, .count = 1}};
    check_row_block(&lanes, &alone);
    if (lanes.fits) lower_walk_block(&(Walk){check_expr, NULL, &lanes}, &alone);
    return lanes.fits && lanes.chain && lanes.apart <= MOST_APART && (!lanes.short_loops || lanes.functions || (lanes.apart > 0 && is_long_enough(stmt)));
}

static Look look_at_rows(const StageUse *use, const Nest *nest) {
    const Loop *loop = nest_innermost(nest);
    return (Look){.use = use, .nest = nest, .body = &nest->stmt->body, .loop = loop, .rows = true,
                  .fits = loop->interval && loop->other_dimension < 0};
}

static void check_kind(void *data, const Expr *expr) {
    Look *lanes = data;
    if (expr->kind != EXPR_ELEMENT) check_expr(lanes, expr);
}

static bool rows_can_go(const StageUse *use, const Nest *nest, bool reduces) {
    Look lanes = look_at_rows(use, nest);
    lanes.reduces = reduces;
    if (!lanes.fits) return false;
    bool together = false;
    for (size_t i = 0; i < lanes.body->statements.count; i++) together |= row_goes_together(&lanes, lanes.body->statements.items[i]);
    if (together) check_block(&lanes, lanes.body, false);
    if (together && lanes.fits) lower_walk_block(&(Walk){check_kind, NULL, &lanes}, lanes.body);
    return together && lanes.fits;
}

bool lower_goes_together(const StageUse *use, const Nest *nest, const Stmt *stmt) {
    if (!nest->lanes.rows) return stmt->kind == STMT_SEQUENCE || (stmt->kind == STMT_WHILE && !nest->lanes.apart) || (stmt->kind == STMT_PARALLEL && !nest->lanes.apart);
    const Look lanes = look_at_rows(use, nest);
    return row_goes_together(&lanes, stmt);
}

/* ---- Along rows ------------------------------------------------------------------------------------------------ */
/* Elements of the next round, if the loop is to keep nothing in registers; no loop, and no division, beside which the others would have a loop of their
 * own. */
static void check_along(void *data, const Stmt *stmt) {
    Look *lanes = data;
    if (stmt->kind != STMT_ASSIGN) lanes->fits &= stmt->kind == STMT_IF;
    else if (stmt->target->kind == EXPR_ELEMENT) lanes->fits &= lower_expr_mentions(stmt->target, lanes->round);
}

static void check_division(void *data, const Expr *expr) {
    const bool divides = expr->kind == EXPR_BINARY && (expr->op == OP_DIV || expr->op == OP_MOD) && expr->type->kind == TYPE_INTEGER;
    ((Look *)data)->fits &= !divides || expr->right->kind == EXPR_INTEGER;
}

/* The body is sequential loops, and elements that are set between them, and nothing but elements goes from one round to the next. */
static bool goes_along(const Look *look) {
    Look lanes = *look;
    const Block *body = lanes.body;
    if (body->locals.count > 0 || lanes.ragged.count > 0 || lanes.sums.count > 0 || lanes.reduces || lanes.carries) return false;
    for (size_t i = 0; i < body->statements.count && lanes.fits; i++) {
        const Stmt *stmt = body->statements.items[i];
        const Block alone = {.statements = {.items = body->statements.items + i, .count = 1}};
        lanes.round = stmt->index;
        if (stmt->kind == STMT_SEQUENCE) lower_walk_block(&(Walk){check_division, check_along, &lanes}, &stmt->body);
        else if (stmt->kind == STMT_ASSIGN) lower_walk_block(&(Walk){check_division, NULL, &lanes}, &alone);
        else lanes.fits = false;
    }
    return lanes.fits;
}

/* ---- Apart ----------------------------------------------------------------------------------------------------- */
bool lower_find_apart(const StageUse *use, Nest *nest) {
    if (!use || nest->has_filters || loop_may(nest_innermost(nest), LOOP_PARALLEL)) return false;
    const Loop *loop = nest_innermost(nest);
    Look lanes = {.use = use, .nest = nest, .body = &nest->stmt->body, .loop = loop, .anywhere = true, .fits = loop->interval && loop->other_dimension < 0};
    if (!lanes.fits || !lower_has_waiting_loop(lanes.body)) return false;
    check_block(&lanes, lanes.body, false);
    if (lanes.fits) lower_walk_block(&(Walk){check_expr, NULL, &lanes}, lanes.body);
    if (!lanes.fits) return false;
    nest->form = FORM_LANES;
    nest->lanes = (Lanes){.apart = true};
    return true;
}

/* ---- All together ------------------------------------------------------------------------------------------ */
static bool can_go(Arena *arena, const StageUse *use, const Nest *nest, size_t inside, Lanes *found) {
    const size_t count = nest->loops.count;
    if (count <= inside) return false;
    const Loop *loop = &nest->loops.items[count - 1 - inside];
    Look lanes = {.use = use, .nest = nest, .body = &nest->stmt->body, .loop = loop, .fits = loop->interval && loop->other_dimension < 0,
                   .loops = inside, .depth = inside, .short_loops = inside == 0, .arena = arena, .reduces = nest->form == FORM_REDUCTION};
    for (size_t l = count - inside; l < count; l++) lanes.fits &= !lower_bounds_mention(nest->loops.items[l].index, loop->index->var);
    check_block(&lanes, lanes.body, false);
    for (size_t i = 0; i < lanes.body->statements.count && lanes.fits; i++) {
        const Block alone = {.statements = {.items = lanes.body->statements.items + i, .count = 1}};
        const StmtKind kind = alone.statements.items[0]->kind;
        lanes.outside = inside == 0 && (kind == STMT_ASSIGN || kind == STMT_IF || kind == STMT_WHILE);
        lower_walk_block(&(Walk){check_expr, NULL, &lanes}, &alone);
    }
    const bool along = inside == 0 && goes_along(&lanes);
    *found = (Lanes){.inside = inside, .conditions = lanes.conditions, .ragged = lanes.ragged, .sums = lanes.sums, .reduces = lanes.reduces, .along = along};
    if (along && lanes.owns) return false; /* long rows have no room for it */
    return lanes.fits && lanes.loops > 0 && (!lanes.short_loops || lanes.functions);
}

bool lower_find_lanes(Arena *arena, const StageUse *use, Nest *nest) {
    const StmtVec *statements = &nest->stmt->body.statements;
    const bool parallel = loop_may(nest_innermost(nest), LOOP_PARALLEL);
    bool rows = !parallel;
    for (size_t i = 0; i < statements->count; i++) rows |= is_long_enough(statements->items[i]);
    if (!use || nest->has_filters || !rows) return false;
    for (size_t inside = 0; inside < 2 && !parallel; inside++) {
        Lanes lanes;
        if (!can_go(arena, use, nest, inside, &lanes)) continue;
        nest->form = FORM_LANES;
        nest->lanes = lanes;
        return true;
    }
    if (!rows_can_go(use, nest, false)) return false;
    nest->form = FORM_LANES;
    nest->lanes = (Lanes){.rows = true};
    return true;
}

void lower_find_reducing_lanes(Arena *arena, const StageUse *use, Nest *nest) {
    if (!use || nest->has_filters) return;
    Lanes lanes;
    if (nest->reduction.any_order && can_go(arena, use, nest, 0, &lanes)) nest->lanes = lanes;
    else nest->lanes.rows = rows_can_go(use, nest, true);
}
