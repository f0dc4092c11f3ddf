/* Products that are subtracted from. gcc 12 makes one instruction of
 *
 *     x[2 * i] = a * b - c;        x[2 * i + 1] = d * e + f;
 *
 * that rounds each line once (vfmaddsub), also with -ffp-contract=off, where both lines have to round twice. It looks at what
 * stands left of the minus: the product has to be hidden there.
 *
 * A local or an element that holds a product is one for gcc, too, and so is what a function returns that is printed into its
 * caller. Nothing is known of other bodies: parameters and results of functions may be products. */
#ifndef HP5_LOWER_ROUNDING_H
#define HP5_LOWER_ROUNDING_H
#include "compiler/lower/lower.h"

/* Fills in `products`. */
void lower_find_products(Arena *arena, LoweredBody *code);
/* Whether C compilers may see a product of Reals in the value. `code`: NULL where no variable holds one. */
bool lower_may_be_product(const LoweredBody *code, const Expr *expr);
#endif
