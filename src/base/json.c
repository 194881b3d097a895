/*
 * Knows how one JSON line is built and sent. Must not know which events exist.
 */
#include <sodium.h>
#include <stdarg.h>
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

static void
quoted(struct json *J, const char *p, size_t len)
{
	puts_(J, "\"");
	for (size_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)p[i];
		char esc[8];

		if (c == '"' || c == '\\') {
			snprintf(esc, sizeof(esc), "\\%c", c);
			puts_(J, esc);
		} else if (c < 0x20 || c == 0x7f) {
			snprintf(esc, sizeof(esc), "\\u%04x", c);
			puts_(J, esc);
		} else
			put(J, p + i, 1);
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

void
json_end(struct json *J, int fd)
{
	puts_(J, "}\n");
	if (!J->broken)
		(void)fdio_write(fd, J->buf, J->len);
	free(J->buf);
	memset(J, 0, sizeof(*J));
}
