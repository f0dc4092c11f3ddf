/* Run-time errors of a compiled program: one message on stderr, then exit.
 * Exit status 2: bad arguments, files or data (found before or while work is done);
 * 1: everything else (an error in the computation, no memory, a full disk). Output files
 * under construction are removed first (hp5_at_failure). */
#ifndef HP5_RUNTIME_ERROR_H
#define HP5_RUNTIME_ERROR_H
#include <stdint.h>

enum { HP5_EXIT_FAILURE = 1, HP5_EXIT_USAGE = 2 };

/* "PROGRAM: message\n". Safe from any thread; the first caller wins. */
__attribute__((noreturn, format(printf, 2, 3))) void hp5_fail(int status, const char *format, ...);
/* "program.hp5:LINE: run-time error: message". */
__attribute__((noreturn, format(printf, 3, 4))) void hp5_fail_at(const char *file, int line, const char *format, ...);
/* "PROGRAM: warning: message"; the program goes on. */
__attribute__((format(printf, 1, 2))) void hp5_warn(const char *format, ...);
/* Runs `undo(data)` if hp5_fail is called (temporary files); hp5_forget takes it back. */
void hp5_at_failure(void (*undo)(void *), void *data);
void hp5_forget(void (*undo)(void *), void *data);
/* Where other processes must end, too: hp5_fail gives its message (without the newline; cut at HP5_MESSAGE bytes) to
 * fail(status, text), which does not return, instead of printing it. NULL: no longer. */
enum { HP5_MESSAGE = 8192 };
void hp5_fail_through(void (*fail)(int status, const char *text));
/* From now on warnings are not printed: another process of the program prints the same ones. */
void hp5_warn_mute(void);
void hp5_set_program_name(const char *name);
const char *hp5_program_name(void);
/* What hp5_at_failure has registered is undone; in signal handlers, too. */
void hp5_undo_everything(void);
/* `text` in single quotes for a message, into buffer: control characters as \n or \x1b, a long one without its middle. */
enum { HP5_QUOTED = 320 };
char *hp5_quote(const char *text, char buffer[HP5_QUOTED]);
/* malloc/calloc that fail with a message naming `what`; 64-byte aligned, counted. */
void *hp5_alloc(int64_t bytes, const char *what);
void *hp5_alloc_zeroed(int64_t bytes, const char *what);
void hp5_free(void *memory);
int64_t hp5_allocated_bytes(void);   /* now */
int64_t hp5_peak_bytes(void);
#endif
