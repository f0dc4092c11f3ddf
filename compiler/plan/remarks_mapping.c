/* --remarks on where a task runs: LPUs that go to PPUs in blocks, PPUs that have nothing to do, a task that is kept in one
 * address space. Needs the resolved mapping. How to read it: how many LPUs a Space has, as far as the source says it; what
 * blocks of them cost; then one function for each remark. */
#include "compiler/check/walk.h"
#include "compiler/plan/levels.h"
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

/* ---- What blocks cost ------------------------------------------------------------------------------------------- */
/* Extents are known only when the task is launched. For arrays with as many indices in each dimension, and LPUs that the PPUs
 * divide, the blocks are these, and their bytes have this relation to those of runs in row-major order (what
 * runtime/lpu/placing_blocks.c finds out for the real extents). */
typedef struct Blocks {
    int dims;
    double weight[MAX_RANK];    /* indices of padding at each cut through a dimension; where not all are known, 1 for any */
    int64_t factors[MAX_RANK];  /* blocks in each dimension */
    double bytes, row_bytes;    /* in bytes of one index of padding */
} Blocks;

static double padding_weight(const Program *program, const Task *task, const DimPartition *dim, bool *known) {
    const Expr *sides[] = {dim->padding_front, dim->padding_back};
    double sum = 0;
    for (int s = 0; s < 2 && dim->function != PART_REPLICATED; s++) {
        int64_t number = known_number(program, task, sides[s]);
        *known &= sides[s] == NULL || number > 0 || sides[s]->kind == EXPR_INTEGER;
        sum += number > 0 ? (double)number : sides[s] != NULL && sides[s]->kind != EXPR_INTEGER;
    }
    return sum;
}

static void weigh_cuts(const Program *program, const Task *task, const Lps *lps, Blocks *blocks) {
    bool known = true;
    for (size_t v = 0; v < lps->vars.count; v++)
        for (int j = 0; j < lps->dims && var_is_array(lps->vars.items[v].var); j++)
            blocks->weight[j] += padding_weight(program, task, &lps->vars.items[v].dims[j], &known);
    for (int j = 0; j < lps->dims && !known; j++) blocks->weight[j] = blocks->weight[j] > 0;
}

typedef struct Factors { const Blocks *blocks; int64_t now[MAX_RANK], best[MAX_RANK]; double least; } Factors;

/* Factors of `left` for dimension j and those behind it; among equals the lexicographically largest. */
static void try_factors(Factors *factors, int j, int64_t left) {
    const Blocks *blocks = factors->blocks;
    for (int64_t f = left; f >= 1 && j + 1 < blocks->dims; f--) {
        if (left % f != 0) continue;
        factors->now[j] = f;
        try_factors(factors, j + 1, left / f);
    }
    if (j + 1 < blocks->dims) return;
    factors->now[j] = left;
    double sum = 0;
    for (int d = 0; d < blocks->dims; d++) sum += blocks->weight[d] * (double)(blocks->factors[d] * factors->now[d]);
    if (factors->least >= 0 && sum >= factors->least) return;
    factors->least = sum;
    memcpy(factors->best, factors->now, sizeof factors->best);
}

static void cut(Blocks *blocks, int64_t parts) {
    Factors factors = {.blocks = blocks, .least = -1};
    try_factors(&factors, 0, parts);
    for (int j = 0; j < blocks->dims; j++) blocks->factors[j] *= factors.best[j];
}

/* Levels of the machine between the parent's PPUs and those of the Space, each cut by itself. */
static Blocks find_blocks(const Program *program, const TaskPlan *task, const Lps *lps, const MappedLps *mapped) {
    Blocks blocks = {.dims = lps->dims};
    weigh_cuts(program, task->task, lps, &blocks);
    for (int j = 0; j < blocks.dims; j++) blocks.factors[j] = 1;
    const MachineModel *model = task->mapping->model;
    const int above = task->mapping->lpses[lps->parent->id].level;
    int64_t product = 1;
    for (int l = above + 1; l <= mapped->level; l++) product *= model->spaces.items[l].count;
    if (product != mapped->ppus) cut(&blocks, mapped->ppus);
    for (int l = above + 1; l <= mapped->level && product == mapped->ppus; l++) cut(&blocks, model->spaces.items[l].count);
    for (int j = 0; j < blocks.dims; j++) blocks.bytes += blocks.weight[j] * (double)(blocks.factors[j] - 1);
    blocks.row_bytes = blocks.weight[0] * (double)(mapped->ppus - 1);
    return blocks;
}

/* ": with equal extents 8 x 4 blocks, 32 % of the bytes"; "" where blocks are no better then, or the source says that there are
 * too few LPUs for them. */
static const char *blocks_text(Arena *arena, const Program *program, const Task *task, const Lps *lps, const Blocks *blocks) {
    if (blocks->bytes >= blocks->row_bytes) return "";
    for (int j = 0; j < blocks->dims; j++) {
        const int64_t extent = known_extent(program, task, lps, j);
        if (extent > 0 && extent < blocks->factors[j]) return "";
    }
    char *text = arena_strdup(arena, ": with equal extents");
    for (int j = 0; j < blocks->dims; j++) text = arena_printf(arena, "%s %s%lld", text, j > 0 ? "x " : "", (long long)blocks->factors[j]);
    return arena_printf(arena, "%s blocks, %.0f %% of the bytes", text, 100 * blocks->bytes / blocks->row_bytes);
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

static void remark_blocks(Arena *arena, const Program *program, const TaskPlan *task, size_t i, Diags *diags) {
    const MappedLps *mapped = &task->mapping->lpses[i];
    const Lps *lps = task->task->spaces.items[i];
    if (!task->spaces[i].blocks || mapped->ppus < 2) return;
    const Blocks blocks = find_blocks(program, task, lps, mapped);
    Diag *diag = diag_remark(diags, R_PLAN_BLOCKS, lps->span,
                             "LPUs of Space %s go to the %lld PPUs of %s in blocks of their grid where that takes fewer bytes of padding "
                             "from PPU to PPU than runs of row-major order%s",
                             lps->name, (long long)mapped->ppus, mapped->level_name, blocks_text(arena, program, task->task, lps, &blocks));
    diag_help(diag, "the program's --print-mapping tells the blocks and both numbers of bytes for its arguments; 'by' a function decides otherwise");
}

void plan_remark_mapping(Arena *arena, const Plan *plan, const TaskPlan *task, Diags *diags) {
    for (size_t i = 1; i < task->mapping->count; i++) {
        remark_blocks(arena, plan->program, task, i, diags);
        remark_idle(arena, plan, task, i, diags);
    }
}
