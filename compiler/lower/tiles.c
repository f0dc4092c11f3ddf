/* Rows that add those before them, and columns of rows that are computed one after the other. What the rows of a panel get of finished ones are products, and so is what they get of
 * columns in front of the panel, which go first, for all of its rows at once:
 *
 *     do in sequence {                                                     do in sequence {
 *         do in sequence {                                                     last = min(panel + 47, n - 1)
 *             do { a[i][j] = a[i][j] - a[i][k] * a[k][j] }                      do in sequence {
 *                     for k in … and k < j                                          do { a[i][j] = a[i][j] - a[i][k] * a[k][j] } for i in panel...last; k in … and k < j and k < panel
 *             a[i][j] = a[i][j] / a[j][j]                                           do { a[i][j] = a[i][j] / a[j][j] } for i in panel...last
 *         } for j in 0...(i - 1)                                                } for j in 0...(panel - 1)
 *         do { a[i][j] = a[i][j] - a[i][k] * a[k][j] }                          do { … } for i in panel...last; j in panel...(i - 1); k in … and k < panel
 *                 for j in … and j >= i; k in … and k < i                       do { … } for i in panel...last; j in … and j >= i; k in … and k < panel
 *     } for i in 0...(n - 1)                                                    do in sequence {
 *                                                                                   do in sequence { … for k in … and k < j and k >= panel … } for j in panel...(i - 1)
 *                                                                                   do { … } for j in … and j >= i; k in … and k < i and k >= panel
 *                                                                               } for i in panel...last
 *                                                                           } for panel in 0...(n - 1) step 48
 *
 * The loop over columns in front of the panel is one over rows that add those before them itself, and goes by panels. Rows without such a loop, triangular systems say, have the products
 * and the rest. What a row begins with, `x[i][j] = b[i][j]`, stands in front of its panel's products.
 *
 * Needs: panel.h. Gives: the block of a panel. */
#include "compiler/lower/panel.h"
#include "compiler/lower/passes.h"

typedef struct Tiles {
    const Panels *panels;
    StmtVec begins, pieces;      /* what goes first, and the others */
    const Stmt *columns;         /* the loop over columns, the first of these, or NULL */
    StmtVec inside;              /* its pieces */
    size_t begins_inside;        /* those that a column begins with */
    Rows until;                  /* as the rows, but of its index */
    StmtVec products;
} Tiles;

static Block alone(Stmt *const *piece) { return (Block){.statements = {.items = (Stmt **)(uintptr_t)piece, .count = 1}}; }

/* ---- Elements ----------------------------------------------------------------------------------------------------- */

/* Whether the element is of a row that is at most the loop's plus the number. */
static bool is_row_at_most(const Rows *rows, const RowArray *array, const Expr *element, int64_t number) {
    for (size_t d = 0; d < element->arguments.count && d < 32; d++)
        if ((array->dimensions & 1u << d) != 0 && lower_is_at_most(rows, element->arguments.items[d], number)) return true;
    return false;
}

static bool is_own(const Rows *rows, const RowArray *array, const Expr *element) {
    for (size_t d = 0; d < element->arguments.count && d < 32; d++)
        if ((array->dimensions & 1u << d) != 0 && lower_is_index(element->arguments.items[d], rows->row)) return true;
    return false;
}

/* The other dimension than that of rows; -1: there are not two. */
static int column_dimension(const RowArray *array) {
    if (array->targets.items[0]->arguments.count != 2) return -1;
    return (array->dimensions & 1u) != 0 ? 1 : 0;
}

typedef struct Reads { const Tiles *tiles; const Expr *target; bool fits; } Reads;

static const RowArray *array_of(const Reads *reads, const Expr *expr) {
    const Rows *rows = &reads->tiles->panels->rows;
    const RowArray *array = expr->kind == EXPR_ELEMENT ? lower_row_array(rows, expr->var) : NULL;
    return array == NULL || lower_lies_in_front(rows, expr) ? NULL : array;
}

static bool reads_fit(const Tiles *tiles, void (*look)(void *, const Expr *), Stmt *piece) {
    Reads reads = {tiles, NULL, true};
    const Block block = alone(&piece);
    lower_walk_block(&(Walk){look, NULL, &reads}, &block);
    return reads.fits;
}

/* No later rows. */
static void look_at_row(void *data, const Expr *expr) {
    Reads *reads = data;
    const RowArray *array = array_of(reads, expr);
    reads->fits = reads->fits && (array == NULL || is_row_at_most(&reads->tiles->panels->rows, array, expr, 0));
}

/* Its row alone. */
static void look_at_own(void *data, const Expr *expr) {
    Reads *reads = data;
    const RowArray *array = array_of(reads, expr);
    reads->fits = reads->fits && (array == NULL || is_own(&reads->tiles->panels->rows, array, expr));
}

/* ---- Columns ------------------------------------------------------------------------------------------------------- */

/* Of its row the columns up to its own, and else rows up to that: in front of a panel these are finished. */
static void look_at_column(void *data, const Expr *expr) {
    Reads *reads = data;
    const Tiles *tiles = reads->tiles;
    const Rows *rows = &tiles->panels->rows;
    const RowArray *array = array_of(reads, expr);
    if (array == NULL) return;
    const int column = column_dimension(array);
    const bool in_front = column >= 0 && lower_is_at_most(&tiles->until, expr->arguments.items[column], 0);
    if (is_own(rows, array, expr)) reads->fits = reads->fits && in_front;
    else reads->fits = reads->fits && is_row_at_most(&tiles->until, array, expr, 0) && (in_front || is_row_at_most(rows, array, expr, -1)); /* a column may be the row's own number */
}

/* Its element alone. */
static void look_at_place(void *data, const Expr *expr) {
    Reads *reads = data;
    const RowArray *array = array_of(reads, expr);
    const int column = array == NULL ? -1 : column_dimension(array);
    if (array == NULL) return;
    reads->fits = reads->fits && column >= 0 && is_own(&reads->tiles->panels->rows, array, expr) && lower_is_index(expr->arguments.items[column], reads->tiles->columns->index);
}

typedef struct Writes { const Tiles *tiles; bool inside, fits; } Writes;

/* The loop over columns writes those that its index counts, and all else what lies behind a panel's beginning. */
static void look_at_write(void *data, const Stmt *stmt) {
    Writes *writes = data;
    const Rows *rows = &writes->tiles->panels->rows;
    const RowArray *array = stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_ELEMENT ? lower_row_array(rows, stmt->target->var) : NULL;
    if (array == NULL) return;
    const int column = column_dimension(array);
    const Expr *subscript = column < 0 ? NULL : stmt->target->arguments.items[column];
    if (writes->inside) writes->fits = writes->fits && subscript != NULL && lower_is_index(subscript, writes->tiles->columns->index);
    else writes->fits = writes->fits && (subscript == NULL || lower_is_at_least(rows, subscript, 0));
}

static bool writes_fit(const Tiles *tiles) {
    Writes writes = {tiles, true, true};
    for (size_t i = 0; i < tiles->pieces.count; i++, writes.inside = false) {
        const Block block = alone(&tiles->pieces.items[i]);
        lower_walk_block(&(Walk){NULL, look_at_write, &writes}, &block);
    }
    return writes.fits;
}

/* The same in all rows. */
static void look_at_constant(void *data, const Expr *expr) {
    Reads *reads = data;
    const Rows *rows = &reads->tiles->panels->rows;
    bool moves = expr->var != NULL && expr->kind != EXPR_DIM_RANGE && lower_block_writes(&rows->loop->body, expr->var) > 0;
    for (size_t i = 0; i < rows->indices.count; i++) moves = moves || (expr->kind == EXPR_VAR && expr->var == rows->indices.items[i].var);
    reads->fits = reads->fits && !moves;
}

/* Whether it begins where all rows do, and comes to the column in front of the row, or further. */
static bool goes_to_row(const Tiles *tiles, const Stmt *loop) {
    if (!lower_counts_up(loop) || loop->value->kind != EXPR_RANGE || loop->body.locals.count > 0) return false;
    Reads reads = {tiles, NULL, true};
    lower_walk_expr(&(Walk){look_at_constant, NULL, &reads}, loop->value->left);
    return reads.fits && lower_is_at_least(&tiles->panels->rows, loop->value->right, -1);
}

static void find_columns(Tiles *tiles) {
    const Panels *panels = tiles->panels;
    const Stmt *loop = tiles->pieces.count > 0 ? tiles->pieces.items[0] : NULL;
    if (loop == NULL || !goes_to_row(tiles, loop)) return;
    tiles->columns = loop;
    tiles->until = panels->rows;
    tiles->until.row = loop->index;
    if (!reads_fit(tiles, look_at_column, tiles->pieces.items[0]) || !writes_fit(tiles)) {
        tiles->columns = NULL;
        return;
    }
    panel_find_pieces(panels, &loop->body, &tiles->inside);
    while (tiles->begins_inside < tiles->inside.count && reads_fit(tiles, look_at_place, tiles->inside.items[tiles->begins_inside])) tiles->begins_inside++;
}

/* ---- Sums ----------------------------------------------------------------------------------------------------------- */

typedef struct Terms { const Tiles *tiles; const PanelSum *sum; const Var *depth; bool fits; } Terms;

/* What the sum reads of what the loop writes is of rows that are finished, or of columns in front of the panel. */
static void look_at_term(void *data, const Expr *expr) {
    Terms *terms = data;
    const Rows *rows = &terms->tiles->panels->rows;
    const RowArray *array = expr->kind == EXPR_ELEMENT ? lower_row_array(rows, expr->var) : NULL;
    if (array == NULL || lower_expr_equal(expr, terms->sum->assign->target) || lower_lies_in_front(rows, expr)) return;
    bool fits = false;
    for (size_t d = 0; d < expr->arguments.count && d < 32; d++) {
        if (!lower_is_index(expr->arguments.items[d], terms->depth)) continue;
        fits = fits || (array->dimensions & 1u << d) != 0;
        fits = fits || (terms->tiles->columns != NULL && column_dimension(array) == (int)d && lower_is_at_most(rows, expr->arguments.items[1 - d], 0));
    }
    terms->fits = terms->fits && fits;
}

/* `rows`: what bounds the index that counts terms, of rows or of columns. */
static bool has_depth(const Tiles *tiles, const PanelSum *sum, const LoopIndex *depth, const Rows *rows) {
    const Expr name = {.kind = EXPR_VAR, .var = depth->var};
    if (lower_expr_mentions(sum->assign->target, depth->var) || !lower_is_at_most(rows, &name, -1)) return false;
    Terms terms = {tiles, sum, depth->var, true};
    lower_walk_expr(&(Walk){look_at_term, NULL, &terms}, sum->assign->value);
    for (size_t i = 0; i < sum->indices.count; i++) terms.fits = terms.fits && (&sum->indices.items[i] == depth || !lower_bounds_mention(&sum->indices.items[i], depth->var));
    return terms.fits;
}

static void look_at_other(void *data, const Expr *expr) {
    Reads *reads = data;
    const RowArray *array = expr->var == reads->target->var ? array_of(reads, expr) : NULL;
    const Rows *rows = &reads->tiles->panels->rows;
    reads->fits = reads->fits && (array == NULL || is_row_at_most(rows, array, expr, -1) || lower_are_apart(rows, expr, reads->target));
}

/* Whether none of the pieces asks for the element of its row. */
static bool leave_alone(const Tiles *tiles, const StmtVec *pieces, size_t count, const Expr *target) {
    Reads reads = {tiles, target, true};
    for (size_t i = 0; i < count && reads.fits; i++) {
        const Block block = alone(&pieces->items[i]);
        lower_walk_block(&(Walk){look_at_other, NULL, &reads}, &block);
    }
    return reads.fits;
}

/* Whether nothing in front of the sum asks for its elements. */
static bool may_go(const Tiles *tiles, const PanelSum *sum, bool inside) {
    if (!inside) return leave_alone(tiles, &tiles->pieces, sum->place, sum->assign->target);
    for (size_t i = tiles->begins_inside; i < sum->place; i++) {
        const Block block = alone(&tiles->inside.items[i]);
        if (lower_block_mentions(&block, sum->assign->target->var)) return false;
    }
    return true;
}

/* Where what lies in front of the panel ends. */
static Expr *before_panel(const Tiles *tiles) { return panel_sum(tiles->panels, tiles->panels->first, OP_SUB, 1); }

/* The loop's beginning, if the panel's does not come later. */
static Expr *columns_from(const Tiles *tiles) {
    const Panels *panels = tiles->panels;
    Expr *from = tiles->columns->value->left, *first = panel_name(panels, panels->first);
    const Expr *rows = panels->loop->value;
    const bool both = rows->kind == EXPR_RANGE && (lower_expr_equal(rows->left, from) || (rows->left->kind == EXPR_INTEGER && from->kind == EXPR_INTEGER && from->integer <= rows->left->integer));
    return both ? first : panel_extreme(panels, "llmax", from, first);
}

/* The part of the sum that is a product of what is finished, and what is left of it; NULL: there is no such part. */
static Stmt *part_of(Tiles *tiles, const PanelSum *sum, const LoopIndex *depth, bool inside) {
    const Panels *panels = tiles->panels;
    if (!has_depth(tiles, sum, depth, inside ? &tiles->until : &panels->rows) || !may_go(tiles, sum, inside)) return NULL;
    PanelSum around = *sum;
    around.indices = (IndexVec){0};
    if (inside) vec_push(panels->arena, &around.indices, ((LoopIndex){.var = tiles->columns->index, .other_dimension = -1, .span = tiles->columns->span, .domain_range = tiles->columns->value}));
    for (size_t i = 0; i < sum->indices.count; i++) vec_push(panels->arena, &around.indices, sum->indices.items[i]);
    Stmt *product = panel_loop(panels, &around, true), *rest = panel_loop(panels, sum, false);
    panel_bound_instead(panels, product, depth->var, true, before_panel(tiles), inside ? tiles->columns->index : panels->rows.row);
    panel_bound(panels, rest, depth->var, false, panel_name(panels, panels->first));
    for (size_t i = 0; i < around.indices.count; i++) { /* of those from the row on, and of columns, it is said again, for who looks at one loop alone, that they are in the panel or behind it */
        const Expr name = {.kind = EXPR_VAR, .var = around.indices.items[i].var};
        if ((inside && i == 0) || lower_is_at_least(&panels->rows, &name, 0)) panel_bound(panels, product, name.var, false, panel_name(panels, panels->first));
    }
    if (!panel_is_product(panels, product)) return NULL;
    vec_push(panels->arena, &tiles->products, product);
    return rest;
}

static Stmt *rest_of(Tiles *tiles, const StmtVec *pieces, size_t place, bool inside) {
    PanelSum sum;
    Stmt *rest = NULL;
    if (!panel_is_sum(tiles->panels, pieces, place, &sum)) return pieces->items[place];
    for (size_t i = 0; i < sum.indices.count && rest == NULL; i++) rest = part_of(tiles, &sum, &sum.indices.items[i], inside);
    return rest != NULL ? rest : pieces->items[place];
}

/* ---- A panel --------------------------------------------------------------------------------------------------------- */

/* The piece in all rows of the panel. */
static Stmt *in_rows(const Tiles *tiles, Stmt *piece) {
    const Panels *panels = tiles->panels;
    Stmt *loop = panel_stmt(panels, STMT_PARALLEL, NULL);
    loop->span = piece->span;
    vec_push(panels->arena, &loop->indices, panel_over_rows(panels));
    if (piece->kind == STMT_PARALLEL) {
        for (size_t i = 0; i < piece->indices.count; i++) vec_push(panels->arena, &loop->indices, piece->indices.items[i]);
        loop->body = panel_copy(panels->arena, &piece->body); /* the piece stands in the rest as well */
    } else vec_push(panels->arena, &loop->body.statements, piece);
    return loop;
}

/* A sum in all rows of the panel: that it adds what lies in front of it is said again, for those who look at one loop alone. */
static Stmt *sum_in_rows(const Tiles *tiles, const StmtVec *pieces, size_t place) {
    const Panels *panels = tiles->panels;
    PanelSum sum;
    if (!panel_is_sum(panels, pieces, place, &sum)) return in_rows(tiles, pieces->items[place]);
    Stmt *loop = panel_loop(panels, &sum, true);
    for (size_t i = 0; i < sum.indices.count; i++)
        if (has_depth(tiles, &sum, &sum.indices.items[i], &tiles->until)) panel_bound(panels, loop, sum.indices.items[i].var, true, before_panel(tiles));
    return loop;
}

static Stmt *over_columns(const Tiles *tiles, Expr *from, Expr *to, Block *block) {
    Stmt *loop = panel_stmt(tiles->panels, STMT_SEQUENCE, block);
    loop->span = tiles->columns->span;
    loop->index = tiles->columns->index;
    loop->value = panel_range(tiles->panels, from, to);
    return loop;
}

/* Columns in front of the panel. */
static void add_columns(const Tiles *tiles) {
    const Panels *panels = tiles->panels;
    Stmt *loop = over_columns(tiles, tiles->columns->value->left, before_panel(tiles), panels->block);
    for (size_t i = 0; i < tiles->inside.count; i++) vec_push(panels->arena, &loop->body.statements, sum_in_rows(tiles, &tiles->inside, i));
}

/* What columns from the panel on begin with. */
static void add_begins(const Tiles *tiles) {
    const Panels *panels = tiles->panels;
    Stmt *loop = over_columns(tiles, columns_from(tiles), tiles->columns->value->right, &panel_rows(panels)->body);
    for (size_t i = 0; i < tiles->begins_inside; i++) vec_push(panels->arena, &loop->body.statements, tiles->inside.items[i]);
}

/* Elements that it writes, and that the others leave alone. */
typedef struct Begins { const Tiles *tiles; bool fits; } Begins;

static void look_at_begun(void *data, const Stmt *stmt) {
    Begins *begins = data;
    if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_ELEMENT) begins->fits = begins->fits && leave_alone(begins->tiles, &begins->tiles->pieces, begins->tiles->pieces.count, stmt->target);
}

/* Reads nothing that is written but what it has written. */
static void look_at_given(void *data, const Expr *expr) {
    Reads *reads = data;
    const RowArray *array = array_of(reads, expr);
    bool any = array == NULL;
    for (size_t t = 0; !any && t < array->targets.count; t++) any = array->targets.items[t] == expr;
    reads->fits = reads->fits && any;
}

/* What a row begins with, or might: it reads its row alone, and where something stands in front of it, nothing that this has to do with. */
static bool begins_row(const Tiles *tiles, Stmt *piece) {
    const Block block = alone(&piece);
    if (tiles->pieces.count == 0) return reads_fit(tiles, look_at_own, piece);
    Begins begins = {tiles, reads_fit(tiles, look_at_given, piece)};
    if (begins.fits) lower_walk_block(&(Walk){NULL, look_at_begun, &begins}, &block);
    return begins.fits;
}

static void find_begins(Tiles *tiles) {
    const Panels *panels = tiles->panels;
    for (size_t i = 0; i < panels->pieces.count; i++) {
        PanelSum sum;
        Stmt *piece = panels->pieces.items[i];
        const bool begins = piece->kind != STMT_SEQUENCE && !panel_is_sum(panels, &panels->pieces, i, &sum) && begins_row(tiles, piece);
        vec_push(panels->arena, begins ? &tiles->begins : &tiles->pieces, piece);
    }
}

/* What is left of the pieces when the products have been taken out. */
static void find_rest(Tiles *tiles, StmtVec *rest) {
    const Panels *panels = tiles->panels;
    for (size_t i = 0; i < tiles->pieces.count; i++) {
        if (tiles->columns == NULL || i > 0) {
            vec_push(panels->arena, rest, rest_of(tiles, &tiles->pieces, i, false));
            continue;
        }
        Stmt *loop = over_columns(tiles, columns_from(tiles), tiles->columns->value->right, NULL);
        for (size_t k = tiles->begins_inside; k < tiles->inside.count; k++) vec_push(panels->arena, &loop->body.statements, rest_of(tiles, &tiles->inside, k, true));
        vec_push(panels->arena, rest, loop);
    }
}

static void add_all(const Tiles *tiles, const StmtVec *pieces, size_t count, Block *block) {
    for (size_t i = 0; i < count; i++) vec_push(tiles->panels->arena, &block->statements, pieces->items[i]);
}

bool panel_by_tiles(const Panels *panels, Stmt ***columns) {
    Tiles tiles = {.panels = panels};
    StmtVec rest = {0};
    for (size_t i = 0; i < panels->rows.arrays.count; i++)
        if (panels->rows.arrays.items[i].dimensions == 0) return false;
    for (size_t i = 0; i < panels->pieces.count; i++)
        if (!reads_fit(&tiles, look_at_row, panels->pieces.items[i])) return false;
    find_begins(&tiles);
    find_columns(&tiles);
    find_rest(&tiles, &rest);
    if (tiles.products.count == 0) return false;
    if (tiles.begins.count > 0) add_all(&tiles, &tiles.begins, tiles.begins.count, &panel_rows(panels)->body);
    const size_t place = panels->block->statements.count;
    if (tiles.columns != NULL) add_columns(&tiles);
    if (tiles.begins_inside > 0) add_begins(&tiles);
    add_all(&tiles, &tiles.products, tiles.products.count, panels->block);
    add_all(&tiles, &rest, rest.count, &panel_rows(panels)->body);
    if (tiles.columns != NULL) *columns = &panels->block->statements.items[place];
    return true;
}
