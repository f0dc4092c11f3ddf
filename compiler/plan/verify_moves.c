/* Values that get from one place to another by a step of their own: copies of padded parts are filled and handed back, padding
 * takes the new values when a Space is left, parts of a result are combined, epochs advance versions, a shared counter takes its
 * value. For each of them: on every path from where the value is made to where it is needed (or from where it is needed back to
 * where it comes from) stands that step. */
#include "compiler/check/walk.h"
#include "compiler/plan/verify.h"

/* A search through the flow; it ends at points that `stop` likes, and `meets` looks at all others. */
typedef struct Search {
    Graph *graph;
    const Step *inside;    /* the program's step whose bounds matter */
    const Var *var;
    const Lps *lps;
    PlanStepKind kind;     /* the step that must stand there */
    size_t from;
    const PlanStep *loop;  /* whose rounds these are; or NULL */
    bool backwards;
    bool (*stop)(const struct Search *search, const Point *point);
    void (*meets)(const struct Search *search, const Point *point);
    void (*leaves)(const struct Search *search, const Point *loop); /* looks at each loop of which another round begins; or NULL */
    bool (*crosses)(const struct Search *search, const Point *point, const Edge *edge); /* NULL: every edge */
} Search;

static void run(const Search *search, size_t start) {
    Graph *graph = search->graph;
    size_t head = 0, tail = 0;
    graph->marked++;
    graph->queue[tail++] = start;
    while (head < tail) {
        size_t at = graph->queue[head++];
        const Point *point = &graph->points.items[at];
        if (head > 1) {
            if (search->stop(search, point)) continue;
            search->meets(search, point);
        }
        size_t count = search->backwards ? point->last.count : point->next.count;
        for (size_t i = 0; i < count; i++) {
            const Edge *edge = search->backwards ? &point->last.items[i] : &point->next.items[i];
            const Point *skipped = search->backwards ? &graph->points.items[edge->to] : point;
            if (edge->round && search->leaves != NULL) search->leaves(search, search->backwards ? point : &graph->points.items[edge->to]);
            if (graph->mark[edge->to] == graph->marked || (search->crosses != NULL && !search->crosses(search, skipped, edge))) continue;
            graph->mark[edge->to] = graph->marked;
            graph->queue[tail++] = edge->to;
        }
    }
}

static bool is_the_step(const Search *search, const Point *point) {
    const PlanStep *step = point->step;
    if (step == NULL || step->kind != search->kind || !verify_is_in(search->graph, step, search->inside)) return false;
    const Var *var = step->array != NULL ? step->array->var : step->scalar;
    bool copies = step->kind == PLAN_COPY_IN || step->kind == PLAN_COPY_OUT;
    const Lps *lps = step->exchange >= 0 ? search->graph->task->exchanges.items[step->exchange].lps : copies ? step->lps : search->lps;
    return var == search->var && lps == search->lps;
}

/* ---- Inside a step of the program ------------------------------------------------------------------------------ */
__attribute__((noreturn)) static void left(const Search *search, const Point *point) {
    static const char *const words[] = {
        [PLAN_COPY_IN] = "its copy has not been filled", [PLAN_COPY_OUT] = "its copy has not been handed back",
        [PLAN_EXCHANGE] = "its neighbours' padding has not taken the new values", [PLAN_EPOCH] = "its versions have not advanced",
        [PLAN_ADVANCE_SCALAR] = "its versions have not advanced", [PLAN_EPOCH_CLOSE] = "the epoch is not over in all LPUs"};
    verify_fail(search->graph, point, "it is reached from a use of %s in Space %s, and %s in between", search->var->name, search->lps->name, words[search->kind]);
}

/* Loops and visits around the step have points between its own: only who touches the variable there, or ends, has left it. */
static void must_not_leave(const Search *search, const Point *point) {
    if (verify_is_in(search->graph, point->step, search->inside)) return;
    bool touches = point->step == NULL;
    for (size_t i = 0; i < point->touches.count; i++) touches = touches || point->touches.items[i].var == search->var;
    if (touches) left(search, point);
}

static void must_not_begin_again(const Search *search, const Point *loop) {
    if (!verify_is_in(search->graph, loop->step, search->inside)) left(search, loop);
}

/* The condition asks for no elements, and nothing in the step writes what it asks for: it holds in front of the step as inside. */
static bool asks_for_elements(Expr *expr, void *data) {
    if (expr->kind == EXPR_ELEMENT || expr->kind == EXPR_CALL) *(bool *)data = true;
    return true;
}

typedef struct Asked {
    const Graph *graph;
    const Step *inside;
    bool written;
} Asked;

static bool asks_for_written(Expr *expr, void *data) {
    Asked *asked = data;
    for (size_t p = 0; expr->kind == EXPR_VAR && p < asked->graph->points.count; p++) {
        const Point *point = &asked->graph->points.items[p];
        for (size_t t = 0; t < point->touches.count; t++)
            if (point->touches.items[t].var == expr->var && point->touches.items[t].write && verify_is_in(asked->graph, point->step, asked->inside))
                asked->written = true;
    }
    return true;
}

static bool condition_stays(const Graph *graph, const Step *condition, const Step *inside) {
    bool elements = false;
    Asked asked = {graph, inside, false};
    walk_expr(condition->condition, asks_for_elements, &elements);
    walk_expr(condition->condition, asks_for_written, &asked);
    return !elements && !asked.written;
}

/* A point around the one where the search begins, at a step of that kind from that step of the program. */
static bool begins_within(const Search *search, PlanStepKind kind, const Step *source) {
    const Point *around = &search->graph->points.items[search->from];
    do around = &search->graph->points.items[around->within];
    while (around->step != NULL && !(around->step->kind == kind && around->step->source == source));
    return around->step != NULL;
}

/* An LPU that runs the body of a condition has run the body of the same condition in front of it, whether or not LPUs decide it
 * together; one that takes part in a round takes part in all of it. */
static bool crosses_for_lpu(const Search *search, const Point *point, const Edge *edge) {
    if (edge->visit != NULL) return false; /* another LPU */
    if (!edge->skips) return true;
    const bool decided = point->step->kind == PLAN_IF && begins_within(search, PLAN_LOCKSTEP, point->step->source);
    if (!decided && !begins_within(search, point->step->kind, point->step->source)) return true;
    if (point->step->kind == PLAN_GUARD) return false;
    return !verify_is_in(search->graph, point->step, search->inside) || !condition_stays(search->graph, point->step->source, search->inside);
}

/* `kind` of `var` stands between `point` and the bounds of `step`. */
static void check_bounds(Graph *graph, size_t point, const Step *step, PlanStepKind kind, bool backwards, const Var *var, const Lps *lps) {
    Search search = {.graph = graph, .inside = step, .var = var, .lps = lps, .kind = kind, .from = point,
                     .backwards = backwards, .stop = is_the_step, .meets = must_not_leave, .leaves = must_not_begin_again, .crosses = crosses_for_lpu};
    run(&search, point);
}

/* The program's step that enters `lps` around the point. */
static const Step *entered(const Graph *graph, const Point *point, const Lps *lps) {
    const Step *at = point->step->source;
    while (at != NULL && !((at->kind == STEP_SPACE || at->kind == STEP_REPEAT_SUB) && at->space == lps)) at = graph->around[at->id];
    return at;
}

/* ---- Copies that are kept ------------------------------------------------------------------------------------------ */

static const Lps *keeps(const Graph *graph, const Var *var) {
    for (int i = 0; i < graph->task->array_count; i++)
        if (graph->task->arrays[i].var == var) return graph->task->arrays[i].kept;
    return NULL;
}

static bool is_copy_step(const Point *point, PlanStepKind kind, const Var *var) {
    return point->step != NULL && point->step->kind == kind && point->step->array->var == var;
}

static bool copies_it(const Search *search, const Point *point) { return is_copy_step(point, search->kind, search->var); }

/* What one side has written gets to the other one before that touches the array, or writes over what has been written. */
static void must_not_touch(const Search *search, const Point *point) {
    for (size_t i = 0; i < point->touches.count; i++) {
        const Touch *touch = &point->touches.items[i];
        if (touch->var == search->var && touch->store == search->lps)
            verify_fail(search->graph, point, "it touches %s, and what has been written of it elsewhere has not been copied", search->var->name);
    }
    if (point->step == NULL && search->kind == PLAN_COPY_OUT && search->var->environment)
        verify_fail(search->graph, point, "the copies of %s have not been handed back", search->var->name);
}

static bool crosses_all(const Search *search, const Point *point, const Edge *edge) {
    (void)search, (void)point;
    return edge->visit == NULL;
}

/* From what writes the one side: the whole (`from` 0: where all begins), or copies. */
static void check_sides(Graph *graph, size_t from, const Var *var, bool whole) {
    const Lps *kept = keeps(graph, var);
    Search search = {.graph = graph, .var = var, .lps = whole ? kept : verify_home(graph, var), .kind = whole ? PLAN_COPY_IN : PLAN_COPY_OUT, .from = from,
                     .stop = copies_it, .meets = must_not_touch, .crosses = crosses_all};
    run(&search, from);
}

static bool is_renewed(const Search *search, const Point *point) {
    return is_copy_step(point, PLAN_COPY_IN, search->var) || is_copy_step(point, PLAN_EXCHANGE, search->var);
}

/* Something in the step at the point, but for copying, touches the copies. */
static bool uses_copies(const Search *search, size_t at) {
    const Graph *graph = search->graph;
    for (size_t p = at; p < graph->points.count; p++) {
        const Point *point = &graph->points.items[p];
        bool inside = false, touches = false;
        for (size_t around = point->within; around != 0 && !inside; around = graph->points.items[around].within) inside = around == at;
        for (size_t i = 0; i < point->touches.count; i++)
            touches = touches || (point->touches.items[i].var == search->var && point->touches.items[i].store == search->lps);
        if (inside && touches && point->step->kind != PLAN_COPY_IN && point->step->kind != PLAN_COPY_OUT) return true;
    }
    return false;
}

/* Another visit than the one of `inside`; NULL: any. */
static void must_not_visit(const Search *search, const Point *point) {
    if (point->step == NULL || point->step->kind != PLAN_LPUS || point->step->lps != search->lps || point->done) return;
    if (search->inside != NULL && point->step->source == search->inside) return;
    if (!uses_copies(search, (size_t)(point - search->graph->points.items))) return;
    verify_fail(search->graph, point, "padding of %s has not taken what neighbours have written", search->var->name);
}

typedef struct Rounds {
    Search search;
    VEC(size_t) loops;
} Rounds;

static void note_round(const Search *search, const Point *loop) {
    Rounds *rounds = (Rounds *)search;
    const size_t at = (size_t)(loop - search->graph->points.items);
    if (!verify_is_in(search->graph, loop->step, search->inside)) vec_push(search->graph->arena, &rounds->loops, at);
}

/* A visit has written the copies: in another one, be it in another round, neighbours' padding has that. */
static void check_kept_padding(Graph *graph, size_t p, const Touch *touch) {
    const Step *visit = entered(graph, &graph->points.items[p], touch->store);
    Rounds rounds = {.search = {.graph = graph, .inside = visit, .var = touch->var, .lps = touch->store, .from = p, .stop = is_renewed,
                                .meets = must_not_visit, .leaves = note_round, .crosses = crosses_all}};
    run(&rounds.search, p);
    for (size_t i = 0; i < rounds.loops.count; i++) {
        Search again = rounds.search;
        again.inside = NULL;
        again.leaves = NULL;
        run(&again, rounds.loops.items[i]);
    }
}

/* Of an array whose copies are kept. */
static void check_kept(Graph *graph, size_t p, const Touch *touch) {
    const PlanStepKind kind = graph->points.items[p].step->kind;
    if (!touch->write || kind == PLAN_COPY_IN || kind == PLAN_COPY_OUT) return;
    const bool whole = touch->store != keeps(graph, touch->var);
    check_sides(graph, p, touch->var, whole);
    if (!whole && kind == PLAN_STAGE) check_kept_padding(graph, p, touch);
}

static bool is_copied(const Graph *graph, const Lps *lps, const Var *var) {
    for (size_t i = 0; i < lps->vars.count; i++)
        if (lps->vars.items[i].var == var) return graph->task->spaces[lps->id].stored[i] == STORED_COPY;
    return false;
}

static bool is_zero(const Expr *expr) { return expr == NULL || (expr->kind == EXPR_INTEGER && expr->integer == 0); }

bool verify_is_padded(const Lps *lps, const Var *var) {
    const LpsVar *entry = lps_find_var(lps, var);
    for (int d = 0; entry != NULL && d < lps->dims; d++)
        if (!is_zero(entry->dims[d].padding_front) || !is_zero(entry->dims[d].padding_back)) return true;
    return false;
}

/* A use of an array of which LPUs have copies. What fills a copy needs none of it, but the one above. */
static void check_copies(Graph *graph, size_t p, const Touch *touch) {
    const Point *point = &graph->points.items[p];
    if (keeps(graph, touch->var) != NULL) {
        check_kept(graph, p, touch);
        return;
    }
    if (!is_copied(graph, touch->store, touch->var) || (point->step->kind == PLAN_COPY_IN && touch->write)) return;
    const Step *visit = entered(graph, point, touch->store);
    check_bounds(graph, p, visit, PLAN_COPY_IN, true, touch->var, touch->store);
    if (touch->write) check_bounds(graph, p, visit, PLAN_COPY_OUT, false, touch->var, touch->store);
}

/* A stage's writes of an array of which the padded parts are the home, from there or from a Space beside it. */
static void check_padding(Graph *graph, size_t p, const Touch *touch) {
    const Lps *home = verify_home(graph, touch->var), *beside = touch->lps;
    while (beside != NULL && beside->parent != home->parent) beside = beside->parent;
    for (const Lps *lps = home; touch->write && lps->parent != NULL; lps = lps->parent)
        if (verify_is_padded(lps, touch->var) && touch->store == home)
            check_bounds(graph, p, entered(graph, &graph->points.items[p], lps == home && beside != NULL ? beside : lps), PLAN_EXCHANGE, false, touch->var, lps);
}

/* ---- Versions ----------------------------------------------------------------------------------------------------- */
static bool advances(const Step *step, const Var *var) {
    for (size_t i = 0; i < step->advances.count; i++)
        if (step->advances.items[i] == var) return true;
    return false;
}

static void check_versions(Graph *graph, size_t p, const Touch *touch) {
    const Step *epoch = graph->points.items[p].step->source;
    while (epoch != NULL && !(epoch->kind == STEP_EPOCH && advances(epoch, touch->var))) epoch = graph->around[epoch->id];
    if (epoch == NULL) return;
    bool array = var_is_array(touch->var), rotates = false;
    for (size_t i = 0; i < graph->points.count; i++) {
        const PlanStep *step = graph->points.items[i].step;
        if (step != NULL && step->kind == PLAN_EPOCH && step->source == epoch && step->array->var == touch->var) rotates = step->rotates;
    }
    if (rotates || touch->write)
        check_bounds(graph, p, epoch, array ? PLAN_EPOCH : PLAN_ADVANCE_SCALAR, rotates, touch->var, touch->lps);
}

/* ---- Results and counters -------------------------------------------------------------------------------------------- */
static bool is_combined(const Search *search, const Point *point) {
    return point->step != NULL && point->step->kind == PLAN_REDUCE && !point->done && point->touches.count > 0 &&
           point->touches.items[0].var == search->var && point->step->lps == search->lps;
}

static void must_not_use_result(const Search *search, const Point *point) {
    if (point->step == NULL) verify_fail(search->graph, point, "the parts of %s have not been combined", search->var->name);
    for (size_t i = 0; i < point->touches.count; i++) {
        const Touch *touch = &point->touches.items[i];
        if (touch->var == search->var && (!touch->partial || touch->store == search->lps))
            verify_fail(search->graph, point, "it uses %s, whose parts have not been combined", search->var->name);
    }
}

static void check_result(Graph *graph, size_t p, const Touch *touch) {
    Search search = {.graph = graph, .var = touch->var, .lps = touch->store, .from = p,
                     .stop = is_combined, .meets = must_not_use_result, .crosses = crosses_for_lpu};
    run(&search, p);
}

static bool is_counted(const Search *search, const Point *point) {
    return point->step != NULL && point->step->kind == PLAN_COUNT && point->step->source == search->inside;
}

static void must_not_read(const Search *search, const Point *point) {
    if (point->step == NULL && search->var->environment) verify_fail(search->graph, point, "%s has not taken the value of the round", search->var->name);
    for (size_t i = 0; i < point->touches.count; i++)
        if (point->touches.items[i].var == search->var && !point->touches.items[i].write)
            verify_fail(search->graph, point, "it reads %s, which has not taken the value of the round", search->var->name);
}

/* LPUs that take part in the round. */
static bool crosses_with_all(const Search *search, const Point *point, const Edge *edge) {
    return !(edge->skips && point->step->kind == PLAN_GUARD && verify_is_in(search->graph, search->loop, point->step->lockstep->source));
}

/* From the first step of a round on. */
static void check_counter(Graph *graph, const PlanStep *loop) {
    size_t agrees = loop->kind == PLAN_LOCKSTEP, p = 0;
    if (loop->body.count <= agrees) return;
    while (graph->points.items[p].step != loop->body.items[agrees]) p++;
    Search search = {.graph = graph, .inside = loop->source, .var = loop->source->var, .from = p, .loop = loop, .stop = is_counted,
                     .meets = must_not_read, .crosses = crosses_with_all};
    if (is_counted(&search, &graph->points.items[p])) return;
    must_not_read(&search, &graph->points.items[p]);
    run(&search, p);
}

static bool has_counter(const Graph *graph, const PlanStep *step) {
    if (step == NULL || step->source->kind != STEP_REPEAT_FOR) return false;
    if (step->kind != PLAN_REPEAT_FOR && !(step->kind == PLAN_LOCKSTEP)) return false;
    const LpsPlan *home = &graph->task->spaces[step->source->var->home == NULL ? 0 : step->source->var->home->id];
    for (size_t i = 0; i < home->scalars.count; i++)
        if (home->scalars.items[i] == step->source->var) return true;
    return false;
}

static void check_touch(Graph *graph, size_t p, size_t number) {
    const PlanStep *step = graph->points.items[p].step;
    const Touch touch = graph->points.items[p].touches.items[number];
    if (!touch.partial && var_is_array(touch.var)) check_copies(graph, p, &touch);
    if (step->kind != PLAN_STAGE) return;
    if (touch.partial) {
        check_result(graph, p, &touch);
        return;
    }
    check_versions(graph, p, &touch);
    if (var_is_array(touch.var)) check_padding(graph, p, &touch);
}

void verify_moves(Graph *graph) {
    for (int i = 0; i < graph->task->array_count; i++)
        if (graph->task->arrays[i].kept != NULL) check_sides(graph, 0, graph->task->arrays[i].var, true);
    for (size_t p = 0; p < graph->points.count; p++) {
        const PlanStep *step = graph->points.items[p].step;
        if (has_counter(graph, step) && graph->points.items[p].done) check_counter(graph, step);
        if (step != NULL && step->kind == PLAN_EPOCH && step->shared && step->array->var->versions > 2 && !graph->points.items[p].done &&
            graph->points.items[p].touches.count > 0)
            check_bounds(graph, p, step->source, PLAN_EPOCH_CLOSE, false, step->array->var, step->lps);
        for (size_t t = 0; step != NULL && t < graph->points.items[p].touches.count; t++) check_touch(graph, p, t);
    }
}
