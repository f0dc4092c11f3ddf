/* Loops in 32 bits. In
 *
 *     do {
 *         score = (h[i - 1] at (current - 2)) + match
 *         score = max(score, (h[i] at (current - 1)) - 1)
 *         h[i] = score
 *     } for i in h
 *
 * elements have 32 bits, and Integers 64: a sum of two elements may need one more, and vectors then hold half as many of them. The values
 * are hardly ever that large. So the loop goes in blocks; where all that a block reads lies between -limit and limit - 1, for
 * which the ranges of values (range.c) say that nothing leaves 32 bits, the block is computed in these, else as ever. Results are the same
 * numbers. Whether it is so is asked on the way, and the block computed again where it is not. But where values say which elements are
 * read or written, wrong ones might come to elements that do not exist, and where the loop reads what it writes, it is gone: there it
 * is asked before.
 *
 * That needs, outside of subscripts and known conditions: elements of 32 bits that every iteration reads, of
 * arrays that the loop does not write, which lie side by side unless they are looked at on the way; locals; what the loop does not change; sums, differences, products, quotients and shifts by literals, min, max, abs,
 * comparisons. Reductions: extrema, and sums of a block that fit. */
#include "compiler/lower/narrow.h"
#include "compiler/lower/passes.h"

typedef struct Search {
    Arena *arena;
    const LoweredBody *code;
    const Nest *nest;
    const Block *body;
    const Ranges *ranges; /* with the assumption; NULL: what has to be assumed is being collected */
    Small *small;
    bool fits, gains;
    bool low_bits;        /* only 32 bits of the value are stored: C compilers need no more of sums and products */
} Search;

static bool in_32_bits(Interval values) { return interval_within(values, INT32_MIN, INT32_MAX); }

/* ---- What the loop reads ---------------------------------------------------------------------------------- */
typedef struct Place { const Search *search; bool holds; } Place;

static void check_place(void *data, const Expr *expr) {
    Place *place = data;
    const Block *body = place->search->body;
    if (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX) place->holds = false;
    if (expr->kind == EXPR_VAR) place->holds &= !lower_is_local_of(body, expr->var) && lower_block_writes(body, expr->var) == 0;
}

/* What the middle piece of a loop comes to in every iteration. */
static bool is_read(const Search *search, const Block *block, const Expr *element) {
    const Edges *edges = search->nest->edges;
    for (size_t i = 0; block && i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        bool holds = false;
        const bool known = stmt->kind == STMT_IF && edges && !lower_in_piece(edges, PIECE_MIDDLE, stmt->value, &holds);
        if (known ? is_read(search, holds ? &stmt->body : stmt->otherwise, element) : lower_always_touches(stmt->value, element)) return true;
    }
    return false;
}

/* index + offset, or term + offset. */
static const Expr *without_offset(const Expr *subscript, int64_t *offset) {
    for (*offset = 0; subscript->kind == EXPR_BINARY && (subscript->op == OP_ADD || subscript->op == OP_SUB) && subscript->right->kind == EXPR_INTEGER &&
                      subscript->right->integer >= 0 && subscript->right->integer < 1000 && *offset < 1000 && *offset > -1000;
         subscript = subscript->left)
        *offset += subscript->op == OP_ADD ? subscript->right->integer : -subscript->right->integer;
    return subscript;
}

/* Both elements move alike: *distance from one to the other. */
static bool are_neighbours(const Search *search, const Expr *a, const Expr *b, int64_t *distance) {
    if (a->var != b->var || a->lag != b->lag) return false;
    const int fastest = lower_fastest_dimension(search->code->use, a);
    for (int d = 0; d < (int)a->arguments.count; d++) {
        int64_t from, to;
        const Expr *left = without_offset(a->arguments.items[d], &from), *right = without_offset(b->arguments.items[d], &to);
        if (!lower_expr_equal(left, right) || (d != fastest && from != to)) return false;
        if (d == fastest) *distance = to - from;
    }
    return true;
}

static void add_span(Search *search, const Expr *element, bool moves, bool far) {
    for (size_t i = 0; i < search->small->spans.count; i++) {
        SmallSpan *span = &search->small->spans.items[i];
        int64_t distance = 0;
        if (far && span->far && lower_expr_equal(span->first, element)) return;
        if (far || span->far || span->moves != moves || !are_neighbours(search, span->first, element, &distance)) continue;
        if (distance < 0) span->first = element, span->more -= distance;
        else if (distance > span->more) span->last = element, span->more = distance;
        return;
    }
    vec_push(search->arena, &search->small->spans, ((SmallSpan){element, element, 0, moves, far}));
}

/* A few elements apart: its last subscripts, from one that moves with the loop on, are literals. */
static bool is_strided(const Search *search, const Expr *element) {
    const bool fortran = lower_fastest_dimension(search->code->use, element) == 0;
    const Var *index = nest_innermost(search->nest)->index->var;
    for (size_t d = 0; d < element->arguments.count; d++) {
        const Expr *subscript = element->arguments.items[fortran ? d : element->arguments.count - 1 - d];
        if (lower_expr_mentions(subscript, index)) return true;
        if (subscript->kind != EXPR_INTEGER) return false;
    }
    return false;
}

static void assume_element(Search *search, const Expr *element) {
    const Formal *formal = lower_formal(search->code->use, element->var);
    const Var *index = nest_innermost(search->nest)->index->var;
    const int dimension = lower_plain_dimension(search->nest, element, index);
    const bool far = dimension != -1 && dimension != lower_fastest_dimension(search->code->use, element);
    Place place = {search, formal && formal->kind == FORMAL_VIEW && formal->restricted && !formal->layout.split && lower_is_stored_single(element)};
    place.holds &= !far || is_strided(search, element);
    place.holds &= element->lag > 0 || lower_block_writes(search->body, element->var) == 0;
    for (size_t d = 0; place.holds && d < element->arguments.count; d++)
        lower_walk_expr(&(Walk){check_place, NULL, &place}, element->arguments.items[d]);
    search->fits &= place.holds && is_read(search, search->body, element);
    if (search->fits) add_span(search, element, dimension != -1, far);
}

static bool is_an_index(const Nest *nest, const Var *var) {
    bool found = false;
    for (size_t l = 0; l < nest->loops.count; l++) found |= nest->loops.items[l].index->var == var;
    return found;
}

/* What the loop does not change, of the stage's own. */
static void assume_scalar(Search *search, const Expr *expr) {
    const Var *var = expr->var;
    search->fits &= expr->lag == 0 && (var->kind == VAR_LOCAL || var->kind == VAR_PARAM) && !is_an_index(search->nest, var) && lower_block_writes(search->body, var) == 0;
    for (size_t i = 0; i < search->small->scalars.count; i++)
        if (search->small->scalars.items[i] == var) return;
    if (search->fits) vec_push(search->arena, &search->small->scalars, (Var *)var);
}

/* ---- What it computes --------------------------------------------------------------------------------------- */
static void check_expr(Search *search, const Expr *expr);

static bool is_stored_int(const Expr *expr) {
    return expr->kind == EXPR_INTEGER ? expr->integer >= INT32_MIN && expr->integer <= INT32_MAX : expr->kind == EXPR_ELEMENT && lower_is_stored_single(expr);
}

static bool is_simple(const Expr *expr) {
    switch (expr->op) {
    case OP_ADD: case OP_SUB: case OP_MUL: case OP_BITAND: case OP_BITOR: case OP_BITXOR: return true;
    case OP_DIV: case OP_MOD: return expr->right->kind == EXPR_INTEGER && expr->right->integer > 0;
    case OP_SHR: return expr->right->kind == EXPR_INTEGER && expr->right->integer >= 0 && expr->right->integer < 32;
    default: return false;
    }
}

static bool needs_low_bits(const Expr *expr) {
    return expr->kind == EXPR_UNARY || (expr->kind == EXPR_BINARY && expr->op != OP_DIV && expr->op != OP_MOD && expr->op != OP_SHR && expr->type->kind == TYPE_INTEGER);
}

static void check_operands(Search *search, const Expr *expr) {
    const bool low_bits = search->low_bits;
    search->low_bits &= needs_low_bits(expr);
    if (expr->left) check_expr(search, expr->left);
    if (expr->right) check_expr(search, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) check_expr(search, expr->arguments.items[i]);
    search->low_bits = low_bits;
}

/* Collects what has to be assumed; or asks whether then all values fit. */
static void check_integer(Search *search, const Expr *expr) {
    const bool computed = expr->kind == EXPR_BINARY || expr->kind == EXPR_UNARY || expr->kind == EXPR_MATH;
    if (search->ranges) search->fits &= in_32_bits(lower_range_of(search->ranges, expr));
    search->gains |= computed && !search->low_bits && !in_32_bits(lower_values_of(search->code, expr));
    switch (expr->kind) {
    case EXPR_INTEGER: search->fits &= is_stored_int(expr); return;
    case EXPR_ELEMENT: if (!search->ranges) assume_element(search, expr); return;
    case EXPR_VAR:
        if (!search->ranges && !lower_is_local_of(search->body, expr->var)) assume_scalar(search, expr);
        return;
    case EXPR_BINARY: search->fits &= is_simple(expr); check_operands(search, expr); return;
    case EXPR_UNARY: case EXPR_MATH: check_operands(search, expr); return;
    default: search->fits = false;
    }
}

static void check_expr(Search *search, const Expr *expr) {
    if (!search->fits) return;
    if (expr->type->kind == TYPE_INTEGER) {
        check_integer(search, expr);
        return;
    }
    switch (expr->kind) {
    case EXPR_REAL: case EXPR_BOOLEAN: case EXPR_CHARACTER: case EXPR_VAR: case EXPR_ELEMENT: return;
    case EXPR_BINARY:
        if (is_stored_int(expr->left) && is_stored_int(expr->right)) return; /* compared as they are */
        check_operands(search, expr);
        return;
    case EXPR_UNARY: case EXPR_CONVERT: case EXPR_MATH: check_operands(search, expr); return;
    default: search->fits = false;
    }
}

enum { BLOCK = 1024, MOST_FAR = 16 }; /* HP5_BLOCK; elements that are looked at one by one */

/* Elements that lie apart are looked at on the way or not at all. */
static bool far_fit(const Small *small) {
    size_t far = 0;
    for (size_t i = 0; i < small->spans.count; i++) far += small->spans.items[i].far;
    return far == 0 || (small->first_in_32_bits && far <= MOST_FAR);
}

/* The sum of a block fits where each value is so small. */
static void check_reduce(Search *search, const Stmt *stmt) {
    check_expr(search, stmt->value);
    const bool extreme = stmt->reduce == REDUCE_MAX || stmt->reduce == REDUCE_MIN;
    search->fits &= stmt->value->type->kind == TYPE_INTEGER && (extreme || stmt->reduce == REDUCE_SUM);
    if (search->ranges) search->fits &= interval_within(lower_range_of(search->ranges, stmt->value), extreme ? INT32_MIN + 1 : INT32_MIN / BLOCK, extreme ? INT32_MAX - 1 : INT32_MAX / BLOCK);
}

static void check_block(Search *search, const Block *block);

static void check_stmt(Search *search, const Stmt *stmt) {
    bool holds = false;
    switch (stmt->kind) {
    case STMT_ASSIGN:
        search->fits &= stmt->accumulate == ACCUMULATE_NONE || type_is_real(stmt->target->type);
        search->fits &= stmt->target->kind == EXPR_ELEMENT || (stmt->target->kind == EXPR_VAR && lower_is_local_of(search->body, stmt->target->var));
        search->low_bits = stmt->target->kind == EXPR_ELEMENT && lower_is_stored_single(stmt->target);
        check_expr(search, stmt->value);
        search->low_bits = false;
        return;
    case STMT_REDUCE: check_reduce(search, stmt); return;
    case STMT_BLOCK: check_block(search, &stmt->body); return;
    case STMT_IF:
        if (search->nest->edges && !lower_in_piece(search->nest->edges, PIECE_MIDDLE, stmt->value, &holds)) {
            check_block(search, holds ? &stmt->body : stmt->otherwise);
            return;
        }
        check_expr(search, stmt->value);
        check_block(search, &stmt->body);
        check_block(search, stmt->otherwise);
        return;
    default: search->fits = false;
    }
}

static void check_block(Search *search, const Block *block) {
    for (size_t i = 0; block && i < block->statements.count && search->fits; i++) check_stmt(search, block->statements.items[i]);
}

/* ---- Which elements it comes to -------------------------------------------------------------------------------- */
/* maybe: a condition says whether the expression is evaluated; target: it is what is assigned */
typedef struct Chosen { const Search *search; bool maybe, target, found; } Chosen;

static void find_value(void *data, const Expr *expr) {
    Chosen *chosen = data;
    chosen->found |= expr->kind == EXPR_ELEMENT || (expr->kind == EXPR_VAR && lower_is_local_of(chosen->search->body, expr->var));
}

static void find_chosen(Chosen *chosen, const Expr *expr) {
    if (!expr) return;
    const bool maybe = chosen->maybe;
    chosen->found |= expr->kind == EXPR_ELEMENT && (maybe || (!chosen->target && expr->lag == 0 && lower_block_writes(chosen->search->body, expr->var) > 0));
    chosen->target = false;
    for (size_t i = 0; i < expr->arguments.count; i++) {
        if (expr->kind == EXPR_ELEMENT) lower_walk_expr(&(Walk){find_value, NULL, chosen}, expr->arguments.items[i]);
        find_chosen(chosen, expr->arguments.items[i]);
    }
    find_chosen(chosen, expr->left);
    chosen->maybe |= expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR);
    find_chosen(chosen, expr->right);
    chosen->maybe = maybe;
}

/* Whether values say which elements the block reads or writes, or it reads what it writes. */
static bool cannot_repeat(const Search *search, const Block *block, bool maybe) {
    const Edges *edges = search->nest->edges;
    for (size_t i = 0; block && i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        bool holds = false;
        if (stmt->kind == STMT_IF && edges && !lower_in_piece(edges, PIECE_MIDDLE, stmt->value, &holds)) {
            if (cannot_repeat(search, holds ? &stmt->body : stmt->otherwise, maybe)) return true;
            continue;
        }
        Chosen chosen = {search, maybe, false, false};
        find_chosen(&chosen, stmt->value);
        chosen.target = true;
        if (stmt->kind == STMT_ASSIGN) find_chosen(&chosen, stmt->target);
        const bool inside = maybe || stmt->kind == STMT_IF;
        if (chosen.found || cannot_repeat(search, &stmt->body, inside) || cannot_repeat(search, stmt->otherwise, inside)) return true;
    }
    return false;
}

/* ---- All together --------------------------------------------------------------------------------------------- */
static void narrow_locals(const LoweredBody *code, const Block *block, signed char *bytes, bool *fits) {
    for (size_t i = 0; i < block->locals.count; i++) {
        const Var *var = block->locals.items[i];
        if (var->type->kind != TYPE_INTEGER || var->type->stored_single) continue;
        bytes[var->id] = (signed char)lower_local_bytes(code->ranges, code->body, block, var);
        *fits &= bytes[var->id] > 0;
    }
    for (size_t i = 0; i < block->statements.count; i++) {
        narrow_locals(code, &block->statements.items[i]->body, bytes, fits);
        if (block->statements.items[i]->otherwise) narrow_locals(code, block->statements.items[i]->otherwise, bytes, fits);
    }
}

/* Whether all that the loop computes has 32 bits, if all that it reads is smaller than the limit. */
static bool try_limit(Search *search, RangeMemo *memo, int64_t limit) {
    const LoweredBody *code = search->code;
    LoweredBody *narrow = ARENA_NEW(search->arena, LoweredBody);
    *narrow = *code;
    narrow->ranges = search->ranges = lower_ranges_assuming(memo, code->ranges, search->nest->stmt, limit);
    signed char *bytes = ARENA_ARRAY(search->arena, signed char, code->body->vars.count + 1);
    for (size_t i = 0; i < code->body->vars.count; i++) bytes[i] = code->local_bytes[i];
    for (size_t i = 0; i < search->small->scalars.count; i++)
        if (bytes[search->small->scalars.items[i]->id] == 0) bytes[search->small->scalars.items[i]->id] = 4;
    narrow->local_bytes = bytes;
    search->fits = true;
    narrow_locals(narrow, search->body, bytes, &search->fits);
    check_block(search, search->body);
    search->small->code = narrow;
    search->small->limit = limit;
    return search->fits;
}

const Small *lower_small(Arena *arena, RangeMemo *memo, const LoweredBody *code, const Nest *nest) {
    const Loop *innermost = nest_innermost(nest);
    const bool loops = nest->form == FORM_LOOPS && loop_may(innermost, LOOP_PARALLEL) && !nest->usual && !(nest->choices && nest->choices->asked.count > 0);
    const bool reduces = nest->form == FORM_REDUCTION && nest->reduction.any_order;
    if ((!loops && !reduces) || !code->use || !code->ranges || !innermost->interval || !innermost->domain_var || nest->has_filters) return NULL;
    Small *small = ARENA_NEW(arena, Small);
    Search search = {.arena = arena, .code = code, .nest = nest, .body = &nest->stmt->body, .small = small, .fits = true};
    check_block(&search, search.body);
    small->first_in_32_bits = !cannot_repeat(&search, search.body, false);
    if (!search.fits || !search.gains || small->spans.count == 0 || !far_fit(small)) return NULL;
    for (int bits = 30; bits >= 16; bits -= 2)
        if (try_limit(&search, memo, (int64_t)1 << bits)) return small;
    return NULL;
}
