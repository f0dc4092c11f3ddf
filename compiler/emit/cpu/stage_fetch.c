/* Loops that lanes go through down the rows of an array: neighbours lie side by side in a row, and each round is in another one, which no processor foresees where rows are long. So
 * each round of the innermost loop asks for what a later one reads, if the array is too large for a cache:
 *
 *     for (int64_t i = …) {
 *         if (hp5_is_far(table_view, 0, sizeof(double)))
 *             hp5_fetch(&table[(i + HP5_ROUNDS_AHEAD) * table_ld1 + j_first], sizeof(double) * HP5_NEIGHBOURS);
 *         …                                                       table[i][j], for 16 values of j
 *     } */
#include "compiler/emit/cpu/stage.h"

#include "compiler/lower/lane_values.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/rounds.h"

enum { MOST_FETCHED = 2 };

typedef struct Fetched { Expr *element; int row; } Fetched;
typedef struct Search { Writer *writer; const Var *round; VEC(Fetched) elements; } Search;

/* The round's index, plus or minus a number. */
static bool is_row(const Expr *subscript, const Var *round) {
    if (subscript->kind == EXPR_BINARY && (subscript->op == OP_ADD || subscript->op == OP_SUB) && subscript->right->kind == EXPR_INTEGER) subscript = subscript->left;
    return subscript->kind == EXPR_VAR && subscript->var == round;
}

static void find_row(void *data, const Expr *expr) {
    Search *search = data;
    const Writer *writer = search->writer;
    const Formal *formal = expr->kind == EXPR_ELEMENT ? lower_formal(writer->use, expr->var) : NULL;
    if (!formal || formal->kind != FORMAL_VIEW || formal->layout.split || !type_is_numeric(expr->type)) return;
    if (expr->lag == 0 && lower_block_writes(&writer->lanes.nest->stmt->body, expr->var) > 0) return; /* what the body has written is near */
    const LaneValues values = {.use = writer->use, .body = &writer->lanes.nest->stmt->body, .index = writer->lanes.index, .ragged = &writer->lanes.nest->lanes.ragged};
    const int fastest = lower_fastest_dimension(writer->use, expr);
    int row = -1;
    for (int d = 0; d < (int)expr->arguments.count; d++) {
        const Expr *subscript = expr->arguments.items[d];
        const bool of_round = d != fastest && is_row(subscript, search->round);
        if (!of_round && lower_lane_step(&values, subscript) != (d == fastest ? STEP_NEXT : STEP_SAME)) return;
        if (of_round) row = d;
    }
    for (size_t i = 0; i < search->elements.count; i++) /* one of rows that follow each other: the others have been asked for before */
        if (search->elements.items[i].element->var == expr->var && search->elements.items[i].element->lag == expr->lag) return;
    if (row >= 0 && search->elements.count < MOST_FETCHED) vec_push(writer->arena, &search->elements, ((Fetched){(Expr *)expr, row}));
}

static void find_loop(void *data, const Stmt *stmt) { *(bool *)data |= stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_PARALLEL || stmt->kind == STMT_WHILE; }

/* 1 or -1; 0: another one. */
static int64_t step_of(const Stmt *loop) {
    const Expr *step = loop->step;
    const bool negative = step != NULL && step->kind == EXPR_UNARY && step->op == OP_NEG;
    const Expr *number = negative ? step->left : step;
    if (number == NULL) return 1;
    if (number->kind != EXPR_INTEGER || (number->integer != 1 && number->integer != -1)) return 0;
    return negative ? -number->integer : number->integer;
}

void writer_fetch_rows(Writer *writer, const Stmt *loop, const Var *round, int indent) {
    const WriterLanes *lanes = &writer->lanes;
    const int64_t step = step_of(loop);
    bool inside = lower_short_rounds(loop) > 0 || step == 0;
    lower_walk_block(&(Walk){NULL, find_loop, &inside}, &loop->body);
    if (inside || lanes->nest->lanes.rows || lanes->nest->lanes.apart || lanes->nest->lanes.along) return;
    Search search = {.writer = writer, .round = round};
    lower_walk_block(&(Walk){find_row, NULL, &search}, &loop->body);
    const size_t mark = writer->scope.count;
    const char *later = arena_printf(writer->arena, "(%s %c HP5_ROUNDS_AHEAD)", writer_find(writer, round), step < 0 ? '-' : '+');
    vec_push(writer->arena, &writer->scope, ((ScopeName){round, later}));
    vec_push(writer->arena, &writer->scope, ((ScopeName){lanes->index, lanes->first}));
    for (size_t i = 0; i < search.elements.count; i++) {
        const Fetched *fetched = &search.elements.items[i];
        const char *type = emit_storage_type(writer->emit, fetched->element->var->type->element);
        writer_line(writer, indent, "if (hp5_is_far(%s, %d, sizeof(%s)))", writer_view(writer, fetched->element->var), fetched->row, type);
        writer_line(writer, indent + 4, "hp5_fetch(&%s, sizeof(%s) * %s);", writer_expr(writer, fetched->element), type, lanes->room);
    }
    writer->scope.count = mark;
}
