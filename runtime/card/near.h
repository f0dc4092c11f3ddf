/* Parts of LPUs in shared memory for the length of a visit (compiler/emit/cuda/near.c). Where the padded parts of LPUs are an array, or copies of it, a visit may take several
 * rounds before neighbours need what they have computed; from the card's memory the part would come and go in each of them. So the crew brings it to its block's
 * shared memory, in the order in which it lies there, works on it where stages find it as ever (Hp5Store.version), and takes it back at the end.
 *
 *     Hp5Near near_B(Hp5Crew{HP5_BLOCK_TIER});
 *     char *const plate_near = near_B.bring(&lpu_B->views[0], task->partition_p2 > 1, true);
 *     …
 *     near_B.take_back(&lpu_B->views[0], plate_near, true, true); */
#ifndef HP5_RUNTIME_CARD_NEAR_H
#define HP5_RUNTIME_CARD_NEAR_H
#include "runtime/card/copying.h"
#include "runtime/card/row_pieces.h"

#ifndef hp5_note_near /* tests count */
#define hp5_note_near(bytes) ((void)(bytes))
#endif

struct alignas(HP5_NEAR_UNIT) Hp5NearUnit { int64_t words[HP5_NEAR_UNIT / sizeof(int64_t)]; };

/* From memory of one kind to that of the other, and to a second place (NULL: there is none). A thread has several units on their way at a time. */
static __device__ void hp5_copy_near(Hp5Crew crew, char *to, char *also, const char *from, int64_t bytes) {
    enum { ABREAST = 8 };
    const int64_t units = bytes / HP5_NEAR_UNIT, size = crew.size();
    for (int64_t first = crew.rank(); first < units; first += ABREAST * size) {
        Hp5NearUnit unit[ABREAST] = {};
#pragma unroll
        for (int n = 0; n < ABREAST; n++)
            if (first + n * size < units) unit[n] = ((const Hp5NearUnit *)from)[first + n * size];
        hp5_all_asked();
#pragma unroll
        for (int n = 0; n < ABREAST; n++) {
            if (first + n * size >= units) continue;
            ((Hp5NearUnit *)to)[first + n * size] = unit[n];
            if (also != NULL) ((Hp5NearUnit *)also)[first + n * size] = unit[n];
        }
    }
#pragma unroll 1
    for (int64_t b = units * HP5_NEAR_UNIT + crew.rank(); b < bytes; b += size) {
        to[b] = from[b];
        if (also != NULL) also[b] = from[b];
    }
}

/* The shared memory of a crew that is a block, or a warp's share of it. */
struct Hp5Near {
    Hp5Crew crew;
    char *next, *end;

    __device__ explicit Hp5Near(Hp5Crew of) : crew(of) {
        const int64_t all = hp5_shared_bytes(), warps = blockDim.x / HP5_WARP_THREADS, each = all / warps / HP5_NEAR_UNIT * HP5_NEAR_UNIT;
        next = hp5_shared_memory() + (of.tier == HP5_WARP_TIER ? threadIdx.x / HP5_WARP_THREADS * each : 0);
        end = next + (of.tier == HP5_WARP_TIER ? each : all);
    }
    /* Where the view's part is now, if it pays and there is room; else NULL, and it stays where it is. newest: only the newest version is needed, to begin with and in the end; the older one gets
     * the same elements. */
    __device__ char *bring(const Hp5View *view, bool pays, bool newest) {
        Hp5Store *const store = view->store;
        const int64_t bytes = hp5_near_bytes(store), room = hp5_near_room(store);
        const int versions = store->versions;
        const char *const home[HP5_NEAR_VERSIONS] = {store->version[0], store->version[versions - 1]};
        if (!pays || bytes == 0 || room > end - next || ((uintptr_t)home[0] | (uintptr_t)home[1]) % HP5_NEAR_UNIT != 0) return NULL;
        char *const part = next, *const older = versions > 1 ? of_version(part, 1, room) : NULL;
        next += room;
        crew.sync();
        hp5_copy_near(crew, of_version(part, 0, room), newest ? older : NULL, home[0], bytes);
        if (older != NULL && !newest) hp5_copy_near(crew, older, NULL, home[1], bytes);
        if (crew.rank() == 0) {
            hp5_note_near((newest ? 1 : versions) * bytes);
#pragma unroll 1
            for (int k = 0; k < versions; k++) {
                ((char **)part)[k] = store->version[k];
                store->version[k] = of_version(part, k, room);
            }
        }
        crew.sync();
        return part;
    }
    /* What `bring` has returned, of the same view. */
    __device__ void take_back(const Hp5View *view, const char *part, bool newest, bool changed) const {
        if (part == NULL) return;
        Hp5Store *const store = view->store;
        const int64_t bytes = hp5_near_bytes(store);
        const int versions = store->versions;
        const char *const near = store->version[0], *const older = store->version[versions - 1];
        char *const *const home = (char *const *)part;
        crew.sync();
        if (crew.rank() == 0)
#pragma unroll 1
            for (int k = 0; k < versions; k++) store->version[k] = home[k];
        if (changed) hp5_copy_near(crew, home[0], NULL, near, bytes);
        if (changed && versions > 1 && !newest) hp5_copy_near(crew, home[1], NULL, older, bytes);
        crew.sync();
    }

private:
    /* Behind the addresses of its versions at home. */
    static __device__ char *of_version(char *part, int k, int64_t room) { return part + HP5_NEAR_UNIT + k * ((room - HP5_NEAR_UNIT) / HP5_NEAR_VERSIONS); }
};
#endif
