/* Names that generated code makes of the program's names ("x_view", "partition_k", "smooth_in_A"), and those that its
 * functions use for themselves. A name of the program that is one of these gets a '_' at the end, a Repeat variable
 * "counter_" before it (c_names.c).
 *
 * The first are collected once for a program, in a table (open addressing); the second only stand in flows, Initialize
 * and the coordinator, so stages keep names such as `task` and `line`. */
#include "compiler/emit/program/writer.h"

#include <string.h>

struct MadeNames {
    Arena *arena;
    const char **words; /* NULL: free; never full */
    size_t count, capacity;
};

static size_t slot_of(const MadeNames *made, const char *word) {
    size_t hash = 1469598103934665603u;
    for (const char *c = word; *c != '\0'; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211u;
    size_t slot = (hash ^ (hash >> 29)) & (made->capacity - 1);
    while (made->words[slot] && strcmp(made->words[slot], word) != 0) slot = (slot + 1) & (made->capacity - 1);
    return slot;
}

static void put(MadeNames *made, const char *word) {
    if (2 * made->count >= made->capacity) {
        MadeNames bigger = {.arena = made->arena, .capacity = made->capacity ? 2 * made->capacity : 64};
        bigger.words = ARENA_ARRAY(made->arena, const char *, bigger.capacity);
        for (size_t i = 0; i < made->capacity; i++)
            if (made->words[i]) put(&bigger, made->words[i]);
        *made = bigger;
    }
    size_t slot = slot_of(made, word);
    made->count += !made->words[slot];
    made->words[slot] = word;
}

/* The program's name may have a '_' at its end when it is printed. */
static void put_prefixed(MadeNames *made, const char *prefix, const char *name) {
    put(made, arena_printf(made->arena, "%s%s", prefix, name));
    put(made, arena_printf(made->arena, "%s%s_", prefix, name));
}

static void put_suffixed(MadeNames *made, const char *name, const char *suffix) {
    put(made, arena_printf(made->arena, "%s%s", name, suffix));
    put(made, arena_printf(made->arena, "%s_%s", name, suffix));
}

/* ---- What is made ------------------------------------------------------------------------------------ */
/* Members of structs (launch.c). */
static void put_members(MadeNames *made, const Task *task) {
    for (size_t i = 0; i < task->partition_params.count; i++)
        put_prefixed(made, "partition_", task->partition_params.items[i]->name);
    for (size_t i = 0; i < task->globals.count; i++) {
        const Var *var = task->globals.items[i];
        if (var_is_array(var)) {
            put_prefixed(made, "bounds_", var->name);
            put_prefixed(made, "linked_", var->name);
        } else {
            put_prefixed(made, "has_", var->name);
            if (var->versions > 1) put_suffixed(made, var->name, "_before");
        }
    }
}

/* Parameters and locals of a stage function (../cpu/stage_function.c). */
static void put_formal(MadeNames *made, const Formal *formal) {
    const char *name = formal->var->name;
    if (formal->kind == FORMAL_VIEW) {
        put_suffixed(made, name, "_view");
        put_suffixed(made, name, "_peek");
        put_suffixed(made, name, "_origin");
        for (int d = 1; d < formal->var->type->rank; d++) put_suffixed(made, name, arena_printf(made->arena, "_ld%d", d));
        for (int d = 0; d < formal->var->type->rank; d++)
            if (formal->gaps[d]) put_suffixed(made, name, arena_printf(made->arena, "_places%d", d + 1));
    } else {
        put_suffixed(made, name, "_place");
    }
    for (int lag = 1; lag <= formal->max_lag; lag++) {
        put_suffixed(made, name, arena_printf(made->arena, "_%d", lag));
        if (formal->kind != FORMAL_VIEW) put_suffixed(made, name, arena_printf(made->arena, "_%d_place", lag));
    }
}

static MadeNames *collect(Emit *emit) {
    MadeNames *made = ARENA_NEW(emit->arena, MadeNames);
    made->arena = emit->arena;
    static const char *const once[] = {"coordinate", "program_args", "program_tasks"};
    for (size_t i = 0; i < sizeof once / sizeof *once; i++) put(made, once[i]);
    for (size_t t = 0; t < emit->plan->tasks.count; t++) {
        const TaskPlan *task = emit->plan->tasks.items[t];
        put_members(made, task->task);
        for (size_t u = 0; u < task->uses.count; u++) {
            const StageUse *use = task->uses.items[u];
            put(made, use->symbol);
            put(made, arena_printf(made->arena, "%s_cost", use->symbol));
            for (size_t f = 0; f < use->formals.count; f++) put_formal(made, &use->formals.items[f]);
        }
    }
    return made;
}

bool emit_is_made(Emit *emit, const char *word) {
    if (!emit->plan) return false;
    if (!emit->made_names) emit->made_names = collect(emit);
    return emit->made_names->words[slot_of(emit->made_names, word)] != NULL;
}

/* ---- What flows, Initialize and the coordinator use ---------------------------------------------------- */
bool emit_is_of_task_code(const char *word) {
    static const char *const words[] = {"task", "session", "environment", "line", "launch", "items", "args", "some"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(word, words[i]) == 0) return true;
    return false;
}

bool emit_is_of_flows(const char *word) {
    static const char *const starts[] = {"lpu_", "leads_", "grid_", "end_", "rounds_", "range_", "last_", "left_", "step_",
                                         "part_", "visit_", "share_", "of_", "counter_", "late_", "sweep_"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (strncmp(word, starts[i], strlen(starts[i])) == 0) return true;
    static const char *const ends[] = {"_scalars", "_now"};
    size_t length = strlen(word);
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (length > strlen(ends[i]) && strcmp(word + length - strlen(ends[i]), ends[i]) == 0) return true;
    return emit_is_of_task_code(word);
}
