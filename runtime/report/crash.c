/* See crash.h. The handler may run at any moment and in any thread, so it only calls what POSIX allows there: write,
 * signal, raise, and the undo functions of error.c. Each thread has a stack of its own for it, in its thread-local
 * memory, since the ordinary one may be what overflowed. */
#include "runtime/report/crash.h"
#include "runtime/report/error.h"
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

enum { STACK_BYTES = 64 << 10 };

typedef void Describe(const void *what, Hp5CrashText *text);
static Describe *describe_work;
static _Thread_local const void *volatile work;
static bool is_checked;

typedef struct Cause { int number; const char *words; } Cause;
static const Cause causes[] = {
    {SIGSEGV, "segmentation fault (an access to memory that is not there)"},
    {SIGBUS, "bus error (an access to memory that is not there)"},
    {SIGFPE, "arithmetic fault"},
    {SIGILL, "illegal instruction"},
};
enum { CAUSES = sizeof causes / sizeof causes[0] };

/* ---- Words ------------------------------------------------------------------------- */

void hp5_crash_say(Hp5CrashText *text, const char *words) {
    while (*words && text->length < (int)sizeof text->text - 1) text->text[text->length++] = *words++;
}

void hp5_crash_say_number(Hp5CrashText *text, long long number) {
    char digits[24];
    int at = sizeof digits - 1;
    unsigned long long rest = number < 0 ? 0 - (unsigned long long)number : (unsigned long long)number;
    digits[at] = '\0';
    do digits[--at] = (char)('0' + rest % 10), rest /= 10;
    while (rest > 0);
    if (number < 0) digits[--at] = '-';
    hp5_crash_say(text, digits + at);
}

static const char *advice(int number) {
    if (number == SIGILL) return "it may have been compiled for another processor: compile it on this machine, or with --cc-flag -march=…";
    if (is_checked) return "in a checked build only foreign code can do that, or a mistake in HP5, which is worth a report";
    if (number == SIGFPE) return "foreign code may have divided by zero";
    return "an index may be outside its array: a checked build stops there and says which: hp5c --checked";
}

static void print(const Hp5CrashText *text) {
    for (int at = 0; at < text->length;) {
        ssize_t written = write(STDERR_FILENO, text->text + at, (size_t)(text->length - at));
        if (written <= 0) return;
        at += (int)written;
    }
}

typedef void CrashFunction(int signal_number, const char *text);
static _Atomic(CrashFunction *) crash_through;

void hp5_crash_through(CrashFunction *crash) { atomic_store(&crash_through, crash); }

/* ---- Handlers ------------------------------------------------------------------------ */

static void on_crash(int number) {
    static atomic_flag crashed = ATOMIC_FLAG_INIT;
    if (atomic_flag_test_and_set(&crashed)) /* the first thread speaks, and ends the program */
        for (;;) pause();
    Hp5CrashText text = {.length = 0};
    hp5_crash_say(&text, hp5_program_name());
    hp5_crash_say(&text, ": ");
    for (int i = 0; i < CAUSES; i++)
        if (causes[i].number == number) hp5_crash_say(&text, causes[i].words);
    const void *what = work;
    if (describe_work && what) {
        hp5_crash_say(&text, " in ");
        describe_work(what, &text);
    } else hp5_crash_say(&text, ", outside of tasks");
    hp5_crash_say(&text, "\n  ");
    hp5_crash_say(&text, advice(number));
    CrashFunction *crash = atomic_load(&crash_through);
    if (crash) {
        text.text[text.length] = '\0';
        crash(number, text.text);
    } else {
        hp5_crash_say(&text, "\n");
        print(&text);
    }
    hp5_undo_everything();
    signal(number, SIG_DFL);
    raise(number); /* delivered when the handler returns: the status is the signal's, and a core file is written where wanted */
}

void hp5_crash_give_stack(void) {
    static _Thread_local _Alignas(64) char stack[STACK_BYTES];
    static _Thread_local bool given;
    if (given) return;
    given = true;
    stack_t now, mine = {.ss_sp = stack, .ss_size = sizeof stack};
    if (sigaltstack(NULL, &now) == 0 && now.ss_flags & SS_DISABLE) sigaltstack(&mine, NULL);
}

void hp5_crash_watch(bool checked) {
    is_checked = checked;
    hp5_crash_give_stack();
    for (int i = 0; i < CAUSES; i++) {
        struct sigaction now, action = {.sa_handler = on_crash, .sa_flags = SA_ONSTACK};
        sigemptyset(&action.sa_mask); /* a fault in the handler itself ends the program at once */
        for (int k = 0; k < CAUSES; k++) sigaddset(&action.sa_mask, causes[k].number);
        if (sigaction(causes[i].number, NULL, &now) == 0 && now.sa_handler == SIG_DFL) sigaction(causes[i].number, &action, NULL);
    }
}

void hp5_crash_describe(Describe *describe) { describe_work = describe; }
void hp5_crash_enter(const void *what) { work = what; }
