/* Parts of LPUs that come to the card's memory for the length of a visit, of arrays that the mapping leaves in the host's (Region a: STAGED; runtime/card/batch.h). Of
 *
 *     Space A { Repeat foreach sub-partition { multiply(c, a, b) } }
 *
 * whose LPUs multiprocessors run, one after the other:
 *
 *     {
 *         Hp5Batch c_batch_A(worker, Hp5Crew{HP5_BLOCK_TIER}, 0, HP5_BATCH_READS | HP5_BATCH_CHANGES);
 *         for (Hp5Lpu *lpu_A = …; lpu_A < end_A; lpu_A++) {
 *             c_batch_A.bring(lpu_A, lpu_A + 1 < end_A ? lpu_A + 1 : NULL);
 *             …
 *             c_batch_A.take_back(lpu_A);
 *         }
 *         c_batch_A.settle();
 *     }
 *
 * While an LPU is worked on, the next one's part comes, and the last one's goes. Visits inside each other have such lines of one array, each: which of them bring it is seen when the program runs, the
 * outermost one whose parts there is room for. Not where a visit does something together with LPUs outside of it. */
#include <string.h>
#include "compiler/base/diag.h"
#include "compiler/emit/cpu/flow.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/mapping/mapping.h"
#include "compiler/plan/footprint.h"

/* ---- The visit --------------------------------------------------------------------------------------------------------- */
/* All that happens in it happens in the LPU, on the card. */
static bool is_by_itself(const TaskWriter *tw, const Lps *lps, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        if (step->waits != NULL && !lps_is_within(step->waits, lps)) return false;
        switch (step->kind) {
        case PLAN_STAGE:
            if (backend_on_host(tw->task, step->use->lps)) return false;
            break;
        case PLAN_EPOCH:
            if (step->shared || !lps_is_within(step->lps, lps)) return false;
            break;
        case PLAN_SYNC:
        case PLAN_REDUCE:
        case PLAN_EXCHANGE:
        case PLAN_COPY_IN:
        case PLAN_COPY_OUT:
            if (!lps_is_within(step->lps, lps)) return false;
            break;
        case PLAN_LOCKSTEP:
        case PLAN_LPUS:
        case PLAN_SUB_PARTS:
        case PLAN_REPEAT_FOR:
        case PLAN_REPEAT_WHILE:
        case PLAN_IF:
        case PLAN_AGREE:
        case PLAN_GUARD:
        case PLAN_COUNT:
        case PLAN_ADVANCE_SCALAR: break;
        default: return false;
        }
        if (!is_by_itself(tw, lps, &step->body)) return false;
    }
    return true;
}

static const Formal *formal_in(const StageUse *use, const Lps *lps, const Var *array) {
    for (size_t f = 0; f < use->formals.count; f++) {
        const Formal *formal = &use->formals.items[f];
        if (formal->kind == FORMAL_VIEW && formal->actual == array && lps_is_within(formal->holder, lps)) return formal;
    }
    return NULL;
}

/* Under one of the names that it has for the array. */
static bool writes_in(const StageUse *use, const Lps *lps, const Var *array) {
    for (size_t f = 0; f < use->formals.count; f++) {
        const Formal *formal = &use->formals.items[f];
        if (formal->kind == FORMAL_VIEW && formal->actual == array && formal->written && lps_is_within(formal->holder, lps)) return true;
    }
    return false;
}

/* A stage does, in terms of the LPU's part, or of parts of that. */
static bool touches(const PlanStep *step, const Lps *lps, const Var *array) {
    if (step->kind == PLAN_STAGE && formal_in(step->use, lps, array) != NULL) return true;
    for (size_t i = 0; i < step->body.count; i++)
        if (touches(step->body.items[i], lps, array)) return true;
    return false;
}

static bool changes(const PlanStepVec *steps, const Lps *lps, const Var *array) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        const bool written = step->kind == PLAN_STAGE && writes_in(step->use, lps, array);
        const bool filled = step->kind == PLAN_COPY_IN && step->array->var == array && step->lps == lps;
        const bool handed_back = step->kind == PLAN_COPY_OUT && step->array->var == array && step->lps != lps && !step->unchanged;
        if (written || filled || handed_back || (step->kind == PLAN_EPOCH && step->array->var == array) || changes(&step->body, lps, array)) return true;
    }
    return false;
}

/* The LPU's own copy is filled in the visit, in front of everything; or handed back (COPY_OUT), behind everything. */
static bool fills(const PlanStep *visit, PlanStepKind kind, const Var *array) {
    for (size_t i = 0; i < visit->body.count; i++)
        if (visit->body.items[i]->kind == kind && visit->body.items[i]->lps == visit->lps && visit->body.items[i]->array->var == array) return true;
    return false;
}

/* The first stage that touches it writes all of it, and nothing stands in front of that stage which could ask for elements, as conditions do. */
static bool begins_anew(const PlanStep *visit, const Var *array) {
    for (size_t i = 0; i < visit->body.count && array->versions == 1; i++) {
        const PlanStep *step = visit->body.items[i];
        if (step->kind == PLAN_SYNC || (step->kind == PLAN_STAGE && !touches(step, visit->lps, array))) continue;
        return step->kind == PLAN_STAGE && formal_in(step->use, visit->lps, array)->holder == visit->lps && footprint_overwrites(step->source, array);
    }
    return false;
}

/* ---- Arrays -------------------------------------------------------------------------------------------------------------- */
typedef enum { NOT_STAGED, STAGED_PART /* of what others work in, too */, STAGED_OWN /* the LPU's own */ } Staging;

static bool is_staged(const TaskPlan *task, const Var *array) { return task->mapping->arrays[array->id].memory == MEMORY_STAGED; }

static Staging staging_of(const TaskWriter *tw, const PlanStep *visit, size_t slot) {
    const TaskPlan *task = tw->task;
    const Lps *lps = visit->lps;
    const Var *array = lps->vars.items[slot].var;
    bool touched = false;
    if (!var_is_array(array) || !is_staged(task, array) || task->arrays[plan_array_index(task, array)].layout.split) return NOT_STAGED;
    for (size_t i = 0; i < visit->body.count && !touched; i++) touched = touches(visit->body.items[i], lps, array);
    if (!touched) return NOT_STAGED;
    switch (task->spaces[lps->id].stored[slot]) {
    case STORED_IN_PLACE: return array->versions > 1 ? NOT_STAGED : STAGED_PART;
    case STORED_HOME: return cuda_has_guests(task, lps, array) ? NOT_STAGED : STAGED_OWN;
    case STORED_COPY: return STAGED_OWN;
    case STORED_AT_HOME: break;
    }
    return NOT_STAGED;
}

static void remark(Emit *emit, const Lps *lps, const Var *array) {
    const LpsVar *entry = lps_find_var(lps, array);
    if (entry != NULL)
        diag_remark(emit->diags, R_CARD_BATCHES, entry->span, "parts of %s of Space %s's LPUs come from the host's memory to the card's for a visit, where there is room for them", array->name, lps->name);
}

static int entry_of(Emit *emit, const Lps *lps, const Var *array, bool written) {
    for (size_t i = 0; i < emit->batches.count; i++) {
        BatchArray *other = &emit->batches.items[i];
        if (other->lps != lps || other->array != array) continue;
        other->written |= written;
        return (int)i;
    }
    vec_push(emit->arena, &emit->batches, ((BatchArray){lps, array, written}));
    remark(emit, lps, array);
    return (int)emit->batches.count - 1;
}

static bool may_bring(const TaskWriter *tw, const PlanStep *visit) {
    const bool is_visit = visit->kind == PLAN_LPUS || visit->kind == PLAN_SUB_PARTS;
    if (!tw->on_card || !is_visit || tw->emit->options.checked) return false;
    const char *tier = cuda_tier(tw->task, visit->lps);
    const bool has_memory = strcmp(tier, "HP5_CARD_TIER") == 0 || strcmp(tier, "HP5_BLOCK_TIER") == 0;
    return has_memory && tw->task->spaces[visit->lps->id].level >= cuda_card_level(tw->task) && is_by_itself(tw, visit->lps, &visit->body);
}

/* ---- The text ------------------------------------------------------------------------------------------------------------ */
/* What its visits do with the parts, as flags of runtime/card/batch.h. */
static const char *flags_text(const TaskWriter *tw, const PlanStep *visit, const Var *array, bool own, bool changed) {
    const bool reads = !fills(visit, PLAN_COPY_IN, array) && !begins_anew(visit, array), newest = own && array->versions == 2 && !cuda_reads_older(tw->task, array);
    const char *const flags[] = {reads ? "HP5_BATCH_READS" : NULL, changed ? "HP5_BATCH_CHANGES" : NULL, newest ? "HP5_BATCH_NEWEST" : NULL};
    const char *text = NULL;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (flags[i] != NULL) text = text == NULL ? flags[i] : arena_printf(tw->emit->arena, "%s | %s", text, flags[i]);
    return text == NULL ? "0" : text;
}

BatchVec cuda_batches(TaskWriter *tw, const PlanStep *visit, int indent) {
    BatchVec batches = {0};
    const Lps *lps = visit->lps;
    if (!may_bring(tw, visit)) return batches;
    for (size_t slot = 0; slot < lps->vars.count; slot++) {
        const Var *array = lps->vars.items[slot].var;
        const Staging staging = staging_of(tw, visit, slot);
        if (staging == NOT_STAGED) continue;
        const bool handed_back = fills(visit, PLAN_COPY_OUT, array) && tw->task->arrays[plan_array_index(tw->task, array)].kept != lps;
        const bool changed = !handed_back && changes(&visit->body, lps, array);
        const char *name = arena_printf(tw->emit->arena, "%s_batch_%s", emit_symbol(tw->emit, array), task_space(tw, lps));
        if (batches.count == 0) task_print(tw, indent, "{");
        task_print(tw, indent + 4, "Hp5Batch %s(worker, Hp5Crew{%s}, %d, %s); /* parts of %s, from the host's memory */", name, cuda_tier(tw->task, lps), entry_of(tw->emit, lps, array, changed),
                   flags_text(tw, visit, array, staging == STAGED_OWN, changed), array->name);
        vec_push(tw->emit->arena, &batches, name);
    }
    return batches;
}

/* The LPU that the crew visits next, if that is known. */
static const char *next_text(TaskWriter *tw, const PlanStep *visit) {
    const char *space = task_space(tw, visit->lps);
    Arena *arena = tw->emit->arena;
    if (visit->kind == PLAN_SUB_PARTS)
        return arena_printf(arena, "part_%s + 1 < grid_%s->count ? &grid_%s->lpus[hp5_walk(worker, grid_%s, part_%s + 1)] : NULL", space, space, space, space, space);
    if (visit->dynamic || visit->later != NULL) return "NULL";
    if (task_is_placed(tw, visit->lps)) return arena_printf(arena, "hp5_share_ahead(of_%s)", space);
    return arena_printf(arena, "lpu_%s + 1 < end_%s ? lpu_%s + 1 : NULL", space, space, space);
}

void cuda_bring_batches(TaskWriter *tw, const BatchVec *batches, const PlanStep *visit, int indent) {
    for (size_t i = 0; i < batches->count; i++) task_print(tw, indent, "%s.bring(lpu_%s, %s);", batches->items[i], task_space(tw, visit->lps), next_text(tw, visit));
}

void cuda_take_batches(TaskWriter *tw, const BatchVec *batches, const PlanStep *visit, int indent) {
    for (size_t i = 0; i < batches->count; i++) task_print(tw, indent, "%s.take_back(lpu_%s);", batches->items[i], task_space(tw, visit->lps));
}

void cuda_settle_batches(TaskWriter *tw, const BatchVec *batches, int indent) {
    for (size_t i = 0; i < batches->count; i++) task_print(tw, indent + 4, "%s.settle();", batches->items[i]);
    if (batches->count > 0) task_print(tw, indent, "}");
}

/* ---- The task's table ------------------------------------------------------------------------------------------------------ */
static void warn(Emit *emit, const TaskPlan *task) {
    for (int a = 0; a < task->array_count; a++) {
        const Var *array = task->arrays[a].var;
        bool found = !is_staged(task, array) || emit->options.checked;
        for (size_t i = 0; i < emit->batches.count; i++) found = found || emit->batches.items[i].array == array;
        if (found) continue;
        Diag *diag = diag_warning(emit->diags, W_CARD_BATCHES, array->span, "array %s stays in the host's memory, and the card reads and writes it there: no Space has visits for which its parts could come", array->name);
        diag_help(diag, "map a Space that divides %s to the card, or to its multiprocessors, or change 'Region %s: STAGED'", array->name, array->name);
    }
}

const char *cuda_batch_table(TaskWriter *tw) {
    const Emit *emit = tw->emit;
    warn(tw->emit, tw->task);
    if (emit->batches.count == 0) return NULL;
    text_printf(tw->out, "static const Hp5BatchDesc %s_batches[] = {\n", tw->symbol);
    for (size_t i = 0; i < emit->batches.count; i++) {
        const BatchArray *batch = &emit->batches.items[i];
        text_printf(tw->out, "    {%d, %d, %s}, /* %s in Space %s */\n", batch->lps->id, plan_array_index(tw->task, batch->array), batch->written ? "true" : "false", batch->array->name, batch->lps->name);
    }
    text_append(tw->out, "};\n");
    return arena_printf(emit->arena, "%s_batches", tw->symbol);
}
