/* Mappings: which physical space (PPS) of a machine runs which logical space (LPS) of
 * a task. A mapping file is read once (mapping_parse); each task of the program is then
 * resolved against it and a machine model (mapping_resolve).
 *
 * The program comes in as an abstract tree of LPSes (MappingTree), so that this folder
 * knows nothing of programs. Levels are those of machine.h: 0 is the top space; here -1
 * stands for a whole machine whose top space has several PPUs.
 *
 * Rules (machine-and-mapping.md, section 2; highp5.txt, section 6.1.1):
 *   - `Space Root: X` confines a task to one PPU of X; without it the task has the machine.
 *   - An LPS runs on the PPUs of its PPS inside the PPU that runs its parent LPS.
 *   - An LPS without a line inherits its parent's PPS; a sub-partition always does.
 *   - An LPS of a PPS that cannot compute keeps its PPUs, and one PPU of the nearest computing level
 *     below works for each; when only levels above compute, the nearest of those takes its place.
 *
 * The default mapping, used without a file: dividing levels are the host levels with more than one
 * PPU in each PPU above, down to the lowest that computes. The deepest partitioned LPSes take the
 * lowest dividing level, their partitioned parents the next one up, and so on; the ancestors left over when
 * levels run out share the uppermost dividing level. An un-partitioned LPS stays with its parent, the first
 * ones with Root. */
#ifndef HP5_MAPPING_MAPPING_H
#define HP5_MAPPING_MAPPING_H
#include "compiler/mapping/func.h"

/* ---- The file ------------------------------------------------------------------- */

/* `Space A: Core[0...5]`; spans are in MappingFile.source. */
typedef struct MappingLine {
    Span span;
    const char *lps;
    Span lps_span;
    const char *pps; /* a name or a number, as text */
    Span pps_span;
    bool subset; /* [first...last], or [first] */
    int64_t first, last;
    Span subset_span;
    const char *function; /* `by` it; NULL: contiguous runs */
    Span function_span;
} MappingLine;

typedef enum { PLACE_LAYOUT, PLACE_LIMIT, PLACE_COLLECT, PLACE_PRIORITY, PLACE_REGION } PlaceKind;

/* Which memory has an array of a task on a card: the card's; the host's, where the card reaches it; the host's, and the card's while the task runs; or the host's, from which parts of LPUs come to
 * the card's for their visits. */
typedef enum { MEMORY_FBMEM, MEMORY_ZCMEM, MEMORY_SYSMEM, MEMORY_STAGED } MapMemory;
enum { MEMORY_KINDS = MEMORY_STAGED + 1 };

/* A placement statement: `Layout a: F_order, align 64`, `InstanceLimit A 4`, `CollectMemory a`, `Priority 5`, `Region a: ZCMEM`.
 * Spans of what a layout does not say are empty. */
typedef struct PlaceStatement {
    PlaceKind kind;
    Span span;
    const char *name; /* of the array or LPS; PRIORITY: NULL */
    Span name_span;
    int64_t number; /* LIMIT, PRIORITY; LAYOUT: its align, 0 without */
    Span number_span;
    bool fortran, split; /* LAYOUT: F_order; SoA */
    Span order_span, split_span;
    MapMemory memory; /* REGION */
} PlaceStatement;
typedef VEC(PlaceStatement) PlaceStatementVec;

/* One `"Task Name" { … }`. */
typedef struct MappingTask {
    const char *name;
    Span span, name_span;
    const char *model; /* NULL: the machine's first model */
    Span model_span;
    VEC(MappingLine) lines;
    PlaceStatementVec statements;
} MappingTask;

typedef struct MappingFile {
    Source *source;
    VEC(MappingTask) tasks;
    FuncItemVec functions; /* index mapping functions and assignments */
} MappingFile;

/* Reads a mapping file; reports to `diags`, NULL when anything was wrong. */
MappingFile *mapping_parse(Arena *arena, Source *source, Diags *diags);
/* Blocks of unknown tasks and second blocks of a task, against the names of the
 * program's tasks. False when it reported something. */
bool mapping_check_tasks(const MappingFile *file, const char *const *names, size_t count, Diags *diags);

/* ---- The program, as far as mappings care ------------------------------------------ */

typedef struct MappingLps {
    const char *name;
    int parent;            /* index in MappingTree.lpses, less than this LPS's own; -1 for Root */
    bool un_partitioned;   /* one LPU for each LPU of the parent */
    int dims;              /* 0: not divided */
    bool dynamic;          /* its LPUs go to threads as these get free */
    bool is_sub_partition; /* walked by the PPU that runs the parent: no line of its own */
    Span span;             /* in MappingTree.source */
} MappingLps;

typedef struct MappingTree {
    const char *task;        /* its name, as in the mapping file */
    Source *source;          /* of the program, or NULL: no notes at program positions */
    const MappingLps *lpses; /* lpses[0] is Root */
    size_t count;
} MappingTree;

/* ---- The result -------------------------------------------------------------------- */

/* Where one LPS runs. */
typedef struct MappedLps {
    int level;         /* its PPS after substitution from above; -1 only as described at the top */
    int asked_level;   /* the PPS that the mapping names; differs from `level` only where a level above took
                          over */
    int compute_level; /* the level of the PPUs that execute its code: `level` or one below it */
    const char *level_name; /* of `level`; the machine's name for -1 */
    int64_t ppus;           /* PPUs of `level` for it inside the PPU of its parent LPS; 1 for Root */
    int64_t first;       /* the first of these, counted inside that PPU from 0 (a subset may not start at 0);
                            for Root, counted in the whole machine */
    int64_t parallelism; /* LPUs that can run at once: the product of ppus from Root down */
    FuncItem *function; /* gives each LPU its PPU; NULL: contiguous runs */
    FuncMachine machine; /* where the function runs */
    bool inherited; /* without a line of its own (or with a default mapping's choice to stay with the parent)
                     */
    int64_t limit; /* at most so many of its LPUs at once; 0: as many as there are threads for */
} MappedLps;

/* A variable of a task, as far as placement statements care. What cannot be done to it is said in words, for
 * messages: "task \"T\" shares it with others"; NULL where it can. */
typedef struct MappingVar {
    const char *name, *type;
    bool is_array, of_user_type;
    int rank;
    const char *not_fortran, *not_split, *not_collected;
    Span why; /* in the program: what the words are about; empty: nothing to point at */
} MappingVar;

/* What the statements make of an array. */
typedef struct MappedArray {
    bool fortran, split, collected;
    int64_t align; /* 0: not said */
    MapMemory memory;
} MappedArray;

typedef struct ResolvedMapping {
    const char *task;
    const Machine *machine;
    const MachineModel *model;
    const MappingFile *file; /* NULL without one */
    const MappingTree *tree;
    MappedLps *lpses; /* parallel to tree->lpses */
    size_t count;
    const MappingTask *block; /* NULL: a default mapping */
    MappedArray *arrays;      /* parallel to the variables of mapping_resolve_statements; NULL before */
    int64_t priority;
    int64_t threads;  /* largest parallelism: one thread for each PPU of the deepest levels */
    int64_t segments; /* address spaces that the PPUs in use lie in; more than 1 needs processes */
    bool is_default;  /* derived, not read */
} ResolvedMapping;

/* Resolves one task. `file` may be NULL; a file without a block for the task gives the default mapping
 * and a warning. Reports to `diags` (positions in the mapping file; its source is restored); NULL after
 * errors. `tree` must outlive the result. */
ResolvedMapping *mapping_resolve(Arena *arena, const MappingFile *file, const Machine *machine,
                                 const MappingTree *tree, Diags *diags);

/* Placement statements of the task's block, against its variables. Fills what they say into `mapping`; false when it
 * reported something. */
bool mapping_resolve_statements(Arena *arena, ResolvedMapping *mapping, const MappingVar *vars, size_t count, Diags *diags);
/* As lines of a block. */
void mapping_print_statements(const ResolvedMapping *mapping, Text *out);

/* LPUs with equal numbers of two LPSes with the same parent and equally many LPUs run in the same address space: there is but one, or each
 * runs on the same PPU of the same level below it; where LPUs go in blocks (LpsPlan.blocks), if both go in the same ones. */
bool mapping_keeps_together(const ResolvedMapping *mapping, int a, int b);
/* … on the same PPU. */
bool mapping_is_alike(const ResolvedMapping *mapping, int a, int b);
/* Some LPS is mapped to a level of a card. */
bool mapping_on_card(const ResolvedMapping *mapping);
/* The stages of LPS `lps` are a card's. */
bool mapping_is_cards(const ResolvedMapping *mapping, int lps);
/* The mapping of a task as a block of a mapping file; reads back to the same mapping. */
void mapping_print(const ResolvedMapping *mapping, Text *out);
/* The functions and assignments of a mapping file, which stand before the blocks. */
void mapping_print_functions(const MappingFile *file, Text *out);
#endif
