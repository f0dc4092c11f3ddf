/* What hp5c writes: where it goes, and that nothing is lost by it. How to read it: modes (one thing is made in a run), then where
 * the output goes, then the checks, which come before anything is read or made. */
#include "compiler/driver/outputs.h"
#include "runtime/io/files.h"
#include <string.h>
#include <unistd.h>

/* ---- Modes: what a run makes ------------------------------------------------------------------------ */

typedef struct Mode {
    bool given;
    const char *option;
    bool prints; /* a text, to standard output or -o */
    const char *suffix; /* of files that -o may replace although they look like inputs */
} Mode;

enum { MODE_COUNT = 16 };

/* In the order in which driver_main looks at them. */
static void list_modes(const Options *options, Mode modes[MODE_COUNT]) {
    const Mode all[MODE_COUNT] = {{options->help, "--help", true, NULL},
                                  {options->man, "--man-page", true, NULL},
                                  {options->completion, "--completion", true, NULL},
                                  {options->version, "--version", true, NULL},
                                  {options->explain != NULL, "--explain", true, NULL},
                                  {options->probe != NULL, "--probe", true, ".pcubes"},
                                  {options->show_model != NULL, "--show-model", true, NULL},
                                  {options->smpi_platform != NULL, "--smpi-platform", true, ".xml"},
                                  {options->eval != NULL, "--eval", true, NULL},
                                  {options->dump != NULL, "--dump", true, NULL},
                                  {options->format, "--format", true, ".hp5"},
                                  {options->print_map, "--print-map", true, ".map"},
                                  {options->launcher != NULL, "--launcher", true, NULL},
                                  {options->interpret, "--interpret", false, NULL},
                                  {options->check_only, "--check-only", false, NULL},
                                  {options->emit_c, "-S", false, NULL}};
    memcpy(modes, all, sizeof all);
}

static const Mode *mode_of(const Mode modes[MODE_COUNT]) {
    for (int i = 0; i < MODE_COUNT; i++)
        if (modes[i].given) return &modes[i];
    return NULL;
}

static void check_modes(const Options *options, const Mode modes[MODE_COUNT], Diags *diags) {
    const Mode *first = mode_of(modes);
    for (int i = 0; first != NULL && i < MODE_COUNT; i++) {
        if (!modes[i].given || &modes[i] == first) continue;
        Diag *diag = diag_error_plain(diags, E_OPTION, "%s and %s each say what is made", first->option, modes[i].option);
        diag_help(diag, "give one of them");
        break;
    }
    static const char *const alone[] = {"--explain", "--probe", "--show-model", "--smpi-platform", "--eval"}; /* which read no program */
    for (size_t i = 0; first != NULL && options->source != NULL && i < sizeof alone / sizeof alone[0]; i++)
        if (strcmp(first->option, alone[i]) == 0)
            diag_help(diag_error_plain(diags, E_OPTION, "%s looks at no program, but '%s' is given", first->option, options->source),
                      "leave one of them out");
    if (options->output != NULL && (options->interpret || options->check_only)) {
        Diag *diag = diag_error_plain(diags, E_OPTION, "%s makes nothing that -o could name", options->interpret ? "--interpret" : "--check-only");
        diag_help(diag, options->interpret ? "the program's own outputs are arguments, behind --" : "leave one of them out");
    }
    if (options->svg != NULL && options->show_model == NULL) {
        Diag *diag = diag_error_plain(diags, E_OPTION, "--svg needs --show-model, whose drawing it is");
        diag_help(diag, "hp5c --show-model FILE.pcubes --svg FILE.svg");
    } else if (options->svg != NULL && options->output != NULL) {
        diag_error_plain(diags, E_OPTION, "--svg and -o both name the file of the drawing");
    }
    if (options->in_place && !options->format) {
        Diag *diag = diag_error_plain(diags, E_OPTION, "--in-place belongs to --format");
        diag_help(diag, "hp5c --format --in-place program.hp5 writes the formatted program over the old one");
    }
}

/* ---- Where it goes ------------------------------------------------------------------------------------ */

const char *output_path(Arena *arena, const Options *options, const char *suffix) {
    return options->output != NULL ? options->output : output_default_path(arena, options, suffix);
}

const char *output_default_path(Arena *arena, const Options *options, const char *suffix) {
    const char *source = options->source, *slash = strrchr(source, '/');
    const char *name = slash == NULL ? source : slash + 1;
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, ".hp5") == 0) length -= 4;
    else if (suffix[0] == '\0') suffix = ".out";
    return arena_printf(arena, "%.*s%s", (int)length, name, suffix);
}

const char *output_path_beside(Arena *arena, const Options *options, const char *suffix) {
    const char *path = output_path(arena, options, ".c");
    size_t length = strlen(path);
    if (length > 2 && strcmp(path + length - 2, ".c") == 0) length -= 2;
    return arena_printf(arena, "%.*s%s", (int)length, path, suffix);
}

/* ---- Checks --------------------------------------------------------------------------------------------- */

typedef struct Output {
    const char *path;
    Hp5FileKind kind;
    const char *suffix; /* see Mode */
    const char *what;   /* "the program ", or "" */
} Output;

static bool ends_in(const char *path, const char *suffix) {
    size_t length = strlen(path), end = strlen(suffix);
    return length >= end && strcmp(path + length - end, suffix) == 0;
}

static void would_replace(Diags *diags, const Output *output, const char *input) {
    Diag *diag = diag_error_plain(diags, E_FILE, "the output '%s' would replace %s", output->path, input);
    diag_help(diag, "give another name%s", output->kind == HP5_FILE_PICTURE ? " with --svg" : " with -o");
}

/* Whether the output is one of the files that are read. */
static bool is_input(const Options *options, const Output *output, Diags *diags) {
    const struct {
        const char *path, *what;
    } inputs[] = {{options->source, "the program that is read"},
                  {options->map, "the mapping that is read"},
                  {options->model, "the model that is read"},
                  {options->show_model, "the model that is read"},
                  {options->smpi_platform, "the model that is read"},
                  {options->probe != NULL && options->probe[0] != '\0' ? options->probe : NULL, "the topology that is read"},
                  {"/proc/self/exe", "hp5c itself"}};
    for (size_t i = 0; i < sizeof inputs / sizeof inputs[0]; i++) {
        if (inputs[i].path == NULL || !hp5_same_file(output->path, inputs[i].path)) continue;
        if (i == 0 && options->format) {
            if (options->in_place) continue;
            Diag *diag = diag_error_plain(diags, E_FILE, "the output '%s' would replace the program that is read", output->path);
            diag_help(diag, "if that is meant, say --in-place");
            return true;
        }
        would_replace(diags, output, inputs[i].what);
        return true;
    }
    return false;
}

/* A text has no mark of its own: names tell what must not be replaced by one. */
static bool looks_like_input(const Output *output) {
    static const char *const suffixes[] = {".hp5", ".map", ".pcubes", ".npy"};
    if (output->kind != HP5_FILE_ANY || access(output->path, F_OK) != 0) return false;
    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++)
        if (ends_in(output->path, suffixes[i]) && (output->suffix == NULL || strcmp(output->suffix, suffixes[i]) != 0)) return true;
    return false;
}

static void check_output(const Options *options, const Output *output, Diags *diags) {
    const char *reason = hp5_file_refuses(output->path, output->kind);
    if (is_input(options, output, diags)) return;
    if (reason != NULL) {
        diag_error_plain(diags, E_FILE, "cannot write %s'%s': %s", output->what, output->path, reason);
    } else if (looks_like_input(output)) {
        would_replace(diags, output, "a file of another kind");
    }
}

void outputs_check(Arena *arena, Options *options, Diags *diags) {
    Mode modes[MODE_COUNT];
    list_modes(options, modes);
    check_modes(options, modes, diags);
    if (diags_error_count(diags) > 0) return;
    const Mode *mode = mode_of(modes);
    if (options->format && options->in_place && options->output == NULL) options->output = options->source;
    if (options->svg != NULL) check_output(options, &(Output){options->svg, HP5_FILE_PICTURE, NULL, ""}, diags);
    if (mode != NULL && mode->prints && options->output != NULL)
        check_output(options, &(Output){options->output, HP5_FILE_ANY, mode->suffix, ""}, diags);
    if (options->source == NULL || (mode != NULL && !options->emit_c)) return;
    if (options->emit_c) check_output(options, &(Output){output_path(arena, options, ".c"), HP5_FILE_C, NULL, ""}, diags);
    else check_output(options, &(Output){output_path(arena, options, ""), HP5_FILE_PROGRAM, NULL, "the program "}, diags);
}

bool output_may_be_written(const Options *options, const char *path, Diags *diags) {
    size_t before = diags_error_count(diags);
    check_output(options, &(Output){path, HP5_FILE_C, NULL, ""}, diags);
    return diags_error_count(diags) == before;
}
