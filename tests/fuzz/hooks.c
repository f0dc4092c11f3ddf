/* The ways out of the runtime, and its memory, wrapped by the linker (-Wl,--wrap=…): a failing input is
 * left through longjmp with its memory freed; memory that a successful input leaves behind is a fault. */
#include "tests/fuzz/fuzz.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

jmp_buf fuzz_way_out;
static bool armed, failed;

enum { MOST_BLOCKS = 100000 };
static void *blocks[MOST_BLOCKS];
static size_t block_count;

void *__real_hp5_alloc(int64_t bytes, const char *what);
void *__real_hp5_alloc_zeroed(int64_t bytes, const char *what);
void __real_hp5_free(void *memory);
__attribute__((noreturn)) void __real_exit(int status);
void *__wrap_hp5_alloc(int64_t bytes, const char *what);
void *__wrap_hp5_alloc_zeroed(int64_t bytes, const char *what);
void __wrap_hp5_free(void *memory);
__attribute__((noreturn)) void __wrap_exit(int status);
__attribute__((noreturn, format(printf, 2, 3))) void __wrap_hp5_fail(int status, const char *format, ...);

void fuzz_require(bool good, const char *what) {
    if (good) return;
    fprintf(stderr, "fuzz: %s\n", what);
    abort();
}

void fuzz_begin(void) {
    armed = true;
    failed = false;
}

void fuzz_end(void) {
    armed = false;
    fuzz_require(failed || block_count == 0, "memory is left behind");
    while (block_count > 0) __real_hp5_free(blocks[--block_count]);
}

static void *note(void *block) {
    fuzz_require(block_count < MOST_BLOCKS, "too many blocks of memory");
    if (armed) blocks[block_count++] = block;
    return block;
}

void *__wrap_hp5_alloc(int64_t bytes, const char *what) { return note(__real_hp5_alloc(bytes, what)); }
void *__wrap_hp5_alloc_zeroed(int64_t bytes, const char *what) { return note(__real_hp5_alloc_zeroed(bytes, what)); }

void __wrap_hp5_free(void *memory) {
    for (size_t i = block_count; i-- > 0;)
        if (blocks[i] == memory) {
            blocks[i] = blocks[--block_count];
            break;
        }
    __real_hp5_free(memory);
}

void __wrap_hp5_fail(int status, const char *format, ...) {
    fuzz_require(armed, "hp5_fail in the compiler");
    fuzz_require(status == 1 || status == 2, "an exit status that is not documented");
    va_list args;
    va_start(args, format);
    char *text = NULL;
    int length = vasprintf(&text, format, args);
    va_end(args);
    fuzz_require(length > 0, "an empty message");
    free(text);
    failed = true;
    longjmp(fuzz_way_out, 1);
}

/* --help ends a program with exit(0); 70 is an internal error of hp5c. */
void __wrap_exit(int status) {
    if (!armed) {
        fuzz_require(status != 70, "an internal error");
        __real_exit(status);
    }
    fuzz_require(status == 0, "exit with an error");
    failed = true;
    longjmp(fuzz_way_out, 1);
}
