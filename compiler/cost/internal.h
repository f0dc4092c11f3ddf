/* Inside counting: the state of one count. count.c adds up operations, elements.c collects elements and widths, chain.c finds
 * what an iteration hands to the next. */
#ifndef HP5_COST_INTERNAL_H
#define HP5_COST_INTERNAL_H
#include "compiler/cost/count.h"

/* A loop inside that is written out: its index stands for each number of the range. */
typedef struct WrittenOut { const LoopIndex *index; const struct WrittenOut *outer; } WrittenOut;

typedef struct Counter {
    Arena *arena;
    const CountPlace *place; /* NULL inside user functions */
    const WrittenOut *written_out;
    const struct Counter *caller; /* of a user function, with the call; else NULL */
    const Expr *call;
    const LoweredProgram *program; /* NULL: nothing is known about values */
    const LoweredBody *code;
    Count count;
    bool in_vectors;  /* both branches of an `if` count */
    bool conditional; /* inside one */
    bool scalar_only; /* something that vector instructions do not do */
    int widest;       /* bytes of the widest number */
} Counter;

/* For code inside what the counter counts. */
static inline Counter cost_counter_inside(const Counter *outer) {
    Counter inner = *outer;
    inner.count = (Count){0};
    inner.scalar_only = false;
    inner.widest = 0;
    return inner;
}

/* Sums of elements that C compilers compute side by side (nest.h). */
static inline bool cost_runs_abreast(const Nest *nest) { return nest && nest->form == FORM_SUM && nest->sum.abreast; }

/* ---- count.c ---------------------------------------------------------------------------------------- */
void cost_count_expr(Counter *counter, const Expr *expr);
/* What the processor does without a call. */
bool cost_is_cheap_function(const char *name);
/* How dear a run of the function is, in operations. */
double cost_weight_of(Arena *arena, const Function *function);

/* ---- elements.c ------------------------------------------------------------------------------------- */
void cost_note_width(Counter *counter, const Expr *expr);
/* Whether a conversion has vector instructions, or is done once for all iterations. */
bool cost_converts_in_vectors(const Counter *counter, const Expr *expr);
void cost_add_access(Counter *counter, const CountAccess *access, int rank);
/* Reads or writes what a place names: an element, or a member of one. */
void cost_count_place(Counter *counter, const Expr *place, double reads, double writes);

/* ---- chain.c ---------------------------------------------------------------------------------------- */
/* How long, in additions, the longest chain is that goes from one iteration of the innermost loop to the next. */
double cost_chain(Arena *arena, const CountPlace *place, const Block *block);
#endif
