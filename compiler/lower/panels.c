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
#include "compiler/lower/passes.h"
#include "compiler/lower/rewrite.h"
#include "compiler/lower/rows.h"

enum { PANEL = 48 };

typedef struct Panels {
    Arena *arena;
    const Program *program;
    const StageUse *use;
    Body *body;
    const Stmt *loop;
    Rows rows;
    StmtVec pieces;              /* what the loop does in an iteration */
    const Stmt *sum;             /* the piece that may become a product: an assignment inside of loops alone */
    const Stmt *assign;
    size_t place;                /* of the sum among the pieces */
    Var *first, *last;           /* rows of a panel */
    Block *block;                /* of the loop over panels */
} Panels;

/* ---- Expressions and loops -------------------------------------------------------------------------------------- */

static Expr *name_of(const Panels *panels, Var *var) { return lower_name_of(panels->arena, panels->program, var, panels->loop->span); }

static Expr *integer_expr(const Panels *panels, ExprKind kind, Expr *left, Expr *right) {
    Expr *expr = ARENA_NEW(panels->arena, Expr);
    *expr = (Expr){.kind = kind, .type = lower_integer_type(panels->program), .span = panels->loop->span, .left = left, .right = right};
    return expr;
}

static Expr *number_of(const Panels *panels, int64_t number) {
    Expr *expr = integer_expr(panels, EXPR_INTEGER, NULL, NULL);
    expr->integer = number;
    return expr;
}

static Expr *sum_of(const Panels *panels, Var *var, Operator op, int64_t number) {
    Expr *expr = integer_expr(panels, EXPR_BINARY, name_of(panels, var), number_of(panels, number));
    expr->op = op;
    return expr;
}

/* From one variable to the other; the type is that of any Range. */
static Expr *range_of(const Panels *panels, Var *first, Var *last) {
    Expr *range = ARENA_NEW(panels->arena, Expr);
    *range = (Expr){.kind = EXPR_RANGE, .type = panels->loop->value->type, .span = panels->loop->span, .left = name_of(panels, first), .right = name_of(panels, last)};
    return range;
}

static Expr *end_of(const Panels *panels, Expr *range) {
    if (range->kind == EXPR_RANGE) return range->right;
    Expr *end = integer_expr(panels, EXPR_RANGE_PART, range, NULL);
    end->part = RANGE_MAX;
    return end;
}

static Var *new_var(const Panels *panels, VarKind kind, const char *name) {
    Var *var = ARENA_NEW(panels->arena, Var);
    *var = (Var){.kind = kind, .name = name, .type = lower_integer_type(panels->program), .span = panels->loop->span, .id = (int)panels->body->vars.count};
    vec_push(panels->arena, &panels->body->vars, var);
    return var;
}

static Stmt *new_stmt(const Panels *panels, StmtKind kind, Block *block) {
    Stmt *stmt = ARENA_NEW(panels->arena, Stmt);
    *stmt = (Stmt){.kind = kind, .span = panels->loop->span};
    if (block != NULL) vec_push(panels->arena, &block->statements, stmt);
    return stmt;
}

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

typedef VEC(LoopIndex) IndexVec;
typedef struct Owned { const Var *index; const Var *array; unsigned dimensions; } Owned;

static void look_at_element(void *data, const Expr *expr) {
    Owned *owned = data;
    if (expr->kind != EXPR_ELEMENT || expr->var != owned->array) return;
    unsigned found = 0;
    for (size_t d = 0; d < expr->arguments.count && d < 32; d++)
        if (lower_is_index(expr->arguments.items[d], owned->index)) found |= 1u << d;
    owned->dimensions &= found;
}

/* Each iteration of the loop has elements of its own of all that it writes: its statements may have loops of their own. */
static bool may_part(const Panels *panels, const Stmt *loop) {
    if (loop->kind != STMT_PARALLEL || loop->indices.count != 1 || loop->body.locals.count > 0 || loop->indices.items[0].filters.count > 0) return false; /* filters are asked once */
    for (size_t i = 0; i < panels->rows.arrays.count; i++) {
        Owned owned = {loop->indices.items[0].var, panels->rows.arrays.items[i].array, ~0u};
        if (lower_block_writes(&loop->body, owned.array) == 0) continue;
        lower_walk_block(&(Walk){look_at_element, NULL, &owned}, &(Block){.statements = {.items = (Stmt *[]){(Stmt *)(uintptr_t)loop}, .count = 1}});
        if (owned.dimensions == 0) return false;
    }
    for (size_t i = 0; i < loop->body.statements.count; i++) /* what a local of the row has is one statement's alone */
        if (loop->body.statements.items[i]->kind == STMT_ASSIGN && loop->body.statements.items[i]->target->kind != EXPR_ELEMENT) return false;
    return true;
}

static void find_pieces(Panels *panels) {
    const StmtVec *statements = &panels->loop->body.statements;
    for (size_t i = 0; i < statements->count; i++) {
        Stmt *stmt = statements->items[i];
        if (stmt->kind != STMT_PARALLEL || stmt->body.statements.count < 2 || !may_part(panels, stmt)) {
            vec_push(panels->arena, &panels->pieces, stmt);
            continue;
        }
        for (size_t k = 0; k < stmt->body.statements.count; k++) {
            Stmt *part = new_stmt(panels, STMT_PARALLEL, NULL);
            part->span = stmt->span;
            vec_push(panels->arena, &part->indices, stmt->indices.items[0]);
            vec_push(panels->arena, &part->body.statements, stmt->body.statements.items[k]);
            vec_push(panels->arena, &panels->pieces, part);
        }
    }
}

/* The assignment that is all that the loops do, and their indices; or NULL. */
static const Stmt *assignment_in(const Panels *panels, const Stmt *loop, IndexVec *indices) {
    for (; loop->kind == STMT_PARALLEL || lower_counts_up(loop); loop = loop->body.statements.items[0]) {
        for (size_t i = 0; loop->kind == STMT_PARALLEL && i < loop->indices.count; i++) vec_push(panels->arena, indices, loop->indices.items[i]);
        if (loop->kind == STMT_SEQUENCE)
            vec_push(panels->arena, indices, ((LoopIndex){.var = loop->index, .other_dimension = -1, .domain_range = loop->value, .span = loop->span}));
        if (loop->body.statements.count != 1 || loop->body.locals.count > 0) return NULL;
    }
    return loop->kind == STMT_ASSIGN && loop->accumulate != ACCUMULATE_NONE && loop->target->kind == EXPR_ELEMENT ? loop : NULL;
}

/* The sum's loops; with the rows of a panel around them. */
static Stmt *loop_of(const Panels *panels, const IndexVec *indices, bool rows) {
    const LoopIndex over = {.var = (Var *)(uintptr_t)panels->rows.row, .other_dimension = -1, .domain_range = range_of(panels, panels->first, panels->last), .span = panels->loop->span};
    Stmt *loop = new_stmt(panels, STMT_PARALLEL, NULL);
    loop->span = panels->sum->span;
    if (rows) vec_push(panels->arena, &loop->indices, over);
    for (size_t i = 0; i < indices->count; i++) {
        LoopIndex copy = indices->items[i];
        copy.lower = copy.upper = (ExprVec){0};
        for (size_t b = 0; b < indices->items[i].lower.count; b++) vec_push(panels->arena, &copy.lower, indices->items[i].lower.items[b]);
        for (size_t b = 0; b < indices->items[i].upper.count; b++) vec_push(panels->arena, &copy.upper, indices->items[i].upper.items[b]);
        vec_push(panels->arena, &loop->indices, copy);
    }
    vec_push(panels->arena, &loop->body.statements, (Stmt *)(uintptr_t)panels->assign);
    return loop;
}

static LoopIndex *index_of(Stmt *loop, const Var *var) {
    for (size_t i = 0; i < loop->indices.count; i++)
        if (loop->indices.items[i].var == var) return &loop->indices.items[i];
    return NULL;
}

static void bound(const Panels *panels, Stmt *loop, const Var *var, bool upper, Expr *by) {
    LoopIndex *index = index_of(loop, var);
    vec_push(panels->arena, upper ? &index->upper : &index->lower, by);
}

/* Whether an end that a panel puts in its place, the row before the first or behind the last one, tells as much. */
static bool is_told(const Panels *panels, const Expr *bound, bool upper) {
    int64_t number = 0;
    return lower_term_of(bound, &number) == panels->rows.row && (upper ? number >= -1 : number <= 1);
}

/* A bound for all of the panel in the place of those by the row that it tells. */
static void bound_instead(const Panels *panels, Stmt *loop, const Var *var, bool upper, Expr *by) {
    LoopIndex *index = index_of(loop, var);
    ExprVec *bounds = upper ? &index->upper : &index->lower;
    size_t kept = 0;
    for (size_t i = 0; i < bounds->count; i++)
        if (!is_told(panels, bounds->items[i], upper)) bounds->items[kept++] = bounds->items[i];
    bounds->count = kept;
    const Expr *range = index->domain_var == NULL && index->domain_range->kind == EXPR_RANGE ? index->domain_range : NULL;
    if (range == NULL || !is_told(panels, upper ? range->right : range->left, upper)) {
        vec_push(panels->arena, bounds, by);
        return;
    }
    index->domain_range = ARENA_NEW(panels->arena, Expr);
    *index->domain_range = *range;
    if (upper) index->domain_range->right = by;
    else index->domain_range->left = by;
}

static bool is_product(const Panels *panels, const Stmt *loop) { return lower_nest(panels->arena, panels->use, loop)->form == FORM_PRODUCT; }

/* ---- Rows that add others ------------------------------------------------------------------------------------------ */

typedef enum { ROWS_EARLIER, ROWS_LATER } Others;
/* How a piece reads what the loop writes: elements of its row alone, or of those as well. */
typedef struct Reads { const Panels *panels; Others others; bool own_alone, fits; } Reads;

static void look_at_read(void *data, const Expr *expr) {
    Reads *reads = data;
    const Rows *rows = &reads->panels->rows;
    const RowArray *array = expr->kind == EXPR_ELEMENT ? lower_row_array(rows, expr->var) : NULL;
    if (array == NULL) return;
    bool fits = false;
    for (size_t d = 0; d < expr->arguments.count && d < 32 && !fits; d++) {
        const Expr *row = expr->arguments.items[d];
        if ((array->dimensions & 1u << d) == 0) continue;
        fits = lower_is_index(row, rows->row);
        if (!reads->own_alone) fits = fits || (reads->others == ROWS_EARLIER ? lower_is_at_most(rows, row, -1) : lower_is_at_least(rows, row, 1));
    }
    reads->fits = reads->fits && fits;
}

static bool reads_rows(const Panels *panels, const Stmt *piece, Others others, bool own_alone) {
    Reads reads = {panels, others, own_alone, true};
    lower_walk_block(&(Walk){look_at_read, NULL, &reads}, &(Block){.statements = {.items = (Stmt *[]){(Stmt *)(uintptr_t)piece}, .count = 1}});
    return reads.fits;
}

/* Elements of what the loop writes that the sum reads are its target, and those of the rows that `depth` counts. */
typedef struct Terms { const Panels *panels; const Var *depth; bool fits; } Terms;

static void look_at_term(void *data, const Expr *expr) {
    Terms *terms = data;
    const RowArray *array = expr->kind == EXPR_ELEMENT ? lower_row_array(&terms->panels->rows, expr->var) : NULL;
    if (array == NULL || lower_expr_equal(expr, terms->panels->assign->target)) return;
    bool fits = false;
    for (size_t d = 0; d < expr->arguments.count && d < 32; d++) fits = fits || ((array->dimensions & 1u << d) != 0 && lower_is_index(expr->arguments.items[d], terms->depth));
    terms->fits = terms->fits && fits;
}

static bool has_depth(const Panels *panels, const IndexVec *indices, const LoopIndex *depth, Others others) {
    const Expr name = {.kind = EXPR_VAR, .var = depth->var};
    if (lower_expr_mentions(panels->assign->target, depth->var) || depth->filters.count > 0) return false;
    if (others == ROWS_EARLIER ? !lower_is_at_most(&panels->rows, &name, -1) : !lower_is_at_least(&panels->rows, &name, 1)) return false;
    Terms terms = {panels, depth->var, true};
    lower_walk_expr(&(Walk){look_at_term, NULL, &terms}, panels->assign->value);
    for (size_t i = 0; i < indices->count; i++) terms.fits = terms.fits && (&indices->items[i] == depth || !lower_bounds_mention(&indices->items[i], depth->var));
    return terms.fits;
}

/* Of which pieces the rows of a panel have no need before the product, and what stands in front of it. */
static bool may_go(const Panels *panels, Others others) {
    const RowArray *target = lower_row_array(&panels->rows, panels->assign->target->var);
    for (size_t i = 0; i < panels->rows.arrays.count; i++)
        if (panels->rows.arrays.items[i].dimensions == 0) return false;
    for (size_t i = 0; i < panels->pieces.count; i++) {
        const Stmt *piece = panels->pieces.items[i];
        if (!reads_rows(panels, piece, others, others == ROWS_LATER && i > panels->place)) return false;
        const Block alone = {.statements = {.items = (Stmt *[]){(Stmt *)(uintptr_t)piece}, .count = 1}};
        if (others == ROWS_EARLIER && i < panels->place && lower_block_mentions(&alone, target->array)) return false;
    }
    return true;
}

/* The rows of a panel, one after the other: pieces from `from` to `to`, with `sum` in the place of the sum. */
static void add_rows(const Panels *panels, size_t from, size_t to, Stmt *sum) {
    if (from == to) return;
    Stmt *rows = new_stmt(panels, STMT_SEQUENCE, panels->block);
    rows->index = (Var *)(uintptr_t)panels->rows.row;
    rows->value = range_of(panels, panels->first, panels->last);
    for (size_t i = from; i < to; i++) vec_push(panels->arena, &rows->body.statements, i == panels->place && sum != NULL ? sum : panels->pieces.items[i]);
}

static bool add_others(const Panels *panels, const IndexVec *indices, const LoopIndex *depth, Others others) {
    if (!has_depth(panels, indices, depth, others) || !may_go(panels, others)) return false;
    Stmt *product = loop_of(panels, indices, true), *sum = loop_of(panels, indices, false);
    const bool earlier = others == ROWS_EARLIER;
    bound_instead(panels, product, depth->var, earlier, earlier ? sum_of(panels, panels->first, OP_SUB, 1) : sum_of(panels, panels->last, OP_ADD, 1));
    bound(panels, sum, depth->var, !earlier, name_of(panels, earlier ? panels->first : panels->last));
    if (!is_product(panels, product)) return false;
    if (earlier) vec_push(panels->arena, &panels->block->statements, product);
    add_rows(panels, 0, earlier ? panels->pieces.count : panels->place + 1, sum);
    if (earlier) return true;
    vec_push(panels->arena, &panels->block->statements, product);
    add_rows(panels, panels->place + 1, panels->pieces.count, NULL);
    return true;
}

/* ---- Rows that change those behind them --------------------------------------------------------------------------------- */

/* The two indices of the sum's target, and the dimensions in which they stand. */
typedef struct Behind { const Panels *panels; const Var *index[2]; size_t dimension[2]; unsigned steady; const Var *array; bool fits; } Behind;

static bool find_behind(Behind *behind, const IndexVec *indices) {
    const Expr *target = behind->panels->assign->target;
    if (indices->count != 2 || target->arguments.count != 2) return false;
    for (size_t n = 0; n < 2; n++) {
        const Var *var = behind->index[n] = indices->items[n].var;
        const Expr name = {.kind = EXPR_VAR, .var = (Var *)(uintptr_t)var};
        size_t found = 0;
        for (size_t d = 0; d < 2; d++)
            if (lower_is_index(target->arguments.items[d], var)) behind->dimension[n] = d, found++;
        if (found != 1 || indices->items[n].filters.count > 0 || !lower_is_at_least(&behind->panels->rows, &name, 1)) return false;
    }
    return true;
}

/* Elements of the target's array that are not the sum's lie in front of the panel's end, in one of the dimensions. */
static void look_before(void *data, const Expr *expr) {
    Behind *behind = data;
    const Expr *target = behind->panels->assign->target;
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
    if (expr->kind != EXPR_ELEMENT || lower_row_array(&behind->panels->rows, expr->var) == NULL || lower_expr_equal(expr, behind->panels->assign->target)) return;
    behind->array = expr->var;
    behind->steady = ~0u;
    lower_walk_block(&(Walk){NULL, look_at_write, behind}, &behind->panels->loop->body);
    bool fits = false;
    for (size_t d = 0; d < expr->arguments.count && d < 32; d++) fits = fits || ((behind->steady & 1u << d) != 0 && lower_is_index(expr->arguments.items[d], behind->panels->rows.row));
    behind->fits = behind->fits && fits;
}

static bool delay(const Panels *panels, const IndexVec *indices) {
    Behind behind = {.panels = panels, .fits = panels->place + 1 == panels->pieces.count};
    if (!behind.fits || !find_behind(&behind, indices)) return false;
    lower_walk_block(&(Walk){look_before, NULL, &behind}, &panels->loop->body);
    lower_walk_expr(&(Walk){look_at_factor, NULL, &behind}, panels->assign->value);
    if (!behind.fits) return false;
    Stmt *product = loop_of(panels, indices, true), *beside = loop_of(panels, indices, false), *below = loop_of(panels, indices, false);
    for (size_t n = 0; n < 2; n++) bound_instead(panels, product, behind.index[n], false, sum_of(panels, panels->last, OP_ADD, 1));
    const Var *outer = behind.index[behind.dimension[0] == 0 ? 0 : 1], *inner = behind.index[behind.dimension[0] == 0 ? 1 : 0];
    bound(panels, beside, inner, true, name_of(panels, panels->last));
    bound(panels, below, outer, true, name_of(panels, panels->last));
    bound(panels, below, inner, false, sum_of(panels, panels->last, OP_ADD, 1));
    if (!is_product(panels, product)) return false;
    add_rows(panels, 0, panels->pieces.count, beside);
    vec_push(panels->arena, &panels->block->statements.items[panels->block->statements.count - 1]->body.statements, below);
    vec_push(panels->arena, &panels->block->statements, product);
    return true;
}

/* ---- Bodies -------------------------------------------------------------------------------------------------------- */

/* The loop over panels, with the last row of each; the block waits for what is done with its rows. */
static Stmt *begin(Panels *panels) {
    Stmt *over = new_stmt(panels, STMT_SEQUENCE, NULL), *last = new_stmt(panels, STMT_ASSIGN, &over->body);
    panels->first = new_var(panels, VAR_INDEX, "panel");
    panels->last = new_var(panels, VAR_LOCAL, "panel_last");
    vec_push(panels->arena, &over->body.locals, panels->last);
    over->index = panels->first;
    over->value = panels->loop->value;
    over->step = number_of(panels, PANEL);
    last->target = name_of(panels, panels->last);
    last->value = integer_expr(panels, EXPR_MATH, NULL, NULL);
    last->value->math = "llmin";
    vec_push(panels->arena, &last->value->arguments, sum_of(panels, panels->first, OP_ADD, PANEL - 1));
    vec_push(panels->arena, &last->value->arguments, end_of(panels, over->value));
    panels->block = &over->body;
    return over;
}

static bool make_panels(Panels *panels) {
    for (panels->place = 0; panels->place < panels->pieces.count; panels->place++) {
        IndexVec indices = {0};
        panels->sum = panels->pieces.items[panels->place];
        panels->assign = assignment_in(panels, panels->sum, &indices);
        if (panels->assign == NULL) continue;
        if (delay(panels, &indices)) return true;
        for (size_t i = 0; i < indices.count; i++)
            if (add_others(panels, &indices, &indices.items[i], ROWS_EARLIER) || add_others(panels, &indices, &indices.items[i], ROWS_LATER)) return true;
    }
    return false;
}

static Stmt *by_panels(Arena *arena, const Program *program, const StageUse *use, Body *body, const Stmt *loop) {
    Panels panels = {.arena = arena, .program = program, .use = use, .body = body, .loop = loop};
    if (loop->kind != STMT_SEQUENCE || lower_has_fewer(&body->block, loop, PANEL) || !lower_rows_of(arena, use, loop, &panels.rows)) return NULL;
    find_pieces(&panels);
    Stmt *over = begin(&panels);
    return make_panels(&panels) ? over : NULL;
}

static void look_at_block(Arena *arena, const Program *program, const StageUse *use, Body *body, Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i], *over = by_panels(arena, program, use, body, stmt);
        if (over != NULL) block->statements.items[i] = over;
        if (over != NULL) continue;
        look_at_block(arena, program, use, body, &stmt->body);
        if (stmt->otherwise != NULL) look_at_block(arena, program, use, body, stmt->otherwise);
    }
}

void lower_make_panels(Arena *arena, const Program *program, const StageUse *use, Body *body) { look_at_block(arena, program, use, body, &body->block); }
