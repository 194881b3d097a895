/*
 * Knows how one JSON line is built and sent. Must not know which events exist.
 */
#include <errno.h>
#include <poll.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "escape.h"
#include "fdio.h"
#include "json.h"

static void
put(struct json *J, const char *text, size_t len)
{
	if (J->broken)
		return;
	if (J->len + len > J->size) {
		size_t size = (J->len + len) * 2 + 256;
		char *bigger = realloc(J->buf, size);

		if (bigger == NULL) {
			J->broken = true;
			return;
		}
		J->buf = bigger;
		J->size = size;
	}
	memcpy(J->buf + J->len, text, len);
	J->len += len;
}

static void
puts_(struct json *J, const char *text)
{
	put(J, text, strlen(text));
}

/* One UTF-16 unit; characters above U+FFFF take two. */
static void
unit(struct json *J, uint32_t u)
{
	char esc[8];

	snprintf(esc, sizeof(esc), "\\u%04x", (unsigned)(u & 0xffff));
	puts_(J, esc);
}

/* ${p} is valid UTF-8. What a terminal might act on is written as a number: it may be a person who looks. */
static void
quoted(struct json *J, const char *p, size_t len)
{
	uint32_t cp;
	bool danger;

	puts_(J, "\"");
	for (size_t n; len > 0; p += n, len -= n) {
		n = escape_next(p, len, &cp, &danger);
		if (n == 0)
			n = len;	/* not ours to repair: json_bytes has sent such bytes another way */
		else if (cp == '"' || cp == '\\') {
			puts_(J, "\\");
			put(J, p, n);
		} else if (!danger)
			put(J, p, n);
		else if (cp < 0x10000)
			unit(J, cp);
		else {
			unit(J, 0xd800 + ((cp - 0x10000) >> 10));
			unit(J, 0xdc00 + ((cp - 0x10000) & 0x3ff));
		}
	}
	puts_(J, "\"");
}

static void
key(struct json *J, const char *name)
{
	puts_(J, ",");
	quoted(J, name, strlen(name));
	puts_(J, ":");
}

void
json_begin(struct json *J, const char *event)
{
	memset(J, 0, sizeof(*J));
	puts_(J, "{\"v\":1");
	json_str(J, "event", event);
}

void
json_bytes(struct json *J, const char *name, const void *value, size_t len)
{
	char b64name[64], *b64;
	size_t size;

	if (escape_utf8(value, len)) {
		key(J, name);
		quoted(J, value, len);
		return;
	}
	snprintf(b64name, sizeof(b64name), "%s_b64", name);
	size = sodium_base64_encoded_len(len, sodium_base64_VARIANT_ORIGINAL);
	if ((b64 = malloc(size)) == NULL) {
		J->broken = true;
		return;
	}
	sodium_bin2base64(b64, size, value, len, sodium_base64_VARIANT_ORIGINAL);
	key(J, b64name);
	quoted(J, b64, strlen(b64));
	free(b64);
}

void
json_str(struct json *J, const char *name, const char *value)
{
	json_bytes(J, name, value, strlen(value));
}

void
json_u64(struct json *J, const char *name, uint64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	key(J, name);
	puts_(J, text);
}

void
json_i64(struct json *J, const char *name, int64_t value)
{
	char text[24];

	snprintf(text, sizeof(text), "%lld", (long long)value);
	key(J, name);
	puts_(J, text);
}

void
json_bool(struct json *J, const char *name, bool value)
{
	key(J, name);
	puts_(J, value ? "true" : "false");
}

static atomic_int lost;

void
json_end(struct json *J, int fd)
{
	puts_(J, "}\n");
	if (J->broken || fdio_write(fd, J->buf, J->len) != 0) {
		int none = 0;

		(void)atomic_compare_exchange_strong(&lost, &none, J->broken ? ENOMEM : errno);
	}
	free(J->buf);
	memset(J, 0, sizeof(*J));
}

int
json_lost(void)
{
	return (atomic_load(&lost));
}

int
json_ready(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLOUT };
	int rc;

	if (json_lost() != 0)
		return (json_lost());
	while ((rc = poll(&p, 1, 0)) < 0 && errno == EINTR)
		continue;
	/* A pipe that nobody reads from any more. */
	return (rc == 1 && (p.revents & (POLLERR | POLLNVAL)) != 0 ? EPIPE : 0);
}
