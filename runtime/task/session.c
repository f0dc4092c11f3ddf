/* Sessions: see session.h. Everything here runs on the main thread, but for hp5_walk and hp5_place. */
#include "runtime/generated.h"
#include <stdlib.h>
#include <string.h>

typedef struct Hp5Kept { struct Hp5Kept *next; void *memory; int items; } Hp5Kept;
typedef struct Hp5Output { struct Hp5Output *next; Hp5Item **item; const char *path, *name; } Hp5Output;

void hp5_session_begin(Hp5Session *session, const Hp5Options *options) {
    *session = (Hp5Session){.options = options};
    session->last_output = &session->outputs;
}

static void write_outputs(Hp5Session *session) {
    for (Hp5Output *output = session->outputs; output != NULL; output = output->next) {
        if (*output->item == NULL)
            hp5_fail(HP5_EXIT_FAILURE, "output %s was bound to \"%s\", but no task has made it", output->name, output->path);
        hp5_item_write(*output->item, output->path, output->name);
    }
}

void hp5_session_end(Hp5Session *session) {
    write_outputs(session);
    while (session->outputs != NULL) {
        Hp5Output *output = session->outputs;
        session->outputs = output->next;
        hp5_free(output);
    }
    while (session->kept != NULL) {
        Hp5Kept *kept = session->kept;
        session->kept = kept->next;
        for (int i = 0; i < kept->items; i++)
            if (((Hp5Item **)kept->memory)[i] != NULL) hp5_item_release(((Hp5Item **)kept->memory)[i]);
        hp5_free(kept->memory);
        hp5_free(kept);
    }
    if (session->team != NULL) hp5_team_destroy(session->team);
    session->team = NULL;
}

void *hp5_session_keep(Hp5Session *session, size_t size, int items) {
    Hp5Kept *kept = hp5_alloc(sizeof *kept, "an environment");
    *kept = (Hp5Kept){session->kept, hp5_alloc_zeroed((int64_t)size, "an environment"), items};
    session->kept = kept;
    return kept->memory;
}

Hp5Item *hp5_session_item(Hp5Session *session, Hp5Item *item) {
    Hp5Item **place = hp5_session_keep(session, sizeof(Hp5Item *), 1);
    *place = item;
    return item;
}

void hp5_session_output(Hp5Session *session, Hp5Item **item, const char *path, const char *name) {
    for (const Hp5Output *output = session->outputs; output != NULL; output = output->next)
        if (strcmp(output->path, path) == 0)
            hp5_fail(HP5_EXIT_USAGE, "outputs %s and %s are both bound to \"%s\"", output->name, name, path);
    Hp5Output *output = hp5_alloc(sizeof *output, "an output binding");
    *output = (Hp5Output){.item = item, .path = path, .name = name};
    *session->last_output = output;
    session->last_output = &output->next;
}

/* ---- Runs ------------------------------------------------------------------------------------------- */
Hp5TaskRun *hp5_session_prepare(Hp5Session *session, const Hp5TaskDesc *task, const int64_t *args, Hp5Item **items, void *globals) {
    int *counts = hp5_alloc(task->lps_count * (int64_t)sizeof *counts, "level counts");
    hp5_level_counts(task, session->options->machine, session->options->threads, counts);
    int threads = hp5_threads_needed(task, counts);
    if (session->team != NULL && hp5_team_size(session->team) != threads) {
        hp5_team_destroy(session->team);
        session->team = NULL;
    }
    if (session->team == NULL) session->team = hp5_team_create(threads, true);
    Hp5TaskRun *run = hp5_run_prepare(task, session->team, counts, args, items, globals);
    hp5_free(counts);
    return run;
}

void hp5_session_run(Hp5Session *session, Hp5TaskRun *run, void (*flow)(Hp5Worker *worker)) {
    for (int t = 0; t < hp5_team_size(session->team); t++) run->workers[t].timing = session->options->timing;
    hp5_run_execute(run, flow);
    if (session->options->timing) hp5_run_report(run);
}

void hp5_require(bool given, const char *variable, const char *task) {
    if (!given)
        hp5_fail(HP5_EXIT_FAILURE, "task \"%s\" links %s, but its environment does not hold it: bind an input to it or share it from another environment",
                 task, variable);
}

/* ---- Items --------------------------------------------------------------------------------------------- */
void hp5_item_bounds(const Hp5Item *item, Hp5Range *ranges) {
    for (int d = 0; d < item->rank; d++) ranges[d] = (Hp5Range){item->lo[d], item->lo[d] + item->extent[d] - 1};
}

Hp5Item *hp5_item_create(const char *name, const Hp5Element *element, int rank, const Hp5Range *ranges) {
    int64_t lo[HP5_MAX_RANK], extent[HP5_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        if (ranges[d].max < ranges[d].min)
            hp5_fail(HP5_EXIT_FAILURE, "array %s is empty in dimension %d: Initialize gave it the bounds [%lld...%lld]", name, d + 1,
                     (long long)ranges[d].min, (long long)ranges[d].max);
        lo[d] = ranges[d].min;
        extent[d] = hp5_range_length(ranges[d]);
    }
    return hp5_item_zeroed(name, element, rank, lo, extent);
}

void hp5_item_replace(Hp5Item **place, Hp5Item *item) {
    if (*place != NULL) hp5_item_release(*place);
    *place = item;
}

/* ---- LPUs ---------------------------------------------------------------------------------------------------- */
/* Position of `child` among its parent's children, which stand in the order of their numbers. */
static int child_slot(const Hp5TaskDesc *desc, int child) {
    int slot = 0;
    for (int i = 0; i < child; i++) slot += desc->lpses[i].parent == desc->lpses[child].parent;
    return slot;
}

void hp5_each_lpu(Hp5TaskRun *run, int lps, void (*start)(Hp5Lpu *lpu, void *data), void *data) {
    int path[64], depth = 0;
    for (int l = lps; l > 0 && depth < 64; l = run->desc->lpses[l].parent) path[depth++] = child_slot(run->desc, l);
    if (depth == 0) {
        start(&run->root, data);
        return;
    }
    /* Depth first through the grids: position[k] is the LPU's number at level k of the path. */
    int64_t position[64] = {0};
    Hp5Grid *grids[64];
    int level = 0;
    grids[0] = hp5_child(&run->root, path[depth - 1]);
    while (level >= 0) {
        if (position[level] == grids[level]->count) {
            level--;
            if (level >= 0) position[level]++;
        } else if (level == depth - 1) {
            start(&grids[level]->lpus[position[level]++], data);
        } else {
            Hp5Lpu *lpu = &grids[level]->lpus[position[level]];
            level++;
            grids[level] = hp5_child(lpu, path[depth - 1 - level]);
            position[level] = 0;
        }
    }
}

int64_t hp5_walk(const Hp5Worker *worker, const Hp5Grid *grid, int64_t position) {
    const Hp5LpsDesc *lps = &worker->run->desc->lpses[grid->lps];
    if (!lps->ordered) return position;
    int64_t number = 0, rest = position, weight = 1;
    for (int d = lps->dims - 1; d >= 0; d--) {
        int64_t coordinate = rest % grid->extent[d];
        bool descends = false;
        for (int v = 0; v < lps->var_count; v++) descends = descends || lps->vars[v].dims[d].descends;
        number += (descends ? grid->extent[d] - 1 - coordinate : coordinate) * weight;
        weight *= grid->extent[d];
        rest /= grid->extent[d];
    }
    return number;
}

const void *hp5_place(const Hp5View *view, int lag, const int64_t *index, const char *name, const char *file, int line) {
    const Hp5Store *store = view->store;
    int64_t offset = 0;
    for (int d = 0; d < store->rank; d++) {
        if (!hp5_set_contains(&view->part[d], index[d]))
            hp5_fail_at(file, line, "index %lld of %s lies outside the LPU's part in dimension %d", (long long)index[d], name, d + 1);
        offset += (index[d] - store->lo[d]) * store->stride[d];
    }
    return store->version[lag] + offset * (int64_t)store->element_size;
}
