/* Rows that are computed one after the other, in panels of some. What all rows of a panel get of those outside of it is a product:
 *
 *     do in sequence {                                                         do in sequence {
 *         do { b[i][j] = b[i][j] - a[i][k] * b[k][j] }                             last = min(panel + 47, n - 1)
 *                 for j in b.dimension2; k in … and k < i                          do { b[i][j] = b[i][j] - a[i][k] * b[k][j] } for i in panel...last; j in …; k in … and k < panel
 *         do { b[i][j] = b[i][j] / a[i][i] } for j in b.dimension2                 do in sequence {
 *     } for i in 0...(n - 1)                                                           do { b[i][j] = b[i][j] - a[i][k] * b[k][j] } for j in …; k in … and k < i and k >= panel
 *                                                                                      do { b[i][j] = b[i][j] / a[i][i] } for j in b.dimension2
 *                                                                                  } for i in panel...last
 *                                                                              } for panel in 0...(n - 1) step 48
 *
 * Where rows add others that come later (k > i), which are as they were, the product stands behind the rows of the panel. Where each row changes all that come later,
 * those behind the panel wait for all of its rows:
 *
 *     do in sequence {                                                         do in sequence {
 *         do { a[i][k] = a[i][k] / a[k][k] } for i in … and i > k                  last = min(panel + 47, n - 1)
 *         do { a[i][j] = a[i][j] - a[i][k] * a[k][j] }                             do in sequence {
 *                 for i in … and i > k; j in … and j > k                               do { a[i][k] = a[i][k] / a[k][k] } for i in … and i > k
 *     } for k in 0...(n - 1)                                                           do { … } for i in … and i > k; j in … and j > k and j <= last
 *                                                                                      do { … } for i in … and i > k and i <= last; j in … and j > last
 *                                                                                  } for k in panel...last
 *                                                                                  do { a[i][j] = a[i][j] - a[i][k] * a[k][j] } for i in … and i > last; j in … and j > last; k in panel...last
 *                                                                              } for panel in 0...(n - 1) step 48
 *
 * Every element gets the same terms in the same order. Factorisations and triangular systems run at the speed of products so.
 *
 * Needs: lower_make_perfect. Gives: loops by panels, around products and loops with few rows. */
#include "compiler/lower/panel.h"
#include "compiler/lower/passes.h"

/* ---- Rows that add later ones ------------------------------------------------------------------------------------------ */

/* How a piece reads what the loop writes: elements of its row alone, or of later ones as well. */
typedef struct Reads { const Rows *rows; bool own_alone, fits; } Reads;

static void look_at_read(void *data, const Expr *expr) {
    Reads *reads = data;
    const RowArray *array = expr->kind == EXPR_ELEMENT ? lower_row_array(reads->rows, expr->var) : NULL;
    if (array == NULL) return;
    bool fits = false;
    for (size_t d = 0; d < expr->arguments.count && d < 32 && !fits; d++) {
        const Expr *row = expr->arguments.items[d];
        if ((array->dimensions & 1u << d) == 0) continue;
        fits = lower_is_index(row, reads->rows->row) || (!reads->own_alone && lower_is_at_least(reads->rows, row, 1));
    }
    reads->fits = reads->fits && fits;
}

/* Elements of what the loop writes that the sum reads are its target, and those of the rows that `depth` counts. */
typedef struct Terms { const Panels *panels; const PanelSum *sum; const Var *depth; bool fits; } Terms;

static void look_at_term(void *data, const Expr *expr) {
    Terms *terms = data;
    const RowArray *array = expr->kind == EXPR_ELEMENT ? lower_row_array(&terms->panels->rows, expr->var) : NULL;
    if (array == NULL || lower_expr_equal(expr, terms->sum->assign->target)) return;
    bool fits = false;
    for (size_t d = 0; d < expr->arguments.count && d < 32; d++) fits = fits || ((array->dimensions & 1u << d) != 0 && lower_is_index(expr->arguments.items[d], terms->depth));
    terms->fits = terms->fits && fits;
}

static bool has_depth(const Panels *panels, const PanelSum *sum, const LoopIndex *depth) {
    const Expr name = {.kind = EXPR_VAR, .var = depth->var};
    if (lower_expr_mentions(sum->assign->target, depth->var) || !lower_is_at_least(&panels->rows, &name, 1)) return false;
    Terms terms = {panels, sum, depth->var, true};
    lower_walk_expr(&(Walk){look_at_term, NULL, &terms}, sum->assign->value);
    for (size_t i = 0; i < sum->indices.count; i++) terms.fits = terms.fits && (&sum->indices.items[i] == depth || !lower_bounds_mention(&sum->indices.items[i], depth->var));
    return terms.fits;
}

/* What comes behind the sum waits for the product. */
static bool may_go(const Panels *panels, const PanelSum *sum) {
    for (size_t i = 0; i < panels->rows.arrays.count; i++)
        if (panels->rows.arrays.items[i].dimensions == 0) return false;
    for (size_t i = 0; i < panels->pieces.count; i++) {
        Reads reads = {&panels->rows, i > sum->place, true};
        lower_walk_block(&(Walk){look_at_read, NULL, &reads}, &(Block){.statements = {.items = &panels->pieces.items[i], .count = 1}});
        if (!reads.fits) return false;
    }
    return true;
}

/* The rows of a panel, one after the other: pieces from `from` to `to`, with `instead` in the place of the sum. */
static Stmt *add_rows(const Panels *panels, const PanelSum *sum, size_t from, size_t to, Stmt *instead) {
    if (from == to) return NULL;
    Stmt *rows = panel_rows(panels);
    for (size_t i = from; i < to; i++) vec_push(panels->arena, &rows->body.statements, i == sum->place ? instead : panels->pieces.items[i]);
    return rows;
}

static bool add_later(const Panels *panels, const PanelSum *sum, const LoopIndex *depth) {
    if (!has_depth(panels, sum, depth) || !may_go(panels, sum)) return false;
    Stmt *product = panel_loop(panels, sum, true), *near = panel_loop(panels, sum, false);
    panel_bound_instead(panels, product, depth->var, false, panel_sum(panels, panels->last, OP_ADD, 1), panels->rows.row);
    panel_bound(panels, near, depth->var, true, panel_name(panels, panels->last));
    if (!panel_is_product(panels, product)) return false;
    add_rows(panels, sum, 0, sum->place + 1, near);
    vec_push(panels->arena, &panels->block->statements, product);
    add_rows(panels, sum, sum->place + 1, panels->pieces.count, NULL);
    return true;
}

/* ---- Rows that change those behind them --------------------------------------------------------------------------------- */

/* The two indices of the sum's target, and the dimensions in which they stand. */
typedef struct Behind { const Panels *panels; const PanelSum *sum; const Var *index[2]; size_t dimension[2]; unsigned steady; const Var *array; bool fits; } Behind;

static bool find_behind(Behind *behind, const IndexVec *indices) {
    const Expr *target = behind->sum->assign->target;
    if (indices->count != 2 || target->arguments.count != 2) return false;
    for (size_t n = 0; n < 2; n++) {
        const Var *var = behind->index[n] = indices->items[n].var;
        const Expr name = {.kind = EXPR_VAR, .var = (Var *)(uintptr_t)var};
        size_t found = 0;
        for (size_t d = 0; d < 2; d++)
            if (lower_is_index(target->arguments.items[d], var)) behind->dimension[n] = d, found++;
        if (found != 1 || !lower_is_at_least(&behind->panels->rows, &name, 1)) return false;
    }
    return true;
}

/* Elements of the target's array that are not the sum's lie in front of the panel's end, in one of the dimensions. */
static void look_before(void *data, const Expr *expr) {
    Behind *behind = data;
    const Expr *target = behind->sum->assign->target;
    if (expr->kind != EXPR_ELEMENT || expr->var != target->var || lower_expr_equal(expr, target)) return;
    behind->fits = behind->fits && (lower_is_at_most(&behind->panels->rows, expr->arguments.items[0], 0) || lower_is_at_most(&behind->panels->rows, expr->arguments.items[1], 0));
}

/* Dimensions of the array in which nothing is written in front of the row. */
static void look_at_write(void *data, const Stmt *stmt) {
    Behind *behind = data;
    if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_ELEMENT || stmt->target->var != behind->array) return;
    for (size_t d = 0; d < stmt->target->arguments.count && d < 32; d++)
        if (!lower_is_at_least(&behind->panels->rows, stmt->target->arguments.items[d], 0)) behind->steady &= ~(1u << d);
}

/* What the sum reads of what the loop writes is of this row, which no later one writes. */
static void look_at_factor(void *data, const Expr *expr) {
    Behind *behind = data;
    if (expr->kind != EXPR_ELEMENT || lower_row_array(&behind->panels->rows, expr->var) == NULL || lower_expr_equal(expr, behind->sum->assign->target)) return;
    behind->array = expr->var;
    behind->steady = ~0u;
    lower_walk_block(&(Walk){NULL, look_at_write, behind}, &behind->panels->loop->body);
    bool fits = false;
    for (size_t d = 0; d < expr->arguments.count && d < 32; d++) fits = fits || ((behind->steady & 1u << d) != 0 && lower_is_index(expr->arguments.items[d], behind->panels->rows.row));
    behind->fits = behind->fits && fits;
}

static bool delay(const Panels *panels, const PanelSum *sum) {
    Behind behind = {.panels = panels, .sum = sum, .fits = sum->place + 1 == panels->pieces.count};
    if (!behind.fits || !find_behind(&behind, &sum->indices)) return false;
    lower_walk_block(&(Walk){look_before, NULL, &behind}, &panels->loop->body);
    lower_walk_expr(&(Walk){look_at_factor, NULL, &behind}, sum->assign->value);
    if (!behind.fits) return false;
    Stmt *product = panel_loop(panels, sum, true), *beside = panel_loop(panels, sum, false), *below = panel_loop(panels, sum, false);
    for (size_t n = 0; n < 2; n++) panel_bound_instead(panels, product, behind.index[n], false, panel_sum(panels, panels->last, OP_ADD, 1), panels->rows.row);
    const Var *outer = behind.index[behind.dimension[0] == 0 ? 0 : 1], *inner = behind.index[behind.dimension[0] == 0 ? 1 : 0];
    panel_bound(panels, beside, inner, true, panel_name(panels, panels->last));
    panel_bound(panels, below, outer, true, panel_name(panels, panels->last));
    panel_bound(panels, below, inner, false, panel_sum(panels, panels->last, OP_ADD, 1));
    if (!panel_is_product(panels, product)) return false;
    Stmt *rows = add_rows(panels, sum, 0, panels->pieces.count, beside);
    vec_push(panels->arena, &rows->body.statements, below);
    vec_push(panels->arena, &panels->block->statements, product);
    return true;
}

/* ---- Bodies -------------------------------------------------------------------------------------------------------- */

static bool make_panels(const Panels *panels) {
    for (size_t p = 0; p < panels->pieces.count; p++) {
        PanelSum sum;
        if (!panel_is_sum(panels, &panels->pieces, p, &sum)) continue;
        if (delay(panels, &sum)) return true;
        for (size_t i = 0; i < sum.indices.count; i++)
            if (add_later(panels, &sum, &sum.indices.items[i])) return true;
    }
    return false;
}

static bool make_of_loop(Arena *arena, const Program *program, const StageUse *use, Body *body, Stmt **loop);

/* And those of which the rows of a panel have columns in front of it. */
static bool make_of_rows(Panels *panels, Stmt **loop) {
    if (panels->loop->body.locals.count > 0) return false;
    panel_find_pieces(panels, &panels->loop->body, &panels->pieces);
    Stmt *over = panel_begin(panels), **columns = NULL;
    if (!panel_by_tiles(panels, &columns) && !make_panels(panels)) return false;
    if (columns != NULL) make_of_loop(panels->arena, panels->program, panels->use, panels->body, columns);
    *loop = over;
    return true;
}

/* The loop in the block, by panels. */
static bool make_of_loop(Arena *arena, const Program *program, const StageUse *use, Body *body, Stmt **loop) {
    Panels panels = {.arena = arena, .program = program, .use = use, .body = body, .loop = *loop};
    if ((*loop)->kind != STMT_SEQUENCE || lower_has_fewer(&body->block, *loop, PANEL_ROWS) || !lower_rows_of(arena, use, *loop, &panels.rows)) return false;
    if (make_of_rows(&panels, loop)) return true;
    panels.loop = panel_in_elements(&panels);
    panels.pieces = (StmtVec){0};
    return panels.loop != NULL && lower_rows_of(arena, use, panels.loop, &panels.rows) && make_of_rows(&panels, loop);
}

static void look_at_block(Arena *arena, const Program *program, const StageUse *use, Body *body, Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        if (make_of_loop(arena, program, use, body, &block->statements.items[i])) continue;
        look_at_block(arena, program, use, body, &stmt->body);
        if (stmt->otherwise != NULL) look_at_block(arena, program, use, body, stmt->otherwise);
    }
}

void lower_make_panels(Arena *arena, const Program *program, const StageUse *use, Body *body) { look_at_block(arena, program, use, body, &body->block); }
