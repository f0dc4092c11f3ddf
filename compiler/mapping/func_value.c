/* Evaluating index mapping functions, with points known or unknown. Every expression notes the kind of its value in the
 * tree; a known value is computed by the functions of runtime/mapping, an unknown one has its kind and length only. */
#include "compiler/mapping/func_eval.h"
#include <stdarg.h>
#include <string.h>

enum { MOST_STEPS = 200000 };

/* ---- Values ----------------------------------------------------------------------------------------- */

const FuncValue *func_fail(FuncEval *eval, DiagCode code, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *message = arena_vprintf(eval->arena, format, args);
    va_end(args);
    eval->failed = true;
    diag_error(eval->diags, code, span, "%s", message);
    return func_make(eval, FUNC_UNKNOWN, false, 0);
}

FuncValue *func_make(FuncEval *eval, FuncKind kind, bool known, int length) {
    FuncValue *value = ARENA_NEW(eval->arena, FuncValue);
    value->kind = kind;
    value->known = known;
    value->length = length;
    return value;
}

const FuncValue *func_make_int(FuncEval *eval, bool known, int64_t number) {
    FuncValue *value = func_make(eval, FUNC_INT, known, 0);
    value->number = number;
    return value;
}

static const FuncValue *func_make_tuple(FuncEval *eval, bool known, Hp5Tuple tuple) {
    FuncValue *value = func_make(eval, FUNC_TUPLE, known, tuple.count);
    value->tuple = tuple;
    return value;
}

const char *func_kind_name(const FuncEval *eval, const FuncValue *value) {
    switch (value->kind) {
    case FUNC_INT: return "a number";
    case FUNC_TUPLE: return arena_printf(eval->arena, "a tuple of %d", value->length);
    case FUNC_SPACE: return arena_printf(eval->arena, "a processor space of %d dimension%s", value->length, value->length == 1 ? "" : "s");
    case FUNC_PROCESSOR: return "a processor";
    case FUNC_TASK: return "a task";
    default: return "nothing";
    }
}

const FuncValue *func_done(FuncEval *eval, FuncValue *value, Span span) {
    if (!eval->mapper.failed) return value;
    eval->mapper.failed = false;
    value->known = false;
    if (eval->hypothetical > 0) return value;
    return func_fail(eval, E_FUNC_VALUE, span, "%s", eval->mapper.message);
}

const FuncValue *func_extents(FuncEval *eval, const FuncValue *value) {
    if (value->kind != FUNC_SPACE) return value;
    Hp5Tuple size = {.count = value->length};
    return func_make_tuple(eval, value->known, value->known ? value->space->size : size);
}

/* ---- Lists ---------------------------------------------------------------------------------------------- */

const FuncValue *func_list(FuncEval *eval, const FuncArgVec *items, Span span) {
    Hp5Tuple tuple = {0};
    bool known = true, bad = false;
    int length = 0;
    for (size_t i = 0; i < items->count; i++) {
        const FuncArg *item = &items->items[i];
        const FuncValue *value = func_eval(eval, item->expr);
        if (value->kind == FUNC_UNKNOWN) bad = true;
        else if (item->name) bad = func_fail(eval, E_FUNC_CALL, item->span, "'%s=' has no meaning here", item->name) != NULL;
        else if (value->kind != (item->splat ? FUNC_TUPLE : FUNC_INT)) {
            bad = true;
            func_fail(eval, E_FUNC_TYPE, item->span, item->splat ? "'*' needs a tuple, found %s" : "expected a number, found %s",
                      func_kind_name(eval, value));
        }
        if (bad) continue;
        known = known && value->known;
        int count = item->splat ? value->length : 1;
        if (length + count > HP5_SPACE_DIMS) return func_fail(eval, E_FUNC_TYPE, span, "a tuple has at most %d elements", HP5_SPACE_DIMS);
        for (int j = 0; j < count; j++) tuple.at[length + j] = item->splat ? value->tuple.at[j] : value->number;
        length += count;
    }
    tuple.count = length;
    return bad ? func_make(eval, FUNC_UNKNOWN, false, 0) : func_make_tuple(eval, known, tuple);
}

/* ---- Operators -------------------------------------------------------------------------------------------- */

static bool compares(char op) { return op == '<' || op == '>' || op == FUNC_AT_MOST || op == FUNC_AT_LEAST || op == FUNC_EQUAL || op == FUNC_DIFFERENT; }

static int64_t outcome(char op, int order) {
    switch (op) {
    case '<': return order < 0;
    case '>': return order > 0;
    case FUNC_AT_MOST: return order <= 0;
    case FUNC_AT_LEAST: return order >= 0;
    case FUNC_EQUAL: return order == 0;
    default: return order != 0;
    }
}

static const FuncValue *binary(FuncEval *eval, FuncExpr *expr) {
    const FuncValue *a = func_eval(eval, expr->a), *b = func_eval(eval, expr->b);
    if (a->kind == FUNC_UNKNOWN || b->kind == FUNC_UNKNOWN) return func_make(eval, FUNC_UNKNOWN, false, 0);
    bool numbers = a->kind == FUNC_INT && b->kind == FUNC_INT, known = a->known && b->known;
    bool fit = (a->kind == FUNC_INT || a->kind == FUNC_TUPLE) && (b->kind == FUNC_INT || b->kind == FUNC_TUPLE);
    bool comparison = compares(expr->op);
    if (fit && a->kind == FUNC_TUPLE && b->kind == FUNC_TUPLE) fit = a->length == b->length;
    if (comparison && a->kind != b->kind) fit = false;
    if (!fit) {
        const FuncValue *bad = func_fail(eval, E_FUNC_TYPE, expr->span, "%s and %s do not go together", func_kind_name(eval, a), func_kind_name(eval, b));
        return bad;
    }
    Hp5Tuple left = a->kind == FUNC_TUPLE ? a->tuple : (Hp5Tuple){1, {a->number}}, right = b->kind == FUNC_TUPLE ? b->tuple : (Hp5Tuple){1, {b->number}};
    if (comparison) return func_make_int(eval, known, known ? outcome(expr->op, hp5_tuple_compare(left, right)) : 0);
    if (a->kind != b->kind) {
        if (a->kind == FUNC_INT) left = hp5_tuple_all(a->number, right);
        else right = hp5_tuple_all(b->number, left);
    }
    Hp5Tuple result = {.count = numbers ? 1 : a->kind == FUNC_TUPLE ? a->length : b->length};
    if (b->known && !known && (expr->op == '/' || expr->op == '%')) hp5_tuple_op(&eval->mapper, right, expr->op, right); /* by zero? */
    if (known) result = hp5_tuple_op(&eval->mapper, left, expr->op, right);
    FuncValue *value = func_make(eval, numbers ? FUNC_INT : FUNC_TUPLE, known, numbers ? 0 : result.count);
    value->tuple = result;
    value->number = result.at[0];
    return func_done(eval, value, expr->span);
}

static const FuncValue *negate(FuncEval *eval, FuncExpr *expr) {
    const FuncValue *a = func_eval(eval, expr->a);
    if (a->kind == FUNC_INT) return func_make_int(eval, a->known, (int64_t)(0 - (uint64_t)a->number));
    if (a->kind == FUNC_TUPLE) return func_make_tuple(eval, a->known, hp5_tuple_op(&eval->mapper, hp5_tuple_all(0, a->tuple), '-', a->tuple));
    return a->kind == FUNC_UNKNOWN ? a : func_fail(eval, E_FUNC_TYPE, expr->span, "'-' needs a number or a tuple, found %s", func_kind_name(eval, a));
}

static const FuncValue *branch(FuncEval *eval, FuncExpr *expr, bool taken) {
    eval->hypothetical += !taken;
    const FuncValue *value = func_eval(eval, expr);
    eval->hypothetical -= !taken;
    return value;
}

static const FuncValue *condition(FuncEval *eval, FuncExpr *expr) {
    const FuncValue *chooses = func_eval(eval, expr->a);
    if (chooses->kind != FUNC_INT && chooses->kind != FUNC_UNKNOWN)
        return func_fail(eval, E_FUNC_TYPE, expr->a->span, "a condition is a comparison or a number, found %s", func_kind_name(eval, chooses));
    const FuncValue *yes = branch(eval, expr->b, chooses->known && chooses->number != 0);
    const FuncValue *no = branch(eval, expr->c, chooses->known && chooses->number == 0);
    if (yes->kind == FUNC_UNKNOWN || no->kind == FUNC_UNKNOWN) return yes->kind == FUNC_UNKNOWN ? yes : no;
    if (yes->kind != no->kind || yes->length != no->length)
        return func_fail(eval, E_FUNC_TYPE, expr->span, "'?:' gives %s or %s; both must be the same", func_kind_name(eval, yes), func_kind_name(eval, no));
    if (chooses->known) return chooses->number != 0 ? yes : no;
    FuncValue *value = ARENA_NEW(eval->arena, FuncValue);
    *value = *yes;
    value->known = false;
    value->space = NULL;
    return value;
}

/* ---- Names, members, elements ---------------------------------------------------------------------------------- */

static const FuncValue *unknown_name(FuncEval *eval, const FuncExpr *expr, const char *what) {
    const char **names = ARENA_ARRAY(eval->arena, const char *, eval->items->count + FUNC_BUILTINS + 64);
    size_t count = 0;
    for (const FuncScope *at = eval->scope; at && count < 64; at = at->next) names[count++] = at->name;
    for (size_t i = 0; i < eval->items->count; i++) names[count++] = eval->items->items[i]->name;
    for (size_t i = 0; i < FUNC_BUILTINS; i++) names[count++] = func_builtins[i];
    Diag *diag = diag_error(eval->diags, E_FUNC_NAME, expr->name_span, "unknown %s '%s'", what, expr->name);
    eval->failed = true;
    const char *near = text_nearest(expr->name, names, count);
    if (near) diag_help(diag, "did you mean '%s'?", near);
    return func_make(eval, FUNC_UNKNOWN, false, 0);
}

static const FuncValue *func_eval_item(FuncEval *eval, FuncItem *item, const FuncValue *const *args, Span span);

static const FuncValue *name(FuncEval *eval, const FuncExpr *expr) {
    for (const FuncScope *at = eval->scope; at; at = at->next)
        if (strcmp(at->name, expr->name) == 0) return at->value;
    FuncItem *item = func_find(eval->items, expr->name);
    if (item == NULL) return unknown_name(eval, expr, "name");
    if (item->is_function)
        return func_fail(eval, E_FUNC_TYPE, expr->span, "'%s' is a function; call it: %s(…)", item->name, item->name);
    return func_eval_item(eval, item, NULL, expr->span);
}

static const FuncValue *member(FuncEval *eval, FuncExpr *expr) {
    const FuncValue *of = func_eval(eval, expr->a);
    if (of->kind == FUNC_SPACE && strcmp(expr->name, "size") == 0) return func_extents(eval, of);
    if (of->kind == FUNC_TASK && strcmp(expr->name, "ipoint") == 0) return of->ipoint;
    if (of->kind == FUNC_TASK && strcmp(expr->name, "ispace") == 0) return of->ispace;
    if (of->kind == FUNC_UNKNOWN) return of;
    return func_fail(eval, E_FUNC_NAME, expr->name_span, "%s has no member '%s'%s", func_kind_name(eval, of), expr->name,
                     of->kind == FUNC_SPACE ? "; its extents are 'size'" : of->kind == FUNC_TASK ? "; it has ipoint and ispace" : "");
}

static const FuncValue *tuple_element(FuncEval *eval, FuncExpr *expr, const FuncValue *tuple) {
    const FuncValue *index = func_list(eval, &expr->items, expr->span);
    if (index->kind == FUNC_UNKNOWN) return index;
    if (index->length != 1)
        return func_fail(eval, E_FUNC_TYPE, expr->span, "an element of a tuple has one index, found %d", index->length);
    FuncValue *value = func_make(eval, FUNC_INT, tuple->known && index->known, 0);
    if (index->known) { /* also while the tuple's elements are unknown: is there such an element? */
        Hp5Tuple elements = tuple->tuple;
        elements.count = tuple->length;
        value->number = hp5_tuple_get(&eval->mapper, elements, index->tuple.at[0]);
    }
    return func_done(eval, value, expr->span);
}

static const FuncValue *processor(FuncEval *eval, FuncExpr *expr, const FuncValue *space, const FuncValue *index) {
    if (index->kind == FUNC_UNKNOWN) return index;
    if (index->length != space->length)
        return func_fail(eval, E_FUNC_TYPE, expr->span, "the processor space has %d dimension%s, but there %s %d ind%s", space->length,
                         space->length == 1 ? "" : "s", index->length == 1 ? "is" : "are", index->length, index->length == 1 ? "ex" : "ices");
    FuncValue *value = func_make(eval, FUNC_PROCESSOR, space->known && index->known, 0);
    value->level = space->level;
    if (value->known) {
        value->tuple = hp5_space_base(&eval->mapper, space->space, index->tuple);
        for (int i = 0; i < value->tuple.count; i++) value->number = value->number * space->space->base.at[i] + value->tuple.at[i];
    }
    return func_done(eval, value, expr->span);
}

/* m[i] is an extent, m[i, j] and m[t] are processors. */
static const FuncValue *space_element(FuncEval *eval, FuncExpr *expr, const FuncValue *space) {
    if (expr->items.count == 1 && !expr->items.items[0].splat) {
        const FuncValue *only = func_eval(eval, expr->items.items[0].expr);
        if (only->kind == FUNC_TUPLE) return processor(eval, expr, space, only);
        if (only->kind == FUNC_INT && space->length > 1) return tuple_element(eval, expr, func_extents(eval, space));
    }
    return processor(eval, expr, space, func_list(eval, &expr->items, expr->span));
}

static const FuncValue *element(FuncEval *eval, FuncExpr *expr) {
    const FuncValue *of = func_eval(eval, expr->a);
    if (of->kind == FUNC_TUPLE) return tuple_element(eval, expr, of);
    if (of->kind == FUNC_SPACE) return space_element(eval, expr, of);
    return of->kind == FUNC_UNKNOWN ? of : func_fail(eval, E_FUNC_TYPE, expr->span, "%s has no elements", func_kind_name(eval, of));
}

static const FuncValue *bound(FuncEval *eval, FuncExpr *expr, int64_t absent) {
    if (expr == NULL) return func_make_int(eval, true, absent);
    const FuncValue *value = func_eval(eval, expr);
    if (value->kind == FUNC_UNKNOWN || (value->kind == FUNC_INT && value->known)) return value;
    if (value->kind == FUNC_INT)
        return func_fail(eval, E_FUNC_TYPE, expr->span, "a slice's bound must not depend on the point: the length of a tuple is fixed");
    return func_fail(eval, E_FUNC_TYPE, expr->span, "a slice's bound is a number, found %s", func_kind_name(eval, value));
}

static const FuncValue *part(FuncEval *eval, FuncExpr *expr) {
    const FuncValue *of = func_extents(eval, func_eval(eval, expr->a));
    const FuncValue *from = bound(eval, expr->b, 0), *to = bound(eval, expr->c, INT32_MAX);
    if (of->kind == FUNC_UNKNOWN || from->kind == FUNC_UNKNOWN || to->kind == FUNC_UNKNOWN) return func_make(eval, FUNC_UNKNOWN, false, 0);
    if (of->kind != FUNC_TUPLE) return func_fail(eval, E_FUNC_TYPE, expr->span, "%s has no parts", func_kind_name(eval, of));
    Hp5Tuple tuple = of->tuple;
    tuple.count = of->length;
    return func_make_tuple(eval, of->known, hp5_tuple_part(tuple, from->number, to->number));
}

static const FuncValue *comprehension(FuncEval *eval, FuncExpr *expr) {
    const FuncValue *source = func_extents(eval, func_eval(eval, expr->b));
    if (source->kind == FUNC_UNKNOWN) return source;
    if (source->kind != FUNC_TUPLE)
        return func_fail(eval, E_FUNC_TYPE, expr->b->span, "'for … in' needs a tuple, found %s", func_kind_name(eval, source));
    Hp5Tuple tuple = {.count = source->length};
    bool known = true;
    FuncScope scope = {.name = expr->name, .next = eval->scope};
    const FuncValue *bad = NULL;
    for (int i = 0; i < source->length && !bad; i++) {
        scope.value = func_make_int(eval, source->known, source->tuple.at[i]);
        eval->scope = &scope;
        const FuncValue *value = func_eval(eval, expr->a);
        eval->scope = scope.next;
        if (value->kind == FUNC_UNKNOWN) bad = value;
        else if (value->kind != FUNC_INT) bad = func_fail(eval, E_FUNC_TYPE, expr->a->span, "a tuple has numbers, found %s", func_kind_name(eval, value));
        known = known && value->known;
        tuple.at[i] = value->number;
    }
    return bad ? bad : func_make_tuple(eval, known, tuple);
}

/* ---- Calls -------------------------------------------------------------------------------------------------------- */

/* The tuple that a Tuple parameter gets from a space. */
static const FuncValue *as_parameter(FuncEval *eval, FuncParam *param, const FuncValue *value, Span span) {
    if (param->kind == FUNC_TUPLE) value = func_extents(eval, value);
    if (param->kind == FUNC_UNKNOWN) param->kind = value->kind;
    if (value->kind == param->kind || value->kind == FUNC_UNKNOWN) return value;
    return func_fail(eval, E_FUNC_TYPE, span, "parameter '%s' is %s, found %s", param->name,
                     param->type ? arena_printf(eval->arena, "of type %s", param->type) : func_kind_name(eval, &(FuncValue){.kind = param->kind}),
                     func_kind_name(eval, value));
}

/* f(point, extents) of a function with a parameter `Task task`: for --eval. */
static const FuncValue *call_task(FuncEval *eval, FuncExpr *expr, FuncItem *item) {
    FuncValue *task = func_make(eval, FUNC_TASK, false, 0);
    task->ipoint = func_eval(eval, expr->items.items[0].expr);
    task->ispace = func_eval(eval, expr->items.items[1].expr);
    if (task->ipoint->kind == FUNC_UNKNOWN || task->ispace->kind == FUNC_UNKNOWN) return func_make(eval, FUNC_UNKNOWN, false, 0);
    if (task->ipoint->kind != FUNC_TUPLE || task->ispace->kind != FUNC_TUPLE || task->ipoint->length != task->ispace->length)
        return func_fail(eval, E_FUNC_TYPE, expr->span, "a task is a point and extents, two tuples of equal length");
    const FuncValue *args[] = {task};
    return func_eval_item(eval, item, args, expr->span);
}

static const FuncValue *call_user(FuncEval *eval, FuncExpr *expr, FuncItem *item) {
    if (!item->is_function) return func_fail(eval, E_FUNC_TYPE, expr->name_span, "'%s' is not a function", item->name);
    size_t count = item->params.count;
    bool task = count == 1 && item->params.items[0].kind == FUNC_TASK && expr->items.count == 2 && eval->scope == NULL;
    if (task) return call_task(eval, expr, item);
    if (expr->items.count != count)
        return func_fail(eval, E_FUNC_CALL, expr->span, "function '%s' has %zu parameter%s, found %zu", item->name, count, count == 1 ? "" : "s",
                         expr->items.count);
    const FuncValue **args = ARENA_ARRAY(eval->arena, const FuncValue *, count + 1);
    bool bad = false;
    for (size_t i = 0; i < count; i++) {
        const FuncArg *arg = &expr->items.items[i];
        if (arg->splat || arg->name) args[i] = func_fail(eval, E_FUNC_CALL, arg->span, "a function of the mapping file takes plain values");
        else args[i] = as_parameter(eval, &item->params.items[i], func_eval(eval, arg->expr), arg->span);
        bad = bad || args[i]->kind == FUNC_UNKNOWN;
    }
    return bad ? func_make(eval, FUNC_UNKNOWN, false, 0) : func_eval_item(eval, item, args, expr->span);
}

static const FuncValue *call(FuncEval *eval, FuncExpr *expr) {
    FuncItem *item = func_find(eval->items, expr->name);
    if (item) return call_user(eval, expr, item);
    const FuncValue *value = func_builtin(eval, expr);
    return value ? value : unknown_name(eval, expr, "function");
}

static const FuncValue *run_body(FuncEval *eval, FuncItem *item, FuncScope *scope) {
    for (size_t i = 0; i < item->body.count; i++) {
        const FuncStmt *stmt = &item->body.items[i];
        const FuncValue *value = func_eval(eval, stmt->expr);
        if (stmt->name == NULL) return value;
        FuncScope *old = eval->scope;
        while (old && strcmp(old->name, stmt->name) != 0) old = old->next;
        if (old && old->value->kind != value->kind && value->kind != FUNC_UNKNOWN && old->value->kind != FUNC_UNKNOWN)
            func_fail(eval, E_FUNC_TYPE, stmt->span, "'%s' is %s already; take another name for %s", stmt->name, func_kind_name(eval, old->value),
                      func_kind_name(eval, value));
        scope = ARENA_NEW(eval->arena, FuncScope);
        *scope = (FuncScope){stmt->name, value, eval->scope};
        eval->scope = scope;
    }
    return func_make(eval, FUNC_UNKNOWN, false, 0);
}

static const FuncValue *func_eval_item(FuncEval *eval, FuncItem *item, const FuncValue *const *args, Span span) {
    item->used = true;
    if (item->cached) return item->cached;
    if (item->active) return func_fail(eval, E_FUNC_RECURSION, span, "'%s' needs itself; mapping functions must not be recursive", item->name);
    Source *outer_source = diags_source(eval->diags);
    FuncScope *outer = eval->scope, *scope = NULL;
    for (size_t i = 0; i < item->params.count; i++) {
        FuncScope *param = ARENA_NEW(eval->arena, FuncScope);
        *param = (FuncScope){item->params.items[i].name, args[i], scope};
        scope = param;
    }
    eval->scope = scope;
    item->active = true;
    diags_set_source(eval->diags, eval->source);
    const FuncValue *value = run_body(eval, item, scope);
    diags_set_source(eval->diags, outer_source);
    item->active = false;
    eval->scope = outer;
    if (!item->is_function) item->cached = value;
    item->value = value->kind;
    return value;
}

/* ---- All expressions ------------------------------------------------------------------------------------------------ */

static const FuncValue *evaluate(FuncEval *eval, FuncExpr *expr) {
    const FuncValue *of;
    switch (expr->kind) {
    case FUNC_NUMBER: return func_make_int(eval, true, expr->number);
    case FUNC_NAME: return name(eval, expr);
    case FUNC_LIST: return func_list(eval, &expr->items, expr->span);
    case FUNC_NEGATE: return negate(eval, expr);
    case FUNC_BINARY: return binary(eval, expr);
    case FUNC_CONDITION: return condition(eval, expr);
    case FUNC_MEMBER: return member(eval, expr);
    case FUNC_METHOD:
        of = func_eval(eval, expr->a);
        return of->kind == FUNC_UNKNOWN ? of : func_method(eval, expr, of);
    case FUNC_CALL: return call(eval, expr);
    case FUNC_INDEX: return element(eval, expr);
    case FUNC_PART: return part(eval, expr);
    default: return comprehension(eval, expr);
    }
}

const FuncValue *func_eval(FuncEval *eval, FuncExpr *expr) {
    if (--eval->steps < 0) {
        if (eval->steps == -1) func_fail(eval, E_FUNC_VALUE, expr->span, "the function takes too many steps (more than %d)", MOST_STEPS);
        return func_make(eval, FUNC_UNKNOWN, false, 0);
    }
    const FuncValue *value = evaluate(eval, expr);
    if (value->kind == FUNC_UNKNOWN) return value;
    if (expr->value != FUNC_UNKNOWN && expr->value != value->kind)
        return func_fail(eval, E_FUNC_TYPE, expr->span, "this is %s in one call and %s in another", func_kind_name(eval, &(FuncValue){.kind = expr->value, .length = expr->length}),
                         func_kind_name(eval, value));
    expr->value = value->kind;
    expr->length = value->length;
    return value;
}

/* ---- From outside ------------------------------------------------------------------------------------------------------- */

static FuncEval begin(Arena *arena, Diags *diags, const FuncMachine *machine, const FuncItemVec *items, Source *source) {
    for (size_t i = 0; i < items->count; i++) {
        items->items[i]->cached = NULL;
        items->items[i]->used = items->items[i]->active = false;
    }
    return (FuncEval){.arena = arena, .diags = diags, .machine = machine, .items = items, .source = source, .steps = MOST_STEPS,
                      .mapper = {.ppus = machine->ppus}};
}

const FuncValue *func_evaluate(Arena *arena, Diags *diags, const FuncMachine *machine, const FuncItemVec *items, Source *source,
                               Source *text, FuncExpr *expr) {
    Source *outer = diags_source(diags);
    FuncEval eval = begin(arena, diags, machine, items, source);
    diags_set_source(diags, text);
    const FuncValue *value = func_eval(&eval, expr);
    diags_set_source(diags, outer);
    return eval.failed || value->kind == FUNC_UNKNOWN ? NULL : value;
}

bool func_check(Arena *arena, Diags *diags, const FuncMachine *machine, const FuncItemVec *items, Source *source, FuncItem *function,
                int dims, int level, Span use) {
    FuncEval eval = begin(arena, diags, machine, items, source);
    const FuncValue *point = func_make_tuple(&eval, false, (Hp5Tuple){.count = dims});
    FuncValue *task = func_make(&eval, FUNC_TASK, false, 0);
    task->ipoint = task->ispace = point;
    const FuncValue *args[2] = {point, point};
    size_t count = function->params.count;
    bool whole = count == 1 && (function->params.items[0].kind == FUNC_TASK || function->params.items[0].kind == FUNC_UNKNOWN);
    if (!whole && (count != 2 || function->params.items[0].kind == FUNC_TASK)) {
        Diag *diag = diag_error(diags, E_FUNC_CALL, use, "'%s' is no mapping function: it has %zu parameter%s", function->name, count, count == 1 ? "" : "s");
        diag_help(diag, "a mapping function is 'def %s(Tuple ipoint, Tuple ispace)' or 'def %s(Task task)'", function->name, function->name);
        return false;
    }
    if (whole) args[0] = task;
    Source *outer = diags_source(diags);
    diags_set_source(diags, source);
    for (size_t i = 0; i < count; i++) as_parameter(&eval, &function->params.items[i], args[i], function->params.items[i].span);
    const FuncValue *value = eval.failed ? func_make(&eval, FUNC_UNKNOWN, false, 0) : func_eval_item(&eval, function, args, use);
    const char *wanted = machine->model->spaces.items[level < 0 ? 0 : level].name;
    Span last = vec_last(&function->body).span;
    if (!eval.failed && value->kind != FUNC_PROCESSOR && value->kind != FUNC_UNKNOWN)
        func_fail(&eval, E_FUNC_TYPE, last, "a mapping function returns a processor, as in 'return m[i, j]'; found %s", func_kind_name(&eval, value));
    else if (!eval.failed && value->kind == FUNC_PROCESSOR && strcmp(value->level, wanted) != 0) {
        Diag *diag = diag_error(diags, E_FUNC_MACHINE, last, "'%s' returns a PPU of %s, but the Space is mapped to %s", function->name, value->level, wanted);
        diag_help(diag, "use Machine(%s), or map the Space to %s", wanted, value->level);
        eval.failed = true;
    }
    diags_set_source(diags, outer);
    return !eval.failed && value->kind == FUNC_PROCESSOR;
}

int64_t func_ppu_of(const FuncMachine *machine, const FuncItemVec *items, Source *source, FuncItem *function, Hp5Tuple point,
                    Hp5Tuple extents) {
    Arena *arena = arena_new();
    FuncEval eval = begin(arena, diags_new(arena, source), machine, items, source);
    const FuncValue *args[2] = {func_make_tuple(&eval, true, point), func_make_tuple(&eval, true, extents)};
    FuncValue *task = func_make(&eval, FUNC_TASK, true, 0);
    task->ipoint = args[0];
    task->ispace = args[1];
    if (function->params.count == 1) args[0] = task;
    const FuncValue *value = func_eval_item(&eval, function, args, function->name_span);
    int64_t ppu = eval.failed || value->kind != FUNC_PROCESSOR || !value->known ? -1 : value->number;
    for (size_t i = 0; i < items->count; i++) items->items[i]->cached = NULL;
    arena_free(arena);
    return ppu;
}

void func_print_value(const FuncValue *value, Text *out) {
    char text[512];
    const Hp5Tuple *tuple = value->kind == FUNC_SPACE ? &value->space->size : &value->tuple;
    if (value->kind == FUNC_INT) text_printf(out, "%lld", (long long)value->number);
    else text_append(out, hp5_tuple_text(tuple, text, sizeof text));
}
