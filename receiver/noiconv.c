/*
 * Knows that the static gpurecv converts no character sets. Must not know who asks (libarchive, for names that are UTF-8
 * by the archive's word): names are bytes here, and without a converter it hands them through. The C library's own would
 * read tables of the node's C library, which may be another one, and load code from there.
 */
#include <errno.h>
#include <iconv.h>

iconv_t
iconv_open(const char *to, const char *from)
{
	(void)to;
	(void)from;
	errno = EINVAL;
	return ((iconv_t)-1);
}

size_t
iconv(iconv_t cd, char **restrict in, size_t *restrict inleft, char **restrict out, size_t *restrict outleft)
{
	(void)cd;
	(void)in;
	(void)inleft;
	(void)out;
	(void)outleft;
	errno = EBADF;
	return ((size_t)-1);
}

int
iconv_close(iconv_t cd)
{
	(void)cd;
	return (0);
}
