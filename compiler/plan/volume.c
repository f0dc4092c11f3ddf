/* How many bytes transfers move for arrays of given sizes: "a=1000x1000,b=50". Parts are counted over all LPUs together; of a span whose
 * ends are not numbers, and of indirect elements, nobody knows how many there are: they count as the whole dimension, at most. */
#include "compiler/plan/moves.h"
#include <stdlib.h>
#include <string.h>

/* The extents of the array, in order; how many there are. */
static int find_sizes(const char *sizes, const char *name, int64_t *extents) {
    size_t length = strlen(name);
    for (const char *at = sizes; at != NULL; at = strchr(at, ',')) {
        if (*at == ',') at++;
        if (strncmp(at, name, length) != 0 || at[length] != '=') continue;
        int count = 0;
        char *end = (char *)at + length;
        do extents[count++] = strtoll(end + 1, &end, 10);
        while (*end == 'x' && count < MAX_RANK);
        return count;
    }
    return 0;
}

const char *plan_sizes_error(Arena *arena, const Program *program, const char *sizes) {
    for (const char *at = sizes; at != NULL; at = strchr(at, ',')) {
        if (*at == ',') at++;
        size_t name = strcspn(at, "=,"), digits = 0;
        const char *number = at + name;
        if (name == 0 || *number != '=') return "an array and its size, as in a=1000x1000,b=50";
        do {
            digits = strspn(++number, "0123456789");
            number += digits;
        } while (digits > 0 && digits < 19 && *number == 'x');
        if (digits == 0 || digits >= 19 || (*number != '\0' && *number != ',')) return "an array and its size, as in a=1000x1000,b=50";
        bool known = false;
        for (size_t t = 0; t < program->tasks.count; t++)
            for (size_t v = 0; v < program->tasks.items[t]->globals.count; v++) {
                const Var *var = program->tasks.items[t]->globals.items[v];
                known = known || (var_is_array(var) && strlen(var->name) == name && strncmp(var->name, at, name) == 0);
            }
        if (!known) return arena_printf(arena, "arrays of the program; no task has an array '%.*s'", (int)name, at);
    }
    return NULL;
}

/* Of a value in memory, as C lays it out. */
static int64_t bytes_of(const Type *type, int64_t *align) {
    int64_t size = 0, most = 1;
    switch (type->kind) {
    case TYPE_INTEGER: size = most = type->stored_single ? 4 : 8; break;
    case TYPE_REAL_SINGLE: size = most = 4; break;
    case TYPE_BOOLEAN:
    case TYPE_CHARACTER: size = most = 1; break;
    case TYPE_RANGE:
        size = 16;
        most = 8;
        break;
    case TYPE_STATIC_ARRAY:
        size = bytes_of(type->element, &most);
        for (int d = 0; d < type->rank; d++) size *= type->extents[d];
        break;
    case TYPE_STRUCT:
        for (size_t f = 0; f < type->fields.count; f++) {
            int64_t own, field = bytes_of(type->fields.items[f].type, &own);
            size = (size + own - 1) / own * own + field;
            if (own > most) most = own;
        }
        size = (size + most - 1) / most * most;
        break;
    default: size = most = 8; break;
    }
    *align = most;
    return size;
}

static bool is_number(const Expr *expr) { return expr != NULL && expr->kind == EXPR_INTEGER; }

void plan_print_volume(const Transfer *transfer, const char *sizes, Text *out) {
    int64_t extents[MAX_RANK], align;
    const Region *region = transfer->region;
    if (sizes == NULL || transfer->kind == TRANSFER_HALO || !var_is_array(transfer->var)) return;
    if (find_sizes(sizes, transfer->var->name, extents) != region->rank) return;
    bool most = false;
    double bytes = (double)bytes_of(transfer->var->type->element, &align);
    for (int d = 0; d < region->rank; d++) {
        const RegionDim *dim = &region->dims[d];
        bool known = dim->kind == REGION_SPAN && is_number(dim->low) && is_number(dim->high);
        most = most || (!known && (region_rank(dim) == 1 || region_rank(dim) == 2));
        bytes *= region_rank(dim) == 0 ? 1 : known ? (double)(dim->high->integer - dim->low->integer + 1) : (double)extents[d];
    }
    if (transfer->kind != TRANSFER_FILE) bytes *= transfer->versions;
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB"};
    int unit = 0;
    for (; bytes >= 9999.5 && unit < 4; unit++) bytes /= 1000;
    text_printf(out, ": %s%.4g %s%s", most ? "at most " : "", bytes, units[unit], transfer->kind == TRANSFER_REPLICATE ? " to each" : "");
}
