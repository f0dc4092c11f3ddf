/* Descriptors: the constant tables that hp5c writes about each task. They are the only interface between generated code and
 * library beside the functions that the code calls: everything else at run time follows from them, the bounds of the
 * arrays, the partition arguments and the machine.
 *
 * How to read it: from the inside out: how one dimension is divided, an LPS, arrays, exchanges and reductions, the machine,
 * the mapping's wishes, what moves between address spaces, and Hp5TaskDesc with all of it. */
#ifndef HP5_RUNTIME_DESC_H
#define HP5_RUNTIME_DESC_H
#include "runtime/array/index_set.h"
#include "runtime/io/npy.h"

enum { HP5_MAX_VERSIONS = 8, HP5_NO_ARG = -1 };

typedef struct Hp5DimDesc {          /* how one LPS dimension divides one array */
    Hp5PartFunction function;        /* HP5_REPLICATED: does not divide it */
    int array_dimension;             /* -1 for replicated */
    int argument[2];                 /* indices into Hp5Run args, HP5_NO_ARG = absent (b absent: PPU count) */
    int front, back;                 /* padding arguments or HP5_NO_ARG */
    bool descends;                   /* sub-partitions */
    const char *text;                /* as written, for messages: "block_size(k)" */
} Hp5DimDesc;

typedef enum {
    HP5_IN_PLACE,   /* the LPU works on the store of the nearest holder above */
    HP5_COPY,       /* own copy: filled when the LPS is entered, unpadded part handed back when it is left */
    HP5_HOME,       /* own copy, and the copies of this LPS's LPUs are the array: there is no store above */
    HP5_AT_HOME     /* the LPU works in place on the copy of the LPU of the array's home that has its number; a sibling of that LPS */
} Hp5Storage;

typedef struct Hp5LpsVarDesc {
    int array;                       /* index in Hp5TaskDesc.arrays */
    Hp5Storage storage;
    const Hp5DimDesc *dims;          /* Hp5LpsDesc.dims of them */
} Hp5LpsVarDesc;

/* Its LPUs have stores of their own. */
static inline bool hp5_has_copies(const Hp5LpsVarDesc *var) { return var->storage == HP5_COPY || var->storage == HP5_HOME; }

typedef struct Hp5LpsDesc {
    const char *name;
    int parent;                      /* -1 for Root; parents come first */
    int dims;                        /* 0: one LPU for each parent LPU */
    bool sub_partition;              /* its LPUs are walked by the parent LPU's own group */
    bool ordered;
    int line;
    size_t scalars_size;             /* bytes of the scalars that live in each LPU; 0 allowed */
    int var_count;
    const Hp5LpsVarDesc *vars;       /* Root: all arrays, dims NULL, IN_PLACE (or HOME elsewhere: then Root's store has bounds alone) */
} Hp5LpsDesc;

typedef struct Hp5ArrayDesc {
    const char *name;
    const Hp5Element *element;
    int rank, versions;
    bool rotates;                    /* epochs rotate its buffers instead of copying (see hp5_epoch) */
    int home;                        /* LPS whose copies are the array, or 0 (Root) */
} Hp5ArrayDesc;

/* An exchange brings the padding of `array`'s copies up to date when LPS `lps` is left: each padded element
 * gets the value of the LPU of `lps` (in the same parent LPU) in whose unpadded part it lies. */
typedef struct Hp5ExchangeDesc { int lps, array; } Hp5ExchangeDesc;

/* A reduction site: results of LPS `from`, one combined result in each LPU of LPS `to` (an ancestor or itself). */
typedef struct Hp5ReduceDesc {
    int from, to;
    size_t size;                                     /* bytes of one partial result */
    /* Combines `count` partial results in LPU order (those with present[i]) as the fixed tree and stores the
     * result through `scalars` of the target LPU; does nothing when none is present. */
    void (*combine)(const void *partials, const unsigned char *present, int64_t count, void *scalars);
    const char *target;                              /* the scalar that gets it */
    int line;                                        /* of the stage's call */
    void (*join)(const void *left, const void *right, void *into); /* two of them, of which `into` may be one; NULL: the task runs in one process */
} Hp5ReduceDesc;

/* Elements of an array that a process of several has room for: the parts of its own LPUs of an LPS, padding included. */
typedef struct Hp5RoomDesc {
    int lps;
    bool first;           /* of an LPU that several processes run the first one alone */
    bool filled;          /* they come from the environment, before the task begins */
} Hp5RoomDesc;

/* A text among the scalars of an LPU, or of a task on a card among its values. */
typedef struct Hp5TextDesc {
    int lps; /* -1: a value's */
    size_t offset;
} Hp5TextDesc;

struct Hp5Worker;
struct Hp5Lpu;
struct Hp5Touched;

/* What a process of several holds of an array that its LPUs work on in place, and who has it when the task has ended. */
typedef struct Hp5HeldDesc {
    int owner;            /* LPS whose LPUs' unpadded parts are the array in the end; -1: no stage writes it */
    bool old;             /* not all that the environment has filled is up to date then */
    int room_count;
    const Hp5RoomDesc *rooms;
    unsigned gaps;        /* dimensions (1 << d) of which generated code asks for the places of indices (runtime/store/places.h) */
    bool slots;           /* leaders get what they touch of others' anew each time (runtime/store/slots.c) */
    /* What the thread's LPUs will read of the array, where that follows from elements of others, which no stage writes; NULL: all of their
     * parts. A process reads nothing else of it from a file. */
    void (*reads)(struct Hp5Worker *worker, struct Hp5Lpu *root, const struct Hp5Touched *touched);
    int looks_at_count;
    const int *looks_at;  /* those others */
} Hp5HeldDesc;

typedef struct Hp5MachineLevel {
    const char *name;
    int count;    /* PPUs in each PPU of the level above */
    bool segment; /* each is an address space of its own */
    bool unit;    /* each is a node */
} Hp5MachineLevel;

/* How an array lies in memory; all zero: rows together, elements whole, as aligned as ever (64 bytes). */
typedef struct Hp5Layout {
    bool fortran;  /* the first index runs fastest */
    bool split;    /* the values of each field lie together */
    int64_t align; /* bytes; 0: not said */
} Hp5Layout;

/* What the model states of a PPU, in bytes, seconds, Hz and bytes a second; 0: not stated. The last line is in cycles.
 * For predictions only (runtime/predict). */
typedef struct Hp5Figures {
    double memory, own_bandwidth, operations, clock, exchange, bandwidth, width, latency, at_once, in_flight;
    double scalar, dependent, divide, function, start;
} Hp5Figures;

/* What loses its memory before the task ends (runtime/run/collect_memory.c). */
typedef enum { HP5_KEPT, HP5_COLLECT_COPIES, HP5_COLLECT_ARRAY /* and copies */, HP5_NO_MEMORY /* never has any: run/visit_strips.h */ } Hp5Collect;

struct Hp5Placing;
struct Hp5CardTask;
/* How the LPUs of an LPS go to PPUs: by an index mapping function (runtime/lpu/placing.h); or, where `blocks`, in blocks of
 * the grid if that saves bytes between PPUs (placing_blocks.c); else in contiguous runs. */
typedef struct Hp5PlaceDesc {
    void (*place)(struct Hp5Placing *placing);
    const char *function, *file;
    bool blocks, dynamic;            /* dynamic: LPUs go to threads as these get free */
    int as;                          /* 0, or a sibling whose LPUs it follows: its blocks are theirs */
} Hp5PlaceDesc;

/* A subscript of a stage that is an element of `indices`, plus `offset`, or runs from or to one; no stage writes `indices`
 * (runtime/run/gathers.c). */
typedef struct Hp5GatherDesc {
    int group;                       /* stages are asked for by group */
    int indices, array, dimension;
    bool least, most;                /* it is no less than the least element, no more than the greatest */
    int64_t offset;
    bool bounded, spared;            /* where it is used, the element is no less than `from`, and not `unlike` */
    int64_t from, unlike;
} Hp5GatherDesc;

/* Elements that move between address spaces inside each LPU of `within` (runtime/move/transfer_messages.c): from the LPUs of `from` in
 * whose unpadded parts they lie to LPUs of `to` with them in their parts. Of an LPU that several processes run, all of them have
 * the elements or want them, or only the first one. */
typedef struct Hp5TransferDesc {
    const char *what; /* "lu[k][part] from the parts of Space B to the leader of Space A" */
    int line;         /* of the step that needs it; 0: the end */
    int array;
    int within, from, to;
    bool first_gives, first_takes;
    bool partial;     /* not all that was written moves: other elements when its bounds are others */
    int channel;      /* to an array's home, the boxes that hp5_wrote_part names by this number: of one of the transfers that do; else -1 */
    uint64_t after;   /* the steps, numbered as in hp5_wrote, after which it happens */
    uint64_t covers;  /* transfers of which this one moves all, or more */
    uint64_t spares;  /* … that come behind it in front of the same step: of whatever has been written by then */
    /* What moves of it is what the thread's LPUs below `lpu` are about to read, as this says (runtime/move/picks.h); NULL: the parts. It
     * follows from the elements of arrays, and is found anew when one of these has changed: after these steps, or with the item. */
    void (*touches)(struct Hp5Worker *worker, struct Hp5Lpu *lpu, const struct Hp5Touched *touched);
    uint64_t looked_after;
    int looks_at_count;
    const int *looks_at;
} Hp5TransferDesc;

/* A stage that multiplies whole parts of arrays: c = c + a b (--report=comm says what that takes, and must take). */
typedef struct Hp5ProductDesc {
    const char *what; /* "c from a and b in Space A" */
    int line, lps;
    int arrays[3];    /* c, a, b */
    int row, column;  /* dimensions of c */
    int depth;        /* dimension of a */
} Hp5ProductDesc;

/* Runs a stage for an LPU of a task that runs on a card (runtime/card/on_host.h); counters: of the flow's loops, as far as the stage asks for them. */
typedef void (*Hp5OnHost)(struct Hp5Worker *worker, struct Hp5Lpu *lpu, const int64_t *counters);

typedef struct Hp5TaskDesc {
    const char *name, *source;       /* source file, for messages */
    int lps_count; const Hp5LpsDesc *lpses;
    int array_count; const Hp5ArrayDesc *arrays;
    int arg_count; const char *const *arg_names; /* names of evaluated partition expressions: "k" or "2*k" */
    int exchange_count; const Hp5ExchangeDesc *exchanges;
    int reduce_count; const Hp5ReduceDesc *reductions;
    const int *level_counts;         /* for each LPS: PPUs of its level within the PPU of its parent LPS (Root: 1);
                                        defaults from the model, changed by --machine/--threads */
    const char *const *level_names;  /* for each LPS: the PPS it is mapped to */
    int stage_count; const char *const *stage_names; /* timed call sites: "refineEstimates in Space B (line 12)" */
    int64_t ppu_first, ppu_end;      /* PPUs of the model's lowest level that the mapping takes; 0, 0: not said, all of them */
    const bool *written;             /* for each array: a stage writes it (NULL: all may be) */
    int machine_level_count; const Hp5MachineLevel *machine_levels; /* all levels of the model from the top; 0: not said */
    const Hp5Figures *machine_figures; /* for each of these levels; NULL: nothing is stated */
    const int *machine_level;        /* for each LPS: its level in that list, -1: the whole machine */
    const Hp5Layout *layouts;        /* for each array; NULL: none is special */
    const Hp5Collect *collected;     /* for each array; NULL: all are kept */
    int64_t priority;                /* among executions that wait; the largest goes first */
    const int64_t *limits;           /* for each LPS: at most so many of its LPUs at once, 0: all; NULL: none has a limit */
    const Hp5PlaceDesc *places;      /* for each LPS; NULL: contiguous runs everywhere */
    int gather_groups, gather_count; const Hp5GatherDesc *gathers;
    const int *level_first;          /* for each LPS: its first PPU among those of its level in the parent LPS's PPU (Root: in
                                        the machine); NULL: 0 */
    int transfer_count; const Hp5TransferDesc *transfers; /* tasks of one address space have none */
    int segments;                    /* address spaces that the mapping takes; 0 or 1: one */
    const Hp5HeldDesc *held;         /* for each array, where the mapping takes several; else NULL */
    int product_count; const Hp5ProductDesc *products; /* likewise */
    const struct Hp5CardTask *card;  /* runs on a card: its text for that (runtime/card/card.h); NULL: on threads */
    const Hp5OnHost *on_host;        /* there, by the numbers of stage calls: those that are the host's; NULL: none is */
    int text_count; const Hp5TextDesc *texts; /* of all LPSes; likewise */
} Hp5TaskDesc;
#endif
