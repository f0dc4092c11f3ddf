/* Runs that are used again (kept_runs.h). */
#include "runtime/run/kept_runs.h"
#include "runtime/run/private.h"
#include <string.h>

enum { MOST_RUNS = 64, RUNS_OF_A_KEY = 8 };
static const int64_t MOST_BYTES = (int64_t)1 << 30;

typedef struct Hp5KeptRun {
    struct Hp5KeptRun *next;
    Hp5TaskRun *run;
    uint64_t used; /* clock when it was last executed */
} Hp5KeptRun;

static void drop_run(Hp5Runs *runs, Hp5KeptRun **link) {
    Hp5KeptRun *kept = *link;
    *link = kept->next;
    hp5_run_release(kept->run);
    hp5_free(kept);
    runs->count--;
}

/* Old runs go when there are many, or when they hold much memory. The newest stays. */
static void drop_old_runs(Hp5Runs *runs) {
    for (;;) {
        int64_t bytes = 0;
        Hp5KeptRun **oldest = NULL;
        for (Hp5KeptRun **link = &runs->first; *link; link = &(*link)->next) {
            if (!hp5_has_processes((*link)->run)) bytes += (*link)->run->hidden->stores.bytes; /* processes must drop the same runs */
            if ((*link)->used != runs->clock && (oldest == NULL || (*link)->used < (*oldest)->used)) oldest = link;
        }
        if (oldest == NULL || (runs->count <= MOST_RUNS && (bytes <= MOST_BYTES || runs->count <= 2))) return;
        drop_run(runs, oldest);
    }
}

static Hp5TaskRun *new_run(Hp5Runs *runs, Hp5Team *team, const Hp5RunWish *wish) {
    Hp5KeptRun *kept = hp5_alloc_zeroed(sizeof *kept, "a task");
    kept->run = hp5_run_prepare_at(wish->task, team, &wish->place, wish->args, wish->items, wish->values);
    kept->used = runs->clock;
    kept->next = runs->first;
    runs->first = kept;
    runs->count++;
    drop_old_runs(runs);
    return kept->run;
}

Hp5TaskRun *hp5_runs_take(Hp5Runs *runs, Hp5Team *team, const Hp5RunWish *wish) {
    Hp5KeptRun *best = NULL, *oldest = NULL;
    int alike = 0;
    runs->clock++;
    for (Hp5KeptRun *kept = runs->first; kept; kept = kept->next) {
        int moves = hp5_run_fits(kept->run, wish->task, wish->args, wish->items);
        if (moves < 0) continue;
        alike++;
        size_t arrays = (size_t)wish->task->array_count;
        bool same = arrays == 0 || memcmp(kept->run->items, wish->items, sizeof *wish->items * arrays) == 0;
        if (moves == 0 && (best == NULL || same)) best = kept;
        if (same) break;
        if (oldest == NULL || kept->used < oldest->used) oldest = kept;
    }
    if (best == NULL && alike >= RUNS_OF_A_KEY) best = oldest;
    if (best == NULL) return new_run(runs, team, wish);
    best->used = runs->clock;
    hp5_run_rebind(best->run, wish->items);
    best->run->globals = wish->values;
    return best->run;
}

void hp5_runs_drop(Hp5Runs *runs) {
    while (runs->first) drop_run(runs, &runs->first);
}
