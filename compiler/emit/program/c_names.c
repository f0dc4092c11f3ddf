/* C names for the program's names. A name is itself unless C, its library or the runtime uses it; then
 * it gets a '_' at the end, and so does every name that consists of such a name and '_'s, so that no
 * two names meet. Scopes keep nested names apart (-Wshadow). made_names.c knows the names that generated code makes. */
#include "compiler/emit/program/writer.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

static const char *const RESERVED[] = {
    "alignas", "alignof", "and", "asm", "auto", "bool", "break", "case", "char", "const", "constexpr", "continue",
    "default", "do", "double", "else", "enum", "extern", "false", "float", "for", "goto", "if", "inline", "int",
    "long", "nullptr", "register", "restrict", "return", "short", "signed", "sizeof", "static", "static_assert",
    "struct", "switch", "thread_local", "true", "typedef", "typeof", "union", "unsigned", "void", "volatile", "while",
    "main", "linux", "unix", "i386", "errno", "stdin", "stdout", "stderr", "assert", "offsetof", "NULL", "EOF", "BUFSIZ",
    "NAN", "INFINITY", "HUGE_VAL", "HUGE_VALF", "HUGE_VALL", "HUGE", "MAXFLOAT", "CHAR_BIT", "RAND_MAX", "TMP_MAX",
    "SIZE_MAX", "PTRDIFF_MAX", "PTRDIFF_MIN", "EXIT_SUCCESS", "EXIT_FAILURE", "WCHAR_MAX", "WCHAR_MIN", "WINT_MAX",
    "WINT_MIN", "SIG_ATOMIC_MAX", "SIG_ATOMIC_MIN", "FILENAME_MAX", "FOPEN_MAX", "math_errhandling", "signgam",
    "isnan", "isinf", "isfinite", "isnormal", "signbit", "fpclassify", "isgreater", "isless", "isunordered",
    "size_t", "ptrdiff_t", "wchar_t", "max_align_t", "float_t", "double_t", "FILE", "va_list", "worker", "lpu", "crew", "environ",
    "memcpy", "memset", "memmove", "memcmp", "strcmp", "strlen", "malloc", "calloc", "free", "exit", "abort", "printf",
    /* C++, for cards */
    "and_eq", "bitand", "bitor", "catch", "char8_t", "char16_t", "char32_t", "class", "compl", "concept", "const_cast", "consteval", "constinit",
    "co_await", "co_return", "co_yield", "decltype", "delete", "dynamic_cast", "explicit", "export", "friend", "mutable", "namespace",
    "noexcept", "not", "not_eq", "operator", "or", "or_eq", "private", "protected", "public", "reinterpret_cast", "requires", "static_cast",
    "template", "this", "throw", "try", "typeid", "typename", "using", "virtual", "xor", "xor_eq",
    /* math.h */
    "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos", "cosh", "erf", "erfc",
    "exp", "exp2", "exp10", "expm1", "fabs", "fdim", "floor", "fma", "fmax", "fmin", "fmod", "frexp", "gamma", "hypot",
    "ilogb", "j0", "j1", "jn", "ldexp", "lgamma", "llrint", "llround", "log", "log10", "log1p", "log2", "logb", "lrint",
    "lround", "modf", "nan", "nearbyint", "nextafter", "pow", "pow10", "remainder", "remquo", "rint", "round",
    "scalb", "scalbln", "scalbn", "sin", "sincos", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc", "y0", "y1", "yn",
    "abs", "labs", "llabs", "div", "ldiv", "lldiv", "index", "rindex", "drem", "significand", "finite", "roundeven",
};

static const char *const RESERVED_STARTS[] = {"hp5_", "Hp5", "HP5_", "_", "INT", "UINT", "M_", "FP_", "MATH_", "SEEK_",
                                              "P_tmpdir", "element_", "fields_", "Array_", "sanitizer_"};

/* Variables may have the names of functions: their scopes are inside. */
static const char *const LIBRARY[] = {
#include "compiler/emit/program/library_names.def"
};

static int compare_words(const void *word, const void *entry) { return strcmp(word, *(const char *const *)entry); }

static bool is_of_library(const char *word) { return bsearch(word, LIBRARY, sizeof LIBRARY / sizeof *LIBRARY, sizeof *LIBRARY, compare_words) != NULL; }

/* int8_t … uintptr_t */
static bool is_integer_type(const char *word) {
    size_t length = strlen(word);
    if (strncmp(word, "u", 1) == 0) word++, length--;
    return strncmp(word, "int", 3) == 0 && length > 5 && strcmp(word + length - 2, "_t") == 0;
}

bool emit_word_is_reserved(const char *word) {
    for (size_t i = 0; i < sizeof RESERVED / sizeof *RESERVED; i++) /* asked for every name that is printed */
        if (word[0] == RESERVED[i][0] && strcmp(word, RESERVED[i]) == 0) return true;
    for (size_t i = 0; i < sizeof RESERVED_STARTS / sizeof *RESERVED_STARTS; i++)
        if (word[0] == RESERVED_STARTS[i][0] && strncmp(word, RESERVED_STARTS[i], strlen(RESERVED_STARTS[i])) == 0) return true;
    size_t length = strlen(word);
    bool single = length > 1 && word[length - 1] == 'f'; /* sqrtf */
    for (size_t i = 0; single && i < sizeof RESERVED / sizeof *RESERVED; i++)
        if (strncmp(word, RESERVED[i], length - 1) == 0 && RESERVED[i][length - 1] == '\0') return true;
    return is_integer_type(word);
}

static bool is_function_name(const Emit *emit, const char *word) {
    const Program *program = emit->plan ? emit->plan->program : NULL;
    for (size_t i = 0; program && i < program->functions.count; i++)
        if (strcmp(program->functions.items[i]->body.name, word) == 0) return true;
    return false;
}

/* A task's functions and tables are SYMBOL_flow, SYMBOL_execute and so on. */
static bool is_of_a_task(const Emit *emit, const char *word) {
    const Program *program = emit->plan ? emit->plan->program : NULL;
    for (size_t i = 0; program && i < program->tasks.count; i++) {
        size_t length = strlen(program->tasks.items[i]->symbol);
        if (strncmp(word, program->tasks.items[i]->symbol, length) == 0 && word[length] == '_') return true;
    }
    return false;
}

static const char *stem_of(Emit *emit, const char *name) {
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '_') length--;
    return arena_copy(emit->arena, name, length);
}

static const char *escape(Emit *emit, const char *name, bool function) {
    const char *stem = stem_of(emit, name);
    bool clashes = emit_word_is_reserved(stem) || is_of_a_task(emit, stem) || emit_is_made(emit, stem) || emit_is_made(emit, name) ||
                   (!function && is_function_name(emit, stem));
    return clashes ? arena_printf(emit->arena, "%s_", name) : name;
}

const char *emit_symbol(Emit *emit, const Var *var) { return escape(emit, var->symbol ? var->symbol : var->name, false); }

const char *emit_counter(Emit *emit, const Var *var) {
    const char *name = emit_symbol(emit, var);
    return emit_is_of_flows(name) ? arena_printf(emit->arena, "counter_%s", name) : name;
}

const char *emit_task_local(Emit *emit, const Var *var) {
    const char *name = emit_symbol(emit, var);
    return emit_is_of_task_code(stem_of(emit, name)) ? arena_printf(emit->arena, "%s_", name) : name;
}

/* Structs of tasks have tags, too (launch.c). */
static bool is_tag_of_a_task(const Emit *emit, const char *word) {
    for (size_t i = 0; emit->plan && i < emit->plan->tasks.count; i++) {
        const Task *task = emit->plan->tasks.items[i]->task;
        size_t length = strlen(task->symbol);
        if (strncmp(word, "Environment_", 12) == 0 && strcmp(word + 12, task->symbol) == 0) return true;
        if (strncmp(word, task->symbol, length) != 0) continue;
        if (word[length] == '\0') return true;
        for (size_t s = 0; word[length] == '_' && s < task->spaces.count; s++)
            if (strcmp(word + length + 1, task->spaces.items[s]->name) == 0) return true;
    }
    return false;
}

const char *emit_tag(Emit *emit, const Type *type) {
    const char *stem = stem_of(emit, type->name);
    return emit_word_is_reserved(stem) || is_tag_of_a_task(emit, stem) ? arena_printf(emit->arena, "%s_", type->name) : type->name;
}

const char *emit_function_symbol(Emit *emit, const Function *function) {
    const char *name = escape(emit, function->body.name, true);
    if (emit_is_of_flows(name) || emit_is_of_task_code(stem_of(emit, name)) || is_of_library(name)) { /* conditions of the flow may call it */
        name = arena_printf(emit->arena, "function_%s", name);
        while (is_function_name(emit, name)) name = arena_printf(emit->arena, "%s_", name);
    }
    if (function->body.instance == 0) return name;
    char *numbered = arena_printf(emit->arena, "%s_%d", name, function->body.instance + 1);
    while (is_function_name(emit, numbered)) numbered = arena_printf(emit->arena, "%s_", numbered);
    return numbered;
}

/* ---- Scopes ------------------------------------------------------------------------------------ */
static bool in_scope(const Writer *writer, const char *name) {
    for (size_t i = 0; i < writer->scope.count; i++)
        if (strcmp(writer->scope.items[i].name, name) == 0) return true;
    return false;
}

/* What functions in the place of their calls bring may have the name of an array that the stage has. */
static bool is_of_formal(const Writer *writer, const Var *var, const char *name) {
    for (size_t i = 0; writer->use && i < writer->use->formals.count; i++)
        if (writer->use->formals.items[i].var != var && strcmp(emit_symbol(writer->emit, writer->use->formals.items[i].var), name) == 0) return true;
    return false;
}

const char *writer_declare(Writer *writer, const Var *var) {
    const char *wanted = writer->outer ? emit_task_local(writer->emit, var) : emit_symbol(writer->emit, var), *name = wanted;
    for (int n = 2; in_scope(writer, name) || is_of_formal(writer, var, name); n++) name = arena_printf(writer->arena, "%s_%d", wanted, n);
    vec_push(writer->arena, &writer->scope, ((ScopeName){var, name}));
    return name;
}

static bool body_uses_name(const Writer *writer, const char *name) {
    for (size_t i = 0; writer->body && i < writer->body->vars.count; i++)
        if (strcmp(emit_symbol(writer->emit, writer->body->vars.items[i]), name) == 0) return true;
    for (size_t i = 0; writer->use && i < writer->use->formals.count; i++)
        if (strcmp(emit_symbol(writer->emit, writer->use->formals.items[i].var), name) == 0) return true;
    return is_function_name(writer->emit, name);
}

void writer_take(Writer *writer, const char *name) { vec_push(writer->arena, &writer->scope, ((ScopeName){NULL, name})); }

const char *writer_fresh(Writer *writer, const char *wanted) {
    while (in_scope(writer, wanted) || body_uses_name(writer, wanted))
        wanted = arena_printf(writer->arena, "%s_", wanted);
    writer_take(writer, wanted);
    return wanted;
}

const char *writer_find(const Writer *writer, const Var *var) {
    for (size_t i = writer->scope.count; i-- > 0;)
        if (writer->scope.items[i].var == var) return writer->scope.items[i].name;
    return NULL;
}

/* ---- Names in C text ------------------------------------------------------------------------------ */
/* After a comment or a literal that begins here; else `at`. */
static const char *skip_text(const char *at) {
    if (at[0] == '/' && at[1] == '*') {
        const char *end = strstr(at + 2, "*/");
        return end ? end + 2 : at + strlen(at);
    }
    if (*at != '"' && *at != '\'') return at;
    const char *end = at + 1;
    while (*end != '\0' && *end != *at) end += *end == '\\' && end[1] != '\0' ? 2 : 1;
    return *end == '\0' ? end : end + 1;
}

static bool is_of_a_name(char c) { return c == '_' || isalnum((unsigned char)c); }

bool emit_text_uses(const char *text, const char *name) {
    size_t length = strlen(name);
    for (const char *at = text; at != NULL && *at != '\0';) {
        const char *after = skip_text(at);
        if (after != at) {
            at = after;
            continue;
        }
        if (!is_of_a_name(*at)) {
            at++;
            continue;
        }
        const char *end = at;
        while (is_of_a_name(*end)) end++;
        bool member = at > text && (at[-1] == '.' || (at[-1] == '>' && at > text + 1 && at[-2] == '-'));
        if (!member && (size_t)(end - at) == length && strncmp(at, name, length) == 0) return true;
        at = end;
    }
    return false;
}
