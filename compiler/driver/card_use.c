/* Reading what ptxas says of kernels, and the limits of multiprocessors.
 *
 * How to read it: ptxas writes a line for each kernel and kind of cards, then lines of what it takes, of its own and of functions that it calls:
 *
 *     ptxas info    : Compiling entry function 'Smooth_kernel' for 'sm_80'
 *     ptxas info    : Function properties for Smooth_kernel
 *         320 bytes stack frame, 480 bytes spill stores, 544 bytes spill loads
 *     ptxas info    : Used 32 registers, used 1 barriers, 1024 bytes smem, 360 bytes cmem[0]
 *
 * Only numbers before known words are read, so words around them may change. */
#include "compiler/driver/card_use.h"
#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

/* ---- What is said ---------------------------------------------------------------------------------------------------- */

/* The number before `words`; -1: they are not there, or no number stands before them. */
static int number_before(const char *line, const char *words) {
    const char *at = strstr(line, words);
    if (at == NULL) return -1;
    const char *digits = at;
    while (digits > line && isdigit((unsigned char)digits[-1])) digits--;
    if (digits == at || at - digits > 9) return -1;
    return atoi(digits);
}

/* What stands in quotes behind *at, which moves behind it; NULL: nothing. */
static const char *quoted(Arena *arena, const char **at) {
    const char *open = strchr(*at, '\''), *close = open == NULL ? NULL : strchr(open + 1, '\'');
    if (close == NULL) return NULL;
    *at = close + 1;
    return arena_copy(arena, open + 1, (size_t)(close - open - 1));
}

static void read_begin(Arena *arena, const char *line, KernelUseVec *uses) {
    const char *kernel = quoted(arena, &line), *card = kernel == NULL ? NULL : quoted(arena, &line);
    if (card != NULL) vec_push(arena, uses, ((KernelUse){.kernel = kernel, .card = card, .registers = -1}));
}

static void read_numbers(const char *line, KernelUse *use) {
    const int registers = number_before(line, " registers"), shared = number_before(line, " bytes smem");
    const int stack = number_before(line, " bytes stack frame"), whole = number_before(line, " bytes cumulative stack size");
    const int stores = number_before(line, " bytes spill stores"), loads = number_before(line, " bytes spill loads");
    if (registers > use->registers) use->registers = registers;
    if (registers >= 0 && shared > 0) use->shared = shared;
    if (stack > use->stack) use->stack = stack;
    if (whole > use->stack) use->stack = whole;
    if (stores > 0) use->spill_stores += stores;
    if (loads > 0) use->spill_loads += loads;
}

KernelUseVec card_use_read(Arena *arena, const char *said) {
    KernelUseVec uses = {0};
    for (const char *start = said; *start != '\0';) {
        const size_t length = strcspn(start, "\n");
        const char *line = arena_copy(arena, start, length);
        const char *begin = strstr(line, "Compiling entry function");
        if (begin != NULL) read_begin(arena, begin, &uses);
        else if (uses.count > 0) read_numbers(line, &uses.items[uses.count - 1]);
        start += length + (start[length] != '\0');
    }
    return uses;
}

/* ---- Multiprocessors ------------------------------------------------------------------------------------------------- */

/* The CUDA C++ Programming Guide, "Technical Specifications per Compute Capability". Of all of these: 65,536 registers in four
 * parts, which warps get in pieces of 256; 32 warps in a block. */
typedef struct CardLimits {
    int number; /* 80: sm_80 */
    int warps, blocks, shared;
    int reserved, piece; /* shared memory: the system's in each block, and what it comes in */
} CardLimits;
static const CardLimits limits[] = {
    {75, 32, 16, 64 << 10, 0, 256},      {80, 64, 32, 164 << 10, 1024, 128},  {86, 48, 16, 100 << 10, 1024, 128},
    {87, 48, 16, 164 << 10, 1024, 128},  {89, 48, 24, 100 << 10, 1024, 128},  {90, 64, 32, 228 << 10, 1024, 128},
    {100, 64, 32, 228 << 10, 1024, 128}, {103, 64, 32, 228 << 10, 1024, 128}, {110, 48, 24, 228 << 10, 1024, 128},
    {120, 48, 24, 100 << 10, 1024, 128}, {121, 48, 24, 100 << 10, 1024, 128}};
enum { REGISTERS = 65536, REGISTER_PIECE = 256, PARTS = 4, WARP_THREADS = 32, BLOCK_WARPS = 32 };

/* "sm_90" and, with features of its own, "sm_90a". */
static const CardLimits *limits_of(const char *card) {
    if (strncmp(card, "sm_", 3) != 0) return NULL;
    const int number = atoi(card + 3);
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
        if (limits[i].number == number) return &limits[i];
    return NULL;
}

static int rounded_up(int value, int piece) { return (value + piece - 1) / piece * piece; }

/* Warps that the registers of a multiprocessor are enough for. */
static int warps_of_registers(const KernelUse *use) {
    const int each = rounded_up(use->registers * WARP_THREADS, REGISTER_PIECE);
    return each == 0 ? INT_MAX : REGISTERS / PARTS / each * PARTS;
}

static int least(int a, int b) { return a < b ? a : b; }

/* Blocks of so many warps that run at once. */
static int blocks_at_once(const CardLimits *card, const KernelUse *use, int warps) {
    const int shared = rounded_up(use->shared + card->reserved, card->piece);
    const int most = least(card->blocks, least(card->warps, warps_of_registers(use)) / warps);
    return shared == 0 ? most : least(most, card->shared / shared);
}

bool card_use_fill(const KernelUse *use, CardFill *fill) {
    const CardLimits *card = limits_of(use->card);
    if (card == NULL || use->registers < 0) return false;
    const int by_registers = warps_of_registers(use);
    *fill = (CardFill){.block_warps = least(BLOCK_WARPS, by_registers), .card_warps = card->warps, .by_registers = by_registers < BLOCK_WARPS};
    if (fill->block_warps == 0) return false;
    fill->blocks = blocks_at_once(card, use, fill->block_warps);
    for (int warps = 1; warps <= fill->block_warps; warps++) {
        const int all = blocks_at_once(card, use, warps) * warps;
        if (all > fill->most_warps) fill->most_warps = all;
    }
    return fill->blocks > 0;
}
