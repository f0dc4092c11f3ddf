/* Index mapping functions of mapping files, one function or assignment at a time, or one expression (EVAL
 * comes first then).
 *
 *     def block2D(Tuple ipoint, Tuple ispace):        or  def block2D(Tuple ipoint, Tuple ispace) {
 *         idx = ipoint * m.size / ispace                      …;
 *         return m[*idx]                                  }
 */
%name func_parser
%token_prefix FN_
%token_type {FuncToken}
%extra_context {FuncContext *context}

%include {
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "compiler/base/lemon_accepts.h"
#include "compiler/mapping/func_parse.h"
}
%code { LEMON_ACCEPTS(func_accepts) }
%stack_overflow { internal_error("mapping", "the parser's stack overflowed"); }
%stack_size 0

%right QUESTION COLON.
%nonassoc LESS GREATER AT_MOST AT_LEAST EQUAL DIFFERENT.
%left PLUS MINUS.
%left STAR SLASH PERCENT.
%right NEGATION.

%type expr {FuncExpr *}
%type postfix {FuncExpr *}
%type primary {FuncExpr *}
%type bound {FuncExpr *}
%type args {FuncArgVec}
%type some_args {FuncArgVec}
%type arg {FuncArg}

%start_symbol text
text ::= EVAL expr(E) separators.   { context->expression = E; }
text ::= separators assigned ASSIGN(A) expr(E) separators.  { func_add_stmt(context, NULL, A.span, E); }
text ::= separators heading COLON body.
text ::= separators heading separators LBRACE body RBRACE separators.
separators ::= .
separators ::= separators SEPARATOR.

/* ---- Headings ----------------------------------------------------------------------- */
assigned ::= NAME(N).               { func_begin(context, false, N.span); }
heading ::= named LPAREN params RPAREN.
named ::= DEF NAME(N).              { func_begin(context, true, N.span); }
params ::= .
params ::= some_params.
params ::= some_params COMMA.
some_params ::= param.
some_params ::= some_params COMMA param.
param ::= NAME(T) NAME(N).          { func_add_param(context, &T, N.span); }
param ::= NAME(N).                  { func_add_param(context, NULL, N.span); }

/* ---- Statements ---------------------------------------------------------------------- */
body ::= lines.
body ::= stmt lines.
lines ::= .
lines ::= lines SEPARATOR.
lines ::= lines SEPARATOR stmt.
stmt ::= NAME(N) ASSIGN expr(E).    { func_add_stmt(context, &N, N.span, E); }
stmt ::= RETURN(R) expr(E).         { func_add_stmt(context, NULL, R.span, E); }

/* ---- Expressions ------------------------------------------------------------------------ */
expr(E) ::= postfix(P).             { E = P; }
expr(E) ::= expr(A) QUESTION expr(B) COLON expr(C).
    { E = func_new(context, FUNC_CONDITION, A->span, C->span); E->a = A; E->b = B; E->c = C; }
expr(E) ::= expr(A) LESS expr(B).      { E = func_binary(context, '<', A, B); }
expr(E) ::= expr(A) GREATER expr(B).   { E = func_binary(context, '>', A, B); }
expr(E) ::= expr(A) AT_MOST expr(B).   { E = func_binary(context, FUNC_AT_MOST, A, B); }
expr(E) ::= expr(A) AT_LEAST expr(B).  { E = func_binary(context, FUNC_AT_LEAST, A, B); }
expr(E) ::= expr(A) EQUAL expr(B).     { E = func_binary(context, FUNC_EQUAL, A, B); }
expr(E) ::= expr(A) DIFFERENT expr(B). { E = func_binary(context, FUNC_DIFFERENT, A, B); }
expr(E) ::= expr(A) PLUS expr(B).      { E = func_binary(context, '+', A, B); }
expr(E) ::= expr(A) MINUS expr(B).     { E = func_binary(context, '-', A, B); }
expr(E) ::= expr(A) STAR expr(B).      { E = func_binary(context, '*', A, B); }
expr(E) ::= expr(A) SLASH expr(B).     { E = func_binary(context, '/', A, B); }
expr(E) ::= expr(A) PERCENT expr(B).   { E = func_binary(context, '%', A, B); }
expr(E) ::= MINUS(M) expr(A). [NEGATION]
    { E = func_new(context, FUNC_NEGATE, M.span, A->span); E->a = A; }

postfix(E) ::= primary(P).          { E = P; }
postfix(E) ::= postfix(A) DOT NAME(N).  { E = func_named(context, FUNC_MEMBER, A, N.span, N.span); }
postfix(E) ::= postfix(A) DOT NAME(N) LPAREN args(L) RPAREN(R).
    { E = func_with_items(context, func_named(context, FUNC_METHOD, A, N.span, N.span), L, R.span); }
postfix(E) ::= NAME(N) LPAREN args(L) RPAREN(R).
    { E = func_with_items(context, func_named(context, FUNC_CALL, NULL, N.span, N.span), L, R.span); }
postfix(E) ::= NAME(N) LPAREN expr(A) FOR NAME(V) IN expr(B) RPAREN(R).
    { E = func_named(context, FUNC_COMPREHENSION, NULL, V.span, R.span); E->span = span_join(N.span, R.span); E->a = A; E->b = B;
      if (strcmp(func_slice(context, N.span), "tuple") != 0)
          diag_error(context->diags, E_FUNC_SYNTAX, N.span, "'%s' does not take '… for … in …'; tuple does", func_slice(context, N.span)); }
postfix(E) ::= postfix(A) LBRACKET some_args(L) RBRACKET(R).
    { E = func_new(context, FUNC_INDEX, A->span, R.span); E->a = A; E->items = L; }
postfix(E) ::= postfix(A) LBRACKET some_args(L) COMMA RBRACKET(R).
    { E = func_new(context, FUNC_INDEX, A->span, R.span); E->a = A; E->items = L; }
postfix(E) ::= postfix(A) LBRACKET bound(B) COLON bound(C) RBRACKET(R).
    { E = func_new(context, FUNC_PART, A->span, R.span); E->a = A; E->b = B; E->c = C; }
bound(E) ::= .                      { E = NULL; }
bound(E) ::= expr(A).               { E = A; }

primary(E) ::= NAME(N).             { E = func_named(context, FUNC_NAME, NULL, N.span, N.span); }
primary(E) ::= NUMBER(N).           { E = func_number(context, N.span); }
primary(E) ::= LPAREN(L) expr(A) RPAREN(R). { E = A; E->span = span_join(L.span, R.span); }
primary(E) ::= LPAREN(L) RPAREN(R). { E = func_new(context, FUNC_LIST, L.span, R.span); }
primary(E) ::= LPAREN(L) expr(A) COMMA args(M) RPAREN(R). {
    FuncArgVec items = {0};
    vec_push(context->arena, &items, ((FuncArg){.expr = A, .span = A->span}));
    for (size_t i = 0; i < M.count; i++) vec_push(context->arena, &items, M.items[i]);
    E = func_with_items(context, func_new(context, FUNC_LIST, L.span, R.span), items, R.span);
}
primary(E) ::= LPAREN(L) STAR(S) expr(A) COMMA args(M) RPAREN(R). {
    FuncArgVec items = {0};
    vec_push(context->arena, &items, ((FuncArg){.expr = A, .splat = true, .span = span_join(S.span, A->span)}));
    for (size_t i = 0; i < M.count; i++) vec_push(context->arena, &items, M.items[i]);
    E = func_with_items(context, func_new(context, FUNC_LIST, L.span, R.span), items, R.span);
}

args(L) ::= .                       { L = (FuncArgVec){0}; }
args(L) ::= some_args(M).           { L = M; }
args(L) ::= some_args(M) COMMA.     { L = M; }
some_args(L) ::= arg(A).            { L = (FuncArgVec){0}; vec_push(context->arena, &L, A); }
some_args(L) ::= some_args(M) COMMA arg(A). { L = M; vec_push(context->arena, &L, A); }
arg(A) ::= expr(E).                 { A = (FuncArg){.expr = E, .span = E->span}; }
arg(A) ::= STAR(S) expr(E).         { A = (FuncArg){.expr = E, .splat = true, .span = span_join(S.span, E->span)}; }
arg(A) ::= NAME(N) ASSIGN expr(E).  { A = (FuncArg){.expr = E, .name = func_slice(context, N.span), .span = span_join(N.span, E->span)}; }
