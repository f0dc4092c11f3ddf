/* Of what the environment gives, a process reads what an inspection finds, and no others (ArrayPlan.reads): each stage that reads elements of such
 * an array has a slice there for each name that it has for the array, with all values that the slice asks for as in that call; nobody else
 * reads any, and nobody writes the array or what the slices look at. */
#include "compiler/plan/inspect.h"
#include "compiler/plan/verify.h"

static const Formal *formal_named(const StageUse *use, const Formal *formal) {
    for (size_t i = 0; i < use->formals.count; i++)
        if (use->formals.items[i].var == formal->var) return &use->formals.items[i];
    return NULL;
}

/* In both calls the slice's scalars are the same ones, or the same constants. */
static bool asks_alike(const TouchSlice *slice, const PlanStep *step) {
    for (size_t i = 0; i < slice->inputs.count; i++) {
        const Formal *formal = slice->inputs.items[i];
        if (formal->kind == FORMAL_VALUE && slice->step != step && plan_actual(slice->step->use, formal, slice->step->source) != plan_actual(step->use, formal, step->source)) return false;
        if (formal->kind == FORMAL_VALUE && slice->step != step && formal->actual == NULL) return false;
    }
    return true;
}

static bool is_sliced(const Inspection *reads, const PlanStep *step, const Formal *formal) {
    for (size_t i = 0; i < reads->slices.count; i++) {
        const TouchSlice *slice = reads->slices.items[i];
        if (slice->step->use == step->use && formal_named(step->use, slice->formal) == formal && asks_alike(slice, step)) return true;
    }
    return false;
}

static void check_touch(const Graph *graph, const Point *point, const Var *var, const Inspection *reads) {
    const StageUse *use = point->step->kind == PLAN_STAGE ? point->step->use : NULL;
    if (use == NULL) verify_fail(graph, point, "it reads %s, of which a process has what stages read, and it is no stage", var->name);
    for (size_t i = 0; i < use->formals.count; i++)
        if (plan_actual(use, &use->formals.items[i], point->step->source) == var && !is_sliced(reads, point->step, &use->formals.items[i]))
            verify_fail(graph, point, "it reads %s, of which a process has what others read: nobody has looked at what it reads", var->name);
}

/* No stage has it among what it writes. */
static void check_unwritten(const Graph *graph, const Var *var) {
    for (size_t p = 0; p < graph->points.count; p++)
        for (size_t t = 0; t < graph->points.items[p].touches.count; t++)
            if (graph->points.items[p].touches.items[t].var == var && graph->points.items[p].touches.items[t].write)
                verify_fail(graph, &graph->points.items[p], "it writes %s, and what is read of arrays is found once", var->name);
}

static void check_array(const Graph *graph, const ArrayPlan *array) {
    check_unwritten(graph, array->var);
    for (size_t i = 0; i < array->reads->inputs.count; i++) check_unwritten(graph, array->reads->inputs.items[i]);
    for (size_t p = 0; p < graph->points.count; p++) {
        const Point *point = &graph->points.items[p];
        for (size_t t = 0; t < point->touches.count; t++)
            if (point->touches.items[t].var == array->var) check_touch(graph, point, array->var, array->reads);
    }
}

void verify_reads(const Graph *graph) {
    for (int a = 0; a < graph->task->array_count; a++)
        if (graph->task->arrays[a].reads != NULL) check_array(graph, &graph->task->arrays[a]);
}
