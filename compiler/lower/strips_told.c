/* What runs in strips, for those who ask and in words. */
#include "compiler/lower/lower.h"

const Strips *lower_strips_of(const LoweredTask *task, const PlanStep *step) {
    for (size_t i = 0; i < task->strips.count; i++)
        for (size_t s = 0; s < task->strips.items[i]->steps.count; s++)
            if (task->strips.items[i]->steps.items[s] == step) return task->strips.items[i];
    return NULL;
}

bool lower_is_passed(const LoweredTask *task, const Var *array) {
    for (size_t i = 0; i < task->strips.count; i++)
        for (size_t a = 0; a < task->strips.items[i]->passed.count; a++)
            if (task->strips.items[i]->passed.items[a] == array) return true;
    return false;
}

static int dimension_of(const Strips *strips, const Var *array) {
    for (size_t i = 0; i < strips->bounded.count; i++)
        if (strips->bounded.items[i].array == array) return strips->bounded.items[i].dimension;
    return 0;
}

/* "t in dimension 1" */
static void tell_passed(const Strips *strips, size_t number, Text *out) {
    const Var *array = strips->passed.items[number];
    const char *before = number == 0 ? "" : number + 1 == strips->passed.count ? " and " : ", ";
    text_printf(out, "%s%s in dimension %d", before, array->name, dimension_of(strips, array) + 1);
}

void lower_tell_strips(const Strips *strips, Text *out) {
    for (size_t s = 0; s < strips->steps.count; s++)
        text_printf(out, "%s%s", s == 0 ? "" : s + 1 == strips->steps.count ? " and " : ", ", strips->steps.items[s]->use->stage->body.name);
    text_append(out, " run in strips of the LPU, one strip after the other, and ");
    if (strips->passed.count == 0) {
        text_append(out, "come to what they touch while it is in the cache");
        return;
    }
    text_append(out, "hand on ");
    for (size_t i = 0; i < strips->passed.count; i++) tell_passed(strips, i, out);
    text_printf(out, ", which %s no memory", strips->passed.count > 1 ? "have" : "has");
}

void lower_remarks(const LoweredProgram *program, Diags *diags) {
    for (size_t t = 0; t < program->tasks.count; t++)
        for (size_t i = 0; i < program->tasks.items[t]->strips.count; i++) {
            const Strips *strips = program->tasks.items[t]->strips.items[i];
            Text text = {0};
            lower_tell_strips(strips, &text);
            diag_remark(diags, R_LOWER_STRIPS, strips->steps.items[0]->source->span, "%s", text.data);
            text_free(&text);
        }
}
