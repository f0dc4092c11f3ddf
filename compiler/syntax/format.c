/* The formatter (hp5c --format). It prints the program's own tokens again, so nothing
 * of the program can change; only white space does, and what has two spellings gets the
 * usual one (x.dimension1.range.length, [a...b], commas in new T(a: 1, b: 2)):
 *   - the tree says before which tokens a line starts, and how far in (the marks);
 *   - inside a statement the writer's line breaks stay, eight columns further in;
 *   - between two tokens on one line there is one space or none (glued);
 *   - comments stay before or after the token where they stood; at most one blank line
 *     is kept, exactly one separates the parts of a program.
 * Formatting the output again changes nothing. */
#include "compiler/syntax/parse.h"
#include <stdlib.h>
#include <string.h>

typedef enum MarkKind { MARK_NONE, MARK_ITEM, MARK_PART, MARK_CLOSE } MarkKind;

typedef struct Layout { /* one for each token */
    uint8_t mark;       /* MarkKind */
    bool angle;         /* this '<' or '>' is a bracket */
    bool joined;        /* no space before it, whatever the tokens are */
    const char *before; /* text that the usual spelling has before it, or NULL */
    const char *instead; /* the usual spelling has this in its place ("": nothing), or NULL */
    int indent;         /* levels, when marked */
} Layout;

typedef struct Printer {
    Parse p; /* tokens; comments come from the tree */
    const Ast *ast;
    Text *out;
    Layout *layout;
    size_t next_comment;
    int indent;        /* of the line that the last mark started */
    uint32_t last_end; /* source offset after what was printed last */
    bool after_line_comment, opened;
} Printer;

/* ---- Marks ------------------------------------------------------------------------- */

/* The index of the first token at or after `offset`. */
static size_t token_from(const Printer *r, uint32_t offset) {
    size_t low = 0, high = r->p.tokens.count - 1;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (r->p.tokens.items[middle].span.start < offset) low = middle + 1;
        else high = middle;
    }
    return low;
}

static void mark(Printer *r, uint32_t offset, int indent, MarkKind kind) {
    Layout *l = &r->layout[token_from(r, offset)];
    l->mark = (uint8_t)kind;
    l->indent = indent;
}

static bool has_comment(const Printer *r, Span span) {
    size_t low = 0, high = r->ast->comments.count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (r->ast->comments.items[middle].span.start < span.start) low = middle + 1;
        else high = middle;
    }
    return low < r->ast->comments.count && r->ast->comments.items[low].span.start < span.end;
}

/* The closing brace that ends `span` gets a line of its own unless nothing stands inside. */
static void mark_close(Printer *r, Span span, bool empty, int indent) {
    if (!empty || has_comment(r, span)) mark(r, span.end - 1, indent, MARK_CLOSE);
}

static void mark_block(Printer *r, const AstBlock *block, int indent);

static void mark_if(Printer *r, const AstStmt *s, int indent) {
    mark_block(r, &s->body, indent);
    if (!s->otherwise) return;
    if (!s->body.braced) mark(r, s->body.span.end, indent, MARK_ITEM); /* the 'else' */
    const AstBlock *other = s->otherwise;
    bool chain = !other->braced && other->statements.count == 1 && other->statements.items[0]->kind == AST_IF;
    if (chain) mark_if(r, other->statements.items[0], indent);
    else mark_block(r, other, indent);
}

static void mark_extern(Printer *r, const AstStmt *s, int indent) {
    for (size_t i = token_from(r, s->span.start); r->p.tokens.items[i].span.start < s->span.end; i++) {
        int kind = r->p.tokens.items[i].kind;
        bool item = kind == HP5_LANGUAGE || kind == HP5_INCLUDES || kind == HP5_LIBRARIES || kind == HP5_CODE;
        if (item) mark(r, r->p.tokens.items[i].span.start, indent + 1, MARK_ITEM);
    }
    mark(r, s->span.end - 1, indent, MARK_CLOSE);
}

static void mark_stmt(Printer *r, const AstStmt *s, int indent) {
    mark(r, s->span.start, indent, MARK_ITEM);
    switch (s->kind) {
    case AST_IF: mark_if(r, s, indent); break;
    case AST_PARALLEL:
    case AST_SEQUENCE:
    case AST_WHILE:
    case AST_BLOCK: mark_block(r, &s->body, indent); break;
    case AST_EXTERN: mark_extern(r, s, indent); break;
    case AST_EXPR_STMT:
    case AST_RETURN:
    case AST_REDUCE:
    case AST_STMT_ERROR: break;
    }
}

static void mark_block(Printer *r, const AstBlock *block, int indent) {
    for (size_t i = 0; i < block->statements.count; i++) mark_stmt(r, block->statements.items[i], indent + 1);
    if (block->braced) mark_close(r, block->span, block->statements.count == 0, indent);
}

static void mark_flows(Printer *r, const AstFlowVec *flows, int indent) {
    for (size_t i = 0; i < flows->count; i++) {
        const AstFlow *f = flows->items[i];
        mark(r, f->span.start, indent, MARK_ITEM);
        mark_flows(r, &f->body, indent + 1);
        if (f->kind != FLOW_CALL && f->kind != FLOW_ERROR) mark_close(r, f->span, f->body.count == 0, indent);
    }
}

static void mark_angles(Printer *r, Span span) {
    for (size_t i = token_from(r, span.start); r->p.tokens.items[i].span.start < span.end; i++)
        r->layout[i].angle = r->p.tokens.items[i].kind == HP5_LT || r->p.tokens.items[i].kind == HP5_GT;
}

static void mark_line(Printer *r, const AstDataLine *line, int indent) {
    mark(r, line->span.start, indent, MARK_ITEM);
    for (size_t i = 0; i < line->vars.count; i++)
        if (line->vars.items[i].dimensions.count > 0) mark_angles(r, line->vars.items[i].span);
}

static void mark_space(Printer *r, const AstLps *l, int indent) {
    mark(r, l->span.start, indent, MARK_ITEM);
    for (size_t i = 0; i < l->lines.count; i++) mark_line(r, &l->lines.items[i], indent + 1);
    for (size_t i = 0; i < l->sub_partitions.count; i++) {
        const AstSubPartition *s = &l->sub_partitions.items[i];
        mark(r, s->span.start, indent + 1, MARK_ITEM);
        for (size_t j = 0; j < s->lines.count; j++) mark_line(r, &s->lines.items[j], indent + 2);
        mark_close(r, s->span, s->lines.count == 0, indent + 1);
    }
    mark_close(r, l->span, l->lines.count == 0 && l->sub_partitions.count == 0, indent);
}

static void mark_task(Printer *r, const AstTask *t) {
    const bool present[] = {t->define.present, t->environment.present, t->initialize.present,
                            t->stages.present, t->computation.present, t->partition.present};
    const Span spans[] = {t->define.span, t->environment.span, t->initialize.span,
                          t->stages.span, t->computation.span, t->partition.span};
    for (int i = 0; i < 6; i++)
        if (present[i]) mark(r, spans[i].start, 1, MARK_ITEM);
    for (size_t i = 0; i < t->define.items.count; i++)
        mark(r, t->define.items.items[i].span.start, 2, MARK_ITEM);
    for (size_t i = 0; i < t->environment.items.count; i++)
        mark(r, t->environment.items.items[i].span.start, 2, MARK_ITEM);
    mark_block(r, &t->initialize.body, 1);
    for (size_t i = 0; i < t->stages.items.count; i++) {
        mark(r, t->stages.items.items[i].span.start, 2, MARK_ITEM);
        mark_block(r, &t->stages.items.items[i].body, 2);
    }
    mark_flows(r, &t->computation.body, 2);
    size_t spaces = t->partition.spaces.count;
    for (size_t i = 0; i < spaces; i++) mark_space(r, &t->partition.spaces.items[i], 2);
    uint32_t end = spaces > 0 ? t->partition.spaces.items[spaces - 1].span.end : t->partition.span.start;
    if (t->partition.present && t->partition.span.end > end &&
        r->p.source->text[t->partition.span.end - 1] == '}')
        mark(r, t->partition.span.end - 1, 1, MARK_CLOSE); /* Partition (k) { … } */
}

static void mark_program(Printer *r) {
    for (size_t i = 0; i < r->ast->parts.count; i++) {
        const AstPart *part = &r->ast->parts.items[i];
        switch (part->kind) {
        case AST_PART_TYPE:
            mark(r, part->type->span.start, 0, MARK_PART);
            for (size_t j = 0; j < part->type->fields.count; j++)
                mark(r, part->type->fields.items[j].span.start, 1, MARK_ITEM);
            break;
        case AST_PART_TASK:
            mark(r, part->task->span.start, 0, MARK_PART);
            mark_task(r, part->task);
            break;
        case AST_PART_FUNCTION:
            mark(r, part->function->span.start, 0, MARK_PART);
            mark_block(r, &part->function->body, 0);
            break;
        case AST_PART_COORDINATOR:
            mark(r, part->coordinator->span.start, 0, MARK_PART);
            mark_block(r, &part->coordinator->body, 0);
            break;
        }
    }
    size_t last = r->p.tokens.count - 1;
    r->layout[last].mark = MARK_PART;
    for (size_t i = 0; i < last; i++) { /* <2d>, <un-partitioned>, … */
        int inside = r->p.tokens.items[i + 1].kind;
        bool bracket = inside == HP5_DIMENSIONALITY || inside == HP5_UN_PARTITIONED ||
                       inside == HP5_DYNAMIC || inside == HP5_ORDERED || inside == HP5_UNORDERED;
        if (r->p.tokens.items[i].kind != HP5_LT || !bracket) continue;
        r->layout[i].angle = true;
        if (i + 2 < last && r->p.tokens.items[i + 2].kind == HP5_GT) r->layout[i + 2].angle = true;
    }
}

/* ---- The usual spellings -------------------------------------------------------------- */

static int kind_at(const Printer *r, size_t i) { return i < r->p.tokens.count ? r->p.tokens.items[i].kind : 0; }

static bool is_name(const Printer *r, size_t i, const char *text) {
    if (kind_at(r, i) != HP5_NAME) return false;
    Span span = r->p.tokens.items[i].span;
    size_t length = strlen(text);
    return span.end - span.start == length && memcmp(r->p.source->text + span.start, text, length) == 0;
}

static bool is_label(const Printer *r, size_t i) { return kind_at(r, i) == HP5_NAME && kind_at(r, i + 1) == HP5_COLON; }

/* x.dimension1.length, and not a field of that name of anything else. */
static void spell_length(Printer *r, size_t dot) {
    if (dot < 2 || !is_name(r, dot + 1, "length") || kind_at(r, dot - 1) != HP5_NAME || kind_at(r, dot - 2) != HP5_DOT) return;
    Span span = r->p.tokens.items[dot - 1].span;
    const char *word = r->p.source->text + span.start;
    if (span.end - span.start < 9 || strncmp(word, "dimension", 9) != 0) return;
    for (uint32_t i = 9; i < span.end - span.start; i++)
        if (word[i] < '0' || word[i] > '9') return;
    r->layout[dot].before = ".range";
}

/* The token that closes the bracket at `open`; the end of the source if there is none. */
static size_t closing(const Printer *r, size_t open) {
    int level = 0;
    for (size_t i = open; i < r->p.tokens.count; i++) {
        int kind = kind_at(r, i);
        level += kind == HP5_LPAREN || kind == HP5_LBRACKET || kind == HP5_LBRACE;
        level -= kind == HP5_RPAREN || kind == HP5_RBRACKET || kind == HP5_RBRACE;
        if (level == 0) return i;
    }
    return r->p.tokens.count - 1;
}

static void drop(Printer *r, size_t i, const char *instead) {
    r->layout[i].instead = instead;
    r->layout[i].joined = true;
}

/* new Range(min: a, max: b). The ends stay as they are where an operator in them binds looser than '...'. */
static void spell_range(Printer *r, size_t at) {
    if (kind_at(r, at + 1) != HP5_RANGE_TYPE || kind_at(r, at + 2) != HP5_LPAREN || !is_name(r, at + 3, "min")) return;
    size_t close = closing(r, at + 2), middle = 0;
    for (size_t i = at + 5; i < close; i++) {
        switch (kind_at(r, i)) {
        case HP5_LPAREN:
        case HP5_LBRACKET: i = closing(r, i); break;
        case HP5_PLUS:
        case HP5_MINUS:
        case HP5_STAR:
        case HP5_SLASH:
        case HP5_PERCENT:
        case HP5_DOT:
        case HP5_INTEGER:
        case HP5_COMMA:
        case HP5_COLON: break;
        case HP5_NAME:
            if (!is_label(r, i)) break;
            if (middle > 0 || !is_name(r, i, "max")) return;
            middle = i;
            break;
        default: return;
        }
    }
    if (middle == 0) return;
    r->layout[at].instead = "[";
    for (size_t i = at + 1; i <= at + 4; i++) drop(r, i, "");
    if (kind_at(r, middle - 1) == HP5_COMMA) drop(r, middle - 1, "");
    drop(r, middle, "...");
    drop(r, middle + 1, "");
    drop(r, close, "]");
    r->layout[at + 5].joined = r->layout[middle + 2].joined = true;
}

/* new T(a: 1 b: 2) */
static void spell_commas(Printer *r, size_t at) {
    if (kind_at(r, at + 2) != HP5_LPAREN) return;
    size_t close = closing(r, at + 2);
    for (size_t i = at + 4; i < close; i++) {
        if (kind_at(r, i) == HP5_LPAREN || kind_at(r, i) == HP5_LBRACKET) i = closing(r, i);
        else if (is_label(r, i) && kind_at(r, i - 1) != HP5_COMMA && !r->layout[i].instead) r->layout[i].before = ",";
    }
}

static void spell_usual(Printer *r) {
    for (size_t i = 0; i < r->p.tokens.count; i++) {
        if (kind_at(r, i) == HP5_DOT) spell_length(r, i);
        if (kind_at(r, i) != HP5_NEW) continue;
        spell_range(r, i);
        spell_commas(r, i);
    }
}

/* ---- Spaces ------------------------------------------------------------------------- */

static bool ends_value(int kind) {
    switch (kind) {
    case HP5_NAME:
    case HP5_INTEGER:
    case HP5_REAL:
    case HP5_STRING:
    case HP5_CHARACTER:
    case HP5_BOOLEAN:
    case HP5_RPAREN:
    case HP5_RBRACKET:
    case HP5_CURRENT: return true;
    default: return false;
    }
}

/* Whether token i stands right after token i - 1 on a line. */
static bool glued(const Printer *r, size_t i) {
    if (r->layout[i].joined) return true;
    const Token *t = r->p.tokens.items;
    int left = t[i - 1].kind, right = t[i].kind, before = i >= 2 ? t[i - 2].kind : 0;
    if (r->layout[i - 1].angle && left == HP5_LT) return true;
    if (r->layout[i].angle && right == HP5_GT) return true;
    if (r->layout[i].angle) { /* u<dim1>, but Space A <1d> */
        int inside = t[i + 1].kind;
        return inside == HP5_NAME;
    }
    if (right == HP5_DOT) return left != HP5_INTEGER && left != HP5_REAL;
    if (left == HP5_DOT || left == HP5_ELLIPSIS || right == HP5_ELLIPSIS) return true;
    if (right == HP5_COMMA || right == HP5_SEMICOLON || right == HP5_COLON || right == HP5_RPAREN ||
        right == HP5_RBRACKET)
        return true;
    if (left == HP5_LPAREN || left == HP5_LBRACKET) return true;
    if (right == HP5_LPAREN && left != HP5_MINUS && left != HP5_NOT)
        return left == HP5_NAME || left == HP5_REDUCE || left == HP5_EXECUTE || left == HP5_PADDING ||
               left == HP5_INTEGER_TYPE || left == HP5_RANGE_TYPE || left == HP5_SINGLE || left == HP5_DOUBLE;
    if (right == HP5_LBRACKET)
        return left == HP5_NAME || left == HP5_RPAREN || left == HP5_RBRACKET || left == HP5_ARRAY;
    if (left == HP5_MINUS) return !ends_value(before);
    if (left == HP5_NOT) return r->p.source->text[t[i - 1].span.start] == '!';
    if (left == HP5_AMPERSAND) return before == HP5_LPAREN || before == HP5_COMMA;
    return left == HP5_LBRACE && right == HP5_RBRACE;
}

/* Tokens that a line break of the writer does not push to the next line. */
static bool joins(int left, int right) {
    return right == HP5_LBRACE || right == HP5_COMMA || right == HP5_SEMICOLON || right == HP5_RPAREN ||
           right == HP5_RBRACKET || right == HP5_COLON ||
           (left == HP5_RBRACE && (right == HP5_FOR || right == HP5_WHILE || right == HP5_ELSE));
}

/* ---- Lines --------------------------------------------------------------------------- */

static int newlines_between(const Printer *r, uint32_t from, uint32_t to) {
    int count = 0;
    for (uint32_t i = from; i < to; i++) count += r->p.source->text[i] == '\n';
    return count;
}

static void start_line(Printer *r, int columns, bool blank) {
    if (r->out->length > 0) text_char(r->out, '\n');
    if (blank && r->out->length > 0) text_char(r->out, '\n');
    text_indent(r->out, columns);
    r->after_line_comment = false;
}

/* A slice without the white space at the ends of its lines. */
static void append_trimmed(Printer *r, Span span) {
    const char *text = r->p.source->text;
    for (uint32_t i = span.start; i < span.end; i++) {
        uint32_t blank = i;
        while (blank < span.end && strchr(" \t\r", text[blank])) blank++;
        bool at_end = blank == span.end || text[blank] == '\n';
        if (blank > i && at_end) {
            i = blank - 1;
            continue;
        }
        text_char(r->out, text[i]);
    }
}

/* Prints the comments that stand before token i; returns whether one had a line of its own. */
static bool print_comments(Printer *r, size_t i) {
    const Layout *l = &r->layout[i];
    uint32_t end = r->p.tokens.items[i].span.start;
    bool own_line = false;
    for (; r->next_comment < r->ast->comments.count; r->next_comment++) {
        const AstComment *c = &r->ast->comments.items[r->next_comment];
        if (c->span.start >= end) break;
        if (c->own_line || r->after_line_comment) {
            int columns =
                l->mark == MARK_NONE ? 4 * r->indent + 8 : 4 * (l->indent + (l->mark == MARK_CLOSE));
            bool blank = newlines_between(r, r->last_end, c->span.start) >= 2 && !r->opened;
            if (l->mark == MARK_PART && !own_line) blank = true;
            start_line(r, columns, blank);
            own_line = true;
        } else if (r->out->length > 0) {
            text_append(r->out, c->block ? " " : "  ");
        }
        append_trimmed(r, c->span);
        r->after_line_comment = !c->block;
        r->last_end = c->span.end;
        r->opened = r->opened && !own_line;
    }
    return own_line;
}

static void print_token(Printer *r, size_t i) {
    Token t = r->p.tokens.items[i];
    const Layout *l = &r->layout[i];
    bool comment_lines = print_comments(r, i);
    if (t.kind == 0) return;
    if (l->before) text_append(r->out, l->before);
    int newlines = newlines_between(r, r->last_end, t.span.start);
    if (l->mark != MARK_NONE) {
        bool blank = newlines >= 2 && !r->opened && l->mark != MARK_CLOSE;
        if (l->mark == MARK_PART && !comment_lines) blank = true;
        start_line(r, 4 * l->indent, blank);
        r->indent = l->indent;
    } else if (r->after_line_comment || comment_lines ||
               (newlines > 0 && i > 0 && !l->joined && !joins(r->p.tokens.items[i - 1].kind, t.kind))) {
        start_line(r, 4 * r->indent + 8, false);
    } else if (i > 0 && !glued(r, i)) {
        text_char(r->out, ' ');
    }
    if (l->instead) text_append(r->out, l->instead);
    else if (t.kind == HP5_RELATIVE_TO && r->p.source->text[t.span.start + 8] != '-')
        text_append(r->out, "relative to");
    else text_append_n(r->out, r->p.source->text + t.span.start, t.span.end - t.span.start);
    r->last_end = t.span.end;
    r->opened = t.kind == HP5_LBRACE;
}

void syntax_print(const Ast *ast, Text *out) {
    Arena *arena = arena_new();
    Ast scratch = {.source = ast->source};
    Printer r = {.ast = ast, .out = out};
    r.p = (Parse){
        .arena = arena, .source = ast->source, .diags = diags_new(arena, ast->source), .ast = &scratch};
    lex_source(&r.p);
    for (size_t i = 0; i < ast->names.count; i++)
        r.p.tokens.items[token_from(&r, ast->names.items[i])].kind = HP5_NAME;
    r.layout = ARENA_ARRAY(arena, Layout, r.p.tokens.count);
    mark_program(&r);
    spell_usual(&r);
    for (size_t i = 0; i < r.p.tokens.count; i++) print_token(&r, i);
    if (out->length > 0) text_char(out, '\n');
    arena_free(arena);
}
