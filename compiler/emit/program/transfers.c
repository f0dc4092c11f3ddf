/* The table of what moves between address spaces (Hp5TransferDesc in runtime/desc/desc.h): the plan's Transfers, in numbers. */
#include "compiler/emit/program/task_writer.h"
#include "compiler/plan/inspect.h"

int task_transfer_number(const TaskWriter *tw, const Transfer *transfer) {
    int number = 0;
    for (int i = 0; i < transfer->id; i++) number += tw->task->transfers.items[i]->within != NULL;
    return number;
}

const Transfer *task_channel(const TaskWriter *tw, const Transfer *transfer) {
    if (transfer->within == NULL || !move_goes_home(tw->task, transfer)) return NULL;
    for (size_t i = 0; i < tw->task->transfers.count; i++) {
        const Transfer *other = tw->task->transfers.items[i];
        if (other->within == transfer->within && other->from == transfer->from && other->to == transfer->to) return other;
    }
    return transfer;
}

/* The Space whose LPUs' parts are what is held. */
static const Lps *listing(const Holding *holding) { return lps_holder(holding->lps, holding->var); }

/* The Space whose LPUs give it. What the only LPU of a Space touches is given by those that run this LPU, whoever lists the array. */
static const Lps *giving(const Holding *holding, const Lps *within) {
    const bool only = holding->kind == HELD_TOUCHED && holding->lps != within && lps_is_within(holding->lps, within) && lps_is_single_in(holding->lps, within);
    return only ? holding->lps : listing(holding);
}

/* The Space whose LPUs take it. The leader of an LPU takes what it touches, whoever lists the array. */
static const Lps *taking(const Holding *holding, const Lps *within) {
    bool below = lps_is_within(holding->lps, within);
    return holding->kind == HELD_STAGED && below ? holding->lps : listing(holding);
}

static bool moves_by_leader(const Holding *holding) { return holding->kind == HELD_STAGED; }

/* Nothing of what its steps have written is left behind it, under whatever name. */
static bool moves_all_written(const Transfer *transfer) {
    for (size_t a = 0; a < transfer->after.count; a++) {
        const PlanStep *writer = transfer->after.items[a];
        if (transfer->less || writer == NULL || writer->kind != PLAN_STAGE) return false;
        for (size_t i = 0; i < writer->regions.count; i++) {
            const Region *region = writer->regions.items[i];
            for (int d = 0; region->write && region->var == transfer->var && d < region->rank; d++)
                if (!region_dim_equal(&region->dims[d], &transfer->region->dims[d])) return false;
        }
    }
    return true;
}

/* Where it happens some end of the dimension has a value. */
static bool is_told(const TaskWriter *tw, const PlanStepVec *steps, const Transfer *transfer, int d) {
    const RegionDim *dim = &transfer->region->dims[d];
    for (size_t i = 0; i < steps->count; i++) {
        const TellingPlace place = {steps->items[i], NULL};
        const bool moves = steps->items[i]->kind == PLAN_MOVE && steps->items[i]->transfer == transfer;
        if (moves && dim->low != NULL && move_can_tell(tw->task, &place, dim->low)) return true;
        if (moves && dim->high != NULL && move_can_tell(tw->task, &place, dim->high)) return true;
        if (is_told(tw, &steps->items[i]->body, transfer, d)) return true;
    }
    return false;
}

/* Of the dimension all that lies in the parts. */
static bool moves_whole_dimension(const TaskWriter *tw, const Transfer *transfer, int d) {
    return region_rank(&transfer->region->dims[d]) == 3 || !is_told(tw, &tw->task->flow, transfer, d);
}

static bool moves_wholes(const TaskWriter *tw, const Transfer *transfer) {
    bool all = transfer->inspection == NULL;
    for (int d = 0; all && d < transfer->region->rank; d++) all = moves_whole_dimension(tw, transfer, d);
    return all;
}

/* At other times other elements. */
static bool is_partial(const TaskWriter *tw, const Transfer *transfer) { return transfer->partial && !moves_wholes(tw, transfer); }

/* What the transfer moves has all that `other` would, of what its own steps have written. */
static bool covers(const TaskWriter *tw, const Transfer *transfer, const Transfer *other) {
    if (is_partial(tw, transfer)) return false;
    if (other == transfer || other->within != transfer->within || other->from != transfer->from || other->to != transfer->to) return false;
    if (transfer->inspection != NULL) return other->inspection != NULL; /* what all that reads there has asked for, and no more */
    if (moves_all_written(transfer)) return true;
    for (int d = 0; d < transfer->region->rank; d++) {
        const RegionDim *dim = &transfer->region->dims[d];
        if (!moves_whole_dimension(tw, transfer, d) && !region_dim_equal(dim, &other->region->dims[d])) return false;
    }
    return true;
}

/* Right in front of the other one it moves all that lies in the parts, whoever has written it. */
static bool spares(const TaskWriter *tw, const Transfer *transfer, const Transfer *other) {
    return moves_wholes(tw, transfer) && other != transfer && other->within == transfer->within && move_stands_with(transfer, other) && transfer->id < other->id;
}

static unsigned long long mask_of(const TaskWriter *tw, const Transfer *transfer, bool (*test)(const TaskWriter *tw, const Transfer *transfer, const Transfer *other)) {
    unsigned long long mask = 0;
    for (size_t i = 0; i < tw->task->transfers.count; i++) {
        const Transfer *other = tw->task->transfers.items[i];
        if (other->within != NULL && task_transfer_number(tw, other) < 64 && test(tw, transfer, other)) mask |= 1ULL << task_transfer_number(tw, other);
    }
    return mask;
}

static unsigned long long writers_of(const Transfer *transfer) {
    unsigned long long mask = 0;
    for (size_t i = 0; i < transfer->writers.count; i++)
        if (transfer->writers.items[i] >= 0) mask |= 1ULL << transfer->writers.items[i];
    return mask;
}

const Transfer *task_toucher(const TaskWriter *tw, const Transfer *transfer) {
    for (size_t i = 0; i < tw->task->transfers.count; i++) {
        const Transfer *other = tw->task->transfers.items[i];
        if (other->inspection == transfer->inspection && other->within == transfer->within) return other;
    }
    return transfer;
}

const char *task_touches(const TaskWriter *tw, const Transfer *transfer) {
    return arena_printf(tw->emit->arena, "%s_touches_%d", tw->symbol, task_transfer_number(tw, task_toucher(tw, transfer)));
}

const char *task_reads(const TaskWriter *tw, const ArrayPlan *array) { return arena_printf(tw->emit->arena, "%s_reads_of_%s", tw->symbol, array->var->name); }

/* What the table says of an inspected transfer. */
static void touches_fields(TaskWriter *tw, const Transfer *transfer) {
    unsigned long long writers = 0;
    if (transfer->inspection == NULL) return;
    for (size_t i = 0; i < transfer->inspected_after.count; i++) writers |= 1ULL << transfer->inspected_after.items[i];
    text_printf(tw->out, "     .touches = %s, .looked_after = 0x%llx, .looks_at_count = %zu, .looks_at = (const int[]){", task_touches(tw, transfer), writers,
                transfer->inspection->inputs.count);
    for (size_t i = 0; i < transfer->inspection->inputs.count; i++)
        text_printf(tw->out, "%s%d", i > 0 ? ", " : "", plan_array_index(tw->task, transfer->inspection->inputs.items[i]));
    text_append(tw->out, transfer->inspection->inputs.count > 0 ? "}" : "-1}");
    text_append(tw->out, ",\n");
}

static void transfer_entry(TaskWriter *tw, const Transfer *transfer) {
    Text what = {0};
    const Transfer *channel = task_channel(tw, transfer);
    const unsigned long long spared = mask_of(tw, transfer, spares);
    move_print(tw->emit->arena, transfer, &what);
    text_printf(tw->out, "    {.what = %s, .line = %d,\n     .array = %d, .within = %s_SPACE_%s, .from = %s_SPACE_%s, .to = %s_SPACE_%s,%s%s%s .channel = %d, .after = 0x%llx, .covers = 0x%llx,%s\n",
                task_quote(tw, what.data), transfer->before == NULL ? 0 : task_line(tw, transfer->before->source->span),
                plan_array_index(tw->task, transfer->var), tw->symbol, task_space(tw, transfer->within), tw->symbol,
                task_space(tw, giving(transfer->from, transfer->within)), tw->symbol, task_space(tw, taking(transfer->to, transfer->within)),
                moves_by_leader(transfer->from) ? " .first_gives = true," : "", moves_by_leader(transfer->to) ? " .first_takes = true," : "",
                is_partial(tw, transfer) && channel == NULL ? " .partial = true," : "", channel == NULL ? -1 : task_transfer_number(tw, channel), writers_of(transfer), mask_of(tw, transfer, covers),
                spared == 0 ? "" : arena_printf(tw->emit->arena, " .spares = 0x%llx,", spared));
    touches_fields(tw, transfer);
    text_append(tw->out, "    },\n");
    text_free(&what);
}

static int transfers_of(TaskWriter *tw) {
    int count = 0;
    for (size_t i = 0; i < tw->task->transfers.count; i++) {
        if (tw->task->transfers.items[i]->within == NULL) continue;
        if (count++ == 0) text_printf(tw->out, "static const Hp5TransferDesc %s_transfers[] = {\n", tw->symbol);
        transfer_entry(tw, tw->task->transfers.items[i]);
    }
    if (count > 0) text_append(tw->out, "};\n");
    return count;
}

const char *task_transfers_table(TaskWriter *tw) {
    int count = transfers_of(tw);
    return count == 0 ? "" : arena_printf(tw->emit->arena, ".transfer_count = %d, .transfers = %s_transfers,\n    ", count, tw->symbol);
}
