#ifndef AGE_ERR_H
#define AGE_ERR_H
/* age_err: every outcome of the age layer. Nothing in age/ prints, does I/O or knows threads. */
enum age_err {
	AGE_OK = 0,
	AGE_MORE,		/* not a verdict yet: more bytes are needed */
	AGE_NOT_AGE,		/* does not begin like an age file */
	AGE_BAD_VERSION,	/* age-encryption.org/ of another version */
	AGE_BAD_HEADER,		/* malformed header or stanza */
	AGE_BAD_HMAC,		/* a key fits, but the header was altered */
	AGE_BAD_PAYLOAD,	/* a chunk does not authenticate */
	AGE_CUT,		/* the payload ends without its last chunk */
	AGE_TRAILING,		/* bytes after the last chunk */
	AGE_BAD_ARMOR,
	AGE_NO_MATCH,		/* no identity fits */
	AGE_WRONG_PASSPHRASE,
	AGE_WORK_FACTOR,	/* scrypt above the limit */
	AGE_LIMIT,		/* header or stanza count above DESIGN's limits */
	AGE_BAD_KEY,		/* text is not a recipient or identity */
	AGE_OLD_LIBRARY,	/* the library at hand is too old, or missing, for this kind of key */
	AGE_LOCKED,		/* a private key that is itself encrypted: a passphrase is needed */
	AGE_UNSUPPORTED,	/* well formed, and of a form that is not read here */
	AGE_NO_MEMORY
};
/** age_err_text(e): half a sentence, lower case, static. */
const char *age_err_text(enum age_err e);
#endif
