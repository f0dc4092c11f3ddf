/* Loops that reduce, in the order of runtime/array/reduce.h: iterations fill 32 lanes, a chunk of 1024 ends
 * with combining them, chunk results go to a tree. The innermost loop of an interval is
 *
 *     for (int64_t i_chunk = begin, i_end = end; i_chunk < i_end; i_chunk += HP5_CHUNK) {
 *         const int64_t i_chunk_end = hp5_min(i_chunk + HP5_CHUNK, i_end), i_lanes = hp5_min(HP5_LANES, i_chunk_end - i_chunk);
 *         int64_t i_first = i_chunk;
 *         double sum_lanes[HP5_LANES];               (of a short row only the first i_lanes are used)
 *         if (i_lanes == HP5_LANES) {
 *             double sum_rows[HP5_LANES];            (sum_lanes is in memory, these stay in registers)
 *             …                                      (each lane starts at the identity)
 *             for (; hp5_fills_lanes(i_first, i_chunk_end, HP5_LANES); i_first += HP5_LANES) {
 *                 HP5_INDEPENDENT                    (where iterations write nothing that others touch)
 *                 for (int64_t lane = 0; lane < HP5_LANES; lane++) {
 *                     const int64_t i = i_first + lane;
 *                     sum_rows[lane] = hp5_sum_real(sum_rows[lane], x[i]);
 *                 }
 *             }
 *             …                                      (sum_lanes are these)
 *         } else { … }                               (sum_lanes start at the identity)
 *         …                                          (the same loop for fewer lanes: lane < i_chunk_end - i_first)
 *         hp5_tree_sum_real_add(&sum_tree, hp5_few_sum_real(sum_lanes, i_lanes));
 *     }
 *
 * Where the order makes no difference, it is a plain loop with `sum_so_far = hp5_sum_integer(sum_so_far, …)`. Of either kind the body may go in
 * lanes of its own, HP5_ABREAST iterations side by side (stage_lanes.c).
 */
#include "compiler/emit/cpu/stage.h"

#include <string.h>

#include "compiler/base/diag.h"

static Target *find_target(Writer *writer, const Var *var) {
    for (size_t i = 0; i < writer->targets.count; i++)
        if (writer->targets.items[i].var == var) return &writer->targets.items[i];
    internal_error("emit", "'%s' is not a reduction target of the stage", var->name);
}

static char *reduced_value(Writer *writer, const Stmt *stmt, const Target *target) {
    char *value = writer_expr(writer, stmt->value);
    const bool entry = stmt->reduce == REDUCE_MAX_ENTRY || stmt->reduce == REDUCE_MIN_ENTRY, product = stmt->reduce == REDUCE_PRODUCT;
    const bool exact = writer->emit->options.checked && target->formal->value_type->kind == TYPE_INTEGER && (product || stmt->reduce == REDUCE_SUM);
    if (exact) return arena_printf(writer->arena, "hp5_exact_%s(%s)", product ? "factor" : "term", value);
    if (!entry) return value;
    const char *index = writer->entry_index ? writer_find(writer, writer->entry_index) : "0";
    return arena_printf(writer->arena, "(%s){%s, %s}", emit_partial_type(writer->emit, target->formal), value, index);
}

void cpu_reduce(Writer *writer, const Stmt *stmt, int indent) {
    const Target *target = find_target(writer, stmt->target->var);
    char *value = reduced_value(writer, stmt, target);
    if (target->ordered && !(writer->lane && target->lanes))
        writer_line(writer, indent, "%s = hp5_%s_take(%s, %s);", target->tree, target->operation, target->tree, value);
    else if (target->ordered)
        writer_line(writer, indent, "%s[%s] = hp5_%s_take(%s[%s], %s);", target->lanes, writer->lane, target->operation,
                    target->lanes, writer->lane, value);
    else if (target->any_order)
        writer_line(writer, indent, "%s = hp5_%s(%s, %s);", target->tree, target->operation, target->tree, value);
    else if (!writer->lane)
        writer_line(writer, indent, "hp5_tree_%s_add(&%s, %s);", target->operation, target->tree, value);
    else
        writer_line(writer, indent, "%s[%s] = hp5_%s(%s[%s], %s);", target->lanes, writer->lane, target->operation,
                    target->lanes, writer->lane, value);
}

/* ---- Lanes -------------------------------------------------------------------------------------------- */
const char *cpu_order_type(const Formal *formal) { return formal->value_type->kind == TYPE_REAL_SINGLE ? "int32_t" : "int64_t"; }

/* Extrema of Reals beside a sum have lanes as well: they need not wait for each other. */
static bool has_lanes(const Target *target) { return !target->any_order || target->ordered; }

static const char *lane_type(const Writer *writer, const Target *target) {
    return target->ordered ? cpu_order_type(target->formal) : emit_partial_type(writer->emit, target->formal);
}

static void declare_lanes(Writer *writer, Target *target, const char *kind, int indent) {
    target->lanes = writer_fresh(writer, arena_printf(writer->arena, "%s_%s", emit_symbol(writer->emit, target->var), kind));
    writer_line(writer, indent, "%s %s[HP5_LANES];", lane_type(writer, target), target->lanes);
}

/* Gives the targets that have lanes, from number *at on; NULL: no more. */
static Target *next_target(Writer *writer, const Nest *nest, size_t *at) {
    while (*at < nest->reduction.targets.count) {
        Target *target = find_target(writer, nest->reduction.targets.items[(*at)++]->target->var);
        if (has_lanes(target)) return target;
    }
    return NULL;
}

/* The first `count` lanes of each start at the identity. */
static void clear_lanes(Writer *writer, const Nest *nest, const char *count, int indent) {
    size_t at = 0;
    for (const Target *target; (target = next_target(writer, nest, &at)) != NULL;)
        writer_line(writer, indent, "for (int l = 0; l < %s; l++) %s[l] = hp5_%s_%s();", count, target->lanes, target->operation,
                    target->ordered ? "start" : "identity");
}

static void begin_lanes(Writer *writer, const Nest *nest, int indent) {
    size_t at = 0;
    for (Target *target; (target = next_target(writer, nest, &at)) != NULL;) declare_lanes(writer, target, "lanes", indent);
    clear_lanes(writer, nest, "HP5_LANES", indent);
}

/* Of `count` lanes: HP5_LANES, or the C text of how many a short row has. */
static void end_chunk(Writer *writer, const Nest *nest, const char *count, int indent) {
    const bool all = strcmp(count, "HP5_LANES") == 0;
    size_t at = 0;
    for (const Target *target; (target = next_target(writer, nest, &at)) != NULL;) {
        const char *combined = all ? arena_printf(writer->arena, "hp5_lanes_%s(%s)", target->operation, target->lanes)
                                   : arena_printf(writer->arena, "%s == HP5_LANES ? hp5_lanes_%s(%s) : hp5_few_%s(%s, %s)", count, target->operation, target->lanes,
                                                  target->operation, target->lanes, count);
        if (target->ordered)
            writer_line(writer, indent, "for (int l = 0; l < %s; l++) %s = hp5_%s_more(%s, %s[l]);", count, target->tree,
                        target->operation, target->tree, target->lanes);
        else writer_line(writer, indent, "hp5_tree_%s_add(&%s, %s);", target->operation, target->tree, combined);
    }
}

/* The loop body with its filters, for one iteration whose lane is called `lane`. */
static void print_iteration(Writer *writer, const Nest *nest, const Loop *loop, const char *lane, int indent) {
    const char *outer_lane = writer->lane;
    const Var *outer_index = writer->entry_index;
    writer->lane = lane;
    writer->entry_index = loop->index->var;
    writer_filters(writer, loop, indent);
    writer_block(writer, &nest->stmt->body, indent);
    writer->lane = outer_lane;
    writer->entry_index = outer_index;
}

static bool index_is_used(const Nest *nest, const Loop *loop) {
    bool used = lower_block_mentions(&nest->stmt->body, loop->index->var);
    for (size_t i = 0; i < loop->index->filters.count; i++)
        used |= lower_expr_mentions(loop->index->filters.items[i], loop->index->var);
    for (size_t i = 0; i < nest->reduction.targets.count; i++)
        used |= nest->reduction.targets.items[i]->reduce == REDUCE_MAX_ENTRY || nest->reduction.targets.items[i]->reduce == REDUCE_MIN_ENTRY;
    return used;
}

static bool goes_in_rows(const Writer *writer, const Nest *nest) { return nest->lanes.rows && !writer->emit->options.checked; }

/* Of a row of lanes those that the body goes through side by side; the C text of the first one that is left. */
static const char *print_abreast(Writer *writer, const Nest *nest, const char *first, const char *lanes, int indent) {
    const char *done = writer_fresh(writer, "done"), *lane = writer_fresh(writer, "lane"), *outer_lane = writer->lane;
    writer_line(writer, indent, "int64_t %s = 0;", done);
    writer_line(writer, indent, "for (; hp5_fills_lanes(%s, %s, HP5_ABREAST); %s += HP5_ABREAST) {", done, lanes, done);
    writer->lane = arena_printf(writer->arena, "%s + %s", done, lane);
    writer_rows(writer, nest, arena_printf(writer->arena, "%s + %s", first, done), lane, indent + 4);
    writer->lane = outer_lane;
    writer_line(writer, indent, "}");
    return done;
}

/* ---- An interval: chunks of rows of lanes ---------------------------------------------------------------- */
/* A row of the chunk: its index and its first one. */
typedef struct Row { const Nest *nest; const Loop *loop; const char *index, *first, *lane; } Row;

/* Its lanes from `left` to before `lanes`. */
static void print_row(Writer *writer, const Row *row, const char *left, const char *lanes, int indent) {
    const Loop *loop = row->loop;
    const char *lane = row->lane;
    if (loop_may(loop, LOOP_PARALLEL) && !writer->emit->options.checked) writer_line(writer, indent, "HP5_INDEPENDENT");
    writer_line(writer, indent, "for (int64_t %s = %s; %s < %s; %s++) {", lane, left, lane, lanes, lane);
    if (index_is_used(row->nest, loop)) writer_line(writer, indent + 4, "const int64_t %s = %s + %s;", row->index, row->first, lane);
    print_iteration(writer, row->nest, loop, lane, indent + 4);
    writer_line(writer, indent, "}");
}

/* Rows whose body goes side by side in rows of its own, and what is left of each. */
static void print_rows_abreast(Writer *writer, const Row *row, const char *chunk, const char *chunk_end, int indent) {
    const char *first = row->first, *lanes = writer_fresh(writer, "lanes");
    begin_lanes(writer, row->nest, indent);
    writer_line(writer, indent, "for (int64_t %s = %s; %s < %s; %s += HP5_LANES) {", first, chunk, first, chunk_end, first);
    writer_line(writer, indent + 4, "const int64_t %s = hp5_min(HP5_LANES, %s - %s);", lanes, chunk_end, first);
    const char *left = print_abreast(writer, row->nest, first, lanes, indent + 4);
    print_row(writer, row, left, lanes, indent + 4);
    writer_line(writer, indent, "}");
}

/* Full rows have lanes in registers, from which those of the last one go on. A chunk that has no full row has `count` lanes. */
static void print_rows(Writer *writer, const Row *row, const char *chunk, const char *chunk_end, const char *count, int indent) {
    const char *first = row->first;
    size_t at = 0;
    writer_line(writer, indent, "int64_t %s = %s;", first, chunk);
    for (Target *target; (target = next_target(writer, row->nest, &at)) != NULL;) declare_lanes(writer, target, "lanes", indent);
    writer_line(writer, indent, "if (%s == HP5_LANES) {", count);
    at = 0;
    for (Target *target; (target = next_target(writer, row->nest, &at)) != NULL;) {
        target->kept = target->lanes;
        declare_lanes(writer, target, "rows", indent + 4);
    }
    clear_lanes(writer, row->nest, "HP5_LANES", indent + 4);
    writer_line(writer, indent + 4, "for (; hp5_fills_lanes(%s, %s, HP5_LANES); %s += HP5_LANES) {", first, chunk_end, first);
    print_row(writer, row, "0", "HP5_LANES", indent + 8);
    writer_line(writer, indent + 4, "}");
    at = 0;
    for (Target *target; (target = next_target(writer, row->nest, &at)) != NULL;) {
        writer_line(writer, indent + 4, "for (int l = 0; l < HP5_LANES; l++) %s[l] = %s[l];", target->kept, target->lanes);
        target->lanes = target->kept;
    }
    writer_line(writer, indent, "} else {");
    clear_lanes(writer, row->nest, count, indent + 4);
    writer_line(writer, indent, "}");
    print_row(writer, row, "0", arena_printf(writer->arena, "%s - %s", chunk_end, first), indent);
}

static void print_chunks(Writer *writer, const Nest *nest, const Loop *loop, int indent) {
    Arena *arena = writer->arena;
    const char *index = writer_declare(writer, loop->index->var);
    const char *chunk = writer_fresh(writer, arena_printf(arena, "%s_chunk", index));
    const char *end_name = writer_fresh(writer, arena_printf(arena, "%s_end", index));
    const char *chunk_end = writer_fresh(writer, arena_printf(arena, "%s_chunk_end", index));
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    writer_line(writer, indent, "for (int64_t %s = %s, %s = %s; %s < %s; %s += HP5_CHUNK) {", chunk, begin, end_name, end,
                chunk, end_name, chunk);
    writer_line(writer, indent + 4, "const int64_t %s = hp5_min(%s + HP5_CHUNK, %s);", chunk_end, chunk, end_name);
    const Row row = {nest, loop, index, writer_fresh(writer, arena_printf(arena, "%s_first", index)), writer_fresh(writer, "lane")};
    const char *count = "HP5_LANES";
    if (goes_in_rows(writer, nest)) {
        print_rows_abreast(writer, &row, chunk, chunk_end, indent + 4);
    } else {
        count = writer_fresh(writer, arena_printf(arena, "%s_lanes", index));
        writer_line(writer, indent + 4, "const int64_t %s = hp5_min(HP5_LANES, %s - %s);", count, chunk_end, chunk);
        print_rows(writer, &row, chunk, chunk_end, count, indent + 4);
    }
    end_chunk(writer, nest, count, indent + 4);
    writer_line(writer, indent, "}");
}

/* ---- Several runs: iterations are counted across them -------------------------------------------------------- */
static void print_counted(Writer *writer, const Nest *nest, const Loop *loop, int indent) {
    const char *number = writer_fresh(writer, arena_printf(writer->arena, "%s_number", loop->index->var->name));
    const char *lane = writer_fresh(writer, "lane");
    writer_line(writer, indent, "{");
    begin_lanes(writer, nest, indent + 4);
    writer_line(writer, indent + 4, "int64_t %s = 0;", number);
    int inside = writer_loop_begin(writer, loop, number, indent + 4);
    writer_line(writer, inside, "if (%s > 0 && %s %% HP5_CHUNK == 0) {", number, number);
    end_chunk(writer, nest, "HP5_LANES", inside + 4);
    clear_lanes(writer, nest, "HP5_LANES", inside + 4);
    writer_line(writer, inside, "}");
    writer_line(writer, inside, "const int64_t %s = %s++ %% HP5_LANES;", lane, number);
    print_iteration(writer, nest, loop, lane, inside);
    writer_loop_end(writer, inside, indent + 4);
    writer_line(writer, indent + 4, "if (%s > 0) {", number);
    end_chunk(writer, nest, "HP5_LANES", indent + 8);
    writer_line(writer, indent + 4, "}");
    writer_line(writer, indent, "}");
}

/* ---- Any order: a plain loop --------------------------------------------------------------------------------------- */
static void print_plain(Writer *writer, const Nest *nest, const Loop *loop, int indent) {
    const Var *outer_index = writer->entry_index;
    writer->independent = loop->role == ROLE_VECTOR;
    int inside = writer_loop_begin(writer, loop, NULL, indent);
    writer->independent = false;
    writer->entry_index = loop->index->var;
    writer_block(writer, &nest->stmt->body, inside);
    writer->entry_index = outer_index;
    writer_loop_end(writer, inside, indent);
}

void writer_reducing_loop(Writer *writer, const Nest *nest, int indent) {
    const Loop *loop = &nest->loops.items[nest->loops.count - 1];
    const bool in_lanes = goes_in_rows(writer, nest) || (nest->lanes.reduces && !writer->emit->options.checked);
    if (in_lanes && nest->reduction.any_order) writer_lanes(writer, nest, indent);
    else if (nest->small && !writer->strict) writer_small_loop(writer, nest, indent);
    else if (nest->reduction.any_order) print_plain(writer, nest, loop, indent);
    else if (loop->interval) print_chunks(writer, nest, loop, indent);
    else print_counted(writer, nest, loop, indent);
}
