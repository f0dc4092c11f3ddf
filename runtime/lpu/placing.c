/* Giving the LPUs of a grid to PPUs, by an index mapping function (placing.h) or in blocks (placing_blocks.c). */
#include "runtime/lpu/placing.h"
#include "runtime/run/private.h"
#include <string.h>

void hp5_placing_fail(const Hp5Placing *placing) {
    const Hp5PlaceDesc *place = &placing->desc->places[placing->lps];
    char point[200], extents[200];
    hp5_tuple_text(&placing->task.ipoint, point, sizeof point);
    hp5_tuple_text(&placing->task.ispace, extents, sizeof extents);
    if (placing->number < 0)
        hp5_fail(HP5_EXIT_USAGE, "task %s, Space %s: mapping function %s (%s:%d) for %s LPUs on %lld PPUs: %s", placing->desc->name,
                 placing->desc->lpses[placing->lps].name, place->function, place->file, placing->mapper.line, extents,
                 (long long)placing->mapper.ppus, placing->mapper.message);
    hp5_fail(HP5_EXIT_USAGE, "task %s, Space %s: mapping function %s (%s:%d) for LPU %s of %s on %lld PPUs: %s", placing->desc->name,
             placing->desc->lpses[placing->lps].name, place->function, place->file, placing->mapper.line, point, extents,
             (long long)placing->mapper.ppus, placing->mapper.message);
}

/* The threads of an LPU's PPU. */
static Hp5Span threads_of(const Hp5TaskRun *run, const Hp5Lpu *lpu) {
    if (lpu->grid == NULL) return (Hp5Span){0, run->hidden->threads};
    return hp5_lpu_span(run, lpu->grid, lpu->number, threads_of(run, lpu->parent));
}

/* LPU numbers in order of their PPUs, and where each PPU's begin. */
static void sort_by_owner(Hp5Slab *slab, Hp5Grid *grid, int ppus) {
    int32_t *order = hp5_slab_take(slab, grid->count * (int64_t)sizeof *order);
    int64_t *starts = hp5_slab_take(slab, (ppus + 2) * (int64_t)sizeof *starts);
    memset(starts, 0, sizeof *starts * (size_t)(ppus + 2));
    for (int64_t i = 0; i < grid->count; i++) starts[grid->owner[i] + 2]++;
    for (int p = 2; p < ppus + 2; p++) starts[p] += starts[p - 1];
    for (int64_t i = 0; i < grid->count; i++) order[starts[grid->owner[i] + 1]++] = (int32_t)i;
    grid->order = order;
    grid->starts = starts;
}

/* Each LPU's PPU as the function says. */
static int32_t *placed_by_function(Hp5TaskRun *run, const Hp5Grid *grid, int ppus) {
    const Hp5TaskDesc *desc = run->desc;
    int dims = desc->lpses[grid->lps].dims;
    int32_t *owner = hp5_slab_take(&run->hidden->slab, grid->count * (int64_t)sizeof *owner);
    int above = desc->machine_level_count > 0 ? desc->machine_level[desc->lpses[grid->lps].parent] : -1;
    Hp5Placing placing = {.mapper = {.ppus = ppus, .counts = run->hidden->machine_counts, .above = above}, .number = -1, .count = grid->count, .owner = owner, .desc = desc, .lps = grid->lps};
    placing.task.ipoint.count = dims;
    placing.task.ispace = hp5_tuple(dims, grid->extent);
    desc->places[grid->lps].place(&placing);
    return owner;
}

void hp5_grid_place(Hp5TaskRun *run, Hp5Lpu *parent, Hp5Grid *grid) {
    if (run->desc->places == NULL) return;
    const Hp5PlaceDesc *place = &run->desc->places[grid->lps];
    if (place->place == NULL && !place->blocks) return;
    int ppus = hp5_ppus(run, grid->lps, threads_of(run, parent).count);
    if (ppus == 1 || grid->count == 0) return; /* it has them all; there are none */
    grid->owner = place->place ? placed_by_function(run, grid, ppus) : hp5_grid_blocks(run, parent, grid, ppus);
    if (grid->owner) sort_by_owner(&run->hidden->slab, grid, ppus);
}
