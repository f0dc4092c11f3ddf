/* A thread's rounds of a loop that a crew shares, which do more than give one element its value: what they read comes for several of them at a time (early.c), and they follow each other.
 *
 *     hp5_rounds_abreast<8>(begin + crew.rank(), end, crew.size(), hp5_gives([&](int64_t i) {
 *         struct Hp5Read { double x_here1; double p_here2; };
 *         return Hp5Read{x[i], p[i]};
 *     }, [&](int64_t i, const auto &read) {
 *         double x_here = read.x_here1;
 *         x_here = fma(alpha, read.p_here2, x_here);
 *         x[i] = x_here;
 *         …
 *     }));
 *
 * An element that a round reads and assigns is its own: whoever names the array in the round means this element. (Where the stage has the array by two names its rounds are not independent.) */
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/lower/rounds.h"
#include "compiler/lower/walk_bodies.h"

/* ---- Own elements -------------------------------------------------------------------------------------------------------- */
bool cuda_owns(const Block *block, const Expr *element) {
    bool assigned = false;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        assigned |= stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_ELEMENT && lower_expr_equal(stmt->target, element);
    }
    return assigned && !cuda_names_others(block, element);
}

/* Those that are kept from `first` on get a local of their own. */
static void own(Writer *writer, const Block *block, size_t first, int indent) {
    for (size_t i = first; i < writer->kept.count; i++) {
        KeptElement *kept = &writer->kept.items[i];
        if (!cuda_owns(block, kept->element)) continue;
        const char *name = writer_fresh(writer, arena_printf(writer->arena, "%s_here", emit_symbol(writer->emit, kept->element->var)));
        writer_line(writer, indent, "%s %s = %s;", emit_storage_type(writer->emit, kept->element->var->type->element), name, kept->name);
        kept->name = name;
    }
}

static void store_owned(Writer *writer, const Block *block, size_t first, int indent) {
    const size_t end = writer->kept.count;
    writer->kept.count = first;
    for (size_t i = first; i < end; i++) {
        const KeptElement kept = writer->kept.items[i];
        if (cuda_owns(block, kept.element)) writer_line(writer, indent, "%s = %s;", writer_expr(writer, kept.element), kept.name);
    }
}

/* ---- Its text ------------------------------------------------------------------------------------------------------------ */
static void note_call(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_CALL; }

static void note_stmt(void *data, const Stmt *stmt) {
    const bool loop = stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_WHILE;
    *(bool *)data |= stmt->kind == STMT_EXTERN || (loop && lower_short_rounds(stmt) == 0);
}

/* Others' code, which may change what the round reads behind it. Or loops of some length, beside which it takes no time to wait for what one round reads: the text would be there sixteen times for that. */
bool cuda_takes_long(const Block *block) {
    bool found = false;
    lower_walk_block(&(Walk){note_call, note_stmt, &found}, block);
    return found;
}

bool cuda_rounds(Writer *writer, const Nest *nest, const CudaRounds *rounds, void (*print)(Writer *writer, const Nest *nest, int indent), int indent) {
    const Loop *loop = nest_innermost(nest);
    const Block *block = &nest->stmt->body;
    if (cuda_takes_long(block)) return false;
    const Elements early = cuda_read_early(writer, block, NULL, &loop->index->filters);
    if (early.count == 0) return false;
    const size_t kept = writer->kept.count;
    const char *read = writer_fresh(writer, "read"), *condition = cuda_condition(writer, loop);
    writer_line(writer, indent, "hp5_rounds_abreast<%d>(%s, hp5_gives([&](%s) {", cuda_rounds_abreast(&early, NULL), rounds->along, rounds->params);
    cuda_print_early(writer, &early, condition, indent + 4);
    writer_line(writer, indent, "}, [&](%s, [[maybe_unused]] const auto &%s) {", rounds->params, read);
    if (condition) writer_line(writer, indent + 4, "if (!(%s)) return;", condition);
    cuda_keep_early(writer, &early, read, indent + 4);
    own(writer, block, kept, indent + 4);
    print(writer, nest, indent + 4);
    store_owned(writer, block, kept, indent + 4);
    writer_line(writer, indent, "}));");
    return true;
}

void cuda_round_body(Writer *writer, const Nest *nest, int indent) { writer_block(writer, &nest->stmt->body, indent); }
