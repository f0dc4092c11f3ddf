/* Models of recorded machines (recorded/README.md), in full text; each reads back to the same model. What is wrong with a
 * file that is no topology is said in words. Run from the root of the repository. */
#include "compiler/machine/machine.h"
#include "tests/unit/check_text.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct Recorded {
    const char *name, *model;
} Recorded;

#define SAVED "// From a saved topology: levels and sizes only, nothing is measured.\n"

static const Recorded recorded[] = {
    {"arm-2c", SAVED
     "Machine \"This machine\"\n"
     "Space 2: Machine (1)                 { memory: 274 MB }\n"
     "Space 1<core>: Core (2)\n"},
    {"arm-kunpeng-2", SAVED
     "Machine \"This machine\"\n"
     "Space 6: Machine (1)\n"
     "Space 5: Package (2)\n"
     "Space 4: NUMA-Node (2)               { memory: 128669 MB }\n"
     "Space 3: L3-Cache (1)                { memory: 32 MB }\n"
     "Space 2: Group (8)\n"
     "Space 1<core>: Core (4)              { memory: 512 KB }\n"},
    {"epyc-7451-2", SAVED
     "Machine \"AMD EPYC 7451 24-Core Processor\"\n"
     "Space 5: Machine (1)\n"
     "Space 4: Package (2)\n"
     "Space 3: L3-Cache (8)                { memory: 8 MB }\n"
     "Space 2: Core (3)                    { memory: 512 KB, compute: 1 ops }\n"
     "Space 1<core>: Thread (2)\n"},
    {"hybrid-2p4e", SAVED
     "// The machine has cores of 2 kinds, which the model takes for one: 4, 2 cores, the slowest kind first\n"
     "Machine \"Two performance and four efficient cores\"\n"
     "Space 3: Machine (1)                 { memory: 16 GB }\n"
     "Space 2: L3-Cache (1)                { memory: 12 MB }\n"
     "Space 1<core>: Core (6)              { memory: 48 KB }\n"},
    {"lakefield", SAVED
     "// The machine has cores of 2 kinds, which the model takes for one: 4, 1 cores, the slowest kind first\n"
     "Machine \"Intel(R) Core(TM) i5-L16G7 CPU @ 1.40GHz\"\n"
     "Space 3: Machine (1)                 { memory: 3766 MB }\n"
     "Space 2: L3-Cache (1)                { memory: 4 MB }\n"
     "Space 1<core>: Core (5)              { memory: 32 KB }\n"},
    {"opteron-6272-4", SAVED
     "Machine \"AMD Opteron(TM) Processor 6276\"\n"
     "Space 6: Machine (1)\n"
     "Space 5: Package (4)\n"
     "Space 4: NUMA-Node (2)               { memory: 15357 MB }\n"
     "Space 3: L3-Cache (1)                { memory: 6 MB }\n"
     "Space 2: L2-Cache (4)                { memory: 2 MB }\n"
     "Space 1<core>: Core (2)              { memory: 16 KB }\n"},
    {"power7-8", SAVED
     "Machine \"POWER7 (architected), altivec supported\"\n"
     "Space 6: Machine (1)\n"
     "Space 5: Group (4)\n"
     "Space 4: Group-2 (2)                 { memory: 63040 MB }\n"
     "Space 3: Package (8)\n"
     "Space 2: Core (1)                    { memory: 256 KB, compute: 1 ops }\n"
     "Space 1<core>: Thread (4)\n"},
    {"qemu-dies", SAVED
     "Machine \"QEMU Virtual CPU version 2.5+\"\n"
     "Space 6: Machine (1)\n"
     "Space 5: Package (2)\n"
     "Space 4: Die (3)\n"
     "Space 3: L3-Cache (1)                { memory: 16 MB }\n"
     "Space 2: Core (3)                    { memory: 4 MB, compute: 1 ops }\n"
     "Space 1<core>: Thread (2)\n"},
    {"s390-books", SAVED
     "Machine \"This machine\"\n"
     "Space 2: Machine (1)                 { memory: 2005 MB }\n"
     "Space 1<core>: Core (20)\n"},
    {"smt-2c", SAVED
     "Machine \"Intel(R) Core(TM) i7 CPU       M 620  @ 2.67GHz\"\n"
     "Space 4: Machine (1)                 { memory: 3957 MB }\n"
     "Space 3: L3-Cache (1)                { memory: 4 MB }\n"
     "Space 2: Core (2)                    { memory: 256 KB, compute: 1 ops }\n"
     "Space 1<core>: Thread (2)\n"},
    {"xeon-6140-2", SAVED
     "Machine \"Intel(R) Xeon(R) Gold 6140 CPU @ 2.30GHz\"\n"
     "Space 5: Machine (1)\n"
     "Space 4: Package (2)\n"
     "Space 3: L3-Cache (1)                { memory: 24.75 MB }\n"
     "Space 2: Core (18)                   { memory: 1 MB, compute: 1 ops }\n"
     "Space 1<core>: Thread (2)\n"},
    {"xeon-phi-7210", SAVED
     "Machine \"Intel(R) Xeon Phi(TM) CPU 7210 @ 1.30GHz\"\n"
     "Space 4: Machine (1)\n"
     "Space 3: L2-Cache (32)               { memory: 1 MB }\n"
     "Space 2: Core (2)                    { memory: 32 KB, compute: 1 ops }\n"
     "Space 1<core>: Thread (4)\n"},
    {"xeon-x7460-4", SAVED
     "Machine \"Genuine Intel(R) CPU                  @ 2.66GHz\"\n"
     "Space 6: Machine (1)\n"
     "Space 5: Group (4)                   { memory: 129021 MB }\n"
     "Space 4: Package (4)\n"
     "Space 3: L3-Cache (1)                { memory: 16 MB }\n"
     "Space 2: L2-Cache (3)                { memory: 3 MB }\n"
     "Space 1<core>: Core (2)              { memory: 32 KB }\n"},
};
enum { MACHINES = sizeof recorded / sizeof recorded[0] };

static char *model_text(Arena *arena, Machine *machine, const char *comment) {
    Text text = {0};
    machine->comment = comment;
    machine_write(machine, &text);
    char *copy = arena_strdup(arena, text.data);
    text_free(&text);
    return copy;
}

static void test_models(void) {
    for (size_t i = 0; i < MACHINES; i++) {
        Arena *arena = arena_new();
        Diags *diags = diags_new(arena, NULL);
        ProbeOptions options = {.xml_path = arena_printf(arena, "tests/unit/machine/recorded/%s.xml", recorded[i].name),
                                .measure = true};
        Machine *machine = machine_probe(arena, &options, diags);
        CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
        const char *comment = machine->comment;
        char *text = model_text(arena, machine, comment);
        CHECK_TEXT(text, recorded[i].model);
        machine = machine_parse(arena, source_from_text(arena, "model", text, strlen(text)), diags);
        CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
        CHECK_TEXT(model_text(arena, machine, comment), text);
        arena_free(arena);
    }
}

/* `text` as a topology file must be refused with this reason. */
static void refuses(const char *text, const char *reason) {
    Arena *arena = arena_new();
    const char *path = scratch("machine.xml");
    FILE *file = fopen(path, "wb");
    CU_ASSERT_PTR_NOT_NULL_FATAL(file);
    CU_ASSERT_EQUAL(fwrite(text, 1, strlen(text), file), strlen(text));
    CU_ASSERT_EQUAL(fclose(file), 0);
    Diags *diags = diags_new(arena, NULL);
    CU_ASSERT_PTR_NULL(machine_probe(arena, &(ProbeOptions){.xml_path = path}, diags));
    Text messages = {0};
    diags_to_text(diags, &messages, (DiagStyle){0});
    CHECK_TEXT(messages.data, arena_printf(arena,
                                           "hp5c: error: %s: hwloc cannot read this topology: %s [E1111]\n"
                                           "   help: 'lstopo machine.xml' writes the topology of a machine\n",
                                           path, reason));
    text_free(&messages);
    unlink(path);
    arena_free(arena);
}

static void test_bad_files(void) {
    static const char start[] = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n";
    char text[2000];
    refuses("", "it is empty");
    refuses("Machine \"A\"\nSpace 1: Core (4)\n", "it is not XML");
    refuses("<?xml version=\"1.0\"?>\n<html></html>\n", "it is XML, but not a topology of hwloc's");
    snprintf(text, sizeof text,
             "%s<topology version=\"2.0\">\n  <object type=\"Machine\" os_index=\"0\" cpuset=\"0x0\" nodeset=\"0x1\" gp_index=\"1\">\n"
             "  </object>\n</topology>\n", start);
    refuses(text, "it has no processors (objects of type PU)");
    snprintf(text, sizeof text, "%s<topology version=\"2.0\">\n  <object type=\"Machine\">\n    <object type=\"PU\"", start);
    refuses(text, "it is cut off: its end is missing");
    snprintf(text, sizeof text, "%s<topology version=\"2.0\">\n  <object type=\"PU\"/>\n</object></topology>\n", start);
    refuses(text, "hwloc refuses it as damaged");
}

UNIT_MAIN("recorded machines", {"models", test_models}, {"files that are no topologies", test_bad_files})
