/* age_err: every outcome has words of its own. */
#include <string.h>

#include "age_err.h"
#include "check.h"

int
main(void)
{
	for (int i = AGE_OK; i <= AGE_NO_MEMORY; i++) {
		const char *text = age_err_text((enum age_err)i);

		CHECKF(text != NULL && strlen(text) > 5 && text[0] >= 'a' && text[0] <= 'z', "outcome %d", i);
		CHECKF(strchr(text, '\n') == NULL && text[strlen(text) - 1] != '.', "outcome %d", i);
		for (int k = AGE_OK; k < i; k++)
			CHECKF(strcmp(text, age_err_text((enum age_err)k)) != 0, "outcomes %d and %d", i, k);
	}
	CHECK(age_err_text((enum age_err)4711) != NULL);
	return (check_done());
}
