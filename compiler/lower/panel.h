/* Loops in sequence over rows that go by panels of some rows: what panels.c and tiles.c make of them, and of what. */
#ifndef HP5_LOWER_PANEL_H
#define HP5_LOWER_PANEL_H
#include "compiler/lower/rows.h"

enum { PANEL_ROWS = 48 };

typedef VEC(LoopIndex) IndexVec;

/* What may become a product: an accumulating assignment that is all that the loops of a piece do, which do not ask for what is written. */
typedef struct PanelSum { const Stmt *piece, *assign; size_t place; IndexVec indices; } PanelSum;

typedef struct Panels {
    Arena *arena;
    const Program *program;
    const StageUse *use;
    Body *body;
    const Stmt *loop;
    Rows rows;
    StmtVec pieces;              /* what the loop does in an iteration */
    Var *first, *last;           /* rows of a panel */
    Block *block;                /* of the loop over panels */
} Panels;

/* ---- Expressions ------------------------------------------------------------------------------------------- */
Expr *panel_name(const Panels *panels, Var *var);
/* The variable plus or minus the number. */
Expr *panel_sum(const Panels *panels, Var *var, Operator op, int64_t number);
/* llmin or llmax of two. */
Expr *panel_extreme(const Panels *panels, const char *math, Expr *one, Expr *other);
Expr *panel_range(const Panels *panels, Expr *from, Expr *to);

/* ---- Statements ---------------------------------------------------------------------------------------------- */
/* At the block's end; NULL: nowhere yet. */
Stmt *panel_stmt(const Panels *panels, StmtKind kind, Block *block);
/* With statements of its own, which later passes may change: expressions are the same. */
Block panel_copy(Arena *arena, const Block *block);
/* The loop over panels, with the last row of each. */
Stmt *panel_begin(Panels *panels);
/* Statements of the block, those of a loop over rows of which each has elements of its own one by one. */
void panel_find_pieces(const Panels *panels, const Block *block, StmtVec *pieces);
/* Whether the piece is one. */
bool panel_is_sum(const Panels *panels, const StmtVec *pieces, size_t place, PanelSum *sum);
/* Its loops; with the rows of a panel around them. */
Stmt *panel_loop(const Panels *panels, const PanelSum *sum, bool rows);
/* Over the rows of a panel, in any order. */
LoopIndex panel_over_rows(const Panels *panels);
/* The rows of a panel, one after the other, with nothing in the loop yet. */
Stmt *panel_rows(const Panels *panels);
void panel_bound(const Panels *panels, Stmt *loop, const Var *var, bool upper, Expr *by);
/* A bound for all of the panel in the place of those that it tells, as `teller` is in the panel or behind it: teller - 1, or teller + 1. */
void panel_bound_instead(const Panels *panels, Stmt *loop, const Var *var, bool upper, Expr *by, const Var *teller);
bool panel_is_product(const Panels *panels, const Stmt *loop);

/* ---- in_elements.c ---------------------------------------------------------------------------------------------- */
/* A copy of the loop in which elements have what locals would have; NULL: there are no such locals. */
Stmt *panel_in_elements(const Panels *panels);

/* ---- tiles.c ---------------------------------------------------------------------------------------------------- */
/* Fills the panels' block: rows that add those before them; false: they do not. `columns` gets where the loop over what lies in front of the panel stands. */
bool panel_by_tiles(const Panels *panels, Stmt ***columns);
#endif
