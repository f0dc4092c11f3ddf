/* reduce(target, "op", value) and extern blocks. */
#include <math.h>
#include <string.h>
#include "compiler/check/bodies.h"

/* ---- reduce ------------------------------------------------------------------------- */
static const char *const REDUCE_OPS[] = {"sum", "product", "max", "min", "max_entry", "min_entry", "land", "lor", "band", "bor"};
enum { REDUCE_OP_COUNT = sizeof REDUCE_OPS / sizeof *REDUCE_OPS };

const char *reduce_op_text(ReduceOp op) { return REDUCE_OPS[op]; }

static bool find_op(BodyCheck *c, const AstExpr *ast, ReduceOp *op) {
    if (ast == NULL || ast->kind != AST_STRING) {
        if (ast != NULL) {
            Diag *d = diag_error(c->check->diags, E_REDUCE_OP, ast->span, "the operation of reduce is a string");
            diag_help(d, "for example: reduce(total, \"sum\", x[i])");
        }
        return false;
    }
    for (int i = 0; i < REDUCE_OP_COUNT; i++)
        if (strcmp(REDUCE_OPS[i], ast->text) == 0) {
            *op = (ReduceOp)i;
            return true;
        }
    Diag *d = diag_error(c->check->diags, E_REDUCE_OP, ast->span, "unknown reduction \"%s\"", ast->text);
    static const char *const signs[][2] = {{"+", "sum"}, {"*", "product"}, {"&&", "land"}, {"and", "land"}, {"||", "lor"}, {"or", "lor"},
                                           {"&", "band"}, {"|", "bor"}, {"maximum", "max"}, {"minimum", "min"}, {"argmax", "max_entry"},
                                           {"argmin", "min_entry"}, {"maxloc", "max_entry"}, {"minloc", "min_entry"}};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (strcmp(ast->text, signs[i][0]) != 0) continue;
        diag_help(d, "write \"%s\"", signs[i][1]);
        return false;
    }
    const char *near = text_nearest(ast->text, REDUCE_OPS, REDUCE_OP_COUNT);
    if (near != NULL) diag_help(d, "did you mean \"%s\"?", near);
    else diag_help(d, "the reductions are %s", text_join_or(c->arena, REDUCE_OPS, REDUCE_OP_COUNT));
    return false;
}

static Expr *find_reduce_target(BodyCheck *c, const AstExpr *ast) {
    NameRef ref = ast->kind == AST_NAME ? name_find(c, ast->name.text) : (NameRef){0};
    if (ast->kind == AST_NAME && ref.kind == NAME_UNKNOWN) {
        name_report_unknown(c, ast->name.text, ast->span);
        return NULL;
    }
    if ((ref.kind == NAME_PARAM || ref.kind == NAME_GLOBAL) && ref.var->reduction) return expr_var(c, ref.var, ast->span);
    Diag *d = diag_error(c->check->diags, E_REDUCE_TARGET, ast->span, "the target of reduce must be a local or a Reduction variable of the task");
    diag_help(d, "declare it in Define like this: total: Real double-precision Reduction");
    return NULL;
}

/* What the target must be for this operation, or NULL when it fits. */
static const char *target_fault(ReduceOp op, const Type *type) {
    switch (op) {
    case REDUCE_SUM: case REDUCE_PRODUCT: case REDUCE_MAX: case REDUCE_MIN: return type_is_numeric(type) ? NULL : "a number";
    case REDUCE_MAX_ENTRY: case REDUCE_MIN_ENTRY: return type->kind == TYPE_INTEGER ? NULL : "an Integer, the index of the entry";
    case REDUCE_LAND: case REDUCE_LOR: return type->kind == TYPE_BOOLEAN ? NULL : "Boolean";
    case REDUCE_BAND: case REDUCE_BOR: return type->kind == TYPE_INTEGER ? NULL : "Integer";
    }
    return NULL;
}

static Expr *reduce_value(BodyCheck *c, ReduceOp op, const Expr *target, Expr *value) {
    bool entry = op == REDUCE_MAX_ENTRY || op == REDUCE_MIN_ENTRY;
    if (!entry) return expr_coerce(c, value, target->type, false, "the reduced value");
    if (type_is_numeric(value->type)) return value;
    diag_error(c->check->diags, E_REDUCE_TYPE, value->span, "\"%s\" compares numbers, found %s", REDUCE_OPS[op], value->type->text);
    return NULL;
}

/* ---- reduce into a local ----------------------------------------------------------------
 * It collects what the loop gives, in the order of the iterations, and is written out: before the loop
 * s = start, in it s = s + value or the like. An entry has a second local for the value that was found. */
static Expr *constant(BodyCheck *c, Type *type, double real, int64_t integer, Span span) {
    Expr *expr = expr_integer(c, integer, span);
    if (type->kind == TYPE_BOOLEAN) expr->kind = EXPR_BOOLEAN;
    if (type_is_real(type)) expr->kind = EXPR_REAL;
    expr->real = real;
    expr->type = type_of_value(c->check, type);
    return expr;
}

static Expr *start_value(BodyCheck *c, ReduceOp op, Type *type, Span span) {
    switch (op) {
    case REDUCE_SUM: case REDUCE_BOR: return constant(c, type, 0, 0, span);
    case REDUCE_PRODUCT: return constant(c, type, 1, 1, span);
    case REDUCE_MAX: return constant(c, type, -HUGE_VAL, INT64_MIN, span);
    case REDUCE_MIN: return constant(c, type, HUGE_VAL, INT64_MAX, span);
    case REDUCE_MAX_ENTRY: case REDUCE_MIN_ENTRY: case REDUCE_BAND: return constant(c, type, 0, -1, span);
    case REDUCE_LAND: case REDUCE_LOR: return constant(c, type, 0, op == REDUCE_LAND, span);
    }
    return NULL;
}

static void push_plain(BodyCheck *c, Expr *target, Expr *value, Span span, Block *out) {
    Stmt *stmt = stmt_new(c, STMT_ASSIGN, span);
    stmt->target = target;
    stmt->value = value;
    vec_push(c->arena, &out->statements, stmt);
}

static Expr *combined(BodyCheck *c, ReduceOp op, Expr *so_far, Expr *value) {
    static const Operator operators[] = {[REDUCE_SUM] = OP_ADD, [REDUCE_PRODUCT] = OP_MUL, [REDUCE_LAND] = OP_AND,
                                         [REDUCE_LOR] = OP_OR, [REDUCE_BAND] = OP_BITAND, [REDUCE_BOR] = OP_BITOR};
    if (op != REDUCE_MAX && op != REDUCE_MIN) return expr_binary(c, operators[op], so_far, value, so_far->type);
    Expr *extreme = expr_new(c, EXPR_MATH, so_far->type, value->span);
    extreme->math = arena_printf(c->arena, "%s%s", type_is_real(so_far->type) ? "f" : "ll", op == REDUCE_MAX ? "max" : "min");
    vec_push(c->arena, &extreme->arguments, so_far);
    vec_push(c->arena, &extreme->arguments, value);
    return extreme;
}

/* s < 0 or found > best: the first of the extremes. Of Reals in the order of arithmetic.h, where NaN wins. */
static Expr *is_better(BodyCheck *c, ReduceOp op, Expr *entry, Expr *found, Expr *best) {
    Type *boolean = basic(c, BASIC_BOOLEAN);
    Expr *first = expr_binary(c, OP_LT, entry, expr_integer(c, 0, entry->span), boolean), *better;
    if (type_is_real(found->type)) {
        better = expr_new(c, EXPR_MATH, boolean, found->span);
        better->math = op == REDUCE_MAX_ENTRY ? "fabove" : "fbelow";
        vec_push(c->arena, &better->arguments, found);
        vec_push(c->arena, &better->arguments, best);
    } else {
        better = expr_binary(c, op == REDUCE_MAX_ENTRY ? OP_GT : OP_LT, found, best, boolean);
    }
    return expr_binary(c, OP_OR, first, better, boolean);
}

static Var *hidden_local(BodyCheck *c, const char *name, const char *suffix, Type *type, Span span, Block *block) {
    Var *var = body_add_var(c, VAR_LOCAL, arena_printf(c->arena, "%s_%s", name, suffix), type, span);
    vec_push(c->arena, &block->locals, var);
    return var;
}

static void reduce_entry(BodyCheck *c, LocalReduction *reduction, Expr *value, Block *out) {
    Span span = reduction->span;
    const char *name = reduction->local->name;
    if (reduction->best == NULL) reduction->best = hidden_local(c, name, "value", value->type, span, c->local_reductions->around);
    Var *found = hidden_local(c, name, "candidate", value->type, span, out);
    push_plain(c, expr_var(c, found, span), value, span, out);
    Expr *entry = expr_var(c, reduction->local->var, span), *best = expr_var(c, reduction->best, span);
    Stmt *test = stmt_new(c, STMT_IF, span);
    test->value = is_better(c, reduction->op, entry, expr_var(c, found, span), best);
    test->body.span = span;
    push_plain(c, best, expr_var(c, found, span), span, &test->body);
    push_plain(c, entry, expr_var(c, c->local_reductions->index, span), span, &test->body);
    vec_push(c->arena, &out->statements, test);
}

/* The reduction of this loop into the local, or NULL after reporting two operations for one. */
static LocalReduction *local_reduction(BodyCheck *c, Local *local, ReduceOp op, Type *type, Span span) {
    LocalReductions *all = c->local_reductions;
    for (size_t i = 0; i < all->items.count; i++) {
        if (all->items.items[i].local != local) continue;
        if (all->items.items[i].op == op) return &all->items.items[i];
        Diag *d = diag_error(c->check->diags, E_REDUCE_TYPE, span, "'%s' collects with \"%s\" and with \"%s\" in one loop", local->name,
                             REDUCE_OPS[all->items.items[i].op], REDUCE_OPS[op]);
        diag_note(d, all->items.items[i].span, "the other reduction is here");
        return NULL;
    }
    LocalReduction reduction = {.local = local, .op = op, .start = start_value(c, op, type, span), .span = span};
    vec_push(c->arena, &all->items, reduction);
    return &vec_last(&all->items);
}

static void reduce_into_local(BodyCheck *c, const AstStmt *ast, ReduceOp op, Local *local, Expr *value, Block *out) {
    bool entry = op == REDUCE_MAX_ENTRY || op == REDUCE_MIN_ENTRY, logical = op == REDUCE_LAND || op == REDUCE_LOR;
    bool fits = logical ? value->type->kind == TYPE_BOOLEAN
                        : op == REDUCE_BAND || op == REDUCE_BOR ? value->type->kind == TYPE_INTEGER : type_is_numeric(value->type);
    if (!fits) {
        diag_error(c->check->diags, E_REDUCE_TYPE, value->span, "\"%s\" takes %s, found %s", REDUCE_OPS[op],
                   logical ? "conditions" : type_is_numeric(value->type) ? "Integers" : "numbers", value->type->text);
        return;
    }
    local_contribute(c, local, entry ? expr_integer(c, 0, value->span) : value, ast->target->span);
    local->changes++;
    if (local->type == NULL || local->var == NULL || local->conflict != NULL) return; /* a conflict is reported with the body */
    const char *fault = target_fault(op, local->type);
    if (fault != NULL) {
        if (!c->dry)
            diag_error(c->check->diags, E_REDUCE_TYPE, ast->target->span, "\"%s\" needs a target that is %s, '%s' is %s", REDUCE_OPS[op], fault,
                       local->name, local->type->text);
        return;
    }
    LocalReduction *reduction = local_reduction(c, local, op, local->type, ast->span);
    if (reduction == NULL) return;
    if (entry) {
        reduce_entry(c, reduction, value, out);
        return;
    }
    value = expr_coerce(c, value, local->type, false, "the reduced value");
    if (value == NULL) return;
    Expr *place = expr_var(c, local->var, ast->target->span);
    push_plain(c, place, combined(c, op, place, value), ast->span, out);
}

void local_reductions_start(BodyCheck *c, const LocalReductions *reductions) {
    for (size_t i = 0; i < reductions->items.count; i++) {
        const LocalReduction *reduction = &reductions->items.items[i];
        push_plain(c, expr_var(c, reduction->local->var, reduction->span), reduction->start, reduction->span, reductions->around);
        if (reduction->best != NULL)
            push_plain(c, expr_var(c, reduction->best, reduction->span), constant(c, reduction->best->type, 0, 0, reduction->span), reduction->span,
                       reductions->around);
    }
}

/* ---- The statement ------------------------------------------------------------------------ */
static Local *target_local(BodyCheck *c, const AstExpr *ast) {
    NameRef ref = ast->kind == AST_NAME ? name_find(c, ast->name.text) : (NameRef){0};
    return ref.kind == NAME_LOCAL && c->local_reductions != NULL ? ref.local : NULL;
}

void check_reduce(BodyCheck *c, const AstStmt *ast, Block *out) {
    Diags *diags = c->check->diags;
    if (c->parallel_depth == 0) {
        Diag *d = diag_error(diags, E_REDUCE_PLACE, ast->span, "reduce stands only inside a parallel loop");
        diag_help(d, "write: do { reduce(total, \"sum\", x[i]) } for i in x");
    }
    ReduceOp op = REDUCE_SUM;
    bool known = find_op(c, ast->reduce_op, &op);
    Local *local = target_local(c, ast->target);
    Expr *target = local != NULL ? NULL : find_reduce_target(c, ast->target);
    Expr *value = check_value(c, ast->expr);
    if (local != NULL && known && value != NULL && value->type != NULL) reduce_into_local(c, ast, op, local, value, out);
    if (!known || target == NULL || value == NULL || value->type == NULL) return;
    const char *fault = target_fault(op, target->type);
    if (fault != NULL) {
        Diag *d = diag_error(diags, E_REDUCE_TYPE, ast->target->span, "\"%s\" needs a target that is %s, '%s' is %s", REDUCE_OPS[op], fault,
                             target->var->name, target->type->text);
        if (op == REDUCE_BAND || op == REDUCE_BOR)
            if (target->type->kind == TYPE_BOOLEAN) diag_help(d, "write \"%s\" for conditions", op == REDUCE_BAND ? "land" : "lor");
        return;
    }
    value = reduce_value(c, op, target, value);
    if (value == NULL) return;
    Stmt *stmt = stmt_new(c, STMT_REDUCE, ast->span);
    stmt->target = target;
    stmt->reduce = op;
    stmt->value = value;
    vec_push(c->arena, &out->statements, stmt);
}

/* ---- Extern blocks ---------------------------------------------------------------------- */
typedef struct ExternWalk { BodyCheck *c; ExternBlock *block; ExternCode *code; NameTable seen; } ExternWalk;

static void add_use(Arena *arena, VarVec *uses, Var *var) {
    for (size_t i = 0; i < uses->count; i++)
        if (uses->items[i] == var) return;
    vec_push(arena, uses, var);
}

static void note_extern_name(void *data, const char *text, size_t length) {
    ExternWalk *walk = data;
    BodyCheck *c = walk->c;
    const char *name = arena_copy(c->arena, text, length);
    if (name_table_put(c->arena, &walk->seen, name, walk) != NULL) return;
    NameRef ref = name_find(c, name);
    if (ref.kind == NAME_UNKNOWN || ref.var == NULL) return;
    if (ref.kind == NAME_LOCAL) {
        ref.local->read_this_pass = true;
        if (!c->dry) ref.local->read = true;
        ref.local->changes++;
        if (ref.local->type == NULL) return;
    }
    vec_push(c->arena, &walk->code->uses, ref.var);
    add_use(c->arena, &walk->block->uses, ref.var);
}

static const char *const extern_languages[] = {[EXTERN_C] = "C", [EXTERN_CPLUSPLUS] = "C++", [EXTERN_CUDA] = "CUDA"};

static bool is_in(const AstStmt *ast, ExternLanguage language) {
    const char *text = ast->external->language.text;
    return text != NULL && strcmp(text, extern_languages[language]) == 0;
}

size_t extern_group(const AstBlock *block, size_t first) {
    size_t count = 0;
    bool cuda = false;
    for (size_t i = first; i < block->statements.count && block->statements.items[i]->kind == AST_EXTERN; i++, count++)
        cuda = cuda || is_in(block->statements.items[i], EXTERN_CUDA);
    return count > 0 && !cuda ? 1 : count;
}

static const char *language_meant(const char *text) {
    if (text == NULL) return "C";
    if ((text[0] == 'c' || text[0] == 'C') && (text[1] == 'u' || text[1] == 'U')) return "CUDA";
    return text[0] == 'c' && text[1] != '\0' ? "C++" : "C";
}

/* False, and a message: the language is none of ours, or the place no place for extern code. */
static bool is_extern_allowed(BodyCheck *c, const AstStmt *ast) {
    const Name *language = &ast->external->language;
    if (!is_in(ast, EXTERN_C) && !is_in(ast, EXTERN_CPLUSPLUS) && !is_in(ast, EXTERN_CUDA)) {
        Diag *d = diag_error(c->check->diags, E_EXTERN_NOT_C, language->text == NULL ? ast->span : language->span,
                             "extern code is in \"C\", \"C++\" or \"CUDA\"%s%s", language->text == NULL ? "" : ", not in ",
                             language->text == NULL ? "" : language->text);
        diag_help(d, "write @Language \"%s\"", language_meant(language->text));
        return false;
    }
    if (c->place != IN_COORDINATOR) return true;
    Diag *d = diag_error(c->check->diags, E_EXTERN_PLACE, ast->span, "extern code cannot stand in the coordinator");
    diag_help(d, "put it into a function");
    return false;
}

/* A kernel is one unit of translation: no library can be linked to it. */
static void refuse_libraries(BodyCheck *c, const AstExtern *source) {
    if (source->libraries.count == 0) return;
    Diag *d = diag_error(c->check->diags, E_EXTERN_LIBRARIES, source->libraries.items[0].span, "code in \"CUDA\" cannot be linked with the library '%s'",
                         source->libraries.items[0].text);
    diag_help(d, "what a card runs comes from headers: @Includes { … }; libraries are for code in \"C\" and \"C++\"");
}

static ExternCode *extern_code(BodyCheck *c, const AstStmt *ast) {
    const AstExtern *source = ast->external;
    ExternCode *code = ARENA_NEW(c->arena, ExternCode);
    *code = (ExternCode){.language = is_in(ast, EXTERN_CUDA) ? EXTERN_CUDA : is_in(ast, EXTERN_CPLUSPLUS) ? EXTERN_CPLUSPLUS : EXTERN_C,
                         .includes = source->includes, .libraries = source->libraries,
                         .code = source->code, .code_length = source->code_length, .code_span = source->code_span, .span = ast->span};
    if (code->language == EXTERN_CUDA) refuse_libraries(c, source);
    return code;
}

static void add_alternative(BodyCheck *c, ExternBlock *block, const ExternCode *code) {
    const ExternCode **place = code->language == EXTERN_CUDA ? &block->card : &block->host;
    if (*place == NULL) {
        *place = code;
        return;
    }
    Diag *d = diag_error(c->check->diags, E_EXTERN_ALTERNATIVES, code->span, "a second block for %s, in \"%s\", among alternatives",
                         code->language == EXTERN_CUDA ? "cards" : "processors", extern_languages[code->language]);
    diag_note(d, (*place)->span, "the first one is here");
    diag_help(d, "beside a block in \"CUDA\" stands one in \"C\" or \"C++\": write both as one");
}

void check_extern(BodyCheck *c, AstStmt *const *group, size_t count, Block *out) {
    ExternBlock *block = ARENA_NEW(c->arena, ExternBlock);
    *block = (ExternBlock){0};
    for (size_t i = 0; i < count; i++) {
        if (!is_extern_allowed(c, group[i])) return;
        ExternCode *code = extern_code(c, group[i]);
        ExternWalk walk = {.c = c, .block = block, .code = code};
        extern_each_name(group[i]->external, note_extern_name, &walk);
        add_alternative(c, block, code);
    }
    Stmt *stmt = stmt_new(c, STMT_EXTERN, span_join(group[0]->span, group[count - 1]->span));
    stmt->external = block;
    vec_push(c->arena, &out->statements, stmt);
}
