/* Reading and resolving mapping files in tests. */
#ifndef HP5_TESTS_MAPPING_FIXTURE_H
#define HP5_TESTS_MAPPING_FIXTURE_H
#include "tests/unit/unit.h"

#include "compiler/mapping/mapping.h"
#include "tests/unit/check_text.h"

static Arena *arena;
static Diags *diags;
static Machine *machine;
static Source *program;

static const char hermes[] =
    "Machine \"Hermes\"\nSpace 6: Cluster (1)\nSpace 5<segment><unit>: Node (4)\nSpace 4: CPU (4)\n"
    "Space 3: NUMA-Node (2)\nSpace 2: Core-Pair (4) { compute: 4 ops }\nSpace 1<core>: Core (2)\n";
static const char laptop[] = "Machine \"Laptop\"\nSpace 2: Machine (1)\nSpace 1<core>: Core (2)\n";
static const char gpu_node[] =
    "Machine \"Node\"\nModel: GPU\nSpace 4: Node (1)\nSpace 3<gpu>: Card (2)\nSpace 2: SM (13)\n"
    "Space 1: Warp (16) { compute: 32 ops }\nModel: CPU-Only\nSpace 2: Node (1)\nSpace 1: Core (8)\n";

/* Root - A - B */
static const MappingLps chain[] = {
    {"Root", -1, false, 1, false, false, {0, 0}}, {"A", 0, false, 1, false, false, {0, 7}}, {"B", 1, false, 1, false, false, {8, 15}}};
static const MappingTree chain_tree = {"T", NULL, chain, 3};

static inline void begin(const char *model) {
    arena = arena_new();
    diags = diags_new(arena, NULL);
    machine = machine_parse(arena, source_from_text(arena, "m.pcubes", model, strlen(model)), diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    program = source_from_text(arena, "p.hp5", "Space A\nSpace B\n", 16);
}

static inline void check_messages(const char *expected) {
    Text printed = {0};
    diags_to_text(diags, &printed, (DiagStyle){0});
    CHECK_TEXT(printed.data ? printed.data : "", expected);
    text_free(&printed);
}

static inline MappingFile *read_map(const char *text) {
    return mapping_parse(arena, source_from_text(arena, "x.map", text, strlen(text)), diags);
}

static inline ResolvedMapping *resolve_tree(const char *text, const MappingTree *tree) {
    MappingFile *file = text ? read_map(text) : NULL;
    if (text && !file) return NULL;
    if (file && !mapping_check_tasks(file, &tree->task, 1, diags)) return NULL;
    return mapping_resolve(arena, file, machine, tree, diags);
}

/* "A=CPU:16@0 B=…": level, PPUs, first PPU of each LPS but Root, then the totals. */
static inline void check_mapping(const ResolvedMapping *mapping, const char *expected) {
    Text text = {0};
    CU_ASSERT_PTR_NOT_NULL_FATAL(mapping);
    for (size_t i = 0; i < mapping->count; i++) {
        const MappedLps *lps = &mapping->lpses[i];
        text_printf(&text, "%s=%s:%lld@%lld ", mapping->tree->lpses[i].name, lps->level_name,
                    (long long)lps->ppus, (long long)lps->first);
    }
    text_printf(&text, "threads=%lld segments=%lld", (long long)mapping->threads,
                (long long)mapping->segments);
    CHECK_TEXT(text.data, expected);
    text_free(&text);
}

/* A printed mapping resolves to the same mapping. */
static inline void check_print(const ResolvedMapping *mapping) {
    Text first = {0}, second = {0};
    mapping_print(mapping, &first);
    ResolvedMapping *again = resolve_tree(first.data, mapping->tree);
    CU_ASSERT_PTR_NOT_NULL_FATAL(again);
    mapping_print(again, &second);
    CHECK_TEXT(second.data, first.data);
    CU_ASSERT_EQUAL(again->threads, mapping->threads);
    CU_ASSERT_EQUAL(again->segments, mapping->segments);
    text_free(&first);
    text_free(&second);
}

static inline void accepts(const char *model, const MappingTree *tree, const char *map, const char *expected) {
    begin(model);
    ResolvedMapping *mapping = resolve_tree(map, tree);
    check_messages("");
    check_mapping(mapping, expected);
    check_print(mapping);
    arena_free(arena);
}

static inline void rejects(const char *model, const char *map, const char *messages) {
    begin(model);
    CU_ASSERT_PTR_NULL(resolve_tree(map, &chain_tree));
    check_messages(messages);
    arena_free(arena);
}
#endif
