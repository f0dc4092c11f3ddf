/* Name tables (open addressing, names compared as text) and the nearest-spelling
 * hint that every "unknown …" message of the checker uses. */
#include <string.h>
#include "compiler/check/internal.h"

static size_t hash_name(const char *name) {
    size_t hash = 1469598103934665603u;
    for (; *name != '\0'; name++) hash = (hash ^ (unsigned char)*name) * 1099511628211u;
    return hash ^ (hash >> 29);
}

/* The slot that holds `name`, or the empty one where it would go. */
static size_t find_slot(const NameTable *table, const char *name) {
    size_t slot = hash_name(name) & (table->capacity - 1);
    while (table->names[slot] != NULL && strcmp(table->names[slot], name) != 0)
        slot = (slot + 1) & (table->capacity - 1);
    return slot;
}

static void grow_table(Arena *arena, NameTable *table) {
    NameTable bigger = {.capacity = table->capacity == 0 ? 16 : table->capacity * 2, .count = table->count};
    bigger.names = ARENA_ARRAY(arena, const char *, bigger.capacity);
    bigger.values = ARENA_ARRAY(arena, void *, bigger.capacity);
    for (size_t i = 0; i < table->capacity; i++) {
        if (table->names[i] == NULL) continue;
        size_t slot = find_slot(&bigger, table->names[i]);
        bigger.names[slot] = table->names[i];
        bigger.values[slot] = table->values[i];
    }
    *table = bigger;
}

void *name_table_find(const NameTable *table, const char *name) {
    return table->capacity == 0 ? NULL : table->values[find_slot(table, name)];
}

void *name_table_put(Arena *arena, NameTable *table, const char *name, void *value) {
    if (2 * (table->count + 1) > table->capacity) grow_table(arena, table);
    size_t slot = find_slot(table, name);
    if (table->names[slot] != NULL) return table->values[slot];
    table->names[slot] = name;
    table->values[slot] = value;
    table->count++;
    return NULL;
}

void name_table_replace(NameTable *table, const char *name, void *value) { table->values[find_slot(table, name)] = value; }

void help_nearest(Diag *diag, const char *word, const char *const *names, size_t count) {
    if (!diag_wants_guess(diag)) return;
    const char *near = text_nearest(word, names, count);
    if (near != NULL) diag_help(diag, "did you mean '%s'?", near);
}
