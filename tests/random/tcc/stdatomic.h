/* tcc has no <stdatomic.h>; the headers that generated programs include only declare atomic objects. */
#ifndef HP5_TESTS_TCC_STDATOMIC_H
#define HP5_TESTS_TCC_STDATOMIC_H

#define atomic_bool _Bool
#define atomic_int int
#define atomic_uint unsigned
#endif
