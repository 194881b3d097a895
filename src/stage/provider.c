/*
 * Knows by which marks the known providers are told, and their ways to more room. Must not know how much is needed.
 */
#include <stddef.h>
#include <stdlib.h>

#include "nodefile.h"
#include "provider.h"

#define IN_CONTAINER "the size of /dev/shm is given when the container is made"

/* A login by SSH does not always bring the container's environment: so files are marks, too. The first that fits counts. */
static const struct mark {
	const char *variable, *file;
	struct provider P;
} marks[] = {
	{ "RUNPOD_POD_ID", "/etc/rp_environment", { "RunPod", IN_CONTAINER " and follows the pod's RAM: take a pod with more",
	    "take a pod with more RAM, or free some" } },
	{ "VAST_CONTAINERLABEL", "/root/.vast_containerlabel", { "Vast.ai",
	    "it follows the share of GPUs that is rented: rent more of them, or set --shm-size in the docker options",
	    "memory follows the share of GPUs that is rented: rent more of them, or free some" } },
	{ "KUBERNETES_SERVICE_HOST", "/var/run/secrets/kubernetes.io/serviceaccount/namespace", { "Kubernetes",
	    "mount an emptyDir with medium: Memory and a larger sizeLimit there",
	    "raise the container's resources.limits.memory, or free some" } },
	{ "LAMBDA_INSTANCE_ID", "/etc/apt/sources.list.d/lambda-repository.list", { "Lambda",
	    "sudo mount -o remount,size=SIZE on it, or another tmpfs", "take an instance with more RAM, or free some" } },
	{ NULL, "/.dockerenv", { "Docker", "docker run --shm-size=SIZE, or --tmpfs", "docker run --memory=SIZE, or free some" } },
	{ NULL, "/run/.containerenv", { "Podman", "podman run --shm-size=SIZE, or --tmpfs",
	    "podman run --memory=SIZE, or free some" } },
};
static const struct provider unknown = { "unknown",
	"enlarge it (docker run --shm-size, mount -o remount,size=), free some, or use another tmpfs",
	"free memory, or take a node or a container limit with more of it" };

static const struct provider *
find(void)
{
	for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++) {
		FILE *f = nodefile_open(marks[i].file, "");

		if (f != NULL)
			(void)fclose(f);
		if (f != NULL || (marks[i].variable != NULL && getenv(marks[i].variable) != NULL))
			return (&marks[i].P);
	}
	return (&unknown);
}

const struct provider *
provider_get(void)
{
	static const struct provider *known;

	if (known == NULL || nodefile_faked())
		known = find();
	return (known);
}
