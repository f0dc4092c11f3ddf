/* Innermost loops; those that go in 32 bits where values are small (lower/small.c):
 *
 *     for (int64_t i_block = …, i_stop; i_block < …; i_block = i_stop) {
 *         i_stop = hp5_min(i_block + HP5_BLOCK, …);
 *         uint32_t any = hp5_distances(&x[i_block - 1], 1, 1 << 30);
 *         int32_t most_small = INT32_MIN;         (of reductions)
 *         for (int64_t i = i_block; i < i_stop; i++) {
 *             any |= (uint32_t)x[i] + (1 << 30);
 *             …                                   (in 32 bits)
 *         }
 *         if (hp5_is_near(any, 1 << 30)) {
 *             if (most_small != INT32_MIN) most_so_far = hp5_max_integer(most_so_far, most_small);
 *         } else {
 *             for (int64_t i = i_block; i < i_stop; i++) {
 *                 …
 *             }
 *         }
 *     }
 *
 * Where conditions say what is written, all is asked before:
 *
 *         const uint32_t any = hp5_distances(&x[i_block - 1], i_stop - i_block + 1, 1 << 30);
 *         if (hp5_is_near(any, 1 << 30)) {
 *             for (int64_t i = i_block; i < i_stop; i++) {
 *                 …                               (in 32 bits)
 *             }
 *         } else {
 *             … */
#include "compiler/emit/cpu/stage.h"

#include <inttypes.h>

/* any: what notes distances of elements on the way, or NULL. */
static void print_loop(Writer *writer, const Nest *nest, const char *begin, const char *end, const char *any, int indent) {
    const size_t mark = writer->scope.count;
    const char *index = writer_declare(writer, nest_innermost(nest)->index->var);
    if (nest->form != FORM_REDUCTION) writer_line(writer, indent, "HP5_INDEPENDENT");
    writer_line(writer, indent, "for (int64_t %s = %s; %s < %s; %s++) {", index, begin, index, end, index);
    for (size_t i = 0; any && i < nest->small->spans.count; i++) {
        const SmallSpan *span = &nest->small->spans.items[i];
        if (span->moves) writer_line(writer, indent + 4, "%s |= (uint32_t)%s + %" PRId64 ";", any, writer_expr(writer, span->last), nest->small->limit);
    }
    writer_block(writer, &nest->stmt->body, indent + 4);
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}

/* ---- What is read ------------------------------------------------------------------------------------------ */
/* The element where the innermost index is `block`. */
static const char *element_at(Writer *writer, const Nest *nest, const Expr *element, const char *block) {
    const size_t mark = writer->scope.count;
    vec_push(writer->arena, &writer->scope, ((ScopeName){nest_innermost(nest)->index->var, block}));
    const char *text = writer_expr(writer, element);
    writer->scope.count = mark;
    return text;
}

/* What is known of distances before the loop over the block. */
static const char *distances(Writer *writer, const Nest *nest, const char *block, const char *stop) {
    Arena *arena = writer->arena;
    const Small *small = nest->small;
    const char *text = NULL;
    for (size_t i = 0; i < small->spans.count; i++) {
        const SmallSpan *span = &small->spans.items[i];
        const bool noted = span->moves && small->first_in_32_bits;
        const char *count = span->moves && !noted ? arena_printf(arena, "%s - %s + %" PRId64, stop, block, span->more)
                                                  : arena_printf(arena, "%" PRId64, span->more + !span->moves);
        if (noted && span->more == 0) continue;
        text = arena_printf(arena, "%s%shp5_distances(&%s, %s, %" PRId64 ")", text ? text : "", text ? " | " : "", element_at(writer, nest, span->first, block), count, small->limit);
    }
    for (size_t i = 0; i < small->scalars.count; i++)
        text = arena_printf(arena, "%s%shp5_distance(%s, %" PRId64 ")", text ? text : "", text ? " | " : "", writer_find(writer, small->scalars.items[i]), small->limit);
    return text ? text : "0";
}

/* ---- In 32 bits -------------------------------------------------------------------------------------------- */
/* Scalars get locals of 32 bits, under which the body knows them. */
static void print_scalars(Writer *writer, const Nest *nest, int indent) {
    for (size_t i = 0; i < nest->small->scalars.count; i++) {
        const Var *var = nest->small->scalars.items[i];
        if (var->type->stored_single || lower_bytes_of(writer->code, var) > 0) continue;
        const char *old = writer_find(writer, var), *name = writer_fresh(writer, arena_printf(writer->arena, "%s_small", old));
        writer_line(writer, indent, "const int32_t %s = (int32_t)%s;", name, old);
        vec_push(writer->arena, &writer->scope, ((ScopeName){var, name}));
    }
}

static Target *target_of(Writer *writer, const Stmt *reduce) {
    for (size_t i = 0; i < writer->targets.count; i++)
        if (writer->targets.items[i].var == reduce->target->var) return &writer->targets.items[i];
    return NULL;
}

/* Reductions go to locals of 32 bits, whose former targets are kept in `wide`. */
static void begin_targets(Writer *writer, const Nest *nest, size_t count, Target *wide, int indent) {
    for (size_t i = 0; i < count; i++) {
        Target *target = target_of(writer, nest->reduction.targets.items[i]);
        wide[i] = *target;
        const ReduceOp op = target->formal->op;
        target->tree = writer_fresh(writer, arena_printf(writer->arena, "%s_small", emit_symbol(writer->emit, target->var)));
        target->operation = op == REDUCE_MAX ? "max_int" : op == REDUCE_MIN ? "min_int" : "sum_int";
        writer_line(writer, indent, "int32_t %s = %s;", target->tree, op == REDUCE_MAX ? "INT32_MIN" : op == REDUCE_MIN ? "INT32_MAX" : "0");
    }
}

static void end_targets(Writer *writer, const Nest *nest, size_t count, const char **locals, int indent) {
    for (size_t i = 0; i < count; i++) {
        const Target *target = target_of(writer, nest->reduction.targets.items[i]);
        const char *none = target->formal->op == REDUCE_MAX ? "INT32_MIN" : "INT32_MAX";
        const char *condition = target->formal->op == REDUCE_SUM ? "" : arena_printf(writer->arena, "if (%s != %s) ", locals[i], none);
        writer_line(writer, indent, "%s%s = hp5_%s(%s, %s);", condition, target->tree, target->operation, target->tree, locals[i]);
    }
}

static void print_block(Writer *writer, const Nest *nest, const char *block, const char *stop, int indent) {
    const Small *small = nest->small;
    const LoweredBody *const code = writer->code;
    const size_t mark = writer->scope.count, count = nest->form == FORM_REDUCTION ? nest->reduction.targets.count : 0;
    const char *const any = writer_fresh(writer, "any");
    Target *const wide = ARENA_ARRAY(writer->arena, Target, count + 1);
    const char **const locals = ARENA_ARRAY(writer->arena, const char *, count + 1);
    const bool before = !small->first_in_32_bits;
    writer_line(writer, indent, "%suint32_t %s = %s;", before ? "const " : "", any, distances(writer, nest, block, stop));
    if (before) writer_line(writer, indent, "if (hp5_is_near(%s, %" PRId64 ")) {", any, small->limit);
    const int inside = before ? indent + 4 : indent;
    const size_t outside = writer->scope.count;
    print_scalars(writer, nest, inside);
    begin_targets(writer, nest, count, wide, inside);
    writer->code = writer->names.code = small->code;
    print_loop(writer, nest, block, stop, before ? NULL : any, inside);
    writer->code = writer->names.code = code;
    for (size_t i = 0; i < count; i++) {
        Target *target = target_of(writer, nest->reduction.targets.items[i]);
        locals[i] = target->tree;
        *target = wide[i];
    }
    const bool empty = !before && count == 0;
    if (!before) writer_line(writer, indent, "if (%s(%s, %" PRId64 ")) {", empty ? "!hp5_is_near" : "hp5_is_near", any, small->limit);
    end_targets(writer, nest, count, locals, indent + 4);
    writer->scope.count = outside;
    if (!empty) writer_line(writer, indent, "} else {");
    print_loop(writer, nest, block, stop, NULL, indent + 4);
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}

void writer_vector_loop(Writer *writer, const Nest *nest, const char *begin, const char *end, int indent) {
    if (!nest->small || writer->strict || (writer->edges && writer->piece != PIECE_MIDDLE)) {
        print_loop(writer, nest, begin, end, NULL, indent);
        return;
    }
    const size_t mark = writer->scope.count;
    const char *name = emit_symbol(writer->emit, nest_innermost(nest)->index->var);
    const char *block = writer_fresh(writer, arena_printf(writer->arena, "%s_block", name)), *stop = writer_fresh(writer, arena_printf(writer->arena, "%s_stop", name));
    writer_line(writer, indent, "for (int64_t %s = %s, %s; %s < %s; %s = %s) {", block, begin, stop, block, end, block, stop);
    const int inside = indent + 4;
    writer_line(writer, inside, "%s = hp5_min(%s + HP5_BLOCK, %s);", stop, block, end);
    print_block(writer, nest, block, stop, inside);
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}

void writer_small_loop(Writer *writer, const Nest *nest, int indent) {
    const Loop *loop = nest_innermost(nest);
    const size_t mark = writer->scope.count;
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    const char *name = emit_symbol(writer->emit, loop->index->var);
    const char *first = writer_fresh(writer, arena_printf(writer->arena, "%s_begin", name)), *last = writer_fresh(writer, arena_printf(writer->arena, "%s_end", name));
    writer_line(writer, indent, "{");
    writer_line(writer, indent + 4, "const int64_t %s = %s, %s = %s;", first, begin, last, end);
    writer_vector_loop(writer, nest, first, last, indent + 4);
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}
