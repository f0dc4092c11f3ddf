/* Counting: what one iteration of straight-line code computes and which elements it touches, as --predict and
 * --timing need it. Loops inside are left out: whoever walks the stage counts their bodies as blocks of their own
 * (compiler/emit/cpu/stage_cost.c). Address arithmetic is no operation.
 *
 * Two numbers describe how fast the code can go. `lanes`: vector instructions can do neighbouring iterations of
 * the innermost loop, or of one around it, at once (LOOP_PARALLEL, LOOP_TOGETHER or FORM_LANES, and nothing in the body that C compilers do not vectorise): both branches of an
 * `if` are computed then.
 * `chain`: additions that must follow each other from one iteration to the next, because the body carries a
 * value along. */
#ifndef HP5_COST_COUNT_H
#define HP5_COST_COUNT_H
#include "compiler/lower/lower.h"

/* Elements of one array that the code touches with subscripts of one shape. */
typedef struct CountAccess {
    const Var *var;
    int lag;
    double reads, writes;              /* elements in one iteration */
    uint32_t moves[MAX_RANK];          /* bit l: the subscript names the index of the l-th loop around, outermost first */
    int64_t low[MAX_RANK], high[MAX_RANK]; /* smallest and largest constant that it adds */
    bool anywhere[MAX_RANK];           /* the subscript depends on values: any index of the dimension */
} CountAccess;

typedef struct Count {
    double reals;     /* operations on Reals; a fused multiply-add is two */
    double fused;     /* how many of these are fused */
    double integers;  /* operations on Integers, comparisons, conversions, logic */
    double divisions; /* divisions, remainders, roots */
    double functions; /* mathematical functions */
    double reductions; /* lanes and trees that each run of the innermost loop fills */
    double gathers;   /* elements that do not lie side by side in the lanes of vectors */
    double chain;
    int lanes;        /* bytes of the widest number that vector instructions hold, or, of a crew, its threads; 0: no vectors */
    bool partial;     /* holds something that cannot be counted: extern code, `while` in a function */
    VEC(CountAccess) accesses;
} Count;

/* Indices of the loops around the code, outermost first; `nest` is the innermost parallel loop when it is the
 * innermost of all, else NULL. */
typedef struct CountPlace {
    const LoweredProgram *program;
    const LoweredStage *stage;
    const Var *const *indices;
    size_t loops;
    const Nest *nest;
    bool sequential; /* the innermost loop is `do in sequence` or `do while` */
    int in_lanes;    /* so many neighbouring iterations of a loop around go side by side (FORM_LANES); 0: none */
    bool crew;       /* a thread of a card runs it: no vectors */
} CountPlace;

Count cost_count(Arena *arena, const CountPlace *place, const Block *block);
/* Whether there is anything to report. */
bool cost_is_empty(const Count *count);
#endif
