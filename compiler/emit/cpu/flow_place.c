/* Expressions of the flow: what names mean where an LPU is visited. */
#include "compiler/emit/cpu/flow.h"

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

const char *flow_view(TaskWriter *tw, const Lps *lps, const Var *var) {
    const Lps *holder = lps_holder(lps, var);
    return arena_printf(tw->emit->arena, "&lpu_%s->views[%d]", task_space(tw, holder),
                        plan_view_slot(holder, var));
}

static const char *place_view(void *data, const Var *var) {
    FlowPlace *place = data;
    return arena_printf(place->tw->emit->arena, "(%s)", flow_view(place->tw, place->lps, var));
}

static const char *place_element(void *data, const Expr *element) {
    FlowPlace *place = data;
    TaskWriter *tw = place->tw;
    Text text = {0};
    const char *c_type = emit_storage_type(tw->emit, element->var->type->element);
    bool split = tw->task->arrays[plan_array_index(tw->task, element->var)].layout.split;
    if (split && tw->on_card) text_printf(&text, "hp5_place_value<%s>(", c_type);
    else text_printf(&text, "*(const %s *)hp5_place%s(", c_type, split ? "_whole" : "");
    text_printf(&text, "%s, %d, %s", flow_view(tw, place->lps, element->var), element->lag, tw->on_card ? "HP5_INDICES(" : "(const int64_t[]){");
    for (size_t i = 0; i < element->arguments.count; i++)
        text_printf(&text, "%s%s", i > 0 ? ", " : "", flow_expr(tw, place->lps, element->arguments.items[i]));
    text_printf(&text, "%s, %s, %s, %d", tw->on_card ? ")" : "}", task_quote(tw, element->var->name),
                task_quote(tw, tw->emit->source_name), task_line(tw, element->span));
    if (split && !tw->on_card) text_printf(&text, ", &(%s){0}", c_type);
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
                        flow_expr(tw, place->lps, expr->left), task_quote(tw, tw->emit->source_name),
                        task_line(tw, expr->span));
}

char *flow_expr(TaskWriter *tw, const Lps *lps, const Expr *expr) {
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
