/* What the files of runtime/comm share. */
#ifndef HP5_RUNTIME_COMM_PRIVATE_H
#define HP5_RUNTIME_COMM_PRIVATE_H
#include "runtime/comm/comm.h"
#include "runtime/comm/driver.h"
#include "runtime/comm/launcher.h"

/* load.c: the driver for what the launcher says; ends the program where there is none. */
const Hp5CommDriver *hp5_comm_load(const Hp5Launcher *launcher, const char *folder);
/* Messages on a channel; as hp5_comm_send and hp5_comm_receive. */
void hp5_comm_post(Hp5Request *request, const Hp5Message *message);
/* same.c: ends the program unless all processes run the same executable with the same arguments. */
void hp5_comm_compare(int argc, char **argv);
#endif
