/* Numbers of a task that stages read and nothing sets: all of them are 0. Needs the whole program: the coordinator sets some. */
#include "compiler/check/declare.h"

typedef struct Unset { const Var *var; bool set; const char *reader; Span read; } Unset;

static void note_read(Unset *unset, const char *reader, Span span) {
    if (unset->reader != NULL) return;
    unset->reader = reader;
    unset->read = span;
}

static void note_body(Unset *unset, const Body *body, const Var *var, const char *reader) {
    const VarUse use = body_var_use(body, var);
    unset->set = unset->set || use.written || use.reduced;
    if (use.read) note_read(unset, reader, use.first_read);
}

static void note_expr(Unset *unset, const Expr *expr) {
    if (expr != NULL && expr_mentions(expr, unset->var)) note_read(unset, "the Computation", expr->span);
}

static void note_steps(Check *check, Unset *unset, const StepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        unset->set = unset->set || (step->kind == STEP_REPEAT_FOR && step->var == unset->var);
        note_expr(unset, step->range);
        note_expr(unset, step->step);
        note_expr(unset, step->condition);
        if (step->kind == STEP_CALL) {
            const char *reader = arena_printf(check->arena, "stage '%s'", step->stage->body.name);
            note_body(unset, &step->stage->body, unset->var, reader);
            for (size_t a = 0; a < step->arguments.count; a++)
                if (step->arguments.items[a].var == unset->var) note_body(unset, &step->stage->body, step->stage->body.params.items[a], reader);
        }
        note_steps(check, unset, &step->body);
    }
}

static bool note_coordinator(Stmt *stmt, void *data) {
    Unset *unset = data;
    unset->set = unset->set || stmt->env_var == unset->var || stmt->env_var2 == unset->var;
    return true;
}

/* Static arrays and user types may be meant to be all zeros. */
static bool is_number(const Type *type) { return type->kind == TYPE_INTEGER || type->kind == TYPE_BOOLEAN || type_is_real(type); }

/* Each is looked for in all stages: of tasks with more, which programs write, nothing is said. */
enum { MOST_GLOBALS = 200 };

void warn_unset(Check *check, const Task *task) {
    if (task->globals.count > MOST_GLOBALS) return;
    for (size_t i = 0; i < task->globals.count; i++) {
        const Var *var = task->globals.items[i];
        if (!is_number(var->type) || (var->environment && var->link != LINK_CREATE)) continue;
        Unset unset = {.var = var};
        note_steps(check, &unset, &task->flow);
        if (task->initialize != NULL) note_body(&unset, task->initialize, var, "Initialize");
        if (check->program->coordinator != NULL) walk_block(&check->program->coordinator->block, note_coordinator, NULL, &unset);
        if (unset.set || unset.reader == NULL) continue;
        Diag *diag = diag_warning(check->diags, W_NEVER_SET, var->span, "nothing sets '%s', which %s reads: it is %s", var->name, unset.reader,
                                  var->type->kind == TYPE_BOOLEAN ? "false" : "0");
        diag_note(diag, unset.read, "it is read here");
        diag_help(diag, "let execute give it, 'Initialize (%s):' and 'initialize: …', or the environment, '%s: link'; or set it in Initialize or in a stage", var->name,
                  var->name);
    }
}
