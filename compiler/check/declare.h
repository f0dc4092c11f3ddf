/* Between the files of the declarations side: the passes that check.c runs, in
 * its order, and what computation.c and its neighbours share. */
#ifndef HP5_CHECK_DECLARE_H
#define HP5_CHECK_DECLARE_H
#include "compiler/check/internal.h"

/* "did you mean" from the variables of the task. */
void help_nearest_global(Check *check, Diag *diag, const Task *task, const char *word);
/* "did you mean" from the LPSes of the task. */
void help_nearest_lps(Check *check, Diag *diag, const Task *task, const char *word);

/* Needs nothing. Gives every user type, complete and in order. */
void declare_types(Check *check);
/* Needs the types. Gives every task with its globals, environment, partition parameters and implicit Repeat variables. */
void declare_tasks(Check *check);
/* spaces_match.c: what the data lines of one LPS (or of its sub-partition) list. */
void declare_data_lines(Check *check, Task *task, Lps *lps, const AstDataLine *lines, size_t count);

/* Needs the task's variables. Gives its LPS tree. */
void declare_spaces(Check *check, Task *task);
/* Needs the LPS tree and Initialize. Reports arrays whose bounds are not set on every path. */
void check_bounds(Check *check, Task *task);
/* One thing that the Computation does with a task-global variable: a call that
 * names it (or passes it), a Repeat that counts in it, a condition or range that
 * reads it. In the order of Step.id. */
typedef struct Access {
    Step *step;
    Var *var;
    VarUse use;
    Span span;                   /* the argument, the call or the Repeat variable */
    Lps *reduction_space;        /* where a reduced variable's result goes; else NULL */
} Access;
typedef VEC(Access *) AccessRefs;

typedef struct Flow {
    Check *check;
    Task *task;
    const AstTask *ast;
    NameTable stages;            /* const AstStage * */
    NameTable called;            /* stages that some call names */
    VEC(struct InstanceUse *) uses; /* by StageInstance.id */
    VEC(Access) accesses;
    AccessRefs *by_var;          /* the accesses of each global, by Var.id; made when the flow is whole */
    bool *entered;               /* by Lps.id: the Computation enters it (whoever enters an LPS entered its parent) */
} Flow;

/* Whether the LPS may have more than one LPU along a dimension (from 0). All variables of an
 * LPS give the same number of parts, so one that provably gives one part is enough to say no. */
bool lps_has_several(const Lps *lps, int dimension);
/* Whether one LPU of `above` provably holds one LPU of `lps` at a time (sub-partitions are walked one after the other). */
bool lps_is_one_within(const Lps *lps, const Lps *above);
/* The first step id after `step` and everything in it. */
int step_end(const Step *step);

/* access.c: who may write what where; where scalars live. Needs the accesses. */
void check_accesses(Flow *flow);
/* epoch_versions.c: how many versions, which epoch advances what. Needs the homes. */
void check_epochs(Flow *flow);
/* unused.c: warnings about what the task declares and never uses. */
void warn_unused(Flow *flow);

/* unasked.c: warnings of stages that set variables which they are not handed. */
void warn_unasked_writes(Flow *flow);

/* Needs all of the above. Gives the flow, stage instances, scalar homes, versions, epochs. */
void declare_flow(Check *check, Task *task);
/* Needs a program without errors. Warns of provable dependences between iterations or LPUs. */
void warn_dependences(Check *check, Task *task);
/* Needs a program without errors. Reports subscripts that are seen to be outside static arrays and arrays with literal bounds. */
void check_known_indices(Check *check);
/* Needs a program without errors. Warns of elements outside an LPU's part, and of parts whose ends are taken for the
 * array's border (reach.h). */
void warn_reach(Check *check, Task *task);
/* Needs a program without errors. Warns of scalars that are read and never set. */
void warn_unset(Check *check, const Task *task);
/* widened.c. Needs a program without errors. Says where locals with literals for values make single-precision numbers double. */
void remark_widened(Check *check);
#endif
