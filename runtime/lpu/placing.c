/* Giving the LPUs of a grid to PPUs by an index mapping function (placing.h), all of them or one. */
#include "runtime/lpu/placing.h"
#include "runtime/lpu/geometry.h"
#include "runtime/report/error.h"

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

void hp5_place_by_function(const Hp5Geometry *geometry, const Hp5Grid *grid, int ppus, int64_t first, int64_t count, int32_t *owner) {
    const Hp5TaskDesc *desc = geometry->desc;
    int dims = desc->lpses[grid->lps].dims;
    int above = desc->machine_level_count > 0 ? desc->machine_level[desc->lpses[grid->lps].parent] : -1;
    Hp5Placing placing = {.mapper = {.ppus = ppus, .counts = geometry->machine_counts, .above = above}, .number = first - 1, .count = first + count,
                          .first = first, .owner = owner, .desc = desc, .lps = grid->lps};
    placing.task.ispace = hp5_tuple(dims, grid->extent);
    placing.task.ipoint.count = dims;
    int64_t rest = first - 1; /* hp5_placing_next goes on from there */
    for (int j = dims - 1; first > 0 && j >= 0; j--) {
        placing.task.ipoint.at[j] = rest % grid->extent[j];
        rest /= grid->extent[j];
    }
    desc->places[grid->lps].place(&placing);
}
