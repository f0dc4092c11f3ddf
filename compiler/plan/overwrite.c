/* Stages that overwrite: what the array held before does not matter to them, and need not move to where they run. Such a stage has,
 * on its way from its first statement to its last, loops over all dimensions of the array with nothing that leaves out an index, in which it assigns
 * the element at these indices; and nothing in front of that reads the array. The loops may run over another array whose LPUs have the same indices,
 * and leave out the first index of one dimension, or the last, where another statement assigns what has that one.
 *
 *     do {
 *         do in sequence { forth[i][j] = … } for i in forth.dimension1.range
 *         do { … forth[i][j] … } for i in forth.dimension1
 *     } for j in forth.dimension2
 *
 * Behind the inner loop, all elements that have the outer one's index have been written: these may be read. So may, in a sequential loop that
 * begins beside the end that has been assigned, what the iteration before has written:
 *
 *     do { u[last][j] = … } for j in u.dimension2
 *     do in sequence {
 *         do { u[i][j] = … u[i + 1][j] … } for j in u.dimension2
 *     } for i in [0...last - 1] step -1
 *
 * Needs: a checked program. Gives: yes, or no where it cannot tell. Breaks: nothing. */
#include "compiler/check/walk.h"
#include "compiler/plan/footprint.h"
#include "compiler/plan/parts.h"

/* An index of a loop, in the loop around it, and what it runs over: of an array of the task all indices, or (`part`) those of the LPU, or from one
 * end to another. */
typedef struct Loops {
    const struct Loops *outer;
    const Var *index;
    PartDimension over;     /* array: NULL, where it has both ends of its own, or it cannot be told */
    bool part;
    const Expr *low, *high; /* ends of its own, or NULL */
    int way;                /* of a sequential loop, 1 or -1; 0: of another one */
} Loops;

enum { FIRST, LAST, SIDES };

/* What statements write of the elements that have the indices of the loops around. */
typedef struct Cover {
    bool all;
    bool ends[MAX_RANK][SIDES]; /* those at the first or the last index of a dimension */
    const Var *index;           /* all but some of those of this dimension, by the loop with this index; or NULL */
    int dimension;
    bool left[SIDES];
} Cover;

/* An element that is read in a loop, which may have written it in the iteration before. */
typedef struct Earlier {
    const Expr *element;
    const Var *index;
    size_t dimension;
} Earlier;

enum { MOST_EARLIER = 16 };

typedef struct Writing {
    const Step *call;
    const Var *array;
    const Expr *target;  /* of the assignment that is met: written, not read */
    const Expr *last;    /* of the latest one that counts */
    const Expr *covers;  /* of one that has written all elements with the indices around; NULL before */
    const Loops *around; /* what is met now */
    Earlier earlier[MOST_EARLIER];
    size_t earlier_count;
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

/* It lies behind the index of a sequential loop, seen as that goes: whether that has been there, its end will tell. */
static bool comes_earlier(Writing *writing, const Expr *element) {
    if (element->kind != EXPR_ELEMENT || element->lag > 0 || writing->earlier_count == MOST_EARLIER) return false;
    for (const Loops *loops = writing->around; loops != NULL; loops = loops->outer)
        for (size_t d = 0; loops->way != 0 && d < element->arguments.count; d++) {
            int64_t literal;
            const Expr *base = expr_without_literal(element->arguments.items[d], &literal);
            if (!is_index(base, loops->index) || literal != -loops->way) continue;
            writing->earlier[writing->earlier_count++] = (Earlier){element, loops->index, d};
            return true;
        }
    return false;
}

static bool spoil_expr(Expr *expr, void *data) {
    Writing *writing = data;
    const bool names = expr->kind == EXPR_ELEMENT || expr->kind == EXPR_VAR;
    if (!names || expr == writing->target || !is_array(writing, expr->var)) return true;
    if (!has_been_written(writing, expr) && !comes_earlier(writing, expr)) writing->spoilt = true;
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
/* `left`: it leaves out the first index, the last. */
static bool runs_over(const Writing *writing, const Loops *loop, PartDimension all, bool left[SIDES]) {
    const Expr *const ends[SIDES] = {loop->low, loop->high};
    if (loop->over.array == NULL && (loop->low == NULL || loop->high == NULL)) return false;
    for (int side = 0; side < SIDES; side++) {
        const int64_t distance = ends[side] == NULL ? 0 : plan_distance(writing->call, ends[side], all, side == LAST);
        if (distance != 0 && distance != 1) return false;
        left[side] = distance == 1;
    }
    if (loop->over.array == NULL) return true;
    return loop->part ? plan_same_parts(writing->call->stage->task, writing->call->lps, loop->over, all) : plan_same_bounds(writing->call->stage->task, loop->over, all);
}

/* Subscripts that are no indices of loops are ends of their dimensions. */
static bool add_ends(const Writing *writing, const Expr *target, const bool *found, Cover *cover) {
    int ends = 0;
    for (size_t d = 0; d < target->arguments.count; d++) {
        if (found[d]) continue;
        for (int side = 0; side < SIDES; side++)
            cover->ends[d][side] = plan_distance(writing->call, target->arguments.items[d], (PartDimension){writing->array, (int)d}, side == LAST) == 0;
        if (ends++ > 0 || cover->index != NULL || !(cover->ends[d][FIRST] || cover->ends[d][LAST])) return false;
    }
    cover->all = ends == 0 && cover->index == NULL;
    return true;
}

/* Each index of the loops runs over a dimension of the array and is the subscript there, and there are no others; one may leave out an end, or one
 * subscript be an end. */
static Cover assigned(Writing *writing, const Expr *target, const Loops *loops) {
    Cover cover = {0};
    bool found[MAX_RANK] = {false};
    if (target->kind != EXPR_ELEMENT || target->lag > 0 || !is_array(writing, target->var)) return cover;
    for (; loops != NULL; loops = loops->outer) {
        size_t d = 0;
        bool left[SIDES];
        while (d < target->arguments.count && (found[d] || !is_index(target->arguments.items[d], loops->index))) d++;
        if (d == target->arguments.count || !runs_over(writing, loops, (PartDimension){writing->array, (int)d}, left)) return (Cover){0};
        found[d] = true;
        if (!left[FIRST] && !left[LAST]) continue;
        if (cover.index != NULL) return (Cover){0};
        cover.index = loops->index;
        cover.dimension = (int)d;
        for (int side = 0; side < SIDES; side++) cover.left[side] = left[side];
    }
    if (!add_ends(writing, target, found, &cover)) return (Cover){0};
    writing->last = target;
    return cover;
}

static void add_cover(Cover *cover, const Cover *more) {
    cover->all = cover->all || more->all;
    for (int d = 0; d < MAX_RANK; d++)
        for (int side = 0; side < SIDES; side++) cover->ends[d][side] = cover->ends[d][side] || more->ends[d][side];
    if (cover->index == NULL && more->index != NULL) {
        cover->index = more->index;
        cover->dimension = more->dimension;
        for (int side = 0; side < SIDES; side++) cover->left[side] = more->left[side];
    }
    if (cover->index == NULL) return;
    bool all = true;
    for (int side = 0; side < SIDES; side++) all = all && (!cover->left[side] || cover->ends[cover->dimension][side]);
    cover->all = cover->all || all;
}

/* All elements that have the indices of the loops. */
static bool is_whole(const Cover *cover, const Loops *loops) {
    bool around = false;
    for (; loops != NULL; loops = loops->outer) around = around || loops->index == cover->index;
    return cover->all || around;
}

static bool is_one(const Expr *step) {
    if (step == NULL) return true;
    if (step->kind == EXPR_UNARY && step->op == OP_NEG) step = step->left;
    return step->kind == EXPR_INTEGER && (step->integer == 1 || step->integer == -1);
}

static int way_of(const Expr *step) { return step == NULL || (step->kind == EXPR_INTEGER && step->integer == 1) ? 1 : -1; }

static Loops over_range(const Writing *writing, const Loops *outer, const Var *index, const Expr *range, const Expr *step) {
    Loops loop = {.outer = outer, .index = index};
    if (range == NULL || !is_one(step)) return loop;
    range = plan_value_of(writing->call, range);
    if (range->kind == EXPR_RANGE) {
        loop.low = range->left;
        loop.high = range->right;
    } else if (range->kind == EXPR_DIM_RANGE) {
        loop.over = (PartDimension){actual(writing, range->var), range->dimension};
        loop.part = range->local;
    }
    return loop;
}

static Loops over_domain(const Writing *writing, const Loops *outer, const LoopIndex *index) {
    const Loops unknown = {.outer = outer, .index = index->var};
    if (index->other_dimension >= 0 || index->lower.count > 1 || index->upper.count > 1 || index->filters.count > 0) return unknown;
    Loops loop = {.outer = outer, .index = index->var, .over = {index->domain_var, index->dimension}, .part = true};
    if (index->domain_var == NULL) loop = over_range(writing, outer, index->var, index->domain_range, NULL);
    else loop.over.array = actual(writing, index->domain_var);
    if (index->lower.count + index->upper.count > 0 && (loop.low != NULL || loop.over.array == NULL)) return unknown;
    if (index->lower.count > 0) loop.low = index->lower.items[0];
    if (index->upper.count > 0) loop.high = index->upper.items[0];
    return loop;
}

static Cover covered(Writing *writing, const Block *block, const Loops *loops);

/* The loop, whose indices from `next` on stand inside of `loops`. */
static Cover covered_at_once(Writing *writing, const Stmt *stmt, size_t next, const Loops *loops) {
    if (next == stmt->indices.count) return covered(writing, &stmt->body, loops);
    const Loops loop = over_domain(writing, loops, &stmt->indices.items[next]);
    return covered_at_once(writing, stmt, next + 1, &loop);
}

/* The iteration before has written it, and in front of the first one the statements that `before` covers. */
static bool was_written(const Writing *writing, const Earlier *earlier, const Cover *inner, const Loops *loop, const Cover *before) {
    const int side = loop->way > 0 ? FIRST : LAST;
    if (inner->index != loop->index || inner->dimension != (int)earlier->dimension || !inner->left[side] || !before->ends[inner->dimension][side]) return false;
    for (size_t d = 0; d < writing->last->arguments.count; d++)
        for (const Loops *outer = loop->outer; outer != NULL; outer = outer->outer)
            if (is_index(writing->last->arguments.items[d], outer->index) && !is_index(earlier->element->arguments.items[d], outer->index)) return false;
    return true;
}

static Cover covered_in_turn(Writing *writing, const Stmt *stmt, const Loops *loops, const Cover *before) {
    Loops loop = over_range(writing, loops, stmt->index, stmt->value, stmt->step);
    const size_t first = writing->earlier_count;
    size_t kept = first;
    loop.way = is_one(stmt->step) ? way_of(stmt->step) : 0;
    const Cover inner = covered(writing, &stmt->body, &loop);
    for (size_t i = first; i < writing->earlier_count; i++) {
        const Earlier *earlier = &writing->earlier[i];
        if (earlier->index != loop.index) writing->earlier[kept++] = *earlier;
        else if (!was_written(writing, earlier, &inner, &loop, before)) writing->spoilt = true;
    }
    writing->earlier_count = kept;
    return inner;
}

/* What the statement covers; in front of it others have covered `before`. */
static Cover covered_by(Writing *writing, Stmt *stmt, const Loops *loops, const Cover *before) {
    const bool loop = stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE;
    if (loop || stmt->kind == STMT_BLOCK) look_at_head(writing, stmt);
    else look_at(writing, stmt);
    if (stmt->kind == STMT_BLOCK) return covered(writing, &stmt->body, loops);
    if (stmt->kind == STMT_PARALLEL) return covered_at_once(writing, stmt, 0, loops);
    if (stmt->kind == STMT_SEQUENCE) return covered_in_turn(writing, stmt, loops, before);
    if (stmt->kind != STMT_ASSIGN || stmt->accumulate != ACCUMULATE_NONE) return (Cover){0};
    return assigned(writing, stmt->target, loops);
}

/* What the block writes of the elements that have the indices of `loops`, and reads none of before. */
static Cover covered(Writing *writing, const Block *block, const Loops *loops) {
    Cover cover = {0};
    for (size_t i = 0; i < block->statements.count && !writing->spoilt; i++) {
        Stmt *stmt = block->statements.items[i];
        const bool whole = is_whole(&cover, loops);
        writing->around = loops;
        if (whole && loops == NULL) break;
        if (whole) {
            look_at(writing, stmt);
            continue;
        }
        const Cover more = covered_by(writing, stmt, loops, &cover);
        add_cover(&cover, &more);
        writing->covers = is_whole(&cover, loops) ? writing->last : NULL;
    }
    return cover;
}

bool footprint_overwrites(const Step *call, const Var *array) {
    Writing writing = {.call = call, .array = array};
    return covered(&writing, &call->stage->body.block, NULL).all && !writing.spoilt;
}
