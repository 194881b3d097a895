#ifndef JSON_H
#define JSON_H
/*
 * json: one object a line, {"v":1,"event":NAME,...}, written with a single write(2). Strings that are not valid UTF-8
 * come as NAME_b64 (standard base64) instead. An object is built on the caller's stack; nothing is sent before json_end.
 * Thread: an object belongs to one thread; lines of several threads never mix.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json {
	char *buf;
	size_t len, size;
	bool broken;	/* out of memory: json_end says nothing */
};

void json_begin(struct json *J, const char *event);
void json_str(struct json *J, const char *key, const char *value);
void json_bytes(struct json *J, const char *key, const void *value, size_t len);
void json_u64(struct json *J, const char *key, uint64_t value);
void json_i64(struct json *J, const char *key, int64_t value);
void json_bool(struct json *J, const char *key, bool value);
/** json_end(J, fd): close the object, write the line to ${fd}, free. What cannot be written is remembered. */
void json_end(struct json *J, int fd);
/** json_lost(): the errno of the first line that could not be written, or 0. Any thread. */
int json_lost(void);
/** json_ready(fd): the same, and EPIPE if it can be seen that nobody will ever read more of ${fd}. Before what cannot be undone. */
int json_ready(int fd);
#endif
