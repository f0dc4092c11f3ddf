/* Parallel loops: prints the nests that lowering made of them. */
#include "compiler/emit/cpu/stage.h"

/* ---- Bounds --------------------------------------------------------------------------------------- */
char *writer_after(Writer *writer, const Expr *bound) {
    bool minus_one = bound->kind == EXPR_BINARY && bound->op == OP_SUB && bound->right->kind == EXPR_INTEGER &&
                     bound->right->integer == 1;
    if (minus_one) return writer_expr(writer, bound->left);
    char *plain = writer_plain_after(writer, bound);
    if (plain) return plain;
    return arena_printf(writer->arena, "hp5_after(%s)", writer_expr(writer, bound));
}

static void domain_bounds(Writer *writer, const Loop *loop, char **begin, char **end) {
    Arena *arena = writer->arena;
    const Expr *range = loop->index->domain_range;
    if (loop->domain_var) {
        char *part = writer_part(writer, loop->domain_var, loop->dimension);
        *begin = arena_printf(arena, "%s.begin", part);
        *end = arena_printf(arena, "%s.end", part);
        if (loop->other_dimension < 0) return;
        char *other = writer_part(writer, loop->domain_var, loop->other_dimension);
        *begin = arena_printf(arena, "hp5_max(%s, %s.begin)", *begin, other);
        *end = arena_printf(arena, "hp5_min(%s, %s.end)", *end, other);
    } else if (range->kind == EXPR_RANGE) {
        *begin = writer_expr(writer, range->left);
        *end = writer_after(writer, range->right);
    } else {
        char *text = writer_expr_primary(writer, range);
        *begin = emit_member(arena, text, "min");
        *end = arena_printf(arena, "hp5_after(%s)", emit_member(arena, text, "max"));
    }
}

void writer_loop_bounds(Writer *writer, const Loop *loop, const char *run, char **begin, char **end) {
    Arena *arena = writer->arena;
    if (writer->piece_of.loop == loop) {
        *begin = arena_strdup(arena, writer->piece_of.first);
        *end = arena_strdup(arena, writer->piece_of.stop);
        return;
    }
    if (run) {
        *begin = arena_printf(arena, "%s.begin", run);
        *end = arena_printf(arena, "%s.end", run);
    } else {
        domain_bounds(writer, loop, begin, end);
    }
    const LoopIndex *index = loop->index;
    if (loop->domain_var) vec_push(arena, &writer->array_indices, index->var);
    if (loop->box > 0) {
        *begin = arena_printf(arena, "hp5_max(%s, %s->lo[%d])", *begin, writer->box, loop->box - 1);
        *end = arena_printf(arena, "hp5_min(%s, %s->hi[%d])", *end, writer->box, loop->box - 1);
    }
    for (size_t i = 0; i < index->lower.count; i++)
        *begin = arena_printf(arena, "hp5_max(%s, %s)", *begin, writer_expr(writer, index->lower.items[i]));
    for (size_t i = 0; i < index->upper.count; i++)
        *end = arena_printf(arena, "hp5_min(%s, %s)", *end, writer_after(writer, index->upper.items[i]));
}

static bool is_counted(Writer *writer, const Loop *loop) {
    const LoopIndex *index = loop->index;
    return !loop->domain_var && index->lower.count == 0 && index->upper.count == 0 && writer_is_counted(writer, index->domain_range);
}

/* ---- Loops ------------------------------------------------------------------------------------------- */
static void print_filters(Writer *writer, const Loop *loop, const Steps *steps, int indent) {
    for (size_t i = 0; i < loop->index->filters.count; i++)
        if (steps == NULL || loop->index->filters.items[i] != steps->filter)
            writer_line(writer, indent, "if (!%s) continue;", writer_expr_primary(writer, loop->index->filters.items[i]));
}

void writer_filters(Writer *writer, const Loop *loop, int indent) { print_filters(writer, loop, NULL, indent); }

/* A filter that is the same for every m-th iteration becomes the loop's step:
 *
 *     for (int64_t j = hp5_first_in_class(begin, i, 2, colour), j_end = …; j < j_end; j += 2) {          (i + j) % 2 == colour
 */
static void step_bounds(Writer *writer, const Steps *steps, char **begin, char **end) {
    Arena *arena = writer->arena;
    const char *rest = steps->rest != NULL ? writer_expr(writer, steps->rest) : "0", *remainder = writer_expr(writer, steps->remainder);
    *begin = arena_printf(arena, "hp5_first_in_class(%s, %s, %lld, %s)", *begin, rest, (long long)steps->modulus, remainder);
    if (steps->remainder->kind != EXPR_INTEGER || steps->remainder->integer < 0) *end = arena_printf(arena, "hp5_end_of_class(%s, %s, %s)", *end, rest, remainder);
}

/* A loop over stretches of places. Of `k in [lo...hi]` the whole range is one run:
 *
 *     for (Hp5Stretches i_stretches = hp5_stretches_of(&x_view->part[0], 0); hp5_stretches_go_on(&i_stretches);) {
 *         const Hp5Stretch x_i = hp5_next_stretch(&i_stretches, &x_places1);
 *         const Hp5Run i_run = hp5_stretched(&i_stretches);
 *         …                                        x[i + x_i.shift]
 *     }
 *
 * Where several arrays have places, each stretch ends with the first of theirs. */
static const char *print_stretches(Writer *writer, const Loop *loop, const char *start, int indent) {
    const char *index = loop->index->var->name, *run = writer_fresh(writer, arena_printf(writer->arena, "%s_run", index));
    const char *walk = writer_fresh(writer, arena_printf(writer->arena, "%s_stretches", index));
    writer_line(writer, indent, "for (Hp5Stretches %s = %s; hp5_stretches_go_on(&%s);) {", walk, start, walk);
    for (size_t p = 0; p < loop->places.count; p++) {
        const LoopPlace *place = &loop->places.items[p];
        const char *stretch = writer_fresh(writer, arena_printf(writer->arena, "%s_%s", emit_symbol(writer->emit, place->array), index));
        writer_line(writer, indent + 4, "const Hp5Stretch %s = hp5_next_stretch(&%s, &%s);", stretch, walk, writer_places(writer, place->array, place->dimension));
        vec_push(writer->arena, &writer->shifts, ((IndexShift){loop->index->var, place->array, place->dimension, arena_printf(writer->arena, "%s.shift", stretch)}));
    }
    writer_line(writer, indent + 4, "const Hp5Run %s = hp5_stretched(&%s);", run, walk);
    return run;
}

const char *writer_runs(Writer *writer, const Loop *loop, int indent) {
    const char *index = loop->index->var->name;
    if (!loop->domain_var) {
        char *begin, *end;
        domain_bounds(writer, loop, &begin, &end);
        return print_stretches(writer, loop, arena_printf(writer->arena, "hp5_stretches_of_range(%s, %s)", begin, end), indent);
    }
    char *part = writer_part(writer, loop->domain_var, loop->dimension);
    char *first = arena_strdup(writer->arena, "0");
    for (size_t i = 0; i < loop->index->lower.count && i < 1; i++)
        first = arena_printf(writer->arena, "hp5_set_find_run(&%s, %s)", part, writer_expr(writer, loop->index->lower.items[i]));
    if (loop->places.count > 0) return print_stretches(writer, loop, arena_printf(writer->arena, "hp5_stretches_of(&%s, %s)", part, first), indent);
    const char *number = writer_fresh(writer, arena_printf(writer->arena, "%s_run_number", index));
    const char *count = writer_fresh(writer, arena_printf(writer->arena, "%s_runs", index));
    const char *run = writer_fresh(writer, arena_printf(writer->arena, "%s_run", index));
    writer_line(writer, indent, "for (int64_t %s = %s, %s = hp5_set_run_count(&%s); %s < %s; %s++) {", number, first, count, part,
                number, count, number);
    writer_line(writer, indent + 4, "const Hp5Run %s = hp5_set_run(&%s, %s);", run, part, number);
    return run;
}

int writer_loop_begin(Writer *writer, const Loop *loop, const char *counter, int indent) {
    const char *run = NULL;
    if (!loop->interval) {
        run = writer_runs(writer, loop, indent);
        indent += 4;
    }
    char *begin, *end;
    const Steps *steps = counter != NULL || writer->emit->options.checked ? NULL : loop->steps; /* checks look at every iteration's sum */
    writer_loop_bounds(writer, loop, run, &begin, &end);
    if (steps != NULL) step_bounds(writer, steps, &begin, &end);
    const char *name = writer_declare(writer, loop->index->var);
    const char *last = writer_fresh(writer, arena_printf(writer->arena, "%s_end", name));
    const char *next = steps != NULL ? arena_printf(writer->arena, " += %lld", (long long)steps->modulus) : "++";
    if (writer->independent) writer_line(writer, indent, "HP5_INDEPENDENT");
    writer_line(writer, indent, "for (int64_t %s = %s, %s = %s; %s %s %s; %s%s) {", name, begin, last, end, name,
                steps == NULL && is_counted(writer, loop) ? "!=" : "<", last, name, next);
    indent += 4;
    if (!loop->interval && loop->other_dimension >= 0)
        writer_line(writer, indent, "if (!hp5_set_contains(&%s, %s)) continue;",
                    writer_part(writer, loop->domain_var, loop->other_dimension), name);
    if (counter) return indent;
    print_filters(writer, loop, steps, indent);
    return indent;
}

void writer_loop_end(Writer *writer, int indent, int outer) {
    while (indent > outer) {
        indent -= 4;
        writer_line(writer, indent, "}");
    }
}

static int print_loops(Writer *writer, const Nest *nest, size_t count, int indent) {
    for (size_t i = 0; i < count; i++) {
        bool innermost = i + 1 == nest->loops.count;
        writer->independent = innermost && nest->loops.items[i].role == ROLE_VECTOR;
        if (nest->form == FORM_CHAIN) writer_line(writer, indent, "HP5_BY_TWO");
        else if (!writer->independent && writer_is_written_out(writer, nest->stmt)) writer_line(writer, indent, "HP5_ALL_ROUNDS");
        indent = writer_loop_begin(writer, &nest->loops.items[i], NULL, indent);
        writer->independent = false;
    }
    return indent;
}

/* Where filters leave iterations out: the first one that they do not. Returns its name. */
static const char *print_first_unfiltered(Writer *writer, const Loop *loop, const char *index, const char *begin, const char *end, int indent) {
    const char *first = writer_fresh(writer, arena_printf(writer->arena, "%s_first", index));
    writer_line(writer, indent, "int64_t %s = %s;", first, begin);
    writer_line(writer, indent, "for (; %s < %s; %s++) {", first, end, first);
    writer_line(writer, indent + 4, "const int64_t %s = %s;", index, first);
    writer_filters(writer, loop, indent + 4);
    writer_line(writer, indent + 4, "break;");
    writer_line(writer, indent, "}");
    return first;
}

/* The element that the innermost loop accumulates into stays in a local while it runs. Where there is no iteration
 * the element is not touched: it may not exist, or be another LPU's. */
static int print_register_loop(Writer *writer, const Nest *nest, int indent) {
    const Stmt *assign = nest->sum.assign;
    const Loop *loop = &nest->loops.items[nest->loops.count - 1];
    char *begin, *end, *element = writer_expr(writer, assign->target);
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    const char *index = writer_declare(writer, loop->index->var);
    const char *first = writer_fresh(writer, arena_printf(writer->arena, "%s_begin", index));
    const char *last = writer_fresh(writer, arena_printf(writer->arena, "%s_end", index));
    const char *sum = writer_fresh(writer, arena_printf(writer->arena, "%s_sum", emit_symbol(writer->emit, assign->target->var)));
    writer_line(writer, indent, "const int64_t %s = %s, %s = %s;", first, begin, last, end);
    if (loop->index->filters.count > 0) first = print_first_unfiltered(writer, loop, index, first, last, indent);
    writer_line(writer, indent, "if (%s >= %s) continue;", first, last);
    writer_line(writer, indent, "%s %s = %s;", emit_type(writer->emit, assign->target->type), sum, element);
    writer_line(writer, indent, "for (int64_t %s = %s; %s < %s; %s++) {", index, first, index, last, index);
    writer_filters(writer, loop, indent + 4);
    writer->replaced = assign->target;
    writer->replacement = sum;
    writer_block(writer, &nest->stmt->body, indent + 4);
    writer->replaced = NULL;
    writer_line(writer, indent, "}");
    writer_line(writer, indent, "%s = %s;", element, sum);
    return indent;
}

/* One line for each of the elements side by side; where fewer are left, the last one stands in for the others. */
static void print_each_abreast(Writer *writer, const char *index, const char *lane, const char *first, const char *end, int indent) {
    writer_line(writer, indent, "for (int64_t %s = 0; %s < HP5_ABREAST; %s++) {", lane, lane, lane);
    writer_line(writer, indent + 4, "const int64_t %s = hp5_min(%s + %s, %s - 1);", index, first, lane, end);
}

bool writer_names_index(const Writer *writer, const Expr *expr, const Expr *element, const Var *index) {
    if (expr == NULL || lower_expr_equal(expr, element) || writer_kept(writer, expr)) return false;
    if (expr->var == index) return true;
    for (size_t i = 0; i < expr->arguments.count; i++)
        if (writer_names_index(writer, expr->arguments.items[i], element, index)) return true;
    return writer_names_index(writer, expr->left, element, index) || writer_names_index(writer, expr->right, element, index);
}

typedef struct Abreast { const Loop *elements; const Stmt *assign; const char *index, *first, *last, *sum; } Abreast;

static void print_round_abreast(Writer *writer, const LaneRounds *rounds, int indent) {
    const Abreast *abreast = rounds->data;
    const Expr *element = abreast->assign->target;
    const Var *index = abreast->elements->index->var;
    if (rounds->in_block) writer_line(writer, indent, "HP5_IN_VECTORS");
    if (writer_names_index(writer, abreast->assign->value, element, index)) print_each_abreast(writer, abreast->index, rounds->lane, abreast->first, abreast->last, indent);
    else writer_line(writer, indent, "for (int64_t %s = 0; %s < HP5_ABREAST; %s++) {", rounds->lane, rounds->lane, rounds->lane);
    writer->replaced = element;
    writer->replacement = abreast->sum;
    writer_block(writer, rounds->body, indent + 4);
    writer->replaced = NULL;
    writer_line(writer, indent, "}");
}

/* The same for several elements at a time:
 *
 *     for (int64_t i_first = …, i_end = …; i_first < i_end; i_first += HP5_ABREAST) {
 *         const int64_t k_begin = …, k_end = …;
 *         if (k_begin >= k_end) continue;
 *         double x_sums[HP5_ABREAST];
 *         for (int64_t lane = 0; lane < HP5_ABREAST; lane++) {
 *             const int64_t i = hp5_min(i_first + lane, i_end - 1);
 *             x_sums[lane] = x[i];
 *         }
 *         for (int64_t k = k_begin; k < k_end; k++) {
 *             for (int64_t lane = 0; lane < HP5_ABREAST; lane++) {
 *                 const int64_t i = hp5_min(i_first + lane, i_end - 1);
 *                 x_sums[lane] = fma(…);
 *             }
 *         }
 *         for (int64_t i = i_first; i < hp5_min(i_first + HP5_ABREAST, i_end); i++) {
 *             x[i] = x_sums[i - i_first];
 *         }
 *     }
 *
 * The last one's stand-ins are computed in vain: that costs less than another copy of the loop. */
void writer_abreast(Writer *writer, const Nest *nest, int indent) {
    Arena *arena = writer->arena;
    const Stmt *assign = nest->sum.assign;
    const Loop *elements = &nest->loops.items[nest->loops.count - 2], *loop = &nest->loops.items[nest->loops.count - 1];
    const char *run = elements->interval ? NULL : writer_runs(writer, elements, indent);
    const int outside = indent;
    if (run) indent += 4;
    char *begin, *end;
    writer_loop_bounds(writer, elements, run, &begin, &end);
    const char *index = writer_declare(writer, elements->index->var);
    const char *first = writer_fresh(writer, arena_printf(arena, "%s_first", index));
    const char *last = writer_fresh(writer, arena_printf(arena, "%s_end", index)), *lane = writer_fresh(writer, "lane");
    writer_line(writer, indent, "for (int64_t %s = %s, %s = %s; %s < %s; %s += HP5_ABREAST) {", first, begin, last, end, first, last, first);
    const int inside = indent + 4;
    writer_loop_bounds(writer, loop, NULL, &begin, &end);
    const char *inner = writer_declare(writer, loop->index->var);
    const char *inner_first = writer_fresh(writer, arena_printf(arena, "%s_begin", inner));
    const char *inner_last = writer_fresh(writer, arena_printf(arena, "%s_end", inner));
    const char *sums = writer_fresh(writer, arena_printf(arena, "%s_sums", emit_symbol(writer->emit, assign->target->var)));
    const char *element = writer_expr(writer, assign->target);
    writer_line(writer, inside, "const int64_t %s = %s, %s = %s;", inner_first, begin, inner_last, end);
    writer_line(writer, inside, "if (%s >= %s) continue;", inner_first, inner_last);
    writer_line(writer, inside, "%s %s[HP5_ABREAST];", emit_type(writer->emit, assign->target->type), sums);
    print_each_abreast(writer, index, lane, first, last, inside);
    writer_line(writer, inside + 4, "%s[%s] = %s;", sums, lane, element);
    writer_line(writer, inside, "}");
    const Abreast abreast = {elements, assign, index, first, last, arena_printf(arena, "%s[%s]", sums, lane)};
    const LaneRounds rounds = {.body = &nest->stmt->body, .round = loop->index->var, .index = elements->index->var, .name = inner, .index_name = index, .lane = lane,
                               .at = arena_printf(arena, "hp5_min(%s + %s, %s - 1)", first, lane, last), .print = print_round_abreast, .data = &abreast};
    const char *left = writer_transposed(writer, &rounds, inner_first, arena_printf(arena, "%s - 1", inner_last), inside);
    writer_line(writer, inside, "for (int64_t %s = %s; %s < %s; %s++) {", inner, left ? left : inner_first, inner, inner_last, inner);
    print_round_abreast(writer, &rounds, inside + 4);
    writer_line(writer, inside, "}");
    writer_line(writer, inside, "for (int64_t %s = %s; %s < hp5_min(%s + HP5_ABREAST, %s); %s++) {", index, first, index, first, last, index);
    writer_line(writer, inside + 4, "%s = %s[%s - %s];", element, sums, index, first);
    writer_line(writer, inside, "}");
    writer_loop_end(writer, inside, outside);
}

static bool is_in_vectors(const Nest *nest) {
    for (size_t i = 0; i < nest->loops.count; i++)
        if (nest->loops.items[i].role == ROLE_VECTOR) return true;
    return false;
}

static void print_nest(Writer *writer, const Nest *nest, int outside) {
    const Stmt *stmt = nest->stmt;
    size_t mark = writer->scope.count, fixed = writer->fixed.count, shifts = writer->shifts.count, count = nest->loops.count;
    int indent = writer_fix_places(writer, nest, outside), inside;
    bool checked = writer->emit->options.checked;
    if (nest->form == FORM_REDUCTION) {
        inside = print_loops(writer, nest, count - 1, indent);
        writer_reducing_loop(writer, nest, inside);
    } else if (nest->form == FORM_PRODUCT && !checked) {
        inside = print_loops(writer, nest, count - 3, indent);
        writer_multiply(writer, nest, inside);
    } else if (nest->form == FORM_SUM && nest->sum.window && !checked) {
        inside = print_loops(writer, nest, count - 1 - nest->sum.window, indent);
        writer_window(writer, nest, inside);
    } else if (nest->form == FORM_SUM && nest->sum.turned.count > 0 && !checked) {
        inside = print_loops(writer, nest, count - 3, indent);
        writer_turned(writer, nest, inside);
    } else if (nest->form == FORM_SUM && nest->sum.abreast && !checked) {
        inside = print_loops(writer, nest, count - 2, indent);
        writer_abreast(writer, nest, inside);
    } else if (nest->form == FORM_SUM && !checked) {
        inside = print_register_loop(writer, nest, print_loops(writer, nest, count - 1, indent));
    } else if (nest->form == FORM_LANES && !checked) {
        inside = print_loops(writer, nest, count - 1 - nest->lanes.inside, indent);
        writer_lanes(writer, nest, inside);
    } else if (nest->form == FORM_CARRY && !checked) {
        inside = print_loops(writer, nest, count - 1, indent);
        writer_carrying_loop(writer, nest, inside);
    } else if (nest->form == FORM_CUT && !checked) {
        inside = print_loops(writer, nest, count - 1, indent);
        writer_cut_loop(writer, nest, inside);
    } else if (nest->form == FORM_EXTREMUM && nest_innermost(nest)->role == ROLE_VECTOR) {
        inside = indent;
        writer_extremum(writer, nest, indent);
    } else if (nest->edges && nest_innermost(nest)->role == ROLE_VECTOR && !writer->strict) {
        inside = print_loops(writer, nest, count - 1, indent);
        writer_edged_loop(writer, nest, inside);
    } else if (writer->choices && writer->choices->asked.count > 0) {
        inside = print_loops(writer, nest, count - 1, indent);
        writer_asking_loop(writer, nest, inside);
    } else if (nest->wraps && !checked && !writer->strict) {
        inside = print_loops(writer, nest, count - 1, indent);
        writer_wrapped_loop(writer, nest, inside);
    } else if (nest->usual && nest_innermost(nest)->role == ROLE_VECTOR && !writer->strict) {
        inside = print_loops(writer, nest, count - 1, indent);
        writer_usual_loop(writer, nest, inside);
    } else if (nest->small && nest_innermost(nest)->role == ROLE_VECTOR && !writer->strict) {
        inside = print_loops(writer, nest, count - 1, indent);
        writer_small_loop(writer, nest, inside);
    } else if (nest->along && nest_innermost(nest)->role == ROLE_VECTOR && !writer->strict) {
        inside = print_loops(writer, nest, count - 2, indent);
        writer_along(writer, nest, inside);
    } else if (nest->quotient && !checked && !writer->strict) {
        inside = print_loops(writer, nest, count - 1, indent);
        writer_stretched_loop(writer, nest, inside);
    } else if (nest->spaced && !checked && !writer->strict) {
        inside = print_loops(writer, nest, count - 1, indent);
        writer_spaced_loop(writer, nest, inside);
    } else if (nest->blocked && nest_innermost(nest)->role == ROLE_VECTOR && !writer->strict) {
        inside = print_loops(writer, nest, count - 2, indent);
        writer_blocked(writer, nest, inside);
    } else {
        inside = print_loops(writer, nest, count, indent);
        writer_block(writer, &stmt->body, inside);
    }
    writer_loop_end(writer, inside, outside);
    writer->scope.count = mark;
    writer->fixed.count = fixed;
    writer->shifts.count = shifts;
}

void cpu_parallel(Writer *writer, const Stmt *stmt, int indent) {
    const Nest *nest = lower_nest_of(writer->code, stmt);
    const bool outside = writer->names.in_vectors;
    const Stmt *const turn = writer->names.turn;
    const Choices *const choices = writer->choices;
    writer->names.in_vectors = is_in_vectors(nest);
    writer->names.turn = NULL;
    writer->choices = writer->names.in_vectors && !writer->strict ? nest->choices : NULL;
    print_nest(writer, nest, indent);
    writer->names.in_vectors = outside;
    writer->names.turn = turn;
    writer->choices = choices;
}
