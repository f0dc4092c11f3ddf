/* Elements that all rounds of a thread's own loop have in common stay in registers while it runs:
 *
 *     const int64_t j_begin = bodies_view->part[0].begin, j_end = bodies_view->part[0].end;
 *     if (j_begin >= j_end) continue;
 *     struct Vector pulls_here = pulls[i];
 *     const struct Vector places_here = places[i];
 *     for (int64_t j = j_begin; j < j_end; j++) {
 *         … places_here.x … pulls_here.x = …
 *     }
 *     pulls[i] = pulls_here;
 *
 * Compilers do not see that arrays lie apart, and would store and load them in each round. Where there is no round nothing is touched: it may be
 * another LPU's. */
#include "compiler/emit/cpu/stage.h"
#include "compiler/emit/cuda/cuda.h"
#include "compiler/emit/cuda/fours.h"
#include "compiler/lower/walk_bodies.h"

enum { MOST_ELEMENTS = 8 };

typedef struct Common {
    Writer *writer;
    const Block *block;
    VEC(const Expr *) elements;
    bool differs; /* a subscript, from round to round */
} Common;

/* ---- What is in common ------------------------------------------------------------------------------------------------------ */
/* Subscripts that have a value in front of the loop, the same in each round. */
static void note_subscript(void *data, const Expr *expr) {
    Common *common = data;
    const bool known = expr->kind != EXPR_VAR || (writer_find(common->writer, expr->var) != NULL && lower_block_writes(common->block, expr->var) == 0);
    common->differs |= !known || expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL || expr->kind == EXPR_AT_INDEX;
}

static bool is_common(Writer *writer, const Block *block, const Expr *element) {
    Common common = {.writer = writer, .block = block};
    for (size_t i = 0; i < element->arguments.count; i++) lower_walk_expr(&(Walk){note_subscript, NULL, &common}, element->arguments.items[i]);
    return !common.differs;
}

typedef struct OfArray {
    const Expr *element;
    bool assigned, others; /* the array is assigned; other elements of it are named */
} OfArray;

static void note_named(void *data, const Expr *expr) {
    OfArray *array = data;
    if (expr->kind == EXPR_ELEMENT && expr->var == array->element->var && expr->lag == array->element->lag) array->others |= !lower_expr_equal(expr, array->element);
}

bool cuda_names_others(const Block *block, const Expr *element) {
    OfArray array = {element, false, false};
    lower_walk_block(&(Walk){note_named, NULL, &array}, block);
    return array.others;
}

static void note_assigned(void *data, const Stmt *stmt) {
    OfArray *array = data;
    const Expr *place = stmt->kind == STMT_ASSIGN ? stmt->target : NULL;
    while (place && place->kind != EXPR_VAR && place->kind != EXPR_ELEMENT) place = place->left;
    array->assigned |= place && place->kind == EXPR_ELEMENT && place->var == array->element->var && place->lag == array->element->lag;
}

static OfArray look_at(const Block *block, const Expr *element) {
    OfArray array = {element, false, false};
    lower_walk_block(&(Walk){note_named, note_assigned, &array}, block);
    return array;
}

static bool is_scalars(const Type *type) {
    if (type->kind != TYPE_STRUCT) return type->kind == TYPE_INTEGER || type_is_real(type) || type->kind == TYPE_BOOLEAN || type->kind == TYPE_CHARACTER;
    for (size_t i = 0; i < type->fields.count; i++)
        if (!is_scalars(type->fields.items[i].type)) return false;
    return true;
}

static void take(Common *common, const Expr *element) {
    for (size_t i = 0; i < common->elements.count; i++)
        if (lower_expr_equal(common->elements.items[i], element)) return;
    if (common->elements.count == MOST_ELEMENTS || writer_is_split(common->writer, element) || !is_scalars(element->type)) return;
    if (!is_common(common->writer, common->block, element)) return;
    const OfArray array = look_at(common->block, element);
    if (!array.assigned || !array.others) vec_push(common->writer->arena, &common->elements, element);
}

/* What is evaluated in each round, whatever the values are. */
static void take_always(Common *common, const Expr *expr) {
    if (expr == NULL) return;
    if (expr->kind == EXPR_ELEMENT) take(common, expr);
    take_always(common, expr->left);
    if (expr->kind != EXPR_BINARY || (expr->op != OP_AND && expr->op != OP_OR)) take_always(common, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) take_always(common, expr->arguments.items[i]);
}

static void find_strange(void *data, const Stmt *stmt) { *(bool *)data |= stmt->kind == STMT_EXTERN || stmt->kind == STMT_CALL || stmt->kind == STMT_REDUCE; }
static void find_call(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_CALL; }

static bool is_simple(const Writer *writer, const Block *block) {
    bool strange = false;
    lower_walk_block(&(Walk){find_call, find_strange, &strange}, block);
    for (size_t i = 0; i < writer->use->formals.count; i++) strange |= writer->use->formals.items[i].same_as > 0;
    return !strange;
}

/* ---- The loop --------------------------------------------------------------------------------------------------------------- */
bool cuda_in_registers(Writer *writer, const Nest *nest, const Loop *loop, int indent) {
    const Block *block = &nest->stmt->body;
    Common common = {.writer = writer, .block = block};
    if (!loop->interval || loop->index->filters.count > 0 || !is_simple(writer, block)) return false;
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        if (stmt->kind != STMT_ASSIGN) continue;
        take_always(&common, stmt->target);
        take_always(&common, stmt->value);
    }
    if (common.elements.count == 0) return false;
    char *begin, *end;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    const char *index = writer_declare(writer, loop->index->var);
    const char *first = writer_fresh(writer, arena_printf(writer->arena, "%s_begin", index)), *last = writer_fresh(writer, arena_printf(writer->arena, "%s_end", index));
    writer_line(writer, indent, "const int64_t %s = %s, %s = %s;", first, begin, last, end);
    writer_line(writer, indent, "if (%s >= %s) continue;", first, last);
    const size_t mark = writer->kept.count;
    Fours fours = {.writer = writer};
    for (size_t i = 0; i < common.elements.count; i++) {
        const Expr *element = common.elements.items[i];
        const char *name = writer_fresh(writer, arena_printf(writer->arena, "%s_here", emit_symbol(writer->emit, element->var)));
        writer_line(writer, indent, "%s%s %s = %s;", look_at(block, element).assigned ? "" : "const ", emit_storage_type(writer->emit, element->var->type->element), name,
                    writer_expr(writer, element));
        vec_push(writer->arena, &writer->kept, ((KeptElement){element, name}));
        if (look_at(block, element).assigned) vec_push(writer->arena, &fours.assigned, element);
    }
    cuda_own_loop(&fours, block, loop->index->var, first, last, indent);
    for (size_t i = 0; i < common.elements.count; i++) {
        const Expr *element = common.elements.items[i];
        const char *name = writer->kept.items[mark + i].name;
        if (!look_at(block, element).assigned) continue;
        const size_t kept = writer->kept.count;
        writer->kept.count = mark;
        writer_line(writer, indent, "%s = %s;", writer_expr(writer, element), name);
        writer->kept.count = kept;
    }
    writer->kept.count = mark;
    return true;
}
