/* Whether what processes have of an item lies in its file in short runs (windows.h). How to read it: ranges of a file as boxes; who has the elements of a range,
 * by the search for sources of movements; how often that changes in samples, and what follows for the whole file. */
#include "runtime/move/search.h"
#include "runtime/run/windows.h"

/* What processes share without harm: a page has one writer, or the one before and the one behind it. */
enum { PAGE = HP5_SHORT_RUN, SAMPLES = 8, LONGEST = 2048 };

void hp5_range_each_box(const Hp5Item *item, bool fortran, int64_t first, int64_t end, void (*visit)(const Hp5Box *box, void *data), void *data) {
    const int last = item->rank - 1;
    while (first < end) {
        int64_t below = 1, rest = first, count = 1;
        Hp5Box box;
        int cut = last; /* the dimension, in the file's order, in which the box is a part of what there is; whole behind it, one index before it */
        for (int64_t extent; cut > 0 && rest % (extent = item->extent[fortran ? last - cut : cut]) == 0 && first + below * extent <= end; cut--) {
            below *= extent;
            rest /= extent;
        }
        for (int k = last; k >= 0; k--) {
            const int d = fortran ? last - k : k;
            const int64_t at = k > cut ? 0 : k > 0 ? rest % item->extent[d] : rest, left = item->extent[d] - at;
            if (k == cut) count = (end - first) / below < left ? (end - first) / below : left;
            box.lo[d] = item->lo[d] + at;
            box.hi[d] = box.lo[d] + (k > cut ? item->extent[d] : k == cut ? count : 1);
            if (k <= cut) rest /= item->extent[d];
        }
        visit(&box, data);
        first += count * below;
    }
}

/* ---- Who has what ------------------------------------------------------------------------------------------- */

typedef struct Sample {
    Hp5Search search;
    const Hp5Item *item;
    int64_t first;  /* element, in the file's order */
    int *processes; /* that have it and those behind it; -1: none has */
} Sample;

static void note_row(const Sample *sample, const Hp5Box *box, const int64_t *index, int process) {
    const int last = sample->item->rank - 1;
    int64_t at = 0;
    for (int d = 0; d <= last; d++) at = at * sample->item->extent[d] + index[d] - sample->item->lo[d];
    for (int64_t i = 0; i < box->hi[last] - box->lo[last]; i++) sample->processes[at - sample->first + i] = process;
}

static void note_box(Hp5Search *search, const Hp5Lpu *to, const Hp5Lpu *from, Hp5Span threads, const Hp5Box *box) {
    const Sample *sample = search->data;
    const int last = sample->item->rank - 1, process = hp5_segments_of(sample->item->spread, threads).first;
    int64_t index[HP5_MAX_RANK];
    (void)to, (void)from;
    for (int d = 0; d <= last; d++) index[d] = box->lo[d];
    for (int d = last; d >= 0;) {
        note_row(sample, box, index, process);
        for (d = last - 1; d >= 0 && ++index[d] == box->hi[d]; d--) index[d] = box->lo[d];
    }
}

static void search_box(const Hp5Box *box, void *data) {
    Sample *sample = data;
    sample->search.movement.only = box;
    hp5_search_sources(&sample->search);
}

/* How often the process changes from one element to the next. */
static int64_t changes_of(Sample *sample, int64_t first, int64_t count) {
    int64_t changes = 0;
    sample->first = first;
    for (int64_t i = 0; i < count; i++) sample->processes[i] = -1;
    hp5_range_each_box(sample->item, false, first, first + count, search_box, sample);
    for (int64_t i = 1; i < count; i++) changes += sample->processes[i] != sample->processes[i - 1];
    return changes;
}

/* ---- Samples ------------------------------------------------------------------------------------------------ */

bool hp5_runs_are_short(const Hp5Item *item) {
    Hp5TaskRun *run = item->spread;
    const int owner = hp5_owner_of(run, item->spread_array), processes = run->hidden->segments.count;
    const int64_t each = (int64_t)item->element->size;
    int64_t elements = 1, changes = 0, length = 4 * PAGE / each < LONGEST ? 4 * PAGE / each : LONGEST;
    for (int d = 0; d < item->rank; d++) elements *= item->extent[d];
    if (owner < 0 || processes == 1 || elements == 0 || item->rank == 0 || length < 2) return false;
    int samples = elements > SAMPLES * length ? SAMPLES : 1;
    if (samples == 1) length = elements;
    Sample sample = {.item = item, .processes = hp5_alloc((length + 1) * (int64_t)sizeof(int), "an output file")};
    hp5_search_begin(&sample.search, &run->hidden->geometry, (Hp5Movement){.array = item->spread_array, .from = owner, .beyond = -1, .in_place = true}, &run->root);
    sample.search.found = note_box;
    sample.search.data = &sample;
    for (int s = 0; s < samples; s++) changes += changes_of(&sample, samples > 1 ? (elements - length) / (samples - 1) * s : 0, length);
    hp5_search_end(&sample.search);
    hp5_free(sample.processes);
    /* of the whole file, beside what blocks as long as a page would have, and one for each process */
    return (double)changes * (double)elements / (double)(samples * length) > processes + (double)elements * (double)each / PAGE;
}
