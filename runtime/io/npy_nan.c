/* NaNs in files. Processors and cards make them with different signs and other bits, and hand on those of their operands; files
 * are the same everywhere. How to read it: each function walks the fields of a structure and works on runs of numbers. */
#include <string.h>
#include "runtime/io/npy_internal.h"

#define NAN_64 UINT64_C(0x7FF8000000000000)
#define NAN_32 UINT32_C(0x7FC00000)

static bool is_nan_64(uint64_t bits) { return (bits & 0x7FFFFFFFFFFFFFFF) > 0x7FF0000000000000; }
static bool is_nan_32(uint32_t bits) { return (bits & 0x7FFFFFFF) > 0x7F800000; }

static bool has_nan_64(const char *numbers, int64_t n) {
    uint64_t found = 0;
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, numbers + i * 8, sizeof bits);
        found |= is_nan_64(bits);
    }
    return found != 0;
}

static bool has_nan_32(const char *numbers, int64_t n) {
    uint32_t found = 0;
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, numbers + i * 4, sizeof bits);
        found |= is_nan_32(bits);
    }
    return found != 0;
}

static void unify_64(char *numbers, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        uint64_t bits;
        memcpy(&bits, numbers + i * 8, sizeof bits);
        bits = is_nan_64(bits) ? NAN_64 : bits;
        memcpy(numbers + i * 8, &bits, sizeof bits);
    }
}

static void unify_32(char *numbers, int64_t n) {
    for (int64_t i = 0; i < n; i++) {
        uint32_t bits;
        memcpy(&bits, numbers + i * 4, sizeof bits);
        bits = is_nan_32(bits) ? NAN_32 : bits;
        memcpy(numbers + i * 4, &bits, sizeof bits);
    }
}

static int64_t count_of(const Hp5Field *field) {
    int64_t n = 1;
    for (int d = 0; d < field->rank; d++) n *= field->extents[d];
    return n;
}

/* The fields of structures in turn, each at its place in the packed element; true ends the walk. */
static bool any_field(const Hp5Element *element, char *elements, int64_t n, bool (*visit)(const Hp5Element *, char *, int64_t)) {
    const int64_t size = npy_packed_size(element);
    int64_t offset = 0;
    for (int f = 0; f < element->field_count; f++) {
        const Hp5Field *field = &element->fields[f];
        for (int64_t i = 0; i < n; i++)
            if (visit(field->element, elements + i * size + offset, count_of(field))) return true;
        offset += count_of(field) * npy_packed_size(field->element);
    }
    return false;
}

static bool visit_unify(const Hp5Element *element, char *elements, int64_t n) {
    npy_unify_nans(element, elements, n);
    return false;
}

/* Looks only. */
static bool visit_look(const Hp5Element *element, char *elements, int64_t n) { return npy_has_nan(element, elements, n); }

bool npy_has_nan(const Hp5Element *element, const char *elements, int64_t n) {
    switch (element->kind) {
    case HP5_FLOAT64: return has_nan_64(elements, n);
    case HP5_FLOAT32: return has_nan_32(elements, n);
    case HP5_STRUCT: return any_field(element, (char *)elements, n, visit_look);
    default: return false;
    }
}

void npy_unify_nans(const Hp5Element *element, char *elements, int64_t n) {
    switch (element->kind) {
    case HP5_FLOAT64: unify_64(elements, n); break;
    case HP5_FLOAT32: unify_32(elements, n); break;
    case HP5_STRUCT: any_field(element, elements, n, visit_unify); break;
    default: break;
    }
}
