/* Between dump.c (tasks, spaces, flow) and dump_body.c (statements and expressions). */
#ifndef HP5_CHECK_DUMP_H
#define HP5_CHECK_DUMP_H
#include "compiler/check/check.h"

void dump_body(Text *out, const Body *body, int indent);
void dump_expr(Text *out, const Expr *expr);
#endif
