/* Rounds that LPUs run together: each has an Hp5Rounds, how many rounds it has left and the index of the next
 * one. Threads keep those of their own LPUs. */
#include "compiler/emit/cpu/flow.h"

const char *flow_rounds_of(TaskWriter *tw, const PlanStep *lockstep) {
    return arena_printf(tw->emit->arena, "rounds_%d[lpu_%s->number]", lockstep->number,
                        task_space(tw, lockstep->space));
}

/* Asks whether the LPU takes part in the round of a lockstep, for statements that may name its counter or
 * sub-part. */
static void open_round(TaskWriter *tw, const PlanStep *lockstep, const char *statements, int indent) {
    const Step *source = lockstep->source;
    const char *rounds = flow_rounds_of(tw, lockstep);
    task_print(tw, indent, "if (%s.left > 0) {", rounds);
    if (source->kind == STEP_REPEAT_FOR && lockstep->private_counter &&
        emit_text_uses(statements, emit_counter(tw->emit, source->var)))
        task_print(tw, indent + 4, "const int64_t %s = %s.next;", emit_counter(tw->emit, source->var),
                   rounds);
    if (source->kind != STEP_REPEAT_SUB) return;
    const char *sub = task_space(tw, source->space), *space = task_space(tw, lockstep->space);
    bool scalars = emit_text_uses(statements, arena_printf(tw->emit->arena, "%s_scalars", sub));
    if (!scalars && !emit_text_uses(statements, arena_printf(tw->emit->arena, "lpu_%s", sub))) return;
    task_print(tw, indent + 4, "const Hp5Grid *grid_%s = hp5_child(lpu_%s, %d);", sub, space,
               tw->task->spaces[source->space->id].slot_in_parent);
    task_print(tw, indent + 4, "Hp5Lpu *const lpu_%s = &grid_%s->lpus[hp5_walk(worker, grid_%s, %s.next)];",
               sub, sub, sub, rounds);
    flow_scalars(tw, source->space, statements, indent + 4);
}

/* Opens what is around `lockstep`, the outermost first; returns the indentation inside. */
static int open_rounds(TaskWriter *tw, const PlanStep *lockstep, const char *statements, int indent) {
    if (lockstep == NULL) return indent;
    indent = open_rounds(tw, lockstep->lockstep, statements, indent);
    open_round(tw, lockstep, statements, indent);
    return indent + 4;
}

/* The statements for each LPU that takes part in the rounds around the lockstep: `change`, which on a card one thread does for its crew, and
 * `ask`, or NULL. */
static void each_lpu_text(TaskWriter *tw, const PlanStep *lockstep, const char *change, const char *ask, int indent) {
    const char *space = task_space(tw, lockstep->space), *statements = arena_printf(tw->emit->arena, "%s %s", change ? change : "", ask ? ask : "");
    flow_visit(tw, lockstep->space, false, task_line(tw, lockstep->source->span), indent);
    flow_scalars(tw, lockstep->space, statements, indent + 4);
    int inner = open_rounds(tw, lockstep->lockstep, statements, indent + 4);
    if (change != NULL && tw->on_card) {
        flow_crew_waits(tw, space, inner);
        task_print(tw, inner, "if (leads_%s) %s", space, change);
        flow_crew_waits(tw, space, inner);
    } else if (change != NULL) {
        task_print(tw, inner, "%s", change);
    }
    if (ask != NULL) task_print(tw, inner, "%s", ask);
    while (inner > indent + 4) task_print(tw, inner -= 4, "}");
    task_print(tw, indent, "}");
}

static const char *rounds_begin(TaskWriter *tw, const PlanStep *step) {
    const Step *source = step->source;
    Arena *arena = tw->emit->arena;
    const char *rounds = flow_rounds_of(tw, step);
    if (source->kind == STEP_REPEAT_WHILE) return arena_printf(arena, "%s = (Hp5Rounds){.left = 1};", rounds);
    if (source->kind == STEP_IF)
        return arena_printf(arena, "%s = (Hp5Rounds){.left = %s};", rounds,
                            flow_choice(tw, source, source->lps));
    if (source->kind == STEP_REPEAT_SUB)
        return arena_printf(arena, "%s = (Hp5Rounds){.step = 1, .left = hp5_child(lpu_%s, %d)->count};",
                            rounds, task_space(tw, step->space),
                            tw->task->spaces[source->space->id].slot_in_parent);
    return arena_printf(arena, "%s = hp5_rounds(%s, %s, %s, %d);", rounds,
                        flow_expr(tw, source->lps, source->range),
                        source->step == NULL ? "1" : flow_expr(tw, source->lps, source->step),
                        task_quote(tw, tw->emit->source_name), task_line(tw, source->span));
}

void flow_lockstep(TaskWriter *tw, const PlanStep *step, int indent) {
    const Step *source = step->source;
    const char *rounds = flow_rounds_of(tw, step), *parent = task_space(tw, step->lps),
               *space = task_space(tw, step->space);
    Arena *arena = tw->emit->arena;
    task_print(tw, indent, "{");
    task_print(tw, indent + 4,
               "/* LPUs of Space %s run these rounds together, each as long as it decides (line %d) */",
               space, task_line(tw, source->span));
    const char *made = tw->on_card ? arena_printf(arena, "hp5_rounds_of(worker, %d, ", step->number) : "hp5_rounds_new(";
    task_print(tw, indent + 4, "Hp5Rounds *const rounds_%d = %shp5_child(lpu_%s, %d));", step->number, made, parent,
               tw->task->spaces[step->space->id].slot_in_parent);
    each_lpu_text(tw, step, rounds_begin(tw, step), NULL, indent + 4);
    if (source->kind == STEP_IF) {
        flow_steps(tw, &step->body, indent + 4);
    } else {
        task_print(tw, indent + 4, "for (;;) {");
        task_print(tw, indent + 8, "bool some = false;");
        const char *ask =
            source->kind == STEP_REPEAT_WHILE
                ? arena_printf(arena, "if (%s.left > 0) hp5_rounds_ask(worker, &%s, %s);", rounds,
                               rounds, flow_expr(tw, source->lps, source->condition))
                : NULL;
        each_lpu_text(tw, step, ask, arena_printf(arena, "some = some || %s.left > 0;", rounds), indent + 8);
        flow_steps(tw, &step->body, indent + 8);
        if (source->kind != STEP_REPEAT_WHILE)
            each_lpu_text(tw, step, arena_printf(arena, "hp5_rounds_next(&%s);", rounds), NULL, indent + 8);
        task_print(tw, indent + 4, "}");
    }
    if (!tw->on_card) task_print(tw, indent + 4, "hp5_free(rounds_%d);", step->number);
    task_print(tw, indent, "}");
}

/* What one LPU does with the sub-partition of this round. */
static void guarded_walk_text(TaskWriter *tw, const PlanStep *step, const Lps *part, int indent) {
    const char *sub = task_space(tw, part), *space = task_space(tw, step->lps);
    Text *out = tw->out, inner = {0};
    tw->out = &inner;
    flow_body(tw, part, NULL, &step->body, indent);
    tw->out = out;
    if (inner.data == NULL) return;
    if (emit_text_uses(inner.data, arena_printf(tw->emit->arena, "lpu_%s", sub))) {
        task_print(tw, indent, "const Hp5Grid *grid_%s = hp5_child(lpu_%s, %d);", sub, space,
                   tw->task->spaces[part->id].slot_in_parent);
        task_print(tw, indent, "Hp5Lpu *const lpu_%s = &grid_%s->lpus[hp5_walk(worker, grid_%s, %s.next)];",
                   sub, sub, sub, flow_rounds_of(tw, step->lockstep));
    }
    text_append(out, inner.data);
    text_free(&inner);
}

void flow_guard(TaskWriter *tw, const PlanStep *step, int indent) {
    const PlanStep *lockstep = step->lockstep;
    const Step *source = lockstep->source;
    const char *rounds = flow_rounds_of(tw, lockstep);
    task_print(tw, indent, "if (%s.left > 0) {", rounds);
    if (source->kind == STEP_REPEAT_FOR && lockstep->private_counter) {
        Text *out = tw->out, inner = {0};
        tw->out = &inner;
        flow_steps(tw, &step->body, indent + 4);
        tw->out = out;
        if (emit_text_uses(inner.data, emit_counter(tw->emit, source->var)))
            task_print(tw, indent + 4, "const int64_t %s = %s.next;", emit_counter(tw->emit, source->var),
                       rounds);
        if (inner.data != NULL) text_append(out, inner.data);
        text_free(&inner);
        task_print(tw, indent, "}");
        return;
    }
    if (source->kind == STEP_REPEAT_SUB) guarded_walk_text(tw, step, source->space, indent + 4);
    else flow_steps(tw, &step->body, indent + 4);
    task_print(tw, indent, "}");
}
