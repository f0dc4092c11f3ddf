/* Inside the planner: the state of one task's planning and the seams between its files.
 *
 *   plan.c          plan_program: the order of the passes
 *   stage_uses.c    what bodies do with variables → StageUse
 *   index_arrays.c  subscripts that come from arrays of indices
 *   guards.c        what conditions say of values
 *   storage.c       homes of arrays, copies, rotation; scalars
 *   dependence.c    which two accesses need which synchronisation
 *   oldest.c        versions that need no memory of their own
 *   steps.c         Step → PlanStep, one to one, with copies, exchanges, epochs and reductions in place
 *   split.c         Spaces whose LPUs need each other's results half-way are cut into several visits
 *   place.c         waits where dependences need them; Dependences
 *   footprint.c     which elements a stage touches
 *   levels.c        what runs on which PPUs; arrange.c: placement statements
 *   touches.c       what steps touch, for the next two
 *   scratch.c       arrays of which nothing moves
 *   everywhere.c    stages above the segments that all of them run
 *   hold.c          where data are held under the mapping; transfer.c: what moves; regions.c: regions compared
 *   moves.c         what moves as steps of the flow; telling.c: regions that can be told there; in_time.c: whether that is soon enough
 *   rounds_alike.c  sub-partitions above the segments that have elements in common
 *   homes.c         the last three, and where else an array is at home if they do not fit
 *   inspect.c       what is read by indices that no formula tells
 *   gaps.c          which indices processes have side by side
 *   crews.c         waits of cards, where crews of several sizes have one leader
 *   overlap.c       messages that travel while LPUs run
 *   verify.c        --verify: the proof; see verify.h
 *   dump_plan.c     --dump=plan; dump_moves.c: what is touched, held and moved
 *   remarks.c       --remarks
 */
#ifndef HP5_PLAN_INTERNAL_H
#define HP5_PLAN_INTERNAL_H
#include "compiler/check/walk.h"
#include "compiler/plan/plan.h"

/* What a body does with one variable as it names it. */
typedef struct BodyUse {
    Var *var;
    bool read, written, reduced, mentioned; /* mentioned: only its ranges */
    int max_lag;
    ReduceOp op;
    Type *value_type; /* reduced */
    Span span;        /* of the first statement that reduces */
} BodyUse;
typedef VEC(BodyUse) BodyUseVec;

typedef struct Planner {
    Arena *arena;
    Diags *diags;
    Plan *plan;
    TaskPlan *task;
    VEC(const Step *) calls;      /* every STEP_CALL, in order */
    VEC(StageUse *) call_uses;    /* parallel: its use */
    VEC(BodyUseVec *) stage_uses; /* by StageInstance.id, once asked for */
    int lockstep_count;
    struct ResolvedMapping *mapping; /* what will be resolved later, where PlanOptions.machine is given; NULL: not, or with errors */
} Planner;

/* stage_uses.c */
void plan_expr_uses(Arena *arena, const Expr *expr, BodyUseVec *uses);
void plan_collect_calls(Planner *planner, const StepVec *steps);
void plan_build_uses(Planner *planner);  /* formals but for holder, slot, interval … */
void plan_gathers(Planner *planner);
void plan_finish_uses(Planner *planner); /* the rest, once storage is known */
bool plan_part_is_interval(const Lps *lps, const Var *var, int dimension);
StageUse *plan_use_of(const Planner *planner, const Step *call);

/* storage.c */
void plan_storage(Planner *planner);
ArrayPlan *plan_array(const TaskPlan *task, const Var *var);
/* A scalar that nothing in the flow writes. */
bool plan_is_constant_of_run(const Planner *planner, const Var *var);
bool lps_lists_padded(const Lps *lps, const Var *var);
/* At most one LPU in each LPU of `ancestor` (which is above or equal). */
bool lps_is_single_in(const Lps *lps, const Lps *ancestor);
/* Whether LPUs of `lps`, or of one above it, may have the same element of the store of `base`. */
bool plan_is_shared(const Lps *base, const Lps *lps, const Var *var);
/* LPUs of other Spaces work on the padded parts that are the array; with the padding. */
bool plan_home_is_shared(const TaskPlan *task, const ArrayPlan *array);
bool plan_padding_is_shared(const TaskPlan *task, const ArrayPlan *array);
/* The LPS whose LPU's store an access from `lps` reaches: home or a COPY level, or Root. */
const Lps *plan_store_level(const TaskPlan *task, const Var *var, const Lps *lps);

/* rotate.c */
/* Why epochs cannot just exchange the array's two buffers; NULL when they can. */
const char *plan_rotation_obstacle(Planner *planner, const ArrayPlan *array);
/* Buffers of such an array change places before the epoch; else its end makes them equal. */
bool plan_epoch_rotates(Planner *planner, const ArrayPlan *array, const Step *epoch);
/* The variable of a place: u of u[i].speed. */
const Var *plan_root_of(const Expr *place);
/* exact_writes.c: the region that the stage of the call writes of the array, if it is known to write all of it and nothing else; or NULL. */
const Region *plan_region_exactly(Arena *arena, const Step *call, const Var *array);
/* What its stages read at current, where buffers change places before it. */
RegionVec plan_epoch_takes(Planner *planner, const ArrayPlan *array, const Step *epoch);

/* guards.c: conditions that hold (or do not) where an expression is evaluated, and what has run since, from the last to the first; and what they
 * say of a value: that it is no less than `least`, and not `unlike`; or no more than the value of `by` and `more`. */
typedef struct Guard {
    const Expr *condition;
    bool holds;
    const struct Guard *outer;
    const Stmt *changes; /* NULL, or: it has run since; a loop around the expression: rounds of it, where the condition, if there is one, held behind each */
} Guard;
typedef struct GuardedValue { bool least_is_known, unlike_is_known; int64_t least, unlike; } GuardedValue;
typedef struct GuardedBound { const Expr *by; /* NULL: none */ int64_t more; } GuardedBound;
/* Every expression of the block, parents first. */
void guards_walk(Block *block, void (*on_expr)(Expr *expr, const Guard *guard, void *data), void *data);
/* Takes literals off that are added: what stays is expr - *offset, which they are added to. */
const Expr *plan_without_literals(const Expr *expr, int64_t *offset);
GuardedValue guards_say(const Guard *guard, const Block *body, const Expr *value);
/* The first one, from the expression outwards, for which fits(by, data). */
GuardedBound guards_bound(const Guard *guard, const Block *body, const Expr *value, bool (*fits)(const Expr *by, void *data), void *data);

/* oldest.c */
void plan_oldest(Planner *planner); /* needs the flow's steps */

/* A condition or range of the Computation reads its elements. */
bool plan_flow_reads(Planner *planner, const StepVec *steps, const Var *var);

/* dependence.c */
typedef struct Access {
    const Var *var;
    const Lps *lps;  /* where the accessing step stands */
    const Lps *base; /* LPS whose LPU owns the store (arrays), or the scalar's home */
    bool write;
    bool everyone;    /* every thread of the group, not only the leader (flow conditions) */
    bool neighbours;  /* an exchange of padding: those within `lps` wait for each other there anyway */
    int max_lag;      /* of what is read */
    const char *what; /* "stage refineEstimates", "the condition" */
} Access;
typedef VEC(Access) AccessVec;
/* Equal but for `what` and lags. */
bool plan_same_access(const Access *a, const Access *b);
/* All accesses of a step and of everything in it, each once. */
void plan_step_accesses(const Planner *planner, const PlanStep *step, AccessVec *out);
/* Only of the step itself (its condition, call or copy), not of its body. */
void plan_own_accesses(const Planner *planner, const PlanStep *step, AccessVec *out);
/* The LPS whose LPU's group must synchronise between the two, or NULL. */
const Lps *plan_conflict(const Access *first, const Access *second);
/* The LPS whose LPU's leader runs an LPU of `lps`. */
const Lps *plan_led_by(const Lps *lps);
/* Two accesses that conflict, and need nothing because one thread, the leader of an LPU, makes both. */
bool plan_is_for_leader(const Access *first, const Access *second);

/* steps.c, split.c, place.c */
PlanStep *plan_step_new(Planner *planner, PlanStepKind kind, const Step *source, Lps *lps);
/* The LPS in which the body of `step`, a step in `lps`, stands. */
const Lps *plan_body_space(const PlanStep *step, const Lps *lps);
/* The condition under which an LPU does anything at all in a visit, or NULL. */
const Step *plan_turn_of(const Planner *planner, const Step *visit);
void plan_flow(Planner *planner);
/* own_parts.c: whether LPUs of the Space, whose padded parts overlap, may work in one array: of the current version they touch their own elements alone. */
bool plan_keeps_to_own_parts(Planner *planner, const Lps *lps, const Var *var);
/* Of what such LPUs touch at current: that it is their own. */
void plan_own_regions(const TaskPlan *task, RegionVec *regions);
/* The Space for whose LPUs the Epoch advances the array: its own, or the one around, if padded parts of its LPUs overlap in one store. */
Lps *plan_epoch_space(const ArrayPlan *array, const Step *epoch);
/* kept_copies.c */
/* LPUs of the Space, which alone has copies of the array, may keep them. */
/* Stages in the Epoch work on copies of such an array, not on the whole. */
bool plan_epoch_is_of_copies(const Planner *planner, const ArrayPlan *array, const Step *epoch);
bool plan_is_collected(const Planner *planner, const Var *var);
bool plan_may_keep(Planner *planner, const Var *var, const Lps *lps);
void plan_keep(Planner *planner);
void plan_split(Planner *planner);
void plan_synchronise(Planner *planner);
/* Leaves out what --omit-transfer asks for. */
void plan_omit(Planner *planner);
/* … and --omit-sync: when all waits stand, those of crews.c, too, which would else take the place of one that is left out. */
void plan_omit_waits(Plan *plan, TaskPlan *task);

/* remarks.c: needs the finished plan of a task */
void plan_remarks(Planner *planner);
#endif
