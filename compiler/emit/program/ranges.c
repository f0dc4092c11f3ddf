/* Ranges of arrays and of parts that loops ask for, in locals before them: for all that a C compiler knows, who stores elements may
 * have changed a view.
 *
 *     const Hp5Range tallies_range2 = hp5_array_range(tallies_view, 1); */
#include "compiler/emit/program/writer.h"

static KeptRange *find(Writer *writer, const Expr *range) {
    for (size_t i = 0; i < writer->ranges.count; i++)
        if (lower_expr_equal(writer->ranges.items[i].range, range)) return &writer->ranges.items[i];
    return NULL;
}

static void note_range(void *data, const Expr *expr) {
    Writer *writer = data;
    if (expr->kind != EXPR_DIM_RANGE || find(writer, expr) != NULL) return;
    const char *text = writer_expr(writer, expr);
    const char *name = writer_fresh(writer, arena_printf(writer->arena, "%s_%srange%d", emit_symbol(writer->emit, expr->var), expr->local ? "part_" : "", expr->dimension + 1));
    vec_push(writer->arena, &writer->ranges, ((KeptRange){expr, arena_printf(writer->arena, "const Hp5Range %s = %s;", name, text), name, false}));
}

void writer_note_ranges(Writer *writer, const Block *body) { lower_walk_block(&(Walk){note_range, NULL, writer}, body); }

/* What a loop's first round asks for is asked once, unless the loop is inside of another one. */
static void note_loop(void *data, const Stmt *stmt) {
    Writer *writer = data;
    const Walk each = {note_range, NULL, writer};
    if (stmt->kind != STMT_PARALLEL && stmt->kind != STMT_SEQUENCE && stmt->kind != STMT_WHILE) return;
    for (size_t i = 0; i < stmt->indices.count; i++)
        for (size_t f = 0; f < stmt->indices.items[i].filters.count; f++) lower_walk_expr(&each, stmt->indices.items[i].filters.items[f]);
    if (stmt->kind == STMT_WHILE) lower_walk_expr(&each, stmt->value);
    writer_note_ranges(writer, &stmt->body);
}

void writer_note_ranges_in_loops(Writer *writer, const Block *body) { lower_walk_block(&(Walk){NULL, note_loop, writer}, body); }

const char *writer_range(Writer *writer, const Expr *range) {
    KeptRange *kept = find(writer, range);
    if (kept == NULL) return NULL;
    kept->used = true;
    return kept->name;
}

void writer_declare_ranges(Writer *writer, size_t first, size_t at, int indent) {
    char *rest = arena_strdup(writer->arena, writer->out->data + at);
    writer->out->length = at;
    for (size_t i = first; i < writer->ranges.count; i++)
        if (writer->ranges.items[i].used) writer_line(writer, indent, "%s", writer->ranges.items[i].declaration);
    text_append(writer->out, rest);
}
