/* Reductions on cards, in the order of runtime/array/reduce.h: 32 lanes are the threads of a warp; the warps of the crew take chunks of the innermost loop, of all rounds of those around it
 * that are independent, and what they have is joined in the order of the chunks (runtime/card/chunks.h):
 *
 *     const int64_t i_begin = …, i_rounds = hp5_max(0, … - i_begin);
 *     for (Hp5Chunks chunks(worker, crew, i_rounds, j_begin, j_end, sum_tree.count); chunks.next_batch();) {
 *         Hp5Tree_sum_real sum_own;
 *         for (sum_own.count = 0; chunks.next();) {
 *             const int64_t i = i_begin + chunks.run;
 *             double sum_lane = hp5_sum_real_identity();
 *             for (int64_t j = chunks.first + crew.lane(); j < chunks.last; j += HP5_LANES) {
 *                 sum_lane = hp5_sum_real(sum_lane, x[i * x_ld1 + j]);
 *             }
 *             hp5_add_chunk<Hp5Of_sum_real>(&sum_own, sum_lane);
 *         }
 *         hp5_add_batch<Hp5Of_sum_real>(crew, &sum_tree, sum_own, &chunks);
 *     }
 *
 * Where the order makes no difference, each thread has a result of its own, and they are joined at the end of the stage. What rounds read comes for several of them at a time (early.c):
 *
 *     hp5_rounds_abreast<8>(chunks.first + crew.lane(), chunks.last, HP5_LANES, hp5_gives([&](int64_t j) {
 *         struct Hp5Read { double x_here1; };
 *         return Hp5Read{x[i * x_ld1 + j]};
 *     }, [&](int64_t j, const auto &read) {
 *         sum_lane = hp5_sum_real(sum_lane, read.x_here1);
 *     })); */
#include <string.h>
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
/* The targets whose results have an order. */
typedef VEC(Target *) Ordered;

static Ordered ordered_targets(Writer *writer, const Nest *nest) {
    Ordered targets = {0};
    for (size_t i = 0; i < nest->reduction.targets.count; i++) {
        Target *target = find_target(writer, nest->reduction.targets.items[i]->target->var);
        if (!target->any_order) vec_push(writer->arena, &targets, target);
    }
    return targets;
}

static const char *of_target(Writer *writer, const Target *target, const char *part) {
    return writer_fresh(writer, arena_printf(writer->arena, "%s_%s", emit_symbol(writer->emit, target->var), part));
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

static void print_apart(Writer *writer, const Nest *nest, int indent) { print_iteration(writer, nest, nest_innermost(nest), CREW_APART, indent); }

/* Each thread's rounds of the innermost loop, or of two as one. */
static void print_rounds(Writer *writer, const Nest *nest, const CudaRounds *rounds, bool unrolled, int indent) {
    if (cuda_rounds(writer, nest, rounds, print_apart, indent)) return;
    if (unrolled) writer_line(writer, 0, "#pragma unroll 4");
    writer_line(writer, indent, "%s {", rounds->head);
    writer_filters(writer, nest_innermost(nest), indent + 4);
    print_apart(writer, nest, indent + 4);
    writer_line(writer, indent, "}");
}

size_t cuda_first_of_runs(const Nest *nest) {
    size_t first = nest->loops.count - 1;
    while (first > 0 && cuda_is_plain(&nest->loops.items[first - 1]) && loop_may(&nest->loops.items[first - 1], LOOP_PARALLEL)) first--;
    return loop_may(nest_innermost(nest), LOOP_RECTANGULAR) ? first : nest->loops.count - 1;
}

typedef struct Run { const char *begin, *rounds; } Run;

/* Bounds of the loops around; how many runs that makes. */
static const char *print_runs(Writer *writer, const Nest *nest, size_t first, Run *runs, int indent) {
    const char *count = NULL;
    for (size_t i = first; i + 1 < nest->loops.count; i++) {
        char *begin, *end;
        const char *name = nest->loops.items[i].index->var->name;
        writer_loop_bounds(writer, &nest->loops.items[i], NULL, &begin, &end);
        runs[i] = (Run){writer_fresh(writer, arena_printf(writer->arena, "%s_begin", name)), writer_fresh(writer, arena_printf(writer->arena, "%s_rounds", name))};
        writer_line(writer, indent, "const int64_t %s = %s, %s = hp5_max((int64_t)0, %s - %s);", runs[i].begin, begin, runs[i].rounds, end, runs[i].begin);
        count = count ? arena_printf(writer->arena, "%s * %s", count, runs[i].rounds) : runs[i].rounds;
    }
    return count ? count : "1";
}

/* The indices of the loops around, from the number of the run. */
static void print_run(Writer *writer, const Nest *nest, size_t first, const Run *runs, const char *chunks, int indent) {
    const char *inside = NULL;
    VEC(const char *) lines = {0};
    for (size_t i = nest->loops.count - 1; i-- > first;) {
        const char *index = writer_declare(writer, nest->loops.items[i].index->var), *number = arena_printf(writer->arena, inside ? "%s.run / (%s)" : "%s.run", chunks, inside);
        if (i > first) number = arena_printf(writer->arena, "%s %% %s", number, runs[i].rounds);
        vec_push(writer->arena, &lines, arena_printf(writer->arena, "[[maybe_unused]] const int64_t %s = %s + %s;", index, runs[i].begin, number));
        inside = inside ? arena_printf(writer->arena, "%s * %s", runs[i].rounds, inside) : runs[i].rounds;
    }
    while (lines.count > 0) writer_line(writer, indent, "%s", lines.items[--lines.count]);
}

static void print_chunks(Writer *writer, const Nest *nest, size_t first_run, int outside) {
    Arena *arena = writer->arena;
    const bool has_runs = first_run + 1 < nest->loops.count;
    const int indent = has_runs ? outside + 4 : outside;
    const Loop *loop = nest_innermost(nest);
    const Ordered targets = ordered_targets(writer, nest);
    const bool alone = strcmp(writer->crew, "HP5_WARP_TIER") == 0;
    Run runs[nest->loops.count];
    char *begin, *end;
    if (has_runs) writer_line(writer, outside, "{");
    const char *own[targets.count + 1], *counts = NULL, *chunks = writer_fresh(writer, "chunks"), *count = print_runs(writer, nest, first_run, runs, indent);
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    for (size_t i = 0; i < targets.count; i++) counts = arena_printf(arena, "%s%s%s.count", counts ? counts : "", counts ? " | " : "", targets.items[i]->tree);
    writer_line(writer, indent, "for (Hp5Chunks %s(worker, crew, %s, %s, %s, %s); %s.next_batch();) {", chunks, count, begin, end, counts ? counts : "0", chunks);
    for (size_t i = 0; i < targets.count; i++) {
        own[i] = alone ? targets.items[i]->tree : of_target(writer, targets.items[i], "own");
        if (alone) continue;
        writer_line(writer, indent + 4, "Hp5Tree_%s %s;", targets.items[i]->operation, own[i]);
        writer_line(writer, indent + 4, "%s.count = 0;", own[i]);
    }
    writer_line(writer, indent + 4, "while (%s.next()) {", chunks);
    print_run(writer, nest, first_run, runs, chunks, indent + 8);
    for (size_t i = 0; i < targets.count; i++) {
        targets.items[i]->lanes = of_target(writer, targets.items[i], "lane");
        writer_line(writer, indent + 8, "%s %s = hp5_%s_identity();", emit_partial_type(writer->emit, targets.items[i]->formal), targets.items[i]->lanes, targets.items[i]->operation);
    }
    const char *index = writer_declare(writer, loop->index->var);
    const CudaRounds rounds = {arena_printf(arena, "%s.first + crew.lane(), %s.last, HP5_LANES", chunks, chunks), arena_printf(arena, "[[maybe_unused]] int64_t %s", index),
                               arena_printf(arena, "for (int64_t %s = %s.first + crew.lane(); %s < %s.last; %s += HP5_LANES)", index, chunks, index, chunks, index)};
    print_rounds(writer, nest, &rounds, false, indent + 8);
    for (size_t i = 0; i < targets.count; i++) {
        writer_line(writer, indent + 8, "hp5_add_chunk<Hp5Of_%s>(&%s, %s);", targets.items[i]->operation, own[i], targets.items[i]->lanes);
        targets.items[i]->lanes = NULL;
    }
    writer_line(writer, indent + 4, "}");
    for (size_t i = 0; i < targets.count && !alone; i++)
        writer_line(writer, indent + 4, "hp5_add_batch<Hp5Of_%s>(crew, &%s, %s, &%s);", targets.items[i]->operation, targets.items[i]->tree, own[i], chunks);
    writer_line(writer, indent, "}");
    if (has_runs) writer_line(writer, outside, "}");
}

/* ---- Any order ------------------------------------------------------------------------------------------------------ */
/* Each thread has a result so far: the iterations go round. Where there are loops along arrays inside, these are shared, and one iteration follows the
 * other: rows that lie apart in memory are not read side by side. */
static void print_any_order(Writer *writer, const Nest *nest, const Loop *loop, bool inside, int indent) {
    if (!inside && loop->interval) {
        Shared alone = {0};
        vec_push(writer->arena, &alone, loop);
        const CudaRounds rounds = cuda_rounds_of(writer, &alone, indent);
        print_rounds(writer, nest, &rounds, false, indent);
        return;
    }
    const int body = inside ? writer_loop_begin(writer, loop, NULL, indent) : cuda_shared_loop(writer, loop, "crew.rank()", "crew.size()", indent);
    print_iteration(writer, nest, loop, inside ? CREW_TOGETHER : CREW_APART, body);
    writer_loop_end(writer, body, indent);
}

enum { LONG = 80 /* expressions of a round */ };

static void note_length(void *data, const Expr *expr) { *(int *)data += expr->kind == EXPR_CALL ? LONG : 1; }

/* The innermost two loops as one: rows that are shorter than a crew leave no thread without a round, their bounds are asked for once, and what
 * several rounds read is on its way at a time, if that is little text. */
static void print_square(Writer *writer, const Nest *nest, int indent) {
    Shared loops = {0};
    vec_push(writer->arena, &loops, &nest->loops.items[nest->loops.count - 2]);
    vec_push(writer->arena, &loops, nest_innermost(nest));
    int length = 0;
    lower_walk_block(&(Walk){note_length, NULL, &length}, &nest->stmt->body);
    writer_line(writer, indent, "{");
    const CudaRounds rounds = cuda_rounds_of(writer, &loops, indent + 4);
    print_rounds(writer, nest, &rounds, length < LONG, indent + 4);
    writer_line(writer, indent, "}");
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

static bool may_be_apart(const Nest *nest) { return loop_may(nest_innermost(nest), LOOP_APART_ON_CARDS) && !reduces_deeper(nest); }

CrewManner cuda_reducing_manner(const LoweredBody *code, const Nest *nest) {
    const Loop *loop = nest_innermost(nest);
    const bool inside = cuda_shares_inside(code, nest);
    if (nest->reduction.any_order && (may_be_apart(nest) || inside)) return inside ? CREW_REDUCES_INSIDE : CREW_REDUCES_EACH;
    /* chunks of parts with gaps are counted across the runs */
    return loop->interval && loop_may(loop, LOOP_PARALLEL) ? CREW_REDUCES_CHUNKS : CREW_FIRST_REDUCES;
}

/* ---- Short rows ------------------------------------------------------------------------------------------------------ */
typedef struct Longest {
    Writer *writer;
    const char *rounds;
    bool unknown;
} Longest;

/* Of loops inside which a crew would share. */
static void note_loop(void *data, const Stmt *stmt) {
    Longest *longest = data;
    const Nest *nest = stmt->kind == STMT_PARALLEL ? lower_nest_of(longest->writer->code, stmt) : NULL;
    for (size_t i = 0; nest != NULL && i < nest->loops.count; i++) {
        const Loop *loop = &nest->loops.items[i];
        if (loop->role != ROLE_THREAD) continue;
        longest->unknown |= loop->domain_var == NULL || nest->loops.count > 1;
        if (longest->unknown) return;
        const char *rounds = cuda_rounds_text(longest->writer, nest, loop);
        longest->rounds = longest->rounds ? arena_printf(longest->writer->arena, "hp5_max(%s, %s)", longest->rounds, rounds) : rounds;
    }
}

/* How long rows inside are, at most; NULL: that is not known in front of them, or threads must not have rows of their own. */
static const char *length_inside(Writer *writer, const Nest *nest) {
    Longest longest = {writer, NULL, false};
    if (may_be_apart(nest)) lower_walk_block(&(Walk){NULL, note_loop, &longest}, &nest->stmt->body);
    return longest.unknown ? NULL : longest.rounds;
}

/* Short rows are a thread's each, if there are enough of them: all threads together would wait several times for each. */
static void print_inside(Writer *writer, const Nest *nest, const Loop *loop, int indent) {
    const char *length = length_inside(writer, nest);
    const size_t scope = writer->scope.count, fixed = writer->fixed.count;
    if (length == NULL || loop->domain_var == NULL) {
        print_any_order(writer, nest, loop, true, indent);
        return;
    }
    writer_line(writer, indent, "if (hp5_rows_are_short(crew, hp5_set_count(&%s), %s)) {", writer_part(writer, loop->domain_var, loop->dimension), length);
    print_any_order(writer, nest, loop, false, indent + 4);
    writer->scope.count = scope;
    writer->fixed.count = fixed;
    writer_line(writer, indent, "} else {");
    print_any_order(writer, nest, loop, true, indent + 4);
    writer_line(writer, indent, "}");
}

void cuda_reducing_nest(Writer *writer, const Nest *nest, CrewManner manner, int indent) {
    const Loop *loop = nest_innermost(nest);
    const bool square = manner == CREW_REDUCES_EACH && cuda_is_square(nest);
    const size_t first = manner == CREW_REDUCES_CHUNKS ? cuda_first_of_runs(nest) : nest->loops.count - (square ? 2 : 1);
    int inside = indent;
    for (size_t i = 0; i < first; i++) inside = writer_loop_begin(writer, &nest->loops.items[i], NULL, inside);
    if (manner == CREW_FIRST_REDUCES) cuda_by_first(writer, nest, writer_reducing_loop, inside);
    else if (square) print_square(writer, nest, inside);
    else if (manner == CREW_REDUCES_CHUNKS) print_chunks(writer, nest, first, inside);
    else if (manner == CREW_REDUCES_INSIDE) print_inside(writer, nest, loop, inside);
    else print_any_order(writer, nest, loop, false, inside);
    writer_loop_end(writer, inside, indent);
}
