/* Literals as C text. */
#include "compiler/emit/program/writer.h"
#include "tests/unit/check_text.h"
#include "tests/unit/unit.h"
#include <math.h>

static void test_texts(void) {
    static const char text[] = "a?\?=\"\\\n\t\x7f\xC3\xA4\0001";
    Arena *arena = arena_new();
    CHECK_TEXT(emit_string_literal(arena, text, sizeof text - 1), "\"a\\077\\077=\\\"\\\\\\n\\011\\177\\303\\244\\0001\"");
    CHECK_TEXT(emit_character_literal(arena, 'x'), "'x'");
    CHECK_TEXT(emit_character_literal(arena, '\''), "'\\047'");
    CHECK_TEXT(emit_character_literal(arena, '\\'), "'\\134'");
    CHECK_TEXT(emit_character_literal(arena, 0xC3), "'\\303'");
    arena_free(arena);
}

static void test_numbers(void) {
    Arena *arena = arena_new();
    CHECK_TEXT(emit_integer_literal(arena, INT64_MAX), "9223372036854775807");
    CHECK_TEXT(emit_integer_literal(arena, INT64_MIN), "INT64_MIN");
    CHECK_TEXT(emit_integer_literal(arena, INT64_MIN + 1), "-9223372036854775807");
    CHECK_TEXT(emit_real_literal(arena, 0.1, false), "0.1");
    CHECK_TEXT(emit_real_literal(arena, 2.0, false), "2.0");
    CHECK_TEXT(emit_real_literal(arena, 2.0, true), "2.0f");
    CHECK_TEXT(emit_real_literal(arena, 0.1, true), "0.1f");
    CHECK_TEXT(emit_real_literal(arena, 1e30, true), "1e+30f");
    CHECK_TEXT(emit_real_literal(arena, 1023.99993896484375, true), "1023.99994f");
    CHECK_TEXT(emit_real_literal(arena, -0.0, true), "-0.0f");
    CHECK_TEXT(emit_real_literal(arena, -INFINITY, false), "-HUGE_VAL");
    CHECK_TEXT(emit_real_literal(arena, INFINITY, true), "INFINITY");
    CHECK_TEXT(emit_real_literal(arena, NAN, true), "NAN");
    CHECK_TEXT(emit_real_literal(arena, NAN, false), "(double)NAN");
    arena_free(arena);
}

UNIT_MAIN("literals", {"texts", test_texts}, {"numbers", test_numbers})
