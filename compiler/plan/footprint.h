/* Which elements of an array a stage touches, symbolically: a Region for each way in which it reads or writes one. A region is
 * evaluated with an LPU and the scalars of the moment. Knows checked programs only, so that the interpreter can hold
 * every access against it (--check-footprints). */
#ifndef HP5_PLAN_FOOTPRINT_H
#define HP5_PLAN_FOOTPRINT_H
#include "compiler/base/text.h"
#include "compiler/check/program.h"

typedef enum {
    REGION_OWN,     /* the LPU's unpadded part */
    REGION_PART,    /* its part, padding included; also where nothing more can be told. With `of`: as much of it as that other
                       array's part, in an LPS further down, has indices */
    REGION_WHOLE,   /* every index */
    REGION_POINT,   /* the index `low` */
    REGION_SPAN,    /* from `low` to `high`, both included, inside the part; NULL: to the part's end */
    REGION_INDIRECT /* indices that are the values of `values`, a region of an Integer array, or so much more */
} RegionKind;

typedef struct Region Region;
typedef struct RegionDim {
    RegionKind kind;
    const Expr *low, *high; /* the same whenever they are evaluated in one run of the stage */
    const Region *values;
    int64_t offset;         /* INDIRECT: added to them */
    const Var *of;
    int of_dimension;
    bool own;               /* it lies in the LPU's unpadded part; false: it cannot be told */
} RegionDim;

struct Region {
    const Var *var; /* the global, as all names in expressions */
    const Lps *lps; /* whose LPU's part it lies in */
    bool write;
    bool overwritten; /* of what is written: whenever the stage runs, each element, and before any is read (overwrite.c) */
    int lag;        /* versions back */
    int rank;
    RegionDim dims[MAX_RANK];
};
typedef VEC(Region *) RegionVec;

/* Needs: a checked program. Gives: what the stage of the call touches, each region once; never less than it does touch. */
RegionVec footprint_of_call(Arena *arena, const Step *call);
/* What it reads: who writes a part of an element (u[i].speed) does not count as reading the rest. */
RegionVec footprint_of_reads(Arena *arena, const Step *call);
/* What an expression of the flow touches, evaluated in `lps`. */
RegionVec footprint_of_expr(Arena *arena, const Expr *expr, const Lps *lps);
/* overwrite.c: the stage of the call writes all of the part of `array` that it gets, whatever happens, before it reads any of it. */
bool footprint_overwrites(const Step *call, const Var *array);
/* scratch.c: the stage of the call reads no element of `array` that it has not written before, in the same run. */
bool footprint_reads_own(Arena *arena, const Step *call, const Var *array);
/* The same of its current version alone. */
bool footprint_reads_own_current(Arena *arena, const Step *call, const Var *array);
/* How much of a dimension it can be: 0 one index, 1 some, 2 a span, 3 the part. */
int region_rank(const RegionDim *dim);
bool region_dim_equal(const RegionDim *a, const RegionDim *b);
/* own_parts.c: whether dimension `d` of what a stage of the task touches is seen to lie in the LPU's unpadded part. */
bool region_dim_is_own(const Task *task, const Region *region, int d);
/* A span that has both: where it is not known which end is further out, that of the part. */
RegionDim region_dim_hull(const RegionDim *a, const RegionDim *b);
/* The same of two regions of one array: from end to end it is the part. */
RegionDim region_dim_joined(const Region *a, const Region *b, int d);
bool region_equal(const Region *a, const Region *b);
/* The literal that a sum ends with, 0 if none does, and what stands before it. */
const Expr *expr_without_literal(const Expr *expr, int64_t *literal);
/* region_words.c: "lu[k][part]" */
void region_print(const Region *region, const char *name, Text *out);
#endif
