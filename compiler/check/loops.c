/* Loops: what the indices of a parallel loop run over, and sequential loops. */
#include <string.h>
#include "compiler/check/bodies.h"

/* ---- Which dimension an index subscripts ----------------------------------------------- */
typedef struct Search {
    const char *array, *index;
    int rank;
    unsigned exact, inside;       /* dimensions where the index is the subscript; stands within it */
    unsigned exact_together;      /* dimensions of the one access with most of them */
} Search;

static bool mentions(const AstExpr *ast, const char *name) {
    if (ast == NULL) return false;
    if (ast->kind == AST_NAME) return strcmp(ast->name.text, name) == 0;
    if (mentions(ast->left, name) || mentions(ast->right, name)) return true;
    for (size_t i = 0; i < ast->arguments.count; i++)
        if (mentions(ast->arguments.items[i], name)) return true;
    return false;
}

static void search_access(Search *s, const AstExpr *ast) {
    const AstExpr *subscripts[MAX_RANK];
    int count = 0;
    const AstExpr *base = ast;
    for (; base->kind == AST_INDEX; base = base->left) count++;
    if (base->kind != AST_NAME || strcmp(base->name.text, s->array) != 0) return;
    int place = count;
    for (base = ast; base->kind == AST_INDEX; base = base->left)
        if (--place < MAX_RANK) subscripts[place] = base->right;
    unsigned together = 0;
    for (int i = 0; i < count && i < s->rank; i++) {
        const AstExpr *subscript = subscripts[i];
        if (subscript->kind == AST_NAME && strcmp(subscript->name.text, s->index) == 0) together |= 1u << i;
        else if (mentions(subscript, s->index)) s->inside |= 1u << i;
    }
    s->exact |= together;
    if (__builtin_popcount(together) > __builtin_popcount(s->exact_together)) s->exact_together = together;
}

static void search_expr(Search *s, const AstExpr *ast) {
    if (ast == NULL) return;
    if (ast->kind == AST_INDEX) {
        search_access(s, ast);
        while (ast->kind == AST_INDEX) {
            search_expr(s, ast->right);
            ast = ast->left;
        }
    }
    search_expr(s, ast->left);
    search_expr(s, ast->right);
    for (size_t i = 0; i < ast->arguments.count; i++) search_expr(s, ast->arguments.items[i]);
}

static void search_block(Search *s, const AstBlock *block);

static void search_stmt(Search *s, const AstStmt *ast) {
    search_expr(s, ast->expr);
    search_expr(s, ast->target);
    search_expr(s, ast->step);
    for (size_t i = 0; i < ast->ranges.count; i++) {
        search_expr(s, ast->ranges.items[i].domain);
        search_expr(s, ast->ranges.items[i].restriction);
    }
    search_block(s, &ast->body);
    if (ast->otherwise != NULL) search_block(s, ast->otherwise);
}

static void search_block(Search *s, const AstBlock *block) {
    for (size_t i = 0; i < block->statements.count; i++) search_stmt(s, block->statements.items[i]);
}

static bool resolve_by_subscript(BodyCheck *c, const AstStmt *ast, const char *array, LoopIndex *index) {
    Search s = {.array = array, .index = index->var->name, .rank = index->domain_var->type->rank};
    search_stmt(&s, ast);
    unsigned dims = s.exact != 0 ? s.exact : s.inside;
    int count = __builtin_popcount(dims);
    if (count == 1 || (count == 2 && s.exact == dims && s.exact_together == dims)) {
        index->dimension = __builtin_ctz(dims);
        index->other_dimension = count == 2 ? 31 - __builtin_clz(dims) : -1;
        return true;
    }
    Diag *d;
    if (count == 0) {
        d = diag_error(c->check->diags, E_DOMAIN_UNUSED, index->span, "'%s' subscripts '%s' nowhere in the loop, so its dimension is not known", index->var->name, array);
    } else {
        d = diag_error(c->check->diags, E_DOMAIN_AMBIGUOUS, index->span, "'%s' subscripts several dimensions of '%s'", index->var->name, array);
    }
    diag_help(d, "name the dimension: %s in %s.dimension1", index->var->name, array);
    return false;
}

/* ---- Indices --------------------------------------------------------------------------------- */
static void check_index_name(BodyCheck *c, const Name *name) {
    NameRef ref = name_find(c, name->text);
    if (ref.kind == NAME_UNKNOWN || ref.kind == NAME_GLOBAL) return;
    const char *what = ref.kind == NAME_INDEX ? "an index of this or an enclosing loop" : ref.kind == NAME_LOCAL ? "a local" : "a parameter";
    Diag *d = diag_error(c->check->diags, E_INDEX_NAME, name->span, "'%s' is already %s", name->text, what);
    diag_help(d, "give the index another name");
    if (ref.var != NULL) diag_note(d, ref.kind == NAME_LOCAL ? ref.local->first : ref.var->span, "'%s' is introduced here", name->text);
}

static Var *add_index(BodyCheck *c, const Name *name) {
    check_index_name(c, name);
    return body_add_var(c, VAR_INDEX, name->text, basic(c, BASIC_INTEGER), name->span);
}

static void report_index_count(BodyCheck *c, const AstIndexRange *range, int dims, const char *what) {
    Diag *d = diag_error(c->check->diags, E_DOMAIN_COUNT, range->span, "%zu indices run over %s, which has %d dimension%s",
                         range->indices.count, what, dims, dims == 1 ? "" : "s");
    diag_help(d, "give each range its own index: i in a; j in b");
}

static Expr *static_dimension_range(BodyCheck *c, const Type *type, int dimension, Span span) {
    Expr *range = expr_new(c, EXPR_RANGE, basic(c, BASIC_RANGE), span);
    range->left = expr_integer(c, 0, span);
    range->right = expr_integer(c, type->extents[dimension] - 1, span);
    return range;
}

/* The whole array `var` as a domain: dimension for dimension, or by the subscripts. */
static bool resolve_array(BodyCheck *c, const AstStmt *ast, const AstIndexRange *range, Var *var, LoopIndex *found) {
    size_t count = range->indices.count;
    if ((int)count > var->type->rank) {
        report_index_count(c, range, var->type->rank, arena_printf(c->arena, "'%s'", var->name));
        return false;
    }
    bool good = true;
    for (size_t i = 0; i < count; i++) {
        found[i].domain_var = var;
        found[i].dimension = (int)i;
        if ((int)count < var->type->rank && !resolve_by_subscript(c, ast, var->name, &found[i])) good = false;
    }
    return good;
}

static bool resolve_value(BodyCheck *c, const AstStmt *ast, const AstIndexRange *range, Expr *domain, LoopIndex *found) {
    size_t count = range->indices.count;
    Type *type = domain->type;
    if (type->kind == TYPE_ARRAY && domain->kind == EXPR_VAR) return resolve_array(c, ast, range, domain->var, found);
    if (type->kind == TYPE_STATIC_ARRAY && (int)count == type->rank) {
        for (size_t i = 0; i < count; i++) found[i].domain_range = static_dimension_range(c, type, (int)i, range->domain->span);
        return true;
    }
    if (type->kind == TYPE_STATIC_ARRAY) {
        report_index_count(c, range, type->rank, "a static array");
        return false;
    }
    if (type->kind == TYPE_RANGE && count == 1) {
        if (domain->kind == EXPR_DIM_RANGE && domain->local) {
            found[0].domain_var = domain->var;
            found[0].dimension = domain->dimension;
        } else {
            found[0].domain_range = domain;
        }
        return true;
    }
    if (type->kind == TYPE_RANGE) {
        report_index_count(c, range, 1, "a Range");
        return false;
    }
    Diag *d = diag_error(c->check->diags, E_DOMAIN, range->domain->span, "a loop runs over an array or a Range, this is %s", type->text);
    diag_help(d, "for example: i in x, i in x.dimension2, i in [0...9]");
    return false;
}

/* A name whose value is small where `[name...1]` stands. */
static bool is_loop_index(void *data, const char *name) {
    NameKind kind = name_find(data, name).kind;
    return kind == NAME_INDEX || kind == NAME_LOCAL;
}

static void look_backwards(BodyCheck *c, const AstExpr *range, const AstExpr *step, bool parallel) {
    CountsUp names = {is_loop_index, c, parallel};
    warn_backwards(c->check, range, step, &names);
}

static bool resolve_domain(BodyCheck *c, const AstStmt *ast, const AstIndexRange *range, LoopIndex *found) {
    DimRef ref;
    const AstExpr *domain = range->domain;
    if (dimref_match(domain, &ref) && !ref.range && ref.part < 0) {
        Var *var = dimref_array(c, &ref);
        if (var == NULL) return false;
        if (ref.dimension < 0) return resolve_array(c, ast, range, var, found);
        if (range->indices.count != 1) {
            report_index_count(c, range, 1, "one dimension");
            return false;
        }
        found[0].domain_var = var;
        found[0].dimension = ref.dimension;
        return true;
    }
    look_backwards(c, domain, NULL, true);
    Expr *value = range_as_part(c, check_any(c, domain));
    return value != NULL && value->type != NULL && resolve_value(c, ast, range, value, found);
}

/* ---- The parallel loop --------------------------------------------------------------------------- */
static bool open_range(BodyCheck *c, const AstStmt *ast, const AstIndexRange *range, Stmt *loop) {
    size_t count = range->indices.count;
    LoopIndex *found = ARENA_ARRAY(c->arena, LoopIndex, count + 1);
    for (size_t i = 0; i < count; i++) {
        const Name *name = &range->indices.items[i];
        found[i] = (LoopIndex){.other_dimension = -1, .span = name->span, .var = add_index(c, name)};
        for (size_t k = 0; k < i; k++) {
            if (strcmp(range->indices.items[k].text, name->text) != 0) continue;
            diag_error(c->check->diags, E_INDEX_NAME, name->span, "'%s' is already an index of this or an enclosing loop", name->text);
        }
    }
    bool good = resolve_domain(c, ast, range, found);
    for (size_t i = 0; i < count; i++) {
        vec_push(c->arena, &loop->indices, found[i]);
        vec_push(c->arena, &c->indices, found[i].var);
    }
    return good;
}

static const char *parallel_refusal(const BodyCheck *c) {
    if (c->place == IN_FUNCTION) return "functions are sequential";
    if (c->place == IN_INITIALIZE) return "Initialize is sequential";
    return c->place == IN_COORDINATOR ? "the coordinator is sequential" : NULL;
}

void check_parallel(BodyCheck *c, const AstStmt *ast, Block *out) {
    if (parallel_refusal(c) != NULL) {
        Span head = {ast->span.start, ast->span.start + 2};
        Diag *d = diag_error(c->check->diags, E_PARALLEL_PLACE, head, "a parallel loop stands only in a stage: %s", parallel_refusal(c));
        diag_help(d, "write 'do in sequence { … } for i in range'");
        return;
    }
    Stmt *loop = stmt_new(c, STMT_PARALLEL, ast->span);
    size_t outer = c->indices.count;
    bool good = true;
    for (size_t i = 0; i < ast->ranges.count; i++)
        if (!open_range(c, ast, &ast->ranges.items[i], loop)) good = false;
    Expr *condition = NULL;
    for (size_t i = 0; i < ast->ranges.count; i++) {
        if (ast->ranges.items[i].restriction == NULL) continue;
        Expr *one = check_condition(c, ast->ranges.items[i].restriction, "a restriction");
        if (one == NULL) good = false;
        else condition = condition == NULL ? one : expr_binary(c, OP_AND, condition, one, basic(c, BASIC_BOOLEAN));
    }
    LocalReductions *around = c->local_reductions;
    LocalReductions reductions = {.index = loop->indices.count > 0 ? vec_last(&loop->indices).var : NULL, .around = out};
    c->local_reductions = &reductions;
    c->parallel_depth++;
    check_block(c, &ast->body, &loop->body);
    c->parallel_depth--;
    c->local_reductions = around;
    c->indices.count = outer;
    if (!good) return;
    local_reductions_start(c, &reductions);
    if (condition != NULL) bounds_classify(c, loop, condition);
    vec_push(c->arena, &out->statements, loop);
}

/* ---- Sequential loops ------------------------------------------------------------------------------- */
static Expr *check_sequence_range(BodyCheck *c, const AstExpr *ast) {
    Expr *range = check_any(c, ast);
    if (range == NULL) return NULL;
    if (range->type != NULL && range->type->kind == TYPE_ARRAY && range->kind == EXPR_VAR) {
        Diag *d = diag_error(c->check->diags, E_SEQUENCE_RANGE, ast->span, "a sequential loop runs over a Range, '%s' is an array", range->var->name);
        diag_help(d, "write %s.%sdimension1.range", range->var->name, c->lps != NULL ? "local." : "");
        return NULL;
    }
    return range_as_part(c, expr_coerce(c, range, basic(c, BASIC_RANGE), false, "what a sequential loop runs over"));
}

static Expr *check_step(BodyCheck *c, const AstExpr *ast) {
    Expr *step = check_value_as(c, ast, basic(c, BASIC_INTEGER), "the step");
    if (step != NULL && step->kind == EXPR_INTEGER && step->integer == 0) {
        Diag *d = diag_error(c->check->diags, E_STEP_ZERO, ast->span, "a step of 0 never ends");
        diag_help(d, "a negative step runs from the end of the range to its start");
    }
    return step;
}

void check_sequence(BodyCheck *c, const AstStmt *ast, Block *out) {
    const AstIndexRange *range = &ast->ranges.items[0];
    if (ast->ranges.count != 1 || range->indices.count != 1) {
        diag_error(c->check->diags, E_SEQUENCE_RANGE, range->span, "a sequential loop has one index and one range");
        return;
    }
    Stmt *loop = stmt_new(c, STMT_SEQUENCE, ast->span);
    look_backwards(c, range->domain, ast->step, false);
    loop->value = check_sequence_range(c, range->domain);
    if (ast->step != NULL) loop->step = check_step(c, ast->step);
    loop->index = add_index(c, &range->indices.items[0]);
    vec_push(c->arena, &c->indices, loop->index);
    if (range->restriction == NULL) {
        check_block(c, &ast->body, &loop->body);
    } else {
        Stmt *test = stmt_new(c, STMT_IF, ast->span);
        test->value = check_condition(c, range->restriction, "a restriction");
        check_block(c, &ast->body, &test->body);
        loop->body.span = ast->body.span;
        vec_push(c->arena, &loop->body.statements, test);
    }
    c->indices.count--;
    vec_push(c->arena, &out->statements, loop);
}
