/* Levels of tasks (task_levels.h). */
#include "runtime/run/task_levels.h"
#include "runtime/card/execute.h"
#include "runtime/comm/comm.h"
#include "runtime/lpu/task_ranks.h"
#include "runtime/report/error.h"

/* Of a task in one process. One that several address spaces are meant for has a thread for each processor there is, unless options say otherwise: the
 * model's number is a whole cluster's. `counts`: room for level counts. 0: as many as follow from the model. */
static int64_t threads_of(const Hp5LevelsOf *of, const Hp5TaskDesc *task, int *counts) {
    const Hp5Options *options = of->options;
    if (options->threads > 0 || options->machine != NULL || task->held == NULL || of->watched || options->predict) return options->threads;
    hp5_level_counts(task, NULL, 0, counts);
    const int processors = hp5_comm_processors();
    return hp5_threads_needed(task, counts) > processors ? processors : 0;
}

Hp5TaskLevels hp5_task_levels(const Hp5LevelsOf *of, const Hp5TaskDesc *task) {
    const Hp5Options *options = of->options;
    const Hp5Span ranks = of->spread ? hp5_task_ranks(task, of->tasks, of->count, of->processes) : (Hp5Span){0, of->processes};
    Hp5TaskLevels levels = {.counts = hp5_alloc(task->lps_count * (int64_t)sizeof(int), "level counts"),
                            .machine = hp5_alloc((task->machine_level_count + 1) * (int64_t)sizeof(int), "level counts"),
                            .first_rank = ranks.first};
    if (of->spread) levels.segments.within = hp5_alloc(task->lps_count * (int64_t)sizeof(int), "level counts");
    if (task->card != NULL) {
        levels.workers = hp5_card_counts(task, options, !of->watched, ranks.count, levels.counts, levels.machine, of->spread ? &levels.segments : NULL);
        levels.threads = of->watched ? levels.workers : 1; /* looks after the card */
    } else if (of->spread) {
        hp5_segment_counts(task, options->machine, options->threads, ranks.count, levels.counts, levels.machine, &levels.segments);
        levels.threads = levels.segments.each;
        hp5_comm_threads(levels.threads);
    } else {
        hp5_level_counts(task, options->machine, threads_of(of, task, levels.counts), levels.counts);
        hp5_machine_counts(task, options->machine, levels.machine);
        levels.threads = hp5_threads_needed(task, levels.counts);
    }
    if (of->spread) hp5_comm_set_node_size(hp5_node_processes(task, options->machine));
    return levels;
}

void hp5_task_levels_free(Hp5TaskLevels *levels) {
    hp5_free(levels->counts);
    hp5_free(levels->machine);
    hp5_free(levels->segments.within);
}
