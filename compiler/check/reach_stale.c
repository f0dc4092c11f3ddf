/* Padding that is older than the part. In one visit of a padded Space an LPU's copies are filled once; then it is alone with
 * them. A stage that writes v, and another one that reads v[i - 1] behind it, find old elements in the padding, unless the
 * first one has written there, too, as the steps of a stencil do whose padding is deep enough for several.
 *
 * For each array, version and end of the part it is kept how many indices beyond the LPU's own ones are as new as the part:
 * all of the padding when the Space is entered; what a stage has written, less what it read further out, behind that.
 *
 *   v[i] = u[i - 1] + u[i + 1]    for i > own.min and i < own.max, padding(1): v is new in the part alone
 *   u[i] = v[i - 1]               reads one index beyond: too old
 *
 * reach_note_stencil is asked about each statement while reach.c walks the stages, reach_warn_stale then follows the
 * Computation. What is not understood makes everything new: no false alarms. So do paddings that are no literals. Repeats are
 * taken to run twice, unless their range says otherwise. */
#include "compiler/check/reach.h"

enum { ALL_NEW = INT32_MAX, MOST_CALLS = 10000, MOST_ROUNDS = 8 };

/* ---- What one assignment reads ------------------------------------------------------------------------- */

/* The Space of the call divides the dimension in blocks, with so much padding there: 0 if none, or not known. */
static int64_t padding_at(Reach *reach, const Var *array, int dimension, bool last, const Level **level) {
    int64_t padding = 0;
    *level = reach_find_level(reach_chain(reach, array, dimension), reach->call->lps);
    if (*level == NULL || reach_is_strided(*level) || !reach_padding(*level, last, &padding)) return 0;
    return padding;
}

typedef struct Search { Reach *reach; Stencil *stencil; const Var *index; int64_t shift; int dim; VEC(Local *) locals; } Search;

static void add_taps(Search *search, const Expr *element) {
    Reach *reach = search->reach;
    const Var *array = reach_global(reach, element->var);
    if (array == NULL || array->kind != VAR_GLOBAL) return;
    for (size_t d = 0; d < element->arguments.count; d++) {
        const Level *level;
        const bool last = search->stencil->last;
        const int64_t padding = padding_at(reach, array, (int)d, last, &level);
        if (padding == 0 || level->dim != search->dim) continue;
        const Value value = reach_plain_value(reach, element->arguments.items[d]);
        if (value.kind != VALUE_INDEX || value.index != search->index) continue;
        const int64_t offset = last ? value.high - search->shift : search->shift - value.low;
        vec_push(reach->check->arena, &search->stencil->taps, ((Tap){element, array, (int)d, element->lag, offset, padding}));
    }
}

/* In the value and in what its locals are made of. */
static void search_taps(Search *search, const Expr *expr) {
    Reach *reach = search->reach;
    if (expr == NULL || --reach->effort < 0) return;
    if (expr->kind == EXPR_ELEMENT) {
        add_taps(search, expr);
        return;
    }
    if (expr->kind == EXPR_VAR && expr->var->kind == VAR_LOCAL && !reach->locals[expr->var->id].busy) {
        Local *local = &reach->locals[expr->var->id];
        local->busy = true;
        vec_push(reach->check->arena, &search->locals, local);
        for (size_t i = 0; i < local->definitions.count; i++) {
            const Definition *definition = &local->definitions.items[i];
            for (size_t k = 0; k < definition->conditions.count; k++) /* i - 1 in v.local.dimension1.range: it knows what it does */
                if (!reach_is_blind(reach, definition->conditions.items[k])) search->stencil->kind = STENCIL_UNKNOWN;
            search_taps(search, definition->value);
        }
    }
    search_taps(search, expr->left);
    search_taps(search, expr->right);
    for (size_t i = 0; i < expr->arguments.count; i++) search_taps(search, expr->arguments.items[i]);
}

/* ---- Where it writes ------------------------------------------------------------------------------------ */

static bool is_plain(Reach *reach, const ExprVec *bounds) {
    for (size_t i = 0; i < bounds->count; i++) {
        const Value value = reach_plain_value(reach, bounds->items[i]);
        if (value.kind != VALUE_END && !value.literal) return false;
    }
    return true;
}

/* Whether the loops come to all elements but those at the ends. */
static bool covers_all(Reach *reach, const Expr *target) {
    if (reach->branches > 0) return false;
    for (size_t i = 0; i < reach->guards.count; i++)
        if (reach->guards.items[i].pinned) return false;
    for (size_t i = 0; i < reach->scopes.count; i++) {
        const LoopIndex *index = reach->scopes.items[i].index;
        if (index != NULL && (index->filters.count > 0 || index->other_dimension >= 0 || !is_plain(reach, &index->lower) || !is_plain(reach, &index->upper)))
            return false;
    }
    for (size_t d = 0; d < target->arguments.count; d++) {
        const Value value = reach_plain_value(reach, target->arguments.items[d]);
        const Scope *scope = value.kind == VALUE_INDEX ? reach_scope(reach, value.index) : NULL;
        if (scope == NULL || (scope->index == NULL && scope->sequence->step != NULL)) return false;
        if (scope->index != NULL && scope->index->domain_range != NULL && scope->index->domain_range->kind == EXPR_RANGE) return false;
    }
    return true;
}

/* How far beyond the LPU's own indices the loop over `index` goes at one end; false: not known. */
static bool goes_to(Reach *reach, const Var *index, const Level *level, bool last, int64_t *distance) {
    Keepers keepers = {.count = 0};
    bool any = false;
    reach_keepers(reach, index, last, &keepers);
    for (int i = 0; i < keepers.count; i++) {
        const Keeper *keeper = &keepers.items[i];
        const Level *other = reach_find_level(reach_chain(reach, keeper->array, keeper->dimension), level->lps);
        int64_t padding;
        if (other == NULL || other->dim != level->dim || !reach_same_division(level, other) || !reach_padding(other, last, &padding)) return false;
        if (!any || padding - keeper->inward < *distance) *distance = padding - keeper->inward;
        any = true;
    }
    return any && !keepers.unknown && !keepers.pinned;
}

static void note_side(Reach *reach, const Stmt *stmt, const Var *array, int dimension, bool last) {
    const Level *level;
    Stencil stencil = {.stmt = stmt, .array = array, .dimension = dimension, .last = last, .kind = STENCIL_UNKNOWN};
    stencil.padding = padding_at(reach, array, dimension, last, &level);
    if (stencil.padding == 0) return;
    const Level copy = *level;
    const Value value = reach_plain_value(reach, stmt->target->arguments.items[dimension]);
    const bool known = value.kind == VALUE_INDEX && value.low == value.high && reach->silenced == 0 &&
                       goes_to(reach, value.index, &copy, last, &stencil.written);
    if (known) {
        stencil.kind = covers_all(reach, stmt->target) ? STENCIL_ALL : STENCIL_SOME;
        stencil.written += last ? value.low : -value.low;
        Search search = {reach, &stencil, value.index, value.low, copy.dim, {0}};
        search_taps(&search, stmt->value);
        for (size_t i = 0; i < search.locals.count; i++) search.locals.items[i]->busy = false;
        if (reach->effort < 0) stencil.kind = STENCIL_UNKNOWN;
    }
    vec_push(reach->check->arena, &reach->stencils[reach->call->id], stencil);
}

typedef struct References { Reach *reach; const Stmt *stmt; } References;

/* Elements that a function may change. */
static bool note_references(Expr *expr, void *data) {
    const References *references = data;
    if (expr->kind != EXPR_CALL) return true;
    for (size_t i = 0; i < expr->arguments.count && i < expr->function->body.params.count; i++) {
        const Expr *place = expr->function->body.params.items[i]->by_reference ? expr->arguments.items[i] : NULL;
        while (place != NULL && place->kind != EXPR_ELEMENT) place = place->left;
        if (place == NULL) continue;
        const Stencil stencil = {.stmt = references->stmt, .array = reach_global(references->reach, place->var), .dimension = -1};
        vec_push(references->reach->check->arena, &references->reach->stencils[references->reach->call->id], stencil);
    }
    return true;
}

void reach_note_stencil(Reach *reach, const Stmt *stmt) {
    const Lps *lps = reach->call->lps;
    if (lps->dims == 0 || lps->sub_partition || lps->dynamic) return;
    References references = {reach, stmt};
    if (stmt->value != NULL) walk_expr(stmt->value, note_references, &references);
    if (stmt->kind == STMT_EXTERN)
        vec_push(reach->check->arena, &reach->stencils[reach->call->id], ((Stencil){.stmt = stmt, .dimension = -1}));
    if (stmt->kind != STMT_ASSIGN || stmt->target->kind != EXPR_ELEMENT) return;
    const Var *array = reach_global(reach, stmt->target->var);
    for (int d = 0; array != NULL && var_is_array(array) && d < array->type->rank; d++)
        for (int last = 0; last < 2; last++) {
            reach->effort = REACH_EFFORT;
            note_side(reach, stmt, array, d, last != 0);
        }
}

/* ---- One visit ------------------------------------------------------------------------------------------- */

/* So many indices beyond the LPU's own ones are as new as these. */
typedef struct Age { const Var *array; int dimension; bool last; int lag; int64_t fresh; const Stmt *writer; const Step *call; } Age;
typedef VEC(const Stmt *) Reported;
typedef struct Visit {
    Reach *reach;
    const Lps *lps;
    VEC(Age) ages;
    int64_t calls;
    bool lost; /* anything may have been written */
    Reported *reported;
} Visit;

static Age *find_age(Visit *visit, const Var *array, int dimension, bool last, int lag) {
    for (size_t i = 0; i < visit->ages.count; i++) {
        Age *age = &visit->ages.items[i];
        if (age->array == array && age->dimension == dimension && age->last == last && age->lag == lag) return age;
    }
    return NULL;
}

static void set_age(Visit *visit, Age age) {
    Age *old = find_age(visit, age.array, age.dimension, age.last, age.lag);
    if (old != NULL) *old = age;
    else vec_push(visit->reach->check->arena, &visit->ages, age);
}

static void forget(Visit *visit, const Var *array) {
    if (array == NULL) visit->lost = true;
    for (int d = 0; array != NULL && d < array->type->rank; d++)
        for (int last = 0; last < 2; last++) set_age(visit, (Age){.array = array, .dimension = d, .last = last != 0, .fresh = ALL_NEW});
}

static bool is_reported(const Visit *visit, const Stmt *stmt) {
    for (size_t i = 0; i < visit->reported->count; i++)
        if (visit->reported->items[i] == stmt) return true;
    return false;
}

static void report(Visit *visit, const Step *call, const Stencil *stencil, const Tap *tap, const Age *age) {
    if (is_reported(visit, stencil->stmt)) return;
    vec_push(visit->reach->check->arena, visit->reported, stencil->stmt);
    const Check *check = visit->reach->check;
    const Span span = tap->element->span;
    const char *element = arena_printf(check->arena, "%.*s", (int)(span.end - span.start), check->ast->source->text + span.start);
    const char *array = tap->array->name, *space = visit->lps->name;
    Diag *diag = diag_warning(check->diags, W_OLD_PADDING, span,
                              "'%s' finds old elements in the padding of %s: it is filled when Space %s is entered, and the LPU has written its part of %s since then",
                              element, array, space, array);
    diag_note(diag, age->writer->target->span, age->fresh == 0 ? "%s becomes new here in the LPU's own part alone" : "%s becomes new here up to %lld beyond the LPU's own part",
              array, (long long)age->fresh);
    const bool again = age->call->id >= call->id;
    diag_help(diag, again ? "enter Space %s in each round: 'Repeat … { Space %s { … } }'"
                          : "leave Space %s between both stages, so that padding is brought up to date: '… } Space %s { %s(…) …'",
              space, space, call->stage->body.name);
    diag_help(diag, "or give all padded arrays of Space %s %lld more of padding%s", space, (long long)(tap->offset - age->fresh),
              again ? " for each round" : "");
}

/* The first element that is too old; *fresh gets how far the result is new. */
static bool taps_are_fresh(Visit *visit, const Step *call, const Stencil *stencil, int64_t *fresh) {
    for (size_t i = 0; i < stencil->taps.count && !visit->lost; i++) {
        const Tap *tap = &stencil->taps.items[i];
        const Age *age = find_age(visit, tap->array, tap->dimension, stencil->last, tap->lag);
        const int64_t here = age == NULL ? tap->padding : age->fresh;
        if (here == ALL_NEW) continue;
        if (age != NULL && here < tap->padding && tap->offset > here && stencil->written >= 0) {
            report(visit, call, stencil, tap, age);
            return false;
        }
        if (here - tap->offset < *fresh) *fresh = here - tap->offset;
    }
    return true;
}

static void apply_stencil(Visit *visit, const Step *call, const Stencil *stencil, bool surely) {
    int64_t fresh = stencil->written < stencil->padding ? stencil->written : stencil->padding;
    if (stencil->kind == STENCIL_UNKNOWN) {
        forget(visit, stencil->array);
        return;
    }
    if (!taps_are_fresh(visit, call, stencil, &fresh)) fresh = ALL_NEW; /* said once */
    else if (stencil->kind == STENCIL_SOME || !surely) return;
    if (fresh < 0) fresh = ALL_NEW; /* the loop leaves out parts of the part: said elsewhere */
    set_age(visit, (Age){stencil->array, stencil->dimension, stencil->last, 0, fresh, stencil->stmt, call});
}

static void end_epoch(Visit *visit, const Step *epoch) {
    for (size_t v = 0; v < epoch->advances.count; v++) {
        const Var *var = epoch->advances.items[v];
        for (int d = 0; var_is_array(var) && d < var->type->rank; d++)
            for (int last = 0; last < 2; last++)
                for (int lag = var->versions - 1; lag > 0; lag--) {
                    const Age *newer = find_age(visit, var, d, last != 0, lag - 1);
                    if (newer == NULL) continue;
                    Age age = *newer;
                    age.lag = lag;
                    set_age(visit, age);
                }
    }
}

static int64_t rounds_of(const Step *repeat) {
    const Expr *range = repeat->kind == STEP_REPEAT_FOR ? repeat->range : NULL;
    if (range == NULL || range->kind != EXPR_RANGE || range->left->kind != EXPR_INTEGER || range->right->kind != EXPR_INTEGER) return 2;
    if (repeat->step != NULL) return 1;
    const int64_t rounds = range->right->integer - range->left->integer + 1;
    return rounds < MOST_ROUNDS ? rounds : MOST_ROUNDS;
}

static void follow(Visit *visit, const StepVec *steps, bool surely);

static void follow_step(Visit *visit, const Step *step, bool surely) {
    switch (step->kind) {
    case STEP_CALL:
        if (++visit->calls > MOST_CALLS) return;
        for (size_t i = 0; i < visit->reach->stencils[step->id].count; i++)
            apply_stencil(visit, step, &visit->reach->stencils[step->id].items[i], surely);
        break;
    case STEP_REPEAT_FOR: case STEP_REPEAT_WHILE:
        for (int64_t round = rounds_of(step); round > 0 && visit->calls <= MOST_CALLS; round--) follow(visit, &step->body, surely);
        break;
    case STEP_IF: follow(visit, &step->body, false); break;
    case STEP_EPOCH:
        follow(visit, &step->body, surely);
        end_epoch(visit, step);
        break;
    case STEP_SPACE: case STEP_REPEAT_SUB: visit->ages.count = 0; break; /* other Spaces write whatever they do */
    }
}

static void follow(Visit *visit, const StepVec *steps, bool surely) {
    for (size_t i = 0; i < steps->count; i++) follow_step(visit, steps->items[i], surely);
}

static void find_visits(Reach *reach, const StepVec *steps, Reported *reported) {
    for (size_t i = 0; i < steps->count; i++) {
        const Step *step = steps->items[i];
        if (step->kind == STEP_SPACE && step->space->dims > 0 && !step->space->dynamic) {
            Visit visit = {.reach = reach, .lps = step->space, .reported = reported};
            follow(&visit, &step->body, true);
        }
        find_visits(reach, &step->body, reported);
    }
}

void reach_warn_stale(Reach *reach) {
    Reported reported = {0};
    find_visits(reach, &reach->task->flow, &reported);
}
