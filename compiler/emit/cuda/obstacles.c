/* What tasks on cards cannot do yet (E1304): looked for in the mapping, in the plan's steps, and in what stages compute. */
#include "compiler/emit/cuda/cuda.h"

#include <string.h>
#include "compiler/base/diag.h"
#include "compiler/emit/cpu/cpu.h"
#include "compiler/emit/cuda/host_stages.h"
#include "compiler/mapping/mapping.h"

/* ---- The mapping ------------------------------------------------------------------------------------------------------ */
/* PPUs of the LPS in its parent's if it takes all of one card, or of the cards of all address spaces. */
static int64_t all_of_the_cards(const TaskPlan *task, size_t i) {
    const ResolvedMapping *mapping = task->mapping;
    const int parent = mapping->lpses[mapping->tree->lpses[i].parent].level, card = cuda_card_level(task);
    return model_ppus_between(mapping->model, parent < card && mapping->segments == 1 ? card : parent, mapping->lpses[i].level);
}

/* The LPS has some PPUs of a level below one card, in each address space; or whole cards, which have one each. */
static bool is_part_of_card(const TaskPlan *task, size_t i) {
    const ResolvedMapping *mapping = task->mapping;
    const MappedLps *lps = &mapping->lpses[i];
    const int parent = mapping->lpses[mapping->tree->lpses[i].parent].level, card = cuda_card_level(task), segment = model_segment_level(mapping->model);
    if (lps->level <= card) return segment >= 0 && model_ppus_between(mapping->model, segment, card) == 1;
    if (mapping->segments > 1 && parent < segment) return false;
    return lps->first + lps->ppus <= model_ppus_between(mapping->model, parent < card ? card : parent, lps->level);
}

/* The host computes the stages of the LPS. */
static bool is_hosts(const TaskPlan *task, size_t i) { return backend_on_host(task, task->task->spaces.items[i]); }

static bool has_stages(const TaskPlan *task, size_t i) {
    for (size_t u = 0; u < task->uses.count; u++)
        if (lps_proper(task->uses.items[u]->lps) == task->task->spaces.items[i]) return true;
    return false;
}

/* PPUs of the LPS in its parent's where it takes the first one below each address space, or these whole. */
static int64_t first_of_the_hosts(const TaskPlan *task, size_t i) {
    const ResolvedMapping *mapping = task->mapping;
    const int parent = mapping->lpses[mapping->tree->lpses[i].parent].level, level = mapping->lpses[i].level;
    const int segment = mapping->segments > 1 ? model_segment_level(mapping->model) : 0;
    return parent < segment ? model_ppus_between(mapping->model, parent, level < segment ? level : segment) : 1;
}

/* One thread of the host computes for the card of its process. */
static const char *obstacle_of_hosts(Arena *arena, const TaskPlan *task, size_t i) {
    const MappedLps *lps = &task->mapping->lpses[i];
    const MappingLps *spec = &task->mapping->tree->lpses[i];
    if (i == 0 || (lps->first == 0 && (lps->ppus == first_of_the_hosts(task, i) || spec->dims == 0))) return NULL;
    return arena_printf(arena, "Space %s takes other PPUs of %s, a level of the host, than the first one%s, which alone computes for the card", spec->name, lps->level_name,
                        task->mapping->segments > 1 ? " of each process" : "");
}

static const char *obstacle_of_lps(Arena *arena, const TaskPlan *task, size_t i) {
    const ResolvedMapping *mapping = task->mapping;
    const MappedLps *lps = &mapping->lpses[i];
    const char *name = mapping->tree->lpses[i].name;
    if (mapping->tree->lpses[i].is_sub_partition) return NULL;
    if (is_hosts(task, i) && (mapping->segments <= 1 || has_stages(task, i))) return obstacle_of_hosts(arena, task, i);
    if (i > 0 && (lps->first > 0 || lps->ppus != all_of_the_cards(task, i)) && !is_part_of_card(task, i))
        return arena_printf(arena, "Space %s takes some PPUs of %s from more than one card; some of a card's can be taken below a Space that each address space has", name,
                            lps->level_name);
    return NULL;
}

/* ---- Steps ------------------------------------------------------------------------------------------------------------- */
/* The deepest nest of loops whose counters only threads of the card have. */
static size_t counters_in(const PlanStepVec *steps) {
    size_t most = 0;
    for (size_t i = 0; i < steps->count; i++) {
        const size_t count = counters_in(&steps->items[i]->body) + (steps->items[i]->kind == PLAN_REPEAT_FOR);
        if (count > most) most = count;
    }
    return most;
}

/* ---- Stages -------------------------------------------------------------------------------------------------------------- */
static void note_for_all(void *data, const Stmt *stmt) {
    if (stmt->kind == STMT_PARALLEL || stmt->kind == STMT_EXTERN || stmt->kind == STMT_RETURN || stmt->kind == STMT_REDUCE) *(bool *)data = true;
}

/* One thread can do all of it, or it changes no elements but in parallel loops (by_first.c). */
static bool can_change(const Stmt *stmt) {
    bool for_all = false;
    if (!cuda_changes_elements(stmt)) return true;
    lower_walk_block(&(Walk){NULL, note_for_all, &for_all}, &(Block){.statements = {.items = (Stmt *[]){(Stmt *)(uintptr_t)stmt}, .count = 1}});
    return !for_all;
}

/* The statement whose condition or range changes elements, or NULL. */
static const Stmt *look_for_changes(const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (can_change(stmt)) continue;
        Stmt alone = *stmt;
        alone.body.statements.count = 0;
        alone.otherwise = NULL;
        if (cuda_changes_elements(&alone)) return stmt;
        const Stmt *found = stmt->kind == STMT_PARALLEL ? NULL : look_for_changes(&stmt->body);
        if (found == NULL && stmt->otherwise != NULL) found = look_for_changes(stmt->otherwise);
        if (found != NULL) return found;
    }
    return NULL;
}

static const char *changed_in(const Stmt *stmt) {
    Stmt alone = *stmt;
    alone.body.statements.count = 0;
    alone.otherwise = NULL;
    return cuda_changes_lists(&alone) ? "calls functions that make or change lists in a condition or range of a statement that all its threads share"
                                      : "gives elements of arrays to functions that change them, in a condition or range of a statement that all its threads share";
}

/* *changing: the statement that stands in the way, if it is one. */
static const char *obstacle_of_stage(Arena *arena, const TaskPlan *task, const StageUse *use, const Stmt **changing) {
    const bool shares = !backend_on_host(task, use->lps) && !cuda_by_one_thread(task, use->lps);
    const char *found = NULL;
    if (found == NULL && shares) *changing = look_for_changes(&use->stage->body.block);
    if (*changing != NULL) found = changed_in(*changing);
    return found == NULL ? NULL : arena_printf(arena, "stage %s in Space %s %s", use->stage->body.name, use->lps->name, found);
}

/* ---- All of it ------------------------------------------------------------------------------------------------------------ */
static const char *obstacle_of(Arena *arena, const Plan *plan, const TaskPlan *task, const Stmt **changing) {
    const char *obstacle = plan->options.simulated ? "--smpi simulates processors alone (--predict of the program tells what a card would take)" : NULL;
    for (size_t i = 0; i < task->mapping->count && obstacle == NULL; i++) obstacle = obstacle_of_lps(arena, task, i);
    if (obstacle == NULL && cuda_has_host_stages(task) && counters_in(&task->flow) > CUDA_MOST_COUNTERS)
        obstacle = arena_printf(arena, "the host, which computes some of its stages, can be told of the variables of %d Repeats at most", CUDA_MOST_COUNTERS);
    for (size_t i = 0; i < task->uses.count && obstacle == NULL; i++) obstacle = obstacle_of_stage(arena, task, task->uses.items[i], changing);
    return obstacle;
}

/* The first LPS below Root that stands in the way itself; 0: none does. */
static size_t culprit_of(Arena *arena, const Plan *plan, const TaskPlan *task) {
    if (plan->options.simulated) return 0;
    for (size_t i = 1; i < task->mapping->count; i++)
        if (obstacle_of_lps(arena, task, i) != NULL) return i;
    return 0;
}

/* The line that maps the LPS; of 0: one that maps an LPS to the card. */
static const MappingLine *line_of(const ResolvedMapping *mapping, size_t culprit) {
    for (size_t i = 1; mapping->block != NULL && i < mapping->count; i++)
        for (size_t l = 0; l < mapping->block->lines.count; l++)
            if (strcmp(mapping->block->lines.items[l].lps, mapping->tree->lpses[i].name) == 0 &&
                (culprit > 0 ? i == culprit : model_is_gpu_level(mapping->model, mapping->lpses[i].level)))
                return &mapping->block->lines.items[l];
    return NULL;
}

/* Where in the program, and what to write there. */
static void point_to_change(const TaskPlan *task, const Stmt *changing, Diags *diags, Diag *diag) {
    diags_set_source(diags, task->mapping->tree->source);
    Stmt without = *changing;
    without.body.statements.count = 0;
    without.otherwise = NULL;
    without.step = NULL;
    const Expr *where = cuda_changes_elements(&without) ? changing->value : changing->step;
    diag_note(diag, where != NULL ? where->span : changing->span, "here");
    diag_help(diag, "let a local have what the function gives, and look at that instead; or map the task to levels of a model of processors");
}

static void give_help(const TaskPlan *task, size_t culprit, Diag *diag) {
    if (culprit > 0 && is_hosts(task, culprit))
        diag_help(diag, "map Space %s to levels of the card, or to the first PPU of a level of the host", task->mapping->tree->lpses[culprit].name);
    else diag_help(diag, "map the task to levels of a model of processors");
}

bool cuda_accepts(Arena *arena, const Plan *plan, const TaskPlan *task, Diags *diags) {
    const Stmt *changing = NULL;
    const char *obstacle = obstacle_of(arena, plan, task, &changing);
    if (obstacle == NULL) return true;
    const size_t culprit = culprit_of(arena, plan, task);
    const MappingLine *line = line_of(task->mapping, culprit);
    const char *message = arena_printf(arena, "task \"%s\" is mapped to a card, and %s", task->mapping->task, obstacle);
    Source *outer = diags_source(diags);
    if (line != NULL) diags_set_source(diags, task->mapping->file->source);
    Diag *diag = line != NULL ? diag_error(diags, E_PLAN_CARD, line->span, "%s", message) : diag_error_plain(diags, E_PLAN_CARD, "%s", message);
    if (changing != NULL) point_to_change(task, changing, diags, diag);
    else give_help(task, culprit, diag);
    diags_set_source(diags, outer);
    return false;
}
