/* Inside the passes that say what moves: what a step touches, and where that is held. */
#ifndef HP5_PLAN_MOVES_H
#define HP5_PLAN_MOVES_H
#include "compiler/plan/internal.h"

/* touches.c: one variable in one step, as a stage, a condition, or a copy touches it. */
typedef struct MoveTouch {
    const Var *var;       /* the global */
    const Lps *lps;       /* where the step stands; of what a copy is filled from, the Space above it */
    const Region *region; /* of a scalar: of rank 0 */
    bool write;
    bool everyone;        /* every segment of the LPU asks for it */
    const Lps *copies;    /* it is what the copies of the LPUs of that Space are filled from, or are handed back to; else NULL */
} MoveTouch;
/* Calls `visit` for everything that the step itself touches, reads before writes. */
void move_touches(Arena *arena, const TaskPlan *task, const PlanStep *step, void (*visit)(void *data, const MoveTouch *touch), void *data);

/* The array in `lps`, in all dimensions alike; of a scalar, a region of rank 0. */
Region *move_whole(Arena *arena, const Var *var, const Lps *lps, RegionKind kind);
/* … of all versions. */
const Region *move_all_versions(Arena *arena, const Var *var, const Lps *lps);

/* regions.c */
/* The whole part in every dimension. */
bool region_is_all(const Region *region);
/* In each dimension the lesser of what was written and what is needed; of what no formula tells, what is needed, where an inspection finds it. */
const Region *region_both(Arena *arena, const Region *written, const Region *needed, bool inspected);
/* Read or written, of whatever version. */
bool region_same_elements(const Region *a, const Region *b);
/* One of the regions has all of it, of whatever version. */
bool region_is_among(const RegionVec *regions, const Region *region);
/* All that the one dimension names is in the other, as far as ends tell that differ by literals. */
bool region_dim_is_within(const RegionDim *inner, const RegionDim *outer);
/* An expression in it asks for the variable. */
bool region_dim_names(const RegionDim *dim, const Var *var);
bool region_names(const Region *region, const Var *var);

/* hold.c */
/* LPUs of `lps` lie in one address space each. */
bool hold_is_local(const TaskPlan *task, const Lps *lps);
/* Where a step in `lps` finds the variable; NULL before it is held. */
Holding *hold_find(const TaskPlan *task, const Var *var, const Lps *lps, bool everyone);
Holding *hold_touched(const TaskPlan *task, const MoveTouch *touch);
/* What the copies of `lps` are filled from. */
Holding *hold_above(const TaskPlan *task, const Var *var, const Lps *lps);
/* What the environment has of it, or NULL. */
Holding *hold_item(const TaskPlan *task, const Var *var);
/* Where the array is at home, in the store: the one that was chosen (TaskPlan.homes), else of several
 * holdings in parts, or as a whole, the one that is written last; NULL: none is. */
const Holding *hold_home(const TaskPlan *task, const Var *var, const Lps *store);
/* What was chosen, or NULL. */
const Home *hold_chosen(const TaskPlan *task, const Var *var, const Lps *store);
/* Places that can be the home, the fittest first; `inside`: in transfers of such LPUs. */
void hold_homes(Arena *arena, const TaskPlan *task, const Var *var, const Lps *store, bool inside, HomeVec *out);
/* Padded parts are the array, and several segments may run an LPU that has one: each holds what its own LPUs in there touch. */
bool hold_divides_home(const TaskPlan *task, const ArrayPlan *array);
/* The step, an Epoch of LPUs that several segments run each, and not all, advances versions of elements that some holding outside has, too.
 * Each of these segments advances what it has in there. */
bool hold_epoch_is_heard(const TaskPlan *task, const PlanStep *step);
/* … where the holding is that has all of them afterwards; NULL: LPUs have elements in common, or nothing in them is held. */
const Holding *hold_advanced(const TaskPlan *task, const PlanStep *step);
/* One address space has both, in one store: what leaders of LPUs in one PPU have. */
bool hold_is_one_leader(const TaskPlan *task, const Holding *a, const Holding *b);
/* The Space in whose LPUs the holding's parts lie beside each other: its own, or, of what its copies are filled from, the one above. */
const Lps *hold_around(const TaskPlan *task, const Holding *holding);
/* The step writes all of the array anew, as far as it lies in the store. */
bool hold_is_renewed(const TaskPlan *task, const PlanStep *step, const Var *var, const Lps *store);
/* The Space whose LPUs have the array when the task has ended; NULL: no stage writes it. */
const Lps *hold_owner(const TaskPlan *task, const Var *var);
void plan_hold(Arena *arena, TaskPlan *task);

/* rounds_alike.c: of LPUs of `lps`, in the store. */
/* Those in which it moves: around rounds over sub-partitions above the segments that have all of the array in common. */
const Lps *rounds_around(const TaskPlan *task, const Var *var, const Lps *lps, const Lps *store);
/* Sub-partitions around them that have some elements in common, and not all; or NULL. */
const Lps *rounds_mixed(const TaskPlan *task, const Var *var, const Lps *lps, const Lps *store);
/* transfer.c */
void plan_transfer(Arena *arena, TaskPlan *task);
/* serve.c */
/* It moves what the step has written; NULL: what was there at the start. */
bool move_follows(const Transfer *transfer, const PlanStep *writer);
/* Both move between the same places in front of the same step. */
bool move_stands_with(const Transfer *a, const Transfer *b);
/* The step in its own words: "exchange in Space A (line 65)"; NULL: "the end". */
const char *move_step_name(Arena *arena, const TaskPlan *task, const PlanStep *step);
void plan_serve(Arena *arena, Plan *plan, TaskPlan *task);
/* moves.c: transfers between address spaces as steps of the flow. */
void plan_moves(Arena *arena, Plan *plan, TaskPlan *task);
/* in_time.c: why the transfer cannot happen where it stands, as the end of a sentence, or NULL. */
const char *move_obstacle(Arena *arena, const TaskPlan *task, const Transfer *transfer);
/* scratch.c: which arrays need not move. */
void plan_scratch(Arena *arena, TaskPlan *task);
/* everywhere.c: which stages above the segments run in all of them. */
void plan_everywhere(Arena *arena, TaskPlan *task);
/* None of the steps and of those in them; whether some did. */
bool plan_at_leaders(const PlanStepVec *steps);
/* homes.c: all of the above, from holdings to steps, for a task of several segments. */
void plan_spread(Arena *arena, Plan *plan, TaskPlan *task);
/* crews.c: waits of cards, where crews of several sizes have one leader. */
void plan_crews(Arena *arena, Plan *plan, TaskPlan *task);
/* overlap.c: which messages are waited for later than where they begin. */
void plan_overlap(TaskPlan *task);
/* gaps.c: of which dimensions segments have indices with gaps, and have them side by side. */
void plan_gaps(Arena *arena, TaskPlan *task);
/* Behind the stage, which writes the array in the holding, all segments that have some of it in that store hear of all that has changed (PLAN_MERGE). */
bool move_is_told(const TaskPlan *task, const PlanStep *step, const Holding *holding);
/* Steps that one decides about, a condition or a loop in `lps`, are run by all processes or by none. */
bool move_decides_for_all(const TaskPlan *task, const Lps *lps);
/* levels.c: the Space around `lps`, or itself, whose one LPU in each LPU of `home` some of the segments run that have the scalar; NULL: all run it. */
/* Where several segments run an LPU of the Space around, not all of them run one of this Space in it: it has several PPUs there, or one of several that lies in
 * a segment. */
bool move_takes_some(const TaskPlan *task, const Lps *lps);
const Lps *move_teller(const TaskPlan *task, const Lps *lps, const Lps *home);
/* It brings to the array's home what was written elsewhere. */
bool move_goes_home(const TaskPlan *task, const Transfer *transfer);
/* within.c: Transfer.within of all that have steps of their own. `renewing`: the steps that write all of an array anew. */
void move_find_within(TaskPlan *task, const PlanStepVec *renewing);
/* It has a step of its own between the steps. */
bool move_is_own_step(const Transfer *transfer);
/* The Space of the step that needs it; at the end, Root. */
const Lps *move_reader_space(const TaskPlan *task, const Transfer *transfer);
/* What was written before the step is of no use to the transfer. */
bool move_is_renewed(const TaskPlan *task, const PlanStep *step, const Transfer *transfer);
/* The highest Space of which those who run an LPU of `lps` run an LPU: above the segments its LPUs run one after the other, in all
 * segments alike, where they have no PPUs of their own. */
const Lps *move_top_in_turn(const TaskPlan *task, const Lps *lps);
/* What moves between the two for a step in an LPU of `visit` moves while that is visited; else in front of the visits. */
bool move_is_inside(const TaskPlan *task, const Lps *visit, const Holding *from, const Holding *to);
/* telling.c */
/* Where a region is evaluated: at a PLAN_MOVE, at the PLAN_WROTE behind `writer`, or at a PLAN_EPOCH, in front of the stages that read it. */
typedef struct TellingPlace {
    const PlanStep *at, *writer;
} TellingPlace;
/* Whether the expression of a region has, there, one value in an LPU of the step's Space, the one that it has where the stage runs. */
bool move_can_tell(const TaskPlan *task, const TellingPlace *place, const Expr *expr);
/* A stage above the segments that runs in every segment alike: it touches scalars alone, or everywhere.c says so. */
bool move_runs_everywhere(const TaskPlan *task, const PlanStep *step);
/* dump_moves.c: what stages touch; holdings and transfers. */
/* "lu[k][part] from the parts of Space B to the leader of Space A" */
void move_print(Arena *arena, const Transfer *transfer, Text *out);
void plan_dump_moves(const TaskPlan *task, const char *sizes, Text *out);
/* volume.c: ": 8 kB", if the array's size is among `sizes` (NULL: none). */
void plan_print_volume(const Transfer *transfer, const char *sizes, Text *out);
#endif
