/* Reading model files in tests. */
#ifndef HP5_TESTS_MODEL_FIXTURE_H
#define HP5_TESTS_MODEL_FIXTURE_H
#include "tests/unit/unit.h"

#include "compiler/machine/machine.h"
#include "tests/unit/check_text.h"

static Arena *arena;
static Diags *diags;

static inline Machine *parse_n(const char *text, size_t length) {
    arena = arena_new();
    Source *source = source_from_text(arena, "models/m.pcubes", text, length);
    diags = diags_new(arena, NULL);
    return machine_parse(arena, source, diags);
}

static inline Machine *parse(const char *text) { return parse_n(text, strlen(text)); }

static const char hermes[] =
    "Machine \"Hermes\"\n"
    "Space 6: Cluster (1)\n"
    "Space 5<segment><unit>: Node (4) { exchange: 50 us, move: 1.25 GB/s 1500 B 50 us }\n"
    "Space 4: CPU (4) { memory: 64 GB }\n"
    "Space 3: NUMA-Node (2)\n"
    "Space 2: Core-Pair (4) { memory: 2 MB, compute: 4 ops 2.3 GHz }\n"
    "Space 1<core>: Core (2)\n";
#endif
