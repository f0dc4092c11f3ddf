/* LD_PRELOAD library that makes the Nth call of some kinds of function fail.
 *
 *   FAULT_KIND   memory, open, read, write, disk, close, written, rename, truncate or thread
 *   FAULT_AT     the call that fails, from 1; 0 or absent: none
 *   FAULT_ON     "1": every later call fails, too
 *   FAULT_COUNT  a file to which the number of calls seen is written at exit (by file descriptor, without stdio)
 *
 * Only calls from the program's own code count (what hwloc or libc do without memory is not ours), and only in the process
 * whose program is FAULT_PROGRAM (the last part of its path): children such as the C compiler run untouched.
 * memory: malloc, calloc, realloc, aligned_alloc, posix_memalign, mmap (ENOMEM); open: open, openat, fopen (EMFILE);
 * read: read, pread (EIO); write: write, pwrite, fflush (ENOSPC); close (EIO, after closing); written: close of a file that was open
 * for writing; rename (EACCES); truncate: ftruncate
 * (ENOSPC); disk: pwrite alone; thread: pthread_create (EAGAIN). stdio's own calls inside libc do not pass through here, so fflush is there
 * itself (write). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef enum { NONE, MEMORY, OPEN, READ, WRITE, CLOSE, WRITTEN, RENAME, TRUNCATE, THREAD, DISK } Kind;
static const char *const kind_names[] = {"", "memory", "open", "read", "write", "close", "written", "rename", "truncate", "thread", "disk"};

static Kind wanted;
static long fail_at;
static bool and_on;
static atomic_long seen;
static atomic_bool counting;
static char count_path[4096];

/* The program's own code; calls from elsewhere (hwloc, libc) are left alone: what those libraries do without memory is not ours. */
static uintptr_t code_begin, code_end;

static int find_code(struct dl_phdr_info *info, size_t size, void *data) {
    (void)size;
    (void)data;
    for (int i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        code_begin = info->dlpi_addr + part->p_vaddr;
        code_end = code_begin + part->p_memsz;
    }
    return 1;                     /* the program comes first */
}

#define REAL(name)                                                                             \
    static __typeof__(&name) real;                                                             \
    if (real == NULL) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static bool fails_for(uintptr_t caller, Kind kind, int error) {
    if (!atomic_load(&counting) || kind != wanted || caller < code_begin || caller >= code_end) return false;
    long number = atomic_fetch_add(&seen, 1) + 1;
    bool now = fail_at > 0 && (number == fail_at || (and_on && number > fail_at));
    if (now) errno = error;
    return now;
}

#define fails(kind, error) fails_for((uintptr_t)__builtin_return_address(0), kind, error)

static void write_count(void) {
    if (!atomic_exchange(&counting, false) || count_path[0] == '\0') return;
    char text[32];
    int length = snprintf(text, sizeof text, "%ld\n", atomic_load(&seen)), file = open(count_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0) return;
    if (write(file, text, (size_t)length) != length) abort();
    close(file);
}

__attribute__((constructor)) static void begin(void) {
    const char *kind = getenv("FAULT_KIND"), *at = getenv("FAULT_AT"), *count = getenv("FAULT_COUNT"), *program = getenv("FAULT_PROGRAM");
    if (kind == NULL || (program != NULL && strcmp(program, program_invocation_short_name) != 0)) return;
    for (size_t i = 1; i < sizeof kind_names / sizeof kind_names[0]; i++)
        if (strcmp(kind, kind_names[i]) == 0) wanted = (Kind)i;
    fail_at = at == NULL ? 0 : atol(at);
    and_on = getenv("FAULT_ON") != NULL;
    if (count != NULL) snprintf(count_path, sizeof count_path, "%s", count);
    dl_iterate_phdr(find_code, NULL);
    atomic_store(&counting, true);
}

__attribute__((destructor)) static void end(void) { write_count(); }
void _exit(int status) {
    REAL(_exit);
    write_count();
    real(status);
    __builtin_unreachable();
}

/* dlsym may allocate before `real` is known; glibc's own names need no look-up. */
extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t), *__libc_memalign(size_t, size_t);
void *malloc(size_t size) { return fails(MEMORY, ENOMEM) ? NULL : __libc_malloc(size); }
void *calloc(size_t count, size_t size) { return fails(MEMORY, ENOMEM) ? NULL : __libc_calloc(count, size); }
void *realloc(void *block, size_t size) { return fails(MEMORY, ENOMEM) ? NULL : __libc_realloc(block, size); }
void *aligned_alloc(size_t alignment, size_t size) { return fails(MEMORY, ENOMEM) ? NULL : __libc_memalign(alignment, size); }
int posix_memalign(void **block, size_t alignment, size_t size) {
    if (fails(MEMORY, ENOMEM)) return ENOMEM;
    *block = __libc_memalign(alignment, size);
    return *block == NULL ? ENOMEM : 0;
}
void *mmap(void *address, size_t length, int protection, int flags, int file, off_t offset) {
    REAL(mmap);
    return fails(MEMORY, ENOMEM) ? MAP_FAILED : real(address, length, protection, flags, file, offset);
}

static mode_t mode_of(int flags, va_list args) { return flags & (O_CREAT | O_TMPFILE) ? va_arg(args, mode_t) : 0; }
int open(const char *path, int flags, ...) {
    REAL(open);
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return fails(OPEN, EMFILE) ? -1 : real(path, flags, mode);
}
int openat(int folder, const char *path, int flags, ...) {
    REAL(openat);
    va_list args;
    va_start(args, flags);
    mode_t mode = mode_of(flags, args);
    va_end(args);
    return fails(OPEN, EMFILE) ? -1 : real(folder, path, flags, mode);
}
FILE *fopen(const char *path, const char *mode) {
    REAL(fopen);
    return fails(OPEN, EMFILE) ? NULL : real(path, mode);
}

ssize_t read(int file, void *data, size_t size) {
    REAL(read);
    return fails(READ, EIO) ? -1 : real(file, data, size);
}
ssize_t pread(int file, void *data, size_t size, off_t offset) {
    REAL(pread);
    return fails(READ, EIO) ? -1 : real(file, data, size, offset);
}
ssize_t write(int file, const void *data, size_t size) {
    REAL(write);
    return fails(WRITE, ENOSPC) ? -1 : real(file, data, size);
}
ssize_t pwrite(int file, const void *data, size_t size, off_t offset) {
    REAL(pwrite);
    return fails(WRITE, ENOSPC) || fails(DISK, ENOSPC) ? -1 : real(file, data, size, offset);
}
int fflush(FILE *file) {
    REAL(fflush);
    if (file == stderr || file == NULL || !fails(WRITE, ENOSPC)) return real(file);
    return EOF;
}
int close(int file) {
    REAL(close);
    int flags = fcntl(file, F_GETFL), result = real(file);
    bool written = flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
    return fails(CLOSE, EIO) || (written && fails(WRITTEN, EIO)) ? -1 : result;
}
int rename(const char *from, const char *to) {
    REAL(rename);
    return fails(RENAME, EACCES) ? -1 : real(from, to);
}
int ftruncate(int file, off_t length) {
    REAL(ftruncate);
    return fails(TRUNCATE, ENOSPC) ? -1 : real(file, length);
}
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*run)(void *), void *argument) {
    REAL(pthread_create);
    return fails(THREAD, EAGAIN) ? EAGAIN : real(thread, attributes, run, argument);
}
