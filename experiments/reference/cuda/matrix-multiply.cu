/* cuBLAS's DGEMM. */
#include "multiply.h"

int main(int argc, char **argv) { return multiply_files<double>(argc, argv, "<f8", "multiply"); }
