/* What lanes change under conditions has a local in the round, which is stored in the end whatever the conditions say,
 *
 *     double nearest_now = nearest[lane];
 *     if (d < nearest_now) {
 *         nearest_now = d;
 *     }
 *     nearest[lane] = nearest_now;
 *
 * and which vectors choose by masks. Of a store under a condition gcc makes a branch that asks whether any lane stores, and where there are two conditions on the same, it takes selections back to such. */
#include <string.h>

#include "compiler/emit/cpu/stage.h"

typedef struct Chosen { const Var *var; bool found; } Chosen;

static void note_conditional(void *data, const Stmt *stmt) {
    Chosen *chosen = data;
    if (stmt->kind != STMT_IF) return;
    chosen->found |= lower_block_writes(&stmt->body, chosen->var) > 0 || (stmt->otherwise != NULL && lower_block_writes(stmt->otherwise, chosen->var) > 0);
}

static bool is_chosen(const Block *group, const Var *var) {
    Chosen chosen = {var, false};
    lower_walk_block(&(Walk){NULL, note_conditional, &chosen}, group);
    return chosen.found;
}

LaneStores writer_take_chosen(Writer *writer, const Block *group, int indent) {
    const size_t count = writer->scope.count;
    const char *place = arena_printf(writer->arena, "[%s]", writer->lanes.lane);
    LaneStores stores = {0};
    for (size_t i = 0; i < count; i++) {
        const ScopeName known = writer->scope.items[i];
        const size_t length = strlen(known.name), end = strlen(place);
        if (length <= end || strcmp(known.name + length - end, place) != 0 || !is_chosen(group, known.var)) continue;
        const char *name = writer_fresh(writer, arena_printf(writer->arena, "%s_now", emit_symbol(writer->emit, known.var)));
        const char *value = writer_is_set_before_read(group, known.var) ? "" : arena_printf(writer->arena, " = %s", known.name);
        writer_line(writer, indent, "%s%s;", emit_declarator(writer->arena, writer_local_type(writer, known.var), name), value);
        vec_push(writer->arena, &writer->scope, ((ScopeName){known.var, name}));
        vec_push(writer->arena, &stores, arena_printf(writer->arena, "%s = %s;", known.name, name));
    }
    return stores;
}
