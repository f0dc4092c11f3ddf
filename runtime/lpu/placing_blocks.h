/* Whether the LPUs of a grid go to PPUs in blocks: placing_blocks.c. */
#ifndef HP5_RUNTIME_PLACING_BLOCKS_H
#define HP5_RUNTIME_PLACING_BLOCKS_H
#include "runtime/lpu/blocks.h"
#include "runtime/lpu/geometry.h"

/* The levels of the machine that the PPUs of an LPS make up inside one PPU of its parent LPS, when there are `ppus` of them: how
 * many at each level in one of the level above, and which levels these are in the task's list. Returns their number, at least
 * 1. Where --machine and --threads leave other PPUs than these levels have, counts are made to fit as hp5_machine does it. */
int hp5_lps_levels(const Hp5Geometry *geometry, int lps, int ppus, int64_t extents[HP5_SPACE_DIMS], int levels[HP5_SPACE_DIMS]);

/* What was found out for a grid, kept because the next grid of its LPS is often alike. All zero at first. */
typedef struct Hp5Layouts {
    int64_t made;                  /* layouts so far, this one included */
    bool used;                     /* blocks are better than runs */
    bool uneven;                   /* the last LPUs of a dimension hold so little that blocks would be unequal work */
    int64_t weight[HP5_MAX_RANK];  /* bytes of padding on one plane through the whole grid */
    Hp5Blocks blocks;
    void *memory;                  /* of the blocks */
} Hp5Layouts;

/* The blocks of a grid on `ppus` PPUs, or NULL where contiguous runs are as good. Good until the next call with this `last`. */
const Hp5Blocks *hp5_grid_blocks(const Hp5Geometry *geometry, const Hp5Lpu *parent, const Hp5Grid *grid, int ppus, Hp5Layouts *last);
void hp5_layouts_free(Hp5Layouts *last);
#endif
