/* What a stage costs, as a tree that mirrors its loops and choices: straight-line code is counted (count.h), loops are told
 * apart by how their rounds are found out, and of the stage's own assignments those are kept from which that follows. Whoever
 * prints it (compiler/emit/cpu/stage_cost.c) decides nothing.
 *
 * The tree says how often loops run and nothing else. A loop whose index other bounds or tests name is walked at some of its
 * indices, all others are only counted. Where the number of rounds cannot be told the loop counts as one. */
#ifndef HP5_COST_COST_H
#define HP5_COST_COST_H
#include "compiler/cost/count.h"

/* Straight-line code, or the three loops of a product with what is in them. */
typedef struct CostBlock {
    Count count; /* of a product: as the register-tiled one computes it */
    Span span;
    bool product;
} CostBlock;

typedef enum CostKind {
    COST_VALUE,   /* stmt: an assignment of a kept local */
    COST_NEST,    /* nest: loops of which the rounds are known */
    COST_STEPS,   /* stmt: a `do in sequence` of which the rounds are known */
    COST_UNKNOWN, /* stmt: a loop of which nobody knows how often it runs */
    COST_CHOICE,  /* stmt: an `if` around loops or kept locals */
    COST_INSIDE   /* the body alone: of an `if` whose condition cannot be told, or of a block */
} CostKind;

/* walked: at some indices, each with its value; filtered: its tests can be told there. */
typedef struct CostLoop { bool walked, filtered; } CostLoop;

typedef struct CostNode CostNode;
typedef struct CostScope {
    int block;                 /* in StageCost.blocks: the straight-line code in it; -1: none */
    VEC(const Var *) zeroed;   /* kept locals that begin as zero */
    VEC(CostNode *) nodes;     /* in the order of the program */
} CostScope;

struct CostNode {
    CostKind kind;
    const Stmt *stmt;
    const Nest *nest;
    const CostLoop *loops;     /* NEST: as nest->loops; STEPS: one */
    bool declares;             /* VALUE: the only assignment of the local, in the block that declares it */
    CostScope body, otherwise; /* CHOICE: otherwise.nodes may be none */
    bool has_otherwise;
};

typedef struct StageCost {
    const LoweredStage *stage;
    VEC(CostBlock) blocks;
    CostScope body;
} StageCost;

/* Needs: a stage of the program, whose loops have roles. crew: as the threads of a card run it, one iteration each, without vectors. */
const StageCost *cost_of_stage(Arena *arena, const LoweredProgram *program, const LoweredStage *stage, bool crew);
#endif
