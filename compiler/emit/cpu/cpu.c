/* The backend for CPUs: threads on shared memory, compiled by gcc or clang. */
#include "compiler/emit/cpu/cpu.h"

#include <string.h>
#include "compiler/mapping/mapping.h"

/* ---- What it accepts: one address space, or several but for what segments.c says ------------------------------------------------------------ */
/* The line that spreads the task over segments: of the first LPS that takes several PPUs in more than a segment. */
static const MappingLine *spreading_line(const ResolvedMapping *mapping) {
    int segment = model_segment_level(mapping->model);
    for (size_t i = 1; mapping->block != NULL && i < mapping->count; i++) {
        int parent = mapping->tree->lpses[i].parent;
        if (mapping->lpses[parent].level >= segment || mapping->lpses[i].ppus < 2) continue;
        for (size_t l = 0; l < mapping->block->lines.count; l++)
            if (strcmp(mapping->block->lines.items[l].lps, mapping->tree->lpses[i].name) == 0) return &mapping->block->lines.items[l];
    }
    return NULL;
}

bool cpu_accepts(Arena *arena, const Plan *plan, const TaskPlan *task, Diags *diags) {
    (void)plan;
    const ResolvedMapping *mapping = task->mapping;
    const char *obstacle = mapping->segments > 1 ? cpu_obstacle(arena, task) : NULL;
    if (obstacle == NULL) return true;
    const char *message = arena_printf(arena, "the mapping of task \"%s\" takes %lld address spaces of machine %s, and %s", mapping->task,
                                       (long long)mapping->segments, mapping->machine->name, obstacle);
    const MappingLine *line = spreading_line(mapping);
    Source *outer = diags_source(diags);
    if (line != NULL) diags_set_source(diags, mapping->file->source);
    Diag *diag = line != NULL ? diag_error(diags, E_PLAN_SEGMENTS, line->span, "%s", message)
                              : diag_error_plain(diags, E_PLAN_SEGMENTS, "%s", message);
    diags_set_source(diags, outer);
    diag_help(diag, "confine the task to one of them with `Space Root: …` in its mapping, or use a model of "
                    "a single node");
    return false;
}

/* ---- How C compilers are asked -------------------------------------------------------------------------- */
static const char *const flags[] = {"-O3", "-march=native", "-fwrapv", "-fno-math-errno", "-fno-trapping-math",
#if defined __x86_64__
                                    "-mprefer-vector-width=512", /* compilers that know a processor may prefer half of its width */
#endif
                                    "-falign-loops=64", /* processors take short loops whole from a cache line */
                                    "-Wall", "-Wextra", NULL};
static const char *const libraries[] = {"-lhwloc", "-lpthread", "-lm", NULL};

const Backend backend_cpu = {.machine = "shared memory", .runs_on = "threads on shared memory", .own = "static", .accepts = cpu_accepts,
                             .schedule = cpu_schedule, .stage = cpu_stage, .stage_cost = cpu_stage_cost, .parallel = cpu_parallel,
                             .reduce = cpu_reduce, .touches = cpu_touches, .flow = cpu_flow, .build = {flags, libraries}};
