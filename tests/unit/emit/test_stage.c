/* Stage functions compute what naive C computes: loops, bounds, reductions, accumulation order. */
#include "tests/unit/check_text.h"
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

/* ---- Reductions: against the order of reduce.h written as plainly as possible ------------------------- */
static const char REDUCE[] =
    "Task \"T\":\n"
    "  Define: x: 2d Array of Real double-precision\n"
    "    total: Real double-precision Reduction\n    place: Integer Reduction\n"
    "  Environment:\n    x: link\n"
    "  Stages:\n"
    "    reduce_both(a, total, place) {\n"
    "      do { reduce(total, \"sum\", a[i][j]) } for i, j in a and a[i][j] < 4.0\n"
    "      do { reduce(place, \"max_entry\", a[i][2]) } for i in a.dimension1\n"
    "    }\n"
    "  Computation:\n    Space A { reduce_both(x, total, place) }\n"
    "  Partition (p):\n    Space A <1d> { x<dim1>: block_size(p) }\n";

static const char REDUCE_MAIN[] =
    "static double chunk(const double *a, int64_t count) {\n"
    "    double lanes[32] = {0};\n"
    "    for (int64_t i = 0; i < count; i++)\n"
    "        if (a[i] < 4.0) lanes[i % 32] += a[i];\n"
    "    for (int half = 16; half > 0; half /= 2)\n"
    "        for (int l = 0; l < half; l++) lanes[l] += lanes[l + half];\n"
    "    return lanes[0];\n"
    "}\n"
    "static double pairs(double *chunks, int64_t count) {\n"
    "    for (; count > 1; count = (count + 1) / 2)\n"
    "        for (int64_t i = 0; i < count; i += 2) chunks[i / 2] = i + 1 < count ? chunks[i] + chunks[i + 1] : chunks[i];\n"
    "    return count > 0 ? chunks[0] : 0.0;\n"
    "}\n"
    "static int try_sizes(int64_t n, int64_t m) {\n"
    "    double *a = malloc(8 * (size_t)(n * m)), *chunks = malloc(8 * (size_t)(n * (m / 1024 + 1)));\n"
    "    for (int64_t i = 0; i < n * m; i++) a[i] = value(i) / 3.0;\n"
    "    int64_t count = 0, best = 0;\n"
    "    for (int64_t i = 0; i < n; i++) {\n"
    "        for (int64_t j = 0; j < m; j += 1024) chunks[count++] = chunk(a + i * m + j, hp5_min(1024, m - j));\n"
    "        if (a[i * m] > a[best * m]) best = i;\n"
    "    }\n"
    "    Array x;\n"
    "    double total;\n"
    "    Hp5EntryReal place;\n"
    "    reduce_both(array(&x, a, 2, n, m), &total, &place);\n"
    "    const int wrong = total != pairs(chunks, count) || place.index != best + 2;\n"
    "    free(a), free(chunks);\n"
    "    return wrong;\n"
    "}\n"
    "int main(void) { return try_sizes(1, 1) | try_sizes(3, 33) | try_sizes(5, 1024) | try_sizes(7, 4100) | try_sizes(1100, 3); }\n";

static void test_reduce(void) { check(REDUCE, (Binding){0}, REDUCE_MAIN); }
static void test_reduce_runs(void) { check(REDUCE, (Binding){.runs = true}, REDUCE_MAIN); }

/* ---- Parts of several runs ------------------------------------------------------------------------------- */
static const char STRIDED[] =
    "Task \"T\":\n"
    "  Define: x: 2d Array of Real double-precision\n    count: Integer\n"
    "  Environment:\n    x: link\n"
    "  Stages:\n"
    "    mark(a, count) {\n"
    "      do { a[i][j] = i * 100 + j } for i, j in a and i > 2 and j < 9\n"
    "      do in sequence { if (k in a.local.dimension1.range) { count = count + 1 } } for k in a.dimension1.range\n"
    "      do { a[i][i] = 1.0 } for i in a\n"
    "    }\n"
    "  Computation:\n    mark(x, count)\n"
    "  Partition (p):\n    Space A <1d> { x<dim1>: block_size(p) }\n";

static const char STRIDED_MAIN[] =
    "int main(void) {\n"
    "    double a[12][12] = {{0}};\n"
    "    Array x;\n"
    "    const Hp5View *view = array(&x, a, 0, 12, 12);\n"
    "    x.part[0] = (Hp5Set){1, 11, 2, 4, NULL, 0};  /* 1 2 5 6 9 10 */\n"
    "    x.part[1] = (Hp5Set){0, 12, 1, 3, NULL, 0};  /* 0 3 6 9 */\n"
    "    int64_t count = 10;\n"
    "    mark(view, &count);\n"
    "    int wrong = count != 16;\n"
    "    for (int i = 0; i < 12; i++)\n"
    "        for (int j = 0; j < 12; j++) {\n"
    "            const int row = i % 4 == 1 || i % 4 == 2, column = j % 3 == 0;\n"
    "            const double expected = i == j && row && column ? 1.0 : row && column && i > 2 && j < 9 ? i * 100 + j : 0.0;\n"
    "            wrong |= a[i][j] != expected;\n"
    "        }\n"
    "    return wrong;\n"
    "}\n";

static void test_strided(void) { check(STRIDED, (Binding){.runs = true}, STRIDED_MAIN); }

/* ---- The text itself ----------------------------------------------------------------------------------------- */
/* The program's stage has this text, from the line that begins so on. */
static void check_stage(const char *program, const char *begin, const char *expected) {
    Fixture f;
    bool opened = fixture_open(&f, program, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    Text text = {0};
    backend_cpu.stage(&f.emit, f.stages.items[0], &text);
    const char *at = strstr(text.data, begin);
    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    CHECK_TEXT(at, expected);
    text_free(&text);
    fixture_close(&f);
}

/* Ranges that a loop asks for in each round, before it; those of its first round where they are. */
static const char COUNTING[] =
    "Task \"T\":\n"
    "  Define: places, counts: 1d Array of Integer\n"
    "  Environment:\n    places, counts: link\n"
    "  Stages:\n"
    "    count(counts, places) {\n"
    "      do in sequence {\n"
    "        bin = places[i]\n"
    "        if (bin in counts.dimension.range) { counts[bin] = counts[bin] + 1 }\n"
    "      } for i in places.dimension.range\n"
    "    }\n"
    "  Computation:\n    Space A { count(counts, places) }\n"
    "  Partition:\n    Space A <un-partitioned> { counts, places }\n";

static void test_ranges(void) {
    check_stage(COUNTING, "    const Hp5Range ",
               "    const Hp5Range counts_range1 = hp5_array_range(counts_view, 0);\n"
               "    for (int64_t i = hp5_array_range(places_view, 0).min, i_last = hp5_array_range(places_view, 0).max;\n"
               "            i <= i_last; i++) {\n"
               "        const int64_t bin = places[i];\n"
               "        if (hp5_range_has(counts_range1, bin)) {\n"
               "            counts[bin] = counts[bin] + 1;\n"
               "        }\n"
               "    }\n"
               "}\n\n");
}

/* Down the columns of a table, whose rows are asked for ahead; not those of what the loop writes, nor what all lanes share. */
static const char COLUMNS[] =
    "Task \"T\":\n"
    "  Define: table, kept: 2d Array of Real double-precision\n"
    "    weight, least: 1d Array of Real double-precision\n"
    "  Environment:\n    table, kept, weight, least: link\n"
    "  Stages:\n"
    "    look(least, kept, table, weight) {\n"
    "      do {\n"
    "        low = 0.0\n"
    "        do in sequence {\n"
    "          low = min(low, table[i - 1][j] * weight[i]) + kept[i][j]\n"
    "          kept[i][j] = low\n"
    "        } for i in [1...9] step -1\n"
    "        least[j] = low\n"
    "      } for j in least\n"
    "    }\n"
    "  Computation:\n    Space A { look(least, kept, table, weight) }\n"
    "  Partition:\n    Space A <un-partitioned> { table, kept, weight, least }\n";

static void test_rows_ahead(void) {
    Fixture f;
    bool opened = fixture_open(&f, COLUMNS, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    Text text = {0};
    backend_cpu.stage(&f.emit, f.stages.items[0], &text);
    const char *at = strstr(text.data, "hp5_fetch(");
    CU_ASSERT_PTR_NOT_NULL_FATAL(at);
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, "if (hp5_is_far(table_view, 0, sizeof(double)))"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, "hp5_fetch(&table[((i - HP5_ROUNDS_AHEAD) - 1) * table_ld1 + j_first], sizeof(double) *"));
    CU_ASSERT_PTR_NULL(strstr(text.data, "hp5_fetch(&kept"));
    CU_ASSERT_PTR_NULL(strstr(text.data, "hp5_fetch(&weight"));
    text_free(&text);
    fixture_close(&f);
}

/* What all lanes read again behind a store is read in front of them, once. */
static const char AGAIN[] =
    "Task \"T\":\n"
    "  Define: a, b: 2d Array of Real double-precision\n"
    "    w, total: 1d Array of Real double-precision\n"
    "  Environment:\n    a, b, w, total: link\n"
    "  Stages:\n"
    "    add(a, b, w, total) {\n"
    "      do {\n"
    "        sum = 0.0\n"
    "        do in sequence {\n"
    "          a[k][j] = a[k][j] + w[k] * b[0][j]\n"
    "          sum = sum + w[k] * b[k][j] + w[k + 1]\n"
    "        } for k in [0...99]\n"
    "        total[j] = sum\n"
    "      } for j in total\n"
    "    }\n"
    "  Computation:\n    Space A { add(a, b, w, total) }\n"
    "  Partition:\n    Space A <un-partitioned> { a, b, w, total }\n";

static void test_read_again(void) {
    Fixture f;
    bool opened = fixture_open(&f, AGAIN, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    Text text = {0};
    backend_cpu.stage(&f.emit, f.stages.items[0], &text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, "const double shared = w[k];"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, "a[k * a_ld1 + j] = fma(shared, b[0 * b_ld1 + j], a[k * a_ld1 + j]);"));
    CU_ASSERT_PTR_NULL(strstr(text.data, "= w[k + 1];"));
    text_free(&text);
    fixture_close(&f);
}

static const char STENCIL[] =
    "Task \"T\":\n"
    "  Define: plate: 2d Array of Real single-precision\n"
    "  Environment:\n    plate: link\n"
    "  Stages:\n"
    "    relax(u) {\n"
    "      rows = u.local.dimension1.range\n"
    "      do { u[i][j] = 0.25 * (u[i-1][j] + u[i+1][j]) at (current - 1) } for i, j in u and i > rows.min and i < rows.max\n"
    "    }\n"
    "  Computation:\n    Space A { Epoch { relax(plate) } }\n"
    "  Partition (p):\n    Space A <1d> { plate<dim1>: block_size(p) padding(1) }\n";

static void test_text(void) {
    check_stage(STENCIL, "/* Stage relax",
               "/* Stage relax in Space Root (line 6). */\n"
               "static void relax(const Hp5View *u_view) {\n"
               "    const int64_t u_ld1 = u_view->store->stride[0];\n"
               "    const int64_t u_origin = u_view->store->lo[0] * u_ld1 + u_view->store->lo[1];\n"
               "    float *restrict u = HP5_FROM_ORIGIN(float, u_view->store->version[0], u_origin);\n"
               "    const float *restrict u_1 = HP5_FROM_ORIGIN(const float, u_view->store->version[1], u_origin);\n"
               "    const Hp5Range rows = hp5_part_range(u_view, 0);\n"
               "    for (int64_t i = hp5_max(u_view->part[0].begin, rows.min + 1),\n"
               "            i_end = hp5_min(u_view->part[0].end, rows.max); i < i_end; i++) {\n"
               "        HP5_INDEPENDENT\n"
               "        for (int64_t j = u_view->part[1].begin, j_end = u_view->part[1].end; j < j_end; j++) {\n"
               "            u[i * u_ld1 + j] = 0.25f * (u_1[(i - 1) * u_ld1 + j] + u_1[(i + 1) * u_ld1 + j]);\n"
               "        }\n"
               "    }\n"
               "}\n\n");
}

/* Functions on a static array that call others, with rounds whose ends follow from the round around; and one whose array stays whole, and the call with it. */
#define ON_ARRAYS(statements)                                                                                         \
    "Function order(&w, a, b) { low = min(w[a], w[b]) w[b] = max(w[a], w[b]) w[a] = low }\n"                           \
    "Function sort(&w) { do in sequence { do in sequence { order(w, a, a + 1) } for a in [max(round % 2, 0)...3] step 2 } for round in [0...1] }\n" \
    "Task \"T\":\n"                                                                                                    \
    "  Define: x, y: 1d Array of Integer\n"                                                                           \
    "  Environment:\n    x, y: link\n"                                                                               \
    "  Stages:\n"                                                                                                    \
    "    work(y, x) {\n"                                                                                             \
    "      do { w = new Array[5] of Integer w[0] = x[i] w[3] = 7 " statements " y[i] = w[1] } for i in y\n"           \
    "    }\n"                                                                                                        \
    "  Computation:\n    work(y, x)\n"                                                                               \
    "  Partition (p):\n    Space A <1d> { x, y: block_size(p) }\n"

static void test_on_arrays(void) {
    check_stage(ON_ARRAYS("sort(w)"), "        w_3 = 7",
                "        w_3 = 7;\n"
                "        const int64_t low = hp5_min(w_0, w_1);\n"
                "        w_1 = hp5_max(w_0, w_1);\n"
                "        w_0 = low;\n"
                "        const int64_t low_2 = hp5_min(w_2, w_3);\n"
                "        w_3 = hp5_max(w_2, w_3);\n"
                "        w_2 = low_2;\n"
                "        const int64_t low_3 = hp5_min(w_1, w_2);\n"
                "        w_2 = hp5_max(w_1, w_2);\n"
                "        w_1 = low_3;\n"
                "        const int64_t low_4 = hp5_min(w_3, w_4);\n"
                "        w_4 = hp5_max(w_3, w_4);\n"
                "        w_3 = low_4;\n"
                "        y[i] = w_1;\n"
                "    }\n"
                "}\n\n");
    check_stage(ON_ARRAYS("sort(w) order(w, 1, x[i] % 5)"), "        w.at[3] = 7",
                "        w.at[3] = 7;\n"
                "        sort(&w);\n"
                "        order(&w, 1, x[i] % 5);\n"
                "        y[i] = w.at[1];\n"
                "    }\n"
                "}\n\n");
}

/* The function whose call stays is put in its place by the C compiler, if it sees fit; one that is short and straight always. */
static void test_called(void) {
    Fixture f;
    bool opened = fixture_open(&f, ON_ARRAYS("sort(w) order(w, 1, x[i] % 5)"), (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    Text text = {0};
    emit_functions(&f.emit, &text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, "static inline void order(struct Array_5_int64_t *w, int64_t a, int64_t b) {"));
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, "static inline void sort(struct Array_5_int64_t *w) {"));
    text_free(&text);
    fixture_close(&f);
}

/* ---- Statements, functions and types --------------------------------------------------------------------------- */
static const char STATEMENTS[] =
    "Type Cell: value: Real double-precision\n    tags: Array[2][3] of Integer\n    extent: Range\n"
    "Function limit(v, most) {\n    if (v > most) { return most }\n    return v\n}\n"
    "Function exchange(&a, &b) {\n    t = a\n    a = b\n    b = t\n}\n"
    "Task \"T\":\n"
    "  Define: cells: 1d Array of Cell\n    small: 1d Array of Integer single-precision\n    double: Real double-precision\n"
    "    on: Boolean\n"
    "  Environment:\n    cells, small: link\n"
    "  Stages:\n"
    "    work(c, s) {\n"
    "      do in sequence {\n"
    "        c[k].value = limit(k * 1.5, 4.0)\n"
    "        c[k].tags[k % 2][k % 3] = k ** 3 - 7 / (k + 1)\n"
    "        c[k].extent = [k...2 * k]\n"
    "        s[k] = c[k].extent.length + (k << 2)\n"
    "      } for k in [0...5]\n"
    "      do in sequence { s[k] = s[k] + 100 } for k in [0...5] step -2\n"
    "      first = c[0].value\n"
    "      second = c[1].value\n"
    "      exchange(first, second)\n"
    "      double = double + (first - second) * 2.0\n"
    "      rest = 20\n"
    "      do { rest = rest / 3 } while rest > 1\n"
    "      on = not on and rest in [0...1] or double != double\n"
    "      if (on) { return }\n"
    "      s[0] = -1\n"
    "    }\n"
    "  Computation:\n    work(cells, small)\n"
    "  Partition (p):\n    Space A <1d> { cells, small: block_size(p) }\n";

static const char STATEMENTS_MAIN[] =
    "const Hp5Element hp5_int64 = {HP5_INT64, \"Integer\", 8, 0, NULL};\n"
    "const Hp5Element hp5_float64 = {HP5_FLOAT64, \"Real\", 8, 0, NULL};\n"
    "int main(void) {\n"
    "    struct Cell cells[6] = {{0}};\n"
    "    int32_t small[6] = {0};\n"
    "    Array c, s;\n"
    "    double total = 1.0;\n"
    "    bool on = false;\n"
    "    work(array(&c, cells, 0, 6, 0), array(&s, small, 0, 6, 0), &total, &on);\n"
    "    int wrong = total != 1.0 + 1.5 * 2.0 || !on;\n"
    "    for (int k = 0; k < 6; k++) {\n"
    "        wrong |= cells[k].value != (k * 1.5 > 4.0 ? 4.0 : k * 1.5);\n"
    "        wrong |= cells[k].tags.at[k % 2][k % 3] != k * k * k - 7 / (k + 1);\n"
    "        wrong |= cells[k].extent.min != k || cells[k].extent.max != 2 * k;\n"
    "        wrong |= small[k] != k + 1 + 4 * k + (k % 2 == 1 ? 100 : 0);\n"
    "    }\n"
    "    return wrong || element_Cell.size != sizeof cells[0];\n"
    "}\n";

static void test_statements(void) { check(STATEMENTS, (Binding){0}, STATEMENTS_MAIN); }

UNIT_MAIN("stage", {"multiply", test_multiply}, {"multiply, several runs", test_multiply_runs},
          {"multiply, arrays may be the same", test_multiply_aliased}, {"reductions", test_reduce},
          {"reductions, several runs", test_reduce_runs}, {"strided parts", test_strided}, {"text", test_text}, {"ranges", test_ranges}, {"rows ahead", test_rows_ahead}, {"read again", test_read_again}, {"functions on static arrays", test_on_arrays}, {"functions that are called", test_called},
          {"statements", test_statements})
