/* Constant tables that describe a task to the runtime: its LPS tree, arrays, exchanges and
 * reductions (Hp5TaskDesc in runtime/desc/desc.h). */
#include "compiler/emit/cuda/host_stages.h"
#include "compiler/emit/program/task_writer.h"
#include "compiler/mapping/mapping.h"
#include "compiler/plan/inspect.h"
#include "compiler/plan/moves.h"

static const char *function_name(PartFunction function) {
    switch (function) {
    case PART_BLOCK_SIZE: return "HP5_BLOCK_SIZE";
    case PART_BLOCK_COUNT: return "HP5_BLOCK_COUNT";
    case PART_STRIDE: return "HP5_STRIDE";
    case PART_BLOCK_STRIDE: return "HP5_BLOCK_STRIDE";
    default: return "HP5_REPLICATED";
    }
}

static const char *stored_name(Stored stored) {
    static const char *const names[] = {[STORED_IN_PLACE] = "HP5_IN_PLACE", [STORED_COPY] = "HP5_COPY", [STORED_HOME] = "HP5_HOME", [STORED_AT_HOME] = "HP5_AT_HOME"};
    return names[stored];
}

/* stride() and block_stride(s) leave the number of parts to the mapping: argument b. */
static void dim_entry(TaskWriter *tw, const DimPartition *dim) {
    Expr *a = dim->arguments[0], *b = dim->arguments[1];
    text_printf(tw->out, "    {%s, %d, {%s, %s}, %s, %s, %s, %s},\n", function_name(dim->function),
                dim->function == PART_REPLICATED ? -1 : dim->array_dimension, task_arg(tw, a),
                task_arg(tw, b), task_arg(tw, dim->padding_front),
                task_arg(tw, dim->padding_back), dim->order == ORDER_DESCENDS ? "true" : "false",
                task_quote(tw, dim->function == PART_REPLICATED ? "replicated"
                                                                    : task_source_text(tw, dim->span)));
}

static void space_tables(TaskWriter *tw, const LpsPlan *space) {
    const Lps *lps = space->lps;
    const char *name = task_space(tw, lps);
    for (size_t v = 0; v < lps->vars.count && lps->dims > 0; v++) {
        text_printf(tw->out, "static const Hp5DimDesc %s_%s_%s[] = {\n", tw->symbol, name,
                    lps->vars.items[v].var->name);
        for (int d = 0; d < lps->dims; d++) dim_entry(tw, &lps->vars.items[v].dims[d]);
        text_append(tw->out, "};\n");
    }
    bool any = false;
    for (size_t v = 0; v < lps->vars.count; v++) {
        const Var *var = lps->vars.items[v].var;
        if (!var_is_array(var)) continue;
        if (!any) text_printf(tw->out, "static const Hp5LpsVarDesc %s_%s_vars[] = {\n", tw->symbol, name);
        any = true;
        text_printf(
            tw->out, "    {%d, %s, %s},\n", plan_array_index(tw->task, var), stored_name(space->stored[v]),
            lps->dims > 0 ? arena_printf(tw->emit->arena, "%s_%s_%s", tw->symbol, name, var->name) : "NULL");
    }
    if (any) text_append(tw->out, "};\n");
}

static size_t array_var_count(const Lps *lps) {
    size_t count = 0;
    for (size_t v = 0; v < lps->vars.count; v++) count += var_is_array(lps->vars.items[v].var);
    return count;
}

static void spaces_table(TaskWriter *tw) {
    text_printf(tw->out, "static const Hp5LpsDesc %s_spaces[] = {\n", tw->symbol);
    for (size_t i = 0; i < tw->task->task->spaces.count; i++) {
        const Lps *lps = tw->task->task->spaces.items[i];
        const char *name = task_space(tw, lps);
        const char *size = tw->task->spaces[i].scalars.count == 0
                               ? "0"
                               : arena_printf(tw->emit->arena, "sizeof(struct %s_%s)", tw->symbol, name);
        const char *vars = array_var_count(lps) == 0
                               ? "NULL"
                               : arena_printf(tw->emit->arena, "%s_%s_vars", tw->symbol, name);
        text_printf(tw->out, "    {%s, %d, %d, %s, %s, %d, %s, %zu, %s},\n", task_quote(tw, lps->name),
                    lps->parent == NULL ? -1 : lps->parent->id, lps->dims,
                    lps->sub_partition ? "true" : "false", lps->ordered ? "true" : "false",
                    task_line(tw, lps->span), size, array_var_count(lps), vars);
    }
    text_append(tw->out, "};\n");
}

static void arrays_table(TaskWriter *tw) {
    if (tw->task->array_count == 0) return;
    text_printf(tw->out, "static const Hp5ArrayDesc %s_arrays[] = {\n", tw->symbol);
    for (int i = 0; i < tw->task->array_count; i++) {
        const ArrayPlan *array = &tw->task->arrays[i];
        text_printf(tw->out, "    {%s, %s, %d, %d, %s, %s_SPACE_%s},\n", task_quote(tw, array->var->name),
                    emit_element(tw->emit, array->var->type->element), array->var->type->rank,
                    plan_versions(array), array->rotates ? "true" : "false", tw->symbol,
                    task_space(tw, array->home));
    }
    text_append(tw->out, "};\n");
}

static void exchanges_table(TaskWriter *tw) {
    if (tw->task->exchanges.count == 0) return;
    text_printf(tw->out, "static const Hp5ExchangeDesc %s_exchanges[] = {\n", tw->symbol);
    for (size_t i = 0; i < tw->task->exchanges.count; i++)
        text_printf(tw->out, "    {%s_SPACE_%s, %d}, /* %s */\n", tw->symbol,
                    task_space(tw, tw->task->exchanges.items[i].lps),
                    plan_array_index(tw->task, tw->task->exchanges.items[i].array->var),
                    tw->task->exchanges.items[i].array->var->name);
    text_append(tw->out, "};\n");
}

/* What the tree's end is to the target. Checked builds look whether it fits. */
static const char *combined(const TaskWriter *tw, const ReducePlan *reduce, const char *operation) {
    Arena *arena = tw->emit->arena;
    const bool entry = reduce->op == REDUCE_MAX_ENTRY || reduce->op == REDUCE_MIN_ENTRY, extreme = reduce->op == REDUCE_MAX || reduce->op == REDUCE_MIN;
    const bool single = reduce->target->type->stored_single, checked = tw->emit->options.checked, sum = reduce->op == REDUCE_SUM;
    const char *place = arena_printf(arena, "%s, %d", task_quote(tw, tw->emit->source_name), task_line(tw, reduce->reduced));
    const char *text = arena_printf(arena, "hp5_tree_%s_finish(&tree)%s", operation, entry ? ".index" : "");
    if (checked && reduce->value_type->kind == TYPE_INTEGER && (sum || reduce->op == REDUCE_PRODUCT))
        text = arena_printf(arena, "hp5_checked_%s(%s, %s, %s)", sum ? "sum" : "product", text, task_quote(tw, reduce->target->name), place);
    if (single && extreme) return arena_printf(arena, "hp5_single_extreme(%s)", text);
    return single && checked ? arena_printf(arena, "hp5_checked_single(%s, %s)", text, place) : text;
}

/* The function that combines the partial results of one site in LPU order. On cards the crew has built the tree (runtime/card/joining.h). */
static void combine_function(TaskWriter *tw, size_t site) {
    const ReducePlan *reduce = &tw->task->reductions.items[site];
    const char *operation = emit_reduce_name(tw->emit, reduce->op, reduce->value_type);
    Formal formal = {.kind = FORMAL_PARTIAL, .op = reduce->op, .value_type = reduce->value_type};
    const char *type = emit_partial_type(tw->emit, &formal), *space = task_space(tw, reduce->to);
    if (tw->on_card)
        text_printf(tw->out, "%s void %s_combine_%zu(const Hp5Tree_%s &tree, void *scalars) {\n", tw->emit->backend->own, tw->symbol, site, operation);
    else
        text_printf(tw->out,
                    "%s void %s_combine_%zu(const void *partials, const unsigned char *present, int64_t "
                    "count, void *scalars) {\n    const %s *partial = partials;\n",
                    tw->emit->backend->own, tw->symbol, site, type);
    text_printf(tw->out, "    struct %s_%s *target = %sscalars;\n", tw->symbol, space,
                task_cast(tw, arena_printf(tw->emit->arena, "%s_%s", tw->symbol, space)));
    if (!tw->on_card)
        text_printf(tw->out,
                    "    Hp5Tree_%s tree;\n    tree.count = 0;\n"
                    "    for (int64_t i = 0; i < count; i++)\n        if (present[i]) hp5_tree_%s_add(&tree, "
                    "partial[i]);\n",
                    operation, operation);
    text_printf(tw->out, "    %starget->%s = (%s)%s;\n}\n", tw->on_card ? "" : "if (tree.count > 0) ", emit_symbol(tw->emit, reduce->target),
                emit_storage_type(tw->emit, reduce->target->type), combined(tw, reduce, operation));
}

static bool has_processes(const TaskWriter *tw) { return tw->task->mapping != NULL && tw->task->mapping->segments > 1; }

/* Two partial results of the site in one: processes send what theirs come to. */
static const char *join_function(TaskWriter *tw, size_t site) {
    const ReducePlan *reduce = &tw->task->reductions.items[site];
    Formal formal = {.kind = FORMAL_PARTIAL, .op = reduce->op, .value_type = reduce->value_type};
    const char *type = emit_partial_type(tw->emit, &formal), *operation = emit_reduce_name(tw->emit, reduce->op, reduce->value_type);
    if (!has_processes(tw)) return ", NULL";
    text_printf(tw->out, "static void %s_join_%zu(const void *left, const void *right, void *into) {\n    *(%s *)into = hp5_%s(*(const %s *)left, *(const %s *)right);\n}\n", tw->symbol, site, type, operation,
                type, type);
    return arena_printf(tw->emit->arena, ", %s_join_%zu", tw->symbol, site);
}

void task_combine_functions(TaskWriter *tw) {
    for (size_t i = 0; i < tw->task->reductions.count; i++) combine_function(tw, i);
}

static void reductions_table(TaskWriter *tw) {
    if (tw->task->reductions.count == 0) return;
    task_combine_functions(tw);
    const char **joins = ARENA_ARRAY(tw->emit->arena, const char *, tw->task->reductions.count);
    for (size_t i = 0; i < tw->task->reductions.count; i++) joins[i] = join_function(tw, i);
    text_printf(tw->out, "static const Hp5ReduceDesc %s_reductions[] = {\n", tw->symbol);
    for (size_t i = 0; i < tw->task->reductions.count; i++) {
        const ReducePlan *reduce = &tw->task->reductions.items[i];
        Formal formal = {.kind = FORMAL_PARTIAL, .op = reduce->op, .value_type = reduce->value_type};
        text_printf(tw->out, "    {%s_SPACE_%s, %s_SPACE_%s, sizeof(%s), %s_combine_%zu, %s, %d%s},\n",
                    tw->symbol, task_space(tw, reduce->from), tw->symbol, task_space(tw, reduce->to),
                    emit_partial_type(tw->emit, &formal), tw->symbol, i, task_quote(tw, reduce->target->name), task_line(tw, reduce->span), joins[i]);
    }
    text_append(tw->out, "};\n");
}

static void names_table(TaskWriter *tw, const char *suffix, const char *const *names, size_t count) {
    if (count == 0) return;
    text_printf(tw->out, "static const char *const %s_%s[] = {", tw->symbol, suffix);
    for (size_t i = 0; i < count; i++)
        text_printf(tw->out, "%s%s", i > 0 ? ", " : "", task_quote(tw, names[i]));
    text_append(tw->out, "};\n");
}

/* What the model says of a PPU of each level, for predictions. */
static void figures_of(TaskWriter *tw, const MachineAttributes *a) {
    const struct Figure {
        const char *name;
        double value;
    } figures[] = {{"memory", a->memory}, {"own_bandwidth", a->memory_bandwidth}, {"operations", a->operations},
                   {"clock", a->clock}, {"exchange", a->exchange}, {"bandwidth", a->move_bandwidth},
                   {"latency", a->move_latency}, {"width", a->move_width}, {"at_once", a->move_at_once}, {"in_flight", a->move_in_flight}, {"scalar", a->scalar}, {"dependent", a->dependent},
                   {"divide", a->divide}, {"function", a->function}, {"start", a->start}};
    int printed = 0;
    for (size_t i = 0; i < sizeof figures / sizeof figures[0]; i++)
        if (machine_is_stated(figures[i].value))
            text_printf(tw->out, "%s.%s = %.10g", printed++ > 0 ? ", " : "    {", figures[i].name, figures[i].value);
    text_append(tw->out, printed > 0 ? "},\n" : "    {.memory = 0},\n"); /* gcc warns of {0} in an array */
}

/* "Task_machine_figures", or "NULL". */
static const char *figures_table(TaskWriter *tw) {
    const ResolvedMapping *mapping = tw->task->mapping;
    if (mapping == NULL || mapping->model->spaces.count != tw->task->levels.count) return "NULL";
    text_printf(tw->out, "static const Hp5Figures %s_machine_figures[] = {\n", tw->symbol);
    for (size_t l = 0; l < mapping->model->spaces.count; l++) figures_of(tw, &mapping->model->spaces.items[l].attributes);
    text_append(tw->out, "};\n");
    return arena_printf(tw->emit->arena, "%s_machine_figures", tw->symbol);
}

static void levels_table(TaskWriter *tw) {
    size_t count = tw->task->task->spaces.count;
    text_printf(tw->out, "static const int %s_level_counts[] = {", tw->symbol);
    for (size_t i = 0; i < count; i++)
        text_printf(tw->out, "%s%d", i > 0 ? ", " : "", tw->task->spaces[i].ppus);
    text_append(tw->out, "};\n");
    const char **names = ARENA_ARRAY(tw->emit->arena, const char *, count);
    for (size_t i = 0; i < count; i++) names[i] = tw->task->spaces[i].level_name;
    names_table(tw, "level_names", names, count);
    text_printf(tw->out, "static const Hp5MachineLevel %s_machine_levels[] = {", tw->symbol);
    for (size_t l = 0; l < tw->task->levels.count; l++) {
        const MachineLevel *level = &tw->task->levels.items[l];
        text_printf(tw->out, "%s{%s, %lld, %s, %s}", l > 0 ? ", " : "", task_quote(tw, level->name),
                    (long long)level->count, level->segment ? "true" : "false", level->unit ? "true" : "false");
    }
    text_printf(tw->out, "};\nstatic const int %s_machine_level[] = {", tw->symbol);
    for (size_t i = 0; i < count; i++)
        text_printf(tw->out, "%s%d", i > 0 ? ", " : "", tw->task->spaces[i].level);
    text_printf(tw->out, "};\nstatic const int %s_level_first[] = {", tw->symbol);
    for (size_t i = 0; i < count; i++) text_printf(tw->out, "%s%d", i > 0 ? ", " : "", tw->task->spaces[i].first);
    text_append(tw->out, "};\n");
}

static const char *table_or_null(TaskWriter *tw, const char *suffix, size_t count) {
    return count == 0 ? "NULL" : arena_printf(tw->emit->arena, "%s_%s", tw->symbol, suffix);
}

static void written_table(TaskWriter *tw) {
    if (tw->task->array_count == 0) return;
    text_printf(tw->out, "static const bool %s_written[] = {", tw->symbol);
    for (int i = 0; i < tw->task->array_count; i++)
        text_printf(tw->out, "%s%s", i > 0 ? ", " : "", tw->task->arrays[i].written ? "true" : "false");
    text_append(tw->out, "};\n");
}

/* The Transfer from the environment to such a place, if there is one. */
static bool is_filled(const TaskPlan *task, const Holding *holding) {
    bool filled = holding->kind == HELD_PARTS || holding->kind == HELD_COPY;
    for (size_t t = 0; t < task->transfers.count && !filled; t++) {
        const Transfer *transfer = task->transfers.items[t];
        filled = transfer->kind == TRANSFER_FILE && transfer->from->kind == HELD_ITEM && transfer->to == holding;
    }
    return filled;
}

/* In the array's own store, not in that of a copy above the processes, which has room for all. */
static bool is_in_array(const TaskPlan *task, const Holding *holding) {
    const Lps *store = holding->kind == HELD_COPY ? plan_store_level(task, holding->var, holding->lps->parent) : holding->store;
    return store == plan_array(task, holding->var)->home;
}

/* Some place that the environment fills has older elements in the end than another one: padding, too, that no exchange has made new. */
static bool is_old(const TaskPlan *task, const Var *var) {
    bool old = hold_divides_home(task, plan_array(task, var));
    for (size_t h = 0; h < task->holdings.count; h++) {
        const Holding *holding = task->holdings.items[h];
        old = old || (holding->var == var && holding->kind != HELD_ITEM && holding->old && is_filled(task, holding));
    }
    return old;
}

/* What a process has room for, of an array that its LPUs work on in place. */
static size_t held_rooms(TaskWriter *tw, const Var *var) {
    size_t count = 0;
    for (size_t h = 0; h < tw->task->holdings.count; h++) {
        const Holding *holding = tw->task->holdings.items[h];
        if (holding->var != var || holding->kind == HELD_ITEM || holding->kind == HELD_HOME || !is_in_array(tw->task, holding)) continue;
        if (count++ == 0) text_printf(tw->out, "static const Hp5RoomDesc %s_held_%s[] = {\n", tw->symbol, var->name);
        text_printf(tw->out, "    {%s_SPACE_%s, %s, %s},\n", tw->symbol, task_space(tw, holding->lps),
                    holding->kind == HELD_STAGED ? "true" : "false", is_filled(tw->task, holding) ? "true" : "false");
    }
    if (count > 0) text_append(tw->out, "};\n");
    return count;
}

/* What an inspector says before the array's elements are read from a file. */
static const char *reads_fields(TaskWriter *tw, const ArrayPlan *array) {
    if (array->reads == NULL) return "";
    const VarVec *inputs = &array->reads->inputs;
    Text list = {0};
    for (size_t i = 0; i < inputs->count; i++) text_printf(&list, "%s%d", i > 0 ? ", " : "", plan_array_index(tw->task, inputs->items[i]));
    const char *fields = arena_printf(tw->emit->arena, ", .reads = %s, .looks_at_count = %zu, .looks_at = (const int[]){%s}", task_reads(tw, array), inputs->count,
                                      inputs->count > 0 ? list.data : "-1");
    text_free(&list);
    return fields;
}

/* Returns the fields of the descriptor, "" for one address space. */
static const char *held_table(TaskWriter *tw) {
    const TaskPlan *task = tw->task;
    if (task->mapping == NULL || task->mapping->segments <= 1) return "";
    const char *segments = arena_printf(tw->emit->arena, ".segments = %lld, ", (long long)task->mapping->segments);
    size_t *rooms = ARENA_ARRAY(tw->emit->arena, size_t, task->array_count + 1);
    if (task->array_count == 0) return segments;
    for (int i = 0; i < task->array_count; i++) rooms[i] = held_rooms(tw, task->arrays[i].var);
    text_printf(tw->out, "static const Hp5HeldDesc %s_held[] = {\n", tw->symbol);
    for (int i = 0; i < task->array_count; i++) {
        const Var *var = task->arrays[i].var;
        const Lps *owner = hold_owner(task, var);
        unsigned gaps = 0;
        for (int d = 0; d < var->type->rank; d++) gaps |= (unsigned)task->arrays[i].gaps[d] << d;
        text_printf(tw->out, "    {%s, %s, %zu, %s, %u, %s%s}, /* %s */\n",
                    owner == NULL ? "-1" : arena_printf(tw->emit->arena, "%s_SPACE_%s", tw->symbol, task_space(tw, owner)),
                    is_old(task, var) ? "true" : "false", rooms[i],
                    rooms[i] > 0 ? arena_printf(tw->emit->arena, "%s_held_%s", tw->symbol, var->name) : "NULL", gaps,
                    task->arrays[i].slots ? "true" : "false", reads_fields(tw, &task->arrays[i]), var->name);
    }
    text_append(tw->out, "};\n");
    return arena_printf(tw->emit->arena, "%s.held = %s_held, ", segments, tw->symbol);
}

static const char *guarded_fields(TaskWriter *tw, const Gather *gather) {
    const char *fields = "";
    if (gather->least_is_known) fields = arena_printf(tw->emit->arena, ", .bounded = true, .from = %lld", (long long)gather->least);
    if (gather->unlike_is_known) fields = arena_printf(tw->emit->arena, "%s, .spared = true, .unlike = %lld", fields, (long long)gather->unlike);
    return fields;
}

/* The same is asked of an earlier one. */
static bool is_looked_at(const StageUse *use, size_t number) {
    const Gather *gather = &use->gathers.items[number];
    for (size_t i = 0; i < number; i++) {
        const Gather *other = &use->gathers.items[i];
        const bool known = other->least_is_known == gather->least_is_known && other->unlike_is_known == gather->unlike_is_known;
        const bool alike = other->indices == gather->indices && other->array == gather->array && other->dimension == gather->dimension && other->offset == gather->offset;
        if (known && alike && other->sides == gather->sides && other->least == gather->least && other->unlike == gather->unlike) return true;
    }
    return false;
}

/* Returns the fields of the descriptor, "" where no stage takes indices from arrays. */
static const char *gathers_table(TaskWriter *tw) {
    size_t count = 0;
    for (size_t u = 0; u < tw->task->uses.count; u++) {
        const StageUse *use = tw->task->uses.items[u];
        for (size_t i = 0; i < use->gathers.count && !tw->emit->options.checked; i++) {
            const Gather *gather = &use->gathers.items[i];
            if (is_looked_at(use, i)) continue;
            if (count == 0) text_printf(tw->out, "static const Hp5GatherDesc %s_gathers[] = {\n", tw->symbol);
            text_printf(tw->out, "    {.group = %d, .indices = %d, .array = %d, .dimension = %d%s%s, .offset = %lld%s},\n", use->id, gather->indices,
                        gather->array, gather->dimension, gather->sides & GATHER_LEAST ? ", .least = true" : "",
                        gather->sides & GATHER_MOST ? ", .most = true" : "", (long long)gather->offset, guarded_fields(tw, gather));
            count++;
        }
    }
    if (count == 0) return "";
    text_append(tw->out, "};\n");
    return arena_printf(tw->emit->arena, ".gather_groups = %zu, .gather_count = %zu, .gathers = %s_gathers, ", tw->task->uses.count, count,
                        tw->symbol);
}

void task_tables(TaskWriter *tw) {
    const TaskPlan *task = tw->task;
    for (size_t i = 0; i < task->task->spaces.count; i++) space_tables(tw, &task->spaces[i]);
    spaces_table(tw);
    arrays_table(tw);
    exchanges_table(tw);
    reductions_table(tw);
    levels_table(tw);
    const char **args = ARENA_ARRAY(tw->emit->arena, const char *, task->dim_args.count + 1);
    for (size_t i = 0; i < task->dim_args.count; i++)
        args[i] = task_source_text(tw, task->dim_args.items[i]->span);
    names_table(tw, "arg_names", args, task->dim_args.count);
    written_table(tw);
    const char *figures = figures_table(tw);
    const char *places = task_places_table(tw), *place_fields = task_place_fields(tw);
    const char *gathers = gathers_table(tw), *transfers = task_transfers_table(tw), *held = held_table(tw), *products = task_products_table(tw);
    const char *texts = task_texts_table(tw); /* of tasks of one process, too: others may be told of them */
    names_table(tw, "call_sites", task->call_sites.items, task->call_sites.count);
    const char *on_host = cuda_has_host_stages(task) ? arena_printf(tw->emit->arena, ".on_host = %s_on_host, ", tw->symbol) : "";
    const char *card = backend_on_card(task) ? arena_printf(tw->emit->arena, ".card = &%s_card, %s", tw->symbol, on_host) : "";
    if (card[0] != '\0') text_printf(tw->out, "extern const struct Hp5CardTask %s_card; /* in the text for cards */\n", tw->symbol);
    text_printf(tw->out,
                "static const Hp5TaskDesc %s_task = {\n    .name = %s, .source = %s,\n    .lps_count = %zu, "
                ".lpses = %s_spaces,\n"
                "    .array_count = %d, .arrays = %s,\n    .arg_count = %zu, .arg_names = %s,\n"
                "    .exchange_count = %zu, .exchanges = %s,\n    .reduce_count = %zu, .reductions = %s,\n"
                "    .level_counts = %s_level_counts, .level_names = %s_level_names,\n    .ppu_first = %lld, "
                ".ppu_end = %lld, .written = %s,\n"
                "    .stage_count = %zu, .stage_names = %s,\n"
                "    .machine_level_count = %zu, .machine_levels = %s_machine_levels, .machine_figures = %s, .machine_level = "
                "%s_machine_level,\n    .level_first = %s_level_first, %s%s%s%s%s%s%s.places = %s,\n};\n\n",
                tw->symbol, task_quote(tw, task->task->name), task_quote(tw, tw->emit->source_name),
                task->task->spaces.count, tw->symbol, task->array_count,
                table_or_null(tw, "arrays", (size_t)task->array_count), task->dim_args.count,
                table_or_null(tw, "arg_names", task->dim_args.count), task->exchanges.count,
                table_or_null(tw, "exchanges", task->exchanges.count), task->reductions.count,
                table_or_null(tw, "reductions", task->reductions.count), tw->symbol, tw->symbol,
                (long long)task->ppu_first, (long long)task->ppu_end,
                table_or_null(tw, "written", (size_t)task->array_count), task->call_sites.count,
                table_or_null(tw, "call_sites", task->call_sites.count), task->levels.count, tw->symbol,
                figures, tw->symbol, tw->symbol, card, held, texts, products, gathers, transfers, place_fields, places);
}
