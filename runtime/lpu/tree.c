/* The LPU tree. How to read it: hp5_check_args looks at the partition arguments; hp5_tree_create
 * builds Root's LPU and then, grid by grid and depth first, everything below it.
 *
 * A grid's parts are products of parts of single dimensions, so each dimension's parts are computed once for
 * the grid (Division) and copied into the LPUs. LPUs, views, sets and scalars of a grid lie in one piece of
 * the run's slab: setting up an LPU costs no allocation of its own. Depth first makes flat numbers of all
 * LPUs below one LPU consecutive, which reductions rely on. */
#include "runtime/run/private.h"
#include <stdio.h>
#include <string.h>

/* ---- Slab --------------------------------------------------------------------------------- */

/* Pieces grow with what is there already, so that small runs stay small and large ones take few, large pages.
 */
enum { SMALLEST_PIECE = 4 << 10, LARGEST_PIECE = 8 << 20 };
struct Hp5SlabPiece {
    struct Hp5SlabPiece *next;
    char pad[64 - sizeof(void *)];
    char memory[];
};

static int64_t next_piece(const Hp5Slab *slab) {
    int64_t size = slab->taken / 4;
    return size < SMALLEST_PIECE ? SMALLEST_PIECE : size > LARGEST_PIECE ? LARGEST_PIECE : size;
}

void *hp5_slab_take(Hp5Slab *slab, int64_t bytes) {
    bytes = (bytes + 15) / 16 * 16;
    if (slab->end - slab->at < bytes) {
        int64_t usual = next_piece(slab), room = bytes > usual / 4 ? bytes : usual;
        struct Hp5SlabPiece *piece = hp5_element_buffer((int64_t)sizeof *piece + room, "LPUs");
        piece->next = slab->pieces;
        slab->pieces = piece;
        slab->taken += room;
        if (room == bytes) return piece->memory; /* a large one of its own; the current piece stays in use */
        slab->at = piece->memory;
        slab->end = piece->memory + room;
    }
    void *result = slab->at;
    slab->at += bytes;
    return result;
}

void hp5_slab_free(Hp5Slab *slab) {
    for (struct Hp5SlabPiece *piece = slab->pieces, *next; piece; piece = next) {
        next = piece->next;
        hp5_free(piece);
    }
    *slab = (Hp5Slab){0};
}

/* ---- Questions about descriptors ------------------------------------------------------------- */

int hp5_slot_of(const Hp5TaskDesc *desc, int lps, int array) {
    for (int v = 0; v < desc->lpses[lps].var_count; v++)
        if (desc->lpses[lps].vars[v].array == array) return v;
    return -1;
}

bool hp5_has_padding(const Hp5TaskDesc *desc, int lps, int slot) {
    const Hp5DimDesc *dims = desc->lpses[lps].vars[slot].dims;
    for (int j = 0; dims && j < desc->lpses[lps].dims; j++)
        if (dims[j].function != HP5_REPLICATED && (dims[j].front != HP5_NO_ARG || dims[j].back != HP5_NO_ARG))
            return true;
    return false;
}

/* ---- Arguments ------------------------------------------------------------------------------------ */

static void check_argument(const Hp5TaskDesc *desc, int lps, const Hp5LpsVarDesc *var, const Hp5DimDesc *dim,
                           int index, const int64_t *args, bool padding) {
    if (index == HP5_NO_ARG || args[index] >= (padding ? 0 : 1)) return;
    hp5_fail(HP5_EXIT_USAGE, "task %s, Space %s: the %s %s of %s for %s is %lld; it must %s", desc->name,
             desc->lpses[lps].name, padding ? "padding" : "partition argument", desc->arg_names[index],
             dim->text, desc->arrays[var->array].name, (long long)args[index],
             padding ? "not be negative" : "be at least 1");
}

void hp5_check_args(const Hp5TaskDesc *desc, const int64_t *args) {
    for (int x = 1; x < desc->lps_count; x++)
        for (int v = 0; v < desc->lpses[x].var_count; v++) {
            const Hp5LpsVarDesc *var = &desc->lpses[x].vars[v];
            for (int j = 0; j < desc->lpses[x].dims; j++) {
                const Hp5DimDesc *dim = &var->dims[j];
                if (dim->function == HP5_REPLICATED) continue;
                check_argument(desc, x, var, dim, dim->argument[0], args, false);
                check_argument(desc, x, var, dim, dim->argument[1], args, false);
                check_argument(desc, x, var, dim, dim->front, args, true);
                check_argument(desc, x, var, dim, dim->back, args, true);
            }
        }
}

static int64_t argument(const Hp5TaskRun *run, int index, int64_t absent) {
    return index == HP5_NO_ARG ? absent : run->args[index];
}

/* The arguments of a partition function as hp5_part takes them; an absent number of strides is the PPU count.
 */
static void part_arguments(const Hp5TaskRun *run, int lps, const Hp5DimDesc *dim, int64_t *a, int64_t *b) {
    *a = argument(run, dim->argument[0], 0);
    *b = argument(run, dim->argument[1], run->hidden->level_counts[lps]);
}

/* "plate[dimension 2] of 10 indices divided by block_size(k) with k = 4 has 3 parts" */
static void describe_division(const Hp5TaskRun *run, int lps, const Hp5LpsVarDesc *var, const Hp5DimDesc *dim,
                              int64_t n, int64_t parts, char *text, size_t size) {
    int used = snprintf(text, size, "%s (dimension %d: %lld indices, %s", run->desc->arrays[var->array].name,
                        dim->array_dimension + 1, (long long)n, dim->text);
    bool first = true;
    for (int k = 0; k < 2 && used > 0 && (size_t)used < size; k++) {
        if (dim->argument[k] == HP5_NO_ARG) continue;
        used += snprintf(text + used, size - (size_t)used, "%s%s = %lld", first ? " with " : ", ",
                         run->desc->arg_names[dim->argument[k]], (long long)run->args[dim->argument[k]]);
        first = false;
    }
    bool counts_ppus =
        (dim->function == HP5_STRIDE && dim->argument[0] == HP5_NO_ARG && dim->argument[1] == HP5_NO_ARG) ||
        (dim->function == HP5_BLOCK_STRIDE && dim->argument[1] == HP5_NO_ARG);
    if (counts_ppus && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "%s%d PPUs", first ? " on " : " on ",
                         run->hidden->level_counts[lps]);
    if (used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ") has %lld part%s", (long long)parts,
                 parts == 1 ? "" : "s");
}

/* ---- Divisions of one dimension ------------------------------------------------------------------------ */

/* One array dimension's parts in a grid: sets[p], own[p] for part p of LPS dimension `lps_dim` (-1: one
 * part). */
typedef struct Division {
    int lps_dim;
    Hp5Set *sets;
    Hp5Run *own;
    int64_t capacity;
    Hp5Set whole;
    Hp5Run whole_own;
} Division;

typedef struct Builder {
    Hp5TaskRun *run;
    Division **divisions; /* for each LPS: [var][HP5_MAX_RANK], memory reused from grid to grid */
    int64_t *next_flat;   /* for each LPS */
} Builder;

static void reserve(Division *division, int64_t parts) {
    if (division->capacity >= parts) return;
    hp5_free(division->sets);
    hp5_free(division->own);
    division->sets = hp5_alloc((int64_t)sizeof *division->sets * parts, "parts");
    division->own = hp5_alloc((int64_t)sizeof *division->own * parts, "parts");
    division->capacity = parts;
}

/* Part p of `parent` with padding: padding counts positions in the parent's part. */
static Hp5Set padded_part(Builder *builder, int lps, const Hp5LpsVarDesc *var, const Hp5DimDesc *dim,
                          const Hp5Set *parent, const Hp5Set *part, int64_t p, int64_t a, int64_t b) {
    const Hp5TaskRun *run = builder->run;
    int64_t front = argument(run, dim->front, 0), back = argument(run, dim->back, 0);
    if (front == 0 && back == 0) return *part;
    if (hp5_set_is_interval(parent) && hp5_set_is_interval(part))
        return hp5_part_padded(part, parent, front, back);
    Hp5Set all = hp5_interval(0, hp5_set_count(parent));
    Hp5Set positions = hp5_part(&all, dim->function, a, b, p, &run->hidden->pool);
    if (!hp5_set_is_interval(&positions))
        hp5_fail(
            HP5_EXIT_USAGE,
            "task %s, Space %s: %s for %s gives parts with gaps, which cannot have padding; use block_size "
            "or block_count, or leave the padding out",
            run->desc->name, run->desc->lpses[lps].name, dim->text, run->desc->arrays[var->array].name);
    Hp5Set padded = hp5_part_padded(&positions, &all, front, back);
    Hp5Set hull = hp5_interval(hp5_set_at(parent, padded.begin), hp5_set_at(parent, padded.end - 1) + 1);
    return hp5_set_intersect(parent, &hull, &run->hidden->pool);
}

static void divide(Builder *builder, int lps, const Hp5LpsVarDesc *var, const Hp5DimDesc *dim,
                   const Hp5Set *parent, int64_t parts, Division *division) {
    Hp5Pool *pool = &builder->run->hidden->pool;
    int64_t a, b;
    part_arguments(builder->run, lps, dim, &a, &b);
    reserve(division, parts);
    for (int64_t p = 0; p < parts; p++) {
        Hp5Set part = hp5_part(parent, dim->function, a, b, p, pool);
        division->own[p] = (Hp5Run){part.begin, part.end};
        division->sets[p] = padded_part(builder, lps, var, dim, parent, &part, p, a, b);
    }
}

/* The part of an array that a listed variable divides, as the LPU `parent` (a parent LPU) sees it. */
const Hp5View *hp5_held_view(const Hp5TaskRun *run, int lps, int v, Hp5Lpu *parent) {
    Hp5Holder holder = run->hidden->shapes[lps].holders[v];
    return &hp5_ancestor(parent, holder.up - 1)->views[holder.slot];
}

/* Extents of the grid: all variables must agree. */
static void grid_extents(const Hp5TaskRun *run, int lps, Hp5Lpu *parent, int64_t *extent) {
    const Hp5LpsDesc *desc = &run->desc->lpses[lps];
    for (int j = 0; j < desc->dims; j++) {
        int by = -1;
        int64_t by_n = 0;
        extent[j] = 1;
        for (int v = 0; v < desc->var_count; v++) {
            const Hp5DimDesc *dim = &desc->vars[v].dims[j];
            if (dim->function == HP5_REPLICATED) continue;
            int64_t a, b, n = hp5_set_count(&hp5_held_view(run, lps, v, parent)->part[dim->array_dimension]);
            part_arguments(run, lps, dim, &a, &b);
            int64_t parts = hp5_part_count(dim->function, n, a, b);
            if (by < 0) {
                by = v;
                by_n = n;
                extent[j] = parts;
            } else if (parts != extent[j]) {
                char first[300], second[300];
                describe_division(run, lps, &desc->vars[by], &desc->vars[by].dims[j], by_n, extent[j], first,
                                  sizeof first);
                describe_division(run, lps, &desc->vars[v], dim, n, parts, second, sizeof second);
                hp5_fail(HP5_EXIT_USAGE,
                         "task %s, Space %s: all variables must have the same number of parts in dimension "
                         "%d of the "
                         "Space, but %s and %s",
                         run->desc->name, desc->name, j + 1, first, second);
            }
        }
    }
}

/* ---- Grids ------------------------------------------------------------------------------------------------
 */

void hp5_too_many_lpus(const Hp5TaskRun *run, int lps) {
    hp5_fail(HP5_EXIT_USAGE,
             "task %s: Space %s would have more than 2147483647 LPUs in one LPU of its parent; "
             "use larger parts",
             run->desc->name, run->desc->lpses[lps].name);
}

static int64_t grid_count(const Hp5TaskRun *run, int lps, const int64_t *extent) {
    int64_t count = 1;
    for (int j = 0; j < run->desc->lpses[lps].dims; j++)
        if (__builtin_mul_overflow(count, extent[j], &count) || count > INT32_MAX) hp5_too_many_lpus(run, lps);
    return count;
}

static void compute_divisions(Builder *builder, int lps, Hp5Lpu *parent, const int64_t *extent) {
    const Hp5TaskDesc *desc = builder->run->desc;
    for (int v = 0; v < desc->lpses[lps].var_count; v++) {
        const Hp5LpsVarDesc *var = &desc->lpses[lps].vars[v];
        const Hp5View *held = hp5_held_view(builder->run, lps, v, parent);
        Division *divisions = builder->divisions[lps] + (size_t)v * HP5_MAX_RANK;
        for (int d = 0; d < desc->arrays[var->array].rank; d++) {
            divisions[d].lps_dim = -1;
            divisions[d].whole = held->part[d];
            divisions[d].whole_own = (Hp5Run){held->part[d].begin, held->part[d].end};
        }
        for (int j = 0; j < desc->lpses[lps].dims; j++) {
            if (var->dims[j].function == HP5_REPLICATED) continue;
            int d = var->dims[j].array_dimension;
            divisions[d].lps_dim = j;
            divide(builder, lps, var, &var->dims[j], &held->part[d], extent[j], &divisions[d]);
        }
    }
}

static void fill_views(const Builder *builder, int lps, Hp5Lpu *lpu, const int64_t *coordinate, Hp5Set *sets,
                       Hp5Run *own) {
    const Hp5TaskDesc *desc = builder->run->desc;
    for (int v = 0; v < desc->lpses[lps].var_count; v++) {
        const Hp5LpsVarDesc *var = &desc->lpses[lps].vars[v];
        const Division *divisions = builder->divisions[lps] + (size_t)v * HP5_MAX_RANK;
        int rank = desc->arrays[var->array].rank;
        for (int d = 0; d < rank; d++) {
            int j = divisions[d].lps_dim;
            sets[d] = j < 0 ? divisions[d].whole : divisions[d].sets[coordinate[j]];
            own[d] = j < 0 ? divisions[d].whole_own : divisions[d].own[coordinate[j]];
        }
        lpu->views[v] = (Hp5View){.store = NULL, .part = sets, .own = own};
        sets += rank;
        own += rank;
    }
}

static void build_children(Builder *builder, int lps, Hp5Lpu *lpu);

static void build_grid(Builder *builder, int lps, Hp5Lpu *parent, Hp5Grid *grid) {
    Hp5TaskRun *run = builder->run;
    const Hp5LpsDesc *desc = &run->desc->lpses[lps];
    memset(grid, 0, sizeof *grid);
    grid->lps = lps;
    grid_extents(run, lps, parent, grid->extent);
    grid->count = grid_count(run, lps, grid->extent);
    compute_divisions(builder, lps, parent, grid->extent);
    int64_t n = grid->count, dims = 0, scalars = ((int64_t)desc->scalars_size + 63) / 64 * 64;
    for (int v = 0; v < desc->var_count; v++) dims += run->desc->arrays[desc->vars[v].array].rank;
    int child_count = run->hidden->shapes[lps].child_count;
    Hp5Slab *slab = &run->hidden->slab;
    grid->lpus = hp5_slab_take(slab, n * (int64_t)sizeof(Hp5Lpu));
    Hp5View *views = hp5_slab_take(slab, n * desc->var_count * (int64_t)sizeof *views);
    Hp5Set *sets = hp5_slab_take(slab, n * dims * (int64_t)sizeof *sets);
    Hp5Run *own = hp5_slab_take(slab, n * dims * (int64_t)sizeof *own);
    Hp5Grid *children = hp5_slab_take(slab, n * child_count * (int64_t)sizeof *children);
    char *space = scalars > 0 ? hp5_slab_take(slab, n * scalars + 64) : NULL;
    if (space) {
        space += -(uintptr_t)space & 63;
        memset(space, 0, (size_t)(n * scalars));
    }
    int64_t coordinate[HP5_MAX_RANK] = {0};
    for (int64_t i = 0; i < n; i++) {
        Hp5Lpu *lpu = &grid->lpus[i];
        *lpu = (Hp5Lpu){.parent = parent,
                        .number = i,
                        .flat = builder->next_flat[lps]++,
                        .grid = grid,
                        .views = views + i * desc->var_count,
                        .children = children + i * child_count,
                        .scalars = space ? space + i * scalars : NULL};
        fill_views(builder, lps, lpu, coordinate, sets + i * dims, own + i * dims);
        for (int j = desc->dims - 1; j >= 0 && ++coordinate[j] == grid->extent[j]; j--) coordinate[j] = 0;
    }
    hp5_grid_place(run, parent, grid);
    if (!hp5_team_is_imagined(run->team)) hp5_stores_of_grid(run, parent, grid);
    for (int64_t i = 0; child_count > 0 && i < n; i++) build_children(builder, lps, &grid->lpus[i]);
}

static void note_range(Builder *builder, int lps, Hp5Lpu *lpu, bool end) {
    const Hp5TaskDesc *desc = builder->run->desc;
    for (int r = 0; r < desc->reduce_count; r++) {
        Hp5Site *site = &builder->run->hidden->sites[r];
        if (desc->reductions[r].to != lps || desc->reductions[r].from == lps) continue;
        if (lpu->flat >= site->capacity) {
            int64_t capacity = site->capacity * 2 > lpu->flat + 1 ? site->capacity * 2 : lpu->flat + 1;
            int64_t *begin = hp5_alloc(capacity * (int64_t)sizeof *begin, "reductions");
            int64_t *finish = hp5_alloc(capacity * (int64_t)sizeof *finish, "reductions");
            if (site->capacity > 0) {
                memcpy(begin, site->begin, sizeof *begin * (size_t)site->capacity);
                memcpy(finish, site->end, sizeof *finish * (size_t)site->capacity);
            }
            hp5_free(site->begin);
            hp5_free(site->end);
            site->begin = begin;
            site->end = finish;
            site->capacity = capacity;
        }
        (end ? site->end : site->begin)[lpu->flat] = builder->next_flat[desc->reductions[r].from];
    }
}

static void build_children(Builder *builder, int lps, Hp5Lpu *lpu) {
    const Hp5LpsShape *shape = &builder->run->hidden->shapes[lps];
    note_range(builder, lps, lpu, false);
    for (int c = 0; c < shape->child_count; c++)
        build_grid(builder, shape->children[c], lpu, &lpu->children[c]);
    note_range(builder, lps, lpu, true);
}

/* ---- The whole tree
 * -------------------------------------------------------------------------------------------- */

static void shape_lpses(Hp5TaskRun *run) {
    const Hp5TaskDesc *desc = run->desc;
    Hp5RunPrivate *hidden = run->hidden;
    hidden->shapes = hp5_slab_take(&hidden->slab, (int64_t)sizeof *hidden->shapes * desc->lps_count);
    memset(hidden->shapes, 0, sizeof *hidden->shapes * (size_t)desc->lps_count);
    for (int x = 0; x < desc->lps_count; x++) {
        Hp5LpsShape *shape = &hidden->shapes[x];
        shape->children = hp5_slab_take(&hidden->slab, (int64_t)sizeof(int) * desc->lps_count);
        for (int y = x + 1; y < desc->lps_count; y++) {
            if (desc->lpses[y].parent != x) continue;
            hidden->shapes[y].slot = shape->child_count;
            shape->children[shape->child_count++] = y;
        }
        if (x == 0) continue;
        shape->holders =
            hp5_slab_take(&hidden->slab, (int64_t)sizeof *shape->holders * (desc->lpses[x].var_count + 1));
        for (int v = 0; v < desc->lpses[x].var_count; v++) {
            int up = 1, at = desc->lpses[x].parent, slot;
            while ((slot = hp5_slot_of(desc, at, desc->lpses[x].vars[v].array)) < 0) {
                at = desc->lpses[at].parent;
                up++;
            }
            shape->holders[v] = (Hp5Holder){up, slot};
        }
    }
}

static void build_root(Hp5TaskRun *run) {
    const Hp5LpsDesc *desc = &run->desc->lpses[0];
    Hp5Slab *slab = &run->hidden->slab;
    Hp5Lpu *root = &run->root;
    root->views = hp5_slab_take(slab, (int64_t)sizeof *root->views * (desc->var_count + 1));
    for (int v = 0; v < desc->var_count; v++) {
        const Hp5Item *item = run->items[desc->vars[v].array];
        Hp5Set *sets = hp5_slab_take(slab, (int64_t)sizeof *sets * item->rank);
        Hp5Run *own = hp5_slab_take(slab, (int64_t)sizeof *own * item->rank);
        for (int d = 0; d < item->rank; d++) {
            sets[d] = hp5_interval(item->lo[d], item->lo[d] + item->extent[d]);
            own[d] = (Hp5Run){sets[d].begin, sets[d].end};
        }
        const Hp5ArrayDesc *array = &run->desc->arrays[desc->vars[v].array];
        root->views[v] =
            (Hp5View){.store = array->home == 0 ? &run->hidden->roots[desc->vars[v].array] : NULL,
                      .part = sets,
                      .own = own};
    }
    int child_count = run->hidden->shapes[0].child_count;
    root->children = hp5_slab_take(slab, (int64_t)sizeof *root->children * (child_count + 1));
    if (desc->scalars_size > 0) {
        root->scalars = hp5_slab_take(slab, (int64_t)desc->scalars_size);
        memset(root->scalars, 0, desc->scalars_size);
    }
}

void hp5_tree_create(Hp5TaskRun *run) {
    const Hp5TaskDesc *desc = run->desc;
    shape_lpses(run);
    Builder builder = {.run = run};
    builder.divisions = hp5_alloc_zeroed((int64_t)sizeof *builder.divisions * desc->lps_count, "parts");
    builder.next_flat = hp5_alloc_zeroed((int64_t)sizeof *builder.next_flat * desc->lps_count, "parts");
    for (int x = 0; x < desc->lps_count; x++)
        builder.divisions[x] = hp5_alloc_zeroed(
            (int64_t)sizeof(Division) * HP5_MAX_RANK * (desc->lpses[x].var_count + 1), "parts");
    build_root(run);
    builder.next_flat[0] = 1;
    build_children(&builder, 0, &run->root);
    for (int x = 0; x < desc->lps_count; x++) {
        run->hidden->shapes[x].lpus = builder.next_flat[x];
        for (int i = 0; i < HP5_MAX_RANK * desc->lpses[x].var_count; i++) {
            hp5_free(builder.divisions[x][i].sets);
            hp5_free(builder.divisions[x][i].own);
        }
        hp5_free(builder.divisions[x]);
    }
    hp5_free(builder.divisions);
    hp5_free(builder.next_flat);
}
