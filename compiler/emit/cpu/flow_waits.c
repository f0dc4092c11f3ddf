/* Waits, and moves of data: what the plan puts between stages. */
#include "compiler/base/diag.h"
#include "compiler/emit/cpu/flow.h"

/* All threads of the group that runs the current LPU of `lps` wait for each other. Checked builds also tell the
 * threads' stamps apart: what was written before is ordered before what follows. */
static void wait_text(TaskWriter *tw, const Lps *lps, int indent) {
    if (tw->predicting) {
        flow_crew_waits(tw, task_space(tw, lps), indent);
        return;
    }
    task_print(tw, indent, "hp5_sync%s(worker, %s_SPACE_%s);", tw->emit->options.checked ? "_checked" : "",
               tw->symbol, task_space(tw, lps));
}

void flow_crew_waits(TaskWriter *tw, const char *space, int indent) {
    if (tw->predicting) task_print(tw, indent, "hp5_crew_waits(worker, %s_SPACE_%s, 1);", tw->symbol, space);
    if (tw->on_card) task_print(tw, indent, "hp5_sync(worker, %s_SPACE_%s);", tw->symbol, space);
}

/* The value of this round, for everybody who reads it. */
static void count_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const char *counter = step->lockstep != NULL
                              ? arena_printf(tw->emit->arena, "%s.next", flow_rounds_of(tw, step->lockstep))
                              : arena_printf(tw->emit->arena, "%s_now", emit_counter(tw->emit, step->scalar));
    const char *space = task_space(tw, step->lps);
    flow_crew_waits(tw, space, indent);
    /* crews that are looked at one after the other have each its own round */
    const char *who = tw->predicting ? "" : arena_printf(tw->emit->arena, "if (leads_%s) ", space);
    task_print(tw, indent, "%s%s = %s;", who, task_scalar(tw, step->scalar, 0), counter);
    flow_crew_waits(tw, space, indent);
}

static void agree_text(TaskWriter *tw, const PlanStep *step, int indent) {
    if (tw->predicting) task_print(tw, indent, "hp5_crew_waits(worker, %s_SPACE_%s, 4);\n%*sif (!some) break;", tw->symbol, task_space(tw, step->lps), indent, "");
    else task_print(tw, indent, "if (!hp5_any(worker, %s_SPACE_%s, some)) break;", tw->symbol, task_space(tw, step->lps));
}

static void copy_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const char *space = task_space(tw, step->lps);
    const char *who = tw->on_card ? "" : arena_printf(tw->emit->arena, "if (leads_%s) ", space);
    /* where versions change places, those that are handed back are alike */
    const char *alike = step->kind == PLAN_COPY_IN ? "" : step->array->rotates ? ", true" : ", false";
    task_print(tw, indent, "%shp5_copy_%s(worker, lpu_%s, %s_SPACE_%s, %d%s); /* %s */", who,
               step->kind == PLAN_COPY_IN ? "in" : "out", space, tw->symbol, space,
               plan_view_slot(step->lps, step->array->var), alike, step->array->var->name);
}

static void shared_epoch_text(TaskWriter *tw, const PlanStep *step, int indent) {
    bool close = step->kind == PLAN_EPOCH_CLOSE;
    task_print(
        tw, indent, "hp5_epoch_shared(worker, %s_SPACE_%s, %s, %s); /* %s */", tw->symbol,
        task_space(tw, step->lps), flow_view(tw, step->lps, step->array->var), close ? "true" : "false",
        close ? "all LPUs have come this far: the next epoch may advance the elements again" : step->why);
}

static void advance_scalar_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const Var *var = step->scalar;
    const char *space = task_space(tw, step->lps);
    flow_crew_waits(tw, space, indent);
    task_print(tw, indent, "if (leads_%s) { /* the epoch ends for %s */", space, var->name);
    for (int lag = var->versions - 1; lag > 0; lag--)
        task_print(tw, indent + 4, "%s = %s;", task_scalar(tw, var, lag), task_scalar(tw, var, lag - 1));
    task_print(tw, indent, "}");
    flow_crew_waits(tw, space, indent);
}

static void memory_text(TaskWriter *tw, const PlanStep *step, int indent) {
    task_print(tw, indent, "hp5_%s(worker, %d); /* memory for %s */",
               step->kind == PLAN_PROVIDE ? "provide" : "collect",
               plan_array_index(tw->task, step->array->var), step->array->var->name);
}

const char *flow_bounds(TaskWriter *tw, const TellingPlace *place, const Region *region) {
    bool any = false;
    Text text = {0};
    for (int d = 0; d < region->rank; d++) {
        const RegionDim *dim = &region->dims[d];
        const Expr *const ends[] = {dim->low, dim->high};
        for (int e = 0; e < 2; e++) {
            bool told = ends[e] != NULL && move_can_tell(tw->task, place, ends[e]);
            text_printf(&text, "%s%s", d + e > 0 ? ", " : "",
                        told ? flow_expr(tw, place->at->lps, ends[e]) : e == 0 ? "INT64_MIN" : "INT64_MAX");
            any = any || told;
        }
    }
    const char *result = !any ? "NULL" : arena_printf(tw->emit->arena, "%s%s%s", tw->on_card ? "HP5_BOUNDS(" : "(const int64_t[]){", text.data, tw->on_card ? ")" : "}");
    text_free(&text);
    return result;
}

static void epoch_text(TaskWriter *tw, const PlanStep *step, int indent) {
    task_print(tw, indent, "hp5_epoch(worker, %s_SPACE_%s, %s, %s); /* %s */", tw->symbol,
               task_space(tw, step->lps), flow_view(tw, step->lps, step->array->var),
               step->rotates ? "true" : "false", step->why);
    for (size_t i = 0; i < step->takes.count; i++) {
        const TellingPlace place = {step, NULL};
        Text what = {0};
        region_print(step->takes.items[i], step->array->var->name, &what);
        task_print(tw, indent, "hp5_take_on(worker, %s_SPACE_%s, %s, %s); /* %s is read at current */", tw->symbol, task_space(tw, step->lps),
                   flow_view(tw, step->lps, step->array->var), flow_bounds(tw, &place, step->takes.items[i]), what.data);
        text_free(&what);
    }
}

/* What the step has written of the transfer's array: it will go home, at one time or another, as it is told here. */
static void written_text(TaskWriter *tw, const PlanStep *wrote, const PlanStep *writer, const Transfer *transfer, int indent) {
    const TellingPlace place = {wrote, writer};
    const char *space = task_space(tw, wrote->lps);
    bool any = false;
    for (size_t i = 0; writer->kind == PLAN_STAGE && i < writer->regions.count; i++) {
        const Region *region = writer->regions.items[i];
        if (region->var != transfer->var || !region->write) continue;
        task_print(tw, indent, "hp5_wrote_part(worker, %d, lpu_%s, %s);", task_transfer_number(tw, transfer), space, flow_bounds(tw, &place, region));
        any = true;
    }
    if (!any) task_print(tw, indent, "hp5_wrote_part(worker, %d, lpu_%s, NULL);", task_transfer_number(tw, transfer), space);
}

static void wrote_text(TaskWriter *tw, const PlanStep *step, int indent) {
    task_print(tw, indent, "hp5_wrote(worker, %d, lpu_%s); /* %s */", step->writer, task_space(tw, step->lps), step->why);
    for (size_t i = 0; i < tw->task->transfers.count; i++) {
        const Transfer *transfer = tw->task->transfers.items[i];
        if (transfer->within != step->lps || task_channel(tw, transfer) != transfer) continue;
        const PlanStep *writer = NULL;
        for (size_t j = i; j < tw->task->transfers.count && writer == NULL; j++) { /* whoever brings it home */
            const Transfer *other = tw->task->transfers.items[j];
            for (size_t w = 0; other->within != NULL && task_channel(tw, other) == transfer && w < other->after.count; w++)
                if (other->writers.items[w] == step->writer) writer = other->after.items[w];
        }
        if (writer != NULL) written_text(tw, step, writer, transfer, indent);
    }
}

static void watch_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const TellingPlace place = {step, step->watched};
    const Region *written = NULL;
    bool one = step->watched != NULL && step->watched->kind == PLAN_STAGE;
    for (size_t i = 0; one && i < step->watched->regions.count; i++) {
        const Region *region = step->watched->regions.items[i];
        if (region->var != step->array->var || !region->write) continue;
        one = written == NULL;
        written = region;
    }
    task_print(tw, indent, "hp5_watch_changes(worker, %d, lpu_%s, %s); /* %s, which several processes have, is written */",
               plan_array_index(tw->task, step->array->var), task_space(tw, step->lps), one && written != NULL ? flow_bounds(tw, &place, written) : "NULL",
               step->array->var->name);
}

static void merge_text(TaskWriter *tw, const PlanStep *step, int indent) {
    task_print(tw, indent, "hp5_merge_changes(worker, %d, lpu_%s); /* what one has written of %s, for all */", plan_array_index(tw->task, step->array->var),
               task_space(tw, step->lps), step->array->var->name);
}

typedef struct Told {
    const PlanStep *step;
    int indent;
} Told;

static void tell_inner_text(TaskWriter *tw, const char *path, void *data) {
    const Told *told = data;
    task_print(tw, told->indent, "hp5_tell_text_from(worker, lpu_%s, %s_SPACE_%s, %s_SPACE_%s, &%s);", task_space(tw, told->step->lps), tw->symbol,
               task_space(tw, told->step->lps), tw->symbol, task_space(tw, told->step->space), path);
}

static void tell_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const char *home = task_space(tw, step->lps), *scalar = task_scalar(tw, step->scalar, 0);
    task_print(tw, indent, "hp5_tell_from(worker, lpu_%s, %s_SPACE_%s, %s_SPACE_%s, &%s, sizeof %s); /* to all processes */", home, tw->symbol, home, tw->symbol,
               task_space(tw, step->space), scalar, scalar);
    task_each_text(tw, step->scalar->type, scalar, tell_inner_text, &(Told){step, indent});
    for (int lag = 1; lag < step->scalar->versions; lag++) {
        const char *before = task_scalar(tw, step->scalar, lag);
        task_print(tw, indent, "hp5_tell_from(worker, lpu_%s, %s_SPACE_%s, %s_SPACE_%s, &%s, sizeof %s);", home, tw->symbol, home, tw->symbol, task_space(tw, step->space),
                   before, before);
        task_each_text(tw, step->scalar->type, before, tell_inner_text, &(Told){step, indent});
    }
}

static void transfer_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const TellingPlace place = {step, NULL};
    const Transfer *transfer = step->transfer;
    task_print(tw, indent, "/* %s */", step->why);
    bool merged = transfer->from == transfer->to && !transfer->from->padded; /* nothing has to move any more */
    if (!merged)
        task_print(tw, indent, step->begins ? "hp5_transfer_begin(worker, %d, lpu_%s, %s);" : "hp5_transfer(worker, %d, lpu_%s, %s);",
                   task_transfer_number(tw, step->transfer), task_space(tw, step->lps),
                   task_channel(tw, step->transfer) != NULL ? "NULL" : flow_bounds(tw, &place, step->transfer->region));
    if (step->ends) task_print(tw, indent, "hp5_transfers_end(worker);");
}

/* The same as a card does it, counted for a prediction; nothing of what happens between processes, of which there is one. */
static void counted_text(TaskWriter *tw, const PlanStep *step, int indent) {
    const char *space = task_space(tw, step->lps);
    switch (step->kind) {
    case PLAN_COPY_IN:
    case PLAN_COPY_OUT:
        task_print(tw, indent, "if (leads_%s) hp5_crew_copies(worker, lpu_%s, %s_SPACE_%s, %d); /* %s */", space, space, tw->symbol, space,
                   plan_view_slot(step->lps, step->array->var), step->array->var->name);
        return;
    case PLAN_EXCHANGE: task_print(tw, indent, "if (leads_%s) hp5_crew_exchanges(worker, %d, lpu_%s);", space, step->exchange, space); return;
    case PLAN_REDUCE: task_print(tw, indent, "hp5_crew_waits(worker, %s_SPACE_%s, %d); /* results are combined */", tw->symbol, space, !tw->reduces_before + !tw->reduces_behind); return;
    case PLAN_EPOCH:
    case PLAN_EPOCH_CLOSE:
        task_print(tw, indent, "if (leads_%s) hp5_crew_advances(worker, %s_SPACE_%s, %s, %s, %s); /* %s */", space, tw->symbol, space, flow_view(tw, step->lps, step->array->var),
                   step->rotates ? "true" : "false", step->shared || step->kind == PLAN_EPOCH_CLOSE ? "true" : "false", step->array->var->name);
        return;
    default: return;
    }
}

void flow_move(TaskWriter *tw, const PlanStep *step, int indent) {
    static const char *const among[] = {"", ", HP5_FIRST", ", HP5_LAST", ", HP5_BETWEEN"};
    const char *space = task_space(tw, step->lps);
    if (tw->predicting && step->kind != PLAN_SYNC && step->kind != PLAN_AGREE && step->kind != PLAN_COUNT && step->kind != PLAN_ADVANCE_SCALAR) {
        counted_text(tw, step, indent);
        return;
    }
    if (step->kind == PLAN_SYNC || step->kind == PLAN_EXCHANGE || step->kind == PLAN_REDUCE)
        task_print(tw, indent, "/* %s */", step->why);
    switch (step->kind) {
    case PLAN_SYNC: wait_text(tw, step->lps, indent); return;
    case PLAN_AGREE: agree_text(tw, step, indent); break;
    case PLAN_COUNT: count_text(tw, step, indent); return;
    case PLAN_COPY_IN:
    case PLAN_COPY_OUT: copy_text(tw, step, indent); return;
    case PLAN_EXCHANGE:
        task_print(tw, indent, step->later != NULL ? "hp5_exchange_later(worker, %d, lpu_%s);" : "hp5_exchange(worker, %d, lpu_%s);", step->exchange, space);
        return;
    case PLAN_REDUCE:
        if (tw->on_card)
            task_print(tw, indent, "hp5_reduce_at<Hp5Of_%s>(worker, %d, lpu_%s, %s_combine_%d%s);",
                       emit_reduce_name(tw->emit, tw->task->reductions.items[step->reduce].op, tw->task->reductions.items[step->reduce].value_type), step->reduce, space,
                       tw->symbol, step->reduce, among[(tw->reduces_before ? 2 : 0) + (tw->reduces_behind ? 1 : 0)]);
        else task_print(tw, indent, "hp5_reduce(worker, %d, lpu_%s);", step->reduce, space);
        break;
    case PLAN_PROVIDE:
    case PLAN_COLLECT: memory_text(tw, step, indent); return;
    case PLAN_EPOCH:
        if (step->shared) shared_epoch_text(tw, step, indent);
        else epoch_text(tw, step, indent);
        break;
    case PLAN_EPOCH_CLOSE: shared_epoch_text(tw, step, indent); return;
    case PLAN_ADVANCE_SCALAR: advance_scalar_text(tw, step, indent); return;
    case PLAN_WATCH: watch_text(tw, step, indent); return;
    case PLAN_MERGE: merge_text(tw, step, indent); return;
    case PLAN_TELL: tell_text(tw, step, indent); return;
    case PLAN_RENEW:
        task_print(tw, indent, "hp5_renewed(worker, %d, lpu_%s); /* all of %s is new */", plan_array_index(tw->task, step->array->var), space, step->array->var->name);
        return;
    case PLAN_WROTE: wrote_text(tw, step, indent); return;
    case PLAN_MOVE: transfer_text(tw, step, indent); return;
    default: internal_error("emit", "a step of kind %d neither waits nor moves data", (int)step->kind);
    }
    if (tw->emit->options.checked)
        wait_text(tw, step->lps, indent); /* ordered for the stamps of checks, too */
}
