/* Subscripts that are seen to be wrong without running the program: a literal, or the index of a loop over literals or over
 * an array whose bounds are literals, outside a static array or an array whose bounds Initialize sets to literals.
 *
 * What is reported happens whenever the statement is executed: a subscript counts only with the values that it certainly has,
 * so a loop counts where no condition stands between it and the subscript, and none of its iterations is filtered out. */
#include "compiler/check/declare.h"

enum { MOST_CALLS = 16 }; /* of one stage, which may bind other arrays */

/* The values first … last, all of which occur. */
typedef struct Span64 { bool known; int64_t first, last; } Span64;
typedef struct KnownLoop { const Var *var; Span64 values; } KnownLoop;

typedef struct Known {
    Check *check;
    Span64 *bounds;              /* of dimension d of global g: [g * MAX_RANK + d]; NULL outside a task */
    Span *set_at;                /* the statements that set them */
    int globals;
    const Step *call;            /* NULL: not a stage */
    int *looked_at;              /* by StageInstance.id: calls that were looked at */
    bool some;                   /* the call is made for some LPUs only */
    const Body *body;
    const Expr **constants;      /* by Var.id: the only value of a local, or NULL */
    VEC(KnownLoop) loops;
    size_t certain;              /* loops from there on run their iterations whenever the statement is come by */
} Known;

/* ---- Literal values -------------------------------------------------------------------------- */

static const Span64 NOT_KNOWN = {false, 0, 0};

static Span64 sum_of(Operator op, Span64 left, Span64 right) {
    Span64 sum = {left.known && right.known, 0, 0};
    if (op == OP_SUB) {
        int64_t first = right.first;
        if (right.first == INT64_MIN || right.last == INT64_MIN) return NOT_KNOWN;
        right.first = -right.last;
        right.last = -first;
    }
    if (__builtin_add_overflow(left.first, right.first, &sum.first) || __builtin_add_overflow(left.last, right.last, &sum.last))
        return NOT_KNOWN;
    return sum;
}

static Span64 product_of(Span64 left, Span64 right) {
    Span64 product = {left.known && right.known, 0, 0};
    Span64 factor = left.first == left.last ? left : right, other = left.first == left.last ? right : left;
    if (__builtin_mul_overflow(factor.first, other.first, &product.first) ||
        __builtin_mul_overflow(factor.first, other.last, &product.last))
        return NOT_KNOWN;
    if (factor.first < 0) product = (Span64){product.known, product.last, product.first};
    return product;
}

static const Var *global_of(const Known *known, const Var *var) {
    if (var->kind == VAR_GLOBAL) return var;
    if (known->call == NULL || var->kind != VAR_PARAM) return NULL;
    const VarVec *params = &known->body->params;
    for (size_t i = 0; i < params->count && i < known->call->arguments.count; i++)
        if (params->items[i] == var) return known->call->arguments.items[i].var;
    return NULL;
}

static Span64 bounds_of(const Known *known, const Var *array, int dimension) {
    const Var *global = array == NULL ? NULL : global_of(known, array);
    if (global == NULL || known->bounds == NULL || !var_is_array(global) || global->id >= known->globals) return NOT_KNOWN;
    return known->bounds[global->id * MAX_RANK + (dimension < 0 ? 0 : dimension)];
}

static Span64 value_of(const Known *known, const Expr *expr, int depth);

/* The first or last index of a range. */
static Span64 end_of(const Known *known, const Expr *range, bool last, int depth) {
    if (depth > 20) return NOT_KNOWN;
    if (range->kind == EXPR_RANGE) return value_of(known, last ? range->right : range->left, depth + 1);
    if (range->kind == EXPR_VAR && range->var->kind == VAR_LOCAL && known->constants[range->var->id] != NULL)
        return end_of(known, known->constants[range->var->id], last, depth + 1);
    if (range->kind != EXPR_DIM_RANGE || range->local) return NOT_KNOWN;
    Span64 bounds = bounds_of(known, range->var, range->dimension);
    return (Span64){bounds.known, last ? bounds.last : bounds.first, last ? bounds.last : bounds.first};
}

static Span64 value_of(const Known *known, const Expr *expr, int depth) {
    if (depth > 20) return NOT_KNOWN;
    switch (expr->kind) {
    case EXPR_INTEGER: return (Span64){true, expr->integer, expr->integer};
    case EXPR_RANGE_PART:
        return expr->part == RANGE_LENGTH ? NOT_KNOWN : end_of(known, expr->left, expr->part == RANGE_MAX, depth + 1);
    case EXPR_VAR:
        for (size_t i = known->loops.count; i-- > 0;)
            if (known->loops.items[i].var == expr->var) return i < known->certain ? NOT_KNOWN : known->loops.items[i].values;
        if (expr->var->kind == VAR_LOCAL && known->constants[expr->var->id] != NULL)
            return value_of(known, known->constants[expr->var->id], depth + 1);
        return NOT_KNOWN;
    case EXPR_UNARY: return expr->op == OP_NEG ? sum_of(OP_SUB, (Span64){true, 0, 0}, value_of(known, expr->left, depth + 1)) : NOT_KNOWN;
    case EXPR_BINARY: {
        if (expr->op != OP_ADD && expr->op != OP_SUB && expr->op != OP_MUL) return NOT_KNOWN;
        Span64 left = value_of(known, expr->left, depth + 1), right = value_of(known, expr->right, depth + 1);
        /* i - j * 2: that both have their ends at once is not certain. */
        if (!left.known || !right.known || (left.first != left.last && right.first != right.last)) return NOT_KNOWN;
        return expr->op == OP_MUL ? product_of(left, right) : sum_of(expr->op, left, right);
    }
    default: return NOT_KNOWN;
    }
}

/* ---- Subscripts ---------------------------------------------------------------------------------- */

static const char *text_of(const Known *known, const Expr *expr) {
    return arena_printf(known->check->arena, "%.*s", (int)(expr->span.end - expr->span.start),
                        known->check->ast->source->text + expr->span.start);
}

static void check_subscript(const Known *known, const char *array, const Expr *subscript, Span64 bounds, Span set) {
    Span64 value = value_of(known, subscript, 0);
    if (!value.known || !bounds.known || (value.first >= bounds.first && value.last <= bounds.last)) return;
    if (bounds.first > bounds.last || value.first > value.last) return; /* an array without elements, a loop without iterations */
    const char *has = arena_printf(known->check->arena, "%s has the indices %lld to %lld", array, (long long)bounds.first,
                                   (long long)bounds.last);
    bool before = value.first < bounds.first;
    Diag *diag;
    if (value.first == value.last)
        diag = diag_error(known->check->diags, E_KNOWN_INDEX, subscript->span, "the index %lld does not exist: %s", (long long)value.first, has);
    else
        diag = diag_error(known->check->diags, E_KNOWN_INDEX, subscript->span, "'%s' goes from %lld to %lld, but %s",
                          text_of(known, subscript), (long long)value.first, (long long)value.last, has);
    if (set.end > set.start) diag_note(diag, set, "its bounds are set here");
    if (value.first != value.last)
        diag_help(diag, before ? "let it begin at %lld" : "let it end at %lld", (long long)(before ? bounds.first : bounds.last));
}

static const char *dimension_text(const Known *known, const char *array, size_t dimension, size_t rank) {
    return rank == 1 ? array : arena_printf(known->check->arena, "dimension %zu of %s", dimension + 1, array);
}

static void check_place(const Known *known, const Expr *expr) {
    if (expr->kind == EXPR_ELEMENT) {
        const Var *global = global_of(known, expr->var);
        for (size_t d = 0; global != NULL && known->bounds != NULL && d < expr->arguments.count; d++)
            check_subscript(known, dimension_text(known, expr->var->name, d, expr->arguments.count), expr->arguments.items[d],
                            bounds_of(known, expr->var, (int)d), known->set_at[global->id * MAX_RANK + (int)d]);
    }
    if (expr->kind != EXPR_AT_INDEX || expr->left->type->kind != TYPE_STATIC_ARRAY) return;
    size_t rank = (size_t)expr->left->type->rank;
    for (size_t d = 0; d < expr->arguments.count && d < rank; d++)
        check_subscript(known, dimension_text(known, text_of(known, expr->left), d, rank), expr->arguments.items[d],
                        (Span64){true, 0, expr->left->type->extents[d] - 1}, (Span){0, 0});
}

static void check_expr(Known *known, const Expr *expr) {
    if (expr == NULL) return;
    check_place(known, expr);
    check_expr(known, expr->left);
    size_t certain = known->certain;
    bool maybe = expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR);
    if (maybe) known->certain = known->loops.count; /* the right side may not be evaluated */
    check_expr(known, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) check_expr(known, expr->arguments.items[i]);
    known->certain = certain;
}

/* ---- Loops and statements ------------------------------------------------------------------------- */

static Span64 narrowed(const Known *known, const LoopIndex *index, Span64 values) {
    for (size_t i = 0; i < index->lower.count + index->upper.count; i++) {
        bool is_lower = i < index->lower.count;
        Span64 bound = value_of(known, is_lower ? index->lower.items[i] : index->upper.items[i - index->lower.count], 0);
        if (!bound.known || bound.first != bound.last) return NOT_KNOWN;
        if (is_lower && bound.first > values.first) values.first = bound.first;
        if (!is_lower && bound.first < values.last) values.last = bound.first;
    }
    return values;
}

static Span64 index_values(const Known *known, const LoopIndex *index) {
    if (index->filters.count > 0 || index->other_dimension >= 0) return NOT_KNOWN;
    Span64 values = NOT_KNOWN;
    if (index->domain_var != NULL) {
        if (!known->some) values = bounds_of(known, index->domain_var, index->dimension);
    }
    else {
        Span64 first = end_of(known, index->domain_range, false, 0), last = end_of(known, index->domain_range, true, 0);
        if (first.known && last.known && first.first == first.last && last.first == last.last)
            values = (Span64){true, first.first, last.last};
    }
    return values.known ? narrowed(known, index, values) : values;
}

static Span64 sequence_values(const Known *known, const Stmt *stmt) {
    Span64 first = end_of(known, stmt->value, false, 0), last = end_of(known, stmt->value, true, 0);
    if (stmt->step != NULL || !first.known || !last.known || first.first != first.last || last.first != last.last) return NOT_KNOWN;
    return (Span64){true, first.first, last.last};
}

static void check_block(Known *known, const Block *block);

static void check_loop(Known *known, const Stmt *stmt) {
    Arena *arena = known->check->arena;
    size_t loops = known->loops.count, certain = known->certain;
    check_expr(known, stmt->value);
    bool empty = false;
    if (stmt->kind == STMT_SEQUENCE) {
        Span64 values = sequence_values(known, stmt);
        empty = values.known && values.first > values.last;
        vec_push(arena, &known->loops, ((KnownLoop){stmt->index, values}));
    }
    /* Where one of the indices has no iterations, or may have none, those of the others are not certain. */
    bool all = true;
    for (size_t i = 0; i < stmt->indices.count; i++) {
        Span64 values = index_values(known, &stmt->indices.items[i]);
        empty = empty || (values.known && values.first > values.last);
        all = all && (values.known || stmt->indices.items[i].filters.count == 0);
        vec_push(arena, &known->loops, ((KnownLoop){stmt->indices.items[i].var, values}));
    }
    if (!all) known->certain = known->loops.count;
    if (!empty) check_block(known, &stmt->body);
    known->loops.count = loops;
    known->certain = certain;
}

static void check_stmt(Known *known, const Stmt *stmt) {
    size_t certain = known->certain;
    switch (stmt->kind) {
    case STMT_PARALLEL: case STMT_SEQUENCE: check_loop(known, stmt); return;
    case STMT_IF:
        check_expr(known, stmt->value);
        known->certain = known->loops.count;
        break;
    default:
        check_expr(known, stmt->target);
        check_expr(known, stmt->value);
        break;
    }
    check_block(known, &stmt->body);
    if (stmt->otherwise != NULL) check_block(known, stmt->otherwise);
    known->certain = certain;
}

static bool note_return(Stmt *stmt, void *data) {
    if (stmt->kind == STMT_RETURN || stmt->kind == STMT_EXTERN) *(bool *)data = true;
    return true;
}

static void check_block(Known *known, const Block *block) {
    size_t certain = known->certain;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        check_stmt(known, stmt);
        bool may_leave = stmt->kind == STMT_RETURN;
        walk_block((Block *)&stmt->body, note_return, NULL, &may_leave);
        if (may_leave) known->certain = known->loops.count;
    }
    known->certain = certain;
}

/* ---- Bodies ------------------------------------------------------------------------------------------- */

typedef struct Constants { Known *known; bool *several; } Constants;

static Expr *root_of(Expr *place) {
    while (place != NULL && place->kind != EXPR_VAR && place->kind != EXPR_ELEMENT) place = place->left;
    return place;
}

static void note_value(Constants *constants, Expr *target, const Expr *value) {
    Expr *root = root_of(target);
    if (root == NULL || root->kind != EXPR_VAR || root->var->kind != VAR_LOCAL) return;
    const Expr **constant = &constants->known->constants[root->var->id];
    if (*constant != NULL || root != target || value == NULL) constants->several[root->var->id] = true;
    *constant = value;
}

static bool note_assignment(Stmt *stmt, void *data) {
    if (stmt->kind == STMT_ASSIGN) note_value(data, stmt->target, stmt->value);
    if (stmt->kind == STMT_REDUCE) note_value(data, stmt->target, NULL);
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->uses.count; i++)
        note_value(data, &(Expr){.kind = EXPR_VAR, .var = stmt->external->uses.items[i]}, NULL);
    return true;
}

static bool note_reference(Expr *expr, void *data) {
    if (expr->kind != EXPR_CALL) return true;
    for (size_t i = 0; i < expr->arguments.count && i < expr->function->body.params.count; i++)
        if (expr->function->body.params.items[i]->by_reference) note_value(data, expr->arguments.items[i], NULL);
    return true;
}

/* Locals that have one value only, which names no index. */
static void find_constants(Known *known) {
    Arena *arena = known->check->arena;
    size_t count = known->body->vars.count + 1;
    known->constants = ARENA_ARRAY(arena, const Expr *, count);
    Constants constants = {known, ARENA_ARRAY(arena, bool, count)};
    walk_block((Block *)&known->body->block, note_assignment, note_reference, &constants);
    for (size_t i = 0; i < known->body->vars.count; i++)
        if (constants.several[i]) known->constants[i] = NULL;
    /* With no loop open, only what is made of literals has a value. */
    for (size_t i = 0; i < known->body->vars.count; i++) {
        const Expr *value = known->constants[i];
        if (value == NULL || value->type->kind == TYPE_RANGE) continue;
        if (value->type->kind != TYPE_INTEGER || !value_of(known, value, 0).known) known->constants[i] = NULL;
    }
}

static void check_body(Known *known, const Body *body) {
    if (body == NULL) return;
    known->body = body;
    find_constants(known);
    check_block(known, &body->block);
}

static void check_calls(Known *known, const StepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        bool some = known->some;
        if (step->kind == STEP_IF || (step->kind == STEP_SPACE && step->space->dynamic)) known->some = true;
        if (step->kind == STEP_CALL && known->looked_at[step->stage->id]++ < MOST_CALLS) {
            known->call = step;
            check_body(known, &step->stage->body);
        }
        check_calls(known, &step->body);
        known->some = some;
    }
}

/* ---- Bounds that Initialize sets to literals ------------------------------------------------------------ */

/* How often each end of each dimension is set. */
typedef struct Settings { int first, last; } Settings;

static bool sets_both_ends(const Stmt *stmt) {
    return stmt->whole_range || stmt->source_var != NULL || (stmt->value != NULL && stmt->value->type->kind == TYPE_RANGE);
}

static bool count_settings(Stmt *stmt, void *data) {
    if (stmt->kind != STMT_SET_BOUNDS) return true;
    bool both = sets_both_ends(stmt);
    for (int d = 0; d < MAX_RANK; d++) {
        if (stmt->dimension >= 0 && stmt->dimension != d) continue;
        Settings *settings = &((Settings *)data)[stmt->var->id * MAX_RANK + d];
        settings->first += both || stmt->part == RANGE_MIN;
        settings->last += both || stmt->part == RANGE_MAX;
    }
    return true;
}

/* What the statement says of dimension d: the ends that it sets, where these are known. */
static Span64 bounds_set_by(const Known *known, const Stmt *stmt, int d) {
    if (stmt->source_var != NULL) return bounds_of(known, stmt->source_var, stmt->dimension < 0 ? d : stmt->source_dimension);
    if (stmt->value == NULL) return NOT_KNOWN;
    if (stmt->value->type->kind != TYPE_RANGE) {
        Span64 end = value_of(known, stmt->value, 0);
        return end.first == end.last ? end : NOT_KNOWN;
    }
    Span64 first = end_of(known, stmt->value, false, 0), last = end_of(known, stmt->value, true, 0);
    return (Span64){first.known && last.known, first.first, last.last};
}

/* The two ends of a dimension may be set by one statement each; `half` has those of which one end is known. */
static void set_bounds(Known *known, const Stmt *stmt, const Settings *settings, bool *half) {
    const Var *var = stmt->var;
    bool both = sets_both_ends(stmt), given = var->environment && var->link != LINK_CREATE;
    for (int d = 0; d < var->type->rank; d++) {
        if (stmt->dimension >= 0 && stmt->dimension != d) continue;
        int at = var->id * MAX_RANK + d;
        Span64 set = bounds_set_by(known, stmt, d), *bounds = &known->bounds[at];
        known->set_at[at] = stmt->span;
        if (given || settings[at].first != 1 || settings[at].last != 1 || !set.known) continue;
        if (both || stmt->part == RANGE_MIN) bounds->first = set.first;
        if (both || stmt->part == RANGE_MAX) bounds->last = set.last;
        bounds->known = both || half[at];
        half[at] = true;
    }
}

static void check_task(Check *check, Task *task) {
    Known known = {.check = check, .globals = (int)task->globals.count};
    known.bounds = ARENA_ARRAY(check->arena, Span64, (size_t)known.globals * MAX_RANK + 1);
    known.set_at = ARENA_ARRAY(check->arena, Span, (size_t)known.globals * MAX_RANK + 1);
    known.looked_at = ARENA_ARRAY(check->arena, int, task->stages.count + 1);
    Settings *settings = ARENA_ARRAY(check->arena, Settings, (size_t)known.globals * MAX_RANK + 1);
    bool *half = ARENA_ARRAY(check->arena, bool, (size_t)known.globals * MAX_RANK + 1);
    if (task->initialize != NULL) {
        walk_block(&task->initialize->block, count_settings, NULL, settings);
        known.body = task->initialize;
        find_constants(&known);
        for (size_t i = 0; i < task->initialize->block.statements.count; i++) {
            const Stmt *stmt = task->initialize->block.statements.items[i];
            if (stmt->kind == STMT_SET_BOUNDS) set_bounds(&known, stmt, settings, half);
        }
    }
    check_body(&known, task->initialize);
    check_calls(&known, &task->flow);
}

void check_known_indices(Check *check) {
    const Program *program = check->program;
    for (size_t i = 0; i < program->tasks.count; i++) check_task(check, program->tasks.items[i]);
    Known known = {.check = check};
    for (size_t i = 0; i < program->functions.count; i++) check_body(&known, &program->functions.items[i]->body);
    check_body(&known, program->coordinator);
}
