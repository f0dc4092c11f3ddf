/* A prepared run of a task as Hp5ShowTask. How to read it: hp5_show_collect is the list of what is found out. */
#include "runtime/show/show.h"
#include "runtime/lpu/placing_blocks.h"
#include "runtime/run/private.h"
#include <stdlib.h>
#include <string.h>

/* ---- PPUs and what they lie in ------------------------------------------------------------------- */

struct Hp5ShowSpan hp5_show_span(const Hp5TaskRun *run, const Hp5Lpu *lpu) {
    if (lpu->grid == NULL) return (struct Hp5ShowSpan){0, run->hidden->threads};
    struct Hp5ShowSpan parent = hp5_show_span(run, lpu->parent);
    Hp5Span span = hp5_lpu_span(&run->hidden->geometry, lpu->grid, lpu->number, (Hp5Span){parent.first, parent.count});
    return (struct Hp5ShowSpan){span.first, span.count};
}

/* Where a thread's PPU of an LPS lies: for each level of the machine its number inside the unit above, -1 where the
 * LPS and those above it do not say it. */
typedef struct Path {
    int unit[HP5_SHOW_LEVELS];
    int count[HP5_SHOW_LEVELS]; /* units inside the unit above that the LPS can use */
} Path;

static void add_to_path(const Hp5TaskRun *run, int lps, int thread, Path *path) {
    const Hp5TaskDesc *desc = run->desc;
    if (lps == 0 || desc->machine_level_count == 0) return;
    add_to_path(run, desc->lpses[lps].parent, thread, path);
    if (desc->lpses[lps].sub_partition || desc->machine_level[lps] == desc->machine_level[desc->lpses[lps].parent]) return;
    int64_t extents[HP5_SPACE_DIMS], position = run->workers[thread].position[lps];
    int levels[HP5_SPACE_DIMS], ppus = run->workers[thread].positions[lps];
    int count = hp5_lps_levels(&run->hidden->geometry, lps, ppus, extents, levels), first = desc->level_first ? desc->level_first[lps] : 0;
    bool part = desc->level_counts[lps] != run->hidden->geometry.level_counts[lps] || first > 0 || count == 1;
    for (int k = count - 1; k >= 0; k--) {
        int level = levels[k];
        if (level < 0 || level >= HP5_SHOW_LEVELS) continue;
        int64_t extent = extents[k], number = k == 0 ? position + (part && count == 1 ? first : 0) : position % extent;
        path->unit[level] = (int)number;
        path->count[level] = (int)extent;
        position /= extent;
    }
}

static Path path_of(const Hp5TaskRun *run, int lps, int thread) {
    Path path;
    for (int l = 0; l < HP5_SHOW_LEVELS; l++) {
        path.unit[l] = -1;
        path.count[l] = 1;
    }
    add_to_path(run, lps, thread, &path);
    return path;
}

void hp5_show_ppu_name(const Hp5ShowTask *task, const Hp5ShowSpace *space, int ppu, char *text, size_t size) {
    const Hp5TaskDesc *desc = task->run->desc;
    int thread = 0, last = -1;
    while (space->ppu_of[thread] != ppu) thread++;
    Path path = path_of(task->run, space->lps, thread);
    size_t used = 0;
    text[0] = '\0';
    for (int l = 0; l < desc->machine_level_count && l < HP5_SHOW_LEVELS; l++)
        if (path.unit[l] >= 0) last = l;
    for (int l = 0; l <= last && used < size; l++)
        if (path.unit[l] >= 0 && (path.count[l] > 1 || path.unit[l] > 0 || l == last))
            used += (size_t)snprintf(text + used, size - used, "%s%s %d", used > 0 ? ", " : "", desc->machine_levels[l].name, path.unit[l]);
    if (last < 0) snprintf(text, size, "%s", desc->level_names[space->lps]);
}

static void number_ppus(const Hp5TaskRun *run, Hp5ShowSpace *space) {
    int threads = run->hidden->threads;
    space->ppu_of = hp5_alloc((int64_t)sizeof(int) * threads, "a mapping's picture");
    for (int t = 0; t < threads; t++) {
        bool leads = run->workers[t].groups[space->lps]->first == t;
        space->ppu_of[t] = leads ? space->ppu_count++ : space->ppu_count - 1;
    }
}

/* Units of one level: threads in the same one have the same path down to it. */
static void number_units(const Hp5TaskRun *run, Hp5ShowSpace *space, int level) {
    int threads = run->hidden->threads, count = 0, *unit_of = hp5_alloc((int64_t)sizeof(int) * threads, "a mapping's picture");
    for (int t = 0; t < threads; t++) { /* threads of a unit stand together */
        Path now = path_of(run, space->lps, t), before = path_of(run, space->lps, t > 0 ? t - 1 : 0);
        bool same = t > 0 && memcmp(now.unit, before.unit, sizeof(int) * (size_t)(level + 1)) == 0;
        unit_of[t] = same ? count - 1 : count++;
    }
    if (count < 2 || space->level_count == HP5_SHOW_LEVELS) {
        hp5_free(unit_of);
        return;
    }
    int k = space->level_count++;
    space->level[k] = level;
    space->unit_count[k] = count;
    space->unit_of[k] = unit_of;
}

/* Without levels that have several units, and where the model is not known, the PPUs themselves are one level. */
static void number_levels(const Hp5TaskRun *run, Hp5ShowSpace *space) {
    int levels = run->desc->machine_level_count < HP5_SHOW_LEVELS ? run->desc->machine_level_count : HP5_SHOW_LEVELS;
    for (int l = 0; l < levels; l++) {
        if (l > run->desc->machine_level[space->lps]) break;
        number_units(run, space, l);
    }
    if (space->level_count > 0 && space->unit_count[space->level_count - 1] == space->ppu_count) return;
    if (space->level_count == HP5_SHOW_LEVELS) return;
    int k = space->level_count++;
    space->level[k] = -1;
    space->unit_count[k] = space->ppu_count;
    space->unit_of[k] = hp5_alloc((int64_t)sizeof(int) * run->hidden->threads, "a mapping's picture");
    memcpy(space->unit_of[k], space->ppu_of, sizeof(int) * (size_t)run->hidden->threads);
}

/* ---- Grids ---------------------------------------------------------------------------------------- */

typedef struct Walk {
    Hp5TaskRun *run;
    int path[64], depth;
    void (*visit)(Hp5Lpu *parent, Hp5Grid *grid, void *data);
    void *data;
} Walk;

static void walk(const Walk *w, int at, Hp5Lpu *lpu) {
    Hp5Grid *grid = &lpu->children[w->run->hidden->geometry.shapes[w->path[at]].slot];
    if (at == 0) {
        w->visit(lpu, grid, w->data);
        return;
    }
    for (int64_t i = 0; i < grid->count; i++) walk(w, at - 1, &grid->lpus[i]);
}

void hp5_show_each_grid(Hp5TaskRun *run, int lps, void (*visit)(Hp5Lpu *, Hp5Grid *, void *), void *data) {
    Walk w = {.run = run, .visit = visit, .data = data};
    for (int x = lps; x > 0 && w.depth < 64; x = run->desc->lpses[x].parent) w.path[w.depth++] = x;
    walk(&w, w.depth - 1, &run->root);
}

typedef struct Look {
    Hp5TaskRun *run;
    Hp5ShowSpace *space;
} Look;

static bool are_alike(const Hp5TaskRun *run, const Hp5ShowKind *kind, const Hp5Lpu *parent, const Hp5Grid *grid) {
    if (memcmp(kind->grid->extent, grid->extent, sizeof *grid->extent * (size_t)run->desc->lpses[grid->lps].dims) != 0) return false;
    if (hp5_show_span(run, kind->parent).count != hp5_show_span(run, parent).count) return false;
    if ((kind->grid->placed == NULL) != (grid->placed == NULL)) return false;
    return grid->placed == NULL || kind->grid->placed->owner == grid->placed->owner ||
           memcmp(kind->grid->placed->owner, grid->placed->owner, sizeof *grid->placed->owner * (size_t)grid->count) == 0;
}

static void look_at_part(const Hp5View *view, int rank, bool first, Hp5ShowPart *part) {
    for (int d = 0; d < rank; d++) {
        int64_t front = view->own[d].begin - view->part[d].begin, back = view->part[d].end - view->own[d].end;
        int64_t own = hp5_set_is_interval(&view->part[d]) ? view->own[d].end - view->own[d].begin : hp5_set_count(&view->part[d]);
        if (first || own < part->least[d]) part->least[d] = own;
        if (first || own > part->most[d]) part->most[d] = own;
        if (hp5_set_is_interval(&view->part[d])) {
            if (front > part->front[d]) part->front[d] = front;
            if (back > part->back[d]) part->back[d] = back;
        }
    }
}

static void look_at_grid(Hp5Lpu *parent, Hp5Grid *grid, void *data) {
    Look *look = data;
    Hp5ShowSpace *space = look->space;
    const Hp5TaskDesc *desc = look->run->desc;
    int k = 0;
    while (k < space->kind_count && !are_alike(look->run, &space->kinds[k], parent, grid)) k++;
    if (k < space->kind_count) space->kinds[k].count++;
    else if (k < HP5_SHOW_KINDS) space->kinds[space->kind_count++] = (Hp5ShowKind){grid, parent, 1};
    else space->other_grids++;
    struct Hp5ShowSpan above = hp5_show_span(look->run, parent);
    for (int64_t i = 0; i < grid->count; i++) {
        Hp5Span span = hp5_lpu_span(&look->run->hidden->geometry, grid, i, (Hp5Span){above.first, above.count});
        if (space->load) space->load[space->ppu_of[span.first]]++;
        for (int v = 0; v < space->part_count; v++)
            look_at_part(&grid->lpus[i].views[v], desc->arrays[space->parts[v].array].rank, space->lpus == 0 && i == 0, &space->parts[v]);
    }
    space->grids++;
    space->lpus += grid->count;
}

/* ---- A Space, a task -------------------------------------------------------------------------------- */

/* Nobody knows before who runs its LPUs: they, or those around them, go to whoever is free. */
static bool is_dynamic(const Hp5TaskDesc *desc, int lps) {
    for (int x = lps; x > 0 && desc->places; x = desc->lpses[x].parent)
        if (desc->places[x].dynamic) return true;
    return false;
}

static void collect_space(Hp5TaskRun *run, int lps, Hp5ShowSpace *space) {
    const Hp5LpsDesc *desc = &run->desc->lpses[lps];
    *space = (Hp5ShowSpace){.lps = lps, .threads = run->hidden->threads, .part_count = desc->var_count};
    number_ppus(run, space);
    number_levels(run, space);
    bool dynamic = is_dynamic(run->desc, lps);
    if (!dynamic) space->load = hp5_alloc_zeroed((int64_t)sizeof *space->load * space->ppu_count, "a mapping's picture");
    space->parts = hp5_alloc_zeroed((int64_t)sizeof *space->parts * (desc->var_count + 1), "a mapping's picture");
    for (int v = 0; v < desc->var_count; v++) {
        space->parts[v].array = desc->vars[v].array;
        space->parts[v].padded = hp5_has_padding(run->desc, lps, v);
        space->padded = space->padded || space->parts[v].padded;
    }
    hp5_show_each_grid(run, lps, look_at_grid, &(Look){run, space});
    if (!space->padded || dynamic) return;
    hp5_show_count_bytes(run, space, false, &space->bytes);
    hp5_show_count_bytes(run, space, true, &space->plain);
}

Hp5ShowTask *hp5_show_collect(Hp5TaskRun *run) {
    Hp5ShowTask *task = hp5_alloc_zeroed(sizeof *task, "a mapping's picture");
    task->run = run;
    task->threads = run->hidden->threads;
    task->spaces = hp5_alloc_zeroed((int64_t)sizeof *task->spaces * run->desc->lps_count, "a mapping's picture");
    for (int x = 1; x < run->desc->lps_count; x++)
        if (!run->desc->lpses[x].sub_partition) collect_space(run, x, &task->spaces[task->space_count++]);
    return task;
}

void hp5_show_free(Hp5ShowTask *task) {
    for (int i = 0; i < task->space_count; i++) {
        Hp5ShowSpace *space = &task->spaces[i];
        hp5_free(space->ppu_of);
        hp5_free(space->load);
        hp5_free(space->parts);
        hp5_free(space->bytes.matrix);
        hp5_free(space->plain.matrix);
        for (int k = 0; k < space->level_count; k++) hp5_free(space->unit_of[k]);
    }
    hp5_free(task->spaces);
    hp5_free(task);
}
