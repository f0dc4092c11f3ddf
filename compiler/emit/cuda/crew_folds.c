/* Loops that collect in locals of a stage, `reduce(largest, "max", x[i][j])` above all. Where the order makes no difference, as with extrema and sums of Integers, the threads of a crew share the
 * rounds, each collects in its own local, and then all of them have what these are together (runtime/card/folds.h):
 *
 *     hp5_rounds_abreast<8>(begin + crew.rank(), end, crew.size(), hp5_gives(… largest = hp5_fmaxf(largest, read.x_here1); …));
 *     hp5_fold<Hp5Largest>(worker, crew, &largest);
 *
 * A sum of Reals has its order. There the crew's first warp computes what 32 rounds add, a round each, and each of its threads adds all of it, round after round:
 *
 *     hp5_in_order(crew, begin, end, [&](int64_t j) {
 *         struct Hp5Term { float addend; };
 *         return Hp5Term{hp5_expf(x[i * x_ld1 + j] - largest)};
 *     }, [&](const auto &term) {
 *         total = total + term.addend;
 *     });
 *     hp5_from_first_warp(worker, crew, &total);
 *
 * In teams (teams.c) sequential loops that do nothing else go that way, too. Few rounds that assign nothing but locals all threads go through alike. */
#include <string.h>
#include "compiler/base/diag.h"
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/rounds.h"

/* ---- What goes that way ------------------------------------------------------------------------------------------------- */
typedef struct Look {
    const Nest *nest;
    const Stmt **folds; /* of different locals */
    size_t count, most;
    bool other; /* something else than locals is assigned, or others' code changes something */
} Look;

enum { MOST_FOLDS = 4 };

static bool is_var(const Expr *expr, const Var *var) { return expr->kind == EXPR_VAR && expr->var == var && expr->lag == 0; }

/* How the values of two threads are joined; NULL: it is no such statement. */
static const char *join_of(const Stmt *stmt) {
    const Expr *target = stmt->target, *value = stmt->value;
    if (stmt->kind != STMT_ASSIGN || stmt->accumulate != ACCUMULATE_NONE || target->kind != EXPR_VAR || target->var->kind != VAR_LOCAL) return NULL;
    const bool real = type_is_real(target->type);
    if (!real && target->type->kind != TYPE_INTEGER) return NULL;
    if (value->kind == EXPR_MATH && value->arguments.count == 2 && is_var(value->arguments.items[0], target->var)) {
        if (strcmp(value->math, real ? "fmax" : "llmax") == 0) return "Hp5Largest";
        return strcmp(value->math, real ? "fmin" : "llmin") == 0 ? "Hp5Least" : NULL;
    }
    if (real || value->kind != EXPR_BINARY || !is_var(value->left, target->var)) return NULL;
    return value->op == OP_ADD ? "Hp5Total" : value->op == OP_BITAND ? "Hp5Common" : value->op == OP_BITOR ? "Hp5Any" : NULL;
}

static void note_call(void *data, const Expr *expr) {
    Look *look = data;
    look->other |= expr->kind == EXPR_CALL && (expr->function->changes_something || expr->function->changes_lists);
    look->other |= writer_makes_list(expr);
}

static void note_stmt(void *data, const Stmt *stmt) {
    Look *look = data;
    const Block *body = &look->nest->stmt->body;
    if (stmt->kind == STMT_IF || stmt->kind == STMT_BLOCK || stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_WHILE) return; /* bodies follow */
    const Var *root = stmt->kind == STMT_ASSIGN && lower_element_of(stmt->target)->kind == EXPR_VAR && !writer_is_in_list(stmt->target) ? lower_place_root(stmt->target) : NULL;
    if (root != NULL && root->type->kind != TYPE_LIST && lower_is_local_of(body, root)) return;
    if (root == NULL || join_of(stmt) == NULL || look->count == look->most) look->other = true;
    else look->folds[look->count++] = stmt;
}

typedef struct Mentions {
    const Var *var;
    int count;
} Mentions;

static void count_mention(void *data, const Expr *expr) {
    Mentions *mentions = data;
    mentions->count += expr->kind == EXPR_VAR && expr->var == mentions->var;
}

/* In the body, in bounds and in filters. */
static int mentions_of(const Nest *nest, const Var *var) {
    Mentions mentions = {var, 0};
    const Walk walk = {count_mention, NULL, &mentions};
    lower_walk_block(&walk, &nest->stmt->body);
    return mentions.count + 3 * (lower_nest_bounds_mention(nest, var) || lower_filters_mention(nest, var));
}

static size_t find_folds(const Nest *nest, const Stmt **folds) {
    Look look = {.nest = nest, .folds = folds, .most = MOST_FOLDS};
    if (lower_short_rounds(nest->stmt) > 0 || !nest_innermost(nest)->interval) return 0;
    lower_walk_block(&(Walk){note_call, note_stmt, &look}, &nest->stmt->body);
    for (size_t i = 0; i < look.count; i++) look.other |= mentions_of(nest, folds[i]->target->var) != 2; /* the target, and what it was */
    return look.other ? 0 : look.count;
}

bool cuda_folds(const Nest *nest) {
    const Stmt *folds[MOST_FOLDS];
    return find_folds(nest, folds) > 0;
}

/* Which locals does not matter: none is an element, of an array or a list. */
static void note_other(void *data, const Stmt *stmt) {
    Look *look = data;
    if (stmt->kind == STMT_IF || stmt->kind == STMT_BLOCK || stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE) return;
    look->other |= stmt->kind != STMT_ASSIGN || lower_element_of(stmt->target)->kind != EXPR_VAR || writer_is_in_list(stmt->target) || stmt->target->type->kind == TYPE_LIST;
}

bool cuda_goes_alike(const Nest *nest) {
    Look look = {.nest = nest};
    if (lower_short_rounds(nest->stmt) == 0) return false;
    lower_walk_block(&(Walk){note_call, note_other, &look}, &nest->stmt->body);
    return !look.other;
}

/* The addend of a sum of Reals, where it is not a product. */
static const Expr *addend_of(const Stmt *stmt) {
    const Expr *value = stmt->value;
    if (value->kind != EXPR_BINARY || (value->op != OP_ADD && value->op != OP_SUB)) return NULL;
    if (is_var(value->left, stmt->target->var)) return value->right;
    return value->op == OP_ADD && is_var(value->right, stmt->target->var) ? value->left : NULL;
}

/* What a loop does alone; NULL: more, or something else. */
static const Stmt *sum_of(const Block *body) {
    Look look = {0};
    Mentions mentions = {0};
    if (body->statements.count != 1 || body->locals.count > 0) return NULL;
    const Stmt *stmt = body->statements.items[0];
    if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_VAR || stmt->target->var->kind != VAR_LOCAL || !type_is_real(stmt->target->type)) return NULL;
    if (stmt->accumulate == ACCUMULATE_NONE && addend_of(stmt) == NULL) return NULL;
    mentions.var = stmt->target->var;
    lower_walk_block(&(Walk){note_call, NULL, &look}, body);
    lower_walk_block(&(Walk){count_mention, NULL, &mentions}, body);
    return look.other || mentions.count != 2 ? NULL : stmt;
}

bool cuda_sums_in_order(const Nest *nest) {
    if (nest->has_filters || !nest_innermost(nest)->interval || lower_short_rounds(nest->stmt) > 0) return false;
    const Stmt *stmt = sum_of(&nest->stmt->body);
    return stmt != NULL && !lower_nest_bounds_mention(nest, stmt->target->var);
}

bool cuda_sums_in_sequence(const Writer *writer, const Stmt *loop) {
    if (loop->kind != STMT_SEQUENCE || lower_short_rounds(loop) > 0 || !cuda_goes_up(writer, loop)) return false;
    const Stmt *stmt = sum_of(&loop->body);
    return stmt != NULL && !lower_expr_mentions(loop->value, stmt->target->var);
}

/* ---- Its text -------------------------------------------------------------------------------------------------------------- */
/* The innermost two loops are walked as one where they may be. */
bool cuda_fold_is_square(const Nest *nest) {
    const size_t count = nest->loops.count;
    return count > 1 && cuda_is_plain(&nest->loops.items[count - 2]) && cuda_is_plain(&nest->loops.items[count - 1]);
}

static void print_rounds(Writer *writer, const Nest *nest, size_t first, int indent) {
    Shared loops = {0};
    for (size_t i = first; i < nest->loops.count; i++) vec_push(writer->arena, &loops, &nest->loops.items[i]);
    writer_line(writer, indent, "{");
    const CudaRounds rounds = cuda_rounds_of(writer, &loops, indent + 4);
    if (!cuda_rounds(writer, nest, &rounds, cuda_round_body, indent + 4)) {
        writer_line(writer, indent + 4, "%s {", rounds.head);
        writer_filters(writer, nest_innermost(nest), indent + 8);
        writer_block(writer, &nest->stmt->body, indent + 8);
        writer_line(writer, indent + 4, "}");
    }
    writer_line(writer, indent, "}");
}

void cuda_fold(Writer *writer, const Nest *nest, int indent) {
    const Stmt *folds[MOST_FOLDS];
    const char *before[MOST_FOLDS];
    const size_t count = find_folds(nest, folds), first = nest->loops.count - (cuda_fold_is_square(nest) ? 2 : 1);
    int inside = indent;
    for (size_t i = 0; i < count; i++) { /* a sum begins with nothing in each thread */
        const char *name = writer_find(writer, folds[i]->target->var);
        before[i] = strcmp(join_of(folds[i]), "Hp5Total") == 0 ? writer_fresh(writer, arena_printf(writer->arena, "%s_before", name)) : NULL;
        if (before[i] == NULL) continue;
        writer_line(writer, indent, "const auto %s = %s;", before[i], name);
        writer_line(writer, indent, "%s = 0;", name);
    }
    writer->sharing = CREW_APART;
    for (size_t i = 0; i < first; i++) inside = writer_loop_begin(writer, &nest->loops.items[i], NULL, inside);
    print_rounds(writer, nest, first, inside);
    writer->sharing = CREW_TOGETHER;
    writer_loop_end(writer, inside, indent);
    for (size_t i = 0; i < count; i++) {
        const char *name = writer_find(writer, folds[i]->target->var);
        writer_line(writer, indent, "hp5_fold<%s>(worker, crew, &%s);", join_of(folds[i]), name);
        if (before[i] != NULL) writer_line(writer, indent, "%s = %s + %s;", name, before[i], name);
    }
}

void cuda_go_alike(Writer *writer, const Nest *nest, int indent) {
    writer->sharing = CREW_APART;
    cuda_one_by_one(writer, nest, indent);
    writer->sharing = CREW_TOGETHER;
}

static void print_term(Writer *writer, const Expr *const *parts, const char *const *names, size_t count, int indent) {
    const char *members = "", *values = "";
    for (size_t i = 0; i < count; i++) {
        members = arena_printf(writer->arena, "%s %s %s;", members, emit_type(writer->emit, parts[i]->type), names[i]);
        values = arena_printf(writer->arena, "%s%s%s", values, i > 0 ? ", " : "", writer_expr(writer, parts[i]));
    }
    writer_line(writer, indent, "struct Hp5Term {%s };", members);
    writer_line(writer, indent, "return Hp5Term{%s};", values);
}

/* Behind what computes the terms. */
static void print_sum(Writer *writer, const Stmt *stmt, const char *end, const Expr *const *parts, const char *const *names, size_t count, int indent) {
    const char *term = writer_fresh(writer, "term");
    const EmitKnowns outer = writer->names.known;
    EmitKnown known[2];
    for (size_t i = 0; i < count; i++) known[i] = (EmitKnown){parts[i], arena_printf(writer->arena, "%s.%s", term, names[i]), false};
    writer_line(writer, indent, "%s, [&](const auto &%s) {", end, term);
    writer->names.known = (EmitKnowns){known, count};
    writer_stmt(writer, stmt, indent + 4);
    writer->names.known = outer;
    writer_line(writer, indent, "});");
}

/* Of a loop from `begin` to before `end`. */
static void print_in_order(Writer *writer, const Block *body, const Var *index, const char *begin, const char *end, int indent) {
    const Stmt *stmt = body->statements.items[0];
    const bool product = stmt->accumulate != ACCUMULATE_NONE;
    const Expr *const parts[] = {product ? stmt->factor_a : addend_of(stmt), stmt->factor_b};
    const char *const names[] = {product ? "factor" : "addend", "other"};
    const size_t count = product && !lower_expr_equal(parts[0], parts[1]) ? 2 : 1, kept = writer->kept.count, mark = writer->scope.count;
    const char *name = writer_declare(writer, index);
    const Elements early = cuda_read_early(writer, body, NULL, &(ExprVec){0});
    if (early.count > 0) {
        const char *read = writer_fresh(writer, "read");
        writer_line(writer, indent, "hp5_in_order(crew, %s, %s, hp5_gives([&]([[maybe_unused]] int64_t %s) {", begin, end, name);
        cuda_print_early(writer, &early, NULL, indent + 4);
        writer_line(writer, indent, "}, [&]([[maybe_unused]] int64_t %s, [[maybe_unused]] const auto &%s) {", name, read);
        cuda_keep_early(writer, &early, read, indent + 4);
    } else {
        writer_line(writer, indent, "hp5_in_order(crew, %s, %s, [&]([[maybe_unused]] int64_t %s) {", begin, end, name);
    }
    print_term(writer, parts, names, count, indent + 4);
    writer->kept.count = kept;
    print_sum(writer, stmt, early.count > 0 ? "})" : "}", parts, names, count, indent);
    writer->scope.count = mark;
}

static void print_known(Writer *writer, const Block *body, int indent) {
    writer_line(writer, indent, "hp5_from_first_warp(worker, crew, &%s);", writer_find(writer, body->statements.items[0]->target->var));
}

void cuda_sum_in_order(Writer *writer, const Nest *nest, int indent) {
    int inside = indent;
    char *begin, *end;
    if (!writer->in_team && strcmp(writer->crew, "HP5_WARP_TIER") != 0 && cuda_is_first_remark(writer, nest->stmt))
        diag_remark(writer->emit->diags, R_CARD_ALONE, nest->stmt->span, "one warp of %s adds up what this loop gives, in order: to a Reduction of the task all threads add",
                    strcmp(writer->crew, "HP5_CARD_TIER") == 0 ? "the card" : "each multiprocessor");
    writer->sharing = CREW_APART;
    for (size_t i = 0; i + 1 < nest->loops.count; i++) inside = writer_loop_begin(writer, &nest->loops.items[i], NULL, inside);
    writer_loop_bounds(writer, nest_innermost(nest), NULL, &begin, &end);
    print_in_order(writer, &nest->stmt->body, nest_innermost(nest)->index->var, begin, end, inside);
    writer->sharing = CREW_TOGETHER;
    writer_loop_end(writer, inside, indent);
    print_known(writer, &nest->stmt->body, indent);
}

void cuda_sum_in_sequence(Writer *writer, const Stmt *loop, int indent) {
    const char *first, *last;
    const size_t mark = writer->scope.count;
    writer_line(writer, indent, "{");
    cuda_print_ends(writer, loop, &first, &last, indent + 4);
    writer->sharing = CREW_APART;
    print_in_order(writer, &loop->body, loop->index, first, arena_printf(writer->arena, "hp5_after(%s)", last), indent + 4);
    writer->sharing = CREW_TOGETHER;
    writer->scope.count = mark;
    writer_line(writer, indent, "}");
    print_known(writer, &loop->body, indent);
}
