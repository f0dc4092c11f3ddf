/* Where the value that a local holds is needed: a way leads from there to where it is read on which the local is not set. */
#ifndef HP5_CHECK_NEEDED_H
#define HP5_CHECK_NEEDED_H
#include "compiler/check/program.h"

/* Whether the value in front of the block, or the statement, is needed. `behind`: whether the one behind it is. Results of reductions to the local belong to the statement that is the loop. */
bool needed_by_block(const Block *block, const Var *var, bool behind);
bool needed_by_stmt(const Stmt *stmt, const Var *var, bool behind);
/* Whether the value at the end of the loop's body is needed, of a loop that is nothing but a statement. */
bool needed_at_end_of(const Stmt *loop, const Var *var, bool behind);
/* Whether the value is needed behind the loop that has the body `loop`, which stands somewhere in the block. */
bool needed_behind_loop(const Block *block, const Block *loop, const Var *var);
/* Whether bounds or conditions of a data-parallel loop name the local. */
bool needed_by_indices(const Stmt *loop, const Var *var);
/* How many statements of the block reduce to the local, as the result of the data-parallel loop that the block is the body of. */
int needed_results(const Block *block, const Var *var);
#endif
