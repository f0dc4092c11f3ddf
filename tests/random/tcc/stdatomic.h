/* tcc has no <stdatomic.h>. The headers that generated programs include declare atomic objects, and set bits in one kind of them:
 * that is what is here, for x86-64. */
#ifndef HP5_TESTS_TCC_STDATOMIC_H
#define HP5_TESTS_TCC_STDATOMIC_H
#include <stdint.h>

#define atomic_bool _Bool
#define atomic_int int
#define atomic_uint unsigned
#define atomic_load_explicit(place, order) (*(const volatile uint64_t *)(place))
#define atomic_fetch_or_explicit(place, bits, order) hp5_tcc_or((place), (bits))

static inline void hp5_tcc_or(volatile uint64_t *place, uint64_t bits) { __asm__ volatile("lock; orq %1, %0" : "+m"(*place) : "r"(bits) : "memory"); }
#endif
