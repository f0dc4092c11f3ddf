/* Parsing and documenting options: one loop over one table. */
#include "compiler/driver/options.h"
#include <stddef.h>
#include <string.h>

typedef enum { FLAG, TEXT, OPTIONAL, MANY } OptionKind;
typedef struct OptionRow {
    const char *name;
    OptionKind kind;
    const char *value, *help;
    size_t offset;
} OptionRow;

static const OptionRow ROWS[] = {
#define OPTION(field, name, kind, value, help_text) {name, kind, value, help_text, offsetof(Options, field)},
#include "compiler/driver/options.def"
#undef OPTION
};
enum { ROW_COUNT = sizeof ROWS / sizeof ROWS[0] };

static const OptionRow *find_row(const char *name, size_t length) {
    if (length == 2 && memcmp(name, "-h", 2) == 0) name = "--help", length = strlen(name);
    for (size_t i = 0; i < ROW_COUNT; i++)
        if (strlen(ROWS[i].name) == length && memcmp(ROWS[i].name, name, length) == 0) return &ROWS[i];
    return NULL;
}

/* What other compilers have. */
static bool is_compilers_flag(const char *name) {
    static const char *const flags[] = {"-O0", "-O1", "-O2", "-O3", "-Os", "-Ofast", "-pthread", "-fopenmp", "-pg"};
    static const char *const starts[] = {"-I", "-L", "-l", "-D", "-W", "-f", "-m", "-std"};
    for (size_t i = 0; i < sizeof flags / sizeof flags[0]; i++)
        if (strcmp(name, flags[i]) == 0) return true;
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncmp(name, starts[i], strlen(starts[i])) == 0 && strlen(name) > strlen(starts[i])) return true;
    return false;
}

static void unknown_option(Arena *arena, const char *arg, size_t length, Diags *diags) {
    const char *names[ROW_COUNT], *name = arena_copy(arena, arg, length), *near = NULL;
    for (size_t i = 0; i < ROW_COUNT; i++) names[i] = ROWS[i].name;
    Diag *diag = diag_error_plain(diags, E_OPTION, "unknown option '%s'", name);
    if (strcmp(name, "-v") == 0 || strcmp(name, "-V") == 0) near = "--version";
    else if (name[1] != '-' && length > 2) near = text_nearest(arena_printf(arena, "-%s", name), names, ROW_COUNT);
    else if (length > 2) near = text_nearest(name, names, ROW_COUNT);
    if (is_compilers_flag(name)) diag_help(diag, "for the C compiler: --cc-flag %s", arg);
    else if (strncmp(name, "-o", 2) == 0 && near == NULL) diag_help(diag, "write -o %s, in two words", arg + 2);
    else if (near != NULL) diag_help(diag, "did you mean '%s'?", near);
    else diag_help(diag, "hp5c --help lists the options");
}

/* A second word that is no option. */
static void second_source(const Options *options, const char *arg, Diags *diags) {
    const char *suffix = strrchr(arg, '.');
    Diag *diag = diag_error_plain(diags, E_OPTION, "two source files are given: '%s' and '%s'", options->source, arg);
    if (suffix != NULL && strcmp(suffix, ".map") == 0) diag_help(diag, "a mapping is given with --map %s", arg);
    else if (suffix != NULL && strcmp(suffix, ".pcubes") == 0) diag_help(diag, "a model is given with --model %s", arg);
    else
        diag_help(diag, "a program is one file; its own arguments follow -- with --interpret, or go to "
                        "the compiled program");
}

static void set_text(Arena *arena, Options *options, const OptionRow *row, const char *value, Diags *diags) {
    if (row->kind == MANY) {
        TextVec *vec = (TextVec *)((char *)options + row->offset);
        vec_push(arena, vec, value);
        return;
    }
    const char **field = (const char **)((char *)options + row->offset);
    if (*field != NULL) diag_error_plain(diags, E_OPTION, "option '%s' is given twice", row->name);
    *field = value;
}

/* Returns how many further arguments the option took. */
static int take_option(Arena *arena, const char *arg, const char *next, Options *options, Diags *diags) {
    const char *equals = strchr(arg, '=');
    size_t length = equals == NULL ? strlen(arg) : (size_t)(equals - arg);
    const OptionRow *row = find_row(arg, length);
    if (row == NULL) {
        unknown_option(arena, arg, length, diags);
        return 0;
    }
    if (row->kind == FLAG) {
        if (equals != NULL) diag_error_plain(diags, E_OPTION, "option '%s' takes no value", row->name);
        *(bool *)((char *)options + row->offset) = true;
        return 0;
    }
    if (equals != NULL || row->kind == OPTIONAL) {
        set_text(arena, options, row, equals == NULL ? "" : equals + 1, diags);
        return 0;
    }
    if (next == NULL) {
        diag_error_plain(diags, E_OPTION, "option '%s' needs a value: %s %s", row->name, row->name,
                         row->value);
        return 0;
    }
    set_text(arena, options, row, next, diags);
    return 1;
}

void options_parse(Arena *arena, int argc, char **argv, Options *options, Diags *diags) {
    options->rest = argc;
    for (int i = 1; i < argc; i++) {
        const char *arg = argv[i];
        if (strcmp(arg, "--") == 0) {
            options->rest = i + 1;
            break;
        }
        if (arg[0] == '-' && arg[1] != '\0') {
            i += take_option(arena, arg, i + 1 < argc ? argv[i + 1] : NULL, options, diags);
        } else if (options->source != NULL) {
            second_source(options, arg, diags);
        } else {
            options->source = arg;
        }
    }
}

/* ---- Documentation ---------------------------------------------------------------------------------- */
static void row_usage(const OptionRow *row, char *text, size_t size) {
    const char *between = row->kind == OPTIONAL ? "[=" : row->kind == FLAG ? "" : " ";
    snprintf(text, size, "%s%s%s%s", row->name, between, row->value == NULL ? "" : row->value,
             row->kind == OPTIONAL ? "]" : "");
}

void options_help(Text *out) {
    text_append(out, "hp5c compiles HP5 programs: one source, a mapping file, a machine model.\n\n"
                     "    hp5c program.hp5 --map laptop.map --model laptop.pcubes -o program\n"
                     "    ./program --help\n\n"
                     "Options:\n");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        char usage[80];
        row_usage(&ROWS[i], usage, sizeof usage);
        text_printf(out, "  %-28s %s\n", usage, ROWS[i].help);
    }
    text_append(out, "\nExit status: 0 success; 1 errors in the program, mapping or model; 2 bad options or files; 70 "
                     "an error in hp5c.\n");
}

static void man_text(const char *text, Text *out) {
    for (; *text != '\0'; text++) {
        if (*text == '-') text_append(out, "\\-");
        else if (*text == '\\') text_append(out, "\\e");
        else text_char(out, *text);
    }
}

void options_man_page(Text *out) {
    text_append(out, ".TH HP5C 1\n.SH NAME\nhp5c \\- compiler for the HP5 parallel language\n.SH SYNOPSIS\n.B "
                     "hp5c\n[options] program.hp5\n"
                     ".SH DESCRIPTION\nCompiles one HP5 program for the machine that a PCubeS model describes, as a "
                     "mapping file says.\n.SH OPTIONS\n");
    for (size_t i = 0; i < ROW_COUNT; i++) {
        char usage[80];
        row_usage(&ROWS[i], usage, sizeof usage);
        text_append(out, ".TP\n.B ");
        man_text(usage, out);
        text_append(out, "\n");
        man_text(ROWS[i].help, out);
        text_append(out, "\n");
    }
    text_append(out, ".SH EXIT STATUS\n0 success; 1 errors in the program, mapping or model; 2 bad options or files; 70 "
                     "an error in hp5c.\n");
}

void options_completion(Text *out) {
    text_append(out, "_hp5c() {\n    local word=${COMP_WORDS[COMP_CWORD]}\n    if [[ $word == -* ]]; then "
                     "COMPREPLY=($(compgen -W \"");
    for (size_t i = 0; i < ROW_COUNT; i++) text_printf(out, "%s%s", i > 0 ? " " : "", ROWS[i].name);
    text_append(out, "\" -- \"$word\")); else COMPREPLY=($(compgen -f -- \"$word\")); fi\n}\ncomplete -F _hp5c hp5c\n");
}
