/* Loops in lanes (lower/lanes.c): HP5_NEIGHBOURS neighbouring iterations go through the loops inside side by side; those that are left over
 * in the end run as the program says.
 *
 *     {
 *         int64_t i_first = …;
 *         const int64_t i_end = …;
 *         for (; hp5_fills_lanes(i_first, i_end, HP5_NEIGHBOURS); i_first += HP5_NEIGHBOURS) {
 *             double force[HP5_NEIGHBOURS];
 *             HP5_INDEPENDENT
 *             for (int64_t lane = 0; lane < HP5_NEIGHBOURS; lane++) {
 *                 force[lane] = 0.0;
 *             }
 *             for (int64_t j = …) {
 *                 HP5_INDEPENDENT
 *                 for (int64_t lane = 0; lane < HP5_NEIGHBOURS; lane++) {
 *                     const int64_t i = i_first + lane;
 *                     const double d = x[j] - x[i];
 *                     if (d * d < reach) {
 *                         force[lane] = …;
 *                     }
 *                 }
 *             }
 *             …
 *         }
 *         for (int64_t i = i_first; i < i_end; i++) {
 *             …
 *         }
 *     }
 *
 * Statements between two loops share one loop over the lanes. A local that lives longer has a place for each lane. Rows (nest.h) are
 * HP5_ABREAST at a time; loops that do not go together stand in a loop over the lanes, as they are. */
#include "compiler/emit/cpu/stage.h"

/* ---- Groups: a loop by itself, a division of Integers by itself, what stands between ------------------------ */
static void find_division(void *data, const Expr *expr) {
    bool divides = expr->kind == EXPR_BINARY && (expr->op == OP_DIV || expr->op == OP_MOD) && expr->type->kind == TYPE_INTEGER;
    *(bool *)data |= divides && expr->right->kind != EXPR_INTEGER;
}

static void find_loop(void *data, const Stmt *stmt) { *(bool *)data |= stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_PARALLEL; }

static bool has_loop(const Stmt *stmt) {
    bool found = false;
    const Block alone = {.statements = {.items = (Stmt *[]){(Stmt *)stmt}, .count = 1}};
    lower_walk_block(&(Walk){NULL, find_loop, &found}, &alone);
    return found;
}

static bool goes_together(const Writer *writer, const Stmt *stmt) { return lower_goes_together(writer->use, writer->lanes.nest, stmt); }

/* C compilers divide Integers one by one, and what stands beside that in a loop as well. */
static bool stands_alone(const Stmt *stmt) {
    if (has_loop(stmt)) return true;
    bool divides = false;
    const Block alone = {.statements = {.items = (Stmt *[]){(Stmt *)stmt}, .count = 1}};
    lower_walk_block(&(Walk){find_division, NULL, &divides}, &alone);
    return divides;
}

/* The group that begins with statement `first` of the block; without locals. */
static Block group_from(const Block *block, size_t first) {
    size_t end = first + 1;
    if (!stands_alone(block->statements.items[first]))
        while (end < block->statements.count && !stands_alone(block->statements.items[end])) end++;
    return (Block){.statements = {.items = block->statements.items + first, .count = end - first}, .span = block->span};
}

/* ---- Locals ------------------------------------------------------------------------------------------------- */
/* Whether the local is mentioned in several groups, or in a loop that all lanes go through together. */
static bool lives_on(const Writer *writer, const Block *block, const Var *var) {
    size_t groups = 0;
    for (size_t at = 0; at < block->statements.count;) {
        const Block group = group_from(block, at);
        if (lower_block_mentions(&group, var)) groups += goes_together(writer, group.statements.items[0]) ? 2 : 1;
        at += group.statements.count;
    }
    return groups > 1;
}

static bool is_set_before_read(const Block *block, const Var *var) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Block alone = {.statements = {.items = block->statements.items + i, .count = 1}};
        if (lower_block_mentions(&alone, var)) return writer_sets_first(block->statements.items[i], var);
    }
    return false;
}

static void declare_in_lanes(Writer *writer, const Block *block, const Var *var, int indent) {
    const char *name = writer_declare(writer, var);
    writer_line(writer, indent, "%s[%s]%s;", emit_declarator(writer->arena, writer_local_type(writer, var), name), writer->lanes.count,
                is_set_before_read(block, var) ? "" : " = {0}");
    writer_fresh(writer, name);
    writer->scope.items[writer->scope.count - 2].name = arena_printf(writer->arena, "%s[%s]", name, writer->lanes.lane);
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */
static void print_group(Writer *writer, const Block *group, int indent) {
    const WriterLanes lanes = writer->lanes;
    const size_t mark = writer->scope.count;
    void (*const loop_body)(Writer *, const Block *, int) = writer->loop_body;
    writer->loop_body = NULL;
    if (!has_loop(group->statements.items[0])) writer_line(writer, indent, "HP5_INDEPENDENT");
    writer_line(writer, indent, "for (int64_t %s = 0; %s < %s; %s++) {", lanes.lane, lanes.lane, lanes.count, lanes.lane);
    if (lower_block_mentions(group, lanes.index)) {
        const char *index = writer_declare(writer, lanes.index);
        writer_line(writer, indent + 4, "const int64_t %s = %s + %s;", index, lanes.first, lanes.lane);
    }
    writer_block(writer, group, indent + 4);
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
    writer->loop_body = loop_body;
}

static void print_block(Writer *writer, const Block *block, int indent);

static void print_loop(Writer *writer, const Stmt *stmt, int indent) {
    if (stmt->kind == STMT_SEQUENCE) {
        writer_stmt(writer, stmt, indent);
        return;
    }
    const Nest *nest = lower_nest_of(writer->code, stmt);
    const size_t mark = writer->scope.count;
    int inside = indent;
    for (size_t l = 0; l < nest->loops.count; l++) inside = writer_loop_begin(writer, &nest->loops.items[l], NULL, inside);
    print_block(writer, &stmt->body, inside);
    writer_loop_end(writer, inside, indent);
    writer->scope.count = mark;
}

static void print_block(Writer *writer, const Block *block, int indent) {
    const size_t mark = writer->scope.count;
    for (size_t i = 0; i < block->locals.count; i++)
        if (lives_on(writer, block, block->locals.items[i])) declare_in_lanes(writer, block, block->locals.items[i], indent);
    for (size_t at = 0; at < block->statements.count;) {
        Block group = group_from(block, at);
        at += group.statements.count;
        if (goes_together(writer, group.statements.items[0])) {
            print_loop(writer, group.statements.items[0], indent);
            continue;
        }
        for (size_t i = 0; i < block->locals.count; i++)
            if (!lives_on(writer, block, block->locals.items[i]) && lower_block_mentions(&group, block->locals.items[i]))
                vec_push(writer->arena, &group.locals, block->locals.items[i]);
        print_group(writer, &group, indent);
    }
    writer->scope.count = mark;
}

void writer_lanes(Writer *writer, const Nest *nest, int indent) {
    Arena *arena = writer->arena;
    const Loop *loop = &nest->loops.items[nest->loops.count - 1 - nest->lanes.inside], *inner = nest->lanes.inside ? loop + 1 : NULL;
    const size_t mark = writer->scope.count;
    const int inside = indent + 4;
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    const char *name = emit_symbol(writer->emit, loop->index->var);
    const char *first = writer_fresh(writer, arena_printf(arena, "%s_first", name));
    const char *last = writer_fresh(writer, arena_printf(arena, "%s_end", name));
    writer_line(writer, indent, "{");
    writer_line(writer, inside, "int64_t %s = %s;", first, begin);
    writer_line(writer, inside, "const int64_t %s = %s;", last, end);
    const char *count = nest->lanes.rows ? "HP5_ABREAST" : "HP5_NEIGHBOURS";
    writer_line(writer, inside, "for (; hp5_fills_lanes(%s, %s, %s); %s += %s) {", first, last, count, first, count);
    const size_t rest = writer->scope.count;
    const WriterLanes outer = writer->lanes;
    void (*const outer_body)(Writer *, const Block *, int) = writer->loop_body;
    writer->lanes = (WriterLanes){nest, loop->index->var, first, writer_fresh(writer, "lane"), count};
    int at = inner ? writer_loop_begin(writer, inner, NULL, inside + 4) : inside + 4;
    writer->loop_body = print_block;
    print_block(writer, &nest->stmt->body, at);
    writer->loop_body = NULL;
    writer->lanes = outer;
    writer_loop_end(writer, at, inside);
    writer->scope.count = rest;
    const char *index = writer_declare(writer, loop->index->var);
    writer_line(writer, inside, "for (int64_t %s = %s; %s < %s; %s++) {", index, first, index, last, index);
    at = inner ? writer_loop_begin(writer, inner, NULL, inside + 4) : inside + 4;
    writer_block(writer, &nest->stmt->body, at);
    writer_loop_end(writer, at, indent);
    writer->loop_body = outer_body;
    writer->scope.count = mark;
}
