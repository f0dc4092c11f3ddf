/* reduce(target, "op", value) and extern blocks. */
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
    Diag *d = diag_error(c->check->diags, E_REDUCE_TARGET, ast->span, "the target of reduce must be a Reduction variable of the task");
    diag_help(d, "declare it in Define like this: total: Real double-precision Reduction");
    if (ref.kind == NAME_LOCAL) diag_help(d, "a local collects values in a sequential loop: do in sequence { sum = sum + x[i] } for i in …");
    if (ref.kind == NAME_LOCAL) ref.local->read = true;
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

void check_reduce(BodyCheck *c, const AstStmt *ast, Block *out) {
    Diags *diags = c->check->diags;
    if (c->parallel_depth == 0) {
        Diag *d = diag_error(diags, E_REDUCE_PLACE, ast->span, "reduce stands only inside a parallel loop");
        diag_help(d, "write: do { reduce(total, \"sum\", x[i]) } for i in x");
    }
    ReduceOp op = REDUCE_SUM;
    bool known = find_op(c, ast->reduce_op, &op);
    Expr *target = find_reduce_target(c, ast->target);
    Expr *value = check_value(c, ast->expr);
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
typedef struct ExternWalk { BodyCheck *c; ExternBlock *external; NameTable seen; } ExternWalk;

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
    vec_push(c->arena, &walk->external->uses, ref.var);
}

void check_extern(BodyCheck *c, const AstStmt *ast, Block *out) {
    const AstExtern *source = ast->external;
    static const char *const languages[] = {"C", "C++"};
    bool c_plus_plus = source->language.text != NULL && strcmp(source->language.text, "C++") == 0;
    if (source->language.text == NULL || (!c_plus_plus && strcmp(source->language.text, "C") != 0)) {
        Diag *d = diag_error(c->check->diags, E_EXTERN_NOT_C, source->language.text == NULL ? ast->span : source->language.span,
                             "extern code is in \"C\" or \"C++\"%s%s", source->language.text == NULL ? "" : ", not in ",
                             source->language.text == NULL ? "" : source->language.text);
        diag_help(d, "write @Language \"%s\"", source->language.text == NULL ? "C" : languages[source->language.text[0] == 'c' && source->language.text[1] != '\0']);
        return;
    }
    if (c->place == IN_COORDINATOR) {
        Diag *d = diag_error(c->check->diags, E_EXTERN_PLACE, ast->span, "extern code cannot stand in the coordinator");
        diag_help(d, "put it into a function");
        return;
    }
    ExternBlock *external = ARENA_NEW(c->arena, ExternBlock);
    *external = (ExternBlock){.cplusplus = c_plus_plus, .includes = source->includes, .libraries = source->libraries,
                              .code = source->code, .code_length = source->code_length, .code_span = source->code_span};
    ExternWalk walk = {.c = c, .external = external};
    extern_each_name(source, note_extern_name, &walk);
    Stmt *stmt = stmt_new(c, STMT_EXTERN, ast->span);
    stmt->external = external;
    vec_push(c->arena, &out->statements, stmt);
}
