/* What threads that go down columns (hp5_abreast, runtime/card/walks.h) will read in their next rounds: of each version of an array that is read beside the element
 * that gets the value, the lowest row. Those above it have been asked for by the rounds before.
 *
 *     [&](int64_t i, int64_t j) { hp5_ahead(&x[(i + 1) * x_ld1 + j]); }
 *
 * Elements whose subscripts are anything but the loops' indices, a number more or less, or values that all rounds have in common, are not asked for. */
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/walk_bodies.h"

enum { MOST_ARRAYS = 4, MOST_OFFSET = 64 };

typedef struct Lowest { const Expr *element; int64_t down, along; } Lowest;
typedef struct Ahead {
    Writer *writer;
    const Nest *nest;
    const Shared *order;
    Lowest lowest[MOST_ARRAYS];
    int count;
} Ahead;

/* The index of which the subscript is a number more; NULL: of none. */
static const Var *index_of(const Ahead *ahead, const Expr *subscript, int64_t *more) {
    for (*more = 0; subscript->kind == EXPR_BINARY && (subscript->op == OP_ADD || subscript->op == OP_SUB) && subscript->right->kind == EXPR_INTEGER; subscript = subscript->left) {
        if (subscript->right->integer > MOST_OFFSET || subscript->right->integer < -MOST_OFFSET) return NULL;
        *more += subscript->op == OP_ADD ? subscript->right->integer : -subscript->right->integer;
    }
    for (size_t i = 0; subscript->kind == EXPR_VAR && i < ahead->order->count; i++)
        if (ahead->order->items[i]->index->var == subscript->var) return subscript->var;
    return NULL;
}

static void note_element(void *data, const Expr *expr) {
    Ahead *ahead = data;
    if (expr->kind != EXPR_ELEMENT || expr->arguments.count < 2 || writer_is_split(ahead->writer, expr)) return;
    const Var *down = ahead->order->items[0]->index->var, *along = ahead->order->items[ahead->order->count - 1]->index->var, *last = NULL;
    Lowest found = {.element = expr};
    bool goes_down = false;
    for (size_t d = 0; d < expr->arguments.count; d++) {
        int64_t more;
        last = index_of(ahead, expr->arguments.items[d], &more);
        if (last == NULL && !lower_is_same_everywhere(ahead->nest, expr->arguments.items[d])) return;
        if (last == down) goes_down = true, found.down = more;
        if (last == along) found.along = more < 0 ? -more : more;
    }
    if (!goes_down || last != along) return;
    for (int n = 0; n < ahead->count; n++) {
        Lowest *known = &ahead->lowest[n];
        if (known->element->var != expr->var || known->element->lag != expr->lag) continue;
        if (found.down > known->down || (found.down == known->down && found.along < known->along)) *known = found;
        return;
    }
    if (ahead->count < MOST_ARRAYS) ahead->lowest[ahead->count++] = found;
}

const char *cuda_next_rows(Writer *writer, const Nest *nest, const Shared *order, const Expr *target, bool reads) {
    Ahead ahead = {.writer = writer, .nest = nest, .order = order};
    char *asks = NULL, *params = NULL;
    if (order->count < 2) return NULL;
    lower_walk_block(&(Walk){note_element, NULL, &ahead}, &nest->stmt->body);
    for (int n = 0; n < ahead.count; n++) {
        if (ahead.lowest[n].element == target && !reads) continue;
        asks = arena_printf(writer->arena, "%shp5_ahead(&%s); ", asks ? asks : "", writer_expr(writer, ahead.lowest[n].element));
    }
    if (asks == NULL) return NULL;
    for (size_t i = 0; i < order->count; i++)
        params = arena_printf(writer->arena, "%s%s[[maybe_unused]] int64_t %s", params ? params : "", params ? ", " : "", writer_find(writer, order->items[i]->index->var));
    return arena_printf(writer->arena, "[&](%s) { %s}", params, asks);
}
