/* Parts of LPUs in shared memory for the length of a visit (runtime/card/near.h). Of
 *
 *     Space B { Repeat for n in [1...partition.p] { Epoch { refine(plate) } } }
 *
 * where the padded parts of Space B's LPUs are the array, or copies that they keep, nobody else comes to such a part before the visit ends, and each round goes through all of it:
 *
 *     Hp5Near near_B(Hp5Crew{HP5_BLOCK_TIER});
 *     char *const plate_near = near_B.bring(&lpu_B->views[0], task->partition_p > 1, true);
 *     …
 *     near_B.take_back(&lpu_B->views[0], plate_near, true, true);
 *
 * Whether there is room is seen when the program runs. Not what the visit only reads where other Spaces work in the same parts: they may do so at the same time. Not where stages use shared memory for what they do themselves, or ask for the card's memory by that name; nor where a visit waits for
 * others. Of two versions only the newest is brought and taken back where nobody reads the older one before an Epoch has made a newer one: elements that an Epoch's stages leave alone are the
 * same in both, or the Epoch copies them (plan/rotate.c). */
#include <string.h>
#include "compiler/base/diag.h"
#include "compiler/emit/cpu/flow.h"
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"

enum { MOST_VERSIONS = 2 }; /* as HP5_NEAR_VERSIONS */

void cuda_note_block_memory(Writer *writer) {
    if (writer->use != NULL) vec_push(writer->emit->arena, &writer->emit->block_users, writer->use->id);
}

static bool uses_block_memory(const Emit *emit, const StageUse *use) {
    for (size_t i = 0; i < emit->block_users.count; i++)
        if (emit->block_users.items[i] == use->id) return true;
    return false;
}

static void note_foreign(void *data, const Stmt *stmt) { *(bool *)data |= stmt->kind == STMT_EXTERN; }

static bool has_foreign(const StageUse *use) {
    bool found = false;
    lower_walk_block(&(Walk){NULL, note_foreign, &found}, &use->stage->body.block);
    return found;
}

static const Formal *formal_of(const StageUse *use, const Var *array) {
    for (size_t f = 0; f < use->formals.count; f++)
        if (use->formals.items[f].kind == FORMAL_VIEW && use->formals.items[f].actual == array) return &use->formals.items[f];
    return NULL;
}

static bool writes(const StageUse *use, const Var *array) {
    for (size_t f = 0; f < use->formals.count; f++)
        if (use->formals.items[f].kind == FORMAL_VIEW && use->formals.items[f].actual == array && use->formals.items[f].written) return true;
    return false;
}

static bool looks_back(const StageUse *use, const Var *array) {
    for (size_t f = 0; f < use->formals.count; f++)
        if (use->formals.items[f].kind == FORMAL_VIEW && use->formals.items[f].actual == array && use->formals.items[f].max_lag > 0) return true;
    return false;
}

/* ---- The visit --------------------------------------------------------------------------------------------------------- */
/* Nothing in it is done together with others, and no stage wants shared memory for itself. */
static bool is_alone(const TaskWriter *tw, const Lps *lps, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        switch (step->kind) {
        case PLAN_STAGE:
            if (step->use->lps != lps || backend_on_host(tw->task, lps) || uses_block_memory(tw->emit, step->use) || has_foreign(step->use)) return false;
            break;
        case PLAN_EPOCH:
            if (step->lps != lps || step->shared || step->takes.count > 0) return false;
            break;
        case PLAN_SYNC:
            if (step->lps != lps) return false;
            break;
        case PLAN_REPEAT_FOR:
        case PLAN_REPEAT_WHILE:
        case PLAN_IF:
            if (!is_alone(tw, lps, &step->body)) return false;
            break;
        case PLAN_COUNT:
        case PLAN_ADVANCE_SCALAR: break;
        default: return false;
        }
    }
    return true;
}

static bool is_changed(const PlanStepVec *steps, const Var *array) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        if (step->kind == PLAN_STAGE && writes(step->use, array)) return true;
        if ((step->kind == PLAN_EPOCH && step->array->var == array) || is_changed(&step->body, array)) return true;
    }
    return false;
}

/* ---- Older versions ------------------------------------------------------------------------------------------------------ */
static void note_older(void *data, const Expr *expr) {
    const Var **array = data;
    if (expr->kind == EXPR_ELEMENT && expr->var == *array && expr->lag > 0) *array = NULL;
}

static bool asks_for_older(const PlanStep *step, const Var *array) {
    const Var *left = array;
    const Walk walk = {note_older, NULL, &left};
    if (step->source != NULL && (step->kind == PLAN_REPEAT_WHILE || step->kind == PLAN_IF || step->kind == PLAN_LOCKSTEP || step->kind == PLAN_AGREE || step->kind == PLAN_GUARD)) {
        if (step->source->condition != NULL) lower_walk_expr(&walk, step->source->condition);
        if (step->source->range != NULL) lower_walk_expr(&walk, step->source->range);
    }
    return left == NULL;
}

/* A step reads an older version with no Epoch of the array in front of it, in the same visit, or with a visit in between. */
static bool reads_older(const PlanStepVec *steps, const Var *array, bool advanced) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        const bool visit = step->kind == PLAN_LPUS || step->kind == PLAN_SUB_PARTS;
        if (step->kind == PLAN_STAGE && !advanced && looks_back(step->use, array)) return true;
        if (asks_for_older(step, array)) return true;
        if (step->kind == PLAN_EPOCH && step->array->var == array) advanced = true;
        if (reads_older(&step->body, array, advanced && !visit)) return true;
        if (visit) advanced = false;
    }
    return false;
}

bool cuda_reads_older(const TaskPlan *task, const Var *array) { return reads_older(&task->flow, array, false); }

/* ---- Whether it pays ----------------------------------------------------------------------------------------------------- */
static size_t count_stages(const PlanStepVec *steps, const Var *array) {
    size_t count = 0;
    for (size_t i = 0; i < steps->count; i++)
        count += (steps->items[i]->kind == PLAN_STAGE && formal_of(steps->items[i]->use, array) != NULL) + count_stages(&steps->items[i]->body, array);
    return count;
}

/* The loop in which the only stage that touches the array stands, and no other loop around that; NULL: there is none. */
static const PlanStep *only_loop(const PlanStepVec *steps, const Var *array) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        if (count_stages(&step->body, array) == 0) continue;
        if (step->kind == PLAN_IF) return only_loop(&step->body, array);
        return step;
    }
    return NULL;
}

typedef struct Known {
    TaskWriter *tw;
    bool holds;
} Known;

static void note_unknown(void *data, const Expr *expr) {
    Known *known = data;
    const bool value = expr->kind == EXPR_INTEGER || expr->kind == EXPR_UNARY || expr->kind == EXPR_BINARY;
    if (expr->kind == EXPR_VAR && strncmp(task_scalar(known->tw, expr->var, expr->lag), "task->", strlen("task->")) == 0) return;
    known->holds &= value;
}

/* The task's values alone say it, in C that is the host's as well. */
static bool is_known(TaskWriter *tw, const Expr *range, const char *text) {
    Known known = {tw, true};
    lower_walk_expr(&(Walk){note_unknown, NULL, &known}, range->left);
    lower_walk_expr(&(Walk){note_unknown, NULL, &known}, range->right);
    return known.holds && strstr(text, "hp5_") == NULL;
}

/* C text of whether the visit goes through the array several times, NULL if it never does; *known: before the task begins. */
static const char *pays_text(TaskWriter *tw, const PlanStep *visit, const Var *array, bool *known) {
    const PlanStep *loop = only_loop(&visit->body, array);
    *known = false;
    if (count_stages(&visit->body, array) > 1) return "true";
    if (loop == NULL) return NULL;
    const Expr *range = loop->kind == PLAN_REPEAT_FOR ? loop->source->range : NULL;
    const bool simple = range != NULL && range->kind == EXPR_RANGE && loop->source->step == NULL && only_loop(&loop->body, array) == NULL;
    if (!simple) return "true";
    const char *text = arena_printf(tw->emit->arena, "%s > %s", flow_expr(tw, loop->lps, range->right), flow_expr(tw, loop->lps, range->left));
    *known = is_known(tw, range, text);
    return text;
}

/* ---- The text ------------------------------------------------------------------------------------------------------------ */
static void note_for_launch(Emit *emit, NearArray near) {
    for (size_t i = 0; i < emit->near.count; i++) {
        NearArray *other = &emit->near.items[i];
        if (other->lps != near.lps || other->array != near.array) continue;
        if (other->pays == NULL || near.pays == NULL || strcmp(other->pays, near.pays) != 0) other->pays = NULL;
        return;
    }
    vec_push(emit->arena, &emit->near, near);
}

static void remark(Emit *emit, const Lps *lps, const Var *array) {
    const LpsVar *entry = lps_find_var(lps, array);
    if (entry != NULL)
        diag_remark(emit->diags, R_CARD_NEAR, entry->span, "parts of %s of Space %s's LPUs are in a block's shared memory during a visit, where there is room for them, and take part in all of its rounds there",
                    array->name, lps->name);
}

/* Each LPU has its own of it, which lies together. */
static bool is_of_the_lpu(const TaskPlan *task, const Lps *lps, size_t slot) {
    const Stored stored = task->spaces[lps->id].stored[slot];
    return stored == STORED_HOME || (stored == STORED_COPY && task->arrays[plan_array_index(task, lps->vars.items[slot].var)].kept == lps);
}

/* Others may read it at the same time, in the LPUs' parts. */
bool cuda_has_guests(const TaskPlan *task, const Lps *lps, const Var *array) {
    for (size_t i = 0; i < task->task->spaces.count; i++) {
        const Lps *guest = task->task->spaces.items[i];
        const int slot = plan_view_slot(guest, array);
        if (guest != lps && guest->parent != NULL && slot >= 0 && task->spaces[guest->id].stored[slot] == STORED_AT_HOME) return true;
    }
    return false;
}

static void bring(TaskWriter *tw, const PlanStep *visit, size_t slot, NearPartVec *parts, int indent) {
    Emit *emit = tw->emit;
    const Lps *lps = visit->lps;
    const Var *array = lps->vars.items[slot].var;
    bool known;
    const char *space = task_space(tw, lps), *pays = pays_text(tw, visit, array, &known);
    const bool is_written = is_changed(&visit->body, array);
    if (pays == NULL || (!is_written && cuda_has_guests(tw->task, lps, array)) || array->versions > MOST_VERSIONS || tw->task->arrays[plan_array_index(tw->task, array)].layout.split) return;
    if (parts->count == 0) task_print(tw, indent, "Hp5Near near_%s(Hp5Crew{%s});", space, cuda_tier(tw->task, lps));
    const char *name = arena_printf(emit->arena, "%s_near", emit_symbol(emit, array)), *view = flow_view(tw, lps, array);
    const char *newest = cuda_reads_older(tw->task, array) ? "false" : "true", *changed = is_written ? "true" : "false";
    task_print(tw, indent, "char *const %s = near_%s.bring(%s, %s, %s); /* in shared memory until the visit ends, if there is room */", name, space, view, pays, newest);
    vec_push(emit->arena, parts, arena_printf(emit->arena, "near_%s.take_back(%s, %s, %s, %s);", space, view, name, newest, changed));
    note_for_launch(emit, (NearArray){lps, array, known ? pays : NULL});
    remark(emit, lps, array);
}

NearPartVec cuda_bring_near(TaskWriter *tw, const PlanStep *visit, int indent) {
    NearPartVec parts = {0};
    const char *tier = cuda_tier(tw->task, visit->lps);
    const bool in_block = strcmp(tier, "HP5_BLOCK_TIER") == 0 || strcmp(tier, "HP5_WARP_TIER") == 0;
    if (visit->kind != PLAN_LPUS || !in_block || tw->emit->options.checked || !is_alone(tw, visit->lps, &visit->body)) return parts;
    for (size_t slot = 0; slot < visit->lps->vars.count; slot++)
        if (var_is_array(visit->lps->vars.items[slot].var) && is_of_the_lpu(tw->task, visit->lps, slot)) bring(tw, visit, slot, &parts, indent);
    return parts;
}

void cuda_take_back(TaskWriter *tw, const NearPartVec *parts, int indent) {
    for (size_t i = 0; i < parts->count; i++) task_print(tw, indent, "%s", parts->items[i]);
}

/* Before kernels: which arrays; and whether it pays, where that is known. Returns the table's name, or NULL. */
const char *cuda_near_table(TaskWriter *tw) {
    const Emit *emit = tw->emit;
    if (emit->near.count == 0) return NULL;
    for (size_t i = 0; i < emit->near.count; i++)
        if (emit->near.items[i].pays != NULL)
            text_printf(tw->out, "static bool %s_near_%zu_pays(const void *globals) {\n    const struct %s *const task = (const struct %s *)globals;\n    (void)task;\n    return %s;\n}\n", tw->symbol,
                        i, tw->symbol, tw->symbol, emit->near.items[i].pays);
    text_printf(tw->out, "static const Hp5CardNear %s_near[] = {\n", tw->symbol);
    for (size_t i = 0; i < emit->near.count; i++) {
        const NearArray *near = &emit->near.items[i];
        const char *pays = near->pays == NULL ? "NULL" : arena_printf(emit->arena, "%s_near_%zu_pays", tw->symbol, i);
        text_printf(tw->out, "    {%d, %d, %s}, /* %s in Space %s */\n", near->lps->id, plan_array_index(tw->task, near->array), pays, near->array->name, near->lps->name);
    }
    text_append(tw->out, "};\n");
    return arena_printf(emit->arena, "%s_near", tw->symbol);
}
