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

/* What a unit stands for, 0 if it is none. */
static uint64_t
unit_of(const char *text)
{
	static const char letters[] = "kMGTP";
	uint64_t unit = 1;
	const char *at;
	bool binary = text[0] != '\0' && text[1] == 'i';

	if (*text != '\0') {
		at = strchr(letters, *text == 'K' ? 'k' : *text);
		if (at == NULL)
			return (0);
		for (const char *p = letters; p <= at; p++)
			unit *= binary ? 1024 : 1000;
		text += binary ? 2 : 1;
	}
	return (*text == '\0' || (unit > 1 && strcmp(text, "B") == 0) ? unit : 0);
}

bool
number_bytes(const char *text, uint64_t min, uint64_t max, uint64_t *out)
{
	size_t n = strspn(text, "0123456789"), decimals = 0;
	uint64_t whole, part = 0, scale = 1, unit;
	char digits[24];

	if (text[n] == '.')
		decimals = strspn(text + n + 1, "0123456789");
	if (n == 0 || n >= sizeof(digits) || decimals > 6 || (text[n] == '.' && decimals == 0))
		return (false);
	memcpy(digits, text, n);
	digits[n] = '\0';
	for (size_t i = 0; i < decimals; i++) {
		part = part * 10 + (uint64_t)(text[n + 1 + i] - '0');
		scale *= 10;
	}
	unit = unit_of(text + n + (decimals > 0 ? decimals + 1 : 0));
	if (unit == 0 || (decimals > 0 && unit == 1) || !number_u64(digits, 0, UINT64_MAX / unit - 1, &whole))
		return (false);
	whole = whole * unit + unit / scale * part + unit % scale * part / scale;
	if (whole < min || whole > max)
		return (false);
	*out = whole;
	return (true);
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
