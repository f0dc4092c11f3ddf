/* Output files in rounds (windows.h). The file is in windows of WINDOW bytes, and each process that takes part in the run writes some that follow each other, one in
 * each round. In a round each process counts what it has of the windows of all others, and tells those that it has something for how long its message will
 * be; the messages go round in a circle, so many at a time as memory allows; then each writes its window in one call. So a process needs room for its window and
 * ON_THE_WAY bytes, however many processes there are.
 *
 * A process by itself has all windows, and writes of each what it has.
 *
 * How to read it: windows; what a message says of where its elements go; what a process has of a window, counted or packed; messages of a round; all rounds;
 * one process by itself. */
#include "runtime/comm/accounts.h"
#include "runtime/move/touched.h"
#include "runtime/run/windows.h"
#include <stdio.h>
#include <string.h>

enum { WINDOW = 512 << 10, ON_THE_WAY = 1 << 20 };

typedef struct Rounds {
    const Hp5Item *item;
    Hp5NpyWriter *writer;
    Hp5Peers peers;                 /* who takes part: the processes of the run */
    int count, me;                  /* of them */
    int64_t begin, each, elements;  /* of the file: where elements begin, bytes of one, how many there are */
    int64_t windows, round;
    char *window;                   /* what this process writes in the round */
    bool any;                       /* something of it is there */
    int64_t needed;                 /* bytes of elements that have come from others */
} Rounds;

/* ---- Windows ------------------------------------------------------------------------------------------------ */

/* Elements first … end - 1 of the file. */
typedef struct Window {
    int64_t first, end;
} Window;

/* The first element that begins at this byte of the file or behind it. */
static int64_t element_at(const Rounds *rounds, int64_t byte) {
    const int64_t at = byte > rounds->begin ? (byte - rounds->begin + rounds->each - 1) / rounds->each : 0;
    return at < rounds->elements ? at : rounds->elements;
}

/* Of few windows the first processes have one each: the first one of them has written what stands before the elements. */
static int64_t first_window(const Rounds *rounds, int process) { return (rounds->windows * process + rounds->count - 1) / rounds->count; }

static Window window_of(const Rounds *rounds, int process) {
    const int64_t at = first_window(rounds, process) + rounds->round;
    if (at >= first_window(rounds, process + 1)) return (Window){0, 0};
    return (Window){element_at(rounds, at * WINDOW), element_at(rounds, (at + 1) * WINDOW)};
}

static int64_t byte_of(const Rounds *rounds, int64_t element) { return rounds->begin + element * rounds->each; }

/* ---- Where elements go ----------------------------------------------------------------------------------------- */

/* `count` runs of `bytes` bytes each, `step` apart, from byte `at` of the window on: what lies in strides is one of these. */
typedef struct Strip {
    uint32_t at, bytes, step, count;
} Strip;

/* A message: how many strips there are, these, and their runs' bytes. */
typedef struct Strips {
    Strip *list;    /* NULL: they are counted only */
    int64_t count;
    Strip last;     /* not in the list yet; count 0: there is none */
} Strips;

static void end_strip(Strips *strips) {
    if (strips->last.count == 0) return;
    if (strips->list) strips->list[strips->count] = strips->last;
    strips->count++;
    strips->last.count = 0;
}

static void add_run(Strips *strips, uint32_t at, uint32_t bytes) {
    Strip *last = &strips->last;
    if (last->count == 1 && at == last->at + last->bytes) {
        last->bytes += bytes;
    } else if (last->count == 1 && bytes == last->bytes && at > last->at) {
        last->step = at - last->at;
        last->count = 2;
    } else if (last->count > 1 && bytes == last->bytes && at == last->at + last->count * last->step) {
        last->count++;
    } else {
        end_strip(strips);
        *last = (Strip){at, bytes, 0, 1};
    }
}

static int64_t message_bytes(int64_t strips, int64_t bytes) { return bytes > 0 ? (int64_t)sizeof(int64_t) + strips * (int64_t)sizeof(Strip) + bytes : 0; }

/* The message's bytes into the window. */
static void unpack(Rounds *rounds, const char *message, int64_t bytes) {
    int64_t count;
    memcpy(&count, message, sizeof count);
    const char *strips = message + sizeof count, *from = strips + count * (int64_t)sizeof(Strip);
    rounds->any = true;
    rounds->needed += message + bytes - from;
    for (int64_t i = 0; i < count; i++) {
        Strip strip;
        memcpy(&strip, strips + i * (int64_t)sizeof strip, sizeof strip);
        for (uint32_t k = 0; k < strip.count; k++, from += strip.bytes) memcpy(rounds->window + strip.at + k * strip.step, from, strip.bytes);
    }
}

/* ---- What this process has of a window -------------------------------------------------------------------------- */

typedef struct Part {
    Rounds *rounds;
    Window window;
    Strips strips;
    int64_t bytes;      /* of its elements so far */
    char *data;         /* where they go; NULL: they are counted only */
    const Hp5Box *box;  /* the one at hand */
    _Atomic uint64_t *bits; /* of elements that have come into the window of a process that writes by itself */
} Part;

/* Boxes lie in the file in runs of those dimensions that are whole, and a part of the one before them: `count` elements from the `first` one on. */
static void each_run(const Rounds *rounds, const Hp5Box *box, void (*visit)(int64_t first, int64_t count, void *data), void *data) {
    const Hp5Item *item = rounds->item;
    int64_t index[HP5_MAX_RANK], count = 1;
    int cut = item->rank - 1;
    for (; cut > 0 && box->hi[cut] - box->lo[cut] == item->extent[cut]; cut--) count *= item->extent[cut];
    count *= box->hi[cut] - box->lo[cut];
    for (int d = 0; d < item->rank; d++) index[d] = box->lo[d];
    for (int d = cut; d >= 0;) {
        int64_t first = 0;
        for (int k = 0; k < item->rank; k++) first = first * item->extent[k] + index[k] - item->lo[k];
        visit(first, count, data);
        for (d = cut - 1; d >= 0 && ++index[d] == box->hi[d]; d--) index[d] = box->lo[d];
    }
}

static void add_to_part(int64_t first, int64_t count, void *data) {
    Part *part = data;
    const int64_t each = part->rounds->each;
    add_run(&part->strips, (uint32_t)((first - part->window.first) * each), (uint32_t)(count * each));
    part->bytes += count * each;
}

static void add_runs(Part *part, const Hp5Box *box) { each_run(part->rounds, box, add_to_part, part); }

/* Bytes of the file, some of the box at hand, which they follow in the message in the order of the file. */
static void take_for_message(void *taker, const char *data, int64_t bytes, int64_t offset) {
    const Part *part = taker;
    const Hp5Item *item = part->rounds->item;
    int64_t element = (offset - part->rounds->begin) / part->rounds->each, weight = 1, place = 0;
    for (int d = item->rank - 1; d >= 0; d--) {
        place += (element % item->extent[d] + item->lo[d] - part->box->lo[d]) * weight;
        weight *= part->box->hi[d] - part->box->lo[d];
        element /= item->extent[d];
    }
    memcpy(part->data + place * part->rounds->each, data, (size_t)bytes);
}

static void take_for_window(void *taker, const char *data, int64_t bytes, int64_t offset) {
    const Part *part = taker;
    memcpy(part->data + (offset - byte_of(part->rounds, part->window.first)), data, (size_t)bytes);
}

static void count_box(const Hp5Store *store, const Hp5Box *box, void *data) {
    (void)store;
    add_runs(data, box);
}

static void pack_box(const Hp5Store *store, const Hp5Box *box, void *data) {
    Part *part = data;
    const int64_t before = part->bytes;
    part->box = box;
    hp5_box_write(store, part->rounds->item->lo, box, part->rounds->writer);
    add_runs(part, box);
    part->data += part->bytes - before;
}

static void copy_box(const Hp5Store *store, const Hp5Box *box, void *data) {
    Part *part = data;
    part->rounds->any = true;
    hp5_box_write(store, part->rounds->item->lo, box, part->rounds->writer);
}

typedef struct Walk {
    Part *part;
    void (*visit)(const Hp5Store *store, const Hp5Box *box, void *part);
} Walk;

static void walk_range(const Hp5Box *within, void *data) {
    const Walk *walk = data;
    const Hp5Item *item = walk->part->rounds->item;
    hp5_each_owned_box_in(item->spread, item->spread_array, within, walk->visit, walk->part);
}

static void each_own_box(Part *part, void (*visit)(const Hp5Store *store, const Hp5Box *box, void *part)) {
    hp5_range_each_box(part->rounds->item, false, part->window.first, part->window.end, walk_range, &(Walk){part, visit});
}

/* Bytes of the message to another process; 0: there is none. */
static int64_t count_part(Rounds *rounds, int process, int64_t *strips) {
    Part part = {.rounds = rounds, .window = window_of(rounds, process)};
    each_own_box(&part, count_box);
    end_strip(&part.strips);
    *strips = part.strips.count;
    return message_bytes(part.strips.count, part.bytes);
}

/* Returns its bytes. */
static int64_t pack_part(Rounds *rounds, int process, int64_t strips, char *message) {
    Strip *list = (Strip *)(void *)(message + sizeof strips);
    Part part = {.rounds = rounds, .window = window_of(rounds, process), .strips = {.list = list}, .data = (char *)(list + strips)};
    hp5_npy_divert(rounds->writer, take_for_message, &part);
    each_own_box(&part, pack_box);
    hp5_npy_divert(rounds->writer, NULL, NULL);
    end_strip(&part.strips);
    memcpy(message, &part.strips.count, sizeof part.strips.count);
    return message_bytes(part.strips.count, part.bytes);
}

static void copy_own(Rounds *rounds) {
    Part part = {.rounds = rounds, .window = window_of(rounds, rounds->me), .data = rounds->window};
    hp5_npy_divert(rounds->writer, take_for_window, &part);
    each_own_box(&part, copy_box);
    hp5_npy_divert(rounds->writer, NULL, NULL);
}

/* ---- Messages of a round -------------------------------------------------------------------------------------- */

/* What is on the way: a message to somebody, one from somebody, and so on. */
typedef struct Flight {
    Hp5Request *requests;
    char **messages;
    int count;
    int64_t bytes;
} Flight;

static void land(Rounds *rounds, Flight *flight) {
    hp5_comm_wait_all(flight->requests, flight->count);
    for (int i = 0; i < flight->count; i++) {
        if (flight->requests[i].receives) unpack(rounds, flight->messages[i], flight->requests[i].bytes);
        hp5_free(flight->messages[i]);
    }
    flight->count = 0;
    flight->bytes = 0;
}

/* peer: its rank. */
static char *board(Flight *flight, bool receives, int peer, int64_t bytes) {
    hp5_plan_message(receives, peer, HP5_TAG_FILES, bytes);
    flight->bytes += bytes;
    return flight->messages[flight->count++] = hp5_alloc(bytes, "an output file");
}

static void receive(Flight *flight, int peer, int64_t bytes) {
    char *message = board(flight, true, peer, bytes);
    hp5_comm_receive(&flight->requests[flight->count - 1], message, bytes, peer, HP5_TAG_FILES);
}

static void send(Rounds *rounds, Flight *flight, int process, int64_t bytes, int64_t strips) {
    char *message = board(flight, false, rounds->peers.ranks[process], bytes);
    const int64_t packed = pack_part(rounds, process, strips, message);
    hp5_comm_send(&flight->requests[flight->count - 1], message, packed, rounds->peers.ranks[process], HP5_TAG_FILES);
}

/* For each process, what goes there and what comes from there in the round: bytes, and strips of what goes. */
typedef struct Traffic {
    int64_t *going, *strips, *coming;
} Traffic;

static void count_traffic(Rounds *rounds, const Traffic *traffic) {
    Hp5Notice *mine = hp5_alloc((int64_t)sizeof *mine * rounds->count, "an output file"), *notices;
    int count = 0;
    memset(traffic->coming, 0, sizeof *traffic->coming * (size_t)rounds->count);
    for (int p = 0; p < rounds->count; p++) {
        traffic->going[p] = p == rounds->me ? 0 : count_part(rounds, p, &traffic->strips[p]);
        if (traffic->going[p] > 0) mine[count++] = (Hp5Notice){rounds->peers.ranks[p], traffic->going[p]};
    }
    count = hp5_comm_notify(rounds->peers, HP5_TAG_FILES, mine, count, &notices);
    for (int i = 0; i < count; i++) traffic->coming[notices[i].peer - rounds->peers.ranks[0]] = notices[i].number;
    hp5_free(notices);
    hp5_free(mine);
}

/* Each process goes round the others, all in the same order: those that it waits for wait for nobody who is further on. */
static void exchange(Rounds *rounds, const Traffic *traffic, Flight *flight) {
    for (int step = 1; step < rounds->count; step++) {
        const int to = (rounds->me + step) % rounds->count, from = (rounds->me + rounds->count - step) % rounds->count;
        if (flight->count > 0 && flight->bytes + traffic->going[to] + traffic->coming[from] > ON_THE_WAY) land(rounds, flight);
        if (traffic->coming[from] > 0) receive(flight, rounds->peers.ranks[from], traffic->coming[from]);
        if (traffic->going[to] > 0) send(rounds, flight, to, traffic->going[to], traffic->strips[to]);
    }
    land(rounds, flight);
}

/* ---- All rounds ----------------------------------------------------------------------------------------------- */

static void do_round(Rounds *rounds, const Traffic *traffic, Flight *flight) {
    const Window window = window_of(rounds, rounds->me);
    const int64_t bytes = (window.end - window.first) * rounds->each;
    rounds->any = false;
    memset(rounds->window, 0, (size_t)bytes); /* of what nobody has */
    count_traffic(rounds, traffic);
    copy_own(rounds);
    exchange(rounds, traffic, flight);
    if (rounds->any) hp5_npy_write_bytes(rounds->writer, rounds->window, bytes, byte_of(rounds, window.first));
}

static void do_rounds(Rounds *rounds) {
    int64_t *numbers = hp5_alloc_zeroed(3 * (int64_t)sizeof *numbers * rounds->count, "an output file");
    const Traffic traffic = {numbers, numbers + rounds->count, numbers + 2 * rounds->count};
    Flight flight = {.requests = hp5_alloc_zeroed(2 * (int64_t)sizeof(Hp5Request) * rounds->count, "an output file"),
                     .messages = hp5_alloc(2 * (int64_t)sizeof(char *) * rounds->count, "an output file")};
    rounds->window = hp5_alloc(WINDOW + rounds->each, "an output file");
    for (; rounds->round * rounds->count < rounds->windows; rounds->round++) do_round(rounds, &traffic, &flight);
    hp5_free(rounds->window);
    hp5_free(flight.messages);
    hp5_free(flight.requests);
    hp5_free(numbers);
}

static Rounds rounds_of(const Hp5Item *item, Hp5NpyWriter *writer, int processes, int me) {
    Rounds rounds = {.item = item, .writer = writer, .count = processes, .me = me, .begin = hp5_npy_begin(writer), .each = hp5_npy_each(writer), .elements = 1};
    for (int d = 0; d < item->rank; d++) rounds.elements *= item->extent[d];
    rounds.windows = (byte_of(&rounds, rounds.elements) + WINDOW - 1) / WINDOW;
    return rounds;
}

void hp5_windows_write(const Hp5Item *item, Hp5NpyWriter *writer, const char *name) {
    Hp5TaskRun *run = item->spread;
    char what[300];
    snprintf(what, sizeof what, "%s, on its way to a file", name);
    Hp5Account *account = hp5_account_open(name, 0, NULL, NULL, 0, what), *before = hp5_account_use(account);
    Rounds rounds = rounds_of(item, writer, run->hidden->segments.count, run->hidden->segments.me);
    if (rounds.me < rounds.count) {
        rounds.peers = hp5_peers_of(run, (Hp5Span){0, run->hidden->geometry.ppus});
        do_rounds(&rounds);
        hp5_free((void *)rounds.peers.ranks);
        hp5_account_happens(account, rounds.needed);
    }
    hp5_account_use(before);
}

/* ---- One process by itself ------------------------------------------------------------------------------------ */

/* What it has of the file: so many runs, and where. */
typedef struct Own {
    const Rounds *rounds;
    int64_t runs, elements, first, end;
} Own;

static void measure_run(int64_t first, int64_t count, void *data) {
    Own *own = data;
    if (own->runs == 0 || first < own->first) own->first = first;
    if (first + count > own->end) own->end = first + count;
    own->elements += count;
    own->runs++;
}

static void measure_box(const Hp5Store *store, const Hp5Box *box, void *data) {
    (void)store;
    each_run(((Own *)data)->rounds, box, measure_run, data);
}

static void mark_run(int64_t first, int64_t count, void *data) {
    const Part *part = data;
    for (int64_t at = first - part->window.first, end = at + count; at < end; at = (at / 64 + 1) * 64) {
        const int64_t here = end - at < 64 - at % 64 ? end - at : 64 - at % 64;
        const uint64_t some = here < 64 ? (UINT64_C(1) << here) - 1 : ~UINT64_C(0);
        part->bits[at / 64] |= some << at % 64;
    }
}

static void copy_and_mark(const Hp5Store *store, const Hp5Box *box, void *data) {
    const Part *part = data;
    copy_box(store, box, data);
    each_run(part->rounds, box, mark_run, data);
}

/* What there is of a window, in calls that are as long as can be. */
static void write_marked(const Part *part) {
    const Rounds *rounds = part->rounds;
    const Hp5Touched marks = {.bits = part->bits};
    const int64_t count = part->window.end - part->window.first;
    for (int64_t at = hp5_next_touched(&marks, 0, count, true), end; at < count; at = hp5_next_touched(&marks, end, count, true)) {
        end = hp5_next_touched(&marks, at, count, false);
        hp5_npy_write_bytes(rounds->writer, part->data + at * rounds->each, (end - at) * rounds->each, byte_of(rounds, part->window.first + at));
    }
}

static void write_own(Rounds *rounds, const Own *own) {
    enum { WORDS = WINDOW / 64 + 1 };
    Part part = {.rounds = rounds, .data = hp5_alloc(WINDOW + rounds->each, "an output file"), .bits = hp5_alloc(WORDS * (int64_t)sizeof(uint64_t), "an output file")};
    hp5_npy_divert(rounds->writer, take_for_window, &part);
    for (rounds->round = byte_of(rounds, own->first) / WINDOW; rounds->round * WINDOW < byte_of(rounds, own->end); rounds->round++) {
        part.window = window_of(rounds, 0);
        memset((void *)part.bits, 0, (size_t)((part.window.end - part.window.first + 63) / 64) * sizeof(uint64_t));
        each_own_box(&part, copy_and_mark);
        write_marked(&part);
    }
    hp5_npy_divert(rounds->writer, NULL, NULL);
    hp5_free((void *)part.bits);
    hp5_free(part.data);
}

bool hp5_windows_write_own(const Hp5Item *item, Hp5NpyWriter *writer) {
    Rounds rounds = rounds_of(item, writer, 1, 0);
    Own own = {.rounds = &rounds};
    hp5_each_owned_box(item->spread, item->spread_array, measure_box, &own);
    if (own.runs < 2 || own.elements * rounds.each >= own.runs * HP5_SHORT_RUN) return false;
    write_own(&rounds, &own);
    return true;
}
