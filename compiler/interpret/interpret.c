/* The reference interpreter's entry: refuse what it cannot run, read the arguments, run the
 * coordinator, write the bound outputs. Read internal.h for how the rest is arranged. */
#include "compiler/interpret/interpret.h"
#include "compiler/interpret/internal.h"
#include "runtime/report/error.h"
#include <stdarg.h>
#include <stdio.h>

/* ---- Run-time errors ------------------------------------------------------------- */

static int line_of(Machine *m, Span span) {
    int line, column;
    source_position(m->program->source, span.start, &line, &column);
    return line;
}

void machine_fail(Machine *m, Span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(m->arena, format, args);
    va_end(args);
    hp5_fail_at(m->program->source->name, line_of(m, span), "%s", message);
}

const char *machine_where(Machine *m) {
    const Body *body = m->frame != NULL ? m->frame->body : NULL;
    if (body != NULL && m->frame->stage) return arena_printf(m->arena, "stage '%s'", body->name);
    if (body != NULL && body == m->program->coordinator) return "the coordinator";
    if (body != NULL && m->execution != NULL && body == m->execution->task->initialize) return "Initialize";
    if (body != NULL) return arena_printf(m->arena, "function '%s'", body->name);
    if (m->execution != NULL && m->execution->call != NULL)
        return arena_printf(m->arena, "stage '%s'", m->execution->call->stage->body.name);
    return "the Computation section";
}

/* ---- What is refused ----------------------------------------------------------------- */

static const Stmt *find_extern(const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_EXTERN) return stmt;
        const Stmt *inside = find_extern(&stmt->body);
        if (inside == NULL && stmt->otherwise != NULL) inside = find_extern(stmt->otherwise);
        if (inside != NULL) return inside;
    }
    return NULL;
}

static void refuse_extern(Machine *m, const Body *body, const char *kind) {
    const Stmt *stmt = body != NULL ? find_extern(&body->block) : NULL;
    if (stmt == NULL) return;
    hp5_fail(HP5_EXIT_FAILURE,
             "line %d: %s '%s' contains extern code, which the interpreter cannot run; compile the program with hp5c instead",
             line_of(m, stmt->span), kind, body->name);
}

static void refuse_unsupported(Machine *m) {
    const Program *program = m->program;
    for (size_t i = 0; i < program->functions.count; i++) refuse_extern(m, &program->functions.items[i]->body, "function");
    for (size_t t = 0; t < program->tasks.count; t++) {
        const Task *task = program->tasks.items[t];
        refuse_extern(m, task->initialize, "the Initialize section of task");
        for (size_t i = 0; i < task->stages.count; i++) refuse_extern(m, &task->stages.items[i]->body, "stage");
    }
    refuse_extern(m, program->coordinator, "the coordinator");
}

/* ---- Arguments ---------------------------------------------------------------------------- */

static Hp5ArgKind argument_kind(const ProgramArg *arg) {
    if (arg->is_input_path) return HP5_ARG_INPUT;
    if (arg->is_output_path) return HP5_ARG_OUTPUT;
    if (arg->type->kind == TYPE_STRING) return HP5_ARG_STRING;
    if (arg->type->kind == TYPE_BOOLEAN) return HP5_ARG_BOOLEAN;
    if (type_is_real(arg->type)) return HP5_ARG_REAL;
    return arg->type->stored_single ? HP5_ARG_SINGLE : HP5_ARG_INTEGER;
}

static void read_arguments(Machine *m, int argc, char **argv) {
    const Program *program = m->program;
    size_t count = program->args.count;
    Hp5ArgSpec *specs = ARENA_ARRAY(m->arena, Hp5ArgSpec, count + 1);
    for (size_t i = 0; i < count; i++) {
        const ProgramArg *arg = &program->args.items[i];
        specs[i] = (Hp5ArgSpec){arg->name, argument_kind(arg), arg->what};
    }
    m->args = ARENA_ARRAY(m->arena, Hp5ArgValue, count + 1);
    Hp5Program description = {program->source->name, "run by the reference interpreter", program->source->name, specs, (int)count};
    Hp5Options options = {0};
    argv[0] = arena_printf(m->arena, "hp5c --interpret %s --", program->source->name); /* what --help shows as the command */
    hp5_args_parse(&description, argc, argv, m->args, &options);
    hp5_set_program_name(program->source->name);
    if (options.print_mapping || options.mapping_svg)
        hp5_fail(HP5_EXIT_USAGE, "--%s is for compiled programs: the interpreter runs everything in one place",
                 options.print_mapping ? "print-mapping" : "mapping-svg");
}

/* ---- The whole program ----------------------------------------------------------------------- */

static void run_coordinator(Machine *m) {
    Frame frame = memory_push_frame(m, m->program->coordinator, false);
    m->frame = &frame;
    run_block(m, &m->program->coordinator->block);
    m->frame = NULL;
}

static void write_outputs(Machine *m) {
    for (Output *output = m->outputs; output != NULL; output = output->next) {
        Item *item = output->environment->items[output->var->id];
        if (item == NULL)
            hp5_fail(HP5_EXIT_FAILURE, "output %s was bound to \"%s\", but no task has made it", output->var->name, output->path);
        item_write(m, item, output->path, output->var->name, m->program->coordinator->span);
    }
}

int interpret_program(const Program *program, bool check_footprints, int argc, char **argv) {
    hp5_set_program_name(program->source->name);
    Machine m = {.program = program, .arena = arena_new(), .check_footprints = check_footprints};
    m.last_output = &m.outputs;
    refuse_unsupported(&m);
    read_arguments(&m, argc, argv);
    memory_lay_out_types(&m);
    memory_open_stack(&m);
    run_coordinator(&m);
    write_outputs(&m);
    items_free(&m);
    memory_close_stack(&m);
    memory_forget_bodies(&m);
    reductions_forget_loops(&m);
    arena_free(m.arena);
    return 0;
}
