#ifndef TMPTREE_H
#define TMPTREE_H
/*
 * tmptree: small trees to test with, below one temporary directory that is the process' working directory and removed
 * at the end.
 */
#include <stddef.h>
#include <stdint.h>

/** tmptree_new(name): make the directory and go there. tmptree_end: remove it. Exit 1 if that cannot be done. */
void tmptree_new(const char *name);
void tmptree_end(void);
void tmptree_dir(const char *path);				/* parents too */
void tmptree_file(const char *path, const char *text);		/* parents too */
void tmptree_bytes(const char *path, size_t len, unsigned seed);
void tmptree_mtime(const char *path, int64_t sec, long nsec);	/* of the link itself */
/** tmptree_sh(fmt, ...): sh -c there. Gives the exit status. */
int tmptree_sh(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/** tmptree_read(path, len): the whole of it with a NUL behind, to be freed; NULL if it cannot be read. */
char *tmptree_read(const char *path, size_t *len);
#endif
