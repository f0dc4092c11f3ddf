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

bool writer_is_written_out(Writer *writer, const Stmt *stmt) {
    if (!writer->names.in_vectors || writer->crew != NULL || writer->emit->options.checked || !lower_can_be_written_out(stmt)) return false;
    bool counted = stmt->kind != STMT_SEQUENCE || writer_is_counted(writer, stmt->value);
    for (size_t i = 0; i < stmt->indices.count; i++) counted = counted && writer_is_counted(writer, stmt->indices.items[i].domain_range);
    return counted;
}
