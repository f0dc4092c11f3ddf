/* Inside the backend for cards: CUDA C++ for the tasks whose LPSes are mapped to a card's levels. The flow is that of threads (../cpu/flow.h),
 * run by every thread of the card; a PPU is a crew of threads, who share the parallel loops of stages (runtime/card/crew.h).
 *
 *   cuda.c         the backend's struct (backend.h)
 *   tiers.c        whether a task runs on a card, and what each LPS's PPUs are there
 *   called.c       which functions of the program run there
 *   obstacles.c    what cannot be done there yet
 *   crew_loops.c   parallel loops that a crew shares     crew_reduce.c   reductions     by_first.c   what its first thread does alone
 *   in_registers.c elements that the rounds of a thread's own loop have in common
 *   fours.c        rounds of such a loop that divide, four at a time          ahead.c        what these read, before they need it
 *   down.c         loops of a thread that go down columns, and what they read, before they need it
 *   abreast.c      two or three of these loops as one, several iterations at a time
 *   tallies.c      sequential loops that do nothing but count
 *   early.c        what rounds read before the first of them computes anything
 *   in_step.c      waits that a crew need not have twice
 *   relays.c       stages that hand elements on, in one walk
 *   near.c         parts of LPUs in shared memory, from round to round of a visit
 *   staged.c       parts of LPUs that come from the host's memory for a visit
 *   streams.c      sequential loops along arrays, which a warp helps its first thread with
 *   owners.c       sequential loops that accumulate in elements that data tell
 *   crew_rows.c    sums along rows
 *   crew_folds.c   loops that collect in locals
 *   teams.c        parts of a crew that have a round of a loop each, and share what stands inside
 *   crew_cost.c    what stages cost a crew (--predict)
 *   host_stages.c  stages of Spaces of the host, which the card asks for
 *   card_text.c    the file of CUDA C++ that belongs to a program
 */
#ifndef HP5_EMIT_CUDA_H
#define HP5_EMIT_CUDA_H
#include "compiler/emit/backend.h"
#include "compiler/emit/emit.h"

/* tiers.c: C text of a Hp5Tier; the level of the task's model that are cards. */
const char *cuda_tier(const TaskPlan *task, const Lps *lps);
const char *cuda_lowest_tier(const TaskPlan *task);
int cuda_card_level(const TaskPlan *task);
/* The lowest LPSes are on warps, and none is on multiprocessors, whose warps would be those of one block. */
bool cuda_warps_are_free(const TaskPlan *task);
/* An LPU of the LPS has one thread. */
bool cuda_by_one_thread(const TaskPlan *task, const Lps *lps);

/* called.c: by Function.id, whether the task's stages or its flow call it, or functions that they call. `called` has room for all. */
void cuda_called(const TaskPlan *task, bool *called);

/* obstacles.c: false, and a message, where the task needs what cards cannot do yet. */
bool cuda_accepts(Arena *arena, const Plan *plan, const TaskPlan *task, Diags *diags);

/* crew_loops.c, crew_reduce.c */
void cuda_schedule(const TaskPlan *task, LoweredBody *code, PlanOptions options);
void cuda_stage(Emit *emit, const LoweredStage *stage, Text *out);
void cuda_stage_cost(Emit *emit, const LoweredStage *stage, Text *out);
/* Around the loops of a nest in a function that says what a stage costs. The first returns whether all threads come to what is inside together. */
bool cuda_cost_begins(Writer *writer, const char *cost, const Nest *nest, int indent);
void cuda_cost_ends(Writer *writer, const char *cost, const Nest *nest, int indent);
/* Behind the stage's statements. */
void cuda_cost_of_end(Writer *writer, const char *cost, int indent);
void cuda_parallel(Writer *writer, const Stmt *stmt, int indent);
void cuda_reduce(Writer *writer, const Stmt *stmt, int indent);
/* Of a nest that reduces in chunks the first loop whose rounds are independent, as those of all inside are: warps take chunks of all of them. */
size_t cuda_first_of_runs(const Nest *nest);
/* By the crew's first thread alone; afterwards all of them have the locals from outside that it has assigned. */
void cuda_by_first(Writer *writer, const Nest *nest, void (*print)(Writer *writer, const Nest *nest, int indent), int indent);
/* abreast.c: the loops of a nest with ROLE_THREAD; whether the last two are walked as one, or the only one can be. */
typedef VEC(const Loop *) Shared;
Shared cuda_shared_loops(Writer *writer, const Nest *nest);
bool cuda_is_walked(const Nest *nest, const Shared *loops);
/* A loop whose rounds follow from nothing else of the nest, without filters. */
bool cuda_is_plain(const Loop *loop);
/* What all filters of the loop ask; NULL: there are none. */
const char *cuda_condition(Writer *writer, const Loop *loop);
/* The rounds of these that a thread has, round robin: of one loop, or of two as one, for which it prints an Hp5Square. What hp5_rounds_abreast goes along; the indices as parameters; the head of
 * a plain loop. */
typedef struct CudaRounds { const char *along, *params, *head; } CudaRounds;
CudaRounds cuda_rounds_of(Writer *writer, const Shared *loops, int indent);
/* crew_rounds.c: they read several at a time; false, and nothing printed, where they do not. `print`: what stands inside. Whether the element, which a round assigns, is what the round means
 * by its array. */
bool cuda_rounds(Writer *writer, const Nest *nest, const CudaRounds *rounds, void (*print)(Writer *writer, const Nest *nest, int indent), int indent);
bool cuda_owns(const Block *block, const Expr *element);
/* A round calls functions, or has loops of some length inside: nothing of another one is on its way meanwhile. */
bool cuda_takes_long(const Block *block);
/* All that stands inside, as it is. */
void cuda_round_body(Writer *writer, const Nest *nest, int indent);
/* With all that stands inside, where several iterations go abreast; false, and nothing printed, where they do not. */
bool cuda_abreast(Writer *writer, const Nest *nest, const Shared *loops, int indent);
/* How many of them, the innermost ones; 0: iterations do not go abreast. */
size_t cuda_abreast_count(Writer *writer, const Nest *nest, const Shared *loops);
/* The innermost two loops of a nest that reduces in any order can be walked as one. */
bool cuda_is_square(const Nest *nest);
/* in_registers.c: the only loop of a nest that is not shared, with what stands inside, where its rounds have elements in common; false, and nothing printed,
 * where they have none. */
bool cuda_in_registers(Writer *writer, const Nest *nest, const Loop *loop, int indent);
/* Whether the block names other elements of the array, of that version. */
bool cuda_names_others(const Block *block, const Expr *element);
/* Stages of the task do little with much memory: they share loops two by two, or sum along rows, or have no loops but such that threads share, and keep no tiles in registers. What counts is
 * how many threads a multiprocessor runs. */
bool cuda_goes_wide(const Emit *emit, const TaskPlan *task);
/* The loops of a nest, by a thread for itself. */
void cuda_one_by_one(Writer *writer, const Nest *nest, int indent);
/* Backend.by_one: neighbouring assignments to elements, or a sequential loop, by the first thread alone; one that does nothing but count by all. */
size_t cuda_by_one(Writer *writer, const Block *block, size_t first, int indent);
/* by_first.c: of the remarks about who runs the loop one is there, however often the stage is printed. */
bool cuda_is_first_remark(Writer *writer, const Stmt *loop);
/* Outside of its parallel loops, or in them, it calls functions that make lists, or change those that they are given; these, or it gives elements of arrays to
 * functions that change them. */
bool cuda_changes_lists(const Stmt *stmt);
bool cuda_changes_elements(const Stmt *stmt);
/* tallies.c: a sequential loop whose iterations may come in any order, and at the same time, if they add to elements as one; its sums, and its text, for all threads of the crew. */
typedef VEC(const Stmt *) Sums;
bool cuda_counts(Writer *writer, const Stmt *stmt, Sums *sums);
void cuda_count(Writer *writer, const Stmt *stmt, const Sums *sums, int indent);
/* relays.c: finds Emit.relays; the stage's part in one of them, or NULL; the text of the group whose first step it is, of so many steps, or 0. */
void cuda_make_relays(Emit *emit, const TaskPlan *task);
const RelayStage *cuda_relay_stage(const Emit *emit, const StageUse *use);
size_t cuda_relay(TaskWriter *tw, const PlanStep *first, int indent);
/* in_step.c: the plan's wait behind that step, the one in front of it, which may be NULL, is what its stage ends with; the loop of a stage with which it begins and for which its crew need not wait, since the
 * plan has it wait in front of the stage; or NULL. */
bool cuda_has_waited(const TaskPlan *task, const PlanStep *stage, const PlanStep *wait);
const Stmt *cuda_first_in_step(const Emit *emit, const TaskPlan *task, const LoweredStage *stage);
/* near.c: the stage's text uses shared memory, or asks for the card's by name. In a visit, the parts that come to shared memory when it begins; and go when it ends. The table of the task's, or NULL. */
typedef VEC(const char *) NearPartVec; /* statements that take them back */
void cuda_note_block_memory(Writer *writer);
NearPartVec cuda_bring_near(TaskWriter *tw, const PlanStep *visit, int indent);
void cuda_take_back(TaskWriter *tw, const NearPartVec *parts, int indent);
const char *cuda_near_table(TaskWriter *tw);
/* Others may read the array at the same time, in the LPUs' parts; somebody reads an older version with no Epoch in front of it. */
bool cuda_has_guests(const TaskPlan *task, const Lps *lps, const Var *array);
bool cuda_reads_older(const TaskPlan *task, const Var *array);
/* staged.c: the arrays of which parts come for each visit of a loop: in front of the loop, where it opens a block if there are any; at the visit's beginning, at its end; behind the loop, where it closes the
 * block. The table of the task's, or NULL. */
typedef VEC(const char *) BatchVec; /* names */
BatchVec cuda_batches(TaskWriter *tw, const PlanStep *visit, int indent);
void cuda_bring_batches(TaskWriter *tw, const BatchVec *batches, const PlanStep *visit, int indent);
void cuda_take_batches(TaskWriter *tw, const BatchVec *batches, const PlanStep *visit, int indent);
void cuda_settle_batches(TaskWriter *tw, const BatchVec *batches, int indent);
const char *cuda_batch_table(TaskWriter *tw);
/* abreast.c: what computes the elements that a stage gives. */
void cuda_give(Writer *writer, const Nest *nest, int indent);
/* early.c: elements that others give to rounds of the block, and, if `own`, such that each round reads at a place that is known when it begins, of arrays of which it does not write the
 * elements `written`. What returns them, for a round, unless there is a condition and it is false; in the round, where `read` is what that has returned, they have names. */
typedef VEC(const Expr *) Elements;
Elements cuda_early(Writer *writer, const Block *block, const Elements *written, bool own);
/* The same of rounds that go abreast, or none where it does not pay: behind filters that read elements, one round's would wait for the other's. target: the element that all a round does
 * gives a value; NULL: it does more. */
Elements cuda_read_early(Writer *writer, const Block *block, const Expr *target, const ExprVec *filters);
/* How many rounds a thread reads for at a time, which go down along that index; NULL: along none. */
enum { ROUNDS_MANY = 8, ROUNDS_FEW = 4 };
int cuda_rounds_abreast(const Elements *early, const Var *down);
void cuda_print_early(Writer *writer, const Elements *elements, const char *condition, int indent);
void cuda_keep_early(Writer *writer, const Elements *elements, const char *read, int indent);
/* A mathematical function that takes few instructions, and no branch. */
bool cuda_is_quick(const char *function);
/* A scalar of the stage, which it writes, has two names there. */
bool cuda_has_second_names(const Writer *writer);
/* streams.c: elements that lie side by side, one for each round of a sequential loop, which reads them, writes them, maybe in some rounds only, or both. least_bytes: of a
 * warp's shared memory with two pieces of what is read; bytes: with all. */
typedef struct Stream { const Expr *element; bool reads, writes, maybe; } Stream;
typedef struct Streams { VEC(Stream) items; size_t least_bytes, bytes; } Streams;
/* Whether the statement is such a loop, what it writes included; its text, for the crew's first warp. */
bool cuda_streams(Writer *writer, const Stmt *stmt, Streams *streams);
/* Of a sequential loop by one: whether its range has no gaps; whether each round reads the element; the names of its first and last index, which it prints. */
bool cuda_is_interval(const Writer *writer, const Expr *range);
bool cuda_always_reads(const Block *block, const Expr *element);
void cuda_print_ends(Writer *writer, const Stmt *stmt, const char **first, const char **last, int indent);
void cuda_stream(Writer *writer, const Stmt *stmt, const Streams *streams, int indent);
/* A sequential loop goes up by one through all from its first index to its last. */
bool cuda_goes_up(const Writer *writer, const Stmt *stmt);
/* owners.c: a sequential loop that does nothing but accumulate, in elements that lanes of a warp may own; false, and nothing printed, where it is no such loop. */
bool cuda_owners(Writer *writer, const Stmt *stmt, int indent);
/* The iterations `first`, `first` + step, … of a loop, with its filters; of a part with gaps, counted in it. Returns the indentation inside. */
int cuda_shared_loop(Writer *writer, const Loop *loop, const char *first, const char *step, int indent);
/* About how many rounds a loop takes, in terms of what stands outside the nest. */
const char *cuda_rounds_text(Writer *writer, const Nest *nest, const Loop *loop);
/* crew_rows.c: one loop of the nest is each thread's own, and an element accumulates in it. */
bool cuda_accumulates(const Nest *nest);
/* Whether it goes along rows of arrays, one for each thread of a warp, which the warp brings to shared memory: elements of them, of one type. */
bool cuda_rows(Arena *arena, const LoweredBody *code, const Nest *nest, ExprVec *elements);
bool cuda_task_has_rows(const Emit *emit, const TaskPlan *task);
/* As cuda_shared_loop, but all threads of a warp run each round: *here is the name of what says whether the thread has an iteration there. */
int cuda_loop_in_step(Writer *writer, const Loop *loop, const char *first, const char *step, const char **here, int indent);
/* The loop that accumulates. The element stays in a register; where there is no iteration it is not touched: it may be another LPU's. `here`: of rows, else NULL. */
void cuda_accumulate(Writer *writer, const Nest *nest, const Loop *along, const ExprVec *elements, const char *here, int indent);
/* crew_folds.c: loops that do nothing but collect in locals: in any order; one sum of Reals, in order. Few rounds that assign nothing but locals. */
bool cuda_folds(const Nest *nest);
bool cuda_sums_in_order(const Nest *nest);
bool cuda_goes_alike(const Nest *nest);
bool cuda_sums_in_sequence(const Writer *writer, const Stmt *loop);
void cuda_sum_in_sequence(Writer *writer, const Stmt *loop, int indent);
void cuda_fold(Writer *writer, const Nest *nest, int indent);
void cuda_sum_in_order(Writer *writer, const Nest *nest, int indent);
void cuda_go_alike(Writer *writer, const Nest *nest, int indent);
bool cuda_fold_is_square(const Nest *nest);
/* teams.c: the loops of a nest that a crew shares, by teams where these are better; what they are printed as otherwise follows, in two blocks. False, and nothing printed, where there are none. */
bool cuda_teams(Writer *writer, const Nest *nest, int indent);
/* Where there are none: remarks that threads have loops for themselves. */
void cuda_remark_apart(Writer *writer, const Nest *nest);
/* Inside of the nest stands a loop along an array that a crew shares. */
bool cuda_shares_inside(const LoweredBody *code, const Nest *nest);
/* How the threads of a crew run a nest at which they arrive together. */
typedef enum CrewManner {
    CREW_AS_ONE, /* all of them run each iteration, and share what stands inside */
    CREW_SHARES, /* the iterations of loops with ROLE_THREAD */
    CREW_TILES,  /* a product */
    CREW_FIRST_RUNS,
    /* What collects in locals: in any order, by all of them; in order, by the first warp; a few rounds, each thread for itself. */
    CREW_FOLDS, CREW_SUMS_IN_ORDER, CREW_GOES_ALIKE,
    /* Reductions: those of the innermost loop, which threads share one by one or in chunks, or inside of which they share loops. */
    CREW_REDUCES_EACH, CREW_REDUCES_CHUNKS, CREW_REDUCES_INSIDE, CREW_FIRST_REDUCES
} CrewManner;
CrewManner cuda_manner(const LoweredBody *code, const Nest *nest);
CrewManner cuda_reducing_manner(const LoweredBody *code, const Nest *nest);
/* The loops of a nest that reduces, by all threads of the crew. */
void cuda_reducing_nest(Writer *writer, const Nest *nest, CrewManner manner, int indent);
#endif
