/* CUDA cards, with a driver library of our own: it is compiled here and loaded under the
 * name of the real one, which the probe then finds already loaded. */
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

#include <dlfcn.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
#include "compiler/machine/machine.h"
#include "tests/unit/check_text.h"

extern char **environ;

/* Three cards: one of a kind and two of another. */
static const char driver_text[] =
    "#include <stddef.h>\n"
    "int cuInit(unsigned f) { return (int)f; }\n"
    "int cuDeviceGetCount(int *n) { *n = 3; return 0; }\n"
    "int cuDeviceGet(int *d, int i) { *d = i; return 0; }\n"
    "int cuDeviceTotalMem_v2(size_t *n, int d) { *n = (size_t)(d == 0 ? 16 : 139) << 30; return 0; }\n"
    "int cuDeviceGetAttribute(int *v, int a, int d) {\n"
    "    switch (a) {\n"
    "    case 10: *v = 32; return 0;\n"
    "    case 13: *v = 1980000; return 0;\n"
    "    case 16: *v = d == 0 ? 80 : 132; return 0;\n"
    "    case 36: *v = 3201000; return 0;\n"
    "    case 37: *v = 6144; return 0;\n"
    "    case 39: *v = 2048; return 0;\n"
    "    case 81: *v = 233472; return 0;\n"
    "    default: return 1;\n"
    "    }\n"
    "}\n";

static bool compile(const char *source, const char *library) {
    char *arguments[] = {"cc",       "-w", "-shared", "-fPIC", "-Wl,-soname,libcuda.so.1", "-o", (char *)library,
                         (char *)source, NULL};
    pid_t child;
    int status;
    return posix_spawnp(&child, "cc", NULL, NULL, arguments, environ) == 0 && waitpid(child, &status, 0) == child &&
           status == 0;
}

static void test_cards(void) {
    const char *source = scratch("driver.c"), *library = scratch("driver.so");
    Text text = {0};
    text_append(&text, driver_text);
    CU_ASSERT_FATAL(text_write_file(&text, source));
    text_free(&text);
    CU_ASSERT_FATAL(compile(source, library));
    void *driver = dlopen(library, RTLD_NOW);
    CU_ASSERT_PTR_NOT_NULL_FATAL(driver);
    Arena *arena = arena_new();
    Diags *diags = diags_new(arena, NULL);
    Machine *machine = machine_probe(arena, &(ProbeOptions){.cards = true}, diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    machine_write(machine, &text);
    CU_ASSERT_PTR_NOT_NULL(strstr(text.data, "\nModel: CPU-Only\n"));
    const char *model = strstr(text.data, "\nModel: GPU\n");
    const char *cards = strstr(text.data, "Space 3<gpu>: GPU");
    CU_ASSERT_FATAL(model && cards && model < cards);
    CHECK_TEXT(cards, "Space 3<gpu>: GPU (2)                { memory: 139 GB }\n"
                      "Space 2: SM (132)                    { memory: 228 KB, move: 4.916736 TB/s 128 B }\n"
                      "Space 1: Warp (64)                   { compute: 32 ops 123.75 MHz }\n");
    CU_ASSERT_PTR_NOT_NULL(machine_parse(arena, source_from_text(arena, "again", text.data, text.length), diags));
    text_free(&text);
    arena_free(arena);
}

UNIT_MAIN("CUDA cards", {"a driver with three cards", test_cards})
