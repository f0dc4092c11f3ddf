/* Shapes of LPSes, and which PPUs run an LPU (geometry.h).
 *
 * The rule: the T threads of a task run Root. Where an LPS has n PPUs in its parent's PPU, PPU i of them gets threads i*T/n to
 * (i+1)*T/n - 1 of the parent's T. Sub-partitions and LPSes of the parent's level stay with the parent's threads. A group that
 * has fewer threads than the mapping has PPUs makes as many PPUs as it has threads.
 *
 * On a card a PPU below it is a multiprocessor, a warp or a lane, with all threads that this has: threads of PPUs that the mapping leaves
 * out run none of the LPUs.
 *
 * With several segments, PPUs of levels above the segments share out whole segments in the same way, those of their level have one each; and where the PPU of the
 * parent has several segments, an LPS of a level below has its PPUs in each of them. */
#include "runtime/lpu/geometry.h"
#include "runtime/card/card.h"
#include "runtime/lpu/blocks.h"
#include "runtime/report/error.h"
#include <string.h>

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

/* ---- Shapes --------------------------------------------------------------------------------------- */

static void find_holders(const Hp5TaskDesc *desc, int lps, Hp5Holder *holders) {
    for (int v = 0; v < desc->lpses[lps].var_count; v++) {
        int up = 1, at = desc->lpses[lps].parent, slot;
        while ((slot = hp5_slot_of(desc, at, desc->lpses[lps].vars[v].array)) < 0) {
            at = desc->lpses[at].parent;
            up++;
        }
        holders[v] = (Hp5Holder){up, slot};
    }
}

void hp5_shapes_create(Hp5Geometry *geometry) {
    const Hp5TaskDesc *desc = geometry->desc;
    int64_t holders = 0;
    for (int x = 1; x < desc->lps_count; x++) holders += desc->lpses[x].var_count;
    int64_t bytes = (int64_t)sizeof(Hp5LpsShape) * desc->lps_count + (int64_t)sizeof(Hp5Holder) * holders + (int64_t)sizeof(int) * desc->lps_count;
    Hp5LpsShape *shapes = geometry->shapes = hp5_alloc_zeroed(bytes, "a task");
    Hp5Holder *next_holder = (Hp5Holder *)(shapes + desc->lps_count);
    int *next_child = (int *)(next_holder + holders);
    for (int x = 0; x < desc->lps_count; x++) {
        shapes[x].children = next_child;
        for (int y = x + 1; y < desc->lps_count; y++) {
            if (desc->lpses[y].parent != x) continue;
            shapes[y].slot = shapes[x].child_count++;
            *next_child++ = y;
        }
        if (x == 0) continue;
        shapes[x].holders = next_holder;
        find_holders(desc, x, next_holder);
        next_holder += desc->lpses[x].var_count;
    }
}

const Hp5View *hp5_held_view(const Hp5Geometry *geometry, int lps, int v, const Hp5Lpu *parent) {
    Hp5Holder holder = geometry->shapes[lps].holders[v];
    for (int up = holder.up - 1; up > 0; up--) parent = parent->parent;
    return &parent->views[holder.slot];
}

/* ---- PPUs ----------------------------------------------------------------------------------------- */

/* A process has one card: what is mapped to cards, or higher, has all of it. */
static bool is_of_cards(const Hp5TaskDesc *desc, int lps) { return desc->card != NULL && desc->machine_level[lps] <= desc->card->first_level; }

int hp5_ppus(const Hp5Geometry *geometry, int lps, int threads) {
    if (lps == 0 || geometry->desc->lpses[lps].sub_partition) return 1;
    int wanted = geometry->level_counts[lps], segments = geometry->each > 0 ? threads / geometry->each : 1;
    if (segments <= 1 && is_of_cards(geometry->desc, lps)) return 1;
    if (geometry->each > 0 && segments >= 1 && geometry->within[lps] > 0) return segments * geometry->within[lps]; /* also where the PPU has one segment, and others more */
    int most = segments > 1 ? segments : threads;
    return wanted < most ? wanted : most;
}

/* Of a task on a card, of an LPS below it: how many workers (threads as they are counted here: crews of the lowest kind) a PPU has. 0: the plain rule
 * holds. */
static int crew_workers(const Hp5Geometry *geometry, int lps) {
    const Hp5TaskDesc *desc = geometry->desc;
    int workers = 1;
    if (desc->card == NULL || desc->lpses[lps].sub_partition || is_of_cards(desc, lps)) return 0;
    for (int l = desc->machine_level[lps] + 1; l <= desc->card->first_level + (int)desc->card->lowest; l++)
        workers *= geometry->machine_counts != NULL ? geometry->machine_counts[l] : desc->machine_levels[l].count;
    return workers;
}

/* PPUs that the mapping takes are the first ones, whichever it names: what LPSes run on their first PPUs alone, one after the other, needs no waits
 * between them. */
static Hp5Span crew_span(const Hp5Geometry *geometry, int lps, Hp5Span parent, int ppus, int i, int workers) {
    const int each = geometry->each > 0 && parent.count > geometry->each ? geometry->within[lps] : ppus;
    return (Hp5Span){parent.first + i / each * geometry->each + i % each * workers, workers};
}

static bool has_segments_below(const Hp5TaskDesc *desc, int level) {
    for (int l = level + 1; l < desc->machine_level_count; l++)
        if (desc->machine_levels[l].segment) return true;
    return false;
}

/* The LPS has PPUs of the segments' level, or one below it, in a PPU that has several: a segment each, though the mapping takes fewer. What a PPU has is
 * one process's, as the plan says. */
static bool has_single_segments(const Hp5Geometry *geometry, int lps, Hp5Span parent) {
    const Hp5TaskDesc *desc = geometry->desc;
    return geometry->each > 0 && parent.count > geometry->each && lps > 0 && !desc->lpses[lps].sub_partition && desc->machine_level_count > 0 &&
           desc->machine_level[lps] > desc->machine_level[desc->lpses[lps].parent] && geometry->within[lps] == 0 && !has_segments_below(desc, desc->machine_level[lps]);
}

Hp5Span hp5_span_of(const Hp5Geometry *geometry, int lps, Hp5Span parent, int ppus, int i) {
    const int workers = crew_workers(geometry, lps);
    if (workers > 0) return crew_span(geometry, lps, parent, ppus, i, workers);
    if (has_single_segments(geometry, lps, parent)) return (Hp5Span){parent.first + i * geometry->each, geometry->each};
    int64_t unit = geometry->each > 0 && parent.count > geometry->each && geometry->within[lps] == 0 ? geometry->each : 1, units = parent.count / unit;
    int64_t first = i * units / ppus * unit, end = (i + 1) * units / ppus * unit;
    return (Hp5Span){parent.first + (int)first, (int)(end - first)};
}

int64_t hp5_ppu_of_run(int64_t position, int64_t count, int64_t ppus) {
    int64_t each = count / ppus, more = count % ppus;
    return position < more * (each + 1) ? position / (each + 1) : more + (position - more * (each + 1)) / each;
}

int64_t hp5_run_start(int64_t ppu, int64_t count, int64_t ppus) {
    int64_t each = count / ppus, more = count % ppus;
    return ppu * each + (ppu < more ? ppu : more);
}

/* The PPU, of `ppus`, that runs an LPU. */
static int owner_of(const Hp5Geometry *geometry, const Hp5Grid *grid, int64_t number, int ppus) {
    int32_t owner;
    if (grid->placed == NULL) return (int)hp5_ppu_of_run(number, grid->count, ppus);
    if (grid->placed->owner) return grid->placed->owner[number];
    if (grid->placed->blocks) return hp5_blocks_owner(grid->placed->blocks, number);
    hp5_place_by_function(geometry, grid, ppus, number, 1, &owner);
    return owner;
}

Hp5Span hp5_lpu_span(const Hp5Geometry *geometry, const Hp5Grid *grid, int64_t number, Hp5Span parent) {
    int ppus = hp5_ppus(geometry, grid->lps, parent.count);
    return ppus == 1 && crew_workers(geometry, grid->lps) == 0 && !has_single_segments(geometry, grid->lps, parent) ? parent : hp5_span_of(geometry, grid->lps, parent, ppus, owner_of(geometry, grid, number, ppus));
}

Hp5Span hp5_threads_of(const Hp5Geometry *geometry, const Hp5Lpu *lpu) {
    if (lpu->grid == NULL) return (Hp5Span){0, geometry->ppus};
    return hp5_lpu_span(geometry, lpu->grid, lpu->number, hp5_threads_of(geometry, lpu->parent));
}

void hp5_descends(const Hp5LpsDesc *lps, bool *descends) {
    for (int d = 0; d < lps->dims; d++) {
        descends[d] = false;
        for (int v = 0; v < lps->var_count; v++) descends[d] = descends[d] || lps->vars[v].dims[d].descends;
    }
}
