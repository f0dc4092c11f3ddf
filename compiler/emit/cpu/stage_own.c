/* What is a lane's own in all rounds of a loop that lanes go through together (stage_lanes.c) is read in front of it:
 *
 *     float own[HP5_NEIGHBOURS];
 *     for (int64_t lane = 0; lane < HP5_NEIGHBOURS; lane++) {
 *         const int64_t i = i_first + lane;
 *         own[lane] = hp5_holds(position_view, 0, i) ? position[i].x : 0;
 *     }
 *     for (int64_t j = …) {                                  … if (j != i) { … position[j].x - position[i].x … }
 *
 * Fields of elements and other elements that do not lie side by side (`place[i][0]`, `body[i].at[2]`), and elements under conditions, which vectors
 * would read by masks. It may be that no round comes to them: so memory is asked whether it has them. */
#include "compiler/emit/cpu/stage.h"
#include "compiler/lower/lane_values.h"
#include "compiler/lower/passes.h"

enum { MOST_OWN = 16 };

typedef struct Own {
    Writer *writer;
    const Stmt *loop;
    const Expr *asked;
    bool inside;         /* the subscript names an index of a loop inside */
    VEC(const Expr *) found;
} Own;

static void find_index(void *data, const Stmt *stmt) {
    Own *own = data;
    own->inside |= stmt->index && lower_expr_mentions(own->asked, stmt->index);
    for (size_t i = 0; i < stmt->indices.count; i++) own->inside |= lower_expr_mentions(own->asked, stmt->indices.items[i].var);
}

/* One value for all lanes in all rounds, which can be computed in front. */
static bool stays(Own *own, const Expr *subscript) {
    const WriterLanes *lanes = &own->writer->lanes;
    const LaneValues values = {.use = own->writer->use, .body = &lanes->nest->stmt->body, .index = lanes->index, .ragged = &lanes->nest->lanes.ragged, .shared = &lanes->shared};
    own->asked = subscript;
    own->inside = false;
    lower_walk_block(&(Walk){NULL, find_index, own}, &(Block){.statements = {.items = (Stmt *[]){(Stmt *)own->loop}, .count = 1}});
    return lower_is_plain_sum(subscript) && !own->inside && lower_is_shared(&values, subscript);
}

/* The loop does not assign to it: if the body does elsewhere, then by this name alone. */
static bool keeps(const Own *own, const Formal *formal) { return !formal->written || (formal->restricted && lower_block_writes(&own->loop->body, formal->var) == 0); }

/* beside: does it lie beside that of the next lane? */
static bool is_own(Own *own, const Expr *element, bool *beside) {
    const Writer *writer = own->writer;
    const Formal *formal = lower_formal(writer->use, element->var);
    bool lane = false, fits = formal && formal->kind == FORMAL_VIEW && keeps(own, formal) && !formal->layout.split && element->lag == 0;
    for (size_t d = 0; d < element->arguments.count && fits; d++) {
        const Expr *subscript = element->arguments.items[d];
        const bool here = subscript->kind == EXPR_VAR && subscript->var == writer->lanes.index;
        fits = !formal->gaps[d] && (here || stays(own, subscript));
        lane |= here;
        *beside &= !here || (int)d == lower_fastest_dimension(writer->use, element);
    }
    return fits && lane;
}

/* Subscripts in a static array that is an element, or a field of it: literals, as nobody asks memory about these. */
static bool are_literals(const Expr *place) {
    for (; place->kind != EXPR_ELEMENT; place = place->left)
        for (size_t d = 0; place->kind == EXPR_AT_INDEX && d < place->arguments.count; d++)
            if (place->arguments.items[d]->kind != EXPR_INTEGER) return false;
    return true;
}

static void look_at(Own *own, const Expr *expr, bool maybe) {
    if (expr == NULL) return;
    const Expr *element = lower_element_of(expr);
    if (element->kind == EXPR_ELEMENT) {
        bool known = emit_known(&own->writer->names, expr) != NULL || own->found.count == MOST_OWN, beside = expr->kind == EXPR_ELEMENT;
        for (size_t i = 0; i < own->found.count; i++) known |= lower_expr_equal(own->found.items[i], expr);
        if (known || !type_is_numeric(expr->type)) return;
        if (is_own(own, element, &beside) && (maybe || !beside) && are_literals(expr)) vec_push(own->writer->arena, &own->found, expr);
        return;
    }
    const bool first_only = expr->kind == EXPR_BINARY && (expr->op == OP_AND || expr->op == OP_OR);
    look_at(own, expr->left, maybe);
    look_at(own, expr->right, maybe || first_only);
    for (size_t i = 0; i < expr->arguments.count; i++) look_at(own, expr->arguments.items[i], maybe);
}

static void look_at_block(Own *own, const Block *block, bool maybe) {
    for (size_t i = 0; i < block->statements.count; i++) {
        const Stmt *stmt = block->statements.items[i];
        look_at(own, stmt->value, maybe);
        look_at_block(own, &stmt->body, maybe || stmt->kind == STMT_IF);
        if (stmt->otherwise) look_at_block(own, stmt->otherwise, true);
    }
}

EmitKnowns writer_own_elements(Writer *writer, const Stmt *loop, int indent) {
    const WriterLanes *lanes = &writer->lanes;
    const Lanes *form = &lanes->nest->lanes;
    Own own = {.writer = writer, .loop = loop};
    if (!form->apart && !form->along && form->ragged.count == 0 && !writer->strict && !writer->emit->options.checked && !writer->use->tables) look_at_block(&own, &loop->body, false);
    if (own.found.count == 0) return writer->names.known;
    VEC(EmitKnown) knowns = {0};
    for (size_t i = 0; i < writer->names.known.count; i++) vec_push(writer->arena, &knowns, writer->names.known.items[i]);
    VEC(const char *) names = {0};
    for (size_t i = 0; i < own.found.count; i++) {
        const char *name = writer_fresh(writer, "own");
        writer_line(writer, indent, "%s %s[%s];", emit_type(writer->emit, own.found.items[i]->type), name, lanes->room);
        vec_push(writer->arena, &names, name);
    }
    const size_t mark = writer->scope.count;
    writer_line(writer, indent, "for (int64_t %s = 0; %s < %s; %s++) {", lanes->lane, lanes->lane, lanes->count, lanes->lane);
    writer_line(writer, indent + 4, "const int64_t %s = %s + %s;", writer_declare(writer, lanes->index), lanes->first, lanes->lane);
    for (size_t i = 0; i < own.found.count; i++) {
        const Expr *expr = own.found.items[i];
        writer_line(writer, indent + 4, "%s[%s] = %s ? %s : 0;", names.items[i], lanes->lane, writer_held(writer, lower_element_of(expr)), writer_expr(writer, expr));
        vec_push(writer->arena, &knowns, ((EmitKnown){expr, arena_printf(writer->arena, "%s[%s]", names.items[i], lanes->lane), false}));
    }
    writer_line(writer, indent, "}");
    writer->scope.count = mark;
    return (EmitKnowns){knowns.items, knowns.count};
}
