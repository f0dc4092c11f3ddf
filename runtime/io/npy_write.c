/* Writing .npy files. How to read it: hp5_npy_create chooses where the bytes go (choose_place):
 *
 *   - an ordinary file: into a new file of its own beside the target, under a name that nobody
 *     can guess, removed again if the program fails or is interrupted, and renamed over the
 *     target by hp5_npy_finish. A link is followed, so that it stays a link;
 *   - a device or a pipe (/dev/stdout, /dev/null): collected in memory, written in order at the end.
 *
 * Boxes are cut, from the slowest dimension down, into regions that lie in the file without gaps. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>
#include "runtime/io/files.h"
#include "runtime/io/npy_internal.h"
#include "runtime/report/error.h"

struct Hp5NpyWriter {
    const char *path, *what;
    const Hp5Element *element;
    int rank;
    int64_t extents[HP5_MAX_RANK];
    int64_t pitch[HP5_MAX_RANK];        /* bytes in the file from one index to the next */
    int64_t packed;                     /* bytes of one element in the file */
    int64_t header_length, total;       /* bytes of the header, of the whole file */
    int descriptor;
    char *target, *temporary;           /* where it goes, and its name until then; NULL for devices and pipes */
    char *image;                        /* the file's content, for devices and pipes */
    Hp5NpyTake *take;                   /* who gets what boxes write, or NULL: the file */
    void *taker;
};

static __attribute__((noreturn)) void fail(const Hp5NpyWriter *writer, int status, const char *reason) {
    char path[HP5_QUOTED];
    hp5_fail(status, "cannot write %s to %s: %s", writer->what, hp5_quote(writer->path, path), reason);
}

/* ---- The header -------------------------------------------------------------------- */

/* Appends to a text that may not be there yet: the first pass counts. */
typedef struct Out { char *text; int64_t length; } Out;

static void out_add(Out *out, const char *piece) {
    int64_t size = (int64_t)strlen(piece);
    if (out->text) memcpy(out->text + out->length, piece, (size_t)size);
    out->length += size;
}

static void out_extents(Out *out, int rank, const int64_t *extents) {
    out_add(out, "(");
    for (int d = 0; d < rank; d++) {
        char piece[32];
        snprintf(piece, sizeof piece, "%lld%s", (long long)extents[d], rank == 1 ? "," : d + 1 < rank ? ", " : "");
        out_add(out, piece);
    }
    out_add(out, ")");
}

static void out_type(Out *out, const Hp5Element *element) {
    static const char *const codes[] = {"'<i8'", "'<i4'", "'<f4'", "'<f8'", "'|b1'", "'|S1'"};
    if (element->kind != HP5_STRUCT) {
        out_add(out, codes[element->kind]);
        return;
    }
    out_add(out, "[");
    for (int f = 0; f < element->field_count; f++) {
        const Hp5Field *field = &element->fields[f];
        out_add(out, f == 0 ? "('" : ", ('");
        out_add(out, field->name);
        out_add(out, "', ");
        out_type(out, field->element);
        if (field->rank > 0) {
            out_add(out, ", ");
            out_extents(out, field->rank, field->extents);
        }
        out_add(out, ")");
    }
    out_add(out, "]");
}

static void out_dictionary(Out *out, const Hp5NpyWriter *writer) {
    out_add(out, "{'descr': ");
    out_type(out, writer->element);
    out_add(out, ", 'fortran_order': False, 'shape': ");
    out_extents(out, writer->rank, writer->extents);
    out_add(out, ", }");
}

/* The whole header, padded with spaces and a newline so that the elements start at a multiple of 64. */
static char *make_header(Hp5NpyWriter *writer) {
    Out count = {0};
    out_dictionary(&count, writer);
    bool big = count.length + 1 > 65535 - 64;
    int64_t prefix = big ? 12 : 10;
    writer->header_length = (prefix + count.length + 1 + 63) / 64 * 64;
    int64_t text_length = writer->header_length - prefix;
    char *header = hp5_alloc(writer->header_length, "the header of a .npy file");
    memset(header, ' ', (size_t)writer->header_length);
    memcpy(header, big ? "\x93NUMPY\x02\x00" : "\x93NUMPY\x01\x00", 8);
    for (int i = 0; i < (big ? 4 : 2); i++) header[8 + i] = (char)(text_length >> 8 * i & 255);
    Out out = {header + prefix, 0};
    out_dictionary(&out, writer);
    header[writer->header_length - 1] = '\n';
    return header;
}

/* ---- Where the bytes go --------------------------------------------------------------- */

static void remove_temporary(void *writer) { unlink(((Hp5NpyWriter *)writer)->temporary); }

/* Mistakes of the caller are of the second kind; a full disk or table is not one. */
static int status_of(int error) {
    switch (error) {
    case ENOSPC:
    case EDQUOT:
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case EIO: return HP5_EXIT_FAILURE;
    default: return HP5_EXIT_USAGE;
    }
}

static void open_temporary(Hp5NpyWriter *writer, mode_t mode) {
    const char *slash = strrchr(writer->target, '/');
    int folder = slash ? (int)(slash - writer->target) + 1 : 0;
    size_t size = (size_t)folder + 40;
    writer->temporary = hp5_alloc((int64_t)size, "a file name");
    for (int attempt = 0; attempt < 100; attempt++) {
        unsigned long long number;
        if (getrandom(&number, sizeof number, 0) != sizeof number) fail(writer, HP5_EXIT_FAILURE, strerror(errno));
        snprintf(writer->temporary, size, "%.*s.hp5-%016llx.tmp", folder, writer->target, number);
        hp5_at_failure(remove_temporary, writer); /* first: a signal may come at any moment */
        writer->descriptor = open(writer->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0666);
        if (writer->descriptor >= 0) break;
        int error = errno;
        hp5_forget(remove_temporary, writer);
        if (error != EEXIST || attempt == 99) fail(writer, status_of(error), strerror(error));
    }
    if (mode != 0) fchmod(writer->descriptor, mode & 0777); /* replacing keeps permissions where it may */
    if (ftruncate(writer->descriptor, (off_t)writer->total) != 0) fail(writer, HP5_EXIT_FAILURE, strerror(errno));
}

static void open_device(Hp5NpyWriter *writer) {
    writer->descriptor = open(writer->path, O_WRONLY | O_CLOEXEC);
    if (writer->descriptor < 0) fail(writer, status_of(errno), strerror(errno));
    writer->image = hp5_alloc_zeroed(writer->total, writer->what);
}

static void choose_place(Hp5NpyWriter *writer) {
    struct stat status;
    bool there = stat(writer->path, &status) == 0;
    /* a standard stream that happens to be a file is still a stream, not a name to replace */
    bool stream = hp5_file_is_stream(writer->path);
    if (writer->path[0] == '\0') fail(writer, HP5_EXIT_USAGE, "the file name is empty");
    if (there && S_ISDIR(status.st_mode)) fail(writer, HP5_EXIT_USAGE, "it is a directory");
    if (there && (!S_ISREG(status.st_mode) || stream)) {
        open_device(writer);
        return;
    }
    if (there && access(writer->path, W_OK) != 0) fail(writer, HP5_EXIT_USAGE, strerror(errno));
    char *resolved = there ? realpath(writer->path, NULL) : NULL;
    const char *target = resolved ? resolved : writer->path;
    size_t size = strlen(target) + 1;
    writer->target = hp5_alloc((int64_t)size, "a file name");
    memcpy(writer->target, target, size);
    free(resolved);
    if (writer->target[size - 2] == '/') fail(writer, HP5_EXIT_USAGE, "it names a directory"); /* size is 2 at least */
    open_temporary(writer, there ? status.st_mode : 0);
}

/* ---- Writing ------------------------------------------------------------------------------- */

static void write_to_file(const Hp5NpyWriter *writer, const char *data, int64_t bytes, int64_t offset) {
    while (bytes > 0) {
        ssize_t done = pwrite(writer->descriptor, data, (size_t)bytes, (off_t)offset);
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) fail(writer, HP5_EXIT_FAILURE, strerror(done < 0 ? errno : ENOSPC));
        data += done;
        offset += done;
        bytes -= done;
    }
}

static void write_at(const Hp5NpyWriter *writer, const char *data, int64_t bytes, int64_t offset) {
    if (writer->take) writer->take(writer->taker, data, bytes, offset);
    else if (writer->image) memcpy(writer->image + offset, data, (size_t)bytes);
    else write_to_file(writer, data, bytes, offset);
}

/* A writer without a file; returns the header. */
static char *describe(Hp5NpyWriter *writer, const char *path, const char *what, const Hp5Element *element, int rank, const int64_t *extents) {
    writer->path = path;
    writer->what = what;
    writer->element = element;
    writer->rank = rank;
    writer->packed = npy_packed_size(element);
    int64_t bytes = writer->packed;
    bool over = false;
    for (int d = rank; d-- > 0;) {
        writer->extents[d] = extents[d] > 0 ? extents[d] : 0;
        writer->pitch[d] = bytes;
        over = over || __builtin_mul_overflow(bytes, writer->extents[d], &bytes);
    }
    char *header = make_header(writer);
    if (over || __builtin_add_overflow(bytes, writer->header_length, &writer->total))
        fail(writer, HP5_EXIT_FAILURE, "the array has more bytes than can be addressed");
    signal(SIGXFSZ, SIG_IGN); /* a limit on file sizes, or a reader that left, becomes an error with the file's name */
    signal(SIGPIPE, SIG_IGN);
    return header;
}

Hp5NpyWriter *hp5_npy_create(const char *path, const char *what, const Hp5Element *element, int rank,
                             const int64_t *extents) {
    Hp5NpyWriter *writer = hp5_alloc_zeroed(sizeof *writer, "the writer of a .npy file");
    char *header = describe(writer, path, what, element, rank, extents);
    choose_place(writer);
    write_at(writer, header, writer->header_length, 0);
    hp5_free(header);
    return writer;
}

/* What is left to write of a box. */
typedef struct Box {
    const Hp5NpyWriter *writer;
    bool packed;                        /* elements have no gaps: bytes in memory are bytes in the file */
    int64_t length[HP5_MAX_RANK];
    int64_t step[HP5_MAX_RANK];         /* bytes in memory from one index to the next */
    char *buffer;                       /* NPY_BUFFER bytes, one element, or all of a smaller box, made when first needed */
} Box;

/* Dimensions d and faster, the slowest cut to `length`, lie in the file without gaps: below a dimension
 * with several indices, all are whole. */
static bool has_no_gaps(const Box *box, int d, int64_t length) {
    bool several = length > 1;
    for (int j = d + 1; j < box->writer->rank; j++) {
        if (several && box->length[j] != box->writer->extents[j]) return false;
        several = several || box->length[j] > 1;
    }
    return true;
}

static bool lies_as_in_file(const Box *box, int d, int64_t length) {
    const Hp5NpyWriter *writer = box->writer;
    for (int j = d; j < writer->rank; j++) {
        int64_t n = j == d ? length : box->length[j];
        if (n > 1 && box->step[j] != writer->pitch[j]) return false;
    }
    return box->packed;
}

static char *gather(const Box *box, int d, int64_t length, const char *src, char *out) {
    const Hp5NpyWriter *writer = box->writer;
    if (d == writer->rank) return npy_pack(writer->element, src, out);
    if (d + 1 == writer->rank && box->packed && box->step[d] == writer->packed) {
        memcpy(out, src, (size_t)(length * writer->packed));
        return out + length * writer->packed;
    }
    for (int64_t i = 0; i < length; i++)
        out = gather(box, d + 1, d + 1 < writer->rank ? box->length[d + 1] : 1, src + i * box->step[d], out);
    return out;
}

static void need_buffer(Box *box) {
    int64_t most = NPY_BUFFER, bytes = box->writer->packed;
    if (most < bytes) most = bytes;
    for (int d = 0; d < box->writer->rank && bytes < most; d++) bytes *= box->length[d];
    if (!box->buffer) box->buffer = hp5_alloc(bytes < most ? bytes : most, "writing a .npy file");
}

static void write_gathered(Box *box, int d, int64_t length, const char *src, int64_t offset) {
    need_buffer(box);
    const int64_t bytes = gather(box, d, length, src, box->buffer) - box->buffer, count = bytes / box->writer->packed;
    if (npy_has_nan(box->writer->element, box->buffer, count)) npy_unify_nans(box->writer->element, box->buffer, count);
    write_at(box->writer, box->buffer, bytes, offset);
}

/* Elements that lie as in the file go there from where they are, unless some are NaN; in pieces that stay in the cache. */
static void write_straight(Box *box, const char *src, int64_t bytes, int64_t offset) {
    const Hp5NpyWriter *writer = box->writer;
    const int64_t piece = writer->packed > NPY_BUFFER ? writer->packed : NPY_BUFFER / writer->packed * writer->packed;
    for (int64_t at = 0; at < bytes; at += piece) {
        const int64_t now = bytes - at < piece ? bytes - at : piece, count = now / writer->packed;
        const char *from = src + at;
        if (npy_has_nan(writer->element, from, count)) {
            need_buffer(box);
            memcpy(box->buffer, from, (size_t)now);
            npy_unify_nans(writer->element, box->buffer, count);
            from = box->buffer;
        }
        write_at(writer, from, now, offset + at);
    }
}

static void write_region(Box *box, int d, int64_t length, const char *src, int64_t offset) {
    const Hp5NpyWriter *writer = box->writer;
    int64_t each = writer->packed; /* bytes of one index of dimension d */
    for (int j = d + 1; j < writer->rank; j++) each *= box->length[j];
    bool whole = has_no_gaps(box, d, length);
    if (whole && lies_as_in_file(box, d, length)) {
        write_straight(box, src, length * each, offset);
        return;
    }
    if (d == writer->rank || (whole && length * each <= NPY_BUFFER)) {
        write_gathered(box, d, length, src, offset);
        return;
    }
    int64_t group = whole && each <= NPY_BUFFER ? NPY_BUFFER / each : 1;
    for (int64_t i = 0; i < length; i += group) {
        int64_t n = length - i < group ? length - i : group;
        const char *from = src + i * box->step[d];
        int64_t at = offset + i * writer->pitch[d];
        if (group > 1) write_gathered(box, d, n, from, at);
        else write_region(box, d + 1, d + 1 < writer->rank ? box->length[d + 1] : 1, from, at);
    }
}

void hp5_npy_write_box(Hp5NpyWriter *writer, const int64_t *lo, const int64_t *hi, const void *data,
                       const int64_t *strides) {
    Box box = {.writer = writer, .packed = npy_is_packed(writer->element)};
    int64_t offset = writer->header_length;
    for (int d = 0; d < writer->rank; d++) {
        if (hi[d] <= lo[d]) return;
        box.length[d] = hi[d] - lo[d];
        box.step[d] = strides[d] * (int64_t)writer->element->size;
        offset += lo[d] * writer->pitch[d];
    }
    write_region(&box, 0, writer->rank > 0 ? box.length[0] : 1, data, offset);
    hp5_free(box.buffer);
}

/* ---- The end -------------------------------------------------------------------------------- */

static void write_image(const Hp5NpyWriter *writer) {
    fflush(stdout); /* it may be the same stream */
    for (int64_t at = 0; at < writer->total;) {
        ssize_t done = write(writer->descriptor, writer->image + at, (size_t)(writer->total - at));
        if (done < 0 && errno == EINTR) continue;
        if (done <= 0) fail(writer, HP5_EXIT_FAILURE, strerror(done < 0 ? errno : ENOSPC));
        at += done;
    }
}

/* Closes the file; it keeps its name. */
static void close_file(Hp5NpyWriter *writer) {
    if (close(writer->descriptor) != 0 && errno != EINTR) fail(writer, HP5_EXIT_FAILURE, strerror(errno));
}

static void free_writer(Hp5NpyWriter *writer) {
    hp5_free(writer->temporary);
    hp5_free(writer->target);
    hp5_free(writer->image);
    hp5_free(writer);
}

void hp5_npy_finish(Hp5NpyWriter *writer) {
    if (writer->image) write_image(writer);
    close_file(writer);
    if (writer->temporary) {
        if (rename(writer->temporary, writer->target) != 0) fail(writer, HP5_EXIT_FAILURE, strerror(errno));
        hp5_forget(remove_temporary, writer);
    }
    free_writer(writer);
}

/* ---- Several processes ------------------------------------------------------------------------ */

bool hp5_npy_is_file(const char *path) {
    struct stat status;
    return !hp5_file_is_stream(path) && (stat(path, &status) != 0 || S_ISREG(status.st_mode));
}

void hp5_npy_place(const Hp5NpyWriter *writer, char *place, size_t size) {
    if (strlen(writer->temporary) >= size) fail(writer, HP5_EXIT_USAGE, strerror(ENAMETOOLONG));
    memcpy(place, writer->temporary, strlen(writer->temporary) + 1);
}

Hp5NpyWriter *hp5_npy_join(const char *place, const char *path, const char *what, const Hp5Element *element, int rank, const int64_t *extents) {
    Hp5NpyWriter *writer = hp5_alloc_zeroed(sizeof *writer, "the writer of a .npy file");
    hp5_free(describe(writer, path, what, element, rank, extents));
    writer->descriptor = open(place, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (writer->descriptor < 0 && errno == ENOENT)
        fail(writer, HP5_EXIT_USAGE, "process 0 has begun it, but here it is not to be seen: its folder must be one that all nodes share");
    if (writer->descriptor < 0) fail(writer, status_of(errno), strerror(errno));
    return writer;
}

int64_t hp5_npy_begin(const Hp5NpyWriter *writer) { return writer->header_length; }
int64_t hp5_npy_each(const Hp5NpyWriter *writer) { return writer->packed; }

void hp5_npy_divert(Hp5NpyWriter *writer, Hp5NpyTake *take, void *taker) {
    writer->take = take;
    writer->taker = taker;
}

void hp5_npy_write_bytes(const Hp5NpyWriter *writer, const char *data, int64_t bytes, int64_t offset) { write_to_file(writer, data, bytes, offset); }

void hp5_npy_sync(Hp5NpyWriter *writer) {
    if (fsync(writer->descriptor) != 0) fail(writer, HP5_EXIT_FAILURE, strerror(errno));
}

void hp5_npy_leave(Hp5NpyWriter *writer) {
    close_file(writer);
    free_writer(writer);
}
