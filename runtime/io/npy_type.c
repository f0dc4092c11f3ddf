/* Element types of .npy files: which of them a program's element takes, how they are
 * converted, and what messages call them. How to read it: the table in scalar_fits says what is
 * safe; SOURCES makes one conversion loop for each type of number that a file may hold; structures are
 * walked field by field. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include "runtime/io/npy_internal.h"
#include "runtime/report/error.h"

const Hp5Element hp5_int64 = {HP5_INT64, "Integer", 8, 0, NULL};
const Hp5Element hp5_int32 = {HP5_INT32, "Integer single-precision", 4, 0, NULL};
const Hp5Element hp5_float32 = {HP5_FLOAT32, "Real single-precision", 4, 0, NULL};
const Hp5Element hp5_float64 = {HP5_FLOAT64, "Real double-precision", 8, 0, NULL};
const Hp5Element hp5_bool = {HP5_BOOL, "Boolean", 1, 0, NULL};
const Hp5Element hp5_char = {HP5_CHAR, "Character", 1, 0, NULL};

void npy_type_free(NpyType *type) {
    for (NpyField *field = type->fields, *next; field; field = next) {
        next = field->next;
        npy_type_free(&field->type);
        hp5_free(field);
    }
    type->fields = NULL;
}

/* ---- Which types fit --------------------------------------------------------------- */

/* Only conversions that keep every value. */
static bool scalar_fits(const NpyType *type, Hp5ElementKind kind) {
    char code = type->code;
    int64_t size = type->size;
    bool boolean = code == 'b' && size == 1;
    bool number = size == 1 || size == 2 || size == 4 || size == 8;
    switch (kind) {
    case HP5_INT64: return boolean || (code == 'i' && number) || (code == 'u' && number && size < 8);
    case HP5_INT32: return boolean || (code == 'i' && number && size <= 4) || (code == 'u' && number && size < 4);
    case HP5_FLOAT64:
        return boolean || ((code == 'i' || code == 'u') && number && size <= 4) ||
               (code == 'f' && number && size >= 2);
    case HP5_FLOAT32:
        return boolean || ((code == 'i' || code == 'u') && number && size <= 2) ||
               (code == 'f' && (size == 2 || size == 4));
    case HP5_BOOL: return boolean;
    case HP5_CHAR: return code == 'S' && size == 1;
    case HP5_STRUCT: return false;
    }
    return false;
}

static const NpyField *skip_padding(const NpyField *field) {
    while (field && field->name[0] == '\0') field = field->next;
    return field;
}

bool npy_type_fits(const NpyType *type, const Hp5Element *element) {
    if (element->kind != HP5_STRUCT) return scalar_fits(type, element->kind);
    if (type->code != 's') return false;
    const NpyField *from = skip_padding(type->fields);
    for (int f = 0; f < element->field_count; f++, from = skip_padding(from->next)) {
        const Hp5Field *to = &element->fields[f];
        if (!from || strcmp(from->name, to->name) != 0 || from->rank != to->rank) return false;
        for (int d = 0; d < to->rank; d++)
            if (from->extents[d] != to->extents[d]) return false;
        if (!npy_type_fits(&from->type, to->element)) return false;
    }
    return from == NULL;
}

bool npy_type_same(const NpyType *type, const Hp5Element *element) {
    if (type->swapped || type->size != (int64_t)element->size) return false;
    switch (element->kind) {
    case HP5_INT64:
    case HP5_INT32: return type->code == 'i';
    case HP5_FLOAT32:
    case HP5_FLOAT64: return type->code == 'f';
    case HP5_BOOL: return false; /* a file may hold bytes other than 0 and 1 */
    case HP5_CHAR: return true;
    case HP5_STRUCT: break;
    }
    const NpyField *from = skip_padding(type->fields);
    for (int f = 0; f < element->field_count; f++, from = skip_padding(from->next)) {
        const Hp5Field *to = &element->fields[f];
        if (from->offset != (int64_t)to->offset || !npy_type_same(&from->type, to->element)) return false;
    }
    return true;
}

/* ---- Conversions ---------------------------------------------------------------------- */

static inline uint8_t swap8(uint8_t bits) { return bits; }
static inline uint16_t swap16(uint16_t bits) { return __builtin_bswap16(bits); }
static inline uint32_t swap32(uint32_t bits) { return __builtin_bswap32(bits); }
static inline uint64_t swap64(uint64_t bits) { return __builtin_bswap64(bits); }

static inline float half_value(uint16_t bits) {
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float magnitude;
    if (exponent == 31) magnitude = fraction ? NAN : INFINITY;
    else if (exponent == 0) magnitude = ldexpf((float)fraction, -24);
    else magnitude = ldexpf((float)(fraction + 1024), exponent - 25);
    return bits >> 15 ? -magnitude : magnitude;
}
static inline float single_value(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}
static inline double double_value(uint64_t bits) {
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

#define LOOP(target, width, value)                                                     \
    for (int64_t i = 0; i < n; i++) {                                                  \
        uint##width##_t bits;                                                          \
        memcpy(&bits, src + i * (width / 8), width / 8);                               \
        if (swapped) bits = swap##width(bits);                                         \
        target to = (target)(value);                                                   \
        memcpy(dst + i * step, &to, sizeof to);                                        \
    }
/* name, its bits, the value of `bits` as an Integer, and as a Real */
#define SOURCES(X)                                                                     \
    X(boolean, 8, bits != 0, bits != 0)                                                \
    X(int8, 8, (int8_t)bits, (int8_t)bits)                                             \
    X(int16, 16, (int16_t)bits, (int16_t)bits)                                         \
    X(int32, 32, (int32_t)bits, (int32_t)bits)                                         \
    X(int64, 64, (int64_t)bits, (int64_t)bits)                                         \
    X(uint8, 8, bits, bits)                                                            \
    X(uint16, 16, bits, bits)                                                          \
    X(uint32, 32, bits, bits)                                                          \
    X(half, 16, 0, half_value(bits))                                                   \
    X(single, 32, 0, single_value(bits))                                               \
    X(real, 64, 0, double_value(bits))
#define CONVERSION(name, width, integer, real)                                         \
    static void from_##name(Hp5ElementKind kind, bool swapped, const char *src, int64_t n, char *dst, int64_t step) { \
        switch (kind) {                                                                \
        case HP5_INT64: LOOP(int64_t, width, integer) break;                           \
        case HP5_INT32: LOOP(int32_t, width, integer) break;                           \
        case HP5_FLOAT32: LOOP(float, width, real) break;                              \
        case HP5_FLOAT64: LOOP(double, width, real) break;                             \
        case HP5_BOOL:                                                                 \
        case HP5_CHAR: LOOP(uint8_t, width, integer) break;                            \
        case HP5_STRUCT: break;                                                        \
        }                                                                              \
    }
SOURCES(CONVERSION)

typedef void Conversion(Hp5ElementKind kind, bool swapped, const char *src, int64_t n, char *dst, int64_t step);

static Conversion *conversion_from(const NpyType *type) {
    int64_t size = type->size;
    switch (type->code) {
    case 'b': return from_boolean;
    case 'i': return size == 1 ? from_int8 : size == 2 ? from_int16 : size == 4 ? from_int32 : from_int64;
    case 'u': return size == 1 ? from_uint8 : size == 2 ? from_uint16 : from_uint32;
    case 'f': return size == 2 ? from_half : size == 4 ? from_single : from_real;
    default: return from_uint8; /* one character */
    }
}

static void convert_structure(const NpyType *type, const Hp5Element *element, const char *src, char *dst) {
    const NpyField *from = skip_padding(type->fields);
    for (int f = 0; f < element->field_count; f++, from = skip_padding(from->next)) {
        const Hp5Field *to = &element->fields[f];
        int64_t n = 1;
        for (int d = 0; d < to->rank; d++) n *= to->extents[d];
        npy_convert(&from->type, to->element, src + from->offset, n, dst + to->offset, (int64_t)to->element->size);
    }
}

void npy_convert(const NpyType *type, const Hp5Element *element, const char *src, int64_t n, char *dst, int64_t step) {
    int64_t size = (int64_t)element->size;
    if (npy_type_same(type, element)) {
        if (step == size) {
            memcpy(dst, src, (size_t)(n * size));
        } else {
            for (int64_t i = 0; i < n; i++) memcpy(dst + i * step, src + i * size, (size_t)size);
        }
    } else if (element->kind == HP5_STRUCT) {
        for (int64_t i = 0; i < n; i++) convert_structure(type, element, src + i * type->size, dst + i * step);
    } else {
        conversion_from(type)(element->kind, type->swapped, src, n, dst, step);
    }
}

/* ---- Packing for the writer --------------------------------------------------------------- */

static int64_t field_count_of(const Hp5Field *field) {
    int64_t n = 1;
    for (int d = 0; d < field->rank; d++) n *= field->extents[d];
    return n;
}

int64_t npy_packed_size(const Hp5Element *element) {
    if (element->kind != HP5_STRUCT) return (int64_t)element->size;
    int64_t size = 0;
    for (int f = 0; f < element->field_count; f++)
        size += field_count_of(&element->fields[f]) * npy_packed_size(element->fields[f].element);
    return size;
}

bool npy_is_packed(const Hp5Element *element) { return npy_packed_size(element) == (int64_t)element->size; }

char *npy_pack(const Hp5Element *element, const char *src, char *out) {
    if (npy_is_packed(element)) {
        memcpy(out, src, element->size);
        return out + element->size;
    }
    for (int f = 0; f < element->field_count; f++) {
        const Hp5Field *field = &element->fields[f];
        int64_t n = field_count_of(field);
        for (int64_t i = 0; i < n; i++)
            out = npy_pack(field->element, src + field->offset + (size_t)i * field->element->size, out);
    }
    return out;
}

/* ---- Names for messages -------------------------------------------------------------------- */

typedef struct Name { char *text; size_t length; } Name;

static void name_add(Name *name, const char *piece) {
    size_t size = strlen(piece), room = NPY_TYPE_TEXT - 4 - name->length;
    if (size > room) {
        memcpy(name->text + name->length, "...", 4);
        name->length = NPY_TYPE_TEXT - 4; /* nothing more fits */
        return;
    }
    memcpy(name->text + name->length, piece, size + 1);
    name->length += size;
}

static void name_extents(Name *name, int rank, const int64_t *extents) {
    for (int d = 0; d < rank; d++) {
        char piece[32];
        snprintf(piece, sizeof piece, "%s%lld%s", d == 0 ? "[" : ", ", (long long)extents[d], d + 1 == rank ? "]" : "");
        name_add(name, piece);
    }
}

static void name_field(Name *name, bool first, const char *field) {
    char quoted[HP5_QUOTED];
    hp5_quote(field, quoted);
    quoted[strlen(quoted) - 1] = '\0';
    name_add(name, first ? "" : ", ");
    name_add(name, quoted + 1);
    name_add(name, ": ");
}

static void name_type(Name *name, const NpyType *type) {
    char piece[64];
    long long size = (long long)type->size;
    switch (type->code) {
    case 'b': snprintf(piece, sizeof piece, "bool"); break;
    case 'i': snprintf(piece, sizeof piece, "int%lld", size * 8); break;
    case 'u': snprintf(piece, sizeof piece, "uint%lld", size * 8); break;
    case 'f': snprintf(piece, sizeof piece, "float%lld", size * 8); break;
    case 'c': snprintf(piece, sizeof piece, "complex%lld", size * 8); break;
    case 'S': snprintf(piece, sizeof piece, "bytes (S%lld)", size); break;
    case 'U': snprintf(piece, sizeof piece, "text (U%lld)", size / 4); break;
    case 'V': snprintf(piece, sizeof piece, "raw bytes (V%lld)", size); break;
    case 'M': snprintf(piece, sizeof piece, "dates"); break;
    case 'm': snprintf(piece, sizeof piece, "time spans"); break;
    case 'O': snprintf(piece, sizeof piece, "Python objects"); break;
    default: snprintf(piece, sizeof piece, "structure ("); break;
    }
    name_add(name, piece);
    if (type->code != 's') return;
    for (const NpyField *field = skip_padding(type->fields); field; field = skip_padding(field->next)) {
        name_field(name, field == skip_padding(type->fields), field->name);
        name_type(name, &field->type);
        name_extents(name, field->rank, field->extents);
    }
    name_add(name, ")");
}

static void name_element(Name *name, const Hp5Element *element) {
    static const char *const names[] = {"int64", "int32", "float32", "float64", "bool", "bytes (S1)", "structure ("};
    name_add(name, names[element->kind]);
    if (element->kind != HP5_STRUCT) return;
    for (int f = 0; f < element->field_count; f++) {
        const Hp5Field *field = &element->fields[f];
        name_field(name, f == 0, field->name);
        name_element(name, field->element);
        name_extents(name, field->rank, field->extents);
    }
    name_add(name, ")");
}

void npy_type_name(const NpyType *type, char text[NPY_TYPE_TEXT]) {
    Name name = {text, 0};
    name_type(&name, type);
}

void npy_element_name(const Hp5Element *element, char text[NPY_TYPE_TEXT]) {
    Name name = {text, 0};
    name_element(&name, element);
}
