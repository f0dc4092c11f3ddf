/* Visits: loops over the LPUs that the thread runs. */
#include "compiler/emit/cpu/flow.h"
#include "compiler/emit/cuda/cuda.h"

/* Prints the body to a text of its own, then the declarations that it turned out to need, then the body. */
void flow_body(TaskWriter *tw, const Lps *lps, const PlanStep *visit, const PlanStepVec *body, int indent) {
    const char *space = task_space(tw, lps);
    Text *out = tw->out, inner = {0};
    tw->out = &inner;
    const NearPartVec near = tw->on_card && visit != NULL ? cuda_bring_near(tw, visit, indent) : (NearPartVec){0};
    flow_steps(tw, body, indent);
    cuda_take_back(tw, &near, indent);
    tw->out = out;
    if (inner.data != NULL && emit_text_uses(inner.data, arena_printf(tw->emit->arena, "%s_scalars", space)))
        task_print(tw, indent, "struct %s_%s *const %s_scalars = %slpu_%s->scalars;", tw->symbol, space, space,
                   task_cast(tw, arena_printf(tw->emit->arena, "%s_%s", tw->symbol, space)), space);
    if (inner.data != NULL) text_append(out, inner.data);
    text_free(&inner);
}

void flow_visit(TaskWriter *tw, const Lps *lps, bool dynamic, int at_line, int indent) {
    const char *space = task_space(tw, lps), *parent = task_space(tw, lps->parent);
    int slot = tw->task->spaces[lps->id].slot_in_parent;
    if (dynamic) {
        task_print(tw, indent, "/* Space %s: LPUs go to threads as these get free (line %d) */", space,
                   at_line);
        task_print(tw, indent, "Hp5Visit visit_%s = hp5_visit_begin(worker, hp5_child(lpu_%s, %d));", space,
                   parent, slot);
        task_print(tw, indent, "for (Hp5Lpu *lpu_%s; (lpu_%s = hp5_visit_next(&visit_%s)) != NULL;) {", space,
                   space, space);
    } else if (task_is_placed(tw, lps)) {
        task_print(tw, indent, "/* Space %s: the LPUs that %s gives this thread (line %d) */", space,
                   tw->task->spaces[lps->id].blocks ? "their padding" : "the mapping function", at_line);
        task_print(tw, indent,
                   "for (Hp5Share share_%s = hp5_share(worker, hp5_child(lpu_%s, %d)), *of_%s = "
                   "&share_%s; of_%s != NULL; of_%s = NULL)",
                   space, parent, slot, space, space, space, space);
        task_print(tw, indent, "for (Hp5Lpu *lpu_%s; (lpu_%s = hp5_share_next(of_%s)) != NULL;) {", space,
                   space, space);
    } else {
        task_print(tw, indent, "/* Space %s: this thread's LPUs (line %d) */", space, at_line);
        task_print(tw, indent,
                   "for (Hp5Lpu *lpu_%s = hp5_first(worker, hp5_child(lpu_%s, %d)), *end_%s = "
                   "hp5_end(worker, hp5_child(lpu_%s, %d));",
                   space, parent, slot, space, parent, slot);
        task_print(tw, indent, "     lpu_%s < end_%s; lpu_%s++) {", space, space, space);
    }
}

/* How far from its own place an iteration of the visit's first stage may need an element that comes by a message; NULL: the stage cannot
 * tell, and comes behind all messages. */
static const char *reach_text(TaskWriter *tw, const PlanStep *step) {
    const Border *border = step->opening ? flow_border(tw, step->opening->use) : NULL;
    Arena *arena = tw->emit->arena;
    if (border == NULL) return "NULL";
    char *low = arena_strdup(arena, ""), *high = arena_strdup(arena, "");
    for (int d = 0; d < border->formal->var->type->rank; d++) {
        low = arena_printf(arena, "%s%s%lld", low, d > 0 ? ", " : "", (long long)border->low[d]);
        high = arena_printf(arena, "%s%s%lld", high, d > 0 ? ", " : "", (long long)border->high[d]);
    }
    return arena_printf(arena, "&(const Hp5Box){{%s}, {%s}}", low, high);
}

/* Those that wait for messages of an exchange come last. */
static void late_visit(TaskWriter *tw, const PlanStep *step, int indent) {
    const char *space = task_space(tw, step->lps);
    task_print(tw, indent, "/* Space %s: this thread's LPUs, at first those that wait for no message (line %d) */", space, task_line(tw, step->source->span));
    task_print(tw, indent, "Hp5Late late_%s = hp5_late_begin(worker, hp5_child(lpu_%s, %d), %d, %d, %s);", space, task_space(tw, step->lps->parent),
               tw->task->spaces[step->lps->id].slot_in_parent, step->later->exchange, plan_view_slot(step->lps, step->later->array->var), reach_text(tw, step));
    task_print(tw, indent, "for (Hp5Lpu *lpu_%s; (lpu_%s = hp5_late_next(&late_%s)) != NULL;) {", space, space, space);
}

/* The LPU of a round of the walk, if the body names it. */
static void round_text(TaskWriter *tw, const PlanStep *step, const BatchVec *batches, int indent) {
    const char *space = task_space(tw, step->lps);
    Text *out = tw->out, inner = {0};
    tw->out = &inner;
    cuda_bring_batches(tw, batches, step, indent);
    flow_body(tw, step->lps, NULL, &step->body, indent);
    cuda_take_batches(tw, batches, step, indent);
    tw->out = out;
    if (inner.data == NULL) return;
    if (emit_text_uses(inner.data, arena_printf(tw->emit->arena, "lpu_%s", space)))
        task_print(tw, indent, "Hp5Lpu *const lpu_%s = &grid_%s->lpus[hp5_walk(worker, grid_%s, part_%s)];",
                   space, space, space, space);
    text_append(out, inner.data);
    text_free(&inner);
}

/* ---- Products of LPUs that lie side by side run as one (runtime/array/multiply_joined.h) --------------------------- */
/* The only stage of visits inside each other. */
static const PlanStep *only_stage(const TaskWriter *tw, const PlanStep *step) {
    for (; step->kind == PLAN_LPUS || step->kind == PLAN_SUB_PARTS; step = step->body.items[0]) {
        const bool limited = step->kind == PLAN_LPUS && tw->task->spaces[step->lps->id].limit > 0;
        if (limited || step->body.count != 1 || step->settles != NULL) return NULL;
    }
    return step->kind == PLAN_STAGE && step->settles == NULL ? step : NULL;
}

const PlanStep *flow_joined_stage(const TaskWriter *tw, const PlanStep *visit) {
    if (tw->joined != NULL || tw->on_card || tw->predicting || (visit->kind != PLAN_LPUS && visit->kind != PLAN_SUB_PARTS)) return NULL;
    const PlanStep *stage = only_stage(tw, visit);
    return stage != NULL && hold_is_local(tw->task, stage->use->lps) && flow_joins(tw, stage->use) ? stage : NULL;
}

static void visit_text(TaskWriter *tw, const PlanStep *step, int indent);

void flow_lpus(TaskWriter *tw, const PlanStep *step, int indent) {
    const PlanStep *stage = flow_joined_stage(tw, step);
    if (stage == NULL) {
        visit_text(tw, step, indent);
        return;
    }
    const char *type = flow_joins(tw, stage->use), *name = arena_printf(tw->emit->arena, "joined_%s", task_space(tw, stage->use->lps));
    task_print(tw, indent, "Hp5Joined_%s %s = {0}; /* products wait for those of neighbours, and run as one */", type, name);
    tw->joined = name;
    visit_text(tw, step, indent);
    tw->joined = NULL;
    task_print(tw, indent, "HP5_STAGE_REST(worker, %d, hp5_multiply_rest_%s, &%s);", stage->call_id, type, name);
}

/* ---- Loops over LPUs -------------------------------------------------------------------------------------------------- */
static void visit_text(TaskWriter *tw, const PlanStep *step, int outside) {
    const char *space = task_space(tw, step->lps), *parent = task_space(tw, step->lps->parent);
    int slot = tw->task->spaces[step->lps->id].slot_in_parent;
    const BatchVec batches = cuda_batches(tw, step, outside);
    const int indent = batches.count > 0 ? outside + 4 : outside;
    if (step->kind == PLAN_SUB_PARTS) {
        task_print(tw, indent, "/* every sub-partition of this LPU of Space %s (line %d) */", parent,
                   task_line(tw, step->source->span));
        task_print(tw, indent, "const Hp5Grid *grid_%s = hp5_child(lpu_%s, %d);", space, parent, slot);
        task_print(tw, indent, "for (int64_t part_%s = 0; part_%s < grid_%s->count; part_%s++) {", space,
                   space, space, space);
        round_text(tw, step, &batches, indent + 4);
    } else if (step->later != NULL && !tw->predicting) {
        late_visit(tw, step, indent);
    } else {
        flow_visit(tw, step->lps, step->dynamic && !tw->predicting, task_line(tw, step->source->span), indent);
    }
    int64_t limit = step->kind == PLAN_LPUS ? tw->task->spaces[step->lps->id].limit : 0;
    if (limit > 0)
        task_print(tw, indent + 4, "hp5_enter(worker, %s_SPACE_%s); /* at most %lld at once */", tw->symbol,
                   space, (long long)limit);
    if (step->kind != PLAN_SUB_PARTS) {
        cuda_bring_batches(tw, &batches, step, indent + 4);
        flow_body(tw, step->lps, step, &step->body, indent + 4);
        cuda_take_batches(tw, &batches, step, indent + 4);
    }
    if (limit > 0) task_print(tw, indent + 4, "hp5_leave(worker, %s_SPACE_%s);", tw->symbol, space);
    task_print(tw, indent, "}");
    if (step->dynamic && tw->predicting) task_print(tw, indent, "hp5_crew_waits(worker, %s_SPACE_%s, 3);", tw->symbol, parent);
    else if (step->dynamic) task_print(tw, indent, "hp5_visit_end(worker, &visit_%s);", space);
    cuda_settle_batches(tw, &batches, outside);
}

void flow_scalars(TaskWriter *tw, const Lps *lps, const char *statements, int indent) {
    const char *space = task_space(tw, lps);
    if (emit_text_uses(statements, arena_printf(tw->emit->arena, "%s_scalars", space)))
        task_print(tw, indent, "struct %s_%s *const %s_scalars = %slpu_%s->scalars;", tw->symbol, space, space,
                   task_cast(tw, arena_printf(tw->emit->arena, "%s_%s", tw->symbol, space)), space);
}
