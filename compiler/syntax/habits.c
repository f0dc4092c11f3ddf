/* Hints for what programmers of other languages write: given below the message of a token that does not fit.
 *
 * Each group asks the parser what it would take here (takes), and looks at a few tokens around. The first group that knows the
 * habit says what to write instead. */
#include "compiler/syntax/parse.h"
#include <string.h>

typedef struct Habit {
    Driver *d;
    Diag *diag;
    Token t, before, after; /* the token that does not fit, and its neighbours */
    bool at_statement;
} Habit;

static Token token_at(const Driver *d, size_t index) {
    size_t last = d->p->tokens.count - 1;
    return d->p->tokens.items[index < last ? index : last];
}

static bool takes(const Habit *h, int kind) { return stack_accepts(h->d->parser, stack_depth(h->d->parser), &kind, 1); }

static char *text_of(const Habit *h, Token t) { return token_slice(h->d->p, t); }

static bool is_word(const Habit *h, Token t, const char *word) { return t.kind == HP5_NAME && strcmp(text_of(h, t), word) == 0; }

static bool says(const Habit *h, const char *text) {
    diag_help(h->diag, "%s", text);
    return true;
}

/* ---- Operators ------------------------------------------------------------------------- */

static bool is_operator_before_assign(const Habit *h) {
    int kind = h->t.kind;
    bool operator_kind = kind == HP5_PLUS || kind == HP5_MINUS || kind == HP5_STAR || kind == HP5_SLASH || kind == HP5_PERCENT ||
                         kind == HP5_AMPERSAND || kind == HP5_PIPE || kind == HP5_CARET;
    return operator_kind && h->after.kind == HP5_ASSIGN && h->after.span.start == h->t.span.end;
}

static bool hint_operator(const Habit *h) {
    const char *name = h->before.kind == HP5_NAME ? text_of(h, h->before) : "x", *op = text_of(h, h->t);
    bool increment = (h->t.kind == HP5_PLUS || h->t.kind == HP5_MINUS) && h->after.kind == h->t.kind && h->after.span.start == h->t.span.end;
    if (takes(h, HP5_ASSIGN) && is_operator_before_assign(h)) {
        diag_help(h->diag, "HP5 has no '%s='; write '%s = %s %s …'", op, name, name, op);
    } else if (takes(h, HP5_ASSIGN) && increment) {
        diag_help(h->diag, "HP5 has no '%s%s'; write '%s = %s %s 1'", op, op, name, name, op);
    } else if (h->t.kind == HP5_EQ && takes(h, HP5_ASSIGN)) {
        diag_help(h->diag, "'==' compares; write '=' to assign");
    } else if (h->t.kind == HP5_DOT && takes(h, HP5_INTEGER) && h->after.kind == HP5_INTEGER) {
        diag_help(h->diag, "a real number has digits before its point: 0.%s", text_of(h, h->after));
    } else {
        return false;
    }
    return true;
}

/* ---- Statements ---------------------------------------------------------------------------- */

/* The name before the parentheses that end at token `close`: `elif` of `elif (…)`. */
static Token called(const Habit *h, size_t close) {
    int level = 0;
    for (size_t i = close + 1; i-- > 1;) {
        int kind = token_at(h->d, i).kind;
        level += (kind == HP5_RPAREN) - (kind == HP5_LPAREN);
        if (level == 0) return token_at(h->d, i - 1);
    }
    return (Token){0};
}

/* What stands before the bracket that is open: `execute(`, `new T(`, `f(`, `x[`; of: behind `of T`. */
typedef struct Opened { int bracket, before; bool is_new, of; char *name; } Opened;

static Opened what_opened(const Habit *h) {
    Token open;
    if (!stack_open_bracket(h->d->parser, &open)) return (Opened){0};
    size_t at = h->d->next;
    while (at > 0 && token_at(h->d, at).span.start != open.span.start) at--;
    if (at == 0) return (Opened){.bracket = open.kind};
    Token word = token_at(h->d, at - 1);
    const bool precision = (word.kind == HP5_SINGLE || word.kind == HP5_DOUBLE) && at > 2;
    const size_t type = precision ? at - 2 : at - 1;
    return (Opened){open.kind, word.kind, at > 1 && token_at(h->d, at - 2).kind == HP5_NEW, type > 0 && token_at(h->d, type - 1).kind == HP5_OF, word.kind == HP5_NAME ? text_of(h, word) : NULL};
}

/* while (n > 0) { … }; "condition" where it is not short. */
static bool hint_while(const Habit *h) {
    enum { SHORT = 40 };
    size_t close = h->d->next + 1;
    int level = 0;
    for (; token_at(h->d, close).kind != 0; close++) {
        int kind = token_at(h->d, close).kind;
        level += (kind == HP5_LPAREN) - (kind == HP5_RPAREN);
        if (level == 0) break;
    }
    const Token last = token_at(h->d, close);
    const bool quoted = h->after.kind == HP5_LPAREN && last.kind == HP5_RPAREN && last.span.end - h->after.span.start <= SHORT + 2;
    const int length = quoted ? (int)(last.span.start - h->after.span.end) : 0;
    const char *text = quoted ? h->d->p->source->text + h->after.span.end : "condition";
    const int shown = quoted ? length : (int)strlen(text);
    diag_help(h->diag, "a loop is written do { … } while condition, and its body runs at least once; where it may not: if (%.*s) { do { … } while %.*s }", shown, text, shown, text);
    return true;
}

static bool hint_control(const Habit *h) {
    if (h->at_statement && h->t.kind == HP5_FOR) return says(h, "a loop is written do { … } for i in x");
    if (h->at_statement && h->t.kind == HP5_WHILE) return hint_while(h);
    if (h->at_statement && h->t.kind == HP5_REPEAT) return says(h, "Repeat stands in the Computation; here: do in sequence { … } for i in range");
    if (takes(h, HP5_FOR) && takes(h, HP5_WHILE) && h->before.kind == HP5_RBRACE && is_word(h, h->t, "until")) return says(h, "write do { … } while not (condition)");
    if (h->t.kind == HP5_STEP && takes(h, HP5_SEMICOLON) && what_opened(h).bracket == HP5_LBRACE)
        return says(h, "a parallel loop has no step, since its iterations have no order: write do in sequence { … } for i in range step n, or pick the indices, for i in range and i % n == 0");
    const bool another = h->after.kind == HP5_NAME && token_at(h->d, h->d->next + 2).kind == HP5_IN;
    if (h->t.kind == HP5_COMMA && takes(h, HP5_SEMICOLON) && another && what_opened(h).bracket == HP5_LBRACE)
        return says(h, "the ranges of a parallel loop are separated by ';': for i in …; j in …");
    const bool of_loop = h->d->next > 2 && token_at(h->d, h->d->next - 2).kind == HP5_FOR && token_at(h->d, h->d->next - 3).kind == HP5_RBRACE;
    const bool second_index = h->t.kind == HP5_COMMA && of_loop && takes(h, HP5_IN); /* of a parallel loop it would fit */
    if (second_index || ((h->t.kind == HP5_COMMA || h->t.kind == HP5_SEMICOLON) && takes(h, HP5_STEP) && h->after.kind == HP5_NAME))
        return says(h, "a do in sequence has one index: put one into the other, do in sequence { do in sequence { … } for j in … } for i in …");
    if (takes(h, HP5_FOR) && takes(h, HP5_WHILE) && h->before.kind == HP5_RBRACE)
        return says(h, "a loop says what it runs over: do { … } for i in x, or do { … } while condition");
    if (h->t.kind == HP5_DO && takes(h, HP5_EPOCH)) return says(h, "loops of the Computation are written Repeat for i in range { … }");
    if (h->at_statement && h->t.kind == HP5_ELSE) return says(h, "'else' must follow the body of an 'if'");
    bool flow_else = h->t.kind == HP5_ELSE || (h->t.kind == HP5_LBRACE && is_word(h, h->before, "Else"));
    if (flow_else && (takes(h, HP5_EPOCH) || takes(h, HP5_LPAREN)))
        return says(h, "a Computation has no 'else'; write a second If with the opposite condition");
    if (h->before.kind == HP5_IF && !h->at_statement && takes(h, HP5_LPAREN))
        return says(h, "the condition stands in parentheses: if (condition) …");
    if (h->t.kind == HP5_LBRACE && h->before.kind == HP5_RPAREN) {
        Token name = called(h, h->d->next - 1);
        static const char *const others[] = {"elif", "elseif", "elsif", "ElseIf", "elseIf"};
        for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
            if (is_word(h, name, others[i])) return says(h, "write else if (condition) { … }");
        if (takes(h, HP5_PROGRAM)) return says(h, "a function is written Function name(parameters) { … }");
    }
    if (h->at_statement && h->t.kind == HP5_LBRACE) return says(h, "a loop is written do { … } for i in x");
    if (is_word(h, h->before, "break") || is_word(h, h->before, "continue"))
        return says(h, "loops have no 'break' and no 'continue': put the rest of the body into an 'if', or test in do { … } while condition");
    return false;
}

static bool is_type_keyword(Token t) {
    return t.kind == HP5_INTEGER_TYPE || t.kind == HP5_REAL_TYPE || t.kind == HP5_BOOLEAN_TYPE || t.kind == HP5_CHARACTER_TYPE ||
           t.kind == HP5_STRING_TYPE;
}

static bool is_code_keyword(const Habit *h) {
    char first = h->d->p->source->text[h->t.span.start];
    return token_is_keyword(h->t.kind) && first >= 'a' && first <= 'z';
}

static bool hint_statement(const Habit *h) {
    bool precision = h->after.kind == HP5_SINGLE || h->after.kind == HP5_DOUBLE;
    Token declared = precision ? token_at(h->d, h->d->next + 2) : h->after;
    if (h->at_statement && is_type_keyword(h->t) && declared.kind == HP5_NAME) {
        diag_help(h->diag, "locals are not declared, their types come from what is assigned: %s = …", text_of(h, declared));
        return true;
    }
    if (h->t.kind == HP5_STRING && h->before.kind == HP5_NAME && takes(h, HP5_LPAREN) && takes(h, HP5_ASSIGN)) {
        diag_help(h->diag, "a call has parentheses: %s(%s)", text_of(h, h->before), text_of(h, h->t));
        return true;
    }
    if (takes(h, HP5_ASSIGN) && is_word(h, h->before, "where")) return says(h, "restrictions of a parallel loop follow 'and': for i in x and x[i] > 0");
    if (takes(h, HP5_ASSIGN) && is_word(h, h->before, "mod")) return says(h, "a remainder is written x % n");
    if (takes(h, HP5_ASSIGN) && is_word(h, h->before, "div")) return says(h, "a quotient of Integers is written x / n");
    if (takes(h, HP5_ASSIGN) && !takes(h, HP5_PLUS)) return says(h, "a statement is an assignment (x = …) or a call (f(x))");
    if (h->t.kind == HP5_AND && takes(h, HP5_STEP))
        return says(h, "only the ranges of parallel loops take restrictions; use an 'if' inside this loop");
    if (is_code_keyword(h) && takes(h, HP5_NAME) && !takes(h, HP5_LPAREN)) {
        diag_help(h->diag, "'%s' is a keyword; it cannot be a name", text_of(h, h->t));
        return true;
    }
    return false;
}

/* ---- Brackets and named arguments ------------------------------------------------------------ */

/* Whether an open bracket fits the closing one. */
static bool closes_something(const Habit *h) {
    Token open;
    if (!stack_open_bracket(h->d->parser, &open)) return false;
    int fitting = h->t.kind == HP5_RBRACE ? HP5_LBRACE : h->t.kind == HP5_RPAREN ? HP5_LPAREN : HP5_LBRACKET;
    return open.kind == fitting || h->t.kind == HP5_RBRACE;
}

/* new Array[n], new Array[3] of T(1, 2, 3). */
static bool hint_new_array(const Habit *h) {
    const Opened opened = what_opened(h);
    if (opened.bracket == HP5_LBRACKET && opened.before == HP5_ARRAY && h->t.kind == HP5_NAME)
        return says(h, "such an array has as many elements as a number says, Array[8]; one whose size the run says is declared in Define, 1d Array of T, and gets its dimension in Initialize");
    if (opened.bracket == HP5_LPAREN && opened.of && takes(h, HP5_RPAREN) && !takes(h, HP5_NAME))
        return says(h, "a new array has zeros; assign to its elements behind it: w[0] = …");
    return false;
}

/* Calls whose arguments have names: `execute(…)` and `new T(…)`; reduce, whose arguments are three. */
static bool hint_named_arguments(const Habit *h) {
    Opened opened = what_opened(h);
    if (opened.bracket != HP5_LPAREN) return false;
    if (opened.before == HP5_EXECUTE) {
        diag_help(h->diag, "write execute(task: \"…\"; environment: env; initialize: …; partition: …)");
    } else if (opened.before == HP5_REDUCE && takes(h, HP5_COMMA)) {
        diag_help(h->diag, "write reduce(target, \"sum\", value)");
    } else if (opened.name && opened.is_new && strcmp(opened.name, "TaskEnvironment") == 0) {
        diag_help(h->diag, "write new TaskEnvironment(name: \"…\")");
    } else if (opened.name && opened.is_new) {
        diag_help(h->diag, "fields are named: new %s(field: value, …)", opened.name);
    } else if (opened.name && h->t.kind == HP5_COLON && opened.name[0] >= 'A' && opened.name[0] <= 'Z') {
        diag_help(h->diag, "a value of a type is made with new: new %s(…: …)", opened.name);
    } else if (opened.name && h->t.kind == HP5_COLON) {
        diag_help(h->diag, "the arguments of a call have no names: %s(value, …)", opened.name);
    } else {
        return false;
    }
    return true;
}

static bool hint_bracket(const Habit *h) {
    bool closes = h->t.kind == HP5_RBRACE || h->t.kind == HP5_RPAREN || h->t.kind == HP5_RBRACKET;
    if (closes && !closes_something(h)) {
        diag_help(h->diag, "this '%s' closes nothing", token_text(h->t.kind));
        return true;
    }
    if ((h->t.kind == HP5_NAME || h->t.kind == HP5_CHARACTER) && takes(h, HP5_STRING) && !takes(h, HP5_NAME))
        return says(h, "write it in double quotes");
    if (h->t.kind == HP5_COLON && h->before.kind == HP5_NAME && takes(h, HP5_SEMICOLON) && what_opened(h).before == HP5_EXECUTE)
        return says(h, "the settings of execute are separated by ';'");
    if (h->before.kind == HP5_NAME && h->d->next > 1 && token_at(h->d, h->d->next - 2).kind == HP5_NEW && takes(h, HP5_LPAREN)) {
        diag_help(h->diag, "write new %s()", text_of(h, h->before));
        return true;
    }
    return hint_new_array(h) || hint_named_arguments(h);
}

/* Of [1, 2, 3], which is no range: more than two values. */
static bool lists_values(const Habit *h) {
    size_t commas = 0;
    for (size_t i = h->d->next; token_at(h->d, i).kind != HP5_RBRACKET && i + 1 < h->d->p->tokens.count && commas < 2; i++) commas += token_at(h->d, i).kind == HP5_COMMA;
    return commas > 1;
}

/* Ranges and slices: 0:n, u[0:3], [0, n], (0, n), i from 1 to 3. */
static bool hint_range(const Habit *h) {
    Opened opened = what_opened(h);
    bool of_index = opened.before == HP5_NAME || opened.before == HP5_RBRACKET || opened.before == HP5_RPAREN;
    if (h->t.kind == HP5_COLON && takes(h, HP5_ELLIPSIS))
        return says(h, opened.bracket == HP5_LBRACKET && of_index ? "a slice is written x[first...last]" : "a range is written [first...last]");
    if (h->t.kind == HP5_COMMA && takes(h, HP5_RBRACKET) && !of_index && lists_values(h))
        return says(h, "an array is made first, w = new Array[3] of Integer, and its elements assigned: w[0] = …");
    if (h->t.kind == HP5_COMMA && takes(h, HP5_RBRACKET))
        return says(h, of_index ? "each index has brackets of its own: x[i][j]" : "a range is written [first...last]");
    if (h->t.kind == HP5_COMMA && takes(h, HP5_RPAREN) && (opened.before == HP5_ASSIGN || opened.before == HP5_IN)) return says(h, "a range is written [first...last]");
    if (takes(h, HP5_IN) && !takes(h, HP5_PLUS) && h->before.kind == HP5_NAME && h->t.kind == HP5_NAME)
        return says(h, "write for i in [first...last]");
    return false;
}

/* `at current - 1`, `at (current - n)`, `at (current + 1)`. */
static bool hint_version(const Habit *h) {
    if (h->before.kind == HP5_AT) return says(h, "write at (current - 1)");
    size_t i = h->d->next;
    bool behind = h->before.kind == HP5_CURRENT || (h->before.kind == HP5_MINUS && i > 1 && token_at(h->d, i - 2).kind == HP5_CURRENT);
    return behind && says(h, "an earlier version is named by a number: at (current - 1)");
}

/* ---- Sections ---------------------------------------------------------------------------------- */

static bool hint_definition(const Habit *h) {
    if (h->t.kind == HP5_OF && takes(h, HP5_PLUS)) return says(h, "a value is made with new: new Array[4] of T");
    if (h->t.kind == HP5_OF && takes(h, HP5_LBRACKET)) return says(h, "an array is declared 1d Array of T, or Array[4] of T");
    if (takes(h, HP5_OF) && h->before.kind == HP5_ARRAY) return says(h, "an array has elements: 1d Array of Integer");
    if (h->t.kind == HP5_ASSIGN && takes(h, HP5_REDUCTION)) return says(h, "variables get their values in Initialize or in a stage");
    if (h->t.kind == HP5_LBRACE && takes(h, HP5_COLON) && takes(h, HP5_ARRAY)) return says(h, "fields follow a colon: Type P: x, y: Integer");
    if (takes(h, HP5_COLON) && takes(h, HP5_COMMA) && h->before.kind == HP5_NAME && h->t.first_on_line && !takes(h, HP5_PLUS))
        return says(h, "a name is followed by what it is: n: Integer");
    return false;
}

static bool hint_computation(const Habit *h) {
    if (takes(h, HP5_FOREACH)) return says(h, "write Repeat for i in [first...last] { … }, or Repeat while condition { … }");
    if (h->t.kind == HP5_ASSIGN && h->before.kind == HP5_NAME && takes(h, HP5_LPAREN) && !takes(h, HP5_INTEGER) && !takes(h, HP5_PLUS)) return says(h, "the Computation calls stages; assign in a stage");
    if (takes(h, HP5_PARTITIONS) || (takes(h, HP5_SPACE) && h->before.kind == HP5_DIVIDES))
        return says(h, "write divides Space A partitions { … }");
    static const char *const functions[] = {"block_size", "block_count", "stride", "block_stride"};
    for (size_t i = 0; i < 4; i++) {
        if (!is_word(h, h->before, functions[i]) || !takes(h, HP5_LPAREN)) continue;
        diag_help(h->diag, "a partition function has arguments: %s(%s)", functions[i], i == 3 ? "s, l" : i == 2 ? "" : "k");
        return true;
    }
    return false;
}

static bool hint_part(const Habit *h) {
    if (!takes(h, HP5_PROGRAM) || !takes(h, HP5_FUNCTION) || h->t.kind != HP5_NAME) return false;
    if (h->after.kind != HP5_LPAREN && h->after.kind != HP5_NAME) return false;
    return says(h, "a file holds Task, Type and Function declarations and one Program: Function f(x) { … }");
}

void driver_add_hint(Driver *d, Diag *diag, Token t) {
    Habit h = {.d = d, .diag = diag, .t = t, .after = token_at(d, d->next + 1)};
    if (d->next > 0) h.before = token_at(d, d->next - 1);
    h.at_statement = takes(&h, HP5_RETURN);
    static bool (*const groups[])(const Habit *) = {hint_operator, hint_control, hint_bracket, hint_range, hint_version,
                                                    hint_definition, hint_computation, hint_part, hint_statement};
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (groups[i](&h)) return;
}
