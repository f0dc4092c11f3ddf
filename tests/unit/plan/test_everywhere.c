/* Which stages above the processes all of them run, and where what the task leaves is at home. Space A is the whole cluster's; Space B's LPUs go to its nodes. `best` and the matrix `m` lie in parts
 * there; `table`, `wide` and `line` are looked up as wholes. */
#include "compiler/mapping/mapping.h"
#include "compiler/plan/levels.h"
#include "compiler/plan/verify.h"
#include "tests/unit/unit.h"
#include <string.h>

static const char PROGRAM[] = "Task \"T\":\n"
                              "Define:\n best, line: 1d Array of Real double-precision\n m, table, wide: 2d Array of Real double-precision\n d: Integer\n s: Real double-precision\n"
                              "Environment:\n best, m: link\n"
                              "Initialize:\n line.dimension = best.dimension table.dimension = wide.dimension = m.dimension\n"
                              "Stages:\n"
                              " search(best, table, d) { do { best[i] = best[i] + table[i][d] } for i in best }\n"
                              " search_all(best, table) { do { do { best[i] = best[i] + table[i][j] } for j in table.dimension2 } for i in best }\n"
                              " look_up(m, line) { do { m[i][j] = m[i][j] + line[j] } for i, j in m }\n"
                              " fill(table, best, d) { do { table[i][d] = best[i] } for i in best }\n"
                              " fill_all(table, m) { do { table[i][j] = m[i][j] } for i, j in m }\n"
                              " double_all(m) { do { m[i][j] = m[i][j] * 2 } for i, j in m }\n"
                              " use(wide, m) { do { wide[i][j] = wide[i][j] + m[i][j] } for i, j in wide }\n"
                              " fill_both(table, m, best, d) { do { table[i][d] = best[i]  m[i][d] = best[i] } for i in best }\n"
                              " again(table, m) { do { table[i][j] = m[i][j] } for i, j in m }\n"
                              " copy(line, m, d) { do { line[j] = m[d][j] } for j in m.dimension2 }\n"
                              " sum(table, best, d) { table[d][d] = best[d] do { table[d][d] = table[d][d] + best[i] } for i in best }\n"
                              " change(m, best, d) { do { m[i][d] = best[i] } for i in best }\n"
                              " total(s, best) { do { s = s + best[i] } for i in best }\n"
                              "Computation:\n Space A { Repeat for d in [1...5] { %s } }\n"
                              "Partition (p):\n Space A <un-partitioned> { best, line, m, table, wide }\n"
                              " Space B <1d> divides Space A partitions { best, m<dim1>: block_size(p) }\n"
                              " Space C <1d> divides Space A partitions { m<dim2>, wide<dim2>: block_size(p) }\n";
static const char MACHINE[] = "Machine \"M\"\nSpace 3: Cluster (1)\nSpace 2<segment>: Node (4)\nSpace 1<core>: Core (2)\n";
static const char MAPPING[] = "\"T\" { Space A: Cluster  Space B: Core  Space C: Core }\n";

static Source *source_of(Arena *arena, const char *name, const char *text) { return source_from_text(arena, name, text, strlen(text)); }

/* The plan in words; NULL: there is none, and `out` says why. */
static const char *plan_of(Arena *arena, const char *flow, Text *out) {
    Source *source = source_of(arena, "t.hp5", arena_printf(arena, PROGRAM, flow));
    Diags *diags = diags_new(arena, source);
    const Ast *ast = syntax_parse(arena, source, diags);
    Program *program = diags_error_count(diags) == 0 ? check_program(arena, ast, diags) : NULL;
    const Machine *machine = machine_parse(arena, source_of(arena, "m.pcubes", MACHINE), diags);
    const MappingFile *mapping = mapping_parse(arena, source_of(arena, "t.map", MAPPING), diags);
    Plan *plan = program == NULL ? NULL : plan_program(arena, program, (PlanOptions){.moves = true, .omit_sync = -1, .omit_transfer = -1, .machine = machine, .mapping = mapping}, diags);
    const bool planned = plan != NULL && plan_levels(arena, plan, mapping, machine, diags);
    if (planned) plan_verify(plan);
    if (planned) plan_dump(plan, NULL, out);
    else diags_to_text(diags, out, (DiagStyle){0});
    return planned ? out->data : NULL;
}

/* Whether the plan says that all address spaces run the stage. */
static void expect(const char *flow, const char *stage, bool everywhere) {
    Arena *arena = arena_new();
    Text out = {0};
    const bool planned = plan_of(arena, flow, &out) != NULL;
    CU_ASSERT(planned);
    const char *line = planned ? strstr(out.data, arena_printf(arena, "run %s in Space A", stage)) : NULL, *end = line == NULL ? NULL : strchr(line, '\n');
    const char *words = line == NULL ? NULL : strstr(line, "in every address space");
    const bool found = words != NULL && words < end;
    CU_ASSERT(line != NULL && found == everywhere);
    CU_ASSERT(!everywhere || strstr(out.data, "MOVE: table") == NULL); /* all have it */
    if (line == NULL || found != everywhere) fprintf(stderr, "%s\n%s", flow, out.data);
    text_free(&out);
    arena_free(arena);
}

/* As much is looked up as is asked for, or more. */
static void test_tables(void) {
    expect("Space B { search_all(best, table) } fill(table, best, d)", "fill", true);
    expect("Space B { search(best, table, d) } fill(table, best, d)", "fill", true);
    expect("Space B { look_up(m, line) } fill(table, best, d)", "fill", false); /* nobody looks up the table */
    expect("Space B { search(best, table, d) look_up(m, line) } fill_all(table, m)", "fill_all", false); /* more comes than is looked up */
    expect("Space B { search_all(best, table) look_up(m, line) } fill_all(table, m)", "fill_all", true);
}

/* What it writes lies in parts, or no process has room for what it reads. */
static void test_room(void) {
    expect("Space B { look_up(m, line) } change(m, best, d)", "change", false);
    expect("Space B { search(best, table, d) look_up(m, line) } fill_both(table, m, best, d)", "fill_both", false);
    expect("Space B { look_up(m, line) } copy(line, m, d)", "copy", false);
}

/* A number that others ask for needs no more than itself to move. */
static void test_numbers(void) {
    expect("Space B { search(best, table, d) } total(s, best)", "total", false);
    expect("Space B { look_up(m, line) } Space B { search_all(best, table) } sum(table, best, d)", "sum", false);
}

/* What leaders have written is asked for, too. */
static void test_leaders(void) {
    expect("Space B { search(best, table, d) } fill_all(wide, m) again(table, wide)", "again", false);
    expect("Space B { search(best, table, d) } again(table, wide)", "again", true); /* nobody writes the other one */
}

/* What goes to the environment in the end is at home where it was written last, and does not move before. */
static void test_homes(void) {
    static const char *const flows[] = {"Space B { double_all(m) } Space C { double_all(m) }", "Space C { double_all(m) } Space B { double_all(m) }", "Space B { double_all(m) } Space C { use(wide, m) }"};
    static const char *const ends[] = {"from the parts of Space C to the environment", "from the parts of Space B to the environment", "from the parts of Space B to the environment"};
    for (size_t f = 0; f < sizeof flows / sizeof *flows; f++) {
        Arena *arena = arena_new();
        Text out = {0};
        const char *plan = plan_of(arena, flows[f], &out), *moves = plan == NULL ? NULL : strstr(plan, "  moves:");
        CU_ASSERT(moves != NULL && strstr(moves, arena_printf(arena, "FILE: m[part][part] %s", ends[f])) != NULL);
        if (moves == NULL || strstr(moves, ends[f]) == NULL) fprintf(stderr, "%s\n%s", flows[f], out.data);
        text_free(&out);
        arena_free(arena);
    }
}

UNIT_MAIN("everywhere", {"tables", test_tables}, {"room", test_room}, {"numbers", test_numbers}, {"leaders", test_leaders}, {"homes", test_homes})
