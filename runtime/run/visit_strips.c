/* See visit_strips.h. */
#include "runtime/run/visit_strips.h"
#include "runtime/report/error.h"
#include "runtime/run/private.h"
#include <string.h>

enum {
    LINE = 64,
    BYTES = 16 << 10, /* of all arrays that are handed on: half of a usual first-level cache */
    SHARED = 64 << 10, /* where none is, of those that loops run over: with what goes along with them, some of a second-level cache */
    LEAST = 8,        /* indices: loops that take rows together take so many */
    EVEN = 64         /* strips have a multiple of that, so that vectors are full and lines are one strip's */
};

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/* Bytes of one index of the dimension. */
static int64_t row_bytes(const Hp5Stripped *of) {
    const Hp5Store *store = of->view->store;
    int64_t bytes = (int64_t)store->element_size;
    for (int d = 0; d < store->rank; d++)
        if (d != of->dimension) bytes *= of->view->part[d].end - of->view->part[d].begin;
    return bytes;
}

/* Strips of an LPU differ little, but for the last one, where they may have any number of indices. */
static int64_t width_for(int64_t indices, int64_t fits, int64_t chunk) {
    const int64_t strips = (indices + fits - 1) / fits;
    if (strips <= 1) return indices;
    for (int64_t width = chunk; chunk > 0; width *= 2)
        if (2 * width > fits) return least(width, indices);
    const int64_t width = (indices + strips - 1) / strips, even = (width + EVEN - 1) / EVEN * EVEN;
    return even <= fits ? even : fits >= EVEN ? fits / EVEN * EVEN : least(width, fits);
}

static void take_memory(Hp5Worker *w, int64_t bytes) {
    if (bytes <= w->strip_bytes) return;
    hp5_free(w->strip_memory);
    w->strip_memory = hp5_alloc(bytes, "strips");
    w->strip_bytes = bytes;
}

/* A store for a strip of the array, from `memory` on (NULL: there is none yet); returns its bytes. */
static int64_t shape(Hp5Strips *strips, int number, char *memory) {
    const Hp5Stripped *of = &strips->of[number];
    Hp5Store *store = &strips->stores[number];
    int64_t elements = 1;
    for (int d = store->rank - 1; d >= 0; d--) {
        store->extent[d] = d == of->dimension ? strips->width : of->view->part[d].end - of->view->part[d].begin;
        store->lo[d] = of->view->part[d].begin;
        store->stride[d] = elements;
        elements *= store->extent[d];
    }
    store->version[0] = memory;
    store->capacity = elements;
    return (elements * (int64_t)store->element_size + LINE - 1) / LINE * LINE;
}

static void begin_array(Hp5Strips *strips, int number) {
    const Hp5Stripped *of = &strips->of[number];
    const Hp5Store *store = of->view->store;
    const size_t rank = (size_t)store->rank;
    memcpy(strips->parts[number], of->view->part, sizeof(Hp5Set) * rank);
    memcpy(strips->own[number], of->view->own, sizeof(Hp5Run) * rank);
    strips->views[number] = (Hp5View){of->view->store, strips->parts[number], strips->own[number]};
    if (!of->passed) return;
    Hp5Store *strip = &strips->stores[number];
    *strip = (Hp5Store){.rank = store->rank, .versions = 1, .element_size = store->element_size, .array_lo = store->array_lo,
                        .array_extent = store->array_extent, .lps = store->lps, .array = store->array, .number = -1};
    strips->views[number].store = strip;
}

void hp5_strips_begin(Hp5Strips *strips, Hp5Worker *w, int count, const Hp5Stripped *of, int64_t chunk) {
    const Hp5Set *part = &of[0].view->part[of[0].dimension];
    int64_t bytes = 0, shared = 0;
    bool passes = false;
    strips->count = count;
    strips->of = of;
    for (int i = 0; i < count; i++) {
        const Hp5Set *other = &of[i].view->part[of[i].dimension];
        if (other->begin != part->begin || other->end != part->end)
            hp5_fail(HP5_EXIT_FAILURE, "internal error: parts that stages run over in strips are not alike");
        *(of[i].passed ? &bytes : &shared) += row_bytes(&of[i]);
        passes |= of[i].passed;
    }
    strips->at = part->begin;
    strips->end = part->end;
    strips->first = false;
    strips->more = true;
    strips->width = width_for(part->end - part->begin, passes ? most(LEAST, BYTES / most(bytes, 1)) : most(EVEN, SHARED / most(shared, 1)), chunk);
    if (w->predicting) strips->width = part->end - part->begin; /* no stage runs: they are counted, once */
    strips->whole = !passes && strips->width == part->end - part->begin;
    for (int i = 0; i < count; i++)
        if (strips->whole) strips->views[i] = *of[i].view;
        else begin_array(strips, i);
    if (!passes) return;
    int64_t total = LINE;
    for (int i = 0; i < count; i++)
        if (of[i].passed) total += shape(strips, i, NULL);
    if (w->predicting) return;
    take_memory(w, total);
    char *memory = w->strip_memory + (-(uintptr_t)w->strip_memory & (LINE - 1));
    for (int i = 0; i < count; i++)
        if (of[i].passed) memory += shape(strips, i, memory);
}

static void narrow(Hp5Strips *strips, Hp5Run run) {
    for (int i = 0; i < strips->count; i++) {
        const int d = strips->of[i].dimension;
        const int64_t indices = run.end - run.begin;
        strips->parts[i][d] = (Hp5Set){run.begin, run.end, indices, indices, NULL, 0};
        strips->own[i][d] = run;
        if (strips->of[i].passed) strips->stores[i].lo[d] = run.begin;
    }
}

bool hp5_strips_next(Hp5Strips *strips) {
    if (!strips->more) return false;
    const int64_t begin = strips->at;
    strips->first = begin == strips->of[0].view->part[strips->of[0].dimension].begin;
    strips->at = least(begin + strips->width, strips->end);
    strips->more = strips->at < strips->end;
    strips->now = (Hp5Run){begin, strips->at};
    if (!strips->whole) narrow(strips, strips->now);
    return true;
}

void hp5_strips_widen(Hp5Strips *strips, bool wide) {
    if (strips->whole) return;
    const Hp5Set *part = &strips->of[0].view->part[strips->of[0].dimension];
    narrow(strips, wide ? (Hp5Run){part->begin, part->end} : strips->now);
}
