/* Teams: loops that a crew shares, and that have loops inside which threads could share as well. A round each for every thread is well where there are many of them, and what stands inside is short. Where
 * there are few rounds, most threads would have nothing to do, and where loops inside go along rows of arrays neighbouring threads would read what lies a row apart. There warps or blocks of the
 * crew take rounds, and their threads share what stands inside, as in a stage of their own (runtime/card/folds.h):
 *
 *     const Hp5Tier teams = hp5_team_tier(crew, i_end - i_begin, Hp5Inside{x_view->part[1].end - x_view->part[1].begin, 2, 1, 0, true});
 *     if (teams != HP5_LANE_TIER) {
 *         hp5_in_teams<HP5_BLOCK_TIER>(teams, i_begin, i_end, [&](auto team, int64_t i) {
 *             constexpr Hp5Crew crew = {decltype(team)::tier};
 *             …
 *         });
 *     } else {
 *         …                                                        (each thread its own rounds)
 *     }
 *
 * Which it is shows when the stage runs. Nobody waits for another team. */
#include <string.h>
#include "compiler/base/diag.h"
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/rounds.h"

enum { LARGEST = 600 /* expressions of a body, which is compiled two or three times */, USUAL_LENGTH = 64 /* of a loop of which it is not known */ };

typedef struct Team {
    Writer *writer;
    const Nest *nest;
    int shared, ordered, alone, size;
    int along, across; /* elements that move to their neighbours with the innermost index inside; with the one of the nest */
    VEC(const char *) lengths; /* different ones */
    bool other;
} Team;

/* ---- What stands inside -------------------------------------------------------------------------------------------------- */
static void note_expr(void *data, const Expr *expr) {
    Team *team = data;
    team->size++;
    team->other |= expr->kind == EXPR_CALL && expr->function->changes_something;
}

static void note_stmt(void *data, const Stmt *stmt) {
    Team *team = data;
    team->other |= stmt->kind == STMT_EXTERN || stmt->kind == STMT_RETURN || stmt->kind == STMT_REDUCE || stmt->kind == STMT_CALL;
    team->other |= cuda_changes_elements(stmt);
}

typedef struct Told {
    const Nest *nest;
    bool found; /* data, or what a round has computed */
} Told;

static void note_data(void *data, const Expr *expr) {
    Told *told = data;
    told->found |= expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX;
    told->found |= expr->kind == EXPR_VAR && lower_is_local_of(&told->nest->stmt->body, expr->var);
}

/* How long the loop is data tell: rows of a sparse matrix, which are short. */
static bool is_of_data(const Team *team, const LoopIndex *index) {
    Told told = {team->nest, false};
    const Walk walk = {note_data, NULL, &told};
    if (index->domain_range != NULL) lower_walk_expr(&walk, index->domain_range);
    for (size_t i = 0; i < index->lower.count; i++) lower_walk_expr(&walk, index->lower.items[i]);
    for (size_t i = 0; i < index->upper.count; i++) lower_walk_expr(&walk, index->upper.items[i]);
    return told.found;
}

typedef struct Ways {
    Team *team;
    const Var *index; /* of the innermost loop inside */
} Ways;

static bool moves_to_neighbour(const Team *team, const Expr *element, const Var *index) {
    const int fastest = lower_fastest_dimension(team->writer->use, element);
    for (int d = 0; d < (int)element->arguments.count; d++)
        if (d != fastest && lower_expr_mentions(element->arguments.items[d], index)) return false;
    return lower_expr_mentions(element->arguments.items[fastest], index);
}

static void note_way(void *data, const Expr *expr) {
    const Ways *ways = data;
    if (expr->kind != EXPR_ELEMENT || expr->arguments.count == 0) return;
    ways->team->along += moves_to_neighbour(ways->team, expr, ways->index);
    ways->team->across += moves_to_neighbour(ways->team, expr, nest_innermost(ways->team->nest)->index->var);
}

static const char *usual_length(const Team *team) { return arena_printf(team->writer->arena, "(int64_t)%d", USUAL_LENGTH); }

/* About how long the nest's loops are, as is known in front of the team's. */
static const char *length_of(Team *team, const Nest *inside) {
    const char *length = NULL;
    for (size_t i = 0; i < inside->loops.count; i++) {
        const Loop *loop = &inside->loops.items[i];
        bool known = loop->domain_var != NULL || (lower_is_same_everywhere(team->nest, loop->index->domain_range) && lower_is_same_everywhere(inside, loop->index->domain_range));
        const char *rounds = known ? cuda_rounds_text(team->writer, inside, loop) : usual_length(team);
        length = length == NULL ? rounds : arena_printf(team->writer->arena, "(%s) * (%s)", length, rounds);
    }
    return length;
}

static void note_length(Team *team, const char *length) {
    for (size_t i = 0; i < team->lengths.count; i++)
        if (strcmp(team->lengths.items[i], length) == 0) return;
    vec_push(team->writer->arena, &team->lengths, length);
}

static const char *longest(const Team *team) {
    const char *length = team->lengths.items[0];
    for (size_t i = 1; i < team->lengths.count; i++) length = arena_printf(team->writer->arena, "hp5_max(%s, %s)", length, team->lengths.items[i]);
    return length;
}

static void note_loops(Team *team, const Block *block);

static void note_nest(Team *team, const Stmt *stmt) {
    const Nest *inside = lower_nest_of(team->writer->code, stmt);
    if (lower_short_rounds(stmt) > 0) return;
    bool of_data = false;
    for (size_t i = 0; i < inside->loops.count; i++) of_data |= is_of_data(team, inside->loops.items[i].index);
    const CrewManner manner = cuda_manner(team->writer->code, inside);
    team->other |= manner == CREW_TILES;
    if (manner == CREW_AS_ONE) {
        note_loops(team, &stmt->body);
        return;
    }
    const bool shared = !of_data && (manner == CREW_SHARES || manner == CREW_FOLDS), ordered = !of_data && manner == CREW_SUMS_IN_ORDER;
    team->shared += shared;
    team->ordered += ordered;
    team->alone += !shared && !ordered;
    if (!shared && !ordered) return;
    lower_walk_block(&(Walk){note_way, NULL, &(Ways){team, nest_innermost(inside)->index->var}}, &stmt->body);
    note_length(team, length_of(team, inside));
}

static bool is_sum(Team *team, const Stmt *stmt) {
    Told told = {team->nest, false};
    if (!cuda_sums_in_sequence(team->writer, stmt)) return false;
    lower_walk_expr(&(Walk){note_data, NULL, &told}, stmt->value);
    return !told.found;
}

static void note_sequence(Team *team, const Stmt *stmt) {
    if (is_sum(team, stmt)) {
        const bool known = lower_is_same_everywhere(team->nest, stmt->value);
        team->ordered++;
        lower_walk_block(&(Walk){note_way, NULL, &(Ways){team, stmt->index}}, &stmt->body);
        note_length(team, known ? arena_printf(team->writer->arena, "hp5_range_length(%s)", writer_expr(team->writer, stmt->value)) : usual_length(team));
        return;
    }
    const int before = team->shared + team->ordered + team->alone;
    note_loops(team, &stmt->body);
    if (team->shared + team->ordered + team->alone == before && lower_short_rounds(stmt) == 0) team->alone++;
}

static void note_loops(Team *team, const Block *block) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_PARALLEL) note_nest(team, stmt);
        else if (stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_WHILE) note_sequence(team, stmt);
        else note_loops(team, &stmt->body);
        if (stmt->otherwise != NULL) note_loops(team, stmt->otherwise);
    }
}

/* Its own loops are all shared, and plain. */
static bool look_at(Team *team) {
    const Nest *nest = team->nest;
    if (team->writer->strict || team->writer->emit->options.checked || team->writer->in_team || nest->loops.count > 2 || nest->has_filters) return false;
    for (size_t i = 0; i < nest->loops.count; i++)
        if (nest->loops.items[i].role != ROLE_THREAD || !cuda_is_plain(&nest->loops.items[i]) || !loop_may(&nest->loops.items[i], LOOP_APART_ON_CARDS)) return false;
    lower_walk_block(&(Walk){note_expr, note_stmt, team}, &nest->stmt->body);
    if (team->other || team->size > LARGEST) return false;
    note_loops(team, &nest->stmt->body);
    if (team->along <= team->across && team->shared == 0) return false; /* neighbours of a warp read neighbours in memory, and each adds for itself */
    return !team->other && team->shared + team->ordered > 0;
}

/* ---- Its text -------------------------------------------------------------------------------------------------------------- */
bool cuda_teams(Writer *writer, const Nest *nest, int outside) {
    Team team = {.writer = writer, .nest = nest};
    if (!look_at(&team)) return false;
    const int indent = outside + 4;
    writer_line(writer, outside, "{");
    Arena *arena = writer->arena;
    const size_t mark = writer->scope.count, fixed = writer->fixed.count;
    const char *ends = "", *rounds = NULL, *params = "", *tier = writer_fresh(writer, "teams"), *name = writer_fresh(writer, "team");
    for (size_t i = 0; i < nest->loops.count; i++) {
        char *begin, *end;
        const Loop *loop = &nest->loops.items[i];
        writer_loop_bounds(writer, loop, NULL, &begin, &end);
        const char *index = loop->index->var->name;
        const char *first = writer_fresh(writer, arena_printf(arena, "%s_begin", index)), *last = writer_fresh(writer, arena_printf(arena, "%s_end", index));
        writer_line(writer, indent, "const int64_t %s = %s, %s = %s;", first, begin, last, end);
        ends = arena_printf(arena, "%s, %s, %s", ends, first, last);
        const char *here = arena_printf(arena, nest->loops.count > 1 ? "hp5_max((int64_t)0, %s - %s)" : "%s - %s", last, first);
        rounds = rounds == NULL ? here : arena_printf(arena, "%s * %s", rounds, here);
    }
    writer_line(writer, indent, "const Hp5Tier %s = hp5_team_tier(crew, %s, Hp5Inside{%s, %d, %d, %d, %s});", tier, rounds, longest(&team), team.shared, team.ordered, team.alone,
                team.along >= team.across ? "true" : "false");
    writer_line(writer, indent, "if (%s != HP5_LANE_TIER) {", tier);
    for (size_t i = 0; i < nest->loops.count; i++) params = arena_printf(arena, "%s, [[maybe_unused]] int64_t %s", params, writer_declare(writer, nest->loops.items[i].index->var));
    writer_line(writer, indent + 4, "hp5_in_teams<%s>(%s%s, [&](auto %s%s) {", writer->crew, tier, ends, name, params);
    writer_line(writer, indent + 8, "constexpr Hp5Crew crew = {decltype(%s)::tier};", name);
    writer->in_team = true;
    writer->rounds++;
    writer_block(writer, &nest->stmt->body, indent + 8);
    writer->rounds--;
    writer->in_team = false;
    writer_line(writer, indent + 4, "});");
    writer->scope.count = mark;
    writer->fixed.count = fixed;
    writer_line(writer, indent, "} else {");
    return true;
}

/* ---- What threads do alone ----------------------------------------------------------------------------------------------------- */
static void find_long(void *data, const Stmt *stmt) {
    const bool loop = stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_WHILE;
    *(bool *)data |= loop && lower_short_rounds(stmt) == 0;
}

void cuda_remark_apart(Writer *writer, const Nest *nest) {
    Emit *emit = writer->emit;
    const Loop *own = NULL;
    bool inside = false;
    for (size_t i = 0; i < nest->loops.count; i++) {
        const Loop *loop = &nest->loops.items[i];
        if (loop->role != ROLE_THREAD && own == NULL && !loop_may(loop, LOOP_ACCUMULATES)) own = loop; /* an element that accumulates is a thread's */
    }
    lower_walk_block(&(Walk){NULL, find_long, &inside}, &nest->stmt->body);
    if ((own == NULL && !inside) || !cuda_is_first_remark(writer, nest->stmt)) return;
    if (own != NULL)
        diag_remark(emit->diags, R_CARD_APART, nest->stmt->span, "one thread goes through all of '%s' in this loop: its iterations may need each other's results", own->index->var->name);
    else
        diag_remark(emit->diags, R_CARD_APART, nest->stmt->span, "one thread goes through all loops inside of an iteration: where there are fewer iterations than threads, the others wait");
}
