/* What the planner decides for small programs, read from the plan in words: which waits data flow needs and which it does not, and where a visit of a Space is cut. */
#include "tests/unit/plan/planned.h"

static const char BLOCKS[] =
    " Space A <un-partitioned> { x }\n Space B <1d> divides Space A partitions { x: block_size(k) }\n";

static void test_own_parts_need_no_wait(void) {
    Planned p = plan_of(
        " x: 1d Array of Real double-precision\n", " scale(a) { do { a[i] = 2.0 * a[i] } for i in a }\n",
        "Space B { scale(x) scale(x) } Space B { scale(x) }", " Space B <1d> { x: block_size(k) }");
    expect(&p, "WAIT", 0);
    expect(&p, "one store that every LPU works on in place", 1);
    done(&p);
}

static void test_other_partition_waits(void) {
    Planned p = plan_of(" x: 1d Array of Real double-precision\n",
                        " scale(a) { do { a[i] = 2.0 * a[i] } for i in a }\n",
                        "Space B { scale(x) } Space C { scale(x) }",
                        " Space B <1d> { x: block_size(k) }\n Space C <1d> { x: stride(k) }");
    expect(&p, "WAIT: all threads wait for each other, because stage scale wrote x, which stage scale reads",
           1);
    expect(&p, "WAIT", 1);
    done(&p);
}

/* A reduction's result read by LPUs of the same Space: the visit is cut there. */
static void test_reduction_cuts_visit(void) {
    Planned p = plan_of(VECTORS, SCALE, "Space A { Space B { total(Space A: s, x) shift(x, s) } }", BLOCKS);
    expect(&p, "for each of the thread's LPUs of Space B", 2);
    expect(&p, "REDUCE: the threads of each LPU of Space A;", 1);
    done(&p);
}

static void test_reduction_floats_to_target(void) {
    Planned p = plan_of(VECTORS, SCALE, "Space A { Space B { total(Space A: s, x) scale(x) } }", BLOCKS);
    expect(&p, "for each of the thread's LPUs of Space B", 1);
    expect(&p, "REDUCE", 1);
    done(&p);
}

/* All LPUs repeat alike: the loop moves out of the Space. */
static void test_uniform_repeat_moves_out(void) {
    Planned p = plan_of(
        VECTORS, SCALE,
        "Space A { Space B { Repeat for n in [1...partition.q] { total(Space A: s, x) shift(x, s) } } }",
        BLOCKS);
    const char *repeat = strstr(p.text.data, "repeat for n"), *visit = strstr(p.text.data, "LPUs of Space B");
    CU_ASSERT_PTR_NOT_NULL_FATAL(repeat);
    CU_ASSERT_PTR_NOT_NULL_FATAL(visit);
    CU_ASSERT(repeat < visit);
    expect(&p, "for each of the thread's LPUs of Space B", 2);
    done(&p);
}

/* Each LPU decides for itself how often: those that are done sit the others' rounds out. */
static void test_lpu_own_repeat_runs_in_lockstep(void) {
    Planned p = plan_of(VECTORS, SCALE,
                        "Space A { Space B { Repeat while x[x.local.dimension1.range.min] > 0.0 { "
                        "total(Space A: s, x) shift(x, s) } } }",
                        BLOCKS);
    expect(&p, "LOCKSTEP: LPUs of Space B run the rounds of this loop together, each as long as it decides",
           1);
    expect(&p, "if the LPU takes part", 2);
    done(&p);
}

static void test_nested_lockstep_is_refused(void) {
    Planned p = plan_of(VECTORS, SCALE,
                        "Space B { Repeat while x[x.local.dimension1.range.min] > 0.0 { Space C { Repeat "
                        "while x[x.local.dimension1.range.min] > 1.0 {"
                        " total(Space Root: s, x) shift(x, s) } } } }",
                        " Space B <1d> { x: block_size(k) }\n Space C <1d> divides Space B partitions { x: "
                        "block_size(l) }\n");
    CU_ASSERT_PTR_NULL(p.plan);
    expect(&p,
           "LPUs of Space B need each other's results inside this loop, but LPUs further down decide by "
           "themselves how they run [E1302]",
           1);
    expect(&p,
           "help: let the loop's control depend only on values that all LPUs of Space B share, or leave the "
           "Space before the results are needed",
           1);
    done(&p);
}

/* ---- Waits that are there already, or that nobody needs ------------------------------------------------------ */
#define STRIDED " Space C <1d> { x: stride(k) }"
static const char VECTOR[] = " x: 1d Array of Real double-precision\n";
static const char TWICE[] = " scale(a) { do { a[i] = 2.0 * a[i] } for i in a }\n";

static void test_dynamic_visits_wait_by_themselves(void) {
    static const char flow[] = "Space B { scale(x) } Space C { scale(x) }";
    Planned plain = plan_of(VECTOR, TWICE, flow, " Space B <1d> { x: block_size(k) }\n" STRIDED);
    expect(&plain, "WAIT", 1);
    done(&plain);
    Planned p = plan_of(VECTOR, TWICE, flow, " Space B <1d> <dynamic> { x: block_size(k) }\n" STRIDED);
    expect(&p, "WAIT", 0);
    done(&p);
}

static void test_sub_partitions_have_the_leader(void) {
    Planned p = plan_of(VECTOR, TWICE, "Space B { scale(x) Repeat foreach sub-partition { scale(x) } scale(x) }",
                        " Space B <1d> { x: block_size(k) Sub-partition <1d> <unordered> { x<dim1>: block_size(1) } }\n" STRIDED);
    expect(&p, "for each sub-partition of the LPU", 1);
    expect(&p, "WAIT", 0);
    done(&p);
}

/* Space B's LPUs have several threads only where another branch of the tree may want more. */
static void test_lowest_lps_has_one_thread(void) {
    static const char globals[] = " x: 1d Array of Real double-precision\n n: Integer\n",
                      stages[] = " count(a, m) { m = m + a.local.dimension1.range.max }\n",
                      flow[] = "Space B { Repeat while n < 3 { count(x, n) } }", blocks[] = " Space B <1d> { x: block_size(k) }\n";
    Planned alone = plan_of(globals, stages, flow, blocks);
    expect(&alone, "each LPU has its own n", 1);
    expect(&alone, "WAIT", 0);
    done(&alone);
    Planned p = plan_of(globals, stages, flow, " Space B <1d> { x: block_size(k) }\n" STRIDED);
    expect(&p, "WAIT: the threads of each LPU of Space B wait", 2);
    done(&p);
}

/* What Space C reads of x needs a wait in Space B, what it reads of y one in Space A: that one is enough. */
static void test_higher_wait_serves_lower(void) {
    Planned p = plan_of(" x, y: 1d Array of Real double-precision\n",
                        " scale(a, b) { do { a[i] = 2.0 * a[i] } for i in a do { b[i] = a[i] } for i in a }\n"
                        " use(a, b) { do { a[i] = a[i] + b[0] } for i in a }\n",
                        "Space A { Space B { scale(x, y) } Space B { Space C { use(x, y) } } }",
                        " Space A <un-partitioned> { x, y }\n"
                        " Space B <1d> divides Space A partitions { x: block_size(k) y: replicated }\n"
                        " Space C <1d> divides Space B partitions { x: stride(l) y: replicated }");
    expect(&p, "WAIT: the threads of each LPU of Space A wait", 1);
    expect(&p, "WAIT", 1);
    done(&p);
}

/* Copies are filled; all threads wait before any is handed back; then nobody need wait again before they are read. */
static void test_wait_before_visit_serves_its_beginning(void) {
    Planned p = plan_of(VECTOR, TWICE, "Space B { Space C { scale(x) } scale(x) }  Space D { scale(x) }",
                        " Space B <1d> { x: block_size(k) padding(1) }\n"
                        " Space C <1d> divides Space B partitions { x: stride(l) }\n Space D <1d> { x: block_size(q) padding(1) }");
    expect(&p, "WAIT: all threads wait for each other, because filling copies read x, which handing copies back writes", 2);
    expect(&p, "because filling copies wrote x", 0);
    expect(&p, "WAIT: the threads of each LPU of Space B wait for each other, because stage scale wrote x, which stage scale reads", 1);
    done(&p);
}

static void test_un_partitioned_below_has_the_leader(void) {
    static const char spaces[] = " Space A <1d> { x: block_size(k) }\n Space B <un-partitioned> divides Space A partitions { x }\n"
                                 " Space C <1d> divides Space A partitions { x: block_size(l) }";
    Planned p = plan_of(VECTOR, TWICE, "Space A { scale(x) Space B { scale(x) } scale(x) }", spaces);
    expect(&p, "WAIT", 0);
    done(&p);
    Planned divided = plan_of(VECTOR, TWICE, "Space A { scale(x) Space C { scale(x) } scale(x) }", spaces);
    expect(&divided, "WAIT: the threads of each LPU of Space A wait", 2);
    done(&divided);
}

/* One LPU writes what all of them read: the visit is cut between the two. */
static void test_replicated_array_cuts_visit(void) {
    Planned p = plan_of(" x, y: 1d Array of Real double-precision\n",
                        " put(b, a) { do { b[i] = a[i] } for i in a }\n"
                        " use(a, b) { do { a[i] = a[i] + b[0] } for i in a }\n",
                        "Space B { put(y, x) use(x, y) }",
                        " Space B <1d> { x: block_size(k) y: replicated }");
    expect(&p, "for each of the thread's LPUs of Space B", 2);
    expect(&p, "WAIT: all threads wait for each other, because stage put wrote y, which stage use reads", 1);
    done(&p);
}

/* A copy is filled whenever its Space is entered, also to be read only; only what is written is handed back. */
static void test_copies_are_filled_for_reading(void) {
    Planned p = plan_of(" x: 1d Array of Real double-precision\n s: Real double-precision Reduction\n", SCALE,
                        "Space B { scale(x) } Space C { scale(x) } Space B { total(Space Root: s, x) } Space D { scale(x) }",
                        " Space B <1d> { x: block_size(k) padding(1) }\n Space C <1d> { x: stride(l) }\n Space D <1d> { x: block_size(q) padding(1) }");
    expect(&p, "fill the LPU's copy of x", 3);
    done(&p);
}

/* An LPU whose turn has not come needs no copies, unless its condition asks for what they hold or for what its turn changes. */
static void test_copies_for_those_whose_turn_it_is(void) {
    static const struct { const char *flow; int asked, filled; } cases[] = { /* the last two keep their copies */
        {"Repeat for n in [0...9] { Space B { Where lpuId[0] == n { scale(x) } } Space C { scale(x) } }", 2, 1},
        {"Repeat for n in [0...9] { Space B { Where x[n] > 1.0 { scale(x) } } Space C { scale(x) } }", 1, 1},
        {"Repeat for n in [0...9] { Space B { Where m < 5 { count(m) scale(x) } } Space C { scale(x) } }", 1, 2},
        {"Repeat for n in [0...9] { Space B { Where lpuId[0] == n { scale(x) } scale(x) } Space C { scale(x) } }", 1, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        Planned p = plan_of(" x: 1d Array of Real double-precision\n n, m: Integer\n s: Real double-precision Reduction\n",
                            " scale(a) { do { a[i] = 2.0 * a[i] } for i in a }\n count(c) { c = c + 1 }\n", cases[i].flow,
                            " Space B <1d> { x: block_size(k) padding(1) }\n Space C <1d> { x: stride(l) }");
        expect(&p, "if the condition holds", cases[i].asked);
        expect(&p, "fill the LPU's copy of x", cases[i].filled);
        expect(&p, "hand the LPU's copy of x back", 1);
        done(&p);
    }
}

/* A condition may not hold: what waits inside it has not waited behind it. */
static void test_waits_in_conditions_stay_there(void) {
    Planned p = plan_of(" x: 1d Array of Real double-precision\n n: Integer\n", TWICE,
                        "Space B { scale(x) } If n > 3 { Space C { scale(x) } } Space C { scale(x) }",
                        " Space B <1d> { x: block_size(k) }\n" STRIDED);
    expect(&p, "WAIT: all threads wait for each other, because stage scale wrote x", 2);
    done(&p);
}

/* LPUs of Space B wait for their own threads only; Space D needs all of them. */
static void test_lower_wait_does_not_serve_higher(void) {
    Planned p = plan_of(" x: 1d Array of Real double-precision\n s, r: Real double-precision Reduction\n", SCALE,
                        "Space B { Space C { scale(x) } total(Space B: s, x) } Space D { total(Space Root: r, x) }",
                        " Space B <1d> { x: block_size(k) }\n"
                        " Space C <1d> divides Space B partitions { x: stride(l) }\n Space D <1d> { x: stride(q) }");
    expect(&p, "WAIT: the threads of each LPU of Space B wait", 1);
    expect(&p, "WAIT: all threads wait", 1);
    done(&p);
}

/* The loop may not run at all: what has waited in it counts only there, whatever stands for it there. */
static void test_waits_in_loops_stay_there(void) {
    Planned p = plan_of(" x: 1d Array of Real double-precision\n n: Integer\n",
                        " scale(a) { do { a[i] = 2.0 * a[i] } for i in a }\n",
                        "Space B { scale(x) } Repeat for n in [1...4] { Space B { scale(x) } Space C { scale(x) } } "
                        "Space C { scale(x) }",
                        " Space B <1d> { x: block_size(k) }\n Space C <1d> { x: stride(k) }");
    expect(&p, "WAIT", 3);
    done(&p);
    p = plan_of(" x: 1d Array of Real double-precision\n n, m: Integer\n",
                " scale(a) { do { a[i] = 2.0 * a[i] } for i in a }\n",
                "Space B { scale(x) } Repeat for n in [1...4] { Repeat for m in [1...n] { Space B { scale(x) } "
                "Space C { scale(x) } } Space C { scale(x) } }",
                " Space B <1d> { x: block_size(k) }\n Space C <1d> { x: stride(k) }");
    expect(&p, "WAIT", 3);
    done(&p);
}

/* Padded copies below a Space that divides the array lie within their LPU's part: its threads alone wait. */
static void test_copies_below_a_divided_space(void) {
    Planned p = plan_of(" x: 1d Array of Real double-precision\n",
                        " scale(a) { do { a[i] = 2.0 * a[i] } for i in a }\n",
                        "Space B { scale(x) Space C { scale(x) } scale(x) }",
                        " Space B <1d> { x: block_size(k) }\n"
                        " Space C <1d> divides Space B partitions { x: block_size(l) padding(1) }");
    expect(&p, "copies that are filled on entry and handed back on leaving", 1);
    expect(&p, "WAIT: the threads of each LPU of Space B wait", 3);
    expect(&p, "WAIT", 3);
    done(&p);
}

/* ---- Scalars ----------------------------------------------------------------------------------------------
 */
static void test_stage_scalar_waits(void) {
    Planned p = plan_of(" x: 1d Array of Real double-precision\n n: Integer\n",
                        " count(m) { m = m + 1 }\n add(a, m) { do { a[i] = a[i] + m } for i in a }\n",
                        "Repeat while n < 3 { count(n) Space B { add(x, n) } }",
                        " Space B <1d> { x: block_size(k) }");
    expect(&p, "Space Root: , 1 PPU in each PPU of its parent's; each LPU has its own n", 1);
    expect(&p,
           "WAIT: all threads wait for each other, because the loop's condition read n, which stage count "
           "writes",
           1);
    expect(&p, "WAIT: all threads wait for each other, because stage count wrote n, which stage add reads",
           1);
    done(&p);
}

static void test_counter_is_private(void) {
    Planned p =
        plan_of(" x: 1d Array of Real double-precision\n n: Integer\n",
                " add(a, m) { do { a[i] = a[i] + m } for i in a }\n",
                "Repeat for n in [1...4] { Space B { add(x, n) } }", " Space B <1d> { x: block_size(k) }");
    expect(&p, "repeat for n\n", 1);
    expect(&p, "WAIT", 0);
    done(&p);
}

/* ---- Elements that several LPUs have in one memory ---------------------------------------------------- */
static void check_shared(const char *spaces, const char *flow, bool shared) {
    Planned p = plan_of(VECTORS, SCALE, flow, spaces);
    CU_ASSERT_PTR_NOT_NULL_FATAL(p.plan);
    const StageUse *use = p.plan->tasks.items[0]->uses.items[0];
    CU_ASSERT_EQUAL(use->formals.items[0].shared, shared);
    done(&p);
}

static void test_shared(void) {
    check_shared(BLOCKS, " Space B { scale(x) }", false);
    check_shared(BLOCKS, " Space A { scale(x) }", false);
    check_shared(" Space A <1d> { x: replicated }", " Space A { scale(x) }", true);
    check_shared(" Space A <1d> { x: stride() }", " Space A { scale(x) }", false);
    check_shared(" Space A <1d> { x: block_size(k) padding(1) }", " Space A { scale(x) }", false); /* in copies */
    check_shared(" Space A <1d> { x: replicated }\n Space B <1d> divides Space A partitions { x: block_size(k) }", " Space B { scale(x) }", true);
}

UNIT_MAIN("plan", {"elements that LPUs share", test_shared}, {"LPUs' own parts need no wait", test_own_parts_need_no_wait},
          {"another partition waits", test_other_partition_waits},
          {"a reduction read in the same Space cuts the visit", test_reduction_cuts_visit},
          {"a reduction not needed yet floats to its target", test_reduction_floats_to_target},
          {"a uniform Repeat moves out of the Space", test_uniform_repeat_moves_out},
          {"an LPU's own Repeat runs in lockstep", test_lpu_own_repeat_runs_in_lockstep},
          {"lockstep within lockstep is refused", test_nested_lockstep_is_refused},
          {"<dynamic> visits wait by themselves", test_dynamic_visits_wait_by_themselves},
          {"sub-partitions have their LPU's leader", test_sub_partitions_have_the_leader},
          {"the lowest LPS has one thread", test_lowest_lps_has_one_thread},
          {"a higher wait serves lower ones", test_higher_wait_serves_lower},
          {"a wait before a visit serves its beginning", test_wait_before_visit_serves_its_beginning},
          {"the one LPU below has its LPU's leader", test_un_partitioned_below_has_the_leader},
          {"a replicated array read by all cuts the visit", test_replicated_array_cuts_visit},
          {"copies are filled for reading, too", test_copies_are_filled_for_reading},
          {"copies are for those whose turn it is", test_copies_for_those_whose_turn_it_is},
          {"waits in conditions stay there", test_waits_in_conditions_stay_there},
          {"a lower wait does not serve a higher one", test_lower_wait_does_not_serve_higher},
          {"waits in loops stay there", test_waits_in_loops_stay_there},
          {"copies below a divided Space", test_copies_below_a_divided_space},
          {"a stage's scalar waits", test_stage_scalar_waits},
          {"a counter is private", test_counter_is_private})
