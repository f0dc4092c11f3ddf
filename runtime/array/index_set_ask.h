/* Questions about one set: the functions of index_set.h that index_set.c has for processors and the text for cards for these
 * (runtime/card/code.h). HP5_ASK: what stands before each; HP5_ASK_LONG: before those that nobody asks in loops. */
#ifndef HP5_RUNTIME_INDEX_SET_ASK_H
#define HP5_RUNTIME_INDEX_SET_ASK_H
#include "runtime/array/index_set.h"

#ifndef HP5_ASK_LONG
#define HP5_ASK_LONG HP5_ASK
#define HP5_ASK_ROLLED
#endif

static inline int64_t hp5_set_smaller(int64_t a, int64_t b) { return a < b ? a : b; }
static inline int64_t hp5_set_larger(int64_t a, int64_t b) { return a > b ? a : b; }

HP5_ASK_LONG int64_t hp5_set_count(const Hp5Set *set) {
    if (set->runs) {
        int64_t count = 0;
        HP5_ASK_ROLLED
        for (int64_t k = 0; k < set->run_count; k++) count += set->runs[k].end - set->runs[k].begin;
        return count;
    }
    int64_t length = set->end - set->begin;
    if (length <= 0 || set->block == set->stride) return hp5_set_larger(length, 0);
    return length / set->stride * set->block + hp5_set_smaller(length % set->stride, set->block);
}

HP5_ASK int64_t hp5_set_run_count(const Hp5Set *set) {
    if (set->runs) return set->run_count;
    if (set->begin >= set->end) return 0;
    return (set->end - set->begin - 1) / set->stride + 1;
}

HP5_ASK Hp5Run hp5_set_run(const Hp5Set *set, int64_t k) {
    if (set->runs) return set->runs[k];
    int64_t begin = set->begin + k * set->stride;
    return (Hp5Run){begin, hp5_set_smaller(begin + set->block, set->end)};
}

/* The first run of a list that ends behind `index`, which lies between its ends. Runs are looked for where they would be if all were alike, as those of one process
 * often are, and from there on in larger and larger steps. */
HP5_ASK_LONG int64_t hp5_set_find_in_list(const Hp5Set *set, int64_t index) {
    const Hp5Run *runs = set->runs;
    int64_t low = 0, high = set->run_count, step = 1;
    int64_t guess = (int64_t)((double)(index - set->begin) / (double)(set->end - set->begin) * (double)high);
    if (guess >= high) guess = high - 1; /* rounded */
    if (runs[guess].end > index) {
        for (high = guess; high >= step && runs[high - step].end > index; step *= 2) high -= step;
        low = high > step ? high - step : 0;
    } else {
        for (low = guess + 1; high - low > step && runs[low + step - 1].end <= index; step *= 2) low += step;
        if (high - low > step) high = low + step;
    }
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (runs[middle].end > index) high = middle;
        else low = middle + 1;
    }
    return low;
}

HP5_ASK int64_t hp5_set_find_run(const Hp5Set *set, int64_t index) {
    if (index < set->begin) return 0;
    if (index >= set->end) return hp5_set_run_count(set);
    if (set->runs == NULL) {
        int64_t k = (index - set->begin) / set->stride;
        return index - set->begin - k * set->stride < set->block ? k : k + 1;
    }
    return hp5_set_find_in_list(set, index);
}

HP5_ASK bool hp5_set_contains(const Hp5Set *set, int64_t index) {
    if (index < set->begin || index >= set->end) return false;
    if (set->runs) return set->runs[hp5_set_find_run(set, index)].begin <= index;
    return (index - set->begin) % set->stride < set->block;
}

HP5_ASK int64_t hp5_set_at(const Hp5Set *set, int64_t n) {
    if (set->runs == NULL) {
        if (set->block == set->stride) return set->begin + n;
        return set->begin + n / set->block * set->stride + n % set->block;
    }
    int64_t k = 0;
    for (; n >= set->runs[k].end - set->runs[k].begin; k++) n -= set->runs[k].end - set->runs[k].begin;
    return set->runs[k].begin + n;
}

HP5_ASK int64_t hp5_set_rank(const Hp5Set *set, int64_t index) {
    if (index <= set->begin) return 0;
    if (index >= set->end) return hp5_set_count(set);
    if (set->runs == NULL) {
        int64_t from = index - set->begin;
        return set->block == set->stride ? from : from / set->stride * set->block + hp5_set_smaller(from % set->stride, set->block);
    }
    int64_t below = hp5_set_find_run(set, index), rank = 0;
    for (int64_t k = 0; k < below; k++) rank += set->runs[k].end - set->runs[k].begin;
    return rank + (below < set->run_count ? hp5_set_larger(index - set->runs[below].begin, 0) : 0);
}
#endif
