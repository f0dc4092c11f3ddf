/* How many threads a process has: as many as a Space below the processes has PPUs there, or as --threads asks for; one where there is no such Space. */
#include "runtime/lpu/lpu.h"
#include "tests/unit/unit.h"

/* Root, and Space A on `level` of a cluster of 16 nodes with two cores each. */
static Hp5SegmentCounts counts_of(int level, int64_t threads, int processes, int *ppus) {
    static const Hp5MachineLevel machine[] = {{"Cluster", 1, false, false}, {"Node", 16, true, true}, {"Core", 2, false, false}};
    const Hp5LpsDesc lpses[] = {{.name = "Root", .parent = -1}, {.name = "A", .dims = 1}};
    const char *names[] = {"Cluster", machine[level].name};
    const int counts_in_model[] = {1, level == 1 ? 16 : 32}, machine_level[] = {0, level};
    const Hp5TaskDesc desc = {.name = "T", .lps_count = 2, .lpses = lpses, .level_names = names, .level_counts = counts_in_model, .machine_levels = machine,
                              .machine_level_count = 3, .machine_level = machine_level};
    static int within[2];
    int counts[2], of_machine[3];
    Hp5SegmentCounts segments = {.within = within};
    hp5_segment_counts(&desc, NULL, threads, processes, counts, of_machine, &segments);
    *ppus = counts[1];
    return segments;
}

/* Two threads in a PPU of Space A: the second one could only watch the first one's rounds, and the plan has no waits for it. */
static void test_on_processes(void) {
    int ppus;
    for (int64_t threads = 0; threads <= 3; threads++) {
        const Hp5SegmentCounts segments = counts_of(1, threads, 7, &ppus);
        CU_ASSERT_EQUAL(segments.segments, 7);
        CU_ASSERT_EQUAL(segments.each, 1);
        CU_ASSERT_EQUAL(ppus, 7);
    }
}

static void test_below_processes(void) {
    int ppus;
    CU_ASSERT_EQUAL(counts_of(2, 0, 7, &ppus).each, 2); /* as in the model */
    CU_ASSERT_EQUAL(ppus, 14);
    CU_ASSERT_EQUAL(counts_of(2, 3, 7, &ppus).each, 3);
    CU_ASSERT_EQUAL(ppus, 21);
    CU_ASSERT_EQUAL(counts_of(2, 1, 16, &ppus).each, 1);
    CU_ASSERT_EQUAL(ppus, 16);
}

UNIT_MAIN("level counts", {"a Space on processes", test_on_processes}, {"a Space below them", test_below_processes})
