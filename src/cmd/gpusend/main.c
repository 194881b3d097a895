/*
 * gpusend: options, process set-up, the run, and the one exit. Must not know how anything is sent.
 */
#include "options.h"
#include "process.h"
#include "say.h"
#include "send.h"

int
main(int argc, char *argv[])
{
	struct options O = { 0 };
	int parsed = -1, result = -1;

	if (process_begin("gpusend") == 0 && (parsed = options_parse(&O, argc, argv)) == 0 &&
	    process_close(O.pass.fd) == 0)
		result = send_run(&O);
	options_free(&O);
	return (process_end(parsed == 1 ? 0 : result));
}
