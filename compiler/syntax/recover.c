/* What happens when a token does not fit. In this order:
 *   1. guesses that need no recovery: a misspelt keyword, a keyword used as a name, a
 *      missing or superfluous bracket or comma. The parser goes on as if the right
 *      token had been written;
 *   2. else the message with the list of expected tokens, then recovery: tokens are
 *      passed over up to the next place where a statement, section or part begins, and
 *      the parser's stack is cut back to a list that can take BROKEN and go on there.
 * A bracket that was never closed is blamed once: later errors at its expense are not
 * reported. */
#include "compiler/syntax/parse.h"
#include <string.h>

enum { ERROR_LIMIT = 2 * DIAG_MAX_ERRORS };

static Token token_at(const Driver *d, size_t index) {
    size_t last = d->p->tokens.count - 1;
    return d->p->tokens.items[index < last ? index : last];
}

static bool accepts(const Driver *d, size_t depth, int kind) {
    return stack_accepts(d->parser, depth, &kind, 1);
}

/* Whether the parser, after `first`, takes `count` tokens from index `from` on. */
static bool accepts_then(const Driver *d, size_t depth, int first, size_t from, size_t count) {
    int kinds[8] = {first}, named[8] = {first};
    size_t used = 1;
    bool names = false; /* a keyword among them may be a name as well */
    for (size_t i = 0; i < count && used < 8; i++, used++) {
        Token t = token_at(d, from + i);
        kinds[used] = named[used] = t.kind;
        if (t.kind != HP5_NAME && token_may_be_name(d->p, t)) {
            named[used] = HP5_NAME;
            names = true;
        }
        if (t.kind == 0) {
            used++;
            break;
        }
    }
    return stack_accepts(d->parser, depth, kinds, used) || (names && stack_accepts(d->parser, depth, named, used));
}

static char *found_text(Driver *d, Token t) {
    if (t.kind == 0) return "end of file";
    char *slice = token_slice(d->p, t);
    size_t length = strcspn(slice, "\n");
    if (t.kind == HP5_CODE) return "foreign code";
    if (t.kind == HP5_STRING || t.kind == HP5_CHARACTER)
        return length <= 40 ? slice : arena_printf(d->p->arena, "%s", "a string");
    if (length > 60) slice = arena_printf(d->p->arena, "%.57s...", slice);
    return arena_printf(d->p->arena, "'%s'", slice);
}

static bool may_report(Driver *d) {
    d->errors++;
    if (d->errors > ERROR_LIMIT) d->stop = true;
    return !d->stop;
}

static bool starts_section(int kind) {
    return kind == HP5_DEFINE || kind == HP5_ENVIRONMENT || kind == HP5_INITIALIZE || kind == HP5_STAGES ||
           kind == HP5_COMPUTATION || kind == HP5_PARTITION;
}
static bool starts_part(int kind) {
    return kind == HP5_PROGRAM || kind == HP5_TASK || kind == HP5_TYPE || kind == HP5_FUNCTION || kind == 0;
}

/* ---- Misspelt keywords --------------------------------------------------------------- */

/* The keyword that `word` is nearest to among those that fit at `depth` and let
 * `following` tokens from `from` on follow; 0 when there is none. */
static int nearest_keyword(Driver *d, const char *word, size_t depth, size_t from, size_t following) {
    const char *candidates[128];
    size_t count = 0;
    if (strlen(word) < 3) return 0;
    for (int kind = 1; kind < 256 && count < 128; kind++)
        if (token_is_keyword(kind) && accepts_then(d, depth, kind, from, following))
            candidates[count++] = token_text(kind);
    const char *near = text_nearest(word, candidates, count);
    return near ? token_keyword_of(near) : 0;
}

static void report_misspelt(Driver *d, Token t, int keyword) {
    if (!may_report(d)) return;
    const char *word = token_slice(d->p, t);
    Diag *diag = diag_error(d->p->diags, E_MISSPELT_KEYWORD, t.span, "'%s' is not a keyword", word);
    if (strcmp(word, "xor") == 0) diag_help(diag, "bits in which Integers differ are x ^ y; of two Booleans write a != b");
    else diag_help(diag, "did you mean '%s'?", token_text(keyword));
}

static void feed_as(Driver *d, Token t, int kind) {
    t.kind = (uint16_t)kind;
    Hp5Parser(d->parser, kind, t);
}

/* The unexpected token, or the name just before it, is almost a keyword that fits. */
static bool guess_keyword(Driver *d) {
    Token t = token_at(d, d->next);
    size_t depth = stack_depth(d->parser);
    Token before = stack_top_token(d->parser);
    if (before.kind == HP5_NAME && depth > 1) {
        int keyword = nearest_keyword(d, token_slice(d->p, before), depth - 1, d->next, 1);
        if (keyword) {
            report_misspelt(d, before, keyword);
            stack_cut(d->parser, depth - 1);
            feed_as(d, before, keyword);
            return true;
        }
    }
    if (t.kind != HP5_NAME) return false;
    int keyword = nearest_keyword(d, token_slice(d->p, t), depth, d->next + 1, 1);
    if (!keyword) return false;
    report_misspelt(d, t, keyword);
    feed_as(d, t, keyword);
    d->next++;
    return true;
}

/* Looks ahead of a name, before it makes the parser reduce what a keyword would go on
 * with: `els {` after the body of an if, `Enviroment:` after definitions. */
bool driver_guess_early(Driver *d) {
    Token t = token_at(d, d->next);
    size_t depth = stack_depth(d->parser), following = t.first_on_line ? 4 : 1;
    if (accepts_then(d, depth, HP5_NAME, d->next + 1, following)) return false;
    int keyword = nearest_keyword(d, token_slice(d->p, t), depth, d->next + 1, following);
    if (!keyword) return false;
    report_misspelt(d, t, keyword);
    feed_as(d, t, keyword);
    d->next++;
    return true;
}

/* What to do instead of a conversion to a type that has none; NULL: the type has one, or is none. */
static const char *instead_of_conversion(int kind) {
    switch (kind) {
    case HP5_CHARACTER_TYPE: return "Characters are compared and stored, c == 'x'; what computes with codes has them as Integers, which files of int8 or uint8 give as well";
    case HP5_BOOLEAN_TYPE: return "compare: n != 0";
    case HP5_STRING_TYPE: return "texts are not made of other values; print takes several: print(\"n is\", n)";
    case HP5_RANGE_TYPE: return "a range is written [0...n - 1]";
    default: return NULL;
    }
}

/* A keyword where a name fits and the rest goes on as after a name. */
static bool guess_name(Driver *d) {
    Token t = token_at(d, d->next);
    if (!token_is_keyword(t.kind) || starts_section(t.kind) || starts_part(t.kind)) return false;
    bool loop = t.kind == HP5_FOR || t.kind == HP5_WHILE || t.kind == HP5_DO; /* `while (…) {` of other languages */
    if (loop && token_at(d, d->next + 1).kind == HP5_LPAREN) return false;
    if (!accepts_then(d, stack_depth(d->parser), HP5_NAME, d->next + 1, 2)) return false;
    char *word = token_slice(d->p, t);
    const char *instead = token_at(d, d->next + 1).kind == HP5_LPAREN ? instead_of_conversion(t.kind) : NULL;
    if (d->is_named[t.kind]) {
        /* said before */
    } else if (instead != NULL && may_report(d)) {
        diag_help(diag_error(d->p->diags, E_KEYWORD_AS_NAME, t.span, "'%s' is a keyword and cannot be a name, nor is anything converted to it", word), "%s", instead);
    } else if (may_report(d)) {
        Diag *diag = diag_error(d->p->diags, E_KEYWORD_AS_NAME, t.span,
                                "'%s' is a keyword and cannot be a name", word);
        bool padding = t.kind == HP5_PADDING && d->next > 0 && token_at(d, d->next - 1).kind == HP5_COMMA;
        if (padding) diag_help(diag, "padding follows the instructions without a comma: block_size(k) padding(1)");
        else diag_help(diag, "choose another name, such as '%s_'", word[strcspn(word, "-")] ? "my_name" : word);
        d->is_named[t.kind] = !padding;
    }
    feed_as(d, t, HP5_NAME);
    d->next++;
    return true;
}

/* ---- Messages --------------------------------------------------------------------------- */

/* The bracket that this error may be about: one that is open and was expected to close. */
static bool blames_known_bracket(Driver *d, Token t) {
    Token open;
    if (!stack_open_bracket(d->parser, &open)) return false;
    bool known = d->blamed_bracket == open.span.start + 1;
    bool ends_more = starts_section(t.kind) || starts_part(t.kind);
    if (accepts(d, stack_depth(d->parser), HP5_RBRACE)) d->blamed_bracket = open.span.start + 1;
    return known && ends_more;
}

static void report_unexpected(Driver *d, Token t) {
    if (t.after_error || blames_known_bracket(d, t) || !may_report(d)) return;
    char *expected = expected_tokens(d);
    Diag *diag = diag_error(d->p->diags, t.kind ? E_SYNTAX : E_UNEXPECTED_END, t.span,
                            "unexpected %s, expected %s", found_text(d, t), expected);
    if (t.kind) driver_add_hint(d, diag, t);
}

/* ---- Small repairs ------------------------------------------------------------------------ */

/* One token is missing, or one is too many: tried with the three tokens that follow. */
static bool repair(Driver *d) {
    static const int missing[] = {HP5_RPAREN, HP5_RBRACKET, HP5_COMMA, HP5_COLON, HP5_OF, HP5_IN, HP5_GT};
    size_t depth = stack_depth(d->parser);
    Token t = token_at(d, d->next);
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        if (!accepts_then(d, depth, missing[i], d->next, 4)) continue;
        Token made = {{t.span.start, t.span.start}, (uint16_t)missing[i], false, false};
        Hp5Parser(d->parser, missing[i], made);
        return true;
    }
    bool mark = t.kind != 0 && t.kind != HP5_NAME && !token_is_keyword(t.kind) && t.kind != HP5_LBRACE &&
                t.kind != HP5_RBRACE && t.kind != HP5_LPAREN && t.kind != HP5_LBRACKET;
    if (mark && accepts_then(d, depth, token_at(d, d->next + 1).kind, d->next + 2, 3)) {
        d->next++;
        return true;
    }
    return false;
}

/* ---- Recovery ------------------------------------------------------------------------------- */

static bool starts_line_item(Token t) {
    switch (t.kind) {
    case HP5_NAME:
    case HP5_IF:
    case HP5_DO:
    case HP5_RETURN:
    case HP5_REDUCE:
    case HP5_EXTERN:
    case HP5_EXECUTE:
    case HP5_SPACE:
    case HP5_REPEAT:
    case HP5_WHERE:
    case HP5_EPOCH:
    case HP5_SUB_PARTITION_HEAD: return t.first_on_line;
    default: return false;
    }
}

/* The deepest cut of the stack after which a BROKEN of this kind, then `then`, is taken;
 * 0 when there is none. */
static size_t find_cut(const Driver *d, int broken, int then) {
    int kinds[2] = {broken, then};
    for (size_t depth = stack_depth(d->parser); depth > 0; depth--)
        if (stack_accepts(d->parser, depth, kinds, 2)) return depth;
    return 0;
}

/* Cuts the stack and feeds BROKEN so that the token at `index` fits. */
static bool resume_at(Driver *d, size_t index) {
    static const int kinds[] = {HP5_BROKEN, HP5_BROKEN_SECTION, HP5_BROKEN_PART};
    Token t = token_at(d, index), at = token_at(d, d->next);
    size_t best = 0;
    int broken = 0;
    for (int i = 0; i < 3; i++) {
        size_t depth = find_cut(d, kinds[i], t.kind);
        if (depth > best) best = depth, broken = kinds[i];
    }
    if (best == 0) return false;
    Token placeholder = {at.span, (uint16_t)broken, false, false};
    stack_cut(d->parser, best);
    Hp5Parser(d->parser, broken, placeholder);
    d->next = index;
    return true;
}

/* Passes over tokens up to one where the parser can go on. Brackets that open on the way
 * are passed over with what they hold. */
static void resynchronise(Driver *d) {
    int level = 0;
    for (size_t i = d->next;; i++) {
        Token t = token_at(d, i);
        bool section = starts_section(t.kind) || starts_part(t.kind);
        if (section || (level == 0 && (t.kind == HP5_RBRACE || starts_line_item(t)))) {
            /* The very token that failed is a way out only where nothing else went wrong with it. */
            bool again = i == d->next && d->last_error == i + 1;
            if (!again && resume_at(d, i)) {
                d->last_error = i + 1;
                return;
            }
        }
        if (t.kind == 0) {
            d->stop = true;
            return;
        }
        if (t.kind == HP5_LBRACE || t.kind == HP5_LPAREN || t.kind == HP5_LBRACKET) level++;
        if ((t.kind == HP5_RBRACE || t.kind == HP5_RPAREN || t.kind == HP5_RBRACKET) && level > 0) level--;
    }
}

bool driver_pass_over(Driver *d) {
    Token t = token_at(d, d->next);
    bool inside =
        t.after_error && !t.first_on_line && t.kind != 0 && t.kind != HP5_RBRACE && t.kind != HP5_CODE;
    if (inside) resynchronise(d);
    return inside;
}

void driver_recover(Driver *d) {
    if (guess_keyword(d) || guess_name(d)) return;
    Token t = token_at(d, d->next);
    bool repeated = d->last_error == d->next + 1; /* resumed here, and it still does not fit */
    if (!repeated) report_unexpected(d, t);
    if (d->stop || (!repeated && repair(d))) return;
    resynchronise(d);
}

/* ---- Semicolons ----------------------------------------------------------------------------- */

/* `; i, j in x`: a further index range of a loop. */
static bool starts_index_range(const Driver *d, size_t index) {
    while (token_may_be_name(d->p, token_at(d, index)) && token_at(d, index + 1).kind == HP5_COMMA) index += 2;
    return token_may_be_name(d->p, token_at(d, index)) && token_at(d, index + 1).kind == HP5_IN;
}

bool driver_skip_semicolon(Driver *d) {
    Token t = token_at(d, d->next), open;
    bool in_brackets = stack_open_bracket(d->parser, &open) && open.kind != HP5_LBRACE;
    if (in_brackets) return false;
    bool fits = accepts(d, stack_depth(d->parser), HP5_SEMICOLON);
    if (fits && (token_at(d, d->next + 1).kind == HP5_RELATIVE_TO || starts_index_range(d, d->next + 1)))
        return false;
    /* A second one of a sequential loop: habits.c says what to write. */
    if (!fits && accepts(d, stack_depth(d->parser), HP5_STEP) && starts_index_range(d, d->next + 1)) return false;
    if (may_report(d)) {
        Diag *diag = diag_error(d->p->diags, E_STRAY_SEMICOLON, t.span, "unexpected ';'");
        diag_help(diag, "HP5 needs no separators between statements; remove the ';'");
    }
    d->next++;
    return true;
}
