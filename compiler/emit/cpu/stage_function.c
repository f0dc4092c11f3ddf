/* One C function for a stage use: parameters from the formals; arrays become base pointers and strides, so
 * that loops see plain C arrays; scalars that the stage writes are copied in and out.
 *
 *     static void scale_A(const Hp5View *x_view, double factor) {
 *         const int64_t x_origin = x_view->store->lo[0];
 *         double *restrict x = HP5_FROM_ORIGIN(double, x_view->store->version[0], x_origin);
 *         for (int64_t i = x_view->part[0].begin, i_end = x_view->part[0].end; i < i_end; i++) {
 *             x[i] = factor * x[i];
 *         }
 *     }
 *
 * The element x[i][j] of a 2-d array is x[i * x_ld1 + j]: x_ld1 elements lie between rows, and x_origin is where the sum
 * stands for the first element in memory. */
#include "compiler/emit/cpu/stage.h"

#include <inttypes.h>
#include <string.h>
#include "compiler/base/diag.h"

/* ---- Names of an array's parts in the function ------------------------------------------------------ */
char *writer_array_name(const Writer *writer, const Var *var, int lag) {
    const char *name = emit_symbol(writer->emit, var);
    return lag == 0 ? arena_strdup(writer->arena, name) : arena_printf(writer->arena, "%s_%d", name, lag);
}
static char *part_of_name(const Writer *writer, const Var *var, const char *suffix) {
    return arena_printf(writer->arena, "%s_%s", emit_symbol(writer->emit, var), suffix);
}

/* ---- Hooks: what expressions in the body look like ---------------------------------------------------- */
static const char *stage_variable(void *data, const Var *var, int lag) {
    Writer *writer = data;
    if (lag > 0) return writer_array_name(writer, var, lag);
    return writer_find(writer, var);
}

static const char *stage_element(void *data, const Expr *expr) {
    Writer *writer = data;
    if (writer->replaced && lower_expr_equal(expr, writer->replaced)) return writer->replacement;
    const char *kept = writer_kept(writer, expr);
    if (kept) return kept;
    if (writer->carried && lower_expr_equal(expr, writer->carried)) return writer->carried_name;
    if (writer_is_split(writer, expr)) return writer_split_element(writer, expr);
    return arena_printf(writer->arena, "%s[%s]", writer_array_name(writer, expr->var, expr->lag), writer_element_place(writer, expr));
}

static const char *stage_field(void *data, const Expr *expr) {
    Writer *writer = data;
    return writer_is_split(writer, expr->left) ? writer_split_field(writer, expr) : NULL;
}

static const char *stage_range(void *data, const Expr *expr) { return writer_range(data, expr); }

static const char *stage_lpu_id(void *data, const Expr *expr) {
    Writer *writer = data;
    const char *file = writer->emit->source_name;
    return arena_printf(writer->arena, "hp5_lpu_id(lpu, %s, %s, %d)", writer_expr(writer, expr->left),
                        emit_string_literal(writer->arena, file, strlen(file)), emit_line(writer->emit, expr->span));
}

/* Membership in a part that is known to be an interval: a comparison with its ends. */
static const char *stage_other(void *data, const Expr *expr) {
    Writer *writer = data;
    if (expr->kind != EXPR_IN) return NULL;
    const Formal *formal = lower_formal(writer->use, expr->right->var);
    int d = expr->right->dimension;
    if (!formal || (!formal->interval[d] && !formal->whole[d])) return NULL;
    return arena_printf(writer->arena, "hp5_range_has(%s, %s)", writer_expr(writer, expr->right), writer_expr(writer, expr->left));
}

/* ---- Parameters ------------------------------------------------------------------------------------------- */
static bool by_pointer(const Type *type) { return type->kind == TYPE_STRUCT || type->kind == TYPE_STATIC_ARRAY; }

/* Compound values come by pointer and places are copied: their parameters have names of their own. */
static bool has_local_copy(const Formal *formal) {
    return formal->kind == FORMAL_PLACE || (formal->kind == FORMAL_VALUE && by_pointer(formal->var->type));
}

static char *parameter(Writer *writer, const Formal *formal) {
    Arena *arena = writer->arena;
    const char *name = emit_symbol(writer->emit, formal->var);
    const char *c_type = emit_storage_type(writer->emit, formal->var->type);
    switch (formal->kind) {
    case FORMAL_VIEW: return arena_printf(arena, "const Hp5View *%s", writer_fresh(writer, part_of_name(writer, formal->var, "view")));
    case FORMAL_PARTIAL:
        return arena_printf(arena, "%s *%s", emit_partial_type(writer->emit, formal), writer_declare(writer, formal->var));
    case FORMAL_PLACE: return arena_printf(arena, "%s *%s_place", c_type, name);
    case FORMAL_VALUE:
        if (by_pointer(formal->var->type)) return arena_printf(arena, "const %s *%s_place", c_type, name);
        return emit_declarator(arena, c_type, writer_declare(writer, formal->var));
    }
    internal_error("emit", "formal kind %d", (int)formal->kind);
}

static char *older_versions(Writer *writer, const Formal *formal) {
    char *text = arena_strdup(writer->arena, "");
    if (formal->kind == FORMAL_VIEW || formal->kind == FORMAL_PARTIAL) return text;
    const char *c_type = emit_storage_type(writer->emit, formal->var->type);
    for (int lag = 1; lag <= formal->max_lag; lag++) {
        bool pointer = by_pointer(formal->var->type);
        char *name = writer_array_name(writer, formal->var, lag);
        if (pointer) name = arena_printf(writer->arena, "%s_place", name);
        text = arena_printf(writer->arena, "%s, %s%s%s", text, pointer ? "const " : "",
                            emit_declarator(writer->arena, c_type, pointer ? "*" : ""), name);
    }
    return text;
}

const char *writer_joined_type(const LoweredBody *code) { return code->nests.items[0]->product->sum.value->type->kind == TYPE_REAL_SINGLE ? "single" : "double"; }

char *writer_stage_parameters(Writer *writer, const StageUse *use, bool on_card) {
    Text head = {0};
    const char *separator = "";
    if (use->needs_worker || writer->crew) text_append(&head, "Hp5Worker *worker"), separator = ", ";
    if (use->needs_lpu) text_printf(&head, "%sconst Hp5Lpu *lpu", separator), separator = ", ";
    for (size_t i = 0; i < use->formals.count; i++) {
        const Formal *formal = &use->formals.items[i];
        char *text = parameter(writer, formal);
        text_printf(&head, "%s%s%s", separator, text, older_versions(writer, formal));
        separator = ", ";
    }
    if (writer->code->border) text_printf(&head, "%sconst Hp5Box *%s", separator, writer->box = writer_fresh(writer, "box")), separator = ", ";
    if (writer->code->joins && !on_card) text_printf(&head, "%sHp5Joined_%s *%s", separator, writer_joined_type(writer->code), writer->joined = writer_fresh(writer, "joined")), separator = ", ";
    char *parameters = arena_strdup(writer->arena, separator[0] ? head.data : "");
    text_free(&head);
    return parameters;
}

/* Elements of it come from another stage, or go to one, in registers. */
static bool is_handed_on(const RelayStage *relay, const Var *array) {
    if (relay == NULL) return false;
    for (size_t i = 0; i < relay->takes.count; i++)
        if (relay->takes.items[i].array == array) return true;
    return relay->gives == array;
}

/* Of a stage that gives elements to others, or takes them: behind the parameters there is one for what gives each. */
static void print_relay_head(Writer *writer, const StageUse *use, const char *parameters) {
    const RelayStage *relay = writer->relay;
    Arena *arena = writer->arena;
    const char *types = "", *head = parameters;
    for (size_t i = 0; i < relay->takes.count; i++) {
        const Expr *element = relay->takes.items[i].element;
        const char *name = writer_fresh(writer, part_of_name(writer, element->var, "given"));
        types = arena_printf(arena, "%s%sclass Given%zu", types, i > 0 ? ", " : "", i + 1);
        head = arena_printf(arena, "%s, const Given%zu &%s", head, i + 1, name);
        vec_push(arena, &writer->given, ((KeptElement){element, name}));
    }
    writer_line(writer, 0, "%s%s%s%s %s %s(%s) {", types[0] ? "template <" : "", types, types[0] ? "> " : "", writer->emit->backend->own, relay->gives ? "auto" : "void", use->symbol, head);
}

/* What locals lead to may be outside of what all values of the array of indices say, without any index that is wrong: `last = ends[i]`, of a row that ends
 * where the array does. Then the form that checks each index is the one that runs. */
static bool runs_seldom(const StageUse *use) {
    bool direct = true;
    for (size_t i = 0; i < use->gathers.count; i++) direct = direct && use->gathers.items[i].direct;
    return direct;
}

static void print_head(Writer *writer, const StageUse *use) {
    const char *parameters = writer_stage_parameters(writer, use, writer->crew != NULL);
    if (writer->relay != NULL) {
        print_relay_head(writer, use, parameters);
        return;
    }
    writer_line(writer, 0, "%s%s void %s%s(%s) {", writer->strict && !writer->crew ? (runs_seldom(use) ? "__attribute__((cold)) " : "__attribute__((noinline)) ") : "", writer->emit->backend->own, use->symbol,
                writer->strict ? "_strict" : "", parameters[0] ? parameters : "void");
}

/* ---- What stands at the function's top ------------------------------------------------------------------------ */
static bool names_version(const LoweredFormal *used, int lag) { return used->versions >> (lag & 63) & 1; }

static void print_origin(Writer *writer, const Formal *formal) {
    const char *view = part_of_name(writer, formal->var, "view");
    const char *origin = part_of_name(writer, formal->var, "origin");
    int rank = formal->var->type->rank;
    char *declarations = arena_strdup(writer->arena, ""), *sum = arena_strdup(writer->arena, "");
    for (int k = 0; k < rank; k++) {
        bool last = k + 1 == rank;
        int d = writer_dimension(writer, formal->var, k);
        const char *ld = writer_ld(writer, formal->var, d);
        sum = arena_printf(writer->arena, "%s%s->store->lo[%d]%s", sum, view, d, last ? "" : arena_printf(writer->arena, " * %s + ", ld));
        if (!last)
            declarations = arena_printf(writer->arena, "%s%s%s = %s->store->stride[%d]", declarations, k > 0 ? ", " : "", ld, view, d);
    }
    if (rank > 1) writer_line(writer, 4, "const int64_t %s;", declarations);
    writer_line(writer, 4, "const int64_t %s = %s;", origin, sum);
}

/* Extern code gets the pointer to the first element in memory, as its documentation says, and an aligned pointer has to point
 * to something aligned. */
static bool can_start_at_origin(const LoweredFormal *used) {
    return !used->foreign && !used->formal->layout.split && used->formal->layout.align == 0;
}

/* Through an integer: C compilers would put pointer and origin together again in every access, and the pointer by itself may
 * lie outside of the array. */
static void print_pointer_from_origin(Writer *writer, const Formal *formal, int lag) {
    const char *c_type = emit_storage_type(writer->emit, formal->var->type->element);
    const char *constant = !formal->written || lag > 0 ? "const " : "";
    writer_line(writer, 4, "%s%s *%s%s = HP5_FROM_ORIGIN(%s%s, %s->store->version[%d], %s);", constant, c_type,
                formal->restricted ? "restrict " : "", writer_array_name(writer, formal->var, lag), constant, c_type,
                part_of_name(writer, formal->var, "view"), lag, part_of_name(writer, formal->var, "origin"));
}

static void print_array(Writer *writer, const LoweredFormal *used) {
    const Formal *formal = used->formal;
    const bool from_origin = can_start_at_origin(used), any = used->versions != 0;
    if (from_origin) vec_push(writer->arena, &writer->from_origin, (Var *)formal->var);
    if (from_origin && any) print_origin(writer, formal);
    for (int d = 0; any && d < formal->var->type->rank; d++)
        if (formal->gaps[d])
            writer_line(writer, 4, writer->crew ? "const Hp5Table %s = hp5_table(%s->store, %d);" : "const Hp5Places %s = hp5_places(%s->store, %d);",
                        writer_places(writer, formal->var, d), part_of_name(writer, formal->var, "view"), d);
    for (int lag = 0; lag < 64; lag++) {
        if (!names_version(used, lag)) continue;
        if (from_origin) print_pointer_from_origin(writer, formal, lag);
        else writer_array_pointer(writer, formal, lag, writer_array_name(writer, formal->var, lag));
    }
    if (!from_origin && any) print_origin(writer, formal);
    if (!any && !lower_block_mentions(&writer->body->block, formal->var))
        writer_line(writer, 4, "(void)%s;", part_of_name(writer, formal->var, "view"));
}

static void print_copy(Writer *writer, const Formal *formal) {
    const char *name = writer_declare(writer, formal->var);
    const char *c_type = emit_storage_type(writer->emit, formal->var->type);
    writer_line(writer, 4, "%s%s %s = *%s_place;", formal->kind == FORMAL_VALUE ? "const " : "", c_type, name,
                emit_symbol(writer->emit, formal->var));
    for (int lag = 1; lag <= formal->max_lag && by_pointer(formal->var->type); lag++) {
        char *older = writer_array_name(writer, formal->var, lag);
        writer_line(writer, 4, "const %s %s = *%s_place;", c_type, older, older);
    }
}

/* The name that stands for all names of the scalar is the one that its place is copied to. */
static void print_second_name(Writer *writer, const StageUse *use, const Formal *formal) {
    const Formal *first = &use->formals.items[formal->same_as - 1];
    bool place = has_local_copy(formal);
    writer_line(writer, 4, "(void)%s%s;", emit_symbol(writer->emit, formal->var), place ? "_place" : "");
    for (int lag = 1; lag <= formal->max_lag && by_pointer(formal->var->type); lag++) {
        char *older = writer_array_name(writer, formal->var, lag);
        writer_line(writer, 4, "const %s %s = *%s_place;", emit_storage_type(writer->emit, formal->var->type), older, older);
    }
    vec_push(writer->arena, &writer->scope, ((ScopeName){formal->var, writer_find(writer, first->var)}));
}

/* Versions of a scalar are passed from the current one to the oldest that is read; those between may be unread. */
static void print_unread(Writer *writer, const LoweredFormal *used) {
    const Formal *formal = used->formal;
    for (int lag = formal->kind == FORMAL_PLACE ? 1 : 0; lag <= formal->max_lag && formal->max_lag > 0; lag++)
        if (!names_version(used, lag)) writer_line(writer, 4, "(void)%s;", lag == 0 ? emit_symbol(writer->emit, formal->var) : writer_array_name(writer, formal->var, lag));
    bool alone = formal->kind == FORMAL_VALUE && formal->max_lag == 0; /* only locals that nothing reads used it */
    if (alone && !lower_block_mentions(&writer->body->block, formal->var))
        writer_line(writer, 4, "(void)%s;", emit_symbol(writer->emit, formal->var));
}

static void print_target(Writer *writer, const Formal *formal) {
    const char *operation = emit_reduce_name(writer->emit, formal->op, formal->value_type);
    const bool any_order = lower_reduces_in_any_order(formal->op, formal->value_type);
    const char *tree = writer_fresh(writer, part_of_name(writer, formal->var, any_order ? "so_far" : "tree"));
    const bool ordered = any_order && !writer->crew && type_is_real(formal->value_type) && (formal->op == REDUCE_MAX || formal->op == REDUCE_MIN);
    vec_push(writer->arena, &writer->targets, ((Target){.var = formal->var, .formal = formal, .operation = operation, .tree = tree, .any_order = any_order, .ordered = ordered}));
    if (ordered) {
        writer_line(writer, 4, "%s %s = hp5_%s_start();", cpu_order_type(formal), tree, operation);
        return;
    }
    if (any_order) {
        writer_line(writer, 4, "%s %s = hp5_%s_identity();", emit_partial_type(writer->emit, formal), tree, operation);
        return;
    }
    writer_line(writer, 4, "Hp5Tree_%s %s;", operation, tree);
    writer_line(writer, 4, "%s.count = 0;", tree);
}

static void find_lpu_id(void *data, const Expr *expr) { *(bool *)data |= expr->kind == EXPR_LPU_ID; }

static bool reads_lpu_id(const Writer *writer) {
    bool found = false;
    lower_walk_block(&(Walk){find_lpu_id, NULL, &found}, &writer->body->block);
    return found;
}

static void print_top(Writer *writer, const LoweredStage *stage) {
    const StageUse *use = stage->code.use;
    if (writer->crew) writer_line(writer, 4, "constexpr Hp5Crew crew = {%s};%s", writer->crew, writer->code->one_thread || (writer->relay && writer->relay->gives) ? " (void)crew;" : "");
    for (size_t i = 0; i < stage->formals.count; i++) {
        const LoweredFormal *used = &stage->formals.items[i];
        const Formal *formal = used->formal;
        if (formal->kind == FORMAL_VIEW && is_handed_on(writer->relay, formal->actual)) writer_line(writer, 4, "(void)%s;", part_of_name(writer, formal->var, "view"));
        else if (formal->kind == FORMAL_VIEW) print_array(writer, used);
        else if (formal->kind == FORMAL_PARTIAL) print_target(writer, formal);
        else if (has_local_copy(formal) && formal->same_as == 0) print_copy(writer, formal);
        if (formal->kind == FORMAL_VALUE || formal->kind == FORMAL_PLACE) print_unread(writer, used);
    }
    for (size_t i = 0; i < use->formals.count; i++)
        if (use->formals.items[i].same_as > 0) print_second_name(writer, use, &use->formals.items[i]);
    bool checks = writer->emit->options.checked;
    if (use->needs_worker || writer->crew) writer_line(writer, 4, "(void)worker;");
    if (use->needs_lpu && (checks || !reads_lpu_id(writer))) writer_line(writer, 4, "(void)lpu;");
}

/* ---- And at its end ----------------------------------------------------------------------------------------------- */
bool writer_stage_has_end(const StageUse *use) {
    for (size_t i = 0; i < use->formals.count; i++)
        if (use->formals.items[i].kind == FORMAL_PLACE || use->formals.items[i].kind == FORMAL_PARTIAL) return true;
    return false;
}

static void find_return(void *data, const Stmt *stmt) { *(bool *)data |= stmt->kind == STMT_RETURN; }
static void find_extern(void *data, const Stmt *stmt) { *(bool *)data |= stmt->kind == STMT_EXTERN; }

/* Of a crew, all of whose threads have come to the end; afterwards each sees what the others have written. */
static void print_end_of_crew(Writer *writer, const StageUse *use) {
    writer_crew_waits(writer, 4);
    for (size_t i = 0; i < writer->targets.count; i++) {
        const Target *target = &writer->targets.items[i];
        if (!target->any_order) continue;
        writer_line(writer, 4, "%s = hp5_join_crew<Hp5Of_%s>(worker, crew, %s);", target->tree, target->operation, target->tree);
    }
    if (!writer_stage_has_end(use)) return;
    writer_line(writer, 4, "if (crew.rank() == 0) {");
    for (size_t i = 0; i < use->formals.count; i++) {
        const Formal *formal = &use->formals.items[i];
        if (formal->kind != FORMAL_PLACE || formal->same_as > 0) continue;
        writer_line(writer, 8, "*%s_place = %s;", emit_symbol(writer->emit, formal->var), writer_find(writer, formal->var));
    }
    for (size_t i = 0; i < writer->targets.count; i++) {
        const Target *target = &writer->targets.items[i];
        const char *finish = target->any_order ? target->tree : arena_printf(writer->arena, "hp5_tree_%s_finish(&%s)", target->operation, target->tree);
        writer_line(writer, 8, "*%s = %s;", writer_find(writer, target->var), finish);
    }
    writer_line(writer, 4, "}");
    writer_crew_waits(writer, 4);
}

static void print_end(Writer *writer, const StageUse *use) {
    for (size_t i = 0; i < use->formals.count; i++) {
        const Formal *formal = &use->formals.items[i];
        if (formal->kind != FORMAL_PLACE || formal->same_as > 0) continue;
        writer_line(writer, 4, "*%s_place = %s;", emit_symbol(writer->emit, formal->var), writer_find(writer, formal->var));
    }
    for (size_t i = 0; i < writer->targets.count; i++) {
        const Target *target = &writer->targets.items[i];
        if (target->ordered)
            writer_line(writer, 4, "*%s = hp5_%s_result(%s);", writer_find(writer, target->var), target->operation, target->tree);
        else if (target->any_order)
            writer_line(writer, 4, "*%s = %s;", writer_find(writer, target->var), target->tree);
        else
            writer_line(writer, 4, "*%s = hp5_tree_%s_finish(&%s);", writer_find(writer, target->var), target->operation,
                        target->tree);
    }
}

void writer_stage_init(Writer *writer, Emit *emit, const LoweredStage *stage, Text *out) {
    writer_init(writer, emit, &stage->code, NULL, out);
    writer->names = (EmitNames){.variable = stage_variable, .element = stage_element, .field = stage_field, .dim_range = stage_range, .lpu_id = stage_lpu_id,
                                .other = stage_other, .code = &stage->code, .data = writer};
    writer->use = stage->code.use;
}

bool cpu_stage_gathers(const Emit *emit, const StageUse *use) { return use->gathers.count > 0 && !emit->options.checked; }

static void print_form(Emit *emit, const LoweredStage *stage, const CrewStage *of_crew, bool strict, Text *out) {
    const StageUse *use = stage->code.use;
    const char *crew = of_crew->tier;
    const RelayStage *relay = of_crew->relay;
    Writer writer;
    writer_stage_init(&writer, emit, stage, out);
    writer.strict = strict;
    writer.crew = crew;
    writer.relay = relay;
    writer.in_step = of_crew->in_step;
    if (stage->code.one_thread) writer.sharing = CREW_FIRST;
    bool returns = false, has_extern = false;
    lower_walk_block(&(Walk){NULL, find_return, &returns}, &use->stage->body.block);
    lower_walk_block(&(Walk){NULL, find_extern, &has_extern}, &use->stage->body.block);
    writer.leaves_by_goto = returns && writer_stage_has_end(use) && crew == NULL;
    const bool gives = relay != NULL && relay->gives != NULL;
    text_printf(out, "/* Stage %s in Space %s (line %d)%s%s. */\n", use->stage->body.name, use->lps->name, emit_line(emit, use->stage->body.span),
                strict ? ", checking indices that it takes from arrays" : "", gives ? ", element by element" : "");
    print_head(&writer, use);
    print_top(&writer, stage);
    if (!crew && !has_extern) writer_note_ranges_in_loops(&writer, &use->stage->body.block); /* an extern block's line is counted when it is written */
    const size_t top = out->length;
    writer_lists_scope(&writer, &use->stage->body);
    if (crew && returns) writer_line(&writer, 4, "[&]() { /* which the statements return from */");
    writer_block(&writer, &use->stage->body.block, crew && returns ? 8 : 4);
    if (crew && returns) writer_line(&writer, 4, "}();");
    writer_declare_ranges(&writer, 0, top, 4);
    if (writer.leaves_by_goto) writer_line(&writer, 0, "done:");
    if (crew && !stage->code.one_thread && !gives) print_end_of_crew(&writer, use);
    else print_end(&writer, use);
    text_append(out, "}\n\n");
}

void writer_stage(Emit *emit, const LoweredStage *stage, const CrewStage *of_crew, Text *out) {
    print_form(emit, stage, of_crew, false, out);
    if (cpu_stage_gathers(emit, stage->code.use)) print_form(emit, stage, of_crew, true, out);
}

void cpu_stage(Emit *emit, const LoweredStage *stage, Text *out) { writer_stage(emit, stage, &(CrewStage){0}, out); }
