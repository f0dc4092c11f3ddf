/* Elements that move between the processes of a task (Hp5TransferDesc). All that a process has of an array in place lies in one store,
 * so a transfer is messages and nothing else.
 *
 * How to read it: marks say whether there is something to move; each thread keeps its own, for all of them see the same steps. The
 * messages of a transfer in an LPU are found when it happens first, and again only when its bounds are others. What goes home to
 * those who answer for an array is what has been written since the last time, box by box: what the writer has beside that may be
 * old. At home everything is the newest then, and whoever needs elements gets them from there. */
#include "runtime/move/courier.h"
#include "runtime/move/picks.h"
#include "runtime/move/replicate.h"
#include "runtime/run/private.h"
#include <string.h>

/* First and last index of each dimension, and the messages of these elements. */
typedef struct Parcel {
    bool made;
    int64_t bounds[2 * HP5_MAX_RANK];
    Hp5Courier courier;
} Parcel;

/* What an inspector has found, and what it has looked at. */
typedef struct Inspected {
    bool made;
    Hp5Touched touched;                 /* bits: while it is at work */
    struct Seen { int64_t item, changes; } *seen; /* of each array that it looks at */
    Hp5Picks picks;
} Inspected;

/* Regions of slots that are in use: where there are more, all stay. */
enum { MOST_KEPT = 64 };

/* Of a transfer in an LPU of `within`. */
typedef struct Moving {
    Parcel *parcels;  /* one; of what goes home, one for each box that was written */
    int parcel_count; /* that have memory */
    int64_t *written; /* boxes, as bounds, since the last time */
    int written_count, capacity;
    Inspected *inspected; /* of a transfer that has inspectors; NULL: not yet */
    Hp5Receivers receivers;
} Moving;

typedef struct Mark {
    uint64_t all, last; /* the writers since everything has moved, since something has */
    uint64_t looked_at; /* those of what inspectors look at, since they have */
} Mark;

typedef struct Happening {
    Hp5TaskRun *run;
    int transfer;
    const Hp5Lpu *lpu;
    const int64_t *bounds;
} Happening;

/* Transfers that have begun, in a thread, and not ended. */
typedef struct Begun {
    int count;
    Happening *what;
    int64_t (*bounds)[2 * HP5_MAX_RANK]; /* of each */
} Begun;

struct Hp5Moves {
    Moving **moving; /* for each transfer, by LPU (Hp5Lpu.flat) */
    Mark **marks;    /* for each transfer, by thread and LPU */
    Begun *begun;    /* by thread */
};

static Hp5Account *account_of(const Hp5TaskDesc *desc, int transfer) {
    const Hp5TransferDesc *moves = &desc->transfers[transfer];
    return hp5_account_open(moves, 0, desc->name, desc->source, moves->line, moves->what);
}

static int64_t lpus_of(const Hp5TaskRun *run, int transfer) { return run->hidden->geometry.shapes[run->desc->transfers[transfer].within].lpus; }

void hp5_moves_create(Hp5TaskRun *run) {
    int count = run->desc->transfer_count;
    if (count == 0) return;
    struct Hp5Moves *moves = run->hidden->moves = hp5_alloc_zeroed(sizeof *moves, "movements");
    moves->moving = hp5_alloc_zeroed((int64_t)sizeof(void *) * count, "movements");
    moves->marks = hp5_alloc_zeroed((int64_t)sizeof(void *) * count, "movements");
    for (int t = 0; t < count; t++) {
        if (hp5_has_processes(run)) account_of(run->desc, t);
        moves->moving[t] = hp5_alloc_zeroed((int64_t)sizeof(Moving) * (lpus_of(run, t) + 1), "movements");
        moves->marks[t] = hp5_alloc_zeroed((int64_t)sizeof(Mark) * (lpus_of(run, t) * run->hidden->threads + 1), "movements");
    }
    moves->begun = hp5_alloc_zeroed((int64_t)sizeof *moves->begun * (run->hidden->threads + 1), "movements");
    for (int t = 0; t < run->hidden->threads; t++) {
        moves->begun[t].what = hp5_alloc((int64_t)sizeof *moves->begun[t].what * count, "movements");
        moves->begun[t].bounds = hp5_alloc((int64_t)sizeof *moves->begun[t].bounds * count, "movements");
    }
}

static void free_moving(Moving *moving) {
    for (int i = 0; i < moving->parcel_count; i++) hp5_courier_free(&moving->parcels[i].courier);
    hp5_free(moving->parcels);
    hp5_free(moving->written);
    hp5_receivers_free(&moving->receivers);
    if (moving->inspected == NULL) return;
    hp5_picks_free(&moving->inspected->picks);
    hp5_free(moving->inspected->seen);
    hp5_free(moving->inspected);
}

void hp5_moves_free(Hp5TaskRun *run) {
    struct Hp5Moves *moves = run->hidden->moves;
    if (moves == NULL) return;
    for (int t = 0; t < run->desc->transfer_count; t++) {
        for (int64_t p = 0; p < lpus_of(run, t); p++) free_moving(&moves->moving[t][p]);
        hp5_free(moves->moving[t]);
        hp5_free(moves->marks[t]);
    }
    for (int t = 0; t < run->hidden->threads; t++) {
        hp5_free(moves->begun[t].what);
        hp5_free(moves->begun[t].bounds);
    }
    hp5_free(moves->begun);
    hp5_free(moves->moving);
    hp5_free(moves->marks);
    hp5_free(moves);
}

/* What inspectors have found stays: whether it is old follows from what they have looked at. */
void hp5_moves_forget(Hp5TaskRun *run) {
    struct Hp5Moves *moves = run->hidden->moves;
    for (int t = 0; moves != NULL && t < run->desc->transfer_count; t++) {
        const int64_t lpus = lpus_of(run, t), marks = lpus * run->hidden->threads;
        for (int64_t p = 0; p < lpus; p++) moves->moving[t][p].written_count = 0;
        for (int64_t m = 0; m < marks; m++) moves->marks[t][m].all = moves->marks[t][m].last = 0;
    }
}

/* ---- What was written ------------------------------------------------------------------------------------ */

static int rank_of(const Hp5TaskRun *run, int transfer) { return run->desc->arrays[run->desc->transfers[transfer].array].rank; }

static bool has_box(const int64_t *box, const int64_t *other, int rank) {
    for (int d = 0; d < rank; d++)
        if (other[2 * d] < box[2 * d] || other[2 * d + 1] > box[2 * d + 1]) return false;
    return true;
}

/* Where the two make up one box, `box` becomes it. */
static bool join_box(int64_t *box, const int64_t *other, int rank) {
    int differ = -1;
    if (has_box(box, other, rank)) return true;
    for (int d = 0; d < rank; d++) {
        if (box[2 * d] == other[2 * d] && box[2 * d + 1] == other[2 * d + 1]) continue;
        bool meets = other[2 * d + 1] >= box[2 * d] - 1 && other[2 * d] <= box[2 * d + 1] + 1;
        if (differ >= 0 || !meets) return false;
        differ = 2 * d;
    }
    if (other[differ] < box[differ]) box[differ] = other[differ];
    if (other[differ + 1] > box[differ + 1]) box[differ + 1] = other[differ + 1];
    return true;
}

/* Bounds that leave room for comparing them with their neighbours. */
static void box_of(int64_t *box, const int64_t *bounds, int rank) {
    enum { ROOM = 2 };
    for (int i = 0; i < 2 * rank; i++) {
        int64_t bound = bounds != NULL ? bounds[i] : i % 2 == 0 ? INT64_MIN : INT64_MAX;
        box[i] = bound < INT64_MIN + ROOM ? INT64_MIN + ROOM : bound > INT64_MAX - ROOM ? INT64_MAX - ROOM : bound;
    }
}

void hp5_wrote_part(Hp5Worker *w, int transfer, const Hp5Lpu *lpu, const int64_t *bounds) {
    Moving *moving = &w->run->hidden->moves->moving[transfer][lpu->flat];
    int rank = rank_of(w->run, transfer);
    int64_t box[2 * HP5_MAX_RANK];
    if (w->groups[w->run->desc->transfers[transfer].within]->first != w->rank || w->run->hidden->segments.count <= 1) return;
    box_of(box, bounds, rank);
    for (int d = 0; d < rank; d++)
        if (box[2 * d] > box[2 * d + 1]) return;
    for (int i = 0; i < moving->written_count; i++)
        if (join_box(moving->written + 2 * rank * i, box, rank)) return;
    if (moving->written_count == moving->capacity) {
        moving->capacity = 2 * moving->capacity + 4;
        int64_t *larger = hp5_alloc(moving->capacity * 2 * rank * (int64_t)sizeof *larger, "movements");
        if (moving->written_count > 0) memcpy(larger, moving->written, sizeof *larger * 2 * (size_t)(rank * moving->written_count));
        hp5_free(moving->written);
        moving->written = larger;
    }
    memcpy(moving->written + 2 * rank * moving->written_count++, box, sizeof *box * 2 * (size_t)rank);
}

/* ---- Marks -------------------------------------------------------------------------------------------- */

static Mark *mark_of(const Hp5Worker *w, int transfer, const Hp5Lpu *lpu) {
    return &w->run->hidden->moves->marks[transfer][lpu->flat * w->run->hidden->threads + w->rank];
}

void hp5_wrote(Hp5Worker *w, int writer, const Hp5Lpu *lpu) {
    const Hp5TaskDesc *desc = w->run->desc;
    int lps = lpu->grid == NULL ? 0 : lpu->grid->lps;
    for (int t = 0; t < desc->transfer_count; t++) {
        uint64_t mark = desc->transfers[t].after & UINT64_C(1) << writer;
        if (desc->transfers[t].within != lps) continue;
        mark_of(w, t, lpu)->all |= mark;
        mark_of(w, t, lpu)->last |= mark;
        mark_of(w, t, lpu)->looked_at |= desc->transfers[t].looked_after & UINT64_C(1) << writer;
    }
}

void hp5_renewed(Hp5Worker *w, int array, const Hp5Lpu *lpu) {
    const Hp5TaskDesc *desc = w->run->desc;
    int lps = lpu->grid == NULL ? 0 : lpu->grid->lps;
    for (int t = 0; t < desc->transfer_count; t++) {
        if (desc->transfers[t].within != lps || desc->transfers[t].array != array) continue;
        *mark_of(w, t, lpu) = (Mark){.looked_at = mark_of(w, t, lpu)->looked_at};
        if (w->groups[lps]->first == w->rank) w->run->hidden->moves->moving[t][lpu->flat].written_count = 0;
    }
}

/* Those that take their elements from the same home to the same place move the same ones; so do those that bring them there. */
static void forget_marks(const Hp5Worker *w, int transfer, const Hp5Lpu *lpu, uint64_t mine) {
    const Hp5TransferDesc *desc = &w->run->desc->transfers[transfer];
    for (int t = 0; t < w->run->desc->transfer_count; t++) {
        bool same = desc->channel >= 0 && w->run->desc->transfers[t].channel == desc->channel;
        const bool spared = t < 64 && (desc->spares >> t & 1) != 0;
        if (same) *mark_of(w, t, lpu) = (Mark){0};
        else if (spared) mark_of(w, t, lpu)->all = mark_of(w, t, lpu)->last = 0;
        else if (t < 64 && (desc->covers >> t & 1) != 0) mark_of(w, t, lpu)->all &= ~mine, mark_of(w, t, lpu)->last &= ~mine;
    }
}

static bool same_bounds(const Hp5Worker *w, int transfer, const Hp5Lpu *lpu, const int64_t *bounds) {
    const Moving *moving = &w->run->hidden->moves->moving[transfer][lpu->flat];
    if (moving->inspected != NULL) return true; /* of what an inspector has found */
    if (moving->parcel_count == 0 || !moving->parcels[0].made) return false;
    return bounds == NULL || memcmp(moving->parcels[0].bounds, bounds, sizeof *bounds * 2 * (size_t)rank_of(w->run, transfer)) == 0;
}

/* Whether there is something to move. What moves now need not move with others. */
static bool takes_marks(const Hp5Worker *w, int transfer, const Hp5Lpu *lpu, const int64_t *bounds, bool others) {
    Mark *mark = mark_of(w, transfer, lpu), mine = *mark;
    if (mine.all == 0) return false;
    mark->last = 0;
    if (w->run->desc->transfers[transfer].partial) return mine.last != 0 || others || !same_bounds(w, transfer, lpu, bounds);
    mark->all = 0;
    forget_marks(w, transfer, lpu, mine.all);
    return true;
}

/* ---- Messages ------------------------------------------------------------------------------------------ */

static void make(const Happening *what, Moving *moving, Parcel *parcel, const int64_t *bounds) {
    Hp5TaskRun *run = what->run;
    const Hp5TransferDesc *desc = &run->desc->transfers[what->transfer];
    int rank = rank_of(run, what->transfer);
    Hp5Box only;
    Hp5Movement movement = {.array = desc->array, .within = desc->within, .from = desc->from, .to = desc->to, .beyond = -1, .in_place = true};
    for (int d = 0; bounds != NULL && d < rank; d++) {
        only.lo[d] = bounds[2 * d];
        only.hi[d] = bounds[2 * d + 1] < INT64_MAX ? bounds[2 * d + 1] + 1 : INT64_MAX;
    }
    if (bounds != NULL) movement.only = &only;
    Hp5Holders holders = {.sources_alike = !desc->first_gives, .all_destinations = !desc->first_takes};
    hp5_courier_free(&parcel->courier);
    Hp5Pattern pattern = hp5_pattern_create(run, &run->hidden->segments, movement, holders, what->lpu);
    hp5_receivers_find(&moving->receivers, run, &run->hidden->segments, movement, holders, what->lpu);
    hp5_pattern_replicate(&pattern, &moving->receivers, run, &run->hidden->segments, movement, holders, what->lpu);
    hp5_courier_create(&parcel->courier, run, pattern, false, HP5_TAG_TRANSFERS + what->transfer, account_of(run->desc, what->transfer));
    parcel->made = true;
    if (bounds != NULL) memcpy(parcel->bounds, bounds, sizeof *bounds * 2 * (size_t)rank);
}

/* Messages of these bounds as parcel number `at`; those of the last time are used again. */
static void prepare(const Happening *what, Moving *moving, int at, const int64_t *bounds) {
    size_t bytes = sizeof *bounds * 2 * (size_t)rank_of(what->run, what->transfer);
    for (int i = at; i < moving->parcel_count; i++) {
        if (!moving->parcels[i].made || (bounds != NULL && memcmp(moving->parcels[i].bounds, bounds, bytes) != 0)) continue;
        Parcel found = moving->parcels[i];
        moving->parcels[i] = moving->parcels[at];
        moving->parcels[at] = found;
        return;
    }
    make(what, moving, &moving->parcels[at], bounds);
}

static void more_parcels(Moving *moving, int count) {
    if (moving->parcel_count >= count) return;
    Parcel *larger = hp5_alloc_zeroed((int64_t)sizeof *larger * count, "movements");
    if (moving->parcel_count > 0) memcpy(larger, moving->parcels, sizeof *larger * (size_t)moving->parcel_count);
    hp5_free(moving->parcels);
    moving->parcels = larger;
    moving->parcel_count = count;
}

/* ---- Inspectors ---------------------------------------------------------------------------------------------- */

/* In a simulation of arrays whose elements nobody has parts move. */
static bool has_inspector(const Hp5TaskRun *run, int transfer) {
    const Hp5TransferDesc *desc = &run->desc->transfers[transfer];
    bool seen = desc->touches != NULL;
    for (int i = 0; i < desc->looks_at_count && hp5_comm_is_imagined(); i++) seen = seen && hp5_item_is_peeked(run->items[desc->looks_at[i]]);
    return seen;
}

/* Nobody has looked yet, or what was looked at has changed. */
static bool is_old(const Hp5Worker *w, int transfer, const Hp5Lpu *lpu) {
    const Hp5TransferDesc *desc = &w->run->desc->transfers[transfer];
    const Inspected *inspected = w->run->hidden->moves->moving[transfer][lpu->flat].inspected;
    if (!has_inspector(w->run, transfer)) return false;
    if (inspected == NULL || !inspected->made || mark_of(w, transfer, lpu)->looked_at != 0) return true;
    for (int i = 0; i < desc->looks_at_count; i++) {
        const Hp5Item *item = w->run->items[desc->looks_at[i]];
        if (item->id != inspected->seen[i].item || item->changes != inspected->seen[i].changes) return true;
    }
    return false;
}

/* Room for what is touched. */
static void begin_looking(void *data) {
    const Happening *what = data;
    const Hp5TransferDesc *desc = &what->run->desc->transfers[what->transfer];
    const Hp5Store *store = &what->run->hidden->stores.roots[desc->array];
    Moving *moving = &what->run->hidden->moves->moving[what->transfer][what->lpu->flat];
    if (moving->inspected == NULL) {
        moving->inspected = hp5_alloc_zeroed(sizeof *moving->inspected, "movements");
        moving->inspected->seen = hp5_alloc_zeroed((int64_t)sizeof *moving->inspected->seen * (desc->looks_at_count + 1), "movements");
    }
    Hp5Touched *touched = &moving->inspected->touched;
    int64_t elements = 1;
    touched->rank = store->rank;
    for (int d = 0; d < store->rank; d++) {
        touched->lo[d] = store->array_lo[d];
        elements *= touched->extent[d] = store->array_extent[d];
    }
    const bool is_below = what->run->desc->lpses[desc->from].parent == desc->within && lpus_of(what->run, what->transfer) == 1;
    if (is_below) hp5_own_indices(what->run, desc->array, desc->from, &touched->own_lo, &touched->own_hi); /* they are here */
    touched->bits = hp5_alloc_zeroed((elements + 63) / 64 * (int64_t)sizeof(uint64_t) + 8, "movements");
    for (int i = 0; i < desc->looks_at_count; i++) hp5_picks_look(what->run, desc->looks_at[i]);
}

/* All threads look at what their LPUs will read. */
static void look(Hp5Worker *w, int transfer, Hp5Lpu *lpu) {
    hp5_barrier_then(w->groups[w->run->desc->transfers[transfer].within], begin_looking, &(Happening){w->run, transfer, lpu, NULL});
    w->run->desc->transfers[transfer].touches(w, lpu, &w->run->hidden->moves->moving[transfer][lpu->flat].inspected->touched);
    mark_of(w, transfer, lpu)->looked_at = 0;
}

static void end_looking(const Happening *what, Inspected *inspected) {
    Hp5TaskRun *run = what->run;
    const Hp5TransferDesc *desc = &run->desc->transfers[what->transfer];
    Hp5Movement movement = {.array = desc->array, .within = desc->within, .from = desc->from, .to = desc->to, .beyond = -1, .in_place = true};
    Hp5Holders holders = {.sources_alike = !desc->first_gives, .all_destinations = !desc->first_takes};
    hp5_picks_free(&inspected->picks);
    hp5_picks_create(&inspected->picks, run, movement, holders, what->lpu, &inspected->touched, HP5_TAG_TRANSFERS + what->transfer,
                     account_of(run->desc, what->transfer));
    hp5_free(inspected->touched.bits);
    inspected->touched.bits = NULL;
    inspected->made = true;
    for (int i = 0; i < desc->looks_at_count; i++)
        inspected->seen[i] = (struct Seen){run->items[desc->looks_at[i]]->id, run->items[desc->looks_at[i]]->changes};
}

static void happen_inspected(const Happening *what, Inspected *inspected) {
    if (inspected->touched.bits != NULL) end_looking(what, inspected);
    hp5_picks_start(&inspected->picks, what->run);
    hp5_picks_finish(&inspected->picks, what->run);
}

/* ---- Transfers ----------------------------------------------------------------------------------------------- */

static Moving *moving_of(const Happening *what) { return &what->run->hidden->moves->moving[what->transfer][what->lpu->flat]; }

/* Where what it brings home was noted; NULL: it brings what its bounds say. */
static Moving *written_of(const Happening *what) {
    int channel = what->run->desc->transfers[what->transfer].channel;
    return channel >= 0 ? &what->run->hidden->moves->moving[channel][what->lpu->flat] : NULL;
}

static int parcels_of(const Happening *what) {
    const Moving *written = written_of(what);
    return written == NULL ? 1 : written->written_count;
}

/* Adds the indices of the store's slowest dimension that the bounds have. */
static void keep_bounds(Hp5Run *runs, int *count, const int64_t *bounds, int d) {
    if (*count < MOST_KEPT) runs[*count] = (Hp5Run){bounds[2 * d], bounds[2 * d + 1] < INT64_MAX ? bounds[2 * d + 1] + 1 : INT64_MAX};
    ++*count;
}

/* Of an array that a card's stages look up each transfer to a leader brings one slice at a time (compiler/plan/gaps.c), and what the leader has written goes home before
 * another one comes in its place. So the slices in use in an LPU are those that such transfers have brought last, and those of them that have been written. Where
 * these may be more than MOST_KEPT, none is used again. */
int64_t hp5_most_in_slots(const Hp5TaskRun *run, int array) {
    int64_t most = 0;
    for (int t = 0; t < run->desc->transfer_count; t++)
        if (run->desc->transfers[t].array == array && run->desc->transfers[t].first_takes) most += 2 * lpus_of(run, t);
    return most <= MOST_KEPT ? most : INT64_MAX;
}

/* What a leader got of others' slices for the bounds of before is not needed any more, unless it belongs to what another transfer
 * has brought, or has been written and not gone home yet. */
static void leave_slots(const Happening *what) {
    const Hp5TaskRun *run = what->run;
    const Hp5TransferDesc *desc = &run->desc->transfers[what->transfer];
    const Hp5Store *store = &run->hidden->stores.roots[desc->array];
    struct Hp5Slots *slots = hp5_slots_of(store);
    int count = 0, d = hp5_store_slowest(store), rank = store->rank;
    Hp5Run kept[MOST_KEPT];
    if (slots == NULL || !desc->first_takes || what->bounds == NULL) return;
    for (int t = 0; t < run->desc->transfer_count && count <= MOST_KEPT; t++) {
        const Hp5TransferDesc *other = &run->desc->transfers[t];
        for (int64_t p = 0; p < lpus_of(run, t) && other->array == desc->array && count <= MOST_KEPT; p++) {
            const Moving *moving = &run->hidden->moves->moving[t][p];
            bool takes = other->first_takes && moving->parcel_count > 0 && moving->parcels[0].made;
            if (takes && (t != what->transfer || p != what->lpu->flat)) keep_bounds(kept, &count, moving->parcels[0].bounds, d);
            for (int i = 0; i < moving->written_count; i++) keep_bounds(kept, &count, moving->written + 2 * rank * i, d);
        }
    }
    keep_bounds(kept, &count, what->bounds, d);
    if (count <= MOST_KEPT) hp5_slots_keep(slots, kept, count);
}

static void start(const Happening *what) {
    Moving *moving = moving_of(what), *written = written_of(what);
    int count = parcels_of(what), rank = rank_of(what->run, what->transfer);
    leave_slots(what);
    more_parcels(moving, count);
    for (int i = 0; i < count; i++) prepare(what, moving, i, written == NULL ? what->bounds : written->written + 2 * rank * i);
    for (int i = 0; i < count; i++) hp5_courier_start(&moving->parcels[i].courier, what->run);
}

static void finish(const Happening *what) {
    Moving *moving = moving_of(what), *written = written_of(what);
    int count = parcels_of(what);
    for (int i = 0; i < count; i++) hp5_courier_finish(&moving->parcels[i].courier, what->run);
    if (written != NULL) written->written_count = 0;
}

static void happen(void *data) {
    const Happening *what = data;
    if (moving_of(what)->inspected != NULL) {
        happen_inspected(what, moving_of(what)->inspected);
        return;
    }
    start(what);
    finish(what);
}

void hp5_transfer(Hp5Worker *w, int transfer, Hp5Lpu *lpu, const int64_t *bounds) {
    bool several = w->run->hidden->segments.count > 1, others = several && is_old(w, transfer, lpu);
    if (!takes_marks(w, transfer, lpu, bounds, others) || !several) return;
    if (others) look(w, transfer, lpu);
    hp5_barrier_then(w->groups[w->run->desc->transfers[transfer].within], happen, &(Happening){w->run, transfer, lpu, bounds});
}

/* Threads of one LPU begin the same ones. */
void hp5_transfer_begin(Hp5Worker *w, int transfer, Hp5Lpu *lpu, const int64_t *bounds) {
    Begun *begun = &w->run->hidden->moves->begun[w->rank];
    if (!takes_marks(w, transfer, lpu, bounds, false) || w->run->hidden->segments.count <= 1) return;
    int64_t *kept = begun->bounds[begun->count];
    if (bounds != NULL) memcpy(kept, bounds, sizeof *bounds * 2 * (size_t)rank_of(w->run, transfer));
    begun->what[begun->count++] = (Happening){w->run, transfer, lpu, bounds != NULL ? kept : NULL};
}

static void happen_together(void *data) {
    const Begun *begun = data;
    for (int i = 0; i < begun->count; i++) start(&begun->what[i]);
    for (int i = 0; i < begun->count; i++) finish(&begun->what[i]);
}

void hp5_transfers_end(Hp5Worker *w) {
    Begun *begun = &w->run->hidden->moves->begun[w->rank];
    if (begun->count == 0) return;
    hp5_barrier_then(w->groups[w->run->desc->transfers[begun->what[0].transfer].within], happen_together, begun);
    begun->count = 0;
}
