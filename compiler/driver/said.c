/* What the C and C++ compilers and the linker say, as messages of hp5c: at their place in the program, in text or JSON.
 *
 * How to read it: lines first (gcc and clang write "FILE:LINE:COLUMN: error: text", nvcc also "FILE(LINE): error: text"; #line makes FILE
 * the program for extern code); then what is reported of them: errors and warnings in extern blocks, and errors in headers that name the
 * line of a block that led there. All else is about generated code: warnings are dropped, an error is one of hp5c. Then what
 * kernels take (card_use.h), and what has a message of its own: libraries, headers, names that nothing defines, unknown flags. */
#include "compiler/driver/build.h"
#include "compiler/driver/card_use.h"
#include "runtime_stamp.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Lines ----------------------------------------------------------------------------------------------- */

typedef enum { NOTHING, ERROR, WARNING, NOTE, REQUIRED /* "required from here": what led into a header */ } Kind;
typedef struct Line {
    Kind kind;
    const char *file, *text; /* copies */
    int line, column;        /* column 0: not said */
} Line;

static const char *find_in(const char *start, const char *end, const char *word) {
    size_t length = strlen(word);
    for (const char *at = start; at + length <= end; at++)
        if (memcmp(at, word, length) == 0) return at;
    return NULL;
}

/* The number before *end, and the ':' before that; *end moves there. False: there is none. */
static bool number_before(const char *start, const char **end, int *number) {
    const char *at = *end;
    while (at > start && isdigit((unsigned char)at[-1])) at--;
    if (at == *end || at == start || at[-1] != ':' || *end - at > 8) return false;
    *number = atoi(at);
    *end = at - 1;
    return true;
}

/* nvcc's own: "FILE(LINE): error: text", "FILE(LINE): warning #177-D: text". */
static Line read_line_of_nvcc(Arena *arena, const char *start, const char *end) {
    const char *error = find_in(start, end, "): error"), *mark = error ? error : find_in(start, end, "): warning"), *open = mark;
    Line line = {0};
    while (open != NULL && open > start && isdigit((unsigned char)open[-1])) open--;
    const char *text = open ? find_in(mark + 2, end, ": ") : NULL;
    if (text == NULL || open == mark || open - 1 <= start || open[-1] != '(' || mark - open > 8) return line;
    line = (Line){.kind = error ? ERROR : WARNING, .line = atoi(open)};
    line.file = arena_copy(arena, start, (size_t)(open - 1 - start));
    line.text = arena_copy(arena, text + 2, (size_t)(end - text - 2));
    return line;
}

static Line read_line(Arena *arena, const char *start, const char *end) {
    static const struct {
        const char *mark;
        Kind kind;
    } marks[] = {{": fatal error: ", ERROR}, {": error: ", ERROR}, {": warning: ", WARNING}, {": note: ", NOTE}, {": ", REQUIRED}};
    Line line = {0};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const char *at = find_in(start, end, marks[i].mark), *place = at, *rest = at ? at + strlen(marks[i].mark) : NULL;
        if (at == NULL || (marks[i].kind == REQUIRED && find_in(at, end, "required from here") == NULL)) continue;
        int second = 0;
        if (!number_before(start, &place, &line.line)) continue;
        if (number_before(start, &place, &second)) line.column = line.line, line.line = second;
        line.kind = marks[i].kind;
        line.file = arena_copy(arena, start, (size_t)(place - start));
        line.text = arena_copy(arena, rest, (size_t)(end - rest));
        return line;
    }
    return read_line_of_nvcc(arena, start, end);
}

/* ---- Places in extern code ---------------------------------------------------------------------------------- */

static const ExternCode *block_at(const Build *build, const Line *line) {
    Source *source = build->program->source;
    if (strcmp(line->file, source->name) != 0) return NULL;
    for (size_t i = 0; i < build->externs.blocks.count; i++) {
        const ExternCode *block = build->externs.blocks.items[i];
        int first, last, column;
        source_position(source, block->code_span.start, &first, &column);
        source_position(source, block->code_span.end, &last, &column);
        if (line->line >= first && line->line <= last) return block;
    }
    return NULL;
}

/* The word at a line and column; gcc counts tabs up to the next multiple of eight. */
static Span span_at(const Build *build, const Line *line) {
    Source *source = build->program->source;
    size_t length, at = 0;
    const char *text = source_line(source, line->line, &length), *base = source->text;
    for (int column = 1; at < length && column < line->column; at++) column = text[at] == '\t' ? (column + 7) / 8 * 8 + 1 : column + 1;
    while (line->column == 0 && at < length && isspace((unsigned char)text[at])) at++;
    size_t end = at;
    while (end < length && (isalnum((unsigned char)text[end]) || text[end] == '_')) end++;
    if (end == at && end < length) end++;
    return (Span){(size_t)(text - base) + at, (size_t)(text - base) + end};
}

/* ---- Messages -------------------------------------------------------------------------------------------------- */

typedef struct Report {
    Build *build;
    const char *language;
    bool helped;
    Diag *last;         /* what notes belong to */
    const char *abroad; /* the text of a message about another file, until it is known what led there; or NULL */
    Kind abroad_kind;
    int errors;
} Report;

static void report_at(Report *report, Kind kind, const Line *line, const char *text) {
    const char *who = report->language;
    Span span = span_at(report->build, line);
    if (kind == ERROR) report->last = diag_error(report->build->diags, E_EXTERN_CODE, span, "the %s compiler: %s", who, text);
    else report->last = diag_warning(report->build->diags, W_EXTERN_CODE, span, "the %s compiler: %s", who, text);
    report->errors += kind == ERROR;
    report->helped = false;
}

/* "… is defined in header '<stdint.h>'", "include the header <math.h> or …": the header; NULL where the text names none. */
static const char *header_in(Arena *arena, const char *text) {
    const char *open = strchr(text, '<'), *close = open ? strchr(open, '>') : NULL;
    if (close == NULL || close == open + 1 || (strstr(text, "header") == NULL && strstr(text, "include") == NULL)) return NULL;
    for (const char *at = open + 1; at < close; at++)
        if (!isalnum((unsigned char)*at) && strchr("_.-/+", *at) == NULL) return NULL;
    return arena_copy(arena, open + 1, (size_t)(close - open - 1));
}

static void add_note(Report *report, const Line *line) {
    const char *header = header_in(report->build->arena, line->text);
    if (report->abroad != NULL && block_at(report->build, line) != NULL) {
        report_at(report, report->abroad_kind, line, report->abroad);
        report->abroad = NULL;
    } else if (report->last != NULL && header != NULL) {
        if (!report->helped) diag_help(report->last, "its header is missing: add @Includes { %s } to the extern block", header);
        report->helped = true;
    } else if (report->last != NULL && block_at(report->build, line) != NULL) {
        diag_note(report->last, span_at(report->build, line), "%s", line->text);
    }
}

static void take_line(Report *report, const Line *line) {
    if (line->kind == NOTE || line->kind == REQUIRED) {
        add_note(report, line);
        return;
    }
    bool here = block_at(report->build, line) != NULL;
    report->last = NULL;
    report->abroad = here ? NULL : line->text;
    report->abroad_kind = line->kind;
    if (here) report_at(report, line->kind, line, line->text);
}

static const char *language_of(const Build *build, const char *compiler) {
    if (build->card_path != NULL && strcmp(compiler, card_compiler(build)) == 0) return "CUDA";
    return build->cplusplus_path != NULL && strcmp(compiler, cplusplus_compiler(build)) == 0 ? "C++" : "C";
}

/* Everything that is about extern code; the number of errors. */
static int report_all(Build *build, const char *compiler, const char *said) {
    Report report = {.build = build, .language = language_of(build, compiler)};
    for (const char *start = said; *start != '\0';) {
        const char *end = start + strcspn(start, "\n");
        Line line = read_line(build->arena, start, end);
        if (line.kind != NOTHING) take_line(&report, &line);
        start = end + (*end != '\0');
    }
    return report.errors;
}

void said_warn(Build *build, const char *compiler, const char *said) { report_all(build, compiler, said); }

/* ---- What kernels take -------------------------------------------------------------------------------------- */

static const char *fill_text(Arena *arena, const KernelUse *use) {
    CardFill fill;
    if (!card_use_fill(use, &fill)) return "; how many warps a multiprocessor of these cards holds is not known to hp5c";
    const char *more = fill.most_warps > fill.block_warps * fill.blocks ? arena_printf(arena, ", %d in smaller blocks", fill.most_warps) : "";
    return arena_printf(arena, "; a block has up to %d warps (%s), and a multiprocessor runs %d such block%s at once: %d of the %d warps that it could hold%s",
                        fill.block_warps, fill.by_registers ? "registers" : "the most that a block can have", fill.blocks, fill.blocks == 1 ? "" : "s",
                        fill.block_warps * fill.blocks, fill.card_warps, more);
}

static const char *use_text(Arena *arena, const Task *task, const KernelUse *use) {
    const char *shared = use->shared > 0 ? arena_printf(arena, "%d bytes", use->shared) : "nothing";
    const char *stack = use->stack > 0 ? arena_printf(arena, ", %d bytes of a stack for each thread", use->stack) : "";
    return arena_printf(arena, "task \"%s\" on %s takes %d registers a thread, %s of a block's shared memory%s%s", task->name, use->card, use->registers, shared,
                        stack, fill_text(arena, use));
}

static const char *spill_text(Arena *arena, const Task *task, const KernelUse *use) {
    return arena_printf(arena, "task \"%s\" on %s has more values at hand than registers: a thread writes %d bytes of them to the card's memory, and reads %d",
                        task->name, use->card, use->spill_stores, use->spill_loads);
}

/* One message for each code and task: for other kinds of cards it has notes. */
static void remark_kernel(Diags *diags, Diag **diag, DiagCode code, const Task *task, const char *text) {
    if (*diag != NULL) diag_note(*diag, task->span, "%s", text);
    else *diag = diag_remark(diags, code, task->span, "%s", text);
}

/* Whether anything is known of the task's kernel. */
static bool remark_task(const Build *build, const Task *task, const KernelUseVec *uses) {
    Arena *arena = build->arena;
    const char *kernel = arena_printf(arena, "%s_kernel", task->symbol);
    Diag *taken = NULL, *spilled = NULL;
    for (size_t i = 0; i < uses->count; i++) {
        const KernelUse *use = &uses->items[i];
        if (strcmp(use->kernel, kernel) != 0 || use->registers < 0) continue;
        remark_kernel(build->diags, &taken, R_CARD_USE, task, use_text(arena, task, use));
        if (use->spill_stores + use->spill_loads > 0) remark_kernel(build->diags, &spilled, R_CARD_SPILL, task, spill_text(arena, task, use));
    }
    if (spilled != NULL) diag_help(spilled, "a stage with fewer locals needs fewer registers: cut the one that has most in two");
    return taken != NULL;
}

void said_kernels(Build *build, const char *said) {
    const KernelUseVec uses = card_use_read(build->arena, said);
    bool known = false;
    for (size_t i = 0; i < build->program->tasks.count; i++) known = remark_task(build, build->program->tasks.items[i], &uses) || known;
    if (known) return;
    Diag *diag = diag_remark(build->diags, R_CARD_USE, (Span){0}, "what kernels take is not known: the CUDA compiler '%s' does not say it in words that hp5c knows",
                             card_compiler(build));
    diag_help(diag, "NVIDIA's nvcc does, asked with -Xptxas -v");
}

/* ---- What has a message of its own --------------------------------------------------------------------------- */

/* The library of @Libraries that the linker did not find, or NULL: "cannot find -lNAME", "library not found for
 * -lNAME", "unable to find library -lNAME". */
static const Name *missing_library(const Build *build, const char *said) {
    if (strstr(said, " find ") == NULL && strstr(said, "not found") == NULL) return NULL;
    for (size_t i = 0; i < build->externs.libraries.count; i++) {
        const Name *library = &build->externs.libraries.items[i];
        const char *option = arena_printf(build->arena, "-l%s", library->text);
        size_t length = strlen(option);
        for (const char *at = strstr(said, option); at != NULL; at = strstr(at + 1, option))
            if (at[length] == '\0' || strchr(":\n\r '\"", at[length]) != NULL) return library;
    }
    return NULL;
}

/* The header of @Includes that the compiler did not find, or NULL: gcc's words, and clang's. */
static const Name *missing_header(const Build *build, const char *said) {
    for (size_t i = 0; i < build->externs.blocks.count; i++) {
        const NameVec *includes = &build->externs.blocks.items[i]->includes;
        for (size_t n = 0; n < includes->count; n++) {
            const char *name = includes->items[n].text;
            if (strstr(said, arena_printf(build->arena, " %s: No such file", name)) != NULL ||
                strstr(said, arena_printf(build->arena, "'%s' file not found", name)) != NULL)
                return &includes->items[n];
        }
    }
    return NULL;
}

/* Where extern code has a name as a whole word. */
static bool find_word(const Build *build, const char *name, Span *span) {
    size_t length = strlen(name);
    for (size_t i = 0; i < build->externs.blocks.count; i++) {
        Span code = build->externs.blocks.items[i]->code_span;
        const char *text = build->program->source->text, *end = text + code.end;
        for (const char *at = text + code.start; (at = find_in(at, end, name)) != NULL; at++) {
            bool begins = !isalnum((unsigned char)at[-1]) && at[-1] != '_', ends = !isalnum((unsigned char)at[length]) && at[length] != '_';
            *span = (Span){(size_t)(at - text), (size_t)(at - text) + length};
            if (begins && ends) return true;
        }
    }
    return false;
}

/* Names of extern code that the linker has found nowhere: "undefined reference to `name'", "undefined symbol: name". */
static int report_undefined(const Build *build, const char *said) {
    static const char *const marks[] = {"undefined reference to `", "undefined reference to '", "undefined symbol: "};
    int count = 0;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        for (const char *at = strstr(said, marks[i]); at != NULL; at = strstr(at + 1, marks[i])) {
            const char *start = at + strlen(marks[i]);
            size_t length = strcspn(start, "'\n(");
            const char *name = arena_copy(build->arena, start, length);
            Span span;
            if (length == 0 || !find_word(build, name, &span)) continue;
            Diag *diag = diag_error(build->diags, E_EXTERN_LIBRARY, span, "the linker finds '%s' in no library", name);
            diag_help(diag, "name the library that has it: @Libraries { … }");
            count++;
        }
    return count;
}

/* A --cc-flag that the compiler does not know. */
static bool report_flag(const Build *build, const char *compiler, const char *said) {
    if (strstr(said, "unrecognized") == NULL && strstr(said, "unknown argument") == NULL && strstr(said, "unsupported") == NULL) return false;
    for (size_t i = 0; i < build->options->cc_flag.count; i++) {
        const char *flag = build->options->cc_flag.items[i];
        if (flag[0] == '\0' || strstr(said, flag) == NULL) continue;
        Diag *diag = diag_error_plain(build->diags, E_OPTION, "the compiler '%s' does not know '%s'", compiler, flag);
        diag_help(diag, "it was given with --cc-flag");
        return true;
    }
    return false;
}

/* --gpu-arch names cards that the CUDA compiler does not know. */
static bool report_cards(const Build *build, const char *compiler, const char *said) {
    if (build->options->gpu_arch == NULL || strstr(said, "gpu architecture") == NULL) return false;
    Diag *diag = diag_error_plain(build->diags, E_OPTION, "the CUDA compiler '%s' does not compile for '%s'", compiler, build->options->gpu_arch);
    diag_help(diag, "it was given with --gpu-arch; 'nvcc --list-gpu-code' prints what there is, as sm_80 or sm_90");
    return true;
}

int said_stale(const Build *build, const char *what) {
    Diag *diag = diag_error_plain(build->diags, E_RUNTIME, "%s", what);
    diag_help(diag, "build or install hp5c and its runtime again, both together (cmake --build BUILD-FOLDER)");
    return EXIT_BAD_USAGE;
}

/* Nothing of this: hp5c has written what the compiler refuses, or there is something wrong with the machine. */
static int report_unknown(Build *build, const char *compiler, int status, const char *said) {
    build->keep = true;
    Diag *diag = diag_error_plain(build->diags, E_CC, "the %s compiler '%s' failed with status %d; its input is kept in '%s'",
                                  language_of(build, compiler), compiler, status, build->c_path);
    const char *above = build->options->json ? "" : " above";
    if (build->options->json) diag_help(diag, "it said: %s", said);
    else fputs(said, stderr);
    if (build->externs.blocks.count > 0)
        diag_help(diag, "if its messages%s are about extern code, mend that; else this is an error in "
                        "hp5c, please report it with the file", above);
    else if (build->options->cc != NULL || build->options->nvcc != NULL || build->options->cc_flag.count > 0)
        diag_help(diag, "if the messages%s are about what --cc, --nvcc or --cc-flag gave, mend that; else this is an error in hp5c: please report it "
                        "with the file", above);
    else
        diag_help(diag, "if the messages%s are not about the machine (full disk, missing library), this "
                        "is an error in hp5c: please report it with the file", above);
    return EXIT_DIAGNOSED;
}

int said_fail(Build *build, const char *compiler, int status, const char *said) {
    const Name *library = missing_library(build, said), *header = missing_header(build, said);
    if (library != NULL) {
        Diag *diag = diag_error(build->diags, E_EXTERN_LIBRARY, library->span, "the library '%s' was not found", library->text);
        diag_help(diag, "install it, or say where it is: --cc-flag -L/its/folder");
        return EXIT_DIAGNOSED;
    }
    if (header != NULL) {
        Diag *diag = diag_error(build->diags, E_EXTERN_CODE, header->span, "the header '%s' was not found", header->text);
        diag_help(diag, "install the library that it belongs to, or say where it is: --cc-flag -I/its/folder");
        return EXIT_DIAGNOSED;
    }
    if (strstr(said, QUOTED(HP5_STAMP)) != NULL)
        return said_stale(build, arena_printf(build->arena, "the runtime library '%s' was not built from the headers that this hp5c uses",
                                              build->runtime.library));
    if (report_flag(build, compiler, said) || report_cards(build, compiler, said)) return EXIT_BAD_USAGE;
    if (report_all(build, compiler, said) > 0 || report_undefined(build, said) > 0) return EXIT_DIAGNOSED;
    return report_unknown(build, compiler, status, said);
}
