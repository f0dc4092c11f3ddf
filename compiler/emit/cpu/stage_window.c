/* Sums over a window that slides along a row (lower/window.c). Elements of the row that stand side by side accumulate in
 * registers, as many as they hold:
 *
 *     HP5_NOT_LOCAL(x);
 *     const int64_t p_begin = …, p_end = …, q_begin = …, q_end = …;
 *     if (p_begin < p_end && q_begin < q_end) {
 *         int64_t j_first = …;
 *         const int64_t j_end = …;
 *         for (; j_first + HP5_ROW_LANES(double) <= j_end; j_first += HP5_ROW_LANES(double)) {
 *             double y_sums[HP5_ROW_LANES(double)];
 *             for (int64_t lane = 0; lane < HP5_ROW_LANES(double); lane++) {
 *                 const int64_t j = j_first + lane;
 *                 y_sums[lane] = y[…];
 *             }
 *             for (int64_t p = p_begin; p < p_end; p++) {
 *                 for (int64_t q = q_begin; q < q_end; q++) {
 *                     HP5_IN_REGISTERS;
 *                     for (int64_t lane = 0; …; lane++) {
 *                         const int64_t j = j_first + lane;
 *                         y_sums[lane] = fma(…);
 *                     }
 *                 }
 *             }
 *             for (…) y[…] = y_sums[lane];
 *         }
 *         for (; j_first + HP5_HALF_ROW_LANES(double) <= j_end; …) { … the same for half as many … }
 *         if (j_first < j_end) { … and for the j_end - j_first that are left … }
 *     }
 *
 * Where the window is empty no element is touched: it may not exist, or be another LPU's.
 *
 * A ragged window has other bounds for each element. What neighbours have in common is done as above; what one of them adds before that and
 * behind it, or all of it where they have nothing in common, is added for each element by itself:
 *
 *     int64_t t_begin = …, t_end = …, t_least = …, t_most = …;   the greatest begin of all lanes, their least end, and the other way round
 *     if (t_least < t_begin) { … for each lane t from its begin to t_begin … }
 *     if (t_begin < t_end) { … as above … }
 *     if (t_most > hp5_max(t_begin, t_end)) { … for each lane t from there to its end … } */
#include "compiler/emit/cpu/stage.h"

#include <string.h>

/* own_begin, own_end: of a ragged window the bounds of one element, which name its index. */
typedef struct Inner { const char *index, *begin, *end, *own_begin, *own_end; } Inner;
typedef struct Row {
    const Nest *nest;
    const char *index, *first, *lane, *sums, *element, *c_type;
    bool named; /* what is added names the row's index */
    VEC(Inner) inner;
} Row;

static void print_lanes(Writer *writer, const Row *row, const char *lanes, bool named, int indent) {
    writer_line(writer, indent, "for (int64_t %s = 0; %s < %s; %s++) {", row->lane, row->lane, lanes, row->lane);
    if (named) writer_line(writer, indent + 4, "const int64_t %s = %s + %s;", row->index, row->first, row->lane);
}

static void print_piece(Writer *writer, const Row *row, const char *lanes, const char *most, int indent) {
    writer_line(writer, indent, "%s %s[%s];", row->c_type, row->sums, most);
    print_lanes(writer, row, lanes, true, indent);
    writer_line(writer, indent + 4, "%s[%s] = %s;", row->sums, row->lane, row->element);
    writer_line(writer, indent, "}");
    int inside = indent;
    for (size_t i = 0; i < row->inner.count; i++, inside += 4) {
        const Inner *inner = &row->inner.items[i];
        writer_line(writer, inside, "for (int64_t %s = %s; %s < %s; %s++) {", inner->index, inner->begin, inner->index, inner->end, inner->index);
    }
    writer_line(writer, inside, "HP5_IN_REGISTERS;");
    print_lanes(writer, row, lanes, row->named, inside);
    writer->replaced = row->nest->sum.assign->target;
    writer->replacement = arena_printf(writer->arena, "%s[%s]", row->sums, row->lane);
    writer_block(writer, &row->nest->stmt->body, inside + 4);
    writer->replaced = NULL;
    writer_line(writer, inside, "}");
    writer_loop_end(writer, inside, indent);
    print_lanes(writer, row, lanes, true, indent);
    writer_line(writer, indent + 4, "%s = %s[%s];", row->element, row->sums, row->lane);
    writer_line(writer, indent, "}");
}

typedef struct Pointers { Writer *writer; VEC(const char *) names; } Pointers;

static void find_pointer(void *data, const Expr *expr) {
    Pointers *pointers = data;
    if (expr->kind != EXPR_ELEMENT) return;
    const char *name = writer_array_name(pointers->writer, expr->var, expr->lag);
    for (size_t i = 0; i < pointers->names.count; i++)
        if (strcmp(pointers->names.items[i], name) == 0) return;
    vec_push(pointers->writer->arena, &pointers->names, name);
}

static void print_pointers(Writer *writer, const Nest *nest, int indent) {
    Pointers pointers = {.writer = writer};
    lower_walk_block(&(Walk){find_pointer, NULL, &pointers}, &nest->stmt->body);
    for (size_t i = 0; i < pointers.names.count; i++) writer_line(writer, indent, "HP5_NOT_LOCAL(%s);", pointers.names.items[i]);
}

static Inner name_inner(Writer *writer, const Loop *loop) {
    Inner inner = {.index = writer_declare(writer, loop->index->var)};
    inner.begin = writer_fresh(writer, arena_printf(writer->arena, "%s_begin", inner.index));
    inner.end = writer_fresh(writer, arena_printf(writer->arena, "%s_end", inner.index));
    return inner;
}

static void print_inner_bounds(Writer *writer, Row *row, int indent) {
    const Nest *nest = row->nest;
    for (size_t l = nest->loops.count - nest->sum.window; l < nest->loops.count; l++) {
        char *begin, *end;
        writer_loop_bounds(writer, &nest->loops.items[l], NULL, &begin, &end);
        Inner inner = name_inner(writer, &nest->loops.items[l]);
        writer_line(writer, indent, "const int64_t %s = %s, %s = %s;", inner.begin, begin, inner.end, end);
        vec_push(writer->arena, &row->inner, inner);
    }
}

/* ---- Ragged windows ------------------------------------------------------------------------------------------ */
/* What each element adds between two bounds, by itself. */
static void print_own(Writer *writer, const Row *row, const char *lanes, const char *from, const char *to, int indent) {
    const Inner *inner = &row->inner.items[0];
    const char *sum = writer_fresh(writer, "sum"), *first = writer_fresh(writer, arena_printf(writer->arena, "%s_from", inner->index));
    const char *end = writer_fresh(writer, arena_printf(writer->arena, "%s_to", inner->index));
    print_lanes(writer, row, lanes, true, indent);
    writer_line(writer, indent + 4, "const int64_t %s = %s, %s = %s;", first, from, end, to);
    writer_line(writer, indent + 4, "if (%s >= %s) continue;", first, end);
    writer_line(writer, indent + 4, "%s %s = %s;", row->c_type, sum, row->element);
    writer_line(writer, indent + 4, "for (int64_t %s = %s; %s < %s; %s++) {", inner->index, first, inner->index, end, inner->index);
    writer->replaced = row->nest->sum.assign->target;
    writer->replacement = sum;
    writer_block(writer, &row->nest->stmt->body, indent + 8);
    writer->replaced = NULL;
    writer_line(writer, indent + 4, "}");
    writer_line(writer, indent + 4, "%s = %s;", row->element, sum);
    writer_line(writer, indent, "}");
}

static void print_ragged_piece(Writer *writer, const Row *row, const char *lanes, const char *most, int indent) {
    Arena *arena = writer->arena;
    const Inner *inner = &row->inner.items[0];
    const char *least = writer_fresh(writer, arena_printf(arena, "%s_least", inner->index)), *most_end = writer_fresh(writer, arena_printf(arena, "%s_most", inner->index));
    writer_line(writer, indent, "int64_t %s = INT64_MIN, %s = INT64_MAX, %s = INT64_MAX, %s = INT64_MIN;", inner->begin, inner->end, least, most_end);
    print_lanes(writer, row, lanes, true, indent);
    writer_line(writer, indent + 4, "%s = hp5_max(%s, %s);", inner->begin, inner->begin, inner->own_begin);
    writer_line(writer, indent + 4, "%s = hp5_min(%s, %s);", inner->end, inner->end, inner->own_end);
    writer_line(writer, indent + 4, "%s = hp5_min(%s, %s);", least, least, inner->own_begin);
    writer_line(writer, indent + 4, "%s = hp5_max(%s, %s);", most_end, most_end, inner->own_end);
    writer_line(writer, indent, "}");
    writer_line(writer, indent, "if (%s < %s) {", least, inner->begin);
    print_own(writer, row, lanes, inner->own_begin, arena_printf(arena, "hp5_min(%s, %s)", inner->own_end, inner->begin), indent + 4);
    writer_line(writer, indent, "}");
    writer_line(writer, indent, "if (%s < %s) {", inner->begin, inner->end);
    print_piece(writer, row, lanes, most, indent + 4);
    writer_line(writer, indent, "}");
    writer_line(writer, indent, "if (%s > hp5_max(%s, %s)) {", most_end, inner->begin, inner->end);
    print_own(writer, row, lanes, arena_printf(arena, "hp5_max(%s, hp5_max(%s, %s))", inner->own_begin, inner->begin, inner->end), inner->own_end, indent + 4);
    writer_line(writer, indent, "}");
}

/* ---- All together ---------------------------------------------------------------------------------------------- */
void writer_window(Writer *writer, const Nest *nest, int indent) {
    Arena *arena = writer->arena;
    const Stmt *assign = nest->sum.assign;
    const Loop *loop = &nest->loops.items[nest->loops.count - 1 - nest->sum.window];
    const bool ragged = nest->sum.ragged;
    Row row = {.nest = nest, .named = writer_names_index(writer, assign->value, assign->target, loop->index->var), .c_type = emit_type(writer->emit, assign->target->type)};
    char *begin, *end, *condition = NULL;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    writer_line(writer, indent, "{");
    print_pointers(writer, nest, indent + 4);
    if (!ragged) print_inner_bounds(writer, &row, indent + 4);
    for (size_t i = 0; i < row.inner.count; i++) {
        const Inner *inner = &row.inner.items[i];
        condition = arena_printf(arena, "%s%s%s < %s", condition ? condition : "", condition ? " && " : "", inner->begin, inner->end);
    }
    row.index = writer_declare(writer, loop->index->var);
    row.first = writer_fresh(writer, arena_printf(arena, "%s_first", row.index));
    row.lane = writer_fresh(writer, "lane");
    row.sums = writer_fresh(writer, arena_printf(arena, "%s_sums", emit_symbol(writer->emit, assign->target->var)));
    if (ragged) {
        char *own_begin, *own_end;
        writer_loop_bounds(writer, nest_innermost(nest), NULL, &own_begin, &own_end);
        Inner inner = name_inner(writer, nest_innermost(nest));
        inner.own_begin = own_begin;
        inner.own_end = own_end;
        vec_push(arena, &row.inner, inner);
    }
    row.element = writer_expr(writer, assign->target);
    void (*const piece)(Writer *, const Row *, const char *, const char *, int) = ragged ? print_ragged_piece : print_piece;
    const char *last = writer_fresh(writer, arena_printf(arena, "%s_end", row.index));
    const char *lanes = arena_printf(arena, "HP5_ROW_LANES(%s)", row.c_type);
    const int inside = condition ? indent + 8 : indent + 4;
    if (condition) writer_line(writer, indent + 4, "if (%s) {", condition);
    writer_line(writer, inside, "int64_t %s = %s;", row.first, begin);
    writer_line(writer, inside, "const int64_t %s = %s;", last, end);
    const char *const widths[] = {lanes, ragged ? NULL : arena_printf(arena, "HP5_HALF_ROW_LANES(%s)", row.c_type)};
    for (size_t w = 0; w < 2 && widths[w] != NULL; w++) {
        writer_line(writer, inside, "for (; %s + %s <= %s; %s += %s) {", row.first, widths[w], last, row.first, widths[w]);
        piece(writer, &row, widths[w], widths[w], inside + 4);
        writer_line(writer, inside, "}");
    }
    writer_line(writer, inside, "if (%s < %s) {", row.first, last);
    const char *rest = writer_fresh(writer, arena_printf(arena, "%s_rest", row.index));
    writer_line(writer, inside + 4, "const int64_t %s = %s - %s;", rest, last, row.first);
    piece(writer, &row, rest, ragged ? lanes : widths[1], inside + 4);
    writer_loop_end(writer, inside + 4, indent);
}
