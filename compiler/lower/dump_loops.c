/* --dump=loops: what became of each data-parallel loop, and of stages that run in strips, in words. */
#include "compiler/lower/lower.h"

#include <string.h>

static void dump_loop(const Loop *loop, bool innermost, Text *out) {
    text_printf(out, "        for %s ", loop->index->var->name);
    if (loop->domain_var) text_printf(out, "in dimension %d of %s", loop->dimension + 1, loop->domain_var->name);
    else text_append(out, "in a range");
    if (loop->other_dimension >= 0) text_printf(out, " and in its dimension %d", loop->other_dimension + 1);
    size_t bounds = loop->index->lower.count + loop->index->upper.count;
    if (bounds > 0) text_printf(out, ", narrowed by %zu bound%s", bounds, bounds == 1 ? "" : "s");
    if (loop->steps) text_printf(out, ", in steps of %lld", (long long)loop->steps->modulus);
    const size_t tested = loop->index->filters.count - (loop->steps != NULL);
    if (tested > 0) text_printf(out, ", %zu tested inside", tested);
    if (!loop->interval) text_append(out, ", run by run");
    if (loop_may(loop, LOOP_ACCUMULATES)) text_append(out, ", ascending: the target accumulates over it");
    if (innermost && (loop->role == ROLE_VECTOR || loop->role == ROLE_TILE)) text_append(out, ", in vectors");
    text_char(out, '\n');
}

static void dump_usual(const Usual *usual, Text *out) {
    if (usual->extrema.count > 0 && usual->rows.count == 0)
        text_printf(out, "        %zu minima and maxima in one operation each\n", usual->extrema.count);
    else if (usual->extrema.count > 0)
        text_printf(out, "        block by block: %zu minima and maxima in one operation each, where %zu row%s of elements hold no NaN and no -0.0\n",
                    usual->extrema.count, usual->rows.count, usual->rows.count == 1 ? "" : "s");
    if (usual->conversions.count > 0)
        text_printf(out, "        block by block: %zu Integer%s made of Reals in 32 bits, and again in 64 where one does not fit\n", usual->conversions.count,
                    usual->conversions.count == 1 ? "" : "s");
}

static void dump_nest(Source *source, const Nest *nest, Text *out) {
    text_printf(out, "    loop at line %d%s%s%s\n", source_line_number(source, nest->stmt->span.start), nest->reordered ? ", reordered" : "",
                nest->form == FORM_PRODUCT ? ", the three innermost as one register-tiled product" : "",
                nest->form != FORM_SUM ? "" : nest->sum.window ? nest->sum.ragged ? ", neighbours of a row side by side in registers, where they have the same to add" : ", neighbours of a row side by side in registers" : nest->sum.abreast ? ", 8 elements side by side in registers" : ", its element kept in a register");
    for (size_t i = 0; i < nest->loops.count; i++)
        dump_loop(&nest->loops.items[i], i + 1 == nest->loops.count, out);
    for (size_t i = 0; nest->form == FORM_SUM && i < nest->sum.turned.count; i++)
        text_printf(out, "        rows of %s put side by side first, where there are many\n", nest->sum.turned.items[i]->var->name);
    if (nest->form == FORM_CARRY)
        text_printf(out, "        hands an element of %s to the next iteration%s\n", nest->carry->before->var->name,
                    nest->carry->guard ? ", cut at the bound of an if" : "");
    if (nest->form == FORM_EXTREMUM) text_printf(out, "        takes the %s to %s, in any order\n", strcmp(nest->extremum->value->math, "fmin") == 0 ? "smallest" : "largest", nest->extremum->target->var->name);
    if (nest_body_in_lanes(nest))
        text_printf(out, "        %sneighbours in %s side by side%s\n", nest->lanes.rows ? "8 " : nest->lanes.apart ? "4 " : nest->lanes.along ? "long rows of " : "",
                    nest->loops.items[nest->loops.count - 1 - nest->lanes.inside].index->var->name,
                    nest->lanes.rows ? ", through the sums inside" : nest->lanes.apart ? ", so that one computes while others wait for the round before" : " in vectors, through the loops inside");
    for (size_t i = 0; nest->form == FORM_LANES && i < nest->lanes.ragged.count; i++) {
        const LaneLoop *loop = &nest->lanes.ragged.items[i];
        const Stmt *stmt = loop->stmt;
        text_printf(out, "        those over %s have bounds of their own: what all have in common together%s\n",
                    (stmt->kind == STMT_SEQUENCE ? stmt->index : stmt->indices.items[stmt->indices.count - 1].var)->name, loop->slides ? ", moved on by one from each to the next" : "");
    }
    if (nest->edges)
        text_printf(out, "        in three pieces: conditions on %s are known in the middle one\n", nest_innermost(nest)->index->var->name);
    for (size_t i = 0; nest->choices && nest_innermost(nest)->role == ROLE_VECTOR && i < nest->choices->items.count; i++)
        for (size_t e = 0; e < nest->choices->items.items[i].elements.count; e++)
            text_printf(out, "        stores %s in any case behind the if at line %d\n", nest->choices->items.items[i].elements.items[e]->var->name,
                        source_line_number(source, nest->choices->items.items[i].stmt->span.start));
    if (nest->usual && nest_innermost(nest)->role == ROLE_VECTOR) dump_usual(nest->usual, out);
    if (nest->small)
        text_printf(out, "        in 32 bits where what a block of 1024 iterations reads lies between -%lld and %lld\n", (long long)nest->small->limit,
                    (long long)nest->small->limit - 1);
    if (nest->along && nest_innermost(nest)->role == ROLE_VECTOR)
        text_printf(out, "        8 iterations of %s in one pass along %s\n", nest->loops.items[nest->loops.count - 2].index->var->name, nest->along->target->var->name);
    if (nest->blocked && !nest->small && nest_innermost(nest)->role == ROLE_VECTOR)
        text_printf(out, "        256 iterations of %s through all of %s, then the next\n", nest_innermost(nest)->index->var->name, nest->loops.items[nest->loops.count - 2].index->var->name);
    if (nest->quotient && !nest->small)
        text_printf(out, "        in stretches from one multiple of a divisor of %s to the next\n", nest_innermost(nest)->index->var->name);
    if (nest->wraps && nest->wraps->moving.count > 0) text_printf(out, "        in pieces in which remainders of sums with %s move with it\n", nest_innermost(nest)->index->var->name);
    for (size_t i = 0; nest->spaced && i < nest->spaced->pairs.count; i++)
        if (i == 0 || nest->spaced->pairs.items[i].one->var != nest->spaced->pairs.items[i - 1].one->var)
            text_printf(out, "        in vectors where the elements of %s that it comes to lie as far apart as it has rounds\n", nest->spaced->pairs.items[i].one->var->name);
    if (nest->form == FORM_CUT) text_printf(out, "        cut where %s has the value that others read\n", nest_innermost(nest)->index->var->name);
    for (size_t i = 0; nest->form == FORM_REDUCTION && i < nest->reduction.targets.count; i++) {
        const Stmt *reduce = nest->reduction.targets.items[i];
        text_printf(out, "        reduces to %s: %s\n", reduce->target->var->name,
                    lower_reduces_in_any_order(reduce->reduce, reduce->value->type) ? "in any order"
                                                                                    : "chunks of 1024 iterations, 32 lanes each");
    }
}

static void dump_strips(Source *source, const Strips *strips, Text *out) {
    text_printf(out, "  line %d: ", source_line_number(source, strips->steps.items[0]->source->span.start));
    lower_tell_strips(strips, out);
    text_char(out, '\n');
}

void lower_dump(const LoweredProgram *program, Text *out) {
    for (size_t t = 0; t < program->tasks.count; t++) {
        const LoweredTask *task = program->tasks.items[t];
        text_printf(out, "task \"%s\"\n", task->plan->task->name);
        for (size_t i = 0; i < task->stages.count; i++) {
            const LoweredBody *code = &task->stages.items[i]->code;
            text_printf(out, "  stage %s in Space %s (%s)\n", code->body->name, code->use->lps->name, code->use->symbol);
            if (code->border)
                text_printf(out, "    what needs no elements of %s that other address spaces send runs before these have come\n", code->border->formal->var->name);
            if (code->joins) text_append(out, "    products of LPUs that lie side by side run as one\n");
            for (size_t n = 0; n < code->nests.count; n++) dump_nest(program->plan->program->source, code->nests.items[n], out);
        }
        for (size_t i = 0; i < task->strips.count; i++) dump_strips(program->plan->program->source, task->strips.items[i], out);
    }
}
