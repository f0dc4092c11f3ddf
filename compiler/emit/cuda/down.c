/* Loops of a thread's own that go down columns of arrays, and add up what they find there, as results of LPUs are added:
 *
 *     do { counts[bin] = counts[bin] + tallies[part][bin] } for part, bin in tallies
 *
 * Neighbouring threads read neighbours in memory, but each waits for a round's elements as long as memory takes, and CUDA's compiler has those of four rounds on their way at the same
 * time. So a call gets the loop's rounds, and apart from them what each reads; it reads for many rounds before the first of these begins (runtime/card/down.h):
 *
 *     hp5_down(part_begin, part_end, [&](int64_t part, const int64_t tallies_at_part) {
 *         counts_here = counts_here + tallies_at_part;
 *     }, [&](int64_t part) { return tallies[part * tallies_ld1 + bin]; });
 *
 * Rounds give values to locals, and to elements that are in registers; none can end the program, so all that come later are there. Along rows neighbours come with the same
 * line of the cache, and rounds that read more than a few elements have as many on their way as it is. */
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/emit/cuda/fours.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/walk_bodies.h"

enum { MOST_LOADS = 3, LARGEST = 24 }; /* of a round; expressions of a body, which is compiled for 45 rounds */

typedef struct Rounds { int size; bool slow; } Rounds;

/* What takes longer than loads do, and what may end the program. */
static void note_expr(void *data, const Expr *expr) {
    Rounds *rounds = data;
    const bool divides = expr->kind == EXPR_BINARY && (expr->op == OP_DIV || expr->op == OP_MOD || expr->op == OP_POW);
    rounds->size++;
    rounds->slow |= divides || (expr->kind == EXPR_MATH && !cuda_is_quick(expr->math)) || (expr->kind == EXPR_CONVERT && expr->type->kind == TYPE_INTEGER);
    rounds->slow |= expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX || expr->kind == EXPR_LPU_ID;
}

static bool is_in_register(const Fours *fours, const Expr *target) {
    if (target->kind == EXPR_VAR) return four_is_scalar(target->type);
    for (size_t i = 0; i < fours->assigned.count; i++)
        if (lower_expr_equal(target, fours->assigned.items[i])) return four_is_scalar(target->type);
    return false;
}

static bool has_rounds(const Fours *fours, const Block *block) {
    Rounds rounds = {0};
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind != STMT_ASSIGN || !is_in_register(fours, stmt->target)) return false;
        lower_walk_expr(&(Walk){note_expr, NULL, &rounds}, stmt->value);
    }
    return !rounds.slow && rounds.size <= LARGEST;
}

static bool is_down(const Fours *fours, const Expr *element) {
    const Formal *formal = lower_formal(fours->writer->use, element->var);
    const size_t fastest = (size_t)lower_fastest_dimension(fours->writer->use, element);
    return formal != NULL && formal->kind == FORMAL_VIEW && !lower_expr_mentions(element->arguments.items[fastest], fours->index);
}

/* Those of what rounds read that are loads. */
static bool find_loads(Fours *fours, const Block *block) {
    bool down = false;
    size_t loads = 0;
    four_find_reads(fours, block);
    for (size_t i = 0; i < fours->reads.count; i++) {
        const FourRead read = fours->reads.items[i];
        if (read.expr->kind != EXPR_ELEMENT) continue;
        down |= is_down(fours, read.expr);
        fours->reads.items[loads++] = read;
    }
    fours->reads.count = loads;
    return down && loads <= MOST_LOADS;
}

static void print_call(Fours *fours, const Block *block, const char *first, const char *last, int indent) {
    Writer *writer = fours->writer;
    Text body = {0}, *const out = writer->out;
    const size_t kept = writer->kept.count;
    char *parameters = "", *loads = "";
    for (size_t i = 0; i < fours->reads.count; i++) {
        const FourRead *read = &fours->reads.items[i];
        loads = arena_printf(writer->arena, "%s, [&](int64_t %s) { return %s; }", loads, fours->name, writer_expr(writer, read->expr));
    }
    for (size_t i = 0; i < fours->reads.count; i++) {
        const FourRead *read = &fours->reads.items[i];
        parameters = arena_printf(writer->arena, "%s, const %s %s", parameters, emit_storage_type(writer->emit, read->expr->type), read->name);
        vec_push(writer->arena, &writer->kept, ((KeptElement){read->expr, read->name}));
    }
    writer->out = &body;
    writer_block(writer, block, indent + 4);
    writer->out = out;
    writer->kept.count = kept;
    writer_line(writer, indent, "hp5_down(%s, %s, [&](int64_t%s%s%s) {", first, last, emit_text_uses(body.data, fours->name) ? " " : "",
                emit_text_uses(body.data, fours->name) ? fours->name : "", parameters);
    text_append(out, body.data);
    text_free(&body);
    writer_line(writer, indent, "}%s);", loads);
}

bool cuda_down(Fours *fours, const Block *block, const Var *index, const char *first, const char *last, int indent) {
    Writer *writer = fours->writer;
    if (writer->use == NULL || writer->emit->options.checked || !has_rounds(fours, block)) return false;
    const size_t mark = writer->scope.count;
    fours->index = index;
    fours->name = writer_find(writer, index) ? writer_find(writer, index) : writer_declare(writer, index);
    const bool goes = find_loads(fours, block);
    if (goes) print_call(fours, block, first, last, indent);
    else fours->reads.count = 0;
    writer->scope.count = mark;
    return goes;
}
