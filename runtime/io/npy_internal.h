/* Inside the .npy room: how a file's elements are laid out, and how they become the
 * program's. npy_header.c reads the header's text into NpyFile, npy_type.c compares and
 * converts element types, npy_read.c and npy_write.c move boxes. Readers of one file may
 * run in many threads: after opening, everything here is constant. */
#ifndef HP5_RUNTIME_NPY_INTERNAL_H
#define HP5_RUNTIME_NPY_INTERNAL_H
#include "runtime/io/npy.h"

_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "element types are compared and written as little-endian");

enum {
    NPY_LONGEST_HEADER = 65536,
    NPY_DEEPEST_TYPE = 16,       /* structures in structures */
    NPY_BUFFER = 1 << 20,        /* bytes moved at once where they cannot go straight into place */
    NPY_TYPE_TEXT = 240          /* room for a type's name in a message; longer ones end in … */
};

/* A file's element type. code is numpy's letter (b i u f c S U V M m O), or 's' for a structure. */
typedef struct NpyType {
    char code;
    bool swapped;                /* big-endian, in more than one byte */
    int64_t size;                /* bytes of one element; fields lie without gaps */
    struct NpyField *fields;     /* 's' */
} NpyType;
typedef struct NpyField {
    const char *name;            /* "" is padding; in the header's text */
    int64_t offset;
    NpyType type;
    int rank;
    int64_t extents[HP5_MAX_RANK];
    struct NpyField *next;
} NpyField;

typedef struct NpyFile {
    const char *path, *what;
    char *header;                /* its text; names point into it */
    NpyType type;
    bool fortran;
    int rank;
    int64_t extents[HP5_MAX_RANK];
    int64_t data_offset;
} NpyFile;

/* Ends the program: "cannot read WHAT from 'PATH': reason". */
__attribute__((noreturn, format(printf, 3, 4))) void npy_fail(int status, const NpyFile *file, const char *format, ...);

/* Parses file->header (`length` bytes and a NUL) into type, fortran, rank and extents. */
void npy_parse_header(NpyFile *file, size_t length);

void npy_type_free(NpyType *type);
bool npy_type_fits(const NpyType *type, const Hp5Element *element);
/* Bytes in the file are the bytes in memory. */
bool npy_type_same(const NpyType *type, const Hp5Element *element);
/* `n` elements, packed at src, to dst with `step` bytes between them. */
void npy_convert(const NpyType *type, const Hp5Element *element, const char *src, int64_t n, char *dst, int64_t step);

/* Names in numpy's words, for messages: "float64", "structure (x: float64, y: int32[3])". */
void npy_type_name(const NpyType *type, char text[NPY_TYPE_TEXT]);
void npy_element_name(const Hp5Element *element, char text[NPY_TYPE_TEXT]);

/* Writing: elements go to the file without gaps between fields. */
int64_t npy_packed_size(const Hp5Element *element);
bool npy_is_packed(const Hp5Element *element);
char *npy_pack(const Hp5Element *element, const char *src, char *out); /* returns the end of what it wrote */
/* NaNs have one bit pattern in files, whatever made them: 0x7FF8000000000000, and 0x7FC00000 in single precision. `n` packed
 * elements. */
bool npy_has_nan(const Hp5Element *element, const char *elements, int64_t n);
void npy_unify_nans(const Hp5Element *element, char *elements, int64_t n);
#endif
