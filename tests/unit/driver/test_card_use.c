/* What ptxas says of kernels, as recorded; how blocks fill multiprocessors. */
#include "compiler/driver/card_use.h"
#include <string.h>
#include "tests/unit/unit.h"

/* CUDA 13.0, -Xptxas -v, for two kinds of cards; a function that is called has spills of its own. */
static const char *const two_cards =
    "ptxas info    : 8 bytes gmem\n"
    "ptxas info    : Compiling entry function 'Smooth_kernel' for 'sm_80'\n"
    "ptxas info    : Function properties for Smooth_kernel\n"
    "    320 bytes stack frame, 480 bytes spill stores, 544 bytes spill loads\n"
    "ptxas info    : Used 32 registers, used 1 barriers, 336 bytes cumulative stack size, 1024 bytes smem, 360 bytes cmem[0]\n"
    "ptxas info    : Compile time = 88.879 ms\n"
    "ptxas info    : Function properties for _Z1fPfi\n"
    "    16 bytes stack frame, 8 bytes spill stores, 12 bytes spill loads\n"
    "ptxas info    : Compiling entry function 'Smooth_kernel' for 'sm_90a'\n"
    "ptxas info    : Function properties for Smooth_kernel\n"
    "    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads\n"
    "ptxas info    : Used 212 registers, used 1 barriers\n";

/* CUDA 11: other words around the numbers, CRLF, no line end. */
static const char *const older = "ptxas info    : Compiling entry function 'k' for 'sm_75'\r\n"
                                 "ptxas info    : Used 40 registers, 33792 bytes smem, 360 bytes cmem[0], 8 bytes cmem[2]";

static void test_two_cards(void) {
    Arena *arena = arena_new();
    const KernelUseVec uses = card_use_read(arena, two_cards);
    CU_ASSERT_EQUAL_FATAL(uses.count, 2);
    const KernelUse *a = &uses.items[0], *b = &uses.items[1];
    CU_ASSERT_STRING_EQUAL(a->kernel, "Smooth_kernel");
    CU_ASSERT_STRING_EQUAL(a->card, "sm_80");
    CU_ASSERT(a->registers == 32 && a->shared == 1024 && a->stack == 336 && a->spill_stores == 488 && a->spill_loads == 556);
    CU_ASSERT_STRING_EQUAL(b->card, "sm_90a");
    CU_ASSERT(b->registers == 212 && b->shared == 0 && b->stack == 0 && b->spill_stores == 0 && b->spill_loads == 0);
    arena_free(arena);
}

static void test_other_words(void) {
    Arena *arena = arena_new();
    const KernelUseVec uses = card_use_read(arena, older);
    CU_ASSERT_EQUAL_FATAL(uses.count, 1);
    CU_ASSERT_STRING_EQUAL(uses.items[0].card, "sm_75");
    CU_ASSERT(uses.items[0].registers == 40 && uses.items[0].shared == 33792);
    arena_free(arena);
}

/* Nothing is made up where the text is another one. */
static void test_nothing(void) {
    static const char *const texts[] = {"", "\n\n", "Used 32 registers, 8 bytes smem\n", "Compiling entry function\n", "Compiling entry function 'k\n",
                                        "Compiling entry function 'k' for\n", "Compiling entry function 'k' for 'sm_80\n"};
    Arena *arena = arena_new();
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) CU_ASSERT_EQUAL(card_use_read(arena, texts[i]).count, 0);
    const KernelUseVec uses = card_use_read(arena, "Compiling entry function 'k' for 'sm_80'\nUsed  registers, 99999999999 registers, x bytes smem\n");
    CU_ASSERT_EQUAL_FATAL(uses.count, 1);
    CardFill fill;
    CU_ASSERT_EQUAL(uses.items[0].registers, -1);
    CU_ASSERT_FALSE(card_use_fill(&uses.items[0], &fill));
    arena_free(arena);
}

/* As NVIDIA's cuda_occupancy.h of CUDA 13.0 counts (all of 605 such cases were the same). */
static void test_fill(void) {
    static const struct {
        const char *card;
        int registers, shared, block_warps, blocks, most_warps;
    } cases[] = {{"sm_75", 32, 33792, 32, 1, 32},  {"sm_75", 96, 33792, 20, 1, 20}, {"sm_75", 212, 0, 8, 1, 8},    {"sm_80", 32, 0, 32, 2, 64},
                 {"sm_80", 40, 33792, 32, 1, 48},  {"sm_80", 96, 0, 20, 1, 20},     {"sm_90", 212, 33792, 8, 1, 8}, {"sm_90a", 40, 33792, 32, 1, 48},
                 {"sm_110", 32, 33792, 32, 1, 48}, {"sm_110", 40, 0, 32, 1, 48},    {"sm_100", 255, 0, 8, 1, 8}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const KernelUse use = {.kernel = "k", .card = cases[i].card, .registers = cases[i].registers, .shared = cases[i].shared};
        CardFill fill;
        CU_ASSERT_TRUE_FATAL(card_use_fill(&use, &fill));
        CU_ASSERT(fill.block_warps == cases[i].block_warps && fill.blocks == cases[i].blocks && fill.most_warps == cases[i].most_warps);
        CU_ASSERT_EQUAL(fill.by_registers, cases[i].block_warps < 32);
    }
}

static void test_unknown_cards(void) {
    CardFill fill;
    CU_ASSERT_FALSE(card_use_fill(&(KernelUse){.kernel = "k", .card = "sm_999", .registers = 32}, &fill));
    CU_ASSERT_FALSE(card_use_fill(&(KernelUse){.kernel = "k", .card = "gfx90", .registers = 32}, &fill));
    CU_ASSERT_FALSE(card_use_fill(&(KernelUse){.kernel = "k", .card = "sm_75", .registers = 32, .shared = 1 << 20}, &fill));
}

UNIT_MAIN("card use", {"two cards", test_two_cards}, {"other words", test_other_words}, {"nothing", test_nothing}, {"fill", test_fill},
          {"unknown cards", test_unknown_cards})
