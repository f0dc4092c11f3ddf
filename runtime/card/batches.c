/* Parts of LPUs that come from the host's memory to the card's for a visit, and go back (batch.h): which ones, the memory that they have there, and the copies, which the kernel asks for while it runs.
 *
 * How to read it: parts; which of them come; requests.
 *
 * Of Spaces within each other the outermost one brings an array whose parts there is room for: two for each crew, so that the next one comes while the last one is worked on, or one. Parts that are not the LPU's own
 * come where they have no gaps, and where no two LPUs have an element of them that a visit may write: what goes back is all of a part. */
#include "runtime/card/batches.h"
#include "runtime/card/box_rows.h"
#include "runtime/card/cargo.h"
#include "runtime/card/image.h"
#include "runtime/card/no_card.h"
#include "runtime/card/resident.h"
#include "runtime/run/private.h"
#include "runtime/run/session.h"
#include <stdlib.h>

enum { LINE = 256 /* versions begin at multiples of it */, SPARE = 16 /* a fraction of the card's memory that stays free */ };

typedef struct Plan {
    const Hp5BatchDesc *desc;
    int slot;         /* of the array in the LPUs' views */
    bool own;         /* each LPU has a store of its own */
    int64_t count;    /* LPUs */
    Hp5Lpu **lpus;    /* by Hp5Lpu.flat; NULL: another process's */
    int64_t step;     /* bytes of the largest part's version */
    int buffers;      /* for each crew; 0: parts stay where they are */
    int64_t at;       /* in the card's memory for batches */
} Plan;

struct Hp5Batches {
    Hp5TaskRun *run;
    const Hp5CardDriver *driver;
    int crews;
    Plan *plans; /* as desc->card->batches */
    int64_t bytes;
    char *memory;
    Hp5BatchDesk *desk;
    int64_t begun, done; /* requests */
};

static int versions_of(const Hp5Batches *batches, const Plan *plan) { return batches->run->desc->arrays[plan->desc->array].versions; }

static void check(const Hp5TaskRun *run, const char *error, const char *what) {
    if (error != NULL) hp5_fail(HP5_EXIT_FAILURE, "task \"%s\" is mapped to a card, and %s: %s", run->desc->name, what, error);
}

/* ---- Parts ------------------------------------------------------------------------------------------------------------- */

static Hp5View *view_of(const Plan *plan, int64_t flat) { return &plan->lpus[flat]->views[plan->slot]; }

/* As the part lies in a batch. */
static Hp5Store shape_of(const Hp5Batches *batches, const Plan *plan, const Hp5View *view) {
    const Hp5TaskDesc *desc = batches->run->desc;
    const Hp5ArrayDesc *array = &desc->arrays[plan->desc->array];
    int64_t lo[HP5_MAX_RANK], extent[HP5_MAX_RANK];
    Hp5Store shape = *view->store;
    if (plan->own) return shape;
    for (int d = 0; d < array->rank; d++) {
        lo[d] = view->part[d].begin;
        extent[d] = view->part[d].end > view->part[d].begin ? view->part[d].end - view->part[d].begin : 0;
    }
    hp5_store_shape(&shape, array->rank, lo, extent, array->versions, array->element, hp5_layout_of(desc, plan->desc->array));
    return shape;
}

static int64_t bytes_of(const Hp5Batches *batches, const Plan *plan, const Hp5View *view) {
    const Hp5Store shape = shape_of(batches, plan, view);
    return hp5_store_bytes(batches->run->desc, &shape);
}

static void note_lpu(Hp5Lpu *lpu, void *data) { ((Hp5Lpu **)data)[lpu->flat] = lpu; }

static void find_lpus(const Hp5Batches *batches, Plan *plan) {
    plan->count = batches->run->hidden->geometry.shapes[plan->desc->lps].lpus;
    plan->lpus = hp5_alloc_zeroed((plan->count + 1) * (int64_t)sizeof(void *), "parts for a card");
    hp5_each_lpu(batches->run, plan->desc->lps, note_lpu, (void *)plan->lpus);
}

/* All indices between its first and its last one, of a store that has them side by side. */
static bool is_box(const Hp5View *view) {
    const Hp5Store *store = view->store;
    if (store == NULL || store->places != NULL || store->fields != NULL) return false;
    for (int d = 0; d < store->rank; d++) {
        const Hp5Set *set = &view->part[d];
        if (set->end <= set->begin) continue;
        if (hp5_set_count(set) != set->end - set->begin || set->begin < store->lo[d] || set->end > store->lo[d] + store->extent[d]) return false;
    }
    return true;
}

static bool is_unpadded(const Hp5View *view) {
    for (int d = 0; d < view->store->rank; d++)
        if (view->own[d].begin != view->part[d].begin || view->own[d].end != view->part[d].end) return false;
    return true;
}

static int compare_boxes(const void *left, const void *right) {
    const Hp5Box *a = left, *b = right;
    for (int d = 0; d < HP5_MAX_RANK; d++)
        if (a->lo[d] != b->lo[d]) return a->lo[d] < b->lo[d] ? -1 : 1;
    return 0;
}

static int compare_ends(const void *left, const void *right) {
    const Hp5Run *a = left, *b = right;
    if (a->begin != b->begin) return a->begin < b->begin ? -1 : 1;
    return a->end < b->end ? -1 : a->end > b->end;
}

/* In that dimension two of the boxes have the same indices, or none in common. */
static bool is_divided(const Hp5Box *boxes, int64_t count, int d, Hp5Run *runs) {
    for (int64_t i = 0; i < count; i++) runs[i] = (Hp5Run){boxes[i].lo[d], boxes[i].hi[d]};
    qsort(runs, (size_t)count, sizeof *runs, compare_ends);
    for (int64_t i = 1; i < count; i++)
        if (compare_ends(&runs[i - 1], &runs[i]) != 0 && runs[i].begin < runs[i - 1].end) return false;
    return true;
}

/* No two LPUs have an element in common. */
static bool are_apart(const Plan *plan, int rank) {
    Hp5Box *boxes = hp5_alloc_zeroed((plan->count + 1) * (int64_t)sizeof *boxes, "parts for a card");
    Hp5Run *runs = hp5_alloc((plan->count + 1) * (int64_t)sizeof *runs, "parts for a card");
    int64_t count = 0;
    for (int64_t i = 0; i < plan->count; i++) {
        bool empty = false;
        if (plan->lpus[i] == NULL) continue;
        const Hp5Box box = hp5_view_hull(view_of(plan, i), rank);
        for (int d = 0; d < rank; d++) empty = empty || box.hi[d] <= box.lo[d];
        if (!empty) boxes[count++] = box;
    }
    bool apart = true;
    for (int d = 0; d < rank; d++) apart = apart && is_divided(boxes, count, d, runs);
    qsort(boxes, (size_t)count, sizeof *boxes, compare_boxes);
    for (int64_t i = 1; i < count; i++) apart = apart && compare_boxes(&boxes[i - 1], &boxes[i]) != 0;
    hp5_free(boxes);
    hp5_free(runs);
    return apart;
}

static bool can_come(const Hp5Batches *batches, const Plan *plan) {
    const int rank = batches->run->desc->arrays[plan->desc->array].rank;
    for (int64_t i = 0; i < plan->count; i++) {
        if (plan->lpus[i] == NULL) continue;
        const Hp5View *view = view_of(plan, i);
        if (view->store == NULL || (!plan->own && (!is_box(view) || (plan->desc->written && !is_unpadded(view))))) return false;
    }
    return plan->own || !plan->desc->written || are_apart(plan, rank);
}

/* ---- Which of them come --------------------------------------------------------------------------------------------------- */

static bool has_place_above(const Hp5Batches *batches, const Plan *plan) {
    for (int lps = plan->desc->lps; lps != 0;) {
        lps = batches->run->desc->lpses[lps].parent;
        if (hp5_batch_of(batches, lps, plan->desc->array) >= 0) return true;
    }
    return false;
}

/* Of the stores of an array that are LPUs' own. */
typedef struct Counted {
    const Hp5TaskRun *run;
    int slot;
    int64_t bytes;
} Counted;

static int64_t bytes_of_store(const Hp5TaskRun *run, const Hp5Store *store) { return hp5_card_store_bytes(run, store) + 2 * LINE; }

static void count_store(Hp5Lpu *lpu, void *data) {
    Counted *counted = data;
    const Hp5Store *store = lpu->views[counted->slot].store;
    if (store != NULL) counted->bytes += store->versions * bytes_of_store(counted->run, store) * (store->entry != NULL ? 2 : 1);
}

/* What arrays take that are the card's. */
static int64_t bytes_on_card(Hp5TaskRun *run) {
    const Hp5TaskDesc *desc = run->desc;
    Counted counted = {.run = run};
    for (int a = 0; a < desc->array_count; a++) {
        const Hp5Store *root = &run->hidden->stores.roots[a];
        const bool is_there = hp5_is_resident(run, a) && run->items[a]->resident != NULL;
        if (!hp5_is_on_bus(run, a) && desc->arrays[a].home == 0) counted.bytes += (root->versions - is_there) * bytes_of_store(run, root);
    }
    for (int x = 1; x < desc->lps_count; x++)
        for (int v = 0; v < desc->lpses[x].var_count; v++) {
            counted.slot = v;
            if (hp5_has_copies(&desc->lpses[x].vars[v]) && !hp5_is_on_bus(run, desc->lpses[x].vars[v].array)) hp5_each_lpu(run, x, count_store, &counted);
        }
    return counted.bytes;
}

/* About what records of LPUs take (image.c). */
static int64_t bytes_of_records(const Hp5TaskRun *run) {
    const Hp5TaskDesc *desc = run->desc;
    int64_t bytes = 2 * (int64_t)run->hidden->threads * desc->lps_count * (int64_t)sizeof(int);
    for (int x = 0; x < desc->lps_count; x++) {
        const Hp5LpsShape *shape = &run->hidden->geometry.shapes[x];
        int64_t each = (int64_t)sizeof(Hp5Lpu) + shape->child_count * (int64_t)sizeof(Hp5Grid) + (int64_t)desc->lpses[x].scalars_size;
        for (int v = 0; v < desc->lpses[x].var_count; v++)
            each += (int64_t)sizeof(Hp5View) + desc->arrays[desc->lpses[x].vars[v].array].rank * (int64_t)(sizeof(Hp5Set) + sizeof(Hp5Run));
        bytes += shape->lpus * each;
    }
    return bytes;
}

static int64_t bytes_for(const Hp5Batches *batches, const Plan *plan, int buffers) {
    const int64_t crews = batches->run->desc->card->tiers[plan->desc->lps] == HP5_CARD_TIER ? 1 : batches->crews;
    return crews * buffers * versions_of(batches, plan) * plan->step;
}

/* With their records. */
static int64_t cost_of(const Hp5Batches *batches, const Plan *plan, int buffers) { return bytes_for(batches, plan, buffers) + plan->count * (int64_t)(sizeof(Hp5CardPart) + sizeof(Hp5Store)); }

static bool is_below(const Hp5TaskDesc *desc, int lps, int above) {
    while (lps != 0 && lps != above) lps = desc->lpses[lps].parent;
    return lps == above;
}

/* Parts of the same array come in visits of the Space, inside of these, or around them. */
static bool is_covered(const Hp5Batches *batches, const Plan *plan) {
    const Hp5TaskDesc *desc = batches->run->desc;
    for (int i = 0; i < desc->card->batch_count; i++) {
        const Plan *other = &batches->plans[i];
        if (other->desc->array != plan->desc->array || other->buffers == 0) continue;
        if (is_below(desc, plan->desc->lps, other->desc->lps) || is_below(desc, other->desc->lps, plan->desc->lps)) return true;
    }
    return false;
}

/* The innermost of Spaces within each other speaks for all of them. */
static bool speaks(const Hp5Batches *batches, const Plan *plan) {
    const Hp5TaskDesc *desc = batches->run->desc;
    for (int i = 0; i < desc->card->batch_count; i++) {
        const Plan *other = &batches->plans[i];
        if (other != plan && other->desc->array == plan->desc->array && is_below(desc, other->desc->lps, plan->desc->lps)) return false;
    }
    return true;
}

static void warn(const Hp5Batches *batches, const Plan *plan, int64_t room) {
    const Hp5TaskDesc *desc = batches->run->desc;
    const char *array = desc->arrays[plan->desc->array].name, *space = desc->lpses[plan->desc->lps].name;
    if (plan->step > 0)
        hp5_warn("task \"%s\": the card has no room for parts of array %s for Space %s: those that it works on at the same time take %lld bytes, of which %lld are free; it reads and writes them in the host's memory",
                 desc->name, array, space, (long long)cost_of(batches, plan, 1), (long long)room);
    else
        hp5_warn("task \"%s\": parts of array %s for Space %s stay in the host's memory, where the card reads and writes them: they have gaps, or LPUs write what others have, too", desc->name, array, space);
}

/* Takes its room, if the plan's parts come. */
static void decide(Hp5Batches *batches, Plan *plan, int64_t *room) {
    find_lpus(batches, plan);
    if (has_place_above(batches, plan) || !can_come(batches, plan)) return;
    for (int64_t l = 0; l < plan->count; l++) {
        if (plan->lpus[l] == NULL) continue;
        const int64_t step = (bytes_of(batches, plan, view_of(plan, l)) + LINE - 1) / LINE * LINE;
        if (step > plan->step) plan->step = step;
    }
    for (int buffers = HP5_BATCH_BUFFERS; buffers > 0 && plan->buffers == 0 && plan->step > 0; buffers--)
        if (cost_of(batches, plan, buffers) <= *room) plan->buffers = buffers;
    if (plan->buffers > 0) *room -= cost_of(batches, plan, plan->buffers);
    plan->at = batches->bytes;
    batches->bytes += bytes_for(batches, plan, plan->buffers);
}

/* Spaces before those below them, which have larger numbers. */
static void decide_all(Hp5Batches *batches, int64_t room) {
    const Hp5TaskDesc *desc = batches->run->desc;
    for (int lps = 0; lps < desc->lps_count; lps++)
        for (int i = 0; i < desc->card->batch_count; i++)
            if (batches->plans[i].desc->lps == lps) decide(batches, &batches->plans[i], &room);
    for (int i = 0; i < desc->card->batch_count; i++)
        if (!is_covered(batches, &batches->plans[i]) && speaks(batches, &batches->plans[i])) warn(batches, &batches->plans[i], room);
}

static int64_t room_on_card(const Hp5Batches *batches) {
    const int64_t memory = hp5_card_memory(batches->run->desc);
    int64_t room, all;
    check(batches->run, batches->driver->room(&room, &all), "its memory cannot be told");
    if (memory > 0 && memory < all) room -= all - memory; /* the card counts as smaller than it is */
    room -= room / SPARE + bytes_on_card(batches->run) + bytes_of_records(batches->run);
    return room > 0 ? room : 0;
}

static void take_memory(Hp5Batches *batches) {
    void *memory;
    check(batches->run, batches->driver->allocate(&memory, batches->bytes, false), "it has no memory for parts of arrays");
    batches->memory = memory;
    check(batches->run, batches->driver->allocate(&memory, sizeof *batches->desk, true), "the host has no memory that it reaches");
    batches->desk = memory;
    *batches->desk = (Hp5BatchDesk){.done = 0};
    for (int i = 0; i < HP5_BATCH_ASKS; i++) batches->desk->asks[i].free_for = i;
}

Hp5Batches *hp5_batches_create(Hp5TaskRun *run, int crews) {
    const Hp5CardTask *card = run->desc->card;
    if (card->batch_count == 0 || hp5_card_is_predicted()) return NULL;
    Hp5Batches *batches = hp5_alloc_zeroed(sizeof *batches, "parts for a card");
    *batches = (Hp5Batches){.run = run, .driver = hp5_card_driver(card), .crews = crews};
    batches->plans = hp5_alloc_zeroed(card->batch_count * (int64_t)sizeof *batches->plans, "parts for a card");
    for (int i = 0; i < card->batch_count; i++) {
        const Hp5BatchDesc *desc = &card->batches[i];
        const int slot = hp5_slot_of(run->desc, desc->lps, desc->array);
        batches->plans[i] = (Plan){.desc = desc, .slot = slot, .own = hp5_has_copies(&run->desc->lpses[desc->lps].vars[slot])};
    }
    decide_all(batches, room_on_card(batches));
    if (batches->bytes > 0) {
        take_memory(batches);
        return batches;
    }
    hp5_batches_free(batches);
    return NULL;
}

void hp5_batches_free(Hp5Batches *batches) {
    if (batches == NULL) return;
    if (batches->memory != NULL) batches->driver->release(batches->memory, false);
    if (batches->desk != NULL) batches->driver->release(batches->desk, true);
    for (int i = 0; i < batches->run->desc->card->batch_count; i++) hp5_free((void *)batches->plans[i].lpus);
    hp5_free(batches->plans);
    hp5_free(batches);
}

/* ---- For the card's records ------------------------------------------------------------------------------------------------ */

bool hp5_batch_comes(const Hp5Batches *batches, int which, Hp5CardBatch *batch) {
    const Plan *plan = &batches->plans[which];
    *batch = (Hp5CardBatch){.count = plan->count, .step = plan->step, .memory = batches->memory + plan->at, .buffers = plan->buffers, .versions = versions_of(batches, plan)};
    return plan->buffers > 0;
}

int hp5_batch_of(const Hp5Batches *batches, int lps, int array) {
    for (int i = 0; batches != NULL && i < batches->run->desc->card->batch_count; i++) {
        const Plan *plan = &batches->plans[i];
        if (plan->desc->lps == lps && plan->desc->array == array && plan->buffers > 0) return i;
    }
    return -1;
}

Hp5CardPart hp5_batch_part(const Hp5Batches *batches, int which, const Hp5Lpu *lpu) {
    const Plan *plan = &batches->plans[which];
    const Hp5View *view = &lpu->views[plan->slot];
    const Hp5Store shape = shape_of(batches, plan, view);
    Hp5CardPart part = {.bytes = bytes_of(batches, plan, view), .capacity = shape.capacity};
    for (int d = 0; d < shape.rank; d++) {
        part.lo[d] = shape.lo[d];
        part.extent[d] = shape.extent[d];
        part.stride[d] = shape.stride[d];
    }
    return part;
}

bool hp5_batch_is_own(const Hp5Batches *batches, int which) { return batches->plans[which].own; }

Hp5BatchDesk *hp5_batches_desk(const Hp5Batches *batches) { return batches->desk; }

/* ---- Requests ----------------------------------------------------------------------------------------------------------------- */

typedef struct Copying {
    const Hp5Batches *batches;
    bool takes;
} Copying;

static void copy_rows(const Hp5Rows *rows, void *data) {
    const Copying *copying = data;
    const Hp5CardDriver *driver = copying->batches->driver;
    check(copying->batches->run, copying->takes ? driver->stage_rows(rows->there, rows->there_pitch, rows->here, rows->here_pitch, rows->width, rows->rows)
                                                : driver->stage_rows(rows->here, rows->here_pitch, rows->there, rows->there_pitch, rows->width, rows->rows), "parts of arrays cannot move");
}

static void answer(const Hp5Batches *batches, const Hp5BatchAsk *ask) {
    const Plan *plan = &batches->plans[ask->batch];
    const Hp5View *view = view_of(plan, ask->lpu);
    const Hp5Store shape = shape_of(batches, plan, view), *store = view->store;
    const int64_t bytes = hp5_store_bytes(batches->run->desc, &shape);
    Copying copying = {batches, ask->takes};
    for (int k = 0; k < ask->versions; k++) {
        if (plan->own) {
            copy_rows(&(Hp5Rows){.here = ask->near[k], .there = ask->home[k], .here_pitch = bytes, .there_pitch = bytes, .width = bytes, .rows = 1}, &copying);
            continue;
        }
        const Hp5BoxSide here = {&shape, ask->near[k], 0}, there = {store, ask->home[k], hp5_store_offset(store, shape.lo)};
        hp5_each_rows(&here, &there, shape.extent, copy_rows, &copying);
    }
    hp5_card_count(ask->takes, HP5_CARGO_ELEMENTS, bytes * ask->versions);
}

/* The next one, if there is one, and a mark is left for it. */
static bool begin(Hp5Batches *batches) {
    Hp5BatchAsk *ask = &batches->desk->asks[batches->begun % HP5_BATCH_ASKS];
    if (batches->begun - batches->done == HP5_BATCH_ASKS || ask->ready != batches->begun + 1) return false;
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    answer(batches, ask);
    check(batches->run, batches->driver->stage_mark((int)(batches->begun % HP5_BATCH_ASKS)), "parts of arrays cannot move");
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    ask->free_for = batches->begun + HP5_BATCH_ASKS;
    batches->begun++;
    return true;
}

bool hp5_batches_serve(Hp5Batches *batches) {
    bool arrived = true;
    while (begin(batches)) {}
    const bool busy = batches->done < batches->begun;
    while (arrived && batches->done < batches->begun) {
        check(batches->run, batches->driver->staged((int)(batches->done % HP5_BATCH_ASKS), &arrived), "parts of arrays cannot move");
        batches->done += arrived;
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    batches->desk->done = batches->done;
    return busy;
}
