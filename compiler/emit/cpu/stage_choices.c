/* Loops that store elements in any case if these lie in the LPU's part (lower/select.c). Of `if (…) { x[i] = …; n[i] = … } for i in x`:
 *
 *     {
 *         const int64_t i_begin = …, i_end = …;
 *         if (n_view->part[0].begin <= i_begin && i_end <= n_view->part[0].end) {
 *             for (int64_t i = i_begin; i < i_end; i++) {
 *                 …                               (x[i] and n[i] are stored in any case)
 *             }
 *         } else {
 *             for (int64_t i = i_begin; i < i_end; i++) {
 *                 …                               (x[i] and n[i] are stored where the program does)
 *             }
 *         }
 *     } */
#include "compiler/emit/cpu/stage.h"

#include <string.h>

static const char *both(Writer *writer, const char *conditions, const char *condition) {
    if (!conditions) return condition;
    return strstr(conditions, condition) ? conditions : arena_printf(writer->arena, "%s && %s", conditions, condition);
}

/* Whether all elements that are asked for lie in the part, for the innermost indices from `begin` to before `end`. */
static const char *condition_of(Writer *writer, const Nest *nest, const char *begin, const char *end) {
    Arena *arena = writer->arena;
    const Var *innermost = nest_innermost(nest)->index->var;
    const char *conditions = NULL;
    for (size_t i = 0; i < nest->choices->asked.count; i++) {
        const Expr *element = nest->choices->asked.items[i];
        for (size_t d = 0; d < element->arguments.count; d++) {
            if (lower_runs_over(nest, element, d)) continue;
            const Expr *subscript = element->arguments.items[d];
            const char *part = writer_part(writer, element->var, (int)d), *index = writer_expr(writer, subscript);
            const bool moves = subscript->var == innermost;
            const char *form = moves ? "%s.begin <= %s && %s <= %s.end" : "%s.begin <= %s && %s < %s.end";
            conditions = both(writer, conditions, arena_printf(arena, form, part, moves ? begin : index, moves ? end : index, part));
        }
    }
    return conditions;
}

static void print_loop(Writer *writer, const Nest *nest, const char *begin, const char *end, const Choices *choices, int indent) {
    const size_t mark = writer->scope.count;
    const char *index = writer_declare(writer, nest_innermost(nest)->index->var);
    writer->choices = choices;
    writer_line(writer, indent, "HP5_INDEPENDENT");
    writer_line(writer, indent, "for (int64_t %s = %s; %s < %s; %s++) {", index, begin, index, end, index);
    writer_block(writer, &nest->stmt->body, indent + 4);
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}

void writer_asking_loop(Writer *writer, const Nest *nest, int indent) {
    const Loop *loop = nest_innermost(nest);
    const int inside = indent + 4;
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    const char *name = emit_symbol(writer->emit, loop->index->var);
    const char *first = writer_fresh(writer, arena_printf(writer->arena, "%s_begin", name)), *last = writer_fresh(writer, arena_printf(writer->arena, "%s_end", name));
    writer_line(writer, indent, "{");
    writer_line(writer, inside, "const int64_t %s = %s, %s = %s;", first, begin, last, end);
    writer_line(writer, inside, "if (%s) {", condition_of(writer, nest, first, last));
    print_loop(writer, nest, first, last, nest->choices, inside + 4);
    writer_line(writer, inside, "} else {");
    print_loop(writer, nest, first, last, NULL, inside + 4);
    writer_line(writer, inside, "}");
    writer_line(writer, indent, "}");
}
