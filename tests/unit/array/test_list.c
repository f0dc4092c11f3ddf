/* runtime/array/list: growth, elements that stay where they are, release by scopes. */
#include "runtime/array/list.h"
#include "runtime/report/error.h"
#include "tests/unit/unit.h"

static int64_t *place(Hp5List *list, int64_t index) { return hp5_list_place(list, index, "list.hp5", 1); }
static int64_t read(const Hp5List *list, int64_t index) { return *(int64_t *)hp5_list_at(list, index, "list.hp5", 1); }

static void test_growth(void) {
    HP5_LISTS_SCOPE;
    Hp5List *list = hp5_list_new(sizeof(int64_t));
    int64_t *first = place(list, 0);
    *first = -1;
    for (int64_t i = 1; i < 5000; i++) {
        CU_ASSERT(*place(list, i) == 0);
        *place(list, i) = 3 * i;
    }
    CU_ASSERT(first == place(list, 0));
    CU_ASSERT(read(list, 0) == -1);
    for (int64_t i = 1; i < 5000; i++) CU_ASSERT(read(list, i) == 3 * i);
}

static void make_lists(int count) {
    HP5_LISTS_SCOPE;
    for (int i = 0; i < count; i++) *place(hp5_list_new(sizeof(int64_t)), 0) = i;
}

static void test_release(void) {
    int64_t before = hp5_allocated_bytes();
    {
        HP5_LISTS_SCOPE;
        Hp5List *outer = hp5_list_new(sizeof(int64_t));
        *place(outer, 0) = 7;
        make_lists(100);
        CU_ASSERT(read(outer, 0) == 7);
        CU_ASSERT(hp5_lists_mark() == 1);
    }
    CU_ASSERT(hp5_lists_mark() == 0);
    CU_ASSERT(hp5_allocated_bytes() == before);
}

UNIT_MAIN("list", {"growth", test_growth}, {"release", test_release})
