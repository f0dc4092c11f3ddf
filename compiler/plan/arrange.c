/* What the mapping's placement statements make of a task: how its arrays lie in memory, how many LPUs of a Space run at
 * once, what loses its memory early, and the task's priority. Needs the resolved mapping; the plan's flow and storage are
 * finished. Everything here changes placement and time, never results (docs/machines.md, "Placement statements"). */
#include "compiler/check/walk.h"
#include "compiler/mapping/mapping.h"
#include "compiler/plan/levels.h"

/* ---- What cannot be done to an array ----------------------------------------------------------------- */
/* Looks through one stage for uses of the array that need rows, or whole elements. */
typedef struct Search {
    Arena *arena;
    const StageUse *use;
    const Formal *formal; /* the array, as the stage names it */
    MappingVar *var;
} Search;

static bool find_extern(Stmt *stmt, void *data) {
    Search *search = data;
    if (stmt->kind != STMT_EXTERN) return true;
    for (size_t i = 0; i < stmt->external->uses.count; i++) {
        if (stmt->external->uses.items[i] != search->formal->var || search->var->not_split != NULL) continue;
        const char *stage = search->use->stage->body.name;
        search->var->not_fortran = arena_printf(search->arena, "stage %s hands it to extern code, which expects rows", stage);
        search->var->not_split =
            arena_printf(search->arena, "stage %s hands it to extern code, which expects whole elements", stage);
        search->var->why = stmt->span;
    }
    return true;
}

static bool find_reference(Expr *expr, void *data) {
    Search *search = data;
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->arguments.count; i++) {
        const Expr *argument = expr->arguments.items[i];
        bool whole = argument->kind == EXPR_ELEMENT && argument->var == search->formal->var;
        if (!whole || !expr->function->body.params.items[i]->by_reference || search->var->not_split != NULL) continue;
        search->var->not_split = arena_printf(search->arena, "stage %s passes whole elements to function %s by reference",
                                              search->use->stage->body.name, expr->function->body.name);
        search->var->why = expr->span;
    }
    return true;
}

static bool has_copies(const TaskPlan *task, const Var *var) {
    for (size_t i = 1; i < task->task->spaces.count; i++) {
        int slot = plan_view_slot(task->task->spaces.items[i], var);
        if (slot >= 0 && task->spaces[i].stored[slot] == STORED_COPY) return true;
    }
    return false;
}

static MappingVar describe(Arena *arena, const TaskPlan *task, const Var *var) {
    MappingVar result = {.name = var->name, .type = var->type->text, .is_array = var_is_array(var)};
    if (!result.is_array) return result;
    result.rank = var->type->rank;
    result.of_user_type = var->type->element->kind == TYPE_STRUCT;
    for (size_t u = 0; u < task->uses.count; u++)
        for (size_t f = 0; f < task->uses.items[u]->formals.count; f++) {
            Search search = {arena, task->uses.items[u], &task->uses.items[u]->formals.items[f], &result};
            if (search.formal->actual != var) continue;
            walk_block(&((StageInstance *)search.use->stage)->body.block, find_extern, find_reference, &search);
        }
    if (var->type->rank == 1) result.not_fortran = NULL;
    if (var->environment && !has_copies(task, var))
        result.not_collected = "it is in the task's Environment and outlives the task";
    return result;
}

/* ---- What the statements say ---------------------------------------------------------------------------- */
static void arrange_arrays(TaskPlan *task) {
    for (int i = 0; i < task->array_count; i++) {
        ArrayPlan *array = &task->arrays[i];
        const MappedArray *mapped = &task->mapping->arrays[array->var->id];
        array->layout = (ArrayLayout){mapped->fortran && array->var->type->rank > 1, mapped->split, mapped->align};
        array->collected = mapped->collected;
    }
    for (size_t u = 0; u < task->uses.count; u++)
        for (size_t f = 0; f < task->uses.items[u]->formals.count; f++) {
            Formal *formal = &task->uses.items[u]->formals.items[f];
            if (formal->kind == FORMAL_VIEW) formal->layout = task->arrays[plan_array_index(task, formal->actual)].layout;
        }
}

/* ---- Memory from the first use to the last ----------------------------------------------------------------- */
static bool step_uses(const TaskPlan *task, const PlanStep *step, const ArrayPlan *array) {
    bool uses = step->array == array || (step->exchange >= 0 && task->exchanges.items[step->exchange].array == array);
    for (size_t f = 0; step->use != NULL && f < step->use->formals.count; f++)
        uses = uses || step->use->formals.items[f].actual == array->var;
    uses = uses || expr_mentions(step->source->condition, array->var) || expr_mentions(step->source->range, array->var) ||
           expr_mentions(step->source->step, array->var);
    for (size_t i = 0; i < step->body.count && !uses; i++) uses = step_uses(task, step->body.items[i], array);
    return uses;
}

static PlanStep *memory_step(Arena *arena, const TaskPlan *task, PlanStepKind kind, const PlanStep *beside, ArrayPlan *array) {
    PlanStep *step = ARENA_NEW(arena, PlanStep);
    *step = (PlanStep){.kind = kind, .source = beside->source, .lps = task->task->spaces.items[0], .array = array,
                       .reduce = -1, .exchange = -1, .call_id = -1};
    return step;
}

/* Around the steps of the flow itself that use the array; where there are none it never has memory. */
static void collect_array(Arena *arena, TaskPlan *task, ArrayPlan *array) {
    PlanStepVec flow = {0};
    size_t first = task->flow.count, last = 0;
    for (size_t i = 0; i < task->flow.count; i++) {
        if (!step_uses(task, task->flow.items[i], array)) continue;
        if (first == task->flow.count) first = i;
        last = i;
    }
    for (size_t i = 0; i < task->flow.count; i++) {
        PlanStep *step = task->flow.items[i];
        if (i == first) vec_push(arena, &flow, memory_step(arena, task, PLAN_PROVIDE, step, array));
        vec_push(arena, &flow, step);
        if (i == last && first < task->flow.count) vec_push(arena, &flow, memory_step(arena, task, PLAN_COLLECT, step, array));
    }
    task->flow = flow;
}

bool plan_arrange(Arena *arena, TaskPlan *task, Diags *diags) {
    const VarVec *globals = &task->task->globals;
    MappingVar *vars = ARENA_ARRAY(arena, MappingVar, globals->count + 1);
    for (size_t i = 0; i < globals->count; i++) vars[i] = describe(arena, task, globals->items[i]);
    if (!mapping_resolve_statements(arena, task->mapping, vars, globals->count, diags)) return false;
    arrange_arrays(task);
    for (size_t i = 0; i < task->mapping->count; i++) task->spaces[i].limit = task->mapping->lpses[i].limit;
    task->priority = task->mapping->priority;
    for (int i = 0; i < task->array_count; i++)
        if (task->arrays[i].collected && !task->arrays[i].var->environment) collect_array(arena, task, &task->arrays[i]);
    return true;
}
