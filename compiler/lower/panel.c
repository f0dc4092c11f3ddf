/* See panel.h. */
#include "compiler/lower/panel.h"

#include "compiler/lower/passes.h"
#include "compiler/lower/rewrite.h"

/* ---- Expressions ------------------------------------------------------------------------------------------------- */

Expr *panel_name(const Panels *panels, Var *var) { return lower_name_of(panels->arena, panels->program, var, panels->loop->span); }

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

Expr *panel_sum(const Panels *panels, Var *var, Operator op, int64_t number) {
    Expr *expr = integer_expr(panels, EXPR_BINARY, panel_name(panels, var), number_of(panels, number));
    expr->op = op;
    return expr;
}

Expr *panel_extreme(const Panels *panels, const char *math, Expr *one, Expr *other) {
    Expr *expr = integer_expr(panels, EXPR_MATH, NULL, NULL);
    expr->math = math;
    vec_push(panels->arena, &expr->arguments, one);
    vec_push(panels->arena, &expr->arguments, other);
    return expr;
}

/* The type is that of any Range. */
Expr *panel_range(const Panels *panels, Expr *from, Expr *to) {
    Expr *range = ARENA_NEW(panels->arena, Expr);
    *range = (Expr){.kind = EXPR_RANGE, .type = panels->loop->value->type, .span = panels->loop->span, .left = from, .right = to};
    return range;
}

static Expr *end_of(const Panels *panels, Expr *range) {
    if (range->kind == EXPR_RANGE) return range->right;
    Expr *end = integer_expr(panels, EXPR_RANGE_PART, range, NULL);
    end->part = RANGE_MAX;
    return end;
}

/* ---- The loop over panels ------------------------------------------------------------------------------------------ */

static Var *new_var(const Panels *panels, VarKind kind, const char *name) {
    Var *var = ARENA_NEW(panels->arena, Var);
    *var = (Var){.kind = kind, .name = name, .type = lower_integer_type(panels->program), .span = panels->loop->span, .id = (int)panels->body->vars.count};
    vec_push(panels->arena, &panels->body->vars, var);
    return var;
}

Stmt *panel_stmt(const Panels *panels, StmtKind kind, Block *block) {
    Stmt *stmt = ARENA_NEW(panels->arena, Stmt);
    *stmt = (Stmt){.kind = kind, .span = panels->loop->span};
    if (block != NULL) vec_push(panels->arena, &block->statements, stmt);
    return stmt;
}

Block panel_copy(Arena *arena, const Block *block) {
    Block copy = {.span = block->span};
    for (size_t i = 0; i < block->locals.count; i++) vec_push(arena, &copy.locals, block->locals.items[i]);
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = ARENA_NEW(arena, Stmt);
        *stmt = *block->statements.items[i];
        stmt->body = panel_copy(arena, &stmt->body);
        if (stmt->otherwise != NULL) {
            const Block otherwise = panel_copy(arena, stmt->otherwise);
            stmt->otherwise = ARENA_NEW(arena, Block);
            *stmt->otherwise = otherwise;
        }
        vec_push(arena, &copy.statements, stmt);
    }
    return copy;
}

Stmt *panel_begin(Panels *panels) {
    Stmt *over = panel_stmt(panels, STMT_SEQUENCE, NULL), *last = panel_stmt(panels, STMT_ASSIGN, &over->body);
    panels->first = new_var(panels, VAR_INDEX, "panel");
    panels->last = new_var(panels, VAR_LOCAL, "panel_last");
    vec_push(panels->arena, &over->body.locals, panels->last);
    over->index = panels->first;
    over->value = panels->loop->value;
    over->step = number_of(panels, PANEL_ROWS);
    last->target = panel_name(panels, panels->last);
    last->value = panel_extreme(panels, "llmin", panel_sum(panels, panels->first, OP_ADD, PANEL_ROWS - 1), end_of(panels, over->value));
    panels->block = &over->body;
    return over;
}

Stmt *panel_rows(const Panels *panels) {
    Stmt *rows = panel_stmt(panels, STMT_SEQUENCE, panels->block);
    rows->index = (Var *)(uintptr_t)panels->rows.row;
    rows->value = panel_range(panels, panel_name(panels, panels->first), panel_name(panels, panels->last));
    return rows;
}

/* ---- Pieces ------------------------------------------------------------------------------------------------------ */

/* Elements of an array in a loop, in whose iterations all that are written lie apart in these dimensions. */
typedef struct Owned { const Panels *panels; const Var *index, *array; unsigned dimensions; ExprVec targets; bool fits; } Owned;

static void look_at_target(void *data, const Stmt *stmt) {
    Owned *owned = data;
    if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_ELEMENT || stmt->target->var != owned->array) return;
    owned->dimensions &= lower_dimensions_of(stmt->target, owned->index);
    vec_push(owned->panels->arena, &owned->targets, stmt->target);
}

static void look_at_element(void *data, const Expr *expr) {
    Owned *owned = data;
    if (expr->kind != EXPR_ELEMENT || expr->var != owned->array || (owned->dimensions & lower_dimensions_of(expr, owned->index)) != 0) return;
    for (size_t t = 0; t < owned->targets.count; t++) owned->fits = owned->fits && lower_are_apart(&owned->panels->rows, expr, owned->targets.items[t]);
}

/* Of all that the loop writes each iteration looks at elements of its own, and at such as none writes: its statements may have loops of their own. */
static bool may_part(const Panels *panels, Stmt *loop) {
    if (loop->kind != STMT_PARALLEL || loop->indices.count != 1 || loop->body.locals.count > 0 || loop->indices.items[0].filters.count > 0) return false; /* filters are asked once */
    const Block alone = {.statements = {.items = &loop, .count = 1}};
    for (size_t i = 0; i < panels->rows.arrays.count; i++) {
        Owned owned = {.panels = panels, .index = loop->indices.items[0].var, .array = panels->rows.arrays.items[i].array, .dimensions = ~0u, .fits = true};
        lower_walk_block(&(Walk){NULL, look_at_target, &owned}, &alone);
        lower_walk_block(&(Walk){look_at_element, NULL, &owned}, &alone);
        if (!owned.fits || owned.dimensions == 0) return false;
    }
    for (size_t i = 0; i < loop->body.statements.count; i++) /* what a local of the row has is one statement's alone */
        if (loop->body.statements.items[i]->kind == STMT_ASSIGN && loop->body.statements.items[i]->target->kind != EXPR_ELEMENT) return false;
    return true;
}

/* The index that is asked for in a loop that begins, or ends, with it: `if (i == j) { … } else { … }` for j >= i. */
static Expr *corner_of(const Stmt *loop, bool *begins) {
    const Stmt *branches = loop->kind == STMT_PARALLEL && loop->indices.count == 1 && loop->body.statements.count == 1 && loop->body.locals.count == 0 ? loop->body.statements.items[0] : NULL;
    const Expr *test = branches != NULL && branches->kind == STMT_IF && branches->otherwise != NULL ? branches->value : NULL;
    if (test == NULL || test->kind != EXPR_BINARY || test->op != OP_EQ || loop->indices.items[0].filters.count > 0) return NULL;
    const LoopIndex *index = &loop->indices.items[0];
    Expr *other = lower_is_index(test->left, index->var) ? test->right : lower_is_index(test->right, index->var) ? test->left : NULL;
    if (other == NULL || other->kind != EXPR_VAR || other->var == index->var || lower_block_writes(&loop->body, other->var) > 0) return NULL;
    for (size_t i = 0; i < index->lower.count; i++)
        if (lower_is_index(index->lower.items[i], other->var)) return *begins = true, other;
    for (size_t i = 0; i < index->upper.count; i++)
        if (lower_is_index(index->upper.items[i], other->var)) return *begins = false, other;
    return NULL;
}

static Stmt *bounded(const Panels *panels, const Stmt *loop, const Block *body, Expr *lower, Expr *upper) {
    Stmt *copy = ARENA_NEW(panels->arena, Stmt);
    *copy = *loop;
    copy->indices.items = ARENA_NEW(panels->arena, LoopIndex);
    copy->indices.capacity = 1;
    LoopIndex *index = &copy->indices.items[0];
    *index = loop->indices.items[0];
    index->lower = index->upper = (ExprVec){0};
    for (size_t i = 0; i < loop->indices.items[0].lower.count; i++) vec_push(panels->arena, &index->lower, loop->indices.items[0].lower.items[i]);
    for (size_t i = 0; i < loop->indices.items[0].upper.count; i++) vec_push(panels->arena, &index->upper, loop->indices.items[0].upper.items[i]);
    if (lower != NULL) vec_push(panels->arena, &index->lower, lower);
    if (upper != NULL) vec_push(panels->arena, &index->upper, upper);
    copy->body = *body;
    return copy;
}

/* The loop's end that is asked for, and the rest of it, each by itself. */
static void find_in_corner(const Panels *panels, const Stmt *loop, Expr *corner, bool begins, StmtVec *pieces) {
    const Stmt *branches = loop->body.statements.items[0];
    Stmt *end = bounded(panels, loop, &branches->body, corner, corner);
    Stmt *rest = bounded(panels, loop, branches->otherwise, begins ? panel_sum(panels, corner->var, OP_ADD, 1) : NULL, begins ? NULL : panel_sum(panels, corner->var, OP_SUB, 1));
    panel_find_pieces(panels, &(Block){.statements = {.items = begins ? (Stmt *[]){end, rest} : (Stmt *[]){rest, end}, .count = 2}}, pieces);
}

void panel_find_pieces(const Panels *panels, const Block *block, StmtVec *pieces) {
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        bool begins = false;
        Expr *corner = corner_of(stmt, &begins);
        if (corner != NULL) {
            find_in_corner(panels, stmt, corner, begins, pieces);
            continue;
        }
        if (stmt->kind != STMT_PARALLEL || stmt->body.statements.count < 2 || !may_part(panels, stmt)) {
            vec_push(panels->arena, pieces, stmt);
            continue;
        }
        for (size_t k = 0; k < stmt->body.statements.count; k++) {
            Stmt *part = panel_stmt(panels, STMT_PARALLEL, NULL);
            part->span = stmt->span;
            vec_push(panels->arena, &part->indices, stmt->indices.items[0]);
            vec_push(panels->arena, &part->body.statements, stmt->body.statements.items[k]);
            vec_push(panels->arena, pieces, part);
        }
    }
}

/* And the indices of all loops around it; or NULL. */
static const Stmt *assignment_in(const Panels *panels, const Stmt *loop, IndexVec *indices) {
    for (; loop->kind == STMT_PARALLEL || lower_counts_up(loop); loop = loop->body.statements.items[0]) {
        for (size_t i = 0; loop->kind == STMT_PARALLEL && i < loop->indices.count; i++) vec_push(panels->arena, indices, loop->indices.items[i]);
        if (loop->kind == STMT_SEQUENCE)
            vec_push(panels->arena, indices, ((LoopIndex){.var = loop->index, .other_dimension = -1, .domain_range = loop->value, .span = loop->span}));
        if (loop->body.statements.count != 1 || loop->body.locals.count > 0) return NULL;
    }
    return loop->kind == STMT_ASSIGN && loop->accumulate != ACCUMULATE_NONE && loop->target->kind == EXPR_ELEMENT ? loop : NULL;
}

typedef struct Asked { const Panels *panels; bool fits; } Asked;

static void look_at_asked(void *data, const Expr *expr) {
    Asked *asked = data;
    asked->fits = asked->fits && (expr->kind == EXPR_DIM_RANGE || expr->var == NULL || lower_row_array(&asked->panels->rows, expr->var) == NULL);
}

/* Which iterations there are does not depend on what the loop writes. */
static bool is_known_before(const Panels *panels, const LoopIndex *index) {
    Asked asked = {panels, index->filters.count == 0};
    const Walk walk = {look_at_asked, NULL, &asked};
    if (index->domain_var == NULL) lower_walk_expr(&walk, index->domain_range);
    for (size_t i = 0; i < index->lower.count; i++) lower_walk_expr(&walk, index->lower.items[i]);
    for (size_t i = 0; i < index->upper.count; i++) lower_walk_expr(&walk, index->upper.items[i]);
    return asked.fits;
}

bool panel_is_sum(const Panels *panels, const StmtVec *pieces, size_t place, PanelSum *sum) {
    *sum = (PanelSum){.piece = pieces->items[place], .place = place};
    sum->assign = assignment_in(panels, sum->piece, &sum->indices);
    for (size_t i = 0; sum->assign != NULL && i < sum->indices.count; i++)
        if (!is_known_before(panels, &sum->indices.items[i])) sum->assign = NULL;
    return sum->assign != NULL;
}

/* ---- Loops around sums --------------------------------------------------------------------------------------------- */

LoopIndex panel_over_rows(const Panels *panels) {
    return (LoopIndex){.var = (Var *)(uintptr_t)panels->rows.row, .other_dimension = -1, .span = panels->loop->span,
                       .domain_range = panel_range(panels, panel_name(panels, panels->first), panel_name(panels, panels->last))};
}

Stmt *panel_loop(const Panels *panels, const PanelSum *sum, bool rows) {
    const IndexVec *indices = &sum->indices;
    Stmt *loop = panel_stmt(panels, STMT_PARALLEL, NULL);
    loop->span = sum->piece->span;
    if (rows) vec_push(panels->arena, &loop->indices, panel_over_rows(panels));
    for (size_t i = 0; i < indices->count; i++) {
        LoopIndex copy = indices->items[i];
        copy.lower = copy.upper = (ExprVec){0};
        for (size_t b = 0; b < indices->items[i].lower.count; b++) vec_push(panels->arena, &copy.lower, indices->items[i].lower.items[b]);
        for (size_t b = 0; b < indices->items[i].upper.count; b++) vec_push(panels->arena, &copy.upper, indices->items[i].upper.items[b]);
        vec_push(panels->arena, &loop->indices, copy);
    }
    vec_push(panels->arena, &loop->body.statements, (Stmt *)(uintptr_t)sum->assign);
    return loop;
}

static LoopIndex *index_of(Stmt *loop, const Var *var) {
    for (size_t i = 0; i < loop->indices.count; i++)
        if (loop->indices.items[i].var == var) return &loop->indices.items[i];
    return NULL;
}

void panel_bound(const Panels *panels, Stmt *loop, const Var *var, bool upper, Expr *by) {
    LoopIndex *index = index_of(loop, var);
    vec_push(panels->arena, upper ? &index->upper : &index->lower, by);
}

static bool is_told(const Var *teller, const Expr *bound, bool upper) {
    int64_t number = 0;
    return lower_term_of(bound, &number) == teller && (upper ? number >= -1 : number <= 1);
}

void panel_bound_instead(const Panels *panels, Stmt *loop, const Var *var, bool upper, Expr *by, const Var *teller) {
    LoopIndex *index = index_of(loop, var);
    ExprVec *bounds = upper ? &index->upper : &index->lower;
    size_t kept = 0;
    for (size_t i = 0; i < bounds->count; i++)
        if (!is_told(teller, bounds->items[i], upper)) bounds->items[kept++] = bounds->items[i];
    bounds->count = kept;
    const Expr *range = index->domain_var == NULL && index->domain_range->kind == EXPR_RANGE ? index->domain_range : NULL;
    if (range == NULL || !is_told(teller, upper ? range->right : range->left, upper)) {
        vec_push(panels->arena, bounds, by);
        return;
    }
    index->domain_range = ARENA_NEW(panels->arena, Expr);
    *index->domain_range = *range;
    if (upper) index->domain_range->right = by;
    else index->domain_range->left = by;
}

bool panel_is_product(const Panels *panels, const Stmt *loop) { return lower_nest(panels->arena, panels->use, loop)->form == FORM_PRODUCT; }
