/* The abstract syntax tree of HP5, exactly as written: nothing is resolved here.
 * Every node carries its span. Names are arena strings (NUL-terminated).
 * The grammar (hp5.y) calls the ast_* constructors of ast.c; the checker and the
 * printer read the tree. Comments are kept in Ast.comments for the formatter. */
#ifndef HP5_SYNTAX_AST_H
#define HP5_SYNTAX_AST_H
#include <stdint.h>
#include "compiler/base/diag.h"
#include "compiler/base/vec.h"

typedef struct Name { const char *text; Span span; } Name;
typedef VEC(Name) NameVec;

/* ---- Types ------------------------------------------------------------- */
typedef enum { AST_TYPE_BASIC, AST_TYPE_NAMED, AST_TYPE_STATIC_ARRAY, AST_TYPE_ARRAY, AST_TYPE_LIST } AstTypeKind;
typedef enum { BASIC_INTEGER, BASIC_INTEGER_SINGLE, BASIC_REAL_SINGLE, BASIC_REAL_DOUBLE, BASIC_BOOLEAN,
               BASIC_CHARACTER, BASIC_STRING, BASIC_RANGE } BasicType;
typedef struct AstType AstType;
struct AstType {
    AstTypeKind kind;
    Span span;
    BasicType basic;          /* BASIC */
    Name name;                /* NAMED */
    AstType *element;         /* STATIC_ARRAY, ARRAY, LIST */
    VEC(int64_t) extents;     /* STATIC_ARRAY: [4][2] */
    int rank;                 /* ARRAY: 2d → 2 */
    Name format;              /* ARRAY: Format name; text NULL when absent */
};

/* ---- Expressions -------------------------------------------------------- */
typedef enum { OP_OR, OP_AND, OP_BITOR, OP_BITXOR, OP_BITAND, OP_EQ, OP_NE, OP_LT, OP_GT, OP_LE, OP_GE,
               OP_SHL, OP_SHR, OP_ADD, OP_SUB, OP_MUL, OP_DIV, OP_MOD, OP_POW,
               OP_NEG, OP_NOT } Operator;   /* the last two are unary */

typedef enum {
    AST_INTEGER, AST_REAL, AST_CHARACTER, AST_STRING, AST_BOOLEAN,
    AST_NAME,        /* x, also dimension1/range/local/index where they stand alone */
    AST_FIELD,       /* left.name; name may be dimension, dimension1, range, local, min, max, length … */
    AST_INDEX,       /* left[index]: one AST_INDEX for each bracket */
    AST_CALL,        /* name(arguments) */
    AST_UNARY, AST_BINARY,
    AST_IN,          /* left in right */
    AST_RANGE,       /* left ... right, with or without [ ] around it (bracketed) */
    AST_ALL,         /* the lone ... inside an index bracket */
    AST_AT,          /* left at (current - lag) */
    AST_ASSIGN,      /* left = right */
    AST_NEW,         /* new type(named arguments), new TaskEnvironment(name: …) */
    AST_EXECUTE,     /* execute(task: …; environment: …; …) */
    AST_SPACE_ARG,   /* Space A: v — only as a stage-call argument */
    AST_ERROR        /* recovered from a syntax error; already reported */
} AstExprKind;

typedef struct AstExpr AstExpr;
typedef VEC(AstExpr *) AstExprVec;
typedef struct AstNamedArg { Name name; AstExprVec values; Span span; } AstNamedArg;

struct AstExpr {
    AstExprKind kind;
    Span span;
    Span operator_span;           /* UNARY, BINARY, ASSIGN, IN, RANGE, FIELD: the operator token */
    bool parenthesised, bracketed;
    uint32_t depth;               /* of the tree below, at most 1000: recursion over it is safe */
    Operator op;
    int64_t integer;              /* INTEGER, CHARACTER, BOOLEAN, AT (lag) */
    double real;
    const char *text;             /* REAL and INTEGER as written; STRING: decoded bytes */
    size_t text_length;           /* STRING may contain NUL */
    Name name;                    /* NAME, FIELD, CALL, SPACE_ARG (the LPS) */
    AstExpr *left, *right;
    AstExprVec arguments;         /* CALL */
    AstType *type;                /* NEW; NULL for TaskEnvironment */
    VEC(AstNamedArg) named;       /* NEW, EXECUTE */
};

/* ---- Statements --------------------------------------------------------- */
typedef enum {
    AST_EXPR_STMT,    /* a call or an assignment */
    AST_IF,           /* if/else if/else */
    AST_PARALLEL,     /* do { } for i, j in x and …; k in y */
    AST_SEQUENCE,     /* do in sequence { } for i in range step s */
    AST_WHILE,        /* do { } while cond */
    AST_RETURN, AST_REDUCE, AST_EXTERN, AST_BLOCK, AST_STMT_ERROR
} AstStmtKind;

typedef struct AstStmt AstStmt;
typedef VEC(AstStmt *) AstStmtVec;
typedef struct AstBlock { AstStmtVec statements; Span span; bool braced; } AstBlock;

typedef struct AstIndexRange {   /* `i, j in x.dimension2 and cond and cond` */
    NameVec indices;
    AstExpr *domain;             /* an expression: name, name.dimensionK, or any range */
    AstExpr *restriction;        /* NULL or the whole condition after `and` */
    Span span;
} AstIndexRange;

struct AstStmt {
    AstStmtKind kind;
    Span span;
    uint32_t depth;              /* of the statements below, at most 1000 */
    AstExpr *expr;               /* EXPR_STMT, IF/WHILE condition, RETURN value (or NULL), REDUCE expression */
    AstBlock body;               /* IF then-part, loops, BLOCK */
    AstBlock *otherwise;         /* IF: NULL or the else-part (an else-if is a block of one IF) */
    VEC(AstIndexRange) ranges;   /* PARALLEL; SEQUENCE has exactly one with one index, and no restriction */
    AstExpr *step;               /* SEQUENCE: NULL when absent */
    AstExpr *target;             /* REDUCE */
    AstExpr *reduce_op;          /* REDUCE: usually a string literal */
    struct AstExtern *external;
};

typedef struct AstExtern {
    Name language;               /* the string's content */
    NameVec includes, libraries;
    const char *code; size_t code_length; Span code_span;
} AstExtern;

/* ---- Program parts ------------------------------------------------------ */
typedef struct AstDefinition { NameVec names; AstType *type; bool reduction; Span span; } AstDefinition;
typedef VEC(AstDefinition) AstDefinitionVec;

typedef struct AstTypeDecl {     /* Type R: fields, or Type R: Array[4] of Point */
    Name name;
    AstDefinitionVec fields;
    AstType *array;              /* NULL when it has fields */
    bool is_class;
    Span span;
} AstTypeDecl;

typedef struct AstParam { Name name; bool by_reference; } AstParam;
typedef struct AstFunction { Name name; VEC(AstParam) params; AstBlock body; Span span; } AstFunction;

typedef enum { LINK_LINK, LINK_CREATE, LINK_LINK_OR_CREATE } LinkMode;
typedef struct AstLinkage { NameVec names; LinkMode mode; Span span; } AstLinkage;

typedef struct AstStage { Name name; NameVec params; AstBlock body; Span span; } AstStage;

typedef enum { FLOW_SPACE, FLOW_CALL, FLOW_REPEAT_FOR, FLOW_REPEAT_WHILE, FLOW_REPEAT_SUB_PARTITION,
               FLOW_IF, FLOW_EPOCH, FLOW_ERROR } AstFlowKind;
typedef struct AstFlow AstFlow;
typedef VEC(AstFlow *) AstFlowVec;
struct AstFlow {
    AstFlowKind kind;
    Span span;
    Name name;                   /* SPACE: the LPS; CALL: the stage; REPEAT_FOR: the variable */
    AstExprVec arguments;        /* CALL */
    AstExpr *condition;          /* IF, REPEAT_WHILE; REPEAT_FOR: the range */
    AstExpr *step;               /* REPEAT_FOR: NULL when absent */
    bool where;                  /* IF was written Where */
    AstFlowVec body;
};

typedef enum { ORDER_NONE, ORDER_ASCENDS, ORDER_DESCENDS } AstOrder;
typedef struct AstInstruction {  /* block_size(k, l) padding(p) ascends | replicated */
    bool replicated;
    Name function;               /* any name; the checker knows the four */
    AstExprVec arguments;        /* names and integers (any expression parses) */
    bool has_padding;
    AstExprVec padding;
    AstOrder order;
    Span span;
} AstInstruction;
typedef struct AstDataVar { Name name; VEC(Name) dimensions; /* "dim2" … as written */ Span span; } AstDataVar;
typedef struct AstDataLine {
    VEC(AstDataVar) vars;
    VEC(AstInstruction) instructions;  /* empty for un-partitioned lists */
    Name relative_to;            /* LPS, text NULL when absent */
    Span span;
} AstDataLine;
typedef struct AstSubPartition { int dims; bool ordered; Span nature_span; VEC(AstDataLine) lines; Span span; } AstSubPartition;
typedef struct AstLps {
    Name name;
    int dims;                    /* <2d>; 0 when un-partitioned or not written */
    bool unpartitioned, dynamic, has_dims;
    Name parent;                 /* text NULL: Root */
    bool divides_sub_partitions; /* divides Space A sub-partitions */
    VEC(AstDataLine) lines;
    VEC(AstSubPartition) sub_partitions;  /* more than one is an error of the checker */
    Span span;
} AstLps;

/* Each section may be missing (present false) or repeated (an error of the parser). */
typedef struct AstTask {
    Name name;                   /* the string's content */
    Span span;
    struct { bool present; Span span; AstDefinitionVec items; } define;
    struct { bool present; Span span; VEC(AstLinkage) items; } environment;
    struct { bool present; Span span; NameVec params; AstBlock body; } initialize;
    struct { bool present; Span span; VEC(AstStage) items; } stages;
    struct { bool present; Span span; AstFlowVec body; } computation;
    struct { bool present; Span span; NameVec params; VEC(AstLps) spaces; } partition;
} AstTask;

typedef struct AstCoordinator { Name argument; AstBlock body; Span span; } AstCoordinator;

typedef enum { AST_PART_TYPE, AST_PART_TASK, AST_PART_FUNCTION, AST_PART_COORDINATOR } AstPartKind;
typedef struct AstPart {         /* a top-level component, in source order */
    AstPartKind kind;
    AstTypeDecl *type; AstTask *task; AstFunction *function; AstCoordinator *coordinator;
} AstPart;

typedef struct AstComment { Span span; bool block; /* slash-star */ bool own_line; } AstComment;

typedef struct Ast {
    Source *source;
    VEC(AstPart) parts;
    VEC(AstComment) comments;    /* in source order */
    VEC(uint32_t) names;         /* where names start that are keywords elsewhere, in source order; for the formatter */
} Ast;

/* Parses the whole source. Errors go to `diags`; the tree is always returned and
 * holds whatever could be recovered (check only when diags has no errors). */
Ast *syntax_parse(Arena *arena, Source *source, Diags *diags);

/* Prints the program back, formatted; comments are kept; printing the parse of
 * the output gives the same output. */
void syntax_print(const Ast *ast, Text *out);
void syntax_dump_tokens(Source *source, Text *out);   /* one token a line: line:col KIND text */
void syntax_dump_ast(const Ast *ast, Text *out);      /* indented tree */
const char *operator_text(Operator op);               /* "+", "or" … */
#endif
