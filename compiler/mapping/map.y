/* Mapping files.
 *
 *     "Task Name" {
 *         Model: Name                only where the machine file has several models
 *         Space Root: Socket         confines the task
 *         Space A: Core[0...5]       by name or by number; a subset of the level's PPUs
 *         Space B: Core by function  an index mapping function gives each LPU its PPU
 *         Layout a: F_order, align 64     how an array lies in memory
 *         InstanceLimit A 4          LPUs of a Space at once
 *         CollectMemory a            memory from the first use to the last
 *         Priority 5                 of the task, among those that wait
 *         Region a: ZCMEM            the memory that has an array of a task on a card
 *     }
 *
 * Functions and assignments (`def f(…): …`, `m = Machine(Core)`) stand between the blocks; func.y has them.
 *
 * A line that does not fit is dropped whole; reading resumes at the next line, the end
 * of the block, or the next block. */
%name map_parser
%token_prefix MAP_
%token_type {MapToken}
%token DEF.
%extra_context {MapContext *context}

%include {
#include <assert.h>
#include <stdlib.h>
#include "compiler/base/lemon_accepts.h"
#include "compiler/mapping/map_parse.h"
}
%code { LEMON_ACCEPTS(map_accepts) }
%stack_overflow { internal_error("mapping", "the parser's stack overflowed"); }

%type word {MapToken}
%type pps {MapToken}
%type subset {MapSubset}
%type by {MapToken}
%type layout {PlaceStatement}

%start_symbol file
file ::= blocks.

/* ---- Blocks --------------------------------------------------------------------- */
blocks ::= .
blocks ::= blocks block.
block ::= opening lines RBRACE(E).  { map_end_task(context, E.span); }
block ::= error.
opening ::= STRING(N) LBRACE.       { map_begin_task(context, N.span); }

/* ---- Lines ------------------------------------------------------------------------ */
lines ::= .
lines ::= lines line.
line ::= MODEL COLON word(N).       { map_add_model(context, N.span); }
line ::= SPACE(K) word(L) COLON pps(P) subset(S) by(F).
    { map_add_line(context, K.span, L.span, P.span, S, F.span); }
line ::= LAYOUT(K) word(A) COLON layout(L).         { map_add_layout(context, K.span, A.span, &L); }
line ::= LIMIT(K) word(L) INTEGER(N).               { map_add_statement(context, PLACE_LIMIT, K.span, L.span, N.span); }
line ::= COLLECT(K) word(A).                        { map_add_statement(context, PLACE_COLLECT, K.span, A.span, (Span){0, 0}); }
line ::= PRIORITY(K) INTEGER(N).                    { map_add_statement(context, PLACE_PRIORITY, K.span, (Span){0, 0}, N.span); }
line ::= REGION(K) word(A) COLON word(M).            { map_add_region(context, K.span, A.span, M.span); }
line ::= error.

layout(L) ::= word(W).                              { L = (PlaceStatement){0}; map_layout_word(context, &L, W.span, (Span){0, 0}); }
layout(L) ::= word(W) INTEGER(N).                   { L = (PlaceStatement){0}; map_layout_word(context, &L, W.span, N.span); }
layout(L) ::= layout(M) COMMA word(W).              { L = M; map_layout_word(context, &L, W.span, (Span){0, 0}); }
layout(L) ::= layout(M) COMMA word(W) INTEGER(N).   { L = M; map_layout_word(context, &L, W.span, N.span); }

word(W) ::= NAME(N).                { W = N; }
word(W) ::= MODEL(N).               { W = N; }
word(W) ::= BY(N).                  { W = N; }
word(W) ::= LAYOUT(N).              { W = N; }
word(W) ::= LIMIT(N).               { W = N; }
word(W) ::= COLLECT(N).             { W = N; }
word(W) ::= PRIORITY(N).            { W = N; }
word(W) ::= REGION(N).              { W = N; }
pps(P) ::= word(W).                 { P = W; }
pps(P) ::= INTEGER(I).              { P = I; }

subset(S) ::= .                     { S = (MapSubset){{0, 0}, {0, 0}, {0, 0}}; }
subset(S) ::= LBRACKET(B) INTEGER(F) RBRACKET(E).
    { S = (MapSubset){span_join(B.span, E.span), F.span, F.span}; }
subset(S) ::= LBRACKET(B) INTEGER(F) DOTS INTEGER(L) RBRACKET(E).
    { S = (MapSubset){span_join(B.span, E.span), F.span, L.span}; }
by(F) ::= .                         { F = (MapToken){{0, 0}}; }
by(F) ::= BY word(N).               { F = N; }
