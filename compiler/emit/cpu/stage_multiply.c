/* Products: one call of runtime/array/multiply.h for the three innermost loops.
 *
 *     {
 *         const int64_t i = x_view->part[0].begin, i_end = x_view->part[0].end;
 *         …
 *         if (i < i_end && j < j_end && k < k_end)
 *             hp5_multiply_double(&x[i * x_ld1 + j], x_ld1,
 *                                 (hp5_operand_double){&y[i * y_ld1 + k], y_ld1, 1},
 *                                 (hp5_operand_double){&z[k * z_ld1 + j], z_ld1, 1},
 *                                 i_end - i, j_end - j, k_end - k, false);
 *     }
 *
 * Where a part may have several runs, a loop over its runs stands around that, and the product is that of runs.
 */
#include "compiler/emit/cpu/stage.h"

/* How far apart neighbours in `dimension` are, in elements. */
static char *stride(Writer *writer, const Operand *operand, int dimension) {
    const Expr *element = operand->element;
    bool fastest = dimension == writer_dimension(writer, element->var, (int)element->arguments.count - 1);
    return fastest ? arena_strdup(writer->arena, "1") : writer_ld(writer, element->var, dimension);
}

/* Declares the loop's first index and its end, inside a loop over runs where the part may have several; returns the
 * indentation inside. */
static int print_bounds(Writer *writer, const Loop *loop, int indent, const char **name, const char **end_name) {
    const char *run = NULL;
    if (!loop->interval) {
        run = writer_runs(writer, loop, indent);
        indent += 4;
    }
    char *begin, *end;
    writer_loop_bounds(writer, loop, run, &begin, &end);
    *name = writer_declare(writer, loop->index->var);
    *end_name = writer_fresh(writer, arena_printf(writer->arena, "%s_end", *name));
    writer_line(writer, indent, "const int64_t %s = %s, %s = %s;", *name, begin, *end_name, end);
    return indent;
}

void writer_multiply(Writer *writer, const Nest *nest, int indent) {
    const Product *m = nest->product;
    const char *i, *i_end, *j, *j_end, *k, *k_end;
    const char *type = m->sum.element->type->kind == TYPE_REAL_SINGLE ? "single" : "double";
    writer_line(writer, indent, "{");
    int inside = print_bounds(writer, m->row, indent + 4, &i, &i_end);
    inside = print_bounds(writer, m->column, inside, &j, &j_end);
    inside = print_bounds(writer, m->depth, inside, &k, &k_end);
    writer_line(writer, inside, "if (%s < %s && %s < %s && %s < %s)", i, i_end, j, j_end, k, k_end);
    writer_line(writer, inside + 4, "hp5_multiply_%s(&%s, %s,", type, writer_expr(writer, m->sum.element),
                stride(writer, &m->sum, m->sum.row));
    int arguments = inside + 4 + (int)sizeof "hp5_multiply_double(" - 1;
    writer_line(writer, arguments, "(hp5_operand_%s){&%s, %s, %s},", type, writer_expr(writer, m->left.element),
                stride(writer, &m->left, m->left.row), stride(writer, &m->left, m->left.depth));
    writer_line(writer, arguments, "(hp5_operand_%s){&%s, %s, %s},", type, writer_expr(writer, m->right.element),
                stride(writer, &m->right, m->right.depth), stride(writer, &m->right, m->right.column));
    writer_line(writer, arguments, "%s - %s, %s - %s, %s - %s, %s);", i_end, i, j_end, j, k_end, k,
                m->subtracts ? "true" : "false");
    writer_loop_end(writer, inside, indent);
}
