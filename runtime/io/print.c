/* print(values…) and the text of Reals (print.h). How to read it: real_text finds the
 * fewest digits that read back as the same value, lay_out writes them: plainly between 1e-4 and
 * 1e16, else with an exponent. */
#include "runtime/io/print.h"
#include <errno.h>
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "runtime/report/error.h"

/* ---- Digits ------------------------------------------------------------------------ */

/* `scientific` is "-d.ddde-xx" as printf wrote it. */
static int lay_out(const char *scientific, char *buffer) {
    char digits[24] = "0", *out = buffer;
    int count = 0, exponent = atoi(strchr(scientific, 'e') + 1);
    for (const char *c = scientific; *c != 'e'; c++)
        if (*c >= '0' && *c <= '9') digits[count++] = *c;
    while (count > 1 && digits[count - 1] == '0') count--;
    if (*scientific == '-') *out++ = '-';
    if (exponent < -4 || exponent >= 16) {
        *out++ = digits[0];
        if (count > 1) *out++ = '.';
        for (int i = 1; i < count; i++) *out++ = digits[i];
        out += snprintf(out, 8, "e%+03d", exponent);
        return (int)(out - buffer);
    }
    if (exponent < 0) {
        *out++ = '0';
        *out++ = '.';
        for (int i = exponent + 1; i < 0; i++) *out++ = '0';
        for (int i = 0; i < count; i++) *out++ = digits[i];
    } else {
        for (int i = 0; i <= exponent; i++) *out++ = i < count ? digits[i] : '0';
        *out++ = '.';
        for (int i = exponent + 1; i < count; i++) *out++ = digits[i];
        if (count <= exponent + 1) *out++ = '0';
    }
    *out = '\0';
    return (int)(out - buffer);
}

static int special_text(double value, char *buffer) {
    return sprintf(buffer, "%s", isnan(value) ? "nan" : value > 0 ? "inf" : "-inf");
}

/* Decimals of up to DBL_DIG digits survive the way through a double and back, so the first try, its
 * zeros cut off, is the shortest if it reads back. Subnormals have fewer digits than that. */
int hp5_real_text(double value, char *buffer) {
    if (!isfinite(value)) return special_text(value, buffer);
    char text[40];
    int digits = value != 0 && fabs(value) < DBL_MIN ? 1 : DBL_DIG;
    do snprintf(text, sizeof text, "%.*e", digits - 1, value);
    while (strtod(text, NULL) != value && ++digits <= DBL_DECIMAL_DIG);
    return lay_out(text, buffer);
}

int hp5_single_text(float value, char *buffer) {
    if (!isfinite(value)) return special_text((double)value, buffer);
    char text[40];
    int digits = value != 0 && fabsf(value) < FLT_MIN ? 1 : FLT_DIG;
    do snprintf(text, sizeof text, "%.*e", digits - 1, (double)value);
    while (strtof(text, NULL) != value && ++digits <= FLT_DECIMAL_DIG);
    return lay_out(text, buffer);
}

/* ---- Printing ------------------------------------------------------------------------- */

/* The stream remembers errors: hp5_print_end looks once a line. */
static bool muted;
void hp5_print_mute(void) { muted = true; }

static void put(const char *text) {
    if (!muted) fputs(text, stdout);
}

void hp5_print_integer(int64_t value) {
    char buffer[32];
    snprintf(buffer, sizeof buffer, "%" PRId64, value);
    put(buffer);
}

void hp5_print_real(double value) {
    char buffer[32];
    hp5_real_text(value, buffer);
    put(buffer);
}

void hp5_print_single(float value) {
    char buffer[32];
    hp5_single_text(value, buffer);
    put(buffer);
}

void hp5_print_boolean(bool value) { put(value ? "true" : "false"); }
void hp5_print_character(char value) { put((const char[]){value, '\0'}); }
void hp5_print_string(const char *value) { put(value ? value : ""); }
void hp5_print_range(int64_t min, int64_t max) {
    char buffer[64];
    snprintf(buffer, sizeof buffer, "[%" PRId64 "...%" PRId64 "]", min, max);
    put(buffer);
}
void hp5_print_space(void) { put(" "); }

void hp5_print_end(void) {
    if (muted) return;
    putchar('\n');
    hp5_print_flush();
}

void hp5_print_flush(void) {
    if (fflush(stdout) == 0 && !ferror(stdout)) return;
    int error = errno;
    hp5_fail(HP5_EXIT_FAILURE, "cannot write to the standard output: %s", strerror(error));
}
