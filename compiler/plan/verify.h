/* Inside plan_verify. The verifier takes from the plan what it decides (where arrays are stored, which steps stand where) and
 * works out everything else once more, in the plainest way: what bodies do, which elements can meet, and whether on every path
 * through the flow something stands between. It shares no code with the passes that it checks.
 *
 *   verify.c        plan_verify; the plan's shape; waits
 *   verify_crews.c  waits of crews that have one leader, on cards
 *   verify_graph.c  the flow as points and edges, and what each point reads and writes
 *   verify_touches.c  what a point touches: where it is held, which elements
 *   verify_transfers.c  what moves between holdings
 *   verify_names.c  what regions name when they move
 *   verify_notes.c  what notes name beside what a step has written
 *   verify_epochs.c  where Epochs that several address spaces run take and give what they advance
 *   verify_merges.c  what several address spaces have alike and one writes
 *   verify_steps.c  transfers between address spaces as steps of the flow
 *   verify_reads.c  what is read of files, where elements of other arrays say it
 *   verify_moves.c  copies, padding, reductions, versions, counters: what moves values from one place to another
 */
#ifndef HP5_PLAN_VERIFY_H
#define HP5_PLAN_VERIFY_H
#include "compiler/plan/plan.h"

/* One variable at one point. */
typedef struct Touch {
    const Var *var;
    const Lps *lps;   /* where it happens */
    const Lps *store; /* whose LPU has the elements */
    bool write, everyone /* all threads of the LPU, not its leader alone */, partial /* not the variable: the LPU's part of a result */;
    bool neighbours; /* by an exchange: LPUs of `lps`, whose padding it is, have waited for each other */
} Touch;

typedef struct Edge {
    size_t to;
    const Lps *visit; /* to the next LPU of this Space: another thread may be there already; else NULL */
    bool round;       /* to the next round of a loop */
    bool skips;       /* past the body of a condition */
} Edge;

typedef struct Point {
    const PlanStep *step; /* NULL: the end */
    const Lps *waits;     /* threads of its group wait here for each other */
    bool done;            /* behind what the step does */
    size_t within;        /* the point of the step around it; 0: none */
    VEC(Touch) touches;
    VEC(Touch) apart; /* what an exchange, or an Epoch, of what several address spaces have takes and gives */
    VEC(Edge) next, last; /* `last`: where one comes from; Edge.to is that point */
} Point;

typedef struct Graph {
    Arena *arena;
    const TaskPlan *task;
    VEC(Point) points; /* 0: the start; the one after all steps comes last */
    const Step **around; /* by Step.id: the step that it stands in, NULL at the top */
    VEC(struct StageTouches *) stages; /* by StageInstance.id */
    size_t within; /* while it is built */
    size_t *mark, *queue;
    size_t marked;
} Graph;

Graph *verify_graph(Arena *arena, const TaskPlan *task);
/* The Space whose LPUs' padded parts are the array, or Root. */
const Lps *verify_home(const Graph *graph, const Var *var);
bool verify_is_padded(const Lps *lps, const Var *var);
/* LPUs of other Spaces work on them. */
bool verify_is_home_of_several(const Graph *graph, const Var *var);
/* verify_touches.c: what the step at the start leaves in the variable is of no use to anybody. */
bool verify_is_scratch(const Graph *graph, size_t start, const Var *var);
/* verify_steps.c: all LPUs run the step at the point. */
bool verify_all_run(const Graph *graph, const Point *point);
/* `step` comes from `outer` or from something in it. */
bool verify_is_in(const Graph *graph, const PlanStep *step, const Step *outer);
/* verify_epochs.c: what stages read at current where versions have changed places. */
void verify_rotations(const Graph *graph);
/* … where all that the Epoch at the point advances is, for those who have it elsewhere; NULL: nobody has, or LPUs have the same. */
const Holding *verify_advanced(const Graph *graph, const Point *point);
/* verify_merges.c: of a step at the point that writes elements which several address spaces have. */
void verify_merges(const Graph *graph, size_t point, const Holding *at);
/* Behind the step, all who run the LPU have what was written, of the variable there, since somebody remembered it: the holding, too. */
bool verify_is_merged_in(const TaskPlan *task, const PlanStep *step, const Holding *holding, const Var *var, const Lps *store);
/* … and so has whoever else has elements of it in the holding, in whichever LPU. */
bool verify_is_merged_for_all(const TaskPlan *task, const PlanStep *step, const Holding *at);
/* Several address spaces have the same elements of it: leaders above the segments, or who has parts of LPUs. */
bool verify_have_same(const TaskPlan *task, const Holding *at);
/* Sub-partitions of one LPU have elements of it in common. */
bool verify_rounds_have_same(const Lps *rounds, const Var *var);
/* verify_names.c: what the writer has written of the dimension has the same name at the point, unless one of the transfers has moved it by then. */
bool verify_still_names(const Graph *graph, size_t at, const Transfer *transfer, const Transfer *other, const PlanStep *writer, const RegionDim *dim);
/* It names the same in one LPU whenever it is evaluated. */
bool verify_stays(const RegionDim *dim);
/* The dimension names the same elements whenever it is evaluated: scalars among them nothing changes. */
bool verify_is_constant(const Graph *graph, const RegionDim *dim);
/* Some elements may be in both, as far as literals tell. */
bool verify_may_overlap(const Region *a, const Region *b);
/* verify_notes.c: the note of the transfer's step number `after`, if it names other elements than that has written. */
typedef struct Note {
    const PlanStep *writer;
    const PlanStep *step; /* NULL: it names no others */
    const Region *region; /* of several that the writer writes and that are named each by itself, the one at hand; NULL: the writer is no stage */
} Note;
Note verify_note_beside(const Graph *graph, const Transfer *transfer, size_t after);
/* The dimension has what the note names, of the region at hand. */
bool verify_is_as_noted(const Graph *graph, const Note *note, const RegionDim *moved, int d);
/* Where the edge leads, which is into the first round of a loop that has one. */
size_t verify_enter(const Graph *graph, const Edge *edge);
/* Of the dimension all moves at the step: what its region names has no value there. */
bool verify_moves_untold(const Graph *graph, const PlanStep *step, int d);
/* verify_turns.c: of the transfer that happens at the point. */
void verify_turns(const Graph *graph, size_t point, const Transfer *transfer);
/* The same address space has both, in one store: what leaders of LPUs have which lie in one PPU. */
bool verify_is_one_leader(const TaskPlan *task, const Holding *a, const Holding *b);
/* An Epoch of LPUs that several address spaces run: each advances all that it has of them. */
bool verify_advances_for_all(const TaskPlan *task, const PlanStep *step);
/* … and of scalars that all address spaces have and one LPU writes. */
void verify_told(const Graph *graph);
/* verify.c: the Space whose LPU's leader runs an LPU of `lps`: what has one LPU, or is walked, has the leader of what is above. */
const Lps *verify_leader(const Lps *lps);
/* Two touches of one element are made by the same leader, whichever LPUs they are of. */
bool verify_leader_makes_both(const Touch *a, const Touch *b);
/* verify_crews.c */
void verify_crews(Graph *graph);
/* verify_moves.c, verify_transfers.c, verify_steps.c */
void verify_moves(Graph *graph);
/* Where a touch of the point finds the variable; the store above a copy that is filled or handed back. */
const Holding *verify_held(const Graph *graph, const Point *point, const Touch *touch);
/* verify_touches.c: what is written there, or needed, is followed to who has it elsewhere. */
bool verify_is_tracked(const Graph *graph, const Point *point, const Touch *touch);
Region *verify_all_of(const Graph *graph, const Touch *touch);
/* Of the variable, as a stage, a condition or an epoch touches it; none: all of it. */
RegionVec verify_regions_at(const Graph *graph, const Point *point, const Touch *touch);
void verify_transfers(Graph *graph);
void verify_steps(Graph *graph);
void verify_reads(const Graph *graph);
/* Ends the compiler: what is missing, and where. */
__attribute__((noreturn, format(printf, 3, 4))) void verify_fail(const Graph *graph, const Point *point, const char *format, ...);
#endif
