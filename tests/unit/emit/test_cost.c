/* What hp5c writes about the cost of stages, in full text: counts of straight-line code, loops, inner bounds, choices,
 * reductions, vectors and chains. */
#include "tests/unit/check_text.h"
#include "tests/unit/emit/stage_fixture.h"

static void check(const char *stages, const char *call, const char *expected) {
    char program[2000];
    snprintf(program, sizeof program,
             "Task \"T\":\n  Define:\n    a, b: 2d Array of Real double-precision\n    v, w: 1d Array of Real double-precision\n"
             "    n: 1d Array of Integer\n    sum: Real double-precision Reduction\n"
             "  Environment:\n    a, b, v, w, n: link\n  Stages:\n%s\n  Computation:\n    Space A { %s }\n"
             "  Partition (p):\n    Space A <1d> { a<dim1>, b<dim1>, v, w, n: block_size(p) }\n",
             stages, call);
    Fixture f;
    bool opened = fixture_open(&f, program, (Binding){0});
    CU_ASSERT_TRUE_FATAL(opened);
    Text text = {0};
    backend_cpu.stage_cost(&f.emit, f.stages.items[0], &text);
    CHECK_TEXT(text.data, expected);
    text_free(&text);
    fixture_close(&f);
}

#define HEAD(name, parameters) \
    "__attribute__((cold)) static void " name "_cost(Hp5Cost *cost" parameters ") {\n"

static void test_vectors(void) {
    check("    add(v, w) { do { v[i] = v[i] + 2.0 * w[i + 1] - w[i - 1] } for i in v }", "add(v, w)",
          "/* What stage add in Space Root costs (line 10). */\n"
          "static const Hp5CostAccess add_counts_0[] = {\n"
          "    {.view = 0, .reads = 1, .writes = 1, .moves = {1}}, /* v */\n"
          "    {.view = 1, .reads = 2, .moves = {1}, .spread = {2}}, /* w */\n"
          "};\n"
          "static const Hp5CostBlock add_counts[] = {\n"
          "    {.line = 10, .reals = 3, .lanes = 8, .access_count = 2, .accesses = add_counts_0},\n"
          "};\n" HEAD("add", ", const Hp5View *v_view, const Hp5View *w_view") 
          "    const Hp5View *const views[] = {v_view, w_view};\n"
          "    hp5_cost_loop(cost, hp5_cost_trips(v_view->part[0].begin, v_view->part[0].end)); /* i */\n"
          "    hp5_cost_block(cost, &add_counts[0], views);\n"
          "    hp5_cost_end(cost);\n"
          "}\n\n");
}

/* A bound that follows from the outer index; an accumulation in a local is a chain. */
static void test_nested(void) {
    check("    lower(v, a) {\n"
          "      do {\n"
          "        total = 0.0\n"
          "        do in sequence { total = total + a[i][j] / 3.0 } for j in [0...i - 1]\n"
          "        v[i] = total\n"
          "      } for i in v\n"
          "    }",
          "lower(v, a)",
          "/* What stage lower in Space Root costs (line 10). */\n"
          "static const Hp5CostAccess lower_counts_0[] = {\n"
          "    {.view = 0, .writes = 1, .moves = {1}}, /* v */\n"
          "};\n"
          "static const Hp5CostAccess lower_counts_1[] = {\n"
          "    {.view = 1, .reads = 1, .moves = {1, 2}}, /* a */\n"
          "};\n"
          "static const Hp5CostBlock lower_counts[] = {\n"
          "    {.line = 11, .access_count = 1, .accesses = lower_counts_0},\n"
          "    {.line = 13, .reals = 1, .divisions = 1, .chain = 1, .access_count = 1, .accesses = lower_counts_1},\n"
          "};\n" HEAD("lower", ", const Hp5View *v_view, const Hp5View *a_view")
          "    const Hp5View *const views[] = {v_view, a_view};\n"
          "    for (Hp5CostSample i_sample =\n"
          "            hp5_cost_sample(cost, hp5_cost_trips(v_view->part[0].begin, v_view->part[0].end));\n"
          "            hp5_cost_next(cost, &i_sample);) {\n"
          "        const int64_t i = hp5_cost_pick(&v_view->part[0], v_view->part[0].begin, i_sample.at);\n"
          "        hp5_cost_block(cost, &lower_counts[0], views);\n"
          "        hp5_cost_loop(cost, hp5_cost_steps(hp5_range(0, i - 1), 1)); /* j */\n"
          "        hp5_cost_block(cost, &lower_counts[1], views);\n"
          "        hp5_cost_end(cost);\n"
          "    }\n"
          "}\n\n");
}

/* The dearer branch counts, in vectors both; a loop in a branch is counted where its condition holds. */
static void test_choices(void) {
    check("    choose(v, limit) {\n"
          "      low = limit - 1\n"
          "      if (low > 4) { do { v[i] = exp(v[i]) } for i in v and i < low }\n"
          "      do { if (v[i] > 2.0) { v[i] = sqrt(v[i]) } else { v[i] = 0.0 } } for i in v\n"
          "    }",
          "choose(v, partition.p)",
          "/* What stage choose in Space Root costs (line 10). */\n"
          "static const Hp5CostAccess choose_counts_1[] = {\n"
          "    {.view = 0, .reads = 1, .writes = 1, .moves = {1}}, /* v */\n"
          "};\n"
          "static const Hp5CostAccess choose_counts_2[] = {\n"
          "    {.view = 0, .reads = 2, .writes = 2, .moves = {1}}, /* v */\n"
          "};\n"
          "static const Hp5CostBlock choose_counts[] = {\n"
          "    {.line = 10, .integers = 2},\n"
          "    {.line = 12, .functions = 1, .lanes = 8, .access_count = 1, .accesses = choose_counts_1},\n"
          "    {.line = 13, .reals = 1, .divisions = 1, .lanes = 8, .access_count = 1, .accesses = choose_counts_2},\n"
          "};\n" HEAD("choose", ", const Hp5View *v_view, int64_t limit")
          "    const Hp5View *const views[] = {v_view};\n"
          "    hp5_cost_block(cost, &choose_counts[0], views);\n"
          "    const int64_t low = limit - 1;\n"
          "    if (low > 4) {\n"
          "        hp5_cost_loop(cost, hp5_cost_trips(v_view->part[0].begin, hp5_min(v_view->part[0].end, low))); /* i */\n"
          "        hp5_cost_block(cost, &choose_counts[1], views);\n"
          "        hp5_cost_end(cost);\n"
          "    }\n"
          "    hp5_cost_loop(cost, hp5_cost_trips(v_view->part[0].begin, v_view->part[0].end)); /* i */\n"
          "    hp5_cost_block(cost, &choose_counts[2], views);\n"
          "    hp5_cost_end(cost);\n"
          "}\n\n");
}

/* A reduction is one operation more and stays in vectors; fused multiply-adds count two operations. */
static void test_reduction(void) {
    check("    dot(sum, v, w) { do { reduce(sum, \"sum\", fabs(v[i]) * w[i]) } for i in v }", "dot(sum, v, w)",
          "/* What stage dot in Space Root costs (line 10). */\n"
          "static const Hp5CostAccess dot_counts_0[] = {\n"
          "    {.view = 0, .reads = 1, .moves = {1}}, /* v */\n"
          "    {.view = 1, .reads = 1, .moves = {1}}, /* w */\n"
          "};\n"
          "static const Hp5CostBlock dot_counts[] = {\n"
          "    {.line = 10, .reals = 3, .lanes = 8, .reductions = 1, .access_count = 2, .accesses = dot_counts_0},\n"
          "};\n" HEAD("dot", ", double *sum, const Hp5View *v_view,\n        const Hp5View *w_view")
          "    (void)sum;\n"
          "    const Hp5View *const views[] = {v_view, w_view};\n"
          "    hp5_cost_loop(cost, hp5_cost_trips(v_view->part[0].begin, v_view->part[0].end)); /* i */\n"
          "    hp5_cost_block(cost, &dot_counts[0], views);\n"
          "    hp5_cost_end(cost);\n"
          "}\n\n");
}

static void test_product(void) {
    check("    multiply(a, b) { do { a[i][j] = a[i][j] + b[i][k] * b[k][j] } for i, j in a; k in b.dimension1 }", "multiply(a, b)",
          "/* What stage multiply in Space Root costs (line 10). */\n"
          "static const Hp5CostAccess multiply_counts_0[] = {\n"
          "    {.view = 0, .reads = 1, .writes = 1, .moves = {1, 4}}, /* a */\n"
          "    {.view = 1, .reads = 1, .moves = {1, 2}}, /* b */\n"
          "    {.view = 1, .reads = 1, .moves = {2, 4}}, /* b */\n"
          "};\n"
          "static const Hp5CostBlock multiply_counts[] = {\n"
          "    {.line = 10, .reals = 2, .fused = 1, .lanes = 8, .multiply = true, .access_count = 3, .accesses = multiply_counts_0},\n"
          "};\n" HEAD("multiply", ", const Hp5View *a_view, const Hp5View *b_view")
          "    const Hp5View *const views[] = {a_view, b_view};\n"
          "    hp5_cost_loop(cost, hp5_cost_trips(a_view->part[0].begin, a_view->part[0].end)); /* i */\n"
          "    hp5_cost_loop(cost, hp5_cost_trips(b_view->part[0].begin, b_view->part[0].end)); /* k */\n"
          "    hp5_cost_loop(cost, hp5_cost_trips(a_view->part[1].begin, a_view->part[1].end)); /* j */\n"
          "    hp5_cost_block(cost, &multiply_counts[0], views);\n"
          "    hp5_cost_end(cost);\n"
          "    hp5_cost_end(cost);\n"
          "    hp5_cost_end(cost);\n"
          "}\n\n");
}

/* Bounds in the data are read where they are; places that depend on data may be anywhere; a loop that ends when it ends
 * counts as one round. */
static void test_data(void) {
    check("    gather(v, w, n) {\n"
          "      do {\n"
          "        total = 0.0\n"
          "        do { total = total + w[n[j]] } for j in [0...n[i]]\n"
          "        v[i] = total\n"
          "      } for i in v\n"
          "      rest = 1.0\n"
          "      do { rest = rest / 2.0 } while rest > 0.1\n"
          "      v[0] = rest\n"
          "    }",
          "gather(v, w, n)",
          "/* What stage gather in Space Root costs (line 10). */\n"
          "static const Hp5CostAccess gather_counts_0[] = {\n"
          "    {.view = 0, .writes = 1}, /* v */\n"
          "};\n"
          "static const Hp5CostAccess gather_counts_1[] = {\n"
          "    {.view = 0, .writes = 1, .moves = {1}}, /* v */\n"
          "};\n"
          "static const Hp5CostAccess gather_counts_2[] = {\n"
          "    {.view = 2, .reads = 1, .moves = {2}}, /* n */\n"
          "    {.view = 1, .reads = 1, .moves = {2}, .anywhere = {1}}, /* w */\n"
          "};\n"
          "static const Hp5CostBlock gather_counts[] = {\n"
          "    {.line = 10, .access_count = 1, .accesses = gather_counts_0},\n"
          "    {.line = 11, .access_count = 1, .accesses = gather_counts_1},\n"
          "    {.line = 13, .reals = 1, .chain = 1, .access_count = 2, .accesses = gather_counts_2},\n"
          "    {.line = 17, .divisions = 1},\n"
          "};\n"
          HEAD("gather", ", const Hp5View *v_view, const Hp5View *w_view,\n        const Hp5View *n_view")
          "    const Hp5View *const views[] = {v_view, w_view, n_view};\n"
          "    hp5_cost_block(cost, &gather_counts[0], views);\n"
          "    for (Hp5CostSample i_sample =\n"
          "            hp5_cost_sample(cost, hp5_cost_trips(v_view->part[0].begin, v_view->part[0].end));\n"
          "            hp5_cost_next(cost, &i_sample);) {\n"
          "        const int64_t i = hp5_cost_pick(&v_view->part[0], v_view->part[0].begin, i_sample.at);\n"
          "        hp5_cost_block(cost, &gather_counts[1], views);\n"
          "        hp5_cost_loop(cost, hp5_cost_trips(0,\n"
          "                hp5_after((*(const int64_t *)hp5_cost_peek(n_view, 0, (const int64_t[]){i}))))); /* j */\n"
          "        hp5_cost_block(cost, &gather_counts[2], views);\n"
          "        hp5_cost_end(cost);\n"
          "    }\n"
          "    hp5_cost_unknown(cost);\n"
          "    hp5_cost_block(cost, &gather_counts[3], views);\n"
          "}\n"
          "\n");
}

/* Three rounds that C compilers write one after the other are straight-line code of the loop around, which is a vector loop. */
static void test_written_out(void) {
    check("    near(n, v) {\n"
          "      do {\n"
          "        few = 0\n"
          "        do { if (v[m] > 0.5) { few = few + 1 } } for m in [i - 1...i + 1]\n"
          "        n[i] = few\n"
          "      } for i in n\n"
          "    }",
          "near(n, v)",
          "/* What stage near in Space Root costs (line 10). */\n"
          "static const Hp5CostAccess near_counts_0[] = {\n"
          "    {.view = 1, .reads = 3, .moves = {1}, .spread = {2}}, /* v */\n"
          "    {.view = 0, .writes = 1, .moves = {1}}, /* n */\n"
          "};\n"
          "static const Hp5CostBlock near_counts[] = {\n"
          "    {.line = 11, .reals = 3, .integers = 3, .lanes = 8, .access_count = 2, .accesses = near_counts_0},\n"
          "};\n"
          "__attribute__((cold)) static void near_cost(Hp5Cost *cost, const Hp5View *n_view, const Hp5View *v_view) {\n"
          "    const Hp5View *const views[] = {n_view, v_view};\n"
          "    hp5_cost_loop(cost, hp5_cost_trips(n_view->part[0].begin, n_view->part[0].end)); /* i */\n"
          "    hp5_cost_block(cost, &near_counts[0], views);\n"
          "    hp5_cost_end(cost);\n"
          "}\n"
          "\n");
}

/* Where they are those of usual numbers, Integers made of Reals and extrema take fewer operations than otherwise: 4 and 1, and 4 to look at
 * each row; without a row 3 for a minimum and 6 for a maximum. */
static void test_usual(void) {
    check("    steps(n, v) {\n"
          "      do { n[i] = Integer(max(max(v[i - 1], v[i]), v[i + 1])) } for i in n\n"
          "      do { v[i] = max(v[i], min(v[i] - 0.5, 0.25)) } for i in v\n"
          "    }",
          "steps(n, v)",
          "/* What stage steps in Space Root costs (line 10). */\n"
          "static const Hp5CostAccess steps_counts_0[] = {\n"
          "    {.view = 0, .writes = 1, .moves = {1}}, /* n */\n"
          "    {.view = 1, .reads = 3, .moves = {1}, .spread = {2}}, /* v */\n"
          "};\n"
          "static const Hp5CostAccess steps_counts_1[] = {\n"
          "    {.view = 1, .reads = 2, .writes = 1, .moves = {1}}, /* v */\n"
          "};\n"
          "static const Hp5CostBlock steps_counts[] = {\n"
          "    {.line = 11, .reals = 6, .integers = 4, .lanes = 8, .access_count = 2, .accesses = steps_counts_0},\n"
          "    {.line = 12, .reals = 8, .lanes = 8, .access_count = 1, .accesses = steps_counts_1},\n"
          "};\n"
          "__attribute__((cold)) static void steps_cost(Hp5Cost *cost, const Hp5View *n_view, const Hp5View *v_view) {\n"
          "    const Hp5View *const views[] = {n_view, v_view};\n"
          "    hp5_cost_loop(cost, hp5_cost_trips(n_view->part[0].begin, n_view->part[0].end)); /* i */\n"
          "    hp5_cost_block(cost, &steps_counts[0], views);\n"
          "    hp5_cost_end(cost);\n"
          "    hp5_cost_loop(cost, hp5_cost_trips(v_view->part[0].begin, v_view->part[0].end)); /* i */\n"
          "    hp5_cost_block(cost, &steps_counts[1], views);\n"
          "    hp5_cost_end(cost);\n"
          "}\n"
          "\n");
}

/* A sum of Integers is one in any order: no chain; sums of Reals wait for each other. */
static void test_integer_sums(void) {
    check("    tally(n, v) {\n"
          "      many = 0\n"
          "      do { if (v[i] > 0.5) { many = many + 1 } } for i in v\n"
          "      n[0] = many\n"
          "    }",
          "tally(n, v)",
          "/* What stage tally in Space Root costs (line 10). */\n"
          "static const Hp5CostAccess tally_counts_0[] = {\n"
          "    {.view = 0, .writes = 1}, /* n */\n"
          "};\n"
          "static const Hp5CostAccess tally_counts_1[] = {\n"
          "    {.view = 1, .reads = 1, .moves = {1}}, /* v */\n"
          "};\n"
          "static const Hp5CostBlock tally_counts[] = {\n"
          "    {.line = 10, .access_count = 1, .accesses = tally_counts_0},\n"
          "    {.line = 12, .reals = 1, .integers = 1, .lanes = 8, .access_count = 1, .accesses = tally_counts_1},\n"
          "};\n"
          "__attribute__((cold)) static void tally_cost(Hp5Cost *cost, const Hp5View *n_view, const Hp5View *v_view) {\n"
          "    const Hp5View *const views[] = {n_view, v_view};\n"
          "    hp5_cost_block(cost, &tally_counts[0], views);\n"
          "    hp5_cost_loop(cost, hp5_cost_trips(v_view->part[0].begin, v_view->part[0].end)); /* i */\n"
          "    hp5_cost_block(cost, &tally_counts[1], views);\n"
          "    hp5_cost_end(cost);\n"
          "}\n"
          "\n");
}

/* Of an inner loop that ends where the outer one is, the outer one is walked. */
static void test_triangle(void) {
    check("    lower(a) { do { a[i][j] = 0.0 } for i, j in a and j < i }", "lower(a)", 
          "/* What stage lower in Space Root costs (line 10). */\n"
          "static const Hp5CostAccess lower_counts_0[] = {\n"
          "    {.view = 0, .writes = 1, .moves = {1, 2}}, /* a */\n"
          "};\n"
          "static const Hp5CostBlock lower_counts[] = {\n"
          "    {.line = 10, .lanes = 8, .access_count = 1, .accesses = lower_counts_0},\n"
          "};\n"
          "__attribute__((cold)) static void lower_cost(Hp5Cost *cost, const Hp5View *a_view) {\n"
          "    const Hp5View *const views[] = {a_view};\n"
          "    for (Hp5CostSample i_sample =\n"
          "            hp5_cost_sample(cost, hp5_cost_trips(a_view->part[0].begin, a_view->part[0].end));\n"
          "            hp5_cost_next(cost, &i_sample);) {\n"
          "        const int64_t i = hp5_cost_pick(&a_view->part[0], a_view->part[0].begin, i_sample.at);\n"
          "        hp5_cost_loop(cost, hp5_cost_trips(a_view->part[1].begin, hp5_min(a_view->part[1].end, i))); /* j */\n"
          "        hp5_cost_block(cost, &lower_counts[0], views);\n"
          "        hp5_cost_end(cost);\n"
          "    }\n"
          "}\n"
          "\n");
}

/* What a bound is made of, what decides about that, and what that follows from, in the order of the stage. */
static void test_kept(void) {
    check("    halve(v, limit) {\n"
          "      many = limit > 3\n"
          "      end = 3\n"
          "      if (many) { end = 6 }\n"
          "      if (end > 100) { do { v[i] = 0.0 } for i in v } else {\n"
          "        last = end - 1\n"
          "        do { v[i] = 1.0 } for i in v and i <= last\n"
          "      }\n"
          "    }",
          "halve(v, p)", 
          "/* What stage halve in Space Root costs (line 10). */\n"
          "static const Hp5CostAccess halve_counts_1[] = {\n"
          "    {.view = 0, .writes = 1, .moves = {1}}, /* v */\n"
          "};\n"
          "static const Hp5CostAccess halve_counts_2[] = {\n"
          "    {.view = 0, .writes = 1, .moves = {1}}, /* v */\n"
          "};\n"
          "static const Hp5CostBlock halve_counts[] = {\n"
          "    {.line = 10, .integers = 3},\n"
          "    {.line = 14, .lanes = 8, .access_count = 1, .accesses = halve_counts_1},\n"
          "    {.line = 16, .lanes = 8, .access_count = 1, .accesses = halve_counts_2},\n"
          "};\n"
          "__attribute__((cold)) static void halve_cost(Hp5Cost *cost, const Hp5View *v_view, int64_t limit) {\n"
          "    const Hp5View *const views[] = {v_view};\n"
          "    hp5_cost_block(cost, &halve_counts[0], views);\n"
          "    int64_t end = 0;\n"
          "    const bool many = limit > 3;\n"
          "    end = 3;\n"
          "    if (many) {\n"
          "        end = 6;\n"
          "    }\n"
          "    if (end > 100) {\n"
          "        hp5_cost_loop(cost, hp5_cost_trips(v_view->part[0].begin, v_view->part[0].end)); /* i */\n"
          "        hp5_cost_block(cost, &halve_counts[1], views);\n"
          "        hp5_cost_end(cost);\n"
          "    } else {\n"
          "        const int64_t last = end - 1;\n"
          "        hp5_cost_loop(cost, hp5_cost_trips(v_view->part[0].begin,\n"
          "                hp5_min(v_view->part[0].end, hp5_after(last)))); /* i */\n"
          "        hp5_cost_block(cost, &halve_counts[2], views);\n"
          "        hp5_cost_end(cost);\n"
          "    }\n"
          "}\n"
          "\n");
}

UNIT_MAIN("costs of stages", {"vectors", test_vectors}, {"nested loops", test_nested}, {"choices", test_choices},
          {"reductions", test_reduction}, {"products", test_product}, {"data", test_data},
          {"loops that are written out", test_written_out}, {"usual numbers", test_usual}, {"sums of Integers", test_integer_sums},
          {"triangles", test_triangle}, {"what is kept", test_kept})
