/* --trace FILE: what every thread did when, in the format that chrome://tracing and ui.perfetto.dev show.
 * How to read it: each thread logs spans of its own while a task runs (no locks); the schedule collects them
 * after the task; the file is written when the program ends. */
#include "runtime/io/files.h"
#include "runtime/run/private.h"
#include <errno.h>
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

void hp5_trace_span(Hp5TraceLog *log, const char *name, int ppu, bool stage, double begin, double end) {
    reserve(log, 1);
    log->spans[log->count++] = (Hp5TraceSpan){name, ppu, stage, begin, end};
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

static int highest_ppu(const Hp5TraceLog *log) {
    int highest = -1;
    for (int64_t i = 0; i < log->count; i++)
        if (log->spans[i].ppu > highest) highest = log->spans[i].ppu;
    return highest;
}

static double earliest(const Hp5TraceLog *log) {
    double zero = log->count > 0 ? log->spans[0].begin : 0;
    for (int64_t i = 0; i < log->count; i++)
        if (log->spans[i].begin < zero) zero = log->spans[i].begin;
    return zero;
}

void hp5_trace_write(const Hp5TraceLog *log, const char *path) {
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (file == NULL) hp5_fail(HP5_EXIT_FAILURE, "--trace: %s", strerror(errno));
    double zero = earliest(log);
    fputs("{\"displayTimeUnit\": \"ms\", \"traceEvents\": [\n"
          "{\"name\": \"process_name\", \"ph\": \"M\", \"pid\": 1, \"args\": {\"name\": \"HP5 program\"}}", file);
    for (int ppu = 0; ppu <= highest_ppu(log); ppu++)
        fprintf(file, ",\n{\"name\": \"thread_name\", \"ph\": \"M\", \"pid\": 1, \"tid\": %d, \"args\": {\"name\": \"PPU %d\"}}",
                ppu, ppu);
    for (int64_t i = 0; i < log->count; i++) {
        const Hp5TraceSpan *span = &log->spans[i];
        fputs(",\n{\"name\": ", file);
        json_string(file, span->name);
        fprintf(file, ", \"cat\": \"%s\", \"ph\": \"X\", \"pid\": 1, \"tid\": %d, \"ts\": %.3f, \"dur\": %.3f}",
                span->stage ? "stage" : "task", span->ppu, (span->begin - zero) * 1e6, (span->end - span->begin) * 1e6);
    }
    fputs("\n]}\n", file);
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) hp5_fail(HP5_EXIT_FAILURE, "--trace: %s", strerror(errno));
    hp5_file_put(path, "--trace", text, length);
    free(text);
}
