/* The flow function: steps in their order, repeats, choices, stage calls by the leader of each LPU's group.
 */
#include "compiler/emit/cpu/flow.h"
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/emit/cuda/host_stages.h"
#include "compiler/plan/moves.h"

/* ---- Stage calls ------------------------------------------------------------------------------------ */
static bool passed_by_pointer(const Type *type) {
    return type->kind == TYPE_STRUCT || type->kind == TYPE_STATIC_ARRAY;
}

static void scalar_argument(TaskWriter *tw, const PlanStep *step, const Formal *formal, Text *args) {
    const Var *actual = plan_actual(step->use, formal, step->source);
    bool pointer = formal->kind == FORMAL_PLACE || passed_by_pointer(formal->var->type);
    if (actual == NULL) {
        text_printf(args, "%s",
                    flow_expr(tw, step->use->lps, plan_constant(step->use, formal, step->source)));
        return;
    }
    text_printf(args, "%s%s", pointer ? "&" : "", task_scalar(tw, actual, 0));
    for (int lag = 1; lag <= formal->max_lag; lag++)
        text_printf(args, ", %s%s", passed_by_pointer(formal->var->type) ? "&" : "",
                    task_scalar(tw, actual, lag));
}

/* Above the segments a stage that touches arrays runs in one process, which has what it touches; one of scalars alone in all. */
static bool runs_at_leader(const TaskWriter *tw, const PlanStep *step) {
    return !hold_is_local(tw->task, step->use->lps) && !move_runs_everywhere(tw->task, step);
}

typedef struct Told {
    const Lps *lps;
    int indent;
} Told;

static void tell_text(TaskWriter *tw, const char *path, void *data) {
    const Told *told = data;
    task_print(tw, told->indent, "hp5_tell_text(worker, %s_SPACE_%s, &%s);", tw->symbol, task_space(tw, told->lps), path);
}

/* The scalars that such a stage has written, for the other processes. */
static void tell_scalars(TaskWriter *tw, const PlanStep *step, int indent) {
    const StageUse *use = step->use;
    for (size_t i = 0; i < use->formals.count; i++) {
        const Formal *formal = &use->formals.items[i];
        const Var *actual = formal->kind == FORMAL_PLACE ? plan_actual(use, formal, step->source) : NULL;
        if (actual == NULL || formal->same_as > 0) continue;
        const char *scalar = task_scalar(tw, actual, 0);
        task_print(tw, indent, "hp5_tell(worker, %s_SPACE_%s, &%s, sizeof %s); /* to all processes */", tw->symbol, task_space(tw, use->lps), scalar,
                   scalar);
        task_each_text(tw, actual->type, scalar, tell_text, &(Told){use->lps, indent});
    }
}

static const LoweredBody *code_of(const TaskWriter *tw, const StageUse *use) {
    const LoweredTask *lowered = tw->emit->lowered->tasks.items[tw->task->task->id];
    for (size_t u = 0; u < tw->task->uses.count; u++)
        if (tw->task->uses.items[u] == use) return &lowered->stages.items[u]->code;
    return NULL;
}

const Border *flow_border(const TaskWriter *tw, const StageUse *use) {
    const LoweredBody *code = code_of(tw, use);
    return code ? code->border : NULL;
}

const char *flow_joins(const TaskWriter *tw, const StageUse *use) {
    const LoweredBody *code = code_of(tw, use);
    const bool on_card = (tw->on_card || tw->predicting) && !backend_on_host(tw->task, use->lps);
    return code && code->joins && !on_card ? writer_joined_type(code) : NULL;
}

char *flow_stage_arguments(TaskWriter *tw, const PlanStep *step) {
    const StageUse *use = step->use;
    const char *space = task_space(tw, use->lps);
    Text args = {0};
    if (use->needs_worker && !tw->on_card) text_append(&args, "worker, ");
    if (use->needs_lpu) text_printf(&args, "lpu_%s, ", use->lps->sub_partition ? task_space(tw, use->lps->parent) : space);
    for (size_t i = 0; i < use->formals.count; i++) {
        const Formal *formal = &use->formals.items[i];
        const char *strip = formal->kind == FORMAL_VIEW ? flow_strip_view(tw, formal->actual) : NULL;
        if (formal->kind == FORMAL_VIEW) text_append(&args, strip ? strip : flow_view(tw, use->lps, formal->actual));
        else if (formal->kind == FORMAL_PARTIAL)
            text_append(&args, tw->predicting ? "NULL" : tw->strips ? arena_printf(tw->emit->arena, "&strip_%d", formal->site)
                                                                    : arena_printf(tw->emit->arena, "hp5_partial(worker, %d, lpu_%s)", formal->site, space));
        else scalar_argument(tw, step, formal, &args);
        text_append(&args, ", ");
    }
    const Border *border = flow_border(tw, use);
    if (border && step->opens && !tw->predicting) text_printf(&args, "&sweep_%s.box, ", space);
    else if (border) text_append(&args, "&hp5_everywhere, ");
    if (flow_joins(tw, use)) text_printf(&args, "%s%s, ", tw->joined ? "&" : "", tw->joined ? tw->joined : "NULL");
    if (args.length >= 2) args.data[args.length -= 2] = '\0';
    char *result = arena_strdup(tw->emit->arena, args.data == NULL ? "" : args.data);
    text_free(&args);
    return result;
}

static void stage_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const StageUse *use = step->use;
    const char *space = task_space(tw, use->lps);
    const bool at_leader = runs_at_leader(tw, step);
    const char *id_space = use->lps->sub_partition ? task_space(tw, use->lps->parent) : space;
    if ((tw->on_card || tw->predicting) && backend_on_host(tw->task, use->lps)) {
        cuda_ask_for_stage(tw, step, at_leader && !tw->predicting ? arena_printf(tw->emit->arena, "if (hosts_%s) ", space) : "", indent);
        if (at_leader && !tw->predicting) tell_scalars(tw, step, indent);
        return;
    }
    const char *args = flow_stage_arguments(tw, step);
    if (tw->predicting) {
        task_print(tw, indent, "if (leads_%s) %s_cost(hp5_crew_call(worker, %d, lpu_%s)%s%s); /* line %d */", space, use->symbol, step->call_id, id_space, args[0] != '\0' ? ", " : "",
                   args, task_line(tw, step->source->span));
        return;
    }
    const Border *border = flow_border(tw, use);
    const bool gathers = cpu_stage_gathers(tw->emit, use);
    const char *group = gathers ? arena_printf(tw->emit->arena, "%d, ", use->id) : "";
    const bool everybody = tw->on_card && !at_leader; /* a crew has no leader */
    const char *who = everybody ? "" : arena_printf(tw->emit->arena, "if (%s_%s) ", at_leader ? "hosts" : "leads", space);
    if (border && step->opens) {
        task_print(tw, indent, "/* what needs nothing that messages bring, first (line %d) */", task_line(tw, step->opens->source->span));
        task_print(tw, indent, "for (Hp5Sweep sweep_%s = hp5_sweep(&late_%s, lpu_%s); hp5_sweep_next(&sweep_%s);)", space, space, space, space);
        indent += 4;
    }
    task_print(tw, indent, "%sHP5_STAGE%s(worker, %d, lpu_%s, %s%s%s%s); /* line %d */", who, gathers ? "_GATHERING" : "", step->call_id, id_space, group, use->symbol, args[0] != '\0' ? ", " : "",
               args, task_line(tw, step->source->span));
    if (at_leader) tell_scalars(tw, step, indent);
}

/* ---- Repeats and choices ---------------------------------------------------------------------------- */
/* Whether the condition depends on what stages compute: elements, and scalars that a stage writes. A
 * prediction cannot tell then. */
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
            source_of->found |= formal->actual == expr->var &&
                                (formal->kind == FORMAL_PLACE || formal->kind == FORMAL_PARTIAL);
        }
}

const char *flow_choice(TaskWriter *tw, const Step *source, const Lps *lps) {
    ChoiceSource source_of = {tw->task, false};
    lower_walk_expr(&(Walk){find_source, NULL, &source_of}, source->condition);
    const char *text = flow_expr(tw, lps, source->condition);
    return source_of.found ? arena_printf(tw->emit->arena, "hp5_chooses(worker, %s)", text) : text;
}

static void repeat_for_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const Step *source = step->source;
    const char *name = emit_counter(tw->emit, source->var);
    const char *counter = step->private_counter ? name : arena_printf(tw->emit->arena, "%s_now", name);
    const Expr *range = source->range;
    if (range->kind == EXPR_RANGE && source->step == NULL) {
        task_print(tw, indent, "for (int64_t %s = %s, last_%s = %s; %s <= last_%s; %s++) { /* line %d */",
                   counter, flow_expr(tw, step->lps, range->left), name,
                   flow_expr(tw, step->lps, range->right), counter, name, counter,
                   task_line(tw, source->span));
    } else {
        const char *by = source->step == NULL ? "1" : flow_expr(tw, step->lps, source->step);
        task_print(tw, indent, "const Hp5Range range_%s_%d = %s;", name, source->id,
                   flow_expr(tw, step->lps, range));
        task_print(tw, indent, "const int64_t step_%s_%d = %s;", name, source->id, by);
        task_print(tw, indent,
                   "for (int64_t %s = hp5_first_step(range_%s_%d, step_%s_%d), left_%s = "
                   "hp5_steps(range_%s_%d, step_%s_%d, %s, %d);",
                   counter, name, source->id, name, source->id, name, name, source->id, name, source->id,
                   task_quote(tw, tw->emit->source_name), task_line(tw, source->span));
        task_print(tw, indent, "     left_%s > 0; left_%s--, %s += step_%s_%d) {", name, name, counter, name,
                   source->id);
    }
    flow_steps(tw, &step->body, indent + 4);
    task_print(tw, indent, "}");
}

static void control_text(TaskWriter *tw, const PlanStep *step, int indent) {
    int line = task_line(tw, step->source->span);
    if (step->kind == PLAN_IF)
        task_print(tw, indent, "if (%s) { /* line %d */", flow_choice(tw, step->source, step->lps), line);
    else
        task_print(tw, indent, "while (hp5_repeats(worker, %d, %s)) { /* line %d */", step->source->id,
                   flow_expr(tw, step->lps, step->source->condition), line);
    flow_steps(tw, &step->body, indent + 4);
    task_print(tw, indent, "}");
}

/* ---- Steps ------------------------------------------------------------------------------------------- */
static void step_text(TaskWriter *tw, const PlanStep *step, int indent) {
    switch (step->kind) {
    case PLAN_LPUS:
    case PLAN_SUB_PARTS: flow_lpus(tw, step, indent); break;
    case PLAN_LOCKSTEP: flow_lockstep(tw, step, indent); break;
    case PLAN_GUARD: flow_guard(tw, step, indent); break;
    case PLAN_STAGE: stage_text(tw, step, indent); break;
    case PLAN_REPEAT_FOR: repeat_for_text(tw, step, indent); break;
    case PLAN_REPEAT_WHILE:
    case PLAN_IF: control_text(tw, step, indent); break;
    default: flow_move(tw, step, indent); break;
    }
}

static bool has_waited(const TaskWriter *tw, const PlanStep *stage, const PlanStep *wait) {
    return (tw->on_card || tw->predicting) && !tw->emit->options.checked && cuda_has_waited(tw->task, stage, wait) && !runs_at_leader(tw, stage);
}

/* Results of one crew that are joined at one place. Checked builds wait between them. */
static bool reduce_together(const TaskWriter *tw, const PlanStep *step, const PlanStep *other) {
    return step->kind == PLAN_REDUCE && other->kind == PLAN_REDUCE && step->lps == other->lps && step->settles == NULL && other->settles == NULL && !tw->emit->options.checked;
}

void flow_steps(TaskWriter *tw, const PlanStepVec *steps, int indent) {
    const PlanStep *before = NULL; /* printed as it is */
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        if (before != NULL && has_waited(tw, before, step)) {
            task_print(tw, indent, "/* %s: what the stage ends with is a wait */", step->why);
            before = NULL;
            continue;
        }
        before = NULL;
        const Strips *strips = tw->predicting ? NULL : lower_strips_of(tw->emit->lowered->tasks.items[tw->task->task->id], step);
        const size_t relayed = tw->on_card ? cuda_relay(tw, step, indent) : 0;
        if (relayed > 0) {
            i += relayed - 1;
            continue;
        }
        if (strips != NULL) {
            i += flow_strips(tw, strips, indent) - 1;
            continue;
        }
        bool scope = step->kind == PLAN_SUB_PARTS || flow_joined_stage(tw, step) != NULL || step->dynamic || (step->kind == PLAN_LPUS && step->later != NULL) ||
                     (step->kind == PLAN_REPEAT_FOR &&
                      !(step->source->range->kind == EXPR_RANGE && step->source->step == NULL));
        if (scope) task_print(tw, indent, "{");
        tw->reduces_before = i > 0 && reduce_together(tw, steps->items[i - 1], step);
        tw->reduces_behind = i + 1 < steps->count && reduce_together(tw, step, steps->items[i + 1]);
        step_text(tw, step, scope ? indent + 4 : indent);
        if (scope) task_print(tw, indent, "}");
        before = step;
        if (step->settles != NULL && !tw->predicting) task_print(tw, indent, "hp5_settle(worker, %d);", step->settles->exchange);
    }
}

/* ---- The function ------------------------------------------------------------------------------------ */
void cpu_flow(TaskWriter *tw) {
    Text *out = tw->out, body = {0};
    tw->out = &body;
    flow_body(tw, tw->task->task->spaces.items[0], NULL, &tw->task->flow, 4);
    tw->out = out;
    const char *text = body.data == NULL ? "" : body.data;
    text_printf(out, "/* What every %s. */\n%s void %s_flow(Hp5Worker *worker) {\n", tw->predicting ? "crew of the card would run, for predictions" : "thread runs", tw->emit->backend->own, tw->symbol);
    const bool uses_task = emit_text_uses(text, "task"), uses_root = emit_text_uses(text, "lpu_Root");
    if (uses_task) text_printf(out, "    const struct %s *const task = %sworker->run->globals;\n", tw->symbol, task_cast(tw, tw->symbol));
    if (uses_root) text_append(out, "    Hp5Lpu *const lpu_Root = &worker->run->root;\n");
    for (size_t i = 0; i < tw->task->task->spaces.count; i++) {
        const char *space = task_space(tw, tw->task->task->spaces.items[i]);
        if (emit_text_uses(text, arena_printf(tw->emit->arena, "leads_%s", space)))
            text_printf(out, "    const bool leads_%s = hp5_leads(worker, %s_SPACE_%s);\n", space, tw->symbol,
                        space);
        if (emit_text_uses(text, arena_printf(tw->emit->arena, "hosts_%s", space)))
            text_printf(out, "    const bool hosts_%s = hp5_hosts(worker, %s_SPACE_%s);\n", space, tw->symbol, space);
    }
    if (!uses_task && !uses_root && !emit_text_uses(text, "worker")) text_append(out, "    (void)worker;\n");
    text_append(out, text);
    text_append(out, "}\n\n");
    text_free(&body);
}
