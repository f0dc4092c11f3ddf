/* The checker: AST → typed program, or errors. See program.h for what comes out. */
#ifndef HP5_CHECK_CHECK_H
#define HP5_CHECK_CHECK_H
#include "compiler/check/program.h"

/* Needs: a tree parsed without errors. Gives: the typed program, or NULL when
 * `diags` holds errors. Warnings (order dependences, unused names) do not stop it. */
Program *check_program(Arena *arena, const Ast *ast, Diags *diags);

/* --dump=typed: the program in words close to the source, with types, instances,
 * scalar homes, version counts, and each LPS with what it lists. */
void program_dump(const Program *program, Text *out);
#endif
