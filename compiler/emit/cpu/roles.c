/* Roles of loops on CPUs: what the cores' vectors and registers are used for. Checked builds look at every access, in the
 * order of the program. */
#include "compiler/emit/cpu/cpu.h"
#include "compiler/lower/passes.h"

typedef struct Inside {
    const StageUse *use;
    const Nest *nest;
    bool loops, far; /* far: elements that neighbours write do not lie side by side */
} Inside;

static void look_inside(void *data, const Stmt *stmt) {
    Inside *inside = data;
    inside->loops |= stmt->kind == STMT_PARALLEL || stmt->kind == STMT_SEQUENCE;
    const Expr *target = stmt->kind == STMT_ASSIGN ? stmt->target : NULL;
    if (target == NULL || target->kind == EXPR_VAR) return;
    inside->far |= target->kind != EXPR_ELEMENT || lower_plain_dimension(inside->nest, target, nest_innermost(inside->nest)->index->var) != lower_fastest_dimension(inside->use, target);
}

/* Around loops that run a few times, as their bounds say, and that C compilers write out: then they see one body, and make vectors of it where they are told
 * that iterations stand apart. Loops of another kind are none that run together. */
static bool is_written_out(const StageUse *use, const Nest *nest) {
    const Loop *innermost = nest_innermost(nest);
    Inside inside = {use, nest, false, false};
    if (use == NULL || !innermost->interval || !loop_may(innermost, LOOP_APART) || !loop_may(innermost, LOOP_TOGETHER)) return false;
    lower_walk_block(&(Walk){NULL, look_inside, &inside}, &nest->stmt->body);
    return inside.loops && !inside.far;
}

typedef struct Places {
    const Block *body;
    const Var *var;
    bool made, taken; /* made: the local gets an Integer made of a Real; taken: an element under a condition is at such a place */
} Places;

static void find_made_in(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_CONVERT && expr->type->kind == TYPE_INTEGER && type_is_real(expr->left->type); }

static void find_made(void *data, const Stmt *stmt) {
    Places *places = data;
    if (stmt->kind == STMT_ASSIGN && stmt->target->kind == EXPR_VAR && stmt->target->var == places->var) lower_walk_expr(&(Walk){find_made_in, NULL, &places->made}, stmt->value);
}

static void find_place(void *data, const Expr *expr) {
    Places *places = data;
    if (expr->kind != EXPR_VAR || !lower_is_local_of(places->body, expr->var)) return;
    Places search = {.body = places->body, .var = expr->var};
    lower_walk_block(&(Walk){NULL, find_made, &search}, places->body);
    places->taken |= search.made;
}

static void find_places(void *data, const Expr *expr) {
    Places *places = data;
    for (size_t d = 0; expr->kind == EXPR_ELEMENT && d < expr->arguments.count; d++) {
        lower_walk_expr(&(Walk){find_place, NULL, places}, expr->arguments.items[d]);
        lower_walk_expr(&(Walk){find_made_in, NULL, &places->taken}, expr->arguments.items[d]);
    }
}

static void look_under_condition(void *data, const Stmt *stmt) {
    if (stmt->kind != STMT_IF) return;
    lower_walk_block(&(Walk){find_places, NULL, data}, &stmt->body);
    if (stmt->otherwise != NULL) lower_walk_block(&(Walk){find_places, NULL, data}, stmt->otherwise);
}

/* Of points that are turned and stretched, say, some of which lie outside, or of a table of weights by distance, as far as it goes: gcc makes no vectors of that, and what vectors would need takes longer otherwise. */
static bool takes_from_places(const Nest *nest) {
    Places places = {.body = &nest->stmt->body};
    lower_walk_block(&(Walk){NULL, look_under_condition, &places}, &nest->stmt->body);
    return places.taken;
}

static void find_element(void *data, const Stmt *stmt) { *(bool *)data |= stmt->kind == STMT_ASSIGN && lower_element_of(stmt->target)->kind == EXPR_ELEMENT; }

/* Sums of Integers in locals, in any order, and nothing else that iterations have in common. */
static bool sums_together(const Nest *nest) {
    const Loop *loop = nest_innermost(nest);
    bool elements = false;
    lower_walk_block(&(Walk){NULL, find_element, &elements}, &nest->stmt->body);
    return nest->form == FORM_LOOPS && loop->interval && loop_may(loop, LOOP_TOGETHER) && !elements;
}

/* Numbers of elements, say, and largest ones: in any order, while each iteration writes elements of its own. */
static bool reduces_in_vectors(const StageUse *use, const Nest *nest) {
    const Loop *loop = nest_innermost(nest);
    const bool plain = nest->reduction.any_order && !nest->lanes.rows && !nest->lanes.reduces && loop->interval;
    return plain && (loop_may(loop, LOOP_PARALLEL) || is_written_out(use, nest)) && !takes_from_places(nest);
}

static void schedule_nest(const StageUse *use, Nest *nest, bool checked) {
    const size_t count = nest->loops.count;
    Loop *loops = nest->loops.items;
    for (size_t i = 0; i < count; i++) loops[i].role = ROLE_SERIAL;
    if (checked) return;
    switch (nest->form) {
    case FORM_PRODUCT:
        for (size_t i = count - 3; i < count; i++) loops[i].role = ROLE_TILE;
        return;
    case FORM_SUM:
        if (nest->sum.abreast) loops[count - 2].role = ROLE_VECTOR;
        if (nest->sum.window) loops[count - 1 - nest->sum.window].role = ROLE_VECTOR;
        return;
    case FORM_LANES:
        if (!nest->lanes.apart) loops[count - 1 - nest->lanes.inside].role = ROLE_VECTOR;
        return;
    case FORM_CUT:
    case FORM_EXTREMUM: loops[count - 1].role = ROLE_VECTOR; return;
    case FORM_REDUCTION: /* where the order counts its lanes are those of the result, whatever a vector holds */
        if (reduces_in_vectors(use, nest)) loops[count - 1].role = ROLE_VECTOR;
        return;
    default:
        if (nest->form == FORM_LOOPS && takes_from_places(nest)) return;
        if (loop_may(&loops[count - 1], LOOP_PARALLEL) || sums_together(nest) || (nest->form == FORM_LOOPS && is_written_out(use, nest))) loops[count - 1].role = ROLE_VECTOR;
        return;
    }
}

void cpu_schedule(const TaskPlan *task, LoweredBody *code, PlanOptions options) {
    (void)task;
    for (size_t i = 0; i < code->nests.count; i++) schedule_nest(code->use, code->nests.items[i], options.checked);
}
