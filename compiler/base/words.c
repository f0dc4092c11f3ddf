/* String helpers of text.h: UTF-8, JSON strings, guesses of misspelt words, lists
 * in sentences, and numbers that read back exactly. */
#include "compiler/base/text.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

size_t text_utf8_decode(const char *bytes, size_t length, uint32_t *character) {
    const unsigned char *b = (const unsigned char *)bytes;
    *character = 0xFFFD;
    if (length == 0) return 0;
    if (b[0] < 0x80) {
        *character = b[0];
        return 1;
    }
    size_t more = b[0] >= 0xF0 && b[0] < 0xF5   ? 3
                  : b[0] >= 0xE0 && b[0] < 0xF0 ? 2
                  : b[0] >= 0xC2 && b[0] < 0xE0 ? 1
                                                : 0;
    if (more == 0 || more >= length) return 1;
    uint32_t value = b[0] & (0x3Fu >> more);
    for (size_t i = 1; i <= more; i++) {
        if ((b[i] & 0xC0) != 0x80) return 1;
        value = value << 6 | (b[i] & 0x3Fu);
    }
    bool overlong = (more == 2 && value < 0x800) || (more == 3 && value < 0x10000);
    if (overlong || value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF)) return 1;
    *character = value;
    return more + 1;
}

void text_append_xml(Text *text, const char *string) {
    for (const char *c = string; *c != '\0'; c++) {
        if (*c == '&') text_append(text, "&amp;");
        else if (*c == '<') text_append(text, "&lt;");
        else if (*c == '>') text_append(text, "&gt;");
        else if (*c == '"') text_append(text, "&quot;");
        else if ((unsigned char)*c >= 0x20) text_char(text, *c);
    }
}

void text_json_string(Text *text, const char *string, size_t length) {
    text_char(text, '"');
    for (size_t i = 0; i < length;) {
        uint32_t c;
        size_t size = text_utf8_decode(string + i, length - i, &c);
        if (c == '"' || c == '\\') text_printf(text, "\\%c", (char)c);
        else if (c == '\n') text_append(text, "\\n");
        else if (c == '\t') text_append(text, "\\t");
        else if (c == '\r') text_append(text, "\\r");
        else if (c < 0x20 || c == 0x7F) text_printf(text, "\\u%04x", (unsigned)c);
        else if (c == 0xFFFD) text_append(text, "\xEF\xBF\xBD");
        else text_append_n(text, string + i, size);
        i += size;
    }
    text_char(text, '"');
}

/* ---- Guesses ------------------------------------------------------------------- */

enum { LONGEST_WORD = 64 };

static char fold(char c) {
    if (c == '_') return '-';
    return (char)tolower((unsigned char)c);
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* Edit distance where inserting, deleting, replacing and swapping neighbours cost one. */
static int edit_distance(const char *a, int n, const char *b, int m) {
    int rows[3][LONGEST_WORD + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (int j = 0; j <= m; j++) before[j] = last[j] = j;
    for (int i = 1; i <= n; i++) {
        row[0] = i;
        for (int j = 1; j <= m; j++) {
            char x = fold(a[i - 1]), y = fold(b[j - 1]);
            row[j] = smaller(smaller(last[j], row[j - 1]) + 1, last[j - 1] + (x != y));
            bool swapped = i > 1 && j > 1 && x == fold(b[j - 2]) && y == fold(a[i - 2]);
            if (swapped) row[j] = smaller(row[j], before[j - 2] + 1);
        }
        int *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[m];
}

const char *text_nearest(const char *word, const char *const *candidates, size_t count) {
    size_t length = strlen(word);
    if (length == 0 || length > LONGEST_WORD) return NULL;
    const char *best = NULL;
    int best_distance = LONGEST_WORD;
    for (size_t i = 0; i < count; i++) {
        size_t other = strlen(candidates[i]);
        if (other > LONGEST_WORD) continue;
        int allowed = (int)(length > other ? length : other) / 3; /* a third of the letters may differ */
        int longer = (int)length - (int)other;                    /* as many insertions or deletions at least */
        if (abs(longer) > allowed || abs(longer) >= best_distance) continue;
        int distance = edit_distance(word, (int)length, candidates[i], (int)other);
        if (distance > allowed || distance >= best_distance) continue;
        best = candidates[i];
        best_distance = distance;
    }
    return best;
}

/* ---- Sentences and numbers --------------------------------------------------------- */

char *text_join_or(Arena *arena, const char *const *items, size_t count) {
    Text text = {0};
    for (size_t i = 0; i < count; i++) {
        if (i > 0) text_append(&text, i + 1 == count ? " or " : ", ");
        text_append(&text, items[i]);
    }
    char *joined = arena_copy(arena, text.data, text.length);
    text_free(&text);
    return joined;
}

void text_real(Text *text, double value) {
    if (isnan(value)) {
        text_append(text, "nan");
        return;
    }
    if (isinf(value)) {
        text_append(text, value < 0 ? "-inf" : "inf");
        return;
    }
    char digits[40];
    for (int precision = 1; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) break;
    }
    text_append(text, digits);
    if (!strpbrk(digits, ".e")) text_append(text, ".0");
}
