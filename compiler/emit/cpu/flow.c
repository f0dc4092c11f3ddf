/* The flow of a task as the function that every thread runs (SPMD): loops over the thread's own
 * LPUs, stage calls by the leader of each LPU's group, and the plan's synchronisation with its reasons. */
#include "compiler/emit/cpu/cpu.h"
#include "compiler/emit/program/task_writer.h"
#include "compiler/lower/walk.h"
#include <string.h>

static void steps_text(TaskWriter *tw, const PlanStepVec *steps, int indent);

/* ---- Names inside the flow --------------------------------------------------------------------- */
static const char *name_variable(void *data, const Var *var, int lag) {
    return var->kind == VAR_GLOBAL || var->kind == VAR_PARTITION ? task_scalar(data, var, lag) : NULL;
}

typedef struct FlowPlace {
    TaskWriter *tw;
    const Lps *lps;
} FlowPlace;

static const char *place_variable(void *data, const Var *var, int lag) {
    return name_variable(((FlowPlace *)data)->tw, var, lag);
}

static const char *view_text(TaskWriter *tw, const Lps *lps, const Var *var) {
    const Lps *holder = lps_holder(lps, var);
    return arena_printf(tw->emit->arena, "&lpu_%s->views[%d]", task_space(tw, holder),
                        plan_view_slot(holder, var));
}

static const char *place_view(void *data, const Var *var) {
    FlowPlace *place = data;
    return arena_printf(place->tw->emit->arena, "(%s)", view_text(place->tw, place->lps, var));
}

static char *expr_at(TaskWriter *tw, const Lps *lps, const Expr *expr);

static const char *place_element(void *data, const Expr *element) {
    FlowPlace *place = data;
    TaskWriter *tw = place->tw;
    Text text = {0};
    const char *c_type = emit_storage_type(tw->emit, element->var->type->element);
    bool split = tw->task->arrays[plan_array_index(tw->task, element->var)].layout.split;
    text_printf(&text, "*(const %s *)hp5_place%s(%s, %d, (const int64_t[]){", c_type, split ? "_whole" : "",
                view_text(tw, place->lps, element->var), element->lag);
    for (size_t i = 0; i < element->arguments.count; i++)
        text_printf(&text, "%s%s", i > 0 ? ", " : "", expr_at(tw, place->lps, element->arguments.items[i]));
    text_printf(&text, "}, %s, %s, %d", task_quote(tw, element->var->name),
                task_quote(tw, tw->emit->source_name), task_line(tw, element->span));
    if (split) text_printf(&text, ", &(%s){0}", c_type);
    text_char(&text, ')');
    const char *result = arena_printf(tw->emit->arena, "(%s)", text.data);
    text_free(&text);
    return result;
}

/* The store above may not exist (HOME): whole ranges come from the task's own bounds. */
static const char *place_dim_range(void *data, const Expr *range) {
    FlowPlace *place = data;
    if (range->local) return NULL;
    return arena_printf(place->tw->emit->arena, "task->bounds_%s[%d]", range->var->name, range->dimension);
}

static const char *place_lpu_id(void *data, const Expr *expr) {
    FlowPlace *place = data;
    TaskWriter *tw = place->tw;
    const Lps *lps = place->lps->sub_partition ? place->lps->parent : place->lps;
    return arena_printf(tw->emit->arena, "hp5_lpu_id(lpu_%s, %s, %s, %d)", task_space(tw, lps),
                        expr_at(tw, place->lps, expr->left), task_quote(tw, tw->emit->source_name),
                        task_line(tw, expr->span));
}

static char *expr_at(TaskWriter *tw, const Lps *lps, const Expr *expr) {
    FlowPlace place = {tw, lps};
    EmitNames names = {.variable = place_variable,
                       .element = place_element,
                       .dim_range = place_dim_range,
                       .view = place_view,
                       .lpu_id = place_lpu_id,
                       .data = &place};
    Text text = {0};
    emit_expr(tw->emit, &names, expr, &text);
    char *result = arena_strdup(tw->emit->arena, text.data == NULL ? "" : text.data);
    text_free(&text);
    return result;
}

/* ---- Stage calls ------------------------------------------------------------------------------------ */
static bool passed_by_pointer(const Type *type) {
    return type->kind == TYPE_STRUCT || type->kind == TYPE_STATIC_ARRAY;
}

static void scalar_argument(TaskWriter *tw, const PlanStep *step, const Formal *formal, Text *args) {
    const Var *actual = plan_actual(step->use, formal, step->source);
    bool pointer = formal->kind == FORMAL_PLACE || passed_by_pointer(formal->var->type);
    if (actual == NULL) {
        text_printf(args, "%s", expr_at(tw, step->use->lps, plan_constant(step->use, formal, step->source)));
        return;
    }
    text_printf(args, "%s%s", pointer ? "&" : "", task_scalar(tw, actual, 0));
    for (int lag = 1; lag <= formal->max_lag; lag++)
        text_printf(args, ", %s%s", passed_by_pointer(formal->var->type) ? "&" : "",
                    task_scalar(tw, actual, lag));
}

static void call_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const StageUse *use = step->use;
    const char *space = task_space(tw, use->lps);
    const char *id_space = use->lps->sub_partition ? task_space(tw, use->lps->parent) : space;
    Text args = {0};
    if (use->needs_worker) text_append(&args, "worker, ");
    if (use->needs_lpu) text_printf(&args, "lpu_%s, ", id_space);
    for (size_t i = 0; i < use->formals.count; i++) {
        const Formal *formal = &use->formals.items[i];
        if (formal->kind == FORMAL_VIEW) text_append(&args, view_text(tw, use->lps, formal->actual));
        else if (formal->kind == FORMAL_PARTIAL)
            text_printf(&args, "hp5_partial(worker, %d, lpu_%s)", formal->site, space);
        else scalar_argument(tw, step, formal, &args);
        text_append(&args, ", ");
    }
    if (args.length >= 2) args.data[args.length -= 2] = '\0';
    task_print(tw, indent, "if (leads_%s) HP5_STAGE(worker, %d, lpu_%s, %s%s%s); /* line %d */", space,
                   step->call_id, id_space, use->symbol, args.length > 0 ? ", " : "", args.length > 0 ? args.data : "",
                   task_line(tw, step->source->span));
    text_free(&args);
}

/* ---- Loops ----------------------------------------------------------------------------------------------
 */
/* Prints the body to a text of its own, then the declarations that it turned out to need, then the body. */
static void body_with_scalars(TaskWriter *tw, const Lps *lps, const PlanStepVec *body, int indent) {
    const char *space = task_space(tw, lps);
    Text *out = tw->out, inner = {0};
    tw->out = &inner;
    steps_text(tw, body, indent);
    tw->out = out;
    if (inner.data != NULL &&
        emit_text_uses(inner.data, arena_printf(tw->emit->arena, "%s_scalars", space)))
        task_print(tw, indent, "struct %s_%s *const %s_scalars = lpu_%s->scalars;", tw->symbol, space,
                       space, space);
    if (inner.data != NULL) text_append(out, inner.data);
    text_free(&inner);
}

/* Begins the loop over this thread's LPUs of a Space. */
static void visit_text(TaskWriter *tw, const Lps *lps, bool dynamic, int at_line, int indent) {
    const char *space = task_space(tw, lps), *parent = task_space(tw, lps->parent);
    int slot = tw->task->spaces[lps->id].slot_in_parent;
    if (dynamic) {
        task_print(tw, indent, "/* Space %s: LPUs go to threads as these get free (line %d) */", space,
                       at_line);
        task_print(tw, indent, "Hp5Visit visit_%s = hp5_visit_begin(worker, hp5_child(lpu_%s, %d));",
                       space, parent, slot);
        task_print(tw, indent, "for (Hp5Lpu *lpu_%s; (lpu_%s = hp5_visit_next(&visit_%s)) != NULL;) {",
                       space, space, space);
    } else if (task_is_placed(tw, lps)) {
        task_print(tw, indent,
                       "/* Space %s: the LPUs that %s gives this thread (line %d) */", space,
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

/* The LPU of a round of the walk, if the body names it. */
static void round_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const char *space = task_space(tw, step->lps);
    Text *out = tw->out, inner = {0};
    tw->out = &inner;
    body_with_scalars(tw, step->lps, &step->body, indent);
    tw->out = out;
    if (inner.data == NULL) return;
    if (emit_text_uses(inner.data, arena_printf(tw->emit->arena, "lpu_%s", space)))
        task_print(tw, indent, "Hp5Lpu *const lpu_%s = &grid_%s->lpus[hp5_walk(worker, grid_%s, part_%s)];", space, space, space, space);
    text_append(out, inner.data);
    text_free(&inner);
}

static void lpus_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const char *space = task_space(tw, step->lps), *parent = task_space(tw, step->lps->parent);
    int slot = tw->task->spaces[step->lps->id].slot_in_parent;
    if (step->kind == PLAN_SUB_PARTS) {
        task_print(tw, indent, "/* every sub-partition of this LPU of Space %s (line %d) */", parent,
                       task_line(tw, step->source->span));
        task_print(tw, indent, "const Hp5Grid *grid_%s = hp5_child(lpu_%s, %d);", space, parent, slot);
        task_print(tw, indent, "for (int64_t part_%s = 0; part_%s < grid_%s->count; part_%s++) {", space,
                       space, space, space);
        round_text(tw, step, indent + 4);
    } else {
        visit_text(tw, step->lps, step->dynamic, task_line(tw, step->source->span), indent);
    }
    int64_t limit = step->kind == PLAN_LPUS ? tw->task->spaces[step->lps->id].limit : 0;
    if (limit > 0)
        task_print(tw, indent + 4, "hp5_enter(worker, %s_SPACE_%s); /* at most %lld at once */", tw->symbol, space, (long long)limit);
    if (step->kind != PLAN_SUB_PARTS) body_with_scalars(tw, step->lps, &step->body, indent + 4);
    if (limit > 0) task_print(tw, indent + 4, "hp5_leave(worker, %s_SPACE_%s);", tw->symbol, space);
    task_print(tw, indent, "}");
    if (step->dynamic) task_print(tw, indent, "hp5_visit_end(worker, &visit_%s);", space);
}

/* Checked builds also tell the threads' stamps apart: what was written before is ordered before what follows.
 */
static void sync_text(TaskWriter *tw, const Lps *lps, int indent) {
    task_print(tw, indent, "hp5_sync%s(worker, %s_SPACE_%s);",
                   tw->emit->options.checked ? "_checked" : "", tw->symbol, task_space(tw, lps));
}

/* ---- Rounds that LPUs run together
 * -------------------------------------------------------------------------- * Each LPU has an Hp5Rounds: how
 * many rounds it has left, and the index of the next one. Threads keep those of their own LPUs. */
static const char *rounds_of(TaskWriter *tw, const PlanStep *lockstep) {
    return arena_printf(tw->emit->arena, "rounds_%d[lpu_%s->number]", lockstep->number,
                        task_space(tw, lockstep->space));
}

/* What `statements` need of the LPU's scalars. */
static void scalars_text(TaskWriter *tw, const Lps *lps, const char *statements, int indent) {
    const char *space = task_space(tw, lps);
    if (emit_text_uses(statements, arena_printf(tw->emit->arena, "%s_scalars", space)))
        task_print(tw, indent, "struct %s_%s *const %s_scalars = lpu_%s->scalars;", tw->symbol, space,
                       space, space);
}

/* Asks whether the LPU takes part in the round of a lockstep, for statements that may name its counter or
 * sub-part. */
static void open_round(TaskWriter *tw, const PlanStep *lockstep, const char *statements, int indent) {
    const Step *source = lockstep->source;
    const char *rounds = rounds_of(tw, lockstep);
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
    task_print(tw, indent + 4,
                   "Hp5Lpu *const lpu_%s = &grid_%s->lpus[hp5_walk(worker, grid_%s, %s.next)];", sub, sub,
                   sub, rounds);
    scalars_text(tw, source->space, statements, indent + 4);
}

/* Opens what is around `lockstep`, the outermost first; returns the indentation inside. */
static int open_rounds(TaskWriter *tw, const PlanStep *lockstep, const char *statements, int indent) {
    if (lockstep == NULL) return indent;
    indent = open_rounds(tw, lockstep->lockstep, statements, indent);
    open_round(tw, lockstep, statements, indent);
    return indent + 4;
}

/* The statements for each LPU that takes part in the rounds around the lockstep. */
static void each_lpu_text(TaskWriter *tw, const PlanStep *lockstep, const char *statements, int indent) {
    visit_text(tw, lockstep->space, false, task_line(tw, lockstep->source->span), indent);
    scalars_text(tw, lockstep->space, statements, indent + 4);
    int inner = open_rounds(tw, lockstep->lockstep, statements, indent + 4);
    task_print(tw, inner, "%s", statements);
    while (inner > indent + 4) task_print(tw, inner -= 4, "}");
    task_print(tw, indent, "}");
}

/* Whether the condition depends on what stages compute: elements, and scalars that a stage writes. A prediction
 * cannot tell then. */
typedef struct ChoiceSource {
    const TaskPlan *task;
    bool found;
} ChoiceSource;

static void find_source(void *data, const Expr *expr) {
    ChoiceSource *source_of = data;
    if (expr->kind == EXPR_ELEMENT) source_of->found = true;
    if (expr->kind != EXPR_VAR) return;
    for (size_t u = 0; u < source_of->task->uses.count; u++)
        for (size_t f = 0; f < source_of->task->uses.items[u]->formals.count; f++) {
            const Formal *formal = &source_of->task->uses.items[u]->formals.items[f];
            source_of->found |= formal->actual == expr->var && (formal->kind == FORMAL_PLACE || formal->kind == FORMAL_PARTIAL);
        }
}

static const char *choice_text(TaskWriter *tw, const Step *source, const Lps *lps) {
    ChoiceSource source_of = {tw->task, false};
    lower_walk_expr(&(Walk){find_source, NULL, &source_of}, source->condition);
    const char *text = expr_at(tw, lps, source->condition);
    return source_of.found ? arena_printf(tw->emit->arena, "hp5_chooses(worker, %s)", text) : text;
}

static const char *rounds_begin(TaskWriter *tw, const PlanStep *step) {
    const Step *source = step->source;
    Arena *arena = tw->emit->arena;
    const char *rounds = rounds_of(tw, step);
    if (source->kind == STEP_REPEAT_WHILE) return arena_printf(arena, "%s = (Hp5Rounds){.left = 1};", rounds);
    if (source->kind == STEP_IF)
        return arena_printf(arena, "%s = (Hp5Rounds){.left = %s};", rounds, choice_text(tw, source, source->lps));
    if (source->kind == STEP_REPEAT_SUB)
        return arena_printf(arena, "%s = (Hp5Rounds){.left = hp5_child(lpu_%s, %d)->count, .step = 1};",
                            rounds, task_space(tw, step->space),
                            tw->task->spaces[source->space->id].slot_in_parent);
    return arena_printf(arena, "%s = hp5_rounds(%s, %s, %s, %d);", rounds,
                        expr_at(tw, source->lps, source->range),
                        source->step == NULL ? "1" : expr_at(tw, source->lps, source->step),
                        task_quote(tw, tw->emit->source_name), task_line(tw, source->span));
}

static void lockstep_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const Step *source = step->source;
    const char *rounds = rounds_of(tw, step), *parent = task_space(tw, step->lps),
               *space = task_space(tw, step->space);
    Arena *arena = tw->emit->arena;
    task_print(tw, indent, "{");
    task_print(tw, indent + 4,
                   "/* LPUs of Space %s run these rounds together, each as long as it decides (line %d) */",
                   space, task_line(tw, source->span));
    task_print(tw, indent + 4, "Hp5Rounds *const rounds_%d = hp5_rounds_new(hp5_child(lpu_%s, %d));",
                   step->number, parent, tw->task->spaces[step->space->id].slot_in_parent);
    each_lpu_text(tw, step, rounds_begin(tw, step), indent + 4);
    if (source->kind == STEP_IF) {
        steps_text(tw, &step->body, indent + 4);
    } else {
        task_print(tw, indent + 4, "for (;;) {");
        task_print(tw, indent + 8, "bool some = false;");
        const char *ask = source->kind == STEP_REPEAT_WHILE
                              ? arena_printf(arena, "if (%s.left > 0) hp5_rounds_ask(worker, &%s, %s);\n%*s", rounds,
                                             rounds, expr_at(tw, source->lps, source->condition), indent + 12, "")
                              : "";
        each_lpu_text(tw, step, arena_printf(arena, "%ssome = some || %s.left > 0;", ask, rounds),
                      indent + 8);
        steps_text(tw, &step->body, indent + 8);
        if (source->kind != STEP_REPEAT_WHILE)
            each_lpu_text(tw, step, arena_printf(arena, "hp5_rounds_next(&%s);", rounds), indent + 8);
        task_print(tw, indent + 4, "}");
    }
    task_print(tw, indent + 4, "hp5_free(rounds_%d);", step->number);
    task_print(tw, indent, "}");
}

/* What one LPU does with the sub-partition of this round. */
static void guarded_walk_text(TaskWriter *tw, const PlanStep *step, const Lps *part, int indent) {
    const char *sub = task_space(tw, part), *space = task_space(tw, step->lps);
    Text *out = tw->out, inner = {0};
    tw->out = &inner;
    body_with_scalars(tw, part, &step->body, indent);
    tw->out = out;
    if (inner.data == NULL) return;
    if (emit_text_uses(inner.data, arena_printf(tw->emit->arena, "lpu_%s", sub))) {
        task_print(tw, indent, "const Hp5Grid *grid_%s = hp5_child(lpu_%s, %d);", sub, space,
                       tw->task->spaces[part->id].slot_in_parent);
        task_print(tw, indent, "Hp5Lpu *const lpu_%s = &grid_%s->lpus[hp5_walk(worker, grid_%s, %s.next)];", sub, sub,
                       sub, rounds_of(tw, step->lockstep));
    }
    text_append(out, inner.data);
    text_free(&inner);
}

static void guard_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const PlanStep *lockstep = step->lockstep;
    const Step *source = lockstep->source;
    const char *rounds = rounds_of(tw, lockstep);
    task_print(tw, indent, "if (%s.left > 0) {", rounds);
    if (source->kind == STEP_REPEAT_FOR && lockstep->private_counter) {
        Text *out = tw->out, inner = {0};
        tw->out = &inner;
        steps_text(tw, &step->body, indent + 4);
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
    else steps_text(tw, &step->body, indent + 4);
    task_print(tw, indent, "}");
}

/* The value of this round, for everybody who reads it. */
static void count_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const char *counter = step->lockstep != NULL ? arena_printf(tw->emit->arena, "%s.next", rounds_of(tw, step->lockstep))
                                                 : arena_printf(tw->emit->arena, "%s_now", emit_counter(tw->emit, step->scalar));
    task_print(tw, indent, "if (leads_%s) %s = %s;", task_space(tw, step->lps), task_scalar(tw, step->scalar, 0), counter);
}

static void agree_text(TaskWriter *tw, const PlanStep *step, int indent) {
    task_print(tw, indent, "if (!hp5_any(worker, %s_SPACE_%s, some)) break;", tw->symbol, task_space(tw, step->lps));
    if (tw->emit->options.checked) sync_text(tw, step->lps, indent);
}

static void repeat_for_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const Step *source = step->source;
    const char *name = emit_counter(tw->emit, source->var);
    const char *counter = step->private_counter ? name : arena_printf(tw->emit->arena, "%s_now", name);
    const Expr *range = source->range;
    if (range->kind == EXPR_RANGE && source->step == NULL) {
        task_print(tw, indent, "for (int64_t %s = %s, last_%s = %s; %s <= last_%s; %s++) { /* line %d */",
                       counter, expr_at(tw, step->lps, range->left), name,
                       expr_at(tw, step->lps, range->right), counter, name, counter,
                       task_line(tw, source->span));
    } else {
        const char *by = source->step == NULL ? "1" : expr_at(tw, step->lps, source->step);
        task_print(tw, indent, "const Hp5Range range_%s_%d = %s;", name, source->id,
                       expr_at(tw, step->lps, range));
        task_print(tw, indent, "const int64_t step_%s_%d = %s;", name, source->id, by);
        task_print(tw, indent,
                       "for (int64_t %s = hp5_first_step(range_%s_%d, step_%s_%d), left_%s = "
                       "hp5_steps(range_%s_%d, step_%s_%d, %s, %d);",
                       counter, name, source->id, name, source->id, name, name, source->id, name, source->id,
                       task_quote(tw, tw->emit->source_name), task_line(tw, source->span));
        task_print(tw, indent, "     left_%s > 0; left_%s--, %s += step_%s_%d) {", name, name, counter,
                       name, source->id);
    }
    steps_text(tw, &step->body, indent + 4);
    task_print(tw, indent, "}");
}

static void control_text(TaskWriter *tw, const PlanStep *step, int indent) {
    int line = task_line(tw, step->source->span);
    if (step->kind == PLAN_IF)
        task_print(tw, indent, "if (%s) { /* line %d */", choice_text(tw, step->source, step->lps), line);
    else
        task_print(tw, indent, "while (hp5_repeats(worker, %d, %s)) { /* line %d */", step->source->id,
                       expr_at(tw, step->lps, step->source->condition), line);
    steps_text(tw, &step->body, indent + 4);
    task_print(tw, indent, "}");
}

/* ---- Synchronisation, copies, epochs
 * ------------------------------------------------------------------------- */
static void copy_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const char *space = task_space(tw, step->lps);
    task_print(tw, indent, "if (leads_%s) hp5_copy_%s(worker, lpu_%s, %s_SPACE_%s, %d); /* %s */", space,
                   step->kind == PLAN_COPY_IN ? "in" : "out", space, tw->symbol, space,
                   plan_view_slot(step->lps, step->array->var), step->array->var->name);
}

static void epoch_text(TaskWriter *tw, const PlanStep *step, int indent) {
    task_print(tw, indent, "hp5_epoch(worker, %s_SPACE_%s, %s, %s); /* %s */", tw->symbol,
                   task_space(tw, step->lps), view_text(tw, step->lps, step->array->var),
                   step->array->rotates ? "true" : "false", step->why);
}

static void shared_epoch_text(TaskWriter *tw, const PlanStep *step, int indent) {
    bool close = step->kind == PLAN_EPOCH_CLOSE;
    task_print(
        tw, indent, "hp5_epoch_shared(worker, %s_SPACE_%s, %s, %s); /* %s */", tw->symbol,
        task_space(tw, step->lps), view_text(tw, step->lps, step->array->var), close ? "true" : "false",
        close ? "all LPUs have come this far: the next epoch may advance the elements again" : step->why);
}

static void advance_scalar_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const Var *var = step->scalar;
    const char *space = task_space(tw, step->lps);
    task_print(tw, indent, "if (leads_%s) { /* the epoch ends for %s */", space, var->name);
    for (int lag = var->versions - 1; lag > 0; lag--)
        task_print(tw, indent + 4, "%s = %s;", task_scalar(tw, var, lag),
                       task_scalar(tw, var, lag - 1));
    task_print(tw, indent, "}");
}

static void step_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const char *space = task_space(tw, step->lps);
    switch (step->kind) {
    case PLAN_LPUS:
    case PLAN_SUB_PARTS: lpus_text(tw, step, indent); break;
    case PLAN_LOCKSTEP: lockstep_text(tw, step, indent); break;
    case PLAN_AGREE: agree_text(tw, step, indent); break;
    case PLAN_COUNT: count_text(tw, step, indent); break;
    case PLAN_GUARD: guard_text(tw, step, indent); break;
    case PLAN_STAGE: call_text(tw, step, indent); break;
    case PLAN_REPEAT_FOR: repeat_for_text(tw, step, indent); break;
    case PLAN_REPEAT_WHILE:
    case PLAN_IF: control_text(tw, step, indent); break;
    case PLAN_EPOCH:
        if (step->shared) shared_epoch_text(tw, step, indent);
        else epoch_text(tw, step, indent);
        if (tw->emit->options.checked) sync_text(tw, step->lps, indent);
        break;
    case PLAN_EPOCH_CLOSE: shared_epoch_text(tw, step, indent); break;
    case PLAN_ADVANCE_SCALAR: advance_scalar_text(tw, step, indent); break;
    case PLAN_PROVIDE:
    case PLAN_COLLECT:
        task_print(tw, indent, "hp5_%s(worker, %d); /* memory for %s */", step->kind == PLAN_PROVIDE ? "provide" : "collect",
                       plan_array_index(tw->task, step->array->var), step->array->var->name);
        break;
    case PLAN_COPY_IN:
    case PLAN_COPY_OUT: copy_text(tw, step, indent); break;
    case PLAN_SYNC:
        task_print(tw, indent, "/* %s */", step->why);
        sync_text(tw, step->lps, indent);
        break;
    case PLAN_EXCHANGE:
        task_print(tw, indent, "/* %s */", step->why);
        task_print(tw, indent, "hp5_exchange(worker, %d, lpu_%s);", step->exchange, space);
        break;
    case PLAN_REDUCE:
        task_print(tw, indent, "/* %s */", step->why);
        task_print(tw, indent, "hp5_reduce(worker, %d, lpu_%s);", step->reduce, space);
        if (tw->emit->options.checked) sync_text(tw, step->lps, indent);
        break;
    }
}

static void steps_text(TaskWriter *tw, const PlanStepVec *steps, int indent) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        bool scope = step->kind == PLAN_SUB_PARTS || step->dynamic ||
                     (step->kind == PLAN_REPEAT_FOR &&
                      !(step->source->range->kind == EXPR_RANGE && step->source->step == NULL));
        if (scope) task_print(tw, indent, "{");
        step_text(tw, step, scope ? indent + 4 : indent);
        if (scope) task_print(tw, indent, "}");
    }
}

/* ---- The function
 * ------------------------------------------------------------------------------------------------ */
void cpu_flow(TaskWriter *tw) {
    Text *out = tw->out, body = {0};
    tw->out = &body;
    body_with_scalars(tw, tw->task->task->spaces.items[0], &tw->task->flow, 4);
    tw->out = out;
    const char *text = body.data == NULL ? "" : body.data;
    text_printf(out, "/* What every thread runs. */\nstatic void %s_flow(Hp5Worker *worker) {\n", tw->symbol);
    const bool uses_task = emit_text_uses(text, "task"), uses_root = emit_text_uses(text, "lpu_Root");
    if (uses_task)
        text_printf(out, "    const struct %s *const task = worker->run->globals;\n", tw->symbol);
    if (uses_root)
        text_append(out, "    Hp5Lpu *const lpu_Root = &worker->run->root;\n");
    for (size_t i = 0; i < tw->task->task->spaces.count; i++) {
        const char *space = task_space(tw, tw->task->task->spaces.items[i]);
        if (emit_text_uses(text, arena_printf(tw->emit->arena, "leads_%s", space)))
            text_printf(out, "    const bool leads_%s = hp5_leads(worker, %s_SPACE_%s);\n", space, tw->symbol,
                        space);
    }
    if (!uses_task && !uses_root && !emit_text_uses(text, "worker"))
        text_append(out, "    (void)worker;\n");
    text_append(out, text);
    text_append(out, "}\n\n");
    text_free(&body);
}
