/*
 * Knows how people write amounts of bytes. Must not know what they measure.
 */
#include <string.h>
#include <strings.h>

#include "number.h"
#include "size.h"

bool
size_parse(const char *text, uint64_t *out)
{
	static const char letters[] = "kmgtpe";
	size_t n = strspn(text, "0123456789");
	const char *unit = text + n, *at;
	char digits[24];
	uint64_t v, base;

	if (n == 0 || n >= sizeof(digits))
		return (false);
	memcpy(digits, text, n);
	digits[n] = '\0';
	if (!number_u64(digits, 0, UINT64_MAX, &v))
		return (false);
	if (*unit != '\0' && strcmp(unit, "B") != 0) {
		if ((at = strchr(letters, *unit | 0x20)) == NULL)
			return (false);
		if (unit[1] == '\0' || strcmp(unit + 1, "iB") == 0)
			base = 1024;
		else if (strcmp(unit + 1, "B") == 0)
			base = 1000;
		else
			return (false);
		for (; at >= letters; at--) {
			if (v > UINT64_MAX / base)
				return (false);
			v *= base;
		}
	}
	*out = v;
	return (true);
}
