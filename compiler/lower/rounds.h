/* Short loops: those whose bounds say how often they run, a few times at most. Targets write their rounds one after the other,
 * so they count as straight-line code. */
#ifndef HP5_LOWER_ROUNDS_H
#define HP5_LOWER_ROUNDS_H
#include "compiler/lower/walk_bodies.h"

/* How often such a loop runs; 0: it is none, or has something inside that is none. */
int lower_short_rounds(const Stmt *stmt);
/* Whether its rounds, one behind the other, are not too many statements and conditions for C compilers to make vectors of. */
bool lower_can_be_written_out(const Stmt *stmt);
#endif
