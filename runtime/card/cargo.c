/* What goes between the host and cards is counted for --timing and noted for --trace. Threads of several tasks may come here at the same time. */
#include "runtime/card/cargo.h"
#include "runtime/run/private.h"
#include <stdio.h>

static struct {
    pthread_mutex_t lock;
    Hp5Traffic traffic;
    double seconds;
    bool traces;
    Hp5TraceLog trace;
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* Rows that this thread has sent on their way. */
typedef struct UnderWay { int64_t bytes; double since; } UnderWay;
static _Thread_local UnderWay rows_given, rows_taken;

static void note(bool takes, Hp5Cargo cargo, int64_t bytes, double since) {
    static const char *const names[] = {"elements", "scalars and records"};
    const double now = hp5_now();
    if (cargo == HP5_CARGO_SHARED) return;
    pthread_mutex_lock(&all.lock);
    (takes ? all.traffic.taken : all.traffic.given)[cargo] += bytes;
    *(takes ? &all.traffic.takes : &all.traffic.gives) += 1;
    all.seconds += now - since;
    if (all.traces)
        hp5_trace_span(&all.trace, (Hp5TraceSpan){.name = names[cargo], .kind = takes ? HP5_SPAN_FROM_CARD : HP5_SPAN_TO_CARD, .begin = since, .end = now, .number = bytes});
    pthread_mutex_unlock(&all.lock);
}

const char *hp5_card_give(const Hp5CardDriver *driver, Hp5Cargo cargo, void *card, const void *host, int64_t bytes) {
    const double begin = hp5_now();
    const char *error = driver->give(card, host, bytes);
    note(false, cargo, bytes, begin);
    return error;
}

const char *hp5_card_take(const Hp5CardDriver *driver, Hp5Cargo cargo, void *host, const void *card, int64_t bytes) {
    const double begin = hp5_now();
    const char *error = driver->take(host, card, bytes);
    note(true, cargo, bytes, begin);
    return error;
}

void hp5_card_count(bool takes, Hp5Cargo cargo, int64_t bytes) { note(takes, cargo, bytes, hp5_now()); }

const char *hp5_card_move_rows(const Hp5CardDriver *driver, Hp5Cargo cargo, bool takes, void *host, void *card, int64_t pitch, int64_t width, int64_t rows) {
    UnderWay *way = takes ? &rows_taken : &rows_given;
    if (way->bytes == 0) way->since = hp5_now();
    if (cargo != HP5_CARGO_SHARED) way->bytes += width * rows;
    return takes ? driver->take_rows(host, card, pitch, width, rows) : driver->give_rows(card, host, pitch, width, rows);
}

static void settled(bool takes, UnderWay *way) {
    if (way->bytes > 0) note(takes, HP5_CARGO_ELEMENTS, way->bytes, way->since);
    way->bytes = 0;
}

const char *hp5_card_settle_rows(const Hp5CardDriver *driver) {
    const char *error = driver->settle();
    settled(true, &rows_taken);
    settled(false, &rows_given);
    return error;
}

Hp5Traffic hp5_card_traffic(void) {
    pthread_mutex_lock(&all.lock);
    const Hp5Traffic traffic = all.traffic;
    all.traffic = (Hp5Traffic){0};
    pthread_mutex_unlock(&all.lock);
    return traffic;
}

void hp5_card_report(void) {
    const Hp5Traffic *traffic = &all.traffic;
    if (traffic->given[HP5_CARGO_RECORDS] == 0) return;
    fprintf(stderr, "to cards went %lld bytes of arrays, and back %lld; of scalars and records, %lld and %lld; it took %.6f s\n", (long long)traffic->given[HP5_CARGO_ELEMENTS],
            (long long)traffic->taken[HP5_CARGO_ELEMENTS], (long long)traffic->given[HP5_CARGO_RECORDS], (long long)traffic->taken[HP5_CARGO_RECORDS], all.seconds);
}

void hp5_card_trace_begin(void) { all.traces = true; }

void hp5_card_trace_take(Hp5TraceLog *to) {
    hp5_trace_take(to, &all.trace);
    hp5_free(all.trace.spans);
    all.trace = (Hp5TraceLog){0};
}
