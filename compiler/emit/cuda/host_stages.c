/* Stages that the host runs for a card. The flow is the card's: where such a stage comes, the kernel asks the host for it (runtime/card/ask_host.h), with
 * the values of the counters that only its threads have. The host calls the function that is printed here for this call: it fetches what
 * the stage touches, by the regions of the plan, runs the stage as threads do, and gives back what it may have written. */
#include "compiler/emit/cuda/host_stages.h"
#include <string.h>
#include "compiler/emit/cpu/flow.h"
#include "compiler/emit/cuda/cuda.h"

bool cuda_has_host_stages(const TaskPlan *task) {
    for (size_t i = 0; i < task->uses.count; i++)
        if (backend_on_host(task, task->uses.items[i]->lps)) return true;
    return false;
}

/* ---- What is touched -------------------------------------------------------------------------------------------------- */

/* A line of the function that moves a region, and which elements: NULL, as C text: all of the part. */
typedef struct Crossing {
    const Region *region;
    const char *bounds;
} Crossing;
typedef VEC(Crossing) CrossingVec;

static bool same_elements(const Crossing *a, const Crossing *b) {
    return a->region->var == b->region->var && a->region->lag == b->region->lag && (strcmp(b->bounds, "NULL") == 0 || strcmp(a->bounds, b->bounds) == 0);
}

static void add_crossing(Arena *arena, CrossingVec *crossings, Crossing crossing) {
    size_t kept = 0;
    for (size_t i = 0; i < crossings->count; i++)
        if (same_elements(&crossing, &crossings->items[i])) return;
    for (size_t i = 0; i < crossings->count; i++) /* those that have no others than this one */
        if (!same_elements(&crossings->items[i], &crossing)) crossings->items[kept++] = crossings->items[i];
    crossings->count = kept;
    vec_push(arena, crossings, crossing);
}

/* `gives`: what the stage may have written; else what it reads, and what it writes in part, whose other elements go back as they have come. */
static CrossingVec crossings_of(TaskWriter *tw, const PlanStep *step, bool gives) {
    const TellingPlace place = {step, step};
    CrossingVec crossings = {0};
    for (size_t i = 0; i < step->regions.count; i++) {
        const Region *region = step->regions.items[i];
        if (!var_is_array(region->var) || (gives ? !region->write : region->overwritten)) continue;
        add_crossing(tw->emit->arena, &crossings, (Crossing){region, flow_bounds(tw, &place, region)});
    }
    return crossings;
}

static void print_crossings(TaskWriter *tw, const PlanStep *step, bool gives) {
    const CrossingVec crossings = crossings_of(tw, step, gives);
    for (size_t i = 0; i < crossings.count; i++) {
        const Crossing *crossing = &crossings.items[i];
        Text region = {0};
        region_print(crossing->region, crossing->region->var->name, &region);
        const char *view = flow_view(tw, step->use->lps, crossing->region->var);
        if (gives) task_print(tw, 4, "hp5_host_gives(worker, %s, %s); /* %s */", view, crossing->bounds, region.data);
        else task_print(tw, 4, "hp5_host_takes(worker, %s, %d, %s); /* %s */", view, crossing->region->lag, crossing->bounds, region.data);
        text_free(&region);
    }
}

/* Results of reductions, which are combined on the card. */
static void print_partials(TaskWriter *tw, const PlanStep *step) {
    for (size_t i = 0; i < step->use->formals.count; i++)
        if (step->use->formals.items[i].kind == FORMAL_PARTIAL)
            task_print(tw, 4, "hp5_host_gives_partial(worker, %d, lpu_%s);", step->use->formals.items[i].site, task_space(tw, step->use->lps));
}

/* ---- The functions ---------------------------------------------------------------------------------------------------- */

static void print_call(TaskWriter *tw, const PlanStep *step) {
    const StageUse *use = step->use;
    const char *args = flow_stage_arguments(tw, step);
    task_print(tw, 4, "if (worker->predicting) %s_cost(hp5_host_costs(worker, %d)%s%s);", use->symbol, step->call_id, args[0] != '\0' ? ", " : "", args);
    if (cpu_stage_gathers(tw->emit, use)) task_print(tw, 4, "else if (worker->run->strays[%d]) %s_strict(%s);", use->id, use->symbol, args);
    task_print(tw, 4, "else %s(%s);", use->symbol, args);
}

/* What the function does, as a text of its own. Both texts of the program print it: the one for cards to know which counters it asks for. */
static char *body_text(TaskWriter *tw, const PlanStep *step) {
    Text body = {0};
    TaskWriter host = *tw;
    host.on_card = host.predicting = false;
    host.out = &body;
    print_crossings(&host, step, false);
    task_print(&host, 4, "hp5_host_begins(worker, %d, lpu_%s);", step->call_id, task_space(&host, step->use->lps));
    print_call(&host, step);
    print_crossings(&host, step, true);
    print_partials(&host, step);
    char *text = arena_strdup(tw->emit->arena, body.data);
    text_free(&body);
    return text;
}

/* The counters that it asks for, in the order in which a call has them. */
static VarVec counters_in(TaskWriter *tw, const char *body) {
    VarVec counters = {0};
    for (size_t i = 0; i < tw->task->task->globals.count; i++) {
        Var *var = tw->task->task->globals.items[i];
        if (!var_is_array(var) && task_is_counter(tw, var) && emit_text_uses(body, emit_counter(tw->emit, var))) vec_push(tw->emit->arena, &counters, var);
    }
    return counters;
}

/* Scalars and LPUs of the Spaces around it, from the inside, as far as the body names them. */
static void print_names(TaskWriter *tw, const Lps *lps, const char *body) {
    Arena *arena = tw->emit->arena;
    const char *needed = body; /* an LPU above is found by way of those below it */
    for (const Lps *at = lps; at != NULL; at = at->parent) {
        const char *space = task_space(tw, at);
        if (at != lps) {
            bool any = false;
            for (const Lps *above = at; above != NULL && !any; above = above->parent)
                any = emit_text_uses(needed, arena_printf(arena, "lpu_%s", task_space(tw, above))) ||
                      emit_text_uses(needed, arena_printf(arena, "%s_scalars", task_space(tw, above)));
            if (!any) return;
            const Lps *below = lps;
            while (below->parent != at) below = below->parent;
            task_print(tw, 4, "Hp5Lpu *const lpu_%s = lpu_%s->parent;", space, task_space(tw, below));
        }
        if (emit_text_uses(needed, arena_printf(arena, "%s_scalars", space)))
            task_print(tw, 4, "struct %s_%s *const %s_scalars = lpu_%s->scalars;", tw->symbol, space, space, space);
    }
}

static void function_text(TaskWriter *tw, const PlanStep *step) {
    const char *space = task_space(tw, step->use->lps), *body = body_text(tw, step);
    const VarVec counters = counters_in(tw, body);
    text_printf(tw->out, "/* Line %d, for the card. */\n", task_line(tw, step->source->span));
    text_printf(tw->out, "static void %s_for_card_%d(Hp5Worker *worker, Hp5Lpu *lpu_%s, const int64_t *counters) {\n", tw->symbol, step->call_id, space);
    if (emit_text_uses(body, "task")) task_print(tw, 4, "const struct %s *const task = worker->run->globals;", tw->symbol);
    print_names(tw, step->use->lps, body);
    for (size_t i = 0; i < counters.count; i++) task_print(tw, 4, "const int64_t %s = counters[%zu];", emit_counter(tw->emit, counters.items[i]), i);
    if (counters.count == 0) task_print(tw, 4, "(void)counters;");
    text_append(tw->out, body);
    text_append(tw->out, "}\n\n");
}

static void functions_of(TaskWriter *tw, const PlanStepVec *steps, const PlanStep **calls) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        functions_of(tw, &step->body, calls);
        if (step->kind != PLAN_STAGE || !backend_on_host(tw->task, step->use->lps) || calls[step->call_id] != NULL) continue;
        calls[step->call_id] = step;
        function_text(tw, step);
    }
}

void cuda_host_stages(TaskWriter *tw) {
    const TaskPlan *task = tw->task;
    const PlanStep **calls = ARENA_ARRAY(tw->emit->arena, const PlanStep *, task->call_sites.count + 1);
    if (!cuda_has_host_stages(task)) return;
    memset(calls, 0, sizeof *calls * task->call_sites.count);
    for (size_t i = 0; i < task->uses.count; i++)
        if (backend_on_host(task, task->uses.items[i]->lps)) backend_cpu.stage(tw->emit, tw->emit->lowered->tasks.items[task->task->id]->stages.items[i], tw->out);
    functions_of(tw, &task->flow, calls);
    text_printf(tw->out, "static const Hp5OnHost %s_on_host[] = {", tw->symbol);
    for (size_t i = 0; i < task->call_sites.count; i++)
        text_printf(tw->out, "%s%s", i > 0 ? ", " : "", calls[i] == NULL ? "NULL" : arena_printf(tw->emit->arena, "%s_for_card_%zu", tw->symbol, i));
    text_append(tw->out, "};\n\n");
}

void cuda_ask_for_stage(TaskWriter *tw, const PlanStep *step, const char *who, int indent) {
    const VarVec counters = counters_in(tw, body_text(tw, step));
    Text values = {0};
    for (size_t i = 0; i < counters.count; i++) text_printf(&values, "%s%s", i > 0 ? ", " : "", emit_counter(tw->emit, counters.items[i]));
    const char *text = values.data == NULL ? "" : values.data;
    if (tw->predicting && counters.count > 0) text = arena_printf(tw->emit->arena, "(const int64_t[]){%s}", text);
    else if (tw->predicting) text = "NULL";
    else text = arena_printf(tw->emit->arena, "HP5_BOUNDS(%s)", text);
    task_print(tw, indent, "%s%s(worker, %d, lpu_%s, %s); /* line %d: %s */", who, tw->predicting ? "hp5_crew_asks_host" : "hp5_stage_on_host", step->call_id, task_space(tw, step->use->lps),
               text, task_line(tw, step->source->span), step->use->symbol);
    text_free(&values);
}
