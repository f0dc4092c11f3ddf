/* Machines as PCubeS models: a hierarchy of physical processing spaces (PPSes), each
 * with so many processing units (PPUs) in each PPU of the space above.
 *
 * A machine has one or more models (descriptions of the same hardware for different
 * uses); a model is a list of spaces from the top down. A level is an index in that
 * list: 0 is the top. Numbers count the other way in files: the lowest space is
 * usually Space 1. Sizes are in bytes, times in seconds, rates in units a second.
 *
 * Everything here lives in the arena it was built in and does not change afterwards.
 * The file format is described in pcubes.y; see also highp5.txt, sections 3.3 and 3.4. */
#ifndef HP5_MACHINE_MACHINE_H
#define HP5_MACHINE_MACHINE_H
#include "compiler/base/diag.h"
#include "compiler/base/vec.h"

typedef enum MachineFlag {
    FLAG_SEGMENT = 1, /* each PPU is one address space, run by one process (model_segment_level) */
    FLAG_UNIT = 2,    /* each PPU is one domain of core numbers */
    FLAG_CORE = 4,    /* the operating system numbers the PPUs of this level */
    FLAG_GPU = 8      /* accelerator cards; below are multiprocessors, warps and, maybe, lanes */
} MachineFlag;

/* A value that the model does not state. Stated values are 0 or more. */
#define MACHINE_UNSTATED (-1.0)
static inline bool machine_is_stated(double value) { return value >= 0; }

/* The attributes of a PPU; each is MACHINE_UNSTATED or a number in SI units. */
typedef struct MachineAttributes {
    double memory;         /* capacity, bytes */
    double operations;     /* compute: operations at once; 0 or unstated: cannot compute */
    double clock;          /* compute: Hz */
    double exchange;       /* latency between siblings, seconds */
    double move_bandwidth; /* between a PPU and its parent, bytes/s */
    double move_width;     /* bytes of one transaction */
    double move_latency;   /* seconds */
    double move_at_once;   /* transactions that can run at the same time */
    double move_in_flight; /* those of one PPU, each asked for by itself */
    double memory_bandwidth; /* memory: between the PPU and its own memory, bytes/s */
    double scalar;         /* cycles: of one operation after the other, loads and stores among them */
    double dependent;      /* cycles: an addition that waits for the one before */
    double divide;         /* cycles: a division or square root */
    double function;       /* cycles: a function of math.h, such as exp */
    double start;          /* cycles: starting a loop */
} MachineAttributes;

typedef struct MachineSpace {
    int number;       /* as in the file; one less than the space above */
    const char *name; /* unique in its model */
    int64_t count;    /* PPUs in each PPU of the level above, >= 1 */
    unsigned flags;   /* of MachineFlag */
    MachineAttributes attributes;
    Span span, name_span; /* in the model file; empty for a probed machine */
} MachineSpace;

typedef struct MachineModel {
    const char *name;         /* NULL: the file has one model without a heading */
    VEC(MachineSpace) spaces; /* top-down, at least one */
    Span span;
} MachineModel;

typedef struct Machine {
    const char *name;
    VEC(MachineModel) models; /* at least one; the first is the default */
    const char *comment;      /* NULL, or lines that machine_write puts at the top as comments */
} Machine;

enum { MACHINE_MAX_LEVELS = 32 };
#define MACHINE_MAX_PPUS ((int64_t)1 << 31) /* of one level, all together */

/* ---- Building ------------------------------------------------------------------ */

/* Reads a model file. Reports to `diags` (whose source is set to `source` meanwhile);
 * NULL when anything was wrong. A file without a Machine line gets the file's name. */
Machine *machine_parse(Arena *arena, Source *source, Diags *diags);

typedef struct ProbeOptions {
    bool measure;         /* fill in clock, bandwidths and latencies: takes up to about two seconds */
    bool cards;           /* look for CUDA cards, too: starting the driver can take half a second */
    const char *xml_path; /* NULL: this machine; else a topology saved by lstopo; nothing is measured then */
} ProbeOptions;

/* The model of a machine as hwloc sees it: Machine, then those of Package, NUMA-Node,
 * Die, Group, L3-Cache and L2-Cache that divide it further, Core, and Thread where cores run
 * several. Levels in which the numbers of cores differ are left out, and so are levels with one PPU in
 * each PPU above that is no memory of its own. Core (or Thread) is always the lowest space. A machine with
 * CUDA cards gets a second model of the largest group of equal cards. NULL and an error when hwloc fails. */
Machine *machine_probe(Arena *arena, const ProbeOptions *options, Diags *diags);

/* ---- Asking ---------------------------------------------------------------------- */

/* The model called `name`; the first for NULL; NULL when there is none of that name. */
const MachineModel *machine_find_model(const Machine *machine, const char *name);
/* The level of a space given by name or by number ("Core", "1"), or -1. */
int model_find_space(const MachineModel *model, const char *text);
/* The nearest spelling among the model's space names, or NULL. */
const char *model_nearest_space(const MachineModel *model, const char *text);
/* PPUs of the level in the whole machine. */
int64_t model_total_ppus(const MachineModel *model, int level);
/* PPUs of `lower` inside one PPU of `upper` (upper <= lower); 1 when they are the same. */
int64_t model_ppus_between(const MachineModel *model, int upper, int lower);
/* Where no level of the model states `compute`, the level flagged core and those below
 * it can compute, or the lowest level when none is flagged. */
bool model_can_compute(const MachineModel *model, int level);
/* The level that computes for `level`: itself, else the nearest below, else the nearest above
 * (highp5.txt 6.1.1, substitution rule 1). Prefers levels on the same side of a GPU boundary. -1: none. */
int model_compute_level(const MachineModel *model, int level);
/* True for the level of the cards and for those below it. */
bool model_is_gpu_level(const MachineModel *model, int level);
/* The level of which each PPU is one address space, run by one process; -1: the whole machine is one. It is the level flagged
 * segment, but that of the cards where such a PPU would have several: a process computes with one card. */
int model_segment_level(const MachineModel *model);

/* ---- Printing ---------------------------------------------------------------------- */

/* As a model file that reads back to the same machine. */
void machine_write(const Machine *machine, Text *out);
/* The hierarchy for people. */
void machine_draw_text(const Machine *machine, Text *out);
void machine_draw_svg(const Machine *machine, Text *out);
/* As a platform file of SimGrid: a host for each segment of the first model that has some. False, and errors, where the model
 * does not state what a simulation needs. */
bool machine_write_smpi(const Machine *machine, Diags *diags, Text *out);
/* Every attribute unstated. */
extern const MachineAttributes machine_nothing_stated;
/* "64 GB": a number and its unit, exactly. */
typedef enum UnitKind {
    UNIT_BYTES,
    UNIT_RATE,
    UNIT_SECONDS,
    UNIT_HERTZ,
    UNIT_OPERATIONS,
    UNIT_AT_ONCE,
    UNIT_IN_FLIGHT,
    UNIT_SCALAR,
    UNIT_DEPENDENT,
    UNIT_DIVIDE,
    UNIT_FUNCTION,
    UNIT_START,
    UNIT_KIND_COUNT
} UnitKind;
void machine_write_quantity(Text *out, UnitKind kind, double value);
#endif
