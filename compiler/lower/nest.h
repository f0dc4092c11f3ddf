/* The loop-nest form of a data-parallel loop: what `do { … } for i, j in x and …` becomes before any
 * backend prints it. Loops stand in the order in which they will run; nothing below decides about loops.
 *
 * A nest has one form:
 *
 *   loops      loops over indices, the body innermost
 *   product    x[…i…][j] = x[…i…][j] ± a(i, k)·b(k, j) in the three innermost loops; the others stand around it
 *   sum        the innermost loop accumulates into one element, which nothing else touches meanwhile
 *   reduction  the body reduces
 *   carry      an iteration of the innermost loop hands an element to the next one
 *   cut        one iteration of the innermost loop writes what the others read: it runs in three pieces, whose iterations are
 *              independent
 *   lanes      the loops inside of a loop run alike for its neighbouring iterations, which go side by side in vectors
 *   chain      one loop that adds products to a Real local, each addition after the other: the row of a sparse matrix
 *   extremum   one loop that takes the smallest or the largest of Reals to a local, which nothing else asks for meanwhile: in any order
 *
 * and each loop a set of what is legal, and a role that the target's scheduler gives it out of that.
 *
 * Meaning is kept: an element accumulates in ascending lexicographic order of the indices that it does
 * not depend on (language.md 3.2, trust.md); reductions count iterations in the order written, so a nest
 * that reduces is never reordered. verify_loops.c checks what is said here. */
#ifndef HP5_LOWER_NEST_H
#define HP5_LOWER_NEST_H
#include "compiler/lower/walk_bodies.h"
#include "compiler/plan/plan.h"

typedef enum LoopLegal {
    LOOP_PARALLEL = 1,    /* its iterations write different elements and read none that another one writes; where the nest
                             reduces, apart from that */
    LOOP_ACCUMULATES = 2, /* the body's target does not depend on it: ascending order matters */
    LOOP_RECTANGULAR = 4, /* its bounds name no other index of the nest, nor they its index, and nothing is tested inside */
    LOOP_UNIT_STRIDE = 8, /* every element that moves with it moves to its neighbour in memory */
    LOOP_TOGETHER = 16,   /* innermost only: what is not parallel in it are sums of Integers, in any order */
    LOOP_APART = 32,      /* as LOOP_PARALLEL, whatever stands in the body: loops, and filters. For threads, and for vectors where all these loops are short */
    LOOP_APART_ON_CARDS = 64 /* the same but for extern code: what it touches there is its author's business (docs/cards.md) */
} LoopLegal;

/* What a target makes of a loop. */
typedef enum LoopRole {
    ROLE_NONE,   /* no scheduler has seen it */
    ROLE_SERIAL, /* one iteration after the other */
    ROLE_VECTOR, /* neighbouring iterations in the lanes of vectors */
    ROLE_TILE,   /* part of a register-tiled product */
    ROLE_THREAD  /* shared by the threads of a PPU, with all loops around it; where none bounds another one, outside of those that are not */
} LoopRole;

/* A dimension of an array whose indices lie side by side, with gaps between them (ArrayPlan.gaps). */
typedef struct LoopPlace { const Var *array; int dimension; } LoopPlace;

/* A filter `(index + rest) % modulus == remainder` that the loop steps by (classes.h); rest NULL: nothing. */
typedef struct Steps { const Expr *filter, *rest, *remainder; int64_t modulus; } Steps;

typedef struct Loop {
    const LoopIndex *index;
    const Var *domain_var;        /* the array whose part it runs over, or NULL: index->domain_range */
    int dimension, other_dimension; /* other: -1, or the dimension whose part must hold the index as well */
    bool interval;                /* one plain loop; else one for each run of the part, or of what has places one after the other */
    int box;                      /* bounded by the caller's box (border.c) in its dimension box - 1; 0: not so */
    VEC(LoopPlace) places;        /* where its index alone is a subscript of such a dimension; of a use with tables, none */
    const Steps *steps;           /* in place of one of the filters; NULL: none */
    unsigned legal;               /* LoopLegals */
    LoopRole role;
} Loop;

/* An operand of a product. One that is an element: the dimension of the array in which each of i, j, k moves (-1: none). A factor
 * may be any other expression of its two indices, too, which costs nothing to evaluate that it does not cost in the loops as written:
 * `computed`. */
typedef struct Operand { const Expr *value; bool computed; int row, column, depth; } Operand;

/* One index bounds another one: `index` is at most (upper) or at least `bound`, which is `other` plus or minus something that
 * the product's loops do not change. */
typedef struct ProductBound { const Var *index, *other; const Expr *bound; bool upper; } ProductBound;

/* boxes: row, column and depth without the bounds by each other (`bounds`), which leave a triangle or a band of the box. */
typedef struct Product {
    const Loop *row, *column, *depth;   /* i, j, k: the three innermost in some order in which bounds name indices of loops outside */
    Loop boxes[3];
    VEC(ProductBound) bounds;
    Operand sum, left, right;           /* x[…i…][j], a(i, k), b(k, j) */
    bool subtracts;
} Product;

/* abreast: the loop around the innermost one goes from element to element: several of them may accumulate side by side,
 * each in its own order. window: of so many innermost loops all accumulate, and the one around them goes along a row whose
 * elements may accumulate side by side; 0: the innermost alone (window.c). ragged: of one such loop, whose bounds name the row's index.
 * turned: with `abreast`, and the same for all iterations of the loop around those two, operands whose neighbours do not lie side by side (turned.c). */
typedef struct ElementSum { const Stmt *assign; bool abreast, ragged; size_t window; ExprVec turned; } ElementSum;

/* targets: STMT_REDUCEs of the body outside nested parallel loops, one for each target. any_order: the order makes no
 * difference to any of the results. */
typedef struct Reduction { VEC(const Stmt *) targets; bool any_order; } Reduction;

/* An element that the innermost loop reads at i - 1 and at i: from the second iteration on, the first is known from the
 * iteration before. guard: the `if (i > …)` or `if (i >= …)` without which `before` is not read, or NULL. */
typedef struct Carry { const Expr *before, *now; const Stmt *guard; } Carry;

/* A loop inside of one in lanes whose innermost index has bounds of its own in each lane; from lane to lane each stays or grows by one, or each
 * stays or becomes one less. What all lanes have in common they go through together, and before that and behind it each goes by itself. slides: together are iterations that are
 * one further in each lane than in the one before, else the same ones. asked: values that the bounds are made of; if one is so large that sums
 * might pass the limits of an Integer, nothing goes together. It has no loops inside. */
typedef struct LaneLoop { const Stmt *stmt; bool slides; ExprVec asked; } LaneLoop;
typedef VEC(LaneLoop) LaneLoops;

/* inside: how many loops of the nest stand inside of the one in lanes: 0 or 1. rows: what moves with it need not lie side by side; only those
 * loops inside go side by side of which lower_goes_together says so, the others one lane after the other, and none is ragged. conditions: in loops inside.
 * along: the one loop inside keeps nothing from round to round but in elements, of others in each round, so that long pieces of rows go side by side.
 * apart: a few go together in no vectors, wherever their elements lie, because rounds of a loop inside wait for the one before; none is ragged.
 * reduces: of a reduction in any order, as rows may, too: its body goes so.
 * Other locals from outside that the body sets, lanes hand on one after the other (carried.c); neither along nor apart nor with loops of the nest inside.
 * sums: Integers from outside that the lanes add to, each to one of its own, and nothing else is done with them; neither along nor apart nor in rows. */
typedef struct Lanes { size_t inside; bool rows, conditions, along, apart, reduces; LaneLoops ragged; VarVec sums; } Lanes;

/* The condition of an `if` compares the innermost index with what its loop does not change: `index + offset op bound`. Where the loop runs
 * in three pieces, in the middle one `test` holds, or fails where op is OP_EQ (edges.c). */
typedef struct Edge { const Expr *test; Operator op; const Expr *bound; int64_t offset; } Edge;
typedef VEC(Edge) Edges;
typedef enum LoopPiece { PIECE_BEFORE, PIECE_MIDDLE, PIECE_BEHIND } LoopPiece;

/* Elements that an `if` of the body may assign, which are stored behind it in any case. asked: those of which it is known only when the
 * loop runs whether they lie in the LPU's part; where they do not, nothing is stored in any case (select.c). */
typedef struct Choice { const Stmt *stmt; ExprVec elements; } Choice;
typedef struct Choices { VEC(Choice) items; ExprVec asked; } Choices;

/* A cut loop that may run in one piece: where the iteration at which it is cut leaves `targets`, which it assigns, as they are. fixed:
 * elements that are the same all along a piece, and may be held in locals (whole.c). */
typedef struct Whole { ExprVec targets, fixed; } Whole;
/* Numbers of a loop that may first run as if they were usual (usual.c). A row: elements that an iteration reads, `first` the first of them,
 * low … high what literals add to the subscript `base` that moves with the loop; where none does, one element. */
typedef struct UsualRow { const Expr *first, *base; int64_t low, high; bool moves; } UsualRow;
typedef VEC(UsualRow) UsualRows;
typedef struct Usual { VEC(const Expr *) extrema, conversions; UsualRows rows; } Usual;

/* A loop that goes in blocks, in 32 bits where what it reads is small: elements from `first` to `last`, which move with the innermost
 * loop or not at all, `more` from one to the other, and scalars; -limit <= value < limit. far: an element by itself, whose neighbours in the loop lie anywhere. code: the body with
 * the values that it then has.
 * first_in_32_bits: whether they are small is asked while a block is computed, which is computed again where they are not (small.c). */
typedef struct SmallSpan { const Expr *first, *last; int64_t more; bool moves, far; } SmallSpan;
typedef struct Small { const struct LoweredBody *code; int64_t limit; VEC(SmallSpan) spans; VarVec scalars; bool first_in_32_bits; } Small;

/* An element that is assigned, and another one of its array, which move by one with the innermost index: the loop's rounds are independent where each pair lies as far apart as
 * there are rounds (spaced.c). */
typedef struct SpacedPair { const Expr *one, *other; } SpacedPair;
typedef struct Spaced { VEC(SpacedPair) pairs; } Spaced;

/* Remainders of sums with the innermost index, which move with it from piece to piece of its loop; quotients and remainders that stay (wraps.c). */
typedef struct Wraps { ExprVec moving, fixed; StmtVec locals; } Wraps;

typedef enum NestForm { FORM_LOOPS, FORM_PRODUCT, FORM_SUM, FORM_REDUCTION, FORM_CARRY, FORM_CUT, FORM_CHAIN, FORM_LANES, FORM_EXTREMUM } NestForm;

typedef struct Nest {
    const Stmt *stmt;
    VEC(Loop) loops;              /* outermost first */
    bool reordered;               /* not as written: a loop with unit stride was moved innermost */
    bool has_filters;
    const Edges *edges;           /* FORM_LOOPS: the innermost loop may run in three pieces; else NULL */
    const Choices *choices;       /* FORM_LOOPS, FORM_CUT; else NULL */
    const Whole *whole;           /* FORM_CUT; else NULL */
    const Usual *usual;           /* FORM_LOOPS: the innermost loop may first run for usual numbers; else NULL */
    const Small *small;           /* FORM_LOOPS, FORM_REDUCTION; else NULL */
    const Stmt *along;            /* FORM_LOOPS: several iterations of the loop around the innermost one may accumulate in one pass along the row
                                     of elements that this assigns (along.c); else NULL */
    bool blocked;                 /* FORM_LOOPS: a block of the innermost loop's iterations may go through the whole loop around it before the
                                     next block does (blocked.c) */
    const Expr *quotient;         /* FORM_LOOPS: of the innermost index, which may go in stretches in which it stays (quotients.c); else NULL */
    const Wraps *wraps;           /* FORM_LOOPS: the innermost loop goes in pieces between them; else NULL */
    const Spaced *spaced;         /* FORM_LOOPS: what the innermost loop asks before it goes in vectors; else NULL */
    NestForm form;
    union {
        const Product *product;
        ElementSum sum;
        Reduction reduction;
        const Carry *carry;
        const Expr *cut;          /* where its index has this value */
        const Stmt *extremum;     /* local = fmin(local, …), the last statement of the body */
    };
    Lanes lanes;                  /* FORM_LANES; FORM_REDUCTION: `rows` or `reduces`, if its body goes in lanes, too */
} Nest;

static inline const Loop *nest_innermost(const Nest *nest) { return &nest->loops.items[nest->loops.count - 1]; }
static inline bool nest_body_in_lanes(const Nest *nest) { return nest->form == FORM_LANES || nest->lanes.rows || nest->lanes.reduces; }
static inline bool loop_may(const Loop *loop, LoopLegal what) { return (loop->legal & (unsigned)what) != 0; }

/* Whether the indices of the element's dimension have gaps between them (stretches.c). */
bool lower_has_gaps(const StageUse *use, const Expr *element, size_t dimension);
/* Needs: a STMT_PARALLEL of the use's stage. `use` NULL: a loop outside a stage (over ranges only). */
Nest *lower_nest(Arena *arena, const StageUse *use, const Stmt *stmt);
/* Whether the nest is the product of whole parts of three arrays: c = c ± a b, for all rows, columns and depths that the LPU has. */
bool lower_is_whole_product(const Nest *nest);
/* Whether neighbouring iterations of the nest, which goes in lanes, go through the loop `stmt` of its body side by side. */
bool lower_goes_together(const StageUse *use, const Nest *nest, const Stmt *stmt);
/* Elements of rows that `lane` tells apart, which each round of the loop over `round` reads side by side, at most two (transposed.c). */
ExprVec lower_transposed(Arena *arena, const StageUse *use, const Block *body, const Var *lane, const Var *round);
/* Whether the order of the iterations makes no difference to the result of a reduction. */
bool lower_reduces_in_any_order(ReduceOp op, const Type *value_type);
bool lower_edges_equal(const Edge *a, const Edge *b);
/* What is left of a condition in a piece; NULL: it is known there, *holds. */
const Expr *lower_in_piece(const Edges *edges, LoopPiece piece, const Expr *condition, bool *holds);
/* Whether the loops of the nest run over the part of the element's array in this dimension, and its subscript is their index. */
bool lower_runs_over(const Nest *nest, const Expr *element, size_t dimension);
/* Whether the expression itself, not one like it, is among them. */
static inline bool lower_has_expr(const Expr *const *items, size_t count, const Expr *expr) {
    for (size_t i = 0; i < count; i++)
        if (items[i] == expr) return true;
    return false;
}
/* The formal that the body names `var`, or NULL. */
const Formal *lower_formal(const StageUse *use, const Var *var);
#endif
