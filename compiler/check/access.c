/* Who may write what in which LPS, and where the scalars live (language.md,
 * section 3.3, rules 5, 6 and 9).
 *
 * A place of the Computation that writes a scalar is the LPS of the call or Repeat,
 * or the target LPS of a reduction. The scalar's home is the lowest LPS that
 * contains all its places; each instance must be written by one LPU at a time. */
#include "compiler/check/declare.h"

/* ---- Counting LPUs ------------------------------------------------------------------------ */

static bool is_one(const Expr *expr) { return expr != NULL && expr->kind == EXPR_INTEGER && expr->integer == 1; }

static bool divides_into_one(const DimPartition *dim) {
    switch (dim->function) {
    case PART_BLOCK_COUNT: case PART_STRIDE: return is_one(dim->arguments[0]);
    case PART_BLOCK_STRIDE: return is_one(dim->arguments[1]);
    default: return false;
    }
}

bool lps_has_several(const Lps *lps, int dimension) {
    bool divided = false;
    for (size_t v = 0; v < lps->vars.count; v++) {
        const DimPartition *dim = &lps->vars.items[v].dims[dimension];
        if (divides_into_one(dim)) return false;
        if (dim->function != PART_REPLICATED && dim->function != PART_NONE) divided = true;
    }
    return divided;
}

static bool has_one_lpu(const Lps *lps) {
    for (int d = 0; d < lps->dims; d++)
        if (lps_has_several(lps, d)) return false;
    return true;
}

bool lps_is_one_within(const Lps *lps, const Lps *above) {
    for (; lps != above; lps = lps->parent)
        if (!lps->sub_partition && !has_one_lpu(lps)) return false;
    return true;
}

static Lps *common_lps(Lps *a, Lps *b) {
    while (!lps_is_within(b, a)) a = a->parent;
    return a;
}

/* ---- Writing arrays ---------------------------------------------------------------------------- */

static bool lists(const Lps *lps, const Var *var) {
    return lps_find_var(lps, var) != NULL || (lps->sub_partition && lps_find_var(lps->parent, var) != NULL);
}

static const char *stage_name(const Access *access) { return access->step->stage->body.name; }

static void check_array_write(Flow *flow, const Access *access) {
    Lps *lps = access->step->lps;
    if (!access->use.written || !var_is_array(access->var) || lists(lps, access->var)) return;
    const char *space = lps_proper(lps)->name;
    Diag *diag = diag_error(flow->check->diags, E_WRITE_NOT_LISTED, access->span,
                            "stage '%s' writes '%s', which Space %s does not list", stage_name(access), access->var->name, space);
    diag_note(diag, access->use.first_write, "the stage writes it here");
    diag_help(diag, "list '%s' in Space %s, or call the stage in an LPS that lists it", access->var->name, space);
}

/* ---- Reductions ----------------------------------------------------------------------------------- */

/* The stage has the target by another name as well, as a second parameter or because its body names it. */
static void check_second_name(Flow *flow, const Access *reduction) {
    const AccessRefs *refs = &flow->by_var[reduction->var->id];
    for (size_t i = 0; i < refs->count; i++) {
        const Access *access = refs->items[i];
        bool another = access != reduction && access->step == reduction->step;
        if (!another || (access->use.reduced && access < reduction)) continue;
        if (!access->use.read && !access->use.written && !access->use.reduced) continue;
        Diag *diag = diag_error(flow->check->diags, E_REDUCE_READ, access->span,
                                "'%s' is the target of a reduction in stage '%s', which gets it by another name, too, and %s it",
                                access->var->name, stage_name(access),
                                access->use.reduced ? "reduces into" : access->use.written ? "writes" : "reads");
        diag_note(diag, reduction->span, "here it is the target");
        diag_help(diag, "its result is there when the stage has ended; give the stage another variable");
        return;
    }
}

/* All results of one variable go to one LPS, which is its home. Returns the first reduction into it, or NULL. */
static const Access *find_reduction(Flow *flow, const Var *var) {
    const Access *first = NULL;
    const AccessRefs *refs = &flow->by_var[var->id];
    for (size_t i = 0; i < refs->count; i++) {
        const Access *access = refs->items[i];
        if (!access->use.reduced) continue;
        check_second_name(flow, access);
        if (first == NULL) first = access;
        if (access->reduction_space == first->reduction_space) continue;
        Diag *diag = diag_error(flow->check->diags, E_REDUCTION_CONFLICT, access->span,
                                "the result of this reduction goes to Space %s, but '%s' lives in Space %s",
                                access->reduction_space->name, var->name, first->reduction_space->name);
        diag_note(diag, first->span, "here it is the target in Space %s", first->reduction_space->name);
        diag_help(diag, "use another Reduction variable, or write 'Space %s: %s' here", first->reduction_space->name, var->name);
        return first;
    }
    return first;
}

static void check_reduction_writes(Flow *flow, const Access *reduction) {
    const Lps *home = reduction->reduction_space;
    const AccessRefs *refs = &flow->by_var[reduction->var->id];
    for (size_t i = 0; i < refs->count; i++) {
        const Access *access = refs->items[i];
        if (!access->use.written || access->use.reduced) continue;
        if (lps_is_within(access->step->lps, home)) continue;   /* check_single_writer looks at these */
        Diag *diag = diag_error(flow->check->diags, E_REDUCTION_WRITTEN, access->span,
                                "'%s' is the target of a reduction in Space %s, so it cannot be written in Space %s",
                                access->var->name, home->name, lps_proper(access->step->lps)->name);
        diag_note(diag, reduction->span, "the reduction is here");
        diag_help(diag, "a reduction starts afresh each time, so it needs no initial value; write another variable");
    }
}

/* ---- Scalars --------------------------------------------------------------------------------------- */

/* A Repeat that counts in the variable. */
static bool is_count(const Access *access) { return access->step->kind == STEP_REPEAT_FOR && access->use.written; }

static Lps *place_of(const Access *access) { return access->use.reduced ? access->reduction_space : lps_proper(access->step->lps); }

static void report_shared_scalar(Flow *flow, const Access *access) {
    const Var *var = access->var;
    const Lps *place = lps_proper(access->step->lps);
    Diag *diag;
    if (is_count(access)) {
        diag = diag_error(flow->check->diags, E_SCALAR_SHARED, access->span,
                          "several LPUs of Space %s would count in '%s', which lives in Space %s", place->name, var->name,
                          var->home->name);
        diag_help(diag, "use another Repeat variable here, or leave '%s' out of the Define section: then it belongs to its loop", var->name);
        return;
    }
    diag = diag_error(flow->check->diags, E_SCALAR_SHARED, access->span,
                      "several LPUs of Space %s would write '%s', which lives in Space %s", place->name, var->name,
                      var->home->name);
    diag_note(diag, access->use.first_write, "stage '%s' writes it here", stage_name(access));
    diag_help(diag, "to combine the LPUs' values make it a reduction: 'reduce(%s, \"sum\", …)' and 'Space %s: %s'", var->name,
              var->home->name, var->name);
}

/* Each instance of the scalar is written by one LPU at a time. */
static void check_single_writer(Flow *flow, const Var *var) {
    const AccessRefs *refs = &flow->by_var[var->id];
    for (size_t i = 0; i < refs->count; i++) {
        const Access *access = refs->items[i];
        if (!access->use.written || access->use.reduced) continue;
        if (!lps_is_within(access->step->lps, var->home) || lps_is_one_within(access->step->lps, var->home)) continue;
        report_shared_scalar(flow, access);
        return;
    }
}

static void check_handed_back(Flow *flow, const Var *var, const Access *writer) {
    const Lps *root = flow->task->spaces.items[0];
    if (!var->environment || lps_is_one_within(var->home, root)) return;
    Diag *diag = diag_error(flow->check->diags, E_SCALAR_ENVIRONMENT, writer->span,
                            "the environment hands '%s' back, but each LPU of Space %s has one of its own", var->name,
                            var->home->name);
    diag_note(diag, var->span, "'%s' is declared here", var->name);
    diag_help(diag, "reduce the values into an LPS with one LPU: 'Space Root: %s'", var->name);
}

/* Moves a scalar, and the reductions into it, up to an LPS with as many LPUs. */
static void raise_home(Flow *flow, Var *var, Lps *home) {
    var->home = home;
    const AccessRefs *refs = &flow->by_var[var->id];
    for (size_t i = 0; i < refs->count; i++) {
        Access *access = refs->items[i];
        if (!access->use.reduced) continue;
        access->reduction_space = home;
        for (size_t a = 0; a < access->step->arguments.count; a++) {
            StageArg *arg = &access->step->arguments.items[a];
            if (arg->var == var && arg->reduction_space != NULL) arg->reduction_space = home;
        }
    }
}

/* Who reads the scalar outside its home must find one instance there. */
static void check_readers(Flow *flow, Var *var) {
    const AccessRefs *refs = &flow->by_var[var->id];
    for (size_t i = 0; i < refs->count; i++) {
        const Access *access = refs->items[i];
        if (!access->use.read || lps_is_within(access->step->lps, var->home)) continue;
        Lps *common = lps_proper(common_lps(var->home, access->step->lps));
        if (lps_is_one_within(var->home, common)) {
            raise_home(flow, var, common);
            continue;
        }
        Diag *diag = diag_error(flow->check->diags, E_SCALAR_READ, access->span,
                                "'%s' is read in Space %s, but each LPU of Space %s has one of its own", var->name,
                                lps_proper(access->step->lps)->name, var->home->name);
        diag_help(diag, "%s the values into an LPS that contains both: 'Space %s: %s'", var->reduction ? "reduce" : "make it a Reduction and combine",
                  common->name, var->name);
        return;
    }
}

static void find_home(Flow *flow, Var *var) {
    const Access *reduction = find_reduction(flow, var), *writer = NULL;
    const AccessRefs *refs = &flow->by_var[var->id];
    for (size_t i = 0; i < refs->count; i++) {
        const Access *access = refs->items[i];
        if (!access->use.written && !access->use.reduced) continue;
        var->home = writer == NULL ? place_of(access) : lps_proper(common_lps(var->home, place_of(access)));
        writer = access;
    }
    if (writer == NULL) return;
    if (reduction != NULL) {
        var->home = reduction->reduction_space;
        check_reduction_writes(flow, reduction);
    }
    check_single_writer(flow, var);
    check_readers(flow, var);
    check_handed_back(flow, var, writer);
}

/* ---- Repeat variables --------------------------------------------------------------------------------- */

static void check_repeat_variable(Flow *flow, const Access *repeat) {
    int end = step_end(repeat->step);
    const AccessRefs *refs = &flow->by_var[repeat->var->id];
    for (size_t i = 0; i < refs->count; i++) {
        const Access *access = refs->items[i];
        if (access->step->id <= repeat->step->id || access->step->id >= end) continue;
        if (!access->use.written && !access->use.reduced) continue;
        bool nested = is_count(access);
        Diag *diag = diag_error(flow->check->diags, E_REPEAT_ASSIGNED, access->span,
                                nested ? "'%s' counts an enclosing Repeat already"
                                       : "the Repeat variable '%s' is changed inside its Repeat", repeat->var->name);
        if (!nested) diag_note(diag, access->use.first_write, "stage '%s' writes it here", stage_name(access));
        diag_note(diag, repeat->span, "the Repeat over '%s' is here", repeat->var->name);
        diag_help(diag, nested ? "use another variable" : "pass a variable of its own to the stage; to end a loop early use 'Repeat while'");
        return;
    }
}

void check_accesses(Flow *flow) {
    flow->by_var = ARENA_ARRAY(flow->check->arena, AccessRefs, flow->task->globals.count + 1);
    for (size_t i = 0; i < flow->accesses.count; i++)
        vec_push(flow->check->arena, &flow->by_var[flow->accesses.items[i].var->id], &flow->accesses.items[i]);
    for (size_t i = 0; i < flow->accesses.count; i++) {
        check_array_write(flow, &flow->accesses.items[i]);
        if (is_count(&flow->accesses.items[i])) check_repeat_variable(flow, &flow->accesses.items[i]);
    }
    for (size_t i = 0; i < flow->task->globals.count; i++)
        if (!var_is_array(flow->task->globals.items[i])) find_home(flow, flow->task->globals.items[i]);
}
