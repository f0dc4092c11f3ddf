/* What products of matrices take of each process, for --report=comm: how much it multiplies, and how many different elements of the three
 * arrays that needs, wherever they come from. Parts of one Space are the same or have nothing in common. */
#define _GNU_SOURCE /* qsort_r */
#include "runtime/comm/accounts.h"
#include "runtime/run/private.h"
#include "runtime/run/session.h"
#include <stdlib.h>

/* What LPUs have of an array, without those that have the same. */
typedef struct Parts {
    int rank;
    int64_t count, *words; /* [count] of rank hulls and counts of indices */
} Parts;

typedef struct Counting {
    Hp5TaskRun *run;
    const Hp5ProductDesc *product;
    Parts parts[3];
    double work;
} Counting;

static Hp5Account *account_of(const Hp5TaskDesc *desc, const Hp5ProductDesc *product) {
    return hp5_account_open(product, 0, desc->name, desc->source, product->line, product->what);
}

void hp5_products_open(const Hp5TaskRun *run) {
    for (int p = 0; p < run->desc->product_count; p++) account_of(run->desc, &run->desc->products[p]);
}

static const Hp5View *view_of(const Hp5TaskDesc *desc, const Hp5Lpu *lpu, int array) {
    int slot;
    while ((slot = hp5_slot_of(desc, lpu->grid == NULL ? 0 : lpu->grid->lps, array)) < 0) lpu = lpu->parent;
    return &lpu->views[slot];
}

static int64_t indices(const Hp5View *view, int dimension) { return hp5_set_count(&view->part[dimension]); }

static int words_of(const Parts *parts) { return 3 * parts->rank; }

static void note(Parts *parts, const Hp5View *view) {
    int64_t *word = parts->words + parts->count++ * words_of(parts);
    for (int d = 0; d < parts->rank; d++) {
        *word++ = view->own[d].begin;
        *word++ = view->own[d].end;
        *word++ = indices(view, d);
    }
}

static void count_lpus(Hp5Lpu *lpu, void *data) {
    (void)lpu;
    ++*(int64_t *)data;
}

static void count_lpu(Hp5Lpu *lpu, void *data) {
    Counting *counting = data;
    const Hp5ProductDesc *product = counting->product;
    const Hp5TaskDesc *desc = counting->run->desc;
    if (!hp5_is_first(counting->run, lpu)) return; /* its leader does the work */
    const Hp5View *sum = view_of(desc, lpu, product->arrays[0]), *left = view_of(desc, lpu, product->arrays[1]);
    counting->work += (double)indices(sum, product->row) * (double)indices(sum, product->column) * (double)indices(left, product->depth);
    for (int a = 0; a < 3; a++) note(&counting->parts[a], view_of(desc, lpu, product->arrays[a]));
}

static int in_order(const void *a, const void *b, void *words) {
    const int64_t *x = a, *y = b;
    for (int i = 0; i < *(const int *)words; i++)
        if (x[i] != y[i]) return x[i] < y[i] ? -1 : 1;
    return 0;
}

static int64_t different_elements(Parts *parts) {
    int words = words_of(parts);
    int64_t elements = 0;
    if (parts->count > 1) qsort_r(parts->words, (size_t)parts->count, sizeof(int64_t) * (size_t)words, in_order, &words);
    for (int64_t i = 0; i < parts->count; i++) {
        const int64_t *word = parts->words + i * words;
        int64_t product = 1;
        for (int d = 0; d < parts->rank; d++) product *= word[3 * d + 2];
        if (i == 0 || in_order(word - words, word, &words) != 0) elements += product;
    }
    return elements;
}

static void count_product(Hp5TaskRun *run, const Hp5ProductDesc *product) {
    Hp5Account *account = account_of(run->desc, product);
    Counting counting = {.run = run, .product = product};
    int64_t lpus = 0, bytes = 0;
    hp5_each_lpu(run, product->lps, count_lpus, &lpus);
    for (int a = 0; a < 3; a++) {
        counting.parts[a].rank = run->desc->arrays[product->arrays[a]].rank;
        counting.parts[a].words = hp5_alloc((int64_t)sizeof(int64_t) * words_of(&counting.parts[a]) * (lpus + 1), "the report of communication");
    }
    hp5_each_lpu(run, product->lps, count_lpu, &counting);
    for (int a = 0; a < 3; a++) {
        int64_t elements = different_elements(&counting.parts[a]);
        bytes += elements * (int64_t)run->desc->arrays[product->arrays[a]].element->size;
        if (a == 0) account->kept = elements;
        hp5_free(counting.parts[a].words);
    }
    account->worked_on = bytes;
    account->work = account->work + counting.work;
    account->element = (int64_t)run->desc->arrays[product->arrays[0]].element->size;
    account->times = account->times + 1;
}

void hp5_products_count(Hp5TaskRun *run) {
    for (int p = 0; p < run->desc->product_count && hp5_accounts_are_wanted() && run->hidden->threads > 0; p++) count_product(run, &run->desc->products[p]);
}
