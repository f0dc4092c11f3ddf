/* The multiply form: one call of runtime/array/multiply.h for the three innermost loops.
 *
 *     {
 *         const int64_t i = x_view->part[0].begin, i_end = x_view->part[0].end;
 *         …
 *         if (i < i_end && j < j_end && k < k_end)
 *             hp5_multiply_double(&x[i * x_ld1 + j - x_origin], x_ld1,
 *                                 (hp5_operand_double){&y[i * y_ld1 + k - y_origin], y_ld1, 1},
 *                                 (hp5_operand_double){&z[k * z_ld1 + j - z_origin], z_ld1, 1},
 *                                 i_end - i, j_end - j, k_end - k, false);
 *     }
 */
#include "compiler/emit/writer.h"

/* How far apart neighbours in `dimension` are, in elements. */
static char *stride(Writer *writer, const Operand *operand, int dimension) {
    const Expr *element = operand->element;
    if (dimension + 1 == (int)element->arguments.count) return arena_strdup(writer->arena, "1");
    return arena_printf(writer->arena, "%s_ld%d", emit_symbol(writer->emit, element->var), dimension + 1);
}

static void print_bounds(Writer *writer, const Loop *loop, int indent, const char **name, const char **end_name) {
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    *name = writer_declare(writer, loop->index->var);
    *end_name = writer_fresh(writer, arena_printf(writer->arena, "%s_end", *name));
    writer_line(writer, indent, "const int64_t %s = %s, %s = %s;", *name, begin, *end_name, end);
}

void writer_multiply(Writer *writer, const Nest *nest, int indent) {
    const Multiply *m = nest->multiply;
    const char *i, *i_end, *j, *j_end, *k, *k_end;
    const char *type = m->sum.element->type->kind == TYPE_REAL_SINGLE ? "single" : "double";
    writer_line(writer, indent, "{");
    print_bounds(writer, m->row, indent + 4, &i, &i_end);
    print_bounds(writer, m->column, indent + 4, &j, &j_end);
    print_bounds(writer, m->depth, indent + 4, &k, &k_end);
    writer_line(writer, indent + 4, "if (%s < %s && %s < %s && %s < %s)", i, i_end, j, j_end, k, k_end);
    writer_line(writer, indent + 8, "hp5_multiply_%s(&%s, %s,", type, writer_expr(writer, m->sum.element),
                stride(writer, &m->sum, m->sum.row));
    int inside = indent + 8 + (int)sizeof "hp5_multiply_double(" - 1;
    writer_line(writer, inside, "(hp5_operand_%s){&%s, %s, %s},", type, writer_expr(writer, m->left.element),
                stride(writer, &m->left, m->left.row), stride(writer, &m->left, m->left.depth));
    writer_line(writer, inside, "(hp5_operand_%s){&%s, %s, %s},", type, writer_expr(writer, m->right.element),
                stride(writer, &m->right, m->right.depth), stride(writer, &m->right, m->right.column));
    writer_line(writer, inside, "%s - %s, %s - %s, %s - %s, %s);", i_end, i, j_end, j, k_end, k,
                m->subtracts ? "true" : "false");
    writer_line(writer, indent, "}");
}
