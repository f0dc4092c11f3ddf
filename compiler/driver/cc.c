/* Running the C compiler: no shell, arguments as they are, the C text in a private directory that
 * is removed again unless something went wrong. The program is linked under a temporary name beside its
 * place and renamed when whole. SIGINT, SIGTERM and SIGHUP stop the C compiler and remove both; they
 * are waited for (sigwaitinfo), not handled, so that the clean-up is ordinary code. */
#include "compiler/check/walk.h"
#include "compiler/driver/build.h"
#include "compiler/driver/pipeline.h"
#include "compiler/driver/stamp.h"
#include "runtime_stamp.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Beside hp5c in its build folder, or installed: PREFIX/bin/hp5c, PREFIX/lib/hp5/libhp5.a,
 * PREFIX/include/hp5. */
static Runtime find_runtime(Arena *arena, const char *name) {
    char path[4096];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path - 1);
    if (length < 0) length = 0;
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (slash != NULL) *slash = '\0';
    Runtime built = {arena_printf(arena, "%s/%s", path, name), HP5_SOURCE_DIR};
    if (access(arena_printf(arena, "%s/libhp5.a", path), R_OK) == 0) return built;
    return (Runtime){arena_printf(arena, "%s/../lib/hp5/%s", path, name),
                     arena_printf(arena, "%s/../include/hp5", path)};
}

/* The first of the runtime's headers that is not as it was when hp5c was built, or NULL; `missing`: it cannot be read. */
static const char *changed_header(Arena *arena, const Runtime *runtime, bool *missing) {
    static const struct {
        const char *name;
        uint64_t sum;
    } headers[] = {
#define HEADER(name, sum) {name, sum},
        HP5_STAMP_HEADERS(HEADER)
#undef HEADER
    };
    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        const char *path = arena_printf(arena, "%s/%s", runtime->include, headers[i].name);
        uint64_t sum = stamp_file(path);
        *missing = sum == 0;
        if (sum != headers[i].sum) return path;
    }
    return NULL;
}

/* ---- Extern blocks ------------------------------------------------------------------------------------ */
static void add_extern(Externs *externs, const ExternCode *code) {
    if (code == NULL) return;
    vec_push(externs->arena, &externs->blocks, code);
    externs->cuda = externs->cuda || code->language == EXTERN_CUDA;
    for (size_t i = 0; i < code->libraries.count; i++) vec_push(externs->arena, &externs->libraries, code->libraries.items[i]);
}

static bool collect_extern(Stmt *stmt, void *data) {
    if (stmt->kind != STMT_EXTERN) return true;
    add_extern(data, stmt->external->host);
    add_extern(data, stmt->external->card);
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

/* ---- Commands ----------------------------------------------------------------------------------------- */
static void push_all(Arena *arena, TextVec *args, const char *const *items) {
    for (; *items != NULL; items++) vec_push(arena, args, *items);
}

/* The runtime library's folder as a string of C, for programs that load others from there. */
static const char *folder_definition(const Build *build) {
    const char *library = build->runtime.library, *end = strrchr(library, '/');
    Text text = {0};
    text_append(&text, "-DHP5_FOLDER=\"");
    for (const char *at = library; at < end; at++) {
        unsigned char c = (unsigned char)*at;
        if (c < 0x20 || c == '"' || c == '\\') text_printf(&text, "\\%03o", c);
        else text_printf(&text, "%c", c);
    }
    text_append(&text, "\"");
    const char *definition = arena_printf(build->arena, "%s", text.data);
    text_free(&text);
    return definition;
}

/* By its name; of `cc` and `c++` it is known from when hp5c was built (CMakeLists.txt). Others may not take what gcc takes. */
static bool is_gcc(const char *compiler) {
    const char *slash = strrchr(compiler, '/'), *name = slash != NULL ? slash + 1 : compiler;
    if (strstr(name, "clang") != NULL) return false; /* clang++ ends as g++ does */
    if (strstr(name, "gcc") != NULL || strstr(name, "g++") != NULL) return true;
#ifdef HP5_CC_IS_GCC
    return strcmp(name, "cc") == 0 || strcmp(name, "c++") == 0;
#else
    return false;
#endif
}

/* gcc knows AMD's processors with AVX-512 from version 13 on. Before, it takes them for older ones, and tunes for gathers that are slow and vectors that are short. */
static bool is_tuned_for_another(const Build *build, const char *compiler) {
#if defined __x86_64__ && defined HP5_CC_IS_GCC && HP5_CC_IS_GCC < 13
    for (size_t i = 0; i < build->options->cc_flag.count; i++) {
        const char *flag = build->options->cc_flag.items[i];
        if (strncmp(flag, "-mtune", 6) == 0 || (strncmp(flag, "-march", 6) == 0 && strcmp(flag, "-march=native") != 0)) return false;
    }
    return is_gcc(compiler) && __builtin_cpu_is("amd") && __builtin_cpu_supports("avx512f");
#else
    (void)build;
    (void)compiler;
    return false;
#endif
}

static TextVec compiler_with_flags(const Build *build, const char *compiler, const char *standard) {
    TextVec args = {0};
    Arena *arena = build->arena;
    vec_push(arena, &args, compiler);
    vec_push(arena, &args, standard);
    push_all(arena, &args, backend_cpu.build.flags);
    if (is_gcc(compiler)) push_all(arena, &args, backend_cpu.build.gcc_flags);
    if (is_tuned_for_another(build, compiler)) vec_push(arena, &args, "-mtune=icelake-server");
    vec_push(arena, &args, build->options->fast_math ? "-ffast-math" : "-ffp-contract=off");
    if (build->options->debug) vec_push(arena, &args, "-g");
#ifdef HP5_SANITIZE /* the runtime library has calls of the sanitizers: programs are built alike, so tests   \
                       check them too */
    static const char *const sanitizers[] = {"-fsanitize=address,undefined", "-fno-sanitize-recover=all",
                                             NULL};
    push_all(arena, &args, sanitizers);
#endif
    vec_push(arena, &args, arena_printf(arena, "-I%s", build->runtime.include));
    vec_push(arena, &args, "-DHP5_RUNTIME_STAMP=" QUOTED(HP5_STAMP));
    vec_push(arena, &args, folder_definition(build));
    if (build->options->smpi) { /* programs for simulators are shared libraries */
        static const char *const simulated[] = {"-fPIC", "-DSMPI_NO_OVERRIDE_MALLOC", NULL};
        push_all(arena, &args, simulated);
    }
    for (size_t i = 0; i < build->options->cc_flag.count; i++)
        vec_push(arena, &args, build->options->cc_flag.items[i]);
    return args;
}

static TextVec compile_object(const Build *build, const char *compiler, const char *standard, const char *object,
                              const char *source) {
    TextVec args = compiler_with_flags(build, compiler, standard);
    const char *const rest[] = {"-c", "-o", object, source, NULL};
    push_all(build->arena, &args, rest);
    vec_push(build->arena, &args, NULL);
    return args;
}

/* nvcc wants to be told what it passes on. */
static TextVec card_compiler_with_flags(const Build *build) {
    TextVec args = {0};
    Arena *arena = build->arena;
    vec_push(arena, &args, card_compiler(build));
    push_all(arena, &args, backend_cuda.build.flags);
    static const char *const own_text[] = {"-Werror", "all-warnings", NULL}; /* what is said of extern code is a warning's business */
    if (!build->externs.cuda) push_all(arena, &args, own_text);
    vec_push(arena, &args, arena_printf(arena, "-arch=%s", build->options->gpu_arch ? build->options->gpu_arch : "sm_80"));
    if (build->options->debug) vec_push(arena, &args, "-g");
    if (build->options->debug) vec_push(arena, &args, "-lineinfo");
#ifdef HP5_SANITIZE
    static const char *const sanitizers[] = {"-Xcompiler", "-fsanitize=address,undefined", NULL};
    push_all(arena, &args, sanitizers);
#endif
    vec_push(arena, &args, arena_printf(arena, "-I%s", build->runtime.include));
    return args;
}

static TextVec compile_card(const Build *build) {
    TextVec args = card_compiler_with_flags(build);
    const char *const rest[] = {"-c", "-o", build->card_object, build->card_path, NULL}, *const resources[] = {"-Xptxas", "-v", NULL};
    if (build->options->remarks) push_all(build->arena, &args, resources);
    push_all(build->arena, &args, rest);
    vec_push(build->arena, &args, NULL);
    return args;
}

static bool has_objects(const Build *build) { return build->cplusplus_path != NULL || build->card_path != NULL; }

/* From C to the program, or from object files. */
static TextVec link_program(const Build *build) {
    const bool objects = has_objects(build);
    TextVec args = build->card_path != NULL        ? card_compiler_with_flags(build)
                   : build->cplusplus_path != NULL ? compiler_with_flags(build, cplusplus_compiler(build), "-std=gnu++17")
                                                   : compiler_with_flags(build, c_compiler(build), "-std=gnu17");
    const char *const files[] = {"-o", build->output, objects ? build->object : build->c_path, NULL};
    push_all(build->arena, &args, files);
    if (build->cplusplus_path != NULL) vec_push(build->arena, &args, build->cplusplus_object);
    if (build->card_path != NULL) vec_push(build->arena, &args, build->card_object);
    vec_push(build->arena, &args, build->runtime.library);
    if (build->card_path != NULL && build->cplusplus_path != NULL) vec_push(build->arena, &args, "-lstdc++");
    if (build->options->smpi) vec_push(build->arena, &args, "-Wl,-u,hp5_comm_driver"); /* nothing else asks for it */
    for (size_t i = 0; i < build->externs.libraries.count; i++)
        vec_push(build->arena, &args, arena_printf(build->arena, "-l%s", build->externs.libraries.items[i].text));
    push_all(build->arena, &args, backend_cpu.build.libraries);
#ifdef HP5_COVERAGE /* the runtime library counts its lines, also when a program leaves through _exit */
    static const char *const counters[] = {"-lgcov", "-Wl,-u,__gcov_dump", NULL};
    push_all(build->arena, &args, counters);
#endif
    vec_push(build->arena, &args, NULL);
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

/* The command's messages go to the file `messages`. */
static int start(pid_t *child, const TextVec *args, const char *messages, const Guard *guard) {
    posix_spawnattr_t attributes;
    posix_spawn_file_actions_t files;
    int error = posix_spawnattr_init(&attributes);
    if (error != 0) return error;
    error = posix_spawn_file_actions_init(&files);
    if (error == 0) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
        posix_spawnattr_setsigmask(&attributes, &guard->before);
        error = posix_spawn_file_actions_addopen(&files, STDERR_FILENO, messages, O_WRONLY | O_CREAT | O_APPEND, 0600);
        if (error == 0)
            error = posix_spawnp(child, args->items[0], &files, &attributes, (char *const *)args->items, environ);
        posix_spawn_file_actions_destroy(&files);
    }
    posix_spawnattr_destroy(&attributes);
    return error;
}

/* Exit status of the command, or -1 with errno when it could not be started. */
static int run_command(const TextVec *args, const char *messages, Guard *guard) {
    pid_t child, ended = 0;
    int error = start(&child, args, messages, guard), status = 0;
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

/* ---- What went wrong ---------------------------------------------------------------------------------- */
static int cannot_start(const Build *build, const char *compiler) {
    if (build->card_path != NULL && strcmp(compiler, card_compiler(build)) == 0) {
        Diag *diag = diag_error_plain(build->diags, E_CC, "cannot start the CUDA compiler '%s', which tasks on a card need: %s", compiler, strerror(errno));
        diag_help(diag, "install NVIDIA's CUDA toolkit, name its nvcc with --nvcc, or map the program to processors");
        return EXIT_BAD_USAGE;
    }
    bool cplusplus = compiler != c_compiler(build);
    Diag *diag = diag_error_plain(build->diags, E_CC, "cannot start the %s compiler '%s': %s", cplusplus ? "C++" : "C",
                                  compiler, strerror(errno));
    diag_help(diag, "install one (Debian: apt-get install %s) or name another with %s",
              build->options->smpi ? "libsimgrid-dev" : "build-essential", cplusplus ? "--cxx" : "--cc");
    return EXIT_BAD_USAGE;
}

/* hp5c and the runtime's headers; the linker finds out about the library. */
static bool is_of_one_build(const Build *build) {
    bool missing = false;
    const char *changed = changed_header(build->arena, &build->runtime, &missing);
    if (changed == NULL) return true;
    if (missing) diag_error_plain(build->diags, E_FILE, "cannot read the runtime header '%s': %s", changed, strerror(errno));
    else
        said_stale(build, arena_printf(build->arena, "the runtime header '%s' is not the one that this hp5c was built with", changed));
    return false;
}

/* The runtime for simulated machines is there where SimGrid was when HP5 was built. */
static bool has_simulator(const Build *build) {
    if (!build->options->smpi || access(build->runtime.library, R_OK) == 0) return true;
    Diag *diag = diag_error_plain(build->diags, E_NO_SMPI, "this hp5c was built without SimGrid, which --smpi needs: there is no '%s'", build->runtime.library);
    diag_help(diag, "install SimGrid (Debian: libsimgrid-dev) and build HP5 again");
    return false;
}

/* What the last command said, as a string. */
static const char *read_messages(const Build *build) {
    Source *source = source_read(build->arena, build->messages);
    return source == NULL ? "" : source->text;
}

static int run_step(Build *build, const TextVec *args, Guard *guard) {
    const char *compiler = args->items[0];
    int status = run_command(args, build->messages, guard);
    int result = 0;
    if (guard->caught != 0) result = EXIT_BAD_USAGE;
    else if (status < 0) result = cannot_start(build, compiler);
    else if (status > 0) result = said_fail(build, compiler, status, read_messages(build));
    else said_warn(build, compiler, read_messages(build));
    if (result == 0 && build->kernels) said_kernels(build, read_messages(build));
    unlink(build->messages);
    return result;
}

static int run_build(Build *build, Guard *guard) {
    int result = 0;
    if (build->cplusplus_path != NULL) {
        TextVec cplusplus = compile_object(build, cplusplus_compiler(build), "-std=gnu++17", build->cplusplus_object,
                                           build->cplusplus_path);
        result = run_step(build, &cplusplus, guard);
    }
    if (result == 0 && build->card_path != NULL) {
        TextVec card = compile_card(build);
        build->kernels = build->options->remarks;
        result = run_step(build, &card, guard);
        build->kernels = false;
    }
    if (result == 0 && has_objects(build)) {
        TextVec c = compile_object(build, c_compiler(build), "-std=gnu17", build->object, build->c_path);
        result = run_step(build, &c, guard);
    }
    if (result != 0) return result;
    TextVec last = link_program(build);
    return run_step(build, &last, guard);
}

static bool write_source(const Build *build, const Text *text, const char *path) {
    if (path == NULL || text_write_file(text, path)) return true;
    diag_error_plain(build->diags, E_FILE, "cannot write '%s': %s", path, strerror(errno));
    return false;
}

static void clean_up(const Build *build, int result) {
    struct stat left;
    if (result != 0 && stat(build->output, &left) == 0 && S_ISREG(left.st_mode)) unlink(build->output);
    if (has_objects(build)) unlink(build->object);
    if (build->cplusplus_path != NULL) unlink(build->cplusplus_object);
    if (build->card_path != NULL) unlink(build->card_object);
    if (build->keep) return;
    unlink(build->c_path);
    if (build->cplusplus_path != NULL) unlink(build->cplusplus_path);
    if (build->card_path != NULL) unlink(build->card_path);
    rmdir(build->directory);
}

static int compile_in(Build *build, const ProgramTexts *texts, const char *output, Guard *guard) {
    Arena *arena = build->arena;
    build->runtime = find_runtime(arena, build->options->smpi ? "libhp5-smpi.a" : "libhp5.a");
    build->externs = find_externs(arena, build->program);
    build->c_path = arena_printf(arena, "%s/program.c", build->directory);
    build->object = arena_printf(arena, "%s/program.o", build->directory);
    build->messages = arena_printf(arena, "%s/messages", build->directory);
    build->output = temporary_output(arena, output);
    if (texts->card->length > 0) {
        build->card_path = arena_printf(arena, "%s/card.cu", build->directory);
        build->card_object = arena_printf(arena, "%s/card.o", build->directory);
    }
    if (texts->cplusplus->length > 0) {
        build->cplusplus_path = arena_printf(arena, "%s/extern.cc", build->directory);
        build->cplusplus_object = arena_printf(arena, "%s/extern.o", build->directory);
    }
    bool written = has_simulator(build) && is_of_one_build(build) && write_source(build, texts->c, build->c_path) &&
                   write_source(build, texts->cplusplus, build->cplusplus_path) && write_source(build, texts->card, build->card_path);
    int result = written ? run_build(build, guard) : EXIT_BAD_USAGE;
    if (result == 0) result = put_in_place(build->output, output, build->diags);
    clean_up(build, result);
    return result;
}

int driver_compile_c(const Options *options, const Program *program, const ProgramTexts *texts, const char *output, Diags *diags) {
    Arena *arena = arena_new();
    const char *place = getenv("TMPDIR");
    char *directory =
        arena_printf(arena, "%s/hp5c-XXXXXX", place != NULL && place[0] != '\0' ? place : "/tmp");
    Guard guard;
    guard_begin(&guard);
    int result = EXIT_BAD_USAGE;
    Build build = {.arena = arena, .options = options, .program = program, .diags = diags, .directory = directory};
    if (mkdtemp(directory) == NULL)
        diag_error_plain(diags, E_FILE, "cannot make a temporary directory '%s': %s", directory,
                         strerror(errno));
    else result = compile_in(&build, texts, output, &guard);
    guard_end(&guard);
    arena_free(arena);
    return result;
}
