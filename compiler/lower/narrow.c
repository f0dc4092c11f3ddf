/* Which locals are stored in fewer bits: those whose values are proven to fit (range.h), down to the bytes of the smallest
 * element that their block works on, so that a vector instruction takes as many of one as of the other. In 32 bits, whatever the elements are, those that
 * 32 bits without a sign hold, and factors of products that have more: vectors multiply 32 bits by 32 where they have no instruction for 64 by 64. Random
 * numbers are made of such. And whatever their values, those that nothing reads but assignments to elements of 32 bits, which keep no more of them: places of extrema that loops remember. */
#include "compiler/lower/narrow.h"

/* ---- Numbers that a local is compared with ------------------------------------------------------------ */
/* They fit its type, too: C compilers warn of comparisons that are always false. */
typedef struct Compared { const Var *var; Interval values; } Compared;

static void find_compared(void *data, const Expr *expr) {
    Compared *compared = data;
    if (expr->kind != EXPR_BINARY || expr->left->type->kind != TYPE_INTEGER || expr->type->kind != TYPE_BOOLEAN) return;
    const Expr *number = expr->left->kind == EXPR_INTEGER ? expr->left : expr->right;
    const Expr *other = number == expr->left ? expr->right : expr->left;
    if (number->kind == EXPR_INTEGER && other->kind == EXPR_VAR && other->var == compared->var)
        compared->values = interval_join(compared->values, (Interval){number->integer, number->integer});
}

/* ---- What a local may be stored in ----------------------------------------------------------------- */
/* Whose address is taken, or that foreign code names: its type is fixed. */
typedef struct Fixed { const Var *var; bool found; } Fixed;

static void find_reference(void *data, const Expr *expr) {
    Fixed *fixed = data;
    if (expr->kind != EXPR_CALL) return;
    const VarVec *params = &expr->function->body.params;
    for (size_t i = 0; i < expr->arguments.count && i < params->count; i++)
        if (params->items[i]->by_reference && lower_place_root(expr->arguments.items[i]) == fixed->var) fixed->found = true;
}

static void find_foreign(void *data, const Stmt *stmt) {
    Fixed *fixed = data;
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->uses.count; i++)
        if (stmt->external->uses.items[i] == fixed->var) fixed->found = true;
}

int lower_stored_bytes(const Type *type) {
    switch (type->kind) {
    case TYPE_BOOLEAN: case TYPE_CHARACTER: return 1;
    case TYPE_REAL_SINGLE: return 4;
    case TYPE_INTEGER: return type->stored_single ? 4 : 8;
    default: return 8;
    }
}

static void find_smallest(void *data, const Expr *expr) {
    int *smallest = data, bytes = expr->kind == EXPR_ELEMENT ? lower_stored_bytes(expr->var->type->element) : 8;
    if (bytes < *smallest) *smallest = bytes;
}

static int smallest_element(const Block *block) {
    int smallest = 8;
    lower_walk_block(&(Walk){find_smallest, NULL, &smallest}, block);
    return smallest;
}

typedef struct Products { const Ranges *ranges; const Var *factor; bool found; } Products;

static bool is_factor(const Products *products, const Expr *expr, const Expr *other) {
    return expr->kind == EXPR_VAR && expr->var == products->factor && interval_within(lower_range_of(products->ranges, other), INT32_MIN, UINT32_MAX);
}

static void find_product(void *data, const Expr *expr) {
    Products *products = data;
    if (expr->kind != EXPR_BINARY || expr->op != OP_MUL || expr->type->kind != TYPE_INTEGER) return;
    if (!is_factor(products, expr->left, expr->right) && !is_factor(products, expr->right, expr->left)) return;
    products->found = products->found || !interval_within(lower_range_of(products->ranges, expr), INT32_MIN, INT32_MAX);
}

/* 4, LOWER_UNSIGNED, or 0, for these values. */
static int of_32_bits(const Ranges *ranges, const Body *body, const Var *var, Interval values) {
    if (interval_within(values, 0, UINT32_MAX) && values.max > INT32_MAX) return LOWER_UNSIGNED;
    Products products = {ranges, var, false};
    if (interval_within(values, INT32_MIN, INT32_MAX)) lower_walk_block(&(Walk){find_product, NULL, &products}, &body->block);
    return products.found ? 4 : 0;
}

int lower_local_bytes(const Ranges *ranges, const Body *body, const Block *block, const Var *var) {
    static const struct { int bytes; int64_t min, max; } types[] = {{1, INT8_MIN, INT8_MAX}, {2, INT16_MIN, INT16_MAX}, {4, INT32_MIN, INT32_MAX}};
    if (var->kind != VAR_LOCAL || var->type->kind != TYPE_INTEGER || var->type->stored_single) return 0;
    Compared compared = {var, lower_range_of_var(ranges, var)};
    lower_walk_block(&(Walk){find_compared, NULL, &compared}, &body->block);
    int least = smallest_element(block);
    Fixed fixed = {var, false};
    lower_walk_block(&(Walk){find_reference, find_foreign, &fixed}, &body->block);
    for (size_t i = 0; i < sizeof types / sizeof types[0] && !fixed.found; i++)
        if (types[i].bytes >= least && interval_within(compared.values, types[i].min, types[i].max)) return types[i].bytes;
    return fixed.found ? 0 : of_32_bits(ranges, body, var, compared.values);
}

/* ---- Lower bits -------------------------------------------------------------------------------------- */
/* All that names the local; what assigns it, or an element the local as it is. */
typedef struct LowBits { const Var *var; size_t names, assigned, kept; bool foreign; } LowBits;

static void count_name(void *data, const Expr *expr) {
    LowBits *bits = data;
    bits->names += expr->var == bits->var;
}

static void count_kept(void *data, const Stmt *stmt) {
    LowBits *bits = data;
    for (size_t i = 0; stmt->kind == STMT_EXTERN && i < stmt->external->uses.count; i++) bits->foreign |= stmt->external->uses.items[i] == bits->var;
    if (stmt->kind != STMT_ASSIGN || stmt->accumulate != ACCUMULATE_NONE) return;
    const Expr *target = stmt->target, *value = stmt->value;
    bits->assigned += target->kind == EXPR_VAR && target->var == bits->var;
    bits->kept += target->kind == EXPR_ELEMENT && target->var->type->element->kind == TYPE_INTEGER && target->var->type->element->stored_single && value->kind == EXPR_VAR && value->var == bits->var;
}

bool lower_keeps_low_bits(const Body *body, const Var *var) {
    LowBits bits = {.var = var};
    if (var->kind != VAR_LOCAL || var->type->kind != TYPE_INTEGER || var->type->stored_single) return false;
    lower_walk_block(&(Walk){count_name, count_kept, &bits}, &body->block);
    return !bits.foreign && bits.kept > 0 && bits.names == bits.assigned + bits.kept;
}

/* ---- Parameters -------------------------------------------------------------------------------------- */
static void find_leaving(void *data, const Stmt *stmt) { *(bool *)data |= stmt->kind == STMT_RETURN; }

const Stmt *lower_settles_at(const Body *body, const Var *param) {
    Fixed fixed = {param, false};
    bool leaves = false;
    if (!param->by_reference || param->type->kind != TYPE_INTEGER || param->type->stored_single) return NULL;
    lower_walk_block(&(Walk){find_reference, find_foreign, &fixed}, &body->block);
    lower_walk_block(&(Walk){NULL, find_leaving, &leaves}, &body->block);
    for (size_t i = 0; i < body->block.statements.count && !fixed.found && !leaves; i++) {
        const Stmt *stmt = body->block.statements.items[i];
        if (!lower_block_mentions(&(Block){.statements = {.items = (Stmt **)&body->block.statements.items[i], .count = 1}}, param)) continue;
        const bool assigned = stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && stmt->target->var == param;
        return assigned && !lower_expr_has_effect(stmt->value) ? stmt : NULL;
    }
    return NULL;
}

int lower_param_bytes(const Ranges *ranges, const Body *body, const Var *param) {
    if (lower_settles_at(body, param) == NULL) return 0;
    Compared compared = {param, lower_range_of_var(ranges, param)};
    lower_walk_block(&(Walk){find_compared, NULL, &compared}, &body->block);
    return of_32_bits(ranges, body, param, compared.values);
}
