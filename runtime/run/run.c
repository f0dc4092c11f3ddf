/* One run of a task, from its tables to its end. hp5_run_prepare is the list of what is built;
 * hp5_run_execute may follow any number of times. */
#include "runtime/card/execute.h"
#include "runtime/predict/predict.h"
#include "runtime/run/memory_footprint.h"
#include "runtime/report/crash.h"
#include "runtime/run/private.h"
#include <stdio.h>
#include <string.h>

/* ---- Prepare ------------------------------------------------------------------------------------- */

static void create_sites(Hp5TaskRun *run) {
    for (int r = 0; r < run->desc->reduce_count; r++) {
        const Hp5ReduceDesc *desc = &run->desc->reductions[r];
        Hp5Site *site = &run->hidden->sites[r];
        int64_t lpus = run->hidden->geometry.shapes[desc->from].lpus;
        site->partials = hp5_alloc_zeroed(lpus * (int64_t)desc->size + 1, "reductions");
        site->present = hp5_alloc_zeroed(lpus + 1, "reductions");
    }
}

static void bind_items(Hp5TaskRun *run, Hp5Item **items) {
    for (int a = 0; a < run->desc->array_count; a++) {
        Hp5Item *before = run->items[a];
        run->items[a] = hp5_item_retain(items[a]);
        hp5_item_release(before);
    }
}

/* With several segments, PPUs have whole ones, or lie in one. */
static void create_segments(Hp5TaskRun *run, const Hp5RunPlace *place) {
    Hp5Geometry *geometry = &run->hidden->geometry;
    int count = place->segments->segments, each = place->segments->each;
    int *starts = hp5_alloc((int64_t)sizeof *starts * (count + 1), "a task");
    for (int s = 0; s <= count; s++) starts[s] = s * each;
    geometry->ppus = count * each;
    geometry->mine = place->mine;
    geometry->each = each;
    geometry->within = hp5_alloc((int64_t)sizeof(int) * run->desc->lps_count, "a task");
    memcpy(geometry->within, place->segments->within, sizeof(int) * (size_t)run->desc->lps_count);
    run->hidden->segments = (Hp5Segments){.count = count, .me = place->mine.first / each, .starts = starts, .first_rank = place->first_rank};
}

/* The partition arguments and counts are copies: the caller's may go away. */
static void create_geometry(Hp5TaskRun *run, const Hp5RunPlace *place, const int64_t *args) {
    const Hp5TaskDesc *desc = run->desc;
    Hp5Geometry *geometry = &run->hidden->geometry;
    geometry->desc = desc;
    geometry->idle_scout = &run->hidden->idle_scout;
    run->args = geometry->args = hp5_alloc((int64_t)sizeof(int64_t) * (desc->arg_count + 1), "a task");
    if (desc->arg_count > 0) memcpy(geometry->args, args, sizeof *args * (size_t)desc->arg_count);
    geometry->level_counts = hp5_alloc((int64_t)sizeof(int) * (desc->lps_count + 1), "a task");
    memcpy(geometry->level_counts, place->level_counts, sizeof(int) * (size_t)desc->lps_count);
    if (place->machine_counts && desc->machine_level_count > 0) {
        geometry->machine_counts = hp5_alloc((int64_t)sizeof(int) * desc->machine_level_count, "a task");
        memcpy(geometry->machine_counts, place->machine_counts, sizeof(int) * (size_t)desc->machine_level_count);
    }
    if (place->segments) {
        create_segments(run, place);
    } else {
        int needed = hp5_threads_needed(desc, place->level_counts), threads = hp5_team_size(run->team);
        geometry->ppus = place->mine.count > 0 || needed < threads ? needed : threads;
        if (desc->card != NULL) geometry->ppus = place->mine.count; /* more than threads can be */
        geometry->mine = place->mine.count > 0 ? place->mine : (Hp5Span){0, geometry->ppus};
        run->hidden->segments.count = 1;
    }
    run->hidden->threads = geometry->mine.count;
    hp5_shapes_create(geometry);
}

static void free_geometry(Hp5Geometry *geometry) {
    hp5_free(geometry->args);
    hp5_free(geometry->level_counts);
    hp5_free(geometry->machine_counts);
    hp5_free(geometry->within);
    hp5_free(geometry->shapes);
}

static void create_root(Hp5TaskRun *run) {
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
        root->views[v] = (Hp5View){.store = &run->hidden->stores.roots[desc->vars[v].array], .part = sets, .own = own}; /* its bounds, where the elements are elsewhere */
    }
    if (desc->scalars_size > 0) {
        root->scalars = hp5_slab_take(slab, (int64_t)desc->scalars_size);
        memset(root->scalars, 0, desc->scalars_size);
    }
}

static void grid_made(Hp5Lpu *parent, Hp5Grid *grid, void *run) {
    if (!hp5_team_is_imagined(((Hp5TaskRun *)run)->team)) hp5_stores_of_grid(&((Hp5TaskRun *)run)->hidden->stores, parent, grid);
}

/* The LPUs that each target of a reduction has below it. */
static void note_range(int lps, const Hp5Lpu *lpu, bool after, const int64_t *next_flat, void *data) {
    const Hp5TaskRun *run = data;
    for (int r = 0; r < run->desc->reduce_count; r++) {
        Hp5Site *site = &run->hidden->sites[r];
        const Hp5ReduceDesc *desc = &run->desc->reductions[r];
        if (desc->to != lps || desc->from == lps) continue;
        if (lpu->flat >= site->capacity) {
            int64_t capacity = site->capacity * 2 > lpu->flat + 1 ? site->capacity * 2 : lpu->flat + 1;
            int64_t *begin = hp5_alloc(capacity * (int64_t)sizeof *begin, "reductions");
            int64_t *end = hp5_alloc(capacity * (int64_t)sizeof *end, "reductions");
            if (site->capacity > 0) {
                memcpy(begin, site->begin, sizeof *begin * (size_t)site->capacity);
                memcpy(end, site->end, sizeof *end * (size_t)site->capacity);
            }
            hp5_free(site->begin);
            hp5_free(site->end);
            *site = (Hp5Site){site->partials, site->present, begin, end, capacity};
        }
        (after ? site->end : site->begin)[lpu->flat] = next_flat[desc->from];
    }
}

static void create_lpus(Hp5TaskRun *run) {
    create_root(run);
    hp5_tree_create(&(Hp5TreeBuild){.geometry = &run->hidden->geometry,
                                    .root = &run->root,
                                    .slab = &run->hidden->slab,
                                    .pool = &run->hidden->pool,
                                    .grid = grid_made,
                                    .around = note_range,
                                    .data = run});
}

Hp5TaskRun *hp5_run_prepare(const Hp5TaskDesc *desc, Hp5Team *team, const int *level_counts, const int64_t *args, Hp5Item **items,
                            void *globals) {
    return hp5_run_prepare_at(desc, team, &(Hp5RunPlace){.level_counts = level_counts}, args, items, globals);
}

Hp5TaskRun *hp5_run_prepare_segment(const Hp5TaskDesc *desc, Hp5Team *team, const int *level_counts, const int *machine_counts,
                                    Hp5Span mine, const int64_t *args, Hp5Item **items, void *globals) {
    const Hp5RunPlace place = {.level_counts = level_counts, .machine_counts = machine_counts, .mine = mine};
    return hp5_run_prepare_at(desc, team, &place, args, items, globals);
}

static _Atomic int64_t runs_made;

Hp5TaskRun *hp5_run_prepare_at(const Hp5TaskDesc *desc, Hp5Team *team, const Hp5RunPlace *place, const int64_t *args, Hp5Item **items,
                               void *globals) {
    hp5_check_args(desc, args);
    Hp5TaskRun *run = hp5_alloc_zeroed(sizeof *run, "a task");
    Hp5RunPrivate *hidden = run->hidden = hp5_alloc_zeroed(sizeof *hidden, "a task");
    run->desc = desc;
    run->team = team;
    run->globals = globals;
    hidden->references = 1;
    hidden->serial = ++runs_made;
    hidden->spares = hp5_alloc_zeroed((int64_t)sizeof(void *) * (desc->array_count + 1), "a task");
    run->strays = hp5_alloc_zeroed((int64_t)sizeof(bool) * (desc->gather_groups + 1), "a task");
    run->items = hp5_alloc_zeroed((int64_t)sizeof *run->items * (desc->array_count + 1), "a task");
    hidden->sites = hp5_alloc_zeroed((int64_t)sizeof *hidden->sites * (desc->reduce_count + 1), "reductions");
    create_geometry(run, place, args);
    bind_items(run, items);
    hp5_footprint_check(run);
    hp5_workers_create(run);
    hidden->stores = (Hp5Stores){.geometry = &hidden->geometry, .slab = &hidden->slab};
    bool whole = !hp5_has_processes(run) && !hp5_team_is_imagined(team); /* else less is held, or nobody will look at elements */
    hp5_roots_create(&hidden->stores, run->items, whole);
    create_lpus(run);
    if (hp5_has_processes(run)) hp5_rooms_create(run);
    hp5_exchanges_create(run);
    hp5_moves_create(run);
    hp5_watched_create(run);
    hp5_limits_create(run);
    hp5_collect_create(run);
    create_sites(run);
    if (hp5_has_processes(run)) {
        hp5_across_create(run);
        hp5_share_create(run);
    }
    return run;
}

/* ---- Execute ---------------------------------------------------------------------------------------- */

typedef struct Execution {
    Hp5TaskRun *run;
    void (*flow)(Hp5Worker *worker);
} Execution;

static void flow_on_thread(int rank, void *data) {
    const Execution *execution = data;
    if (rank >= execution->run->hidden->threads) return;
    Hp5Worker *worker = &execution->run->workers[rank];
    double begin = worker->trace ? hp5_now() : 0;
    hp5_crash_enter(worker);
    execution->flow(worker);
    hp5_crash_enter(NULL);
    const Hp5TaskDesc *desc = execution->run->desc;
    if (worker->trace) hp5_trace_span(worker->trace, (Hp5TraceSpan){desc->name, (int)desc->ppu_first + rank, HP5_SPAN_TASK, begin, hp5_now(), 0, 0});
}

/* For the report alone: short tasks would spend a tenth of their time with reading the clock. */
static double clock_for_report(const Hp5TaskRun *run) { return run->hidden->is_timed ? hp5_now() : 0; }

/* Processes whose task is timed begin and end it together: that one is still reading its share is no time of the task, and that one is
 * still at work is. */
static double meet_for_report(const Hp5TaskRun *run) {
    if (run->hidden->meets && run->hidden->segments.count > 1) {
        Hp5Peers peers = hp5_peers_of(run, (Hp5Span){0, run->hidden->geometry.ppus});
        hp5_comm_barrier(peers, HP5_TAG_TELL);
        hp5_free((void *)peers.ranks);
    }
    return clock_for_report(run);
}

void hp5_run_execute(Hp5TaskRun *run, void (*flow)(Hp5Worker *worker)) {
    if (run->desc->card != NULL) {
        hp5_card_execute(run, flow);
        return;
    }
    double begin = clock_for_report(run);
    if (!hp5_has_processes(run)) hp5_stores_fill(run);
    if (!hp5_comm_is_imagined()) hp5_gathers_look(run);
    if (hp5_has_processes(run)) hp5_products_count(run);
    run->hidden->fill_seconds = meet_for_report(run) - begin + run->hidden->share_seconds;
    hp5_cost_remember(run);
    for (int t = 0; t < run->hidden->threads; t++) run->workers[t].counted = 0;
    Execution execution = {run, flow};
    hp5_stamps_level(run);
    hp5_limits_start(run);
    begin = clock_for_report(run);
    hp5_team_run(run->team, flow_on_thread, &execution);
    run->hidden->flow_seconds = meet_for_report(run) - begin;
    if (!hp5_has_processes(run)) hp5_stores_return(run);
}

/* The memory of an item that only the run still knows serves the item that takes its place. */
static void keep_spare(Hp5TaskRun *run, int array) {
    Hp5Item *item = run->items[array];
    if (item->references > 1 || item->memory == NULL || run->hidden->spares[array] != NULL ||
        run->desc->arrays[array].home != 0 || !hp5_layout_same(item->layout, hp5_layout_of(run->desc, array)))
        return;
    run->hidden->spares[array] = item->memory;
    item->memory = item->data = NULL;
}

void hp5_run_rebind(Hp5TaskRun *run, Hp5Item **items) {
    pthread_mutex_lock(&hp5_item_lock);
    for (int a = 0; a < run->desc->array_count; a++) {
        Hp5Item *item = run->items[a];
        if (item == items[a]) continue;
        if (item->spread == run && item->references > 1) hp5_item_gather(item); /* somebody still wants the old elements */
        else if (item->spread == run) hp5_item_unspread(item);
        keep_spare(run, a);
    }
    bind_items(run, items);
    pthread_mutex_unlock(&hp5_item_lock);
}

int hp5_run_fits(const Hp5TaskRun *run, const Hp5TaskDesc *desc, const int64_t *args, Hp5Item *const *items) {
    if (run->desc != desc) return -1;
    if (desc->arg_count > 0 && memcmp(run->args, args, sizeof *args * (size_t)desc->arg_count) != 0) return -1;
    int moves = 0;
    for (int a = 0; a < desc->array_count; a++) {
        const Hp5Store *root = &run->hidden->stores.roots[a];
        for (int d = 0; d < desc->arrays[a].rank; d++)
            if (root->array_lo[d] != items[a]->lo[d] || root->array_extent[d] != items[a]->extent[d]) return -1;
        const Hp5Item *held = run->items[a];
        if (held == items[a]) continue;
        pthread_mutex_lock(&hp5_item_lock); /* another lane may be taking its elements */
        if (held->spread == run && held->references > 1) moves++;
        pthread_mutex_unlock(&hp5_item_lock);
        if (moves > 0 && hp5_has_processes(run)) return -1; /* nobody gathers what lies in several */
    }
    return moves;
}

/* ---- Release ------------------------------------------------------------------------------------------ */

void hp5_run_unreference(Hp5TaskRun *run) {
    Hp5RunPrivate *hidden = run->hidden;
    if (atomic_fetch_sub(&hidden->references, 1) > 1) return;
    hp5_card_forget(run);
    hp5_exchanges_free(run);
    hp5_moves_free(run);
    hp5_watched_free(run);
    if (hp5_has_processes(run)) {
        hp5_partials_free(run);
        hp5_share_free(run);
    }
    hp5_free((void *)hidden->segments.starts);
    hp5_limits_free(run);
    hp5_free((void *)hidden->passed);
    for (int r = 0; r < run->desc->reduce_count; r++) {
        hp5_free(hidden->sites[r].partials);
        hp5_free(hidden->sites[r].present);
        hp5_free(hidden->sites[r].begin);
        hp5_free(hidden->sites[r].end);
    }
    hp5_writers_free(run);
    hp5_stores_free(&hidden->stores);
    hp5_workers_free(run);
    hp5_pool_free(&hidden->pool);
    hp5_slab_free(&hidden->slab);
    for (int a = 0; a < run->desc->array_count; a++) hp5_free(hidden->spares[a]);
    hp5_free(hidden->spares);
    hp5_free(hidden->sites);
    hp5_scout_dismiss(&hidden->geometry);
    free_geometry(&hidden->geometry);
    hp5_free(run->strays);
    hp5_free(run->items);
    hp5_free(hidden);
    hp5_free(run);
}

void hp5_run_release(Hp5TaskRun *run) {
    for (int a = 0; a < run->desc->array_count; a++) {
        Hp5Item *item = run->items[a];
        run->items[a] = NULL;
        hp5_item_release(item);
    }
    hp5_run_unreference(run);
}

/* ---- Timing ---------------------------------------------------------------------------------------------
 */

void hp5_run_time(Hp5TaskRun *run, bool stages, bool meets) {
    run->hidden->is_timed = true;
    run->hidden->meets = meets;
    for (int t = 0; t < run->hidden->threads; t++) {
        run->workers[t].timing = stages;
        if (stages) memset(run->workers[t].times, 0, sizeof(Hp5StageTime) * (size_t)run->desc->stage_count);
    }
}

void hp5_count_begin(Hp5Worker *w) {
    if (!w->predicting) w->counting = hp5_now();
}

void hp5_time_begin(Hp5Worker *w, int stage) {
    if (w->predicting) return;
    double now = hp5_now();
    if (w->counting > 0) w->counted += now - w->counting;
    w->counting = 0;
    w->times[stage].started = now;
}

void hp5_time_end(Hp5Worker *w, int stage) {
    const Hp5TaskDesc *desc = w->run->desc;
    Hp5StageTime *time = &w->times[stage];
    if (w->predicting) {
        hp5_simulate_passed(w);
        return;
    }
    double end = hp5_now();
    time->seconds += end - time->started;
    time->calls++;
    if (w->trace) hp5_trace_span(w->trace, (Hp5TraceSpan){desc->stage_names[stage], (int)desc->ppu_first + w->rank, HP5_SPAN_STAGE, time->started, end, 0, 0});
}

void hp5_time_rest(Hp5Worker *w, int stage) {
    if (w->predicting) return;
    hp5_time_end(w, stage);
    w->times[stage].calls--;
}

/* Reading the clock is in every measured call. */
static double clock_seconds(void) {
    double least = 1;
    for (int i = 0; i < 64; i++) {
        double begin = hp5_now(), each = hp5_now() - begin;
        if (each < least) least = each;
    }
    return least;
}

/* What measuring and predicting have taken is no part of the task: of the thread that has done most of it, because the others
 * wait for that one. */
static double task_seconds(const Hp5TaskRun *run, double clock) {
    double most = 0;
    for (int t = 0; t < run->hidden->threads; t++) {
        const Hp5Worker *worker = &run->workers[t];
        double own = worker->counted; /* with one reading of the clock in each */
        for (int s = 0; s < run->desc->stage_count; s++) own += 2 * clock * (double)worker->times[s].calls;
        if (own > most) most = own;
    }
    double left = run->hidden->flow_seconds - most;
    for (int t = 0; t < run->hidden->threads; t++) { /* measured, and so a part of it */
        double stages = 0;
        for (int s = 0; s < run->desc->stage_count; s++)
            stages += run->workers[t].times[s].seconds - clock * (double)run->workers[t].times[s].calls;
        if (stages > left) left = stages;
    }
    return left > 0 ? left : 0; /* where the machine was busy, reading the clock took longer just now than it did for the task */
}

static int width_of_names(const Hp5TaskDesc *desc) {
    int width = 5;
    for (int s = 0; s < desc->stage_count; s++) {
        int length = (int)strlen(desc->stage_names[s]);
        if (length > width) width = length;
    }
    return width;
}

/* The end of a stage's line. */
static void report_prediction(const Hp5TaskRun *run, int stage) {
    Hp5StageCost cost = hp5_cost_of(run, stage);
    char bound[HP5_BOUND_TEXT], predicted[32] = "-";
    if (run->workers[0].cost->machine->timed) snprintf(predicted, sizeof predicted, "%.6f%s", cost.seconds, cost.partial ? "*" : "");
    const char *by = hp5_cost_bound(run, &cost, bound);
    fprintf(stderr, " %12s%s%s\n", predicted, by[0] ? "  " : "", by);
}

/* Times of crews are those of their first threads. */
static void report_card(const Hp5TaskRun *run) {
    const int width = width_of_names(run->desc);
    fprintf(stderr, "task %s on a card in %.6f s, beside %.6f s of reading, placing and bringing back data\n", run->desc->name, run->hidden->flow_seconds, run->hidden->fill_seconds);
    if (!run->workers[0].timing) return;
    fprintf(stderr, "  %-*s %12s %12s %12s %12s %12s  %s\n", width, "stage", "calls", "crews", "max s", "mean s", "predicted s", "bound by");
    for (int s = 0; s < run->desc->stage_count; s++) {
        int64_t calls = 0, crews = 0;
        double most = 0, sum = 0;
        for (int t = 0; t < run->hidden->threads; t++) {
            const Hp5StageTime *time = &run->workers[t].times[s];
            calls += time->calls;
            crews += time->calls > 0;
            sum += time->seconds;
            if (time->seconds > most) most = time->seconds;
        }
        fprintf(stderr, "  %-*s %12lld %12lld %12.6f %12.6f", width, run->desc->stage_names[s], (long long)calls, (long long)crews, most, crews > 0 ? sum / (double)crews : 0);
        report_prediction(run, s);
    }
    hp5_limits_report(run);
}

void hp5_run_report(const Hp5TaskRun *run) {
    if (run->desc->card != NULL) {
        report_card(run);
        return;
    }
    double clock = clock_seconds();
    int threads = run->hidden->threads, width = width_of_names(run->desc);
    char sharing[60] = "", processes[40] = "";
    if (run->hidden->segments.count > 1) snprintf(processes, sizeof processes, "%d processes of ", run->hidden->segments.count);
    int processors = hp5_team_processors(run->team);
    if (threads > processors) snprintf(sharing, sizeof sharing, " (sharing %d processor%s)", processors, processors == 1 ? "" : "s");
    fprintf(stderr, "task %s on %s%d thread%s%s in %.6f s, after %.6f s of reading and placing data\n",
            run->desc->name, processes, threads, threads == 1 ? "" : "s", sharing, task_seconds(run, clock),
            run->hidden->fill_seconds);
    if (!run->workers[0].timing) return;
    fprintf(stderr, "  %-*s %12s %12s %12s %12s  %s\n", width, "stage", "calls", "max s", "mean s", "predicted s", "bound by");
    for (int s = 0; s < run->desc->stage_count; s++) {
        int64_t calls = 0;
        double most = 0, sum = 0;
        for (int t = 0; t < threads; t++) {
            const Hp5StageTime *time = &run->workers[t].times[s];
            double seconds = time->seconds - clock * (double)time->calls;
            calls += time->calls;
            sum += seconds > 0 ? seconds : 0;
            if (seconds > most) most = seconds;
        }
        fprintf(stderr, "  %-*s %12lld %12.6f %12.6f", width, run->desc->stage_names[s], (long long)calls, most, sum / threads);
        report_prediction(run, s);
    }
    hp5_limits_report(run);
    hp5_collect_report(run);
}
