/* Integers made of Reals between two literals,
 *
 *     Integer(min(max(x, 0), 255))        min(max(Integer(x), 0), 255)
 *
 * which have 32 bits whatever x is: it is clamped as a Real, and then converted as vectors convert. */
#ifndef HP5_LOWER_CLAMPED_H
#define HP5_LOWER_CLAMPED_H
#include "compiler/check/program.h"
#include "compiler/lower/interval.h"

typedef struct Clamped {
    const Expr *real;       /* x */
    const Expr *conversion; /* of a Real, in the expression or the expression itself */
    double low, high;       /* the Real that is converted lies between them; both fit 32 bits as Integers do */
    int64_t none;           /* what NaN becomes */
} Clamped;

bool lower_is_clamped(const Expr *expr, Clamped *clamped);
Interval lower_clamped_values(const Clamped *clamped);
#endif
