/* One execution on a card: how many of its PPUs take part; then elements go to the card, the kernel runs the flow, and what it has written
 * stays there (resident.c, sides.c), or comes back. */
#include "runtime/card/calls.h"
#include "runtime/card/cargo.h"
#include "runtime/card/clock.h"
#include "runtime/card/execute.h"
#include "runtime/card/image.h"
#include "runtime/card/no_card.h"
#include "runtime/card/block_rooms.h"
#include "runtime/card/sides.h"
#include "runtime/predict/crews.h"
#include "runtime/run/private.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Counts ------------------------------------------------------------------------------------------------------------ */

/* Threads of a block whose PPU is the card's; warps of a block whose PPU is nobody's. */
enum { GRID_THREADS = 256, BLOCK_WARPS = 8 };

static void check(const Hp5TaskDesc *desc, const char *error, const char *what) {
    if (error != NULL) hp5_fail(HP5_EXIT_FAILURE, "task \"%s\" is mapped to a card, and %s: %s", desc->name, what, error);
}

static Hp5CardLimits limits_of(const Hp5TaskDesc *desc) {
    Hp5CardLimits limits = {0};
    if (hp5_card_is_predicted()) return hp5_no_card_limits(desc);
    check(desc, desc->card->driver->open(desc->card->kernel, hp5_comm_local_rank(), &limits), "there is none that can be used");
    return limits;
}

static void reduce_level(const Hp5TaskDesc *desc, int *levels, int level, int most) {
    if (levels[level] <= most) return;
    hp5_warn("task \"%s\": %d PPUs of %s in place of %d, which is what the card can run at once", desc->name, most, desc->machine_levels[level].name,
             levels[level]);
    levels[level] = most;
}

/* The warps of a multiprocessor are one block where LPUs are its; otherwise several, of which it runs as many as its registers hold: the largest
 * number that divides them, up to `most`. */
static int warps_of_block(const Hp5TaskDesc *desc, int warps, int most) {
    if (hp5_has_tier(desc, HP5_BLOCK_TIER)) return warps;
    int each = most < BLOCK_WARPS ? most : BLOCK_WARPS;
    while (warps % each != 0) each--;
    return each;
}

static int blocks_at_once(const Hp5TaskDesc *desc, const Hp5CardLimits *limits, int threads) {
    int blocks = 0;
    if (hp5_card_is_predicted()) return hp5_no_card_blocks(desc, threads);
    check(desc, desc->card->driver->blocks_at_once(desc->card->kernel, threads, hp5_rooms_of_block(desc, limits, threads), &blocks), "its kernel cannot run there");
    return blocks;
}

/* How many warps a multiprocessor runs at once. */
static int most_warps(const Hp5TaskDesc *desc, const Hp5CardLimits *limits) {
    const int most = limits->block_threads / HP5_WARP_THREADS, each = most < BLOCK_WARPS ? most : BLOCK_WARPS;
    return hp5_has_tier(desc, HP5_BLOCK_TIER) ? most : blocks_at_once(desc, limits, each * HP5_WARP_THREADS) / limits->multiprocessors * each;
}

/* The card takes part with at most what it can run at once. */
static void look_at_card(const Hp5TaskDesc *desc, int *levels) {
    const Hp5CardTask *card = desc->card;
    const Hp5CardLimits limits = limits_of(desc);
    int threads = limits.block_threads, together = 1; /* blocks that are one multiprocessor's */
    if (card->lowest >= HP5_WARP_TIER) {
        reduce_level(desc, levels, card->first_level + 2, most_warps(desc, &limits));
        const int warps = levels[card->first_level + 2], each = warps_of_block(desc, warps, limits.block_threads / HP5_WARP_THREADS);
        threads = each * HP5_WARP_THREADS;
        together = warps / each;
    }
    const int blocks = blocks_at_once(desc, &limits, threads);
    if (card->lowest != HP5_CARD_TIER) reduce_level(desc, levels, card->first_level + 1, blocks / together);
}

/* Processes that share a card take turns there, and each has what all of them can have: parts of data follow from counts that all know. */
static void agree(const Hp5TaskDesc *desc, int *levels) {
    const int64_t bytes = desc->machine_level_count * (int64_t)sizeof *levels;
    int *all = hp5_alloc(bytes * hp5_comm_size(), "level counts");
    hp5_comm_gather_all(HP5_EVERYBODY, HP5_TAG_PLANS, levels, bytes, all);
    for (int p = 0; p < hp5_comm_size(); p++)
        for (int l = 0; l < desc->machine_level_count; l++)
            if (all[p * desc->machine_level_count + l] < levels[l]) levels[l] = all[p * desc->machine_level_count + l];
    hp5_free(all);
}

/* PPUs of an LPS in its parent's: of one card, or of the cards of all processes; all of them, or as many as the mapping takes. */
static int count_ppus(const Hp5TaskDesc *desc, const int *levels, int x, bool spread) {
    const int parent = desc->machine_level[desc->lpses[x].parent], card = desc->card->first_level;
    int64_t count = 1, model = 1, of_all = 1;
    for (int l = parent + 1; l <= desc->machine_level[x] && !desc->lpses[x].sub_partition; l++) {
        of_all *= desc->machine_levels[l].count;
        if (l <= card && !spread) continue;
        count *= levels[l];
        model *= desc->machine_levels[l].count;
    }
    const int wanted = desc->level_counts[x];
    return (int)(desc->lpses[x].sub_partition || wanted == of_all || wanted >= model || wanted > count ? count : wanted);
}

/* Where Root is one of a level's PPUs, the others have nothing to do. */
static void confine_root(const Hp5TaskDesc *desc, int *levels) {
    for (int l = desc->card->first_level + 1; l <= desc->machine_level[0] && l < desc->card->first_level + HP5_LANE_TIER; l++) levels[l] = 1;
}

/* Threads of a warp cannot be left out: they run whatever their neighbours do. */
static void check_lanes(const Hp5TaskDesc *desc, const int *levels) {
    const int lanes = desc->card->first_level + HP5_LANE_TIER;
    if (desc->card->lowest == HP5_LANE_TIER && levels[lanes] != HP5_WARP_THREADS)
        hp5_fail(HP5_EXIT_USAGE, "--machine: the count of %s is %d, but a warp has %d lanes; give fewer %s instead", desc->machine_levels[lanes].name, levels[lanes],
                 HP5_WARP_THREADS, desc->machine_levels[lanes - 1].name);
}

int hp5_card_counts(const Hp5TaskDesc *desc, const Hp5Options *options, bool look, int processes, int *counts, int *levels, Hp5SegmentCounts *segments) {
    const Hp5CardTask *card = desc->card;
    int workers = 1;
    hp5_level_counts(desc, options->machine, 0, counts); /* looks at --machine */
    hp5_machine_counts(desc, options->machine, levels);
    check_lanes(desc, levels);
    confine_root(desc, levels);
    if (look) look_at_card(desc, levels);
    if (segments != NULL) agree(desc, levels);
    counts[0] = 1;
    for (int x = 1; x < desc->lps_count; x++) counts[x] = count_ppus(desc, levels, x, segments != NULL && desc->segments > 1);
    for (int tier = HP5_BLOCK_TIER; tier <= (int)card->lowest; tier++) workers *= levels[card->first_level + tier];
    if (segments != NULL) hp5_spread_counts(desc, 0, workers, processes, counts, levels, segments);
    return workers;
}

/* ---- Execution ---------------------------------------------------------------------------------------------------------- */

typedef struct Hp5OnCard {
    Hp5Image *image;
    Hp5Clock *clock;
    Hp5CardCalls *calls; /* of several processes, or with stages that are the host's; NULL: nobody calls */
    int blocks, threads, shared; /* shared: bytes for each block */
} Hp5OnCard;

Hp5CardCalls *hp5_card_calls_of(const Hp5TaskRun *run) { return run->hidden->card->calls; }

Hp5Image *hp5_card_image(const Hp5TaskRun *run) { return run->hidden->card->image; }

/* of_card: the run's records there. */
static const char *start(const Hp5TaskRun *run, const Hp5OnCard *on, Hp5CardRun *of_card, const Hp5CardRecords *records) {
    Hp5CardDesk *desk;
    hp5_image_desk(on->image, &desk);
    return run->desc->card->driver->launch(run->desc->card->kernel, on->blocks, on->threads, on->shared, of_card, desk, records);
}

/* The first launch of a kernel takes some tenths of a millisecond more than the next ones: this one does nothing. */
static void bring_kernel(const Hp5TaskRun *run, const Hp5OnCard *on) {
    if (hp5_card_is_predicted()) return;
    check(run->desc, start(run, on, NULL, NULL), "its kernel cannot run there");
    check(run->desc, run->desc->card->driver->wait(), "its kernel cannot run there");
}

void hp5_card_prepare(Hp5TaskRun *run) {
    const Hp5CardTask *card = run->desc->card;
    const Hp5CardLimits limits = limits_of(run->desc);
    Hp5OnCard *on = run->hidden->card = hp5_alloc_zeroed(sizeof *on, "a task on a card");
    on->threads = limits.block_threads;
    on->blocks = run->hidden->threads;
    if (card->lowest >= HP5_WARP_TIER) {
        const int each = warps_of_block(run->desc, run->hidden->geometry.machine_counts[card->first_level + 2], limits.block_threads / HP5_WARP_THREADS);
        on->threads = each * HP5_WARP_THREADS;
        on->blocks = run->hidden->threads / (card->lowest == HP5_LANE_TIER ? on->threads : each);
    } else if (card->lowest == HP5_CARD_TIER) {
        if (on->threads > GRID_THREADS) on->threads = GRID_THREADS;
        on->blocks = blocks_at_once(run->desc, &limits, on->threads);
    }
    on->shared = hp5_rooms_of_launch(run, &limits, on->blocks, on->threads);
    on->image = hp5_image_create(run, card, on->blocks, on->blocks * on->threads / HP5_WARP_THREADS);
    hp5_image_begin(on->image);
    for (int a = 0; a < run->desc->array_count; a++) hp5_sides_outdate(run, a, hp5_has_processes(run));
    bring_kernel(run, on);
}

/* Somebody measures now: in the executions before that nobody has. */
static void take_clock(Hp5TaskRun *run) {
    Hp5OnCard *on = run->hidden->card;
    Hp5CardDesk *of_card, *desk = hp5_image_desk(on->image, &of_card);
    if (on->clock == NULL && (on->clock = hp5_clock_create(run)) != NULL) hp5_image_use_clock(on->image, hp5_clock_on_card(on->clock));
    const bool asks = hp5_has_processes(run) || run->desc->on_host != NULL || hp5_image_batches(on->image) != NULL;
    if (on->calls == NULL && asks) on->calls = hp5_card_calls_create(run, on->image, desk, on->clock);
}

void hp5_card_forget(Hp5TaskRun *run) {
    if (run->hidden->card == NULL) return;
    hp5_card_calls_free(run->hidden->card->calls);
    hp5_image_free(run->hidden->card->image);
    hp5_clock_free(run->hidden->card->clock);
    hp5_free(run->hidden->card);
}

/* What the card says, with its Reals (HP5_CARD_REAL) as numbers. */
static void write_text(const char *said, char *text, size_t size) {
    size_t at = 0;
    for (; *said != '\0' && at + 1 < size; said++) {
        char digits[17] = "";
        double number;
        if (*said == HP5_CARD_REAL && strlen(said) >= sizeof digits) {
            memcpy(digits, said + 1, sizeof digits - 1);
            const uint64_t bits = strtoull(digits, NULL, 16);
            memcpy(&number, &bits, sizeof number);
            at += (size_t)snprintf(text + at, size - at, "%g", number);
            said += sizeof digits - 1;
        } else {
            text[at++] = *said;
        }
    }
    text[at < size ? at : size - 1] = '\0';
}

static void failed(const Hp5TaskRun *run, const Hp5CardFailure *failure, const char *error) {
    char text[sizeof failure->text];
    if (failure->failed == 2) {
        write_text(failure->text, text, sizeof text);
        hp5_fail_at(failure->file, failure->line, "%s", text);
    }
    hp5_fail(HP5_EXIT_FAILURE, "task \"%s\" failed on the card: %s", run->desc->name, error);
}

/* The host's stores get what the environment has; in several processes they have it already (runtime/run/share.c). */
static void fill(Hp5TaskRun *run, bool *zeros) {
    for (int a = 0; a < run->desc->array_count; a++) {
        const Hp5Item *item = run->items[a];
        zeros[a] = item->data == NULL && item->file == NULL && item->spread == NULL;
    }
    if (hp5_has_processes(run)) hp5_products_count(run);
    else hp5_stores_fill(run);
}

static void note_kernel(const Hp5TaskRun *run, double launched, double ended) {
    if (run->workers[0].trace != NULL) hp5_trace_span(run->workers[0].trace, (Hp5TraceSpan){.name = run->desc->name, .kind = HP5_SPAN_KERNEL, .begin = launched, .end = ended});
}

/* Returns how long the kernel took, with its start. */
static double launch(Hp5TaskRun *run, const Hp5OnCard *on, const Hp5CardRecords *records) {
    const Hp5CardTask *card = run->desc->card;
    Hp5CardDesk *of_card;
    const Hp5CardDesk *desk = hp5_image_desk(on->image, &of_card);
    const double launched = hp5_now();
    const char *error = start(run, on, hp5_image_run(on->image), records);
    if (error == NULL) error = on->calls != NULL ? hp5_card_serve(on->calls) : card->driver->wait();
    if (error != NULL) failed(run, &desk->failure, error);
    const double ended = hp5_now();
    note_kernel(run, launched, ended);
    hp5_clock_stop(on->clock, ended);
    return ended - launched;
}

/* --predict, and --timing, which has to wait for that; seconds. */
static double predict(Hp5TaskRun *run, const Hp5OnCard *on, void (*flow)(Hp5Worker *worker)) {
    const double begin = hp5_now();
    if (run->workers[0].cost != NULL) hp5_predict_card(run, flow, on->blocks, on->threads);
    return hp5_now() - begin;
}

/* The prediction changes scalars of the host: those of the card come behind it. */
void hp5_card_execute(Hp5TaskRun *run, void (*flow)(Hp5Worker *worker)) {
    const double begin = hp5_now();
    bool zeros[run->desc->array_count + 1];
    fill(run, zeros);
    hp5_gathers_look(run);
    if (run->hidden->card == NULL) {
        hp5_card_prepare(run);
        for (int a = 0; a < run->desc->array_count; a++)
            if (zeros[a]) hp5_sides_outdate(run, a, true);
    }
    take_clock(run);
    Hp5OnCard *on = run->hidden->card;
    hp5_image_begin(on->image);
    hp5_sides_begin(run, zeros);
    const bool returns = on->calls == NULL; /* copies for who calls do not queue behind what waits for the kernel */
    const Hp5CardRecords records = hp5_image_give(on->image, returns);
    if (run->desc->card->checked) hp5_stamps_level(run); /* for stages of the host */
    hp5_clock_start(on->clock);
    run->hidden->flow_seconds = hp5_card_is_predicted() ? 0 : launch(run, on, &records);
    const double predicting = predict(run, on, flow);
    if (returns) hp5_image_returned(on->image);
    else hp5_image_take(on->image);
    hp5_sides_end(run);
    hp5_image_end(on->image);
    run->hidden->fill_seconds = hp5_now() - begin - run->hidden->flow_seconds - predicting + run->hidden->share_seconds;
    if (!hp5_has_processes(run)) hp5_stores_return(run);
}
