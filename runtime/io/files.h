/* Which files a program may write, so that no output destroys what somebody still wants: an input of the same run, another
 * output, a file of another kind. hp5c asks the same questions of its own outputs.
 *
 * Two names are of one file when device and inode agree (symbolic links, hard links, any spelling), or, for files that are
 * not there yet, when the folder and the name in it do. Devices, pipes and terminals have no content to lose. */
#ifndef HP5_RUNTIME_FILES_H
#define HP5_RUNTIME_FILES_H
#include <stdbool.h>
#include <stddef.h>

typedef enum { HP5_FILE_ARRAY, HP5_FILE_TRACE, HP5_FILE_PICTURE, HP5_FILE_PROGRAM, HP5_FILE_C, HP5_FILE_ANY } Hp5FileKind;

bool hp5_same_file(const char *a, const char *b);
/* Whether a name is of a standard stream or a device, whatever stands behind it: /dev/stdout, /proc/self/fd/1. */
bool hp5_file_is_stream(const char *path);
/* Why an output of this kind cannot go to `path`, or NULL: no folder, no permission, or a file that holds something else than
 * an output of this kind (an empty one may always be replaced). */
const char *hp5_file_refuses(const char *path, Hp5FileKind kind);

/* ---- One program's files: by the coordinator's thread ------------------------------------------------ */
typedef struct Hp5NamedFile { const char *name, *path; bool written, option; Hp5FileKind kind; } Hp5NamedFile;
/* What is wrong with files[at], given those before it: a text for the user, in `text`; false: nothing is. */
bool hp5_file_problem(const Hp5NamedFile *files, int at, char *text, size_t size);
/* --in-place: outputs may replace inputs. */
void hp5_files_in_place(bool allowed);
/* Before an array is read, and before one is written (end: when the program ends, so that no other output may have the name).
 * End the program, status 2, where an output would replace an input or another output. */
void hp5_file_reads(const char *path, const char *name);
void hp5_file_writes(const char *path, const char *name, bool end);
/* It has been written: what the program writes itself it may replace. */
void hp5_file_written(const char *path);
/* Outputs of options, which are written when the program ends. */
void hp5_file_reserve(const char *path, const char *name);
/* The whole text of an option's output, under another name until it is whole; ends the program where that fails.
 * Of several processes the first writes it. */
void hp5_file_put(const char *path, const char *option, const char *text, size_t length);
#endif
