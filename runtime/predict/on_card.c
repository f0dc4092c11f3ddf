/* Predictions of tasks on cards: the machine as a crew sees it; all crews, one after the other, on one thread of the host; what is printed beside the
 * stages. Nothing here asks a card. */
#include "runtime/card/cargo.h"
#include "runtime/card/no_card.h"
#include "runtime/predict/crews.h"
#include "runtime/predict/table.h"
#include "runtime/run/private.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- The machine -------------------------------------------------------------------------------------------------- */
/* Where the model has no `cycles` (docs/prediction.md says where they come from). */
static const double common_scalar = 1, common_divide = 24, common_function = 160, common_start = 2, common_dependent = 4, common_line = 128;

static double stated(double figure, double otherwise) { return figure > 0 ? figure : otherwise; }

/* A warp computes; what it shares with others comes later. */
static void read_figures(Hp5CostMachine *machine, const Hp5TaskDesc *desc) {
    machine->levels = desc->machine_level_count < HP5_COST_LEVELS ? desc->machine_level_count : HP5_COST_LEVELS;
    machine->crews = true;
    machine->line = common_line;
    for (int l = 0; l < machine->levels; l++) {
        machine->names[l] = desc->machine_levels[l].name;
        if (desc->machine_figures == NULL) continue;
        const Hp5Figures *figures = &desc->machine_figures[l];
        machine->bandwidth[l] = figures->bandwidth;
        machine->latency[l] = figures->latency;
        machine->in_flight[l] = stated(figures->in_flight, 1);
    }
}

static void read_warps(Hp5Crews *crews, const Hp5TaskDesc *desc) {
    Hp5CostMachine *machine = &crews->card;
    const int warp = crews->task->first_level + 2;
    if (desc->machine_figures == NULL) return;
    const Hp5Figures *figures = &desc->machine_figures[warp];
    const double in_model = (double)desc->machine_levels[warp].count;
    machine->line = stated(desc->machine_figures[warp - 1].width, common_line);
    machine->timed = figures->clock > 0 && figures->operations > 0;
    machine->clock = figures->clock;
    machine->operations = figures->operations;
    machine->scalar = stated(figures->scalar, common_scalar);
    machine->divide = stated(figures->divide, common_divide);
    machine->function = stated(figures->function, common_function);
    machine->start = stated(figures->start, common_start);
    crews->least_warps = stated(figures->at_once, in_model);
    machine->dependent = stated(figures->dependent, common_dependent * crews->least_warps / in_model);
    crews->warp_rate = figures->clock * in_model;
}

/* Memories, links and waits. */
static void share_card(Hp5Crews *crews, const Hp5TaskDesc *desc) {
    const int warp = crews->task->first_level + 2;
    if (desc->machine_figures == NULL) return;
    const Hp5Figures *of_multiprocessor = &desc->machine_figures[warp - 1], *of_warp = &desc->machine_figures[warp];
    crews->memory = of_multiprocessor->memory;
    crews->link = of_multiprocessor->bandwidth * fmin(1, stated(of_multiprocessor->at_once, crews->multiprocessors) / crews->multiprocessors);
    crews->warp_link = of_warp->bandwidth * crews->least_warps;
    crews->wait[HP5_BLOCK_TIER] = 2 * of_warp->exchange;
    crews->wait[HP5_CARD_TIER] = 2 * fmax(of_warp->exchange, of_multiprocessor->exchange);
}

static Hp5Crews *make_crews(const Hp5TaskRun *run, int blocks, int threads) {
    const Hp5TaskDesc *desc = run->desc;
    Hp5Crews *crews = hp5_alloc_zeroed(sizeof *crews, "costs");
    crews->task = desc->card;
    crews->block_warps = (double)threads / HP5_WARP_THREADS;
    crews->warps = blocks * crews->block_warps;
    const double in_model = (double)desc->machine_levels[desc->card->first_level + 1].count;
    const int counted = run->hidden->geometry.machine_counts[desc->card->first_level + 1];
    crews->multiprocessors = fmin(in_model, desc->card->lowest == HP5_CARD_TIER ? blocks : counted);
    crews->crew_warps[HP5_CARD_TIER] = crews->warps;
    crews->crew_warps[HP5_BLOCK_TIER] = crews->block_warps;
    crews->crew_warps[HP5_WARP_TIER] = 1;
    crews->crew_warps[HP5_LANE_TIER] = 1.0 / HP5_WARP_THREADS;
    read_figures(&crews->card, desc);
    read_warps(crews, desc);
    share_card(crews, desc);
    hp5_cost_host(&crews->host, desc);
    return crews;
}

/* ---- All crews ---------------------------------------------------------------------------------------------------- */
/* Calls that have been measured count as often as they were. */
static double as_often_as(const Hp5Worker *worker, int stage, double calls) {
    if (hp5_card_is_predicted() || calls <= 0) return 1;
    return (double)worker->times[stage].calls / calls;
}

static void add_stage(const Hp5Worker *worker, int stage, const Hp5StageCost *one, Hp5StageCost *all) {
    const double times = as_often_as(worker, stage, one->calls);
    all->calls += one->calls * times;
    all->operations += one->operations * times;
    all->accessed += one->accessed * times;
    all->partial |= one->partial;
    for (int l = 0; l < HP5_COST_LEVELS; l++) all->moved[l] += one->moved[l] * times;
    if (one->seconds * times < all->seconds) return;
    all->seconds = one->seconds * times;
    memcpy(all->terms, one->terms, sizeof all->terms);
}

static void add_rest(Hp5Crews *crews) {
    for (int tier = 0; tier < HP5_TIERS; tier++) {
        crews->most_waits[tier] = fmax(crews->most_waits[tier], crews->waits[tier]);
        crews->waits[tier] = 0;
    }
    crews->most_seconds = fmax(crews->most_seconds, crews->seconds);
    crews->all_copied += crews->copied;
    crews->seconds = crews->copied = 0;
}

void hp5_predict_card(Hp5TaskRun *run, void (*flow)(Hp5Worker *worker), int blocks, int threads) {
    Hp5Cost *cost = run->workers[0].cost;
    Hp5StageCost *all = cost->stages, *one = hp5_alloc(((int64_t)run->desc->stage_count + 1) * (int64_t)sizeof *one, "costs");
    const Hp5CostMachine *empty = cost->machine;
    cost->crews = make_crews(run, blocks, threads);
    cost->stages = one;
    for (int w = 0; w < run->hidden->threads; w++) {
        Hp5Worker *worker = &run->workers[w];
        const bool predicting = worker->predicting;
        memset(one, 0, (size_t)run->desc->stage_count * sizeof *one);
        worker->cost = cost;
        worker->predicting = true;
        worker->rounds = 0;
        flow(worker);
        for (int s = 0; s < run->desc->stage_count; s++) add_stage(worker, s, &one[s], &all[s]);
        add_rest(cost->crews);
        worker->predicting = predicting;
        worker->cost = w > 0 ? NULL : cost;
    }
    hp5_free(one);
    cost->stages = all;
    *(Hp5CostMachine *)(uintptr_t)empty = cost->crews->card;
    cost->machine = empty;
}

/* ---- What is printed beside the stages ---------------------------------------------------------------------------- */
void hp5_predict_card_head(const Hp5TaskRun *run) {
    const Hp5Crews *crews = run->workers[0].cost->crews;
    const int first = crews->task->first_level;
    printf("task %s on %s: %.0f %s, %.0f warps\n", run->desc->name, crews->card.names[first], crews->multiprocessors, crews->card.names[first + 1], crews->warps);
}

static double print_waits(const Hp5Crews *crews) {
    char text[HP5_NUMBER_TEXT];
    printf("  waits of the card: %s;", hp5_number_text(crews->most_waits[HP5_CARD_TIER], "", text));
    printf(" of a block: %s;", hp5_number_text(crews->most_waits[HP5_BLOCK_TIER], "", text));
    printf(" of a warp: %s;", hp5_number_text(crews->most_waits[HP5_WARP_TIER], "", text));
    printf(" copied there: %s", hp5_number_text(crews->all_copied, "B", text));
    if (crews->card.timed) printf("; together %s", hp5_duration_text(crews->most_seconds, text));
    printf("\n");
    return crews->most_seconds;
}

/* "320 kB of arrays and 23.1 kB of records in 3 copies" */
static double print_copies(const char *where, const int64_t *bytes, int64_t copies) {
    char text[HP5_NUMBER_TEXT];
    printf("%s %s of arrays", where, hp5_number_text((double)bytes[HP5_CARGO_ELEMENTS], "B", text));
    printf(" and %s of records in %lld cop%s", hp5_number_text((double)bytes[HP5_CARGO_RECORDS], "B", text), (long long)copies, copies == 1 ? "y" : "ies");
    return (double)(bytes[HP5_CARGO_ELEMENTS] + bytes[HP5_CARGO_RECORDS]);
}

static double print_traffic(const Hp5CostMachine *machine, int link, const Hp5Traffic *traffic, int launches) {
    char text[HP5_NUMBER_TEXT];
    double bytes = 0, seconds = (double)(traffic->gives + traffic->takes + launches) * machine->latency[link];
    bytes += print_copies("  to the card:", traffic->given, traffic->gives);
    bytes += print_copies("; back:", traffic->taken, traffic->takes);
    if (machine->bandwidth[link] > 0) seconds += bytes / machine->bandwidth[link];
    if (launches > 0) printf("; a launch");
    if (machine->timed) printf("; together %s", hp5_duration_text(seconds, text));
    printf("\n");
    return seconds;
}

/* For what comes back in the end, when the task's records are gone. */
static struct { Hp5CostMachine machine; int link; } last;

/* Each stage with the crew that it takes longest; waits; copies. */
double hp5_predict_card_rest(const Hp5TaskRun *run) {
    const Hp5Crews *crews = run->workers[0].cost->crews;
    double seconds = print_waits(crews);
    for (int s = 0; s < run->desc->stage_count; s++) seconds += run->workers[0].cost->stages[s].seconds;
    const Hp5Traffic traffic = hp5_card_traffic();
    seconds += print_traffic(&crews->card, crews->task->first_level, &traffic, 1);
    last.machine = crews->card;
    last.link = crews->task->first_level;
    return seconds;
}

void hp5_predict_card_outputs(void) {
    const Hp5Traffic traffic = hp5_card_traffic();
    if (traffic.gives + traffic.takes == 0) return;
    printf("outputs of the program\n");
    print_traffic(&last.machine, last.link, &traffic, 0);
}
