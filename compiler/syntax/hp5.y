/* The grammar of HP5. How to read it: the start symbol is `program`; sections follow
 * in the order in which they stand in a source file; every action is one call of a
 * constructor (ast.c, ast_code.c). Lists are left-recursive; NULL is the empty list.
 *
 * No separators are needed because a statement starts with a name or a keyword, never
 * with an operator, '(' or '[': so there are two kinds of postfix expression, `place`
 * (starts with a name, may start a statement) and `value` (anything else).
 *
 * BROKEN, BROKEN_SECTION and BROKEN_PART are never lexed: recover.c feeds them in the
 * place of source text that does not follow the grammar. */
%name Hp5Parser
%token_prefix HP5_
%token_type {Token}
%extra_context {Parse *p}
%stack_size 0
%stack_overflow { arena_out_of_memory(); } /* it grows as long as there is memory */
%start_symbol program

/* ---- The order in which messages list what is expected ---- */
%token PROGRAM TASK TYPE FUNCTION DEFINE ENVIRONMENT INITIALIZE STAGES COMPUTATION PARTITION NAME.

/* ---- Precedences, loosest first ---- */
%nonassoc BARE_RETURN WITHOUT_ELSE.
%nonassoc ELSE NAME EXECUTE.
%right ASSIGN.
%left OR.
%left AND.
%left PIPE.
%left CARET.
%left AMPERSAND.
%left EQ NE.
%left LT GT LE GE IN.
%nonassoc ELLIPSIS.
%left SHL SHR.
%left PLUS MINUS.
%left STAR SLASH PERCENT.
%right POWER.
%right NOT UNARY.

%include {
#include <assert.h>
#include <stdlib.h>
#include "compiler/syntax/parse.h"
#define NONE ((Token){0})
}

%type names {NameVec *}
%type optional_names {NameVec *}
%type parameters {NameVec *}
%type words {NameVec *}
%type expr {AstExpr *}
%type term {AstExpr *}
%type place {AstExpr *}
%type value {AstExpr *}
%type call {AstExpr *}
%type index {AstExpr *}
%type target {AstExpr *}
%type execution {AstExpr *}
%type restriction {AstExpr *}
%type step {AstExpr *}
%type stage_argument {AstExpr *}
%type exprs {AstExprVec *}
%type arguments {AstExprVec *}
%type stage_arguments {AstExprVec *}
%type stage_argument_list {AstExprVec *}
%type property {AstNamedArg *}
%type properties {NamedArgVec *}
%type optional_properties {NamedArgVec *}
%type setting {AstNamedArg *}
%type settings {NamedArgVec *}
%type block {AstBlock *}
%type body {AstBlock *}
%type statement {AstStmt *}
%type statements {AstStmtVec *}
%type index_range {AstIndexRange *}
%type index_ranges {IndexRangeVec *}
%type extern_items {AstExtern *}
%type type {AstType *}
%type static_type {AstType *}
%type static_array {AstType *}
%type scalar_type {AstType *}
%type extents {ExtentVec *}
%type definition {AstDefinition *}
%type definitions {AstDefinitionVec *}
%type fields {AstDefinitionVec *}
%type linkage {AstLinkage *}
%type linkages {LinkageVec *}
%type stage {AstStage *}
%type stages {StageVec *}
%type function_parameters {ParamVec *}
%type function_parameter_list {ParamVec *}
%type task {AstTask *}
%type flow {AstFlow *}
%type flows {AstFlowVec *}
%type space {AstLps *}
%type spaces {LpsVec *}
%type space_kind {LpsKind *}
%type space_size {LpsKind *}
%type space_parent {LpsParent *}
%type space_body {LpsBody *}
%type data_line {AstDataLine *}
%type data_var {AstDataVar *}
%type data_vars {DataVarVec *}
%type instruction {AstInstruction *}
%type instructions {InstructionVec *}
%type sub_partition {AstSubPartition *}
%type sub_lines {DataLineVec *}
%type sub_line {AstDataLine *}
%type ordered_instruction {AstInstruction *}
%type ordered_instructions {InstructionVec *}

/* ======== Program ======== */
program ::= parts.
parts ::= part.
parts ::= parts part.
part ::= TYPE(S) NAME(N) colon fields(F).                                 { ast_part_type(p, S, N, F); }
part ::= TYPE(S) NAME(N) colon static_array(T).                           { ast_part_array_type(p, S, N, T); }
part ::= FUNCTION(S) NAME(N) LPAREN function_parameters(A) RPAREN block(B). { ast_part_function(p, S, N, A, B); }
part ::= PROGRAM(S) LPAREN NAME(N) RPAREN block(B).                       { ast_part_coordinator(p, S, N, B); }
part ::= task(T).                                                         { ast_part_task(p, T); }
part ::= BROKEN_PART.
colon ::= .
colon ::= COLON.

function_parameters(A) ::= .                                              { A = NULL; }
function_parameters(A) ::= function_parameter_list(L).                    { A = L; }
function_parameter_list(A) ::= NAME(N).                                   { A = ast_add_param(p, NULL, N, false); }
function_parameter_list(A) ::= AMPERSAND NAME(N).                         { A = ast_add_param(p, NULL, N, true); }
function_parameter_list(A) ::= function_parameter_list(L) COMMA NAME(N).  { A = ast_add_param(p, L, N, false); }
function_parameter_list(A) ::= function_parameter_list(L) COMMA AMPERSAND NAME(N). { A = ast_add_param(p, L, N, true); }

names(A) ::= NAME(N).                                                     { A = ast_add_name(p, NULL, N); }
names(A) ::= names(L) COMMA NAME(N).                                      { A = ast_add_name(p, L, N); }
optional_names(A) ::= .                                                   { A = NULL; }
optional_names(A) ::= names(L).                                           { A = L; }
parameters(A) ::= .                                                       { A = NULL; }
parameters(A) ::= LPAREN optional_names(L) RPAREN.                        { A = L; }

/* ======== Types and definitions ======== */
fields(A) ::= definition(D).                                              { A = ast_add_definition(p, NULL, D); }
fields(A) ::= fields(L) definition(D).                                    { A = ast_add_definition(p, L, D); }
definitions(A) ::= .                                                      { A = NULL; }
definitions(A) ::= definitions(L) definition(D).                          { A = ast_add_definition(p, L, D); }
definition(A) ::= names(N) COLON type(T).                                 { A = ast_definition(p, N, T, NONE); }
definition(A) ::= names(N) COLON type(T) REDUCTION(R).                    { A = ast_definition(p, N, T, R); }
definition(A) ::= BROKEN.                                                 { A = NULL; }

type(A) ::= static_type(T).                                               { A = T; }
type(A) ::= DIMENSIONALITY(D) ARRAY OF static_type(E).                    { A = ast_array(p, D, E, NONE); }
type(A) ::= DIMENSIONALITY(D) ARRAY OF static_type(E) FORMAT NAME(F).     { A = ast_array(p, D, E, F); }
type(A) ::= LIST(S) OF static_type(E).                                    { A = ast_list(p, S, E); }
static_type(A) ::= scalar_type(T).                                        { A = T; }
static_type(A) ::= static_array(T).                                       { A = T; }
static_array(A) ::= ARRAY(S) extents(L) OF scalar_type(E).                { A = ast_static_array(p, S, L, E); }
extents(A) ::= LBRACKET INTEGER(N) RBRACKET.                              { A = ast_add_extent(p, NULL, N); }
extents(A) ::= extents(L) LBRACKET INTEGER(N) RBRACKET.                   { A = ast_add_extent(p, L, N); }
scalar_type(A) ::= INTEGER_TYPE(T).                                       { A = ast_basic_type(p, BASIC_INTEGER, T, T); }
scalar_type(A) ::= INTEGER_TYPE(T) SINGLE(E).                             { A = ast_basic_type(p, BASIC_INTEGER_SINGLE, T, E); }
scalar_type(A) ::= REAL_TYPE(T) SINGLE(E).                                { A = ast_basic_type(p, BASIC_REAL_SINGLE, T, E); }
scalar_type(A) ::= REAL_TYPE(T) DOUBLE(E).                                { A = ast_basic_type(p, BASIC_REAL_DOUBLE, T, E); }
scalar_type(A) ::= REAL_TYPE(T).                                          { A = ast_real_without_precision(p, T); }
scalar_type(A) ::= CHARACTER_TYPE(T).                                     { A = ast_basic_type(p, BASIC_CHARACTER, T, T); }
scalar_type(A) ::= BOOLEAN_TYPE(T).                                       { A = ast_basic_type(p, BASIC_BOOLEAN, T, T); }
scalar_type(A) ::= STRING_TYPE(T).                                        { A = ast_basic_type(p, BASIC_STRING, T, T); }
scalar_type(A) ::= RANGE_TYPE(T).                                         { A = ast_basic_type(p, BASIC_RANGE, T, T); }
scalar_type(A) ::= NAME(N).                                               { A = ast_named_type(p, N); }

/* ======== Tasks ======== */
task(A) ::= TASK(S) STRING(N) colon.                                      { A = ast_task(p, S, N); }
task(A) ::= TASK(S) STRING(N) colon BROKEN_SECTION.                       { A = ast_task(p, S, N); }
task(A) ::= task(T) DEFINE(S) colon definitions(L).                       { A = ast_task_define(p, T, S, L); }
task(A) ::= task(T) ENVIRONMENT(S) colon linkages(L).                     { A = ast_task_environment(p, T, S, L); }
task(A) ::= task(T) INITIALIZE(S) parameters(N) colon statements(L).      { A = ast_task_initialize(p, T, S, N, L); }
task(A) ::= task(T) STAGES(S) colon stages(L).                            { A = ast_task_stages(p, T, S, L); }
task(A) ::= task(T) COMPUTATION(S) colon flows(L).                        { A = ast_task_computation(p, T, S, L); }
task(A) ::= task(T) PARTITION(S) parameters(N) colon spaces(L).           { A = ast_task_partition(p, T, S, N, L, NONE); }
task(A) ::= task(T) PARTITION(S) parameters(N) colon LBRACE spaces(L) RBRACE(E). { A = ast_task_partition(p, T, S, N, L, E); }

/* ---- Environment ---- */
linkages(A) ::= .                                                         { A = NULL; }
linkages(A) ::= linkages(L) linkage(I).                                   { A = ast_add_linkage(p, L, I); }
linkage(A) ::= names(N) COLON LINK(T).                                    { A = ast_linkage(p, N, LINK_LINK, T); }
linkage(A) ::= names(N) COLON CREATE(T).                                  { A = ast_linkage(p, N, LINK_CREATE, T); }
linkage(A) ::= names(N) COLON LINK_OR_CREATE(T).                          { A = ast_linkage(p, N, LINK_LINK_OR_CREATE, T); }
linkage(A) ::= BROKEN.                                                    { A = NULL; }

/* ---- Stages ---- */
stages(A) ::= .                                                           { A = NULL; }
stages(A) ::= stages(L) stage(S).                                         { A = ast_add_stage(p, L, S); }
stage(A) ::= NAME(N) LPAREN optional_names(P) RPAREN block(B).            { A = ast_stage(p, N, P, B); }
stage(A) ::= BROKEN.                                                      { A = NULL; }

/* ---- Computation ---- */
flows(A) ::= .                                                            { A = NULL; }
flows(A) ::= flows(L) flow(F).                                            { A = ast_add_flow(p, L, F); }
flow(A) ::= SPACE(S) NAME(N) LBRACE flows(L) RBRACE(E).                   { A = ast_flow_space(p, S, N, L, E); }
flow(A) ::= NAME(N) LPAREN stage_arguments(L) RPAREN(E).                  { A = ast_flow_call(p, N, L, E); }
flow(A) ::= REPEAT(S) FOR NAME(N) IN term(R) step(T) LBRACE flows(L) RBRACE(E). { A = ast_flow_repeat_for(p, S, N, R, T, L, E); }
flow(A) ::= REPEAT(S) WHILE expr(C) LBRACE flows(L) RBRACE(E).            { A = ast_flow_block(p, FLOW_REPEAT_WHILE, S, C, L, E); }
flow(A) ::= REPEAT(S) FOREACH SUB_PARTITION LBRACE flows(L) RBRACE(E).    { A = ast_flow_block(p, FLOW_REPEAT_SUB_PARTITION, S, NULL, L, E); }
flow(A) ::= IF(S) expr(C) LBRACE flows(L) RBRACE(E).                      { A = ast_flow_block(p, FLOW_IF, S, C, L, E); }
flow(A) ::= WHERE(S) expr(C) LBRACE flows(L) RBRACE(E).                   { A = ast_flow_where(p, S, C, L, E); }
flow(A) ::= EPOCH(S) LBRACE flows(L) RBRACE(E).                           { A = ast_flow_block(p, FLOW_EPOCH, S, NULL, L, E); }
flow(A) ::= BROKEN(T).                                                    { A = ast_broken_flow(p, T); }
stage_arguments(A) ::= .                                                  { A = NULL; }
stage_arguments(A) ::= stage_argument_list(L).                            { A = L; }
stage_argument_list(A) ::= stage_argument(E).                             { A = ast_add_expr(p, NULL, E); }
stage_argument_list(A) ::= stage_argument_list(L) COMMA stage_argument(E). { A = ast_add_expr(p, L, E); }
stage_argument(A) ::= expr(E).                                            { A = E; }
stage_argument(A) ::= SPACE(S) NAME(L) COLON NAME(N).                     { A = ast_space_argument(p, S, L, N); }

/* ---- Partition ---- */
spaces(A) ::= .                                                           { A = NULL; }
spaces(A) ::= spaces(L) space(S).                                         { A = ast_add_lps(p, L, S); }
space(A) ::= SPACE(S) NAME(N) space_kind(K) space_parent(P) LBRACE space_body(B) RBRACE(E). { A = ast_lps(p, S, N, K, P, B, E); }
space(A) ::= BROKEN.                                                      { A = NULL; }
space_kind(A) ::= .                                                        { A = ast_lps_kind(p, NONE); }
space_kind(A) ::= LT DYNAMIC GT.                                          { A = ast_lps_dynamic(p, ast_lps_kind(p, NONE)); }
space_kind(A) ::= space_size(K).                                          { A = K; }
space_kind(A) ::= space_size(K) LT DYNAMIC GT.                            { A = ast_lps_dynamic(p, K); }
space_size(A) ::= LT DIMENSIONALITY(D) GT.                                { A = ast_lps_kind(p, D); }
space_size(A) ::= LT UN_PARTITIONED(D) GT.                                { A = ast_lps_kind(p, D); }
space_parent(A) ::= .                                                     { A = NULL; }
space_parent(A) ::= DIVIDES SPACE NAME(N) PARTITIONS.                     { A = ast_lps_parent(p, N, false); }
space_parent(A) ::= DIVIDES SPACE NAME(N) SUB_PARTITIONS.                 { A = ast_lps_parent(p, N, true); }
space_body(A) ::= .                                                       { A = NULL; }
space_body(A) ::= space_body(B) data_line(L).                             { A = ast_lps_line(p, B, L); }
space_body(A) ::= space_body(B) sub_partition(S).                         { A = ast_lps_sub_partition(p, B, S); }
data_line(A) ::= data_vars(V).                                            { A = ast_data_line(p, V, NULL); }
data_line(A) ::= data_vars(V) COLON instructions(I).                      { A = ast_data_line(p, V, I); }
data_line(A) ::= data_vars(V) COLON instructions(I) SEMICOLON RELATIVE_TO SPACE NAME(N). { A = ast_data_line_relative(p, ast_data_line(p, V, I), N); }
data_line(A) ::= BROKEN.                                                  { A = NULL; }
data_vars(A) ::= data_var(V).                                             { A = ast_add_data_var(p, NULL, V); }
data_vars(A) ::= data_vars(L) COMMA data_var(V).                          { A = ast_add_data_var(p, L, V); }
data_var(A) ::= NAME(N).                                                  { A = ast_data_var(p, N, NULL, N); }
data_var(A) ::= NAME(N) LT names(D) GT(E).                                { A = ast_data_var(p, N, D, E); }
instructions(A) ::= instruction(I).                                       { A = ast_add_instruction(p, NULL, I); }
instructions(A) ::= instructions(L) COMMA instruction(I).                 { A = ast_add_instruction(p, L, I); }
instruction(A) ::= REPLICATED(T).                                         { A = ast_replicated(p, T); }
instruction(A) ::= NAME(N) LPAREN arguments(L) RPAREN(E).                 { A = ast_instruction(p, N, L, E); }
instruction(A) ::= NAME(N) LPAREN arguments(L) RPAREN(E) PADDING LPAREN arguments(P) RPAREN(F). { A = ast_instruction_padding(p, ast_instruction(p, N, L, E), P, F); }
sub_partition(A) ::= SUB_PARTITION_HEAD(S) LT DIMENSIONALITY(D) GT LT ORDERED(N) GT LBRACE sub_lines(L) RBRACE(E). { A = ast_sub_partition(p, S, D, N, L, E); }
sub_partition(A) ::= SUB_PARTITION_HEAD(S) LT DIMENSIONALITY(D) GT LT UNORDERED(N) GT LBRACE sub_lines(L) RBRACE(E). { A = ast_sub_partition(p, S, D, N, L, E); }
sub_lines(A) ::= .                                                        { A = NULL; }
sub_lines(A) ::= sub_lines(L) sub_line(I).                                { A = ast_add_data_line(p, L, I); }
sub_line(A) ::= data_vars(V) COLON ordered_instructions(I).               { A = ast_data_line(p, V, I); }
sub_line(A) ::= BROKEN.                                                   { A = NULL; }
ordered_instructions(A) ::= ordered_instruction(I).                       { A = ast_add_instruction(p, NULL, I); }
ordered_instructions(A) ::= ordered_instructions(L) COMMA ordered_instruction(I). { A = ast_add_instruction(p, L, I); }
ordered_instruction(A) ::= instruction(I).                                { A = I; }
ordered_instruction(A) ::= instruction(I) ASCENDS(T).                     { A = ast_instruction_order(p, I, ORDER_ASCENDS, T); }
ordered_instruction(A) ::= instruction(I) DESCENDS(T).                    { A = ast_instruction_order(p, I, ORDER_DESCENDS, T); }

/* ======== Code ======== */
block(A) ::= LBRACE(S) statements(L) RBRACE(E).                           { A = ast_block(p, S, L, E); }
body(A) ::= block(B).                                                     { A = B; }
body(A) ::= statement(S).                                                 { A = ast_single(p, S); }
statements(A) ::= .                                                       { A = NULL; }
statements(A) ::= statements(L) statement(S).                             { A = ast_add_stmt(p, L, S); }

statement(A) ::= target(T) ASSIGN(O) expr(E).                             { A = ast_expr_stmt(p, ast_assign(p, T, O, E)); }
statement(A) ::= call(E).                                                 { A = ast_expr_stmt(p, E); }
statement(A) ::= execution(E).                                            { A = ast_expr_stmt(p, E); }
statement(A) ::= IF(S) LPAREN expr(C) RPAREN body(B). [WITHOUT_ELSE]      { A = ast_if(p, S, C, B, NULL); }
statement(A) ::= IF(S) LPAREN expr(C) RPAREN body(B) ELSE body(E).        { A = ast_if(p, S, C, B, E); }
statement(A) ::= DO(S) block(B) FOR index_ranges(R).                      { A = ast_parallel(p, S, B, R); }
statement(A) ::= DO(S) IN SEQUENCE block(B) FOR NAME(N) IN term(R) step(T). { A = ast_sequence(p, S, B, N, R, T); }
statement(A) ::= DO(S) block(B) WHILE expr(C).                            { A = ast_while(p, S, B, C); }
statement(A) ::= RETURN(S). [BARE_RETURN]                                 { A = ast_return(p, S, NULL); }
statement(A) ::= RETURN(S) expr(E).                                       { A = ast_return(p, S, E); }
statement(A) ::= REDUCE(S) LPAREN expr(T) COMMA expr(O) COMMA expr(V) RPAREN(E). { A = ast_reduce(p, S, T, O, V, E); }
statement(A) ::= EXTERN(S) LBRACE extern_items(X) RBRACE(E).              { A = ast_extern(p, S, X, E); }
statement(A) ::= BROKEN(T).                                               { A = ast_broken_stmt(p, T); }

index_ranges(A) ::= index_range(R).                                       { A = ast_add_index_range(p, NULL, R); }
index_ranges(A) ::= index_ranges(L) SEMICOLON index_range(R).             { A = ast_add_index_range(p, L, R); }
index_range(A) ::= names(N) IN term(D) restriction(R).                    { A = ast_index_range(p, N, D, R); }
restriction(A) ::= .                                                      { A = NULL; }
restriction(A) ::= AND expr(E).                                           { A = E; }
step(A) ::= .                                                             { A = NULL; }
step(A) ::= STEP expr(E).                                                 { A = E; }

extern_items(A) ::= .                                                     { A = ast_extern_new(p); }
extern_items(A) ::= extern_items(X) LANGUAGE STRING(S).                   { A = ast_extern_language(p, X, S); }
extern_items(A) ::= extern_items(X) INCLUDES LBRACE words(L) RBRACE.      { A = ast_extern_includes(p, X, L); }
extern_items(A) ::= extern_items(X) LIBRARIES LBRACE words(L) RBRACE.     { A = ast_extern_libraries(p, X, L); }
extern_items(A) ::= extern_items(X) CODE(C).                              { A = ast_extern_code(p, X, C); }
extern_items(A) ::= extern_items(X) BROKEN.                               { A = ast_extern_broken(p, X); }
words(A) ::= WORD(W).                                                     { A = ast_add_word(p, NULL, W); }
words(A) ::= STRING(W).                                                   { A = ast_add_word(p, NULL, W); }
words(A) ::= words(L) COMMA WORD(W).                                      { A = ast_add_word(p, L, W); }
words(A) ::= words(L) COMMA STRING(W).                                    { A = ast_add_word(p, L, W); }

/* ======== Expressions ======== */
/* `term` binds tighter than comparisons: what may stand after `for i in`, where a
 * following `and` starts a restriction. */
expr(A) ::= term(E).                                                      { A = E; }
expr(A) ::= expr(L) ASSIGN(O) expr(R).                                    { A = ast_assign(p, L, O, R); }
expr(A) ::= expr(L) OR(O) expr(R).                                        { A = ast_binary(p, OP_OR, L, O, R); }
expr(A) ::= expr(L) AND(O) expr(R).                                       { A = ast_binary(p, OP_AND, L, O, R); }
expr(A) ::= expr(L) PIPE(O) expr(R).                                      { A = ast_binary(p, OP_BITOR, L, O, R); }
expr(A) ::= expr(L) CARET(O) expr(R).                                     { A = ast_binary(p, OP_BITXOR, L, O, R); }
expr(A) ::= expr(L) AMPERSAND(O) expr(R).                                 { A = ast_binary(p, OP_BITAND, L, O, R); }
expr(A) ::= expr(L) EQ(O) expr(R).                                        { A = ast_binary(p, OP_EQ, L, O, R); }
expr(A) ::= expr(L) NE(O) expr(R).                                        { A = ast_binary(p, OP_NE, L, O, R); }
expr(A) ::= expr(L) LT(O) expr(R).                                        { A = ast_binary(p, OP_LT, L, O, R); }
expr(A) ::= expr(L) GT(O) expr(R).                                        { A = ast_binary(p, OP_GT, L, O, R); }
expr(A) ::= expr(L) LE(O) expr(R).                                        { A = ast_binary(p, OP_LE, L, O, R); }
expr(A) ::= expr(L) GE(O) expr(R).                                        { A = ast_binary(p, OP_GE, L, O, R); }
expr(A) ::= expr(L) IN(O) expr(R).                                        { A = ast_pair(p, AST_IN, L, O, R); }
term(A) ::= term(L) ELLIPSIS(O) term(R).                                  { A = ast_pair(p, AST_RANGE, L, O, R); }
term(A) ::= term(L) SHL(O) term(R).                                       { A = ast_binary(p, OP_SHL, L, O, R); }
term(A) ::= term(L) SHR(O) term(R).                                       { A = ast_binary(p, OP_SHR, L, O, R); }
term(A) ::= term(L) PLUS(O) term(R).                                      { A = ast_binary(p, OP_ADD, L, O, R); }
term(A) ::= term(L) MINUS(O) term(R).                                     { A = ast_binary(p, OP_SUB, L, O, R); }
term(A) ::= term(L) STAR(O) term(R).                                      { A = ast_binary(p, OP_MUL, L, O, R); }
term(A) ::= term(L) SLASH(O) term(R).                                     { A = ast_binary(p, OP_DIV, L, O, R); }
term(A) ::= term(L) PERCENT(O) term(R).                                   { A = ast_binary(p, OP_MOD, L, O, R); }
term(A) ::= term(L) POWER(O) term(R).                                     { A = ast_binary(p, OP_POW, L, O, R); }
term(A) ::= MINUS(O) term(E). [UNARY]                                     { A = ast_unary(p, OP_NEG, O, E); }
term(A) ::= NOT(O) term(E).                                               { A = ast_unary(p, OP_NOT, O, E); }
term(A) ::= target(E).                                                    { A = E; }
term(A) ::= value(E).                                                     { A = E; }
term(A) ::= value(E) AT(T) LPAREN CURRENT RPAREN(C).                      { A = ast_at(p, E, T, NONE, C); }
term(A) ::= value(E) AT(T) LPAREN CURRENT MINUS INTEGER(N) RPAREN(C).     { A = ast_at(p, E, T, N, C); }
target(A) ::= place(E).                                                   { A = E; }
target(A) ::= place(E) AT(T) LPAREN CURRENT RPAREN(C).                    { A = ast_at(p, E, T, NONE, C); }
target(A) ::= place(E) AT(T) LPAREN CURRENT MINUS INTEGER(N) RPAREN(C).   { A = ast_at(p, E, T, N, C); }

place(A) ::= NAME(N).                                                     { A = ast_name(p, N); }
place(A) ::= call(E).                                                     { A = E; }
place(A) ::= place(E) DOT(D) NAME(N).                                     { A = ast_field(p, E, D, N); }
place(A) ::= place(E) LBRACKET index(I) RBRACKET(C).                      { A = ast_index(p, E, I, C); }
call(A) ::= NAME(N) LPAREN arguments(L) RPAREN(E).                        { A = ast_call(p, N, L, E); }
value(A) ::= INTEGER(T).                                                  { A = ast_literal(p, T); }
value(A) ::= REAL(T).                                                     { A = ast_literal(p, T); }
value(A) ::= CHARACTER(T).                                                { A = ast_literal(p, T); }
value(A) ::= STRING(T).                                                   { A = ast_literal(p, T); }
value(A) ::= BOOLEAN(T).                                                  { A = ast_literal(p, T); }
value(A) ::= INTEGER_TYPE(T) LPAREN expr(E) RPAREN(C).                    { A = ast_conversion(p, T, NONE, E, C); }
value(A) ::= REAL_TYPE(T) SINGLE(S) LPAREN expr(E) RPAREN(C).             { A = ast_conversion(p, T, S, E, C); }
value(A) ::= REAL_TYPE(T) DOUBLE(S) LPAREN expr(E) RPAREN(C).             { A = ast_conversion(p, T, S, E, C); }
value(A) ::= LPAREN(S) expr(E) RPAREN(C).                                 { A = ast_parenthesised(p, S, E, C); }
value(A) ::= LBRACKET(S) expr(E) RBRACKET(C).                             { A = ast_bracketed(p, S, E, C); }
value(A) ::= value(E) DOT(D) NAME(N).                                     { A = ast_field(p, E, D, N); }
value(A) ::= value(E) LBRACKET index(I) RBRACKET(C).                      { A = ast_index(p, E, I, C); }
value(A) ::= execution(E).                                                { A = E; }
value(A) ::= NEW(S) scalar_type(T) LPAREN optional_properties(L) RPAREN(C). { A = ast_new(p, S, T, L, C); }
value(A) ::= NEW(S) static_array(T).                                      { A = ast_new(p, S, T, NULL, NONE); }
value(A) ::= NEW(S) static_array(T) LPAREN RPAREN(C).                     { A = ast_new(p, S, T, NULL, C); }
value(A) ::= NEW(S) DIMENSIONALITY(D) ARRAY OF static_type(E).            { A = ast_new(p, S, ast_array(p, D, E, NONE), NULL, NONE); }
value(A) ::= NEW(S) LIST(T) OF static_type(E).                            { A = ast_new(p, S, ast_list(p, T, E), NULL, NONE); }
execution(A) ::= EXECUTE(S) LPAREN settings(L) RPAREN(C).                 { A = ast_execute(p, S, L, C); }

index(A) ::= expr(E).                                                     { A = E; }
index(A) ::= ELLIPSIS(T).                                                 { A = ast_all(p, T); }
arguments(A) ::= .                                                        { A = NULL; }
arguments(A) ::= exprs(L).                                                { A = L; }
exprs(A) ::= expr(E).                                                     { A = ast_add_expr(p, NULL, E); }
exprs(A) ::= exprs(L) COMMA expr(E).                                      { A = ast_add_expr(p, L, E); }
/* new X(name: value, …) and execute(name: value, value; …) */
optional_properties(A) ::= .                                              { A = NULL; }
optional_properties(A) ::= properties(L).                                 { A = L; }
properties(A) ::= property(N).                                            { A = ast_add_named_arg(p, NULL, N); }
properties(A) ::= properties(L) COMMA property(N).                        { A = ast_add_named_arg(p, L, N); }
properties(A) ::= properties(L) property(N).                              { A = ast_add_named_arg(p, L, N); }
property(A) ::= NAME(N) COLON expr(E).                                    { A = ast_named_arg(p, N, ast_add_expr(p, NULL, E)); }
settings(A) ::= setting(S).                                               { A = ast_add_named_arg(p, NULL, S); }
settings(A) ::= settings(L) SEMICOLON setting(S).                         { A = ast_add_named_arg(p, L, S); }
setting(A) ::= NAME(N) COLON exprs(L).                                    { A = ast_named_arg(p, N, L); }

/* ======== What recover.c needs to know of the parser's stack ======== */
%code {
size_t stack_depth(const void *parser) {
    const yyParser *stack = parser;
    return (size_t)(stack->yytos - stack->yystack) + 1;
}

/* The stack as it would be: the real one up to `kept`, then `pushed`. Reductions
 * replace a few states by one, so a short list of pushed ones is enough. */
enum { PUSHED_LIMIT = 128 };
typedef struct TryStack {
    const yyParser *stack;
    size_t kept, count;
    YYACTIONTYPE pushed[PUSHED_LIMIT];
} TryStack;

static YYACTIONTYPE try_top(const TryStack *t) {
    return t->count > 0 ? t->pushed[t->count - 1] : t->stack->yystack[t->kept - 1].stateno;
}

static bool try_reduce(TryStack *t, unsigned rule) {
    size_t size = (size_t)-yyRuleInfoNRhs[rule];
    size_t from_pushed = size < t->count ? size : t->count;
    t->count -= from_pushed;
    if (size - from_pushed >= t->kept || t->count == PUSHED_LIMIT) return false;
    t->kept -= size - from_pushed;
    YYACTIONTYPE action = yy_find_reduce_action(try_top(t), yyRuleInfoLhs[rule]);
    t->pushed[t->count++] = action;
    return true;
}

static bool try_token(TryStack *t, int kind) {
    for (;;) {
        YYACTIONTYPE action = yy_find_shift_action((YYCODETYPE)kind, try_top(t));
        if (action >= YY_MIN_REDUCE) {
            if (!try_reduce(t, (unsigned)(action - YY_MIN_REDUCE))) return false;
        } else if (action <= YY_MAX_SHIFTREDUCE) {
            if (t->count == PUSHED_LIMIT) return false;
            if (action > YY_MAX_SHIFT) action = (YYACTIONTYPE)(action + (YY_MIN_REDUCE - YY_MIN_SHIFTREDUCE));
            t->pushed[t->count++] = action;
            return true;
        } else {
            return action == YY_ACCEPT_ACTION;
        }
    }
}

bool stack_accepts(const void *parser, size_t depth, const int *kinds, size_t count) {
    TryStack t = {.stack = parser, .kept = depth, .count = 0};
    for (size_t i = 0; i < count; i++)
        if (!try_token(&t, kinds[i])) return false;
    return true;
}

void stack_cut(void *parser, size_t depth) {
    yyParser *stack = parser;
    stack->yytos = stack->yystack + (depth - 1);
}

bool stack_open_bracket(const void *parser, Token *bracket) {
    const yyParser *stack = parser;
    size_t closed = 0; /* what waits for its reduction has both brackets on the stack */
    for (const yyStackEntry *e = stack->yytos; e > stack->yystack; e--) {
        if (e->major == HP5_RPAREN || e->major == HP5_RBRACKET || e->major == HP5_RBRACE) closed++;
        if (e->major != HP5_LPAREN && e->major != HP5_LBRACKET && e->major != HP5_LBRACE) continue;
        if (closed > 0) {
            closed--;
            continue;
        }
        *bracket = e->minor.yy0;
        return true;
    }
    return false;
}

Token stack_top_token(const void *parser) {
    const yyParser *stack = parser;
    if (stack->yytos == stack->yystack || stack->yytos->major >= YYNTOKEN) return (Token){0};
    return stack->yytos->minor.yy0;
}
}
