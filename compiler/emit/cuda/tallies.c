/* Sequential loops that do nothing but count, as histograms are made:
 *
 *     do in sequence {
 *         bin = places[i]
 *         if (bin in tallies.dimension.range) { tallies[bin] = tallies[bin] + 1 }
 *     } for i in places.local.dimension.range
 *
 * Sums of Integers are the same in any order. So the crew's threads share the iterations, several of a thread at a time, and add to what may be others' at the same time: to counters in
 * shared memory, which come to the elements at the end, where constants are added and the LPU's part is small (runtime/card/tallies.h); else to the elements (hp5_count).
 *
 *     const int64_t i_first = …, i_last = …;
 *     Hp5Counters counters(crew, i_first, i_last, 1);
 *     const Hp5Tally tallies_counted = counters.take(tallies, first of the part, last of the part);
 *     hp5_tally<8>(crew, counters, i_first, i_last, [&](int64_t i) {
 *         struct Hp5Read { int64_t places_here1; };
 *         return Hp5Read{places[i]};
 *     }, [&](int64_t i, const auto &read) {
 *         const int64_t bin = read.places_here1;
 *         if (…) {
 *             tallies_counted.add(bin, 1);
 *         }
 *     }, tallies_counted);
 *
 * Nothing else may be left behind by an iteration, and nobody may look at what is counted so far. */
#include <string.h>
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/lower/walk_bodies.h"

enum {
    LARGEST_SUM = 1 << 20,          /* that an iteration adds to a counter of 32 bits */
    FEW_READ = 2, MANY = 8, FEW = 4 /* elements that an iteration reads early; iterations of a thread at a time, where they are few, or more */
};

typedef struct Counting {
    const Writer *writer;
    VEC(const Block *) blocks; /* of the loop's body, and inside of it */
    Sums *sums;
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
        vec_push(arena, counting->sums, stmt);
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
    for (size_t i = 0; i < counting->sums->count; i++) {
        Mentions mentions = {.var = counting->sums->items[i]->target->var};
        const Formal *formal = lower_formal(counting->writer->use, mentions.var);
        size_t sums = 0;
        if (formal == NULL || !formal->restricted) return false;
        lower_walk_block(&(Walk){count_mention, NULL, &mentions}, body);
        for (size_t j = 0; j < counting->sums->count; j++) sums += counting->sums->items[j]->target->var == mentions.var;
        if (mentions.count != 2 * sums) return false;
    }
    return true;
}

bool cuda_has_second_names(const Writer *writer) {
    for (size_t i = 0; i < writer->use->formals.count; i++)
        if (writer->use->formals.items[i].same_as > 0) return true;
    return false;
}

bool cuda_counts(Writer *writer, const Stmt *stmt, Sums *sums) {
    Counting counting = {.writer = writer, .sums = sums};
    if (stmt->kind != STMT_SEQUENCE || stmt->step != NULL || cuda_has_second_names(writer)) return false;
    bool effects = lower_expr_has_effect(stmt->value);
    note_block(&counting, &stmt->body);
    if (counting.fails || sums->count == 0) return false;
    lower_walk_block(&(Walk){note_effect, NULL, &effects}, &stmt->body);
    return !effects && only_counted(&counting, &stmt->body);
}

/* ---- Counters in shared memory ---------------------------------------------------------------------------------------------- */
static bool is_counted_in(const Sums *sums, const Var *array) {
    for (size_t i = 0; i < sums->count; i++)
        if (sums->items[i]->target->var == array) return true;
    return false;
}

/* What an iteration adds to the array at most; -1: nobody knows, or it is too much for a counter. */
static int64_t largest_sum(const Sums *sums, const Var *array) {
    int64_t all = 0;
    for (size_t i = 0; i < sums->count; i++) {
        const Expr *by = sums->items[i]->value->right;
        if (sums->items[i]->target->var != array) continue;
        if (by->kind != EXPR_INTEGER || by->integer < 0 || by->integer > LARGEST_SUM - all) return -1;
        all += by->integer;
    }
    return all;
}

static bool has_gaps(const Writer *writer, const Expr *element) {
    for (size_t d = 0; d < element->arguments.count; d++)
        if (lower_has_gaps(writer->use, element, d)) return true;
    return false;
}

/* A sum of each array of which counters stand for the part's elements; *by: what an iteration adds to one of them at most, and not 0. */
static Sums counted_arrays(Writer *writer, const Sums *sums, int64_t *by) {
    Sums arrays = {0};
    *by = 1;
    for (size_t i = 0; i < sums->count; i++) {
        const Sums before = {.items = sums->items, .count = i};
        const Expr *element = sums->items[i]->target;
        const int64_t largest = largest_sum(sums, element->var);
        if (is_counted_in(&before, element->var) || largest < 0 || has_gaps(writer, element)) continue;
        vec_push(writer->arena, &arrays, sums->items[i]);
        if (largest > *by) *by = largest;
    }
    return arrays;
}

/* Where the element in the first or the last corner of the part lies. */
static const char *corner(Writer *writer, const Expr *element, bool last) {
    Expr at = *element;
    const size_t mark = writer->scope.count;
    at.arguments = (ExprVec){0};
    for (size_t d = 0; d < element->arguments.count; d++) {
        Var *index = ARENA_NEW(writer->arena, Var);
        Expr *subscript = ARENA_NEW(writer->arena, Expr);
        *index = (Var){.name = "corner", .type = element->arguments.items[d]->type};
        *subscript = (Expr){.kind = EXPR_VAR, .var = index, .type = index->type};
        vec_push(writer->arena, &writer->scope, ((ScopeName){index, arena_printf(writer->arena, last ? "(%s.end - 1)" : "%s.begin", writer_part(writer, element->var, (int)d))}));
        vec_push(writer->arena, &at.arguments, subscript);
    }
    const char *text = writer_element_place(writer, &at);
    writer->scope.count = mark;
    return text;
}

/* The launch gives blocks what counters take. */
static void note_for_launch(Writer *writer, const Var *array) {
    Emit *emit = writer->emit;
    const CountedArray counted = {writer->use->lps, lower_formal(writer->use, array)->actual};
    for (size_t i = 0; i < emit->counted.count; i++)
        if (emit->counted.items[i].lps == counted.lps && emit->counted.items[i].array == counted.array) return;
    vec_push(emit->arena, &emit->counted, counted);
}

/* Returns the names of those of all arrays, each behind a comma. */
static const char *print_counters(Writer *writer, const Sums *sums, const Sums *arrays, const char *counters, int indent) {
    const char *names = "";
    for (size_t a = 0; a < arrays->count; a++) {
        const Expr *element = arrays->items[a]->target;
        const char *name = writer_fresh(writer, arena_printf(writer->arena, "%s_counted", emit_symbol(writer->emit, element->var)));
        writer_line(writer, indent, "const Hp5Tally %s = %s.take(%s, %s, %s);", name, counters, writer_array_name(writer, element->var, 0), corner(writer, element, false), corner(writer, element, true));
        for (size_t i = 0; i < sums->count; i++)
            if (sums->items[i]->target->var == element->var) vec_push(writer->arena, &writer->counted, ((KeptElement){sums->items[i]->target, name}));
        note_for_launch(writer, element->var);
        names = arena_printf(writer->arena, "%s, %s", names, name);
    }
    return names;
}

/* ---- The loop's text ---------------------------------------------------------------------------------------------------------- */
void cuda_count(Writer *writer, const Stmt *stmt, const Sums *sums, int indent) {
    Arena *arena = writer->arena;
    const size_t mark = writer->scope.count, kept = writer->kept.count, ranges = writer->ranges.count;
    const bool interval = cuda_is_interval(writer, stmt->value);
    Elements counted = {0};
    int64_t by;
    const Sums arrays = counted_arrays(writer, sums, &by);
    cuda_note_block_memory(writer);
    writer_line(writer, indent, "{");
    const char *first, *last, *counters = writer_fresh(writer, "counters"), *read = writer_fresh(writer, "read");
    cuda_print_ends(writer, stmt, &first, &last, indent + 4);
    if (arrays.count > 0) writer_line(writer, indent + 4, "Hp5Counters %s(crew, %s, %s, %lld);", counters, first, last, (long long)by);
    const char *names = print_counters(writer, sums, &arrays, counters, indent + 4), *index = writer_declare(writer, stmt->index);
    writer_note_ranges(writer, &stmt->body);
    const size_t before = writer->out->length;
    for (size_t i = 0; i < sums->count; i++) vec_push(arena, &counted, sums->items[i]->target);
    const Elements early = cuda_early(writer, &stmt->body, &counted, interval);
    const int many = early.count == 0 ? 1 : early.count <= FEW_READ ? MANY : FEW;
    const char *call = arrays.count > 0 ? arena_printf(arena, "hp5_tally<%d>(crew, %s, %s, %s", many, counters, first, last)
                                        : arena_printf(arena, "hp5_abreast<%d>(crew, %s, %s + 1", many, first, last);
    writer_line(writer, indent + 4, "%s, [&]([[maybe_unused]] int64_t %s) {", call, index);
    cuda_print_early(writer, &early, NULL, indent + 8);
    writer_line(writer, indent + 4, "}, [&]([[maybe_unused]] int64_t %s, [[maybe_unused]] const auto &%s) {", index, read);
    cuda_keep_early(writer, &early, read, indent + 8);
    if (!interval) writer_line(writer, indent + 8, "if (!hp5_set_contains(&%s, %s)) return;", writer_part(writer, stmt->value->var, stmt->value->dimension), index);
    writer_block(writer, &stmt->body, indent + 8);
    writer_line(writer, indent + 4, "}%s);", names);
    writer_line(writer, indent, "}");
    writer_declare_ranges(writer, ranges, before, indent + 4);
    writer->scope.count = mark;
    writer->kept.count = kept;
    writer->ranges.count = ranges;
    writer->counted.count = 0;
}
