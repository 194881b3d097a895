#ifndef LISTING_H
#define LISTING_H
/*
 * listing: names on stdout, one a line: escaped on a terminal, as they are elsewhere.
 */
int listing_name(const char *name);	/* 0, or -1 said */
int listing_end(void);			/* flush; 0, or -1 said */
#endif
