/* Machine models (PCubeS).
 *
 *     Machine "Name"                                 the machine's name, once, at the top
 *     Model: Name                                    only where a file has several models
 *     Space 2<flags>: Name (count) { attributes }    one line for each space, top-down; a name of several
 *                                                    words is joined: NUMA Node is NUMA-Node
 *
 * A line that does not fit is dropped whole; reading resumes at the next line that
 * starts with a keyword. */
%name pcubes_parser
%token_prefix PCUBES_
%token_type {PcubesToken}
%extra_context {PcubesContext *context}

%include {
#include <assert.h>
#include <stdlib.h>
#include "compiler/base/lemon_accepts.h"
#include "compiler/machine/pcubes_parse.h"
}
%code { LEMON_ACCEPTS(pcubes_accepts) }
%stack_overflow { internal_error("machine", "the parser's stack overflowed"); }

%type word {PcubesToken}
%type number {PcubesToken}
%type flags {PcubesFlags}
%type words {PcubesFlags}
%type attributes {PcubesAttributes}
%type attribute_list {PcubesAttributes}
%type attribute {PcubesAttribute *}
%type quantities {PcubesAttribute *}
%type quantity {PcubesQuantity}

%start_symbol file
file ::= items.

/* ---- Lines ------------------------------------------------------------------ */
items ::= .
items ::= items item.
item ::= MACHINE(K) STRING(N).     { pcubes_add_machine(context, K.span, N.span); }
item ::= MODEL(K) COLON word(N).   { pcubes_add_model(context, K.span, N.span); }
item ::= SPACE(K) INTEGER(I) flags(F) COLON words(N) LPAREN INTEGER(C) RPAREN(E).
    { pcubes_add_space(context, K.span, I.span, F, N, C.span, (PcubesAttributes){0}, E.span); }
item ::= SPACE(K) INTEGER(I) flags(F) COLON words(N) LPAREN INTEGER(C) RPAREN LBRACE attributes(A) RBRACE(E).
    { pcubes_add_space(context, K.span, I.span, F, N, C.span, A, E.span); }
item ::= error.

/* "Machine" and "Model" are good names for a space, too. */
word(W) ::= NAME(N).    { W = N; }
word(W) ::= MACHINE(N). { W = N; }
word(W) ::= MODEL(N).   { W = N; }

words(L) ::= word(W).           { L = (PcubesFlags){0}; vec_push(context->arena, &L, W.span); }
words(L) ::= words(M) word(W).  { L = M; vec_push(context->arena, &L, W.span); }

flags(F) ::= .                                 { F = (PcubesFlags){0}; }
flags(F) ::= flags(B) LESS NAME(N) GREATER.    { F = B; vec_push(context->arena, &F, N.span); }

/* ---- Attributes ---------------------------------------------------------------- */
attributes(A) ::= .                            { A = (PcubesAttributes){0}; }
attributes(A) ::= attribute_list(L).           { A = L; }
attribute_list(A) ::= attribute(B).            { A = (PcubesAttributes){0}; vec_push(context->arena, &A, B); }
attribute_list(A) ::= attribute_list(L) COMMA attribute(B). { A = L; vec_push(context->arena, &A, B); }
attribute(A) ::= quantities(Q).                { A = Q; }
quantities(A) ::= NAME(N) COLON quantity(Q).   { A = pcubes_new_attribute(context, N.span, Q); }
quantities(A) ::= quantities(B) quantity(Q).   { A = B; vec_push(context->arena, &A->quantities, Q); }
quantity(Q) ::= number(N).                     { Q = (PcubesQuantity){N.span, {0, 0}}; }
quantity(Q) ::= number(N) NAME(U).             { Q = (PcubesQuantity){N.span, U.span}; }
number(N) ::= INTEGER(I).                      { N = I; }
number(N) ::= REAL(R).                         { N = R; }
