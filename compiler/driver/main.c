/* hp5c: see pipeline.c for the pipeline. */
#include "compiler/driver/pipeline.h"

int main(int argc, char **argv) { return driver_main(argc, argv); }
