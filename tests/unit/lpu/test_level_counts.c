/* How many threads a process has: as many as a Space below the processes has PPUs there, or as --threads asks for; one where there is no such Space. */
#include "runtime/lpu/task_ranks.h"
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

/* Tasks of a program on the segments from `first` to before `end` of 4, in racks of two with 3 PPUs each. */
enum { EACH = 3 };
static void take(Hp5TaskDesc *task, int64_t first, int64_t end) {
    static const Hp5MachineLevel machine[] = {{"Rack", 2, false, false}, {"Node", 2, true, true}, {"Core", EACH, false, false}};
    *task = (Hp5TaskDesc){.machine_levels = machine, .machine_level_count = 3, .ppu_first = first * EACH, .ppu_end = end * EACH};
}

static bool are(const Hp5TaskDesc *task, const Hp5TaskDesc *const *tasks, int count, int processes, int first, int end) {
    const Hp5Span ranks = hp5_task_ranks(task, tasks, count, processes);
    return ranks.first == first && ranks.first + ranks.count == end;
}

static void test_ranks(void) {
    Hp5TaskDesc all, low, high, core;
    take(&all, 0, 4), take(&low, 0, 2), take(&high, 2, 4), take(&core, 0, 0);
    core.ppu_first = 3 * EACH + 1, core.ppu_end = 3 * EACH + 2; /* a part of the last segment */
    const Hp5TaskDesc *const both[] = {&low, &high}, *const three[] = {&low, &core}, *const one[] = {&high};
    CU_ASSERT(are(&low, both, 2, 4, 0, 2) && are(&high, both, 2, 4, 2, 4));
    CU_ASSERT(are(&low, both, 2, 2, 0, 1) && are(&high, both, 2, 2, 1, 2)); /* each process stands for two segments */
    CU_ASSERT(are(&low, both, 2, 3, 0, 2) && are(&high, both, 2, 3, 1, 3));
    CU_ASSERT(are(&high, both, 2, 1, 0, 1));
    CU_ASSERT(are(&low, three, 2, 3, 0, 2) && are(&core, three, 2, 3, 2, 3)); /* segment 2 is nobody's */
    CU_ASSERT(are(&low, three, 2, 6, 0, 2) && are(&core, three, 2, 4, 3, 4));
    CU_ASSERT(are(&high, one, 1, 2, 0, 2) && are(&high, one, 1, 4, 2, 4));
    CU_ASSERT(are(&all, NULL, 0, 2, 0, 2) && are(&all, NULL, 0, 9, 0, 9)); /* --machine may say that it takes more */
    all.ppu_end = 0; /* not said */
    CU_ASSERT(are(&all, NULL, 0, 4, 0, 4));
    all.machine_level_count = 0;
    CU_ASSERT(are(&all, NULL, 0, 3, 0, 3));
}

UNIT_MAIN("level counts", {"processes of tasks", test_ranks}, {"a Space on processes", test_on_processes}, {"a Space below them", test_below_processes})
