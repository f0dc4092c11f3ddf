/* Inside the shared-memory emitter: one file of C for the whole program.
 *
 *   pthreads.c         emit_pthreads: the order of the file; names shared by the parts below
 *   pthreads_tables.c  constant descriptions of each task for the runtime (runtime/task/task.h)
 *   pthreads_flow.c    the flow function that every thread runs
 *   pthreads_task.c    a task's values, Initialize, and its launch
 *   mapping_functions.c  index mapping functions of the mapping file
 *   pthreads_place.c   its placement statements
 *   pthreads_main.c    the coordinator and main
 */
#ifndef HP5_EMIT_PTHREADS_H
#define HP5_EMIT_PTHREADS_H
#include "compiler/emit/emit.h"

typedef struct Pthreads {
    Emit *emit;
    Text *out;
    TaskPlan *task;     /* being printed */
    const char *symbol; /* its C prefix */
    const char *values; /* C text of the struct of its values where the text stands: "task" (pointer) */
} Pthreads;

/* "A"; a sub-partition: "A_sub" */
const char *pthreads_space(const Pthreads *pt, const Lps *lps);
/* C text of a task-global scalar or partition argument inside the flow: "task->k", "A_scalars->norm",
 * "counter". */
const char *pthreads_scalar(Pthreads *pt, const Var *var, int lag);
/* A scalar of the task's start values: "task->norm". */
const char *pthreads_value(Pthreads *pt, const Var *var);
/* Index of the partition expression among Hp5TaskRun.args (added when new), or "HP5_NO_ARG". */
const char *pthreads_arg(Pthreads *pt, Expr *expr);
/* Source text of a span. */
const char *pthreads_source_text(const Pthreads *pt, Span span);
int pthreads_line(const Pthreads *pt, Span span);
bool pthreads_is_shared(const Pthreads *pt, const Var *var);
/* A Repeat variable that each thread keeps for itself. */
bool pthreads_is_counter(const Pthreads *pt, const Var *var);
const char *pthreads_quote(const Pthreads *pt, const char *text);
/* A name as it may stand in a comment: one line, no comment marks. */
const char *pthreads_comment(const Pthreads *pt, const char *text);

/* Whether an index mapping function places the LPUs of a Space; the functions, and the table of them. */
bool pthreads_is_placed(const Pthreads *pt, const Lps *lps);
void pthreads_mapping_functions(Pthreads *pt);
/* Tables of what placement statements say; the fields of the task that name them (pthreads_place.c). */
const char *pthreads_place_fields(Pthreads *pt);
/* "Task_places", or "NULL". */
const char *pthreads_places_table(Pthreads *pt);
/* One line of C, indented. */
__attribute__((format(printf, 3, 4))) void pthreads_print(Pthreads *pt, int indent, const char *format, ...);

void pthreads_tables(Pthreads *pt);
void pthreads_flow(Pthreads *pt);
void pthreads_structs(Pthreads *pt);
void pthreads_launch(Pthreads *pt);
void pthreads_main(Pthreads *pt);
#endif
