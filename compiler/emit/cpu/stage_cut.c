/* Cut loops (lower/cut.c): an iteration that writes what others read, by itself, with those before it and those behind it:
 *
 *     {
 *         const int64_t j_begin = …, j_end = …;
 *         for (int64_t j_first = j_begin, j_stop; j_first < j_end; j_first = j_stop) {
 *             j_stop = hp5_piece_end(j_first, j_end, k);
 *             for (int64_t j = j_first; j < j_stop; j++) {
 *                 …
 *             }
 *         }
 *     }
 *
 * Where the loop may be whole (lower/whole.c):
 *
 *     {
 *         const int64_t j_begin = …, j_end = …;
 *         bool j_whole = k < j_begin || k >= j_end;
 *         if (!j_whole) {
 *             const int64_t j = k;
 *             const float d_old = d[…j];
 *             …
 *             j_whole = memcmp(&d_old, &d[…j], sizeof d_old) == 0;
 *             if (!j_whole) d[…j] = d_old;
 *         }
 *         for (int64_t j_first = j_begin, j_stop; j_first < j_end; j_first = j_stop) {
 *             j_stop = j_whole ? j_end : hp5_piece_end(j_first, j_end, k);
 *             const float d_fixed = d[…k];
 *             for (int64_t j = j_first; j < j_stop; j++) {
 *                 …                               (d_fixed is d[…k])
 *             }
 *         }
 *     } */
#include "compiler/emit/cpu/stage.h"

typedef struct CutNames { const char *at, *index, *begin, *end, *first, *stop, *whole; } CutNames;

static const char *named(Writer *writer, const CutNames *names, const char *end) {
    return writer_fresh(writer, arena_printf(writer->arena, "%s_%s", names->index, end));
}

/* A local with what the element has; a name for it. */
static const char *print_copy(Writer *writer, const Expr *element, const char *suffix, int indent) {
    const char *name = writer_fresh(writer, arena_printf(writer->arena, "%s_%s", emit_symbol(writer->emit, element->var), suffix));
    const char *c_type = emit_storage_type(writer->emit, element->var->type->element);
    writer_line(writer, indent, "const %s = %s;", emit_declarator(writer->arena, c_type, name), writer_expr(writer, element));
    return name;
}

/* The iteration at which the loop is cut, which is taken back where it changes something. */
static void print_trial(Writer *writer, const Nest *nest, const CutNames *names, int indent) {
    const size_t mark = writer->scope.count;
    const ExprVec *targets = &nest->whole->targets;
    writer_line(writer, indent, "bool %s = %s < %s || %s >= %s;", names->whole, names->at, names->begin, names->at, names->end);
    writer_line(writer, indent, "if (!%s) {", names->whole);
    const int inside = indent + 4;
    const char *index = writer_declare(writer, nest_innermost(nest)->index->var), **olds = ARENA_ARRAY(writer->arena, const char *, targets->count + 1);
    writer_line(writer, inside, "const int64_t %s = %s;", index, names->at);
    for (size_t i = 0; i < targets->count; i++) olds[i] = print_copy(writer, targets->items[i], "old", inside);
    writer_block(writer, &nest->stmt->body, inside);
    for (size_t i = 0; i < targets->count; i++)
        writer_line(writer, inside, "%s = %smemcmp(&%s, &%s, sizeof %s) == 0;", names->whole, i == 0 ? "" : arena_printf(writer->arena, "%s && ", names->whole),
                    olds[i], writer_expr(writer, targets->items[i]), olds[i]);
    writer_line(writer, inside, "if (!%s) {", names->whole);
    for (size_t i = 0; i < targets->count; i++) writer_line(writer, inside + 4, "%s = %s;", writer_expr(writer, targets->items[i]), olds[i]);
    writer_line(writer, inside, "}");
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}

/* One piece, with what is the same all along it in locals. */
static void print_piece(Writer *writer, const Nest *nest, const CutNames *names, int indent) {
    const size_t kept = writer->kept.count;
    for (size_t i = 0; nest->whole && i < nest->whole->fixed.count; i++) {
        const Expr *element = nest->whole->fixed.items[i];
        vec_push(writer->arena, &writer->kept, ((KeptElement){element, print_copy(writer, element, "fixed", indent)}));
    }
    writer_line(writer, indent, "HP5_INDEPENDENT");
    const char *index = writer_declare(writer, nest_innermost(nest)->index->var);
    writer_line(writer, indent, "for (int64_t %s = %s; %s < %s; %s++) {", index, names->first, index, names->stop, index);
    writer_block(writer, &nest->stmt->body, indent + 4);
    writer_line(writer, indent, "}");
    writer->kept.count = kept;
}

void writer_cut_loop(Writer *writer, const Nest *nest, int indent) {
    const Loop *loop = nest_innermost(nest);
    const char *index = emit_symbol(writer->emit, loop->index->var);
    CutNames names = {.index = index};
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    names.at = writer_expr_primary(writer, nest->cut);
    names.begin = named(writer, &names, "begin");
    names.end = named(writer, &names, "end");
    names.first = named(writer, &names, "first");
    names.stop = named(writer, &names, "stop");
    names.whole = named(writer, &names, "whole");
    writer_line(writer, indent, "{");
    const int inside = indent + 4;
    writer_line(writer, inside, "const int64_t %s = %s, %s = %s;", names.begin, begin, names.end, end);
    if (nest->whole) print_trial(writer, nest, &names, inside);
    writer_line(writer, inside, "for (int64_t %s = %s, %s; %s < %s; %s = %s) {", names.first, names.begin, names.stop, names.first, names.end,
                names.first, names.stop);
    writer_line(writer, inside + 4, "%s = %shp5_piece_end(%s, %s, %s);", names.stop,
                nest->whole ? arena_printf(writer->arena, "%s ? %s : ", names.whole, names.end) : "", names.first, names.end, names.at);
    print_piece(writer, nest, &names, inside + 4);
    writer_line(writer, inside, "}");
    writer_line(writer, indent, "}");
}
