/* The end of all processes together. In each a thread of its own watches the neighbours in the tree of links.h: so an error, a process
 * that is killed, exits or is stopped ends all of them within five seconds, with one message that says which it was, and where.
 *
 *   beat     twice a second over every link; a peer that says nothing for `HP5_WATCH` seconds (3.5 if that is not set) is lost
 *   report   from a process that has an error, or whose peer is lost, up to process 0, which says it
 *   end      from process 0 down to all: they remove unfinished files, answer `done`, and wait to be ended
 *   bye      before a link is closed in order
 *
 * Where process 0 is itself lost, process 1 takes its place. */
#ifndef HP5_RUNTIME_COMM_WATCH_H
#define HP5_RUNTIME_COMM_WATCH_H

/* By every process, when messages can be sent. From now on hp5_fail, crashes, and the signals that end a program come here.
 * end_all(status) ends the processes of this program, this one too, by means of MPI. */
void hp5_watch_begin(void (*end_all)(int status));
/* By every process, when all have come to the end. */
void hp5_watch_end(void);
#endif
