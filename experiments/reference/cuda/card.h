/* What the hand-written CUDA programs share: errors, arrays on the card, the clock. Arguments and files are common.h's. */
#ifndef HP5_REFERENCE_CARD_H
#define HP5_REFERENCE_CARD_H
#include <cuda_runtime.h>

#define _Noreturn __attribute__((noreturn)) /* in C++ */
extern "C" {
#include "../common.h"
}

static inline void card_check(cudaError_t error, const char *what) {
    if (error != cudaSuccess) fail(1, "%s: %s", what, cudaGetErrorString(error));
}

template <class Element> static inline Element *card_new(int64_t count) {
    void *memory;
    card_check(cudaMalloc(&memory, (size_t)(count > 0 ? count : 1) * sizeof(Element)), "memory on the card");
    card_check(cudaMemset(memory, 0, (size_t)count * sizeof(Element)), "memory on the card");
    return (Element *)memory;
}

template <class Element> static inline Element *card_give(const Array *array) {
    Element *elements = card_new<Element>(array->count);
    card_check(cudaMemcpy(elements, array->data, (size_t)array->count * sizeof(Element), cudaMemcpyHostToDevice), "copying to the card");
    return elements;
}

template <class Element> static inline void card_take(Array *array, const Element *elements) {
    card_check(cudaMemcpy(array->data, elements, (size_t)array->count * sizeof(Element), cudaMemcpyDeviceToHost), "copying back");
}

/* When all that was begun has ended. */
static inline double card_clock(void) {
    card_check(cudaGetLastError(), "a kernel");
    card_check(cudaDeviceSynchronize(), "a kernel");
    return clock_now();
}

static inline unsigned card_blocks(int64_t count, int64_t each) { return (unsigned)((count + each - 1) / each); }
#endif
