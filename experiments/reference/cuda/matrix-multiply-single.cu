/* cuBLAS's SGEMM in pedantic mode. */
#include "multiply.h"

int main(int argc, char **argv) { return multiply_files<float>(argc, argv, "<f4", "multiply"); }
