/* Where lists end. On processors with the body that made them (runtime/array/list.h). On cards, where memory for them is short and a thread goes
 * through many iterations, with the innermost block of the program behind which nobody has them:
 *
 *     for (…) {
 *         const Hp5ListsScope lists;
 *         Hp5List *factors = factors_of(a[i]);
 *         …
 *     } */
#include "compiler/emit/program/writer.h"

bool writer_is_in_list(const Expr *place) {
    for (; place->kind == EXPR_FIELD || place->kind == EXPR_AT_INDEX || place->kind == EXPR_RANGE_PART; place = place->left)
        if (place->kind == EXPR_AT_INDEX && place->left->type->kind == TYPE_LIST) return true;
    return false;
}

static bool is_list(const Type *type) { return type != NULL && type->kind == TYPE_LIST; }

bool writer_makes_list(const Expr *expr) { return expr->kind == EXPR_NEW_LIST || (expr->kind == EXPR_CALL && is_list(expr->type)); }

static void find_list(void *data, const Expr *expr) { *(bool *)data |= writer_makes_list(expr); }

/* ---- Bodies --------------------------------------------------------------------------------------------------------- */
void writer_lists_scope(Writer *writer, const Body *body) {
    bool makes = false, hands_back = body->result && body->result->kind == TYPE_LIST;
    if (writer->emit->backend == &backend_cuda) return;
    lower_walk_block(&(Walk){find_list, NULL, &makes}, &body->block);
    for (size_t i = 0; i < body->params.count; i++)
        hands_back |= body->params.items[i]->by_reference && is_list(body->params.items[i]->type);
    if (makes && !hands_back) writer_line(writer, 4, "HP5_LISTS_SCOPE;");
}

/* ---- Blocks --------------------------------------------------------------------------------------------------------- */
typedef struct Leaving {
    const Writer *writer;
    bool makes, leaves; /* lists; to a variable that is there before the block, or with a return */
} Leaving;

static void note_receiver(Leaving *leaving, const Expr *place) {
    leaving->leaves |= place->kind == EXPR_VAR && is_list(place->type) && writer_find(leaving->writer, place->var) != NULL;
}

static void note_stmt(void *data, const Stmt *stmt) {
    if (stmt->kind == STMT_ASSIGN) note_receiver(data, stmt->target);
    if (stmt->kind == STMT_RETURN && stmt->value != NULL) ((Leaving *)data)->leaves |= is_list(stmt->value->type);
}

static void note_expr(void *data, const Expr *expr) {
    Leaving *leaving = data;
    const Body *body = expr->kind == EXPR_CALL && expr->function != NULL ? &expr->function->body : NULL;
    /* a function that gets a list by reference may make one without giving it as its value */
    for (size_t i = 0; body != NULL && i < expr->arguments.count && i < body->params.count; i++) {
        if (!body->params.items[i]->by_reference || !is_list(body->params.items[i]->type)) continue;
        leaving->makes = true;
        note_receiver(leaving, expr->arguments.items[i]);
    }
    leaving->makes |= writer_makes_list(expr);
}

void writer_block_lists(Writer *writer, const Block *block, int indent) {
    Leaving leaving = {.writer = writer};
    if (writer->emit->backend != &backend_cuda) return;
    lower_walk_block(&(Walk){note_expr, note_stmt, &leaving}, block);
    if (!leaving.makes || leaving.leaves) return;
    const bool together = writer->crew != NULL && !writer->code->one_thread && writer->sharing == CREW_TOGETHER;
    writer_line(writer, indent, "const %s %s%s;", together ? "Hp5CrewListsScope" : "Hp5ListsScope", writer_fresh(writer, "lists"), together ? "(crew)" : "");
}
