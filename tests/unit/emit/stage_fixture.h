/* Stage functions under test: HP5 text is parsed and checked, its stages are bound by hand as the planner
 * would bind them for one LPU, printed as C, compiled with a main that the test gives, and run.
 * The main returns 0 when what the stage computed is what naive C computes. */
#ifndef HP5_TESTS_STAGE_FIXTURE_H
#define HP5_TESTS_STAGE_FIXTURE_H
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "compiler/emit/emit.h"
#include "compiler/lower/verify_loops.h"
#include "tests/unit/scratch.h"
#include "tests/unit/unit.h"

/* The plan has no tasks but those of the program, with the uses of their stages. */
typedef struct Fixture { Arena *arena; Diags *diags; Plan plan; Emit emit; VEC(StageUse *) uses; const LoweredProgram *lowered; VEC(LoweredStage *) stages; } Fixture;

/* Parts of several runs; arrays may be one; LPUs share elements. coming: elements of this array come while the stage runs. */
typedef struct Binding { bool runs, unrestricted, checked, shared; const char *coming; } Binding;

static void fixture_formal(Fixture *f, StageUse *use, Var *var, Binding binding) {
    const Block *block = &use->stage->body.block;
    for (size_t i = 0; i < use->formals.count; i++)
        if (use->formals.items[i].var == var) return;
    if (!lower_block_mentions(block, var)) return;
    Formal formal = {.var = var, .written = lower_block_writes(block, var) > 0, .restricted = !binding.unrestricted, .shared = binding.shared,
                     .max_lag = var->versions > 1 ? var->versions - 1 : 0};
    if (binding.coming && strcmp(var->name, binding.coming) == 0) use->coming = formal.actual = var;
    formal.kind = var_is_array(var) ? FORMAL_VIEW : formal.written ? FORMAL_PLACE : FORMAL_VALUE;
    for (int d = 0; d < MAX_RANK; d++) formal.interval[d] = !binding.runs;
    vec_push(f->arena, &use->formals, formal);
}

typedef struct Globals { Fixture *fixture; StageUse *use; Binding binding; } Globals;

static void fixture_global(void *data, const Expr *expr) {
    Globals *globals = data;
    if (expr->var && (expr->var->kind == VAR_GLOBAL || expr->var->kind == VAR_PARTITION))
        fixture_formal(globals->fixture, globals->use, expr->var, globals->binding);
    if (expr->kind == EXPR_LPU_ID) globals->use->needs_lpu = true;
}

static void fixture_target(void *data, const Stmt *stmt) {
    Globals *globals = data;
    if (stmt->kind != STMT_REDUCE) return;
    for (size_t i = 0; i < globals->use->formals.count; i++) {
        Formal *formal = &globals->use->formals.items[i];
        if (formal->var != stmt->target->var) continue;
        formal->kind = FORMAL_PARTIAL;
        formal->op = stmt->reduce;
        formal->value_type = stmt->value->type;
    }
}

static StageUse *fixture_use(Fixture *f, StageInstance *stage, Binding binding) {
    StageUse *use = ARENA_NEW(f->arena, StageUse);
    *use = (StageUse){.stage = stage, .lps = stage->task->spaces.items[0], .symbol = stage->body.name};
    for (size_t i = 0; i < stage->body.params.count; i++) fixture_formal(f, use, stage->body.params.items[i], binding);
    Globals globals = {f, use, binding};
    lower_walk_block(&(Walk){fixture_global, NULL, &globals}, &stage->body.block);
    lower_walk_block(&(Walk){NULL, fixture_target, &globals}, &stage->body.block);
    return use;
}

/* Checks the text of a whole program; a failed check prints its messages. */
static bool fixture_open(Fixture *f, const char *text, Binding binding) {
    *f = (Fixture){.arena = arena_new()};
    Source *source = source_from_text(f->arena, "test.hp5", text, strlen(text));
    f->diags = diags_new(f->arena, source);
    Ast *ast = syntax_parse(f->arena, source, f->diags);
    f->plan.program = diags_error_count(f->diags) == 0 ? check_program(f->arena, ast, f->diags) : NULL;
    if (!f->plan.program) {
        diags_print(f->diags, stdout, (DiagStyle){0});
        return false;
    }
    f->emit = (Emit){.arena = f->arena, .backend = &backend_cpu, .plan = &f->plan, .diags = f->diags, .source_name = "test.hp5"};
    f->emit.options.checked = f->plan.options.checked = binding.checked;
    for (size_t t = 0; t < f->plan.program->tasks.count; t++) {
        TaskPlan *task = ARENA_NEW(f->arena, TaskPlan);
        task->task = f->plan.program->tasks.items[t];
        for (size_t i = 0; i < task->task->stages.count; i++) {
            vec_push(f->arena, &task->uses, fixture_use(f, task->task->stages.items[i], binding));
            vec_push(f->arena, &f->uses, vec_last(&task->uses));
        }
        vec_push(f->arena, &f->plan.tasks, task);
    }
    LoweredProgram *lowered = lower_program(f->arena, &f->plan);
    backend_schedule(lowered);
    lower_verify(lowered);
    f->emit.lowered = f->lowered = lowered;
    for (size_t t = 0; t < f->lowered->tasks.count; t++)
        for (size_t i = 0; i < f->lowered->tasks.items[t]->stages.count; i++)
            vec_push(f->arena, &f->stages, f->lowered->tasks.items[t]->stages.items[i]);
    return true;
}

static void fixture_close(Fixture *f) { arena_free(f->arena); }

static const char FIXTURE_PRELUDE[] =
    "#include \"runtime/generated.h\"\n"
    "#include <stdio.h>\n"
    "#include <stdlib.h>\n"
    "typedef struct Array { Hp5Store store; Hp5Set part[HP5_MAX_RANK]; Hp5View view; int64_t lo[8], extent[8]; } Array;\n"
    "static inline const Hp5View *array(Array *a, void *data, int64_t lo, int64_t n, int64_t m) {\n"
    "    *a = (Array){.store = {.version = {data, data}, .lo = {lo, lo}, .extent = {n, m}, .stride = {m > 0 ? m : 1, 1}, .rank = 2}};\n"
    "    for (int d = 0; d < 2; d++) {\n"
    "        const int64_t count = d == 0 ? n : m;\n"
    "        a->part[d] = hp5_interval(lo, lo + count);\n"
    "        a->lo[d] = lo;\n"
    "        a->extent[d] = count;\n"
    "    }\n"
    "    a->store.array_lo = a->lo;\n"
    "    a->store.array_extent = a->extent;\n"
    "    a->view.store = &a->store;\n"
    "    a->view.part = a->part;\n"
    "    return &a->view;\n"
    "}\n"
    "__attribute__((unused)) static double value(int64_t i) { return (double)((i * 7919) % 1009) / 97.0 - 5.0; }\n";

/* Compiles the program's stages with `main_text` and runs it; true when it exits with 0. */
static bool fixture_run_with(Fixture *f, const char *main_text, const char *compiler) {
    Text text = {0};
    text_append(&text, FIXTURE_PRELUDE);
    emit_types(&f->emit, &text);
    emit_functions(&f->emit, &text);
    for (size_t i = 0; i < f->stages.count; i++) backend_cpu.stage(&f->emit, f->stages.items[i], &text);
    text_append(&text, main_text);
    const char *path = scratch("stage.c"), *program = scratch("stage");
    bool written = text_write_file(&text, path);
    char *command = arena_printf(f->arena,
                                 "%s -std=gnu17 -ffp-contract=off -fwrapv -Wall -Wextra -Wshadow -Werror -I. %s "
                                 "runtime/array/index_set.c runtime/report/error.c runtime/report/memory.c -lm -o %s && %s",
                                 compiler, path, program, program);
    bool passed = written && system(command) == 0;
    if (!passed) printf("%s\n", text.data);
    text_free(&text);
    return passed;
}

static inline bool fixture_run(Fixture *f, const char *main_text) {
    return fixture_run_with(f, main_text, "cc -O3 -march=native -fsanitize=undefined -fno-sanitize-recover=all") &&
           fixture_run_with(f, main_text, "clang -O0");
}
#endif
