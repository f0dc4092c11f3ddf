/* The CUDA runtime's functions as the library calls them (card.h): compiled with the text for cards, so that libhp5 knows nothing of CUDA. */
#ifndef HP5_RUNTIME_CARD_DRIVER_H
#define HP5_RUNTIME_CARD_DRIVER_H
#include "runtime/card/code.h"

static const char *hp5_cuda(cudaError_t error) { return error == cudaSuccess ? NULL : cudaGetErrorString(error); }

static int hp5_cuda_card;             /* the process's */
static cudaStream_t hp5_cuda_kernels; /* copies do not wait for it */

/* The program has no kernel for this kind of card. */
static const char *hp5_cuda_other_kind(void) {
    static char text[160];
    int major = 0, minor = 0;
    cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, hp5_cuda_card);
    cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, hp5_cuda_card);
    if (major < 7) snprintf(text, sizeof text, "it is too old: tasks of HP5 need sm_70 or later, and it is sm_%d%d", major, minor);
    else snprintf(text, sizeof text, "the program was compiled for other cards than this one: compile it with --gpu-arch sm_%d%d", major, minor);
    return text;
}

/* All kernels are loaded at first: to load one, CUDA may wait for those that run, which may wait for the host. */
static const char *hp5_cuda_open(const void *kernel, int process, Hp5CardLimits *limits) {
    cudaFuncAttributes of_kernel;
    int value = 0, cards = 0;
    setenv("CUDA_MODULE_LOADING", "EAGER", 0);
    cudaError_t error = cudaGetDeviceCount(&cards);
    hp5_cuda_card = cards > 0 ? process % cards : 0;
    if (error == cudaSuccess) error = cudaSetDevice(hp5_cuda_card);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&value, cudaDevAttrMultiProcessorCount, hp5_cuda_card);
    limits->multiprocessors = value;
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&value, cudaDevAttrCooperativeLaunch, hp5_cuda_card);
    if (error == cudaSuccess && value == 0) return "it is too old for kernels whose blocks wait for each other";
    if (error == cudaSuccess) error = cudaFuncGetAttributes(&of_kernel, kernel);
    if (error == cudaErrorNoKernelImageForDevice || error == cudaErrorInvalidDeviceFunction || error == cudaErrorUnsupportedPtxVersion) return hp5_cuda_other_kind();
    if (error == cudaSuccess && hp5_cuda_kernels == NULL) error = cudaStreamCreateWithFlags(&hp5_cuda_kernels, cudaStreamNonBlocking);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&limits->multiprocessor_shared, cudaDevAttrMaxSharedMemoryPerMultiprocessor, hp5_cuda_card);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&value, cudaDevAttrMaxSharedMemoryPerBlockOptin, hp5_cuda_card);
    if (error != cudaSuccess) return hp5_cuda(error);
    limits->block_threads = of_kernel.maxThreadsPerBlock / HP5_WARP_THREADS * HP5_WARP_THREADS;
    limits->block_shared = value - (int)of_kernel.sharedSizeBytes;
    return NULL;
}

/* More than 48 KB of it have to be asked for. */
static cudaError_t hp5_cuda_share(const void *kernel, int shared) {
    return shared > 0 ? cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared) : cudaSuccess;
}

static const char *hp5_cuda_blocks_at_once(const void *kernel, int threads, int shared, int *blocks) {
    int each = 0, multiprocessors = 0;
    cudaError_t error = hp5_cuda_share(kernel, shared);
    if (error == cudaSuccess) error = cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, (size_t)shared);
    if (error == cudaSuccess) error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, hp5_cuda_card);
    *blocks = each * multiprocessors;
    return hp5_cuda(error);
}

/* Memory of the host that the card reaches has one address on both sides, on every system of 64 bits. */
static const char *hp5_cuda_allocate(void **memory, int64_t bytes, bool shared) {
    return hp5_cuda(shared ? cudaHostAlloc(memory, (size_t)bytes, cudaHostAllocMapped) : cudaMalloc(memory, (size_t)bytes));
}

static void hp5_cuda_release(void *memory, bool shared) { shared ? cudaFreeHost(memory) : cudaFree(memory); }

/* `card` may be memory of the host that the card reaches: CUDA tells from the addresses what lies where. */
static const char *hp5_cuda_give(void *card, const void *host, int64_t bytes) {
    return hp5_cuda(cudaMemcpy(card, host, (size_t)bytes, cudaMemcpyDefault));
}

static const char *hp5_cuda_take(void *host, const void *card, int64_t bytes) {
    return hp5_cuda(cudaMemcpy(host, card, (size_t)bytes, cudaMemcpyDefault));
}

static const char *hp5_cuda_copy(void *to, const void *from, int64_t bytes) {
    return hp5_cuda(cudaMemcpy(to, from, (size_t)bytes, cudaMemcpyDefault));
}

static const char *hp5_cuda_clear(void *card, int64_t bytes) { return hp5_cuda(cudaMemset(card, 0, (size_t)bytes)); }

static const char *hp5_cuda_give_rows(void *card, const void *host, int64_t pitch, int64_t width, int64_t rows) {
    return hp5_cuda(cudaMemcpy2DAsync(card, (size_t)pitch, host, (size_t)pitch, (size_t)width, (size_t)rows, cudaMemcpyDefault, 0));
}

static const char *hp5_cuda_take_rows(void *host, const void *card, int64_t pitch, int64_t width, int64_t rows) {
    return hp5_cuda(cudaMemcpy2DAsync(host, (size_t)pitch, card, (size_t)pitch, (size_t)width, (size_t)rows, cudaMemcpyDefault, 0));
}

static const char *hp5_cuda_copy_rows(void *to, int64_t to_pitch, const void *from, int64_t from_pitch, int64_t width, int64_t rows) {
    return hp5_cuda(cudaMemcpy2DAsync(to, (size_t)to_pitch, from, (size_t)from_pitch, (size_t)width, (size_t)rows, cudaMemcpyDefault, 0));
}

static const char *hp5_cuda_settle(void) { return hp5_cuda(cudaStreamSynchronize(0)); }

/* In memory of the host, which can still be read when the card has stopped. */
static const char *hp5_cuda_desk(Hp5CardDesk **host, Hp5CardDesk **card) {
    cudaError_t error = cudaHostAlloc((void **)host, sizeof **host, cudaHostAllocMapped);
    if (error == cudaSuccess) {
        memset((void *)*host, 0, sizeof **host);
        error = cudaHostGetDevicePointer((void **)card, *host, 0);
    }
    return hp5_cuda(error);
}

static void hp5_cuda_forget(Hp5CardDesk *host) { cudaFreeHost(host); }

/* Where kernels of this text say what went wrong: the same desk for each execution of a task. */
static cudaError_t hp5_cuda_tell_desk(Hp5CardDesk *desk) {
    static Hp5CardFailure *told;
    Hp5CardFailure *failure = &desk->failure;
    if (told == failure) return cudaSuccess;
    cudaError_t error = cudaMemcpyToSymbol(hp5_card_failure, &failure, sizeof failure);
    if (error == cudaSuccess) error = cudaStreamSynchronize(0);
    if (error == cudaSuccess) told = failure;
    return error;
}

static cudaError_t hp5_cuda_send(void *to, const void *from, int64_t bytes) {
    return bytes > 0 ? cudaMemcpyAsync(to, from, (size_t)bytes, cudaMemcpyDefault, hp5_cuda_kernels) : cudaSuccess;
}

/* Nothing but records is under way (settle): those are in the kernel's stream, so that the host waits once for all of it. */
static const char *hp5_cuda_launch(const void *kernel, int blocks, int threads, int shared, Hp5CardRun *run, Hp5CardDesk *desk, const Hp5CardRecords *records) {
    void *arguments[] = {&run};
    cudaError_t error = hp5_cuda_tell_desk(desk);
    if (error == cudaSuccess) error = hp5_cuda_share(kernel, shared);
    if (error == cudaSuccess && records != NULL) error = hp5_cuda_send(records->card, records->host, records->given);
    if (error == cudaSuccess) error = cudaLaunchCooperativeKernel(kernel, dim3((unsigned)blocks), dim3((unsigned)threads), arguments, (size_t)shared, hp5_cuda_kernels);
    if (error == cudaSuccess && records != NULL) error = hp5_cuda_send(records->host, records->card, records->taken);
    return hp5_cuda(error);
}

static const char *hp5_cuda_ended(bool *ended) {
    const cudaError_t error = cudaStreamQuery(hp5_cuda_kernels);
    *ended = error != cudaErrorNotReady;
    return *ended ? hp5_cuda(error) : NULL;
}

static const char *hp5_cuda_wait(void) { return hp5_cuda(cudaStreamSynchronize(hp5_cuda_kernels)); }

/* ---- Batches (batches.c): copies in a stream of their own, beside kernels and beside all other copies ------------------------------ */
static cudaStream_t hp5_cuda_batches;
static cudaEvent_t hp5_cuda_marks[HP5_BATCH_ASKS];

static const char *hp5_cuda_room(int64_t *left, int64_t *all) {
    size_t left_there = 0, all_there = 0;
    cudaError_t error = cudaMemGetInfo(&left_there, &all_there);
    *left = (int64_t)left_there;
    *all = (int64_t)all_there;
    if (error == cudaSuccess && hp5_cuda_batches == NULL) error = cudaStreamCreateWithFlags(&hp5_cuda_batches, cudaStreamNonBlocking);
    for (int i = 0; error == cudaSuccess && i < HP5_BATCH_ASKS; i++)
        if (hp5_cuda_marks[i] == NULL) error = cudaEventCreateWithFlags(&hp5_cuda_marks[i], cudaEventDisableTiming);
    return hp5_cuda(error);
}

static const char *hp5_cuda_stage_rows(void *to, int64_t to_pitch, const void *from, int64_t from_pitch, int64_t width, int64_t rows) {
    return hp5_cuda(cudaMemcpy2DAsync(to, (size_t)to_pitch, from, (size_t)from_pitch, (size_t)width, (size_t)rows, cudaMemcpyDefault, hp5_cuda_batches));
}

static const char *hp5_cuda_stage_mark(int which) { return hp5_cuda(cudaEventRecord(hp5_cuda_marks[which], hp5_cuda_batches)); }

static const char *hp5_cuda_staged(int which, bool *arrived) {
    const cudaError_t error = cudaEventQuery(hp5_cuda_marks[which]);
    *arrived = error == cudaSuccess;
    return error == cudaErrorNotReady ? NULL : hp5_cuda(error);
}

static const Hp5CardDriver hp5_cuda_driver = {
    hp5_cuda_open, hp5_cuda_blocks_at_once, hp5_cuda_allocate, hp5_cuda_release, hp5_cuda_give, hp5_cuda_take, hp5_cuda_copy, hp5_cuda_clear,
    hp5_cuda_give_rows, hp5_cuda_take_rows, hp5_cuda_copy_rows, hp5_cuda_settle, hp5_cuda_desk, hp5_cuda_forget, hp5_cuda_launch, hp5_cuda_ended, hp5_cuda_wait,
    hp5_cuda_room, hp5_cuda_stage_rows, hp5_cuda_stage_mark, hp5_cuda_staged};
#endif
