/* What a mapping does, for --print-mapping and --mapping-svg: which PPU runs which LPU, the parts of the data, and the
 * bytes of padding that go from PPU to PPU. Nothing is computed and no data are read: the tables of a task and the
 * extents of its arrays are enough. This room stands above runtime/run and looks into it.
 *
 *   collect.c        a prepared run of a task, as the structs below
 *   bytes.c          the padding that LPUs take from each other
 *   print_mapping.c  --print-mapping
 *   svg.c            --mapping-svg
 *   show.c           executions of a program: what is shown once, and when to stop
 *
 * A PPU is a group of threads of the team (level_counts.c); the units of a machine level are what these threads lie in: a PPU of
 * a Space on Core lies in a Socket, say. */
#ifndef HP5_RUNTIME_SHOW_H
#define HP5_RUNTIME_SHOW_H
#include "runtime/io/args.h"
#include "runtime/run/run.h"
#include <stdio.h>

enum { HP5_SHOW_LEVELS = 16, HP5_SHOW_KINDS = 3, HP5_SHOW_MATRIX = 64 };

/* Bytes of padding of all LPUs of a Space, each time it is brought up to date (all versions of it). */
typedef struct Hp5ShowBytes {
    int64_t crossing[HP5_SHOW_LEVELS]; /* from unit to unit of a level, inside one unit of the level above */
    int64_t within;                    /* from LPU to LPU of one PPU */
    int64_t most;                      /* that one PPU takes from others */
    int64_t *matrix;                   /* [from * n + to], n units of level 0 of Hp5ShowSpace; NULL: more than HP5_SHOW_MATRIX */
} Hp5ShowBytes;

/* Grids that look alike: the same extents, the same PPUs. */
typedef struct Hp5ShowKind {
    const Hp5Grid *grid;
    const Hp5Lpu *parent;
    int64_t count;
} Hp5ShowKind;

/* Smallest and largest extent of an array's unpadded parts, and the largest padding, in each of its dimensions. */
typedef struct Hp5ShowPart {
    int array;
    bool padded;
    int64_t least[HP5_MAX_RANK], most[HP5_MAX_RANK], front[HP5_MAX_RANK], back[HP5_MAX_RANK];
} Hp5ShowPart;

typedef struct Hp5ShowSpace {
    int lps;
    int threads;                       /* of the task */
    int64_t lpus, grids;               /* LPUs in all; LPUs of the parent */
    int kind_count;
    Hp5ShowKind kinds[HP5_SHOW_KINDS];
    int64_t other_grids;               /* that are like none of the kinds */
    int ppu_count;                     /* of the Space in the whole task */
    int *ppu_of;                       /* [thread]; PPUs count by their first threads */
    int64_t *load;                     /* [ppu]: LPUs that it runs; NULL where that is not known before (dynamic) */
    int level_count;                   /* levels of the machine with several units that run it, from the top; at least one */
    int level[HP5_SHOW_LEVELS];        /* their numbers in the task's list */
    int unit_count[HP5_SHOW_LEVELS];
    int *unit_of[HP5_SHOW_LEVELS];     /* [thread] */
    int part_count;
    Hp5ShowPart *parts;                /* one for each listed array */
    bool padded;
    Hp5ShowBytes bytes, plain;         /* as mapped; with contiguous runs */
} Hp5ShowSpace;

typedef struct Hp5ShowTask {
    const Hp5TaskRun *run;
    int threads, space_count;
    Hp5ShowSpace *spaces;              /* of all Spaces but Root and sub-partitions */
} Hp5ShowTask;

/* collect.c */
Hp5ShowTask *hp5_show_collect(Hp5TaskRun *run);
void hp5_show_free(Hp5ShowTask *task);
/* The threads of the PPU that runs an LPU. */
struct Hp5ShowSpan { int first, count; } hp5_show_span(const Hp5TaskRun *run, const Hp5Lpu *lpu);
/* "Socket 1, Core 3": where PPU number `ppu` of a Space lies. */
void hp5_show_ppu_name(const Hp5ShowTask *task, const Hp5ShowSpace *space, int ppu, char *text, size_t size);
/* Calls visit for each grid of an LPS, in the order of their LPUs' flat numbers. */
void hp5_show_each_grid(Hp5TaskRun *run, int lps, void (*visit)(Hp5Lpu *parent, Hp5Grid *grid, void *data), void *data);

/* bytes.c: adds what the LPUs of all grids of the Space take from each other; plain: were they in contiguous runs. */
void hp5_show_count_bytes(Hp5TaskRun *run, const Hp5ShowSpace *space, bool plain, Hp5ShowBytes *bytes);

/* print_mapping.c, svg.c */
void hp5_show_text(const Hp5ShowTask *task, FILE *out);
/* "Space A on Core: 4 x 4 = 16 LPUs on 8 PPUs, in blocks of the grid" */
void hp5_show_heading(const Hp5ShowTask *task, const Hp5ShowSpace *space, char *text, size_t size);
/* Panels of one task, drawn from `top` on; returns the height they take. The caller writes the frame. */
double hp5_show_svg(const Hp5ShowTask *task, double top, FILE *out);
enum { HP5_SHOW_WIDTH = 1000 };

/* show.c */
typedef struct Hp5Show Hp5Show;
/* NULL unless the options ask for it. */
Hp5Show *hp5_show_create(const Hp5Options *options);
/* Shows a prepared run, unless one like it has been shown. Ends the program when it seems to wait for results. */
void hp5_show_run(Hp5Show *show, Hp5TaskRun *run);
/* Writes the picture; frees. */
void hp5_show_destroy(Hp5Show *show);
#endif
