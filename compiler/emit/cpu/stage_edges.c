/* Loops whose conditions are known but at their edges (lower/edges.c), in three pieces. Of `if (i > first)`, `if (i == last)`:
 *
 *     {
 *         const int64_t i_begin = …, i_end = …;
 *         int64_t i_from = hp5_min(hp5_max(i_begin, hp5_after(first)), i_end), i_to = i_end;
 *         hp5_leave_out(&i_from, &i_to, last);
 *         HP5_INDEPENDENT
 *         for (int64_t i = i_begin; i < i_from; i++) {
 *             …                               (without the second condition, the first would not hold)
 *         }
 *         HP5_INDEPENDENT
 *         for (int64_t i = i_from; i < i_to; i++) {
 *             …                               (the first condition holds, the second does not)
 *         }
 *         HP5_INDEPENDENT
 *         for (int64_t i = hp5_max(i_from, i_to); i < i_end; i++) {
 *             …
 *         }
 *     }
 *
 * Where the index is compared with one value alone by == or !=, the middle goes around it: the iteration of that value stands by itself. Without other
 * comparisons there are no edges then:
 *
 *     const int64_t i_at = last;
 *     for (int64_t i_first = i_begin, i_stop; i_first < i_end; i_first = i_stop) {
 *         i_stop = hp5_piece_end(i_first, i_end, i_at);
 *         if (i_first == i_at) {
 *             …                               (with all conditions)
 *             continue;
 *         }
 *         …                                   (where i == last does not hold)
 *     } */
#include "compiler/emit/cpu/stage.h"

#include <inttypes.h>

static bool is_again(const Edges *edges, size_t at) {
    for (size_t i = 0; i < at; i++)
        if (lower_edges_equal(&edges->items[i], &edges->items[at])) return true;
    return false;
}

/* The value of the index where the comparison turns, or `after` it. */
static const char *bound_of(Writer *writer, const Edge *edge, bool after) {
    if (edge->bound->kind == EXPR_INTEGER && edge->bound->integer < INT32_MAX)
        return arena_printf(writer->arena, "%" PRId64, edge->bound->integer - edge->offset + after);
    if (edge->offset == 0) return after ? writer_after(writer, edge->bound) : writer_expr(writer, edge->bound);
    const char *bound = arena_printf(writer->arena, "hp5_less(%s, %" PRId64 ")", writer_expr(writer, edge->bound), edge->offset);
    return after ? arena_printf(writer->arena, "hp5_after(%s)", bound) : bound;
}

/* The first index of the middle (`lower`) or the one behind its last, as comparisons by < <= > >= have it. */
static char *middle_end(Writer *writer, const Edges *edges, const char *end, bool lower) {
    char *text = arena_strdup(writer->arena, end);
    for (size_t i = 0; i < edges->count; i++) {
        const Edge *edge = &edges->items[i];
        const bool plain = edge->op == (lower ? OP_GE : OP_LT), after = edge->op == (lower ? OP_GT : OP_LE);
        if ((!plain && !after) || is_again(edges, i)) continue;
        text = arena_printf(writer->arena, "%s(%s, %s)", lower ? "hp5_max" : "hp5_min", text, bound_of(writer, edge, after));
    }
    return text;
}

static void print_piece(Writer *writer, const Nest *nest, const char *begin, const char *end, LoopPiece piece, int indent) {
    const Edges *const outer_edges = writer->edges;
    const LoopPiece outer_piece = writer->piece;
    writer->edges = nest->edges;
    writer->piece = piece;
    writer_vector_loop(writer, nest, begin, end, indent);
    writer->edges = outer_edges;
    writer->piece = outer_piece;
}

/* The one value that the index is compared with by == or !=, whatever it is compared with besides; NULL: none, or several. */
static const Edge *single_value(const Edges *edges) {
    const Edge *single = NULL;
    for (size_t i = 0; i < edges->count; i++) {
        const Edge *edge = &edges->items[i];
        if (edge->op != OP_EQ && edge->op != OP_NE) continue;
        if (single && (single->offset != edge->offset || !lower_expr_equal(single->bound, edge->bound))) return NULL;
        single = single ? single : edge;
    }
    return single;
}

static bool has_ends(const Edges *edges) {
    for (size_t i = 0; i < edges->count; i++)
        if (edges->items[i].op != OP_EQ && edges->items[i].op != OP_NE) return true;
    return false;
}

/* The middle, with the iteration of a value that conditions ask for by itself. */
static void print_around(Writer *writer, const Nest *nest, const Edge *single, const char *from, const char *to, int indent) {
    Arena *arena = writer->arena;
    const char *name = emit_symbol(writer->emit, nest_innermost(nest)->index->var), *at = writer_fresh(writer, arena_printf(arena, "%s_at", name));
    const char *first = writer_fresh(writer, arena_printf(arena, "%s_first", name)), *stop = writer_fresh(writer, arena_printf(arena, "%s_stop", name));
    writer_line(writer, indent, "const int64_t %s = %s;", at, bound_of(writer, single, false));
    writer_line(writer, indent, "for (int64_t %s = %s, %s; %s < %s; %s = %s) {", first, from, stop, first, to, first, stop);
    writer_line(writer, indent + 4, "%s = hp5_piece_end(%s, %s, %s);", stop, first, to, at);
    writer_line(writer, indent + 4, "if (%s == %s) {", first, at);
    writer_vector_loop(writer, nest, first, stop, indent + 8);
    writer_line(writer, indent + 8, "continue;");
    writer_line(writer, indent + 4, "}");
    print_piece(writer, nest, first, stop, PIECE_MIDDLE, indent + 4);
    writer_line(writer, indent, "}");
}

void writer_edged_loop(Writer *writer, const Nest *nest, int indent) {
    Arena *arena = writer->arena;
    const Edges *edges = nest->edges;
    const Edge *single = single_value(edges);
    const Loop *loop = nest_innermost(nest);
    const int inside = indent + 4;
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    const char *name = emit_symbol(writer->emit, loop->index->var);
    const char *first = writer_fresh(writer, arena_printf(arena, "%s_begin", name)), *last = writer_fresh(writer, arena_printf(arena, "%s_end", name));
    const char *from = writer_fresh(writer, arena_printf(arena, "%s_from", name)), *to = writer_fresh(writer, arena_printf(arena, "%s_to", name));
    writer_line(writer, indent, "{");
    writer_line(writer, inside, "const int64_t %s = %s, %s = %s;", first, begin, last, end);
    if (single && !has_ends(edges)) {
        print_around(writer, nest, single, first, last, inside);
        writer_line(writer, indent, "}");
        return;
    }
    writer_line(writer, inside, "%sint64_t %s = hp5_min(%s, %s), %s = %s;", single ? "const " : "", from, middle_end(writer, edges, first, true), last, to,
                middle_end(writer, edges, last, false));
    for (size_t i = 0; i < edges->count; i++) {
        const Edge *edge = &edges->items[i];
        if (!single && (edge->op == OP_EQ || edge->op == OP_NE) && !is_again(edges, i))
            writer_line(writer, inside, "hp5_leave_out(&%s, &%s, %s);", from, to, bound_of(writer, edge, false));
    }
    print_piece(writer, nest, first, from, PIECE_BEFORE, inside);
    if (single) print_around(writer, nest, single, from, to, inside);
    else print_piece(writer, nest, from, to, PIECE_MIDDLE, inside);
    print_piece(writer, nest, arena_printf(arena, "hp5_max(%s, %s)", from, to), last, PIECE_BEHIND, inside);
    writer_line(writer, indent, "}");
}
