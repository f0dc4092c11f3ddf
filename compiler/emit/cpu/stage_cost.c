/* What a stage costs, as tables and a function of its own beside the stage function (runtime/predict/predict.h): one table entry
 * for each straight-line block, and a function that mirrors the stage's loops. Prints the tree of compiler/cost/cost.h; elements
 * that bounds depend on are read where they are, or taken for zero. */
#include "compiler/cost/cost.h"
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"

typedef struct CostWriter {
    Writer writer;
    const StageCost *what;
    const StageUse *use;
    const char *cost, *views, *counts; /* C names */
    Text tables, entries;              /* accesses of the blocks; the blocks */
    bool crew;                         /* on a card: all threads of a crew come here together, and share loops */
} CostWriter;

/* ---- Tables ------------------------------------------------------------------------------------------- */
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

static void print_entry(CostWriter *w, const CostBlock *block, int number, int accesses) {
    const Count *count = &block->count;
    Text *out = &w->entries;
    text_printf(out, "    {.line = %d", emit_line(w->writer.emit, block->span));
    print_field(out, "reals", count->reals);
    print_field(out, "fused", count->fused);
    print_field(out, "integers", count->integers);
    print_field(out, "divisions", count->divisions);
    print_field(out, "functions", count->functions);
    print_field(out, "chain", count->chain);
    print_field(out, "lanes", count->lanes);
    if (block->product) text_append(out, ", .multiply = true");
    print_field(out, "gathers", count->gathers);
    print_field(out, "reductions", count->reductions);
    if (count->partial) text_append(out, ", .partial = true");
    if (accesses > 0) text_printf(out, ", .access_count = %d, .accesses = %s_%d", accesses, w->counts, number);
    text_append(out, "},\n");
}

static void print_block(CostWriter *w, const CostBlock *block, int number) {
    Text accesses = {0};
    int printed = 0;
    for (size_t i = 0; i < block->count.accesses.count; i++) {
        if (view_number(w, block->count.accesses.items[i].var) < 0) continue;
        print_access(w, &block->count.accesses.items[i], &accesses);
        printed++;
    }
    if (printed > 0) text_printf(&w->tables, "static const Hp5CostAccess %s_%d[] = {\n%s};\n", w->counts, number, accesses.data);
    print_entry(w, block, number, printed);
    text_free(&accesses);
}

/* ---- Loops ----------------------------------------------------------------------------------------------- */
static void scope_text(CostWriter *w, const CostScope *scope, int indent);

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

/* Opens one of a loop's levels: walked, or only counted. Returns the indentation inside. */
static int open_loop(CostWriter *w, const Var *var, bool walked, Trips trips, const char *(*at)(void *, const char *), IndexAt *data,
                     int indent) {
    if (walked) return open_sample(w, var, trips.count, at, data, indent);
    if (trips.of_part) writer_line(&w->writer, indent, "hp5_cost_loop_of_part(%s, %s); /* %s */", w->cost, trips.of_part, var->name);
    else writer_line(&w->writer, indent, "hp5_cost_loop(%s, %s); /* %s */", w->cost, trips.count, var->name);
    return indent;
}

static int close_loop(CostWriter *w, bool walked, int indent) {
    if (!walked) {
        writer_line(&w->writer, indent, "hp5_cost_end(%s);", w->cost);
        return indent;
    }
    writer_line(&w->writer, indent - 4, "}");
    return indent - 4;
}

static void nest_text(CostWriter *w, const CostNode *node, int indent) {
    const Nest *nest = node->nest;
    const size_t mark = w->writer.scope.count;
    const bool crew = w->crew;
    bool walked = false;
    if (crew) w->crew = cuda_cost_begins(&w->writer, w->cost, nest, indent);
    for (size_t l = 0; l < nest->loops.count; l++) {
        const Loop *loop = &nest->loops.items[l];
        char *begin;
        const Trips trips = trips_of(w, loop, &begin);
        indent = open_loop(w, loop->index->var, node->loops[l].walked, trips, loop_index_at, &(IndexAt){w, loop, begin, NULL, NULL}, indent);
        walked = walked || node->loops[l].walked;
        if (node->loops[l].filtered) writer_filters(&w->writer, loop, indent);
    }
    scope_text(w, &node->body, indent);
    for (size_t l = nest->loops.count; l-- > 0;) indent = close_loop(w, node->loops[l].walked, indent);
    if (crew) cuda_cost_ends(&w->writer, w->cost, nest, indent);
    w->crew = crew;
    if (walked) w->writer.scope.count = mark;
}

static const char *part_index_at(void *data, const char *at) {
    const IndexAt *index = data;
    return arena_printf(index->w->writer.arena, "hp5_cost_pick(&%s, %s.begin, %s)", index->range, index->range, at);
}

static void steps_text(CostWriter *w, const CostNode *node, int indent) {
    Writer *writer = &w->writer;
    Arena *arena = writer->arena;
    const Stmt *stmt = node->stmt;
    const size_t mark = writer->scope.count;
    const bool part = stmt->value->kind == EXPR_DIM_RANGE && stmt->value->local;
    const char *range, *step = stmt->step ? writer_expr(writer, stmt->step) : "1";
    Trips trips;
    if (part) {
        range = writer_part(writer, stmt->value->var, stmt->value->dimension);
        trips = trips_of_part(arena, range, arena_printf(arena, "%s.begin", range), arena_printf(arena, "%s.end", range));
    } else {
        range = writer_expr(writer, stmt->value);
        trips = (Trips){arena_printf(arena, "hp5_cost_steps(%s, %s)", range, step), NULL};
    }
    indent = open_loop(w, stmt->index, node->loops[0].walked, trips, part ? part_index_at : step_index_at, &(IndexAt){w, NULL, NULL, step, range},
                       indent);
    scope_text(w, &node->body, indent);
    close_loop(w, node->loops[0].walked, indent);
    if (node->loops[0].walked) writer->scope.count = mark;
}

/* ---- Bodies --------------------------------------------------------------------------------------------------- */
static void choice_text(CostWriter *w, const CostNode *node, int indent) {
    const size_t mark = w->writer.scope.count;
    writer_line(&w->writer, indent, "if (%s) {", writer_expr(&w->writer, node->stmt->value));
    scope_text(w, &node->body, indent + 4);
    w->writer.scope.count = mark;
    writer_line(&w->writer, indent, node->has_otherwise ? "} else {" : "}");
    if (!node->has_otherwise) return;
    scope_text(w, &node->otherwise, indent + 4);
    w->writer.scope.count = mark;
    writer_line(&w->writer, indent, "}");
}

static void value_text(CostWriter *w, const CostNode *node, int indent) {
    Writer *writer = &w->writer;
    const Var *var = node->stmt->target->var;
    const char *value = writer_expr(writer, node->stmt->value);
    if (!node->declares) {
        writer_line(writer, indent, "%s = %s;", writer_find(writer, var), value);
        return;
    }
    const char *c_type = emit_storage_type(writer->emit, var->type), *name = writer_declare(writer, var);
    writer_line(writer, indent, "const %s = %s;", emit_declarator(writer->arena, c_type, name), value);
}

static void node_text(CostWriter *w, const CostNode *node, int indent) {
    switch (node->kind) {
    case COST_VALUE: value_text(w, node, indent); return;
    case COST_NEST: nest_text(w, node, indent); return;
    case COST_STEPS: steps_text(w, node, indent); return;
    case COST_UNKNOWN:
        writer_line(&w->writer, indent, "hp5_cost_unknown(%s);", w->cost);
        scope_text(w, &node->body, indent);
        return;
    case COST_CHOICE: choice_text(w, node, indent); return;
    case COST_INSIDE: scope_text(w, &node->body, indent); return;
    }
}

/* Its names stay taken behind it: blocks are printed one after the other, and braces stand around loops that are walked and around branches alone. */
static void scope_text(CostWriter *w, const CostScope *scope, int indent) {
    Writer *writer = &w->writer;
    if (scope->block >= 0) writer_line(writer, indent, "hp5_cost_block(%s, &%s[%d], %s);", w->cost, w->counts, scope->block, w->views);
    for (size_t i = 0; i < scope->zeroed.count; i++) {
        const Var *var = scope->zeroed.items[i];
        const char *c_type = emit_storage_type(writer->emit, var->type), *name = writer_declare(writer, var);
        writer_line(writer, indent, "%s = %s;", emit_declarator(writer->arena, c_type, name), type_is_numeric(var->type) ? "0" : "{0}");
    }
    for (size_t i = 0; i < scope->nodes.count; i++) node_text(w, scope->nodes.items[i], indent);
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
        else if (formal->kind != FORMAL_VIEW || (w->what->blocks.count == 0 && !emit_text_uses(body, parameter)))
            if (!emit_text_uses(body, parameter)) writer_line(writer, 4, "(void)%s;", parameter);
        for (int lag = 1; lag <= formal->max_lag && formal->kind != FORMAL_VIEW && formal->kind != FORMAL_PARTIAL; lag++)
            writer_line(writer, 4, "(void)%s_%d%s;", name, lag, pointer && formal->kind != FORMAL_PLACE ? "_place" : "");
    }
    if (w->what->blocks.count > 0) writer_line(writer, 4, views[0] ? "const Hp5View *const %s[] = {%s};" : "const Hp5View *const *%s = NULL;", w->views, views);
}

static void declare_scalars(CostWriter *w) {
    for (size_t i = 0; i < w->use->formals.count; i++) {
        const Formal *formal = &w->use->formals.items[i];
        bool pointer = formal->var->type->kind == TYPE_STRUCT || formal->var->type->kind == TYPE_STATIC_ARRAY;
        if (formal->kind == FORMAL_PLACE || (formal->kind == FORMAL_VALUE && pointer)) writer_declare(&w->writer, formal->var);
    }
}

void writer_stage_cost(Emit *emit, const LoweredStage *stage, bool crew, Text *out) {
    CostWriter w = {.what = cost_of_stage(emit->arena, emit->lowered, stage, crew), .use = stage->code.use, .crew = crew};
    Text body = {0};
    writer_stage_init(&w.writer, emit, stage, &body);
    w.writer.names.widened = w.writer.names.peeks = true;
    w.writer.names.element = cost_element;
    w.cost = writer_fresh(&w.writer, "cost");
    w.views = writer_fresh(&w.writer, "views");
    w.counts = arena_printf(emit->arena, "%s_counts", w.use->symbol);
    const char *parameters = writer_stage_parameters(&w.writer, w.use, crew);
    declare_scalars(&w);
    for (size_t i = 0; i < w.what->blocks.count; i++) print_block(&w, &w.what->blocks.items[i], (int)i);
    scope_text(&w, &w.what->body, 4);
    if (crew) cuda_cost_of_end(&w.writer, w.cost, 4);
    text_printf(out, "/* What stage %s in Space %s costs (line %d). */\n", w.use->stage->body.name, w.use->lps->name,
                emit_line(emit, w.use->stage->body.span));
    if (w.tables.data) text_append(out, w.tables.data);
    if (w.entries.data) text_printf(out, "static const Hp5CostBlock %s[] = {\n%s};\n", w.counts, w.entries.data);
    w.writer.out = out;
    writer_line(&w.writer, 0, "__attribute__((cold)) static void %s_cost(Hp5Cost *%s%s%s) {", w.use->symbol, w.cost, parameters[0] ? ", " : "",
                parameters);
    const char *text = body.data ? body.data : "";
    print_cost_top(&w, text, out);
    if (!emit_text_uses(text, w.cost)) writer_line(&w.writer, 4, "(void)%s;", w.cost);
    if (w.use->needs_worker) writer_line(&w.writer, 4, "(void)worker;");
    if (w.writer.box) writer_line(&w.writer, 4, "(void)%s;", w.writer.box);
    if (w.writer.joined) writer_line(&w.writer, 4, "(void)%s;", w.writer.joined);
    if (w.use->needs_lpu && !emit_text_uses(text, "lpu")) writer_line(&w.writer, 4, "(void)lpu;");
    text_append(out, text);
    text_append(out, "}\n\n");
    text_free(&body);
    text_free(&w.tables);
    text_free(&w.entries);
}

void cpu_stage_cost(Emit *emit, const LoweredStage *stage, Text *out) { writer_stage_cost(emit, stage, false, out); }
