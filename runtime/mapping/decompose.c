/* Factorisations of a number of PPUs over dimensions.
 *
 * hp5_decompose: the cost of a factorisation is a sum with one term for each dimension, so the best way to spread a
 * divisor r of d over the dimensions m … k-1 is found from the best ways for m+1 … k-1: for each divisor f of r, the
 * cost of f in dimension m and the best cost of r/f below. That visits all factorisations without listing
 * them: a few ten thousand additions for a million PPUs in six dimensions.
 *
 * Costs are whole numbers: all terms are multiplied by d * l_1 * … * l_k. With the limits of space.h they have
 * at most 40*8 + 40 + 31 + 31 + 4 bits and fit a Wide. */
#include "runtime/mapping/space.h"
#include <stdlib.h>
#include <string.h>

enum { LIMBS = 7, MOST_DIVISORS = 1536, MOST_PRIMES = 32 };
typedef struct Wide {
    uint64_t limb[LIMBS]; /* least first */
} Wide;

static void wide_add(Wide *a, const Wide *b) {
    unsigned __int128 carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (unsigned __int128)a->limb[i] + b->limb[i];
        a->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

static void wide_multiply(Wide *a, int64_t by) {
    unsigned __int128 carry = 0;
    for (int i = 0; i < LIMBS; i++) {
        carry += (unsigned __int128)a->limb[i] * (uint64_t)by;
        a->limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
}

static int wide_compare(const Wide *a, const Wide *b) {
    for (int i = LIMBS - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i]) return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

static int divisors_of(int64_t d, int64_t *divisors) {
    int count = 0, small;
    for (int64_t f = 1; f * f <= d; f++)
        if (d % f == 0) divisors[count++] = f;
    small = count;
    for (int i = small - 1; i >= 0; i--)
        if (divisors[i] * divisors[i] != d) divisors[count++] = d / divisors[i];
    return count;
}

static int place_of(const int64_t *divisors, int count, int64_t divisor) {
    int low = 0, high = count - 1;
    while (low < high) {
        int middle = (low + high) / 2;
        if (divisors[middle] < divisor) low = middle + 1;
        else high = middle;
    }
    return low;
}

typedef struct Search {
    int64_t d, l[HP5_DECOMPOSE_DIMS], h[HP5_DECOMPOSE_DIMS];
    uint32_t transpose;
    int k, count;
    int64_t divisors[MOST_DIVISORS];
    int choice[HP5_DECOMPOSE_DIMS][MOST_DIVISORS]; /* [m][r]: the factor of dimension m where r is left for m … k-1 */
} Search;

/* The cost of factor f in dimension m. */
static Wide cost_of(const Search *search, int m, int64_t f) {
    Wide halo = {{1}}, volume = {{1}};
    for (int j = 0; j < search->k; j++) {
        if (j != m) wide_multiply(&halo, search->l[j]);
        wide_multiply(&volume, search->l[j]);
    }
    wide_multiply(&halo, search->h[m]);
    wide_multiply(&halo, f);
    wide_multiply(&halo, search->d);
    if (search->transpose >> m & 1) {
        wide_multiply(&volume, search->d - search->d / f);
        wide_add(&halo, &volume);
    }
    return halo;
}

static void choose(Search *search, int m, const Wide *costs, const Wide *below, Wide *best) {
    for (int r = 0; r < search->count; r++) {
        search->choice[m][r] = -1;
        for (int f = r; f >= 0; f--) { /* from the largest: among equals the first one found stays */
            if (search->divisors[r] % search->divisors[f] != 0) continue;
            Wide sum = costs[f];
            wide_add(&sum, &below[place_of(search->divisors, search->count, search->divisors[r] / search->divisors[f])]);
            if (search->choice[m][r] >= 0 && wide_compare(&sum, &best[r]) >= 0) continue;
            best[r] = sum;
            search->choice[m][r] = f;
        }
    }
}

bool hp5_decompose(int64_t d, int k, const int64_t *l, const int64_t *h, uint32_t transpose, int64_t *result) {
    Search *search = malloc(sizeof *search);
    Wide *costs = calloc(3 * MOST_DIVISORS, sizeof *costs), *below = costs + MOST_DIVISORS, *best = below + MOST_DIVISORS;
    bool works = search != NULL && costs != NULL;
    if (works) {
        search->d = d;
        search->k = k;
        search->transpose = transpose;
        for (int m = 0; m < k; m++) {
            search->l[m] = l[m] < 1 ? 1 : l[m];
            search->h[m] = h == NULL ? 1 : h[m];
        }
        search->count = divisors_of(d, search->divisors);
        for (int m = k - 1; m >= 0; m--) {
            for (int f = 0; f < search->count; f++) costs[f] = cost_of(search, m, search->divisors[f]);
            if (m == k - 1) { /* the last dimension takes all that is left */
                memcpy(best, costs, sizeof *costs * (size_t)search->count);
                for (int r = 0; r < search->count; r++) search->choice[m][r] = r;
            } else {
                choose(search, m, costs, below, best);
            }
            Wide *other = below;
            below = best;
            best = other;
        }
        int64_t left = d;
        for (int m = 0; m < k; m++) {
            result[m] = search->divisors[search->choice[m][place_of(search->divisors, search->count, left)]];
            left /= result[m];
        }
    }
    free(search);
    free(costs);
    return works;
}

/* ---- Greedy rules ---------------------------------------------------------------------------------- */
/* Prime factors, ascending. */
static int primes_of(int64_t d, int64_t *primes) {
    int count = 0;
    for (int64_t p = 2; p * p <= d; p++)
        for (; d % p == 0; d /= p) primes[count++] = p;
    if (d > 1) primes[count++] = d;
    return count;
}

/* Each prime goes to the dimension with the smallest product so far; then the largest come first. */
static void spread(const int64_t *primes, int count, bool descending, int k, int64_t *result) {
    for (int m = 0; m < k; m++) result[m] = 1;
    for (int i = 0; i < count; i++) {
        int smallest = 0;
        for (int m = 1; m < k; m++)
            if (result[m] < result[smallest]) smallest = m;
        result[smallest] *= primes[descending ? count - 1 - i : i];
    }
    for (int m = 1; m < k; m++)
        for (int j = m; j > 0 && result[j - 1] < result[j]; j--) {
            int64_t swap = result[j];
            result[j] = result[j - 1];
            result[j - 1] = swap;
        }
}

void hp5_greedy(int64_t d, int k, int64_t *result) {
    int64_t primes[MOST_PRIMES];
    spread(primes, primes_of(d, primes), false, k, result);
}

void hp5_dims_create(int64_t d, int k, int64_t *result) {
    int64_t primes[MOST_PRIMES];
    spread(primes, primes_of(d, primes), true, k, result);
}
