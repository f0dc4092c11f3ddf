/* The LPUs of a grid that a worker runs: those of its PPU. A worker (of runtime/run/run.h, or of runtime/card/code.h) is defined before,
 * and says for each LPS which of its parent's PPUs it is in (position; positions: in none) and how many there are (positions). */
#ifndef HP5_RUNTIME_OWN_H
#define HP5_RUNTIME_OWN_H
#include "runtime/lpu/geometry.h"

/* The number of the sub-part that is `position`-th where dimensions that descend are walked downwards. */
static inline int64_t hp5_walked(const Hp5Grid *grid, int dims, const bool *descends, int64_t position) {
    int64_t number = 0, weight = 1;
    for (int d = dims - 1; d >= 0; d--) {
        const int64_t coordinate = position % grid->extent[d];
        number += (descends[d] ? grid->extent[d] - 1 - coordinate : coordinate) * weight;
        weight *= grid->extent[d];
        position /= grid->extent[d];
    }
    return number;
}

/* The worker's LPUs of a grid: first … end (end excluded). */
static inline Hp5Lpu *hp5_first(const Hp5Worker *w, const Hp5Grid *grid) {
    int64_t n = w->positions[grid->lps], p = w->position[grid->lps], each = grid->count / n, more = grid->count % n;
    return grid->lpus + (p * each + (p < more ? p : more) - grid->first);
}
static inline Hp5Lpu *hp5_end(const Hp5Worker *w, const Hp5Grid *grid) {
    int64_t n = w->positions[grid->lps], p = w->position[grid->lps] + (w->position[grid->lps] < n), each = grid->count / n, more = grid->count % n;
    return grid->lpus + (p * each + (p < more ? p : more) - grid->first);
}
/* The same where a function or their padding may have placed the LPUs (Hp5PlaceDesc): hp5_share_next gives them one by one, then NULL. */
typedef struct Hp5Share {
    Hp5Lpu *lpus;
    const int32_t *order;
    int64_t at, end;
} Hp5Share;
static inline Hp5Share hp5_share(const Hp5Worker *w, const Hp5Grid *grid) {
    if (grid->placed != NULL) {
        const int64_t *start = grid->placed->starts + w->position[grid->lps];
        return (Hp5Share){grid->lpus, grid->placed->order, start[0], start[1]};
    }
    return (Hp5Share){grid->lpus, NULL, hp5_first(w, grid) - grid->lpus, hp5_end(w, grid) - grid->lpus};
}
/* The one that it gives next, or NULL. */
static inline Hp5Lpu *hp5_share_ahead(const Hp5Share *share) {
    if (share->at >= share->end) return NULL;
    return share->lpus + (share->order ? share->order[share->at] : share->at);
}
static inline Hp5Lpu *hp5_share_next(Hp5Share *share) {
    Hp5Lpu *const next = hp5_share_ahead(share);
    share->at += next != NULL;
    return next;
}
#endif
