/* Footprints from the bodies themselves. A subscript that is the same in one whole run of the stage is a POINT; an index of a loop
 * runs over a SPAN where the loop's ends are such values; an element of an Integer array that the stage does not write is
 * INDIRECT; everything else stays in the LPU's PART, as the language demands of every access.
 *
 * Needs: a checked program. Gives: regions. Breaks: nothing. */
#include "compiler/plan/footprint.h"
#include "compiler/check/walk.h"
#include <string.h>

enum { MAX_OFFSET = 1 << 30, MAX_DEPTH = 8 /* of locals that stand for other locals' values */, MAX_REGIONS = 8 /* of one array */ };

/* What the body does with a variable of its own. */
typedef struct Binding {
    const LoopIndex *index; /* a parallel loop runs it */
    const Stmt *sequence;   /* a sequential one does */
    const Expr *value;      /* a local: what it is assigned, */
    int writes;             /* and how often; more than once: not known */
} Binding;

typedef struct Finder {
    Arena *arena;
    const Step *call;  /* NULL: an expression of the flow */
    const Lps *lps;
    Binding *bindings; /* by Var.id of the body */
    VEC(const Var *) written; /* globals, and parameters by the globals that they are bound to */
    RegionVec *regions;
    const Expr *target; /* of the assignment that is met: written, not read */
    bool asked_alone;   /* who writes a part of an element does not count as reading the rest */
    int depth;
} Finder;

/* The global that the body means by `var`; NULL for a constant and for variables of its own. */
static const Var *actual(const Finder *finder, const Var *var) {
    if (var->kind == VAR_GLOBAL) return var;
    const VarVec *params = finder->call == NULL ? NULL : &finder->call->stage->body.params;
    for (size_t i = 0; params != NULL && i < params->count; i++)
        if (params->items[i] == var) return finder->call->arguments.items[i].var;
    return NULL;
}

static bool is_written(const Finder *finder, const Var *var) {
    const Var *global = actual(finder, var);
    for (size_t i = 0; i < finder->written.count; i++)
        if (finder->written.items[i] == var || (global != NULL && finder->written.items[i] == global)) return true;
    return false;
}

static const Expr *root_of(const Expr *place) {
    while (place->kind == EXPR_AT_INDEX || place->kind == EXPR_FIELD || place->kind == EXPR_RANGE_PART) place = place->left;
    return place;
}

/* ---- Who writes what ------------------------------------------------------------------------------------- */
static void note_write(Finder *finder, const Expr *place, const Expr *value) {
    const Expr *root = root_of(place);
    const Var *var = root->var;
    if (var == NULL) return;
    if (var->kind == VAR_LOCAL) {
        Binding *binding = &finder->bindings[var->id];
        binding->writes += root == place && value != NULL ? 1 : 2;
        binding->value = value;
        return;
    }
    vec_push(finder->arena, &finder->written, actual(finder, var) != NULL ? actual(finder, var) : var);
}

static bool bind_stmt(Stmt *stmt, void *data) {
    Finder *finder = data;
    if (stmt->kind == STMT_ASSIGN) note_write(finder, stmt->target, stmt->value);
    if (stmt->kind == STMT_REDUCE && stmt->target->var->kind == VAR_LOCAL) note_write(finder, stmt->target, NULL);
    if (stmt->kind == STMT_SEQUENCE) finder->bindings[stmt->index->id].sequence = stmt;
    for (size_t i = 0; i < stmt->indices.count; i++) finder->bindings[stmt->indices.items[i].var->id].index = &stmt->indices.items[i];
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->uses.count; i++)
        note_write(finder, &(Expr){.kind = EXPR_VAR, .var = stmt->external->uses.items[i]}, NULL);
    return true;
}

static bool bind_expr(Expr *expr, void *data) {
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->arguments.count; i++)
        if (expr->function->body.params.items[i]->by_reference) note_write(data, expr->arguments.items[i], NULL);
    return true;
}

/* ---- Values that stay the same --------------------------------------------------------------------------------- */
static const Expr *steady(Finder *finder, const Expr *expr);

/* The one value of a local that is assigned once. */
static const Expr *value_of(const Finder *finder, const Var *var) {
    if (var->kind != VAR_LOCAL || finder->bindings == NULL) return NULL;
    const Binding *binding = &finder->bindings[var->id];
    return binding->writes == 1 ? binding->value : NULL;
}

/* The same about the global that a parameter stands for. */
static const Expr *of_global(const Finder *finder, const Expr *expr) {
    const Var *global = actual(finder, expr->var);
    if (global == NULL || global == expr->var) return expr;
    Expr *copy = ARENA_NEW(finder->arena, Expr);
    *copy = *expr;
    copy->var = (Var *)global;
    return copy;
}

static const Expr *constant_of(const Finder *finder, const Var *var) {
    const VarVec *params = finder->call == NULL ? NULL : &finder->call->stage->body.params;
    for (size_t i = 0; params != NULL && i < params->count; i++)
        if (params->items[i] == var) return finder->call->arguments.items[i].constant;
    return NULL;
}

static const Expr *steady_var(Finder *finder, const Expr *expr) {
    if (expr->var->kind == VAR_INDEX || var_is_array(expr->var)) return NULL;
    if (expr->var->kind == VAR_PARAM && constant_of(finder, expr->var) != NULL) return is_written(finder, expr->var) ? NULL : constant_of(finder, expr->var);
    if (expr->var->kind != VAR_LOCAL) return is_written(finder, expr->var) ? NULL : of_global(finder, expr);
    const Expr *value = value_of(finder, expr->var);
    if (value == NULL || value->type != expr->type || expr->var->type->stored_single || finder->depth >= MAX_DEPTH) return NULL;
    finder->depth++;
    const Expr *result = steady(finder, value);
    finder->depth--;
    return result;
}

static bool divides(const Expr *expr) {
    if (expr->op != OP_DIV && expr->op != OP_MOD && expr->op != OP_POW && expr->op != OP_SHL && expr->op != OP_SHR) return false;
    return !(expr->right->kind == EXPR_INTEGER && expr->right->integer > 0 && expr->op != OP_POW);
}

/* The expression with the values of locals in their places, or NULL if it may change while the stage runs, or ends the program. */
static const Expr *steady(Finder *finder, const Expr *expr) {
    switch (expr->kind) {
    case EXPR_INTEGER: return expr;
    case EXPR_DIM_RANGE: return of_global(finder, expr);
    case EXPR_VAR: return steady_var(finder, expr);
    case EXPR_LPU_ID: return expr->left->kind == EXPR_INTEGER ? expr : NULL;
    case EXPR_RANGE_PART:
    case EXPR_RANGE:
    case EXPR_UNARY:
    case EXPR_FIELD: break;
    case EXPR_CONVERT:
        if (expr->left->type->kind != TYPE_INTEGER) return NULL;
        break;
    case EXPR_BINARY:
        if (divides(expr)) return NULL;
        break;
    default: return NULL;
    }
    const Expr *left = expr->left == NULL ? NULL : steady(finder, expr->left), *right = expr->right == NULL ? NULL : steady(finder, expr->right);
    if ((expr->left != NULL && left == NULL) || (expr->right != NULL && right == NULL)) return NULL;
    if (left == expr->left && right == expr->right) return expr;
    Expr *copy = ARENA_NEW(finder->arena, Expr);
    *copy = *expr;
    copy->left = (Expr *)left;
    copy->right = (Expr *)right;
    return copy;
}

static const Expr *first_steady(Finder *finder, const ExprVec *exprs) {
    for (size_t i = 0; i < exprs->count; i++) {
        const Expr *found = steady(finder, exprs->items[i]);
        if (found != NULL) return found;
    }
    return NULL;
}

/* ---- One subscript ---------------------------------------------------------------------------------------------- */
static RegionDim span(const Expr *low, const Expr *high) {
    return low == NULL && high == NULL ? (RegionDim){.kind = REGION_PART} : (RegionDim){.kind = REGION_SPAN, .low = low, .high = high};
}

static RegionDim subscript_dim(Finder *finder, const Expr *expr);

/* What a loop's end is at most, or at least: of min(a, b) either is at most what it was asked for, and of `i - 1`, with an index i of a loop
 * around, what i runs to. NULL: not known. */
static const Expr *range_end(Finder *finder, const Expr *end, bool high) {
    const Expr *found = steady(finder, end);
    if (found != NULL || finder->bindings == NULL || finder->depth >= MAX_DEPTH) return found;
    finder->depth++;
    const Expr *value = end->kind == EXPR_VAR ? value_of(finder, end->var) : NULL;
    if (end->kind == EXPR_MATH && strcmp(end->math, high ? "llmin" : "llmax") == 0) {
        for (size_t i = 0; i < end->arguments.count && found == NULL; i++) found = range_end(finder, end->arguments.items[i], high);
    } else if (value != NULL && value->type == end->type && !end->var->type->stored_single) {
        found = range_end(finder, value, high);
    } else {
        const RegionDim dim = subscript_dim(finder, end);
        if (dim.kind == REGION_SPAN) found = high ? dim.high : dim.low;
    }
    finder->depth--;
    return found;
}

static void range_ends(Finder *finder, const Expr *range, const Expr **low, const Expr **high) {
    *low = *high = NULL;
    if (range == NULL || range->kind != EXPR_RANGE) return;
    *low = range_end(finder, range->left, false);
    *high = range_end(finder, range->right, true);
}

static RegionDim index_dim(Finder *finder, const Var *index) {
    const Binding *binding = &finder->bindings[index->id];
    const Expr *low, *high;
    range_ends(finder, binding->index != NULL ? binding->index->domain_range : binding->sequence != NULL ? binding->sequence->value : NULL, &low, &high);
    if (binding->index != NULL && low == NULL) low = first_steady(finder, &binding->index->lower);
    if (binding->index != NULL && high == NULL) high = first_steady(finder, &binding->index->upper);
    RegionDim dim = span(low, high);
    if (binding->index != NULL && binding->index->domain_var != NULL) {
        dim.of = actual(finder, binding->index->domain_var);
        dim.of_dimension = binding->index->dimension;
    }
    return dim;
}

const Expr *expr_without_literal(const Expr *expr, int64_t *literal) {
    *literal = 0;
    if (expr->kind != EXPR_BINARY || (expr->op != OP_ADD && expr->op != OP_SUB) || expr->right->kind != EXPR_INTEGER) return expr;
    *literal = expr->op == OP_ADD ? expr->right->integer : -expr->right->integer;
    return expr->left;
}

/* `end` plus or minus `by`, as `sum` says; literals at its end are one. */
static const Expr *moved(Finder *finder, const Expr *end, const Expr *sum, const Expr *by) {
    if (end == NULL) return NULL;
    Expr *copy = ARENA_NEW(finder->arena, Expr);
    *copy = *sum;
    copy->left = (Expr *)end;
    copy->right = (Expr *)by;
    int64_t before, more = by->kind == EXPR_INTEGER ? by->integer : 0;
    const Expr *base = expr_without_literal(end, &before);
    if (more == 0 || more > 1000 || before > 1000 || before < -1000) return copy;
    int64_t both = before + (sum->op == OP_ADD ? more : -more);
    if (both == 0) return base;
    Expr *literal = ARENA_NEW(finder->arena, Expr);
    *literal = *by;
    literal->integer = both < 0 ? -both : both;
    copy->op = both < 0 ? OP_SUB : OP_ADD;
    copy->left = (Expr *)base;
    copy->right = literal;
    return copy;
}

/* i + e and i - e, where e stays the same: what i runs over, moved. Open ends stay those of the part. */
static RegionDim sum_dim(Finder *finder, const Expr *sum) {
    const Expr *left = sum->left, *by = steady(finder, sum->right);
    if (by == NULL && sum->op == OP_ADD) {
        left = sum->right;
        by = steady(finder, sum->left);
    }
    if (by == NULL) return span(NULL, NULL);
    RegionDim dim = subscript_dim(finder, left);
    if (dim.kind == REGION_INDIRECT && by->kind == EXPR_INTEGER && by->integer > -MAX_OFFSET && by->integer < MAX_OFFSET) {
        dim.offset += sum->op == OP_ADD ? by->integer : -by->integer;
        return dim;
    }
    if (dim.kind != REGION_SPAN) return span(NULL, NULL); /* of nobody's part any more */
    return span(moved(finder, dim.low, sum, by), moved(finder, dim.high, sum, by));
}

static Region *region_of(Finder *finder, const Expr *element, bool write) {
    Region *region = ARENA_NEW(finder->arena, Region);
    const Var *global = actual(finder, element->var);
    *region = (Region){.var = global == NULL ? element->var : global, .lps = global == NULL ? finder->lps : lps_holder(finder->lps, global), .write = write,
                       .lag = element->lag, .rank = element->var->type->rank};
    for (int d = 0; d < region->rank; d++) {
        RegionDim *dim = &region->dims[d];
        *dim = subscript_dim(finder, element->arguments.items[d]);
        dim->own = finder->call != NULL && region_dim_is_own(finder->call->stage->task, region, d);
        /* the part of what lies in the same Space says nothing new */
        if (dim->of != NULL && lps_is_within(region->lps, lps_holder(finder->lps, dim->of))) {
            dim->of = NULL;
            dim->of_dimension = 0;
        }
    }
    return region;
}

static RegionDim subscript_dim(Finder *finder, const Expr *expr) {
    while (expr->kind == EXPR_CONVERT && expr->left->type->kind == TYPE_INTEGER) expr = expr->left;
    const Expr *same = steady(finder, expr);
    if (same != NULL) return (RegionDim){.kind = REGION_POINT, .low = same, .high = same};
    if (expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB)) return sum_dim(finder, expr);
    if (expr->kind == EXPR_ELEMENT && expr->type->kind == TYPE_INTEGER && !is_written(finder, expr->var))
        return (RegionDim){.kind = REGION_INDIRECT, .values = region_of(finder, expr, false)};
    if (expr->kind != EXPR_VAR) return span(NULL, NULL);
    if (expr->var->kind == VAR_INDEX) return index_dim(finder, expr->var);
    const Expr *value = value_of(finder, expr->var);
    if (value == NULL || value->type->kind != TYPE_INTEGER || expr->var->type->stored_single || finder->depth >= MAX_DEPTH) return span(NULL, NULL);
    finder->depth++;
    RegionDim dim = subscript_dim(finder, value);
    finder->depth--;
    return dim;
}

/* ---- Regions ------------------------------------------------------------------------------------------------------ */
static bool same_expr(const Expr *a, const Expr *b) {
    if (a == b) return true;
    if (a == NULL || b == NULL || a->kind != b->kind || a->type != b->type || a->var != b->var || a->lag != b->lag) return false;
    if (a->integer != b->integer || a->op != b->op || a->field != b->field || a->dimension != b->dimension || a->local != b->local || a->part != b->part) return false;
    if (a->arguments.count != b->arguments.count || !same_expr(a->left, b->left) || !same_expr(a->right, b->right)) return false;
    for (size_t i = 0; i < a->arguments.count; i++)
        if (!same_expr(a->arguments.items[i], b->arguments.items[i])) return false;
    return true;
}

bool region_dim_equal(const RegionDim *a, const RegionDim *b) {
    if (a->kind != b->kind || a->of != b->of || a->of_dimension != b->of_dimension) return false;
    if (!same_expr(a->low, b->low) || !same_expr(a->high, b->high)) return false;
    return a->kind != REGION_INDIRECT || (a->offset == b->offset && region_equal(a->values, b->values));
}

/* The end that is further out, of two that differ by literals alone; NULL: not known. */
static const Expr *outer_end(const Expr *a, const Expr *b, bool high) {
    if (a == NULL || b == NULL) return NULL;
    int64_t of_a, of_b;
    const Expr *base_a = expr_without_literal(a, &of_a), *base_b = expr_without_literal(b, &of_b);
    if (same_expr(a, b)) return a;
    if (!same_expr(base_a, base_b)) return NULL;
    return (of_a > of_b) == high ? a : b;
}

RegionDim region_dim_hull(const RegionDim *a, const RegionDim *b) {
    if (a->kind != REGION_SPAN || b->kind != REGION_SPAN || a->of != NULL || b->of != NULL) return span(NULL, NULL);
    return span(outer_end(a->low, b->low, false), outer_end(a->high, b->high, true));
}

bool region_equal(const Region *a, const Region *b) {
    if (a->var != b->var || a->lps != b->lps || a->write != b->write || a->lag != b->lag) return false;
    for (int d = 0; d < a->rank; d++)
        if (!region_dim_equal(&a->dims[d], &b->dims[d])) return false;
    return true;
}

int region_rank(const RegionDim *dim) {
    if (dim->kind == REGION_POINT) return 0;
    if (dim->kind == REGION_INDIRECT || dim->of != NULL) return 1;
    return dim->kind == REGION_SPAN ? 2 : 3;
}

static bool is_whole_part(const Region *region) {
    for (int d = 0; d < region->rank; d++)
        if (region->dims[d].kind != REGION_PART || region->dims[d].of != NULL) return false;
    return true;
}

/* It stands for the other one as well. */
static void join_own(Region *region, const Region *other) {
    for (int d = 0; d < region->rank; d++) region->dims[d].own = region->dims[d].own && other->dims[d].own;
}

/* Each once; of one array as a whole where it is that anyway, or where there would be too many. */
static void add_region(Finder *finder, Region *region) {
    size_t same = 0, kept = 0;
    RegionVec *regions = finder->regions;
    for (size_t i = 0; i < regions->count; i++) {
        Region *known = regions->items[i];
        bool of_same = known->var == region->var && known->write == region->write && known->lag == region->lag;
        if (region_equal(known, region) || (of_same && is_whole_part(known))) {
            join_own(known, region);
            return;
        }
        same += of_same;
    }
    if (same >= MAX_REGIONS)
        for (int d = 0; d < region->rank; d++) region->dims[d] = span(NULL, NULL);
    for (size_t i = 0; i < regions->count; i++) {
        const Region *known = regions->items[i];
        bool within = is_whole_part(region) && known->var == region->var && known->write == region->write && known->lag == region->lag;
        if (within) join_own(region, known);
        else regions->items[kept++] = regions->items[i];
    }
    regions->count = kept;
    vec_push(finder->arena, regions, region);
}

static void add_all(Finder *finder, const Var *var, bool write) {
    Region *region = ARENA_NEW(finder->arena, Region);
    const Var *global = actual(finder, var);
    *region = (Region){.var = global == NULL ? var : global, .lps = global == NULL ? finder->lps : lps_holder(finder->lps, global), .write = write,
                       .rank = var->type->rank};
    for (int d = 0; d < region->rank; d++) region->dims[d] = span(NULL, NULL);
    add_region(finder, region);
}

static bool touch_stmt(Stmt *stmt, void *data) {
    Finder *finder = data;
    finder->target = NULL;
    if (stmt->kind == STMT_ASSIGN && root_of(stmt->target)->kind == EXPR_ELEMENT) {
        const Expr *root = root_of(stmt->target);
        add_region(finder, region_of(finder, root, true));
        if (root == stmt->target || finder->asked_alone) finder->target = root;
    }
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->uses.count; i++) {
        const Var *var = stmt->external->uses.items[i];
        if (!var_is_array(var)) continue;
        add_all(finder, var, false);
        add_all(finder, var, true);
    }
    return true;
}

static bool touch_expr(Expr *expr, void *data) {
    Finder *finder = data;
    if (expr->kind == EXPR_ELEMENT && expr != finder->target) add_region(finder, region_of(finder, expr, false));
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->arguments.count; i++) {
        const Expr *root = root_of(expr->arguments.items[i]);
        if (expr->function->body.params.items[i]->by_reference && root->kind == EXPR_ELEMENT) add_region(finder, region_of(finder, root, true));
    }
    return true;
}

static RegionVec regions_of_call(Arena *arena, const Step *call, bool asked_alone) {
    RegionVec regions = {0};
    Body *body = &call->stage->body;
    Finder finder = {.arena = arena, .call = call, .lps = call->lps, .regions = &regions, .asked_alone = asked_alone,
                     .bindings = ARENA_ARRAY(arena, Binding, body->vars.count + 1)};
    walk_block(&body->block, bind_stmt, bind_expr, &finder);
    walk_block(&body->block, touch_stmt, touch_expr, &finder);
    return regions;
}

RegionVec footprint_of_reads(Arena *arena, const Step *call) {
    const RegionVec regions = regions_of_call(arena, call, true);
    RegionVec reads = {0};
    for (size_t i = 0; i < regions.count; i++)
        if (!regions.items[i]->write) vec_push(arena, &reads, regions.items[i]);
    return reads;
}

/* Of an array that is overwritten one region has all of it. */
static void join_overwritten(const Step *call, RegionVec *regions, size_t first) {
    Region *all = regions->items[first];
    size_t kept = first + 1;
    for (int d = 0; d < all->rank; d++) {
        all->dims[d] = span(NULL, NULL);
        all->dims[d].own = region_dim_is_own(call->stage->task, all, d);
    }
    for (size_t i = kept; i < regions->count; i++)
        if (!regions->items[i]->write || regions->items[i]->var != all->var) regions->items[kept++] = regions->items[i];
    regions->count = kept;
}

RegionVec footprint_of_call(Arena *arena, const Step *call) {
    RegionVec regions = regions_of_call(arena, call, false);
    for (size_t i = 0; i < regions.count; i++) {
        Region *region = regions.items[i];
        region->overwritten = region->write && footprint_overwrites(call, region->var);
        if (region->overwritten) join_overwritten(call, &regions, i);
    }
    return regions;
}

RegionVec footprint_of_expr(Arena *arena, const Expr *expr, const Lps *lps) {
    RegionVec regions = {0};
    Finder finder = {.arena = arena, .lps = lps, .regions = &regions};
    if (expr != NULL) walk_expr((Expr *)expr, touch_expr, &finder);
    return regions;
}

/* ---- Joined ------------------------------------------------------------------------------------------------------------- */
/* The end is the part's or the array's, or lies beyond it. */
static bool is_outer_end(const Expr *end, const Var *var, int d, bool high) {
    int64_t literal;
    const Expr *base = end == NULL ? NULL : expr_without_literal(end, &literal);
    if (base == NULL) return true;
    if (base->kind != EXPR_RANGE_PART || base->part != (high ? RANGE_MAX : RANGE_MIN) || base->left->kind != EXPR_DIM_RANGE) return false;
    return base->left->var == var && base->left->dimension == d && (high ? literal >= 0 : literal <= 0);
}

RegionDim region_dim_joined(const Region *a, const Region *b, int d) {
    const RegionDim both = region_dim_hull(&a->dims[d], &b->dims[d]);
    const bool all = is_outer_end(both.low, a->var, d, false) && is_outer_end(both.high, a->var, d, true);
    return all ? span(NULL, NULL) : both;
}
