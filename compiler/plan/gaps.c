/* Dimensions of which segments have indices with gaps, because strided parts of arrays are dealt out to them: there the indices that a
 * segment has lie side by side (runtime/store/places.h), and stages ask for the place of an index.
 *
 * All that a segment has of the array must have gaps: where some Space gives it whole blocks, or all of the dimension, there is
 * little to save. What only leaders have, now and then, lies behind all else, in the dimension whose slices lie together.
 *
 * If nothing of that is needed after the step for which it came, but for what goes home, its memory is used again (slots).
 *
 * On cards stages look each place up in a table. A card's memory does not grow while its kernel runs, so what only leaders have are single slices there, each of
 * which comes by itself right before the step that needs it: then it is known how many there are at most at the same time (runtime/move/transfer_messages.c).
 *
 * Needs: holdings and moves of a task of several segments; stage uses. Gives: ArrayPlan.gaps, ArrayPlan.slots, Formal.gaps. Breaks: nothing. */
#include "compiler/mapping/mapping.h"
#include "compiler/plan/inspect.h"
#include "compiler/plan/moves.h"

#include <string.h>

static int slowest(const ArrayPlan *array) { return array->layout.fortran ? array->var->type->rank - 1 : 0; }

static bool all_have_gaps(const TaskPlan *task, const ArrayPlan *array, int d) {
    bool any = false;
    if (array->home->parent != NULL) return false; /* padded parts */
    for (size_t h = 0; h < task->holdings.count; h++) {
        const Holding *holding = task->holdings.items[h];
        if (holding->var != array->var || holding->kind == HELD_ITEM) continue;
        if (holding->store != array->home || holding->inspection != NULL) return false;
        if (holding->kind == HELD_STAGED && d == slowest(array)) continue;
        if (plan_part_is_interval(lps_holder(holding->lps, array->var), array->var, d)) return false;
        any = true;
    }
    return any;
}

static bool is_inspected(const TaskPlan *task, const Var *var) {
    for (size_t t = 0; t < task->transfers.count; t++) {
        const Inspection *inspection = task->transfers.items[t]->inspection;
        if (inspection == NULL) continue;
        if (inspection->holding->var == var) return true;
        for (size_t i = 0; i < inspection->inputs.count; i++)
            if (inspection->inputs.items[i] == var) return true;
    }
    return false;
}

/* Merging of changes looks at all elements that lie between others. */
static bool is_watched(const PlanStepVec *steps, const ArrayPlan *array) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        if ((step->kind == PLAN_WATCH && step->array == array) || is_watched(&step->body, array)) return true;
    }
    return false;
}

/* ---- Slots ----------------------------------------------------------------------------------------------- */

/* A transfer brings the region right before the step touches it, and no more slices than some. */
static bool is_brought(const TaskPlan *task, const ArrayPlan *array, const Holding *holding, const PlanStep *step, const Region *region) {
    for (size_t t = 0; t < task->transfers.count; t++) {
        const Transfer *transfer = task->transfers.items[t];
        if (transfer->to != holding || transfer->before != step || transfer->within == NULL || !transfer->partial) continue;
        if (region_same_elements(transfer->region, region) && region_rank(&region->dims[slowest(array)]) < 3) return true;
    }
    return false;
}

typedef struct Bringing {
    const TaskPlan *task;
    const ArrayPlan *array;
    const PlanStep *step;
    bool all;
} Bringing;

static void check_touch(void *data, const MoveTouch *touch) {
    Bringing *bringing = data;
    if (touch->var != bringing->array->var) return;
    const Holding *holding = hold_touched(bringing->task, touch);
    if (holding->kind != HELD_STAGED) return;
    const bool slice = region_rank(&touch->region->dims[slowest(bringing->array)]) == 0;
    if (!is_brought(bringing->task, bringing->array, holding, bringing->step, touch->region)) bringing->all = false;
    if (mapping_on_card(bringing->task->mapping) && !slice) bringing->all = false;
}

static bool all_is_brought(Arena *arena, const TaskPlan *task, const ArrayPlan *array, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        Bringing bringing = {task, array, steps->items[i], true};
        move_touches(arena, task, steps->items[i], check_touch, &bringing);
        if (!bringing.all || !all_is_brought(arena, task, array, &steps->items[i]->body)) return false;
    }
    return true;
}

/* What leaders have comes from files or from elsewhere by such transfers alone, and goes home alone. */
static bool comes_and_goes(const TaskPlan *task, const ArrayPlan *array) {
    for (size_t t = 0; t < task->transfers.count; t++) {
        const Transfer *transfer = task->transfers.items[t];
        if (transfer->var != array->var) continue;
        if (transfer->from != NULL && transfer->from->kind == HELD_STAGED && !(transfer->within != NULL && move_goes_home(task, transfer))) return false;
        if (transfer->to != NULL && transfer->to->kind == HELD_STAGED && transfer->within == NULL) return false;
    }
    return array->var->versions <= 1 && !array->layout.split;
}

/* ---- Extern code ------------------------------------------------------------------------------------------- */

typedef struct Naming {
    const Var *var;
    bool found;
} Naming;

static bool find_extern(Stmt *stmt, void *data) {
    Naming *naming = data;
    for (size_t u = 0; stmt->kind == STMT_EXTERN && u < stmt->external->uses.count; u++)
        naming->found |= stmt->external->uses.items[u] == naming->var;
    return true;
}

/* Extern code gets a pointer to elements that lie as it knows them. */
static bool is_foreign(const TaskPlan *task, const Var *var) {
    for (size_t u = 0; u < task->uses.count; u++)
        for (size_t i = 0; i < task->uses.items[u]->formals.count; i++) {
            const Formal *formal = &task->uses.items[u]->formals.items[i];
            Naming naming = {formal->var, false};
            if (formal->kind != FORMAL_VIEW || formal->actual != var) continue;
            walk_block((Block *)&task->uses.items[u]->stage->body.block, find_extern, NULL, &naming);
            if (naming.found) return true;
        }
    return false;
}

/* ---- Cards ------------------------------------------------------------------------------------------------- */

static bool is_told(const TaskPlan *task, const TellingPlace *place, const RegionDim *dim) { return region_rank(dim) == 0 && move_can_tell(task, place, dim->low); }

/* What a leader has written is told, behind the step that has written it, slice by slice. */
static bool is_noted(const TaskPlan *task, const ArrayPlan *array, const PlanStep *note, const Transfer *transfer) {
    if (transfer->var != array->var || transfer->from->kind != HELD_STAGED || transfer->within != note->lps) return true;
    for (size_t w = 0; w < transfer->after.count; w++) {
        const PlanStep *writer = transfer->writers.items[w] == note->writer ? transfer->after.items[w] : NULL;
        for (size_t r = 0; writer != NULL && r < writer->regions.count; r++) {
            const Region *region = writer->regions.items[r];
            if (region->var == array->var && region->write && !is_told(task, &(TellingPlace){note, writer}, &region->dims[slowest(array)])) return false;
        }
    }
    return true;
}

/* Of each slice that comes to a leader or goes home from there it is known, where it moves, which one that is. */
static bool all_are_told(const TaskPlan *task, const ArrayPlan *array, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        const Transfer *moved = step->kind == PLAN_MOVE ? step->transfer : NULL;
        const bool comes = moved != NULL && moved->var == array->var && moved->to->kind == HELD_STAGED;
        bool told = !comes || is_told(task, &(TellingPlace){step, NULL}, &moved->region->dims[slowest(array)]);
        for (size_t t = 0; step->kind == PLAN_WROTE && t < task->transfers.count && told; t++)
            if (task->transfers.items[t]->within != NULL) told = is_noted(task, array, step, task->transfers.items[t]);
        if (!told || !all_are_told(task, array, &step->body)) return false;
    }
    return true;
}

/* Epochs of a card, and its fields that lie apart, go by indices. */
static bool suits_card(const TaskPlan *task, const ArrayPlan *array) {
    if (array->var->versions > 1 || array->layout.split || (array->slots && !all_are_told(task, array, &task->flow))) return false;
    for (size_t h = 0; h < task->holdings.count && !array->slots; h++)
        if (task->holdings.items[h]->var == array->var && task->holdings.items[h]->kind == HELD_STAGED) return false;
    return true;
}

static void tell_formals(const TaskPlan *task, const ArrayPlan *array) {
    for (size_t u = 0; u < task->uses.count; u++) {
        task->uses.items[u]->tables = mapping_on_card(task->mapping) && mapping_is_cards(task->mapping, lps_proper(task->uses.items[u]->lps)->id);
        for (size_t i = 0; i < task->uses.items[u]->formals.count; i++) {
            Formal *formal = &task->uses.items[u]->formals.items[i];
            for (int d = 0; d < array->var->type->rank; d++)
                if (formal->kind == FORMAL_VIEW && formal->actual == array->var) formal->gaps[d] = array->gaps[d];
        }
    }
}

void plan_gaps(Arena *arena, TaskPlan *task) {
    for (int i = 0; i < task->array_count; i++) {
        ArrayPlan *array = &task->arrays[i];
        if (array->home->parent != NULL || array->collected || is_inspected(task, array->var) || is_watched(&task->flow, array) ||
            is_foreign(task, array->var))
            continue;
        for (int d = 0; d < array->var->type->rank; d++) array->gaps[d] = all_have_gaps(task, array, d);
        array->slots = array->gaps[slowest(array)] && comes_and_goes(task, array) && all_is_brought(arena, task, array, &task->flow);
        if (mapping_on_card(task->mapping) && !suits_card(task, array)) {
            memset(array->gaps, 0, sizeof array->gaps);
            array->slots = false;
        }
        tell_formals(task, array);
    }
}
