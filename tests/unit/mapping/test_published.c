/* Published mapping functions: their whole tables, against those of an independent program (published/make_tables.py);
 * and what is refused, with the full texts. */
#include "compiler/mapping/mapping.h"
#include <stdlib.h>
#include <string.h>
#include "tests/unit/unit.h"

static Arena *arena;
static Diags *diags;
static Machine *machine;
static FuncItemVec functions;
static Source *source;

static void begin(const char *model, const char *map) {
    arena = arena_new();
    Source *text = source_from_text(arena, "x.pcubes", model, strlen(model));
    diags = diags_new(arena, text);
    machine = machine_parse(arena, text, diags);
    CU_ASSERT_PTR_NOT_NULL_FATAL(machine);
    source = source_from_text(arena, "x.map", map, strlen(map));
    MappingFile *file = mapping_parse(arena, source, diags);
    functions = file ? file->functions : (FuncItemVec){0};
}

static const FuncValue *evaluate(const char *expression) {
    Source *text = source_from_text(arena, "--eval", expression, strlen(expression));
    FuncExpr *expr = func_parse_expression(arena, text, diags);
    FuncMachine where = {.model = &machine->models.items[0], .machine = machine->name, .parent_level = -1};
    return expr ? func_evaluate(arena, diags, &where, &functions, source, text, expr) : NULL;
}

static int64_t number(char **at) { return strtoll(*at, at, 10); }

/* "name nodes gpus dims extents … : ppu ppu …" */
static void check_table(char *line, const char *map) {
    char *at = strchr(line, ' '), model[200];
    *at++ = '\0';
    long long nodes = number(&at), gpus = number(&at), dims = number(&at), count = 1;
    snprintf(model, sizeof model, "Machine \"M\"\nSpace 3: Cluster (1)\nSpace 2<segment>: Node (%lld)\nSpace 1<core>: GPU (%lld)\n", nodes, gpus);
    begin(model, map);
    Hp5Tuple space = {.count = (int)dims}, point = {.count = (int)dims};
    for (int d = 0; d < dims; d++) count *= space.at[d] = number(&at);
    at = strchr(at, ':') + 1;
    FuncItem *function = func_find(&functions, line);
    CU_ASSERT_PTR_NOT_NULL_FATAL(function);
    FuncMachine where = {.model = &machine->models.items[0], .machine = machine->name, .parent_level = 0};
    CU_ASSERT(func_check(arena, diags, &where, &functions, source, function, (int)dims, 2, function->name_span));
    for (long long i = 0; i < count; i++) {
        char text[300], first[100], second[100];
        hp5_tuple_text(&point, first, sizeof first);
        hp5_tuple_text(&space, second, sizeof second);
        snprintf(text, sizeof text, "%s(%s, %s)", line, first, second);
        const FuncValue *value = evaluate(text);
        int64_t expected = number(&at);
        CU_ASSERT_FATAL(value != NULL && value->kind == FUNC_PROCESSOR);
        if (value->number != expected) printf("%s on (%lld, %lld): %lld, expected %lld\n", text, nodes, gpus, (long long)value->number, (long long)expected);
        CU_ASSERT_EQUAL(value->number, expected);
        for (int d = (int)dims - 1; d >= 0 && ++point.at[d] == space.at[d]; d--) point.at[d] = 0;
    }
    arena_free(arena);
}

static void test_tables(void) {
    Arena *outer = arena_new();
    Source *tables = source_read(outer, "tests/unit/mapping/published/tables.txt"), *map = source_read(outer, "tests/unit/mapping/published/functions.map");
    CU_ASSERT_FATAL(tables != NULL && map != NULL);
    int count = 0;
    for (char *line = strtok(arena_strdup(outer, tables->text), "\n"); line; line = strtok(NULL, "\n"), count++) check_table(line, map->text);
    CU_ASSERT(count > 100);
    arena_free(outer);
}

/* A comma behind the last of a list, as in Python. */
static void test_trailing_commas(void) {
    begin("Machine \"M\"\nSpace 2<segment>: Node (2)\nSpace 1<core>: GPU (4)\n",
          "m = Machine(GPU,)\ndef f(Tuple ipoint, Tuple ispace,):\n    return m[ipoint[0], ispace[0],]\n"
          "def g(Tuple t,):\n    return sum((t[0], t[1], 10,),)\n");
    const FuncValue *processor = evaluate("f((1,), (2, 0,),)"), *number = evaluate("g((1, 2,),)");
    CU_ASSERT_FATAL(processor != NULL && processor->kind == FUNC_PROCESSOR && number != NULL && number->kind == FUNC_INT);
    CU_ASSERT_EQUAL(processor->number, 6);
    CU_ASSERT_EQUAL(number->number, 13);
    arena_free(arena);
}

static const char two_by_four[] = "Machine \"M\"\nSpace 2<segment>: Node (2)\nSpace 1<core>: GPU (4)\n";

static void refuses(const char *map, const char *expression, const char *expected) {
    begin(two_by_four, map);
    if (expression && diags_error_count(diags) == 0) CU_ASSERT_PTR_NULL(evaluate(expression));
    Text text = {0};
    diags_to_text(diags, &text, (DiagStyle){0});
    const char *found = text.data ? text.data : "";
    if (strncmp(found, expected, strlen(expected)) != 0) printf("found:\n%sexpected:\n%s\n", found, expected);
    CU_ASSERT(strncmp(found, expected, strlen(expected)) == 0);
    text_free(&text);
    arena_free(arena);
}

static void test_refused(void) {
    refuses("m = Machine(Core)\n", "m", "x.map:1:13: error: machine 'M' has no space 'Core' [E1226]\n");
    refuses("m = Machine(GPUs)\n", "m", "x.map:1:13: error: machine 'M' has no space 'GPUs'; did you mean 'GPU'? [E1226]\n");
    refuses("m = Machine(GPU, Node)\n", "m", "x.map:1:18: error: Node is not below GPU; name levels from the top down [E1226]\n");
    refuses("m = Machine(GPU)\n", "m.split(-1, 2)", "--eval:1:9: error: split: there is no dimension -1 in a processor space of 2 dimensions; they count from 0 [E1224]\n");
    refuses("m = Machine(GPU).split(1, 3)\n", "m", "x.map:1:5: error: split: 3 does not divide dimension 1, whose extent is 4 [E1224]\n");
    refuses("m = Machine(GPU)\n", "m.merge(1, 0)", "--eval:1:1: error: merge(1, 0): the first dimension must come before the second; swap them first [E1224]\n");
    refuses("m = Machine(GPU)\n", "m[1, 4]", "--eval:1:1: error: index (1, 4) is outside the processor space (2, 4) [E1224]\n");
    refuses("m = Machine(GPU)\n", "m[1, 2, 3]", "--eval:1:1: error: the processor space has 2 dimensions, but there are 3 indices [E1223]\n");
    refuses("m = Machine(GPU)\n", "m.siz", "--eval:1:3: error: a processor space of 2 dimensions has no member 'siz'; its extents are 'size' [E1222]\n");
    refuses("m = Machine(GPU)\n", "m.merg(0, 1)", "--eval:1:3: error: processor spaces have no method 'merg'; did you mean 'merge'? [E1222]\n");
    refuses("m = Machine(GPU)\n", "(1, 2) + (1, 2, 3)", "--eval:1:1: error: a tuple of 2 and a tuple of 3 do not go together [E1223]\n");
    refuses("m = Machine(GPU)\n", "m + 1", "--eval:1:1: error: a processor space of 2 dimensions and a number do not go together [E1223]\n");
    refuses("m = Machine(GPU)\n", "7 / (2 - 2)", "--eval:1:1: error: division by zero (7 / 0) [E1224]\n");
    refuses("m = Machine(GPU)\n", "m.split(0)", "--eval:1:1: error: expected split(i, d), found 1 argument [E1227]\n");
    refuses("m = Machine(GPU)\n", "m.decompose(0, (1, 1), hallo=(1, 1))", "--eval:1:24: error: expected decompose(i, extents, halo=widths, transpose=dimensions) [E1227]\n");
    refuses("m = Machine(GPU)\n", "(1, 2)[2]", "--eval:1:1: error: a tuple of 2 elements has no element 2 [E1224]\n");
    refuses("def f(int a):\n    return f(a)\n", "f(1)", "x.map:2:12: error: 'f' needs itself; mapping functions must not be recursive [E1225]\n");
    refuses("def f(int a):\n    return g(a)\ndef g(int a):\n    return f(a)\n", "f(1)", "x.map:4:12: error: 'f' needs itself; mapping functions must not be recursive [E1225]\n");
    refuses("def f(int a):\n    return a + bb\nbc = 1\n", "f(1)", "x.map:2:16: error: unknown name 'bb' [E1222]\n");
    refuses("def f(int a):\n    return a\n", "f(1, 2)", "--eval:1:1: error: function 'f' has 1 parameter, found 2 [E1227]\n");
    refuses("def f(Tuple a):\n    return a\n", "f(1)", "--eval:1:3: error: parameter 'a' is of type Tuple, found a number [E1223]\n");
    refuses("def f(Tupel a):\n    return a\n", NULL, "x.map:1:7: error: there is no type 'Tupel', expected Tuple, int, Task or Machine [E1223]\n");
    refuses("def f(int a):\n    a = 1\n", NULL, "x.map:1:5: error: function 'f' does not end with 'return …' [E1221]\n");
    refuses("def f(int a):\n    return a +\n", NULL, "x.map:2:15: error: unexpected the end of the line, expected an expression [E1221]\n");
    refuses("def f(int a):\n    if a > 1\n", NULL, "x.map:2:8: error: unexpected 'a', expected '=' [E1221]\n");
    refuses("m = 1\nm = 2\n", NULL, "x.map:2:1: error: 'm' is defined a second time [E1207]\n");
}

/* A function as the mapping of a Space. */
static void rejects_mapping(const char *map, const char *function, int dims, const char *expected) {
    begin(two_by_four, map);
    FuncMachine where = {.model = &machine->models.items[0], .machine = machine->name, .parent_level = -1};
    FuncItem *item = func_find(&functions, function);
    CU_ASSERT_PTR_NOT_NULL_FATAL(item);
    diags_set_source(diags, source);
    CU_ASSERT_FALSE(func_check(arena, diags, &where, &functions, source, item, dims, 1, item->name_span));
    Text text = {0};
    diags_to_text(diags, &text, (DiagStyle){0});
    if (strncmp(text.data, expected, strlen(expected)) != 0) printf("found:\n%sexpected:\n%s\n", text.data, expected);
    CU_ASSERT(strncmp(text.data, expected, strlen(expected)) == 0);
    text_free(&text);
    arena_free(arena);
}

static void test_rejected(void) {
    rejects_mapping("def f(Tuple a, Tuple b):\n    return a\n", "f", 2,
                    "x.map:2:5: error: a mapping function returns a processor, as in 'return m[i, j]'; found a tuple of 2 [E1223]\n");
    rejects_mapping("m = Machine(Node)\ndef f(Tuple a, Tuple b):\n    return m[0, a[0]]\n", "f", 1,
                    "x.map:3:5: error: 'f' returns a PPU of Node, but the Space is mapped to GPU [E1226]\n");
    rejects_mapping("def f(int a):\n    return a\n", "f", 2, "x.map:1:5: error: 'f' is no mapping function: it has 1 parameter [E1227]\n");
    rejects_mapping("m = Machine(GPU)\ndef f(Tuple a, Tuple b):\n    return m[*(a % m.size)]\n", "f", 3,
                    "x.map:3:15: error: a tuple of 3 and a tuple of 2 do not go together [E1223]\n");
    rejects_mapping("m = Machine(GPU)\ndef f(Tuple a, Tuple b):\n    return m[0, a[0] / 0]\n", "f", 1, "x.map:3:17: error: division by zero (0 / 0) [E1224]\n");
    rejects_mapping("m = Machine(GPU)\ndef f(Tuple a, Tuple b):\n    return m[0, a[3]]\n", "f", 2, "x.map:3:17: error: a tuple of 2 elements has no element 3 [E1224]\n");
    rejects_mapping("m = Machine(GPU)\ndef f(Tuple a, Tuple b):\n    return a[0] > 1 ? m[0, 0] : 1\n", "f", 2, "x.map:3:12: error: '?:' gives a processor or a number; both must be the same [E1223]\n");
}

/* Damaged text never does more than give messages. */
static void test_damaged(void) {
    Arena *outer = arena_new();
    Source *map = source_read(outer, "tests/unit/mapping/published/functions.map");
    CU_ASSERT_PTR_NOT_NULL_FATAL(map);
    uint64_t state = 7;
    for (int i = 0; i < 600; i++) {
        char *text = arena_copy(outer, map->text, map->length);
        for (int change = 0; change <= i % 4; change++) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            text[(state >> 33) % map->length] = map->text[(state >> 13) % map->length];
        }
        begin(two_by_four, text);
        FuncMachine where = {.model = &machine->models.items[0], .machine = machine->name, .parent_level = -1};
        diags_set_source(diags, source);
        for (size_t f = 0; f < functions.count; f++)
            if (functions.items[f]->is_function) {
                size_t errors = diags_error_count(diags);
                bool good = func_check(arena, diags, &where, &functions, source, functions.items[f], 1 + i % 3, 1, functions.items[f]->name_span);
                CU_ASSERT(good || diags_error_count(diags) > errors || errors > 0);
            }
        arena_free(arena);
    }
    arena_free(outer);
}

UNIT_MAIN("published mapping functions", {"tables", test_tables}, {"trailing commas", test_trailing_commas}, {"refused expressions", test_refused}, {"refused mappings", test_rejected},
          {"damaged text", test_damaged})
