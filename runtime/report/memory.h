/* How much memory a program may still take, found before it takes it: a program that takes more is killed without a word, or
 * makes the machine stand still first. */
#ifndef HP5_RUNTIME_MEMORY_H
#define HP5_RUNTIME_MEMORY_H
#include <stdint.h>

/* Bytes: the least of what the system has (swap included), the limits of this process (RLIMIT_AS, RLIMIT_DATA), those of its
 * control groups, and hp5_memory_limit; INT64_MAX where nothing is known. */
int64_t hp5_memory_available(void);
/* The program's arrays and tables take at most `bytes` in all (--memory), and what the system says does not count. */
void hp5_memory_limit(int64_t bytes);
/* What the files below `root` (/proc and /sys/fs/cgroup lie there) say; for tests. */
int64_t hp5_memory_at(const char *root);
/* "64.8 GB": three digits, powers of 1000. */
enum { HP5_BYTES_TEXT = 32 };
char *hp5_bytes_text(double bytes, char text[HP5_BYTES_TEXT]);
#endif
