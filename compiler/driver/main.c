/* hp5c: see driver.c for the pipeline. */
#include "compiler/driver/driver.h"

int main(int argc, char **argv) { return driver_main(argc, argv); }
