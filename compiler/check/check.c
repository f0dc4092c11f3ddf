/* check_program: the passes of the checker in their order. Each pass goes on after
 * errors, so that one run reports what it can; a pass that needs a sound result of
 * an earlier one for a task is left out for that task. */
#include "compiler/check/declare.h"

static void check_tasks(Check *check) {
    Program *program = check->program;
    for (size_t i = 0; i < program->tasks.count; i++) declare_spaces(check, program->tasks.items[i]);
    for (size_t i = 0; i < program->tasks.count; i++) {
        Task *task = program->tasks.items[i];
        /* Bodies of a task whose variables are wrong would only repeat what was reported. */
        if (!check->task_sound.items[i]) continue;
        size_t errors = diags_error_count(check->diags);
        task->initialize = check_initialize(check, task);
        if (diags_error_count(check->diags) == errors) check_bounds(check, task);
        declare_flow(check, task);
    }
}

static void check_coordinators(Check *check) {
    const AstCoordinator *first = NULL;
    for (size_t i = 0; i < check->ast->parts.count; i++) {
        if (check->ast->parts.items[i].kind != AST_PART_COORDINATOR) continue;
        const AstCoordinator *coordinator = check->ast->parts.items[i].coordinator;
        if (first == NULL) {
            first = coordinator;
            check->program->coordinator = check_coordinator(check, coordinator);
            continue;
        }
        Diag *diag = diag_error(check->diags, E_TWO_COORDINATORS, coordinator->argument.span,
                                "the program has a second coordinator");
        diag_note(diag, first->argument.span, "the first 'Program' is here");
    }
}

Program *check_program(Arena *arena, const Ast *ast, Diags *diags) {
    Check check = {.arena = arena, .ast = ast, .diags = diags, .program = ARENA_NEW(arena, Program)};
    check.program->source = ast->source;
    size_t errors = diags_error_count(diags);
    declare_types(&check);
    declare_tasks(&check);
    check_tasks(&check);
    check_coordinators(&check);
    if (diags_error_count(diags) > errors) return NULL;
    check_known_indices(&check);
    if (diags_error_count(diags) > errors) return NULL;
    for (size_t i = 0; i < check.program->tasks.count; i++) {
        warn_unset(&check, check.program->tasks.items[i]);
        warn_dependences(&check, check.program->tasks.items[i]);
        warn_reach(&check, check.program->tasks.items[i]);
    }
    remark_widened(&check);
    return check.program;
}
