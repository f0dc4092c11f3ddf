/* How often the locals of a body are read and written, counted once for all of them. */
#ifndef HP5_LOWER_USES_H
#define HP5_LOWER_USES_H
#include "compiler/lower/walk_bodies.h"

/* As lower_block_reads and lower_block_writes count: reads are mentions, other than as the whole target of an assignment. */
typedef struct VarUses { int reads, writes; } VarUses;

/* By Var.id; only locals are counted. */
VarUses *lower_count_uses(Arena *arena, const Body *body);
/* Takes an assignment of a whole local out of the count. */
void lower_forget_assignment(const Body *body, VarUses *uses, const Stmt *stmt);
/* The local is one of the body's. */
bool lower_is_counted(const Body *body, const Var *var);
#endif
