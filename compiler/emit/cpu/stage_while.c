/* do … while in lanes: a loop that each lane leaves when its own condition says so. In
 *
 *     do {
 *         x = a[i]
 *         do { change = (x * x - a[i]) / (2 * x)  x = x - change } while fabs(change) > 1e-12
 *         root[i] = x
 *     } for i in a
 *
 * all lanes go on until few are left, and these alone then, one after the other: a root that is not found takes no time of others. One that is
 * through keeps what its last round began with, and computes the same round again: so it has the same result, and reads the same elements, however
 * long the others take.
 *
 *     double x_end[HP5_NEIGHBOURS];
 *     int64_t goes[HP5_NEIGHBOURS], going;
 *     do {
 *         going = 0;
 *         HP5_IN_VECTORS
 *         for (int64_t lane = 0; lane < HP5_NEIGHBOURS; lane++) {
 *             const int64_t i = i_first + lane;
 *             double x_now = x[lane];
 *             …
 *             const int64_t goes_on = fabs(change) > 1e-12;
 *             x_end[lane] = x_now;
 *             x[lane] = goes_on ? x_now : x[lane];
 *             goes[lane] = goes_on;
 *             going += goes_on;
 *         }
 *     } while (going > HP5_ALONE);
 *     for (int64_t lane = 0; going > 0 && lane < HP5_NEIGHBOURS; lane++) {
 *         while (goes[lane]) {
 *             …                                    (the same round, without the sum)
 *         }
 *     }
 *     HP5_INDEPENDENT
 *     for (int64_t lane = 0; lane < HP5_NEIGHBOURS; lane++) {
 *         x[lane] = x_end[lane];
 *     }
 *
 * What nothing reads behind the loop has no x_end. What each round sets before it reads it has no x that is kept. */
#include <string.h>

#include "compiler/emit/cpu/stage.h"

/* A local of the lanes that rounds set: C texts of its place in a lane, of its value in a round, and of where its result is, NULL: at its place. */
typedef struct Carried { const Var *var; const char *place, *now, *end; bool kept, read_behind; } Carried;
typedef VEC(Carried) CarriedVec;

static const char *in_lane(const Writer *writer, const char *name) { return arena_printf(writer->arena, "%s[%s]", name, writer->lanes.lane); }

static bool stands_in(const Block *block, const Stmt *stmt) {
    for (size_t i = 0; i < block->statements.count; i++)
        if (block->statements.items[i] == stmt) return true;
    return false;
}

/* Whether anything but the loop itself may read the local when it is through: what stands behind it, or another round of a loop around. */
static bool is_read_behind(const Writer *writer, const Block *block, size_t at, const Var *var) {
    if (!stands_in(&writer->lanes.nest->stmt->body, block->statements.items[at])) return true;
    const Block behind = {.statements = {.items = block->statements.items + at + 1, .count = block->statements.count - at - 1}};
    return lower_block_mentions(&behind, var);
}

static CarriedVec find_carried(Writer *writer, const Block *block, size_t at) {
    const Stmt *stmt = block->statements.items[at];
    const char *lane = in_lane(writer, "");
    CarriedVec carried = {0};
    for (size_t i = 0; i < writer->scope.count; i++) {
        const ScopeName known = writer->scope.items[i];
        const size_t length = strlen(known.name), end = strlen(lane);
        if (length <= end || strcmp(known.name + length - end, lane) != 0 || lower_block_writes(&stmt->body, known.var) == 0) continue;
        const bool kept = !writer_is_set_before_read(&stmt->body, known.var), read = is_read_behind(writer, block, at, known.var);
        vec_push(writer->arena, &carried, ((Carried){.var = known.var, .place = known.name, .kept = kept, .read_behind = read}));
    }
    return carried;
}

static void declare_ends(Writer *writer, CarriedVec *carried, int indent) {
    for (size_t i = 0; i < carried->count; i++) {
        Carried *it = &carried->items[i];
        if (!it->kept || !it->read_behind) continue;
        const char *name = writer_fresh(writer, arena_printf(writer->arena, "%s_end", emit_symbol(writer->emit, it->var)));
        writer_line(writer, indent, "%s[%s];", emit_declarator(writer->arena, writer_lane_type(writer, it->var), name), writer->lanes.room);
        it->end = in_lane(writer, name);
    }
}

static void begin_round(Writer *writer, CarriedVec *carried, int indent) {
    for (size_t i = 0; i < carried->count; i++) {
        Carried *it = &carried->items[i];
        it->now = writer_fresh(writer, arena_printf(writer->arena, "%s_now", emit_symbol(writer->emit, it->var)));
        writer_line(writer, indent, "%s%s;", emit_declarator(writer->arena, writer_local_type(writer, it->var), it->now),
                    it->kept ? arena_printf(writer->arena, " = %s", it->place) : "");
        if (!it->kept && !it->read_behind) writer_line(writer, indent, "(void)%s;", it->place); /* each round sets it anew */
        vec_push(writer->arena, &writer->scope, ((ScopeName){it->var, it->now}));
    }
}

/* Locals of the block around that no other statement mentions. */
static void declare_own(Writer *writer, const Block *block, const Block *alone, int indent) {
    for (size_t i = 0; i < block->locals.count; i++) {
        const Var *var = block->locals.items[i];
        if (writer_find(writer, var) == NULL && lower_block_mentions(alone, var)) writer_declare_zeroed(writer, var, indent);
    }
}

static void end_round(Writer *writer, const CarriedVec *carried, const char *goes_on, int indent) {
    for (size_t i = 0; i < carried->count; i++) {
        const Carried *it = &carried->items[i];
        if (it->end) writer_line(writer, indent, "%s = %s;", it->end, it->now);
        if (it->kept) writer_line(writer, indent, "%s = %s ? %s : %s;", it->place, goes_on, it->now, it->place);
        else if (it->read_behind) writer_line(writer, indent, "%s = %s;", it->place, it->now);
    }
}

static void take_results(Writer *writer, const CarriedVec *carried, int indent) {
    const WriterLanes *lanes = &writer->lanes;
    bool any = false;
    for (size_t i = 0; i < carried->count; i++) any |= carried->items[i].end != NULL;
    if (!any) return;
    writer_line(writer, indent, "HP5_INDEPENDENT");
    writer_line(writer, indent, "for (int64_t %s = 0; %s < %s; %s++) {", lanes->lane, lanes->lane, lanes->count, lanes->lane);
    for (size_t i = 0; i < carried->count; i++)
        if (carried->items[i].end) writer_line(writer, indent + 4, "%s = %s;", carried->items[i].place, carried->items[i].end);
    writer_line(writer, indent, "}");
}

/* As wide as what the rounds carry: vectors have one of it beside each. */
static const char *flag_type(Writer *writer, const CarriedVec *carried) {
    for (size_t i = 0; i < carried->count; i++) {
        const char *type = writer_local_type(writer, carried->items[i].var);
        if (strcmp(type, "double") == 0 || strcmp(type, "int64_t") == 0) return "int64_t";
    }
    return "int32_t";
}

/* The loop, for names in its text: of what its rounds carry, and of whether they go on. */
typedef struct WhileLoop { const Block *block; const Stmt *stmt; const Block *alone; CarriedVec carried; const char *type, *goes, *goes_on; } WhileLoop;

/* A round of one lane. */
static void print_round(Writer *writer, WhileLoop *loop, int indent) {
    writer_declare_lane_index(writer, loop->alone, indent);
    begin_round(writer, &loop->carried, indent);
    declare_own(writer, loop->block, loop->alone, indent);
    writer_declare_for_condition(writer, loop->stmt, indent);
    writer_block(writer, &loop->stmt->body, indent);
    writer_line(writer, indent, "const %s %s = %s;", loop->type, loop->goes_on, writer_expr(writer, loop->stmt->value));
    end_round(writer, &loop->carried, loop->goes_on, indent);
    writer_line(writer, indent, "%s[%s] = %s;", loop->goes, writer->lanes.lane, loop->goes_on);
}

void writer_while_in_lanes(Writer *writer, const Block *block, size_t at, int indent) {
    const WriterLanes *lanes = &writer->lanes;
    void (*const loop_body)(Writer *, const Block *, int) = writer->loop_body;
    const size_t mark = writer->scope.count;
    const Block alone = {.statements = {.items = block->statements.items + at, .count = 1}};
    const char *going = writer_fresh(writer, "going");
    WhileLoop loop = {.block = block, .stmt = block->statements.items[at], .alone = &alone, .carried = find_carried(writer, block, at),
                      .goes = writer_fresh(writer, "goes"), .goes_on = writer_fresh(writer, "goes_on")};
    loop.type = flag_type(writer, &loop.carried);
    writer->loop_body = NULL;
    writer_line(writer, indent, "{");
    declare_ends(writer, &loop.carried, indent + 4);
    writer_line(writer, indent + 4, "%s %s[%s], %s;", loop.type, loop.goes, lanes->room, going);
    writer_line(writer, indent + 4, "do {");
    writer_line(writer, indent + 8, "%s = 0;", going);
    writer_line(writer, indent + 8, "HP5_IN_VECTORS");
    writer_line(writer, indent + 8, "for (int64_t %s = 0; %s < %s; %s++) {", lanes->lane, lanes->lane, lanes->count, lanes->lane);
    print_round(writer, &loop, indent + 12);
    writer_line(writer, indent + 12, "%s += %s;", going, loop.goes_on);
    writer_line(writer, indent + 8, "}");
    writer_line(writer, indent + 4, "} while (%s > HP5_ALONE);", going);
    writer->scope.count = mark;
    writer_line(writer, indent + 4, "for (int64_t %s = 0; %s > 0 && %s < %s; %s++) {", lanes->lane, going, lanes->lane, lanes->count, lanes->lane);
    writer_line(writer, indent + 8, "while (%s[%s]) {", loop.goes, lanes->lane);
    print_round(writer, &loop, indent + 12);
    writer_line(writer, indent + 8, "}");
    writer_line(writer, indent + 4, "}");
    writer->scope.count = mark;
    take_results(writer, &loop.carried, indent + 4);
    writer_line(writer, indent, "}");
    writer->loop_body = loop_body;
}
