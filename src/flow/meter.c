/*
 * Knows how the time of a transfer is told apart, and what it means that somebody waits. Must not know who looks at it.
 */
#include <stddef.h>
#include <time.h>

#include "meter.h"

#define SHORTEST 100000		/* microseconds of packing: below that nothing is said */

static const struct {
	const char *word, *phrase;
} names[METER_HELD] = {
	[METER_READING] = { "reading", "reading" },
	[METER_COMPRESSION] = { "compression", "compression" },
	[METER_CPU] = { "cpu", "this CPU" },
	[METER_LINK] = { "link", "the link" },
	[METER_SERVER] = { "server", "the server" },
	[METER_LIMIT] = { "limit", "--limit" },
	[METER_OUTPUT] = { "output", "the destination" },
};

uint64_t
meter_now(void)
{
	struct timespec t;

#ifdef CLOCK_MONOTONIC_COARSE
	clock_gettime(CLOCK_MONOTONIC_COARSE, &t);
#else
	clock_gettime(CLOCK_MONOTONIC, &t);
#endif
	return ((uint64_t)t.tv_sec * 1000000 + (uint64_t)t.tv_nsec / 1000);
}

enum meter_cause
meter_turn(struct meter *M, enum meter_cause cause)
{
	uint64_t now, since;
	enum meter_cause was;

	if (M == NULL)
		return (METER_NOTHING);
	since = meter_get(&M->since);
	was = since == 0 ? METER_NOTHING : (enum meter_cause)atomic_load_explicit(&M->doing, memory_order_relaxed);
	if (was == cause)
		return (was);
	now = meter_now();
	if (was != METER_NOTHING && now > since)
		meter_add(&M->spent[was], now - since);
	atomic_store_explicit(&M->doing, (int)cause, memory_order_relaxed);
	atomic_store_explicit(&M->since, cause != METER_NOTHING ? now : 0, memory_order_relaxed);
	return (was);
}

/* What is read while the packing thread turns is off by what it does just then, once, and no more. */
void
meter_look(struct meter *M, struct meter_view *V)
{
	uint64_t since = meter_get(&M->since), now = meter_now();
	int doing = atomic_load_explicit(&M->doing, memory_order_relaxed);

	for (int i = 0; i < METER_CAUSES; i++)
		V->spent[i] = meter_get(&M->spent[i]);
	V->idle = meter_get(&M->idle);
	if (since != 0 && now > since && doing >= 0 && doing < METER_CAUSES)
		V->spent[doing] += now - since;
}

static uint64_t
less(uint64_t a, uint64_t b)
{
	return (a > b ? a - b : 0);
}

/*
 * The packing thread tells on which side of the ring the wall stands: whoever is before it if that thread mostly works, whoever is
 * behind it if it is mostly held up. Where it is held up while the thread behind the ring waits too, those between them, who seal, are
 * the wall. Where the far end hardly ever waits, its own work (digest, cipher) is.
 */
enum meter_cause
meter_bound(const struct meter_view *from, const struct meter_view *to)
{
	static const enum meter_cause far[] = { METER_CPU, METER_LINK, METER_SERVER, METER_LIMIT, METER_OUTPUT };
	uint64_t d[METER_CAUSES], all, far_all = 0;
	enum meter_cause best = METER_CPU;

	for (int i = 0; i < METER_CAUSES; i++)
		d[i] = less(to->spent[i], from->spent[i]);
	all = d[METER_READING] + d[METER_COMPRESSION] + d[METER_HELD];
	if (all < SHORTEST)
		return (METER_NOTHING);
	if (d[METER_HELD] < all / 2)
		return (d[METER_COMPRESSION] > d[METER_READING] ? METER_COMPRESSION : METER_READING);
	if (d[METER_HELD] + less(to->idle, from->idle) > all + all / 2)
		return (METER_CPU);
	for (size_t i = 0; i < sizeof(far) / sizeof(far[0]); i++) {
		far_all += d[far[i]];
		if (d[far[i]] > d[best])
			best = far[i];
	}
	return (far_all < d[METER_HELD] / 4 ? METER_CPU : best);
}

const char *
meter_word(enum meter_cause cause)
{
	return (cause < METER_HELD ? names[cause].word : "");
}

const char *
meter_phrase(enum meter_cause cause)
{
	return (cause < METER_HELD ? names[cause].phrase : "");
}
