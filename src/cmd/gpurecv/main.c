/*
 * gpurecv: options, process set-up, the run, and the one exit. Must not know how anything is unpacked.
 */
#include "check.h"
#include "keygen.h"
#include "options.h"
#include "process.h"
#include "recv.h"

static int
run(struct options *O)
{
	if (process_close(O->pass.fd) != 0)
		return (-1);
	switch (O->mode) {
	case MODE_KEYGEN:
		return (keygen_new(O->output, O->hybrid));
	case MODE_RECIPIENT:
		return (keygen_recipient(&O->pass, O->of_identity));
	case MODE_CHECK:
		return (O->file != NULL ? recv_run(O) : check_size(O));
	default:
		return (recv_run(O));
	}
}

int
main(int argc, char *argv[])
{
	struct options O = { 0 };
	int parsed = -1, result = -1;

	if (process_begin("gpurecv") == 0 && (parsed = options_parse(&O, argc, argv)) == 0)
		result = run(&O);
	options_free(&O);
	return (process_end(parsed == 1 ? 0 : result));
}
