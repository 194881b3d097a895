#ifndef OOMFIRST_H
#define OOMFIRST_H
/* oomfirst: whom the kernel kills when memory is used up in spite of everything. */
/**
 * oomfirst(): this process before any other: its guardian then gives the memory of the half-unpacked tree back, which
 * killing a training job would not. What is forked before is left as it is. Where it is not allowed: nothing happens.
 */
void oomfirst(void);
#endif
