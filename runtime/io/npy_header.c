/* The header of a .npy file: a Python dictionary literal with exactly the keys
 * 'descr', 'fortran_order' and 'shape'. How to read it: a Cursor walks the text; each parse_…
 * function reads one construct and fails with what it expected. A type is a string like
 * '<f8' or a list of fields ('name', type[, shape]). Names stay where they are in the text. */
#include <string.h>
#include "runtime/io/npy_internal.h"
#include "runtime/report/error.h"

typedef struct Cursor { const NpyFile *file; char *at, *end; } Cursor;

static __attribute__((noreturn)) void bad(const Cursor *cursor, const char *expected) {
    npy_fail(HP5_EXIT_USAGE, cursor->file, "its header is damaged: expected %s at byte %lld of its text", expected,
             (long long)(cursor->at - cursor->file->header));
}

static char peek(Cursor *cursor) {
    while (cursor->at < cursor->end && strchr(" \t\r\n", *cursor->at) && *cursor->at) cursor->at++;
    return cursor->at < cursor->end ? *cursor->at : '\0';
}

static bool accept(Cursor *cursor, char c) {
    if (peek(cursor) != c || cursor->at == cursor->end) return false;
    cursor->at++;
    return true;
}

static void expect(Cursor *cursor, char c, const char *expected) {
    if (!accept(cursor, c)) bad(cursor, expected);
}

/* A string ends up NUL-terminated in place, its backslashes taken out. */
static char *parse_string(Cursor *cursor, const char *expected) {
    char quote = peek(cursor);
    if (quote != '\'' && quote != '"') bad(cursor, expected);
    char *text = ++cursor->at, *out = text;
    while (cursor->at < cursor->end && *cursor->at != quote && *cursor->at != '\0') {
        if (*cursor->at == '\\' && cursor->at + 1 < cursor->end) cursor->at++;
        *out++ = *cursor->at++;
    }
    if (cursor->at == cursor->end || *cursor->at != quote) bad(cursor, "the end of a string");
    cursor->at++;
    *out = '\0';
    return text;
}

static int64_t parse_extent(Cursor *cursor) {
    if (peek(cursor) == '-') npy_fail(HP5_EXIT_USAGE, cursor->file, "its header has a negative extent");
    if (peek(cursor) < '0' || peek(cursor) > '9') bad(cursor, "an extent");
    int64_t value = 0;
    for (; cursor->at < cursor->end && *cursor->at >= '0' && *cursor->at <= '9'; cursor->at++)
        if (__builtin_mul_overflow(value, 10, &value) || __builtin_add_overflow(value, *cursor->at - '0', &value))
            npy_fail(HP5_EXIT_USAGE, cursor->file, "its header has an extent of more than 63 bits");
    accept(cursor, 'L'); /* Python 2 wrote 3L */
    return value;
}

/* (3, 4): the rank may pass HP5_MAX_RANK, only the first extents are kept. */
static int parse_shape(Cursor *cursor, int64_t extents[HP5_MAX_RANK]) {
    int rank = 0;
    expect(cursor, '(', "'(' of a shape");
    while (!accept(cursor, ')')) {
        int64_t extent = parse_extent(cursor);
        if (rank < HP5_MAX_RANK) extents[rank] = extent;
        rank++;
        if (!accept(cursor, ',') && peek(cursor) != ')') bad(cursor, "',' or ')' in a shape");
    }
    return rank;
}

/* '<f8', '|b1', '<U12', '<M8[ns]' … */
static void parse_scalar_type(Cursor *cursor, NpyType *type) {
    const char *text = parse_string(cursor, "an element type");
    bool big = *text == '>';
    if (*text && strchr("<>|=", *text)) text++;
    if (*text == '\0' || !strchr("biufcSUVMmO", *text)) bad(cursor, "an element type like '<f8'");
    type->code = *text++;
    for (; *text >= '0' && *text <= '9'; text++) {
        type->size = type->size * 10 + (*text - '0');
        if (type->size > INT32_MAX) bad(cursor, "an element type of fewer bytes");
    }
    if (*text != '\0' && *text != '[') bad(cursor, "an element type like '<f8'");
    if (type->code == 'U') type->size *= 4;
    if (type->code == 'O') type->size = 8;
    type->swapped = big && type->size > 1;
}

static void parse_type(Cursor *cursor, NpyType *type, int depth);

/* ('name', type), ('name', type, (3,)), (('title', 'name'), type) */
static NpyField *parse_field(Cursor *cursor, int64_t offset, int depth) {
    NpyField *field = hp5_alloc_zeroed(sizeof *field, "a field of a .npy header");
    field->offset = offset;
    expect(cursor, '(', "'(' of a field");
    if (accept(cursor, '(')) {
        parse_string(cursor, "the title of a field");
        expect(cursor, ',', "',' after a title");
        field->name = parse_string(cursor, "the name of a field");
        expect(cursor, ')', "')' after the name of a field");
    } else {
        field->name = parse_string(cursor, "the name of a field");
    }
    expect(cursor, ',', "',' after the name of a field");
    parse_type(cursor, &field->type, depth + 1);
    if (accept(cursor, ',') && peek(cursor) != ')') {
        if (peek(cursor) == '(') {
            field->rank = parse_shape(cursor, field->extents);
        } else {
            field->extents[0] = parse_extent(cursor);
            field->rank = 1;
        }
        if (field->rank > HP5_MAX_RANK) bad(cursor, "a field of fewer dimensions");
    }
    accept(cursor, ',');
    expect(cursor, ')', "')' after a field");
    return field;
}

static void parse_structure(Cursor *cursor, NpyType *type, int depth) {
    NpyField **last = &type->fields;
    type->code = 's';
    while (!accept(cursor, ']')) {
        NpyField *field = *last = parse_field(cursor, type->size, depth);
        int64_t bytes = field->type.size;
        bool over = false;
        for (int d = 0; d < field->rank; d++) over = over || __builtin_mul_overflow(bytes, field->extents[d], &bytes);
        if (over || __builtin_add_overflow(type->size, bytes, &type->size) || type->size > INT32_MAX)
            bad(cursor, "a structure of fewer bytes");
        last = &field->next;
        if (!accept(cursor, ',') && peek(cursor) != ']') bad(cursor, "',' or ']' in a structure");
    }
}

static void parse_type(Cursor *cursor, NpyType *type, int depth) {
    if (depth > NPY_DEEPEST_TYPE) bad(cursor, "fewer structures in structures");
    if (accept(cursor, '[')) parse_structure(cursor, type, depth);
    else parse_scalar_type(cursor, type);
}

static bool parse_boolean(Cursor *cursor) {
    char first = peek(cursor);
    size_t left = (size_t)(cursor->end - cursor->at);
    if (first == 'T' && left >= 4 && memcmp(cursor->at, "True", 4) == 0) {
        cursor->at += 4;
        return true;
    }
    if (first != 'F' || left < 5 || memcmp(cursor->at, "False", 5) != 0) bad(cursor, "True or False");
    cursor->at += 5;
    return false;
}

void npy_parse_header(NpyFile *file, size_t length) {
    Cursor cursor = {file, file->header, file->header + length};
    static const char *const keys[] = {"descr", "fortran_order", "shape"};
    unsigned seen = 0;
    expect(&cursor, '{', "'{'");
    while (!accept(&cursor, '}')) {
        const char *key = parse_string(&cursor, "a key");
        unsigned k = 0;
        while (k < 3 && strcmp(key, keys[k]) != 0) k++;
        if (k == 3 || seen >> k & 1) bad(&cursor, "'descr', 'fortran_order' and 'shape', once each, before this point");
        seen |= 1u << k;
        expect(&cursor, ':', "':' after a key");
        if (k == 0) parse_type(&cursor, &file->type, 0);
        else if (k == 1) file->fortran = parse_boolean(&cursor);
        else file->rank = parse_shape(&cursor, file->extents);
        if (!accept(&cursor, ',') && peek(&cursor) != '}') bad(&cursor, "',' or '}'");
    }
    if (seen != 7) bad(&cursor, "all of 'descr', 'fortran_order' and 'shape' before this point");
    peek(&cursor);
    if (cursor.at != cursor.end) bad(&cursor, "the end of the header");
}
