#ifndef MOUNTS_H
#define MOUNTS_H
/* mounts: what is mounted where, as mountinfo tells. */
#include <stdbool.h>
/** mounts_at(dir, name): is something mounted on ${dir}/${name}, or below it? ${dir}: a path without links. False where nothing tells. */
bool mounts_at(const char *dir, const char *name);
#endif
