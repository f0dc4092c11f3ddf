/* Asking a Lemon parser whether it would take a token, without giving it the token.
 *
 * Include this in a grammar's %code section and name the function with
 * LEMON_ACCEPTS(name). By the time Lemon calls %syntax_error it has already made
 * its default reductions, so the tokens that were possible can no longer be read
 * from its stack; the function replays the reductions on a copy of the states.
 *
 * The copy of the stack is bounded: a parser whose stack is deeper than the copy
 * answers with what its topmost states would do. */
#ifndef HP5_BASE_LEMON_ACCEPTS_H
#define HP5_BASE_LEMON_ACCEPTS_H

#define LEMON_ACCEPTS(name)                                                                        \
    bool name(void *raw, int token) {                                                              \
        enum { DEPTH = 256 };                                                                      \
        const yyParser *parser = raw;                                                              \
        YYACTIONTYPE states[DEPTH + 1];                                                            \
        int count = (int)(parser->yytos - parser->yystack) + 1;                                    \
        int first = count > DEPTH / 2 ? count - DEPTH / 2 : 0, top = -1;                           \
        for (int i = first; i < count; i++) states[++top] = parser->yystack[i].stateno;            \
        for (;;) {                                                                                 \
            YYACTIONTYPE action = yy_find_shift_action((YYCODETYPE)token, states[top]);            \
            if (action < YY_MIN_REDUCE) return action <= YY_MAX_SHIFTREDUCE || action == YY_ACCEPT_ACTION; \
            int rule = action - YY_MIN_REDUCE;                                                     \
            top += yyRuleInfoNRhs[rule]; /* a negative number of symbols */                        \
            if (top < 0 || top >= DEPTH) return false;                                             \
            states[top + 1] = yy_find_reduce_action(states[top], yyRuleInfoLhs[rule]);             \
            top++;                                                                                 \
        }                                                                                          \
    }
#endif
