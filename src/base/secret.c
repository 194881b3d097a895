/*
 * Knows where secrets may live and that none outlives main. Must not know what they are.
 */
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <pthread.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include "say.h"
#include "secret.h"

/* sodium_malloc gives guard pages, mlock and MADV_DONTDUMP; the table below is for the wipe at exit. */
struct entry {
	struct entry *next;
	void *p;
	size_t size;
};
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct entry *alive;

int
secret_init(void)
{
	struct rlimit none = { 0, 0 }, locked;

	if (sodium_init() < 0)
		return (say_error(STATUS_FAILED, "libsodium does not start"));
	(void)setrlimit(RLIMIT_CORE, &none);
	/* As much locked memory as may be had: later there may be no capability any more to go beyond. */
	if (getrlimit(RLIMIT_MEMLOCK, &locked) == 0 && locked.rlim_cur != locked.rlim_max) {
		locked.rlim_cur = locked.rlim_max;
		(void)setrlimit(RLIMIT_MEMLOCK, &locked);
	}
#if !defined(GPUSEND_SANITIZED)	/* the leak checker attaches to its own process */
	(void)prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
	return (0);
}

/* sodium_malloc goes on without a lock. One that is there already costs nothing. */
static void
check_locked(void *p, size_t size)
{
	static atomic_bool said;

	if (mlock(p, size > 0 ? size : 1) != 0 && !atomic_exchange(&said, true))
		say_warning("keys cannot be locked in memory (limit of locked memory, ulimit -l): where there is swap they may reach it");
}

void *
secret_new(size_t size)
{
	struct entry *e = malloc(sizeof(*e));
	void *p = e != NULL ? sodium_malloc(size > 0 ? size : 1) : NULL;

	if (p == NULL) {
		free(e);
		say_error(STATUS_FAILED, "no memory for a secret of %zu bytes", size);
		return (NULL);
	}
#ifdef MADV_WIPEONFORK
	{
		uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
		uintptr_t from = (uintptr_t)p & ~(page - 1);
		uintptr_t to = ((uintptr_t)p + size + page - 1) & ~(page - 1);

		(void)madvise((void *)from, to - from, MADV_WIPEONFORK);
	}
#endif
	check_locked(p, size);
	sodium_memzero(p, size);
	e->p = p;
	e->size = size;
	pthread_mutex_lock(&lock);
	e->next = alive;
	alive = e;
	pthread_mutex_unlock(&lock);
	return (p);
}

void
secret_free(void *p)
{
	struct entry **at, *e = NULL;

	if (p == NULL)
		return;
	pthread_mutex_lock(&lock);
	for (at = &alive; *at != NULL; at = &(*at)->next)
		if ((*at)->p == p) {
			e = *at;
			*at = e->next;
			break;
		}
	pthread_mutex_unlock(&lock);
	if (e == NULL)
		abort();	/* not ours, or freed twice: our own bug */
	sodium_memzero(p, e->size);
	sodium_free(p);
	free(e);
}

void
secret_wipe_all(void)
{
	pthread_mutex_lock(&lock);
	for (struct entry *e = alive; e != NULL; e = e->next)
		sodium_memzero(e->p, e->size);
	pthread_mutex_unlock(&lock);
}

void
wipe(void *p, size_t len)
{
	sodium_memzero(p, len);
}
