/* Places and what is reached through dots and brackets: elements, fields, ranges of
 * dimensions, earlier versions. check_target answers whether a place can be written. */
#include <stdint.h>
#include <string.h>
#include "compiler/check/bodies.h"

enum { MAX_SUBSCRIPTS = 4 * MAX_RANK };

/* ---- Versions ------------------------------------------------------------------------ */
static bool var_is_versionable(const BodyCheck *c, const Var *var) {
    if (var->kind == VAR_GLOBAL) return !var->reduction;
    return var->kind == VAR_PARAM && c->place == IN_STAGE && !var->constant_argument && !var->reduction;
}

static bool is_advanced(const BodyCheck *c, const Var *var) {
    if (var->kind == VAR_PARAM) return c->param_advanced != NULL && c->param_advanced[var->id];
    return var_is_advanced(c->check, c->task, var);
}

Expr *apply_lag(BodyCheck *c, Expr *expr) {
    if (!c->in_at || !var_is_versionable(c, expr->var)) return expr;
    if (!is_advanced(c, expr->var) && !c->at_all) return expr;
    expr->lag = c->lag;
    c->at_hits++;
    return expr;
}

static Expr *check_versioned(BodyCheck *c, const AstExpr *ast, bool all) {
    c->in_at = true;
    c->at_all = all;
    c->lag = (int)ast->integer;
    Expr *expr = c->slice != NULL ? check_value(c, ast->left) : check_any(c, ast->left);
    c->in_at = c->at_all = false;
    c->lag = 0;
    return expr;
}

Expr *check_at(BodyCheck *c, const AstExpr *ast) {
    if (c->in_at) {
        Diag *d = diag_error(c->check->diags, E_AT_NESTED, ast->span, "'at' inside an expression that has an 'at' already");
        diag_help(d, "give each variable its own 'at', or one to the whole parenthesised expression");
        return NULL;
    }
    int hits = c->at_hits;
    bool alone = ast->left->kind == AST_NAME || ast->left->kind == AST_INDEX || ast->left->kind == AST_FIELD;
    if (!alone) c->saw_at = true;
    Expr *expr = check_versioned(c, ast, alone);
    if (expr != NULL && c->at_hits == hits && !alone) expr = check_versioned(c, ast, true);
    if (expr != NULL && c->at_hits == hits) {
        Diag *d = diag_error(c->check->diags, E_AT_NOTHING, ast->left->span, "'at' applies to nothing here that has versions");
        bool literal = ast->left->kind == AST_INTEGER || ast->left->kind == AST_REAL;
        if (alone || literal)
            diag_help(d, "'at' holds for what stands right before it: a whole expression needs parentheses, ( … ) at (current - %d)", (int)ast->integer);
        if (!literal)
            diag_help(d, "only variables of the task's Define section have versions, and not reductions, locals, indices or partition arguments");
        return NULL;
    }
    return expr;
}

/* ---- x.dimension1.range --------------------------------------------------------------- */
static int dimension_number(const char *name) {
    if (strncmp(name, "dimension", 9) != 0) return -2;
    if (name[9] == '\0') return -1;
    int number = 0;
    for (const char *p = name + 9; *p != '\0'; p++) {
        if (*p < '0' || *p > '9' || number > 100) return -2;
        number = number * 10 + (*p - '0');
    }
    return number == 0 ? 99 : number - 1;
}

static int range_part(const char *name) {
    if (strcmp(name, "min") == 0) return RANGE_MIN;
    if (strcmp(name, "max") == 0) return RANGE_MAX;
    return strcmp(name, "length") == 0 ? RANGE_LENGTH : -1;
}

bool dimref_match(const AstExpr *ast, DimRef *ref) {
    *ref = (DimRef){.part = -1, .span = ast->span};
    if (ast->kind != AST_FIELD) return false;
    if (range_part(ast->name.text) >= 0 && ast->left->kind == AST_FIELD && strcmp(ast->left->name.text, "range") == 0) {
        ref->part = range_part(ast->name.text);
        ast = ast->left;
    }
    if (strcmp(ast->name.text, "range") == 0 && ast->left->kind == AST_FIELD) {
        ref->range = true;
        ast = ast->left;
    }
    ref->dimension = dimension_number(ast->name.text);
    if (ref->dimension == -2) return false;
    ast = ast->left;
    if (ast->kind == AST_FIELD && strcmp(ast->name.text, "local") == 0) {
        ref->local = true;
        ast = ast->left;
    }
    ref->base = ast;
    return true;
}

Var *dimref_array(BodyCheck *c, const DimRef *ref) {
    if (ref->base->kind == AST_NAME) c->subscripts = ref->dimension < 0 ? 1 : ref->dimension + 1;
    Expr *base = check_any(c, ref->base);
    c->subscripts = 0;
    if (base == NULL) return NULL;
    Diags *diags = c->check->diags;
    if (base->kind != EXPR_VAR || base->type == NULL || base->type->kind != TYPE_ARRAY) {
        if (base->type != NULL)
            diag_error(diags, E_NOT_DIMENSIONED, ref->base->span, "only a whole array has dimensions, this is %s", base->type->text);
        return NULL;
    }
    if (ref->dimension >= base->type->rank) {
        Diag *d = diag_error(diags, E_NO_SUCH_DIMENSION, ref->span, "'%s' has %d dimension%s", base->var->name, base->type->rank,
                             base->type->rank == 1 ? "" : "s");
        if (base->type->rank == 1) diag_help(d, "its dimension is %s.dimension1", base->var->name);
        else diag_help(d, "dimensions are counted from dimension1 to dimension%d", base->type->rank);
        return NULL;
    }
    bool has_local = (c->place == IN_STAGE || c->place == IN_FLOW) && c->lps != NULL;
    if (ref->local && !has_local) {
        Diag *d = diag_error(diags, E_LOCAL_RANGE, ref->span, "'.local' is the part of an LPU, and there is none here");
        diag_help(d, "write %s.dimension1.range for the whole array", base->var->name);
        return NULL;
    }
    return base->var;
}

static Expr *check_dimension(BodyCheck *c, const DimRef *ref) {
    Var *var = dimref_array(c, ref);
    if (var == NULL) return NULL;
    if (ref->dimension < 0 && var->type->rank > 1) {
        Diag *d = diag_error(c->check->diags, E_DIMENSION_USE, ref->span, "'dimension' means all %d dimensions of '%s', one is needed here",
                             var->type->rank, var->name);
        diag_help(d, "write dimension1 … dimension%d", var->type->rank);
        return NULL;
    }
    if (!ref->range) {
        Diag *d = diag_error(c->check->diags, E_DIMENSION_USE, ref->span, "a dimension by itself is no value");
        diag_help(d, "%s %s%s.dimension%d.range%s%s", ref->meant ? "write" : "its indices are", var->name, ref->local ? ".local" : "",
                  ref->dimension < 0 ? 1 : ref->dimension + 1, ref->meant ? "." : "", ref->meant ? ref->meant : "");
        return NULL;
    }
    Expr *range = expr_new(c, EXPR_DIM_RANGE, basic(c, BASIC_RANGE), ref->span);
    range->var = var;
    range->dimension = ref->dimension < 0 ? 0 : ref->dimension;
    range->local = ref->local;
    if (ref->part < 0) return range;
    Expr *part = expr_new(c, EXPR_RANGE_PART, basic(c, BASIC_INTEGER), ref->span);
    part->left = range;
    part->part = (RangePart)ref->part;
    return part;
}

/* ---- Fields --------------------------------------------------------------------------------- */
static Expr *check_struct_field(BodyCheck *c, Expr *base, const AstExpr *ast) {
    Type *type = base->type;
    size_t number = (size_t)(uintptr_t)name_table_find(type->field_numbers, ast->name.text);
    if (number > 0) {
        Expr *expr = expr_new(c, EXPR_FIELD, type_of_value(c->check, type->fields.items[number - 1].type), ast->span);
        expr->left = base;
        expr->field = (int)number - 1;
        return expr;
    }
    VEC(const char *) names = {0};
    for (size_t i = 0; i < type->fields.count; i++) vec_push(c->arena, &names, type->fields.items[i].name);
    Diag *d = diag_error(c->check->diags, E_NO_FIELD, ast->name.span, "type %s has no field '%s'", type->name, ast->name.text);
    help_nearest(d, ast->name.text, names.items, names.count);
    if (names.count > 0 && names.count <= 8) diag_help(d, "it has %s", text_join_or(c->arena, names.items, names.count));
    return NULL;
}

static Expr *check_range_field(BodyCheck *c, Expr *base, const AstExpr *ast) {
    int part = range_part(ast->name.text);
    if (part < 0) {
        Diag *d = diag_error(c->check->diags, E_RANGE_FIELD, ast->name.span, "a Range has no field '%s'", ast->name.text);
        diag_help(d, "it has min, max and length");
        return NULL;
    }
    Expr *expr = expr_new(c, EXPR_RANGE_PART, basic(c, BASIC_INTEGER), ast->span);
    expr->left = base;
    expr->part = (RangePart)part;
    return expr;
}

static Expr *check_partition_field(BodyCheck *c, const AstExpr *ast) {
    Var *var = c->task == NULL ? NULL : task_find_partition_param(c->task, ast->name.text);
    if (var != NULL) return expr_var(c, var, ast->span);
    VEC(const char *) names = {0};
    for (size_t i = 0; c->task != NULL && i < c->task->partition_params.count; i++)
        vec_push(c->arena, &names, c->task->partition_params.items[i]->name);
    Diag *d = diag_error(c->check->diags, E_UNKNOWN_NAME, ast->name.span, "unknown partition argument '%s'", ast->name.text);
    if (c->task == NULL) diag_help(d, "partition arguments exist only inside a task");
    else help_nearest(d, ast->name.text, names.items, names.count);
    return NULL;
}

/* u.length, u.max, u.range, u.dim1: what is probably meant. */
static void help_array_field(Diag *d, const Expr *base, const char *field) {
    const char *array = base->kind == EXPR_VAR ? base->var->name : "x";
    if (strcmp(field, "length") == 0 || strcmp(field, "size") == 0) diag_help(d, "write %s.dimension1.range.length", array);
    else if (strcmp(field, "min") == 0 || strcmp(field, "max") == 0) diag_help(d, "write %s.dimension1.range.%s for the bounds of its indices", array, field);
    else if (strcmp(field, "range") == 0) diag_help(d, "write %s.dimension1.range", array);
    else if (strncmp(field, "dim", 3) == 0 && field[3] >= '1' && field[3] <= '9') diag_help(d, "write %s.dimension%s", array, field + 3);
    else diag_help(d, "an array has dimension1, dimension2 … and local");
}

Expr *check_field(BodyCheck *c, const AstExpr *ast) {
    DimRef ref;
    if (dimref_match(ast, &ref)) return check_dimension(c, &ref);
    if (range_part(ast->name.text) >= 0 && dimref_match(ast->left, &ref) && !ref.range) {
        ref.meant = ast->name.text;
        return check_dimension(c, &ref);
    }
    if (ast->left->kind == AST_NAME) {
        const char *root = ast->left->name.text;
        bool known = name_find(c, root).kind != NAME_UNKNOWN;
        if (!known && strcmp(root, "partition") == 0) return check_partition_field(c, ast);
        if (!known && c->coordinator_args != NULL && strcmp(root, c->coordinator_args) == 0) return check_args_field(c, ast);
    }
    Expr *base = check_any(c, ast->left);
    if (base == NULL) return NULL;
    Type *type = base->type;
    if (!expr_known(c, base)) return NULL;
    if (type->kind == TYPE_RANGE) return check_range_field(c, base, ast);
    if (type->kind == TYPE_STRUCT) return check_struct_field(c, base, ast);
    if (type->kind == TYPE_ENVIRONMENT) return check_environment_scalar(c, base, ast);
    if (type->kind == TYPE_STATIC_ARRAY && strcmp(ast->name.text, "length") == 0)
        return expr_integer(c, type->extents[0], ast->span);
    Diag *d = diag_error(c->check->diags, E_NO_FIELD, ast->name.span, "%s has no field '%s'", type->text, ast->name.text);
    if (type->kind == TYPE_ARRAY) help_array_field(d, base, ast->name.text);
    return NULL;
}

/* ---- Subscripts ------------------------------------------------------------------------------- */
bool ast_has_slice(const AstExpr *ast) {
    for (; ast != NULL && (ast->kind == AST_INDEX || ast->kind == AST_FIELD || ast->kind == AST_AT); ast = ast->left)
        if (ast->kind == AST_INDEX && (ast->right->kind == AST_ALL || ast->right->kind == AST_RANGE)) return true;
    return false;
}

static Expr *check_subscript(BodyCheck *c, const AstExpr *ast) {
    bool in_at = c->in_at;
    c->in_at = false;
    Expr *expr = check_value_as(c, ast, basic(c, BASIC_INTEGER), "a subscript");
    c->in_at = in_at;
    return expr;
}

static Expr *dimension_min(BodyCheck *c, Var *var, int dimension, Span span) {
    Expr *range = expr_new(c, EXPR_DIM_RANGE, basic(c, BASIC_RANGE), span);
    range->var = var;
    range->dimension = dimension;
    Expr *part = expr_new(c, EXPR_RANGE_PART, basic(c, BASIC_INTEGER), span);
    part->left = range;
    part->part = RANGE_MIN;
    return part;
}

/* Subscript number `dimension` of `var` inside a slice assignment: position for position with the target. */
static Expr *slice_subscript(BodyCheck *c, Var *var, int dimension, const AstExpr *ast, int *used, Span span) {
    if (*used >= c->slice->count) {
        (*used)++;
        return expr_integer(c, 0, span);
    }
    const SliceDim *dim = &c->slice->dims[(*used)++];
    Expr *index = expr_var(c, dim->index, span);
    bool all = ast == NULL || ast->kind == AST_ALL;
    if (all && dim->origin == NULL) return index;
    Type *integer = basic(c, BASIC_INTEGER);
    Expr *start;
    if (all) {
        start = dimension_min(c, var, dimension, span);
    } else {
        Expr *range = check_range(c, ast);
        if (range == NULL) return NULL;
        start = range->left;
        if (dim->extent >= 0 && range->left->kind == EXPR_INTEGER && range->right->kind == EXPR_INTEGER) {
            int64_t extent = range->right->integer - range->left->integer + 1;
            if (extent != dim->extent)
                diag_error(c->check->diags, E_SLICE_EXTENTS, ast->span, "this slice has %lld elements, the one assigned to has %lld",
                           (long long)extent, (long long)dim->extent);
        }
    }
    Expr *origin = dim->origin != NULL ? dim->origin : dimension_min(c, c->slice->target, dim->dimension, span);
    if (expr_equal(origin, start)) return index;
    if (origin->kind == EXPR_INTEGER && start->kind == EXPR_INTEGER && dim->extent >= 0) {
        int64_t shift = start->integer - origin->integer;
        return expr_binary(c, shift > 0 ? OP_ADD : OP_SUB, index, expr_integer(c, shift > 0 ? shift : -shift, span), integer);
    }
    return expr_binary(c, OP_ADD, expr_binary(c, OP_SUB, index, origin, integer), start, integer);
}

static bool is_slice_subscript(const AstExpr *ast) { return ast->kind == AST_ALL || ast->kind == AST_RANGE; }

static Expr *report_rank(BodyCheck *c, const Expr *base, size_t count, Span span) {
    Diag *d = diag_error(c->check->diags, E_SUBSCRIPT_COUNT, span, "'%s' has %d dimension%s, %zu subscript%s given", base->var->name,
                         base->type->rank, base->type->rank == 1 ? "" : "s", count, count == 1 ? "" : "s");
    diag_help(d, "an element has one subscript for each dimension: %s%s", base->var->name, base->type->rank == 1 ? "[i]" : "[i][j]…");
    return NULL;
}

/* One element of a whole array: the first rank subscripts. NULL subscripts: the bare name in a slice assignment. */
static Expr *check_element(BodyCheck *c, Expr *base, const AstExpr *const *subscripts, size_t count, Span span) {
    int rank = base->type->rank;
    if (subscripts != NULL && (int)count < rank) return report_rank(c, base, count, span);
    Expr *expr = expr_new(c, EXPR_ELEMENT, type_of_value(c->check, base->type->element), span);
    expr->var = base->var;
    if (c->place == IN_INITIALIZE) {
        place_writable(c, expr, "use");
        return NULL;
    }
    int used = 0;
    bool sliced = subscripts == NULL;
    bool good = true;
    for (int i = 0; i < rank; i++) {
        const AstExpr *ast = subscripts == NULL ? NULL : subscripts[i];
        Expr *index;
        if (ast == NULL || (is_slice_subscript(ast) && c->slice != NULL)) {
            sliced = true;
            index = slice_subscript(c, base->var, i, ast, &used, span);
        } else if (ast->kind == AST_RANGE) {
            Diag *d = diag_error(c->check->diags, E_SLICE_PLACE, ast->span, "a range as a subscript stands only in an assignment of slices");
            diag_help(d, "for example: part[0...9] = whole[10...19]");
            index = NULL;
        } else {
            index = check_subscript(c, ast);
        }
        if (index == NULL) good = false;
        else vec_push(c->arena, &expr->arguments, index);
    }
    if (sliced && c->slice != NULL) c->slice->uses++;
    if (good && sliced && used != c->slice->count) {
        diag_error(c->check->diags, E_SLICE_COUNT, span, "this slice has %d dimension%s, the one assigned to has %d", used,
                   used == 1 ? "" : "s", c->slice->count);
        return NULL;
    }
    return good ? apply_lag(c, expr) : NULL;
}

static bool static_index_inside(BodyCheck *c, const Expr *index, int64_t extent) {
    if (index->kind != EXPR_INTEGER || (index->integer >= 0 && index->integer < extent)) return true;
    diag_error(c->check->diags, E_STATIC_INDEX, index->span, "index %lld is outside the static array: 0 to %lld",
               (long long)index->integer, (long long)extent - 1);
    return false;
}

/* Subscripts after a value: static arrays and lists. Takes what the type has dimensions for. */
static Expr *check_value_subscripts(BodyCheck *c, Expr *base, const AstExpr *const *subscripts, size_t count, Span span) {
    size_t at = 0;
    while (base != NULL && at < count) {
        Type *type = base->type;
        if (type == NULL || (type->kind != TYPE_STATIC_ARRAY && type->kind != TYPE_LIST)) {
            if (type != NULL)
                diag_error(c->check->diags, E_NOT_SUBSCRIPTABLE, span, "%s takes no subscript", type->text);
            return NULL;
        }
        size_t rank = type->kind == TYPE_LIST ? 1 : (size_t)type->rank;
        if (count - at < rank) {
            diag_error(c->check->diags, E_SUBSCRIPT_COUNT, span, "%s needs %zu subscripts, %zu given", type->text, rank, count - at);
            return NULL;
        }
        Expr *element = expr_new(c, EXPR_AT_INDEX, type_of_value(c->check, type->element), span);
        element->left = base;
        for (size_t i = 0; i < rank; i++) {
            Expr *index = is_slice_subscript(subscripts[at]) ? check_any(c, subscripts[at]) : check_subscript(c, subscripts[at]);
            if (index != NULL) index = expr_coerce(c, index, basic(c, BASIC_INTEGER), false, "a subscript");
            if (index == NULL || (type->kind == TYPE_STATIC_ARRAY && !static_index_inside(c, index, type->extents[i]))) return NULL;
            vec_push(c->arena, &element->arguments, index);
            at++;
        }
        base = element;
    }
    return base;
}

static Expr *check_lpu_id(BodyCheck *c, const AstExpr *ast, const AstExpr *const *subscripts, size_t count) {
    Diags *diags = c->check->diags;
    if (c->lps == NULL) {
        diag_error(diags, E_LPU_ID, ast->span, "lpuId has a value only in a stage or in the Computation section");
        return NULL;
    }
    if (count != 1) {
        diag_error(diags, E_LPU_ID, ast->span, "lpuId takes one subscript, the dimension counted from 0");
        return NULL;
    }
    Expr *index = check_subscript(c, subscripts[0]);
    if (index == NULL) return NULL;
    int dims = c->lps->sub_partition ? c->lps->parent->dims : c->lps->dims;
    if (index->kind == EXPR_INTEGER && (index->integer < 0 || index->integer >= dims)) {
        Diag *d = diag_error(diags, E_LPU_ID, ast->span, "lpuId[%lld]: Space %s has %d dimension%s", (long long)index->integer,
                             c->lps->name, dims, dims == 1 ? "" : "s");
        diag_help(d, "lpuId counts dimensions from 0");
        return NULL;
    }
    if (index->kind == EXPR_INTEGER && index->integer + 1 > c->lpu_dims) {
        c->lpu_dims = (int)index->integer + 1;
        c->lpu_span = ast->span;
    }
    Expr *expr = expr_new(c, EXPR_LPU_ID, basic(c, BASIC_INTEGER), ast->span);
    expr->left = index;
    return expr;
}

/* x[a][b].. from the outside in; a bare name in a slice assignment comes here too. */
Expr *check_index_chain(BodyCheck *c, const AstExpr *ast) {
    const AstExpr *subscripts[MAX_SUBSCRIPTS];
    size_t count = 0;
    const AstExpr *base = ast;
    while (base->kind == AST_INDEX && !(base != ast && base->parenthesised)) {
        if (count == MAX_SUBSCRIPTS) {
            diag_error(c->check->diags, E_SUBSCRIPT_COUNT, ast->span, "more than %d subscripts", MAX_SUBSCRIPTS);
            return NULL;
        }
        subscripts[count++] = base->right;
        base = base->left;
    }
    for (size_t i = 0; i < count / 2; i++) {
        const AstExpr *swap = subscripts[i];
        subscripts[i] = subscripts[count - 1 - i];
        subscripts[count - 1 - i] = swap;
    }
    if (base->kind == AST_NAME && strcmp(base->name.text, "lpuId") == 0 && name_find(c, "lpuId").kind == NAME_UNKNOWN)
        return check_lpu_id(c, ast, subscripts, count);
    if (base->kind == AST_NAME) c->subscripts = (int)count;
    Expr *left = check_any(c, base);
    c->subscripts = 0;
    if (left == NULL) return NULL;
    if (left->type == NULL || left->type->kind != TYPE_ARRAY) return check_value_subscripts(c, left, subscripts, count, ast->span);
    if (left->kind != EXPR_VAR) {
        diag_error(c->check->diags, E_NOT_SUBSCRIPTABLE, base->span, "assign the array to a name first");
        return NULL;
    }
    size_t rank = (size_t)left->type->rank;
    Expr *element = check_element(c, left, count == 0 ? NULL : subscripts, count, ast->span);
    if (element == NULL || count <= rank) return element;
    return check_value_subscripts(c, element, subscripts + rank, count - rank, ast->span);
}

/* ---- Writing -------------------------------------------------------------------------------------- */
Type *place_storage(const Expr *place) {
    switch (place->kind) {
    case EXPR_VAR: return place->var->type;
    case EXPR_ELEMENT: return place->var->type->element;
    case EXPR_AT_INDEX: return place->left->type->element;
    case EXPR_FIELD: return place->left->type->fields.items[place->field].type;
    default: return place->type;
    }
}

static bool var_writable(BodyCheck *c, const Expr *place, const char *verb) {
    const Var *var = place->var;
    const char *reason = NULL, *help = NULL;
    if (var->kind == VAR_INDEX) {
        reason = "is a loop index";
        help = "the loop alone gives an index its values; use a local instead";
    } else if (var->kind == VAR_PARTITION) {
        reason = "is a partition argument, which is constant during a task";
    } else if (var->kind == VAR_PARAM && var->constant_argument) {
        reason = "gets a constant from the call";
        help = "stage parameters are by reference: pass a variable of the task to write it";
    } else if (c->place == IN_FLOW || c->place == IN_PARTITION) {
        reason = "cannot be written in the Computation section";
        help = "write it in a stage";
    }
    if (reason != NULL) {
        Diag *d = diag_error(c->check->diags, E_READ_ONLY, place->span, "cannot %s '%s': it %s", verb, var->name, reason);
        if (help != NULL) diag_help(d, "%s", help);
        return false;
    }
    if (place->lag == 0) return true;
    Diag *d = diag_error(c->check->diags, E_OLD_VERSION_WRITE, place->span, "cannot %s an earlier version of '%s'", verb, var->name);
    diag_help(d, "only 'at (current)' can be written; an Epoch makes it (current - 1) at its end");
    return false;
}

bool place_writable(BodyCheck *c, const Expr *place, const char *verb) {
    if (place->kind == EXPR_VAR) return var_writable(c, place, verb);
    if (place->kind == EXPR_ELEMENT) {
        if (c->place != IN_INITIALIZE) return var_writable(c, place, verb);
        Diag *d = diag_error(c->check->diags, E_INITIALIZE_ELEMENT, place->span, "Initialize cannot use elements of '%s': arrays exist only after it", place->var->name);
        diag_help(d, "give elements their values in a stage");
        return false;
    }
    bool whole_dimension = place->left != NULL && place->left->kind == EXPR_DIM_RANGE;
    if (place->kind == EXPR_AT_INDEX || place->kind == EXPR_FIELD
        || (place->kind == EXPR_RANGE_PART && place->part != RANGE_LENGTH && !whole_dimension))
        return place_writable(c, place->left, verb);
    Diag *d = diag_error(c->check->diags, E_READ_ONLY, place->span, "cannot %s this: it is a value, not a variable", verb);
    if (place->kind == EXPR_DIM_RANGE || whole_dimension) diag_help(d, "the bounds of an array are set in Initialize");
    else if (place->kind == EXPR_RANGE_PART) diag_help(d, "set min or max");
    return false;
}

Expr *check_target(BodyCheck *c, const AstExpr *ast) {
    Expr *place = check_any(c, ast);
    if (place == NULL) return NULL;
    return place_writable(c, place, "assign to") ? place : NULL;
}
