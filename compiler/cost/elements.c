/* Which elements straight-line code touches, how wide its numbers are, and what moves with the innermost loop. */
#include "compiler/cost/internal.h"

#include "compiler/lower/narrow.h"

/* ---- Width and movement of values ------------------------------------------------------------------- */
static int bytes_of_var(const Counter *counter, const Var *var) {
    const int narrowed = lower_bytes_of(counter->code, var);
    return narrowed != 0 ? (narrowed < 0 ? -narrowed : narrowed) : lower_stored_bytes(var->type);
}

/* Bytes of the widest number that the expression is made of; literals adapt to what they meet. */
static int bytes_of(const Counter *counter, const Expr *expr) {
    if (!expr || expr->kind == EXPR_INTEGER || (expr->type->kind != TYPE_BOOLEAN && expr->type->kind != TYPE_CHARACTER && !type_is_numeric(expr->type)))
        return 0;
    if (expr->kind == EXPR_VAR) return bytes_of_var(counter, expr->var);
    if (expr->kind == EXPR_ELEMENT) return lower_stored_bytes(expr->var->type->element);
    if (expr->kind != EXPR_BINARY && expr->kind != EXPR_UNARY && expr->kind != EXPR_CONVERT)
        return expr->left || expr->arguments.count > 0 ? lower_stored_bytes(expr->type) : 0;
    const int left = bytes_of(counter, expr->left), right = bytes_of(counter, expr->right);
    const int own = expr->kind == EXPR_CONVERT && type_is_real(expr->type) ? lower_stored_bytes(expr->type) : 0;
    return own > left && own > right ? own : left > right ? left : right;
}

void cost_note_width(Counter *counter, const Expr *expr) {
    const int bytes = bytes_of(counter, expr);
    if (bytes > counter->widest) counter->widest = bytes;
}

typedef struct Movement { const Counter *counter; bool moves; } Movement;

static bool moves(const Counter *counter, const Expr *expr);

static void find_movement(void *data, const Expr *expr) {
    Movement *movement = data;
    const Counter *counter = movement->counter;
    if (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL) movement->moves = true;
    if (expr->kind != EXPR_VAR) return;
    const CountPlace *place = counter->place;
    if (expr->var->kind == VAR_INDEX) movement->moves |= !place || place->loops == 0 || expr->var == place->indices[place->loops - 1];
    if (expr->var->kind == VAR_LOCAL) movement->moves = true;
    if (expr->var->kind != VAR_PARAM || !counter->call) return;
    const VarVec *params = &counter->call->function->body.params;
    for (size_t i = 0; i < params->count; i++)
        if (params->items[i] == expr->var)
            movement->moves |= lower_block_writes(&counter->call->function->body.block, expr->var) > 0 || moves(counter->caller, counter->call->arguments.items[i]);
}

/* Whether the value may be another one in each iteration of the innermost loop. */
static bool moves(const Counter *counter, const Expr *expr) {
    Movement movement = {counter, false};
    lower_walk_expr(&(Walk){find_movement, NULL, &movement}, expr);
    return movement.moves;
}

bool cost_converts_in_vectors(const Counter *counter, const Expr *expr) {
    if (type_is_real(expr->left->type) || !type_is_real(expr->type) || !moves(counter, expr->left)) return true;
    return expr->left->type->kind == TYPE_INTEGER && lower_converts_in_vectors(lower_values_of(counter->code, expr->left));
}

/* ---- Elements --------------------------------------------------------------------------------------- */
/* Sets which loops the subscript moves with and the smallest or highest number that it adds; `sign` is that of the term. */
static void read_subscript(const Counter *counter, const Expr *expr, int sign, bool highest, uint32_t *moves, int64_t *offset,
                           bool *anywhere) {
    const CountPlace *place = counter->place;
    if (expr->kind == EXPR_INTEGER) {
        *offset += sign * expr->integer;
        return;
    }
    for (const WrittenOut *loop = counter->written_out; loop && expr->kind == EXPR_VAR; loop = loop->outer) {
        if (loop->index->var != expr->var) continue;
        const Expr *range = loop->index->domain_range;
        read_subscript(counter, highest == (sign > 0) ? range->right : range->left, sign, highest, moves, offset, anywhere);
        return;
    }
    if (expr->kind == EXPR_BINARY && (expr->op == OP_ADD || expr->op == OP_SUB)) {
        read_subscript(counter, expr->left, sign, highest, moves, offset, anywhere);
        read_subscript(counter, expr->right, expr->op == OP_ADD ? sign : -sign, highest, moves, offset, anywhere);
        return;
    }
    for (size_t l = 0; l < place->loops; l++)
        if (lower_expr_mentions(expr, place->indices[l])) *moves |= 1u << l;
    if (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX) *anywhere = true;
    for (size_t i = 0; i < expr->arguments.count && expr->kind != EXPR_ELEMENT; i++)
        if (expr->arguments.items[i]->kind == EXPR_ELEMENT) *anywhere = true;
    if (expr->kind == EXPR_CONVERT || expr->kind == EXPR_BINARY || expr->kind == EXPR_MATH) {
        if (expr->left) read_subscript(counter, expr->left, sign, highest, moves, &(int64_t){0}, anywhere);
        if (expr->right) read_subscript(counter, expr->right, sign, highest, moves, &(int64_t){0}, anywhere);
    }
    if (expr->kind == EXPR_VAR && expr->var->kind == VAR_LOCAL) *anywhere = true;
}

static bool same_shape(const CountAccess *a, const CountAccess *b, int rank) {
    if (a->var != b->var || a->lag != b->lag) return false;
    for (int d = 0; d < rank; d++)
        if (a->moves[d] != b->moves[d] || a->anywhere[d] != b->anywhere[d]) return false;
    return true;
}

void cost_add_access(Counter *counter, const CountAccess *access, int rank) {
    for (size_t i = 0; i < counter->count.accesses.count; i++) {
        CountAccess *known = &counter->count.accesses.items[i];
        if (!same_shape(known, access, rank)) continue;
        known->reads += access->reads;
        known->writes += access->writes;
        for (int d = 0; d < rank; d++) {
            if (access->low[d] < known->low[d]) known->low[d] = access->low[d];
            if (access->high[d] > known->high[d]) known->high[d] = access->high[d];
        }
        return;
    }
    vec_push(counter->arena, &counter->count.accesses, *access);
}

/* The innermost index must stand in the last subscript alone, for neighbours to lie side by side; elements abreast come one by
 * one where they do not. */
static bool strides_by_one(const CountPlace *place, const CountAccess *access, int rank) {
    const bool abreast = cost_runs_abreast(place->nest);
    uint32_t innermost = place->loops > 0 ? 1u << (place->loops - 1) : 0;
    for (int d = 0; d < rank; d++)
        if (access->anywhere[d] || (!abreast && d + 1 < rank && (access->moves[d] & innermost))) return false;
    return true;
}

/* `type`: of the element, or of its field that is meant. */
static void count_element(Counter *counter, const Expr *element, const Type *type, double reads, double writes) {
    int rank = (int)element->arguments.count;
    for (int d = 0; d < rank; d++) { /* elements and calls in subscripts; not the address arithmetic */
        Counter inner = cost_counter_inside(counter);
        cost_count_expr(&inner, element->arguments.items[d]);
        for (size_t i = 0; i < inner.count.accesses.count; i++) cost_add_access(counter, &inner.count.accesses.items[i], MAX_RANK);
        counter->count.functions += inner.count.functions;
        counter->count.divisions += inner.count.divisions;
    }
    if (!counter->place) return;
    CountAccess access = {.var = element->var, .lag = element->lag, .reads = reads, .writes = writes};
    for (int d = 0; d < rank && d < MAX_RANK; d++) {
        read_subscript(counter, element->arguments.items[d], 1, false, &access.moves[d], &access.low[d], &access.anywhere[d]);
        read_subscript(counter, element->arguments.items[d], 1, true, &access.moves[d], &access.high[d], &access.anywhere[d]);
    }
    if (!strides_by_one(counter->place, &access, rank)) counter->scalar_only = true;
    const bool letter = type->kind == TYPE_CHARACTER || type->kind == TYPE_BOOLEAN;
    if (!letter && !type_is_numeric(type)) counter->scalar_only = true;
    if (counter->conditional && lower_stored_bytes(type) < 4) counter->scalar_only = true; /* no masks for these */
    if (lower_stored_bytes(type) > counter->widest) counter->widest = lower_stored_bytes(type);
    cost_add_access(counter, &access, rank);
}

void cost_count_place(Counter *counter, const Expr *place, double reads, double writes) {
    const Expr *root = place;
    while (root->kind == EXPR_FIELD || root->kind == EXPR_AT_INDEX) {
        for (size_t i = 0; i < root->arguments.count; i++) cost_count_expr(counter, root->arguments.items[i]);
        if (root->kind == EXPR_AT_INDEX) counter->count.integers += 1, counter->scalar_only = true;
        root = root->left;
    }
    if (root->kind == EXPR_ELEMENT) count_element(counter, root, place->type, reads, writes);
    else if (root->kind != EXPR_VAR) cost_count_expr(counter, root);
}
