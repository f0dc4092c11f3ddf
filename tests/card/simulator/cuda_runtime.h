/* A card in place of NVIDIA's, for tests on machines that have none: the same text of a kernel, compiled as C++, runs on processors.
 *
 * A block is a thread of the operating system, its threads are fibers that run in random order (HP5_SIM_SEED) from one wait to the next. What a
 * wait finds wrong ends the program: threads of a warp, or of a block, that wait at different places. Memory of the card is full of NaNs at
 * first and is not the host's, so that a pointer of the wrong side is one into nowhere that the address sanitizer knows. The thread sanitizer is told of
 * fibers and waits: it finds two threads that touch an element without a wait between them (-fsanitize=thread).
 *
 *     HP5_SIM_MULTIPROCESSORS   blocks that run at once (3)      HP5_SIM_THREADS   threads that a block can have (96)
 *     HP5_SIM_RESIDENT          threads that a multiprocessor runs at once, in several blocks (as many as a block can have)
 *     HP5_SIM_SHARED            bytes of shared memory that a launch may give to a block (36864: three pieces of rows for three warps)
 *     HP5_SIM_SUMS              a file that gets a line for each kernel: how often its threads have added to elements that others may add to
 *     HP5_SIM_NEAR              the same of bytes of parts of LPUs that have come to shared memory (runtime/card/near.h)
 *     HP5_SIM_CARDS             how many there are (2)           HP5_SIM_SEED      of the order (1)
 *     HP5_SIM_KIND              of the card (80, sm_80): programs are not compiled for older ones
 *     HP5_SIM_FREE              MB of its memory that are free, as it says (512): a part of it becomes the heap of kernels (heap.h), which leave nothing there */
#ifndef HP5_SIMULATOR_H
#define HP5_SIMULATOR_H
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined __SANITIZE_THREAD__
#include <sanitizer/tsan_interface.h>
#elif defined __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

/* ---- CUDA C++ ------------------------------------------------------------------------------------------------------ */
#define __CUDACC__ 1
#define CUDART_VERSION 12000 /* headers of libraries ask for it */
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __shared__ static thread_local
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(...)
#define HP5_CALLS_AT_ONCE 3
#pragma GCC diagnostic ignored "-Wunused-function"

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x_ = 1, unsigned y_ = 1, unsigned z_ = 1) : x(x_), y(y_), z(z_) {}
};

typedef enum { cudaSuccess, cudaErrorMemoryAllocation, cudaErrorLaunchFailure, cudaErrorNoDevice, cudaErrorCooperativeLaunchTooLarge, cudaErrorNotReady,
               cudaErrorNoKernelImageForDevice, cudaErrorInvalidDeviceFunction, cudaErrorUnsupportedPtxVersion, cudaErrorInvalidValue } cudaError_t;
typedef enum { cudaMemcpyDefault } cudaMemcpyKind;
typedef enum { cudaLimitMallocHeapSize } cudaLimit;
typedef enum { cudaDevAttrMultiProcessorCount, cudaDevAttrCooperativeLaunch, cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor,
               cudaDevAttrMaxSharedMemoryPerBlockOptin, cudaDevAttrMaxSharedMemoryPerMultiprocessor } cudaDeviceAttr;
typedef enum { cudaFuncAttributeMaxDynamicSharedMemorySize } cudaFuncAttribute;
enum { cudaHostAllocMapped = 2, cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2 };
struct cudaFuncAttributes {
    int maxThreadsPerBlock;
    size_t sharedSizeBytes;
};

namespace hp5_sim {

/* ---- Fibers ------------------------------------------------------------------------------------------------------------ */
enum State { READY, AT_WARP, AT_BLOCK, AT_GRID, DONE };
enum { WARP = 32, STACK = 128 << 10, MOST_BLOCKS = 64, MOST_THREADS = 1024 };

struct Block;
struct Copies;
struct Fiber {
    dim3 thread, block_index;
    Block *block;
    State state;
    void *stack_pointer;
    char *stack;
    uint64_t word; /* for other lanes of the warp */
    struct Copies *copies; /* on their way to shared memory (cuda_pipeline.h), or NULL */
#if defined __SANITIZE_THREAD__
    void *sanitizer;
    unsigned waits[DONE + 1];
#elif defined __SANITIZE_ADDRESS__
    void *sanitizer;
#endif
};

/* All blocks of a launch. */
struct Launch {
    void (*kernel)(void *);
    void *argument;
    dim3 grid, block;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    unsigned waiting, round;
    volatile int stopped; /* a thread has come to __trap */
    size_t shared;        /* bytes for each block */
};

struct Block {
    Launch *launch;
    Fiber *fibers;
    char *shared; /* of the launch */
    unsigned count, number;
    uint64_t random;
    void *stack_pointer; /* of the scheduler */
#if defined __SANITIZE_THREAD__
    void *sanitizer;
#elif defined __SANITIZE_ADDRESS__
    void *sanitizer;
    const void *stack;
    size_t stack_size;
#endif
    char at_block[2], at_warp[64][2]; /* see leave() */
};

inline thread_local Fiber *now;
inline char at_grid[2], elsewhere;
inline char *stacks[MOST_BLOCKS][MOST_THREADS]; /* kept from launch to launch */

/* Leaves one stack for another: what a function keeps for its caller lies on the stack. */
extern "C" void hp5_sim_switch(void **from, void *to);
#ifndef __x86_64__
#error "the simulator of cards knows x86-64 alone"
#endif
__asm__(".text\n.weak hp5_sim_switch\n.type hp5_sim_switch,@function\nhp5_sim_switch:\n"
        "  pushq %rbp\n  pushq %rbx\n  pushq %r12\n  pushq %r13\n  pushq %r14\n  pushq %r15\n"
        "  movq %rsp, (%rdi)\n  movq %rsi, %rsp\n"
        "  popq %r15\n  popq %r14\n  popq %r13\n  popq %r12\n  popq %rbx\n  popq %rbp\n  ret\n"
        ".size hp5_sim_switch,.-hp5_sim_switch\n");

__attribute__((noreturn)) inline void wrong(const char *what) {
    fprintf(stderr, "simulated card: %s\n", what);
    fflush(stderr);
    abort();
}

/* From the fiber to its block. Whoever waits has what the others did before their wait, and nothing of what they did after it, though they may have come to the next
 * one before this fiber goes on: so waits of one kind have two places, by turns. */
__attribute__((no_sanitize("thread", "address"))) inline void leave(State state) {
    Fiber *fiber = now;
    Block *block = fiber->block;
    fiber->state = state;
#if defined __SANITIZE_THREAD__
    const unsigned turn = fiber->waits[state]++ % 2;
    char *place = state == AT_WARP ? &block->at_warp[fiber->thread.x / WARP][turn] : state == AT_BLOCK ? &block->at_block[turn] : state == AT_GRID ? &at_grid[turn] : &elsewhere;
    __tsan_release(place);
    if (state != DONE) {
        __tsan_switch_to_fiber(block->sanitizer, __tsan_switch_to_fiber_no_sync);
        hp5_sim_switch(&fiber->stack_pointer, block->stack_pointer);
        __tsan_acquire(place);
        return;
    }
    __tsan_switch_to_fiber(block->sanitizer, __tsan_switch_to_fiber_no_sync);
    hp5_sim_switch(&fiber->stack_pointer, block->stack_pointer);
#elif defined __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(state == DONE ? NULL : &fiber->sanitizer, block->stack, block->stack_size);
    hp5_sim_switch(&fiber->stack_pointer, block->stack_pointer);
    __sanitizer_finish_switch_fiber(fiber->sanitizer, NULL, NULL);
#else
    hp5_sim_switch(&fiber->stack_pointer, block->stack_pointer);
#endif
}

/* What a fiber begins with. */
__attribute__((no_sanitize("thread", "address"))) inline void begin() {
    Fiber *fiber = now;
#if defined __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(NULL, &fiber->block->stack, &fiber->block->stack_size);
#endif
    fiber->block->launch->kernel(fiber->block->launch->argument);
    leave(DONE);
    wrong("a thread that has ended goes on");
}

__attribute__((no_sanitize("thread", "address"))) inline void enter(Block *block, Fiber *fiber) {
    now = fiber;
#if defined __SANITIZE_THREAD__
    __tsan_switch_to_fiber(fiber->sanitizer, __tsan_switch_to_fiber_no_sync);
#elif defined __SANITIZE_ADDRESS__
    __sanitizer_start_switch_fiber(&block->sanitizer, fiber->stack, STACK);
#endif
    hp5_sim_switch(&block->stack_pointer, fiber->stack_pointer);
#if defined __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(block->sanitizer, NULL, NULL);
#endif
    now = NULL;
}

/* ---- Blocks -------------------------------------------------------------------------------------------------------------- */
inline unsigned draw(Block *block, unsigned below) {
    block->random = block->random * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((block->random >> 33) % below);
}

inline void release(Block *block, State state, unsigned first, unsigned end) {
    for (unsigned i = first; i < end; i++)
        if (block->fibers[i].state == state) block->fibers[i].state = READY;
}

/* Whether all of these threads wait so; false: some do not wait yet. */
inline bool all_wait(const Block *block, State state, unsigned first, unsigned end) {
    bool some = false, all = true;
    for (unsigned i = first; i < end; i++) {
        some = some || block->fibers[i].state == state;
        all = all && block->fibers[i].state == state;
    }
    return some && all;
}

/* All blocks wait for each other; false: the launch has been stopped. */
inline bool grid_waits(Launch *launch) {
    pthread_mutex_lock(&launch->lock);
    const unsigned round = launch->round;
    if (++launch->waiting == launch->grid.x) {
        launch->waiting = 0;
        launch->round++;
        pthread_cond_broadcast(&launch->changed);
    }
    while (round == launch->round && !launch->stopped) pthread_cond_wait(&launch->changed, &launch->lock);
    pthread_mutex_unlock(&launch->lock);
    return !launch->stopped;
}

inline void stop(Launch *launch) {
    pthread_mutex_lock(&launch->lock);
    launch->stopped = 1;
    pthread_cond_broadcast(&launch->changed);
    pthread_mutex_unlock(&launch->lock);
}

/* Whoever waits for nobody any more, in a warp or in the block. */
inline void release_waiting(Block *block) {
    for (unsigned first = 0; first < block->count; first += WARP)
        if (all_wait(block, AT_WARP, first, first + WARP)) release(block, AT_WARP, first, first + WARP);
    if (all_wait(block, AT_BLOCK, 0, block->count)) release(block, AT_BLOCK, 0, block->count);
}

/* Nobody can run: all blocks wait for each other, or something is wrong. False at the end. */
inline bool go_on(Block *block) {
    if (all_wait(block, DONE, 0, block->count)) return false;
    if (!all_wait(block, AT_GRID, 0, block->count)) wrong("threads of one block wait at different places");
    if (!grid_waits(block->launch)) return false;
    release(block, AT_GRID, 0, block->count);
    return true;
}

inline void run_block(Block *block) {
    unsigned *ready = (unsigned *)malloc(sizeof *ready * block->count);
    while (!block->launch->stopped) {
        unsigned count = 0;
        release_waiting(block); /* some may only ask whether another one is done */
        for (unsigned i = 0; i < block->count; i++)
            if (block->fibers[i].state == READY) ready[count++] = i;
        if (count == 0 && !go_on(block)) break;
        while (count > 0 && !block->launch->stopped) { /* each of them to its next wait */
            const unsigned at = draw(block, count);
            enter(block, &block->fibers[ready[at]]);
            ready[at] = ready[--count];
        }
    }
    free(ready);
}

inline void *block_main(void *data) {
    Block *block = (Block *)data;
    block->fibers = (Fiber *)calloc(block->count, sizeof *block->fibers);
    block->shared = (char *)aligned_alloc(16, (block->launch->shared + 16) / 16 * 16);
    memset(block->shared, 0xFF, block->launch->shared);
#if defined __SANITIZE_THREAD__
    block->sanitizer = __tsan_get_current_fiber();
#endif
    for (unsigned i = 0; i < block->count; i++) {
        Fiber *fiber = &block->fibers[i];
        fiber->thread = dim3(i, 0, 0);
        fiber->block_index = dim3(block->number, 0, 0);
        fiber->block = block;
        fiber->state = READY;
        if (stacks[block->number][i] == NULL) stacks[block->number][i] = (char *)aligned_alloc(4096, STACK);
        fiber->stack = stacks[block->number][i];
        void **top = (void **)(fiber->stack + STACK) - 1; /* aligned as behind a call */
        *--top = (void *)begin;
        fiber->stack_pointer = top - 6;
        memset(fiber->stack_pointer, 0, 6 * sizeof *top);
#if defined __SANITIZE_THREAD__
        fiber->sanitizer = __tsan_create_fiber(0);
#endif
    }
    run_block(block);
#if defined __SANITIZE_THREAD__
    __tsan_acquire(&elsewhere); /* where threads have ended */
#endif
#if defined __SANITIZE_THREAD__
    for (unsigned i = 0; i < block->count; i++) __tsan_destroy_fiber(block->fibers[i].sanitizer);
#endif
    free(block->fibers);
    free(block->shared);
    return NULL;
}

inline int setting(const char *name, int usual) {
    const char *text = getenv(name);
    return text ? atoi(text) : usual;
}

/* ---- What kernels call ------------------------------------------------------------------------------------------------------- */
inline void wait_in_warp() { leave(AT_WARP); }

/* Of the lane `lane` of the warp; the own one where it has no such lane. */
inline uint64_t from_lane(uint64_t word, unsigned lane) {
    Fiber *fiber = now;
    fiber->word = word;
    leave(AT_WARP);
    const uint64_t result = lane < WARP ? fiber[(int)lane - (int)(fiber->thread.x % WARP)].word : word;
    leave(AT_WARP);
    return result;
}

/* Bit l: what lane l says. */
inline uint32_t from_all(bool vote) {
    Fiber *fiber = now;
    fiber->word = vote;
    leave(AT_WARP);
    uint32_t votes = 0;
    for (unsigned lane = 0; lane < WARP; lane++) votes |= (uint32_t)(fiber[(int)lane - (int)(fiber->thread.x % WARP)].word != 0) << lane;
    leave(AT_WARP);
    return votes;
}

/* Others go on: another block may be what is waited for, or the host. */
inline void pause() {
    usleep(1);
    leave(READY);
}

__attribute__((noreturn)) inline void trap() {
    stop(now->block->launch);
    leave(DONE);
    wrong("a thread that has ended goes on");
}
} // namespace hp5_sim

#define threadIdx (hp5_sim::now->thread)
#define blockIdx (hp5_sim::now->block_index)
#define blockDim (hp5_sim::now->block->launch->block)
#define gridDim (hp5_sim::now->block->launch->grid)
static inline void __syncwarp() { hp5_sim::wait_in_warp(); }
static inline void __syncthreads() { hp5_sim::leave(hp5_sim::AT_BLOCK); }
/* What a thread has written before is there for whoever comes to the bus after it: sanitizers see the order of the card and the host. */
namespace hp5_sim {
static int on_bus;
static inline void use_bus() { __atomic_fetch_add(&on_bus, 1, __ATOMIC_ACQ_REL); }
} // namespace hp5_sim
static inline void __threadfence_system() { hp5_sim::use_bus(); }
template <class T> static inline T hp5_sim_shuffle(T value, unsigned lane) {
    uint64_t word = 0;
    memcpy(&word, &value, sizeof value);
    word = hp5_sim::from_lane(word, lane);
    memcpy(&value, &word, sizeof value);
    return value;
}
template <class T> static inline T __shfl_down_sync(unsigned, T value, unsigned up) { return hp5_sim_shuffle(value, threadIdx.x % 32 + up); }
template <class T> static inline T __shfl_xor_sync(unsigned, T value, int apart) { return hp5_sim_shuffle(value, threadIdx.x % 32 ^ (unsigned)apart); }
static inline unsigned long long __shfl_sync(unsigned, unsigned long long value, int lane) { return hp5_sim_shuffle(value, (unsigned)lane); }
static inline unsigned __ballot_sync(unsigned, bool vote) { return hp5_sim::from_all(vote); }
static inline bool __any_sync(unsigned, bool vote) { return hp5_sim::from_all(vote) != 0; }
static inline int __ffs(int bits) { return __builtin_ffs(bits); }
static inline int __clzll(long long bits) { return bits == 0 ? 64 : __builtin_clzll((unsigned long long)bits); }
/* Bits of Reals; the upper halves of inverses, of about as many right digits as a card gives them. */
static inline int __double2hiint(double x) {
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (int)(bits >> 32);
}
static inline double __hiloint2double(int high, int low) {
    const uint64_t bits = (uint64_t)(uint32_t)high << 32 | (uint32_t)low;
    double x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
static inline float __int_as_float(int bits) {
    float x;
    memcpy(&x, &bits, sizeof x);
    return x;
}
#define hp5_about_inverse(x) (__double2hiint(1.0 / (x)))
#define hp5_about_inverse_root(x) (__double2hiint(1.0 / sqrt(x)))
#define hp5_shared_memory() (hp5_sim::now->block->shared)
#define hp5_shared_bytes() (hp5_sim::now->block->launch->shared)
template <class T> static inline T atomicCAS(T *place, T expected, T wanted) {
    __atomic_compare_exchange_n(place, &expected, wanted, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return expected;
}
static inline long long __mul64hi(long long a, long long b) { return (long long)(((__int128)a * b) >> 64); }
static inline int atomicExch(int *place, int value) { return __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST); }
static inline unsigned long long atomicExch(unsigned long long *place, unsigned long long value) { return __atomic_exchange_n(place, value, __ATOMIC_SEQ_CST); }
static inline unsigned long long atomicAdd(unsigned long long *place, unsigned long long more) { return __atomic_fetch_add(place, more, __ATOMIC_SEQ_CST); }
static inline uint32_t atomicAdd(uint32_t *place, uint32_t more) { return __atomic_fetch_add(place, more, __ATOMIC_SEQ_CST); }
namespace hp5_sim {
inline unsigned long long sums; /* of elements that threads have added to as one */
inline unsigned long long near; /* bytes of parts of LPUs that have come to shared memory */
}
#define hp5_note_near(bytes) ((void)atomicAdd(&hp5_sim::near, (unsigned long long)(bytes)))
#define hp5_add_to_element(element, more) (atomicAdd(&hp5_sim::sums, 1ull), atomicAdd((unsigned long long *)(element), (unsigned long long)(more)))
static inline unsigned long long atomicMax(unsigned long long *place, unsigned long long other) {
    unsigned long long value = __atomic_load_n(place, __ATOMIC_SEQ_CST);
    while (value < other && !__atomic_compare_exchange_n(place, &value, other, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {}
    return value;
}
static inline void __threadfence() {}
#define hp5_pause() hp5_sim::pause()
#define hp5_heap_take(bytes) hp5_sim::heap_take(bytes)
#define hp5_heap_give_back(memory) hp5_sim::heap_give_back(memory)

/* The card's clock counts from another moment than the host's. */
static inline int64_t hp5_sim_nanoseconds() {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec + INT64_C(77000000000);
}
#define hp5_nanoseconds hp5_sim_nanoseconds
[[noreturn]] static inline void __trap() { hp5_sim::trap(); }

#include "heap.h"

namespace cooperative_groups {
struct grid_group {
    void sync() const { hp5_sim::leave(hp5_sim::AT_GRID); }
};
static inline grid_group this_grid() { return grid_group(); }
} // namespace cooperative_groups

#include "host_calls.h"
#endif
