/* How the dimensions of arrays are divided, and how the parts of two arrays lie to each other. */
#include "compiler/check/reach.h"

bool reach_same_expr(const Expr *a, const Expr *b) {
    if (a == NULL || b == NULL) return a == b;
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case EXPR_INTEGER: return a->integer == b->integer;
    case EXPR_VAR: return a->var == b->var;
    case EXPR_BINARY: return a->op == b->op && reach_same_expr(a->left, b->left) && reach_same_expr(a->right, b->right);
    default: return false;
    }
}

static bool divides(const DimPartition *part) { return part->function != PART_NONE && part->function != PART_REPLICATED; }

static void find_chain(const Lps *lps, const Var *array, int dimension, Chain *chain) {
    *chain = (Chain){.lps = lps, .array = array, .dimension = dimension};
    for (; lps != NULL && chain->count < MAX_LEVELS; lps = lps->parent) {
        const LpsVar *listed = lps_find_var(lps, array);
        for (int d = 0; listed != NULL && d < lps->dims; d++) {
            if (!divides(&listed->dims[d]) || listed->dims[d].array_dimension != dimension || !lps_has_several(lps, d)) continue;
            chain->levels[chain->count++] = (Level){lps, d, listed, &listed->dims[d]};
            break;
        }
    }
}

const Chain *reach_chain(Reach *reach, const Var *array, int dimension) {
    const Lps *lps = reach->call->lps;
    for (int i = 0; i < KEPT_CHAINS; i++) {
        const Chain *chain = &reach->chains[i];
        if (chain->lps == lps && chain->array == array && chain->dimension == dimension) return chain;
    }
    Chain *chain = &reach->chains[reach->next_chain++ % KEPT_CHAINS];
    find_chain(lps, array, dimension, chain);
    return chain;
}

const Level *reach_find_level(const Chain *chain, const Lps *lps) {
    for (int i = 0; i < chain->count; i++)
        if (chain->levels[i].lps == lps) return &chain->levels[i];
    return NULL;
}

bool reach_same_division(const Level *a, const Level *b) {
    return a->dim == b->dim && a->part->function == b->part->function &&
           reach_same_expr(a->part->arguments[0], b->part->arguments[0]) &&
           reach_same_expr(a->part->arguments[1], b->part->arguments[1]);
}

bool reach_is_strided(const Level *level) {
    return level->part->function == PART_STRIDE || level->part->function == PART_BLOCK_STRIDE;
}

bool reach_stays_in_stride(const Level *level, int64_t distance) {
    const Expr *stride = level->part->arguments[0];
    if (distance == 0) return true;
    return level->part->function == PART_STRIDE && stride != NULL && stride->kind == EXPR_INTEGER && stride->integer > 0 &&
           distance % stride->integer == 0;
}

static const Expr *padding_of(const Level *level, bool last) {
    return last ? level->part->padding_back : level->part->padding_front;
}

bool reach_padding(const Level *level, bool last, int64_t *value) {
    const Expr *padding = padding_of(level, last);
    *value = padding != NULL && padding->kind == EXPR_INTEGER ? padding->integer : 0;
    return padding == NULL || padding->kind == EXPR_INTEGER;
}

int64_t reach_padding_difference(const Level *a, const Level *b, bool last) {
    if (reach_same_expr(padding_of(a, last), padding_of(b, last))) return 0;
    int64_t here, there;
    if (!reach_padding(a, last, &here)) return INT32_MAX;
    return reach_padding(b, last, &there) ? here - there : here - 1;
}
