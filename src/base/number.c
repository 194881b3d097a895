/*
 * Knows how numbers are read and shown. Must not know what they count.
 */
#include <stdio.h>
#include <string.h>

#include "number.h"

bool
number_u64(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	uint64_t v = 0;

	if (text[0] == '\0' || (text[0] == '0' && text[1] != '\0'))
		return (false);
	for (const char *p = text; *p != '\0'; p++) {
		if (*p < '0' || *p > '9')
			return (false);
		if (v > (UINT64_MAX - (uint64_t)(*p - '0')) / 10)
			return (false);
		v = v * 10 + (uint64_t)(*p - '0');
	}
	if (v < min || v > max)
		return (false);
	*out = v;
	return (true);
}

bool
number_duration(const char *text, uint64_t max, uint64_t *seconds)
{
	static const struct { char unit; unsigned seconds; } units[] = { { 'h', 3600 }, { 'm', 60 }, { 's', 1 } };
	uint64_t sum = 0, v;
	char digits[24];
	size_t u = 0, n;

	if (number_u64(text, 0, max, seconds))
		return (true);
	if (*text == '\0')
		return (false);
	for (const char *p = text; *p != '\0'; p += n + 1, u++) {
		n = strspn(p, "0123456789");
		if (n == 0 || n >= sizeof(digits))
			return (false);
		memcpy(digits, p, n);
		digits[n] = '\0';
		while (u < 3 && units[u].unit != p[n])
			u++;
		if (u == 3 || !number_u64(digits, 0, max / units[u].seconds, &v))
			return (false);
		sum += v * units[u].seconds;
	}
	*seconds = sum;
	return (sum <= max);
}

const char *
number_size(char out[static NUMBER_TEXT], uint64_t bytes)
{
	static const char *const unit[] = { "B", "kB", "MB", "GB", "TB", "PB", "EB" };
	double v = (double)bytes;
	size_t u = 0;

	while (v >= 999.5 && u + 1 < sizeof(unit) / sizeof(unit[0])) {
		v /= 1000;
		u++;
	}
	snprintf(out, NUMBER_TEXT, u == 0 || v >= 99.95 ? "%.0f %s" : "%.1f %s", v, unit[u]);
	return (out);
}

const char *
number_time(char out[static NUMBER_TEXT], uint64_t seconds)
{
	if (seconds >= 3600)
		snprintf(out, NUMBER_TEXT, "%llu:%02u:%02u", (unsigned long long)(seconds / 3600),
		    (unsigned)(seconds / 60 % 60), (unsigned)(seconds % 60));
	else
		snprintf(out, NUMBER_TEXT, "%u:%02u", (unsigned)(seconds / 60), (unsigned)(seconds % 60));
	return (out);
}
