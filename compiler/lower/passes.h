/* Between the passes that make nests. nest.c calls the others in this order: legal.c, product.c, window.c, turned.c, lanes.c, cut.c, extremum.c, carry.c, edges.c, whole.c, select.c,
 * usual.c, along.c, blocked.c, wraps.c, quotients.c, spaced.c. */
#ifndef HP5_LOWER_PASSES_H
#define HP5_LOWER_PASSES_H
#include "compiler/lower/lower.h"

/* ---- nest.c -------------------------------------------------------------------------------------------- */
/* The loop over index `number` of the statement, as written. */
Loop lower_loop(Arena *arena, const StageUse *use, const Stmt *stmt, size_t number);

/* ---- legal.c: what the body allows ------------------------------------------------------------------ */
/* The single assignment to an array element that the body consists of, or NULL. */
const Stmt *lower_single_assignment(const Nest *nest);
/* Iterations touch only the target element of its array, and no other formal names that array. */
bool lower_only_touches_target(const StageUse *use, const Nest *nest, const Stmt *assign);
/* Whether the expression is `var` plus or minus something free of every loop index. */
bool lower_is_offset_of(const Nest *nest, const Expr *expr, const Var *var);
/* The one dimension whose subscript is `var` plus or minus something free of every loop index; -1: mentioned nowhere;
 * -2: mentioned in another way. */
int lower_plain_dimension(const Nest *nest, const Expr *element, const Var *var);
/* It names no index of the nest, and nothing that the body changes. */
bool lower_is_same_everywhere(const Nest *nest, const Expr *expr);
/* The dimension in which neighbours lie side by side. */
int lower_fastest_dimension(const StageUse *use, const Expr *element);
bool lower_bounds_mention(const LoopIndex *index, const Var *var);
bool lower_filters_mention(const Nest *nest, const Var *var);
/* Whether the variable is declared in the block, or in one inside it. */
bool lower_is_local_of(const Block *block, const Var *var);
/* Sets `legal` of all loops but for LOOP_TOGETHER. `target`: the single assignment, when iterations only touch its target. */
void lower_find_legal(const StageUse *use, Nest *nest, const Stmt *target);
/* count = count + … is all that the nest's body does with the variable. */
bool lower_is_integer_sum(const Nest *nest, const Stmt *stmt);
/* Sets LOOP_TOGETHER, of loops that stand as they will run. */
void lower_find_together(const StageUse *use, Nest *nest);

/* ---- stretches.c ------------------------------------------------------------------------------------------ */
/* Sets `places` of a loop of the statement; it is no interval if there are any. */
void lower_find_places(Arena *arena, const StageUse *use, const Stmt *stmt, Loop *loop);
/* Whether neighbouring iterations of a loop may touch elements that are no neighbours, because a subscript of a dimension with gaps is
 * more than an index. Not of a use with tables, where a loop goes through indices one by one: all that the process has side by side lies side by side. */
bool lower_jumps(const StageUse *use, const Nest *nest, const Expr *element);

/* ---- product.c --------------------------------------------------------------------------------------- */
/* Looks for i, j, k with the accumulated index k the last accumulated one, and puts them innermost; false: no product. */
bool lower_find_product(Arena *arena, const StageUse *use, Nest *nest, const Stmt *assign);

/* ---- window.c ---------------------------------------------------------------------------------------- */
/* Looks for a window that slides, and puts the loops that accumulate innermost; false: none. */
bool lower_find_window(Arena *arena, const StageUse *use, Nest *nest, const Stmt *assign);

/* ---- turned.c ---------------------------------------------------------------------------------------- */
/* Sets `turned` of a sum. */
void lower_find_turned(Arena *arena, const StageUse *use, Nest *nest);

/* ---- carry.c ----------------------------------------------------------------------------------------- */
/* What the innermost loop of the nest, whose loops are known, hands from iteration to iteration, or NULL. */
const Carry *lower_carry(Arena *arena, const StageUse *use, const Nest *nest);
/* Whether the expression has the same value in all iterations of the innermost loop. */
bool lower_is_fixed(const Nest *nest, const Expr *expr);

/* ---- extremum.c -------------------------------------------------------------------------------------- */
/* The statement that takes an extremum, where that is what the nest is for; or NULL. */
const Stmt *lower_extremum(const Nest *nest);
/* Whether a data-parallel loop does that. */
bool lower_takes_extremum(const Stmt *loop);

/* ---- cut.c ------------------------------------------------------------------------------------------- */
/* The one value of the innermost loop's index whose iteration writes what others read, or NULL. */
const Expr *lower_cut(const StageUse *use, const Nest *nest);

/* ---- edges.c ----------------------------------------------------------------------------------------- */
/* Comparisons of the innermost index that are known but at the edges of its loop, or NULL. */
const Edges *lower_edges(Arena *arena, const StageUse *use, const Nest *nest);
/* An Integer that is the same in all iterations of the innermost loop, and can be computed before the first one. */
bool lower_is_bound(const Nest *nest, const Expr *expr);

/* ---- usual.c ----------------------------------------------------------------------------------------- */
/* What the innermost loop has to gain where its numbers are usual, or NULL. */
const Usual *lower_usual(Arena *arena, const StageUse *use, const Nest *nest);

/* ---- whole.c ----------------------------------------------------------------------------------------- */
/* What a cut loop needs to run in one piece, or NULL: it always runs in pieces. */
const Whole *lower_whole(Arena *arena, const StageUse *use, const Nest *nest);

/* ---- select.c ---------------------------------------------------------------------------------------- */
/* Elements that may be stored again where a condition says that they are not assigned, or NULL. */
/* Whether every iteration comes to the element, whatever conditions say. */
/* Whether the expression comes to the element whenever it is evaluated. */
bool lower_always_touches(const Expr *expr, const Expr *element);
bool lower_is_touched(const Block *block, const Expr *element);
const Choices *lower_choices(Arena *arena, const StageUse *use, const Nest *nest);

/* ---- small.c ----------------------------------------------------------------------------------------- */
/* How the innermost loop of the nest is computed in 32 bits where values are small, or NULL. Runs when all is known of the nest and of the
 * body. */
const Small *lower_small(Arena *arena, RangeMemo *memo, const LoweredBody *code, const Nest *nest);

/* ---- lanes.c ------------------------------------------------------------------------------------------ */
/* Looks for a loop whose neighbouring iterations may go side by side through the loops inside; false: none. */
bool lower_find_lanes(Arena *arena, const StageUse *use, Nest *nest);
/* The same for a few iterations whose elements may lie anywhere. */
bool lower_find_apart(const StageUse *use, Nest *nest);
/* waiting.c: whether the block has a loop without loops in it of which rounds wait for the one before. */
bool lower_has_waiting_loop(const Block *block);
/* Whether a round of the loop before has set the element. */
bool lower_is_handed_on(const Stmt *loop, const Expr *element);
/* carried.c: whether lanes may hand the local from outside on, one after the other; whether the statement of the body sets such a local. */
bool lower_nest_bounds_mention(const Nest *nest, const Var *var);
bool lower_may_carry(const Nest *nest, const Var *var);
bool lower_carries(const Nest *nest, const Stmt *stmt);
/* Sets `lanes` of a nest that reduces, whose body may go in lanes as well (nest.h). */
void lower_find_reducing_lanes(Arena *arena, const StageUse *use, Nest *nest);

/* ---- border.c ----------------------------------------------------------------------------------------- */
/* Bounds the loops of a stage that some elements come to while it runs, or NULL. Runs when all is known of its nests. */
const Border *lower_border(Arena *arena, LoweredBody *code);

/* ---- product.c, of a stage ---------------------------------------------------------------------------- */
/* Whether all that the stage does is a product, of arrays other than the one it adds to: then what its calls in one visit of LPUs add may
 * be added by one call for several of them. Runs when all is known of its nests. */
bool lower_joins(const LoweredBody *code);

/* ---- strips.c ----------------------------------------------------------------------------------------- */
/* Sets LoweredTask.strips and LoweredTask.relays. Runs when all is known of the task's stages. */
void lower_strips(Arena *arena, LoweredTask *task, PlanOptions options);

/* ---- prune.c ----------------------------------------------------------------------------------------- */
/* The body with blocks of its own, whose expressions are the same. */
Body lower_body_copy(Arena *arena, const Body *body);
/* Takes assignments out of it to locals that nothing reads. */
void lower_prune(Arena *arena, Body *body);

/* ---- current.c --------------------------------------------------------------------------------------- */
/* Reads oldest versions where the plan has them in the memory of the current one. Needs: a copy of the stage's body. */
void lower_read_at_current(Arena *arena, const TaskPlan *task, const StageUse *use, Body *body);

/* ---- own_locals.c ------------------------------------------------------------------------------------ */
/* Gives loops that set a local anew in each round one of their own. Needs: a use of its own, and a copy of its stage's body. */
void lower_give_own_locals(Arena *arena, StageUse *use, Body *body);

/* ---- filters.c --------------------------------------------------------------------------------------- */
/* Makes filters of loops that keep what they find in locals conditions of their bodies. Needs: a copy of the stage's body. */
void lower_make_conditions(Arena *arena, Block *block);

/* ---- put_in_place.c ---------------------------------------------------------------------------------- */
/* What is known of a stage's calls. Static arrays that functions are given are worth it where they are taken apart afterwards alone: whether they are shows when all is done, and then
 * once more without those that are not. */
typedef struct PlacedArray { const Var *var, *origin; const Stmt *loop; } PlacedArray; /* a local of the stage's body, the array of the stage or of a function that it was, the outermost loop around */
typedef struct Placement {
    bool *placed;             /* by Function.id: its body has stood in the place of a call */
    bool apart;               /* small arrays are, by now: those that are left stay whole */
    bool none;                /* no function is put in place that has static arrays */
    VEC(PlacedArray) arrays;  /* that must be taken apart */
    VEC(const Var *) whole;   /* origins of those that cannot be */
} Placement;
/* Puts bodies of functions in the place of calls in data-parallel loops, and says of which. Needs: a copy of the stage's body. */
void lower_put_in_place(Arena *arena, Body *body, Placement *placement);
/* Whether small arrays are left in loops with such calls; arrays of these are among those that stay whole then. */
bool lower_keep_whole(Arena *arena, Placement *placement, const Body *body);

/* ---- records.c --------------------------------------------------------------------------------------- */
/* Takes locals of user types apart. Needs: lower_put_in_place. */
void lower_take_records_apart(Arena *arena, const Program *program, const StageUse *use, Body *body);

/* ---- write_out.c ------------------------------------------------------------------------------------- */
/* Puts rounds of short sequential loops that divide sums with their index one behind the other, in data-parallel loops. Needs: lower_put_in_place. */
void lower_write_out(Arena *arena, StageUse *use, Body *body);
/* The same of other short sequential loops between literals, by steps that are literals. */
void lower_write_out_loops(Arena *arena, StageUse *use, Body *body, bool (*is_chosen)(void *data, const Stmt *stmt), void *data);

/* ---- small_arrays.c ---------------------------------------------------------------------------------- */
/* Numbers, Booleans or Characters, of which there are a few. */
bool lower_is_small_array(const Type *type);
/* Takes static arrays of a few elements apart, and writes out the short loops that come to them. Needs: lower_put_in_place. */
void lower_take_arrays_apart(Arena *arena, const Program *program, StageUse *use, Body *body);

/* ---- counted.c --------------------------------------------------------------------------------------- */
/* Counts in locals where loops inside of data-parallel ones count in elements of these. Needs: lower_put_in_place. */
void lower_count_in_locals(Arena *arena, const Program *program, const StageUse *use, Body *body);

/* ---- invariant.c ------------------------------------------------------------------------------------- */
/* Moves what is the same in all rounds of loops inside of data-parallel ones in front of them, where it costs something. Needs: lower_take_arrays_apart. */
void lower_move_invariants(Arena *arena, const Program *program, Body *body);

/* ---- product_parts.c --------------------------------------------------------------------------------- */
/* Sets LoweredBody.parts, and counts what the text reads of locals then. Needs: ranges, bytes and uses of locals. */
void lower_find_product_parts(Arena *arena, LoweredBody *code);

/* ---- fold.c ------------------------------------------------------------------------------------------ */
/* Writes locals out in loops that accumulate; changes statements of the block. */
void lower_fold_locals(Arena *arena, Block *block);

/* ---- perfect.c --------------------------------------------------------------------------------------- */
/* Loops inside of loops, and sums in locals, that are products. */
void lower_make_perfect(Arena *arena, const StageUse *use, Body *body);

/* ---- panels.c ---------------------------------------------------------------------------------------- */
/* Rows that are computed one after the other by products, in panels of some. Needs: lower_make_perfect. */
void lower_make_panels(Arena *arena, const Program *program, const StageUse *use, Body *body);

/* ---- side_by_side.c ---------------------------------------------------------------------------------- */
/* Rounds of sequential loops whose sums do not wait for each other, by blocks. Needs: lower_make_panels. */
void lower_put_side_by_side(Arena *arena, const Program *program, StageUse *use, Body *body);

/* ---- once.c ------------------------------------------------------------------------------------------- */
/* Computes what a condition looks an element up by and its branch assigns in front of both. Needs: lower_fold_locals. */
void lower_compute_once(Arena *arena, const Program *program, Body *body);

/* ---- along.c ----------------------------------------------------------------------------------------- */
/* The assignment, where several iterations of the loop around the innermost one may be done in one pass along its row; or NULL. */
const Stmt *lower_along(const StageUse *use, const Nest *nest, const Stmt *assign);

/* ---- blocked.c --------------------------------------------------------------------------------------- */
/* Whether the innermost loop may go block by block outside of the loop around it, and comes back to the same elements there. */
bool lower_is_blocked(const StageUse *use, const Nest *nest);

/* ---- quotients.c ------------------------------------------------------------------------------------- */
/* The first quotient or remainder of the innermost index that each of its rounds computes, by what stays the same in the loop; or NULL. */
const Expr *lower_quotient(const Nest *nest);

/* ---- wraps.c ----------------------------------------------------------------------------------------- */
/* What is to be divided in front of pieces of the innermost loop, or NULL. */
const Wraps *lower_wraps(Arena *arena, const StageUse *use, const Nest *nest);

/* ---- spaced.c ---------------------------------------------------------------------------------------- */
/* What to ask before the innermost loop goes in vectors, or NULL. */
const Spaced *lower_spaced(Arena *arena, const StageUse *use, const Nest *nest);
/* The innermost index plus or minus what stays. */
bool lower_moves_by_one(const Nest *nest, const Expr *expr);
/* Of numbers and variables that stay: may be computed in front of the innermost loop. */
bool lower_is_offset(const Nest *nest, const Expr *expr);
#endif
