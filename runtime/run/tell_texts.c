/* Texts between processes (private.h): a value's pointer means nothing elsewhere, so its characters follow it. Each text that has come is
 * kept once, until the program ends: values that have it are copied as they like. */
#include "runtime/comm/comm.h"
#include "runtime/run/private.h"
#include <pthread.h>
#include <string.h>

typedef struct Kept {
    struct Kept *next;
    char text[];
} Kept;

static Kept *all_kept;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* Takes the memory. */
static const char *keep(Kept *kept) {
    pthread_mutex_lock(&lock);
    for (Kept *known = all_kept; known != NULL; known = known->next) {
        if (strcmp(known->text, kept->text) != 0) continue;
        pthread_mutex_unlock(&lock);
        hp5_free(kept);
        return known->text;
    }
    kept->next = all_kept;
    all_kept = kept;
    pthread_mutex_unlock(&lock);
    return kept->text;
}

const char *hp5_text_keep(const char *text, int64_t length) {
    Kept *kept = hp5_alloc((int64_t)sizeof *kept + length + 1, "a text");
    if (length > 0) memcpy(kept->text, text, (size_t)length);
    kept->text[length] = '\0';
    return keep(kept);
}

void hp5_texts_free(void) {
    for (Kept *kept; (kept = all_kept) != NULL;) {
        all_kept = kept->next;
        hp5_free(kept);
    }
}

void hp5_text_broadcast(Hp5Peers peers, int tag, int root, bool mine, const char **text) {
    if (hp5_comm_is_imagined()) return; /* nothing has come that this should follow */
    int64_t length = mine && *text != NULL ? (int64_t)strlen(*text) : -1;
    hp5_comm_broadcast(peers, tag, root, &length, sizeof length);
    if (length < 0) {
        if (!mine) *text = NULL;
        return;
    }
    Kept *kept = hp5_alloc((int64_t)sizeof *kept + length + 1, "a text");
    if (mine) memcpy(kept->text, *text, (size_t)length);
    kept->text[length] = '\0';
    if (length > 0) hp5_comm_broadcast(peers, tag, root, kept->text, length);
    if (mine) hp5_free(kept);
    else *text = keep(kept);
}
