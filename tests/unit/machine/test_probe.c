/* Probing: recorded topologies give exactly these models; this machine gives some valid
 * model, measured or not. Run from the root of the repository. */
#include "tests/unit/unit.h"

#include "compiler/machine/machine.h"
#include "tests/unit/check_text.h"
#include <time.h>
#include <unistd.h>

static Arena *arena;
static Diags *diags;

static Machine *probe(const ProbeOptions *options) {
    arena = arena_new();
    diags = diags_new(arena, NULL);
    return machine_probe(arena, options, diags);
}

static void check_recorded(const char *path, const char *model) {
    Machine *machine = probe(&(ProbeOptions){.xml_path = path, .measure = true, .cards = true});
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    Text text = {0};
    machine_write(machine, &text);
    CHECK_TEXT(text.data, model);
    text_free(&text);
    arena_free(arena);
}

static void test_recorded(void) {
    check_recorded("tests/unit/machine/small.xml",
                   "// From a saved topology: levels and sizes only, nothing is measured.\n"
                   "Machine \"This machine\"\n"
                   "Space 3: Machine (1)                 { memory: 1 GB }\n"
                   "Space 2: L3-Cache (1)                { memory: 16 MB }\n"
                   "Space 1<core>: Core (2)              { memory: 4 MB }\n");
    check_recorded("tests/unit/machine/two-sockets.xml",
                   "// From a saved topology: levels and sizes only, nothing is measured.\n"
                   "Machine \"This machine\"\n"
                   "Space 6: Machine (1)\n"
                   "Space 5: Package (2)\n"
                   "Space 4: NUMA-Node (2)               { memory: 1 GB }\n"
                   "Space 3: L3-Cache (1)                { memory: 16 MB }\n"
                   "Space 2: Core (4)                    { memory: 4 MB, compute: 1 ops }\n"
                   "Space 1<core>: Thread (2)\n");
}

/* Packages of four and of two cores are no uniform level: they are left out. */
static void test_uneven(void) {
    check_recorded("tests/unit/machine/uneven.xml",
                   "// From a saved topology: levels and sizes only, nothing is measured.\n"
                   "Machine \"This machine\"\n"
                   "Space 2: Machine (1)                 { memory: 2 GB }\n"
                   "Space 1<core>: Core (6)\n");
}

static void test_missing(void) {
    CU_ASSERT_PTR_NULL(probe(&(ProbeOptions){.xml_path = "tests/unit/machine/none.xml"}));
    Text text = {0};
    diags_to_text(diags, &text, (DiagStyle){0});
    CHECK_TEXT(text.data, "hp5c: error: tests/unit/machine/none.xml: hwloc cannot read this topology: No "
                          "such file or directory [E1111]\n"
                          "   help: 'lstopo machine.xml' writes the topology of a machine\n");
    text_free(&text);
    arena_free(arena);
}

/* Of this process's processors: others' work does not count. */
static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void check_this_machine(bool measure) {
    double start = seconds();
    Machine *machine = probe(&(ProbeOptions){.measure = measure});
    CU_ASSERT(seconds() - start < 20.0 * (double)sysconf(_SC_NPROCESSORS_ONLN)); /* some seconds */
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    Text first = {0}, second = {0};
    machine_write(machine, &first);
    const char *comment = machine->comment;
    machine = machine_parse(arena, source_from_text(arena, "probed", first.data, first.length), diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    machine->comment = comment;
    machine_write(machine, &second);
    CHECK_TEXT(second.data, first.data);
    const MachineModel *model = machine_find_model(machine, NULL);
    CU_ASSERT_EQUAL(model_find_space(model, "Machine"), 0);
    int core = model_find_space(model, "Core");
    CU_ASSERT(core > 0 && model_can_compute(model, core));
    if (measure) {
        const MachineAttributes *a = &model->spaces.items[core].attributes;
        CU_ASSERT(a->operations >= 1 && a->clock > 1e7);
        CU_ASSERT(a->move_bandwidth > 1e6 && a->move_latency > 1e-11);
        CU_ASSERT(a->move_in_flight >= 1 && a->memory_bandwidth > 1e8);
    }
    text_free(&first);
    text_free(&second);
    arena_free(arena);
}

static void test_fast(void) { check_this_machine(false); }
static void test_measured(void) { check_this_machine(true); }

UNIT_MAIN("probing", {"recorded topologies", test_recorded}, {"uneven topology", test_uneven},
          {"missing file", test_missing}, {"this machine, fast", test_fast},
          {"this machine, measured", test_measured})
