/* What is said when a signal ends a program: outside of tasks, in a thread's work, with a full stack. */
#include "runtime/report/crash.h"
#include "runtime/report/error.h"
#include <pthread.h>
#include <signal.h>
#include "tests/unit/child.h"
#include "tests/unit/unit.h"

#ifdef HP5_SANITIZE
/* Else AddressSanitizer has taken the signals already, and what others have taken is left to them (test_left_to_others). */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "handle_segv=0:handle_sigbus=0:handle_sigfpe=0:handle_sigill=0"; }
#endif

static void describe(const void *what, Hp5CrashText *text) {
    hp5_crash_say(text, "step ");
    hp5_crash_say_number(text, *(const long long *)what);
}

static void die(void *number) {
    hp5_set_program_name("/bin/solver");
    hp5_crash_watch(false);
    raise(*(int *)number);
}

static void *die_in_thread(void *unused) {
    (void)unused;
    static const long long step = -9223372036854775807LL - 1;
    hp5_crash_give_stack();
    hp5_crash_enter(&step);
    raise(SIGSEGV);
    return NULL;
}

static void die_at_work(void *unused) {
    (void)unused;
    hp5_crash_watch(true);
    hp5_crash_describe(describe);
    pthread_t threads[4];
    for (int i = 0; i < 4; i++) pthread_create(&threads[i], NULL, die_in_thread, NULL);
    for (int i = 0; i < 4; i++) pthread_join(threads[i], NULL);
}

static void test_outside_of_tasks(void) {
    int number = SIGBUS;
    Child child = child_run(die, &number);
    CU_ASSERT_EQUAL(child.status, 128 + SIGBUS);
    CU_ASSERT_STRING_EQUAL(child.err, "solver: bus error (an access to memory that is not there), outside of tasks\n"
                                      "  an index may be outside its array: a checked build stops there and says which: hp5c --checked\n");
}

static void test_once_in_threads(void) {
    Child child = child_run(die_at_work, NULL);
    CU_ASSERT_EQUAL(child.status, 128 + SIGSEGV);
    CU_ASSERT_STRING_EQUAL(child.err, "program: segmentation fault (an access to memory that is not there) in step -9223372036854775808\n"
                                      "  in a checked build only foreign code can do that, or a mistake in HP5, which is worth a report\n");
}

static void refuse(int number) { (void)number; }

static void leave_to_others(void *unused) {
    (void)unused;
    signal(SIGFPE, refuse);
    hp5_crash_watch(false);
    raise(SIGFPE);
}

static void test_left_to_others(void) {
    Child child = child_run(leave_to_others, NULL);
    CU_ASSERT_EQUAL(child.status, 0);
    CU_ASSERT_STRING_EQUAL(child.err, "");
}

UNIT_MAIN("crash", {"outside of tasks", test_outside_of_tasks}, {"once in threads", test_once_in_threads},
          {"left to others", test_left_to_others})
