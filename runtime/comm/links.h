/* TCP connections between processes, apart from MPI: for watching each other, and for ending together when MPI can no longer be
 * trusted. They make a tree: each process is linked to its parent and to at most HP5_FANOUT children. */
#ifndef HP5_RUNTIME_COMM_LINKS_H
#define HP5_RUNTIME_COMM_LINKS_H
#include <stdbool.h>
#include <stdint.h>

enum { HP5_FANOUT = 8, HP5_MOST_LINKS = HP5_FANOUT + 1, HP5_NODE_NAME = 64 };

typedef struct Hp5Link {
    int rank;                 /* of the process at the other end */
    int fd;                   /* -1: there is no connection (any more) */
    int64_t process;          /* its process id */
    char node[HP5_NODE_NAME]; /* where it runs */
} Hp5Link;

static inline int hp5_parent_of(int rank) { return (rank - 1) / HP5_FANOUT; } /* of all but process 0 */

/* By every process, when messages can be sent: fills links[HP5_MOST_LINKS], the parent's first (none in process 0), and returns how
 * many there are. Where no connection can be made (a firewall) its link has no fd. */
int hp5_links_make(Hp5Link *links);
#endif
