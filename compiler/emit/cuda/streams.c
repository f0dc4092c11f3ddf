/* Sequential loops along arrays, as sums of all that came before and other recurrences are:
 *
 *     do in sequence {
 *         total = total + values[i]
 *         sums[i] = total
 *     } for i in values.local.dimension.range
 *
 * A round needs the one before it, so there is one thread for them; but what it reads and writes moves with the loop from each element to its neighbour in memory, and the
 * thread's warp can bring what rounds to come read, and take away what others have written (runtime/card/streams.h):
 *
 *     if (crew.warp() == 0) {
 *         const int64_t i_first = …, i_last = …;
 *         if (i_first <= i_last) {
 *             hp5_in_turn(crew, i_first, i_last, [&](int64_t i, const double values_here, double &sums_here) {
 *                 total = total + values_here;
 *                 sums_here = total;
 *             }, hp5_reads(&values[i_first]), hp5_writes(&sums[i_first]));
 *         }
 *     }
 *
 * An array that the loop writes is touched at one place of each round and nowhere else. Of those that it only reads, elements at other places, and those that not
 * each round reads, which need not be there, are read where they stand. */
#include <string.h>
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/lower/passes.h"

enum {
    ROUNDS = 64, PIECES = 3, LEAST_PIECES = 2, /* HP5_STREAM_ROUNDS, HP5_STREAM_PIECES (runtime/card/card.h) */
    MOST_STATEMENTS = 24,
    MOST_BYTES = 6144, MANY_BYTES = 4096 /* of shared memory, for a warp: a multiprocessor of an H200 has them for 37 warps; from which on there are no more pieces than needed */
};

typedef struct Look {
    const Writer *writer;
    const Stmt *loop;
    const Expr *element;       /* the one that is looked for */
    size_t mentions, assigned; /* all of its mentions; those as what is assigned */
    size_t statements;
    bool fails;
    Streams *streams;
} Look;

/* ---- Places ---------------------------------------------------------------------------------------------------------------- */
/* What has another value from round to round, or is not known in front of the loop. */
static void note_change(void *data, const Expr *expr) {
    Look *look = data;
    const Block *body = &look->loop->body;
    if (expr->kind == EXPR_VAR) look->fails |= expr->var == look->loop->index || writer_find(look->writer, expr->var) == NULL || lower_block_writes(body, expr->var) > 0;
    if (expr->kind == EXPR_ELEMENT) look->fails |= lower_block_writes(body, expr->var) > 0;
    look->fails |= expr->kind == EXPR_AT_INDEX || expr->kind == EXPR_FIELD || expr->kind == EXPR_LPU_ID;
}

static bool stays(const Look *outer, const Expr *expr) {
    Look look = {.writer = outer->writer, .loop = outer->loop};
    lower_walk_expr(&(Walk){note_change, NULL, &look}, expr);
    return !look.fails;
}

/* The index, with something added or subtracted that stays the same. */
static bool is_beside_index(const Look *look, const Expr *subscript) {
    if (subscript->kind == EXPR_VAR) return subscript->var == look->loop->index;
    if (subscript->kind != EXPR_BINARY || (subscript->op != OP_ADD && subscript->op != OP_SUB)) return false;
    if (stays(look, subscript->right)) return is_beside_index(look, subscript->left);
    return subscript->op == OP_ADD && stays(look, subscript->left) && is_beside_index(look, subscript->right);
}

static size_t bytes_of(const Expr *element) {
    const Type *type = element->var->type->element;
    if (type->kind == TYPE_INTEGER) return type->stored_single ? 4 : 8;
    return type->kind == TYPE_REAL_DOUBLE ? 8 : type->kind == TYPE_REAL_SINGLE ? 4 : 0;
}

/* From round to round it moves to its neighbour in memory. */
static bool moves_along(const Look *look, const Expr *element) {
    const Formal *formal = lower_formal(look->writer->use, element->var);
    if (formal == NULL || formal->kind != FORMAL_VIEW || bytes_of(element) == 0) return false;
    const size_t fastest = (size_t)lower_fastest_dimension(look->writer->use, element);
    if (lower_has_gaps(look->writer->use, element, fastest)) return false;
    for (size_t d = 0; d < element->arguments.count; d++)
        if (!(d == fastest ? is_beside_index : stays)(look, element->arguments.items[d])) return false;
    return true;
}

/* ---- What rounds do with an element ---------------------------------------------------------------------------------------- */
static void note_mention(void *data, const Expr *expr) {
    Look *look = data;
    look->mentions += lower_expr_equal(expr, look->element);
}

static void note_assigned(void *data, const Stmt *stmt) {
    Look *look = data;
    look->assigned += stmt->kind == STMT_ASSIGN && lower_expr_equal(stmt->target, look->element);
}

static Look look_for(const Block *block, const Expr *element) {
    Look look = {.element = element};
    lower_walk_block(&(Walk){note_mention, note_assigned, &look}, block);
    return look;
}

bool cuda_always_reads(const Block *block, const Expr *element) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (lower_always_touches(stmt->value, element) || (stmt->kind == STMT_BLOCK && cuda_always_reads(&stmt->body, element))) return true;
        for (size_t a = 0; stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_ELEMENT && a < stmt->target->arguments.count; a++)
            if (lower_always_touches(stmt->target->arguments.items[a], element)) return true;
    }
    return false;
}

static bool is_always_assigned(const Block *block, const Expr *element) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_ASSIGN && lower_expr_equal(stmt->target, element)) return true;
        if (stmt->kind == STMT_BLOCK && is_always_assigned(&stmt->body, element)) return true;
    }
    return false;
}

/* Each round assigns it before it reads it, if it does. */
static bool is_assigned_first(const Block *block, const Expr *element) {
    for (size_t i = 0; i < block->statements.count; i++) {
        Stmt *stmt = block->statements.items[i];
        const Look here = look_for(&(Block){.statements = {.items = &stmt, .count = 1}}, element);
        if (here.mentions > here.assigned) return false;
        if (stmt->kind == STMT_ASSIGN && here.assigned > 0) return true;
    }
    return false;
}

static void note_other_place(void *data, const Expr *expr) {
    Look *look = data;
    look->fails |= expr->kind == EXPR_ELEMENT && expr->var == look->element->var && expr->lag == look->element->lag && !lower_expr_equal(expr, look->element);
}

static void add_stream(Look *look, const Expr *element) {
    const Block *body = &look->loop->body;
    const Look found = look_for(body, element);
    const bool reads = found.mentions > found.assigned, writes = found.assigned > 0;
    Stream stream = {.element = element, .reads = reads && !(writes && is_assigned_first(body, element)), .writes = writes, .maybe = writes && !is_always_assigned(body, element)};
    const size_t piece = bytes_of(element) * ROUNDS, bytes = (stream.reads ? LEAST_PIECES : 0) * piece + (writes ? piece : 0);
    const bool fits = look->streams->least_bytes + bytes <= MOST_BYTES;
    for (size_t i = 0; i < look->streams->items.count; i++)
        if (lower_expr_equal(look->streams->items.items[i].element, element)) return;
    if (writes && (!fits || (stream.reads && !cuda_always_reads(body, element)))) look->fails = true;
    if (!writes && (!fits || !cuda_always_reads(body, element))) return;
    look->streams->least_bytes += bytes;
    look->streams->bytes += bytes + (stream.reads ? (PIECES - LEAST_PIECES) * piece : 0);
    vec_push(look->writer->arena, &look->streams->items, stream);
}

/* ---- The loop -------------------------------------------------------------------------------------------------------------- */
static bool is_scalar(const Type *type) { return type->kind == TYPE_INTEGER || type_is_real(type) || type->kind == TYPE_BOOLEAN || type->kind == TYPE_CHARACTER; }

static void note_written(void *data, const Stmt *stmt) {
    Look *look = data;
    look->statements++;
    if (stmt->kind == STMT_IF || stmt->kind == STMT_BLOCK) return;
    if (stmt->kind != STMT_ASSIGN || (stmt->target->kind == EXPR_VAR && !is_scalar(stmt->target->type))) look->fails = true;
    else if (stmt->target->kind == EXPR_ELEMENT) {
        const Formal *formal = lower_formal(look->writer->use, stmt->target->var);
        look->fails |= !moves_along(look, stmt->target) || formal == NULL || !formal->restricted;
        look->element = stmt->target;
        lower_walk_block(&(Walk){note_other_place, NULL, look}, &look->loop->body);
        if (!look->fails) add_stream(look, stmt->target);
    } else if (stmt->target->kind != EXPR_VAR) look->fails = true;
}

static void note_effect(void *data, const Expr *expr) {
    Look *look = data;
    look->fails |= expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX || lower_expr_has_effect(expr);
}

static void note_read(void *data, const Expr *expr) {
    Look *look = data;
    if (expr->kind == EXPR_ELEMENT && moves_along(look, expr)) add_stream(look, expr);
}

static bool goes_up_by_one(const Stmt *stmt) { return stmt->step == NULL || (stmt->step->kind == EXPR_INTEGER && stmt->step->integer == 1); }

bool cuda_is_interval(const Writer *writer, const Expr *range) {
    const Formal *formal = range->kind == EXPR_DIM_RANGE && range->local ? lower_formal(writer->use, range->var) : NULL;
    return formal == NULL || formal->interval[range->dimension] || formal->whole[range->dimension];
}

bool cuda_goes_up(const Writer *writer, const Stmt *stmt) { return goes_up_by_one(stmt) && cuda_is_interval(writer, stmt->value) && !lower_expr_has_effect(stmt->value); }

bool cuda_streams(Writer *writer, const Stmt *stmt, Streams *streams) {
    Look look = {.writer = writer, .loop = stmt, .streams = streams};
    if (stmt->kind != STMT_SEQUENCE || writer->use == NULL || writer->emit->options.checked || cuda_has_second_names(writer) || !cuda_goes_up(writer, stmt)) return false;
    lower_walk_block(&(Walk){note_effect, note_written, &look}, &stmt->body);
    if (look.fails || look.statements > MOST_STATEMENTS || streams->items.count == 0) return false;
    lower_walk_block(&(Walk){note_read, NULL, &look}, &stmt->body);
    return true;
}

/* ---- Its text -------------------------------------------------------------------------------------------------------------- */
static const char *print_stream(Writer *writer, const Stream *stream, const char *parameters) {
    const char *type = emit_storage_type(writer->emit, stream->element->var->type->element);
    const char *name = writer_fresh(writer, arena_printf(writer->arena, "%s_here", emit_symbol(writer->emit, stream->element->var)));
    vec_push(writer->arena, &writer->kept, ((KeptElement){stream->element, stream->maybe ? arena_printf(writer->arena, "%s.value", name) : name}));
    if (stream->maybe) {
        vec_push(writer->arena, &writer->noted, ((KeptElement){stream->element, arena_printf(writer->arena, "%s.set", name)}));
        return arena_printf(writer->arena, "%s, Hp5Maybe<%s> &%s", parameters, type, name);
    }
    return arena_printf(writer->arena, stream->writes ? "%s, %s &%s" : "%s, const %s %s", parameters, type, name);
}

static const char *how(const Stream *stream) {
    if (!stream->writes) return "reads";
    return stream->maybe ? (stream->reads ? "may_change" : "may_write") : stream->reads ? "changes" : "writes";
}

/* The first and last value of the index. */
void cuda_print_ends(Writer *writer, const Stmt *stmt, const char **first, const char **last, int indent) {
    const Expr *range = stmt->value;
    *first = writer_fresh(writer, arena_printf(writer->arena, "%s_first", stmt->index->name));
    *last = writer_fresh(writer, arena_printf(writer->arena, "%s_last", stmt->index->name));
    if (range->kind == EXPR_RANGE) {
        writer_line(writer, indent, "const int64_t %s = %s, %s = %s;", *first, writer_expr(writer, range->left), *last, writer_expr(writer, range->right));
        return;
    }
    const char *text = writer_expr_primary(writer, range);
    if (range->kind != EXPR_VAR && range->kind != EXPR_DIM_RANGE) {
        const char *name = writer_fresh(writer, arena_printf(writer->arena, "%s_range", stmt->index->name));
        writer_line(writer, indent, "const Hp5Range %s = %s;", name, text);
        text = name;
    }
    writer_line(writer, indent, "const int64_t %s = %s, %s = %s;", *first, emit_member(writer->arena, text, "min"), *last, emit_member(writer->arena, text, "max"));
}

void cuda_stream(Writer *writer, const Stmt *stmt, const Streams *streams, int indent) {
    Arena *arena = writer->arena;
    const size_t mark = writer->scope.count, kept = writer->kept.count, noted = writer->noted.count;
    const char *first, *last;
    cuda_print_ends(writer, stmt, &first, &last, indent);
    writer_line(writer, indent, "if (%s <= %s) {", first, last);
    vec_push(arena, &writer->scope, ((ScopeName){stmt->index, first}));
    const char *places = "", *parameters = "";
    for (size_t i = 0; i < streams->items.count; i++)
        places = arena_printf(arena, "%s, hp5_%s(&%s)", places, how(&streams->items.items[i]), writer_expr(writer, streams->items.items[i].element));
    writer->scope.count--;
    const char *index = writer_declare(writer, stmt->index);
    for (size_t i = 0; i < streams->items.count; i++) parameters = print_stream(writer, &streams->items.items[i], parameters);
    writer_line(writer, indent + 4, "hp5_in_turn(crew, %s, %s, [&]([[maybe_unused]] int64_t %s%s) {", first, last, index, parameters);
    writer_block(writer, &stmt->body, indent + 8);
    writer_line(writer, indent + 4, "}%s);", places);
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
    writer->kept.count = kept;
    writer->noted.count = noted;
    const int bytes = (int)(streams->bytes <= MANY_BYTES ? streams->bytes : streams->least_bytes);
    cuda_note_block_memory(writer);
    if (bytes > writer->emit->stream_bytes) writer->emit->stream_bytes = bytes;
}
