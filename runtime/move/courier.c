/* Couriers (courier.h). Messages that are started again are prepared then, once: from the second time on starting them costs packing and
 * nothing else. */
#include "runtime/move/courier.h"
#include "runtime/predict/predict.h"
#include "runtime/run/private.h"

static int message_count(const Hp5Courier *courier) { return courier->pattern.receive_count + courier->pattern.send_count; }

static const Hp5Message *message_of(const Hp5Courier *courier, int i) {
    int receives = courier->pattern.receive_count;
    return i < receives ? &courier->pattern.receives[i] : &courier->pattern.sends[i - receives];
}

static bool is_passed(const Hp5Courier *courier, int i) { return message_of(courier, i)->passed; }

/* Where a message's elements are listed, and lie. */
static int listed_at(const Hp5Courier *courier, int i) { return is_passed(courier, i) ? 0 : i; }

static int64_t bytes_of(const Hp5Courier *courier, const Hp5TaskRun *run, int i) {
    return hp5_pieces_bytes(run, &message_of(courier, listed_at(courier, i))->pieces, courier->pattern.rank, courier->rotates);
}

/* How long each message will be, by formula: what is packed is counted apart from it. */
static void plan(Hp5Courier *courier, const Hp5TaskRun *run) {
    const Hp5ArrayDesc *array = &run->desc->arrays[courier->pattern.array];
    int count = message_count(courier);
    int64_t each = (int64_t)array->element->size * (array->versions - courier->rotates);
    courier->needed = courier->pattern.needed < 0 ? -1 : courier->pattern.needed * each;
    if (count > 0) courier->planned = hp5_alloc((int64_t)sizeof *courier->planned * count, "movements");
    for (int i = 0; i < count; i++) courier->planned[i] = message_of(courier, listed_at(courier, i))->pieces.elements * each;
}

static void fail_comparison(const Hp5Courier *courier, int from, int64_t sent, int to, int64_t expected) {
    hp5_fail(HP5_EXIT_FAILURE, "a mistake in HP5, which is worth a report: the plan of %s has process %d send %lld bytes to process %d, which expects %lld",
             courier->account ? courier->account->what : "a movement", from, (long long)sent, to, (long long)expected);
}

/* Both ends of a message have found it on their own: tests compare what they have found, before somebody waits for what does not come. */
static void compare(const Hp5Courier *courier, const Hp5TaskRun *run) {
    Hp5Peers peers = hp5_peers_of(run, courier->pattern.threads);
    int64_t width = 2 * (int64_t)peers.count, *mine = hp5_alloc_zeroed(width * (int64_t)sizeof *mine, "a comparison of plans");
    int64_t *all = hp5_alloc(width * peers.count * (int64_t)sizeof *all, "a comparison of plans");
    int first = peers.ranks[0] - run->hidden->segments.first_rank; /* as a segment */
    for (int i = 0; i < message_count(courier); i++) {
        bool receives = i < courier->pattern.receive_count;
        mine[(receives ? peers.count : 0) + message_of(courier, i)->peer - first] = courier->planned[i];
    }
    if (peers.count > 1) hp5_comm_gather_all(peers, HP5_TAG_PLANS, mine, width * (int64_t)sizeof *mine, all);
    for (int from = 0; from < peers.count && peers.count > 1; from++)
        for (int to = 0; to < peers.count; to++) {
            int64_t sent = all[from * width + to], expected = all[to * width + peers.count + from];
            if (sent != expected) fail_comparison(courier, peers.ranks[from], sent, peers.ranks[to], expected);
        }
    hp5_free((void *)peers.ranks);
    hp5_free(mine);
    hp5_free(all);
}

void hp5_courier_create(Hp5Courier *courier, const Hp5TaskRun *run, Hp5Pattern pattern, bool rotates, int tag, Hp5Account *account) {
    *courier = (Hp5Courier){.pattern = pattern, .rotates = rotates, .account = account};
    plan(courier, run);
    int count = message_count(courier), first = run->hidden->segments.first_rank;
    if (hp5_plan_is_checked()) compare(courier, run);
    if (count == 0) return;
    courier->requests = hp5_alloc_zeroed((int64_t)sizeof *courier->requests * count, "movements");
    courier->starts = hp5_alloc_zeroed((int64_t)sizeof *courier->starts * (count + 1), "movements");
    for (int i = 0; i < count; i++) {
        int64_t bytes = is_passed(courier, i) ? 0 : bytes_of(courier, run, i);
        courier->starts[i + 1] = courier->starts[i] + (bytes + 63) / 64 * 64;
    }
    courier->memory = hp5_element_buffer(courier->starts[count], "movements");
    for (int i = 0; i < count; i++) {
        const Hp5Message *message = message_of(courier, i);
        int64_t bytes = bytes_of(courier, run, i);
        courier->requests[i] = (Hp5Request){.bytes = bytes, .peer = first + message->peer, .tag = tag, .receives = i < pattern.receive_count};
    }
}

void hp5_courier_free(Hp5Courier *courier) {
    for (int i = 0; i < message_count(courier); i++) hp5_comm_free(&courier->requests[i]);
    hp5_free(courier->requests);
    hp5_free(courier->starts);
    hp5_free(courier->planned);
    hp5_free(courier->memory);
    hp5_pattern_free(&courier->pattern);
    *courier = (Hp5Courier){0};
}

static void start_messages(Hp5Courier *courier, int begin, int end) {
    for (int i = begin; i < end; i++) {
        Hp5Request *request = &courier->requests[i];
        char *data = courier->memory + courier->starts[listed_at(courier, i)];
        const bool again = courier->number > 1, prepares = again && !request->kept;
        if (prepares && request->receives) hp5_comm_prepare_receive(request, data, request->bytes, request->peer, request->tag);
        else if (prepares) hp5_comm_prepare_send(request, data, request->bytes, request->peer, request->tag);
        if (again) hp5_comm_start(request, 1);
        else if (request->receives) hp5_comm_receive(request, data, request->bytes, request->peer, request->tag);
        else hp5_comm_send(request, data, request->bytes, request->peer, request->tag);
    }
}

void hp5_courier_start(Hp5Courier *courier, const Hp5TaskRun *run) {
    int receives = courier->pattern.receive_count, count = message_count(courier);
    int first = run->hidden->segments.first_rank;
    Hp5Account *before = hp5_account_use(courier->account);
    courier->number++;
    if (run->workers[0].trace) courier->began = hp5_now();
    if (count > 0) hp5_account_happens(courier->account, courier->needed);
    for (int i = 0; i < count; i++)
        hp5_plan_message(i < receives, first + message_of(courier, i)->peer, courier->requests[i].tag, courier->planned[i]);
    start_messages(courier, 0, receives);
    for (int i = receives; i < count; i++) {
        if (is_passed(courier, i)) continue;
        if (!hp5_simulate_copy(run, courier->requests[i].bytes)) hp5_pieces_pack(run, &message_of(courier, i)->pieces, courier->pattern.rank, courier->rotates, courier->memory + courier->starts[i]);
        start_messages(courier, i, i + 1);
    }
    hp5_account_use(before);
}

/* What has come goes on to those below in the tree before anybody looks at it here. */
static void pass_on(Hp5Courier *courier) {
    int receives = courier->pattern.receive_count, count = message_count(courier);
    if (receives != 1 || count == 1 || !is_passed(courier, 1)) return;
    hp5_comm_wait(&courier->requests[0]);
    start_messages(courier, receives, count);
}

void hp5_courier_finish(Hp5Courier *courier, const Hp5TaskRun *run) {
    int count = message_count(courier);
    Hp5Account *before = hp5_account_use(courier->account);
    pass_on(courier);
    if (count > 0) hp5_comm_wait_all(courier->requests, count);
    hp5_account_use(before);
    for (int i = 0; i < courier->pattern.receive_count; i++)
        if (!hp5_simulate_copy(run, courier->requests[i].bytes)) hp5_pieces_unpack(run, &message_of(courier, i)->pieces, courier->pattern.rank, courier->rotates, courier->memory + courier->starts[i]);
}

void hp5_courier_finish_by(Hp5Courier *courier, Hp5Worker *w) {
    int count = message_count(courier), ppu = (int)w->run->desc->ppu_first + w->rank;
    const char *name = w->run->desc->arrays[courier->pattern.array].name;
    if (w->trace == NULL || count == 0) {
        hp5_courier_finish(courier, w->run);
        return;
    }
    double waits = hp5_now();
    hp5_comm_wait_all(courier->requests, count);
    double end = hp5_now();
    hp5_trace_span(w->trace, (Hp5TraceSpan){name, ppu, HP5_SPAN_WAIT, waits, end, 0, 0});
    for (int i = 0; i < count; i++) {
        bool receives = i < courier->pattern.receive_count;
        int peer = w->run->hidden->segments.first_rank + message_of(courier, i)->peer;
        hp5_trace_span(w->trace, (Hp5TraceSpan){name, peer, receives ? HP5_SPAN_RECEIVED : HP5_SPAN_SENT, courier->began, end, courier->requests[i].tag, courier->number});
    }
    hp5_courier_finish(courier, w->run);
}
