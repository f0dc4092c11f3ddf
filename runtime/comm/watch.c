/* See watch.h. How to read it: what other threads and signal handlers ask for, through a pipe; messages over links; the steps of an
 * end; the thread. All state but the pipe belongs to that thread. */
#define _GNU_SOURCE /* on_exit */
#include "runtime/comm/watch.h"
#include "runtime/comm/links.h"
#include "runtime/comm/private.h"
#include "runtime/comm/start.h"
#include "runtime/report/crash.h"
#include "runtime/report/error.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/* ---- What is asked for -------------------------------------------------------------------------------------- */

typedef enum { ASK_FAIL, ASK_SIGNAL, ASK_STOP } AskKind;
typedef struct Ask { AskKind kind; int status; const char *text; } Ask; /* status: of the program; or the signal's number */
static int asks[2] = {-1, -1}; /* a pipe; -1: nobody watches */

static void ask(AskKind kind, int status, const char *text) {
    const Ask wanted = {kind, status, text};
    int error = errno;
    if (write(asks[1], &wanted, sizeof wanted) < 0) _exit(status); /* a pipe of our own: cannot happen */
    errno = error;
}

static void rest(double seconds) {
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    while (nanosleep(&time, &time) != 0 && errno == EINTR) {}
}

/* Instead of what hp5_fail does in one process: the watching thread ends this one, too. */
static void fail_together(int status, const char *text) {
    ask(ASK_FAIL, status, text);
    rest(8);
    fprintf(stderr, "%s\n", text); /* it has not: the message must not be lost */
    _exit(status);
}

static void crash_together(int signal_number, const char *text) { /* in a signal handler */
    ask(ASK_FAIL, 128 + signal_number, text);
    rest(8);
}

static void on_signal(int signal_number) { ask(ASK_SIGNAL, signal_number, NULL); }

/* exit() by foreign code, in the middle of everything. */
static void on_early_exit(int status, void *unused) {
    (void)unused;
    static char text[200];
    if (asks[1] < 0) return;
    snprintf(text, sizeof text, "%s: exit(%d) was called in foreign code while other processes were at work", hp5_program_name(), status);
    fail_together(HP5_EXIT_FAILURE, text);
}

/* ---- Messages ------------------------------------------------------------------------------------------------- */

enum { TEXT_ROOM = 2048 };
typedef enum { SAY_BEAT, SAY_REPORT, SAY_LOST, SAY_END, SAY_DONE, SAY_BYE } SayKind;
/* On a link: the head, then `length` bytes of text. */
typedef struct Head { int32_t kind, status, rank, length; char node[HP5_NODE_NAME]; } Head;
typedef struct Report { Head head; char text[TEXT_ROOM]; } Report;

typedef struct Peer {
    Hp5Link link;
    double heard;     /* seconds(), when it last said something */
    bool lost, bye, done;
    int unheard;      /* attempts in a row to read what it says that have failed */
    int left_by;      /* it said bye because of a signal; */
    double left_at;   /* when */
    size_t had;       /* bytes of `coming` that are there */
    Report coming;
} Peer;

typedef enum { WATCHING, COLLECTING, ENDING, LEAVING } Phase;

static Peer peers[HP5_MOST_LINKS];
static int peer_count;
static double silence;       /* seconds after which a peer is lost; 0: never */
static Phase phase;
static double deadline;      /* of the phase, but for WATCHING */
static Report first;         /* COLLECTING: what will be said */
static int alike;            /* processes that reported the same */
static bool takes_place;     /* of process 0, which is lost */
static double silent_until;  /* this process was itself stopped: others have said it, if they are gone */
static int left_by;          /* a signal that ends this process; 0: none */
static void (*end_all)(int status);
static pthread_t watcher;

static const double collecting_time = 0.2, ending_time = 0.7, leaving_time = 2.0, beat_time = 0.5;
/* MPICH's launcher, when it is told that all is over, does not read what it has not read by then. */
static const double reading_time = 0.2;
/* A process that a signal ends says bye and stays for signal_time. Who gets no signal for as long as alone_time after that takes it
 * that the signal was for that one alone: launchers end all at the same time. */
static const double signal_time = 0.6, alone_time = 0.2;

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static bool speaks(void) { return hp5_comm_rank() == 0 || takes_place; }
static bool is_child(const Peer *peer) { return peer->link.rank > hp5_comm_rank(); }

/* What does not go at once is lost: the peer has not read for long, and is lost itself; or it has closed the link, which hear() sees. */
static void say(Peer *peer, const Report *report) {
    if (peer->link.fd < 0) return;
    size_t size = sizeof report->head + (size_t)report->head.length;
    (void)!send(peer->link.fd, report, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void say_word(Peer *peer, SayKind kind, int status) {
    Report report = {.head = {.kind = kind, .status = status, .rank = hp5_comm_rank()}};
    say(peer, &report);
}

static void say_all(SayKind kind, int status, bool children_only) {
    for (int i = 0; i < peer_count; i++)
        if (!children_only || is_child(&peers[i])) say_word(&peers[i], kind, status);
}

/* ---- Steps of an end ---------------------------------------------------------------------------------------------- */

/* The message, and where it comes from. */
static void speak(void) {
    char text[TEXT_ROOM + 300];
    int size = hp5_comm_size(), length;
    const Head *head = &first.head;
    if (alike == size) length = snprintf(text, sizeof text, "%s\n  on all %d ranks\n", first.text, size);
    else if (alike > 1) length = snprintf(text, sizeof text, "%s\n  on %d of %d ranks, the first of them %d (node %s)\n", first.text, alike,
                                          size, (int)head->rank, head->node);
    else length = snprintf(text, sizeof text, "%s\n  on rank %d of %d (node %s)\n", first.text, (int)head->rank, size, head->node);
    for (int at = 0; at < length;) {
        ssize_t written = write(STDERR_FILENO, text + at, (size_t)(length - at));
        if (written <= 0) return;
        at += (int)written;
    }
}

static void enter(Phase next, double time) {
    phase = next;
    deadline = seconds() + time;
}

/* Without a word: somebody else says it, and this process is ended, or ends. */
static void leave_silently(void) {
    first.head.status = HP5_EXIT_FAILURE;
    say_all(SAY_END, HP5_EXIT_FAILURE, true);
    hp5_undo_everything();
    enter(LEAVING, leaving_time);
}

static void begin_end(int status) {
    speak();
    say_all(SAY_END, status, true);
    hp5_undo_everything();
    enter(ENDING, ending_time);
}

/* By who speaks: reports that say the same count as one, the lowest rank's first. */
static void take_report(const Report *report) {
    if (phase == WATCHING) {
        enter(COLLECTING, collecting_time);
        first = *report;
        alike = 1;
    } else if (phase == COLLECTING) {
        bool same = strcmp(report->text, first.text) == 0;
        alike = same ? alike + 1 : alike;
        if (report->head.rank < first.head.rank) {
            first = *report;
            alike = same ? alike : 1;
        }
    }
    if (phase == COLLECTING && (alike == hp5_comm_size() || report->head.kind == SAY_LOST)) begin_end(first.head.status);
}

static Peer *parent(void) { return peer_count > 0 && !is_child(&peers[0]) ? &peers[0] : NULL; }

static void pass_report(const Report *report) {
    Peer *up = parent();
    if (speaks()) take_report(report);
    else if (up->link.fd >= 0 && !up->lost) say(up, report);
    else if (phase == WATCHING) { /* nobody to tell it to: it is said here, for want of anybody better */
        takes_place = true;
        take_report(report);
    }
}

static void make_report(Report *report, int status, int rank, const char *node) {
    report->head = (Head){.kind = SAY_REPORT, .status = status, .rank = rank, .length = (int32_t)strlen(report->text) + 1};
    snprintf(report->head.node, sizeof report->head.node, "%s", node);
}

static void report_own(int status, const char *text) {
    Report report;
    snprintf(report.text, sizeof report.text, "%s", text);
    make_report(&report, status, hp5_comm_rank(), hp5_comm_node());
    pass_report(&report);
}

/* A peer that is lost, and why. Below process 0 a child's loss is reported, a parent's is its own parent's business. There is no
 * time: a launcher may already be killing the others. */
static __attribute__((format(printf, 2, 3))) void lose(Peer *peer, const char *why, ...) {
    if (peer->lost || phase == LEAVING) return;
    peer->lost = true;
    if (phase == ENDING) return;
    bool first_child = peer->link.rank == 0 && hp5_comm_rank() == 1;
    if ((!is_child(peer) && !first_child) || seconds() < silent_until) {
        leave_silently();
        return;
    }
    Report report;
    int at = snprintf(report.text, sizeof report.text, "%s: process %lld ", hp5_program_name(), (long long)peer->link.process);
    va_list arguments;
    va_start(arguments, why);
    vsnprintf(report.text + at, sizeof report.text - (size_t)at, why, arguments);
    va_end(arguments);
    make_report(&report, HP5_EXIT_FAILURE, peer->link.rank, peer->link.node);
    report.head.kind = SAY_LOST;
    takes_place = takes_place || first_child;
    if (first_child) say_word(peer, SAY_END, HP5_EXIT_FAILURE); /* one that a signal ends is there for a while, and must not report that this one has gone */
    pass_report(&report);
}

static void look_at_peer(Peer *peer, double now) {
    if (peer->bye && peer->left_by != 0 && left_by == 0 && now > peer->left_at + alone_time)
        lose(peer, "was ended by signal %d (%s)", peer->left_by, strsignal(peer->left_by));
    else if (!peer->bye && peer->link.fd >= 0 && silence > 0 && now - peer->heard > silence)
        lose(peer, "has not answered for %g s: it was stopped, or its node is down (HP5_WATCH sets the time)", silence);
}

static bool children_are_done(void) {
    for (int i = 0; i < peer_count; i++)
        if (is_child(&peers[i]) && peers[i].link.fd >= 0 && !peers[i].lost && !peers[i].done) return false;
    return true;
}

static void finish_ending(void) {
    int status = first.head.status;
    if (parent() && !takes_place) {
        say_word(parent(), SAY_DONE, status);
        enter(LEAVING, leaving_time);
        return;
    }
    rest(reading_time);
    signal(SIGALRM, SIG_DFL); /* an MPI that does not come back ends this process at least */
    alarm(2);
    end_all(status);
    _exit(status);
}

static __attribute__((noreturn)) void leave_by_signal(void) {
    signal(left_by, SIG_DFL);
    kill(getpid(), left_by);
    for (;;) pause();
}

/* What time alone brings. */
static void look_at_clock(void) {
    if (phase == WATCHING && left_by == 0) return;
    bool over = seconds() >= deadline;
    if (phase == ENDING && children_are_done()) over = true;
    if (!over) return;
    if (phase == COLLECTING) begin_end(first.head.status);
    else if (phase == ENDING) finish_ending();
    else if (phase == LEAVING) _exit(first.head.status);
    else leave_by_signal();
}

/* ---- The thread ------------------------------------------------------------------------------------------------------ */

static void take_message(Peer *peer) {
    const Head *head = &peer->coming.head;
    switch ((SayKind)head->kind) {
    case SAY_BEAT: break;
    case SAY_REPORT:
    case SAY_LOST: pass_report(&peer->coming); break;
    case SAY_DONE: peer->done = true; break;
    case SAY_BYE:
        peer->bye = true;
        peer->left_by = head->status;
        peer->left_at = seconds();
        break;
    case SAY_END:
        if (phase == ENDING || phase == LEAVING) break;
        first.head.status = head->status;
        say_all(SAY_END, head->status, true);
        hp5_undo_everything();
        enter(ENDING, ending_time / 2);
        break;
    }
}

/* This process fails, not the peer, which may be well, or have said bye: so one failure makes no difference. The second is reported, over
 * the same link. */
static void count_unheard(Peer *peer, const char *why) {
    if (++peer->unheard != 2) return;
    char text[TEXT_ROOM];
    snprintf(text, sizeof text, "%s: cannot read what process %lld says: %s", hp5_program_name(), (long long)peer->link.process, why);
    report_own(HP5_EXIT_FAILURE, text);
    if (!speaks()) leave_silently(); /* the order to end could not be heard */
}

/* Everything that has come over a link. */
static void hear(Peer *peer) {
    for (;;) {
        size_t wanted = sizeof(Head) + (peer->had < sizeof(Head) ? 0 : (size_t)peer->coming.head.length);
        ssize_t got = read(peer->link.fd, (char *)&peer->coming + peer->had, wanted - peer->had);
        if (got < 0 && (errno == EAGAIN || errno == EINTR)) return;
        if (got < 0 && (errno == EIO || errno == ENOMEM)) {
            count_unheard(peer, strerror(errno));
            return;
        }
        if (got <= 0) { /* the end of the connection */
            close(peer->link.fd);
            peer->link.fd = -1;
            if (!peer->bye) lose(peer, "is gone: it was killed, or ended by foreign code");
            return;
        }
        peer->had += (size_t)got;
        peer->heard = seconds();
        peer->unheard = 0;
        if (peer->had < sizeof(Head)) continue;
        if (peer->coming.head.length < 0 || peer->coming.head.length > TEXT_ROOM) peer->coming.head.length = 0;
        if (peer->had < sizeof(Head) + (size_t)peer->coming.head.length) continue;
        peer->coming.text[TEXT_ROOM - 1] = '\0';
        peer->had = 0;
        take_message(peer);
    }
}

/* False: the watch is over. */
static bool take_ask(void) {
    Ask wanted;
    if (read(asks[0], &wanted, sizeof wanted) != (ssize_t)sizeof wanted) return true;
    if (wanted.kind == ASK_STOP) say_all(SAY_BYE, 0, false);
    if (wanted.kind == ASK_STOP) return false;
    if (wanted.kind == ASK_FAIL) report_own(wanted.status, wanted.text);
    else if (phase == WATCHING && left_by == 0) { /* the launcher ends us, perhaps because of one whose end is not known yet */
        left_by = wanted.status;
        deadline = seconds() + signal_time;
        say_all(SAY_BYE, left_by, false);
        hp5_undo_everything();
    }
    return true;
}

static void beat(double now, double *next) {
    if (now < *next) return;
    if (now > *next + 1) { /* this process has not run itself: it cannot know what the others did meanwhile */
        for (int i = 0; i < peer_count; i++) peers[i].heard = now;
        bool given_up = silence > 0 && now > *next + silence - 2 * beat_time;
        silent_until = now + (given_up ? 60 : leaving_time); /* a launcher may take its time to end this one, too */
    }
    *next = now + beat_time;
    say_all(SAY_BEAT, 0, false);
}

/* Milliseconds until the thread must look again, whatever comes. */
static int pause_time(void) {
    bool soon = phase != WATCHING || left_by != 0;
    for (int i = 0; i < peer_count; i++) soon = soon || (peers[i].left_by != 0 && !peers[i].lost);
    return soon ? 10 : (int)(beat_time * 1000);
}

static double begun; /* when watching began */

static void *watch(void *unused) {
    (void)unused;
    for (double next = begun;;) { /* the process may be stopped before this thread runs */
        struct pollfd wanted[1 + HP5_MOST_LINKS] = {{.fd = asks[0], .events = POLLIN}};
        for (int i = 0; i < peer_count; i++) wanted[1 + i] = (struct pollfd){.fd = peers[i].link.fd, .events = POLLIN};
        poll(wanted, (nfds_t)(1 + peer_count), pause_time());
        beat(seconds(), &next);
        if (wanted[0].revents && !take_ask()) return NULL;
        for (int i = 0; i < peer_count; i++)
            if (wanted[1 + i].revents) hear(&peers[i]);
        for (int i = 0; i < peer_count; i++) look_at_peer(&peers[i], seconds());
        look_at_clock();
    }
}

static void handle_signals(void) {
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof ending / sizeof ending[0]; i++) {
        struct sigaction now, action = {.sa_handler = on_signal};
        sigemptyset(&action.sa_mask);
        if (sigaction(ending[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL) sigaction(ending[i], &action, NULL);
    }
}

static void read_silence(void) {
    silence = hp5_watch_seconds();
    if (silence < 0) hp5_fail(HP5_EXIT_USAGE, "HP5_WATCH is neither a number of seconds, as 10, nor none");
}

/* Without the thread this one does its work, which is to end all. */
static void fail_alone(int error) {
    static char text[200];
    snprintf(text, sizeof text, "%s: the thread that watches other processes cannot be started: %s", hp5_program_name(), strerror(error));
    ask(ASK_FAIL, HP5_EXIT_FAILURE, text);
    watch(NULL);
}

void hp5_watch_begin(void (*end)(int status)) {
    end_all = end;
    begun = seconds();
    read_silence();
    Hp5Link links[HP5_MOST_LINKS];
    peer_count = hp5_links_make(links);
    if (pipe(asks) != 0) hp5_fail(HP5_EXIT_FAILURE, "no pipe for watching other processes: %s", strerror(errno));
    for (int i = 0; i < 2; i++) fcntl(asks[i], F_SETFD, FD_CLOEXEC);
    for (int i = 0; i < peer_count; i++) peers[i] = (Peer){.link = links[i], .heard = seconds()};
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals go to other threads */
    int error = pthread_create(&watcher, NULL, watch, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0) fail_alone(error);
    hp5_fail_through(fail_together);
    hp5_crash_through(crash_together);
    on_exit(on_early_exit, NULL);
    handle_signals();
}

void hp5_watch_end(void) {
    hp5_fail_through(NULL);
    hp5_crash_through(NULL);
    ask(ASK_STOP, 0, NULL);
    pthread_join(watcher, NULL);
    for (int i = 0; i < peer_count; i++)
        if (peers[i].link.fd >= 0) close(peers[i].link.fd);
    close(asks[0]);
    close(asks[1]);
    asks[0] = asks[1] = -1;
}
