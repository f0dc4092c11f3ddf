/* Sequential loops whose rounds accumulate in elements that data tell, as sums over groups do:
 *
 *     do in sequence {
 *         home = cluster[i]
 *         do { sums[row][home][n] = sums[row][home][n] + points[i][n] } for n in points.dimension2
 *     } for i in cluster.local.dimension.range
 *
 * Sums of Reals must keep their order, but only those of one element: where nothing else is done with the array, and nobody reads what is accumulated so far, each lane of a warp may
 * run the rounds of elements of its own (runtime/card/owners.h). For each accumulation there is a call, with where a round accumulates, what, and how:
 *
 *     hp5_rows_by_owners(crew, i_first, i_last, n_begin, n_end, [&](int64_t i) -> double * {
 *         const int64_t home = cluster[i];
 *         return &sums[row * sums_ld1 + home * sums_ld2 + n_begin];
 *     }, [&](int64_t i, int64_t n) -> double { return points[i * points_ld1 + n]; }, [&](double &element, double value) { element = element + value; });
 *
 * Conditions stand in the first, and return NULL where they do not hold. All that a round names besides is known when the loop begins, but for locals of the round, which get one value.
 * Where indices that come from arrays are checked, rounds stay in their order: the first that is wrong is told. */
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/emit/cuda/fours.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/walk_bodies.h"

enum { MOST_SUMS = 4, MOST_PARTS = 12, LARGEST = 40 }; /* of a loop; expressions of what is accumulated, which is compiled for 16 rounds */

/* Of the way to a sum, in the order of the program: a local that gets its value, or what must hold, or must not. */
typedef struct Part { const Stmt *local; const Expr *condition; bool holds; } Part;

/* assign: element = element op value; way: what stands in front of it, and around it; along: the parallel loop that it stands in, or NULL. */
typedef struct Sum { const Stmt *assign; VEC(Part) way; const Loop *along; } Sum;

typedef struct Look {
    Writer *writer;
    const Stmt *loop;
    VEC(Part) way;
    VEC(Sum) sums;
    const Loop *along;
    size_t outside; /* parts of the way in front of that loop, in which there are locals alone */
    bool fails;
} Look;

/* ---- What may stand in it -------------------------------------------------------------------------------------------------- */
static bool is_known_local(const Look *look, const Var *var) {
    for (size_t i = 0; i < look->way.count; i++)
        if (look->way.items[i].local && look->way.items[i].local->target->var == var) return true;
    return var == look->loop->index || (look->along && var == look->along->index->var);
}

/* Evaluated early, or by another thread, it has the same value, and ends nothing. */
static void note_expr(void *data, const Expr *expr) {
    Look *look = data;
    const Block *body = &look->loop->body;
    look->fails |= expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX || (expr->kind == EXPR_LPU_ID && expr->left->kind != EXPR_INTEGER);
    if (expr->kind == EXPR_VAR && !is_known_local(look, expr->var)) look->fails |= writer_find(look->writer, expr->var) == NULL || lower_block_writes(body, expr->var) > 0;
    if (expr->kind == EXPR_ELEMENT) look->fails |= lower_block_writes(body, expr->var) > 0;
}

static void check(Look *look, const Expr *expr) {
    lower_walk_expr(&(Walk){note_expr, NULL, look}, expr);
    look->fails |= lower_expr_has_effect(expr);
}

static void note_change(void *data, const Expr *expr) {
    Look *look = data;
    look->fails |= expr->kind == EXPR_ELEMENT || (expr->kind == EXPR_VAR && is_known_local(look, expr->var));
}

/* The same in all rounds. */
static bool stays(const Look *outer, const Expr *expr) {
    Look look = *outer;
    check(&look, expr);
    lower_walk_expr(&(Walk){note_change, NULL, &look}, expr);
    return !look.fails;
}

static bool is_local_of(const Block *block, const Var *var) {
    for (size_t i = 0; i < block->locals.count; i++)
        if (block->locals.items[i] == var) return true;
    return false;
}

/* ---- What is accumulated --------------------------------------------------------------------------------------------------- */
static bool is_operator(const Expr *value) { return value->kind == EXPR_BINARY && (value->op == OP_ADD || value->op == OP_SUB || value->op == OP_MUL); }

/* Which it is of element op value; NULL: it has not that form. Of products see the statement's factors. */
static const Expr *operand_of(const Stmt *stmt) {
    const Expr *value = stmt->value;
    return is_operator(value) && lower_expr_equal(value->left, stmt->target) ? value->right : NULL;
}

static void count_expr(void *data, const Expr *expr) {
    (void)expr;
    ++*(int *)data;
}

typedef struct Mentions { const Var *var; size_t count; } Mentions;

static void count_mention(void *data, const Expr *expr) {
    Mentions *mentions = data;
    mentions->count += expr->kind == EXPR_ELEMENT && expr->var == mentions->var;
}

/* The index of the loop around, with something added that stays, as the subscript of neighbours in memory; the other ones do not name it. */
static bool is_beside(const Look *look, const Expr *subscript) {
    if (subscript->kind == EXPR_VAR) return subscript->var == look->along->index->var;
    if (subscript->kind != EXPR_BINARY || (subscript->op != OP_ADD && subscript->op != OP_SUB)) return false;
    if (stays(look, subscript->right)) return is_beside(look, subscript->left);
    return subscript->op == OP_ADD && stays(look, subscript->left) && is_beside(look, subscript->right);
}

/* It may differ from element to element of a row: it names the index, or a local of the loop along it. */
static bool moves(const Look *look, const Expr *subscript) {
    bool names = lower_expr_mentions(subscript, look->along->index->var);
    for (size_t i = look->outside; i < look->way.count; i++) names |= lower_expr_mentions(subscript, look->way.items[i].local->target->var);
    return names;
}

static bool lies_along(const Look *look, const Expr *target) {
    const size_t fastest = (size_t)lower_fastest_dimension(look->writer->use, target);
    if (look->along == NULL) return true;
    if (lower_has_gaps(look->writer->use, target, fastest)) return false;
    for (size_t d = 0; d < target->arguments.count; d++)
        if (d == fastest ? !is_beside(look, target->arguments.items[d]) : moves(look, target->arguments.items[d])) return false;
    return true;
}

/* An element that only this statement names the array of. */
static bool is_accumulated(const Look *look, const Stmt *stmt) {
    const Expr *target = stmt->target;
    const Formal *formal = target->kind == EXPR_ELEMENT ? lower_formal(look->writer->use, target->var) : NULL;
    Mentions mentions = {.var = target->var};
    int size = 0;
    if (formal == NULL || formal->kind != FORMAL_VIEW || !formal->restricted || writer_is_split(look->writer, target)) return false;
    if (target->type->kind != TYPE_INTEGER && !type_is_real(target->type)) return false;
    lower_walk_block(&(Walk){count_mention, NULL, &mentions}, &look->loop->body);
    lower_walk_expr(&(Walk){count_expr, NULL, &size}, stmt->value);
    return mentions.count == 2 && size <= LARGEST && lies_along(look, target) && (stmt->accumulate != ACCUMULATE_NONE || operand_of(stmt) != NULL);
}

static void note_sum(Look *look, const Stmt *stmt) {
    if (!is_accumulated(look, stmt) || look->sums.count == MOST_SUMS) {
        look->fails = true;
        return;
    }
    for (size_t d = 0; d < stmt->target->arguments.count; d++) check(look, stmt->target->arguments.items[d]);
    check(look, stmt->accumulate == ACCUMULATE_NONE ? operand_of(stmt) : stmt->factor_a);
    if (stmt->accumulate != ACCUMULATE_NONE) check(look, stmt->factor_b);
    Sum sum = {.assign = stmt, .along = look->along};
    for (size_t i = 0; i < look->way.count; i++) vec_push(look->writer->arena, &sum.way, look->way.items[i]);
    vec_push(look->writer->arena, &look->sums, sum);
}

/* ---- Which loops ----------------------------------------------------------------------------------------------------------- */
static void note_block(Look *look, const Block *block);

static void note_branch(Look *look, const Block *block, const Expr *condition, bool holds) {
    if (block == NULL) return;
    const size_t mark = look->way.count;
    vec_push(look->writer->arena, &look->way, ((Part){.condition = condition, .holds = holds}));
    note_block(look, block);
    look->way.count = mark;
}

static void note_along(Look *look, const Stmt *stmt) {
    const Nest *nest = lower_nest_of(look->writer->code, stmt);
    const Loop *loop = &nest->loops.items[0];
    look->fails |= look->along != NULL || nest->loops.count != 1 || nest->form == FORM_REDUCTION || !loop->interval || loop->index->filters.count > 0;
    for (size_t i = 0; i < loop->index->lower.count; i++) look->fails |= !stays(look, loop->index->lower.items[i]);
    for (size_t i = 0; i < loop->index->upper.count; i++) look->fails |= !stays(look, loop->index->upper.items[i]);
    look->fails |= loop->index->domain_range != NULL && !stays(look, loop->index->domain_range);
    if (look->fails) return;
    const size_t mark = look->way.count;
    look->along = loop;
    look->outside = mark;
    note_block(look, &stmt->body);
    look->along = NULL;
    look->way.count = mark;
}

/* A local of the round that gets its only value here. */
static void note_local(Look *look, const Block *block, const Stmt *stmt) {
    const Var *var = stmt->target->var;
    look->fails |= !is_local_of(block, var) || !four_is_scalar(var->type) || lower_block_writes(&look->loop->body, var) != 1 || look->way.count >= MOST_PARTS;
    check(look, stmt->value);
    vec_push(look->writer->arena, &look->way, ((Part){.local = stmt}));
}

static void note_block(Look *look, const Block *block) {
    const size_t mark = look->way.count;
    for (size_t i = 0; i < block->statements.count && !look->fails; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR) note_local(look, block, stmt);
        else if (stmt->kind == STMT_ASSIGN) note_sum(look, stmt);
        else if (stmt->kind == STMT_BLOCK) note_block(look, &stmt->body);
        else if (stmt->kind == STMT_PARALLEL) note_along(look, stmt);
        else if (stmt->kind == STMT_IF && look->along == NULL) {
            check(look, stmt->value);
            note_branch(look, &stmt->body, stmt->value, true);
            note_branch(look, stmt->otherwise, stmt->value, false);
        } else look->fails = true;
    }
    look->way.count = mark;
}

/* ---- Its text -------------------------------------------------------------------------------------------------------------- */
static bool is_wanted(const ExprVec *wanted, const Var *var) {
    for (size_t i = 0; i < wanted->count; i++)
        if (lower_expr_mentions(wanted->items[i], var)) return true;
    return false;
}

/* Which parts of the way are needed for what is wanted, which then has these, too: locals, and, for a place, what must hold. */
static bool *needed_of(Writer *writer, const Sum *sum, ExprVec *wanted, bool conditions) {
    bool *needed = ARENA_ARRAY(writer->arena, bool, sum->way.count + 1);
    for (size_t i = sum->way.count; i-- > 0;) {
        const Part *part = &sum->way.items[i];
        needed[i] = part->local ? is_wanted(wanted, part->local->target->var) : conditions;
        if (needed[i]) vec_push(writer->arena, wanted, (Expr *)(part->local ? part->local->value : part->condition));
    }
    return needed;
}

static void print_way(Writer *writer, const Sum *sum, const bool *needed, int indent) {
    for (size_t i = 0; i < sum->way.count; i++) {
        const Part *part = &sum->way.items[i];
        if (!needed[i]) continue;
        if (part->local == NULL) {
            writer_line(writer, indent, part->holds ? "if (!(%s)) return NULL;" : "if (%s) return NULL;", writer_expr(writer, part->condition));
            continue;
        }
        const char *value = writer_expr(writer, part->local->value), *type = writer_local_type(writer, part->local->target->var);
        writer_line(writer, indent, "const %s %s = %s;", type, writer_declare(writer, part->local->target->var), value);
    }
}

/* " NAME", or nothing where what is wanted does not name the variable. */
static const char *parameter(Writer *writer, const ExprVec *wanted, const Var *var) {
    return is_wanted(wanted, var) ? arena_printf(writer->arena, " %s", writer_declare(writer, var)) : "";
}

/* Where a round accumulates, along a row the first of its elements. */
static void print_place(Writer *writer, const Look *look, const Sum *sum, const char *bounds, const char *n_begin, int indent) {
    const size_t mark = writer->scope.count;
    const Expr *target = sum->assign->target;
    ExprVec wanted = {0};
    vec_push(writer->arena, &wanted, (Expr *)target);
    const bool *needed = needed_of(writer, sum, &wanted, true);
    const char *index = parameter(writer, &wanted, look->loop->index), *type = emit_storage_type(writer->emit, target->var->type->element);
    if (sum->along) vec_push(writer->arena, &writer->scope, ((ScopeName){sum->along->index->var, n_begin}));
    writer_line(writer, indent, "hp5_%sby_owners(crew, %s, [&](int64_t%s) -> %s * {", sum->along ? "rows_" : "", bounds, index, type);
    print_way(writer, sum, needed, indent + 4);
    writer_line(writer, indent + 4, "return &%s;", writer_expr(writer, target));
    writer->scope.count = mark;
}

static const char *operand_type(Writer *writer, const Sum *sum) {
    if (sum->assign->accumulate == ACCUMULATE_NONE) return emit_type(writer->emit, operand_of(sum->assign)->type);
    return arena_printf(writer->arena, "Hp5Factors<%s>", emit_type(writer->emit, sum->assign->factor_a->type));
}

static void print_operand(Writer *writer, const Look *look, const Sum *sum, int indent) {
    const size_t mark = writer->scope.count;
    const Stmt *assign = sum->assign;
    ExprVec wanted = {0};
    vec_push(writer->arena, &wanted, assign->accumulate == ACCUMULATE_NONE ? (Expr *)operand_of(assign) : assign->factor_a);
    if (assign->accumulate != ACCUMULATE_NONE) vec_push(writer->arena, &wanted, assign->factor_b);
    const bool *needed = needed_of(writer, sum, &wanted, false);
    const char *index = parameter(writer, &wanted, look->loop->index), *n = sum->along ? parameter(writer, &wanted, sum->along->index->var) : "";
    writer_line(writer, indent, "}, [&](int64_t%s%s%s) -> %s {", index, sum->along ? ", int64_t" : "", n, operand_type(writer, sum));
    print_way(writer, sum, needed, indent + 4);
    if (assign->accumulate == ACCUMULATE_NONE) writer_line(writer, indent + 4, "return %s;", writer_expr(writer, operand_of(assign)));
    else writer_line(writer, indent + 4, "return {%s, %s};", writer_expr(writer, assign->factor_a), writer_expr(writer, assign->factor_b));
    writer->scope.count = mark;
}

/* The statement, of an element and a value that are given. */
static void print_sum(Writer *writer, const Sum *sum, int indent) {
    const size_t mark = writer->scope.count;
    const char *element = writer_fresh(writer, "element"), *value = writer_fresh(writer, "value");
    Stmt copy = *sum->assign;
    Expr binary = *copy.value;
    if (copy.accumulate == ACCUMULATE_NONE) {
        binary.right = cuda_stand_in(writer->arena, binary.right, value);
        copy.value = &binary;
    } else {
        copy.factor_a = cuda_stand_in(writer->arena, copy.factor_a, arena_printf(writer->arena, "%s.a", value));
        copy.factor_b = cuda_stand_in(writer->arena, copy.factor_b, arena_printf(writer->arena, "%s.b", value));
    }
    writer_line(writer, indent, "}, [&](%s &%s, %s %s) {", emit_storage_type(writer->emit, copy.target->var->type->element), element, operand_type(writer, sum), value);
    writer->replaced = copy.target;
    writer->replacement = element;
    writer_stmt(writer, &copy, indent + 4);
    writer->replaced = NULL;
    writer_line(writer, indent, "});");
    writer->scope.count = mark;
}

static void print_call(Writer *writer, const Look *look, const Sum *sum, const char *rounds, int indent) {
    const char *bounds = rounds, *n_begin = NULL;
    if (sum->along) {
        char *begin, *end;
        const char *name = sum->along->index->var->name;
        writer_loop_bounds(writer, sum->along, NULL, &begin, &end);
        n_begin = writer_fresh(writer, arena_printf(writer->arena, "%s_begin", name));
        const char *n_end = writer_fresh(writer, arena_printf(writer->arena, "%s_end", name));
        writer_line(writer, indent, "const int64_t %s = %s, %s = %s;", n_begin, begin, n_end, end);
        bounds = arena_printf(writer->arena, "%s, %s, %s", rounds, n_begin, n_end);
    }
    print_place(writer, look, sum, bounds, n_begin, indent);
    print_operand(writer, look, sum, indent);
    print_sum(writer, sum, indent);
}

bool cuda_owners(Writer *writer, const Stmt *stmt, int indent) {
    Look look = {.writer = writer, .loop = stmt};
    if (stmt->kind != STMT_SEQUENCE || writer->use == NULL || writer->emit->options.checked || writer->strict || !cuda_goes_up(writer, stmt)) return false;
    note_block(&look, &stmt->body);
    if (look.fails || look.sums.count == 0) return false;
    const size_t mark = writer->scope.count;
    const char *first, *last;
    writer_crew_waits(writer, indent);
    writer_line(writer, indent, "{");
    writer->sharing = CREW_FIRST;
    cuda_print_ends(writer, stmt, &first, &last, indent + 4);
    for (size_t i = 0; i < look.sums.count; i++) print_call(writer, &look, &look.sums.items[i], arena_printf(writer->arena, "%s, %s", first, last), indent + 4);
    writer->sharing = CREW_TOGETHER;
    writer->scope.count = mark;
    writer_line(writer, indent, "}");
    writer_crew_waits(writer, indent);
    return true;
}
