/* Texts in values: where they are, for what must follow a value to another process. */
#include "compiler/emit/program/task_writer.h"

void task_each_text(TaskWriter *tw, const Type *type, const char *path, void (*visit)(TaskWriter *tw, const char *path, void *data), void *data) {
    if (type->kind == TYPE_STRING) visit(tw, path, data);
    for (size_t i = 0; type->kind == TYPE_STRUCT && i < type->fields.count; i++) {
        Var name = {.name = type->fields.items[i].name};
        task_each_text(tw, type->fields.items[i].type, arena_printf(tw->emit->arena, "%s.%s", path, emit_symbol(tw->emit, &name)), visit, data);
    }
}

typedef struct Table {
    const char *space;
    int count;
} Table;

static void text_entry(TaskWriter *tw, const char *path, void *data) {
    Table *table = data;
    if (table->count++ == 0) text_printf(tw->out, "static const Hp5TextDesc %s_texts[] = {\n", tw->symbol);
    text_printf(tw->out, "    {%s_SPACE_%s, offsetof(struct %s_%s, %s)},\n", tw->symbol, table->space, tw->symbol, table->space, path);
}

static void value_entry(TaskWriter *tw, const char *path, void *data) {
    Table *table = data;
    if (table->count++ == 0) text_printf(tw->out, "static const Hp5TextDesc %s_texts[] = {\n", tw->symbol);
    text_printf(tw->out, "    {-1, offsetof(struct %s, %s)},\n", tw->symbol, path);
}

/* A card has the task's values, too, with texts of its own. */
static void value_entries(TaskWriter *tw, Table *table) {
    const Task *task = tw->task->task;
    for (size_t i = 0; i < task->globals.count; i++) {
        const Var *var = task->globals.items[i];
        if (!var_is_array(var) && (!task_is_counter(tw, var) || var->set_by_initialize)) task_each_text(tw, var->type, emit_symbol(tw->emit, var), value_entry, table);
    }
}

const char *task_texts_table(TaskWriter *tw) {
    Table table = {0};
    if (backend_on_card(tw->task)) value_entries(tw, &table);
    for (size_t s = 0; s < tw->task->task->spaces.count; s++) {
        const LpsPlan *space = &tw->task->spaces[s];
        table.space = task_space(tw, space->lps);
        for (size_t v = 0; v < space->scalars.count; v++) {
            const Var *var = space->scalars.items[v];
            task_each_text(tw, var->type, emit_symbol(tw->emit, var), text_entry, &table);
            for (int lag = 1; lag < var->versions; lag++)
                task_each_text(tw, var->type, arena_printf(tw->emit->arena, "%s_before[%d]", emit_symbol(tw->emit, var), lag - 1), text_entry, &table);
        }
    }
    if (table.count == 0) return "";
    text_append(tw->out, "};\n");
    return arena_printf(tw->emit->arena, ".text_count = %d, .texts = %s_texts, ", table.count, tw->symbol);
}
