/* Transfers between address spaces as steps of the flow. A segment runs the LPUs of the Spaces that lie in it as it likes, and how
 * often it visits one is nobody else's business; above them all segments of an LPU do the same. So a Transfer happens in the
 * innermost sequence that all who take part run alike, in front of the step that needs it or is around that; and each step after
 * which it moves, or the one around that in such a sequence, is followed by a note that there is something to move.
 *
 * Needs: the flow, transfers. Gives: PLAN_WROTE, PLAN_MOVE, Transfer.within. Breaks: nothing; only adds steps. */
#include "compiler/mapping/mapping.h"
#include "compiler/plan/moves.h"

/* The sequences around a step, from the outside: where each is, and in which LPUs it runs. */
typedef struct Frame {
    PlanStep *step; /* of this sequence: the one looked for, or the one around it */
    const Lps *lps;
} Frame;
typedef VEC(Frame) FrameVec;

typedef struct Insertion {
    const PlanStep *at; /* NULL: at the end of the task */
    bool behind;        /* it; else in front of it */
    bool inside;        /* at the end of its body */
    PlanStep *step;
} Insertion;

typedef struct Placer {
    Arena *arena;
    TaskPlan *task;
    VEC(Insertion) insertions;
    VEC(const PlanStep *) writers; /* by number */
} Placer;

static bool find_frames(Placer *placer, const PlanStepVec *steps, const Lps *lps, const PlanStep *step, FrameVec *frames) {
    for (size_t i = 0; i < steps->count; i++) {
        vec_push(placer->arena, frames, ((Frame){steps->items[i], lps}));
        if (steps->items[i] == step) return true;
        if (find_frames(placer, &steps->items[i]->body, plan_body_space(steps->items[i], lps), step, frames)) return true;
        frames->count--;
    }
    return false;
}

static FrameVec frames_of(Placer *placer, const PlanStep *step) {
    FrameVec frames = {0};
    if (step != NULL) find_frames(placer, &placer->task->flow, placer->task->task->spaces.items[0], step, &frames);
    return frames;
}

/* The innermost frame whose LPUs have those of `within` in them. */
static Frame frame_above(const FrameVec *frames, const Lps *within) {
    Frame found = {0};
    for (size_t i = 0; i < frames->count; i++)
        if (lps_is_within(within, frames->items[i].lps)) found = frames->items[i];
    return found;
}

/* ---- Where ------------------------------------------------------------------------------------------------------ */
static const Lps *common(const Lps *a, const Lps *b) {
    while (!lps_is_within(b, a)) a = a->parent;
    return a;
}

/* The lowest LPUs that have all who take part in them, and lie above the segments. */
static const Lps *within_of(const TaskPlan *task, const Transfer *transfer) {
    const Lps *within = common(transfer->from->lps, transfer->to->lps);
    if (transfer->before == NULL) within = task->task->spaces.items[0];
    else within = common(within, transfer->before->lps);
    for (size_t i = 0; i < transfer->after.count; i++)
        if (transfer->after.items[i] != NULL) within = common(within, transfer->after.items[i]->lps);
    while (within->parent != NULL && hold_is_local(task, within)) within = within->parent;
    return within;
}

/* ---- Steps ---------------------------------------------------------------------------------------------------------- */
static PlanStep *step_new(Placer *placer, PlanStepKind kind, const Transfer *transfer, const Step *source) {
    PlanStep *step = ARENA_NEW(placer->arena, PlanStep);
    *step = (PlanStep){.kind = kind, .source = source, .lps = (Lps *)transfer->within, .reduce = -1, .exchange = -1, .call_id = -1};
    return step;
}

static PlanStep *mover_new(Placer *placer, const Transfer *transfer, const Step *source) {
    PlanStep *step = step_new(placer, PLAN_MOVE, transfer, source);
    step->transfer = transfer;
    Text why = {0};
    move_print(placer->arena, transfer, &why);
    step->why = arena_strdup(placer->arena, why.data);
    text_free(&why);
    return step;
}

static void insert(Placer *placer, const PlanStep *at, bool behind, bool inside, PlanStep *step) {
    vec_push(placer->arena, &placer->insertions, ((Insertion){at, behind, inside, step}));
}

/* A loop whose condition needs the data asks for them after each round, too. */
static bool asks_again(const PlanStep *step) {
    return (step->kind == PLAN_REPEAT_WHILE || step->kind == PLAN_LOCKSTEP) && step->source->kind == STEP_REPEAT_WHILE;
}

static int writer_number(Placer *placer, const PlanStep *writer) {
    for (size_t i = 0; i < placer->writers.count; i++)
        if (placer->writers.items[i] == writer) return (int)i;
    vec_push(placer->arena, &placer->writers, writer);
    return (int)placer->writers.count - 1;
}

/* One note for all that moves in LPUs of one Space after it. */
static int wrote(Placer *placer, const Transfer *transfer, const PlanStep *writer) {
    if (writer == NULL) return -1;
    int number = writer_number(placer, writer);
    for (size_t i = 0; i < placer->insertions.count; i++) {
        const PlanStep *known = placer->insertions.items[i].step;
        if (known->kind == PLAN_WROTE && known->writer == number && known->lps == transfer->within) return number;
    }
    FrameVec around = frames_of(placer, writer);
    PlanStep *step = step_new(placer, PLAN_WROTE, transfer, writer->source);
    step->writer = number;
    step->why = move_step_name(placer->arena, placer->task, writer);
    insert(placer, frame_above(&around, transfer->within).step, true, false, step);
    return number;
}

static void place(Placer *placer, Transfer *transfer) {
    transfer->within = within_of(placer->task, transfer);
    FrameVec frames = frames_of(placer, transfer->before);
    Frame needed = frame_above(&frames, transfer->within);
    const Step *source = transfer->before != NULL ? transfer->before->source : placer->task->flow.items[0]->source;
    insert(placer, needed.step, false, false, mover_new(placer, transfer, source));
    if (needed.step != NULL && needed.step == transfer->before && asks_again(needed.step))
        insert(placer, needed.step, false, true, mover_new(placer, transfer, source));
    for (size_t i = 0; i < transfer->after.count; i++) vec_push(placer->arena, &transfer->writers, wrote(placer, transfer, transfer->after.items[i]));
}

static void add_all(const Placer *placer, const PlanStep *at, bool behind, bool inside, PlanStepVec *out) {
    for (size_t i = 0; i < placer->insertions.count; i++) {
        const Insertion *insertion = &placer->insertions.items[i];
        if (insertion->at == at && insertion->behind == behind && insertion->inside == inside) vec_push(placer->arena, out, insertion->step);
    }
}

static void rebuild(const Placer *placer, PlanStepVec *steps, const PlanStep *around) {
    PlanStepVec result = {0};
    for (size_t i = 0; i < steps->count; i++) {
        rebuild(placer, &steps->items[i]->body, steps->items[i]);
        add_all(placer, steps->items[i], false, false, &result);
        vec_push(placer->arena, &result, steps->items[i]);
        add_all(placer, steps->items[i], true, false, &result);
    }
    add_all(placer, around, false, around != NULL, &result);
    *steps = result;
}

void plan_moves(Arena *arena, TaskPlan *task) {
    Placer placer = {.arena = arena, .task = task};
    for (size_t i = 0; i < task->transfers.count; i++) {
        Transfer *transfer = task->transfers.items[i];
        if (transfer->step == NULL && transfer->kind != TRANSFER_FILE && transfer->kind != TRANSFER_SCALAR) place(&placer, transfer);
    }
    rebuild(&placer, &task->flow, NULL);
}

/* ---- What can be told ----------------------------------------------------------------------------------------------- */

/* Everybody who takes part is in one LPU of that Space, or in it all alike. */
static bool is_above(const Transfer *transfer, const Lps *lps) { return lps_is_within(transfer->within, lps); }

/* The Space in which the step's stage runs: what its expressions mean by the LPU. */
static bool runs_within(const Transfer *transfer, const Var *array) {
    bool same = transfer->before == NULL || is_above(transfer, array == NULL ? transfer->before->lps : lps_holder(transfer->before->lps, array));
    for (size_t i = 0; i < transfer->after.count; i++)
        if (transfer->after.items[i] != NULL)
            same = same && is_above(transfer, array == NULL ? transfer->after.items[i]->lps : lps_holder(transfer->after.items[i]->lps, array));
    return same;
}

static bool counts_around(const PlanStepVec *steps, const Var *counter, const Transfer *transfer, bool inside) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *step = steps->items[i];
        if (step->kind == PLAN_MOVE && step->transfer == transfer && !inside) return false;
        bool counts = step->kind == PLAN_REPEAT_FOR && step->source->var == counter;
        if (!counts_around(&step->body, counter, transfer, inside || counts)) return false;
    }
    return true;
}

static bool is_repeated(const PlanStepVec *steps, const Var *var) {
    for (size_t i = 0; i < steps->count; i++)
        if ((steps->items[i]->source->kind == STEP_REPEAT_FOR && steps->items[i]->source->var == var) || is_repeated(&steps->items[i]->body, var)) return true;
    return false;
}

static bool can_tell_variable(const TaskPlan *task, const Transfer *transfer, const Var *var) {
    if (var->kind == VAR_PARTITION) return true;
    if (var->kind != VAR_GLOBAL || var_is_array(var) || !is_above(transfer, var->home)) return false;
    return !plan_scalar_is_private(task, var) || !is_repeated(&task->flow, var) || counts_around(&task->flow, var, transfer, false);
}

bool move_can_tell(const TaskPlan *task, const Transfer *transfer, const Expr *expr) {
    switch (expr->kind) {
    case EXPR_INTEGER: return true;
    case EXPR_VAR: return can_tell_variable(task, transfer, expr->var);
    case EXPR_DIM_RANGE: return !expr->local || runs_within(transfer, expr->var);
    case EXPR_LPU_ID: return runs_within(transfer, NULL) && move_can_tell(task, transfer, expr->left);
    case EXPR_RANGE_PART:
    case EXPR_RANGE:
    case EXPR_UNARY:
    case EXPR_FIELD:
    case EXPR_CONVERT:
    case EXPR_BINARY:
        if (expr->left != NULL && !move_can_tell(task, transfer, expr->left)) return false;
        return expr->right == NULL || move_can_tell(task, transfer, expr->right);
    default: return false;
    }
}
