/* What calls and methods of index mapping functions do: Machine, tuple, len, min, max, sum; the transformations. */
#include "compiler/mapping/func_eval.h"
#include <string.h>

const char *const func_builtins[FUNC_BUILTINS] = {"Machine", "tuple", "len", "min", "max", "sum"};

/* ---- Machine ------------------------------------------------------------------------------------------ */

int func_machine_extents(Arena *arena, const FuncMachine *machine, const char *const *names, int count, int64_t *extents,
                         int64_t *ends, int *bad, const char **why) {
    const MachineModel *model = machine->model;
    int above = machine->parent_level, segment = model_segment_level(model), levels[HP5_SPACE_DIMS];
    for (int i = 0; i < count; i++) {
        *bad = i;
        levels[i] = model_find_space(model, names[i]);
        if (levels[i] < 0) {
            const char *near = model_nearest_space(model, names[i]);
            *why = arena_printf(arena, "machine '%s' has no space '%s'%s", machine->machine, names[i],
                                near ? arena_printf(arena, "; did you mean '%s'?", near) : "");
            return 0;
        }
        if (levels[i] < above || (i > 0 && levels[i] == above)) {
            *why = arena_printf(arena, "%s is not below %s%s", names[i], model->spaces.items[above].name,
                                i > 0 ? "; name levels from the top down" : ", whose PPU runs the parent Space");
            return 0;
        }
        extents[i] = model_ppus_between(model, above, levels[i]);
        ends[i] = above = levels[i];
    }
    if (count > 1) return count;
    bool segments = segment > machine->parent_level && segment <= levels[0];
    extents[1] = segments ? model_ppus_between(model, segment, levels[0]) : extents[0];
    extents[0] = segments ? model_ppus_between(model, machine->parent_level, segment) : 1;
    ends[1] = levels[0];
    ends[0] = segments ? segment : machine->parent_level;
    return 2;
}

/* Names of levels are taken from the text: they may have '-' in them. */
static const FuncValue *machine(FuncEval *eval, FuncExpr *expr) {
    const char *names[HP5_SPACE_DIMS];
    int count = (int)expr->items.count, bad = 0;
    if (count < 1 || count > HP5_SPACE_DIMS) return func_fail(eval, E_FUNC_CALL, expr->span, "Machine needs the name of a level, as in Machine(Core)");
    const Source *text = diags_source(eval->diags);
    for (int i = 0; i < count; i++) {
        Span span = expr->items.items[i].span;
        names[i] = arena_copy(eval->arena, text->text + span.start, span.end - span.start);
    }
    Hp5Tuple extents = {0}, ends;
    const char *why = NULL;
    extents.count = func_machine_extents(eval->arena, eval->machine, names, count, extents.at, ends.at, &bad, &why);
    if (extents.count == 0) return func_fail(eval, E_FUNC_MACHINE, expr->items.items[bad].span, "%s", why);
    Hp5Space *space = ARENA_NEW(eval->arena, Hp5Space);
    *space = hp5_machine(&eval->mapper, extents);
    FuncValue *value = func_make(eval, FUNC_SPACE, true, extents.count);
    value->space = space;
    value->level = names[count - 1];
    int level = model_find_space(eval->machine->model, value->level);
    value->level = eval->machine->model->spaces.items[level].name;
    return value;
}

/* ---- Functions of tuples ----------------------------------------------------------------------------------- */

static const FuncValue *smallest_or_largest(FuncEval *eval, const FuncExpr *expr, const FuncValue *list, bool largest) {
    if (list->length == 0) return func_fail(eval, E_FUNC_CALL, expr->span, "%s of nothing", expr->name);
    if (!list->known) return func_make_int(eval, false, 0);
    return func_make_int(eval, true, largest ? hp5_tuple_max(&eval->mapper, list->tuple) : hp5_tuple_min(&eval->mapper, list->tuple));
}

const FuncValue *func_builtin(FuncEval *eval, FuncExpr *expr) {
    size_t which = 0;
    while (which < FUNC_BUILTINS && strcmp(func_builtins[which], expr->name) != 0) which++;
    if (which == FUNC_BUILTINS) return NULL;
    if (which == 0) return machine(eval, expr);
    const FuncValue *list = NULL; /* the tuple that is the only argument, or the arguments as one */
    if (expr->items.count == 1 && !expr->items.items[0].splat && !expr->items.items[0].name) {
        list = func_extents(eval, func_eval(eval, expr->items.items[0].expr));
        if (list->kind == FUNC_INT) list = NULL;
    }
    if (list == NULL) list = func_list(eval, &expr->items, expr->span);
    if (list->kind == FUNC_UNKNOWN) return list;
    if (list->kind != FUNC_TUPLE) return func_fail(eval, E_FUNC_TYPE, expr->span, "%s needs a tuple or numbers, found %s", expr->name, func_kind_name(eval, list));
    switch (which) {
    case 1: return list;
    case 2: return func_make_int(eval, true, list->length);
    case 3: return smallest_or_largest(eval, expr, list, false);
    case 4: return smallest_or_largest(eval, expr, list, true);
    default: return func_make_int(eval, list->known, list->known ? hp5_tuple_sum(list->tuple) : 0);
    }
}

/* ---- Transformations -------------------------------------------------------------------------------------------- */

typedef enum Method { SPLIT, MERGE, SWAP, SLICE, DECOMPOSE, GREEDY, DIMS_CREATE, METHODS } Method;
static const struct MethodInfo {
    const char *name;
    int params;
    const char *use;
} methods[METHODS] = {
    {"split", 2, "split(i, d)"}, {"merge", 2, "merge(p, q)"}, {"swap", 2, "swap(p, q)"}, {"slice", 3, "slice(i, low, high)"},
    {"decompose", 2, "decompose(i, extents, halo=widths, transpose=dimensions)"}, {"greedy", 2, "greedy(i, k)"}, {"dims_create", 2, "dims_create(i, k)"},
};

typedef struct MethodArgs {
    const FuncValue *plain[3], *halo, *transpose;
} MethodArgs;

static bool one_argument(FuncEval *eval, const FuncArg *arg, Method method, size_t i, MethodArgs *args) {
    const FuncValue **to = &args->plain[i < 3 ? i : 2];
    bool halo = arg->name && method == DECOMPOSE && strcmp(arg->name, "halo") == 0;
    bool transpose = arg->name && method == DECOMPOSE && strcmp(arg->name, "transpose") == 0;
    if (arg->splat || (arg->name && !halo && !transpose)) {
        func_fail(eval, E_FUNC_CALL, arg->span, "expected %s", methods[method].use);
        return false;
    }
    if (arg->name) to = halo ? &args->halo : &args->transpose;
    FuncKind wanted = arg->name || (method == DECOMPOSE && i == 1) ? FUNC_TUPLE : FUNC_INT;
    *to = func_eval(eval, arg->expr);
    if (wanted == FUNC_TUPLE) *to = func_extents(eval, *to);
    if ((*to)->kind == FUNC_UNKNOWN) return false;
    if ((*to)->kind == wanted) return true;
    func_fail(eval, E_FUNC_TYPE, arg->span, "%s: expected %s, found %s", methods[method].use, wanted == FUNC_TUPLE ? "a tuple" : "a number",
              func_kind_name(eval, *to));
    return false;
}

static bool read_arguments(FuncEval *eval, FuncExpr *expr, Method method, MethodArgs *args) {
    int plain = 0;
    bool good = true;
    for (size_t i = 0; i < expr->items.count; i++) {
        plain += expr->items.items[i].name == NULL;
        good = one_argument(eval, &expr->items.items[i], method, i, args) && good;
    }
    if (good && plain != methods[method].params) {
        func_fail(eval, E_FUNC_CALL, expr->span, "expected %s, found %d argument%s", methods[method].use, plain, plain == 1 ? "" : "s");
        return false;
    }
    return good;
}

/* Dimensions must be there, also in a space whose extents are not known. */
static bool dimensions_fit(FuncEval *eval, FuncExpr *expr, Method method, const FuncValue *space, const MethodArgs *args) {
    int count = method == MERGE || method == SWAP ? 2 : 1;
    for (int i = 0; i < count; i++) {
        const FuncValue *dimension = args->plain[i];
        if (!dimension->known || (dimension->number >= 0 && dimension->number < space->length)) continue;
        func_fail(eval, E_FUNC_VALUE, expr->items.items[i].span, "%s: there is no dimension %lld in %s; they count from 0", methods[method].name,
                  (long long)dimension->number, func_kind_name(eval, space));
        return false;
    }
    if (args->halo && args->halo->length != args->plain[1]->length) {
        func_fail(eval, E_FUNC_TYPE, expr->span, "decompose: halo has %d widths for %d extents", args->halo->length, args->plain[1]->length);
        return false;
    }
    return true;
}

/* How many dimensions the result has, or -1 after an error. */
static int result_dimensions(FuncEval *eval, FuncExpr *expr, Method method, const FuncValue *space, const MethodArgs *args) {
    int64_t more = method == SPLIT ? 1 : method == MERGE ? -1 : method == DECOMPOSE ? args->plain[1]->length - 1 : 0;
    if (method == GREEDY || method == DIMS_CREATE) {
        if (!args->plain[1]->known) {
            func_fail(eval, E_FUNC_TYPE, expr->items.items[1].span, "%s: the number of dimensions must not depend on the point", methods[method].name);
            return -1;
        }
        more = args->plain[1]->number - 1;
    }
    if (more >= -1 && more < HP5_DECOMPOSE_DIMS && space->length + more >= 1 && space->length + more <= HP5_SPACE_DIMS && (more >= 0 || method == MERGE))
        return space->length + (int)more;
    func_fail(eval, E_FUNC_VALUE, expr->span, "%s: a dimension goes into 1 to %d dimensions, and a space has 1 to %d", methods[method].name,
              HP5_DECOMPOSE_DIMS, HP5_SPACE_DIMS);
    return -1;
}

static Hp5Space transform(Hp5Mapper *mapper, Method method, const Hp5Space *space, const MethodArgs *args) {
    int64_t a = args->plain[0]->number, b = args->plain[1]->number;
    const Hp5Tuple none = {0};
    switch (method) {
    case SPLIT: return hp5_split(mapper, *space, a, b);
    case MERGE: return hp5_merge(mapper, *space, a, b);
    case SWAP: return hp5_swap(mapper, *space, a, b);
    case SLICE: return hp5_slice(mapper, *space, a, b, args->plain[2]->number);
    case GREEDY: return hp5_space_greedy(mapper, *space, a, b);
    case DIMS_CREATE: return hp5_space_dims_create(mapper, *space, a, b);
    default:
        return hp5_space_decompose(mapper, *space, a, args->plain[1]->tuple, args->halo ? args->halo->tuple : none,
                                   args->transpose ? hp5_dimension_bits(mapper, args->transpose->tuple, args->plain[1]->length) : 0);
    }
}

const FuncValue *func_method(FuncEval *eval, FuncExpr *expr, const FuncValue *space) {
    if (space->kind != FUNC_SPACE)
        return func_fail(eval, E_FUNC_TYPE, expr->span, "%s has no method '%s'; processor spaces have", func_kind_name(eval, space), expr->name);
    const char *names[METHODS];
    int which = 0;
    for (int i = 0; i < METHODS; i++) names[i] = methods[i].name;
    while (which < METHODS && strcmp(names[which], expr->name) != 0) which++;
    if (which == METHODS) {
        const char *near = text_nearest(expr->name, names, METHODS);
        return func_fail(eval, E_FUNC_NAME, expr->name_span, "processor spaces have no method '%s'%s", expr->name,
                         near ? arena_printf(eval->arena, "; did you mean '%s'?", near) : "");
    }
    Method method = (Method)which;
    MethodArgs args = {0};
    if (!read_arguments(eval, expr, method, &args) || !dimensions_fit(eval, expr, method, space, &args)) return func_make(eval, FUNC_UNKNOWN, false, 0);
    int length = result_dimensions(eval, expr, method, space, &args);
    if (length < 0) return func_make(eval, FUNC_UNKNOWN, false, 0);
    bool known = space->known && (!args.halo || args.halo->known) && (!args.transpose || args.transpose->known);
    for (int i = 0; i < methods[method].params; i++) known = known && args.plain[i]->known;
    FuncValue *value = func_make(eval, FUNC_SPACE, known, length);
    value->level = space->level;
    if (known) {
        Hp5Space *made = ARENA_NEW(eval->arena, Hp5Space);
        *made = transform(&eval->mapper, method, space->space, &args);
        value->space = made;
    }
    return func_done(eval, value, expr->span);
}
