/* Transfers between address spaces as steps of the flow. A segment runs the LPUs of the Spaces that lie in it as it likes, and how
 * often it visits one is nobody else's business; above them all segments of an LPU do the same. So a Transfer happens in the
 * innermost sequence that all who take part run alike, in front of the step that needs it or is around that; and each step after
 * which it moves, or the one around that in such a sequence, is followed by a note that there is something to move. A step that writes
 * all of an array anew is followed by a note that what was written before is to be forgotten.
 *
 * Needs: the flow, transfers. Gives: PLAN_RENEW, PLAN_WROTE, PLAN_MOVE. Breaks: nothing; only adds steps. */
#include "compiler/mapping/mapping.h"
#include "compiler/plan/inspect.h"

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
    PlanStepVec renewing;          /* stages that write all of an array anew */
    PlanStepVec told;
    Plan *plan;
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

/* The highest Space of which an LPU is run by just those who run one of `lps`: what is not divided spans what is above it. */
static const Lps *top_of_group(const TaskPlan *task, const Lps *lps) {
    while (lps->parent != NULL && lps->dims == 0 && !lps->dynamic && !lps->sub_partition && !hold_is_local(task, lps) &&
           task->spaces[lps->id].level == task->spaces[lps->parent->id].level)
        lps = lps->parent;
    return lps;
}

bool move_decides_for_all(const TaskPlan *task, const Lps *lps) {
    const Lps *root = task->task->spaces.items[0];
    return hold_is_local(task, root) ? lps_is_single_in(lps, root) : top_of_group(task, lps) == root;
}

/* The innermost frame that all run who run an LPU with those of `within` in it. */
static Frame frame_above(const TaskPlan *task, const FrameVec *frames, const Lps *within) {
    Frame found = {0};
    for (size_t i = 0; i < frames->count; i++)
        if (lps_is_within(within, move_top_in_turn(task, frames->items[i].lps))) found = frames->items[i];
    return found;
}

/* The innermost frame in an LPU of a Space around `lps`. */
static Frame frame_around(const TaskPlan *task, const FrameVec *frames, const Lps *lps) {
    Frame found = {.lps = task->task->spaces.items[0]};
    for (size_t i = 0; i < frames->count; i++)
        if (lps_is_within(lps, frames->items[i].lps)) found = frames->items[i];
    return found;
}

/* Behind which a note for LPUs of `within` stands: in all of those in it, where the writer is outside of them. */
static Frame frame_of_note(const TaskPlan *task, const FrameVec *frames, const Lps *within) {
    const Frame frame = frame_above(task, frames, within);
    const bool apart = frame.lps != NULL && !lps_is_within(frame.lps, within) && !lps_is_within(within, frame.lps);
    return apart ? frame_around(task, frames, within) : frame;
}

/* ---- Steps ---------------------------------------------------------------------------------------------------------- */
static PlanStep *step_new(Placer *placer, PlanStepKind kind, const Transfer *transfer, const Step *source, const PlanStep *beside) {
    PlanStep *step = ARENA_NEW(placer->arena, PlanStep);
    *step = (PlanStep){.kind = kind, .source = source, .lps = (Lps *)transfer->within, .beside = beside, .reduce = -1, .exchange = -1, .call_id = -1};
    return step;
}

static PlanStep *mover_new(Placer *placer, const Transfer *transfer, const Step *source, const PlanStep *beside) {
    PlanStep *step = step_new(placer, PLAN_MOVE, transfer, source, beside);
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

/* In each LPU of the step's Space, one after the other. */
static PlanStep *in_visits(Placer *placer, PlanStep *inner, const Lps *from) {
    PlanStep *step = inner;
    for (const Lps *lps = inner->lps; lps != from; lps = lps->parent) {
        const Transfer where = {.within = lps};
        PlanStep *visits = step_new(placer, PLAN_LPUS, &where, inner->source, inner->beside);
        vec_push(placer->arena, &visits->body, step);
        step = visits;
    }
    return step;
}

/* The note, where the frame is in an LPU of its Space, else in each one. */
static PlanStep *in_its_lpus(Placer *placer, PlanStep *note, Frame frame) { return lps_is_within(frame.lps, note->lps) ? note : in_visits(placer, note, frame.lps); }

static const PlanStep *in_all_visits(const PlanStep *step) {
    while (step->kind == PLAN_LPUS) step = step->body.items[0];
    return step;
}

/* One note for all that moves in LPUs of one Space after it. */
static int wrote(Placer *placer, const Transfer *transfer, const PlanStep *writer) {
    if (writer == NULL) return -1;
    int number = writer_number(placer, writer);
    for (size_t i = 0; i < placer->insertions.count; i++) {
        const PlanStep *known = in_all_visits(placer->insertions.items[i].step);
        if (known->kind == PLAN_WROTE && known->writer == number && known->lps == transfer->within) return number;
    }
    FrameVec around = frames_of(placer, writer);
    const Frame frame = frame_of_note(placer->task, &around, transfer->within);
    PlanStep *step = step_new(placer, PLAN_WROTE, transfer, writer->source, frame.step);
    step->writer = number;
    step->why = move_step_name(placer->arena, placer->task, writer);
    insert(placer, frame.step, true, false, in_its_lpus(placer, step, frame));
    return number;
}

static void find_renewing(Placer *placer, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        if (steps->items[i]->renews.count > 0) vec_push(placer->arena, &placer->renewing, steps->items[i]);
        find_renewing(placer, &steps->items[i]->body);
    }
}

/* Behind the stage in LPUs where the transfer happens, in front of the notes of what it writes itself; once for all such transfers. */
static void renew_in(Placer *placer, const Transfer *transfer, PlanStep *stage) {
    const Transfer where = {.within = transfer->within};
    FrameVec around = frames_of(placer, stage);
    const Frame frame = frame_of_note(placer->task, &around, where.within);
    for (size_t i = 0; i < placer->insertions.count; i++) {
        const PlanStep *known = in_all_visits(placer->insertions.items[i].step);
        if (known->kind == PLAN_RENEW && known->beside == frame.step && known->lps == where.within && known->array->var == transfer->var) return;
    }
    PlanStep *note = step_new(placer, PLAN_RENEW, &where, stage->source, frame.step);
    note->array = plan_array(placer->task, transfer->var);
    insert(placer, frame.step, true, false, in_its_lpus(placer, note, frame));
}

static void place_renewals(Placer *placer) {
    for (size_t r = 0; r < placer->renewing.count; r++)
        for (size_t i = 0; i < placer->task->transfers.count; i++) {
            const Transfer *transfer = placer->task->transfers.items[i];
            bool only = transfer->after.count == 1 && transfer->after.items[0] == placer->renewing.items[r];
            if (move_is_own_step(transfer) && !only && move_is_renewed(placer->task, placer->renewing.items[r], transfer)) renew_in(placer, transfer, placer->renewing.items[r]);
        }
}

static void place(Placer *placer, Transfer *transfer) {
    FrameVec frames = frames_of(placer, transfer->before);
    bool inside = lps_is_within(move_reader_space(placer->task, transfer), transfer->within); /* one LPU needs it: that in which it moves */
    Frame needed = inside ? frame_above(placer->task, &frames, transfer->within) : frame_around(placer->task, &frames, transfer->within);
    const Lps *from = inside ? transfer->within : needed.lps;
    const Step *source = transfer->before != NULL ? transfer->before->source : placer->task->flow.items[0]->source;
    insert(placer, needed.step, false, false, in_visits(placer, mover_new(placer, transfer, source, needed.step), from));
    if (needed.step != NULL && needed.step == transfer->before && asks_again(needed.step))
        insert(placer, needed.step, false, true, in_visits(placer, mover_new(placer, transfer, source, needed.step), from));
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

/* ---- What several segments hold and one writes ----------------------------------------------------------------------- */
typedef struct Merger {
    Placer *placer;
    const PlanStep *step;
} Merger;

/* LPUs of the Space may have the same elements. */
static bool repeats_parts(const Lps *lps, const Var *var) {
    const LpsVar *entry = lps_find_var(lps, var);
    if (lps->dims == 0 || lps->sub_partition) return false;
    for (int d = 0; d < lps->dims; d++)
        if (entry == NULL || entry->dims[d].function == PART_REPLICATED) return true;
    return false;
}

bool move_is_told(const TaskPlan *task, const PlanStep *step, const Holding *holding) {
    if (step->kind != PLAN_STAGE || !holding->shared || (holding->kind != HELD_PARTS && holding->kind != HELD_TOUCHED) || holding->padded) return false;
    if (holding->var->versions > 1 || hold_is_local(task, holding->store)) return false;
    for (const Lps *at = step->use->lps; at != holding->store && at->parent != NULL; at = at->parent)
        if (at->parent == holding->store && repeats_parts(at, holding->var)) return true;
    return false;
}

/* An Epoch that all LPUs run advances what several segments have in all of them. */
static bool runs_alike(Placer *placer, const PlanStep *step) {
    FrameVec around = frames_of(placer, step);
    for (size_t i = 0; i + 1 < around.count; i++) {
        const PlanStep *control = around.items[i].step;
        if (control->kind == PLAN_LPUS) continue;
        if (control->kind == PLAN_SUB_PARTS || control->kind == PLAN_GUARD || !move_decides_for_all(placer->task, control->lps)) return false;
    }
    return true;
}

/* Around the step's frame in LPUs of `lps`, once for all steps in it. */
static void merge_in(Merger *merger, const Lps *lps, const Var *var) {
    Placer *placer = merger->placer;
    const Transfer place = {.within = lps};
    FrameVec around = frames_of(placer, merger->step);
    const PlanStep *frame = frame_above(placer->task, &around, lps).step;
    bool is_known = false;
    for (size_t i = 0; i < placer->insertions.count; i++) {
        PlanStep *known = placer->insertions.items[i].step;
        if ((known->kind != PLAN_WATCH && known->kind != PLAN_MERGE) || known->beside != frame || known->lps != lps || known->array->var != var) continue;
        if (known->watched != merger->step) known->watched = NULL;
        is_known = true;
    }
    if (is_known) return;
    for (int behind = 0; behind < 2; behind++) {
        if (placer->plan->move_count++ == placer->plan->options.omit_transfer) continue;
        PlanStep *step = step_new(placer, behind ? PLAN_MERGE : PLAN_WATCH, &place, merger->step->source, frame);
        step->array = plan_array(placer->task, var);
        step->watched = merger->step;
        insert(placer, frame, behind, false, step);
    }
}

static void merge_touch(void *data, const MoveTouch *touch) {
    Merger *merger = data;
    const TaskPlan *task = merger->placer->task;
    if (!touch->write || !var_is_array(touch->var) || plan_array(task, touch->var)->scratch) return;
    const Holding *holding = hold_touched(task, touch);
    if (!holding->shared || holding->kind == HELD_COPY || holding->kind == HELD_HOME) return;
    if (merger->step->kind == PLAN_EPOCH && runs_alike(merger->placer, merger->step)) return;
    for (const Lps *at = touch->copies != NULL ? touch->copies : touch->lps; at != holding->store && at->parent != NULL; at = at->parent)
        if (!hold_is_local(task, at->parent) && repeats_parts(at, touch->var)) merge_in(merger, at->parent, touch->var);
}

/* What one LPU in some of the segments writes of a scalar that all have, behind the step's frame in LPUs of the scalar's home. */
static void tell(Placer *placer, const PlanStep *writer, const Var *var) {
    const Lps *from = var->home == NULL ? NULL : move_teller(placer->task, writer->kind == PLAN_STAGE ? writer->use->lps : writer->lps, var->home);
    if (from == NULL) return;
    FrameVec around = frames_of(placer, writer);
    PlanStep *told = step_new(placer, PLAN_TELL, &(Transfer){.within = var->home}, writer->source, frame_above(placer->task, &around, var->home).step);
    told->scalar = (Var *)var;
    told->space = (Lps *)from;
    for (size_t i = 0; i < placer->told.count; i++)
        if (placer->told.items[i]->beside == told->beside && placer->told.items[i]->scalar == var && placer->told.items[i]->space == from) return;
    vec_push(placer->arena, &placer->told, told);
    if (placer->plan->move_count++ != placer->plan->options.omit_transfer) insert(placer, told->beside, true, false, told);
}

static void tell_scalars(Placer *placer, const PlanStep *step) {
    if (step->kind == PLAN_ADVANCE_SCALAR) tell(placer, step, step->scalar);
    for (size_t f = 0; step->kind == PLAN_STAGE && f < step->use->formals.count; f++) {
        const Formal *formal = &step->use->formals.items[f];
        if (formal->kind == FORMAL_PLACE && formal->same_as == 0) tell(placer, step, plan_actual(step->use, formal, step->source));
    }
}

static void merge_steps(Placer *placer, const PlanStepVec *steps) {
    for (size_t i = 0; i < steps->count; i++) {
        Merger merger = {placer, steps->items[i]};
        move_touches(placer->arena, placer->task, steps->items[i], merge_touch, &merger);
        tell_scalars(placer, steps->items[i]);
        merge_steps(placer, &steps->items[i]->body);
    }
}

/* What was written elsewhere goes home before it goes on from there. */
bool move_goes_home(const TaskPlan *task, const Transfer *transfer) {
    return transfer->to == hold_home(task, transfer->var, transfer->to->store) && transfer->from != transfer->to;
}

/* ---- What inspectors find ------------------------------------------------------------------------------------------- */
typedef struct Looking {
    Placer *placer;
    Transfer *transfer;
    const Var *array; /* that is looked at */
    const PlanStep *step, *around; /* around: the step that the transfer stands in front of */
    bool inside, fine;
} Looking;

/* The array is written where the transfer learns of it, before it happens. */
static void look_touch(void *data, const MoveTouch *touch) {
    Looking *looking = data;
    if (!touch->write || touch->var != looking->array) return;
    FrameVec around = frames_of(looking->placer, looking->step);
    looking->fine = looking->fine && !looking->inside && frame_above(looking->placer->task, &around, looking->transfer->within).step != NULL;
    if (!looking->fine) return;
    int number = wrote(looking->placer, looking->transfer, looking->step);
    for (size_t i = 0; i < looking->transfer->inspected_after.count; i++)
        if (looking->transfer->inspected_after.items[i] == number) return;
    vec_push(looking->placer->arena, &looking->transfer->inspected_after, number);
    looking->fine = number < 64;
}

static void look_steps(Looking *looking, const PlanStepVec *steps, bool inside) {
    for (size_t i = 0; i < steps->count; i++) {
        looking->step = steps->items[i];
        looking->inside = inside || steps->items[i] == looking->around;
        move_touches(looking->placer->arena, looking->placer->task, looking->step, look_touch, looking);
        look_steps(looking, &steps->items[i]->body, inside || steps->items[i] == looking->around);
    }
}

/* What is looked at is there when the transfer happens: what moves of it has moved by then. */
static bool can_inspect(Placer *placer, Transfer *transfer, const Inspection *inspection) {
    const TaskPlan *task = placer->task;
    FrameVec frames = frames_of(placer, transfer->before);
    for (size_t i = 0; i < inspection->slices.count; i++)
        if (!lps_is_within(inspection->slices.items[i]->step->use->lps, transfer->within)) return false;
    for (size_t i = 0; i < inspection->inputs.count; i++) {
        const Var *array = inspection->inputs.items[i];
        if (!plan_array(task, array)->written) continue;
        for (size_t t = 0; t < task->transfers.count; t++) {
            const Transfer *other = task->transfers.items[t];
            bool moves = other->var == array && other->before == transfer->before && other->kind != TRANSFER_FILE;
            if (moves && (other->step != NULL || other->within != transfer->within)) return false;
        }
        Looking looking = {placer, transfer, array, NULL, frame_above(task, &frames, transfer->within).step, false, true};
        look_steps(&looking, &task->flow, false);
        if (!looking.fine) return false;
    }
    return true;
}

/* Called when what it looks at has its place. */
static void place_inspected(Placer *placer, Transfer *transfer) {
    if (can_inspect(placer, transfer, transfer->to->inspection)) transfer->inspection = transfer->to->inspection;
    place(placer, transfer);
}

/* What its reader asks for is what is found; of who needs more, what has been written moves. */
static bool may_inspect(const Transfer *transfer) {
    return transfer->to->inspection != NULL && transfer->from != transfer->to && transfer->before != NULL && inspect_region(transfer->region) && inspect_region(transfer->needed);
}

void plan_moves(Arena *arena, Plan *plan, TaskPlan *task) {
    Placer placer = {.arena = arena, .task = task, .plan = plan};
    find_renewing(&placer, &task->flow);
    move_find_within(task, &placer.renewing);
    place_renewals(&placer);
    enum { HOME, ONWARD, BY_WHAT_STAYS, BY_WHAT_MOVED, ROUNDS }; /* what is looked at has moved before */
    for (int round = HOME; round < ROUNDS; round++)
        for (size_t i = 0; i < task->transfers.count; i++) {
            Transfer *transfer = task->transfers.items[i];
            if (!move_is_own_step(transfer)) continue;
            int when = ONWARD;
            if (move_goes_home(task, transfer)) when = HOME;
            else if (may_inspect(transfer)) when = inspect_is_steady(task, transfer->to->inspection) ? BY_WHAT_STAYS : BY_WHAT_MOVED;
            if (when == round && round <= ONWARD) place(&placer, transfer);
            if (when == round && round > ONWARD) place_inspected(&placer, transfer);
        }
    merge_steps(&placer, &task->flow); /* what is watched has moved before */
    rebuild(&placer, &task->flow, NULL);
}
