/* Elements that an `if` may assign, stored behind it in any case (lower/select.c):
 *
 *     float d_new = d[i * d_ld1 + j];
 *     if (way < d_new) {
 *         d_new = way;
 *     }
 *     d[i * d_ld1 + j] = d_new; */
#include "compiler/emit/program/writer.h"

static const Choice *choice_of(const Writer *writer, const Stmt *stmt) {
    for (size_t i = 0; writer->choices && i < writer->choices->items.count; i++)
        if (writer->choices->items.items[i].stmt == stmt) return &writer->choices->items.items[i];
    return NULL;
}

size_t writer_keep_elements(Writer *writer, const Stmt *stmt, int indent) {
    const size_t mark = writer->kept.count;
    const Choice *choice = choice_of(writer, stmt);
    for (size_t i = 0; choice && i < choice->elements.count; i++) {
        const Expr *element = choice->elements.items[i];
        const char *name = writer_fresh(writer, arena_printf(writer->arena, "%s_new", emit_symbol(writer->emit, element->var)));
        writer_line(writer, indent, "%s = %s;", emit_declarator(writer->arena, emit_storage_type(writer->emit, element->var->type->element), name),
                    writer_expr(writer, element));
        vec_push(writer->arena, &writer->kept, ((KeptElement){element, name}));
    }
    return mark;
}

void writer_store_elements(Writer *writer, size_t mark, int indent) {
    while (writer->kept.count > mark) {
        const KeptElement kept = vec_last(&writer->kept);
        writer->kept.count--;
        writer_line(writer, indent, "%s = %s;", writer_expr(writer, kept.element), kept.name);
    }
}

const char *writer_kept(const Writer *writer, const Expr *element) {
    for (size_t i = 0; i < writer->kept.count; i++)
        if (lower_expr_equal(writer->kept.items[i].element, element)) return writer->kept.items[i].name;
    return NULL;
}
