/* The order of reductions, against its definition in words: pairs, then pairs of
 * pairs, a lone last one passes up. Real sums are inexact here on purpose, so that any other
 * order shows in the bits. */
#include <stdlib.h>
#include <string.h>
#include "runtime/array/reduce.h"
#include "tests/unit/unit.h"

static uint64_t state = 2463534242u;
static uint64_t next_random(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}
static double next_real(void) { return ((double)(next_random() >> 11) - 0x1p52) * 0x1p-40; }

/* ---- Trees ------------------------------------------------------------------------- */

/* By recursion from the top: the left subtree has the largest power of two that is less than n. */
static double sum_by_definition(const double *values, int64_t n) {
    if (n == 1) return values[0];
    int64_t left = 1;
    while (left * 2 < n) left *= 2;
    return sum_by_definition(values, left) + sum_by_definition(values + left, n - left);
}

static void test_tree_order(void) {
    enum { MOST = 600 };
    double values[MOST];
    for (int n = 1; n <= MOST; n++) {
        Hp5Tree_sum_real tree = {.count = 0};
        for (int i = 0; i < n; i++) {
            values[i] = next_real();
            hp5_tree_sum_real_add(&tree, values[i]);
        }
        double got = hp5_tree_sum_real_finish(&tree), expected = sum_by_definition(values, n);
        CU_ASSERT_EQUAL(memcmp(&got, &expected, sizeof got), 0);
    }
}

static void test_empty_tree_is_identity(void) {
    Hp5Tree_sum_real sum = {.count = 0};
    Hp5Tree_product_integer product = {.count = 0};
    Hp5Tree_max_entry_real entry = {.count = 0};
    Hp5Tree_min_integer least = {.count = 0};
    CU_ASSERT_EQUAL(hp5_tree_sum_real_finish(&sum), 0.0);
    CU_ASSERT_EQUAL(hp5_tree_product_integer_finish(&product), 1);
    CU_ASSERT_EQUAL(hp5_tree_max_entry_real_finish(&entry).index, -1);
    CU_ASSERT_EQUAL(hp5_tree_min_integer_finish(&least), INT64_MAX);
}

static void test_single_tree_order(void) {
    float values[37], expected[37];
    Hp5Tree_sum_single tree = {.count = 0};
    for (int i = 0; i < 37; i++) hp5_tree_sum_single_add(&tree, values[i] = (float)next_real());
    memcpy(expected, values, sizeof values);
    for (int n = 37; n > 1; n = (n + 1) / 2)
        for (int i = 0; 2 * i < n; i++)
            expected[i] = 2 * i + 1 < n ? expected[2 * i] + expected[2 * i + 1] : expected[2 * i];
    float got = hp5_tree_sum_single_finish(&tree);
    CU_ASSERT_EQUAL(memcmp(&got, expected, sizeof got), 0);
}

/* ---- Lanes --------------------------------------------------------------------------- */

static double lanes_by_definition(const double *lanes, int lane, int apart) {
    if (apart == HP5_LANES) return lanes[lane];
    return lanes_by_definition(lanes, lane, apart * 2) + lanes_by_definition(lanes, lane + apart, apart * 2);
}

static void test_lanes(void) {
    for (int round = 0; round < 100; round++) {
        double lanes[HP5_LANES];
        for (int l = 0; l < HP5_LANES; l++) lanes[l] = next_real();
        double expected = lanes_by_definition(lanes, 0, 1), got = hp5_lanes_sum_real(lanes);
        CU_ASSERT_EQUAL(memcmp(&got, &expected, sizeof got), 0);
    }
}

/* Lanes that have nothing change nothing, and are not looked at. */
static void test_few_lanes(void) {
    for (int64_t count = 1; count <= HP5_LANES; count++) {
        double lanes[HP5_LANES], some[HP5_LANES];
        Hp5EntryReal entries[HP5_LANES], some_entries[HP5_LANES];
        for (int l = 0; l < HP5_LANES; l++) {
            const double value = hp5_sum_real(hp5_sum_real_identity(), count % 3 == 0 ? -0.0 : next_real()); /* as lanes begin */
            lanes[l] = l < count ? value : hp5_sum_real_identity();
            some[l] = l < count ? value : NAN;
            entries[l] = l < count ? (Hp5EntryReal){value, l} : hp5_max_entry_real_identity();
            some_entries[l] = l < count ? entries[l] : (Hp5EntryReal){INFINITY, 0};
        }
        const double expected = hp5_lanes_sum_real(lanes), got = hp5_few_sum_real(some, count);
        CU_ASSERT_EQUAL(memcmp(&got, &expected, sizeof got), 0);
        CU_ASSERT_EQUAL(hp5_few_max_entry_real(some_entries, count).index, hp5_lanes_max_entry_real(entries).index);
    }
}

/* ---- Operations ------------------------------------------------------------------------ */

static bool same_real(double a, double b) { return isnan(a) ? isnan(b) : a == b && signbit(a) == signbit(b); }

/* NaN wins over numbers, -0.0 is less than 0.0, in every order, and collected in an Integer as well. */
static void test_extrema_and_nan(void) {
    static const double values[] = {-INFINITY, -0x1p1023, -2.5, -0x1p-1074, -0.0, 0.0, 0x1p-1074, 2.5, 0x1p1023, INFINITY, NAN};
    enum { COUNT = sizeof values / sizeof values[0] };
    for (int i = 0; i < 2 * COUNT; i++)
        for (int k = 0; k < 2 * COUNT; k++) {
            const double a = i < COUNT ? values[i] : -values[i - COUNT], b = k < COUNT ? values[k] : -values[k - COUNT];
            const int rank_a = i < COUNT || isnan(a) ? i % COUNT : COUNT - 2 - (i - COUNT), rank_b = k < COUNT || isnan(b) ? k % COUNT : COUNT - 2 - (k - COUNT);
            const double most = rank_a > rank_b ? a : b, least = isnan(a) || isnan(b) ? NAN : rank_a < rank_b ? a : b;
            CU_ASSERT_TRUE(same_real(hp5_max_real(a, b), most) && same_real(hp5_min_real(a, b), least));
            CU_ASSERT_TRUE(same_real((double)hp5_max_single((float)a, (float)b), (double)(float)most) ||
                           (float)most == 0.0f); /* subnormal doubles */
            CU_ASSERT_TRUE(same_real(hp5_max_real_result(hp5_max_real_take(hp5_max_real_take(hp5_max_real_start(), a), b)), most));
            CU_ASSERT_TRUE(same_real(hp5_min_real_result(hp5_min_real_take(hp5_min_real_take(hp5_min_real_start(), a), b)), least));
            CU_ASSERT_EQUAL(hp5_fabove(a, b), rank_a > rank_b);
            CU_ASSERT_EQUAL(hp5_fbelow(a, b), isnan(b) ? false : isnan(a) || rank_a < rank_b);
        }
    CU_ASSERT_EQUAL(hp5_min_single(3.0f, -2.0f), -2.0f);
    CU_ASSERT_TRUE(isnan((double)hp5_min_single_result(hp5_min_single_take(hp5_min_single_start(), -NAN))));
    CU_ASSERT_EQUAL(hp5_max_integer(INT64_MIN, -5), -5);
}

/* Of numbers that are not unusual, the extrema are those of all; the unusual ones are found wherever they lie, in rows that are not short. */
static void test_usual_extrema(void) {
    static const double values[] = {-INFINITY, -0x1p1023, -2.5, -0x1p-1074, 0.0, 0x1p-1074, 2.5, 0x1p1023, INFINITY};
    static const float singles[] = {-INFINITY, -0x1p127f, -2.5f, -0x1p-149f, 0.0f, 0x1p-149f, 2.5f, 0x1p127f, INFINITY};
    enum { COUNT = sizeof values / sizeof values[0], LONG = 3 * COUNT };
    double row[LONG];
    float single_row[LONG];
    for (int i = 0; i < COUNT; i++)
        for (int k = 0; k < COUNT; k++) {
            CU_ASSERT_TRUE(same_real(hp5_fmin_usual(values[i], values[k]), hp5_fmin(values[i], values[k])));
            CU_ASSERT_TRUE(same_real(hp5_fmax_usual(values[i], values[k]), hp5_fmax(values[i], values[k])));
            CU_ASSERT_TRUE(same_real((double)hp5_fminf_usual(singles[i], singles[k]), (double)hp5_fminf(singles[i], singles[k])));
            CU_ASSERT_TRUE(same_real((double)hp5_fmaxf_usual(singles[i], singles[k]), (double)hp5_fmaxf(singles[i], singles[k])));
        }
    for (int i = 0; i < LONG; i++) row[i] = values[i % COUNT], single_row[i] = singles[i % COUNT];
    CU_ASSERT(hp5_unusual_reals(row, LONG) == 0 && hp5_unusual_reals_single(single_row, LONG) == 0);
    CU_ASSERT(hp5_unusual_reals(row, HP5_USUAL_FEW - 1) != 0 && hp5_unusual_reals_single(single_row, HP5_USUAL_FEW - 1) != 0);
    static const double unusual[] = {-0.0, NAN, -NAN};
    for (int i = 0; i < 3 * LONG; i++) {
        const int at = i / 3;
        row[at] = unusual[i % 3];
        single_row[at] = (float)unusual[i % 3];
        CU_ASSERT(hp5_unusual_reals(row, LONG) != 0 && hp5_unusual_reals_single(single_row, LONG) != 0);
        CU_ASSERT(hp5_unusual_real(row[at]) != 0 && hp5_unusual_real_single(single_row[at]) != 0);
        row[at] = values[at % COUNT];
        single_row[at] = singles[at % COUNT];
    }
}

static void test_entries_keep_the_first(void) {
    Hp5EntryReal a = {2.0, 7}, b = {2.0, 3}, none = hp5_max_entry_real_identity(), nan = {NAN, 1};
    CU_ASSERT_EQUAL(hp5_max_entry_real(a, b).index, 3);
    CU_ASSERT_EQUAL(hp5_max_entry_real(b, a).index, 3);
    CU_ASSERT_EQUAL(hp5_min_entry_real(none, a).index, 7);
    CU_ASSERT_EQUAL(hp5_min_entry_real(a, none).index, 7);
    const Hp5EntryReal below = {-0.0, 2}, above = {0.0, 5}, later = {-NAN, 4};
    CU_ASSERT_EQUAL(hp5_max_entry_real(nan, a).index, 1);
    CU_ASSERT_EQUAL(hp5_min_entry_real(a, nan).index, 1);
    CU_ASSERT_EQUAL(hp5_max_entry_real(later, nan).index, 1);
    CU_ASSERT_EQUAL(hp5_max_entry_real(below, above).index, 5);
    CU_ASSERT_EQUAL(hp5_min_entry_real(above, below).index, 2);
    CU_ASSERT_EQUAL(hp5_max_entry_real(none, nan).index, 1);
    Hp5EntryInteger x = {-4, 9}, y = {6, 2};
    CU_ASSERT_EQUAL(hp5_max_entry_integer(x, y).index, 2);
    CU_ASSERT_EQUAL(hp5_min_entry_integer(x, y).index, 9);
}

/* -0.0 is less than 0.0, wherever in the tree the two meet. */
static void test_trees_of_zeros(void) {
    for (int n = 2; n <= 9; n++)
        for (int negative = 0; negative < 2; negative++) {
            Hp5Tree_max_real most = {0};
            Hp5Tree_min_real least = {0};
            for (int i = 0; i < n; i++) {
                double value = (i == 0) == (negative == 1) ? -0.0 : 0.0;
                hp5_tree_max_real_add(&most, value);
                hp5_tree_min_real_add(&least, value);
            }
            CU_ASSERT_FALSE(signbit(hp5_tree_max_real_finish(&most)));
            CU_ASSERT_TRUE(signbit(hp5_tree_min_real_finish(&least)));
        }
}

static void test_integer_entries_keep_the_first(void) {
    for (int n = 2; n <= 9; n++) {
        Hp5Tree_max_entry_integer most = {0};
        Hp5Tree_min_entry_integer least = {0};
        for (int i = 0; i < n; i++) {
            hp5_tree_max_entry_integer_add(&most, (Hp5EntryInteger){i == 0 ? 4 : 7, i});
            hp5_tree_min_entry_integer_add(&least, (Hp5EntryInteger){i == 0 ? 4 : -7, i});
        }
        CU_ASSERT_EQUAL(hp5_tree_max_entry_integer_finish(&most).index, 1);
        CU_ASSERT_EQUAL(hp5_tree_min_entry_integer_finish(&least).index, 1);
    }
}

static void test_integers_wrap(void) {
    CU_ASSERT_EQUAL(hp5_sum_integer(INT64_MAX, 1), INT64_MIN);
    CU_ASSERT_EQUAL(hp5_product_integer(INT64_MAX, 2), -2);
    CU_ASSERT_EQUAL(hp5_land(5, 0), 0);
    CU_ASSERT_EQUAL(hp5_land(5, 2), 1);
    CU_ASSERT_EQUAL(hp5_lor(0, 9), 1);
    CU_ASSERT_EQUAL(hp5_band(hp5_band_identity(), 12), 12);
    CU_ASSERT_EQUAL(hp5_bor(8, 3), 11);
}

UNIT_MAIN("reductions", {"tree order", test_tree_order}, {"empty tree", test_empty_tree_is_identity},
          {"single precision tree", test_single_tree_order}, {"lanes", test_lanes}, {"few lanes", test_few_lanes},
          {"extrema and NaN", test_extrema_and_nan}, {"usual extrema", test_usual_extrema}, {"entries", test_entries_keep_the_first},
          {"trees of zeros", test_trees_of_zeros},
          {"integer entries", test_integer_entries_keep_the_first},
          {"integers wrap", test_integers_wrap})
