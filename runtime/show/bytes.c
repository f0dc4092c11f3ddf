/* The padding that LPUs take from each other. An LPU's padded part is a product of sets, one for each dimension of the
 * array, and so are the unpadded parts of its siblings; so the elements that it takes from a sibling are the product
 * of overlaps in single dimensions. Each overlap is found once for a dimension of a grid (Overlaps). An element
 * belongs to the sibling in whose unpadded part it lies; where a dimension of the Space does not divide the array, to
 * the one with the same coordinate there, as hp5_exchange has it. */
#include "runtime/show/show.h"
#include "runtime/run/private.h"
#include <string.h>

/* What the LPUs at coordinate c of a dimension have of the unpadded parts at other coordinates. */
typedef struct Overlap {
    int64_t other, elements;
} Overlap;
typedef struct Overlaps {
    int64_t *first; /* [coordinate], and one more */
    Overlap *list;
    int64_t count, capacity;
} Overlaps;

typedef struct Count {
    Hp5TaskRun *run;
    const Hp5ShowSpace *space;
    bool plain;
    Hp5ShowBytes *bytes;
    int64_t *taken; /* [ppu] */
    /* of the grid and variable at hand */
    const Hp5Grid *grid;
    Hp5Grid runs; /* the grid, without what a mapping says of it */
    Hp5Span parent;
    int slot, to;
    int64_t factor; /* bytes for each element of the divided dimensions' product */
    Overlaps overlaps[HP5_MAX_RANK];
    int64_t at[HP5_MAX_RANK], step[HP5_MAX_RANK];
} Count;

static void add_overlap(Overlaps *overlaps, int64_t other, int64_t elements) {
    if (elements == 0) return;
    if (overlaps->count == overlaps->capacity) {
        overlaps->capacity = overlaps->capacity * 2 + 16;
        Overlap *larger = hp5_alloc(overlaps->capacity * (int64_t)sizeof *larger, "a mapping's picture");
        if (overlaps->count > 0) memcpy(larger, overlaps->list, sizeof *larger * (size_t)overlaps->count);
        hp5_free(overlaps->list);
        overlaps->list = larger;
    }
    overlaps->list[overlaps->count++] = (Overlap){other, elements};
}

/* Indices that the padded part `mine` shares with the unpadded part of `other`. */
static int64_t shared(const Hp5Set *mine, const Hp5View *other, int d, Hp5Pool *pool) {
    Hp5Set own = hp5_interval(other->own[d].begin, other->own[d].end);
    Hp5Set unpadded = hp5_set_intersect(&other->part[d], &own, pool), both = hp5_set_intersect(mine, &unpadded, pool);
    return hp5_set_count(&both);
}

static void find_overlaps(Count *count, int j, const Hp5DimDesc *dim) {
    const Hp5Grid *grid = count->grid;
    Overlaps *overlaps = &count->overlaps[j];
    bool divided = dim->function != HP5_REPLICATED, padded = divided && (dim->front != HP5_NO_ARG || dim->back != HP5_NO_ARG);
    int64_t n = grid->extent[j], step = count->step[j];
    overlaps->count = 0;
    overlaps->first = hp5_alloc((n + 1) * (int64_t)sizeof *overlaps->first, "a mapping's picture");
    Hp5Pool pool = {0};
    for (int64_t c = 0; c < n; c++) {
        const Hp5View *mine = &grid->lpus[c * step].views[count->slot];
        overlaps->first[c] = overlaps->count;
        if (!divided) add_overlap(overlaps, c, 1);
        if (!divided) continue;
        const Hp5Set *part = &mine->part[dim->array_dimension];
        int64_t from = c, to = c + 1;
        while (padded && from > 0 && shared(part, &grid->lpus[(from - 1) * step].views[count->slot], dim->array_dimension, &pool) > 0) from--;
        while (padded && to < n && shared(part, &grid->lpus[to * step].views[count->slot], dim->array_dimension, &pool) > 0) to++;
        for (int64_t other = from; other < to; other++)
            add_overlap(overlaps, other, shared(part, &grid->lpus[other * step].views[count->slot], dim->array_dimension, &pool));
    }
    overlaps->first[n] = overlaps->count;
    hp5_pool_free(&pool);
}

/* ---- Pairs of LPUs ----------------------------------------------------------------------------------- */

static int thread_of(const Count *count, int64_t number) {
    return hp5_lpu_span(&count->run->hidden->geometry, count->plain ? &count->runs : count->grid, number, count->parent).first;
}

static void add_bytes(Count *count, int to, int from, int64_t bytes) {
    const Hp5ShowSpace *space = count->space;
    int level = 0;
    while (level < space->level_count && space->unit_of[level][to] == space->unit_of[level][from]) level++;
    if (level == space->level_count) {
        count->bytes->within += bytes;
        return;
    }
    count->bytes->crossing[level] += bytes;
    count->taken[space->ppu_of[to]] += bytes;
    if (count->bytes->matrix && level == 0)
        count->bytes->matrix[space->unit_of[0][from] * space->unit_count[0] + space->unit_of[0][to]] += bytes;
}

/* The siblings from dimension j on that the LPU at count->at takes something from. */
static void each_sibling(Count *count, int j, int64_t number, int64_t other, int64_t elements) {
    if (j == count->run->desc->lpses[count->space->lps].dims) {
        if (other != number) add_bytes(count, count->to, thread_of(count, other), elements * count->factor);
        return;
    }
    const Overlaps *overlaps = &count->overlaps[j];
    for (int64_t i = overlaps->first[count->at[j]]; i < overlaps->first[count->at[j] + 1]; i++)
        each_sibling(count, j + 1, number, other + overlaps->list[i].other * count->step[j], elements * overlaps->list[i].elements);
}

static void count_variable(Count *count) {
    const Hp5TaskDesc *desc = count->run->desc;
    const Hp5LpsDesc *lps = &desc->lpses[count->space->lps];
    const Hp5LpsVarDesc *var = &lps->vars[count->slot];
    const Hp5ArrayDesc *array = &desc->arrays[var->array];
    bool divided[HP5_MAX_RANK] = {false};
    for (int j = 0; j < lps->dims; j++) {
        if (var->dims[j].function != HP5_REPLICATED) divided[var->dims[j].array_dimension] = true;
        find_overlaps(count, j, &var->dims[j]);
        count->at[j] = 0;
    }
    count->factor = (int64_t)array->element->size * (hp5_has_copies(var) ? array->versions : 1);
    for (int d = 0; d < array->rank; d++)
        if (!divided[d]) count->factor *= hp5_set_count(&count->grid->lpus[0].views[count->slot].part[d]);
    for (int64_t i = 0; i < count->grid->count; i++) {
        count->to = thread_of(count, i);
        each_sibling(count, 0, i, 0, 1);
        for (int j = lps->dims - 1; j >= 0 && ++count->at[j] == count->grid->extent[j]; j--) count->at[j] = 0;
    }
    for (int j = 0; j < lps->dims; j++) hp5_free(count->overlaps[j].first);
}

static void count_grid(Hp5Lpu *parent, Hp5Grid *grid, void *data) {
    Count *count = data;
    const Hp5LpsDesc *lps = &count->run->desc->lpses[grid->lps];
    if (grid->count < 2) return;
    struct Hp5ShowSpan span = hp5_show_span(count->run, parent);
    count->parent = (Hp5Span){span.first, span.count};
    count->grid = grid;
    count->runs = (Hp5Grid){.lps = grid->lps, .count = grid->count, .lpus = grid->lpus};
    int64_t step = 1;
    for (int j = lps->dims - 1; j >= 0; step *= grid->extent[j--]) count->step[j] = step;
    for (int v = 0; v < lps->var_count; v++) {
        if (!count->space->parts[v].padded) continue;
        count->slot = v;
        count_variable(count);
    }
}

void hp5_show_count_bytes(Hp5TaskRun *run, const Hp5ShowSpace *space, bool plain, Hp5ShowBytes *bytes) {
    int units = space->unit_count[0];
    *bytes = (Hp5ShowBytes){0};
    if (units <= HP5_SHOW_MATRIX) bytes->matrix = hp5_alloc_zeroed((int64_t)sizeof *bytes->matrix * units * units, "a mapping's picture");
    Count count = {.run = run, .space = space, .plain = plain, .bytes = bytes};
    count.taken = hp5_alloc_zeroed((int64_t)sizeof *count.taken * space->ppu_count, "a mapping's picture");
    hp5_show_each_grid(run, space->lps, count_grid, &count);
    for (int p = 0; p < space->ppu_count; p++)
        if (count.taken[p] > bytes->most) bytes->most = count.taken[p];
    for (int j = 0; j < HP5_MAX_RANK; j++) hp5_free(count.overlaps[j].list);
    hp5_free(count.taken);
}
