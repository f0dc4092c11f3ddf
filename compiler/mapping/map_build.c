/* Building the blocks of a mapping file from what the grammar recognised, with the
 * rules that need neither program nor machine: nothing is given twice. */
#include "compiler/mapping/map_parse.h"
#include <string.h>

enum { LARGEST_NUMBER = 1000000000 };

/* The integer of a token; too large ones are cut, no level has as many PPUs. */
int64_t map_integer(const MapContext *context, Span span) {
    int64_t value = 0;
    for (uint32_t i = span.start; i < span.end && value <= LARGEST_NUMBER * 10LL; i++)
        value = value * 10 + (context->source->text[i] - '0');
    return value;
}

void map_begin_task(MapContext *context, Span name) {
    uint32_t end =
        name.end > name.start + 1 && context->source->text[name.end - 1] == '"' ? name.end - 1 : name.end;
    context->task = (MappingTask){
        .name = map_slice(context, (Span){name.start + 1, end}), .span = name, .name_span = name};
}

void map_end_task(MapContext *context, Span last) {
    context->task.span = span_join(context->task.name_span, last);
    vec_push(context->arena, &context->file->tasks, context->task);
}

void map_add_model(MapContext *context, Span name) {
    MappingTask *task = &context->task;
    if (task->model) {
        Diag *diag = diag_error(context->diags, E_MAPPING_DUPLICATE, name,
                                "a second 'Model' line for task '%s'", task->name);
        diag_note(diag, task->model_span, "the first is here");
        return;
    }
    task->model = map_slice(context, name);
    task->model_span = name;
}

/* NUMA Node is NUMA-Node, as in models. */
static const char *level_name(const MapContext *context, Span span) {
    char *name = arena_copy(context->arena, context->source->text + span.start, span.end - span.start);
    size_t used = 0;
    for (size_t i = 0; name[i] != '\0'; i++) {
        bool blank = name[i] == ' ' || name[i] == '\t';
        if (!blank) name[used++] = name[i];
        else if (used > 0 && name[used - 1] != '-') name[used++] = '-';
    }
    name[used] = '\0';
    return name;
}

void map_add_line(MapContext *context, Span keyword, Span lps, Span pps, MapSubset subset, Span function) {
    MappingTask *task = &context->task;
    MappingLine line = {
        .lps = map_slice(context, lps), .lps_span = lps, .pps = level_name(context, pps), .pps_span = pps};
    line.span = span_join(keyword, subset.span.end > 0 ? subset.span : pps);
    if (subset.span.end > 0) {
        line.subset = true;
        line.subset_span = subset.span;
        line.first = map_integer(context, subset.first);
        line.last = map_integer(context, subset.last);
    }
    if (function.end > 0) {
        line.function = map_slice(context, function);
        line.function_span = function;
        line.span = span_join(keyword, function);
    }
    for (size_t i = 0; i < task->lines.count; i++) {
        if (strcmp(task->lines.items[i].lps, line.lps) != 0) continue;
        Diag *diag =
            diag_error(context->diags, E_MAPPING_DUPLICATE, lps, "a second line for Space %s", line.lps);
        diag_note(diag, task->lines.items[i].span, "the first is here");
        return;
    }
    vec_push(context->arena, &task->lines, line);
}
