/* Products that are subtracted from. gcc 12 makes one instruction of
 *
 *     x[2 * i] = a * b - c;        x[2 * i + 1] = d * e + f;
 *
 * that rounds each line once (vfmaddsub), also with -ffp-contract=off, where both lines have to round twice. It looks at what
 * stands left of the minus; HP5_ROUNDED (runtime/generated.h) hides there that it is a product, and costs nothing:
 *
 *     x[2 * i] = HP5_ROUNDED(a * b) - c;
 *
 * A local or an element that holds a product is one for gcc, too, and so is what a function returns that is printed into its
 * caller. Nothing is known of other bodies: parameters and results of functions may be products. */
#include "compiler/emit/program/writer.h"
#include "compiler/lower/walk.h"

typedef struct Products { const EmitNames *names; Writer *writer; bool changed; } Products;

static bool may_hold_product(const EmitNames *names, const Expr *place) {
    const Var *root = lower_place_root(place);
    return root && names && names->holds_product && names->holds_product(names->data, root);
}

bool emit_may_be_product(const EmitNames *names, const Expr *expr) {
    switch (expr->kind) {
    case EXPR_UNARY: case EXPR_CONVERT: return emit_may_be_product(names, expr->left);
    case EXPR_BINARY: return type_is_real(expr->type) && (expr->op == OP_MUL || expr->op == OP_POW);
    case EXPR_CALL: return true;
    case EXPR_NEW_STRUCT:
        for (size_t i = 0; i < expr->arguments.count; i++)
            if (expr->arguments.items[i] && emit_may_be_product(names, expr->arguments.items[i])) return true;
        return false;
    case EXPR_VAR: case EXPR_ELEMENT: case EXPR_FIELD: case EXPR_AT_INDEX: return may_hold_product(names, expr);
    default: return false;
    }
}

static bool holds_product(void *data, const Var *var) {
    const Writer *writer = data;
    if (var->kind == VAR_PARAM && !writer->use) return true;
    for (size_t i = 0; i < writer->products.count; i++)
        if (writer->products.items[i] == var) return true;
    return false;
}

static void note(Products *products, Var *var) {
    if (!var || holds_product(products->writer, var)) return;
    vec_push(products->writer->arena, &products->writer->products, var);
    products->changed = true;
}

static void note_references(void *data, const Expr *expr) {
    for (size_t i = 0; expr->kind == EXPR_CALL && i < expr->arguments.count; i++)
        if (expr->function->body.params.items[i]->by_reference) note(data, lower_place_root(expr->arguments.items[i]));
}

static void note_assignment(void *data, const Stmt *stmt) {
    Products *products = data;
    if (stmt->kind == STMT_ASSIGN && stmt->accumulate == ACCUMULATE_NONE && emit_may_be_product(products->names, stmt->value))
        note(products, lower_place_root(stmt->target));
}

void writer_note_products(Writer *writer) {
    if (writer->emit->options.fast_math) return;
    writer->names.holds_product = holds_product;
    Products products = {&writer->names, writer, true};
    const Walk walk = {note_references, note_assignment, &products};
    while (products.changed) {
        products.changed = false;
        lower_walk_block(&walk, &writer->body->block);
    }
}
