/* Tasks on cards: what the library and the text for cards (runtime/card/code.h) have in common.
 *
 *   image.c    a run's records as a card sees them: LPUs, views, stores, reductions, padding
 *   image_records.c  what executions change of it, to the card and back
 *   image_texts.c  Strings in values
 *   card.c     one execution: elements to the card, the kernel, elements back
 *   calls.c    what a kernel asks of the host while it runs: stages of the host's Spaces, all that happens between processes
 *   on_host.c  what stages of the host's Spaces touch, from the card and back
 *   cargo.c    what goes between the host and cards, counted
 *   place_tables.c  where indices with gaps lie
 *   resident.c arrays that stay in the card's memory between executions; sides.c: parts of arrays that do
 *   box_rows.c boxes as the copy engine takes them
 *   block_rooms.c  shared memory that a launch gives to blocks
 *   clock.c    --timing and --trace: when stages began and ended there
 *   code.h     what the text for cards includes: crews, and the functions that flow and stages call
 *   row_pieces.h  rows along which threads accumulate, through shared memory
 *   near.h     parts of LPUs in shared memory, from round to round of a visit
 *   batch.h    parts of LPUs that come from the host's memory for a visit; batches.c: the host's side, image_batches.c: their records
 *   down.h     loops of one thread down columns
 *   streams.h  sequential loops along arrays, through shared memory
 *   owners.h   sequential loops that accumulate in elements that data tell
 *   tallies.h  sequential loops that count, in shared memory
 *   product_tiles.h  products of matrices, by all threads of a crew; product_large.h: large ones
 *   ask_host.h  the kernel's side of calls.c
 *   lists.h    lists
 *   folds.h    what loops collect in locals, and teams of a crew's threads
 *   walks.h    loops that a crew shares, two as one
 *   chunks.h   reductions inside of stages; joining.h  results of LPUs become one
 *   image_checks.c, checking.h  what checked builds look at there (runtime/checked.h)
 *   stage_clock.h  the kernel's side of clock.c
 *   copying.h  where elements lie there, and copies by a crew
 *   crew.h     threads that work together on an LPU; cuda_driver.h: the CUDA runtime's functions, compiled with the text
 *
 * A PPU of a card is a crew of threads: the whole grid for the card, a block for a multiprocessor, a warp for a warp, one thread for a lane. All threads of a crew
 * go through the flow together and share the data-parallel loops of stages; a worker is a crew of the lowest level that the task's LPSes
 * are mapped to. */
#ifndef HP5_RUNTIME_CARD_H
#define HP5_RUNTIME_CARD_H
#include "runtime/lpu/lpu.h"
#include "runtime/store/store.h"

enum { HP5_WARP_THREADS = 32, HP5_SLOT_BYTES = 16 };

/* Slots of a crew of so many warps: for a result of each and one more, twice; and one (chunks.h). */
#define HP5_SLOTS(warps) (2 * (warps) + 3)

/* Elements of the largest boxes of padding, of which warps copy one after the other; results of LPUs that one thread joins, at most. */
enum { HP5_BOX_CHUNK = 512, HP5_JOINED_BY_ONE = 4 };

/* Products (product_tiles.h): threads side by side in a row of a tile's parts; how many of a block have parts, at most; HIGH by WIDE elements of such a
 * part where there are more than LARGE rows and columns, 4 by 4 where more than SMALL, else 2 by 2; SIDE by SIDE of those of a warp, ACROSS in a row.
 * HIGH by LARGE_DOUBLE or LARGE_SINGLE of a large tile (product_large.h). */
enum { HP5_TILE_ACROSS = 16, HP5_TILE_THREADS = 256, HP5_TILE_LARGE = 64, HP5_TILE_SMALL = 32, HP5_TILE_HIGH = 8, HP5_TILE_WIDE_DOUBLE = 4, HP5_TILE_WIDE_SINGLE = 8,
       HP5_TILE_LARGE_DOUBLE = 8, HP5_TILE_LARGE_SINGLE = 16, HP5_WARP_TILE_SIDE = 4, HP5_WARP_TILE_ACROSS = 8 };

/* Rows (row_pieces.h): so many pieces of a warp's rows are in shared memory at the same time, where there is room for them, and at least two. */
enum { HP5_ROW_PIECES = 3, HP5_ROW_PIECE_BYTES = 4096 };

/* Rows that a crew would go along one after the other, so short that threads have some each (walks.h). */
enum { HP5_SHORT_ROW = 256 };

/* Loops down columns (down.h): elements that a thread has on their way: twice as many registers. */
enum { HP5_DOWN_LOADS = 32 };

/* Sequential loops (streams.h): rounds whose elements are one piece; pieces of what they read that are in shared memory at the same time, where there is room for them, and
 * at least two; the rounds of a loop that is too short for that. */
enum { HP5_STREAM_ROUNDS = 64, HP5_STREAM_PIECES = 3, HP5_STREAM_SHORT = 8 };

/* Sequential loops that count (tallies.h): bytes of shared memory that a warp has for it, if a multiprocessor's is enough; so many times as many rounds as elements pay. */
enum { HP5_TALLY_BYTES = 7168, HP5_TALLY_GAIN = 4 };

/* Parts of LPUs (near.h): what comes to shared memory in one piece; versions that an array may have. */
enum { HP5_NEAR_UNIT = 16, HP5_NEAR_VERSIONS = 2 };

/* The PPUs of a level of the model, as a card has them. */
typedef enum { HP5_CARD_TIER, HP5_BLOCK_TIER, HP5_WARP_TIER, HP5_LANE_TIER } Hp5Tier;

/* The first failure; the thread that has it writes it, where the host can read it even when the card has stopped. A Real of the text is HP5_CARD_REAL and
 * its bits in 16 hexadecimal digits: the host knows how Reals are written. */
enum { HP5_CARD_REAL = 1 };
typedef struct Hp5CardFailure {
    int failed, line;
    char file[256], text[512];
} Hp5CardFailure;

/* What the host does for a kernel that runs: the function of that name (runtime/run/run.h, runtime/move/move.h), for the process. */
typedef enum {
    HP5_CALL_WROTE, HP5_CALL_WROTE_PART, HP5_CALL_RENEWED, HP5_CALL_WATCH, HP5_CALL_MERGE, HP5_CALL_TRANSFER, HP5_CALL_TRANSFER_BEGIN,
    HP5_CALL_TRANSFERS_END, HP5_CALL_EXCHANGE, HP5_CALL_REDUCE, HP5_CALL_TELL, HP5_CALL_ANY,
    HP5_CALL_STAGE /* of a Space that is the host's (on_host.h) */
} Hp5CardDeed;

typedef struct Hp5CardCall {
    int deed, number;   /* number: of the writer, array, transfer, exchange, reduction or stage call; TELL: the LPS whose only LPU has the value; ANY: what this process says */
    int lps;            /* of the LPU; TELL and ANY: whose processes talk */
    bool bounded;       /* there are bounds */
    int64_t lpu;        /* Hp5Lpu.flat */
    int64_t bounds[2 * HP5_MAX_RANK]; /* STAGE: values of counters of the flow's loops */
    void *value;        /* TELL: in the card's memory */
    int64_t bytes;
} Hp5CardCall;

/* Where a kernel and the host meet: memory of the host that both write while the kernel runs. The kernel's first thread writes calls, raises `asked`,
 * and waits until `answered` is as high. */
enum { HP5_CARD_CALLS = 32 };
typedef struct Hp5CardDesk {
    Hp5CardFailure failure;
    volatile int asked, answered;
    volatile int over; /* the program ends: nobody answers any more */
    int64_t asked_at;  /* by the card's clock, where there is a Hp5CardClock */
    int any;           /* the answer to ANY */
    int count;
    Hp5CardCall calls[HP5_CARD_CALLS];
    volatile uint32_t stamp; /* checked builds: of the kernel's first thread, for stages that the host runs for it */
} Hp5CardDesk;

/* Of a store of indices with gaps, for each dimension: where each index of the array lies (place_tables.c); NULL: an index is its place. On a card Hp5Store.places
 * points to these. */
typedef struct Hp5CardPlaces { const int64_t *table; } Hp5CardPlaces;

/* What is asked about an LPS: its parent, how its sub-partitions are walked, and, for each listed variable, where what it divides is found
 * (Hp5Holder). */
typedef struct Hp5CardLps {
    bool ordered, descends[HP5_MAX_RANK];
    int dims, parent;
    bool spread, hosted; /* several processes run its LPUs, or this process's one; of these this process is the first */
    const struct Hp5Holder *holders;
} Hp5CardLps;

typedef struct Hp5CardSite { /* of a reduction */
    char *partials, *nodes; /* nodes: of a tree of those results */
    unsigned char *present;
    int *gaps; /* for each LPU of `to`: LPUs below it have no result */
    const int64_t *begin, *end; /* for each LPU of `to` the flat numbers of those of `from` below it; NULL: from is to */
    int64_t size;
    int to;
} Hp5CardSite;

/* Boxes that are copied when padding is exchanged in one LPU (runtime/move/pattern.h), of at most HP5_BOX_CHUNK elements each. */
typedef struct Hp5CardPieces {
    const int64_t *words;
    int64_t count;
} Hp5CardPieces;

typedef struct Hp5CardExchange {
    int parent, rank; /* LPS of the LPUs in which it happens; of the array */
    bool rotates;
    bool divided; /* several processes have parts of these LPUs: the host does all of it */
    const Hp5CardPieces *pieces; /* by the flat number of such an LPU */
} Hp5CardExchange;

/* InstanceLimit: so many LPUs of an LPS may run at once; now, and at most in this execution. places 0: there is no limit. */
typedef struct Hp5CardLimit { unsigned long long places, taken, most; } Hp5CardLimit;

/* What --timing and --trace want to know, in nanoseconds of the card's clock: of each stage in each worker, and of single calls of stages. */
typedef struct Hp5CardTime { int64_t calls, nanoseconds; } Hp5CardTime;
typedef struct Hp5CardSpan { int64_t begin, end; int stage, worker; } Hp5CardSpan;
typedef struct Hp5CardClock {
    unsigned long long spans_seen; /* more than there is room for, maybe */
    long long span_room;
    int stages;
    Hp5CardTime *times;            /* [worker][stage] */
    Hp5CardSpan *spans;
} Hp5CardClock;

/* Checked builds: threads have stamps as those of processors have (Hp5Worker.stamp). */
typedef struct Hp5CardChecks {
    uint32_t *stamps;                /* of each thread */
    unsigned long long *newest;      /* of crews, when they have waited last: of the card, of blocks, of warps */
    const int64_t *const *in_first;  /* [LPS][flat]: the flat number of the LPU that stands for an LPU (hp5_in_first_round); NULL: itself, each */
} Hp5CardChecks;

/* Batches: parts of LPUs in the card's memory, for a visit, of an array that lies in the host's (HP5_STAGED). A crew asks the host for copies to and fro, which happen in the order in which all crews
 * ask, while the kernel runs. */
enum { HP5_BATCH_ASKS = 64, HP5_BATCH_BUFFERS = 2 /* of a crew: for the LPU that it works on, and for the next one */ };
typedef struct Hp5BatchAsk {
    volatile int64_t free_for, ready; /* the request that may be written here; 1 + the one that stands here */
    int batch, versions;
    bool takes;                       /* back to the host */
    int64_t lpu;                      /* Hp5Lpu.flat */
    char *near[HP5_MAX_VERSIONS], *home[HP5_MAX_VERSIONS]; /* where the part begins on the card; where the store does in the host's memory */
} Hp5BatchAsk;
/* Memory of the host that both write: request n stands in asks[n % HP5_BATCH_ASKS]. */
typedef struct Hp5BatchDesk {
    volatile int64_t done; /* so many have been answered */
    Hp5BatchAsk asks[HP5_BATCH_ASKS];
} Hp5BatchDesk;
typedef struct Hp5CardPart {
    Hp5Store *here;        /* what views of the LPU, and of those below it, point to */
    const Hp5Store *base;  /* what they would point to otherwise; the same: all of it is the LPU's own */
    int64_t bytes;         /* of a version; 0: the LPU has none */
    int64_t lo[HP5_MAX_RANK], extent[HP5_MAX_RANK], stride[HP5_MAX_RANK], capacity; /* in a batch, as in Hp5Store, unless it is the LPU's own */
    char *home[HP5_MAX_VERSIONS]; /* during a visit, of its own: where the versions are otherwise */
} Hp5CardPart;
typedef struct Hp5CardBatch {
    Hp5CardPart *parts;    /* by Hp5Lpu.flat; NULL: parts stay where they are */
    int64_t count, step;   /* of parts; from one version to the next */
    char *memory;          /* for each crew `buffers` parts of `versions` versions */
    int buffers, versions;
} Hp5CardBatch;

/* What a kernel gets. All of it lies in the card's memory. */
typedef struct Hp5CardRun {
    Hp5Lpu root;
    void *globals;
    const bool *strays;
    int lps_count;
    const int *tiers;               /* for each LPS: a Hp5Tier */
    const int *position, *positions; /* [worker][LPS]: as in Hp5Worker */
    Hp5Store *const *stores;        /* by their numbers */
    const Hp5CardLps *lpses;
    const Hp5CardSite *sites;
    const Hp5CardExchange *exchanges;
    struct Hp5Rounds *rounds;       /* [lockstep][LPU of an LPS, by its flat number]: of LPUs that run rounds together */
    int64_t rounds_each;            /* for each lockstep */
    Hp5CardLimit *limits;           /* for each LPS; NULL: none has one */
    char *slots;                    /* HP5_SLOTS of them for all warps, of HP5_SLOT_BYTES each */
    Hp5CardClock *clock;            /* NULL: nobody wants to know */
    Hp5CardDesk *desk;
    bool moves;                     /* transfers do: there are several processes */
    int calls, asked;               /* written for the next time that the host is asked; how often it has been */
    const Hp5CardChecks *checks;    /* NULL: no checked build */
    const Hp5CardBatch *batches;    /* as Hp5CardTask.batches; NULL: there are none, or nothing comes */
    int batch_count;
    Hp5BatchDesk *batch_desk;
    unsigned long long batch_asks;  /* how many requests there have been */
} Hp5CardRun;

typedef struct Hp5CardLimits {
    int multiprocessors;
    int block_threads;   /* that a block of this kernel may have */
    int block_shared;    /* bytes of shared memory that a launch may give to a block of it */
    int multiprocessor_shared; /* that all blocks of a multiprocessor have, what CUDA needs for itself included */
    char name[256];
} Hp5CardLimits;

/* Records that travel with a launch: bytes of the host's memory (allocated as shared) that go to the card's before the kernel, and the first ones of them come back
 * behind it. */
typedef struct Hp5CardRecords {
    char *card, *host;
    int64_t given, taken;
} Hp5CardRecords;

/* Functions of the CUDA runtime, as the text for cards has them. They return NULL, or what went wrong. */
typedef struct Hp5CardDriver {
    /* `process`: of those on this node, which take its cards in turn. */
    const char *(*open)(const void *kernel, int process, Hp5CardLimits *limits);
    /* Blocks of so many threads that run at once, each with so many bytes of shared memory. */
    const char *(*blocks_at_once)(const void *kernel, int threads, int shared, int *blocks);
    /* shared: memory of the host that the card reads and writes over the bus, and no other; otherwise the card's. */
    const char *(*allocate)(void **memory, int64_t bytes, bool shared);
    void (*release)(void *memory, bool shared);
    const char *(*give)(void *card, const void *host, int64_t bytes);
    const char *(*take)(void *host, const void *card, int64_t bytes);
    const char *(*copy)(void *to, const void *from, int64_t bytes); /* in the card's memory */
    const char *(*clear)(void *card, int64_t bytes);                /* zeros */
    /* Rows of `width` bytes whose beginnings are `pitch` bytes apart, on both sides: under way until `settle`. */
    const char *(*give_rows)(void *card, const void *host, int64_t pitch, int64_t width, int64_t rows);
    const char *(*take_rows)(void *host, const void *card, int64_t pitch, int64_t width, int64_t rows);
    /* The same from memory of the card to memory of the card. */
    const char *(*copy_rows)(void *to, int64_t to_pitch, const void *from, int64_t from_pitch, int64_t width, int64_t rows);
    const char *(*settle)(void);
    const char *(*desk)(Hp5CardDesk **host, Hp5CardDesk **card);
    void (*forget)(Hp5CardDesk *host);
    /* The kernel runs, and records (NULL: none) are under way, until `ended` says so; `wait` waits for that. */
    const char *(*launch)(const void *kernel, int blocks, int threads, int shared, Hp5CardRun *run, Hp5CardDesk *of_card, const Hp5CardRecords *records);
    const char *(*ended)(bool *ended);
    const char *(*wait)(void);
    /* Bytes of the card's memory that nobody has, and all of them. */
    const char *(*room)(int64_t *left, int64_t *all);
    /* Rows between memory of the host that the card reaches and the card's, one request after the other, while kernels run: until `staged` says that all have arrived in front of mark `which`
     * (less than HP5_BATCH_ASKS). */
    const char *(*stage_rows)(void *to, int64_t to_pitch, const void *from, int64_t from_pitch, int64_t width, int64_t rows);
    const char *(*stage_mark)(int which);
    const char *(*staged)(int which, bool *arrived);
} Hp5CardDriver;

/* Which memory has an array while a task on a card works on it: the card's, where it stays between executions; the host's, which the card reads and
 * writes; the host's, of which the card has a copy for the length of an execution; or the host's, which the card reaches, too, and from which parts of LPUs come for their visits. */
typedef enum { HP5_FBMEM, HP5_ZCMEM, HP5_SYSMEM, HP5_STAGED } Hp5Memory;

/* An array of HP5_STAGED of which LPUs of `lps` get their parts for a visit; some visits write it. */
typedef struct Hp5BatchDesc { int lps, array; bool written; } Hp5BatchDesc;

/* An array in which LPUs of `lps` count; their parts are those of LPUs of `holder`. */
typedef struct Hp5CardTally { int lps, holder, array; } Hp5CardTally;

/* An array whose parts of LPUs of `lps` come to shared memory for a visit. pays: the visit takes several rounds, under these values of the task; NULL: nobody knows before. */
typedef struct Hp5CardNear {
    int lps, array;
    bool (*pays)(const void *globals);
} Hp5CardNear;

/* Bytes of a version of such a part, as it lies there, gaps of rows included; 0: it stays where it is. */
static inline int64_t hp5_near_bytes(const Hp5Store *store) {
    int64_t elements = 1;
    if (store->fields != NULL || store->versions > HP5_NEAR_VERSIONS) return 0;
    for (int d = 0; d < store->rank; d++) {
        if (store->extent[d] < 1) return 0;
        elements += (store->extent[d] - 1) * store->stride[d];
    }
    return elements * (int64_t)store->element_size;
}
/* Room that all versions take, and where they lie otherwise. */
static inline int64_t hp5_near_room(const Hp5Store *store) {
    return HP5_NEAR_UNIT + store->versions * ((hp5_near_bytes(store) + HP5_NEAR_UNIT - 1) / HP5_NEAR_UNIT * HP5_NEAR_UNIT);
}

/* A task's text for cards. */
typedef struct Hp5CardTask {
    const int *tiers; /* for each LPS */
    int first_level;  /* of the model: the card's; the next ones are multiprocessors, warps and, maybe, lanes */
    Hp5Tier lowest;   /* of the LPSes: what its workers are */
    const void *kernel;
    const Hp5CardDriver *driver;
    int64_t globals_size; /* of the task's values */
    int locksteps;
    bool row_pieces;      /* there are rows that go through shared memory */
    int stream_bytes;     /* so much of it has each warp for a sequential loop, if it fits */
    const Hp5Memory *memories; /* for each array; NULL: HP5_FBMEM */
    bool checked;
    const Hp5CardTally *tallies;
    int tally_count;
    const Hp5CardNear *near;
    int near_count;
    const Hp5BatchDesc *batches;
    int batch_count;
} Hp5CardTask;
#endif
