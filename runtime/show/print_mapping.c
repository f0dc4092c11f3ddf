/* --print-mapping: a task's Spaces one after the other. How to read it: space_text is what is said of one Space; above
 * it the pieces, in that order. Long lists are cut: a thousand LPUs take no more room than a hundred. */
#include "runtime/mapping/space.h"
#include "runtime/show/show.h"
#include "runtime/run/private.h"
#include <stdlib.h>
#include <string.h>

enum { MOST_COLUMNS = 40, MOST_ROWS = 40, MOST_PPUS = 16, MOST_BOXES = 3, MOST_PAIRS = 8 };

typedef struct Writer {
    FILE *out;
    const Hp5ShowTask *task;
    const Hp5TaskDesc *desc;
} Writer;

static const char *plural(int64_t n) { return n == 1 ? "" : "s"; }

/* "8 x 4" */
static void extents_text(FILE *out, const int64_t *extent, int count) {
    for (int j = 0; j < count; j++) fprintf(out, "%s%lld", j > 0 ? " x " : "", (long long)extent[j]);
}

/* 12,345,678 */
static const char *bytes_text(int64_t bytes, char text[32]) {
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)bytes), at = 0;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0) text[at++] = ',';
        text[at++] = digits[i];
    }
    text[at] = '\0';
    return text;
}

static const char *level_name(const Writer *w, const Hp5ShowSpace *space, int k) {
    return space->level[k] < 0 ? w->desc->level_names[space->lps] : w->desc->machine_levels[space->level[k]].name;
}

/* ---- Which LPUs a PPU has, as boxes of the grid ------------------------------------------------------- */

typedef struct Boxes {
    const Hp5TaskRun *run;
    const Hp5Grid *grid;
    int dims, *owner; /* [LPU]: the PPU inside the parent's */
    unsigned char *done;
} Boxes;

static bool is_free(const Boxes *boxes, const int64_t *lo, const int64_t *hi, int owner) {
    int64_t at[HP5_MAX_RANK];
    memcpy(at, lo, sizeof at);
    for (;;) {
        int64_t number = 0;
        for (int j = 0; j < boxes->dims; j++) number = number * boxes->grid->extent[j] + at[j];
        if (boxes->done[number] || boxes->owner[number] != owner) return false;
        int j = boxes->dims - 1;
        for (; j >= 0; j--) {
            if (++at[j] < hi[j]) break;
            at[j] = lo[j];
        }
        if (j < 0) return true;
    }
}

static void mark(const Boxes *boxes, const int64_t *lo, const int64_t *hi) {
    int64_t at[HP5_MAX_RANK];
    memcpy(at, lo, sizeof at);
    for (;;) {
        int64_t number = 0;
        for (int j = 0; j < boxes->dims; j++) number = number * boxes->grid->extent[j] + at[j];
        boxes->done[number] = 1;
        int j = boxes->dims - 1;
        for (; j >= 0; j--) {
            if (++at[j] < hi[j]) break;
            at[j] = lo[j];
        }
        if (j < 0) return;
    }
}

/* The largest box from LPU `number` on: along the last dimension as far as it goes, then along the one before. */
static void grow(const Boxes *boxes, int64_t number, int64_t *lo, int64_t *hi) {
    int64_t rest = number;
    for (int j = boxes->dims - 1; j >= 0; rest /= boxes->grid->extent[j--]) lo[j] = rest % boxes->grid->extent[j];
    for (int j = 0; j < boxes->dims; j++) hi[j] = lo[j] + 1;
    for (int j = boxes->dims - 1; j >= 0; j--)
        while (hi[j] < boxes->grid->extent[j]) {
            int64_t slice_lo[HP5_MAX_RANK], slice_hi[HP5_MAX_RANK];
            memcpy(slice_lo, lo, sizeof slice_lo);
            memcpy(slice_hi, hi, sizeof slice_hi);
            slice_lo[j] = hi[j];
            slice_hi[j] = hi[j] + 1;
            if (!is_free(boxes, slice_lo, slice_hi, boxes->owner[number])) break;
            hi[j]++;
        }
    mark(boxes, lo, hi);
}

static void box_text(FILE *out, const int64_t *lo, const int64_t *hi, int dims) {
    fputc('(', out);
    for (int j = 0; j < dims; j++) {
        fprintf(out, "%s%lld", j > 0 ? ", " : "", (long long)lo[j]);
        if (hi[j] - 1 > lo[j]) fprintf(out, "...%lld", (long long)hi[j] - 1);
    }
    fprintf(out, dims == 1 ? ",)" : ")");
}

static void lpus_of_ppu(FILE *out, Boxes *boxes, int ppu) {
    int64_t lo[HP5_MAX_RANK], hi[HP5_MAX_RANK], count = 0, shown = 0;
    for (int64_t i = 0; i < boxes->grid->count; i++) count += boxes->owner[i] == ppu;
    fprintf(out, "%lld", (long long)count);
    for (int64_t i = 0; i < boxes->grid->count; i++) {
        if (boxes->owner[i] != ppu || boxes->done[i]) continue;
        grow(boxes, i, lo, hi);
        fputs(shown == 0 ? ": " : " ", out);
        if (shown == MOST_BOXES) {
            fputs("…", out);
            break;
        }
        box_text(out, lo, hi, boxes->dims);
        shown++;
    }
    fputc('\n', out);
}

/* ---- The picture of a grid -------------------------------------------------------------------------------- */

static int digits_of(int64_t number) { return number < 10 ? 1 : 1 + digits_of(number / 10); }

/* The last two dimensions as rows and columns, the others one picture after the other. */
static void picture_text(const Writer *w, const Boxes *boxes, int ppus) {
    int dims = boxes->dims, width = digits_of(ppus - 1);
    int64_t columns = boxes->grid->extent[dims - 1], rows = dims > 1 ? boxes->grid->extent[dims - 2] : 1, slices = boxes->grid->count / (rows * columns);
    if (columns > MOST_COLUMNS || rows * slices > MOST_ROWS) return;
    for (int64_t s = 0; s < slices; s++) {
        if (slices > 1) {
            fputs("      (", w->out);
            int64_t rest = s, at[HP5_MAX_RANK];
            for (int j = dims - 3; j >= 0; rest /= boxes->grid->extent[j--]) at[j] = rest % boxes->grid->extent[j];
            for (int j = 0; j < dims - 2; j++) fprintf(w->out, "%lld, ", (long long)at[j]);
            fputs("*, *)\n", w->out);
        }
        for (int64_t r = 0; r < rows; r++) {
            fputs("       ", w->out);
            for (int64_t c = 0; c < columns; c++) fprintf(w->out, " %*d", width, boxes->owner[(s * rows + r) * columns + c]);
            fputc('\n', w->out);
        }
    }
}

/* ---- A grid: who runs what --------------------------------------------------------------------------------- */

static void ppus_text(const Writer *w, const Hp5ShowSpace *space, Boxes *boxes, const int *ppu_of, int ppus) {
    char name[200];
    int shown = ppus <= MOST_PPUS ? ppus : MOST_PPUS - 2, wide = 7;
    for (int p = 0; p < shown; p++) {
        hp5_show_ppu_name(w->task, space, ppu_of[p], name, sizeof name);
        if ((int)strlen(name) > wide) wide = (int)strlen(name);
    }
    fprintf(w->out, "      PPU  %-*s  LPUs\n", wide, "runs on");
    for (int p = 0; p < ppus; p++) {
        if (p == shown && ppus > shown + 1) {
            fprintf(w->out, "        …  (%d more)\n", ppus - shown - 1);
            p = ppus - 1;
        }
        hp5_show_ppu_name(w->task, space, ppu_of[p], name, sizeof name);
        fprintf(w->out, "      %3d  %-*s  ", p, wide, name);
        lpus_of_ppu(w->out, boxes, p);
    }
}

static void grid_text(const Writer *w, const Hp5ShowSpace *space, const Hp5ShowKind *kind) {
    const Hp5TaskRun *run = w->task->run;
    const Hp5Grid *grid = kind->grid;
    struct Hp5ShowSpan span = hp5_show_span(run, kind->parent);
    int ppus = hp5_ppus(&run->hidden->geometry, space->lps, span.count);
    if (grid->count == 0) return;
    Boxes boxes = {.run = run, .grid = grid, .dims = w->desc->lpses[space->lps].dims};
    int *ppu_of = hp5_alloc((int64_t)sizeof(int) * ppus, "a mapping's picture");
    boxes.owner = hp5_alloc((int64_t)sizeof(int) * grid->count, "a mapping's picture");
    boxes.done = hp5_alloc_zeroed(grid->count, "a mapping's picture");
    int first = space->ppu_of[span.first];
    for (int p = 0; p < ppus; p++) ppu_of[p] = first + p;
    for (int64_t i = 0; i < grid->count; i++)
        boxes.owner[i] = space->ppu_of[hp5_lpu_span(&run->hidden->geometry, grid, i, (Hp5Span){span.first, span.count}).first] - first;
    if (space->grids > 1) {
        char text[200];
        int64_t extent[HP5_MAX_RANK], at = kind->parent->number;
        const Hp5LpsDesc *above = &w->desc->lpses[w->desc->lpses[space->lps].parent];
        if (kind->parent->grid) memcpy(extent, kind->parent->grid->extent, sizeof extent);
        Hp5Tuple point = {.count = above->dims};
        for (int j = above->dims - 1; j >= 0; at /= extent[j--]) point.at[j] = at % extent[j];
        fprintf(w->out, "    in LPU %s of %s", hp5_tuple_text(&point, text, sizeof text), above->name);
        if (kind->count > 1) fprintf(w->out, ", and alike in %lld other%s", (long long)kind->count - 1, plural(kind->count - 1));
        fputs(": ", w->out);
        extents_text(w->out, grid->extent, boxes.dims);
        fprintf(w->out, " LPU%s\n", plural(grid->count));
    }
    if (ppus > 1 && space->load && boxes.dims > 1) picture_text(w, &boxes, ppus);
    if (space->load) ppus_text(w, space, &boxes, ppu_of, ppus);
    hp5_free(boxes.done);
    hp5_free(boxes.owner);
    hp5_free(ppu_of);
}

/* ---- Parts and bytes ------------------------------------------------------------------------------------------ */

static void part_text(const Writer *w, const Hp5ShowPart *part) {
    const Hp5ArrayDesc *array = &w->desc->arrays[part->array];
    fprintf(w->out, "    %s: parts of ", array->name);
    for (int d = 0; d < array->rank; d++) {
        fprintf(w->out, "%s%lld", d > 0 ? " x " : "", (long long)part->least[d]);
        if (part->most[d] > part->least[d]) fprintf(w->out, "...%lld", (long long)part->most[d]);
    }
    fputs(" elements", w->out);
    if (part->padded) fputs(", padding", w->out);
    for (int d = 0; part->padded && d < array->rank; d++) {
        fprintf(w->out, "%s %lld", d > 0 ? "," : "", (long long)part->front[d]);
        if (part->front[d] != part->back[d]) fprintf(w->out, "+%lld", (long long)part->back[d]);
    }
    fputc('\n', w->out);
}

static void crossing_text(const Writer *w, const char *what, int64_t bytes, int64_t plain, int width) {
    char now[32], before[32];
    fprintf(w->out, "      %-*s %14s", width, what, bytes_text(bytes, now));
    if (bytes != plain) fprintf(w->out, "   in runs: %s", bytes_text(plain, before));
    fputc('\n', w->out);
}

typedef struct Pair {
    int64_t bytes;
    int from, to;
} Pair;

static int larger_first(const void *a, const void *b) {
    const Pair *x = a, *y = b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    if (x->from != y->from) return x->from - y->from;
    return x->to - y->to;
}

/* What goes from unit to unit of the topmost level: a table when it is small, else the largest ones. */
static void matrix_text(const Writer *w, const Hp5ShowSpace *space) {
    int n = space->unit_count[0], count = 0;
    const int64_t *matrix = space->bytes.matrix;
    const char *name = level_name(w, space, 0);
    char text[32];
    if (matrix == NULL || n < 2) return;
    Pair *pairs = hp5_alloc((int64_t)sizeof *pairs * n * n, "a mapping's picture");
    for (int from = 0; from < n; from++)
        for (int to = 0; to < n; to++)
            if (matrix[from * n + to] > 0) pairs[count++] = (Pair){matrix[from * n + to], from, to};
    if (n <= MOST_PAIRS && count > 0) {
        fprintf(w->out, "      from \\ to");
        for (int to = 0; to < n; to++) fprintf(w->out, " %11s%2d", to == 0 ? name : "", to);
        fputc('\n', w->out);
        for (int from = 0; from < n; from++) {
            fprintf(w->out, "      %9d", from);
            for (int to = 0; to < n; to++) fprintf(w->out, " %13s", matrix[from * n + to] > 0 ? bytes_text(matrix[from * n + to], text) : "-");
            fputc('\n', w->out);
        }
    } else {
        qsort(pairs, (size_t)count, sizeof *pairs, larger_first);
        for (int i = 0; i < count && i < MOST_PAIRS; i++)
            fprintf(w->out, "      from %s %d to %d: %s\n", name, pairs[i].from, pairs[i].to, bytes_text(pairs[i].bytes, text));
        if (count > MOST_PAIRS) fprintf(w->out, "      … (%d more pairs, none larger)\n", count - MOST_PAIRS);
    }
    hp5_free(pairs);
}

static void padding_text(const Writer *w, const Hp5ShowSpace *space) {
    char what[HP5_SHOW_LEVELS][100];
    int width = 0;
    int64_t all = space->bytes.within;
    for (int k = 0; k < space->level_count; k++) all += space->bytes.crossing[k];
    if (all == 0) {
        fprintf(w->out, "    no LPU takes padding from another\n");
        return;
    }
    for (int k = 0; k < space->level_count; k++) {
        bool segment = space->level[k] >= 0 && w->desc->machine_levels[space->level[k]].segment;
        snprintf(what[k], sizeof what[k], "between %s%ss%s%s", level_name(w, space, k), segment ? " segment" : "", k > 0 ? " of a " : "",
                 k > 0 ? level_name(w, space, k - 1) : "");
        if ((int)strlen(what[k]) > width) width = (int)strlen(what[k]);
    }
    if (width < 24) width = 24;
    fprintf(w->out, "    bytes each time the padding is brought up to date:\n");
    for (int k = 0; k < space->level_count; k++)
        crossing_text(w, what[k], space->bytes.crossing[k], space->plain.crossing[k], width);
    crossing_text(w, "inside a PPU", space->bytes.within, space->plain.within, width);
    crossing_text(w, "most that a PPU takes", space->bytes.most, space->plain.most, width);
    matrix_text(w, space);
}

/* ---- A Space --------------------------------------------------------------------------------------------------------- */

static const char *how(const Hp5ShowSpace *space) {
    if (space->load == NULL) return ", each to whoever is free";
    if (space->kinds[0].grid->placed) return ", in blocks of the grid";
    return space->ppu_count > 1 && space->lpus > space->grids ? ", in runs of row-major order" : "";
}

void hp5_show_heading(const Hp5ShowTask *task, const Hp5ShowSpace *space, char *text, size_t size) {
    const Hp5TaskDesc *desc = task->run->desc;
    const Hp5LpsDesc *lps = &desc->lpses[space->lps];
    const Hp5PlaceDesc *place = desc->places ? &desc->places[space->lps] : NULL;
    FILE *out = fmemopen(text, size, "w");
    if (out == NULL) hp5_fail(HP5_EXIT_FAILURE, "out of memory for a mapping's picture");
    fprintf(out, "Space %s on %s: ", lps->name, desc->level_names[space->lps]);
    if (lps->dims > 0 && space->grids == 1) {
        extents_text(out, space->kinds[0].grid->extent, lps->dims);
        if (lps->dims > 1) fprintf(out, " = %lld", (long long)space->lpus);
    } else fprintf(out, "%lld", (long long)space->lpus);
    fprintf(out, " LPU%s", plural(space->lpus));
    if (space->grids > 1) fprintf(out, " in %lld LPUs of %s", (long long)space->grids, desc->lpses[lps->parent].name);
    fprintf(out, " on %d PPU%s", space->ppu_count, plural(space->ppu_count));
    if (place && place->place) fprintf(out, ", by %s (%s)", place->function, place->file);
    else fputs(how(space), out);
    fclose(out);
}

static void load_text(const Writer *w, const Hp5ShowSpace *space) {
    int64_t least = space->load[0], most = space->load[0], idle = 0;
    for (int p = 0; p < space->ppu_count; p++) {
        if (space->load[p] < least) least = space->load[p];
        if (space->load[p] > most) most = space->load[p];
        idle += space->load[p] == 0;
    }
    if (least == most) fprintf(w->out, "    each PPU runs %lld LPU%s\n", (long long)most, plural(most));
    else fprintf(w->out, "    PPUs run %lld to %lld LPUs\n", (long long)least, (long long)most);
    if (idle > 0)
        fprintf(w->out, "    remark: %lld of %d PPUs %s nothing to do\n", (long long)idle, space->ppu_count, idle == 1 ? "has" : "have");
}

static void space_text(const Writer *w, const Hp5ShowSpace *space) {
    const Hp5LpsDesc *lps = &w->desc->lpses[space->lps];
    char heading[600];
    if (space->kind_count == 0) {
        fprintf(w->out, "  Space %s on %s: no LPUs\n", lps->name, w->desc->level_names[space->lps]);
        return;
    }
    hp5_show_heading(w->task, space, heading, sizeof heading);
    fprintf(w->out, "  %s\n", heading);
    if (space->load) load_text(w, space);
    for (int k = 0; k < space->kind_count && lps->dims > 0; k++) grid_text(w, space, &space->kinds[k]);
    if (space->other_grids > 0) fprintf(w->out, "    … %lld more LPUs of %s, unlike these\n", (long long)space->other_grids, w->desc->lpses[lps->parent].name);
    for (int v = 0; v < space->part_count; v++) part_text(w, &space->parts[v]);
    if (space->padded && space->load) padding_text(w, space);
}

void hp5_show_text(const Hp5ShowTask *task, FILE *out) {
    const Hp5TaskRun *run = task->run;
    Writer w = {out, task, run->desc};
    int shown = 0;
    fprintf(out, "Task \"%s\": %d thread%s", run->desc->name, task->threads, plural(task->threads));
    for (int l = 0; l < run->desc->machine_level_count; l++)
        fprintf(out, "%s%s (%d)", l > 0 ? ", " : "; machine of ", run->desc->machine_levels[l].name,
                run->hidden->geometry.machine_counts ? run->hidden->geometry.machine_counts[l] : run->desc->machine_levels[l].count);
    fputc('\n', out);
    for (int a = 0; a < run->desc->arg_count; a++) {
        bool again = run->desc->arg_names[a][0] >= '0' && run->desc->arg_names[a][0] <= '9';
        for (int b = 0; b < a; b++) again = again || strcmp(run->desc->arg_names[a], run->desc->arg_names[b]) == 0;
        if (!again) fprintf(out, "%s%s = %lld", shown++ > 0 ? ", " : "  ", run->desc->arg_names[a], (long long)run->args[a]);
    }
    if (shown > 0) fputc('\n', out);
    for (int a = 0; a < run->desc->array_count; a++) {
        fprintf(out, "  %s: ", run->desc->arrays[a].name);
        extents_text(out, run->items[a]->extent, run->items[a]->rank);
        fprintf(out, " elements of %lld bytes\n", (long long)run->items[a]->element->size);
    }
    for (int i = 0; i < task->space_count; i++) space_text(&w, &task->spaces[i]);
}
