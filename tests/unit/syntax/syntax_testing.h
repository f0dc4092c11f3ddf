/* Shared by the syntax tests: parsing a text and comparing what comes out. */
#ifndef HP5_TESTS_SYNTAX_TESTING_H
#define HP5_TESTS_SYNTAX_TESTING_H
#include "compiler/syntax/parse.h"
#include "tests/unit/unit.h"
#include <glob.h>
#include <string.h>

typedef struct Parsed {
    Arena *arena;
    Diags *diags;
    Ast *ast;
} Parsed;

static inline Parsed parse_bytes(const char *text, size_t length) {
    Parsed r = {.arena = arena_new()};
    Source *source = source_from_text(r.arena, "t.hp5", text, length);
    r.diags = diags_new(r.arena, source);
    r.ast = syntax_parse(r.arena, source, r.diags);
    return r;
}

static inline Parsed parse_text(const char *text) { return parse_bytes(text, strlen(text)); }

static inline void parsed_free(Parsed *r) { arena_free(r->arena); }

/* Whether `text` equals `expected`; prints both when not. */
static inline bool same_text(const char *text, const char *expected) {
    if (!text) text = "";
    if (strcmp(text, expected) == 0) return true;
    fprintf(stderr, "\n--- got\n%s--- expected\n%s---\n", text, expected);
    return false;
}

/* A program's text around statements of the coordinator: line 2 is the first of them. */
#define CODE_HEAD "Program (args) {\n"
#define CODE_TAIL "\n}\n"
#endif
