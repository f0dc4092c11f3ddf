/* Grids whose LPUs go to PPUs in blocks (placing_blocks.c says when): who runs an LPU, and which LPUs a PPU runs, by formula.
 *
 * The PPUs make up levels, and each level cuts every dimension into factors; so a dimension has cuts, and a block is a
 * product of intervals between them. LPUs are put in order, block after block, row by row inside a block, and PPUs take runs
 * of equal length from that order. */
#ifndef HP5_RUNTIME_BLOCKS_H
#define HP5_RUNTIME_BLOCKS_H
#include "runtime/io/npy.h"
#include "runtime/mapping/space.h"

typedef struct Hp5Blocks {
    int dims, level_count, ppus;
    int64_t extent[HP5_MAX_RANK], count;            /* of the grid */
    int64_t levels[HP5_SPACE_DIMS];                 /* PPUs at each level in one of the level above */
    int64_t factors[HP5_SPACE_DIMS][HP5_MAX_RANK];
    int64_t pieces[HP5_MAX_RANK];                   /* intervals of each dimension: the product of its factors */
    int64_t *cuts[HP5_MAX_RANK];                    /* where each begins, and one more */
    int64_t *shares[HP5_MAX_RANK];                  /* what each adds to the number of its block */
    int64_t *starts;                                /* [ppus + 1] the first position of each block in the order */
    int32_t *cells;                                 /* [ppus] each block's row-major number among the products of intervals */
} Hp5Blocks;

/* Sets pieces from dims, level_count and factors; the bytes that hp5_blocks_fill wants. */
int64_t hp5_blocks_bytes(Hp5Blocks *blocks);
/* Makes cuts, shares, starts and cells in `memory`; everything before them is set. Costs ppus * dims. */
void hp5_blocks_fill(Hp5Blocks *blocks, void *memory);
/* The PPU that runs LPU `number`. */
int hp5_blocks_owner(const Hp5Blocks *blocks, int64_t number);
/* The LPUs at positions begin … end - 1 of the order: number[i] for i from 0 on. */
void hp5_blocks_list(const Hp5Blocks *blocks, int64_t begin, int64_t end, int32_t *number);
/* Pairs of LPUs beside each other in dimension `dim` that PPUs of different groups run, where each `group` PPUs from 0 on
 * make up one: of blocks, and of plain runs in row-major order. Costs ppus * dims, and the surface of blocks that PPUs share. */
int64_t hp5_blocks_crossing(const Hp5Blocks *blocks, int dim, int64_t group);
int64_t hp5_runs_crossing(const Hp5Blocks *blocks, int dim, int64_t group);
#endif
