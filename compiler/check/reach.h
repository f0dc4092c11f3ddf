/* What elements a stage reaches from an LPU's part: the analysis behind the warnings about results that
 * depend on the partition (W0910 to W0914).
 *
 *   reach_value.c    what a subscript can be: an index of a loop plus a distance, the end of a range, …
 *   reach_parts.c    how an array is divided on the way from Root, and how far one part lies from another's
 *   reach_guard.c    conditions and restrictions around an access
 *   reach_window.c   sums of two indices
 *   reach_wrap.c     neighbours around the ends of the array, (i + 1) % n
 *   reach_data.c     subscripts that data say, or that are computed
 *   reach.c          walks the stages as the Computation calls them, and judges every access
 *   reach_warn.c     the messages
 *   reach_stale.c    padding that is read though the LPU has written its part since it was filled
 *   reach_depends.c  --remarks: do results depend on a partition argument?
 *
 * Whatever is not understood counts as right: no false alarms. A condition that knows of the LPU's part
 * (partition arguments, lpuId, `in` an LPU's range, what is computed from them) silences what stands
 * under it; one that cannot know of it (literals, indices, whole arrays' ranges, data) protects from nothing
 * at the ends of a part. */
#ifndef HP5_CHECK_REACH_H
#define HP5_CHECK_REACH_H
#include "compiler/check/declare.h"

/* ---- How arrays are divided -------------------------------------------------------------------- */
enum { MAX_LEVELS = 80, KEPT_CHAINS = 8 };
/* One Space that divides a dimension of an array, and which of its own dimensions does. */
typedef struct Level {
    const Lps *lps;
    int dim;
    const LpsVar *listed;
    const DimPartition *part;
} Level;
typedef struct Chain { const Lps *lps; const Var *array; int dimension; Level levels[MAX_LEVELS]; int count; } Chain;

/* ---- Values of subscripts ------------------------------------------------------------------------ */
typedef enum {
    VALUE_UNKNOWN,
    VALUE_BLIND, /* the same whatever the LPU's part is */
    VALUE_INDEX, /* of the loop index `index`: its value + low … + high */
    VALUE_END    /* the first or last index of a dimension's range, + low; high is low */
} ValueKind;
typedef struct Value {
    ValueKind kind;
    const Var *index;
    const Var *by;    /* INDEX: … plus (minus) this index of another loop */
    bool minus;
    int64_t low, high;
    bool wraps;       /* INDEX: elsewhere at the other end of the array */
    bool literal;     /* BLIND: one of low … high */
    const Var *array; /* END: a variable of the task */
    int dimension;
    bool local, last; /* END: of the LPU's part; the last index */
} Value;

/* One place where a local, or a part of it, gets a value, and the conditions under which it does. */
typedef VEC(const Stmt *) ConstStmtVec;
typedef struct Definition { const Expr *value; ExprVec conditions; /* and subscripts, of an element */ ConstStmtVec loops; /* that reduce into it */ } Definition;
typedef struct Local {
    VEC(Definition) definitions;
    bool opaque; /* also changed in other ways: its value is not followed */
    bool hidden; /* nor what it is made of */
    bool busy;   /* being looked at */
    int asked;   /* the last question about blindness that came to it */
} Local;

/* A loop around the access. */
typedef struct Scope { const Var *var; const LoopIndex *index; const Stmt *sequence; } Scope;

/* What is known of an index: it stays `inward` of an end of the LPU's part, or near one end of the array. */
typedef struct Guard {
    const Var *index;
    bool last;        /* bounds it from above */
    bool pinned;      /* to one index, or to a few at one end of the array */
    const Var *array; /* else: the part of this array's dimension … */
    int dimension;
    int64_t inward;   /* … and how many of its indices are kept away from */
    const Expr *test;
} Guard;

typedef struct Finding Finding;

/* Why results might depend on partition arguments (reach_depends.c). */
typedef enum {
    REASON_WARNED, REASON_DOUBT, REASON_COMPUTES, REASON_KNOWS, REASON_ROUNDING, REASON_PART_SUM, REASON_COUNTED_TWICE, REASON_ROUNDS,
    REASON_SCALAR, REASON_FOREIGN
} ReasonKind;
typedef struct Reason {
    ReasonKind kind;
    const Lps *lps;   /* concerns what divides it and those above it */
    Span span;
    const Var *param; /* or this argument alone */
} Reason;
typedef VEC(Reason) ReasonVec;
/* What an assignment reads and writes, seen from one end of a padded part (reach_stale.c). */
typedef struct Tap { const Expr *element; const Var *array; int dimension, lag; int64_t offset; /* outward of what is written */ int64_t padding; } Tap;
typedef enum {
    STENCIL_UNKNOWN, /* the array, NULL: any, may be written in any way */
    STENCIL_SOME,    /* some of its elements are */
    STENCIL_ALL      /* all are, as far as `written` */
} StencilKind;
typedef struct Stencil {
    StencilKind kind;
    const Stmt *stmt;
    const Var *array;
    int dimension;
    bool last;
    int64_t written, padding; /* indices beyond the LPU's own ones: those that it writes, those that there are */
    VEC(Tap) taps;
} Stencil;
typedef VEC(Stencil) StencilVec;

typedef struct OpenBlock { const Block *block; size_t scopes; } OpenBlock;
typedef VEC(Finding) FindingVec;

typedef struct Reach {
    Check *check;
    const Task *task;
    const Step *call;
    const Body *body;
    Local *locals; /* by Var.id */
    ExprVec conditions; /* around what is walked; only while definitions are collected */
    ConstStmtVec loops; /* the same */
    bool blocks_are_blind; /* i / 4 says nothing of parts: results are asked for, not guards */
    VEC(Scope) scopes;
    VEC(Guard) guards;
    int silenced; /* conditions that know of parts */
    int branches; /* conditional statements */
    const Expr *target; /* of the assignment that is looked at */
    FindingVec *findings;
    Chain *chains;      /* the last KEPT_CHAINS that were asked for */
    int next_chain;
    ReasonVec *reasons;
    StencilVec *stencils; /* of calls, by Step.id */
    VEC(OpenBlock) blocks;               /* around what is walked */
    VEC(const StageInstance *) neighbours; /* that use padding */
    int questions, depth; /* about blindness, each of which looks at a local once */
    int effort; /* expressions that may still be looked at for one question; then nothing is known */
} Reach;

typedef enum {
    REACH_UNKNOWN,    /* not shown to be right or wrong */
    REACH_LEAVES,     /* at an end of the part it reaches beyond */
    REACH_BORDER,     /* the ends of all parts are kept away from */
    REACH_WHOLE,      /* the index runs over more than the part */
    REACH_TRANSPOSED, /* the index runs over what another dimension of the Space divides */
    REACH_STRIDED,    /* neighbours of a strided part */
    REACH_WINDOW,     /* at an end of the part it reaches beyond, as far as another index goes */
    REACH_WRAPS,      /* at an end of the array it is at the other one */
    REACH_ANYWHERE    /* data say where it is, or it is computed */
} ReachKind;
struct Finding {
    ReachKind kind;
    const Step *call;
    const Expr *element;
    const Var *array; /* of the task */
    int dimension;
    bool last;        /* the end of the part */
    Level level;
    int64_t missing;  /* LEAVES, BORDER: indices of padding; WRAPS: the same, 0 if there is enough but at the array's end */
    int64_t outward;  /* how far from the index */
    const Var *from;  /* LEAVES: what keeps the index nearest: a loop over this array's part, or a guard; BORDER: the guard's;
                         TRANSPOSED: the array of the loop; WHOLE: the same, NULL if it is over a range */
    int from_dimension;
    const Expr *guard; /* BORDER */
    bool written;     /* the element is */
    Value subscript;
    bool in_sequence; /* the loop is a sequential one */
    const Var *window; /* WINDOW: the index that does not move with the part */
    const Var *elements; /* ANYWHERE: the array that says where, of the stage or the task; NULL: computed */
};

enum { REACH_EFFORT = 2000 };

/* ---- reach_value.c ---------------------------------------------------------------------------------- */
void reach_collect_definitions(Reach *reach);
/* Both need: reach->effort. */
Value reach_value(Reach *reach, const Expr *expr);
/* Without sums of two indices, of which nothing is known then. */
Value reach_plain_value(Reach *reach, const Expr *expr);
/* Whether it cannot tell one LPU's part from another. */
bool reach_is_blind(Reach *reach, const Expr *expr);
/* The task's variable that the running call binds to `var`; NULL for a constant. */
const Var *reach_global(const Reach *reach, const Var *var);
/* The range expression that `expr` stands for: itself, or what a local was once set to. */
const Expr *reach_range(Reach *reach, const Expr *expr);
const Scope *reach_scope(const Reach *reach, const Var *index);

/* ---- reach_parts.c ---------------------------------------------------------------------------------- */
/* The Spaces from that of the call upwards that divide the dimension into several parts, lowest first; kept until a few
 * others have been asked for. */
const Chain *reach_chain(Reach *reach, const Var *array, int dimension);
const Level *reach_find_level(const Chain *chain, const Lps *lps);
bool reach_same_expr(const Expr *a, const Expr *b);
bool reach_same_division(const Level *a, const Level *b);
bool reach_is_strided(const Level *level);
/* Whether a neighbour at that distance is always in the same strided part. */
bool reach_stays_in_stride(const Level *level, int64_t distance);
/* padding of `a` minus padding of `b` at one end. A symbolic padding is at least 1 and, of `a`, as much as is needed. */
int64_t reach_padding_difference(const Level *a, const Level *b, bool last);
/* Its value; false when it is not a literal. */
bool reach_padding(const Level *level, bool last, int64_t *value);

/* ---- reach_guard.c ---------------------------------------------------------------------------------- */
typedef struct Mark { size_t guards, scopes; int silenced, branches; } Mark;
Mark reach_mark(const Reach *reach);
void reach_release(Reach *reach, Mark mark);
void reach_assume(Reach *reach, const Expr *test);
/* The condition does not hold. */
void reach_assume_not(Reach *reach, const Expr *test);
void reach_assume_bounds(Reach *reach, const LoopIndex *index);

/* What keeps an index from one end of a part: the loop's domain, then the guards. */
typedef struct Keeper { const Var *array; int dimension; int64_t inward; const Expr *test; /* NULL: the domain */ } Keeper;
enum { MAX_KEEPERS = 24 };
typedef struct Keepers {
    Keeper items[MAX_KEEPERS];
    int count;
    bool unknown, pinned; /* more than these says */
} Keepers;
void reach_keepers(Reach *reach, const Var *index, bool last, Keepers *keepers);
void reach_keep(Keepers *keepers, Keeper keeper);

/* ---- reach_window.c ---------------------------------------------------------------------------------- */
/* x[i + t]: which of both indices moves with the part, and which is free to run further. False: that is not seen. */
typedef struct Window { const Var *moves, *free; bool last; /* the end of the part that it reaches beyond */ } Window;
bool reach_window(Reach *reach, const Value *value, Window *window);

/* ---- reach_wrap.c ------------------------------------------------------------------------------------ */
/* (i + 1) % n: the index, and how far from it the element is where it does not wrap around; not 0. False: that is not seen. Needs: reach->effort. */
bool reach_wrapped(Reach *reach, const Expr *expr, Value *value);

/* ---- reach_data.c ------------------------------------------------------------------------------------ */
/* Whether the subscript may be anywhere in what the Space divides. Its value is `unknown`, or that of an index, which data may still say where to begin. */
bool reach_from_data(Reach *reach, const Expr *expr, bool unknown, const Level *level, const Var **elements);

/* ---- reach_depends.c --------------------------------------------------------------------------------- */
void reach_note_reason(Reach *reach, ReasonKind kind, const Lps *lps, Span span, const Var *param);
/* An expression whose value is used for something else than to guard or to name elements. */
void reach_note_value(Reach *reach, const Expr *expr, const Lps *lps);
void reach_note_reduction(Reach *reach, const Stmt *stmt);
void reach_note_assignment(Reach *reach, const Stmt *stmt);
/* Needs the findings and reasons of the task. */
void reach_remark(Reach *reach);

/* ---- reach_stale.c ----------------------------------------------------------------------------------- */
void reach_note_stencil(Reach *reach, const Stmt *stmt);
/* Needs the stencils of the task. */
void reach_warn_stale(Reach *reach);

/* ---- reach_warn.c ------------------------------------------------------------------------------------ */
void reach_warn(Check *check, const FindingVec *findings);
#endif
