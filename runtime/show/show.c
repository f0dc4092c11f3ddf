/* The executions of a program under --print-mapping and --mapping-svg: each task is shown once for each set of
 * partition arguments and array extents. Nothing is computed, so a coordinator that waits for a result (a loop until
 * something has converged) would launch the same tasks for ever: after many launches that show nothing new it is over. */
#include "runtime/comm/comm.h"
#include "runtime/io/files.h"
#include "runtime/io/print.h"
#include "runtime/show/show.h"
#include "runtime/run/private.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_REPEATS = 1000 };

typedef struct Shown {
    struct Shown *next;
    const Hp5TaskDesc *desc;
    int64_t *numbers; /* arguments, then bounds of all arrays */
    int64_t count;
} Shown;

struct Hp5Show {
    const Hp5Options *options;
    Shown *shown;
    int repeats;
    char *picture; /* panels so far */
    size_t picture_size;
    FILE *panels;
    double height;
};

Hp5Show *hp5_show_create(const Hp5Options *options) {
    if (!options->print_mapping && options->mapping_svg == NULL) return NULL;
    Hp5Show *show = hp5_alloc_zeroed(sizeof *show, "a mapping's picture");
    show->options = options;
    show->height = 16;
    if (options->mapping_svg) show->panels = open_memstream(&show->picture, &show->picture_size);
    if (options->mapping_svg && show->panels == NULL) hp5_fail(HP5_EXIT_FAILURE, "--mapping-svg: %s", strerror(errno));
    return show;
}

static int64_t *numbers_of(const Hp5TaskRun *run, int64_t *count) {
    *count = run->desc->arg_count;
    for (int a = 0; a < run->desc->array_count; a++) *count += 2 * run->items[a]->rank;
    int64_t *numbers = hp5_alloc((*count + 1) * (int64_t)sizeof *numbers, "a mapping's picture"), *at = numbers;
    for (int i = 0; i < run->desc->arg_count; i++) *at++ = run->args[i];
    for (int a = 0; a < run->desc->array_count; a++)
        for (int d = 0; d < run->items[a]->rank; d++) {
            *at++ = run->items[a]->lo[d];
            *at++ = run->items[a]->extent[d];
        }
    return numbers;
}

static bool is_new(Hp5Show *show, const Hp5TaskRun *run) {
    int64_t count, *numbers = numbers_of(run, &count);
    for (const Shown *at = show->shown; at; at = at->next)
        if (at->desc == run->desc && at->count == count && memcmp(at->numbers, numbers, sizeof *numbers * (size_t)count) == 0) {
            hp5_free(numbers);
            return false;
        }
    Shown *shown = hp5_alloc(sizeof *shown, "a mapping's picture");
    *shown = (Shown){show->shown, run->desc, numbers, count};
    show->shown = shown;
    return true;
}

static void write_picture(const Hp5Show *show) {
    const char *path = show->options->mapping_svg;
    char *text = NULL;
    size_t length = 0;
    FILE *file = open_memstream(&text, &length);
    if (file == NULL) hp5_fail(HP5_EXIT_FAILURE, "--mapping-svg: %s", strerror(errno));
    fprintf(file, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%.0f\" viewBox=\"0 0 %d %.0f\">\n", HP5_SHOW_WIDTH, show->height,
            HP5_SHOW_WIDTH, show->height);
    fputs("<style>text{font-family:sans-serif;font-size:12px;fill:#222}.task{font-size:18px;font-weight:bold}.space{font-size:14px;font-weight:bold}"
          ".small{font-size:10px;fill:#555}.edge{fill:none;stroke:#111;stroke-width:2}.padding{fill:#fff3c4;stroke:#c79a00;stroke-dasharray:4 3}"
          ".own{stroke:#333}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
          file);
    fwrite(show->picture, 1, show->picture_size, file);
    fputs("</svg>\n", file);
    bool failed = ferror(file) != 0;
    if (fclose(file) != 0 || failed) hp5_fail(HP5_EXIT_FAILURE, "--mapping-svg: %s", strerror(errno));
    hp5_file_put(path, "--mapping-svg", text, length);
    free(text);
}

void hp5_show_destroy(Hp5Show *show) {
    if (show == NULL) return;
    if (show->panels) {
        fclose(show->panels);
        write_picture(show);
        free(show->picture);
    }
    while (show->shown) {
        Shown *shown = show->shown;
        show->shown = shown->next;
        hp5_free(shown->numbers);
        hp5_free(shown);
    }
    hp5_free(show);
}

void hp5_show_run(Hp5Show *show, Hp5TaskRun *run) {
    if (!is_new(show, run)) {
        if (++show->repeats < MOST_REPEATS) return;
        if (show->options->print_mapping && hp5_comm_rank() == 0)
            printf("(stopped: %d launches showed nothing new; what the program does next depends on its results)\n", MOST_REPEATS);
        hp5_show_destroy(show);
        hp5_print_flush();
        hp5_comm_end();
        exit(0);
    }
    show->repeats = 0;
    Hp5ShowTask *task = hp5_show_collect(run);
    if (show->options->print_mapping && hp5_comm_rank() == 0) hp5_show_text(task, stdout);
    if (show->panels) show->height += hp5_show_svg(task, show->height, show->panels);
    hp5_show_free(task);
}
