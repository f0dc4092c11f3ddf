/* The data lines of an LPS: which variables it lists, and which instruction
 * divides which array dimension (language.md, section 3.1).
 *
 * A line's instructions are first written out as one Unit for each LPS dimension
 * (`block_size(k, l)` gives two), once for the line. Then each variable of the
 * line is matched with the units that divide:
 *   it names its dimensions (`u<dim2>`)    one by one, in the order of the names;
 *   it has fewer dimensions than the LPS   one by one, in the order of its dimensions;
 *   else                                   by position: unit d divides dimension d. */
#include <stdlib.h>
#include <string.h>
#include "compiler/check/declare.h"

typedef struct Unit {            /* what one LPS dimension does, not yet to which array dimension */
    PartFunction function;
    Expr *arguments[2];
    Expr *padding_front, *padding_back;
    AstOrder order;
    Span span;
} Unit;
typedef VEC(Unit) UnitVec;

typedef struct Lines {
    Check *check;
    Task *task;
    Lps *lps;
    const AstDataLine *line;
} Lines;

typedef struct Known {
    const char *name;
    PartFunction function;
    size_t least, most;          /* arguments for one dimension */
    const char *usage;
} Known;
static const Known FUNCTIONS[] = {
    {"block_size", PART_BLOCK_SIZE, 1, 1, "block_size(s)"},
    {"block_count", PART_BLOCK_COUNT, 1, 1, "block_count(c)"},
    {"stride", PART_STRIDE, 0, 1, "stride() or stride(l)"},
    {"block_stride", PART_BLOCK_STRIDE, 1, 2, "block_stride(s) or block_stride(s, l)"},
};
enum { FUNCTION_COUNT = sizeof FUNCTIONS / sizeof FUNCTIONS[0] };

static const Known *find_function(Lines *lines, const AstInstruction *instruction) {
    const char *names[FUNCTION_COUNT];
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        names[i] = FUNCTIONS[i].name;
        if (strcmp(names[i], instruction->function.text) == 0) return &FUNCTIONS[i];
    }
    Diag *diag = diag_error(lines->check->diags, E_PART_FUNCTION, instruction->function.span,
                            "unknown partition function '%s'", instruction->function.text);
    const char *near = text_nearest(instruction->function.text, names, FUNCTION_COUNT);
    if (near != NULL) diag_help(diag, "did you mean '%s'?", near);
    else diag_help(diag, "the partition functions are block_size, block_count, stride and block_stride");
    return NULL;
}

/* ---- Arguments -------------------------------------------------------------------------- */

/* The value of an expression of literals; false when a partition parameter is in it. */
static bool literal_value(const Expr *expr, int64_t *value) {
    int64_t left, right;
    if (expr->kind == EXPR_INTEGER) return *value = expr->integer, true;
    if (expr->kind == EXPR_UNARY && expr->op == OP_NEG && literal_value(expr->left, &left))
        return !__builtin_sub_overflow((int64_t)0, left, value);
    if (expr->kind != EXPR_BINARY || !literal_value(expr->left, &left) || !literal_value(expr->right, &right)) return false;
    switch (expr->op) {
    case OP_ADD: return !__builtin_add_overflow(left, right, value);
    case OP_SUB: return !__builtin_sub_overflow(left, right, value);
    case OP_MUL: return !__builtin_mul_overflow(left, right, value);
    default: return false;
    }
}

/* A checked argument that, where it is a literal, is at least `least`. */
static Expr *check_argument(Lines *lines, const AstExpr *ast, int64_t least, const char *of) {
    Expr *expr = check_partition_expr(lines->check, lines->task, ast);
    int64_t value;
    if (expr != NULL && literal_value(expr, &value) && value < least)
        diag_error(lines->check->diags, E_PART_ARGUMENT, ast->span, "an argument of %s is at least %d, not %lld", of,
                   (int)least, (long long)value);
    return expr;
}

static bool check_argument_count(Lines *lines, const AstInstruction *instruction, const Known *known) {
    size_t count = instruction->arguments.count;
    /* More arguments than one dimension takes stand for successive dimensions. */
    if (count >= known->least && (count <= known->most || count % known->most == 0)) return true;
    Diag *diag = diag_error(lines->check->diags, E_PART_COUNT, instruction->span, "%s cannot take %zu argument%s",
                            known->name, count, count == 1 ? "" : "s");
    diag_help(diag, "write %s for one dimension; for several dimensions, list the arguments of each in turn",
              known->usage);
    return false;
}

static bool check_padding_allowed(Lines *lines, const AstInstruction *instruction, const Known *known) {
    Span span = instruction->padding.count > 0 ? instruction->padding.items[0]->span : instruction->span;
    if (known->function != PART_STRIDE && known->function != PART_BLOCK_STRIDE) return true;
    Diag *diag = diag_error(lines->check->diags, E_PADDING_STRIDED, span, "padding does not go with %s", known->name);
    diag_help(diag, "a strided part has neighbours everywhere, so padding it would make it nearly the whole dimension; "
                    "use block_size or block_count");
    return false;
}

/* Sets the padding of the `count` units that `instruction` gave. */
static void set_padding(Lines *lines, const AstInstruction *instruction, Unit *units, size_t count) {
    size_t given = instruction->padding.count;
    ExprVec padding = {0};
    for (size_t i = 0; i < given; i++) {
        Expr *expr = check_argument(lines, instruction->padding.items[i], 0, "padding");
        vec_push(lines->check->arena, &padding, expr);
    }
    if (given != 1 && given != count && given != 2 * count) {
        Diag *diag = diag_error(lines->check->diags, E_PADDING_COUNT, instruction->span,
                                "padding of %zu dimension%s cannot take %zu argument%s", count, count == 1 ? "" : "s", given,
                                given == 1 ? "" : "s");
        if (count == 1) diag_help(diag, "padding(p) pads both sides, padding(f, b) front and back");
        else diag_help(diag, "1 argument pads all dimensions, %zu pad each, %zu give front and back of each", count, 2 * count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        size_t front = given == 1 ? 0 : given == count ? i : 2 * i;
        units[i].padding_front = padding.items[front];
        units[i].padding_back = padding.items[given == 2 * count ? front + 1 : front];
    }
}

/* ---- Instructions → units ------------------------------------------------------------------ */

static void check_order(Lines *lines, const AstInstruction *instruction) {
    if (instruction->order == ORDER_NONE || lines->lps->ordered) return;
    const char *word = instruction->order == ORDER_ASCENDS ? "ascends" : "descends";
    Diag *diag = diag_error(lines->check->diags, E_ORDER, instruction->span, "'%s' belongs to an ordered sub-partition", word);
    diag_help(diag, "write 'Sub-partition <%dd> <ordered>'", lines->lps->dims);
}

static bool expand_function(Lines *lines, const AstInstruction *instruction, UnitVec *units) {
    Arena *arena = lines->check->arena;
    const Known *known = find_function(lines, instruction);
    if (known == NULL || !check_argument_count(lines, instruction, known)) return false;
    size_t given = instruction->arguments.count, start = units->count, next = 0;
    do {
        Unit unit = {.function = known->function, .order = instruction->order, .span = instruction->span};
        for (size_t a = 0; a < known->most && next < given; a++, next++)
            unit.arguments[a] = check_argument(lines, instruction->arguments.items[next], 1, known->name);
        vec_push(arena, units, unit);
    } while (next < given);
    if (instruction->has_padding && check_padding_allowed(lines, instruction, known))
        set_padding(lines, instruction, &units->items[start], units->count - start);
    return true;
}

static bool expand_line(Lines *lines, UnitVec *units) {
    bool good = true;
    for (size_t i = 0; i < lines->line->instructions.count; i++) {
        const AstInstruction *instruction = &lines->line->instructions.items[i];
        check_order(lines, instruction);
        if (!instruction->replicated) {
            if (!expand_function(lines, instruction, units)) good = false;
            continue;
        }
        vec_push(lines->check->arena, units, ((Unit){.function = PART_REPLICATED, .order = instruction->order,
                                                     .span = instruction->span}));
    }
    if (!good) return false;
    int dims = lines->lps->dims;
    if (units->count == (size_t)dims) return true;
    Diag *diag = diag_error(lines->check->diags, E_INSTRUCTION_COUNT, lines->line->span,
                            "%s has %d dimension%s, but this line gives %zu instruction%s",
                            lines->lps->sub_partition ? "the sub-partition"
                                                      : arena_printf(lines->check->arena, "Space %s", lines->lps->name),
                            dims, dims == 1 ? "" : "s", units->count, units->count == 1 ? "" : "s");
    diag_help(diag, "one instruction for each dimension, in order; 'replicated' where the dimension does not divide the variable");
    return false;
}

/* ---- Variables → array dimensions --------------------------------------------------------------- */

/* The array dimension, from 0, that `dim2` names in `var`; -1 after reporting. */
static int named_dimension(Lines *lines, const Var *var, Name name) {
    const char *digits = name.text;
    if (strncmp(digits, "dim", 3) == 0) digits += 3;
    if (strncmp(digits, "ension", 6) == 0) digits += 6;
    size_t length = strspn(digits, "0123456789");
    long number = length > 0 && length < 6 && digits[length] == '\0' ? strtol(digits, NULL, 10) : 0;
    if (digits != name.text && number >= 1 && number <= var->type->rank) return (int)number - 1;
    Diag *diag = diag_error(lines->check->diags, E_DIMENSION_NAME, name.span, "'%s' has no dimension '%s'", var->name,
                            name.text);
    if (var->type->rank == 1) diag_help(diag, "it has one dimension: dim1");
    else diag_help(diag, "it has %d dimensions: dim1 to dim%d", var->type->rank, var->type->rank);
    return -1;
}

/* Fills dimensions[0…] from the names of `listed`; false after reporting. */
static bool named_dimensions(Lines *lines, const AstDataVar *listed, const Var *var, size_t dividing, int *dimensions) {
    size_t count = listed->dimensions.count;
    for (size_t i = 0; i < count; i++) {
        Name name = listed->dimensions.items[i];
        int dimension = named_dimension(lines, var, name);
        if (dimension < 0) return false;
        for (size_t before = 0; before < i && before < MAX_RANK; before++) {
            if (dimensions[before] != dimension) continue;
            diag_error(lines->check->diags, E_DIMENSION_NAME, name.span, "'%s' names dimension %d twice", var->name,
                       dimension + 1);
            return false;
        }
        if (i < MAX_RANK) dimensions[i] = dimension;
    }
    if (count == dividing) return true;
    Diag *diag = diag_error(lines->check->diags, E_DIMENSION_COUNT, listed->span,
                            "'%s' names %zu dimension%s, but %zu instruction%s of this line divide%s", var->name, count,
                            count == 1 ? "" : "s", dividing, dividing == 1 ? "" : "s", dividing == 1 ? "s" : "");
    diag_help(diag, "name one dimension for each instruction that is not 'replicated'");
    return false;
}

/* For each unit that divides, in order, the dimension of `var` that it divides. */
static bool match_dimensions(Lines *lines, const AstDataVar *listed, const Var *var, const UnitVec *units, int *dimensions) {
    size_t dividing = 0;
    if (units->count == 0) return true;
    for (size_t u = 0; u < units->count; u++) dividing += units->items[u].function != PART_REPLICATED;
    if (listed->dimensions.count > 0) return named_dimensions(lines, listed, var, dividing, dimensions);
    size_t rank = (size_t)var->type->rank;
    if (rank >= units->count) {
        size_t next = 0;
        for (size_t u = 0; u < units->count; u++)
            if (units->items[u].function != PART_REPLICATED) dimensions[next++] = (int)u;
        return true;
    }
    for (size_t i = 0; i < dividing && i < rank; i++) dimensions[i] = (int)i;
    if (dividing <= rank) return true;
    Diag *diag = diag_error(lines->check->diags, E_TOO_MANY_DIVIDE, listed->span,
                            "'%s' has %zu dimension%s, but %zu instructions of this line divide it", var->name, rank,
                            rank == 1 ? "" : "s", dividing);
    diag_help(diag, "write 'replicated' for the dimensions of the LPS that do not divide '%s'", var->name);
    return false;
}

static Var *find_listed(Lines *lines, const AstDataVar *listed) {
    Check *check = lines->check;
    Var *var = name_table_find(check->task_globals.items[lines->task->id], listed->name.text);
    if (var == NULL) {
        Diag *diag = diag_error(check->diags, E_LISTED_NAME, listed->name.span,
                                "the task has no variable '%s' to divide", listed->name.text);
        help_nearest_global(check, diag, lines->task, listed->name.text);
        if (!diag_has_help(diag)) help_define(diag, listed->name.text, lines->lps->dims > 0 ? lines->lps->dims : 1, false);
        return NULL;
    }
    if (!var_is_array(var)) {
        Diag *diag = diag_error(check->diags, E_LISTED_SCALAR, listed->name.span,
                                "'%s' is not an array, so no LPS lists it", var->name);
        diag_help(diag, "leave it out: every LPU sees it, and it lives in the lowest LPS that contains every place that writes it");
        return NULL;
    }
    const LpsVar *first = lps_find_var(lines->lps, var);
    if (first != NULL) {
        Diag *diag = diag_error(check->diags, E_LISTED_TWICE, listed->name.span, "'%s' is listed twice", var->name);
        diag_note(diag, first->span, "the first '%s' is here", var->name);
        return NULL;
    }
    if (!lines->lps->sub_partition || lps_find_var(lines->lps->parent, var) != NULL) return var;
    Diag *diag = diag_error(check->diags, E_SUB_NOT_LISTED, listed->name.span,
                            "the sub-partition cuts '%s', which Space %s does not list", var->name, lines->lps->parent->name);
    diag_help(diag, "list '%s' in Space %s as well, 'replicated' where it is not divided", var->name,
              lines->lps->parent->name);
    return NULL;
}

static Lps *find_relative(Lines *lines, Name name) {
    if (name.text == NULL) return NULL;
    Lps *lps = task_find_lps(lines->task, name.text);
    if (lps != NULL && lps != lines->lps && lps_is_within(lines->lps, lps)) return lps;
    Diag *diag = diag_error(lines->check->diags, E_RELATIVE_TO, name.span, lps == NULL ? "there is no Space %s"
                                                                                       : "Space %s is not above this LPS",
                            name.text);
    if (lps == NULL) help_nearest_lps(lines->check, diag, lines->task, name.text);
    else diag_help(diag, "relative-to names an LPS that this one divides, directly or not");
    return NULL;
}

/* An LPS divides the part that the nearest LPS above it lists; relative-to may name that one alone. */
static void check_relative(Lines *lines, const Var *var, const Lps *relative_to, Span span) {
    for (const Lps *lps = lines->lps->parent; relative_to != NULL && lps != relative_to; lps = lps->parent) {
        const LpsVar *between = lps_find_var(lps, var);
        if (between == NULL) continue;
        Diag *diag = diag_error(lines->check->diags, E_RELATIVE_TO, span, "'%s' cannot be divided relative to Space %s: Space %s between them divides it",
                                var->name, relative_to->name, lps->name);
        diag_note(diag, between->span, "'%s' is divided here", var->name);
        diag_help(diag, "an LPS divides the part of the LPS above it: leave relative-to out, or leave '%s' out of Space %s", var->name, lps->name);
        return;
    }
}

static void list_variable(Lines *lines, const AstDataVar *listed, const UnitVec *units, Lps *relative_to) {
    Var *var = find_listed(lines, listed);
    if (var == NULL) return;
    check_relative(lines, var, relative_to, listed->span);
    LpsVar entry = {.var = var, .relative_to = relative_to, .span = listed->span};
    int dimensions[MAX_RANK];
    /* After an error the variable is listed all the same, so that its uses are not reported as well. */
    size_t count = match_dimensions(lines, listed, var, units, dimensions) ? units->count : 0, next = 0;
    for (size_t u = 0; u < count; u++) {
        Unit unit = units->items[u];
        entry.dims[u] = (DimPartition){.function = unit.function, .array_dimension = -1,
                                       .arguments = {unit.arguments[0], unit.arguments[1]},
                                       .padding_front = unit.padding_front, .padding_back = unit.padding_back,
                                       .order = unit.order, .span = unit.span};
        if (unit.function != PART_REPLICATED) entry.dims[u].array_dimension = dimensions[next++];
    }
    vec_push(lines->check->arena, &lines->lps->vars, entry);
}

/* An un-partitioned LPS lists names alone. */
static void check_unpartitioned_line(Lines *lines) {
    const AstDataLine *line = lines->line;
    Span span = line->span;
    bool divides = line->instructions.count > 0;
    if (divides) span = line->instructions.items[0].span;
    for (size_t i = 0; i < line->vars.count && !divides; i++) {
        divides = line->vars.items[i].dimensions.count > 0;
        span = line->vars.items[i].span;
    }
    if (!divides) return;
    Diag *diag = diag_error(lines->check->diags, E_UNPARTITIONED_LINE, span, "Space %s is un-partitioned: it divides nothing",
                            lines->lps->name);
    diag_help(diag, "list the variables alone, or give the LPS a dimensionality: 'Space %s <1d>'", lines->lps->name);
}

/* `descends` turns a whole dimension of the walk around, so all variables must agree. */
static void check_orders_agree(Lines *lines) {
    const Lps *lps = lines->lps;
    for (int d = 0; d < lps->dims; d++) {
        const DimPartition *first = NULL;
        for (size_t v = 0; v < lps->vars.count; v++) {
            const DimPartition *dim = &lps->vars.items[v].dims[d];
            if (dim->order == ORDER_NONE) continue;
            if (first == NULL) first = dim;
            if (dim->order == first->order) continue;
            Diag *diag = diag_error(lines->check->diags, E_ORDER_CONFLICT, dim->span,
                                    "dimension %d of the sub-partition both ascends and descends", d + 1);
            diag_note(diag, first->span, "the other order is here");
            return;
        }
    }
}

void declare_data_lines(Check *check, Task *task, Lps *lps, const AstDataLine *data, size_t count) {
    Lines lines = {.check = check, .task = task, .lps = lps};
    for (size_t i = 0; i < count; i++) {
        lines.line = &data[i];
        UnitVec units = {0};
        if (lps->dims == 0) check_unpartitioned_line(&lines);
        else if (!expand_line(&lines, &units)) units = (UnitVec){0};
        Lps *relative_to = find_relative(&lines, lines.line->relative_to);
        for (size_t v = 0; v < lines.line->vars.count; v++)
            list_variable(&lines, &lines.line->vars.items[v], &units, relative_to);
    }
    check_orders_agree(&lines);
}
