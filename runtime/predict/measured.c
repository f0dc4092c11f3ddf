/* --measured FILE: what stages have taken where the program has run, for what the model predicts. The file is what --timing has said:
 * for each execution of a task its line, a heading, and a row for each stage. How to read it: a row; the file; what stages take. */
#define _GNU_SOURCE /* getline */
#include "runtime/predict/predict.h"
#include "runtime/run/private.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Sums of the table's microseconds say nothing below that. */
static const double least_seconds = 20e-6;

typedef struct Reading {
    const char *quoted; /* the path */
    const Hp5TaskDesc *desc;
    Hp5Measured *stages;
    int next;      /* row of the table, the heading being -1; stage_count: outside of tables of this task */
    int tables;
} Reading;

static void read_row(Reading *reading, const char *line) {
    const char *name = reading->desc->stage_names[reading->next];
    size_t length = strlen(name);
    char predicted[64];
    long long calls;
    double most;
    Hp5Measured *stage = &reading->stages[reading->next];
    bool fits = strncmp(line, "  ", 2) == 0 && strncmp(line + 2, name, length) == 0;
    if (!fits || sscanf(line + 2 + length, " %lld %lf %*f %63s", &calls, &most, predicted) != 3)
        hp5_fail(HP5_EXIT_USAGE, "--measured %s: task %s has other stages there: for '%s' stands\n%s", reading->quoted, reading->desc->name, name, line);
    if (predicted[0] == '-')
        hp5_fail(HP5_EXIT_USAGE, "--measured %s: no predictions stand there beside the times: compile what is measured with --model, too", reading->quoted);
    stage->ran = stage->ran || calls > 0;
    stage->measured += most;
    stage->predicted += strtod(predicted, NULL);
}

static bool begins_table(const Reading *reading, const char *line) {
    size_t length = strlen(reading->desc->name);
    return strncmp(line, "task ", 5) == 0 && strncmp(line + 5, reading->desc->name, length) == 0 && strncmp(line + 5 + length, " on ", 4) == 0;
}

static void read_lines(Reading *reading, FILE *file) {
    char *line = NULL;
    size_t room = 0;
    reading->next = reading->desc->stage_count;
    for (ssize_t length; (length = getline(&line, &room, file)) >= 0;) {
        if (length > 0 && line[length - 1] == '\n') line[length - 1] = '\0';
        if (begins_table(reading, line)) {
            reading->next = -1;
            reading->tables++;
        } else if (reading->next < reading->desc->stage_count) {
            if (reading->next >= 0) read_row(reading, line);
            reading->next++;
        }
    }
    free(line);
    if (reading->next < reading->desc->stage_count)
        hp5_fail(HP5_EXIT_USAGE, "--measured %s: the table of task %s is cut off", reading->quoted, reading->desc->name);
}

void hp5_measured_read(Hp5Cost *cost, const Hp5TaskDesc *desc, const char *path) {
    char quoted[HP5_QUOTED];
    Reading reading = {.quoted = hp5_quote(path, quoted), .desc = desc};
    FILE *file = fopen(path, "r");
    if (file == NULL) hp5_fail(HP5_EXIT_USAGE, "--measured %s: cannot read it: %s", reading.quoted, strerror(errno));
    cost->measured = reading.stages = hp5_alloc_zeroed((int64_t)sizeof *reading.stages * (desc->stage_count + 1), "costs");
    cost->measured_in = path;
    read_lines(&reading, file);
    fclose(file);
    if (reading.tables == 0)
        hp5_fail(HP5_EXIT_USAGE,
                 "--measured %s: nothing stands there about task %s\n"
                 "  the file is what the program writes to standard error with --timing: ./program … --timing 2>FILE",
                 reading.quoted, desc->name);
}

double hp5_measured_seconds(const Hp5Cost *cost, const Hp5TaskDesc *desc, int stage) {
    double seconds = cost->stages[stage].seconds;
    if (cost->measured == NULL || seconds <= 0) return seconds;
    const Hp5Measured *measured = &cost->measured[stage];
    if (!measured->ran) {
        char quoted[HP5_QUOTED];
        hp5_fail(HP5_EXIT_USAGE, "--measured %s: stage '%s' of task %s has not run there", hp5_quote(cost->measured_in, quoted), desc->stage_names[stage], desc->name);
    }
    if (measured->predicted < least_seconds || measured->measured < least_seconds) return seconds;
    return seconds * (measured->measured / measured->predicted);
}
