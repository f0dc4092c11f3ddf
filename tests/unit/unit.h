/* One CUnit program in a few lines:
 *
 *     static void test_empty(void) { CU_ASSERT(...); }
 *     UNIT_MAIN("arena", {"empty", test_empty}, {"grows", test_grows})
 */
#ifndef HP5_TESTS_UNIT_H
#define HP5_TESTS_UNIT_H
#include <CUnit/Basic.h>
#include <CUnit/CUnit.h>

typedef struct UnitCase { const char *name; CU_TestFunc run; } UnitCase;

static inline int unit_run(const char *suite_name, const UnitCase *cases, size_t count) {
    if (CU_initialize_registry() != CUE_SUCCESS) return 2;
    CU_pSuite suite = CU_add_suite(suite_name, NULL, NULL);
    for (size_t i = 0; i < count; i++) CU_add_test(suite, cases[i].name, cases[i].run);
    CU_basic_set_mode(CU_BRM_VERBOSE);
    CU_basic_run_tests();
    unsigned failures = CU_get_number_of_failures();
    CU_cleanup_registry();
    return failures == 0 ? 0 : 1;
}

#define UNIT_MAIN(suite, ...)                                                    \
    int main(void) {                                                            \
        static const UnitCase cases[] = {__VA_ARGS__};                          \
        return unit_run(suite, cases, sizeof cases / sizeof cases[0]);          \
    }
#endif
