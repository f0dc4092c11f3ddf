/* From counts to bytes and seconds. Read hp5_cost_block: operations, then the bytes that each level moves, then the
 * roofline. Everything here is arithmetic on a few numbers; no element of an array is read but by hp5_cost_peek. */
#include "runtime/predict/cost_blocks.h"
#include "runtime/run/private.h"
#include <math.h>
#include <string.h>

/* ---- Loops ------------------------------------------------------------------------------------------------- */
static void open_loop(Hp5Cost *cost, Hp5CostLoop loop) {
    if (cost->loops < HP5_COST_LOOPS) cost->open[cost->loops] = loop;
    cost->loops++;
}

void hp5_cost_loop(Hp5Cost *cost, double trips) { open_loop(cost, (Hp5CostLoop){trips, trips, 1, 1, trips}); }

void hp5_cost_loop_of_part(Hp5Cost *cost, const Hp5Set *part, int64_t begin, int64_t end) {
    double trips = hp5_cost_part_trips(part, begin, end);
    int64_t last = hp5_set_find_run(part, end);
    int64_t runs = last - hp5_set_find_run(part, begin) + (last < hp5_set_run_count(part) && hp5_set_run(part, last).begin < end);
    open_loop(cost, (Hp5CostLoop){trips, trips, 1 + fmax(0, (double)runs), 1, trips});
}

void hp5_cost_end(Hp5Cost *cost) {
    cost->loops--;
    hp5_crew_goes_on(cost);
}

Hp5CostSample hp5_cost_sample(Hp5Cost *cost, double trips) {
    open_loop(cost, (Hp5CostLoop){0, trips, 1, 1, 0});
    return (Hp5CostSample){trips, 0, 0, trips < HP5_COST_SAMPLES ? (int)trips : HP5_COST_SAMPLES};
}

/* One iteration of each of `count` runs, at a place that moves from run to run, so that no stride of the program's is hit
 * always or never. */
bool hp5_cost_next(Hp5Cost *cost, Hp5CostSample *sample) {
    if (sample->next >= sample->count) {
        hp5_cost_end(cost);
        return false;
    }
    hp5_crew_goes_on(cost);
    int64_t begin = (int64_t)(sample->trips * sample->next / sample->count);
    int64_t end = (int64_t)(sample->trips * (sample->next + 1) / sample->count);
    uint64_t mixed = (uint64_t)(sample->next + 1 + 5 * cost->loops) * 0x9E3779B97F4A7C15u;
    sample->at = begin + (end > begin ? (int64_t)((mixed >> 33) % (uint64_t)(end - begin)) : 0);
    sample->next++;
    if (cost->loops <= HP5_COST_LOOPS) cost->open[cost->loops - 1].trips = (double)(end - begin);
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

static const double zeros[512];

static bool can_peek(const Hp5Store *store, int lag, const int64_t *index) {
    if (store == NULL || store->version[lag] == NULL || store->element_size > sizeof zeros) return false;
    for (int d = 0; d < store->rank; d++)
        if (!hp5_store_has(store, d, index[d])) return false;
    return true;
}

const void *hp5_cost_peek(const Hp5View *view, int lag, const int64_t *index) {
    const Hp5Store *store = view->store;
    return can_peek(store, lag, index) ? store->version[lag] + hp5_store_offset(store, index) * (int64_t)store->element_size : (const void *)zeros;
}

const void *hp5_cost_peek_field(const Hp5View *view, int lag, const int64_t *index, size_t offset, size_t size) {
    const Hp5Store *store = view->store;
    if (!can_peek(store, lag, index)) return zeros;
    return store->version[lag] + store->capacity * (int64_t)offset + hp5_store_offset(store, index) * (int64_t)size;
}

void hp5_cost_unknown(Hp5Cost *cost) { cost->stage->partial = true; }

int64_t hp5_cost_rounds(const Hp5Worker *worker) {
    if (!hp5_comm_is_imagined()) return 1;
    if (worker->cost->most_rounds == 0)
        hp5_fail(HP5_EXIT_USAGE,
                 "task %s: how many rounds its 'Repeat while' takes depends on results, which a simulation does not compute\n"
                 "  say with --assume-rounds N how many it would take",
                 worker->run->desc->name);
    return worker->cost->most_rounds;
}

bool hp5_cost_round(Hp5Worker *worker, int step) {
    if (hp5_comm_is_imagined()) {
        int64_t *taken = &worker->cost->rounds[step & 63];
        bool more = *taken < hp5_cost_rounds(worker);
        *taken = more ? *taken + 1 : 0;
        return more;
    }
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
/* What the block's accesses take from each level. */
typedef struct Moving {
    double bytes[HP5_COST_LEVELS], streams[HP5_COST_LEVELS], waits[HP5_COST_LEVELS];
} Moving;

static Hp5ReuseEntry touched_box(const Hp5Block *block, const Hp5CostAccess *access) {
    const Hp5View *view = block->views[access->view];
    Hp5ReuseEntry entry = {.data = view->store->version[access->lag], .hi = {1, 1, 1}, .block = block->counts, .bytes = hp5_block_footprint(block, access, 0)};
    double box = (double)view->store->element_size;
    for (int d = 0; d < view->store->rank; d++) box *= fmax(1, (double)hp5_set_count(&view->part[d]));
    entry.touched = fmin(1, entry.bytes / box);
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

/* Prefetchers fetch ahead what lies in a row; they take some lines to catch on, and stop at the end of a page. What share
 * of the access's lines comes without them: all where elements lie alone. */
enum { CATCH_ON = 8 * 64, PAGE = 4096 };
static double unforeseen(const Hp5Block *block, const Hp5CostAccess *access) {
    const Hp5Store *store = block->views[access->view]->store;
    int last = store->rank - 1;
    double size = (double)store->element_size, row = size * hp5_block_extent(block, access, last, 0);
    bool moves = false, all = row >= size * (double)store->extent[last]; /* the next row follows at once */
    for (int d = 0; d < last; d++) moves |= access->moves[d] != 0 || access->anywhere[d];
    if (access->anywhere[last]) return size * (double)store->extent[last] > PAGE ? 1 : 0;
    return !moves || all || row >= PAGE ? 0 : fmin(1, CATCH_ON / row);
}

/* Adds the seconds in which `bytes` come from the level above l: in streams, which run while the core computes, or line after
 * line as the core asks for them; `back`: how many return. */
static void move_from(const Hp5Block *block, int l, double bytes, double back, double alone, Moving *moving) {
    const Hp5CostMachine *machine = block->cost->machine;
    if (machine->bandwidth[l] <= 0) return;
    double waiting = machine->latency[l] / machine->in_flight[l], streaming = machine->line / machine->bandwidth[l];
    if (waiting < streaming) alone = 0;
    moving->streams[l] += (bytes * (1 - alone) + back) / machine->bandwidth[l];
    moving->waits[l] += bytes * alone / machine->line * waiting;
}

/* Bytes of the access that come into level l from above: what earlier calls have not left there, or, where the block's data
 * do not fit, everything in each round of the innermost loop that does not fit. Below the lowest memory: each element that is read
 * or written. Returns the lowest level with a memory, 0: none. */
static int bytes_to_levels(const Hp5Block *block, const Hp5CostAccess *access, const int *fits, double *bytes) {
    const Hp5CostMachine *machine = block->cost->machine;
    const Hp5View *view = block->views[access->view];
    double hits[HP5_COST_LEVELS];
    Hp5ReuseEntry entry = touched_box(block, access);
    const double strip = view->store->number < 0 ? (double)view->store->capacity * (double)view->store->element_size : 0; /* taken again for each strip */
    if (strip > 0) entry.bytes = fmin(entry.bytes, strip);
    hp5_reuse_touch(&block->cost->reuse, machine, &entry, hits);
    int lowest = 0;
    for (int l = machine->levels - 1; l > 0; l--) { /* a level without memory passes on what those below it lack */
        if (machine->capacity[l] > 0) {
            int k = fits[l];
            bytes[l] = k == 0 ? entry.bytes - hits[l] : hp5_block_footprint(block, access, k - 1) * hp5_block_trips(block, 0, k - 1);
            bytes[l] = strip > 0 && strip <= machine->capacity[l] ? 0 : fmax(0, bytes[l]);
            if (lowest == 0) lowest = l;
        } else if (lowest > 0) {
            bytes[l] = bytes[l + 1];
        } else {
            bytes[l] = (access->reads + access->writes) * (double)view->store->element_size * hp5_block_trips(block, 0, block->loops);
        }
    }
    return lowest;
}

static void move_access(const Hp5Block *block, const Hp5CostAccess *access, const int *fits, Moving *moving) {
    const Hp5CostMachine *machine = block->cost->machine;
    if (block->views[access->view]->store == NULL) return;
    double bytes[HP5_COST_LEVELS + 1] = {0}, alone = unforeseen(block, access);
    int lowest = bytes_to_levels(block, access, fits, bytes);
    for (int l = machine->levels - 1; l > 0; l--) {
        double here = fmax(0, bytes[l] - (l > 1 ? bytes[l - 1] : 0)), back = access->writes > 0 && l <= lowest ? 1 : 0;
        moving->bytes[l] += bytes[l] * (1 + back);
        move_from(block, l, here, here * back, alone, moving);
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
    double slow = counts->divisions * machine->divide + counts->functions * machine->function; /* of which vectors gain less */
    double together = instructions / lanes + counts->gathers * 2 * machine->scalar + slow / fmax(1, lanes / 4);
    if (counts->gathers > 0) return together; /* the innermost loop goes on in each lane */
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

/* The innermost loop: its whole length, also where one of its iterations stands for some, the length of one run, and how
 * often it is begun by all the block's iterations. */
typedef struct Innermost { double length, run, starts; } Innermost;

static Innermost innermost_of(const Hp5Block *block) {
    if (block->loops == 0) return (Innermost){1, 1, 0};
    const Hp5CostLoop *loop = &block->cost->open[block->loops - 1];
    double rounds = hp5_block_trips(block, 0, block->loops - 1) * loop->trips / loop->length;
    double runs = loop->starts > 1 ? loop->starts - 1 : 1;
    bool own = block->loops > 1 || loop->starts > 1; /* the start of the stage counts for the first loop */
    return (Innermost){loop->length, loop->length / runs, own ? rounds * loop->starts : 0};
}

/* Streams come while the core computes, loads and stores; the dearest of all these counts. What the core waits for comes on
 * top. */
static void add_seconds(const Hp5Block *block, double iterations, double touched, double own, const Moving *moving) {
    const Hp5CostMachine *machine = block->cost->machine;
    const Hp5CostBlock *counts = block->counts;
    Innermost innermost = innermost_of(block);
    double seconds[HP5_TERM_MOVE] = {0}, streams = 0, waits = 0, start = counts->multiply ? 0 : innermost.starts * machine->start;
    if (counts->reductions > 0)
        start += iterations / innermost.length * counts->reductions *
                 (ceil(innermost.length / CHUNK) * LANES * machine->scalar + ceil(innermost.length / 32) * machine->start);
    seconds[HP5_TERM_COMPUTE] = (iterations * cycles_of_iteration(machine, counts, touched, innermost.run) + start) / machine->clock;
    seconds[HP5_TERM_CHAIN] = (iterations * chain_cycles(machine, counts, innermost.length) + start) / machine->clock;
    if (machine->own_bandwidth > 0 && counts->lanes > 0 && !counts->multiply) seconds[HP5_TERM_OWN] = own / machine->own_bandwidth;
    for (int l = 1; l < machine->levels; l++) streams += moving->streams[l], waits += moving->waits[l];
    int binding = 0;
    for (int t = 1; t < HP5_TERM_MOVE; t++)
        if (seconds[t] > seconds[binding]) binding = t;
    Hp5StageCost *stage = block->cost->stage;
    stage->seconds += fmax(seconds[binding], streams) + waits;
    if (seconds[binding] > streams) stage->terms[binding] += seconds[binding];
    for (int l = 1; l < machine->levels; l++)
        stage->terms[HP5_TERM_MOVE + l] += moving->waits[l] + (seconds[binding] > streams ? 0 : moving->streams[l]);
}

/* Bytes that vector loops load and store: what stays where it is while the innermost loop runs is in a register, and of an
 * element with fields one field is touched at a time. */
enum { WIDEST_NUMBER = 8 };
static double own_bytes(const Hp5Block *block, const Hp5CostAccess *access) {
    const Hp5Store *store = block->views[access->view]->store;
    if (store == NULL || block->loops == 0) return 0;
    bool moves = false;
    for (int d = 0; d < store->rank; d++) moves |= access->anywhere[d] || (access->moves[d] >> (block->loops - 1) & 1) != 0;
    return (access->reads + access->writes) * fmin((double)store->element_size, WIDEST_NUMBER) *
           hp5_block_trips(block, 0, moves ? block->loops : block->loops - 1);
}

/* A loop that never runs is begun all the same, in each round of those around it. */
static void add_empty_loops(const Hp5Block *block) {
    const Hp5CostMachine *machine = block->cost->machine;
    if (!machine->timed || block->loops == 0) return;
    double seconds = hp5_block_trips(block, 0, block->loops - 1) * block->cost->open[block->loops - 1].starts * machine->start / machine->clock;
    block->cost->stage->seconds += seconds;
    block->cost->stage->terms[HP5_TERM_COMPUTE] += seconds;
}

void hp5_cost_block(Hp5Cost *cost, const Hp5CostBlock *counts, const Hp5View *const *views) {
    Hp5Block block = {cost, counts, views, cost->loops < HP5_COST_LOOPS ? cost->loops : HP5_COST_LOOPS};
    const Hp5CostMachine *machine = cost->machine;
    if (machine->crews) {
        hp5_crew_block(&block);
        return;
    }
    double iterations = hp5_block_trips(&block, 0, block.loops), touched = 0, accessed = 0, own = 0;
    Moving moving = {{0}, {0}, {0}};
    if (iterations <= 0) {
        add_empty_loops(&block);
        return;
    }
    int fits[HP5_COST_LEVELS] = {0};
    for (int l = 1; l < machine->levels; l++)
        if (machine->capacity[l] > 0 && !counts->multiply) fits[l] = hp5_block_fits(&block, machine->capacity[l]);
    for (int a = 0; a < counts->access_count; a++) {
        const Hp5CostAccess *access = &counts->accesses[a];
        double elements = access->reads + access->writes;
        touched += elements;
        if (views[access->view]->store != NULL) accessed += elements * (double)views[access->view]->store->element_size * iterations;
        own += own_bytes(&block, access);
        move_access(&block, access, fits, &moving);
    }
    Hp5StageCost *stage = cost->stage;
    stage->operations += iterations * (counts->reals + counts->integers + counts->divisions + counts->functions);
    stage->accessed += accessed;
    stage->partial |= counts->partial;
    for (int l = 1; l < machine->levels; l++) stage->moved[l] += moving.bytes[l];
    if (machine->timed) add_seconds(&block, iterations, touched, own, &moving);
}
