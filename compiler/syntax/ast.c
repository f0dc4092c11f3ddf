/* Constructors of names, types, program parts, the Computation and the Partition
 * section: one for each action of hp5.y. Those of code are in ast_code.c. They check
 * the rules of spelling that the grammar alone cannot say. */
#include "compiler/syntax/parse.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Copies a list that the grammar built into the (anonymous) vector of a node. */
#define TAKE(field, list)                                                                                    \
    do {                                                                                                     \
        if (list) {                                                                                          \
            (field).items = (list)->items;                                                                   \
            (field).count = (list)->count;                                                                   \
            (field).capacity = (list)->capacity;                                                             \
        }                                                                                                    \
    } while (0)

static Name name_of(Parse *p, Token token) { return (Name){token_slice(p, token), token.span}; }

/* A string's content as a name. */
static Name name_of_string(Parse *p, Token token) { return (Name){ast_literal(p, token)->text, token.span}; }

/* ---- Lists ------------------------------------------------------------------------ */

NameVec *ast_add_name(Parse *p, NameVec *all, Token one) {
    if (!all) all = ARENA_NEW(p->arena, NameVec);
    vec_push(p->arena, all, name_of(p, one));
    return all;
}

NameVec *ast_add_word(Parse *p, NameVec *all, Token one) {
    if (!all) all = ARENA_NEW(p->arena, NameVec);
    vec_push(p->arena, all, one.kind == HP5_STRING ? name_of_string(p, one) : name_of(p, one));
    return all;
}

ParamVec *ast_add_param(Parse *p, ParamVec *all, Token name, bool by_reference) {
    if (!all) all = ARENA_NEW(p->arena, ParamVec);
    AstParam param = {name_of(p, name), by_reference};
    vec_push(p->arena, all, param);
    return all;
}

ExtentVec *ast_add_extent(Parse *p, ExtentVec *all, Token one) {
    if (!all) all = ARENA_NEW(p->arena, ExtentVec);
    int64_t extent = ast_literal(p, one)->integer;
    if (extent < 1) {
        Diag *d = diag_error(p->diags, E_BAD_EXTENT, one.span, "a static array cannot have %lld elements",
                             (long long)extent);
        diag_help(d, "write a number of at least 1");
        extent = 1;
    }
    vec_push(p->arena, all, extent);
    return all;
}

/* Lists of nodes; NULL stands for source text that could not be parsed. */
#define DEFINE_LIST(list, item, verb)                                                                        \
    list *ast_##verb(Parse *p, list *all, item *one) {                                                       \
        if (!all) all = ARENA_NEW(p->arena, list);                                                           \
        if (one) vec_push(p->arena, all, *one);                                                              \
        return all;                                                                                          \
    }
DEFINE_LIST(AstDefinitionVec, AstDefinition, add_definition)
DEFINE_LIST(LinkageVec, AstLinkage, add_linkage)
DEFINE_LIST(StageVec, AstStage, add_stage)
DEFINE_LIST(DataVarVec, AstDataVar, add_data_var)
DEFINE_LIST(InstructionVec, AstInstruction, add_instruction)
DEFINE_LIST(LpsVec, AstLps, add_lps)
DEFINE_LIST(DataLineVec, AstDataLine, add_data_line)

AstFlowVec *ast_add_flow(Parse *p, AstFlowVec *all, AstFlow *one) {
    if (!all) all = ARENA_NEW(p->arena, AstFlowVec);
    vec_push(p->arena, all, one);
    return all;
}

/* ---- Types ------------------------------------------------------------------------ */

static AstType *new_type(Parse *p, AstTypeKind kind, Span span) {
    AstType *t = ARENA_NEW(p->arena, AstType);
    t->kind = kind;
    t->span = span;
    return t;
}

AstType *ast_basic_type(Parse *p, BasicType basic, Token first, Token last) {
    AstType *t = new_type(p, AST_TYPE_BASIC, span_join(first.span, last.span));
    t->basic = basic;
    return t;
}

AstType *ast_real_without_precision(Parse *p, Token token) {
    Diag *d = diag_error(p->diags, E_REAL_WITHOUT_PRECISION, token.span, "'Real' needs a precision");
    diag_help(d, "write 'Real single-precision' or 'Real double-precision'");
    return ast_basic_type(p, BASIC_REAL_DOUBLE, token, token);
}

AstType *ast_named_type(Parse *p, Token name) {
    AstType *t = new_type(p, AST_TYPE_NAMED, name.span);
    t->name = name_of(p, name);
    return t;
}

AstType *ast_static_array(Parse *p, Token start, ExtentVec *extents, AstType *element) {
    AstType *t = new_type(p, AST_TYPE_STATIC_ARRAY, span_join(start.span, element->span));
    t->element = element;
    TAKE(t->extents, extents);
    return t;
}

AstType *ast_array(Parse *p, Token dimensionality, AstType *element, Token format) {
    AstType *t = new_type(p, AST_TYPE_ARRAY,
                          span_join(dimensionality.span, format.kind ? format.span : element->span));
    t->rank = atoi(token_slice(p, dimensionality));
    t->element = element;
    if (format.kind) t->format = name_of(p, format);
    return t;
}

AstType *ast_list(Parse *p, Token start, AstType *element) {
    AstType *t = new_type(p, AST_TYPE_LIST, span_join(start.span, element->span));
    t->element = element;
    return t;
}

/* ---- Program parts ------------------------------------------------------------------ */

AstDefinition *ast_definition(Parse *p, NameVec *names, AstType *type, Token reduction) {
    AstDefinition *d = ARENA_NEW(p->arena, AstDefinition);
    d->names = *names;
    d->type = type;
    d->reduction = reduction.kind != 0;
    d->span = span_join(names->items[0].span, reduction.kind ? reduction.span : type->span);
    return d;
}

static AstTypeDecl *add_type(Parse *p, Token start, Token name, Span last) {
    AstTypeDecl *t = ARENA_NEW(p->arena, AstTypeDecl);
    t->name = name_of(p, name);
    t->is_class = p->source->text[start.span.start] == 'C';
    t->span = span_join(start.span, last);
    AstPart part = {.kind = AST_PART_TYPE, .type = t};
    vec_push(p->arena, &p->ast->parts, part);
    return t;
}

void ast_part_type(Parse *p, Token start, Token name, AstDefinitionVec *fields) {
    add_type(p, start, name, fields->count > 0 ? vec_last(fields).span : name.span)->fields = *fields;
}

void ast_part_array_type(Parse *p, Token start, Token name, AstType *array) {
    add_type(p, start, name, array->span)->array = array;
}

void ast_part_function(Parse *p, Token start, Token name, ParamVec *params, AstBlock *body) {
    AstFunction *f = ARENA_NEW(p->arena, AstFunction);
    f->name = name_of(p, name);
    TAKE(f->params, params);
    f->body = *body;
    f->span = span_join(start.span, body->span);
    AstPart part = {.kind = AST_PART_FUNCTION, .function = f};
    vec_push(p->arena, &p->ast->parts, part);
}

void ast_part_coordinator(Parse *p, Token start, Token argument, AstBlock *body) {
    AstCoordinator *c = ARENA_NEW(p->arena, AstCoordinator);
    c->argument = name_of(p, argument);
    c->body = *body;
    c->span = span_join(start.span, body->span);
    AstPart part = {.kind = AST_PART_COORDINATOR, .coordinator = c};
    vec_push(p->arena, &p->ast->parts, part);
}

void ast_part_task(Parse *p, AstTask *task) {
    AstPart part = {.kind = AST_PART_TASK, .task = task};
    vec_push(p->arena, &p->ast->parts, part);
}

AstTask *ast_task(Parse *p, Token start, Token name) {
    AstTask *t = ARENA_NEW(p->arena, AstTask);
    t->name = name_of_string(p, name);
    t->span = span_join(start.span, name.span);
    return t;
}

/* Opens a section: false, with a message, when the task has it already. */
static bool open_section(Parse *p, AstTask *t, Token start, bool *present, Span *span, uint32_t end) {
    if (*present) {
        Diag *d = diag_error(p->diags, E_REPEATED_SECTION, start.span, "task \"%s\" has two %s sections",
                             t->name.text, token_text(start.kind));
        diag_note(d, (Span){span->start, span->start + (start.span.end - start.span.start)},
                  "the first one is here");
        return false;
    }
    if (end < start.span.end) end = start.span.end;
    *present = true;
    *span = (Span){start.span.start, end};
    if (end > t->span.end) t->span.end = end;
    return true;
}

/* Where a list ends; 0 when it is empty. */
#define LIST_END(list) ((list) && (list)->count > 0 ? vec_last(list).span.end : 0)

AstTask *ast_task_define(Parse *p, AstTask *t, Token start, AstDefinitionVec *items) {
    if (open_section(p, t, start, &t->define.present, &t->define.span, LIST_END(items)))
        TAKE(t->define.items, items);
    return t;
}

AstTask *ast_task_environment(Parse *p, AstTask *t, Token start, LinkageVec *items) {
    if (open_section(p, t, start, &t->environment.present, &t->environment.span, LIST_END(items)))
        TAKE(t->environment.items, items);
    return t;
}

AstTask *ast_task_initialize(Parse *p, AstTask *t, Token start, NameVec *params, AstStmtVec *code) {
    AstBlock *body = ast_open_code(p, start, code);
    if (open_section(p, t, start, &t->initialize.present, &t->initialize.span, body->span.end)) {
        TAKE(t->initialize.params, params);
        t->initialize.body = *body;
    }
    return t;
}

AstTask *ast_task_stages(Parse *p, AstTask *t, Token start, StageVec *items) {
    if (open_section(p, t, start, &t->stages.present, &t->stages.span, LIST_END(items)))
        TAKE(t->stages.items, items);
    return t;
}

AstTask *ast_task_computation(Parse *p, AstTask *t, Token start, AstFlowVec *body) {
    uint32_t end = body && body->count > 0 ? vec_last(body)->span.end : 0;
    if (open_section(p, t, start, &t->computation.present, &t->computation.span, end))
        TAKE(t->computation.body, body);
    return t;
}

AstTask *ast_task_partition(Parse *p, AstTask *t, Token start, NameVec *params, LpsVec *spaces, Token close) {
    uint32_t end = close.kind ? close.span.end : LIST_END(spaces);
    if (open_section(p, t, start, &t->partition.present, &t->partition.span, end)) {
        TAKE(t->partition.params, params);
        TAKE(t->partition.spaces, spaces);
    }
    return t;
}

AstLinkage *ast_linkage(Parse *p, NameVec *names, LinkMode mode, Token token) {
    AstLinkage *l = ARENA_NEW(p->arena, AstLinkage);
    l->names = *names;
    l->mode = mode;
    l->span = span_join(names->items[0].span, token.span);
    return l;
}

AstStage *ast_stage(Parse *p, Token name, NameVec *params, AstBlock *body) {
    AstStage *s = ARENA_NEW(p->arena, AstStage);
    s->name = name_of(p, name);
    s->body = *body;
    s->span = span_join(name.span, body->span);
    if (params) {
        s->params = *params;
    } else {
        Diag *d = diag_error(p->diags, E_STAGE_WITHOUT_PARAMETERS, name.span, "stage '%s' has no parameters",
                             s->name.text);
        diag_help(d, "a stage takes at least one task-global variable: the data whose parts it works on");
    }
    return s;
}

/* ---- Computation ---------------------------------------------------------------------- */

/* The name of a space, which starts with a capital letter. */
static Name lps_name(Parse *p, Token token) {
    Name name = name_of(p, token);
    if (isupper((unsigned char)name.text[0])) return name;
    Diag *d = diag_error(p->diags, E_LPS_NAME, name.span,
                         "the name of a space starts with a capital letter, not '%c'", name.text[0]);
    char *better = arena_strdup(p->arena, name.text);
    better[0] = (char)toupper((unsigned char)better[0]);
    if (isupper((unsigned char)better[0])) diag_help(d, "write 'Space %s'", better);
    return name;
}

static AstFlow *new_flow(Parse *p, AstFlowKind kind, Span span, AstFlowVec *body) {
    AstFlow *f = ARENA_NEW(p->arena, AstFlow);
    f->kind = kind;
    f->span = span;
    if (body) f->body = *body;
    return f;
}

AstFlow *ast_flow_space(Parse *p, Token start, Token name, AstFlowVec *body, Token close) {
    AstFlow *f = new_flow(p, FLOW_SPACE, span_join(start.span, close.span), body);
    f->name = lps_name(p, name);
    return f;
}

AstFlow *ast_flow_call(Parse *p, Token name, AstExprVec *arguments, Token close) {
    AstFlow *f = new_flow(p, FLOW_CALL, span_join(name.span, close.span), NULL);
    f->name = name_of(p, name);
    if (!arguments) return f;
    f->arguments = *arguments;
    for (size_t i = 0; i < arguments->count; i++) {
        const AstExpr *e = arguments->items[i];
        if (e->kind != AST_SPACE_ARG) continue;
        uint32_t at = e->name.span.start;
        lps_name(p, (Token){.span = {at, e->name.span.end}, .kind = HP5_NAME});
    }
    return f;
}

AstFlow *ast_flow_repeat_for(Parse *p, Token start, Token name, AstExpr *range, AstExpr *step,
                             AstFlowVec *body, Token close) {
    AstFlow *f = new_flow(p, FLOW_REPEAT_FOR, span_join(start.span, close.span), body);
    f->name = name_of(p, name);
    f->condition = range;
    f->step = step;
    return f;
}

AstFlow *ast_flow_block(Parse *p, AstFlowKind kind, Token start, AstExpr *condition, AstFlowVec *body,
                        Token close) {
    AstFlow *f = new_flow(p, kind, span_join(start.span, close.span), body);
    f->condition = condition;
    if (condition && condition->kind == AST_ASSIGN) {
        Diag *d = diag_error(p->diags, E_ASSIGNMENT_AS_CONDITION, condition->operator_span,
                             "'=' assigns; a condition compares");
        diag_help(d, "write '==' to compare");
    }
    return f;
}

AstFlow *ast_flow_where(Parse *p, Token start, AstExpr *condition, AstFlowVec *body, Token close) {
    AstFlow *f = ast_flow_block(p, FLOW_IF, start, condition, body, close);
    f->where = true;
    return f;
}

AstFlow *ast_broken_flow(Parse *p, Token token) { return new_flow(p, FLOW_ERROR, token.span, NULL); }

/* ---- Partition -------------------------------------------------------------------------- */

AstDataVar *ast_data_var(Parse *p, Token name, NameVec *dimensions, Token close) {
    AstDataVar *v = ARENA_NEW(p->arena, AstDataVar);
    v->name = name_of(p, name);
    v->span = span_join(name.span, close.span);
    TAKE(v->dimensions, dimensions);
    for (size_t i = 0; i < v->dimensions.count; i++) {
        const Name *d = &v->dimensions.items[i];
        bool good = strncmp(d->text, "dim", 3) == 0 && d->text[3] >= '1' && d->text[3] <= '9' &&
                    d->text[3 + strspn(d->text + 3, "0123456789")] == '\0';
        if (good) continue;
        Diag *diag = diag_error(p->diags, E_BAD_DIMENSION, d->span, "'%s' is no dimension", d->text);
        diag_help(diag, "in a Partition section dimensions are called dim1, dim2, …");
    }
    return v;
}

static AstInstruction *new_instruction(Parse *p, Span span) {
    AstInstruction *i = ARENA_NEW(p->arena, AstInstruction);
    i->span = span;
    return i;
}

AstInstruction *ast_replicated(Parse *p, Token token) {
    AstInstruction *i = new_instruction(p, token.span);
    i->replicated = true;
    return i;
}

AstInstruction *ast_instruction(Parse *p, Token name, AstExprVec *arguments, Token close) {
    AstInstruction *i = new_instruction(p, span_join(name.span, close.span));
    i->function = name_of(p, name);
    if (arguments) i->arguments = *arguments;
    return i;
}

AstInstruction *ast_instruction_padding(Parse *p, AstInstruction *i, AstExprVec *padding, Token close) {
    (void)p;
    i->has_padding = true;
    if (padding) i->padding = *padding;
    i->span = span_join(i->span, close.span);
    return i;
}

AstInstruction *ast_instruction_order(Parse *p, AstInstruction *i, AstOrder order, Token token) {
    (void)p;
    i->order = order;
    i->span = span_join(i->span, token.span);
    return i;
}

AstDataLine *ast_data_line(Parse *p, DataVarVec *vars, InstructionVec *instructions) {
    AstDataLine *l = ARENA_NEW(p->arena, AstDataLine);
    TAKE(l->vars, vars);
    TAKE(l->instructions, instructions);
    l->span =
        span_join(vars->items[0].span, instructions ? vec_last(instructions).span : vec_last(vars).span);
    return l;
}

AstDataLine *ast_data_line_relative(Parse *p, AstDataLine *line, Token lps) {
    line->relative_to = lps_name(p, lps);
    line->span = span_join(line->span, lps.span);
    return line;
}

static int dimensions_of(Parse *p, Token dims) { return atoi(token_slice(p, dims)); }

AstSubPartition *ast_sub_partition(Parse *p, Token start, Token dims, Token nature, DataLineVec *lines,
                                   Token close) {
    AstSubPartition *s = ARENA_NEW(p->arena, AstSubPartition);
    s->dims = dimensions_of(p, dims);
    s->ordered = nature.kind == HP5_ORDERED;
    s->nature_span = nature.span;
    TAKE(s->lines, lines);
    s->span = span_join(start.span, close.span);
    return s;
}

LpsBody *ast_lps_line(Parse *p, LpsBody *body, AstDataLine *line) {
    if (!body) body = ARENA_NEW(p->arena, LpsBody);
    if (line) vec_push(p->arena, &body->lines, *line);
    return body;
}

LpsBody *ast_lps_sub_partition(Parse *p, LpsBody *body, AstSubPartition *sub_partition) {
    if (!body) body = ARENA_NEW(p->arena, LpsBody);
    vec_push(p->arena, &body->sub_partitions, *sub_partition);
    return body;
}

LpsKind *ast_lps_kind(Parse *p, Token token) {
    LpsKind *k = ARENA_NEW(p->arena, LpsKind);
    k->unpartitioned = token.kind == HP5_UN_PARTITIONED;
    k->has_dims = token.kind == HP5_DIMENSIONALITY;
    if (k->has_dims) k->dims = dimensions_of(p, token);
    return k;
}

LpsKind *ast_lps_dynamic(Parse *p, LpsKind *kind) {
    (void)p;
    kind->dynamic = true;
    return kind;
}

LpsParent *ast_lps_parent(Parse *p, Token name, bool sub_partitions) {
    LpsParent *parent = ARENA_NEW(p->arena, LpsParent);
    parent->name = lps_name(p, name);
    parent->sub_partitions = sub_partitions;
    return parent;
}

AstLps *ast_lps(Parse *p, Token start, Token name, LpsKind *kind, LpsParent *parent, LpsBody *body,
                Token close) {
    AstLps *l = ARENA_NEW(p->arena, AstLps);
    l->name = lps_name(p, name);
    l->dims = kind->dims;
    l->has_dims = kind->has_dims;
    l->unpartitioned = kind->unpartitioned;
    l->dynamic = kind->dynamic;
    if (parent) {
        l->parent = parent->name;
        l->divides_sub_partitions = parent->sub_partitions;
    }
    if (body) {
        memcpy(&l->lines, &body->lines, sizeof l->lines);
        memcpy(&l->sub_partitions, &body->sub_partitions, sizeof l->sub_partitions);
    }
    l->span = span_join(start.span, close.span);
    return l;
}
