/* What the two halves of the diagnostics share: diag.c collects, diag_print.c prints. */
#ifndef HP5_BASE_DIAG_INTERNAL_H
#define HP5_BASE_DIAG_INTERNAL_H
#include "compiler/base/diag.h"
#include "compiler/base/vec.h"

/* A note at a position of its own, which may lie in another source. */
typedef struct DiagNote {
    Source *source;
    Span span;
    const char *message;
} DiagNote;

struct Diag {
    Diags *diags; /* owner: its arena and its current source */
    DiagCode code;
    DiagSeverity severity;
    Source *source;      /* NULL: the message has no position */
    size_t source_order; /* sources sort in the order in which they were first named */
    Span span;           /* start <= end <= source->length */
    const char *message;
    const char *label; /* NULL: none */
    VEC(const char *) helps;
    VEC(DiagNote) notes;
};

struct Diags {
    Arena *arena;
    Source *source;        /* default source of new messages and notes */
    VEC(Source *) sources; /* every default source so far */
    VEC(Diag *) items;     /* in the order reported, without duplicates */
    Diag **known;          /* open-addressing hash set of the positioned items */
    size_t known_capacity; /* 0, or a power of two above twice the items */
    size_t errors, warnings;
};
#endif
