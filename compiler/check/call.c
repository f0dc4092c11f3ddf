/* Calls. A user function is checked once for each combination of argument types: first
 * quietly for its result type, then, when a body that stays calls it, for good. */
#include <string.h>
#include "compiler/check/bodies.h"

enum { MAX_CALL_DEPTH = 256 };

typedef struct FunctionEntry {
    const AstFunction *decl;
    VEC(Type *) types;
    Type *result;                 /* NULL: not known (an error in the body, recursion) */
    Function *function;           /* NULL until built */
    ScopeTree *scopes;
    bool inferred, built;
    int instance;
} FunctionEntry;

/* What a function wants of arguments whose types only its own use of them can tell. */
typedef struct Probe {
    const AstFunction *decl;
    VEC(Type *) types;            /* of the arguments; NULL: to be told */
    FlexVec params, flexes;       /* by parameter: NULL where the type is known; those that are not NULL */
} Probe;

typedef struct FunctionDecl { const AstFunction *ast; bool named_as_built_in; VEC(FunctionEntry *) entries; VEC(Probe *) probes; } FunctionDecl;
struct FunctionTable { NameTable names; VEC(const char *) all; };

/* ---- math.h --------------------------------------------------------------------------- */
static const char *const MATH_ONE[] = {"sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "logb", "sin", "cos",
    "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh", "floor", "ceil", "round", "trunc", "rint",
    "nearbyint", "fabs", "erf", "erfc", "tgamma", "lgamma", "abs"};
static const char *const MATH_TWO[] = {"pow", "atan2", "fmod", "hypot", "fmin", "fmax", "copysign", "fdim", "remainder", "nextafter",
    "min", "max"};
static const char *const MATH_TESTS[] = {"isnan", "isinf", "isfinite", "signbit"};                 /* of a Real: Boolean */
static const char *const MATH_ROUNDINGS[][2] = {{"lround", "round"}, {"llround", "round"}, {"lrint", "rint"}, {"llrint", "rint"}}; /* to Integer */
static const char *const OTHER_BUILTINS[] = {"print", "load_array", "store_array", "bind_input", "bind_output"};
#define COUNT_OF(array) (sizeof(array) / sizeof *(array))

static bool word_in(const char *word, const char *const *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0) return true;
    return false;
}

/* 0 when `name` is no function of math.h. */
static size_t math_arity(const char *name) {
    if (word_in(name, MATH_TESTS, COUNT_OF(MATH_TESTS))) return 1;
    for (size_t i = 0; i < COUNT_OF(MATH_ROUNDINGS); i++)
        if (strcmp(name, MATH_ROUNDINGS[i][0]) == 0) return 1;
    if (word_in(name, MATH_ONE, COUNT_OF(MATH_ONE))) return 1;
    if (word_in(name, MATH_TWO, COUNT_OF(MATH_TWO))) return 2;
    return strcmp(name, "fma") == 0 ? 3 : 0;
}

static bool check_count(BodyCheck *c, const AstExpr *ast, size_t wanted) {
    if (ast->arguments.count == wanted) return true;
    Diag *d = diag_error(c->check->diags, E_ARGUMENT_COUNT, ast->span, "'%s' takes %zu argument%s, %zu given", ast->name.text, wanted,
                         wanted == 1 ? "" : "s", ast->arguments.count);
    bool extremum = strcmp(ast->name.text, "min") == 0 || strcmp(ast->name.text, "max") == 0;
    if (extremum && ast->arguments.count > 2) diag_help(d, "write %s(a, %s(b, c))", ast->name.text, ast->name.text);
    return false;
}

/* The Real type in which the function works: the widest argument, Integers alone giving double. */
static Type *math_type(BodyCheck *c, Expr *const *arguments, size_t count) {
    bool single = false;
    for (size_t i = 0; i < count; i++) {
        if (arguments[i]->type->kind == TYPE_REAL_SINGLE) single = true;
        if (arguments[i]->type->kind == TYPE_REAL_DOUBLE && !expr_is_weak_real(c, arguments[i])) return real_double(c);
    }
    return single ? basic(c, BASIC_REAL_SINGLE) : real_double(c);
}

static bool is_numeric_name(const char *name) {
    return strcmp(name, "abs") == 0 || strcmp(name, "min") == 0 || strcmp(name, "max") == 0;
}

/* abs, min and max: of Integers Integer ("llmin"), else those of Reals ("fmin"). */
static const char *numeric_name(BodyCheck *c, const char *name, Expr *const *arguments, size_t count, Type **type) {
    if (!is_numeric_name(name)) return name;
    bool integers = true;
    for (size_t i = 0; i < count; i++) integers = integers && arguments[i]->type->kind == TYPE_INTEGER;
    if (integers) *type = arguments[0]->type;
    return arena_printf(c->arena, "%s%s", integers ? "ll" : "f", name);
}

/* lround(x) is Integer(round(x)); other names stay. */
static Expr *rounded(BodyCheck *c, Expr *expr, const char *name) {
    for (size_t i = 0; i < COUNT_OF(MATH_ROUNDINGS); i++) {
        if (strcmp(name, MATH_ROUNDINGS[i][0]) != 0) continue;
        expr->math = MATH_ROUNDINGS[i][1];
        return expr_convert(c, expr, basic(c, BASIC_INTEGER));
    }
    return expr;
}

/* Something inferred by use is a Real here; in min and max what the other argument is. */
static bool demand_math_argument(BodyCheck *c, const AstExpr *ast, Expr *argument, const Expr *other) {
    bool beside = other != NULL && is_numeric_name(ast->name.text) && other->type != NULL && type_is_numeric(other->type);
    flex_demand(c, argument, beside ? other->type : real_double(c), false);
    if (!expr_known(c, argument)) return false;
    if (type_is_numeric(argument->type)) return true;
    diag_error(c->check->diags, E_ARGUMENT_TYPE, argument->span, "'%s' takes numbers, found %s", ast->name.text, argument->type->text);
    return false;
}

/* What other languages call so; a stage that is called like a function. */
static bool help_foreign_function(BodyCheck *c, Diag *d, const char *name) {
    static const char *const others[][2] = {
        {"range", "a range is written [first...last]"}, {"len", "the length of an array is x.dimension1.range.length"},
        {"length", "the length of an array is x.dimension1.range.length"}, {"size", "the length of an array is x.dimension1.range.length"},
        {"ln", "the natural logarithm is log(x)"}, {"sqr", "a square is written x * x or x ** 2"}, {"sgn", "write copysign(1.0, x)"},
        {"sign", "write copysign(1.0, x)"}, {"int", "write Integer(x)"}, {"float", "write Real double-precision(x)"},
        {"double", "write Real double-precision(x)"}, {"printf", "print(values…) prints a line, in the coordinator"},
        {"println", "print(values…) prints a line, in the coordinator"}};
    for (size_t i = 0; i < COUNT_OF(others); i++) {
        if (strcmp(name, others[i][0]) != 0) continue;
        diag_help(d, "%s", others[i][1]);
        return true;
    }
    const AstTask *task = c->task == NULL ? NULL : check_task_ast(c->check, c->task);
    for (size_t i = 0; task != NULL && i < task->stages.items.count; i++) {
        if (strcmp(task->stages.items.items[i].name.text, name) != 0) continue;
        diag_help(d, "'%s' is a stage: the Computation section calls it; what stages share is written as a Function", name);
        return true;
    }
    return false;
}

static Expr *check_math(BodyCheck *c, const AstExpr *ast, size_t arity) {
    if (!check_count(c, ast, arity)) return NULL;
    Expr *arguments[3];
    for (size_t i = 0; i < arity; i++) {
        arguments[i] = check_value(c, ast->arguments.items[i]);
        if (arguments[i] == NULL) return NULL;
    }
    for (size_t i = 0; i < arity; i++)
        if (!demand_math_argument(c, ast, arguments[i], arity == 2 ? arguments[1 - i] : NULL)) return NULL;
    Type *type = math_type(c, arguments, arity);
    const char *name = numeric_name(c, ast->name.text, arguments, arity, &type);
    bool test = word_in(name, MATH_TESTS, COUNT_OF(MATH_TESTS));
    Expr *expr = expr_new(c, EXPR_MATH, test ? basic(c, BASIC_BOOLEAN) : type, ast->span);
    expr->math = name;
    for (size_t i = 0; i < arity; i++) vec_push(c->arena, &expr->arguments, expr_convert(c, arguments[i], type));
    return rounded(c, expr, name);
}

/* Integer(x), Real single-precision(x), Real double-precision(x): the parser gives the call the type's name. */
static Type *conversion_type(BodyCheck *c, const char *name) {
    static const BasicType types[] = {BASIC_INTEGER, BASIC_REAL_SINGLE, BASIC_REAL_DOUBLE};
    for (size_t i = 0; i < COUNT_OF(types); i++)
        if (strcmp(name, basic(c, types[i])->text) == 0) return basic(c, types[i]);
    return NULL;
}

static Expr *check_conversion(BodyCheck *c, const AstExpr *ast, Type *type) {
    Expr *value = check_value(c, ast->arguments.items[0]);
    if (value == NULL) return NULL;
    flex_demand(c, value, type->kind == TYPE_INTEGER ? real_double(c) : type, false);
    if (!expr_known(c, value)) return NULL;
    if (type_is_numeric(value->type)) {
        Expr *converted = expr_convert(c, value, type);
        if (converted == value) {
            value->truncated = value->kind == EXPR_BINARY && type->kind == TYPE_INTEGER;
            return value;
        }
        converted->span = ast->span;
        return converted;
    }
    Diag *diag = diag_error(c->check->diags, E_ARGUMENT_TYPE, value->span, "'%s' takes numbers, found %s", ast->name.text, value->type->text);
    if (value->type->kind == TYPE_CHARACTER) help_codes(diag);
    if (value->type->kind == TYPE_BOOLEAN) diag_help(diag, "a number that tells is set under a condition: n = 0 if (b) { n = 1 }");
    return NULL;
}

/* Names that a program may give to a function of its own. */
static bool may_be_replaced(const char *name) { return strcmp(name, "min") == 0 || strcmp(name, "max") == 0; }

/* ---- The table of functions --------------------------------------------------------------- */
static void check_params(Check *check, const AstFunction *ast) {
    for (size_t i = 0; i < ast->params.count; i++)
        for (size_t k = 0; k < i; k++) {
            if (strcmp(ast->params.items[i].name.text, ast->params.items[k].name.text) != 0) continue;
            diag_error(check->diags, E_REPEATED_PARAMETER, ast->params.items[i].name.span, "parameter '%s' is named twice",
                       ast->params.items[i].name.text);
        }
}

void functions_init(Check *check) {
    if (check->functions != NULL) return;
    struct FunctionTable *table = ARENA_NEW(check->arena, struct FunctionTable);
    check->functions = table;
    for (size_t i = 0; i < check->ast->parts.count; i++) {
        const AstFunction *ast = check->ast->parts.items[i].function;
        if (check->ast->parts.items[i].kind != AST_PART_FUNCTION) continue;
        const char *name = ast->name.text;
        const bool built_in = (math_arity(name) > 0 && !may_be_replaced(name)) || word_in(name, OTHER_BUILTINS, COUNT_OF(OTHER_BUILTINS));
        if (built_in) { /* its calls are meant for it, and need no errors of their own */
            Diag *d = diag_error(check->diags, E_BUILTIN_FUNCTION, ast->name.span, "'%s' is a built-in function", name);
            diag_help(d, "give the function another name");
        }
        FunctionDecl *decl = ARENA_NEW(check->arena, FunctionDecl);
        decl->ast = ast;
        decl->named_as_built_in = built_in;
        FunctionDecl *other = name_table_put(check->arena, &table->names, name, decl);
        if (other != NULL) {
            Diag *d = diag_error(check->diags, E_REPEATED_FUNCTION, ast->name.span, "function '%s' is defined twice", name);
            diag_note(d, other->ast->name.span, "the other definition is here");
            continue;
        }
        vec_push(check->arena, &table->all, name);
        check_params(check, ast);
    }
}

void functions_report_unused(Check *check) {
    struct FunctionTable *table = check->functions;
    for (size_t i = 0; i < table->all.count; i++) {
        FunctionDecl *decl = name_table_find(&table->names, table->all.items[i]);
        if (decl->entries.count == 0 && !decl->named_as_built_in)
            diag_warning(check->diags, W_UNUSED_FUNCTION, decl->ast->name.span, "function '%s' is never called and was not checked", table->all.items[i]);
    }
}

static FunctionEntry *find_entry(Check *check, FunctionDecl *decl, Type *const *types) {
    for (size_t i = 0; i < decl->entries.count; i++) {
        FunctionEntry *entry = decl->entries.items[i];
        if (entry->types.count == 0 || memcmp(entry->types.items, types, entry->types.count * sizeof *types) == 0) return entry;
    }
    FunctionEntry *entry = ARENA_NEW(check->arena, FunctionEntry);
    entry->decl = decl->ast;
    for (size_t i = 0; i < decl->ast->params.count; i++) vec_push(check->arena, &entry->types, types[i]);
    vec_push(check->arena, &decl->entries, entry);
    return entry;
}

/* ---- Checking an instance -------------------------------------------------------------------- */
static bool is_param(void *data, const char *name, bool assigned) {
    (void)assigned;
    const AstFunction *decl = data;
    for (size_t i = 0; i < decl->params.count; i++)
        if (strcmp(decl->params.items[i].name.text, name) == 0) return true;
    return false;
}

static void function_pass(BodyCheck *c, void *data) {
    FunctionEntry *entry = data;
    Function *function = ARENA_NEW(c->arena, Function);
    Body *body = &function->body;
    *body = (Body){.name = entry->decl->name.text, .span = entry->decl->span};
    body_begin(c, body);
    for (size_t i = 0; i < entry->decl->params.count; i++) {
        const AstParam *param = &entry->decl->params.items[i];
        Var *var = body_add_var(c, VAR_PARAM, param->name.text, entry->types.items[i], param->name.span);
        var->by_reference = param->by_reference;
        vec_push(c->arena, &body->params, var);
    }
    check_block(c, &entry->decl->body, &body->block);
    if (c->dry) {
        entry->result = c->result != NULL ? c->result : c->returns_nothing || !c->saw_return ? type_void(c->check) : NULL;
        return;
    }
    body->result = c->result_known != NULL ? c->result_known : type_void(c->check);
    entry->function = function;
    body_report(c);
    if (c->result != NULL && entry->scopes->falls_through) {
        Diag *d = diag_error(c->check->diags, E_MISSING_RETURN, entry->decl->name.span, "function '%s' can reach its end without returning a value", body->name);
        diag_note(d, c->result_span, "a value is returned here");
    }
}

static BodyCheck function_check(BodyCheck *caller, FunctionEntry *entry) {
    if (entry->scopes == NULL)
        entry->scopes = scope_analyse(caller->check->arena, &entry->decl->body, is_param, (void *)entry->decl);
    return (BodyCheck){.check = caller->check, .arena = caller->check->arena, .place = IN_FUNCTION, .body_kind = "function",
                       .scopes = entry->scopes};
}

static void report_recursion(BodyCheck *c, const AstFunction *decl, Span span) {
    Check *check = c->check;
    size_t first = 0;
    while (check->call_stack_decls.items[first] != decl) first++;
    char *cycle = arena_strdup(c->arena, "");
    for (size_t i = first; i < check->call_stack_decls.count; i++)
        cycle = arena_printf(c->arena, "%s%s → ", cycle, check->call_stack_decls.items[i]->name.text);
    Diag *d = diag_error(check->diags, E_RECURSION, span, "recursion: %s%s", cycle, decl->name.text);
    diag_help(d, "functions cannot call themselves, directly or through others; write a loop");
}

static bool stack_has(const Check *check, const AstFunction *decl) {
    for (size_t i = 0; i < check->call_stack_decls.count; i++)
        if (check->call_stack_decls.items[i] == decl) return true;
    return false;
}

static void infer_entry(BodyCheck *caller, FunctionEntry *entry) {
    if (entry->inferred) return;
    entry->inferred = true;
    BodyCheck c = function_check(caller, entry);
    infer_dry(&c, function_pass, entry);
}

static void build_entry(BodyCheck *caller, FunctionEntry *entry, int instance) {
    if (entry->built || caller->dry) return;
    entry->built = true;
    BodyCheck c = function_check(caller, entry);
    c.result_known = entry->result;
    size_t errors = diags_error_count(c.check->diags);
    function_pass(&c, entry);
    if (diags_error_count(c.check->diags) != errors) entry->result = NULL;   /* calls need no errors of their own */
    else function_note_effects(entry->function);
    Program *program = caller->check->program;
    entry->function->id = (int)program->functions.count;
    entry->function->body.instance = instance;
    vec_push(caller->check->arena, &program->functions, entry->function);
}

/* ---- Arguments that get their type from the function ----------------------------------------------- */
static void probe_pass(BodyCheck *c, void *data) {
    Probe *probe = data;
    Body body = {.name = probe->decl->name.text, .span = probe->decl->span};
    body_begin(c, &body);
    for (size_t i = 0; i < probe->decl->params.count; i++) {
        const AstParam *param = &probe->decl->params.items[i];
        Flex *flex = probe->params.items[i];
        Var *var = body_add_var(c, VAR_PARAM, param->name.text, flex != NULL ? flex->type : probe->types.items[i], param->name.span);
        vec_last(&c->flex_of_var) = flex;
        var->by_reference = param->by_reference;
        vec_push(c->arena, &body.params, var);
    }
    check_block(c, &probe->decl->body, &body.block);
}

static Probe *find_probe(BodyCheck *caller, FunctionDecl *decl, Type *const *types) {
    Arena *arena = caller->check->arena;
    size_t count = decl->ast->params.count;
    for (size_t i = 0; i < decl->probes.count; i++)
        if (memcmp(decl->probes.items[i]->types.items, types, count * sizeof *types) == 0) return decl->probes.items[i];
    Probe *probe = ARENA_NEW(arena, Probe);
    probe->decl = decl->ast;
    vec_push(arena, &decl->probes, probe);
    BodyCheck c = {.check = caller->check, .arena = arena, .place = IN_FUNCTION, .body_kind = "function", .flexes = &probe->flexes,
                   .scopes = scope_analyse(arena, &decl->ast->body, is_param, (void *)decl->ast)};
    for (size_t i = 0; i < count; i++) {
        const AstParam *param = &decl->ast->params.items[i];
        vec_push(arena, &probe->types, types[i]);
        vec_push(arena, &probe->params, types[i] == NULL ? flex_new(&c, param->name.text, NULL, param->name.span) : NULL);
    }
    infer_dry(&c, probe_pass, probe);
    return probe;
}

/* The function is checked, quietly, with parameters whose types its uses decide. */
static void demand_as_function(BodyCheck *c, FunctionDecl *decl, const ExprVec *arguments, Type *const *types) {
    if (!c->dry || stack_has(c->check, decl->ast) || c->check->call_stack_decls.count >= MAX_CALL_DEPTH) return;
    vec_push(c->check->arena, &c->check->call_stack_decls, decl->ast);
    const Probe *probe = find_probe(c, decl, types);
    c->check->call_stack_decls.count--;
    for (size_t i = 0; i < arguments->count; i++) {
        const Flex *flex = types[i] == NULL ? probe->params.items[i] : NULL;
        if (flex != NULL && flex->type != NULL) flex_demand(c, arguments->items[i], flex->type, flex->strict != NULL);
    }
}

/* ---- A call --------------------------------------------------------------------------------------- */
static Expr *check_argument(BodyCheck *c, const AstParam *param, const AstExpr *ast, Type **type) {
    c->argument = ast->kind == AST_NAME ? ast : NULL;
    if (!param->by_reference) {
        Expr *value = check_value(c, ast);
        if (value == NULL || (!expr_known(c, value) && expr_flex(c, value) == NULL)) return NULL;
        *type = value->type;
        return value;
    }
    Expr *place = check_any(c, ast);
    if (place == NULL || !expr_known(c, place)) return NULL;
    if (place->type->kind == TYPE_ARRAY) return check_value(c, ast);
    bool is_place = place->kind == EXPR_VAR || place->kind == EXPR_ELEMENT || place->kind == EXPR_AT_INDEX || place->kind == EXPR_FIELD;
    if (!is_place) {
        Diag *d = diag_error(c->check->diags, E_REFERENCE_ARGUMENT, ast->span, "parameter '&%s' needs a variable, this is a value", param->name.text);
        diag_help(d, "assign the value to a local and pass that");
        return NULL;
    }
    if (!place_writable(c, place, "pass by reference")) return NULL;
    local_note_change(c, place, NULL, NULL);
    *type = place_storage(place);
    return *type == NULL ? NULL : place;
}

static Expr *check_user_call(BodyCheck *c, const AstExpr *ast, FunctionDecl *decl) {
    if (!check_count(c, ast, decl->ast->params.count)) return NULL;
    size_t count = ast->arguments.count;
    Type **types = ARENA_ARRAY(c->arena, Type *, count + 1);
    Expr *call = expr_new(c, EXPR_CALL, NULL, ast->span);
    bool open = false;            /* some argument has no type yet */
    for (size_t i = 0; i < count; i++) {
        Expr *argument = check_argument(c, &decl->ast->params.items[i], ast->arguments.items[i], &types[i]);
        if (argument == NULL) return NULL;
        open = open || types[i] == NULL;
        vec_push(c->arena, &call->arguments, argument);
    }
    if (open) {
        demand_as_function(c, decl, &call->arguments, types);
        return NULL;
    }
    Check *check = c->check;
    if (stack_has(check, decl->ast)) {
        report_recursion(c, decl->ast, ast->span);
        return NULL;
    }
    if (check->call_stack_decls.count >= MAX_CALL_DEPTH) {
        diag_error(check->diags, E_CALL_DEPTH, ast->span, "functions call each other more than %d deep", MAX_CALL_DEPTH);
        return NULL;
    }
    FunctionEntry *entry = find_entry(check, decl, types);
    int instance = 0;
    while (decl->entries.items[instance] != entry) instance++;
    vec_push(check->arena, &check->call_stack_decls, decl->ast);
    infer_entry(c, entry);
    build_entry(c, entry, instance);
    check->call_stack_decls.count--;
    if (entry->result == NULL) return NULL;
    call->type = entry->result;
    call->function = entry->function;
    if (call->function != NULL) warn_cut_by_reference(c, call);
    return call;
}

Expr *check_call(BodyCheck *c, const AstExpr *ast) {
    const char *name = ast->name.text;
    struct FunctionTable *table = c->check->functions;
    FunctionDecl *decl = name_table_find(&table->names, name);
    if (word_in(name, OTHER_BUILTINS, COUNT_OF(OTHER_BUILTINS)) && decl == NULL) return check_coordinator_value(c, ast);
    if (c->place == IN_PARTITION) {
        diag_error(c->check->diags, E_NOT_A_VALUE, ast->span, "a partition argument is made of partition parameters and numbers alone");
        return NULL;
    }
    Type *conversion = conversion_type(c, name);
    if (conversion != NULL) return check_conversion(c, ast, conversion);
    if (decl != NULL) return check_user_call(c, ast, decl);
    size_t arity = math_arity(name);
    if (arity > 0) return check_math(c, ast, arity);
    VEC(const char *) words = {0};
    Diag *d = diag_error(c->check->diags, E_UNKNOWN_FUNCTION, ast->name.span, "unknown function '%s'", name);
    for (size_t i = 0; i < c->check->ast->parts.count; i++) {
        const AstPart *part = &c->check->ast->parts.items[i];
        if (part->kind == AST_PART_TYPE && strcmp(part->type->name.text, name) == 0) {
            diag_help(d, "a value of type %s is made by new %s(field: value, …)", name, name);
            return NULL;
        }
    }
    if (help_foreign_function(c, d, name) || !diag_wants_guess(d)) return NULL;
    for (size_t i = 0; i < table->all.count; i++) vec_push(c->arena, &words, table->all.items[i]);
    for (size_t i = 0; i < COUNT_OF(MATH_ONE); i++) vec_push(c->arena, &words, MATH_ONE[i]);
    for (size_t i = 0; i < COUNT_OF(MATH_TWO); i++) vec_push(c->arena, &words, MATH_TWO[i]);
    static const char *const of_coordinator[] = {"print", "bind_input", "bind_output", "load_array", "store_array", "execute"};
    for (size_t i = 0; i < COUNT_OF(of_coordinator) && c->place == IN_COORDINATOR; i++) vec_push(c->arena, &words, of_coordinator[i]);
    help_nearest(d, name, words.items, words.count);
    return NULL;
}
