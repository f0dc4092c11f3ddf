/* Reading boxes of .npy files. How to read it: hp5_npy_open checks everything that can be
 * checked without the elements; hp5_npy_read_box looks at the box in the file's order of
 * dimensions (Box) and cuts it into regions, from the slowest dimension down (read_region):
 *
 *   - a region that lies in the file as in memory goes straight into place, in one pread;
 *   - a region whose span in the file fits the buffer, and is mostly wanted, is read whole
 *     and scattered, element types converted on the way;
 *   - anything else is cut along its slowest dimension.
 *
 * So whole rows cost one system call together, and narrow boxes few. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/io/npy_internal.h"
#include "runtime/report/error.h"

struct Hp5NpyReader {
    NpyFile file;
    const Hp5Element *element;
    int descriptor;
    bool same;                          /* bytes in the file are bytes in memory */
    int order[HP5_MAX_RANK];            /* dimensions, slowest first */
    int64_t pitch[HP5_MAX_RANK];        /* bytes in the file from one index to the next, for order[k] */
    char *ahead;                        /* bytes ahead_begin … ahead_end - 1 of the file, of a reader that looks ahead; else none */
    int64_t ahead_begin, ahead_end;
};

void npy_fail(int status, const NpyFile *file, const char *format, ...) {
    char reason[1200], path[HP5_QUOTED];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    hp5_fail(status, "cannot read %s from %s: %s", file->what, hp5_quote(file->path, path), reason);
}

/* ---- Opening ----------------------------------------------------------------------- */

static void open_file(Hp5NpyReader *reader, struct stat *status) {
    /* a pipe without a writer would block a plain open */
    reader->descriptor = open(reader->file.path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (reader->descriptor < 0) {
        bool ours = errno == EMFILE || errno == ENFILE || errno == ENOMEM || errno == EIO;
        bool home = errno == ENOENT && reader->file.path[0] == '~';
        npy_fail(ours ? HP5_EXIT_FAILURE : HP5_EXIT_USAGE, &reader->file, "%s%s", strerror(errno),
                 home ? " (a shell knows ~ only at the start of a word: write $HOME)" : "");
    }
    if (fstat(reader->descriptor, status) != 0) npy_fail(HP5_EXIT_FAILURE, &reader->file, "%s", strerror(errno));
    if (S_ISDIR(status->st_mode)) npy_fail(HP5_EXIT_USAGE, &reader->file, "it is a directory");
    if (!S_ISREG(status->st_mode))
        npy_fail(HP5_EXIT_USAGE, &reader->file, "it is not a regular file (save a pipe's data to a file first)");
}

static void read_at(const Hp5NpyReader *reader, void *data, int64_t bytes, int64_t offset) {
    char *at = data;
    if (reader->ahead && offset >= reader->ahead_begin && offset + bytes <= reader->ahead_end) {
        memcpy(at, reader->ahead + (offset - reader->ahead_begin), (size_t)bytes);
        return;
    }
    while (bytes > 0) {
        ssize_t got = pread(reader->descriptor, at, (size_t)bytes, (off_t)offset);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) npy_fail(HP5_EXIT_FAILURE, &reader->file, "%s", strerror(errno));
        if (got == 0) npy_fail(HP5_EXIT_USAGE, &reader->file, "the file became shorter while it was read");
        at += got;
        offset += got;
        bytes -= got;
    }
}

static void read_header(Hp5NpyReader *reader, int64_t file_size) {
    NpyFile *file = &reader->file;
    unsigned char start[12] = {0};
    read_at(reader, start, file_size < 12 ? file_size : 12, 0);
    if (file_size < 6 || memcmp(start, "\x93NUMPY", 6) != 0)
        npy_fail(HP5_EXIT_USAGE, file, "it is not a .npy file (make one with numpy.save)");
    if (file_size < 10) npy_fail(HP5_EXIT_USAGE, file, "it is truncated: it ends inside its header");
    if (start[6] < 1 || start[6] > 3 || start[7] != 0)
        npy_fail(HP5_EXIT_USAGE, file, "it has version %d.%d of the .npy format; versions 1.0, 2.0 and 3.0 are read",
                 start[6], start[7]);
    int64_t prefix = start[6] == 1 ? 10 : 12, length = start[8] | start[9] << 8;
    if (prefix == 12) length += (int64_t)start[10] << 16 | (int64_t)start[11] << 24;
    if (file_size >= prefix && length > NPY_LONGEST_HEADER)
        npy_fail(HP5_EXIT_USAGE, file, "its header has %lld bytes; at most %d are read", (long long)length,
                 NPY_LONGEST_HEADER);
    file->data_offset = prefix + length;
    if (file_size < file->data_offset) npy_fail(HP5_EXIT_USAGE, file, "it is truncated: it ends inside its header");
    file->header = hp5_alloc(length + 1, "the header of a .npy file");
    read_at(reader, file->header, length, prefix);
    file->header[length] = '\0';
    npy_parse_header(file, (size_t)length);
}

static void check_element(const Hp5NpyReader *reader) {
    const NpyFile *file = &reader->file;
    if (file->type.size > 0 && npy_type_fits(&file->type, reader->element)) return;
    char found[NPY_TYPE_TEXT], wanted[NPY_TYPE_TEXT];
    npy_type_name(&file->type, found);
    npy_element_name(reader->element, wanted);
    if (reader->element->kind == HP5_STRUCT)
        npy_fail(HP5_EXIT_USAGE, file, "its elements are %s; %s needs %s: %s, with these names in this order", found,
                 file->what, reader->element->text, wanted);
    npy_fail(HP5_EXIT_USAGE, file, "its elements are %s; %s needs %s (%s): convert the file, for example with numpy's astype('%s')",
             found, file->what, reader->element->text, wanted, reader->element->kind == HP5_CHAR ? "S1" : wanted);
}

static void check_shape(const Hp5NpyReader *reader, int rank, int64_t file_size) {
    const NpyFile *file = &reader->file;
    if (file->rank != rank)
        npy_fail(HP5_EXIT_USAGE, file, "its array has %d dimension%s; %s has %d", file->rank, file->rank == 1 ? "" : "s",
                 file->what, rank);
    int64_t bytes = file->type.size;
    bool over = false, empty = false;
    for (int d = 0; d < rank; d++) empty = empty || file->extents[d] == 0;
    for (int d = 0; d < rank && !empty; d++) over = over || __builtin_mul_overflow(bytes, file->extents[d], &bytes);
    if (empty) bytes = 0;
    int64_t there = file_size - file->data_offset;
    if (over) npy_fail(HP5_EXIT_USAGE, file, "its header promises more bytes than can be addressed");
    if (there < bytes)
        npy_fail(HP5_EXIT_USAGE, file, "it is truncated: its header promises %lld bytes of elements, it holds %lld",
                 (long long)bytes, (long long)there);
}

Hp5NpyReader *hp5_npy_open(const char *path, const char *what, const Hp5Element *element, int rank) {
    Hp5NpyReader *reader = hp5_alloc_zeroed(sizeof *reader, "the reader of a .npy file");
    NpyFile *file = &reader->file;
    struct stat status;
    file->path = path;
    file->what = what;
    reader->element = element;
    open_file(reader, &status);
    read_header(reader, (int64_t)status.st_size);
    check_element(reader);
    check_shape(reader, rank, (int64_t)status.st_size);
    reader->same = npy_type_same(&file->type, element);
    int64_t pitch = file->type.size;
    for (int k = rank; k-- > 0;) {
        int d = file->fortran ? rank - 1 - k : k;
        reader->order[k] = d;
        reader->pitch[k] = pitch;
        if (file->extents[d] > 0) pitch *= file->extents[d]; /* an empty array is never walked */
    }
    return reader;
}

const int64_t *hp5_npy_extents(const Hp5NpyReader *reader) { return reader->file.extents; }

void hp5_npy_summary(const Hp5NpyReader *reader, char text[HP5_NPY_SUMMARY]) {
    char type[NPY_TYPE_TEXT];
    int used = 0;
    for (int d = 0; d < reader->file.rank; d++)
        used += snprintf(text + used, (size_t)(HP5_NPY_SUMMARY - used), "%s%lld", d > 0 ? " x " : "", (long long)reader->file.extents[d]);
    npy_type_name(&reader->file.type, type);
    snprintf(text + used, (size_t)(HP5_NPY_SUMMARY - used), " elements of %s", type);
}

void hp5_npy_close(Hp5NpyReader *reader) {
    close(reader->descriptor);
    npy_type_free(&reader->file.type);
    hp5_free(reader->file.header);
    hp5_free(reader);
}

/* ---- Boxes ---------------------------------------------------------------------------- */

/* What is left to read: dimensions in the file's order, slowest first. */
typedef struct Box {
    const Hp5NpyReader *reader;
    int rank;
    int64_t length[HP5_MAX_RANK];
    int64_t step[HP5_MAX_RANK];         /* bytes in memory from one index to the next */
    char *buffer;                       /* NPY_BUFFER bytes, one element, or the span of a smaller box, made when first needed */
} Box;

/* Bytes in the file from the first to the last element of dimensions k and faster, the slowest cut to `length`. */
static int64_t span_of(const Box *box, int k, int64_t length) {
    int64_t span = box->reader->file.type.size;
    for (int j = k; j < box->rank; j++) span += ((j == k ? length : box->length[j]) - 1) * box->reader->pitch[j];
    return span;
}

static int64_t wanted_of(const Box *box, int k, int64_t length) {
    int64_t bytes = box->reader->file.type.size;
    for (int j = k; j < box->rank; j++) bytes *= j == k ? length : box->length[j];
    return bytes;
}

/* The file's bytes can be the memory's: nothing to convert, nothing between, the same order. */
static bool goes_into_place(const Box *box, int k, int64_t length) {
    if (!box->reader->same || span_of(box, k, length) != wanted_of(box, k, length)) return false;
    for (int j = k; j < box->rank; j++) {
        int64_t n = j == k ? length : box->length[j];
        if (n > 1 && box->step[j] != box->reader->pitch[j]) return false;
    }
    return true;
}

/* Reading around the wanted bytes is cheaper than a call for each piece, up to a point. */
static bool worth_a_buffer(const Box *box, int k, int64_t length) {
    enum { FEW = 1 << 16, LONG_RUN = 1 << 15 };
    int64_t span = span_of(box, k, length), wanted = wanted_of(box, k, length);
    if (span > NPY_BUFFER) return false;
    bool long_runs = k + 1 < box->rank && goes_into_place(box, k + 1, box->length[k + 1]) &&
                     wanted_of(box, k + 1, box->length[k + 1]) >= LONG_RUN;
    return !long_runs && (span <= FEW || span / 4 <= wanted);
}

static void scatter(const Box *box, int k, int64_t length, const char *src, char *dst) {
    const Hp5NpyReader *reader = box->reader;
    if (k + 1 >= box->rank) {
        npy_convert(&reader->file.type, reader->element, src, k < box->rank ? length : 1, dst,
                    k < box->rank ? box->step[k] : (int64_t)reader->element->size);
        return;
    }
    for (int64_t i = 0; i < length; i++)
        scatter(box, k + 1, box->length[k + 1], src + i * reader->pitch[k], dst + i * box->step[k]);
}

static void read_buffered(Box *box, int k, int64_t length, int64_t offset, char *dst) {
    int64_t size = box->reader->file.type.size;
    const int64_t most = size > NPY_BUFFER ? size : NPY_BUFFER, all = span_of(box, 0, box->rank > 0 ? box->length[0] : 1);
    if (!box->buffer) box->buffer = hp5_alloc(all < most ? all : most, "reading a .npy file");
    read_at(box->reader, box->buffer, span_of(box, k, length), offset);
    scatter(box, k, length, box->buffer, dst);
}

/* The most indices of dimension k whose span fits the buffer, at least one. */
static int64_t group_of(const Box *box, int k) {
    int64_t more = (NPY_BUFFER - span_of(box, k, 1)) / box->reader->pitch[k];
    return more < 0 ? 1 : more + 1 < box->length[k] ? more + 1 : box->length[k];
}

static void read_region(Box *box, int k, int64_t length, int64_t offset, char *dst) {
    if (goes_into_place(box, k, length)) {
        read_at(box->reader, dst, span_of(box, k, length), offset);
        return;
    }
    if (k == box->rank || worth_a_buffer(box, k, length)) {
        read_buffered(box, k, length, offset, dst);
        return;
    }
    int64_t group = group_of(box, k);
    if (!worth_a_buffer(box, k, group)) group = 1;
    for (int64_t i = 0; i < length; i += group) {
        int64_t n = length - i < group ? length - i : group;
        int64_t at = offset + i * box->reader->pitch[k];
        char *to = dst + i * box->step[k];
        if (group > 1 || k + 1 == box->rank) read_buffered(box, k, n, at, to);
        else read_region(box, k + 1, k + 1 < box->rank ? box->length[k + 1] : 1, at, to);
    }
}

void hp5_npy_read_box(const Hp5NpyReader *reader, const int64_t *lo, const int64_t *hi, void *data,
                      const int64_t *strides) {
    Box box = {.reader = reader, .rank = reader->file.rank};
    int64_t offset = reader->file.data_offset;
    for (int k = 0; k < box.rank; k++) {
        int d = reader->order[k];
        if (hi[d] <= lo[d]) return;
        box.length[k] = hi[d] - lo[d];
        box.step[k] = strides[d] * (int64_t)reader->element->size;
        offset += lo[d] * reader->pitch[k];
    }
    read_region(&box, 0, box.rank > 0 ? box.length[0] : 1, offset, data);
    hp5_free(box.buffer);
}

/* ---- Looking ahead -------------------------------------------------------------------- */

Hp5NpyReader *hp5_npy_look_ahead(const Hp5NpyReader *reader) {
    Hp5NpyReader *ahead = hp5_alloc(sizeof *ahead, "the reader of a .npy file");
    *ahead = *reader;
    ahead->ahead = hp5_alloc(HP5_NPY_AHEAD, "reading a .npy file");
    ahead->ahead_begin = ahead->ahead_end = 0;
    return ahead;
}

void hp5_npy_have(Hp5NpyReader *ahead, int64_t begin, int64_t end) {
    ahead->ahead_begin = ahead->ahead_end = 0; /* else it would be taken from there */
    read_at(ahead, ahead->ahead, end - begin, begin);
    ahead->ahead_begin = begin;
    ahead->ahead_end = end;
}

void hp5_npy_end_ahead(Hp5NpyReader *ahead) {
    hp5_free(ahead->ahead);
    hp5_free(ahead);
}

Hp5NpyOrder hp5_npy_order(const Hp5NpyReader *reader) { return (Hp5NpyOrder){reader->file.data_offset, reader->file.type.size, reader->file.fortran}; }
