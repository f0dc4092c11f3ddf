/* Inside the emitters' common part: the state while one body is printed.
 *
 *   c_names.c       C names: clashes, scopes           made_names.c    names that generated code makes
 *   write_types.c   types, structs, element tables     write_expr.c    expressions
 *   write_stmt.c    sequential statements              extern.c        extern blocks
 *   write_function.c  user functions
 *   layout.c        elements of arrays in a stage      literals.c      literals
 *   lists.c         where lists end
 *
 * Stages, in ../cpu:
 *   stage_function.c  a stage function, formals          stage_loop.c      parallel loops
 *   stage_reduce.c    reductions                         stage_multiply.c  the multiply form
 *   stage_carry.c     loops that hand an element on      stage_lanes.c     loops in lanes
 *   stage_edges.c     loops in three pieces             stage_usual.c     loops for usual numbers first
 *   stage_cost.c      what a stage costs (--predict)
 */
#ifndef HP5_EMIT_WRITER_H
#define HP5_EMIT_WRITER_H
#include "compiler/emit/emit.h"

/* A C name in scope; var NULL for names that only the generated text uses (i_end). */
typedef struct ScopeName { const Var *var; const char *name; } ScopeName;

/* A reduction target of a stage: C names of its tree and, inside a loop that reduces to it, of its lanes. Where the order
 * makes no difference (Integers, extrema) there are neither: `tree` names the result so far. `ordered`, extrema of Reals: it
 * is an Integer of the same order (runtime/array/reduce.h). */
typedef struct Target { const Var *var; const Formal *formal; const char *operation, *tree, *lanes, *kept; /* lanes, while others stand for them */ bool any_order, ordered; } Target;

/* The pointer to a field of an array whose fields lie apart. */
typedef struct FieldName { const Var *array; int lag, field; const char *name; } FieldName;

typedef struct KeptElement { const Expr *element; const char *name; } KeptElement;
typedef struct KeptRange { const Expr *range; const char *declaration, *name; bool used; } KeptRange;
/* Iterations side by side: the loop's index, and in C the first of them, the number of a lane, and how many there are.
 * sliding: the index of a loop inside that is one more in each lane, or NULL, and what it is in lane 0. in_block: the round is one of a block whose rows are transposed (cpu/stage_transposed.c).
 * few: gcc would write loops over the lanes out before it makes vectors. */
/* count: how many lanes there are; room: how many at most; sequence: the innermost sequential loop around that all go through together, or NULL; shared: locals that are one for all (cpu/stage_shared.c);
 * holds: whether the lane has a part in what is printed, or NULL; open: in loops, all have; in_loop: of the body, or of one of its conditions. */
typedef struct WriterLanes { const Nest *nest; const Var *index; const char *first, *lane, *count, *room; const Stmt *sequence; const Var *sliding; const char *slid; bool in_block, few; VarVec shared; Expr *holds; bool open, in_loop; } WriterLanes;

/* What is added to the index of a loop where it is a subscript of a dimension with gaps (lower/stretches.c). */
typedef struct IndexShift { const Var *index, *array; int dimension; const char *text; } IndexShift;

/* The place of a subscript that is the same in all iterations of the nest around, in such a dimension. */
typedef struct FixedPlace { const Expr *subscript; const Var *array; int dimension; const char *name; } FixedPlace;

typedef struct LoopStretch { const Loop *loop; const char *first, *stop; } LoopStretch;

struct Writer {
    Emit *emit;
    Arena *arena;
    Text *out;
    const LoweredBody *code;
    const Stmt **first;            /* by Var.id: the statement that mentions a local first, of the block that declares it */
    const Body *body;              /* code's; NULL in Initialize and the coordinator */
    const EmitNames *outer;        /* the caller's names (Initialize, coordinator), or NULL */
    EmitNames names;               /* what expressions are printed with; data is this Writer */
    VEC(ScopeName) scope;
    bool (*hook)(void *data, const Stmt *stmt, int indent, Text *out);
    const StageUse *use;           /* a stage, or NULL */
    VEC(Target) targets;
    VarVec from_origin;            /* arrays whose pointer stands where the element with all indices 0 would be */
    VEC(FieldName) field_names;
    VEC(IndexShift) shifts;
    VEC(FixedPlace) fixed;
    VEC(const Var *) array_indices; /* indices of loops over parts of arrays: far from the limits of an Integer */
    const char *box;               /* C name of the box that bounds a stage's loops (lower/border.c), or NULL */
    const char *joined;            /* C name of the products that wait for those of neighbours (LoweredBody.joins), or NULL */
    const char *lane;              /* C name of the lane number inside a loop that reduces, or NULL */
    bool independent;              /* the loop that is printed next may say HP5_INDEPENDENT */
    const Var *entry_index;        /* the index that *_entry reductions record */
    const Expr *replaced; const char *replacement; /* an element that a local stands for, or NULL */
    struct { const Stmt *stmt; const char *order, *operation; } extremum; /* which statement takes an extremum, to what, and how (stage_rows.c); or NULL */
    const Expr *carried; const char *carried_name; /* an element that the iteration before has read, or NULL */
    const Choices *choices;        /* of the nest that is printed, or NULL */
    VEC(KeptElement) kept;         /* elements for which locals stand */
    VEC(KeptRange) ranges;         /* ranges of dimensions for which locals stand */
    VEC(KeptElement) noted;        /* those of which a Boolean says whether they have been assigned */
    const RelayStage *relay;       /* the stage's part in a group that goes in one walk (cuda/relays.c), or NULL */
    VEC(KeptElement) given;        /* elements that others give it: what gives them */
    VEC(KeptElement) counted;      /* what sums assign, of whose arrays a crew has counters: their names */
    const Stmt *decided; bool decision; /* an if whose condition is known here, or NULL */
    const Edges *edges; LoopPiece piece; /* in a piece of a loop (lower/edges.c), or NULL */
    LoopStretch piece_of;          /* a loop of which a piece is printed, from `first` to before `stop`, or NULL */
    WriterLanes lanes;             /* inside a loop in lanes */
    void (*loop_body)(Writer *writer, const Block *block, int indent); /* how bodies of sequential loops are printed; NULL: writer_block */
    /* with loop_body, or NULL: prints rounds of a sequential loop by 1 from `min` to `max`, by blocks, and returns which one comes next; NULL: it prints nothing */
    const char *(*loop_blocks)(Writer *writer, const Stmt *stmt, const char *index, const char *min, const char *max, int indent);
    const char *crew;              /* on a card, a stage: C text of the tier of the threads that run it together (runtime/card/crew.h); else NULL */
    /* all of them do the same; each its own iterations; the first one alone; each its own ones of a sequential loop that counts (cuda/tallies.c) */
    enum CrewSharing { CREW_TOGETHER, CREW_APART, CREW_FIRST, CREW_COUNTS } sharing;
    int rounds;                    /* loops around whose rounds the threads of a crew go through together, one round after the other */
    bool in_team;                  /* those threads are a team, of the crew or of a part of it (cuda/teams.c) */
    const Stmt *in_step;           /* the stage's first loop, to which its crew comes from a wait; or NULL */
    bool strict;                   /* indices that are taken from arrays are checked */
    bool leaves_by_goto;           /* a stage with something to do at its end: return is `goto done` */
};

/* ---- c_names.c ------------------------------------------------------------------------------ */
/* Puts `var` in scope under its own name or, where that is taken, a variation; returns the name. */
const char *writer_declare(Writer *writer, const Var *var);
/* A new name for the generated text's own use, like `wanted`; no variable of the body has it. */
const char *writer_fresh(Writer *writer, const char *wanted);
/* The name stays taken until the scope is left. */
void writer_take(Writer *writer, const char *name);
const char *writer_find(const Writer *writer, const Var *var);   /* NULL when not in scope */
bool emit_word_is_reserved(const char *word);
/* C name of a user function; of a user type ("Point" of "struct Point"). */
const char *emit_function_symbol(Emit *emit, const Function *function);
const char *emit_tag(Emit *emit, const Type *type);

/* ---- made_names.c -------------------------------------------------------------------------- */
/* Whether generated code makes this name of names of the program. */
bool emit_is_made(Emit *emit, const char *word);
/* Whether Initialize, the launch of a task or the coordinator use it for themselves; the flow, too. */
bool emit_is_of_task_code(const char *word);
bool emit_is_of_flows(const char *word);

/* ---- lists.c ------------------------------------------------------------------------------- */
/* An element of a list, or a part of one. */
bool writer_is_in_list(const Expr *place);
/* The expression may give a list that was not there before. */
bool writer_makes_list(const Expr *expr);
/* Lists that the body makes end with it: the line that says so, unless it hands lists to its caller. On cards blocks say it. */
void writer_lists_scope(Writer *writer, const Body *body);
/* The same of a block, on cards, where it gives none to variables of others. */
void writer_block_lists(Writer *writer, const Block *block, int indent);

/* Ends the reach of a #line: what follows is generated text again. */
void emit_own_line(Emit *emit, Text *out);

/* ---- order.c -------------------------------------------------------------------------- */
/* Whether evaluating the expression may change anything but by ending the program. */
bool emit_changes_something(Emit *emit, const Expr *expr);
/* C text that evaluates the expression's operands from left to right; NULL: C's own order makes no difference. */
char *emit_in_order(Emit *emit, const EmitNames *names, const Expr *expr);
/* The values with what has to be computed before, in order, printed to `before` ("T name = …; ") and replaced. */
ExprVec emit_values_in_order(Emit *emit, const EmitNames *names, const ExprVec *values, Text *before);
/* The assignment with what has to be computed before it, in order, printed and replaced; the statement itself where C's order
 * makes no difference. `addend`: what a sum of the target starts from. */
const Stmt *writer_assign_in_order(Writer *writer, const Stmt *stmt, const Expr **addend, int indent);

/* ---- if_convert.c ------------------------------------------------------------------------- */
/* Prints an `if` of a sequential loop as a condition and what it picks, where that is better than branches. Returns false where it is not. */
bool writer_if_converts(Writer *writer, const Stmt *stmt, int indent);
/* Prints an `if` of a loop in vectors that does nothing but set Booleans without a branch. Returns false where it does more. */
bool writer_sets_flags(Writer *writer, const Stmt *stmt, int indent);
/* The same for one that adds literals to Integers, some under further conditions. */
bool writer_sums_where(Writer *writer, const Stmt *stmt, int indent);

/* ---- choices.c ---------------------------------------------------------------------------- */
/* Before an `if` that is a choice of the nest: locals for its elements, for which they stand until they are stored behind it. Returns
 * what writer_store_elements wants. */
size_t writer_keep_elements(Writer *writer, const Stmt *stmt, int indent);
void writer_store_elements(Writer *writer, size_t mark, int indent);
/* The local that stands for the element, or NULL. */
const char *writer_kept(const Writer *writer, const Expr *element);

/* ---- ranges.c ----------------------------------------------------------------------------- */
/* Names for the ranges of dimensions that a body asks for; for those that it asks for again and again. */
void writer_note_ranges(Writer *writer, const Block *body);
void writer_note_ranges_in_loops(Writer *writer, const Block *body);
/* The local that stands for the range, which is used from now on, or NULL. */
const char *writer_range(Writer *writer, const Expr *range);
/* Declares those that are used, from number `first` on, in the text's place `at`. */
void writer_declare_ranges(Writer *writer, size_t first, size_t at, int indent);

/* ---- short_loops.c ------------------------------------------------------------------------- */
/* One more than the bound of a loop, where that cannot overflow and C compilers see how far it is from the other bound; else NULL. */
char *writer_plain_after(Writer *writer, const Expr *bound);
/* Whether the text of a loop over this range says how often it runs, at least once, and may end with !=. */
bool writer_is_counted(Writer *writer, const Expr *range);
/* Whether rounds of the loop are to be printed one behind the other by the C compiler (HP5_ALL_ROUNDS). */
bool writer_is_written_out(Writer *writer, const Stmt *stmt);

/* ---- write_expr.c --------------------------------------------------------------------------- */
char *writer_expr(Writer *writer, const Expr *expr);               /* as arena text */
/* The same of the condition of a branch (emit_truth). */
char *writer_condition(Writer *writer, const Expr *expr);
/* The same, in parentheses unless it is a primary expression. */
char *writer_expr_primary(Writer *writer, const Expr *expr);
/* What is assigned: a list may grow by it. */
char *writer_place(Writer *writer, const Expr *expr);
/* In parentheses where it stands beside `op`. */
char *writer_operand(Writer *writer, const Expr *expr, Operator op, bool right);
int emit_line(const Emit *emit, Span span);
/* stored.c: `text`, which is the value, as it is stored, in 32 bits if `single`; and as a new record's field has it first. */
char *emit_stored(Emit *emit, bool single, const Expr *value, char *text);
char *emit_first_value(Emit *emit, const Type *field, const Expr *value, char *text);
/* literals.c: what C reads back as the value. `single`: as a float. */
char *emit_string_literal(Arena *arena, const char *text, size_t length);
char *emit_integer_literal(Arena *arena, int64_t value);
/* The value of an Integer expression of literals; *wraps: a step of it does not fit 64 bits, which C compilers warn about. */
bool emit_is_of_literals(const Expr *expr, int64_t *value, bool *wraps);
char *emit_real_literal(Arena *arena, double value, bool single);
char *emit_character_literal(Arena *arena, unsigned char c);
/* Postfix access on C text: "p->f" for "(*p)". */
char *emit_member(Arena *arena, const char *text, const char *member);

/* ---- write_function.c -------------------------------------------------------------------------- */
/* Whether the assignment settles a parameter; then it is printed as the local that it is from here on. */
bool writer_settles_param(Writer *writer, const Stmt *stmt, int indent);

/* ---- write_stmt.c ------------------------------------------------------------------------------ */
/* `outer`: names of Initialize or the coordinator; NULL for functions and stages. */
void writer_init(Writer *writer, Emit *emit, const LoweredBody *code, const EmitNames *outer, Text *out);
void writer_block(Writer *writer, const Block *block, int indent);
/* One that declares nothing. */
void writer_stmt(Writer *writer, const Stmt *stmt, int indent);
/* The C type of a local. */
/* Only ever assigned: neither the variable nor its assignments are printed. */
bool writer_is_unread(const Writer *writer, const Var *var);
void writer_declare_zeroed(Writer *writer, const Var *var, int indent);
const char *writer_local_type(const Writer *writer, const Var *var);
/* Whether the statement is `var = …`, of anything but `var`. */
bool writer_sets_first(const Stmt *stmt, const Var *var);
__attribute__((format(printf, 3, 4))) void writer_line(Writer *writer, int indent, const char *format, ...);
/* On a card, the threads that run a stage together wait for each other, unless the statement before is such a wait. */
void writer_crew_waits(Writer *writer, int indent);
/* An element of an array, or a part of one. */
bool writer_is_element(const Expr *place);
/* "T name": pointers take no space. */
char *emit_declarator(Arena *arena, const char *c_type, const char *name);
/* Locals of a do … while's body that its condition names. */
void writer_declare_for_condition(Writer *writer, const Stmt *stmt, int indent);

/* ---- extern.c ------------------------------------------------------------------------------------ */
void writer_extern(Writer *writer, const Stmt *stmt, int indent);
/* The code may give the variable, which it names, another value. */
bool writer_extern_changes(const Writer *writer, const Var *var);
/* The headers that extern blocks of one language ask for; false when there is none. */
bool emit_includes(Emit *emit, ExternLanguage language, Text *out);
/* In text for cards, whose lines move (../cuda/card_text.c): from here on lines are those of the program, counted on; they are those of the text. */
#define EMIT_LINE_ON_CARD "# line "
#define EMIT_OWN_LINE_ON_CARD "#line 0\n"
/* Extern code of the block names `var`. */
bool emit_extern_uses(const Block *block, const Var *var);
/* The declarations of structs alone (write_types.c). */
void emit_structs(Emit *emit, Text *out);

/* ---- layout.c: elements of arrays in a stage, which may not lie as rows and whole ------------------------- */
/* "x_view->part[0]" */
char *writer_part(Writer *writer, const Var *var, int dimension);
/* Its view. */
const char *writer_view(Writer *writer, const Var *var);
/* "x_ld2": how far apart neighbours in a dimension are, but for the one that runs fastest. */
char *writer_ld(const Writer *writer, const Var *array, int dimension);
/* "x_places1": the places of a dimension's indices. */
char *writer_places(const Writer *writer, const Var *array, int dimension);
/* Which dimension is the `position`-th, the slowest first. */
int writer_dimension(const Writer *writer, const Var *array, int position);
/* "i * x_ld1 + j" */
char *writer_element_place(Writer *writer, const Expr *element);
/* A whole element of an array whose fields lie apart? Then: its value, a field of it, an assignment to it. */
bool writer_is_split(const Writer *writer, const Expr *place);
const char *writer_split_element(Writer *writer, const Expr *element);
const char *writer_split_field(Writer *writer, const Expr *field);
void writer_split_assign(Writer *writer, const Expr *target, const char *value, int indent);
/* The line that makes C's pointer, or the lines for the fields that the stage uses. */
void writer_array_pointer(Writer *writer, const Formal *formal, int lag, const char *name);

#endif
