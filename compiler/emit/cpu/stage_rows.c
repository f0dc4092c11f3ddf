/* Loops that go along a row in another order than it is written: several iterations of the loop around it in one pass, block by block, or as an extremum of
 * no order. */
#include "compiler/emit/cpu/stage.h"

/* Rows that are added to a row (lower/along.c), several in one pass along it:
 *
 *     {
 *         int64_t i_first = …;
 *         const int64_t i_end = …;
 *         for (; i_end - i_first >= HP5_AT_ONCE; i_first += HP5_AT_ONCE) {
 *             HP5_INDEPENDENT
 *             for (int64_t j = …) {
 *                 double y_sum = y[j];
 *                 for (int64_t step = 0; step < HP5_AT_ONCE; step++) {
 *                     const int64_t i = i_first + step;
 *                     y_sum = fma(…);
 *                 }
 *                 y[j] = y_sum;
 *             }
 *         }
 *         for (int64_t i = i_first; i < i_end; i++) {
 *             … the loop along the row …
 *         }
 *     } */
void writer_along(Writer *writer, const Nest *nest, int indent) {
    Arena *arena = writer->arena;
    const Loop *around = &nest->loops.items[nest->loops.count - 2], *row = nest_innermost(nest);
    char *begin, *end;
    writer_loop_bounds(writer, around, NULL, &begin, &end);
    const size_t mark = writer->scope.count;
    const char *index = writer_declare(writer, around->index->var);
    const char *first = writer_fresh(writer, arena_printf(arena, "%s_first", index)), *last = writer_fresh(writer, arena_printf(arena, "%s_end", index));
    const char *step = writer_fresh(writer, "step"), *sum = writer_fresh(writer, arena_printf(arena, "%s_sum", emit_symbol(writer->emit, nest->along->target->var)));
    writer_line(writer, indent, "{");
    writer_line(writer, indent + 4, "int64_t %s = %s;", first, begin);
    writer_line(writer, indent + 4, "const int64_t %s = %s;", last, end);
    writer_line(writer, indent + 4, "for (; %s - %s >= HP5_AT_ONCE; %s += HP5_AT_ONCE) {", last, first, first);
    const size_t inner = writer->scope.count;
    writer->independent = true;
    int inside = writer_loop_begin(writer, row, NULL, indent + 8);
    const char *element = writer_expr(writer, nest->along->target);
    writer_line(writer, inside, "%s %s = %s;", emit_type(writer->emit, nest->along->target->type), sum, element);
    writer_line(writer, inside, "for (int64_t %s = 0; %s < HP5_AT_ONCE; %s++) {", step, step, step);
    writer_line(writer, inside + 4, "const int64_t %s = %s + %s;", index, first, step);
    writer->independent = false;
    writer->replaced = nest->along->target;
    writer->replacement = sum;
    writer_block(writer, &nest->stmt->body, inside + 4);
    writer->replaced = NULL;
    writer_line(writer, inside, "}");
    writer_line(writer, inside, "%s = %s;", element, sum);
    writer_loop_end(writer, inside, indent + 8);
    writer_line(writer, indent + 4, "}");
    writer->scope.count = inner;
    writer_line(writer, indent + 4, "for (int64_t %s = %s; %s < %s; %s++) {", index, first, index, last, index);
    writer->independent = true;
    inside = writer_loop_begin(writer, row, NULL, indent + 8);
    writer->independent = false;
    writer_block(writer, &nest->stmt->body, inside);
    writer_loop_end(writer, inside, indent);
    writer->scope.count = mark;
}

/* Blocks of a row (lower/blocked.c), each through the whole loop around it:
 *
 *     for (int64_t i_first = …, i_last = …, i_end; i_first < i_last; i_first = i_end) {
 *         i_end = i_first + hp5_min(i_last - i_first, HP5_IN_BLOCK);
 *         for (int64_t j = …) {
 *             HP5_INDEPENDENT
 *             for (int64_t i = i_first; i < i_end; i++) {
 *                 …
 *             }
 *         }
 *     } */
void writer_blocked(Writer *writer, const Nest *nest, int indent) {
    Arena *arena = writer->arena;
    const Loop *row = nest_innermost(nest), *around = row - 1;
    char *begin, *end;
    writer_loop_bounds(writer, row, NULL, &begin, &end);
    const size_t mark = writer->scope.count;
    const char *index = writer_declare(writer, row->index->var);
    const char *first = writer_fresh(writer, arena_printf(arena, "%s_first", index)), *last = writer_fresh(writer, arena_printf(arena, "%s_last", index));
    const char *stop = writer_fresh(writer, arena_printf(arena, "%s_end", index));
    writer_line(writer, indent, "for (int64_t %s = %s, %s = %s, %s; %s < %s; %s = %s) {", first, begin, last, end, stop, first, last, first, stop);
    writer_line(writer, indent + 4, "%s = %s + hp5_min(%s - %s, HP5_IN_BLOCK);", stop, first, last, first);
    const int inside = writer_loop_begin(writer, around, NULL, indent + 4);
    writer_line(writer, inside, "HP5_INDEPENDENT");
    writer_line(writer, inside, "for (int64_t %s = %s; %s < %s; %s++) {", index, first, index, stop, index);
    writer_block(writer, &nest->stmt->body, inside + 4);
    writer_loop_end(writer, inside + 4, indent);
    writer->scope.count = mark;
}

/* An extremum, as an Integer of the same order (runtime/array/reduce.h), which C compilers know in vectors:
 *
 *     {
 *         int64_t least_order = hp5_min_real_take(hp5_min_real_start(), least);
 *         HP5_INDEPENDENT
 *         for (int64_t j = …) {
 *             least_order = hp5_min_real_take(least_order, …);
 *         }
 *         least = hp5_min_real_result(least_order);
 *     } */
void writer_extremum(Writer *writer, const Nest *nest, int indent) {
    const Expr *target = nest->extremum->target;
    const bool single = target->type->kind == TYPE_REAL_SINGLE;
    const char *operation = arena_printf(writer->arena, "%s_%s", nest->extremum->value->math + 1, single ? "single" : "real"), *place = writer_expr(writer, target);
    const char *order = writer_fresh(writer, arena_printf(writer->arena, "%s_order", emit_symbol(writer->emit, target->var)));
    writer_line(writer, indent, "{");
    writer_line(writer, indent + 4, "%s %s = hp5_%s_take(hp5_%s_start(), %s);", single ? "int32_t" : "int64_t", order, operation, operation, place);
    writer->independent = true;
    const int inside = writer_loop_begin(writer, &nest->loops.items[0], NULL, indent + 4);
    writer->independent = false;
    writer->extremum.stmt = nest->extremum;
    writer->extremum.order = order;
    writer->extremum.operation = operation;
    writer_block(writer, &nest->stmt->body, inside);
    writer->extremum.stmt = NULL;
    writer_loop_end(writer, inside, indent + 4);
    writer_line(writer, indent + 4, "%s = hp5_%s_result(%s);", place, operation, order);
    writer_line(writer, indent, "}");
}
