/* NumPy .npy files: versions 1 to 3, C or Fortran order, little or big endian, plain
 * and structured element types. Readers touch only the parts asked for. A written file
 * is built beside its place under a temporary name and renamed when whole. All
 * functions end the program through hp5_fail with the file's name on errors. */
#ifndef HP5_RUNTIME_NPY_H
#define HP5_RUNTIME_NPY_H
#include <stdbool.h>
#include <stdint.h>
#include <stddef.h>

enum { HP5_MAX_RANK = 8 };

typedef enum { HP5_INT64, HP5_INT32, HP5_FLOAT32, HP5_FLOAT64, HP5_BOOL, HP5_CHAR, HP5_STRUCT } Hp5ElementKind;

typedef struct Hp5Element Hp5Element;
typedef struct Hp5Field {
    const char *name;
    size_t offset;                 /* in the C struct */
    const Hp5Element *element;
    int rank; int64_t extents[HP5_MAX_RANK]; /* static array fields; rank 0 otherwise */
} Hp5Field;
/* Element type of an array as the program stores it. CHAR is dtype S1, BOOL is ?, structs are structured
 * dtypes with named fields (matched by name and order); a Range field is a struct {min, max} of i8. */
struct Hp5Element {
    Hp5ElementKind kind;
    const char *text;              /* HP5 spelling for messages */
    size_t size;
    int field_count; const Hp5Field *fields; /* STRUCT */
};
extern const Hp5Element hp5_int64, hp5_int32, hp5_float32, hp5_float64, hp5_bool, hp5_char;

typedef struct Hp5NpyReader Hp5NpyReader;
/* Opens and checks: magic, version, header (at most 64 KiB … a huge one is refused), dtype against `element`
 * (safe widenings only: bool/int8-32/uint8-32 to Integer, float16/32 and small ints to Real double …;
 * the message names both types), rank, and that the file holds all its data. `what` names the variable. */
Hp5NpyReader *hp5_npy_open(const char *path, const char *what, const Hp5Element *element, int rank);
const int64_t *hp5_npy_extents(const Hp5NpyReader *reader);
/* "40 x 30 elements of float64": what tells the file from others, without its elements. */
enum { HP5_NPY_SUMMARY = 480 };
void hp5_npy_summary(const Hp5NpyReader *reader, char text[HP5_NPY_SUMMARY]);
/* Reads the box lo[d] <= index < hi[d] into `data` (element lo first; strides in elements for each dimension;
 * the last stride is 1). Thread-safe (pread). */
void hp5_npy_read_box(const Hp5NpyReader *reader, const int64_t *lo, const int64_t *hi, void *data,
                      const int64_t *strides);
void hp5_npy_close(Hp5NpyReader *reader);
/* How elements follow each other in the file: at which byte the first one begins, bytes of one, and whether the first index is the fastest. */
typedef struct Hp5NpyOrder {
    int64_t begin, each;
    bool fortran;
} Hp5NpyOrder;
Hp5NpyOrder hp5_npy_order(const Hp5NpyReader *reader);
/* Boxes near each other, by one thread: a reader of the same file that takes what it can from bytes begin … end - 1 of it, at most HP5_NPY_AHEAD, which
 * hp5_npy_have reads at once. Worth it where less than HP5_NPY_GAP bytes lie between two of their runs. */
enum { HP5_NPY_AHEAD = 1 << 18, HP5_NPY_GAP = 4096 };
Hp5NpyReader *hp5_npy_look_ahead(const Hp5NpyReader *reader);
void hp5_npy_have(Hp5NpyReader *ahead, int64_t begin, int64_t end);
void hp5_npy_end_ahead(Hp5NpyReader *ahead);

typedef struct Hp5NpyWriter Hp5NpyWriter;
/* Creates PATH's temporary neighbour with a version-1 C-order little-endian header and full length. */
Hp5NpyWriter *hp5_npy_create(const char *path, const char *what, const Hp5Element *element, int rank,
                             const int64_t *extents);
/* Thread-safe (pwrite); boxes must not overlap. */
void hp5_npy_write_box(Hp5NpyWriter *writer, const int64_t *lo, const int64_t *hi, const void *data,
                       const int64_t *strides);
/* fsync-free close, checked, then rename into place. */
void hp5_npy_finish(Hp5NpyWriter *writer);
/* One file of several processes, if it is an ordinary one (hp5_npy_is_file; it need not be there yet): the first process creates it and
 * tells the others its place, they join; all write and then sync what they have written; then the others leave, and the first
 * one finishes when all have synced. */
bool hp5_npy_is_file(const char *path);
void hp5_npy_place(const Hp5NpyWriter *writer, char *place, size_t size);
Hp5NpyWriter *hp5_npy_join(const char *place, const char *path, const char *what, const Hp5Element *element, int rank, const int64_t *extents);
/* What boxes write goes to somebody else, as bytes of the file (NULL: to the file again), who may write them with others by
 * hp5_npy_write_bytes: elements have hp5_npy_each bytes, the first one begins at byte hp5_npy_begin. */
typedef void Hp5NpyTake(void *taker, const char *data, int64_t bytes, int64_t offset);
void hp5_npy_divert(Hp5NpyWriter *writer, Hp5NpyTake *take, void *taker);
int64_t hp5_npy_begin(const Hp5NpyWriter *writer);
int64_t hp5_npy_each(const Hp5NpyWriter *writer);
void hp5_npy_write_bytes(const Hp5NpyWriter *writer, const char *data, int64_t bytes, int64_t offset);
void hp5_npy_sync(Hp5NpyWriter *writer);
void hp5_npy_leave(Hp5NpyWriter *writer);
#endif
