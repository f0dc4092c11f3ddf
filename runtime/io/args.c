/* Command-line arguments (args.h). How to read it: take_argument splits one argument into a
 * name and a value and hands it to what it names, a program's argument (specs) or an option
 * (OPTIONS); every problem is added to one text. hp5_args_parse shows the order of things. */
#include "runtime/io/args.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include "runtime/comm/comm.h"
#include "runtime/io/files.h"
#include "runtime/report/error.h"
#include "runtime/report/memory.h"

typedef enum { OPTION_HELP, OPTION_THREADS, OPTION_MACHINE, OPTION_TIMING, OPTION_TASK_TIMES, OPTION_REPORT, OPTION_PREDICT, OPTION_SIMULATE, OPTION_ROUNDS, OPTION_MEASURED, OPTION_TRACE, OPTION_PIN, OPTION_MEMORY, OPTION_IN_PLACE, OPTION_PRINT_MAPPING, OPTION_MAPPING_SVG, OPTION_COUNT } OptionKind;
typedef struct OptionSpec { const char *name, *value, *what; } OptionSpec;
static const OptionSpec option_specs[OPTION_COUNT] = {
    [OPTION_HELP] = {"help", NULL, "print this help and stop (also -h)"},
    [OPTION_THREADS] = {"threads", "N", "use N threads (default: as the mapping and the model say)"},
    [OPTION_MACHINE] = {"machine", "LEVEL=COUNT,...", "use COUNT PPUs of a level, in each PPU above, instead of the model's number"},
    [OPTION_TIMING] = {"timing", NULL, "print the time of each stage, and the predicted one, at the end"},
    [OPTION_TASK_TIMES] = {"task-times", NULL, "print how long each task took, at the end, and measure nothing inside of it"},
    [OPTION_REPORT] = {"report", "comm", "print what has moved between processes, at the end: planned, sent, waited for"},
    [OPTION_PREDICT] = {"predict", NULL, "run no stage; print what each will cost on the model's machine"},
    [OPTION_SIMULATE] = {"simulate", NULL, "on a simulated cluster: run no stage, let the time pass that it would take"},
    [OPTION_ROUNDS] = {"assume-rounds", "N", "with --simulate: loops whose end depends on results take N rounds"},
    [OPTION_MEASURED] = {"measured", "FILE", "with --simulate: stages take as long as --timing says in FILE, for what is predicted"},
    [OPTION_TRACE] = {"trace", "FILE", "write what each thread did when, for Perfetto"},
    [OPTION_PIN] = {"pin", "none|model", "threads run on any core, or each on its PPU's (default: model)"},
    [OPTION_MEMORY] = {"memory", "SIZE|none", "stop before arrays and LPUs take more, as in --memory 8GB (default: what the system has free)"},
    [OPTION_IN_PLACE] = {"in-place", NULL, "outputs may replace files that the program reads"},
    [OPTION_PRINT_MAPPING] = {"print-mapping", NULL, "print which PPU runs what and the bytes between PPUs, and compute nothing"},
    [OPTION_MAPPING_SVG] = {"mapping-svg", "FILE", "draw the same as a picture, and compute nothing"},
};

typedef struct Parse {
    const Hp5Program *program;
    Hp5ArgValue *values;
    Hp5Options *options;
    int *given;                     /* how often each argument was given; */
    int option_given[OPTION_COUNT]; /* each option */
    char *problems;                 /* one line each */
    size_t length;
    int count;
    bool help;
} Parse;

/* ---- Problems ---------------------------------------------------------------------- */

static __attribute__((format(printf, 2, 3))) void problem(Parse *parse, const char *format, ...) {
    char line[1200];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    size_t size = strlen(line);
    char *grown = hp5_alloc((int64_t)(parse->length + size + 4), "a message");
    memcpy(grown, parse->problems ? parse->problems : "", parse->length);
    parse->length += (size_t)sprintf(grown + parse->length, "\n  %s", line);
    hp5_free(parse->problems);
    parse->problems = grown;
    parse->count++;
}

static const char *kind_word(Hp5ArgKind kind) {
    switch (kind) {
    case HP5_ARG_INTEGER:
    case HP5_ARG_SINGLE: return "INTEGER";
    case HP5_ARG_REAL: return "REAL";
    case HP5_ARG_BOOLEAN: return "true|false";
    case HP5_ARG_STRING: return "TEXT";
    case HP5_ARG_INPUT:
    case HP5_ARG_OUTPUT: return "FILE";
    }
    return "VALUE";
}

/* ---- The nearest name ----------------------------------------------------------------- */

enum { LONGEST_NAME = 40 };

static int least(int a, int b, int c) {
    int low = a < b ? a : b;
    return low < c ? low : c;
}

/* Insertions, deletions, replacements and swaps of neighbours that lead from a to b. */
static int edit_distance(const char *a, int n, const char *b, int m) {
    int rows[LONGEST_NAME + 1][LONGEST_NAME + 1];
    for (int i = 0; i <= n; i++) rows[i][0] = i;
    for (int j = 0; j <= m; j++) rows[0][j] = j;
    for (int i = 1; i <= n; i++)
        for (int j = 1; j <= m; j++) {
            bool differ = a[i - 1] != b[j - 1];
            rows[i][j] = least(rows[i - 1][j] + 1, rows[i][j - 1] + 1, rows[i - 1][j - 1] + differ);
            bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
            if (swapped && rows[i - 2][j - 2] + 1 < rows[i][j]) rows[i][j] = rows[i - 2][j - 2] + 1;
        }
    return rows[n][m];
}

static void consider(const char *name, const char *candidate, const char **best, int *best_distance) {
    size_t n = strlen(name), m = strlen(candidate);
    if (n == 0 || n > LONGEST_NAME || m > LONGEST_NAME) return;
    if (strcasecmp(name, candidate) == 0) { /* only its letters' case is wrong */
        *best = candidate;
        *best_distance = 0;
        return;
    }
    int longer = (int)(n > m ? n : m), distance = edit_distance(name, (int)n, candidate, (int)m);
    if (distance > (longer + 2) / 3 || distance >= longer || distance >= *best_distance) return;
    *best = candidate;
    *best_distance = distance;
}

static void unknown(Parse *parse, const char *name, bool dashed) {
    const char *argument = NULL, *option = NULL;
    int distance = INT_MAX, option_distance = INT_MAX;
    char quoted[HP5_QUOTED];
    hp5_quote(name, quoted);
    name += name[0] == '-'; /* of an option with one dash */
    for (int i = 0; i < parse->program->count; i++)
        consider(name, parse->program->specs[i].name, &argument, &distance);
    for (int i = 0; i < OPTION_COUNT; i++) consider(name, option_specs[i].name, &option, &option_distance);
    if (option && option_distance < distance && dashed)
        problem(parse, "%s is unknown: did you mean --%s?", quoted, option);
    else if (argument) problem(parse, "%s is unknown: did you mean %s?", quoted, argument);
    else problem(parse, "%s is unknown", quoted);
}

/* ---- Values ---------------------------------------------------------------------------- */

typedef enum { VALUE_GOOD, VALUE_NOT_ONE, VALUE_TOO_LARGE } Verdict;

/* Decimal or 0x, with an optional sign. */
static Verdict read_integer(const char *text, int64_t *value) {
    const char *digits = text + (*text == '-' || *text == '+');
    bool hexadecimal = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
    if (hexadecimal) digits += 2;
    const char *allowed = hexadecimal ? "0123456789abcdefABCDEF" : "0123456789";
    size_t length = strspn(digits, allowed);
    if (length == 0 || digits[length] != '\0') return VALUE_NOT_ONE;
    int64_t number = 0;
    for (; *digits; digits++) {
        int digit = *digits <= '9' ? *digits - '0' : (*digits | 32) - 'a' + 10;
        if (*text == '-') digit = -digit;
        if (__builtin_mul_overflow(number, hexadecimal ? 16 : 10, &number) ||
            __builtin_add_overflow(number, digit, &number))
            return VALUE_TOO_LARGE;
    }
    *value = number;
    return VALUE_GOOD;
}

static Verdict read_real(const char *text, double *value) {
    char *end;
    if (*text == '\0' || strchr(" \t\n\r\v\f", *text)) return VALUE_NOT_ONE;
    *value = strtod(text, &end);
    if (*end != '\0') return VALUE_NOT_ONE;
    bool spelt_out = strpbrk(text, "iI") != NULL; /* inf, infinity */
    return isinf(*value) && !spelt_out ? VALUE_TOO_LARGE : VALUE_GOOD;
}

static Verdict read_boolean(const char *text, bool *value) {
    *value = strcmp(text, "true") == 0 || strcmp(text, "1") == 0;
    return *value || strcmp(text, "false") == 0 || strcmp(text, "0") == 0 ? VALUE_GOOD : VALUE_NOT_ONE;
}

/* "8GB", "1.5 G", "512MiB": bytes; "none": no limit. */
static bool read_size(const char *text, int64_t *bytes) {
    static const char letters[] = "kmgt";
    char *end;
    double number = strtod(text, &end), unit = 1;
    *bytes = INT64_MAX;
    if (strcmp(text, "none") == 0) return true;
    if (end == text || *text < '0' || *text > '9' || text[1] == 'x' || text[1] == 'X') return false;
    end += *end == ' ';
    const char *letter = *end ? strchr(letters, *end | 32) : NULL;
    if (letter) end++;
    bool binary = letter && *end == 'i';
    if (binary) end++;
    for (const char *at = letter; at && at >= letters; at--) unit *= binary ? 1024 : 1000;
    if (*end == 'B' || *end == 'b') end++;
    number *= unit;
    if (*end != '\0' || number < 1 || number > 9e18) return false;
    *bytes = (int64_t)number;
    return true;
}

static void read_value(Parse *parse, int index, const char *text) {
    static const char *const wanted[] = {"an Integer", "an Integer", "a Real", "true or false", "", "", ""};
    const Hp5ArgSpec *spec = &parse->program->specs[index];
    Hp5ArgValue *value = &parse->values[index];
    char quoted[HP5_QUOTED];
    Verdict verdict = VALUE_GOOD;
    switch (spec->kind) {
    case HP5_ARG_INTEGER: verdict = read_integer(text, &value->integer); break;
    case HP5_ARG_SINGLE:
        verdict = read_integer(text, &value->integer);
        if (verdict == VALUE_GOOD && value->integer != (int32_t)value->integer) verdict = VALUE_TOO_LARGE;
        break;
    case HP5_ARG_REAL: verdict = read_real(text, &value->real); break;
    case HP5_ARG_BOOLEAN: verdict = read_boolean(text, &value->boolean); break;
    case HP5_ARG_STRING: value->string = text; break;
    case HP5_ARG_INPUT:
    case HP5_ARG_OUTPUT:
        value->string = text;
        if (*text == '\0') problem(parse, "%s: the file name is empty", spec->name);
        break;
    }
    if (verdict == VALUE_NOT_ONE)
        problem(parse, "%s: %s is not %s", spec->name, hp5_quote(text, quoted), wanted[spec->kind]);
    if (verdict == VALUE_TOO_LARGE)
        problem(parse, "%s: %s is outside the range of %s", spec->name, hp5_quote(text, quoted),
                spec->kind == HP5_ARG_INTEGER ? "Integer (64 bits)" : spec->kind == HP5_ARG_SINGLE ? "Integer single-precision (32 bits)" : "Real double-precision");
}

/* ---- One argument -------------------------------------------------------------------------- */

static void set_option(Parse *parse, OptionKind kind, const char *value) {
    if (parse->option_given[kind]++ == 1 && kind != OPTION_HELP)
        problem(parse, "--%s is given more than once", option_specs[kind].name);
    char quoted[HP5_QUOTED];
    int64_t threads, bytes;
    switch (kind) {
    case OPTION_HELP: parse->help = true; break;
    case OPTION_TIMING: parse->options->timing = true; break;
    case OPTION_TASK_TIMES: parse->options->task_times = true; break;
    case OPTION_REPORT:
        parse->options->report_comm = strcmp(value, "comm") == 0;
        if (!parse->options->report_comm) problem(parse, "--report: %s is not comm", hp5_quote(value, quoted));
        break;
    case OPTION_PREDICT: parse->options->predict = true; break;
    case OPTION_SIMULATE: parse->options->simulate = true; break;
    case OPTION_ROUNDS:
        if (read_integer(value, &parse->options->rounds) != VALUE_GOOD || parse->options->rounds < 1)
            problem(parse, "--assume-rounds: %s is not a number of rounds (1 or more)", hp5_quote(value, quoted));
        break;
    case OPTION_MEASURED: parse->options->measured = value; break;
    case OPTION_TRACE: parse->options->trace = value; break;
    case OPTION_IN_PLACE: hp5_files_in_place(true); break;
    case OPTION_PRINT_MAPPING: parse->options->print_mapping = true; break;
    case OPTION_MAPPING_SVG: parse->options->mapping_svg = value; break;
    case OPTION_PIN:
        parse->options->unpinned = strcmp(value, "none") == 0;
        if (!parse->options->unpinned && strcmp(value, "model") != 0)
            problem(parse, "--pin: %s is neither none nor model", hp5_quote(value, quoted));
        break;
    case OPTION_MEMORY:
        if (read_size(value, &bytes)) hp5_memory_limit(bytes);
        else problem(parse, "--memory: %s is neither a size, as 8GB, nor none", hp5_quote(value, quoted));
        break;
    case OPTION_MACHINE: parse->options->machine = value; break;
    case OPTION_THREADS:
        if (read_integer(value, &threads) != VALUE_GOOD || threads < 1 || threads > 4096)
            problem(parse, "--threads: %s is not a number of threads (1 to 4096)", hp5_quote(value, quoted));
        else parse->options->threads = threads;
        break;
    case OPTION_COUNT: break;
    }
}

static void set_argument(Parse *parse, int index, const char *value) {
    if (parse->given[index]++ == 1) problem(parse, "%s is given more than once", parse->program->specs[index].name);
    if (parse->given[index] == 1) read_value(parse, index, value);
}

/* Behind dashes, dashes stand for underscores: --block-size is block_size. */
static bool same_name(const char *text, size_t length, const char *name, bool dashed) {
    if (strlen(name) != length) return false;
    for (size_t i = 0; i < length; i++)
        if (text[i] != name[i] && !(dashed && text[i] == '-' && name[i] == '_')) return false;
    return true;
}

static int find_argument(const Hp5Program *program, const char *name, size_t length, bool dashed) {
    for (int i = 0; i < program->count; i++)
        if (same_name(name, length, program->specs[i].name, dashed)) return i;
    return -1;
}

static int find_option(const char *name, size_t length) {
    for (int i = 0; i < OPTION_COUNT; i++)
        if (same_name(name, length, option_specs[i].name, false)) return i;
    return -1;
}

/* The name of an argument that nothing has, for messages: cut where it stops looking like one. */
static void unknown_span(Parse *parse, const char *name, size_t length, bool dashed) {
    char *copy = hp5_alloc((int64_t)length + 1, "a message");
    memcpy(copy, name, length);
    copy[length] = '\0';
    unknown(parse, copy, dashed);
    hp5_free(copy);
}

/* `next` is the argument after this one, or NULL. Returns how many arguments were used. */
static int take_dashed(Parse *parse, const char *text, const char *next) {
    const char *name = text + 2, *equals = strchr(name, '=');
    size_t length = equals ? (size_t)(equals - name) : strlen(name);
    int option = find_option(name, length), argument = find_argument(parse->program, name, length, true);
    bool takes_value = option >= 0 ? option_specs[option].value != NULL : argument >= 0;
    const char *value = equals ? equals + 1 : NULL;
    int used = 1;
    if (option < 0 && argument < 0) {
        unknown_span(parse, name, length, true);
        bool has_value = !equals && next && strncmp(next, "--", 2) != 0 && !strchr(next, '=');
        return has_value ? 2 : 1; /* it was meant as the value: one message is enough */
    }
    if (!takes_value && value) {
        problem(parse, "--%s takes no value", option_specs[option].name);
        return 1;
    }
    if (takes_value && !value) {
        if (!next || strncmp(next, "--", 2) == 0) {
            problem(parse, "--%.*s needs a value", (int)length, name);
            if (argument >= 0 && option < 0) parse->given[argument]++;
            return 1;
        }
        value = next;
        used = 2;
    }
    if (option >= 0) set_option(parse, (OptionKind)option, value);
    else set_argument(parse, argument, value);
    return used;
}

/* name =value, name = value: the shell has made several arguments of one. */
static int take_spaced(Parse *parse, const char *name, const char *second, const char *third) {
    const char *value = second[1] != '\0' ? second + 1 : third ? third : "VALUE";
    char quoted[HP5_QUOTED];
    int index = find_argument(parse->program, name, strlen(name), false);
    if (index >= 0) parse->given[index]++;
    problem(parse, "%s: write %s=%.60s, without spaces", hp5_quote(name, quoted), name, value);
    return second[1] != '\0' || !third ? 2 : 3;
}

static int take_argument(Parse *parse, char **argv, int at, int argc) {
    const char *text = argv[at], *equals = strchr(text, '=');
    char quoted[HP5_QUOTED];
    if (strcmp(text, "-h") == 0) {
        parse->help = true;
        return 1;
    }
    const char *next = at + 1 < argc ? argv[at + 1] : NULL;
    if (strncmp(text, "--", 2) == 0 && text[2] != '\0') return take_dashed(parse, text, next);
    if (text[0] == '-' && isalpha((unsigned char)text[1])) {
        unknown_span(parse, text, strcspn(text, "="), true);
        return !equals && next && next[0] != '-' && !strchr(next, '=') ? 2 : 1; /* it was meant as the value */
    }
    if (!equals && next && next[0] == '=') return take_spaced(parse, text, next, at + 2 < argc ? argv[at + 2] : NULL);
    if (!equals) {
        problem(parse, "%s is not an argument: arguments are written name=value", hp5_quote(text, quoted));
        return 1;
    }
    int index = find_argument(parse->program, text, (size_t)(equals - text), false);
    if (index >= 0) set_argument(parse, index, equals + 1);
    else unknown_span(parse, text, (size_t)(equals - text), false);
    return 1;
}

/* ---- Help ------------------------------------------------------------------------------------ */

enum { HELP_WIDTH = 80, HELP_COLUMN = 30 };

/* `what` in words up to the right margin, beside a left column. */
static void print_entry(const char *left, int column, const char *what) {
    int at = printf("  %s", left);
    if (at > column - 2) {
        putchar('\n');
        at = 0;
    }
    while (*what) {
        int word = (int)strcspn(what, " ");
        if (at > column && at + 1 + word > HELP_WIDTH) {
            putchar('\n');
            at = 0;
        }
        if (at < column) at += printf("%*s", column - at, "");
        else at += printf(" ");
        at += printf("%.*s", word, what);
        what += word;
        what += strspn(what, " ");
    }
    putchar('\n');
}

static void print_help(const Hp5Program *program, const char *command) {
    char left[300];
    int column = 12;
    printf("%s", program->name);
    if (program->summary && program->summary[0]) printf(": %s", program->summary);
    if (program->source && program->source[0] && strcmp(program->source, program->name) != 0)
        printf(" (%s)", program->source);
    printf("\n\nUsage: %s", command);
    for (int i = 0; i < program->count; i++) {
        const Hp5ArgSpec *spec = &program->specs[i];
        printf(" %s=%s", spec->name, kind_word(spec->kind));
        int width = (int)(strlen(spec->name) + strlen(kind_word(spec->kind))) + 5;
        if (width > column && width <= HELP_COLUMN) column = width;
    }
    printf(" [options]\n");
    if (program->count > 0) printf("\nArguments (name=value, --name value or --name=value):\n");
    for (int i = 0; i < program->count; i++) {
        const Hp5ArgSpec *spec = &program->specs[i];
        snprintf(left, sizeof left, "%s=%s", spec->name, kind_word(spec->kind));
        print_entry(left, column, spec->what ? spec->what : "");
    }
    printf("\nOptions:\n");
    for (int i = 0; i < OPTION_COUNT; i++) {
        const OptionSpec *option = &option_specs[i];
        snprintf(left, sizeof left, "--%s%s%s", option->name, option->value ? " " : "", option->value ? option->value : "");
        print_entry(left, HELP_COLUMN, option->what);
    }
    if (fflush(stdout) != 0 || ferror(stdout))
        hp5_fail(HP5_EXIT_FAILURE, "cannot write to the standard output: %s", strerror(errno));
}

/* ---- All together ------------------------------------------------------------------------------ */

static void report(Parse *parse, const char *command) {
    if (parse->count == 0) return;
    const char *first = parse->problems + 3; /* after "\n  " */
    if (parse->count == 1) hp5_fail(HP5_EXIT_USAGE, "%s\n  (%s --help lists the arguments)", first, command);
    hp5_fail(HP5_EXIT_USAGE, "%d problems with the arguments:%s\n  (%s --help lists the arguments)", parse->count,
             parse->problems, command);
}

/* Outputs that would destroy inputs or each other, or cannot be written: before anything runs. */
static void check_files(Parse *parse) {
    const Hp5Options *options = parse->options;
    Hp5NamedFile *files = hp5_alloc_zeroed((int64_t)sizeof *files * (parse->program->count + 2), "the arguments");
    bool computes = !options->predict && !options->simulate && !options->print_mapping && !options->mapping_svg;
    char text[1000];
    int count = 0;
    for (int i = 0; i < parse->program->count; i++) {
        const Hp5ArgSpec *spec = &parse->program->specs[i];
        bool output = spec->kind == HP5_ARG_OUTPUT, named = parse->given[i] > 0 && (output || spec->kind == HP5_ARG_INPUT);
        if (named && parse->values[i].string != NULL && parse->values[i].string[0] != '\0' && (!output || computes))
            files[count++] = (Hp5NamedFile){spec->name, parse->values[i].string, output, false, HP5_FILE_ARRAY};
    }
    if (options->trace) files[count++] = (Hp5NamedFile){"--trace", options->trace, true, true, HP5_FILE_TRACE};
    if (options->mapping_svg) files[count++] = (Hp5NamedFile){"--mapping-svg", options->mapping_svg, true, true, HP5_FILE_PICTURE};
    for (int i = 0; i < count; i++)
        if (hp5_file_problem(files, i, text, sizeof text)) problem(parse, "%s", text);
    hp5_free(files);
}

static void check_simulation(Parse *parse) {
    const Hp5Options *options = parse->options;
    if (options->simulate && !hp5_comm_is_simulated())
        problem(parse, "--simulate belongs to a program that hp5c --smpi has compiled and SimGrid's smpirun has started");
    if (options->simulate && (options->predict || options->timing || options->task_times || options->trace || options->print_mapping || options->mapping_svg))
        problem(parse, "--simulate runs no stage: leave out the other options that look at what a program does");
    if (options->rounds > 0 && !options->simulate) problem(parse, "--assume-rounds belongs to --simulate");
    if (options->measured && !options->simulate) problem(parse, "--measured belongs to --simulate");
}

void hp5_args_parse(const Hp5Program *program, int argc, char **argv, Hp5ArgValue *values, Hp5Options *options) {
    const char *command = argc > 0 && argv[0] && argv[0][0] ? argv[0] : program->name;
    Parse parse = {.program = program, .values = values, .options = options};
    hp5_set_program_name(strncmp(command, "hp5c --interpret ", 17) == 0 ? program->name : command);
    *options = (Hp5Options){0};
    parse.given = hp5_alloc_zeroed((int64_t)sizeof(int) * (program->count + 1), "the arguments");
    for (int i = 0; i < program->count; i++) values[i] = (Hp5ArgValue){0};
    for (int at = 1; at < argc;) at += take_argument(&parse, argv, at, argc);
    if (parse.help) {
        if (hp5_comm_rank() == 0) print_help(program, command);
        hp5_comm_end();
        exit(0);
    }
    for (int i = 0; i < program->count; i++) {
        const Hp5ArgSpec *spec = &program->specs[i];
        if (parse.given[i] == 0)
            problem(&parse, "%s=%s is missing: %s", spec->name, kind_word(spec->kind), spec->what ? spec->what : "");
    }
    check_simulation(&parse);
    if (hp5_comm_rank() == 0) check_files(&parse); /* the process that writes them */
    report(&parse, command);
    hp5_free(parse.given);
}
