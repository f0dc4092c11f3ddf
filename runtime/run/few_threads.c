/* What is said of a task's threads: where options that ask for more change nothing, and where a simulated process would have several. */
#include "runtime/comm/comm.h"
#include "runtime/report/error.h"
#include "runtime/run/schedule.h"

/* All Spaces run in one PPU, whose threads could only watch each other. */
static void warn_of_one_ppu(const Hp5TaskDesc *task, const char *option) {
    const char *lowest = task->machine_level_count > 0 ? task->machine_levels[task->machine_level_count - 1].name : NULL;
    hp5_warn("task %s runs on 1 thread, whatever %s says: its mapping has all Spaces on one PPU of %s\n"
             "  map a Space to a level with several PPUs to use more%s%s",
             task->name, option, task->level_names[0], lowest ? ", as in Space A: " : "", lowest ? lowest : "");
}

/* No Space is mapped below the level of the processes. */
static void warn_of_processes(const Hp5TaskDesc *task) {
    int segment = 0;
    while (!task->machine_levels[segment].segment) segment++;
    const bool below = segment + 1 < task->machine_level_count;
    hp5_warn("task %s runs on 1 thread in each process, whatever --threads says: it has no Space below %s%s%s", task->name, task->machine_levels[segment].name,
             below ? "\n  map a Space to a lower level to use more, as in Space A: " : "", below ? task->machine_levels[task->machine_level_count - 1].name : "");
}

/* Threads of a process would not take turns with other processes, and the simulator would count the time of one of them. */
static void check_simulated(const Hp5TaskDesc *task, int threads) {
    if (threads > 1 && hp5_comm_is_simulated())
        hp5_fail(HP5_EXIT_USAGE,
                 "task %s wants %d threads in each process, but a simulated process has one\n"
                 "  give --threads 1, or simulate a process for each core: a model whose segments are its cores",
                 task->name, threads);
}

void hp5_threads_check(const Hp5TaskDesc *task, const Hp5Options *options, int threads, bool spread, bool *warned) {
    const bool on_one_ppu = hp5_is_on_one_ppu(task), wants_more = options->threads > 1;
    check_simulated(task, threads);
    if (threads > 1 || *warned || (!wants_more && (options->machine == NULL || !on_one_ppu))) return;
    if (on_one_ppu) warn_of_one_ppu(task, wants_more ? "--threads" : "--machine");
    else if (spread && task->card == NULL) warn_of_processes(task);
    *warned = on_one_ppu || (spread && task->card == NULL);
}
