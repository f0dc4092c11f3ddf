/* Loops that run a few times, as their bounds say. Where C's loop ends with !=, the C compiler knows, too, how often:
 *
 *     do in sequence { … } for x in [2 * j...2 * j + 2]          for (int64_t x = 2 * j, x_end = 2 * j + 3; x != x_end; x++) { … }
 *
 * and asked to, it prints the rounds one behind the other, whatever their number: then the loop around, whose body has no loops any more,
 * goes in vectors. Of other loops, and of many conditions, it makes no more than it would by itself. */
#include "compiler/emit/program/writer.h"

#include <inttypes.h>

#include "compiler/lower/range.h"
#include "compiler/lower/rounds.h"

static bool is_small(const Expr *expr, int64_t limit) { return expr->kind == EXPR_INTEGER && expr->integer >= -limit && expr->integer <= limit; }

/* Of indices of arrays and small numbers: nothing overflows on the way. */
static bool is_far_from_limits(const Writer *writer, const Expr *expr) {
    enum { LARGEST_FACTOR = 1024 };
    if (expr->kind == EXPR_VAR) {
        for (size_t i = 0; i < writer->array_indices.count; i++)
            if (expr->var == writer->array_indices.items[i]) return true;
        return false;
    }
    if (expr->kind != EXPR_BINARY) return is_small(expr, INT32_MAX - 1);
    const Expr *left = expr->left, *right = expr->right;
    if (expr->op == OP_MUL && is_small(right, LARGEST_FACTOR)) return left->kind == EXPR_VAR && is_far_from_limits(writer, left);
    if (expr->op == OP_MUL && is_small(left, LARGEST_FACTOR)) return right->kind == EXPR_VAR && is_far_from_limits(writer, right);
    return (expr->op == OP_ADD || expr->op == OP_SUB) && is_far_from_limits(writer, left) && is_far_from_limits(writer, right);
}

char *writer_plain_after(Writer *writer, const Expr *bound) {
    if (!is_far_from_limits(writer, bound)) return NULL;
    const bool moved = bound->kind == EXPR_BINARY && (bound->op == OP_ADD || bound->op == OP_SUB) && bound->right->kind == EXPR_INTEGER;
    if (bound->kind == EXPR_INTEGER) return arena_printf(writer->arena, "%" PRId64, bound->integer + 1);
    if (!moved) return arena_printf(writer->arena, "%s + 1", writer_expr(writer, bound));
    const int64_t offset = (bound->op == OP_ADD ? bound->right->integer : -bound->right->integer) + 1;
    char *base = writer_expr(writer, bound->left);
    return offset == 0 ? base : arena_printf(writer->arena, "%s %c %" PRId64, base, offset < 0 ? '-' : '+', offset < 0 ? -offset : offset);
}

bool writer_is_counted(Writer *writer, const Expr *range) {
    return lower_trip_count(range) > 0 && is_far_from_limits(writer, range->left) && is_far_from_limits(writer, range->right);
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

bool writer_is_written_out(Writer *writer, const Stmt *stmt) {
    enum { MOST_STATEMENTS = 200, MOST_CONDITIONS = 80 };
    const size_t rounds = (size_t)lower_short_rounds(stmt);
    if (rounds == 0 || !writer->names.in_vectors || writer->crew != NULL || writer->emit->options.checked) return false;
    const Size size = size_of(&stmt->body);
    bool counted = rounds * size.statements <= MOST_STATEMENTS && rounds * size.conditions <= MOST_CONDITIONS;
    counted = counted && (stmt->kind != STMT_SEQUENCE || writer_is_counted(writer, stmt->value));
    for (size_t i = 0; i < stmt->indices.count; i++) counted = counted && writer_is_counted(writer, stmt->indices.items[i].domain_range);
    return counted;
}
