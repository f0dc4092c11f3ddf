/* Runs an HP5 program in the interpreter, in a process of its own, and keeps what it prints.
 *
 *     Outcome o = run_source("Program (args) { print(1) }", (const char *[]){"k=3", NULL});
 *     CU_ASSERT_EQUAL(o.status, 0); CU_ASSERT_STRING_EQUAL(o.out, "1\n");
 *
 * Status 99: the program did not pass the checker (o.err holds the diagnostics).
 * Array files live in the folder of scratch.h. */
#ifndef HP5_TESTS_INTERPRET_HARNESS_H
#define HP5_TESTS_INTERPRET_HARNESS_H
#include "compiler/check/check.h"
#include "compiler/interpret/interpret.h"
#include "runtime/io/npy.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct Outcome { int status; char out[16384], err[16384]; } Outcome;

static inline void read_back(FILE *file, char *text, size_t size) {
    rewind(file);
    text[fread(text, 1, size - 1, file)] = 0;
    fclose(file);
}

static inline int run_here(const char *text, const char *const *arguments) {
    Arena *arena = arena_new();
    Source *source = source_from_text(arena, "program.hp5", text, strlen(text));
    Diags *diags = diags_new(arena, source);
    Ast *ast = syntax_parse(arena, source, diags);
    Program *program = diags_error_count(diags) == 0 ? check_program(arena, ast, diags) : NULL;
    int status = 99;
    if (program == NULL) {
        diags_print(diags, stderr, (DiagStyle){0});
    } else {
        char *argv[32] = {(char[]){"program"}};
        int argc = 1;
        for (; arguments != NULL && arguments[argc - 1] != NULL; argc++) argv[argc] = arena_strdup(arena, arguments[argc - 1]);
        status = interpret_program(program, true, argc, argv);
    }
    arena_free(arena);
    return status;
}

static inline Outcome run_source(const char *text, const char *const *arguments) {
    Outcome outcome = {0};
    FILE *out = tmpfile(), *err = tmpfile();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        dup2(fileno(out), 1);
        dup2(fileno(err), 2);
        exit(run_here(text, arguments));
    }
    int status;
    waitpid(child, &status, 0);
    outcome.status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    read_back(out, outcome.out, sizeof outcome.out);
    read_back(err, outcome.err, sizeof outcome.err);
    return outcome;
}

/* Runs and demands success; prints what went wrong. */
static inline bool succeeds(const char *text, const char *const *arguments, Outcome *outcome) {
    *outcome = run_source(text, arguments);
    if (outcome->status != 0) printf("\nstatus %d: %s\n", outcome->status, outcome->err);
    CU_ASSERT_EQUAL(outcome->status, 0);
    return outcome->status == 0;
}

/* Runs and demands this output. */
static inline void prints(const char *text, const char *const *arguments, const char *expected) {
    Outcome outcome;
    if (!succeeds(text, arguments, &outcome)) return;
    if (strcmp(outcome.out, expected) != 0) printf("\nexpected %s\nfound    %s\n", expected, outcome.out);
    CU_ASSERT_STRING_EQUAL(outcome.out, expected);
}

/* Runs and demands this exit status with exactly this message. */
static inline void fails_with(int status, const char *text, const char *const *arguments, const char *message) {
    Outcome outcome = run_source(text, arguments);
    char expected[2048];
    snprintf(expected, sizeof expected, "%s\n", message);
    if (strcmp(outcome.err, expected) != 0) printf("\nexpected %s\nfound    (%d) %s\n", expected, outcome.status, outcome.err);
    CU_ASSERT_EQUAL(outcome.status, status);
    CU_ASSERT_STRING_EQUAL(outcome.err, expected);
}
static inline void fails(const char *text, const char *const *arguments, const char *message) {
    fails_with(1, text, arguments, message);
}

static inline void save_array(const char *path, const Hp5Element *element, int rank, const int64_t *extents, const void *data) {
    int64_t lo[HP5_MAX_RANK] = {0}, strides[HP5_MAX_RANK], stride = 1;
    for (int d = rank - 1; d >= 0; d--) {
        strides[d] = stride;
        stride *= extents[d];
    }
    Hp5NpyWriter *writer = hp5_npy_create(path, "test", element, rank, extents);
    if (stride > 0) hp5_npy_write_box(writer, lo, extents, data, strides);
    hp5_npy_finish(writer);
}

/* Reads a whole array; extents are returned. */
static inline void fetch_array(const char *path, const Hp5Element *element, int rank, int64_t *extents, void *data) {
    int64_t lo[HP5_MAX_RANK] = {0}, strides[HP5_MAX_RANK], stride = 1;
    Hp5NpyReader *reader = hp5_npy_open(path, "test", element, rank);
    for (int d = rank - 1; d >= 0; d--) {
        extents[d] = hp5_npy_extents(reader)[d];
        strides[d] = stride;
        stride *= extents[d];
    }
    if (stride > 0) hp5_npy_read_box(reader, lo, extents, data, strides);
    hp5_npy_close(reader);
}

/* "NAME=PATH" for the command line. */
static inline const char *binding(const char *name, const char *path) {
    static char texts[8][SCRATCH_PATH + 400];
    static int next;
    char *text = texts[next++ % 8];
    snprintf(text, sizeof texts[0], "%s=%s", name, path);
    return text;
}
#define ARGS(...) ((const char *const[]){__VA_ARGS__, NULL})
#endif
