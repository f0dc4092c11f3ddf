/* The LPU tree (tree.h): grid by grid and depth first, everything below Root's LPU that this process runs.
 *
 * How to read it: parts of single dimensions, placing, own LPUs, records. A grid's parts are products of parts of single
 * dimensions, so each dimension's parts are computed once for the grid (Division) and copied into the LPUs. LPUs, views, sets
 * and scalars of a grid lie in one piece of the run's slab: setting up an LPU costs no allocation of its own. Depth first makes
 * flat numbers of all LPUs below one LPU consecutive, which reductions rely on. What other processes run costs nothing, but
 * for mapping functions, which must be asked about every LPU of a grid. */
#include "runtime/lpu/tree.h"
#include "runtime/lpu/placing_blocks.h"
#include "runtime/report/error.h"
#include <stdlib.h>
#include <string.h>

/* One array dimension's parts in a grid: sets[p - first], own[p - first] for part p of LPS dimension `lps_dim` (-1: one part). */
typedef struct Division {
    int lps_dim;
    int64_t first;
    Hp5Set *sets;
    Hp5Run *own;
    int64_t capacity;
    Hp5Set whole;
    Hp5Run whole_own;
} Division;

/* The LPUs of a grid that this process runs: first … first + count - 1, or numbers[0 … count - 1], ascending. */
typedef struct Own {
    int64_t first, count;
    int32_t *numbers, *ppus; /* of placed grids, of which others run some: hp5_alloc; else NULL */
} Own;

typedef struct Builder {
    const Hp5TreeBuild *build;
    Hp5Geometry *geometry;
    Division **divisions; /* for each LPS: [var][HP5_MAX_RANK], memory reused from grid to grid */
    int64_t *next_flat;   /* for each LPS */
    Hp5Layouts *layouts;  /* for each LPS: of its last grid */
    const Hp5Placed **placed; /* for each LPS: of the last layout, where all LPUs of the grid are this process's */
} Builder;

/* ---- Divisions of one dimension ------------------------------------------------------------------- */

static void reserve(Division *division, int64_t parts) {
    if (division->capacity >= parts) return;
    hp5_free(division->sets);
    hp5_free(division->own);
    division->sets = hp5_alloc((int64_t)sizeof *division->sets * parts, "parts");
    division->own = hp5_alloc((int64_t)sizeof *division->own * parts, "parts");
    division->capacity = parts;
}

/* Parts low[j] … high[j] of LPS dimension j. */
static void compute_divisions(Builder *builder, int lps, const Hp5Lpu *parent, const int64_t *low, const int64_t *high) {
    const Hp5TaskDesc *desc = builder->geometry->desc;
    for (int v = 0; v < desc->lpses[lps].var_count; v++) {
        const Hp5LpsVarDesc *var = &desc->lpses[lps].vars[v];
        const Hp5View *held = hp5_held_view(builder->geometry, lps, v, parent);
        Division *divisions = builder->divisions[lps] + (size_t)v * HP5_MAX_RANK;
        for (int d = 0; d < desc->arrays[var->array].rank; d++) {
            divisions[d].lps_dim = -1;
            divisions[d].whole = held->part[d];
            divisions[d].whole_own = (Hp5Run){held->part[d].begin, held->part[d].end};
        }
        for (int j = 0; j < desc->lpses[lps].dims; j++) {
            if (var->dims[j].function == HP5_REPLICATED) continue;
            Division *division = &divisions[var->dims[j].array_dimension];
            division->lps_dim = j;
            division->first = low[j];
            reserve(division, high[j] - low[j] + 1);
            for (int64_t p = low[j]; p <= high[j]; p++)
                division->sets[p - low[j]] = hp5_part_of(builder->geometry, lps, var, &var->dims[j], &division->whole, p,
                                                        &division->own[p - low[j]], builder->build->pool);
        }
    }
}

static void fill_views(const Builder *builder, int lps, Hp5Lpu *lpu, const int64_t *coordinate, Hp5Set *sets, Hp5Run *own) {
    const Hp5TaskDesc *desc = builder->geometry->desc;
    for (int v = 0; v < desc->lpses[lps].var_count; v++) {
        const Hp5LpsVarDesc *var = &desc->lpses[lps].vars[v];
        const Division *divisions = builder->divisions[lps] + (size_t)v * HP5_MAX_RANK;
        int rank = desc->arrays[var->array].rank;
        for (int d = 0; d < rank; d++) {
            int j = divisions[d].lps_dim;
            sets[d] = j < 0 ? divisions[d].whole : divisions[d].sets[coordinate[j] - divisions[d].first];
            own[d] = j < 0 ? divisions[d].whole_own : divisions[d].own[coordinate[j] - divisions[d].first];
        }
        lpu->views[v] = (Hp5View){.store = NULL, .part = sets, .own = own};
        sets += rank;
        own += rank;
    }
}

/* ---- Placing -------------------------------------------------------------------------------------- */

/* `count` records in order of their PPUs, and where each PPU's begin. */
static void sort_by_owner(Hp5Slab *slab, Hp5Placed *placed, const int32_t *owner, int64_t count, int ppus) {
    int32_t *order = hp5_slab_take(slab, count * (int64_t)sizeof *order);
    int64_t *starts = hp5_slab_take(slab, (ppus + 2) * (int64_t)sizeof *starts);
    memset(starts, 0, sizeof *starts * (size_t)(ppus + 2));
    for (int64_t i = 0; i < count; i++) starts[owner[i] + 2]++;
    for (int p = 2; p < ppus + 2; p++) starts[p] += starts[p - 1];
    for (int64_t i = 0; i < count; i++) order[starts[owner[i] + 1]++] = (int32_t)i;
    placed->order = order;
    placed->starts = starts;
}

/* Every LPU is this process's: a table is as good as a formula, and faster. */
static const Hp5Placed *placed_with_table(const Builder *builder, const Hp5Grid *grid, const Hp5Blocks *blocks, int ppus) {
    Hp5Slab *slab = builder->build->slab;
    Hp5Placed *placed = hp5_slab_take(slab, sizeof *placed);
    int32_t *owner = hp5_slab_take(slab, grid->count * (int64_t)sizeof *owner);
    if (blocks) {
        int32_t *list = hp5_alloc(grid->count * (int64_t)sizeof *list, "a layout of LPUs");
        hp5_blocks_list(blocks, 0, grid->count, list);
        for (int p = 0; p < ppus; p++)
            for (int64_t i = hp5_run_start(p, grid->count, ppus); i < hp5_run_start(p + 1, grid->count, ppus); i++) owner[list[i]] = p;
        hp5_free(list);
    } else {
        hp5_place_by_function(builder->geometry, grid, ppus, 0, grid->count, owner);
    }
    *placed = (Hp5Placed){.owner = owner};
    sort_by_owner(slab, placed, owner, grid->count, ppus);
    return placed;
}

static Hp5Placed *placed_by_formula(const Builder *builder, const Hp5Blocks *blocks) {
    Hp5Slab *slab = builder->build->slab;
    Hp5Placed *placed = hp5_slab_take(slab, sizeof *placed);
    *placed = (Hp5Placed){0};
    if (blocks == NULL) return placed;
    Hp5Blocks *kept = hp5_slab_take(slab, sizeof *kept);
    *kept = *blocks;
    hp5_blocks_fill(kept, hp5_slab_take(slab, hp5_blocks_bytes(kept)));
    placed->blocks = kept;
    return placed;
}

/* ---- Own LPUs ------------------------------------------------------------------------------------- */

static int compare_pairs(const void *a, const void *b) {
    const int32_t *x = a, *y = b;
    return (x[0] > y[0]) - (x[0] < y[0]);
}

/* LPUs of PPUs from … to - 1 of a grid in blocks: runs of the order, sorted by their numbers. */
static void own_of_blocks(const Hp5Blocks *blocks, int from, int to, Own *own) {
    int64_t begin = hp5_run_start(from, blocks->count, blocks->ppus), end = hp5_run_start(to, blocks->count, blocks->ppus);
    own->count = end - begin;
    if (own->count == 0) return; /* they are all other processes' */
    own->numbers = hp5_alloc(own->count * (int64_t)sizeof *own->numbers, "parts");
    own->ppus = hp5_alloc(own->count * (int64_t)sizeof *own->ppus, "parts");
    int32_t *pairs = hp5_alloc(2 * own->count * (int64_t)sizeof *pairs, "parts");
    hp5_blocks_list(blocks, begin, end, own->numbers);
    for (int64_t i = 0; i < own->count; i++) {
        pairs[2 * i] = own->numbers[i];
        pairs[2 * i + 1] = (int32_t)hp5_ppu_of_run(begin + i, blocks->count, blocks->ppus);
    }
    if (own->count > 1) qsort(pairs, (size_t)own->count, 2 * sizeof *pairs, compare_pairs);
    for (int64_t i = 0; i < own->count; i++) {
        own->numbers[i] = pairs[2 * i];
        own->ppus[i] = pairs[2 * i + 1];
    }
    hp5_free(pairs);
}

static void append(Own *own, int64_t *capacity, int64_t number, int32_t ppu) {
    if (own->count == *capacity) {
        int64_t larger = *capacity * 2 + 64;
        int32_t *numbers = hp5_alloc(larger * (int64_t)sizeof *numbers, "parts"), *ppus = hp5_alloc(larger * (int64_t)sizeof *ppus, "parts");
        if (own->count > 0) {
            memcpy(numbers, own->numbers, sizeof *numbers * (size_t)own->count);
            memcpy(ppus, own->ppus, sizeof *ppus * (size_t)own->count);
        }
        hp5_free(own->numbers);
        hp5_free(own->ppus);
        own->numbers = numbers;
        own->ppus = ppus;
        *capacity = larger;
    }
    own->numbers[own->count] = (int32_t)number;
    own->ppus[own->count++] = ppu;
}

/* A function says of each LPU who runs it, not the other way round. */
static void own_of_function(const Builder *builder, const Hp5Grid *grid, int ppus, int from, int to, Own *own) {
    enum { AT_ONCE = 1024 };
    int32_t owner[AT_ONCE];
    int64_t capacity = 0;
    for (int64_t at = 0; at < grid->count; at += AT_ONCE) {
        int64_t count = grid->count - at < AT_ONCE ? grid->count - at : AT_ONCE;
        hp5_place_by_function(builder->geometry, grid, ppus, at, count, owner);
        for (int64_t i = 0; i < count; i++)
            if (owner[i] >= from && owner[i] < to) append(own, &capacity, at + i, owner[i]);
    }
}

/* The PPUs of a grid, of `ppus`, that meet this process's threads: from … to - 1. */
static void own_ppus(const Builder *builder, int lps, Hp5Span parent, int ppus, int *from, int *to) {
    const Hp5Geometry *geometry = builder->geometry;
    *from = 0;
    *to = ppus;
    while (*from < ppus && !hp5_spans_meet(hp5_span_of(geometry, lps, parent, ppus, *from), geometry->mine)) ++*from;
    while (*to > *from && !hp5_spans_meet(hp5_span_of(geometry, lps, parent, ppus, *to - 1), geometry->mine)) --*to;
}

/* Places the LPUs of a new grid and finds those that this process runs. `threads`: of the parent. */
static Own place_grid(Builder *builder, const Hp5Lpu *parent, Hp5Grid *grid, Hp5Span threads) {
    const Hp5Geometry *geometry = builder->geometry;
    const Hp5PlaceDesc *how = geometry->desc->places ? &geometry->desc->places[grid->lps] : NULL;
    Own own = {.count = grid->count};
    int ppus = hp5_ppus(geometry, grid->lps, threads.count), from, to;
    if (ppus == 1 || grid->count == 0) return own;
    own_ppus(builder, grid->lps, threads, ppus, &from, &to);
    bool all = from == 0 && to == ppus;
    const Hp5Blocks *blocks = NULL;
    if (how && how->place == NULL && how->blocks) {
        int64_t before = builder->layouts[grid->lps].made;
        Hp5Grid like = *grid;
        if (how->as > 0) like.lps = how->as;
        blocks = hp5_grid_blocks(geometry, parent, &like, ppus, &builder->layouts[grid->lps]);
        if (blocks == NULL || before != builder->layouts[grid->lps].made) builder->placed[grid->lps] = NULL;
    }
    if (blocks == NULL && (how == NULL || how->place == NULL)) {
        own.first = hp5_run_start(from, grid->count, ppus);
        own.count = hp5_run_start(to, grid->count, ppus) - own.first;
        return own;
    }
    if (all) {
        if (blocks == NULL) builder->placed[grid->lps] = NULL;
        if (builder->placed[grid->lps] == NULL) builder->placed[grid->lps] = placed_with_table(builder, grid, blocks, ppus);
        grid->placed = builder->placed[grid->lps];
        return own;
    }
    Hp5Placed *placed = placed_by_formula(builder, blocks);
    grid->placed = placed;
    own.count = 0;
    if (blocks) own_of_blocks(blocks, from, to, &own);
    else own_of_function(builder, grid, ppus, from, to, &own);
    sort_by_owner(builder->build->slab, placed, own.ppus, own.count, ppus);
    own.first = own.count > 0 ? own.numbers[0] : 0;
    return own;
}

static int64_t number_of(const Own *own, int64_t record) { return own->numbers ? own->numbers[record] : own->first + record; }

static void coordinates_of(const Hp5Grid *grid, int dims, int64_t number, int64_t *at) {
    for (int j = dims - 1; j >= 0; number /= grid->extent[j--]) at[j] = number % grid->extent[j];
}

/* The coordinates that own LPUs have, from … to in each dimension. */
static void own_bounds(const Hp5Grid *grid, int dims, const Own *own, int64_t *low, int64_t *high) {
    int64_t at[HP5_MAX_RANK];
    coordinates_of(grid, dims, number_of(own, 0), low);
    coordinates_of(grid, dims, number_of(own, own->count - 1), high);
    if (own->numbers) {
        for (int64_t i = 0; i < own->count; i++) {
            coordinates_of(grid, dims, own->numbers[i], at);
            for (int j = 0; j < dims; j++) {
                if (at[j] < low[j]) low[j] = at[j];
                if (at[j] > high[j]) high[j] = at[j];
            }
        }
        return;
    }
    for (int j = 0, same = 1; j < dims; j++) { /* behind the first dimension with two coordinates there are all of them */
        if (!same) low[j] = 0, high[j] = grid->extent[j] - 1;
        same = same && low[j] == high[j];
    }
}

/* ---- Grids ---------------------------------------------------------------------------------------- */

static void build_children(Builder *builder, int lps, Hp5Lpu *lpu, Hp5Span threads);

/* The records of a grid; their children follow. */
static void build_records(Builder *builder, Hp5Lpu *parent, Hp5Grid *grid, const Own *own) {
    int lps = grid->lps, child_count = builder->geometry->shapes[lps].child_count;
    const Hp5LpsDesc *desc = &builder->geometry->desc->lpses[lps];
    int64_t n = own->count, dims = 0, scalars = ((int64_t)desc->scalars_size + 63) / 64 * 64, coordinate[HP5_MAX_RANK] = {0};
    for (int v = 0; v < desc->var_count; v++) dims += builder->geometry->desc->arrays[desc->vars[v].array].rank;
    Hp5Slab *slab = builder->build->slab;
    grid->lpus = hp5_slab_take(slab, n * (int64_t)sizeof(Hp5Lpu));
    Hp5View *views = hp5_slab_take(slab, n * desc->var_count * (int64_t)sizeof *views);
    Hp5Set *sets = hp5_slab_take(slab, n * dims * (int64_t)sizeof *sets);
    Hp5Run *unpadded = hp5_slab_take(slab, n * dims * (int64_t)sizeof *unpadded);
    Hp5Grid *children = hp5_slab_take(slab, n * child_count * (int64_t)sizeof *children);
    char *space = scalars > 0 ? hp5_slab_take(slab, n * scalars + 64) : NULL;
    if (space) {
        space += -(uintptr_t)space & 63;
        memset(space, 0, (size_t)(n * scalars));
    }
    coordinates_of(grid, desc->dims, number_of(own, 0), coordinate);
    for (int64_t i = 0; i < n; i++) {
        Hp5Lpu *lpu = &grid->lpus[i];
        *lpu = (Hp5Lpu){.parent = parent,
                        .number = number_of(own, i),
                        .flat = builder->next_flat[lps]++,
                        .grid = grid,
                        .views = views + i * desc->var_count,
                        .children = children + i * child_count,
                        .scalars = space ? space + i * scalars : NULL};
        if (own->numbers) coordinates_of(grid, desc->dims, own->numbers[i], coordinate);
        fill_views(builder, lps, lpu, coordinate, sets + i * dims, unpadded + i * dims);
        for (int j = desc->dims - 1; !own->numbers && j >= 0 && ++coordinate[j] == grid->extent[j]; j--) coordinate[j] = 0;
    }
}

static void build_grid(Builder *builder, int lps, Hp5Lpu *parent, Hp5Grid *grid, Hp5Span threads);

/* The only LPU of a grid, which another process runs: a place for its scalars, which are told to everybody when the task ends. */
static void build_absent(Builder *builder, Hp5Lpu *parent, Hp5Grid *grid, Hp5Span threads) {
    const Hp5LpsShape *shape = &builder->geometry->shapes[grid->lps];
    int64_t zero[HP5_MAX_RANK] = {0}, flat = builder->next_flat[grid->lps];
    compute_divisions(builder, grid->lps, parent, zero, zero);
    build_records(builder, parent, grid, &(Own){.count = 1});
    builder->next_flat[grid->lps] = flat;
    grid->lpus->flat = -1;
    for (int c = 0; c < shape->child_count; c++)
        build_grid(builder, shape->children[c], grid->lpus, &grid->lpus->children[c], hp5_lpu_span(builder->geometry, grid, 0, threads));
}

static void build_grid(Builder *builder, int lps, Hp5Lpu *parent, Hp5Grid *grid, Hp5Span threads) {
    int64_t low[HP5_MAX_RANK], high[HP5_MAX_RANK];
    memset(grid, 0, sizeof *grid);
    grid->lps = lps;
    grid->count = hp5_grid_extents(builder->geometry, lps, parent, grid->extent);
    Own own = place_grid(builder, parent, grid, threads);
    grid->first = own.first;
    grid->own = own.count;
    if (own.count == 0) {
        if (grid->count == 1) build_absent(builder, parent, grid, threads);
        return;
    }
    own_bounds(grid, builder->geometry->desc->lpses[lps].dims, &own, low, high);
    compute_divisions(builder, lps, parent, low, high);
    build_records(builder, parent, grid, &own);
    hp5_free(own.numbers);
    hp5_free(own.ppus);
    builder->build->grid(parent, grid, builder->build->data);
    for (int64_t i = 0; builder->geometry->shapes[lps].child_count > 0 && i < grid->own; i++)
        build_children(builder, lps, &grid->lpus[i], hp5_lpu_span(builder->geometry, grid, grid->lpus[i].number, threads));
}

static bool is_guest(const Hp5LpsDesc *lps) {
    for (int v = 0; v < lps->var_count; v++)
        if (lps->vars[v].storage == HP5_AT_HOME) return true;
    return false;
}

static void build_children(Builder *builder, int lps, Hp5Lpu *lpu, Hp5Span threads) {
    const Hp5LpsShape *shape = &builder->geometry->shapes[lps];
    builder->build->around(lps, lpu, false, builder->next_flat, builder->build->data);
    for (int guests = 0; guests < 2; guests++) /* who works on siblings' copies comes behind them */
        for (int c = 0; c < shape->child_count; c++)
            if (is_guest(&builder->geometry->desc->lpses[shape->children[c]]) == (guests > 0))
                build_grid(builder, shape->children[c], lpu, &lpu->children[c], threads);
    builder->build->around(lps, lpu, true, builder->next_flat, builder->build->data);
}

/* ---- The whole tree ------------------------------------------------------------------------------- */

void hp5_tree_create(const Hp5TreeBuild *build) {
    Hp5Geometry *geometry = build->geometry;
    const Hp5TaskDesc *desc = geometry->desc;
    Builder builder = {.build = build, .geometry = geometry};
    builder.divisions = hp5_alloc_zeroed((int64_t)sizeof *builder.divisions * desc->lps_count, "parts");
    builder.next_flat = hp5_alloc_zeroed((int64_t)sizeof *builder.next_flat * desc->lps_count, "parts");
    builder.layouts = hp5_alloc_zeroed((int64_t)sizeof *builder.layouts * desc->lps_count, "parts");
    builder.placed = hp5_alloc_zeroed((int64_t)sizeof *builder.placed * desc->lps_count, "parts");
    for (int x = 0; x < desc->lps_count; x++)
        builder.divisions[x] = hp5_alloc_zeroed((int64_t)sizeof(Division) * HP5_MAX_RANK * (desc->lpses[x].var_count + 1), "parts");
    int child_count = geometry->shapes[0].child_count;
    build->root->children = hp5_slab_take(build->slab, (int64_t)sizeof *build->root->children * (child_count + 1));
    builder.next_flat[0] = 1;
    build_children(&builder, 0, build->root, (Hp5Span){0, geometry->ppus});
    for (int x = 0; x < desc->lps_count; x++) {
        geometry->shapes[x].lpus = builder.next_flat[x];
        for (int i = 0; i < HP5_MAX_RANK * desc->lpses[x].var_count; i++) {
            hp5_free(builder.divisions[x][i].sets);
            hp5_free(builder.divisions[x][i].own);
        }
        hp5_free(builder.divisions[x]);
        hp5_layouts_free(&builder.layouts[x]);
    }
    hp5_free(builder.divisions);
    hp5_free(builder.next_flat);
    hp5_free(builder.layouts);
    hp5_free((void *)builder.placed);
}

Hp5Lpu *hp5_find_lpu(const Hp5Grid *grid, int64_t number) {
    if (grid->own == grid->count) return &grid->lpus[number];
    int64_t low = 0, high = grid->own;
    if (high > 0 && grid->lpus[high - 1].number - grid->first == high - 1) { /* without gaps */
        int64_t record = number - grid->first;
        return record >= 0 && record < high ? &grid->lpus[record] : NULL;
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (grid->lpus[middle].number < number) low = middle + 1;
        else high = middle;
    }
    return low < grid->own && grid->lpus[low].number == number ? &grid->lpus[low] : NULL;
}
