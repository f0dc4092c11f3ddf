/* What a stage costs, as tables and a function of its own beside the stage function (runtime/predict/cost.h): one
 * table entry for each straight-line block (compiler/cost/count.h), and a function that mirrors the stage's loops.
 *
 * The function computes how often loops run and nothing else. What it needs for that is kept of the stage: parameters,
 * and assignments to locals from which bounds follow (`computable` below). A loop whose index other bounds or tests
 * name is walked at some of its indices, all others are only counted. Elements that bounds depend on are
 * read where they are, or taken for zero. Where the number of rounds cannot be told the loop counts as one. */
#include "compiler/emit/program/writer.h"
#include "compiler/cost/count.h"
#include "compiler/lower/rounds.h"

#include <string.h>

enum { MOST_LOOPS = 16 };

typedef struct CostWriter {
    Writer writer;
    const LoweredStage *stage;
    const StageUse *use;
    const char *cost, *views, *counts; /* C names */
    Text tables, entries;              /* accesses of the blocks; the blocks */
    int blocks;
    VEC(const Var *) indices;          /* of the open loops, outermost first */
    VEC(const Var *) kept;             /* locals that the function computes, too */
} CostWriter;

/* ---- What is kept ------------------------------------------------------------------------------------------- */
static bool is_kept(const CostWriter *w, const Var *var) {
    for (size_t i = 0; i < w->kept.count; i++)
        if (w->kept.items[i] == var) return true;
    return false;
}

typedef struct Assignments {
    const Var *var;
    int count, depth, inside; /* inside: in loops, or in other ways than by a plain assignment */
    bool own;                 /* the value names the variable itself */
    VEC(const Expr *) values;
    Arena *arena;
} Assignments;

static void find_assignments(Assignments *found, const Block *block, int depth, int home) {
    for (size_t i = 0; i < block->locals.count; i++)
        if (block->locals.items[i] == found->var) home = depth;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        bool loop = stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_WHILE;
        find_assignments(found, &stmt->body, depth + loop, home);
        if (stmt->otherwise) find_assignments(found, stmt->otherwise, depth, home);
        if (stmt->kind == STMT_EXTERN && lower_stmt_writes(stmt, found->var) > 0) found->inside++;
        if (stmt->kind != STMT_ASSIGN || lower_place_root(stmt->target) != found->var) continue;
        found->count++;
        found->own |= lower_expr_mentions(stmt->value, found->var) || stmt->accumulate != ACCUMULATE_NONE;
        if (depth > home) found->inside++;
        vec_push(found->arena, &found->values, stmt->value);
    }
}

typedef struct Names { CostWriter *w; bool fine; bool keep; int depth; } Names;

static bool computable(CostWriter *w, const Expr *expr, bool keep, int depth);

/* A local whose value follows from parameters and indices by assignments outside the loops below its block. */
static bool computable_local(CostWriter *w, const Var *var, bool keep, int depth) {
    if (is_kept(w, var)) return true;
    if (depth > 16) return false;
    Assignments found = {.var = var, .arena = w->writer.arena};
    find_assignments(&found, &w->use->stage->body.block, 0, 0);
    if (found.count == 0 || found.own || found.inside > 0) return false;
    for (size_t i = 0; i < found.values.count; i++)
        if (!computable(w, found.values.items[i], false, depth + 1)) return false;
    if (!keep) return true;
    vec_push(w->writer.arena, &w->kept, var);
    for (size_t i = 0; i < found.values.count; i++) computable(w, found.values.items[i], true, depth + 1);
    return true;
}

static void check_name(void *data, const Expr *expr) {
    Names *names = data;
    switch (expr->kind) {
    case EXPR_VAR:
        if (expr->var->kind == VAR_LOCAL) names->fine &= computable_local(names->w, expr->var, names->keep, names->depth);
        break;
    case EXPR_CALL:
        for (size_t i = 0; i < expr->function->body.params.count; i++)
            names->fine &= !expr->function->body.params.items[i]->by_reference;
        break;
    case EXPR_NEW_LIST: case EXPR_NEW_ARRAY: case EXPR_NEW_STRUCT: case EXPR_STRING: names->fine = false; break;
    case EXPR_BINARY: /* nothing that may end the program */
        if ((expr->op == OP_DIV || expr->op == OP_MOD || expr->op == OP_POW) && expr->type->kind == TYPE_INTEGER)
            names->fine &= expr->right->kind == EXPR_INTEGER && expr->right->integer > 0;
        break;
    default: break;
    }
}

/* Whether the function can compute the expression; `keep`: it will have to. */
static bool computable(CostWriter *w, const Expr *expr, bool keep, int depth) {
    Names names = {w, true, keep, depth};
    lower_walk_expr(&(Walk){check_name, NULL, &names}, expr);
    return names.fine;
}

static bool keep_all(CostWriter *w, const ExprVec *expressions) {
    bool fine = true;
    for (size_t i = 0; i < expressions->count; i++) fine &= computable(w, expressions->items[i], false, 0);
    for (size_t i = 0; i < expressions->count && fine; i++) computable(w, expressions->items[i], true, 0);
    return fine;
}

/* What a loop's trips and tests are computed from. */
static ExprVec loop_inputs(Arena *arena, const Stmt *stmt) {
    ExprVec inputs = {0};
    for (size_t i = 0; i < stmt->indices.count; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        if (index->domain_range) vec_push(arena, &inputs, index->domain_range);
        for (size_t b = 0; b < index->lower.count; b++) vec_push(arena, &inputs, index->lower.items[b]);
        for (size_t b = 0; b < index->upper.count; b++) vec_push(arena, &inputs, index->upper.items[b]);
    }
    if (stmt->kind == STMT_SEQUENCE) {
        vec_push(arena, &inputs, stmt->value);
        if (stmt->step) vec_push(arena, &inputs, stmt->step);
    }
    return inputs;
}

static bool has_loops(const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (lower_short_rounds(stmt) > 0) continue; /* counts as straight-line code */
        if (stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_WHILE) return true;
        if (has_loops(&stmt->body) || (stmt->otherwise && has_loops(stmt->otherwise))) return true;
    }
    return false;
}

static bool filters_computable(CostWriter *w, const LoopIndex *index, bool keep) {
    for (size_t f = 0; f < index->filters.count; f++)
        if (!computable(w, index->filters.items[f], keep, 0)) return false;
    return true;
}

static bool is_told(const CostWriter *w, const Block *block);

/* Collects what all loops, their tests and the choices around loops and around what is kept need. */
static void find_kept(CostWriter *w, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (lower_short_rounds(stmt) > 0) continue;
        ExprVec inputs = loop_inputs(w->writer.arena, stmt);
        keep_all(w, &inputs);
        for (size_t l = 0; l < stmt->indices.count; l++)
            if (filters_computable(w, &stmt->indices.items[l], false)) filters_computable(w, &stmt->indices.items[l], true);
        bool told = stmt->kind == STMT_IF && (is_told(w, &stmt->body) || is_told(w, stmt->otherwise));
        if (told && computable(w, stmt->value, false, 0)) computable(w, stmt->value, true, 0);
        find_kept(w, &stmt->body);
        if (stmt->otherwise) find_kept(w, stmt->otherwise);
    }
}

/* ---- Blocks -------------------------------------------------------------------------------------------------------- */
static int view_number(const CostWriter *w, const Var *var) {
    int number = 0;
    for (size_t i = 0; i < w->use->formals.count; i++) {
        const Formal *formal = &w->use->formals.items[i];
        if (formal->kind != FORMAL_VIEW) continue;
        if (formal->var == var) return number;
        number++;
    }
    return -1;
}

static void print_numbers(Text *out, const char *name, const double *values, int count) {
    int last = count;
    while (last > 0 && values[last - 1] == 0) last--;
    if (last == 0) return;
    text_printf(out, ", .%s = {", name);
    for (int i = 0; i < last; i++) text_printf(out, "%s%g", i > 0 ? ", " : "", values[i]);
    text_char(out, '}');
}

static void print_field(Text *out, const char *name, double value) {
    if (value != 0) text_printf(out, ", .%s = %g", name, value);
}

static void print_access(CostWriter *w, const CountAccess *access, Text *out) {
    double moves[MAX_RANK], spread[MAX_RANK], anywhere[MAX_RANK];
    for (int d = 0; d < MAX_RANK; d++) {
        moves[d] = access->moves[d];
        spread[d] = (double)access->high[d] - (double)access->low[d];
        if (spread[d] > 1e9) spread[d] = 1e9;
        anywhere[d] = access->anywhere[d];
    }
    text_printf(out, "    {.view = %d", view_number(w, access->var));
    print_field(out, "lag", access->lag);
    print_field(out, "reads", access->reads);
    print_field(out, "writes", access->writes);
    print_numbers(out, "moves", moves, MAX_RANK);
    print_numbers(out, "spread", spread, MAX_RANK);
    print_numbers(out, "anywhere", anywhere, MAX_RANK);
    text_printf(out, "}, /* %s */\n", access->var->name);
}

static void print_entry(CostWriter *w, const Count *count, bool multiply, int accesses, int line) {
    Text *out = &w->entries;
    text_printf(out, "    {.line = %d", line);
    print_field(out, "reals", count->reals);
    print_field(out, "fused", count->fused);
    print_field(out, "integers", count->integers);
    print_field(out, "divisions", count->divisions);
    print_field(out, "functions", count->functions);
    print_field(out, "chain", multiply ? 0 : count->chain);
    print_field(out, "lanes", multiply ? (count->lanes > 0 ? count->lanes : 8) : count->lanes);
    if (multiply) text_append(out, ", .multiply = true");
    print_field(out, "gathers", count->gathers);
    print_field(out, "reductions", count->reductions);
    if (count->partial) text_append(out, ", .partial = true");
    if (accesses > 0) text_printf(out, ", .access_count = %d, .accesses = %s_%d", accesses, w->counts, w->blocks);
    text_append(out, "},\n");
}

/* The straight-line code of a block, in the loops that are open. */
static void block_text(CostWriter *w, const Block *block, const Nest *nest, bool sequential, Span span, int indent) {
    CountPlace place = {w->writer.emit->lowered, w->stage, w->indices.items, w->indices.count, nest, sequential};
    Count count = cost_count(w->writer.arena, &place, block);
    if (cost_is_empty(&count)) return;
    Text accesses = {0};
    int printed = 0;
    for (size_t i = 0; i < count.accesses.count; i++) {
        if (view_number(w, count.accesses.items[i].var) < 0) continue;
        print_access(w, &count.accesses.items[i], &accesses);
        printed++;
    }
    bool multiply = nest && nest->form == FORM_PRODUCT;
    if (multiply && nest->product->sum.element->type->kind == TYPE_REAL_SINGLE) count.lanes = 4;
    if (printed > 0) text_printf(&w->tables, "static const Hp5CostAccess %s_%d[] = {\n%s};\n", w->counts, w->blocks, accesses.data);
    print_entry(w, &count, multiply, printed, emit_line(w->writer.emit, span));
    text_free(&accesses);
    writer_line(&w->writer, indent, "hp5_cost_block(%s, &%s[%d], %s);", w->cost, w->counts, w->blocks, w->views);
    w->blocks++;
}

/* ---- Loops ----------------------------------------------------------------------------------------------------------- */
static void body_text(CostWriter *w, const Block *block, int indent);

/* Whether anything that is computed inside names the index. */
static bool index_is_needed(CostWriter *w, const Nest *nest, size_t l) {
    const Var *var = nest->loops.items[l].index->var;
    for (size_t k = l; k < nest->loops.count; k++) {
        const LoopIndex *inner = nest->loops.items[k].index;
        for (size_t i = 0; i < inner->filters.count; i++)
            if (filters_computable(w, inner, false) && lower_expr_mentions(inner->filters.items[i], var)) return true;
        if (k == l) continue;
        if (inner->domain_range && lower_expr_mentions(inner->domain_range, var)) return true;
        for (size_t i = 0; i < inner->lower.count; i++)
            if (lower_expr_mentions(inner->lower.items[i], var)) return true;
        for (size_t i = 0; i < inner->upper.count; i++)
            if (lower_expr_mentions(inner->upper.items[i], var)) return true;
    }
    return false;
}

static bool has_kept_assignments(const CostWriter *w, const Block *block);

static bool is_told(const CostWriter *w, const Block *block) {
    return block != NULL && (has_loops(block) || has_kept_assignments(w, block));
}

typedef struct Need { CostWriter *w; const Var *var; bool found; } Need;

static void find_need(void *data, const Stmt *stmt) {
    Need *need = data;
    if (lower_short_rounds(stmt) > 0) return;
    ExprVec inputs = loop_inputs(need->w->writer.arena, stmt);
    for (size_t i = 0; i < inputs.count; i++) need->found |= lower_expr_mentions(inputs.items[i], need->var);
    for (size_t l = 0; l < stmt->indices.count; l++)
        for (size_t f = 0; f < stmt->indices.items[l].filters.count; f++)
            need->found |= lower_expr_mentions(stmt->indices.items[l].filters.items[f], need->var);
    if (stmt->kind == STMT_IF && (is_told(need->w, &stmt->body) || is_told(need->w, stmt->otherwise)))
        need->found |= lower_expr_mentions(stmt->value, need->var);
    if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && is_kept(need->w, stmt->target->var))
        need->found |= lower_expr_mentions(stmt->value, need->var);
}

static bool body_needs(CostWriter *w, const Block *block, const Var *var) {
    Need need = {w, var, false};
    lower_walk_block(&(Walk){NULL, find_need, &need}, block);
    return need.found;
}

/* Opens a loop that is walked: `first` is C text of the index at position `at`. */
static int open_sample(CostWriter *w, const Var *index, const char *trips, const char *(*at)(void *, const char *), void *data, int indent) {
    Writer *writer = &w->writer;
    const char *sample = writer_fresh(writer, arena_printf(writer->arena, "%s_sample", index->name));
    writer_line(writer, indent, "for (Hp5CostSample %s = hp5_cost_sample(%s, %s); hp5_cost_next(%s, &%s);) {", sample, w->cost, trips,
                w->cost, sample);
    const char *value = at(data, arena_printf(writer->arena, "%s.at", sample));
    writer_line(writer, indent + 4, "const int64_t %s = %s;", writer_declare(writer, index), value);
    return indent + 4;
}

typedef struct IndexAt { CostWriter *w; const Loop *loop; const char *begin, *step, *range; } IndexAt;

static const char *loop_index_at(void *data, const char *at) {
    const IndexAt *index = data;
    Arena *arena = index->w->writer.arena;
    if (!index->loop->domain_var) return arena_printf(arena, "%s + %s", index->begin, at);
    return arena_printf(arena, "hp5_cost_pick(&%s, %s, %s)",
                        writer_part(&index->w->writer, index->loop->domain_var, index->loop->dimension), index->begin, at);
}

static const char *step_index_at(void *data, const char *at) {
    const IndexAt *index = data;
    return arena_printf(index->w->writer.arena, "hp5_first_step(%s, %s) + %s * (%s)", index->range, index->step, at, index->step);
}

/* C text: how often a loop runs, and, where it goes over the runs of a part, the arguments that say so, else NULL. */
typedef struct Trips { const char *count, *of_part; } Trips;

static Trips trips_of_part(Arena *arena, const char *part, const char *begin, const char *end) {
    const char *arguments = arena_printf(arena, "&%s, %s, %s", part, begin, end);
    return (Trips){arena_printf(arena, "hp5_cost_part_trips(%s)", arguments), arguments};
}

static Trips trips_of(CostWriter *w, const Loop *loop, char **begin) {
    Writer *writer = &w->writer;
    char *end;
    writer_loop_bounds(writer, loop, NULL, begin, &end);
    if (loop->domain_var && !loop->interval)
        return trips_of_part(writer->arena, writer_part(writer, loop->domain_var, loop->dimension), *begin, end);
    return (Trips){arena_printf(writer->arena, "hp5_cost_trips(%s, %s)", *begin, end), NULL};
}

/* What stays open until the body is done, outermost first: loops that are only counted, and braces of walked ones. */
typedef struct Open { bool walked[MOST_LOOPS]; int count, indent; } Open;

static void open_loop(CostWriter *w, Open *open, const Var *var, bool walked, Trips trips, const char *(*at)(void *, const char *),
                      IndexAt *data) {
    vec_push(w->writer.arena, &w->indices, var);
    if (walked) open->indent = open_sample(w, var, trips.count, at, data, open->indent);
    else if (trips.of_part) writer_line(&w->writer, open->indent, "hp5_cost_loop_of_part(%s, %s); /* %s */", w->cost, trips.of_part, var->name);
    else writer_line(&w->writer, open->indent, "hp5_cost_loop(%s, %s); /* %s */", w->cost, trips.count, var->name);
    open->walked[open->count++] = walked;
}

static void close_loops(CostWriter *w, Open *open) {
    while (open->count > 0) {
        if (!open->walked[--open->count]) {
            writer_line(&w->writer, open->indent, "hp5_cost_end(%s);", w->cost);
            continue;
        }
        open->indent -= 4;
        writer_line(&w->writer, open->indent, "}");
    }
}

static bool parallel_begin(CostWriter *w, const Nest *nest, Open *open) {
    for (size_t l = 0; l < nest->loops.count; l++) {
        const Loop *loop = &nest->loops.items[l];
        const Var *var = loop->index->var;
        char *begin;
        const Trips trips = trips_of(w, loop, &begin);
        bool walked = index_is_needed(w, nest, l) || body_needs(w, &nest->stmt->body, var);
        open_loop(w, open, var, walked, trips, loop_index_at, &(IndexAt){w, loop, begin, NULL, NULL});
        if (walked && filters_computable(w, loop->index, false)) writer_filters(&w->writer, loop, open->indent);
    }
    return !has_loops(&nest->stmt->body);
}

/* A loop of which nobody knows how often it runs. */
static void unknown_text(CostWriter *w, const Stmt *stmt, int indent) {
    writer_line(&w->writer, indent, "hp5_cost_unknown(%s);", w->cost);
    block_text(w, &stmt->body, NULL, stmt->kind != STMT_PARALLEL, stmt->span, indent);
    body_text(w, &stmt->body, indent);
}

static void parallel_text(CostWriter *w, const Stmt *stmt, int indent) {
    ExprVec inputs = loop_inputs(w->writer.arena, stmt);
    if (!keep_all(w, &inputs) || stmt->indices.count > MOST_LOOPS) {
        unknown_text(w, stmt, indent);
        return;
    }
    const Nest *nest = lower_nest_of(&w->stage->code, stmt);
    size_t mark = w->writer.scope.count, indices = w->indices.count;
    Open open = {.indent = indent};
    bool innermost = parallel_begin(w, nest, &open);
    block_text(w, &stmt->body, innermost ? nest : NULL, false, stmt->span, open.indent);
    body_text(w, &stmt->body, open.indent);
    close_loops(w, &open);
    w->writer.scope.count = mark;
    w->indices.count = indices;
}

static const char *part_index_at(void *data, const char *at) {
    const IndexAt *index = data;
    return arena_printf(index->w->writer.arena, "hp5_cost_pick(&%s, %s.begin, %s)", index->range, index->range, at);
}

static void sequence_text(CostWriter *w, const Stmt *stmt, int indent) {
    ExprVec inputs = loop_inputs(w->writer.arena, stmt);
    if (!keep_all(w, &inputs)) {
        unknown_text(w, stmt, indent);
        return;
    }
    Writer *writer = &w->writer;
    Arena *arena = writer->arena;
    size_t mark = writer->scope.count, indices = w->indices.count;
    bool part = stmt->value->kind == EXPR_DIM_RANGE && stmt->value->local, walked = body_needs(w, &stmt->body, stmt->index);
    const char *range, *step = stmt->step ? writer_expr(writer, stmt->step) : "1";
    Trips trips;
    if (part) {
        range = writer_part(writer, stmt->value->var, stmt->value->dimension);
        trips = trips_of_part(arena, range, arena_printf(arena, "%s.begin", range), arena_printf(arena, "%s.end", range));
    } else {
        range = writer_expr(writer, stmt->value);
        trips = (Trips){arena_printf(arena, "hp5_cost_steps(%s, %s)", range, step), NULL};
    }
    Open open = {.indent = indent};
    open_loop(w, &open, stmt->index, walked, trips, part ? part_index_at : step_index_at, &(IndexAt){w, NULL, NULL, step, range});
    block_text(w, &stmt->body, NULL, true, stmt->span, open.indent);
    body_text(w, &stmt->body, open.indent);
    close_loops(w, &open);
    writer->scope.count = mark;
    w->indices.count = indices;
}

/* ---- Bodies -------------------------------------------------------------------------------------------------------- */
static bool has_kept_assignments(const CostWriter *w, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && is_kept(w, stmt->target->var)) return true;
        if (has_kept_assignments(w, &stmt->body) || (stmt->otherwise && has_kept_assignments(w, stmt->otherwise))) return true;
    }
    return false;
}

static void if_text(CostWriter *w, const Stmt *stmt, int indent) {
    bool inside = is_told(w, &stmt->body), other = is_told(w, stmt->otherwise);
    if (!inside && !other) return;
    if (!computable(w, stmt->value, false, 0)) { /* the first branch stands for both */
        body_text(w, inside ? &stmt->body : stmt->otherwise, indent);
        return;
    }
    computable(w, stmt->value, true, 0);
    writer_line(&w->writer, indent, "if (%s) {", writer_expr(&w->writer, stmt->value));
    body_text(w, &stmt->body, indent + 4);
    writer_line(&w->writer, indent, other ? "} else {" : "}");
    if (!other) return;
    body_text(w, stmt->otherwise, indent + 4);
    writer_line(&w->writer, indent, "}");
}

/* By a statement of the block that declares it. */
static bool assigned_once(const CostWriter *w, const Block *block, const Var *var) {
    Assignments found = {.var = var, .arena = w->writer.arena};
    find_assignments(&found, &w->use->stage->body.block, 0, 0);
    bool here = false, own = false;
    for (size_t i = 0; i < block->statements.count; i++)
        here |= block->statements.items[i]->kind == STMT_ASSIGN && block->statements.items[i]->target->var == var;
    for (size_t i = 0; i < block->locals.count; i++) own |= block->locals.items[i] == var;
    return found.count == 1 && here && own;
}

static void kept_text(CostWriter *w, const Block *block, const Stmt *stmt, int indent) {
    Writer *writer = &w->writer;
    const Var *var = stmt->target->var;
    const char *value = writer_expr(writer, stmt->value);
    if (!assigned_once(w, block, var)) {
        writer_line(writer, indent, "%s = %s;", writer_find(writer, var), value);
        return;
    }
    const char *c_type = emit_storage_type(writer->emit, var->type), *name = writer_declare(writer, var);
    writer_line(writer, indent, "const %s = %s;", emit_declarator(writer->arena, c_type, name), value);
}

/* Loops, choices around loops, and what is kept; straight-line code has been counted. */
static void body_text(CostWriter *w, const Block *block, int indent) {
    Writer *writer = &w->writer;
    size_t mark = writer->scope.count;
    for (size_t i = 0; i < block->locals.count; i++) {
        const Var *var = block->locals.items[i];
        if (!is_kept(w, var) || assigned_once(w, block, var)) continue;
        const char *c_type = emit_storage_type(writer->emit, var->type), *name = writer_declare(writer, var);
        writer_line(writer, indent, "%s = %s;", emit_declarator(writer->arena, c_type, name), type_is_numeric(var->type) ? "0" : "{0}");
    }
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        bool kept = stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && is_kept(w, stmt->target->var);
        if (kept) kept_text(w, block, stmt, indent);
        else if (lower_short_rounds(stmt) > 0) continue;
        else if (stmt->kind == STMT_PARALLEL) parallel_text(w, stmt, indent);
        else if (stmt->kind == STMT_SEQUENCE) sequence_text(w, stmt, indent);
        else if (stmt->kind == STMT_WHILE) unknown_text(w, stmt, indent);
        else if (stmt->kind == STMT_IF) if_text(w, stmt, indent);
        else if (stmt->kind == STMT_BLOCK) body_text(w, &stmt->body, indent);
    }
    writer->scope.count = mark;
}

/* ---- The function ------------------------------------------------------------------------------------------------------ */
static const char *cost_element(void *data, const Expr *expr) {
    Writer *writer = data;
    char *indices = arena_strdup(writer->arena, "");
    for (size_t d = 0; d < expr->arguments.count; d++)
        indices = arena_printf(writer->arena, "%s%s%s", indices, d > 0 ? ", " : "", writer_expr(writer, expr->arguments.items[d]));
    return arena_printf(writer->arena, "(*(const %s *)hp5_cost_peek(%s_view, %d, (const int64_t[]){%s}))",
                        emit_storage_type(writer->emit, expr->var->type->element), emit_symbol(writer->emit, expr->var), expr->lag, indices);
}

/* Local copies of places that the body names; parameters that it does not. */
static void print_cost_top(CostWriter *w, const char *body, Text *out) {
    Writer *writer = &w->writer;
    writer->out = out;
    char *views = arena_strdup(writer->arena, "");
    for (size_t i = 0; i < w->use->formals.count; i++) {
        const Formal *formal = &w->use->formals.items[i];
        const char *name = emit_symbol(writer->emit, formal->var);
        bool pointer = formal->kind == FORMAL_PLACE || (formal->kind == FORMAL_VALUE && (formal->var->type->kind == TYPE_STRUCT ||
                                                                                        formal->var->type->kind == TYPE_STATIC_ARRAY));
        const char *parameter = formal->kind == FORMAL_VIEW ? arena_printf(writer->arena, "%s_view", name)
                                : pointer                   ? arena_printf(writer->arena, "%s_place", name)
                                                            : name;
        if (formal->kind == FORMAL_VIEW)
            views = arena_printf(writer->arena, "%s%s%s", views, views[0] ? ", " : "", parameter);
        if (pointer && emit_text_uses(body, name))
            writer_line(writer, 4, "%s = *%s;", emit_declarator(writer->arena, emit_storage_type(writer->emit, formal->var->type), name), parameter);
        else if (formal->kind != FORMAL_VIEW || (w->blocks == 0 && !emit_text_uses(body, parameter)))
            if (!emit_text_uses(body, parameter)) writer_line(writer, 4, "(void)%s;", parameter);
        for (int lag = 1; lag <= formal->max_lag && formal->kind != FORMAL_VIEW && formal->kind != FORMAL_PARTIAL; lag++)
            writer_line(writer, 4, "(void)%s_%d%s;", name, lag, pointer && formal->kind != FORMAL_PLACE ? "_place" : "");
    }
    if (w->blocks > 0) writer_line(writer, 4, views[0] ? "const Hp5View *const %s[] = {%s};" : "const Hp5View *const *%s = NULL;", w->views, views);
}

static void declare_scalars(CostWriter *w) {
    for (size_t i = 0; i < w->use->formals.count; i++) {
        const Formal *formal = &w->use->formals.items[i];
        bool pointer = formal->var->type->kind == TYPE_STRUCT || formal->var->type->kind == TYPE_STATIC_ARRAY;
        if (formal->kind == FORMAL_PLACE || (formal->kind == FORMAL_VALUE && pointer)) writer_declare(&w->writer, formal->var);
    }
}

void emit_stage_cost(Emit *emit, const LoweredStage *stage, Text *out) {
    CostWriter w = {.stage = stage, .use = stage->code.use};
    Text body = {0};
    writer_stage_init(&w.writer, emit, stage, &body);
    w.writer.names.widened = true;
    w.writer.names.element = cost_element;
    w.cost = writer_fresh(&w.writer, "cost");
    w.views = writer_fresh(&w.writer, "views");
    w.counts = arena_printf(emit->arena, "%s_counts", w.use->symbol);
    const char *parameters = writer_stage_parameters(&w.writer, w.use);
    declare_scalars(&w);
    const Block *block = &w.use->stage->body.block;
    size_t kept;
    do { /* a choice around what a later loop needs is kept as well */
        kept = w.kept.count;
        find_kept(&w, block);
    } while (w.kept.count > kept);
    block_text(&w, block, NULL, false, w.use->stage->body.span, 4);
    body_text(&w, block, 4);
    text_printf(out, "/* What stage %s in Space %s costs (line %d). */\n", w.use->stage->body.name, w.use->lps->name,
                emit_line(emit, w.use->stage->body.span));
    if (w.tables.data) text_append(out, w.tables.data);
    if (w.blocks > 0) text_printf(out, "static const Hp5CostBlock %s[] = {\n%s};\n", w.counts, w.entries.data);
    w.writer.out = out;
    writer_line(&w.writer, 0, "__attribute__((cold)) static void %s_cost(Hp5Cost *%s%s%s) {", w.use->symbol, w.cost, parameters[0] ? ", " : "",
                parameters);
    const char *text = body.data ? body.data : "";
    print_cost_top(&w, text, out);
    if (!emit_text_uses(text, w.cost)) writer_line(&w.writer, 4, "(void)%s;", w.cost);
    if (w.use->needs_worker) writer_line(&w.writer, 4, "(void)worker;");
    if (w.use->needs_lpu && !emit_text_uses(text, "lpu")) writer_line(&w.writer, 4, "(void)lpu;");
    text_append(out, text);
    text_append(out, "}\n\n");
    text_free(&body);
    text_free(&w.tables);
    text_free(&w.entries);
}
