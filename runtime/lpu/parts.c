/* Dividing arrays (geometry.h): how many parts there are, one part, and which parts meet an interval. */
#include "runtime/lpu/geometry.h"
#include "runtime/report/error.h"
#include <stdio.h>

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

/* The arguments of a partition function as hp5_part takes them; an absent number of strides is the PPU count. */
static void part_arguments(const Hp5Geometry *geometry, int lps, const Hp5DimDesc *dim, int64_t *a, int64_t *b) {
    *a = hp5_argument(geometry, dim->argument[0], 0);
    *b = hp5_argument(geometry, dim->argument[1], geometry->level_counts[lps]);
}

/* "plate[dimension 2] of 10 indices divided by block_size(k) with k = 4 has 3 parts" */
static void describe_division(const Hp5Geometry *geometry, int lps, const Hp5LpsVarDesc *var, const Hp5DimDesc *dim,
                              int64_t n, int64_t parts, char *text, size_t size) {
    int used = snprintf(text, size, "%s (dimension %d: %lld indices, %s", geometry->desc->arrays[var->array].name,
                        dim->array_dimension + 1, (long long)n, dim->text);
    bool first = true;
    for (int k = 0; k < 2 && used > 0 && (size_t)used < size; k++) {
        if (dim->argument[k] == HP5_NO_ARG) continue;
        used += snprintf(text + used, size - (size_t)used, "%s%s = %lld", first ? " with " : ", ",
                         geometry->desc->arg_names[dim->argument[k]], (long long)geometry->args[dim->argument[k]]);
        first = false;
    }
    bool counts_ppus =
        (dim->function == HP5_STRIDE && dim->argument[0] == HP5_NO_ARG && dim->argument[1] == HP5_NO_ARG) ||
        (dim->function == HP5_BLOCK_STRIDE && dim->argument[1] == HP5_NO_ARG);
    if (counts_ppus && used > 0 && (size_t)used < size)
        used += snprintf(text + used, size - (size_t)used, "%s%d PPUs", " on ", geometry->level_counts[lps]);
    if (used > 0 && (size_t)used < size)
        snprintf(text + used, size - (size_t)used, ") has %lld part%s", (long long)parts,
                 parts == 1 ? "" : "s");
}

/* ---- Extents -------------------------------------------------------------------------------------- */

/* Into how many parts listed variable v divides what it holds; 0 < *n: of so many indices. */
static int64_t parts_of(const Hp5Geometry *geometry, int lps, int v, int j, const Hp5Lpu *parent, int64_t *n) {
    const Hp5DimDesc *dim = &geometry->desc->lpses[lps].vars[v].dims[j];
    int64_t a, b;
    *n = hp5_set_count(&hp5_held_view(geometry, lps, v, parent)->part[dim->array_dimension]);
    part_arguments(geometry, lps, dim, &a, &b);
    return hp5_part_count(dim->function, *n, a, b);
}

__attribute__((noreturn)) static void fail_unequal(const Hp5Geometry *geometry, int lps, int j, const Hp5Lpu *parent, int by, int v) {
    const Hp5LpsDesc *desc = &geometry->desc->lpses[lps];
    char first[300], second[300];
    int64_t n, parts = parts_of(geometry, lps, by, j, parent, &n);
    describe_division(geometry, lps, &desc->vars[by], &desc->vars[by].dims[j], n, parts, first, sizeof first);
    parts = parts_of(geometry, lps, v, j, parent, &n);
    describe_division(geometry, lps, &desc->vars[v], &desc->vars[v].dims[j], n, parts, second, sizeof second);
    hp5_fail(HP5_EXIT_USAGE,
             "task %s, Space %s: all variables must have the same number of parts in dimension %d of the Space, but %s and %s",
             geometry->desc->name, desc->name, j + 1, first, second);
}

void hp5_too_many_lpus(const Hp5TaskDesc *desc, int lps) {
    hp5_fail(HP5_EXIT_USAGE, "task %s: Space %s would have more than 2147483647 LPUs in one LPU of its parent; use larger parts",
             desc->name, desc->lpses[lps].name);
}

int64_t hp5_grid_extents(const Hp5Geometry *geometry, int lps, const Hp5Lpu *parent, int64_t *extent) {
    const Hp5LpsDesc *desc = &geometry->desc->lpses[lps];
    int64_t count = 1, n;
    for (int j = 0; j < desc->dims; j++) {
        int by = -1;
        extent[j] = 1;
        for (int v = 0; v < desc->var_count; v++) {
            if (desc->vars[v].dims[j].function == HP5_REPLICATED) continue;
            int64_t parts = parts_of(geometry, lps, v, j, parent, &n);
            if (by >= 0 && parts != extent[j]) fail_unequal(geometry, lps, j, parent, by, v);
            if (by < 0) by = v;
            extent[j] = parts;
        }
        if (__builtin_mul_overflow(count, extent[j], &count) || count > INT32_MAX) hp5_too_many_lpus(geometry->desc, lps);
    }
    return count;
}

/* ---- Parts ---------------------------------------------------------------------------------------- */

/* A part with padding, which counts positions in what is divided. */
static Hp5Set padded_part(const Hp5Geometry *geometry, int lps, const Hp5LpsVarDesc *var, const Hp5DimDesc *dim, const Hp5Set *parent,
                          const Hp5Set *part, int64_t p, Hp5Pool *pool) {
    int64_t front = hp5_argument(geometry, dim->front, 0), back = hp5_argument(geometry, dim->back, 0), a, b;
    if (front == 0 && back == 0) return *part;
    if (hp5_set_is_interval(parent) && hp5_set_is_interval(part)) return hp5_part_padded(part, parent, front, back);
    part_arguments(geometry, lps, dim, &a, &b);
    Hp5Set all = hp5_interval(0, hp5_set_count(parent));
    Hp5Set positions = hp5_part(&all, dim->function, a, b, p, pool);
    if (!hp5_set_is_interval(&positions))
        hp5_fail(HP5_EXIT_USAGE,
                 "task %s, Space %s: %s for %s gives parts with gaps, which cannot have padding; use block_size "
                 "or block_count, or leave the padding out",
                 geometry->desc->name, geometry->desc->lpses[lps].name, dim->text, geometry->desc->arrays[var->array].name);
    Hp5Set padded = hp5_part_padded(&positions, &all, front, back);
    Hp5Set hull = hp5_interval(hp5_set_at(parent, padded.begin), hp5_set_at(parent, padded.end - 1) + 1);
    return hp5_set_intersect(parent, &hull, pool);
}

Hp5Set hp5_part_of(const Hp5Geometry *geometry, int lps, const Hp5LpsVarDesc *var, const Hp5DimDesc *dim, const Hp5Set *parent,
                  int64_t p, Hp5Run *own, Hp5Pool *pool) {
    int64_t a, b;
    part_arguments(geometry, lps, dim, &a, &b);
    Hp5Set part = hp5_part(parent, dim->function, a, b, p, pool);
    *own = (Hp5Run){part.begin, part.end};
    return padded_part(geometry, lps, var, dim, parent, &part, p, pool);
}

/* ---- Which parts ---------------------------------------------------------------------------------- */

static int64_t smaller(int64_t a, int64_t b) { return a < b ? a : b; }

/* Of `parts` parts that take turns with blocks of `size` positions. */
static Hp5PartRange in_turns(int64_t from, int64_t to, int64_t size, int64_t parts) {
    int64_t first = from / size, count = (to - 1) / size - first + 1;
    return count >= parts ? (Hp5PartRange){0, parts} : (Hp5PartRange){first % parts, count};
}

Hp5PartRange hp5_parts_meeting(const Hp5Geometry *geometry, int lps, const Hp5DimDesc *dim, const Hp5Set *parent, int64_t parts,
                               int64_t lo, int64_t hi, bool padded) {
    int64_t n = hp5_set_count(parent), from = hp5_set_rank(parent, lo), to = hp5_set_rank(parent, hi), a, b;
    if (from >= to || parts == 0) return (Hp5PartRange){0, 0};
    part_arguments(geometry, lps, dim, &a, &b);
    if (padded && (dim->front != HP5_NO_ARG || dim->back != HP5_NO_ARG)) {
        int64_t back = hp5_argument(geometry, dim->back, 0), front = hp5_argument(geometry, dim->front, 0);
        from = back < from ? from - back : 0;
        to = front < n - to ? to + front : n;
    }
    switch (dim->function) {
    case HP5_REPLICATED: break;
    case HP5_BLOCK_SIZE: return in_turns(from, to, a, parts);
    case HP5_BLOCK_COUNT: {
        int64_t first = hp5_ppu_of_run(from, n, parts);
        return (Hp5PartRange){first, hp5_ppu_of_run(to - 1, n, parts) - first + 1};
    }
    case HP5_STRIDE: return in_turns(from, to, 1, parts);
    case HP5_BLOCK_STRIDE: return in_turns(from, to, smaller(a, n), parts);
    }
    return (Hp5PartRange){0, parts};
}
