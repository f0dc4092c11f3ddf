/* The pipeline, in the order of the picture: source, model and mapping are read; the program is
 * checked, planned, placed and emitted; the C compiler does the rest. */
#include "compiler/driver/pipeline.h"
#include "compiler/driver/job_script.h"
#include "compiler/driver/outputs.h"
#include "compiler/emit/emit.h"
#include "compiler/interpret/interpret.h"
#include "compiler/lower/verify_loops.h"
#include "compiler/plan/levels.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct Driver {
    Arena *arena;
    Options options;
    Diags *diags;
    bool unreadable; /* a file could not be read */
    int argc;
    char **argv;
} Driver;

static int finish(Driver *driver, int status) {
    const char *color = driver->options.color;
    bool on = color != NULL && strcmp(color, "always") == 0;
    if (color == NULL || strcmp(color, "auto") == 0) on = isatty(STDERR_FILENO) && getenv("NO_COLOR") == NULL;
    DiagStyle style = {.color = on, .json = driver->options.json, .remarks = driver->options.remarks};
    diags_print(driver->diags, stderr, style);
    if (status == 0 && fflush(stdout) != 0) {
        fprintf(stderr, "hp5c: cannot write to standard output: %s\n", strerror(errno));
        status = EXIT_BAD_USAGE;
    }
    arena_free(driver->arena);
    return status;
}

static bool write_text(Driver *driver, const Text *text, const char *path) {
    if (text_write_file(text, path)) return true;
    diag_error_plain(driver->diags, E_FILE, "cannot write '%s': %s", path, strerror(errno));
    return false;
}

/* To standard output, or to -o. */
static int print_text(Driver *driver, Text *text) {
    bool written = true;
    if (driver->options.output != NULL) written = write_text(driver, text, driver->options.output);
    else if (text->data != NULL) fwrite(text->data, 1, text->length, stdout);
    text_free(text);
    return finish(driver, written ? 0 : EXIT_BAD_USAGE);
}

/* One message where a file of another kind would give many: '.pcubes' is a model, '.map' a mapping, '.hp5' a program. */
static bool is_of_kind(Driver *driver, const char *path, const char *what) {
    static const char *const kinds[][3] = {
        {".pcubes", "model", "give it with --model"}, {".map", "mapping", "give it with --map"}, {".hp5", "program", "give it without an option"}};
    const char *suffix = strrchr(path, '.');
    for (size_t i = 0; suffix != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (strcmp(suffix, kinds[i][0]) != 0 || strcmp(what, kinds[i][1]) == 0) continue;
        Diag *diag = diag_error_plain(driver->diags, E_OPTION, "'%s' is a %s, but it is given as the %s", path, kinds[i][1], what);
        diag_help(diag, "%s", kinds[i][2]);
        return false;
    }
    return true;
}

static void help_missing(Driver *driver, Diag *diag, const char *path, const char *what) {
    const char *suffix = strcmp(what, "program") == 0 ? ".hp5" : strcmp(what, "model") == 0 ? ".pcubes" : ".map";
    const char *whole = arena_printf(driver->arena, "%s%s", path, suffix);
    if (path[0] == '\0') diag_help(diag, "the file name is empty");
    else if (strcmp(path, "-") == 0) diag_help(diag, "standard input is /dev/stdin");
    else if (strcmp(path, "help") == 0) diag_help(diag, "hp5c --help lists the options");
    else if (access(whole, R_OK) == 0) diag_help(diag, "did you mean '%s'?", whole);
    else diag_help(diag, "the path is taken from the current directory");
}

static Source *read_file(Driver *driver, const char *path, const char *what) {
    if (!is_of_kind(driver, path, what)) {
        driver->unreadable = true;
        return NULL;
    }
    Source *source = source_read(driver->arena, path);
    if (source == NULL) {
        driver->unreadable = true;
        Diag *diag = diag_error_plain(driver->diags, E_FILE, "cannot read the %s '%s': %s", what, path,
                                      strerror(errno));
        if (errno == ENOENT) help_missing(driver, diag, path, what);
        return NULL;
    }
    if (strcmp(what, "program") != 0 && memchr(source->text, '\0', source->length) != NULL) { /* one message, not one for each byte */
        driver->unreadable = true;
        diag_error_plain(driver->diags, E_FILE, "cannot read the %s '%s': it is not a text file", what, path);
        return NULL;
    }
    return source;
}

/* ---- What needs no program ------------------------------------------------------------------------ */
/* NULL: *status is the exit status to use. */
static Machine *read_model(Driver *driver, const char *path, int *status) {
    Source *source = read_file(driver, path, "model");
    *status = source == NULL ? EXIT_BAD_USAGE : EXIT_DIAGNOSED;
    if (source == NULL) return NULL;
    diags_set_source(driver->diags, source);
    return machine_parse(driver->arena, source, driver->diags);
}

static int print_smpi_platform(Driver *driver) {
    int status;
    Machine *machine = read_model(driver, driver->options.smpi_platform, &status);
    if (machine == NULL) return finish(driver, status);
    Text text = {0};
    if (machine_write_smpi(machine, driver->diags, &text)) return print_text(driver, &text);
    text_free(&text);
    return finish(driver, EXIT_DIAGNOSED);
}

static int show_model(Driver *driver) {
    int status;
    Machine *machine = read_model(driver, driver->options.show_model, &status);
    if (machine == NULL) return finish(driver, status);
    Text text = {0};
    if (driver->options.svg == NULL) {
        machine_draw_text(machine, &text);
        return print_text(driver, &text);
    }
    machine_draw_svg(machine, &text);
    bool written = write_text(driver, &text, driver->options.svg);
    text_free(&text);
    return finish(driver, written ? 0 : EXIT_BAD_USAGE);
}

static Machine *probe(Driver *driver, const char *how) {
    bool fast = strcmp(how, "fast") == 0;
    ProbeOptions probe_options = {.measure = how[0] == '\0', .cards = how[0] == '\0'};
    if (!fast && how[0] != '\0') probe_options.xml_path = how;
    return machine_probe(driver->arena, &probe_options, driver->diags);
}

static int print_probe(Driver *driver) {
    Machine *machine = probe(driver, driver->options.probe);
    if (machine == NULL) return finish(driver, EXIT_BAD_USAGE);
    Text text = {0};
    machine_write(machine, &text);
    return print_text(driver, &text);
}

static int explain(Driver *driver) {
    Text text = {0};
    if (diag_explain(driver->options.explain, &text)) return print_text(driver, &text);
    Diag *diag = diag_error_plain(driver->diags, E_OPTION, "there is no diagnostic code '%s'",
                                  driver->options.explain);
    diag_help(diag, "codes look like E0201 or W0901 and stand in brackets at the end of a message");
    return finish(driver, EXIT_BAD_USAGE);
}

/* ---- The pipeline ------------------------------------------------------------------------------------ */
static Machine *read_machine(Driver *driver) {
    if (driver->options.model == NULL) return probe(driver, "fast");
    int status;
    return read_model(driver, driver->options.model, &status);
}

static bool read_mapping(Driver *driver, const Program *program, MappingFile **mapping) {
    *mapping = NULL;
    if (driver->options.map == NULL) return true;
    Source *source = read_file(driver, driver->options.map, "mapping");
    if (source == NULL) return false;
    diags_set_source(driver->diags, source);
    *mapping = mapping_parse(driver->arena, source, driver->diags);
    if (*mapping == NULL) return false;
    const char **names = ARENA_ARRAY(driver->arena, const char *, program->tasks.count + 1);
    for (size_t i = 0; i < program->tasks.count; i++) names[i] = program->tasks.items[i]->name;
    return mapping_check_tasks(*mapping, names, program->tasks.count, driver->diags);
}

static Program *read_program(Driver *driver, Source *source, int *status) {
    Ast *ast = syntax_parse(driver->arena, source, driver->diags);
    Text text = {0};
    const char *dump = driver->options.dump;
    *status = -1;
    if (diags_error_count(driver->diags) > 0) {
        *status = finish(driver, EXIT_DIAGNOSED);
        return NULL;
    }
    if (driver->options.format) syntax_print(ast, &text);
    else if (dump != NULL && strcmp(dump, "ast") == 0) syntax_dump_ast(ast, &text);
    if (text.data != NULL || driver->options.format) {
        *status = print_text(driver, &text);
        return NULL;
    }
    Program *program = check_program(driver->arena, ast, driver->diags);
    if (program == NULL) *status = finish(driver, EXIT_DIAGNOSED);
    return program;
}

static void print_map(const Plan *plan, const MappingFile *mapping, Text *out) {
    if (mapping != NULL) mapping_print_functions(mapping, out);
    for (size_t t = 0; t < plan->tasks.count; t++) mapping_print(plan->tasks.items[t]->mapping, out);
}

static bool wants_dump(const Driver *driver, const char *what) {
    return driver->options.dump != NULL && strcmp(driver->options.dump, what) == 0;
}

static int missing_coordinator(Driver *driver) {
    Diag *diag =
        diag_error_plain(driver->diags, E_NO_COORDINATOR,
                         "'%s' has no Program section, so there is nothing to run", driver->options.source);
    diag_help(diag, "add `Program (args) { … }` that creates an environment and executes a task; "
                    "--check-only needs none");
    return finish(driver, EXIT_DIAGNOSED);
}

static int write_texts(Driver *driver, const ProgramTexts *texts) {
    const struct {
        const Text *text;
        const char *path;
    } more[] = {{texts->cplusplus, output_path_beside(driver->arena, &driver->options, ".cc")},
                {texts->card, output_path_beside(driver->arena, &driver->options, ".cu")}};
    for (int i = 0; i < 2; i++)
        if (more[i].text->length > 0 && !output_may_be_written(&driver->options, more[i].path, driver->diags)) return EXIT_BAD_USAGE;
    if (!write_text(driver, texts->c, output_path(driver->arena, &driver->options, ".c"))) return EXIT_BAD_USAGE;
    for (int i = 0; i < 2; i++)
        if (more[i].text->length > 0 && !write_text(driver, more[i].text, more[i].path)) return EXIT_BAD_USAGE;
    return 0;
}

static int emit_program(Driver *driver, const LoweredProgram *lowered) {
    const Plan *plan = lowered->plan;
    EmitOptions emit_options = {.checked = driver->options.checked,
                                .line_directives = driver->options.debug,
                                .fast_math = driver->options.fast_math};
    Text text = {0}, blocks = {0}, cplusplus = {0}, card = {0};
    Emit emit = {.arena = driver->arena,
                 .backend = &backend_cpu,
                 .plan = plan,
                 .lowered = lowered,
                 .options = emit_options,
                 .diags = driver->diags,
                 .source_name = plan->program->source->name,
                 .cplusplus = &blocks};
    int status = emit_file(&emit, &text) ? 0 : EXIT_DIAGNOSED;
    if (status == 0 && emit.cplusplus_blocks > 0) emit_cplusplus(&emit, &cplusplus);
    if (status == 0) emit_card_file(&emit, &card);
    const ProgramTexts texts = {&text, &cplusplus, &card};
    if (status == 0 && driver->options.emit_c) status = write_texts(driver, &texts);
    else if (status == 0)
        status = driver_compile_c(&driver->options, plan->program, &texts, output_path(driver->arena, &driver->options, ""), driver->diags);
    text_free(&card);
    text_free(&text);
    text_free(&blocks);
    text_free(&cplusplus);
    return finish(driver, status);
}

static int number_of(const char *text) { return text == NULL ? -1 : atoi(text); }

static const LoweredProgram *lower(Driver *driver, const Plan *plan) {
    LoweredProgram *lowered = lower_program(driver->arena, plan);
    backend_schedule(lowered);
    lower_remarks(lowered, driver->diags);
    if (driver->options.verify) lower_verify(lowered);
    return lowered;
}

/* program → plan → loops → C, or whatever the options ask for on the way. */
static int compile(Driver *driver, Program *program) {
    MappingFile *mapping;
    Machine *machine = read_machine(driver);
    bool mapped = read_mapping(driver, program, &mapping);
    diags_set_source(driver->diags, program->source);
    if (machine == NULL || !mapped)
        return finish(driver, driver->unreadable ? EXIT_BAD_USAGE : EXIT_DIAGNOSED);
    PlanOptions plan_options = {.checked = driver->options.checked,
                                .simulated = driver->options.smpi,
                                .fast_math = driver->options.fast_math,
                                .machine = machine,
                                .mapping = mapping,
                                .moves = driver->options.verify || wants_dump(driver, "plan"),
                                .omit_sync = number_of(driver->options.omit_sync),
                                .omit_transfer = number_of(driver->options.omit_transfer)};
    Plan *plan = plan_program(driver->arena, program, plan_options, driver->diags);
    if (plan == NULL || !plan_levels(driver->arena, plan, mapping, machine, driver->diags)) return finish(driver, EXIT_DIAGNOSED);
    const bool only_looks = wants_dump(driver, "plan") && !driver->options.verify; /* a plan that nobody runs need not be right */
    if (!only_looks && !backend_accepts(driver->arena, plan, driver->diags)) return finish(driver, EXIT_DIAGNOSED);
    const char *wanted = driver->options.predict == NULL ? NULL : plan_sizes_error(driver->arena, program, driver->options.predict);
    if (wanted != NULL) {
        diag_error_plain(driver->diags, E_OPTION, "--predict wants %s", wanted);
        return finish(driver, EXIT_BAD_USAGE);
    }
    if (driver->options.verify) plan_verify(plan);
    Text text = {0};
    if (wants_dump(driver, "plan")) plan_dump(plan, driver->options.predict, &text);
    else if (wants_dump(driver, "loops")) lower_dump(lower(driver, plan), &text);
    else if (driver->options.print_map) print_map(plan, mapping, &text);
    else if (driver->options.launcher != NULL && program->coordinator != NULL) {
        const char *name = output_default_path(driver->arena, &driver->options, "");
        if (!job_script(plan, &driver->options, name, driver->diags, &text)) return finish(driver, EXIT_DIAGNOSED);
    }
    if (text.data != NULL) return print_text(driver, &text);
    if (driver->options.check_only || wants_dump(driver, "plan") || wants_dump(driver, "loops") ||
        driver->options.print_map)
        return finish(driver, 0);
    if (program->coordinator == NULL) return missing_coordinator(driver);
    return emit_program(driver, lower(driver, plan));
}

static int interpret(Driver *driver, Program *program) {
    if (program->coordinator == NULL) return missing_coordinator(driver);
    DiagStyle style = {.json = driver->options.json};
    diags_print(driver->diags, stderr, style);
    int count = driver->argc - driver->options.rest;
    char **args = ARENA_ARRAY(driver->arena, char *, count + 2);
    args[0] = (char *)driver->options.source;
    for (int i = 0; i < count; i++) args[i + 1] = driver->argv[driver->options.rest + i];
    int status = interpret_program(program, driver->options.check_footprints, count + 1, args);
    arena_free(driver->arena);
    return status;
}

static int process_source(Driver *driver) {
    Source *source = read_file(driver, driver->options.source, "program");
    if (source == NULL) return finish(driver, EXIT_BAD_USAGE);
    diags_set_source(driver->diags, source);
    if (wants_dump(driver, "tokens")) {
        Text text = {0};
        syntax_dump_tokens(source, &text);
        return print_text(driver, &text);
    }
    int status;
    Program *program = read_program(driver, source, &status);
    if (program == NULL) return status;
    if (wants_dump(driver, "typed")) {
        Text text = {0};
        program_dump(program, &text);
        return print_text(driver, &text);
    }
    if (driver->options.interpret) return interpret(driver, program);
    bool front_only =
        driver->options.check_only && driver->options.map == NULL && driver->options.model == NULL;
    return front_only ? finish(driver, 0) : compile(driver, program);
}

/* --eval: an expression of the mapping language, for the whole machine. */
static int evaluate(Driver *driver) {
    Machine *machine = read_machine(driver);
    MappingFile *mapping = NULL;
    Source *file = driver->options.map == NULL ? NULL : read_file(driver, driver->options.map, "mapping");
    if (file != NULL) mapping = mapping_parse(driver->arena, file, driver->diags);
    Source *text =
        source_from_text(driver->arena, "--eval", driver->options.eval, strlen(driver->options.eval));
    FuncExpr *expr = func_parse_expression(driver->arena, text, driver->diags);
    if (driver->unreadable) return finish(driver, EXIT_BAD_USAGE);
    if (machine == NULL || diags_error_count(driver->diags) > 0) return finish(driver, EXIT_DIAGNOSED);
    FuncItemVec none = {0};
    FuncMachine where = {.model = &machine->models.items[0], .machine = machine->name, .parent_level = -1};
    const FuncValue *value = func_evaluate(driver->arena, driver->diags, &where,
                                           mapping == NULL ? &none : &mapping->functions, file, text, expr);
    if (value == NULL) return finish(driver, EXIT_DIAGNOSED);
    Text out = {0};
    func_print_value(value, &out);
    text_char(&out, '\n');
    return print_text(driver, &out);
}

/* ---- Options ----------------------------------------------------------------------------------------------
 */
static void check_choice(Driver *driver, const char *name, const char *value, const char *const *choices,
                         size_t count) {
    if (value == NULL) return;
    for (size_t i = 0; i < count; i++)
        if (strcmp(choices[i], value) == 0) return;
    Diag *diag = diag_error_plain(driver->diags, E_OPTION, "%s cannot be '%s'", name, value);
    diag_help(diag, "give %s", text_join_or(driver->arena, choices, count));
}

/* The text for cards has threads of a warp that wait for each other at different places: of compute capability 7.0 and later. */
static void check_cards(Driver *driver) {
    enum { OLDEST = 70 };
    const char *card = driver->options.gpu_arch;
    if (card == NULL || (strncmp(card, "sm_", 3) != 0 && strncmp(card, "compute_", 8) != 0)) return;
    const int number = atoi(strchr(card, '_') + 1);
    if (number < 10 || number >= OLDEST) return; /* "sm_9": nvcc says that there is no such thing */
    Diag *diag = diag_error_plain(driver->diags, E_OPTION, "--gpu-arch: cards of '%s' are too old for tasks of HP5", card);
    diag_help(diag, "they need sm_70 or later (nvcc 13 compiles for sm_75 and later); map the program to processors");
}

static void check_options(Driver *driver) {
    static const char *const dumps[] = {"tokens", "ast", "typed", "plan", "loops"}, *const colors[] = {"auto", "always", "never"},
                             *const launchers[] = {"slurm"};
    check_choice(driver, "--dump", driver->options.dump, dumps, 5);
    check_choice(driver, "--color", driver->options.color, colors, 3);
    check_choice(driver, "--launcher", driver->options.launcher, launchers, 1);
    check_cards(driver);
    const char *sync = driver->options.omit_sync;
    if (sync != NULL && (sync[0] == '\0' || strlen(sync) > 9 || sync[strspn(sync, "0123456789")] != '\0'))
        diag_error_plain(driver->diags, E_OPTION, "--omit-sync: '%s' is not the number of a synchronisation, counted from 0", sync);
    if (driver->options.rest < driver->argc && !driver->options.interpret)
        diag_error_plain(
            driver->diags, E_OPTION,
            "arguments after -- belong to --interpret; give them to the compiled program instead");
}

/* What is printed without reading anything. */
static int print_about(Driver *driver) {
    const Options *options = &driver->options;
    Text text = {0};
    if (options->help) options_help(&text);
    else if (options->man) options_man_page(&text);
    else if (options->completion) options_completion(&text);
    else text_append(&text, "hp5c " HP5_VERSION "\n");
    return print_text(driver, &text);
}

int driver_main(int argc, char **argv) {
    Arena *arena = arena_new();
    Driver driver = {.arena = arena, .argc = argc, .argv = argv, .diags = diags_new(arena, NULL)};
    options_parse(arena, argc, argv, &driver.options, driver.diags);
    check_options(&driver);
    outputs_check(arena, &driver.options, driver.diags);
    if (diags_error_count(driver.diags) > 0) return finish(&driver, EXIT_BAD_USAGE);
    const Options *options = &driver.options;
    if (options->help || options->man || options->completion || options->version) return print_about(&driver);
    if (driver.options.explain != NULL) return explain(&driver);
    if (driver.options.probe != NULL) return print_probe(&driver);
    if (driver.options.show_model != NULL) return show_model(&driver);
    if (driver.options.smpi_platform != NULL) return print_smpi_platform(&driver);
    if (driver.options.eval != NULL) return evaluate(&driver);
    if (driver.options.source != NULL) return process_source(&driver);
    Diag *diag = diag_error_plain(driver.diags, E_OPTION, "no program is given");
    diag_help(diag, "hp5c program.hp5 compiles one; hp5c --help lists the options");
    return finish(&driver, EXIT_BAD_USAGE);
}
