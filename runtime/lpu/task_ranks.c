/* Which processes run a task (task_ranks.h). */
#include "runtime/lpu/task_ranks.h"
#include "runtime/report/error.h"

/* Segments of the model, counted over all of it. */
typedef struct Taken {
    int64_t first, end; /* that the task takes */
    int64_t all;        /* that there are; 0: the model is not known, or has none */
} Taken;

static Taken taken_by(const Hp5TaskDesc *task) {
    int64_t each = 1, all = 1;
    bool below = false;
    for (int l = 0; l < task->machine_level_count; l++) {
        if (below) each *= task->machine_levels[l].count;
        else all *= task->machine_levels[l].count;
        below = below || task->machine_levels[l].segment;
    }
    if (!below) return (Taken){0, 0, 0};
    if (task->ppu_end == 0) return (Taken){0, all, all};
    return (Taken){task->ppu_first / each, (task->ppu_end + each - 1) / each, all};
}

/* Without the segments that no task takes. */
static Taken without_idle(Taken mine, const Hp5TaskDesc *const *tasks, int count) {
    bool *takes = hp5_alloc_zeroed(mine.all, "the processes of tasks");
    Taken left = {0, 0, 0};
    bool alike = true;
    for (int t = 0; t < count; t++) {
        const Taken other = taken_by(tasks[t]);
        alike = alike && (other.all == 0 || other.all == mine.all);
        for (int64_t s = other.first; s < other.end && s < mine.all; s++) takes[s] = true;
    }
    for (int64_t s = 0; s < mine.all; s++) {
        left.first += takes[s] && s < mine.first;
        left.end += takes[s] && s < mine.end;
        left.all += takes[s];
    }
    hp5_free(takes);
    return alike && left.first < left.end ? left : mine; /* segments of different models are not the same */
}

Hp5Span hp5_task_ranks(const Hp5TaskDesc *task, const Hp5TaskDesc *const *tasks, int count, int processes) {
    Taken taken = taken_by(task);
    if (taken.all == 0) return (Hp5Span){0, processes};
    if (processes < taken.all) taken = without_idle(taken, tasks, count);
    if (processes < taken.all) {
        taken.first = taken.first * processes / taken.all;
        taken.end = (taken.end * processes + taken.all - 1) / taken.all;
    } else if (taken.end == taken.all) taken.end = processes; /* --machine may say that there are more */
    return (Hp5Span){(int)taken.first, (int)(taken.end - taken.first)};
}
