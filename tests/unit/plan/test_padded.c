/* What the planner decides for padded parts and for versions, read from the plan in words: whether the parts are the array, whose LPUs work in them, where
 * copies are filled and handed back, and which epochs copy. */
#include "tests/unit/plan/planned.h"

#define STENCIL                                                                                              \
    " relax(a) { r = a.local.dimension1.range do { a[i] at (current) = 0.5 * (a[i-1] + a[i+1]) at (current " \
    "- 1) }"                                                                                                 \
    " for i in a and i > r.min and i < r.max }\n"
#define PADDED " Space A <1d> { x: block_size(k) padding(q) }\n Space C <1d> { x: stride(l) }"

static void test_padded_copies_are_home(void) {
    Planned p = plan_of(" x: 1d Array of Real double-precision\n", STENCIL,
                        "Repeat for t in [1...9] { Space A { Epoch { relax(x) } } }", PADDED);
    expect(&p,
           "the padded parts of Space A's LPUs are the array; only padding moves; 2 versions, which epochs "
           "exchange",
           1);
    expect(&p, "EXCHANGE", 1);
    expect(&p, "WAIT", 0);
    done(&p);
}

/* Another Space works on the array as well, divided in another way: copies are kept for as long as it does not. */
static void test_padded_copies_beside_another_space(void) {
    static const struct {
        const char *flow;
        int fills, returns, exchanges; /* steps; among these */
        bool rotates;
    } flows[] = {
        {"Repeat for t in [1...9] { Space A { Epoch { relax(x) } } Space C { scale(x) } }", 2, 1, 0, false},
        {"Repeat for t in [1...9] { Space A { Epoch { relax(x) } } } Space C { total(Space Root: s, x) }", 1, 1, 1, true},
        {"Repeat for t in [1...9] { Space A { Epoch { relax(x) } } } total(s, x)", 1, 1, 1, true},
        {"Repeat for t in [1...9] { Space A { Epoch { relax(x) } } Space C { total(Space Root: s, x) } }", 1, 1, 1, true},
        {"Space C { scale(x) } Repeat for t in [1...9] { Space A { Epoch { relax(x) } } If t == 3 { Space C { scale(x) } } }", 2, 2, 1, false},
        {"Space C { scale(x) } Repeat for t in [1...9] { If t > 3 { Space A { Epoch { relax(x) } } } Space C { scale(x) } }", 1, 1, 0, false},
        {"Repeat for t in [1...9] { Epoch { Space A { relax(x) } Space C { scale(x) } } }", -1, -1, 0, false},
        {"Repeat for t in [1...9] { Space A { Epoch { relax(x) } } Epoch { If t == 3 { scale(x) } } }", -1, -1, 0, false},
    };
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        char stages[1000];
        snprintf(stages, sizeof stages, "%s%s", STENCIL, SCALE);
        Planned p = plan_of(VECTORS, stages, flows[i].flow, PADDED);
        const bool kept = flows[i].fills > 0;
        expect(&p, kept ? "LPUs of Space A keep copies" : "filled on entry and handed back on leaving", 1);
        expect(&p, flows[i].rotates ? "2 versions, which epochs exchange" : "2 versions, which epochs copy", 1);
        if (kept) expect(&p, "fill the LPU's copy of x", flows[i].fills);
        if (kept) expect(&p, "hand the LPU's copy of x back", flows[i].returns);
        expect(&p, "EXCHANGE", flows[i].exchanges);
        done(&p);
    }
}

/* LPUs that write their own elements, and read older versions of others, need no copies, whoever else looks at the array in between; an Epoch that is all
 * of a visit goes around it. */
static void test_padded_parts_in_one_store(void) {
    static const char one[] = " Space A <1d> { x: block_size(k) padding(1) }\n Space C <1d> { x: stride(l) }",
                      two[] = " Space A <1d> { x: block_size(k) padding(2) }\n Space C <1d> { x: stride(l) }";
    static const struct {
        const char *flow, *spaces;
        bool in_place, rotates;
    } flows[] = {
        {"Repeat for t in [1...9] { Space A { Epoch { relax(x) } } total(s, x) }", one, true, true},
        {"Repeat for t in [1...9] { Epoch { Space A { relax(x) } } Space C { total(Space Root: s, x) } }", one, true, true},
        {"Repeat for t in [1...9] { Epoch { Space A { relax(x) } Space C { scale(x) } } }", one, true, false},
        {"Repeat for t in [1...9] { Space A { Epoch { relax(x) } Epoch { relax(x) } } total(s, x) }", one, false, true},
        {"Repeat for t in [1...9] { Space A { relax(x) Epoch { relax(x) } } total(s, x) }", one, false, false},
        {"Repeat for t in [1...9] { Space A { If t > 3 { Epoch { relax(x) } } } total(s, x) }", one, false, true},
        {"Repeat for t in [1...9] { Space A { Epoch { relax(x) scale(x) } } total(s, x) }", one, false, false},
        {"Repeat for t in [1...9] { Space A { Epoch { relax(x) } } total(s, x) }", two, false, true},
        {"Repeat for t in [1...9] { Space A { Epoch { both(x) } } total(s, x) }", one, false, true},
    };
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        char stages[1000];
        snprintf(stages, sizeof stages, "%s%s both(a) { r = a.local.dimension1.range do { a[i] at (current) = 0.5 * a[i-1] at (current - 1) } for i in a and i > r.min and i < r.max"
                 " do { a[i] = 3.0 } for i in a }\n", STENCIL, SCALE);
        Planned p = plan_of(VECTORS, stages, flows[i].flow, flows[i].spaces);
        expect(&p, "one store that every LPU works on in place, padding included", flows[i].in_place);
        expect(&p, flows[i].rotates ? "2 versions, which epochs exchange" : "2 versions, which epochs copy", 1);
        if (flows[i].in_place) expect(&p, "EXCHANGE", 0);
        if (flows[i].in_place) expect(&p, "LPU's copy", 0);
        done(&p);
    }
}

/* A Space that divides it alike works in the padded parts; one that does not, an Epoch of its own, or Root, has copies come and go. */
static void test_padded_copies_of_two_spaces(void) {
    static const char spaces[] = " Space A <1d> { x: block_size(k) padding(q) }\n Space C <1d> { x: block_size(k) }\n Space D <1d> { x: block_size(l) }\n"
        " Space E <1d> { x: block_size(k) padding(q) }\n Space F <1d> { x: block_size(k) padding(2) }";
    char stages[1000];
    snprintf(stages, sizeof stages, "%s%s older(a) { do { a[i] at (current) = 0.5 * a[i] at (current - 1) } for i in a }\n", STENCIL, SCALE);
    static const struct {
        const char *flow;
        const char *guest;
        int exchanges;
    } flows[] = {
        {"Space C { scale(x) } Repeat for t in [1...9] { Space A { Epoch { relax(x) } } }", "Space C", 2},
        {"Repeat for t in [1...9] { Space A { Epoch { relax(x) } } Space C { total(Space Root: s, x) } }", "Space C", 1},
        {"Repeat for t in [1...9] { Space A { Epoch { relax(x) } } Space E { total(Space Root: s, x) } }", "Space E", 1},
        {"Repeat for t in [1...9] { Space A { Epoch { relax(x) } } Space E { scale(x) } }", "Space E", 2},
        {"Repeat for t in [1...9] { Space A { Epoch { relax(x) } } Space F { scale(x) } }", NULL, 0},
        {"Repeat for t in [1...9] { Space A { Epoch { relax(x) } } Space D { scale(x) } }", NULL, 0},
        {"Repeat for t in [1...9] { Space A { Epoch { relax(x) } } Space C { Epoch { older(x) } } }", NULL, 0},
        {"Repeat for t in [1...9] { Space A { Epoch { relax(x) } } scale(x) }", NULL, 0},
    };
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        Planned p = plan_of(VECTORS, stages, flows[i].flow, spaces);
        if (flows[i].guest != NULL) expect(&p, arena_printf(p.arena, "only padding moves; %s's LPUs work in them, too", flows[i].guest), 1);
        expect(&p, "hand the LPU's copy of x back", i == 4 ? 2 : flows[i].guest == NULL);
        expect(&p, "EXCHANGE", flows[i].exchanges);
        done(&p);
    }
}

/* An element that some rounds do not write keeps its value: buffers may not be exchanged. */
static void test_conditional_writes_do_not_rotate(void) {
    Planned p = plan_of(" x: 1d Array of Real double-precision\n",
                        " relax(a) { do { if (a[i] at (current - 1) > 0.5) { a[i] at (current) = 0.25 * a[i] "
                        "at (current - 1) } } for i in a }\n",
                        "Repeat for t in [1...9] { Space A { Epoch { relax(x) } } }", PADDED);
    expect(&p, "2 versions, which epochs copy", 1);
    done(&p);
}

/* What an if writes, or a stage reads, of the current version is no obstacle where the same round has written it in any case. */
static void test_rounds_that_write_twice(void) {
    static const struct {
        const char *body;
        bool rotates;
    } bodies[] = {
        {"a[i] at (current) = 0.5 * a[i] at (current - 1) if (i == n) { a[i] = a[i] + 1.0 }", true},
        {"a[i] at (current) = 0.5 * a[i] at (current - 1) if (i == n) { a[i] = 2.0 } else { if (i == n + 1) { a[i] = a[i] + 1.0 } }", false},
        {"a[i] at (current) = a[i] + 0.5 * a[i] at (current - 1) if (i == n) { a[i] = 2.0 }", false},
        {"k = i a[k] at (current) = 0.5 * a[i] at (current - 1) k = max(i - 1, n) if (i == n) { a[k] = 1.0 }", false},
        {"k = i a[k] at (current) = 0.5 * a[i] at (current - 1) if (i == n) { a[i] = 1.0 }", false},
    };
    for (size_t b = 0; b < sizeof bodies / sizeof *bodies; b++) {
        char stages[1000];
        snprintf(stages, sizeof stages, " relax(a, n) { do { %s } for i in a }\n", bodies[b].body);
        Planned p = plan_of(" x: 1d Array of Real double-precision\n n: Integer\n", stages, "Repeat for n in [1...9] { Space A { Epoch { relax(x, n) } } }", PADDED);
        expect(&p, bodies[b].rotates ? "2 versions, which epochs exchange" : "2 versions, which epochs copy", 1);
        done(&p);
    }
}

/* Start values have an Epoch that copies, if it asks for nothing older; so may others that one reads and writes at current. */
static void test_epochs_that_copy_beside_others(void) {
    static const char stages[] = STENCIL " fill(a) { do { a[i] = 1.0 * i } for i in a }\n scale(a) { do { a[i] = 2.0 * a[i] } for i in a }\n"
                                         " older(a) { do { a[i] = a[i] at (current - 1) + a[i] } for i in a }\n";
    static const struct {
        const char *flow;
        int exchanged, copied; /* Epochs */
    } flows[] = {
        {"Space A { Epoch { fill(x) } } Repeat for t in [1...9] { Space A { Epoch { relax(x) } } }", 1, 1},
        {"Epoch { Space A { fill(x) } } Repeat for t in [1...9] { Space A { Epoch { relax(x) } Epoch { scale(x) } } }", 1, 2},
        {"Space A { fill(x) } Repeat for t in [1...9] { Space A { Epoch { relax(x) } } }", 0, 1},
        {"Space A { Epoch { fill(x) } } Repeat for t in [1...9] { Space A { Epoch { relax(x) } Epoch { older(x) } } }", 0, 3},
        {"Space A { Epoch { fill(x) } Epoch { Repeat for t in [1...9] { relax(x) } } }", 0, 2},
        {"Epoch { fill(x) } Repeat for t in [1...9] { Space A { Epoch { relax(x) } } }", 1, 1},
    };
    for (size_t i = 0; i < sizeof flows / sizeof *flows; i++) {
        Planned p = plan_of(" x: 1d Array of Real double-precision\n", stages, flows[i].flow, PADDED);
        expect(&p, "epoch: the versions of x change places", flows[i].exchanged);
        expect(&p, "epoch: each version of x takes the content of the next newer one", flows[i].copied);
        done(&p);
    }
}

static void test_three_versions_and_padding(void) {
    static const char wave[] = " wave(a) { do { a[i] at (current) = a[i] at (current - 1) - a[i] at (current - 2) } for i in a }\n";
    Planned p = plan_of(" x: 1d Array of Real double-precision\n", wave, "Repeat for t in [1...9] { Space A { Epoch { wave(x) } } }", PADDED);
    expect(&p, "3 versions, which epochs exchange", 1);
    done(&p);
    p = plan_of(" x: 1d Array of Real double-precision\n", wave, "Space A { Repeat for t in [1...9] { Epoch { wave(x) } } }", PADDED);
    expect(&p, "3 versions, which epochs copy", 1);
    done(&p);
    p = plan_of(" x: 1d Array of Real double-precision\n", wave, "Space A { Epoch { wave(x) } Epoch { wave(x) } }", PADDED);
    expect(&p, "3 versions, which epochs copy", 1);
    done(&p);
    /* A first step of another stage: of all elements; of fewer; twice; under a condition; of elements beside the index. */
    static const char *const first[] = {"do { a[i] = 1.0 } for i in a", "do { a[i] = 1.0 } for i in a and i > 3", "do { a[i] = 1.0 } for i in a do { a[i] = 2.0 } for i in a",
                                        "do { a[i] = 1.0 } for i in a and i % 2 == 0", "do { a[i + 1] = 1.0 } for i in a"};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++) {
        char stages[500];
        snprintf(stages, sizeof stages, "%s fill(a) { %s }\n", wave, first[i]);
        p = plan_of(" x: 1d Array of Real double-precision\n", stages, "Space A { Epoch { fill(x) } } Repeat for t in [1...9] { Space A { Epoch { wave(x) } } }", PADDED);
        expect(&p, i == 0 ? "3 versions, which epochs exchange" : "3 versions, which epochs copy", 1);
        done(&p);
    }
    p = plan_of(" x: 1d Array of Real double-precision\n", " wave(a) { do { a[i] at (current) = a[i] at (current - 1) - a[i] at (current - 2) } for i in a }\n look(a) { b = a[0] }\n",
                "Repeat for t in [1...9] { Space A { Epoch { wave(x) } } } look(x)", PADDED);
    expect(&p, "keep copies", 1);
    expect(&p, "3 versions, which epochs copy", 1);
    done(&p);
}

UNIT_MAIN("padded parts", {"padded copies are the array", test_padded_copies_are_home},
          {"padded copies are the array of two spaces", test_padded_copies_of_two_spaces},
          {"padded copies beside another Space", test_padded_copies_beside_another_space}, {"padded parts in one store", test_padded_parts_in_one_store},
          {"conditional writes do not rotate", test_conditional_writes_do_not_rotate},
          {"rounds that write twice", test_rounds_that_write_twice},
          {"epochs that copy stand beside others", test_epochs_that_copy_beside_others},
          {"three versions rotate where each Epoch refreshes padding", test_three_versions_and_padding})
