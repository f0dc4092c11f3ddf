/* What a stage takes on a card: from the counts of one iteration, and from how the threads of a crew run the loops around it. A block of code takes the
 * longest of what its warps compute, of the operations of a thread that wait for each other, of the lines that a warp waits for, and of the bytes that
 * move. Read hp5_crew_block; docs/prediction.md has the formulas. */
#include "runtime/predict/cost_blocks.h"
#include "runtime/predict/crews.h"
#include "runtime/run/private.h"
#include <math.h>

static double threads_of(const Hp5Crews *crews) { return crews->crew_warps[crews->tier] * HP5_WARP_THREADS; }

/* ---- Who runs what ------------------------------------------------------------------------------------------------ */
static double part_of_threads(double length, double threads) { return length > 0 ? ceil(length / threads) / length : 1; }

static void share_loop(Hp5CostLoop *loop, double threads) {
    loop->side = fmin(fmax(1, loop->length), threads);
    loop->rounds = loop->trips * part_of_threads(loop->length, threads);
}

/* Two loops, walked as one (runtime/card/walks.h): as if there were rows of threads, of which none has nothing to do. */
static void share_square(Hp5CostLoop *outer, Hp5CostLoop *inner, double threads) {
    inner->side = fmin(fmax(1, inner->length), threads);
    outer->side = fmin(fmax(1, outer->length), fmax(1, floor(threads / inner->side)));
    const double rows = part_of_threads(outer->length, outer->side);
    outer->rounds = outer->trips * rows;
    inner->rounds = inner->trips * part_of_threads(outer->length * inner->length, threads) / rows;
}

/* Warps take chunks of 1024 iterations of the last loop, of all rounds of the loops before it, and each of their threads one of 32 lanes. */
enum { CHUNK = 1024 };
typedef struct Chunks { double all, own; } Chunks; /* how many there are; a warp's, at most */

static Chunks chunks_in(const Hp5CostLoop *open, int first, int last, double warps) {
    double all = ceil(open[last].length / CHUNK);
    for (int l = first; l < last; l++) all *= open[l].length;
    return (Chunks){all, ceil(all / warps)};
}

static void share_chunks(Hp5CostLoop *open, int first, int last, double warps) {
    Hp5CostLoop *loop = &open[last];
    const double length = loop->length, whole = floor(length / CHUNK) * (CHUNK / HP5_WARP_THREADS) + ceil(fmod(length, CHUNK) / HP5_WARP_THREADS);
    const double chunk = fmin(whole, (double)CHUNK / HP5_WARP_THREADS), own = chunks_in(open, first, last, warps).own;
    loop->side = fmin(fmax(1, length), warps * HP5_WARP_THREADS);
    if (first == last) {
        loop->rounds = length > 0 ? loop->trips * fmin(whole, own * chunk) / length : 0;
        return;
    }
    loop->rounds = length > 0 ? loop->trips * chunk / length : 0;
    for (int l = first; l < last; l++) open[l].rounds = open[l].length > 0 ? open[l].trips / open[l].length : 0;
    open[last - 1].side = fmin(fmax(1, open[last - 1].length), fmax(1, floor(warps / ceil(length / CHUNK))));
    open[last - 1].rounds *= own;
}

static bool is_shared(const Hp5Crews *crews, int l) { return crews->inside && l >= crews->from && (crews->shared >> (l - crews->from) & 1) != 0; }

/* How many iterations of each open loop run side by side, and how many a thread has one after the other. */
static void arrange(Hp5Cost *cost, int loops) {
    const Hp5Crews *crews = cost->crews;
    int last = -1, before = -1, first = -1;
    for (int l = 0; l < loops; l++) {
        cost->open[l].side = 1;
        cost->open[l].rounds = cost->open[l].trips;
        if (is_shared(crews, l)) before = last, last = l, first = first < 0 ? l : first;
    }
    if (last < 0 || crews->manner == HP5_CREW_TILES) return;
    if (crews->manner == HP5_CREW_CHUNKS) share_chunks(cost->open, first, last, crews->crew_warps[crews->tier]);
    else if (before >= 0) share_square(&cost->open[before], &cost->open[last], threads_of(crews));
    else share_loop(&cost->open[last], threads_of(crews));
}

static double rounds_between(const Hp5Block *block, int from, int to) {
    double product = 1;
    for (int l = from; l < to; l++) product *= block->cost->open[l].rounds;
    return product;
}

/* Blocks go to multiprocessors one by one. */
void hp5_crew_enters(Hp5Crews *crews, const Hp5TaskRun *run, int lps) {
    crews->tier = (Hp5Tier)crews->task->tiers[lps];
    crews->working = fmax(1, fmin(crews->warps, (double)run->hidden->geometry.shapes[lps].lpus * crews->crew_warps[crews->tier]));
    crews->working_on = fmin(crews->multiprocessors, ceil(crews->working / crews->block_warps));
}

/* Cycles a second of one of the warps that run the block at the same time. */
static double clock_of(const Hp5Crews *crews) {
    double working = crews->working;
    if (crews->manner == HP5_CREW_FIRST && crews->tier != HP5_LANE_TIER) working /= crews->crew_warps[crews->tier];
    if (crews->manner == HP5_CREW_TILES && crews->tier < HP5_WARP_TIER) working *= fmin(1, HP5_TILE_THREADS / HP5_WARP_THREADS / crews->block_warps);
    return crews->warp_rate / fmax(working / crews->working_on, crews->least_warps);
}

/* ---- Waits -------------------------------------------------------------------------------------------------------- */
static void wait_in_stage(Hp5Cost *cost, double waits) {
    double seconds = waits * cost->crews->wait[cost->crews->tier];
    cost->stage->seconds += seconds;
    cost->stage->terms[HP5_TERM_WAIT] += seconds;
}

static double rounds_around(const Hp5Cost *cost) {
    double rounds = 1;
    for (int l = 0; l < cost->loops && l < HP5_COST_LOOPS; l++) rounds *= cost->open[l].trips;
    return rounds;
}

/* All threads wait in front of loops that they share and behind them, but not twice. */
void hp5_crew_begin(Hp5Cost *cost, Hp5CrewManner manner, unsigned shared) {
    Hp5Crews *crews = cost->crews;
    if (!crews->waited) wait_in_stage(cost, rounds_around(cost));
    crews->manner = manner;
    crews->shared = shared;
    crews->from = cost->loops;
    crews->inside = manner != HP5_CREW_AS_ONE;
    crews->waited = false;
}

void hp5_crew_end(Hp5Cost *cost) {
    Hp5Crews *crews = cost->crews;
    crews->inside = false;
    crews->manner = HP5_CREW_AS_ONE;
    wait_in_stage(cost, rounds_around(cost));
    crews->waited = true;
}

void hp5_crew_goes_on(Hp5Cost *cost) {
    if (cost->crews != NULL) cost->crews->waited = false;
}

void hp5_crew_end_stage(Hp5Cost *cost, int waits) { wait_in_stage(cost, waits + (cost->crews->waited ? 0 : 1)); }

/* ---- Computing ---------------------------------------------------------------------------------------------------- */
static bool moves_with(const Hp5Block *block, const Hp5CostAccess *access, int l) {
    const Hp5Store *store = block->views[access->view]->store;
    bool moves = false;
    for (int d = 0; store != NULL && d < store->rank; d++) moves |= access->anywhere[d] || (access->moves[d] >> l & 1) != 0;
    return moves;
}

/* Loads and stores of a thread: what stays where it is while its innermost loop runs is in a register. */
static double loads_of_thread(const Hp5Block *block) {
    double sum = 0, all = rounds_between(block, 0, block->loops);
    for (int a = 0; a < block->counts->access_count; a++) {
        const Hp5CostAccess *access = &block->counts->accesses[a];
        bool moves = block->loops == 0 || is_shared(block->cost->crews, block->loops - 1) || moves_with(block, access, block->loops - 1);
        sum += (access->reads + access->writes) * (moves ? all : rounds_between(block, 0, block->loops - 1));
    }
    return sum;
}

/* The lanes of a warp are joined in five steps of an operation and a shuffle for each 4 bytes; then the warp adds what comes of the chunk. All wait before chunks begin, and when each warp has the
 * largest power of two of them that all can have (runtime/card/chunks.h); what comes of these is joined in as many steps. */
enum { JOIN = 5 * 3, ADD = 2 };
typedef struct Joined { double cycles, waits; } Joined;

static Joined joined(const Hp5Block *block) {
    const Hp5Crews *crews = block->cost->crews;
    const double warps = crews->crew_warps[crews->tier], reductions = block->counts->reductions;
    int first = 0;
    if (reductions <= 0 || crews->manner != HP5_CREW_CHUNKS || block->loops == 0) return (Joined){0, 0};
    while (first + 1 < block->loops && !is_shared(crews, first)) first++;
    const Chunks chunks = chunks_in(block->cost->open, first, block->loops - 1, warps);
    double batches = fmod(chunks.all, warps) > 0, left = floor(chunks.all / warps);
    for (; left >= 1; left = floor(left / 2)) batches += fmod(left, 2);
    const double times = rounds_between(block, 0, first);
    if (crews->tier == HP5_WARP_TIER) return (Joined){times * reductions * chunks.all * (JOIN + ADD), 0};
    return (Joined){times * reductions * (chunks.own * (JOIN + ADD) + batches * JOIN), times * (1 + reductions * batches)};
}

/* Of a warp, all of whose threads do the same: numbers at the rate of its lanes, all else an instruction each. */
static double cycles_of_warp(const Hp5Block *block) {
    const Hp5CostMachine *machine = &block->cost->crews->card;
    const Hp5CostBlock *counts = block->counts;
    double rounds = rounds_between(block, 0, block->loops), lanes = machine->operations / 2 * 8 / counts->lanes;
    double numbers = (counts->reals - counts->fused + counts->integers) * HP5_WARP_THREADS / lanes;
    double slow = counts->divisions * machine->divide + counts->functions * machine->function;
    double loop = block->loops > 0 ? 2 : 0; /* an iteration compares its index and goes on */
    return rounds * (numbers + slow + loop * machine->scalar) + (loads_of_thread(block) + joined(block).cycles) * machine->scalar;
}

/* ---- Products (runtime/card/product_tiles.h) ------------------------------------------------------------------------ */
typedef struct Tiles {
    int rows, columns, depth; /* loops */
    double high, wide;        /* of a tile */
    double work;              /* elements of a tile's part of one thread */
    double each;              /* tiles that one block, or the warp, goes through */
} Tiles;

static bool product_loops(const Hp5Block *block, Tiles *tiles) {
    const int first = block->cost->crews->from;
    for (int a = 0; a < block->counts->access_count; a++) {
        const Hp5CostAccess *access = &block->counts->accesses[a];
        const Hp5Store *store = block->views[access->view]->store;
        if (access->writes <= 0 || store == NULL) continue;
        for (int l = first; l < block->loops; l++) {
            if ((access->moves[store->rank - 1] >> l & 1) != 0) tiles->columns = l;
            else if (moves_with(block, access, l)) tiles->rows = l;
            else tiles->depth = l;
        }
        return true;
    }
    return false;
}

/* Parts of HIGH by WIDE elements for each thread of a tile. */
static void shape_tiles(const Hp5Crews *crews, Tiles *tiles, double high, double wide, double rows, double columns) {
    double threads = fmin(crews->block_warps * HP5_WARP_THREADS, HP5_TILE_THREADS);
    tiles->high = threads / HP5_TILE_ACROSS * high;
    tiles->wide = HP5_TILE_ACROSS * wide;
    tiles->work = high * wide;
    double blocks = crews->tier == HP5_CARD_TIER ? crews->warps / crews->block_warps : 1;
    tiles->each = ceil(rows / tiles->high) * ceil(columns / tiles->wide) / blocks;
}

static void choose_tiles(const Hp5Block *block, Tiles *tiles) {
    const Hp5Crews *crews = block->cost->crews;
    double rows = block->cost->open[tiles->rows].length, columns = block->cost->open[tiles->columns].length, least = fmin(rows, columns);
    if (crews->tier == HP5_WARP_TIER) {
        *tiles = (Tiles){tiles->rows, tiles->columns, tiles->depth, HP5_WARP_TILE_SIDE * HP5_WARP_THREADS / HP5_WARP_TILE_ACROSS, HP5_WARP_TILE_SIDE * HP5_WARP_TILE_ACROSS,
                         HP5_WARP_TILE_SIDE * HP5_WARP_TILE_SIDE, 0};
        tiles->each = ceil(rows / tiles->high) * ceil(columns / tiles->wide);
        return;
    }
    const bool single = block->counts->lanes == 4;
    shape_tiles(crews, tiles, HP5_TILE_HIGH, single ? HP5_TILE_LARGE_SINGLE : HP5_TILE_LARGE_DOUBLE, rows, columns);
    const bool large = crews->block_warps * HP5_WARP_THREADS >= HP5_TILE_THREADS && rows > tiles->high / 2 && columns > tiles->wide / 2 && tiles->each >= 1;
    if (!large) shape_tiles(crews, tiles, HP5_TILE_HIGH, single ? HP5_TILE_WIDE_SINGLE : HP5_TILE_WIDE_DOUBLE, rows, columns);
    if (least <= HP5_TILE_LARGE || tiles->each < 1) {
        double side = least > HP5_TILE_SMALL ? 4 : 2;
        shape_tiles(crews, tiles, side, side, rows, columns);
    }
    tiles->each = ceil(tiles->each);
}

static double cycles_of_product(const Hp5Block *block, const Tiles *tiles) {
    const Hp5CostMachine *machine = &block->cost->crews->card;
    double outside = rounds_between(block, 0, block->cost->crews->from), depth = block->cost->open[tiles->depth].trips;
    return outside * tiles->each * depth * tiles->work * block->counts->reals * HP5_WARP_THREADS / (machine->operations * 8 / block->counts->lanes);
}

/* Each tile of the result fetches its rows of one factor and its columns of the other. */
static double fetches_of(const Hp5Block *block, const Hp5CostAccess *access, const Tiles *tiles) {
    if (access->writes > 0) return 1;
    double fetches = 1;
    if (!moves_with(block, access, tiles->columns)) fetches *= ceil(block->cost->open[tiles->columns].length / tiles->wide);
    if (!moves_with(block, access, tiles->rows)) fetches *= ceil(block->cost->open[tiles->rows].length / tiles->high);
    return fetches;
}

/* ---- Bytes -------------------------------------------------------------------------------------------------------- */
typedef struct Moving {
    double bytes, lines; /* between the card's memory and multiprocessors, both ways; lines of one access that come, at most */
} Moving;

/* What all threads of the card read alike comes to each multiprocessor. */
static double copies_of(const Hp5Block *block, const Hp5CostAccess *access) {
    const Hp5Crews *crews = block->cost->crews;
    bool apart = crews->manner == HP5_CREW_FIRST;
    for (int l = crews->from; crews->inside && l < block->loops; l++) apart |= is_shared(crews, l) && moves_with(block, access, l);
    return crews->tier != HP5_CARD_TIER || apart || access->writes > 0 ? 1 : crews->multiprocessors;
}

static void move_access(const Hp5Block *block, const Hp5CostAccess *access, int fits, const Tiles *tiles, Moving *moving) {
    if (block->views[access->view]->store == NULL) return;
    double bytes;
    if (tiles != NULL) bytes = hp5_block_footprint(block, access, 0) * fetches_of(block, access, tiles);
    else if (fits == 0) bytes = hp5_block_footprint(block, access, 0) * copies_of(block, access);
    else bytes = hp5_block_footprint(block, access, fits - 1) * rounds_between(block, 0, fits - 1) * copies_of(block, access);
    moving->bytes += bytes * ((access->reads > 0 ? 1 : 0) + (access->writes > 0 ? 1 : 0));
    if (access->reads > 0 && tiles == NULL) moving->lines = fmax(moving->lines, bytes / block->cost->machine->line);
}

/* ---- Seconds ------------------------------------------------------------------------------------------------------ */
/* A warp asks for what an iteration reads at once, and waits for it: for lines of the card's memory, else for its multiprocessor's. */
static double latency_of(const Hp5Block *block, double lines, bool reads) {
    const Hp5Crews *crews = block->cost->crews;
    const Hp5CostMachine *machine = &crews->card;
    int multiprocessor = crews->task->first_level + 1;
    double rounds = rounds_between(block, 0, block->loops), warps = crews->inside && crews->manner != HP5_CREW_FIRST ? crews->crew_warps[crews->tier] : 1;
    if (!reads) return 0;
    double far = fmin(rounds, ceil(lines / warps)) / machine->in_flight[multiprocessor];
    return far * machine->latency[multiprocessor] + fmax(0, rounds - far) * machine->latency[multiprocessor + 1];
}

static void add_seconds(const Hp5Block *block, const Tiles *tiles, const Moving *moving, double accessed, bool reads) {
    const Hp5Crews *crews = block->cost->crews;
    const Hp5CostMachine *machine = &crews->card;
    const int multiprocessor = crews->task->first_level + 1;
    double seconds[HP5_TERMS] = {0};
    double cycles = tiles != NULL ? cycles_of_product(block, tiles) : cycles_of_warp(block);
    seconds[HP5_TERM_COMPUTE] = cycles / clock_of(crews);
    if (tiles == NULL) {
        seconds[HP5_TERM_CHAIN] = rounds_between(block, 0, block->loops) * block->counts->chain * machine->dependent / machine->clock;
        seconds[HP5_TERM_LATENCY] = latency_of(block, moving->lines, reads);
    }
    if (crews->link > 0) seconds[HP5_TERM_MOVE + multiprocessor] = moving->bytes / hp5_crew_share(crews, crews->link);
    if (crews->warp_link > 0 && tiles == NULL) seconds[HP5_TERM_MOVE + multiprocessor + 1] = accessed / hp5_crew_share(crews, crews->warp_link);
    int binding = 0;
    for (int t = 1; t < HP5_TERMS; t++)
        if (seconds[t] > seconds[binding]) binding = t;
    block->cost->stage->seconds += seconds[binding];
    block->cost->stage->terms[binding] += seconds[binding];
}

void hp5_crew_block(const Hp5Block *block) {
    Hp5Cost *cost = block->cost;
    const Hp5Crews *crews = cost->crews;
    const Hp5CostBlock *counts = block->counts;
    Moving moving = {0, 0};
    Tiles tiles = {0};
    double iterations = hp5_block_trips(block, 0, block->loops), accessed = 0;
    bool reads = false;
    cost->crews->waited = false;
    if (iterations <= 0) return;
    arrange(cost, block->loops);
    const bool tiled = crews->manner == HP5_CREW_TILES && product_loops(block, &tiles);
    if (tiled) choose_tiles(block, &tiles);
    const int fits = hp5_block_fits(block, hp5_crew_share(crews, crews->memory));
    for (int a = 0; a < counts->access_count; a++) {
        const Hp5CostAccess *access = &counts->accesses[a];
        if (block->views[access->view]->store != NULL)
            accessed += (access->reads + access->writes) * (double)block->views[access->view]->store->element_size * iterations;
        reads |= access->reads > 0;
        move_access(block, access, fits, tiled ? &tiles : NULL, &moving);
    }
    cost->stage->operations += iterations * (counts->reals + counts->integers + counts->divisions + counts->functions);
    cost->stage->accessed += accessed;
    cost->stage->moved[crews->task->first_level + 1] += moving.bytes;
    cost->stage->moved[crews->task->first_level + 2] += accessed;
    cost->stage->partial |= counts->partial;
    wait_in_stage(cost, joined(block).waits);
    if (crews->card.timed) add_seconds(block, tiled ? &tiles : NULL, &moving, accessed, reads);
}
