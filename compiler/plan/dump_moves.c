/* --dump=plan: what steps touch, where data are held, and what moves. */
#include "compiler/plan/inspect.h"

/* In the copy that the LPU's leader has. */
static bool is_copied(const Holding *holding) { return holding->kind == HELD_STAGED && holding->store == holding->lps && holding->lps->parent != NULL; }

static const char *held_text(Arena *arena, const Holding *holding) {
    const char *space = holding->lps->name;
    switch (holding->kind) {
    case HELD_ITEM: return "with the environment";
    case HELD_WHOLE: return "as a whole";
    case HELD_PARTS: return arena_printf(arena, "in parts: each address space has those of its LPUs of Space %s", space);
    case HELD_TOUCHED: return arena_printf(arena, "what its LPUs of Space %s touch, in each address space", space);
    case HELD_COPY: return arena_printf(arena, "copies of the padded parts of Space %s", space);
    case HELD_HOME: return arena_printf(arena, "the padded parts of Space %s", space);
    case HELD_STAGED: return arena_printf(arena, is_copied(holding) ? "the copy of Space %s, at the leader of its LPU" : "what is touched in Space %s, at the leader of its LPU", space);
    case HELD_EVERYWHERE: return "in every address space";
    case HELD_SCALAR: return arena_printf(arena, "with each LPU of Space %s", space);
    }
    return "";
}

static const char *place_text(Arena *arena, const Holding *holding) {
    const char *space = holding->lps->name;
    switch (holding->kind) {
    case HELD_ITEM: return "the environment";
    case HELD_WHOLE: return "the array";
    case HELD_PARTS:
    case HELD_HOME: return arena_printf(arena, "the parts of Space %s", space);
    case HELD_TOUCHED: return arena_printf(arena, "whoever runs Space %s", space);
    case HELD_COPY: return arena_printf(arena, "the copies of Space %s", space);
    case HELD_STAGED: return arena_printf(arena, is_copied(holding) ? "the leader's copy in Space %s" : "the leader of Space %s", space);
    case HELD_EVERYWHERE: return "all address spaces";
    case HELD_SCALAR: return arena_printf(arena, "Space %s", space);
    }
    return "";
}

/* The same elements stand before it, read or written. */
static bool has_equal_before(const RegionVec *regions, size_t number) {
    for (size_t i = 0; i < number; i++) {
        Region other = *regions->items[i];
        other.write = regions->items[number]->write;
        if (region_equal(&other, regions->items[number])) return true;
    }
    return false;
}

static void dump_regions(const RegionVec *regions, Text *out) {
    static const char *const words[] = {"reads ", "overwrites ", "writes "};
    const char *between = "";
    for (int way = 0; way < 3; way++) {
        const char *separator = words[way];
        for (size_t i = 0; i < regions->count; i++) {
            const Region *region = regions->items[i];
            if ((!region->write ? 0 : region->overwritten ? 1 : 2) != way) continue;
            text_printf(out, "%s%s", between, separator);
            region_print(region, region->var->name, out);
            separator = ", ";
            between = "";
        }
        if (separator != words[way]) between = "; ";
    }
}

static void dump_after(Arena *arena, const TaskPlan *task, const Transfer *transfer, Text *out) {
    for (size_t i = 0; i < transfer->after.count; i++) {
        const PlanStep *step = transfer->after.items[i];
        text_printf(out, "%s%s", i == 0 ? ", after " : " and ", step == NULL ? "the start" : move_step_name(arena, task, step));
    }
    text_printf(out, ", before %s", move_step_name(arena, task, transfer->before));
}

void move_print(Arena *arena, const Transfer *transfer, Text *out) {
    region_print(transfer->region, transfer->var->name, out);
    text_printf(out, " from %s to %s", place_text(arena, transfer->from), place_text(arena, transfer->to));
}

static const char *const transfer_words[] = {
    [TRANSFER_FILE] = "FILE", [TRANSFER_FILL] = "FILL", [TRANSFER_HAND_BACK] = "HAND BACK", [TRANSFER_HALO] = "HALO", [TRANSFER_REPLICATE] = "REPLICATE",
    [TRANSFER_REPARTITION] = "REPARTITION", [TRANSFER_GATHER] = "GATHER", [TRANSFER_SCATTER] = "SCATTER", [TRANSFER_SCALAR] = "SCALAR", [TRANSFER_REDUCE] = "REDUCE"};

static void dump_transfer(Arena *arena, const TaskPlan *task, const Transfer *transfer, const char *sizes, Text *out) {
    text_printf(out, "    %s: ", transfer_words[transfer->kind]);
    if (transfer->kind == TRANSFER_HALO) text_printf(out, "padding of %s", transfer->var->name);
    else region_print(transfer->region, transfer->var->name, out);
    if (transfer->kind == TRANSFER_REDUCE) {
        text_printf(out, " from the LPUs of Space %s to Space %s, at the reduction\n", transfer->partials->name, transfer->region->lps->name);
        return;
    }
    if (transfer->kind == TRANSFER_HALO) text_printf(out, " between neighbours in Space %s", transfer->region->lps->name);
    else text_printf(out, " from %s to %s", place_text(arena, transfer->from), place_text(arena, transfer->to));
    if (transfer->step != NULL) text_printf(out, ", at %s", move_step_name(arena, task, transfer->step));
    else dump_after(arena, task, transfer, out);
    plan_print_volume(transfer, sizes, out);
    text_append(out, "\n");
}

static void dump_touched(const TaskPlan *task, const PlanStepVec *steps, Text *out) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        if (step->regions.count > 0) {
            text_printf(out, "    %s: ", task->call_sites.items[step->call_id]);
            dump_regions(&step->regions, out);
            text_append(out, "\n");
        }
        dump_touched(task, &step->body, out);
    }
}

/* "stage exchange in Space A", with its line where it is one. */
static const char *side_text(Arena *arena, const TaskPlan *task, const PlanStep *step, const char *what) {
    return step->kind == PLAN_STAGE ? task->call_sites.items[step->call_id] : arena_printf(arena, "%s in Space %s", what, step->lps->name);
}

static void dump_side(const Dependence *dependence, const RegionVec *regions, Text *out) {
    const char *separator = "";
    if (regions->count == 0) text_append(out, dependence->var->name);
    for (size_t i = 0; i < regions->count; i++) {
        text_append(out, separator);
        region_print(regions->items[i], dependence->var->name, out);
        separator = ", ";
    }
}

static void dump_dependence(Arena *arena, const TaskPlan *task, const Dependence *dependence, Text *out) {
    text_printf(out, "    %s %s ", side_text(arena, task, dependence->second, dependence->after), dependence->kind == DEPENDENCE_FLOW ? "reads" : "writes");
    dump_side(dependence, &dependence->second_regions, out);
    text_printf(out, " after %s has %s ", side_text(arena, task, dependence->first, dependence->before), dependence->kind == DEPENDENCE_ANTI ? "read" : "written");
    dump_side(dependence, &dependence->first_regions, out);
    if (dependence->label == SERVED_BY_NOTHING) text_append(out, ": one thread runs both");
    if (dependence->label == SERVED_BY_WAIT) text_printf(out, ": a wait in Space %s", dependence->group->name);
    const char *last = NULL;
    for (size_t i = 0; i < dependence->transfers.count; i++) {
        const char *word = transfer_words[dependence->transfers.items[i]->kind];
        if (word != last) text_printf(out, "%s%s", i == 0 ? ": " : ", ", word);
        last = word;
    }
    text_append(out, "\n");
}

static void dump_inspection(Arena *arena, const TaskPlan *task, const Inspection *inspection, const char *found, const char *again, Text *out) {
    text_printf(out, "    %s, for %s: the elements that ", inspection->holding->var->name, place_text(arena, inspection->holding));
    for (size_t s = 0; s < inspection->slices.count; s++)
        text_printf(out, "%s%s", s == 0 ? "" : " and ", move_step_name(arena, task, inspection->slices.items[s]->step));
    text_printf(out, inspection->slices.count == 1 ? " reads, %s" : " read, %s", found);
    for (size_t a = 0; a < inspection->inputs.count; a++) text_printf(out, "%s%s", a == 0 ? again : " or ", inspection->inputs.items[a]->name);
}

/* Which calls' elements move or are read from files, of those that no formula tells, and what they follow from. */
static void dump_inspected(Arena *arena, const TaskPlan *task, Text *out) {
    int said = 0;
    for (int a = 0; a < task->array_count; a++) {
        if (task->arrays[a].reads == NULL) continue;
        if (said++ == 0) text_append(out, "  inspected:\n");
        dump_inspection(arena, task, task->arrays[a].reads, "found when a file is read", ", which follow from ", out);
        text_append(out, "\n");
    }
    for (size_t i = 0; i < task->transfers.count; i++) {
        const Inspection *inspection = task->transfers.items[i]->inspection;
        bool known = inspection == NULL;
        for (size_t j = 0; j < i && !known; j++) known = task->transfers.items[j]->inspection == inspection;
        if (known) continue;
        if (said++ == 0) text_append(out, "  inspected:\n");
        dump_inspection(arena, task, inspection, "found once", " and again when ", out);
        text_append(out, inspection->inputs.count == 0 ? "\n" : " has changed\n");
    }
}

/* Dimensions whose indices lie side by side. */
static void dump_gaps(const TaskPlan *task, const Holding *holding, Text *out) {
    int array = plan_array_index(task, holding->var), count = 0;
    for (int d = 0; array >= 0 && holding->kind == HELD_PARTS && d < holding->var->type->rank; d++)
        if (task->arrays[array].gaps[d]) text_printf(out, "%s%d", count++ == 0 ? ", without gaps in dimension " : " and ", d + 1);
    if (array >= 0 && holding->kind == HELD_STAGED && task->arrays[array].slots) text_append(out, ", anew each time");
}

void plan_dump_moves(const TaskPlan *task, const char *sizes, Text *out) {
    Arena *arena = arena_new();
    text_append(out, "  touched:\n");
    dump_touched(task, &task->flow, out);
    if (task->dependences.count > 0) text_append(out, "  depends:\n");
    for (size_t i = 0; i < task->dependences.count; i++) dump_dependence(arena, task, task->dependences.items[i], out);
    if (task->holdings.count > 0) text_append(out, "  held:\n");
    for (size_t i = 0; i < task->holdings.count; i++) {
        const Holding *holding = task->holdings.items[i];
        text_printf(out, "    %s: %s", holding->var->name, held_text(arena, holding));
        const char *separator = ": ";
        bool parts = holding->kind == HELD_TOUCHED || holding->kind == HELD_STAGED || (holding->kind == HELD_EVERYWHERE && var_is_array(holding->var));
        for (size_t r = 0; parts && r < holding->regions.count; r++) {
            if (has_equal_before(&holding->regions, r)) continue;
            text_append(out, separator);
            region_print(holding->regions.items[r], holding->var->name, out);
            separator = ", ";
        }
        dump_gaps(task, holding, out);
        if (var_is_array(holding->var) && plan_array(task, holding->var)->scratch) text_append(out, "; stages read there what they have written themselves, and nothing moves");
        text_append(out, "\n");
    }
    if (task->transfers.count > 0) text_append(out, "  moves:\n");
    for (size_t i = 0; i < task->transfers.count; i++) dump_transfer(arena, task, task->transfers.items[i], sizes, out);
    dump_inspected(arena, task, out);
    arena_free(arena);
}
