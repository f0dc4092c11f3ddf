/* Filters that leave one iteration of every m: `(i + 2 * j) % m == r`, with numbers before the indices and a literal m. Iterations that
 * pass belong to one class of indices. So a loop can step from one to the next, and elements of other classes are nobody's
 * target: relaxation in red and black, u[i - 1][j] beside u[i][j] where (i + j) % 2 == colour. */
#ifndef HP5_LOWER_CLASSES_H
#define HP5_LOWER_CLASSES_H
#include "compiler/lower/nest.h"

/* What a loop steps by, in place of one of its filters; NULL: none. Its index is the sum's own, without a factor. */
const Steps *lower_steps(Arena *arena, const Nest *nest, const Loop *loop);
/* Both are elements of one array in the body of the nest: where an iteration has `other`, no iteration has `one`. */
bool lower_in_other_class(const Nest *nest, const Expr *one, const Expr *other);
#endif
