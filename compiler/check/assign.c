/* Assignments: to locals and places, chains, slices, and the bounds that Initialize sets. */
#include <string.h>
#include "compiler/check/tasks.h"

static void push_assign(BodyCheck *c, Expr *target, Expr *value, Span span, Block *out) {
    Stmt *stmt = stmt_new(c, STMT_ASSIGN, span);
    stmt->target = target;
    stmt->value = value;
    bool place = target->kind == EXPR_ELEMENT || target->kind == EXPR_AT_INDEX
              || (target->kind == EXPR_VAR && target->var->kind == VAR_LOCAL);
    bool sum = value->kind == EXPR_BINARY && (value->op == OP_ADD || value->op == OP_SUB);
    /* x = x ± a*b on Reals of one type rounds once. */
    if (place && sum && type_is_real(value->type) && expr_equal(target, value->left) && value->right->kind == EXPR_BINARY
        && value->right->op == OP_MUL && value->right->type == value->type) {
        stmt->accumulate = value->op == OP_ADD ? ACCUMULATE_FMA : ACCUMULATE_FMS;
        stmt->factor_a = value->right->left;
        stmt->factor_b = value->right->right;
    }
    vec_push(c->arena, &out->statements, stmt);
}

/* ---- Locals ---------------------------------------------------------------------------- */
static void assign_local(BodyCheck *c, Local *local, const AstExpr *target, const AstExpr *ast, Span span, Block *out) {
    Expr *value = c->place == IN_COORDINATOR ? check_any(c, ast) : check_value(c, ast);
    if (value == NULL) return;
    if (value->type != NULL && value->type->kind == TYPE_VOID) {
        check_value(c, ast);
        return;
    }
    if (c->place == IN_COORDINATOR && value->kind == EXPR_ARG)
        arg_describe(c, value, arena_printf(c->arena, "value of %s in the coordinator", local->name));
    local_contribute(c, local, value, target->span);
    warn_unit_quotient(c, value);
    if (local->var != NULL) local_note_change(c, expr_var(c, local->var, target->span), ast, value);
    if (c->dry || !expr_known(c, value) || local->type == NULL || local->var == NULL) return;
    bool numbers = type_is_numeric(value->type) && type_is_numeric(local->type);
    if (value->type != local->type && !numbers) return;   /* the conflict is reported with the whole body */
    Expr *place = expr_var(c, local->var, target->span);
    if (type_is_real(local->type)) warn_whole_quotient(c, value);
    push_assign(c, place, numbers ? expr_convert(c, value, local->type) : value, span, out);
}

/* ---- Slices ------------------------------------------------------------------------------ */
static const char *fresh_index_name(BodyCheck *c, const Stmt *loop) {
    static const char *const usual[] = {"i", "j", "k", "m", "n", "p", "q", "r"};
    for (size_t attempt = 0;; attempt++) {
        const char *name = attempt < 8 ? usual[attempt] : arena_printf(c->arena, "index%zu", attempt - 7);
        bool taken = name_find(c, name).kind != NAME_UNKNOWN;
        for (size_t i = 0; i < loop->indices.count; i++)
            if (strcmp(loop->indices.items[i].var->name, name) == 0) taken = true;
        if (!taken) return name;
    }
}

static Expr *and_both(BodyCheck *c, Expr *a, Expr *b) {
    return a == NULL ? b : expr_binary(c, OP_AND, a, b, basic(c, BASIC_BOOLEAN));
}

/* One sliced dimension of the target: a loop index over it, narrowed when the subscript is a range. */
static bool add_slice_index(BodyCheck *c, Stmt *loop, Slice *slice, int dimension, const AstExpr *subscript, Expr **condition) {
    Span span = subscript == NULL ? loop->span : subscript->span;
    Type *integer = basic(c, BASIC_INTEGER), *boolean = basic(c, BASIC_BOOLEAN);
    SliceDim dim = {.dimension = dimension, .extent = -1};
    Expr *first = NULL, *last = NULL;
    if (subscript != NULL && subscript->kind == AST_RANGE) {
        first = check_value_as(c, subscript->left, integer, "the start of a range");
        last = check_value_as(c, subscript->right, integer, "the end of a range");
        if (first == NULL || last == NULL) return false;
        dim.origin = first;
        if (first->kind == EXPR_INTEGER && last->kind == EXPR_INTEGER) dim.extent = last->integer - first->integer + 1;
    }
    dim.index = body_add_var(c, VAR_INDEX, fresh_index_name(c, loop), integer, span);
    LoopIndex index = {.var = dim.index, .domain_var = slice->target, .dimension = dimension, .other_dimension = -1, .span = span};
    vec_push(c->arena, &loop->indices, index);
    slice->dims[slice->count++] = dim;
    if (first != NULL) {
        *condition = and_both(c, *condition, expr_binary(c, OP_GE, expr_var(c, dim.index, span), first, boolean));
        *condition = and_both(c, *condition, expr_binary(c, OP_LE, expr_var(c, dim.index, span), last, boolean));
    }
    return true;
}

/* The subscripts of the target, first dimension first; returns how many there are. */
static size_t target_subscripts(const AstExpr *target, const AstExpr **subscripts, const AstExpr **base) {
    while (target->kind == AST_AT) target = target->left;
    size_t count = 0;
    for (const AstExpr *at = target; at->kind == AST_INDEX; at = at->left) count++;
    size_t place = count;
    for (; target->kind == AST_INDEX; target = target->left)
        if (--place < MAX_RANK) subscripts[place] = target->right;
    *base = target;
    return count;
}

static bool open_slice(BodyCheck *c, Stmt *loop, Slice *slice, const AstExpr *target, Expr **condition) {
    const AstExpr *subscripts[MAX_RANK] = {0}, *base;
    size_t count = target_subscripts(target, subscripts, &base);
    Expr *array = check_any(c, base);
    if (array == NULL) return false;
    if (array->kind != EXPR_VAR || array->type == NULL || array->type->kind != TYPE_ARRAY) {
        if (array->type != NULL)
            diag_error(c->check->diags, E_SLICE_PLACE, target->span, "only arrays of the task can be assigned in slices, this is part of %s", array->type->text);
        return false;
    }
    slice->target = array->var;
    for (int i = 0; i < array->type->rank; i++) {
        if (count > 0 && (size_t)i >= count) break;
        const AstExpr *subscript = count == 0 ? NULL : subscripts[i];
        if (subscript != NULL && subscript->kind != AST_ALL && subscript->kind != AST_RANGE) continue;
        if (!add_slice_index(c, loop, slice, i, subscript, condition)) return false;
    }
    return true;
}

/* ---- u[1...5] = u[0...4]: some elements are read when they have been assigned ---- */
typedef struct Overlap { BodyCheck *c; const Slice *slice; const Expr *place; } Overlap;

/* How far the subscript is from the index of the target's slice: a literal; false: it is something else. */
static bool slice_shift(const Expr *subscript, const Var *index, int64_t *shift) {
    const bool sum = subscript->kind == EXPR_BINARY && (subscript->op == OP_ADD || subscript->op == OP_SUB) && subscript->right->kind == EXPR_INTEGER;
    const Expr *base = sum ? subscript->left : subscript;
    *shift = !sum ? 0 : subscript->op == OP_ADD ? subscript->right->integer : -subscript->right->integer;
    return base->kind == EXPR_VAR && base->var == index;
}

static bool note_overlap(Expr *expr, void *data) {
    const Overlap *overlap = data;
    const Expr *place = overlap->place;
    if (expr->kind != EXPR_ELEMENT || place->kind != EXPR_ELEMENT || expr->var != place->var || expr->lag != place->lag) return true;
    bool elsewhere = false;
    size_t sliced = 0;
    for (size_t d = 0; d < expr->arguments.count; d++) {
        const Expr *subscript = expr->arguments.items[d], *target = place->arguments.items[d];
        const SliceDim *dim = sliced < (size_t)overlap->slice->count && overlap->slice->dims[sliced].dimension == (int)d ? &overlap->slice->dims[sliced] : NULL;
        int64_t shift;
        if (dim == NULL && !expr_equal(subscript, target)) return true;
        if (dim == NULL) continue;
        sliced++;
        if (!slice_shift(subscript, dim->index, &shift)) return true;
        if (shift != 0 && (shift >= dim->extent || -shift >= dim->extent)) return true;
        elsewhere = elsewhere || shift != 0;
    }
    if (!elsewhere) return true;
    BodyCheck *c = overlap->c;
    Diag *d = diag_warning(c->check->diags, W_SLICES_OVERLAP, expr->span, "%s overlaps %s, which it is assigned to: elements are assigned in no order, and some are read behind that",
                           body_text(c, expr->span), body_text(c, place->span));
    diag_help(d, "for a copy of what was there before, copy it to another array first, in a statement of its own, or read the version before: … at (current - 1)");
    return true;
}

static void assign_slice(BodyCheck *c, const AstExpr *target, const AstExpr *value, Span span, Block *out) {
    if (c->place != IN_STAGE) {
        Diag *d = diag_error(c->check->diags, E_SLICE_PLACE, span, "slices of arrays are assigned only in stages, this is %s", c->body_kind);
        diag_help(d, "arrays get their elements in the stages of a task");
        return;
    }
    Stmt *loop = stmt_new(c, STMT_PARALLEL, span);
    Slice slice = {0};
    Expr *condition = NULL;
    if (!open_slice(c, loop, &slice, target, &condition)) return;
    c->slice = &slice;
    Expr *place = check_value(c, target);
    int before = slice.uses;
    Expr *source = place == NULL ? NULL : check_value(c, value);
    c->slice = NULL;
    if (place == NULL || source == NULL || !place_writable(c, place, "assign to")) return;
    if (slice.uses == before && !ast_has_slice(target)) {
        Diag *d = diag_error(c->check->diags, E_WHOLE_ARRAY, target->span, "one value is assigned to a whole array (%s)", slice.target->type->text);
        diag_help(d, "write %s%s = … to give all elements this value", slice.target->name, slice.target->type->rank == 1 ? "[...]" : "[...][...]");
        if (slice.target->kind == VAR_GLOBAL) diag_help(d, "or, if a local is meant, give it another name: '%s' is an array of the task", slice.target->name);
        return;
    }
    source = expr_coerce(c, source, place_storage(place), true, "the value assigned");
    if (source == NULL) return;
    walk_expr(source, note_overlap, &(Overlap){c, &slice, place});
    loop->body.span = span;
    push_assign(c, place, source, span, &loop->body);
    if (condition != NULL) bounds_classify(c, loop, condition);
    vec_push(c->arena, &out->statements, loop);
}

/* ---- Bounds in Initialize -------------------------------------------------------------------- */
static bool bounds_target(BodyCheck *c, const DimRef *ref, Var *var) {
    Diag *d;
    if (ref->part == RANGE_LENGTH) {
        d = diag_error(c->check->diags, E_SET_BOUNDS, ref->span, "the length of a range follows from its bounds");
        diag_help(d, "set .range.min and .range.max, or assign a range: [0...n - 1]");
        return false;
    }
    if (ref->part >= 0 && ref->dimension < 0 && var->type->rank > 1) {
        d = diag_error(c->check->diags, E_SET_BOUNDS, ref->span, "'dimension' means all %d dimensions of '%s', and one bound is given", var->type->rank, var->name);
        diag_help(d, "set dimension1 … dimension%d one by one", var->type->rank);
        return false;
    }
    return true;
}

/* `x.dimension = y.dimension`, or `x.dimensionK = y.dimensionL`. False when `ast` is no such source. */
static bool bounds_source(BodyCheck *c, Stmt *stmt, const DimRef *target, const AstExpr *ast, bool *failed) {
    DimRef ref;
    if (!dimref_match(ast, &ref) || ref.part >= 0) return false;
    *failed = true;
    Var *source = dimref_array(c, &ref);
    if (source == NULL) return true;
    int rank = stmt->var->type->rank, source_rank = source->type->rank;
    bool all = target->dimension < 0 && rank > 1;
    bool source_all = ref.dimension < 0 && source_rank > 1;
    if (all != source_all || (all && rank != source_rank)) {
        Diag *d = diag_error(c->check->diags, E_SET_BOUNDS, ref.span, "'%s' has %d dimension%s to set, this gives %d", stmt->var->name,
                             all ? rank : 1, all && rank > 1 ? "s" : "", source_all ? source_rank : 1);
        diag_help(d, "name single dimensions: x.dimension1 = y.dimension1");
        return true;
    }
    *failed = false;
    stmt->dimension = all ? -1 : target->dimension < 0 ? 0 : target->dimension;
    stmt->source_var = source;
    stmt->source_dimension = all ? -1 : ref.dimension < 0 ? 0 : ref.dimension;
    stmt->whole_range = true;
    if (all) return true;
    Expr *range = expr_new(c, EXPR_DIM_RANGE, basic(c, BASIC_RANGE), ref.span);
    range->var = source;
    range->dimension = stmt->source_dimension;
    stmt->value = range;
    return true;
}

static void assign_bounds(BodyCheck *c, const DimRef *ref, const AstExpr *value, Span span, Block *out) {
    Var *var = dimref_array(c, ref);
    if (var == NULL) return;
    if (!bounds_target(c, ref, var)) {
        if (ref->part >= 0) check_value_as(c, value, basic(c, BASIC_INTEGER), "a bound");
        return;
    }
    Stmt *stmt = stmt_new(c, STMT_SET_BOUNDS, span);
    stmt->var = var;
    stmt->dimension = ref->dimension < 0 ? 0 : ref->dimension;
    bool failed = false;
    if (ref->part >= 0) {
        stmt->part = (RangePart)ref->part;
        stmt->value = check_value_as(c, value, basic(c, BASIC_INTEGER), "a bound");
        failed = stmt->value == NULL;
    } else if (!bounds_source(c, stmt, ref, value, &failed)) {
        if (ref->dimension < 0 && var->type->rank > 1) {
            Diag *d = diag_error(c->check->diags, E_SET_BOUNDS, value->span, "all %d dimensions of '%s' get their bounds from another array only", var->type->rank, var->name);
            diag_help(d, "write %s.dimension = other.dimension, or set each dimension", var->name);
            return;
        }
        stmt->whole_range = true;
        stmt->value = check_value_as(c, value, basic(c, BASIC_RANGE), "the bounds of a dimension");
        failed = stmt->value == NULL;
    }
    if (!failed) vec_push(c->arena, &out->statements, stmt);
}

/* ---- One assignment, and chains ------------------------------------------------------------------ */
static bool is_whole_array(BodyCheck *c, const AstExpr *target) {
    while (target->kind == AST_AT) target = target->left;
    if (target->kind != AST_NAME) return false;
    NameRef ref = name_find(c, target->name.text);
    return ref.kind != NAME_LOCAL && ref.var != NULL && ref.var->type != NULL && ref.var->type->kind == TYPE_ARRAY;
}

/* `t[0] = 1` where no t was made. */
static bool report_unmade_array(BodyCheck *c, const AstExpr *target) {
    const AstExpr *root = target;
    int count = 0;
    for (; root->kind == AST_INDEX; root = root->left) count++;
    if (root == target || root->kind != AST_NAME || name_find(c, root->name.text).kind != NAME_UNKNOWN) return false;
    c->subscripts = count;
    Diag *d = name_report_unknown(c, root->name.text, root->span);
    c->subscripts = 0;
    if (!diag_has_help(d)) /* else a name is misspelt, or missing in Define */
        diag_help(d, "a static array is made before its elements are set: %s = new Array[4] of Integer", root->name.text);
    return true;
}

static void assign_one(BodyCheck *c, const AstExpr *target, const AstExpr *value, Span span, Block *out) {
    if (c->place == IN_COORDINATOR && check_coordinator_assign(c, target, value, span, out)) return;
    DimRef bounds;
    if (c->place == IN_INITIALIZE && dimref_match(target, &bounds)) {
        assign_bounds(c, &bounds, value, span, out);
        return;
    }
    if (target->kind == AST_NAME) {
        NameRef ref = name_find(c, target->name.text);
        if (ref.kind == NAME_LOCAL) {
            c->assigned = ast_has_slice(value) ? target : NULL;
            assign_local(c, ref.local, target, value, span, out);
            c->assigned = NULL;
            return;
        }
    }
    if (ast_has_slice(target) || is_whole_array(c, target)) {
        assign_slice(c, target, value, span, out);
        return;
    }
    if (report_unmade_array(c, target)) return;
    Expr *place = check_target(c, target);
    if (place != NULL) local_note_change(c, place, NULL, NULL);
    Expr *source = check_value(c, value);
    if (place == NULL || source == NULL || place_storage(place) == NULL) return;
    source = expr_coerce(c, source, place_storage(place), true, "the value assigned");
    if (source != NULL) push_assign(c, place, source, span, out);
}

/* a = b = e: first b = e, then a = b. */
void check_assign(BodyCheck *c, const AstExpr *ast, Span span, Block *out) {
    const AstExpr *value = ast->right;
    if (value->kind == AST_ASSIGN) {
        check_assign(c, value, span_join(value->left->span, span), out);
        value = value->left;
        while (value->kind == AST_AT && !value->parenthesised) value = value->left;
    }
    assign_one(c, ast->left, value, span, out);
}
