/* The heap of kernels: malloc and free in the text for cards (runtime/card/lists.h). It has a size, which is said before the first kernel takes something; what is
 * taken is full of ones first, and when a kernel ends everything has been given back. Errors beyond that the address sanitizer finds. */
#ifndef HP5_SIMULATOR_HEAP_H
#define HP5_SIMULATOR_HEAP_H
namespace hp5_sim {
enum { OF_HEAP = 0x4C495354 };
struct Taken { /* in front of what is taken */
    Taken *next, *before;
    size_t bytes, mark;
};
inline Taken *of_heap;
inline size_t heap_bytes = 8 << 20, heap_taken; /* what CUDA has where nobody says more */
inline bool heap_used;
inline pthread_mutex_t of_heap_lock = PTHREAD_MUTEX_INITIALIZER;

inline void *heap_take(size_t bytes) {
    Taken *piece = NULL;
    pthread_mutex_lock(&of_heap_lock);
    heap_used = true;
    if (heap_taken + bytes <= heap_bytes) piece = (Taken *)malloc(sizeof *piece + bytes);
    if (piece != NULL) {
        *piece = {of_heap, NULL, bytes, OF_HEAP};
        if (of_heap != NULL) of_heap->before = piece;
        of_heap = piece;
        heap_taken += bytes;
    }
    pthread_mutex_unlock(&of_heap_lock);
    return piece == NULL ? NULL : memset(piece + 1, 0xFF, bytes);
}

inline void heap_give_back(void *memory) {
    Taken *piece = (Taken *)memory - 1;
    if (memory == NULL) return;
    pthread_mutex_lock(&of_heap_lock);
    if (piece->mark != OF_HEAP) wrong("a kernel gives back what it has not taken");
    piece->mark = 0;
    *(piece->before != NULL ? &piece->before->next : &of_heap) = piece->next;
    if (piece->next != NULL) piece->next->before = piece->before;
    heap_taken -= piece->bytes;
    pthread_mutex_unlock(&of_heap_lock);
    free(piece);
}

/* Behind a kernel that has come to its end. */
inline void heap_is_left() {
    if (of_heap != NULL) wrong("a kernel leaves memory of the heap behind");
}
} // namespace hp5_sim

static inline cudaError_t cudaDeviceSetLimit(cudaLimit, size_t bytes) {
    if (hp5_sim::heap_used) return cudaErrorInvalidValue;
    hp5_sim::heap_bytes = bytes;
    return cudaSuccess;
}
#endif
