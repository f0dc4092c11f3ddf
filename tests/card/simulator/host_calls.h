/* What the host calls of the CUDA runtime: cards, memory, streams of kernels, and streams of copies with marks between them. Other copies are done at once. How kernels run is in cuda_runtime.h, which includes
 * this. */
#ifndef HP5_SIMULATOR_HOST_CALLS_H
#define HP5_SIMULATOR_HOST_CALLS_H
static inline const char *cudaGetErrorString(cudaError_t error) {
    switch (error) {
    case cudaErrorMemoryAllocation: return "out of memory";
    case cudaErrorNoDevice: return "no CUDA-capable device is detected";
    case cudaErrorCooperativeLaunchTooLarge: return "too many blocks in cooperative launch";
    default: return "unspecified launch failure";
    }
}
static inline cudaError_t cudaGetDeviceCount(int *count) {
    *count = hp5_sim::setting("HP5_SIM_CARDS", 2);
    return *count > 0 ? cudaSuccess : cudaErrorNoDevice;
}
namespace hp5_sim {
inline thread_local int card; /* to which the thread's calls go */
inline int card_of_process = -1; /* a process works on one */
/* Memory, streams and kernels of a process belong to one card. */
inline void on_card() {
    int none = -1;
    if (!__atomic_compare_exchange_n(&card_of_process, &none, card, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST) && none != card) wrong("a call to another card");
}
} // namespace hp5_sim
static inline cudaError_t cudaSetDevice(int card) {
    hp5_sim::card = card;
    return card < hp5_sim::setting("HP5_SIM_CARDS", 2) ? cudaSuccess : cudaErrorNoDevice;
}
static inline cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr attribute, int) {
    *value = attribute == cudaDevAttrMultiProcessorCount ? hp5_sim::setting("HP5_SIM_MULTIPROCESSORS", 3) : 1;
    if (attribute == cudaDevAttrMaxSharedMemoryPerBlockOptin || attribute == cudaDevAttrMaxSharedMemoryPerMultiprocessor) *value = hp5_sim::setting("HP5_SIM_SHARED", 36864);
    if (attribute == cudaDevAttrComputeCapabilityMajor) *value = hp5_sim::setting("HP5_SIM_KIND", 80) / 10;
    if (attribute == cudaDevAttrComputeCapabilityMinor) *value = hp5_sim::setting("HP5_SIM_KIND", 80) % 10;
    return cudaSuccess;
}
static inline cudaError_t cudaFuncGetAttributes(cudaFuncAttributes *attributes, const void *) {
    attributes->maxThreadsPerBlock = hp5_sim::setting("HP5_SIM_THREADS", 96);
    attributes->sharedSizeBytes = 0;
    return hp5_sim::setting("HP5_SIM_KIND", 80) < 80 ? cudaErrorNoKernelImageForDevice : cudaSuccess;
}
static inline cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *, int threads, size_t) {
    *blocks = hp5_sim::setting("HP5_SIM_RESIDENT", hp5_sim::setting("HP5_SIM_THREADS", 96)) / threads;
    return cudaSuccess;
}
namespace hp5_sim {
inline int shared_allowed; /* it has to be asked for */
}
static inline cudaError_t cudaFuncSetAttribute(const void *, cudaFuncAttribute, int bytes) {
    hp5_sim::shared_allowed = bytes;
    return bytes <= hp5_sim::setting("HP5_SIM_SHARED", 36864) ? cudaSuccess : cudaErrorMemoryAllocation;
}
namespace hp5_sim {
/* What lies in the card's memory, of which it has HP5_SIM_MEMORY bytes; -1: no end of it. */
struct Piece {
    char *memory;
    size_t bytes;
    Piece *next;
};
inline Piece *pieces;
inline size_t taken;
inline pthread_mutex_t of_pieces = PTHREAD_MUTEX_INITIALIZER;
inline bool is_of_card(const void *address) {
    bool found = false;
    pthread_mutex_lock(&of_pieces);
    for (const Piece *piece = pieces; piece != NULL && !found; piece = piece->next)
        found = (const char *)address >= piece->memory && (const char *)address < piece->memory + piece->bytes;
    pthread_mutex_unlock(&of_pieces);
    return found;
}
inline bool has_room(size_t bytes) {
    const int most = setting("HP5_SIM_MEMORY", -1);
    return most < 0 || taken + bytes <= (size_t)most;
}
} // namespace hp5_sim
static inline cudaError_t cudaMalloc(void **memory, size_t bytes) {
    hp5_sim::on_card();
    *memory = aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (*memory == NULL) return cudaErrorMemoryAllocation;
    memset(*memory, 0xFF, bytes);
    pthread_mutex_lock(&hp5_sim::of_pieces);
    const bool fits = hp5_sim::has_room(bytes);
    if (fits) {
        hp5_sim::pieces = new hp5_sim::Piece{(char *)*memory, bytes, hp5_sim::pieces};
        hp5_sim::taken += bytes;
    }
    pthread_mutex_unlock(&hp5_sim::of_pieces);
    if (!fits) free(*memory);
    return fits ? cudaSuccess : cudaErrorMemoryAllocation;
}
namespace hp5_sim {
inline int kernels;
/* What a card does by a kernel of its own, or when it is idle: behind kernels that run and have all of it. Whoever does that for a kernel that waits
 * for him waits for ever, as on a card. */
inline void wait_for_kernels() {
    while (__atomic_load_n(&kernels, __ATOMIC_SEQ_CST) > 0) usleep(100);
}
} // namespace hp5_sim
static inline cudaError_t cudaFree(void *memory) {
    hp5_sim::wait_for_kernels();
    bool found = memory == NULL;
    pthread_mutex_lock(&hp5_sim::of_pieces);
    for (hp5_sim::Piece **at = &hp5_sim::pieces; *at != NULL && !found; at = found ? at : &(*at)->next) {
        found = (*at)->memory == memory;
        if (!found) continue;
        hp5_sim::Piece *piece = *at;
        hp5_sim::taken -= piece->bytes;
        *at = piece->next;
        delete piece;
        break;
    }
    pthread_mutex_unlock(&hp5_sim::of_pieces);
    if (!found) hp5_sim::wrong("memory is freed that is not the card's");
    free(memory);
    return cudaSuccess;
}
static inline cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, cudaMemcpyKind) {
    hp5_sim::on_card();
    if (hp5_sim::is_of_card(to) && hp5_sim::is_of_card(from)) hp5_sim::wait_for_kernels();
    hp5_sim::use_bus();
    memcpy(to, from, bytes);
    hp5_sim::use_bus();
    return cudaSuccess;
}
static inline cudaError_t cudaMemset(void *memory, int value, size_t bytes) {
    hp5_sim::wait_for_kernels();
    hp5_sim::use_bus();
    memset(memory, value, bytes);
    hp5_sim::use_bus();
    return cudaSuccess;
}
static inline cudaError_t cudaHostAlloc(void **memory, size_t bytes, unsigned) {
    *memory = malloc(bytes);
    return cudaSuccess;
}
static inline cudaError_t cudaFreeHost(void *memory) {
    free(memory);
    return cudaSuccess;
}
static inline cudaError_t cudaHostGetDevicePointer(void **card, void *host, unsigned) {
    *card = host;
    return cudaSuccess;
}
template <class T> static inline cudaError_t cudaMemcpyToSymbol(T &symbol, const void *from, size_t bytes) {
    memcpy(&symbol, from, bytes);
    return cudaSuccess;
}
/* HP5_SIM_LEFT: it says that so many bytes are left. */
static inline cudaError_t cudaMemGetInfo(size_t *left, size_t *all) {
    const int most = hp5_sim::setting("HP5_SIM_MEMORY", -1);
    *all = most < 0 ? (size_t)hp5_sim::setting("HP5_SIM_FREE", 512) << 20 : (size_t)most;
    *left = (size_t)hp5_sim::setting("HP5_SIM_LEFT", (int)(most < 0 ? *all : *all - hp5_sim::taken));
    return cudaSuccess;
}

/* ---- Streams of kernels ------------------------------------------------------------------------------------------- */
namespace hp5_sim {
/* Rows that are copied some time after they have been asked for; of a mark, none. */
struct Rows {
    char *to;
    const char *from;
    size_t to_pitch, from_pitch, width, rows;
    long long number; /* in its stream, from 1 on */
    Rows *next;
};
inline void copy_rows(const Rows *rows) {
    use_bus();
    for (size_t i = 0; i < rows->rows; i++) memcpy(rows->to + i * rows->to_pitch, rows->from + i * rows->from_pitch, rows->width);
    use_bus();
}

/* A copy in a stream happens when its turn comes. */
struct QueuedCopy {
    void *to;
    const void *from;
    size_t bytes;
};
struct QueuedCopies {
    QueuedCopy list[4];
    int count;
};
inline void copy_all(QueuedCopies *copies) {
    for (int i = 0; i < copies->count; i++) memcpy(copies->list[i].to, copies->list[i].from, copies->list[i].bytes);
    copies->count = 0;
}

struct Stream {
    pthread_t thread;
    bool used; /* since somebody has waited */
    volatile int running, ends;
    Launch launch;
    QueuedCopies before, behind; /* the kernel; those before it happen when somebody waits for the stream without one */
    pthread_mutex_t of_copies;
    Rows *first, *last; /* of a stream of copies, which happen when somebody asks for a mark: some of them each time */
    long long asked, done;
    uint64_t random;
};
struct Mark {
    Stream *stream;
    long long number;
};

/* By the one thread that uses the stream. */
inline void queue(Stream *stream, const Rows &rows) {
    Rows *const item = new Rows(rows);
    item->number = ++stream->asked;
    if (stream->first == NULL) stream->first = item;
    else stream->last->next = item;
    stream->last = item;
}
inline void copy_some(Stream *stream) {
    stream->random = stream->random * 6364136223846793005u + 1442695040888963407u + (uint64_t)setting("HP5_SIM_SEED", 1);
    for (uint64_t n = stream->random >> 33 & 3; n > 0 && stream->first != NULL; n--) {
        Rows *const item = stream->first;
        copy_rows(item);
        stream->done = item->number;
        stream->first = item->next;
        delete item;
    }
}

/* To the file that the variable names, if any: how many there have been since the last launch. */
inline void write_count(const char *variable, unsigned long long *count) {
    FILE *file = getenv(variable) ? fopen(getenv(variable), "a") : NULL;
    if (file == NULL) return;
    fprintf(file, "%llu\n", *count);
    fclose(file);
    *count = 0;
}

inline void *run_launch(void *data) {
    Stream *stream = (Stream *)data;
    Launch *launch = &stream->launch;
    usleep((unsigned)setting("HP5_SIM_SEED", 1) % 3 * 50); /* copies do not begin at once */
    copy_all(&stream->before);
    Block *blocks = (Block *)calloc(launch->grid.x, sizeof *blocks);
    pthread_t *threads = (pthread_t *)malloc(sizeof *threads * launch->grid.x);
    for (unsigned b = 0; b < launch->grid.x; b++) {
        blocks[b].launch = launch;
        blocks[b].count = launch->block.x;
        blocks[b].number = b;
        blocks[b].random = (uint64_t)setting("HP5_SIM_SEED", 1) * 1000003 + b;
        pthread_create(&threads[b], NULL, block_main, &blocks[b]);
    }
    for (unsigned b = 0; b < launch->grid.x; b++) pthread_join(threads[b], NULL);
    free(threads);
    free(blocks);
    write_count("HP5_SIM_SUMS", &sums);
    write_count("HP5_SIM_NEAR", &near);
    if (!launch->stopped) heap_is_left();
    pthread_mutex_lock(&stream->of_copies);
    if (!launch->stopped) copy_all(&stream->behind);
    stream->ends = 1;
    pthread_mutex_unlock(&stream->of_copies);
    __atomic_sub_fetch(&kernels, 1, __ATOMIC_SEQ_CST);
    __atomic_store_n(&stream->running, 0, __ATOMIC_SEQ_CST);
    return NULL;
}
} // namespace hp5_sim
typedef hp5_sim::Stream *cudaStream_t;
typedef hp5_sim::Mark *cudaEvent_t;

static inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t *stream, unsigned) {
    hp5_sim::on_card();
    *stream = (cudaStream_t)calloc(1, sizeof **stream);
    pthread_mutex_init(&(*stream)->of_copies, NULL);
    return cudaSuccess;
}
static inline cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
    if (stream == NULL) return cudaSuccess;
    if (!stream->used) {
        hp5_sim::copy_all(&stream->before);
        return cudaSuccess;
    }
    pthread_join(stream->thread, NULL);
    stream->used = false;
    return stream->launch.stopped ? cudaErrorLaunchFailure : cudaSuccess;
}
static inline cudaError_t cudaStreamQuery(cudaStream_t stream) {
    if (__atomic_load_n(&stream->running, __ATOMIC_SEQ_CST)) return cudaErrorNotReady;
    return cudaStreamSynchronize(stream);
}
static inline cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
    hp5_sim::on_card();
    pthread_mutex_lock(&stream->of_copies);
    hp5_sim::QueuedCopies *copies = stream->used ? &stream->behind : &stream->before;
    const bool late = stream->used && stream->ends;
    if (!late && copies->count == 4) hp5_sim::wrong("more copies in a stream than the simulator has room for");
    if (late && !stream->launch.stopped) memcpy(to, from, bytes);
    else if (!late) copies->list[copies->count++] = {to, from, bytes};
    pthread_mutex_unlock(&stream->of_copies);
    return cudaSuccess;
}
static inline cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t rows, cudaMemcpyKind, cudaStream_t stream) {
    const hp5_sim::Rows all = {(char *)to, (const char *)from, to_pitch, from_pitch, width, rows, 0, NULL};
    hp5_sim::on_card();
    if (rows > 1 && (width > to_pitch || width > from_pitch)) hp5_sim::wrong("rows that lie over each other");
    if (stream == NULL) hp5_sim::copy_rows(&all);
    else hp5_sim::queue(stream, all);
    return cudaSuccess;
}
static inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t *event, unsigned) {
    *event = (cudaEvent_t)calloc(1, sizeof **event);
    return cudaSuccess;
}
static inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    *event = {stream, stream->asked};
    return cudaSuccess;
}
static inline cudaError_t cudaEventQuery(cudaEvent_t event) {
    if (event->stream->done < event->number) hp5_sim::copy_some(event->stream);
    return event->stream->done < event->number ? cudaErrorNotReady : cudaSuccess;
}
static inline cudaError_t cudaLaunchCooperativeKernel(const void *kernel, dim3 grid, dim3 block, void **arguments, size_t shared, cudaStream_t stream) {
    hp5_sim::on_card();
    int at_once = 0;
    cudaOccupancyMaxActiveBlocksPerMultiprocessor(&at_once, kernel, (int)block.x, 0);
    if ((int)grid.x > at_once * hp5_sim::setting("HP5_SIM_MULTIPROCESSORS", 3)) return cudaErrorCooperativeLaunchTooLarge;
    if (block.x % hp5_sim::WARP != 0 || (int)block.x > hp5_sim::setting("HP5_SIM_THREADS", 96)) hp5_sim::wrong("blocks of a size that it cannot have");
    if ((int)shared > hp5_sim::shared_allowed) hp5_sim::wrong("more shared memory than has been asked for");
    if (stream->used) cudaStreamSynchronize(stream);
    stream->ends = 0;
    stream->launch = {(void (*)(void *))kernel, *(void **)arguments[0], grid, block, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0, 0, shared};
    __atomic_add_fetch(&hp5_sim::kernels, 1, __ATOMIC_SEQ_CST);
    stream->running = 1;
    stream->used = true;
    pthread_create(&stream->thread, NULL, hp5_sim::run_launch, stream);
    return cudaSuccess;
}
#endif
