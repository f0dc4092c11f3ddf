/* Run-time errors and counted memory (error.h). How to read it: fail_with() is the
 * one way out; it lets the first thread through, runs the registered undo functions
 * newest first, and leaves with _exit so that no other thread's work is waited for.
 *
 * SIGINT, SIGTERM and SIGHUP take the same undo functions from a signal handler, so they may only
 * call what POSIX allows there (unlink does). The list is a fixed table of atomics
 * for that reason: a handler can walk it at any moment. */
#include "runtime/report/error.h"
#include "runtime/report/memory.h"
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *program_name = "program";

void hp5_set_program_name(const char *name) {
    const char *slash = strrchr(name, '/');
    program_name = slash && slash[1] ? slash + 1 : name;
}

const char *hp5_program_name(void) { return program_name; }

/* ---- What to undo ----------------------------------------------------------------- */

enum { MOST_UNDOS = 1024 };

typedef void UndoFunction(void *);
typedef struct Undo {
    void *data;                   /* written before `run` is published, never while it is set */
    _Atomic(UndoFunction *) run;  /* NULL: a free entry */
    bool taken;                   /* under undo_lock */
} Undo;
static Undo undos[MOST_UNDOS];
static atomic_int undo_count;     /* entries ever used: those above are free */
static pthread_mutex_t undo_lock = PTHREAD_MUTEX_INITIALIZER;

void hp5_undo_everything(void) {
    for (int i = atomic_load(&undo_count); i-- > 0;) {
        UndoFunction *run = atomic_exchange(&undos[i].run, NULL);
        if (run) run(undos[i].data);
    }
}

static void on_signal(int signal_number) {
    hp5_undo_everything();
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

/* A signal that the caller chose to ignore (nohup) stays ignored. */
static void watch_signals(void) {
    static const int watched[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof watched / sizeof watched[0]; i++) {
        struct sigaction now, action = {.sa_handler = on_signal};
        sigemptyset(&action.sa_mask);
        if (sigaction(watched[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaction(watched[i], &action, NULL);
    }
}

void hp5_at_failure(void (*undo)(void *), void *data) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_signals);
    pthread_mutex_lock(&undo_lock);
    int i = 0;
    while (i < MOST_UNDOS && undos[i].taken) i++;
    if (i < MOST_UNDOS) {
        undos[i].taken = true;
        undos[i].data = data;
        atomic_store(&undos[i].run, undo);
        if (i >= atomic_load(&undo_count)) atomic_store(&undo_count, i + 1);
    }
    pthread_mutex_unlock(&undo_lock);
    if (i == MOST_UNDOS) {
        undo(data);
        hp5_fail(HP5_EXIT_FAILURE, "more than %d files are being written at once", MOST_UNDOS);
    }
}

void hp5_forget(void (*undo)(void *), void *data) {
    pthread_mutex_lock(&undo_lock);
    for (int i = 0; i < MOST_UNDOS; i++) {
        if (!undos[i].taken || undos[i].data != data) continue;
        UndoFunction *expected = undo;
        if (!atomic_compare_exchange_strong(&undos[i].run, &expected, NULL)) continue;
        undos[i].taken = false;
        break;
    }
    pthread_mutex_unlock(&undo_lock);
}

/* ---- The way out ---------------------------------------------------------------------- */

/* In builds that measure coverage (HP5_COVERAGE), _exit would lose the counts. */
extern void __gcov_dump(void) __attribute__((weak));

static __attribute__((noreturn)) void leave(int status) {
    hp5_undo_everything();
    if (__gcov_dump) __gcov_dump();
    fflush(stdout); /* what print() said before the error is part of the run */
    _exit(status);
}

/* Later callers wait for the first one to end the program. A failure inside the undo
 * functions themselves must not wait for its own thread. */
static void let_first_through(int status) {
    static atomic_flag failing = ATOMIC_FLAG_INIT;
    static _Thread_local bool mine;
    if (mine) _exit(status);
    if (atomic_flag_test_and_set(&failing))
        for (;;) pause();
    mine = true;
}

static void say(const char *prefix, const char *format, va_list arguments) {
    fflush(stdout);
    flockfile(stderr);
    fputs(prefix, stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    fflush(stderr);
    funlockfile(stderr);
}

typedef void EndFunction(int status, const char *text);
static _Atomic(EndFunction *) fail_through;

void hp5_fail_through(EndFunction *fail) { atomic_store(&fail_through, fail); }

static __attribute__((noreturn)) void fail(int status, const char *prefix, const char *format, va_list arguments) {
    static char text[HP5_MESSAGE]; /* one thread gets here */
    EndFunction *end = atomic_load(&fail_through);
    if (end) {
        int at = snprintf(text, sizeof text, "%s", prefix);
        if (at < (int)sizeof text) vsnprintf(text + at, sizeof text - (size_t)at, format, arguments);
        fflush(stdout);
        end(status, text);
    }
    say(prefix, format, arguments);
    leave(status);
}

void hp5_fail(int status, const char *format, ...) {
    let_first_through(status);
    char prefix[300];
    snprintf(prefix, sizeof prefix, "%s: ", program_name);
    va_list arguments;
    va_start(arguments, format);
    fail(status, prefix, format, arguments);
}

static bool warnings_muted;
void hp5_warn_mute(void) { warnings_muted = true; }

void hp5_warn(const char *format, ...) {
    if (warnings_muted) return;
    char prefix[300];
    snprintf(prefix, sizeof prefix, "%s: warning: ", program_name);
    va_list arguments;
    va_start(arguments, format);
    say(prefix, format, arguments);
    va_end(arguments);
}

void hp5_fail_at(const char *file, int line, const char *format, ...) {
    let_first_through(HP5_EXIT_FAILURE);
    char prefix[4200];
    snprintf(prefix, sizeof prefix, "%s:%d: run-time error: ", file, line);
    va_list arguments;
    va_start(arguments, format);
    fail(HP5_EXIT_FAILURE, prefix, format, arguments);
}

/* Control characters are written out, those of UTF-8 (C2 80 … C2 9F) too: a file's name must not steer a terminal. */
static size_t quote_byte(const unsigned char *at, char piece[5]) {
    static const char letters[] = "abtnvfr";
    bool control = at[0] < 0x20 || at[0] == 0x7F || (at[0] == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0);
    if (at[0] == '\\' || at[0] == '\'') return (size_t)snprintf(piece, 5, "\\%c", at[0]);
    if (at[0] >= '\a' && at[0] <= '\r') return (size_t)snprintf(piece, 5, "\\%c", letters[at[0] - '\a']);
    if (control) return (size_t)snprintf(piece, 5, "\\x%02x", at[0]);
    piece[0] = (char)at[0];
    return 1;
}

/* The escaped bytes of text[from … to-1] into out (NULL: only counted); their number. */
static size_t quote_span(const char *text, size_t from, size_t to, char *out) {
    size_t total = 0;
    for (size_t i = from; i < to; i++) {
        char piece[5];
        size_t size = quote_byte((const unsigned char *)text + i, piece);
        if (out) memcpy(out + total, piece, size);
        total += size;
    }
    return total;
}

static bool inside_character(const char *text, size_t at) { return ((unsigned char)text[at] & 0xC0) == 0x80; }

/* Where the character of UTF-8 starts that holds text[at], or the one after it; `at` where the text is not UTF-8. */
static size_t character_before(const char *text, size_t at) {
    size_t start = at;
    while (start > 0 && at - start < 3 && inside_character(text, start)) start--;
    return inside_character(text, start) ? at : start;
}

static size_t character_after(const char *text, size_t at) {
    size_t start = at;
    while (start - at < 3 && inside_character(text, start)) start++;
    return inside_character(text, start) ? at : start;
}

char *hp5_quote(const char *text, char buffer[HP5_QUOTED]) {
    enum { ROOM = HP5_QUOTED - 3, HEAD = 80, GAP = 5 };
    size_t length = strlen(text), at = 0;
    buffer[at++] = '\'';
    if (quote_span(text, 0, length, NULL) <= ROOM) {
        at += quote_span(text, 0, length, buffer + at);
    } else { /* the tail is worth more than the middle: a file's name is there */
        size_t head = 0, tail = length;
        while (head < length && quote_span(text, 0, head + 1, NULL) <= HEAD) head++;
        head = character_before(text, head);
        while (quote_span(text, tail - 1, length, NULL) <= ROOM - HEAD - GAP) tail--;
        tail = character_after(text, tail);
        at += quote_span(text, 0, head, buffer + at);
        memcpy(buffer + at, " ... ", GAP);
        at += GAP;
        at += quote_span(text, tail, length, buffer + at);
    }
    buffer[at++] = '\'';
    buffer[at] = '\0';
    return buffer;
}

/* ---- Memory ------------------------------------------------------------------------------ */

/* In front of each allocation, in a cache line of its own so that what follows stays aligned. */
enum { ALIGNMENT = 64, SMALL = 1024, LARGE = 256 << 20 /* bytes; for more it is found out first whether they are there */ };
typedef struct Header { void *base; int64_t bytes; } Header;
_Static_assert(sizeof(Header) <= ALIGNMENT, "the header fits before the memory it describes");

static atomic_llong allocated, peak;

static void count_bytes(int64_t bytes) {
    long long now = atomic_fetch_add(&allocated, bytes) + bytes, high = atomic_load(&peak);
    while (now > high && !atomic_compare_exchange_weak(&peak, &high, now)) {}
}

/* calloc for zeroed memory: fresh pages come zeroed, and are touched first by who uses them. Not for small pieces, which malloc takes
 * from what the thread has freed and calloc does not. */
static void *allocate(int64_t bytes, bool zeroed, const char *what) {
    if (bytes < 0 || bytes > INT64_MAX - 2 * ALIGNMENT)
        hp5_fail(HP5_EXIT_FAILURE, "%s would need more memory than can be addressed", what);
    size_t total = (size_t)bytes + 2 * ALIGNMENT;
    bool fits = bytes < LARGE || bytes <= hp5_memory_available();
    bool small = total <= SMALL;
    char *base = !fits ? NULL : zeroed && !small ? calloc(1, total) : malloc(total);
    if (base == NULL)
        hp5_fail(HP5_EXIT_FAILURE, "out of memory: no %lld bytes for %s (%lld bytes are in use)", (long long)bytes,
                 what, (long long)hp5_allocated_bytes());
    char *memory = base + ALIGNMENT + (ALIGNMENT - (uintptr_t)base % ALIGNMENT) % ALIGNMENT;
    *(Header *)(void *)(memory - ALIGNMENT) = (Header){base, bytes};
    if (zeroed && small) memset(memory, 0, (size_t)bytes);
    count_bytes(bytes);
    return memory;
}

void *hp5_alloc(int64_t bytes, const char *what) { return allocate(bytes, false, what); }
void *hp5_alloc_zeroed(int64_t bytes, const char *what) { return allocate(bytes, true, what); }

void hp5_free(void *memory) {
    if (memory == NULL) return;
    Header header = *(Header *)(void *)((char *)memory - ALIGNMENT);
    atomic_fetch_sub(&allocated, header.bytes);
    free(header.base);
}

int64_t hp5_allocated_bytes(void) { return atomic_load(&allocated); }
int64_t hp5_peak_bytes(void) { return atomic_load(&peak); }
