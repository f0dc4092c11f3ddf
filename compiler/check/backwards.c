/* Loops that were meant to count down: `Repeat for k in [n...1]`.
 *
 * A range is empty where its first end is above its last, so such a loop runs no round and nobody says so. What is
 * looked at is the range as it is written at the loop: a last end of 0 or 1, or `x.min` after `x.max`, behind a first
 * end that is a quantity of its own. `[i...1]` with the index of another loop, and ends whose order nothing tells
 * (`[first...last]`), are left alone; so is a range that was given a name before. */
#include <string.h>
#include "compiler/check/bodies.h"

static const char *text_of(Check *check, Span span) {
    return arena_copy(check->arena, check->ast->source->text + span.start, span.end - span.start);
}

static bool ends_in(const AstExpr *ast, const char *field) { return ast->kind == AST_FIELD && strcmp(ast->name.text, field) == 0; }

/* `n`, `n - 1`, `2 * n`, `x.dimension1.range.max`; not `-n`, `x.min`, a call or a constant. */
static bool is_quantity(const AstExpr *ast, const CountsUp *names, bool indices_too) {
    switch (ast->kind) {
    case AST_NAME: return indices_too || !names->is_index(names->data, ast->name.text);
    case AST_FIELD: return !ends_in(ast, "min");
    case AST_BINARY:
        if (ast->op == OP_SUB || ast->op == OP_DIV || ast->op == OP_ADD)
            return ast->right->kind == AST_INTEGER && is_quantity(ast->left, names, indices_too);
        return ast->op == OP_MUL && ast->left->kind == AST_INTEGER && is_quantity(ast->right, names, indices_too);
    default: return false;
    }
}

static bool same_text(Check *check, const AstExpr *a, const AstExpr *b) {
    return strcmp(text_of(check, a->span), text_of(check, b->span)) == 0;
}

static bool is_backwards(Check *check, const AstExpr *range, const CountsUp *names) {
    const AstExpr *first = range->left, *last = range->right;
    if (ends_in(first, "max") && ends_in(last, "min")) return same_text(check, first->left, last->left);
    if (last->kind != AST_INTEGER || last->integer < 0 || last->integer > 1) return false;
    return is_quantity(first, names, last->integer == 0);
}

void warn_backwards(Check *check, const AstExpr *range, const AstExpr *step, const CountsUp *names) {
    if (range->kind != AST_RANGE || !is_backwards(check, range, names)) return;
    const char *first = text_of(check, range->left->span), *last = text_of(check, range->right->span);
    Diag *d = diag_warning(check->diags, W_EMPTY_RANGE, range->span, "this range is empty where %s is larger than %s", first, last);
    if (names->any_order) {
        diag_help(d, "write [%s...%s]: the smallest index stands first", last, first);
        return;
    }
    bool upwards = step == NULL || step->kind == AST_INTEGER;
    const char *down = step == NULL ? "1" : text_of(check, step->span);
    diag_help(d, "to count down, write the smaller end first and a negative step: [%s...%s] step %s%s", last, first, upwards ? "-" : "",
              down);
}
