/* Lists on cards: what runtime/array/list.h has, for functions and stages that run there; text that uses lists includes
 * this behind cuda_driver.h (compiler/emit/cuda/card_text.c).
 *
 * How to read it: a list and its blocks are pieces of the kernel's heap, of which the host says how large it is before the first kernel
 * (HP5_CARD_LISTS). Each thread keeps its own lists in a chain, newest first, whose head lies in its block's shared memory; a scope ends those that were
 * made since it began. What stages do with lists outside of parallel loops the first thread of a crew does (compiler/emit/cuda/by_first.c), and all
 * threads know where such a list is: they wait for each other before it ends. */
#ifndef HP5_RUNTIME_CARD_LISTS_H
#define HP5_RUNTIME_CARD_LISTS_H
#ifndef hp5_heap_take /* the simulator looks after what is taken */
#define hp5_heap_take(bytes) malloc(bytes)
#define hp5_heap_give_back(memory) free(memory)
#endif

enum { HP5_LIST_FIRST_BITS = 3, HP5_LIST_BLOCKS = 40, HP5_LIST_THREADS = 1024 /* of a block, at most */ };

struct Hp5List {
    Hp5List *older; /* of the thread that made it */
    size_t element_size;
    int64_t count;
    char *blocks[HP5_LIST_BLOCKS]; /* of 8, 16, 32 … elements; NULL from the first one that was not needed yet */
};

/* The newest list of this thread. */
static __device__ Hp5List **hp5_lists() {
    __shared__ Hp5List *newest[HP5_LIST_THREADS];
    return &newest[threadIdx.x];
}

static __device__ void *hp5_list_memory(int64_t bytes, const char *file, int line) {
    void *memory = hp5_heap_take((size_t)bytes);
    if (memory == NULL) hp5_fail_at(file, line, "the card has no memory left for lists (HP5_CARD_LISTS says how many MB they may have)");
    memset(memory, 0, (size_t)bytes);
    return memory;
}

static __device__ Hp5List *hp5_list_new(size_t element_size, const char *file, int line) {
    Hp5List **const newest = hp5_lists(), *const list = (Hp5List *)hp5_list_memory((int64_t)sizeof(Hp5List), file, line);
    list->element_size = element_size;
    list->older = *newest;
    *newest = list;
    return list;
}

/* Block b has 8·2^b elements: that of the highest bit of index + 8. */
static __device__ int hp5_list_block(int64_t index) {
    int bit = HP5_LIST_FIRST_BITS;
    for (uint64_t rest = ((uint64_t)index + (1u << HP5_LIST_FIRST_BITS)) >> (HP5_LIST_FIRST_BITS + 1); rest > 0; rest >>= 1) bit++;
    return bit - HP5_LIST_FIRST_BITS;
}

static __device__ char *hp5_list_element(const Hp5List *list, int64_t index) {
    const int block = hp5_list_block(index);
    const int64_t first = ((int64_t)1 << (block + HP5_LIST_FIRST_BITS)) - (1 << HP5_LIST_FIRST_BITS);
    return list->blocks[block] + (size_t)(index - first) * list->element_size;
}

static __device__ void *hp5_list_at(const Hp5List *list, int64_t index, const char *file, int line) {
    const int64_t count = list == NULL ? 0 : list->count;
    if (index < 0 || index >= count)
        hp5_fail_at(file, line, "index %lld lies outside the list, which has %lld element%s", (long long)index, (long long)count, count == 1 ? "" : "s");
    return hp5_list_element(list, index);
}

static __device__ void *hp5_list_place(Hp5List *list, int64_t index, const char *file, int line) {
    if (list == NULL || index != list->count) return hp5_list_at(list, index, file, line);
    const int block = hp5_list_block(index);
    if (list->blocks[block] == NULL)
        list->blocks[block] = (char *)hp5_list_memory(((int64_t)1 << (block + HP5_LIST_FIRST_BITS)) * (int64_t)list->element_size, file, line);
    list->count++;
    return hp5_list_element(list, index);
}

/* ---- Ends ------------------------------------------------------------------------------------------------------------ */
/* The thread's lists that are newer than this one. */
static __device__ void hp5_lists_release(const Hp5List *last) {
    Hp5List **const newest = hp5_lists();
    while (*newest != last) {
        Hp5List *const list = *newest;
        *newest = list->older;
        for (int b = 0; b < HP5_LIST_BLOCKS && list->blocks[b] != NULL; b++) hp5_heap_give_back(list->blocks[b]);
        hp5_heap_give_back(list);
    }
}

/* The lists that the thread makes in a block of the program end with it, however it is left. */
struct Hp5ListsScope {
    const Hp5List *before;
    __device__ Hp5ListsScope() : before(*hp5_lists()) {}
    __device__ ~Hp5ListsScope() { hp5_lists_release(before); }
};

/* The same where all threads of a crew are in the block, and one may still look into a list of another. */
struct Hp5CrewListsScope {
    const Hp5Crew crew;
    const Hp5List *before;
    __device__ explicit Hp5CrewListsScope(Hp5Crew of) : crew(of), before(*hp5_lists()) {}
    __device__ ~Hp5CrewListsScope() {
        crew.sync();
        hp5_lists_release(before);
    }
};

/* Around a kernel's flow: threads begin without lists, and leave none. */
struct Hp5KernelLists {
    __device__ Hp5KernelLists() { *hp5_lists() = NULL; }
    __device__ ~Hp5KernelLists() { hp5_lists_release(NULL); }
};

/* ---- The host -------------------------------------------------------------------------------------------------------- */
/* The heap has HP5_CARD_LISTS MB, or an eighth of the card's free memory. CUDA takes no other size once a kernel has used it. */
static const char *hp5_cuda_open_for_lists(const void *kernel, int process, Hp5CardLimits *limits) {
    static bool sized;
    const char *text = getenv("HP5_CARD_LISTS"), *error = hp5_cuda_open(kernel, process, limits);
    const long long most = 1 << 20, megabytes = text == NULL ? 0 : atoll(text);
    size_t bytes = 0, all = 0;
    if (error != NULL || sized) return error;
    if (text != NULL && (*text < '0' || *text > '9' || megabytes > most)) return "HP5_CARD_LISTS is not a number of MB";
    error = hp5_cuda(cudaMemGetInfo(&bytes, &all));
    bytes = text != NULL ? (size_t)megabytes << 20 : bytes / 8;
    if (error == NULL) error = hp5_cuda(cudaDeviceSetLimit(cudaLimitMallocHeapSize, bytes));
    sized = error == NULL;
    return error;
}

static Hp5CardDriver hp5_cuda_with_lists() {
    Hp5CardDriver driver = hp5_cuda_driver;
    driver.open = hp5_cuda_open_for_lists;
    return driver;
}
static const Hp5CardDriver hp5_cuda_list_driver = hp5_cuda_with_lists();
#endif
