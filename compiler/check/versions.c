/* Which variables an `at` around parentheses means: those whose versions can differ, that is,
 * those that some Epoch of the task writes. Found in the syntax tree, because stages are
 * checked before the flow is built: an assignment to a parameter or variable in a stage that
 * is called inside an Epoch. When the parentheses hold no such variable, every array in them
 * is meant (and the missing Epoch is warned of later). */
#include <string.h>
#include "compiler/check/bodies.h"

typedef struct Scan {
    Check *check;
    Task *task;
    const AstTask *ast;
    NameTable *written;           /* of the task: names of variables */
    const AstStage *stage;        /* being scanned, with the arguments of the call */
    const AstExprVec *arguments;
} Scan;

static void note_name(Scan *scan, const char *name) {
    for (size_t i = 0; i < scan->stage->params.count && i < scan->arguments->count; i++) {
        if (strcmp(scan->stage->params.items[i].text, name) != 0) continue;
        const AstExpr *argument = scan->arguments->items[i];
        if (argument->kind == AST_NAME) name_table_put(scan->check->arena, scan->written, argument->name.text, scan);
        return;
    }
    name_table_put(scan->check->arena, scan->written, name, scan);
}

static void note_target(Scan *scan, const AstExpr *target) {
    while (target != NULL && target->kind != AST_NAME) target = target->left;
    if (target != NULL) note_name(scan, target->name.text);
}

static void note_extern(void *data, const char *text, size_t length) {
    Scan *scan = data;
    note_name(scan, arena_copy(scan->check->arena, text, length));
}

static void scan_block(Scan *scan, const AstBlock *block);

static void scan_statement(Scan *scan, const AstStmt *stmt) {
    if (stmt->kind == AST_EXPR_STMT) {
        for (const AstExpr *expr = stmt->expr; expr->kind == AST_ASSIGN; expr = expr->right) note_target(scan, expr->left);
        /* A function may write what it gets by reference. */
        if (stmt->expr->kind == AST_CALL)
            for (size_t i = 0; i < stmt->expr->arguments.count; i++) note_target(scan, stmt->expr->arguments.items[i]);
    }
    if (stmt->kind == AST_EXTERN) extern_each_name(stmt->external, note_extern, scan);
    scan_block(scan, &stmt->body);
    if (stmt->otherwise != NULL) scan_block(scan, stmt->otherwise);
}

static void scan_block(Scan *scan, const AstBlock *block) {
    for (size_t i = 0; i < block->statements.count; i++) scan_statement(scan, block->statements.items[i]);
}

static void scan_flow(Scan *scan, const AstFlowVec *flow, bool in_epoch) {
    for (size_t i = 0; i < flow->count; i++) {
        const AstFlow *step = flow->items[i];
        scan_flow(scan, &step->body, in_epoch || step->kind == FLOW_EPOCH);
        if (!in_epoch || step->kind != FLOW_CALL) continue;
        for (size_t k = 0; k < scan->ast->stages.items.count; k++) {
            scan->stage = &scan->ast->stages.items.items[k];
            scan->arguments = &step->arguments;
            if (strcmp(scan->stage->name.text, step->name.text) == 0) scan_block(scan, &scan->stage->body);
        }
    }
}

bool var_is_advanced(Check *check, Task *task, const Var *var) {
    if (task == NULL || var == NULL || var->kind != VAR_GLOBAL) return false;
    while (check->advanced.count <= (size_t)task->id) vec_push(check->arena, &check->advanced, NULL);
    NameTable *written = check->advanced.items[task->id];
    if (written == NULL) {
        written = ARENA_NEW(check->arena, NameTable);
        check->advanced.items[task->id] = written;
        Scan scan = {.check = check, .task = task, .ast = check_task_ast(check, task), .written = written};
        scan_flow(&scan, &scan.ast->computation.body, false);
    }
    return name_table_find(written, var->name) != NULL;
}
