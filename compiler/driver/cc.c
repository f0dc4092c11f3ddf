/* Running the C compiler: no shell, arguments as they are, the C text in a private directory that
 * is removed again unless something went wrong. The program is linked under a temporary name beside its
 * place and renamed when whole. SIGINT, SIGTERM and SIGHUP stop the C compiler and remove both; they
 * are waited for (sigwaitinfo), not handled, so that the clean-up is ordinary code. */
#include "compiler/check/walk.h"
#include "compiler/driver/driver.h"
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct Runtime {
    const char *library, *include;
} Runtime;

/* Beside hp5c in its build folder, or installed: PREFIX/bin/hp5c, PREFIX/lib/hp5/libhp5.a,
 * PREFIX/include/hp5. */
static Runtime find_runtime(Arena *arena) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) length = 0;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash != NULL) *slash = '\0';
    Runtime built = {arena_printf(arena, "%s/libhp5.a", path), HP5_SOURCE_DIR};
    if (access(built.library, R_OK) == 0) return built;
    return (Runtime){arena_printf(arena, "%s/../lib/hp5/libhp5.a", path),
                     arena_printf(arena, "%s/../include/hp5", path)};
}

/* ---- Extern blocks: libraries to link ------------------------------------------------------------------ */
typedef struct Externs {
    Arena *arena;
    TextVec libraries;
    bool any;
} Externs;

static bool collect_extern(Stmt *stmt, void *data) {
    Externs *externs = data;
    if (stmt->kind != STMT_EXTERN) return true;
    externs->any = true;
    for (size_t i = 0; i < stmt->external->libraries.count; i++)
        vec_push(externs->arena, &externs->libraries,
                 arena_printf(externs->arena, "-l%s", stmt->external->libraries.items[i].text));
    return true;
}

static Externs find_externs(Arena *arena, const Program *program) {
    Externs externs = {.arena = arena};
    for (size_t i = 0; i < program->functions.count; i++)
        walk_block(&program->functions.items[i]->body.block, collect_extern, NULL, &externs);
    for (size_t t = 0; t < program->tasks.count; t++) {
        const Task *task = program->tasks.items[t];
        if (task->initialize) walk_block(&task->initialize->block, collect_extern, NULL, &externs);
        for (size_t i = 0; i < task->stages.count; i++)
            walk_block(&task->stages.items[i]->body.block, collect_extern, NULL, &externs);
    }
    return externs;
}

static void push_all(Arena *arena, TextVec *args, const char *const *items) {
    for (; *items != NULL; items++) vec_push(arena, args, *items);
}

static TextVec command_line(Arena *arena, const Options *options, const Runtime *runtime,
                            const Externs *externs, const char *c_path, const char *output) {
    TextVec args = {0};
    vec_push(arena, &args, options->cc != NULL ? options->cc : "cc");
    static const char *const common[] = {
        "-std=gnu17",         "-O3",   "-march=native", "-fwrapv", "-fno-math-errno",
        "-fno-trapping-math", "-Wall", "-Wextra",       NULL};
    push_all(arena, &args, common);
    vec_push(arena, &args, options->fast_math ? "-ffast-math" : "-ffp-contract=off");
    if (options->debug) vec_push(arena, &args, "-g");
#ifdef HP5_SANITIZE /* the runtime library has calls of the sanitizers: programs are built alike, so tests   \
                       check them too */
    static const char *const sanitizers[] = {"-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                                             NULL};
    push_all(arena, &args, sanitizers);
#endif
    vec_push(arena, &args, arena_printf(arena, "-I%s", runtime->include));
    for (size_t i = 0; i < options->cc_flag.count; i++) vec_push(arena, &args, options->cc_flag.items[i]);
    vec_push(arena, &args, "-o");
    vec_push(arena, &args, output);
    vec_push(arena, &args, c_path);
    vec_push(arena, &args, runtime->library);
    for (size_t i = 0; i < externs->libraries.count; i++) vec_push(arena, &args, externs->libraries.items[i]);
    static const char *const libraries[] = {"-lhwloc", "-lpthread", "-lm", NULL};
    push_all(arena, &args, libraries);
    vec_push(arena, &args, NULL);
    return args;
}

/* ---- Signals
 * ------------------------------------------------------------------------------------------------ */
typedef struct Guard {
    sigset_t before, waited; /* waited: SIGCHLD and what would end hp5c */
    struct sigaction child_before;
    int caught; /* a signal that came, or 0 */
} Guard;

/* From here to guard_end no signal ends hp5c; those that the caller ignores (nohup) stay ignored. */
static void guard_begin(Guard *guard) {
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    *guard = (Guard){0};
    sigemptyset(&guard->waited);
    sigaddset(&guard->waited, SIGCHLD);
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        struct sigaction now;
        if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler != SIG_IGN)
            sigaddset(&guard->waited, ending[i]);
    }
    struct sigaction plain = {.sa_handler = SIG_DFL};
    sigemptyset(&plain.sa_mask);
    sigaction(SIGCHLD, &plain, &guard->child_before);
    sigprocmask(SIG_BLOCK, &guard->waited, &guard->before);
}

static void guard_end(const Guard *guard) {
    sigaction(SIGCHLD, &guard->child_before, NULL);
    if (guard->caught != 0) raise(guard->caught);
    sigprocmask(SIG_SETMASK, &guard->before, NULL);
}

static int start(pid_t *child, const TextVec *args, const Guard *guard) {
    posix_spawnattr_t attributes;
    int error = posix_spawnattr_init(&attributes);
    if (error != 0) return error;
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &guard->before);
    error = posix_spawnp(child, args->items[0], NULL, &attributes, (char *const *)args->items, environ);
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* Exit status of the command, or -1 with errno when it could not be started. */
static int run_command(const TextVec *args, Guard *guard) {
    pid_t child, ended = 0;
    int error = start(&child, args, guard), status = 0;
    if (error != 0) {
        errno = error;
        return -1;
    }
    while (ended == 0) {
        int signal_number = sigwaitinfo(&guard->waited, NULL);
        if (signal_number > 0 && signal_number != SIGCHLD) {
            guard->caught = signal_number;
            kill(child, SIGTERM);
        }
        ended = waitpid(child, &status, WNOHANG);
        if (ended < 0 && errno == EINTR) ended = 0;
    }
    if (ended < 0) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

/* ---- Where the program is built
 * -------------------------------------------------------------------------------- */
/* A name beside `output`, so that a rename puts it in place; devices and the like are written as they are. */
static const char *temporary_output(Arena *arena, const char *output) {
    struct stat there;
    if (output[0] == '-') output = arena_printf(arena, "./%s", output);
    if (stat(output, &there) == 0 && !S_ISREG(there.st_mode)) return output;
    const char *slash = strrchr(output, '/');
    int folder = slash == NULL ? 0 : (int)(slash - output) + 1;
    return arena_printf(arena, "%.*s.hp5c-%ld.tmp", folder, output, (long)getpid());
}

static int put_in_place(const char *temporary, const char *output, Diags *diags) {
    struct stat made;
    if (stat(temporary, &made) != 0 || !S_ISREG(made.st_mode) || rename(temporary, output) == 0) return 0;
    diag_error_plain(diags, E_FILE, "cannot write '%s': %s", output, strerror(errno));
    unlink(temporary);
    return EXIT_BAD_USAGE;
}

static int report_failure(const Options *options, const Externs *externs, const char *c_path, int status,
                          Diags *diags) {
    const char *cc = options->cc != NULL ? options->cc : "cc";
    if (status < 0) {
        Diag *diag =
            diag_error_plain(diags, E_CC, "cannot start the C compiler '%s': %s", cc, strerror(errno));
        diag_help(diag, "install one (Debian: apt-get install build-essential) or name another with --cc");
        return EXIT_BAD_USAGE;
    }
    Diag *diag =
        diag_error_plain(diags, E_CC, "the C compiler '%s' failed with status %d; its input is kept in '%s'",
                         cc, status, c_path);
    if (externs->libraries.count > 0)
        diag_help(diag, "if it found no '-lNAME', install the library NAME or mend @Libraries");
    if (externs->any)
        diag_help(diag, "if its messages above point at extern code, mend that; else this is an error in "
                        "hp5c, please report it with the file");
    else
        diag_help(diag, "if the messages above are not about the machine (full disk, missing library), this "
                        "is an error in hp5c: please report it with the file");
    return EXIT_DIAGNOSED;
}

/* The linker would say it less clearly. */
static bool check_output(Arena *arena, const char *output, Diags *diags) {
    struct stat status;
    const char *slash = strrchr(output, '/');
    const char *folder = slash == NULL     ? "."
                         : slash == output ? "/"
                                           : arena_copy(arena, output, (size_t)(slash - output));
    int error = 0;
    if (stat(output, &status) == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
    else if (access(folder, W_OK) != 0) error = errno;
    if (error != 0)
        diag_error_plain(diags, E_FILE, "cannot write the program '%s': %s", output, strerror(error));
    return error == 0;
}

/* Compiles the text in `directory`, which is removed again unless the C compiler fails by itself. */
static int compile_in(const char *directory, const Options *options, const Program *program,
                      const Text *c_text, const char *output, Arena *arena, Guard *guard, Diags *diags) {
    Runtime runtime = find_runtime(arena);
    Externs externs = find_externs(arena, program);
    const char *c_path = arena_printf(arena, "%s/program.c", directory),
               *temporary = temporary_output(arena, output);
    int result = 0;
    if (!text_write_file(c_text, c_path)) {
        diag_error_plain(diags, E_FILE, "cannot write '%s': %s", c_path, strerror(errno));
        result = EXIT_BAD_USAGE;
    } else {
        TextVec args = command_line(arena, options, &runtime, &externs, c_path, temporary);
        int status = run_command(&args, guard);
        if (guard->caught == 0 && status != 0)
            result = report_failure(options, &externs, c_path, status, diags);
        struct stat left;
        if (status == 0 && guard->caught == 0) result = put_in_place(temporary, output, diags);
        else if (stat(temporary, &left) == 0 && S_ISREG(left.st_mode)) unlink(temporary);
    }
    if (result != EXIT_DIAGNOSED) {
        unlink(c_path);
        rmdir(directory);
    }
    return result;
}

int driver_compile_c(const Options *options, const Program *program, const Text *c_text, const char *output,
                     Diags *diags) {
    Arena *arena = arena_new();
    const char *place = getenv("TMPDIR");
    char *directory =
        arena_printf(arena, "%s/hp5c-XXXXXX", place != NULL && place[0] != '\0' ? place : "/tmp");
    if (!check_output(arena, output, diags)) {
        arena_free(arena);
        return EXIT_BAD_USAGE;
    }
    Guard guard;
    guard_begin(&guard);
    int result = EXIT_BAD_USAGE;
    if (mkdtemp(directory) == NULL)
        diag_error_plain(diags, E_FILE, "cannot make a temporary directory '%s': %s", directory,
                         strerror(errno));
    else result = compile_in(directory, options, program, c_text, output, arena, &guard, diags);
    guard_end(&guard);
    arena_free(arena);
    return result;
}
