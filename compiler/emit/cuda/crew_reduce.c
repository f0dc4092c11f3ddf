/* Reductions on cards, in the order of runtime/array/reduce.h: 32 lanes are the threads of a warp, each warp of the crew takes one chunk of the
 * innermost loop, and the crew's first thread adds their results to the tree in the order of the chunks:
 *
 *     for (int64_t i_batch = begin, i_end = end; i_batch < i_end; i_batch += crew.warps() * HP5_CHUNK) {
 *         double sum_lane = hp5_sum_real_identity();
 *         const int64_t i_first = i_batch + crew.warp() * HP5_CHUNK, i_last = hp5_min(i_first + HP5_CHUNK, i_end);
 *         for (int64_t i = i_first + crew.lane(); i < i_last; i += HP5_LANES) {
 *             sum_lane = hp5_sum_real(sum_lane, x[i]);
 *         }
 *         hp5_add_chunks<Hp5Of_sum_real>(worker, crew, &sum_tree, sum_lane, hp5_chunks(crew, i_end - i_batch));
 *     }
 *
 * Where the order makes no difference, each thread has a result of its own, and they are joined at the end of the stage. */
#include "compiler/base/diag.h"
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"

static Target *find_target(Writer *writer, const Var *var) {
    for (size_t i = 0; i < writer->targets.count; i++)
        if (writer->targets.items[i].var == var) return &writer->targets.items[i];
    internal_error("emit", "'%s' is not a reduction target of the stage", var->name);
}

void cuda_reduce(Writer *writer, const Stmt *stmt, int indent) {
    Target *target = find_target(writer, stmt->target->var);
    const bool together = writer->sharing == CREW_TOGETHER;
    if (writer->sharing == CREW_APART && target->lanes != NULL && !target->any_order) {
        const char *index = writer->entry_index ? writer_find(writer, writer->entry_index) : "0";
        const bool entry = stmt->reduce == REDUCE_MAX_ENTRY || stmt->reduce == REDUCE_MIN_ENTRY;
        char *value = writer_expr(writer, stmt->value);
        if (entry) value = arena_printf(writer->arena, "(%s){%s, %s}", emit_partial_type(writer->emit, target->formal), value, index);
        writer_line(writer, indent, "%s = hp5_%s(%s, %s);", target->lanes, target->operation, target->lanes, value);
        return;
    }
    if (together) writer_line(writer, indent, "if (crew.rank() == 0) {");
    cpu_reduce(writer, stmt, together ? indent + 4 : indent);
    if (together) writer_line(writer, indent, "}");
}

/* ---- Chunks --------------------------------------------------------------------------------------------------------- */
static void declare_lanes(Writer *writer, const Nest *nest, int indent) {
    for (size_t i = 0; i < nest->reduction.targets.count; i++) {
        Target *target = find_target(writer, nest->reduction.targets.items[i]->target->var);
        if (target->any_order) continue;
        target->lanes = writer_fresh(writer, arena_printf(writer->arena, "%s_lane", emit_symbol(writer->emit, target->var)));
        writer_line(writer, indent, "%s %s = hp5_%s_identity();", emit_partial_type(writer->emit, target->formal), target->lanes, target->operation);
    }
}

static void end_chunks(Writer *writer, const Nest *nest, const char *left, int indent) {
    for (size_t i = 0; i < nest->reduction.targets.count; i++) {
        Target *target = find_target(writer, nest->reduction.targets.items[i]->target->var);
        if (target->any_order) continue;
        writer_line(writer, indent, "hp5_add_chunks<Hp5Of_%s>(worker, crew, &%s, %s, hp5_chunks(crew, %s));", target->operation, target->tree,
                    target->lanes, left);
        target->lanes = NULL;
    }
}

static void print_iteration(Writer *writer, const Nest *nest, const Loop *loop, enum CrewSharing sharing, int indent) {
    const Var *outer_index = writer->entry_index;
    writer->sharing = sharing;
    writer->entry_index = loop->index->var;
    writer->rounds += sharing == CREW_TOGETHER;
    writer_block(writer, &nest->stmt->body, indent);
    writer->rounds -= sharing == CREW_TOGETHER;
    writer->entry_index = outer_index;
    writer->sharing = CREW_TOGETHER;
}

static void print_chunks(Writer *writer, const Nest *nest, const Loop *loop, int indent) {
    Arena *arena = writer->arena;
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    const char *index = writer_declare(writer, loop->index->var);
    const char *batch = writer_fresh(writer, arena_printf(arena, "%s_batch", index)), *stop = writer_fresh(writer, arena_printf(arena, "%s_end", index));
    const char *first = writer_fresh(writer, arena_printf(arena, "%s_first", index)), *last = writer_fresh(writer, arena_printf(arena, "%s_last", index));
    writer_line(writer, indent, "for (int64_t %s = %s, %s = %s; %s < %s; %s += crew.warps() * HP5_CHUNK) {", batch, begin, stop, end, batch, stop, batch);
    declare_lanes(writer, nest, indent + 4);
    writer_line(writer, indent + 4, "const int64_t %s = %s + crew.warp() * HP5_CHUNK, %s = hp5_min(%s + HP5_CHUNK, %s);", first, batch, last, first, stop);
    writer_line(writer, indent + 4, "for (int64_t %s = %s + crew.lane(); %s < %s; %s += HP5_LANES) {", index, first, index, last, index);
    writer_filters(writer, loop, indent + 8);
    print_iteration(writer, nest, loop, CREW_APART, indent + 8);
    writer_line(writer, indent + 4, "}");
    end_chunks(writer, nest, arena_printf(arena, "%s - %s", stop, batch), indent + 4);
    writer_line(writer, indent, "}");
}

/* Each thread has a result so far: the iterations go round. Where there are loops along arrays inside, these are shared, and one iteration follows the
 * other: rows that lie apart in memory are not read side by side. */
static void print_any_order(Writer *writer, const Nest *nest, const Loop *loop, bool inside, int indent) {
    const int body = inside ? writer_loop_begin(writer, loop, NULL, indent) : cuda_shared_loop(writer, loop, "crew.rank()", "crew.size()", indent);
    print_iteration(writer, nest, loop, inside ? CREW_TOGETHER : CREW_APART, body);
    writer_loop_end(writer, body, indent);
}

enum { LONG = 80 /* expressions of a round */ };

static void note_length(void *data, const Expr *expr) { *(int *)data += expr->kind == EXPR_CALL ? LONG : 1; }

/* The innermost two loops as one: rows that are shorter than a crew leave no thread without a round, their bounds are asked for once, and what
 * four rounds read is on its way at a time, if that is little text. */
static void print_square(Writer *writer, const Nest *nest, int indent) {
    Shared loops = {0};
    vec_push(writer->arena, &loops, &nest->loops.items[nest->loops.count - 2]);
    vec_push(writer->arena, &loops, nest_innermost(nest));
    int length = 0;
    lower_walk_block(&(Walk){note_length, NULL, &length}, &nest->stmt->body);
    const int body = cuda_walk(writer, &loops, length < LONG ? 4 : 1, indent);
    print_iteration(writer, nest, nest_innermost(nest), CREW_APART, body);
    writer_loop_end(writer, body, indent);
}

static void find_reduce(void *data, const Stmt *stmt) { *(bool *)data |= stmt->kind == STMT_REDUCE; }

static void find_deeper(void *data, const Stmt *stmt) {
    if (stmt->kind == STMT_PARALLEL) lower_walk_block(&(Walk){NULL, find_reduce, data}, &stmt->body);
}

/* A loop inside of the nest reduces, too: in an order, perhaps. */
static bool reduces_deeper(const Nest *nest) {
    bool deeper = false;
    lower_walk_block(&(Walk){NULL, find_deeper, &deeper}, &nest->stmt->body);
    return deeper;
}

CrewManner cuda_reducing_manner(const LoweredBody *code, const Nest *nest) {
    const Loop *loop = nest_innermost(nest);
    const bool apart = loop_may(loop, LOOP_APART_ON_CARDS) && !reduces_deeper(nest), inside = cuda_shares_inside(code, nest);
    if (nest->reduction.any_order && (apart || inside)) return inside ? CREW_REDUCES_INSIDE : CREW_REDUCES_EACH;
    /* chunks of parts with gaps are counted across the runs */
    return loop->interval && loop_may(loop, LOOP_PARALLEL) ? CREW_REDUCES_CHUNKS : CREW_FIRST_REDUCES;
}

void cuda_reducing_nest(Writer *writer, const Nest *nest, CrewManner manner, int indent) {
    const Loop *loop = nest_innermost(nest);
    const bool square = manner == CREW_REDUCES_EACH && cuda_is_square(nest);
    int inside = indent;
    for (size_t i = 0; i + (square ? 2 : 1) < nest->loops.count; i++) inside = writer_loop_begin(writer, &nest->loops.items[i], NULL, inside);
    if (manner == CREW_FIRST_REDUCES) cuda_by_first(writer, nest, writer_reducing_loop, inside);
    else if (square) print_square(writer, nest, inside);
    else if (manner == CREW_REDUCES_CHUNKS) print_chunks(writer, nest, loop, inside);
    else print_any_order(writer, nest, loop, manner == CREW_REDUCES_INSIDE, inside);
    writer_loop_end(writer, inside, indent);
}
