/* A thread's own loop four rounds at a time: fours.c, and ahead.c for what it reads. */
#ifndef HP5_EMIT_CUDA_FOURS_H
#define HP5_EMIT_CUDA_FOURS_H
#include "compiler/emit/cpu/stage.h"

/* What each round reads at its own place: an element, or a field of one, the array of C that has it for four rounds, and what stands for it in expressions. */
typedef struct FourRead { const Expr *expr; const char *name; Expr *stand_in; } FourRead;
typedef enum FourWay {
    FOUR_WHERE_USED, /* nothing is read beforehand */
    FOUR_AT_TOP,     /* when the four rounds begin */
    FOUR_AHEAD       /* while the four before run */
} FourWay;

/* `assigned`: elements that rounds have in common, give values to and have in registers. The others are fours.c's and ahead.c's. */
typedef struct Fours {
    Writer *writer;
    VEC(const Expr *) assigned;
    const Var *index;
    const char *name, *last, *lane; /* C names of the loop's index, its end, and of which of the four it is */
    VEC(FourRead) reads;
    FourWay way;
    VEC(Text *) pieces; /* of the text of four rounds: what they compute, and between that calls for quotients and roots; even and odd numbers */
} Fours;

/* fours.c: a loop from `first` on, in front of `last`, four rounds at a time where these divide Reals and can, and down a column where it goes there. */
void cuda_own_loop(Fours *fours, const Block *block, const Var *index, const char *first, const char *last, int indent);
/* down.c: the same where rounds read elements that lie a row apart, for many rounds before they begin; false, and nothing printed, where it is no such loop. */
bool cuda_down(Fours *fours, const Block *block, const Var *index, const char *first, const char *last, int indent);

/* What stands for an expression: text for its value. */
Expr *cuda_stand_in(Arena *arena, const Expr *expr, const char *text);
/* What stands for an expression that is computed for four rounds: an element of the array `name`. */
Expr *four_stand_in(const Fours *fours, const Expr *expr, const char *name);
bool four_is_scalar(const Type *type);

/* ahead.c: finds what is read at the rounds' own places and may be read before. */
void four_find_reads(Fours *fours, const Block *block);
/* The expression with stand-ins for it. */
const Expr *four_with_reads(const Fours *fours, const Expr *expr);
/* The array of such a stand-in, or NULL. */
const char *four_read_name(const Fours *fours, const Expr *expr);
/* The loop, whose pieces are printed. */
void four_print_loop(Fours *fours, int indent);
/* Where the pieces stand in it. */
int four_inside(const Fours *fours, int indent);
#endif
