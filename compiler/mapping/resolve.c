/* Resolving a mapping: names become levels, then the rules are checked from the root
 * of the LPS tree downwards (a parent comes before its children in the array), then the
 * PPUs are counted. */
#include "compiler/mapping/resolve.h"
#include <string.h>

typedef struct Resolver {
    Arena *arena;
    Diags *diags;
    const Machine *machine;
    const MachineModel *model;
    const MappingTree *tree;
    const MappingFile *file;  /* may be NULL */
    const MappingTask *block; /* NULL: default mapping */
    AskedLps *asked;          /* parallel to tree->lpses */
    bool failed;
} Resolver;

static Diag *fail(Resolver *r, DiagCode code, Span span, const char *message) {
    r->failed = true;
    return diag_error(r->diags, code, span, "%s", message);
}

static const char *level_name(const Resolver *r, int level) {
    return level < 0 ? r->machine->name : r->model->spaces.items[level].name;
}

/* The LPS whose name messages use: a sub-partition has none of its own. */
static const char *lps_name(const Resolver *r, int index) {
    while (r->tree->lpses[index].is_sub_partition) index = r->tree->lpses[index].parent;
    return r->tree->lpses[index].name;
}

/* ---- Names ------------------------------------------------------------------------- */

bool mapping_check_tasks(const MappingFile *file, const char *const *names, size_t count, Diags *diags) {
    Source *outer = diags_source(diags);
    size_t errors = diags_error_count(diags);
    diags_set_source(diags, file->source);
    for (size_t i = 0; i < file->tasks.count; i++) {
        const MappingTask *task = &file->tasks.items[i];
        size_t known = 0, first = 0;
        while (known < count && strcmp(names[known], task->name) != 0) known++;
        while (first < i && strcmp(file->tasks.items[first].name, task->name) != 0) first++;
        if (known == count) {
            Diag *diag = diag_error(diags, E_MAPPING_TASK, task->name_span, "the program has no task '%s'",
                                    task->name);
            const char *near = text_nearest(task->name, names, count);
            if (near) diag_help(diag, "did you mean '%s'?", near);
            else if (count == 1) diag_help(diag, "its task is '%s'", names[0]);
        } else if (first < i) {
            Diag *diag = diag_error(diags, E_MAPPING_DUPLICATE, task->name_span,
                                    "a second block for task '%s'", task->name);
            diag_note(diag, file->tasks.items[first].name_span, "the first is here");
        }
    }
    diags_set_source(diags, outer);
    return diags_error_count(diags) == errors;
}

static const MappingTask *find_block(const MappingFile *file, const char *task) {
    for (size_t i = 0; file && i < file->tasks.count; i++) {
        if (strcmp(file->tasks.items[i].name, task) == 0) return &file->tasks.items[i];
    }
    return NULL;
}

/* The model of a task: the one its block names; else the first, or for a default mapping the
 * first whose host can compute. NULL after an error. */
static const MachineModel *choose_model(Resolver *r) {
    const Machine *machine = r->machine;
    if (!r->block) {
        for (size_t i = 0; i < machine->models.count; i++) {
            const MachineModel *model = &machine->models.items[i];
            for (int level = 0; (size_t)level < model->spaces.count; level++) {
                if (model_can_compute(model, level) && !model_is_gpu_level(model, level)) return model;
            }
        }
        return &machine->models.items[0];
    }
    const MachineModel *model = machine_find_model(machine, r->block->model);
    if (model) return model;
    const char **names = ARENA_ARRAY(r->arena, const char *, machine->models.count);
    size_t count = 0;
    for (size_t i = 0; i < machine->models.count; i++) {
        if (machine->models.items[i].name) names[count++] = machine->models.items[i].name;
    }
    Diag *diag =
        fail(r, E_MAPPING_MODEL, r->block->model_span,
             arena_printf(r->arena, "machine '%s' has no model '%s'", machine->name, r->block->model));
    const char *near = text_nearest(r->block->model, names, count);
    if (near) diag_help(diag, "did you mean '%s'?", near);
    else if (count > 0) diag_help(diag, "expected %s", text_join_or(r->arena, names, count));
    else diag_help(diag, "the machine has one model without a name; leave the 'Model' line out");
    return NULL;
}

/* The index of the LPS that a line names; -1 after an error. */
static int find_lps(Resolver *r, const MappingLine *line) {
    const char **names = ARENA_ARRAY(r->arena, const char *, r->tree->count);
    size_t count = 0;
    for (size_t i = 0; i < r->tree->count; i++) {
        const MappingLps *lps = &r->tree->lpses[i];
        if (lps->is_sub_partition) continue;
        if (strcmp(lps->name, line->lps) == 0) return (int)i;
        names[count++] = lps->name;
    }
    Diag *diag = fail(r, E_MAPPING_LPS, line->lps_span,
                      arena_printf(r->arena, "task '%s' has no Space %s", r->tree->task, line->lps));
    const char *near = text_nearest(line->lps, names, count);
    if (near) diag_help(diag, "did you mean '%s'?", near);
    else diag_help(diag, "expected %s", text_join_or(r->arena, names, count));
    return -1;
}

/* Another model of the machine that has the space, or NULL. */
static const MachineModel *other_model(const Resolver *r, const char *space) {
    for (size_t i = 0; i < r->machine->models.count; i++)
        if (&r->machine->models.items[i] != r->model && model_find_space(&r->machine->models.items[i], space) >= 0)
            return &r->machine->models.items[i];
    return NULL;
}

static void unknown_space(Resolver *r, const MappingLine *line) {
    const char *machine = arena_printf(r->arena, "machine '%s'", r->machine->name);
    if (r->model->name) machine = arena_printf(r->arena, "model '%s' of %s", r->model->name, machine);
    Diag *diag = fail(r, E_MAPPING_PPS, line->pps_span,
                      arena_printf(r->arena, "%s has no space '%s'", machine, line->pps));
    const char *names[MACHINE_MAX_LEVELS];
    for (size_t i = 0; i < r->model->spaces.count; i++) names[i] = r->model->spaces.items[i].name;
    const char *expected = text_join_or(r->arena, names, r->model->spaces.count);
    const MachineModel *other = other_model(r, line->pps);
    const char *near = model_nearest_space(r->model, line->pps);
    if (other) diag_help(diag, "model '%s' has it: write 'Model: %s'", other->name, other->name);
    else if (near) diag_help(diag, "did you mean '%s'?", near);
    else diag_help(diag, "expected %s", expected);
}

/* The level that a line names; -1 after an error. */
static int find_level(Resolver *r, const MappingLine *line) {
    int level = model_find_space(r->model, line->pps);
    if (level < 0) unknown_space(r, line);
    return level;
}

/* ---- What the block asks for -------------------------------------------------------- */

static void warn_inherited(Resolver *r, size_t i) {
    const MappingLps *lps = &r->tree->lpses[i];
    Diag *diag = diag_warning(r->diags, W_MAPPING_INHERITED, r->block->name_span,
                              "no line for Space %s: it runs where Space %s runs, on %s", lps->name,
                              lps_name(r, lps->parent), level_name(r, r->asked[lps->parent].level));
    diag_help(diag, "write 'Space %s: …' to choose", lps->name);
    if (!r->tree->source) return;
    Source *mapping = diags_source(r->diags);
    diags_set_source(r->diags, r->tree->source);
    diag_note(diag, lps->span, "Space %s is defined here", lps->name);
    diags_set_source(r->diags, mapping);
}

static void read_block(Resolver *r) {
    for (size_t i = 0; i < r->block->lines.count; i++) {
        const MappingLine *line = &r->block->lines.items[i];
        int lps = find_lps(r, line), level = find_level(r, line);
        if (lps < 0 || level < 0) continue;
        r->asked[lps] = (AskedLps){.level = level, .line = line, .span = line->span};
    }
    if (r->failed) return;
    if (!r->asked[0].line)
        r->asked[0] = (AskedLps){.level = mapping_root_level(r->model), .span = r->block->name_span};
    for (size_t i = 1; i < r->tree->count; i++) {
        const MappingLps *lps = &r->tree->lpses[i];
        if (r->asked[i].line) continue;
        r->asked[i] = r->asked[lps->parent];
        r->asked[i].line = NULL;
        r->asked[i].inherited = true;
        if (!lps->is_sub_partition) warn_inherited(r, i);
    }
}

/* ---- Rules ---------------------------------------------------------------------------- */

static void check_order(Resolver *r, size_t i) {
    int parent = r->tree->lpses[i].parent;
    if (parent < 0 || r->asked[i].level >= r->asked[parent].level) return;
    const char *name = r->tree->lpses[i].name, *above = lps_name(r, parent);
    Diag *diag =
        fail(r, E_MAPPING_ORDER, r->asked[i].span,
             arena_printf(r->arena, "Space %s is mapped to %s, above its parent Space %s on %s", name,
                          level_name(r, r->asked[i].level), above, level_name(r, r->asked[parent].level)));
    diag_help(diag, "map Space %s to %s or a level below it", name, level_name(r, r->asked[parent].level));
    if (r->asked[parent].line) diag_note(diag, r->asked[parent].span, "Space %s is mapped here", above);
}

/* The level whose PPUs run an LPS: the one asked for, unless only levels above it compute. */
static int effective_level(Resolver *r, size_t i, int compute) {
    int level = r->asked[i].level;
    if (level <= compute) return level;
    if (r->asked[i].line) {
        Diag *diag = diag_warning(r->diags, W_MAPPING_SUBSTITUTE, r->asked[i].span,
                                  "%s cannot compute: Space %s runs on %s, the nearest level above that can",
                                  level_name(r, level), r->tree->lpses[i].name, level_name(r, compute));
        diag_help(diag, "map Space %s to %s", r->tree->lpses[i].name, level_name(r, compute));
    }
    return compute;
}

/* Applies `[a...b]` to the PPUs that there are. */
static void apply_subset(Resolver *r, size_t i, MappedLps *mapped, int64_t available) {
    const MappingLine *line = r->asked[i].line;
    const char *name = level_name(r, mapped->level);
    mapped->ppus = available;
    if (!line || !line->subset) return;
    const char *where =
        i == 0 ? "the machine"
               : arena_printf(r->arena, "the PPU of Space %s", lps_name(r, r->tree->lpses[i].parent));
    if (line->first > line->last) {
        fail(r, E_MAPPING_SUBSET, line->subset_span,
             arena_printf(r->arena, "the subset is empty: %lld is more than %lld", (long long)line->first,
                          (long long)line->last));
    } else if (line->last >= available) {
        Diag *diag = fail(r, E_MAPPING_SUBSET, line->subset_span,
                          arena_printf(r->arena, "%s has %lld PPU%s of %s, numbered from 0 to %lld", where,
                                       (long long)available, available == 1 ? "" : "s", name,
                                       (long long)available - 1));
        if (mapped->level != mapped->asked_level)
            diag_help(diag, "%s stands in for %s here, which cannot compute", name,
                      level_name(r, mapped->asked_level));
    } else if (i == 0 && line->first != line->last) {
        Diag *diag = fail(r, E_MAPPING_SUBSET, line->subset_span,
                          "Space Root is one LPU, so it is confined to one PPU");
        diag_help(diag, "write 'Space Root: %s[%lld]', or give the subset to the spaces that are divided",
                  name, (long long)line->first);
    } else {
        mapped->first = line->first;
        mapped->ppus = line->last - line->first + 1;
    }
}

/* ---- Index mapping functions ------------------------------------------------------------- */

static FuncItem *find_function(Resolver *r, const MappingLine *line) {
    const FuncItemVec *items = &r->file->functions;
    FuncItem *item = func_find(items, line->function);
    if (item && item->is_function) return item;
    const char **names = ARENA_ARRAY(r->arena, const char *, items->count + 1);
    size_t count = 0;
    for (size_t i = 0; i < items->count; i++)
        if (items->items[i]->is_function) names[count++] = items->items[i]->name;
    Diag *diag = fail(r, E_FUNC_NAME, line->function_span,
                      item ? arena_printf(r->arena, "'%s' is not a function", line->function)
                           : arena_printf(r->arena, "the mapping file has no function '%s'", line->function));
    const char *near = text_nearest(line->function, names, count);
    if (near) diag_help(diag, "did you mean '%s'?", near);
    else diag_help(diag, "define it with 'def %s(Tuple ipoint, Tuple ispace): return …'", line->function);
    return NULL;
}

/* `by f`: finds and checks the function. */
static void place_by(Resolver *r, MappedLps *mapped, size_t i) {
    const MappingLine *line = r->asked[i].line;
    const MappingLps *lps = &r->tree->lpses[i];
    if (!line || !line->function) return;
    if (i == 0 || lps->dims == 0) {
        fail(r, E_FUNC_CALL, line->function_span,
             arena_printf(r->arena, "Space %s has one LPU%s, which a function cannot spread", lps->name,
                          i == 0 ? "" : " in each LPU of its parent"));
        return;
    }
    if (lps->dynamic) {
        fail(r, E_FUNC_CALL, line->function_span,
             arena_printf(r->arena, "Space %s is <dynamic>: its LPUs go to whoever is free, not by a function", lps->name));
        return;
    }
    FuncItem *function = find_function(r, line);
    if (!function) return;
    int parent = r->asked[lps->parent].level;
    mapped->machine = (FuncMachine){.model = r->model, .machine = r->machine->name, .parent_level = parent,
                                    .ppus = line->subset ? mapped->ppus : 0};
    if (!func_check(r->arena, r->diags, &mapped->machine, &r->file->functions, r->file->source, function, lps->dims,
                    r->asked[i].level, line->function_span))
        r->failed = true;
    mapped->function = function;
}

static void place(Resolver *r, ResolvedMapping *result, size_t i) {
    MappedLps *mapped = &result->lpses[i];
    const MappingLps *lps = &r->tree->lpses[i];
    int asked = r->asked[i].level;
    int compute = model_compute_level(r->model, asked < 0 ? 0 : asked);
    mapped->asked_level = asked;
    mapped->level = effective_level(r, i, compute);
    mapped->compute_level = compute;
    mapped->level_name = level_name(r, mapped->level);
    mapped->inherited = r->asked[i].inherited;
    if (i == 0) {
        apply_subset(r, i, mapped, model_total_ppus(r->model, mapped->level));
        mapped->ppus = 1; /* Root's LPU is one, and takes the first */
        mapped->parallelism = 1;
        return;
    }
    const MappedLps *parent = &result->lpses[lps->parent];
    apply_subset(r, i, mapped, model_ppus_between(r->model, parent->level, mapped->level));
    mapped->parallelism = parent->parallelism * mapped->ppus;
    if (!r->failed) place_by(r, mapped, i);
}

/* ---- Totals ------------------------------------------------------------------------------ */

/* How many segments the PPUs of one LPS lie in, counted for all of the task; the segments
 * of its parent are known. */
static int64_t count_segments(const ResolvedMapping *mapping, size_t i, const int64_t *segments) {
    const MappedLps *lps = &mapping->lpses[i];
    int segment = model_segment_level(mapping->model);
    if (segment < 0 || i == 0) return 1;
    int parent = mapping->tree->lpses[i].parent, above = mapping->lpses[parent].level;
    if (above >= segment) return segments[parent];
    if (lps->level < segment) return segments[parent] * lps->ppus;
    int64_t inside = model_ppus_between(mapping->model, segment, lps->level);
    return segments[parent] * ((lps->first + lps->ppus - 1) / inside - lps->first / inside + 1);
}

static void add_up(Arena *arena, ResolvedMapping *mapping) {
    int64_t *segments = ARENA_ARRAY(arena, int64_t, mapping->count);
    mapping->threads = mapping->segments = 1;
    for (size_t i = 0; i < mapping->count; i++) {
        segments[i] = count_segments(mapping, i, segments);
        if (segments[i] > mapping->segments) mapping->segments = segments[i];
        if (mapping->lpses[i].parallelism > mapping->threads)
            mapping->threads = mapping->lpses[i].parallelism;
    }
}

static ResolvedMapping *build(Resolver *r) {
    ResolvedMapping *result = ARENA_NEW(r->arena, ResolvedMapping);
    *result = (ResolvedMapping){.task = r->tree->task,
                                .machine = r->machine,
                                .model = r->model,
                                .file = r->file,
                                .tree = r->tree,
                                .count = r->tree->count,
                                .block = r->block,
                                .is_default = !r->block};
    result->lpses = ARENA_ARRAY(r->arena, MappedLps, r->tree->count);
    for (size_t i = 0; i < r->tree->count; i++) place(r, result, i);
    if (r->failed) return NULL;
    add_up(r->arena, result);
    return result;
}

static void report_no_capacity(Resolver *r) {
    Span span = r->block ? r->block->name_span : (Span){0, 0};
    const char *message = arena_printf(r->arena, "no level of machine '%s' can compute%s", r->machine->name,
                                       r->block ? "" : " outside its GPUs");
    r->failed = true;
    if (r->block) diag_error(r->diags, E_MAPPING_CAPACITY, span, "%s", message);
    else diag_error_plain(r->diags, E_MAPPING_CAPACITY, "%s", message);
}

static ResolvedMapping *resolve(Resolver *r, const MappingFile *file) {
    r->model = choose_model(r);
    if (!r->model) return NULL;
    if (r->block && model_compute_level(r->model, 0) < 0) {
        report_no_capacity(r);
        return NULL;
    }
    if (r->block) {
        read_block(r);
        if (r->failed) return NULL; /* the order of levels would follow from what is wrong */
    } else {
        if (!mapping_default(r->arena, r->model, r->tree, r->asked)) {
            report_no_capacity(r);
            return NULL;
        }
        if (file)
            diag_warning_plain(r->diags, W_MAPPING_DEFAULT,
                               "%s: no block for task '%s', which gets the default mapping",
                               file->source->name, r->tree->task);
    }
    for (size_t i = 0; i < r->tree->count; i++) check_order(r, i);
    return r->failed ? NULL : build(r);
}

ResolvedMapping *mapping_resolve(Arena *arena, const MappingFile *file, const Machine *machine,
                                 const MappingTree *tree, Diags *diags) {
    Source *outer = diags_source(diags);
    if (file) diags_set_source(diags, file->source);
    Resolver resolver = {.arena = arena,
                         .diags = diags,
                         .machine = machine,
                         .tree = tree,
                         .file = file,
                         .block = find_block(file, tree->task),
                         .asked = ARENA_ARRAY(arena, AskedLps, tree->count)};
    ResolvedMapping *result = resolve(&resolver, file);
    diags_set_source(diags, outer);
    return result;
}

/* ---- Printing ------------------------------------------------------------------------------ */

static void print_line(const ResolvedMapping *mapping, size_t i, Text *out) {
    const MappedLps *lps = &mapping->lpses[i];
    int64_t all = i == 0
                      ? model_total_ppus(mapping->model, lps->level)
                      : model_ppus_between(mapping->model,
                                           mapping->lpses[mapping->tree->lpses[i].parent].level, lps->level);
    text_printf(out, "    Space %s: %s", mapping->tree->lpses[i].name, lps->level_name);
    if (i == 0 && all > 1) text_printf(out, "[%lld]", (long long)lps->first);
    else if (lps->ppus < all)
        text_printf(out, "[%lld...%lld]", (long long)lps->first, (long long)(lps->first + lps->ppus - 1));
    if (lps->function) text_printf(out, " by %s", lps->function->name);
    if (i > 0) text_printf(out, "    // %lld at once", (long long)lps->parallelism);
    text_char(out, '\n');
}

void mapping_print(const ResolvedMapping *mapping, Text *out) {
    text_printf(out, "\"%s\" {\n", mapping->task);
    if (mapping->model->name) text_printf(out, "    Model: %s\n", mapping->model->name);
    for (size_t i = 0; i < mapping->count; i++) {
        if (mapping->tree->lpses[i].is_sub_partition || mapping->lpses[i].level < 0) continue;
        if (i == 0 && mapping->lpses[0].level == mapping_root_level(mapping->model)) continue;
        print_line(mapping, i, out);
    }
    mapping_print_statements(mapping, out);
    text_append(out, "}\n");
}

void mapping_print_functions(const MappingFile *file, Text *out) {
    for (size_t i = 0; i < file->functions.count; i++) {
        Span span = file->functions.items[i]->span;
        text_append_n(out, file->source->text + span.start, span.end - span.start);
        text_char(out, '\n');
    }
}

bool mapping_is_cards(const ResolvedMapping *mapping, int lps) { return model_is_gpu_level(mapping->model, mapping->lpses[lps].compute_level); }

bool mapping_is_alike(const ResolvedMapping *mapping, int a, int b) {
    const MappedLps *one = &mapping->lpses[a], *other = &mapping->lpses[b];
    const bool dynamic = mapping->tree->lpses[a].dynamic || mapping->tree->lpses[b].dynamic;
    return !dynamic && one->level == other->level && one->first == other->first && one->ppus == other->ppus && one->function == other->function;
}

bool mapping_keeps_together(const ResolvedMapping *mapping, int a, int b) {
    if (mapping->segments <= 1) return true;
    return mapping_is_alike(mapping, a, b) && mapping->lpses[a].level >= model_segment_level(mapping->model);
}

bool mapping_on_card(const ResolvedMapping *mapping) {
    for (size_t i = 0; i < mapping->count; i++) {
        const MappedLps *lps = &mapping->lpses[i];
        if (!lps->inherited && lps->level >= 0 && model_is_gpu_level(mapping->model, lps->compute_level)) return true;
    }
    return false;
}
