/* Loops in lanes (lower/lanes.c): HP5_NEIGHBOURS neighbouring iterations go through the loops inside side by side, and so do the fewer that are
 * left over in the end.
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
 *         if (i_first < i_end) {
 *             const int64_t lanes = i_end - i_first;
 *             …
 *         }
 *     }
 *
 * Where lanes go along rows, a piece has up to HP5_ALONG of them, and none is left over:
 *
 *     for (int64_t lanes; i_first < i_end; i_first += lanes) {
 *         lanes = hp5_lanes_along(i_first, i_end);
 *         …
 *     }
 *
 * Loops under a condition of each lane's own go together as well, if more than a few lanes have a part in it; what the others have stays:
 *
 *     for (int64_t lane = 0; …) {
 *         holds[lane] = core[i];
 *     }
 *     int64_t held = …                                       how many of them
 *     if (held > HP5_ALONE) {
 *         for (int64_t j = …) {
 *             for (int64_t lane = 0; …) {
 *                 double sum_now = sum[lane];
 *                 if (holds[lane]) {                         unless all may (stage_guarded.c)
 *                     sum_now = …;
 *                 }
 *                 sum[lane] = sum_now;
 *             }
 *         }
 *     } else { …                                             one lane after the other }
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

typedef struct Loops { Writer *writer; bool any; } Loops;

/* Rounds of a loop that C compilers write out are statements as others, and lanes keep in registers what is between them. */
static void find_loop(void *data, const Stmt *stmt) {
    Loops *loops = data;
    const Lanes *lanes = &loops->writer->lanes.nest->lanes;
    const bool written_out = stmt->kind == STMT_SEQUENCE && !lanes->rows && !lanes->apart && !lanes->along && writer_is_written_out(loops->writer, stmt);
    loops->any |= (stmt->kind == STMT_SEQUENCE && !written_out) || stmt->kind == STMT_PARALLEL || stmt->kind == STMT_WHILE;
}

static bool has_loop(Writer *writer, const Stmt *stmt) {
    Loops loops = {writer, false};
    const Block alone = {.statements = {.items = (Stmt *[]){(Stmt *)stmt}, .count = 1}};
    lower_walk_block(&(Walk){NULL, find_loop, &loops}, &alone);
    return loops.any;
}

/* Checked indices are looked at by each lane for itself. */
static bool goes_together(Writer *writer, const Stmt *stmt) {
    return has_loop(writer, stmt) && lower_goes_together(writer->use, writer->lanes.nest, stmt) && !(writer->strict && stmt->kind == STMT_WHILE);
}

/* C compilers divide Integers one by one, and what stands beside that in a loop as well; and so is it with what lanes hand on. */
static bool stands_alone(Writer *writer, const Stmt *stmt) {
    if (has_loop(writer, stmt) || writer_is_uniform(writer, stmt) || lower_carries(writer->lanes.nest, stmt)) return true;
    bool divides = false;
    const Block alone = {.statements = {.items = (Stmt *[]){(Stmt *)stmt}, .count = 1}};
    lower_walk_block(&(Walk){find_division, NULL, &divides}, &alone);
    return divides;
}

/* Loops under a condition that lanes do not share. */
static bool is_guarded(Writer *writer, const Stmt *stmt) {
    const Lanes *lanes = &writer->lanes.nest->lanes;
    return stmt->kind == STMT_IF && !lanes->rows && !lanes->apart && !lanes->along && has_loop(writer, stmt);
}

/* The group that begins with statement `first` of the block; without locals. */
static Block group_from(Writer *writer, const Block *block, size_t first) {
    size_t end = first + 1;
    if (!stands_alone(writer, block->statements.items[first]))
        while (end < block->statements.count && !stands_alone(writer, block->statements.items[end])) end++;
    return (Block){.statements = {.items = block->statements.items + first, .count = end - first}, .span = block->span};
}

/* ---- Locals ------------------------------------------------------------------------------------------------- */
bool writer_is_set_before_read(const Block *block, const Var *var) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Block alone = {.statements = {.items = block->statements.items + i, .count = 1}};
        if (lower_block_mentions(&alone, var)) return writer_sets_first(block->statements.items[i], var);
    }
    return false;
}

/* Each round of a do … while sets it anew, also for the condition. */
static bool is_of_round(const Stmt *stmt, const Var *var) { return stmt->kind == STMT_WHILE && writer_is_set_before_read(&stmt->body, var); }

/* Whether the local is mentioned in several groups, or in a loop that all lanes go through together. */
static bool lives_on(Writer *writer, const Block *block, const Var *var) {
    size_t groups = 0;
    for (size_t at = 0; at < block->statements.count;) {
        const Block group = group_from(writer, block, at);
        const Stmt *first = group.statements.items[0];
        if (lower_block_mentions(&group, var)) groups += writer_is_uniform(writer, first) || is_guarded(writer, first) || (goes_together(writer, first) && !is_of_round(first, var)) ? 2 : 1;
        at += group.statements.count;
    }
    return groups > 1;
}

/* Of the block, or under its conditions. */
static bool has_wide(const Writer *writer, const Block *block) {
    for (size_t i = 0; i < block->locals.count; i++) {
        const char *type = writer_local_type(writer, block->locals.items[i]);
        if (strcmp(type, "double") == 0 || strcmp(type, "int64_t") == 0) return true;
    }
    for (size_t i = 0; i < block->statements.count; i++)
        if (block->statements.items[i]->kind == STMT_IF && has_wide(writer, &block->statements.items[i]->body)) return true;
    return false;
}

/* Booleans are as wide as the numbers beside them: gcc makes no vectors of masks that come from memory together with others. */
const char *writer_lane_type(const Writer *writer, const Var *var) {
    if (var->type->kind != TYPE_BOOLEAN) return writer_local_type(writer, var);
    return has_wide(writer, &writer->lanes.nest->stmt->body) ? "int64_t" : "int32_t";
}

static void declare_in_lanes(Writer *writer, const Block *block, const Var *var, int indent) {
    const char *name = writer_declare(writer, var);
    writer_line(writer, indent, "%s[%s]%s;", emit_declarator(writer->arena, writer_lane_type(writer, var), name), writer->lanes.room,
                writer_is_set_before_read(block, var) && !writer->lanes.holds ? "" : " = {0}");
    writer->scope.items[writer->scope.count - 1].name = arena_printf(writer->arena, "%s[%s]", name, writer->lanes.lane);
    writer_take(writer, name);
}

/* ---- Blocks --------------------------------------------------------------------------------------------------- */
static void declare_index(Writer *writer, const Block *group, const Var *var, const char *first, int indent) {
    if (var && writer_names(writer, group, var)) writer_line(writer, indent, "const int64_t %s = %s + %s;", writer_declare(writer, var), first, writer->lanes.lane);
}

void writer_declare_lane_index(Writer *writer, const Block *group, int indent) {
    declare_index(writer, group, writer->lanes.index, writer->lanes.first, indent);
    declare_index(writer, group, writer->lanes.sliding, writer->lanes.slid, indent);
}

/* in_order: lanes hand something on. */
static void print_group(Writer *writer, const Block *group, bool in_order, int indent) {
    const WriterLanes lanes = writer->lanes;
    const size_t mark = writer->scope.count;
    const bool together = !has_loop(writer, group->statements.items[0]);
    void (*const loop_body)(Writer *, const Block *, int) = writer->loop_body;
    writer->loop_body = NULL;
    const EmitKnowns known = writer->names.known;
    if (together && !in_order) writer->names.known = writer_shared_parts(writer, group, indent);
    if (together && lanes.nest->lanes.apart) writer_line(writer, indent, "HP5_WRITTEN_OUT");
    else if (together && !in_order) writer_line(writer, indent, lanes.in_block || lanes.few || lanes.holds || lanes.nest->lanes.conditions ? "HP5_IN_VECTORS" : "HP5_INDEPENDENT");
    writer_line(writer, indent, "for (int64_t %s = 0; %s < %s; %s++) {", lanes.lane, lanes.lane, lanes.count, lanes.lane);
    writer_declare_lane_index(writer, group, indent + 4);
    const LaneStores stores = together && !lanes.nest->lanes.apart ? writer_take_chosen(writer, group, indent + 4) : (LaneStores){0};
    writer_block(writer, group, indent + 4);
    for (size_t i = 0; i < stores.count; i++) writer_line(writer, indent + 4, "%s", stores.items[i]);
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
    for (size_t i = known.count; i < writer->names.known.count; i++) writer_take(writer, writer->names.known.items[i].text); /* they stand in the block around */
    writer->loop_body = loop_body;
    writer->names.known = known;
}

static void print_block(Writer *writer, const Block *block, int indent);

/* A local that has for each lane whether it has a part in what stands under the condition. */
static Expr *print_holds(Writer *writer, const Expr *condition, int indent) {
    Var *var = ARENA_NEW(writer->arena, Var);
    *var = (Var){.kind = VAR_LOCAL, .name = "holds", .type = condition->type, .span = condition->span, .id = (int)writer->body->vars.count};
    Expr *holds = writer_lane_expr(writer, (Expr){.kind = EXPR_VAR, .type = var->type, .span = condition->span, .var = var}), *outer = writer->lanes.holds;
    Stmt *assign = ARENA_NEW(writer->arena, Stmt);
    *assign = (Stmt){.kind = STMT_ASSIGN, .span = condition->span, .target = holds, .value = (Expr *)condition};
    if (outer) assign->value = writer_lane_expr(writer, (Expr){.kind = EXPR_BINARY, .op = OP_AND, .type = condition->type, .span = condition->span, .left = outer, .right = (Expr *)condition});
    const Block block = {.statements = {.items = &assign, .count = 1}, .span = condition->span};
    writer->lanes.holds = NULL;
    declare_in_lanes(writer, &block, var, indent);
    print_group(writer, &block, false, indent);
    writer->lanes.holds = outer;
    return holds;
}

static void print_guarded(Writer *writer, const Stmt *stmt, int indent) {
    const WriterLanes *lanes = &writer->lanes;
    const size_t mark = writer->scope.count;
    Expr *outer = lanes->holds, *holds = print_holds(writer, stmt->value, indent);
    const char *held = writer_fresh(writer, "held");
    writer_line(writer, indent, "int64_t %s = 0;", held);
    writer_line(writer, indent, "for (int64_t %s = 0; %s < %s; %s++) %s += %s;", lanes->lane, lanes->lane, lanes->count, lanes->lane, held, writer_find(writer, holds->var));
    const char *open = writer_open_lanes(writer, &stmt->body);
    writer_line(writer, indent, "if (%s > HP5_ALONE%s) {", held, open ? open : "");
    writer->lanes.holds = holds;
    writer->lanes.open = open != NULL;
    print_block(writer, &stmt->body, indent + 4);
    const Block alone = writer_where(writer, holds, &stmt->body);
    writer->lanes.holds = NULL;
    writer_line(writer, indent, "} else if (%s > 0) {", held);
    print_group(writer, &alone, false, indent + 4);
    writer_line(writer, indent, "}");
    writer->lanes.holds = outer;
    if (stmt->otherwise) {
        const Block otherwise = writer_where(writer, writer_lane_expr(writer, (Expr){.kind = EXPR_UNARY, .op = OP_NOT, .type = holds->type, .span = holds->span, .left = holds}), stmt->otherwise);
        print_group(writer, &otherwise, false, indent);
    }
    writer->scope.count = mark;
}

/* A branch that all lanes take, or none. */
static void print_uniform(Writer *writer, const Stmt *stmt, int indent) {
    writer_line(writer, indent, "if (%s) {", writer_expr(writer, stmt->value));
    print_block(writer, &stmt->body, indent + 4);
    if (stmt->otherwise) writer_line(writer, indent, "} else {");
    if (stmt->otherwise) print_block(writer, stmt->otherwise, indent + 4);
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

/* Of the innermost of parallel loops, in the others: what is left, from the returned name on, is the writer's piece of it. */
static const char *print_blocks_of_loop(Writer *writer, const Nest *nest, int indent) {
    const Loop *loop = nest_innermost(nest);
    if (!writer->loop_blocks || !loop->interval || loop->other_dimension >= 0 || loop->steps || nest->has_filters) return NULL;
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
        writer_ragged_loop(writer, ragged, NULL, indent);
        return;
    }
    if (stmt->kind == STMT_SEQUENCE) {
        const Stmt *outer = writer->lanes.sequence;
        writer->lanes.sequence = stmt;
        writer_stmt(writer, stmt, indent);
        writer->lanes.sequence = outer;
        return;
    }
    const Nest *nest = lower_nest_of(writer->code, stmt);
    const size_t mark = writer->scope.count;
    int inside = indent;
    for (size_t l = 0; l + 1 < nest->loops.count; l++) inside = writer_loop_begin(writer, &nest->loops.items[l], NULL, inside);
    const char *left = ragged ? NULL : print_blocks_of_loop(writer, nest, inside);
    if (!ragged) inside = writer_loop_begin(writer, nest_innermost(nest), NULL, inside);
    if (ragged) writer_ragged_loop(writer, ragged, nest_innermost(nest), inside);
    else {
        writer_fetch_rows(writer, stmt, nest_innermost(nest)->index->var, inside);
        print_block(writer, &stmt->body, inside);
    }
    writer_loop_end(writer, inside, indent);
    writer->piece_of = (LoopStretch){0};
    writer->scope.count = mark;
    if (left) writer_take(writer, left);
}

/* A loop that lanes go through whether they have a part in it or not, or those that have. */
static void print_where_open(Writer *writer, const Stmt *stmt, int indent) {
    const WriterLanes lanes = writer->lanes;
    const EmitKnowns outer = writer->names.known;
    if (!lanes.in_loop) writer->names.known = writer_own_elements(writer, stmt, indent);
    writer->lanes.in_loop = true;
    if (lanes.open) writer->lanes.holds = NULL;
    print_loop(writer, stmt, indent);
    writer->lanes.in_loop = lanes.in_loop;
    writer->lanes.holds = lanes.holds;
    writer->names.known = outer;
}

static void print_block(Writer *writer, const Block *whole, int indent) {
    const size_t mark = writer->scope.count, shared = writer->lanes.shared.count;
    const Stmt *sequence = writer->lanes.sequence;
    if (sequence != NULL && whole == &sequence->body) writer_fetch_rows(writer, sequence, sequence->index, indent);
    const Block rest = writer_shared_first(writer, whole, indent), *block = &rest;
    for (size_t i = 0; i < block->locals.count; i++)
        if (lives_on(writer, block, block->locals.items[i])) declare_in_lanes(writer, block, block->locals.items[i], indent);
    for (size_t at = 0; at < block->statements.count;) {
        Block group = group_from(writer, block, at);
        const size_t first = at;
        at += group.statements.count;
        if (writer_is_uniform(writer, group.statements.items[0])) {
            print_uniform(writer, group.statements.items[0], indent);
            continue;
        }
        if (is_guarded(writer, group.statements.items[0])) {
            print_guarded(writer, group.statements.items[0], indent);
            continue;
        }
        if (goes_together(writer, group.statements.items[0])) {
            if (group.statements.items[0]->kind == STMT_WHILE) writer_while_in_lanes(writer, block, first, indent);
            else print_where_open(writer, group.statements.items[0], indent);
            continue;
        }
        for (size_t i = 0; i < block->locals.count; i++)
            if (!lives_on(writer, block, block->locals.items[i]) && lower_block_mentions(&group, block->locals.items[i]))
                vec_push(writer->arena, &group.locals, block->locals.items[i]);
        const bool in_order = lower_carries(writer->lanes.nest, group.statements.items[0]);
        if (writer->lanes.holds) group = writer_where(writer, writer->lanes.holds, &group);
        print_group(writer, &group, in_order, indent);
    }
    writer->scope.count = mark;
    writer->lanes.shared.count = shared;
}

void writer_rows(Writer *writer, const Nest *nest, const char *first, const char *lane, int indent) {
    const WriterLanes outer = writer->lanes;
    void (*const outer_body)(Writer *, const Block *, int) = writer->loop_body;
    writer->lanes = (WriterLanes){.nest = nest, .index = nest_innermost(nest)->index->var, .first = first, .lane = lane, .count = "HP5_ABREAST", .room = "HP5_ABREAST"};
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

/* The nest's body for `count` lanes, fewer than `room` or as many. few: so few that gcc would write them out one by one. */
static void print_lanes(Writer *writer, const Nest *nest, const char *first, const char *count, const char *room, bool few, LaneSums sums, int indent) {
    const size_t mark = writer->scope.count;
    const WriterLanes outer = writer->lanes;
    const Loop *loop = &nest->loops.items[nest->loops.count - 1 - nest->lanes.inside];
    writer->lanes = (WriterLanes){.nest = nest, .index = loop->index->var, .first = first, .lane = writer_fresh(writer, "lane"), .count = count, .room = room, .few = few};
    count_in_lanes(writer, sums);
    const int at = nest->lanes.inside ? writer_loop_begin(writer, loop + 1, NULL, indent) : indent;
    writer->loop_body = print_block;
    writer->loop_blocks = nest->lanes.rows ? print_blocks_of_sequence : NULL;
    print_block(writer, &nest->stmt->body, at);
    writer->loop_blocks = NULL;
    writer->loop_body = NULL;
    writer->lanes = outer;
    writer_loop_end(writer, at, indent - 4);
    writer->scope.count = mark;
}

/* As long as there are `count` iterations. */
static void print_full_lanes(Writer *writer, const Nest *nest, const char *first, const char *last, const char *count, bool few, LaneSums sums, int indent) {
    writer_line(writer, indent, "for (; hp5_fills_lanes(%s, %s, %s); %s += %s) {", first, last, count, first, count);
    print_lanes(writer, nest, first, count, count, few, sums, indent + 4);
}

static void find_function(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_MATH || expr->kind == EXPR_CALL; }

/* Whether what is left of the lanes goes in a half of them first: their numbers fill a vector then, and the text is short enough to be there again. (Where functions
 * are, gcc puts fewer of them in place the more often they stand there.) */
static bool pays_in_halves(const Nest *nest) {
    const Block *body = &nest->stmt->body;
    bool wide = false, functions = false;
    for (size_t i = 0; i < body->locals.count; i++) wide = wide || body->locals.items[i]->type->kind == TYPE_REAL_DOUBLE;
    lower_walk_block(&(Walk){find_function, NULL, &functions}, body);
    return wide && !functions && nest->lanes.inside == 0 && nest->lanes.ragged.count == 0;
}

/* The iterations from `first` on, one by one. */
static void print_one_by_one(Writer *writer, const Nest *nest, const char *first, const char *last, int indent) {
    const Loop *loop = &nest->loops.items[nest->loops.count - 1 - nest->lanes.inside];
    const char *index = writer_declare(writer, loop->index->var);
    writer_line(writer, indent, "for (int64_t %s = %s; %s < %s; %s++) {", index, first, index, last, index);
    const int at = nest->lanes.inside ? writer_loop_begin(writer, loop + 1, NULL, indent + 4) : indent + 4;
    writer_block(writer, &nest->stmt->body, at);
    writer_loop_end(writer, at, indent);
}

void writer_lanes(Writer *writer, const Nest *nest, int indent) {
    Arena *arena = writer->arena;
    const Lanes *lanes = &nest->lanes;
    const Loop *loop = &nest->loops.items[nest->loops.count - 1 - lanes->inside];
    const size_t mark = writer->scope.count;
    void (*const outer_body)(Writer *, const Block *, int) = writer->loop_body;
    const int inside = indent + 4;
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    const char *name = emit_symbol(writer->emit, loop->index->var);
    const char *first = writer_fresh(writer, arena_printf(arena, "%s_first", name));
    const char *last = writer_fresh(writer, arena_printf(arena, "%s_end", name));
    const char *count = lanes->rows ? "HP5_ABREAST" : lanes->apart ? "HP5_FEW_NEIGHBOURS" : lanes->ragged.count > 0 ? "HP5_MANY_NEIGHBOURS" : "HP5_NEIGHBOURS";
    const char *few = writer_fresh(writer, "lanes");
    writer_line(writer, indent, "{");
    writer_line(writer, inside, "int64_t %s = %s;", first, begin);
    writer_line(writer, inside, "const int64_t %s = %s;", last, end);
    const LaneSums sums = declare_sums(writer, nest, count, inside);
    if (lanes->along) {
        writer_line(writer, inside, "for (int64_t %s; %s < %s; %s += %s) {", few, first, last, first, few);
        writer_line(writer, inside + 4, "%s = hp5_lanes_along(%s, %s);", few, first, last);
        print_lanes(writer, nest, first, few, few, false, sums, inside + 4);
    } else {
        print_full_lanes(writer, nest, first, last, count, false, sums, inside);
        const bool together = !lanes->rows && !lanes->apart && !writer->strict;
        if (together && pays_in_halves(nest)) print_full_lanes(writer, nest, first, last, "HP5_HALF_NEIGHBOURS", true, sums, inside);
        if (together) {
            writer_line(writer, inside, "if (%s < %s) {", first, last);
            writer_line(writer, inside + 4, "const int64_t %s = %s - %s;", few, last, first);
            print_lanes(writer, nest, first, few, count, false, sums, inside + 4);
        }
        add_sums(writer, sums, count, inside);
        if (!together) print_one_by_one(writer, nest, first, last, inside);
    }
    writer_line(writer, indent, "}");
    writer->loop_body = outer_body;
    writer->scope.count = mark;
}
