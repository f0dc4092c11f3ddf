/* The costs of a run: who counts (hp5_cost_begin), the machine as one thread sees it (cost_machine), and the table
 * of --predict. */
#include "runtime/predict/crews.h"
#include "runtime/predict/table.h"
#include "runtime/run/private.h"
#include <stdio.h>
#include <string.h>

/* ---- The machine ------------------------------------------------------------------------------------------------ */
/* PPUs of the lowest level in one PPU of level l. */
static double lowest_in(const Hp5TaskDesc *desc, int l) {
    double product = 1;
    for (int below = l + 1; below < desc->machine_level_count; below++) product *= desc->machine_levels[below].count;
    return product;
}

static double least(double a, double b) { return a < b ? a : b; }

/* How many threads share one PPU of level l: those of a process fill it, and processes fill what is above their own. */
static double threads_in(const Hp5TaskDesc *desc, int l, double threads, double segments) {
    int segment = -1;
    for (int s = 0; s < desc->machine_level_count; s++)
        if (desc->machine_levels[s].segment) segment = s;
    if (l >= segment || segments <= 1) return least(threads, lowest_in(desc, l));
    return least(segments, lowest_in(desc, l) / lowest_in(desc, segment)) * least(threads, lowest_in(desc, segment));
}

/* Where the model does not say it: a core of the last ten years waits for about so many lines at once. */
static const double common_in_flight = 10;

/* Threads fill the machine from its first PPU on: how many share one PPU of level l, and how many such PPUs within one of
 * the level above move at the same time. */
static void share_level(Hp5CostMachine *machine, const Hp5TaskDesc *desc, int l, double threads, double segments) {
    const Hp5Figures *figures = &desc->machine_figures[l];
    double here = threads_in(desc, l, threads, segments), siblings = 1;
    if (l > 0) {
        double above = threads_in(desc, l - 1, threads, segments);
        while (siblings * here < above) siblings++;
    }
    double at_once = figures->at_once > 0 ? figures->at_once : siblings;
    machine->capacity[l] = figures->memory / here;
    machine->bandwidth[l] = figures->bandwidth / here * least(1, at_once / siblings);
    machine->latency[l] = figures->latency;
    machine->in_flight[l] = figures->in_flight > 0 ? figures->in_flight : common_in_flight;
    machine->exchange[l] = figures->exchange;
}

/* Of a machine with several address spaces: data lie in the outermost memory, and what is above it, or leads to an address space as a
 * whole, is a network, which loads and stores never take. */
static void leave_network_out(Hp5CostMachine *machine, const Hp5TaskDesc *desc) {
    int segment = -1, outermost = 0;
    for (int l = 0; l < machine->levels; l++)
        if (desc->machine_levels[l].segment) segment = l;
    while (outermost < machine->levels && machine->capacity[outermost] <= 0) outermost++;
    for (int l = 0; l < machine->levels && segment >= 0; l++)
        if (l < outermost || (l == outermost && l == segment)) machine->bandwidth[l] = machine->latency[l] = 0;
}

/* `threads` in each of `segments` processes. */
static void cost_machine(Hp5CostMachine *machine, const Hp5TaskDesc *desc, int threads, int segments) {
    *machine = (Hp5CostMachine){.line = 64, .levels = desc->machine_level_count < HP5_COST_LEVELS ? desc->machine_level_count : HP5_COST_LEVELS};
    for (int l = 0; l < machine->levels; l++) {
        machine->names[l] = desc->machine_levels[l].name;
        if (desc->machine_figures == NULL) continue;
        share_level(machine, desc, l, threads, segments);
        const Hp5Figures *figures = &desc->machine_figures[l];
        if (figures->clock <= 0 || figures->operations <= 0) continue;
        double sharers = threads_in(desc, l, threads, segments);
        machine->timed = true;
        machine->clock = figures->clock / sharers; /* threads of one core take turns */
        machine->operations = figures->operations;
        machine->own_bandwidth = figures->own_bandwidth / sharers;
        machine->scalar = figures->scalar;
        machine->dependent = figures->dependent;
        machine->divide = figures->divide;
        machine->function = figures->function;
        machine->start = figures->start;
    }
    leave_network_out(machine, desc);
    if (!machine->timed || machine->scalar > 0) return;
    /* A model without measured cycles: what processors of the last ten years have in common (docs/prediction.md). */
    machine->scalar = 0.4;
    machine->dependent = 4;
    machine->divide = 5;
    machine->function = 40;
    machine->start = 20;
}

void hp5_cost_host(Hp5CostMachine *machine, const Hp5TaskDesc *desc) {
    Hp5TaskDesc host = *desc;
    host.machine_level_count = desc->card->first_level;
    cost_machine(machine, &host, 1, 1);
}

/* ---- Counting --------------------------------------------------------------------------------------------------------- */
/* How often the thread has waited for others in barriers; groups may serve several LPSes. */
static uint32_t barriers_of(const Hp5TaskRun *run, const Hp5Worker *worker) {
    uint32_t sum = 0;
    for (int x = 0; x < run->desc->lps_count; x++) {
        bool seen = worker->groups[x]->count <= 1;
        for (int y = 0; y < x && !seen; y++) seen = worker->groups[y] == worker->groups[x];
        if (!seen) sum += atomic_load(&worker->groups[x]->phase);
    }
    return sum;
}

typedef struct Home {
    Hp5Cost *cost;
    int slot;
} Home;

static void remember_copy(Hp5Worker *w, Hp5Lpu *lpu, void *data) {
    const Home *home = data;
    const Hp5View *view = &lpu->views[home->slot];
    (void)w;
    Hp5ReuseEntry entry = {.hi = {1, 1, 1}, .stride = {1, 1, 1}, .touched = 1, .bytes = (double)view->store->element_size};
    for (int d = 0; d < view->store->rank; d++) {
        if (d < 3) entry.lo[d] = view->part[d].begin, entry.hi[d] = view->part[d].end;
        entry.bytes *= (double)view->store->extent[d];
    }
    double hits[HP5_COST_LEVELS];
    for (int k = view->store->versions - 1; k >= 0; k--) {
        entry.data = view->store->version[k];
        hp5_reuse_touch(&home->cost->reuse, home->cost->machine, &entry, hits);
    }
}

/* The copies that are the array, in the LPUs that the thread runs. */
static void remember_copies(Hp5TaskRun *run, Hp5Worker *worker) {
    for (int a = 0; a < run->desc->array_count; a++) {
        int lps = run->desc->arrays[a].home, slot = hp5_slot_of(run->desc, lps, a);
        if (lps > 0 && slot >= 0) hp5_visit_lpus(worker, lps, remember_copy, &(Home){worker->cost, slot});
    }
}

/* The data were read or made just before, one array after the other; what lies in Root's stores may still be near. */
static void remember_arrays(const Hp5TaskRun *run, Hp5Cost *cost) {
    for (int a = 0; a < run->desc->array_count; a++) {
        const Hp5Store *store = &run->hidden->stores.roots[a];
        double hits[HP5_COST_LEVELS], bytes = (double)store->element_size;
        Hp5ReuseEntry entry = {.hi = {1, 1, 1}, .stride = {1, 1, 1}, .touched = 1};
        for (int d = 0; d < store->rank; d++) bytes *= (double)store->extent[d];
        for (int d = 0; d < store->rank && d < 3; d++) entry.lo[d] = store->lo[d], entry.hi[d] = store->lo[d] + store->extent[d];
        entry.bytes = bytes;
        for (int k = store->versions - 1; k >= 0; k--) {
            entry.data = store->version[k];
            if (entry.data != NULL) hp5_reuse_touch(&cost->reuse, cost->machine, &entry, hits);
        }
    }
}

/* Who counts: of a task on a card one for all crews. */
static int counting_threads(const Hp5TaskRun *run) { return run->desc->card != NULL && run->hidden->threads > 1 ? 1 : run->hidden->threads; }

void hp5_cost_begin(Hp5TaskRun *run, bool predicting) {
    Hp5CostMachine *machine = hp5_alloc(sizeof *machine, "costs");
    if (run->desc->card == NULL) cost_machine(machine, run->desc, run->hidden->threads, run->hidden->segments.count);
    else *machine = (Hp5CostMachine){.crews = true}; /* hp5_predict_card knows more */
    for (int t = 0; t < counting_threads(run); t++) {
        Hp5Worker *worker = &run->workers[t];
        worker->predicting = predicting;
        worker->cost = hp5_alloc_zeroed(sizeof *worker->cost, "costs");
        worker->cost->machine = machine;
        worker->cost->stages = hp5_alloc_zeroed((int64_t)sizeof(Hp5StageCost) * (run->desc->stage_count + 1), "costs");
        worker->cost->barriers = run->desc->card != NULL ? 0 : barriers_of(run, worker);
        worker->rounds = 0;
    }
}

void hp5_cost_remember(Hp5TaskRun *run) {
    for (int t = 0; t < run->hidden->threads; t++)
        if (run->workers[t].cost != NULL) {
            remember_arrays(run, run->workers[t].cost);
            remember_copies(run, &run->workers[t]);
        }
}

void hp5_cost_finish(Hp5TaskRun *run) {
    hp5_free((void *)(uintptr_t)run->workers[0].cost->machine);
    for (int t = 0; t < counting_threads(run); t++) {
        Hp5Worker *worker = &run->workers[t];
        hp5_free(worker->cost->stages);
        hp5_free(worker->cost->measured);
        hp5_free(worker->cost->crews);
        hp5_free(worker->cost);
        worker->cost = NULL;
        worker->predicting = false;
    }
}

Hp5StageCost hp5_cost_of(const Hp5TaskRun *run, int stage) {
    Hp5StageCost sum = {0};
    for (int t = 0; t < counting_threads(run); t++) {
        const Hp5StageCost *one = &run->workers[t].cost->stages[stage];
        sum.calls += one->calls;
        sum.operations += one->operations;
        sum.accessed += one->accessed;
        sum.partial |= one->partial;
        for (int l = 0; l < HP5_COST_LEVELS; l++) sum.moved[l] += one->moved[l];
        if (one->seconds < sum.seconds) continue;
        sum.seconds = one->seconds;
        memcpy(sum.terms, one->terms, sizeof sum.terms);
    }
    return sum;
}

const char *hp5_cost_bound(const Hp5TaskRun *run, const Hp5StageCost *cost, char text[HP5_BOUND_TEXT]) {
    const Hp5CostMachine *machine = run->workers[0].cost->machine;
    int most = 0;
    for (int t = 1; t < HP5_TERMS; t++)
        if (cost->terms[t] > cost->terms[most]) most = t;
    text[0] = '\0';
    if (cost->terms[most] <= 0) return text;
    if (most == HP5_TERM_COMPUTE) snprintf(text, HP5_BOUND_TEXT, "computing");
    else if (most == HP5_TERM_CHAIN) snprintf(text, HP5_BOUND_TEXT, "a chain of operations");
    else if (most == HP5_TERM_OWN) snprintf(text, HP5_BOUND_TEXT, "loads and stores");
    else if (most == HP5_TERM_LATENCY) snprintf(text, HP5_BOUND_TEXT, "waiting for data");
    else if (most == HP5_TERM_WAIT) snprintf(text, HP5_BOUND_TEXT, "waiting for each other");
    else snprintf(text, HP5_BOUND_TEXT, "moving to %s", machine->names[most - HP5_TERM_MOVE]);
    return text;
}

/* ---- The table ------------------------------------------------------------------------------------------------------------ */
const char *hp5_number_text(double value, const char *unit, char text[HP5_NUMBER_TEXT]) {
    static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
    int prefix = 0;
    while (value >= 999.5 && prefix < 6) value /= 1000, prefix++;
    int decimals = value >= 99.95 || (prefix == 0 && value == (double)(int64_t)value) ? 0 : value >= 9.995 ? 1 : 2;
    snprintf(text, HP5_NUMBER_TEXT, "%.*f %s%s", decimals, value, prefixes[prefix], unit);
    if (prefix == 0 && unit[0] == '\0') text[strlen(text) - 1] = '\0';
    return text;
}

const char *hp5_duration_text(double seconds, char text[HP5_NUMBER_TEXT]) {
    static const char *const units[] = {"s", "ms", "us", "ns"};
    int unit = seconds > 0 ? 0 : 4;
    while (seconds < 0.9995 && unit < 3) seconds *= 1000, unit++;
    if (unit == 4) snprintf(text, HP5_NUMBER_TEXT, "0 s");
    else snprintf(text, HP5_NUMBER_TEXT, "%.*f %s", seconds >= 99.95 ? 0 : seconds >= 9.995 ? 1 : 2, seconds, units[unit]);
    return text;
}

static int name_width(const Hp5TaskRun *run) {
    int width = 5;
    for (int s = 0; s < run->desc->stage_count; s++) {
        int length = (int)strlen(run->desc->stage_names[s]);
        if (length > width) width = length;
    }
    return width;
}

static int level_width(const char *name) {
    int length = (int)strlen(name) + 3;
    return length > 8 ? length : 8;
}

/* Levels to which nothing moves in stages have no column: those that lead to a card whose host runs none. */
static int first_level(const Hp5TaskRun *run) {
    if (run->desc->card == NULL) return 1;
    return run->desc->card->first_level + (run->desc->on_host == NULL ? 1 : 0);
}

static void print_head(const Hp5TaskRun *run, const Hp5CostMachine *machine) {
    int threads = run->hidden->threads;
    if (run->desc->card == NULL) printf("task %s on %d thread%s\n", run->desc->name, threads, threads == 1 ? "" : "s");
    else hp5_predict_card_head(run);
    printf("  %-*s %8s %10s %12s", name_width(run), "stage", "calls", "operations", "loads+stores");
    for (int l = first_level(run); l < machine->levels; l++) printf(" %*s%s", level_width(machine->names[l]) - (int)strlen(machine->names[l]), "to ", machine->names[l]);
    printf(" %9s  %s\n", "time", "bound by");
}

static void print_stage(const Hp5TaskRun *run, const Hp5CostMachine *machine, int stage) {
    Hp5StageCost cost = hp5_cost_of(run, stage);
    char text[HP5_NUMBER_TEXT], bound[HP5_BOUND_TEXT];
    printf("  %-*s %8s", name_width(run), run->desc->stage_names[stage], hp5_number_text(cost.calls, "", text));
    printf(" %9s%s", hp5_number_text(cost.operations, "", text), cost.partial ? "*" : " ");
    printf(" %12s", hp5_number_text(cost.accessed, "B", text));
    for (int l = first_level(run); l < machine->levels; l++) printf(" %*s", level_width(machine->names[l]), hp5_number_text(cost.moved[l], "B", text));
    const char *by = hp5_cost_bound(run, &cost, bound);
    printf(" %9s%s%s\n", machine->timed ? hp5_duration_text(cost.seconds, text) : "-", by[0] ? "  " : "", by);
}

double hp5_cost_copy_seconds(const Hp5CostMachine *machine, double bytes) {
    double bandwidth = 0;
    for (int l = 1; l < machine->levels; l++)
        if (machine->bandwidth[l] > 0) bandwidth = machine->bandwidth[l];
    return bandwidth > 0 ? 3 * bytes / bandwidth : 0;
}

/* Barriers, and what moves between stores. */
static double print_rest(const Hp5TaskRun *run, const Hp5CostMachine *machine) {
    double barriers = 0, copied = 0, most = 0, latency = 0;
    for (int t = 0; t < run->hidden->threads; t++) {
        const Hp5Worker *worker = &run->workers[t];
        double waits = (double)(uint32_t)(barriers_of(run, worker) - worker->cost->barriers);
        if (waits > barriers) barriers = waits;
        copied += worker->cost->transferred;
        if (worker->cost->transferred > most) most = worker->cost->transferred;
    }
    for (int l = 1; l < machine->levels; l++)
        if (machine->exchange[l] > latency) latency = machine->exchange[l];
    double seconds = barriers * latency * 2 + hp5_cost_copy_seconds(machine, most);
    char text[HP5_NUMBER_TEXT];
    printf("  barriers: %s;", hp5_number_text(barriers, "", text));
    printf(" copied between parts: %s", hp5_number_text(copied, "B", text));
    if (machine->timed) printf("; together %s", hp5_duration_text(seconds, text));
    printf("\n");
    return seconds;
}

static double longest_thread(const Hp5TaskRun *run) {
    double longest = 0;
    for (int t = 0; t < run->hidden->threads; t++) {
        double sum = 0;
        for (int s = 0; s < run->desc->stage_count; s++) sum += run->workers[t].cost->stages[s].seconds;
        if (sum > longest) longest = sum;
    }
    return longest;
}

void hp5_predict_report(const Hp5TaskRun *run) {
    const Hp5CostMachine *machine = run->workers[0].cost->machine;
    bool partial = false;
    print_head(run, machine);
    for (int s = 0; s < run->desc->stage_count; s++) {
        print_stage(run, machine, s);
        partial |= hp5_cost_of(run, s).partial;
    }
    char text[HP5_NUMBER_TEXT];
    const double seconds = run->desc->card != NULL ? hp5_predict_card_rest(run) : print_rest(run, machine) + longest_thread(run);
    if (machine->timed) printf("  predicted: %s\n", hp5_duration_text(seconds, text));
    else printf("  no times: the model states no 'compute' with operations and clock ('hp5c --probe' measures this machine)\n");
    if (partial) printf("  * holds code that cannot be counted, or a loop that counts as one round\n");
    fflush(stdout);
}
