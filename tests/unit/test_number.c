/* number: what counts as a number, and how sizes and times read. */
#include <string.h>

#include "check.h"
#include "number.h"

static bool
is(const char *text, uint64_t min, uint64_t max, uint64_t want)
{
	uint64_t v = 4711;

	return (number_u64(text, min, max, &v) && v == want);
}

static bool
no(const char *text, uint64_t min, uint64_t max)
{
	uint64_t v = 4711;

	return (!number_u64(text, min, max, &v) && v == 4711);
}

static bool
size(uint64_t bytes, const char *want)
{
	char out[NUMBER_TEXT];

	return (strcmp(number_size(out, bytes), want) == 0);
}

static bool
lasts(uint64_t seconds, const char *want)
{
	char out[NUMBER_TEXT];

	return (strcmp(number_time(out, seconds), want) == 0);
}

static bool
duration(const char *text, uint64_t want)
{
	uint64_t v = 4711;

	return (number_duration(text, 100000, &v) && v == want);
}

static bool
bytes(const char *text, uint64_t want)
{
	uint64_t v = 4711;

	return (number_bytes(text, 10, 100000000000, &v) && v == want);
}

int
main(void)
{
	static const char *const unsized[] = { "", "k", ".5M", "1.M", "1.5", "5x", "5m", "5g", "1e6", "-1M", "+1M", " 1M", "1M ", "1 M", "01M", "1B",
		"1Mb", "1Mbit", "1MiBs", "1i", "9", "101G", "99999999999999999999G", "18446744073709551615k", "1.1234567M", "1MM", "1KK", "5T" };
	static const char *const endless[] = { "", "m", "5x", "1m1h", "5m5m", "1h30", "1.5h", "-1", "01m", " 5", "5 ", "100001", "28h",
		"27h50m", "99999999999999999999999999s" };

	static const char *const bad[] = { "", " 1", "1 ", "+1", "-1", "-0", "01", "00", "0x10", "1e3", "1.0", "1k", "\xd9\xa1", "1\n" };

	CHECK(is("0", 0, 9, 0) && is("7", 0, 9, 7) && is("9", 9, 9, 9));
	CHECK(no("10", 0, 9) && no("0", 1, 9));
	CHECK(is("18446744073709551615", 0, UINT64_MAX, UINT64_MAX));
	CHECK(no("18446744073709551616", 0, UINT64_MAX) && no("18446744073709551620", 0, UINT64_MAX));
	CHECK(no("99999999999999999999999", 0, UINT64_MAX));
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECKF(no(bad[i], 0, UINT64_MAX), "'%s'", bad[i]);
	CHECK(size(0, "0 B") && size(812, "812 B") && size(999, "999 B") && size(1000, "1.0 kB") && size(1049, "1.0 kB"));
	CHECK(size(99949, "99.9 kB") && size(99950, "100 kB") && size(999499, "999 kB") && size(999500, "1.0 MB"));
	CHECK(size(1400000000, "1.4 GB") && size(UINT64_MAX, "18.4 EB"));
	CHECK(lasts(0, "0:00") && lasts(59, "0:59") && lasts(60, "1:00") && lasts(3599, "59:59"));
	CHECK(lasts(3600, "1:00:00") && lasts(3723, "1:02:03") && lasts(360000, "100:00:00"));
	CHECK(lasts(UINT64_MAX, "5124095576030431:00:15"));
	CHECK(duration("0", 0) && duration("90", 90) && duration("10m", 600) && duration("1h30m", 5400) && duration("2h5s", 7205));
	CHECK(duration("0s", 0) && duration("27h46m40s", 100000));
	for (size_t i = 0; i < sizeof(endless) / sizeof(endless[0]); i++) {
		uint64_t v;

		CHECKF(!number_duration(endless[i], 100000, &v), "'%s'", endless[i]);
	}
	CHECK(bytes("812", 812) && bytes("10k", 10000) && bytes("10K", 10000) && bytes("1.5M", 1500000) && bytes("2MB", 2000000));
	CHECK(bytes("0.25G", 250000000) && bytes("100G", 100000000000) && bytes("1Ki", 1024) && bytes("1.5MiB", 1572864) && bytes("10", 10));
	CHECK(bytes("12.345678M", 12345678) && bytes("93Gi", 99857989632) && bytes("0.01k", 10));
	for (size_t i = 0; i < sizeof(unsized) / sizeof(unsized[0]); i++) {
		uint64_t v = 4711;

		CHECKF(!number_bytes(unsized[i], 10, 100000000000, &v) && v == 4711, "'%s'", unsized[i]);
	}
	return (check_done());
}
