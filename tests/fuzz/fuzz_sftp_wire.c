/*
 * Feeds any bytes to the readers of SFTP replies, cut into packets as a link cuts its stream; what a reader takes must lie within the
 * packet.
 */
#include <stdlib.h>
#include <string.h>

#include "sftp_wire.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void
need(bool good)
{
	if (!good)
		abort();
}

/* Each reader is asked, whatever the type is. In memory of its own, so that one byte too far is seen. */
static void
packet(const uint8_t *p, size_t len)
{
	uint8_t *mem = malloc(len);
	struct sftp_features features;
	struct sftp_handle F;
	struct sftp_attrs A;
	struct sftp_reply R;
	const uint8_t *bytes;
	uint64_t n;
	uint32_t code;
	size_t got;

	if (mem == NULL)
		return;
	memcpy(mem, p, len);
	need(sftp_wire_reply(mem, len, &R) && R.len == len - 5);
	need(!sftp_wire_get_status(&R, &code) || R.type == SFTP_STATUS);
	if (sftp_wire_get_handle(&R, &F))
		need(R.type == SFTP_HANDLE && F.len > 0 && F.len <= sizeof(F.bytes));
	if (sftp_wire_get_data(&R, &bytes, &got))
		need(R.type == SFTP_DATA && bytes >= R.body && bytes + got <= R.body + R.len);
	if (sftp_wire_get_attrs(&R, &A))
		need(R.type == SFTP_ATTRS && A.regular + A.directory + A.link <= 1);
	need(!sftp_wire_get_statvfs(&R, &n) || (R.type == SFTP_EXTENDED_REPLY && R.len >= 40));
	need(!sftp_wire_get_limits(&R, &n) || (R.type == SFTP_EXTENDED_REPLY && R.len >= 24));
	need(!sftp_wire_get_features(&R, &features) || R.type == SFTP_VERSION);
	free(mem);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct sftp_reply R;
	size_t len;

	while (size >= 4) {
		if (!sftp_wire_length(data, &len))
			break;
		need(len >= 5 && len <= SFTP_WIRE_REPLY);
		data += 4;
		size -= 4;
		if (len > size) {
			(void)sftp_wire_reply(data, size, &R);
			break;
		}
		packet(data, len);
		data += len;
		size -= len;
	}
	return (0);
}
