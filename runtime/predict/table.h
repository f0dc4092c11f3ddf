/* Texts of predictions' tables (report.c). */
#ifndef HP5_RUNTIME_PREDICT_TABLE_H
#define HP5_RUNTIME_PREDICT_TABLE_H
#include "runtime/predict/predict.h"

enum { HP5_NUMBER_TEXT = 24 };
/* Three digits and a prefix of a thousand: "12.3 M"; "12.3 us". */
const char *hp5_number_text(double value, const char *unit, char text[HP5_NUMBER_TEXT]);
const char *hp5_duration_text(double seconds, char text[HP5_NUMBER_TEXT]);
/* One thread of the host of a card: the levels above the card. */
void hp5_cost_host(Hp5CostMachine *machine, const Hp5TaskDesc *desc);
/* In the end of a program: what comes back from cards for its outputs. */
void hp5_predict_card_outputs(void);
#endif
