/* age_scan: the grammar, and that AGE_MORE is said exactly of the beginnings of headers. */
#include <stdlib.h>
#include <string.h>

#include "age_header.h"
#include "age_scan.h"
#include "check.h"

#define V "age-encryption.org/v1\n"
#define M43 "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"
#define MAC "--- " M43 "\n"
#define C64 "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"

static enum age_err
scan(const char *text)
{
	struct age_scan S;

	return (age_scan((const uint8_t *)text, strlen(text), &S));
}

static void
verdicts(void)
{
	static const struct { const char *text; enum age_err want; } t[] = {
		{ V "-> a\n\n" MAC, AGE_OK },
		{ V "-> a\nAA\n" MAC "payload", AGE_OK },
		{ V "-> a b !~ c\n" C64 "\n\n" MAC, AGE_OK },
		{ V "-> a\n" C64 "\n" C64 "\nAAA\n" MAC, AGE_OK },
		{ V "-> a\n\n-> b\n\n" MAC, AGE_OK },
		{ "", AGE_MORE }, { "age-encryption.org/", AGE_MORE }, { "age-encryption.org/v1", AGE_MORE },
		{ "x", AGE_NOT_AGE }, { "age-encryption.orgy", AGE_NOT_AGE }, { "\n" V, AGE_NOT_AGE }, { " ", AGE_NOT_AGE },
		{ "Age-encryption.org/v1\n", AGE_NOT_AGE }, { "age\n", AGE_NOT_AGE },
		{ "age-encryption.org/v2", AGE_BAD_VERSION }, { "age-encryption.org/v10\n", AGE_BAD_VERSION },
		{ "age-encryption.org/v\n", AGE_BAD_VERSION }, { "age-encryption.org/x", AGE_BAD_VERSION },
		{ "age-encryption.org/v1\r\n", AGE_BAD_HEADER }, { "age-encryption.org/\n", AGE_BAD_HEADER },
		{ "age-encryption.org/v1 \n", AGE_BAD_HEADER },
		{ V MAC, AGE_BAD_HEADER }, { V "\n", AGE_BAD_HEADER }, { V "--", AGE_BAD_HEADER },
		{ V "->\n", AGE_BAD_HEADER }, { V "-> \n", AGE_BAD_HEADER }, { V "->a\n", AGE_BAD_HEADER },
		{ V "->  a", AGE_BAD_HEADER }, { V "-> a  b", AGE_BAD_HEADER }, { V "-> a \n", AGE_BAD_HEADER },
		{ V "-> a\r\n", AGE_BAD_HEADER }, { V "-> a\tb", AGE_BAD_HEADER }, { V "-> \xc3\xa9", AGE_BAD_HEADER },
		{ V "-> a\x7f", AGE_BAD_HEADER },
		{ V "-> a\n" MAC, AGE_BAD_HEADER }, { V "-> a\n-> b\n", AGE_BAD_HEADER },
		{ V "-> a\n" C64 "\n" MAC, AGE_BAD_HEADER }, { V "-> a\n" C64 "A", AGE_BAD_HEADER },
		{ V "-> a\nA\n", AGE_BAD_HEADER }, { V "-> a\nAB\n", AGE_BAD_HEADER }, { V "-> a\nAA==\n", AGE_BAD_HEADER },
		{ V "-> a\nAAB\n", AGE_BAD_HEADER }, { V "-> a\nAA\nAA\n", AGE_BAD_HEADER }, { V "-> a\nAA\r\n", AGE_BAD_HEADER },
		{ V "-> a\n\n---", AGE_MORE }, { V "-> a\n\n---\n", AGE_BAD_HEADER }, { V "-> a\n\n---A", AGE_BAD_HEADER },
		{ V "-> a\n\n---  ", AGE_BAD_HEADER }, { V "-> a\n\n--- " M43, AGE_MORE }, { V "-> a\n\n--- " M43 " ", AGE_BAD_HEADER },
		{ V "-> a\n\n--- " M43 "A", AGE_BAD_HEADER }, { V "-> a\n\n--- " M43 "\r", AGE_BAD_HEADER },
		{ V "-> a\n\n--- AAAA\n", AGE_BAD_HEADER },
		{ V "-> a\n\n--- AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAB", AGE_BAD_HEADER },
	};

	for (size_t i = 0; i < sizeof(t) / sizeof(t[0]); i++)
		CHECKF(scan(t[i].text) == t[i].want, "case %zu, got %d: %s", i, (int)scan(t[i].text), t[i].text);
}

/* Can these bytes become a header? Tries what each state of the grammar may lack. */
static bool
completes(const char *head, size_t len)
{
	static const char whole[] = V "-> a\n\n" MAC;
	static const char *const tail[] = { "a\n\n" MAC, "A\n" MAC, "AA\n" MAC, "AAA\n" MAC, "A\n\n" MAC, "AA\n\n" MAC,
	    "AAA\n\n" MAC, "\n" MAC, "\n\n" MAC, MAC };
	char buf[1024];
	struct age_scan S;

	memcpy(buf, head, len);
	for (size_t i = 0; i < sizeof(tail) / sizeof(tail[0]); i++) {
		memcpy(buf + len, tail[i], strlen(tail[i]));
		if (age_scan((const uint8_t *)buf, len + strlen(tail[i]), &S) == AGE_OK)
			return (true);
	}
	for (size_t n = 0; n < sizeof(whole) - 1; n++) {
		memcpy(buf + len, whole + n, sizeof(whole) - 1 - n);
		if (age_scan((const uint8_t *)buf, len + sizeof(whole) - 1 - n, &S) == AGE_OK)
			return (true);
	}
	return (false);
}

/* Each beginning is AGE_MORE; with any byte behind it, AGE_MORE means that a header can come of it, and else none does. */
static void
beginnings(const char *text)
{
	size_t len = strlen(text);
	struct age_scan S;
	char buf[1024];

	for (size_t n = 0; n < len; n++) {
		CHECKF(age_scan((const uint8_t *)text, n, &S) == AGE_MORE, "%zu bytes of %s", n, text);
		memcpy(buf, text, n);
		for (int c = 0; c < 256; c++) {
			enum age_err e, later;

			buf[n] = (char)c;
			e = age_scan((const uint8_t *)buf, n + 1, &S);
			if (e == AGE_OK)
				continue;
			CHECKF((e == AGE_MORE) == completes(buf, n + 1), "byte %d at %zu: %d", c, n, (int)e);
			memcpy(buf + n + 1, text + n + 1, len - n - 1);
			later = age_scan((const uint8_t *)buf, len, &S);
			CHECKF(e == AGE_MORE || later == e, "byte %d at %zu: %d, later %d", c, n, (int)e, (int)later);
		}
	}
	CHECK(age_scan((const uint8_t *)text, len, &S) == AGE_OK && S.used == len);
	CHECK(S.mac_at == len - 45 && memcmp(text + S.mac_at - 3, "---", 3) == 0);
}

static void
limits(void)
{
	size_t size = AGE_HEADER_MAX + 4096, len = 0;
	char *buf = malloc(size);
	struct age_scan S;

	/* stanzas */
	len = (size_t)snprintf(buf, size, V);
	for (int i = 0; i < AGE_STANZAS_MAX; i++)
		len += (size_t)snprintf(buf + len, size - len, "-> a\n\n");
	CHECK(age_scan((uint8_t *)buf, len, &S) == AGE_MORE);
	memcpy(buf + len, MAC, strlen(MAC));
	CHECK(age_scan((uint8_t *)buf, len + strlen(MAC), &S) == AGE_OK && S.stanzas == AGE_STANZAS_MAX && S.args == AGE_STANZAS_MAX);
	memcpy(buf + len, "->", 2);
	CHECK(age_scan((uint8_t *)buf, len + 1, &S) == AGE_MORE && age_scan((uint8_t *)buf, len + 2, &S) == AGE_LIMIT);
	/* bytes: exactly the limit, and one more */
	for (size_t more = 0; more < 2; more++) {
		size_t want = AGE_HEADER_MAX + more, arg = want - strlen(V "-> \n\n" MAC);

		len = (size_t)snprintf(buf, size, V "-> ");
		memset(buf + len, 'a', arg);
		len += arg;
		len += (size_t)snprintf(buf + len, size - len, "\n\n" MAC);
		CHECK(len == want);
		CHECK(age_scan((uint8_t *)buf, len, &S) == (more ? AGE_LIMIT : AGE_OK));
		CHECK(age_scan((uint8_t *)buf, AGE_HEADER_MAX - 1, &S) == AGE_MORE);
	}
	free(buf);
}

int
main(void)
{
	verdicts();
	beginnings(V "-> a\n\n" MAC);
	beginnings(V "-> X25519 b\nAAAA\n-> c\n" C64 "\nAA\n" MAC);
	limits();
	return (check_done());
}
