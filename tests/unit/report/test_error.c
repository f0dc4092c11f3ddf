/* Ways out of a program: messages, statuses, undo functions, signals, and counted memory. */
#include "runtime/report/error.h"
#include "runtime/inline.h"
#include <pthread.h>
#include <signal.h>
#include "tests/unit/child.h"
#include "tests/unit/unit.h"

/* ---- Messages ---------------------------------------------------------------------- */

static void fail_plainly(void *argument) {
    hp5_set_program_name("/some/where/solver");
    printf("before ");
    hp5_fail(HP5_EXIT_USAGE, "%s is wrong in %d ways", (char *)argument, 2);
}

static void test_fail(void) {
    Child child = child_run(fail_plainly, "a%sb");
    CU_ASSERT_EQUAL(child.status, 2);
    CU_ASSERT_STRING_EQUAL(child.err, "solver: a%sb is wrong in 2 ways\n");
    CU_ASSERT_STRING_EQUAL(child.out, "before ");
}

static void divide(void *argument) {
    printf("%lld\n", (long long)hp5_divide(7, *(int64_t *)argument, "heat.hp5", 12));
}
static void remainder_of(void *argument) {
    printf("%lld\n", (long long)hp5_modulo(7, *(int64_t *)argument, "heat.hp5", 13));
}

static void test_division(void) {
    int64_t zero = 0, minus_two = -2;
    Child child = child_run(divide, &zero);
    CU_ASSERT_EQUAL(child.status, 1);
    CU_ASSERT_STRING_EQUAL(child.err, "heat.hp5:12: run-time error: Integer division by zero\n");
    child = child_run(remainder_of, &zero);
    CU_ASSERT_STRING_EQUAL(child.err, "heat.hp5:13: run-time error: Integer division by zero (remainder)\n");
    child = child_run(divide, &minus_two);
    CU_ASSERT_STRING_EQUAL(child.out, "-3\n");
    CU_ASSERT_EQUAL(hp5_divide(INT64_MIN, -1, "", 0), INT64_MIN);
    CU_ASSERT_EQUAL(hp5_modulo(INT64_MIN, -1, "", 0), 0);
}

static void *fail_in_thread(void *unused) {
    (void)unused;
    hp5_fail(HP5_EXIT_FAILURE, "one message");
}

static void fail_in_many_threads(void *unused) {
    (void)unused;
    pthread_t threads[8];
    for (int i = 0; i < 8; i++) pthread_create(&threads[i], NULL, fail_in_thread, NULL);
    for (int i = 0; i < 8; i++) pthread_join(threads[i], NULL);
}

static void test_first_failure_wins(void) {
    for (int round = 0; round < 20; round++) {
        Child child = child_run(fail_in_many_threads, NULL);
        CU_ASSERT_EQUAL(child.status, 1);
        CU_ASSERT_STRING_EQUAL(child.err, "program: one message\n");
    }
}

/* ---- Undo functions --------------------------------------------------------------------- */

static void say(void *data) {
    ssize_t written = write(STDERR_FILENO, data, strlen(data));
    (void)written;
}

static void undo_and_fail(void *unused) {
    (void)unused;
    char *a = "a ", *b = "b ", *c = "c ";
    hp5_at_failure(say, a);
    hp5_at_failure(say, b);
    hp5_at_failure(say, c);
    hp5_forget(say, b);
    hp5_fail(HP5_EXIT_FAILURE, "no");
}

static void fail_again(void *unused) {
    (void)unused;
    hp5_fail(HP5_EXIT_USAGE, "second");
}
static void fail_while_failing(void *unused) {
    (void)unused;
    hp5_at_failure(fail_again, NULL);
    hp5_fail(HP5_EXIT_FAILURE, "first");
}

static void interrupted(void *signal_number) {
    hp5_at_failure(say, "undone");
    raise(*(int *)signal_number);
    say("not reached");
}
static void interrupted_but_ignored(void *unused) {
    (void)unused;
    signal(SIGHUP, SIG_IGN);
    hp5_at_failure(say, "undone");
    raise(SIGHUP);
    say("went on");
}

static void test_undo(void) {
    CU_ASSERT_STRING_EQUAL(child_run(undo_and_fail, NULL).err, "program: no\nc a ");
    Child child = child_run(fail_while_failing, NULL);
    CU_ASSERT_EQUAL(child.status, 2);
    CU_ASSERT_STRING_EQUAL(child.err, "program: first\n");
}

static void test_signals(void) {
    int signals[] = {SIGINT, SIGTERM, SIGHUP};
    for (int i = 0; i < 3; i++) {
        Child child = child_run(interrupted, &signals[i]);
        CU_ASSERT_EQUAL(child.status, 128 + signals[i]);
        CU_ASSERT_STRING_EQUAL(child.err, "undone");
    }
    CU_ASSERT_STRING_EQUAL(child_run(interrupted_but_ignored, NULL).err, "went on");
}

static void test_many_undos(void) {
    static char slots[3000];
    for (int i = 0; i < 3000; i++) { /* entries are used again */
        hp5_at_failure(say, &slots[i]);
        hp5_forget(say, &slots[i]);
    }
}

/* ---- Memory -------------------------------------------------------------------------------- */

static void allocate(void *bytes) {
    void *memory = hp5_alloc(*(int64_t *)bytes, "plate");
    printf("%p", memory);
}

static void test_memory(void) {
    int64_t before = hp5_allocated_bytes();
    char *a = hp5_alloc(100, "a"), *b = hp5_alloc_zeroed(1000, "b"), *nothing = hp5_alloc(0, "c");
    CU_ASSERT_EQUAL((uintptr_t)a % 64, 0);
    CU_ASSERT_EQUAL((uintptr_t)b % 64, 0);
    CU_ASSERT_PTR_NOT_NULL(nothing);
    int sum = 0;
    for (int i = 0; i < 1000; i++) sum += b[i];
    CU_ASSERT_EQUAL(sum, 0);
    memset(a, 1, 100);
    CU_ASSERT_EQUAL(hp5_allocated_bytes(), before + 1100);
    CU_ASSERT_TRUE(hp5_peak_bytes() >= before + 1100);
    hp5_free(a);
    hp5_free(b);
    hp5_free(nothing);
    hp5_free(NULL);
    CU_ASSERT_EQUAL(hp5_allocated_bytes(), before);
    int64_t negative = -8;
    Child child = child_run(allocate, &negative);
    CU_ASSERT_EQUAL(child.status, 1);
    CU_ASSERT_STRING_EQUAL(child.err, "program: plate would need more memory than can be addressed\n");
}

/* ---- Quoting ------------------------------------------------------------------------------- */

/* `count` times `piece` in quotes, which must fit. */
static const char *quoted(const char *piece, int count) {
    static char buffer[HP5_QUOTED + 1];
    char text[3000] = "";
    for (int i = 0; i < count; i++) strcat(text, piece);
    buffer[HP5_QUOTED] = '!';
    hp5_quote(text, buffer);
    CU_ASSERT_EQUAL(buffer[HP5_QUOTED], '!');
    CU_ASSERT_TRUE(strlen(buffer) < HP5_QUOTED);
    return buffer;
}

static void test_quote(void) {
    CU_ASSERT_STRING_EQUAL(quoted("it's\t", 1), "'it\\'s\\t'");
    CU_ASSERT_STRING_EQUAL(quoted("\x1b\x7f\\", 1), "'\\x1b\\x7f\\\\'");
    CU_ASSERT_STRING_EQUAL(quoted("\xC2\x85", 1), "'\\xc2\x85'");
    const char *letters = quoted("\xC3\xA4", 1000); /* whole characters on both sides of the gap */
    CU_ASSERT_EQUAL(strstr(letters, " ... ") - letters, 1 + 80);
    CU_ASSERT_EQUAL((unsigned char)letters[1 + 80 + 5], 0xC3);
    const char *euros = quoted("\xE2\x82\xAC", 900);
    CU_ASSERT_EQUAL(strstr(euros, " ... ") - euros, 1 + 78);
    CU_ASSERT_EQUAL((unsigned char)euros[1 + 78 + 5], 0xE2);
    const char *no_utf8 = quoted("\xB4", 1000); /* nothing but middles of characters */
    CU_ASSERT_EQUAL(strstr(no_utf8, " ... ") - no_utf8, 1 + 80);
    CU_ASSERT_EQUAL(strlen(no_utf8), HP5_QUOTED - 1);
}

UNIT_MAIN("error", {"quote", test_quote}, {"fail", test_fail}, {"division", test_division}, {"first failure wins", test_first_failure_wins},
          {"undo", test_undo}, {"signals", test_signals}, {"many undos", test_many_undos}, {"memory", test_memory})
