/* Places of subscripts that are the same in all iterations of a nest, asked for once, in front of it:
 *
 *     {
 *         const int64_t x_at_k = hp5_place_of(&x_places1, k);
 *         for (int64_t j = …) {
 *             … x[x_at_k * x_ld1 + j] …
 *         }
 *     }
 *
 * On cards they are looked up, hp5_place_at(x_places1, k), and so are those of loops that stand outside already. */
#include "compiler/emit/cpu/stage.h"

typedef struct Fixing { Writer *writer; const Nest *nest; } Fixing;

typedef struct Known { const Fixing *fixing; bool holds; } Known;

/* Made of numbers and of scalars that are known in front of the nest and that it leaves alone. */
static void check_known(void *data, const Expr *expr) {
    Known *known = data;
    const bool sum = expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB || expr->op == OP_MUL);
    if (expr->kind == EXPR_VAR)
        known->holds &= expr->lag == 0 && expr->var->type->kind == TYPE_INTEGER && writer_find(known->fixing->writer, expr->var) != NULL &&
                        lower_block_writes(&known->fixing->nest->stmt->body, expr->var) == 0;
    else if (expr->kind != EXPR_INTEGER) known->holds &= sum;
}

/* Whether it has a place of its own already: that of a stretch, or one in front of a nest around. */
static bool is_placed(const Writer *writer, const Expr *element, int d) {
    const Expr *subscript = element->arguments.items[d];
    for (size_t i = 0; i < writer->fixed.count; i++) {
        const FixedPlace *fixed = &writer->fixed.items[i];
        if (fixed->array == element->var && fixed->dimension == d && lower_expr_equal(fixed->subscript, subscript)) return true;
    }
    for (size_t i = 0; i < writer->shifts.count; i++) {
        const IndexShift *shift = &writer->shifts.items[i];
        if (subscript->kind == EXPR_VAR && shift->index == subscript->var && shift->array == element->var && shift->dimension == d) return true;
    }
    return false;
}

static void find_fixed(void *data, const Expr *expr) {
    const Fixing *fixing = data;
    Writer *writer = fixing->writer;
    for (size_t d = 0; expr->kind == EXPR_ELEMENT && d < expr->arguments.count; d++) {
        const Expr *subscript = expr->arguments.items[d];
        Known known = {fixing, lower_has_gaps(writer->use, expr, d) && !is_placed(writer, expr, (int)d)};
        if (known.holds) lower_walk_expr(&(Walk){check_known, NULL, &known}, subscript);
        for (size_t l = 0; known.holds && !writer->crew && l < fixing->nest->loops.count; l++)
            known.holds = !lower_expr_mentions(subscript, fixing->nest->loops.items[l].index->var);
        if (known.holds) vec_push(writer->arena, &writer->fixed, ((FixedPlace){subscript, expr->var, (int)d, NULL}));
    }
}

static void print_place(Writer *writer, FixedPlace *fixed, int indent) {
    const char *symbol = emit_symbol(writer->emit, fixed->array), *of = fixed->subscript->kind == EXPR_VAR ? fixed->subscript->var->name : "fixed";
    const char *name = writer_fresh(writer, arena_printf(writer->arena, "%s_at_%s", symbol, of));
    writer_line(writer, indent, writer->crew ? "const int64_t %s = hp5_place_at(%s, %s);" : "const int64_t %s = hp5_place_of(&%s, %s);", name, writer_places(writer, fixed->array, fixed->dimension),
                writer_expr(writer, fixed->subscript));
    fixed->name = name;
}

int writer_fix_places(Writer *writer, const Nest *nest, int indent) {
    Fixing fixing = {writer, nest};
    size_t outside = writer->fixed.count;
    if (!writer->use || writer->emit->options.checked) return indent;
    lower_walk_block(&(Walk){find_fixed, NULL, &fixing}, &nest->stmt->body);
    if (writer->fixed.count == outside) return indent;
    writer_line(writer, indent, "{");
    for (size_t i = outside; i < writer->fixed.count; i++) print_place(writer, &writer->fixed.items[i], indent + 4);
    return indent + 4;
}
