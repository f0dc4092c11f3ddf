/* Rounds of a loop that lanes go through together, in blocks in which rows are transposed (lower/transposed.c):
 *
 *     int64_t j_first = …;
 *     for (; hp5_is_block(j_first, …); j_first += HP5_ABREAST) {
 *         double a_block[HP5_ABREAST][HP5_ABREAST];
 *         const void *a_rows[HP5_ABREAST];
 *         for (int64_t lane = 0; lane < HP5_ABREAST; lane++) {
 *             const int64_t i = i_first + lane, j = j_first;
 *             a_rows[lane] = &a[i * a_ld1 + j];
 *         }
 *         HP5_TRANSPOSE(a_block, a_rows);
 *         HP5_ALL_ROUNDS
 *         for (int64_t round = 0; round < HP5_ABREAST; round++) {
 *             const int64_t j = j_first + round;
 *             … a_block[round][lane] …
 *         }
 *     }
 *
 * The caller prints the rounds that are left, from j_first on. */
#include "compiler/emit/cpu/stage.h"

/* ---- What the text still names ------------------------------------------------------------------------------- */
typedef struct Mentions { const Writer *writer; const Var *var; int count; } Mentions;

static void count_mention(void *data, const Expr *expr) { ((Mentions *)data)->count += expr->var == ((Mentions *)data)->var; }

static void count_printed(void *data, const Expr *expr) {
    Mentions *mentions = data, inside = {NULL, mentions->var, 0};
    count_mention(mentions, expr);
    if (writer_kept(mentions->writer, expr) || emit_known(&mentions->writer->names, expr)) lower_walk_expr(&(Walk){count_mention, NULL, &inside}, expr);
    mentions->count -= inside.count;
}

bool writer_names(const Writer *writer, const Block *group, const Var *var) {
    Mentions mentions = {writer, var, 0};
    lower_walk_block(&(Walk){count_printed, NULL, &mentions}, group);
    return mentions.count > 0;
}

/* ---- Blocks ---------------------------------------------------------------------------------------------------- */
static void print_block(Writer *writer, const LaneRounds *rounds, const Expr *element, const char *first, const char *number, int indent) {
    Arena *arena = writer->arena;
    const size_t mark = writer->scope.count;
    const char *symbol = emit_symbol(writer->emit, element->var);
    const char *block = writer_fresh(writer, arena_printf(arena, "%s_block", symbol)), *rows = writer_fresh(writer, arena_printf(arena, "%s_rows", symbol));
    writer_line(writer, indent, "%s %s[HP5_ABREAST][HP5_ABREAST];", emit_storage_type(writer->emit, element->var->type->element), block);
    writer_line(writer, indent, "const void *%s[HP5_ABREAST];", rows);
    writer_line(writer, indent, "for (int64_t %s = 0; %s < HP5_ABREAST; %s++) {", rounds->lane, rounds->lane, rounds->lane);
    vec_push(arena, &writer->scope, ((ScopeName){rounds->round, rounds->name}));
    vec_push(arena, &writer->scope, ((ScopeName){rounds->index, rounds->index_name}));
    writer_line(writer, indent + 4, "const int64_t %s = %s, %s = %s;", rounds->index_name, rounds->at, rounds->name, first);
    writer_line(writer, indent + 4, "%s[%s] = &%s;", rows, rounds->lane, writer_expr(writer, element));
    writer_line(writer, indent, "}");
    writer_line(writer, indent, "HP5_TRANSPOSE(%s, %s);", block, rows);
    writer->scope.count = mark;
    writer_take(writer, block);
    writer_take(writer, rows);
    vec_push(arena, &writer->kept, ((KeptElement){element, arena_printf(arena, "%s[%s][%s]", block, number, rounds->lane)}));
}

const char *writer_transposed(Writer *writer, const LaneRounds *rounds, const char *begin, const char *last, int indent) {
    if (writer->emit->options.checked || writer->crew || writer->strict) return NULL;
    const ExprVec rows = lower_transposed(writer->arena, writer->use, rounds->body, rounds->index, rounds->round);
    if (rows.count == 0) return NULL;
    const size_t kept = writer->kept.count;
    const char *name = rounds->name, *first = writer_fresh(writer, arena_printf(writer->arena, "%s_first", name));
    writer_line(writer, indent, "int64_t %s = %s;", first, begin);
    writer_line(writer, indent, "for (; hp5_is_block(%s, %s); %s += HP5_ABREAST) {", first, last, first);
    const size_t mark = writer->scope.count;
    const char *number = writer_fresh(writer, "round");
    VEC(KeptElement) blocks = {0};
    for (size_t i = 0; i < rows.count; i++) {
        print_block(writer, rounds, rows.items[i], first, number, indent + 4);
        vec_push(writer->arena, &blocks, vec_last(&writer->kept));
        writer->kept.count = kept;
    }
    for (size_t i = 0; i < blocks.count; i++) vec_push(writer->arena, &writer->kept, blocks.items[i]);
    writer_line(writer, indent + 4, "HP5_ALL_ROUNDS");
    writer_line(writer, indent + 4, "for (int64_t %s = 0; %s < HP5_ABREAST; %s++) {", number, number, number);
    if (writer_names(writer, rounds->body, rounds->round)) writer_line(writer, indent + 8, "const int64_t %s = %s + %s;", name, first, number);
    LaneRounds block = *rounds;
    block.in_block = true;
    rounds->print(writer, &block, indent + 8);
    writer_loop_end(writer, indent + 8, indent);
    writer->kept.count = kept;
    writer->scope.count = mark;
    return first;
}
