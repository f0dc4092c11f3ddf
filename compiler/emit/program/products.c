/* The table of products of matrices (Hp5ProductDesc in runtime/desc/desc.h), where processes take part in them. */
#include "compiler/emit/program/task_writer.h"
#include "compiler/mapping/mapping.h"

/* The LPUs whose parts it multiplies: sub-parts are all multiplied in turn. */
static const Lps *space_of(const StageUse *use) {
    const Lps *lps = use->lps;
    while (lps->sub_partition) lps = lps->parent;
    return lps;
}

static const Var *array_of(const StageUse *use, const Operand *operand) {
    const Formal *formal = lower_formal(use, operand->value->var);
    return formal == NULL ? NULL : formal->actual;
}

static bool has_entry(TaskWriter *tw, const StageUse *use, const Nest *nest, bool first) {
    if (!lower_is_whole_product(nest)) return false;
    const Product *p = nest->product;
    const Var *sum = array_of(use, &p->sum), *left = array_of(use, &p->left), *right = array_of(use, &p->right);
    if (sum == NULL || left == NULL || right == NULL || sum == left || sum == right || left == right) return false;
    const Lps *space = space_of(use);
    if (first) text_printf(tw->out, "static const Hp5ProductDesc %s_products[] = {\n", tw->symbol);
    text_printf(tw->out, "    {.what = \"%s from %s and %s in Space %s\", .line = %d, .lps = %s_SPACE_%s, .arrays = {%d, %d, %d}, .row = %d, .column = %d, .depth = %d},\n",
                sum->name, left->name, right->name, space->name, task_line(tw, nest->stmt->span), tw->symbol, task_space(tw, space),
                plan_array_index(tw->task, sum), plan_array_index(tw->task, left), plan_array_index(tw->task, right), p->sum.row, p->sum.column, p->left.depth);
    return true;
}

const char *task_products_table(TaskWriter *tw) {
    const LoweredTask *lowered = tw->emit->lowered->tasks.items[tw->task->task->id];
    size_t count = 0;
    if (tw->task->mapping == NULL || tw->task->mapping->segments <= 1) return "";
    for (size_t i = 0; i < lowered->stages.count; i++) {
        const LoweredBody *code = &lowered->stages.items[i]->code;
        for (size_t n = 0; n < code->nests.count; n++) count += has_entry(tw, code->use, code->nests.items[n], count == 0);
    }
    if (count == 0) return "";
    text_append(tw->out, "};\n");
    return arena_printf(tw->emit->arena, ".product_count = %zu, .products = %s_products, ", count, tw->symbol);
}
