/* Where no mapping function says how: LPUs whose data have padding go to the PPUs in blocks of their grid, because the
 * bytes that two PPUs exchange are those of the surface between their LPUs.
 *
 * The PPUs of an LPS make up levels: sockets, say, and the cores of each. The grid is cut into as many blocks as there
 * are PPUs of the uppermost level, each block for the next level down, and so on; at each level the factors are those
 * with the least surface (as hp5_decompose has them, but a dimension gets no more blocks than LPUs where that can
 * be). The LPUs are then put in order, block after block, and PPUs take runs of equal length from that order, the
 * first ones one more. So no PPU has more to do than with the plain rule (runs in row-major order), whether the
 * factors divide the extents or not; where they do, the runs are the blocks.
 *
 * How to read it: weights (what a cut through the grid costs), factors, order, then the two layouts compared by
 * the bytes that cross the boundaries of each level, the uppermost first. The plain rule stays where it is as good, and
 * where LPUs at the end of a dimension hold so little that blocks of equally many LPUs would be unequal work. */
#include "runtime/lpu/placing.h"
#include "runtime/run/private.h"
#include <string.h>

/* ---- Levels ------------------------------------------------------------------------------------ */

int hp5_lps_levels(const Hp5TaskRun *run, int lps, int ppus, int64_t extents[HP5_SPACE_DIMS], int levels[HP5_SPACE_DIMS]) {
    const Hp5TaskDesc *desc = run->desc;
    const int *now = run->hidden->machine_counts;
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

typedef struct Layout {
    int dims, level_count;
    int64_t extent[HP5_MAX_RANK], count;
    int64_t weight[HP5_MAX_RANK];          /* bytes of padding on one plane through the whole grid */
    bool uneven;                           /* the last LPUs of a dimension hold so little that blocks would be unequal work */
    int64_t levels[HP5_SPACE_DIMS];        /* PPUs at each level in one of the level above */
    int64_t factors[HP5_SPACE_DIMS][HP5_MAX_RANK];
    int ppus;
} Layout;

static int64_t padding_of(const Hp5TaskRun *run, int argument) { return argument == HP5_NO_ARG ? 0 : run->args[argument]; }

/* block_size(s) leaves a rest; it matters where it is a good part of what a dimension's LPUs hold together. */
static bool leaves_little(const Hp5TaskRun *run, const Hp5DimDesc *dim, int64_t held, int64_t parts) {
    if (dim->function != HP5_BLOCK_SIZE || parts < 2) return false;
    int64_t size = run->args[dim->argument[0]], missing = size * parts - held;
    return missing > size * parts / 8;
}

static void weigh(const Hp5TaskRun *run, Hp5Lpu *parent, int lps, Layout *layout) {
    const Hp5LpsDesc *desc = &run->desc->lpses[lps];
    for (int v = 0; v < desc->var_count; v++) {
        const Hp5View *held = hp5_held_view(run, lps, v, parent);
        const Hp5ArrayDesc *array = &run->desc->arrays[desc->vars[v].array];
        for (int j = 0; j < desc->dims; j++) {
            const Hp5DimDesc *dim = &desc->vars[v].dims[j];
            if (dim->function == HP5_REPLICATED) continue;
            int64_t bytes = (padding_of(run, dim->front) + padding_of(run, dim->back)) * (int64_t)array->element->size;
            for (int d = 0; d < array->rank; d++)
                if (d != dim->array_dimension) bytes *= hp5_set_count(&held->part[d]);
            layout->weight[j] += bytes;
            layout->uneven |= leaves_little(run, dim, hp5_set_count(&held->part[dim->array_dimension]), layout->extent[j]);
        }
    }
}

/* ---- Factors ---------------------------------------------------------------------------------------- */

typedef struct Choice {
    const Layout *layout;
    const int64_t *blocks;            /* each dimension's from the levels above */
    int64_t best[HP5_MAX_RANK], now[HP5_MAX_RANK];
    int64_t best_excess;
    unsigned __int128 best_cost;
} Choice;

/* Factors of `left` for dimension `dim` and those behind it; among equals the lexicographically largest. */
static void try_factors(Choice *choice, int dim, int64_t left) {
    const Layout *layout = choice->layout;
    if (dim + 1 < layout->dims) {
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
    for (int j = 0; j < layout->dims; j++) {
        int64_t blocks = choice->blocks[j] * choice->now[j];
        cost += (unsigned __int128)layout->weight[j] * (unsigned __int128)blocks;
        if (blocks > layout->extent[j]) excess *= (blocks + layout->extent[j] - 1) / layout->extent[j];
    }
    if (choice->best_excess > 0 && (excess > choice->best_excess || (excess == choice->best_excess && cost >= choice->best_cost))) return;
    choice->best_excess = excess;
    choice->best_cost = cost;
    memcpy(choice->best, choice->now, sizeof choice->best);
}

static void choose_factors(Layout *layout) {
    int64_t blocks[HP5_MAX_RANK];
    for (int j = 0; j < layout->dims; j++) blocks[j] = 1;
    for (int l = 0; l < layout->level_count; l++) {
        Choice choice = {.layout = layout, .blocks = blocks};
        try_factors(&choice, 0, layout->levels[l]);
        memcpy(layout->factors[l], choice.best, sizeof choice.best);
        for (int j = 0; j < layout->dims; j++) blocks[j] *= choice.best[j];
    }
}

/* ---- Order -------------------------------------------------------------------------------------------- */

/* The share of coordinate c of dimension j in the number of its LPU's block. */
static int64_t block_share(const Layout *layout, int j, int64_t c) {
    int64_t number = 0, begin = 0, extent = layout->extent[j], stride = layout->ppus;
    for (int l = 0; l < layout->level_count; l++) {
        int64_t factor = layout->factors[l][j], inside = 1, block = (c - begin) * factor / extent;
        stride /= layout->levels[l];
        for (int k = j + 1; k < layout->dims; k++) inside *= layout->factors[l][k];
        number += block * inside * stride;
        int64_t first = (block * extent + factor - 1) / factor, end = ((block + 1) * extent + factor - 1) / factor;
        begin += first;
        extent = end - first;
    }
    return number;
}

static void next_coordinate(const Layout *layout, int64_t *at) {
    for (int j = layout->dims - 1; j >= 0 && ++at[j] == layout->extent[j]; j--) at[j] = 0;
}

/* The PPU of position `position` when `count` LPUs go to `ppus` PPUs in runs of equal length, the first ones longer. */
static int64_t ppu_of_run(int64_t position, int64_t count, int64_t ppus) {
    int64_t each = count / ppus, more = count % ppus;
    return position < more * (each + 1) ? position / (each + 1) : more + (position - more * (each + 1)) / each;
}

static void assign_blocks(const Layout *layout, int32_t *owner) {
    int64_t widest = 0, at[HP5_MAX_RANK] = {0};
    for (int j = 0; j < layout->dims; j++) widest = layout->extent[j] > widest ? layout->extent[j] : widest;
    int64_t *shares = hp5_alloc(widest * layout->dims * (int64_t)sizeof *shares, "a layout of LPUs");
    int64_t *starts = hp5_alloc_zeroed((layout->ppus + 1) * (int64_t)sizeof *starts, "a layout of LPUs");
    for (int j = 0; j < layout->dims; j++)
        for (int64_t c = 0; c < layout->extent[j]; c++) shares[j * widest + c] = block_share(layout, j, c);
    for (int64_t i = 0; i < layout->count; i++, next_coordinate(layout, at)) {
        int64_t block = 0;
        for (int j = 0; j < layout->dims; j++) block += shares[j * widest + at[j]];
        owner[i] = (int32_t)block;
        starts[block + 1]++;
    }
    for (int p = 0; p < layout->ppus; p++) starts[p + 1] += starts[p];
    for (int64_t i = 0; i < layout->count; i++)
        owner[i] = (int32_t)ppu_of_run(starts[owner[i]]++, layout->count, layout->ppus);
    hp5_free(starts);
    hp5_free(shares);
}

/* ---- Comparison ------------------------------------------------------------------------------------------- */

/* Bytes across the boundaries of each level, times `count`; owner NULL: the plain rule. */
static void measure(const Layout *layout, const int32_t *owner, unsigned __int128 *bytes) {
    int64_t at[HP5_MAX_RANK] = {0}, crossing[HP5_SPACE_DIMS][HP5_MAX_RANK], step[HP5_MAX_RANK];
    memset(crossing, 0, sizeof crossing);
    int64_t all = 1;
    for (int j = layout->dims - 1; j >= 0; all *= layout->extent[j--]) step[j] = all;
    for (int64_t i = 0; i < layout->count; i++, next_coordinate(layout, at)) {
        int64_t mine = owner ? owner[i] : ppu_of_run(i, layout->count, layout->ppus);
        for (int j = 0; j < layout->dims; j++) {
            if (at[j] + 1 == layout->extent[j]) continue;
            int64_t other = owner ? owner[i + step[j]] : ppu_of_run(i + step[j], layout->count, layout->ppus), below = layout->ppus;
            for (int l = 0; l < layout->level_count && mine != other; l++) {
                below /= layout->levels[l];
                if (mine / below == other / below) continue;
                crossing[l][j]++;
                break; /* boundaries of the levels below are crossed there as well */
            }
        }
    }
    for (int l = 0; l < layout->level_count; l++) {
        bytes[l] = 0;
        for (int j = 0; j < layout->dims; j++)
            bytes[l] += (unsigned __int128)crossing[l][j] * (unsigned __int128)layout->weight[j] * (unsigned __int128)layout->extent[j];
    }
}

static bool is_better(const Layout *layout, const int32_t *owner) {
    unsigned __int128 blocks[HP5_SPACE_DIMS], plain[HP5_SPACE_DIMS];
    measure(layout, owner, blocks);
    measure(layout, NULL, plain);
    for (int l = 0; l < layout->level_count; l++)
        if (blocks[l] != plain[l]) return blocks[l] < plain[l];
    return false;
}

/* ---- The last layout of each LPS: nested grids, and those of the next run, are often alike ------------------ */

struct Hp5LastLayout {
    Layout layout;
    int32_t *owner; /* NULL: the plain rule */
};

static bool is_alike(const Layout *a, const Layout *b) {
    return a->dims == b->dims && a->ppus == b->ppus && a->uneven == b->uneven && memcmp(a->extent, b->extent, sizeof a->extent) == 0 &&
           memcmp(a->weight, b->weight, sizeof a->weight) == 0;
}

int32_t *hp5_grid_blocks(Hp5TaskRun *run, Hp5Lpu *parent, const Hp5Grid *grid, int ppus) {
    Layout layout = {.dims = run->desc->lpses[grid->lps].dims, .count = grid->count, .ppus = ppus};
    int levels[HP5_SPACE_DIMS];
    memcpy(layout.extent, grid->extent, sizeof *grid->extent * (size_t)layout.dims);
    weigh(run, parent, grid->lps, &layout);
    struct Hp5LastLayout **last = &run->hidden->shapes[grid->lps].layout;
    if (*last != NULL && is_alike(&layout, &(*last)->layout)) return (*last)->owner;
    if (*last == NULL) *last = hp5_slab_take(&run->hidden->slab, (int64_t)sizeof **last);
    **last = (struct Hp5LastLayout){.layout = layout};
    if (layout.uneven) return NULL;
    layout.level_count = hp5_lps_levels(run, grid->lps, ppus, layout.levels, levels);
    choose_factors(&layout);
    int32_t *owner = hp5_slab_take(&run->hidden->slab, grid->count * (int64_t)sizeof *owner);
    if (grid->count > 1) assign_blocks(&layout, owner);
    if (grid->count > 1 && is_better(&layout, owner)) (*last)->owner = owner;
    return (*last)->owner;
}
