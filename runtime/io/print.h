/* print(values…): one line on stdout, values separated by a space; Reals in shortest
 * round-trip form (single precision by its own digits), Booleans true/false. */
#ifndef HP5_RUNTIME_PRINT_H
#define HP5_RUNTIME_PRINT_H
#include <stdbool.h>
#include <stdint.h>
void hp5_print_integer(int64_t value);
void hp5_print_real(double value);
void hp5_print_single(float value);
void hp5_print_boolean(bool value);
void hp5_print_character(char value);
void hp5_print_string(const char *value);
void hp5_print_range(int64_t min, int64_t max);   /* [min...max] */
void hp5_print_space(void);
void hp5_print_end(void);                          /* newline, flush; a write error ends the program */
void hp5_print_flush(void);                        /* the same without a newline, for what others have printed */
void hp5_print_mute(void);                         /* from now on nothing is printed (--print-mapping) */
/* Shortest text into buffer[32]; returns its length. */
int hp5_real_text(double value, char *buffer);
int hp5_single_text(float value, char *buffer);
#endif
