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
 * A ragged loop (nest.h), here one that slides, does what the lanes have in common between what some of them do alone. As its bounds stay or
 * grow by one from lane to lane (or, where it does not slide, become one less), those of the first and the last one tell what is common, and
 * whether it is all:
 *
 *     int64_t m_begin = …, m_end = …;                            (in lane 0)
 *     bool m_alone = …;
 *     if (m_alone) for (int64_t lane = …) for (int64_t m = …; m < hp5_min(…, m_begin + lane); m++) { … }
 *     for (int64_t m_first = m_begin; m_first < m_end; m_first++) { … all lanes, at m = m_first + lane … }
 *     if (m_alone) for (int64_t lane = …) for (int64_t m = hp5_max(…, hp5_max(m_begin, m_end) + lane); m < …; m++) { … }
 *
 * What lanes change under conditions has a local in the round, which is stored in the end whatever the conditions say,
 *
 *     double nearest_now = nearest[lane];
 *     if (d < nearest_now) {
 *         nearest_now = d;
 *     }
 *     nearest[lane] = nearest_now;
 *
 * and which vectors choose by masks. Of a store under a condition gcc makes a branch that asks whether any lane stores, and where there are two conditions on the same, it takes selections back to such.
 *
 * Where lanes go along rows, a piece has up to HP5_ALONG of them, and none is left over:
 *
 *     for (int64_t lanes; i_first < i_end; i_first += lanes) {
 *         lanes = hp5_lanes_along(i_first, i_end);
 *         …
 *     }
 *
 * Statements between two loops share one loop over the lanes. A local that lives longer has a place for each lane. Rows (nest.h) are
 * HP5_ABREAST at a time; loops that do not go together stand in a loop over the lanes, as they are. */
#include <string.h>
#include "compiler/emit/cpu/stage.h"
#include "compiler/lower/passes.h"

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
    writer->scope.items[writer->scope.count - 1].name = arena_printf(writer->arena, "%s[%s]", name, writer->lanes.lane);
    writer_take(writer, name);
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */
static void declare_index(Writer *writer, const Block *group, const Var *var, const char *first, int indent) {
    if (var && writer_names(writer, group, var)) writer_line(writer, indent, "const int64_t %s = %s + %s;", writer_declare(writer, var), first, writer->lanes.lane);
}

typedef struct Chosen { const Var *var; bool found; } Chosen;
typedef VEC(const char *) Stores;

static void note_conditional(void *data, const Stmt *stmt) {
    Chosen *chosen = data;
    if (stmt->kind != STMT_IF) return;
    chosen->found |= lower_block_writes(&stmt->body, chosen->var) > 0 || (stmt->otherwise != NULL && lower_block_writes(stmt->otherwise, chosen->var) > 0);
}

static bool is_chosen(const Block *group, const Var *var) {
    Chosen chosen = {var, false};
    lower_walk_block(&(Walk){NULL, note_conditional, &chosen}, group);
    return chosen.found;
}

/* Locals of the round for what lanes have and conditions of the group change, and what stores them in the end. */
static Stores take_chosen(Writer *writer, const Block *group, int indent) {
    const size_t count = writer->scope.count;
    const char *place = arena_printf(writer->arena, "[%s]", writer->lanes.lane);
    Stores stores = {0};
    for (size_t i = 0; i < count; i++) {
        const ScopeName known = writer->scope.items[i];
        const size_t length = strlen(known.name), end = strlen(place);
        if (length <= end || strcmp(known.name + length - end, place) != 0 || !is_chosen(group, known.var)) continue;
        const char *name = writer_fresh(writer, arena_printf(writer->arena, "%s_now", emit_symbol(writer->emit, known.var)));
        const char *value = is_set_before_read(group, known.var) ? "" : arena_printf(writer->arena, " = %s", known.name);
        writer_line(writer, indent, "%s%s;", emit_declarator(writer->arena, writer_local_type(writer, known.var), name), value);
        vec_push(writer->arena, &writer->scope, ((ScopeName){known.var, name}));
        vec_push(writer->arena, &stores, arena_printf(writer->arena, "%s = %s;", known.name, name));
    }
    return stores;
}

static void print_group(Writer *writer, const Block *group, int indent) {
    const WriterLanes lanes = writer->lanes;
    const size_t mark = writer->scope.count;
    const bool together = !has_loop(group->statements.items[0]);
    void (*const loop_body)(Writer *, const Block *, int) = writer->loop_body;
    writer->loop_body = NULL;
    if (together && lanes.nest->lanes.apart) writer_line(writer, indent, "HP5_WRITTEN_OUT");
    else if (together) writer_line(writer, indent, lanes.in_block || lanes.nest->lanes.conditions ? "HP5_IN_VECTORS" : "HP5_INDEPENDENT");
    writer_line(writer, indent, "for (int64_t %s = 0; %s < %s; %s++) {", lanes.lane, lanes.lane, lanes.count, lanes.lane);
    declare_index(writer, group, lanes.index, lanes.first, indent + 4);
    declare_index(writer, group, lanes.sliding, lanes.slid, indent + 4);
    const Stores stores = together && !lanes.nest->lanes.apart ? take_chosen(writer, group, indent + 4) : (Stores){0};
    writer_block(writer, group, indent + 4);
    for (size_t i = 0; i < stores.count; i++) writer_line(writer, indent + 4, "%s", stores.items[i]);
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
    writer->loop_body = loop_body;
}

static void print_block(Writer *writer, const Block *block, int indent);

/* ---- Ragged loops ----------------------------------------------------------------------------------------------- */
/* loop: the statement's innermost, NULL: it is sequential. from, to: bounds of the first and the last lane. */
typedef struct Ragged { const LaneLoop *it; const Loop *loop; const Var *index; const char *name, *from[2], *to[2], *begin, *end, *alone; } Ragged;

static void own_bounds(Writer *writer, const Ragged *ragged, char **begin, char **end) {
    if (ragged->loop) {
        writer_loop_bounds(writer, ragged->loop, NULL, begin, end);
        return;
    }
    *begin = writer_expr(writer, ragged->it->stmt->value->left);
    *end = writer_after(writer, ragged->it->stmt->value->right);
}

/* The index of the lanes, where the bounds name it. */
static void declare_for_bounds(Writer *writer, const Ragged *ragged, bool body, int indent) {
    const Stmt *stmt = ragged->it->stmt;
    bool named = ragged->loop ? lower_bounds_mention(ragged->loop->index, writer->lanes.index) : lower_expr_mentions(stmt->value, writer->lanes.index);
    named |= body && lower_block_mentions(&stmt->body, writer->lanes.index);
    const char *name = writer_declare(writer, writer->lanes.index);
    if (named) writer_line(writer, indent, "const int64_t %s = %s + %s;", name, writer->lanes.first, writer->lanes.lane);
}

/* The bounds of the first lane (0) or the last one (1). */
static void print_outer_bounds(Writer *writer, const Ragged *ragged, int which, int indent) {
    const size_t mark = writer->scope.count;
    char *begin, *end;
    writer_line(writer, indent, "{");
    writer_line(writer, indent + 4, which ? "const int64_t %s = %s - 1;" : "const int64_t %s = 0;", writer->lanes.lane, writer->lanes.count);
    declare_for_bounds(writer, ragged, false, indent + 4);
    own_bounds(writer, ragged, &begin, &end);
    writer_line(writer, indent + 4, "(void)%s;", writer->lanes.lane);
    writer_line(writer, indent + 4, "%s = %s;", ragged->from[which], begin);
    writer_line(writer, indent + 4, "%s = %s;", ragged->to[which], end);
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
}

static void print_common_bounds(Writer *writer, const Ragged *ragged, int indent) {
    const char *const *from = ragged->from, *const *to = ragged->to, *count = writer->lanes.count;
    writer_line(writer, indent, "int64_t %s, %s, %s, %s;", from[0], to[0], from[1], to[1]);
    for (int which = 0; which < 2; which++) print_outer_bounds(writer, ragged, which, indent);
    const char *usual = arena_printf(writer->arena, "hp5_is_moderate(%s)", writer->lanes.first);
    for (size_t i = 0; i < ragged->it->asked.count; i++)
        usual = arena_printf(writer->arena, "%s && hp5_is_moderate(%s)", usual, writer_expr(writer, ragged->it->asked.items[i]));
    if (ragged->it->slides) {
        writer_line(writer, indent, "int64_t %s = %s, %s = %s - (%s - 1);", ragged->begin, from[0], ragged->end, to[1], count);
        writer_line(writer, indent, "bool %s = %s != %s + (%s - 1) || %s != %s;", ragged->alone, from[1], from[0], count, to[0], ragged->end);
    } else {
        writer_line(writer, indent, "int64_t %s = hp5_max(%s, %s), %s = hp5_min(%s, %s);", ragged->begin, from[0], from[1], ragged->end, to[0], to[1]);
        writer_line(writer, indent, "bool %s = %s != %s || %s != %s;", ragged->alone, from[0], from[1], to[0], to[1]);
    }
    writer_line(writer, indent, "if (!(%s)) {", usual);
    writer_line(writer, indent + 4, "%s = %s = HP5_MODERATE;", ragged->begin, ragged->end);
    writer_line(writer, indent + 4, "%s = true;", ragged->alone);
    writer_line(writer, indent, "}");
}

/* What each lane has to itself, before (NULL, begin) or behind (what they have in common, NULL). */
static void print_alone(Writer *writer, const Ragged *ragged, const char *after, const char *before, int indent) {
    const size_t mark = writer->scope.count;
    const WriterLanes *lanes = &writer->lanes;
    void (*const loop_body)(Writer *, const Block *, int) = writer->loop_body;
    const char *slid = ragged->it->slides ? arena_printf(writer->arena, " + %s", lanes->lane) : "";
    char *begin, *end;
    writer->loop_body = NULL;
    writer_line(writer, indent, "if (%s) {", ragged->alone);
    writer_line(writer, indent + 4, "for (int64_t %s = 0; %s < %s; %s++) {", lanes->lane, lanes->lane, lanes->count, lanes->lane);
    declare_for_bounds(writer, ragged, true, indent + 8);
    own_bounds(writer, ragged, &begin, &end);
    if (after) begin = arena_printf(writer->arena, "hp5_max(%s, %s%s)", begin, after, slid);
    if (before) end = arena_printf(writer->arena, "hp5_min(%s, %s%s)", end, before, slid);
    const char *index = writer_declare(writer, ragged->index), *last = writer_fresh(writer, arena_printf(writer->arena, "%s_last", index));
    writer_line(writer, indent + 8, "for (int64_t %s = %s, %s = %s; %s < %s; %s++) {", index, begin, last, end, index, last, index);
    writer_block(writer, &ragged->it->stmt->body, indent + 12);
    writer_loop_end(writer, indent + 12, indent);
    writer->scope.count = mark;
    writer->loop_body = loop_body;
}

static void print_together(Writer *writer, const Ragged *ragged, int indent) {
    const size_t mark = writer->scope.count;
    const WriterLanes outer = writer->lanes;
    const bool slides = ragged->it->slides;
    const char *index = slides ? writer_fresh(writer, arena_printf(writer->arena, "%s_first", ragged->name)) : writer_declare(writer, ragged->index);
    if (slides) {
        writer->lanes.sliding = ragged->index;
        writer->lanes.slid = index;
    }
    writer_line(writer, indent, "for (int64_t %s = %s; %s < %s; %s++) {", index, ragged->begin, index, ragged->end, index);
    if (slides) writer_line(writer, indent + 4, "HP5_IN_REGISTERS;");
    print_block(writer, &ragged->it->stmt->body, indent + 4);
    writer_line(writer, indent, "}");
    writer->lanes = outer;
    writer->scope.count = mark;
}

static void print_ragged(Writer *writer, const LaneLoop *lane_loop, const Loop *loop, int indent) {
    Arena *arena = writer->arena;
    Ragged ragged = {.it = lane_loop, .loop = loop, .index = loop ? loop->index->var : lane_loop->stmt->index};
    const char *name = ragged.name = emit_symbol(writer->emit, ragged.index);
    for (int which = 0; which < 2; which++) {
        ragged.from[which] = writer_fresh(writer, arena_printf(arena, "%s_%s", name, which ? "last_from" : "from"));
        ragged.to[which] = writer_fresh(writer, arena_printf(arena, "%s_%s", name, which ? "last_to" : "to"));
    }
    ragged.begin = writer_fresh(writer, arena_printf(arena, "%s_begin", name));
    ragged.end = writer_fresh(writer, arena_printf(arena, "%s_end", name));
    ragged.alone = writer_fresh(writer, arena_printf(arena, "%s_alone", name));
    writer_line(writer, indent, "{");
    print_common_bounds(writer, &ragged, indent + 4);
    print_alone(writer, &ragged, NULL, ragged.begin, indent + 4);
    print_together(writer, &ragged, indent + 4);
    print_alone(writer, &ragged, arena_printf(arena, "hp5_max(%s, %s)", ragged.begin, ragged.end), NULL, indent + 4);
    writer_line(writer, indent, "}");
}

static const LaneLoop *find_ragged(const Writer *writer, const Stmt *stmt) {
    const LaneLoops *ragged = &writer->lanes.nest->lanes.ragged;
    for (size_t i = 0; i < ragged->count; i++)
        if (ragged->items[i].stmt == stmt) return &ragged->items[i];
    return NULL;
}

/* ---- Rows side by side ---------------------------------------------------------------------------------------- */
static void print_round(Writer *writer, const LaneRounds *rounds, int indent) {
    const bool outer = writer->lanes.in_block;
    writer->lanes.in_block = rounds->in_block;
    print_block(writer, rounds->body, indent);
    writer->lanes.in_block = outer;
}

static const char *print_blocks(Writer *writer, const Block *body, const Var *round, const char *name, const char *begin, const char *last, int indent) {
    const WriterLanes *lanes = &writer->lanes;
    const size_t mark = writer->scope.count;
    const LaneRounds rounds = {.body = body, .round = round, .index = lanes->index, .name = name, .index_name = writer_declare(writer, lanes->index), .lane = lanes->lane,
                               .print = print_round, .at = arena_printf(writer->arena, "%s + %s", lanes->first, lanes->lane)};
    writer->scope.count = mark;
    return writer_transposed(writer, &rounds, begin, last, indent);
}

static const char *print_blocks_of_sequence(Writer *writer, const Stmt *stmt, const char *index, const char *min, const char *max, int indent) {
    return print_blocks(writer, &stmt->body, stmt->index, index, min, max, indent);
}

/* Of one parallel loop: what is left, from the returned name on, is the writer's piece of it. */
static const char *print_blocks_of_loop(Writer *writer, const Nest *nest, int indent) {
    const Loop *loop = nest_innermost(nest);
    if (!writer->loop_blocks || nest->loops.count != 1 || !loop->interval || loop->other_dimension >= 0 || loop->steps || nest->has_filters) return NULL;
    const size_t mark = writer->scope.count;
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    const char *name = writer_declare(writer, loop->index->var);
    const char *left = print_blocks(writer, &nest->stmt->body, loop->index->var, name, begin, arena_printf(writer->arena, "%s - 1", end), indent);
    writer->scope.count = mark;
    if (left != NULL) writer->piece_of = (LoopStretch){loop, left, end};
    return left;
}

static void print_loop(Writer *writer, const Stmt *stmt, int indent) {
    const LaneLoop *ragged = find_ragged(writer, stmt);
    if (ragged && stmt->kind == STMT_SEQUENCE) {
        print_ragged(writer, ragged, NULL, indent);
        return;
    }
    if (stmt->kind == STMT_SEQUENCE) {
        writer_stmt(writer, stmt, indent);
        return;
    }
    const Nest *nest = lower_nest_of(writer->code, stmt);
    const size_t mark = writer->scope.count;
    int inside = indent;
    const char *left = print_blocks_of_loop(writer, nest, indent);
    for (size_t l = 0; l + (ragged != NULL) < nest->loops.count; l++) inside = writer_loop_begin(writer, &nest->loops.items[l], NULL, inside);
    if (ragged) print_ragged(writer, ragged, nest_innermost(nest), inside);
    else print_block(writer, &stmt->body, inside);
    writer_loop_end(writer, inside, indent);
    writer->piece_of = (LoopStretch){0};
    writer->scope.count = mark;
    if (left) writer_take(writer, left);
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

void writer_rows(Writer *writer, const Nest *nest, const char *first, const char *lane, int indent) {
    const WriterLanes outer = writer->lanes;
    void (*const outer_body)(Writer *, const Block *, int) = writer->loop_body;
    writer->lanes = (WriterLanes){.nest = nest, .index = nest_innermost(nest)->index->var, .first = first, .lane = lane, .count = "HP5_ABREAST"};
    writer->loop_body = print_block;
    writer->loop_blocks = print_blocks_of_sequence;
    print_block(writer, &nest->stmt->body, indent);
    writer->loop_blocks = NULL;
    writer->loop_body = outer_body;
    writer->lanes = outer;
}

/* ---- Sums ----------------------------------------------------------------------------------------------------- */
typedef struct LaneSum { const Var *var; const char *lanes; } LaneSum;
typedef VEC(LaneSum) LaneSums;

static LaneSums declare_sums(Writer *writer, const Nest *nest, const char *count, int indent) {
    LaneSums sums = {0};
    for (size_t i = 0; i < nest->lanes.sums.count; i++) {
        const Var *var = nest->lanes.sums.items[i];
        const char *lanes = writer_fresh(writer, arena_printf(writer->arena, "%s_in", emit_symbol(writer->emit, var)));
        writer_line(writer, indent, "%s[%s] = {0};", emit_declarator(writer->arena, writer_local_type(writer, var), lanes), count);
        vec_push(writer->arena, &sums, ((LaneSum){var, lanes}));
    }
    return sums;
}

static void count_in_lanes(Writer *writer, LaneSums sums) {
    for (size_t i = 0; i < sums.count; i++)
        vec_push(writer->arena, &writer->scope, ((ScopeName){sums.items[i].var, arena_printf(writer->arena, "%s[%s]", sums.items[i].lanes, writer->lanes.lane)}));
}

static void add_sums(Writer *writer, LaneSums sums, const char *count, int indent) {
    if (sums.count == 0) return;
    const char *lane = writer_fresh(writer, "lane");
    writer_line(writer, indent, "for (int64_t %s = 0; %s < %s; %s++) {", lane, lane, count, lane);
    for (size_t i = 0; i < sums.count; i++) {
        const char *sum = writer_find(writer, sums.items[i].var);
        writer_line(writer, indent + 4, "%s = %s + %s[%s];", sum, sum, sums.items[i].lanes, lane);
    }
    writer_line(writer, indent, "}");
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
    const char *count = nest->lanes.rows ? "HP5_ABREAST" : nest->lanes.apart ? "HP5_FEW_NEIGHBOURS" : nest->lanes.ragged.count > 0 ? "HP5_MANY_NEIGHBOURS" : "HP5_NEIGHBOURS";
    const LaneSums sums = declare_sums(writer, nest, count, inside);
    if (nest->lanes.along) {
        count = writer_fresh(writer, "lanes");
        writer_line(writer, inside, "for (int64_t %s; %s < %s; %s += %s) {", count, first, last, first, count);
        writer_line(writer, inside + 4, "%s = hp5_lanes_along(%s, %s);", count, first, last);
    } else {
        writer_line(writer, inside, "for (; hp5_fills_lanes(%s, %s, %s); %s += %s) {", first, last, count, first, count);
    }
    const size_t rest = writer->scope.count;
    const WriterLanes outer = writer->lanes;
    void (*const outer_body)(Writer *, const Block *, int) = writer->loop_body;
    writer->lanes = (WriterLanes){.nest = nest, .index = loop->index->var, .first = first, .lane = writer_fresh(writer, "lane"), .count = count};
    count_in_lanes(writer, sums);
    int at = inner ? writer_loop_begin(writer, inner, NULL, inside + 4) : inside + 4;
    writer->loop_body = print_block;
    writer->loop_blocks = nest->lanes.rows ? print_blocks_of_sequence : NULL;
    print_block(writer, &nest->stmt->body, at);
    writer->loop_blocks = NULL;
    writer->loop_body = NULL;
    writer->lanes = outer;
    writer_loop_end(writer, at, inside);
    writer->scope.count = rest;
    if (nest->lanes.along) {
        writer_line(writer, indent, "}");
        writer->loop_body = outer_body;
        writer->scope.count = mark;
        return;
    }
    add_sums(writer, sums, count, inside);
    const char *index = writer_declare(writer, loop->index->var);
    writer_line(writer, inside, "for (int64_t %s = %s; %s < %s; %s++) {", index, first, index, last, index);
    at = inner ? writer_loop_begin(writer, inner, NULL, inside + 4) : inside + 4;
    writer_block(writer, &nest->stmt->body, at);
    writer_loop_end(writer, at, indent);
    writer->loop_body = outer_body;
    writer->scope.count = mark;
}
