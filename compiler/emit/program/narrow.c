/* Locals in fewer bits, as compiler/lower/narrow.h decides:
 *
 *     char *restrict board = …;           int8_t around = 0;     (at most 9)
 */
#include "compiler/emit/program/writer.h"
#include "compiler/lower/narrow.h"

static Interval range_hook(void *data, const Expr *expr) {
    const Writer *writer = data;
    return writer->ranges ? lower_range_of(writer->ranges, expr) : INTERVAL_ALL;
}

static bool narrow_hook(void *data, const Var *var) {
    const Writer *writer = data;
    for (size_t i = 0; i < writer->narrow.count; i++)
        if (writer->narrow.items[i] == var) return true;
    return false;
}

void writer_use_ranges(Writer *writer) {
    Emit *emit = writer->emit;
    if (!writer->body || emit->options.checked) return;
    if (!emit->range_memo) emit->range_memo = lower_range_memo(emit->arena, emit->plan->program);
    writer->ranges = lower_ranges(emit->range_memo, writer->body);
    writer->names.range = range_hook;
    writer->names.is_narrow = narrow_hook;
}

/* ---- What a local is stored in ----------------------------------------------------------------------- */
const char *writer_local_type(Writer *writer, const Block *block, const Var *var) {
    const int bytes = writer->ranges ? lower_local_bytes(writer->ranges, writer->body, block, var) : 0;
    if (bytes == 0) return emit_storage_type(writer->emit, var->type);
    vec_push(writer->arena, &writer->narrow, var);
    return bytes == 1 ? "int8_t" : bytes == 2 ? "int16_t" : "int32_t";
}
