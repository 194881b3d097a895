/* meter: what is made of the time that each stage has told of; no clock of this machine decides. */
#include <string.h>

#include "check.h"
#include "meter.h"

#define SECOND 1000000u

/* Microseconds of one second: reading, compression, held, behind the ring idle, and up to two causes of the far end. */
static enum meter_cause
of(uint64_t reading, uint64_t compression, uint64_t held, uint64_t idle, enum meter_cause a, uint64_t na, enum meter_cause b, uint64_t nb)
{
	struct meter_view from, to;

	for (int i = 0; i < METER_CAUSES; i++)
		from.spent[i] = 1000u * (unsigned)i;
	from.idle = 77;
	to = from;
	to.spent[METER_READING] += reading;
	to.spent[METER_COMPRESSION] += compression;
	to.spent[METER_HELD] += held;
	to.idle += idle;
	to.spent[a] += na;
	to.spent[b] += nb;
	return (meter_bound(&from, &to));
}

static void
test_bound(void)
{
	const enum meter_cause L = METER_LINK, S = METER_SERVER;

	CHECK(of(900000, 50000, 50000, 900000, L, 0, S, 0) == METER_READING);
	CHECK(of(100000, 850000, 50000, 900000, L, 0, S, 0) == METER_COMPRESSION);
	/* Held up now and then is not bound by those behind. */
	CHECK(of(100000, 500000, 400000, 300000, L, 390000, S, 0) == METER_COMPRESSION);
	CHECK(of(10000, 40000, 950000, 1000, L, 900000, S, 20000) == L);
	CHECK(of(10000, 40000, 950000, 1000, L, 20000, S, 900000) == S);
	CHECK(of(10000, 40000, 950000, 1000, METER_LIMIT, 800000, L, 100000) == METER_LIMIT);
	CHECK(of(10000, 40000, 950000, 1000, METER_OUTPUT, 900000, L, 0) == METER_OUTPUT);
	CHECK(of(10000, 40000, 950000, 1000, METER_CPU, 600000, L, 300000) == METER_CPU);
	/* Eight connections wait, each its own time. */
	CHECK(of(10000, 40000, 950000, 1000, L, 7000000, METER_CPU, 900000) == L);
	/* Both sides of the ring wait: for those who seal. */
	CHECK(of(10000, 40000, 950000, 900000, L, 400000, S, 0) == METER_CPU);
	/* Nobody waits but the packing thread: the one behind the ring works. */
	CHECK(of(10000, 40000, 950000, 1000, L, 10000, S, 0) == METER_CPU);
	/* Too short to tell; no packing at all, as in gpurecv. */
	CHECK(of(50000, 40000, 0, 0, L, 900000, S, 0) == METER_NOTHING);
	CHECK(of(0, 0, 0, 0, L, 0, S, 0) == METER_NOTHING);
}

static void
test_turn(void)
{
	struct meter M;
	struct meter_view V, W;
	uint64_t began;

	memset(&M, 0, sizeof(M));
	CHECK(meter_turn(NULL, METER_READING) == METER_NOTHING);
	meter_look(&M, &V);
	CHECK(V.spent[METER_READING] == 0 && V.idle == 0);
	CHECK(meter_turn(&M, METER_READING) == METER_NOTHING);
	CHECK(meter_turn(&M, METER_COMPRESSION) == METER_READING);
	CHECK(meter_turn(&M, METER_HELD) == METER_COMPRESSION);
	CHECK(meter_turn(&M, METER_HELD) == METER_HELD);
	/* What goes on is counted before it has ended, and once. */
	began = meter_now();
	while (meter_now() - began < 20000)
		;
	meter_look(&M, &V);
	CHECK(V.spent[METER_HELD] >= 20000 && V.spent[METER_READING] + V.spent[METER_COMPRESSION] < V.spent[METER_HELD]);
	CHECK(meter_turn(&M, METER_NOTHING) == METER_HELD);
	CHECK(meter_get(&M.spent[METER_HELD]) >= V.spent[METER_HELD]);
	meter_look(&M, &V);
	began = meter_now();
	while (meter_now() - began < 20000)
		;
	meter_look(&M, &W);
	CHECK(memcmp(&V, &W, sizeof(V)) == 0);
	CHECK(meter_turn(&M, METER_NOTHING) == METER_NOTHING);
}

static void
test_words(void)
{
	for (int i = 0; i < METER_HELD; i++)
		CHECK(meter_word((enum meter_cause)i)[0] != '\0' && meter_phrase((enum meter_cause)i)[0] != '\0');
	CHECK(strcmp(meter_word(METER_LINK), "link") == 0 && strcmp(meter_phrase(METER_LIMIT), "--limit") == 0);
	CHECK(strcmp(meter_word(METER_NOTHING), "") == 0 && strcmp(meter_phrase(METER_HELD), "") == 0);
}

int
main(void)
{
	test_bound();
	test_turn();
	test_words();
	return (check_done());
}
