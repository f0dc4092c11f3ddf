/* Signals that end a program because it went wrong (SIGSEGV, SIGBUS, SIGFPE, SIGILL): what it was doing is said first. */
#ifndef HP5_RUNTIME_CRASH_H
#define HP5_RUNTIME_CRASH_H
#include <stdbool.h>

/* Lets the signals tell where the program was; `checked`: it is a checked build. Output files under construction are
 * removed, as in hp5_fail, and the program ends by the signal (shells show 128 + its number). A signal that somebody else
 * handles already (a sanitizer) is left to them. */
void hp5_crash_watch(bool checked);

/* Where other processes must end, too: the message goes to crash(signal, text) instead of stderr, in the signal handler; when it
 * returns, the process ends by the signal. NULL: no longer. */
void hp5_crash_through(void (*crash)(int signal_number, const char *text));

/* A text that is made in a signal handler: no printf there. */
typedef struct Hp5CrashText { char text[800]; int length; } Hp5CrashText;
void hp5_crash_say(Hp5CrashText *text, const char *words);
void hp5_crash_say_number(Hp5CrashText *text, long long number);

/* How what threads work on is put into words: given once, before any of them works. */
void hp5_crash_describe(void (*describe)(const void *what, Hp5CrashText *text));
/* Every thread calls this once, for a stack of its own; the one that calls hp5_crash_watch has it. */
void hp5_crash_give_stack(void);
/* From now on this thread works on `what`; NULL: on nothing special. Cheap: every execution of a task says it twice. */
void hp5_crash_enter(const void *what);
#endif
