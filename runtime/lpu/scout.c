/* Scouts (scout.h). */
#include "runtime/lpu/scout.h"
#include "runtime/lpu/placing_blocks.h"
#include "runtime/report/error.h"
#include <string.h>

typedef struct Place {
    Hp5Lpu lpu;
    Hp5Grid grid;
    Hp5Placed placed;
    Hp5Layouts layout; /* of the last grid */
    Hp5Pool pool;      /* run lists of the LPU's parts */
} Place;

struct Hp5Scout {
    const Hp5Geometry *geometry;
    Place *places; /* for each LPS */
};

static Hp5Scout *create(const Hp5Geometry *geometry) {
    const Hp5TaskDesc *desc = geometry->desc;
    int64_t views = 0, dims = 0;
    for (int x = 0; x < desc->lps_count; x++)
        for (int v = 0; v < desc->lpses[x].var_count; v++, views++) dims += desc->arrays[desc->lpses[x].vars[v].array].rank;
    Hp5Scout *scout = hp5_alloc_zeroed((int64_t)sizeof *scout + (int64_t)sizeof(Place) * desc->lps_count +
                                           views * (int64_t)sizeof(Hp5View) + dims * (int64_t)(sizeof(Hp5Set) + sizeof(Hp5Run)),
                                       "a look at LPUs elsewhere");
    scout->geometry = geometry;
    scout->places = (Place *)(scout + 1);
    Hp5View *view = (Hp5View *)(scout->places + desc->lps_count);
    Hp5Set *sets = (Hp5Set *)(view + views);
    Hp5Run *own = (Hp5Run *)(sets + dims);
    for (int x = 0; x < desc->lps_count; x++) {
        scout->places[x].lpu.views = view;
        for (int v = 0; v < desc->lpses[x].var_count; v++) {
            *view++ = (Hp5View){.part = sets, .own = own};
            sets += desc->arrays[desc->lpses[x].vars[v].array].rank;
            own += desc->arrays[desc->lpses[x].vars[v].array].rank;
        }
    }
    return scout;
}

Hp5Scout *hp5_scout_create(const Hp5Geometry *geometry) {
    Hp5Scout *idle = geometry->idle_scout ? atomic_exchange(&geometry->idle_scout->scout, NULL) : NULL;
    return idle ? idle : create(geometry);
}

static void destroy(Hp5Scout *scout) {
    for (int x = 0; x < scout->geometry->desc->lps_count; x++) {
        hp5_layouts_free(&scout->places[x].layout);
        hp5_pool_free(&scout->places[x].pool);
    }
    hp5_free(scout);
}

void hp5_scout_free(Hp5Scout *scout) {
    Hp5Scout *none = NULL;
    if (scout->geometry->idle_scout == NULL || !atomic_compare_exchange_strong(&scout->geometry->idle_scout->scout, &none, scout)) destroy(scout);
}

void hp5_scout_dismiss(const Hp5Geometry *geometry) {
    Hp5Scout *idle = geometry->idle_scout ? atomic_exchange(&geometry->idle_scout->scout, NULL) : NULL;
    if (idle) destroy(idle);
}

/* As the tree's builder does it, but without tables. */
static const Hp5Placed *place(Hp5Scout *scout, const Hp5Lpu *parent, const Hp5Grid *grid) {
    const Hp5Geometry *geometry = scout->geometry;
    if (geometry->desc->places == NULL) return NULL;
    const Hp5PlaceDesc *how = &geometry->desc->places[grid->lps];
    if (how->place == NULL && !how->blocks) return NULL;
    int ppus = hp5_ppus(geometry, grid->lps, hp5_threads_of(geometry, parent).count);
    if (ppus == 1 || grid->count == 0) return NULL;
    Place *at = &scout->places[grid->lps];
    at->placed = (Hp5Placed){0};
    if (how->place == NULL) at->placed.blocks = hp5_grid_blocks(geometry, parent, grid, ppus, &at->layout);
    return how->place == NULL && at->placed.blocks == NULL ? NULL : &at->placed;
}

const Hp5Grid *hp5_scout_grid(Hp5Scout *scout, const Hp5Lpu *parent, int lps) {
    if (parent->flat >= 0) return &parent->children[scout->geometry->shapes[lps].slot];
    Hp5Grid *grid = &scout->places[lps].grid;
    memset(grid, 0, sizeof *grid);
    grid->lps = lps;
    grid->count = hp5_grid_extents(scout->geometry, lps, parent, grid->extent);
    grid->placed = place(scout, parent, grid);
    return grid;
}

const Hp5Lpu *hp5_scout_lpu(Hp5Scout *scout, const Hp5Lpu *parent, const Hp5Grid *grid, int64_t number) {
    const Hp5Geometry *geometry = scout->geometry;
    Hp5Lpu *lpu = hp5_find_lpu(grid, number);
    if (lpu) return lpu;
    const Hp5LpsDesc *lps = &geometry->desc->lpses[grid->lps];
    Place *at = &scout->places[grid->lps];
    int64_t coordinate[HP5_MAX_RANK], rest = number;
    for (int j = lps->dims - 1; j >= 0; j--) {
        coordinate[j] = rest % grid->extent[j];
        rest /= grid->extent[j];
    }
    hp5_pool_free(&at->pool);
    at->lpu = (Hp5Lpu){.parent = (Hp5Lpu *)parent, .number = number, .flat = -1, .grid = grid, .views = at->lpu.views};
    for (int v = 0; v < lps->var_count; v++) {
        const Hp5LpsVarDesc *var = &lps->vars[v];
        const Hp5View *held = hp5_held_view(geometry, grid->lps, v, parent);
        Hp5View *view = &at->lpu.views[v];
        for (int d = 0; d < geometry->desc->arrays[var->array].rank; d++) {
            view->part[d] = held->part[d];
            view->own[d] = (Hp5Run){held->part[d].begin, held->part[d].end};
        }
        for (int j = 0; j < lps->dims; j++) {
            const Hp5DimDesc *dim = &var->dims[j];
            if (dim->function == HP5_REPLICATED) continue;
            int d = dim->array_dimension;
            view->part[d] = hp5_part_of(geometry, grid->lps, var, dim, &held->part[d], coordinate[j], &view->own[d], &at->pool);
        }
    }
    return &at->lpu;
}

/* ---- Counting --------------------------------------------------------------------------------------- */

/* The child LPS of `lps` on the way down to `to`. */
static int step_to(const Hp5TaskDesc *desc, int lps, int to) {
    while (desc->lpses[to].parent != lps) to = desc->lpses[to].parent;
    return to;
}

/* The LPUs of `lps`, an LPS below `lpu`'s, that lie below `lpu`. */
static int64_t lpus_below(Hp5Scout *scout, const Hp5Lpu *lpu, int lps) {
    const Hp5TaskDesc *desc = scout->geometry->desc;
    int child = step_to(desc, lpu->grid ? lpu->grid->lps : 0, lps);
    const Hp5Grid *grid = hp5_scout_grid(scout, lpu, child);
    if (child == lps) return grid->count;
    int64_t sum = 0;
    for (int64_t i = 0; i < grid->count; i++) sum += lpus_below(scout, hp5_scout_lpu(scout, lpu, grid, i), lps);
    return sum;
}

int64_t hp5_position_below(Hp5Scout *scout, const Hp5Lpu *above, const Hp5Lpu *lpu) {
    if (lpu == above) return 0;
    int lps = lpu->grid->lps;
    int64_t position = lpu->number;
    for (const Hp5Lpu *at = lpu->parent; at != above; at = at->parent)
        for (int64_t i = 0; i < at->number; i++) position += lpus_below(scout, hp5_scout_lpu(scout, at->parent, at->grid, i), lps);
    return position;
}
