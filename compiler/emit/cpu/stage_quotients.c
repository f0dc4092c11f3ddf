/* Loops in stretches in which a quotient of their index stays (lower/quotients.c):
 *
 *     const int64_t pair_by = h;
 *     if (pair_by >= HP5_LONG_STRETCH) {
 *         for (int64_t pair_first = 0, pair_end = n / 2, pair_stop; pair_first < pair_end; pair_first = pair_stop) {
 *             const int64_t pair_over = pair_first / pair_by, pair_zero = pair_over * pair_by;
 *             pair_stop = hp5_stretch_stop(pair_first, pair_zero, pair_by, pair_end);
 *             for (int64_t pair = pair_first; pair < pair_stop; pair++) {
 *                 …                          pair_over for pair / h, pair - pair_zero for pair % h
 *             }
 *         }
 *     } else {
 *         int64_t pair_over = 0, pair_zero = 0;
 *         for (int64_t pair_first = 0, pair_end = n / 2, pair = pair_first; pair < pair_end; pair++) {
 *             hp5_step_quotient(pair, pair_by, pair == pair_first, &pair_over, &pair_zero, …);
 *             …
 *         }
 *     }
 *
 * Short stretches, and those of divisors that are zero or negative, go one round after the other, and count to the next multiple. */
#include <string.h>
#include "compiler/emit/cpu/stage.h"

typedef struct Stretched {
    const Nest *nest;
    EmitQuotient known;
    const char *begin, *end, *by, *first, *last;
} Stretched;

static void print_body(Writer *writer, const Stretched *loop, int indent) {
    const EmitQuotient *outside = writer->names.quotient;
    writer->names.quotient = &loop->known;
    writer_block(writer, &loop->nest->stmt->body, indent);
    writer->names.quotient = outside;
}

static void print_stretches(Writer *writer, Stretched *loop, int indent) {
    const size_t mark = writer->scope.count;
    const char *stop = writer_fresh(writer, arena_printf(writer->arena, "%s_stop", loop->known.index->name));
    writer_line(writer, indent, "for (int64_t %s = %s, %s = %s, %s; %s < %s; %s = %s) {", loop->first, loop->begin, loop->last, loop->end, stop, loop->first, loop->last, loop->first, stop);
    writer_line(writer, indent + 4, "const int64_t %s = %s / %s, %s = %s * %s;", loop->known.over, loop->first, loop->by, loop->known.zero, loop->known.over, loop->by);
    writer_line(writer, indent + 4, "%s = hp5_stretch_stop(%s, %s, %s, %s);", stop, loop->first, loop->known.zero, loop->by, loop->last);
    if (nest_innermost(loop->nest)->role == ROLE_VECTOR) writer_line(writer, indent + 4, "HP5_INDEPENDENT");
    loop->known.name = writer_declare(writer, loop->known.index);
    writer_line(writer, indent + 4, "for (int64_t %s = %s; %s < %s; %s++) {", loop->known.name, loop->first, loop->known.name, stop, loop->known.name);
    print_body(writer, loop, indent + 8);
    writer_line(writer, indent + 4, "}");
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}

static void print_rounds(Writer *writer, Stretched *loop, int indent) {
    const size_t mark = writer->scope.count;
    const Expr *quotient = loop->nest->quotient;
    const char *file = writer->emit->source_name;
    const char *name = loop->known.name = writer_declare(writer, loop->known.index);
    writer_line(writer, indent, "int64_t %s = 0, %s = 0;", loop->known.over, loop->known.zero);
    writer_line(writer, indent, "for (int64_t %s = %s, %s = %s, %s = %s; %s < %s; %s++) {", loop->first, loop->begin, loop->last, loop->end, name, loop->first, name, loop->last, name);
    writer_line(writer, indent + 4, "hp5_step_%s(%s, %s, %s == %s, &%s, &%s, %s, %d);", quotient->op == OP_DIV ? "quotient" : "remainder", name, loop->by, name, loop->first, loop->known.over,
                loop->known.zero, emit_string_literal(writer->arena, file, strlen(file)), emit_line(writer->emit, quotient->span));
    print_body(writer, loop, indent + 4);
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}

void writer_stretched_loop(Writer *writer, const Nest *nest, int indent) {
    Arena *arena = writer->arena;
    const Loop *innermost = nest_innermost(nest);
    const char *name = innermost->index->var->name;
    char *begin, *end;
    writer_loop_bounds(writer, innermost, NULL, &begin, &end);
    Stretched loop = {.nest = nest, .begin = begin, .end = end, .known = {.index = innermost->index->var, .divisor = nest->quotient->right}};
    loop.by = writer_fresh(writer, arena_printf(arena, "%s_by", name));
    loop.first = writer_fresh(writer, arena_printf(arena, "%s_first", name));
    loop.last = writer_fresh(writer, arena_printf(arena, "%s_end", name));
    loop.known.over = writer_fresh(writer, arena_printf(arena, "%s_over", name));
    loop.known.zero = writer_fresh(writer, arena_printf(arena, "%s_zero", name));
    writer_line(writer, indent, "{");
    writer_line(writer, indent + 4, "const int64_t %s = %s;", loop.by, writer_expr(writer, nest->quotient->right));
    writer_line(writer, indent + 4, "if (%s >= HP5_LONG_STRETCH) {", loop.by);
    print_stretches(writer, &loop, indent + 8);
    writer_line(writer, indent + 4, "} else {");
    print_rounds(writer, &loop, indent + 8);
    writer_line(writer, indent + 4, "}");
    writer_line(writer, indent, "}");
}
