/* Couriers (courier.h). Their messages are prepared once: starting them costs packing and nothing else. */
#include "runtime/move/courier.h"
#include "runtime/predict/predict.h"
#include "runtime/run/private.h"

static int message_count(const Hp5Courier *courier) { return courier->pattern.receive_count + courier->pattern.send_count; }

static const Hp5Message *message_of(const Hp5Courier *courier, int i) {
    int receives = courier->pattern.receive_count;
    return i < receives ? &courier->pattern.receives[i] : &courier->pattern.sends[i - receives];
}

void hp5_courier_create(Hp5Courier *courier, const Hp5TaskRun *run, Hp5Pattern pattern, bool from_current, int tag) {
    *courier = (Hp5Courier){.pattern = pattern, .from_current = from_current};
    int count = message_count(courier), first = run->hidden->segments.first_rank;
    if (count == 0) return;
    courier->requests = hp5_alloc_zeroed((int64_t)sizeof *courier->requests * count, "movements");
    courier->starts = hp5_alloc_zeroed((int64_t)sizeof *courier->starts * (count + 1), "movements");
    for (int i = 0; i < count; i++) {
        int64_t bytes = hp5_pieces_bytes(run, &message_of(courier, i)->pieces, pattern.rank, from_current);
        courier->starts[i + 1] = courier->starts[i] + (bytes + 63) / 64 * 64;
    }
    courier->memory = hp5_element_buffer(courier->starts[count], "movements");
    for (int i = 0; i < count; i++) {
        const Hp5Message *message = message_of(courier, i);
        int64_t bytes = hp5_pieces_bytes(run, &message->pieces, pattern.rank, from_current);
        char *data = courier->memory + courier->starts[i];
        if (i < pattern.receive_count) hp5_comm_prepare_receive(&courier->requests[i], data, bytes, first + message->peer, tag);
        else hp5_comm_prepare_send(&courier->requests[i], data, bytes, first + message->peer, tag);
    }
}

void hp5_courier_free(Hp5Courier *courier) {
    for (int i = 0; i < message_count(courier); i++) hp5_comm_free(&courier->requests[i]);
    hp5_free(courier->requests);
    hp5_free(courier->starts);
    hp5_free(courier->memory);
    hp5_pattern_free(&courier->pattern);
    *courier = (Hp5Courier){0};
}

/* Simulated messages without contents take the time of copying. */
static bool is_hollow(const Hp5Courier *courier, const Hp5TaskRun *run, int i) {
    if (!hp5_comm_is_imagined()) return false;
    hp5_cost_copies(&run->workers[0], (double)courier->requests[i].bytes);
    hp5_simulate_passed(&run->workers[0]);
    return true;
}

void hp5_courier_start(Hp5Courier *courier, const Hp5TaskRun *run) {
    int receives = courier->pattern.receive_count, count = message_count(courier);
    if (receives > 0) hp5_comm_start(courier->requests, receives);
    for (int i = receives; i < count; i++) {
        if (!is_hollow(courier, run, i)) hp5_pieces_pack(run, &message_of(courier, i)->pieces, courier->pattern.rank, courier->from_current, courier->memory + courier->starts[i]);
        hp5_comm_start(&courier->requests[i], 1);
    }
}

void hp5_courier_finish(Hp5Courier *courier, const Hp5TaskRun *run) {
    int count = message_count(courier);
    if (count > 0) hp5_comm_wait_all(courier->requests, count);
    for (int i = 0; i < courier->pattern.receive_count; i++)
        if (!is_hollow(courier, run, i)) hp5_pieces_unpack(run, &message_of(courier, i)->pieces, courier->pattern.rank, courier->from_current, courier->memory + courier->starts[i]);
}
