/* Sessions: see session.h. Everything here runs on the main thread, but for hp5_walk and hp5_place. */
#include "runtime/card/cargo.h"
#include "runtime/card/resident.h"
#include "runtime/card/sides.h"
#include "runtime/comm/accounts.h"
#include "runtime/generated.h"
#include "runtime/io/files.h"
#include "runtime/report/crash.h"
#include "runtime/show/show.h"
#include "runtime/predict/table.h"
#include "runtime/run/private.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Hp5Kept {
    struct Hp5Kept *next;
    void *memory;
    int items;
} Hp5Kept;
typedef struct Hp5Output {
    struct Hp5Output *next;
    Hp5Item **item;
    const char *path, *name;
} Hp5Output;

/* Without computing there is nothing to write. */
static bool computes(const Hp5Session *session) { return !session->options->predict && !session->options->simulate && session->show == NULL; }

static void show_run(Hp5TaskRun *run, void *show) { hp5_show_run(show, run); }

void hp5_session_begin(Hp5Session *session, const Hp5Options *options) {
    *session = (Hp5Session){.options = options};
    session->last_output = &session->outputs;
    hp5_crash_describe(hp5_say_where);
    if (options->report_comm) hp5_accounts_want_report();
    if (hp5_comm_rank() > 0) hp5_print_mute(); /* the first process says what the Program says */
    session->schedule = hp5_schedule_create(options);
    session->show = hp5_show_create(options);
    if (options->trace) {
        hp5_file_reserve(options->trace, "--trace");
        hp5_card_trace_begin();
    }
    if (options->mapping_svg) hp5_file_reserve(options->mapping_svg, "--mapping-svg");
    if (session->show == NULL) return;
    hp5_print_mute();
    hp5_schedule_watch(session->schedule, show_run, session->show);
}

static void write_outputs(Hp5Session *session) {
    for (Hp5Output *output = session->outputs; output != NULL; output = output->next) {
        if (*output->item == NULL)
            hp5_fail(HP5_EXIT_FAILURE, "output %s was bound to \"%s\", but no task has made it", output->name,
                     output->path);
        hp5_item_write(*output->item, output->path, output->name);
    }
}

/* They would come back from cards. */
static void predict_outputs(const Hp5Session *session) {
    for (const Hp5Output *output = session->outputs; output != NULL; output = output->next) {
        const Hp5Item *item = *output->item;
        if (item == NULL) continue;
        hp5_resident_fetch(*output->item);
        if (item->spread != NULL) hp5_sides_fetch(item->spread, item->spread_array);
    }
    hp5_predict_card_outputs();
}

void hp5_session_end(Hp5Session *session) {
    hp5_schedule_wait(session->schedule, NULL);
    if (computes(session)) write_outputs(session);
    if (session->options->predict) predict_outputs(session);
    if (session->options->timing) hp5_card_report();
    if (session->options->report_comm && session->show == NULL) hp5_comm_report();
    hp5_show_destroy(session->show);
    hp5_schedule_destroy(session->schedule);
    hp5_print_flush();
    hp5_texts_free();
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
    if (computes(session)) hp5_file_writes(path, name, true);
    Hp5Output *output = hp5_alloc(sizeof *output, "an output binding");
    *output = (Hp5Output){.item = item, .path = path, .name = name};
    *session->last_output = output;
    session->last_output = &output->next;
}

/* ---- Executions ------------------------------------------------------------------------------------- */
/* Once, of all tasks of the program: models without segments have one process, however many were started. */
static void warn_of_idle_processes(Hp5Session *session, const Hp5TaskDesc *const *tasks, int count) {
    if (session->is_checked) return;
    session->is_checked = true;
    for (int t = 0; t < count; t++)
        for (int l = 0; l < tasks[t]->machine_level_count; l++)
            if (tasks[t]->machine_levels[l].segment) return;
    if (hp5_comm_size() > 1)
        hp5_warn("%d of %d processes have nothing to do: the program was compiled for a model without <segment>, that is, for one process\n"
                 "  give hp5c the model of a cluster with --model, and a mapping to it", hp5_comm_size() - 1, hp5_comm_size());
}

void hp5_session_tasks(Hp5Session *session, const Hp5TaskDesc *const *tasks, int count) {
    warn_of_idle_processes(session, tasks, count);
    hp5_schedule_tasks(session->schedule, tasks, count);
}

void *hp5_session_values(size_t size) { return hp5_alloc_zeroed((int64_t)size, "a task's values"); }

void hp5_session_execute(Hp5Session *session, const Hp5Launch *launch, const int64_t *args, Hp5Item **items,
                         void *values, void *environment) {
    warn_of_idle_processes(session, &launch->task, 1); /* no hp5_session_tasks: it is the only one */
    hp5_schedule_execute(session->schedule, launch, args, items, values, environment);
}

void *hp5_session_ready(Hp5Session *session, void *environment) {
    hp5_schedule_wait(session->schedule, environment);
    return environment;
}

/* What follows depends on a result, which a prediction has not. */
static void end_of_prediction(Hp5Session *session, const char *variable, const char *task, const char *file, int line) {
    if (hp5_comm_rank() == 0)
        printf("%s:%d: the %s ends here: what follows needs '%s' of task '%s'\n", file, line,
               session->options->simulate ? "simulation" : "prediction", variable, task);
    hp5_session_end(session);
    hp5_comm_end();
    exit(EXIT_SUCCESS);
}

void *hp5_session_scalar(Hp5Session *session, void *environment, size_t has, const char *variable,
                         const char *task, const char *file, int line) {
    hp5_schedule_wait(session->schedule, environment);
    if (session->options->predict || session->options->simulate) end_of_prediction(session, variable, task, file, line);
    if (!*(const bool *)((const char *)environment + has))
        hp5_fail_at(file, line,
                    "the environment of task '%s' has no value for '%s' yet; execute the task first", task,
                    variable);
    return environment;
}

void hp5_session_store(Hp5Session *session, Hp5Item *item, const char *path) {
    hp5_schedule_wait(session->schedule, NULL);
    if (!computes(session)) return;
    hp5_file_writes(path, "store_array", false);
    hp5_item_write(item, path, "store_array");
    hp5_file_written(path);
}

void hp5_require(bool given, const char *variable, const char *task) {
    if (!given)
        hp5_fail(HP5_EXIT_FAILURE,
                 "task \"%s\" links %s, but its environment does not hold it: bind an input to it or share "
                 "it from another environment",
                 task, variable);
}

/* ---- Items --------------------------------------------------------------------------------------------- */
void hp5_item_bounds(const Hp5Item *item, Hp5Range *ranges) {
    for (int d = 0; d < item->rank; d++)
        ranges[d] = (Hp5Range){item->lo[d], item->lo[d] + item->extent[d] - 1};
}

Hp5Item *hp5_item_shared(Hp5Item *item, const char *variable, const char *task, const char *file, int line) {
    if (item == NULL)
        hp5_fail_at(file, line,
                    "the environment of task '%s' has no data for '%s' yet; execute the task first", task,
                    variable);
    return hp5_item_retain(item);
}

void hp5_set_bound(int64_t *bound, int64_t value, bool linked, const char *what, int dimension,
                   const char *variable, const char *file, int line) {
    if (linked && *bound != value)
        hp5_fail_at(file, line,
                    "Initialize sets the %s of dimension %d of '%s' to %lld, but the linked array has %lld",
                    what, dimension + 1, variable, (long long)value, (long long)*bound);
    *bound = value;
}

/* No array has a first index this large, or a last one this small. */
static const Hp5Range no_bounds = {INT64_MAX, INT64_MIN};

void hp5_no_bounds(Hp5Range *ranges, int rank) {
    for (int d = 0; d < rank; d++) ranges[d] = no_bounds;
}

Hp5Item *hp5_item_create(const char *name, const Hp5Element *element, int rank, const Hp5Range *ranges,
                         const char *task, const char *file, int line) {
    int64_t lo[HP5_MAX_RANK], extent[HP5_MAX_RANK];
    for (int d = 0; d < rank; d++) {
        bool has_min = ranges[d].min != no_bounds.min, has_max = ranges[d].max != no_bounds.max;
        if (!has_min || !has_max)
            hp5_fail_at(file, line, "task '%s': Initialize sets no %s for dimension %d of '%s'", task,
                        has_min   ? "max"
                        : has_max ? "min"
                                  : "bounds",
                        d + 1, name);
        if (ranges[d].max < ranges[d].min)
            hp5_fail(HP5_EXIT_FAILURE,
                     "array %s is empty in dimension %d: Initialize gave it the bounds [%lld...%lld]", name,
                     d + 1, (long long)ranges[d].min, (long long)ranges[d].max);
        lo[d] = ranges[d].min;
        extent[d] = hp5_range_length(ranges[d]);
    }
    return hp5_item_zeroed(name, element, rank, lo, extent);
}

void hp5_item_replace(Hp5Item **place, Hp5Item *item) {
    if (*place != NULL) hp5_item_release(*place);
    *place = item;
}

/* ---- LPUs
 * ---------------------------------------------------------------------------------------------------- */
/* Position of `child` among its parent's children, which stand in the order of their numbers. */
static int child_slot(const Hp5TaskDesc *desc, int child) {
    int slot = 0;
    for (int i = 0; i < child; i++) slot += desc->lpses[i].parent == desc->lpses[child].parent;
    return slot;
}

void hp5_each_lpu(Hp5TaskRun *run, int lps, void (*start)(Hp5Lpu *lpu, void *data), void *data) {
    int path[64], depth = 0;
    for (int l = lps; l > 0 && depth < 64; l = run->desc->lpses[l].parent)
        path[depth++] = child_slot(run->desc, l);
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
        if (position[level] == grids[level]->own) {
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
    bool descends[HP5_MAX_RANK];
    if (!lps->ordered) return position;
    hp5_descends(lps, descends);
    return hp5_walked(grid, lps->dims, descends, position);
}

const void *hp5_place(const Hp5View *view, int lag, const int64_t *index, const char *name, const char *file,
                      int line) {
    const Hp5Store *store = view->store;
    for (int d = 0; d < store->rank; d++) {
        if (!hp5_set_contains(&view->part[d], index[d]))
            hp5_fail_at(file, line, "index %lld of %s lies outside the LPU's part in dimension %d",
                        (long long)index[d], name, d + 1);
    }
    return store->version[lag] + hp5_store_offset(store, index) * (int64_t)store->element_size;
}

const void *hp5_place_whole(const Hp5View *view, int lag, const int64_t *index, const char *name, const char *file, int line,
                            void *element) {
    hp5_place(view, lag, index, name, file, line); /* looks at the index */
    hp5_element_gather(view->store, lag, hp5_store_offset(view->store, index), element);
    return element;
}

/* ---- Rounds together
 * ------------------------------------------------------------------------------------------ */
Hp5Rounds *hp5_rounds_new(const Hp5Grid *grid) {
    return hp5_alloc_zeroed((grid->count > 0 ? grid->count : 1) * (int64_t)sizeof(Hp5Rounds),
                            "the rounds of LPUs");
}

void hp5_rounds_ask(const Hp5Worker *worker, Hp5Rounds *rounds, bool condition) {
    rounds->left = worker->predicting ? rounds->next++ < hp5_cost_rounds(worker) : condition;
}
