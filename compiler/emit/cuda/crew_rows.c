/* Sums along rows of arrays, one row for each thread of a warp: what threads read there lies a row apart, so the warp brings it to shared memory
 * (runtime/card/row_pieces.h):
 *
 *     for (int64_t i = begin + crew.rank(), i_end = …; i - crew.lane() < i_end; i += crew.size()) {
 *         const bool here = i < i_end;
 *         const int64_t j_begin = …, j_end = …;
 *         if (j_begin >= j_end) continue;
 *         double y_sum = here ? y[i] : 0;
 *         const double *const rows[] = {here ? &a[i * a_ld1 + j_begin] : NULL};
 *         hp5_along_rows(j_begin, j_end, rows, [&](int64_t j, const double *row) {
 *             y_sum = fma(row[0], x[j], y_sum);
 *         });
 *         if (here) y[i] = y_sum;
 *     }
 *
 * All threads of a warp run each round of the outer loop, those that have no iteration there, too; the inner one has the same rounds for all of them. */
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/emit/cuda/fours.h"
#include "compiler/lower/passes.h"

/* ---- What goes that way ------------------------------------------------------------------------------------------------ */
enum { MOST_ROWS = 4 }; /* arrays for whose pieces there is room (Hp5RowPieces) */

typedef struct Rows {
    Arena *arena;
    const StageUse *use;
    const Nest *nest;
    const Loop *lanes, *along; /* the loop whose neighbouring iterations are those of neighbouring threads; the one that accumulates */
    const Stmt *assign;
    ExprVec *elements;
} Rows;

static void find_other_kind(void *data, const Expr *expr) {
    const bool arithmetic = expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB || expr->op == OP_MUL);
    if (expr->kind != EXPR_VAR && expr->kind != EXPR_INTEGER && !arithmetic) *(bool *)data = true;
}

/* It can be evaluated in front of the loop along the row, whoever has a row. */
static bool is_plain_subscript(const Rows *rows, const Expr *subscript) {
    bool other = false;
    lower_walk_expr(&(Walk){find_other_kind, NULL, &other}, subscript);
    for (size_t i = 0; i < rows->nest->loops.count; i++)
        if (lower_is_offset_of(rows->nest, subscript, rows->nest->loops.items[i].index->var)) return !other;
    return !other && lower_is_same_everywhere(rows->nest, subscript);
}

/* An element of a row that nothing writes meanwhile. What the process has of a row from one index to another lies side by side there, with gaps, too. */
static bool is_of_row(const Rows *rows, const Expr *element) {
    const Formal *formal = lower_formal(rows->use, element->var);
    if (formal == NULL || formal->kind != FORMAL_VIEW || !type_is_real(element->type)) return false;
    if (lower_block_writes(&rows->nest->stmt->body, element->var) > 0 || !lower_always_touches(rows->assign->value, element)) return false;
    for (size_t d = 0; d < element->arguments.count; d++)
        if (!is_plain_subscript(rows, element->arguments.items[d])) return false;
    return lower_plain_dimension(rows->nest, element, rows->along->index->var) == lower_fastest_dimension(rows->use, element) &&
           lower_plain_dimension(rows->nest, element, rows->lanes->index->var) >= 0;
}

static void note_row(void *data, const Expr *expr) {
    const Rows *rows = data;
    if (expr->kind != EXPR_ELEMENT || rows->elements->count == MOST_ROWS || !is_of_row(rows, expr)) return;
    for (size_t i = 0; i < rows->elements->count; i++)
        if (lower_expr_equal(rows->elements->items[i], expr)) return;
    if (rows->elements->count > 0 && rows->elements->items[0]->type->kind != expr->type->kind) return;
    vec_push(rows->arena, rows->elements, (Expr *)expr);
}

bool cuda_accumulates(const Nest *nest) {
    const bool sums = nest->form == FORM_SUM || nest->form == FORM_PRODUCT;
    size_t own = 0;
    for (size_t i = 0; i < nest->loops.count; i++) {
        const Loop *loop = &nest->loops.items[i];
        if (loop->role == ROLE_THREAD) continue;
        own++;
        if (!loop->interval) return false;
    }
    return sums && !nest->has_filters && own == 1 && own < nest->loops.count && lower_single_assignment(nest) != NULL;
}

bool cuda_rows(Arena *arena, const LoweredBody *code, const Nest *nest, ExprVec *elements) {
    if (!cuda_accumulates(nest)) return false;
    Rows rows = {.arena = arena, .use = code->use, .nest = nest, .assign = nest->form == FORM_SUM ? nest->sum.assign : lower_single_assignment(nest), .elements = elements};
    for (size_t i = 0; i < nest->loops.count; i++) *(nest->loops.items[i].role == ROLE_THREAD ? &rows.lanes : &rows.along) = &nest->loops.items[i];
    if (lower_bounds_mention(rows.along->index, rows.lanes->index->var)) return false;
    lower_walk_expr(&(Walk){note_row, NULL, &rows}, rows.assign->value);
    return elements->count > 0;
}

static bool has_rows(Arena *arena, const LoweredBody *code) {
    for (size_t i = 0; i < code->nests.count; i++) {
        ExprVec elements = {0};
        if (cuda_manner(code, code->nests.items[i]) == CREW_SHARES && cuda_rows(arena, code, code->nests.items[i], &elements)) return true;
    }
    return false;
}

bool cuda_task_has_rows(const Emit *emit, const TaskPlan *task) {
    const LoweredTask *lowered = emit->lowered->tasks.items[task->task->id];
    for (size_t i = 0; !emit->options.checked && i < lowered->stages.count; i++)
        if (!backend_on_host(task, task->uses.items[i]->lps) && has_rows(emit->arena, &lowered->stages.items[i]->code)) return true;
    return false;
}

/* ---- Its text ------------------------------------------------------------------------------------------------------------ */
int cuda_loop_in_step(Writer *writer, const Loop *loop, const char *first, const char *step, const char **here, int indent) {
    Arena *arena = writer->arena;
    char *begin, *end;
    if (loop->interval) {
        writer_loop_bounds(writer, loop, NULL, &begin, &end);
        const char *index = writer_declare(writer, loop->index->var), *stop = writer_fresh(writer, arena_printf(arena, "%s_end", index));
        *here = writer_fresh(writer, "here");
        writer_line(writer, indent, "for (int64_t %s = %s + %s, %s = %s; %s - crew.lane() < %s; %s += %s) {", index, begin, first, stop, end, index, stop, index, step);
        writer_line(writer, indent + 4, "const bool %s = %s < %s;", *here, index, stop);
        return indent + 4;
    }
    char *part = writer_part(writer, loop->domain_var, loop->dimension);
    writer_loop_bounds(writer, loop, part, &begin, &end);
    const char *index = writer_declare(writer, loop->index->var);
    const char *number = writer_fresh(writer, arena_printf(arena, "%s_number", index)), *count = writer_fresh(writer, arena_printf(arena, "%s_count", index));
    *here = writer_fresh(writer, "here");
    writer_line(writer, indent, "for (int64_t %s = %s, %s = hp5_set_count(&%s); %s - crew.lane() < %s; %s += %s) {", number, first, count, part, number, count, number, step);
    writer_line(writer, indent + 4, "const int64_t %s = %s < %s ? hp5_set_at(&%s, %s) : 0;", index, number, count, part, number);
    const char *other = "";
    if (loop->other_dimension >= 0)
        other = arena_printf(arena, " && hp5_set_contains(&%s, %s)", writer_part(writer, loop->domain_var, loop->other_dimension), index);
    writer_line(writer, indent + 4, "const bool %s = %s < %s && %s >= %s && %s < %s%s;", *here, number, count, index, begin, index, end, other);
    return indent + 4;
}

/* Where the thread's rows have their elements for `first`, the name of the first value of the index. */
static const char *print_rows(Writer *writer, const Loop *along, const char *first, const ExprVec *elements, const char *here, int indent) {
    const char *rows = writer_fresh(writer, "rows");
    char *text = arena_strdup(writer->arena, "");
    const size_t mark = writer->scope.count;
    vec_push(writer->arena, &writer->scope, ((ScopeName){along->index->var, first}));
    for (size_t i = 0; i < elements->count; i++)
        text = arena_printf(writer->arena, "%s%s%s ? &%s : NULL", text, i > 0 ? ", " : "", here, writer_expr(writer, elements->items[i]));
    writer->scope.count = mark;
    writer_line(writer, indent, "const %s *const %s[] = {%s};", emit_storage_type(writer->emit, elements->items[0]->type), rows, text);
    return rows;
}

typedef struct Mentioned {
    const Nest *nest;
    bool shared; /* an index whose values threads share */
} Mentioned;

static void note_shared(void *data, const Expr *expr) {
    Mentioned *mentioned = data;
    for (size_t i = 0; expr->kind == EXPR_VAR && i < mentioned->nest->loops.count; i++)
        mentioned->shared |= mentioned->nest->loops.items[i].role == ROLE_THREAD && mentioned->nest->loops.items[i].index->var == expr->var;
}

/* What a round reads along with the rows that is the same for all of them: the first such element, for which there are registers. */
static Elements read_ahead(Writer *writer, const Nest *nest, const Loop *along, const Stmt *assign, const ExprVec *rows) {
    const Elements written = {.items = (const Expr *[]){assign->target}, .count = 1}, early = cuda_early(writer, &nest->stmt->body, &written, true);
    Elements elements = {0};
    for (size_t i = 0; i < early.count && elements.count == 0; i++) {
        const Expr *element = early.items[i];
        Mentioned mentioned = {nest, false};
        bool row = false;
        for (size_t r = 0; r < rows->count; r++) row |= lower_expr_equal(rows->items[r], element);
        lower_walk_expr(&(Walk){note_shared, NULL, &mentioned}, element);
        if (!row && !mentioned.shared && lower_expr_mentions(element, along->index->var)) vec_push(writer->arena, &elements, element);
    }
    return elements;
}

static void print_along(Writer *writer, const Nest *nest, const Loop *along, const Stmt *assign, const char *bounds, const char *rows, const ExprVec *elements, int indent) {
    Text body = {0}, *const out = writer->out;
    const size_t kept = writer->kept.count;
    const char *index = writer_declare(writer, along->index->var), *row = writer_fresh(writer, "row"), *type = emit_storage_type(writer->emit, elements->items[0]->type);
    const Elements ahead = read_ahead(writer, nest, along, assign, elements);
    const char *read = ahead.count > 0 ? writer_fresh(writer, "read") : NULL;
    if (read) {
        writer_line(writer, indent, "hp5_along_rows(%s, %s, hp5_gives([&](int64_t %s) {", bounds, rows, index);
        cuda_print_early(writer, &ahead, NULL, indent + 4);
    }
    for (size_t i = 0; i < elements->count; i++)
        vec_push(writer->arena, &writer->kept, ((KeptElement){elements->items[i], arena_printf(writer->arena, "%s[%zu]", row, i)}));
    if (read) cuda_keep_early(writer, &ahead, read, indent + 4);
    writer->out = &body;
    writer_block(writer, &nest->stmt->body, indent + 4);
    writer->out = out;
    writer->kept.count = kept;
    const char *name = emit_text_uses(body.data, index) ? arena_printf(writer->arena, " %s", index) : "";
    if (read) writer_line(writer, indent, "}, [&](int64_t%s, const %s *%s, const auto &%s) {", name, type, row, read);
    else writer_line(writer, indent, "hp5_along_rows(%s, %s, [&](int64_t%s, const %s *%s) {", bounds, rows, name, type, row);
    text_append(out, body.data);
    text_free(&body);
    writer_line(writer, indent, read ? "}));" : "});");
}

void cuda_accumulate(Writer *writer, const Nest *nest, const Loop *along, const ExprVec *elements, const char *here, int indent) {
    const Stmt *assign = nest->form == FORM_SUM ? nest->sum.assign : lower_single_assignment(nest);
    char *begin, *end, *element = writer_expr(writer, assign->target);
    writer_loop_bounds(writer, along, NULL, &begin, &end);
    const char *name = here == NULL ? writer_declare(writer, along->index->var) : along->index->var->name;
    const char *first = writer_fresh(writer, arena_printf(writer->arena, "%s_begin", name)), *last = writer_fresh(writer, arena_printf(writer->arena, "%s_end", name));
    const char *sum = writer_fresh(writer, arena_printf(writer->arena, "%s_sum", emit_symbol(writer->emit, assign->target->var)));
    writer_line(writer, indent, "const int64_t %s = %s, %s = %s;", first, begin, last, end);
    writer_line(writer, indent, "if (%s >= %s) continue;", first, last);
    if (here == NULL) writer_line(writer, indent, "%s %s = %s;", emit_type(writer->emit, assign->target->type), sum, element);
    else writer_line(writer, indent, "%s %s = %s ? %s : 0;", emit_type(writer->emit, assign->target->type), sum, here, element);
    writer->replaced = assign->target;
    writer->replacement = sum;
    if (here == NULL) {
        Fours fours = {.writer = writer};
        vec_push(writer->arena, &fours.assigned, assign->target);
        cuda_own_loop(&fours, &nest->stmt->body, along->index->var, first, last, indent);
    } else {
        const char *rows = print_rows(writer, along, first, elements, here, indent);
        print_along(writer, nest, along, assign, arena_printf(writer->arena, "%s, %s", first, last), rows, elements, indent);
    }
    writer->replaced = NULL;
    if (here == NULL) writer_line(writer, indent, "%s = %s;", element, sum);
    else writer_line(writer, indent, "if (%s) %s = %s;", here, element, sum);
}
