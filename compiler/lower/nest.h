/* The loop-nest form of a data-parallel loop: what `do { … } for i, j in x and …` becomes before any
 * backend prints it. Loops stand in the order in which they will run; nothing below decides about loops.
 *
 *   plain     loops over indices, the body innermost
 *   multiply  x[…i…][j] = x[…i…][j] ± a[i, k]·b[k, j]: the three innermost loops are one register-tiled
 *             product (runtime/array/multiply.h), the others stand around it
 *
 * Meaning is kept: an element accumulates in ascending lexicographic order of the indices that it does
 * not depend on (language.md 3.2, trust.md); reductions count iterations in the order written, so a nest
 * that reduces is never reordered. */
#ifndef HP5_LOWER_NEST_H
#define HP5_LOWER_NEST_H
#include "compiler/lower/walk.h"
#include "compiler/plan/plan.h"

typedef struct Loop {
    const LoopIndex *index;
    const Var *domain_var;        /* the array whose part it runs over, or NULL: index->domain_range */
    int dimension, other_dimension; /* other: -1, or the dimension whose part must hold the index as well */
    bool interval;                /* one plain loop; else one for each run of the part */
    bool accumulates;             /* the body's target does not depend on it: ascending order matters */
} Loop;

/* An operand of a multiply nest: the element where i, j, k stand at their first values, and the dimension
 * of the array in which each of them moves (-1: none). */
typedef struct Operand { const Expr *element; int row, column, depth; } Operand;

typedef struct Multiply {
    const Loop *row, *column, *depth;   /* i, j, k */
    Operand sum, left, right;           /* x[…i…][j], a[i, k], b[k][j] */
    bool subtracts;
} Multiply;

/* An element that the innermost loop reads at i - 1 and at i: from the second iteration on, the first is known from the
 * iteration before. guard: the `if (i > …)` or `if (i >= …)` without which `before` is not read, or NULL. */
typedef struct Carry { const Expr *before, *now; const Stmt *guard; } Carry;

typedef struct Nest {
    const Stmt *stmt;
    VEC(Loop) loops;              /* outermost first */
    bool reordered;               /* not as written: a loop with unit stride was moved innermost */
    bool independent;             /* iterations of the innermost loop write different elements and read none that
                                     another one writes */
    bool in_register;             /* the innermost loop accumulates into one element, which nothing else touches
                                     meanwhile: it is kept in a local */
    bool abreast;                 /* in_register, and the loop around the innermost one goes from element to element: several
                                     of them accumulate side by side, each in its own order */
    Multiply *multiply;           /* or NULL */
    VEC(const Stmt *) reduces;    /* STMT_REDUCEs of the body outside nested parallel loops, one for each target */
    bool any_order;               /* it reduces, and the order makes no difference to any of the results: a plain loop */
    bool separate;                /* iterations of the innermost loop can be done at once, as C compilers do by themselves: besides
                                     what is independent, sums of Integers and short loops inside that are written out */
    const Carry *carry;           /* or NULL */
    bool chain;                   /* one loop that adds products to a Real local, each addition after the other */
    bool has_filters;
} Nest;

/* Needs: a STMT_PARALLEL of the use's stage. `use` NULL: a loop outside a stage (over ranges only). */
Nest *lower_nest(Arena *arena, const StageUse *use, const Stmt *stmt);
/* How often a loop inside a body runs where C compilers write its rounds one after the other; 0 where they do not. */
int lower_unrolled_rounds(const Stmt *stmt);
/* Whether the order of the iterations makes no difference to the result of a reduction. */
bool lower_reduces_in_any_order(ReduceOp op, const Type *value_type);
/* Checks the invariants stated above; internal_error when one is broken. */
void lower_verify(const Nest *nest);
/* carry.c: what the innermost loop of the nest, whose other fields are known, hands from iteration to iteration, or NULL. */
const Carry *lower_carry(Arena *arena, const StageUse *use, const Nest *nest);
/* The formal that the body names `var`, or NULL. */
const Formal *lower_formal(const StageUse *use, const Var *var);
/* prune.c: the body without assignments to locals that nothing reads. */
Body lower_pruned(Arena *arena, const Body *body);
#endif
