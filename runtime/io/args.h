/* Command-line arguments of a compiled program (and of hp5c --interpret): `a=x`, `--a x`
 * and `--a=x`, from one table. All problems are reported in one message, exit status 2.
 * Options that every program has: --help, --timing, --machine LEVEL=COUNT,…, --threads N, --trace FILE, --predict
 * and others (all in Hp5Options). */
#ifndef HP5_RUNTIME_ARGS_H
#define HP5_RUNTIME_ARGS_H
#include <stdbool.h>
#include <stdint.h>

/* SINGLE: an Integer of 32 bits */
typedef enum { HP5_ARG_INTEGER, HP5_ARG_SINGLE, HP5_ARG_REAL, HP5_ARG_BOOLEAN, HP5_ARG_STRING, HP5_ARG_INPUT, HP5_ARG_OUTPUT } Hp5ArgKind;
typedef struct Hp5ArgSpec { const char *name; Hp5ArgKind kind; const char *what; } Hp5ArgSpec;
typedef union Hp5ArgValue { int64_t integer; double real; bool boolean; const char *string; } Hp5ArgValue;

typedef struct Hp5Options {
    bool timing;              /* --timing: of tasks and their stages, with what is predicted */
    bool task_times;          /* --task-times: of tasks alone */
    bool report_comm;         /* --report=comm: what has moved between processes, at the end */
    const char *machine;      /* --machine text, or NULL */
    int64_t threads;          /* --threads N: N threads in all; 0: as the mapping and the model say */
    const char *trace;        /* --trace FILE, or NULL */
    bool unpinned;            /* --pin=none: threads run on any core */
    bool print_mapping;       /* --print-mapping: tasks are shown, not run */
    const char *mapping_svg;  /* --mapping-svg FILE, the same as a picture; or NULL */
    bool predict;             /* --predict: tell what stages will cost, and run none */
    bool simulate;            /* --simulate: on a simulated cluster, stages take the time that they will cost, and do not run */
    const char *measured;     /* --measured FILE: what --timing has said elsewhere, to go by in a simulation; or NULL */
    int64_t rounds;           /* --assume-rounds N: of loops that depend on results, which nobody has then; 0: not given */
} Hp5Options;

typedef struct Hp5Program { const char *name, *summary, *source; const Hp5ArgSpec *specs; int count; } Hp5Program;
/* --memory and --in-place go to hp5_memory_limit and hp5_files_in_place at once. */
/* Fills values[count]; prints help and exits 0 on --help; reports every problem at once and exits 2. */
void hp5_args_parse(const Hp5Program *program, int argc, char **argv, Hp5ArgValue *values, Hp5Options *options);
#endif
