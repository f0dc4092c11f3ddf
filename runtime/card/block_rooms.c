/* How much shared memory a launch gives to blocks, beside what kernels have themselves: for rows (row_pieces.h), for sequential loops along arrays (streams.h), for those that count
 * (tallies.h), and for parts of LPUs (near.h). A crew is at one of them at a time.
 *
 * What counts takes is known when LPUs are: as many counters as the largest part has elements; so is what parts take. Before that, when it is asked how many blocks run at once, there is a usual amount, which
 * leaves a multiprocessor 16 warps or more; blocks that are a multiprocessor's PPU, whose warps the mapping counts, have none then. In the end crews get what they want, more or less, if as many blocks run at once. */
#include "runtime/card/block_rooms.h"
#include "runtime/lpu/geometry.h"
#include "runtime/run/private.h"

enum { STEP = 16, COUNTER = 4 /* bytes */, LEAST_WARPS = 16, RESERVED = 256 /* for each warp, of what CUDA has itself */ };

static int least(int64_t a, int64_t b) { return (int)(a < b ? a : b); }

static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

bool hp5_has_tier(const Hp5TaskDesc *desc, Hp5Tier tier) {
    for (int x = 0; x < desc->lps_count; x++)
        if (desc->card->tiers[x] == (int)tier) return true;
    return false;
}

static int warps_of(int threads) { return threads / HP5_WARP_THREADS; }

/* What one warp can have. */
static int room_of(const Hp5CardLimits *limits, int threads) { return limits->block_shared / warps_of(threads) / STEP * STEP; }

/* Of a warp, for rows, none if it has not room for two pieces of each, and for sequential loops along arrays. */
static int of_warp(const Hp5TaskDesc *desc, const Hp5CardLimits *limits, int threads) {
    const int room = room_of(limits, threads), fit = room / HP5_ROW_PIECE_BYTES;
    const int pieces = !desc->card->row_pieces || fit < 2 ? 0 : least(fit, HP5_ROW_PIECES);
    return (int)most(pieces * HP5_ROW_PIECE_BYTES, least(desc->card->stream_bytes, room));
}

int hp5_rooms_of_block(const Hp5TaskDesc *desc, const Hp5CardLimits *limits, int threads) {
    const int64_t share = limits->multiprocessor_shared / LEAST_WARPS - RESERVED;
    const bool none = desc->card->tally_count == 0 || hp5_has_tier(desc, HP5_BLOCK_TIER);
    const int counters = none ? 0 : least(least(most(share, 0), HP5_TALLY_BYTES), room_of(limits, threads)) / STEP * STEP;
    return warps_of(threads) * (int)most(of_warp(desc, limits, threads), counters);
}

/* ---- Counters ---------------------------------------------------------------------------------------------------------- */
/* From the first element of the LPU's part to its last one, as they lie. */
static int64_t elements_of(const Hp5View *view, int rank) {
    int64_t elements = 1;
    for (int d = 0; d < rank; d++) {
        if (view->part[d].begin >= view->part[d].end) return 0;
        elements += (view->part[d].end - view->part[d].begin - 1) * view->store->stride[d];
    }
    return elements;
}

static int64_t bytes_of_counters(const Hp5View *view, int rank) { return elements_of(view, rank) * COUNTER; }

static int64_t bytes_of_part(const Hp5View *view, int rank) {
    (void)rank;
    return view->store == NULL ? 0 : hp5_near_room(view->store);
}

/* What LPUs of a Space have of an array, in bytes of shared memory. */
typedef struct Wanted {
    int lps, array;
    int64_t (*bytes)(const Hp5View *view, int rank);
} Wanted;

static int64_t largest_below(const Hp5TaskRun *run, const Hp5Lpu *lpu, int lps, const Wanted *wanted) {
    int64_t largest = 0;
    if (lps == wanted->lps) return wanted->bytes(&lpu->views[hp5_slot_of(run->desc, lps, wanted->array)], run->desc->arrays[wanted->array].rank);
    for (int c = 0; c < run->hidden->geometry.shapes[lps].child_count; c++) {
        const Hp5Grid *grid = &lpu->children[c];
        for (int64_t i = 0; i < grid->own; i++) largest = most(largest, largest_below(run, &grid->lpus[i], grid->lps, wanted));
    }
    return largest;
}

/* Of an array in which LPUs of the Space count, and of one whose parts they work on. */
static int64_t for_counters(const Hp5TaskRun *run, int lps, int which) {
    const Hp5CardTally *tally = &run->desc->card->tallies[which];
    return tally->lps == lps ? largest_below(run, &run->root, 0, &(Wanted){tally->holder, tally->array, bytes_of_counters}) : 0;
}

static int64_t for_part(const Hp5TaskRun *run, int lps, int which) {
    const Hp5CardNear *near = &run->desc->card->near[which];
    const bool pays = near->lps == lps && (near->pays == NULL || near->pays(run->globals));
    return pays ? largest_below(run, &run->root, 0, &(Wanted){lps, near->array, bytes_of_part}) : 0;
}

/* For each warp, of all such arrays of one Space, without those for which there is not room, as much as there is. */
static int64_t of_arrays(const Hp5TaskRun *run, const Hp5CardLimits *limits, int threads, int count, int64_t (*bytes_for)(const Hp5TaskRun *run, int lps, int which)) {
    const Hp5CardTask *card = run->desc->card;
    int64_t wish = 0;
    for (int lps = 0; lps < run->desc->lps_count; lps++) {
        const int crews = card->tiers[lps] == HP5_WARP_TIER ? warps_of(threads) : 1; /* that have their own in a block at the same time */
        const int64_t room = limits->block_shared / crews;
        int64_t bytes = 0;
        for (int i = 0; i < count; i++) {
            const int64_t own = bytes_for(run, lps, i);
            if (own <= room) bytes = least(bytes + own, room);
        }
        wish = most(wish, (bytes * crews + warps_of(threads) - 1) / warps_of(threads));
    }
    return least((wish + STEP - 1) / STEP * STEP, room_of(limits, threads));
}

int hp5_rooms_of_launch(const Hp5TaskRun *run, const Hp5CardLimits *limits, int blocks, int threads) {
    const Hp5CardTask *card = run->desc->card;
    const int base = warps_of(threads) * of_warp(run->desc, limits, threads);
    const int64_t wish = warps_of(threads) * most(of_arrays(run, limits, threads, card->tally_count, for_counters), of_arrays(run, limits, threads, card->near_count, for_part));
    int at_once = 0;
    if (wish <= base) return base;
    const char *error = card->driver->blocks_at_once(card->kernel, threads, (int)wish, &at_once);
    return error == NULL && at_once >= blocks ? (int)wish : base;
}
