/* Subscripts that are elements of an array of indices which no stage of the task writes (sparse matrices, meshes):
 * v[columns[j]], v[columns[j] - 1], or a local that was set to such an element.
 *
 * Before an execution the runtime looks once at all values of such an array (runtime/run/gathers.c). When all of them are indices of v,
 * nothing can go wrong and nothing is checked. When some are not, that need not be wrong: a program may guard them, or not use
 * them. Then the stage runs in a form that checks these subscripts where they are used. */
#include "compiler/plan/internal.h"

typedef struct Finder { Planner *planner; StageUse *use; const Block *body; } Finder;

static const Formal *formal_of(const StageUse *use, const Var *var) {
    for (size_t i = 0; i < use->formals.count; i++)
        if (use->formals.items[i].var == var) return &use->formals.items[i];
    return NULL;
}

/* ---- Locals that are set once --------------------------------------------------------------------- */

/* What a subscript is made of: itself, or the only value of a local. */
static const Expr *source_of(const Finder *finder, const Expr *expr) {
    if (expr->kind != EXPR_VAR || expr->var->kind != VAR_LOCAL) return expr;
    const Setting setting = block_settings(finder->body, expr->var);
    return setting.count == 1 ? setting.value : expr;
}

/* ---- Gathers ------------------------------------------------------------------------------------------ */

/* Takes literals off that are added: what stays is expr - *offset. */
static const Expr *without_offset(const Expr *expr, int64_t *offset) {
    enum { MOST = 1 << 30 };
    if (expr->kind != EXPR_BINARY || (expr->op != OP_ADD && expr->op != OP_SUB)) return expr;
    bool left = expr->left->kind == EXPR_INTEGER && expr->op == OP_ADD;
    const Expr *literal = left ? expr->left : expr->right;
    if (literal->kind != EXPR_INTEGER || literal->integer > MOST || literal->integer < -MOST) return expr;
    *offset += expr->op == OP_ADD ? literal->integer : -literal->integer;
    return left ? expr->right : expr->left;
}

static void look_at(Finder *finder, const Expr *element, int dimension) {
    const TaskPlan *task = finder->planner->task;
    const Formal *formal = formal_of(finder->use, element->var);
    if (formal == NULL || formal->kind != FORMAL_VIEW || !formal->whole[dimension]) return;
    Gather gather = {.subscript = element->arguments.items[dimension], .dimension = dimension};
    const Expr *from = without_offset(gather.subscript, &gather.offset);
    from = without_offset(source_of(finder, from), &gather.offset);
    if (from->kind != EXPR_ELEMENT || from->type->kind != TYPE_INTEGER) return;
    const Formal *indices = formal_of(finder->use, from->var);
    if (indices == NULL || indices->kind != FORMAL_VIEW) return;
    gather.from = from;
    gather.direct = from == without_offset(gather.subscript, &(int64_t){0});
    gather.indices = plan_array_index(task, indices->actual);
    gather.array = plan_array_index(task, formal->actual);
    if (!task->arrays[gather.indices].written) vec_push(finder->planner->arena, &finder->use->gathers, gather);
}

static bool find_gathers(Expr *expr, void *data) {
    for (size_t d = 0; expr->kind == EXPR_ELEMENT && d < expr->arguments.count; d++) look_at(data, expr, (int)d);
    return true;
}

/* Needs: ArrayPlan.written and finished uses. Gives: StageUse.gathers. */
void plan_gathers(Planner *planner) {
    for (size_t u = 0; u < planner->task->uses.count; u++) {
        StageUse *use = planner->task->uses.items[u];
        Finder finder = {planner, use, &use->stage->body.block};
        walk_block((Block *)finder.body, NULL, find_gathers, &finder);
    }
}
