/* Index mapping functions in C: for each Space with `by f`, the functions that f needs and one that gives each LPU of a
 * grid its PPU (Hp5LpsDesc.place). What does not depend on the point is computed once for a grid: assignments of the
 * mapping file, and those of f that use neither the point nor anything made from it. All arithmetic of tuples
 * and spaces is that of runtime/mapping/space.h. */
#include "compiler/emit/program/task_writer.h"
#include "compiler/emit/program/writer.h"
#include "compiler/mapping/mapping.h"
#include <string.h>

typedef struct Local {
    const char *name, *text; /* C text where it is used */
    struct Local *next;
} Local;

typedef struct Functions {
    Arena *arena;
    Text *out;
    const MappedLps *lps;
    const FuncItemVec *items;
    Source *source;
    const char *prefix;   /* "Task_A" */
    const char *globals;  /* "globals->" or "globals." */
    Local *locals;        /* innermost first */
    int counters;         /* names made up for comprehensions */
} Functions;

static const char *value_type(FuncKind kind) {
    switch (kind) {
    case FUNC_TUPLE: return "Hp5Tuple";
    case FUNC_SPACE: return "Hp5Space";
    case FUNC_TASK: return "Hp5MapperTask";
    default: return "int64_t"; /* numbers; a processor is its number */
    }
}

static const char *c_name(const Functions *f, const char *name) {
    static const char *const taken[] = {"mapper", "globals", "placing", "items", "made"};
    bool clashes = emit_word_is_reserved(name) || strncmp(name, "hp5", 3) == 0 || strncmp(name, "Hp5", 3) == 0 || strncmp(name, "HP5", 3) == 0;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) clashes = clashes || strcmp(taken[i], name) == 0;
    return clashes ? arena_printf(f->arena, "%s_", name) : name;
}

static int line_of(const Functions *f, Span span) {
    int line, column;
    source_position(f->source, span.start, &line, &column);
    return line;
}

static void add_local(Functions *f, const char *name, const char *text) {
    Local *local = ARENA_NEW(f->arena, Local);
    *local = (Local){name, text, f->locals};
    f->locals = local;
}

/* ---- Expressions: each returns C text ------------------------------------------------------------------- */

static const char *expr_text(Functions *f, const FuncExpr *expr);

static const char *operand(Functions *f, const FuncExpr *expr) {
    const char *text = expr_text(f, expr);
    bool primary = expr->kind != FUNC_BINARY && expr->kind != FUNC_CONDITION && expr->kind != FUNC_NEGATE && expr->kind != FUNC_PART;
    return primary ? text : arena_printf(f->arena, "(%s)", text);
}

static const char *name_text(Functions *f, const FuncExpr *expr) {
    for (const Local *at = f->locals; at; at = at->next)
        if (strcmp(at->name, expr->name) == 0) return at->text;
    return arena_printf(f->arena, "%s%s", f->globals, c_name(f, expr->name));
}

/* The value as a tuple: extents of a space, a number for each element of `like`. */
static const char *tuple_text(Functions *f, const FuncExpr *expr, const char *like) {
    const char *text = operand(f, expr);
    if (expr->value == FUNC_SPACE) return arena_printf(f->arena, "%s.size", text);
    if (expr->value == FUNC_INT) return arena_printf(f->arena, "hp5_tuple_all(%s, %s)", expr_text(f, expr), like);
    return expr_text(f, expr);
}

static const char *binary_text(Functions *f, const FuncExpr *expr) {
    const FuncExpr *a = expr->a, *b = expr->b;
    const char *op = expr->op == FUNC_AT_MOST ? "<=" : expr->op == FUNC_AT_LEAST ? ">=" : expr->op == FUNC_EQUAL ? "==" : expr->op == FUNC_DIFFERENT ? "!="
                     : arena_printf(f->arena, "%c", expr->op);
    bool compares = strchr("+-*/%", expr->op) == NULL, numbers = a->value == FUNC_INT && b->value == FUNC_INT;
    if (numbers && (expr->op == '/' || expr->op == '%'))
        return arena_printf(f->arena, "hp5_mapper_%s(mapper, %s, %s)", expr->op == '/' ? "quotient" : "remainder", expr_text(f, a), expr_text(f, b));
    if (numbers) return arena_printf(f->arena, "%s %s %s", operand(f, a), op, operand(f, b));
    if (compares) return arena_printf(f->arena, "hp5_tuple_compare(%s, %s) %s 0", expr_text(f, a), expr_text(f, b), op);
    const char *left = a->value == FUNC_INT ? tuple_text(f, a, expr_text(f, b)) : expr_text(f, a);
    const char *right = b->value == FUNC_INT ? tuple_text(f, b, expr_text(f, a)) : expr_text(f, b);
    return arena_printf(f->arena, "hp5_tuple_op(mapper, %s, '%c', %s)", left, expr->op, right);
}

/* Numbers and splatted tuples as one tuple. */
static const char *list_text(Functions *f, const FuncArgVec *items) {
    const char *result = NULL;
    for (size_t i = 0; i < items->count;) {
        const char *piece;
        if (items->items[i].splat) piece = expr_text(f, items->items[i++].expr);
        else {
            piece = expr_text(f, items->items[i++].expr);
            while (i < items->count && !items->items[i].splat) piece = arena_printf(f->arena, "%s, %s", piece, expr_text(f, items->items[i++].expr));
            piece = arena_printf(f->arena, "HP5_TUPLE(%s)", piece);
        }
        result = result ? arena_printf(f->arena, "hp5_tuple_join(mapper, %s, %s)", result, piece) : piece;
    }
    return result ? result : "(Hp5Tuple){0}";
}

static const char *space_pointer(Functions *f, const FuncExpr *expr) {
    if (expr->kind == FUNC_NAME) return arena_printf(f->arena, "&%s", expr_text(f, expr));
    return arena_printf(f->arena, "(const Hp5Space[]){%s}", expr_text(f, expr));
}

static const char *index_text(Functions *f, const FuncExpr *expr) {
    const FuncExpr *only = expr->items.count == 1 && !expr->items.items[0].splat ? expr->items.items[0].expr : NULL;
    if (expr->value == FUNC_PROCESSOR)
        return arena_printf(f->arena, "hp5_space_ppu(mapper, %s, %s)", space_pointer(f, expr->a),
                            only && only->value == FUNC_TUPLE ? expr_text(f, only) : list_text(f, &expr->items));
    const char *i = only ? expr_text(f, only) : arena_printf(f->arena, "%s.at[0]", list_text(f, &expr->items));
    return arena_printf(f->arena, "hp5_tuple_get(mapper, %s, %s)", tuple_text(f, expr->a, ""), i);
}

static const char *part_text(Functions *f, const FuncExpr *expr) {
    return arena_printf(f->arena, "hp5_tuple_part(%s, %s, %s)", tuple_text(f, expr->a, ""), expr->b ? expr_text(f, expr->b) : "0",
                        expr->c ? expr_text(f, expr->c) : "HP5_SPACE_DIMS");
}

static const char *comprehension_text(Functions *f, const FuncExpr *expr) {
    int k = ++f->counters;
    const char *source = tuple_text(f, expr->b, ""), *variable = arena_printf(f->arena, "%s_%d", c_name(f, expr->name), k);
    Local *outer = f->locals;
    add_local(f, expr->name, variable);
    const char *body = expr_text(f, expr->a);
    f->locals = outer;
    return arena_printf(f->arena,
                        "({ const Hp5Tuple items_%d = %s; Hp5Tuple made_%d = items_%d; "
                        "for (int at_%d = 0; at_%d < items_%d.count; at_%d++) { const int64_t %s = items_%d.at[at_%d]; (void)%s; made_%d.at[at_%d] = %s; } made_%d; })",
                        k, source, k, k, k, k, k, k, variable, k, k, variable, k, k, body, k);
}

/* ---- Calls ------------------------------------------------------------------------------------------------ */

static const char *machine_text(Functions *f, const FuncExpr *expr) {
    const char *names[HP5_SPACE_DIMS], *why, *list = "", *levels = "";
    int64_t extents[HP5_SPACE_DIMS], ends[HP5_SPACE_DIMS];
    int bad;
    for (size_t i = 0; i < expr->items.count; i++)
        names[i] = arena_copy(f->arena, f->source->text + expr->items.items[i].span.start, expr->items.items[i].span.end - expr->items.items[i].span.start);
    int count = func_machine_extents(f->arena, &f->lps->machine, names, (int)expr->items.count, extents, ends, &bad, &why);
    for (int i = 0; i < count; i++) {
        list = arena_printf(f->arena, "%s%s%lld", list, i > 0 ? ", " : "", (long long)extents[i]);
        levels = arena_printf(f->arena, "%s%s%lld", levels, i > 0 ? ", " : "", (long long)ends[i]);
    }
    return arena_printf(f->arena, "hp5_machine_levels(mapper, HP5_TUPLE(%s), HP5_TUPLE(%s))", list, levels);
}

static const char *builtin_text(Functions *f, const FuncExpr *expr) {
    if (strcmp(expr->name, "Machine") == 0) return machine_text(f, expr);
    const FuncArg *only = expr->items.count == 1 && !expr->items.items[0].splat ? &expr->items.items[0] : NULL;
    const char *list = only && only->expr->value != FUNC_INT ? tuple_text(f, only->expr, "") : list_text(f, &expr->items);
    if (strcmp(expr->name, "tuple") == 0) return list;
    if (strcmp(expr->name, "len") == 0) return arena_printf(f->arena, "(int64_t)%s.count", list);
    if (strcmp(expr->name, "sum") == 0) return arena_printf(f->arena, "hp5_tuple_sum(%s)", list);
    return arena_printf(f->arena, "hp5_tuple_%s(mapper, %s)", expr->name, list);
}

static const char *call_text(Functions *f, const FuncExpr *expr) {
    const FuncItem *item = func_find(f->items, expr->name);
    if (item == NULL) return builtin_text(f, expr);
    const char *args = "";
    for (size_t i = 0; i < item->params.count; i++) {
        const FuncExpr *arg = expr->items.items[i].expr;
        args = arena_printf(f->arena, "%s, %s", args, item->params.items[i].kind == FUNC_TUPLE ? tuple_text(f, arg, "") : expr_text(f, arg));
    }
    return arena_printf(f->arena, "%s_%s(mapper, %s%s)", f->prefix, item->name, strcmp(f->globals, "globals->") == 0 ? "globals" : "&globals", args);
}

static const char *method_text(Functions *f, const FuncExpr *expr) {
    const char *space = expr_text(f, expr->a), *plain = "", *halo = "(Hp5Tuple){0}", *transpose = "0";
    bool decompose = strcmp(expr->name, "decompose") == 0, greedy = strcmp(expr->name, "greedy") == 0 || strcmp(expr->name, "dims_create") == 0;
    const FuncExpr *extents = NULL;
    for (size_t i = 0; i < expr->items.count; i++) {
        const FuncArg *arg = &expr->items.items[i];
        bool is_tuple = arg->expr->value != FUNC_INT;
        const char *text = is_tuple ? tuple_text(f, arg->expr, "") : expr_text(f, arg->expr);
        if (arg->name == NULL) {
            plain = arena_printf(f->arena, "%s, %s", plain, text);
            if (i == 1) extents = arg->expr;
        } else if (strcmp(arg->name, "halo") == 0) {
            halo = text;
        } else {
            transpose = text;
        }
    }
    if (!decompose) return arena_printf(f->arena, "hp5_%s%s(mapper, %s%s)", greedy ? "space_" : "", expr->name, space, plain);
    if (strcmp(transpose, "0") != 0) transpose = arena_printf(f->arena, "hp5_dimension_bits(mapper, %s, %d)", transpose, extents ? extents->length : 0);
    return arena_printf(f->arena, "hp5_space_decompose(mapper, %s%s, %s, %s)", space, plain, halo, transpose);
}

static const char *expr_text(Functions *f, const FuncExpr *expr) {
    switch (expr->kind) {
    case FUNC_NUMBER: return arena_printf(f->arena, "%lld%s", (long long)expr->number, expr->number > INT32_MAX ? "LL" : "");
    case FUNC_NAME: return name_text(f, expr);
    case FUNC_LIST: return list_text(f, &expr->items);
    case FUNC_NEGATE:
        if (expr->value == FUNC_INT) return arena_printf(f->arena, "-%s", operand(f, expr->a));
        return arena_printf(f->arena, "hp5_tuple_op(mapper, hp5_tuple_all(0, %s), '-', %s)", expr_text(f, expr->a), expr_text(f, expr->a));
    case FUNC_BINARY: return binary_text(f, expr);
    case FUNC_CONDITION: return arena_printf(f->arena, "%s ? %s : %s", operand(f, expr->a), operand(f, expr->b), operand(f, expr->c));
    case FUNC_MEMBER: return arena_printf(f->arena, "%s.%s", operand(f, expr->a), expr->name);
    case FUNC_METHOD: return method_text(f, expr);
    case FUNC_CALL: return call_text(f, expr);
    case FUNC_INDEX: return index_text(f, expr);
    case FUNC_PART: return part_text(f, expr);
    default: return comprehension_text(f, expr);
    }
}

/* ---- What does not depend on the point ------------------------------------------------------------------------ */

typedef struct Fixed {
    const char *names[64];
    size_t count;
} Fixed;

static bool is_fixed(const FuncExpr *expr, const FuncItem *item, const Fixed *fixed, const char *bound) {
    if (expr == NULL) return true;
    if (expr->kind == FUNC_NAME && (bound == NULL || strcmp(bound, expr->name) != 0)) {
        for (size_t i = 0; i < fixed->count; i++)
            if (strcmp(fixed->names[i], expr->name) == 0) return true;
        for (size_t i = 0; i < item->params.count; i++)
            if (strcmp(item->params.items[i].name, expr->name) == 0) return false;
        for (size_t i = 0; i < item->body.count; i++)
            if (item->body.items[i].name && strcmp(item->body.items[i].name, expr->name) == 0) return false;
        return true; /* of the file */
    }
    if (expr->kind == FUNC_COMPREHENSION) return is_fixed(expr->b, item, fixed, bound) && bound == NULL && is_fixed(expr->a, item, fixed, expr->name);
    for (size_t i = 0; i < expr->items.count; i++)
        if (!(expr->kind == FUNC_CALL && strcmp(expr->name, "Machine") == 0) && !is_fixed(expr->items.items[i].expr, item, fixed, bound)) return false;
    return is_fixed(expr->a, item, fixed, bound) && is_fixed(expr->b, item, fixed, bound) && is_fixed(expr->c, item, fixed, bound);
}

static bool assigned_once(const FuncItem *item, const char *name) {
    int times = 0;
    for (size_t i = 0; i < item->body.count; i++) times += item->body.items[i].name && strcmp(item->body.items[i].name, name) == 0;
    for (size_t i = 0; i < item->params.count; i++) times += strcmp(item->params.items[i].name, name) == 0;
    return times == 1;
}

/* The first statements of f that are the same for all points; their number. */
static size_t fixed_statements(const FuncItem *item, Fixed *fixed) {
    *fixed = (Fixed){{NULL}, 0};
    if (item->params.count == 2) fixed->names[fixed->count++] = item->params.items[1].name;
    size_t i = 0;
    while (i < item->body.count && fixed->count < 64 && item->body.items[i].name && assigned_once(item, item->body.items[i].name) &&
           is_fixed(item->body.items[i].expr, item, fixed, NULL))
        fixed->names[fixed->count++] = item->body.items[i++].name;
    return i;
}

static const char *field_of(Functions *f, const FuncItem *item, const char *name) { return arena_printf(f->arena, "%s_of_%s", name, item->name); }

/* ---- Functions -------------------------------------------------------------------------------------------------- */

static void heading(Functions *f, const FuncItem *item) {
    text_printf(f->out, "static %s %s_%s(Hp5Mapper *mapper, const struct %s_globals *globals", value_type(item->value), f->prefix, item->name, f->prefix);
    for (size_t i = 0; i < item->params.count; i++)
        text_printf(f->out, ", %s %s", value_type(item->params.items[i].kind), c_name(f, item->params.items[i].name));
    text_append(f->out, ")");
}

static void statements(Functions *f, const FuncItem *item, size_t from) {
    for (size_t i = from; i < item->body.count; i++) {
        const FuncStmt *stmt = &item->body.items[i];
        text_printf(f->out, "    mapper->line = %d;\n", line_of(f, stmt->span));
        const char *text = expr_text(f, stmt->expr);
        if (stmt->name == NULL) text_printf(f->out, "    return %s;\n", text);
        else if (stmt->first) text_printf(f->out, "    %s %s = %s;\n", value_type(stmt->expr->value), c_name(f, stmt->name), text);
        else text_printf(f->out, "    %s = %s;\n", c_name(f, stmt->name), text);
        if (stmt->name) add_local(f, stmt->name, c_name(f, stmt->name));
    }
}

static void function(Functions *f, const FuncItem *item, size_t fixed) {
    heading(f, item);
    text_append(f->out, " {\n    (void)globals;\n");
    f->locals = NULL;
    f->globals = "globals->";
    for (size_t i = 0; i < item->params.count; i++) {
        const char *name = c_name(f, item->params.items[i].name);
        text_printf(f->out, "    (void)%s;\n", name);
        add_local(f, item->params.items[i].name, name);
    }
    for (size_t i = 0; i < fixed; i++)
        add_local(f, item->body.items[i].name, arena_printf(f->arena, "globals->%s", field_of(f, item, item->body.items[i].name)));
    statements(f, item, fixed);
    text_append(f->out, "}\n");
    f->locals = NULL;
}

static void globals_struct(Functions *f, const FuncItem *top, size_t fixed) {
    text_printf(f->out, "struct %s_globals { /* the same for all LPUs of a grid */\n", f->prefix);
    for (size_t i = 0; i < f->items->count; i++) {
        const FuncItem *item = f->items->items[i];
        if (item->used && !item->is_function) text_printf(f->out, "    %s %s;\n", value_type(item->value), c_name(f, item->name));
    }
    for (size_t i = 0; i < fixed; i++)
        text_printf(f->out, "    %s %s;\n", value_type(top->body.items[i].expr->value), field_of(f, top, top->body.items[i].name));
    text_append(f->out, "    char none;\n};\n");
}

/* Assignments of the file in an order in which each comes after those that it uses. */
static void assign_globals(Functions *f, const FuncItem *item);
static void assign_used(Functions *f, const FuncExpr *expr) {
    if (expr == NULL) return;
    if (expr->kind == FUNC_NAME || expr->kind == FUNC_CALL) {
        FuncItem *item = func_find(f->items, expr->name);
        if (item && !item->active && !item->is_function) assign_globals(f, item);
        if (item && !item->active && item->is_function) { /* a helper may use assignments, too */
            item->active = true;
            for (size_t i = 0; i < item->body.count; i++) assign_used(f, item->body.items[i].expr);
        }
    }
    for (size_t i = 0; i < expr->items.count; i++)
        if (!(expr->kind == FUNC_CALL && strcmp(expr->name, "Machine") == 0)) assign_used(f, expr->items.items[i].expr);
    assign_used(f, expr->a);
    assign_used(f, expr->b);
    assign_used(f, expr->c);
}

static void assign_globals(Functions *f, const FuncItem *item) {
    FuncItem *done = func_find(f->items, item->name);
    if (done->active || !done->used) return;
    done->active = true;
    assign_used(f, item->body.items[0].expr);
    text_printf(f->out, "    mapper->line = %d;\n    globals.%s = %s;\n", line_of(f, item->name_span), c_name(f, item->name), expr_text(f, item->body.items[0].expr));
}

static void place_function(Functions *f, const FuncItem *top, size_t fixed) {
    text_printf(f->out, "static void place_%s(Hp5Placing *placing) {\n", f->prefix);
    text_printf(f->out, "    Hp5Mapper *const mapper = &placing->mapper;\n    struct %s_globals globals;\n    globals.none = 0;\n", f->prefix);
    f->globals = "globals.";
    for (size_t i = 0; i < f->items->count; i++) f->items->items[i]->active = false;
    for (size_t i = 0; i < f->items->count; i++)
        if (!f->items->items[i]->is_function) assign_globals(f, f->items->items[i]);
    for (size_t i = 0; i < f->items->count; i++) f->items->items[i]->active = false;
    if (top->params.count == 2) add_local(f, top->params.items[1].name, "placing->task.ispace");
    for (size_t i = 0; i < fixed; i++) {
        const FuncStmt *stmt = &top->body.items[i];
        const char *field = arena_printf(f->arena, "globals.%s", field_of(f, top, stmt->name));
        text_printf(f->out, "    mapper->line = %d;\n    %s = %s;\n", line_of(f, stmt->span), field, expr_text(f, stmt->expr));
        add_local(f, stmt->name, field);
    }
    f->locals = NULL;
    text_printf(f->out, "    while (hp5_placing_next(placing)) hp5_placing_put(placing, %s_%s(mapper, &globals, %s));\n}\n\n", f->prefix, top->name,
                top->params.count == 2 ? "placing->task.ipoint, placing->task.ispace" : "placing->task");
}

static void functions_of_space(TaskWriter *tw, size_t i) {
    const ResolvedMapping *mapping = tw->task->mapping;
    const MappedLps *lps = &mapping->lpses[i];
    const FuncItemVec *items = &mapping->file->functions;
    const char *space = task_space(tw, tw->task->spaces[i].lps);
    Functions f = {.arena = tw->emit->arena, .out = tw->out, .lps = lps, .items = items, .source = mapping->file->source,
                   .prefix = arena_printf(tw->emit->arena, "%s_map_%s", tw->symbol, space)};
    /* Marks what this Space uses, and the kinds. */
    if (!func_check(tw->emit->arena, tw->emit->diags, &lps->machine, items, mapping->file->source, lps->function, tw->task->spaces[i].lps->dims,
                    lps->asked_level, lps->function->name_span))
        return;
    Fixed names;
    size_t fixed = fixed_statements(lps->function, &names);
    text_printf(tw->out, "/* Space %s by %s (%s:%d): which PPU runs which LPU. */\n", space, lps->function->name, task_comment(tw, mapping->file->source->name),
                line_of(&f, lps->function->name_span));
    globals_struct(&f, lps->function, fixed);
    for (size_t k = 0; k < items->count; k++)
        if (items->items[k]->used && items->items[k]->is_function) {
            heading(&f, items->items[k]);
            text_append(f.out, ";\n");
        }
    for (size_t k = 0; k < items->count; k++)
        if (items->items[k]->used && items->items[k]->is_function) function(&f, items->items[k], items->items[k] == lps->function ? fixed : 0);
    place_function(&f, lps->function, fixed);
}

void task_mapping_functions(TaskWriter *tw) {
    for (size_t i = 0; i < tw->task->mapping->count; i++)
        if (tw->task->mapping->lpses[i].function != NULL) functions_of_space(tw, i);
}

/* Which PPU runs an LPU is not the plain rule: a function says it, or the padding of its data may. */
bool task_is_placed(const TaskWriter *tw, const Lps *lps) {
    return tw->task->mapping->lpses[lps->id].function != NULL || tw->task->spaces[lps->id].blocks;
}

const char *task_places_table(TaskWriter *tw) {
    const ResolvedMapping *mapping = tw->task->mapping;
    bool any = false;
    for (size_t i = 0; i < mapping->count; i++) any = any || tw->task->spaces[i].lps->dynamic || task_is_placed(tw, tw->task->spaces[i].lps);
    if (!any) return "NULL";
    text_printf(tw->out, "static const Hp5PlaceDesc %s_places[] = {", tw->symbol);
    for (size_t i = 0; i < mapping->count; i++) {
        const FuncItem *function = mapping->lpses[i].function;
        if (function == NULL)
            text_printf(tw->out, "%s{NULL, NULL, NULL, %s, %s, %d}", i > 0 ? ", " : "", tw->task->spaces[i].blocks ? "true" : "false",
                        tw->task->spaces[i].lps->dynamic ? "true" : "false", tw->task->spaces[i].placed_as != NULL ? tw->task->spaces[i].placed_as->id : 0);
        else
            text_printf(tw->out, "%s{place_%s_map_%s, %s, %s, false, false, 0}", i > 0 ? ", " : "", tw->symbol, task_space(tw, tw->task->spaces[i].lps),
                        task_quote(tw, function->name), task_quote(tw, mapping->file->source->name));
    }
    text_append(tw->out, "};\n");
    return arena_printf(tw->emit->arena, "%s_places", tw->symbol);
}
