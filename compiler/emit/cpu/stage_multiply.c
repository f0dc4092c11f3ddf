/* Products: one call of runtime/array/multiply.h for the three innermost loops (on cards, of runtime/card/product_tiles.h by all threads of a crew).
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
 * Where a part may have several runs, a loop over its runs stands around that, and the product is that of runs. Indices that
 * bound each other, and factors that are computed, need more: see print_within and print_computed. */
#include "compiler/emit/cpu/stage.h"

#include <string.h>

typedef struct Ends { const char *first, *end; } Ends;
typedef struct Printing {
    Writer *writer;
    const Product *m;
    const char *type, *c_type;     /* "double", "single"; of C */
    Ends row, column, depth;
    const char *product;           /* C name of the Hp5Product, or NULL */
} Printing;

/* How far apart neighbours in `dimension` are, in elements. */
static char *stride(Writer *writer, const Operand *operand, int dimension) {
    const Expr *element = operand->value;
    bool fastest = dimension == writer_dimension(writer, element->var, (int)element->arguments.count - 1);
    return fastest ? arena_strdup(writer->arena, "1") : writer_ld(writer, element->var, dimension);
}

static char *element_operand(const Printing *p, const Operand *operand, int rows, int columns) {
    Writer *writer = p->writer;
    const bool cpp = writer->crew != NULL;
    return arena_printf(writer->arena, "%shp5_operand_%s%s{&%s, %s, %s}", cpp ? "" : "(", p->type, cpp ? "" : ")", writer_expr(writer, operand->value),
                        stride(writer, operand, rows), stride(writer, operand, columns));
}

/* ---- Bounds ----------------------------------------------------------------------------------------------- */
/* The ends of a loop, inside a loop over runs where the part may have several. */
static int print_runs(Writer *writer, const Loop *box, int indent, char **begin, char **end) {
    const char *run = NULL;
    if (!box->interval) {
        run = writer_runs(writer, box, indent);
        indent += 4;
    }
    writer_loop_bounds(writer, box, run, begin, end);
    return indent;
}

/* Declares the loop's first index and its end; returns the indentation inside. */
static int print_bounds(Writer *writer, const Loop *box, int indent, Ends *ends) {
    char *begin, *end;
    indent = print_runs(writer, box, indent, &begin, &end);
    ends->first = writer_declare(writer, box->index->var);
    ends->end = writer_fresh(writer, arena_printf(writer->arena, "%s_end", ends->first));
    writer_line(writer, indent, "const int64_t %s = %s, %s = %s;", ends->first, begin, ends->end, end);
    return indent;
}

/* What is added to `other` in a bound; NULL: nothing. */
static char *offset_of(Writer *writer, const Expr *bound) {
    if (bound->kind == EXPR_VAR) return NULL;
    char *before = offset_of(writer, bound->left), *text = writer_expr_primary(writer, bound->right);
    const char *sign = bound->op == OP_SUB ? "-" : "+";
    if (before) return arena_printf(writer->arena, "%s %s %s", before, sign, text);
    return arena_printf(writer->arena, "%s%s", bound->op == OP_SUB ? "-" : "", text);
}

/* An end of the band of `to` - `from`. A bound of `from` by `to` says the same with the other sign, at the other end. */
static char *band_end(const Printing *p, const Var *to, const Var *from, bool most) {
    Arena *arena = p->writer->arena;
    char *text = NULL;
    for (size_t b = 0; b < p->m->bounds.count; b++) {
        const ProductBound *bound = &p->m->bounds.items[b];
        const bool straight = bound->index == to && bound->other == from;
        if (!(straight && bound->upper == most) && !(bound->index == from && bound->other == to && bound->upper != most)) continue;
        char *offset = offset_of(p->writer, bound->bound);
        if (!offset) offset = arena_strdup(arena, "0");
        else if (!straight) offset = arena_printf(arena, "-(%s)", offset);
        text = text ? arena_printf(arena, "%s(%s, %s)", most ? "hp5_min" : "hp5_max", text, offset) : offset;
    }
    return text;
}

static void print_band(const Printing *p, const char *name, const Loop *to, const Loop *from, int indent) {
    const char *least = band_end(p, to->index->var, from->index->var, false), *most = band_end(p, to->index->var, from->index->var, true);
    if (!least && !most) writer_line(p->writer, indent, ".%s = HP5_ANY_BAND,", name);
    else writer_line(p->writer, indent, ".%s = {%s, %s}, /* of %s - %s */", name, least ? least : "-HP5_FAR", most ? most : "HP5_FAR",
                     to->index->var->name, from->index->var->name);
}

/* Declares the box and its bands, and goes on if anything is in it:
 *
 *     Hp5Product product = {
 *         .row = x_view->part[0].begin, .row_end = x_view->part[0].end,
 *         …
 *         .column_row = {-HP5_FAR, 0},
 *         .depth_row = HP5_ANY_BAND,
 *         .depth_column = HP5_ANY_BAND,
 *     };
 *     if (hp5_product_clip(&product)) { */
static int print_product(Printing *p, int indent) {
    Writer *writer = p->writer;
    const Product *m = p->m;
    static const char *const names[3] = {"row", "column", "depth"};
    char *begin[3], *end[3];
    for (int i = 0; i < 3; i++) indent = print_runs(writer, &m->boxes[i], indent, &begin[i], &end[i]);
    p->product = writer_fresh(writer, "product");
    writer_line(writer, indent, "Hp5Product %s = {", p->product);
    for (int i = 0; i < 3; i++) writer_line(writer, indent + 4, ".%s = %s, .%s_end = %s,", names[i], begin[i], names[i], end[i]);
    print_band(p, "column_row", m->column, m->row, indent + 4);
    print_band(p, "depth_row", m->depth, m->row, indent + 4);
    print_band(p, "depth_column", m->depth, m->column, indent + 4);
    writer_line(writer, indent, "};");
    writer_line(writer, indent, "if (hp5_product_clip(&%s)) {", p->product);
    return indent + 4;
}

static void print_first(const Printing *p, const Loop *loop, const char *text, int indent) {
    writer_line(p->writer, indent, "const int64_t %s = %s;", writer_declare(p->writer, loop->index->var), text);
}

/* ---- The call --------------------------------------------------------------------------------------------- */
/* left, right: the operands as C text; of: "&product", or "i_end - i, …" . */
static void print_call(const Printing *p, const char *function, const char *left, const char *right, const char *of, int indent) {
    Writer *writer = p->writer;
    const Product *m = p->m;
    const int arguments = indent + 1 + (int)(strlen(function) + 1 + strlen(p->type));
    const char *of_all = writer->crew ? "crew, " : writer->joined ? arena_printf(writer->arena, "%s, ", writer->joined) : "";
    writer_line(writer, indent, "%s_%s(%s&%s, %s,", function, p->type, of_all, writer_expr(writer, m->sum.value), stride(writer, &m->sum, m->sum.row));
    writer_line(writer, arguments, "%s,", left);
    writer_line(writer, arguments, "%s,", right);
    writer_line(writer, arguments, "%s, %s);", of, m->subtracts ? "true" : "false");
}

static void print_plain(Printing *p, int indent) {
    Writer *writer = p->writer;
    const Product *m = p->m;
    int inside = print_bounds(writer, &m->boxes[0], indent, &p->row);
    inside = print_bounds(writer, &m->boxes[1], inside, &p->column);
    inside = print_bounds(writer, &m->boxes[2], inside, &p->depth);
    writer_line(writer, inside, "if (%s < %s && %s < %s && %s < %s)", p->row.first, p->row.end, p->column.first, p->column.end, p->depth.first, p->depth.end);
    print_call(p, writer->joined ? "hp5_multiply_joined" : "hp5_multiply", element_operand(p, &m->left, m->left.row, m->left.depth), element_operand(p, &m->right, m->right.depth, m->right.column),
               arena_printf(writer->arena, "%s - %s, %s - %s, %s - %s", p->row.end, p->row.first, p->column.end, p->column.first, p->depth.end,
                            p->depth.first),
               inside + 4);
    writer_loop_end(writer, inside, indent);
}

/* Indices that bound each other: the box and its bands are handed over. */
static void print_within(Printing *p, int indent) {
    const Product *m = p->m;
    Arena *arena = p->writer->arena;
    const int inside = print_product(p, indent);
    print_first(p, m->row, arena_printf(arena, "%s.row", p->product), inside);
    print_first(p, m->column, arena_printf(arena, "%s.column", p->product), inside);
    print_first(p, m->depth, arena_printf(arena, "%s.depth", p->product), inside);
    print_call(p, "hp5_multiply_within", element_operand(p, &m->left, m->left.row, m->left.depth),
               element_operand(p, &m->right, m->right.depth, m->right.column), arena_printf(arena, "&%s", p->product), inside);
    writer_loop_end(p->writer, inside, indent);
}

/* ---- Factors that are computed ------------------------------------------------------------------------------ */
/* Computes a factor for all pairs of two indices of a piece: rows of `values`, `width` apart. */
static void print_values(const Printing *p, const Operand *factor, const Loop *outer, const char *outer_end, const Loop *inner, const char *inner_end,
                         const char *values, const char *width, const char *piece, int indent) {
    Writer *writer = p->writer;
    const size_t mark = writer->scope.count;
    const char *row = writer_declare(writer, outer->index->var);
    writer_line(writer, indent, "for (int64_t %s = %s.%s; %s < %s.%s_end; %s++) {", row, piece, outer_end, row, piece, outer_end, row);
    const char *column = writer_declare(writer, inner->index->var);
    writer_line(writer, indent + 4, "for (int64_t %s = %s.%s; %s < %s.%s_end; %s++) {", column, piece, inner_end, column, piece, inner_end, column);
    writer_line(writer, indent + 8, "%s[(%s - %s.%s) * %s + %s - %s.%s] = %s;", values, row, piece, outer_end, width, column, piece, inner_end,
                writer_expr(writer, factor->value));
    writer_loop_end(writer, indent + 8, indent);
    writer->scope.count = mark;
}

static char *values_operand(const Printing *p, const char *values, const char *width) {
    return arena_printf(p->writer->arena, "(hp5_operand_%s){%s, %s, 1}", p->type, values, width);
}

static const char *declare_values(const Printing *p, const Operand *factor, const char *name, const char *size, int indent) {
    if (!factor->computed) return NULL;
    const char *values = writer_fresh(p->writer, name);
    writer_line(p->writer, indent, "%s %s[%s];", p->c_type, values, size);
    return values;
}

/* In pieces of which the factors' values fit into a cache:
 *
 *     double right_values[HP5_VALUE_DEPTH * HP5_VALUE_COLUMNS];
 *     for (int64_t column = product.column; …; column += HP5_VALUE_COLUMNS) {
 *         for (int64_t depth = product.depth; …; depth += HP5_VALUE_DEPTH) {
 *             Hp5Product slab = hp5_product_piece(&product, …);
 *             if (!hp5_product_clip(&slab)) continue;
 *             … the values of the right factor
 *             for (int64_t row = slab.row; …; row += HP5_VALUE_ROWS) {
 *                 Hp5Product piece = hp5_product_piece(&slab, …);
 *                 if (!hp5_product_clip(&piece)) continue;
 *                 … the values of the left factor
 *                 const int64_t i = piece.row, …;
 *                 hp5_multiply_within_double(…);
 *             }
 *         }
 *     } */
static void print_computed(Printing *p, int outside) {
    Writer *writer = p->writer;
    Arena *arena = writer->arena;
    const Product *m = p->m;
    int indent = print_product(p, outside);
    const char *left = declare_values(p, &m->left, "left_values", "HP5_VALUE_ROWS * HP5_VALUE_DEPTH", indent);
    const char *right = declare_values(p, &m->right, "right_values", "HP5_VALUE_DEPTH * HP5_VALUE_COLUMNS", indent);
    const char *column = writer_fresh(writer, "column"), *depth = writer_fresh(writer, "depth"), *row = writer_fresh(writer, "row");
    const char *slab = writer_fresh(writer, "slab"), *piece = writer_fresh(writer, "piece");
    writer_line(writer, indent, "for (int64_t %s = %s.column; %s < %s.column_end; %s += HP5_VALUE_COLUMNS) {", column, p->product, column, p->product, column);
    indent += 4;
    writer_line(writer, indent, "for (int64_t %s = %s.depth; %s < %s.depth_end; %s += HP5_VALUE_DEPTH) {", depth, p->product, depth, p->product, depth);
    indent += 4;
    writer_line(writer, indent, "Hp5Product %s = hp5_product_piece(&%s, %s.row, HP5_FAR, %s, HP5_VALUE_COLUMNS, %s, HP5_VALUE_DEPTH);", slab, p->product,
                p->product, column, depth);
    writer_line(writer, indent, "if (!hp5_product_clip(&%s)) continue;", slab);
    if (right) print_values(p, &m->right, m->depth, "depth", m->column, "column", right, "HP5_VALUE_COLUMNS", slab, indent);
    writer_line(writer, indent, "for (int64_t %s = %s.row; %s < %s.row_end; %s += HP5_VALUE_ROWS) {", row, slab, row, slab, row);
    indent += 4;
    writer_line(writer, indent, "Hp5Product %s = hp5_product_piece(&%s, %s, HP5_VALUE_ROWS, %s.column, HP5_VALUE_COLUMNS, %s.depth, HP5_VALUE_DEPTH);", piece,
                slab, row, slab, slab);
    writer_line(writer, indent, "if (!hp5_product_clip(&%s)) continue;", piece);
    if (left) print_values(p, &m->left, m->row, "row", m->depth, "depth", left, "HP5_VALUE_DEPTH", piece, indent);
    print_first(p, m->row, arena_printf(arena, "%s.row", piece), indent);
    print_first(p, m->column, arena_printf(arena, "%s.column", piece), indent);
    if (!left || !right) print_first(p, m->depth, arena_printf(arena, "%s.depth", piece), indent);
    const char *corner = right ? arena_printf(arena, "&%s[(%s.depth - %s.depth) * HP5_VALUE_COLUMNS + %s.column - %s.column]", right, piece, slab, piece, slab) : NULL;
    print_call(p, "hp5_multiply_within", left ? values_operand(p, left, "HP5_VALUE_DEPTH") : element_operand(p, &m->left, m->left.row, m->left.depth),
               right ? values_operand(p, corner, "HP5_VALUE_COLUMNS") : element_operand(p, &m->right, m->right.depth, m->right.column),
               arena_printf(arena, "&%s", piece), indent);
    writer_loop_end(writer, indent, outside);
}

void writer_multiply(Writer *writer, const Nest *nest, int indent) {
    const Product *m = nest->product;
    const Type *type = m->sum.value->type;
    Printing p = {.writer = writer, .m = m, .type = type->kind == TYPE_REAL_SINGLE ? "single" : "double", .c_type = emit_type(writer->emit, type)};
    writer_line(writer, indent, "{");
    if (m->left.computed || m->right.computed) print_computed(&p, indent + 4);
    else if (m->bounds.count > 0) print_within(&p, indent + 4);
    else print_plain(&p, indent + 4);
    writer_loop_end(writer, indent + 4, indent);
}
