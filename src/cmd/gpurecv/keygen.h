#ifndef KEYGEN_H
#define KEYGEN_H
/* keygen: --keygen and -y. */
/** keygen_new(path): a new identity into ${path} (0600, never overwritten) or, NULL, to stdout; prints the recipient. -1: said. */
int keygen_new(const char *path);
/** keygen_recipient(path): print the recipient of each identity in ${path} ("-": stdin). -1: said. */
int keygen_recipient(const char *path);
#endif
