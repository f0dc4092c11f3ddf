/* --trace FILE: what every thread did when, in the format that chrome://tracing and ui.perfetto.dev show.
 * How to read it: each thread logs spans of its own while a task runs (no locks); the schedule collects them
 * after the task; the file is written when the program ends, by the first process, which the others tell theirs. */
#include "runtime/io/files.h"
#include "runtime/run/private.h"
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

double hp5_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void reserve(Hp5TraceLog *log, int64_t more) {
    if (log->count + more <= log->capacity) return;
    int64_t capacity = log->capacity * 2 > log->count + more ? log->capacity * 2 : log->count + more + 64;
    Hp5TraceSpan *larger = hp5_alloc(capacity * (int64_t)sizeof *larger, "the trace");
    if (log->count > 0) memcpy(larger, log->spans, sizeof *larger * (size_t)log->count);
    hp5_free(log->spans);
    log->spans = larger;
    log->capacity = capacity;
}

void hp5_trace_span(Hp5TraceLog *log, Hp5TraceSpan span) {
    reserve(log, 1);
    log->spans[log->count++] = span;
}

void hp5_trace_take(Hp5TraceLog *to, Hp5TraceLog *from) {
    if (from->count == 0) return;
    reserve(to, from->count);
    memcpy(to->spans + to->count, from->spans, sizeof *from->spans * (size_t)from->count);
    to->count += from->count;
    from->count = 0;
}

/* ---- The file ------------------------------------------------------------------------------------ */

static void json_string(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text; text++) {
        unsigned char c = (unsigned char)*text;
        if (c == '"' || c == '\\') fprintf(file, "\\%c", c);
        else if (c < 0x20) fprintf(file, "\\u%04x", c);
        else fputc(c, file);
    }
    fputc('"', file);
}

static bool is_message(const Hp5TraceSpan *span) { return span->kind == HP5_SPAN_SENT || span->kind == HP5_SPAN_RECEIVED; }

static bool is_card(const Hp5TraceSpan *span) { return span->kind >= HP5_SPAN_KERNEL; }

/* Events of one process. Threads have the numbers of their PPUs; those of cards, kernels, copies, and messages to and from each other process have rows of their own. */
typedef struct Writing {
    FILE *file;
    bool any;
    int process; /* 1 + rank */
    double zero;
} Writing;

enum { CARD_PPU_ROWS = 1 << 19, CARD_ROWS = 1 << 20, MESSAGE_ROWS = 1 << 21 };

static int row_of(const Hp5TraceSpan *span) {
    if (span->kind == HP5_SPAN_ON_CARD) return CARD_PPU_ROWS + span->ppu;
    if (is_card(span)) return CARD_ROWS + (int)span->kind - HP5_SPAN_KERNEL;
    return is_message(span) ? MESSAGE_ROWS + 2 * span->ppu + (span->kind == HP5_SPAN_RECEIVED) : span->ppu;
}

static void begin_event(Writing *writing, const char *name) {
    fputs(writing->any ? ",\n{\"name\": " : "{\"name\": ", writing->file);
    json_string(writing->file, name);
    fprintf(writing->file, ", \"pid\": %d", writing->process);
    writing->any = true;
}

static void name_row(Writing *writing, const char *what, int row, const char *name) {
    begin_event(writing, what);
    fprintf(writing->file, ", \"tid\": %d, \"ph\": \"M\", \"args\": {\"name\": ", row);
    json_string(writing->file, name);
    fputs("}}", writing->file);
}

/* All from the first row on to the last one that something happened in. */
static void name_ppus(Writing *writing, const Hp5TraceLog *log, int first, int end, const char *where) {
    char name[48];
    int highest = first - 1;
    for (int64_t i = 0; i < log->count; i++) {
        const int row = row_of(&log->spans[i]);
        if (row >= first && row < end && row > highest) highest = row;
    }
    for (int row = first; row <= highest; row++) {
        snprintf(name, sizeof name, "PPU %d%s", row - first, where);
        name_row(writing, "thread_name", row, name);
    }
}

static void name_card(Writing *writing, const Hp5TraceLog *log) {
    static const char *const names[] = {"kernels of the card", "stages of the host for it", "to the card", "from the card"};
    bool named[sizeof names / sizeof *names] = {false};
    for (int64_t i = 0; i < log->count; i++) {
        if (!is_card(&log->spans[i]) || named[log->spans[i].kind - HP5_SPAN_KERNEL]) continue;
        named[log->spans[i].kind - HP5_SPAN_KERNEL] = true;
        name_row(writing, "thread_name", row_of(&log->spans[i]), names[log->spans[i].kind - HP5_SPAN_KERNEL]);
    }
}

static void name_rows(Writing *writing, const Hp5TraceLog *log, bool several) {
    char name[320] = "HP5 program";
    if (several) snprintf(name, sizeof name, "rank %d on %s", hp5_comm_rank(), hp5_comm_node());
    name_row(writing, "process_name", 0, name);
    name_ppus(writing, log, 0, CARD_PPU_ROWS, "");
    name_ppus(writing, log, CARD_PPU_ROWS, CARD_ROWS, " of the card");
    name_card(writing, log);
    unsigned char *named = hp5_alloc_zeroed(2 * (int64_t)hp5_comm_size(), "the trace");
    for (int64_t i = 0; i < log->count; i++) {
        const Hp5TraceSpan *span = &log->spans[i];
        if (!is_message(span) || named[row_of(span) - MESSAGE_ROWS]++ > 0) continue;
        named[row_of(span) - MESSAGE_ROWS] = 1;
        snprintf(name, sizeof name, "%s rank %d", span->kind == HP5_SPAN_SENT ? "to" : "from", span->ppu);
        name_row(writing, "thread_name", row_of(span), name);
    }
    hp5_free(named);
}

/* An arrow from where a message began to where it was there; both ends know its name. */
static void arrow(Writing *writing, const Hp5TraceSpan *span) {
    int me = writing->process - 1;
    bool sent = span->kind == HP5_SPAN_SENT;
    begin_event(writing, span->name);
    fprintf(writing->file, ", \"cat\": \"arrow\", \"ph\": \"%s\", \"id\": \"%d-%d-%d-%lld\", \"tid\": %d, \"ts\": %.3f}", sent ? "s" : "f\", \"bp\": \"e",
            sent ? me : span->ppu, sent ? span->ppu : me, span->tag, (long long)span->number, row_of(span),
            ((sent ? span->begin : span->end) - writing->zero) * 1e6);
}

static void write_span(Writing *writing, const Hp5TraceSpan *span) {
    static const char *const kinds[] = {"task", "stage", "wait", "message", "message", "stage", "kernel", "stage", "copy", "copy"};
    begin_event(writing, span->name);
    fprintf(writing->file, ", \"cat\": \"%s\", \"ph\": \"X\", \"tid\": %d, \"ts\": %.3f, \"dur\": %.3f", kinds[span->kind], row_of(span),
            (span->begin - writing->zero) * 1e6, (span->end - span->begin) * 1e6);
    if (span->kind == HP5_SPAN_TO_CARD || span->kind == HP5_SPAN_FROM_CARD) fprintf(writing->file, ", \"args\": {\"bytes\": %lld}", (long long)span->number);
    putc('}', writing->file);
    if (is_message(span)) arrow(writing, span);
}

static double earliest(const Hp5TraceLog *log) {
    double zero = HUGE_VAL;
    for (int64_t i = 0; i < log->count; i++)
        if (log->spans[i].begin < zero) zero = log->spans[i].begin;
    return zero;
}

/* Clocks of different nodes count from different moments: processes compare what they were when all of them were there. */
static double common_zero(double own) {
    int count = hp5_comm_size();
    double *all = hp5_alloc((int64_t)sizeof *all * count, "the trace"), least = HUGE_VAL;
    hp5_comm_barrier(HP5_EVERYBODY, HP5_TAG_TRACE);
    double here = hp5_now(), mine = own - here;
    hp5_comm_gather_all(HP5_EVERYBODY, HP5_TAG_TRACE, &mine, sizeof mine, all);
    for (int p = 0; p < count; p++)
        if (all[p] < least) least = all[p];
    hp5_free(all);
    return least + here;
}

/* At the first process, behind its own text those of the others; text is freed and made anew. */
static void gather_texts(char **text, size_t *length) {
    int count = hp5_comm_size();
    int64_t mine = (int64_t)*length, *lengths = hp5_alloc((int64_t)sizeof *lengths * count, "the trace"), total = 0;
    Hp5Request request;
    hp5_comm_gather_all(HP5_EVERYBODY, HP5_TAG_TRACE, &mine, sizeof mine, lengths);
    for (int p = 0; p < count; p++) total += lengths[p] + 2;
    if (hp5_comm_rank() > 0) {
        hp5_comm_tell(&request, HP5_TAG_TRACE, 0, *text, mine);
        hp5_comm_wait(&request);
    } else {
        char *all = malloc((size_t)total + 1);
        if (all == NULL) hp5_fail(HP5_EXIT_FAILURE, "--trace: %s", strerror(ENOMEM));
        memcpy(all, *text, *length);
        for (int p = 1; p < count; p++) {
            all[(*length)++] = ',';
            all[(*length)++] = '\n';
            hp5_comm_hear(&request, HP5_TAG_TRACE, p, all + *length, lengths[p]);
            hp5_comm_wait(&request);
            *length += (size_t)lengths[p];
        }
        free(*text);
        *text = all;
    }
    hp5_free(lengths);
}

static char *events_of(const Hp5TraceLog *log, size_t *length) {
    char *text = NULL;
    bool several = hp5_comm_size() > 1;
    Writing writing = {.file = open_memstream(&text, length), .process = 1 + hp5_comm_rank()};
    if (writing.file == NULL) hp5_fail(HP5_EXIT_FAILURE, "--trace: %s", strerror(errno));
    writing.zero = several ? common_zero(earliest(log)) : earliest(log);
    name_rows(&writing, log, several);
    for (int64_t i = 0; i < log->count; i++) write_span(&writing, &log->spans[i]);
    bool failed = ferror(writing.file) != 0;
    if (fclose(writing.file) != 0 || failed) hp5_fail(HP5_EXIT_FAILURE, "--trace: %s", strerror(errno));
    if (several) gather_texts(&text, length);
    return text;
}

void hp5_trace_write(const Hp5TraceLog *log, const char *path) {
    static const char begin[] = "{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n", end[] = "\n]}\n";
    size_t length = 0, at = sizeof begin - 1;
    char *events = events_of(log, &length), *text = malloc(length + sizeof begin + sizeof end);
    if (text == NULL) hp5_fail(HP5_EXIT_FAILURE, "--trace: %s", strerror(ENOMEM));
    memcpy(text, begin, at);
    memcpy(text + at, events, length);
    memcpy(text + at + length, end, sizeof end - 1);
    hp5_file_put(path, "--trace", text, at + length + sizeof end - 1);
    free(events);
    free(text);
}
