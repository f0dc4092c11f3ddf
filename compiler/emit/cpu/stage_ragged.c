/* Loops in lanes whose bounds differ from lane to lane (LaneLoop, lower/nest.h). One of them, here one that slides, does what the lanes have in common between what some of them do alone. As its bounds stay or
 * grow by one from lane to lane (or, where it does not slide, become one less), those of the first and the last one tell what is common, and
 * whether it is all:
 *
 *     int64_t m_begin = …, m_end = …;                            (in lane 0)
 *     bool m_alone = …;
 *     if (m_alone) for (int64_t lane = …) for (int64_t m = …; m < hp5_min(…, m_begin + lane); m++) { … }
 *     for (int64_t m_first = m_begin; m_first < m_end; m_first++) { … all lanes, at m = m_first + lane … }
 *     if (m_alone) for (int64_t lane = …) for (int64_t m = hp5_max(…, hp5_max(m_begin, m_end) + lane); m < …; m++) { … } */
#include "compiler/emit/cpu/stage.h"
#include "compiler/lower/passes.h"

/* loop: the statement's innermost, NULL: it is sequential. from, to: bounds of the first and the last lane. */
typedef struct Ragged { const LaneLoop *it; const Loop *loop; const Var *index; const char *name, *from[2], *to[2], *begin, *end, *alone; } Ragged;

static void own_bounds(Writer *writer, const Ragged *ragged, char **begin, char **end) {
    if (ragged->loop) {
        writer_loop_bounds(writer, ragged->loop, NULL, begin, end);
        return;
    }
    *begin = writer_expr(writer, ragged->it->stmt->value->left);
    *end = writer_after(writer, ragged->it->stmt->value->right);
}

/* The index of the lanes, where the bounds name it. */
static void declare_for_bounds(Writer *writer, const Ragged *ragged, bool body, int indent) {
    const Stmt *stmt = ragged->it->stmt;
    bool named = ragged->loop ? lower_bounds_mention(ragged->loop->index, writer->lanes.index) : lower_expr_mentions(stmt->value, writer->lanes.index);
    named |= body && lower_block_mentions(&stmt->body, writer->lanes.index);
    const char *name = writer_declare(writer, writer->lanes.index);
    if (named) writer_line(writer, indent, "const int64_t %s = %s + %s;", name, writer->lanes.first, writer->lanes.lane);
}

/* The bounds of the first lane (0) or the last one (1). */
static void print_outer_bounds(Writer *writer, const Ragged *ragged, int which, int indent) {
    const size_t mark = writer->scope.count;
    char *begin, *end;
    writer_line(writer, indent, "{");
    writer_line(writer, indent + 4, which ? "const int64_t %s = %s - 1;" : "const int64_t %s = 0;", writer->lanes.lane, writer->lanes.count);
    declare_for_bounds(writer, ragged, false, indent + 4);
    own_bounds(writer, ragged, &begin, &end);
    writer_line(writer, indent + 4, "(void)%s;", writer->lanes.lane);
    writer_line(writer, indent + 4, "%s = %s;", ragged->from[which], begin);
    writer_line(writer, indent + 4, "%s = %s;", ragged->to[which], end);
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}

static void print_common_bounds(Writer *writer, const Ragged *ragged, int indent) {
    const char *const *from = ragged->from, *const *to = ragged->to, *count = writer->lanes.count;
    writer_line(writer, indent, "int64_t %s, %s, %s, %s;", from[0], to[0], from[1], to[1]);
    for (int which = 0; which < 2; which++) print_outer_bounds(writer, ragged, which, indent);
    const char *usual = arena_printf(writer->arena, "hp5_is_moderate(%s)", writer->lanes.first);
    for (size_t i = 0; i < ragged->it->asked.count; i++)
        usual = arena_printf(writer->arena, "%s && hp5_is_moderate(%s)", usual, writer_expr(writer, ragged->it->asked.items[i]));
    if (ragged->it->slides) {
        writer_line(writer, indent, "int64_t %s = %s, %s = %s - (%s - 1);", ragged->begin, from[0], ragged->end, to[1], count);
        writer_line(writer, indent, "bool %s = %s != %s + (%s - 1) || %s != %s;", ragged->alone, from[1], from[0], count, to[0], ragged->end);
    } else {
        writer_line(writer, indent, "int64_t %s = hp5_max(%s, %s), %s = hp5_min(%s, %s);", ragged->begin, from[0], from[1], ragged->end, to[0], to[1]);
        writer_line(writer, indent, "bool %s = %s != %s || %s != %s;", ragged->alone, from[0], from[1], to[0], to[1]);
    }
    writer_line(writer, indent, "if (!(%s)) {", usual);
    writer_line(writer, indent + 4, "%s = %s = HP5_MODERATE;", ragged->begin, ragged->end);
    writer_line(writer, indent + 4, "%s = true;", ragged->alone);
    writer_line(writer, indent, "}");
}

/* What each lane has to itself, before (NULL, begin) or behind (what they have in common, NULL). */
static void print_alone(Writer *writer, const Ragged *ragged, const char *after, const char *before, int indent) {
    const size_t mark = writer->scope.count;
    const WriterLanes *lanes = &writer->lanes;
    void (*const loop_body)(Writer *, const Block *, int) = writer->loop_body;
    const char *slid = ragged->it->slides ? arena_printf(writer->arena, " + %s", lanes->lane) : "";
    char *begin, *end;
    writer->loop_body = NULL;
    writer_line(writer, indent, "if (%s) {", ragged->alone);
    writer_line(writer, indent + 4, "for (int64_t %s = 0; %s < %s; %s++) {", lanes->lane, lanes->lane, lanes->count, lanes->lane);
    declare_for_bounds(writer, ragged, true, indent + 8);
    own_bounds(writer, ragged, &begin, &end);
    if (after) begin = arena_printf(writer->arena, "hp5_max(%s, %s%s)", begin, after, slid);
    if (before) end = arena_printf(writer->arena, "hp5_min(%s, %s%s)", end, before, slid);
    const char *index = writer_declare(writer, ragged->index), *last = writer_fresh(writer, arena_printf(writer->arena, "%s_last", index));
    writer_line(writer, indent + 8, "for (int64_t %s = %s, %s = %s; %s < %s; %s++) {", index, begin, last, end, index, last, index);
    writer_block(writer, &ragged->it->stmt->body, indent + 12);
    writer_loop_end(writer, indent + 12, indent);
    writer->scope.count = mark;
    writer->loop_body = loop_body;
}

static void print_together(Writer *writer, const Ragged *ragged, int indent) {
    const size_t mark = writer->scope.count;
    const WriterLanes outer = writer->lanes;
    const bool slides = ragged->it->slides;
    const char *index = slides ? writer_fresh(writer, arena_printf(writer->arena, "%s_first", ragged->name)) : writer_declare(writer, ragged->index);
    if (slides) {
        writer->lanes.sliding = ragged->index;
        writer->lanes.slid = index;
    }
    writer_line(writer, indent, "for (int64_t %s = %s; %s < %s; %s++) {", index, ragged->begin, index, ragged->end, index);
    if (slides) writer_line(writer, indent + 4, "HP5_IN_REGISTERS;");
    writer->loop_body(writer, &ragged->it->stmt->body, indent + 4);
    writer_line(writer, indent, "}");
    writer->lanes = outer;
    writer->scope.count = mark;
}

void writer_ragged_loop(Writer *writer, const LaneLoop *lane_loop, const Loop *loop, int indent) {
    Arena *arena = writer->arena;
    Ragged ragged = {.it = lane_loop, .loop = loop, .index = loop ? loop->index->var : lane_loop->stmt->index};
    const char *name = ragged.name = emit_symbol(writer->emit, ragged.index);
    for (int which = 0; which < 2; which++) {
        ragged.from[which] = writer_fresh(writer, arena_printf(arena, "%s_%s", name, which ? "last_from" : "from"));
        ragged.to[which] = writer_fresh(writer, arena_printf(arena, "%s_%s", name, which ? "last_to" : "to"));
    }
    ragged.begin = writer_fresh(writer, arena_printf(arena, "%s_begin", name));
    ragged.end = writer_fresh(writer, arena_printf(arena, "%s_end", name));
    ragged.alone = writer_fresh(writer, arena_printf(arena, "%s_alone", name));
    writer_line(writer, indent, "{");
    print_common_bounds(writer, &ragged, indent + 4);
    print_alone(writer, &ragged, NULL, ragged.begin, indent + 4);
    print_together(writer, &ragged, indent + 4);
    print_alone(writer, &ragged, arena_printf(arena, "hp5_max(%s, %s)", ragged.begin, ragged.end), NULL, indent + 4);
    writer_line(writer, indent, "}");
}
