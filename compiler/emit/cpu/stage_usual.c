/* Loops that run block by block, for usual numbers first (lower/usual.c). Of y[i] = max(x[i - 1], max(x[i], x[i + 1])), and where an
 * Integer is made of a Real beside it:
 *
 *     for (int64_t i_first = …, i_end = …, i_stop; i_first < i_end; i_first = i_stop) {
 *         i_stop = hp5_usual_stop(i_first, i_end);
 *         int64_t unusual = 0;
 *         {
 *             const int64_t i = i_first;
 *             unusual |= hp5_unusual_reals(&x[i - 1], i_stop - i + 2);
 *         }
 *         if (!unusual) {
 *             HP5_INDEPENDENT
 *             for (int64_t i = i_first; i < i_stop; i++) {
 *                 y[i] = hp5_fmax_usual(…);
 *                 n[i] = hp5_integer_usual(…, &unusual);
 *             }
 *         }
 *         if (unusual) {
 *             HP5_INDEPENDENT
 *             for (int64_t i = i_first; i < i_stop; i++) {
 *                 …                                       (as the program says)
 *             }
 *         }
 *     }
 *
 * What conversions of single precision have seen is collected in 32 bits, so that vectors hold as many. */
#include "compiler/emit/cpu/stage.h"

#include <inttypes.h>

static bool converts(const Usual *usual, TypeKind from) {
    for (size_t i = 0; i < usual->conversions.count; i++)
        if (usual->conversions.items[i]->left->type->kind == from) return true;
    return false;
}

static void print_rows(Writer *writer, const Nest *nest, const char *first, const char *stop, int indent) {
    const UsualRows *rows = &nest->usual->rows;
    if (rows->count == 0) return;
    const size_t mark = writer->scope.count;
    writer_line(writer, indent, "{");
    const char *index = writer_declare(writer, nest_innermost(nest)->index->var);
    writer_line(writer, indent + 4, "const int64_t %s = %s;", index, first);
    for (size_t i = 0; i < rows->count; i++) {
        const UsualRow *row = &rows->items[i];
        const char *single = row->first->type->kind == TYPE_REAL_SINGLE ? "_single" : "", *element = writer_expr(writer, row->first);
        if (row->moves)
            writer_line(writer, indent + 4, "%s |= hp5_unusual_reals%s(&%s, %s - %s + %" PRId64 ");", writer->names.unusual, single, element, stop, index,
                        row->high - row->low);
        else
            writer_line(writer, indent + 4, "%s |= hp5_unusual_real%s(%s);", writer->names.unusual, single, element);
    }
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}

/* `counter`: "i_end" where the loop is to compute its end once, else NULL. */
static void print_block(Writer *writer, const Nest *nest, const char *first, const char *stop, const char *counter, int indent) {
    const size_t mark = writer->scope.count;
    const char *index = writer_declare(writer, nest_innermost(nest)->index->var);
    writer_line(writer, indent, "HP5_INDEPENDENT");
    if (counter != NULL) writer_line(writer, indent, "for (int64_t %s = %s, %s = %s; %s < %s; %s++) {", index, first, counter, stop, index, counter, index);
    else writer_line(writer, indent, "for (int64_t %s = %s; %s < %s; %s++) {", index, first, index, stop, index);
    writer_block(writer, &nest->stmt->body, indent + 4);
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}

/* In the form for usual numbers. */
static void print_as_usual(Writer *writer, const Nest *nest, const char *first, const char *stop, const char *counter, int indent) {
    writer->names.usual = nest->usual;
    print_block(writer, nest, first, stop, counter, indent);
    writer->names.usual = NULL;
}

static void print_usual_block(Writer *writer, const Nest *nest, const char *first, const char *stop, int indent) {
    const bool rows = nest->usual->rows.count > 0;
    if (rows) writer_line(writer, indent, "if (!%s) {", writer->names.unusual);
    print_as_usual(writer, nest, first, stop, NULL, indent + (rows ? 4 : 0));
    if (rows) writer_line(writer, indent, "}");
}

/* Numbers that come from Integers alone: nothing is unusual, and all runs at once. */
static void print_always_usual(Writer *writer, const Nest *nest, const char *begin, const char *end, int indent) {
    const char *last = writer_fresh(writer, arena_printf(writer->arena, "%s_end", emit_symbol(writer->emit, nest_innermost(nest)->index->var)));
    print_as_usual(writer, nest, begin, end, last, indent);
}

void writer_usual_loop(Writer *writer, const Nest *nest, int indent) {
    Arena *arena = writer->arena;
    const Loop *loop = nest_innermost(nest);
    const int inside = indent + 4;
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    if (nest->usual->rows.count + nest->usual->conversions.count == 0) {
        print_always_usual(writer, nest, begin, end, indent);
        return;
    }
    const char *name = emit_symbol(writer->emit, loop->index->var);
    const char *first = writer_fresh(writer, arena_printf(arena, "%s_first", name)), *last = writer_fresh(writer, arena_printf(arena, "%s_end", name));
    const char *stop = writer_fresh(writer, arena_printf(arena, "%s_stop", name));
    writer->names.unusual = writer_fresh(writer, "unusual");
    writer->names.unusual_single = writer_fresh(writer, "unusual_single");
    writer_line(writer, indent, "for (int64_t %s = %s, %s = %s, %s; %s < %s; %s = %s) {", first, begin, last, end, stop, first, last, first, stop);
    writer_line(writer, inside, "%s = hp5_usual_stop(%s, %s);", stop, first, last);
    const bool single = converts(nest->usual, TYPE_REAL_SINGLE), any = converts(nest->usual, TYPE_REAL_DOUBLE) || nest->usual->rows.count > 0;
    if (any) writer_line(writer, inside, "int64_t %s = 0;", writer->names.unusual);
    if (single) writer_line(writer, inside, "int32_t %s = 0;", writer->names.unusual_single);
    print_rows(writer, nest, first, stop, inside);
    print_usual_block(writer, nest, first, stop, inside);
    writer_line(writer, inside, "if (%s%s%s) {", any ? writer->names.unusual : "", any && single ? " || " : "", single ? writer->names.unusual_single : "");
    print_block(writer, nest, first, stop, NULL, inside + 4);
    writer_line(writer, inside, "}");
    writer_line(writer, indent, "}");
}
