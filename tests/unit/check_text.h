/* CHECK_TEXT(actual, expected): a CUnit assertion on whole texts that shows both where
 * they differ. Include after unit.h. */
#ifndef HP5_TESTS_CHECK_TEXT_H
#define HP5_TESTS_CHECK_TEXT_H
#include <stdio.h>
#include <string.h>

#define CHECK_TEXT(actual, expected)                                                                         \
    do {                                                                                                     \
        const char *actual_text = (actual), *expected_text = (expected);                                     \
        if (strcmp(actual_text, expected_text) != 0)                                                         \
            fprintf(stderr, "\n%s:%d: expected\n%s\nfound\n%s\n", __FILE__, __LINE__, expected_text,         \
                    actual_text);                                                                            \
        CU_ASSERT_STRING_EQUAL(actual_text, expected_text);                                                  \
    } while (0)
#endif
