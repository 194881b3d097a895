#ifndef PROCESS_H
#define PROCESS_H
/* process: how both programs begin and end. */
/** process_begin(program): standard descriptors, locale, umask, secrets, stop. Before anything else. -1: said. */
int process_begin(const char *program);
/** process_close(keep): close every inherited descriptor above 2 but ${keep} (-1: none; not open: status 2), then make stop ready. -1: said. */
int process_close(int keep);
/** process_heard(json_fd): before what cannot be undone: -1, said (1), if JSON lines (-1: none are wanted) are known to reach nobody. */
int process_heard(int json_fd);
/** process_end(result): wipe what is left, flush stdout; gives the exit status. */
int process_end(int result);
#endif
