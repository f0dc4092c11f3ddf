/* Elements of stores on a card: where they lie, whole or field by field (runtime/store/boxes.c), and copies of one or many by the threads of a crew.
 * Places are counted in elements. */
#ifndef HP5_RUNTIME_CARD_COPYING_H
#define HP5_RUNTIME_CARD_COPYING_H
#include "runtime/card/crew.h"
#include "runtime/store/store.h"

/* ---- One element ------------------------------------------------------------------------------------------------------- */
/* Of a dimension with gaps, by an index of the array's: its place. */
struct Hp5Table {
    const int64_t *places;
    int64_t begin, end; /* of the array's indices */
    __device__ int64_t operator[](int64_t index) const { return places[index - begin]; }
    __device__ bool has(int64_t index) const { return index >= begin && index < end; }
};
static __device__ Hp5Table hp5_table(const Hp5Store *store, int d) {
    return {((const Hp5CardPlaces *)(const void *)store->places)[d].table, store->array_lo[d], store->array_lo[d] + store->array_extent[d]};
}
/* In front of loops that may have no iteration: then the index may be any. */
static __device__ int64_t hp5_place_at(const Hp5Table &table, int64_t index) { return table.has(index) ? table[index] : 0; }

static __device__ int64_t hp5_offset(const Hp5Store *store, const int64_t *index) {
    const Hp5CardPlaces *places = (const Hp5CardPlaces *)(const void *)store->places;
    int64_t offset = 0;
    for (int d = 0; d < store->rank; d++)
        offset += ((places != NULL && places[d].table != NULL ? hp5_table(store, d)[index[d]] : index[d]) - store->lo[d]) * store->stride[d];
    return offset;
}

static __device__ char *hp5_element(const Hp5Store *store, int version, int64_t offset) {
    return store->version[version] + offset * (int64_t)store->element_size;
}

static __device__ int64_t hp5_field_bytes(const Hp5Field *field) {
    int64_t bytes = (int64_t)field->element->size;
#pragma unroll 1
    for (int d = 0; d < field->rank; d++) bytes *= field->extents[d];
    return bytes;
}

static __device__ char *hp5_field(const Hp5Store *store, int version, int64_t offset, const Hp5Field *field, int64_t bytes) {
    if (store->fields == NULL) return hp5_element(store, version, offset) + field->offset;
    return store->version[version] + store->capacity * (int64_t)field->offset + offset * bytes;
}
static __device__ char *hp5_field(const Hp5Store *store, int version, int64_t offset, const Hp5Field *field) {
    return hp5_field(store, version, offset, field, hp5_field_bytes(field));
}

static __device__ void hp5_copy_bytes(char *to, const char *from, int64_t bytes) {
    if (bytes == 8) *(int64_t *)to = *(const int64_t *)from;
    else if (bytes == 4) *(int32_t *)to = *(const int32_t *)from;
    else if (bytes % 8 == 0 && ((uintptr_t)to | (uintptr_t)from) % 8 == 0) for (int64_t b = 0; b < bytes; b += 8) *(int64_t *)(to + b) = *(const int64_t *)(from + b);
    else for (int64_t b = 0; b < bytes; b++) to[b] = from[b];
}

static __device__ void hp5_element_copy(const Hp5Store *to, int to_version, int64_t there, const Hp5Store *from, int from_version, int64_t here) {
    const Hp5Element *apart = to->fields != NULL ? to->fields : from->fields;
    const int pieces = apart == NULL ? 1 : apart->field_count; /* one text for both: it is long */
#pragma unroll 1
    for (int f = 0; f < pieces; f++) {
        int64_t bytes = (int64_t)to->element_size;
        char *at = NULL;
        const char *of = NULL;
        if (apart == NULL) {
            at = hp5_element(to, to_version, there);
            of = hp5_element(from, from_version, here);
        } else {
            const Hp5Field *field = &apart->fields[f];
            bytes = hp5_field_bytes(field);
            at = hp5_field(to, to_version, there, field, bytes);
            of = hp5_field(from, from_version, here, field, bytes);
        }
        hp5_copy_bytes(at, of, bytes);
    }
}

static __device__ bool hp5_same_bytes(const char *a, const char *b, int64_t bytes) {
    for (int64_t i = 0; i < bytes; i++)
        if (a[i] != b[i]) return false;
    return true;
}

/* Of two stores that lie alike. */
static __device__ bool hp5_element_same(const Hp5Store *a, int a_version, int64_t a_offset, const Hp5Store *b, int b_version, int64_t b_offset) {
    if (a->fields == NULL) return hp5_same_bytes(hp5_element(a, a_version, a_offset), hp5_element(b, b_version, b_offset), (int64_t)a->element_size);
    for (int f = 0; f < a->fields->field_count; f++) {
        const Hp5Field *field = &a->fields->fields[f];
        if (!hp5_same_bytes(hp5_field(a, a_version, a_offset, field), hp5_field(b, b_version, b_offset, field), hp5_field_bytes(field))) return false;
    }
    return true;
}

/* ---- Many, by a crew ---------------------------------------------------------------------------------------------------- */
/* visit(index) for the elements of a view's part that its store has (of an LPU that several processes run it has some), of its unpadded one if `own`:
 * each of the crew's threads has some. */
template <class Visit> static __device__ void hp5_each_element(Hp5Crew crew, const Hp5View *view, bool own, Visit visit) {
    const int rank = view->store->rank;
    int64_t count[HP5_MAX_RANK], index[HP5_MAX_RANK], elements = 1;
    for (int d = 0; d < rank; d++) elements *= count[d] = hp5_set_count(&view->part[d]);
    for (int64_t i = crew.rank(); i < elements; i += crew.size()) {
        bool wanted = true;
        int64_t rest = i;
        for (int d = rank - 1; d >= 0; d--) {
            index[d] = hp5_set_at(&view->part[d], rest % count[d]);
            rest /= count[d];
            wanted = wanted && index[d] >= view->store->lo[d] && index[d] < view->store->lo[d] + view->store->extent[d];
            wanted = wanted && (!own || (index[d] >= view->own[d].begin && index[d] < view->own[d].end));
        }
        if (wanted) visit(index);
    }
}

/* The elements of a view's part, from one version of its store to another. */
static __device__ void hp5_copy_part(Hp5Crew crew, const Hp5View *view, int to, int from) {
    const Hp5Store *store = view->store;
    hp5_each_element(crew, view, false, [=](const int64_t *index) {
        const int64_t at = hp5_offset(store, index);
        hp5_element_copy(store, to, at, store, from, at);
    });
}
#endif
