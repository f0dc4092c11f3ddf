/* Sums with operands that are turned (lower/turned.c). Where there are rows and columns enough, blocks of them are put side by side once for
 * all rows:
 *
 *     if (hp5_pays_to_turn(…, …, HP5_ROW_LANES(double))) {
 *         const int64_t i_begin = …, i_end = …, j_begin = …, j_end = …, m_begin = …, m_end = …;
 *         for (int64_t j_first = j_begin; j_first < j_end; j_first += HP5_ROW_LANES(double)) {
 *             for (int64_t m_first = m_begin; m_first < m_end; m_first += HP5_TURNED_DEPTH) {
 *                 const int64_t m_last = hp5_min(m_first + HP5_TURNED_DEPTH, m_end);
 *                 double y_turned[HP5_TURNED_DEPTH][HP5_ROW_LANES(double)];
 *                 for (int64_t lane = 0; …; lane++) {
 *                     const int64_t j = hp5_min(j_first + lane, j_end - 1);
 *                     for (int64_t m = m_first; m < m_last; m++) y_turned[m - m_first][lane] = y[j][m];
 *                 }
 *                 for (int64_t i = i_begin; i < i_end; i++) {
 *                     double d_sums[HP5_ROW_LANES(double)];
 *                     for (int64_t lane = 0; …; lane++) …
 *                     for (int64_t m = m_first; m < m_last; m++) {
 *                         HP5_IN_REGISTERS;
 *                         for (int64_t lane = 0; …; lane++) … y_turned[m - m_first][lane] …
 *                     }
 *                     for (int64_t j = j_first; j < hp5_min(j_first + HP5_ROW_LANES(double), j_end); j++) …
 *                 }
 *             }
 *         }
 *     } else {
 *         for (int64_t i = …) { … eight elements at a time, as without … }
 *     }
 *
 * Where i bounds j, a row has part of a block: from hp5_max(j_first, …) to hp5_min(j_first + HP5_ROW_LANES(double), …), if that is anything. */
#include "compiler/emit/cpu/stage.h"

/* Names in C: of a loop's index, its bounds, and for two of them where a block begins. */
typedef struct Named { const Loop *loop; const char *index, *begin, *end, *first; } Named;
typedef struct Turning {
    Writer *writer;
    const Nest *nest;
    Named i, j, m;
    const char *lane, *lanes, *element, *type, *sums;
    const char *from, *to; /* of j in a row that bounds it; NULL: all rows have all of a block */
} Turning;

static Named name_loop(Writer *writer, const Loop *loop, int indent) {
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    Named named = {.loop = loop, .index = writer_declare(writer, loop->index->var)};
    named.begin = writer_fresh(writer, arena_printf(writer->arena, "%s_begin", named.index));
    named.end = writer_fresh(writer, arena_printf(writer->arena, "%s_end", named.index));
    named.first = writer_fresh(writer, arena_printf(writer->arena, "%s_first", named.index));
    writer_line(writer, indent, "const int64_t %s = %s, %s = %s;", named.begin, begin, named.end, end);
    return named;
}

static char *count_text(Writer *writer, const Loop *loop) {
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    return arena_printf(writer->arena, "%s - (%s)", end, begin);
}

/* Of a row that bounds them, lanes before the first of its elements and behind the last are one of these once more. */
static void print_lanes(const Turning *t, bool names_index, int indent) {
    writer_line(t->writer, indent, "for (int64_t %s = 0; %s < %s; %s++) {", t->lane, t->lane, t->lanes, t->lane);
    if (names_index && t->from == NULL) writer_line(t->writer, indent + 4, "const int64_t %s = hp5_min(%s + %s, %s - 1);", t->j.index, t->j.first, t->lane, t->j.end);
    if (names_index && t->from != NULL) writer_line(t->writer, indent + 4, "const int64_t %s = hp5_max(%s, hp5_min(%s + %s, %s - 1));", t->j.index, t->from, t->j.first, t->lane, t->to);
}

static void print_loop(const Turning *t, const Named *loop, const char *begin, const char *end, int indent) {
    writer_line(t->writer, indent, "for (int64_t %s = %s; %s < %s; %s++) {", loop->index, begin, loop->index, end, loop->index);
}

/* Whether what is added names j, other than in the target and in what is turned. */
static bool names_element(const Turning *t, const Expr *expr) {
    if (expr == NULL || lower_expr_equal(expr, t->nest->sum.assign->target)) return false;
    for (size_t b = 0; b < t->nest->sum.turned.count; b++)
        if (lower_expr_equal(expr, t->nest->sum.turned.items[b])) return false;
    if (expr->var == t->j.loop->index->var) return true;
    for (size_t i = 0; i < expr->arguments.count; i++)
        if (names_element(t, expr->arguments.items[i])) return true;
    return names_element(t, expr->left) || names_element(t, expr->right);
}

/* A block of each operand, which stands for its elements from here on. */
static void print_turned(const Turning *t, const char *m_last, int indent) {
    Writer *writer = t->writer;
    const ExprVec *turned = &t->nest->sum.turned;
    VEC(KeptElement) blocks = {0};
    for (size_t b = 0; b < turned->count; b++) {
        const Expr *element = turned->items[b];
        const char *block = writer_fresh(writer, arena_printf(writer->arena, "%s_turned", emit_symbol(writer->emit, element->var)));
        const char *place = arena_printf(writer->arena, "%s[%s - %s][%s]", block, t->m.index, t->m.first, t->lane);
        writer_line(writer, indent, "%s %s[HP5_TURNED_DEPTH][%s];", emit_type(writer->emit, element->type), block, t->lanes);
        print_lanes(t, true, indent);
        print_loop(t, &t->m, t->m.first, m_last, indent + 4);
        writer_line(writer, indent + 8, "%s = %s;", place, writer_expr(writer, element));
        writer_loop_end(writer, indent + 8, indent);
        vec_push(writer->arena, &blocks, ((KeptElement){element, place}));
    }
    for (size_t b = 0; b < blocks.count; b++) vec_push(writer->arena, &writer->kept, blocks.items[b]);
}

static bool is_bounded(const Loop *loops) {
    for (size_t i = 0; i < loops[1].index->lower.count + loops[1].index->upper.count; i++) {
        const ExprVec *lower = &loops[1].index->lower, *upper = &loops[1].index->upper;
        if (lower_expr_mentions(i < lower->count ? lower->items[i] : upper->items[i - lower->count], loops[0].index->var)) return true;
    }
    return false;
}

/* The loop over elements without bounds by the row. */
static Loop all_elements(Arena *arena, const Loop *loops) {
    Loop all = loops[1];
    LoopIndex *index = ARENA_NEW(arena, LoopIndex);
    *index = *loops[1].index;
    index->lower = index->upper = (ExprVec){0};
    for (size_t i = 0; i < loops[1].index->lower.count; i++)
        if (!lower_expr_mentions(loops[1].index->lower.items[i], loops[0].index->var)) vec_push(arena, &index->lower, loops[1].index->lower.items[i]);
    for (size_t i = 0; i < loops[1].index->upper.count; i++)
        if (!lower_expr_mentions(loops[1].index->upper.items[i], loops[0].index->var)) vec_push(arena, &index->upper, loops[1].index->upper.items[i]);
    all.index = index;
    return all;
}

/* What the row that is gone through has of the block. */
static void print_row_bounds(Turning *t, const Loop *elements, int indent) {
    Writer *writer = t->writer;
    char *begin, *end;
    writer_loop_bounds(writer, elements, NULL, &begin, &end);
    t->from = writer_fresh(writer, arena_printf(writer->arena, "%s_from", t->j.index));
    t->to = writer_fresh(writer, arena_printf(writer->arena, "%s_to", t->j.index));
    writer_line(writer, indent, "const int64_t %s = hp5_max(%s, %s), %s = hp5_min(%s + %s, %s);", t->from, t->j.first, begin, t->to, t->j.first, t->lanes, end);
    writer_line(writer, indent, "if (%s >= %s) continue;", t->from, t->to);
}

static void print_rows(Turning *t, const Loop *loops, const char *m_last, int outside) {
    Writer *writer = t->writer;
    int indent = outside + 4;
    if (loops[0].interval) print_loop(t, &t->i, t->i.begin, t->i.end, outside);
    else indent = writer_loop_begin(writer, &loops[0], NULL, outside);
    if (is_bounded(loops)) print_row_bounds(t, &loops[1], indent);
    t->element = writer_expr(writer, t->nest->sum.assign->target);
    writer_line(writer, indent, "%s %s[%s];", t->type, t->sums, t->lanes);
    print_lanes(t, true, indent);
    writer_line(writer, indent + 4, "%s[%s] = %s;", t->sums, t->lane, t->element);
    writer_line(writer, indent, "}");
    print_loop(t, &t->m, t->m.first, m_last, indent);
    writer_line(writer, indent + 4, "HP5_IN_REGISTERS;");
    print_lanes(t, names_element(t, t->nest->sum.assign->value), indent + 4);
    writer->replaced = t->nest->sum.assign->target;
    writer->replacement = arena_printf(writer->arena, "%s[%s]", t->sums, t->lane);
    writer_block(writer, &t->nest->stmt->body, indent + 8);
    writer->replaced = NULL;
    writer_loop_end(writer, indent + 8, indent);
    if (t->from != NULL) writer_line(writer, indent, "for (int64_t %s = %s; %s < %s; %s++) {", t->j.index, t->from, t->j.index, t->to, t->j.index);
    else writer_line(writer, indent, "for (int64_t %s = %s; %s < hp5_min(%s + %s, %s); %s++) {", t->j.index, t->j.first, t->j.index, t->j.first, t->lanes, t->j.end, t->j.index);
    writer_line(writer, indent + 4, "%s = %s[%s - %s];", t->element, t->sums, t->j.index, t->j.first);
    writer_loop_end(writer, indent + 4, outside);
    t->from = t->to = NULL;
}

static void print_in_blocks(Turning *t, const Loop *loops, int indent) {
    Writer *writer = t->writer;
    const size_t kept = writer->kept.count;
    const Loop elements = all_elements(writer->arena, loops);
    if (loops[0].interval) t->i = name_loop(writer, &loops[0], indent);
    t->j = name_loop(writer, &elements, indent);
    t->m = name_loop(writer, &loops[2], indent);
    t->lane = writer_fresh(writer, "lane");
    t->sums = writer_fresh(writer, arena_printf(writer->arena, "%s_sums", emit_symbol(writer->emit, t->nest->sum.assign->target->var)));
    const char *m_last = writer_fresh(writer, arena_printf(writer->arena, "%s_last", t->m.index));
    writer_line(writer, indent, "for (int64_t %s = %s; %s < %s; %s += %s) {", t->j.first, t->j.begin, t->j.first, t->j.end, t->j.first, t->lanes);
    writer_line(writer, indent + 4, "for (int64_t %s = %s; %s < %s; %s += HP5_TURNED_DEPTH) {", t->m.first, t->m.begin, t->m.first, t->m.end, t->m.first);
    writer_line(writer, indent + 8, "const int64_t %s = hp5_min(%s + HP5_TURNED_DEPTH, %s);", m_last, t->m.first, t->m.end);
    print_turned(t, m_last, indent + 8);
    print_rows(t, loops, m_last, indent + 8);
    writer_loop_end(writer, indent + 8, indent);
    writer->kept.count = kept;
}

void writer_turned(Writer *writer, const Nest *nest, int indent) {
    const Loop *loops = nest->loops.items + nest->loops.count - 3;
    const size_t mark = writer->scope.count;
    Turning t = {.writer = writer, .nest = nest, .type = emit_type(writer->emit, nest->sum.assign->target->type)};
    t.lanes = arena_printf(writer->arena, "HP5_ROW_LANES(%s)", t.type);
    const Loop elements = all_elements(writer->arena, loops);
    const char *rows = loops[0].interval ? count_text(writer, &loops[0])
                                         : arena_printf(writer->arena, "hp5_set_count(&%s)", writer_part(writer, loops[0].domain_var, loops[0].dimension));
    writer_line(writer, indent, "if (hp5_pays_to_turn(%s, %s, %s)) {", rows, count_text(writer, &elements), t.lanes);
    print_in_blocks(&t, loops, indent + 4);
    writer->scope.count = mark;
    writer_line(writer, indent, "} else {");
    const int inside = writer_loop_begin(writer, &loops[0], NULL, indent + 4);
    writer_abreast(writer, nest, inside);
    writer_loop_end(writer, inside, indent);
    writer->scope.count = mark;
}
