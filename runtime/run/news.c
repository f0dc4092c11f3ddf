/* News (news.h): of the LPUs whose scalars an environment may get, a copy, because the next execution of the run makes others. */
#include "runtime/run/news.h"
#include "runtime/run/private.h"
#include <string.h>

typedef struct Hp5News {
    struct Hp5News *next;
    const Hp5Launch *launch;
    Hp5TaskRun *run;
    void *values, *environment;
    char *scalars; /* of all LPUs that are the only ones of their LPS, in the order of hp5_each_single */
} Hp5News;

/* Copying goes from LPU to LPU. */
typedef struct Copying {
    char *at; /* in the copy; NULL: lengths are counted alone */
    int64_t bytes;
} Copying;

static void take(const Hp5Single *single, void *data) {
    Copying *copying = data;
    if (copying->at != NULL) memcpy(copying->at + copying->bytes, single->lpu->scalars, single->size);
    copying->bytes += (int64_t)single->size;
}

static void swap(const Hp5Single *single, void *data) {
    Copying *copying = data;
    char *here = single->lpu->scalars, *there = copying->at + copying->bytes;
    for (size_t i = 0; i < single->size; i++) {
        const char byte = here[i];
        here[i] = there[i];
        there[i] = byte;
    }
    copying->bytes += (int64_t)single->size;
}

void hp5_news_keep(Hp5AllNews *all, const Hp5Launch *launch, Hp5TaskRun *run, void *values, void *environment) {
    Hp5News *news = hp5_alloc(sizeof *news, "scalars of a task");
    Copying copying = {NULL, 0};
    hp5_each_single(run, take, &copying);
    *news = (Hp5News){NULL, launch, run, values, environment, hp5_alloc(copying.bytes + 1, "scalars of a task")};
    copying = (Copying){news->scalars, 0};
    hp5_each_single(run, take, &copying);
    run->hidden->references++;
    if (all->last != NULL) all->last->next = news;
    else all->first = news;
    all->last = news;
}

static void free_news(Hp5News *news) {
    hp5_run_unreference(news->run);
    hp5_free(news->scalars);
    hp5_free(news->values);
    hp5_free(news);
}

/* The run has these scalars for a moment. */
static void tell(const Hp5News *news) {
    hp5_each_single(news->run, swap, &(Copying){news->scalars, 0});
    hp5_tell_single(news->run);
    news->launch->finish(news->run, news->values, news->environment);
    hp5_each_single(news->run, swap, &(Copying){news->scalars, 0});
}

void hp5_news_tell(Hp5AllNews *all, const void *environment) {
    Hp5AllNews left = {NULL, NULL};
    for (Hp5News *news = all->first, *next; news != NULL; news = next) {
        next = news->next;
        news->next = NULL;
        if (environment == NULL || news->environment == environment) {
            tell(news);
            free_news(news);
            continue;
        }
        if (left.last != NULL) left.last->next = news;
        else left.first = news;
        left.last = news;
    }
    *all = left;
}

void hp5_news_drop(Hp5AllNews *all) {
    for (Hp5News *news = all->first, *next; news != NULL; news = next) {
        next = news->next;
        free_news(news);
    }
    *all = (Hp5AllNews){NULL, NULL};
}
