/* Checks what lowering has stored, by looking at the program again and naively: bounds and domains of loops, what is legal,
 * the form of each nest, roles, narrow locals. On with --verify. */
#ifndef HP5_LOWER_VERIFY_LOOPS_H
#define HP5_LOWER_VERIFY_LOOPS_H
#include "compiler/lower/lower.h"

/* internal_error at the first thing that is wrong. Needs: roles, or none of them. */
void lower_verify(const LoweredProgram *program);
/* What is wrong with a body, or NULL. */
const char *lower_body_fault(const LoweredBody *code);
/* verify_locals.c: what is wrong with locals that are stored in fewer bits than their type has, or NULL. */
const char *lower_locals_fault(const LoweredBody *code);
/* verify_product.c: what is wrong with a nest whose form is a product, or NULL. */
const char *lower_product_fault(const Nest *nest);
/* verify_lanes.c: the same of a loop in lanes. */
const char *lower_lanes_fault(const LoweredBody *code, const Nest *nest);
/* verify_edges.c: the same of a nest with edges. */
const char *lower_edges_fault(const Nest *nest);
/* verify_select.c: the same of elements that are stored in any case, and of a cut loop that may be whole. */
const char *lower_select_fault(const LoweredBody *code, const Nest *nest);
/* verify_usual.c: the same of a nest that runs for usual numbers first. */
const char *lower_usual_fault(const LoweredBody *code, const Nest *nest);
/* verify_small.c: the same of a loop in 32 bits. */
const char *lower_small_fault(const LoweredBody *code, const Nest *nest);
/* verify_rows.c: the same of rows that are added in one pass, and of blocks of rows. */
const char *lower_along_fault(const Nest *nest);
const char *lower_blocked_fault(const Nest *nest);
/* The same of a loop that goes in stretches. */
const char *lower_quotient_fault(const Nest *nest);
/* verify_wraps.c: of a loop in pieces between remainders. */
const char *lower_wraps_fault(const Nest *nest);
/* verify_spaced.c: of a loop that asks how far apart elements lie. */
const char *lower_spaced_fault(const LoweredBody *code, const Nest *nest);
/* The same of a loop that takes an extremum. */
const char *lower_extremum_fault(const Nest *nest);
/* verify_border.c: the same of a stage that runs before all of an array has come. */
const char *lower_border_fault(const LoweredBody *code);
/* verify_strips.c: the same of stages that run in strips. */
const char *lower_strips_fault(const LoweredTask *task, const Strips *strips);
/* Of a stage whose products wait for those of neighbours. */
const char *lower_joins_fault(const LoweredBody *code);
/* Whether it is a local of the block or of one inside it: asked here again, not of the passes. */
bool verify_is_local_of(const Block *block, const Var *var);
/* Whether the range or a bound of the index names the variable: likewise. */
bool verify_bounds_mention(const LoopIndex *index, const Var *var);
/* verify_roles.c: of loop number `l` of the nest. */
const char *lower_role_fault(const Nest *nest, size_t l);
#endif
