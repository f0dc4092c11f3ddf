/* See rounds.h. */
#include "compiler/lower/rounds.h"

#include "compiler/lower/range.h"

enum { WRITTEN_OUT = 16 }; /* rounds of loops that gcc replaces by copies of their bodies */

/* Rounds of a loop as its bounds say, 0: too many, or not known; the body is not looked at. */
static int known_rounds(const Stmt *stmt) {
    int64_t rounds = 1;
    if (stmt->kind == STMT_SEQUENCE && !stmt->step) rounds = lower_trip_count(stmt->value);
    else if (stmt->kind != STMT_PARALLEL) return 0;
    for (size_t i = 0; i < stmt->indices.count && rounds > 0 && rounds <= WRITTEN_OUT; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        bool counted = index->domain_range && !index->domain_var && index->lower.count + index->upper.count + index->filters.count == 0;
        int64_t here = counted ? lower_trip_count(index->domain_range) : 0;
        rounds = here > WRITTEN_OUT ? 0 : rounds * here;
    }
    return rounds > 0 && rounds <= WRITTEN_OUT ? (int)rounds : 0;
}

/* The walk comes to what is inside inner loops by itself. */
static void find_loop_inside(void *data, const Stmt *stmt) {
    bool *plain = data;
    *plain &= stmt->kind == STMT_ASSIGN || stmt->kind == STMT_IF || stmt->kind == STMT_CALL || stmt->kind == STMT_BLOCK || known_rounds(stmt) > 0;
}

int lower_short_rounds(const Stmt *stmt) {
    int rounds = known_rounds(stmt);
    bool plain = rounds > 0;
    if (plain) lower_walk_block(&(Walk){NULL, find_loop_inside, &plain}, &stmt->body);
    return plain ? rounds : 0;
}

/* What the C compiler makes of a block: statements and conditions, each as often as it runs. */
typedef struct Size { size_t statements, conditions; } Size;

static void count_condition(void *data, const Expr *expr) { *(size_t *)data += expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR); }

static Size size_of(const Block *block) {
    Size size = {0, 0};
    for (size_t i = 0; block != NULL && i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        const size_t known = (size_t)lower_short_rounds(stmt), rounds = known > 0 ? known : 1;
        const Size body = size_of(&stmt->body), otherwise = size_of(stmt->otherwise);
        size.statements += 1 + rounds * body.statements + otherwise.statements;
        size.conditions += (stmt->kind == STMT_IF) + rounds * body.conditions + otherwise.conditions;
        if (stmt->kind == STMT_IF) lower_walk_expr(&(Walk){count_condition, NULL, &size.conditions}, stmt->value);
    }
    return size;
}

bool lower_can_be_written_out(const Stmt *stmt) {
    enum { MOST_STATEMENTS = 200, MOST_CONDITIONS = 80 };
    const size_t rounds = (size_t)lower_short_rounds(stmt);
    const Size size = size_of(&stmt->body);
    return rounds > 0 && rounds * size.statements <= MOST_STATEMENTS && rounds * size.conditions <= MOST_CONDITIONS;
}
