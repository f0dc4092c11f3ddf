/* Copies to shared memory in the background, for the simulator: they happen when the thread that began them waits for them, and not before. */
#ifndef HP5_SIM_PIPELINE_H
#define HP5_SIM_PIPELINE_H
#include "cuda_runtime.h"
#include <deque>
#include <vector>

namespace hp5_sim {
struct Copy {
    void *to;
    const void *from;
    size_t bytes;
};
struct Copies {
    std::vector<Copy> open;
    std::deque<std::vector<Copy>> begun;
};
inline Copies *copies() {
    if (now->copies == NULL) now->copies = new Copies;
    return now->copies;
}
} // namespace hp5_sim

static inline void __pipeline_memcpy_async(void *to, const void *from, size_t bytes) {
    const bool size = bytes == 4 || bytes == 8 || bytes == 16;
    if (!size || (uintptr_t)to % bytes != 0 || (uintptr_t)from % bytes != 0) hp5_sim::wrong("a copy in the background of a size or place that it cannot have");
    hp5_sim::copies()->open.push_back({to, from, bytes});
}
static inline void __pipeline_commit() {
    hp5_sim::Copies *all = hp5_sim::copies();
    all->begun.push_back(std::move(all->open));
    all->open.clear();
}
static inline void __pipeline_wait_prior(size_t left) {
    hp5_sim::Copies *all = hp5_sim::copies();
    for (; all->begun.size() > left; all->begun.pop_front())
        for (const hp5_sim::Copy &copy : all->begun.front()) memcpy(copy.to, copy.from, copy.bytes);
    if (left > 0 || !all->open.empty()) return;
    delete all;
    hp5_sim::now->copies = NULL;
}
#endif
