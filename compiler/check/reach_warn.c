/* The messages about elements outside an LPU's part. One for each stage, Space, array and kind: the first access
 * that is wrong; the help is for all of them together. */
#include "compiler/check/reach.h"
#include <string.h>

static const char *source_text(const Check *check, Span span) {
    return arena_printf(check->arena, "%.*s", (int)(span.end - span.start), check->ast->source->text + span.start);
}

static const char *quoted_element(const Check *check, const Finding *finding) {
    return arena_printf(check->arena, "'%s'", source_text(check, finding->element->span));
}

/* What the stage calls a variable of the task. */
static const char *name_in_stage(const Finding *finding, const Var *array) {
    if (array == finding->array) return finding->element->var->name;
    const VarVec *params = &finding->call->stage->body.params;
    for (size_t i = 0; i < params->count && i < finding->call->arguments.count; i++)
        if (finding->call->arguments.items[i].var == array) return params->items[i]->name;
    return array->name;
}

/* "u.local.dimension1.range", of a 1-d array "u.local.dimension.range". */
static const char *range_text(const Check *check, const Finding *finding, const Var *array, int dimension, bool local) {
    const char *of = local ? ".local" : "";
    if (array->type->rank == 1) return arena_printf(check->arena, "%s%s.dimension.range", name_in_stage(finding, array), of);
    return arena_printf(check->arena, "%s%s.dimension%d.range", name_in_stage(finding, array), of, dimension + 1);
}

static const char *space_name(const Level *level) { return level->lps->name; }

/* ---- How much padding all accesses together need ----------------------------------------------------- */

/* What one Space pads: for each dimension it divides of an array, in its order, front and back. */
typedef struct Paddings { const char *side[MAX_RANK][2]; int count; } Paddings;

static bool same_place(const Finding *a, const Finding *b) {
    return a->kind == b->kind && a->call->stage == b->call->stage && a->level.lps == b->level.lps && a->array == b->array;
}

/* A loop over the array itself, or a guard by its part, moves with its padding: what counts is how far it reaches. */
static int64_t wanted(const Finding *finding) {
    int64_t padding;
    if (!reach_padding(&finding->level, finding->last, &padding)) return 0;
    if ((finding->kind == REACH_LEAVES || finding->kind == REACH_WRAPS) && finding->from == finding->array)
        return finding->outward > padding ? finding->outward : padding;
    return padding + finding->missing;
}

static const char *padding_text(const Check *check, const FindingVec *findings, const Finding *first, int dim, bool last) {
    const DimPartition *part = &first->level.listed->dims[dim];
    const Expr *expr = last ? part->padding_back : part->padding_front;
    if (expr != NULL && expr->kind != EXPR_INTEGER) return source_text(check, expr->span);
    int64_t most = expr == NULL ? 0 : expr->integer;
    for (size_t i = 0; i < findings->count; i++) {
        const Finding *finding = &findings->items[i];
        if (!same_place(first, finding) || finding->level.dim != dim || finding->last != last) continue;
        int64_t here = wanted(finding);
        if (here > most) most = here;
    }
    return arena_printf(check->arena, "%lld", (long long)most);
}

/* "padding(1)", "padding(1, 0)", … */
static const char *padding_wanted(const Check *check, const FindingVec *findings, const Finding *first) {
    Paddings paddings = {.count = 0};
    for (int d = 0; d < first->level.lps->dims; d++) {
        if (first->level.listed->dims[d].array_dimension < 0) continue;
        for (int last = 0; last < 2; last++)
            paddings.side[paddings.count][last] = padding_text(check, findings, first, d, last != 0);
        paddings.count++;
    }
    bool symmetric = true, equal = true;
    for (int d = 0; d < paddings.count; d++) {
        symmetric = symmetric && strcmp(paddings.side[d][0], paddings.side[d][1]) == 0;
        equal = equal && strcmp(paddings.side[d][0], paddings.side[0][0]) == 0;
    }
    char *text = arena_printf(check->arena, "padding(%s", paddings.side[0][0]);
    for (int d = 0; d < paddings.count && !(symmetric && equal); d++) {
        if (d > 0) text = arena_printf(check->arena, "%s, %s", text, paddings.side[d][0]);
        if (!symmetric) text = arena_printf(check->arena, "%s, %s", text, paddings.side[d][1]);
    }
    return arena_printf(check->arena, "%s)", text);
}

/* ---- One message each ----------------------------------------------------------------------------------- */

static void note_division(const Check *check, Diag *diag, const Finding *finding) {
    int64_t padding;
    bool literal = reach_padding(&finding->level, finding->last, &padding);
    const char *how = literal && padding == 0
                          ? "without padding"
                          : arena_printf(check->arena, "with padding of %s",
                                         literal ? arena_printf(check->arena, "%lld", (long long)padding) : "an argument");
    diag_note(diag, finding->level.part->span, "Space %s divides dimension %d of %s here, %s", space_name(&finding->level),
              finding->dimension + 1, finding->array->name, how);
}

static bool has_padding(const Finding *finding) {
    for (int d = 0; d < finding->level.lps->dims; d++)
        if (finding->level.listed->dims[d].padding_front != NULL || finding->level.listed->dims[d].padding_back != NULL) return true;
    return false;
}

static void help_padding(const Check *check, Diag *diag, const FindingVec *findings, const Finding *finding, const char *more) {
    const char *padding = padding_wanted(check, findings, finding), *array = finding->array->name;
    if (finding->level.lps->sub_partition)
        diag_help(diag, "sub-partitions have no padding: walk over smaller Spaces, or leave %s out of the sub-partition", array);
    else if (has_padding(finding))
        diag_help(diag, "%s needs %s in Space %s%s", array, padding, space_name(&finding->level), more);
    else diag_help(diag, "add %s to %s in Space %s%s", padding, array, space_name(&finding->level), more);
}

/* What keeps a loop over an array from the ends of its part, at the ends where that is needed. */
static const char *keep_text(const Check *check, const FindingVec *findings, const Finding *finding) {
    bool ends[2] = {false, false};
    for (size_t i = 0; i < findings->count; i++) {
        const Finding *other = &findings->items[i];
        if (same_place(finding, other) && other->dimension == finding->dimension) ends[other->last] = true;
    }
    const char *range = range_text(check, finding, finding->array, finding->dimension, true);
    const char *beginning = "keep the loop, which runs over the padding as well, from its ends:";
    if (finding->in_sequence)
        return arena_printf(check->arena, "%s '[own.min%s...own.max%s]' with own = %s", beginning, ends[0] ? " + 1" : "",
                            ends[1] ? " - 1" : "", range);
    const char *index = finding->subscript.index->name, *text = "";
    if (ends[0]) text = arena_printf(check->arena, " and %s > %s.min", index, range);
    if (ends[1]) text = arena_printf(check->arena, "%s and %s < %s.max", text, index, range);
    return arena_printf(check->arena, "%s '…%s'", beginning, text);
}

static void help_leaves(Check *check, Diag *diag, const FindingVec *findings, const Finding *finding) {
    if (finding->written) {
        diag_help(diag, "an LPU writes its own indices, also where they are padded: subscript %s with the loop's index and shift what "
                        "is read", name_in_stage(finding, finding->array));
        return;
    }
    if (finding->subscript.kind == VALUE_END) {
        diag_help(diag, "%s has all indices that the LPU sees, with padding also its neighbours'",
                  range_text(check, finding, finding->array, finding->dimension, true));
        return;
    }
    int64_t padding;
    bool enough = reach_padding(&finding->level, finding->last, &padding) && padding >= finding->outward;
    if (finding->from != finding->array) {
        help_padding(check, diag, findings, finding, "");
        if (wanted(finding) > finding->outward)
            diag_help(diag, "%s is padded, too, and the loop runs over its padding: leave that out, if nothing else needs it",
                      finding->from->name);
        return;
    }
    const char *keep = keep_text(check, findings, finding);
    if (enough) diag_help(diag, "%s", keep);
    else help_padding(check, diag, findings, finding, arena_printf(check->arena, ", and %s", keep));
}

static void warn_leaves(Check *check, const FindingVec *findings, const Finding *finding) {
    const char *where = finding->subscript.kind == VALUE_END ? (finding->last ? "behind its last index" : "before its first index")
                        : finding->last                     ? "where the loop is at the part's last index"
                                                            : "where the loop is at the part's first index";
    Diag *diag = diag_warning(check->diags, W_LEAVES_PART, finding->element->span, "%s lies outside the LPU's part of %s%s%s",
                              quoted_element(check, finding), name_in_stage(finding, finding->array),
                              finding->subscript.kind == VALUE_END ? ", " : " ", where);
    note_division(check, diag, finding);
    help_leaves(check, diag, findings, finding);
}

static void warn_border(Check *check, const FindingVec *findings, const Finding *finding) {
    const char *end = finding->last ? "last" : "first";
    Diag *diag = diag_warning(check->diags, W_PART_AS_BORDER, finding->guard->span,
                              "the loop leaves out the %s index of each LPU's part of %s, as if every part ended at the border of "
                              "the array", end, name_in_stage(finding, finding->from));
    note_division(check, diag, finding);
    int64_t padding;
    bool enough = reach_padding(&finding->level, finding->last, &padding) && padding >= finding->outward;
    if (finding->from == finding->array) help_padding(check, diag, findings, finding, "");
    else if (enough)
        diag_help(diag, "compare with %s, which includes the padding", range_text(check, finding, finding->array, finding->dimension, true));
    else
        help_padding(check, diag, findings, finding,
                     arena_printf(check->arena, ", and compare with %s", range_text(check, finding, finding->array, finding->dimension, true)));
    diag_help(diag, "test against %s, if the border of the whole array is meant",
              range_text(check, finding, finding->from, finding->from_dimension, false));
    diag_help(diag, "if each part is meant to be by itself, make its ends those of the loop: 'for i in [own.min + 1...own.max - 1]' "
                    "with own = %s", range_text(check, finding, finding->from, finding->from_dimension, true));
}

/* Whether the stage writes the array, here or elsewhere. */
static bool stage_writes(const Finding *finding) {
    const Body *body = &finding->call->stage->body;
    bool written = body_var_use(body, finding->array).written;
    for (size_t i = 0; i < body->params.count && i < finding->call->arguments.count && !written; i++)
        written = finding->call->arguments.items[i].var == finding->array && body_var_use(body, body->params.items[i]).written;
    return written;
}

static bool is_mirrored(const Finding *finding) { return finding->kind == REACH_WHOLE && finding->from == finding->array; }

/* How LPUs come to see, or to write, more of an array than their part. */
static void help_see_all(Check *check, Diag *diag, const Finding *finding) {
    const char *array = finding->array->name, *space = space_name(&finding->level);
    if (finding->written) {
        diag_help(diag, "an LPU writes its own part alone: let the LPU that has the element compute it, or write it in a stage behind Space %s, in Root "
                        "or another Space that has all of %s", space, array);
        return;
    }
    if (stage_writes(finding)) {
        diag_help(diag, "if LPUs need elements of others: they write %s in this stage, so read a copy, made before in an array that Space %s does not list", array, space);
        return;
    }
    diag_help(diag, "if LPUs need all of %s: replicate it in that dimension, or list it in a Space above only", array);
    if (is_mirrored(finding) && !has_padding(finding) && finding->level.lps->dims == 1)
        diag_help(diag, "or divide dimension %d of it instead, if that suits the rest of Space %s: '%s<dim%d>: %s'", finding->from_dimension + 1, space,
                  array, finding->from_dimension + 1, source_text(check, finding->level.part->span));
}

static void warn_whole(Check *check, const Finding *finding) {
    bool single = finding->subscript.kind == VALUE_BLIND && finding->subscript.low == finding->subscript.high;
    const char *space = space_name(&finding->level), *element = quoted_element(check, finding);
    Diag *diag;
    if (single)
        diag = diag_warning(check->diags, W_BEYOND_PART, finding->element->span,
                            "all LPUs of Space %s use %s, which is in the part of one of them", space, element);
    else if (is_mirrored(finding))
        diag = diag_warning(check->diags, W_BEYOND_PART, finding->element->span,
                            "the index in dimension %d of %s runs over all of dimension %d, and of dimension %d an LPU of Space %s has a part only",
                            finding->dimension + 1, element, finding->from_dimension + 1, finding->dimension + 1, space);
    else
        diag = diag_warning(check->diags, W_BEYOND_PART, finding->element->span,
                            "the index in dimension %d of %s runs over more than the LPU's part of %s", finding->dimension + 1,
                            element, name_in_stage(finding, finding->array));
    note_division(check, diag, finding);
    const char *range = range_text(check, finding, finding->array, finding->dimension, true);
    if (single) diag_help(diag, "let the LPU do it that has it: 'if (%lld in %s)'", (long long)finding->subscript.low, range);
    else if (!is_mirrored(finding))
        diag_help(diag, "%sloop over the part: 'for … in %s', or over %s", finding->written ? "" : "if an LPU needs its own elements alone: ",
                  name_in_stage(finding, finding->array), range);
    if (!single || !finding->written) help_see_all(check, diag, finding);
}

static void warn_transposed(Check *check, const Finding *finding) {
    Diag *diag = diag_warning(check->diags, W_BEYOND_PART, finding->element->span,
                              "the index in dimension %d of %s runs over the LPU's part of dimension %d of %s, which Space %s divides "
                              "along another of its dimensions",
                              finding->dimension + 1, quoted_element(check, finding), finding->from_dimension + 1,
                              name_in_stage(finding, finding->from), space_name(&finding->level));
    note_division(check, diag, finding);
    diag_help(diag, "a name like %s<dim2, dim1> tells which dimension each instruction divides; or replicate %s", finding->array->name,
              finding->array->name);
}

static void warn_strided(Check *check, const Finding *finding) {
    Diag *diag = diag_warning(check->diags, W_LEAVES_PART, finding->element->span,
                              "%s belongs to another LPU: Space %s deals the indices of %s out, so neighbours are in different parts",
                              quoted_element(check, finding), space_name(&finding->level), finding->array->name);
    diag_note(diag, finding->level.part->span, "dimension %d of %s is divided here", finding->dimension + 1, finding->array->name);
    diag_help(diag, "divide it by block_size or block_count, with padding");
}

static void warn_window(Check *check, const Finding *finding) {
    const char *array = finding->array->name, *space = space_name(&finding->level), *window = finding->window->name;
    Diag *diag = diag_warning(check->diags, W_LEAVES_PART, finding->element->span,
                              "%s lies outside the LPU's part of %s where the loop is at the part's %s indices, as far as '%s' goes",
                              quoted_element(check, finding), name_in_stage(finding, finding->array), finding->last ? "last" : "first", window);
    note_division(check, diag, finding);
    diag_help(diag, "%s needs padding in Space %s, as much as '%s' gets: a partition argument, as in padding(%s)%s", array, space, window,
              finding->last ? "0, m" : "m, 0",
              finding->from == finding->array ? ", and the loop, which runs over the padding as well, has to keep away from its ends" : "");
    if (!stage_writes(finding)) diag_help(diag, "or let LPUs see all of %s: list it in a Space above only, if no LPU writes it", array);
}

static void warn_wraps(Check *check, const FindingVec *findings, const Finding *finding) {
    const char *array = finding->array->name, *space = space_name(&finding->level), *end = finding->last ? "last" : "first";
    const char *where = finding->missing > 0 ? arena_printf(check->arena, "the part's %s index, and wraps around at the array's", end)
                                             : arena_printf(check->arena, "the array's %s index, and wraps around: padding ends at the array's ends", end);
    Diag *diag = diag_warning(check->diags, W_LEAVES_PART, finding->element->span, "%s lies outside the LPU's part of %s where the loop is at %s",
                              quoted_element(check, finding), name_in_stage(finding, finding->array), where);
    note_division(check, diag, finding);
    if (finding->written) {
        diag_help(diag, "an LPU writes its own indices: subscript %s with the loop's index, and let what is read wrap around", name_in_stage(finding, finding->array));
        return;
    }
    const char *turns = !stage_writes(finding) ? "" : arena_printf(check->arena, "; then another array gets what they compute here, and %s gets it in a second "
                                                                                 "Space, which divides it", array);
    diag_help(diag, "%slet LPUs see all of %s: replicate it in that dimension, or list it in a Space above only%s",
              finding->missing > 0 ? "padding ends at the array's ends: " : "", array, turns);
    if (reach_is_strided(&finding->level) || finding->level.lps->sub_partition) return;
    int64_t most = finding->outward;
    for (size_t i = 0; i < findings->count; i++)
        if (same_place(finding, &findings->items[i]) && findings->items[i].outward > most) most = findings->items[i].outward;
    diag_help(diag, "or give %s %lld more %s at each end, which a stage in Root sets to those of the other end before Space %s, and %s here", array,
              (long long)most, most == 1 ? "index" : "indices", space, padding_wanted(check, findings, finding));
}

static void warn_anywhere(Check *check, const Finding *finding) {
    const char *space = space_name(&finding->level);
    const char *index = source_text(check, finding->element->arguments.items[finding->dimension]->span);
    const char *origin = finding->elements == NULL ? "computed" : arena_printf(check->arena, "taken from elements of %s", finding->elements->name);
    Diag *diag = diag_warning(check->diags, W_INDEX_ANYWHERE, finding->element->span,
                              "the index in dimension %d of %s is %s, and Space %s divides %s in that dimension: where there are several LPUs it may lie "
                              "outside the LPU's part",
                              finding->dimension + 1, quoted_element(check, finding), origin, space, finding->array->name);
    diag_note(diag, finding->level.part->span, "dimension %d of %s is divided here", finding->dimension + 1, finding->array->name);
    if (finding->written)
        diag_help(diag, "write the element in a Space that does not divide %s, in Root, or let each LPU write its own: loop over its part, and look up what belongs there",
                  finding->array->name);
    else
        diag_help(diag, "let LPUs see all of %s: replicate it in that dimension, or list it in a Space above only%s", finding->array->name,
                  stage_writes(finding) ? "; then the stage writes another array" : ", if no LPU writes it");
    diag_help(diag, "or ask whether it is there: 'if (%s in %s)'", index, range_text(check, finding, finding->array, finding->dimension, true));
    diag_help(diag, "nothing looks where the program runs: 'hp5c --checked' makes one that stops there");
}

static bool is_first(const FindingVec *findings, size_t which) {
    for (size_t i = 0; i < which; i++)
        if (same_place(&findings->items[i], &findings->items[which])) return false;
    return true;
}

void reach_warn(Check *check, const FindingVec *findings) {
    for (size_t i = 0; i < findings->count; i++) {
        const Finding *finding = &findings->items[i];
        if (finding->kind == REACH_UNKNOWN || !is_first(findings, i)) continue;
        switch (finding->kind) {
        case REACH_LEAVES: warn_leaves(check, findings, finding); break;
        case REACH_BORDER: warn_border(check, findings, finding); break;
        case REACH_WHOLE: warn_whole(check, finding); break;
        case REACH_TRANSPOSED: warn_transposed(check, finding); break;
        case REACH_WINDOW: warn_window(check, finding); break;
        case REACH_WRAPS: warn_wraps(check, findings, finding); break;
        case REACH_ANYWHERE: warn_anywhere(check, finding); break;
        case REACH_STRIDED: warn_strided(check, finding); break;
        default: break;
        }
    }
}
