/* Whether two elements of one array are different whatever the indices of a nest are, as its bounds tell:
 * lu[m][j] and lu[i][j] for m in [0...k] and i > k. Read lower_elements_apart from its end. */
#ifndef HP5_LOWER_APART_H
#define HP5_LOWER_APART_H
#include "compiler/lower/nest.h"

/* Needs: `one` and `other` are elements of the same array in the body of the nest. What the body changes, and indices of loops inside, say nothing. */
bool lower_elements_apart(const Nest *nest, const Expr *one, const Expr *other);
#endif
