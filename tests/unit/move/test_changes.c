/* Changes of boxes: elements of all sizes, that lie side by side or apart, against what a look at each element says. */
#include "runtime/move/changes.h"
#include "tests/unit/unit.h"
#include <stdlib.h>
#include <string.h>

enum { ROWS = 5, COLUMNS = 7, MOST = ROWS * COLUMNS };

typedef struct Case {
    size_t size;
    int versions;
    bool by_columns;
} Case;

/* Two processes' stores of rows -1 … 3 and columns 2 … 8, and what both had before of rows 0 … 3, columns 3 … 7. */
typedef struct Pair {
    Hp5Element element;
    Hp5Store mine, others;
    Hp5Watch watch;
    unsigned char memory[3][2 * MOST * 8];
} Pair;

static void shape(Hp5Store *store, Case made, const Hp5Element *element, const int64_t *lo, const int64_t *extent, unsigned char *memory) {
    hp5_store_shape(store, 2, lo, extent, made.versions, element, (Hp5Layout){0});
    store->array_lo = lo;
    store->array_extent = extent;
    if (made.by_columns) store->stride[0] = 1, store->stride[1] = extent[0];
    for (int k = 0; k < made.versions; k++) store->version[k] = (char *)memory + (size_t)(k * MOST) * made.size;
}

static unsigned char *element_of(const Hp5Store *store, int version, int64_t i, int64_t j) {
    const int64_t index[] = {i, j};
    return (unsigned char *)store->version[version] + hp5_store_offset(store, index) * (int64_t)store->element_size;
}

static void begin(Pair *pair, Case made) {
    static const int64_t lo[] = {-1, 2}, extent[] = {ROWS, COLUMNS}, box_lo[] = {0, 3}, box_extent[] = {4, 5};
    pair->element = (Hp5Element){.size = made.size};
    shape(&pair->mine, made, &pair->element, lo, extent, pair->memory[0]);
    shape(&pair->others, made, &pair->element, lo, extent, pair->memory[1]);
    shape(&pair->watch.before, (Case){made.size, made.versions, false}, &pair->element, box_lo, box_extent, pair->memory[2]);
    pair->watch.box = (Hp5Box){{0, 3}, {4, 8}};
    for (size_t b = 0; b < sizeof pair->memory[0]; b++) pair->memory[0][b] = pair->memory[1][b] = (unsigned char)(3 * b + 1);
    for (int k = 0; k < made.versions; k++)
        for (int64_t i = 0; i < 4; i++)
            for (int64_t j = 3; j < 8; j++) memcpy(element_of(&pair->watch.before, k, i, j), element_of(&pair->mine, k, i, j), made.size);
}

/* One byte of an element is another one: the last, in which single bits of numbers show. */
static void change(const Hp5Store *store, int64_t i, int64_t j, unsigned char by) { element_of(store, 0, i, j)[store->element_size - 1] ^= by; }

static int64_t place_of(int64_t i, int64_t j) { return (i + 1) * COLUMNS + j - 2; }

static int64_t found_in(Pair *pair) {
    hp5_changes_find(&pair->watch, &pair->mine);
    return pair->watch.elements;
}

/* Whether the block of the message is that. */
static bool is_block(const char *message, int at, int64_t place, uint64_t marks) {
    Hp5Block block;
    memcpy(&block, message + (size_t)at * sizeof block, sizeof block);
    return block.place == place && block.marks == marks;
}

static void test_case(Case made) {
    Pair pair = {0};
    _Alignas(16) char message[3 * sizeof(Hp5Block) + 2 * MOST * 8];
    begin(&pair, made);
    CU_ASSERT_EQUAL(found_in(&pair), 0);
    change(&pair.mine, -1, 4, 1); /* not in the box */
    change(&pair.mine, 0, 2, 1);
    change(&pair.mine, 0, 3, 1);
    change(&pair.mine, 1, 5, 128);
    change(&pair.mine, 1, 6, 2);
    change(&pair.mine, 3, 7, 4);
    CU_ASSERT_EQUAL(found_in(&pair), 4);
    CU_ASSERT_EQUAL(pair.watch.count, 3);
    const int64_t bytes = hp5_changes_bytes(&pair.mine, 3, 4);
    CU_ASSERT_EQUAL(bytes, (int64_t)(3 * sizeof(Hp5Block) + 4 * made.size * (size_t)made.versions));
    message[bytes] = 77;
    hp5_changes_pack(&pair.watch, &pair.mine, message);
    CU_ASSERT(is_block(message, 0, place_of(0, 3), 1) && is_block(message, 1, place_of(1, 3), 4 | 8) && is_block(message, 2, place_of(3, 3), 16));
    CU_ASSERT_EQUAL(message[bytes], 77);
    change(&pair.others, 1, 6, 8); /* its own change stays */
    change(&pair.others, 2, 3, 8);
    hp5_changes_take(&pair.watch, &pair.others, &pair.element, 3, message);
    for (int64_t i = -1; i < ROWS - 1; i++)
        for (int64_t j = 2; j < 2 + COLUMNS; j++) {
            const bool taken = (i == 0 && j == 3) || (i == 1 && j == 5) || (i == 3 && j == 7);
            unsigned char before[8];
            memcpy(before, element_of(&pair.others, 0, i, j), made.size);
            const bool own = (i == 1 && j == 6) || (i == 2 && j == 3);
            Pair fresh = {0};
            begin(&fresh, made);
            if (own) change(&fresh.others, i, j, 8);
            CU_ASSERT(memcmp(before, element_of(taken ? &pair.mine : &fresh.others, 0, i, j), made.size) == 0);
        }
    hp5_changes_free(&pair.watch);
}

static void test_sizes(void) {
    static const size_t sizes[] = {1, 2, 3, 4, 8};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
        for (int versions = 1; versions <= 2; versions++)
            for (int by_columns = 0; by_columns < 2; by_columns++) test_case((Case){sizes[s], versions, by_columns != 0});
}

/* Others' boxes may begin elsewhere: their blocks have elements in front of this one's rows, behind them, and rows that it does not have. */
static void test_places(void) {
    Pair pair = {0};
    begin(&pair, (Case){8, 1, false});
    memcpy(element_of(&pair.mine, 0, 2, 8), element_of(&pair.mine, 0, 3, 3), 8); /* as what lies behind the box's row has it */
    memcpy(element_of(&pair.others, 0, 2, 8), element_of(&pair.mine, 0, 2, 8), 8);
    struct {
        Hp5Block blocks[4];
        int64_t values[8];
    } message = {{{place_of(-1, 4), 1 | 2}, {place_of(0, 2), 1 | 1 << 6}, {place_of(2, 2), 1 << 1 | 1 << 2 | 1 << 6}, {place_of(3, 3), 1}}, {100, 101, 102, 103, 104, 105, 106, 107}};
    hp5_changes_take(&pair.watch, &pair.others, &pair.element, 4, (char *)&message);
    int changed = 0;
    for (int64_t i = -1; i < ROWS - 1; i++)
        for (int64_t j = 2; j < 2 + COLUMNS; j++) changed += memcmp(element_of(&pair.others, 0, i, j), element_of(&pair.mine, 0, i, j), 8) != 0;
    CU_ASSERT_EQUAL(changed, 3);
    CU_ASSERT(memcmp(element_of(&pair.others, 0, 2, 3), &message.values[4], 8) == 0);
    CU_ASSERT(memcmp(element_of(&pair.others, 0, 2, 4), &message.values[5], 8) == 0);
    CU_ASSERT(memcmp(element_of(&pair.others, 0, 3, 3), &message.values[7], 8) == 0);
}

/* Rows of more than one block, of which the last is not full. */
static void test_long_rows(void) {
    enum { LONG = 150 };
    static const int64_t zero[] = {0}, extent[] = {LONG};
    static int64_t before[LONG], mine[LONG], others[LONG];
    const Hp5Element element = {.size = 8};
    Hp5Store stores[2];
    Hp5Watch watch = {.box = {{0}, {LONG}}};
    hp5_store_shape(&watch.before, 1, zero, extent, 1, &element, (Hp5Layout){0});
    watch.before.version[0] = (char *)before;
    for (int s = 0; s < 2; s++) {
        hp5_store_shape(&stores[s], 1, zero, extent, 1, &element, (Hp5Layout){0});
        stores[s].array_lo = zero;
        stores[s].array_extent = extent;
        stores[s].version[0] = (char *)(s == 0 ? mine : others);
    }
    mine[0] = 1, mine[63] = 2, mine[128] = 3, mine[149] = 4;
    hp5_changes_find(&watch, &stores[0]);
    CU_ASSERT(watch.count == 2 && watch.elements == 4);
    CU_ASSERT(watch.blocks[0].place == 0 && watch.blocks[0].marks == (1ULL | 1ULL << 63));
    CU_ASSERT(watch.blocks[1].place == 128 && watch.blocks[1].marks == (1ULL | 1ULL << 21));
    _Alignas(16) char message[2 * sizeof(Hp5Block) + 4 * 8];
    hp5_changes_pack(&watch, &stores[0], message);
    hp5_changes_take(&watch, &stores[1], &element, 2, message);
    CU_ASSERT(memcmp(mine, others, sizeof mine) == 0);
    hp5_changes_free(&watch);
}

UNIT_MAIN("changes", {"sizes", test_sizes}, {"places", test_places}, {"long rows", test_long_rows})
