/* Stage functions compute what naive C computes: loops, bounds, reductions, accumulation order. */
#include "tests/unit/emit/stage_fixture.h"

/* Opens a one-task program and runs its stages with `main_text`. */
static void check(const char *program, Binding binding, const char *main_text) {
    Fixture f;
    bool opened = fixture_open(&f, program, binding);
    CU_ASSERT_TRUE_FATAL(opened);
    CU_ASSERT_TRUE(fixture_run(&f, main_text));
    fixture_close(&f);
}

static const char MULTIPLY[] =
    "Task \"T\":\n"
    "  Define: x, y, z: 2d Array of Real double-precision\n"
    "  Environment:\n    y, z: link\n    x: link\n"
    "  Stages:\n"
    "    multiply(c, a, b) { do { c[i][j] = c[i][j] + a[i][k] * b[k][j] } for i, j in c; k in a }\n"
    "  Computation:\n    Space A { multiply(x, y, z) }\n"
    "  Partition (p):\n    Space A <1d> { x<dim1>, y<dim1>: block_size(p)\n z: replicated }\n";

static const char MULTIPLY_MAIN[] =
    "static int try_sizes(int64_t n, int64_t m, int64_t depth) {\n"
    "    double *c = malloc(8 * (size_t)(n * m + 1)), *a = malloc(8 * (size_t)(n * depth + 1));\n"
    "    double *b = malloc(8 * (size_t)(depth * m + 1)), *r = malloc(8 * (size_t)(n * m + 1));\n"
    "    for (int64_t i = 0; i < n * m; i++) c[i] = r[i] = value(i);\n"
    "    for (int64_t i = 0; i < n * depth; i++) a[i] = value(3 * i);\n"
    "    for (int64_t i = 0; i < depth * m; i++) b[i] = value(5 * i);\n"
    "    Array x, y, z;\n"
    "    multiply(array(&x, c, 2, n, m), array(&y, a, 2, n, depth), array(&z, b, 2, depth, m));\n"
    "    for (int64_t i = 0; i < n; i++)\n"
    "        for (int64_t j = 0; j < m; j++)\n"
    "            for (int64_t k = 0; k < depth; k++) r[i * m + j] = fma(a[i * depth + k], b[k * m + j], r[i * m + j]);\n"
    "    const int wrong = memcmp(r, c, 8 * (size_t)(n * m)) != 0;\n"
    "    free(c), free(a), free(b), free(r);\n"
    "    return wrong;\n"
    "}\n"
    "int main(void) {\n"
    "    return try_sizes(1, 1, 1) | try_sizes(3, 2, 7) | try_sizes(97, 31, 300) | try_sizes(8, 24, 0) |\n"
    "           try_sizes(5, 500, 3) | try_sizes(140, 7, 9);\n"
    "}\n";

static void test_multiply(void) { check(MULTIPLY, (Binding){0}, MULTIPLY_MAIN); }
static void test_multiply_runs(void) { check(MULTIPLY, (Binding){.runs = true}, MULTIPLY_MAIN); }
static void test_multiply_aliased(void) { check(MULTIPLY, (Binding){.unrestricted = true}, MULTIPLY_MAIN); }

UNIT_MAIN("stage", {"multiply", test_multiply}, {"multiply, several runs", test_multiply_runs},
          {"multiply, arrays may be the same", test_multiply_aliased})
