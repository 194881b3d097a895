/*
 * Knows a hash table keyed by device and inode. Must not know what the numbers in it stand for.
 */
#include <stdlib.h>

#include "inodes.h"

struct slot {
	uint64_t dev, ino, number;	/* number 0: free; else one more than what was put */
};

struct inodes {
	struct slot *slots;
	size_t room, n;			/* room: a power of two */
};

struct inodes *
inodes_new(void)
{
	struct inodes *I = calloc(1, sizeof(*I));

	if (I == NULL)
		return (NULL);
	I->room = 64;
	if ((I->slots = calloc(I->room, sizeof(*I->slots))) == NULL) {
		free(I);
		return (NULL);
	}
	return (I);
}

static struct slot *
find(const struct inodes *I, uint64_t dev, uint64_t ino)
{
	/* Inode numbers come from the file system, not from a stranger: spreading them is all that is needed. */
	uint64_t h = (ino ^ dev << 32 ^ dev >> 32) * UINT64_C(0x9e3779b97f4a7c15);
	size_t i = (size_t)(h >> 20) & (I->room - 1);

	while (I->slots[i].number != 0 && (I->slots[i].dev != dev || I->slots[i].ino != ino))
		i = (i + 1) & (I->room - 1);
	return (&I->slots[i]);
}

static int
grow(struct inodes *I)
{
	struct inodes more = { calloc(I->room * 2, sizeof(struct slot)), I->room * 2, I->n };

	if (more.slots == NULL)
		return (-1);
	for (size_t i = 0; i < I->room; i++)
		if (I->slots[i].number != 0)
			*find(&more, I->slots[i].dev, I->slots[i].ino) = I->slots[i];
	free(I->slots);
	*I = more;
	return (0);
}

int
inodes_put(struct inodes *I, dev_t dev, ino_t ino, uint64_t number)
{
	struct slot *S;

	if (I->n >= I->room / 4 * 3 && grow(I) != 0)
		return (-1);
	S = find(I, (uint64_t)dev, (uint64_t)ino);
	if (S->number != 0)
		return (0);
	*S = (struct slot){ (uint64_t)dev, (uint64_t)ino, number + 1 };
	I->n++;
	return (0);
}

bool
inodes_get(const struct inodes *I, dev_t dev, ino_t ino, uint64_t *number)
{
	const struct slot *S = find(I, (uint64_t)dev, (uint64_t)ino);

	if (S->number == 0)
		return (false);
	*number = S->number - 1;
	return (true);
}

void
inodes_free(struct inodes *I)
{
	if (I == NULL)
		return;
	free(I->slots);
	free(I);
}
