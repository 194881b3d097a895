#ifndef PROVIDER_H
#define PROVIDER_H
/* provider: whose node this is, as far as it can be seen, and what gives more room there. */

struct provider {
	const char *name;	/* "RunPod", "Docker" ..., or "unknown" */
	const char *larger;	/* how the RAM file system is made larger there */
	const char *memory;	/* how there is more memory */
};
/** provider_get(): the first answer is kept, as from within a chroot there would be no other. One thread. */
const struct provider *provider_get(void);
#endif
