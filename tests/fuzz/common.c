/* Programs and machines for the fuzz targets, and the way of a program through the back end. */
#include "compiler/emit/emit.h"
#include "compiler/lower/verify_loops.h"
#include "compiler/plan/levels.h"
#include "tests/fuzz/fuzz.h"
#include <string.h>

static const char MACHINE[] = "Machine \"Quad\"\nSpace 5: Node (1)\nSpace 4<segment><unit>: CPU (2) { memory: 8 GB }\n"
                              "Space 3: NUMA-Node (2)\nSpace 2: Core-Pair (2)\nSpace 1<core>: Core (2) { compute: 4 ops 2 GHz }\n";

static const char PROGRAM[] =
    "Program (args) {\n    e = new TaskEnvironment(name: \"Heat\")\n    bind_input(e, \"a\", args.a)\n"
    "    execute(task: \"Heat\"; environment: e; initialize: args.n; partition: args.k, args.p)\n"
    "    bind_output(e, \"a\", args.out)\n    print(e.total)\n}\n"
    "Task \"Heat\":\n    Define:\n        a: 2d Array of Real double-precision\n        n: Integer\n"
    "        total: Real double-precision Reduction\n    Environment:\n        a: link\n        total: create\n"
    "    Initialize (n):\n    Stages:\n"
    "        step(a) { do { a[i][j] = 0.5 * (a[i-1][j] + a[i+1][j]) at (current - 1) } for i, j in a and i > 0 and i < 9 }\n"
    "        sum(total, a) { do { reduce(total, \"sum\", a[i][j]) } for i, j in a }\n"
    "    Computation:\n        Repeat for r in [1...n] { Space A { Space B { Epoch { step(a) } } } }\n"
    "        Space A { Space C { sum(Space Root: total, a) } }\n"
    "    Partition (k, p):\n        Space A <2d> { a: block_size(k, k) padding(p) }\n"
    "        Space B <1d> divides Space A partitions { a<dim1>: block_size(1) padding(1) }\n"
    "        Space C <un-partitioned> divides Space A partitions { a }\n";

Machine *fuzz_machine(Arena *arena) {
    Source *source = source_from_text(arena, "machine.pcubes", MACHINE, sizeof MACHINE - 1);
    Machine *machine = machine_parse(arena, source, diags_new(arena, source));
    fuzz_require(machine != NULL, "the machine of the fuzz targets is refused");
    return machine;
}

Program *fuzz_program(Arena *arena) {
    Source *source = source_from_text(arena, "program.hp5", PROGRAM, sizeof PROGRAM - 1);
    Diags *diags = diags_new(arena, source);
    Program *program = check_program(arena, syntax_parse(arena, source, diags), diags);
    if (program == NULL) diags_print(diags, stderr, (DiagStyle){0});
    fuzz_require(program != NULL, "the program of the fuzz targets is refused");
    return program;
}

void fuzz_compile(Arena *arena, Program *program, const MappingFile *mapping, const Machine *machine, Diags *diags, bool checked) {
    Plan *plan = plan_program(arena, program, (PlanOptions){.checked = checked, .machine = machine, .mapping = mapping, .omit_sync = -1, .omit_transfer = -1}, diags);
    if (plan == NULL || !plan_levels(arena, plan, mapping, machine, diags) || !backend_accepts(arena, plan, diags)) {
        fuzz_require(diags_error_count(diags) > 0, "refused without a message");
        return;
    }
    plan_verify(plan);
    Text text = {0};
    plan_dump(plan, NULL, &text);
    LoweredProgram *lowered = lower_program(arena, plan);
    backend_schedule(lowered);
    lower_verify(lowered);
    lower_dump(lowered, &text);
    for (size_t t = 0; t < plan->tasks.count; t++) mapping_print(plan->tasks.items[t]->mapping, &text);
    EmitOptions options = {.checked = checked, .line_directives = checked};
    Text blocks = {0}, cplusplus = {0};
    Emit emit = {.arena = arena, .backend = &backend_cpu, .plan = plan, .lowered = lowered, .options = options, .diags = diags,
                 .source_name = program->source->name, .cplusplus = &blocks};
    if (program->coordinator != NULL && !emit_file(&emit, &text))
        fuzz_require(diags_error_count(diags) > 0, "no code and no message");
    if (emit.cplusplus_blocks > 0) emit_cplusplus(&emit, &cplusplus);
    text_free(&blocks);
    text_free(&cplusplus);
    text_free(&text);
}

void fuzz_print(Diags *diags) {
    Text text = {0};
    diags_to_text(diags, &text, (DiagStyle){.color = true, .remarks = true});
    diags_to_text(diags, &text, (DiagStyle){.json = true, .remarks = true});
    text_free(&text);
}
