/* Where no mapping function says how: LPUs whose data have padding go to the PPUs in blocks of their grid, because the
 * bytes that two PPUs exchange are those of the surface between their LPUs.
 *
 * The PPUs of an LPS make up levels: sockets, say, and the cores of each. The grid is cut into as many blocks as there
 * are PPUs of the uppermost level, each block for the next level down, and so on; at each level the factors are those
 * with the least surface (as hp5_decompose has them, but a dimension gets no more blocks than LPUs where that can
 * be). The LPUs are then put in order, block after block, and PPUs take runs of equal length from that order, the
 * first ones one more (blocks.h). So no PPU has more to do than with the plain rule (runs in row-major order), whether the
 * factors divide the extents or not; where they do, the runs are the blocks.
 *
 * How to read it: weights (what a cut through the grid costs), factors, then the two layouts compared by
 * the bytes that cross the boundaries of each level, the uppermost first. The plain rule stays where it is as good, and
 * where LPUs at the end of a dimension hold so little that blocks of equally many LPUs would be unequal work. */
#include "runtime/lpu/placing_blocks.h"
#include "runtime/lpu/placing.h"
#include "runtime/report/error.h"
#include <string.h>

/* ---- Levels ------------------------------------------------------------------------------------ */

int hp5_lps_levels(const Hp5Geometry *geometry, int lps, int ppus, int64_t extents[HP5_SPACE_DIMS], int levels[HP5_SPACE_DIMS]) {
    const Hp5TaskDesc *desc = geometry->desc;
    const int *now = geometry->machine_counts;
    int count = 0;
    int64_t product = 1; /* of the model: less in a subset of a level */
    for (int l = desc->machine_level_count > 0 && lps > 0 ? desc->machine_level[desc->lpses[lps].parent] + 1 : 0;
         desc->machine_level_count > 0 && l <= desc->machine_level[lps]; l++) {
        int64_t extent = now ? now[l] : desc->machine_levels[l].count;
        product *= desc->machine_levels[l].count;
        if (extent == 1 && l != desc->machine_level[lps]) continue;
        if (count == HP5_SPACE_DIMS) count--; /* the lowest ones count */
        extents[count] = extent;
        levels[count++] = l;
    }
    if (count == 0 || product != desc->level_counts[lps]) { /* some PPUs of a level: they are as good as neighbours */
        extents[0] = ppus;
        levels[0] = desc->machine_level_count > 0 ? desc->machine_level[lps] : 0;
        return 1;
    }
    Hp5Mapper mapper = {.ppus = ppus};
    Hp5Space space = hp5_machine(&mapper, hp5_tuple(count, extents));
    memcpy(extents, space.size.at, sizeof *extents * (size_t)count);
    return count;
}

/* ---- What a cut costs ----------------------------------------------------------------------------- */

/* block_size(s) leaves a rest; it matters where it is a good part of what a dimension's LPUs hold together. */
static bool leaves_little(const Hp5Geometry *geometry, const Hp5DimDesc *dim, int64_t held, int64_t parts) {
    if (dim->function != HP5_BLOCK_SIZE || parts < 2) return false;
    int64_t size = geometry->args[dim->argument[0]], missing = size * parts - held;
    return missing > size * parts / 8;
}

static void weigh(const Hp5Geometry *geometry, const Hp5Lpu *parent, int lps, Hp5Layouts *layout) {
    const Hp5LpsDesc *desc = &geometry->desc->lpses[lps];
    for (int v = 0; v < desc->var_count; v++) {
        const Hp5View *held = hp5_held_view(geometry, lps, v, parent);
        const Hp5ArrayDesc *array = &geometry->desc->arrays[desc->vars[v].array];
        for (int j = 0; j < desc->dims; j++) {
            const Hp5DimDesc *dim = &desc->vars[v].dims[j];
            if (dim->function == HP5_REPLICATED) continue;
            int64_t padding = hp5_argument(geometry, dim->front, 0) + hp5_argument(geometry, dim->back, 0);
            int64_t bytes = padding * (int64_t)array->element->size;
            for (int d = 0; d < array->rank; d++)
                if (d != dim->array_dimension) bytes *= hp5_set_count(&held->part[d]);
            layout->weight[j] += bytes;
            layout->uneven |= leaves_little(geometry, dim, hp5_set_count(&held->part[dim->array_dimension]), layout->blocks.extent[j]);
        }
    }
}

/* ---- Factors ---------------------------------------------------------------------------------------- */

typedef struct Choice {
    const Hp5Layouts *layout;
    const int64_t *blocks;            /* each dimension's from the levels above */
    int64_t best[HP5_MAX_RANK], now[HP5_MAX_RANK];
    int64_t best_excess;
    unsigned __int128 best_cost;
} Choice;

/* Factors of `left` for dimension `dim` and those behind it; among equals the lexicographically largest. */
static void try_factors(Choice *choice, int dim, int64_t left) {
    const Hp5Layouts *layout = choice->layout;
    if (dim + 1 < layout->blocks.dims) {
        for (int64_t f = left; f >= 1; f--) {
            if (left % f != 0) continue;
            choice->now[dim] = f;
            try_factors(choice, dim + 1, left / f);
        }
        return;
    }
    choice->now[dim] = left;
    unsigned __int128 cost = 0;
    int64_t excess = 1; /* blocks for each one that has LPUs */
    for (int j = 0; j < layout->blocks.dims; j++) {
        int64_t blocks = choice->blocks[j] * choice->now[j];
        cost += (unsigned __int128)layout->weight[j] * (unsigned __int128)blocks;
        if (blocks > layout->blocks.extent[j]) excess *= (blocks + layout->blocks.extent[j] - 1) / layout->blocks.extent[j];
    }
    if (choice->best_excess > 0 && (excess > choice->best_excess || (excess == choice->best_excess && cost >= choice->best_cost))) return;
    choice->best_excess = excess;
    choice->best_cost = cost;
    memcpy(choice->best, choice->now, sizeof choice->best);
}

static void choose_factors(Hp5Layouts *layout) {
    int64_t blocks[HP5_MAX_RANK];
    for (int j = 0; j < layout->blocks.dims; j++) blocks[j] = 1;
    for (int l = 0; l < layout->blocks.level_count; l++) {
        Choice choice = {.layout = layout, .blocks = blocks};
        try_factors(&choice, 0, layout->blocks.levels[l]);
        memcpy(layout->blocks.factors[l], choice.best, sizeof choice.best);
        for (int j = 0; j < layout->blocks.dims; j++) blocks[j] *= choice.best[j];
    }
}

/* ---- Comparison ------------------------------------------------------------------------------------------- */

typedef int64_t Crossing(const Hp5Blocks *blocks, int dim, int64_t group);

/* Bytes across the boundaries of each level, times the LPUs of the grid. What crosses a boundary of one level crosses those of
 * the levels below, too, and counts once. */
static void measure(const Hp5Layouts *layout, Crossing *crossing, unsigned __int128 *bytes) {
    const Hp5Blocks *blocks = &layout->blocks;
    int64_t group = blocks->ppus, above[HP5_MAX_RANK] = {0};
    for (int l = 0; l < blocks->level_count; l++) {
        group /= blocks->levels[l];
        bytes[l] = 0;
        for (int j = 0; j < blocks->dims; j++) {
            int64_t pairs = crossing(blocks, j, group);
            bytes[l] += (unsigned __int128)(pairs - above[j]) * (unsigned __int128)layout->weight[j] * (unsigned __int128)blocks->extent[j];
            above[j] = pairs;
        }
    }
}

static bool is_better(const Hp5Layouts *layout) {
    unsigned __int128 blocks[HP5_SPACE_DIMS], plain[HP5_SPACE_DIMS];
    measure(layout, hp5_blocks_crossing, blocks);
    measure(layout, hp5_runs_crossing, plain);
    for (int l = 0; l < layout->blocks.level_count; l++)
        if (blocks[l] != plain[l]) return blocks[l] < plain[l];
    return false;
}

/* ---- The last layout of an LPS: nested grids are often alike ------------------------------------------------ */

static bool is_alike(const Hp5Layouts *a, const Hp5Layouts *b) {
    return a->blocks.dims == b->blocks.dims && a->blocks.ppus == b->blocks.ppus && a->uneven == b->uneven &&
           memcmp(a->blocks.extent, b->blocks.extent, sizeof a->blocks.extent) == 0 && memcmp(a->weight, b->weight, sizeof a->weight) == 0;
}

const Hp5Blocks *hp5_grid_blocks(const Hp5Geometry *geometry, const Hp5Lpu *parent, const Hp5Grid *grid, int ppus, Hp5Layouts *last) {
    Hp5Layouts layout = {.made = last->made + 1, .blocks = {.dims = geometry->desc->lpses[grid->lps].dims, .count = grid->count, .ppus = ppus}};
    int levels[HP5_SPACE_DIMS];
    memcpy(layout.blocks.extent, grid->extent, sizeof *grid->extent * (size_t)layout.blocks.dims);
    weigh(geometry, parent, grid->lps, &layout);
    if (last->made == 0 || !is_alike(&layout, last)) {
        hp5_layouts_free(last);
        if (!layout.uneven && grid->count > 1) {
            layout.blocks.level_count = hp5_lps_levels(geometry, grid->lps, ppus, layout.blocks.levels, levels);
            choose_factors(&layout);
            layout.memory = hp5_alloc(hp5_blocks_bytes(&layout.blocks), "a layout of LPUs");
            hp5_blocks_fill(&layout.blocks, layout.memory);
            layout.used = is_better(&layout);
        }
        *last = layout;
    }
    return last->used ? &last->blocks : NULL;
}

void hp5_layouts_free(Hp5Layouts *last) {
    hp5_free(last->memory);
    *last = (Hp5Layouts){0};
}
