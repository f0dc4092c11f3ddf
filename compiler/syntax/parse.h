/* Inside the syntax room: what the lexer (hp5.re), the grammar (hp5.y), the
 * constructors (ast.c), the driver (parse.c) and its error handling share.
 * Nothing outside compiler/syntax includes this file.
 *
 * The whole source is lexed into an array of tokens first (12 bytes each), so the
 * driver can look ahead when it has to guess what the user meant. A token is a
 * slice of the source; constructors decode it. */
#ifndef HP5_SYNTAX_PARSE_H
#define HP5_SYNTAX_PARSE_H
#include "compiler/syntax/ast.h"
#include "compiler/syntax/hp5.grammar.h"

/* Brackets, blocks, and expressions may be nested this deep: later passes recurse. */
enum { NESTING_LIMIT = 1000 };

typedef struct Token {
    Span span;
    uint16_t kind; /* HP5_… of hp5.grammar.h; 0 at the end of the source */
    bool first_on_line;
    bool after_error; /* a lexical error, reported, lies just before it */
} Token;
typedef VEC(Token) TokenVec;

typedef struct Parse {
    Arena *arena;
    Source *source;
    Diags *diags;
    Ast *ast;
    TokenVec tokens; /* the last one has kind 0 */
    bool too_deep;   /* the limit on nesting has been reported */
} Parse;

/* ---- Lexer (hp5.re, lex_literals.c) ---- */
/* Fills p->tokens and p->ast->comments. Returns false when the source is not text
 * (NUL bytes, bad UTF-8), which is reported; then there are no tokens but the end. */
bool lex_source(Parse *p);
/* Decodes the inside of a string or character literal into `out` (which has room for
 * the slice's length) and returns the number of bytes. */
size_t lex_decode(const char *inside, size_t length, char *out);

/* ---- Token names (tokens.c) ---- */
const char *token_text(int kind);      /* "Program", "a name" */
const char *token_kind_name(int kind); /* "PROGRAM", "NAME" */
bool token_is_keyword(int kind);
int token_keyword_of(const char *text);   /* the keyword spelt so, or 0 */
char *token_slice(Parse *p, Token token); /* its source text */

/* ---- The parser's stack (end of hp5.y) ---- */
void *Hp5ParserAlloc(void *(*allocate)(size_t), Parse *p);
void Hp5ParserFree(void *parser, void (*release)(void *));
void Hp5Parser(void *parser, int kind, Token token);
size_t stack_depth(const void *parser);
/* Whether the parser, cut back to `depth` entries, would take all of `kinds` in order. */
bool stack_accepts(const void *parser, size_t depth, const int *kinds, size_t count);
void stack_cut(void *parser, size_t depth);
/* The innermost opening bracket that is still open; false when there is none. */
bool stack_open_bracket(const void *parser, Token *bracket);
/* The terminal on top of the stack (the last token fed), or kind 0. */
Token stack_top_token(const void *parser);

/* ---- Keywords in one place only (contextual.c) ---- */
bool token_may_be_name(const Parse *p, Token t); /* somewhere: a name, or a word such as `step` */

/* ---- Error handling (recover.c, expect.c) ---- */
enum { KIND_LIMIT = 256 }; /* of kinds of tokens */
typedef struct Driver {
    Parse *p;
    void *parser;
    size_t next;             /* index of the token that is about to be fed */
    uint32_t blamed_bracket; /* 1 + offset of the bracket that an error has named already */
    size_t last_error;       /* index of the token that the last error was about, plus 1 */
    size_t errors;
    bool is_named[KIND_LIMIT]; /* keywords that an error says are used as names: where they fit as such, they are taken for them */
    bool stop;
} Driver;
/* Whether the next token, a keyword to the lexer, is a name where it stands (contextual.c). */
bool driver_is_name(const Driver *d);
/* The next token does not fit: reports it and brings parser and tokens together again. */
void driver_recover(Driver *d);
/* habits.c: what to write instead, for what programmers of other languages write. */
void driver_add_hint(Driver *d, Diag *diag, Token t);
/* Passes over the rest of a line in which the lexer found something that is not HP5. */
bool driver_pass_over(Driver *d);
/* A name that is almost a keyword, where the keyword fits better: taken as the keyword. */
bool driver_guess_early(Driver *d);
/* A ';' between statements: reported and passed over. Returns whether it was one. */
bool driver_skip_semicolon(Driver *d);
/* "'}' to close …, a name or …" for the parser's state. */
char *expected_tokens(Driver *d);

/* ---- Lists ---- */
typedef VEC(int64_t) ExtentVec;
typedef VEC(AstNamedArg) NamedArgVec;
typedef VEC(AstIndexRange) IndexRangeVec;
typedef VEC(AstParam) ParamVec;
typedef VEC(AstLinkage) LinkageVec;
typedef VEC(AstStage) StageVec;
typedef VEC(AstDataVar) DataVarVec;
typedef VEC(AstInstruction) InstructionVec;
typedef VEC(AstLps) LpsVec;
typedef struct LpsBody {
    VEC(AstDataLine) lines;
    VEC(AstSubPartition) sub_partitions;
} LpsBody;
typedef struct DataLineVec {
    AstDataLine *items;
    size_t count, capacity;
} DataLineVec;
typedef struct LpsKind {
    int dims;
    bool has_dims, unpartitioned, dynamic;
} LpsKind;
typedef struct LpsParent {
    Name name;
    bool sub_partitions;
} LpsParent;

/* ---- Constructors (ast.c, ast_code.c): one call for each grammar action ----
 * List constructors take NULL for an empty list and return the list. */
#define LIST_CONSTRUCTOR(list, item, verb) list *ast_##verb(Parse *p, list *all, item one)
LIST_CONSTRUCTOR(NameVec, Token, add_name);
LIST_CONSTRUCTOR(NameVec, Token, add_word);
LIST_CONSTRUCTOR(AstExprVec, AstExpr *, add_expr);
LIST_CONSTRUCTOR(AstStmtVec, AstStmt *, add_stmt);
LIST_CONSTRUCTOR(AstFlowVec, AstFlow *, add_flow);
LIST_CONSTRUCTOR(ExtentVec, Token, add_extent);
LIST_CONSTRUCTOR(NamedArgVec, AstNamedArg *, add_named_arg);
LIST_CONSTRUCTOR(IndexRangeVec, AstIndexRange *, add_index_range);
LIST_CONSTRUCTOR(AstDefinitionVec, AstDefinition *, add_definition);
LIST_CONSTRUCTOR(LinkageVec, AstLinkage *, add_linkage);
LIST_CONSTRUCTOR(StageVec, AstStage *, add_stage);
LIST_CONSTRUCTOR(DataVarVec, AstDataVar *, add_data_var);
LIST_CONSTRUCTOR(InstructionVec, AstInstruction *, add_instruction);
LIST_CONSTRUCTOR(LpsVec, AstLps *, add_lps);
LIST_CONSTRUCTOR(DataLineVec, AstDataLine *, add_data_line);
ParamVec *ast_add_param(Parse *p, ParamVec *all, Token name, bool by_reference);

/* Expressions. */
AstExpr *ast_literal(Parse *p, Token token);
AstExpr *ast_name(Parse *p, Token token);
AstExpr *ast_field(Parse *p, AstExpr *left, Token dot, Token name);
AstExpr *ast_index(Parse *p, AstExpr *left, AstExpr *index, Token close);
AstExpr *ast_all(Parse *p, Token ellipsis);
AstExpr *ast_call(Parse *p, Token name, AstExprVec *arguments, Token close);
/* Integer(e), Real single-precision(e): a call of the type's name; `precision` may be NONE. */
AstExpr *ast_conversion(Parse *p, Token type, Token precision, AstExpr *operand, Token close);
AstExpr *ast_unary(Parse *p, Operator op, Token token, AstExpr *operand);
AstExpr *ast_binary(Parse *p, Operator op, AstExpr *left, Token token, AstExpr *right);
AstExpr *ast_pair(Parse *p, AstExprKind kind, AstExpr *left, Token token, AstExpr *right); /* IN, RANGE */
AstExpr *ast_assign(Parse *p, AstExpr *left, Token token, AstExpr *right);
AstExpr *ast_at(Parse *p, AstExpr *left, Token at, Token lag, Token close); /* lag.kind 0: none */
AstExpr *ast_parenthesised(Parse *p, Token open, AstExpr *inside, Token close);
AstExpr *ast_bracketed(Parse *p, Token open, AstExpr *inside, Token close);
AstExpr *ast_new(Parse *p, Token start, AstType *type, NamedArgVec *arguments, Token close);
AstExpr *ast_execute(Parse *p, Token start, NamedArgVec *arguments, Token close);
AstExpr *ast_space_argument(Parse *p, Token space, Token lps, Token name);
AstNamedArg *ast_named_arg(Parse *p, Token name, AstExprVec *values);

/* Statements. */
AstBlock *ast_block(Parse *p, Token open, AstStmtVec *statements, Token close);
AstBlock *ast_single(Parse *p, AstStmt *statement);
AstBlock *ast_open_code(Parse *p, Token after, AstStmtVec *statements);
AstStmt *ast_expr_stmt(Parse *p, AstExpr *expr);
AstStmt *ast_if(Parse *p, Token start, AstExpr *condition, AstBlock *then, AstBlock *otherwise);
AstStmt *ast_parallel(Parse *p, Token start, AstBlock *body, IndexRangeVec *ranges);
AstStmt *ast_sequence(Parse *p, Token start, AstBlock *body, Token index, AstExpr *range, AstExpr *step);
AstStmt *ast_while(Parse *p, Token start, AstBlock *body, AstExpr *condition);
AstStmt *ast_return(Parse *p, Token start, AstExpr *value);
AstStmt *ast_reduce(Parse *p, Token start, AstExpr *target, AstExpr *op, AstExpr *value, Token close);
AstStmt *ast_extern(Parse *p, Token start, AstExtern *external, Token close);
AstStmt *ast_broken_stmt(Parse *p, Token token);
AstIndexRange *ast_index_range(Parse *p, NameVec *indices, AstExpr *domain, AstExpr *restriction);
AstExtern *ast_extern_new(Parse *p);
AstExtern *ast_extern_language(Parse *p, AstExtern *e, Token string);
AstExtern *ast_extern_includes(Parse *p, AstExtern *e, NameVec *words);
AstExtern *ast_extern_libraries(Parse *p, AstExtern *e, NameVec *words);
AstExtern *ast_extern_broken(Parse *p, AstExtern *e);
AstExtern *ast_extern_code(Parse *p, AstExtern *e, Token code);

/* Types. */
AstType *ast_basic_type(Parse *p, BasicType basic, Token first, Token last);
AstType *ast_real_without_precision(Parse *p, Token token);
AstType *ast_named_type(Parse *p, Token name);
AstType *ast_static_array(Parse *p, Token start, ExtentVec *extents, AstType *element);
AstType *ast_array(Parse *p, Token dimensionality, AstType *element, Token format);
AstType *ast_list(Parse *p, Token start, AstType *element);

/* Program parts. */
AstDefinition *ast_definition(Parse *p, NameVec *names, AstType *type, Token reduction);
AstLinkage *ast_linkage(Parse *p, NameVec *names, LinkMode mode, Token token);
AstStage *ast_stage(Parse *p, Token name, NameVec *params, AstBlock *body);
void ast_part_type(Parse *p, Token start, Token name, AstDefinitionVec *fields);
void ast_part_array_type(Parse *p, Token start, Token name, AstType *array);
void ast_part_function(Parse *p, Token start, Token name, ParamVec *params, AstBlock *body);
void ast_part_coordinator(Parse *p, Token start, Token argument, AstBlock *body);
void ast_part_task(Parse *p, AstTask *task);
AstTask *ast_task(Parse *p, Token start, Token name);
AstTask *ast_task_define(Parse *p, AstTask *t, Token start, AstDefinitionVec *items);
AstTask *ast_task_environment(Parse *p, AstTask *t, Token start, LinkageVec *items);
AstTask *ast_task_initialize(Parse *p, AstTask *t, Token start, NameVec *params, AstStmtVec *code);
AstTask *ast_task_stages(Parse *p, AstTask *t, Token start, StageVec *items);
AstTask *ast_task_computation(Parse *p, AstTask *t, Token start, AstFlowVec *body);
AstTask *ast_task_partition(Parse *p, AstTask *t, Token start, NameVec *params, LpsVec *spaces, Token close);

/* Computation. */
AstFlow *ast_flow_space(Parse *p, Token start, Token name, AstFlowVec *body, Token close);
AstFlow *ast_flow_call(Parse *p, Token name, AstExprVec *arguments, Token close);
AstFlow *ast_flow_repeat_for(Parse *p, Token start, Token name, AstExpr *range, AstExpr *step,
                             AstFlowVec *body, Token close);
AstFlow *ast_flow_block(Parse *p, AstFlowKind kind, Token start, AstExpr *condition, AstFlowVec *body,
                        Token close);
AstFlow *ast_flow_where(Parse *p, Token start, AstExpr *condition, AstFlowVec *body, Token close);
AstFlow *ast_broken_flow(Parse *p, Token token);

/* Partition. */
AstDataVar *ast_data_var(Parse *p, Token name, NameVec *dimensions, Token close);
AstInstruction *ast_replicated(Parse *p, Token token);
AstInstruction *ast_instruction(Parse *p, Token name, AstExprVec *arguments, Token close);
AstInstruction *ast_instruction_padding(Parse *p, AstInstruction *i, AstExprVec *padding, Token close);
AstInstruction *ast_instruction_order(Parse *p, AstInstruction *i, AstOrder order, Token token);
AstDataLine *ast_data_line(Parse *p, DataVarVec *vars, InstructionVec *instructions);
AstDataLine *ast_data_line_relative(Parse *p, AstDataLine *line, Token lps);
AstSubPartition *ast_sub_partition(Parse *p, Token start, Token dims, Token nature, DataLineVec *lines,
                                   Token close);
LpsBody *ast_lps_line(Parse *p, LpsBody *body, AstDataLine *line);
LpsBody *ast_lps_sub_partition(Parse *p, LpsBody *body, AstSubPartition *sub_partition);
LpsKind *ast_lps_kind(Parse *p, Token token);
LpsKind *ast_lps_dynamic(Parse *p, LpsKind *kind);
LpsParent *ast_lps_parent(Parse *p, Token name, bool sub_partitions);
AstLps *ast_lps(Parse *p, Token start, Token name, LpsKind *kind, LpsParent *parent, LpsBody *body,
                Token close);

void syntax_dump_tree(const Ast *ast, Text *out,
                      bool positions); /* syntax_dump_ast with or without positions */
/* Reports, once, that the source is nested too deeply. */
void syntax_too_deep(Parse *p, Span span);
#endif
