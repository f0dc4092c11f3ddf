/* Running the C compiler: no shell, arguments as they are, the C text in a private directory that
 * is removed again unless something went wrong. */
#include "compiler/check/walk.h"
#include "compiler/driver/driver.h"
#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct Runtime { const char *library, *include; } Runtime;

/* Beside hp5c in its build folder, or installed: PREFIX/bin/hp5c, PREFIX/lib/hp5/libhp5.a, PREFIX/include/hp5. */
static Runtime find_runtime(Arena *arena) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) length = 0;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash != NULL) *slash = '\0';
    Runtime built = {arena_printf(arena, "%s/libhp5.a", path), HP5_SOURCE_DIR};
    if (access(built.library, R_OK) == 0) return built;
    return (Runtime){arena_printf(arena, "%s/../lib/hp5/libhp5.a", path), arena_printf(arena, "%s/../include/hp5", path)};
}

/* ---- Extern blocks: libraries to link ------------------------------------------------------------------ */
typedef struct Externs { Arena *arena; TextVec libraries; bool any; } Externs;

static bool collect_extern(Stmt *stmt, void *data) {
    Externs *externs = data;
    if (stmt->kind != STMT_EXTERN) return true;
    externs->any = true;
    for (size_t i = 0; i < stmt->external->libraries.count; i++)
        vec_push(externs->arena, &externs->libraries, arena_printf(externs->arena, "-l%s", stmt->external->libraries.items[i].text));
    return true;
}

static Externs find_externs(Arena *arena, const Program *program) {
    Externs externs = {.arena = arena};
    for (size_t i = 0; i < program->functions.count; i++) walk_block(&program->functions.items[i]->body.block, collect_extern, NULL, &externs);
    for (size_t t = 0; t < program->tasks.count; t++)
        for (size_t i = 0; i < program->tasks.items[t]->stages.count; i++)
            walk_block(&program->tasks.items[t]->stages.items[i]->body.block, collect_extern, NULL, &externs);
    return externs;
}

static void push_all(Arena *arena, TextVec *args, const char *const *items) {
    for (; *items != NULL; items++) vec_push(arena, args, *items);
}

static TextVec command_line(Arena *arena, const Options *options, const Runtime *runtime, const Externs *externs, const char *c_path,
                            const char *output) {
    TextVec args = {0};
    vec_push(arena, &args, options->cc != NULL ? options->cc : "cc");
    static const char *const common[] = {"-std=gnu17", "-O3", "-march=native", "-fwrapv", "-fno-math-errno", "-fno-trapping-math", "-Wall", "-Wextra", NULL};
    push_all(arena, &args, common);
    vec_push(arena, &args, options->fast_math ? "-ffast-math" : "-ffp-contract=off");
    if (options->debug) vec_push(arena, &args, "-g");
    vec_push(arena, &args, arena_printf(arena, "-I%s", runtime->include));
    for (size_t i = 0; i < options->cc_flag.count; i++) vec_push(arena, &args, options->cc_flag.items[i]);
    vec_push(arena, &args, "-o");
    vec_push(arena, &args, output[0] == '-' ? arena_printf(arena, "./%s", output) : output);
    vec_push(arena, &args, c_path);
    vec_push(arena, &args, runtime->library);
    for (size_t i = 0; i < externs->libraries.count; i++) vec_push(arena, &args, externs->libraries.items[i]);
    static const char *const libraries[] = {"-lhwloc", "-lpthread", "-lm", NULL};
    push_all(arena, &args, libraries);
    vec_push(arena, &args, NULL);
    return args;
}

/* Exit status of the command, or -1 with errno when it could not be started. */
static int run_command(const TextVec *args) {
    pid_t child;
    int error = posix_spawnp(&child, args->items[0], NULL, NULL, (char *const *)args->items, environ), status;
    if (error != 0) {
        errno = error;
        return -1;
    }
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

static int report_failure(const Options *options, const Externs *externs, const char *c_path, int status, Diags *diags) {
    const char *cc = options->cc != NULL ? options->cc : "cc";
    if (status < 0) {
        Diag *diag = diag_error_plain(diags, E_CC, "cannot start the C compiler '%s': %s", cc, strerror(errno));
        diag_help(diag, "install one (Debian: apt-get install build-essential) or name another with --cc");
        return EXIT_BAD_USAGE;
    }
    Diag *diag = diag_error_plain(diags, E_CC, "the C compiler '%s' failed with status %d; its input is kept in '%s'", cc, status, c_path);
    if (externs->any) diag_help(diag, "if its messages above point at extern code, mend that; else this is an error in hp5c, please report it with the file");
    else diag_help(diag, "if the messages above are not about the machine (full disk, missing library), this is an error in hp5c: please report it with the file");
    return EXIT_DIAGNOSED;
}

/* The linker would say it less clearly. */
static bool check_output(Arena *arena, const char *output, Diags *diags) {
    struct stat status;
    const char *slash = strrchr(output, '/');
    const char *folder = slash == NULL ? "." : slash == output ? "/" : arena_copy(arena, output, (size_t)(slash - output));
    int error = 0;
    if (stat(output, &status) == 0 && S_ISDIR(status.st_mode)) error = EISDIR;
    else if (access(folder, W_OK) != 0) error = errno;
    if (error != 0) diag_error_plain(diags, E_FILE, "cannot write the program '%s': %s", output, strerror(error));
    return error == 0;
}

int driver_compile_c(const Options *options, const Program *program, const Text *c_text, const char *output, Diags *diags) {
    Arena *arena = arena_new();
    Runtime runtime = find_runtime(arena);
    Externs externs = find_externs(arena, program);
    const char *temporary = getenv("TMPDIR");
    char *directory = arena_printf(arena, "%s/hp5c-XXXXXX", temporary != NULL && temporary[0] != '\0' ? temporary : "/tmp");
    int result = 0;
    if (!check_output(arena, output, diags)) {
        arena_free(arena);
        return EXIT_BAD_USAGE;
    }
    if (mkdtemp(directory) == NULL) {
        diag_error_plain(diags, E_FILE, "cannot make a temporary directory '%s': %s", directory, strerror(errno));
        arena_free(arena);
        return EXIT_BAD_USAGE;
    }
    const char *c_path = arena_printf(arena, "%s/program.c", directory);
    if (!text_write_file(c_text, c_path)) {
        diag_error_plain(diags, E_FILE, "cannot write '%s': %s", c_path, strerror(errno));
        result = EXIT_BAD_USAGE;
    } else {
        TextVec args = command_line(arena, options, &runtime, &externs, c_path, output);
        int status = run_command(&args);
        if (status != 0) result = report_failure(options, &externs, c_path, status, diags);
    }
    if (result == 0 || result == EXIT_BAD_USAGE) {
        unlink(c_path);
        rmdir(directory);
    }
    arena_free(arena);
    return result;
}
