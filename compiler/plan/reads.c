/* What a process reads of the files of arrays that no stage writes: where elements of other arrays say which elements its LPUs use, as the ends of
 * rows do for the numbers of a sparse matrix, those and no others. The inspections are those of inspect.c, for all that is touched. */
#include "compiler/plan/inspect.h"

/* Of an array that lies in one store, and in one place of a process: what of it is read there, as elements of other arrays say. */
static const Inspection *reading_of(Arena *arena, TaskPlan *task, const ArrayPlan *array) {
    const Holding *found = NULL;
    if (array->written || array->collected || array->home->parent != NULL || array->var->versions != 1 || array->layout.split || array->layout.fortran) return NULL;
    for (size_t h = 0; h < task->holdings.count; h++) {
        const Holding *holding = task->holdings.items[h];
        if (holding->var != array->var || holding->kind == HELD_ITEM) continue;
        const bool alike = holding->kind == HELD_TOUCHED || (holding->kind == HELD_PARTS && holding->shared && !holding->padded);
        if (found != NULL || !alike || !hold_is_local(task, holding->lps)) return NULL;
        found = holding;
    }
    const Inspection *inspection = found != NULL ? inspect_holding(arena, task, found, true) : NULL;
    return inspection != NULL && inspection->inputs.count > 0 && inspect_is_steady(task, inspection) ? inspection : NULL;
}

/* What it looks at is read before, as a whole or by its own inspection. */
static bool may_come_next(const TaskPlan *task, const Inspection *inspection, const Inspection *const *readings) {
    for (size_t i = 0; i < inspection->inputs.count; i++) {
        const int input = plan_array_index(task, inspection->inputs.items[i]);
        if (task->arrays[input].reads == NULL && readings[input] != NULL) return false;
    }
    return true;
}

void plan_reads(Arena *arena, TaskPlan *task) {
    const Inspection **readings = ARENA_ARRAY(arena, const Inspection *, (size_t)task->array_count + 1);
    for (int a = 0; a < task->array_count; a++) readings[a] = reading_of(arena, task, &task->arrays[a]);
    for (bool more = true; more;) { /* of arrays that look at each other none is read so */
        more = false;
        for (int a = 0; a < task->array_count; a++) {
            if (readings[a] == NULL || task->arrays[a].reads != NULL || !may_come_next(task, readings[a], readings)) continue;
            task->arrays[a].reads = readings[a];
            more = true;
        }
    }
}
