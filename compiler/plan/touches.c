/* What a step touches, for the passes that say what moves: a stage's regions, what a condition asks for, a copy and the store above
 * it. What moves together is one region. */
#include "compiler/check/walk.h"
#include "compiler/plan/moves.h"

Region *move_whole(Arena *arena, const Var *var, const Lps *lps, RegionKind kind) {
    Region *region = ARENA_NEW(arena, Region);
    *region = (Region){.var = var, .lps = lps, .rank = var_is_array(var) ? var->type->rank : 0};
    for (int d = 0; d < region->rank; d++) region->dims[d].kind = kind;
    return region;
}

typedef struct Toucher {
    Arena *arena;
    const TaskPlan *task;
    const Lps *lps;
    bool everyone;
    const Lps *copies;
    void (*visit)(void *data, const MoveTouch *touch);
    void *data;
} Toucher;

static void touch(const Toucher *toucher, const Var *var, const Region *region, bool write) {
    MoveTouch what = {var, toucher->lps, region, write, toucher->everyone, toucher->copies};
    toucher->visit(toucher->data, &what);
}

static void touch_scalar(const Toucher *toucher, const Var *var, bool write) {
    if (var == NULL || var->kind != VAR_GLOBAL || var_is_array(var) || plan_scalar_is_private(toucher->task, var)) return;
    touch(toucher, var, move_whole(toucher->arena, var, var->home, REGION_WHOLE), write);
}

bool move_runs_everywhere(const TaskPlan *task, const PlanStep *step) {
    if (step->everywhere) return true;
    for (size_t i = 0; i < step->use->formals.count; i++)
        if (step->use->formals.items[i].kind == FORMAL_VIEW) return false;
    return !hold_is_local(task, step->use->lps);
}

/* Two regions that differ in one dimension, in which one of them is no single index, are one with what has both there. */
static Region *joined(Arena *arena, const Region *a, const Region *b) {
    int differ = 0, at = -1;
    if (a->var != b->var || a->lps != b->lps || a->write != b->write || a->lag != b->lag) return NULL;
    for (int d = 0; d < a->rank; d++) {
        if (region_dim_equal(&a->dims[d], &b->dims[d])) continue;
        differ++;
        at = d;
    }
    if (differ != 1 || (region_rank(&a->dims[at]) < 2 && region_rank(&b->dims[at]) < 2)) return NULL;
    Region *region = ARENA_NEW(arena, Region);
    *region = *a;
    region->dims[at] = region_dim_joined(a, b, at);
    return region;
}

static int size_of(const Region *region) {
    int size = 0;
    for (int d = 0; d < region->rank; d++) size += region_rank(&region->dims[d]);
    return size;
}

/* What the stage touches, in fewer and larger regions: what moves together is one movement. The largest come first: what they bring
 * need not move again for others. */
static RegionVec join_regions(Arena *arena, const RegionVec *regions) {
    RegionVec result = {0};
    for (size_t i = 0; i < regions->count; i++) {
        Region *region = regions->items[i];
        size_t kept = 0;
        for (size_t j = 0; j < result.count; j++) {
            Region *more = region_equal(result.items[j], region) ? region : joined(arena, result.items[j], region);
            if (more == NULL) result.items[kept++] = result.items[j];
            else region = more;
        }
        result.count = kept;
        vec_push(arena, &result, region);
        for (size_t at = kept; at > 0 && size_of(result.items[at - 1]) < size_of(region); at--) {
            result.items[at] = result.items[at - 1];
            result.items[at - 1] = region;
        }
    }
    return result;
}

static void touch_stage(const Toucher *toucher, const PlanStep *step) {
    const StageUse *use = step->use;
    RegionVec regions = join_regions(toucher->arena, &step->regions);
    for (int write = 0; write < 2; write++) {
        for (size_t i = 0; i < regions.count; i++)
            if (regions.items[i]->write == write) touch(toucher, regions.items[i]->var, regions.items[i], write);
        for (size_t i = 0; i < use->formals.count; i++) {
            const Formal *formal = &use->formals.items[i];
            if (formal->kind == FORMAL_PARTIAL || !(write ? formal->written : formal->read)) continue;
            if (!write || !move_runs_everywhere(toucher->task, step)) touch_scalar(toucher, plan_actual(use, formal, step->source), write);
        }
    }
}

static bool touch_asked(Expr *expr, void *data) {
    if (expr->kind == EXPR_VAR) touch_scalar(data, expr->var, false);
    return true;
}

static void touch_control(Toucher *toucher, const PlanStep *step) {
    Expr *const asked[] = {step->source->condition, step->source->range, step->source->step};
    toucher->everyone = true;
    for (int e = 0; e < 3; e++) {
        RegionVec regions = footprint_of_expr(toucher->arena, asked[e], toucher->lps);
        for (size_t i = 0; i < regions.count; i++) touch(toucher, regions.items[i]->var, regions.items[i], false);
        walk_expr(asked[e], touch_asked, toucher);
    }
}

const Region *move_all_versions(Arena *arena, const Var *var, const Lps *lps) {
    Region *region = ARENA_NEW(arena, Region);
    *region = *move_whole(arena, var, lps, REGION_PART);
    region->lag = var->versions - 1;
    return region;
}

/* Older versions go both ways, but where buffers change places: what is handed back there is the newest for all of them. */
static void touch_copy(Toucher *toucher, const PlanStep *step) {
    const Var *var = step->array->var;
    bool fills = step->kind == PLAN_COPY_IN;
    Region *read = move_whole(toucher->arena, var, step->lps, fills ? REGION_PART : REGION_OWN);
    read->lag = fills || !step->array->rotates ? var->versions - 1 : 0;
    const Region *written = move_whole(toucher->arena, var, step->lps, fills ? REGION_PART : REGION_OWN);
    for (int write = 0; write < 2; write++) {
        bool above = fills == (write == 0);
        toucher->lps = above ? step->lps->parent : step->lps;
        toucher->copies = above ? step->lps : NULL;
        touch(toucher, var, write ? written : read, write != 0);
    }
}

/* An Epoch takes the newest of all elements on into older versions. That of LPUs which several segments run happens in each of them, with
 * all that it has. */
static void touch_epoch(const Toucher *toucher, const PlanStep *step) {
    const Var *var = step->array->var;
    if (step->rotates || !hold_is_local(toucher->task, step->lps)) return;
    touch(toucher, var, move_all_versions(toucher->arena, var, step->lps), false);
    touch(toucher, var, move_whole(toucher->arena, var, step->lps, REGION_PART), true);
}

void move_touches(Arena *arena, const TaskPlan *task, const PlanStep *step, void (*visit)(void *data, const MoveTouch *touch), void *data) {
    Toucher toucher = {arena, task, step->lps, step->everywhere, NULL, visit, data};
    switch (step->kind) {
    case PLAN_STAGE: touch_stage(&toucher, step); break;
    case PLAN_LOCKSTEP:
        toucher.lps = step->space;
        touch_control(&toucher, step);
        break;
    case PLAN_REPEAT_FOR:
    case PLAN_REPEAT_WHILE:
    case PLAN_IF: touch_control(&toucher, step); break;
    case PLAN_COPY_IN:
    case PLAN_COPY_OUT: touch_copy(&toucher, step); break;
    case PLAN_EPOCH: touch_epoch(&toucher, step); break;
    default: break;
    }
}
