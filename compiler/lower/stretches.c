/* Indices that lie side by side although there are gaps between them (ArrayPlan.gaps). A loop whose index is a subscript of such a
 * dimension goes stretch by stretch: inside of one, elements lie as they would without gaps. Other subscripts are asked for one by one. */
#include "compiler/lower/passes.h"

bool lower_has_gaps(const StageUse *use, const Expr *element, size_t dimension) {
    const Formal *formal = lower_formal(use, element->var);
    return formal != NULL && formal->kind == FORMAL_VIEW && formal->gaps[dimension];
}

typedef struct Finding { Arena *arena; const StageUse *use; Loop *loop; } Finding;

static void find_place(void *data, const Expr *expr) {
    Finding *finding = data;
    Loop *loop = finding->loop;
    for (size_t d = 0; expr->kind == EXPR_ELEMENT && d < expr->arguments.count; d++) {
        const Expr *subscript = expr->arguments.items[d];
        bool known = subscript->kind != EXPR_VAR || subscript->var != loop->index->var || !lower_has_gaps(finding->use, expr, d);
        for (size_t i = 0; i < loop->places.count; i++) known |= loop->places.items[i].array == expr->var && loop->places.items[i].dimension == (int)d;
        if (!known) vec_push(finding->arena, &loop->places, ((LoopPlace){expr->var, (int)d}));
    }
}

void lower_find_places(Arena *arena, const StageUse *use, const Stmt *stmt, Loop *loop) {
    Finding finding = {arena, use, loop};
    const Walk walk = {find_place, NULL, &finding};
    for (size_t i = 0; i < stmt->indices.count; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        if (index->domain_range) lower_walk_expr(&walk, index->domain_range);
        for (size_t b = 0; b < index->lower.count; b++) lower_walk_expr(&walk, index->lower.items[b]);
        for (size_t b = 0; b < index->upper.count; b++) lower_walk_expr(&walk, index->upper.items[b]);
        for (size_t f = 0; f < index->filters.count; f++) lower_walk_expr(&walk, index->filters.items[f]);
    }
    lower_walk_block(&walk, &stmt->body);
    if (loop->places.count > 0) loop->interval = false;
}

bool lower_jumps(const StageUse *use, const Nest *nest, const Expr *element) {
    for (size_t d = 0; (!use || !use->tables) && d < element->arguments.count; d++) {
        const Expr *subscript = element->arguments.items[d];
        for (size_t l = 0; subscript->kind != EXPR_VAR && l < nest->loops.count; l++)
            if (lower_has_gaps(use, element, d) && lower_expr_mentions(subscript, nest->loops.items[l].index->var)) return true;
    }
    return false;
}
