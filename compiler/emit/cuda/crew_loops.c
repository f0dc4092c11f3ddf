/* Parallel loops on cards: the threads of a crew share the iterations of loops that are independent, so that neighbours in a warp have
 * neighbours in memory: two whose bounds do not depend on each other as one (abreast.c).
 *
 * Other ones get rows and columns of threads:
 *
 *     {
 *         const int64_t columns = hp5_columns(crew, …), row = crew.rank() / columns, rows = crew.size() / columns, column = crew.rank() % columns;
 *         for (int64_t i = begin + row, i_end = …; i < i_end; i += rows) {
 *             for (int64_t j = begin + column, j_end = …; j < j_end; j += columns) {
 *
 * What stands inside is one thread's. A product of matrices is one call, of all threads. All threads wait in front of the loops and behind them: what stands between parallel loops all of them
 * do alike, and may read what the loops write. */
#include "compiler/base/diag.h"
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/lower/passes.h"

/* ---- Roles ---------------------------------------------------------------------------------------------------------- */
static void note_unsteady(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX; }

/* The innermost loop is cut at one iteration (lower/cut.c), the same one for all of the loops around, which are independent: a crew shares each of its pieces. */
static bool goes_in_pieces(const Nest *nest) {
    if (nest->form != FORM_CUT || !lower_is_same_everywhere(nest, nest->cut)) return false;
    bool unsteady = lower_expr_has_effect(nest->cut);
    lower_walk_expr(&(Walk){note_unsteady, NULL, &unsteady}, nest->cut);
    for (size_t i = 0; i + 1 < nest->loops.count; i++)
        unsteady = unsteady || !loop_may(&nest->loops.items[i], LOOP_APART_ON_CARDS) || lower_bounds_mention(nest_innermost(nest)->index, nest->loops.items[i].index->var);
    return !unsteady;
}

/* A crew shares loops that are independent, outside of those that it does not share, which do not bound them. */
static bool is_shared(const Nest *nest, size_t l) {
    const LoopIndex *index = nest->loops.items[l].index;
    const bool in_pieces = l + 1 == nest->loops.count && goes_in_pieces(nest);
    if (nest->form == FORM_REDUCTION || (!in_pieces && !loop_may(&nest->loops.items[l], LOOP_APART_ON_CARDS))) return false;
    for (size_t i = 0; i < l; i++) {
        const Var *outside = nest->loops.items[i].index->var;
        bool named = lower_bounds_mention(index, outside);
        for (size_t f = 0; f < index->filters.count; f++) named |= lower_expr_mentions(index->filters.items[f], outside);
        if (named && !is_shared(nest, i)) return false;
    }
    return true;
}

/* A product that takes all iterations of three loops: the crew goes through it in tiles (runtime/card/product_tiles.h). */
static bool is_tiled(const Nest *nest) {
    const Product *p = nest->product;
    return nest->form == FORM_PRODUCT && nest->loops.count == 3 && p->bounds.count == 0 && !p->left.computed && !p->right.computed;
}

/* `checked`: each element is looked at where the program names it, not in tiles. */
static void schedule_nest(Nest *nest, bool checked) {
    if (!checked && is_tiled(nest)) {
        for (size_t i = 0; i < nest->loops.count; i++) nest->loops.items[i].role = ROLE_TILE;
        return;
    }
    for (size_t i = 0; i < nest->loops.count; i++) nest->loops.items[i].role = is_shared(nest, i) ? ROLE_THREAD : ROLE_SERIAL;
}

static void schedule_for_one(Nest *nest) {
    for (size_t i = 0; i < nest->loops.count; i++) nest->loops.items[i].role = ROLE_SERIAL;
}

void cuda_schedule(const TaskPlan *task, LoweredBody *code, PlanOptions options) {
    code->one_thread = cuda_by_one_thread(task, code->use->lps);
    for (size_t i = 0; i < code->nests.count; i++) {
        if (code->one_thread) schedule_for_one(code->nests.items[i]);
        else schedule_nest(code->nests.items[i], options.checked);
    }
}

/* ---- Loops of a crew ------------------------------------------------------------------------------------------------------ */
int cuda_shared_loop(Writer *writer, const Loop *loop, const char *first, const char *step, int indent) {
    Arena *arena = writer->arena;
    char *begin, *end;
    if (loop->interval) {
        writer_loop_bounds(writer, loop, NULL, &begin, &end);
        const char *index = writer_declare(writer, loop->index->var), *stop = writer_fresh(writer, arena_printf(arena, "%s_end", index));
        writer_line(writer, indent, "for (int64_t %s = %s + %s, %s = %s; %s < %s; %s += %s) {", index, begin, first, stop, end, index, stop, index, step);
        writer_filters(writer, loop, indent + 4);
        return indent + 4;
    }
    char *part = writer_part(writer, loop->domain_var, loop->dimension);
    writer_loop_bounds(writer, loop, part, &begin, &end); /* of its hull, and what bounds it */
    const char *index = writer_declare(writer, loop->index->var);
    const char *number = writer_fresh(writer, arena_printf(arena, "%s_number", index)), *count = writer_fresh(writer, arena_printf(arena, "%s_count", index));
    writer_line(writer, indent, "for (int64_t %s = %s, %s = hp5_set_count(&%s); %s < %s; %s += %s) {", number, first, count, part, number, count, number, step);
    writer_line(writer, indent + 4, "const int64_t %s = hp5_set_at(&%s, %s);", index, part, number);
    writer_line(writer, indent + 4, "if (%s < %s || %s >= %s) continue;", index, begin, index, end);
    if (loop->other_dimension >= 0)
        writer_line(writer, indent + 4, "if (!hp5_set_contains(&%s, %s)) continue;", writer_part(writer, loop->domain_var, loop->other_dimension), index);
    writer_filters(writer, loop, indent + 4);
    return indent + 4;
}

const char *cuda_rounds_text(Writer *writer, const Nest *nest, const Loop *loop) {
    const Expr *range = loop->index->domain_range;
    if (loop->domain_var) {
        char *part = writer_part(writer, loop->domain_var, loop->dimension);
        return arena_printf(writer->arena, "%s.end - %s.begin", part, part);
    }
    for (size_t i = 0; i < nest->loops.count; i++)
        if (lower_expr_mentions(range, nest->loops.items[i].index->var)) return "HP5_WARP_THREADS";
    return arena_printf(writer->arena, "hp5_range_length(%s)", writer_expr(writer, range));
}

typedef struct Threads {
    const char *row, *rows, *column, *columns;
} Threads;

static Threads print_threads(Writer *writer, const Nest *nest, size_t shared, int indent) {
    const Loop *last = NULL;
    for (size_t i = 0; i < nest->loops.count; i++)
        if (nest->loops.items[i].role == ROLE_THREAD) last = &nest->loops.items[i];
    if (shared == 1) return (Threads){NULL, NULL, "crew.rank()", "crew.size()"};
    const Threads threads = {writer_fresh(writer, "row"), writer_fresh(writer, "rows"), writer_fresh(writer, "column"), writer_fresh(writer, "columns")};
    writer_line(writer, indent, "const int64_t %s = hp5_columns(crew, %s);", threads.columns, cuda_rounds_text(writer, nest, last));
    writer_line(writer, indent, "const int64_t %s = crew.rank() %% %s;", threads.column, threads.columns);
    writer_line(writer, indent, "const int64_t %s = crew.rank() / %s, %s = crew.size() / %s;", threads.row, threads.columns, threads.rows, threads.columns);
    return threads;
}

static int print_head(Writer *writer, const CudaRounds *rounds, const Loop *loop, int indent) {
    writer_line(writer, indent, "%s {", rounds->head);
    writer_filters(writer, loop, indent + 4);
    return indent + 4;
}

/* The shared loops outside, and then the others. */
static void print_loops(Writer *writer, const Nest *nest, size_t shared, int indent) {
    const Shared loops = cuda_shared_loops(writer, nest);
    ExprVec elements = {0};
    const bool checked = writer->emit->options.checked; /* each element is looked at where it stands */
    const bool sums = !checked && cuda_accumulates(nest), rows = sums && cuda_rows(writer->arena, writer->code, nest, &elements);
    const bool walked = !rows && cuda_is_walked(nest, &loops);
    if (rows) cuda_note_block_memory(writer);
    writer_line(writer, indent, "{");
    const Threads threads = walked ? (Threads){0} : print_threads(writer, nest, shared, indent + 4);
    int inside = indent + 4;
    const char *here = NULL;
    writer->sharing = CREW_APART;
    const size_t abreast = walked && !checked ? cuda_abreast_count(writer, nest, &loops) : 0;
    for (size_t i = 0; i + (abreast > 2 ? abreast : 2) < shared; i++) inside = writer_loop_begin(writer, loops.items[i], NULL, inside);
    bool done = abreast > 0 && cuda_abreast(writer, nest, &loops, inside);
    if (walked && !done) {
        const CudaRounds rounds = cuda_rounds_of(writer, &loops, inside);
        done = shared == nest->loops.count && cuda_rounds(writer, nest, &rounds, cuda_round_body, inside);
        if (!done) inside = print_head(writer, &rounds, loops.items[shared - 1], inside);
    }
    if (!walked && shared > 1) inside = writer_fix_places(writer, nest, cuda_shared_loop(writer, loops.items[shared - 2], threads.row, threads.rows, inside));
    if (rows) inside = cuda_loop_in_step(writer, loops.items[shared - 1], threads.column, threads.columns, &here, inside);
    else if (!walked) inside = cuda_shared_loop(writer, loops.items[shared - 1], threads.column, threads.columns, inside);
    if (!rows && shared < nest->loops.count) inside = writer_fix_places(writer, nest, inside);
    for (size_t i = 0; i < nest->loops.count; i++) {
        const Loop *loop = &nest->loops.items[i];
        if (loop->role == ROLE_THREAD) continue;
        if (sums) cuda_accumulate(writer, nest, loop, &elements, here, inside);
        else if (!checked && shared + 1 == nest->loops.count && cuda_in_registers(writer, nest, loop, inside)) done = true;
        else inside = writer_loop_begin(writer, loop, NULL, inside);
    }
    if (!sums && !done) writer_block(writer, &nest->stmt->body, inside);
    writer->sharing = CREW_TOGETHER;
    writer_loop_end(writer, inside, indent + 4);
    writer_line(writer, indent, "}");
}

/* Threads wait between the pieces of a cut loop: what one of them reads the iteration at the cut writes, or the other way round.
 *
 *     {
 *         const int64_t j_begin = …, j_end = …;
 *         for (int64_t j_first = j_begin, j_stop; j_first < j_end; j_first = j_stop) {
 *             j_stop = hp5_piece_end(j_first, j_end, k);
 *             if (j_first > j_begin) crew.sync();
 *             … */
static void print_shared(Writer *writer, const Nest *nest, size_t shared, int indent) {
    const Loop *loop = nest_innermost(nest);
    if (nest->form != FORM_CUT || loop->role != ROLE_THREAD || loop_may(loop, LOOP_APART_ON_CARDS)) {
        print_loops(writer, nest, shared, indent);
        return;
    }
    const char *index = emit_symbol(writer->emit, loop->index->var), *names[4], *const ends[] = {"begin", "end", "first", "stop"};
    const int inside = indent + 4;
    char *begin, *end;
    for (size_t i = 0; i < 4; i++) names[i] = writer_fresh(writer, arena_printf(writer->arena, "%s_%s", index, ends[i]));
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    writer_line(writer, indent, "{");
    writer_line(writer, inside, "const int64_t %s = %s, %s = %s;", names[0], begin, names[1], end);
    writer_line(writer, inside, "for (int64_t %s = %s, %s; %s < %s; %s = %s) {", names[2], names[0], names[3], names[2], names[1], names[2], names[3]);
    writer_line(writer, inside + 4, "%s = hp5_piece_end(%s, %s, %s);", names[3], names[2], names[1], writer_expr(writer, nest->cut));
    writer_line(writer, inside + 4, "if (%s > %s) crew.sync();", names[2], names[0]);
    writer->piece_of = (LoopStretch){loop, names[2], names[3]};
    print_loops(writer, nest, shared, inside + 4);
    writer->piece_of = (LoopStretch){0};
    writer_line(writer, inside, "}");
    writer_line(writer, indent, "}");
}

/* ---- Nests ---------------------------------------------------------------------------------------------------------------- */
static size_t shared_loops(const Nest *nest) {
    size_t shared = 0;
    for (size_t i = 0; i < nest->loops.count; i++) shared += nest->loops.items[i].role == ROLE_THREAD;
    return shared;
}

typedef struct Inside {
    const LoweredBody *code;
    bool shares;
} Inside;

static void find_shared(void *data, const Stmt *stmt) {
    Inside *inside = data;
    const Nest *nest = stmt->kind == STMT_PARALLEL ? lower_nest_of(inside->code, stmt) : NULL;
    for (size_t i = 0; nest != NULL && i < nest->loops.count; i++) {
        const Loop *loop = &nest->loops.items[i];
        inside->shares = inside->shares || ((loop->role == ROLE_THREAD || loop->role == ROLE_TILE) && loop->domain_var != NULL);
    }
}

bool cuda_shares_inside(const LoweredBody *code, const Nest *nest) {
    Inside inside = {.code = code};
    lower_walk_block(&(Walk){NULL, find_shared, &inside}, &nest->stmt->body);
    return inside.shares;
}

static void find_reduce(void *data, const Stmt *stmt) { *(bool *)data |= stmt->kind == STMT_REDUCE; }

/* Loops inside of which others reduce: these are the crew's, one after the other. */
static bool reduces_inside(const Nest *nest) {
    bool reduces = false;
    lower_walk_block(&(Walk){NULL, find_reduce, &reduces}, &nest->stmt->body);
    return reduces && nest->form != FORM_REDUCTION;
}

/* One iteration after the other, by all threads: they share what stands inside. */
static bool goes_together(const LoweredBody *code, const Nest *nest, size_t shared) {
    if (reduces_inside(nest)) return true;
    return nest->form != FORM_REDUCTION && shared == 0 && nest_innermost(nest)->role != ROLE_TILE && cuda_shares_inside(code, nest);
}

CrewManner cuda_manner(const LoweredBody *code, const Nest *nest) {
    const size_t shared = shared_loops(nest);
    if (code->one_thread) return nest->form == FORM_REDUCTION ? CREW_FIRST_REDUCES : CREW_FIRST_RUNS;
    if (goes_together(code, nest, shared)) return CREW_AS_ONE;
    if (nest->form == FORM_REDUCTION) return cuda_reducing_manner(code, nest);
    if (nest_innermost(nest)->role == ROLE_TILE) return CREW_TILES;
    if (shared > 0) return CREW_SHARES;
    if (cuda_goes_alike(nest)) return CREW_GOES_ALIKE;
    return cuda_folds(nest) ? CREW_FOLDS : cuda_sums_in_order(nest) ? CREW_SUMS_IN_ORDER : CREW_FIRST_RUNS;
}

static void print_together(Writer *writer, const Nest *nest, int indent) {
    int inside = indent;
    for (size_t i = 0; i < nest->loops.count; i++) inside = writer_loop_begin(writer, &nest->loops.items[i], NULL, inside);
    writer->rounds++;
    writer_block(writer, &nest->stmt->body, inside);
    writer->rounds--;
    writer_loop_end(writer, inside, indent);
}

/* By teams, perhaps. */
static void print_sharing(Writer *writer, const Nest *nest, int indent) {
    const bool teams = cuda_teams(writer, nest, indent);
    print_shared(writer, nest, shared_loops(nest), teams ? indent + 8 : indent);
    if (teams) writer_loop_end(writer, indent + 8, indent);
    else cuda_remark_apart(writer, nest);
}

static void print_for_crew(Writer *writer, const Nest *nest, int outside) {
    const CrewManner manner = cuda_manner(writer->code, nest);
    const bool collects = manner == CREW_FOLDS || manner == CREW_SUMS_IN_ORDER; /* nobody writes, and what a team reads all wait for behind what writes it */
    const bool waits = manner != CREW_AS_ONE && manner != CREW_GOES_ALIKE && nest->stmt != writer->in_step && !(collects && writer->in_team);
    if (waits) writer_crew_waits(writer, outside);
    const int indent = writer_fix_places(writer, nest, outside);
    switch (manner) {
    case CREW_AS_ONE: print_together(writer, nest, indent); break;
    case CREW_SHARES: print_sharing(writer, nest, indent); break;
    case CREW_TILES:
        cuda_note_block_memory(writer);
        writer_multiply(writer, nest, indent);
        break;
    case CREW_FIRST_RUNS: cuda_by_first(writer, nest, cuda_one_by_one, indent); break;
    case CREW_FOLDS: cuda_fold(writer, nest, indent); break;
    case CREW_SUMS_IN_ORDER: cuda_sum_in_order(writer, nest, indent); break;
    case CREW_GOES_ALIKE: cuda_go_alike(writer, nest, indent); break;
    default: cuda_reducing_nest(writer, nest, manner, indent); break;
    }
    writer_loop_end(writer, indent, outside);
    if (waits) writer_crew_waits(writer, outside);
}

/* Of a stage that gives its elements to others: the loop that computes them, not one inside of it. */
static bool is_given(const Writer *writer, const Stmt *stmt) {
    return writer->relay != NULL && writer->relay->gives != NULL && vec_last(&writer->body->block.statements) == stmt;
}

void cuda_parallel(Writer *writer, const Stmt *stmt, int outside) {
    const Nest *nest = lower_nest_of(writer->code, stmt);
    const size_t mark = writer->scope.count, fixed = writer->fixed.count;
    if (is_given(writer, stmt)) cuda_give(writer, nest, outside);
    else if (writer->crew != NULL && writer->sharing == CREW_TOGETHER) {
        print_for_crew(writer, nest, outside);
    } else {
        const int indent = writer_fix_places(writer, nest, outside);
        cuda_one_by_one(writer, nest, indent);
        writer_loop_end(writer, indent, outside);
    }
    writer->scope.count = mark;
    writer->fixed.count = fixed;
}

/* The task that the stage belongs to. */
static const TaskPlan *task_of(const Emit *emit, const LoweredStage *stage) {
    for (size_t t = 0; t < emit->lowered->tasks.count; t++)
        for (size_t i = 0; i < emit->lowered->tasks.items[t]->stages.count; i++)
            if (emit->lowered->tasks.items[t]->stages.items[i] == stage) return emit->lowered->tasks.items[t]->plan;
    internal_error("emit", "a stage belongs to no task");
}

void cuda_stage(Emit *emit, const LoweredStage *stage, Text *out) {
    const TaskPlan *task = task_of(emit, stage);
    const StageUse *use = stage->code.use;
    writer_stage(emit, stage, &(CrewStage){cuda_tier(task, use->lps), cuda_relay_stage(emit, use), cuda_first_in_step(emit, task, stage)}, out);
}
