/* How to read it: one execution on a lane (run_execution); then the queue for programs whose tasks may run at the same time: in the
 * program's order, by priority, or in turns; and the interface (schedule.h). */
#include "runtime/run/schedule.h"
#include "runtime/card/cargo.h"
#include "runtime/card/execute.h"
#include "runtime/card/no_card.h"
#include "runtime/comm/comm.h"
#include "runtime/lpu/task_ranks.h"
#include "runtime/predict/predict.h"
#include "runtime/report/crash.h"
#include "runtime/run/private.h"
#include "runtime/run/kept_runs.h"
#include "runtime/run/news.h"
#include "runtime/run/task_levels.h"
#include "runtime/run/turns.h"
#include <string.h>

typedef struct Lane {
    struct Lane *next;
    Hp5Schedule *schedule;
    int64_t first, span; /* PPU of its first thread; PPUs that its threads are spread over, in their model's lowest level */
    int threads;
    Hp5Team *team;
    Hp5Runs runs;
    pthread_t thread; /* only in concurrent programs */
    bool on_card;     /* its one thread waits for the card */
} Lane;

typedef struct Levels {
    struct Levels *next;
    const Hp5TaskDesc *task;
    Hp5TaskLevels of;
    Lane *lane;
} Levels;

typedef struct Execution {
    struct Execution *next;
    const Hp5Launch *launch;
    const Levels *levels;
    int64_t *args;
    Hp5Item **items;
    void *values, *environment;
    int64_t turn; /* from 1 on; 0: it has none (yet) */
    bool running;
} Execution;

struct Hp5Schedule {
    const Hp5Options *options;
    const Hp5TaskDesc *const *tasks;
    int task_count;
    int processes;    /* of the program; 1 also where nothing is computed */
    bool spread;      /* over several processes, or over simulated ones that may be a single one */
    bool apart;       /* … of which two tasks may have none in common (news.h) */
    bool concurrent, closing;
    bool prioritised; /* tasks differ in priority */
    bool turns;       /* and several address spaces take part */
    int64_t turn;     /* the last one given */
    int open;         /* executions without one */
    bool warned; /* of a task that runs on one thread */
    Lane *lanes, *entered; /* entered: whose team the coordinator leads now */
    Levels *levels;
    Execution *queue, **last; /* not finished, in the program's order */
    Hp5AllNews news;
    Hp5TraceLog trace;
    void (*watch)(Hp5TaskRun *run, void *data); /* instead of running tasks; or NULL */
    void *watch_data;
    pthread_mutex_t lock;
    pthread_cond_t changed;
};

/* ---- One execution ----------------------------------------------------------------------------------- */

static void trace_begin(Hp5TaskRun *run) {
    for (int t = 0; t < run->hidden->threads; t++)
        run->workers[t].trace = hp5_alloc_zeroed(sizeof(Hp5TraceLog), "the trace");
}

static void trace_end(Hp5Schedule *schedule, Hp5TaskRun *run) {
    pthread_mutex_lock(&schedule->lock);
    for (int t = 0; t < run->hidden->threads; t++) {
        Hp5TraceLog *log = run->workers[t].trace;
        hp5_trace_take(&schedule->trace, log);
        hp5_free(log->spans);
        hp5_free(log);
        run->workers[t].trace = NULL;
    }
    pthread_mutex_unlock(&schedule->lock);
}

static void watch_execution(const Hp5Schedule *schedule, Hp5TaskRun *run, const Execution *execution) {
    if (execution->launch->start) execution->launch->start(run, execution->values);
    schedule->watch(run, schedule->watch_data);
    if (execution->launch->finish) execution->launch->finish(run, execution->values, execution->environment);
}

static Hp5TaskRun *take_run(Lane *lane, const Execution *execution, int segment) {
    const Hp5TaskLevels *levels = &execution->levels->of;
    Hp5RunWish wish = {.task = execution->launch->task, .args = execution->args, .items = execution->items, .values = execution->values,
                       .place = {.level_counts = levels->counts, .machine_counts = levels->machine}};
    if (levels->workers > 0) wish.place.mine = (Hp5Span){0, levels->workers};
    if (lane->schedule->spread) {
        wish.place.mine = (Hp5Span){segment * levels->segments.each, segment < levels->segments.segments ? levels->segments.each : 0};
        wish.place.segments = &levels->segments;
        wish.place.first_rank = levels->first_rank;
    }
    return hp5_runs_take(&lane->runs, lane->team, &wish);
}

static void run_here(Lane *lane, Execution *execution, Hp5TaskRun *run) {
    const Hp5Options *options = lane->schedule->options;
    const Hp5Launch *launch = execution->launch;
    bool tracing = options->trace != NULL;
    const bool stages = options->timing || options->predict || options->simulate || tracing;
    if (stages || options->task_times) hp5_run_time(run, stages, (options->timing || options->task_times) && !options->simulate);
    if (options->timing || options->predict || options->simulate) hp5_cost_begin(run, options->predict || options->simulate);
    if (options->simulate) hp5_simulate_begin(run, options->rounds, options->measured);
    if (launch->start) launch->start(run, execution->values);
    if (tracing) trace_begin(run);
    hp5_run_execute(run, launch->flow);
    if (tracing) trace_end(lane->schedule, run);
    if (options->simulate) hp5_simulate_finish(run);
    else if (options->predict && hp5_comm_rank() == 0) hp5_predict_report(run);
    else if ((options->timing || options->task_times) && run->hidden->segments.me == 0) hp5_run_report(run);
    if (options->timing || options->predict || options->simulate) hp5_cost_finish(run);
}

/* Of several processes those take part that have the segments of the mapping (runtime/lpu/task_ranks.h). The others have no LPUs; they give what they have
 * of its data, and hear what comes of it, at once or when they must know (news.h). So each process goes on as far as the Program lets it: of any that
 * wait for each other one has come to an execution that all others of it have behind them or will come to. */
static void run_in_processes(Lane *lane, Execution *execution) {
    const Hp5TaskLevels *levels = &execution->levels->of;
    const int segments = levels->segments.segments, place = hp5_comm_rank() - levels->first_rank, segment = place >= 0 && place < segments ? place : segments;
    Hp5TaskRun *run = take_run(lane, execution, segment);
    if (run->desc->card != NULL && run->hidden->card == NULL && segment < segments) hp5_card_prepare(run);
    const double begin = hp5_now();
    hp5_share_fill(run);
    run->hidden->share_seconds = hp5_now() - begin;
    if (segment < segments) run_here(lane, execution, run);
    hp5_share_return(run);
    if (lane->schedule->apart) {
        if (execution->launch->finish == NULL) return;
        hp5_news_keep(&lane->schedule->news, execution->launch, run, execution->values, execution->environment);
        execution->values = NULL;
        return;
    }
    hp5_tell_single(run);
    if (execution->launch->finish) execution->launch->finish(run, execution->values, execution->environment);
}

static void run_execution(Lane *lane, Execution *execution) {
    if (lane->schedule->spread) {
        run_in_processes(lane, execution);
        return;
    }
    Hp5TaskRun *run = take_run(lane, execution, 0);
    if (lane->schedule->watch) {
        watch_execution(lane->schedule, run, execution);
        return;
    }
    run_here(lane, execution, run);
    if (execution->launch->finish) execution->launch->finish(run, execution->values, execution->environment);
}

/* ---- Lanes ------------------------------------------------------------------------------------------------ */

static int other_threads(const Hp5Schedule *schedule, const Lane *lane) {
    int others = 0;
    for (const Lane *other = schedule->lanes; other; other = other->next)
        if (other != lane) others += other->threads;
    return schedule->concurrent ? others : 0;
}

static void create_team(Lane *lane) {
    const Hp5Schedule *schedule = lane->schedule;
    if (lane->on_card) { /* its thread waits for the card */
        lane->team = hp5_team_create_at(0, 1, lane->threads, other_threads(schedule, lane), false);
        return;
    }
    if (schedule->spread) { /* whoever has started them has bound them to processors, or has left them free */
        lane->team = hp5_team_create_at(0, lane->threads, lane->threads, (schedule->processes - 1) * lane->threads, false);
        return;
    }
    lane->team = schedule->watch ? hp5_team_imagine(lane->threads)
                                 : hp5_team_create_at((int)lane->first, (int)lane->span, lane->threads, other_threads(schedule, lane),
                                                      !schedule->options->unpinned);
}

/* A card has PPUs of its own, of which one task at a time takes all; for stages that are the host's it takes one of the processors', too. */
static bool share_ppus(const Hp5TaskDesc *a, const Hp5TaskDesc *b) {
    if (a->card != NULL || b->card != NULL) return (a->card != NULL && b->card != NULL) || a->on_host != NULL || b->on_host != NULL;
    return a->ppu_end == 0 || b->ppu_end == 0 || (a->ppu_first < b->ppu_end && b->ppu_first < a->ppu_end);
}

static bool want_same_ppus(const Execution *a, const Execution *b) {
    return share_ppus(a->launch->task, b->launch->task) || a->levels->lane == b->levels->lane;
}

static bool share_data(const Execution *a, const Execution *b) {
    for (int i = 0; i < a->launch->task->array_count; i++)
        for (int j = 0; j < b->launch->task->array_count; j++)
            if (a->items[i] == b->items[j]) return true;
    return a->environment == b->environment;
}

static bool may_start(const Hp5Schedule *schedule, const Execution *execution) {
    for (const Execution *before = schedule->queue; before != execution; before = before->next)
        if (want_same_ppus(before, execution) || share_data(before, execution)) return false;
    return true;
}

/* ---- With priorities --------------------------------------------------------------------------------------
 * Executions that share data keep the program's order. One whose data are ready may overtake others that wait for the same
 * PPUs if its task's priority is larger. Only those that are ready hold others up, so that the first of them, by priority
 * and then in the program's order, waits for nobody but for who is running. */
static bool is_ready(const Hp5Schedule *schedule, const Execution *execution) {
    for (const Execution *before = schedule->queue; before != execution; before = before->next)
        if (share_data(before, execution)) return false;
    return true;
}

static bool goes_first(const Hp5Schedule *schedule, const Execution *a, const Execution *b) {
    if (a->launch->task->priority != b->launch->task->priority) return a->launch->task->priority > b->launch->task->priority;
    for (const Execution *at = schedule->queue; at != b; at = at->next)
        if (at == a) return true;
    return false;
}

/* Nobody on other lanes runs on its PPUs or goes first to them. */
static bool has_ppus(const Hp5Schedule *schedule, const Execution *execution) {
    for (const Execution *other = schedule->queue; other; other = other->next) {
        if (other == execution || !want_same_ppus(other, execution)) continue;
        if (other->running) return false;
        if (other->levels->lane != execution->levels->lane && goes_first(schedule, other, execution) && is_ready(schedule, other))
            return false;
    }
    return true;
}

static Execution *first_of(const Lane *lane) {
    Execution *first = NULL;
    for (Execution *execution = lane->schedule->queue; execution; execution = execution->next) {
        bool better = first == NULL || execution->launch->task->priority > first->launch->task->priority;
        if (execution->levels->lane == lane && !execution->running && better && is_ready(lane->schedule, execution)) first = execution;
    }
    return first != NULL && has_ppus(lane->schedule, first) ? first : NULL;
}

/* ---- In turns (turns.h) ------------------------------------------------------------------------------------ */

typedef struct Open {
    Execution *at[HP5_MOST_OPEN];
} Open;

static bool open_share_data(int a, int b, void *data) {
    const Open *open = data;
    return share_data(open->at[a], open->at[b]);
}

/* Those that have no turn yet get theirs. */
static void give_turns(Hp5Schedule *schedule) {
    Open open;
    int64_t priority[HP5_MOST_OPEN] = {0};
    int count = 0, order[HP5_MOST_OPEN];
    for (Execution *execution = schedule->queue; execution; execution = execution->next) {
        if (execution->turn != 0) continue;
        priority[count] = execution->launch->task->priority;
        open.at[count++] = execution;
    }
    hp5_turns(count, priority, open_share_data, &open, order);
    for (int t = 0; t < count; t++) open.at[order[t]]->turn = ++schedule->turn;
    schedule->open = 0;
    if (count > 0) pthread_cond_broadcast(&schedule->changed);
}

/* The lane's next turn, if nobody holds it up. */
static Execution *next_turn(const Lane *lane) {
    Execution *next = NULL;
    for (Execution *execution = lane->schedule->queue; execution; execution = execution->next)
        if (execution->levels->lane == lane && !execution->running && execution->turn > 0 && (next == NULL || execution->turn < next->turn))
            next = execution;
    for (const Execution *other = lane->schedule->queue; next && other; other = other->next)
        if (other->turn > 0 && other->turn < next->turn && (want_same_ppus(other, next) || share_data(other, next))) return NULL;
    return next;
}

static Execution *next_of(const Lane *lane) {
    if (lane->schedule->turns) return next_turn(lane);
    if (lane->schedule->prioritised) return first_of(lane);
    for (Execution *execution = lane->schedule->queue; execution; execution = execution->next)
        if (execution->levels->lane == lane && !execution->running && may_start(lane->schedule, execution)) return execution;
    return NULL;
}

static void free_execution(Execution *execution) {
    for (int a = 0; a < execution->launch->task->array_count; a++) hp5_item_release(execution->items[a]);
    hp5_free(execution->items);
    hp5_free(execution->args);
    hp5_free(execution->values);
    hp5_free(execution);
}

static void remove_from_queue(Hp5Schedule *schedule, Execution *execution) {
    Execution **link = &schedule->queue;
    while (*link != execution) link = &(*link)->next;
    *link = execution->next;
    if (schedule->last == &execution->next) schedule->last = link;
}

/* A lane's own thread, thread 0 of its team. */
static void *lane_main(void *argument) {
    Lane *lane = argument;
    Hp5Schedule *schedule = lane->schedule;
    hp5_crash_give_stack();
    pthread_mutex_lock(&schedule->lock);
    create_team(lane);
    for (;;) {
        Execution *execution = next_of(lane);
        if (execution == NULL && schedule->closing && schedule->queue == NULL) break;
        if (execution == NULL) {
            pthread_cond_wait(&schedule->changed, &schedule->lock);
            continue;
        }
        execution->running = true;
        pthread_mutex_unlock(&schedule->lock);
        run_execution(lane, execution);
        pthread_mutex_lock(&schedule->lock);
        remove_from_queue(schedule, execution);
        free_execution(execution);
        pthread_cond_broadcast(&schedule->changed);
    }
    pthread_mutex_unlock(&schedule->lock);
    hp5_runs_drop(&lane->runs);
    hp5_team_destroy(lane->team);
    return NULL;
}

static Lane *lane_of(Hp5Schedule *schedule, const Hp5TaskDesc *task, int threads) {
    int64_t first = task->ppu_first, span = task->ppu_end - task->ppu_first;
    for (Lane *lane = schedule->lanes; lane; lane = lane->next)
        if (lane->first == first && lane->span == span && lane->threads == threads && lane->on_card == (task->card != NULL)) return lane;
    Lane *lane = hp5_alloc_zeroed(sizeof *lane, "a team of threads");
    *lane = (Lane){.next = schedule->lanes, .schedule = schedule, .first = first, .span = span, .threads = threads, .on_card = task->card != NULL && schedule->watch == NULL};
    schedule->lanes = lane;
    if (!schedule->concurrent) return lane;
    int error = pthread_create(&lane->thread, NULL, lane_main, lane);
    if (error != 0) hp5_fail(HP5_EXIT_FAILURE, "the threads of task %s cannot be started: %s", task->name, strerror(error));
    return lane;
}

/* The coordinator's thread leads one team at a time. */
static void enter(Hp5Schedule *schedule, Lane *lane) {
    if (schedule->entered == lane) return;
    if (schedule->entered) hp5_team_leave(schedule->entered->team);
    schedule->entered = lane;
    if (lane->team) hp5_team_enter(lane->team);
    else create_team(lane);
}

/* ---- The interface -------------------------------------------------------------------------------------------- */

Hp5Schedule *hp5_schedule_create(const Hp5Options *options) {
    Hp5Schedule *schedule = hp5_alloc_zeroed(sizeof *schedule, "a program's schedule");
    schedule->options = options;
    schedule->processes = options->predict ? 1 : hp5_comm_size();
    schedule->spread = schedule->processes > 1 || options->simulate;
    if (options->simulate) hp5_comm_imagine();
    if (options->predict) hp5_card_predict();
    schedule->last = &schedule->queue;
    pthread_mutex_init(&schedule->lock, NULL);
    pthread_cond_init(&schedule->changed, NULL);
    return schedule;
}

void hp5_schedule_watch(Hp5Schedule *schedule, void (*watch)(Hp5TaskRun *run, void *data), void *data) {
    schedule->watch = watch;
    schedule->processes = 1;
    schedule->spread = false;
    schedule->watch_data = data;
}

static bool run_apart(const Hp5Schedule *schedule, const Hp5TaskDesc *a, const Hp5TaskDesc *b) {
    const Hp5Span of_a = hp5_task_ranks(a, schedule->tasks, schedule->task_count, schedule->processes);
    const Hp5Span of_b = hp5_task_ranks(b, schedule->tasks, schedule->task_count, schedule->processes);
    return !hp5_spans_meet(of_a, of_b);
}

void hp5_schedule_tasks(Hp5Schedule *schedule, const Hp5TaskDesc *const *tasks, int count) {
    hp5_levels_of(tasks, count);
    schedule->tasks = tasks;
    schedule->task_count = count;
    for (int i = 0; i < count && schedule->spread; i++)
        for (int j = 0; j < i; j++) schedule->apart = schedule->apart || run_apart(schedule, tasks[i], tasks[j]);
    if (schedule->watch || schedule->options->predict || schedule->processes > 1 || hp5_comm_is_simulated()) return; /* one after the other */
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++) {
            schedule->prioritised = schedule->prioritised || tasks[i]->priority != tasks[j]->priority;
            schedule->concurrent = schedule->concurrent || schedule->prioritised || !share_ppus(tasks[i], tasks[j]);
        }
}

void hp5_schedule_spaces(Hp5Schedule *schedule, int count) { schedule->turns = count > 1 && schedule->prioritised; }

static const Levels *levels_of(Hp5Schedule *schedule, const Hp5TaskDesc *task) {
    for (const Levels *levels = schedule->levels; levels; levels = levels->next)
        if (levels->task == task) return levels;
    Levels *levels = hp5_alloc_zeroed(sizeof *levels, "level counts");
    const Hp5LevelsOf program = {schedule->options, schedule->tasks, schedule->task_count, schedule->processes, schedule->spread, schedule->watch != NULL};
    *levels = (Levels){.next = schedule->levels, .task = task, .of = hp5_task_levels(&program, task)};
    hp5_threads_check(task, schedule->options, levels->of.threads, schedule->spread, &schedule->warned);
    schedule->levels = levels;
    levels->lane = lane_of(schedule, task, levels->of.threads);
    return levels;
}

static Execution *copy_execution(const Execution *from) {
    const Hp5TaskDesc *task = from->launch->task;
    Execution *execution = hp5_alloc(sizeof *execution, "an execution");
    *execution = *from;
    execution->args = hp5_alloc((int64_t)sizeof(int64_t) * (task->arg_count + 1), "an execution");
    if (task->arg_count > 0) memcpy(execution->args, from->args, sizeof(int64_t) * (size_t)task->arg_count);
    execution->items = hp5_alloc((int64_t)sizeof(Hp5Item *) * (task->array_count + 1), "an execution");
    for (int a = 0; a < task->array_count; a++) execution->items[a] = hp5_item_retain(from->items[a]);
    return execution;
}

void hp5_schedule_execute(Hp5Schedule *schedule, const Hp5Launch *launch, const int64_t *args, Hp5Item **items, void *values,
                          void *environment) {
    pthread_mutex_lock(&schedule->lock);
    Execution execution = {.launch = launch, .levels = levels_of(schedule, launch->task), .args = (int64_t *)args,
                           .items = items, .values = values, .environment = environment};
    if (schedule->concurrent) {
        Execution *queued = copy_execution(&execution);
        *schedule->last = queued;
        schedule->last = &queued->next;
        if (schedule->turns && ++schedule->open == HP5_MOST_OPEN) give_turns(schedule);
        pthread_cond_broadcast(&schedule->changed);
        pthread_mutex_unlock(&schedule->lock);
        return;
    }
    pthread_mutex_unlock(&schedule->lock);
    enter(schedule, execution.levels->lane);
    run_execution(execution.levels->lane, &execution);
    hp5_free(execution.values);
}

static bool is_pending(const Hp5Schedule *schedule, const void *environment) {
    for (const Execution *execution = schedule->queue; execution; execution = execution->next)
        if (environment == NULL || execution->environment == environment) return true;
    return false;
}

void hp5_schedule_wait(Hp5Schedule *schedule, const void *environment) {
    hp5_news_tell(&schedule->news, environment);
    if (!schedule->concurrent) return;
    pthread_mutex_lock(&schedule->lock);
    if (schedule->turns) give_turns(schedule);
    while (is_pending(schedule, environment)) pthread_cond_wait(&schedule->changed, &schedule->lock);
    pthread_mutex_unlock(&schedule->lock);
}

static void close_lane(Hp5Schedule *schedule, Lane *lane) {
    if (schedule->concurrent) {
        pthread_join(lane->thread, NULL);
        return;
    }
    hp5_runs_drop(&lane->runs);
    if (lane->team) hp5_team_destroy(lane->team);
}

void hp5_schedule_destroy(Hp5Schedule *schedule) {
    pthread_mutex_lock(&schedule->lock);
    if (schedule->turns) give_turns(schedule);
    schedule->closing = true;
    pthread_cond_broadcast(&schedule->changed);
    pthread_mutex_unlock(&schedule->lock);
    hp5_news_drop(&schedule->news);
    if (schedule->entered) hp5_team_leave(schedule->entered->team);
    for (Lane *lane = schedule->lanes, *next; lane; lane = next) {
        next = lane->next;
        close_lane(schedule, lane);
        hp5_free(lane);
    }
    for (Levels *levels = schedule->levels, *next; levels; levels = next) {
        next = levels->next;
        hp5_task_levels_free(&levels->of);
        hp5_free(levels);
    }
    if (schedule->options->trace) hp5_card_trace_take(&schedule->trace);
    if (schedule->options->trace) hp5_trace_write(&schedule->trace, schedule->options->trace);
    hp5_free(schedule->trace.spans);
    pthread_mutex_destroy(&schedule->lock);
    pthread_cond_destroy(&schedule->changed);
    hp5_free(schedule);
}
