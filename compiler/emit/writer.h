/* Inside the emitters' common part: the state while one body is printed.
 *
 *   names.c          C names: clashes, scopes            common_types.c   types, structs, element tables
 *   common_expr.c    expressions                         common_stmt.c    sequential statements
 *   stage.c          a stage function, formals           stage_loop.c     parallel loops
 *   stage_reduce.c   reductions                          stage_multiply.c the multiply form
 */
#ifndef HP5_EMIT_WRITER_H
#define HP5_EMIT_WRITER_H
#include "compiler/emit/emit.h"
#include "compiler/lower/nest.h"

/* A C name in scope; var NULL for names that only the generated text uses (i_end). */
typedef struct ScopeName { const Var *var; const char *name; } ScopeName;

/* A local that shares its declaration with its first assignment, or was declared at the block's start. */
typedef struct Writer {
    Emit *emit;
    Arena *arena;
    Text *out;
    const Body *body;              /* NULL in a coordinator-like block without one */
    const EmitNames *outer;        /* the caller's names (Initialize, coordinator), or NULL */
    EmitNames names;               /* what expressions are printed with; data is this Writer */
    VEC(ScopeName) scope;
    bool (*hook)(void *data, const Stmt *stmt, int indent, Text *out);
    bool declare_first;            /* locals at block begin (hooks may assign them), else at the first assignment */
    const StageUse *use;           /* a stage, or NULL */
    const char *task_name;
    const Loop *innermost;         /* STMT_REDUCE: the loop whose index *_entry operations record */
    const char *lane;              /* STMT_REDUCE: C text of the lane inside a parallel loop, or NULL outside */
} Writer;

/* ---- names.c ------------------------------------------------------------------------------ */
/* Puts `var` in scope under its own name or, where that is taken, a variation; returns the name. */
const char *writer_declare(Writer *writer, const Var *var);
/* A new name for the generated text's own use, like `wanted`; no variable of the body has it. */
const char *writer_fresh(Writer *writer, const char *wanted);
const char *writer_find(const Writer *writer, const Var *var);   /* NULL when not in scope */
bool emit_word_is_reserved(const char *word);
/* C name of a user function / struct type / static array type. */
const char *emit_function_symbol(Emit *emit, const Function *function);

/* ---- common_expr.c --------------------------------------------------------------------------- */
char *writer_expr(Writer *writer, const Expr *expr);               /* as arena text */
/* The same, in parentheses unless it is a primary expression. */
char *writer_expr_primary(Writer *writer, const Expr *expr);
/* In parentheses where it stands beside `op`. */
char *writer_operand(Writer *writer, const Expr *expr, Operator op, bool right);
int emit_line(const Emit *emit, Span span);
char *emit_string_literal(Arena *arena, const char *text, size_t length);
/* Postfix access on C text: "p->f" for "(*p)". */
char *emit_member(Arena *arena, const char *text, const char *member);

/* ---- common_stmt.c ------------------------------------------------------------------------------ */
void writer_init(Writer *writer, Emit *emit, const Body *body, const EmitNames *outer, Text *out);
void writer_block(Writer *writer, const Block *block, int indent);
void writer_stmt(Writer *writer, const Stmt *stmt, int indent);
__attribute__((format(printf, 3, 4))) void writer_line(Writer *writer, int indent, const char *format, ...);
/* "double" with spaces for a declaration of `name`: static arrays are struct types, so this is "T name". */
void writer_unsupported(Writer *writer, Span span, const char *what);

/* ---- stage_*.c ----------------------------------------------------------------------------------- */
void writer_parallel(Writer *writer, const Stmt *stmt, int indent);
void writer_reduce(Writer *writer, const Stmt *stmt, int indent);
/* Loops around the innermost one, the innermost loop of a nest with reductions, the multiply form. */
void writer_loop_begin(Writer *writer, const Loop *loop, int *indent);
void writer_reducing_loop(Writer *writer, const Nest *nest, int indent);
void writer_multiply(Writer *writer, const Nest *nest, int indent);
/* C text of the first index and of the end (last + 1) that an interval loop covers. */
void writer_loop_bounds(Writer *writer, const Loop *loop, const char *run, char **begin, char **end);
/* "x_view->part[0]" */
char *writer_part(Writer *writer, const Var *var, int dimension);
#endif
