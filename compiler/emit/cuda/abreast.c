/* Loops that a crew shares and that do not depend on each other, two as one. Where an iteration does nothing but give one element its value, three or two, and a
 * thread computes several values before it stores the first: what they read is on its way at the same time, which compilers do not dare, since
 * they do not know that the iterations are independent.
 *
 *     hp5_abreast<8>(crew, i_begin, i_end, j_begin, j_end, [&](int64_t i, int64_t j) {
 *         return x[i * x_ld1 + j] + y[i * y_ld1 + j];
 *     }, [&](int64_t i, int64_t j, double value) { z[i * z_ld1 + j] = value; });
 *
 * Filters stand in both. With hp5_turned in place of hp5_abreast where rows become columns, and as hp5_abreast<1>, one by one, where a loop of some length stands inside: while one iteration is in it
 * nothing of the next one is on its way, and where a crew has few of them the last one would be computed several times. Other iterations follow each other:
 *
 *     const Hp5Square square = hp5_square(crew, i_begin, i_end, j_begin, j_end);
 *     for (int64_t left = square.rounds, i = square.row, j = square.column; left > 0; left--, square.next(&i, &j)) { … } */
#include <string.h>
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/lower/passes.h"
#include "compiler/lower/walk_bodies.h"

enum { LARGEST = 160, SMALL = 80 }; /* expressions of a body that is compiled 2 * ROUNDS_FEW times, of one that is 2 * ROUNDS_MANY times */

Shared cuda_shared_loops(Writer *writer, const Nest *nest) {
    Shared loops = {0};
    for (size_t i = 0; i < nest->loops.count; i++)
        if (nest->loops.items[i].role == ROLE_THREAD) vec_push(writer->arena, &loops, &nest->loops.items[i]);
    return loops;
}

bool cuda_is_plain(const Loop *loop) {
    return loop->interval && loop_may(loop, LOOP_RECTANGULAR) && loop->index->filters.count == 0;
}

/* Its bounds name no index. */
static bool is_free(const Nest *nest, const Loop *loop) {
    for (size_t i = 0; i < nest->loops.count; i++)
        if (lower_bounds_mention(loop->index, nest->loops.items[i].index->var)) return false;
    return loop->interval;
}

/* What stands inside of them may be bounded by them, and have filters, as the last one. */
bool cuda_is_walked(const Nest *nest, const Shared *loops) {
    const size_t last = loops->count - 1;
    return is_free(nest, loops->items[last]) && (last == 0 || (is_free(nest, loops->items[last - 1]) && loops->items[last - 1]->index->filters.count == 0));
}

bool cuda_is_square(const Nest *nest) {
    if (nest->loops.count < 2 || nest->has_filters) return false;
    for (size_t i = nest->loops.count - 2; i < nest->loops.count; i++)
        if (!cuda_is_plain(&nest->loops.items[i]) || !loop_may(&nest->loops.items[i], LOOP_APART_ON_CARDS)) return false;
    return true;
}

typedef struct Square { const char *name, *i, *j, *head; } Square;

/* The last two as one, whose Hp5Square it prints. */
static Square print_square(Writer *writer, const Shared *loops, int indent) {
    const Loop *first = loops->items[loops->count - 2], *second = loops->items[loops->count - 1];
    char *i_begin, *i_end, *j_begin, *j_end;
    writer_loop_bounds(writer, first, NULL, &i_begin, &i_end);
    writer_loop_bounds(writer, second, NULL, &j_begin, &j_end);
    const char *name = writer_fresh(writer, "square"), *left = writer_fresh(writer, "left");
    const char *i = writer_declare(writer, first->index->var), *j = writer_declare(writer, second->index->var);
    writer_line(writer, indent, "const Hp5Square %s = hp5_square(crew, %s, %s, %s, %s);", name, i_begin, i_end, j_begin, j_end);
    const char *head = arena_printf(writer->arena, "for (int64_t %s = %s.rounds, %s = %s.row, %s = %s.column; %s > 0; %s--, %s.next(&%s, &%s))", left, name, i, name, j, name, left, left,
                                    name, i, j);
    return (Square){name, i, j, head};
}

CudaRounds cuda_rounds_of(Writer *writer, const Shared *loops, int indent) {
    Arena *arena = writer->arena;
    if (loops->count > 1) {
        const Square square = print_square(writer, loops, indent);
        return (CudaRounds){square.name, arena_printf(arena, "[[maybe_unused]] int64_t %s, [[maybe_unused]] int64_t %s", square.i, square.j), square.head};
    }
    char *begin, *end;
    writer_loop_bounds(writer, loops->items[0], NULL, &begin, &end);
    const char *index = writer_declare(writer, loops->items[0]->index->var), *stop = writer_fresh(writer, arena_printf(arena, "%s_end", index));
    return (CudaRounds){arena_printf(arena, "%s + crew.rank(), %s, crew.size()", begin, end), arena_printf(arena, "[[maybe_unused]] int64_t %s", index),
                        arena_printf(arena, "for (int64_t %s = %s + crew.rank(), %s = %s; %s < %s; %s += crew.size())", index, begin, stop, end, index, stop, index)};
}

/* ---- Four at a time ---------------------------------------------------------------------------------------------------------- */
typedef struct Iteration {
    const Block *block;
    const Expr *target;
    int size;
    bool fits, reads; /* reads: the element's own value */
    bool long_one;    /* has loops of some length */
} Iteration;

static bool mentions_local(const Block *block, const Expr *expr) {
    for (size_t i = 0; i < block->locals.count; i++)
        if (lower_expr_mentions(expr, block->locals.items[i])) return true;
    return false;
}

static void note_expr(void *data, const Expr *expr) {
    Iteration *body = data;
    body->size++;
    if (expr == body->target) return;
    body->fits &= expr->kind != EXPR_CALL;
    body->reads |= lower_expr_equal(expr, body->target);
}

static void note_call(void *data, const Expr *expr) {
    Iteration *body = data;
    body->size++;
    body->fits &= expr->kind != EXPR_CALL;
}

/* How many rounds that takes data tell, or what the iteration has computed. */
static void note_bound(void *data, const Expr *expr) {
    Iteration *body = data;
    body->fits &= expr->kind != EXPR_ELEMENT && !mentions_local(body->block, expr);
}

static void note_bounds(Iteration *body, const ExprVec *bounds) {
    for (size_t i = 0; i < bounds->count; i++) lower_walk_expr(&(Walk){note_bound, NULL, body}, bounds->items[i]);
}

/* A loop inside with as many rounds as it happens to have: nothing of an iteration is on its way while another one is in such a loop, and each would be printed as often as iterations go abreast. */
static void note_loop(Iteration *body, const Stmt *stmt) {
    if (stmt->kind == STMT_SEQUENCE) lower_walk_expr(&(Walk){note_bound, NULL, body}, stmt->value);
    for (size_t i = 0; stmt->kind == STMT_PARALLEL && i < stmt->indices.count; i++) {
        const LoopIndex *index = &stmt->indices.items[i];
        if (index->domain_range) lower_walk_expr(&(Walk){note_bound, NULL, body}, index->domain_range);
        note_bounds(body, &index->lower);
        note_bounds(body, &index->upper);
    }
}

/* Everything but the end computes locals. */
static void note_stmt(void *data, const Stmt *stmt) {
    Iteration *body = data;
    const bool last = stmt == body->block->statements.items[body->block->statements.count - 1];
    const bool local = stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR;
    const bool loop = stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE || stmt->kind == STMT_IF || stmt->kind == STMT_BLOCK;
    body->fits &= last || local || loop;
    note_loop(body, stmt);
}

/* Locals from outside that an iteration changes would be everyone's. */
static void find_foreign(void *data, const Stmt *stmt) {
    Iteration *body = data;
    if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_VAR) return;
    for (size_t i = 0; i < body->block->locals.count; i++)
        if (body->block->locals.items[i] == stmt->target->var) return;
    body->fits = false;
}

static Iteration look_at(Writer *writer, const Nest *nest, const Shared *loops) {
    const Block *block = &nest->stmt->body;
    Iteration body = {.block = block};
    if (loops->count != nest->loops.count || block->statements.count == 0) return body;
    const Stmt *last = block->statements.items[block->statements.count - 1];
    if (last->kind != STMT_ASSIGN || last->target->kind != EXPR_ELEMENT || writer_is_split(writer, last->target) || mentions_local(block, last->target)) return body;
    body.target = last->target;
    body.fits = true;
    body.long_one = cuda_takes_long(block);
    lower_walk_block(&(Walk){note_expr, note_stmt, &body}, block);
    lower_walk_block(&(Walk){NULL, find_foreign, &body}, block);
    const ExprVec *filters = &loops->items[loops->count - 1]->index->filters;
    for (size_t f = 0; f < filters->count; f++) lower_walk_expr(&(Walk){note_call, NULL, &body}, filters->items[f]);
    body.fits &= body.size <= LARGEST;
    return body;
}

/* What the threads walk along, as the first arguments. */
static const char *way_of(Writer *writer, const Shared *loops) {
    char *begin, *end, *way = arena_strdup(writer->arena, "crew");
    for (size_t i = 0; i < loops->count; i++) {
        writer_loop_bounds(writer, loops->items[i], NULL, &begin, &end);
        way = arena_printf(writer->arena, "%s, %s, %s", way, begin, end);
    }
    return way;
}

/* ---- Rows that become columns --------------------------------------------------------------------------------------------------- */
/* Neighbours along the index lie side by side. */
static bool moves_along(const Expr *element, const Var *index) {
    if (element->arguments.count == 0) return false;
    for (size_t i = 0; i + 1 < element->arguments.count; i++)
        if (lower_expr_mentions(element->arguments.items[i], index)) return false;
    return lower_expr_mentions(element->arguments.items[element->arguments.count - 1], index);
}

typedef struct Turns {
    const Expr *target;
    const Var *of_target, *other;
    bool along_target, along_other; /* elements that are read */
} Turns;

static void note_way(void *data, const Expr *expr) {
    Turns *turns = data;
    if (expr->kind != EXPR_ELEMENT || expr == turns->target) return;
    turns->along_target |= moves_along(expr, turns->of_target);
    turns->along_other |= moves_along(expr, turns->other);
}

/* The element that gets the value has its neighbours along one of the two loops, and what is read along the other one alone: *way gets the former as its first. */
static bool is_turned(Writer *writer, const Iteration *body, const Shared *loops, Shared *way) {
    const TypeKind kind = body->target->var->type->element->kind;
    if (loops->count < 2 || kind == TYPE_STRUCT || kind == TYPE_STATIC_ARRAY || body->reads || loops->items[loops->count - 1]->index->filters.count > 0) return false;
    const Loop *outer = loops->items[loops->count - 2], *inner = loops->items[loops->count - 1];
    const bool along_outer = moves_along(body->target, outer->index->var), along_inner = moves_along(body->target, inner->index->var);
    if (along_outer == along_inner) return false;
    Turns turns = {body->target, along_outer ? outer->index->var : inner->index->var, along_outer ? inner->index->var : outer->index->var, false, false};
    lower_walk_block(&(Walk){note_way, NULL, &turns}, body->block);
    if (turns.along_target || !turns.along_other) return false;
    *way = (Shared){0};
    vec_push(writer->arena, way, along_outer ? outer : inner);
    vec_push(writer->arena, way, along_outer ? inner : outer);
    return true;
}

typedef struct Mentions {
    const Var *var;
    int count;
} Mentions;

static void count_mention(void *data, const Expr *expr) {
    Mentions *mentions = data;
    mentions->count += expr->kind == EXPR_VAR && expr->var == mentions->var;
}

/* Whether what gives the value names the index, besides as what it is given to. */
static bool value_names(const Iteration *body, const Var *index) {
    Mentions all = {index, 0}, of_target = {index, 0};
    lower_walk_block(&(Walk){count_mention, NULL, &all}, body->block);
    lower_walk_expr(&(Walk){count_mention, NULL, &of_target}, body->target);
    return body->reads || all.count > of_target.count;
}

/* The indices as parameters, of what gives the value or of what stores it. */
static char *index_params(Writer *writer, const Shared *loops, const Iteration *body, bool stores) {
    char *params = NULL;
    const ExprVec *filters = &loops->items[loops->count - 1]->index->filters;
    for (size_t i = 0; i < loops->count; i++) {
        const Var *var = loops->items[i]->index->var;
        const char *name = writer_find(writer, var) ? writer_find(writer, var) : writer_declare(writer, var);
        bool named = stores ? lower_expr_mentions(body->target, var) : value_names(body, var);
        for (size_t f = 0; f < filters->count; f++) named |= lower_expr_mentions(filters->items[f], var);
        params = arena_printf(writer->arena, "%s%s%sint64_t %s", params ? params : "", params ? ", " : "", named ? "" : "[[maybe_unused]] ", name);
    }
    return params;
}

/* Those of the loops, the innermost ones, that are walked as one; *turned: as hp5_turned does it. None: iterations do not go abreast. */
static Shared loops_abreast(Writer *writer, const Nest *nest, const Shared *loops, Iteration *body, bool *turned) {
    Shared way = {0};
    *body = look_at(writer, nest, loops);
    if (!body->fits || (writer->strict && writer->given.count == 0)) return way; /* where indices are checked the text is there for what goes wrong */
    *turned = !body->long_one && is_turned(writer, body, loops, &way);
    if (*turned) return way;
    size_t first = loops->count > 2 ? loops->count - 2 : 0;
    if (first > 0 && cuda_is_plain(loops->items[first - 1])) first--;
    for (size_t i = first; i < loops->count; i++) vec_push(writer->arena, &way, loops->items[i]);
    return way;
}

const char *cuda_condition(Writer *writer, const Loop *loop) {
    const ExprVec *filters = &loop->index->filters;
    char *condition = NULL;
    for (size_t f = 0; f < filters->count; f++)
        condition = arena_printf(writer->arena, "%s%s%s", condition ? condition : "", condition ? " && " : "", writer_expr_primary(writer, filters->items[f]));
    return condition;
}

size_t cuda_abreast_count(Writer *writer, const Nest *nest, const Shared *loops) {
    Iteration body;
    bool turned;
    return loops_abreast(writer, nest, loops, &body, &turned).count;
}

static const char *all_indices(Writer *writer, const Shared *loops) {
    const char *params = "";
    for (size_t i = 0; i < loops->count; i++) params = arena_printf(writer->arena, "%s%s[[maybe_unused]] int64_t %s", params, i > 0 ? ", " : "", writer_find(writer, loops->items[i]->index->var));
    return params;
}

/* ---- Elements that stages hand on ---------------------------------------------------------------------------------------- */
/* What computes the value of a round, up to its end. */
static void print_value(Writer *writer, const Iteration *body, const char *value, const char *condition, int indent) {
    const char *type = emit_storage_type(writer->emit, body->target->var->type->element), *element = body->reads ? writer_expr(writer, body->target) : NULL;
    if (condition) {
        writer_line(writer, indent, "%s %s = {};", type, value);
        writer_line(writer, indent, "if (!(%s)) return %s;", condition, value);
        if (body->reads) writer_line(writer, indent, "%s = %s;", value, element); /* that of others may be somebody's who writes it */
    } else {
        writer_line(writer, indent, body->reads ? "%s %s = %s;" : "%s %s;", type, value, element);
    }
    writer->replaced = body->target;
    writer->replacement = value;
    writer_block(writer, body->block, indent);
    writer->replaced = NULL;
    writer_line(writer, indent, "return %s;", value);
}

/* What computes it in two steps: what is read early, and the value. `call`: what stands in front, with the captures. */
static void print_early_value(Writer *writer, const Iteration *body, const Elements *early, const char *params, const char *value, const char *condition, const char *call, int indent) {
    const size_t kept = writer->kept.count;
    const char *read = writer_fresh(writer, "read");
    writer_line(writer, indent, "%s(%s) {", call, params);
    cuda_print_early(writer, early, condition, indent + 4);
    writer_line(writer, indent, "}, [%c](%s, [[maybe_unused]] const auto &%s) {", call[strlen(call) - 2], params, read);
    cuda_keep_early(writer, early, read, indent + 4);
    print_value(writer, body, value, condition, indent + 4);
    writer->kept.count = kept;
}

void cuda_give(Writer *writer, const Nest *nest, int indent) {
    const Shared loops = cuda_shared_loops(writer, nest);
    const Iteration body = look_at(writer, nest, &loops);
    const char *params = "";
    for (size_t d = 0; d < body.target->arguments.count; d++)
        params = arena_printf(writer->arena, "%s%s[[maybe_unused]] int64_t %s", params, d > 0 ? ", " : "", writer_declare(writer, body.target->arguments.items[d]->var));
    const enum CrewSharing sharing = writer->sharing;
    writer->sharing = CREW_APART;
    const Elements early = cuda_early(writer, body.block, &(Elements){0}, true);
    print_early_value(writer, &body, &early, params, writer_fresh(writer, "value"), NULL, "return hp5_gives([=]", indent);
    writer_line(writer, indent, "});");
    writer->sharing = sharing;
}

bool cuda_abreast(Writer *writer, const Nest *nest, const Shared *loops, int indent) {
    Iteration body;
    bool turned;
    const Shared order = loops_abreast(writer, nest, loops, &body, &turned);
    if (order.count == 0) return false;
    const char *way = way_of(writer, &order), *indices = index_params(writer, &order, &body, false), *places = index_params(writer, &order, &body, true);
    const char *value = writer_fresh(writer, "value"), *type = emit_storage_type(writer->emit, body.target->var->type->element), *element = writer_expr(writer, body.target);
    const char *condition = cuda_condition(writer, order.items[order.count - 1]), *end = "}";
    const ExprVec *filters = &order.items[order.count - 1]->index->filters;
    Elements early = {0};
    if ((!turned && !body.long_one) || writer->given.count > 0) early = cuda_read_early(writer, body.block, body.target, filters);
    const Var *down = order.count > 1 && condition == NULL ? order.items[0]->index->var : NULL; /* what conditions let through nobody has in common */
    const int many = body.long_one ? 1 : body.size <= SMALL ? cuda_rounds_abreast(&early, down) : ROUNDS_FEW;
    const char *call = turned ? arena_printf(writer->arena, "hp5_turned<%s>", type) : arena_printf(writer->arena, "hp5_abreast<%d>", many);
    if (early.count > 0) {
        print_early_value(writer, &body, &early, all_indices(writer, &order), value, condition, arena_printf(writer->arena, "%s(%s, hp5_gives([&]", call, way), indent);
        end = "})";
    } else {
        writer_line(writer, indent, "%s(%s, [&](%s) {", call, way, indices);
        print_value(writer, &body, value, condition, indent + 4);
    }
    const char *only = condition ? arena_printf(writer->arena, "if (%s) ", condition) : "";
    writer_line(writer, indent, "%s, [&](%s, %s %s) { %s%s = %s; });", end, places, type, value, only, element, value);
    return true;
}

/* ---- How many registers a kernel has --------------------------------------------------------------------------------------- */
bool cuda_goes_wide(const Emit *emit, const TaskPlan *task) {
    const LoweredTask *lowered = emit->lowered->tasks.items[task->task->id];
    bool wide = cuda_task_has_rows(emit, task), flat = false, own = false;
    for (size_t i = 0; i < lowered->stages.count; i++) {
        const LoweredBody *code = &lowered->stages.items[i]->code;
        for (size_t n = 0; n < code->nests.count && !backend_on_host(task, task->uses.items[i]->lps); n++) {
            const Nest *nest = code->nests.items[n];
            const CrewManner manner = cuda_manner(code, nest);
            size_t shared = 0;
            for (size_t l = 0; l < nest->loops.count; l++) shared += nest->loops.items[l].role == ROLE_THREAD;
            if (manner == CREW_TILES) return false;
            wide |= manner == CREW_SHARES && shared > 1;
            flat |= manner == CREW_REDUCES_EACH || manner == CREW_REDUCES_CHUNKS || (manner == CREW_SHARES && shared == nest->loops.count);
            own |= manner == CREW_SHARES && shared < nest->loops.count && !cuda_accumulates(nest);
        }
    }
    return wide || (flat && !own);
}
