/* The program around its stages, as one file of C: the state while one task is printed, and names that its parts share.
 *
 *   file.c               emit_file: the order of the file; names shared by the parts below
 *   tables.c             constant descriptions of each task for the runtime (runtime/desc/desc.h)
 *   placement.c          tables of the mapping's placement statements
 *   transfers.c          the table of what moves between address spaces
 *   products.c           the table of products of matrices
 *   mapping_functions.c  index mapping functions of the mapping file
 *   launch.c             a task's values, Initialize, and its launch
 *   write_coordinator.c  the coordinator and main
 *   ../cpu/flow_function.c  the flow function that every thread runs
 */
#ifndef HP5_EMIT_TASK_WRITER_H
#define HP5_EMIT_TASK_WRITER_H
#include "compiler/emit/emit.h"

struct TaskWriter {
    Emit *emit;
    Text *out;
    const TaskPlan *task; /* being printed */
    const char *symbol; /* its C prefix */
    bool reduces_before, reduces_behind; /* the PLAN_REDUCE at hand has another one beside it, of the same crew: they wait together */
    bool on_card;       /* CUDA C++ for a card is printed, in which void pointers want casts and a PPU's threads run stages together */
    bool predicting;    /* the flow of a card is printed for the host, which counts what stages cost there, crew after crew, and runs none */
    const char *joined; /* C name of the products that the stage of this visit leaves to later calls (cpu/flow_visits.c), or NULL */
    const Strips *strips; /* the group that the stage runs in, or NULL (cpu/flow_strips.c) */
    const char *values; /* C text of the struct of its values where the text stands: "task" (pointer) */
};

/* "A"; a sub-partition: "A_sub" */
const char *task_space(const TaskWriter *tw, const Lps *lps);
/* C text of a task-global scalar or partition argument inside the flow: "task->k", "A_scalars->norm",
 * "counter". */
const char *task_scalar(TaskWriter *tw, const Var *var, int lag);
/* Calls `visit` for each text in a value of the type: ".name", ".owner.name". */
void task_each_text(TaskWriter *tw, const Type *type, const char *path, void (*visit)(TaskWriter *tw, const char *path, void *data), void *data);
/* The table of those among scalars that LPUs have; returns the fields of the descriptor, "" where there is none. */
const char *task_texts_table(TaskWriter *tw);
/* A scalar of the task's start values: "task->norm". */
const char *task_value(TaskWriter *tw, const Var *var);
/* Index of the partition expression among Hp5TaskRun.args, or "HP5_NO_ARG". */
const char *task_arg(const TaskWriter *tw, const Expr *expr);
/* Source text of a span. */
const char *task_source_text(const TaskWriter *tw, Span span);
int task_line(const TaskWriter *tw, Span span);
bool task_is_shared(const TaskWriter *tw, const Var *var);
/* A Repeat variable that each thread keeps for itself. */
bool task_is_counter(const TaskWriter *tw, const Var *var);
const char *task_quote(const TaskWriter *tw, const char *text);
/* A name as it may stand in a comment: one line, no comment marks. */
const char *task_comment(const TaskWriter *tw, const char *text);

/* Whether an index mapping function places the LPUs of a Space; the functions, and the table of them. */
bool task_is_placed(const TaskWriter *tw, const Lps *lps);
void task_mapping_functions(TaskWriter *tw);
/* Tables of what placement statements say; the fields of the task that name them (placement.c). */
const char *task_place_fields(TaskWriter *tw);
/* "Task_places", or "NULL". */
const char *task_places_table(TaskWriter *tw);
/* The table of what moves between address spaces; the fields of the task that name it (transfers.c). */
const char *task_transfers_table(TaskWriter *tw);
/* The table of its products, for reports of what moves between address spaces (products.c); likewise. */
const char *task_products_table(TaskWriter *tw);
/* The place of a transfer in that table. */
/* Of the transfers that bring home what one holding has written, which are one to the library, the first; NULL: it is none. */
const Transfer *task_channel(const TaskWriter *tw, const Transfer *transfer);
int task_transfer_number(const TaskWriter *tw, const Transfer *transfer);
/* The function that says what is touched of it; the first of the transfers that share it. */
const char *task_touches(const TaskWriter *tw, const Transfer *transfer);
/* The function that says which elements of an array processes read from its file (ArrayPlan.reads). */
const char *task_reads(const TaskWriter *tw, const ArrayPlan *array);
const Transfer *task_toucher(const TaskWriter *tw, const Transfer *transfer);
/* "(struct TAG *)" where C++ wants it in front of a void pointer; else "". */
const char *task_cast(const TaskWriter *tw, const char *tag);
/* One line of C, indented. */
__attribute__((format(printf, 3, 4))) void task_print(TaskWriter *tw, int indent, const char *format, ...);

void task_tables(TaskWriter *tw);
/* The functions that combine partial results of reductions. */
void task_combine_functions(TaskWriter *tw);
void task_structs(TaskWriter *tw);
void task_launch(TaskWriter *tw);
void coordinator_and_main(TaskWriter *tw);
#endif
