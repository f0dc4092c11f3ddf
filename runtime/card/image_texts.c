/* Strings in the values of a task. Their addresses mean nothing on the other side: on the card a String is one of those that the host has given, which lie
 * together in the card's memory, or a literal of the text for cards, which the host reads when it meets its address for the first time. */
#include "runtime/card/image_private.h"
#include "runtime/run/private.h"
#include <string.h>

enum { ROOM = 1 << 16 /* for texts of which the host learns while the kernel runs */ };

/* ---- Texts that both sides know ------------------------------------------------------------------------------------------ */
struct Hp5ImageText {
    const char *host, *literal; /* literal: its address on the card; NULL: it is one of the host's */
    int64_t at;                 /* of these: its place among them */
};

static const char *on_card(const Hp5Image *image, const Hp5ImageText *text) { return text->literal != NULL ? text->literal : image->texts_on_card + text->at; }

static Hp5ImageText *note_text(Hp5Image *image, Hp5ImageText text) {
    if (image->text_count == image->text_capacity) {
        const int64_t capacity = 2 * image->text_capacity + 16;
        Hp5ImageText *larger = hp5_alloc(capacity * (int64_t)sizeof *larger, "texts for a card");
        if (image->text_count > 0) memcpy(larger, image->texts, (size_t)image->text_count * sizeof *larger);
        hp5_free(image->texts);
        image->texts = larger;
        image->text_capacity = capacity;
    }
    image->texts[image->text_count] = text;
    return &image->texts[image->text_count++];
}

static const Hp5ImageText *known_by_host(const Hp5Image *image, const char *host) {
    for (int64_t i = 0; i < image->text_count; i++)
        if (image->texts[i].host == host) return &image->texts[i];
    for (int64_t i = 0; i < image->text_count; i++)
        if (strcmp(image->texts[i].host, host) == 0) return &image->texts[i];
    return NULL;
}

static void check(const Hp5Image *image, const char *error, const char *what) {
    if (error != NULL) hp5_fail(HP5_EXIT_FAILURE, "task \"%s\": %s failed on the card: %s", image->run->desc->name, what, error);
}

/* ---- Places in the image ---------------------------------------------------------------------------------------------------- */
/* All places of Strings in the image, one after the other. *host: the same place in the host's values. */
typedef struct Places {
    const Hp5Image *image;
    int64_t scalar; /* -1: the task's values */
    int text;
} Places;

static bool next_place(Places *places, int64_t *at, char **host) {
    const Hp5Image *image = places->image;
    const Hp5TaskDesc *desc = image->run->desc;
    for (; places->scalar < image->scalar_count; places->scalar++, places->text = 0) {
        const bool values = places->scalar < 0;
        const Hp5ImageScalars *scalars = values ? NULL : &image->scalars[places->scalar];
        while (places->text < desc->text_count) {
            const Hp5TextDesc *text = &desc->texts[places->text++];
            if (text->lps != (values ? -1 : scalars->lps)) continue;
            *at = (values ? image->values : scalars->at) + (int64_t)text->offset;
            *host = (char *)(values ? image->run->globals : scalars->host) + text->offset;
            return true;
        }
    }
    return false;
}

static Places places_of(const Hp5Image *image) { return (Places){image, -1, 0}; }

static const char *text_at(const char *place) {
    const char *text;
    memcpy(&text, place, sizeof text);
    return text;
}

/* ---- To the card ------------------------------------------------------------------------------------------------------------- */
/* Room for `bytes` bytes, in other memory of the card, maybe: no kernel runs. */
static void make_room(Hp5Image *image, int64_t bytes) {
    void *memory;
    if (bytes <= image->texts_room) return;
    if (image->texts_on_card != NULL) image->driver->release(image->texts_on_card, false);
    check(image, image->driver->allocate(&memory, 2 * bytes + ROOM, false), "taking memory for Strings");
    image->texts_on_card = memory;
    image->texts_room = 2 * bytes + ROOM;
}

static void copy_texts(Hp5Image *image, int64_t first) {
    for (int64_t i = first; i < image->text_count; i++) {
        const Hp5ImageText *text = &image->texts[i];
        if (text->literal == NULL)
            check(image, image->driver->give(image->texts_on_card + text->at, text->host, (int64_t)strlen(text->host) + 1), "copying Strings");
    }
}

void hp5_image_give_texts(Hp5Image *image, bool runs) {
    const int64_t known = image->text_count, room = image->texts_room;
    int64_t at;
    char *host;
    for (Places places = places_of(image); next_place(&places, &at, &host);) {
        const char *text = text_at(image->bytes + at);
        if (text == NULL || known_by_host(image, text) != NULL) continue;
        note_text(image, (Hp5ImageText){.host = text, .at = image->texts_used});
        image->texts_used += (int64_t)strlen(text) + 1;
    }
    if (runs && image->texts_used > image->texts_room)
        hp5_fail(HP5_EXIT_FAILURE, "task \"%s\": stages of the host have made more Strings than the card has room for while its kernel runs", image->run->desc->name);
    make_room(image, image->texts_used);
    copy_texts(image, image->texts_room > room ? 0 : known);
    for (Places places = places_of(image); next_place(&places, &at, &host);) {
        const char *text = text_at(image->bytes + at), *there = text == NULL ? NULL : on_card(image, known_by_host(image, text));
        memcpy(image->bytes + at, &there, sizeof there);
    }
}

/* ---- And back ---------------------------------------------------------------------------------------------------------------- */
/* How long it is, only its end says; it may lie at the end of the card's memory. */
static const char *read_literal(Hp5Image *image, const char *there) {
    char *text = NULL;
    int64_t length = 0, capacity = 0;
    do {
        if (length == capacity) {
            char *larger = hp5_alloc(capacity = 2 * capacity + 64, "a text");
            if (length > 0) memcpy(larger, text, (size_t)length);
            hp5_free(text);
            text = larger;
        }
        check(image, image->driver->take(text + length, there + length, 1), "copying Strings back");
    } while (text[length++] != '\0');
    const char *kept = hp5_text_keep(text, length - 1);
    hp5_free(text);
    return kept;
}

static const char *on_host(Hp5Image *image, const char *there) {
    for (int64_t i = 0; i < image->text_count; i++)
        if (on_card(image, &image->texts[i]) == there) return image->texts[i].host;
    return note_text(image, (Hp5ImageText){.host = read_literal(image, there), .literal = there})->host;
}

void hp5_image_take_texts(Hp5Image *image) {
    int64_t at;
    char *host;
    for (Places places = places_of(image); next_place(&places, &at, &host);) {
        const char *there = text_at(image->bytes + at), *text = there == NULL ? NULL : on_host(image, there);
        memcpy(image->bytes + at, &text, sizeof text);
    }
}

const char **hp5_image_text_in(const Hp5Image *image, const void *value, int64_t bytes, int number) {
    int64_t at;
    char *host;
    for (Places places = places_of(image); next_place(&places, &at, &host);)
        if (host >= (const char *)value && host < (const char *)value + bytes && number-- == 0) return (const char **)(void *)host;
    return NULL;
}

void hp5_image_free_texts(Hp5Image *image) {
    if (image->texts_on_card != NULL) image->driver->release(image->texts_on_card, false);
    hp5_free(image->texts);
}
