#ifndef VERSION_H
#define VERSION_H
/* version: what --version prints, libraries included. */
void version_print(const char *program);
#endif
