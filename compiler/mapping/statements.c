/* Placement statements: `Layout`, `InstanceLimit`, `CollectMemory`, `Priority`, `Region` (docs/machines.md says what they mean). How
 * to read it: building them while the block is read, with the rules that need no program; then resolving them against the
 * task's variables; then printing. */
#include "compiler/mapping/map_parse.h"
#include <string.h>

enum { LARGEST_ALIGN = 4096, LARGEST_PRIORITY = 1000 };

static bool is_empty(Span span) { return span.end == 0; }

/* ---- Building: one item of a layout ------------------------------------------------------------- */

static void report_twice(MapContext *context, Span span, Span first, const char *what) {
    Diag *diag = diag_error(context->diags, E_MAPPING_DUPLICATE, span, "a second %s in one layout", what);
    diag_note(diag, first, "the first is here");
}

/* Notes where an item stands; false if there is one of its kind already. */
static bool take_place(MapContext *context, Span *place, Span span, const char *what) {
    if (!is_empty(*place)) {
        report_twice(context, span, *place, what);
        return false;
    }
    *place = span;
    return true;
}

static void read_align(MapContext *context, PlaceStatement *layout, Span word, Span number) {
    if (is_empty(number)) {
        Diag *diag = diag_error(context->diags, E_MAPPING_LAYOUT, word, "'align' needs a number of bytes");
        diag_help(diag, "write 'align 64', for example");
        return;
    }
    if (!take_place(context, &layout->number_span, span_join(word, number), "alignment")) return;
    layout->number = map_integer(context, number);
    bool power = layout->number > 0 && (layout->number & (layout->number - 1)) == 0;
    if (power && layout->number <= LARGEST_ALIGN) return;
    Diag *diag = diag_error(context->diags, E_MAPPING_LAYOUT, number, "an alignment is a power of two from 1 to %d, not %s",
                            LARGEST_ALIGN, map_slice(context, number));
    int64_t near = layout->number > 0 ? 1 : 64;
    while (near < layout->number && near < LARGEST_ALIGN) near *= 2;
    diag_help(diag, "write 'align %lld', for example", (long long)near);
}

static void read_order(MapContext *context, PlaceStatement *layout, Span word, bool fortran) {
    if (take_place(context, &layout->order_span, word, "order of the indices")) layout->fortran = fortran;
}

static void read_split(MapContext *context, PlaceStatement *layout, Span word, bool split) {
    if (take_place(context, &layout->split_span, word, "arrangement of fields")) layout->split = split;
}

void map_layout_word(MapContext *context, PlaceStatement *layout, Span word, Span number) {
    const char *text = map_slice(context, word);
    static const char *const words[] = {"C_order", "F_order", "AoS", "SoA", "align"};
    if (strcmp(text, "align") == 0) {
        read_align(context, layout, word, number);
        return;
    }
    if (strcmp(text, "C_order") == 0 || strcmp(text, "F_order") == 0) read_order(context, layout, word, text[0] == 'F');
    else if (strcmp(text, "AoS") == 0 || strcmp(text, "SoA") == 0) read_split(context, layout, word, text[0] == 'S');
    else {
        Diag *diag = diag_error(context->diags, E_MAPPING_LAYOUT, word, "'%s' says nothing about a layout", text);
        const char *near = text_nearest(text, words, 5);
        if (near) diag_help(diag, "did you mean '%s'?", near);
        else diag_help(diag, "expected C_order, F_order, AoS, SoA or 'align N'");
        return;
    }
    if (!is_empty(number)) {
        Diag *diag = diag_error(context->diags, E_MAPPING_LAYOUT, number, "'%s' takes no number", text);
        diag_help(diag, "only 'align' has one");
    }
}

/* ---- Building: statements -------------------------------------------------------------------------- */

static const char *keyword_of(PlaceKind kind) {
    static const char *const words[] = {"Layout", "InstanceLimit", "CollectMemory", "Priority", "Region"};
    return words[kind];
}

static void add(MapContext *context, const PlaceStatement *statement) {
    PlaceStatementVec *statements = &context->task.statements;
    for (size_t i = 0; i < statements->count; i++) {
        const PlaceStatement *other = &statements->items[i];
        bool same = other->kind == statement->kind && (!other->name || strcmp(other->name, statement->name) == 0);
        if (!same) continue;
        const char *of = statement->name ? arena_printf(context->arena, " of %s", statement->name) : "";
        Diag *diag = diag_error(context->diags, E_MAPPING_DUPLICATE, statement->span, "a second '%s'%s for task '%s'",
                                keyword_of(statement->kind), of, context->task.name);
        diag_note(diag, other->span, "the first is here");
        return;
    }
    vec_push(context->arena, statements, *statement);
}

void map_add_layout(MapContext *context, Span keyword, Span array, const PlaceStatement *layout) {
    PlaceStatement statement = *layout;
    statement.kind = PLACE_LAYOUT;
    statement.name = map_slice(context, array);
    statement.name_span = array;
    statement.span = span_join(keyword, array);
    const Span items[] = {layout->order_span, layout->split_span, layout->number_span};
    for (int i = 0; i < 3; i++)
        if (items[i].end > statement.span.end) statement.span.end = items[i].end;
    add(context, &statement);
}

/* A limit is at least 1; a priority lies in a small range. */
static void check_number(MapContext *context, const PlaceStatement *statement) {
    Span span = statement->number_span;
    if (statement->kind == PLACE_LIMIT && statement->number < 1) {
        Diag *diag = diag_error(context->diags, E_MAPPING_NUMBER, span, "with a limit of 0 no LPU of Space %s could ever run",
                                statement->name);
        diag_help(diag, "the smallest limit is 1");
    } else if (statement->kind == PLACE_PRIORITY && statement->number > LARGEST_PRIORITY) {
        Diag *diag = diag_error(context->diags, E_MAPPING_NUMBER, span, "a priority is a number from 0 to %d, not %s",
                                LARGEST_PRIORITY, map_slice(context, span));
        diag_help(diag, "larger numbers go first; tasks without a line have 0");
    }
}

void map_add_statement(MapContext *context, PlaceKind kind, Span keyword, Span name, Span number) {
    PlaceStatement statement = {.kind = kind, .span = keyword, .name_span = name, .number_span = number};
    if (!is_empty(name)) {
        statement.name = map_slice(context, name);
        statement.span = span_join(keyword, name);
    }
    if (!is_empty(number)) {
        statement.number = map_integer(context, number);
        statement.span = span_join(keyword, number);
        check_number(context, &statement);
    }
    add(context, &statement);
}

static const char *const memories[MEMORY_KINDS] = {"FBMEM", "ZCMEM", "SYSMEM", "STAGED"}; /* as MapMemory has them */

void map_add_region(MapContext *context, Span keyword, Span array, Span memory) {
    PlaceStatement statement = {.kind = PLACE_REGION, .span = span_join(keyword, memory), .name = map_slice(context, array), .name_span = array};
    const char *text = map_slice(context, memory);
    for (int i = 0; i < MEMORY_KINDS; i++) {
        if (strcmp(text, memories[i]) != 0) continue;
        statement.memory = (MapMemory)i;
        add(context, &statement);
        return;
    }
    Diag *diag = diag_error(context->diags, E_MAPPING_REGION, memory, "there is no memory '%s'", text);
    const char *near = text_nearest(text, memories, MEMORY_KINDS);
    if (near) diag_help(diag, "did you mean '%s'?", near);
    else diag_help(diag, "expected FBMEM (the card's), ZCMEM (the host's, which the card reads and writes), SYSMEM (the host's, of which the card has a copy while the task runs) or STAGED (the host's, of which the card has the parts that it works on)");
}

/* ---- Resolving ------------------------------------------------------------------------------------------ */

typedef struct Placer {
    Arena *arena;
    Diags *diags;
    ResolvedMapping *mapping;
    const MappingVar *vars;
    size_t count;
} Placer;

/* The index of the array that a statement names; -1 after an error. */
static int find_array(const Placer *placer, const PlaceStatement *statement) {
    const char **names = ARENA_ARRAY(placer->arena, const char *, placer->count + 1);
    size_t known = 0;
    for (size_t i = 0; i < placer->count; i++) {
        const MappingVar *var = &placer->vars[i];
        if (strcmp(var->name, statement->name) != 0) {
            if (var->is_array) names[known++] = var->name;
            continue;
        }
        if (var->is_array) return (int)i;
        Diag *diag = diag_error(placer->diags, E_MAPPING_ARRAY, statement->name_span, "'%s' is no array, but of type %s",
                                var->name, var->type);
        diag_help(diag, "'%s' is for arrays", keyword_of(statement->kind));
        return -1;
    }
    Diag *diag = diag_error(placer->diags, E_MAPPING_ARRAY, statement->name_span, "task '%s' has no array '%s'",
                            placer->mapping->task, statement->name);
    const char *near = text_nearest(statement->name, names, known);
    if (near) diag_help(diag, "did you mean '%s'?", near);
    else if (known > 0) diag_help(diag, "expected %s", text_join_or(placer->arena, names, known));
    return -1;
}

/* Where in the program the reason of a refusal stands. */
static void note_why(const Placer *placer, Diag *diag, const MappingVar *var) {
    Source *program = placer->mapping->tree->source, *file = diags_source(placer->diags);
    if (program == NULL || is_empty(var->why)) return;
    diags_set_source(placer->diags, program);
    diag_note(diag, var->why, "here");
    diags_set_source(placer->diags, file);
}

static void refuse(const Placer *placer, Span span, const MappingVar *var, const char *what, const char *why,
                   const char *help) {
    Diag *diag = diag_error(placer->diags, E_MAPPING_LAYOUT, span, "array %s cannot be %s: %s", var->name, what, why);
    diag_help(diag, "%s", help);
    note_why(placer, diag, var);
}

static void place_layout(Placer *placer, const PlaceStatement *statement) {
    int i = find_array(placer, statement);
    if (i < 0) return;
    const MappingVar *var = &placer->vars[i];
    MappedArray *array = &placer->mapping->arrays[i];
    array->fortran = statement->fortran;
    array->split = statement->split;
    array->align = statement->number;
    if (statement->fortran && var->not_fortran)
        refuse(placer, statement->order_span, var, "F_order", var->not_fortran, "leave it in C_order");
    if (statement->fortran && var->rank == 1)
        diag_remark(placer->diags, R_PLACE_NO_EFFECT, statement->order_span, "F_order changes nothing: %s has one index", var->name);
    if (!statement->split) return;
    if (!var->of_user_type) {
        Diag *diag = diag_error(placer->diags, E_MAPPING_LAYOUT, statement->split_span,
                                "SoA is for arrays of user types; %s is a %s", var->name, var->type);
        diag_help(diag, "leave 'SoA' out");
    } else if (var->not_split) {
        refuse(placer, statement->split_span, var, "SoA", var->not_split, "leave it AoS");
    }
}

static void place_limit(Placer *placer, const PlaceStatement *statement) {
    const MappingTree *tree = placer->mapping->tree;
    const char **names = ARENA_ARRAY(placer->arena, const char *, tree->count + 1);
    size_t known = 0;
    for (size_t i = 0; i < tree->count; i++) {
        if (tree->lpses[i].is_sub_partition) continue;
        names[known++] = tree->lpses[i].name;
        if (strcmp(tree->lpses[i].name, statement->name) != 0) continue;
        if (i == 0) {
            Diag *diag = diag_error(placer->diags, E_MAPPING_LIMIT, statement->name_span,
                                    "Space Root is one LPU, which a limit cannot hold back");
            diag_help(diag, "limit a Space that is divided");
            return;
        }
        placer->mapping->lpses[i].limit = statement->number;
        if (statement->number < placer->mapping->lpses[i].parallelism) return;
        diag_remark(placer->diags, R_PLACE_NO_EFFECT, statement->span,
                    "the limit holds nobody back: %lld LPUs of Space %s run at once", (long long)placer->mapping->lpses[i].parallelism,
                    statement->name);
        return;
    }
    Diag *diag = diag_error(placer->diags, E_MAPPING_LPS, statement->name_span, "task '%s' has no Space %s", tree->task,
                            statement->name);
    const char *near = text_nearest(statement->name, names, known);
    if (near) diag_help(diag, "did you mean '%s'?", near);
    else diag_help(diag, "expected %s", text_join_or(placer->arena, names + 1, known - 1));
}

static void place_collect(Placer *placer, const PlaceStatement *statement) {
    int i = find_array(placer, statement);
    if (i < 0) return;
    const MappingVar *var = &placer->vars[i];
    placer->mapping->arrays[i].collected = true;
    if (!var->not_collected) return;
    Diag *diag = diag_error(placer->diags, E_MAPPING_COLLECT, statement->name_span, "the memory of %s cannot be collected: %s",
                            var->name, var->not_collected);
    diag_help(diag, "leave the line out");
}

/* Without a card there is one memory. */
static void place_region(Placer *placer, const PlaceStatement *statement) {
    int i = find_array(placer, statement);
    if (i < 0) return;
    placer->mapping->arrays[i].memory = statement->memory;
    if (mapping_on_card(placer->mapping)) return;
    if (statement->memory == MEMORY_SYSMEM) {
        diag_remark(placer->diags, R_PLACE_NO_EFFECT, statement->span, "the line changes nothing: no Space of task '%s' is mapped to a card", placer->mapping->task);
        return;
    }
    Diag *diag = diag_error(placer->diags, E_MAPPING_REGION, statement->span, "array %s cannot lie in %s: no Space of task '%s' is mapped to a card", statement->name,
                            memories[statement->memory], placer->mapping->task);
    diag_help(diag, "leave the line out, or map a Space to a level of a card");
}

/* A kernel takes no memory: what is collected has the card's for the length of an execution. */
static void collect_on_card(ResolvedMapping *mapping, size_t count) {
    for (size_t i = 0; i < count; i++) {
        MappedArray *array = &mapping->arrays[i];
        if (array->collected && array->memory == MEMORY_FBMEM) array->memory = MEMORY_SYSMEM;
        array->collected = false;
    }
}

bool mapping_resolve_statements(Arena *arena, ResolvedMapping *mapping, const MappingVar *vars, size_t count, Diags *diags) {
    size_t errors = diags_error_count(diags);
    mapping->arrays = ARENA_ARRAY(arena, MappedArray, count + 1);
    if (!mapping->block) return true;
    Source *outer = diags_source(diags);
    diags_set_source(diags, mapping->file->source);
    Placer placer = {arena, diags, mapping, vars, count};
    for (size_t i = 0; i < mapping->block->statements.count; i++) {
        const PlaceStatement *statement = &mapping->block->statements.items[i];
        switch (statement->kind) {
        case PLACE_LAYOUT: place_layout(&placer, statement); break;
        case PLACE_LIMIT: place_limit(&placer, statement); break;
        case PLACE_COLLECT: place_collect(&placer, statement); break;
        case PLACE_PRIORITY: mapping->priority = statement->number; break;
        case PLACE_REGION: place_region(&placer, statement); break;
        }
    }
    if (mapping_on_card(mapping)) collect_on_card(mapping, count);
    diags_set_source(diags, outer);
    return diags_error_count(diags) == errors;
}

/* ---- Printing ---------------------------------------------------------------------------------------------- */

static void print_layout(const PlaceStatement *statement, Text *out) {
    const char *separator = "";
    text_printf(out, "    Layout %s: ", statement->name);
    if (!is_empty(statement->order_span)) text_printf(out, "%s_order", statement->fortran ? "F" : "C"), separator = ", ";
    if (!is_empty(statement->split_span)) text_printf(out, "%s%s", separator, statement->split ? "SoA" : "AoS"), separator = ", ";
    if (statement->number > 0) text_printf(out, "%salign %lld", separator, (long long)statement->number);
    text_char(out, '\n');
}

void mapping_print_statements(const ResolvedMapping *mapping, Text *out) {
    for (size_t i = 0; mapping->block && i < mapping->block->statements.count; i++) {
        const PlaceStatement *statement = &mapping->block->statements.items[i];
        switch (statement->kind) {
        case PLACE_LAYOUT: print_layout(statement, out); break;
        case PLACE_LIMIT: text_printf(out, "    InstanceLimit %s %lld\n", statement->name, (long long)statement->number); break;
        case PLACE_COLLECT: text_printf(out, "    CollectMemory %s\n", statement->name); break;
        case PLACE_PRIORITY: text_printf(out, "    Priority %lld\n", (long long)statement->number); break;
        case PLACE_REGION: text_printf(out, "    Region %s: %s\n", statement->name, memories[statement->memory]); break;
        }
    }
}
