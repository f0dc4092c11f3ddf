/* Elements that move between the processes of a task (Hp5TransferDesc). All that a process has of an array in place lies in one store,
 * so a transfer is messages and nothing else.
 *
 * How to read it: marks say whether there is something to move; each thread keeps its own, for all of them see the same steps. The
 * messages of a transfer in an LPU are found when it happens first, and again only when its bounds are others. */
#include "runtime/move/courier.h"
#include "runtime/run/private.h"
#include <string.h>

/* Of a transfer in an LPU of `within`. */
typedef struct Moving {
    bool made;
    int64_t bounds[2 * HP5_MAX_RANK];
    Hp5Courier courier;
} Moving;

struct Hp5Moves {
    Moving **moving;  /* for each transfer, by LPU (Hp5Lpu.flat); NULL before the first */
    uint64_t **marks; /* for each transfer, by thread and LPU: the writers since the last time */
};

static int64_t lpus_of(const Hp5TaskRun *run, int transfer) { return run->hidden->geometry.shapes[run->desc->transfers[transfer].within].lpus; }

void hp5_moves_create(Hp5TaskRun *run) {
    int count = run->desc->transfer_count;
    if (count == 0) return;
    struct Hp5Moves *moves = run->hidden->moves = hp5_alloc_zeroed(sizeof *moves, "movements");
    moves->moving = hp5_alloc_zeroed((int64_t)sizeof(void *) * count, "movements");
    moves->marks = hp5_alloc_zeroed((int64_t)sizeof(void *) * count, "movements");
    for (int t = 0; t < count; t++) {
        moves->moving[t] = hp5_alloc_zeroed((int64_t)sizeof(Moving) * (lpus_of(run, t) + 1), "movements");
        moves->marks[t] = hp5_alloc_zeroed((int64_t)sizeof(uint64_t) * (lpus_of(run, t) * run->hidden->threads + 1), "movements");
    }
}

void hp5_moves_free(Hp5TaskRun *run) {
    struct Hp5Moves *moves = run->hidden->moves;
    if (moves == NULL) return;
    for (int t = 0; t < run->desc->transfer_count; t++) {
        for (int64_t p = 0; p < lpus_of(run, t); p++) hp5_courier_free(&moves->moving[t][p].courier);
        hp5_free(moves->moving[t]);
        hp5_free(moves->marks[t]);
    }
    hp5_free(moves->moving);
    hp5_free(moves->marks);
    hp5_free(moves);
}

/* ---- Marks -------------------------------------------------------------------------------------------- */

static uint64_t *marks_of(const Hp5Worker *w, int transfer, const Hp5Lpu *lpu) {
    return &w->run->hidden->moves->marks[transfer][lpu->flat * w->run->hidden->threads + w->rank];
}

void hp5_wrote(Hp5Worker *w, int writer, const Hp5Lpu *lpu) {
    const Hp5TaskDesc *desc = w->run->desc;
    int lps = lpu->grid == NULL ? 0 : lpu->grid->lps;
    for (int t = 0; t < desc->transfer_count; t++)
        if (desc->transfers[t].within == lps) *marks_of(w, t, lpu) |= desc->transfers[t].after & UINT64_C(1) << writer;
}

/* Whether there is something to move. What moves now need not move with others. */
static bool takes_marks(const Hp5Worker *w, int transfer, const Hp5Lpu *lpu) {
    const Hp5TransferDesc *desc = &w->run->desc->transfers[transfer];
    uint64_t mine = *marks_of(w, transfer, lpu);
    *marks_of(w, transfer, lpu) = 0;
    for (int t = 0; t < w->run->desc->transfer_count && t < 64; t++)
        if ((desc->covers >> t & 1) != 0) *marks_of(w, t, lpu) &= ~mine;
    return mine != 0;
}

/* ---- Messages ------------------------------------------------------------------------------------------ */

typedef struct Happening {
    Hp5TaskRun *run;
    int transfer;
    const Hp5Lpu *lpu;
    const int64_t *bounds;
} Happening;

static void make(const Happening *what, Moving *moving) {
    Hp5TaskRun *run = what->run;
    const Hp5TransferDesc *desc = &run->desc->transfers[what->transfer];
    Hp5Box only;
    Hp5Movement movement = {.array = desc->array, .within = desc->within, .from = desc->from, .to = desc->to, .beyond = -1, .in_place = true};
    for (int d = 0; what->bounds != NULL && d < run->desc->arrays[desc->array].rank; d++) {
        only.lo[d] = what->bounds[2 * d];
        only.hi[d] = what->bounds[2 * d + 1] < INT64_MAX ? what->bounds[2 * d + 1] + 1 : INT64_MAX;
    }
    if (what->bounds != NULL) movement.only = &only;
    Hp5Holders holders = {.sources_alike = !desc->first_gives, .all_destinations = !desc->first_takes};
    hp5_courier_free(&moving->courier);
    Hp5Pattern pattern = hp5_pattern_create(run, &run->hidden->segments, movement, holders, what->lpu);
    hp5_courier_create(&moving->courier, run, pattern, false, HP5_TAG_TRANSFERS + what->transfer);
    moving->made = true;
    if (what->bounds != NULL) memcpy(moving->bounds, what->bounds, sizeof *what->bounds * 2 * (size_t)run->desc->arrays[desc->array].rank);
}

static bool same_bounds(const Happening *what, const Moving *moving) {
    int rank = what->run->desc->arrays[what->run->desc->transfers[what->transfer].array].rank;
    return what->bounds == NULL || memcmp(moving->bounds, what->bounds, sizeof *what->bounds * 2 * (size_t)rank) == 0;
}

static void happen(void *data) {
    const Happening *what = data;
    Moving *moving = &what->run->hidden->moves->moving[what->transfer][what->lpu->flat];
    if (!moving->made || !same_bounds(what, moving)) make(what, moving);
    hp5_courier_start(&moving->courier, what->run);
    hp5_courier_finish(&moving->courier, what->run);
}

void hp5_transfer(Hp5Worker *w, int transfer, const Hp5Lpu *lpu, const int64_t *bounds) {
    if (!takes_marks(w, transfer, lpu) || w->run->hidden->segments.count <= 1) return;
    hp5_barrier_then(w->groups[w->run->desc->transfers[transfer].within], happen, &(Happening){w->run, transfer, lpu, bounds});
}
