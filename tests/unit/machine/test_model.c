/* Model files: what they mean, that written models read back to the same text, and bad input of every kind. */
#include "tests/unit/machine/model_fixture.h"

#include <stdlib.h>

/* ---- Meaning ----------------------------------------------------------------------- */

static void test_values(void) {
    Machine *machine = parse(hermes);
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    CU_ASSERT_STRING_EQUAL(machine->name, "Hermes");
    const MachineModel *model = machine_find_model(machine, NULL);
    CU_ASSERT_EQUAL_FATAL(model->spaces.count, 6);
    const MachineSpace *node = &model->spaces.items[1];
    CU_ASSERT_EQUAL(node->flags, FLAG_SEGMENT | FLAG_UNIT);
    CU_ASSERT_EQUAL(node->number, 5);
    CU_ASSERT_EQUAL(node->attributes.exchange, 50e-6);
    CU_ASSERT_EQUAL(node->attributes.move_bandwidth, 1.25e9);
    CU_ASSERT_EQUAL(node->attributes.move_width, 1500);
    CU_ASSERT_EQUAL(node->attributes.move_latency, 50e-6);
    CU_ASSERT(!machine_is_stated(node->attributes.move_at_once));
    CU_ASSERT(!machine_is_stated(node->attributes.memory));
    CU_ASSERT_EQUAL(model->spaces.items[2].attributes.memory, 64.0 * 1024 * 1024 * 1024);
    CU_ASSERT_EQUAL(model->spaces.items[4].attributes.operations, 4);
    CU_ASSERT_EQUAL(model->spaces.items[4].attributes.clock, 2.3e9);
    arena_free(arena);
}

/* Sizes count in powers of 1024, rates and all else in powers of 1000. */
static void test_each_unit(void) {
    static const struct { const char *attribute; size_t offset; double value; } cases[] = {
#define AT(field) offsetof(MachineAttributes, field)
        {"memory: 3 B", AT(memory), 3},
        {"memory: 3 KB", AT(memory), 3072},
        {"memory: 3 KiB", AT(memory), 3072},
        {"memory: 3 MB", AT(memory), 3145728},
        {"memory: 3 MiB", AT(memory), 3145728},
        {"memory: 3 GB", AT(memory), 3221225472.0},
        {"memory: 3 GiB", AT(memory), 3221225472.0},
        {"memory: 3 TB", AT(memory), 3298534883328.0},
        {"memory: 3 TiB", AT(memory), 3298534883328.0},
        {"memory: 3 PB", AT(memory), 3377699720527872.0},
        {"memory: 3 B/s", AT(memory_bandwidth), 3},
        {"memory: 3 KB/s", AT(memory_bandwidth), 3e3},
        {"memory: 3 MB/s", AT(memory_bandwidth), 3e6},
        {"move: 3 GB/s", AT(move_bandwidth), 3e9},
        {"move: 3 TB/s", AT(move_bandwidth), 3e12},
        {"exchange: 3 ps", AT(exchange), 3e-12},
        {"exchange: 3 ns", AT(exchange), 3e-9},
        {"exchange: 3 us", AT(exchange), 3e-6},
        {"move: 3 \xC2\xB5s", AT(move_latency), 3e-6},
        {"move: 3 \xCE\xBCs", AT(move_latency), 3e-6},
        {"move: 3 ms", AT(move_latency), 3e-3},
        {"move: 3 s", AT(move_latency), 3},
        {"compute: 3 Hz", AT(clock), 3},
        {"compute: 3 KHz", AT(clock), 3e3},
        {"compute: 3 MHz", AT(clock), 3e6},
        {"compute: 3 GHz", AT(clock), 3e9},
        {"compute: 1 op", AT(operations), 1},
#undef AT
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[200];
        double value;
        snprintf(text, sizeof text, "Space 1<core>: Core (1) { %s }\n", cases[i].attribute);
        Machine *machine = parse(text);
        CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
        memcpy(&value, (const char *)&machine_find_model(machine, NULL)->spaces.items[0].attributes + cases[i].offset, sizeof value);
        CU_ASSERT_EQUAL(value, cases[i].value);
        if (value != cases[i].value) fprintf(stderr, "%s is %.17g\n", cases[i].attribute, value);
        arena_free(arena);
    }
}

static void test_finding(void) {
    Machine *machine = parse(hermes);
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    const MachineModel *model = machine_find_model(machine, NULL);
    CU_ASSERT_EQUAL(model_find_space(model, "Core-Pair"), 4);
    CU_ASSERT_EQUAL(model_find_space(model, "2"), 4);
    CU_ASSERT_EQUAL(model_find_space(model, "7"), -1);
    CU_ASSERT_EQUAL(model_find_space(model, "core"), -1);
    CU_ASSERT_EQUAL(model_find_space(model, ""), -1);
    CU_ASSERT_STRING_EQUAL(model_nearest_space(model, "NUMANode"), "NUMA-Node");
    CU_ASSERT_PTR_NULL(model_nearest_space(model, "Rack"));
    CU_ASSERT_PTR_NULL(machine_find_model(machine, "GPU"));
    CU_ASSERT_EQUAL(model_total_ppus(model, 0), 1);
    CU_ASSERT_EQUAL(model_total_ppus(model, 5), 256);
    CU_ASSERT_EQUAL(model_ppus_between(model, 2, 4), 8);
    CU_ASSERT_EQUAL(model_ppus_between(model, 4, 4), 1);
    CU_ASSERT_EQUAL(model_segment_level(model), 1);
    arena_free(arena);
}

static void check_compute_levels(const char *text, const int *expected) {
    Machine *machine = parse(text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    const MachineModel *model = machine_find_model(machine, NULL);
    for (int level = 0; level < (int)model->spaces.count; level++)
        CU_ASSERT_EQUAL(model_compute_level(model, level), expected[level]);
    arena_free(arena);
}

static void test_capacity(void) {
    check_compute_levels(hermes, (int[]){4, 4, 4, 4, 4, 4});
    /* bare: the lowest level */
    check_compute_levels("Space 2: CPU (1)\nSpace 1: Core (8)", (int[]){1, 1});
    /* bare with a core flag: that level and those below */
    check_compute_levels("Space 3: CPU (1)\nSpace 2<core>: Core (8)\nSpace 1: Thread (2)", (int[]){1, 1, 2});
    /* below comes before above */
    check_compute_levels(
        "Space 3: A (1) { compute: 1 ops }\nSpace 2: B (2)\nSpace 1: C (2) { compute: 1 ops }",
        (int[]){0, 2, 2});
    /* 0 operations say so */
    check_compute_levels("Space 2: A (1) { compute: 0 ops }\nSpace 1: B (2) { compute: 0 ops }",
                         (int[]){-1, -1});
    /* the host's side of a GPU boundary is preferred, also upwards */
    check_compute_levels(
        "Space 5: Node (1) { compute: 8 ops }\nSpace 4: Port (1)\nSpace 3<gpu>: GPU (2)\nSpace 2: SM (8)\n"
        "Space 1: Warp (4) { compute: 32 ops }",
        (int[]){0, 0, 4, 4, 4});
    check_compute_levels(
        "Space 4: Node (1)\nSpace 3<gpu>: GPU (2)\nSpace 2: SM (8)\nSpace 1: Warp (4) { compute: 32 ops }",
        (int[]){3, 3, 3, 3});
}

static void test_gpu_levels(void) {
    Machine *machine = parse(
        "Space 4: Node (1)\nSpace 3<gpu>: GPU (2)\nSpace 2: SM (8)\nSpace 1: Warp (4) { compute: 32 ops }");
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    CU_ASSERT_STRING_EQUAL(machine->name, "m"); /* the file's name, without folder and ending */
    const MachineModel *model = machine_find_model(machine, NULL);
    CU_ASSERT(!model_is_gpu_level(model, 0));
    CU_ASSERT(model_is_gpu_level(model, 1));
    CU_ASSERT(model_is_gpu_level(model, 3));
    CU_ASSERT_EQUAL(model_segment_level(model), 1); /* each of two cards has a process */
    arena_free(arena);
}

static void check_segment_level(const char *text, int expected) {
    Machine *machine = parse(text);
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    CU_ASSERT_EQUAL(model_segment_level(machine_find_model(machine, NULL)), expected);
    arena_free(arena);
}

static void test_segments_of_cards(void) {
    check_segment_level("Space 4: Node (1)\nSpace 3<gpu>: GPU (1)\nSpace 2: SM (8)\nSpace 1: Warp (4)", -1);
    check_segment_level("Space 4<segment>: Node (2)\nSpace 3<gpu>: GPU (1)\nSpace 2: SM (8)\nSpace 1: Warp (4)", 0);
    check_segment_level("Space 4<segment>: Node (2)\nSpace 3<gpu>: GPU (3)\nSpace 2: SM (8)\nSpace 1: Warp (4)", 1);
    check_segment_level("Space 5<segment>: Node (2)\nSpace 4: Socket (2)\nSpace 3<gpu>: GPU (1)\nSpace 2: SM (8)\nSpace 1: Warp (4)", 2);
}

static void test_models(void) {
    Machine *machine = parse("Machine \"Two\" // a comment\nModel: CPU-Only Space 1: Core (4) /* another "
                             "*/\nModel: Model Space 1: Machine (2)");
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    CU_ASSERT_EQUAL(machine->models.count, 2);
    CU_ASSERT_STRING_EQUAL(machine_find_model(machine, NULL)->name, "CPU-Only");
    CU_ASSERT_PTR_EQUAL(machine_find_model(machine, "Model"), &machine->models.items[1]);
    CU_ASSERT_STRING_EQUAL(machine->models.items[1].spaces.items[0].name, "Machine");
    arena_free(arena);
}

static void test_units(void) {
    Machine *machine =
        parse("Space 1: X (1) { memory: 1.5 KB, compute: 1e9 Hz 1 op, exchange: 2.5 \xC2\xB5s, "
              "move: 64 KiB 3 at-once 4 ms 2 TB/s 12 in-flight }");
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    const MachineAttributes *a = &machine->models.items[0].spaces.items[0].attributes;
    CU_ASSERT_EQUAL(a->memory, 1536);
    CU_ASSERT_EQUAL(a->clock, 1e9);
    CU_ASSERT_EQUAL(a->operations, 1);
    CU_ASSERT_EQUAL(a->exchange, 2.5e-6);
    CU_ASSERT_EQUAL(a->move_width, 65536);
    CU_ASSERT_EQUAL(a->move_at_once, 3);
    CU_ASSERT_EQUAL(a->move_in_flight, 12);
    CU_ASSERT_EQUAL(a->move_latency, 4e-3);
    CU_ASSERT_EQUAL(a->move_bandwidth, 2e12);
    arena_free(arena);
}

/* ---- Writing ----------------------------------------------------------------------------- */

static void check_round_trip(Machine *machine) {
    Text first = {0}, second = {0};
    machine_write(machine, &first);
    Source *source = source_from_text(arena, "again", first.data, first.length);
    Machine *again = machine_parse(arena, source, diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(again);
    machine_write(again, &second);
    CHECK_TEXT(second.data, first.data);
    text_free(&first);
    text_free(&second);
}

static void test_repository_models(void) {
    static const char *const names[] = {"hermes", "k20",    "mira",      "gpu-cluster",
                                        "h200",   "h100",   "a100",      "laptop", "quad-8core"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        arena = arena_new();
        diags = diags_new(arena, NULL);
        Source *source = source_read(arena, arena_printf(arena, "pcubes-models/%s.pcubes", names[i]));
        CU_ASSERT_PTR_NOT_NULL_FATAL(source);
        Machine *machine = machine_parse(arena, source, diags);
        diags_print(diags, stderr, (DiagStyle){0});
        CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
        check_round_trip(machine);
        arena_free(arena);
    }
}

static void test_quantities(void) {
    static const struct {
        UnitKind kind;
        double value;
        const char *text;
    } cases[] = {
        {UNIT_BYTES, 0, "0 B"},
        {UNIT_BYTES, 1, "1 B"},
        {UNIT_BYTES, 1024, "1 KB"},
        {UNIT_BYTES, 1500, "1500 B"},
        {UNIT_BYTES, 1536, "1.5 KB"},
        {UNIT_BYTES, 6.0 * 1024 * 1024, "6 MB"},
        {UNIT_BYTES, 512.0 * 1024 * 1024, "512 MB"},
        {UNIT_RATE, 51.2e9, "51.2 GB/s"},
        {UNIT_RATE, 140e9, "140 GB/s"},
        {UNIT_RATE, 4.8e12, "4.8 TB/s"},
        {UNIT_SECONDS, 90e-9, "90 ns"},
        {UNIT_SECONDS, 59e-9, "59 ns"},
        {UNIT_SECONDS, 1, "1 s"},
        {UNIT_SECONDS, 0.25e-3, "250 us"},
        {UNIT_HERTZ, 2.3e9, "2.3 GHz"},
        {UNIT_HERTZ, 44.125e6, "44.125 MHz"},
        {UNIT_OPERATIONS, 16, "16 ops"},
        {UNIT_AT_ONCE, 150, "150 at-once"},
        {UNIT_IN_FLIGHT, 12, "12 in-flight"},
        {UNIT_SECONDS, 1e-30, "1e-18 ps"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        Text text = {0};
        machine_write_quantity(&text, cases[i].kind, cases[i].value);
        CHECK_TEXT(text.data, cases[i].text);
        text_free(&text);
    }
}

static void test_random_quantities(void) {
    unsigned long long seed = 12345;
    for (int i = 0; i < 2000; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        double value = (double)(seed >> 11) * (i % 2 ? 1e-18 : 1e-3);
        arena = arena_new();
        diags = diags_new(arena, NULL);
        Text text = {0};
        text_append(&text, "Space 1: A (1) { exchange: ");
        machine_write_quantity(&text, UNIT_SECONDS, value);
        text_append(&text, ", move: ");
        machine_write_quantity(&text, UNIT_RATE, value);
        text_append(&text, " }");
        Machine *machine = machine_parse(arena, source_from_text(arena, "x", text.data, text.length), diags);
        CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
        CU_ASSERT_EQUAL(machine->models.items[0].spaces.items[0].attributes.exchange, value);
        CU_ASSERT_EQUAL(machine->models.items[0].spaces.items[0].attributes.move_bandwidth, value);
        text_free(&text);
        arena_free(arena);
    }
}

static void test_drawings(void) {
    Machine *machine =
        parse("Machine \"A & B\"\nSpace 2<segment>: Node (2) { memory: 64 GB }\nSpace 1<core>: Core (40)");
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    Text text = {0}, svg = {0};
    machine_draw_text(machine, &text);
    CHECK_TEXT(
        text.data,
        "A & B\n"
        "2 × Node                                 Space 2, 2 in all, one process each\n"
        "│  memory: 64 GB\n"
        "└─ 40 × Core                             Space 1, 80 in all, numbered by the system, computes\n");
    machine_draw_svg(machine, &svg);
    CU_ASSERT_PTR_NOT_NULL(strstr(svg.data, "A &amp; B"));
    CU_ASSERT_PTR_NOT_NULL(strstr(svg.data, "40 × Core (16 drawn)"));
    CU_ASSERT_PTR_NOT_NULL(strstr(svg.data, "</svg>\n"));
    CU_ASSERT_PTR_NULL(strstr(svg.data, "nan"));
    text_free(&text);
    text_free(&svg);
    arena_free(arena);
}

/* ---- Bad input of every kind ------------------------------------------------------------ */

static void survive(const char *text, size_t length) {
    Machine *machine = parse_n(text, length);
    Text printed = {0};
    diags_to_text(diags, &printed, (DiagStyle){0});
    CU_ASSERT(machine || printed.length > 0); /* refused: there is a message */
    text_free(&printed);
    if (machine) check_round_trip(machine);
    arena_free(arena);
}

static void test_truncations(void) {
    for (size_t length = 0; length <= strlen(hermes); length++) survive(hermes, length);
}

static void test_mutations(void) {
    static const char alphabet[] = "\0\n \"{}()<>:,/*#0919.eE-AaZz\x80\xC2\xB5\xFF@Space Model";
    unsigned long long seed = 42;
    for (int i = 0; i < 3000; i++) {
        char text[sizeof hermes];
        memcpy(text, hermes, sizeof hermes);
        for (int change = 0; change <= i % 4; change++) {
            seed = seed * 6364136223846793005u + 1442695040888963407u;
            text[(seed >> 33) % (sizeof hermes - 1)] = alphabet[(seed >> 20) % (sizeof alphabet - 1)];
        }
        survive(text, sizeof hermes - 1);
    }
}

/* A long file of nothing but errors must not take long or say too much. */
static void test_floods(void) {
    static const char *const pieces[] = {"Space ", "<",  "{",          "1 ", "Space 1: A (1) {memory:1}",
                                         "\"",     "/*", "Model: A\n", "x,", "a: 1 B, "};
    for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
        Text text = {0};
        if (pieces[i][0] == 'a') text_append(&text, "Space 1: A (1) { ");
        while (text.length < 65536) text_append(&text, pieces[i]);
        CU_ASSERT_PTR_NULL(parse_n(text.data, text.length));
        Text printed = {0};
        diags_to_text(diags, &printed, (DiagStyle){0});
        CU_ASSERT(printed.length > 0 && printed.length < 40000);
        text_free(&printed);
        text_free(&text);
        arena_free(arena);
    }
}

UNIT_MAIN("machine models", {"values", test_values}, {"each unit", test_each_unit}, {"finding", test_finding}, {"capacity", test_capacity},
          {"GPU levels", test_gpu_levels}, {"segments of cards", test_segments_of_cards}, {"several models", test_models}, {"units", test_units},
          {"models of the repository", test_repository_models}, {"quantities", test_quantities},
          {"random quantities", test_random_quantities}, {"drawings", test_drawings},
          {"truncations", test_truncations}, {"mutations", test_mutations}, {"floods", test_floods})
