#ifndef VERSION_H
#define VERSION_H
/* version: what --version prints, libraries included. */
#include <stddef.h>
void version_print(const char *program);
/** version_bytes(out, size): ours and those of the libraries on which the bytes of a file depend. */
void version_bytes(char *out, size_t size);
#endif
