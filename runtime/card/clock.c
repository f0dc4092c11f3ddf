/* When stages of a kernel began and ended (stage_clock.h), for --timing and --trace: room for it in the card's memory, and what comes of it, which the run's
 * workers get as if they were threads of processors.
 *
 * The card's clock counts from another moment than the host's. What the host hears of has happened before, so that `ahead` is at most what the host's
 * clock says then, less what the card's said: of the end of the last stage, and of each time that the kernel asked the host. The least of these is
 * taken, and what either of them does for the other stays behind what it was asked by. */
#include "runtime/card/clock.h"
#include "runtime/card/no_card.h"
#include "runtime/run/private.h"
#include <stdlib.h>

enum { SPANS = 1 << 20 /* of a kernel; HP5_TRACE_SPANS */ };

struct Hp5Clock {
    const Hp5TaskRun *run;
    Hp5CardClock *card, told; /* told: as the card has it at first */
    int64_t times;            /* how many */
    int64_t ahead;            /* nanoseconds of the host's clock before the card's, at most */
};

static const Hp5CardDriver *driver_of(const Hp5Clock *clock) { return clock->run->desc->card->driver; }

static void check(const Hp5Clock *clock, const char *error) {
    if (error != NULL) hp5_fail(HP5_EXIT_FAILURE, "task \"%s\": measuring stages failed on the card: %s", clock->run->desc->name, error);
}

static int64_t room_for_spans(void) {
    const char *text = getenv("HP5_TRACE_SPANS");
    char *end = NULL;
    if (text == NULL) return SPANS;
    const long long room = strtoll(text, &end, 10);
    if (end == text || *end != '\0' || room < 1 || room > INT32_MAX) hp5_fail(HP5_EXIT_USAGE, "HP5_TRACE_SPANS is '%s', not a number of stages from 1 to %d", text, INT32_MAX);
    return room;
}

Hp5Clock *hp5_clock_create(const Hp5TaskRun *run) {
    const Hp5Worker *first = &run->workers[0];
    if (!first->timing || hp5_card_is_predicted()) return NULL;
    Hp5Clock *clock = hp5_alloc_zeroed(sizeof *clock, "times of stages");
    clock->run = run;
    clock->times = (int64_t)run->hidden->threads * run->desc->stage_count;
    const int64_t room = first->trace != NULL ? room_for_spans() : 0, times_bytes = clock->times * (int64_t)sizeof(Hp5CardTime);
    void *memory;
    check(clock, driver_of(clock)->allocate(&memory, (int64_t)sizeof(Hp5CardClock) + times_bytes + room * (int64_t)sizeof(Hp5CardSpan), false));
    char *behind = (char *)memory + sizeof(Hp5CardClock);
    clock->card = memory;
    clock->told = (Hp5CardClock){.span_room = room, .stages = run->desc->stage_count, .times = (void *)behind, .spans = (void *)(behind + times_bytes)};
    return clock;
}

void hp5_clock_free(Hp5Clock *clock) {
    if (clock == NULL) return;
    driver_of(clock)->release(clock->card, false);
    hp5_free(clock);
}

Hp5CardClock *hp5_clock_on_card(const Hp5Clock *clock) { return clock == NULL ? NULL : clock->card; }

void hp5_clock_start(Hp5Clock *clock) {
    if (clock == NULL) return;
    clock->ahead = INT64_MAX;
    check(clock, driver_of(clock)->give(clock->card, &clock->told, sizeof clock->told));
    check(clock, driver_of(clock)->clear(clock->told.times, clock->times * (int64_t)sizeof(Hp5CardTime)));
}

static void heard(Hp5Clock *clock, double now, int64_t of) {
    const int64_t ahead = (int64_t)(now * 1e9) - of;
    if (ahead < clock->ahead) clock->ahead = ahead;
}

void hp5_clock_heard(Hp5Clock *clock, int64_t asked_at) {
    if (clock != NULL) heard(clock, hp5_now(), asked_at);
}

static void take_times(const Hp5Clock *clock) {
    Hp5CardTime *times = hp5_alloc((clock->times + 1) * (int64_t)sizeof *times, "times of stages");
    check(clock, driver_of(clock)->take(times, clock->told.times, clock->times * (int64_t)sizeof *times));
    for (int64_t i = 0; i < clock->times; i++) {
        Hp5StageTime *time = &clock->run->workers[i / clock->told.stages].times[i % clock->told.stages];
        time->calls += times[i].calls;
        time->seconds += (double)times[i].nanoseconds * 1e-9;
    }
    hp5_free(times);
}

static double seconds_of(const Hp5Clock *clock, int64_t nanoseconds) { return (double)(nanoseconds + clock->ahead) * 1e-9; }

static void take_spans(Hp5Clock *clock, const Hp5CardClock *found, double ended) {
    const Hp5TaskDesc *desc = clock->run->desc;
    const int64_t seen = (int64_t)found->spans_seen, count = seen < found->span_room ? seen : found->span_room;
    Hp5CardSpan *spans = hp5_alloc((count + 1) * (int64_t)sizeof *spans, "the trace");
    check(clock, driver_of(clock)->take(spans, clock->told.spans, count * (int64_t)sizeof *spans));
    for (int64_t i = 0; i < count; i++) heard(clock, ended, spans[i].end);
    for (int64_t i = 0; i < count; i++) {
        hp5_trace_span(clock->run->workers[spans[i].worker].trace, (Hp5TraceSpan){.name = desc->stage_names[spans[i].stage], .ppu = spans[i].worker,
                                                                                 .kind = HP5_SPAN_ON_CARD, .begin = seconds_of(clock, spans[i].begin), .end = seconds_of(clock, spans[i].end)});
    }
    if (count < seen)
        hp5_warn("--trace: task \"%s\" ran %lld stages on the card, of which the trace has %lld; HP5_TRACE_SPANS=%lld makes room for all", desc->name, (long long)seen,
                 (long long)count, (long long)seen);
    hp5_free(spans);
}

void hp5_clock_stop(Hp5Clock *clock, double ended) {
    if (clock == NULL) return;
    Hp5CardClock found;
    check(clock, driver_of(clock)->take(&found, clock->card, sizeof found));
    take_times(clock);
    if (found.span_room > 0) take_spans(clock, &found, ended);
}
