/* Between coordinator.c and tasks.c. */
#ifndef HP5_CHECK_TASKS_H
#define HP5_CHECK_TASKS_H
#include "compiler/check/bodies.h"

Expr *check_environment(BodyCheck *c, const AstExpr *ast);
/* The variable `name` of the environment's task; NULL after reporting. */
Var *environment_var(BodyCheck *c, const Expr *environment, const char *name, Span span);
/* For --help: what the argument is, when `expr` is one (the first description stays). */
void arg_describe(BodyCheck *c, const Expr *expr, const char *what);
/* Reports tasks that are executed in an environment to which a linked variable is never given. */
void check_links_given(BodyCheck *c, Body *body);
/* results.c: warns of tasks whose results nobody reads. */
void warn_results_vanish(BodyCheck *c, Body *body);
#endif
