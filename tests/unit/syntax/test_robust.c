/* Nothing that a file may contain makes the parser crash, hang or lose its way:
 * truncation at every byte, changed bytes and tokens, nesting without end, speed. */
#include "tests/unit/syntax/syntax_testing.h"
#include <time.h>

typedef struct Samples {
    Arena *arena;
    VEC(Source *) sources;
} Samples;

static Samples read_samples(void) {
    Samples s = {.arena = arena_new()};
    glob_t files;
    if (glob("tests/language/syntax/accept_*.hp5", 0, NULL, &files) != 0) return s;
    for (size_t i = 0; i < files.gl_pathc; i++)
        vec_push(s.arena, &s.sources, source_read(s.arena, files.gl_pathv[i]));
    globfree(&files);
    return s;
}

/* Parses and walks whatever came out; returns the number of errors. */
static size_t survive(const char *text, size_t length) {
    Parsed r = parse_bytes(text, length);
    Text out = {0};
    syntax_dump_ast(r.ast, &out);
    syntax_print(r.ast, &out);
    diags_to_text(r.diags, &out, (DiagStyle){0});
    size_t errors = diags_error_count(r.diags);
    text_free(&out);
    parsed_free(&r);
    return errors;
}

static void test_truncation(void) {
    Samples s = read_samples();
    for (size_t i = 0; i < s.sources.count; i++) {
        const Source *source = s.sources.items[i];
        for (size_t length = 0; length < source->length; length += 1 + source->length / 300)
            CU_ASSERT(survive(source->text, length) <= 3);
    }
    arena_free(s.arena);
}

static unsigned next_random(unsigned *state) { return (*state = *state * 1103515245u + 12345u) >> 8; }

static void test_changed_bytes(void) {
    static const char bytes[] = "(){}[];:,.=<>+-*/\"'@$#\\ \n\0\xC3\xFF"
                                "aZ019";
    Samples s = read_samples();
    unsigned state = 1;
    for (size_t i = 0; i < s.sources.count; i++) {
        const Source *source = s.sources.items[i];
        char *copy = arena_copy(s.arena, source->text, source->length);
        for (int round = 0; round < 150; round++) {
            size_t at = next_random(&state) % source->length;
            char old = copy[at];
            copy[at] = bytes[next_random(&state) % (sizeof bytes - 1)];
            survive(copy, source->length);
            if (round % 4) copy[at] = old; /* some changes stay */
        }
    }
    arena_free(s.arena);
}

/* Dropping, doubling and swapping whole tokens. */
static void test_changed_tokens(void) {
    Samples s = read_samples();
    unsigned state = 7;
    for (size_t i = 0; i < s.sources.count; i++) {
        Source *source = s.sources.items[i];
        Ast scratch = {.source = source};
        Parse p = {.arena = s.arena, .source = source, .diags = diags_new(s.arena, source), .ast = &scratch};
        lex_source(&p);
        for (int round = 0; round < 80; round++) {
            size_t victim = next_random(&state) % (p.tokens.count - 1),
                   other = next_random(&state) % (p.tokens.count - 1);
            Text text = {0};
            for (size_t t = 0; t + 1 < p.tokens.count; t++) {
                char *slice = token_slice(&p, p.tokens.items[t]);
                if (t == victim && round % 3 == 0) continue;
                if (t == victim && round % 3 == 1)
                    text_printf(&text, "%s ", token_slice(&p, p.tokens.items[other]));
                text_printf(&text, "%s%s", slice, t % 9 == 8 ? "\n" : " ");
                if (t == victim && round % 3 == 2) text_printf(&text, "%s ", slice);
            }
            CU_ASSERT(survive(text.data, text.length) <= 12);
            text_free(&text);
        }
    }
    arena_free(s.arena);
}

/* `head`, then `unit` many times, then the rest; the first error must be E0126. */
static bool refused_as_too_deep(const char *unit, size_t count, const char *rest) {
    Text text = {0}, out = {0};
    text_append(&text, "Program (args) { x = y ");
    if (unit[0] == '\n') text_append(&text, " ");
    for (size_t i = 0; i < count; i++) text_append(&text, unit);
    text_printf(&text, "%s }", rest);
    Parsed r = parse_bytes(text.data, text.length);
    syntax_dump_ast(r.ast, &out);
    syntax_print(r.ast, &out);
    text_free(&out);
    diags_to_text(r.diags, &out, (DiagStyle){0});
    bool good = out.data && strstr(out.data, "nested too deeply: more than 1000 levels [E0126]") != NULL;
    text_free(&text);
    text_free(&out);
    parsed_free(&r);
    return good;
}

static void test_nesting(void) {
    CU_ASSERT(refused_as_too_deep("+ (", 100000, "1"));
    CU_ASSERT(refused_as_too_deep("[", 100000, "1"));
    CU_ASSERT(refused_as_too_deep("\ndo { ", 100000, "z = 1"));
    CU_ASSERT(refused_as_too_deep("- ", 100000, "1"));
    CU_ASSERT(refused_as_too_deep("+ 1 ", 100000, ""));
    CU_ASSERT(refused_as_too_deep("** 1 ", 100000, ""));
    CU_ASSERT(refused_as_too_deep("= z ", 100000, ""));
    CU_ASSERT(refused_as_too_deep(".a", 100000, ""));
    CU_ASSERT(refused_as_too_deep("[1]", 100000, ""));
    CU_ASSERT(refused_as_too_deep("\nif (a) ", 100000, "z = 1"));
    CU_ASSERT(refused_as_too_deep("\nif (a) z = 1 else ", 100000, "z = 1"));
    CU_ASSERT(refused_as_too_deep("= f(", 100000, "1"));
    CU_ASSERT(!refused_as_too_deep("+ (1", 900, ")"));
}

static void test_speed(void) {
    Samples s = read_samples();
    Text text = {0};
    while (text.length < 1 << 20)
        for (size_t i = 0; i < s.sources.count; i++)
            text_append_n(&text, s.sources.items[i]->text, s.sources.items[i]->length);
    struct timespec start, end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &start);
    Parsed r = parse_bytes(text.data, text.length);
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    double seconds = (double)(end.tv_sec - start.tv_sec) + 1e-9 * (double)(end.tv_nsec - start.tv_nsec);
    CU_ASSERT_EQUAL(diags_error_count(r.diags), 0);
    CU_ASSERT(seconds < 3.0); /* 0.3 s is the aim; sanitizers take longer */
    CU_ASSERT(arena_used(r.arena) < 150u << 20);
    fprintf(stderr, "%zu bytes in %.3f s, %zu KiB of tree ", text.length, seconds, arena_used(r.arena) >> 10);
    text_free(&text);
    parsed_free(&r);
    arena_free(s.arena);
}

UNIT_MAIN("syntax robustness", {"truncation", test_truncation}, {"changed bytes", test_changed_bytes},
          {"changed tokens", test_changed_tokens}, {"nesting", test_nesting}, {"speed", test_speed})
