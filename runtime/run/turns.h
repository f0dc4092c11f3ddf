/* The order of executions where several address spaces take part.
 *
 * In one address space an execution may overtake another whose data are not there yet: who goes first follows from when things
 * finish. Processes that decided so, each for itself, would wait for each other in a circle. So they all give the executions
 * turns, from what all of them know: the executions that the coordinator has asked for between two places where it waits (or
 * HP5_MOST_OPEN of them), their priorities, and who shares data with whom. Each time it is the turn of an execution whose data
 * no earlier one without a turn has: the one with the largest priority, of these the first of the program. An execution then
 * waits for those with an earlier turn that share its PPUs or data, and for no others. */
#ifndef HP5_RUNTIME_TURNS_H
#define HP5_RUNTIME_TURNS_H
#include <stdbool.h>
#include <stdint.h>

enum { HP5_MOST_OPEN = 64 };
/* order[t]: the execution, of `count` in the program's order, whose turn is t. */
void hp5_turns(int count, const int64_t *priority, bool (*share_data)(int a, int b, void *data), void *data, int *order);
#endif
