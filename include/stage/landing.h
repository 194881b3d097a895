#ifndef LANDING_H
#define LANDING_H
/*
 * landing: the directory in RAM where the plaintext comes to stand (DESIGN section 7, Landing). It alone opens, makes,
 * renames and removes on the node, always relative to descriptors. Everything is made inside DIR/.gpurecv-RANDOM
 * (0700); publish moves it.
 */
#include <sys/stat.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "tarnote.h"

struct landing_options {
	bool allow_disk, allow_swap;	/* the promise given up, knowingly */
	bool dry_run;			/* make and remove nothing: an absent DIR is judged by its parent */
	bool judge_later;		/* open refuses nothing of DIR itself: landing_judge does, after the facts were shown */
	bool replace;			/* --replace: swap existing entries */
	bool keep_mode;			/* top-level entries keep group and other bits */
	bool allow_external_links;
	bool stripping;			/* names have lost parts: two may have become one, which is said */
	bool have_headroom;		/* --headroom; else RAMROOM_DEFAULT */
	uint64_t headroom;
};
struct landing;
struct landing_facts {			/* for messages, --json and --dry-run */
	uint64_t room;			/* free bytes by statfs of the descriptor; UINT64_MAX: unlimited (ramfs) */
	uint64_t inodes;		/* free inodes; UINT64_MAX: unlimited */
	uint64_t memory;		/* what the limits on memory leave beside the headroom; UINT64_MAX: none is known */
	uint64_t headroom;
	const char *memory_limit;	/* which of them */
	bool ram;			/* tmpfs or ramfs */
	bool swap_excluded;
	const char *swap;		/* why, or why not */
	const char *fs;			/* "tmpfs", "ramfs", "overlayfs" ... */
	const char *against;		/* why we may not write there, or others may; "" */
};

/**
 * landing_open(dir, opts): open DIR once (made 0700 if absent), check that it is RAM, cannot be swapped, belongs to us or
 * root, can be written to by us and not by others without the sticky bit, remove stale hidden directories of ours. Nothing else is
 * written yet.
 * Fails: NULL, said (5, or 1).
 */
struct landing *landing_open(const char *dir, const struct landing_options *opts);
void landing_facts(const struct landing *L, struct landing_facts *F);

/** landing_judge(L): is DIR RAM that cannot be swapped, ours to write to and nobody else's? -1: said (5). landing_open asks. */
int landing_judge(const struct landing *L);
struct room_need;
/** landing_need(L, N, need): what the announced figures still come to in DIR (room.h), with what we make ourselves. */
void landing_need(const struct landing *L, const struct tarnote *N, struct room_need *need);
/** landing_cipher(L, fd): this is the encrypted file: a refusal tells if moving it elsewhere would help. */
void landing_cipher(struct landing *L, int fd);
/** landing_room(L, N): do the announced figures fit? -1: said, status 5 with need and free, bytes or inodes named. */
int landing_room(struct landing *L, const struct tarnote *N);

/**
 * landing_begin(L): make the hidden directory, lock it, start the guardian process that removes it if this process
 * dies. Call before any thread is started and before secrets exist where that can be. Fails: -1, said.
 */
int landing_begin(struct landing *L);

/**
 * Make entries, relative to the hidden directory; names have passed pathrule. Parents are made (0700) when absent.
 * landing_file: a new regular file open for writing. An existing file or link of this archive under the same name is
 * replaced, a directory never by a file. landing_dir: an existing directory is kept. landing_hardlink: ${target} must
 * be a regular file that this archive made. All refuse to walk through links. Fails: -1, said (4 forbidden, 5 full, 1
 * other).
 */
int landing_file(struct landing *L, const char *name);
int landing_file_done(
    struct landing *L, int fd, const char *name, mode_t mode, const struct timespec *mtime); /* closes fd */
int landing_dir(
    struct landing *L, const char *name, mode_t mode, const struct timespec *mtime); /* mode and time set at publish */
/** landing_dir_aside: not asked for itself; if something below it is made, these are its mode and time. */
int landing_dir_aside(struct landing *L, const char *name, mode_t mode, const struct timespec *mtime);
/** landing_parents(L): how many directories were made only because something lies in them. */
uint64_t landing_parents(const struct landing *L);
int landing_symlink(struct landing *L, const char *name, const char *target, const struct timespec *mtime);
int landing_hardlink(struct landing *L, const char *name, const char *target);

/**
 * landing_headroom(L, rest): is there still room to go on, for ${rest} of the announced figures (NULL: nothing is known of
 * what is to come), and is swap still off? To be asked every few MiB. -1: said, status 5 (others have taken the room, or it is nearly
 * used up, or swap has been switched on).
 */
int landing_headroom(struct landing *L, const struct tarnote *rest);
/** landing_per_file(L): what an entry may take beside its own bytes, at most: a page, large or small, and its inode. */
uint64_t landing_per_file(const struct landing *L);
/** landing_external(L): may links leave the tree (allow_external_links)? NULL: no. */
bool landing_external(const struct landing *L);
/** landing_fault(L, what, name): say errno of a failed write to a file of landing_file; -1. */
int landing_fault(const struct landing *L, const char *what, const char *name);

/** landing_existing(L, name): does DIR already hold the top-level entry of ${name}? Said, status 1; with opts->replace only for what
 * cannot be swapped: FIFOs and the like, mount points and what has one below. 0 or -1. */
int landing_existing(struct landing *L, const char *name);

/** landing_publish(L): set directory modes and times, move each top-level entry into DIR (RENAME_NOREPLACE, or swap
 * with --replace); all or none. 5 if swap has been switched on by now. */
int landing_publish(struct landing *L);

/** landing_fd(L): DIR, or where it would be made (dry run). landing_override(L): writing there takes root's rights. */
int landing_fd(const struct landing *L);
bool landing_override(const struct landing *L);

/** landing_free(L): remove what was not published, let the guardian go. NULL is fine. */
void landing_free(struct landing *L);
#endif
