/* Integers in fewer bits: how many bytes a local takes, and whether conversions have vector instructions. The emitter stores by
 * these answers, counting (compiler/cost/count.h) finds out by them how many numbers a vector holds. */
#ifndef HP5_LOWER_NARROW_H
#define HP5_LOWER_NARROW_H
#include "compiler/lower/range.h"

/* 1, 2 or 4 for an Integer local that is stored in so many bytes; LOWER_UNSIGNED for one that is stored in four without a sign, of which the text reads 64
 * bits; 0 where it has the bytes of its type. `block`: the one that declares it. Needs: ranges of `body`. */
enum { LOWER_UNSIGNED = -4 };
int lower_local_bytes(const Ranges *ranges, const Body *body, const Block *block, const Var *var);
/* Of such a local 32 bits are enough, whatever its values are: only elements of 32 bits get it, as it is. */
bool lower_keeps_low_bits(const Body *body, const Var *var);
/* The same for a parameter of a function that is passed by reference, if from one statement of the body on, before which nothing names it, it
 * could be a local which the place gets in the end (lower_settles_at); else 0. */
int lower_param_bytes(const Ranges *ranges, const Body *body, const Var *param);
/* That statement, an assignment to the parameter; NULL: there is none. */
const Stmt *lower_settles_at(const Body *body, const Var *param);
/* Bytes of an element or place of the type, as stored. */
int lower_stored_bytes(const Type *type);
/* Whether an Integer with these values becomes a Real by adding and subtracting, as vectors can. */
static inline bool lower_converts_in_vectors(Interval values) {
    return interval_within(values, -((int64_t)1 << 51), (int64_t)1 << 51);
}
#endif
