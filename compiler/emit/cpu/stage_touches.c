/* Which elements of an array a stage reads, as a function beside the stage function: what compiler/plan/inspect.h leaves of it. Elements
 * that subscripts follow from are read where they are, or taken for zero where they are not: what is touched then counts for
 * nothing, or for too much.
 *
 *     static void multiply_touches_v(const Hp5Touched *touched, const Hp5View *w_view, const Hp5View *columns_view) {
 *         const Hp5Peek columns_peek = hp5_peek_in(columns_view);
 *         for (int64_t i = w_view->part[0].begin, i_end = w_view->part[0].end; i < i_end; i++) {
 *             hp5_touch_index(touched, …columns[i]…);
 *         }
 *     } */
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cpu/touches.h"

typedef struct TouchWriter {
    Writer writer;
    const TaskPlan *task;
    const TouchSlice *slice;
    int indent;
    VarVec peeked; /* arrays of one dimension that subscripts follow from */
} TouchWriter;

static const char *touch_indices(Writer *writer, const Expr *element) {
    char *indices = arena_strdup(writer->arena, "");
    for (size_t d = 0; d < element->arguments.count; d++)
        indices = arena_printf(writer->arena, "%s%s%s", indices, d > 0 ? ", " : "", writer_expr(writer, element->arguments.items[d]));
    return indices;
}

static void note_peeked(TouchWriter *w, Var *array) {
    for (size_t i = 0; i < w->peeked.count; i++)
        if (w->peeked.items[i] == array) return;
    vec_push(w->writer.arena, &w->peeked, array);
}

static const char *touch_element(void *data, const Expr *expr) {
    Writer *writer = data;
    if (expr->arguments.count == 1) note_peeked((TouchWriter *)data, expr->var); /* whose first member the writer is */
    if (expr->arguments.count == 1)
        return arena_printf(writer->arena, "(*(const %s *)hp5_peek_at(%s_peek, %s))", emit_storage_type(writer->emit, expr->var->type->element),
                            emit_symbol(writer->emit, expr->var), writer_expr(writer, expr->arguments.items[0]));
    return arena_printf(writer->arena, "(*(const %s *)hp5_peek(%s_view, (const int64_t[]){%s}))",
                        emit_storage_type(writer->emit, expr->var->type->element), emit_symbol(writer->emit, expr->var), touch_indices(writer, expr));
}

static bool touch_text(Expr *expr, void *data) {
    TouchWriter *w = data;
    const bool touches = expr->kind == EXPR_ELEMENT && expr->var == w->slice->formal->var;
    if (touches && expr->arguments.count == 1) writer_line(&w->writer, w->indent, "hp5_touch_index(touched, %s);", touch_indices(&w->writer, expr));
    else if (touches)
        writer_line(&w->writer, w->indent, "hp5_touch(touched, (const int64_t[]){%s});", touch_indices(&w->writer, expr));
    return true;
}

static void expr_text(TouchWriter *w, const Expr *expr, int indent) {
    w->indent = indent;
    walk_expr((Expr *)expr, touch_text, w);
}

static void block_text(TouchWriter *w, const Block *block, int indent);

/* Inside braces. */
static void inner_text(TouchWriter *w, const Block *block, int indent) {
    size_t mark = w->writer.scope.count;
    block_text(w, block, indent);
    w->writer.scope.count = mark;
}

static void choice_text(TouchWriter *w, const Stmt *stmt, int indent) {
    bool told = inspect_can_tell(w->task, w->slice, stmt->value), otherwise = stmt->otherwise != NULL && inspect_is_left(w->slice, stmt->otherwise);
    expr_text(w, stmt->value, indent);
    if (!otherwise && !inspect_is_left(w->slice, &stmt->body)) return;
    writer_line(&w->writer, indent, told ? "if (%s) {" : "{", told ? writer_expr(&w->writer, stmt->value) : "");
    inner_text(w, &stmt->body, indent + 4);
    if (otherwise) {
        writer_line(&w->writer, indent, told ? "} else {" : "} {");
        inner_text(w, stmt->otherwise, indent + 4);
    }
    writer_line(&w->writer, indent, "}");
}

/* What is read to know how often a loop runs, is read once more than that. */
static void bounds_text(TouchWriter *w, const LoopIndex *index, int indent) {
    expr_text(w, index->domain_range, indent);
    for (size_t b = 0; b < index->lower.count; b++) expr_text(w, index->lower.items[b], indent);
    for (size_t b = 0; b < index->upper.count; b++) expr_text(w, index->upper.items[b], indent);
}

/* ---- Where a loop's index leaves an array --------------------------------------------------------------- */

/* Ends of loops that are elements of arrays may be anything. A round whose index alone subscripts an array, and is none of its indices,
 * ends in an error when the stage runs: it has nothing to say here, and a million of them would take their time. */
typedef struct LeftArray { const TouchSlice *slice; const Var *index; const Expr *element; int dimension; } LeftArray;

static bool is_seen(const TouchSlice *slice, const Var *array) {
    if (array == slice->formal->var) return true;
    for (size_t i = 0; i < slice->inputs.count; i++)
        if (slice->inputs.items[i]->kind == FORMAL_VIEW && slice->inputs.items[i]->var == array) return true;
    return false;
}

/* Of what each evaluation of the expression evaluates. */
static bool find_left_array(Expr *expr, void *data) {
    LeftArray *left = data;
    if (expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR)) walk_expr(expr->left, find_left_array, data);
    if (expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR)) return false;
    for (size_t d = 0; expr->kind == EXPR_ELEMENT && left->element == NULL && d < expr->arguments.count; d++) {
        const Expr *subscript = expr->arguments.items[d];
        if (subscript->kind != EXPR_VAR || subscript->var != left->index || !is_seen(left->slice, expr->var)) continue;
        left->element = expr;
        left->dimension = (int)d;
    }
    return true;
}

/* The array that the index alone subscripts in each round; NULL: none that the inspector sees. */
static const char *left_array(TouchWriter *w, const Stmt *loop, const Var *index) {
    LeftArray left = {.slice = w->slice, .index = index};
    for (size_t l = 0; l < loop->indices.count; l++)
        if (loop->indices.items[l].filters.count > 0) return NULL;
    for (size_t i = 0; i < loop->body.statements.count; i++) {
        const Stmt *stmt = loop->body.statements.items[i];
        if (stmt->kind != STMT_ASSIGN && stmt->kind != STMT_REDUCE) break; /* what follows may not be reached */
        walk_expr(stmt->value, find_left_array, &left);
        if (stmt->kind == STMT_ASSIGN) walk_expr(stmt->target, find_left_array, &left);
    }
    if (left.element == NULL) return NULL;
    if (left.element->var == w->slice->formal->var) return arena_printf(w->writer.arena, "hp5_touched_range(touched, %d)", left.dimension);
    return arena_printf(w->writer.arena, "hp5_array_range(%s_view, %d)", emit_symbol(w->writer.emit, left.element->var), left.dimension);
}

static bool is_interval(const TouchWriter *w, const Var *var, int dimension) {
    const Formal *formal = var == NULL ? NULL : lower_formal(w->slice->step->use, var);
    return formal == NULL || formal->interval[dimension] || formal->whole[dimension];
}

static void parallel_text(TouchWriter *w, const Stmt *stmt, int outer) {
    Writer *writer = &w->writer;
    size_t mark = writer->scope.count;
    int indent = outer, *begins = ARENA_ARRAY(writer->arena, int, stmt->indices.count + 1);
    if (!inspect_loop_is_left(w->slice, stmt)) return;
    for (size_t l = 0; l < stmt->indices.count; l++) {
        const LoopIndex *index = &stmt->indices.items[l];
        const Loop loop = {.index = index, .domain_var = index->domain_var, .dimension = index->dimension, .other_dimension = index->other_dimension,
                           .interval = is_interval(w, index->domain_var, index->dimension) &&
                                       (index->other_dimension < 0 || is_interval(w, index->domain_var, index->other_dimension))};
        bounds_text(w, index, indent);
        begins[l] = indent;
        const char *array = index->domain_range == NULL ? NULL : left_array(w, stmt, index->var), *inside = NULL;
        if (array != NULL) writer_line(writer, indent, "const Hp5Range %s = %s;", inside = writer_fresh(writer, "inside"), array);
        indent = writer_loop_begin(writer, &loop, "", indent);
        if (array != NULL) writer_line(writer, indent, "if (hp5_touch_leaves(%s, &%s)) break;", inside, writer_find(writer, index->var));
        for (size_t f = 0; f < index->filters.count; f++) {
            expr_text(w, index->filters.items[f], indent);
            if (inspect_can_tell(w->task, w->slice, index->filters.items[f]))
                writer_line(writer, indent, "if (!(%s)) continue;", writer_expr(writer, index->filters.items[f]));
        }
    }
    block_text(w, &stmt->body, indent);
    for (size_t l = stmt->indices.count; l-- > 0; indent = begins[l]) { /* of runs, the first may have no round */
        if (inspect_once(w->slice, stmt, l)) writer_line(writer, indent, "break; /* the others touch the same */");
        writer_loop_end(writer, indent, begins[l]);
    }
    writer->scope.count = mark;
}

static void sequence_text(TouchWriter *w, const Stmt *stmt, int indent) {
    Writer *writer = &w->writer;
    size_t mark = writer->scope.count;
    expr_text(w, stmt->value, indent);
    if (!inspect_is_left(w->slice, &stmt->body)) return;
    const bool part = stmt->value->kind == EXPR_DIM_RANGE && stmt->value->local;
    const char *range = writer_fresh(writer, "range"), *step = writer_fresh(writer, "step"), *left = writer_fresh(writer, "left");
    writer_line(writer, indent, "{");
    const char *rounds = writer_expr(writer, stmt->value), *array = stmt->step == NULL ? left_array(w, stmt, stmt->index) : NULL;
    if (array != NULL) rounds = arena_printf(writer->arena, "hp5_touch_within(%s, %s)", rounds, array);
    writer_line(writer, indent + 4, "const Hp5Range %s = %s;", range, rounds);
    writer_line(writer, indent + 4, "const int64_t %s = %s;", step, stmt->step != NULL ? writer_expr(writer, stmt->step) : "1");
    const char *name = writer_declare(writer, stmt->index);
    writer_line(writer, indent + 4, "for (int64_t %s = hp5_first_step(%s, %s), %s = hp5_touch_steps(%s, %s); %s > 0; %s--, %s += %s) {", name, range, step, left,
                range, step, left, left, name, step);
    if (part) writer_line(writer, indent + 8, "if (!hp5_set_contains(&%s, %s)) continue;", writer_part(writer, stmt->value->var, stmt->value->dimension), name);
    block_text(w, &stmt->body, indent + 8);
    if (inspect_once(w->slice, stmt, 0)) writer_line(writer, indent + 8, "break; /* the others touch the same */");
    writer_line(writer, indent + 4, "}");
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}

static void statement_text(TouchWriter *w, const Stmt *stmt, int indent) {
    switch (stmt->kind) {
    case STMT_IF: choice_text(w, stmt, indent); return;
    case STMT_PARALLEL: parallel_text(w, stmt, indent); return;
    case STMT_SEQUENCE: sequence_text(w, stmt, indent); return;
    case STMT_BLOCK:
        writer_line(&w->writer, indent, "{");
        inner_text(w, &stmt->body, indent + 4);
        writer_line(&w->writer, indent, "}");
        return;
    default: break;
    }
    expr_text(w, stmt->value, indent);
    for (size_t i = 0; stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_ELEMENT && i < stmt->target->arguments.count; i++)
        expr_text(w, stmt->target->arguments.items[i], indent);
    if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_VAR || !inspect_is_kept(w->slice, stmt->target->var)) return;
    writer_line(&w->writer, indent, "%s = %s;", writer_find(&w->writer, stmt->target->var), writer_expr(&w->writer, stmt->value));
}

static void block_text(TouchWriter *w, const Block *block, int indent) {
    Writer *writer = &w->writer;
    for (size_t i = 0; i < block->locals.count; i++) {
        const Var *var = block->locals.items[i];
        if (!inspect_is_kept(w->slice, var)) continue;
        const char *c_type = emit_storage_type(writer->emit, var->type), *name = writer_declare(writer, var);
        writer_line(writer, indent, "%s = %s;", emit_declarator(writer->arena, c_type, name), type_is_numeric(var->type) ? "0" : "{0}");
    }
    for (size_t i = 0; i < block->statements.count; i++) statement_text(w, block->statements.items[i], indent);
}

static const char *parameters(Writer *writer, const TouchSlice *slice) {
    char *text = arena_strdup(writer->arena, "const Hp5Touched *touched");
    if (slice->lpu) text = arena_printf(writer->arena, "%s, const Hp5Lpu *lpu", text);
    for (size_t i = 0; i < slice->inputs.count; i++) {
        const Formal *formal = slice->inputs.items[i];
        if (formal->kind == FORMAL_VIEW) {
            text = arena_printf(writer->arena, "%s, const Hp5View *%s", text, writer_fresh(writer, arena_printf(writer->arena, "%s_view", emit_symbol(writer->emit, formal->var))));
            continue;
        }
        const char *c_type = emit_storage_type(writer->emit, formal->var->type);
        text = arena_printf(writer->arena, "%s, %s", text, emit_declarator(writer->arena, c_type, writer_declare(writer, formal->var)));
    }
    return text;
}

/* In the text's place `top`. */
static void declare_peeked(TouchWriter *w, size_t top) {
    Writer *writer = &w->writer;
    char *rest = arena_strdup(writer->arena, writer->out->data + top);
    writer->out->length = top;
    for (size_t i = 0; i < w->peeked.count; i++) {
        const char *name = emit_symbol(writer->emit, w->peeked.items[i]);
        writer_line(writer, 4, "const Hp5Peek %s_peek = hp5_peek_in(%s_view);", name, name);
    }
    text_append(writer->out, rest);
}

void cpu_stage_touches(Emit *emit, const LoweredStage *stage, const TaskPlan *task, const TouchSlice *slice, const char *name, Text *out) {
    TouchWriter w = {.task = task, .slice = slice};
    writer_stage_init(&w.writer, emit, stage, out);
    w.writer.names.widened = w.writer.names.peeks = true;
    w.writer.names.element = touch_element;
    const StageUse *use = slice->step->use;
    text_printf(out, "/* What stage %s in Space %s reads of %s (line %d). */\n", use->stage->body.name, use->lps->name, slice->formal->var->name,
                emit_line(emit, use->stage->body.span));
    writer_line(&w.writer, 0, "static void %s(%s) {", name, parameters(&w.writer, slice));
    const size_t top = out->length;
    block_text(&w, &use->stage->body.block, 4);
    declare_peeked(&w, top);
    writer_line(&w.writer, 0, "}\n");
}
