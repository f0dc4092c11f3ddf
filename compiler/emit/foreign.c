/* Extern code has a block for the machine that runs it: in "CUDA" where that is a card, else in "C" or "C++". Asked of what a program's tasks run
 * where their mappings say, of what is the processors' in any case (Initialize, the coordinator), and of the functions that any of these call. */
#include "compiler/base/diag.h"
#include "compiler/emit/backend.h"
#include <string.h>

typedef struct Asking {
    Arena *arena;
    Diags *diags;
    bool card;          /* it runs on a card */
    const char *caller; /* "stage work in Space A" */
    const char *called; /* the function of `caller` that has the code, or NULL: it has it itself */
    const char *space;  /* whose mapping decides it, or NULL: none does */
    bool *seen;         /* by Function.id: functions that `caller` calls, as far as these have been asked */
    bool fits;
} Asking;

static void ask_block(Asking *asking, const Block *block);

static void report(const Asking *asking, const ExternCode *code) {
    const bool card = asking->card;
    const char *machine = card ? "a card" : "processors", *where = asking->caller;
    if (asking->called != NULL) where = arena_printf(asking->arena, "function %s, which %s calls,", asking->called, asking->caller);
    Diag *diag = diag_error(asking->diags, card ? E_PLAN_CARD : E_PLAN_CARD_CODE, code->span, "%s runs on %s, and this code is in %s alone", where, machine,
                            code->language == EXTERN_CUDA ? "\"CUDA\"" : code->language == EXTERN_CPLUSPLUS ? "\"C++\"" : "\"C\"");
    const char *also = asking->space == NULL ? "" : arena_printf(asking->arena, ", or map %s to %s", asking->space, card ? "processors" : "a card");
    diag_help(diag, "add a block in %s beside it%s", card ? "\"CUDA\"" : "\"C\" or \"C++\"", also);
}

static void ask_stmt(void *data, const Stmt *stmt) {
    Asking *asking = data;
    if (stmt->kind != STMT_EXTERN) return;
    const ExternCode *host = stmt->external->host, *card = stmt->external->card;
    if ((asking->card ? card : host) != NULL) return;
    report(asking, asking->card ? host : card);
    asking->fits = false;
}

static void ask_expr(void *data, const Expr *expr) {
    Asking *asking = data;
    if (expr->kind != EXPR_CALL || expr->function == NULL || asking->seen[expr->function->id]) return;
    const char *outer = asking->called;
    asking->seen[expr->function->id] = true;
    asking->called = expr->function->body.name;
    ask_block(asking, &expr->function->body.block);
    asking->called = outer;
}

static void ask_block(Asking *asking, const Block *block) { lower_walk_block(&(Walk){ask_expr, ask_stmt, asking}, block); }

static bool *no_functions(Arena *arena, const Plan *plan) {
    bool *seen = ARENA_ARRAY(arena, bool, plan->program->functions.count + 1);
    memset(seen, 0, plan->program->functions.count);
    return seen;
}

static bool ask_body(Arena *arena, const Plan *plan, Diags *diags, const Body *body, const char *caller) {
    Asking asking = {arena, diags, false, caller, NULL, NULL, no_functions(arena, plan), true};
    if (body != NULL) ask_block(&asking, &body->block);
    return asking.fits;
}

static bool ask_stage(Arena *arena, const Plan *plan, Diags *diags, const TaskPlan *task, const StageUse *use) {
    const bool card = backend_on_card(task) && !backend_on_host(task, use->lps);
    const char *space = arena_printf(arena, "Space %s", lps_proper(use->lps)->name);
    const char *caller = arena_printf(arena, "stage %s in Space %s", use->stage->body.name, use->lps->name);
    Asking asking = {arena, diags, card, caller, NULL, space, no_functions(arena, plan), true};
    ask_block(&asking, &use->stage->body.block);
    return asking.fits;
}

static void ask_steps(Asking *asking, const PlanStepVec *steps) {
    const Walk walk = {ask_expr, NULL, asking};
    for (size_t i = 0; i < steps->count; i++) {
        const Step *source = steps->items[i]->source;
        if (source != NULL) {
            lower_walk_expr(&walk, source->condition);
            lower_walk_expr(&walk, source->range);
            lower_walk_expr(&walk, source->step);
        }
        ask_steps(asking, &steps->items[i]->body);
    }
}

static bool ask_task(Arena *arena, const Plan *plan, Diags *diags, const TaskPlan *task) {
    const char *name = task->task->name;
    bool fits = ask_body(arena, plan, diags, task->task->initialize, arena_printf(arena, "Initialize of task \"%s\"", name));
    for (size_t i = 0; i < task->uses.count; i++) fits = ask_stage(arena, plan, diags, task, task->uses.items[i]) && fits;
    Asking asking = {arena, diags, backend_on_card(task), arena_printf(arena, "Computation of task \"%s\"", name), NULL, "the task", no_functions(arena, plan), fits};
    ask_steps(&asking, &task->flow);
    return asking.fits;
}

bool foreign_accepts(Arena *arena, const Plan *plan, Diags *diags) {
    bool fits = ask_body(arena, plan, diags, plan->program->coordinator, "the coordinator");
    for (size_t t = 0; t < plan->tasks.count; t++) fits = ask_task(arena, plan, diags, plan->tasks.items[t]) && fits;
    return fits;
}

/* ---- Functions for cards alone ------------------------------------------------------------------------------------------ */
static void find_block_for_cards(void *data, const Stmt *stmt) { *(bool *)data |= stmt->kind == STMT_EXTERN && stmt->external->host == NULL; }

static void find_function_for_cards(void *data, const Expr *expr) {
    bool *found = data;
    *found = *found || (expr->kind == EXPR_CALL && expr->function != NULL && foreign_needs_card(expr->function));
}

bool foreign_needs_card(const Function *function) {
    bool found = false;
    if (function->changes_something) lower_walk_block(&(Walk){find_function_for_cards, find_block_for_cards, &found}, &function->body.block);
    return found;
}
