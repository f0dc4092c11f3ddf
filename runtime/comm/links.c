/* See links.h. How to read it: addresses of this node; a parent that listens; a child that tries the parent's addresses. What they
 * must know of each other travels in messages, so that nobody waits for a connection that does not come. */
#define _GNU_SOURCE /* accept4 */
#include "runtime/comm/links.h"
#include "runtime/comm/comm.h"
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

enum { MOST_ADDRESSES = 8, TAG_INVITATION = HP5_COMM_TAGS - 2, TAG_ANSWER = HP5_COMM_TAGS - 1, PATIENCE_MS = 1000 };

/* What a child must know to connect, and who its parent is. */
typedef struct Invitation {
    uint64_t secret; /* said back by the child, and by nobody else who finds the port */
    int64_t process;
    int count;       /* of addresses; 0: it cannot listen */
    uint16_t port;
    char node[HP5_NODE_NAME];
    struct in6_addr addresses[MOST_ADDRESSES]; /* those of IPv4 as ::ffff:a.b.c.d */
} Invitation;

typedef struct Hello { uint64_t secret; int64_t process; int rank; char node[HP5_NODE_NAME]; } Hello;

/* ---- Addresses ------------------------------------------------------------------------------------------ */

/* Addresses that others may reach this node at; the loopback last, for those on the same node. Link-local ones are left out: they
 * mean something on one network only. */
static int list_addresses(struct in6_addr *addresses) {
    struct ifaddrs *interfaces;
    if (getifaddrs(&interfaces) != 0) return 0;
    int count = 0;
    for (int loopback = 0; loopback < 2; loopback++)
        for (const struct ifaddrs *at = interfaces; at && count < MOST_ADDRESSES; at = at->ifa_next) {
            bool is_loopback = (at->ifa_flags & IFF_LOOPBACK) != 0;
            if (at->ifa_addr == NULL || !(at->ifa_flags & IFF_UP) || is_loopback != (loopback == 1)) continue;
            struct in6_addr *address = &addresses[count];
            if (at->ifa_addr->sa_family == AF_INET) {
                struct sockaddr_in four;
                memcpy(&four, at->ifa_addr, sizeof four);
                *address = (struct in6_addr){.s6_addr = {[10] = 0xFF, [11] = 0xFF}};
                memcpy(&address->s6_addr[12], &four.sin_addr, 4);
                count++;
            } else if (at->ifa_addr->sa_family == AF_INET6) {
                struct sockaddr_in6 six;
                memcpy(&six, at->ifa_addr, sizeof six);
                *address = six.sin6_addr;
                count += !IN6_IS_ADDR_LINKLOCAL(address);
            }
        }
    freeifaddrs(interfaces);
    return count;
}

/* As a socket address of its own family: there are systems without IPv6. */
static socklen_t socket_address(const struct in6_addr *address, uint16_t port, struct sockaddr_storage *storage) {
    memset(storage, 0, sizeof *storage);
    if (IN6_IS_ADDR_V4MAPPED(address)) {
        struct sockaddr_in four = {.sin_family = AF_INET, .sin_port = htons(port)};
        memcpy(&four.sin_addr, &address->s6_addr[12], 4);
        memcpy(storage, &four, sizeof four);
        return sizeof four;
    }
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(port), .sin6_addr = *address};
    memcpy(storage, &six, sizeof six);
    return sizeof six;
}

/* A socket that listens to both families at a free port; to one, where there is only one. -1: it cannot. */
static int listen_anywhere(uint16_t *port) {
    static const int families[] = {AF_INET6, AF_INET};
    for (int i = 0; i < 2; i++) {
        int fd = socket(families[i], SOCK_STREAM | SOCK_CLOEXEC, 0), no = 0;
        if (fd < 0) continue;
        if (families[i] == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &no, sizeof no);
        struct sockaddr_storage bound = {.ss_family = (sa_family_t)families[i]};
        socklen_t size = sizeof bound;
        if (bind(fd, (struct sockaddr *)&bound, families[i] == AF_INET ? sizeof(struct sockaddr_in) : sizeof(struct sockaddr_in6)) == 0 &&
            listen(fd, 2 * HP5_FANOUT) == 0 && getsockname(fd, (struct sockaddr *)&bound, &size) == 0) {
            struct sockaddr_in four; /* the port stands at the same place in both */
            memcpy(&four, &bound, sizeof four);
            *port = ntohs(four.sin_port);
            return fd;
        }
        close(fd);
    }
    return -1;
}

/* ---- Small things ----------------------------------------------------------------------------------------- */

static void send_to(int peer, int tag, const void *data, int64_t bytes) {
    Hp5Request request;
    hp5_comm_tell(&request, tag, peer, data, bytes);
    hp5_comm_wait(&request);
}

static void receive_from(int peer, int tag, void *data, int64_t bytes) {
    Hp5Request request;
    hp5_comm_hear(&request, tag, peer, data, bytes);
    hp5_comm_wait(&request);
}

static bool is_ready(int fd, short events) {
    struct pollfd wanted = {.fd = fd, .events = events};
    return poll(&wanted, 1, PATIENCE_MS) == 1;
}

static bool read_all(int fd, void *data, size_t bytes) {
    for (size_t at = 0; at < bytes;) {
        ssize_t got = is_ready(fd, POLLIN) ? read(fd, (char *)data + at, bytes - at) : -1;
        if (got <= 0) return false;
        at += (size_t)got;
    }
    return true;
}

/* Messages are small and go at once; nobody waits in the kernel for a peer that reads no more. */
static void set_up(int fd) {
    int yes = 1;
    setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK);
}

static void copy_node(char node[HP5_NODE_NAME]) { snprintf(node, HP5_NODE_NAME, "%s", hp5_comm_node()); }

/* ---- Child --------------------------------------------------------------------------------------------------- */

/* The parent answers a hello with its secret's complement: at this address and port it was really the parent. */
static int try_address(const Invitation *invitation, int i) {
    struct sockaddr_storage address;
    socklen_t size = socket_address(&invitation->addresses[i], invitation->port, &address);
    int fd = socket(address.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0), error = 0;
    if (fd < 0) return -1;
    socklen_t error_size = sizeof error;
    bool connects = connect(fd, (struct sockaddr *)&address, size) == 0 || errno == EINPROGRESS;
    connects = connects && is_ready(fd, POLLOUT) && getsockopt(fd, SOL_SOCKET, SO_ERROR, &error, &error_size) == 0 && error == 0;
    Hello hello = {.secret = invitation->secret, .process = getpid(), .rank = hp5_comm_rank()};
    copy_node(hello.node);
    if (connects && write(fd, &hello, sizeof hello) == (ssize_t)sizeof hello) return fd;
    close(fd);
    return -1;
}

static void join_parent(Hp5Link *link) {
    Invitation invitation;
    receive_from(link->rank, TAG_INVITATION, &invitation, sizeof invitation);
    link->process = invitation.process;
    memcpy(link->node, invitation.node, sizeof link->node);
    bool same_node = strcmp(invitation.node, hp5_comm_node()) == 0;
    for (int i = 0; i < invitation.count; i++) { /* on one node the loopback is the surest way */
        link->fd = try_address(&invitation, same_node ? invitation.count - 1 - i : i);
        int32_t connected = link->fd >= 0, accepted = 0;
        if (!connected) continue;
        send_to(link->rank, TAG_ANSWER, &connected, sizeof connected);
        receive_from(link->rank, TAG_ANSWER, &accepted, sizeof accepted);
        if (accepted) {
            set_up(link->fd);
            return;
        }
        close(link->fd);
        link->fd = -1;
    }
    int32_t given_up = -1;
    send_to(link->rank, TAG_ANSWER, &given_up, sizeof given_up);
}

/* ---- Parent -------------------------------------------------------------------------------------------------- */

/* Takes the connections that wait, each by its hello. */
static void take_hellos(int listener, uint64_t secret, Hp5Link *children, int count) {
    for (;;) {
        int fd = is_ready(listener, POLLIN) ? accept4(listener, NULL, NULL, SOCK_CLOEXEC) : -1;
        if (fd < 0) return;
        Hello hello;
        int child = read_all(fd, &hello, sizeof hello) && hello.secret == secret ? hello.rank - children[0].rank : -1;
        if (child < 0 || child >= count || children[child].fd >= 0) {
            close(fd);
            continue;
        }
        children[child].fd = fd;
        children[child].process = hello.process;
        memcpy(children[child].node, hello.node, sizeof hello.node);
        set_up(fd);
        return;
    }
}

/* One child after the other says that it has connected, or given up. Another child's hello may come first. */
static void accept_child(int listener, uint64_t secret, Hp5Link *children, int count, int at) {
    int32_t connected = 0;
    for (;;) {
        receive_from(children[at].rank, TAG_ANSWER, &connected, sizeof connected);
        if (connected < 0) return;
        for (int tries = 0; tries <= count && children[at].fd < 0; tries++) take_hellos(listener, secret, children, count);
        int32_t accepted = children[at].fd >= 0;
        send_to(children[at].rank, TAG_ANSWER, &accepted, sizeof accepted);
        if (accepted) return;
    }
}

static void invite_children(Hp5Link *children, int count) {
    Invitation invitation = {.process = getpid()};
    copy_node(invitation.node);
    int listener = listen_anywhere(&invitation.port);
    if (listener >= 0 && getrandom(&invitation.secret, sizeof invitation.secret, 0) == (ssize_t)sizeof invitation.secret)
        invitation.count = list_addresses(invitation.addresses);
    for (int i = 0; i < count; i++) send_to(children[i].rank, TAG_INVITATION, &invitation, sizeof invitation);
    for (int i = 0; i < count; i++) accept_child(listener, invitation.secret, children, count, i);
    if (listener >= 0) close(listener);
}

int hp5_links_make(Hp5Link *links) {
    int rank = hp5_comm_rank(), size = hp5_comm_size(), count = 0;
    if (rank > 0) links[count++] = (Hp5Link){.rank = hp5_parent_of(rank), .fd = -1};
    Hp5Link *children = links + count;
    int64_t first = (int64_t)rank * HP5_FANOUT + 1;
    for (int64_t child = first; child < first + HP5_FANOUT && child < size; child++)
        links[count++] = (Hp5Link){.rank = (int)child, .fd = -1};
    if (rank > 0) join_parent(&links[0]);
    if (links + count > children) invite_children(children, (int)(links + count - children));
    return count;
}
