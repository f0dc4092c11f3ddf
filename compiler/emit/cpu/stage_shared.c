/* What lanes share, in front of their loops (stage_lanes.c). In a round of
 *
 *     do in sequence {
 *         square = k[m] * k[m]
 *         if (square < limit) { far = far + exp(-square / alpha) * cos(k[m] * x[i]) }
 *     } for m in k
 *
 * with x[i] in lanes, the square is one number, the condition holds for all lanes or none, and so has the exponential one value:
 *
 *     for (int64_t m = …) {
 *         const double square = k[m] * k[m];
 *         if (square < limit) {
 *             const double shared = hp5_exp(-square / alpha);
 *             HP5_IN_VECTORS
 *             for (int64_t lane = 0; lane < HP5_NEIGHBOURS; lane++) {
 *                 const int64_t i = i_first + lane;
 *                 far[lane] = far[lane] + shared * hp5_cos(k[m] * x[i]);
 *             }
 *         }
 *     }
 *
 * C compilers take it there where it is plain arithmetic, which is left to them. But of an element that lanes share, and read under a condition, gcc makes no
 * vectors: so it is read in front as well, if memory has it, whatever the condition may say.
 *
 *     for (int64_t j = …) {                                      if (j != i) { sum = sum + 1 / fabs(x[i] - x[j]) }
 *         const double shared = hp5_holds(x_view, 0, j) ? x[j] : 0;
 *         HP5_IN_VECTORS
 *         …
 *             if (j != i) {
 *                 sum_now = sum_now + 1.0 / fabs(x[i] - shared);
 *             }
 *
 * Nor does it where such an element is read again behind a store, c[k][i] = c[k][i] + a[k] * x[i] and t = t + a[k] * y[i]: of the one reading it makes the next lane's other one, which
 * then waits for it. That is read once in front, too; the memory has it, as each lane comes to it.
 */
#include "compiler/emit/cpu/stage.h"
#include "compiler/lower/lane_values.h"
#include "compiler/lower/passes.h"

static LaneValues values_of(const Writer *writer) {
    const WriterLanes *lanes = &writer->lanes;
    return (LaneValues){.use = writer->use, .body = &lanes->nest->stmt->body, .index = lanes->index, .ragged = &lanes->nest->lanes.ragged, .shared = &lanes->shared};
}

static bool is_shared(const Writer *writer, const Expr *expr) {
    const LaneValues values = values_of(writer);
    return lower_is_shared(&values, expr);
}

static bool may_share(const Writer *writer) {
    const Nest *nest = writer->lanes.nest;
    return nest && !nest->lanes.rows && !nest->lanes.apart && !nest->lanes.along && !writer->strict && !writer->emit->options.checked;
}

static void find_costly(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_MATH && emit_is_costly(expr->math); }

/* ---- Conditions ------------------------------------------------------------------------------------------------ */

bool writer_is_uniform(const Writer *writer, const Stmt *stmt) {
    if (stmt->kind != STMT_IF || !may_share(writer) || lower_carries(writer->lanes.nest, stmt) || !is_shared(writer, stmt->value)) return false;
    bool costly = false;
    lower_walk_block(&(Walk){find_costly, NULL, &costly}, &stmt->body);
    if (stmt->otherwise) lower_walk_block(&(Walk){find_costly, NULL, &costly}, stmt->otherwise);
    return costly || writer->lanes.holds != NULL; /* beside a mask C compilers leave it in the loop */
}

/* ---- Locals ------------------------------------------------------------------------------------------------------ */

static bool is_of(const Block *block, const Var *var) {
    for (size_t i = 0; i < block->locals.count; i++)
        if (block->locals.items[i] == var) return true;
    return false;
}

/* A local of the block that has one value there, which lanes share. */
static bool sets_shared(const Writer *writer, const Block *block, const Stmt *stmt) {
    if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_VAR || stmt->accumulate != ACCUMULATE_NONE || !is_of(block, stmt->target->var)) return false;
    return lower_block_writes(&writer->lanes.nest->stmt->body, stmt->target->var) == 1 && is_shared(writer, stmt->value);
}

Block writer_shared_first(Writer *writer, const Block *block, int indent) {
    if (!may_share(writer)) return *block;
    Block rest = {.span = block->span};
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (!sets_shared(writer, block, stmt)) {
            vec_push(writer->arena, &rest.statements, (Stmt *)stmt);
            continue;
        }
        const char *value = writer_expr(writer, stmt->value), *name = writer_declare(writer, stmt->target->var);
        writer_line(writer, indent, "const %s = %s;", emit_declarator(writer->arena, writer_local_type(writer, stmt->target->var), name), value);
        vec_push(writer->arena, &writer->lanes.shared, stmt->target->var);
    }
    for (size_t i = 0; i < block->locals.count; i++)
        if (!writer_find(writer, block->locals.items[i])) vec_push(writer->arena, &rest.locals, block->locals.items[i]);
    return rest;
}

/* ---- Parts of expressions -------------------------------------------------------------------------------------------- */

typedef VEC(EmitKnown) Knowns;

static void find_element(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_ELEMENT || expr->kind == EXPR_AT_INDEX; }

static bool has_element(const Expr *expr) {
    bool found = false;
    lower_walk_expr(&(Walk){find_element, NULL, &found}, expr);
    return found;
}

/* maybe: a condition says whether the expression is evaluated, and elements that it comes to may not be there. */
static void take_parts(Writer *writer, const Expr *expr, bool maybe, Knowns *knowns, int indent) {
    if (expr == NULL) return;
    bool costly = false;
    lower_walk_expr(&(Walk){find_costly, NULL, &costly}, expr);
    if (!costly) return;
    const EmitNames known = {.known = {knowns->items, knowns->count}};
    if (type_is_real(expr->type) && is_shared(writer, expr) && !(maybe && has_element(expr))) {
        if (emit_known(&known, expr) != NULL) return;
        const char *value = writer_expr(writer, expr), *name = writer_fresh(writer, "shared");
        writer_line(writer, indent, "const %s %s = %s;", emit_type(writer->emit, expr->type), name, value);
        vec_push(writer->arena, knowns, ((EmitKnown){expr, name, false}));
        return;
    }
    const bool first_only = expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR);
    take_parts(writer, expr->left, maybe, knowns, indent);
    take_parts(writer, expr->right, maybe || first_only, knowns, indent);
    for (size_t i = 0; i < expr->arguments.count; i++) take_parts(writer, expr->arguments.items[i], maybe, knowns, indent);
}

/* Elements that lanes share and that are read under conditions, and their fields. */
enum { MOST_ELEMENTS = 8 };

static void find_other(void *data, const Expr *expr) {
    const bool divides = expr->kind == EXPR_BINARY && (expr->op == OP_DIV || expr->op == OP_MOD);
    const bool plain = expr->kind == EXPR_VAR || expr->kind == EXPR_INTEGER || expr->kind == EXPR_UNARY || expr->kind == EXPR_BINARY || expr->kind == EXPR_RANGE_PART || expr->kind == EXPR_DIM_RANGE;
    *(bool *)data |= divides || !plain;
}

/* Where it lies can be computed in front, and nothing there fails. */
static bool may_come_first(const Writer *writer, const Expr *element) {
    const Formal *formal = lower_formal(writer->use, element->var);
    bool other = !formal || formal->kind != FORMAL_VIEW || formal->layout.split || writer->use->tables || element->lag != 0;
    for (size_t d = 0; d < element->arguments.count && !other; d++) {
        other = formal->gaps[d];
        lower_walk_expr(&(Walk){find_other, NULL, &other}, element->arguments.items[d]);
    }
    return !other && is_shared(writer, element);
}

typedef struct Held { Writer *writer; const Block *group; Knowns *knowns; size_t count; int indent; } Held;

const char *writer_held(Writer *writer, const Expr *element) {
    const char *all = NULL;
    for (size_t d = 0; d < element->arguments.count; d++) {
        const char *here = arena_printf(writer->arena, "hp5_holds(%s, %zu, %s)", writer_view(writer, element->var), d, writer_expr(writer, element->arguments.items[d]));
        all = all == NULL ? here : arena_printf(writer->arena, "%s && %s", all, here);
    }
    return all;
}

typedef struct Reads { const Expr *expr; int count; bool stores; } Reads;

static void count_read(void *data, const Expr *expr) {
    Reads *reads = data;
    reads->count += lower_expr_equal(expr, reads->expr);
}

static void find_store(void *data, const Stmt *stmt) { ((Reads *)data)->stores |= stmt->kind == STMT_ASSIGN && lower_element_of(stmt->target)->kind == EXPR_ELEMENT; }

static bool is_read_again(const Block *group, const Expr *expr) {
    Reads reads = {.expr = expr};
    lower_walk_block(&(Walk){count_read, find_store, &reads}, group);
    return reads.count > 1 && reads.stores;
}

/* maybe: as of parts. */
static void take_element(Held *take, const Expr *expr, bool maybe) {
    Writer *writer = take->writer;
    const Expr *element = lower_element_of(expr);
    const EmitNames known = {.known = {take->knowns->items, take->knowns->count}};
    const bool value = type_is_numeric(expr->type) || expr->type->kind == TYPE_BOOLEAN;
    if (element->kind != EXPR_ELEMENT || !value || take->count == MOST_ELEMENTS || emit_known(&known, expr) != NULL) return;
    if (!may_come_first(writer, element) || (maybe ? lower_is_touched(take->group, element) : !is_read_again(take->group, expr))) return;
    const char *holds = maybe ? arena_printf(writer->arena, "%s ? ", writer_held(writer, element)) : "", *text = writer_expr(writer, expr), *name = writer_fresh(writer, "shared");
    writer_line(writer, take->indent, "const %s %s = %s%s%s;", emit_type(writer->emit, expr->type), name, holds, text, maybe ? " : 0" : "");
    vec_push(writer->arena, take->knowns, ((EmitKnown){expr, name, false}));
    take->count++;
}

static void take_elements(Held *take, const Expr *expr, bool maybe) {
    if (expr == NULL) return;
    if (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_FIELD) {
        take_element(take, expr, maybe);
        if (maybe) return;
    }
    const bool first_only = expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR);
    take_elements(take, expr->left, maybe);
    take_elements(take, expr->right, maybe || first_only);
    for (size_t i = 0; i < expr->arguments.count; i++) take_elements(take, expr->arguments.items[i], maybe);
}

static void take_elements_of(Held *take, const Block *block, bool maybe) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        take_elements(take, stmt->value, maybe);
        if (stmt->kind != STMT_IF) continue;
        take_elements_of(take, &stmt->body, true);
        if (stmt->otherwise) take_elements_of(take, stmt->otherwise, true);
    }
}

static void take_parts_of(Writer *writer, const Block *block, bool maybe, Knowns *knowns, int indent) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        take_parts(writer, stmt->value, maybe, knowns, indent);
        if (stmt->kind != STMT_IF) continue;
        take_parts_of(writer, &stmt->body, true, knowns, indent);
        if (stmt->otherwise) take_parts_of(writer, stmt->otherwise, true, knowns, indent);
    }
}

EmitKnowns writer_shared_parts(Writer *writer, const Block *group, int indent) {
    Knowns knowns = {0};
    for (size_t i = 0; i < writer->names.known.count; i++) vec_push(writer->arena, &knowns, writer->names.known.items[i]);
    if (!may_share(writer)) return (EmitKnowns){knowns.items, knowns.count};
    take_parts_of(writer, group, false, &knowns, indent);
    take_elements_of(&(Held){.writer = writer, .group = group, .knowns = &knowns, .indent = indent}, group, false);
    return (EmitKnowns){knowns.items, knowns.count};
}
