/* Where padding is exchanged, and what flow functions call (move.h): the run's transport does the rest. */
#include "runtime/move/courier.h"
#include "runtime/move/transport.h"
#include "runtime/run/private.h"
#include <stdio.h>

void hp5_move_start(Hp5Worker *w, int exchange, Hp5Lpu *parent) { w->run->hidden->transport->start(w, exchange, parent); }

void hp5_move_finish(Hp5Worker *w, int exchange, Hp5Lpu *parent) { w->run->hidden->transport->finish(w, exchange, parent); }

void hp5_exchange(Hp5Worker *w, int exchange, Hp5Lpu *parent) {
    hp5_move_start(w, exchange, parent);
    hp5_move_finish(w, exchange, parent);
}

void hp5_reduce(Hp5Worker *w, int site, Hp5Lpu *target) { w->run->hidden->transport->combine(w, site, target); }

/* ---- Sites ------------------------------------------------------------------------------------------- */

int hp5_exchange_find(const Hp5TaskRun *run, int lps, int array) {
    for (int e = 0; e < run->hidden->exchange_count; e++)
        if (run->hidden->exchanges[e].desc.lps == lps && run->hidden->exchanges[e].desc.array == array)
            return e;
    return -1;
}

static int64_t parents_of(const Hp5TaskRun *run, Hp5ExchangeDesc desc) {
    return run->hidden->geometry.shapes[run->desc->lpses[desc.lps].parent].lpus;
}

static Hp5Account *account_of(const Hp5TaskDesc *desc, Hp5ExchangeDesc exchange) {
    const Hp5LpsDesc *lps = &desc->lpses[exchange.lps];
    char what[300];
    snprintf(what, sizeof what, "padding of %s in Space %s", desc->arrays[exchange.array].name, lps->name);
    return hp5_account_open(lps, exchange.array, desc->name, desc->source, lps->line, what);
}

static void add_site(Hp5TaskRun *run, Hp5ExchangeDesc desc) {
    Hp5ExchangeSite *site = &run->hidden->exchanges[run->hidden->exchange_count++];
    site->desc = desc;
    site->states = hp5_alloc_zeroed((int64_t)sizeof *site->states * (parents_of(run, desc) + 1), "exchange plans");
    if (hp5_has_processes(run)) site->account = account_of(run->desc, desc);
    if (run->hidden->segments.count <= 1) return;
    site->couriers = hp5_alloc_zeroed((int64_t)sizeof *site->couriers * (parents_of(run, desc) + 1), "exchange plans");
    site->lateness = hp5_lateness_create(run, parents_of(run, desc));
}

/* The descriptor's exchanges, then one for each padded level above a HOME that has none: a second execution
 * brings all padding up to date (fill.c). */
void hp5_exchanges_create(Hp5TaskRun *run) {
    const Hp5TaskDesc *desc = run->desc;
    int64_t most = desc->exchange_count + (int64_t)desc->array_count * desc->lps_count;
    run->hidden->transport = run->hidden->segments.count > 1 ? &hp5_transport_processes : &hp5_transport_threads;
    run->hidden->exchanges = hp5_alloc_zeroed((int64_t)sizeof(Hp5ExchangeSite) * (most + 1), "exchange plans");
    for (int e = 0; e < desc->exchange_count; e++) add_site(run, desc->exchanges[e]);
    for (int a = 0; a < desc->array_count; a++)
        for (int x = desc->arrays[a].home; x > 0; x = desc->lpses[x].parent) {
            int slot = hp5_slot_of(desc, x, a);
            if (slot >= 0 && hp5_has_padding(desc, x, slot) && hp5_exchange_find(run, x, a) < 0)
                add_site(run, (Hp5ExchangeDesc){x, a});
        }
}

void hp5_exchanges_free(Hp5TaskRun *run) {
    for (int e = 0; e < run->hidden->exchange_count; e++) {
        Hp5ExchangeSite *site = &run->hidden->exchanges[e];
        for (int64_t p = 0; p < parents_of(run, site->desc); p++)
            if (site->states[p]) run->hidden->transport->forget(site->states[p]);
        for (int64_t p = 0; site->couriers && p < parents_of(run, site->desc); p++) {
            if (site->couriers[p]) hp5_courier_free(site->couriers[p]);
            hp5_free(site->couriers[p]);
        }
        hp5_lateness_free(site->lateness);
        hp5_free(site->couriers);
        hp5_free(site->states);
    }
    hp5_free(run->hidden->exchanges);
}
