/* What a kernel takes of a card, as the CUDA compiler says it (nvcc -Xptxas -v), and how much of a multiprocessor follows from that. */
#ifndef HP5_DRIVER_CARD_USE_H
#define HP5_DRIVER_CARD_USE_H
#include <stdbool.h>
#include "compiler/base/arena.h"
#include "compiler/base/vec.h"

/* One kernel, compiled for one kind of cards. */
typedef struct KernelUse {
    const char *kernel, *card; /* its name; "sm_80" */
    int registers;             /* of a thread; -1: not said */
    int shared, stack;         /* bytes: of a block's shared memory; of a thread's stack, which lies in the card's memory */
    int spill_stores, spill_loads; /* bytes of a thread, of the kernel and of the functions that it calls */
} KernelUse;
typedef VEC(KernelUse) KernelUseVec;

/* Of all that has been said; lines that say something else are passed over. */
KernelUseVec card_use_read(Arena *arena, const char *said);

/* How a kernel fills a multiprocessor with blocks as programs make them: of as many warps as can be (runtime/card/card.c). */
typedef struct CardFill {
    int block_warps, blocks; /* of the largest block; so many at once */
    int most_warps;          /* of any blocks that a multiprocessor holds */
    int card_warps;          /* that it could hold */
    bool by_registers;       /* these stand against more warps in one block; else 32 are the most */
} CardFill;

/* False: the limits of such cards are not known here. */
bool card_use_fill(const KernelUse *use, CardFill *fill);
#endif
