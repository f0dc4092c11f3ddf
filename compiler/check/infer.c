/* Types that come from use. The type of a local is the widest of its assignments; the type
 * of args.name, of load_array() and of a parameter local to Initialize is what the places it
 * flows to want. Both only ever grow, so quiet passes over the body reach a fixpoint. */
#include "compiler/check/bodies.h"

Type *basic(BodyCheck *c, BasicType type) { return type_basic(c->check, type); }
Type *real_double(BodyCheck *c) { return basic(c, BASIC_REAL_DOUBLE); }

/* ---- Locals -------------------------------------------------------------------- */
static void local_set(BodyCheck *c, Local *local, Type *type, bool weak, Span span) {
    if (local->type == type && local->weak == weak) return;
    if (local->type == NULL) local->first = span;
    local->type = type;
    local->weak = weak;
    local->type_span = span;
    if (local->var != NULL) local->var->type = type;
    if (local->read_this_pass) c->changed = true;
}

/* `type` is assigned to the local; `weak`: made of literals alone. */
static void local_join(BodyCheck *c, Local *local, Type *type, bool weak, Span span) {
    Type *joined = type_join(c->check, local->type, type);
    if (local->weak && type->kind == TYPE_REAL_SINGLE) joined = type;
    if (weak && local->type->kind == TYPE_REAL_SINGLE) joined = local->type;
    bool still_weak = local->weak && weak;
    if (joined != local->type || still_weak != local->weak) local_set(c, local, joined, still_weak, span);
}

/* The locals that the value is calculated from, so that its type is at least theirs: the first pass notes them. */
static void note_feeds(BodyCheck *c, const Expr *value, Local *target) {
    if (value->kind == EXPR_VAR) {
        size_t id = (size_t)value->var->id;
        Local *source = value->var->kind == VAR_LOCAL || value->var->kind == VAR_COORDINATOR ? c->local_of_var.items[id] : NULL;
        if (source != NULL && source != target) vec_push(c->check->arena, &source->feeds, target);
    } else if (value->kind == EXPR_UNARY && value->op == OP_NEG) {
        note_feeds(c, value->left, target);
    } else if (value->kind == EXPR_BINARY && value->op >= OP_ADD && value->op <= OP_POW) {
        note_feeds(c, value->left, target);
        if (value->op != OP_POW) note_feeds(c, value->right, target);
    } else if (value->kind == EXPR_CONVERT && value->span.start == value->left->span.start && value->span.end == value->left->span.end) {
        note_feeds(c, value->left, target); /* written conversions are longer than what they convert */
    }
}

/* A local has grown: so do those that get their values from it, at once. Without this a chain of locals would need a
 * pass for each link. */
static void spread_growth(BodyCheck *c, Local *first) {
    VEC(Local *) grown = {0};
    vec_push(c->arena, &grown, first);
    first->waiting = true;
    while (grown.count > 0) {
        Local *local = grown.items[--grown.count];
        local->waiting = false;
        if (local->type == NULL || local->weak || !type_is_numeric(local->type)) continue;
        for (size_t i = 0; i < local->feeds.count; i++) {
            Local *fed = local->feeds.items[i];
            Type *before = fed->type;
            if (before == NULL || !type_is_numeric(before)) continue;
            local_join(c, fed, local->type, false, local->type_span);
            if (fed->type == before || fed->waiting) continue;
            fed->waiting = true;
            vec_push(c->arena, &grown, fed);
        }
    }
}

void local_contribute(BodyCheck *c, Local *local, const Expr *value, Span span) {
    if (!c->dry || value == NULL) return;
    if (c->first_pass) note_feeds(c, value, local);
    Flex *flex = expr_flex(c, value);
    if (flex != NULL && local->flex == NULL) {
        local->flex = flex;
        if (local->read_this_pass) c->changed = true;
    }
    if (value->type == NULL) return;
    bool weak = expr_is_weak_real(c, value);
    Type *type = value->type;
    if (local->type == NULL) {
        local_set(c, local, type, weak, span);
        return;
    }
    if (type_is_numeric(local->type) && type_is_numeric(type)) {
        const Type *before = local->type;
        bool weak_before = local->weak;
        local_join(c, local, type, weak, span);
        if (local->type != before || local->weak != weak_before) spread_growth(c, local);
    } else if (local->type != type && local->conflict == NULL) {
        local->conflict = type;
        local->conflict_span = span;
    }
}

/* ---- Locals that stand for a part's range ----------------------------------------- */
static Local *local_of(const BodyCheck *c, const Expr *expr) {
    bool local = expr->kind == EXPR_VAR && (expr->var->kind == VAR_LOCAL || expr->var->kind == VAR_COORDINATOR);
    return local && (size_t)expr->var->id < c->local_of_var.count ? c->local_of_var.items[expr->var->id] : NULL;
}

void local_note_change(BodyCheck *c, const Expr *place, const AstExpr *value, const Expr *checked) {
    while (place->kind == EXPR_FIELD || place->kind == EXPR_AT_INDEX || place->kind == EXPR_RANGE_PART) place = place->left;
    Local *local = local_of(c, place);
    if (local == NULL) return;
    local->changes++;
    local->part = NULL;
    if (checked == NULL) return;
    Local *other = local_of(c, checked);
    if (checked->kind == EXPR_DIM_RANGE && checked->local) local->part = value;
    else if (other != NULL && other->changes_before == 1) local->part = other->part;
}

Expr *range_as_part(BodyCheck *c, Expr *range) {
    Local *local = range == NULL ? NULL : local_of(c, range);
    if (local == NULL || local->part == NULL || local->changes_before != 1) return range;
    Expr *part = check_any(c, local->part);
    if (part == NULL || part->kind != EXPR_DIM_RANGE) return range;
    part->span = range->span;
    return part;
}

/* ---- Things inferred by use ------------------------------------------------------- */
Flex *flex_new(BodyCheck *c, const char *name, const AstExpr *origin, Span span) {
    Flex *flex = ARENA_NEW(c->check->arena, Flex);
    *flex = (Flex){.name = name, .origin = origin, .span = span};
    vec_push(c->check->arena, c->flexes, flex);
    return flex;
}

Flex *expr_flex(BodyCheck *c, const Expr *expr) {
    if (c->flexes == NULL) return NULL;
    if (expr->kind == EXPR_ARG || expr->kind == EXPR_LOAD_ARRAY) return c->flexes->items[expr->argument];
    if (expr->kind != EXPR_VAR || expr->var->kind == VAR_GLOBAL || expr->var->kind == VAR_PARTITION) return NULL;
    size_t id = (size_t)expr->var->id;
    if (id >= c->flex_of_var.count) return NULL;
    if (c->flex_of_var.items[id] != NULL) return c->flex_of_var.items[id];
    return c->local_of_var.items[id] == NULL ? NULL : c->local_of_var.items[id]->flex;
}

static void flex_settle(BodyCheck *c, Flex *flex) {
    Type *type = flex->strict != NULL ? flex->strict : flex->loose;
    if (type == flex->type) return;
    flex->type = type;
    c->changed = true;
}

static void flex_conflict(Flex *flex, Type *type, Span span) {
    if (flex->conflict != NULL) return;
    flex->conflict = type;
    flex->conflict_span = span;
}

void flex_demand(BodyCheck *c, Expr *expr, Type *type, bool strict) {
    bool arithmetic = expr->kind == EXPR_UNARY || (expr->kind == EXPR_BINARY && expr->op >= OP_ADD) || expr->kind == EXPR_CONVERT;
    if (c->dry && strict && arithmetic && type->kind == TYPE_INTEGER) {
        /* An Integer is wanted of a sum or product: of its operands, too. */
        flex_demand(c, expr->left, type, true);
        if (expr->right != NULL) flex_demand(c, expr->right, type, true);
        return;
    }
    Flex *flex = c->dry && type != NULL ? expr_flex(c, expr) : NULL;
    if (flex == NULL) return;
    bool number = type_is_numeric(type);
    if (strict || !number) {
        if (flex->strict == NULL) {
            if (!number && flex->loose != NULL) flex_conflict(flex, type, expr->span);
            flex->strict = type;
            flex->strict_span = expr->span;
        } else if (number && type_is_numeric(flex->strict)) {
            /* The narrowest demanded number widens to the others. */
            if (type_join(c->check, flex->strict, type) == flex->strict) flex->strict = type;
        } else if (flex->strict != type) {
            flex_conflict(flex, type, expr->span);
        }
    } else if (flex->strict != NULL && !type_is_numeric(flex->strict)) {
        flex_conflict(flex, type, expr->span);
    } else {
        if (flex->loose == NULL) flex->loose_span = expr->span;
        flex->loose = flex->loose == NULL ? type : type_join(c->check, flex->loose, type);
    }
    flex_settle(c, flex);
}

void flex_number(BodyCheck *c, const Expr *expr) {
    Flex *flex = c->dry ? expr_flex(c, expr) : NULL;
    if (flex != NULL) flex->number = true;
}

/* ---- The fixpoint ------------------------------------------------------------------- */
static bool harden_locals(ScopeNode *node) {
    bool hardened = false;
    for (size_t i = 0; i < node->locals.count; i++) {
        if (node->locals.items[i]->weak) hardened = true;
        node->locals.items[i]->weak = false;
    }
    for (size_t i = 0; i < node->children.count; i++)
        if (harden_locals(node->children.items[i])) hardened = true;
    return hardened;
}

/* Nothing grows any more: what is still open takes its default (literals and numbers double, printed text String). */
static bool take_defaults(BodyCheck *c) {
    bool changed = c->scopes != NULL && harden_locals(c->scopes->root);
    for (size_t i = 0; c->flexes != NULL && i < c->flexes->count; i++) {
        Flex *flex = c->flexes->items[i];
        if (flex->type != NULL || (!flex->printed && !flex->number)) continue;
        flex->type = flex->number ? real_double(c) : basic(c, BASIC_STRING);
        changed = true;
    }
    return changed;
}

void infer_dry(BodyCheck *c, BodyPass pass, void *data) {
    Diags *diags = c->check->diags;
    c->first_pass = true;
    do {
        Arena *scratch = arena_new();
        c->check->diags = diags_new(scratch, diags_source(diags));
        c->arena = scratch;
        c->dry = true;
        c->changed = false;
        pass(c, data);
        arena_free(scratch);
        c->first_pass = false;
    } while (c->changed || take_defaults(c));
    c->check->diags = diags;
    c->dry = false;
    c->arena = c->check->arena;
}

void infer_run(BodyCheck *c, BodyPass pass, void *data) {
    infer_dry(c, pass, data);
    pass(c, data);
}
