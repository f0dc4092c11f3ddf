/* Patterns: what one process does in a movement: the pieces that it copies from store to store, and, where several address
 * spaces take part, one message to or from each of its neighbours.
 *
 * A piece is a box of elements. It names stores by their numbers in this process's run (Hp5Store.number), never by pointers, so
 * that a pattern can go where pointers mean nothing, and says where the box begins in them (of stores with gaps, where it begins in the
 * array: their places may not follow each other as the indices do). Sender and receiver of a message list
 * the same boxes in the same order, by the numbers of the LPUs that take and give and by the first index: nobody has to say what a
 * message has in it. Elements follow each other box by box, row by row, with all versions of a box together (only the
 * current one where all others get it, too). */
#ifndef HP5_RUNTIME_PATTERN_H
#define HP5_RUNTIME_PATTERN_H
#include "runtime/move/search.h"
#include "runtime/run/run.h"

/* Words of a piece; one for each dimension follows: how many indices. */
enum { HP5_PIECE_STORES, HP5_PIECE_TO, HP5_PIECE_FROM, HP5_PIECE_COUNTS };
static inline int64_t hp5_piece_stores(int32_t to, int32_t from) { return (int64_t)((uint64_t)(uint32_t)to << 32 | (uint32_t)from); }
static inline int32_t hp5_piece_to(const int64_t *piece) { return (int32_t)(piece[HP5_PIECE_STORES] >> 32); }
static inline int32_t hp5_piece_from(const int64_t *piece) { return (int32_t)piece[HP5_PIECE_STORES]; }

typedef struct Hp5Pieces {
    int64_t *words;          /* HP5_PIECE_COUNTS + rank each */
    int64_t used, capacity;  /* words */
    int64_t elements;        /* of one version, in all pieces */
} Hp5Pieces;

/* To or from one other process; `to` of its pieces' stores is -1 in what is sent, `from` in what is received. */
typedef struct Hp5Message {
    int peer;
    bool passed; /* sent as it has come in the only message that is received; no pieces (replicate.h) */
    Hp5Pieces pieces;
} Hp5Message;

typedef struct Hp5Pattern {
    int array, rank;
    Hp5Span threads;              /* of the LPU that the movement takes place in */
    Hp5Pieces local;
    int send_count, receive_count;
    Hp5Message *sends, *receives; /* in the order of their peers */
    int64_t asked;                /* LPUs that were looked at while it was made */
    int64_t needed;               /* different elements that are received, for reports alone; -1: nobody has counted them */
} Hp5Pattern;

/* The processes of a run: process s (its rank in runtime/comm) has the threads starts[s] … starts[s + 1] - 1. */
typedef struct Hp5Segments {
    int count, me;
    const int *starts; /* [count + 1], of which the first is 0 */
    int first_rank;    /* process s is rank first_rank + s of runtime/comm */
} Hp5Segments;

/* The process that has the thread. */
int hp5_segment_of(const Hp5Segments *segments, int thread);

/* Who holds what, where the threads of an LPU are those of several processes. */
typedef struct Hp5Holders {
    bool sources_alike;    /* each of them has a source's elements; else the first one has them */
    bool all_destinations; /* each of them gets a destination's; else the first one does */
} Hp5Holders;

/* The pattern of a movement inside `parent`, a record. Costs the process's own LPUs and their neighbours. hp5_pattern_free frees it. */
Hp5Pattern hp5_pattern_create(const Hp5TaskRun *run, const Hp5Segments *segments, Hp5Movement movement, Hp5Holders holders, const Hp5Lpu *parent);
void hp5_pattern_free(Hp5Pattern *pattern);

/* What a piece says of a box that begins there. */
int64_t hp5_piece_begin(const Hp5Store *store, const int64_t *index);
void hp5_pieces_add(Hp5Pieces *pieces, int rank, int64_t stores, int64_t to, int64_t from, const int64_t *count);
/* Copies all pieces; version[k] gets version[k], here and below. rotates: but the oldest version gets version[0], because the next
 * epoch makes its buffer the current one. */
void hp5_pieces_copy(const Hp5TaskRun *run, const Hp5Pieces *pieces, int rank, bool rotates);
/* Between stores and a message's memory of hp5_pieces_bytes bytes. */
int64_t hp5_pieces_bytes(const Hp5TaskRun *run, const Hp5Pieces *pieces, int rank, bool rotates);
void hp5_pieces_pack(const Hp5TaskRun *run, const Hp5Pieces *pieces, int rank, bool rotates, void *message);
void hp5_pieces_unpack(const Hp5TaskRun *run, const Hp5Pieces *pieces, int rank, bool rotates, const void *message);
#endif
