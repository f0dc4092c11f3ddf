/* Tasks on cards: what the library and the text for cards (runtime/card/code.h) have in common.
 *
 *   image.c    a run's records as a card sees them: LPUs, views, stores, reductions, padding
 *   card.c     one execution: elements to the card, the kernel, elements back
 *   resident.c arrays that stay in the card's memory between executions
 *   code.h     what the text for cards includes: crews, and the functions that flow and stages call
 *   product_tiles.h  products of matrices, by all threads of a crew
 *   crew.h     threads that work together on an LPU; cuda_driver.h: the CUDA runtime's functions, compiled with the text
 *
 * A PPU of a card is a crew of threads: the whole grid for the card, a block for a multiprocessor, a warp for a warp. All threads of a crew
 * go through the flow together and share the data-parallel loops of stages; a worker is a crew of the lowest level that the task's LPSes
 * are mapped to. */
#ifndef HP5_RUNTIME_CARD_H
#define HP5_RUNTIME_CARD_H
#include "runtime/lpu/lpu.h"
#include "runtime/store/store.h"

enum { HP5_WARP_THREADS = 32, HP5_SLOT_BYTES = 16 };

/* The PPUs of a level of the model, as a card has them. */
typedef enum { HP5_CARD_TIER, HP5_BLOCK_TIER, HP5_WARP_TIER } Hp5Tier;

/* The first failure; the thread that has it writes it, where the host can read it even when the card has stopped. */
typedef struct Hp5CardFailure {
    int failed, line;
    char file[256], text[512];
} Hp5CardFailure;

/* What is asked about an LPS: its parent, how its sub-partitions are walked, and, for each listed variable, where what it divides is found
 * (Hp5Holder). */
typedef struct Hp5CardLps {
    bool ordered, descends[HP5_MAX_RANK];
    int dims, parent;
    const struct Hp5Holder *holders;
} Hp5CardLps;

typedef struct Hp5CardSite { /* of a reduction */
    char *partials;
    unsigned char *present;
    const int64_t *begin, *end; /* for each LPU of `to` the flat numbers of those of `from` below it; NULL: from is to */
    int64_t size;
    int to;
} Hp5CardSite;

/* Boxes that are copied when padding is exchanged in one LPU (runtime/move/pattern.h). */
typedef struct Hp5CardPieces {
    const int64_t *words;
    int64_t count;
} Hp5CardPieces;

typedef struct Hp5CardExchange {
    int parent, rank; /* LPS of the LPUs in which it happens; of the array */
    bool rotates;
    const Hp5CardPieces *pieces; /* by the flat number of such an LPU */
} Hp5CardExchange;

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
    char *slots;                    /* HP5_SLOT_BYTES for each warp of the grid */
} Hp5CardRun;

typedef struct Hp5CardLimits {
    int multiprocessors;
    int block_threads;   /* that a block of this kernel may have */
    char name[256];
} Hp5CardLimits;

/* Functions of the CUDA runtime, as the text for cards has them. They return NULL, or what went wrong. */
typedef struct Hp5CardDriver {
    const char *(*open)(const void *kernel, Hp5CardLimits *limits);
    /* Blocks of so many threads that run at once. */
    const char *(*blocks_at_once)(const void *kernel, int threads, int *blocks);
    const char *(*allocate)(void **memory, int64_t bytes);
    void (*release)(void *memory);
    const char *(*give)(void *card, const void *host, int64_t bytes);
    const char *(*take)(void *host, const void *card, int64_t bytes);
    const char *(*copy)(void *to, const void *from, int64_t bytes); /* in the card's memory */
    const char *(*clear)(void *card, int64_t bytes);                /* zeros */
    const char *(*failure)(Hp5CardFailure **host, Hp5CardFailure **card);
    void (*forget)(Hp5CardFailure *host);
    const char *(*launch)(const void *kernel, int blocks, int threads, Hp5CardRun *run, Hp5CardFailure *of_card);
} Hp5CardDriver;

/* A task's text for cards. */
typedef struct Hp5CardTask {
    const int *tiers; /* for each LPS */
    int first_level;  /* of the model: the card's; the next ones are multiprocessors and warps */
    Hp5Tier lowest;   /* of the LPSes: what its workers are */
    const void *kernel;
    const Hp5CardDriver *driver;
    int64_t globals_size; /* of the task's values */
    int locksteps;
} Hp5CardTask;
#endif
