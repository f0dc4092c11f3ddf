/* --report=comm: a table of what has moved between processes, a row for each account (runtime/comm/accounts.h): planned and sent, summed
 * over the processes, what had to come at least, and how long processes have waited for it.
 *
 * How to read it: numbers of one process, gathered at the first one, which adds them up; a row; the table; products of matrices. */
#include "runtime/comm/accounts.h"
#include "runtime/run/private.h"
#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct Numbers {
    int64_t times, planned_messages, planned_bytes, messages, bytes, needed, waits, waited;
    double work; /* of a product, and below */
    int64_t workers, worked_on, kept, element;
} Numbers;

static Numbers numbers_of(const Hp5Account *account) {
    return (Numbers){.times = account->times, .planned_messages = account->planned_messages, .planned_bytes = account->planned_bytes,
                     .messages = account->messages, .bytes = account->bytes, .needed = account->needed, .waits = account->waits,
                     .waited = account->waited, .work = account->work, .workers = account->work > 0, .worked_on = account->worked_on,
                     .kept = account->kept, .element = account->element};
}

/* How often it has happened is the same everywhere but where a process has nothing to do with it. */
static void add_up(Numbers *sum, const Numbers *more) {
    if (more->times > sum->times) sum->times = more->times;
    sum->planned_messages += more->planned_messages;
    sum->planned_bytes += more->planned_bytes;
    sum->messages += more->messages;
    sum->bytes += more->bytes;
    sum->needed = sum->needed < 0 || more->needed < 0 ? -1 : sum->needed + more->needed;
    sum->waits += more->waits;
    sum->waited += more->waited;
    sum->work += more->work;
    sum->workers += more->workers;
    sum->worked_on += more->worked_on;
    if (more->kept > sum->kept) sum->kept = more->kept;
    if (more->element > sum->element) sum->element = more->element;
}

static void print_numbers(const Numbers *numbers) {
    char needed[24] = "-";
    if (numbers->needed >= 0) snprintf(needed, sizeof needed, "%lld", (long long)numbers->needed);
    fprintf(stderr, " %9lld %9lld %13lld %13lld %13s %7lld %10.6f", (long long)numbers->messages, (long long)numbers->planned_messages,
            (long long)numbers->bytes, (long long)numbers->planned_bytes, needed, (long long)numbers->waits, (double)numbers->waited * 1e-9);
}

static void print_row(const Hp5Account *account, const Numbers *numbers, const char **task) {
    if (account->task != NULL && (*task == NULL || strcmp(*task, account->task) != 0)) fprintf(stderr, "task %s (%s)\n", account->task, account->source);
    *task = account->task;
    if (account->line > 0) fprintf(stderr, "%6d", account->line);
    else fprintf(stderr, "%6s", "-");
    if (numbers->times > 0) fprintf(stderr, " %8lld", (long long)numbers->times);
    else fprintf(stderr, " %8s", "-");
    print_numbers(numbers);
    fprintf(stderr, "  %s\n", account->what);
}

static bool is_silent(const Numbers *numbers) { return numbers->messages == 0 && numbers->planned_messages == 0 && numbers->waits == 0; }

static void print_table(const Numbers *sums) {
    Numbers all = {0};
    const char *task = NULL;
    int at = 0;
    fprintf(stderr, "communication of %d processes (%s)\n", hp5_comm_size(), hp5_comm_library());
    fprintf(stderr, "%6s %8s %9s %9s %13s %13s %13s %7s %10s  %s\n", "line", "times", "messages", "planned", "bytes", "planned", "at least", "waits", "waited s", "what");
    for (const Hp5Account *account = hp5_accounts(); account; account = account->next, at++) {
        if (account->task != NULL && !is_silent(&sums[at])) print_row(account, &sums[at], &task);
        add_up(&all, &sums[at]);
    }
    fprintf(stderr, "all tasks\n");
    at = 0;
    for (const Hp5Account *account = hp5_accounts(); account; account = account->next, at++)
        if (account->task == NULL && !is_silent(&sums[at])) print_row(account, &sums[at], &task);
    fprintf(stderr, "%6s %8s", "", "");
    print_numbers(&all);
    fprintf(stderr, "  all\n");
}

/* ---- Products ------------------------------------------------------------------------------------------------ */

/* What p processes together must read and write to multiply and add `work` times, if each has room for `room` elements (COSMA: Kwasniewski
 * et al., 2019): 2 work / (p sqrt(room)) + room for each; and 3 (work / p)^(2/3), however much room there is. */
static double bytes_with_room(const Numbers *product, double work) {
    double each = 2 * work / ((double)product->workers * sqrt((double)product->kept)) + (double)product->kept;
    return each * (double)product->workers * (double)product->element;
}

static double bytes_at_least(const Numbers *product, double work) {
    double side = cbrt(work / (double)product->workers);
    return 3 * side * side * (double)product->workers * (double)product->element;
}

static void print_products(const Numbers *sums) {
    bool any = false;
    int at = 0;
    for (const Hp5Account *account = hp5_accounts(); account; account = account->next, at++) {
        const Numbers *product = &sums[at];
        if (product->workers == 0 || product->kept == 0 || product->times == 0) continue;
        double work = product->work / (double)product->times, room = bytes_with_room(product, work), least = bytes_at_least(product, work);
        if (!any) fprintf(stderr, "products of matrices\n%6s %8s %9s %13s %13s %7s %13s %7s  %s\n", "line", "times", "processes", "bytes", "at least", "ratio", "any memory", "ratio", "what");
        any = true;
        fprintf(stderr, "%6d %8lld %9lld %13lld %13.0f %7.3f %13.0f %7.3f  %s\n", account->line, (long long)product->times, (long long)product->workers,
                (long long)product->worked_on, room, (double)product->worked_on / room, least, (double)product->worked_on / least, account->what);
    }
}

void hp5_comm_report(void) {
    int processes = hp5_comm_size(), count = 0;
    if (processes == 1) {
        fprintf(stderr, "communication of one process: nothing moves\n");
        return;
    }
    for (const Hp5Account *account = hp5_accounts(); account; account = account->next) count++;
    int64_t bytes = (int64_t)sizeof(Numbers) * count;
    Numbers *mine = hp5_alloc_zeroed(bytes, "the report of communication"), *all = hp5_alloc_zeroed(bytes * processes, "the report of communication");
    int at = 0;
    for (const Hp5Account *account = hp5_accounts(); account; account = account->next) mine[at++] = numbers_of(account);
    hp5_comm_gather(HP5_EVERYBODY, HP5_TAG_REPORT, 0, mine, bytes, all);
    for (int p = 1; p < processes; p++)
        for (int i = 0; i < count && hp5_comm_rank() == 0; i++) add_up(&all[i], &all[(int64_t)p * count + i]);
    if (hp5_comm_rank() == 0) {
        print_table(all);
        print_products(all);
    }
    hp5_free(mine);
    hp5_free(all);
}
