/* --dump=plan: the plan in the words of the program's author. */
#include "compiler/plan/moves.h"
#include <stdio.h>

/* Who takes part in something that happens at an LPS. */
static const char *who(const Lps *lps, char *text, size_t size) {
    if (lps->parent == NULL) snprintf(text, size, "all threads");
    else snprintf(text, size, "the threads of each LPU of Space %s", lps->name);
    return text;
}

static void dump_step(const TaskPlan *task, const PlanStep *step, int indent, Text *out);

static void dump_steps(const TaskPlan *task, const PlanStepVec *steps, int indent, Text *out) {
    for (size_t i = 0; i < steps->count; i++) dump_step(task, steps->items[i], indent, out);
}

static void dump_step(const TaskPlan *task, const PlanStep *step, int indent, Text *out) {
    char threads[160];
    text_indent(out, indent);
    switch (step->kind) {
    case PLAN_LPUS: text_printf(out, "for each of the thread's LPUs of Space %s\n", step->lps->name); break;
    case PLAN_SUB_PARTS: text_printf(out, "for each sub-partition of the LPU, one after the other\n"); break;
    case PLAN_STAGE:
        text_printf(out, "run %s%s\n", task->call_sites.items[step->call_id], step->everywhere ? ", in every address space" : "");
        break;
    case PLAN_REPEAT_FOR:
        text_printf(out, "repeat for %s%s\n", step->source->var->name, step->private_counter ? "" : ", which threads share");
        break;
    case PLAN_COUNT: text_printf(out, "%s takes the round's value\n", step->scalar->name); break;
    case PLAN_AGREE: text_printf(out, "AGREE: %s, whether any LPU goes on\n", who(step->waits, threads, sizeof threads)); break;
    case PLAN_REPEAT_WHILE: text_printf(out, "repeat while the condition holds\n"); break;
    case PLAN_IF: text_printf(out, "if the condition holds\n"); break;
    case PLAN_EPOCH_CLOSE:
        text_printf(out, "the epoch of %s is over in all LPUs\n", step->array->var->name);
        break;
    case PLAN_LOCKSTEP:
        text_printf(
            out,
            "LOCKSTEP: LPUs of Space %s run the rounds of this %s together, each as long as it decides\n",
            step->space->name, step->source->kind == STEP_IF ? "condition" : "loop");
        break;
    case PLAN_GUARD: text_append(out, "if the LPU takes part\n"); break;
    case PLAN_EPOCH: text_printf(out, "epoch: %s\n", step->why); break;
    case PLAN_ADVANCE_SCALAR: text_printf(out, "epoch: %s advances\n", step->scalar->name); break;
    case PLAN_PROVIDE: text_printf(out, "memory for %s, all zeros\n", step->array->var->name); break;
    case PLAN_COLLECT: text_printf(out, "%s is not used any more: its memory is free\n", step->array->var->name); break;
    case PLAN_COPY_IN: text_printf(out, "fill the LPU's copy of %s\n", step->array->var->name); break;
    case PLAN_COPY_OUT: text_printf(out, "hand the LPU's copy of %s back\n", step->array->var->name); break;
    case PLAN_SYNC:
        text_printf(out, "WAIT: %s wait for each other, because %s\n",
                    who(step->lps, threads, sizeof threads), step->why);
        break;
    case PLAN_EXCHANGE:
        text_printf(out, "EXCHANGE: neighbours among %s; %s%s\n", who(step->lps, threads, sizeof threads), step->why,
                    step->later != NULL ? "; what comes from other address spaces is waited for by those LPUs that get it" : "");
        break;
    case PLAN_REDUCE:
        text_printf(out, "REDUCE: %s; %s\n", who(step->lps, threads, sizeof threads), step->why);
        break;
    case PLAN_WATCH: text_printf(out, "elements of %s are about to be written that several address spaces have\n", step->array->var->name); break;
    case PLAN_TELL: text_printf(out, "TELL: %s, as Space %s has it, to all address spaces\n", step->scalar->name, step->space->name); break;
    case PLAN_MERGE: text_printf(out, "MERGE: what one address space has changed of %s, for all those that have it\n", step->array->var->name); break;
    case PLAN_RENEW: text_printf(out, "%s is all new: nothing that was written before moves any more\n", step->array->var->name); break;
    case PLAN_WROTE: text_printf(out, "%s has written what others need\n", step->why); break;
    case PLAN_MOVE: text_printf(out, "MOVE: %s, if it is new%s\n", step->why, step->begins && !step->ends ? "; waited for with the next" : ""); break;
    }
    dump_steps(task, &step->body, indent + 2, out);
}

static void dump_layout(const ArrayPlan *array, Text *out) {
    if (array->layout.fortran) text_append(out, "; columns lie together");
    if (array->layout.split) text_append(out, "; each field's values lie together");
    if (array->layout.align > 0) text_printf(out, "; aligned to %lld bytes", (long long)array->layout.align);
    if (array->collected) text_append(out, "; memory from the first use to the last");
}

static void dump_task(const TaskPlan *task, const char *sizes, Text *out) {
    text_printf(out, "task \"%s\"", task->task->name);
    if (task->priority > 0) text_printf(out, ", priority %lld", (long long)task->priority);
    text_append(out, "\n");
    for (size_t i = 0; i < task->task->spaces.count; i++) {
        const LpsPlan *space = &task->spaces[i];
        text_printf(out, "  Space %s: %s, %d PPU%s in each PPU of its parent's", space->lps->name,
                    space->level_name, space->ppus, space->ppus == 1 ? "" : "s");
        if (space->limit > 0) text_printf(out, ", at most %lld LPU%s at once", (long long)space->limit, space->limit == 1 ? "" : "s");
        for (size_t v = 0; v < space->scalars.count; v++)
            text_printf(out, "%s%s", v == 0 ? "; each LPU has its own " : ", ",
                        space->scalars.items[v]->name);
        text_append(out, "\n");
    }
    for (int i = 0; i < task->array_count; i++) {
        const ArrayPlan *array = &task->arrays[i];
        text_printf(out, "  array %s: %s", array->var->name, array->why);
        if (array->var->versions > 1)
            text_printf(out, "; %d versions, which epochs %s", array->var->versions,
                        array->rotates ? "exchange" : "copy");
        if (array->oldest_in_current) text_append(out, ", the oldest in the memory of the current one");
        dump_layout(array, out);
        text_append(out, "\n");
    }
    text_append(out, "  every thread:\n");
    dump_steps(task, &task->flow, 4, out);
    plan_dump_moves(task, sizes, out);
}

void plan_dump(const Plan *plan, const char *sizes, Text *out) {
    for (size_t i = 0; i < plan->tasks.count; i++) dump_task(plan->tasks.items[i], sizes, out);
}
