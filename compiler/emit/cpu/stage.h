/* Between the files that print stages for CPUs. */
#ifndef HP5_EMIT_CPU_STAGE_H
#define HP5_EMIT_CPU_STAGE_H
#include "compiler/emit/cpu/cpu.h"
#include "compiler/emit/program/writer.h"

/* ---- stage_function.c ------------------------------------------------------------------------------------------ */
/* Names as stage functions print them; their parameters as C text, "" for none. */
void writer_stage_init(Writer *writer, Emit *emit, const LoweredStage *stage, Text *out);
/* The function, and its strict form if it has one. crew, relay: as Writer.crew and Writer.relay. */
typedef struct CrewStage { const char *tier; const RelayStage *relay; const Stmt *in_step; } CrewStage;
void writer_stage(Emit *emit, const LoweredStage *stage, const CrewStage *of_crew, Text *out);
char *writer_stage_parameters(Writer *writer, const StageUse *use, bool on_card);
/* Of a stage whose products may be joined: "double" or "single". */
const char *writer_joined_type(const LoweredBody *code);
/* stage_cost.c: what it costs; crew: on a card, whose threads share loops. */
void writer_stage_cost(Emit *emit, const LoweredStage *stage, bool crew, Text *out);
/* Something is done for all behind its statements: scalars and results of reductions are handed over. */
bool writer_stage_has_end(const StageUse *use);

/* The pointer to the elements of a version. */
char *writer_array_name(const Writer *writer, const Var *var, int lag);

/* ---- stage_loop.c, stage_reduce.c, stage_multiply.c ------------------------------------------------ */
/* Prints the loop's opening lines and filters; returns the indent of what is inside. */
int writer_loop_begin(Writer *writer, const Loop *loop, const char *counter, int indent);
void writer_loop_end(Writer *writer, int indent, int outer);
void writer_filters(Writer *writer, const Loop *loop, int indent);
/* Opens a loop over the runs of a loop's part; returns the name of the run inside. */
const char *writer_runs(Writer *writer, const Loop *loop, int indent);
/* First index and end (last + 1) that an interval loop, or the part of a loop in run `run`, covers. */
void writer_loop_bounds(Writer *writer, const Loop *loop, const char *run, char **begin, char **end);
/* One more than an inclusive bound. */
char *writer_after(Writer *writer, const Expr *bound);
void writer_reducing_loop(Writer *writer, const Nest *nest, int indent);
void writer_multiply(Writer *writer, const Nest *nest, int indent);
void writer_carrying_loop(Writer *writer, const Nest *nest, int indent);
/* The two innermost loops of a sum whose elements go side by side. */
void writer_abreast(Writer *writer, const Nest *nest, int indent);
/* stage_turned.c: its three innermost loops, where operands are turned. */
void writer_turned(Writer *writer, const Nest *nest, int indent);
/* Whether the expression names the index anywhere but in the element, and in those for which something else stands. */
bool writer_names_index(const Writer *writer, const Expr *expr, const Expr *element, const Var *index);
/* stage_places.c: places of subscripts that stay the same, in front of the nest; returns the indentation inside. */
int writer_fix_places(Writer *writer, const Nest *nest, int indent);
/* stage_lanes.c: the loop in lanes and what is inside of it. */
void writer_lanes(Writer *writer, const Nest *nest, int indent);
/* Declares indices of the lanes that the group names, inside of a loop over them. */
void writer_declare_lane_index(Writer *writer, const Block *group, int indent);
/* The C type that lanes keep a local in. */
const char *writer_lane_type(const Writer *writer, const Var *var);
/* Whether the block sets the variable, whatever conditions say, before it reads it. */
bool writer_is_set_before_read(const Block *block, const Var *var);
/* Whether memory has the element, as a condition in C. */
const char *writer_held(Writer *writer, const Expr *element);
/* stage_own.c: prints what is a lane's own in all rounds of the loop; returns what is known then. */
EmitKnowns writer_own_elements(Writer *writer, const Stmt *loop, int indent);
/* stage_guarded.c: what must hold for lanes to go through loops of the block without masks, as " && …", whatever the condition says that is around it; NULL: they need masks. */
const char *writer_open_lanes(Writer *writer, const Block *block);
/* The block for lanes alone for which the condition holds; an expression of its own. */
Block writer_where(Writer *writer, Expr *holds, const Block *block);
Expr *writer_lane_expr(Writer *writer, Expr expr);
/* stage_chosen.c: locals of the round for what lanes have and conditions of the group change, and what stores them in the end. */
typedef VEC(const char *) LaneStores;
LaneStores writer_take_chosen(Writer *writer, const Block *group, int indent);
/* stage_ragged.c: a loop of a nest in lanes whose bounds differ from lane to lane; loop: the statement's innermost one, NULL: it is sequential. */
void writer_ragged_loop(Writer *writer, const LaneLoop *lane_loop, const Loop *loop, int indent);
/* stage_shared.c, in a loop in lanes: a condition that holds for all lanes or for none, around what is costly. */
bool writer_is_uniform(const Writer *writer, const Stmt *stmt);
/* Prints locals of the block that are one for all lanes; returns the rest of it. */
Block writer_shared_first(Writer *writer, const Block *block, int indent);
/* Prints costly parts of the group's expressions that have one value for all lanes; returns what is known then. */
EmitKnowns writer_shared_parts(Writer *writer, const Block *group, int indent);
/* stage_fetch.c: in a round of a loop over `round` that lanes go through together: asks for what a later one reads. */
void writer_fetch_rows(Writer *writer, const Stmt *loop, const Var *round, int indent);
/* stage_while.c: the do … while that is statement number `at` of the block, which all lanes go through together. */
void writer_while_in_lanes(Writer *writer, const Block *block, size_t at, int indent);
/* HP5_ABREAST iterations of the innermost loop, from `first` (C text) on, in lanes named `lane`. */
void writer_rows(Writer *writer, const Nest *nest, const char *first, const char *lane, int indent);
/* stage_transposed.c: a loop over `round`, whose name in C is `name`, that HP5_ABREAST lanes go through together; `index`, in C
 * `index_name`, is what tells them apart, at: its value in a lane (C text). print: one round of all lanes. */
typedef struct LaneRounds LaneRounds;
struct LaneRounds {
    const Block *body;
    const Var *round, *index;
    const char *name, *index_name, *lane, *at;
    void (*print)(Writer *writer, const LaneRounds *rounds, int indent);
    const void *data;
    bool in_block; /* for `print`: the round is one of a block */
};
/* Whether the block names the variable, other than in elements for which something else stands. */
bool writer_names(const Writer *writer, const Block *block, const Var *var);
/* Where rows can be transposed: blocks of rounds from `begin` to at most `last`; returns the name of the first round that is left. Else NULL, and nothing is printed. */
const char *writer_transposed(Writer *writer, const LaneRounds *rounds, const char *begin, const char *last, int indent);
/* stage_edges.c: the innermost loop of the nest, in three pieces. */
void writer_edged_loop(Writer *writer, const Nest *nest, int indent);
/* stage_cut.c: the innermost loop of the nest, cut where one of its iterations writes what others read. */
void writer_cut_loop(Writer *writer, const Nest *nest, int indent);
/* stage_choices.c: the innermost loop of the nest, which asks where elements lie that it stores in any case. */
void writer_asking_loop(Writer *writer, const Nest *nest, int indent);
/* stage_usual.c: the same in blocks, for usual numbers first. */
void writer_usual_loop(Writer *writer, const Nest *nest, int indent);
/* stage_small.c: a loop over the innermost index of the nest from `begin` to before `end`, in blocks where that is of use. */
void writer_vector_loop(Writer *writer, const Nest *nest, const char *begin, const char *end, int indent);
/* The innermost loop of a nest that is computed in 32 bits where values are small. */
void writer_small_loop(Writer *writer, const Nest *nest, int indent);
/* stage_quotients.c: the innermost loop, in stretches in which a quotient of its index stays. */
void writer_stretched_loop(Writer *writer, const Nest *nest, int indent);
/* stage_spaced.c: the innermost loop of the nest, in vectors where its elements lie far enough apart. */
void writer_spaced_loop(Writer *writer, const Nest *nest, int indent);
/* stage_wraps.c: the innermost loop, in pieces in which remainders move with its index. */
void writer_wrapped_loop(Writer *writer, const Nest *nest, int indent);
/* stage_rows.c: the two innermost loops of the nest, several iterations of the outer one in one pass along the row; or block by block. */
void writer_along(Writer *writer, const Nest *nest, int indent);
void writer_blocked(Writer *writer, const Nest *nest, int indent);
/* A loop that takes an extremum. */
void writer_extremum(Writer *writer, const Nest *nest, int indent);
/* stage_window.c: the loops along a row and over the window. */
void writer_window(Writer *writer, const Nest *nest, int indent);
#endif
