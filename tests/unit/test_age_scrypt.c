/* age_scrypt: the work factor as text and as a number, and what opens with which passphrase. */
#include <limits.h>
#include <string.h>

#include "age_scrypt.h"
#include "check.h"
#include "secret.h"

static void
numbers(void)
{
	static const char *const bad[] = { "", "0", "00", "014", "+14", "-1", " 14", "14 ", "0x10", "1e1", "14a", "\xe1\x81\x81", "1_0", "1." };
	unsigned v = 0;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		CHECKF(!age_scrypt_log_n(bad[i], &v), "%s", bad[i]);
	CHECK(age_scrypt_log_n("1", &v) && v == 1);
	CHECK(age_scrypt_log_n("18", &v) && v == 18);
	CHECK(age_scrypt_log_n("64", &v) && v == 64);
	CHECK(age_scrypt_log_n("255", &v) && v == 255);
	/* 2^32 + 18 and longer must not come round to 18 */
	CHECK(age_scrypt_log_n("4294967314", &v) && v > 1000000);
	CHECK(age_scrypt_log_n("18446744073709551634", &v) && v == UINT_MAX);
	CHECK(age_scrypt_log_n("99999999999999999999999999999999", &v) && v == UINT_MAX);
}

int
main(void)
{
	static const unsigned refused[] = { 0, AGE_SCRYPT_TOP, 63, 64, 65, 255, UINT_MAX };
	uint8_t salt[AGE_SCRYPT_SALT], again[AGE_SCRYPT_SALT], body[AGE_WRAP_BODY];
	struct age_file_key *fk, *got;

	if (secret_init() != 0 || (fk = secret_new(sizeof(*fk))) == NULL || (got = secret_new(sizeof(*got))) == NULL)
		return (1);
	numbers();
	memset(fk, 0x77, sizeof(*fk));
	CHECK(age_scrypt_wrap("secret", 6, 10, fk, again, body) == AGE_OK);
	CHECK(age_scrypt_wrap("secret", 6, 10, fk, salt, body) == AGE_OK && memcmp(salt, again, sizeof(salt)) != 0);
	CHECK(age_scrypt_unwrap("secret", 6, 10, salt, body, got) == AGE_OK && memcmp(fk, got, sizeof(*fk)) == 0);
	CHECK(age_scrypt_unwrap("secret", 5, 10, salt, body, got) == AGE_WRONG_PASSPHRASE && got->b[0] == 0);
	CHECK(age_scrypt_unwrap("Secret", 6, 10, salt, body, got) == AGE_WRONG_PASSPHRASE);
	CHECK(age_scrypt_unwrap("secret", 6, 9, salt, body, got) == AGE_WRONG_PASSPHRASE);
	CHECK(age_scrypt_unwrap("secret", 6, 10, again, body, got) == AGE_WRONG_PASSPHRASE);
	body[3] ^= 4;
	CHECK(age_scrypt_unwrap("secret", 6, 10, salt, body, got) == AGE_WRONG_PASSPHRASE);
	CHECK(age_scrypt_wrap("", 0, 1, fk, salt, body) == AGE_OK && age_scrypt_unwrap("", 0, 1, salt, body, got) == AGE_OK);
	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		CHECKF(age_scrypt_wrap("secret", 6, refused[i], fk, salt, body) == AGE_WORK_FACTOR, "2^%u", refused[i]);
		CHECKF(age_scrypt_unwrap("secret", 6, refused[i], salt, body, got) == AGE_WORK_FACTOR, "2^%u", refused[i]);
	}
	secret_free(fk);
	secret_free(got);
	return (check_done());
}
