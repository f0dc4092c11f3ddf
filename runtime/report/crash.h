/* Signals that end a program because it went wrong (SIGSEGV, SIGBUS, SIGFPE, SIGILL): what it was doing is said first. */
#ifndef HP5_RUNTIME_CRASH_H
#define HP5_RUNTIME_CRASH_H
#include <stdbool.h>

/* Lets the signals tell where the program was; `checked`: it is a checked build. Output files under construction are
 * removed, as in hp5_fail, and the program ends by the signal (shells show 128 + its number). A signal that somebody else
 * handles already (a sanitizer) is left to them. */
void hp5_crash_watch(bool checked);

/* A text that is made in a signal handler: no printf there. */
typedef struct Hp5CrashText { char text[480]; int length; } Hp5CrashText;
void hp5_crash_say(Hp5CrashText *text, const char *words);
void hp5_crash_say_number(Hp5CrashText *text, long long number);

/* From now on this thread works on `what`, which describe(what, text) puts into words; NULL: on nothing special. Also gives the
 * thread a stack for handlers. */
void hp5_crash_enter(void (*describe)(const void *what, Hp5CrashText *text), const void *what);
#endif
