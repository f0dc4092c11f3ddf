/* How many bytes locals are stored in: what their values need, no fewer than the smallest element that their block works on,
 * and those of their type where something fixes it. Each stage here assigns the local `it`. */
#include "compiler/lower/narrow.h"
#include "tests/unit/emit/stage_fixture.h"

#define PROGRAM(locals_body)                                                                                       \
    "Function double_it(x) { return x * 2 }\n"                                                                    \
    "Function raise(&x) { x = x + 1 }\n"                                                                          \
    "Task \"T\":\n"                                                                                               \
    "  Define:\n"                                                                                                 \
    "    flags: 1d Array of Boolean\n"                                                                            \
    "    letters: 1d Array of Character\n"                                                                        \
    "    numbers, more: 1d Array of Integer\n"                                                                    \
    "    small: 1d Array of Integer single-precision\n"                                                           \
    "    reals: 1d Array of Real double-precision\n"                                                              \
    "    singles: 1d Array of Real single-precision\n"                                                            \
    "  Environment: flags, letters, numbers, more, small, reals, singles: link\n"                                 \
    "  Stages:\n"                                                                                                 \
    "    work(flags, letters, numbers, more, small, reals, singles) { do {\n" locals_body "\n} for i in flags }\n" \
    "  Computation: Space A { work(flags, letters, numbers, more, small, reals, singles) }\n"                     \
    "  Partition (p): Space A <1d> { flags, letters, numbers, more, small, reals, singles: block_size(p) }\n"

typedef struct Search { const char *name; const Var *var; const Block *home; } Search;

static void search_block(Search *search, const Block *block) {
    for (size_t i = 0; i < block->locals.count; i++)
        if (strcmp(block->locals.items[i]->name, search->name) == 0) search->var = block->locals.items[i], search->home = block;
    for (size_t i = 0; i < block->statements.count; i++) {
        search_block(search, &block->statements.items[i]->body);
        if (block->statements.items[i]->otherwise) search_block(search, block->statements.items[i]->otherwise);
    }
}

/* The only stage of the program, and its local `it`; the fixture is to be closed. */
static Search open_it(Fixture *f, const char *program) {
    bool opened = fixture_open(f, program, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    Search search = {"it", NULL, NULL};
    search_block(&search, &f->uses.items[0]->stage->body.block);
    return search;
}

/* Bytes of the local `it`; -1 where the stage has none. */
static int bytes_of_it(const char *program) {
    Fixture f;
    const Search search = open_it(&f, program);
    const Body *body = &f.uses.items[0]->stage->body;
    const Ranges *ranges = lower_ranges(lower_range_memo(f.arena, f.plan.program), body, false);
    const int bytes = search.var ? lower_local_bytes(ranges, body, search.home, search.var) : -1;
    fixture_close(&f);
    return bytes;
}

/* Remainders are as far from 0 as the divisor less one, to both sides. */
static void test_values(void) {
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] % 128\n flags[i] = it > 5")), 1);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] % 130\n flags[i] = it > 5")), 2);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] % 32768\n flags[i] = it > 5")), 2);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] % 40000\n flags[i] = it > 5")), 4);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] % 5000000000\n flags[i] = it > 5")), 0);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i]\n flags[i] = it > 5")), 0);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 127\n if (flags[i]) { it = 300 }\n flags[i] = it > 5")), 2);
}

/* A Real that is cut to lie between two literals; NaN is 0 where the Real is cut. */
static void test_clamped(void) {
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = Integer(min(max(reals[i], -128), 127))\n flags[i] = it > 5")), 1);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = Integer(min(max(reals[i], -128), 128.5))\n flags[i] = it > 5")), 2);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = Integer(min(max(reals[i], -129), 7))\n flags[i] = it > 5")), 2);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = 120 + Integer(min(max(reals[i], 100), 107))\n it = it - 120\n flags[i] = it > 5")), 2);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = min(max(Integer(reals[i]), -128), 127)\n flags[i] = it > 5")), 1);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = Integer(min(reals[i], 127))\n flags[i] = it > 5")), 0);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = 200 - Integer(min(max(reals[i], 100), 107))\n flags[i] = it > 5")), 2); /* of NaN 200 */
}

/* A number that it is compared with has to fit, too. */
static void test_compared(void) {
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 63\n flags[i] = it < 200")), 2);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 63\n flags[i] = 70000 > it")), 4);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 63\n flags[i] = it + 1 < 200")), 1);
}

/* As many fit into a vector as elements of the smallest kind. */
static void test_elements(void) {
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 63\n if (letters[i] == 'a') { more[i] = it }")), 1);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 63\n small[i] = it")), 4);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 63\n singles[i] = it * singles[i]")), 4);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 63\n reals[i] = it * reals[i]")), 0);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 63\n more[i] = it")), 0);
}

/* Copied arguments leave a local what it is, and so does a reduction into it, which is a sum like any other; addresses and
 * foreign code need its type. */
static void test_fixed(void) {
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 63\n more[i] = double_it(it)\n flags[i] = it > 5")), 1);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 63\n raise(it)\n it = it & 63\n flags[i] = it > 5")), 0);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 63\n @Extern { @Language \"C\" ${ it = it + 1; }$ }\n it = it & 63\n flags[i] = it > 5")), 0);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = 0\n do { reduce(it, \"sum\", m & 1) } for m in [1...3]\n flags[i] = it > 5")), 1);
    CU_ASSERT_NOT_EQUAL(bytes_of_it(PROGRAM("it = 0\n do { reduce(it, \"sum\", m & 1) } for m in [1...300]\n flags[i] = it > 5")), 1);
}

/* 32 bits without a sign, whatever the elements are, but for what has the bytes of an element. */
static void test_unsigned(void) {
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 4294967295\n more[i] = it + 1")), LOWER_UNSIGNED);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 4294967295\n flags[i] = it > 5")), LOWER_UNSIGNED);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 4294967295\n flags[i] = it > -1")), 0);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 4294967295\n it = it + 1\n more[i] = it")), 0);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 4294967295\n raise(it)\n it = it & 63\n more[i] = it")), 0);
}

/* Factors of 32 bits whose product has more. */
static void test_factors(void) {
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 2147483647\n more[i] = it * 1664525")), 4);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 2147483647\n more[i] = 4294967295 * it")), 4);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 2147483647\n more[i] = it * 4294967296")), 0);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 2147483647\n more[i] = it + 1664525")), 0);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = numbers[i] & 63\n more[i] = it * 3")), 0);
}

/* Whether 32 bits of the local `it` are enough. */
static bool low_bits_of_it(const char *program) {
    Fixture f;
    const Search search = open_it(&f, program);
    const bool keeps = search.var && lower_keeps_low_bits(&f.uses.items[0]->stage->body, search.var);
    fixture_close(&f);
    return keeps;
}

/* Only elements of 32 bits get it, as it is. */
static void test_low_bits(void) {
    CU_ASSERT_TRUE(low_bits_of_it(PROGRAM("it = numbers[i]\n small[i] = it")));
    CU_ASSERT_TRUE(low_bits_of_it(PROGRAM("it = 0\n do in sequence { if (numbers[m] > 7) { it = m * 3 } } for m in numbers.dimension.range\n small[i] = it\n small[i] = it")));
    CU_ASSERT_FALSE(low_bits_of_it(PROGRAM("it = numbers[i]\n more[i] = it")));
    CU_ASSERT_FALSE(low_bits_of_it(PROGRAM("it = numbers[i]\n small[i] = it\n singles[i] = it")));
    CU_ASSERT_FALSE(low_bits_of_it(PROGRAM("it = numbers[i]\n small[i] = it\n reals[i] = it")));
    CU_ASSERT_FALSE(low_bits_of_it(PROGRAM("it = numbers[i]\n small[i] = it + 1")));
    CU_ASSERT_FALSE(low_bits_of_it(PROGRAM("it = numbers[i]\n small[i] = small[i] + it")));
    CU_ASSERT_FALSE(low_bits_of_it(PROGRAM("it = numbers[i]\n small[it] = it")));
    CU_ASSERT_FALSE(low_bits_of_it(PROGRAM("it = numbers[i]\n it = it / 2\n small[i] = it")));
    CU_ASSERT_FALSE(low_bits_of_it(PROGRAM("it = numbers[i]\n small[i] = it\n if (it > 5) { flags[i] = true }")));
    CU_ASSERT_FALSE(low_bits_of_it(PROGRAM("it = numbers[i]\n small[i] = it\n raise(it)")));
    CU_ASSERT_FALSE(low_bits_of_it(PROGRAM("it = 0\n do { reduce(it, \"sum\", m & 1) } for m in [1...3]\n small[i] = it")));
    CU_ASSERT_FALSE(low_bits_of_it(PROGRAM("it = numbers[i]\n @Extern { @Language \"C\" ${ it = it >> 40; }$ }\n small[i] = it")));
}

/* Bytes of the parameter of a function that changes it. */
static int bytes_of_param(const char *body) {
    Arena *arena = arena_new();
    char *program = arena_printf(arena, "Function change(&it, on) {\n%s\n}\n%s", body, PROGRAM("it = numbers[i]\n change(it, flags[i])\n more[i] = it"));
    Fixture f;
    bool opened = fixture_open(&f, program, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    int bytes = -1;
    for (size_t i = 0; i < f.plan.program->functions.count; i++) {
        const Body *found = &f.plan.program->functions.items[i]->body;
        if (strcmp(found->name, "change") != 0) continue;
        bytes = lower_param_bytes(lower_ranges(lower_range_memo(f.arena, f.plan.program), found, false), found, found->params.items[0]);
    }
    fixture_close(&f);
    arena_free(arena);
    return bytes;
}

/* From its first assignment on, which nothing comes before. */
static void test_params(void) {
    CU_ASSERT_EQUAL(bytes_of_param("it = it & 4294967295\n it = (it * 1664525) & 4294967295"), LOWER_UNSIGNED);
    CU_ASSERT_EQUAL(bytes_of_param("it = it & 2147483647\n it = (it * 1664525) & 2147483647"), 4);
    CU_ASSERT_EQUAL(bytes_of_param("it = it & 4294967295\n it = it + 1"), 0);
    CU_ASSERT_EQUAL(bytes_of_param("if (on) { it = 7 }\n it = it & 4294967295"), 0);
    CU_ASSERT_EQUAL(bytes_of_param("it = it & 4294967295\n if (on) { it = 0 }"), LOWER_UNSIGNED);
    CU_ASSERT_EQUAL(bytes_of_param("it = it & 4294967295\n if (on) { return 1 }\n it = 0\n return 2"), 0);
    CU_ASSERT_EQUAL(bytes_of_param("it = it & 4294967295\n raise(it)\n it = 0"), 0);
}

/* Reals are not narrowed. */
static void test_types(void) {
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = reals[i] * 2.0\n flags[i] = it > 5.0")), 0);
    CU_ASSERT_EQUAL(bytes_of_it(PROGRAM("it = flags[i]\n flags[i] = not it")), 0);
    static const struct { TypeKind kind; bool single; int bytes; } types[] = {
        {TYPE_BOOLEAN, false, 1}, {TYPE_CHARACTER, false, 1}, {TYPE_INTEGER, true, 4}, {TYPE_INTEGER, false, 8},
        {TYPE_REAL_SINGLE, false, 4}, {TYPE_REAL_DOUBLE, false, 8}};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        CU_ASSERT_EQUAL(lower_stored_bytes(&(Type){.kind = types[i].kind, .stored_single = types[i].single}), types[i].bytes);
}

/* 2^52 added to a number below 2^51 leaves its bits in the fraction; from there on it does not. */
static void test_conversions(void) {
    const int64_t limit = (int64_t)1 << 51;
    CU_ASSERT_TRUE(lower_converts_in_vectors((Interval){-limit, limit}));
    CU_ASSERT_FALSE(lower_converts_in_vectors((Interval){-limit - 1, 0}));
    CU_ASSERT_FALSE(lower_converts_in_vectors((Interval){0, limit + 1}));
    CU_ASSERT_FALSE(lower_converts_in_vectors(INTERVAL_ALL));
}

UNIT_MAIN("narrow", {"values", test_values}, {"clamped Reals", test_clamped}, {"compared with", test_compared}, {"elements", test_elements}, {"fixed types", test_fixed},
          {"without a sign", test_unsigned}, {"factors", test_factors}, {"lower bits", test_low_bits}, {"parameters", test_params},
          {"types", test_types}, {"conversions", test_conversions})
