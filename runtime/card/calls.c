/* What a kernel asks of the host while it runs (Hp5CardDesk): stages of Spaces that are the host's (on_host.c), all that happens between processes, and, on a desk of their own, parts of LPUs (batches.c).
 * The host does the latter with the functions that threads call, as the only thread of its process, and with its own stores as a place on the way: elements that go to others come from the card just before
 * they are packed, and those of others go to the card as soon as they are unpacked (hp5_card_take_box, hp5_card_give_box: runtime/move/pieces.c). So
 * the host's stores have nothing that anybody reads, and need not follow versions that change places on the card. */
#include "runtime/card/batches.h"
#include "runtime/card/box_rows.h"
#include "runtime/card/calls.h"
#include "runtime/card/cargo.h"
#include "runtime/card/clock.h"
#include "runtime/card/execute.h"
#include "runtime/card/image.h"
#include "runtime/card/no_card.h"
#include "runtime/card/resident.h"
#include "runtime/move/transport.h"
#include "runtime/report/crash.h"
#include "runtime/run/private.h"
#include "runtime/run/session.h"
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct Hp5CardCalls {
    Hp5TaskRun *run;
    Hp5Image *image;
    Hp5CardDesk *desk;
    Hp5Clock *clock;          /* NULL: nobody measures */
    Hp5Group alone, **groups; /* of the one thread that looks after the card, for each LPS */
    Hp5Lpu ***lpus;           /* for each LPS by Hp5Lpu.flat; NULL: nobody has asked yet */
    bool runs;                /* the kernel */
    uint32_t stamp;           /* checked builds: of writes by the host, when the kernel began */
};

static void check(const Hp5TaskRun *run, const char *error, const char *what) {
    if (error != NULL) hp5_fail(HP5_EXIT_FAILURE, "task \"%s\": %s failed on the card: %s", run->desc->name, what, error);
}

static const Hp5CardDriver *driver_of(const Hp5TaskRun *run) { return hp5_card_driver(run->desc->card); }

/* ---- Whoever ends the program stops the kernel ------------------------------------------------------------------------ */

static Hp5CardDesk *open_desk;

static void close_desk(void) {
    if (open_desk != NULL) open_desk->over = 1;
}

/* ---- Beginning and end ---------------------------------------------------------------------------------------------- */

Hp5CardCalls *hp5_card_calls_create(Hp5TaskRun *run, Hp5Image *image, Hp5CardDesk *desk, Hp5Clock *clock) {
    static bool watched;
    Hp5CardCalls *calls = hp5_alloc_zeroed(sizeof *calls, "a task on a card");
    const int lpses = run->desc->lps_count;
    *calls = (Hp5CardCalls){.run = run, .image = image, .desk = desk, .clock = clock};
    hp5_group_init(&calls->alone, run->team, 0, 1);
    calls->groups = hp5_alloc((int64_t)sizeof(void *) * lpses, "a task on a card");
    for (int x = 0; x < lpses; x++) calls->groups[x] = &calls->alone;
    calls->lpus = hp5_alloc_zeroed((int64_t)sizeof(void *) * lpses, "a task on a card");
    if (!watched) atexit(close_desk);
    watched = true;
    return calls;
}

void hp5_card_calls_free(Hp5CardCalls *calls) {
    if (calls == NULL) return;
    for (int x = 0; x < calls->run->desc->lps_count; x++) hp5_free((void *)calls->lpus[x]);
    hp5_free((void *)calls->lpus);
    hp5_free((void *)calls->groups);
    hp5_free(calls);
}

/* ---- Elements --------------------------------------------------------------------------------------------------------- */

typedef struct Moving {
    const Hp5TaskRun *run;
    const Hp5Store *store;
    bool takes;
} Moving;

static void move_rows(const Hp5Rows *rows, void *data) {
    const Moving *moving = data;
    check(moving->run, hp5_card_move_rows(driver_of(moving->run), hp5_cargo_of(moving->run, moving->store->array), moving->takes, rows->there, rows->here, rows->here_pitch, rows->width, rows->rows),
          "copying elements");
}

static void move_box(const Hp5TaskRun *run, const Hp5Store *store, int version, int64_t offset, const int64_t *count, bool takes) {
    char *const card = hp5_image_version(hp5_card_calls_of(run)->image, store, version), *const host = store->version[version];
    hp5_card_check_box(run, store, offset, count);
    hp5_each_rows(&(Hp5BoxSide){store, card, offset}, &(Hp5BoxSide){store, host, offset}, count, move_rows, &(Moving){run, store, takes});
}

static bool runs(const Hp5TaskRun *run) { return run->hidden->card != NULL && hp5_card_calls_of(run)->runs; }

void hp5_card_take_box(const Hp5TaskRun *run, const Hp5Store *store, int version, int64_t offset, const int64_t *count) {
    if (runs(run)) move_box(run, store, version, offset, count, true);
}

void hp5_card_give_box(const Hp5TaskRun *run, const Hp5Store *store, int version, int64_t offset, const int64_t *count) {
    if (runs(run)) move_box(run, store, version, offset, count, false);
}

void hp5_card_settle(const Hp5TaskRun *run) {
    if (runs(run)) check(run, hp5_card_settle_rows(driver_of(run)), "copying elements");
}

/* ---- LPUs --------------------------------------------------------------------------------------------------------------- */

static void note_lpu(Hp5Lpu *lpu, void *data) { ((Hp5Lpu **)data)[lpu->flat] = lpu; }

static Hp5Lpu *lpu_of(const Hp5CardCalls *calls, int lps, int64_t flat) {
    if (calls->lpus[lps] == NULL) {
        const int64_t count = calls->run->hidden->geometry.shapes[lps].lpus;
        calls->lpus[lps] = hp5_alloc_zeroed((count + 1) * (int64_t)sizeof(void *), "a task on a card");
        hp5_each_lpu(calls->run, lps, note_lpu, (void *)calls->lpus[lps]);
    }
    return lps == 0 ? &calls->run->root : calls->lpus[lps][flat];
}

/* ---- One call after the other ------------------------------------------------------------------------------------------------ */

/* The results that LPUs have left on the card are combined, and then count as used on both sides. The card learns that from the host's zeros: it would
 * make zeros of its own (clear) by a kernel, for which the kernel that waits here leaves no room. */
static void reduce(const Hp5CardCalls *calls, Hp5Worker *w, int reduction, Hp5Lpu *target) {
    const Hp5TaskRun *run = calls->run;
    const Hp5ReduceDesc *desc = &run->desc->reductions[reduction];
    const Hp5CardSite on_card = hp5_image_site(calls->image, reduction);
    Hp5Site *site = &run->hidden->sites[reduction];
    const int64_t begin = desc->from == desc->to ? target->flat : site->begin[target->flat];
    const int64_t count = desc->from == desc->to ? 1 : site->end[target->flat] - begin, size = (int64_t)desc->size;
    check(run, hp5_card_take(driver_of(run), HP5_CARGO_RECORDS, site->partials + begin * size, on_card.partials + begin * size, count * size), "copying results");
    check(run, hp5_card_take(driver_of(run), HP5_CARGO_RECORDS, site->present + begin, on_card.present + begin, count), "copying results");
    hp5_reduce(w, reduction, target);
    check(run, hp5_card_give(driver_of(run), HP5_CARGO_RECORDS, on_card.present + begin, site->present + begin, count), "copying results");
}

void hp5_card_give_partial(const Hp5TaskRun *run, int reduction, const Hp5Lpu *lpu) {
    const Hp5CardSite on_card = hp5_image_site(hp5_card_calls_of(run)->image, reduction);
    Hp5Site *site = &run->hidden->sites[reduction];
    const int64_t size = (int64_t)run->desc->reductions[reduction].size;
    check(run, hp5_card_give(driver_of(run), HP5_CARGO_RECORDS, on_card.partials + lpu->flat * size, site->partials + lpu->flat * size, size), "copying results");
    check(run, hp5_card_give(driver_of(run), HP5_CARGO_RECORDS, on_card.present + lpu->flat, site->present + lpu->flat, 1), "copying results");
    site->present[lpu->flat] = 0;
}

/* A stage of a Space that is the host's. */
static void run_stage(const Hp5CardCalls *calls, const Hp5CardCall *call, Hp5Lpu *lpu) {
    Hp5Worker *w = &calls->run->workers[0];
    const double begin = hp5_now();
    w->stamp = calls->stamp + calls->desk->stamp;
    hp5_crash_enter(w);
    calls->run->desc->on_host[call->number](w, lpu, call->bounds);
    hp5_crash_enter(NULL);
    w->doing.stage = 0;
    if (!w->timing) return;
    const double end = hp5_now();
    w->times[call->number].calls++;
    w->times[call->number].seconds += end - begin;
    if (w->trace != NULL) hp5_trace_span(w->trace, (Hp5TraceSpan){.name = calls->run->desc->stage_names[call->number], .kind = HP5_SPAN_FOR_CARD, .begin = begin, .end = end});
}

/* A value, and what its Strings point to. */
static void tell(const Hp5CardCalls *calls, const Hp5CardCall *call, Hp5Worker *w, const Hp5Lpu *lpu) {
    void *value = hp5_image_scalar(calls->image, call->value);
    const char **text;
    hp5_tell_from(w, lpu, call->lps, call->number, value, (size_t)call->bytes);
    for (int t = 0; (text = hp5_image_text_in(calls->image, value, call->bytes, t)) != NULL; t++) hp5_tell_text_from(w, lpu, call->lps, call->number, text);
}

static void answer_call(Hp5CardCalls *calls, const Hp5CardCall *call) {
    Hp5Worker *w = &calls->run->workers[0];
    Hp5Lpu *lpu = lpu_of(calls, call->deed == HP5_CALL_ANY ? 0 : call->lps, call->deed == HP5_CALL_ANY ? 0 : call->lpu);
    const int64_t *bounds = call->bounded ? call->bounds : NULL;
    switch ((Hp5CardDeed)call->deed) {
    case HP5_CALL_WROTE: hp5_wrote(w, call->number, lpu); break;
    case HP5_CALL_WROTE_PART: hp5_wrote_part(w, call->number, lpu, bounds); break;
    case HP5_CALL_RENEWED: hp5_renewed(w, call->number, lpu); break;
    case HP5_CALL_WATCH: hp5_watch_changes(w, call->number, lpu, bounds); break;
    case HP5_CALL_MERGE: hp5_merge_changes(w, call->number, lpu); break;
    case HP5_CALL_TRANSFER: hp5_transfer(w, call->number, lpu, bounds); break;
    case HP5_CALL_TRANSFER_BEGIN: hp5_transfer_begin(w, call->number, lpu, bounds); break;
    case HP5_CALL_TRANSFERS_END: hp5_transfers_end(w); break;
    case HP5_CALL_EXCHANGE: hp5_exchange_messages(w, call->number, lpu); break;
    case HP5_CALL_REDUCE: reduce(calls, w, call->number, lpu); break;
    case HP5_CALL_TELL: tell(calls, call, w, lpu); break;
    case HP5_CALL_STAGE: run_stage(calls, call, lpu); break;
    case HP5_CALL_ANY: calls->desk->any = hp5_any(w, call->lps, call->number != 0); break;
    }
}

static bool changes_scalars(const Hp5CardCall *call) { return call->deed == HP5_CALL_REDUCE || call->deed == HP5_CALL_TELL || call->deed == HP5_CALL_STAGE; }

static void answer(Hp5CardCalls *calls) {
    Hp5CardDesk *desk = calls->desk;
    bool changes = false;
    hp5_image_take(calls->image);
    for (int i = 0; i < desk->count; i++) {
        const Hp5CardCall call = desk->calls[i];
        answer_call(calls, &call);
        changes = changes || changes_scalars(&call);
    }
    if (changes) hp5_image_give_scalars(calls->image);
    hp5_image_give_tables(calls->image);
    hp5_card_settle(calls->run);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    desk->answered = desk->asked;
}

/* A kernel that has not asked for a while will not ask at once. */
static void look_away(int *looks) {
    enum { EAGER = 256, NANOSECONDS = 20 * 1000 };
    if (++*looks < EAGER) sched_yield();
    else nanosleep(&(struct timespec){.tv_nsec = NANOSECONDS}, NULL);
}

const char *hp5_card_serve(Hp5CardCalls *calls) {
    const Hp5CardDriver *driver = driver_of(calls->run);
    Hp5Worker *w = &calls->run->workers[0];
    Hp5Group **groups = w->groups;
    Hp5Batches *batches = hp5_image_batches(calls->image);
    const char *error = NULL;
    w->groups = calls->groups;
    calls->runs = true;
    calls->stamp = w->stamp;
    open_desk = calls->desk;
    int looks = 0;
    for (bool ended = false; !ended;) {
        if (calls->desk->asked != calls->desk->answered) {
            __atomic_thread_fence(__ATOMIC_SEQ_CST);
            hp5_clock_heard(calls->clock, calls->desk->asked_at);
            answer(calls);
            looks = 0;
            continue;
        }
        if (batches != NULL && hp5_batches_serve(batches)) looks = 0;
        error = driver->ended(&ended);
        if (ended) break;
        hp5_comm_progress();
        look_away(&looks);
    }
    open_desk = NULL;
    calls->runs = false;
    w->groups = groups;
    return error;
}
