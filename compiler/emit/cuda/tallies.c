/* Sequential loops that do nothing but count, as histograms are made:
 *
 *     do in sequence {
 *         bin = places[i]
 *         if (bin in tallies.dimension.range) { tallies[bin] = tallies[bin] + 1 }
 *     } for i in places.local.dimension.range
 *
 * Sums of Integers are the same in any order. So the crew's threads share the iterations, and add to elements that may be others' at the same time:
 *
 *     for (int64_t i = first + crew.rank(); i <= last; i += crew.size()) {
 *         const int64_t bin = places[i];
 *         if (…) {
 *             hp5_count(&tallies[bin], 1);
 *         }
 *     }
 *
 * Nothing else may be left behind by an iteration, and nobody may look at what is counted so far. */
#include <string.h>
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/lower/walk_bodies.h"

typedef struct Counting {
    const Writer *writer;
    VEC(const Block *) blocks; /* of the loop's body, and inside of it */
    VEC(const Stmt *) sums;
    bool fails;
} Counting;

static bool is_local(const Counting *counting, const Var *var) {
    for (size_t b = 0; b < counting->blocks.count; b++)
        for (size_t i = 0; i < counting->blocks.items[b]->locals.count; i++)
            if (counting->blocks.items[b]->locals.items[i] == var) return true;
    return false;
}

/* element = element + value, or - value. */
static bool is_sum(const Writer *writer, const Stmt *stmt) {
    const Expr *target = stmt->target, *value = stmt->value;
    const bool whole = target->kind == EXPR_ELEMENT && stmt->accumulate == ACCUMULATE_NONE && strcmp(emit_storage_type(writer->emit, target->var->type->element), "int64_t") == 0;
    if (!whole || value->kind != EXPR_BINARY || (value->op != OP_ADD && value->op != OP_SUB)) return false;
    return lower_expr_equal(value->left, target) && value->right->type->kind == TYPE_INTEGER;
}

static void note_block(Counting *counting, const Block *block);

static void note_stmt(Counting *counting, const Stmt *stmt) {
    Arena *arena = counting->writer->arena;
    switch (stmt->kind) {
    case STMT_ASSIGN:
        if (stmt->target->kind == EXPR_VAR && is_local(counting, stmt->target->var)) return;
        if (!is_sum(counting->writer, stmt)) break;
        vec_push(arena, &counting->sums, stmt);
        return;
    case STMT_IF:
        note_block(counting, &stmt->body);
        if (stmt->otherwise) note_block(counting, stmt->otherwise);
        return;
    case STMT_BLOCK: note_block(counting, &stmt->body); return;
    default: break;
    }
    counting->fails = true;
}

static void note_block(Counting *counting, const Block *block) {
    vec_push(counting->writer->arena, &counting->blocks, block);
    for (size_t i = 0; i < block->statements.count; i++) note_stmt(counting, block->statements.items[i]);
}

/* ---- Nobody looks ------------------------------------------------------------------------------------------------------- */
typedef struct Mentions {
    const Var *var;
    size_t count;
} Mentions;

static void count_mention(void *data, const Expr *expr) {
    Mentions *mentions = data;
    mentions->count += expr->var == mentions->var && expr->kind == EXPR_ELEMENT;
}

static void note_effect(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_CALL || lower_expr_has_effect(expr); }

/* Each array that is counted in is mentioned in its sums alone, as what is assigned and in front of the sign, and has no other name. */
static bool only_counted(const Counting *counting, const Block *body) {
    for (size_t i = 0; i < counting->sums.count; i++) {
        Mentions mentions = {.var = counting->sums.items[i]->target->var};
        const Formal *formal = lower_formal(counting->writer->use, mentions.var);
        size_t sums = 0;
        if (formal == NULL || !formal->restricted) return false;
        lower_walk_block(&(Walk){count_mention, NULL, &mentions}, body);
        for (size_t j = 0; j < counting->sums.count; j++) sums += counting->sums.items[j]->target->var == mentions.var;
        if (mentions.count != 2 * sums) return false;
    }
    return true;
}

bool cuda_has_second_names(const Writer *writer) {
    for (size_t i = 0; i < writer->use->formals.count; i++)
        if (writer->use->formals.items[i].same_as > 0) return true;
    return false;
}

bool cuda_counts(Writer *writer, const Stmt *stmt) {
    Counting counting = {.writer = writer};
    bool effects = false;
    if (stmt->kind != STMT_SEQUENCE || stmt->step != NULL || cuda_has_second_names(writer)) return false;
    note_block(&counting, &stmt->body);
    if (counting.fails || counting.sums.count == 0) return false;
    lower_walk_block(&(Walk){note_effect, NULL, &effects}, &stmt->body);
    return !effects && only_counted(&counting, &stmt->body);
}
