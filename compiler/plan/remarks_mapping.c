/* --remarks on where a task runs: LPUs that go to PPUs in blocks, PPUs that have nothing to do, a task that is kept in one
 * address space. Needs the resolved mapping. How to read it: how many LPUs a Space has, as far as the source says it; then one
 * function for each remark. */
#include "compiler/check/walk.h"
#include "compiler/plan/place.h"
#include <string.h>

enum { MOST_POINTS = 4096 }; /* LPUs of a grid that a function is tried on */

/* ---- LPUs, as far as the source says how many ----------------------------------------------------------------- */

typedef struct Arguments {
    const Task *task;
    int executes;
    const ExecuteStmt *execute; /* the last one that launches the task */
} Arguments;

static bool note_execute(Stmt *stmt, void *data) {
    Arguments *arguments = data;
    if (stmt->kind != STMT_EXECUTE || stmt->execute->task != arguments->task) return true;
    arguments->executes++;
    arguments->execute = stmt->execute;
    return true;
}

/* A number in the source, or a partition argument that the only launch of the task gives as a number; 0: not known. */
static int64_t known_number(const Program *program, const Task *task, const Expr *expr) {
    if (expr == NULL) return 0;
    if (expr->kind == EXPR_INTEGER) return expr->integer;
    if (expr->kind != EXPR_VAR || expr->var->kind != VAR_PARTITION || program->coordinator == NULL) return 0;
    Arguments arguments = {.task = task};
    walk_block(&program->coordinator->block, note_execute, NULL, &arguments);
    if (arguments.executes != 1 || (size_t)expr->var->id >= arguments.execute->partition.count) return 0;
    const Expr *given = arguments.execute->partition.items[expr->var->id];
    return given->kind == EXPR_INTEGER ? given->integer : 0;
}

/* The most parts that dimension `dim` of a Space can have; 0: not known. */
static int64_t known_extent(const Program *program, const Task *task, const Lps *lps, int dim) {
    for (size_t v = 0; v < lps->vars.count; v++) {
        const DimPartition *part = &lps->vars.items[v].dims[dim];
        if (part->function != PART_BLOCK_COUNT && part->function != PART_STRIDE) continue;
        int64_t number = known_number(program, task, part->arguments[0]);
        if (number > 0) return number;
    }
    return 0;
}

/* The most LPUs in an LPU of the parent, and the extents of their grid; 0: not known, or too many to care. */
static int64_t known_lpus(const Program *program, const Task *task, const Lps *lps, Hp5Tuple *extents) {
    int64_t count = 1;
    extents->count = lps->dims;
    for (int d = 0; d < lps->dims && count > 0 && count <= INT32_MAX; d++) count *= extents->at[d] = known_extent(program, task, lps, d);
    return count <= INT32_MAX ? count : 0;
}

/* ---- Remarks ------------------------------------------------------------------------------------------------------ */

/* How many PPUs a function uses; 0: not known. */
static int64_t used_by_function(const ResolvedMapping *mapping, const MappedLps *lps, int64_t count, const Hp5Tuple *extents) {
    if (count > MOST_POINTS || lps->ppus > INT32_MAX) return 0;
    Arena *arena = arena_new();
    bool *used = ARENA_ARRAY(arena, bool, (size_t)lps->ppus);
    int64_t total = 0;
    Hp5Tuple point = {.count = extents->count};
    for (int64_t i = 0; i < count && total >= 0; i++) {
        int64_t ppu = func_ppu_of(&lps->machine, &mapping->file->functions, mapping->file->source, lps->function, point, *extents);
        if (ppu < 0 || ppu >= lps->ppus) total = -1;
        else if (!used[ppu]) {
            used[ppu] = true;
            total++;
        }
        for (int d = point.count - 1; d >= 0 && ++point.at[d] == extents->at[d]; d--) point.at[d] = 0;
    }
    arena_free(arena);
    return total < 0 ? 0 : total;
}

static void remark_idle(Arena *arena, const Plan *plan, const TaskPlan *task, size_t i, Diags *diags) {
    const Lps *lps = task->task->spaces.items[i];
    const MappedLps *mapped = &task->mapping->lpses[i];
    Hp5Tuple extents = {0};
    if (lps->dims == 0 || lps->sub_partition || mapped->ppus < 2) return;
    int64_t count = known_lpus(plan->program, task->task, lps, &extents);
    if (count == 0) return;
    int64_t used = mapped->function ? used_by_function(task->mapping, mapped, count, &extents) : count;
    if (used == 0 || used >= mapped->ppus) return;
    const char *by = mapped->function ? mapped->function->name : NULL;
    Diag *diag = diag_remark(diags, R_PLAN_IDLE, lps->span, "Space %s has at most %lld LPU%s in an LPU of %s%s%s%s: %lld of the %lld PPUs of %s %s nothing to do",
                             lps->name, (long long)count, count == 1 ? "" : "s", lps->parent->name, by ? ", which " : "", by ? by : "",
                             by ? arena_printf(arena, " gives to %lld PPU%s", (long long)used, used == 1 ? "" : "s") : "",
                             (long long)(mapped->ppus - used), (long long)mapped->ppus, mapped->level_name, mapped->ppus - used == 1 ? "has" : "have");
    diag_help(diag, "cut the data into more parts, or map the Space to fewer PPUs");
}

static void remark_blocks(const TaskPlan *task, size_t i, Diags *diags) {
    const MappedLps *mapped = &task->mapping->lpses[i];
    if (!task->spaces[i].blocks || mapped->ppus < 2) return;
    Diag *diag = diag_remark(diags, R_PLAN_BLOCKS, task->task->spaces.items[i]->span,
                             "LPUs of Space %s go to the %lld PPUs of %s in blocks of their grid where that takes fewer bytes of padding "
                             "from PPU to PPU than runs of row-major order",
                             task->task->spaces.items[i]->name, (long long)mapped->ppus, mapped->level_name);
    diag_help(diag, "the program's --print-mapping tells the blocks and both numbers of bytes; 'by' a function decides otherwise");
}

void plan_remark_mapping(Arena *arena, const Plan *plan, const TaskPlan *task, Diags *diags) {
    for (size_t i = 1; i < task->mapping->count; i++) {
        remark_blocks(task, i, diags);
        remark_idle(arena, plan, task, i, diags);
    }
}

void plan_remark_confined(const TaskPlan *task, int64_t segments, Diags *diags) {
    const ResolvedMapping *mapping = task->mapping;
    Diag *diag = diag_remark(diags, R_PLAN_CONFINED, task->task->span, "task \"%s\" is kept in %s 0 of the %lld that machine %s has: no mapping says where it runs",
                             mapping->task, mapping->lpses[0].level_name, (long long)segments, mapping->machine->name);
    diag_help(diag, "the Pthreads backend runs a task in one address space");
}
