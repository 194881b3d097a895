/*
 * Knows one half sentence for each outcome. Must not know who says it.
 */
#include <stddef.h>

#include "age_err.h"

static const char *const text[] = {
	[AGE_OK] = "all is well",
	[AGE_MORE] = "ends too early",
	[AGE_NOT_AGE] = "is not an age file",
	[AGE_BAD_VERSION] = "is an age file of an unknown version",
	[AGE_BAD_HEADER] = "has a malformed age header",
	[AGE_BAD_HMAC] = "has a header that was altered after it was written",
	[AGE_BAD_PAYLOAD] = "is damaged or was altered",
	[AGE_CUT] = "is cut short: the last part is missing",
	[AGE_TRAILING] = "has bytes behind its end",
	[AGE_BAD_ARMOR] = "has malformed armor",
	[AGE_NO_MATCH] = "is encrypted to other keys: no identity fits",
	[AGE_WRONG_PASSPHRASE] = "does not open with this passphrase",
	[AGE_WORK_FACTOR] = "asks for more scrypt work than the limit",
	[AGE_LIMIT] = "has an age header above the limits",
	[AGE_BAD_KEY] = "is not a recipient or identity",
	[AGE_OLD_LIBRARY] = "takes a newer library than this program was built with",
	[AGE_LOCKED] = "is a private key that is locked with a passphrase",
	[AGE_UNSUPPORTED] = "is of a form that this program does not read",
	[AGE_NO_MEMORY] = "needs more memory than there is",
};

const char *
age_err_text(enum age_err e)
{
	size_t i = (size_t)e;

	return (i < sizeof(text) / sizeof(text[0]) && text[i] != NULL ? text[i] : "ends in an unknown way");
}
