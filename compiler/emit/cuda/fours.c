/* Rounds of a thread's own loop that divide Reals or take roots, four of them side by side (runtime/card/quick.h). Between two quotients a thread does nothing else:
 * what CUDA makes of each ends in a branch. So what rounds compute for themselves is computed for four of them, statement after statement; what
 * they have in common, elements in registers, follows round by round, in their order:
 *
 *     int64_t j = j_begin;
 *     for (; j_end - j >= HP5_FOUR; j += HP5_FOUR) {
 *         double dx[HP5_FOUR];
 *         HP5_EACH_OF_FOUR(k) { dx[k] = bodies[(j + k)].x - place; }
 *         double quotient[HP5_FOUR], over[HP5_FOUR], under[HP5_FOUR];
 *         HP5_EACH_OF_FOUR(k) { over[k] = bodies[(j + k)].mass; under[k] = dx[k]; }
 *         hp5_divide_four(over, under, quotient);
 *         HP5_EACH_OF_FOUR(k) { pull = pull + quotient[k]; }
 *     }
 */
#include <string.h>
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/emit/cuda/fours.h"
#include "compiler/lower/walk_bodies.h"

/* ---- Which loops ------------------------------------------------------------------------------------------------------------ */
typedef struct Look {
    const Fours *fours;
    bool common, strange; /* an element that rounds have in common and one assigns; what may end the program, or is no plain value */
    const Var *var;
    bool mentions;
} Look;

static void note_expr(void *data, const Expr *expr) {
    Look *look = data;
    for (size_t i = 0; i < look->fours->assigned.count; i++) look->common |= expr->kind == EXPR_ELEMENT && lower_expr_equal(expr, look->fours->assigned.items[i]);
    look->strange |= expr->kind == EXPR_AT_INDEX || expr->kind == EXPR_LPU_ID || (expr->type->kind == TYPE_INTEGER && (expr->kind == EXPR_MATH || expr->kind == EXPR_CONVERT));
    look->mentions |= look->var != NULL && expr->kind == EXPR_VAR && expr->var == look->var;
}

static Look look_at(const Fours *fours, const Expr *expr, const Var *var) {
    Look look = {.fours = fours, .var = var};
    lower_walk_expr(&(Walk){note_expr, NULL, &look}, expr);
    look.strange |= lower_expr_has_effect(expr);
    return look;
}

static bool is_double(const Expr *expr) { return expr->type->kind == TYPE_REAL_DOUBLE; }
static bool is_quotient(const Expr *expr) { return expr->kind == EXPR_BINARY && expr->op == OP_DIV && is_double(expr); }
static bool is_root(const Expr *expr) { return expr->kind == EXPR_MATH && is_double(expr) && expr->arguments.count == 1 && strcmp(expr->math, "sqrt") == 0; }

/* What is evaluated in each round, whatever the values are. */
static int count_quotients(const Fours *fours, const Expr *expr) {
    if (expr == NULL || (expr->kind != EXPR_BINARY && expr->kind != EXPR_UNARY && expr->kind != EXPR_MATH && expr->kind != EXPR_CONVERT)) return 0;
    const bool chooses = expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR);
    int count = (is_quotient(expr) || is_root(expr)) && !look_at(fours, expr, NULL).common;
    count += count_quotients(fours, expr->left) + (chooses ? 0 : count_quotients(fours, expr->right));
    for (size_t i = 0; i < expr->arguments.count; i++) count += count_quotients(fours, expr->arguments.items[i]);
    return count;
}

bool four_is_scalar(const Type *type) { return type->kind == TYPE_INTEGER || type_is_real(type) || type->kind == TYPE_BOOLEAN; }

/* A local of the round that gets its only value here: nothing names it before. */
static bool is_value(const Fours *fours, const Block *block, size_t at) {
    const Stmt *stmt = block->statements.items[at];
    const Var *var = stmt->target->kind == EXPR_VAR ? stmt->target->var : NULL;
    bool own = false;
    for (size_t i = 0; var != NULL && i < block->locals.count; i++) own |= block->locals.items[i] == var;
    if (!own || !four_is_scalar(var->type) || lower_block_writes(block, var) != 1 || look_at(fours, stmt->value, var).mentions) return false;
    for (size_t i = 0; i < at; i++)
        if (look_at(fours, block->statements.items[i]->value, var).mentions || look_at(fours, block->statements.items[i]->target, var).mentions) return false;
    return !look_at(fours, stmt->value, NULL).common;
}

static bool is_of_all(const Stmt *stmt, const Fours *fours) {
    const Expr *place = stmt->target;
    while (place->kind == EXPR_FIELD) place = place->left;
    for (size_t i = 0; i < fours->assigned.count; i++)
        if (lower_expr_equal(place, fours->assigned.items[i])) return true;
    return false;
}

static bool goes_in_fours(const Fours *fours, const Block *block) {
    int quotients = 0;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind != STMT_ASSIGN || look_at(fours, stmt->value, NULL).strange) return false;
    }
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (!is_value(fours, block, i) && !is_of_all(stmt, fours)) return false;
        quotients += count_quotients(fours, stmt->value);
    }
    return quotients > 0;
}

/* ---- Their text ------------------------------------------------------------------------------------------------------------- */
Expr *cuda_stand_in(Arena *arena, const Expr *expr, const char *text) {
    Expr *copy = ARENA_NEW(arena, Expr);
    Var *var = ARENA_NEW(arena, Var);
    *var = (Var){.kind = VAR_COORDINATOR, .type = expr->type, .id = -1, .name = text};
    *copy = (Expr){.kind = EXPR_VAR, .type = expr->type, .span = expr->span, .var = var};
    return copy;
}

Expr *four_stand_in(const Fours *fours, const Expr *expr, const char *name) {
    Arena *arena = fours->writer->arena;
    return cuda_stand_in(arena, expr, arena_printf(arena, "%s[%s]", name, fours->lane));
}

/* The text that follows is the next piece. */
static void begin_piece(Fours *fours) {
    Text *piece = ARENA_NEW(fours->writer->arena, Text);
    *piece = (Text){0};
    vec_push(fours->writer->arena, &fours->pieces, piece);
    fours->writer->out = piece;
}

static const char *print_operand(Fours *fours, const Expr *expr, const char *wanted, int indent) {
    const char *read = four_read_name(fours, expr);
    if (read) return read;
    const char *name = writer_fresh(fours->writer, wanted);
    writer_line(fours->writer, indent, "double %s[HP5_FOUR];", name);
    writer_line(fours->writer, indent, "HP5_EACH_OF_FOUR(%s) { %s[%s] = %s; }", fours->lane, name, fours->lane, writer_expr(fours->writer, expr));
    return name;
}

/* The expression with quotients and roots computed before it; itself where there are none. */
static const Expr *take_quotients(Fours *fours, const Expr *expr, int indent) {
    if (expr == NULL || count_quotients(fours, expr) == 0) return expr;
    Writer *writer = fours->writer;
    Expr *copy = ARENA_NEW(writer->arena, Expr);
    *copy = *expr;
    copy->arguments = (ExprVec){0};
    copy->left = (Expr *)take_quotients(fours, expr->left, indent);
    if (expr->kind != EXPR_BINARY || (expr->op != OP_AND && expr->op != OP_OR)) copy->right = (Expr *)take_quotients(fours, expr->right, indent);
    for (size_t i = 0; i < expr->arguments.count; i++) vec_push(writer->arena, &copy->arguments, (Expr *)take_quotients(fours, expr->arguments.items[i], indent));
    if ((!is_quotient(expr) && !is_root(expr)) || look_at(fours, expr, NULL).common) return copy;
    const bool root = is_root(expr);
    const char *over = print_operand(fours, root ? copy->arguments.items[0] : copy->left, root ? "square" : "over", indent);
    const char *under = root ? NULL : print_operand(fours, copy->right, "under", indent), *name = writer_fresh(writer, root ? "root" : "quotient");
    writer_line(writer, indent, "double %s[HP5_FOUR];", name);
    begin_piece(fours);
    if (root) writer_line(writer, indent, "hp5_root_four(%s, %s);", over, name);
    else writer_line(writer, indent, "hp5_divide_four(%s, %s, %s);", over, under, name);
    begin_piece(fours);
    return four_stand_in(fours, expr, name);
}

static Stmt *with_value(Fours *fours, const Stmt *stmt, const Expr *value) {
    Stmt *copy = ARENA_NEW(fours->writer->arena, Stmt);
    *copy = *stmt;
    copy->value = (Expr *)value;
    if (stmt->accumulate != ACCUMULATE_NONE) { /* x = x ± a·b */
        copy->factor_a = value->right->left;
        copy->factor_b = value->right->right;
    }
    return copy;
}

static void print_value(Fours *fours, const Stmt *stmt, int indent) {
    Writer *writer = fours->writer;
    const Var *var = stmt->target->var;
    if (writer_is_unread(writer, var)) return;
    const Stmt *taken = with_value(fours, stmt, take_quotients(fours, stmt->value, indent));
    const char *name = writer_declare(writer, var);
    writer_line(writer, indent, "%s %s[HP5_FOUR];", writer_local_type(writer, var), name);
    vec_push(writer->arena, &writer->scope, ((ScopeName){var, arena_printf(writer->arena, "%s[%s]", name, fours->lane)}));
    writer_line(writer, indent, "HP5_EACH_OF_FOUR(%s) {", fours->lane);
    writer_stmt(writer, taken, indent + 4);
    writer_line(writer, indent, "}");
}

static void print_fours(Fours *fours, const Block *block, int indent) {
    Writer *writer = fours->writer;
    Text *const out = writer->out;
    const size_t mark = writer->scope.count;
    VEC(const Stmt *) common = {0};
    fours->lane = writer_fresh(writer, "k");
    four_find_reads(fours, block);
    const int inside = four_inside(fours, indent);
    begin_piece(fours);
    vec_push(writer->arena, &writer->scope, ((ScopeName){fours->index, arena_printf(writer->arena, "(%s + %s)", fours->name, fours->lane)}));
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = with_value(fours, block->statements.items[i], four_with_reads(fours, block->statements.items[i]->value));
        if (stmt->target->kind == EXPR_VAR) print_value(fours, stmt, inside);
        else vec_push(writer->arena, &common, with_value(fours, stmt, take_quotients(fours, stmt->value, inside)));
    }
    writer_line(writer, inside, "HP5_EACH_OF_FOUR(%s) {", fours->lane);
    for (size_t i = 0; i < common.count; i++) writer_stmt(writer, common.items[i], inside + 4);
    writer_line(writer, inside, "}");
    writer->out = out;
    four_print_loop(fours, indent);
    writer->scope.count = mark;
}

void cuda_own_loop(Fours *fours, const Block *block, const Var *index, const char *first, const char *last, int indent) {
    Writer *writer = fours->writer;
    const char *name = writer_find(writer, index) ? writer_find(writer, index) : writer_declare(writer, index);
    if (goes_in_fours(fours, block)) {
        writer_line(writer, indent, "int64_t %s = %s;", name, first);
        fours->index = index;
        fours->name = name;
        fours->last = last;
        print_fours(fours, block, indent);
        writer_line(writer, 0, "#pragma unroll 1");
        writer_line(writer, indent, "for (; %s < %s; %s++) {", name, last, name);
    } else if (cuda_down(fours, block, index, first, last, indent)) {
        return;
    } else {
        writer_line(writer, indent, "for (int64_t %s = %s; %s < %s; %s++) {", name, first, name, last, name);
    }
    writer_block(writer, block, indent + 4);
    writer_line(writer, indent, "}");
}
