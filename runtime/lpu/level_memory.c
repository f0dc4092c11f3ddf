/* See level_memory.h; and how much memory a task's card has. */
#include "runtime/lpu/level_memory.h"
#include "runtime/card/card.h"
#include "runtime/report/error.h"
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *given;

void hp5_memory_given(const char *machine) { given = machine; }

bool hp5_names_memory(const char *name, size_t length, size_t *level) {
    static const char suffix[] = ".memory";
    const size_t behind = sizeof suffix - 1;
    if (length <= behind || strncmp(name + length - behind, suffix, behind) != 0) return false;
    *level = length - behind;
    return true;
}

static bool is_word(const char *word, const char *text, size_t length) { return strlen(word) == length && strncmp(word, text, length) == 0; }

bool hp5_is_cards_level(const Hp5TaskDesc *desc, const char *name, size_t length) {
    return desc->card != NULL && is_word(desc->machine_levels[desc->card->first_level].name, name, length);
}

/* In bytes, as in models, where units count in 1024s; 0: it is no size. */
static int64_t size_in(const char *text, size_t length) {
    static const char *const units[] = {"B", "KB", "MB", "GB", "TB"};
    char *end;
    errno = 0;
    const double number = strtod(text, &end);
    const size_t digits = (size_t)(end - text);
    if (errno != 0 || digits == 0 || digits >= length) return 0;
    for (int u = 0; u < (int)(sizeof units / sizeof *units); u++) {
        const double bytes = ldexp(number, 10 * u);
        if (is_word(units[u], end, length - digits)) return bytes >= 1 && bytes < 9e18 ? (int64_t)bytes : 0;
    }
    return 0;
}

void hp5_check_memory(bool found, const char *name, size_t level, const char *size, size_t length) {
    if (!found) hp5_fail(HP5_EXIT_USAGE, "--machine: the memory of '%.*s' is given, but no task of the program is mapped to a card of that name", (int)level, name);
    if (size_in(size, length) == 0)
        hp5_fail(HP5_EXIT_USAGE, "--machine: the memory of %.*s is '%.*s', expected a size, as in %.*s.memory=512MB", (int)level, name, (int)length, size, (int)level, name);
}

int64_t hp5_card_memory(const Hp5TaskDesc *desc) {
    for (const char *at = given; at != NULL && *at != '\0';) {
        const size_t length = strcspn(at, ","), name = strcspn(at, "=,");
        size_t level;
        if (hp5_names_memory(at, name, &level) && hp5_is_cards_level(desc, at, level)) return size_in(at + name + 1, length - name - 1);
        at += length + (at[length] == ',');
    }
    return desc->machine_figures == NULL ? 0 : (int64_t)desc->machine_figures[desc->card->first_level].memory;
}
