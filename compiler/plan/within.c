/* In which LPUs transfers between address spaces happen: the least that have all who take part, so that nobody else is asked.
 *
 * Needs: holdings, transfers, steps that write all of an array anew. Gives: Transfer.within. Breaks: nothing. */
#include "compiler/mapping/mapping.h"
#include "compiler/plan/moves.h"

typedef struct Finder {
    TaskPlan *task;
    const PlanStepVec *renewing; /* stages that write all of an array anew */
} Finder;

const Lps *move_top_in_turn(const TaskPlan *task, const Lps *lps) {
    while (lps->parent != NULL && !lps->dynamic && !hold_is_local(task, lps) && task->spaces[lps->id].level == task->spaces[lps->parent->id].level) lps = lps->parent;
    return lps;
}

static const Lps *common(const Lps *a, const Lps *b) {
    while (!lps_is_within(b, a)) a = a->parent;
    return a;
}

bool move_is_inside(const TaskPlan *task, const Lps *visit, const Holding *from, const Holding *to) {
    return lps_is_within(common(hold_around(task, from), hold_around(task, to)), move_top_in_turn(task, visit));
}

bool move_is_renewed(const TaskPlan *task, const PlanStep *step, const Transfer *transfer) {
    return hold_is_renewed(task, step, transfer->var, transfer->to->store);
}

/* Some step after which it moves lies in an LPU of the Space. */
static bool moves_after_steps_of(const Transfer *transfer, const Lps *lps) {
    for (size_t i = 0; i < transfer->after.count; i++)
        if (transfer->after.items[i] != NULL && lps_is_within(transfer->after.items[i]->lps, lps)) return true;
    return false;
}

static const Lps *around_steps(const Finder *finder, const Transfer *transfer, const Lps *within) {
    for (size_t i = 0; i < transfer->after.count; i++)
        if (transfer->after.items[i] != NULL) within = common(within, transfer->after.items[i]->lps);
    for (size_t i = 0; i < finder->renewing->count; i++)
        if (move_is_renewed(finder->task, finder->renewing->items[i], transfer)) within = common(within, finder->renewing->items[i]->lps);
    return within;
}

/* The lowest LPUs that have all who take part in them, and lie above the segments; of those that have the elements in a store of their own none
 * above that. `before`: the Space of who needs it; `steps`: where nobody there writes, those that have also who writes, or makes it needless, in them. */
static const Lps *lowest(const Finder *finder, const Transfer *transfer, const Lps *before, bool steps) {
    const TaskPlan *task = finder->task;
    const Lps *within = common(hold_around(task, transfer->from), hold_around(task, transfer->to));
    const Home *chosen = hold_chosen(task, transfer->var, transfer->to->store);
    const bool inside = chosen != NULL && chosen->inside;
    if (before != NULL && !inside) within = common(within, before);
    if (steps && (hold_is_local(task, within) || !moves_after_steps_of(transfer, within))) within = around_steps(finder, transfer, within);
    while (within->parent != NULL && hold_is_local(task, within)) within = within->parent;
    within = rounds_around(task, transfer->var, within, transfer->to->store);
    return lps_is_within(transfer->to->store, within) ? transfer->to->store : within;
}

const Lps *move_reader_space(const TaskPlan *task, const Transfer *transfer) {
    return transfer->before != NULL ? transfer->before->lps : task->task->spaces.items[0];
}

bool move_is_own_step(const Transfer *transfer) { return transfer->step == NULL && transfer->kind != TRANSFER_FILE && transfer->kind != TRANSFER_SCALAR; }

/* What goes home between the same places moves in the same LPUs, or what has moved in some would move again in others, over what is
 * newer by then. */
static const Lps *within_of(const Finder *finder, const Transfer *transfer) {
    const Lps *own = lowest(finder, transfer, move_reader_space(finder->task, transfer), true), *shared = lowest(finder, transfer, NULL, true);
    bool differs = false;
    if (transfer->from == transfer->to) return lowest(finder, transfer, move_reader_space(finder->task, transfer), false); /* between those who have the same elements */
    for (size_t i = 0; move_goes_home(finder->task, transfer) && i < finder->task->transfers.count; i++) {
        const Transfer *other = finder->task->transfers.items[i];
        if (!move_is_own_step(other) || other->from != transfer->from || other->to != transfer->to) continue;
        differs = differs || lowest(finder, other, move_reader_space(finder->task, other), true) != own;
        shared = common(shared, lowest(finder, other, NULL, true));
    }
    return differs ? shared : own;
}

static bool is_below(const Lps *lps, const Lps *other) { return lps != other && lps_is_within(lps, other); }

/* What comes from home moves in no more than the LPUs in which others' elements go there: what moves for several of them in front of the first one's
 * step would bring what is old over what the others have written and not taken home. */
static const Lps *as_home(const Finder *finder, const Transfer *transfer) {
    const Lps *within = transfer->within, *least = lowest(finder, transfer, move_reader_space(finder->task, transfer), false);
    for (size_t i = 0; i < finder->task->transfers.count; i++) {
        const Transfer *other = finder->task->transfers.items[i];
        const bool feeds = move_is_own_step(other) && other->to == transfer->from && other->from != other->to && is_below(other->within, within);
        if (feeds && is_below(common(least, other->within), within)) within = common(least, other->within);
    }
    return within;
}

/* ---- What goes home with more than was written -------------------------------------------------------------------- */

static bool contains(const PlanStepVec *steps, const PlanStep *step) {
    for (size_t i = 0; i < steps->count; i++)
        if (steps->items[i] == step || contains(&steps->items[i]->body, step)) return true;
    return false;
}

/* There is a first round, as literals say. */
static bool has_rounds(const PlanStep *step) {
    const Expr *range = step->kind == PLAN_REPEAT_FOR && step->source->step == NULL ? step->source->range : NULL;
    if (range == NULL || range->kind != EXPR_RANGE || range->left == NULL || range->right == NULL) return false;
    return range->left->kind == EXPR_INTEGER && range->right->kind == EXPR_INTEGER && range->left->integer <= range->right->integer;
}

/* In an LPU of `within` those below it, or some of them, do not run the step, perhaps. */
static bool some_run(const PlanStepVec *steps, const PlanStep *step, const Lps *within) {
    for (size_t i = 0; i < steps->count; i++) {
        const PlanStep *around = steps->items[i];
        if (around == step || !contains(&around->body, step)) continue;
        const bool all = around->kind == PLAN_LPUS || around->kind == PLAN_SUB_PARTS || has_rounds(around) || lps_is_within(within, around->lps);
        return !all || some_run(&around->body, step, within);
    }
    return false;
}

/* What is noted of the writer in such LPUs, for what goes home, is more than it has written: all of the parts. */
static bool is_noted_beside(const TaskPlan *task, const PlanStep *writer, const Var *var, const Lps *within) {
    PlanStep note = {.kind = PLAN_WROTE, .source = writer->source, .lps = (Lps *)within};
    const TellingPlace place = {&note, writer};
    if (some_run(&task->flow, writer, within)) return true;
    for (size_t i = 0; writer->kind == PLAN_STAGE && i < writer->regions.count; i++) {
        const Region *region = writer->regions.items[i];
        for (int d = 0; d < region->rank && region->write && region->var == var; d++) {
            const Expr *low = region->dims[d].low, *high = region->dims[d].high;
            if (region_rank(&region->dims[d]) == 1 || (low != NULL && !move_can_tell(task, &place, low)) || (high != NULL && !move_can_tell(task, &place, high))) return true;
        }
    }
    return false;
}

/* What comes from home to the same place, in front of whichever step, comes for some of those LPUs alone. */
static bool comes_to_some(const TaskPlan *task, const Transfer *transfer, const Lps *within) {
    for (size_t i = 0; i < task->transfers.count; i++) {
        const Transfer *other = task->transfers.items[i];
        if (move_is_own_step(other) && other->from == transfer->from && other->to == transfer->to && some_run(&task->flow, other->before, within)) return true;
    }
    return false;
}

/* Who sends home more than was written, for several LPUs, has got all that was new there, for all of them: what comes from home moves in as many. */
static const Lps *as_sent_home(const TaskPlan *task, const Transfer *transfer) {
    const Lps *within = transfer->within;
    for (size_t i = 0; i < task->transfers.count; i++) {
        const Transfer *other = task->transfers.items[i];
        if (!move_is_own_step(other) || other->from != transfer->to || other->to != transfer->from || !is_below(within, other->within)) continue;
        if (hold_is_one_leader(task, other->from, other->to) || !comes_to_some(task, transfer, other->within)) continue;
        bool beside = false;
        for (size_t w = 0; w < other->after.count; w++) beside = beside || (other->after.items[w] != NULL && is_noted_beside(task, other->after.items[w], other->var, other->within));
        if (beside) within = other->within;
    }
    return within;
}

void move_find_within(TaskPlan *task, const PlanStepVec *renewing) {
    const Finder finder = {task, renewing};
    for (size_t i = 0; i < task->transfers.count; i++)
        if (move_is_own_step(task->transfers.items[i])) task->transfers.items[i]->within = within_of(&finder, task->transfers.items[i]);
    for (size_t i = 0; i < task->transfers.count; i++) {
        Transfer *transfer = task->transfers.items[i];
        if (move_is_own_step(transfer) && transfer->from != transfer->to && transfer->from == hold_home(task, transfer->var, transfer->from->store))
            transfer->within = as_home(&finder, transfer);
    }
    for (size_t i = 0; i < task->transfers.count; i++) {
        Transfer *transfer = task->transfers.items[i];
        if (move_is_own_step(transfer) && transfer->from != transfer->to && transfer->from == hold_home(task, transfer->var, transfer->from->store))
            transfer->within = as_sent_home(task, transfer);
    }
}
