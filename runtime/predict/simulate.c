/* --simulate: a task on simulated processes that run no stage. What a prediction counts passes as simulated time, before the process
 * talks to others; messages have their lengths and no contents. How to read it: time, then beginning and end. */
#include "runtime/predict/predict.h"
#include "runtime/run/private.h"
#include <stdio.h>

/* ---- Time ---------------------------------------------------------------------------------------------------- */

static double counted(const Hp5Worker *w) {
    double sum = 0;
    for (int s = 0; s < w->run->desc->stage_count; s++) sum += hp5_measured_seconds(w->cost, w->run->desc, s);
    return sum + hp5_cost_copy_seconds(w->cost->machine, w->cost->transferred);
}

void hp5_simulate_passed(Hp5Worker *w) {
    double until = counted(w), passes = until - w->cost->told;
    if (!hp5_comm_is_imagined() || passes <= 0) return;
    hp5_comm_compute(passes);
    w->cost->told = until;
}

bool hp5_simulate_copy(const Hp5TaskRun *run, int64_t bytes) {
    if (!hp5_comm_is_imagined()) return false;
    hp5_cost_copies(&run->workers[0], (double)bytes);
    hp5_simulate_passed(&run->workers[0]);
    return true;
}

/* ---- Beginning and end ----------------------------------------------------------------------------------------- */

typedef struct Share {
    double computed;
    int64_t messages, bytes;
} Share;

/* The processes of the task; ranks is freed with hp5_free. */
static Hp5Peers peers_of_task(const Hp5TaskRun *run) {
    int count = run->hidden->segments.count > 1 ? run->hidden->segments.count : 1;
    int *ranks = hp5_alloc((int64_t)sizeof *ranks * count, "the processes of a task");
    for (int s = 0; s < count; s++) ranks[s] = run->hidden->segments.first_rank + s;
    return (Hp5Peers){ranks, count};
}

/* When all processes of the task have come here. */
static double meet_at(const Hp5TaskRun *run) {
    Hp5Peers peers = peers_of_task(run);
    hp5_comm_progress();
    hp5_comm_barrier(peers, HP5_TAG_TELL);
    hp5_free((void *)peers.ranks);
    return hp5_now();
}

void hp5_simulate_begin(Hp5TaskRun *run, int64_t rounds, const char *measured) {
    Hp5Cost *cost = run->workers[0].cost;
    Hp5CommCounts counts = hp5_comm_counts();
    if (!cost->machine->timed)
        hp5_fail(HP5_EXIT_USAGE, "task %s cannot be simulated: the model of the machine states no 'compute' with operations and clock",
                 run->desc->name);
    cost->most_rounds = rounds;
    if (measured != NULL) hp5_measured_read(cost, run->desc, measured);
    cost->sent = counts.messages_sent;
    cost->sent_bytes = counts.bytes_sent;
    cost->since = meet_at(run);
}

static void print_shares(const Hp5TaskRun *run, const Share *shares, int count, double seconds) {
    Share sum = {0};
    double most = 0;
    for (int p = 0; p < count; p++) {
        sum.computed += shares[p].computed;
        sum.messages += shares[p].messages;
        sum.bytes += shares[p].bytes;
        if (shares[p].computed > most) most = shares[p].computed;
    }
    printf("task %s on %d simulated process%s: %.9f s; computing %.9f s at most, %.9f s on average; %lld messages, %lld B\n", run->desc->name,
           count, count == 1 ? "" : "es", seconds, most, sum.computed / count, (long long)sum.messages, (long long)sum.bytes);
    fflush(stdout);
}

void hp5_simulate_finish(Hp5TaskRun *run) {
    const Hp5Cost *cost = run->workers[0].cost;
    Hp5CommCounts counts = hp5_comm_counts();
    double seconds = meet_at(run) - cost->since;
    Hp5Peers peers = peers_of_task(run);
    Share mine = {cost->told, counts.messages_sent - cost->sent, counts.bytes_sent - cost->sent_bytes};
    Share *all = hp5_alloc((int64_t)sizeof *all * peers.count, "the report of a simulation");
    hp5_comm_gather(peers, HP5_TAG_TELL, 0, &mine, sizeof mine, all);
    if (run->hidden->segments.me == 0) print_shares(run, all, peers.count, seconds);
    hp5_free(all);
    hp5_free((void *)peers.ranks);
}
