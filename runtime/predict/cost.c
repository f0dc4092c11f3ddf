/* From counts to bytes and seconds. Read hp5_cost_block: operations, then the bytes that each level moves, then the
 * roofline. Everything here is arithmetic on a few numbers; no element of an array is read but by hp5_cost_peek. */
#include "runtime/predict/cost.h"
#include "runtime/task/private.h"
#include <math.h>
#include <string.h>

/* ---- Loops ------------------------------------------------------------------------------------------------- */
void hp5_cost_loop(Hp5Cost *cost, double trips) {
    if (cost->loops < HP5_COST_LOOPS) cost->trips[cost->loops] = trips;
    cost->loops++;
}

void hp5_cost_end(Hp5Cost *cost) { cost->loops--; }

Hp5CostSample hp5_cost_sample(Hp5Cost *cost, double trips) {
    hp5_cost_loop(cost, 0);
    return (Hp5CostSample){trips, 0, 0, trips < HP5_COST_SAMPLES ? (int)trips : HP5_COST_SAMPLES};
}

/* One iteration of each of `count` runs, at a place that moves from run to run, so that no stride of the program's is hit
 * always or never. */
bool hp5_cost_next(Hp5Cost *cost, Hp5CostSample *sample) {
    if (sample->next >= sample->count) {
        hp5_cost_end(cost);
        return false;
    }
    int64_t begin = (int64_t)(sample->trips * sample->next / sample->count);
    int64_t end = (int64_t)(sample->trips * (sample->next + 1) / sample->count);
    uint64_t mixed = (uint64_t)(sample->next + 1 + 5 * cost->loops) * 0x9E3779B97F4A7C15u;
    sample->at = begin + (end > begin ? (int64_t)((mixed >> 33) % (uint64_t)(end - begin)) : 0);
    sample->next++;
    if (cost->loops <= HP5_COST_LOOPS) cost->trips[cost->loops - 1] = (double)(end - begin);
    return true;
}

double hp5_cost_part_trips(const Hp5Set *part, int64_t begin, int64_t end) {
    if (begin < part->begin) begin = part->begin;
    if (end > part->end) end = part->end;
    if (begin >= end) return 0;
    if (hp5_set_is_interval(part)) return (double)(end - begin);
    double sum = 0;
    int64_t runs = hp5_set_run_count(part), first = hp5_set_find_run(part, begin);
    for (int64_t k = first; k < runs; k++) {
        Hp5Run run = hp5_set_run(part, k);
        if (run.begin >= end) break;
        sum += hp5_cost_trips(run.begin > begin ? run.begin : begin, run.end < end ? run.end : end);
    }
    return sum;
}

int64_t hp5_cost_pick(const Hp5Set *part, int64_t begin, int64_t at) {
    if (begin < part->begin) begin = part->begin;
    if (hp5_set_is_interval(part)) return begin + at;
    int64_t runs = hp5_set_run_count(part);
    for (int64_t k = hp5_set_find_run(part, begin); k < runs; k++) {
        Hp5Run run = hp5_set_run(part, k);
        int64_t first = run.begin > begin ? run.begin : begin;
        if (at < run.end - first) return first + at;
        at -= run.end - first;
    }
    return begin;
}

const void *hp5_cost_peek(const Hp5View *view, int lag, const int64_t *index) {
    static const double zeros[512];
    const Hp5Store *store = view->store;
    if (store == NULL || store->version[lag] == NULL || store->element_size > sizeof zeros) return zeros;
    int64_t offset = 0;
    for (int d = 0; d < store->rank; d++) {
        if (index[d] < store->lo[d] || index[d] >= store->lo[d] + store->extent[d]) return zeros;
        offset += (index[d] - store->lo[d]) * store->stride[d];
    }
    return store->version[lag] + offset * (int64_t)store->element_size;
}

void hp5_cost_unknown(Hp5Cost *cost) { cost->stage->partial = true; }

bool hp5_cost_round(Hp5Worker *worker, int step) {
    uint64_t bit = (uint64_t)1 << (step & 63);
    worker->rounds ^= bit;
    return (worker->rounds & bit) != 0;
}

Hp5Cost *hp5_cost_call(Hp5Worker *worker, int stage) {
    Hp5Cost *cost = worker->cost;
    cost->stage = &cost->stages[stage];
    cost->stage->calls++;
    cost->loops = 0;
    if (cost->machine->timed) {
        double seconds = cost->machine->start / cost->machine->clock;
        cost->stage->seconds += seconds;
        cost->stage->terms[HP5_TERM_COMPUTE] += seconds;
    }
    return cost;
}

/* ---- Bytes ---------------------------------------------------------------------------------------------------- */
enum { LINE = 64 };

typedef struct Block {
    Hp5Cost *cost;
    const Hp5CostBlock *counts;
    const Hp5View *const *views;
    int loops;
} Block;

static double trips_between(const Block *block, int from, int to) {
    double product = 1;
    for (int l = from; l < to; l++) product *= block->cost->trips[l];
    return product;
}

/* Indices of dimension d that the access touches while the loops from the k-th on run. */
static double extent_of(const Block *block, const Hp5CostAccess *access, int d, int k) {
    const Hp5View *view = block->views[access->view];
    double whole = (double)(view->part[d].end - view->part[d].begin), extent = 1;
    if (access->anywhere[d]) return fmin(whole, trips_between(block, k, block->loops));
    for (int l = k; l < block->loops; l++)
        if (access->moves[d] & (1u << l)) extent += block->cost->trips[l] - 1;
    return fmax(1, fmin(whole, extent + access->spread[d]));
}

/* Bytes of the access while the loops from the k-th on run, whole cache lines. */
static double footprint(const Block *block, const Hp5CostAccess *access, int k) {
    const Hp5Store *store = block->views[access->view]->store;
    if (store == NULL) return 0;
    double size = (double)store->element_size, rows = 1;
    for (int d = 0; d + 1 < store->rank; d++) rows *= extent_of(block, access, d, k);
    double row = size * extent_of(block, access, store->rank - 1, k);
    double held = size * (double)store->extent[store->rank - 1];
    if (access->anywhere[store->rank - 1]) row = fmin(held, row / size * LINE);
    return rows * fmax(row, fmin(held, LINE));
}

static double working_set(const Block *block, int k) {
    double sum = 0;
    for (int a = 0; a < block->counts->access_count; a++) sum += footprint(block, &block->counts->accesses[a], k);
    return sum;
}

/* The outermost loop from which on all that is touched fits into `capacity`. */
static int fitting_loop(const Block *block, double capacity) {
    for (int k = 0; k < block->loops; k++)
        if (working_set(block, k) <= capacity) return k;
    return block->loops;
}

static Hp5ReuseEntry touched_box(const Block *block, const Hp5CostAccess *access) {
    const Hp5View *view = block->views[access->view];
    Hp5ReuseEntry entry = {.data = view->store->version[access->lag], .hi = {1, 1, 1}, .bytes = footprint(block, access, 0)};
    for (int d = 0; d < 3; d++) entry.stride[d] = 1;
    for (int d = 0; d < view->store->rank && d < 3; d++) {
        const Hp5Set *part = &view->part[d];
        entry.lo[d] = part->begin;
        entry.hi[d] = part->end;
        int64_t count = hp5_set_is_interval(part) ? 0 : hp5_set_count(part);
        if (count > 0) entry.stride[d] = (part->end - part->begin + count - 1) / count;
    }
    return entry;
}

/* Elements that lie alone or in short runs: no hardware fetches them ahead, and only a few are on their way at once. */
enum { SHORT_RUN = 256, ON_THEIR_WAY = 4 };
static bool is_scattered(const Block *block, const Hp5CostAccess *access) {
    const Hp5Store *store = block->views[access->view]->store;
    int last = store->rank - 1;
    double row = (double)store->element_size * extent_of(block, access, last, 0);
    bool moves = false;
    for (int d = 0; d < last; d++) moves |= access->moves[d] != 0 || access->anywhere[d];
    return access->anywhere[last] || (moves && row < SHORT_RUN && store->extent[last] * (int64_t)store->element_size >= SHORT_RUN);
}

/* Seconds in which the bytes come from the level above. */
static double moving(const Hp5CostMachine *machine, int l, double bytes, bool scattered) {
    if (machine->bandwidth[l] <= 0) return 0;
    double streamed = bytes / machine->bandwidth[l];
    return scattered ? fmax(streamed, bytes / LINE * machine->latency[l] / ON_THEIR_WAY) : streamed;
}

/* Adds, for each level, what the access brings from above: what earlier calls have not left there, or, where the
 * block's data do not fit, everything in each round of the innermost loop that does not fit. */
static void move_access(const Block *block, const Hp5CostAccess *access, const int *fits, double *moved, double *seconds) {
    const Hp5CostMachine *machine = block->cost->machine;
    const Hp5View *view = block->views[access->view];
    if (view->store == NULL) return;
    bool scattered = is_scattered(block, access);
    double hits[HP5_COST_LEVELS], both_ways = access->writes > 0 ? 2 : 1, bytes = 0;
    Hp5ReuseEntry entry = touched_box(block, access);
    hp5_reuse_touch(&block->cost->reuse, machine, &entry, hits);
    bool any = false;
    for (int l = machine->levels - 1; l > 0; l--) { /* a level without memory passes on what those below it lack */
        if (machine->capacity[l] > 0) {
            int k = fits[l];
            bytes = k == 0 ? entry.bytes - hits[l] : footprint(block, access, k - 1) * trips_between(block, 0, k - 1);
            bytes = fmax(0, bytes) * both_ways;
            any = true;
        } else if (!any) {
            bytes = (access->reads + access->writes) * (double)view->store->element_size * trips_between(block, 0, block->loops);
        }
        moved[l] += bytes;
        seconds[l] += moving(machine, l, bytes, scattered);
    }
}

/* ---- Seconds ------------------------------------------------------------------------------------------------------ */
/* Instructions that processors start in one cycle besides the arithmetic are counted with it where code is scalar; in
 * vectors, loads and stores are what the thread's own memory delivers (HP5_TERM_OWN). */
static double cycles_of_iteration(const Hp5CostMachine *machine, const Hp5CostBlock *counts, double touched, double innermost) {
    double additions = counts->reals - 2 * counts->fused + counts->integers, instructions = additions + counts->fused;
    double alone = (instructions + touched + 2) * machine->scalar + counts->divisions * machine->divide +
                   counts->functions * machine->function;
    if (counts->lanes == 0) return alone;
    double lanes = machine->operations / 2 * 8 / counts->lanes; /* operations count a fused multiply-add twice */
    if (counts->multiply) return counts->reals / (machine->operations * 8 / counts->lanes);
    double together = instructions / lanes + counts->divisions * machine->divide / fmax(1, lanes / 4);
    double vector = fmax(1, lanes / 2), rest = fmod(innermost, vector) / innermost; /* left over: one by one */
    return together * (1 - rest) + alone * rest;
}

/* Out-of-order execution hides a chain that ends soon behind the next one. */
static double chain_cycles(const Hp5CostMachine *machine, const Hp5CostBlock *counts, double innermost) {
    if (counts->chain <= 0) return 0;
    double instructions = counts->reals + counts->integers + 8 * counts->divisions + 2;
    double ahead = 256 / instructions;
    return counts->chain * machine->dependent * (innermost >= ahead ? 1 : innermost / ahead);
}

/* Lanes of a reduction start at the identity, and end in a tree: so many operations in each 1024 iterations, besides a
 * loop of its own for each 32. */
enum { CHUNK = 1024, LANES = 8 * 32 };

static void add_seconds(const Block *block, double iterations, double touched, double own, const double *moving) {
    const Hp5CostMachine *machine = block->cost->machine;
    const Hp5CostBlock *counts = block->counts;
    double seconds[HP5_TERMS] = {0}, innermost = block->loops > 0 ? block->cost->trips[block->loops - 1] : 1;
    double starts = innermost > 0 && !counts->multiply && block->loops > 1 ? iterations / innermost : 0;
    double start = starts * machine->start;
    if (counts->reductions > 0 && innermost > 0)
        start += iterations / innermost * counts->reductions *
                 (ceil(innermost / CHUNK) * LANES * machine->scalar + ceil(innermost / 32) * machine->start);
    seconds[HP5_TERM_COMPUTE] = (iterations * cycles_of_iteration(machine, counts, touched, innermost) + start) / machine->clock;
    seconds[HP5_TERM_CHAIN] = (iterations * chain_cycles(machine, counts, innermost) + start) / machine->clock;
    if (machine->own_bandwidth > 0 && counts->lanes > 0 && !counts->multiply) seconds[HP5_TERM_OWN] = own / machine->own_bandwidth;
    for (int l = 1; l < machine->levels; l++) seconds[HP5_TERM_MOVE + l] = moving[l];
    int binding = 0;
    for (int t = 1; t < HP5_TERMS; t++)
        if (seconds[t] > seconds[binding]) binding = t;
    block->cost->stage->seconds += seconds[binding];
    block->cost->stage->terms[binding] += seconds[binding];
}

/* Bytes that vector loops load and store: what stays where it is while the innermost loop runs is in a register, and of an
 * element with fields one field is touched at a time. */
enum { WIDEST_NUMBER = 8 };
static double own_bytes(const Block *block, const Hp5CostAccess *access) {
    const Hp5Store *store = block->views[access->view]->store;
    if (store == NULL || block->loops == 0) return 0;
    bool moves = false;
    for (int d = 0; d < store->rank; d++) moves |= access->anywhere[d] || (access->moves[d] >> (block->loops - 1) & 1) != 0;
    return (access->reads + access->writes) * fmin((double)store->element_size, WIDEST_NUMBER) *
           trips_between(block, 0, moves ? block->loops : block->loops - 1);
}

/* A loop that never runs is begun all the same, in each round of those around it. */
static void add_empty_loops(const Block *block) {
    const Hp5CostMachine *machine = block->cost->machine;
    if (!machine->timed || block->loops == 0) return;
    double seconds = trips_between(block, 0, block->loops - 1) * machine->start / machine->clock;
    block->cost->stage->seconds += seconds;
    block->cost->stage->terms[HP5_TERM_COMPUTE] += seconds;
}

void hp5_cost_block(Hp5Cost *cost, const Hp5CostBlock *counts, const Hp5View *const *views) {
    Block block = {cost, counts, views, cost->loops < HP5_COST_LOOPS ? cost->loops : HP5_COST_LOOPS};
    const Hp5CostMachine *machine = cost->machine;
    double iterations = trips_between(&block, 0, block.loops), touched = 0, accessed = 0, own = 0, moved[HP5_COST_LEVELS] = {0}, seconds[HP5_COST_LEVELS] = {0};
    if (iterations <= 0) {
        add_empty_loops(&block);
        return;
    }
    int fits[HP5_COST_LEVELS] = {0};
    for (int l = 1; l < machine->levels; l++)
        if (machine->capacity[l] > 0 && !counts->multiply) fits[l] = fitting_loop(&block, machine->capacity[l]);
    for (int a = 0; a < counts->access_count; a++) {
        const Hp5CostAccess *access = &counts->accesses[a];
        double elements = access->reads + access->writes;
        touched += elements;
        if (views[access->view]->store != NULL) accessed += elements * (double)views[access->view]->store->element_size * iterations;
        own += own_bytes(&block, access);
        move_access(&block, access, fits, moved, seconds);
    }
    Hp5StageCost *stage = cost->stage;
    stage->operations += iterations * (counts->reals + counts->integers + counts->divisions + counts->functions);
    stage->accessed += accessed;
    stage->partial |= counts->partial;
    for (int l = 1; l < machine->levels; l++) stage->moved[l] += moved[l];
    if (machine->timed) add_seconds(&block, iterations, touched, own, seconds);
}
