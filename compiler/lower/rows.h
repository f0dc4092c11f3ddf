/* What a sequential loop does with rows: elements that have its index in one of their dimensions. Read rows_of from its end. */
#ifndef HP5_LOWER_ROWS_H
#define HP5_LOWER_ROWS_H
#include "compiler/check/program.h"
#include "compiler/plan/plan.h"

typedef struct RowIndex { const Var *var; const Stmt *loop; ExprVec lower, upper; } RowIndex;
/* An array that the loop writes, the dimensions in which all elements that it writes have its index, and these elements. */
typedef struct RowArray { const Var *array; unsigned dimensions; ExprVec targets; } RowArray;

typedef struct Rows {
    const Var *row;             /* the loop's index */
    const Stmt *loop;
    VEC(RowIndex) indices;      /* of the loop and those inside, with what bounds them */
    VEC(RowArray) arrays;
} Rows;

/* Whether nothing is in the loop but loops, branches, and assignments to elements of arrays that have one name, and to locals of its blocks; then it is
 * known what it writes. */
bool lower_rows_of(Arena *arena, const StageUse *use, const Stmt *loop, Rows *rows);
/* The array among those that are written, or NULL. */
const RowArray *lower_row_array(const Rows *rows, const Var *array);
/* Whether the Integer is at most, or at least, the loop's index plus the number, in every iteration in which it is computed. */
bool lower_is_at_most(const Rows *rows, const Expr *expr, int64_t number);
bool lower_is_at_least(const Rows *rows, const Expr *expr, int64_t number);
/* Whether they are two elements in every iteration, because one of them lies in front of the loop's row, or behind it, in a dimension where the other does not. */
bool lower_are_apart(const Rows *rows, const Expr *one, const Expr *other);
/* Whether no iteration writes the element, because in one dimension all that are written lie behind it. */
bool lower_lies_in_front(const Rows *rows, const Expr *element);
/* Whether the loop has fewer rounds than that, as its range tells. */
bool lower_has_fewer(const Block *around, const Stmt *loop, int64_t rounds);
/* The variable of a sum of one and numbers, which `number` gets; NULL: it is no such sum. */
const Var *lower_term_of(const Expr *expr, int64_t *number);
/* It is the index. */
bool lower_is_index(const Expr *expr, const Var *var);
/* The dimensions of an element in which it stands, as bits. */
unsigned lower_dimensions_of(const Expr *element, const Var *index);
/* One iteration after the other over all numbers from the least to the greatest. */
bool lower_counts_up(const Stmt *loop);
#endif
