/* User functions. A parameter that is passed by reference is a pointer; from the assignment that settles it on (lower/narrow.h) it is a local of fewer bits,
 * which its place gets in the end:
 *
 *     static void shuffle(int64_t *x, …) {
 *         uint32_t x_value = (*x) & 4294967295;
 *         …
 *         *x = x_value;
 *     } */
#include "compiler/emit/backend.h"
#include "compiler/emit/program/writer.h"
#include "compiler/lower/narrow.h"
#include "compiler/lower/passes.h"

#include <string.h>

bool writer_settles_param(Writer *writer, const Stmt *stmt, int indent) {
    const Var *param = stmt->target->kind == EXPR_VAR && stmt->target->var->kind == VAR_PARAM ? stmt->target->var : NULL;
    if (param == NULL || lower_bytes_of(writer->names.code, param) == 0 || lower_settles_at(writer->code->body, param) != stmt) return false;
    char *value = writer_expr(writer, stmt->value);
    const char *name = writer_fresh(writer, arena_printf(writer->arena, "%s_value", emit_symbol(writer->emit, param)));
    writer_line(writer, indent, "%s %s = %s;", writer_local_type(writer, param), name, value);
    for (size_t i = 0; i < writer->scope.count; i++)
        if (writer->scope.items[i].var == param) writer->scope.items[i].name = name;
    return true;
}

static char *prototype(Writer *writer, const Function *function) {
    const Body *body = &function->body;
    char *params = arena_strdup(writer->arena, "");
    for (size_t i = 0; i < body->params.count; i++) {
        const Var *param = body->params.items[i];
        bool place = param->by_reference && emit_extern_uses(&body->block, param); /* the code names the value */
        const char *c_type = emit_storage_type(writer->emit, param->type), *name = writer_declare(writer, param);
        if (place) name = writer_fresh(writer, arena_printf(writer->arena, "%s_place", name));
        char *text = param->by_reference ? arena_printf(writer->arena, "%s *%s", c_type, name)
                                         : emit_declarator(writer->arena, c_type, name);
        if (param->by_reference) writer->scope.items[writer->scope.count - 1 - place].name = arena_printf(writer->arena, "(*%s)", name);
        params = arena_printf(writer->arena, "%s%s%s", params, i > 0 ? ", " : "", text);
    }
    const char *symbol = emit_function_symbol(writer->emit, function);
    const char *unused = writer->emit->lowered->placed[function->id] ? " __attribute__((unused))" : "";
    return arena_printf(writer->arena, "%s%s %s(%s)", function->in_place ? "HP5_INLINE" : writer->emit->backend->called, unused,
                        emit_declarator(writer->arena, emit_type(writer->emit, body->result), symbol),
                        body->params.count > 0 ? params : "void");
}

void emit_function(Emit *emit, const Function *function, Text *out) {
    Writer writer;
    writer_init(&writer, emit, lower_function(emit->lowered, function), NULL, out);
    char *head = prototype(&writer, function);
    text_printf(out, "/* Function %s (line %d). */\n%s {\n", function->body.name, emit_line(emit, function->body.span), head);
    for (size_t p = 0; p < function->body.params.count; p++)
        if (!lower_block_mentions(&function->body.block, function->body.params.items[p]))
            writer_line(&writer, 4, "(void)%s;", writer_find(&writer, function->body.params.items[p]));
    writer_lists_scope(&writer, &function->body);
    const size_t params = function->body.params.count;
    const char **places = ARENA_ARRAY(emit->arena, const char *, params + 1);
    for (size_t p = 0; p < params; p++) places[p] = writer_find(&writer, function->body.params.items[p]);
    writer_block(&writer, &function->body.block, 4);
    for (size_t p = 0; p < params; p++) {
        const char *now = writer_find(&writer, function->body.params.items[p]);
        if (now != places[p]) writer_line(&writer, 4, "%.*s = %s;", (int)strlen(places[p]) - 2, places[p] + 1, now); /* (*x) without its parentheses */
    }
    text_append(out, "}\n\n");
}

void emit_functions(Emit *emit, Text *out) {
    const Program *program = emit->plan->program;
    for (size_t i = 0; i < program->functions.count; i++)
        if (!foreign_needs_card(program->functions.items[i])) emit_function(emit, program->functions.items[i], out);
}
